"""Soft AUROC and average precision from pairs, groups and orders of cases, one at a time [D eq. 1-5].

Nothing is sorted for the AUROC. Sums only add, multiply and divide, so that numbers of any kind do: with a weight of w + ih the
imaginary part over h is the derivative by that weight, to the last digits.
"""

from itertools import permutations, product
from math import sqrt

NAN = float("nan")
SELF = {"exclude": -0.5, "half": 0.0, "include": 0.5}
STEP = 1e-30


def in_order(a, b):
    """A pair of scores: the positive's and the negative's."""
    return 0.5 if a == b else float(a > b)


def ones(scores):
    return [1.0] * len(scores)


def masses(scores, weights, times):
    """Weight of each case, and what all its copies weigh together."""
    each = weights or ones(scores)
    return each, [a * b for a, b in zip(each, times or ones(scores))]


# ---- AUROC
def auroc(p, scores, weights=None, self_pairs="exclude", q=None, times=None):
    """Eq. 4 over all pairs; q (default 1 - p): how much of each case is negative; times: how many copies of each there are."""
    each, w = masses(scores, weights, times)
    q = [1 - x for x in p] if q is None else q
    cases = range(len(scores))
    positives, negatives = sum(w[i] * p[i] for i in cases), sum(w[i] * q[i] for i in cases)
    if positives == 0 or negatives == 0:
        return NAN
    pairs = sum(w[i] * p[i] * w[j] * q[j] * in_order(scores[i], scores[j]) for i in cases for j in cases)
    own = sum(w[i] * each[i] * p[i] * q[i] for i in cases)
    if self_pairs == "unbiased":
        every = positives * negatives
        return (pairs - own / 2) / (every - own) if (every - own).real > 1e-12 * every.real else NAN
    return (pairs + SELF[self_pairs] * own) / (positives * negatives)


def hard(p, threshold=0.5):
    return [float(x > threshold) for x in p]


def ovr(metric, table, scores, weights=None, average="macro", times=None):
    """``(value, one of each column)``; columns without a value do not count."""
    columns = list(zip(*table))
    values = [metric(p, s, weights, times=times) for p, s in zip(columns, zip(*scores))]
    _, w = masses(scores, weights, times)
    mass = [sum(a * b for a, b in zip(w, p)) if average == "weighted" else 1.0 for p in columns]
    return mean(values, mass), values


def ovo(table, scores, weights=None, average="macro", self_pairs="exclude", times=None):
    """Hand & Till (2001), eq. 3 and 7: pairs of classes, each by the scores of both."""
    (_, w), n_classes = masses(scores, weights, times), len(table[0])
    p, s = list(zip(*table)), list(zip(*scores))
    values, mass = [], []
    for a in range(n_classes):
        for b in range(a + 1, n_classes):
            both = [auroc(p[x], s[x], weights, self_pairs, p[y], times) for x, y in ((a, b), (b, a))]
            values.append(sum(both) / 2)
            mass.append(sum(w[i] * (p[a][i] + p[b][i]) for i in range(len(w))) if average == "weighted" else 1.0)
    return mean(values, mass)


def mean(values, mass):
    defined = [(v, m) for v, m in zip(values, mass) if v == v]
    total = sum(m for _, m in defined)
    return sum(v * m for v, m in defined) / total if total != 0 else NAN


# ---- average precision
def groups(scores):
    """Cases of the same score, highest first."""
    return [[i for i, s in enumerate(scores) if s == score] for score in sorted(set(scores), reverse=True)]


def average_precision(p, scores, weights=None, self_term="certain", times=None):
    """Eq. 5, precision at the end of each tie group."""
    each, w = masses(scores, weights, times)
    total = sum(w[i] * p[i] for i in range(len(p)))
    if total == 0:
        return NAN
    positives = n = found = 0.0
    for group in groups(scores):
        positives += sum(w[i] * p[i] for i in group)
        n += sum(w[i] for i in group)
        for i in group:
            if w[i] != 0:
                found += w[i] * p[i] * (positives + (each[i] * (1 - p[i]) if self_term == "certain" else 0.0)) / n
    return found / total


def copied(p, scores, weights):
    """Whole weights as copies."""
    return [x for x, w in zip(p, weights) for _ in range(w)], [s for s, w in zip(scores, weights) for _ in range(w)]


def precision_of_order(p, self_term):
    """Sum over the cases in this order of what eq. 5 has under its sum."""
    found = before = 0.0
    for i, x in enumerate(p, start=1):
        found += x * ((1.0 if self_term == "certain" else x) + before) / i
        before += x
    return found


def average_precision_of_orders(p, scores, weights=None, self_term="certain"):
    """Mean over all orders of tied cases, every one of them written out."""
    if weights is not None:
        p, scores = copied(p, scores, weights)
    if sum(p) == 0:
        return NAN
    orders = [sum(order, ()) for order in product(*(list(permutations(group)) for group in groups(scores)))]
    return sum(precision_of_order([p[i] for i in order], self_term) for order in orders) / len(orders) / sum(p)


def average_precision_expected(p, scores, weights=None, self_term="certain"):
    """The same place by place: each member of a group of m stands there equally often, each other one before it in
    (place - 1) / (m - 1) of that."""
    if weights is not None:
        p, scores = copied(p, scores, weights)
    if sum(p) == 0:
        return NAN
    found = before = 0.0
    n = 0
    for group in groups(scores):
        m, mass = len(group), sum(p[i] for i in group)
        for place in range(1, m + 1):
            for i in group:
                others = (mass - p[i]) * (place - 1) / (m - 1) if m > 1 else 0.0
                found += p[i] * ((1.0 if self_term == "certain" else p[i]) + before + others) / (n + place) / m
        before += mass
        n += m
    return found / sum(p)


