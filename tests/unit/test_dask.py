"""Partitions of dask on workers in real processes: the answers of one process, and the same bytes after a worker was killed."""

import os
import signal
import sys
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from refusals import refused
from surface import public

import ugt
import ugt.dask
from ugt import states
from ugt.dask.parts import Graph

dask, distributed, pandas, _, cloudpickle = (
    pytest.importorskip(name, reason=f"the tests of ugt.dask need {name}, which is not installed")
    for name in ("dask", "distributed", "pandas", "pyarrow", "cloudpickle")
)
for name in ("dask.array", "dask.bag", "dask.dataframe"):
    pytest.importorskip(name, reason=f"the tests of ugt.dask need {name}, which is not installed")

N, K = 240, 4


@pytest.fixture(scope="module")
def workers(tmp_path_factory):
    """Two processes; what is computed inside a test runs there."""
    cloudpickle.register_pickle_by_value(sys.modules[__name__])
    preload = tmp_path_factory.mktemp("preload") / "path_of_tests.py"  # last, so that what is installed goes first
    preload.write_text(f"import sys\n\nsys.path.append({str(Path(__file__).parents[2])!r})\n", encoding="utf-8")
    options = {"preload": [str(preload)], "n_workers": 2, "threads_per_worker": 1, "processes": True, "dashboard_address": None}
    with distributed.LocalCluster(**options) as cluster, distributed.Client(cluster) as client:
        yield client
    cloudpickle.unregister_pickle_by_value(sys.modules[__name__])


@pytest.fixture(scope="module")
def long():
    """A row a label, of 1 to 5 annotators a case, in the order of the cases."""
    rng = np.random.default_rng(5)
    case = np.repeat(np.arange(N), rng.integers(1, 6, N))
    annotator = np.concatenate([rng.choice(9, n, replace=False) for n in np.bincount(case)])
    label = (case + rng.integers(0, 2, len(case)) * rng.integers(0, K, len(case))) % K
    return pandas.DataFrame({"case": case, "annotator": annotator, "label": label})


@pytest.fixture(scope="module")
def scores():
    return np.random.default_rng(6).dirichlet(np.ones(K), N)


def labels_of(table, classes=K):
    return ugt.Labels.from_long(table["case"], table["annotator"], table["label"], classes=classes)


def cuts(rng, n_parts, n=N):
    """Ends of partitions of n cases, some of them empty."""
    return [0, *np.sort(rng.integers(0, n + 1, n_parts - 1)), n]


def divided(ends, *tables):
    """Each table in parts; a long one by its cases; None where there is nothing."""
    for table in tables:
        at = np.asarray(table["case"]) if "case" in getattr(table, "columns", ()) else np.arange(len(table))
        parts = [table[(at >= begin) & (at < end)] for begin, end in zip(ends[:-1], ends[1:])]
        yield [part if len(part) else None for part in parts]


def frame_of(ends, table):
    """A frame of dask with a partition (without rows, too) for each pair of ends."""
    parts = [part if part is not None else table.iloc[:0] for (one,) in [divided(ends, table)] for part in one]
    return dask.dataframe.from_delayed([dask.delayed(part) for part in parts], meta=table.iloc[:0])


def several(labels, predicted):
    """Metrics of each kind, in one pass."""
    truth = ugt.dirichlet(labels, prior=0.1)
    return {
        "certainty": states.partial("annotation_certainty", truth),
        "accuracy": states.partial("ua_topk_accuracy", truth, predicted, k=2),
        "ratio": states.partial("discrepancy_ratio", labels, predicted),
        "loss": states.partial("histogram_brier_score", labels, predicted),
        "auroc": states.partial("soft_auroc", ugt.votes(labels, kind="mean"), predicted, edges=50),
    }


# --- the same answers ---
@pytest.mark.parametrize("seed", range(2))
def test_several_metrics_in_one_pass_are_those_of_one_process(workers, long, scores, seed):
    rng = np.random.default_rng(seed)
    ends = cuts(rng, 7) if seed else list(range(0, N + 1, 24))
    found = ugt.dask.compute(several, ugt.dask.labels(frame_of(ends, long), classes=K, check=True), *divided(ends, scores))
    alone = {name: states.finish(one) for name, one in several(labels_of(long), scores).items()}
    assert found.keys() == alone.keys()
    truth = ugt.dirichlet(labels_of(long), prior=0.1)
    assert found["certainty"].value == pytest.approx(ugt.annotation_certainty(truth).value, rel=1e-15)
    for name, one in alone.items():
        assert found[name].n_cases == one.n_cases and found[name].left_out == one.left_out
        # means of exact sums are the same bits; bins add up p within a partition before
        assert found[name].value == (one.value if name != "auroc" else pytest.approx(one.value, rel=1e-13)), name
        assert found[name].std_error == pytest.approx(one.std_error, rel=1e-12, nan_ok=True)


