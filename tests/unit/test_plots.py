"""Every plot: what is drawn are the numbers that were given, and what is not drawn is counted."""

import warnings

import numpy as np
import pytest
from refusals import refused

import ugt

pytest.importorskip("matplotlib", reason="plots need matplotlib").use("Agg")

from matplotlib import pyplot  # noqa: E402

from ugt import plots, synthetic  # noqa: E402

P, S = [0.9, 0.5, 0.1, 0.7], [4.0, 2.0, 1.0, 3.0]


@pytest.fixture(autouse=True)
def close():
    yield
    pyplot.close("all")


def entries(ax):
    return [text.get_text() for text in ax.get_legend().get_texts()] if ax.get_legend() else []


def line(ax, label):
    (found,) = [one for one in ax.lines if one.get_label() == label]
    return found


def written(ax):
    return [text.get_text() for text in ax.texts]


def names(ax):
    return [tick.get_text() for tick in ax.get_yticklabels()]


def test_curves_and_bands():
    roc, pr = ugt.soft.soft_roc_curve(P, S), ugt.soft.soft_precision_recall_curve(P, S)
    ax = plots.soft_curve({"model": roc})
    first = ax.lines[0]
    assert first.get_xdata().tolist() == roc.false_positive_rate.tolist() and first.get_label() == f"model ({roc.area:.3f})"
    assert first.get_ydata().tolist() == roc.true_positive_rate.tolist() and ax.get_xlabel() == "false positive rate"
    ax = plots.soft_curve(pr)
    assert ax.lines[0].get_ydata().tolist() == pr.precision.tolist() and ax.get_xlabel() == "recall"
    assert entries(ax) == [f"{pr.area:.3f}"] and len(ax.lines) == 1
    band = ([0.0, 0.5, 1.0], [0.1, 0.6, 0.9], [0.3, 0.8, 1.0])
    for ax in (plots.soft_curve(roc, band=band), plots.soft_curve({"a": roc, "b": roc}, band={"b": band})):
        corners = {tuple(corner) for corner in ax.collections[0].get_paths()[0].vertices.round(9).tolist()}
        assert {(x, y) for x, low, high in zip(*band) for y in (low, high)} == corners and len(ax.collections) == 1
    refused(r"band must have names of curves, which are 'a'\. Got 'c'\.", plots.soft_curve, {"a": roc}, band={"c": band})
    message = r"band must be \(x, low, high\), three rows of one length\. Got \[\(3,\), \(2,\)\]\."
    refused(message, plots.soft_curve, roc, band=([0, 1, 2], [0, 1]))
    ax = plots.soft_curve({"model": ugt.soft.soft_roc_curve([1, 1], [1.0, 2.0]), "other": ugt.soft.soft_roc_curve(P, S)})
    assert entries(ax)[0] == "model (undefined)"
    roc, pr = ugt.soft.soft_roc_curve(P, S), ugt.soft.soft_precision_recall_curve(P, S)
    refused(r"curve must be curves of one kind\. Got both kinds\.", plots.soft_curve, {"a": roc, "b": pr})
    said = r"curve must be a RocCurve or a PrecisionRecallCurve\. Got list, first at 'b'\."
    refused(said, plots.soft_curve, {"a": roc, "b": [1, 2]}, error=TypeError)


def reliability(n=300, seed=0, n_bins=15):
    labels, truth = synthetic.make_counts(n, 2, 4, difficulty=0.6, seed=seed)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        return ugt.histogram_losses(labels, truth, n_bins=n_bins).reliability_curve(1)


def test_reliability_diagram():
    curve = reliability(120)
    ax = plots.reliability_diagram({"model": curve})
    there = curve.n_cases > 0
    assert line(ax, "model").get_ydata().tolist() == curve.label_share[there].tolist()
    assert line(ax, "model").get_xdata().tolist() == curve.mean_probability[there].tolist()
    segments = [segment[:, 1].tolist() for one in ax.collections if hasattr(one, "get_segments") for segment in one.get_segments()]
    assert segments == [pytest.approx(ends) for ends in np.stack([curve.low, curve.high], axis=1)[there].tolist()]
    white = (ax.collections[-1].get_facecolors()[:, :3] == 1).all(axis=1)
    assert white.tolist() == curve.few[there].tolist() and 0 < white.sum() < len(white)
    assert entries(ax) == ["model", "hollow: below 10 cases"]


def test_disagreement_diagrams():
    counts, probs = [[3, 1]] * 15 + [[4, 0]] * 15, [[0.6, 0.4]] * 15 + [[0.9, 0.1]] * 15
    curve = ugt.calibration.disagreement_losses(counts, ugt.calibration.predicted_disagreement(probs), n_bins=3).reliability_curve()
    ax = plots.reliability_diagram({"model": curve})
    assert line(ax, "model").get_ydata().tolist() == [0.0, 0.5] and line(ax, "model").get_xdata().tolist() == pytest.approx([0.18, 0.48])
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("predicted disagreement", "share of pairs of labels that differ")
    both = {"labels": reliability(), "pairs": curve}
    refused("curve must be curves of one kind. Got disagreement and labels", plots.reliability_diagram, both)


def test_strips_of_bins():
    curve = reliability()
    ax = plots.reliability_diagram(curve)
    heights = [bar.get_height() for bar in ax.patches]
    assert heights == pytest.approx(0.14 * curve.n_cases / curve.n_cases.max())
    assert [bar.get_x() for bar in ax.patches] == pytest.approx(curve.edges[:-1])
    assert ax.get_title(loc="right") == f"fullest bin: {curve.n_cases.max()} cases"
    curves = {"a": reliability(n_bins=5), "b": reliability(200, 1, n_bins=5)}
    ax = plots.reliability_diagram(curves)
    most = max(one.n_cases.max() for one in curves.values())
    for curve, outline in zip(curves.values(), [one for one in ax.lines if len(one.get_xdata()) == 12]):
        assert outline.get_ydata()[1:-1:2].tolist() == pytest.approx(0.14 * curve.n_cases / most)
    curve = reliability()
    low = curve.low.copy()
    low[np.flatnonzero(curve.n_cases > 0)[0]] = np.nan
    changed = ugt.calibration.ReliabilityCurve(
        curve.edges, curve.mean_probability, curve.label_share, curve.n_cases, low, curve.high, curve.few
    )
    assert entries(plots.reliability_diagram({"model": changed}))[0] == "model (1 bin without interval)"
    nothing = ugt.calibration.ReliabilityCurve(
        curve.edges, *[curve.mean_probability * np.nan] * 2, curve.n_cases * 0, *[curve.low] * 2, curve.few
    )
    refused(r"curve must have a bin with cases\. Got none, first at 'model'\.", plots.reliability_diagram, {"model": nothing})


