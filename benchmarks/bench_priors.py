"""What is estimated from labels and references: the prior, the split-panel check, the reliability."""

from __future__ import annotations

import warnings

import numpy as np
from common import Bench, Work, grid

import ugt

bench = Bench(__file__)
warnings.simplefilter("ignore", RuntimeWarning)
SMALL = {"n_cases": 50}


def counted(n_cases):
    """Five labels a case, ten classes, from a Dirichlet prior of 0.1."""
    rng = np.random.default_rng(0)
    p = rng.dirichlet([0.1] * 10, n_cases)
    wide = (rng.random((n_cases, 5, 1)) > p.cumsum(1)[:, None, :-1]).sum(2)
    return ugt.Labels.from_wide(wide, classes=10), rng


@bench.job(grid(n_cases=(200_000,), per_class=(False, True)), SMALL)
def prior(n_cases, per_class=False):
    """the Dirichlet prior of labels, with its interval"""
    labels, _ = counted(n_cases)
    yardsticks = {"numpy.argsort": lambda: np.argsort(labels.label, kind="stable")}
    return Work(lambda: ugt.truth.fit_dirichlet_prior(labels, per_class=per_class).interval(), yardsticks)


@bench.job(grid(n_cases=(20_000,)), SMALL)
def panel_check(n_cases):
    """the split-panel check of labels, pooled and for each of five annotators"""
    labels, _ = counted(n_cases)
    return Work(lambda: ugt.truth.split_panel_check(labels), {"ugt.dirichlet(labels).mean()": lambda: ugt.dirichlet(labels).mean()})


@bench.job(grid(n_cases=(1000,)), SMALL)
def reliability(n_cases):
    """the reliability by references of all cases"""
    labels, rng = counted(n_cases)
    reference = rng.gamma(labels.counts() + 0.1).argmax(1)
    one = lambda: ugt.annotation_certainty(ugt.dirichlet(labels)).value  # noqa: E731
    return Work(lambda: ugt.fit_reliability(labels, reference), {"ugt.annotation_certainty": (one, 33)})


if __name__ == "__main__":
    bench.main()
