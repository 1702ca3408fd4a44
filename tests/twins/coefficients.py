"""Agreement coefficients as they are defined: by pairs of annotators, in plain Python.

Data is a list of cases, each a dictionary {annotator: [labels]}; labels are positions of classes, or numbers.
"""

import itertools
import math


def nominal(a, b):
    return float(a != b)


def weights_cost(weights, n_classes):
    """1 - w from the words or the table."""
    if weights is None:
        return nominal
    if isinstance(weights, str):
        if weights == "ordinal":  # Gwet: 1 - pairs of classes between the two / all pairs
            return lambda a, b: math.comb(abs(int(a) - int(b)) + 1, 2) / math.comb(n_classes, 2)
        power = {"linear": 1, "quadratic": 2}[weights]
        return lambda a, b: (abs(a - b) / (n_classes - 1)) ** power
    return lambda a, b: 1 - weights[a][b]


def between(labels, others, cost):
    """Mean over pairs of labels of two annotators."""
    return sum(cost(a, b) for a in labels for b in others) / (len(labels) * len(others))


def case_disagreement(case, cost):
    """Mean over pairs of different annotators; None if there are none."""
    pairs = [between(case[a], case[b], cost) for a, b in itertools.combinations(case, 2)]
    return sum(pairs) / len(pairs) if pairs else None


def observed(cases, cost):
    per_case = [d for d in (case_disagreement(case, cost) for case in cases) if d is not None]
    return sum(per_case) / len(per_case) if per_case else None


def case_shares(case, n_classes):
    """Mean over annotators of the shares of their labels."""
    return [sum(labels.count(k) / len(labels) for labels in case.values()) / len(case) for k in range(n_classes)]


def expected(p, q, cost):
    return sum(a * b * cost(k, j) for k, a in enumerate(p) for j, b in enumerate(q))


def kappa(d, e):
    return 1 - d / e if e > 1e-12 else math.nan


def percent(cases, n_classes, weights=None):
    return 1 - observed(cases, weights_cost(weights, n_classes))


def fleiss(cases, n_classes, weights=None):
    """With the mean shares of the classes over all cases with labels."""
    cost = weights_cost(weights, n_classes)
    shares = [case_shares(case, n_classes) for case in cases if case]
    pooled = [sum(column) / len(shares) for column in zip(*shares)]
    return kappa(observed(cases, cost), expected(pooled, pooled, cost))


def gwet(cases, n_classes, weights=None):
    cost = weights_cost(weights, n_classes)
    shares = [case_shares(case, n_classes) for case in cases if case]
    pooled = [sum(column) / len(shares) for column in zip(*shares)]
    total = sum(1 - cost(k, j) for k in range(n_classes) for j in range(n_classes))
    chance = total / (n_classes * (n_classes - 1)) * sum(p * (1 - p) for p in pooled)
    return kappa(observed(cases, cost), 1 - chance)


def two(cases, first, second, n_classes, weights=None, pooled=False):
    """Cohen's kappa or Scott's pi of two annotators."""
    cost = weights_cost(weights, n_classes)
    shared = [{first: case[first], second: case[second]} for case in cases if first in case and second in case]
    if not shared:
        return math.nan
    p, q = ([sum(case[a].count(k) / len(case[a]) for case in shared) / len(shared) for k in range(n_classes)] for a in (first, second))
    if pooled:
        p = q = [(a + b) / 2 for a, b in zip(p, q)]
    return kappa(observed(shared, cost), expected(p, q, cost))


def alpha(cases, level, values=None):
    """All judgements of cases with at least two; expected over all pairs of different ones. Values of classes, or labels are values."""
    counted = [case for case in cases if len(case) >= 2]
    judgements = [labels for case in counted for labels in case.values()]
    if not judgements:
        return math.nan
    number = (lambda x: values[x]) if values is not None else (lambda x: x)
    used = sorted({number(x) for labels in judgements for x in labels})
    times = {v: sum(sum(number(x) == v for x in labels) / len(labels) for labels in judgements) for v in used}

    def ordinal(a, b):
        low, high = sorted((a, b))
        return (sum(times[v] for v in used if low <= v <= high) - (times[a] + times[b]) / 2) ** 2 if a != b else 0.0

    cost = {
        "nominal": nominal,
        "ordinal": ordinal,
        "interval": lambda a, b: (a - b) ** 2,
        "ratio": lambda a, b: ((a - b) / (a + b)) ** 2 if a + b else 0.0,
    }[level]

    def delta(a, b):
        return cost(number(a), number(b))

    n = len(judgements)
    seen = sum(2 * between(case[a], case[b], delta) / (len(case) - 1) for case in counted for a, b in itertools.combinations(case, 2)) / n
    chance = sum(2 * between(x, y, delta) for x, y in itertools.combinations(judgements, 2)) / (n * (n - 1))
    return kappa(seen, chance)


