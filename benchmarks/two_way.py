"""Annotators of a population label cases: data sets whose population values are known, for the coverage of intervals over both.

An annotator of skill s names the true one of three classes (50, 30 and 20 % of the cases) with probability s, else any class. Skills are
Beta(6, 2), or .9 but for one careless annotator in eight (.1). Labels are complete, or half of them are missing; in clusters of five cases
half of the cases have the class of the cluster.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import Any

import numpy as np
from scipy.stats import norm

import ugt

PREVALENCE, K = np.array([0.5, 0.3, 0.2]), 3
RIGHT, OTHER, SHIFT = 0.8, 0.7, 1.5  # how often two models are right; by how much scores of the first class are higher
MEAN_SKILL = {"skill": 0.75, "careless": 0.9 * 7 / 8 + 0.1 / 8}
BOTH = ("cases", "annotators")
DESIGNS = ("complete", "half missing", "clusters of 5")


def data(rng: np.random.Generator, n: int, n_annotators: int, design: str = "complete", family: str = "skill") -> dict[str, Any]:
    """One data set."""
    truth, clusters = rng.choice(K, n, p=PREVALENCE), None
    if design == DESIGNS[2]:
        clusters = np.arange(n) // 5
        truth = np.where(rng.random(n) < 0.5, rng.choice(K, n, p=PREVALENCE)[clusters], truth)
    careless = np.where(rng.random(n_annotators) < 1 / 8, 0.1, 0.9)
    skill = rng.beta(6, 2, n_annotators) if family == "skill" else careless
    shape = n, n_annotators
    labels = np.where(rng.random(shape) < skill, truth[:, None], rng.integers(0, K, shape)).astype(float)
    if design == DESIGNS[1]:
        labels[rng.random(shape) < 0.5] = np.nan
    choices = [np.where(rng.random(n) < right, truth, rng.integers(0, K, n)) for right in (RIGHT, OTHER)]
    return {"labels": labels, "choices": choices, "scores": rng.normal(size=n) + SHIFT * (truth == 0), "clusters": clusters}


def annotations(labels: np.ndarray, n_classes: int = K) -> ugt.Labels:
    """Of a table, NaN where there is no label."""
    held, annotators = ~np.isnan(labels), np.broadcast_to(np.arange(labels.shape[1]), labels.shape)
    cases = np.broadcast_to(np.arange(len(labels))[:, None], labels.shape)
    return ugt.Labels.from_long(cases[held], annotators[held], labels[held].astype(int), classes=n_classes, cases=np.arange(len(labels)))


def results(given: Mapping[str, Any], names: Collection[str] = ()) -> Iterator[tuple[str, Any]]:
    """What is estimated, or some of it."""
    known, (choice, other) = annotations(given["labels"]), given["choices"]
    positive = annotations(np.where(np.isnan(given["labels"]), np.nan, given["labels"] != 0), 2)

    def agreement(chosen: np.ndarray) -> ugt.metrics.NextAnnotatorAgreement:
        return ugt.metrics.next_annotator_agreement(known, np.eye(K)[chosen])

    every = {
        "alpha, nominal": lambda: ugt.krippendorff_alpha(known),
        "alpha, ordinal": lambda: ugt.krippendorff_alpha(known, "ordinal"),
        "alpha, interval": lambda: ugt.krippendorff_alpha(known, "interval"),
        "AC1": lambda: ugt.agreement.gwet_ac1(known),
        "discrepancy ratio": lambda: ugt.discrepancy_ratio(known, choice),
        "agreement with one more": lambda: agreement(choice),
        "difference of models": lambda: agreement(choice).minus(agreement(other)),
        "UA accuracy, Dirichlet": lambda: ugt.ua_topk_accuracy(ugt.dirichlet(known), np.eye(K)[choice]),
        "voted accuracy": lambda: ugt.ua_topk_accuracy(ugt.votes(known), np.eye(K)[choice]),
        "soft AUROC": lambda: ugt.soft_auroc(positive, -given["scores"]),
        "soft average precision": lambda: ugt.soft_average_precision(positive, -given["scores"]),
        "squared loss": lambda: ugt.histogram_losses(known, 0.1 + 0.7 * np.eye(K)[choice]),
    }
    yield from ((name, make()) for name, make in every.items() if not names or name in names)


def population(family: str = "skill") -> dict[str, float]:
    """What all annotators and all cases would give, by name; not of truths that depend on how many labels a case has."""
    s = MEAN_SKILL[family]
    q = s * np.eye(K) + (1 - s) / K  # (true class, label)
    p = PREVALENCE @ q
    ranks = np.cumsum(p) - p / 2
    found = {}
    for level, x in (("nominal", None), ("ordinal", ranks), ("interval", np.arange(K))):
        cost = 1 - np.eye(K) if x is None else (x[:, None] - x) ** 2
        found[f"alpha, {level}"] = 1 - (PREVALENCE @ np.einsum("tk,kl,tl->t", q, cost, q)) / (p @ cost @ p)
    apart = 1 - PREVALENCE @ (q**2).sum(axis=1)
    chance = (p * (1 - p)).sum() / (K - 1)
    found["AC1"] = 1 - apart / (1 - chance)
    hits = [PREVALENCE @ ((right * np.eye(K) + (1 - right) / K) * q).sum(axis=1) for right in (RIGHT, OTHER)]
    found.update(
        {"discrepancy ratio": (1 - hits[0]) / apart, "agreement with one more": hits[0], "difference of models": hits[0] - hits[1]}
    )
    first, second = 1 - q[:, 0], q[:, 0]  # as classes of scores with the sign turned
    above = np.where(np.eye(K)[0][:, None] == np.eye(K)[0], 0.5, norm.cdf(SHIFT / np.sqrt(2) * (np.eye(K)[0] - np.eye(K)[0][:, None])))
    total = (PREVALENCE @ first) * (PREVALENCE @ second)
    found["soft AUROC"] = float(np.einsum("t,u,t,u,tu->", PREVALENCE, PREVALENCE, first, second, above) / total)
    share = 0.1 + 0.7 * np.eye(K)
    choice = RIGHT * np.eye(K) + (1 - RIGHT) / K
    loss = 1 - 2 * q @ share.T + (share**2).sum(axis=1)
    found["squared loss"] = float(PREVALENCE @ (choice * loss).sum(axis=1))
    return found


# ---- ratings: a case's true score is normal; annotators are lenient or strict, and err; so does a model ----

LENIENCY, ERROR, OF_MODEL = 0.5, 0.7, 0.6
OWN = LENIENCY**2 + ERROR**2
RATED = {"alpha, interval": 1 - OWN / (1 + OWN), "discrepancy ratio, squared": (OF_MODEL**2 + OWN) / (2 * OWN)}


def rated(rng: np.random.Generator, n: int, n_annotators: int, design: str = "complete") -> Iterator[tuple[str, Any]]:
    """What is estimated of one data set of ratings, with the population values of ``RATED``."""
    shape, truth = (n, n_annotators), rng.normal(size=n)
    ratings = truth[:, None] + LENIENCY * rng.normal(size=n_annotators) + ERROR * rng.normal(size=shape)
    if design == DESIGNS[1]:
        ratings[rng.random(shape) < 0.5] = np.nan
    known, model = ugt.Ratings.from_wide(ratings), truth + OF_MODEL * rng.normal(size=n)
    made = ugt.krippendorff_alpha(known, "interval"), ugt.discrepancy_ratio(known, model, distance="squared")
    yield from zip(RATED, made)
