"""Agreement among annotators class by class, and pair by pair."""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np

from ... import _notices
from ..._ragged import row_of
from ...annotations import Labels
from ...coefficients import cohen_kappa, fleiss_kappa, percent_agreement
from ._samples import Part, Samples, number
from .context import MOST_CELLS

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from .context import Context, Row

    Array = NDArray[np.float64]
    Ints = NDArray[np.int64]

HEADINGS = {
    "agreement_by_class": ("class", "agreement", "low", "high", "kappa", "kappa_low", "kappa_high", "prevalence", "n_cases"),
    "agreement_by_pair": ("annotator", "other", "agreement", "low", "high", "kappa", "kappa_low", "kappa_high", "n_cases"),
}
MOST_CLASSES = 30  # those given most often
MOST_ANNOTATORS = 15  # those with most cases
MOST_LABELS = 10_000_000  # of two annotators; each is looked at
LEAST_CASES = 2  # that two annotators share


def make(context: Context) -> tuple[dict[str, list[Row]], list[str]]:
    """Of labels of the judged cases; pairs only where annotators have names."""
    known = context.known
    notes: list[str] = []
    tables: dict[str, list[Row]] = {name: [] for name in HEADINGS}
    if not isinstance(known, Labels):
        return tables, []
    labels = _judged(known, context.rows)
    with _notices.heard():  # what is undefined is empty in the tables
        tables["agreement_by_class"] = _by_class(context, labels, notes)
        tables["agreement_by_pair"] = _by_pair(context, labels, notes)
    return tables, notes


def _judged(known: Labels, rows: Ints) -> tuple[Ints, Ints, Ints, Ints]:
    """``(case, annotator, label, count)`` of the judged cases, which are numbered anew."""
    place = np.full(known.n_cases, -1)
    place[rows] = np.arange(len(rows))
    case = place[row_of(known.offsets)]
    kept = case >= 0
    annotator = known.annotator if len(known.annotators) else np.full(len(known.label), -1)
    one, two, three, four = (np.asarray(column[kept], np.int64) for column in (case, annotator, known.label, known.count))
    return one, two, three, four


def _by_class(context: Context, labels: tuple[Ints, Ints, Ints, Ints], notes: list[str]) -> list[Row]:
    """How often another annotator of the case gives the class too (specific agreement), and kappa of the class against all others."""
    case, _, label, count = labels
    n, k = len(context.rows), context.known.n_classes
    size = np.bincount(case, count, n)
    given = np.bincount(label, count, k)
    chosen = np.argsort(-given, kind="stable")[: min(MOST_CLASSES, int((given > 0).sum()))]
    if not (size > 1).any() or n * len(chosen) > MOST_CELLS:
        return []
    if (given > 0).sum() > len(chosen):
        notes.append(f"Agreement by class is of the {len(chosen)} classes that were given most often.")
    place = np.full(k, len(chosen))
    place[chosen] = np.arange(len(chosen))
    counts = np.zeros((n, len(chosen) + 1))
    np.add.at(counts, (case, place[label]), count)
    several = (size > 1)[:, None]
    below = counts[:, :-1] * several
    above = below * (counts[:, :-1] - 1) / np.maximum(size - 1, 1)[:, None]
    part = Part(np.arange(n), above, below)
    (ends,) = Samples.of(context).intervals([part], notes, "agreement by class")
    rows = []
    for j, (value, (low, high)) in enumerate(zip(part.estimate(), ends)):
        own = np.stack([size - counts[:, j], counts[:, j]], 1).astype(np.int64)
        kappa = fleiss_kappa(Labels.from_counts(own))
        rows.append({
            "class": str(context.known.axes.classes[chosen[j]]), "agreement": number(value), "low": number(low), "high": number(high),
            **_kappa(kappa, context, np.arange(n)), "prevalence": float(given[chosen[j]] / given.sum()),
            "n_cases": int((below[:, j] > 0).sum()),
        })  # fmt: skip
    return rows


def _by_pair(context: Context, labels: tuple[Ints, Ints, Ints, Ints], notes: list[str]) -> list[Row]:
    """Percent agreement and Cohen's kappa of every two annotators on the cases that they share."""
    case, annotator, label, count = labels
    names = context.known.annotators
    if len(names) < 2 or not len(case):
        return []
    n_cases = np.bincount(np.unique(annotator * len(context.rows) + case) // len(context.rows), minlength=len(names))
    chosen = np.sort(np.argsort(-n_cases, kind="stable")[:MOST_ANNOTATORS])
    if (n_cases > 0).sum() > len(chosen):
        notes.append(f"Agreement by pair is of the {len(chosen)} annotators with most cases.")
    order = np.argsort(annotator, kind="stable")
    starts = np.searchsorted(annotator[order], np.arange(len(names) + 1))
    own = {a: order[starts[a] : starts[a + 1]] for a in chosen.tolist()}
    rows = []
    for a, b in combinations(own, 2):
        shared = np.intersect1d(case[own[a]], case[own[b]])
        if len(shared) < LEAST_CASES:
            continue
        at = np.concatenate([own[a], own[b]])
        at = at[np.isin(case[at], shared)]
        if count[at].sum(dtype=np.float64) > MOST_LABELS:
            notes.append(f"Agreement of {names[a]} and {names[b]} is left out: more than {MOST_LABELS:,} labels.")
            continue
        at = np.repeat(at, count[at])
        pair = Labels.from_long(case[at], annotator[at], label[at], classes=context.known.n_classes, cases=shared)
        agreement, kappa = percent_agreement(pair), cohen_kappa(pair)
        rows.append({
            "annotator": str(names[a]), "other": str(names[b]), "agreement": number(agreement.value),
            **_ends(agreement, context, shared, ("low", "high")), **_kappa(kappa, context, shared), "n_cases": len(shared),
        })  # fmt: skip
    return rows


def _kappa(kappa: Any, context: Context, cases: Ints) -> Row:
    value = None if kappa.reason is not None else number(kappa.value)
    return {"kappa": value, **_ends(kappa, context, cases, ("kappa_low", "kappa_high"))}


def _ends(found: Any, context: Context, cases: Ints, names: tuple[str, str]) -> Row:
    """Analytic interval: there are too many pairs to resample each; none where it is not defined."""
    clusters = None if context.clusters is None else np.asarray(context.clusters)[cases]
    ends = found.interval(context.options["level"], kind="analytic", clusters=clusters)
    return dict(zip(names, map(number, ends)))