def test_calibration_and_dispersion():
    labels, truth = synthetic.make_counts(300, 3, 4, difficulty=0.6)
    losses = ugt.histogram_losses(labels, truth)
    for estimate in ("plugin", "debiased"):
        ax = plots.calibration_dispersion_map({"model": losses}, estimate=estimate)
        point = ax.lines[0].get_xydata()[0].tolist()
        assert point == [getattr(losses.dl, estimate), getattr(losses.cl, estimate)]
        assert ax.get_xlabel() == f"dispersion loss ({estimate})" and entries(ax) == ["model"]
    with pytest.raises(ValueError, match=r"estimate must be one of 'debiased', 'plugin'\. Got 'other'\."):
        plots.calibration_dispersion_map({"model": losses}, estimate="other")


def test_calibration_of_an_evaluation_comes_with_intervals():
    labels, truth = synthetic.make_counts(200, 3, 4, difficulty=0.6)
    ev = ugt.evaluate(labels, {"A": truth, "B": (truth + 1) / 4}, k=1, n_resamples=20)
    ax = plots.calibration_dispersion_map(ev)
    rows = {(row["model"], row["loss"]): row for row in ev.calibration if row["class"] is None}
    assert line(ax, "B").get_xydata().tolist() == [[rows["B", "dl"]["debiased"], rows["B", "cl"]["debiased"]]]
    segments = [segment for one in ax.collections for segment in one.get_segments()]
    assert len(segments) == 4
    assert segments[2][:, 0].tolist() == pytest.approx([rows["B", "dl"]["low"], rows["B", "dl"]["high"]])
    assert segments[3][:, 1].tolist() == pytest.approx([rows["B", "cl"]["low"], rows["B", "cl"]["high"]])
    assert len(plots.calibration_dispersion_map(ev, estimate="plugin").collections) == 0
    rankings, truth = synthetic.make_rankings(10, 4, 3)
    with pytest.raises(ValueError, match=r"losses must be of an evaluation with calibration\. Got none\."):
        plots.calibration_dispersion_map(ugt.evaluate(rankings, {"A": truth}, reliability=10, k=1, n_resamples=5))


def test_limits_hold_all_models():
    labels, truth = synthetic.make_counts(300, 3, 4, difficulty=0.6)
    ax = plots.calibration_dispersion_map({"sharp": ugt.histogram_losses(labels, truth)})
    ax = plots.calibration_dispersion_map({"blunt": ugt.histogram_losses(labels, np.full((300, 3), 1 / 3))}, ax=ax)
    for name in ("sharp", "blunt"):
        (x, y), (left, right), (bottom, top) = line(ax, name).get_xydata()[0], ax.get_xlim(), ax.get_ylim()
        assert left < x < right and bottom < y < top
    ax = plots.calibration_dispersion_map({"A": ugt.histogram_losses(labels, truth), "B": ugt.histogram_losses(labels, truth[::-1])})
    ax.figure.canvas.draw()
    points = np.array([line(ax, name).get_xydata()[0] for name in "AB"])
    for ends, values in zip((ax.get_xlim(), ax.get_ylim()), points.T):
        assert list(ends) == pytest.approx([values.min() - 0.05 * np.ptp(values), values.max() + 0.05 * np.ptp(values)])


def test_diagonals_are_lines_of_equal_loss():
    labels, truth = synthetic.make_counts(300, 3, 4, difficulty=0.6)
    ax = plots.calibration_dispersion_map({"A": ugt.histogram_losses(labels, truth), "B": ugt.histogram_losses(labels, truth[::-1])})
    said = [(float(text.get_text()[3:]), text.xy) for text in ax.texts]
    assert len(said) >= 2
    for total, (x, y) in said:
        assert x + y == pytest.approx(total, rel=1e-2)
    totals = []
    for one in ax.lines:
        if one.get_color() == "0.85":
            ends = ax.transData.inverted().transform(one.get_transform().transform(np.transpose(one.get_data())))
            assert ends[0].sum() == pytest.approx(ends[1].sum()) and abs(ends[0, 0] - ends[1, 0]) > 1e-3
            totals.append(ends[0].sum())
    assert all(min(abs(np.subtract(totals, total))) < 1e-2 * total for total, _ in said)


@pytest.mark.filterwarnings("ignore")
def test_undefined_losses_are_named():
    alone = ugt.histogram_losses([[1, 0], [0, 1], [0, 0]], [[0.6, 0.4]] * 3)  # a label a case: no epistemic loss
    assert entries(plots.calibration_dispersion_map({"A": alone})) == [f"A (undefined; {sum(alone.left_out.values())} left out)"]


