"""Tables of ROC and precision-recall curves against exact ones in fractions, bands against resamples one at a time."""

from fractions import Fraction
from itertools import groupby

import numpy as np
import pytest
from twins import details
from twins import resampling as twin

import ugt
from ugt.soft.bands import CurvePoints
from ugt.soft.columns import ScoreColumn
from ugt.soft.order import Order
from ugt.tables import curves

PLACES = [Fraction(i, 50) for i in range(51)]


def thresholds(p, scores, weights):
    """Positives and negatives down to each threshold, exactly."""
    positive, negative, found = Fraction(0), Fraction(0), []
    order = sorted(range(len(p)), key=lambda i: -scores[i])
    for _, group in groupby(order, key=lambda i: scores[i]):
        for i in group:
            positive += Fraction(weights[i]) * Fraction(p[i])
            negative += Fraction(weights[i]) * (1 - Fraction(p[i]))
        found.append((positive, negative))
    return found


def roc(p, scores, weights=None):
    found = thresholds(p, scores, weights or [1] * len(p))
    positives, negatives = found[-1]
    if positives == 0 or negatives == 0:
        return None
    corners = [(Fraction(0), Fraction(0)), *((b / negatives, a / positives) for a, b in found)]
    heights = []
    for x in PLACES:
        i = max(j for j, corner in enumerate(corners) if corner[0] <= x)
        if i + 1 == len(corners):
            heights.append(corners[i][1])
            continue
        (x0, y0), (x1, y1) = corners[i : i + 2]
        heights.append(y0 + (y1 - y0) * (x - x0) / (x1 - x0))
    return [float(y) for y in heights]


def precision_recall(p, scores, weights=None):
    found = [pair for pair in thresholds(p, scores, weights or [1] * len(p)) if pair[0] > 0]
    if not found:
        return None
    positives = found[-1][0]
    return [float(next(a / (a + b) for a, b in found if a / positives >= x)) for x in PLACES]


TWINS = {"roc": roc, "pr": precision_recall}


def data(n=40, k=2, seed=0, models=2, ties=True):
    """Counts of labels, and probabilities with ties."""
    rng = np.random.default_rng(seed)
    truth = rng.dirichlet(np.ones(k), n)
    counts = np.stack([rng.multinomial(3, p) for p in truth])
    scores = details.models(truth, k, rng, models, share=0.5)
    if ties:
        scores = {name: np.round(table * 8) / 8 for name, table in scores.items()}
        scores = {name: np.where(table.sum(1, keepdims=True) == 1, table, 1 / k) for name, table in scores.items()}
    return counts, scores


def found(*given, **options):
    return details.made(curves, *given, **options)


def heights(rows, model, name, curve, kind, column="y"):
    wanted = [row for row in rows if (row["model"], row["class"], row["curve"], row["kind"]) == (model, name, curve, kind)]
    assert not wanted or [row["x"] for row in wanted] == [float(x) for x in PLACES]
    return [row[column] for row in wanted]


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("n", [3, 11, 40])
def test_curves_are_those_in_fractions(n, seed):
    counts, scores = data(n, seed=seed)
    context = details.context(counts, scores)
    tables, _ = found(context)
    p = context.mean[:, 1].tolist()
    labels = [int(x > 0.5) for x in p]
    for model, table in scores.items():
        column = table[:, 1].tolist()
        for curve, exact in TWINS.items():
            np.testing.assert_allclose(heights(tables["curves"], model, "1", curve, "soft"), exact(p, column), atol=1e-11)
            np.testing.assert_allclose(heights(tables["curves"], model, "1", curve, "hard"), exact(labels, column) or [], atol=1e-11)


def test_curves_by_hand():
    # Four cases of one label each: without a prior each is certain, so that soft and hard are the same.
    scores = {"A": [[0.1, 0.9], [0.2, 0.8], [0.3, 0.7], [0.6, 0.4]]}
    tables, _ = found([[0, 1], [1, 0], [0, 1], [1, 0]], scores, prior=0.0)
    soft = {curve: heights(tables["curves"], "A", "1", curve, "soft") for curve in TWINS}
    assert soft["roc"] == pytest.approx([0.5] * 25 + [1.0] * 26)
    assert soft["pr"] == pytest.approx([1.0] * 26 + [2 / 3] * 25)
    for curve, values in soft.items():
        assert heights(tables["curves"], "A", "1", curve, "hard") == values
    (row,) = tables["curve_scores"]
    assert row["soft_auroc"] == row["hard_auroc"] == 0.75 and row["n_cases"] == 4
    assert row["soft_average_precision"] == row["hard_average_precision"] == pytest.approx(5 / 6)


