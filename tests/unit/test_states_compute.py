"""Data of any size on one machine: blocks, parts, memory limits, processes; Dawid-Skene in parts."""

import subprocess
import sys

import numpy as np
import pytest
from refusals import refused
from simulations import in_ci
from surface import public
from twins.parted import one_part

import ugt
from ugt import states
from ugt.soft import parts as ranges
from ugt.states import computing as blocks
from ugt.states import computing as compute

K = 3


@pytest.fixture
def rng():
    return np.random.default_rng(7)


@pytest.fixture
def small(monkeypatch):
    """Blocks of a few cases and ranges of a few scores."""
    monkeypatch.setattr(compute, "HELD", 1e7)
    monkeypatch.setattr(blocks, "ROW", 1e7)


@pytest.mark.parametrize("metric", ["annotation_certainty", "ua_topk_accuracy", "discrepancy_ratio", "soft_auroc"])
def test_blocks_say_what_all_rows_say(metric, small, rng, tmp_path):
    p, scores = rng.dirichlet(np.ones(K), 200), rng.random((200, K))
    votes = rng.integers(0, 2, (200, 3)).astype(float)
    votes[rng.random(votes.shape) < 0.1] = np.nan
    data = {"annotation_certainty": (p,), "discrepancy_ratio": (votes, scores[:, 0])}.get(metric, (p, scores))
    mapped = []
    for j, table in enumerate(data):
        np.save(tmp_path / f"{j}.npy", table)
        mapped.append(np.load(tmp_path / f"{j}.npy", mmap_mode="r"))
    assert len(blocks.blocks_of(mapped, 3e8, 1)) >= 10
    found, truth = states.compute(metric, *mapped, max_memory="300 MB", min_cases=150), public(metric)(*data)
    assert found.value == pytest.approx(truth.value, rel=1e-13) and found.n_cases == truth.n_cases


def test_parts_may_be_functions_and_empty_and_ids_are_cut(rng, small):
    p = rng.dirichlet(np.ones(K), 30)
    parts = [(p[:10],), None, lambda: (p[10:15],), lambda: None, (p[:0],), lambda: p[15:]]
    found = states.compute("annotation_certainty", parts=parts)
    assert found.value == ugt.annotation_certainty(p).value and found.n_cases == 30
    found = states.compute("soft_auroc", parts=[(p[:9, 0], p[:9, 1]), None, (p[9:, 0], p[9:, 1])])
    assert found.value == pytest.approx(ugt.soft_auroc(p[:, 0], p[:, 1]).value, rel=1e-13)
    p, ids = rng.dirichlet(np.ones(K), 90), [f"c{i}" for i in range(90)]
    options = {"n_resamples": 5, "seed": 3}
    for name in ("case_ids", "clusters"):
        found = states.compute("annotation_certainty", p, max_memory="300 MB", **{name: ids}, **options)
        whole = one_part("annotation_certainty", p, **{name: ids}, **options)
        np.testing.assert_allclose(found.resampled, whole.resampled, rtol=1e-12)
    with pytest.raises(MemoryError, match="one case of 10000000 numbers does not fit into max_memory"):
        states.compute("annotation_certainty", np.broadcast_to(0.1, (2, 10_000_000)), max_memory="300 MB")


@pytest.mark.parametrize("backend", ["loky", "threading"])
@pytest.mark.parametrize("metric", ["ua_topk_accuracy", "soft_auroc", "soft_average_precision"])
def test_answers_do_not_depend_on_joblib(metric, backend, rng):
    joblib = pytest.importorskip("joblib", reason="n_jobs needs joblib, which is not installed")
    tables = [rng.random(3000) if metric.startswith("soft") else rng.dirichlet(np.ones(K), 3000) for _ in range(2)]
    parts = [None, *zip(*(np.array_split(table, 7) for table in tables)), None]
    named = {} if metric.startswith("soft") else {"case_ids": np.arange(3000), "n_resamples": 20, "seed": 1}
    alone, resampled = states.compute(metric, parts=parts), states.compute(metric, *tables, **named)
    with joblib.parallel_config(backend=backend):
        found = states.compute(metric, parts=parts, n_jobs=2)
        blocks = states.compute(metric, *tables, n_jobs=2, max_memory="300 MB")
        again = states.compute(metric, *tables, n_jobs=2, **named)
    assert found.value == alone.value and found.numbers == alone.numbers and found.n_cases == 3000
    assert blocks.value == pytest.approx(alone.value, rel=1e-13)
    assert not named or np.array_equal(again.resampled, resampled.resampled)


def test_a_missing_joblib_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "joblib", None)
    p = np.full((9, K), 1 / K)
    refused(r"n_jobs needs joblib: pip install 'ugt\[joblib\]'", states.compute, "ua_topk_accuracy", p, p, n_jobs=2, error=ImportError)


