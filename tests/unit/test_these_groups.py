"""Other readers and cases of the same sites: intervals against a twin, bad input, tables and words."""

import copy
import math
import pickle
import re
from html import unescape

import numpy as np
import pytest
from refusals import warned
from twins import sites as twin

import ugt
from ugt._base.claims import LeadEnds, WithinEnds, claim_of
from ugt.resampling.these_groups import AT_END, ONE_CASE, ONE_READER, UNDEFINED

pytestmark = pytest.mark.filterwarnings(
    "ignore:Annotators are in", "ignore:Intervals are over", "ignore:. annotators", "ignore:no interval .* two groups"
)
BOTH = ("cases", "annotators")
RNG = np.random.default_rng(5)
READERS, SIZES = [3, 2, 4], [20, 14, 9]
SITE = np.repeat(np.arange(3), SIZES)
TRUTH = RNG.integers(0, 3, len(SITE))
TABLE = [[int(t if RNG.random() < 0.5 + 0.1 * j else RNG.integers(0, 3)) for j in range(READERS[s])] for s, t in zip(SITE, TRUTH)]
MODELS = [np.where(RNG.random(len(SITE)) < right, TRUTH, 0) for right in (0.9, 0.4)]


def given(table=TABLE, site=SITE):
    """Labels; None is a missing one."""
    rows = [(i, f"{site[i]}:{j}", x) for i, row in enumerate(table) for j, x in enumerate(row) if x is not None]
    case, who, label = zip(*rows)
    return ugt.Labels.from_long(case, who, label, classes=[0, 1, 2], cases=range(len(table)))


def ranked(table):
    """The labels as rankings of one class, which have no panels."""
    rows = [(i, f"{SITE[i]}:{j}", x, 1) for i, row in enumerate(table) for j, x in enumerate(row) if x is not None]
    return ugt.Rankings.from_long(*zip(*rows), classes=[0, 1, 2], cases=range(len(table)))


def difference(known, models=MODELS):
    one, two = (ugt.metrics.next_annotator_agreement(known, np.eye(3)[model]) for model in models)
    return one.minus(two)


def figures(table=TABLE, models=MODELS, site=SITE):
    """Tables of the sites: what a label adds to the difference of two models, or to the first alone."""

    def added(i, x):
        first, *other = (int(x == model[i]) for model in models)
        return first - sum(other)

    rows = [[None if x is None else added(i, x) for x in row] for i, row in enumerate(table)]
    return [[row for row, s in zip(rows, site) if s == g] for g in np.unique(site)]


def test_the_interval_of_a_difference_is_that_of_a_twin():
    """By panels of the readers of one site at a time."""
    parts = [(*twin.parts_of(table), len(table), len(table[0])) for table in figures()]
    value, expected, df, half = twin.these_sites(parts)
    found = difference(given()).two_way().these_groups()
    assert (found.value, *found.parts.values()) == pytest.approx((value, *expected), rel=1e-9)
    assert found.df == pytest.approx(df) and found.effective_annotators == pytest.approx(1 + sum(READERS) - 3)
    assert found.interval() == pytest.approx((value - half, value + half)) and not found.one_by_one
    assert "of the same groups" in found.population and found.n_groups is None
    low, high = found.over_annotators()
    assert value - half <= low < value < high <= value + half


def test_a_share_has_its_interval_on_the_scale_of_logits():
    parts = [(*twin.parts_of(table), len(table), len(table[0])) for table in figures(models=MODELS[:1])]
    value, expected, df, half = twin.these_sites(parts)
    found = ugt.metrics.next_annotator_agreement(given(), np.eye(3)[MODELS[0]])
    slope, middle = 1 / (value * (1 - value)), math.log(value / (1 - value))
    within = found.two_way().these_groups()
    assert within.scale == "logit" and list(within.parts.values()) == pytest.approx([slope**2 * x for x in expected])
    ends = [1 / (1 + math.exp(-middle - sign * half * slope)) for sign in (-1, 1)]
    low, high = found.interval()
    assert within.interval() == pytest.approx((min(ends[0], low), max(ends[1], high))) and within.df == pytest.approx(df)


@pytest.mark.parametrize("missing", [0.0, 0.3])
def test_rankings_leave_readers_out_one_by_one(missing):
    """Cases that no other reader has seen count as the mean of the others of the site."""
    rng = np.random.default_rng(8)
    table = [[None if j and rng.random() < missing else x for j, x in enumerate(row)] for row in TABLE]
    parts = [(*twin.parts_without(own), len(own), len(own[0])) for own in figures(table)]
    value, expected, _, _ = twin.these_sites(parts)
    found = difference(ranked(table)).two_way().these_groups()
    assert found.one_by_one
    assert (found.value, *found.parts.values()) == pytest.approx((value, *expected), rel=1e-9)


