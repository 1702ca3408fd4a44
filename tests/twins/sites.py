"""A mean over cases for other readers and cases of the same sites, retyped from the formula: two-way parts of each site's own figure."""

import math

from scipy.stats import t


def parts_of(table):
    """Figure and V_c, V_a, V_e of a site from a table with one row per case, one column per reader."""
    n, r = len(table), len(table[0])
    figure = sum(map(sum, table)) / (n * r)
    of_case = [sum(row) / r - figure for row in table]
    of_reader = [sum(row[j] for row in table) / n - figure for j in range(r)]
    noise = sum((table[i][j] - figure - of_case[i] - of_reader[j]) ** 2 for i in range(n) for j in range(r))
    cases, readers = sum(x * x for x in of_case) / (n * (n - 1)), sum(x * x for x in of_reader) / (r * (r - 1))
    return figure, cases, readers, noise / ((n - 1) * (r - 1) * n * r)


def parts_without(table):
    """The same if labels are missing (None): leaving out one reader at a time, who gave the share 1 / h of the labels of the site."""

    def figure_of(readers):
        rows = [[row[j] for j in readers if row[j] is not None] for row in table]
        means = [sum(row) / len(row) if row else None for row in rows]
        known = [x for x in means if x is not None]
        figure = sum(known) / len(known)
        return figure, [0.0 if x is None else (x - figure) / len(known) for x in means]

    n, readers = len(table), range(len(table[0]))
    r, given = len(readers), [sum(row[j] is not None for row in table) for j in readers]
    figure, influence = figure_of(readers)
    h = [sum(given) / x for x in given]
    without = [figure_of([k for k in readers if k != j]) for j in readers]
    pseudo = [h[j] * figure - (h[j] - 1) * without[j][0] for j in readers]
    between = sum((x - sum(pseudo) / r) ** 2 / (h[j] - 1) for j, x in enumerate(pseudo)) / r
    of_label = [[h[j] * influence[i] - (h[j] - 1) * without[j][1][i] for j in readers] for i in range(n)]
    of_label = [[x - sum(row) / r for x in row] for row in of_label]
    noise = n / (n - 1) * sum(row[j] ** 2 / (h[j] - 1) for row in of_label for j in readers) / r
    times = r * sum(1 / x**2 for x in h) / ((1 - 1 / r) * sum(1 / (x - 1) for x in h))
    return figure, n / (n - 1) * sum(x * x for x in influence), between + (times - 1) * max(between - noise, 0.0), noise


def these_sites(sites, level=0.95):
    """Value, (V_c, V_a, V_e), degrees of freedom and half-width from the figure, parts, cases and readers of each site."""
    whole = sum(n for *_, n, _ in sites)
    a = [n / whole for *_, n, _ in sites]
    value = sum(w * site[0] for w, site in zip(a, sites))
    cases, readers, noise = ([w * w * site[k] for w, site in zip(a, sites)] for k in (1, 2, 3))
    own = [max(x - e, 0.0) for x, e in zip(readers, noise)]
    c, r = [n - 1 for *_, n, _ in sites], [r - 1 for *_, r in sites]
    total = max(sum(cases) + sum(readers) - sum(noise), sum(cases), sum(readers))
    terms = sum(x * x / m for x, m in zip(cases, c)) + sum(x * x / m for x, m in zip(readers, r))
    df = total**2 / (terms + sum(x * x / (m * k) for x, m, k in zip(noise, c, r)))

    def quantile(parts, degrees):
        terms = sum(x * x / m for x, m in zip(parts, degrees))
        return t.ppf(0.5 + level / 2, sum(parts) ** 2 / terms if terms else sum(degrees))

    banerjee = quantile(own, r) ** 2 * sum(own) + quantile(cases, c) ** 2 * max(sum(cases), sum(readers) - sum(own))
    of_readers = quantile(readers, r) * math.sqrt(sum(readers))
    half = max(t.ppf(0.5 + level / 2, df) * math.sqrt(total), math.sqrt(banerjee), of_readers)
    return value, (sum(cases), sum(readers), sum(noise)), df, half
