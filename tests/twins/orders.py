"""Agreement of two orders of classes, straight from the definitions, in rational numbers; ties by going through all of their orders."""

from fractions import Fraction
from itertools import combinations, permutations, product
from math import log2

METRICS = ("topk", "two inside", "set", "overlap", "average_overlap", "kendall", "footrule", "rank_biased", "weighted", "ndcg")
METRICS += ("reciprocal",)


def tie_breaks(values):
    """All orders of the classes, best first, that agree with the values."""
    buckets = [[k for k, v in enumerate(values) if v == value] for value in sorted(set(values), reverse=True)]
    return [sum(parts, ()) for parts in product(*(permutations(bucket) for bucket in buckets))]


def roles(values, k):
    """1 if a class is among the best k however ties are broken, 2 if with some tie-breaks only, 0 if with none."""
    sets = [set(order[:k]) for order in tie_breaks(values)]
    return [1 if all(y in best for best in sets) else 2 if any(y in best for best in sets) else 0 for y in range(len(values))]


def by_position(values):
    """The one order that breaks ties by position."""
    return [tuple(sorted(range(len(values)), key=lambda k: (-values[k], k)))]


def overlap(a, b, k):
    return Fraction(len({*a[:k]} & {*b[:k]}), k)


def kendall(a, b, k, penalty):
    """K^(p) of Fagin, Kumar & Sivakumar (2003), section 3.1, over the largest value it can take.

    Pairs of classes of the union of both lists. Both in both lists: do they stand in opposite orders? Both in one, one of them in the
    other: is it behind there? One in each: 1. Both in one and none in the other: p.
    """
    a, b, total = a[:k], b[:k], Fraction(0)
    for i, j in combinations(sorted({*a, *b}), 2):
        if {i, j} <= {*a} and {i, j} <= {*b}:
            total += (a.index(i) < a.index(j)) != (b.index(i) < b.index(j))
        elif {i, j} <= {*a} or {i, j} <= {*b}:
            both, other = (a, b) if {i, j} <= {*a} else (b, a)
            held = [y for y in (i, j) if y in other]
            total += penalty if not held else both.index(held[0]) > both.index(({i, j} - {*held}).pop())
        else:
            total += 1
    return total / (k * k + penalty * k * (k - 1))


def footrule(a, b, k):
    """F^(k + 1), section 3.3, over the largest value it can take: a class beyond a list is at place k + 1."""
    places = [{y: r for r, y in enumerate(order[:k], start=1)} for order in (a, b)]
    return Fraction(sum(abs(places[0].get(y, k + 1) - places[1].get(y, k + 1)) for y in {*a[:k], *b[:k]}), k * (k + 1))


def weighted(a, b, k, penalty):
    """The same pairs, each with the sum of 1 / rank in b, the truth; over the value of lists without a common class."""
    a, b, total = a[:k], b[:k], Fraction(0)
    weight = {y: Fraction(1, r) for r, y in enumerate(b, start=1)}
    for i, j in combinations(sorted({*a, *b}), 2):
        w = weight.get(i, 0) + weight.get(j, 0)
        if {i, j} <= {*a} and {i, j} <= {*b}:
            total += w * ((a.index(i) < a.index(j)) != (b.index(i) < b.index(j)))
        elif {i, j} <= {*a} or {i, j} <= {*b}:
            both, other = (a, b) if {i, j} <= {*a} else (b, a)
            held = [y for y in (i, j) if y in other]
            total += w * (penalty if not held else both.index(held[0]) > both.index(({i, j} - {*held}).pop()))
        else:
            total += w
    return total / (sum(Fraction(1, r) for r in range(1, k + 1)) * (k + penalty * (k - 1)))


def ndcg(a, b, k):
    """Järvelin & Kekäläinen (2002): gains k, k - 1, ... of b's best k, discounted by log2(1 + rank) in a."""
    gain = {y: k - r for r, y in enumerate(b[:k])}
    found = sum(gain.get(y, 0) / log2(2 + r) for r, y in enumerate(a[:k]))
    return Fraction(found) / Fraction(sum((k - r) / log2(2 + r) for r in range(k)))


def rank_biased(a, b, k, p):
    """RBO_ext of Webber, Moffat & Zobel (2010), eq. 32, for two lists that are seen to depth k."""
    return overlap(a, b, k) * p**k + (1 - p) / p * sum(overlap(a, b, d) * p**d for d in range(1, k + 1))


def value(metric, model, truth, k, penalty=Fraction(0)):
    """One model's order against one order of the truth."""
    if metric == "topk":
        return Fraction(truth[0] in model[:k])
    if metric == "reciprocal":
        return Fraction(1, model.index(truth[0]) + 1) if truth[0] in model[:k] else Fraction(0)
    if metric == "two inside":
        return Fraction({*truth[: min(2, k)]} <= {*model[:k]})
    if metric == "set":
        return Fraction({*truth[:k]} == {*model[:k]})
    if metric == "overlap":
        return overlap(model, truth, k)
    if metric == "average_overlap":
        return sum(overlap(model, truth, j) for j in range(1, k + 1)) / k
    if metric == "rank_biased":
        return rank_biased(model, truth, k, Fraction(9, 10))
    if metric == "ndcg":
        return ndcg(model, truth, k)
    if metric == "weighted":
        return weighted(model, truth, k, penalty)
    return kendall(model, truth, k, penalty) if metric == "kendall" else footrule(model, truth, k)


def expected(metric, models, truths, k, penalty=Fraction(0)):
    """The mean over all pairs of orders."""
    return sum(value(metric, m, t, k, penalty) for m in models for t in truths) / (len(models) * len(truths))


def law_of_case(metric, models, truth_law, zeros, k, penalty=Fraction(0)):
    """``{value: probability}`` over draws of a truth with ``{order: probability}``; what a draw leaves open is averaged.

    Classes of plausibility 0 are in no draw's order: their places at the end are averaged, like ties of the model.
    """
    draws = {}
    for order, p in truth_law.items():
        positive = tuple(y for y in order if y not in zeros)
        draws.setdefault(positive, []).append((order, p))
    law = {}
    for found in draws.values():
        p = sum(q for _, q in found)
        v = expected(metric, models, [order for order, _ in found], k, penalty)
        law[v] = law.get(v, 0) + p
    return law


def law_of_mean(laws):
    """The law of the mean of independent cases."""
    total = {Fraction(0): Fraction(1)}
    for law in laws:
        added = {}
        for (a, p), (b, q) in product(total.items(), law.items()):
            added[a + b] = added.get(a + b, 0) + p * q
        total = added
    return {a / len(laws): p for a, p in total.items()}


def moments(law):
    mean = sum(v * p for v, p in law.items())
    return mean, sum((v - mean) ** 2 * p for v, p in law.items())


def quantile(law, q):
    """The least value that holds a probability of q below or at it."""
    total = Fraction(0)
    for v in sorted(law):
        total += law[v]
        if total >= q and law[v] > 0:
            return v
    return max(law)
