"""What every result has by being one: intervals, clusters by any form of ids, paired differences."""

import copy
import math
import pickle
import warnings
from functools import partial

import numpy as np
import pytest
from public_functions import FUNCTIONS, make_world
from refusals import refused
from twins import resampling as twin
from twins import student

import ugt
from ugt import resampling
from ugt._base.laws import t_quantile
from ugt._base.ragged import distinct
from ugt.resampling import Ratios, Statistic, ids_of_cases, resample
from ugt.resampling.result import Result, Results

RNG = np.random.default_rng(3)
N = 30
PATIENT = np.arange(N) // 3
VALUES = RNG.random((N, 2))
VALUES[4, 0] = np.nan


def accuracy(j=0):
    """A mean over cases, one of them undefined."""
    truth = np.stack([VALUES[:, j], 1 - VALUES[:, j]], axis=1)
    return ugt.metrics.ua_plausibility_mass(truth, [[0]] * N)


FORMS = {
    "array": PATIENT,
    "list": PATIENT.tolist(),
    "mapping": dict(zip(range(N), PATIENT.tolist())),
    "mapping in another order, with more cases": {str(i): int(PATIENT[i]) if i < N else 99 for i in reversed(range(N + 5))},
    "pair": (np.arange(N)[::-1], PATIENT[::-1]),
}


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("argument", ["clusters", "strata"])
def test_ids_in_any_form_are_the_same_ids(argument, form):
    options = {"n_resamples": 50, "seed": 2}
    expected = accuracy().resamples(**{argument: PATIENT}, **options).values
    np.testing.assert_array_equal(accuracy().resamples(**{argument: FORMS[form]}, **options).values, expected)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (PATIENT[:-1], rf"clusters must be {N} ids, one per case\. Got shape \({N - 1},\)\."),
        (3, r"clusters must be 30 ids, one per case\. Got shape \(\)\."),
        ({i: 0 for i in range(N) if i not in (7, 9)}, r"clusters must hold an id for .* Got none for 2 of 30 cases, first at case 7\."),
        ((range(N), [0] * 7), r"clusters must have as many case ids as ids\. Got 30 and 7\."),
    ],
)
def test_ids_that_do_not_fit(given, message):
    refused(message, accuracy().interval, clusters=given)


def test_ids_are_joined_by_the_names_of_cases():
    names = np.array(["b", "a", "c"])
    assert ids_of_cases("clusters", {"a": 1, "b": 2, "c": 3, "d": 4}, 3, names).tolist() == [2, 1, 3]
    assert ids_of_cases("clusters", (["c", "b", "a"], ["x", "y", "z"]), 3, names).tolist() == ["y", "z", "x"]
    assert ids_of_cases("clusters", ("x", "y"), 2).tolist() == ["x", "y"]  # two ids, not case ids and ids


def test_analytic_intervals_of_means():
    found, values = accuracy(), VALUES[~np.isnan(VALUES[:, 0]), 0]
    error = values.std(ddof=1) / np.sqrt(len(values))
    assert found.std_error == pytest.approx(error, rel=1e-12)
    expected = values.mean() + np.array([-1, 1]) * student.quantile(len(values) - 1, 0.95) * error
    np.testing.assert_allclose(found.interval(0.9, kind="analytic"), expected, rtol=1e-12)
    # over clusters: their totals about the mean
    total = np.array([(values[PATIENT[np.arange(N) != 4] == g] - values.mean()).sum() for g in range(10)])
    error = np.sqrt((total**2).sum() * 10 / 9) / len(values)
    expected = values.mean() + np.array([-1, 1]) * student.quantile(9, 0.975) * error
    np.testing.assert_allclose(found.interval(kind="analytic", clusters=PATIENT), expected, rtol=1e-12)
    refused(r"of must be one of 'value'\. Got 'alpha'", found.interval, of="alpha")


def test_paired_differences():
    one, other = accuracy(1), accuracy(0)
    found = one.minus(other)
    assert found.value == one.value - other.value
    np.testing.assert_array_equal(found.per_case, one.per_case - other.per_case)
    options = {"n_resamples": 60, "seed": 4, "clusters": PATIENT}
    weights = np.stack([twin.case_weights(4, b, PATIENT.tolist()) for b in range(60)])
    known = ~np.isnan(VALUES[:, 0])
    expected = weights @ VALUES[:, 1] / weights.sum(1) - weights[:, known] @ VALUES[known, 0] / weights[:, known].sum(1)
    np.testing.assert_allclose(found.resamples(**options).values[:, 0], expected, atol=1e-13)
    influence = one.influence - other.influence
    assert found.std_error == pytest.approx(np.sqrt((influence**2).sum() * known.sum() / (known.sum() - 1)), rel=1e-12)
    bca = found.interval(kind="bca", **options)
    assert bca[0] < found.value < bca[1]
    refused(r"other must be a result of the same metric\. Got float\.", one.minus, 0.5, error=TypeError)
    refused(r"other must be of the same 30 cases\. Got 2\.", one.minus, ugt.metrics.ua_plausibility_mass([[0.4, 0.6]] * 2, [[0]] * 2))