@pytest.mark.parametrize("n_jobs", [None, 2])
def test_parts_have_ids_of_their_own(rng, n_jobs):
    if n_jobs:
        pytest.importorskip("joblib", reason="n_jobs needs joblib, which is not installed")
    p, patients, options = rng.dirichlet(np.ones(K), 30), np.arange(30) // 4, {"n_resamples": 50, "seed": 3}
    parts = [(p[:10],), None, lambda: (p[10:15],), p[15:]]
    clusters = [patients[:10], None, lambda: patients[10:15], patients[15:].tolist()]  # the third patient lies in two parts
    found = states.compute("annotation_certainty", parts=parts, clusters=clusters, n_jobs=n_jobs, **options)
    whole = one_part("annotation_certainty", p, clusters=patients, **options)
    np.testing.assert_allclose(found.resampled, whole.resampled, rtol=1e-12)
    assert found.units == "clusters"


def test_what_compute_refuses(rng):
    p = rng.dirichlet(np.ones(K), 30)
    for given, message in (
        ({}, "parts must be given instead of data. Got neither"),
        ({"parts": [None]}, "data must hold at least one case. Got none"),
        ({"parts": [(p,)], "case_ids": range(30)}, "case_ids must be ids for each of 1 parts. Got 30 of them"),
        ({"parts": [(p,), (p,)], "clusters": [range(30)], "n_resamples": 2}, "clusters must be ids for each of 2 parts. Got 1 of them"),
    ):
        refused(message, states.compute, "annotation_certainty", **given)
    for ids in (range(31), range(29), [range(30)]):
        refused(r"case_ids must be 30 ids, one per case. Got shape", states.compute, "annotation_certainty", p, case_ids=ids, n_resamples=2)
    refused("data must hold at least one case", states.compute, "soft_auroc", parts=[None])
    refused(r"data must be of one length, 30 cases. Got 29, first at argument 1", states.compute, "ua_topk_accuracy", p, p[1:])
    message = r"data must be arrays with one row per case \(or give parts=\). Got Labels, first at argument 0"
    refused(message, states.compute, "fleiss_kappa", ugt.Labels.from_counts([[1, 1]]))
    for metric, data in (("annotation_certainty", (p,)), ("soft_auroc", (p, p))):
        refused("at least min_cases = 31 cases", states.compute, metric, *data, min_cases=31)
    refused("edges must be given with n_resamples", states.compute, "soft_auroc", p, p, n_resamples=3, case_ids=range(30))
    refused(
        "parts must have the same classes in the same order, 3. Got 2, first at part 1",
        states.compute,
        "soft_auroc",
        parts=[(p, p), (p[:, :2], p[:, :2])],
    )
    refused("soft_auroc in parts knows no option 'weights'", states.compute, "soft_auroc", p, p, weights=np.ones(30), error=TypeError)
    refused("self_term must be one of", states.compute, "soft_average_precision", p, p, self_term="sure")


@pytest.mark.parametrize(
    ("said", "n_bytes"), [("4 GB", 4e9), ("4GiB", 2**32), (" 0.5gb ", 5e8), (10**9, 1e9), ("300000 kB", 3e8), (np.float64(3e8), 3e8)]
)
def test_memory_in_words(said, n_bytes):
    assert blocks.memory_of(said) == n_bytes


def test_memory_that_cannot_be_or_is_not_said():
    assert blocks.memory_of(None) == blocks.ITSELF + blocks.COMFORT
    for said in ("4 G", "much", "", True, -1, "1 MB", 1000, [1]):
        refused("max_memory must be", blocks.memory_of, said)


LIMITED = """
import resource, sys
import numpy as np
limit = int(float(sys.argv[1]))
resource.setrlimit(resource.RLIMIT_DATA, (limit, limit))
import ugt
from ugt import states
p, scores = (np.load(f"{sys.argv[2]}/{name}.npy", mmap_mode="r") for name in ("p", "scores"))
if sys.argv[3] == "blocks":
    print(float(states.compute(sys.argv[4], p, scores, max_memory=limit).value))
else:
    print(float(getattr(ugt, sys.argv[4])(p, scores).value))
"""


SIZES = {"soft_auroc": (12_000_000,), "ua_topk_accuracy": (1_500_000, 10)}  # 192 and 240 MB in two files


