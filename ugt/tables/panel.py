"""The split-panel check: does the truth model predict the annotations of annotators who were held out?"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from .._base import notices
from .._base.counts import decimals_of_percent
from .._base.notes import Note
from ..truth import by_name, leading
from ..truth.leading import FITTED, OPTIONS, PER_CLASS, CheckedTruth, cures, options_of
from ..truth.panel_check import Halves, PanelCheck
from .context import MOST_CELLS, Made
from .names import truth_name
from .rows import Number, both, finite

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from .context import Context


class PanelRow(NamedTuple):
    """How often held-out annotators agree with the vote of the others, and how often the truth model says; annotator None: all."""

    reliability: Number
    annotator: str | None
    predicted: float
    observed: float
    low: Number
    high: Number
    p_value: Number
    adjusted_p_value: Number
    n_cases: int


__all__ = ["FITTED_PRIORS", "REFUTED", "SIGNIFICANT", "TABLES", "CheckedTruth", "PanelRow", "chosen", "make", "model_name"]
SIGNIFICANT = leading.REFUTED  # p-value below which a truth model is refuted
TABLES = {"panel_check": PanelRow, "truth_checks": CheckedTruth}
MOST_ANNOTATORS = 40
REFUTED = 0.001  # p-value below which a truth model that was asked for is said on page one not to describe the annotators
PLAIN = {"prirn": "PrIRN", "plackett-luce": "Plackett–Luce", "dawid-skene": "Dawid–Skene", "dirichlet": "the Dirichlet model"}
FITTED_PRIORS = {FITTED: "the fitted prior", PER_CLASS: "the prior fitted per class"}


def model_name(e: CheckedTruth) -> str:
    """Return the name of a truth model, such as "the fitted prior"."""
    if e.prior is not None:
        return FITTED_PRIORS.get(e.prior, f"the prior of {e.prior}")
    return f"{PLAIN[e.aggregation]}{'' if e.reliability is None else f' at reliability {e.reliability:g}'}"


def chosen(checked: Sequence[CheckedTruth], held_out: PanelRow | None) -> Note | None:
    """Return the note on a default that was refuted, so that another truth leads or none does; None if nothing was chosen so.

    ``held_out``: the row of the main truth, whose interval gives the decimals.
    """
    default, main = (next((e for e in checked if e.role == role), None) for role in ("default", "main"))
    if main is None or (default is None and not main.refuted):
        return None
    ends = None if held_out is None or held_out.low is None or held_out.high is None else (held_out.low, held_out.high)
    form = f".{decimals_of_percent(100.0 if ends is None else 50 * (ends[1] - ends[0]))}%"
    if default is None:
        tried = {f"truth_{i}": model_name(e) for i, e in enumerate(checked)}
        predicted = {f"predicted_{i}": e.predicted for i, e in enumerate(checked)}
        listed = "; ".join(f"{{truth_{i}}} {{predicted_{i}:{form}}}" for i in range(len(checked)))
        words = (
            f"Held-out annotators agree with the vote of the others in {{observed:{form}}} of cases, which refutes every truth model that "
            f"was tried. Predicted were: {listed}."
        )
        return Note("no_truth_fits", words, observed=main.observed, **tried, **predicted)
    words = (
        f"Held-out annotators agree with the vote of the others in {{observed:{form}}} of cases. The default, {{default}}, predicts "
        f"{{predicted:{form}}} and is refuted; {{main}} predicts {{fits:{form}}} and leads."
    )
    return Note(
        "default_truth_refuted", words, observed=main.observed, default=model_name(default), predicted=default.predicted,
        main=model_name(main), fits=main.predicted,
    )  # fmt: skip


def make(context: Context, notes: list[Note]) -> Made:
    """Return a row for each reliability, and below the middle one a row for each annotator, if they are few; and what else was checked.

    Truths are drawn again under the middle reliability only, and not for each annotator. A note says if another truth than the default
    leads.
    """
    rows, checked = _checks(context, notes)
    main = next((e for e in rows if (e.reliability, e.annotator) == (context.reliability, None)), None)
    notes += filter(None, [chosen(context.checked, main)])
    return {"panel_check": rows, "truth_checks": checked}


def _checks(context: Context, notes: list[Note]) -> tuple[list[PanelRow], Sequence[CheckedTruth]]:
    known, how = context.known.judged, context.aggregation
    if how not in OPTIONS or known is None:
        return [], context.checked
    if known.n_cases * known.n_classes > MOST_CELLS:
        notes.append(Note("too_large", "Annotators were not held out: over {most:,} cases x classes.", most=MOST_CELLS))
        return [], context.checked
    sampled = how == "plackett-luce"
    each = 0 < len(known.annotators) <= MOST_ANNOTATORS and _is_quick(context)
    own = context.making.annotator_reliability
    found: dict[float | None, PanelCheck] = {}
    with notices.heard():
        try:
            halves = _halves(context, known)
            for reliability in [context.reliability] if sampled else dict.fromkeys(row.reliability for row in context.certainty):
                weight = reliability if own is None else {name: reliability * value for name, value in own.items()}
                options = options_of(how, weight, context.making)
                found[reliability] = halves.check(how.replace("-", "_"), each and reliability == context.reliability, options)
        except ValueError:  # no case has two annotators
            return [], context.checked
    main = found.get(context.reliability)
    if main is not None and main.p_value < REFUTED and not context.checked:
        words = "The truth model does not describe these annotators (at {truth}): {sentence}"
        notes.append(Note("truth_model_refuted", words, truth=truth_name(context.reliability), sentence=main.sentence()))
    checked: Sequence[CheckedTruth] = context.checked
    if not checked and main is not None and main.p_value < SIGNIFICANT:  # one that was asked for: another one may describe them
        checked = cures(known, replace(context.making, prior=by_name.Making.prior, fit=None), context.clusters, halves, context.times)
    rows = [row for reliability, one in found.items() for row in _rows(one, reliability, context.options.level)]
    return rows, checked


def _halves(context: Context, known: Any) -> Halves:
    """Return the annotations with one of each case held out, of all equal cases of a row."""
    if context.times is not None:
        return Halves.of_rows(known, context.times, context.making.seed)
    return Halves.of(known, 1, context.clusters, context.making.seed)


def _is_quick(context: Context) -> bool:
    """Return whether the truth model is computed for each annotator."""
    return context.aggregation in ("dirichlet", "prirn") and np.ndim(context.making.prior) < 2


def _rows(found: PanelCheck, reliability: float | None, level: float) -> Iterator[PanelRow]:
    ends = both(found.interval(level))
    yield PanelRow(reliability, None, found.predicted, found.observed, *ends, finite(found.p_value), None, found.n_cases)
    parts = found.per_annotator
    if parts is None:
        return
    for a, own in enumerate(parts.intervals(level)):
        yield PanelRow(
            reliability, str(parts.name[a]), float(parts.predicted[a]), float(parts.observed[a]), *both(own),
            finite(parts.p_value[a]), finite(parts.adjusted_p_value[a]), int(parts.n_cases[a]),
        )  # fmt: skip
