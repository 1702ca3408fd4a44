"""Means of a judge's scores, corrected by labels (PPI++): plain loops over a table in which None is no label."""


def corrected(judge, tuning, weight, other, stratum):
    """Table -> (value, influences); ``other`` are the weights of the cases with which the labelled ones are compared."""
    strata, n = sorted(set(stratum)), len(judge)

    def found(table):
        said = [[label for label in row if label is not None] for row in table]
        mean = [sum(row) / len(row) if row else None for row in said]
        theta, rest, elsewhere, own, others, size = {}, {}, {}, {}, {}, {}
        for h in strata:
            rows = [i for i in range(n) if stratum[i] == h]
            labelled = [i for i in rows if mean[i] is not None]
            own[h], others[h] = sum(weight[i] for i in labelled), sum(other[i] for i in rows)
            times = tuning if others[h] > 0 else 0.0
            rest[h] = sum(weight[i] * (mean[i] - times * judge[i]) for i in labelled) / own[h]
            elsewhere[h] = sum(other[i] * judge[i] for i in rows) / others[h] if others[h] > 0 else 0.0
            theta[h], size[h] = rest[h] + times * elsewhere[h], len(rows)
        value = sum(size[h] * theta[h] for h in strata) / n
        influence = []
        for i, h in enumerate(stratum):
            one = 0.0
            if mean[i] is not None:
                times = tuning if others[h] > 0 else 0.0
                one += weight[i] * (mean[i] - times * judge[i] - rest[h]) / own[h]
            if others[h] > 0:
                one += tuning * other[i] * (judge[i] - elsewhere[h]) / others[h]
            influence.append(one * size[h] / n + (theta[h] - value) / n)
        return value, influence

    return found


def tuned(mean, judge):
    """λ of PPI++ for labels of some cases (None: none), cut to [0, 1]: covariance by n, variance of all scores by n + N - 1."""
    labelled = [i for i, one in enumerate(mean) if one is not None]
    n, n_others = len(labelled), len(judge) - len(labelled)
    y, f = sum(mean[i] for i in labelled) / n, sum(judge[i] for i in labelled) / n
    covariance = sum((mean[i] - y) * (judge[i] - f) for i in labelled) / n
    centre = sum(judge) / len(judge)
    variance = sum((one - centre) ** 2 for one in judge) / (len(judge) - 1)
    return min(max(covariance / ((1 + n / n_others) * variance), 0.0), 1.0)