def test_forest():
    ax = plots.forest({"model": (0.9, 0.8, 1.05), "ann": (1.1, 1.0, 1.3)}, x_label="discrepancy ratio")
    assert ax.lines[0].get_xdata().tolist() == [0.8, 1.05] and names(ax) == ["model", "ann"]
    assert ax.lines[1].get_xdata().tolist() in ([0.9], 0.9) and ax.get_xlabel() == "discrepancy ratio"
    assert ax.get_ylim() == (1.5, -0.5) and ax.lines[-1].get_xdata() == [1.0, 1.0]
    assert names(plots.forest({"model": (0.9, 0.8, 1.05)}, numbers=True)) == ["model  0.90 [0.80, 1.05]"]
    assert plots.forest({"model": (0.1, 0.0, 0.2)}, reference=0).lines[-1].get_xdata() == [0, 0]
    ax = plots.forest({"a": (np.nan,) * 3, "b": (0.5, np.nan, np.nan), "c": (np.inf, 1.0, np.inf), "d": (1.0, 0.5, 2.0)})
    assert written(ax) == ["undefined", "0.50, no interval", "inf [1.00, inf]"]
    assert [text.get_position()[1] for text in ax.texts] == [0, 1, 2] and names(ax) == ["a", "b", "c", "d"]
    labels, truth = synthetic.make_labels(60, 4, 4, difficulty=0.4)
    found = ugt.humans.annotator_discrepancy(labels, predictions={"model": truth.argmax(axis=1)})
    ax = plots.forest(found)
    rows = found.table()
    assert names(ax) == [str(row["name"]) for row in rows]
    drawn = [one.get_xdata() for one in ax.lines if one.get_marker() in ("o", "s")]
    assert np.ravel(drawn).tolist() == [row["value"] for row in rows]
    assert [one.get_marker() for one in ax.lines if one.get_marker() in ("o", "s")] == ["os"[row["kind"] == "model"] for row in rows]
    ratio = ugt.discrepancy_ratio(labels, truth.argmax(axis=1))
    assert plots.forest({"model": ratio}).lines[0].get_xdata().tolist() == list(ratio.interval())
    grouped = ugt.humans.stratified_discrepancy(labels, truth.argmax(axis=1))
    assert plots.forest(grouped).lines[0].get_xdata().tolist() == grouped.intervals()[1].tolist()
    ev = ugt.evaluate(labels, {"model": truth}, k=1, n_resamples=50)
    assert names(plots.forest(ev)) == [row["name"] for row in ev.humans]
    refused(r"rows must hold something to draw\. Got an empty mapping\.", plots.forest, {})
    message = r"rows must hold \(value, low, high\), or a DiscrepancyRatio, for every name\. Got \(1, 2\), first at 'a'"
    refused(message, plots.forest, {"a": (1, 2)})
    refused(r"Got \('x', 1, 2\), first at 'a'", plots.forest, {"a": ("x", 1, 2)})
    ev = ugt.evaluate(ugt.Labels.from_counts([[6, 2], [1, 3]]), {"A": [[0.7, 0.3]] * 2}, k=1, n_resamples=5)  # counts have no annotators
    refused(r"rows must hold something to draw\. Got an empty table\.", plots.forest, ev)


def test_rank_heat_map():
    ax = plots.rank_heat_map([[0.75, 0.25], [0.25, 0.75]], ["A", "B"])
    assert written(ax) == ["0.75", "0.25", "0.25", "0.75"] and names(ax) == ["A", "B"]
    assert ax.images[0].get_array().tolist() == [[0.75, 0.25], [0.25, 0.75]] and ax.images[0].get_clim() == (0, 1)
    assert names(plots.rank_heat_map(np.eye(3))) == ["1", "2", "3"]
    resamples = ugt.bootstrap([[1, 0], [1, 1], [0, 0], [1, 0]], n_resamples=50)
    assert plots.rank_heat_map(resamples).images[0].get_array().tolist() == resamples.rank_share().tolist()
    models = {"A": [0.1, 0.6, 0.8, 0.7], "B": [0.3, 0.2, 0.4, 0.1]}
    found = ugt.soft.ranking_stability(ugt.Labels.from_counts([[4, 1], [3, 2], [1, 4], [2, 3]]), models, n_resamples=50)
    ax = plots.rank_heat_map(found, metric="hard_auroc")
    expected = ugt.resampling.Resamples(found.values[1], found.resampled[1]).rank_share()
    assert names(ax) == ["A", "B"] and np.array_equal(ax.images[0].get_array().filled(np.nan), expected, equal_nan=True)
    refused(r"metric must be one of 'soft_auroc', .*Got 'other'", plots.rank_heat_map, found, metric="other")
    refused(r"metric must be None except for a RankingStability\. Got 'soft_auroc'\.", plots.rank_heat_map, np.eye(2), metric="soft_auroc")


def test_agreement_matrix_and_undefined_cells():
    ax = plots.agreement_matrix([[np.nan, 0.5], [0.5, np.nan]], ["x", "y"])
    assert written(ax) == ["0.50", "0.50"] and ax.get_title(loc="right") == ""
    labels = ugt.Labels.from_wide([[0, 0, 1], [1, 1, 1], [0, 0, None]], annotators=["ann", "bob", "eve"])
    pairs = ugt.agreement.pairwise_agreement(labels, "percent")
    ax = plots.agreement_matrix(pairs)
    assert names(ax) == ["ann", "bob", "eve"] and np.array_equal(ax.images[0].get_array().filled(np.nan), pairs.value, equal_nan=True)
    assert names(plots.agreement_matrix(pairs, "abc")) == ["a", "b", "c"]
    assert written(plots.agreement_matrix(np.full((2, 2), np.nan)))[0] == "–"
    ax = plots.rank_heat_map([[np.nan, 1.0], [0.5, np.nan]], ["A", "B"])
    assert written(ax) == ["–", "1.00", "0.50", "–"] and ax.get_title(loc="right") == "2 cells undefined (–)"
    ax = plots.agreement_matrix([[np.nan, 0.5, np.nan], [0.5, np.nan, -0.2], [np.nan, -0.2, np.nan]], ["x", "y", "z"])
    assert written(ax) == ["0.50", "–", "0.50", "-0.20", "–", "-0.20"] and ax.images[0].get_clim() == (-0.2, 1)
    assert ax.get_title(loc="right") == "2 cells undefined (–)"


def test_numbers_in_tables():
    ax = plots.agreement_matrix(np.eye(17))
    assert written(ax) == [] and len(ax.figure.axes) == 2 and len(names(ax)) == 17
    assert len(plots.agreement_matrix(np.eye(16)).texts) == 256
    ax = plots.rank_heat_map([[1.0, 0.0], [0.5, 0.6]])
    assert [text.get_color() for text in ax.texts] == ["white", "black", "black", "white"]
    refused(
        r"matrix must be of shape \(3, 3\), as the number of names\. Got \(2, 2\)\.", plots.agreement_matrix, np.eye(2), ["x", "y", "z"]
    )
    for bad in ([], [[]], [1.0], 3, np.ones((2, 3))):
        refused(r"probability must be a square table\. Got shape", plots.rank_heat_map, bad)


