"""Plots of lines and bars: what is drawn are the numbers that were given, and what is not drawn is counted."""

import numpy as np
import pytest
from refusals import refused

import ugt

pytest.importorskip("matplotlib", reason="plots need matplotlib").use("Agg")

from matplotlib import pyplot  # noqa: E402

from ugt import plots, synthetic  # noqa: E402


@pytest.fixture(autouse=True)
def close():
    yield
    pyplot.close("all")


@pytest.fixture(scope="module")
def evaluation():
    labels, truth = synthetic.make_counts(40, 3, 4, difficulty=0.6)
    return ugt.evaluate(labels, {"A": truth, "B": truth**2}, reliability=(1, 2, 5), k=1, n_resamples=50)


def entries(ax):
    return [text.get_text() for text in ax.get_legend().get_texts()] if ax.get_legend() else []


def line(ax, label):
    (found,) = [one for one in ax.lines if one.get_label() == label]
    return found


def bars(ax):
    """Ends of all intervals, in the order drawn."""
    return [segment[:, 1].tolist() for one in ax.collections if hasattr(one, "get_segments") for segment in one.get_segments()]


def test_certainty_curve_is_sorted_and_counts_what_is_undefined():
    ax = plots.certainty_curve({"one": [0.9, np.nan, 0.5], "two": ugt.annotation_certainty([[0.6, 0.4]])})
    drawn = ax.lines[0]
    assert drawn.get_xdata().tolist() == [25, 75] and drawn.get_ydata().tolist() == [0.5, 0.9]
    assert entries(ax) == ["one (1 undefined)", "two"]
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("share of cases, least certain first (%)", "certainty")
    assert ax.get_ylim() == (0, 1.02)


def test_legend_and_errors_of_certainty():
    assert plots.certainty_curve([0.5, 1.0]).get_legend() is None
    assert entries(plots.certainty_curve([0.5, np.nan, np.nan])) == ["2 undefined"]
    refused(r"certainty must hold something to draw\. Got an empty mapping\.", plots.certainty_curve, {})
    refused(r"certainty must have a case that is defined\. Got none\.", plots.certainty_curve, [np.nan])
    refused(r"certainty must be of shape \(N,\)\. Got \(1, 2\)\.", plots.certainty_curve, [[0.5, 1.0]])


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
    ax = plots.metric_by_reliability(evaluation)
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
    ev = ugt.evaluate(rankings, {name: models[name] for name in ("clear-cut", "broad")}, k=1, n_resamples=20)
    ax = plots.metric_by_reliability(ev, voted=True, flips=True)
    assert ax.get_xticklabels()[-1].get_text() == "voted\nlabel" and ax.get_xticks()[-1] > 100
    hollow = [one for one in ax.lines if one.get_markerfacecolor() == "white"]
    voted = {row["model"]: row["value"] for row in ev.metrics if row["metric"] == "voted_accuracy"}
    assert [one.get_ydata().tolist() for one in hollow] == [[voted["clear-cut"]], [voted["broad"]]]
    (flip,) = ev.flips
    assert entries(ax)[-1].replace("\n", " ") == f"broad overtakes clear-cut at {flip['reliability']:.3g}"
    assert line(ax, entries(ax)[-1]).get_xdata()[0] == flip["reliability"]


def test_one_reliability_and_many():
    labels, truth = synthetic.make_counts(10, 2, 4, difficulty=0.6)
    ax = plots.metric_by_reliability(ugt.evaluate(labels, {"A": truth}, reliability=2, k=1, n_resamples=10), voted=False)
    assert ax.get_xlim() == (1, 4)
    many = np.arange(1, 26)
    ax = plots.metric_by_reliability(ugt.evaluate(labels, {"A": truth}, reliability=many, k=1, n_resamples=10))
    assert len(ax.get_xticks()) == 9 and len(line(ax, "A").get_xdata()) == 25


def test_errors_of_metrics(evaluation):
    refused(r"metric must be one with reliabilities, of .*Got \('nothing', 1\)\.", plots.metric_by_reliability, evaluation, "nothing")
    refused(r"metric must be one with reliabilities", plots.metric_by_reliability, evaluation, "voted_accuracy")
    labels, truth = synthetic.make_counts(10, 2, 4, difficulty=0.6)
    ev = ugt.evaluate(labels, {"A": truth}, k=(1, 2), n_resamples=10)
    refused(r"voted must be False but for topk_accuracy with k = 1\. Got True\.", plots.metric_by_reliability, ev, k=2, voted=True)