@pytest.fixture(scope="module", params=["ua_topk_accuracy", *in_ci("soft_auroc")])
def large(request, tmp_path_factory):
    """Files, and what the metric of all that is in them is."""
    folder, rng, shape = tmp_path_factory.mktemp("large"), np.random.default_rng(3), SIZES[request.param]
    p = rng.random(shape)
    p = p / p.sum(1, keepdims=True) if len(shape) > 1 else p
    scores = p + rng.random(shape)
    for name, table in (("p", p), ("scores", scores)):
        np.save(folder / f"{name}.npy", table)
    return request.param, folder, public(request.param)(p, scores).value


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="limits of memory are set by the kernel of Linux")
@pytest.mark.parametrize("how", ["blocks", "at once"])
def test_a_memory_limit_is_kept(how, large):
    metric, folder, value = large
    command = [sys.executable, "-c", LIMITED, "320e6", str(folder), how, metric]
    done = subprocess.run(command, capture_output=True, text=True, cwd=folder, check=False)
    if how == "blocks":
        assert done.returncode == 0, done.stderr
        assert float(done.stdout) == pytest.approx(value, rel=1e-13)
    else:
        assert done.returncode != 0 and "MemoryError" in done.stderr


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["continuous", "tied", "one value", "half one value", "infinite", "single"])
@pytest.mark.parametrize("metric", ["soft_auroc", "soft_average_precision"])
def test_ranges_are_exact_whatever_the_scores(kind, metric, small, rng):
    p, scores = rng.random(400), rng.normal(size=400)
    p[5] = np.nan
    scores = {
        "tied": np.where(np.arange(400) % 7, scores.round(1) + 0.0, -0.0),
        "one value": np.full(400, 2.5),
        "half one value": np.where(rng.random(400) < 0.5, 0.5, scores),
        "infinite": np.concatenate([np.full(100, -np.inf), np.full(150, np.inf), scores[250:]]),
        "single": scores.astype(np.float32),
    }.get(kind, scores)
    for options in ({}, {"ties": "expected"}, {"self_term": "probability"}) if metric != "soft_auroc" else ({}, {"self_pairs": "include"}):
        found, truth = states.compute(metric, p, scores, max_memory="300 MB", **options), public(metric)(p, scores, **options)
        assert (found.value, found.numbers["hard"]) == pytest.approx((truth.value, truth.hard), rel=1e-12)
        assert (found.n_cases, found.left_out) == (399, {"case without annotations": 1})


def test_samples_stay_small_and_ranges_hold_about_as_many(rng):
    scores = rng.random(100_000)
    sizes = [len(ranges.sample(scores[:n], n_parts)) for n, n_parts in ((100_000, 1), (100_000, 100), (100_000, 10**6), (10, 5))]
    assert sizes[0] == 100_000 and 1000 <= sizes[1] <= 2700 and 32 <= sizes[2] <= 64 and sizes[3] == 10
    scores = np.sort(rng.exponential(size=100_000))
    found = ranges.Ranges.of([(ranges.sample(scores[::2], 2), 50_000), (ranges.sample(scores[1::2], 2), 50_000)], 8)
    counts = np.bincount(found.which(scores), minlength=8)
    assert len(found) == 8 and counts.max() < 1.1 * 100_000 / 8
    for r in range(8):
        np.testing.assert_array_equal(found.holds(scores, r), found.which(scores) == r)


def crowd(rng, n=150, n_annotators=7):
    truth = rng.integers(0, K, n)
    rows = []
    for i in range(n):
        for a in rng.choice(n_annotators, 3, replace=False):
            label = truth[i] if rng.random() < 0.5 + 0.06 * a else rng.integers(K)
            rows.append((f"case {i}", f"annotator {a}", int(label)))
    return rows


def labels_of(rows):
    return ugt.Labels.from_long(*zip(*rows), classes=K)


def in_parts(rows, rng, n_parts=5):
    which = {case: rng.integers(n_parts) for case, _, _ in rows}
    parts = [[row for row in rows if which[row[0]] == j] for j in range(n_parts)]
    return [labels_of(part) for part in parts if part]


@pytest.mark.parametrize("model", ["full", "one-coin"])
@pytest.mark.parametrize("prior", [0, (2, 0.5, 1)])
@pytest.mark.parametrize("n_restarts", [0, 2])
def test_dawid_skene_in_parts(model, prior, n_restarts, rng):
    rows = crowd(rng)
    whole = labels_of(rows)
    truth = ugt.dawid_skene(whole, model=model, prior=prior, n_restarts=n_restarts)
    found = states.dawid_skene([*in_parts(rows, rng), None, lambda: None], model=model, prior=prior, n_restarts=n_restarts)
    order = [truth.annotators.tolist().index(one) for one in found.annotators]
    np.testing.assert_allclose(found.trace, truth.trace, rtol=1e-12)
    np.testing.assert_allclose(found.prevalence, truth.prevalence, rtol=1e-9)
    np.testing.assert_allclose(found.accuracy, truth.accuracy[order], rtol=1e-9)
    np.testing.assert_array_equal(found.n_labels, truth.n_labels[order])
    np.testing.assert_allclose(found.plausibilities(whole).mean(), truth.plausibilities.mean(), atol=1e-9)
    for annotator in found.annotators:
        np.testing.assert_allclose(found.confusion(annotator), truth.confusion(annotator), atol=1e-9)
    assert found.n_cases == 150 and found.converged and found.log_likelihood == pytest.approx(truth.log_likelihood, rel=1e-12)


