"""Annotator models, slowly and retyped from the papers: dense tables, one case after the other.

Dawid & Skene (1979), eq. 2.3 (confusions), 2.4 (prevalences), 2.5 (classes of the cases); Whitehill et al. (2009), eq. 1-4.
Data are lists of cases, a case is a list of (annotator, label).
"""

import itertools
import math

import numpy as np
from scipy import optimize, special


def cases_of(labels):
    """The labels of a ugt.Labels."""
    ends = labels.offsets
    return [[(int(labels.annotator[r]), int(labels.label[r])) for r in range(ends[i], ends[i + 1])] for i in range(labels.n_cases)]


def vote_shares(cases, n_classes):
    q = np.zeros((len(cases), n_classes))
    for i, case in enumerate(cases):
        for _, label in case:
            q[i, label] += 1 / len(case)
    return q


# ---- Dawid-Skene
def pseudo_table(prior, n_classes):
    return np.where(np.eye(n_classes, dtype=bool), float(prior[0]), float(prior[1]))


def seen(cases, n_classes):
    """(N, K) whether every label of a case has been seen, from the same annotator, where somebody gave the class."""
    links = {(a, label): {other for case in cases if (a, label) in case for _, other in case} for each in cases for a, label in each}
    return np.array([[bool(case) and all(k in links[pair] for pair in case) for k in range(n_classes)] for case in cases])


def classes(cases, confusion, prevalence, allowed=None, known=None):
    """Posterior of the classes of each case, and the log-likelihood of all labels; classes that are not allowed have none; of cases
    whose class is known (not -1), the log-likelihood of labels and class.
    """
    q, total = np.zeros((len(cases), len(prevalence))), 0.0
    for i, case in enumerate(cases):
        if not case:
            continue
        for k, p in enumerate(prevalence):
            possible = (allowed is None or allowed[i, k]) and (known is None or known[i] in (-1, k))
            q[i, k] = p * math.prod(confusion[a][k, label] for a, label in case) if possible else 0.0
        if q[i].sum() == 0.0:  # below the smallest double
            return q, -math.inf
        total += math.log(q[i].sum())
        q[i] /= q[i].sum()
    return q, total


def full_parameters(cases, q, n_annotators, prior):
    n_classes = q.shape[1]
    pseudo = pseudo_table(prior, n_classes)
    counts = np.array([pseudo] * n_annotators)
    for i, case in enumerate(cases):
        for a, label in case:
            counts[a][:, label] += q[i]
    with np.errstate(invalid="ignore"):
        confusion = counts / counts.sum(2, keepdims=True)
    prevalence = q[[bool(case) for case in cases]].sum(0) + prior[2]
    return np.nan_to_num(confusion), prevalence / prevalence.sum()


def coin_parameters(cases, q, n_annotators, prior):
    """As confusion matrices with one accuracy each."""
    n_classes = q.shape[1]
    right, total = np.full(n_annotators, prior[0], float), np.full(n_annotators, prior[0] + (n_classes - 1) * prior[1], float)
    for i, case in enumerate(cases):
        for a, label in case:
            right[a] += q[i, label]
            total[a] += 1
    with np.errstate(invalid="ignore"):
        w = right / total
    off = (1 - w) / max(n_classes - 1, 1)
    confusion = np.array([np.where(np.eye(n_classes, dtype=bool), w[a], off[a]) for a in range(n_annotators)])
    prevalence = q[[bool(case) for case in cases]].sum(0) + prior[2]
    return confusion, prevalence / prevalence.sum()


def log_prior(confusion, prevalence, prior, one_coin=False):
    """Up to a constant; of the annotators that have parameters."""
    n_classes = len(prevalence)
    total = prior[2] * np.log(prevalence).sum() if prior[2] else 0.0
    for table in confusion:
        if one_coin:
            w = table[0, 0]
            total += prior[0] * math.log(w) if prior[0] else 0.0
            total += (n_classes - 1) * prior[1] * math.log((1 - w) / max(n_classes - 1, 1)) if prior[1] and n_classes > 1 else 0.0
        else:
            pseudo = pseudo_table(prior, n_classes)
            total += (pseudo[pseudo > 0] * np.log(table[pseudo > 0])).sum()
    return total