def test_two_groups_have_an_interval_and_annotators_who_share_cases_none():
    rows = np.flatnonzero(SITE < 2)
    known = given([TABLE[i] for i in rows], SITE[rows])
    found = difference(known, [model[rows] for model in MODELS]).two_way()
    low, high = found.these_groups().interval()
    assert math.isnan(found.interval()[0]) and -1 < low < found.value < high < 1
    crossed = ugt.Labels.from_wide(np.array([row[:2] for row in TABLE]), annotators=["a", "b"], classes=[0, 1, 2])
    assert difference(crossed).two_way().these_groups() is None


def test_records_are_copied_with_their_groups():
    found = difference(given()).two_way()
    for one in (copy.deepcopy(found), pickle.loads(pickle.dumps(found))):
        assert one.these_groups().interval() == found.these_groups().interval()


def test_what_has_no_interval_says_why():
    alone = given([row[:1] if s == 1 else row for row, s in zip(TABLE, SITE)])
    lonely = given(TABLE[: -SIZES[2] + 1])  # one case in the last site
    pairs = given([row[:2] for row in TABLE])
    same = given([[int(m)] * 2 for m in MODELS[0]])
    first = np.eye(3)[MODELS[0]]
    short = [model[: -SIZES[2] + 1] for model in MODELS]
    for result, clusters, reason in (
        (difference(alone), None, ONE_READER),
        (difference(given()), SITE, ONE_CASE),  # each site is one unit
        (difference(lonely, short), None, ONE_CASE),
        (ugt.krippendorff_alpha(pairs, "nominal"), None, UNDEFINED),
        (ugt.metrics.next_annotator_agreement(same, first), None, AT_END),
    ):
        found = warned(reason, result.two_way(clusters=clusters).these_groups)
        assert found.reason == reason and np.isnan(found.interval()).all() and np.isnan(found.df)