def test_one_case_a_partition(workers, long, scores):
    ends = list(range(25))
    some, predicted = long[long["case"] < 24], scores[:24]
    found = ugt.dask.compute(several, ugt.dask.labels(frame_of(ends, some), classes=K), *divided(ends, predicted), split_every=3)
    alone = several(labels_of(some), predicted)
    for name in ("certainty", "accuracy", "ratio", "loss"):
        assert found[name].value == states.finish(alone[name]).value


def test_every_kind_of_collection(workers, scores):
    truth = np.random.default_rng(1).dirichlet(np.ones(K), N)
    expected = ugt.ua_topk_accuracy(truth, scores).value
    arrays = [dask.array.from_array(table, chunks=(50, K)) for table in (truth, scores)]
    frames = [dask.dataframe.from_pandas(pandas.DataFrame(table), npartitions=5) for table in (truth, scores)]
    bags = [dask.bag.from_sequence(table.tolist(), npartitions=6) for table in (truth, scores)]
    lazy = [[dask.delayed(part) for part in np.split(table, 8)] for table in (truth, scores)]
    plain = [np.split(table, 8) for table in (truth, scores)]
    for collections in (arrays, frames, bags, lazy, plain):
        assert ugt.dask.compute("ua_topk_accuracy", *collections).value == expected
    unknown = arrays[0][arrays[0][:, 0] >= 0]  # dask does not know how many rows a chunk has
    assert np.isnan(unknown.chunks[0][0]) and ugt.dask.compute("ua_topk_accuracy", unknown, arrays[1]).value == expected
    series = frames[0][0]
    counted = ugt.dask.compute(lambda one: states.partial("annotation_certainty", np.stack([one, 1 - one], axis=1)), series)
    assert counted.n_cases == N


def test_options_and_ids_of_cases_and_clusters(workers, scores):
    truth, ends = np.random.default_rng(1).dirichlet(np.ones(K), N), [0, 0, 100, 170, N]
    ids, clinics = np.array([f"case {i}" for i in range(N)]), np.arange(N) // 10
    parts = list(divided(ends, truth, scores))
    own = {"case_ids": next(divided(ends, ids))}
    for given, options in (({"case_ids": ids}, own), ({"clusters": clinics}, {"clusters": next(divided(ends, clinics))})):
        alone = states.finish(states.partial("ua_topk_accuracy", truth, scores, k=2, n_resamples=50, seed=3, **given))
        found = ugt.dask.compute("ua_topk_accuracy", *parts, k=2, n_resamples=50, seed=3, **options)
        assert found.resampled == pytest.approx(alone.resampled, rel=1e-14) and found.units == alone.units
    refused("min_cases = 1000", ugt.dask.compute, "ua_topk_accuracy", *parts, min_cases=1000)
    assert ugt.dask.compute("ua_topk_accuracy", *parts, min_cases=N).n_cases == N  # of all, not of each partition


@pytest.mark.parametrize("metric", ["ua_topk_accuracy", "soft_auroc"])
def test_joblib_on_the_same_workers(workers, scores, metric):
    joblib = pytest.importorskip("joblib", reason="n_jobs needs joblib, which is not installed")
    truth = np.random.default_rng(1).dirichlet(np.ones(K), N)
    parts = list(zip(np.array_split(truth, 5), np.array_split(scores, 5)))
    with joblib.parallel_config(backend="dask"):
        found = states.compute(metric, parts=parts, n_jobs=2)
    assert found.value == states.compute(metric, parts=parts).value


