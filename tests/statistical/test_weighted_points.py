"""Stated errors of weighted points of Plackett–Luce posteriors, number by number, on random cases of each kind.

A difference from a known number, in stated errors, has a root mean square of about 1 if errors are right, and at most one in a hundred is
above 3. It is known from closed forms, from integration by other means, from the exact rule, or from long runs of the sampler.
``python tests/statistical/test_weighted_points.py`` prints a line for each kind.
"""

import sys
from itertools import combinations
from pathlib import Path

if __name__ == "__main__":
    sys.path[:0] = [str(Path(__file__).parents[1])]

import numpy as np
import pytest
from ranked_cases import random_case
from scipy.stats import beta
from simulations import sets
from twins import cubature, points
from weighted_points import Points, mean_of

import ugt
from ugt.plausibilities.integrated import EXACT

RELIABILITIES = [0.01, 0.3, 0.7, 1.0, 1.3, 2.5, 3.0, 3.3, 7.7, 10.0]
RULE_ERROR = 1e-6  # of the exact rule, far below that of points
RUNS = 24  # of the sampler: few of them would say little of their own error
SEVERAL = {"individual": 4, "lump": 1, "ignore": 0}


def in_errors(off, error, least):
    """Differences (n, 2) in stated errors, and whether the error is the least one: that of events that no point met."""
    return np.stack([off / np.maximum(error, 1e-300), error < 1.001 * least], axis=1)


def numbers(of, wanted, target=1e-3):
    """Differences of P(first), means and variances (3, m + 1) from known ones, NaN where these are not known."""
    value, error = of.fit(target)[0]
    known = ~np.isnan(wanted)
    return in_errors(value[known] - wanted[known], error[known], 1 / of.info[0, 2])


def of_points(weight, known):
    """Differences of the means of values of points from known ones."""
    found = np.array([mean_of(weight, value) for value, _ in known]).reshape(-1, 2)
    return in_errors(found[:, 0] - [mean for _, mean in known], found[:, 1], (weight**2).sum())


def case_of(rng, n_classes, tied, most=3):
    """Rankings of random annotators, and the classes that they mention."""
    case = random_case(rng, n_classes, int(rng.integers(1, 5)), tied, most)
    return case, sorted({k for ranking in case for block in ranking for k in block})


def with_rest(table, classes, n_classes):
    """Numbers (…, K) of all classes as those of the mentioned ones and of all others together."""
    others = [k for k in range(n_classes) if k not in classes]
    return np.concatenate([table[..., classes], table[..., others].sum(axis=-1, keepdims=True)], axis=-1)


def by_quadrature(rng, n_classes, shapes, reliabilities, size):
    """First, mean and variance of all kinds of ties; orders, best sets and ranks if all classes are mentioned."""
    case, classes = case_of(rng, n_classes, tied=0.4)
    gamma, shape = float(rng.choice(reliabilities)), float(rng.choice(shapes))
    _, mean, square, orders = points.by_sectors(case, gamma, [shape] * n_classes, size)
    of, first = Points([case], n_classes, gamma, shape, seed=int(rng.integers(2**31))), points.first_of(orders, n_classes)
    wanted = with_rest(np.stack([first, mean, square - mean**2]), classes, n_classes)
    wanted[2, -1] = wanted[2, -1] if len(classes) == n_classes - 1 else np.nan
    wanted[:, -1] = np.nan if len(classes) == n_classes else wanted[:, -1]
    off = [numbers(of, wanted)]
    if len(classes) == n_classes:
        value, weight = of.points(0, int(of.info[0, 0]))
        ranks = np.argsort(-value[:, :n_classes], axis=1)
        events = [((ranks == order).all(axis=1), chance) for order, chance in orders.items()]
        for pair in combinations(range(n_classes), 2):
            chance = sum(p for order, p in orders.items() if set(order[:2]) == set(pair))
            events.append((np.isin(ranks[:, :2], pair).all(axis=1), chance))
        for k, rank in np.ndindex(n_classes, n_classes):
            events.append((ranks[:, rank] == k, sum(p for order, p in orders.items() if order[rank] == k)))
        off.append(of_points(weight, events))
    return np.concatenate(off)


def three(rng):
    return by_quadrature(rng, 3, [0.005, 0.02, 0.1, 1 / 3, 1.0], RELIABILITIES, 36)


def four(rng):
    return by_quadrature(rng, 4, [0.3, 0.5, 1.0], RELIABILITIES[:8], 24)  # more would need more nodes


def five(rng):
    """P(first) of five classes, by ratios."""
    case, classes = case_of(rng, 5, tied=0.4)
    gamma, shape = float(rng.choice(RELIABILITIES[:8])), float(rng.choice([0.4, 0.7, 1.0]))
    wanted = np.full((3, len(classes) + 1), np.nan)
    wanted[0] = with_rest(cubature.by_ratios(case, gamma, shape, 5, 16), classes, 5)
    wanted[:, -1] = np.nan if len(classes) == 5 else wanted[:, -1]
    return numbers(Points([case], 5, gamma, shape, seed=int(rng.integers(2**31))), wanted)


