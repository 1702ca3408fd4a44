"""Plackett–Luce without draws, slowly: the likelihood as a sum over orders, and its integral over independent Beta variables.

The integrand of each node is the product of the laws of all gamma variables, integrated over log s with scipy's functions on a fine grid.
The adaptive rule is that of Gerstner & Griebel (2003) with Gauss-Jacobi nodes. ``by_ratios`` integrates the posterior itself, without
auxiliary variables: given the largest λ, over the ratios of the others to it.
"""

from collections import Counter
from itertools import permutations, product
from math import exp, log

import numpy as np
from scipy import special

from .plackett_luce import chain

LEVELS = (1, 3, 6, 11, 20, 34, 58, 99, 150)


def terms(case, gamma, n_classes):
    """``{exponents of the sets of classes that are gone: coefficient}`` and the wins of each class; γ whole if blocks are tied."""
    found, wins = {frozenset(): 1.0}, Counter()
    for ranking in case:
        for block, later in chain(ranking, n_classes):
            gone = frozenset(range(n_classes)) - set(block) - set(later)
            wins.update(dict.fromkeys(block, gamma))
            orders = [[gone | set(order[:j]) for j in range(len(block))] for order in permutations(block)]
            for _ in range(round(gamma) if len(block) > 1 else 1):
                longer = Counter()
                for (key, coefficient), order in product(found.items(), orders):
                    exponents = Counter(dict(key))
                    for gone_then in order:
                        exponents[gone_then] += 1 if len(block) > 1 else gamma
                    longer[frozenset(exponents.items())] += coefficient
                found = longer
    return found, wins


class Term:
    """One term: a Dirichlet law of the auxiliary variables, with its sets in order, largest wins first."""

    def __init__(self, exponents, coefficient, wins, shape, n_classes):
        exponents = dict(exponents)
        self.c = np.array([shape + wins[k] for k in range(n_classes)])
        self.n0 = shape * n_classes + exponents.pop(frozenset(), 0.0)
        self.sets = sorted(exponents, key=lambda gone: (-sum(self.c[k] for k in gone), sum(1 << k for k in gone)))
        self.n = [exponents[gone] for gone in self.sets]
        self.behind = [self.n0 + sum(self.n[d + 1 :]) for d in range(len(self.n))]
        self.q = []
        for behind, gone in zip(self.behind, self.sets):
            q = behind - sum(self.c[k] for k in gone)
            while q < 0.05:
                q += 1.0
            self.q.append(q)
        self.log_factor = log(coefficient) + sum(
            special.betaln(n, q) - special.betaln(n, behind) for n, q, behind in zip(self.n, self.q, self.behind)
        )

    def rates(self, b):
        """v of each set by breaking a stick, and the rates, as sums of positive numbers."""
        stick, v = 1.0, []
        for one in b:
            v.append(stick * one)
            stick *= 1.0 - one
        r = np.array([stick + sum(x for x, gone in zip(v, self.sets) if k not in gone) for k in range(len(self.c))])
        return stick, r

    def node(self, b):
        """E w P(k is first | r), E w p_k and E w p_k² for one node, without the factor of the term."""
        v0, r = self.rates(b)
        rest = [(behind - q) * log(1.0 - one) for one, q, behind in zip(b, self.q, self.behind)]
        w = exp(sum(rest) - float((self.c * np.log(r)).sum()))
        p1 = self.c / self.n0 * v0 / r
        p2 = self.c * (self.c + 1) / (self.n0 * (self.n0 + 1)) * (v0 / r) ** 2
        return w * np.concatenate([first(self.c, r), p1, p2])

    def tensor(self, sizes):
        rules = [special.roots_jacobi(size, q - 1.0, n - 1.0) for size, n, q in zip(sizes, self.n, self.q)]
        axes = [list(zip((1.0 + x) / 2.0, w / w.sum())) for x, w in rules]
        total = np.zeros(3 * len(self.c))
        for nodes in product(*axes):
            total += np.prod([w for _, w in nodes]) * self.node([b for b, _ in nodes])
        return total * exp(self.log_factor)


