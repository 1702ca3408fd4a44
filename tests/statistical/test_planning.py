"""Plans beside brute simulation: what the closed forms say of a design, and what tables of that design do.

Both on the scale of the metric: with few annotators the discrepancy ratio is so skewed that its own standard deviation says little.

Annotators of skill Beta(6, 2) name the true class with that probability, else any of three (two for the AUROC); one in eight is careless
in the second family. Components are means over pilots of 200 cases with 4 labels by 12 annotators. The standard deviation over 2,000
tables has a Monte Carlo error of 1.6 %, over 600 of 3 %.
"""

import numpy as np
import pytest
from simulations import holds, sets

import ugt
from ugt.studies.pilots import METRICS as SCALES

MODELS = {"first": 0.8, "second": 0.7}  # how often they are right
DESIGNS = ((100, 3, 3), (100, 3, 12), (100, 8, 8), (400, 5, 20), (50, 5, 10))  # cases, labels per case, annotators
METRICS = ("agreement", "difference", "discrepancy", "kappa", "ac1", "alpha", "soft_auroc")
TO_SCALE = {"identity": (lambda x: x, np.ones_like), "logit": (lambda x: np.log(x / (1 - x)), lambda x: 1 / (x * (1 - x)))}
TO_SCALE.update({"log": (np.log, lambda x: 1 / x), "complement": (lambda x: np.log(1 - x), lambda x: 1 / (1 - x))})
LINEAR = ("agreement", "difference", "soft_auroc")


def skills(rng, n, careless=False):
    skill = rng.beta(6, 2, n)
    return np.where(rng.random(n) < 1 / 8, 0.1, skill) if careless else skill


def table(rng, n, k, a, n_classes=3, careless=False):
    """(n, a) labels, -1 where there is none, of annotators drawn anew; the first choices (2, n) of models, and scores (n,)."""
    truth = rng.integers(0, n_classes, n)
    wide = np.where(rng.random((n, a)) < skills(rng, a, careless), truth[:, None], rng.integers(0, n_classes, (n, a)))
    if k < a:
        wide[rng.random((n, a)).argsort(axis=1) >= k] = -1
    right = rng.random((2, n)) < np.array(list(MODELS.values()))[:, None]
    return wide, np.where(right, truth, rng.integers(0, n_classes, (2, n))), truth + rng.normal(size=n)


def values(wide, choice, n_classes=3):
    """The metrics of a table in plain numpy, without intervals."""
    counts = (wide[:, :, None] == np.arange(n_classes)).sum(axis=1)
    n = counts.sum(axis=1)
    hits = [np.take_along_axis(counts, one[:, None], 1)[:, 0] / n for one in choice]
    differ = 1 - (counts * (counts - 1)).sum(axis=1) / (n * (n - 1))
    share = (counts / n[:, None]).mean(axis=0)
    total = counts.sum(axis=0)
    by_chance = 1 - (share**2).sum()
    return {
        "agreement": hits[0].mean(),
        "difference": (hits[0] - hits[1]).mean(),
        "discrepancy": (1 - hits[0]).mean() / differ.mean(),
        "kappa": 1 - differ.mean() / by_chance,
        "ac1": 1 - differ.mean() / (1 - (share * (1 - share)).sum() / (n_classes - 1)),
        "alpha": 1 - (n @ differ) / n.sum() / (1 - (total * (total - 1)).sum() / (n.sum() * (n.sum() - 1))),
    }


def soft_auroc(wide, score):
    """Pairs of a case with itself left out."""
    p = (wide == 1).sum(axis=1) / (wide >= 0).sum(axis=1)
    order = np.argsort(score)
    negative = np.cumsum(1 - p[order])
    return (p[order] * (negative - (1 - p[order]))).sum() / (p.sum() * (1 - p).sum())


def plan(metric, rng, pilots, careless=False, value=False):
    """The components over pilots, as a plan on the scale of the metric, or (``value``) in its units about its mean."""
    parts, found_values = [], []
    for _ in range(pilots):
        classes = 2 if metric == "soft_auroc" else 3
        wide, choice, score = table(rng, 200, 4, 12, classes, careless)
        labels = ugt.Labels.from_wide(wide, classes=classes, missing=-1)
        both = [np.eye(classes)[one] for one in choice]
        given = {"agreement": both[0], "difference": both, "discrepancy": choice[0], "soft_auroc": score}.get(metric)
        found = ugt.plan_annotations(labels, given, metric=metric)
        found_values.append(found.value)
        if value or metric == "difference":
            parts.append(list(found.components.values()))
            continue
        parts.append(np.array(list(found.components.values())) * TO_SCALE[SCALES[metric]][1](np.float64(found.value)) ** 2)
    means = dict(zip(("cases", "annotators", "labels", "pairs"), np.mean(parts, axis=0)))
    tested = {"difference": np.mean(found_values)} if metric == "difference" else {}
    about = {"value": np.mean(found_values)} if value else {}
    return ugt.plan_annotations(metric=metric, components={name: max(part, 0.0) for name, part in means.items()}, **tested, **about)


