"""Plots of grades: what is drawn are the numbers that were given, and what is not drawn is counted."""

import numpy as np
import pytest
from refusals import refused

import ugt

pytest.importorskip("matplotlib", reason="plots need matplotlib").use("Agg")

from matplotlib import pyplot  # noqa: E402

from ugt import plots  # noqa: E402

NAN = float("nan")
TABLE = [[1, 3, None, None], [2, 3, None, 1], [1, 1, None, None], [None, None, None, None]]
LABELS = ugt.Labels.from_wide(TABLE, annotators=["ann", "bob", "cy", "dan"], ordered=[1, 2, 3])
LAW = np.array([[0.5, 0.5, 0.0], [0.0, 0.25, 0.75], [0.2, 0.3, 0.5], [NAN, NAN, NAN]])
X = np.array([1.5, 2.0, 3.0, 1.0])


@pytest.fixture(autouse=True)
def close():
    yield
    pyplot.close("all")


def line(ax, label):
    (found,) = [one for one in ax.lines if one.get_label() == label]
    return found


def test_shares_by_annotator():
    ax = plots.grade_shares(LABELS)
    assert [tick.get_text() for tick in ax.get_yticklabels()] == ["bob (3)", "ann (3)", "dan (1)"]
    widths = np.array([[bar.get_width() for bar in bars] for bars in ax.containers])  # grades x annotators
    np.testing.assert_allclose(widths, [[1 / 3, 2 / 3, 1], [0, 1 / 3, 0], [2 / 3, 0, 0]], atol=1e-15)
    assert ax.get_title(loc="right") == "1 annotator without labels"
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["3", "2", "1"]
    colours = [bars[0].get_facecolor() for bars in ax.containers]
    grey = [sum(colour[:3]) for colour in colours]
    assert grey[0] > grey[1] + 0.2 > grey[2] + 0.4  # they differ on a grey printer


def test_shares_by_case():
    ax = plots.grade_shares(LABELS, by="case")
    heights = [np.max(area.get_paths()[0].vertices[:, 1]) for area in ax.collections]
    assert heights == [1.0, 1.0, 1.0] and ax.get_title(loc="right") == "1 case without labels"
    # the last of three cases has grades 1, 2 and 3; the grades of equal mean stand in the order of the cases
    last = [area.get_paths()[0].vertices for area in ax.collections]
    tops = [float(corners[corners[:, 0] > 67][:, 1].max()) for corners in last]
    np.testing.assert_allclose(tops, [1 / 3, 2 / 3, 1])
    counts = ugt.Labels.from_counts([[2, 0], [0, 0]], classes=["mild", "severe"], ordered=["mild", "severe"])
    plots.grade_shares(counts, by="case")
    refused(r"labels must name their annotators, or by be 'case'\. Got counts of labels\.", plots.grade_shares, counts)


def test_labels_that_are_no_grades():
    refused(r"labels must be ordered \(ordered=", plots.grade_shares, ugt.Labels.from_wide([[0, 1]]))
    refused(r"by must be one of 'annotator', 'case'\. Got 'reader'\.", plots.grade_shares, LABELS, by="reader")
    empty = ugt.Labels.from_wide([[None, None]], annotators=["a", "b"], ordered=[1, 2])
    refused(r"labels must have a label\. Got none\.", plots.grade_shares, empty)


def expected_errors(x, kept=3):
    """Σ_i λ_ik (x_i - v_k) / Σ_i λ_ik over the cases with a law and a prediction."""
    return [sum(LAW[i, k] * (x[i] - k - 1) for i in range(kept)) / sum(LAW[i, k] for i in range(kept)) for k in range(3)]


def test_errors_by_grade():
    ax = plots.error_by_grade(LAW, {"a": X, "b": np.nan_to_num(LAW, nan=1 / 3)}, values=[1, 2, 3])
    np.testing.assert_allclose(line(ax, "a (1 undefined)").get_ydata(), expected_errors(X))
    mean = LAW @ [1, 2, 3]
    np.testing.assert_allclose(line(ax, "mean grade of the case").get_ydata(), expected_errors(mean))
    np.testing.assert_allclose(line(ax, "b (1 undefined)").get_ydata(), expected_errors(mean))  # probabilities as their mean
    segments = [one for collection in ax.collections if hasattr(collection, "get_segments") for one in collection.get_segments()]
    parts = [LAW[:3] * (X[:3, None] - [1, 2, 3]), LAW[:3]]
    np.testing.assert_allclose([one[:, 1] for one in segments[:3]], ugt.bootstrap(*parts).interval(0.95), atol=1e-12)
    assert [tick.get_text() for tick in ax.get_xticklabels()] == ["0", "1", "2"]


def test_clusters_widen_the_intervals():
    rng = np.random.default_rng(0)
    law, x = np.repeat(rng.dirichlet([1, 1, 1], 10), 8, axis=0), np.repeat(rng.normal(2, 1, 10), 8)

    def widths(**more):
        ax = plots.error_by_grade(law, x, values=[1, 2, 3], **more)
        return [np.ptp(one[:, 1]) for c in ax.collections if hasattr(c, "get_segments") for one in c.get_segments()]

    assert np.all(np.array(widths(clusters=np.repeat(np.arange(10), 8))) > 1.5 * np.array(widths()))


def test_predictions_against_the_law():
    ax = plots.predictions_by_grade(LAW, {"a": X}, values=[1, 2, 3])
    (dots,) = [one for one in ax.lines if one.get_label() == "a (1 undefined)"]
    np.testing.assert_allclose(dots.get_xdata(), (LAW @ [1, 2, 3])[:3])
    assert dots.get_ydata().tolist() == X[:3].tolist()
    spans = np.array(ax.collections[0].get_segments())
    assert spans[:, :, 0].tolist() == [[1, 2], [2, 3], [1, 3]] and spans[:, 0, 1].tolist() == X[:3].tolist()
    many = plots.predictions_by_grade(np.tile(LAW[:3], (200, 1)), np.tile(X[:3], 200), values=[1, 2, 3])
    assert not many.collections  # too many lines to be seen


def test_numbers_of_grades():
    words = ugt.Labels.from_counts([[2, 1, 0], [0, 1, 2]], ordered=["mild", "moderate", "severe"])
    ax = plots.predictions_by_grade(ugt.votes(words, kind="mean"), [1.0, 3.0])
    np.testing.assert_allclose(ax.lines[1].get_xdata(), [4 / 3, 8 / 3])
    plain = ugt.dirichlet(ugt.Labels.from_counts([[2, 1]], classes=["a", "b"]))
    refused(r"values must be given, one number per class, because names", plots.error_by_grade, plain, [1.0])
    refused(r"values must be 2 finite numbers, one per class", plots.error_by_grade, plain, [1.0], values=[1, 2, 3])


@pytest.mark.parametrize("function", [plots.error_by_grade, plots.predictions_by_grade])
@pytest.mark.parametrize(
    ("message", "predictions"),
    [
        (r"predictions must be 4 numbers, or probabilities of shape \(4, 3\)\. Got shape \(2,\), first at 'a'\.", {"a": [1, 2]}),
        (r"predictions must be probabilities that add up to 1", LAW[[0, 1, 2, 0]] * 2),
        (r"predictions must be finite for a case\. Got none\.", [NAN] * 4),
        (r"predictions must hold something to draw", {}),
    ],
)
def test_predictions_that_do_not_fit(function, message, predictions):
    refused(message, function, LAW, predictions, values=[1, 2, 3])
