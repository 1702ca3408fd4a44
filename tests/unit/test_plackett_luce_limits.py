"""Plackett–Luce posteriors of hard input: an answer whose error holds, NaN errors with a warning, or a refusal that names the case."""

from __future__ import annotations

import warnings
from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import beta

import ugt
from ugt.plausibilities import weighted
from ugt.plausibilities.integrated import EXACT, WEIGHTED


def posterior(case, n_classes, **options):
    return ugt.plackett_luce(ugt.Rankings.from_blocks([case], n_classes=n_classes), **options)


def reliable(post):
    return bool(np.isfinite(post.error[0])) and not post.unreliable[0]


def sampled(case, n_classes, **options):
    return posterior(case, n_classes, method="gibbs", n_draws=20_000, n_warmup=1000, **options)


def test_more_classes_than_have_bits():
    case = [[[k] for k in range(90)], [[k] for k in range(0, 90, 3)], [[7, 8], [3]]]
    post = posterior(case, 100)
    assert post.how.tolist() == [WEIGHTED] and reliable(post)
    draws = sampled(case, 100)
    assert post.membership(1)[0] == pytest.approx(draws.membership(1)[0], abs=5 * post.error[0] + 0.02)
    assert post.mean()[0] == pytest.approx(draws.mean()[0], abs=5 * post.error[0] + 0.005)
    assert post.certainty(3)[0] == pytest.approx(draws.certainty(3)[0], abs=0.05)
    with pytest.raises(ValueError, match=r"method must be 'auto' or 'weighted' .* Got 90 mentioned classes; 1 of 1 .* first at case 0"):
        posterior(case, 100, method="exact")


def test_ten_tied_classes():
    gamma = 1.5
    case = [[list(range(10)), [10]], [[3], list(range(4, 9))]]
    post = posterior(case, 12, reliability=gamma, prior_shape=0.3)
    assert post.how.tolist() == [WEIGHTED] and reliable(post)
    p = post.membership(1)[0]
    for alike in ([0, 1, 2, 9], [4, 5, 6, 7, 8]):
        assert p[alike] == pytest.approx(np.full(len(alike), p[alike].mean()), abs=6 * post.error[0])


def test_sixty_annotators():
    rng = np.random.default_rng(4)
    case = [[[int(y)] for y in rng.permutation(12)[: rng.integers(2, 8)]] for _ in range(60)]
    post = posterior(case, 30)
    assert post.how.tolist() == [WEIGHTED] and reliable(post)
    draws = sampled(case, 30)
    assert post.membership(1)[0] == pytest.approx(draws.membership(1)[0], abs=5 * post.error[0] + 0.02)
    assert post.mean()[0] == pytest.approx(draws.mean()[0], abs=0.01)


def test_extreme_reliabilities():
    """At 1,000 two classes that annotators order in both ways are equal; at 0.01 the posterior is nearly the prior."""
    conflict = [[[0], [1]], [[1], [0]]]
    for gamma in (0.01, 1, 1000, 1000.5):
        post = posterior(conflict, 3, reliability=gamma, prior_shape=0.5)
        assert post.mean()[0, 0] == pytest.approx(post.mean()[0, 1], abs=5 * post.error[0])
        assert post.membership(1)[0].sum() == pytest.approx(1)
    assert post.mean()[0] == pytest.approx([0.5, 0.5, 0], abs=0.01) and reliable(post)
    tied = [[[0, 1], [2]], [[1], [2, 0]]]
    weak = posterior(tied, 4, reliability=0.01, prior_shape=0.5)
    assert reliable(weak) and weak.mean()[0] == pytest.approx(np.full(4, 0.25), abs=0.02)
    strong = posterior(tied, 4, reliability=1000, prior_shape=0.5)
    assert strong.mean()[0].sum() == pytest.approx(1) and (np.isnan(strong.error[0]) or strong.mean()[0, 1] > 0.4)


