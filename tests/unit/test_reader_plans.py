"""Plans of reader studies that hold with a stated probability, beside a twin in plain Python; widths within the range; what is refused."""

import math
import pickle
import warnings

import numpy as np
import pytest
from refusals import refused
from scipy import stats
from twins import reader_studies as twin

import ugt

PILOT = {"error": 0.0027, "cov1": 0.0012, "cov2": 0.0015, "cov3": 0.0007, "test_reader": 0.0007, "n_cases": 100}
TRUTH = np.arange(40) % 2
AS_FUNCTION = {"figure": lambda p, x: ((x >= 1) == (p > 0.5)).astype(float)}


def ratings(n_readers=4, seed=3, n_tests=2, own=0.25):
    """(T, R, 40): readers differ in how far positive cases are above the others, the more in each test the larger ``own`` is."""
    rng = np.random.default_rng(seed)
    gain = 1.0 + 0.4 * np.arange(n_tests)[:, None] + own * rng.normal(size=(n_tests, n_readers))
    return rng.normal(size=(n_tests, n_readers, 40)) + rng.normal(size=40) + gain[:, :, None] * TRUTH


def study(x=None, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return ugt.reader_study(
            TRUTH[: 40 if x is None else x.shape[2]], ugt.studies.Readings.from_array(ratings() if x is None else x), **options
        )


def plan(pilot, **asked):
    return ugt.studies.plan_reader_study(pilot, **{"width": 0.25, "max_readers": 300, **asked})


def parts_of(table, n_tests, n_readers):
    """(Var - Cov1, Cov2 - Cov3) as means over pairs of cells of a table (G, G)."""
    kinds = {(True, True): [], (False, True): [], (True, False): [], (False, False): []}
    cells = [(t, r) for t in range(n_tests) for r in range(n_readers)]
    for g, (t, r) in enumerate(cells):
        for h, (u, s) in enumerate(cells):
            kinds[t == u, r == s].append(table[g, h])
    error, one, two, three = (sum(kinds[key]) / len(kinds[key]) for key in ((True, True), (False, True), (True, False), (False, False)))
    return error - one, two - three


def by_hand(x, n_readers, n_cases, assurance, covariance, units=None):
    """The width and the true variance of a design that hold with this probability, and the expected ones."""
    n_tests, r0, n0 = x.shape
    flat, units, truth = x.reshape(-1, n0), np.arange(n0) if units is None else units, TRUTH[:n0]
    names = sorted(set(units.tolist()))
    values = []
    for left in names:
        kept = units != left
        values.append([kept.sum() / n0 * one for one in parts_of(covariance(flat[:, kept], truth[kept], units[kept]), n_tests, r0)])
    alone, shared = parts_of(covariance(flat, truth, units), n_tests, r0)
    figure = np.array([twin.auroc(one, truth) for one in flat]).reshape(n_tests, r0)
    rest = figure - figure.mean(axis=0) - figure.mean(axis=1)[:, None] + figure.mean()
    f = (n_tests - 1) * (r0 - 1)
    square = (rest**2).sum() / f
    scale, own = n0 / n_cases, max(square - alone + shared, 0)
    of_cases = [2 / n_readers * ((scale - 1) * a + ((n_readers - 1) * scale + 1) * b) for a, b in values]
    mean = sum(of_cases) / len(names)
    s = math.sqrt((len(names) - 1) / len(names) * sum((one - mean) ** 2 for one in of_cases))
    middle = 2 / n_readers * (square + (scale - 1) * alone + ((n_readers - 1) * scale + 1) * max(shared, 0))
    expected = 2 / n_readers * (own + alone * scale + (n_readers - 1) * max(shared, 0) * scale)
    df = (expected * n_readers / 2) ** 2 * (n_readers - 1) / (own + (alone - max(shared, 0)) * scale) ** 2
    u = math.hypot(2 / n_readers * square * (f / stats.chi2.ppf(1 - assurance, f) - 1), stats.t.ppf(assurance, len(names) - 1) * s)
    in_study = max(expected, middle + math.hypot(u, (stats.chi2.ppf(assurance, df) / df - 1) * expected))
    return 2 * stats.t.ppf(0.975, df) * math.sqrt(in_study), max(middle + u, expected), expected, df


OF_WAY = {
    "delong": lambda x, p, units: twin.delong(x, p),
    "jackknife": twin.jackknife,
}


@pytest.mark.parametrize(
    ("way", "n_tests", "own", "clusters"),
    [("delong", 2, 0.5, None), ("delong", 3, 0.5, None), ("delong", 2, 0.0, None), ("jackknife", 2, 0.5, np.arange(20) // 2)],
    ids=["delong", "three tests", "readers who are alike", "clusters"],
)
def test_assurance_by_its_formula(way, n_tests, own, clusters):
    x = ratings(n_tests=n_tests, own=own)[:, :, : 40 if clusters is None else 20]
    found = plan(study(x, covariance=way, clusters=clusters), assurance=0.9, difference=0.1, power=0.5)
    for r, n in ((3, 40), (12, 300)):
        width, variance, expected, df = by_hand(x, r, n, 0.9, OF_WAY[way], clusters)
        one = found.design(r, n)
        cut = min(0.1 + width / 2, 1) - max(0.1 - width / 2, -1)
        assert one.width == pytest.approx(cut) and one.std_error == pytest.approx(math.sqrt(expected))
        power = stats.ncf.sf(stats.f.ppf(0.95, 1, df), 1, df, 0.01 / variance)
        assert one.power == pytest.approx(power, rel=1e-4)


def test_plans_with_more_assurance_cost_more():
    pilot = study()
    plans = [plan(pilot, assurance=one) for one in (None, 0.5, 0.7, 0.9)]
    costs = [one.best.cost for one in plans]
    assert costs == sorted(costs) and costs[0] < costs[2] < costs[3]
    assert [one.assurance for one in plans] == [None, 0.5, 0.7, 0.9] and all(row.width <= 0.25 for row in plans[3].table)
    powers = [plan(pilot, difference=0.1, assurance=one).design(8, 100).power for one in (None, 0.7, 0.9)]
    assert powers[0] > powers[1] > powers[2]
    number = {name: getattr(pilot.components, name) for name in (*PILOT, "n_readers")}
    assert str(plans[0].table) == str(plan(number).table)  # without a difference power is NaN


@pytest.mark.parametrize("covariance", ["jackknife", "unbiased", "bootstrap"])
def test_assurance_whatever_covariances_the_pilot_has(covariance):
    """The spread over cases is that of the jackknife's covariances, close to that of DeLong's."""
    found = [plan(study(covariance=one), assurance=0.9).design(10, 200).width for one in ("delong", covariance)]
    assert found[1] == pytest.approx(found[0], rel=0.15)


def test_more_cases_than_groups_are_left_out_in_groups():
    x = np.concatenate([ratings(), ratings(seed=4), ratings(seed=5)], axis=2)
    readings = ugt.studies.Readings.from_array(x)
    pilot = ugt.reader_study(np.tile(TRUTH, 3), readings)
    assert pilot._cells.without_cases().shape == (2, 100)
    each = ugt.reader_study(np.tile(TRUTH, 3), readings, clusters=np.arange(120) % 100, covariance="jackknife")
    np.testing.assert_allclose(pilot._cells.without_cases(), each._cells.without_cases(), rtol=0.1, atol=1e-4)


# ---- widths within the range


def test_widths_are_those_of_intervals_cut_to_the_range():
    large = {**PILOT, "test_reader": 0.1}
    for difference in (None, 0.0, 0.6, -0.6):
        one = plan(large, width=1.0, **({} if not difference else {"difference": difference})).design(2, 20)
        half = plan({**large, "error": 0.3}, width=1.0).design(2, 20)
        middle = difference or 0.0
        mine = plan(large, width=1.0).design(2, 20).std_error * stats.t.ppf(0.975, df_of(large, 2, 20))
        assert one.width == pytest.approx(min(middle + mine, 1) - max(middle - mine, -1)) and one.width < 2 * mine < half.width
    whole = plan(large, width=1.0).design(8, 200)
    assert whole.width == pytest.approx(2 * whole.std_error * stats.t.ppf(0.975, df_of(large, 8, 200)))
    refused(r"width must be at most 2, the range of differences of figures from 0 to 1 \(20 percentage", plan, PILOT, width=20)
    refused(r"difference must be from -1 to 1, the range of differences", plan, PILOT, difference=6.0)


def df_of(parts, r, n):
    scale = parts["n_cases"] / n
    shared = (parts["cov2"] - parts["cov3"]) * scale
    alone = parts["test_reader"] + (parts["error"] - parts["cov1"]) * scale
    return (r - 1) * (alone + (r - 1) * shared) ** 2 / (alone - shared) ** 2


def test_figures_of_any_range_are_not_cut():
    percent = {name: value if name == "n_cases" else 1e4 * value for name, value in PILOT.items()}
    found, share = (plan(one, width=width, difference=width / 2) for one, width in ((percent, 20), (PILOT, 0.2)))
    assert found.best[:2] == share.best[:2] and found.best.width == pytest.approx(100 * share.best.width)
    function = study(**AS_FUNCTION)
    assert plan(function, width=5.0, assurance=0.9).best is not None


def test_intervals_of_differences_are_cut_as_in_plans():
    x = np.array([[TRUTH + 0.0, TRUTH * -1.0], [1.0 - TRUTH, TRUTH + 0.0]]) + np.random.default_rng(0).normal(size=(2, 2, 40)) / 4
    found = study(x).differences[0]
    low, high = found._ends(0.95)
    assert low < -1 and high > 1 and found.interval() == (-1.0, 1.0)
    calls = study(x, figure=lambda p, one: 2 * ((one >= 0.5) == (p > 0.5))).differences[0]
    assert calls.interval() == calls._ends(None) and calls.interval()[0] < -1


# ---- what does not show how readers or cases differ


def test_assurance_that_a_pilot_cannot_give_is_refused():
    refused(r"assurance must be at least 0.5 and below 1, such as 0.9. Got 0.3", plan, study(), assurance=0.3)
    refused(r"assurance must be at least 0.5 and below 1", plan, study(), assurance=1.0)
    message = r"assurance must be left out with components, whose error is unknown \(give the ReaderStudy of a pilot\)"
    refused(message, plan, PILOT, assurance=0.9)
    refused(message, plan, study().components, assurance=0.9)
    message = (
        r"assurance must be left out for a pilot that does not show .* \(take a pilot of at least 3 readers who differ\). Got 2 readers"
    )
    refused(message, plan, study(ratings(2)), assurance=0.9)
    one = ratings(1)
    refused(r"Got the same difference for all 3 readers", plan, study(np.concatenate([one, one, one], axis=1)), assurance=0.9)
    refused(r"^components\['error'\] must be a finite number above 0", plan, study(np.zeros((2, 3, 40))), assurance=0.9)
    few = np.where(np.arange(40) < 2, 1, 0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        pilot = ugt.reader_study(few, ugt.studies.Readings.from_array(ratings()))
    refused(
        r"assurance must be left out for a pilot in which .* undefined without some of the cases .* Got 40 cases",
        plan,
        pilot,
        assurance=0.9,
    )


def test_copies_of_a_study_give_the_same_plan():
    found = study()
    again = pickle.loads(pickle.dumps(found))
    assert plan(again, assurance=0.9).best[:4] == plan(found, assurance=0.9).best[:4]
    function = pickle.loads(pickle.dumps(study(**AS_FUNCTION)))
    assert plan(function, width=0.3).best is not None
    refused(r"assurance must be left out for a study that was copied or pickled", plan, function, width=0.3, assurance=0.9)


def test_plans_that_no_design_reaches_say_so():
    with pytest.warns(RuntimeWarning, match="up to 3 readers: the differences between readers alone require at least"):
        found = plan(study(), assurance=0.9, max_readers=3)
    needed = int(found.notes[-1].text.rstrip(".").split()[-1].replace(",", ""))
    assert found.best is None and needed > 3 and plan(study(), assurance=0.9).table[0].n_readers >= needed
