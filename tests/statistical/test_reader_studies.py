"""Reader studies in simulations: type I error, coverage, false claims, bias of variances.

Ratings are those of Roe & Metz' model: the effects of readers, cases and both, alike in all tests or different in each, are normal. Under
the hypothesis the tests are alike. Truth is certain, or labels of a panel: the figure is then that against a truth drawn from the labels'
probabilities, which is known here, too.
"""

import math
import sys
import warnings

import numpy as np
import pytest
from scipy.stats import norm
from simulations import holds, sets

import ugt
from ugt.studies.gallas import u_statistics

#: variances of readers, readers by tests, cases, tests by cases, readers by cases, the rest; and the distance of the classes
MODEL = {"reader": 0.0055, "test_reader": 0.0055, "case": 0.3, "test_case": 0.3, "reader_case": 0.2, "error": 0.2}
DISTANCE = 0.75
AUC = norm.cdf(DISTANCE / math.sqrt(2 * sum(MODEL.values())))


def roe_metz(rng, n_tests, n_readers, truth, model=None, distance=DISTANCE, alone=False):
    """(T, R, N) ratings; effects of readers are drawn for positives and for negatives.

    ``alone``: the last reader is a model without such effects, whose AUROC is the mean of readers.
    """
    variances = model or MODEL
    s = {name: math.sqrt(value) for name, value in variances.items()}
    t, r, n, z = n_tests, n_readers, len(truth), truth.astype(int)
    reader = s["reader"] * rng.normal(size=(1, r, 2)) + s["test_reader"] * rng.normal(size=(t, r, 2))
    far = np.full((r, 1), float(distance))
    if alone:
        whole = sum(variances.values())
        reader[:, -1], far[-1] = 0, distance * math.sqrt(1 - (variances["reader"] + variances["test_reader"]) / whole)
    case = s["case"] * rng.normal(size=n) + s["test_case"] * rng.normal(size=(t, 1, n)) + s["reader_case"] * rng.normal(size=(r, n))
    return far * truth + reader[:, :, z] + case + s["error"] * rng.normal(size=(t, r, n))