def test_dawid_skene_does_not_depend_on_the_parts(rng):
    rows = crowd(rng, 60)
    found = [states.dawid_skene(in_parts(rows, rng, n), prior=1) for n in (2, 3, 60)]
    for other in found[1:]:
        np.testing.assert_allclose(other.trace, found[0].trace, rtol=1e-12)


@pytest.mark.slow
def test_dawid_skene_by_functions_and_processes(rng):
    rows = crowd(rng, 60)
    parts = in_parts(rows, rng, 3)
    found = states.dawid_skene([lambda part=part: part for part in parts], prior=1)
    np.testing.assert_array_equal(found.trace, states.dawid_skene(parts, prior=1).trace)
    pytest.importorskip("joblib", reason="joblib is not installed")
    np.testing.assert_array_equal(found.trace, states.dawid_skene(parts, prior=1, n_jobs=2).trace)


def test_what_dawid_skene_refuses(rng):
    rows = crowd(rng, 20)
    part = labels_of(rows)
    for parts, options, message in (
        ([], {}, "parts must hold at least one label. Got none"),
        ([None], {}, "parts must hold at least one label. Got none"),
        ([part], {"model": "glad"}, "model must be one of 'full', 'one-coin'"),
        ([part, ugt.Labels.from_long(["x"], ["a"], [1], classes=2)], {}, "parts must have the same classes"),
        ([part, ugt.Labels.from_long(["x"], [1], [1], classes=K)], {}, "parts must have annotators of one kind"),
        ([ugt.Labels.from_wide([[0, 1]], classes=2)], {"n_restarts": 1}, "parts must name their cases for n_restarts"),
        ([ugt.Labels.from_counts([[0, 1]])], {}, "labels must name the annotator of each label"),
        ([part], {"prior": (1, 2)}, "prior must be a number or"),
    ):
        refused(message, states.dawid_skene, parts, **options)
    refused("labels must be Labels", states.dawid_skene, [[[0, 1]]], error=TypeError)
    with pytest.warns(RuntimeWarning, match="has not converged within max_iter = 1"):
        states.dawid_skene([part], max_iter=1)


def test_what_a_skill_model_refuses(rng):
    found = states.dawid_skene([labels_of(crowd(rng, 20))], prior=1)
    assert repr(found) == "SkillModel(model='full', n_cases=20, n_classes=3, n_annotators=7)"
    for who, classes, message in (
        ("stranger", K, "labels must be of the 7 annotators of the model. Got 'stranger'"),
        ("annotator 1", 2, "labels must have the 3 classes of the model. Got 2"),
    ):
        refused(message, found.plausibilities, ugt.Labels.from_long(["x"], [who], [1], classes=classes))
    refused(r"annotator must be one of the 7 annotators. Got 'stranger'", found.confusion, "stranger")


def test_posteriors_of_a_case_do_not_depend_on_its_part(rng):
    nested = [[[[int(c)] for c in rng.permutation(5)[:2]] for _ in range(3)] for _ in range(30)]
    ids = np.array([f"case {i}" for i in range(30)])
    rows = rng.permutation(30)

    def drawn(some):
        rankings = ugt.Rankings.from_blocks([nested[i] for i in some], n_classes=5, case_ids=ids[some], offered="all")
        return ugt.plackett_luce(rankings, method="gibbs", n_draws=40, n_warmup=10, n_chains=2, seed=9)

    with pytest.warns(RuntimeWarning):
        whole = drawn(np.arange(30)).draws(40)
        for part in (rows[:1], rows[1:12], rows[12:]):
            np.testing.assert_array_equal(drawn(part).draws(40), whole[part])
    counts, scores = rng.integers(0, 5, (30, 4)) + 1, np.tile([0.1, 0.2, 0.3, 0.4], (30, 1))
    whole = ugt.dirichlet(ugt.Labels.from_counts(counts, case_ids=ids))
    exact = ugt.ua_topk_accuracy(whole, scores)
    for part in (rows[:1], rows[1:]):
        truth = ugt.dirichlet(ugt.Labels.from_counts(counts[part], case_ids=ids[part]))
        np.testing.assert_array_equal(ugt.ua_topk_accuracy(truth, scores[part]).per_case, exact.per_case[part])
        np.testing.assert_array_equal(truth.draws(7), whole.draws(7)[part])