def dawid_skene(cases, n_annotators, n_classes, prior=(0, 0, 0), n_steps=50, one_coin=False, start=None, allowed=None, known=None):
    """Classes, confusions, prevalences and the trace of the objective after the start and n_steps more steps."""
    parameters = coin_parameters if one_coin else full_parameters
    q, trace = vote_shares(cases, n_classes) if start is None else start, []
    if known is not None:
        q[known >= 0] = np.eye(n_classes)[known[known >= 0]]
    for _ in range(n_steps + 1):
        confusion, prevalence = parameters(cases, q, n_annotators, prior)
        q, value = classes(cases, confusion, prevalence, allowed, known)
        trace.append(value + log_prior(confusion, prevalence, prior, one_coin))
    return q, confusion, prevalence, np.array(trace)


def best_dawid_skene(cases, n_annotators, n_classes, prior, one_coin, n_starts=30, seed=0):
    """The highest objective that a general optimiser finds, over softmax coordinates from many starts."""
    rng, k = np.random.default_rng(seed), n_classes
    width = 1 if one_coin else k * k
    said = np.zeros((len(cases), n_annotators, k))
    for i, case in enumerate(cases):
        np.add.at(said[i], tuple(zip(*case)) or ([], []), 1)
    # that the prior counts on each cell, or on all wrong labels of any true class together
    pseudo = np.where(np.eye(k, dtype=bool), *((prior[0] / k, prior[1] / k) if one_coin else prior[:2]))

    def loss(x):  # and its gradient, in logs, of all cases at once
        parts, shares = x[: n_annotators * width].reshape(n_annotators, -1), special.log_softmax(x[n_annotators * width :])
        if one_coin:
            right, wrong = (-np.logaddexp(0, sign * parts)[..., None] for sign in (-1, 1))
            table = np.where(np.eye(k, dtype=bool), right, wrong - np.log(max(k - 1, 1)))
        else:
            table = special.log_softmax(parts.reshape(n_annotators, k, k), axis=2)
        joint = shares + np.einsum("nal,akl->nk", said, table)
        total = special.logsumexp(joint, axis=1, keepdims=True)
        q = np.exp(joint - total)
        cells, classes_ = np.einsum("nal,nk->akl", said, q) + pseudo, q.sum(axis=0) + prior[2]
        value = total.sum() + (pseudo * table).sum() + prior[2] * shares.sum()
        if one_coin:
            diagonal = np.trace(cells, axis1=1, axis2=2)
            slope = diagonal - special.expit(parts[:, 0]) * cells.sum(axis=(1, 2))
        else:
            slope = cells - np.exp(table) * cells.sum(axis=2, keepdims=True)
        return -value, -np.concatenate([slope.ravel(), classes_ - np.exp(shares) * classes_.sum()])

    starts = (rng.normal(0, 1.5, n_annotators * width + k) for _ in range(n_starts))
    return -min(optimize.minimize(loss, x, jac=True, method="L-BFGS-B", options={"maxiter": 500}).fun for x in starts)


def exact_posterior(cases, n_annotators, n_classes, concentration, known=None):
    """P(true class) of each case under Dirichlet priors, and posterior means of prevalences and confusions: over all true classes."""
    alpha = pseudo_table(concentration, n_classes)
    weights, seen, prevalences, confusions = [], [], [], []
    for z in itertools.product(*(range(n_classes) if known is None or k < 0 else [k] for k in (known or [-1] * len(cases)))):
        counts = np.zeros((n_annotators, n_classes, n_classes))
        for i, case in enumerate(cases):
            for a, label in case:
                counts[a, z[i], label] += 1
        n = np.bincount(z, minlength=n_classes) + concentration[2]
        c = counts + alpha
        weights.append(special.gammaln(n).sum() + special.gammaln(c).sum() - special.gammaln(c.sum(2)).sum())
        seen.append(np.eye(n_classes)[list(z)])
        prevalences.append(n / n.sum())
        confusions.append(c / c.sum(2, keepdims=True))
    p = special.softmax(np.array(weights))
    return tuple(np.tensordot(p, np.array(values), 1) for values in (seen, prevalences, confusions))


