"""Inputs of the comparisons, made from fixed seeds: the same for both sides, for every process and every run."""

from __future__ import annotations

import numpy as np


def binary(n):
    """Labels 0 and 1, probabilities of being positive, scores of a model, weights; (n,) each."""
    rng = np.random.default_rng(1)
    p = rng.beta(0.7, 1.5, n)
    scores = np.round(np.clip(p + rng.normal(0, 0.2, n), 0.001, 0.999), 6)
    return {"y": (rng.random(n) < p).astype(np.int64), "p": p, "scores": scores, "weights": rng.uniform(0.5, 2, n)}


def classes(n, k):
    """True classes (n,), logits (n, k) of an overconfident model and its probabilities."""
    rng = np.random.default_rng(2)
    logits = rng.normal(0, 1.5, (n, k))
    truth = (logits / 1.8 + rng.gumbel(size=(n, k))).argmax(1)  # drawn from softmax(logits / 1.8)
    probs = np.exp(logits - logits.max(1, keepdims=True))
    return {"y": truth, "logits": logits, "probs": probs / probs.sum(1, keepdims=True)}


def annotations(n_cases, n_annotators, k, per_case, named=True):
    """Columns of a long table: case, annotator, label; annotators of accuracies from 0.55 to 0.95."""
    rng = np.random.default_rng(3)
    truth = rng.integers(0, k, n_cases)
    annotator = rng.permuted(np.tile(np.arange(n_annotators), (n_cases, 1)), axis=1)[:, :per_case].ravel()
    case = np.repeat(np.arange(n_cases), per_case)
    right = rng.random(len(case)) < np.linspace(0.55, 0.95, n_annotators)[annotator]
    label = np.where(right, truth[case], rng.integers(0, k, len(case)))
    return case, annotator, label


def table(n_cases, n_annotators, k, per_case):
    """The same as a table (n_cases, n_annotators) of numbers from 1 on, NaN where there is no label."""
    case, annotator, label = annotations(n_cases, n_annotators, k, per_case)
    wide = np.full((n_cases, n_annotators), np.nan)
    wide[case, annotator] = label + 1
    return wide


def pairs(n, k):
    """Labels (n, 2) of two annotators."""
    rng = np.random.default_rng(4)
    first = rng.integers(0, k, n)
    return np.stack([first, np.where(rng.random(n) < 0.7, first, rng.integers(0, k, n))], axis=1)


def rankings(n_cases, per_case, n_items, keep=None, spread=1.0):
    """Orders (n_cases, per_case, keep or n_items) of classes, best first, drawn from Plackett-Luce; spread: of the log rates."""
    rng = np.random.default_rng(5)
    strength = rng.normal(0, spread, (n_cases, 1, n_items))
    order = np.argsort(-(strength + rng.gumbel(size=(n_cases, per_case, n_items))), axis=2)
    return order[:, :, : keep or n_items]


def paired_models(n):
    """What each of n cases adds to the accuracies of two models, (n, 2), skewed."""
    rng = np.random.default_rng(6)
    ease = rng.beta(2, 0.7, n)
    return np.clip(ease[:, None] + rng.normal([0.0, -0.02], 0.1, (n, 2)), 0, 1) ** 2
