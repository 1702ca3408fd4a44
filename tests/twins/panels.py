"""Intervals from panels of annotators in plain Python, retyped from the formulas: all panels listed, or given; no shared code."""

import itertools
import math
import statistics

from scipy.stats import norm, t


def listed(r):
    """All multisets of r annotators, as multiplicities, with their probabilities."""
    found = []
    for names in itertools.combinations_with_replacement(range(r), r):
        m = [names.count(j) for j in range(r)]
        found.append((m, math.factorial(r) / math.prod(map(math.factorial, m)) / r**r))
    return found


def counts_of(row, m, k):
    """Counts of k classes of a row of labels, one per annotator, None if missing."""
    found = [0] * k
    for j, label in enumerate(row):
        if label is not None:
            found[label] += m[j]
    return found


def ratio(table, k, value, m):
    """Σ value / Σ 1 over cases with a label, and the influence of each case; ``value(case, counts)``."""
    terms = []
    for i, row in enumerate(table):
        counts = counts_of(row, m, k)
        terms.append((value(i, counts), 1.0) if sum(counts) else (0.0, 0.0))
    n = sum(b for _, b in terms)
    if not n:
        return math.nan, None
    theta = sum(a for a, _ in terms) / n
    return theta, [(a - theta * b) / n for a, b in terms]


def auroc(table, scores, m):
    """The soft AUROC against shares of labels without pairs of a case with itself, and its influences by numerical weights."""
    shares = []
    for row in table:
        counts = counts_of(row, m, 2)
        shares.append(counts[1] / sum(counts) if sum(counts) else None)
    kept = [i for i, p in enumerate(shares) if p is not None]

    def value(w):
        above = sum(
            w[i] * w[j] * shares[i] * (1 - shares[j]) * (1.0 if scores[i] > scores[j] else 0.5 if scores[i] == scores[j] else 0.0)
            for i in kept for j in kept if i != j
        )  # fmt: skip
        p, q = sum(w[i] * shares[i] for i in kept), sum(w[i] * (1 - shares[i]) for i in kept)
        pairs = p * q
        own = sum(w[i] * (w[i] - 1) * shares[i] * (1 - shares[i]) * 0.5 for i in kept)  # copies of a case are pairs that tie
        return (above + own) / pairs if pairs > 0 else math.nan

    n, h = len(table), 1e-5

    def with_weight(case, weight):
        return value([weight if i == case else 1.0 for i in range(n)])

    slopes = [(with_weight(i, 1 + h) - with_weight(i, 1 - h)) / (2 * h) for i in range(n)]
    return value([1.0] * n), [slope if i in kept else 0.0 for i, slope in enumerate(slopes)]


def area(scores, shares, added=-0.5, taken_off=0.0):
    """The AUROC (U + c S) / (P N - d S) against shares, None if a case does not count, and the influence of each case."""
    kept = [i for i, p in enumerate(shares) if p is not None]
    positive, negative = sum(shares[i] for i in kept), sum(1 - shares[i] for i in kept)
    selves = {i: shares[i] * (1 - shares[i]) for i in kept}

    def order(i, j):
        return 1.0 if scores[i] > scores[j] else 0.5 if scores[i] == scores[j] else 0.0

    pairs = sum(order(i, j) * shares[i] * (1 - shares[j]) for i in kept for j in kept)
    below = positive * negative - taken_off * sum(selves.values())
    if not below > 0:
        return math.nan, None
    value, psi = (pairs + added * sum(selves.values())) / below, [0.0] * len(shares)
    for i in kept:
        p, q = shares[i], 1 - shares[i]
        own = sum(order(i, j) * p * (1 - shares[j]) + order(j, i) * shares[j] * q for j in kept)
        psi[i] = (own + added * selves[i] - value * (p * negative + q * positive - taken_off * selves[i])) / below
    return value, psi


def kappa_of(table, panels):
    """By how much numbers of panels vary less than those of new annotators."""
    r = len(table[0])

    def shares(m):
        found = [0.0] * r
        for row in table:
            total = sum(m[j] for j in range(r) if row[j] is not None)
            for j in range(r):
                if row[j] is not None and total:
                    found[j] += m[j] / total
        return found

    at_hand, drawn = shares([1] * r), [(shares(m), p) for m, p in panels]
    varied = 0.0
    for j in range(r):
        mean = sum(p * a[j] for a, p in drawn)
        varied += sum(p * (a[j] - mean) ** 2 for a, p in drawn)
    return sum(a**2 for a in at_hand) / varied


def added_up(psi, of):
    if of is None:
        return psi
    sums = {}
    for unit, x in zip(of, psi):
        sums[unit] = sums.get(unit, 0.0) + x
    return list(sums.values())


