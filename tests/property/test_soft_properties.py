"""Properties of soft AUROC and average precision: what may change without changing the answer, and how it changes else."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from twins import soft as twin

import ugt

pytestmark = pytest.mark.filterwarnings("ignore")

INF = float("inf")
METRICS = {
    **{f"auroc {pairs}": (ugt.soft_auroc, {"self_pairs": pairs}) for pairs in ("exclude", "half", "include")},
    **{
        f"precision {term} {ties}": (ugt.soft_average_precision, {"self_term": term, "ties": ties})
        for term in ("certain", "probability")
        for ties in ("group", "expected")
    },
}
metrics = pytest.mark.parametrize("name", METRICS)
# multiples of 1/64 and 1/8: sums are exact, 1 - p is too
probabilities = st.integers(0, 64).map(lambda x: x / 64)
scores = st.sampled_from([-INF, -2.5, -1.0, -0.0, 0.0, 1e-300, 1.0, 1.5, 7.0, 1e300, INF]) | st.floats(-5, 5)
whole = st.integers(0, 4)


@st.composite
def problems(draw, most=14):
    """p, scores and frequencies, of which some are above 0."""
    n = draw(st.integers(1, most))
    found = tuple(np.array(draw(st.lists(kind, min_size=n, max_size=n))) for kind in (probabilities, scores, whole))
    found[2][draw(st.integers(0, n - 1))] += 1
    return found


@st.composite
def tables(draw):
    """Several columns."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    n, k = draw(st.integers(1, 10)), draw(st.integers(2, 4))
    p = rng.dirichlet(np.ones(k), n) if draw(st.booleans()) else np.eye(k)[rng.integers(0, k, n)]
    return p, rng.integers(0, 5, (n, k)).astype(float), rng.integers(0, 4, n) + (np.arange(n) == 0)


def answers(name, p, scores, frequency=None, **more):
    metric, options = METRICS[name]
    return metric(p, scores, frequency=frequency, **options, **more)


def same(found, expected, exactly=False):
    """Value and hard twin, and whether they are defined."""
    tolerance = 0 if exactly else 1e-12
    np.testing.assert_allclose((found.value, found.hard), (expected.value, expected.hard), rtol=0, atol=tolerance)


# ---- what changes nothing
@metrics
@given(problems(), st.randoms())
def test_order_of_cases(name, problem, random):
    rows = random.sample(range(len(problem[0])), len(problem[0]))
    found, turned = (answers(name, *(array[at] for array in problem)) for at in (slice(None), rows))
    same(turned, found)
    if "expected" not in name:
        np.testing.assert_allclose(turned.influence, found.influence[rows], atol=1e-12)
        np.testing.assert_allclose(turned.std_error, found.std_error, atol=1e-10)


@metrics
@given(problems(), st.lists(st.floats(allow_nan=False), min_size=14, max_size=14, unique_by=lambda x: x + 0.0))
def test_monotone_transforms_of_scores(name, problem, values):
    p, scores, weights = problem
    rank = np.unique(scores, return_inverse=True)[1].reshape(-1)
    found = answers(name, p, scores, weights)
    for turned in (rank, np.sort(values)[rank], rank.astype(np.float32) - 3, np.exp(rank)):
        same(answers(name, p, turned, weights), found, exactly=True)


@metrics
@given(problems())
def test_frequencies_are_copies(name, problem):
    p, scores, weights = problem
    found = answers(name, p, scores, weights)
    same(found, answers(name, np.repeat(p, weights), np.repeat(scores, weights)))
    # in any order, and some of them in one row still
    rows = np.append(np.arange(len(p))[::-1], np.arange(len(p)))
    half = weights // 2
    split = np.append((weights - half)[::-1], half)
    same(found, answers(name, p[rows], scores[rows], split))