def groups(rng):
    """Labels only: the sum of the plausibilities of a group is a Beta variable, those of unmentioned classes included."""
    n_classes, gamma = int(rng.choice([3, 8, 419])), float(rng.choice(RELIABILITIES))
    shape = float(rng.choice([0.02, 0.1, 1.0]) if n_classes < 419 else rng.choice([1 / 419, 0.05]))
    given, group = (
        rng.integers(0, min(n_classes, 6), int(rng.integers(1, 8))).tolist(),
        np.append([0, 1], rng.integers(0, 2, n_classes - 2)),
    )
    alpha = shape + gamma * np.bincount(given, minlength=n_classes)
    law = beta(alpha[group == 0].sum(), alpha[group == 1].sum())
    of = Points([[[[k]] for k in given]], n_classes, gamma, shape, seed=int(rng.integers(2**31)))
    of.fit(1e-3)
    value, weight = of.points(0, max(128, int(of.info[0, 0])))
    sums = of.groups(value, group)
    return of_points(weight, [(sums[:, 0] > sums[:, 1], law.sf(0.5)), (sums[:, 0], law.mean())])


def labels(rng):
    """Labels only are a Dirichlet posterior: P(first), moments, the best two, and groups."""
    n_classes, n_labels = int(rng.choice([3, 8, 419])), int(rng.integers(1, 8))
    gamma, shape = float(rng.choice(RELIABILITIES)), float(rng.choice([0.02, 0.1, 1.0]) if n_classes < 419 else rng.choice([1 / 419, 0.05]))
    given = rng.integers(0, min(n_classes, 6), n_labels).tolist()
    alpha = shape + gamma * np.bincount(given, minlength=n_classes)
    known, classes = ugt.Dirichlet.from_array(alpha[None]), sorted(set(given))
    of = Points([[[[k]] for k in given]], n_classes, gamma, shape, seed=int(rng.integers(2**31)))
    total, rest = alpha.sum(), alpha.sum() - alpha[classes].sum()
    mean = np.append(alpha[classes], rest) / total
    first = known.membership(1)[0]
    wanted = np.stack([with_rest(first, classes, n_classes), mean, mean * (1 - mean) / (total + 1)])
    wanted[:, -1] = np.nan if rest < shape / 2 else wanted[:, -1]
    off = numbers(of, wanted)
    value, weight = of.points(0, max(128, int(of.info[0, 0])))
    top = np.sort(of.top(value, 2), axis=1)
    pairs = [((top == pair).all(axis=1), known.set_probability([list(pair)])[0]) for pair in combinations(classes, 2)]
    return np.concatenate([off, of_points(weight, pairs)])


def chains(rng):
    """One ranking: sticks of Beta variables, for shapes from .001 on and any other classes."""
    n_classes, n = int(rng.choice([6, 30, 419])), int(rng.integers(1, 6))
    gamma, shape, unranked = float(rng.choice(RELIABILITIES)), float(rng.choice([0.001, 0.0024, 0.02, 0.2, 1.0])), rng.choice(list(SEVERAL))
    order = rng.permutation(n_classes)[:n]
    rest = {"individual": (n_classes - n) * shape, "lump": shape, "ignore": 0.0}[unranked]
    left, square_left, mean, square = 1.0, 1.0, [], []
    for place in range(n):
        later = shape * (n - 1 - place) + rest
        a = shape + gamma if later > 0 else 1.0
        mean.append(left * a / (a + later))
        square.append(square_left * a * (a + 1) / (a + later) / (a + later + 1))
        left *= later / (a + later)
        square_left *= later * (later + 1) / (a + later) / (a + later + 1)
    mean, square, at = np.append(mean, left), np.append(square, square_left), np.append(np.argsort(order), n)
    wanted = np.stack([np.full(n + 1, np.nan), mean[at], np.maximum(square - mean**2, 0)[at]])
    if unranked == "ignore":
        wanted = np.full((3, 1), np.nan) if n == 1 else np.append(wanted[:, :-1], np.full((3, 1), np.nan), axis=1)
        if n == 1:
            return np.zeros((0, 2))
    return numbers(Points([[[[int(k)] for k in order]]], n_classes, gamma, shape, str(unranked), seed=int(rng.integers(2**31))), wanted)


