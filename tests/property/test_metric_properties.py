"""Properties that every metric has, whatever it measures: a metric is registered once and inherits them all."""

from __future__ import annotations

import inspect
import pickle
from dataclasses import dataclass
from functools import partial
from typing import Callable

import numpy as np
import pytest
from effort import examples
from hypothesis import given
from hypothesis import strategies as st
from layouts import layouts
from refusals import refused
from surface import every, public

import ugt
from ugt import Dirichlet, Draws, Point
from ugt.plausibilities import dirichlet, dirichlet_comparison, point
from ugt.plausibilities import orders as _orders
from ugt.plausibilities.metric import AVERAGE_OVERLAP
from ugt.plausibilities.metric import METRICS as DECLARED


@dataclass(frozen=True)
class Metric:
    """How to call a metric: ``call(truth, prediction, k)``. ``takes``: what it judges."""

    call: Callable
    takes: str = "scores"
    full_k: bool = False  # 1 where k = K


def with_k(function, **more):
    return lambda truth, prediction, k: function(truth, prediction, k, **more)


OPTIONS = {"ua_kendall_distance": {"penalty": 0.5}}
METRICS = {
    **{
        one.function: Metric(with_k(public(one.function), **OPTIONS.get(one.function, {})), full_k=one.number < AVERAGE_OVERLAP)
        for one in DECLARED.values()
    },
    "ua_reciprocal_rank": Metric(with_k(ugt.metrics.ua_reciprocal_rank)),
    "ua_coverage": Metric(lambda truth, sets, k: ugt.metrics.ua_coverage(truth, sets), "sets"),
    "ua_coverage of two": Metric(lambda truth, sets, k: ugt.metrics.ua_coverage(truth, sets, j=min(2, sets.shape[1])), "sets"),
    "ua_set_accuracy of sets": Metric(lambda truth, sets, k: ugt.metrics.ua_set_accuracy(truth, sets), "sets"),
    "ua_overlap of sets": Metric(lambda truth, sets, k: ugt.metrics.ua_overlap(truth, sets), "sets"),
    "ua_plausibility_mass": Metric(lambda truth, sets, k: ugt.metrics.ua_plausibility_mass(truth, sets), "sets"),
    "annotation_certainty": Metric(lambda truth, _, k: ugt.annotation_certainty(truth, k=k), "nothing", full_k=True),
    "annotation_certainty of ranks": Metric(lambda truth, _, k: ugt.annotation_certainty(truth, k=k, kind="rank"), "nothing"),
    "expected_risk": Metric(lambda truth, risk, k: ugt.truth.expected_risk(truth, risk), "risks"),
    "expected_risk of plausibility": Metric(lambda truth, risk, k: ugt.truth.expected_risk(truth, risk, kind="plausibility"), "risks"),
}
WITH_SCORES = [name for name, metric in METRICS.items() if metric.takes == "scores"]
KINDS = {"Point": Point.from_array, "Dirichlet": Dirichlet.from_array, "Draws": Draws.from_array}

metrics = pytest.mark.parametrize("name", METRICS)
kinds = pytest.mark.parametrize("kind", KINDS)


def test_every_public_metric_is_registered():
    judging = {name for name, one in every().items() if inspect.isfunction(one) and "truth" in inspect.signature(one).parameters}
    others = {"accuracy_bounds", "ua_group_accuracy", "uncertainty_parts"}  # no metrics in [0, 1] with a value per case alone
    others |= {"accuracy_by_class", "diagnostic_accuracy", "expected_cost", "net_benefit"}
    assert judging - {*others, *ugt.studies.__all__, *ugt.grades.__all__} == {name.split()[0] for name in METRICS}