# ---- ordered classes (Lakshminarayanan & Teh 2013): a normal around the true grade, cut in the middle between grades
def ordinal_confusion(bias, spread, n_classes):
    def below(x):
        return 0.5 * math.erfc(-x / math.sqrt(2))

    cut = [-math.inf, *(label + 0.5 for label in range(n_classes - 1)), math.inf]
    ends = [[below((c - k - bias) / spread) for c in cut] for k in range(n_classes)]
    return np.diff(np.array(ends), axis=1)


def ordinal_objective(cases, bias, spread, prevalence, prior, known=None):
    tables = [ordinal_confusion(b, s, len(prevalence)) for b, s in zip(bias, spread)]
    with np.errstate(divide="ignore"):
        return classes(cases, tables, prevalence, known=known)[1] + log_prior(tables, np.asarray(prevalence), prior)


def best_ordinal(cases, n_annotators, n_classes, prior, known=None):
    """The highest log posterior density that a general optimiser finds from no bias, a spread of 0.7 and even prevalences."""

    def loss(x):
        bias, spread = x[:n_annotators], np.exp(x[n_annotators : 2 * n_annotators])
        return -ordinal_objective(cases, bias, spread, special.softmax(np.append(x[2 * n_annotators :], 0)), prior, known)

    first = np.concatenate([np.zeros(n_annotators), np.full(n_annotators, math.log(0.7)), np.zeros(n_classes - 1)])
    best = optimize.minimize(loss, first, method="L-BFGS-B", options={"maxiter": 1000, "ftol": 1e-13, "gtol": 1e-7})
    return -best.fun, best.x


# ---- GLAD
def glad_classes(cases, ability, easiness, prevalence, known=None):
    q, total = np.zeros((len(cases), len(prevalence))), 0.0
    for i, case in enumerate(cases):
        if not case:
            continue
        for k, p in enumerate(prevalence):
            q[i, k] = p
            if known is not None and known[i] not in (-1, k):
                q[i, k] = 0.0
            for a, label in case:
                right = 1 / (1 + math.exp(-ability[a] * math.exp(easiness[i])))
                q[i, k] *= right if label == k else (1 - right) / max(len(prevalence) - 1, 1)
        if q[i].sum() == 0.0:  # below the smallest double
            return q, -math.inf
        total += math.log(q[i].sum())
        q[i] /= q[i].sum()
    return q, total


def glad_objective(cases, ability, easiness, prevalence, prior, known=None):
    penalty = -0.5 * (((np.asarray(ability) - prior[0]) / prior[1]) ** 2).sum()
    penalty += -0.5 * (((np.asarray(easiness) - prior[2]) / prior[3]) ** 2).sum()
    return glad_classes(cases, ability, easiness, prevalence, known)[1] + penalty


def best_glad(cases, n_annotators, prevalence, prior, n_starts=10, seed=0, known=None):
    """The highest log posterior density that a general optimiser finds."""
    rng, n = np.random.default_rng(seed), n_annotators + len(cases)
    middle = np.concatenate([np.full(n_annotators, prior[0]), np.full(len(cases), prior[2])])
    found = [
        optimize.minimize(
            lambda x: -glad_objective(cases, x[:n_annotators], x[n_annotators:], prevalence, prior, known),
            middle + (rng.normal(0, 1, n) if s else 0),
            method="L-BFGS-B",
            options={"maxiter": 1000, "ftol": 1e-14, "gtol": 1e-8},
        )
        for s in range(n_starts)
    ]
    best = min(found, key=lambda run: run.fun)
    return -best.fun, best.x


def hessian(function, x, step=1e-4):
    """By central differences."""
    x = np.asarray(x, float)
    n = len(x)
    out = np.empty((n, n))
    for i in range(n):
        for j in range(n):
            total = 0.0
            for s in (1, -1):
                for t in (1, -1):
                    moved = x.copy()
                    moved[i] += s * step
                    moved[j] += t * step
                    total += s * t * function(moved)
            out[i, j] = total / (4 * step * step)
    return out