@pytest.mark.parametrize("metric", ["soft_auroc", "soft_average_precision"])
@pytest.mark.parametrize("columns", [None, 3])
@pytest.mark.parametrize("tied", [False, True])
def test_exact_ranking_by_ranges(workers, metric, columns, tied):
    rng = np.random.default_rng(columns or 1)
    shape = (2000,) if columns is None else (2000, columns)
    p = rng.random(shape) if columns is None else rng.dirichlet(np.ones(columns), 2000)
    scores = rng.integers(0, 3, shape) / 2 if tied else rng.random(shape)
    expected = public(metric)(p, scores)
    ends = cuts(rng, 9, 2000)
    for n_ranges in (None if tied else 1, 40):
        found = ugt.dask.compute(metric, *divided(ends, p, scores), n_ranges=n_ranges)
        assert (found.value, found.numbers["hard"]) == pytest.approx((expected.value, expected.hard), rel=1e-12)
    frames = [dask.dataframe.from_pandas(pandas.DataFrame(table), npartitions=4) for table in (p, scores)]
    if columns:
        weighted = public(metric)(p, scores, average="weighted").value
        assert ugt.dask.compute(metric, *frames, average="weighted").value == pytest.approx(weighted, rel=1e-12)


def test_one_range_may_be_one_score(workers):
    p, scores = np.random.default_rng(0).random(3000), np.where(np.arange(3000) % 10, 0.5, np.arange(3000.0))
    parts = [np.array_split(one, 6) for one in (p, scores)]
    for ties in ("group", "expected"):
        found = ugt.dask.compute("soft_average_precision", *parts, ties=ties)
        assert found.value == pytest.approx(ugt.soft_average_precision(p, scores, ties=ties).value, rel=1e-12)


# --- many partitions ---
@pytest.mark.parametrize("n_pieces, n", [(1, 1), (3, 1), (1, 5), (5, 8), (7, 7), (10, 41), (65, 8), (41, 1)])
def test_exchanges_keep_everything_in_order(n_pieces, n, monkeypatch):
    monkeypatch.setattr("ugt.dask.parts.EXCHANGES", 40)
    graph = Graph([])
    pieces = [graph.add(list, graph.add(tuple, graph.add(range, start, start + n))) for start in range(0, n_pieces * n, n)]
    merged = [graph.add(lambda lists: [one for some in lists for one in some], keys) for keys in graph.exchanged(pieces, n)]
    found = graph.delayed(graph.add(list, merged)).compute(scheduler="sync")
    assert found == [list(range(r, n_pieces * n, n)) for r in range(n)]


def test_a_thousand_partitions_make_no_hundred_thousand_tasks():
    halves = [[np.array([0.25, 0.5])] * 1000, [np.array([1.0, 2.0])] * 1000]
    assert len(ugt.dask.partial("soft_auroc", *halves, n_ranges=256).__dask_graph__()) < 45_000


