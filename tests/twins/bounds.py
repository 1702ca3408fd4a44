"""Bounds of the accuracy, case by case: the tables of a group as linear programmes, moments by loops over classes."""

from itertools import product

import numpy as np
import scipy
from scipy.optimize import linprog

METHOD = "revised simplex" if scipy.__version__.startswith("1.5.") else "highs"  # both to the last bits


def in_order(pi, chosen):
    """Both in the order of plausibility; classes that are as plausible share what was chosen."""
    order = sorted(range(len(pi)), key=lambda t: -round(pi[t], 9))
    alike = [[t for t in order if abs(pi[t] - pi[own]) < 1e-9] for own in order]
    return [pi[t] for t in order], [sum(chosen[t] for t in same) / len(same) for same in alike]


def ends(p, q, k):
    """The least and the greatest Σ_t P(T = t, t ∈ C) of tables with the margins p, and q of the k that are chosen, class by class."""
    found = []
    for sign in (1, -1):
        total = 0.0
        for own, chosen in zip(p, q):  # of a class alone: a table of 2 x 2
            margins = [[1, 1, 0, 0], [1, 0, 1, 0], [1, 1, 1, 1]]
            total += sign * linprog([sign, 0, 0, 0], A_eq=margins, b_eq=[own, chosen, 1], bounds=(0, None), method=METHOD).fun
        found.append(total)
    return tuple(found)


def joint_ends(p, q):
    """The same for one choice, all classes at once."""
    cells = list(product(range(len(p)), repeat=2))
    cost = np.array([float(t == c) for t, c in cells])
    margins = [[float(t == row) for t, _ in cells] for row in range(len(p))] + [
        [float(c == row) for _, c in cells] for row in range(len(q))
    ]
    # the last margin follows from the others
    both = [linprog(sign * cost, A_eq=margins[:-1], b_eq=[*p, *q[:-1]], bounds=(0, None), method=METHOD).fun * sign for sign in (1, -1)]
    return tuple(both)


def independent(pi, chosen):
    """Σ_t p_t A_tt of the least squares solution of Y = Π A."""
    a = np.linalg.lstsq(np.asarray(pi, float), np.asarray(chosen, float), rcond=None)[0]
    return float(np.mean(pi, axis=0) @ np.diag(a))


def always_right(pi, k):
    """Of a case: the true class, drawn, and of the others the k - 1 most plausible ones."""
    total = 0.0
    for t, chance in enumerate(pi):
        others = sorted((p for c, p in enumerate(pi) if c != t), reverse=True)
        total += chance * (chance + sum(others[: k - 1]))
    return total
