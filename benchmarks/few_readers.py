"""Reader studies with few readers, or few positive cases: two tables of docs/intervals-checked.md, in some five minutes.

Ratings are those of Roe & Metz' model. Readers differ as in it, or three times as much. Studies are analysed in arrays of many of them, by
the published formulas and by those of ugt, which differ for split-plot studies and for a model against readers.
"""

from __future__ import annotations

import math
import sys

import numpy as np
from scipy.stats import norm, t

from ugt.resampling.spread import half_width_of

SETS, TOGETHER = 1000, 50
VARIANCES = {"reader": 0.0055, "test_reader": 0.0055, "case": 0.3, "test_case": 0.3, "reader_case": 0.2, "error": 0.2}
S = {name: math.sqrt(value) for name, value in VARIANCES.items()}
OF_READERS = VARIANCES["reader"] + VARIANCES["test_reader"]
OF_CASES = sum(VARIANCES.values()) - OF_READERS
WORSE = 0.25  # by how much the positive cases of a worse model are nearer
SIZES = ((8, 112), (20, 180), (25, 25), (60, 60), (150, 150))


def drawn(rng, b, n_tests, n_readers, n_positive, n_negative, distance, times, alone=False):
    """(b, T, R, N) ratings, positives first; ``alone``: the last reader is a model without effects of readers, as good as their mean."""
    truth = np.repeat([1, 0], [n_positive, n_negative])
    reader = S["reader"] * rng.normal(size=(b, 1, n_readers, 2)) + S["test_reader"] * rng.normal(size=(b, n_tests, n_readers, 2))
    reader, far = times * reader, np.full((n_readers, 1), distance)
    if alone:
        reader[:, :, -1], far[-1] = 0, distance * math.sqrt(OF_CASES / (OF_CASES + times**2 * OF_READERS))
    n = len(truth)
    case = S["case"] * rng.normal(size=(b, 1, 1, n)) + S["test_case"] * rng.normal(size=(b, n_tests, 1, n))
    both = S["reader_case"] * rng.normal(size=(b, 1, n_readers, n)) + S["error"] * rng.normal(size=(b, n_tests, n_readers, n))
    return far * truth + reader[..., truth] + case + both


def area(distance, times=0.0):
    return norm.cdf(distance / math.sqrt(2 * (OF_CASES + times**2 * OF_READERS)))


def delong(x, n):
    """Areas (b, G) and their covariances (b, G, G) of ratings (b, G, N), the first n positive."""
    above = x[..., :n, None] > x[..., None, n:]
    value = above.mean(axis=(-1, -2))
    rows, columns = above.mean(axis=-1) - value[..., None], above.mean(axis=-2) - value[..., None]
    m = columns.shape[-1]
    return value, rows @ rows.swapaxes(-1, -2) / (n * (n - 1)) + columns @ columns.swapaxes(-1, -2) / (m * (m - 1))


def means(table):
    """The mean variance and covariance (b,) of tables (b, R, R)."""
    r = table.shape[-1]
    one = np.trace(table, axis1=1, axis2=2) / r
    return one, (table.sum(axis=(1, 2)) - r * one) / (r * (r - 1))


def published(square, shared, r, df, q):
    """The half-width of Obuchowski & Rockette's and Hillis' analysis of a mean of r readers."""
    total = square + r * np.maximum(shared, 0)
    with np.errstate(divide="ignore", invalid="ignore"):
        return t.ppf(q, total**2 / (square**2 / df)) * np.sqrt(total / r)


def in_logits(value, half, truth):
    """Whether an interval on the scale of logits holds the truth."""
    with np.errstate(divide="ignore", invalid="ignore"):
        away = np.abs(np.log(value / (1 - value)) - math.log(truth / (1 - truth)))
        return np.where((value > 0) & (value < 1), away <= half / (value * (1 - value)), False)