class Median(Statistic):
    """A statistic without a derivative; the sums are the weights themselves."""

    def __init__(self, x):
        self.x, self.n_cases = np.sort(x), len(x)

    def sums(self, cases=None):
        return np.ones((1, self.n_cases)) if cases is None else cases

    def answer(self, sums):
        return self.x[(np.cumsum(sums, axis=1) >= sums.sum(axis=1, keepdims=True) / 2).argmax(axis=1)][:, None]


def test_statistics_share_their_resamples():
    mean, median = Ratios.of(VALUES[:, 1]), Median(VALUES[:, 1])
    design = resampling.Design.of(N, PATIENT)
    kept = np.ones(N, bool)
    together = resample([median, mean], kept, design, 5, [20, 40])
    alone = [resample([one], kept, design, 5, n)[0] for one, n in ((median, 20), (mean, 40))]
    for one, other in zip(together, alone):
        np.testing.assert_array_equal(one, other)
    weights = design.weights(5, 0, 20)
    np.testing.assert_array_equal(together[0], median.values(weights))
    np.testing.assert_allclose(together[1][:20], mean.values(weights), rtol=1e-13)
    with ugt.resampling.threads(3):
        for one, other in zip(resample([median, mean], kept, design, 5, [20, 40]), alone):
            np.testing.assert_array_equal(one, other)


def test_what_a_statistic_does_not_know():
    median = Median(VALUES[:, 1])
    assert median.influence() is None and np.isnan(median.std_error()).all() and median.merging.settings == {}
    refused(r"annotators must be named, to be left out one by one", median.values, annotators=np.ones(3))
    refused(r"annotators must be named for intervals over other annotators", median.panel.annotations)
    assert median.facts.notes_of(0) == () and median.facts.scale_of(0) == "identity" and median.merging.squares is None


# ---- the results of all public functions
def found_on(seed, name):
    return FUNCTIONS[name].call({**make_world(60, seed=seed), "case_ids": IDS})


IDS = make_world(60)["case_ids"]
with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    FOUND = {name: found_on(0, name) for name, entry in FUNCTIONS.items() if entry.values}
    FOUND = {name: found for name, found in FOUND.items() if isinstance(found, Results)}
every_result = pytest.mark.parametrize("found", FOUND.values(), ids=FOUND)
every_metric = pytest.mark.parametrize("name", [name for name, found in FOUND.items() if isinstance(found, Result)])
pytestmark = pytest.mark.filterwarnings("ignore")


