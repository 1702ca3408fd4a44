"""Plackett–Luce without draws, slowly: the likelihood as a sum over orders, and its integral over independent Beta variables.

The integrand of each node is the product of the laws of all gamma variables, integrated over log s with scipy's functions on a fine grid.
The adaptive rule is that of Gerstner & Griebel (2003) with Gauss-Jacobi nodes. ``by_ratios`` integrates the posterior itself, without
auxiliary variables: given the largest λ, over the ratios of the others to it.
"""

from collections import Counter
from itertools import permutations, product
from math import exp, log, prod

import numpy as np
from scipy import special

from .plackett_luce import chain

LEVELS = (1, 3, 6, 11, 20, 34, 58, 99, 150)


def terms(case, gamma, n_classes):
    """``{exponents of the sets of classes that are gone: coefficient}`` and the wins of each class; γ whole if classes are tied."""
    found, wins = {frozenset(): 1.0}, Counter()
    for ranking in case:
        for block, later in chain(ranking, n_classes):
            gone = frozenset(range(n_classes)) - set(block) - set(later)
            wins.update(dict.fromkeys(block, gamma))
            orders = [[gone | set(order[:j]) for j in range(1, len(block))] for order in permutations(block)]
            for copy in range(gamma if len(block) > 1 else 1):
                longer = Counter()
                for (key, coefficient), order in product(found.items(), orders):
                    exponents = Counter(dict(key))
                    for gone_then, n in [*([(gone, gamma)] if copy == 0 else []), *((one, 1) for one in order)]:
                        exponents[gone_then] += n
                    longer[frozenset(exponents.items())] += coefficient
                found = longer
    return found, wins


def nodes(size, p, q):
    """Nodes and weights of Beta(p, q)."""
    x, w = special.roots_jacobi(size, q - 1.0, p - 1.0)
    return [*zip((1.0 + x) / 2.0, w / w.sum())]


class Term:
    """One term: a Dirichlet law of the auxiliary variables, with its sets in order, largest wins first."""

    def __init__(self, exponents, coefficient, wins, shape, n_classes):
        exponents = dict(exponents)
        self.c = np.array([shape + wins[k] for k in range(n_classes)])
        self.n0 = shape * n_classes + exponents.pop(frozenset(), 0.0)
        self.sets = sorted(exponents, key=lambda one: (-sum(self.c[k] for k in one), sum(1 << k for k in one)))
        self.n = [exponents[gone] for gone in self.sets]
        self.behind = [self.n0 + sum(self.n[d + 1 :]) for d in range(len(self.n))]
        self.q = []
        for behind, gone in zip(self.behind, self.sets):
            q = behind - sum(self.c[k] for k in gone)
            while q < 0.0005:
                q += 1.0
            self.q.append(q)
        self.log_factor = log(coefficient) + sum(
            special.gammaln(q) - special.gammaln(n + q) + special.gammaln(n + behind) - special.gammaln(behind)
            for n, q, behind in zip(self.n, self.q, self.behind)
        )

    def rates(self, b):
        """v of each set by breaking a stick, and the rates, as sums of positive numbers."""
        stick, v = 1.0, []
        for one in b:
            v.append(stick * one)
            stick *= 1.0 - one
        part = [[0.0 if k in gone else 1.0 for gone in self.sets] for k in range(len(self.c))]
        r = np.array([stick + sum(x * y for x, y in zip(v, row)) for row in part])
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
        total = np.zeros(3 * len(self.c))
        for node in product(*(nodes(size, n, q) for size, n, q in zip(sizes, self.n, self.q))):
            total += np.prod([w for _, w in node]) * self.node([b for b, _ in node])
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
    """P(k is first) from the density of λ_j / λ_k = t in (0, 1) for all j, by tensors of Gauss-Legendre nodes in t^c.

    The likelihood is the product of the probabilities of all blocks, each a sum over orders, to the power γ.
    """
    stages = [stage for ranking in case for stage in chain(ranking, n_classes)]
    wins = Counter(y for block, _ in stages for y in block)
    x, w = special.roots_legendre(size)
    u, w = (1 + x) / 2, w / 2
    out = np.zeros(n_classes)
    for k in range(n_classes):
        others = [j for j in range(n_classes) if j != k]
        t = np.ones((n_classes, *[size] * len(others)))
        weight = np.ones([size] * len(others))
        for axis, j in enumerate(others):
            form = [-1 if e == axis else 1 for e in range(len(others))]
            c = shape + gamma * wins[j]  # t = u^(m / c), m >= c whole, has the density of t^(c - 1) dt without its pole
            m = max(4.0, 3.0 * np.ceil(c))
            t[j] = (u ** (m / c)).reshape(form)
            weight = weight * (w * m / c * u ** (m - 1)).reshape(form)
        density = t.sum(0) ** (-shape * n_classes)
        for block, later in stages:
            orders = [[*order, *later] for order in permutations(block)]
            density = density * sum(1 / np.prod([t[order[j:]].sum(0) for j in range(len(block))], axis=0) for order in orders) ** gamma
        out[k] = (density * weight).sum()
    return out / out.sum()


def by_group_ratios(case, gamma, shape, n_classes, group, size):
    """P(group g has the largest sum), as ``by_ratios``, over the ratios of the other sums to it and the shares of classes within groups."""
    stages = [stage for ranking in case for stage in chain(ranking, n_classes)]
    wins = Counter(y for block, _ in stages for y in block)
    c = np.array([shape + gamma * wins[k] for k in range(n_classes)])
    members = [[k for k in range(n_classes) if group[k] == g] for g in range(max(group) + 1)]
    x, w = special.roots_legendre(size)
    u, w = (1 + x) / 2, w / 2
    axes = n_classes - 1  # a ratio for each other group, and one share less than classes in each group
    form = [[-1 if e == axis else 1 for e in range(axes)] for axis in range(axes)]
    weight, share, axis = np.ones([1] * axes), [None] * n_classes, 0
    for of in members:
        left = np.ones([1] * axes)
        for j, k in enumerate(of[:-1]):
            p, q = c[k], c[of[j + 1 :]].sum()
            y, v = special.roots_jacobi(size, q - 1, p - 1)
            share[k] = left * ((1 + y) / 2).reshape(form[axis])
            left = left * ((1 - y) / 2).reshape(form[axis])
            weight = weight * (v / v.sum()).reshape(form[axis]) * special.beta(p, q)
            axis += 1
        share[of[-1]] = left
    out, first_ratio = np.zeros(len(members)), axis
    for g in range(len(members)):
        sums, ratio, each = [np.ones([1] * axes)] * len(members), first_ratio, weight
        for h in range(len(members)):
            if h != g:
                total = c[members[h]].sum()
                m = max(4.0, 3.0 * np.ceil(total))  # as in by_ratios
                sums[h] = (u ** (m / total)).reshape(form[ratio])
                each = each * (w * m / total * u ** (m - 1)).reshape(form[ratio])
                ratio += 1
        t = [sums[group[k]] * share[k] for k in range(n_classes)]
        density = sum(t) ** (-shape * n_classes)
        for block, later in stages:
            orders = [[*order, *later] for order in permutations(block)]
            density = density * sum(1 / prod(sum(t[k] for k in order[j:]) for j in range(len(block))) for order in orders) ** gamma
        out[g] = (density * each).sum()
    return out / out.sum()
