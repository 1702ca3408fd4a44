"""Both parts of what is open about one more judgement, of laws that are known: coverage of 95% intervals, and what further labels settle.

``PYTHONPATH=tests python tests/statistical/test_uncertainty_parts.py 1000`` makes the tables of docs/intervals-checked.md.
"""

import sys
import warnings
from functools import lru_cache

import numpy as np
import pytest
from scipy.special import gammaln
from simulations import holds, sets

import ugt
from ugt.truth import uncertainty_parts

K = 3
LOSSES = ("log", "quadratic", "zero_one")
DESIGNS = {"α 0.5, 3 labels": (0.5, 3), "α 2, 5 labels": (2.0, 5), "α 10, 3 labels": (10.0, 3)}
FURTHER = (1, 5, 20)


def labels_of(rng, n, total, m):
    """The laws of cases, which have a Dirichlet prior of this total, and counts of their labels."""
    law = rng.dirichlet(np.full(K, total / K), n)
    return law, rng.multinomial(m, law)


@lru_cache(None)
def population(total, m, loss):
    """The numbers of all cases: means over the labels that a case may have, whose inherent part is that of the prior."""
    counts = np.array([(i, j, m - i - j) for i in range(m + 1) for j in range(m + 1 - i)])
    ways = gammaln(m + 1) - gammaln(counts + 1).sum(axis=1)
    chance = np.exp(ways + gammaln(counts + total / K).sum(axis=1) - K * gammaln(total / K) + gammaln(total) - gammaln(total + m))
    found = uncertainty_parts(ugt.Dirichlet.from_array(counts + total / K), loss=loss)
    open_, inherent = chance @ found.per_case, chance @ found.inherent_per_case
    prior = uncertainty_parts(ugt.Dirichlet.from_array(np.full((1, K), total / K)), loss=loss)
    assert inherent == pytest.approx(prior.inherent, abs=1e-10)
    return np.array([open_, inherent, open_ - inherent, inherent / open_])


def coverage(n_sets, n, total, m, loss, seed):
    """Return how often each of the four intervals has the number of the population, and the number of sets with a finite prior."""
    rng, hits, n_fitted, truth = np.random.default_rng(seed), np.zeros(4, int), 0, population(total, m, loss)
    for _ in range(n_sets):
        counts = labels_of(rng, n, total, m)[1]
        try:
            post = ugt.dirichlet(ugt.Labels.from_counts(counts), prior="fit")
        except ValueError:  # no finite prior fits best
            continue
        low, high = uncertainty_parts(post, loss=loss).intervals().T
        hits += (low <= truth) & (truth <= high)
        n_fitted += 1
    return hits, n_fitted


def promises(n_sets, n, total, m, loss, seed, fitted):
    """Return what further labels were to settle, and what labels from the laws settled: (sets, numbers of labels, 2)."""
    rng, found = np.random.default_rng(seed), []
    for _ in range(n_sets):
        law, counts = labels_of(rng, n, total, m)
        alpha = ugt.truth.fit_dirichlet_prior(ugt.Labels.from_counts(counts)).value if fitted else total / K
        if not 0 < np.max(alpha) < np.inf:
            continue
        parts = uncertainty_parts(ugt.Dirichlet.from_array(counts + alpha), loss=loss)
        later = [counts + rng.multinomial(more, law) + alpha for more in FURTHER]
        left = [uncertainty_parts(ugt.Dirichlet.from_array(one), loss=loss).annotation for one in later]
        found.append([(parts.settled(more).value, parts.annotation - one) for more, one in zip(FURTHER, left)])
    return np.array(found)


@sets(few=60, every=1000)
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("design", DESIGNS.values(), ids=DESIGNS)
def test_intervals_under_a_fitted_prior(design, loss, n_sets):
    hits, n_fitted = coverage(n_sets, 300, *design, loss, seed=11)
    few = loss == "zero_one"  # its share rests on the few cases with labels of all classes
    assert n_fitted > 0.9 * n_sets and all(holds(one, n_fitted, 0.93, 1.0) for one in hits[: 4 - few])