def test_ranks_by_reliability():
    labels, truth = synthetic.make_counts(40, 3, 4, difficulty=0.6)
    ev = ugt.evaluate(labels, {"A": truth, "B": 1 - truth, "C": truth}, reliability=(1, 2), k=1, n_resamples=50)
    ax = plots.rank_by_reliability(ev)
    rows = {(row["model"], row["reliability"]): row for row in ev.metrics if row["metric"] == "topk_accuracy"}
    for place, text in zip([(model, at) for model in "ABC" for at in (1, 2)], written(ax)):
        row = rows[place]
        rank = 1 + sum(other["value"] > row["value"] + 1e-9 for key, other in rows.items() if key[1] == place[1])
        assert text == f"{rank}\n[{row['rank_low']:g}, {row['rank_high']:g}]"
    assert written(ax)[2].startswith("3") and names(ax) == ["A", "B", "C"] and ax.get_title(loc="right") == "rank by top-1 accuracy"
    assert [tick.get_text() for tick in ax.get_xticklabels()] == ["1", "2"] and ax.get_xlabel() == "reliability"
    refused(r"metric must be a metric with reliabilities", plots.rank_by_reliability, ev, "nothing")


def test_coverage_and_size():
    ax = plots.coverage_and_size({"APS": (2.5, 0.91), "LAC": (np.nan, 0.9)}, target=0.9)
    assert line(ax, "APS").get_xydata().tolist() == [[2.5, 0.91]] and line(ax, "wanted: 0.9").get_ydata()[0] == 0.9
    assert entries(ax) == ["APS", "LAC (undefined)", "wanted: 0.9"]
    labels = ugt.Labels.from_counts([[6, 2, 2], [5, 0, 5], [1, 1, 0], [0, 0, 0]])
    sets = ugt.conformal.PredictionSets.of([[0, 1], [2], [], [0]], n_classes=3)
    found = sets.coverage(labels)
    for against in ("mass", "best", "voted"):
        ax = plots.coverage_and_size({"sets": found}, against=against)
        one = getattr(found, against)
        assert ax.lines[0].get_xydata().tolist() == [[found.mean_size, one.value]]
        assert ax.collections[0].get_segments()[0][:, 1].tolist() == pytest.approx(list(one.interval()))
        assert entries(ax) == ["sets (1 empty; 1 left out)"]
    refused(r"against must be one of 'mass', 'best', 'voted'\. Got 'all'\.", plots.coverage_and_size, found, against="all")
    message = r"coverage must hold \(mean size, coverage\), or a SetCoverage, for every name\. Got 3, first at 'a'"
    refused(message, plots.coverage_and_size, {"a": 3})


def test_ternary():
    ax = plots.ternary([[1, 0, 0], [0, 2, 0], [0, 0, 1], [1, 1, 1]], names="abc")
    assert ax.lines[1].get_xdata().tolist() == pytest.approx([0, 1, 0.5, 0.5])
    assert ax.lines[1].get_ydata().tolist() == pytest.approx([0, 0, 3**0.5 / 2, 3**0.5 / 6])
    assert written(ax) == ["a", "b", "c"] and ax.get_legend() is None
    assert [text.get_position()[0] for text in ax.texts] == [0, 1, 0.5]
    labels = ugt.Labels.from_counts([[3, 0, 1], [0, 0, 0], [1, 1, 1]], classes=["x", "y", "z"])
    truth = ugt.dirichlet(labels, prior=0)
    ax = plots.ternary(truth)
    mean = truth.mean()[[0, 2]]
    assert ax.lines[1].get_xdata().tolist() == pytest.approx((mean[:, 1] + mean[:, 2] / 2).tolist())
    assert written(ax) == ["x", "y", "z"] and entries(ax) == ["1 undefined"]
    ax = plots.ternary({"a": [[1, 0, 0], [np.nan] * 3], "b": [[0, 1, 0]]})
    assert entries(ax) == ["a (1 undefined)", "b"] and written(ax) == ["", "", ""]
    refused(r"Got \[1\.0, -1\.0, 1\.0\], first at row 2\.", plots.ternary, [[1, 0, 0], [np.nan] * 3, [1, -1, 1]])
    refused(r"names must be three names\. Got 2\.", plots.ternary, [[1, 0, 0]], names="ab")


@pytest.mark.parametrize("bad", [[[1, 0]], [[1, 0, np.nan]], [[1, -1, 1]], [[0, 0, 0]], [[np.inf, 0, 0]], [1, 2, 3]])
def test_ternary_refuses_what_is_no_plausibility(bad):
    refused(r"draws must be of shape \(n, 3\) and finite \(or NaN in a whole row\)", plots.ternary, bad)


@pytest.fixture(scope="module")
def evaluation():
    labels, truth = synthetic.make_counts(40, 3, 4, difficulty=0.6)
    return ugt.evaluate(labels, {"A": truth, "B": truth**2}, reliability=(1, 2, 5), k=1, n_resamples=50)


def bars(ax):
    """Ends of all intervals, in the order drawn."""
    return [segment[:, 1].tolist() for one in ax.collections if hasattr(one, "get_segments") for segment in one.get_segments()]