def against_rest(cases, k):
    """Class k as 1, all others as 0."""
    return [{a: [int(x == k) for x in labels] for a, labels in case.items()} for case in cases]


def specific(cases, k):
    """How often another annotator chose class k, given that one did."""
    above = below = 0.0
    for case in cases:
        for a, b in itertools.permutations(case, 2):
            share = case[a].count(k) / len(case[a])
            above += share * case[b].count(k) / len(case[b]) / (len(case) - 1)
            below += share / (len(case) - 1)
    return above / below if below else math.nan


def icc(cases, kind):
    """By sums of squares; several ratings of one annotator are averaged."""
    rows = [{a: sum(x) / len(x) for a, x in case.items()} for case in cases if case]
    if kind.startswith("1"):
        sizes = [len(row) for row in rows]
        n, total = len(rows), sum(sizes)
        mean = sum(x for row in rows for x in row.values()) / total
        means = [sum(row.values()) / len(row) for row in rows]
        msr = sum(size * (m - mean) ** 2 for size, m in zip(sizes, means)) / (n - 1)
        msw = sum((x - m) ** 2 for row, m in zip(rows, means) for x in row.values()) / (total - n)
        k = (total - sum(size**2 for size in sizes) / total) / (n - 1)
        return (msr - msw) / (msr + (k - 1) * msw) if kind == "1" else (msr - msw) / msr
    annotators = sorted({a for row in rows for a in row})
    table = [[row[a] for a in annotators] for row in rows if len(row) == len(annotators)]
    n, k = len(table), len(annotators)
    mean = sum(map(sum, table)) / (n * k)
    row_means, column_means = [sum(row) / k for row in table], [sum(column) / n for column in zip(*table)]
    msr = k * sum((m - mean) ** 2 for m in row_means) / (n - 1)
    msc = n * sum((m - mean) ** 2 for m in column_means) / (k - 1)
    rest = sum((table[i][j] - row_means[i] - column_means[j] + mean) ** 2 for i in range(n) for j in range(k))
    mse = rest / ((n - 1) * (k - 1))
    return {
        "A,1": (msr - mse) / (msr + (k - 1) * mse + k / n * (msc - mse)),
        "A,k": (msr - mse) / (msr + (msc - mse) / n),
        "C,1": (msr - mse) / (msr + (k - 1) * mse),
        "C,k": (msr - mse) / msr,
    }[kind]


def strictness(cases, annotator):
    """``(mean, standard error, n, spread, spread of the others)``: own mean number less that of the others, case by case."""
    own, others, deviations = [], [], []
    for case in cases:
        numbers = {a: sum(xs) / len(xs) for a, xs in case.items()}
        rest = [x for a, x in numbers.items() if a != annotator]
        if annotator in numbers and rest:
            own.append(numbers[annotator])
            others.append(rest)
            deviations.append(numbers[annotator] - sum(rest) / len(rest))
    n = len(deviations)
    if n < 2:
        return (deviations[0] if n else math.nan, math.nan, n, math.nan, math.nan)
    mean = sum(deviations) / n
    error = math.sqrt(sum((d - mean) ** 2 for d in deviations) / (n - 1) / n)
    spread = math.sqrt(sum((x - sum(own) / n) ** 2 for x in own) / (n - 1))
    centre = sum(sum(rest) / len(rest) for rest in others) / n
    about = sum(sum((x - centre) ** 2 for x in rest) / len(rest) for rest in others)
    return mean, error, n, spread, math.sqrt(about / (n - 1))