@dataclass(frozen=True)
class Problem:
    """Tables of truth and predictions, before anybody makes plausibilities of them."""

    truth: np.ndarray  # (N, K), rows of NaN are undefined
    scores: np.ndarray  # (N, K)
    sets: np.ndarray  # (N, K) bool
    risks: np.ndarray  # (K,)
    k: int
    ids: tuple

    def table(self, kind):
        """Draws: three draws with the same zeros, from which one class or the other sticks out."""
        if kind != "Draws":
            return self.truth
        return np.stack([self.truth, self.truth**2, self.truth * (1 + np.arange(self.truth.shape[1]))], 1)

    def post(self, kind):
        return KINDS[kind](self.table(kind), case_ids=list(self.ids))

    def prediction(self, name):
        return {"scores": self.scores, "sets": self.sets, "risks": self.risks, "nothing": None}[METRICS[name].takes]

    def answer(self, name, kind, post=None):
        return METRICS[name].call(self.post(kind) if post is None else post, self.prediction(name), self.k)

    def cases(self, rows):
        ids = tuple(self.ids[i] for i in rows)
        return Problem(self.truth[rows], self.scores[rows], self.sets[rows], self.risks, self.k, ids)

    def classes(self, order):
        return Problem(self.truth[:, order], self.scores[:, order], self.sets[:, order], self.risks[order], self.k, self.ids)


def random_problem(n, n_classes, k, seed):
    """Small whole numbers: many ties, some zeros, now and then an undefined case."""
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, 4, (n, n_classes)).astype(float)
    truth[np.arange(n), rng.integers(0, n_classes, n)] += 1
    truth[rng.random(n) < 0.1] = np.nan
    truth[0] = 1 + np.arange(n_classes)
    ids = tuple(f"case {i}" for i in rng.permutation(n))
    return Problem(truth, rng.integers(0, 3, (n, n_classes)) - 1.0, rng.random((n, n_classes)) < 0.4, rng.integers(0, 5, n_classes), k, ids)


@st.composite
def problems(draw):
    n_classes = draw(st.integers(1, 5))
    return random_problem(draw(st.integers(1, 6)), n_classes, draw(st.integers(1, n_classes)), draw(st.integers(0, 2**32)))


LARGE = random_problem(200, 6, 3, 0)
quick = examples(8)


def assert_same(a, b, exactly=True):
    """Records say the same, to the last bit or up to the rounding of sums."""
    close = np.testing.assert_array_equal if exactly else partial(np.testing.assert_allclose, atol=1e-12)
    for name, value in vars(a).items():
        if not callable(value) and isinstance(value, (float, np.ndarray)) and name != "_ids":
            close(getattr(b, name), value)
    assert (a.n_cases, a.left_out) == (b.n_cases, b.left_out) and np.array_equal(a._ids, b._ids)


# ---- what may change without changing the answer -------------------------------------------------------
@metrics
@kinds
@given(problems(), st.randoms())
@quick
def test_order_of_cases(name, kind, problem, random):
    rows = random.sample(range(len(problem.ids)), len(problem.ids))
    found, turned = problem.answer(name, kind), problem.cases(rows).answer(name, kind)
    np.testing.assert_array_equal(turned.per_case, found.per_case[rows])
    assert turned.value == pytest.approx(found.value, abs=1e-14)


@metrics
@kinds
@given(problems(), st.randoms())
@quick
def test_order_of_classes(name, kind, problem, random):
    order = random.sample(range(len(problem.risks)), len(problem.risks))
    if kind == "Draws":  # the draws of a problem depend on the order of its classes
        table = problem.table(kind)
        found = problem.answer(name, kind, Draws.from_array(table))
        turned = problem.classes(order).answer(name, kind, Draws.from_array(table[:, :, order]))
    else:
        found, turned = problem.answer(name, kind), problem.classes(order).answer(name, kind)
    assert_same(found, turned, exactly=False)


@pytest.mark.parametrize("name", WITH_SCORES)
@kinds
@given(problems())
@quick
def test_monotone_transforms_of_scores(name, kind, problem):
    found = problem.answer(name, kind)
    for transform in (np.exp, lambda s: s**3 / 7 - 100, lambda s: np.where(s > 0, np.inf, s)):
        assert_same(found, METRICS[name].call(problem.post(kind), transform(problem.scores), problem.k))