def test_many_partitions_say_what_one_says(workers, monkeypatch):
    monkeypatch.setattr("ugt.dask.parts.EXCHANGES", 100)
    rng = np.random.default_rng(8)
    p, scores = rng.random(3000), rng.integers(0, 900, 3000) / 900
    ends = cuts(rng, 20, 3000)
    found = ugt.dask.compute("soft_auroc", *divided(ends, p, scores))
    assert found.value == pytest.approx(ugt.soft_auroc(p, scores).value, rel=1e-12)
    pairs = pandas.DataFrame({"case": np.arange(3000) // 2})
    frames = [dask.delayed(pairs.iloc[begin:end]) for begin, end in zip(ends[:-1], ends[1:])]
    frame = dask.dataframe.from_delayed(frames, meta=pairs.iloc[:0])
    assert ugt.dask.cases_apart(frame) == (1500, len({end for end in ends if end % 2}))


# --- random numbers belong to cases ---
def dirichlet_draws(labels):
    draws = ugt.dirichlet(labels).draws(20, seed=7)
    return {"certainty": ugt.annotation_certainty(draws), "accuracy": ugt.ua_topk_accuracy(draws, np.eye(K)[np.arange(len(labels)) % 1])}


def plackett_luce(rankings, method="auto", gamma=1):
    return ugt.annotation_certainty(ugt.plackett_luce(rankings, method=method, reliability=gamma, n_draws=12, n_warmup=10, seed=3))


@pytest.mark.parametrize("seed", range(2))
def test_random_numbers_do_not_depend_on_partitions(workers, long, seed):
    ends = cuts(np.random.default_rng(seed), 8)
    alone = dirichlet_draws(labels_of(long))
    found = ugt.dask.per_case(dirichlet_draws, ugt.dask.labels(frame_of(ends, long), classes=K)).compute()
    assert found["case"].tolist() == list(range(N)) and list(found) == ["case", "certainty", "accuracy"]
    for name, one in alone.items():
        assert found[name].to_numpy().tobytes() == one.per_case.tobytes()


@pytest.mark.parametrize(("seed", "method", "gamma", "k"), [(0, "gibbs", 1, K), (1, "auto", 1, K), (2, "auto", 1.5, 7)])
def test_plackett_luce_does_not_depend_on_partitions(workers, seed, method, gamma, k):
    """Draws, integrals, and weighted points, of which the last cases have some, with tied pairs."""
    rng = np.random.default_rng(seed)
    nested = [[[[int(k)] for k in rng.permutation(k)[: rng.integers(1, k)]] for _ in range(rng.integers(1, 4))] for _ in range(40)]
    if gamma != 1:
        nested = [[[row[0] + row[1], *row[2:]] if len(row) > 1 else row for row in case] for case in nested]
    ids, ends = [f"case {i}" for i in range(40)], cuts(rng, 6, 40)
    whole = ugt.Rankings.from_blocks(nested, n_classes=k, case_ids=ids)
    assert gamma == 1 or ugt.plackett_luce(whole, reliability=gamma, n_draws=12).counts()["weighted"] > 3
    alone = plackett_luce(whole, method, gamma).per_case
    parts = [
        ugt.Rankings.from_blocks(nested[begin:end], n_classes=k, case_ids=ids[begin:end]) if begin < end else None
        for begin, end in zip(ends[:-1], ends[1:])
    ]
    found = ugt.dask.per_case(partial(plackett_luce, method=method, gamma=gamma), parts).compute()
    assert found["case"].tolist() == ids and found["value"].to_numpy().tobytes() == alone.tobytes()


# --- Dawid-Skene ---
@pytest.mark.parametrize("model", ["full", "one-coin"])
def test_dawid_skene_is_that_of_one_process(workers, long, model):
    ends, options = [0, 60, 60, 130, 200, N], {"model": model, "prior": 1.5, "n_restarts": 1, "tolerance": 1e-3}
    found = ugt.dask.dawid_skene(ugt.dask.labels(frame_of(ends, long), classes=K), split_every=2, **options)
    parts = [part if part is None else labels_of(part) for part in next(divided(ends, long))]
    same = states.dawid_skene(parts, **options)
    for name in ("accuracy", "prevalence", "trace", "n_labels"):
        assert getattr(found, name).tobytes() == getattr(same, name).tobytes(), name
    assert found.log_likelihood == same.log_likelihood and found.n_cases == N and found.converged
    whole = ugt.dawid_skene(labels_of(long), **options)
    assert found.log_likelihood == pytest.approx(whole.log_likelihood, rel=1e-9)


def test_errors_of_dawid_skene():
    with dask.config.set(scheduler="synchronous"):
        refused("parts must hold at least one label", ugt.dask.dawid_skene, [None, None])
        with pytest.raises(TypeError):
            ugt.dask.dawid_skene([np.ones((2, 2))])
        refused("model must be one of 'full', 'one-coin'", ugt.dask.dawid_skene, [None], model="two-coin")
        refused("split_every must be a whole number of at least 2", ugt.dask.dawid_skene, [ugt.Labels.from_wide([[0, 1]])], split_every=0)


# --- Parquet ---
def test_parquet_in_and_out(workers, long, scores, tmp_path):
    shuffled = long.sample(frac=1, random_state=1).reset_index(drop=True)
    dask.dataframe.from_pandas(shuffled, npartitions=4).to_parquet(tmp_path / "labels")
    read = dask.dataframe.read_parquet(tmp_path / "labels")
    assert ugt.dask.cases_apart(read)[1] > 0
    refused(r"all rows of a case in one partition: frame.shuffle\(on='case'\)", ugt.dask.labels, read, classes=K, check=True)
    whole = read.shuffle(on="case")
    assert ugt.dask.cases_apart(whole) == (N, 0)
    ugt.dask.per_case(certainty, ugt.dask.labels(whole, classes=K, check=True)).to_parquet(tmp_path / "certainty")
    found = pandas.read_parquet(tmp_path / "certainty").sort_values("case")
    assert found["value"].to_numpy().tobytes() == certainty(labels_of(long)).per_case.tobytes()


def test_partitions_of_parquet_files_stay_side_by_side(workers, long, scores, tmp_path):
    """Left to itself, dask reads several small files as one partition: how many depends on the columns."""
    ends = list(range(0, N + 1, 24))
    wide = pandas.DataFrame({**{f"p{k}": scores[:, k] for k in range(K)}, **{f"other {j}": np.arange(N) for j in range(9)}})
    frame_of(ends, long).to_parquet(tmp_path / "labels")
    frame_of(ends, wide).to_parquet(tmp_path / "predictions")
    labels, predictions = (dask.dataframe.read_parquet(tmp_path / name) for name in ("labels", "predictions"))
    some = predictions[[f"p{k}" for k in range(K)]] * 1.0
    assert len(some.to_delayed()) < len(ends) - 1 == labels.npartitions

    def accuracy(labels, predicted):
        return states.partial("ua_topk_accuracy", ugt.votes(labels), predicted.to_numpy())

    found = ugt.dask.compute(accuracy, ugt.dask.labels(labels, classes=K, check=True), some)
    assert found.value == ugt.ua_topk_accuracy(ugt.votes(labels_of(long)), scores).value


def certainty(labels):
    return ugt.annotation_certainty(ugt.dirichlet(labels))


@pytest.mark.parametrize("text", [False, True])
def test_cases_apart_counts_as_a_plain_loop(workers, text):
    rng = np.random.default_rng(2)
    parts = [rng.integers(-50, 50, rng.integers(0, 40)) for _ in range(9)]
    if text:
        parts = [np.array([f"p{'0' * (i % 3)}{abs(i)}" for i in part], object) for part in parts]
    frames = [pandas.DataFrame({"who": part}) for part in parts]
    frame = dask.dataframe.from_delayed([dask.delayed(one) for one in frames], meta=frames[0].iloc[:0], verify_meta=False)
    where = {}
    for number, part in enumerate(parts):
        for one in part:
            where.setdefault(one, set()).add(number)
    assert ugt.dask.cases_apart(frame, "who") == (len(where), sum(len(places) > 1 for places in where.values()))


# --- a worker that is killed ---
def die_once(marker):
    if not os.path.exists(marker):
        open(marker, "w", encoding="utf-8").close()
        os.kill(os.getpid(), signal.SIGKILL)


def deadly(labels, predicted, marker):
    """Kills its own process the first time that it sees case 100."""
    if 100 in labels.axes.case_ids:
        die_once(marker)
    return several(labels, predicted)


of_posix = pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="SIGKILL is of POSIX systems")


@of_posix
def test_a_worker_killed_in_the_middle_changes_no_byte(workers, long, scores, tmp_path):
    ends, marker = list(range(0, N + 1, 20)), str(tmp_path / "killed")
    collections = [ugt.dask.labels(frame_of(ends, long), classes=K), *divided(ends, scores)]
    disturbed = ugt.dask.partial(deadly, *collections, marker=marker).compute()
    assert os.path.exists(marker)
    workers.wait_for_workers(2)
    again = ugt.dask.partial(several, *collections).compute()
    with dask.config.set(scheduler="synchronous"):
        here = ugt.dask.partial(several, *collections, split_every=2).compute(scheduler="synchronous")
    for name, one in here.items():
        assert disturbed[name].to_json() == again[name].to_json() == one.to_json()


def deadly_scores(p, scores, marker):
    die_once(marker)
    return scores


@of_posix
def test_a_worker_killed_before_a_sort_changes_no_byte(workers, tmp_path):
    rng, marker = np.random.default_rng(0), str(tmp_path / "killed")
    p, scores = (np.array_split(rng.random(4000), 8) for _ in range(2))
    task = dask.delayed(deadly_scores)
    disturbed = ugt.dask.partial("soft_auroc", p, [*scores[:5], task(p[5], scores[5], marker), *scores[6:]]).compute()
    assert os.path.exists(marker)
    assert disturbed.to_json() == ugt.dask.partial("soft_auroc", p, scores, split_every=3).compute(scheduler="synchronous").to_json()


@of_posix
def test_a_worker_killed_with_the_labels_it_holds_changes_no_byte(workers, long, monkeypatch):
    from ugt.dask import skills

    workers.wait_for_workers(2)
    parts = next(divided(list(range(0, N + 1, 80)), long))
    labels = [dask.delayed(labels_of)(part) for part in parts]
    total, calls = skills.OnDask.total, []

    def disturbed(engine, task):
        calls.append(task)
        if len(calls) == 3:
            os.kill(next(iter(workers.run(os.getpid).values())), signal.SIGKILL)
        return total(engine, task)

    monkeypatch.setattr(skills.OnDask, "total", disturbed)
    found = ugt.dask.dawid_skene(labels, prior=1.5, tolerance=1e-3)
    same = states.dawid_skene([labels_of(part) for part in parts], prior=1.5, tolerance=1e-3)
    assert len(calls) > 3 and found.trace.tobytes() == same.trace.tobytes() and found.accuracy.tobytes() == same.accuracy.tobytes()


# --- errors ---
def test_errors_of_collections():
    tables = [dask.array.ones((6, 4), chunks=chunks) for chunks in ((2, 4), (3, 4), (3, 2), ((2, 2, 2), 4))]
    uneven, certainty = dask.array.ones((6, 4), chunks=((2, 1, 3), 4)), "annotation_certainty"
    for message, metric, *collections in (
        ("collection 1 must have as many partitions as collection 0, 3. Got 2", "ua_topk_accuracy", *tables[:2]),
        ("collection 0 must be chunked along its first axis only", certainty, tables[2]),
        ("have chunks of as many rows as collection 0, 2. Got 1, first at partition 1", "ua_topk_accuracy", tables[3], uneven),
        ("must be an array, a data frame, a series or a bag of dask, or a list of partitions", certainty, np.ones((3, 2))),
        ("collections must be at least one", certainty),
        ("collection 0 must have at least one partition", certainty, []),
        ("metric must be one of 'alternative_annotator_test'", "certainty", tables[0]),
    ):
        refused(message, ugt.dask.partial, metric, *collections)
    refused("split_every must be a whole number of at least 2", ugt.dask.partial, "annotation_certainty", tables[0], split_every=1)


def by_size(one):
    return {str(len(one)): states.partial("annotation_certainty", one)}


def test_errors_of_partitions():
    with dask.config.set(scheduler="synchronous"):
        for nothing in ([None, None], [np.empty((0, 2)), None]):
            for metric in ("annotation_certainty", certainty):
                refused(r"collections must hold at least one case. Got none", ugt.dask.compute, metric, nothing)
            refused("collections must hold at least one case", ugt.dask.compute, "soft_auroc", nothing, nothing)
            refused("collections must hold at least one case", ugt.dask.per_case, certainty, nothing)
        table = np.full((3, 2), 0.5)
        for said, metric in (("float", lambda one: 0.5), ("an empty dict", lambda one: {})):
            refused(f"metric must return a State or a dict of States. Got {said}", ugt.dask.compute, metric, [table], error=TypeError)
        for message, metric, *collections in (
            ("partitions must be empty in all collections or in none. Got nothing in collection 1", "ua_topk_accuracy", [table], [None]),
            ("metric must return the same metrics of every partition", by_size, [table, table[:1]]),
            (
                "partitions must have the same classes in the same order",
                "soft_auroc",
                [table, np.full((3, 3), 1 / 3)],
                [np.eye(3)[:, :2], np.eye(3)],
            ),
        ):
            refused(message, ugt.dask.compute, metric, *collections)
        refused("edges must be given with n_resamples", ugt.dask.compute, "soft_auroc", [table[:, 0]], [table[:, 0]], n_resamples=10)
        refused("case ids", ugt.dask.per_case, lambda one: one[:, 0], [table])
        with pytest.raises(ValueError, match=r"column 'x' of function must be one number for each of 3 cases. Got shape \(2,\)"):
            ugt.dask.per_case(lambda one: {"case": [1, 2, 3], "x": [1, 2]}, [table])


def test_errors_of_frames(long):
    frame = dask.dataframe.from_pandas(long, npartitions=3)
    refused(r"frame must have a column 'patient'. Got 'case', 'annotator', 'label'", ugt.dask.labels, frame, case="patient", classes=K)
    refused("classes must be given", ugt.dask.labels, frame, classes=None)
    refused(r"frame must be a data frame of dask. Got DataFrame", ugt.dask.cases_apart, long)
    mixed = [pandas.DataFrame({"case": ["a"]}, dtype=object), pandas.DataFrame({"case": [1]}, dtype=object)]
    with dask.config.set({"scheduler": "synchronous", "dataframe.convert-string": False}):
        both = dask.dataframe.from_delayed([dask.delayed(one) for one in mixed], meta=mixed[0].iloc[:0])
        refused("case must hold only integers or only strings", ugt.dask.cases_apart, both)


def test_what_is_missing_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "dask", None)
    for call in (lambda: ugt.dask.partial("annotation_certainty", [1]), lambda: ugt.dask.cases_apart(None)):
        refused(r"ugt.dask needs dask: pip install 'ugt\[dask\]'", call, error=ImportError)