def test_curves_are_those_of_the_library():
    counts, scores = data(60, ties=False)
    context = details.context(counts, scores)
    tables, _ = found(context)
    for model, table in scores.items():
        curve = ugt.soft.soft_roc_curve(context.mean[:, 1], table[:, 1])
        y = np.interp(curves.GRID, curve.false_positive_rate, curve.true_positive_rate)
        np.testing.assert_allclose(heights(tables["curves"], model, "1", "roc", "soft"), y, atol=1e-11)
        curve = ugt.soft.soft_precision_recall_curve(context.mean[:, 1], table[:, 1])
        for x, y in zip(curves.GRID, heights(tables["curves"], model, "1", "pr", "soft")):
            at = np.flatnonzero(curve.recall >= x)[-1] if x > 0 else len(curve.recall) - 2
            assert y == pytest.approx(curve.precision[at], abs=1e-12)


@pytest.mark.parametrize("clustered", [False, True])
def test_bands_are_those_of_resamples_one_at_a_time(clustered):
    n, n_resamples, seed = 14, 25, 5
    counts, scores = data(n, seed=3)
    clusters = [i // 3 for i in range(n)] if clustered else None
    context = details.context(counts, scores, clusters=clusters, n_resamples=n_resamples, seed=seed, level=0.8)
    tables, _ = found(context)
    p = context.mean[:, 1].tolist()
    for model, table in scores.items():
        column = table[:, 1].tolist()
        for curve, exact in TWINS.items():
            drawn = [twin.case_weights(seed, b, clusters or list(range(n)), None) for b in range(n_resamples)]
            resampled = [exact(p, column, [int(w) for w in weights]) for weights in drawn]
            ends = np.quantile([values for values in resampled if values], [0.1, 0.9], axis=0)
            for end, values in zip(("low", "high"), ends):
                np.testing.assert_allclose(heights(tables["curves"], model, "1", curve, "soft", end), values, atol=1e-11)
            assert set(heights(tables["curves"], model, "1", curve, "hard", "low")) == {None}


def test_areas_and_their_intervals_are_those_of_the_library():
    counts, scores = data(50, seed=1)
    clusters = [i // 2 for i in range(50)]
    context = details.context(counts, scores, clusters=clusters, n_resamples=40, level=0.9, seed=2, prior=0.1)
    tables, _ = found(context)
    for row in tables["curve_scores"]:
        for name, function in (("auroc", ugt.soft_auroc), ("average_precision", ugt.soft_average_precision)):
            score = function(context.mean[:, 1], scores[row["model"]][:, 1])
            assert (row[f"soft_{name}"], row[f"hard_{name}"]) == pytest.approx((score.value, score.hard), abs=1e-12)
            ends = score.interval(0.9, clusters=clusters, n_resamples=40, seed=2)
            assert (row[f"soft_{name}_low"], row[f"soft_{name}_high"]) == pytest.approx(ends, abs=1e-12)


def test_of_many_classes_those_with_the_greatest_expected_number():
    counts, scores = data(80, k=20, models=1, ties=False)
    counts[:, 13] += 5
    context = details.context(counts, scores)
    tables, notes = found(context)
    order = np.argsort(-context.mean.sum(0), kind="stable")
    assert order[0] == 13 and [row["class"] for row in tables["curve_scores"]] == [str(k) for k in order[:6]]
    left_out = ", ".join(str(k) for k in order[6:16])
    assert notes == [f"Curves are of the 6 classes with the greatest expected number of cases. Left out: {left_out} and 4 more."]
    k = int(order[2])
    exact = roc(context.mean[:, k].tolist(), scores["M0"][:, k].tolist())
    np.testing.assert_allclose(heights(tables["curves"], "M0", str(k), "roc", "soft"), exact, atol=1e-11)


def test_scores_that_are_no_probabilities_count_by_their_lead():
    rng = np.random.default_rng(0)
    logits = rng.normal(size=(30, 3))
    assert curves.score_of(logits, 1).tolist() == [row[1] - max(row[0], row[2]) for row in logits.tolist()]
    probs = rng.dirichlet(np.ones(3), 30)
    assert curves.score_of(probs, 2).tolist() == probs[:, 2].tolist()
    infinite = np.array([[np.inf, np.inf, 0.0], [-np.inf, -np.inf, -np.inf], [0.0, np.inf, 1.0]])
    assert curves.score_of(infinite, 0).tolist() == [0.0, 0.0, -np.inf]
    # of two classes as the metrics of the evaluation have it
    counts, _ = data(30)
    context = details.context(counts, {"A": logits[:, :2]}, reliability=1)
    soft = next(row.value for row in context.all_metrics if row.metric == "soft_auroc")
    assert found(context)[0]["curve_scores"][0]["soft_auroc"] == pytest.approx(soft, abs=1e-12)


def test_cases_without_annotations_do_not_count():
    counts, scores = data(20)
    context = details.context(counts, scores)
    more = details.context(np.concatenate([[[0, 0]], counts]), {m: np.concatenate([[[0.5, 0.5]], s]) for m, s in scores.items()})
    rows, other = found(context)[0], found(more)[0]
    assert [row["y"] for row in rows["curves"]] == [row["y"] for row in other["curves"]]
    assert {row["n_cases"] for row in other["curves"]} == {20}
    assert rows["curve_scores"] == other["curve_scores"]  # intervals too: such cases are not there at all


@pytest.mark.filterwarnings("ignore:undefined")
def test_what_is_undefined_is_left_out_and_said():
    probs = {"A": [[0.3, 0.7], [0.6, 0.4], [0.2, 0.8]]}
    tables, notes = found([[2, 0], [1, 0], [3, 0]], probs, prior=0.0)
    assert tables == {"curves": [], "curve_scores": []}
    assert notes == ["Curves of class 1 are undefined: no case is positive."]
    tables, notes = found([[0, 2], [0, 1], [0, 3]], probs, prior=0.0)
    assert notes == ["Curves of class 1 are undefined: no case is negative."] and not tables["curves"]
    # probabilities below one half everywhere: no label is positive
    tables, notes = found([[2, 1], [1, 0], [3, 0]], probs)
    assert {row["kind"] for row in tables["curves"]} == {"soft"} and notes == []
    assert tables["curve_scores"][0]["hard_auroc"] is None and tables["curve_scores"][0]["hard_average_precision"] is None


def test_one_case_has_curves_without_bands():
    tables, notes = found([[1, 2]], {"A": [[0.3, 0.7]]})
    assert notes == [] and all(row["low"] is None for row in tables["curves"])
    assert heights(tables["curves"], "A", "1", "roc", "soft") == pytest.approx([i / 50 for i in range(51)])
    assert tables["curve_scores"][0]["soft_auroc_low"] is None


def test_work_is_bounded(monkeypatch):
    counts, scores = data(10)
    context = details.context(counts, scores, n_resamples=100)
    monkeypatch.setattr(curves, "MOST_WORK", 10 * 2 * 60)
    tables, notes = found(context)
    assert notes == ["Bands of ROC and precision-recall curves are from 60 resamples."]
    monkeypatch.setattr(curves, "MOST_WORK", 10 * 2 * 49)
    without, notes = found(context)
    assert notes == ["ROC and precision-recall curves have no bands: there are too many cases and curves to resample."]
    assert all(row["low"] is None for row in without["curves"])
    assert [row["y"] for row in without["curves"]] == [row["y"] for row in tables["curves"]]


def test_fewer_thresholds_hardly_move_a_curve():
    rng = np.random.default_rng(0)
    p, weights = rng.random(5000), rng.integers(0, 4, 5000).astype(float)
    for scores in (p + rng.normal(size=5000), np.round(p + rng.normal(size=5000), 2), np.repeat([1.0, 2.0], 2500)):
        column = ScoreColumn(Order(scores), p)
        exact, few = CurvePoints(column, curves.GRID), CurvePoints(column, curves.GRID, 2000)
        assert exact._size == len(np.unique(scores)) and few._size <= min(2000, exact._size)
        np.testing.assert_allclose(few.values(weights[None]), exact.values(weights[None]), atol=0.004)
        if exact._size <= 2000:
            np.testing.assert_array_equal(few._at, exact._at)
        # an interval of thresholds holds whole groups of ties
        assert len(set(zip(scores[few._row].tolist(), few._at.tolist()))) == exact._size
