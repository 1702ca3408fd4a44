"""Readers of sites who share no case: intervals for other sites, and for other readers of these sites.

``python tests/statistical/test_sites.py 300`` makes the first table of docs/intervals-checked.md, ``... 720 --these`` the second.
"""

from __future__ import annotations

import sys
import warnings
from typing import NamedTuple

import numpy as np
import pytest
from scipy.special import ndtr

import ugt

BOTH = ("cases", "annotators")
READERS, CASES = 3, 40
NAMES = ("agreement with one more", "difference of models", "alpha", "soft AUROC")


def _share(x):
    return 1 / (1 + np.exp(-x))


def made(n_sites, rng, uneven=0.0, cases=CASES):
    """Sites differ in the skill of readers and models, and in prevalence; labels (N, 3) of the readers of each case's site."""
    sizes = np.maximum(np.rint(cases * np.exp(rng.normal(0, uneven, n_sites) - uneven**2 / 2)), 4).astype(int)
    site = np.repeat(np.arange(n_sites), sizes)
    skill = _share(1.5 + rng.normal(size=n_sites)[:, None] + 0.5 * rng.normal(size=(n_sites, READERS)))
    positive, shared = _share(-0.5 + 0.7 * rng.normal(size=n_sites)), rng.normal(size=n_sites)
    truth = rng.random(len(site)) < positive[site]
    labels = np.where(rng.random((len(site), READERS)) < skill[site], truth[:, None], ~truth[:, None]).astype(int)
    right = [_share(1.5 + 0.7 * shared + 0.7 * rng.normal(size=n_sites)) for _ in range(2)]
    models = [np.where(rng.random(len(site)) < one[site], truth, ~truth).astype(int) for one in right]
    score = 1.2 * truth + rng.normal(0, 0.5, n_sites)[site] + rng.normal(size=len(site))
    return site, labels, models, score


def labels_of(site, labels):
    """The labels, with names of readers."""
    n, readers = labels.shape
    given = labels.ravel() >= 0  # -1: missing
    who = np.array([f"reader {j} of site {s}" for s in site for j in range(readers)])
    return ugt.Labels.from_long(np.repeat(np.arange(n), readers)[given], who[given], labels.ravel()[given], classes=[0, 1], cases=range(n))


def results(site, labels, models, score):
    """The four numbers, as results."""
    known = labels_of(site, labels)
    one, two = (ugt.metrics.next_annotator_agreement(known, np.eye(2)[model]) for model in models)
    return one, one.minus(two), ugt.krippendorff_alpha(known, "nominal"), ugt.soft_auroc(known, score)


def truths(uneven, rng):
    """The numbers of very many sites."""
    _, labels, models, score = made(4000, rng, uneven, 30)
    known = ugt.Labels.from_wide(labels, classes=[0, 1])
    one, two = (ugt.metrics.next_annotator_agreement(known, np.eye(2)[model]).value for model in models)
    return one, one - two, ugt.krippendorff_alpha(known, "nominal").value, ugt.soft_auroc(known, score).value


def coverage(n_sites, n_sets, uneven=0.0, seed=0):
    """For each number, how often the interval holds it, and how often that over cases alone does."""
    expected, rng, found = truths(uneven, np.random.default_rng(seed)), np.random.default_rng(seed + 1), []
    for _ in range(n_sets):
        own = []
        for result, value in zip(results(*made(n_sites, rng, uneven)), expected):
            ends = result.interval(n_resamples=100), result.interval(random=BOTH)
            own.append([low <= value <= high for low, high in ends])
        found.append(own)
    return np.mean(found, axis=0)


@pytest.mark.full
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(("n_sites", "uneven"), [(3, 0.0), (6, 0.0), (6, 0.8)])
def test_intervals_hold_for_other_sites(n_sites, uneven):
    n_sets = 150
    found = coverage(n_sites, n_sets, uneven, seed=n_sites)
    least = np.array([0.94, 0.94, 0.91, 0.94])  # alpha of few sites: said at run time
    assert (found[:, 1] >= least - 3 * np.sqrt(least * (1 - least) / n_sets)).all(), found
    assert (found[:, 0] < 0.9).all()  # over the cases of these sites alone


# ---- these sites, other readers and cases
OF_THESE = (*NAMES, "difference, voted")