def test_readers_of_a_site_who_never_overlap():
    """Half of the cases each, joined by clusters: a case without its only reader counts as the mean of the site."""
    table = [[x if (i + j) % 2 else None for j, x in enumerate(row[:2])] for i, row in enumerate(TABLE)]
    parts = [(*twin.parts_without(own), len(own), 2) for own in figures(table)]
    value, expected, _, half = twin.these_sites(parts)
    found = difference(ranked(table)).two_way(clusters=np.arange(len(SITE)) // 2)
    assert difference(ranked(table)).two_way().n_groups == 6  # a reader each
    within = found.these_groups()
    assert (
        found.n_groups == 3 and within.value == pytest.approx(value) and within.parts["annotators"] == pytest.approx(expected[1], rel=0.01)
    )
    low, high = difference(given(table)).two_way(clusters=np.arange(len(SITE)) // 2).these_groups().interval()
    assert high - low > 0.5 * 2 * half


def test_alpha_and_the_auroc_are_near_their_sites():
    """Numbers that are no means: to first order, wider than over cases alone."""
    known = given([row if len(row) > 2 else [*row, 0] for row in TABLE])
    found = ugt.krippendorff_alpha(known, "nominal")
    low, high = found.two_way().these_groups().interval()
    assert low <= found.interval()[0] < found.value < found.interval()[1] <= high < 1


# ---- tables and words


def evaluated(n_sites, readers, right, apart=0.0, ranks=False, names=("A", "B"), **options):
    """An evaluation of two models at sites; ``apart``: how much the lead differs between sites."""
    rng = np.random.default_rng(3)
    site = np.repeat(np.arange(n_sites), 60)
    truth, n = rng.integers(0, 2, len(site)), len(site)
    label = np.where(rng.random((n, readers)) < 0.9, truth[:, None], 1 - truth[:, None])
    rows = [(i, f"{site[i]}:{j}", int(label[i, j]), *([1] * ranks)) for i in range(n) for j in range(readers)]
    kind = ugt.Rankings if ranks else ugt.Labels
    known = kind.from_long(*zip(*rows), classes=[0, 1])
    second = right[1] + apart * (site % 2)
    models = dict(zip(names, (rng.random(n) < right[0], rng.random(n) < second)))
    models = {name: np.eye(2)[np.where(hit, truth, 1 - truth)] for name, hit in models.items()}
    found = ugt.evaluate(known, models, reliability=1, k=1, n_resamples=100, **options)
    (row,) = (one for one in found.tables["verdict"] if one["metric"] == "topk_accuracy")
    return found, row


def test_the_verdict_is_for_other_annotators_of_these_groups():
    found, row = evaluated(4, 3, (0.95, 0.55), apart=0.35)
    (pair,) = (one for one in found.tables["differences"] if one["metric"] == "topk_accuracy")
    assert row["claim"] == "others of these groups" and row["two_way_low"] < 0 < row["within_low"]
    assert row["n_within"] == pytest.approx(9) and row["within_one_by_one"] is False
    assert [row[name] for name in ("within_low", "within_high")] == [pair[name] for name in ("within_low", "within_high")]
    assert row["within_low"] <= row["low"] and row["high"] <= row["within_high"]
    page = re.sub("<.*?>", "", unescape(unescape(found._repr_html_())))
    assert "A is ahead of B for other annotators of these 4 groups, too: by" in page
    assert "; not shown for other groups (" in page
    assert "within_low,within_high,n_within,within_one_by_one" in found.tables["differences"].csv_text()


def test_what_is_said_beside_other_claims():
    for sites, readers, right, claim, said in (
        (8, 2, (0.95, 0.55), "others", "; other annotators of these groups: "),
        (3, 2, (0.95, 0.5), "others if normal", "It is not shown for other annotators of these 3 groups"),
        (4, 3, (0.95, 0.55), "others of these groups", "only if groups vary like a normal law"),
        (2, 2, (0.95, 0.5), "these", "There is no interval for other groups"),
        (2, 6, (0.95, 0.5), "others of these groups", "for other annotators of these 2 groups, too"),
    ):
        found, row = evaluated(sites, readers, right)
        assert row["claim"] == claim and said in found._repr_html_(), (sites, readers, row)


def test_rankings_and_the_same_annotators_have_no_claim_for_others():
    found, row = evaluated(3, 3, (0.95, 0.4), apart=0.5, ranks=True)
    assert row["claim"] == "these" and row["within_low"] > 0 and row["within_one_by_one"]
    assert "leaves out one annotator at a time" in found._repr_html_()
    _, row = evaluated(4, 3, (0.95, 0.55), random=("cases",))
    assert row["claim"] == "these" and row["within_low"] is None


def test_the_claim_needs_an_interval_without_0_of_all_leads_and_as_many_annotators_as_six():
    def lead(low, n, one_by_one=False):
        return LeadEnds(0.1, 0.01, 0.3, -0.1, 0.4, 4.0, 4, False, WithinEnds(low, 0.35, n, one_by_one))

    for leads, margin, expected in (
        ([lead(0.005, 6.0)], 0.0, "others of these groups"),
        ([lead(0.005, 5.4)], 0.0, "these"),
        ([lead(0.005, 6.0, True)], 0.0, "these"),
        ([lead(-0.005, 9.0)], 0.0, "these"),
        ([lead(None, None)], 0.0, "these"),
        ([lead(0.005, 9.0), lead(-0.005, 9.0)], 0.0, "these"),
        ([lead(0.005, 9.0)], 0.007, "these"),
        ([lead(-0.005, 9.0)], -0.007, "others of these groups"),
    ):
        assert claim_of(leads, margin) == expected, (leads, margin)
    turned = lead(0.005, 6.0).turned
    assert (turned.within.low, turned.within.high, turned.within.n_annotators) == (-0.35, -0.005, 6.0) and turned.high == -0.01


@pytest.mark.parametrize("case", [(8, 2, 0.0), (3, 2, 0.0), (4, 3, 0.0), (4, 3, 0.2), (2, 6, 0.0)])
def test_the_answer_has_room_on_page_one(browser, tmp_path, case):
    sites, readers, apart = case
    found, row = evaluated(sites, readers, (0.95, 0.7), apart, names=("dermatology net", "a second model"))
    assert row["claim"] != "nobody"
    path = tmp_path / "report.html"
    path.write_text(ugt.report.html(found.to_dict()), encoding="utf-8")
    height = "document.querySelector('{}').getBoundingClientRect().height"
    for size, medium, answer, grey in (((1280, 900), "screen", 72, 48), ((703, 1009), "print", 64, 36)):  # docs/development.md
        browser.show(*size, medium=medium)
        browser.open(path.as_uri())
        assert browser.run(height.format(".first .verdict")) <= answer and browser.run(height.format(".first .sub")) <= grey
    browser.show(1280, 900)