@every_result
def test_resamples_belong_to_the_seed(found, monkeypatch):
    """The same bytes for any number of threads and from every copy; fewer are the first ones, other seeds draw others."""
    copies = copy.copy(found), copy.deepcopy(found), pickle.loads(pickle.dumps(found))
    for ids, source in ((None, "cases"), (np.arange(60) // 2, "clusters")):
        drawn = found.resamples(clusters=ids, n_resamples=70, seed=3)
        np.testing.assert_allclose(drawn.estimate, found.statistic.estimate, rtol=1e-13)
        assert drawn.sources == (source,)
        with ugt.resampling.threads(3), monkeypatch.context() as small:
            small.setattr("ugt.resampling.sums.WORK", 1)  # of a thread at a time
            together = [one.resamples(clusters=ids, n_resamples=70, seed=3) for one in (found, *copies)]
        assert {one.values.tobytes() for one in together} == {drawn.values.tobytes()}
        few, others = (found.resamples(clusters=ids, n_resamples=9, seed=seed).values for seed in (3, np.random.SeedSequence(4)))
        if "Losses" not in type(found).__name__:  # which are shifted by the mean of all resamples
            np.testing.assert_allclose(few, drawn.values[:9], rtol=1e-12, atol=1e-14)
        assert (few != others).any() or not np.ptp(drawn.values)
    assert {one.statistic.estimate.tobytes() for one in copies} == {found.statistic.estimate.tobytes()}


def of_cases(found):
    """The options with which results have intervals over cases; a corrected mean has them over annotators, too, unless asked."""
    return {"random": ("cases",)} if isinstance(found, (ugt.judges.CorrectedMean, ugt.judges.CorrectedDifference)) else {}


@every_result
def test_intervals_are_those_of_the_resamples(found):
    patient, ids = np.arange(60) // 2, range(60) if found.case_ids is None else found.case_ids.tolist()
    drawn = {"clusters": patient, "strata": patient % 2, "n_resamples": 40, "seed": 5}
    by_id = {**drawn, "clusters": dict(zip(ids, patient.tolist())), "strata": (ids[::-1], (patient % 2)[::-1])}
    for kind in ("percentile", "basic", "bca"):
        expected = found.resamples(**drawn).interval(0.8, kind)
        more = {**of_cases(found), "kind": kind}
        np.testing.assert_array_equal(found.intervals(0.8, **more, **drawn), expected)
        np.testing.assert_array_equal(found.intervals(0.8, **more, **by_id), expected)
        if isinstance(found, Result):
            ends = found.interval(0.8, **more, **by_id), found.interval(0.8, of=found.statistic.names[-1], **more, **drawn)
            np.testing.assert_allclose(ends, expected[[0, -1]], rtol=1e-12, atol=1e-15)
    if isinstance(found, Result) and not str(getattr(found, "coefficient", "")).startswith("ICC"):  # which knows no clusters
        np.testing.assert_array_equal(
            *(found.interval(kind="analytic", clusters=given["clusters"], **of_cases(found)) for given in (drawn, by_id))
        )


@every_result
def test_intervals_that_are_refused(found):
    ask = [partial(one, **of_cases(found)) for one in (found.intervals, *([found.interval] if isinstance(found, Result) else []))]
    for call in ask:
        refused(
            r"kind must be one of 'auto', 'percentile', 'basic', 'bca', 'studentized', 'analytic'\. Got 'delong'\.", call, kind="delong"
        )
        refused(r"level must be a number between 0 and 1, such as 0.95\. Got 95\.", call, 95)
    for call in (*ask, found.resamples):
        for given in (np.zeros(59), np.zeros((60, 1)), 3):
            refused(r"clusters must be 60 ids, one per case\. Got shape", call, clusters=given)
        refused(r"clusters must not be missing\. Got None, first at row \d+", call, clusters=[*range(59), None])
        refused(r"strata must be 60 ids, one per case\. Got shape \(2,\)\.", call, strata=[1, 2])
        for given in (0, 2.5, "9", True):
            refused(r"n_resamples must be a whole number of at least 1\. Got", call, n_resamples=given)
        refused(r"seed must be an int from 0", call, seed=-1)


@every_metric
def test_differences_are_of_the_same_resamples(name):
    one, other, drawn = FOUND[name], found_on(1, name), {"n_resamples": 30, "seed": 3}
    found = one.minus(other)
    assert found.value == one.value - other.value
    apart = [each.resamples(**drawn).values[:, 0] for each in (one, other)]
    if np.all(one.statistic.kept & other.statistic.kept):
        np.testing.assert_allclose(found.resamples(**drawn).values[:, 0], apart[0] - apart[1], atol=1e-13)
    refused(r"of must be one of '", one.interval, of="delta")
    refused(r"strata must be None for kind='analytic'\. Got", one.interval, kind="analytic", strata=[0] * 60, **of_cases(one))


@every_metric
def test_what_arrays_become_afterwards_does_not_matter(name):
    world, expected = make_world(60), FOUND[name]
    found = FUNCTIONS[name].call(world)
    for array in world.values():
        array[...] = array[::-1].copy()
    assert found.value == expected.value
    if name != "histogram_losses":  # which reads tables again, and says so
        np.testing.assert_array_equal(found.influence, expected.influence)
        assert found.resamples(n_resamples=9).values.tobytes() == expected.resamples(n_resamples=9).values.tobytes()


@pytest.mark.parametrize("df", [1, 2.5, 29, 1000])
def test_quantiles_of_student(df):
    assert t_quantile(df, [0.975, 0.9]) == pytest.approx([student.quantile(df, 0.975), student.quantile(df, 0.9)], rel=1e-12)


def test_quantiles_of_student_without_degrees_of_freedom_have_no_end():
    """Old scipy ended the process, with the exit code of a success."""
    found = t_quantile([0, 1e-300, 1e-62, 0.04, math.nan], 0.975)
    assert found[:4].tolist() == [math.inf] * 4
    assert math.isnan(found[4])
    assert t_quantile(1e-62, [0.5, 0.2]).tolist() == [0, -math.inf]
    assert t_quantile(math.inf, 0.975) == pytest.approx(1.959963984540054, rel=1e-8)


@pytest.mark.parametrize("clusters", [None, np.arange(60) // 3])
@pytest.mark.parametrize("cells", [2**22, 0], ids=["at once", "block by block"])
def test_wide_tables_share_the_resamples_of_others(clusters, cells, monkeypatch):
    """Whether their rows are alike (labels), or all different and too many for memory (distances of numbers)."""
    monkeypatch.setattr(ugt.humans.forest, "CELLS", cells)
    rng = np.random.default_rng(2)
    design = resampling.Design.of(60, clusters)
    for table, guess in ((rng.integers(0, 3, (60, 4)), rng.integers(0, 3, 60)), (rng.normal(size=(60, 4)), rng.normal(size=60))):
        kind = "zero-one" if table.dtype.kind == "i" else "squared"
        judged = ugt.humans.annotator_discrepancy(table.tolist(), {"m": guess}, distance=kind).statistic
        assert judged.too_wide == (cells == 0)
        weights = design.weights(5, 0, 40)
        ratios = Ratios.of(rng.normal(size=(60, 2)))
        drawn = resample([judged, ratios], np.ones(60, bool), design, 5, 40)
        np.testing.assert_allclose(drawn[0], judged.answer(weights @ judged.columns), rtol=1e-12)
        np.testing.assert_allclose(drawn[1], ratios.values(weights), rtol=1e-12)


def test_distinct_rows_of_tables_side_by_side_are_counted_as_those_of_each():
    rng = np.random.default_rng(4)
    n = 9000
    codes = [rng.integers(0, size, n, np.int32) for size in (3, 5, 700, 700, 900, 4)]
    codes[3] = (codes[2] + codes[0]) % 700  # few pairs with some tables, but not with all
    tables = [resampling.Alike(np.arange(n), code, np.unique(code, return_index=True)[1]) for code in codes]
    weights = rng.integers(0, 4, (n, 2)).astype(float)
    groups = resampling.sums.joined(tables)
    assert sorted(j for _, members in groups for j, _ in members) == list(range(len(tables)))
    assert 1 < len(groups) < len(tables)
    for every, members in groups:
        assert len(every) * 8 <= n
        for j, one in members:
            expected = [np.bincount(codes[j], column) for column in weights.T]
            np.testing.assert_array_equal(one.times(every.times(weights)), np.transpose(expected))


@pytest.mark.parametrize("design", ["cases", "clusters"])
def test_numbers_of_cases_that_repeat_are_those_of_whole_tables(design):
    rng, n = np.random.default_rng(8), 9000
    kind, other = rng.integers(0, 7, n), rng.integers(0, 9, n)
    columns = [rng.random(7)[kind], np.where(kind == 3, np.nan, rng.random(7)[kind]), rng.random((7, 9))[kind, other]]
    columns += [rng.random(n), rng.random(9)[other]]
    blocks = ["few", "few", "few", "many", "many"]
    kept = rng.random(n) < 0.9
    units = resampling.Design.of(int(kept.sum()), None if design == "cases" else np.arange(kept.sum()) // 2)
    numbers = resampling.CaseNumbers()
    for column, block in zip(columns, blocks):
        numbers.add(column, block)
        np.testing.assert_array_equal(numbers[len(numbers) - 1], column)
    assert [len(one.table) if block == "many" else len(one.table.rows) for one, block in zip(numbers.means, ["few", "many"])] == [63, n]
    assert numbers.places.tolist() == [0, 1, 2, 3, 4] and len(numbers[1:]) == 4
    whole = Ratios.of(np.stack(columns, axis=1))
    found = [np.concatenate([one.estimate for one in numbers.means]), np.concatenate([one.facts.spans for one in numbers.means])]
    np.testing.assert_array_equal(found[0], whole.estimate)
    np.testing.assert_array_equal(found[1], whole.facts.spans)
    drawn = resample([*numbers.means, whole], kept, units, 5, 24)
    np.testing.assert_allclose(np.concatenate(drawn[:-1], axis=1), drawn[-1], rtol=1e-12)
    one = Ratios.of(np.stack(columns[:3], axis=1))
    before = {name: getattr(one, name) for name in ("columns", "numerator", "denominator", "kept")}
    influence, sums = one.influence(), one.sums(np.ones((2, n)))
    assert one.compact() is one and isinstance(one.table, resampling.sums.Repeated) and one.compact().n_columns == 5
    for name, value in before.items():
        np.testing.assert_array_equal(getattr(one, name), value)
    np.testing.assert_array_equal(one.influence(), influence)
    np.testing.assert_allclose(one.sums(np.ones((2, n))), sums, rtol=1e-12)


def test_distinct_keys_in_any_order():
    for keys in ([], [7], [1, 1, 2, 5, 5], [5, 1, 2, 1, 5]):
        first, number = distinct(np.array(keys, np.int64))
        expected = np.unique(np.array(keys, np.int64), return_index=True, return_inverse=True)[1:]
        np.testing.assert_array_equal(first, expected[0])
        np.testing.assert_array_equal(number, expected[1].reshape(-1))


WORLD_OF_24 = make_world(24, 3, 1)
# Functions that are called with tables, which have no case ids.
OF_TABLES = (
    "disagreement_losses", "histogram_brier_score", "histogram_log_loss", "calibration_at_cuts", "histogram_losses", "manhattan_distance",
    "ranked_probability_score", "wasserstein_distance", "hard_against_soft", "soft_auroc", "soft_average_precision",
    "diagnostic_accuracy", "net_benefit",
)  # fmt: skip


def results_of(name):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        made = FUNCTIONS[name].call(WORLD_OF_24)
    some = made if isinstance(made, (list, tuple)) else made.values() if isinstance(made, dict) else [made]
    return [one for one in some if isinstance(one, Results)]


@pytest.mark.parametrize("name", [name for name in FUNCTIONS if name not in OF_TABLES])
def test_every_result_knows_the_ids_of_its_cases(name):
    """Once the clusters of many results were joined to row numbers, although the annotations had case ids."""
    for one in results_of(name):
        ids = one.case_ids
        assert ids is not None, f"{name} forgets the case ids"
        units = np.arange(len(ids)) // 2
        expected = one._design(units, None)
        by_id = one._design(dict(zip(ids.tolist()[::-1], units[::-1].tolist())), None)
        np.testing.assert_array_equal(by_id.unit, expected.unit)


CASES = np.array([f"c{i}" for i in range(40)])
SAID = RNG.integers(0, 3, (40, 4))
PROBS = RNG.dirichlet([1, 1, 1], 40)
SHUFFLED = RNG.permutation(40)
PER_CASE = {
    "ua_topk_accuracy": lambda labels, probs: ugt.ua_topk_accuracy(ugt.dirichlet(labels), probs),
    "histogram_log_loss": ugt.calibration.histogram_log_loss,
    "next_annotator_agreement": ugt.metrics.next_annotator_agreement,
    "histogram_losses": ugt.histogram_losses,
    "annotation_certainty": lambda labels, probs: ugt.annotation_certainty(ugt.dirichlet(labels)),
}


@pytest.mark.parametrize("measure", PER_CASE)
def test_results_of_other_orders_of_the_cases_are_refused(measure):
    """Once differences paired the first case of one result with the first of another, whatever their ids were."""
    make = PER_CASE[measure]
    labels = ugt.Labels.from_wide(SAID.tolist(), classes=3, case_ids=CASES)
    moved = ugt.Labels.from_wide(SAID[SHUFFLED].tolist(), classes=3, case_ids=CASES[SHUFFLED])
    one, other, same = make(labels, PROBS), make(moved, PROBS[SHUFFLED]), make(labels, PROBS[:, ::-1])
    assert one.minus(same).interval(clusters=dict(zip(CASES.tolist(), range(40))), n_resamples=20)
    first = np.flatnonzero(CASES[SHUFFLED] != CASES)[0]
    got = rf"Got case '{CASES[SHUFFLED][first]}' where the first has '{CASES[first]}', first at position {first}\."
    refused(rf"other must be of the same cases in the same order .* {got}$", one.minus, other)
    if hasattr(one, "per_case"):
        assert ugt.truth.case_correlation(one, other).value == pytest.approx(1, abs=1e-12)  # joined by case id


def test_few_equal_cases_have_no_interval():
    """Once only shares said so: two cases with one ratio had the interval from 0.5 to 0.5."""
    few = [ugt.calibration.histogram_brier_score([[1, 1]] * n, [[0.5, 0.5]] * n) for n in (3, 19, 20)]
    assert [np.isnan(one.interval()).all() for one in few] == [True, True, False] and few[2].interval() == (0.5, 0.5)
    ratio = ugt.discrepancy_ratio(ugt.Labels.from_wide([[1, 2], [2, 1]], classes=3), [1, 2], distance="zero-one")
    assert ratio.value == 0.5 and np.isnan(ratio.interval()).all()
    assert few[0].minus(few[0]).interval() == (0, 0)