class Sites(NamedTuple):
    """Sites that differ by 1.0 in the logits of skill, models and prevalence.

    Readers of two kinds say opposite classes in the cases at the border; the first model follows one kind, the second the other.
    """

    sizes: np.ndarray
    skill: np.ndarray  # logits
    positive: np.ndarray
    right: list  # of each model, shares by site
    offset: np.ndarray  # of scores
    readers: int
    border: float  # share of the cases
    missing: float  # share of the labels

    @classmethod
    def drawn(cls, rng, n, readers=3, uneven=0.0, border=0.0, missing=0.0):
        sizes = np.maximum(np.rint(CASES * np.exp(rng.normal(0, uneven, n) - uneven**2 / 2)), 4).astype(int)
        shared = rng.normal(size=n)
        right = [_share(1.5 + 0.7 * shared + 0.7 * rng.normal(size=n)) for _ in range(2)]
        positive = _share(-0.5 + 0.7 * rng.normal(size=n))
        return cls(sizes, 1.5 + rng.normal(size=n), positive, right, rng.normal(0, 0.5, n), readers, border, missing)

    def made(self, rng):
        """Cases, and labels of readers who are new in each data set."""
        n, readers, site = len(self.sizes), self.readers, np.repeat(np.arange(len(self.sizes)), self.sizes)
        truth, border = rng.random(len(site)) < self.positive[site], rng.random(len(site)) < self.border
        skill, second = _share(self.skill[:, None] + 0.8 * rng.normal(size=(n, readers))), rng.random((n, readers)) < 0.5
        seen = truth[:, None] ^ (border[:, None] & second[site])
        labels = np.where(rng.random((len(site), readers)) < skill[site], seen, ~seen).astype(int)
        if self.missing:
            labels[rng.random(labels.shape) < self.missing] = -1
        meant = truth, truth ^ border
        models = [np.where(rng.random(len(site)) < one[site], own, ~own).astype(int) for one, own in zip(self.right, meant)]
        return site, labels, models, 1.2 * truth + self.offset[site] + rng.normal(size=len(site))

    def expected(self):
        """The numbers of all readers and cases of these sites; the vote is that of as many readers. At the border all is even."""
        z, weight = np.polynomial.hermite_e.hermegauss(60)
        q, a, b = _share(self.skill[:, None] + 0.8 * z) @ weight / weight.sum(), self.sizes / self.sizes.sum(), self.border
        one, two = self.right
        share = np.concatenate([a * part * of for of in (1 - b, b) for part in (1 - self.positive, self.positive)])
        mass, at = np.concatenate([1 - q, q, *(np.full(len(q), 0.5),) * 2]), np.tile(np.append(self.offset, self.offset + 1.2), 2)
        above = (share * mass) @ ndtr((at[:, None] - at) / np.sqrt(2)) @ (share * (1 - mass))
        labelled = share @ mass
        auroc, alpha = above / (labelled * (1 - labelled)), 1 - a @ (2 * (1 - b) * q * (1 - q) + b / 2) / (2 * labelled * (1 - labelled))
        of_three = (1 - self.missing) ** 3 / (1 - self.missing**3) if self.readers == 3 else 0  # votes of fewer, with ties shared, are q
        vote = q + of_three * (3 * q**2 - 2 * q**3 - q)
        more = a @ ((1 - b) * (one * q + (1 - one) * (1 - q)) + b / 2)
        return more, (1 - b) * a @ ((one - two) * (2 * q - 1)), alpha, auroc, (1 - b) * a @ ((one - two) * (2 * vote - 1))


def coverage_of_these(n_sets, seed, worlds=12, **design):
    """For each number, how often the intervals over cases and for other readers of the same sites hold it; NaN: there is none."""
    rng, found = np.random.default_rng(seed), []
    for _ in range(worlds):
        sites = Sites.drawn(rng, **design)
        expected = sites.expected()
        for _ in range(n_sets // worlds):
            data = sites.made(rng)
            voted = ugt.votes(labels_of(*data[:2]))
            one, two = (ugt.ua_topk_accuracy(voted, np.eye(2)[model]) for model in data[2])
            own = []
            for result, value in zip((*results(*data), one.minus(two)), expected):
                ends = result.interval(n_resamples=100), result.two_way().these_groups().interval()
                own.append([np.nan if np.isnan(low) else low <= value <= high for low, high in ends])
            found.append(own)
    return np.mean(found, axis=0)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("design", [{"n": 3}, {"n": 6, "readers": 2}, {"n": 6, "uneven": 0.8}, {"n": 6, "border": 0.3}])
def test_intervals_hold_for_other_readers_of_these_sites(design):
    n_sets = 60
    found = coverage_of_these(n_sets, 7, **design)
    least = 0.93
    known = ~np.isnan(found[:, 1])
    assert (found[known, 1] >= least - 3 * np.sqrt(least * (1 - least) / n_sets)).all(), found
    assert known.sum() == (4 if design.get("readers") == 2 else 5), "alpha without a reader of two is undefined"


DESIGNS = (
    ("3 sites, 3 readers each", {"n": 3}),
    ("3, 2", {"n": 3, "readers": 2}),
    ("4, 2", {"n": 4, "readers": 2}),
    ("6, 3", {"n": 6}),
    ("6, 2", {"n": 6, "readers": 2}),
    ("10, 3", {"n": 10}),
    ("6, 3, uneven", {"n": 6, "uneven": 0.8}),
    ("6, 3, two kinds of readers", {"n": 6, "border": 0.3}),
    ("3, 3, two kinds of readers", {"n": 3, "border": 0.3}),
    ("6, 3, a third of the labels missing", {"n": 6, "missing": 1 / 3}),
)


def table_of_these(n_sets):
    """Print the table of intervals for other readers of the same sites."""
    print(f"| sites, readers | {' | '.join(OF_THESE)} |\n|---|---|---|---|---|---|")
    for seed, (words, design) in enumerate(DESIGNS):
        found = coverage_of_these(n_sets, 100 + seed, **design)
        cells = [f"{alone:.2f} → " + ("–" if np.isnan(both) else f"{both:.3f}") for alone, both in found]
        print(f"| {words} | {' | '.join(cells)} |", flush=True)


def main(n_sets):
    print(f"| sites | {' | '.join(NAMES)} |\n|---|---|---|---|---|")
    for n_sites, uneven in [(n, 0.0) for n in (3, 4, 6, 10, 20)] + [(6, 0.8), (10, 0.8)]:
        cells = [f"{alone:.2f} → {both:.3f}" for alone, both in coverage(n_sites, n_sets, uneven)]
        print(f"| {n_sites}{', uneven' if uneven else ''} | {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    (table_of_these if "--these" in sys.argv else main)(int(sys.argv[1]))