@metrics
@kinds
@given(problems())
@quick
def test_duplicated_cases(name, kind, problem):
    found = problem.answer(name, kind)
    twice = METRICS[name].call(
        KINDS[kind](np.concatenate([problem.table(kind)] * 2)),
        problem.prediction(name) if METRICS[name].takes in ("risks", "nothing") else np.concatenate([problem.prediction(name)] * 2),
        problem.k,
    )
    np.testing.assert_array_equal(twice.per_case, np.concatenate([found.per_case] * 2))
    assert twice.value == pytest.approx(found.value, abs=1e-14)
    if hasattr(found, "draw_std"):  # draws of cases are independent, those of a data set of draws are not
        expected = found.draw_std / (np.sqrt(2) if kind == "Dirichlet" else 1)
        assert twice.draw_std == pytest.approx(expected, abs=1e-12)


@metrics
@kinds
@given(problems(), st.data())
@quick
def test_other_cases_do_not_matter(name, kind, problem, data):
    rows = data.draw(st.lists(st.integers(0, len(problem.ids) - 1), min_size=1, unique=True))
    if np.isnan(problem.truth[rows]).all():
        return
    found, some = problem.answer(name, kind), problem.cases(rows).answer(name, kind)
    np.testing.assert_array_equal(some.per_case, found.per_case[rows])


# ---- how the work is done ------------------------------------------------------------------------------

CHUNKS = [(_orders, "CHUNK"), (point, "CHUNK"), (dirichlet, "PROFILES"), (dirichlet, "CASES"), (dirichlet, "SAMPLED"),
          (dirichlet_comparison, "PROFILES"), (dirichlet_comparison, "CASES")]  # fmt: skip


@pytest.fixture
def small_chunks(monkeypatch):
    for module, name in CHUNKS:
        monkeypatch.setattr(module, name, 7)


@metrics
@kinds
def test_threads(name, kind, small_chunks):
    answers = []
    for n_threads in (1, 2, 4):
        with ugt.resampling.threads(n_threads):
            found = LARGE.answer(name, kind)
            quantiles = found.draw_quantile(np.linspace(0, 1, 11)) if hasattr(found, "draw_quantile") else None
            answers.append((found, quantiles, found.interval(n_resamples=50)))
    for other, quantiles, interval in answers[1:]:
        assert_same(answers[0][0], other)
        np.testing.assert_array_equal(quantiles, answers[0][1])
        assert interval == answers[0][2]


@metrics
@kinds
def test_chunks(name, kind, monkeypatch):
    whole = LARGE.answer(name, kind)
    for size in (1, 13, 10**6):
        for module, chunk in CHUNKS:
            monkeypatch.setattr(module, chunk, size)
        found = LARGE.answer(name, kind)
        np.testing.assert_array_equal(found.per_case, whole.per_case)
        assert_same(whole, found, exactly=False)  # sums of draws over cases are added up chunk by chunk


@pytest.mark.parametrize("name", ["ua_average_overlap", "ua_kendall_distance", "ua_footrule_distance"])
def test_sampled_lists_belong_to_their_cases(name, monkeypatch):
    monkeypatch.setattr(dirichlet_comparison, "MOST_LISTS", 1)
    whole = LARGE.answer(name, "Dirichlet")
    assert whole.per_draw is not None
    with ugt.resampling.threads(4):
        assert_same(whole, LARGE.answer(name, "Dirichlet"))
    rows = np.random.default_rng(0).permutation(200)[:70]
    np.testing.assert_array_equal(LARGE.cases(rows).answer(name, "Dirichlet").per_case, whole.per_case[rows])


@pytest.mark.parametrize("name", WITH_SCORES)
@kinds
def test_layouts_of_scores(name, kind, tmp_path):
    found = LARGE.answer(name, kind)
    for scores in layouts(LARGE.scores, tmp_path, ("f4", "f2", "g", "i1", "i8", ">i4")).values():
        assert_same(found, METRICS[name].call(LARGE.post(kind), scores, 3))
    shifted = (LARGE.scores + 1).astype(np.uint8)
    assert_same(found, METRICS[name].call(LARGE.post(kind), shifted, 3))


