"""The common part of all plots: axes, styles that differ in grey, too, names without markup, and counts of undefined values."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping, Sequence
from itertools import zip_longest
from typing import Any

import numpy as np

from .._base.arrays import Array, NDArray
from .._base.axes import Axes
from .._base.checks import error, whole
from .._base.identifiers import is_frame
from .._base.records import Record
from .._base.wording import Refusal
from ..annotations.named import leader

COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#b08900", "#56b4e9", "#000000")
DASHES = ("-", "--", ":", "-.", (0, (8, 2)), (0, (3, 1, 1, 1, 1, 1)), (0, (1, 4)))
MARKERS = ("o", "s", "^", "D", "v", "P", "X")

WIDE, WIDER = 26, 60  # letters per line of a name: in legends and for few rows, and for many rows
FEW_LINES, SOME_LINES = 8, 26  # most lines of a legend inside the axes, and of a legend with a single column
INCHES = 0.075  # width of a letter
FEW_ROWS, SOME_ROWS = 5, 16  # most rows whose names may have several lines, and whose names have the usual size
GUIDE: dict[str, Any] = {"color": "0.6", "linewidth": 1, "zorder": 1}


def axes_of(ax: object, least: tuple[float, float] = (0, 0)) -> Any:
    """Return the given axes, or those of a new figure with at least some size in inches and a layout that fits names and legends."""
    try:
        from matplotlib import pyplot  # noqa: PLC0415  (optional)
    except ImportError:
        raise ImportError('plots need matplotlib: install ugt with the extra plot (pip install "ugt[plot]"), or matplotlib') from None
    if ax is None:
        size = tuple(max(pair) for pair in zip(pyplot.rcParams["figure.figsize"], least))
        return pyplot.subplots(figsize=size, constrained_layout=True)[1]
    if not hasattr(ax, "plot") or not hasattr(ax, "set_xlabel"):
        raise error("ax", "be one matplotlib Axes", type(ax).__name__)
    return ax


def colour(i: int) -> str:
    return COLOURS[i % len(COLOURS)]


def marker(i: int) -> str:
    """Return the marker of series i; from the eighth series on, markers pair with other colours."""
    return MARKERS[(i + i // len(COLOURS)) % len(MARKERS)]


def style(i: int) -> dict[str, Any]:
    """Return colour and dashes of series i, which differ for the first 49 series."""
    return {"color": colour(i), "linestyle": DASHES[(i + i // len(COLOURS)) % len(DASHES)]}


def first_style(ax: Any) -> int:
    """Return the number of named series in the axes, so that a second call continues with the next style."""
    return len(ax.get_legend_handles_labels()[0])


def named(argument: str, given: object) -> dict[str, Any]:
    """Return a mapping as it is, with names as text, and any other value as a mapping with an empty name."""
    if isinstance(given, Mapping):
        if not given:
            raise error(argument, "hold something to draw", "an empty mapping")
        return {str(name): value for name, value in given.items()}
    return {"": given}


def records(argument: str, given: object, kind: str, *attributes: str) -> dict[str, Any]:
    """Return records by name, as `named` does; refuse those without the attributes of their kind."""
    found = named(argument, given)
    for name, one in found.items():
        if not all(hasattr(one, attribute) for attribute in attributes):
            raise wrong_kind(argument, kind, one, repr(name) if name else "")
    return found


def wrong_kind(argument: str, kind: str, one: object, where: str = "") -> TypeError:
    """Return an error that says what the plot takes."""
    return TypeError(Refusal(argument, f"be {kind}", type(one).__name__, where))


def means(argument: str, one: Any, kind: str) -> Array:
    """Return the means of plausibilities, or an array of numbers; refuse other records."""
    if isinstance(one, Record) and not hasattr(one, "mean"):
        raise wrong_kind(argument, kind, one)
    return array(argument, one.mean() if hasattr(one, "axes") else one)


def shown(name: object, width: int = WIDE) -> str:
    """Return a name for drawing: long names in several lines, dollars escaped, and a blank before an underscore that would hide it."""
    text = textwrap.fill(str(name), width).replace("$", r"\$")
    return f" {text}" if text.startswith("_") else text


def labelled(name: str, *remarks: str) -> str | None:
    """Return the entry of the legend, a name and remarks on it; None if there is neither."""
    said = "; ".join(remark for remark in remarks if remark)
    if name and said:
        return f"{shown(name)} ({said})"
    return shown(name) if name else said or None


def metric_name(metric: str, k: int | None) -> str:
    """Return a metric's name in words: ``top-1 accuracy``, ``overlap, k = 3``, ``soft auroc``."""
    if metric == "topk_accuracy":
        return f"top-{k} accuracy"
    return metric.replace("_", " ") + ("" if k is None else f", k = {k}")


def case_at(case: int | str, n_cases: int, case_ids: NDArray[Any] | None) -> tuple[int, str]:
    """Return the position of a case from it or from its id, a text, and a title with the id; without ids the title is empty."""
    if isinstance(case, str):
        known = [] if case_ids is None else [str(name) for name in case_ids.tolist()]
        if case not in known:
            ids = f"one of the ids of the {n_cases} cases, such as {known[0]!r}" if known else "a position, as the cases have no ids"
            raise error("case", f"be {ids}", repr(case))
        at = known.index(case)
    else:
        at = whole("case", case, 0, n_cases - 1)
    return at, "" if case_ids is None else shown(f"case {case_ids[at]}")


