"""The dependence of the result on single choices of the analysis, and the sources of uncertainty."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ...tables.names import TOP
from ...tables.rows import defined
from ...tables.sensitivity import SensitivityRow
from ...tables.source import ReportSource
from ...tables.sources import SpreadRow
from ..digest import Digest, shown
from ..digits import Digits, Ends, is_flat
from ..markup import NONE, Section, finding, level_of, unique
from ..rows import first_of, plain_table

MOST_MODELS, MOST_ROWS = 4, 12
CIRCULAR = "model as an annotator"  # the model helps to define the truth that it is compared with: only in the file
MEASURES = {
    TOP: ("top-1 accuracy", "the top-1 accuracy in percentage points"),
    "soft_auroc": ("soft AUROC", "the soft AUROC × 100"),
    "soft_average_precision": ("soft average<br>precision", "the soft average precision × 100"),
}
IN_TURN = {"annotator dropped": "one annotator left out", "case group dropped": "one group of cases left out"}
# What a reader of the table must know of the truth models in it; the appendix explains that of the main analysis.
BRIEFLY = {
    "votes": "the voted label is taken as certain",
    "irn": "shares of labels, or weights of places in rankings, are taken as certain",
    "prirn": "the same shares or weights, with doubt",
    "dirichlet": "shares of labels, with doubt",
    "plackett-luce": "a model of rankings",
    "dawid-skene": "the skill of each annotator is estimated",
    "glad": "the skill of each annotator and the difficulty of each case are estimated",
    "graded-response": "the strictness of each annotator and the severity of each case are estimated",
}
MEANINGS = {
    "annotators": "other annotators, the same cases",
    "labels": "other labels of the same cases",
    "draws": "what the annotations leave open",
    "cases": "other cases with their annotations",
    "clusters": "other clusters with their annotations",
    "cases and draws": "all together",
    "clusters and draws": "all together",
}
TOGETHER = ("cases and draws", "clusters and draws")  # includes the other sources


def render(source: ReportSource) -> Section | None:
    """Return the section; None if no choice was changed and no source was examined."""
    digest = Digest(source).of_choices
    changes, spread = _changes(digest), _spread(digest)
    if not changes and not spread:
        return None
    changes = f"<div>{changes}</div>" if changes and spread else changes
    parts = "".join(filter(None, (changes, spread)))
    return finding(
        "dependence", "What the result depends on", _heading(digest), f'<div class="two">{parts}</div>' if changes and spread else parts
    )


def _by_setting(digest: Digest, metric: str = TOP) -> dict[str, dict[str, list[SensitivityRow]]]:
    """Return setting -> model -> rows; annotators that are left out one by one are one setting."""
    found: dict[str, dict[str, list[SensitivityRow]]] = {}
    for e in digest.source.rows(SensitivityRow):
        if e.change is not None and e.metric == metric and e.kind != CIRCULAR and e.model in digest.models[:MOST_MODELS]:
            alike = IN_TURN.get(e.kind)
            name = alike or f"{shown(e.kind)}: {shown(e.setting)}"
            found.setdefault(name, {}).setdefault(e.model, []).append(e)
    times = {name: max(map(len, rows.values())) for name, rows in found.items()}
    return {f"{name} ({times[name]} times)" if times[name] > 1 else name: rows for name, rows in found.items()}


def _changes(digest: Digest) -> str:
    """Return the changes of first choices and of areas: a column each for one model, a table each for several; empty if there are none."""
    found = {metric: settings for metric in MEASURES if (settings := _by_setting(digest, metric))}
    drawn, digits = digest.models[:MOST_MODELS], _digits(digest)
    if len(drawn) == 1 and len(found) > 1:
        heads = [MEASURES[metric][0] for metric in found]
        order, more = _largest(next(iter(found.values())))
        rows = [(name, [_range(own.get(name, {}).get(drawn[0], ()), digits) for own in found.values()]) for name in order]
        return plain_table("One choice made differently", f"Change × 100{more}", ["", *heads], rows) + _explained(digest, order)
    return "".join(_of_models(digest, metric, settings) for metric, settings in found.items())


def _largest(settings: Mapping[str, Mapping[str, Sequence[SensitivityRow]]]) -> tuple[list[str], str]:
    """Return the settings with the largest changes, and words if these are not all."""
    size = {name: max(abs(defined(e.change)) for own in rows.values() for e in own) for name, rows in settings.items()}
    return sorted(settings, key=lambda name: -size[name])[:MOST_ROWS], (
        f"; the {MOST_ROWS} largest of {len(settings)}" if len(settings) > MOST_ROWS else ""
    )


def _of_models(digest: Digest, metric: str, settings: Mapping[str, Mapping[str, Sequence[SensitivityRow]]]) -> str:
    digits, drawn = _digits(digest), digest.models[:MOST_MODELS]
    order, more = _largest(settings)
    rows = [(name, [_range(settings[name].get(m, ()), digits) for m in drawn]) for name in order]
    note = f"Change of {MEASURES[metric][1]}{more}{first_of(drawn, digest.models)}"
    explained = _explained(digest, order) if metric == TOP else ""
    return plain_table("One choice made differently", note, ["", *map(shown, drawn)], rows) + explained


def _explained(digest: Digest, order: Sequence[str]) -> str:
    """Return a sentence on the truth models among the settings that are shown."""
    named = {e.setting.split(",")[0]: f"{shown(e.kind)}: {shown(e.setting)}" for e in digest.source.rows(SensitivityRow)}
    said = [f"{name}: {words}" for name, words in BRIEFLY.items() if named.get(name) in order]
    return f"<p>Truth models (aggregation). {'; '.join(said)}.</p>" if said else ""


def _digits(digest: Digest) -> Digits:
    """Return the digits of changes in percentage points: none where there are too few cases."""
    return Digits(0 if digest.withheld else 1)


def _range(own: Sequence[SensitivityRow], digits: Digits) -> str:
    values = [defined(e.change) for e in own]
    if not values:
        return NONE
    low, high = digits.lead(min(values)), digits.lead(max(values))
    return low if low == high else f"{low} to {high}"


def _spread(digest: Digest) -> str:
    models = digest.models[:MOST_MODELS]
    entries = [e for e in digest.source.rows(SpreadRow) if e.model in models and e.low is not None and e.source not in TOGETHER]
    if not entries:
        return ""
    parts = {(e.source, e.model): (e.low, e.high) for e in entries}
    drawn = unique(sorted((e.model for e in entries), key=models.index))
    both = {m: (row.two_way_low, row.two_way_high) for m in drawn if (row := digest.row(m, digest.main))}
    digits = _digits(digest)
    rows = [(MEANINGS[one], [_half(parts.get((one, m)), digits) for m in drawn]) for one in unique(e.source for e in entries)]
    if not digest.withheld:
        halves = [_half(both.get(m), digits, "not estimated") for m in drawn]
        rows.append(("other annotators like these, and other cases", halves))
    note = f"Half of the {level_of(digest.source)} interval, percentage points{digest.at_main}{first_of(models, digest.models)}"
    return plain_table("Sources of uncertainty", note, ["", *map(shown, drawn)], rows)


def _half(ends: Ends | None, digits: Digits, without: str = NONE) -> str:
    """Return half the width of an interval, unless there is none, or the number is the same in every resample."""
    low, high = ends or (None, None)
    return without if low is None or high is None or is_flat(low, high) else f"± {digits.points((high - low) / 2)}"


def _heading(digest: Digest) -> str:
    settings = _by_setting(digest)
    best = digest.models[0] if digest.models else None
    if best is None or not settings:
        return "What the uncertainty is made of"
    size = {name: max((abs(defined(e.change)) for e in rows.get(best, ())), default=0.0) for name, rows in settings.items()}
    name = max(size, key=lambda one: size[one])
    row = digest.row(best, digest.main)
    low, high = (None, None) if row is None else digest.case_ends(row)
    half = None if low is None or high is None or is_flat(low, high) else (high - low) / 2
    points = _digits(digest).points(size[name])
    beside = "" if half is None else f"; other cases would change it by ±{_digits(digest).points(half)}"
    return f"The largest change, “{name}”, moves {shown(best)} by {points} points{beside}"
