"""How often a model gives the true class, if there is one: intervals under named conditions, and why others are not given."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from html import escape

from ..._base.counts import whole
from ...tables.names import ANY_DIFFICULTY, DIRICHLET, LATENT_CLASS
from ...tables.rows import defined
from ...tables.source import ReportSource
from ...tables.true_accuracy import REFUSED, STATED, TrueAccuracyRow
from ..digest import Digest, names, shown
from ..digits import between, within
from ..markup import NONE, Section, bullets, finding, level_of, visible
from ..rows import below, first_of, plain_table

MOST_MODELS = 3  # most rows
WIDE = 0.8  # width of an interval that says hardly anything
TOPIC = "If there is a true class"
NAMES = {
    ANY_DIFFICULTY: "whatever the difficulty",
    LATENT_CLASS: "all cases equally hard",
    DIRICHLET: "the Dirichlet posterior with the fitted prior",
}
HEADS = {
    ANY_DIFFICULTY: "whatever the<br>difficulty of cases",
    LATENT_CLASS: "if all cases are<br>equally hard",
    DIRICHLET: "if the Dirichlet<br>posterior is right",
}
INDEPENDENT = "equally hard, and model<br>errs independently"
HOW = (
    "No label shows the true class. Each interval holds the accuracy against it under a condition on the annotators, whatever the model "
    "does; a model that copies the annotators, or knows more than they do, is included."
)
UNDETERMINED = "These labels do not determine how often the annotators err."
Rows = Mapping[str, TrueAccuracyRow]  # of one model, by condition


def render(source: ReportSource) -> Section | None:
    """Return the intervals of the best models, and the statements on the first; None if there are none, or if classes are grades."""
    return _made(source) if Digest(source).headline.higher_is_better else None


def appendix(source: ReportSource) -> Section | None:
    """Return the same of grades, whose first measure is a distance."""
    return None if Digest(source).headline.higher_is_better else _made(source)


def _made(source: ReportSource) -> Section | None:
    digest = Digest(source).of_choices
    found: dict[str, dict[str, TrueAccuracyRow]] = {}
    for e in source.rows(TrueAccuracyRow):
        found.setdefault(e.model, {})[e.assume] = _known(e)
    models = [m for m in digest.models if m in found]
    if not models or digest.withheld:
        return None
    first = found[models[0]]
    given = [a for a in NAMES if any(found[m][a].use != REFUSED for m in models)]
    table = _table(digest, given, {m: found[m] for m in models[:MOST_MODELS]}, models) if given else ""
    return finding(
        "true-class", TOPIC, _heading(models[0], first), f'<p class="how">{HOW}</p>', table, bullets(_said(digest, models[0], first))
    )


def _known(e: TrueAccuracyRow) -> TrueAccuracyRow:
    """Return a row without numbers that the labels do not determine, and with ends of shares from 0 to 1.

    An estimate above 1 keeps its ends: the model shares errors of the annotators.
    """
    if e.use != REFUSED and e.determined is False:
        return TrueAccuracyRow(e.model, e.assume, REFUSED, UNDETERMINED)
    low, high = within(e.independent_low, e.independent_high)
    if e.independent is None or (low, high) == (0.0, 1.0):  # such an interval says nothing
        return e._replace(independent=None, independent_low=None, independent_high=None)
    if e.independent > 1:
        return e._replace(shares_errors=True)
    return e._replace(independent_low=low, independent_high=high)


def _heading(model: str, rows: Rows) -> str:
    e = next((rows[a] for a in (ANY_DIFFICULTY, LATENT_CLASS) if rows[a].use != REFUSED), None)
    who = names([model])
    if e is None:
        return f"These labels do not say how often {who} gives the true class"
    if defined(e.high) - defined(e.low) > WIDE:
        return f"These labels hardly limit how often {who} gives the true class"
    if e.assume == ANY_DIFFICULTY:
        return f"{who} gives the class that most annotators like these would give in {between(e.low, e.high)} of cases"
    return f"If all cases are equally hard, {who} gives the class behind the labels in {between(e.low, e.high)} of cases"


def _table(digest: Digest, given: Sequence[str], rows: Mapping[str, Rows], models: Sequence[str]) -> str:
    """Return one row for each model, with an interval for each condition that is not refused."""
    latent = [own[LATENT_CLASS] for own in rows.values() if own[LATENT_CLASS].independent is not None]
    digits = digest.share_digits((e.independent_low, e.independent_high) for e in latent)
    with_errors = next((e for own in rows.values() for e in own.values() if e.shared_error and e.use != REFUSED), None)
    lines = []
    for model, own in rows.items():
        cells = [NONE if own[a].low is None else _bare(own[a].low, own[a].high) for a in given]
        e = own[LATENT_CLASS]
        alone = below(digits, e.independent, e.independent_low, e.independent_high)
        cells += [f"{alone}<small>shares errors</small>" if e.shares_errors else alone] if latent else []
        if with_errors is not None:
            one = next((own[a] for a in given if own[a].shared_low is not None), None)
            cells.append(NONE if one is None else _bare(one.shared_low, one.shared_high))
        lines.append((shown(model), cells))
    heads = ["", *(HEADS[a] for a in given), *([INDEPENDENT] if latent else [])]
    heads += [] if with_errors is None else [f"first column, and annotators<br>all wrong in {_percent(defined(with_errors.shared_error))}"]
    note = f"{_about(digest, with_errors)}{first_of(lines, models)}"
    return plain_table("Accuracy against the true class", note, heads, lines)


def _about(digest: Digest, with_errors: TrueAccuracyRow | None) -> str:
    """Return what the columns of the table are, and whose class they are about."""
    others = "" if with_errors is None else " but in the last column"
    return (
        f"{level_of(digest.source)} intervals, rounded outwards, %; the true class is the one that such annotators would give{others}; "
        "true_accuracy.csv has all digits"
    )


def _said(digest: Digest, model: str, rows: Rows) -> Iterator[str]:
    """Yield the statements on one model, each with its condition, then what would settle it, and what is not given."""
    level, who = level_of(digest.source), names([model])
    whatever, alike, posterior = (rows[a] for a in (ANY_DIFFICULTY, LATENT_CLASS, DIRICHLET))
    if whatever.use != REFUSED:
        yield (
            f"{whatever.condition}, the accuracy of {who} against the class that most annotators like these would give is "
            f"between {_and(whatever)} ({level} interval)."
        )
    if alike.use != REFUSED:
        yield (
            f"{alike.condition}, the accuracy of {who} against the class behind their labels is between {_and(alike)} ({level} interval). "
            f"{_ours(alike.reason)}"
        )
        yield from _alone(digest, who, alike)
    if posterior.use != REFUSED:
        yield (
            "Under Dirichlet posteriors with the fitted prior and reliabilities from 0.2 to 20, which predict a further label alike, the "
            f"accuracy of {who} is between {_and(posterior)}: a sensitivity analysis, without a level."
        )
    main = next((e for e in (whatever, alike) if e.use != REFUSED), None)
    if main is not None:
        yield _shared(digest, main)
        yield (
            f"With a reference, {whole(defined(main.reference_cases))} cases drawn at random would give the accuracy of {who} to within 5 "
            "percentage points, whatever the annotators’ errors."
        )
    yield from (f"Not given, {NAMES[a]}: {_ours(e.reason)}" for a, e in rows.items() if e.use == REFUSED)


def _bare(low: float | None, high: float | None) -> str:
    return between(low, high).replace("%", "")


def _and(e: TrueAccuracyRow) -> str:
    return between(e.low, e.high).replace(" to ", " and ")


def _alone(digest: Digest, who: str, e: TrueAccuracyRow) -> Iterator[str]:
    """Yield the accuracy if the model, too, errs independently, or that the labels refute this."""
    if e.independent is None:
        return
    digits = digest.share_digits([(e.independent_low, e.independent_high)])
    value = f"{digits.percent(e.independent)}{digits.in_brackets(e.independent_low, e.independent_high)}"
    if e.shares_errors:
        alone = f"if it erred independently of them, its accuracy would be {value}, which these bounds exclude"
        yield f"{who} shares the annotators’ errors: {alone}."
    else:
        yield f"If {who}, too, errs independently of the annotators, its accuracy is {value}."


def _shared(digest: Digest, e: TrueAccuracyRow) -> str:
    """Return what errors of all annotators do to the main statement, and to the claim."""
    said = "The labels do not show errors that all annotators share. "
    if e.shared_error:
        said += (
            f"If annotators as a group are wrong in at most {_percent(e.shared_error)} of cases, the accuracy against the true class is "
            f"between {between(e.shared_low, e.shared_high).replace(' to ', ' and ')}."
        )
    else:
        said += (
            "If annotators as a group are wrong in a share of the cases, subtract this share from the lower end and add it to the upper "
            "one."
        )
    if e.claim is None or e.tipping_error is None:
        return said
    constant = digest.constant()
    whose = "" if e.claim_of == STATED or constant is None else f", which always answering “{shown(constant.answer)}” reaches,"
    if e.tipping_error == 0:
        return f"{said} The claim “above {_percent(e.claim)}”{whose} is not shown even without such errors."
    upset = f"is no longer shown if they are wrong in {_percent(e.tipping_error)} of cases or more"
    return f"{said} The claim “above {_percent(e.claim)}”{whose} {upset}."


def _ours(reason: str) -> str:
    """Return a reason as markup of ours, whose words are those of the page."""
    return escape(visible(reason))


def _percent(share: float) -> str:
    return f"{100 * share:.3g}%"
