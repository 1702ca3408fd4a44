"""Generated data: known truth, right shapes, right statistics, the same for the same seed."""

import numpy as np
import pytest
from refusals import refused

from ugt.synthetic import make_counts, make_labels, make_predictions, make_rankings

# Limits below stand at 6.1 standard errors: false alarm probability 1e-9 (and the seed is fixed).
SIGMAS = 6.1


def blocks_of(rankings):
    return np.diff(rankings.block_offsets)


def test_truth_is_mostly_clear_and_has_the_difficulty_asked_for():
    _, truth = make_labels(20_000, 4, 1, difficulty=0.2)
    assert np.allclose(truth.sum(axis=1), 1, atol=1e-12)
    assert (truth >= 0).all()
    assert np.median(truth.max(axis=1)) > 0.9
    # Truth without the share q(z) that falls back on the clear class: E = 1 - d (1 - 1/K).
    mean = truth.max(axis=1).mean()
    assert 1 - 0.2 * (1 - 1 / 4) - 0.01 < mean < 1
    clear = np.bincount(truth.argmax(axis=1), minlength=4) / len(truth)
    assert abs(clear - 0.25).max() < SIGMAS * np.sqrt(0.25 * 0.75 / len(truth))


def test_annotators_draw_from_the_truth():
    labels, truth = make_labels(4_000, 5, 6)
    assert (labels.n_cases, labels.n_classes, labels.n_labels, len(labels.annotators)) == (4_000, 5, 24_000, 6)
    error = (labels.counts() - 6 * truth).sum(axis=0)
    deviation = np.sqrt((6 * truth * (1 - truth)).sum(axis=0))
    assert (abs(error) < SIGMAS * deviation).all()


def test_counts_resemble_cifar10h():
    labels, truth = make_counts()
    counts = labels.counts()
    assert counts.shape == truth.shape == (10_000, 10)
    assert (counts.sum(axis=1) == 50).all()
    assert 0.5 < (counts.max(axis=1) == 50).mean() < 0.9
    assert (counts.max(axis=1) < 30).sum() > 50
    assert len(labels.annotators) == 0


def test_rankings_are_partial_with_ties_and_follow_the_truth():
    rankings, truth = make_rankings(3_000, 6, 4, depth=3)
    assert truth.shape == (3_000, 6)
    assert rankings.n_rankings == 12_000
    assert np.bincount(blocks_of(rankings))[1:].min() > 0
    ranked = np.diff(rankings.block_offsets[rankings.ranking_offsets])
    assert abs(np.bincount(ranked)[1:] / 12_000 - 1 / 3).max() < SIGMAS * np.sqrt(2 / 9 / 12_000)
    # The first arrival is a draw from the truth: look at the rankings of one class.
    case = np.repeat(np.arange(3_000), np.diff(rankings.case_offsets))[ranked == 1]
    first = rankings.items[rankings.block_offsets[rankings.ranking_offsets[:-1]]][ranked == 1]
    error = np.bincount(first, minlength=6) - truth[case].sum(axis=0)
    assert (abs(error) < SIGMAS * np.sqrt((truth[case] * (1 - truth[case])).sum(axis=0))).all()


def test_wider_ties():
    ties = [(blocks_of(make_rankings(500, 6, 4, tie_width=width)[0]) > 1).sum() for width in (1e-9, 0.3, 3)]
    assert ties[0] == 0 < ties[1] < ties[2]


def test_more_skill_is_better():
    _, truth = make_labels(5_000, 10, 1)
    top = [(make_predictions(truth, skill=skill).argmax(axis=1) == truth.argmax(axis=1)).mean() for skill in (0, 0.5, 0.8, 1)]
    assert abs(top[0] - 0.1) < SIGMAS * np.sqrt(0.09 / 5_000)
    assert top[0] < top[1] < top[2] < top[3] == 1
    skill = np.where(np.arange(5_000) < 2_500, 1.0, 0.0)
    right = make_predictions(truth, skill=skill).argmax(axis=1) == truth.argmax(axis=1)
    assert right[:2_500].all()
    assert right[2_500:].mean() < 0.2


def test_same_seed_same_data():
    def everything(seed):
        labels, truth = make_labels(50, 4, 3, seed=seed)
        rankings, _ = make_rankings(50, 4, 3, seed=seed)
        return [labels.label, truth, rankings.items, rankings.block_offsets, make_predictions(truth, seed=seed)]

    assert all(np.array_equal(a, b) for a, b in zip(everything(3), everything(3)))
    assert not any(np.array_equal(a, b) for a, b in zip(everything(3), everything(4)))


def test_known_values():
    """The same on every numpy version: all randomness is the library's own uniforms."""
    labels, truth = make_labels(4, 3, 4, seed=1)
    assert labels.label.tolist() == [1, 1, 1, 1, 2, 2, 2, 2, 0, 2, 1, 0, 2, 0, 0, 0]
    assert truth[0].tolist() == pytest.approx([0.014553465363136767, 0.9854464234976055, 1.111392577061899e-07], rel=1e-9)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: make_labels(0, 2, 1), r"n_cases must be at least 1\. Got 0\."),
        (lambda: make_labels(1, 0, 1), r"n_classes must be at least 1\. Got 0\."),
        (lambda: make_labels(1, 2, 0), r"n_annotators must be at least 1\. Got 0\."),
        (lambda: make_counts(1, 2, 0), r"n_labels must be at least 1\. Got 0\."),
        (lambda: make_rankings(1, 2, 1, depth=0), r"depth must be at least 1\. Got 0\."),
        (lambda: make_rankings(1, 2, 1, tie_width=0), r"tie_width must be positive\. Got 0\."),
        (lambda: make_labels(1, 2, 1, difficulty=1), r"difficulty must lie between 0 and 1\. Got 1\."),
        (lambda: make_predictions(np.ones(3)), r"truth must be a table of non-negative numbers, cases x classes\. Got shape \(3,\)\."),
        (lambda: make_predictions(np.ones((3, 2)), skill=2), r"skill must lie between 0 and 1\. Got 2\."),
    ],
)
def test_bad_arguments(call, message):
    refused(message, call)
