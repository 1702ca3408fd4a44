"""Who annotated what: annotators, cases that two of them share, annotations per case, use of the classes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ..._base.arrays import Array, Int64, NDArray
from ..._base.ragged import row_of
from ...annotations import Labels, Rankings
from .. import svg
from ..context import most, pairs
from ..markup import UNDEFINED, Data, Entry, Section, bullets, number, plain, section, share, table, text
from ..tables import finite

if TYPE_CHECKING:
    from ..context import Context, Rows
    from ..tables import Row

TITLE = "Who annotated what"
TABLES = {
    "annotators": ("annotator", "n_cases", "n_annotations", "n_classes_used", "agreement"),
    "annotator_overlap": ("annotator", "other", "n_common"),
    "case_sizes": ("n_annotations", "n_cases"),
    "classes": ("class", "n_annotations", "share", "n_cases", "unused"),
}
MOST_OVERLAP = 30  # annotators that are set against each other: those with most cases
MOST_CLASSES = 10_000
CHUNK = 1 << 16  # cases
MOST_ROWS, MOST_PAIRS, MOST_NAMED = 20, 12, 30  # that are shown: rows, pairs, unused classes by name
MOST_BARS = 24


class Uses(NamedTuple):
    """A row for every class that an annotation names: a label, or each class of a ranking."""

    case: Int64
    annotator: Int64  # -1 where it is not known
    label: Int64
    times: Int64


def make(context: Context, notes: list[str]) -> Rows:
    """The tables, over all cases, judged or not; without rows where nothing is known of annotations."""
    known = context.known.annotations
    if known is None:
        return {}
    uses = uses_of(known)
    tables = {"case_sizes": _sizes_of(context.known.n_annotations), "classes": _classes_of(known, uses, notes)}
    if len(known.annotators):
        case, annotator = annotations_of(known)
        at, _ = pairs(case, annotator)  # once for each annotator of a case, ordered by case
        tables["annotators"] = _annotators_of(known, uses, annotator[at])
        tables["annotator_overlap"] = _overlap_of(known.annotators, case[at], annotator[at], notes)
    return tables


def annotations_of(known: Labels | Rankings) -> tuple[Int64, Int64]:
    """``(case, annotator)`` of every annotation."""
    offsets = known.offsets if isinstance(known, Labels) else known.case_offsets
    return row_of(offsets), known.annotator.astype(np.int64)


def uses_of(known: Labels | Rankings) -> Uses:
    case, annotator = annotations_of(known)
    if isinstance(known, Labels):
        return Uses(case, annotator, known.label.astype(np.int64), known.count)
    ranking = row_of(known.ranking_offsets)[row_of(known.block_offsets)]
    return Uses(case[ranking], annotator[ranking], known.items.astype(np.int64), np.ones(len(ranking), np.int64))


def _annotators_of(known: Labels | Rankings, uses: Uses, annotator_of_case: Int64) -> list[Row]:
    n = len(known.annotators)
    n_cases = np.bincount(annotator_of_case, minlength=n)
    n_annotations = np.bincount(known.annotator, known.count if isinstance(known, Labels) else None, n)
    used = np.bincount(uses.annotator[pairs(uses.annotator, uses.label)[0]], minlength=n)
    agreement = _agreement(uses, n, known.n_cases) if isinstance(known, Labels) else np.full(n, np.nan)
    return [
        {"annotator": str(name), "n_cases": int(cases), "n_annotations": int(given), "n_classes_used": int(k), "agreement": finite(value)}
        for name, cases, given, k, value in zip(known.annotators.tolist(), n_cases, n_annotations, used, agreement)
    ]


def _agreement(uses: Uses, n_annotators: int, n_cases: int) -> Array:
    """(A,) share of the labels of a case's other annotators that are the annotator's own, mean over the cases that have others.

    An annotator who labels a case several times counts with each label's share there.
    """
    count = uses.times.astype(np.float64)
    at, entry = pairs(uses.case, uses.annotator)  # an entry: what one annotator said of one case
    own = np.bincount(entry, count)
    _, of_class = pairs(uses.case, uses.label)
    _, own_class = pairs(entry, uses.label)
    alike = np.bincount(of_class, count)[of_class] - np.bincount(own_class, count)[own_class]
    others = np.bincount(uses.case, count, n_cases)[uses.case[at]] - own
    sums = np.bincount(entry, count * alike) / own
    judged = others > 0
    annotator = uses.annotator[at][judged]
    total = np.bincount(annotator, sums[judged] / others[judged], n_annotators)
    cases = np.bincount(annotator, minlength=n_annotators)
    return np.asarray(np.where(cases > 0, total / np.maximum(cases, 1), np.nan))


def _overlap_of(names: NDArray[Any], case: Int64, annotator: Int64, notes: list[str]) -> list[Row]:
    """Cases that two annotators share: every pair once, in the order of the annotators."""
    n = len(names)
    chosen = most(np.bincount(annotator, minlength=n), MOST_OVERLAP)
    if n > MOST_OVERLAP:
        notes.append(f"Cases that two annotators share are counted among the {MOST_OVERLAP} of {n:,} annotators with most cases.")
    place = np.full(n, -1)
    place[chosen] = np.arange(len(chosen))
    here = place[annotator] >= 0
    _, row = np.unique(case[here], return_inverse=True)
    common = _common(row.reshape(-1), place[annotator[here]], len(chosen))
    return [
        {"annotator": str(names[chosen[a]]), "other": str(names[chosen[b]]), "n_common": int(common[a, b])}
        for a in range(len(chosen))
        for b in range(a + 1, len(chosen))
    ]


def _common(row: Int64, column: Int64, n: int) -> Array:
    """(n, n) products of the columns of a table that is 1 at (row, column), rows ascending; some rows at a time."""
    common = np.zeros((n, n))
    n_rows = int(row[-1]) + 1 if len(row) else 0
    for begin in range(0, n_rows, CHUNK):
        first, last = np.searchsorted(row, [begin, begin + CHUNK])
        table = np.zeros((min(CHUNK, n_rows - begin), n))
        table[row[first:last] - begin, column[first:last]] = 1.0
        common += table.T @ table
    return common


def _sizes_of(n_annotations: Any) -> list[Row]:
    sizes, n_cases = np.unique(n_annotations, return_counts=True)
    return [{"n_annotations": int(size), "n_cases": int(n)} for size, n in zip(sizes, n_cases)]


def _classes_of(known: Labels | Rankings, uses: Uses, notes: list[str]) -> list[Row]:
    """Labels of every class, or rankings that name it, and their share of all."""
    k = known.n_classes
    given = np.bincount(uses.label, uses.times, k)
    cases = np.bincount(uses.label[pairs(uses.case, uses.label)[0]], minlength=k)
    total = float(known.count.sum()) if isinstance(known, Labels) else float(len(known.annotator))
    chosen = most(given, MOST_CLASSES)
    if k > MOST_CLASSES:
        notes.append(f"The table of classes has the {MOST_CLASSES:,} of {k:,} that were given most often.")
    return [
        {"class": str(known.axes.classes[c]), "n_annotations": int(given[c]), "share": float(given[c] / total) if total else None,
         "n_cases": int(cases[c]), "unused": bool(given[c] == 0)}
        for c in chosen
    ]  # fmt: skip


# ---- the page


def render(source: Data) -> Section:
    """Annotators, the cases that they share, annotations per case, use of the classes."""
    how = (
        "Who annotated how many cases, which of them two annotators share, and how often each class was given, over all cases, with or "
        "without predictions: agreement can be seen only where annotators share cases."
    )
    sizes = source.get("case_sizes") or ()
    if not sizes:
        return section("design", TITLE, how, "<p>Nothing is said here: it needs annotations, not plausibilities made elsewhere.</p>")
    annotators = source.get("annotators") or ()
    named = [_annotators(annotators), overlap_map(source), _overlap_table(source)] if annotators else []
    unnamed = [] if annotators else ["<p>Who gave which annotation is not known in this data.</p>"]
    return section("design", TITLE, how, *unnamed, *named, size_bars(source), _sizes(sizes), *_classes(source.get("classes") or ()))


# ---- annotators ----


def _annotators(entries: Sequence[Entry]) -> str:
    shown = sorted(entries, key=lambda e: -int(e["n_cases"]))[:MOST_ROWS]
    rows = [[text(e["annotator"]), *_counts(e, "n_cases", "n_annotations", "n_classes_used")] for e in shown]
    columns = ["annotator", "cases", "annotations", "classes used"]
    if any(e["agreement"] is not None for e in shown):  # rankings have none
        rows = [[*row, share(e["agreement"])] for row, e in zip(rows, shown)]
        columns.append("other annotators of the same cases who agree")
    return table("Annotators, those with most cases first", columns, rows) + _more(len(shown), len(entries), "annotators")


def _counts(entry: Entry, *names: str) -> list[str]:
    return [f"{entry[name]:,}" for name in names]


def _more(shown: int, total: int, file: str) -> str:
    return f"\n<p>{shown:,} of {total:,} are shown; the file {file}.csv has all of them.</p>" if shown < total else ""


def _overlap(source: Data) -> tuple[list[str], dict[tuple[int, int], int]]:
    """Names of annotators, and the cases that they share by position; of an annotator alone all cases."""
    entries = source.get("annotator_overlap") or ()
    names = list(dict.fromkeys(name for e in entries for name in (e["annotator"], e["other"])))
    place = {name: i for i, name in enumerate(names)}
    common = {(place[e["annotator"]], place[e["other"]]): int(e["n_common"]) for e in entries}
    common.update({(b, a): n for (a, b), n in common.items()})
    own = {e["annotator"]: int(e["n_cases"]) for e in source.get("annotators") or ()}
    common.update({(i, i): own.get(name, 0) for name, i in place.items()})
    return names, common


def overlap_map(source: Data) -> str:
    """Cases that two annotators share as shaded squares."""
    names, common = _overlap(source)
    if not names:
        return ""
    said = {key: f"{names[key[0]]} and {names[key[1]]}: {n:,} cases" for key, n in common.items()}
    said.update({(i, i): f"{name}: {common[i, i]:,} cases" for i, name in enumerate(names)})
    between = {key: n if key[0] != key[1] else 0 for key, n in common.items()}
    content = svg.squares(names, names, between, {key: f"{n}" for key, n in common.items()}, said, max(between.values()) or 1)
    note = (
        "The darker a square, the more cases two annotators share; white: none, so that nothing can be seen of their agreement. "
        "The diagonal, not shaded, stands for all cases of one"
    )
    return svg.figure("design-overlap", "Cases that annotators share", note, content, height=svg.grid_height(len(names), len(names)))


def _overlap_table(source: Data) -> str:
    """A matrix where it fits, else the pairs that share most cases."""
    names, common = _overlap(source)
    caption = "Cases that two annotators share"
    if not names:
        return "<p>One annotator is named: there is nobody to share cases with.</p>"
    if len(names) <= svg.NUMBERED:
        rows = [[text(name), *(f"{common[i, j]:,}" for j in range(len(names)))] for i, name in enumerate(names)]
        return table(caption, ["", *map(text, names)], rows)
    entries = sorted(source["annotator_overlap"], key=lambda e: -int(e["n_common"]))
    listed = [[text(e["annotator"]), text(e["other"]), f"{e['n_common']:,}"] for e in entries[:MOST_PAIRS]]
    none = sum(e["n_common"] == 0 for e in entries)
    said = f"\n<p>{none:,} of {len(entries):,} pairs share no case.</p>"
    more = _more(len(listed), len(entries), "annotator_overlap")
    return table(f"{caption}, the pairs with most first", ["annotator", "other", "cases"], listed) + said + more


# ---- annotations per case ----


def _binned(sizes: Sequence[Entry]) -> list[tuple[str, int]]:
    """``(annotations, cases)``: each number by itself, or bins of equal width where there are many."""
    pairs = sorted((int(e["n_annotations"]), int(e["n_cases"])) for e in sizes)
    last = pairs[-1][0]
    if last < MOST_BARS:
        found = dict(pairs)
        return [(str(size), found.get(size, 0)) for size in range(pairs[0][0], last + 1)]
    width = -(-(last + 1) // MOST_BARS)
    bins = [0] * (last // width + 1)
    for size, n in pairs:
        bins[size // width] += n
    return [(f"{i * width}–{(i + 1) * width - 1}", n) for i, n in enumerate(bins)]


def size_bars(source: Data) -> str:
    """A bar for each number of annotations: how many cases have it."""
    bins = _binned(source["case_sizes"])
    if len(bins) < 2:
        return ""
    x = svg.x_scale(0, len(bins))
    y = svg.y_scale(0, svg.around([0, max(n for _, n in bins)])[1])
    every = -(-len(bins) // 12)  # names that do not run into each other
    marks = [(i + 0.5, name) for i, (name, _) in enumerate(bins) if i % every == 0]
    parts = [svg.axes(x, y, "annotations of a case", "cases", marks)]
    for i, (name, n) in enumerate(bins):
        left, right, top = x.at(i + 0.1), x.at(i + 0.9), y.at(n)
        parts.append(
            f'<rect class="bar" x="{left:.1f}" y="{top:.1f}" width="{right - left:.1f}" height="{y.at(0) - top:.1f}">'
            f"<title>{plain(name)} annotations: {n:,} cases</title></rect>"
        )
    note = "Cases with one annotation say nothing of how far annotators agree; cases with none say nothing at all"
    return svg.figure("design-sizes", "Annotations per case", note, "".join(parts))


def _sizes(sizes: Sequence[Entry]) -> str:
    return table("Annotations per case", ["annotations", "cases"], [[name, f"{n:,}"] for name, n in _binned(sizes)])


# ---- classes ----


def _classes(entries: Sequence[Entry]) -> list[str]:
    """Classes that were given, most often first, and the names of those that were not."""
    used = sorted((e for e in entries if not e["unused"]), key=lambda e: -int(e["n_annotations"]))
    unused = [e["class"] for e in entries if e["unused"]]
    rows = [[text(e["class"]), *_counts(e, "n_annotations", "n_cases"), _share(e["share"])] for e in used[:MOST_ROWS]]
    columns = ["class", "annotations that name it", "cases where it is named", "share of annotations"]
    parts = [table("Classes, those given most often first", columns, rows) + _more(len(rows), len(used), "classes")] if rows else []
    if not unused:
        return [*parts, "<p>Every class was given by some annotator.</p>"]
    names = ", ".join(map(text, unused[:MOST_NAMED])) + (", …" if len(unused) > MOST_NAMED else "")
    return [*parts, bullets([f"Classes that no annotator gave ({len(unused):,}): {names}"])]


def _share(value: float | None) -> str:
    return UNDEFINED if value is None else number(value)