def by_exact_rule(rng):
    """Partial rankings of 419 classes whose integral the exact rule reaches."""
    unranked = str(rng.choice(list(SEVERAL)))
    whole = rng.random() < 0.5
    gamma = float(rng.choice([1, 2, 3] if whole else [0.3, 0.7, 1.3, 2.5]))
    case = random_case(rng, 7, int(rng.integers(1, 4)), 0.3 if whole else 0.0, 3)
    classes = sorted({k for ranking in case for block in ranking for k in block})
    shape = float(rng.choice([1 / 419, 0.02]))
    rankings = ugt.Rankings.from_blocks([case], n_classes=419)
    exact = ugt.plackett_luce(rankings, reliability=gamma, prior_shape=shape, unranked=unranked, tolerance=RULE_ERROR, n_draws=144)
    if exact.how[0] != EXACT or len(classes) == 1:
        return np.zeros((0, 2))
    wanted = np.stack([with_rest(exact.membership(1)[0], classes, 419), with_rest(exact.mean()[0], classes, 419)])
    wanted = np.append(wanted, [np.append(exact.variance()[0, classes], np.nan)], axis=0)
    wanted[:, -1] = np.nan if unranked == "ignore" else wanted[:, -1]
    return numbers(Points([case], 419, gamma, shape, unranked, seed=int(rng.integers(2**31))), wanted)


def strange(rng):
    """Designs that no list has: against runs of the sampler."""
    which = int(rng.integers(8))
    n, gamma, unranked = 12, float(rng.choice([0.3, 1.0, 2.5])), str(rng.choice(["individual", "ignore"]))
    order = [int(k) for k in rng.permutation(n)]
    if which == 0:  # contradictions
        case = [[[k] for k in order[:6]], [[k] for k in order[5::-1]]] * int(rng.integers(1, 4))
    elif which == 1:  # a giant tie
        case = [[order[:8], [order[8]]], [[order[0]]]]
    elif which == 2:  # sixty annotators
        case = [[[int(k)] for k in rng.permutation(8)[: rng.integers(1, 5)]] for _ in range(60)]
    elif which == 3:  # no weight
        case, gamma = random_case(rng, 8, 6, 0.3, 3), 0.01
    elif which == 4:  # many classes
        n, case = 80, [[[int(k)] for k in rng.permutation(70)], [[int(k)] for k in rng.permutation(70)[:20]]]
    elif which == 5:  # pairs in a circle
        case = [[[order[i]], [order[(i + 1) % 5]]] for i in range(5)]
    elif which == 6:  # tied pairs, many times
        case = [[order[0:2], order[2:4], order[4:6]]] * int(rng.integers(1, 5))
    else:  # each class once, first
        case = [[[k]] for k in order[:9]] + [[[order[0]], order[1:4]]]
    classes = sorted({k for ranking in case for block in ranking for k in block})
    shape, rankings = float(rng.choice([0.2, 0.5, 1.0])), ugt.Rankings.from_blocks([case], n_classes=n)
    options = {"method": "gibbs", "reliability": gamma, "prior_shape": shape, "unranked": unranked, "n_warmup": 400}
    runs = [ugt.plackett_luce(rankings, **options, n_draws=800, n_chains=1, seed=int(rng.integers(2**31))) for _ in range(RUNS)]
    found = np.array([with_rest(np.stack([run.membership(1)[0], run.mean()[0]]), classes, n) for run in runs])
    known, error = found.mean(axis=0), found.std(axis=0, ddof=1) / np.sqrt(RUNS) * np.sqrt((RUNS - 1) / (RUNS - 3))
    of = Points([case], n, gamma, shape, unranked, seed=int(rng.integers(2**31)))
    value, stated = of.fit(1e-3)[0]
    kept = np.s_[:, : len(classes) + (unranked != "ignore" and len(classes) < n)]
    both, least = np.hypot(np.maximum(error, 1 / (800 * RUNS)), stated[:2])[kept], np.hypot(1 / (800 * RUNS), 1 / of.info[0, 2])
    return in_errors((value[:2] - known)[kept].ravel(), both.ravel(), least)


KINDS = {one.__name__: one for one in (three, four, five, groups, labels, chains, by_exact_rule, strange)}


def differences(kind, n_sets):
    """The differences of so many random cases of a kind, in stated errors, and whether the error is the least one."""
    number = list(KINDS).index(kind)
    return np.concatenate([KINDS[kind](np.random.default_rng([number, i])) for i in range(n_sets)]).T


@pytest.mark.parametrize("kind", KINDS)
@sets(20, 400)
def test_stated_errors(kind, n_sets):
    off, is_least = differences(kind, n_sets)
    slack = 3 / np.sqrt(2 * n_sets)  # numbers of a case are not independent
    assert 0.8 - slack < np.sqrt((off[is_least == 0] ** 2).mean()) < 1.2 + slack
    assert np.sqrt((off[is_least > 0] ** 2).mean()) < 1.2 + slack if is_least.any() else True
    assert (np.abs(off) > 3).mean() < 0.01 + slack / 10 and np.abs(off).max() < 7


def main():
    for kind in sys.argv[2:] or KINDS:
        off, is_least = differences(kind, int(sys.argv[1]))
        share = ", ".join(f"{100 * (np.abs(off) > most).mean():.2f} % over {most}" for most in (2, 3))
        rms = np.sqrt((off[is_least == 0] ** 2).mean())
        said = f"{len(off)} numbers, {share}, largest {np.abs(off).max():.1f}; {(is_least == 0).sum()} above the least error: {rms:.2f}"
        print(f"{kind}: {said}", flush=True)


if __name__ == "__main__":
    main()
