"""Annotators who share no case: how groups are found, their intervals against a twin, and what is said."""

import math
import tracemalloc

import numpy as np
import pytest
from refusals import warned
from scipy.stats import t

import ugt
from ugt.resampling.blocks import TWO_GROUPS

pytestmark = pytest.mark.filterwarnings("ignore:Annotators are in .* groups", "ignore:Intervals are over .* clusters")
BOTH = ("cases", "annotators")
RNG = np.random.default_rng(9)
SIZES = [12, 20, 8, 16, 30]
SITE = np.repeat(np.arange(5), SIZES)
TRUTH = RNG.integers(0, 3, len(SITE))
TABLE = np.where(RNG.random((len(SITE), 2)) < 0.75, TRUTH[:, None], RNG.integers(0, 3, (len(SITE), 2)))
SCORES = np.eye(3)[np.where(RNG.random(len(SITE)) < 0.7, TRUTH, 0)] + 0.3 * RNG.random((len(SITE), 3))


def labels(of_reader=lambda site, j: f"{site}.{j}", rows=slice(None)):
    site = SITE[rows]
    who = [of_reader(s, j) for s in site for j in range(2)]
    return ugt.Labels.from_long(np.repeat(np.arange(len(site)), 2), who, TABLE[rows].ravel(), classes=[0, 1, 2])


def test_the_interval_is_that_of_a_twin():
    """Leaving out each site with its readers, on the scale of logits."""
    found = ugt.metrics.next_annotator_agreement(labels(), SCORES)
    chosen = SCORES.argmax(axis=1)
    share = [sum(x == chosen[i] for x in TABLE[i]) / 2 for i in range(len(SITE))]

    def logit(x):
        return math.log(x / (1 - x))

    left = [logit(sum(x for x, s in zip(share, SITE) if s != g) / sum(g != SITE)) for g in range(5)]
    mean = sum(left) / 5
    variance = 4 / 5 * sum((x - mean) ** 2 for x in left)
    df = 1 / sum((n / len(SITE)) ** 2 for n in SIZES) - 1
    half, middle = t.ppf(0.975, df) * math.sqrt(variance), logit(sum(share) / len(share))
    low, high = (1 / (1 + math.exp(-(middle + sign * half))) for sign in (-1, 1))
    two_way, alone = found.two_way(), found.interval()
    assert two_way.parts == {"groups": pytest.approx(variance)} and two_way.df == pytest.approx(df) and two_way.n_groups == 5
    assert two_way.effective_annotators == pytest.approx(df + 1) and two_way.n_annotators == 10
    assert found.interval(random=BOTH) == pytest.approx((min(low, alone[0]), max(high, alone[1])))
    assert "groups of annotators" in two_way.population and math.isnan(two_way.over_annotators()[0])


def test_groups_are_said_with_their_even_number():
    said = ugt.krippendorff_alpha(labels(), "nominal").two_way().notes
    assert "5 groups without a common case (as 4.19 of even size)" in said[0].text and "91 to 94%" in said[0].text


def test_two_groups_have_no_interval_and_one_reader_of_all_makes_one_group():
    two = labels(rows=slice(0, 32))
    found = ugt.metrics.next_annotator_agreement(two, SCORES[:32])
    assert np.isnan(warned(TWO_GROUPS, found.interval, random=BOTH)).all()
    bridged = labels(lambda site, j: "all" if j else f"{site}")
    assert ugt.metrics.next_annotator_agreement(bridged, SCORES).two_way().n_groups is None


def test_a_few_strays_are_no_group():
    def reader(site, j):
        return f"stray {j}" if site == 2 else f"{j}"

    found = ugt.metrics.next_annotator_agreement(labels(reader), SCORES).two_way()  # 16 of 172 labels
    assert found.n_groups == 2 and found.reason == TWO_GROUPS
    rows = np.flatnonzero((SITE != 2) | (np.cumsum(SITE == 2) < 4))
    few = ugt.metrics.next_annotator_agreement(labels(reader, rows), SCORES[rows]).two_way()
    assert few.n_groups is None and few.reason is None


