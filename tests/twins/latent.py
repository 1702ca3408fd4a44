"""Latent classes by plain sums and integrals: rows, posteriors, two steps and pairs, as the papers write them."""

import math

from scipy.integrate import quad


def phi(x):
    return math.exp(-x * x / 2) / math.sqrt(2 * math.pi)


def cdf(x):
    return math.erfc(-x / math.sqrt(2)) / 2


def product(row, rates):
    """Of independent labels; -1 is absent."""
    return math.prod(1.0 if label < 0 else rate if label == 1 else 1 - rate for label, rate in zip(row, rates))


def given_class(form, row, probits, extra, c):
    """P(x | c): Qu, Tan & Kutner 1996, eq. 2, for loadings; Albert & Dodd 2004, section 2, for mixtures."""
    if form == "ind":
        return product(row, map(cdf, probits))
    if form in ("re1", "re1m"):
        loading = [extra[0]] * (len(row) - 1) + [extra[-1]]
        return quad(lambda z: phi(z) * product(row, [cdf(a + b * z) for a, b in zip(probits, loading)]), -12, 12, epsabs=1e-13, limit=200)[
            0
        ]
    share, right = 1 / (1 + math.exp(-extra[c])), float(c)
    rates = [cdf(a) for a in probits]
    sure = [right] * len(row) if form == "fm" else [right] * (len(row) - 1) + [rates[-1]]
    return share * product(row, sure) + (1 - share) * product(row, rates)


def joint(form, row, x, population=0, n_populations=1):
    """P(T = c, x) of both classes; x: logit prevalences, probits of class 0, of class 1, and the dependence."""
    t = len(row)
    prevalence = 1 / (1 + math.exp(-x[population]))
    rest = x[n_populations:]
    return [
        weight * given_class(form, row, rest[c * t : (c + 1) * t], rest[2 * t :], c)
        for c, weight in enumerate([1 - prevalence, prevalence])
    ]


def marginal(form, probits, extra, c, test):
    """P(a test is positive | c)."""
    absent = [-1] * len(probits)
    absent[test] = 1
    return given_class(form, absent, probits, extra, c)


def two_steps(pi, chosen):
    """A = (Π'Π)⁻¹ Π'Y of two classes by Cramer's rule; recalls and accuracy."""
    k = range(2)
    s = [[sum(p[i] * p[j] for p in pi) for j in k] for i in k]
    r = [[sum(p[i] * (c == j) for p, c in zip(pi, chosen)) for j in k] for i in k]
    det = s[0][0] * s[1][1] - s[0][1] * s[1][0]
    recalls = [(s[1][1] * r[0][0] - s[0][1] * r[1][0]) / det, (s[0][0] * r[1][1] - s[1][0] * r[0][1]) / det]
    return recalls, sum(sum(p[t] for p in pi) / len(pi) * recalls[t] for t in k)


def signed_auroc(w, scores):
    """Σ_ij a1_i a0_j (1[s_i > s_j] + ½ 1[equal]), pair by pair."""
    s11, s10, s00 = sum(v * v for v in w), sum(v * (1 - v) for v in w), sum((1 - v) ** 2 for v in w)
    det = s11 * s00 - s10 * s10
    a1 = [(s00 * v - s10 * (1 - v)) / det for v in w]
    a0 = [(s11 * (1 - v) - s10 * v) / det for v in w]
    return sum(p * q * ((s > t) + 0.5 * (s == t)) for p, s in zip(a1, scores) for q, t in zip(a0, scores))


def g_squared(counts, expected):
    """2 Σ O log(O / E) over rows that occur."""
    return 2 * sum(o * math.log(o / e) for o, e in zip(counts, expected) if o)


def auroc_bounds(groups, w, scores):
    """In each group (lists of cases) the Σ w positives have the lowest scores, then the highest; then the AUROC pair by pair."""
    found = []
    for sign in (1, -1):
        p = [0.0] * len(w)
        for members in groups:
            left = sum(w[i] for i in members)
            for i in sorted(members, key=lambda i: sign * scores[i]):
                p[i] = min(1.0, left)
                left -= p[i]
        pairs = [(i, j) for i in range(len(w)) for j in range(len(w)) if i != j]
        above = sum(p[i] * (1 - p[j]) * ((scores[i] > scores[j]) + 0.5 * (scores[i] == scores[j])) for i, j in pairs)
        found.append(above / sum(p[i] * (1 - p[j]) for i, j in pairs))
    return found