def classes(n_cases):
    return np.repeat([0.0, 1.0], [n_cases // 2, n_cases - n_cases // 2])


def panel(rng, truth, skills):
    """(N, A) labels of annotators, right with probability skills (A,)."""
    right = rng.random((len(truth), len(skills))) < skills
    return np.where(right, truth[:, None], 1 - truth[:, None]).astype(int)


def soft_auc(accuracy, auc=AUC):
    """Against a truth drawn from labels that are right with this probability, half of the cases positive."""
    return accuracy * (1 - accuracy) + accuracy**2 * auc + (1 - accuracy) ** 2 * (1 - auc)


def studies(n_sets, n_readers, n_cases, seed=1, **options):
    rng, truth = np.random.default_rng(seed), classes(n_cases)
    for _ in range(n_sets):
        yield ugt.reader_study(truth, ugt.studies.Readings.from_array(roe_metz(rng, 2, n_readers, truth)), **options)


@sets(200, 2000)
@pytest.mark.parametrize(
    ("n_readers", "n_cases", "options"),
    [
        (3, 50, {}), (5, 120, {}), (10, 200, {}), (20, 100, {}), (5, 120, {"covariance": "jackknife"}),
        (5, 120, {"covariance": "unbiased"}), (3, 50, {"method": "u"}), (5, 120, {"method": "u"}),
    ],
)  # fmt: skip
def test_tests_alike_are_found_different_in_5_percent(n_readers, n_cases, options, n_sets):
    """Measured with 1,000 sets: .047 to .061; intervals of one test .935 to .956 on the logit scale, .926 to .947 cut at 0 and 1."""
    found = [(one.differences[0], one.tests[0].interval()) for one in studies(n_sets, n_readers, n_cases, **options)]
    assert holds(sum(one.p_value < 0.05 for one, _ in found), n_sets, 0.03, 0.07)
    assert holds(sum(low <= AUC <= high for _, (low, high) in found), n_sets, 0.93, 0.97)
    ratio = math.sqrt(np.mean([one.std_error**2 for one, _ in found])) / np.std([one.value for one, _ in found])
    assert abs(ratio - 1) < 6.2 / math.sqrt(2 * n_sets) + 0.05


@sets(100, 1000)
@pytest.mark.parametrize("random", ["cases", "readers"])
def test_what_is_fixed_is_not_random(random, n_sets):
    """Ignoring readers, or cases, errs too often: the planted wrong analysis falls out."""
    model = {**MODEL, "test_reader": 0.4} if random == "cases" else {**MODEL, "test_case": 3.0}
    rng, truth, wrong = np.random.default_rng(5), classes(60), 0
    for _ in range(n_sets):
        readings = ugt.studies.Readings.from_array(roe_metz(rng, 2, 4, truth, model))
        wrong += ugt.reader_study(truth, readings, random=(random,)).differences[0].p_value < 0.05
    assert not holds(wrong, n_sets, 0.05, 0.10), wrong


@sets(200, 2000)
@pytest.mark.parametrize("nested", ["readers", "cases in readers", "cases in tests"])
def test_nested_designs(nested, n_sets):
    """Readers in one test each (5 and 4 of them), cases of their own for each reader or each test."""
    rng, rejected = np.random.default_rng(6), 0
    for _ in range(n_sets):
        if nested == "readers":
            truth = classes(100)
            x = roe_metz(rng, 2, 9, truth)
            x[0, 5:], x[1, :5] = np.nan, np.nan
        else:
            truth = np.tile(classes(40), 5)
            own = np.arange(200) // 40
            x = roe_metz(rng, 2, 5, truth)
            among = own == np.arange(5)[:, None] if nested == "cases in readers" else (own % 2 == np.arange(2)[:, None])[:, None]
            x = np.where(among, x, np.nan)
        rejected += ugt.reader_study(truth, ugt.studies.Readings.from_array(x)).differences[0].p_value < 0.05
    assert holds(rejected, n_sets, 0.03, 0.07)


@sets(200, 2000)
@pytest.mark.parametrize("options", [{}, {"method": "u"}])
def test_half_of_the_readings_missing(options, n_sets):
    rng, truth, rejected = np.random.default_rng(7), classes(120), 0
    for _ in range(n_sets):
        x = roe_metz(rng, 2, 6, truth)
        x[:, rng.random((6, 120)) < 0.5] = np.nan  # of a reader, in both tests
        rejected += ugt.reader_study(truth, ugt.studies.Readings.from_array(x), **options).differences[0].p_value < 0.05
    assert holds(rejected, n_sets, 0.03, 0.07)


@sets(200, 1000)
def test_centred_variances_with_half_of_the_readings_missing(n_sets):
    """5 readers, 30 + 30 cases: the centred form is hardly ever negative, the uncentred one in a tenth of the sets (planted)."""
    rng, truth, found = np.random.default_rng(8), classes(60), []
    for _ in range(n_sets):
        x = roe_metz(rng, 1, 5, truth)
        x[:, rng.random((5, 60)) < 0.5] = np.nan
        centred, plain = (u_statistics(x, ~np.isnan(x), truth, imrmc) for imrmc in (False, True))
        found.append((centred.values[0], centred.covariance[0, 0], plain.covariance[0, 0]))
    value, centred, plain = np.array(found).T
    assert (centred <= 0).mean() <= 0.01 + 3 * math.sqrt(0.01 / n_sets) and (plain <= 0).mean() > 0.05
    assert abs(centred.mean() / value.var() - 1) < 0.35 and centred.std() < plain.std() / 1.5


@sets(200, 2000)
@pytest.mark.parametrize(("n_readers", "n_cases"), [(5, 100), (10, 200)])
def test_a_model_like_the_readers_is_found_different_in_5_percent(n_readers, n_cases, n_sets):
    """And at the margin it is called not inferior in 5 %."""
    rng, truth, rejected, claimed = np.random.default_rng(9), classes(n_cases), 0, 0
    for _ in range(n_sets):
        x = roe_metz(rng, 1, n_readers + 1, truth, alone=True)
        readings = ugt.studies.Readings.from_array(x[:, :-1])
        rejected += ugt.studies.against_readers(truth, readings, x[0, -1]).difference.p_value < 0.05
        worse = x[0, -1] - 0.25 * truth
        margin = AUC - norm.cdf((DISTANCE * math.sqrt(1 - 0.011 / 1.011) - 0.25) / math.sqrt(2))
        claimed += ugt.studies.against_readers(truth, readings, worse, margin=margin).claim.decision
    assert holds(rejected, n_sets, 0.03, 0.07) and holds(claimed, n_sets, 0.03, 0.07)


@sets(150, 2000)
@pytest.mark.parametrize(("n_readers", "n_cases", "n_labels"), [(5, 120, 3), (5, 120, 5), (8, 300, 3)])
def test_soft_truth_covers_where_the_voted_label_does_not(n_readers, n_cases, n_labels, n_sets):
    """Labels that are right with probability .8. Measured with 1,000 sets: .949 to .951, by the vote .86, .75, .72; type I .053 to .059."""
    rng, truth, target, hits, voted, rejected = np.random.default_rng(2), classes(n_cases), soft_auc(0.8), 0, 0, 0
    for _ in range(n_sets):
        readings = ugt.studies.Readings.from_array(roe_metz(rng, 2, n_readers, truth))
        p = panel(rng, truth, np.full(n_labels, 0.8)).mean(axis=1)
        study, by_vote = ugt.reader_study(p, readings), ugt.reader_study(p > 0.5, readings)
        low, high = study.tests[0].interval()
        hits += low <= target <= high
        low, high = by_vote.tests[0].interval()
        voted += low <= target <= high
        rejected += study.differences[0].p_value < 0.05
    assert holds(hits, n_sets, 0.93, 0.97) and holds(rejected, n_sets, 0.03, 0.07)
    assert voted / n_sets < 0.90


@sets(150, 1000)
@pytest.mark.parametrize(("n_readers", "n_cases", "n_annotators"), [(5, 120, 4), (8, 300, 5)])
def test_a_panel_of_differing_skill(n_readers, n_cases, n_annotators, n_sets):
    """The same annotators label all cases. Measured with 1,000 sets: .965, .950; without their part .84, .75; type I .027, .022."""
    rng, truth, target, hits, without, rejected = np.random.default_rng(3), classes(n_cases), soft_auc(0.8), 0, 0, 0
    for _ in range(n_sets):
        readings = ugt.studies.Readings.from_array(roe_metz(rng, 2, n_readers, truth))
        labels = ugt.Labels.from_wide(panel(rng, truth, rng.beta(6, 1.5, n_annotators)), classes=2)
        study, alone = ugt.reader_study(labels, readings), ugt.reader_study(labels, readings, random=("readers", "cases"))
        low, high = study.tests[0].interval()
        hits += low <= target <= high
        low, high = alone.tests[0].interval()
        without += low <= target <= high
        rejected += study.differences[0].p_value < 0.05
    assert holds(hits, n_sets, 0.93, 0.98) and holds(rejected, n_sets, 0.015, 0.07)
    assert without / n_sets < 0.90


def half_missing(rng, x):
    x[:, rng.random(x.shape[1:]) < 0.5] = np.nan
    return x


def careless(rng, x):
    """One reader in eight sees nothing."""
    some = rng.random(x.shape[1]) < 1 / 8
    x[:, some] = rng.normal(size=x[:, some].shape)
    return x


@sets(150, 1000)
@pytest.mark.parametrize(
    ("soft", "change", "options"),
    [
        (False, None, {"figure": "average_precision"}), (True, None, {"figure": "average_precision"}),
        (True, half_missing, {}), (False, careless, {}),
    ],
)  # fmt: skip
def test_other_figures_truths_and_readers(soft, change, options, n_sets):
    """Measured with 400 sets: type I .040 to .055, intervals of one test .94 to .99 (of average precision too wide)."""
    rng, truth, rejected, found = np.random.default_rng(12), classes(120), 0, []
    for _ in range(n_sets):
        x = roe_metz(rng, 2, 5, truth)
        p = panel(rng, truth, np.full(5, 0.8)).mean(axis=1) if soft else truth
        study = ugt.reader_study(p, ugt.studies.Readings.from_array(x if change is None else change(rng, x)), **options)
        rejected += study.differences[0].p_value < 0.05
        found.append((study.tests[0].value, *study.tests[0].interval()))
    value, low, high = np.array(found).T
    assert holds(rejected, n_sets, 0.03, 0.07)
    assert holds(((low <= value.mean()) & (value.mean() <= high)).sum(), n_sets, 0.925, 0.99)


@sets(20, 100)
def test_covariances_of_resamples(n_sets):
    """Measured with 400 sets (1,000 resamples): type I .055, intervals of one test .95."""
    rng, truth, rejected, found = np.random.default_rng(13), classes(120), 0, []
    for _ in range(n_sets):
        study = ugt.reader_study(
            truth, ugt.studies.Readings.from_array(roe_metz(rng, 2, 5, truth)), covariance="bootstrap", n_resamples=300, seed=0
        )
        rejected += study.differences[0].p_value < 0.05
        found.append((study.tests[0].value, *study.tests[0].interval()))
    value, low, high = np.array(found).T
    assert holds(rejected, n_sets, 0.03, 0.07)
    assert holds(((low <= value.mean()) & (value.mean() <= high)).sum(), n_sets, 0.925, 0.99)


@sets(200, 2000)
def test_true_parameters_of_the_model(shared_case, n_sets):
    """Means of unbiased covariances and of components are those that RMH_to_OR computes: within 6.2 standard errors."""
    case = shared_case("mrmc/rmh_to_or_a")
    for given, expected in zip(case["inputs"][:3], case["expected"]):
        names = dict(zip(("reader", "test_reader", "case", "test_case", "reader_case", "error"), ("R", "TR", "C", "TC", "RC", "error")))
        model = {name: given[f"var_{key}"] for name, key in names.items()}
        rng, truth = np.random.default_rng(10), np.repeat([0.0, 1.0], [given["n0"], given["n1"]])
        found = []
        for _ in range(n_sets):
            readings = ugt.studies.Readings.from_array(roe_metz(rng, 2, 4, truth, model, given["delta1"]))
            parts = ugt.reader_study(truth, readings, covariance="unbiased").components
            found.append((parts.error, parts.cov1, parts.cov2, parts.cov3, parts.reader, parts.test_reader))
        wanted = [expected[key] for key in ("var_error", "cov1", "cov2", "cov3", "var_R", "var_TR")]
        away = (np.mean(found, axis=0) - wanted) / (np.std(found, axis=0) / math.sqrt(n_sets))
        assert np.abs(away).max() < 6.2, away


@sets(200, 2000)
def test_clusters_of_cases(n_sets):
    """Five lesions of a patient: the jackknife of patients holds, that of lesions errs (planted)."""
    rng, rates = np.random.default_rng(11), np.zeros(2)
    for _ in range(n_sets):
        patient = np.repeat(np.arange(40), 5)
        truth = (patient % 2).astype(float)
        shared = rng.normal(size=(2, 1, 40)) * 0.8
        readings = ugt.studies.Readings.from_array(roe_metz(rng, 2, 5, truth) + shared[:, :, patient])
        for k, clusters in enumerate((patient, None)):
            rates[k] += ugt.reader_study(truth, readings, clusters=clusters).differences[0].p_value < 0.05
    assert holds(rates[0], n_sets, 0.03, 0.08) and not holds(rates[1], n_sets, 0.05, 0.10)


def whom_of_two_camps(n_sets, n_readers, seed=12):
    """How often equal tests are claimed, for whom: one half of all readers is better with the first test, the other with the second."""
    rng, truth = np.random.default_rng(seed), np.arange(200) % 2
    found = dict.fromkeys(("others", "others if normal", "these", "nobody"), 0)
    for _ in range(n_sets):
        gain = 0.8 * rng.choice([-0.5, 0.5], size=n_readers)
        skill = 1.5 + 0.1 * rng.normal(size=n_readers) + np.stack([-gain, gain])
        rating = skill[:, :, None] * truth + rng.normal(size=200) + rng.normal(size=(2, n_readers, 200))
        found[ugt.reader_study(truth, ugt.studies.Readings.from_array(rating)).verdict.whom] += 1
    return found


@sets(200, 2000)
def test_claims_of_two_camps_of_readers(n_sets):
    """From six readers on, claims for others are rarely false; with three they are said to need a normal law, and so they do (planted)."""
    for n_readers in (6, 8):
        found = whom_of_two_camps(n_sets, n_readers)
        assert found["others if normal"] == 0 and holds(n_sets - found["others"], n_sets, 0.92, 1.0)
    three = whom_of_two_camps(n_sets, 3)
    assert three["others"] == 0 and not holds(n_sets - three["others if normal"], n_sets, 0.92, 1.0)


def main(n_sets):
    print("| readers | ahead for others | for others if normal | for these readers only |\n|---|---|---|---|")
    for n_readers in (3, 4, 5, 6, 8):
        found = whom_of_two_camps(n_sets, n_readers)
        cells = (f"{found[whom] / n_sets:.3f}" for whom in ("others", "others if normal", "these"))
        print(f"| {n_readers} | {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    main(int(sys.argv[1]))
