"""Variance over cases and annotators, with annotators left out one by one: plain loops over a table in which None is no label."""

from math import log, sqrt

from .student import quantile

SCALES = {
    "identity": (lambda x: x, lambda x: 1.0),
    "log": (log, lambda x: 1 / x),
    "logit": (lambda x: log(x / (1 - x)), lambda x: 1 / (x * (1 - x))),
    "complement": (lambda x: log(1 - x), lambda x: -1 / (1 - x)),
}


def parts(table, value_and_influence, scale, cluster=None, least=1):
    """Only rows with at least ``least`` labels are units. ``(V_c, V_a, V_e, units, annotators, df of V_a)``;
    ``value_and_influence``: table -> (value, influences of its rows, None for a row that does not count)."""
    to, slope = SCALES[scale]
    n_annotators = len(table[0])
    value, influence = value_and_influence(table)
    counts = [i for i, one in enumerate(influence) if one is not None]
    cluster = list(range(len(table))) if cluster is None else cluster
    units = sorted({cluster[i] for i in counts})

    def by_unit(found, at):
        sums = [slope(at) * sum(found[i] or 0.0 for i in counts if cluster[i] == unit) for unit in units]
        return [one - sum(sums) / len(sums) for one in sums]

    psi = by_unit(influence, value)
    informative = [i for i in counts if sum(label is not None for label in table[i]) >= least]
    g = len({cluster[i] for i in informative})
    cases = g / (g - 1) * sum(one**2 for one in psi)
    given = [sum(table[i][j] is not None for i in informative) for j in range(n_annotators)]
    judges = [j for j in range(n_annotators) if given[j] >= 2]
    pseudo, pseudo_psi, times = [], [], []
    for j in judges:
        h = sum(given) / given[j]
        left, its = value_and_influence([[None if k == j else label for k, label in enumerate(row)] for row in table])
        pseudo.append(h * to(value) - (h - 1) * to(left))
        pseudo_psi.append([h * one - (h - 1) * other for one, other in zip(psi, by_unit(its, left))])
        times.append(h - 1)
    r = len(judges)
    mean = sum(pseudo) / r
    annotators = sum((one - mean) ** 2 / h for one, h in zip(pseudo, times)) / r
    both = 0.0
    of_unit = [sum(column) / r for column in zip(*pseudo_psi)]
    for row, h in zip(pseudo_psi, times):
        e = [one - other for one, other in zip(row, of_unit)]
        both += sum((one - sum(e) / len(e)) ** 2 for one in e) / h
    both *= g / (g - 1) / r
    # annotators differ alike whatever their share: the number varies by their variance times the sum of squares of the shares
    uneven = sum(1 / (h + 1) ** 2 for h in times) / ((1 - 1 / r) * sum(1 / h for h in times) / r)
    annotators += (uneven - 1) * max(annotators - both, 0)
    # W = P D P, with P centring and D the weights
    w = [[((i == k) - 1 / r) / times[k] for k in range(r)] for i in range(r)]
    pdp = [[sum(w[i][k] * ((k == j) - 1 / r) for k in range(r)) for j in range(r)] for i in range(r)]
    trace, square = sum(pdp[i][i] for i in range(r)), sum(pdp[i][j] * pdp[j][i] for i in range(r) for j in range(r))
    return cases, annotators, both, g, r, trace**2 / square


def half_width(cases, annotators, both, g, df_a, level):
    """Of the interval on the scale."""
    total = max(cases + annotators - both, cases, annotators)
    df = total**2 / (annotators**2 / df_a + cases**2 / (g - 1) + both**2 / ((g - 1) * df_a))
    q = 0.5 + level / 2
    own = max(annotators - both, 0)
    banerjee = quantile(df_a, q) ** 2 * own + quantile(g - 1, q) ** 2 * max(cases, annotators - own)
    return max(quantile(df, q) * sqrt(total), sqrt(banerjee), quantile(df_a, q) * sqrt(annotators)), df


def fleiss(table):
    """Fleiss' kappa of any annotators and its influences (INFERENCE of Gwet's kind: shares of all cases with a label)."""
    classes = sorted({label for row in table for label in row if label is not None})
    labels = [[label for label in row if label is not None] for row in table]
    n_any, n_two = sum(len(row) > 0 for row in labels), sum(len(row) > 1 for row in labels)
    share = [[row.count(k) / len(row) for k in classes] if row else None for row in labels]
    d = [
        1 - sum(row.count(k) * (row.count(k) - 1) for k in classes) / (len(row) * (len(row) - 1)) if len(row) > 1 else None
        for row in labels
    ]
    seen = sum(one for one in d if one is not None) / n_two
    p = [sum(one[k] for one in share if one) / n_any for k in range(len(classes))]
    chance = 1 - sum(one**2 for one in p)
    influence = []
    for one, row in zip(d, share):
        if row is None:
            influence.append(None)
            continue
        by_seen = 0.0 if one is None else (one - seen) / n_two
        by_chance = -2 * sum((a - b) * b for a, b in zip(row, p)) / n_any
        influence.append(-by_seen / chance + seen / chance**2 * by_chance)
    return 1 - seen / chance, influence


def next_annotator(chosen):
    """Agreement of the classes chosen by a model with one more annotator: table -> value, influences."""

    def found(table):
        hits = [[label == choice for label in row if label is not None] for row, choice in zip(table, chosen)]
        of_case = [sum(row) / len(row) if row else None for row in hits]
        n = sum(one is not None for one in of_case)
        mean = sum(one for one in of_case if one is not None) / n
        return mean, [None if one is None else (one - mean) / n for one in of_case]

    return found


def discrepancy(chosen):
    """Discrepancy ratio (0/1) of the classes chosen by a model: table -> value, influences."""

    def found(table):
        rows = []
        for row, choice in zip(table, chosen):
            said = [label for label in row if label is not None]
            if len(said) < 2:
                rows.append(None)
                continue
            apart = [a != b for i, a in enumerate(said) for b in said[:i]]
            rows.append((sum(label != choice for label in said) / len(said), sum(apart) / len(apart)))
        mu, alpha = (sum(one[k] for one in rows if one) for k in (0, 1))
        return mu / alpha, [None if one is None else (one[0] - mu / alpha * one[1]) / alpha for one in rows]

    return found
