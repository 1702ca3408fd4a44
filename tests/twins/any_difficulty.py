"""Bounds whatever the law of difficulty: the linear programmes written out cell by cell, with tangents until they change nothing."""

from itertools import product
from math import floor, prod

import numpy as np
import scipy
from scipy.optimize import linprog
from scipy.stats import beta, chi2

METHOD = "revised simplex" if scipy.__version__.startswith("1.5.") else "highs"


def laws_of(n_classes, least_share):
    """Descending shares on the grid."""
    steps = {2: 100, 3: 40}[n_classes]
    found = [one for one in product(range(steps + 1), repeat=n_classes) if sum(one) == steps and sorted(one, reverse=True) == list(one)]
    return [[part / steps for part in one] for one in found if one[0] >= floor(least_share * steps + 1e-9)]


def probabilities(n_classes, n_labels, law):
    """Of each (sorted counts, count of the first class), by all sequences of labels."""
    found = {}
    for said in product(range(n_classes), repeat=n_labels):
        counts = [said.count(k) for k in range(n_classes)]
        cell = tuple(sorted(counts, reverse=True)), counts[0]
        found[cell] = found.get(cell, 0.0) + prod(law[k] for k in said)
    return found


def interval(said, choices, n_classes, n_labels, least_share, level=0.95):
    laws = laws_of(n_classes, least_share)
    given = [probabilities(n_classes, n_labels, law) for law in laws]
    cells = sorted(given[0])
    n, observed = len(said), dict.fromkeys(cells, 0)
    for row, c in zip(said, choices):
        counts = [row.count(k) for k in range(n_classes)]
        observed[tuple(sorted(counts, reverse=True)), counts[c]] += 1
    few = [cell for cell in cells if observed[cell] == 0]
    p = {cell: observed[cell] / n for cell in cells}
    part = (1 - level) / len(cells)
    radius = chi2.ppf(level + part * len(few), len(cells) - len(few) - 1)
    weight = {cell: 0.0 if cell in few else n / ((observed[cell] + 0.5) / (n + 0.5 * len(cells))) for cell in cells}
    most = {cell: beta.ppf(1 - part, 1, n) if cell in few else 1.0 for cell in cells}
    return tuple(solved(sign, laws, given, cells, p, weight, radius, most) for sign in (1, -1))


def solved(sign, laws, given, cells, p, weight, radius, most):
    """The least (sign 1) or the highest (-1) accuracy; variables: weights of laws, then cells, then what is right in each."""
    g, c = len(laws), len(cells)

    def row(laws_part=None, cell_part=(), right_part=()):
        found = np.zeros(g + 2 * c)
        found[:g] = 0.0 if laws_part is None else laws_part
        for j, value in cell_part:
            found[g + j] += value
        for j, value in right_part:
            found[g + c + j] += value
        return found

    mixed = np.array([[one[cell] for one in given] for cell in cells])
    kinds = sorted({cell[0] for cell in cells})
    same = {kind: [j for j, cell in enumerate(cells) if cell[0] == kind] for kind in kinds}
    equal = [row(mixed[same[kind]].sum(axis=0), [(j, -1.0) for j in same[kind]]) for kind in kinds] + [row(np.ones(g))]
    sums = [0.0] * len(kinds) + [1.0]
    above, below, cost = [], [], np.zeros(g + 2 * c)
    for j, (kind, own) in enumerate(cells):
        if sign < 0:
            above += [row(-mixed[j], (), [(j, 1.0)]), row(None, [(j, -1.0)], [(j, 1.0)])]
            below += [0.0, 0.0]
            cost[g + c + j] = -1.0
        elif kind.count(own) == 1:
            above.append(row(mixed[j], [(j, 1.0), *((i, -1.0) for i in same[kind])], [(j, -1.0)]))
            below.append(0.0)
            cost[g + c + j] = 1.0
    ranges = [(0, 1)] * g + [(0, most[cell]) for cell in cells] + [(0, 1)] * c
    value = None
    for _ in range(120):
        found = linprog(cost, np.array(above), below, np.array(equal), sums, ranges, METHOD)
        assert found.status == 0
        value = sign * found.fun
        step = [found.x[g + j] - p[cell] for j, cell in enumerate(cells)]
        form = sum(weight[cell] * one**2 for one, cell in zip(step, cells))
        if form <= radius * 1.0001:
            break
        above.append(row(None, [(j, weight[cell] * one) for j, (one, cell) in enumerate(zip(step, cells))]))
        below.append((radius * form) ** 0.5 + sum(weight[cell] * one * p[cell] for one, cell in zip(step, cells)))
    return value
