"""What does not fit into memory is refused at once: numbers of resamples and draws, and evaluations before any of their work."""

import inspect
from functools import partial
from unittest.mock import Mock

import numpy as np
import pytest
from public_functions import FUNCTIONS, both, labels, make_world, posterior, rankings
from refusals import refused

import ugt
from ugt import evaluation
from ugt._base import checks, parallel
from ugt.annotators import records
from ugt.annotators.records import GivenLabels

pytestmark = pytest.mark.filterwarnings("ignore")
REFUSED = r"needs at least [\d.e+]+ GB of memory, more than the 1 GB that are available \(.*UGT_MEMORY"
#: what is resampled when it is asked for
ASKED = {
    **{"interval": {"loss": "cl"}, "non_inferiority": {"margin": 0.1}, "interchangeable": {"margin": 0.1}},
    **{"resamples": {}, "intervals": {}, "table": {}},
}


@pytest.fixture(autouse=True)
def one_gigabyte(monkeypatch):
    monkeypatch.setenv("UGT_MEMORY", "1")


# Options with which functions draw at once.
DRAWN = {"evaluate": {"aggregation": "plackett-luce", "method": "gibbs"}, "plackett_luce": {"method": "gibbs"}}


def takes(function, option):
    return option in inspect.signature(function).parameters


@pytest.mark.parametrize("option", ["n_resamples", "n_draws"])
def test_no_function_tries_to_draw_what_does_not_fit(option):
    world = make_world()
    tried = [name for name, entry in FUNCTIONS.items() if takes(entry.function, option)]
    assert len(tried) >= {"n_resamples": 5, "n_draws": 3}[option]
    for name in tried:
        more = DRAWN.get(name, {}) if option == "n_draws" else {}
        refused(REFUSED, FUNCTIONS[name].call, world, **{option: 4 * 10**9, **more}, error=MemoryError)


def test_no_record_tries_to_resample_what_does_not_fit():
    world, tried = make_world(), 0
    for name, entry in FUNCTIONS.items():
        answer = None if name == "evaluate" else entry.call(world)
        for method, more in ASKED.items():
            asked = getattr(answer, method, None)
            if not callable(asked) or not takes(asked, "n_resamples"):
                continue
            given = {key: value for key, value in more.items() if takes(asked, key)}
            analytic = takes(asked, "kind") and inspect.signature(asked).parameters["kind"].default in ("analytic", "information")
            if takes(asked, "random"):
                analytic, given = True, {**given, "random": ("cases",)}  # intervals over annotators, too, are never from resamples
            refused(REFUSED, asked, **given, n_resamples=10**10, **{"kind": "percentile"} if analytic else {}, error=MemoryError)
            tried += 1
    assert tried >= 50


@pytest.mark.parametrize(
    "more",
    [
        {"n_resamples": 10**9},
        {"n_resamples": 10**9, "details": False, "k": 1},
        {"annotations": rankings, "aggregation": "plackett-luce", "method": "gibbs", "n_draws": 10**7},
        {"annotations": labels, "aggregation": "plackett-luce", "method": "gibbs", "n_draws": 10**7, "reliability": [1, 2, 3]},
    ],
)
def test_an_evaluation_is_refused_before_any_work(more, monkeypatch):
    world = make_world()
    given = more.pop("annotations", labels)(world)
    for name in ("Work", "joined"):
        monkeypatch.setattr(evaluation.study, name, Mock(side_effect=AssertionError("work has begun")))
    most = f"most of it: {more.get('n_draws', more.get('n_resamples'))} (draws|resamples)"
    refused(rf"^the evaluation \({most}\) {REFUSED}", ugt.evaluate, given, both(world), **more, error=MemoryError)


def test_scores_count_too(monkeypatch):
    world = make_world()
    monkeypatch.setenv("UGT_MEMORY", "5e-7")
    monkeypatch.setattr(checks, "ALWAYS_THERE", 0)
    # 4 tables of 12 x 3 doubles (choices of each model, plausibilities and best classes), and on the one resample 1 certainty and 4
    # accuracies, each twice, with 4 deviations
    message = r"most of it: choices of 2 models\) needs at least 1\.26e-06 GB"
    options = {"n_resamples": 1, "details": True, "k": 1, "reliability": 1}
    refused(message, ugt.evaluate, labels(world), both(world), **options, error=MemoryError)


def test_the_command_says_so_in_one_line(write, command):
    path = write("case,annotator,label\np,a,x\np,b,y\nq,a,x\n")
    said = command("certainty", path, "--aggregation", "plackett-luce", "--method", "gibbs", "--n-draws", 10**9, code=2).splitlines()
    assert len(said) == 1 and said[0].startswith("ugt: error: the evaluation (most of it: 1000000000 draws) needs at least")


