"""Plans beside brute simulation: what the closed forms say of a design, and what tables of that design do.

Both on the scale of the metric: with few annotators the discrepancy ratio is so skewed that its own standard deviation says little.

Annotators of skill Beta(6, 2) name the true class with that probability, else any of three (two for the AUROC); one in eight is careless
in the second family. Components are means over pilots of 200 cases with 4 labels by 12 annotators. The standard deviation over 2,000
tables has a Monte Carlo error of 1.6 %, over 600 of 3 %.
"""

import numpy as np
import pytest
from simulations import sets

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


def plan(metric, rng, pilots, careless=False):
    """The components over pilots, as a plan."""
    parts = []
    for _ in range(pilots):
        classes = 2 if metric == "soft_auroc" else 3
        wide, choice, score = table(rng, 200, 4, 12, classes, careless)
        labels = ugt.Labels.from_wide(wide, classes=classes, missing=-1)
        both = [np.eye(classes)[one] for one in choice]
        given = {"agreement": both[0], "difference": both, "discrepancy": choice[0], "soft_auroc": score}.get(metric)
        found = ugt.plan_annotations(labels, given, metric=metric)
        parts.append(np.array(list(found.components.values())) * TO_SCALE[SCALES[metric]][1](np.float64(found.value)) ** 2)
    means = dict(zip(("cases", "annotators", "labels", "pairs"), np.mean(parts, axis=0)))
    return ugt.plan_annotations(metric=metric, components={name: max(part, 0.0) for name, part in means.items()})


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
    least = {metric: 0.86 if metric in LINEAR else 0.75 if careless else 0.80 for metric in METRICS}
    assert {key: ratio for key, ratio in ratios.items() if not least[key[0]] <= ratio <= 1.14} == {}