@pytest.mark.parametrize("method", ["auto", "weighted"])
@pytest.mark.parametrize("gamma", [0.01, 1000, 1000.5])
def test_extreme_reliabilities_have_known_answers(gamma, method):
    """Two classes, of which two annotators prefer the first and one the second, are a Beta law; one ranking is sticks of Beta laws."""
    a, b = 0.5 + 2 * gamma, 0.5 + gamma
    two = posterior([[[0], [1]], [[0], [1]], [[1], [0]]], 2, reliability=gamma, prior_shape=0.5, method=method)
    assert two.membership(1)[0, 0] == pytest.approx(beta.sf(0.5, a, b), abs=4.5 * two.error[0] + 1e-9) and reliable(two)
    assert two.mean()[0, 0] == pytest.approx(a / (a + b), abs=4.5 * two.error[0])
    assert two.variance()[0, 0] == pytest.approx(a * b / ((a + b) ** 2 * (a + b + 1)), abs=4.5 * two.error[0])
    chain, left = posterior([[[2], [0], [1]]], 6, reliability=gamma, prior_shape=0.5, method=method), 1.0
    for place, k in enumerate((2, 0, 1)):
        share = (0.5 + gamma) / (0.5 + gamma + 0.5 * (5 - place))
        assert chain.mean()[0, k] == pytest.approx(left * share, abs=4.5 * chain.error[0])
        left *= 1 - share


@pytest.mark.parametrize("unranked", ["individual", "lump", "ignore"])
def test_one_ranking_of_all_classes(unranked):
    n = 30
    post = posterior([[[k] for k in range(n)]], n, unranked=unranked, prior_shape=0.5)
    mean, left = [], 1.0
    for place in range(n):  # sticks Beta(1 + a, (n - 1 - place) a); the last class is placed for certain
        alpha, beta = 0.5 + (place < n - 1), 0.5 * (n - 1 - place)
        mean.append(left * alpha / (alpha + beta))
        left *= beta / (alpha + beta)
    assert post.how.tolist() == [WEIGHTED] and post.mean()[0] == pytest.approx(mean, abs=5 * post.error[0])


def test_contradictory_and_missing_rankings():
    cycle = [[[i], [(i + 1) % 5], [(i + 2) % 5]] for i in range(5)]
    for gamma in (1, 40):
        post = posterior(cycle, 6, reliability=gamma)
        p = post.membership(1)[0, :5]
        assert reliable(post) and p == pytest.approx(np.full(5, p.mean()), abs=5 * post.error[0] + 1e-9)
    empty = posterior([], 6)
    assert empty.membership(1)[0] == pytest.approx(1 / 6) and empty.error[0] == 0 and empty.certainty(2)[0] == pytest.approx(1 / 15)
    assert np.isnan(posterior([], 6, unranked="ignore").certainty(2)[0])


@pytest.mark.parametrize("shape", [1.0, 0.1, 0.01, 0.001])
@pytest.mark.parametrize("unranked", ["individual", "lump", "ignore"])
def test_weighted_points_of_one_ranking(shape, unranked):
    """What is hardest for integrals: "lump" with 419 classes, shapes down to a thousandth."""
    for n_classes in (5, 419):
        rest = {"individual": (n_classes - 4) * shape, "lump": shape, "ignore": 0.0}[unranked]
        post = posterior([[[2], [0], [3], [1]]], n_classes, prior_shape=shape, unranked=unranked, method="weighted")
        left, mean = 1.0, []
        for place in range(4):
            behind = shape * (3 - place) + rest
            alpha = shape + (behind > 0)
            mean.append(left * alpha / (alpha + behind))
            left *= behind / (alpha + behind)
        assert post.how.tolist() == [WEIGHTED] and post.error[0] <= 2e-3
        assert post.mean()[0, [2, 0, 3, 1]] == pytest.approx(mean, abs=4.5 * post.error[0])
        exact = posterior([[[2], [0], [3], [1]]], n_classes, prior_shape=shape, unranked=unranked)
        assert exact.how.tolist() == [EXACT]
        assert post.membership(1) == pytest.approx(exact.membership(1), abs=4.5 * post.error[0] + exact.error[0])


@pytest.mark.parametrize(
    ("case", "alike", "gamma", "shape"),
    [
        ([[[0, 2]]], (0, 2), 3.3, 0.02), ([[[0, 2], [1]], [[2, 0]]], (0, 2), 3.3, 0.02),
        ([[[1, 0], [2]], [[0, 1], [2]]], (0, 1), 0.7, 0.01),
        ([[[1, 2]]], (1, 2), 1.3, 0.1), ([[[0, 1]]], (0, 1), 0.01, 0.001), ([[[0, 1, 2]]], (0, 1, 2), 10.5, 0.3),
    ],
)  # fmt: skip
def test_exchangeable_classes_in_ties(case, alike, gamma, shape):
    """Before, .19 and .81 with a stated error of .005."""
    post = posterior(case, 3, reliability=gamma, prior_shape=shape)
    for table in (post.membership(1)[0], post.mean()[0]):
        assert table[list(alike)] == pytest.approx(np.full(len(alike), table[list(alike)].mean()), abs=4 * post.error[0])
    assert reliable(post) and post.error[0] <= 2e-3
    two = post.certainty_error(0, 2, "set")[0]
    assert post.membership(2)[0, alike[0]] == pytest.approx(post.membership(2)[0, alike[1]], abs=5 * two + 5e-3)