@pytest.mark.parametrize("name", [name for name in METRICS if "expected" not in name])
@given(problems(), st.sampled_from([2.0**-30, 0.5, 3.0, 1000.0]))
def test_scale_of_weights(name, problem, scale):
    p, scores, weights = problem
    found = [answers(name, p, scores, case_weights=each) for each in (weights * scale, weights)]
    same(*found)
    np.testing.assert_allclose(found[0].influence, found[1].influence, atol=1e-12)
    if "half" in name or "probability" in name:  # without pairs of a case with itself
        same(found[0], answers(name, p, scores, weights))


@metrics
@given(problems())
def test_one_of_each(name, problem):
    p, scores, _ = problem
    found, expected = answers(name, p, scores, np.ones(len(p))), answers(name, p, scores)
    same(found, expected, exactly=True)
    np.testing.assert_allclose(found.std_error, expected.std_error)
    if "expected" not in name:
        same(answers(name, p, scores, case_weights=np.ones(len(p))), expected)


@metrics
@given(problems())
def test_cases_that_do_not_count(name, problem):
    """Frequency or weight zero, and no truth."""
    p, scores, weights = problem
    kept = weights > 0
    expected = answers(name, p[kept], scores[kept], weights[kept])
    found = answers(name, p, scores, weights)
    same(found, expected)
    without = answers(name, np.where(kept, p, np.nan), scores, weights)
    same(without, expected, exactly=True)
    assert without.n_cases == found.n_cases == weights.sum()
    if "expected" not in name:
        pair = answers(name, p, scores, case_weights=weights), answers(name, p[kept], scores[kept], case_weights=weights[kept])
        same(*pair)
        assert pair[0].n_cases == pair[1].n_cases == kept.sum()
    if "expected" not in name and not np.isnan(found.value):
        for other in (found, without):
            np.testing.assert_allclose(other.influence[kept], expected.influence, atol=1e-12)
            assert (other.influence[~kept] == 0).all()


@metrics
@given(problems())
def test_labels_are_their_own_hard_twin(name, problem):
    p, scores, weights = problem
    found = answers(name, p >= 0.5, scores, weights)
    np.testing.assert_allclose(found.value, found.hard, atol=1e-12)
    below = answers(name, p, scores, weights, threshold=0.49)
    np.testing.assert_allclose(below.hard, found.value, atol=1e-12)


@given(problems())
def test_variants_agree_on_labels(problem):
    p, scores, weights = problem
    labels = p > 0.5
    for family in ("auroc", "precision certain", "precision probability"):
        found = [answers(name, labels, scores, weights).value for name in METRICS if name.startswith(family) and "expected" not in name]
        np.testing.assert_allclose(found, found[0], atol=1e-13)
    terms = [answers(f"precision {term} expected", labels, scores, weights).value for term in ("certain", "probability")]
    np.testing.assert_allclose(*terms, atol=1e-13)


@given(problems())
def test_without_ties_orders_are_groups(problem):
    p, _, _ = problem
    for term in ("certain", "probability"):
        expected, group = (answers(f"precision {term} {ties}", p, np.argsort(p * 37 % 1)) for ties in ("expected", "group"))
        same(expected, group)


# ---- how it changes
@given(problems())
def test_symmetries(problem):
    p, scores, weights = problem
    opposite = {"exclude": "include", "half": "half", "include": "exclude"}
    for pairs, other in opposite.items():
        found = answers(f"auroc {pairs}", p, scores, weights)
        np.testing.assert_allclose(answers(f"auroc {other}", 1 - p, scores, weights).value, 1 - found.value, atol=1e-12)
        np.testing.assert_allclose(answers(f"auroc {other}", p, -scores, weights).value, 1 - found.value, atol=1e-12)
        turned = answers(f"auroc {pairs}", 1 - p, -scores, weights)
        np.testing.assert_allclose(turned.value, found.value, atol=1e-12)
        np.testing.assert_allclose(turned.influence, found.influence, atol=1e-12)
        np.testing.assert_allclose(turned.std_error, found.std_error, atol=1e-10)


