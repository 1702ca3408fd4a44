"""Conformal prediction one class, one case, one label at a time, from the formulas; scores as Python floats, p-values as fractions."""

from fractions import Fraction
from math import floor, inf

from twins import stream

SETS = 12  # UGT_PURPOSE_SETS
CALIBRATED, PREDICTED, SAMPLED, HELD_OUT = 0, 1, 2, 3


def tie_groups(p):
    """Classes by descending probability, tied ones together."""
    return [[k for k in range(len(p)) if p[k] == value] for value in sorted(set(p), reverse=True)]


def scores(p, score, randomized=True, penalty=0.01, k_reg=5, seed=0, key=0, chain=CALIBRATED):
    """Scores of the classes of one case."""
    if score == "lac":
        return [1 - x for x in p]
    u, groups = 1.0, tie_groups(p)
    if randomized:
        source = stream.Stream(seed, case_key=key, chain=chain, purpose=SETS)
        u = source.uniform()
        for group in groups:
            for i in range(len(group) - 1, 0, -1):  # Fisher-Yates from the end
                j = source.below(i + 1)
                group[i], group[j] = group[j], group[i]
    order = [k for group in groups for k in group]
    found = {}
    for place, k in enumerate(order, start=1):
        before = 0.0
        for other in order[: place - 1]:
            before += p[other]
        over = penalty * (place - k_reg) if score == "raps" and place > k_reg else 0.0
        total = 1.0  # random numbers make ties unlikely; without them, every last class has exactly 1
        if not randomized:
            total = 0.0
            for other in order:
                total += p[other]
        found[k] = (before + u * p[k]) / total + over
    if not randomized:
        found = {k: found[group[-1]] for group in groups for k in group}
    return [found[k] for k in range(len(p))]


def labels(plausibility, m, seed, key, chain=SAMPLED):
    """m labels of one case, by the inverse of the distribution function."""
    source = stream.Stream(seed, case_key=key, chain=chain, purpose=SETS)
    total = 0.0
    for value in plausibility:
        total += value
    found = []
    for _ in range(m):
        point, sum_, k = source.uniform() * total, 0.0, 0
        for k, value in enumerate(plausibility):  # noqa: B007
            sum_ += value
            if sum_ > point:
                break
        found.append(k)
    return found


def p_value(score, calibration, category=None):
    """Mean over samples j of (1 + #{i: s_ij >= s}) / (n_j + 1); calibration[i][j] = (score, category) of a sampled label."""
    total, m = Fraction(0), len(calibration[0])
    for j in range(m):
        mine = [row[j][0] for row in calibration if category is None or row[j][1] == category]
        total += Fraction(1 + sum(s >= score for s in mine), len(mine) + 1)
    return total / m


def corrected(score, calibration, held_out, category=None):
    """Rank of the p-value among those of held-out labels [(score, category)]."""
    own = p_value(score, calibration, category)
    others = [p_value(s, calibration, g) for s, g in held_out if category is None or g == category]
    return Fraction(1 + sum(p <= own for p in others), 1 + len(others))


def threshold(all_scores, n, m, alpha):
    """The published quantile of the n m pooled scores, counted from the largest; alpha as a fraction."""
    rank = floor(alpha * m * (n + 1)) - m + 1
    return inf if rank < 1 else sorted(all_scores, reverse=True)[rank - 1]