def spread(number, table, panels, of=None, to=lambda x: x, slope=lambda x: 1.0, kappa=None):
    """``number(m)``: the value and influences under a panel. Returns θ, V_c, V_a*, V_e*, the numbers of panels and their probabilities."""
    r = len(table[0])
    value, psi = number([1] * r)
    psi = [slope(value) * x for x in added_up(psi, of)]
    g = len(psi)
    cases = g / (g - 1) * sum((x - sum(psi) / g) ** 2 for x in psi)
    found = [(number(m), p) for m, p in panels]
    found = [(to(x), [slope(x) * one for one in added_up(influence, of)], p) for (x, influence), p in found if influence is not None]
    total = sum(p for *_, p in found)
    found = [(x, influence, p / total) for x, influence, p in found]
    mean = sum(p * x for x, _, p in found)
    kappa = kappa_of(table, panels) if kappa is None else kappa
    between = kappa * sum(p * (x - mean) ** 2 for x, _, p in found)
    both = 0.0
    for u in range(g):
        middle = sum(p * influence[u] for _, influence, p in found)
        both += sum(p * (influence[u] - middle) ** 2 for _, influence, p in found)
    both *= math.sqrt(kappa * r / (r - 1)) * g / (g - 1)
    return to(value), cases, between, both, kappa, [(x, p) for x, _, p in found], g


def quantile(values, q):
    total = 0.0
    for x, p in sorted(values):
        total += p
        if total >= q - 1e-12:
            return x
    return max(values)[0]


def by_quantiles(theta, cases, between, both, kappa, values, g, r, level=0.95, effective=None, of_cases=None):
    """Ends by quantiles of the numbers of panels, joined with those over cases; ``of_cases``: the score interval over cases."""
    q, effective = (1 + level) / 2, r if effective is None else effective
    tail = norm.cdf(-math.sqrt(r / (r - 1)) * t.ppf(q, effective - 1))
    share, k = (max(1 - both / between, 0.0) if between else 0.0), math.sqrt(kappa * (r - 1) / r)
    mean, c = sum(p * x for x, p in values), t.ppf(q, g - 1) * math.sqrt(cases)
    ends = of_cases or (theta, theta)
    below = max(max(mean, theta) - quantile(values, tail), 0.0) * k
    above = max(quantile(values, 1 - tail) - min(mean, theta), 0.0) * k
    return (
        theta - math.sqrt(share * below**2 + max(c, theta - ends[0]) ** 2),
        theta + math.sqrt(share * above**2 + max(c, ends[1] - theta) ** 2),
    )


def interval(theta, cases, between, both, kappa, values, g, r, level=0.95, effective=None, of_cases=None):
    """SQ: at each end the wider of Student's interval and that by quantiles of panels."""
    given, effective = effective, r if effective is None else effective
    q = (1 + level) / 2
    v = max(cases + between - both, cases, between)
    df = v**2 / (cases**2 / (g - 1) + between**2 / (effective - 1) + both**2 / ((g - 1) * (effective - 1))) if v else 1.0
    own = max(between - both, 0.0)
    of_annotators = t.ppf(q, effective - 1)
    banerjee = math.sqrt(of_annotators**2 * own + t.ppf(q, g - 1) ** 2 * max(cases, between - own))
    half = max(t.ppf(q, df) * math.sqrt(v), banerjee, of_annotators * math.sqrt(between))
    low, high = theta - half, theta + half
    if r > 2:
        below, above = by_quantiles(theta, cases, between, both, kappa, values, g, r, level, given, of_cases)
        low, high = min(low, below), max(high, above)
    return low, high


def of_pairs(row, m, distance, chosen):
    """Of a case under a panel: the mean distance of two different annotators, and of the model to one; None without two annotators."""
    known = [(label, m[j]) for j, label in enumerate(row) if label is not None and m[j]]
    if len(known) < 2:
        return None
    among = weight = 0.0
    for j, (one, times) in enumerate(known):
        for i, (other, again) in enumerate(known):
            if i != j:
                among += times * again * distance(one, other)
                weight += times * again
    model = sum(times * distance(chosen, label) for label, times in known) / sum(times for _, times in known)
    return among / weight, model


def quotient(terms):
    """Σ a / Σ b of terms (a, b), and the influence of each case."""
    total = sum(b for _, b in terms)
    if not total > 0:
        return math.nan, None
    theta = sum(a for a, _ in terms) / total
    return theta, [(a - theta * b) / total for a, b in terms]


def pair_number(table, distance, chosen, which):
    """The function of a panel that gives Δ, α, μ, or how much less the model differs from an annotator than annotators do (``less``)."""
    of = {"value": lambda a, m: (m, a), "alpha": lambda a, m: (a, 1.0), "mu": lambda a, m: (m, 1.0), "less": lambda a, m: (a - m, 1.0)}

    def number(m):
        found = [of_pairs(row, m, distance, chosen[i]) for i, row in enumerate(table)]
        return quotient([(0.0, 0.0) if one is None else of[which](*one) for one in found])

    return number


def leaving_out(number, r):
    """V_a by leaving out annotators of a complete table, for statistics that are linear in annotators."""
    left = [number([int(i != j) for i in range(r)])[0] for j in range(r)]
    return (r - 1) * statistics.pvariance(left)
