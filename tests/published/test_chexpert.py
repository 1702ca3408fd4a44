"""Table 4 of [D]: labels and predictions are read from ``UGT_CHEXPERT``, and never kept here."""

import numpy as np
import pytest
from conftest import SHARED, located
from scripts import script
from twins import soft


@pytest.fixture(scope="module")
def page():
    located("UGT_CHEXPERT", SHARED / "data" / "chexpert")
    return script("docs/reproductions", "chexpert")


def test_all_but_ten_of_the_200_printed_numbers_are_those_of_the_defaults(page):
    differing = [(finding, model, page.METRICS[j]) for finding, model, j, _, _ in page.deviations()]
    assert differing == [
        *[
            ("Cardiomegaly", model, metric)
            for model, metric in (("sensexdr", "AP"), ("ihil", "s-AUROC"), ("hieupham", "AP"), ("ngango2", "AP"))
        ],
        *[("Pleural Effusion", "hieupham", metric) for metric in page.METRICS],
        *[("Pleural Effusion", model, "AP") for model in ("ngango2", "desmond")],
    ]
    ours, printed = (
        np.array([one(finding) for finding in page.FINDINGS]) for one in (page.values, lambda name: list(page.PRINTED[name].values()))
    )
    assert ours.shape == (5, 10, 4)  # 50 pairs of a finding and a model
    assert (np.round(ours, 3) == printed).sum() == 182  # the other 8 were rounded twice
    assert np.abs(ours - printed)[..., :2].max() < 0.0014  # AUROC
    assert len(page.deviations(page.FIVE)) == 194


def test_metrics_equal_their_twins(page):
    labels, _, models = page.data()
    for at, finding in enumerate(page.FINDINGS):
        p, scores = labels[..., at].mean(1), models["desmond"][:, at]
        row = page.values(finding)[list(page.PRINTED[finding]).index("desmond")]
        expected = [metric(one, scores) for metric in (soft.auroc, soft.average_precision) for one in ((p > 0.5).astype(float), p)]
        assert row == pytest.approx(expected, abs=1e-12)


def test_printed_values_below_the_bound_are_impossible(page):
    for finding, model in (("Cardiomegaly", "sensexdr"), ("Pleural Effusion", "ngango2")):
        assert page.PRINTED[finding][model][2] < page.printed_bound(finding, model) - 0.05


def test_no_change_of_order_is_supported(page):
    rows = page.leader_rows()
    assert [row[2] != row[3] for row in rows] == [True] * 4 + [False] * 6
    assert sum(int(row[6].split()[0]) for row in rows) == 57
    assert [row[7] for row in rows] == [0] * 10
    for finding in page.FINDINGS[:2]:
        for j in (0, 1):
            difference = page.leaders(finding, j)[2]
            for of in ("hard", "value"):
                low, high = difference.interval(of=of, random=page.BOTH)
                assert low < 0 < high


def test_least_average_precision_is_a_bound():
    page, rng = script("docs/reproductions", "chexpert"), np.random.default_rng(0)
    for positives, negatives in ((1, 5), (7, 3), (30, 60)):
        for lift in rng.uniform(-1, 4, 40):
            truth = np.repeat([1.0, 0.0], [positives, negatives])
            scores = rng.normal(size=len(truth)) + lift * truth
            assert soft.average_precision(truth, scores) >= page.least_precision(soft.auroc(truth, scores), positives, negatives) - 1e-9
    worst = np.repeat([0.0, 1.0, 0.0], [4, 60, 20])  # negatives first: close to the bound
    assert soft.average_precision(worst, -np.arange(84)) == pytest.approx(page.least_precision(1 - 4 / 24, 60, 24), abs=0.06)


def test_hard_against_soft(page):
    below = [(finding, j) for finding in page.FINDINGS for j, end in enumerate(page.compared(finding).intervals()[:, 1]) if end < 1]
    assert below == [("Atelectasis", 1), ("Cardiomegaly", 0), ("Cardiomegaly", 1)]
    for finding in page.FINDINGS:
        one, ours = page.compared(finding), page.values(finding)
        rows = [list(page.PRINTED[finding]).index(first) for first in page.alike(finding).values()]
        assert one.r_squared == pytest.approx([np.corrcoef(ours[rows][:, j], ours[rows][:, j + 1])[0, 1] ** 2 for j in (0, 2)])