def test_certainty_curve():
    ax = plots.certainty_curve({"one": [0.9, np.nan, 0.5], "two": ugt.annotation_certainty([[0.6, 0.4]])})
    drawn = ax.lines[0]
    assert drawn.get_xdata().tolist() == [25, 75] and drawn.get_ydata().tolist() == [0.5, 0.9]
    assert entries(ax) == ["one (1 undefined)", "two"]
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("share of cases, least certain first (%)", "certainty")
    assert ax.get_ylim() == (0, 1.02)
    assert plots.certainty_curve([0.5, 1.0]).get_legend() is None
    assert entries(plots.certainty_curve([0.5, np.nan, np.nan])) == ["2 undefined"]
    truth = ugt.dirichlet(ugt.Labels.from_counts([[6, 2], [3, 3], [0, 5], [0, 0]]), prior=0)
    certainty, accuracy = ugt.annotation_certainty(truth), ugt.ua_topk_accuracy(truth, [[0.9, 0.1], [0.7, 0.3], [0.8, 0.2], [1, 0]])
    ax = plots.certainty_curve({"certainty": certainty, "accuracy": accuracy}, by=certainty)
    assert [one.get_ydata().tolist() for one in ax.lines] == [one.per_case[[1, 0, 2]].tolist() for one in (certainty, accuracy)]
    assert [one.get_linestyle() for one in ax.lines] == ["-", "None"] and ax.get_ylabel() == "value of the case"
    assert ax.get_xlabel() == "share of cases, in the order of certainty (%)" and entries(ax)[1] == "accuracy (1 undefined)"
    assert plots.certainty_curve(accuracy, by=[3, 2, 1, 0]).get_xlabel() == "share of cases, in the order given (%)"
    assert plots.certainty_curve(accuracy).get_xlabel() == "share of cases, lowest value first (%)"
    assert plots.certainty_curve(ugt.truth.expected_risk([[0.2, 0.8], [0.6, 0.4]], [0, 3], kind="plausibility")).get_ylim()[1] > 2.4
    refused(r"certainty must have 2 cases, as by\. Got 4, first at 'a'\.", plots.certainty_curve, {"a": accuracy}, by=[0.5, 1.0])
    refused(r"certainty must hold something to draw\. Got an empty mapping\.", plots.certainty_curve, {})
    refused(r"certainty must have a case that is defined\. Got none\.", plots.certainty_curve, [np.nan])
    refused(r"certainty must be of shape \(N,\)\. Got \(1, 2\)\.", plots.certainty_curve, [[0.5, 1.0]])


def test_histograms_of_cases():
    p = [0.0, 0.2, 0.2, 0.5, 0.7, np.nan]
    ax = plots.case_histogram({"p": p})
    assert [(bar.get_x() + bar.get_width() / 2, bar.get_height()) for bar in ax.patches] == [
        pytest.approx(pair) for pair in ((0, 1), (0.2, 2), (0.5, 1), (0.7, 1))
    ]
    assert entries(ax) == ["p (1 undefined)"] and ax.get_ylabel() == "cases"
    bars = plots.case_histogram(p, bins=2).patches
    assert [(bar.get_x() + bar.get_width() / 2, bar.get_height()) for bar in bars] == [(0.25, 3), (0.75, 2)]
    wide = np.arange(100.0)
    ax = plots.case_histogram({"a": wide, "b": wide[:50]}, bins=3)
    assert [bar.get_height() for bar in ax.patches] == [33, 33, 34, 33, 17, 0] and len({bar.get_x() for bar in ax.patches}) == 6
    assert [bar.get_height() for bar in plots.case_histogram([0.5, 0.5]).patches] == [2]
    refused(r"values must be of shape \(N,\)\. Got \(1, 6\)\.", plots.case_histogram, [p])


@pytest.mark.parametrize("spread", ["precision", "std"])
def test_areas_of_a_rated_case_hold_what_they_say(spread):
    table = [[1.0, 2, 2, 4], [np.nan] * 4]
    posterior = ugt.truth.normal(table, prior=(0, 1, 2, 1.5))
    ax = plots.rated_case(posterior, 0, spread=spread, ratings=table)
    rng = np.random.default_rng(7)
    tau = rng.standard_gamma(posterior.shape[0], 20_000) / posterior.scale[0]
    mean = posterior.location[0] + rng.standard_normal(20_000) / np.sqrt(posterior.kappa[0] * tau)
    points = np.stack([mean, tau if spread == "precision" else tau**-0.5], axis=1)
    rings = [path for one in ax.collections for path in one.get_paths()][-3:]
    assert [ring.contains_points(points).mean() for ring in rings] == pytest.approx([0.95, 0.8, 0.5], abs=0.02)
    assert len(ax.lines[0].get_xdata()) == 100 and entries(ax) == ["mean of the case, 100 draws", "4 ratings"]
    assert ax.lines[1].get_xdata().tolist() == [1, 2, 2, 4] and len(set(ax.lines[1].get_ydata())) == 2
    empty = plots.rated_case(posterior, 1, spread=spread, ratings=table)
    assert empty.get_title(loc="right") == "undefined: no ratings" and len(empty.collections) == len(empty.lines) == 0


def test_rated_cases_that_are_not_there():
    posterior = ugt.truth.normal([[1.0, 2, 2, 4]], prior=(0, 1, 2, 1.5))
    for message, arguments, options in (
        (r"case must be a whole number from 0 to 0\. Got 1\.", (posterior, 1), {}),
        (r"spread must be one of 'precision', 'std'\. Got 'var'\.", (posterior, 0), {"spread": "var"}),
        (r"ratings must have 1 cases, as the posterior\. Got 2\.", (posterior, 0), {"ratings": [[1.0, 2.0]] * 2}),
        (r"posterior must be a NormalPosterior\. Got Dirichlet\.", (ugt.Dirichlet.from_array([[1.0, 2.0]]), 0), {}),
    ):
        refused(message, plots.rated_case, *arguments, error=(ValueError, TypeError), **options)


def test_two_numbers_of_each_case():
    labels = ugt.Labels.from_wide([[0, 0, 0], [0, 1, 1], [1, 1, 1], [0, 1, 2], [2, np.nan, np.nan]], classes=3)
    certainty, agreement = ugt.annotation_certainty(ugt.dirichlet(labels)), ugt.agreement.leave_one_annotator_out(labels)
    ax = plots.case_scatter(ugt.truth.case_correlation(certainty, agreement))
    assert ax.lines[0].get_xydata().tolist() == np.stack([certainty.per_case, agreement.per_case], axis=1)[:4].tolist()
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("annotation certainty", "agreement with the other annotators")
    r = ugt.truth.case_correlation(certainty, agreement).value
    assert entries(ax) == [f"r = {r:.2f} (4 cases; 1 undefined)"]
    slope, start = np.polyfit(certainty.per_case[:4], agreement.per_case[:4], 1)
    assert ax.lines[1].get_ydata() == pytest.approx(start + slope * ax.lines[1].get_xdata())
    ax = plots.case_scatter(ugt.truth.case_correlation([1.0, 1.0, 1.0], [1.0, 2.0, 3.0]))
    assert entries(ax) == ["r = nan (3 cases)"] and len(ax.lines) == 1 and ax.get_xlabel() == "first number"