@given(problems())
def test_range(problem):
    p, scores, weights = problem
    exclude, half, include = (answers(f"auroc {pairs}", p, scores, weights).value for pairs in ("exclude", "half", "include"))
    if not np.isnan(half):
        assert -1e-12 <= exclude <= half + 1e-12 and half <= include + 1e-12 and include <= 1 + 1e-12
    for ties in ("group", "expected"):
        probable, certain = (answers(f"precision {term} {ties}", p, scores, weights).value for term in ("probability", "certain"))
        if not np.isnan(certain):
            assert 0 < probable <= certain + 1e-12 and certain <= 1 + 1e-12
    found = answers("precision certain group", np.ones(len(p)), scores)
    assert found.value == pytest.approx(1, abs=1e-14)


@given(problems())
def test_curves(problem):
    p, scores, weights = problem
    kept = weights > 0
    for drop in (False, True):
        options = {"frequency": weights[kept], "drop_intermediate": drop}
        roc = ugt.soft.soft_roc_curve(p[kept], scores[kept], **options)
        assert roc.thresholds[0] == INF and (np.diff(roc.thresholds[1:]) < 0).all()
        half = answers("auroc half", p, scores, weights).value
        if not np.isnan(half):
            assert roc.area == pytest.approx(half, abs=1e-12)
            assert twin.trapezoids(roc.false_positive_rate, roc.true_positive_rate) == pytest.approx(half, abs=1e-12)
            assert (np.diff(roc.false_positive_rate) >= 0).all() and (np.diff(roc.true_positive_rate) >= 0).all()
        curve = ugt.soft.soft_precision_recall_curve(p[kept], scores[kept], **options)
        probable = answers("precision probability group", p, scores, weights).value
        if not np.isnan(probable):
            assert curve.area == pytest.approx(probable, abs=1e-12)
            assert twin.steps(curve.precision, curve.recall) == pytest.approx(probable, abs=1e-12)
            assert (np.diff(curve.recall) <= 0).all() and (np.diff(curve.thresholds) > 0).all()


# ---- several columns
@pytest.mark.parametrize("average", ["macro", "weighted"])
@pytest.mark.parametrize("multiclass", ["ovr", "ovo", "precision"])
@given(tables(), st.randoms())
def test_columns(multiclass, average, problem, random):
    p, scores, weights = problem
    metric = ugt.soft_average_precision if multiclass == "precision" else ugt.soft_auroc
    options = {"average": average, **({} if multiclass == "precision" else {"multiclass": multiclass})}
    found = metric(p, scores, frequency=weights, **options)
    columns = random.sample(range(p.shape[1]), p.shape[1])
    same(metric(p[:, columns], scores[:, columns], frequency=weights, **options), found)
    rows = random.sample(range(len(p)), len(p))
    same(metric(p[rows], scores[rows], frequency=weights[rows], **options), found)
    same(metric(np.repeat(p, weights, 0), np.repeat(scores, weights, 0), **options), found)
    same(metric(p, scores * 2 + 1, frequency=weights, **options), found, exactly=True)
    if multiclass != "ovo":
        each = [metric(*pair, frequency=weights).value for pair in zip(p.T, scores.T)]
        np.testing.assert_allclose(found.per_class, each, atol=1e-12)
        assert sum(found.left_out.values()) == np.isnan(each).sum()


@given(tables())
def test_two_classes(problem):
    """One column's score, the other's turned around: both pairs are the same."""
    p, scores, weights = (array[..., :2] if array.ndim == 2 else array for array in problem)
    p = p / np.where(p.sum(1) > 0, p.sum(1), 1)[:, None]
    p[p.sum(1) == 0] = 0.5
    p[:, 0] = 1 - p[:, 1]
    turned = np.stack([-scores[:, 1], scores[:, 1]], 1)
    one = ugt.soft_auroc(p[:, 1], scores[:, 1], frequency=weights)
    for multiclass in ("ovr", "ovo"):
        found = ugt.soft_auroc(p, turned, frequency=weights, multiclass=multiclass)
        np.testing.assert_allclose(found.value, one.value, atol=1e-12)
        np.testing.assert_allclose(found.influence, one.influence, atol=1e-12)