def undefined(n: int) -> str:
    return f"{n:,} undefined" if n else ""


def left_out(one: object) -> str:
    n = sum(getattr(one, "left_out", {}).values())
    return f"{n:,} left out" if n else ""


def note(ax: Any, text: str) -> None:
    """Add a note to the right title, which has no other use."""
    before = ax.get_title(loc="right")
    if text and text not in before:
        ax.set_title(f"{before}; {text}" if before else text, loc="right", fontsize="small")


def legend(ax: Any, loc: str = "best") -> None:
    """Draw a legend if any series has a name; a long legend is placed to the right of the axes.

    Plots with many points give a corner, because matplotlib's search for the best one takes seconds there.
    """
    handles, labels = ax.get_legend_handles_labels()
    lines = sum(1 + label.count("\n") for label in labels)
    if 0 < lines <= FEW_LINES:
        ax.legend(handles, labels, loc=loc, frameon=False)
    elif handles:
        place = {"loc": "upper left", "bbox_to_anchor": (1.0, 1.0), "borderaxespad": 0.2}
        ax.legend(handles, labels, frameon=False, fontsize="small", ncol=1 if lines <= SOME_LINES else 2, **place)


def finish(ax: Any, x: str, y: str, loc: str = "best") -> Any:
    ax.set_xlabel(x)
    ax.set_ylabel(y)
    legend(ax, loc)
    return ax


def name_rows(ax: Any, names: Sequence[str], behind: Sequence[str] = ()) -> None:
    """Write names on the vertical axis, the first at the top; many names have one line each. The axes may be in use already."""
    lines = [shown(name, WIDE if len(names) <= FEW_ROWS else WIDER) for name in names]
    ax.set_yticks(range(len(names)))
    ax.set_yticklabels([line + more for line, more in zip_longest(lines, behind, fillvalue="")], fontsize=row_size(len(names)))
    ax.set_ylim(len(names) - 0.5, -0.5)


def longest(names: Sequence[str]) -> float:
    """Return the width in inches of the longest of these names."""
    return INCHES * min(WIDER, max(map(len, names), default=0))


def row_size(rows: int) -> str:
    """Return the font size of the names of this many rows or columns."""
    return "medium" if rows <= SOME_ROWS else "x-small"


def whiskers(ax: Any, at: Array, low: Array, high: Array, colour_: str, *, across: bool = False) -> None:
    """Draw intervals with caps from low to high; with ``across``, along the horizontal axis."""
    known = np.isfinite(low) & np.isfinite(high)
    if not known.any():
        return
    middle, half = ((low + high) / 2)[known], ((high - low) / 2)[known]
    ends: dict[str, Any] = {"fmt": "none", "ecolor": colour_, "capsize": 3, "elinewidth": 1.2}
    if across:
        ax.errorbar(middle, at[known], xerr=half, **ends)
    else:
        ax.errorbar(at[known], middle, yerr=half, **ends)


def point(ax: Any, i: int, label: str | None, x: Sequence[float], y: Sequence[float]) -> None:
    """Draw a marker with whiskers from (value, low, high) in both directions."""
    across, up = (np.asarray(ends, np.float64)[:, None] for ends in (x, y))
    ax.plot(across[0], up[0], marker(i), color=colour(i), label=label, linestyle="none", zorder=3)
    if np.isfinite([across[0], up[0]]).all():
        whiskers(ax, up[0], across[1], across[2], colour(i), across=True)
        whiskers(ax, across[0], up[1], up[2], colour(i))


def rows_of_metric(evaluation: Any, metric: str, k: int | None) -> list[Mapping[str, Any]]:
    """Return the rows of a metric of an evaluation that have a reliability."""
    rows = [row for row in evaluation.metrics if (row["metric"], row["k"]) == (metric, k) and row["reliability"] is not None]
    if not rows:
        known = sorted({str((row["metric"], row["k"])) for row in evaluation.metrics})
        raise error("metric", f"be a metric with reliabilities, one of {', '.join(known)}", repr((metric, k)))
    return rows


def column(rows: Sequence[Mapping[str, Any]], key: str) -> Array:
    """Return a column of a table as numbers, with NaN for None."""
    return np.array([np.nan if row[key] is None else row[key] for row in rows], dtype=np.float64)


def cells(row: Mapping[str, Any], *keys: str) -> tuple[float, ...]:
    return tuple(float(column([row], key)[0]) for key in keys)


def truth(argument: str, given: object) -> Any:
    """Return plausibilities and tables with names as they are, and others as arrays of numbers."""
    named = isinstance(getattr(given, "axes", None), Axes) or hasattr(given, "plausibilities")
    return given if named or leader(argument, given).rows is not None or is_frame(given) else array(argument, given)


def array(argument: str, values: object) -> Array:
    if isinstance(values, Record):
        raise wrong_kind(argument, "numbers, or a record that holds them", values)
    try:
        return np.asarray(values, np.float64)
    except (TypeError, ValueError):
        raise error(argument, "hold numbers, in rows of one length", type(values).__name__) from None


def numbers(argument: str, values: Any, n: int, must: str, where: str) -> tuple[float, ...]:
    """Return exactly n numbers; NaN and infinities are allowed."""
    try:
        found = tuple(float(value) for value in values)
    except (TypeError, ValueError):
        found = ()
    if len(found) != n:
        raise error(argument, must, repr(values), where)
    return found