@metrics
@kinds
def test_layouts_of_truth(name, kind, tmp_path):
    found = METRICS[name].call(KINDS[kind](LARGE.table(kind)), LARGE.prediction(name), 3)
    for table in layouts(LARGE.table(kind), tmp_path, ("f4", "f2", "g")).values():
        assert_same(found, METRICS[name].call(KINDS[kind](table), LARGE.prediction(name), 3))
    if kind == "Draws":  # arrays as they are
        assert_same(found, METRICS[name].call(LARGE.table(kind), LARGE.prediction(name), 3))
    if kind == "Point":  # a bare table of whole numbers may be anything, but shares are plausibilities
        shares = LARGE.table(kind) / 64
        found = METRICS[name].call(ugt.Point.from_array(shares), LARGE.prediction(name), 3)
        for table in layouts(shares, tmp_path, ("f4", "f2", "g")).values():
            assert_same(found, METRICS[name].call(table, LARGE.prediction(name), 3))


@metrics
@kinds
def test_nothing_is_written_to(name, kind):
    problem = random_problem(20, 4, 2, 1)
    before = pickle.dumps(problem)
    truth = problem.table(kind)
    copy = truth.copy()
    METRICS[name].call(KINDS[kind](truth), problem.prediction(name), 2)
    np.testing.assert_array_equal(truth, copy)
    assert pickle.dumps(problem) == before


@metrics
@kinds
def test_pickled_plausibilities_answer_the_same(name, kind):
    post = LARGE.post(kind)
    found = LARGE.answer(name, kind, post)
    assert_same(found, LARGE.answer(name, kind, pickle.loads(pickle.dumps(post))))
    assert_same(found, pickle.loads(pickle.dumps(found)))


# ---- the ends of the range -----------------------------------------------------------------------------
@metrics
@kinds
@given(problems())
@quick
def test_range(name, kind, problem):
    found = problem.answer(name, kind)
    defined = ~np.isnan(problem.truth).any(1)
    np.testing.assert_array_equal(np.isnan(found.per_case), ~defined)
    assert found.n_cases == defined.sum()
    if METRICS[name].takes != "risks":
        assert ((found.per_case[defined] >= 0) & (found.per_case[defined] <= 1)).all()
        assert 0 <= found.value <= 1


@pytest.mark.parametrize("name", [name for name, metric in METRICS.items() if metric.full_k])
@kinds
@given(problems())
@quick
def test_all_classes(name, kind, problem):
    found = METRICS[name].call(problem.post(kind), problem.prediction(name), len(problem.risks))
    np.testing.assert_allclose(found.per_case[~np.isnan(found.per_case)], 1, atol=1e-12)


@metrics
@kinds
def test_one_case_and_one_class(name, kind):
    problem = Problem(np.array([[2.0]]), np.array([[0.3]]), np.array([[True]]), np.array([3]), 1, ("a",))
    expected = {"risks": 3.0}.get(METRICS[name].takes, 0.0 if "distance" in name else 1.0)
    assert problem.answer(name, kind).value == pytest.approx(expected, abs=1e-14)


@pytest.mark.parametrize("name", WITH_SCORES)
@kinds
def test_bad_scores(name, kind):
    problem = random_problem(5, 3, 2, 4)
    post = problem.post(kind)
    scores = problem.scores.copy()
    scores[3, 1] = np.nan
    refused(f"scores must not be NaN. Got nan, first at case '{problem.ids[3]}', class 1.", METRICS[name].call, post, scores, 2)
    for wrong in (problem.scores[:4], problem.scores[:, :2], problem.scores[0], problem.scores[None]):
        refused(r"scores must be numbers of shape \(5, 3\)", METRICS[name].call, post, wrong, 2)
    refused(r"k must be a whole number from 1 to 3. Got 4.", METRICS[name].call, post, problem.scores, 4)
