"""Agreement of annotators, retyped from Stutz et al. (2023), appendix D and B.5, in rational numbers."""

import math
from fractions import Fraction

from twins import irn


def leave_one_out(annotators, n_classes, full=False):
    """Of each annotator (a list of rankings): the share of the others' top classes that the annotator ranked, None where there are none."""
    shares = []
    for r, own in enumerate(annotators):
        others = [ranking for annotator in annotators[:r] + annotators[r + 1 :] for ranking in annotator]
        weights = irn.irn(others, n_classes, full)
        if weights is None:
            shares.append(None)
            continue
        top = {k for k in range(n_classes) if weights[k] == max(weights)}
        ranked = {k for ranking in own for block in ranking for k in block}
        shares.append(Fraction(len(top & ranked), len(top)))
    return shares


def mean(values):
    """Of those that are defined."""
    known = [v for v in values if v is not None]
    return Fraction(sum(known), len(known)) if known else None


def product(a, b):
    return [[sum((x * y for x, y in zip(row, column)), Fraction(0)) for column in zip(*b)] for row in a]


def soft_permutation(blocks, n_classes):
    """P̃_B: row i, column j is the probability of class j at position i; the last block collects the classes that are not ranked."""
    unranked = [k for k in range(n_classes) if all(k not in block for block in blocks)]
    rows = []
    for block in [*blocks, unranked]:
        rows += [[Fraction(k in block, max(len(block), 1)) for k in range(n_classes)]] * len(block)
    return rows


def overlap(first, second, depth, n_classes):
    """UAO@L = Tr{(T P̃_B')ᵀ D_L (T P̃_B)}."""
    if not first or not second or depth == 0:
        return Fraction(0)
    size = range(n_classes)
    lower = [[Fraction(j <= i) for j in size] for i in size]
    weights = [[Fraction(i == j and i < depth, depth * (i + 1)) for j in size] for i in size]
    left, right = (product(lower, soft_permutation(blocks, n_classes)) for blocks in (second, first))
    inner = product([list(column) for column in zip(*left)], product(weights, right))
    return sum((inner[i][i] for i in size), Fraction(0))


def normalized(first, second, depth, n_classes):
    """meanAO@L."""
    selves = overlap(first, first, depth, n_classes) * overlap(second, second, depth, n_classes)
    return float(overlap(first, second, depth, n_classes)) / math.sqrt(selves) if selves else 0.0