@sets(few=40, every=1000)
@pytest.mark.filterwarnings("ignore")
def test_intervals_over_clusters(n_sets):
    assert all(holds(one, n_sets, 0.93, 1.0) for one in clustered(n_sets, 40, 2.0, 5, "log", seed=13))


@sets(few=40, every=400)
@pytest.mark.parametrize("loss", ["log", "quadratic"])
def test_further_labels_settle_what_was_promised(loss, n_sets):
    """With the prior of the population, to five Monte Carlo errors."""
    found = promises(n_sets, 60, 2.0, 3, loss, 12, fitted=False)
    difference = found[:, :, 0] - found[:, :, 1]
    assert (abs(difference.mean(axis=0)) < 5 * difference.std(axis=0) / np.sqrt(len(found))).all()


def clustered(n_sets, n_clusters, total, m, loss, seed):
    """As coverage, of clusters of five cases, in which a case has the law of its cluster in every other case."""
    rng, hits, truth = np.random.default_rng(seed), np.zeros(4, int), population(total, m, loss)
    cluster = np.repeat(np.arange(n_clusters), 5)
    for _ in range(n_sets):
        shared, own = (rng.dirichlet(np.full(K, total / K), size) for size in (n_clusters, 5 * n_clusters))
        law = np.where(rng.random((len(cluster), 1)) < 0.5, shared[cluster], own)
        post = ugt.dirichlet(ugt.Labels.from_counts(rng.multinomial(m, law)), prior="fit")
        low, high = uncertainty_parts(post, loss=loss).intervals(clusters=cluster).T
        hits += (low <= truth) & (truth <= high)
    return hits


def of_no_prior(n_sets, n, share, seed):
    """Return how often intervals have the inherent part of laws that no Dirichlet prior describes, and how often annotators refute it.

    A share of the cases is hard: its laws are near even shares. The others have laws near one class.
    """
    rng, hits, refuted = np.random.default_rng(seed), 0, 0

    def laws(size):
        hard = rng.random(size) < share
        return np.where(hard[:, None], rng.dirichlet(np.full(K, 10.0), size), rng.dirichlet(np.full(K, 0.1), size))

    truth = float(uncertainty_parts(laws(400_000)).inherent)
    for _ in range(n_sets):
        wide = (laws(n).cumsum(axis=1)[:, None, :] < rng.random((n, 5, 1))).sum(axis=2).clip(0, K - 1)
        labels = ugt.Labels.from_wide(wide, classes=K)
        low, high = uncertainty_parts(ugt.dirichlet(labels, prior="fit")).interval(of="inherent")
        hits += low <= truth <= high
        refuted += ugt.truth.split_panel_check(labels, prior="fit").p_value <= 0.05
    return hits, refuted


def main(n_sets):
    warnings.simplefilter("ignore")
    for n in (60, 300, 1000):
        hits, refuted = of_no_prior(n_sets, n, 0.3, seed=23)
        print(f"30% hard: {n} cases: inherent {hits / n_sets:.3f}, refuted {refuted / n_sets:.3f}", flush=True)
    for loss in LOSSES[:2]:
        print(f"40 clusters, α 2, 5 labels: {loss}: {clustered(n_sets, 40, 2.0, 5, loss, seed=24) / n_sets}", flush=True)
    for name, (total, m) in DESIGNS.items():
        for n in (60, 300):
            for loss in LOSSES:
                hits, n_fitted = coverage(n_sets, n, total, m, loss, seed=21)
                print(f"{name}: {n} cases: {loss}: {(hits / n_fitted).round(3)} of {n_fitted}", flush=True)
        for loss in LOSSES[:2]:
            for fitted in (False, True):
                found = promises(n_sets, 60, total, m, loss, 22, fitted)
                error = (found[:, :, 0] - found[:, :, 1]).std(axis=0) / np.sqrt(len(found))
                print(f"{name}: {loss}, fitted {fitted}: {found.mean(axis=0).round(4).tolist()} ± {error.round(5)}", flush=True)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 1000)
