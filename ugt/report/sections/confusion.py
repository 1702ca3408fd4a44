"""The soft confusion matrix: expected numbers of cases by top class and first choice, and agreement by class."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ..._base.arrays import Array, Int64
from ..._base.counts import whole
from ...accuracy.groups import FEW_EXPECTED
from ...plausibilities.point import summed
from ...resampling import Ratios, over
from ...tables.context import MOST_WORK, Ask, Made, most
from ...tables.rows import ends_of, finite
from .. import markup as html
from ..digest import Digest, shown
from ..digits import Digits
from ..markup import Data, Entry, Section, unique
from ..rows import TOO_FEW, cell, first_of, plain_table

if TYPE_CHECKING:
    from ...tables.context import Context
    from ...tables.rows import Row

TITLE = "Agreement on each class"
TABLES = {
    "confusion": ("model", "truth", "predicted", "n", "share"),
    "class_agreement": ("model", "class", "ppa", "ppa_low", "ppa_high", "npa", "npa_low", "npa_high", "n_expected", "voted_ppa"),
    "group_agreement": ("model", "group", "ppa", "ppa_low", "ppa_high", "accuracy", "accuracy_low", "accuracy_high", "n_expected"),
}
MOST_CLASSES = 20
OTHERS = "(other classes)"
MOST_MODELS = 4  # columns


def make(context: Context, notes: list[str]) -> Made:
    """Return all tables.

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
    other = np.where(here[:, None], np.maximum(1 - truth, 0.0), 0.0)  # rows add up to 1 except for rounding
    choices = {model: _pooled(choice, kept) for model, choice in context.choices.items()}
    voted = _pooled(np.where(here[:, None], np.nan_to_num(context.voted.membership(1)), 0.0), kept)
    asked = [_agreement(truth, other, choice) for choice in choices.values()]
    if context.groups is not None:
        asked += [_by_group(top, choice, context.groups[0]) for choice in context.choices.values()]
    work = 5 * context.n_cases + sum(one.n_cases * one.n_columns for one in asked)
    n = context.options.affordable(work, "agreement class by class", notes, most=MOST_WORK)
    found = yield [Ask(one, n, context.counted) for one in asked]
    tables: dict[str, list[Row]] = {name: [] for name in TABLES}
    for (model, choice), resamples in zip(choices.items(), found):
        tables["confusion"] += _matrix_of(model, names, np.einsum("nt,np->tp", truth, choice))
        below = {"ppa": truth.sum(axis=0), "npa": other.sum(axis=0)}
        of_classes = _rows(model, "class", names, below, resamples.estimate, context.intervals(resamples))
        tables["class_agreement"] += [{**row, "voted_ppa": finite(one)} for row, one in zip(of_classes, _voted_ppa(voted, choice))]
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
    """Return positive agreement for each class, then negative."""
    above = [truth * choice, other * (1 - choice)]
    return Ratios(np.concatenate([*above, truth, other], 1), np.arange(2 * truth.shape[1], dtype=np.int64)).compact()


def _voted_ppa(voted: Array, choice: Array) -> Any:
    """Return positive agreement for each class with the voted label, taken as certain; NaN for a class without a vote."""
    return over((voted * choice).sum(axis=0), voted.sum(axis=0)).tolist()


def _by_group(top: Array, choice: Array, group: Int64) -> Ratios:
    """Return positive agreement for each group, then the accuracy given the group."""
    truth = summed(top, group)
    above = [truth * summed(choice, group), summed(top * choice, group)]
    return Ratios(np.concatenate([*above, truth], 1), np.tile(np.arange(truth.shape[1], dtype=np.int64), 2)).compact()


def _pooled(table: Array, kept: Int64) -> Array:
    """Return (n, C) some columns and, last, the sum of the others."""
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
    """Yield rows; ``below``: the two kinds of numbers, with their expected cases. With few cases only 0 and 1 have intervals."""
    for k, name in enumerate(names):
        row: Row = {"model": model, of_what: name}
        for kind, j in zip(below, (k, len(names) + k)):
            shown = (None, None) if below[kind][k] < FEW_EXPECTED and 0 < values[j] < 1 else ends[j]
            row.update({kind: finite(values[j]), **ends_of(shown, f"{kind}_low", f"{kind}_high")})
        yield {**row, "n_expected": float(below["ppa"][k])}


# ---- the page


def render(source: Data) -> Section | None:
    """Return positive percent agreement of each class and group; None if the first page has it."""
    digest = Digest(source).of_choices
    classes, groups = source.get("class_agreement") or (), source.get("group_agreement") or ()
    if not digest.models or not classes or (source["data"]["n_classes"] == 2 and len(digest.models) == 1):
        return None
    how = (
        "A case counts for every class with the probability that the class is its most plausible one. Positive percent agreement is the "
        "share of the expected cases of a class that the model gives this class; it stays below 100% where the annotations leave the class "
        "open."
    )
    parts = [_agreement_table(digest, classes, "class"), *([_agreement_table(digest, groups, "group")] if groups else [])]
    return html.section("confusion", TITLE, how, *parts)


def _agreement_table(digest: Digest, entries: Sequence[Entry], of_what: str) -> str:
    """Return one row for each class or group, the one with most expected cases first."""
    drawn = digest.models[:MOST_MODELS]
    found = {(e["model"], e[of_what]): e for e in entries if e["model"] in drawn}
    names = sorted(unique(found.values(), of_what), key=lambda name: (name == OTHERS, -found[drawn[0], name]["n_expected"]))
    digits = Digits.of((e["ppa_low"], e["ppa_high"]) for e in found.values())
    rows = []
    for name in names:
        own = [found[model, name] for model in drawn]
        cells = [_cell(digest, digits, e) for e in own]
        rows.append((shown(name), [whole(own[0]["n_expected"]), *cells]))
    note = f"%, {digest.intervals}{digest.at_main}; {of_what}_agreement.csv has the other measures{first_of(drawn, digest.models)}"
    return plain_table(f"Positive percent agreement by {of_what}", note, [of_what, "expected<br>cases", *map(shown, drawn)], rows)


def _cell(digest: Digest, digits: Digits, e: Entry) -> str:
    """Return a value with its interval; where too few cases are expected it has none, and the cell says so."""
    few = e["ppa"] is not None and e["ppa_low"] is None and not digest.withheld
    return f'<b>{digits.value(e["ppa"])}</b><span class="below">{TOO_FEW}</span>' if few else cell(digits, e, "ppa", "ppa_low", "ppa_high")


def commonest(source: Data) -> str:
    """Return a sentence on the classes that the models confuse most often."""
    wrong = [e for e in source.get("confusion") or () if e["truth"] != e["predicted"] and OTHERS not in (e["truth"], e["predicted"])]
    if not wrong or source["data"]["n_classes"] < 3:
        return ""
    e = max(wrong, key=lambda e: float(e["n"]))
    total = sum(float(one["n"]) for one in source["confusion"] if one["model"] == e["model"])
    taken = f"The commonest confusion, “{shown(e['truth'])}” taken for “{shown(e['predicted'])}” by {shown(e['model'])},"
    return f"<p>{taken} concerns about {whole(e['n'])} of {whole(total)} cases.</p>"