def test_counts_confusion_matrices_and_pairs():
    given = ugt.Labels.from_counts([[10**15, 10**15], [3, 4]])
    for function in (ugt.plackett_luce, ugt.papers.plackett_luce_map, ugt.truth.plackett_luce_mle):
        refused(r"^one ranking per label needs at least 3\.2e\+07 GB", function, given, error=MemoryError)
    refused(r"^a committee of 2000000000000000 members needs", ugt.truth.committee, given, n_draws=2, error=MemoryError)
    k, n = 20_000, 20_000
    given = ugt.Labels.from_long(np.zeros(n, int), np.arange(n), np.arange(n) % 5, classes=k)
    found = ugt.dawid_skene(given, model="one-coin", max_iter=2, n_restarts=0)
    for call in (lambda: found.confusion(3), lambda: ugt.agreement.pairwise_agreement(given)):
        refused(REFUSED, call, error=MemoryError)


@pytest.mark.parametrize("call", [lambda p: p.grouped(np.arange(3) * 8_000_000), lambda p: p.draws(10**9), lambda p: p.top(10**9, 2)])
def test_methods_of_posteriors(call):
    refused(REFUSED, call, posterior(make_world()), error=MemoryError)


def test_points_and_results_that_are_handed_on():
    point = ugt.votes(labels(make_world()))
    refused(REFUSED, point.grouped, np.arange(3) * 8_000_000, error=MemoryError)
    refused(REFUSED, point.draws, 10**9, error=MemoryError)
    for n_threads in (1, 2):
        with ugt.resampling.threads(n_threads):
            seen = []  # appends what it is called with
            done = partial(lambda to, *found: to.append(found), seen)
            assert parallel.run(lambda begin, end: begin, 10, 3, "testing", done=done) == []
        assert seen == [(0, 3, 0), (3, 6, 3), (6, 9, 6), (9, 10, 9)]


def test_plausibilities_of_all_classes_are_refused_where_they_are_not_negligible():
    given = GivenLabels(ugt.Labels.from_long(np.arange(20_000), ["a"] * 20_000, np.zeros(20_000, int), classes=10_000))
    rest = np.full(20_000, 0.5)
    with pytest.raises(MemoryError, match=rf"^plausibilities of classes without labels {REFUSED}"):
        records.point_with_rest(given, np.full(20_000, 0.5), rest, np.full(10_000, 1e-4))
    found = records.point_with_rest(given, np.full(20_000, 0.5), rest * 1e-9, np.full(10_000, 1e-4))
    assert np.diff(found.offsets).max() == 1 and (found.value == 1).all()


def test_the_rest_of_the_classes_as_a_dense_table_has_it():
    rng = np.random.default_rng(3)
    rows = (rng.integers(0, 30, 90), rng.integers(0, 5, 90), rng.integers(3, 9, 90))
    given = GivenLabels(ugt.Labels.from_long(*rows, classes=12, cases=range(31)))
    q, rest = rng.random(len(given.index)), rng.choice([0.0, 1e-12, 1e-3, 1.0], 31)
    rest[np.diff(given.offsets) == 0] = 0.0
    prevalence = np.append([0.0, 1e-9, 0.0], rng.choice([0.0, 1e-9, 0.1, 0.4], 9))  # the first classes are nobody's
    dense = rest[:, None] * prevalence
    dense[np.repeat(np.arange(31), np.diff(given.offsets)), given.index] = q
    dense[dense < records.NEGLIGIBLE] = 0.0
    found = records.point_with_rest(given, q, rest, prevalence).mean()
    defined = dense.sum(1) > 0
    np.testing.assert_allclose(found[defined], (dense / np.maximum(dense.sum(1, keepdims=True), 1e-300))[defined], rtol=1e-14)
    assert np.isnan(found[~defined]).all()


def test_information_of_single_annotators_is_the_diagonal_of_the_joint_one():
    rng = np.random.default_rng(0)
    given = GivenLabels(ugt.Labels.from_long(rng.integers(0, 40, 300), rng.integers(0, 12, 300), rng.integers(0, 4, 300), classes=4))
    q, p = given.start(1, 1), rng.random(300)
    ability, easiness = rng.normal(size=12) / 4, rng.normal(size=40) / 4
    for more in ((), ((1.0, 0.5, 1.0, 0.1), ability, easiness)):
        joint, single = np.empty((12, 12)), np.empty((1, 12))
        given.coins.information(q, p, joint, *more)
        given.coins.information(q, p, single, *more)
        np.testing.assert_allclose(single[0], np.diag(joint), rtol=1e-11)
        assert np.isfinite(single).all()
