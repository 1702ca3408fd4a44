"""Plans of annotations, beside brute simulation of the same designs and beside a search that simulates where the plan has a formula."""

from __future__ import annotations

import numpy as np
from common import Bench, Target, Work, grid

import ugt

bench = Bench(__file__)
DESIGNS = ((100, 3, 3), (100, 3, 12), (100, 8, 8), (400, 5, 20), (50, 5, 10))  # cases, labels per case, annotators
TABLES = 2000  # of a design: a Monte Carlo error of 1.6 %


def table(rng, n, k, a):
    """Labels (n, a) of annotators drawn anew, -1 where there is none, and a model's first choices."""
    truth, skill = rng.integers(0, 3, n), rng.beta(6, 2, a)
    wide = np.where(rng.random((n, a)) < skill, truth[:, None], rng.integers(0, 3, (n, a)))
    if k < a:
        wide[rng.random((n, a)).argsort(axis=1) >= k] = -1
    return wide, np.where(rng.random(n) < 0.8, truth, rng.integers(0, 3, n))


def simulated(metric, n, k, a, tables):
    """The standard deviation over tables, in plain numpy."""
    rng, found = np.random.default_rng(1), []
    for _ in range(tables):
        wide, choice = table(rng, n, k, a)
        counts = (wide[:, :, None] == np.arange(3)).sum(axis=1)
        size = counts.sum(axis=1)
        hits = np.take_along_axis(counts, choice[:, None], 1)[:, 0] / size
        differ = 1 - (counts * (counts - 1)).sum(axis=1) / (size * (size - 1))
        share = (counts / size[:, None]).mean(axis=0)
        by_chance = 1 - share @ share
        values = {"agreement": hits.mean(), "kappa": 1 - differ.mean() / by_chance, "discrepancy": (1 - hits).mean() / differ.mean()}
        found.append(values[metric])
    return np.std(found)


def pilot(metric, n=200):
    """200 cases with 4 labels by 12 annotators, as labels and what the metric takes beside them."""
    wide, choice = table(np.random.default_rng(0), n, 4, 12)
    given = {"agreement": np.eye(3)[choice], "discrepancy": choice}.get(metric)
    return ugt.Labels.from_wide(wide, classes=3, missing=-1), given


@bench.job(
    grid(metric=("agreement", "kappa", "discrepancy")),
    {"metric": "agreement"},
    [Target("10.4", "simulation", at_least=1000, metric=metric) for metric in ("agreement", "kappa", "discrepancy")],
)
def five_designs(metric):
    """standard errors of five designs from a pilot, beside 2,000 simulated tables of each"""
    labels, given = pilot(metric)

    def planned():
        plan = ugt.plan_annotations(labels, given, metric=metric)
        return [plan.design(*size).std_error for size in DESIGNS]

    return Work(planned, {"simulation": (lambda: [simulated(metric, *size, 20) for size in DESIGNS], TABLES / 20)})


@bench.job(grid(metric=("agreement",), cases=(200, 20_000)), {"cases": 30}, [Target("10.5", "s", at_most=1, cases=20_000)])
def search(metric, cases):
    """the cheapest of all designs up to 50 annotators for a wanted width, beside the same search by 2,000 tables of each design"""
    labels, given = pilot(metric, cases)
    call = lambda: ugt.plan_annotations(labels, given, metric=metric, width=0.15, cost=(5, 1, 50))  # noqa: E731
    best = call().best
    tried = 24 * 49 * 25  # halvings of up to 10 million cases, for each number of annotators and of labels
    return Work(call, {"simulation of each design": (lambda: simulated(metric, *best[:3], 20), tried * TABLES / 20)})


if __name__ == "__main__":
    bench.main()