def test_metric_by_reliability(evaluation):
    ax = plots.metric_by_reliability(evaluation)
    for model in ("A", "B"):
        rows = [row for row in evaluation.metrics if (row["metric"], row["model"]) == ("topk_accuracy", model)]
        assert line(ax, model).get_ydata().tolist() == [row["value"] for row in rows]
        for row in rows:
            assert any(segment == pytest.approx([row["both_low"], row["both_high"]]) for segment in bars(ax))
    band = ax.collections[0].get_paths()[0].vertices[:, 1]
    first = [row for row in evaluation.metrics if (row["metric"], row["model"]) == ("topk_accuracy", "A")]
    assert {round(row["draw_low"], 12) for row in first} <= set(np.round(band, 12))
    assert [tick.get_text() for tick in ax.get_xticklabels()] == ["1", "2", "5"]
    assert ax.get_xscale() == "log" and ax.get_ylabel() == "top-1 accuracy" and entries(ax) == ["A", "B"]
    a, b = (np.log(line(ax, model).get_xdata()) for model in ("A", "B"))
    assert ((a + b) / 2).tolist() == pytest.approx(np.log([1, 2, 5])) and (b - a > 0.01).all() and (b - a < np.log(2) / 2).all()


def test_intervals_are_drawn_where_they_are_even_if_the_value_lies_outside():
    row = {"model": "A", "metric": "m", "k": None, "reliability": 1.0, "value": 0.9, "draw_low": None, "draw_high": None}
    rows = [{**row, "both_low": 0.2, "both_high": 0.4}, {**row, "reliability": 2.0, "value": None, "both_low": None, "both_high": None}]
    one = type("Record", (), {"metrics": rows, "models": ("A",), "flips": ()})()
    ax = plots.metric_by_reliability(one, "m", None)
    assert bars(ax) == [pytest.approx([0.2, 0.4])] and entries(ax) == ["A (1 undefined)"]


@pytest.mark.slow
def test_voted_label_and_changes_of_order():
    rankings, models, _ = synthetic.make_demo()
    ev = ugt.evaluate(rankings, {name: models[name] for name in ("clear-cut", "broad")}, aggregation="prirn", k=1, n_resamples=20)
    ax = plots.metric_by_reliability(ev, voted=True, flips=True)
    assert ax.get_xticklabels()[-1].get_text() == "voted\nlabel" and ax.get_xticks()[-1] > 100
    hollow = [one for one in ax.lines if one.get_markerfacecolor() == "white"]
    voted = {row["model"]: row["value"] for row in ev.metrics if row["metric"] == "voted_accuracy"}
    assert [one.get_ydata().tolist() for one in hollow] == [[voted["clear-cut"]], [voted["broad"]]]
    (flip,) = ev.flips
    assert flip["low"] is None and entries(ax) == ["clear-cut", "broad"]  # the interval has no end: the change is not shown
    shown = type("Record", (), {"metrics": ev.metrics, "models": ev.models, "flips": [{**flip, "low": 10.0, "high": 50.0}]})()
    ax = plots.metric_by_reliability(shown, voted=True, flips=True)
    assert entries(ax)[-1].replace("\n", " ") == f"broad above clear-cut from {flip['reliability']:.3g}"
    assert line(ax, entries(ax)[-1]).get_xdata()[0] == flip["reliability"]


def test_one_reliability_many_and_none(evaluation):
    labels, truth = synthetic.make_counts(10, 2, 4, difficulty=0.6)
    ax = plots.metric_by_reliability(ugt.evaluate(labels, {"A": truth}, reliability=2, k=1, n_resamples=10), voted=False)
    assert ax.get_xlim() == (1, 4)
    many = np.arange(1, 26)
    ax = plots.metric_by_reliability(ugt.evaluate(labels, {"A": truth}, reliability=many, k=1, n_resamples=10))
    assert len(ax.get_xticks()) == 9 and len(line(ax, "A").get_xdata()) == 25
    refused(
        r"metric must be a metric with reliabilities, one of .*Got \('nothing', 1\)\.", plots.metric_by_reliability, evaluation, "nothing"
    )
    refused(r"metric must be a metric with reliabilities", plots.metric_by_reliability, evaluation, "voted_accuracy")
    labels, truth = synthetic.make_counts(10, 2, 4, difficulty=0.6)
    ev = ugt.evaluate(labels, {"A": truth}, k=(1, 2), n_resamples=10)
    refused(r"voted must be False except for topk_accuracy with k = 1\. Got True\.", plots.metric_by_reliability, ev, k=2, voted=True)


