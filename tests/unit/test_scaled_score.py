"""Intervals of paired differences that few cases make up, beside their slow twin, Tango's example and the designs that they are for."""

import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import ndtri
from twins import scaled_score as twin

import ugt
from ugt.resampling.scaled_score import FEW_DISCORDANT, PairedDifferences, _upper
from ugt.resampling.student import Units

SIZES = st.sampled_from([-1.0, -0.6, -0.25, 0.0, 0.0, 0.0, 0.3, 1.0])


def of(values, weights=None, clusters=None, level=0.95):
    """The interval of the values of cases, by the library."""
    d = np.asarray(values, float)
    w = np.ones_like(d) if weights is None else np.asarray(weights, float)
    low, high = PairedDifferences.of([(w * d, w)], ugt.resampling.Design.of(len(d), clusters)).ends(level)[0]
    return low, high


@given(st.lists(SIZES, min_size=2, max_size=30), st.data(), st.sampled_from([0.8, 0.95, 0.99]))
def test_equals_twin(values, data, level):
    n = len(values)
    weights = data.draw(st.none() | st.lists(st.floats(0.1, 5), min_size=n, max_size=n))
    clusters = data.draw(st.none() | st.lists(st.integers(0, n // 2), min_size=n, max_size=n).filter(lambda ids: len(set(ids)) > 1))
    assert of(values, weights, clusters, level) == pytest.approx(twin.interval(values, weights, clusters, level), abs=1e-12)


def test_published_example():
    """The 2 x 2 table (1, 1, 7, 12) of Tango (1998), as in Fagerland, Lydersen & Laake (2014), Table IV."""
    n, s, q, z = np.array([21.0]), np.array([-6.0]), np.array([8.0]), np.array([ndtri(0.975)])
    assert (-_upper(-s, q, n, z), _upper(s, q, n, z)) == (pytest.approx(-0.5172, abs=5e-5), pytest.approx(-0.0260, abs=5e-5))


def test_examples():
    assert of([1] * 3 + [-1] + [0] * 96) == pytest.approx((-0.02902, 0.07701), abs=6e-6)
    assert of([0.8, 0.6, -0.4, 1] + [0] * 56) == pytest.approx((-0.02825, 0.10979), abs=6e-6)
    assert of([0] * 60) == pytest.approx((-0.06256, 0.06256), abs=6e-6)
    assert of([1, 1, 0, 0, -1] + [0] * 45, clusters=np.repeat(range(10), 5)) == pytest.approx((-0.14589, 0.19202), abs=6e-6)
    assert np.isnan(of([1, 0], clusters=[4, 4])).all()  # one unit


def both(right, other, **options):
    """The difference of two models that are right or wrong, as a difference of results and as one of resamples."""
    truth = ugt.Point.from_array(np.eye(2)[np.zeros(len(right), int)])
    scores = [np.where(np.asarray(one)[:, None], [[1.0, 0.0]], [[0.0, 1.0]]) for one in (right, other)]
    first, second = (ugt.ua_topk_accuracy(truth, one) for one in scores)
    level = options.pop("level", 0.95)
    tables = ugt.bootstrap(np.stack([right, other], axis=1), **options).minus(1).interval(level)
    return first.minus(second).interval(level, **options), tuple(tables[0])


@pytest.mark.parametrize("n", [60, 300, 900])
def test_few_cases_in_which_models_differ(n):
    right, other = np.ones(n, bool), np.ones(n, bool)
    assert both(right, other) == (pytest.approx(twin.interval([0] * n), abs=1e-12),) * 2  # equal picks: a width, since others may differ
    right[:2], other[2:7] = False, False
    expected = pytest.approx(twin.interval([-1] * 2 + [1] * 5 + [0] * (n - 7)), abs=1e-12)
    assert both(right, other) == (expected, expected)
    clusters = np.arange(n) // 3
    expected = pytest.approx(twin.interval([-1] * 2 + [1] * 5 + [0] * (n - 7), clusters=clusters.tolist(), level=0.9), abs=1e-12)
    assert both(right, other, clusters=clusters, level=0.9) == (expected, expected)


@pytest.mark.parametrize("n", [100, 600])
def test_many_cases_in_which_models_differ_have_the_usual_interval(n):
    right, other = np.ones(n, bool), np.ones(n, bool)
    right[: FEW_DISCORDANT // 2], other[FEW_DISCORDANT // 2 : FEW_DISCORDANT] = False, False
    scored, _ = both(right, other)
    assert scored != pytest.approx(twin.interval([-1] * 10 + [1] * 10 + [0] * (n - 20)), abs=1e-6)
    other[0] = False  # one discordant case fewer
    expected = twin.interval([-1] * 9 + [1] * 10 + [0] * (n - 19))
    assert both(right, other) == (pytest.approx(expected, abs=1e-12),) * 2


def test_who_has_it():
    """Differences of shares with the same weights; not shares themselves, strata, other statistics or other kinds of intervals."""
    right = np.ones((80, 3))
    right[:3, 0], right[4, 1], right[:40, 2] = 0, 0, np.nan
    found = ugt.bootstrap(right, n_resamples=200)
    assert found._units.of_few_pairs(0.95) is None
    differences = found.minus(0)
    few = differences._units.of_few_pairs(0.95)
    assert np.isnan(few).tolist() == [[True, True], [False, False], [True, True]]
    assert differences.interval()[1].tolist() == few[1].tolist()
    assert differences.interval()[0].tolist() == [0, 0]
    assert differences.interval(kind="percentile")[1].tolist() != few[1].tolist()
    assert differences.take([1]).interval().tolist() == few[1:2].tolist()
    for one in (pickle.loads(pickle.dumps(found)).minus(0), pickle.loads(pickle.dumps(differences))):
        np.testing.assert_array_equal(one.interval(), differences.interval())
    parts = ugt.resampling.Resamples.beside([found.take([1]), found.take([0])]).minus(1)
    np.testing.assert_array_equal(parts.interval()[0], few[1])
    stratified = ugt.bootstrap(right, strata=np.arange(80) % 2, n_resamples=200).minus(0)
    assert stratified._units.of_few_pairs(0.95) is None
    assert isinstance(found._units, Units)