def names(ax):
    return [tick.get_text() for tick in ax.get_yticklabels()]


def test_plausibilities_of_a_case():
    labels = ugt.Labels.from_counts([[1, 0, 1], [0, 1, 5]], classes=["a", "b", "c"])
    ax = plots.plausibilities(ugt.dirichlet(labels), 1, annotations=labels)
    assert names(ax) == ["c (5)", "b (1)", "a (0)"] and ax.get_xlim() == (0, 1) and ax.get_ylim() == (2.5, -0.5)
    mean = ugt.dirichlet(labels).mean()[1]
    assert [bar.get_width() for bar in ax.patches] == pytest.approx(sorted(mean, reverse=True))
    drawn = ugt.dirichlet(labels).take(np.array([1])).draws(100)[0]
    assert [one.get_xdata().tolist() for one in ax.lines] == drawn[:, [2, 1, 0]].T.tolist()


def test_bars_of_ranks_and_of_classes_not_shown():
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
    many = ugt.Rankings.from_blocks([[[["a"]]] * 9], classes=["a", "b"])
    assert names(plots.plausibilities([[1.0, 0.0]], 0, annotations=many))[0].replace("\n", " ") == "0 (ranks 1, 1, 1, 1, 1, 1, … 9 in all)"
    labels = ugt.Labels.from_counts([[1, 0, 1], [0, 0, 0]])
    ax = plots.plausibilities(ugt.dirichlet(labels, prior=0), 1)
    assert ax.get_title(loc="right") == "undefined: no annotations" and len(ax.patches) == 0


def test_errors_of_plausibilities():
    truth, labels = ugt.dirichlet([[3, 1], [2, 2]]), ugt.Labels.from_counts([[3, 1]])
    refused(r"case must be a whole number from 0 to 1\. Got 2\.", plots.plausibilities, truth, 2)
    refused(r"top must be a whole number of at least 1\. Got 0\.", plots.plausibilities, truth, 0, top=0)
    refused(r"names must be 2 names, one a class\. Got 3\.", plots.plausibilities, truth, 0, names="abc")
    with pytest.raises(ValueError, match=r"annotations must have 2 cases and 2 classes, as the truth\. Got \(1, 2\)\."):
        plots.plausibilities(truth, 0, annotations=labels)
    refused(r"annotations must be Labels or Rankings\. Got list\.", plots.plausibilities, truth, 0, annotations=[1])
    refused(r"truth must be plausibilities\. Got Labels", plots.plausibilities, labels, 0, error=TypeError)


def test_law_over_draws():
    estimate = ugt.ua_topk_accuracy(ugt.dirichlet([[3, 1], [2, 2], [1, 5]]), [[0.6, 0.4]] * 3)
    ax = plots.accuracy_over_draws(estimate)
    assert ax.lines[0].get_xdata()[0] == estimate.value and ax.get_legend() is None
    draws = ugt.ua_topk_accuracy(ugt.dirichlet([[3, 1], [2, 2]]).draws(50), [[0.6, 0.4]] * 2)
    ax = plots.accuracy_over_draws(draws, bins=7)
    shares, edges = np.histogram(draws.per_draw, bins=7, density=True)
    assert [bar.get_height() for bar in ax.patches] == pytest.approx(shares) and [bar.get_x() for bar in ax.patches] == pytest.approx(
        edges[:-1]
    )


def test_several_laws_share_their_bins():
    truth = ugt.dirichlet([[5, 1]] * 12 + [[0, 0]], prior=0)
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
    ax = plots.accuracy_over_draws(ugt.ua_topk_accuracy([[1.0, 0.0], [0.0, 1.0]], [[0.6, 0.4]] * 2))
    assert len(ax.patches) == 0 and ax.lines[0].get_xdata()[0] == 0.5 and entries(ax) == ["no spread"]


@pytest.mark.filterwarnings("ignore:undefined")
def test_undefined_estimates_are_refused():
    nothing = ugt.ua_topk_accuracy(ugt.dirichlet([[0, 0]], prior=0), [[0.6, 0.4]])
    refused(r"estimate must be defined\. Got nan, first at 'A'\.", plots.accuracy_over_draws, {"A": nothing})
    with pytest.raises(ValueError, match=r"bins must be a whole number of at least 1\. Got 0\."):
        plots.accuracy_over_draws(ugt.ua_topk_accuracy([[1.0, 0.0]], [[0.6, 0.4]]), bins=0)