def test_plots_of_cases_carry_their_ids():
    counts, ids = np.array([[1, 0, 1], [0, 1, 5], [4, 0, 0]]), ["p1", "p2", "p3"]
    labels = ugt.Labels.from_counts(counts, classes=["a", "b", "c"], case_ids=ids)
    mixed = ugt.Labels.from_counts(counts[[2, 0, 1]], classes=["a", "b", "c"], case_ids=["p3", "p1", "p2"])
    truth, other = ugt.dirichlet(labels), ugt.dirichlet(mixed)
    for case, given in ((1, labels), ("p2", labels), ("p2", mixed)):
        ax = plots.plausibilities(truth, case, annotations=given, points={"same": ugt.dirichlet(given)})
        assert names(ax) == ["c (5)", "b (1)", "a (0)"] and ax.get_title() == "case p2"
        assert ax.lines[-1].get_xdata() == pytest.approx(sorted(truth.mean()[1], reverse=True))
    refused("case must be one of the ids of the 3 cases, such as 'p1'. Got 'p4'", plots.plausibilities, truth, "p4")
    refused("case must be a position, as the cases have no ids. Got '1'", plots.plausibilities, ugt.Point.from_array([[1.0, 0.0]]), "1")
    others = ugt.Labels.from_counts(counts, classes=["a", "b", "c"], case_ids=["x", "y", "z"])
    refused("annotations must have the cases", plots.plausibilities, truth, 0, annotations=others)
    one, two = ugt.annotation_certainty(truth), ugt.annotation_certainty(other)
    by = plots.certainty_curve({"one": one, "two": two}, by=two)
    assert [line.case_ids.tolist() for line in by.lines] == [["p1", "p2", "p3"]] * 2
    assert by.lines[0].get_ydata() == pytest.approx(by.lines[1].get_ydata()) and by.lines[0].get_ydata() == pytest.approx(one.per_case)
    assert plots.certainty_curve(two).lines[0].case_ids.tolist() == ["p1", "p2", "p3"]
    assert plots.certainty_curve([0.5, 1]).lines[0].case_ids is None
    dots = plots.case_scatter(ugt.truth.case_correlation(one, [0.2, np.nan, 0.4])).lines[0]
    assert dots.case_ids.tolist() == ["p1", "p3"] and dots.get_xdata() == pytest.approx(one.per_case[[0, 2]])
    assert plots.case_scatter(ugt.truth.case_correlation([0.1, 0.2, 0.4], [1, 2, 1])).lines[0].case_ids is None


def test_a_rated_case_is_found_by_its_id():
    table, ids = [[1.0, 2, 2], [4, 4, 5]], ["p1", "p2"]
    one, mixed = ugt.Ratings.from_wide(table, case_ids=ids), ugt.Ratings.from_wide(table[::-1], case_ids=ids[::-1])
    posterior = ugt.truth.normal(one, prior=(0, 1, 2, 1.5))
    for given in (one, mixed):
        ax = plots.rated_case(posterior, "p2", ratings=given)
        assert ax.get_title() == "case p2" and ax.lines[-1].get_xdata().tolist() == [4, 4, 5]


def test_plausibilities_of_a_case():
    labels = ugt.Labels.from_counts([[1, 0, 1], [0, 1, 5]], classes=["a", "b", "c"])
    ax = plots.plausibilities(ugt.dirichlet(labels), 1, annotations=labels)
    assert names(ax) == ["c (5)", "b (1)", "a (0)"] and ax.get_xlim() == (0, 1) and ax.get_ylim() == (2.5, -0.5)
    mean = ugt.dirichlet(labels).mean()[1]
    assert [bar.get_width() for bar in ax.patches] == pytest.approx(sorted(mean, reverse=True))
    drawn = ugt.dirichlet(labels).take(np.array([1])).draws(100)[0]
    assert [one.get_xdata().tolist() for one in ax.lines] == drawn[:, [2, 1, 0]].T.tolist()
    ax = plots.plausibilities([[0.1, 0.0, 0.4, 0.3, 0.2]], 0, names="abcde", top=2)
    assert names(ax) == ["c", "d", "3 others"]
    assert [bar.get_width() for bar in ax.patches] == pytest.approx([0.4, 0.3, 0.3]) and len(ax.lines) == 0
    labels = ugt.Labels.from_counts([[1, 0, 1]], classes=["a", "b", "c"])
    ax = plots.plausibilities(ugt.votes(labels), 0)
    assert names(ax) == ["a", "c", "1 other"] and ax.patches[-1].get_width() == 0
    ranked = [[["b"], ["a", "c"], ["d"]], [["a"]], [["a", "b"], ["c"]]]
    rankings = ugt.Rankings.from_blocks([[[["d"]]], ranked], classes=["a", "b", "c", "d", "e"])
    ax = plots.plausibilities([[0.2] * 5, [0.5, 0.2, 0.15, 0.1, 0.05]], 1, annotations=rankings, names="abcde")
    assert names(ax) == ["a (ranks 1, 1, 2)", "b (ranks 1, 1)", "c (ranks 2, 3)", "d (rank 4)", "e (not ranked)"]
    points = {"one": [[0.2] * 5, [0.1, 0.6, 0.1, 0.1, 0.1]], "none": [[0.2] * 5, [np.nan] * 5]}
    ax = plots.plausibilities([[0.2] * 5, [0.5, 0.2, 0.15, 0.1, 0.05]], 1, points=points, names="abcde", top=3)
    assert line(ax, "one").get_xdata().tolist() == pytest.approx([0.1, 0.6, 0.1, 0.2]) and entries(ax) == ["one", "none (undefined)"]
    many = ugt.Rankings.from_blocks([[[["a"]]] * 9], classes=["a", "b"])
    assert (
        names(plots.plausibilities(ugt.Point.from_array([[1.0, 0.0]]), 0, annotations=many))[0].replace("\n", " ")
        == "0 (ranks 1, 1, 1, 1, 1, 1, … 9 in all)"
    )
    labels = ugt.Labels.from_counts([[1, 0, 1], [0, 0, 0]])
    ax = plots.plausibilities(ugt.dirichlet(labels, prior=0), 1)
    assert ax.get_title(loc="right") == "undefined: no annotations" and len(ax.patches) == 0
    truth, labels = ugt.dirichlet(ugt.Labels.from_counts([[3, 1], [2, 2]])), ugt.Labels.from_counts([[3, 1]])
    refused(r"case must be a whole number from 0 to 1\. Got 2\.", plots.plausibilities, truth, 2)
    refused(r"top must be a whole number of at least 1\. Got 0\.", plots.plausibilities, truth, 0, top=0)
    refused(r"names must be 2 names, one per class\. Got 3\.", plots.plausibilities, truth, 0, names="abc")
    message = r"annotations must have 2 cases and 2 classes, as the truth\. Got \(1, 2\)\."
    refused(message, plots.plausibilities, truth, 0, annotations=labels)
    refused(r"annotations must be Labels or Rankings\. Got list\.", plots.plausibilities, truth, 0, annotations=[1])
    message = r"points must have 2 cases and 2 classes, as the truth\. Got \(1, 2\), first at 'ML'\."
    refused(message, plots.plausibilities, truth, 0, points={"ML": [[0.5, 0.5]]})
    refused(r"truth must be plausibilities\. Got Labels", plots.plausibilities, labels, 0, error=TypeError)


