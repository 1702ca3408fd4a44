"""Ten million long rows into Labels and Rankings, beside numpy.unique on the same case column."""

from __future__ import annotations

import numpy as np
from common import Bench, Target, Work, grid

from ugt.annotations import Labels, Rankings

bench = Bench(__file__)
KINDS = ("int64 arrays", "text arrays", "lists of str", "object arrays")


def columns(n_rows, kind):
    """Five labels a case, a thousand annotators, 400 classes, in any order, by kind of column."""
    rng = np.random.default_rng(0)
    case, place = np.divmod(rng.permutation(n_rows), 5)
    numbers = case, (37 * case + 211 * place) % 1000, rng.integers(0, 400, n_rows)
    if kind == "int64 arrays":
        return numbers
    named = zip(("case-", "annotator-", "class-"), numbers)
    text = [np.char.add(prefix, np.arange(codes.max() + 1).astype(np.str_))[codes] for prefix, codes in named]
    as_kind = {
        "text arrays": lambda column: column,
        "lists of str": np.ndarray.tolist,
        "object arrays": lambda column: column.astype(object),
    }
    return [as_kind[kind](column) for column in text]


@bench.job(
    grid(rows=(100_000, 1_000_000), kind=KINDS[:1]) + grid(rows=(10_000_000,), kind=KINDS),
    {"rows": 1000},
    [Target("1.4", "s", at_most=60, rows=10_000_000, kind=kind) for kind in KINDS],
)
def labels_from_long(rows, kind):
    """Labels.from_long"""
    case, annotator, label = columns(rows, kind)
    return Work(
        lambda: Labels.from_long(case, annotator, label), {"numpy.unique": lambda: np.unique(np.asarray(case), return_inverse=True)}
    )


@bench.job(grid(rows=(1_000_000, 10_000_000)), {"rows": 1000}, [Target("1.4", "s", at_most=60, rows=10_000_000)])
def rankings_from_long(rows):
    """Rankings.from_long, ten classes a ranking, none of them twice"""
    row = np.arange(rows)
    given = row // 50, row // 10 % 5, row % 10 * 7
    return Work(
        lambda: Rankings.from_long(*given, rank=1 + row % 10 // 2), {"numpy.unique": lambda: np.unique(given[0], return_inverse=True)}
    )


if __name__ == "__main__":
    bench.main()
