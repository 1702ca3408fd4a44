"""Point estimates under Plackett-Luce with ties, slowly: expectation-maximisation, minorisation-maximisation, subsets.

Complete data are all arrival times of [A] B.4: tau_k ~ Exp(lambda_k), observed until the last ranked class has arrived.
"""

from itertools import chain, combinations, permutations

import numpy as np

MOST_STEPS = 100_000
CLOSE = 1e-15


def stages(ranking, n_classes):
    """``(block, classes that come later)``; a block with nothing after it has probability 1 and says nothing."""
    done = set()
    for block in ranking:
        done |= set(block)
        later = [k for k in range(n_classes) if k not in done]
        if later:
            yield block, later


def arrivals(rates, z):
    """``(p, E arrival times, E last arrival time)`` of a block that arrives before rate z, as a sum over all orders.

    Given the order, the times between arrivals are independent exponentials of the total rate of what has not arrived.
    """
    total, expected, last = 0.0, np.zeros(len(rates)), 0.0
    for order in permutations(range(len(rates))):
        p, clock, times = 1.0, 0.0, np.zeros(len(rates))
        left = z + sum(rates)
        for a in order:
            p *= rates[a] / left
            clock += 1 / left
            times[a] = clock
            left = z + sum(rates[b] for b in order[order.index(a) + 1 :])
        total += p
        expected += p * times
        last += p * clock
    return total, expected / total, last / total


def em(rankings, shape, reliability=1.0):
    """The mode in log lambda under Gamma(shape_k, 1), adding up to 1; all shapes 0: the maximum of the likelihood."""
    shape = np.asarray(shape, float)
    parts = list(chain.from_iterable(stages(ranking, len(shape)) for ranking in rankings))
    numbers = shape + reliability * np.array([sum(k in block for block, _ in parts) for k in range(len(shape))])

    def step(value):
        exposure = np.full(len(shape), shape.sum())  # a prior of this rate has its scale where the plausibilities add up to 1
        for block, later in parts:
            _, times, last = arrivals(value[block], value[later].sum())
            exposure[block] += reliability * times
            exposure[later] += reliability * last
        return numbers / exposure

    return fixed_point(step, len(shape))


def fixed_point(step, n):
    """Plausibilities that a step, up to their scale, leaves as they are."""
    value = np.full(n, 1 / n)
    for _ in range(MOST_STEPS):
        fresh = step(value)
        fresh /= fresh.sum()
        if np.abs(fresh / value - 1).max() < CLOSE:
            break
        value = fresh
    return value


def hunter(rankings, n_classes):
    """Hunter (2004), eq. 30: the maximum-likelihood estimate from rankings without ties."""
    parts = list(chain.from_iterable(stages(ranking, n_classes) for ranking in rankings))
    wins = np.array([sum(k in block for block, _ in parts) for k in range(n_classes)], float)

    def step(value):
        losses = np.zeros(n_classes)
        for block, later in parts:
            losses[block + later] += 1 / value[block + later].sum()
        return wins / losses

    return fixed_point(step, n_classes)


def unbeaten_groups(rankings, classes):
    """All groups of some but not all classes that no other class is ever placed before; ``[]``: the estimate exists."""
    proper = chain.from_iterable(combinations(sorted(classes), size) for size in range(1, len(classes)))
    return [set(group) for group in proper if not any(beaten(ranking, set(group), set(classes)) for ranking in rankings)]


def beaten(ranking, group, classes):
    """Does a ranking place a class from outside before one of the group?"""
    left = set(classes)
    for block in ranking:
        left -= set(block)
        if set(block) - group and left & group:
            return True
    return False