# ---- curves
def roc_points(p, scores, weights=None):
    """Eq. 2: false and true positive rates down to each score, and the scores, from (0, 0) at infinity."""
    w = weights or ones(scores)
    positives, negatives = sum(a * b for a, b in zip(w, p)), sum(a * (1 - b) for a, b in zip(w, p))
    points = [(0.0, 0.0, float("inf"))]
    for score in sorted(set(scores), reverse=True):
        above = [i for i, s in enumerate(scores) if s >= score]
        points.append((sum(w[i] * (1 - p[i]) for i in above) / negatives, sum(w[i] * p[i] for i in above) / positives, score))
    return [list(column) for column in zip(*points)]


def precision_recall_points(p, scores, weights=None):
    """Eq. 3: precision and recall from each score upwards, and the scores, lowest first; a last point has no score."""
    w = weights or ones(scores)
    positives, points = sum(a * b for a, b in zip(w, p)), []
    for score in sorted(set(scores)):
        above = [i for i, s in enumerate(scores) if s >= score]
        found = sum(w[i] * p[i] for i in above)
        points.append((found / sum(w[i] for i in above), found / positives, score))
    precision, recall, thresholds = (list(column) for column in zip(*points))
    return [*precision, 1.0], [*recall, 0.0], thresholds


def trapezoids(x, y):
    return sum((b - a) * (c + d) / 2 for a, b, c, d in zip(x, x[1:], y, y[1:]))


def steps(precision, recall):
    """Recall descends."""
    return sum((a - b) * c for a, b, c in zip(recall, recall[1:], precision))


# ---- errors
def influence(statistic, weights):
    """Derivative by how many times each case is there: of statistic(weights) by each weight, times that weight."""
    found = []
    for i, w in enumerate(weights):
        moved = list(weights)
        moved[i] = w * complex(1, STEP)
        found.append(complex(statistic(moved)).imag / STEP)
    return found


def clustered_error(influences, clusters=None):
    """Infinitesimal jackknife over clusters; Efron & Tibshirani (1993), eq. 21.11, times n / (n - 1)."""
    names = list(range(len(influences))) if clusters is None else list(clusters)
    sums = [sum(x for x, name in zip(influences, names) if name == here) for here in dict.fromkeys(names)]
    return sqrt(sum(x * x for x in sums) * len(sums) / (len(sums) - 1)) if len(sums) > 1 else NAN


def delong(labels, scores):
    """DeLong et al. (1988), eq. 3-6, of one AUROC against labels 0 and 1."""
    x = [s for s, y in zip(scores, labels) if y]
    y = [s for s, label in zip(scores, labels) if not label]
    v10 = [sum(in_order(a, b) for b in y) / len(y) for a in x]
    v01 = [sum(in_order(a, b) for a in x) / len(x) for b in y]
    area = sum(v10) / len(x)
    if len(x) < 2 or len(y) < 2:
        return NAN
    s10, s01 = (sum((v - area) ** 2 for v in part) / (len(part) - 1) for part in (v10, v01))
    return sqrt(s10 / len(x) + s01 / len(y))


def soft_delong(p, scores, self_pairs="exclude", q=None):
    """The same where a case is a positive with p and a negative with q (default 1 - p), half of its pair with itself on either
    side: a case is in both samples, which adds a covariance; n is how many equal weights would add up to as much variance."""
    q = [1 - x for x in p] if q is None else q
    cases = range(len(p))
    u, v = list(p), list(q)
    positives, negatives = sum(u), sum(v)
    area = auroc(p, scores, None, self_pairs, q)
    pairs, added = positives * negatives, SELF.get(self_pairs, area - 0.5)
    own = [added * p[i] * q[i] / pairs / 2 for i in cases]
    more = pairs / (pairs - sum(p[i] * q[i] for i in cases)) if self_pairs == "unbiased" else 1.0
    v10 = [sum(v[j] * in_order(scores[i], scores[j]) for j in cases) / negatives for i in cases]
    v01 = [sum(u[j] * in_order(scores[j], scores[i]) for j in cases) / positives for i in cases]
    a = [more * (u[i] * (v10[i] - area) / positives + own[i]) for i in cases]
    b = [more * (v[i] * (v01[i] - area) / negatives + own[i]) for i in cases]
    variance = 2 * sum(a[i] * b[i] for i in cases)
    for part, mass in ((a, u), (b, v)):
        n = sum(mass) ** 2 / sum(x * x for x in mass)
        if n <= 1 + 1e-12:
            return NAN
        variance += sum(x * x for x in part) * n / (n - 1)
    return sqrt(variance)


# ---- groups
def totals(p, scores, threshold=0.5):
    """Of each group of tied cases, highest scores first: sums of p, 1 - p, p (1 - p), and hard positives and negatives."""
    rows = [
        [(p[i], 1 - p[i], p[i] * (1 - p[i]), float(p[i] > threshold), float(p[i] <= threshold)) for i in group] for group in groups(scores)
    ]
    return [[sum(column) for column in zip(*group)] for group in rows]


def r_squared(hard, soft):
    """Squared Pearson correlation, one model after another."""
    h, s = sum(hard) / len(hard), sum(soft) / len(soft)
    both = sum((a - h) * (b - s) for a, b in zip(hard, soft))
    return both**2 / (sum((a - h) ** 2 for a in hard) * sum((b - s) ** 2 for b in soft))


def ranks(values):
    """1 is the highest; equal values share the least."""
    return [1 + sum(other > value for other in values) for value in values]
