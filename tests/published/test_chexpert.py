"""Table 4 of [D]: labels and predictions are read from ``UGT_CHEXPERT``, and never kept here."""

import csv

import numpy as np
import pytest
from conftest import SHARED, located
from scripts import script
from twins import soft

import ugt
from ugt._base.claims import NOBODY, THESE, LeadEnds, claim_of


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
    assert len(page.deviations(script("docs/reproductions", "chexpert_data").FIVE)) == 194


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


# ---- which models are apart, and for whom


@pytest.fixture(scope="module")
def ranks(page):
    return page.chexpert_ranks


def test_the_eight_radiologists_are_the_truth_and_none_of_them_is_compared(page):
    labels, names, models = page.data()
    assert labels.shape == (500, 8, 5) and set(labels.flat) == {0, 1}  # every radiologist read every study
    five = script("docs/reproductions", "chexpert_data").FIVE
    assert set(five) < set(names) and not set(names) & set(models)
    with open(script("docs/reproductions", "chexpert_data").FOLDER / "groundtruth.csv", newline="", encoding="utf-8") as file:
        truth = {row["Study"]: [int(row[name]) for name in page.FINDINGS] for row in csv.DictReader(file)}
    voted = labels[:, [names.index(name) for name in five]].sum(axis=1) > 2
    assert (voted == np.array([truth[case] for case in sorted(truth)])).all()


def test_pairs_apart_over_cases_and_over_cases_and_radiologists(page, ranks):
    totals = {row[0]: row[2:4] for row in ranks.apart_rows() if row[1] == "all five"}
    assert totals == {
        "s-AUROC": ["20 of 225", "15 of 225"], "s-AP": ["23 of 225", "10 of 225"],
        "UA accuracy": ["148 of 225", "63 of 225"], "voted accuracy": ["146 of 225", "58 of 225"],
    }  # fmt: skip
    assert ranks.of_five() == [16, 4] and "separates 16 pairs over cases, and 4 over cases\nand" in ranks.TEXT_APART
    for finding in page.FINDINGS:
        for measure in ranks.MEASURES:
            one = ranks.rank_sets(finding, measure, page.BOTH)
            losers = [pair.other if pair.sign > 0 else pair.model for pair in one.pairs if pair.sign]
            assert one.rank_low.tolist() == [1 + losers.count(model) for model in one.models] and one.n_annotators == 8


def claim(page, ranks, finding, measure):
    """For whom the first is ahead of the models with other scores, by the rule of the verdict."""
    ones = {models: ranks.results(finding, measure)[first] for models, first in page.alike(finding).items()}
    best = max(ones, key=lambda models: ones[models].value)
    leads = [ones[best].minus(one) for models, one in ones.items() if models != best]
    ends = [(*one.interval(random=("cases",)), *one.interval(random=page.BOTH)) for one in leads]
    return best, claim_of(LeadEnds(one.value, *four, 8.0) for one, four in zip(leads, ends))


def test_no_leader_of_the_five_findings_is_shown_to_be_ahead_for_other_radiologists(page, ranks):
    found = {(measure, finding): claim(page, ranks, finding, measure) for measure in ranks.MEASURES for finding in page.FINDINGS}
    ahead = {key: one for key, one in found.items() if one[1] != NOBODY}
    assert ahead == {("voted accuracy", "Atelectasis"): ("yww211", THESE)}
    said = {(row[0], row[1]): (row[4], row[-1]) for row in ranks.apart_rows() if row[1] in page.FINDINGS}
    assert said == found
    words = " ".join(ranks.TEXT_APART.split())
    assert "No leader of the five findings is shown to be ahead for other radiologists, by any of the four measures." in words
    assert "One is shown to be ahead for these eight: yww211 in voted accuracy for Atelectasis." in words
    assert "less than 31%" in words and round(100 * (1 - 0.05 ** (1 / 8))) == 31


def test_the_verdict_of_evaluations_is_the_same(page, ranks):
    at = page.FINDINGS.index("Atelectasis")
    scores = {name: page.data()[2][first][:, at] for name, first in page.alike("Atelectasis").items()}
    made = ugt.evaluate(page.labels_of("Atelectasis"), {name: np.stack([1 - own, own], axis=1) for name, own in scores.items()})
    found = {row["metric"]: (row["model"], row["claim"]) for row in made.tables["verdict"]}
    measures = {"topk_accuracy": "UA accuracy", "voted_accuracy": "voted accuracy"}
    assert found == {metric: claim(page, ranks, "Atelectasis", name) for metric, name in measures.items()}