def first(c, r, step=1 / 32):
    """P(λ_k is the largest) for independent gamma variables of shapes c and rates r."""
    s = np.exp(np.arange(-60.0, np.log((c.max() + 40 + 10 * np.sqrt(c.max())) / r.min()), min(step, 0.2 / np.sqrt(c.sum()))))
    x = np.outer(r, s)
    below = special.gammainc(c[:, None], x)
    density = np.exp(c[:, None] * np.log(x) - x - special.gammaln(c)[:, None])
    out = np.array([(density[k] * np.delete(below, k, axis=0).prod(0)).sum() for k in range(len(c))])
    return out / out.sum()


def posterior(case, gamma, shape, n_classes, sizes):
    """Probabilities, means and variances from the same number of nodes in every dimension of every term."""
    found, wins = terms(case, gamma, n_classes)
    total = sum(t.tensor([sizes] * len(t.n)) for t in (Term(key, a, wins, shape, n_classes) for key, a in found.items()))
    return normalised(total)


def normalised(total):
    p, mean, square = total.reshape(3, -1)
    return np.array([p / p.sum(), mean / mean.sum(), square / mean.sum() - (mean / mean.sum()) ** 2])


def adaptive(case, gamma, shape, n_classes, tolerance):
    """The same by the adaptive rule: the tensor with the largest surplus of all terms is refined until the surpluses are small."""
    found, wins = terms(case, gamma, n_classes)
    every = [Term(key, a, wins, shape, n_classes) for key, a in found.items()]
    value, measure, old = {}, {}, set()
    total = np.zeros(3 * n_classes)

    def add(t, level):
        start = 1 if len(every[t].n) <= 2 else 0
        value[t, level] = every[t].tensor([LEVELS[start + one] for one in level])
        surplus = np.zeros(3 * n_classes)
        for below in product(*([0, 1] if one else [0] for one in level)):
            surplus += (-1) ** sum(below) * value[t, tuple(np.subtract(level, below).tolist())]
        total[:] += surplus
        measure[t, level] = np.abs(surplus).max() / total[:n_classes].sum()

    def add_down_from(t, level):
        if (t, level) not in value:
            for d in range(len(level)):
                if level[d]:
                    add_down_from(t, (*level[:d], level[d] - 1, *level[d + 1 :]))
            add(t, level)

    def expand(t, level):
        old.add((t, level))
        measure[t, level] = 0.0
        for d in range(len(level)):
            add_down_from(t, (*level[:d], level[d] + 1, *level[d + 1 :]))

    for t, term in enumerate(every):
        add(t, (0,) * len(term.n))
    for t, term in enumerate(every):
        measure[t, (0,) * len(term.n)] = value[t, (0,) * len(term.n)][:n_classes].sum() / total[:n_classes].sum() if term.n else 0.0
    checked = False
    while True:
        if sum(measure.values()) > tolerance:
            expand(*max(measure, key=measure.get))
        elif checked:
            return normalised(total), sum(measure.values())
        else:
            checked = True
            for t, level in list(measure):
                if (t, level) not in old and sum(one > 0 for one in level) == 1 and len(level) > 1:
                    expand(t, level)


def by_ratios(case, gamma, shape, n_classes, size):
    """P(k is first) from the density of λ_j / λ_k = t in (0, 1) for all j, by tensors of Gauss-Legendre nodes in t^c."""
    found, wins = terms(case, gamma, n_classes)
    x, w = special.roots_legendre(size)
    u, w = (1 + x) / 2, w / 2
    out = np.zeros(n_classes)
    for k in range(n_classes):
        others = [j for j in range(n_classes) if j != k]
        t = np.ones((n_classes, *[size] * len(others)))
        weight = np.ones([size] * len(others))
        for axis, j in enumerate(others):
            form = [-1 if e == axis else 1 for e in range(len(others))]
            c = shape + wins[j]  # t = u^(m / c), m >= c whole, has the density of t^(c - 1) dt without its pole
            m = max(4.0, 3.0 * np.ceil(c))
            t[j] = (u ** (m / c)).reshape(form)
            weight = weight * (w * m / c * u ** (m - 1)).reshape(form)
        for exponents, coefficient in found.items():
            density = coefficient * t.sum(0) ** (-shape * n_classes)
            for gone, n in dict(exponents).items():
                density = density / sum(t[j] for j in range(n_classes) if j not in gone) ** n
            out[k] += (density * weight).sum()
    return out / out.sum()
