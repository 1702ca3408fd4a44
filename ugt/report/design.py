"""The section that says who annotated what."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from . import svg
from .markup import UNDEFINED, Section, bullets, number, plain, section, share, table, text

Data = Mapping[str, Any]
Entry = Mapping[str, Any]

MOST_ROWS = 20
MOST_PAIRS = 12
MOST_NAMED = 30  # unused classes by name
MOST_BARS = 24
NUMBERED = 12  # squares that have room for their number
GRID_LEFT, GRID_TOP, GRID = 130.0, 84.0, 480.0


def design(source: Data) -> Section:
    """Annotators, the cases that they share, annotations per case, use of the classes."""
    title = "Who annotated what"
    how = (
        "Who annotated how many cases, which of them two annotators share, and how often each class was given, over all cases, with or "
        "without predictions: agreement can be seen only where annotators share cases."
    )
    sizes = source.get("case_sizes") or ()
    if not sizes:
        return section("design", title, how, "<p>Nothing is said here: it needs annotations, not plausibilities made elsewhere.</p>")
    annotators = source.get("annotators") or ()
    named = [_annotators(annotators), overlap_map(source), _overlap_table(source)] if annotators else []
    unnamed = [] if annotators else ["<p>Who gave which annotation is not known in this data.</p>"]
    return section("design", title, how, *unnamed, *named, size_bars(source), _sizes(sizes), *_classes(source.get("classes") or ()))


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
    content = squares(names, names, between, {key: f"{n}" for key, n in common.items()}, said, max(between.values()) or 1)
    note = (
        "The darker a square, the more cases two annotators share; white: none, so that nothing can be seen of their agreement. "
        "The diagonal, not shaded, stands for all cases of one"
    )
    return svg.figure("design-overlap", "Cases that annotators share", note, content, height=grid_height(len(names), len(names)))


def squares(
    rows: Sequence[str],
    columns: Sequence[str],
    value: Mapping[tuple[int, int], float],
    shown: Mapping[tuple[int, int], str],
    said: Mapping[tuple[int, int], str],
    most: float,
) -> str:
    """A grid of squares, the darker the nearer to ``most``; numbers where there is room, and what each says for those who point at it."""
    size = _cell(len(columns))
    parts = [_grid_names(rows, columns, size)]
    for (i, j), v in sorted(value.items()):
        left, top = GRID_LEFT + j * size, GRID_TOP + i * size
        parts.append(
            f'<rect class="grid" x="{left:.1f}" y="{top:.1f}" width="{size:.1f}" height="{size:.1f}" fill="var(--faint)" '
            f'fill-opacity="{_shade(v / most):.3f}"><title>{plain(said[i, j])}</title></rect>'
        )
        if len(columns) <= NUMBERED:
            parts.append(
                f'<text x="{left + size / 2:.1f}" y="{top + size / 2 + 4:.1f}" text-anchor="middle" pointer-events="none">'
                f"{plain(shown[i, j])}</text>"
            )
    return "".join(parts)


def _shade(share_of_most: float) -> float:
    """Even a little is seen beside nothing; numbers can be read on the most."""
    return 0.08 + 0.52 * share_of_most if share_of_most > 0 else 0.0


def grid_height(n_rows: int, n_columns: int) -> float:
    """What :func:`squares` takes."""
    return GRID_TOP + n_rows * _cell(n_columns) + 10


def _cell(n: int) -> float:
    return min(GRID / max(n, 1), 48.0)


def _grid_names(rows: Sequence[str], columns: Sequence[str], size: float) -> str:
    """Names left of the squares and, turned, above them."""
    parts = [svg.row_name(name, GRID_TOP + (i + 0.5) * size) for i, name in enumerate(rows)]
    for j, name in enumerate(columns):
        at = GRID_LEFT + (j + 0.5) * size + 4
        shown = name if len(name) <= 12 else name[:11] + "…"
        parts.append(f'<text transform="translate({at:.1f} {GRID_TOP - 6:.0f}) rotate(-90)">{plain(shown)}</text>')
    return "".join(parts)


def _overlap_table(source: Data) -> str:
    """A matrix where it fits, else the pairs that share most cases."""
    names, common = _overlap(source)
    caption = "Cases that two annotators share"
    if not names:
        return "<p>One annotator is named: there is nobody to share cases with.</p>"
    if len(names) <= NUMBERED:
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
