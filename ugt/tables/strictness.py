"""Who is strict: leniency and discrimination by the graded-response model, if the truth comes from it, or differences of the grades."""

from __future__ import annotations

from statistics import NormalDist
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from .._base import notices
from .._base.counts import counted
from .._base.notes import Note
from ..agreement import annotator_strictness
from .rows import Number, finite, with_ends

if TYPE_CHECKING:
    from .context import Context, Rows


class StrictnessRow(NamedTuple):
    """The leniency of an annotator, in standard deviations of the severity of the cases, and how sharply severities are separated."""

    annotator: str
    n_labels: int
    leniency: Number
    leniency_low: Number
    leniency_high: Number
    discrimination: Number
    discrimination_low: Number
    discrimination_high: Number


class StrictAnnotatorRow(NamedTuple):
    """An annotator's grades less those of the others in the same cases, and the standard deviations of both, in units of the grades."""

    annotator: str
    n_cases: int
    strictness: Number
    joint_low: Number
    joint_high: Number
    spread: Number
    others_spread: Number


TABLES = {"strictness": StrictnessRow, "strict_annotators": StrictAnnotatorRow}
CONVERGED = "The fit of the graded-response model did not converge: severities and annotators may change with more iterations."
APART = (
    "The annotators form {n} groups without shared cases: the leniency of annotators of different groups is compared by the assumption "
    "that their cases are alike."
)


def make(context: Context, notes: list[Note]) -> Rows:
    """Return the annotators, the most lenient first; notes say whether the fit converged and whether annotators can be compared."""
    fit = context.fitted
    if fit is None:
        return _of_differences(context, notes)
    notes += [] if fit.converged else [Note("not_converged", CONVERGED)]
    notes += [Note("panels", APART, n=fit.n_groups)] if fit.n_groups > 1 else []
    undetermined = int(np.isnan(fit.leniency_error[fit.n_labels > 0]).sum())
    if undetermined:
        words = "The labels do not determine the leniency of {annotators}: no interval is given."
        notes.append(Note("undetermined", words, annotators=counted(undetermined, "annotator")))
    z = NormalDist().inv_cdf(0.5 + context.options.level / 2)
    leniency, discrimination = (
        [with_ends(value, (value - away, value + away)) for value, away in zip(values.tolist(), (z * errors).tolist())]
        for values, errors in ((fit.leniency, fit.leniency_error), (fit.discrimination, fit.discrimination_error))
    )
    order = np.argsort(np.where(np.isnan(fit.leniency), np.inf, -fit.leniency), kind="stable").tolist()
    rows = [StrictnessRow(str(fit.annotators[a]), int(fit.n_labels[a]), *leniency[a], *discrimination[a]) for a in order]
    return {"strictness": rows}


def _of_differences(context: Context, notes: list[Note]) -> Rows:
    """Return how each annotator's grades differ from those of the others in the same cases, highest first; none unless they are named."""
    graded, known = context.graded, context.known
    given = None if graded is None else known.ratings if graded.values is None else known.labels
    if given is None or len(given.annotators) < 2:
        return {}
    with notices.heard() as said:
        found = annotator_strictness(given, clusters=context.clusters).table(context.options.level)
    notes += said
    columns = StrictAnnotatorRow._fields[2:]
    rows = [StrictAnnotatorRow._make((row["annotator"], row["n_cases"], *(finite(row[name]) for name in columns))) for row in found]
    return {"strict_annotators": rows}
