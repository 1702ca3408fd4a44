"""The printed results of the alternative annotator test: annotations are read from ``UGT_ALTTEST``, and never kept here."""

import pytest
from conftest import SHARED, located
from scripts import script
from twins import discrepancy as twin


@pytest.fixture(scope="module")
def page():
    located("UGT_ALTTEST", SHARED / "data" / "alttest")
    return script("docs/reproductions", "alternative_annotator")


def test_all_52_printed_pairs_are_ours(page):
    pairs = page.pairs()
    assert len(pairs) == 52 and len({name for name, *_ in pairs}) == 9
    assert [pair for pair in pairs if not page.agree(*pair)] == []
    changed = [(name, model) for name, model, _ in pairs if page.found(name, model).passed != page.over_texts(name, model).passed]
    assert changed == [("lgbteen", "gpt-4o-mini")]


@pytest.mark.parametrize(("name", "delta"), [("mtbench", twin.zero_one), ("lesion", twin.squared)])
def test_a_pair_equals_its_twin(page, name, delta):
    annotations, models = page.data(name)
    test = page.found(name, "gpt-4o")
    annotators = annotations.annotators.tolist()
    label = annotations.value if name in page.NUMBERS else annotations.axes.classes[annotations.label]
    cases = test.case_ids.tolist()
    nested = [[[] for _ in annotators] for _ in cases]
    for i in range(len(cases)):
        for row in range(*annotations.offsets[i : i + 2]):
            nested[i][annotations.annotator[row]].append(label[row].item())
    model = [models["gpt-4o"].get(case) for case in cases]
    expected, rejected, rate = twin.alternative_annotator(model, nested, delta, page.EPSILON[name])
    for j in range(len(annotators)):
        assert (test.advantage[j], test.annotator_advantage[j], test.p_value[j]) == pytest.approx(expected[j], abs=1e-9)
    assert rate == test.winning_rate and sorted(rejected) == test.rejected.nonzero()[0].tolist()