def split_plot(rng, r, n, m, distance, times):
    """Shares of studies whose interval of the difference, and of one test, holds the truth: published, of ugt; each (2,)."""
    found = np.zeros((2, 2))
    for _ in range(SETS // TOGETHER):
        x = drawn(rng, TOGETHER, 2, 2 * r, n, m, distance, times)
        value, table = delong(np.concatenate([x[:, 0, :r], x[:, 1, r:]], axis=1), n)
        y, parts = value.reshape(-1, 2, r), [means(table[:, at, at]) for at in (slice(r), slice(r, None))]
        error, two = (np.mean(one, axis=0) for one in zip(*parts))
        three = table[:, :r, r:].mean(axis=(1, 2))
        square, own = y.var(axis=2, ddof=1).mean(axis=1), 2 / r * np.maximum(error - two, 0)
        ours = half_width_of(own + 2 * np.maximum(two - three, 0), 2 / r * square, own, min(n, m), 2 * r - 1, 0.975)
        theirs = math.sqrt(2) * published(square, two - three, r, 2 * r - 2, 0.975)
        far = np.abs(y[:, 0].mean(axis=1) - y[:, 1].mean(axis=1))
        found[0] += [(far <= half).sum() for half in (theirs, ours)]
        error, two = parts[0]
        square, own = y[:, 0].var(axis=1, ddof=1), np.maximum(error - two, 0) / r
        ours = half_width_of(own + np.maximum(two, 0), square / r, own, min(n, m), r, 0.975)
        halves = published(square, two, r, r - 1, 0.975), ours
        found[1] += [in_logits(y[:, 0].mean(axis=1), half, area(distance, times)).sum() for half in halves]
    return found / SETS


def against(rng, r, n, m, distance, times):
    """Shares of studies that find a model like the readers different, and call a model at the margin not inferior: published, of ugt."""
    found, contrast = np.zeros((2, 2)), np.append(np.full(r, -1 / r), 1.0)
    own_distance = distance * math.sqrt(OF_CASES / (OF_CASES + times**2 * OF_READERS))
    margin = area(distance, times) - area(own_distance - WORSE)
    for _ in range(SETS // TOGETHER):
        x = drawn(rng, TOGETHER, 1, r + 1, n, m, distance, times, alone=True)[:, 0]
        worse = x.copy()
        worse[:, -1, :n] -= WORSE
        for k, (given, q) in enumerate(((x, 0.975), (worse, 0.95))):
            value, table = delong(given, n)
            error, two = means(table[:, :-1, :-1])
            difference, square = value @ contrast, value[:, :-1].var(axis=1, ddof=1)
            shared = two - 2 * table[:, -1, :-1].mean(axis=1) + table[:, -1, -1]
            over_cases = np.einsum("g,bgh,h->b", contrast, table, contrast)
            ours = half_width_of(over_cases, square / r, np.maximum(error - two, 0) / r, min(n, m), r, q)
            halves = published(square, shared, r, r - 1, q), ours
            found[k] += [(np.abs(difference) > half).sum() if k == 0 else (difference - half > -margin).sum() for half in halves]
    return found / SETS


def shown(study, readers, low, high):
    """Print a table: a row per size, a column per number of readers; the range over two areas and two spreads of readers."""
    for n, m in SIZES:
        cells = []
        for r in readers:
            found = []  # world, number, way
            for distance in (0.75, 1.5):
                rng = np.random.default_rng([r, n, m, round(100 * distance)])
                found += [study(rng, r, n, m, distance, times) for times in (1.0, 3.0)]
            worlds = np.array(found)
            cells.append("; ".join(" → ".join(_range(worlds[:, k, way], low, high) for way in (0, 1)) for k in (0, 1)))
        print(f"| {n} + {m} | {' | '.join(cells)} |", flush=True)


def _range(shares, low, high):
    """The least and the largest share, each bold if it is outside of the limits."""
    return "–".join(f"{one:.2f}" if low <= one <= high else f"**{one:.2f}**" for one in (shares.min(), shares.max()))


if __name__ == "__main__":
    if "--against" in sys.argv:
        shown(against, (2, 3, 4, 5, 10), 0.0, 0.07)
    else:
        shown(split_plot, (2, 3, 5), 0.93, 0.97)