@pytest.mark.parametrize("careless", [False, True])
@sets(1000, 2000)
def test_plans_beside_tables(n_sets, careless):
    rng = np.random.default_rng(4)
    plans = {metric: plan(metric, rng, n_sets // 10, careless) for metric in METRICS}
    ratios = {}
    for n, k, a in DESIGNS:
        found = []
        for _ in range(n_sets):
            wide, choice, _ = table(rng, n, k, a, 3, careless)
            binary, _, score = table(rng, n, k, a, 2, careless)
            found.append([*values(wide, choice).values(), soft_auroc(binary, score)])
        for metric, column in zip(METRICS, np.transpose(found)):
            ratios[metric, n, k, a] = plans[metric].design(n, k, a).std_error / TO_SCALE[SCALES[metric]][0](column).std()
    # what pairs of annotators share is not in the formula: it matters most with three, and where one may be careless
    least = {metric: 0.86 if metric in LINEAR else 0.70 if careless else 0.80 for metric in METRICS}
    assert {key: ratio for key, ratio in ratios.items() if not least[key[0]] <= ratio <= 1.14} == {}


# ---- reader studies: Roe & Metz's ratings, analysed with DeLong's covariances and Hillis' degrees of freedom

VAR = {"reader": 0.0055, "test_reader": 0.0055, "case": 0.3, "test_case": 0.3, "reader_case": 0.2, "error": 0.2}
SHIFT = (0.75, 1.1)  # of positive cases, in either test: AUC .7011 and .7804
# of 50 + 50 cases where both are .75: true parameters, by MRMCaov's RMH_to_OR
TRUE = {"error": 0.0026750189, "cov1": 0.0012448491, "cov2": 0.0015063988, "cov3": 0.0007319055, "test_reader": 0.0006570645}


def ratings(rng, shift, n_readers, n):
    """(2, R, n) of cases of one truth."""
    draw = {name: rng.normal(0, np.sqrt(var), size) for (name, var), size in zip(VAR.items(), (
        (1, n_readers, 1), (2, n_readers, 1), (1, 1, n), (2, 1, n), (1, n_readers, n), (2, n_readers, n)))}  # fmt: skip
    return sum(draw.values()) + np.reshape(shift, (2, 1, 1))


def rejected(rng, n_readers, n_cases):
    """Whether a crossed study finds the tests to differ."""
    from scipy.stats import f

    negative, positive = ratings(rng, (0, 0), n_readers, n_cases // 2), ratings(rng, SHIFT, n_readers, n_cases // 2)
    order = (positive[..., :, None] > negative[..., None, :]).reshape(2 * n_readers, n_cases // 2, n_cases // 2)
    figure = order.mean(axis=(1, 2))
    covariance = (np.cov(order.mean(axis=2)) + np.cov(order.mean(axis=1))) / (n_cases // 2)
    table = covariance.reshape(2, n_readers, 2, n_readers)
    same = np.eye(n_readers, dtype=bool)
    within = np.stack([table[0, :, 0], table[1, :, 1]])
    cov2, cov3 = within[:, ~same].mean(), table[0, :, 1][~same].mean()
    theta = figure.reshape(2, n_readers)
    ms_t = n_readers * theta.mean(axis=1).var(ddof=1)
    rest = theta - theta.mean(axis=0) - theta.mean(axis=1)[:, None] + theta.mean()
    ms_tr = (rest**2).sum() / (n_readers - 1)
    below = ms_tr + n_readers * max(cov2 - cov3, 0)
    return ms_t / below > f.ppf(0.95, 1, below**2 / (ms_tr**2 / (n_readers - 1)))


@sets(150, 1000)
def test_power_of_reader_studies(n_sets):
    """The formula takes the covariances of tests that are alike; 150 sets have a standard error of .04."""
    rng = np.random.default_rng(8)
    plan = ugt.studies.plan_reader_study({**TRUE, "n_cases": 100}, difference=0.0794)
    for n_readers, n_cases in ((3, 100), (5, 100), (10, 100), (5, 200), (10, 200), (20, 200)):
        found = np.mean([rejected(rng, n_readers, n_cases) for _ in range(n_sets)])
        assert plan.design(n_readers, n_cases).power == pytest.approx(found, abs=0.12 if n_sets >= 1000 else 0.16)


def carried_out(rng, n_readers, n_cases):
    """A crossed study of Roe & Metz's ratings, half of the cases positive."""
    half = n_cases // 2
    negative, positive = ratings(rng, (0, 0), n_readers, n_cases - half), ratings(rng, SHIFT, n_readers, half)
    readings = ugt.studies.Readings.from_array(np.concatenate([negative, positive], axis=2))
    return ugt.reader_study(np.repeat([0, 1], [n_cases - half, half]), readings)


@sets(80, 1000)
def test_reader_plans_with_assurance_reach_their_width(n_sets):
    """Pilots of 5 readers and 60 cases; each plan is carried out once, with other readers and cases.

    Measured with 1,000 sets: 0.882 with assurance, 0.461 without (Monte Carlo error 0.010 and 0.016).
    Limits of readers by the jackknife, in place of chi-square: .78 of 800 sets if the variance of readers by tests is four times as large.
    """
    rng, reached = np.random.default_rng(13), {None: 0, 0.9: 0}
    for _ in range(n_sets):
        pilot = carried_out(rng, 5, 60)
        for assurance in reached:
            best = ugt.studies.plan_reader_study(pilot, width=0.1, cost=(20, 1, 500), max_readers=200, assurance=assurance).best
            reached[assurance] += best is not None and np.diff(carried_out(rng, *best[:2]).differences[0].interval())[0] <= 0.1
    assert holds(reached[0.9], n_sets, 0.85, 0.95) and reached[None] < 0.65 * n_sets


def both_of(wide, choice):
    return ugt.Labels.from_wide(wide, classes=3, missing=-1), [np.eye(3)[one] for one in choice]


@pytest.mark.filterwarnings("ignore:3 annotators")
@sets(150, 1000)
def test_intervals_and_power_are_those_of_the_analysis(n_sets):
    """Designs analysed with intervals over cases and annotators: their mean width, and how often the difference is seen."""
    rng = np.random.default_rng(9)
    both = "cases", "annotators"
    of_one, of_two = plan("agreement", rng, 40, value=True), plan("difference", rng, 40)
    for n, k, a in ((100, 3, 3), (100, 3, 12), (300, 2, 8)):
        width, seen = [], []
        for _ in range(n_sets):
            labels, models = both_of(*table(rng, n, k, a)[:2])
            first, second = (ugt.metrics.next_annotator_agreement(labels, one) for one in models)
            width.append(np.diff(first.interval(random=both))[0])
            seen.append(np.prod(first.minus(second).interval(random=both)) > 0)
        expected, power = of_one.design(n, k, a).width, of_two.design(n, k, a).power
        assert expected == pytest.approx(np.mean(width), rel=0.15)
        assert power == pytest.approx(np.mean(seen), abs=0.10 if n_sets >= 1000 else 0.16)


@sets(150, 1000)
def test_how_far_a_pilot_knows_it(n_sets):
    """Of the standard error of a design, with 95 % intervals by the jackknife."""
    rng = np.random.default_rng(10)
    truth = plan("agreement", rng, 200, value=True).design(100, 3, 8).std_error
    for n, k, a, least in ((200, 4, 12, 0.85), (100, 3, 6, 0.85), (30, 2, 5, 0.80), (60, 3, 3, 0.80)):
        inside = 0
        for _ in range(n_sets):
            labels, models = both_of(*table(rng, n, k, a)[:2])
            found = ugt.plan_annotations(labels, models[0])
            low, high = found._target.interval(found._pilot, "std_error", 0.95, found.design(100, 3, 8))
            inside += low <= truth <= high
        assert inside / n_sets >= least


@pytest.mark.filterwarnings("ignore:. annotators. the interval depends")
@sets(80, 320)
def test_plans_with_assurance_reach_their_width(n_sets):
    """Pilots of 60 cases with three labels by six annotators, as in the guide; each plan is carried out once, with other annotators.

    Measured with 320 sets: .89 with an assurance of .9; without it .44 of 120 sets.
    """
    rng, reached = np.random.default_rng(12), {None: 0, 0.9: 0}

    def study(n, k, a):
        truth, skill = rng.integers(0, 3, n), rng.uniform(0.6, 0.95, a)
        wide = np.where(rng.random((n, a)) < skill, truth[:, None], rng.integers(0, 3, (n, a)))
        if k < a:
            wide[rng.random((n, a)).argsort(axis=1) >= k] = -1
        return ugt.Labels.from_wide(wide, classes=3, missing=-1), np.eye(3)[np.where(rng.random(n) < 0.7, truth, rng.integers(0, 3, n))]

    for _ in range(n_sets):
        pilot = study(60, 3, 6)
        for assurance in reached:
            best = ugt.plan_annotations(*pilot, width=0.2, cost=(5, 1, 50), max_annotators=30, assurance=assurance).best
            found = ugt.metrics.next_annotator_agreement(*study(*best[:3])) if best else None
            reached[assurance] += found is not None and np.diff(found.interval(random=("cases", "annotators")))[0] <= 0.2
    assert holds(reached[0.9], n_sets, 0.85, 0.95) and reached[None] < 0.65 * n_sets