def test_clusters_join_cases_and_are_the_groups_of_readers_who_keep_to_them():
    pairs = labels(lambda site, j: f"{site}.{j}")
    halves = np.arange(len(SITE)) % 2 + 2 * SITE  # two wards a site
    assert ugt.metrics.next_annotator_agreement(pairs, SCORES).two_way(clusters=SITE).n_groups == 5
    assert ugt.metrics.next_annotator_agreement(pairs, SCORES).two_way(clusters=halves).n_groups == 5  # readers join the wards
    visits = [f"{s}.{j}" if (i, j) != (0, 0) else "4.0" for i, s in enumerate(SITE) for j in range(2)]  # one reader was a guest once
    known = ugt.Labels.from_long(np.repeat(np.arange(len(SITE)), 2), visits, TABLE.ravel(), classes=[0, 1, 2])
    one = ugt.metrics.next_annotator_agreement(known, SCORES)
    assert one.two_way().n_groups == 4 and one.two_way(clusters=SITE).n_groups == 5


def test_one_group_a_case_and_cases_without_labels():
    alone = ugt.Labels.from_long(np.arange(len(SITE)), [f"r{i}" for i in range(len(SITE))], TABLE[:, 0], classes=[0, 1, 2])
    found = ugt.metrics.next_annotator_agreement(alone, SCORES).two_way()
    assert found.n_groups == len(SITE)
    low, high = ugt.metrics.next_annotator_agreement(alone, SCORES).interval(random=BOTH)
    assert 0 < low < found.value < high < 1
    some = ugt.Labels.from_long(
        np.repeat(np.arange(len(SITE)), 2), [f"{s}.{j}" for s in SITE for j in range(2)], TABLE.ravel(), classes=[0, 1, 2],
        cases=range(len(SITE) + 3),
    )  # fmt: skip
    more = np.concatenate([SCORES, SCORES[:3]])
    whole = ugt.metrics.next_annotator_agreement(labels(), SCORES).interval(random=BOTH)
    assert ugt.metrics.next_annotator_agreement(some, more).interval(random=BOTH) == pytest.approx(whole)


def test_very_many_groups_need_no_table_of_all_cases():
    """To first order they are as left out one by one: an annotator a case, of whom weights of all would take 3 GB."""
    rng = np.random.default_rng(4)
    n = 20_000
    known = ugt.Labels.from_long(np.arange(n), [f"r{i}" for i in range(n)], rng.integers(0, 2, n), classes=[0, 1])
    tracemalloc.start()
    found = ugt.metrics.next_annotator_agreement(known, rng.random((n, 2))).two_way()
    assert tracemalloc.get_traced_memory()[1] < 100e6
    tracemalloc.stop()
    share = found.value
    logit = 1 / (n * share * (1 - share))  # of the variance of a share of independent cases, on the scale of logits
    assert found.n_groups == n and found.variance == pytest.approx(logit, rel=1e-3)


def test_page_one_speaks_of_groups():
    rng = np.random.default_rng(2)
    site = np.repeat(np.arange(8), 40)
    truth = rng.integers(0, 2, 320)
    table = np.where(rng.random((320, 2)) < 0.85, truth[:, None], 1 - truth[:, None])
    who = [f"{s}.{j}" for s in site for j in range(2)]
    known = ugt.Labels.from_long(np.repeat(np.arange(320), 2), who, table.ravel(), classes=[0, 1])
    models = {name: np.eye(2)[np.where(rng.random(320) < right, truth, 1 - truth)] for name, right in (("A", 0.9), ("B", 0.6))}
    found = ugt.evaluate(known, models, reliability=1, k=1, n_resamples=50)
    (row,) = (one for one in found.tables["verdict"] if one["metric"] == "topk_accuracy")
    assert (row["claim"], row["n_groups"]) == ("others", 8) and row["n_annotators"] == pytest.approx(8)
    assert "for these 8 groups of annotators and for others like them" in found._repr_html_()
    assert "panels" in [note.code for note in found.notes]