def test_points_that_are_not_relied_on(monkeypatch):
    """Numbers with errors of NaN, and one warning that names the cases; cases that are integrated keep their errors."""
    rankings = ugt.Rankings.from_blocks([[[[0, 1]], [[1], [2]]], [[[0]]], [[[2, 0]]]], n_classes=4, case_ids=["a", "b", "c"])
    usual = ugt.plackett_luce(rankings, reliability=1.5)
    monkeypatch.setattr(weighted, "LEAST_EFFECTIVE", 10**9)
    known = r"points of 2 of 3 cases are not reliable.*: case 'a' \(\d+ of [\d,]+ points hold half of the weight, .*, case 'c' "
    with pytest.warns(RuntimeWarning, match=known):
        post = ugt.plackett_luce(rankings, reliability=1.5)
    assert np.isnan(post.error).tolist() == [True, False, True] == post.unreliable.tolist()
    assert post.membership(1).tobytes() == usual.membership(1).tobytes() and np.isnan(ugt.annotation_certainty(post).mc_error)
    assert "The points of 2 cases are not reliable: their errors are NaN." in post.note
    with pytest.warns(RuntimeWarning, match=r"of 1 of 3 cases are not reliable.*: case 'b'"):
        assert np.isnan(post.certainty_error(0, 2, "set")).all() and post.certainty(2).tolist() == usual.certainty(2).tolist()
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # once is enough
        post.certainty(3)
        assert np.isnan(post.grouped([0, 0, 1, 1]).error).all()
        assert np.isnan(ugt.metrics.ua_overlap(post, np.eye(4)[:3], k=2).mc_error)


def test_a_posterior_beyond_doubles():
    class Refusing:
        def fit_points(self, *arguments):
            arguments[-1][:] = 0.0
            return True

    points = posterior([[[0, 1]]], 3, reliability=1.5).points
    broken = replace(points)
    broken.__dict__["stages"] = Refusing()
    with pytest.raises(ValueError, match=r"rankings must have a posterior within the range of doubles. Got no point .*, first at case 0"):
        broken.each(np.zeros(1, np.int64), lambda i, case: None)


def test_checkpoints(tmp_path):
    """Of points and of integrals: the same bytes, also of later questions; those of other methods are refused."""
    rankings = ugt.Rankings.from_blocks([[[[0, 1]], [[1], [2]]], [[[0]]], [], [[[2, 0]]]] * 9, n_classes=5)
    file = tmp_path / "run"
    first = ugt.plackett_luce(rankings, reliability=1.5, checkpoint=file)
    again = ugt.plackett_luce(rankings, reliability=1.5, checkpoint=file)
    for post in (again, ugt.plackett_luce(rankings, reliability=1.5, n_threads=2)):
        assert post.listed.tobytes() == first.listed.tobytes() and post.error.tobytes() == first.error.tobytes()
        assert post.certainty(2).tobytes() == first.certainty(2).tobytes()
        assert post.effective_size.tobytes() == first.effective_size.tobytes()
    for options in ({"method": "weighted"}, {"method": "gibbs"}, {"method": "exact", "reliability": 2}, {"n_draws": 100}, {"seed": 1}):
        with pytest.raises(
            ValueError, match=r"checkpoint must be of the same data, options and version \(delete the file to start afresh\)"
        ):
            ugt.plackett_luce(rankings, **{"reliability": 1.5, "checkpoint": file, **options})


def test_cases_without_annotations_by_points_only():
    """Nothing is computed for them, and nothing is read that was not written."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for unranked, rest in (("individual", 0.25), ("lump", 0.25), ("ignore", np.nan)):
            post = ugt.plackett_luce(ugt.Rankings.from_blocks([[], [[[0], [1]]], []], n_classes=4), method="weighted", unranked=unranked)
            assert post.mean()[[0, 2]] == pytest.approx(np.full((2, 4), rest), nan_ok=True) and post.how.tolist() == [0, WEIGHTED, 0]