def test_laws_over_draws():
    estimate = ugt.ua_topk_accuracy(ugt.dirichlet(ugt.Labels.from_counts([[3, 1], [2, 2], [1, 5]])), [[0.6, 0.4]] * 3)
    ax = plots.accuracy_over_draws(estimate)
    assert ax.lines[0].get_xdata()[0] == estimate.value and ax.get_legend() is None
    draws = ugt.ua_topk_accuracy(ugt.dirichlet(ugt.Labels.from_counts([[3, 1], [2, 2]])).draws(50), [[0.6, 0.4]] * 2)
    ax = plots.accuracy_over_draws(draws, bins=7)
    shares, edges = np.histogram(draws.per_draw, bins=7, density=True)
    assert [bar.get_height() for bar in ax.patches] == pytest.approx(shares)
    assert [bar.get_x() for bar in ax.patches] == pytest.approx(edges[:-1])
    truth = ugt.dirichlet(ugt.Labels.from_counts([[5, 1]] * 12 + [[0, 0]]), prior=0)
    tables = {"A": [[0.6, 0.4]] * 13, "B": [[0.4, 0.6]] * 13}  # mostly right, mostly wrong
    found = {name: ugt.ua_topk_accuracy(truth, table) for name, table in tables.items()}
    ax = plots.accuracy_over_draws(found)
    assert entries(ax) == [f"{name} ({one.value:.3f}; 1 left out)" for name, one in found.items()]
    assert [line(ax, text).get_xdata()[0] for text in entries(ax)] == [one.value for one in found.values()]
    laws = [one.draw_quantile(np.linspace(0.001, 0.999, 400)) for one in found.values()]
    edges = np.linspace(np.min(laws), np.max(laws), 31)
    for patch, law in zip(ax.patches, laws):
        steps = patch.get_xy()
        assert np.unique(steps[:, 0]) == pytest.approx(edges)
        assert steps[:, 1].max() == pytest.approx(np.histogram(law, bins=edges, density=True)[0].max())
    ax = plots.accuracy_over_draws(ugt.ua_topk_accuracy(ugt.Point.from_array([[1.0, 0.0], [0.0, 1.0]]), [[0.6, 0.4]] * 2))
    assert len(ax.patches) == 0 and ax.lines[0].get_xdata()[0] == 0.5 and entries(ax) == ["no spread"]


@pytest.mark.filterwarnings("ignore:no number of cases")
def test_frontiers_of_plans():
    parts = {"cases": 0.1, "annotators": 0.01, "labels": 0.1}
    found = {f"{width}": ugt.plan_annotations(components=parts, width=width, cost=(2, 1, 5)) for width in (0.3, 0.01)}
    ax = plots.plan_frontier(found)
    best = found["0.3"].best
    assert entries(ax)[0] == f"0.3 ({best.n_cases} cases, {best.n_labels} labels per case, {best.n_annotators} annotators)"
    assert entries(ax)[1] == "0.01 (no design is enough)"
    assert ax.lines[0].get_ydata().tolist() == [one.cost for one in found["0.3"].table]
    assert ax.lines[1].get_xdata()[0] == best.n_annotators
    pilot = {"error": 0.0027, "cov1": 0.0012, "cov2": 0.0015, "cov3": 0.0007, "test_reader": 0.0007, "n_cases": 100}
    readers = ugt.studies.plan_reader_study(pilot, difference=0.1)
    ax = plots.plan_frontier(readers)
    assert entries(ax) == [f"{readers.best.n_cases} cases, {readers.best.n_readers} readers"] and ax.get_xlabel() == "number of readers"
    refused(r"plan must be plans of one kind\. Got both kinds\.", plots.plan_frontier, {"a": readers, "b": found["0.3"]})


@pytest.mark.filterwarnings("ignore:undefined")
def test_undefined_estimates_are_refused():
    nothing = ugt.ua_topk_accuracy(ugt.dirichlet(ugt.Labels.from_counts([[0, 0]]), prior=0), [[0.6, 0.4]])
    refused(r"estimate must be defined\. Got nan, first at 'A'\.", plots.accuracy_over_draws, {"A": nothing})
    with pytest.raises(ValueError, match=r"bins must be a whole number of at least 1\. Got 0\."):
        plots.accuracy_over_draws(ugt.ua_topk_accuracy(ugt.Point.from_array([[1.0, 0.0]]), [[0.6, 0.4]]), bins=0)


def test_soft_labels():
    ax = plots.soft_labels(ugt.Labels.from_counts([[6, 2], [3, 3], [1, 3], [0, 4], [0, 4], [0, 0]]))
    heights = np.array([bar.get_height() for bar in ax.patches]).reshape(2, 4)
    assert heights.tolist() == [[1, 1, 0, 0], [0, 0, 1, 2]]  # at 1/4, 1/2 (not above the cut), 3/4 and 1
    assert entries(ax) == ["negative: 2 cases", "positive: 3 cases (1 undefined)"] and ax.lines[0].get_xdata()[0] == 0.5
    p = np.random.default_rng(0).random(1000)
    ax = plots.soft_labels(p, threshold=0.33)
    heights = np.array([bar.get_height() for bar in ax.patches]).reshape(2, 20)
    assert heights.sum(axis=0).tolist() == np.histogram(p, 20, (0, 1))[0].tolist()
    assert heights.sum(axis=1).tolist() == [(p <= 0.33).sum(), (p > 0.33).sum()]
    posterior = ugt.dirichlet(ugt.Labels.from_counts([[6, 2], [3, 3]]))
    assert len(plots.soft_labels(posterior).patches) == 4
    for bad, got in ((np.ones((2, 3)), r"shape \(2, 3\)"), ([0.5, 1.5], "1.5")):
        refused(rf"p must be of shape \(N,\) and from 0 to 1.* Got {got}", plots.soft_labels, bad)
    refused(r"threshold must be|p must be .* threshold 2", plots.soft_labels, [0.5], threshold=2)
