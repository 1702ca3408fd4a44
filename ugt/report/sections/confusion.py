"""The soft confusion matrix: expected numbers of cases by top class and first choice, and agreement class by class."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from ..._base.arrays import Array, Int64
from ...accuracy.groups import FEW_EXPECTED
from ...plausibilities.point import summed
from ...resampling import Ratios
from .. import markup as html
from .. import svg
from ..context import MOST_WORK, Ask, Made, most
from ..markup import Data, Entry, Section, level_of, of, unique
from ..tables import ends_of, finite

if TYPE_CHECKING:
    from ..context import Context
    from ..tables import Row

TITLE = "Which classes are taken for which"
TABLES = {
    "confusion": ("model", "truth", "predicted", "n", "share"),
    "class_agreement": ("model", "class", "ppa", "ppa_low", "ppa_high", "npa", "npa_low", "npa_high", "n_expected"),
    "group_agreement": ("model", "group", "ppa", "ppa_low", "ppa_high", "accuracy", "accuracy_low", "accuracy_high", "n_expected"),
}
MOST_CLASSES = 20
OTHERS = "(other classes)"
MOST_MODELS = 3  # matrices; the file confusion.csv has the others
MOST_PAIRS = 20


def make(context: Context, notes: list[str]) -> Made:
    """All tables.

    Class t is the most plausible one of case i with probability m_it, the prediction is p with the share c_ip of the first choice. The
    matrix has n_tp = Σ m_it c_ip, so that Σ_t n_tt over the number of cases is UA top-1 accuracy; positive percent agreement is
    Σ m_ik c_ik / Σ m_ik, negative Σ (1 - m_ik)(1 - c_ik) / Σ (1 - m_ik). Of a group G of classes the former is of sums over the group, and
    the accuracy given the group is Σ_i Σ_{k in G} m_ik c_ik / Σ_i Σ_{k in G} m_ik, as :func:`ugt.ua_group_accuracy` has them.
    """
    here = context.defined
    if context.top is None or not context.scores or not here.any():
        return {}
    top = np.where(here[:, None], context.top, 0.0)
    kept = most(top.sum(axis=0), MOST_CLASSES)
    names = [str(context.known.axes.classes[k]) for k in kept]
    n_classes = top.shape[1]
    if len(kept) < n_classes:
        names.append(OTHERS)
        notes.append(f"Confusion: the {MOST_CLASSES} classes expected most often are shown; {n_classes - len(kept):,} others are together.")
    truth = _pooled(top, kept)
    other = np.where(here[:, None], np.maximum(1 - truth, 0.0), 0.0)  # rows add up to 1 but for rounding
    choices = {model: _pooled(choice, kept) for model, choice in context.choices.items()}
    asked = [_agreement(truth, other, choice) for choice in choices.values()]
    if context.groups is not None:
        asked += [_by_group(top, choice, context.groups[0]) for choice in context.choices.values()]
    work = 5 * context.n_cases + sum(one.columns.size for one in asked)
    n = context.options.affordable(work, "agreement class by class", notes, most=MOST_WORK)
    found = yield [Ask(one, n, context.counted) for one in asked]
    tables: dict[str, list[Row]] = {name: [] for name in TABLES}
    for (model, choice), resamples in zip(choices.items(), found):
        tables["confusion"] += _matrix_of(model, names, np.einsum("nt,np->tp", truth, choice))
        below = {"ppa": truth.sum(axis=0), "npa": other.sum(axis=0)}
        tables["class_agreement"] += _rows(model, "class", names, below, resamples.estimate, context.intervals(resamples))
    if context.groups is not None:
        group, names = context.groups
        below = dict.fromkeys(("ppa", "accuracy"), summed(top, group).sum(axis=0))
        for model, resamples in zip(choices, found[len(choices) :]):
            tables["group_agreement"] += _rows(model, "group", names, below, resamples.estimate, context.intervals(resamples))
    rows = [*tables["class_agreement"], *tables["group_agreement"]]
    if any(row["n_expected"] < FEW_EXPECTED for row in rows):
        notes.append(f"Agreement given a class or group has no interval where fewer than {FEW_EXPECTED} cases of it are expected.")
    return tables


def _agreement(truth: Array, other: Array, choice: Array) -> Ratios:
    """Positive agreement class by class, then negative."""
    above = [truth * choice, other * (1 - choice)]
    return Ratios(np.concatenate([*above, truth, other], 1), np.arange(2 * truth.shape[1]))


def _by_group(top: Array, choice: Array, group: Int64) -> Ratios:
    """Positive agreement group by group, then the accuracy given the group."""
    truth = summed(top, group)
    above = [truth * summed(choice, group), summed(top * choice, group)]
    return Ratios(np.concatenate([*above, truth], 1), np.tile(np.arange(truth.shape[1]), 2))


def _pooled(table: Array, kept: Int64) -> Array:
    """(n, C) some columns and, last, the sum of the others."""
    if len(kept) == table.shape[1]:
        return table
    rest = np.ones(table.shape[1], bool)
    rest[kept] = False
    return np.concatenate([table[:, kept], table[:, rest].sum(axis=1, keepdims=True)], 1)


def _matrix_of(model: str, names: list[str], expected: Array) -> Iterator[Row]:
    for t, truth in enumerate(names):
        total = float(expected[t].sum())
        for p, predicted in enumerate(names):
            n = float(expected[t, p])
            yield {"model": model, "truth": truth, "predicted": predicted, "n": n, "share": n / total if total > 0 else None}


def _rows(model: str, of_what: str, names: list[str], below: Mapping[str, Array], values: Array, ends: Array) -> Iterator[Row]:
    """``below``: the two kinds of numbers, with the expected cases that each is of. Of few cases only 0 and 1 have intervals."""
    for k, name in enumerate(names):
        row: Row = {"model": model, of_what: name}
        for kind, j in zip(below, (k, len(names) + k)):
            shown = (None, None) if below[kind][k] < FEW_EXPECTED and 0 < values[j] < 1 else ends[j]
            row.update({kind: finite(values[j]), **ends_of(shown, f"{kind}_low", f"{kind}_high")})
        yield {**row, "n_expected": float(below["ppa"][k])}


# ---- the page


def render(source: Data) -> Section:
    """Soft confusion matrices and agreement class by class."""
    how = (
        "A case counts for every class with the probability that this class is its most plausible one, as in UA top-1 accuracy, so numbers "
        "of cases are expected ones. Row: the top class by the annotators, column: the model's first choice. Positive percent agreement is "
        "the share of a class's expected cases that the model gives it, negative percent agreement the share of all others that it does "
        "not; both stay below 1 where the annotations leave a class open, and neither tells how often the model is right."
    )
    entries = source.get("confusion") or ()
    if not entries:
        said = "<p>None was computed: it needs a model, and plausibilities that are not too many for one table.</p>"
        return html.section("confusion", TITLE, how, said)
    models = unique(entries, "model")
    parts = []
    for number_, model in enumerate(models[:MOST_MODELS]):
        here = of(entries, model=model)
        parts += [_map(here, model, number_), _matrix(here, model)]
    if len(models) > MOST_MODELS:
        parts.append(f"<p>{MOST_MODELS} of {len(models):,} models are shown; the file confusion.csv has all of them.</p>")
    return html.section("confusion", TITLE, how, *parts, _class_agreement(source), _group_agreement(source))


def _map(entries: Sequence[Entry], model: str, number_: int) -> str:
    """Shares of each row as shaded squares."""
    names = unique(entries, "truth")
    place = {name: i for i, name in enumerate(names)}
    at = {(place[e["truth"]], place[e["predicted"]]): e for e in entries}
    value = {key: e["share"] or 0.0 for key, e in at.items()}
    shown = {key: f"{100 * v:.0f}" for key, v in value.items()}
    said = {key: f"{e['truth']}, taken for {e['predicted']}: {_percent(e['share'])} ({e['n']:.1f} cases)" for key, e in at.items()}
    note = "Row: the class by the annotators; column: the model's first choice; in each square the share of its row in percent, the darker "
    note += "the more; dark squares off the diagonal are classes taken for others"
    content = svg.squares(names, names, value, shown, said, 1.0)
    return svg.figure(
        f"confusion-{number_}", f"Soft confusion matrix of {model}", note, content, height=svg.grid_height(len(names), len(names))
    )


def _percent(value: float | None) -> str:
    return html.UNDEFINED if value is None else f"{100 * value:.0f}%"


def _matrix(entries: Sequence[Entry], model: str) -> str:
    """All expected numbers where they fit, else those of the pairs of classes that are confused most."""
    names = unique(entries, "truth")
    if len(names) <= svg.NUMBERED:
        n = {(e["truth"], e["predicted"]): e["n"] for e in entries}
        rows = [[html.text(truth), *(f"{n[truth, predicted]:.1f}" for predicted in names)] for truth in names]
        caption = f"Expected numbers of cases of {html.plain(model)}: by the annotators (rows) and first choice (columns)"
        return html.table(caption, ["", *map(html.text, names)], rows)
    wrong = sorted((e for e in entries if e["truth"] != e["predicted"] and e["n"] > 0), key=lambda e: -float(e["n"]))[:MOST_PAIRS]
    listed = [[html.text(e["truth"]), html.text(e["predicted"]), f"{e['n']:.1f}", _percent(e["share"])] for e in wrong]
    caption = f"Classes that {html.plain(model)} takes for others, the most frequent first"
    columns = ["by the annotators", "first choice", "expected cases", "of the class"]
    return html.table(caption, columns, listed) + "\n<p>The file confusion.csv has the whole matrix.</p>"


def _class_agreement(source: Data) -> str:
    entries = source.get("class_agreement") or ()
    if not entries:
        return ""
    level = f"{level_of(source)} interval"
    columns = ["model", "class", "positive percent agreement", level, "negative percent agreement", level, "expected cases"]
    return html.grouped_table("Agreement with the annotators, class by class", columns, html.by_model(entries, _agreement_row))


def _group_agreement(source: Data) -> str:
    entries = source.get("group_agreement") or ()
    if not entries:
        return ""
    level = f"{level_of(source)} interval"
    columns = ["model", "group", "positive percent agreement", level, "UA top-1 accuracy", level, "expected cases"]
    how = (
        "<p>A case is of a group of classes, such as a risk, with a probability. Both numbers are over the expected cases of the group: "
        "positive percent agreement is the share of them that the model gives the group, UA top-1 accuracy the share in which it gives the "
        "class itself.</p>\n"
    )
    rows = html.by_model(entries, partial(_agreement_row, name="group", kinds=("ppa", "accuracy")))
    return how + html.grouped_table("Agreement given the group of the case", columns, rows)


def _agreement_row(e: Entry, name: str = "class", kinds: Sequence[str] = ("ppa", "npa")) -> tuple[str, list[html.Cell]]:
    found = []
    for kind in kinds:
        found += [html.number(e[kind]), html.interval(e[f"{kind}_low"], e[f"{kind}_high"])]
    return html.text(e[name]), html.cells(*found, f"{e['n_expected']:.1f}")
