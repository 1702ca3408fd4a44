"""Plots: what is drawn are the numbers that were given."""

from __future__ import annotations

import sys

import numpy as np
import pytest

import ugt

matplotlib = pytest.importorskip("matplotlib")
matplotlib.use("Agg")

from matplotlib import pyplot  # noqa: E402

from ugt import plots, synthetic  # noqa: E402


@pytest.fixture(autouse=True)
def close():
    yield
    pyplot.close("all")


def evaluation():
    labels, truth = synthetic.make_counts(40, 3, 4, difficulty=0.6)
    return ugt.evaluate(labels, {"A": truth, "B": truth**2}, reliability=(1, 2, 5), k=1, n_resamples=50)


def test_certainty_curve_is_sorted():
    ax = plots.certainty_curve({"one": [0.9, np.nan, 0.5], "two": ugt.annotation_certainty([[0.6, 0.4]])})
    line = ax.lines[0]
    assert line.get_xdata().tolist() == [25, 75] and line.get_ydata().tolist() == [0.5, 0.9]
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["one", "two"]
    assert plots.certainty_curve([0.5, 1.0]).get_legend() is None


def test_metric_by_reliability():
    ev = evaluation()
    ax = plots.metric_by_reliability(ev)
    rows = [row for row in ev.metrics if row["metric"] == "topk_accuracy" and row["model"] == "B"]
    container = ax.containers[1]
    assert container[0].get_ydata().tolist() == [row["value"] for row in rows]
    assert len(ax.collections) >= 2 and [tick.get_text() for tick in ax.get_xticklabels()] == ["1", "2", "5"]
    with pytest.raises(ValueError, match=r"metric must be one with reliabilities, of .*Got \('nothing', 1\)\."):
        plots.metric_by_reliability(ev, "nothing")


def test_plausibilities_of_a_case():
    labels = ugt.Labels.from_counts([[1, 0, 1], [0, 1, 5]], classes=["a", "b", "c"])
    ax = plots.plausibilities(ugt.dirichlet(labels), 1, annotations=labels)
    assert [tick.get_text() for tick in ax.get_yticklabels()] == ["c (5)", "b (1)", "a (0)"]
    mean = ugt.dirichlet(labels).mean()[1]
    assert [bar.get_width() for bar in ax.patches] == pytest.approx(sorted(mean, reverse=True))
    assert len(ax.lines) == 3 and len(ax.lines[0].get_xdata()) == 100
    assert len(plots.plausibilities(ugt.votes(labels), 0).lines) == 0


def test_law_over_draws():
    estimate = ugt.ua_topk_accuracy(ugt.dirichlet([[3, 1], [2, 2], [1, 5]]), [[0.6, 0.4]] * 3)
    ax = plots.accuracy_over_draws(estimate)
    assert ax.lines[0].get_xdata()[0] == estimate.value
    draws = ugt.ua_topk_accuracy(ugt.dirichlet([[3, 1], [2, 2]]).draws(50), [[0.6, 0.4]] * 2)
    assert len(plots.accuracy_over_draws(draws, bins=7).patches) == 7


def test_curves():
    p, s = [0.9, 0.5, 0.1, 0.7], [4.0, 2.0, 1.0, 3.0]
    roc, pr = ugt.soft_roc_curve(p, s), ugt.soft_precision_recall_curve(p, s)
    line = plots.soft_curve({"model": roc}).lines[0]
    assert line.get_xdata().tolist() == roc.false_positive_rate.tolist() and line.get_label() == f"model ({roc.area:.3f})"
    assert plots.soft_curve(pr).lines[0].get_ydata().tolist() == pr.precision.tolist()
    with pytest.raises(ValueError, match=r"curve must be curves of one kind"):
        plots.soft_curve({"a": roc, "b": pr})


@pytest.mark.filterwarnings("ignore:fewer than")
def test_calibration_plots():
    labels, truth = synthetic.make_counts(300, 2, 4, difficulty=0.6)
    losses = ugt.histogram_losses(labels, truth)
    curve = losses.reliability_curve(1)
    ax = plots.reliability_diagram({"model": curve})
    there = curve.n_cases > 0
    assert ax.lines[1].get_ydata().tolist() == curve.label_share[there].tolist()
    hollow = ax.collections[-1].get_facecolors()
    assert len(hollow) == there.sum() or len(hollow) == (there & ~curve.few).sum()
    ax = plots.calibration_dispersion_map({"model": losses}, estimate="plugin")
    assert (ax.lines[0].get_xdata()[0], ax.lines[0].get_ydata()[0]) == (losses.dl.plugin, losses.cl.plugin)


def test_tables_as_pictures():
    ax = plots.rank_heat_map([[0.75, 0.25], [0.25, 0.75]], ["A", "B"])
    assert [text.get_text() for text in ax.texts] == ["0.75", "0.25", "0.25", "0.75"]
    ax = plots.agreement_matrix([[np.nan, 0.5], [0.5, np.nan]], ["x", "y"])
    assert [text.get_text() for text in ax.texts] == ["0.50", "0.50"]
    with pytest.raises(ValueError, match=r"matrix must be of shape \(3, 3\), as there are names\. Got \(2, 2\)\."):
        plots.agreement_matrix(np.eye(2), ["x", "y", "z"])


def test_forest_sets_and_triangle():
    ax = plots.forest({"model": (0.9, 0.8, 1.05), "ann": (1.1, 1.0, 1.3)}, x_label="discrepancy ratio")
    assert ax.lines[0].get_xdata().tolist() == [0.8, 1.05] and [t.get_text() for t in ax.get_yticklabels()] == ["model", "ann"]
    ax = plots.coverage_and_size({"APS": (2.5, 0.91)}, target=0.9)
    assert ax.lines[0].get_xdata()[0] == 2.5 and ax.lines[1].get_ydata()[0] == 0.9
    ax = plots.ternary([[1, 0, 0], [0, 2, 0], [0, 0, 1]], names="abc")
    assert ax.lines[1].get_xdata().tolist() == [0, 1, 0.5]
    with pytest.raises(ValueError, match=r"draws must be of shape \(n, 3\) and finite"):
        plots.ternary([[1, 0]])


def test_on_given_axes_and_with_nothing():
    _, ax = pyplot.subplots()
    assert plots.forest({"a": (1, 1, 1)}, ax=ax) is ax
    with pytest.raises(ValueError, match=r"certainty must hold something to draw\. Got an empty mapping\."):
        plots.certainty_curve({})
    with pytest.raises(ValueError, match=r"certainty must have a case that is defined\. Got none\."):
        plots.certainty_curve([np.nan])


def test_without_matplotlib(monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(ImportError, match=r"plots need matplotlib: install ugt with the extra plot"):
        plots.forest({"a": (1, 1, 1)})
