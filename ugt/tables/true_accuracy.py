"""What labels say of the accuracy against the true class, and the models compared with one more annotator."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from .._base.claims import LeadEnds
from .._base.notes import Note
from ..annotations import Labels
from ..annotations.other_annotators import of_cases
from ..metrics import accuracy_bounds
from ..metrics.any_difficulty import cells_of
from ..metrics.bounds import LEAST_CASES, Assumed, outer_ends
from ..metrics.next_annotator import next_annotator_agreement
from ..metrics.true_class import condition_of
from ..truth import TrueClassStatements, dirichlet, fit_dirichlet_prior
from ..truth.true_class import RELIABILITIES, statements_of
from .context import MOST_WORK, Ask, Made
from .names import ANY_DIFFICULTY, COMMONEST, DIRICHLET, LATENT_CLASS, TOP
from .other_annotators import for_others
from .rows import Number, defined, finite, value_of, with_ends

if TYPE_CHECKING:
    from .._base.arrays import Array, NDArray
    from ..metrics import TrueClassBounds
    from ..metrics.next_annotator import NextAnnotatorAgreement
    from ..resampling import Resamples
    from .context import Context


class TrueAccuracyRow(NamedTuple):
    """What the labels say of the accuracy of a model against the true class, under one condition on the annotators; shares from 0 to 1.

    ``low`` to ``high`` is the statement, ``shared_low`` to ``shared_high`` with the share ``shared_error`` of errors of all annotators;
    ``lower`` and ``upper`` are estimates of the ends, no statement without them. ``use``: main, beside (with its condition) or refused;
    ``reason``: why. ``independent``: if the model, too, errs independently. ``tipping_error``: the share of cases in which annotators as a
    group are wrong from which "above ``claim``" is no longer shown; ``reference_cases``: cases with a reference for a half width of 0.05.
    """

    model: str
    assume: str
    use: str
    reason: str
    low: Number = None
    high: Number = None
    lower: Number = None
    upper: Number = None
    shared_error: Number = None
    shared_low: Number = None
    shared_high: Number = None
    independent: Number = None
    independent_low: Number = None
    independent_high: Number = None
    shares_errors: bool | None = None
    determined: bool | None = None
    form: str = ""
    claim: Number = None
    claim_of: str = ""  # whose value it is: "stated", or the commonest class under the main truth
    tipping_error: Number = None
    reference_cases: int | None = None
    n_groups: int | None = None
    n_cases: int | None = None

    @property
    def condition(self) -> str:
        """The condition of the statement, in words."""
        return condition_of(self.assume, self.form)


class NextAnnotatorRow(NamedTuple):
    """Agreement of a model with one annotator, that of annotators with each other, and their difference, in [-1, 1].

    ``two_way``: the interval of the difference over cases and annotators, who count as ``n_even`` with even shares of the labels, or as
    ``n_groups`` that share no case.
    """

    model: str
    agreement: Number
    agreement_low: Number
    agreement_high: Number
    annotators: Number
    annotators_low: Number
    annotators_high: Number
    difference: Number
    difference_low: Number
    difference_high: Number
    n_cases: int
    two_way_low: Number
    two_way_high: Number
    n_even: Number
    n_groups: int | None
    one_by_one: bool  # whether it leaves annotators out one by one, which carries no claim for others

    @property
    def more_often(self) -> LeadEnds:
        """The difference, as a lead of the model."""
        both = self.two_way_low, self.two_way_high, self.n_even, self.n_groups, self.one_by_one
        return LeadEnds(defined(self.difference), self.difference_low, self.difference_high, *both)


TABLES = {"true_accuracy": TrueAccuracyRow, "next_annotator": NextAnnotatorRow}
MAIN, BESIDE, REFUSED = "main", "beside", "refused"
STATED = "stated"
HALF_WIDTH = 0.05  # of the accuracy on cases with a reference
MOST_MODELS = 8
MOST_ANNOTATORS, MOST_CLASSES = 60, 20  # of a latent class: with more, the fit takes many seconds
MOST_CHECKED = 5  # classes with which the fit of a latent class is checked: with more, each of many fits may take seconds
FITS = 39  # data sets of the check
MOST_LABELS = 2 * 10**5  # labels x classes from which the fit is checked on some of the cases
MOST_PROGRAMME = 4 * 10**4  # squares of cells of all linear programmes together: some seconds
UNCHECKED = "It holds if all cases are equally hard, which an evaluation does not check for over {most} classes."
TOO_LARGE = "The fit of {annotators:,} annotators and {classes:,} classes is too large for an evaluation; call accuracy_bounds."


def make(context: Context, notes: list[Note]) -> Made:
    """Return the statements for each model; agreement with one more annotator."""
    if not context.scores:
        return {}
    labels, known = context.known.labels, context.known.judged
    rows = [] if labels is None or labels.n_classes < 2 or not labels.counts().any() else list(_statements(context, labels, notes))
    wanted = _under_posteriors(context, labels, rows) if labels is not None else []
    n = context.options.affordable(max((one.work for *_, one in wanted), default=0) + 5 * context.n_cases, most=MOST_WORK)
    if known is None and context.known.annotations is not None:
        words = "Agreement with one more annotator was not computed: some cases with rankings have no predictions."
        notes.append(Note("unjudged_rankings", words))
    how = {"ties": context.options.ties, "frequency": context.times}
    people = [] if known is None else [next_annotator_agreement(known, s, **how) for s in context.scores.values()]  # type: ignore[arg-type]
    asks = [Ask(one, n, context.counted) for *_, one in wanted]
    found = yield [*asks, *(Ask(one, context.options.n_resamples, context.counted) for one in people)]
    return {
        "true_accuracy": _with_union(context, rows, wanted, found[: len(asks)]),
        "next_annotator": list(_beside(context, people, found[len(asks) :])),
    }


# ---- statements


def _statements(context: Context, labels: Labels, notes: list[Note]) -> Iterator[TrueAccuracyRow]:
    """Yield the rows of each model: any difficulty, latent class, Dirichlet posterior."""
    models = list(context.scores)[:MOST_MODELS]
    if len(models) < len(context.scores):
        words = "Statements on the accuracy against the true class are of the first {n} models only."
        notes.append(Note("some_models", words, n=len(models)))
    which = allowed(labels, context.making.seed, context.clusters, context.times)
    affordable = _affordable(labels, notes, len(models)) if which.use[ANY_DIFFICULTY] == MAIN else len(models)
    for i, model in enumerate(models):
        claim, whose = _claim(context)
        for assume in (ANY_DIFFICULTY, LATENT_CLASS, DIRICHLET):
            use, reason = which.use[assume], which.reasons[assume]
            if use not in (MAIN, BESIDE):
                yield TrueAccuracyRow(model, assume, REFUSED, reason)
            elif assume == ANY_DIFFICULTY and i >= affordable:
                yield TrueAccuracyRow(model, assume, REFUSED, "It was computed for the first models only, because it takes long.")
            elif assume == DIRICHLET:
                yield TrueAccuracyRow(model, assume, use, reason)
            else:
                yield _statement(context, labels, TrueAccuracyRow(model, assume, use, reason, claim=claim, claim_of=whose))


def allowed(labels: Labels, seed: int, clusters: NDArray[Any] | None = None, times: Array | None = None) -> TrueClassStatements:
    """Return which statements the labels allow; of very many cases some are checked. ``clusters`` (N,): ids.

    ``times`` (N,): how many equal cases each row stands for; all rows are checked.

    A latent class of many classes is not checked, and that of very many classes or annotators is refused.
    """
    work, n_annotators = labels.n_labels * labels.n_classes, len(labels.annotators)
    if clusters is not None and len(np.unique(clusters[np.diff(labels.offsets) > 0])) < 2:
        clusters = None  # accuracy_bounds says why there are no intervals
    checked = labels
    if work > MOST_LABELS and times is None:
        some = np.arange(0, labels.n_cases, -(-work // MOST_LABELS), dtype=np.int64)
        checked, clusters = of_cases(labels, some), None if clusters is None else clusters[some]
    large = n_annotators > MOST_ANNOTATORS or labels.n_classes > MOST_CLASSES
    named = n_annotators > 0 and bool((labels.annotator >= 0).all())
    if not large and not (named and labels.n_classes > MOST_CHECKED):
        return statements_of(checked, clusters, FITS, seed, solved=False, times=times)
    found = statements_of(Labels.from_counts(checked.counts()), clusters, FITS, seed, solved=False, times=times)
    reason = TOO_LARGE.format(annotators=n_annotators, classes=labels.n_classes) if large else UNCHECKED.format(most=MOST_CHECKED)
    use, reasons = {**found.use, LATENT_CLASS: "no" if large else BESIDE}, {**found.reasons, LATENT_CLASS: reason}
    return TrueClassStatements(use, reasons, found.p_latent, found.form, found.p_panel, found.labels_per_case)


def _affordable(labels: Labels, notes: list[Note], n_models: int) -> int:
    """Return for how many models the linear programme is solved; a note says if these are not all."""
    counts = labels.counts()
    k = max(2, int(counts.any(axis=0).sum()))
    sizes = np.unique(counts.sum(axis=1)).tolist()
    cells = sum(len(cells_of(k, size, 0.0, False).kind) for size in sizes if size)
    n = min(n_models, max(1, MOST_PROGRAMME // max(1, cells**2)))
    if n < n_models:
        words = "The accuracy whatever the difficulty of the cases was computed for the first {n} of {n_models} models: each takes seconds."
        notes.append(Note("some_models", words, n=n, n_models=n_models))
    return n


def _claim(context: Context) -> tuple[Number, str]:
    """Return the claimed accuracy and whose it is: the stated one, or that of always giving the commonest class under the main truth."""
    if context.options.claim is not None:
        return context.options.claim, STATED
    wanted = COMMONEST, context.reliability, TOP, 1
    return value_of(next((row for row in context.references if row[:4] == wanted), None)), COMMONEST


def _statement(context: Context, labels: Labels, row: TrueAccuracyRow) -> TrueAccuracyRow:
    """Return the row with its numbers; refused with the reason if the function gives no interval."""
    options = context.options
    try:
        found: TrueClassBounds = accuracy_bounds(
            labels, context.scores[row.model], ties=options.ties, assume=row.assume, level=options.level, clusters=context.clusters,
            frequency=context.times,
        )  # fmt: skip
    except ValueError as why:  # too few cases that are judged
        return TrueAccuracyRow(row.model, row.assume, REFUSED, _sentence(str(why)))
    if found.reason:
        return TrueAccuracyRow(row.model, row.assume, REFUSED, _sentence(found.reason))
    error = options.shared_error or None
    tipping = None if row.claim is None else finite(found.tipping_error(row.claim))
    alone = f" The accuracy under independent errors is not given: {found.why_not_independent}." if found.why_not_independent else ""
    return row._replace(
        reason=row.reason + alone,
        low=found.low, high=found.high, lower=finite(found.lower), upper=finite(found.upper), shared_error=error,
        shared_low=None if error is None else max(0.0, found.low - error),
        shared_high=None if error is None else min(1.0, found.high + error),
        independent=finite(found.independent), independent_low=finite(found.independent_low),
        independent_high=finite(found.independent_high), shares_errors=bool(found.shares_errors), determined=bool(found.determined),
        form=found.form, tipping_error=tipping, reference_cases=found.reference_cases(HALF_WIDTH), n_groups=found.n_groups,
        n_cases=found.n_cases,
    )  # fmt: skip


def _sentence(reason: str) -> str:
    return f"{reason[:1].upper()}{reason[1:].rstrip('.')}."


# ---- a Dirichlet posterior that is not refuted, over reliabilities


def _under_posteriors(context: Context, labels: Labels, rows: Sequence[TrueAccuracyRow]) -> list[tuple[str, float, Assumed]]:
    """Return the bounds of each model under the posterior of each reliability, if the labels do not refute the posterior."""
    models = [row.model for row in rows if row.assume == DIRICHLET and row.use != REFUSED]
    if not models or context.top is None:
        return []
    alpha = np.asarray(fit_dirichlet_prior(labels, frequency=context.times).value)
    found = []
    for gamma in RELIABILITIES:
        pi = dirichlet(labels, reliability=gamma, prior=gamma * alpha).membership(1, ties=context.options.ties)
        found += [(model, gamma, Assumed(pi, context.choices[model], 1, LEAST_CASES, context.times)) for model in models]
    return found


def _with_union(
    context: Context, rows: Sequence[TrueAccuracyRow], wanted: Sequence[tuple[str, float, Any]], found: Sequence[Resamples]
) -> list[TrueAccuracyRow]:
    """Return the rows, with the union of the intervals over reliabilities in those of the posterior."""
    ends: dict[str, list[tuple[float, float]]] = {}
    for (model, _, _), drawn in zip(wanted, found):
        ends.setdefault(model, []).append(outer_ends(drawn, context.options.level))
    numbers = {model: np.array(own) for model, own in ends.items()}
    return [_joined(row, numbers.get(row.model), context.number(np.ones(context.n_cases, bool))) for row in rows]


def _joined(row: TrueAccuracyRow, ends: Array | None, n_cases: int) -> TrueAccuracyRow:
    """Return the row of a posterior with the union of the intervals, refused if there are none; other rows as they are."""
    if row.assume != DIRICHLET or row.use == REFUSED:
        return row
    if ends is None or not np.isfinite(ends).all():
        return row._replace(use=REFUSED, reason="The posteriors of these labels have no bounds with an interval.")
    return row._replace(low=finite(ends[:, 0].min()), high=finite(ends[:, 1].max()), n_cases=n_cases)


# ---- one more annotator


def _beside(context: Context, people: Sequence[NextAnnotatorAgreement], found: Sequence[Resamples]) -> Iterator[NextAnnotatorRow]:
    for model, one, drawn in zip(context.scores, people, found):
        own, among, difference = (with_ends(*known) for known in zip(drawn.estimate.tolist(), context.intervals(drawn).tolist()))
        others = for_others(context, one.statistic, one.statistic.names.index("difference"), difference[1:])
        yield NextAnnotatorRow(
            model, *own, *among, *difference, one.n_cases,
            others.low, others.high, others.n_even, others.n_groups, bool(others.one_by_one),
        )  # fmt: skip
