"""The cautions of the first page: rules that say what a reader must know before quoting a number, most serious first."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import Callable, NamedTuple

from .._base.counts import counted, whole
from .._base.notes import Note
from ..tables.latent_class import LatentClassRow
from ..tables.panel import REFUTED
from ..tables.rows import defined
from ..tables.sensitivity import IN_PROPORTION, SensitivityRow
from ..tables.standings import MetricRow
from ..tables.true_accuracy import TrueAccuracyRow
from ..tables.worklist import UnanimousRow
from . import wording
from .departures import differences
from .digest import Digest, joined, names, shown
from .digits import Digits
from .markup import first_row, link, plain
from .true_class import made_by_errors, of_true_class
from .truths import mean_agreement, mending, nothing_fits, replaced, unlike
from .words import kind_of_data
from .yardsticks import rare_area, rare_class

MOST = 6
FEW_CLUSTERS, VERY_FEW_CLUSTERS, FEW_ANNOTATORS = 30, 3, 5
SINGLE = 0.2  # share of cases with one annotation from which a caution is given
FREE = 0.15  # difference of the best model to the constant answer (for errors: share of its error) below which a caution is given


class Caution(NamedTuple):
    """A claim of a few words, and the sentence that explains it; serious ones have the colour of warnings."""

    serious: bool
    claim: str
    sentence: str


# What makes every number of a model doubtful: a claim, and the codes of the notes that say it.
SPOILT = (
    ("A model repeats the annotations", ("model_and_annotator", "labels_of_annotator", "shares_of_labels")),
    ("A model may have seen the annotations", ("labels_seen",)),
    ("A model may be read wrongly", ("rows_shifted", "columns_permuted", "as_by_chance")),
)
# Cautions that a note gives as it is found, by its code.
NOTED = {
    "adjudicated": Caution(
        True, "Adjudicated design",
        "Some cases seem to have further annotations because the first ones differed. Agreement and debiased losses are computed "
        "from the first ones.",
    ),
    "panels": Caution(
        False, "Annotators in panels of their own",
        "Some annotators share no case with others, as those of different sites do. What is for others is then for other panels with "
        "cases of their own: it needs three panels, and six for a claim without a normal law. Other annotators of these panels have an "
        "interval of their own.",
    ),
    "several_labels": Caution(
        True, "Several labels of a case by one annotator",
        "Each of them counts, as second readings do. If one of them is a mistake, remove it from the file. The notes say how often "
        "this is so, and where first.",
    ),
    "cases_alike": Caution(
        True, "Cases of one name in two spellings",
        "They were read as different cases, so that labels of one case may be apart. If they are one case, write their names alike. "
        "The notes name them.",
    ),
    "consensus_counted": Caution(
        True, "A consensus or a model among the annotators",
        "An annotator has the name of a consensus, a truth or a model. If it depends on other annotators, they agree too often and the "
        "truth seems too certain. The notes name it.",
    ),
}  # fmt: skip
# The same, below what is always said and the notes of the authors.
NOTED_BELOW = {
    "predicted_labels": Caution(
        False, "Labels without scores",
        "A model that gives one class per case does not order the others: its top-k shares are those of ties, and losses take each "
        "label as certain.",
    ),
}  # fmt: skip
NOT_ERRORS = Caution(
    True, "Distance to the annotators’ truth",
    "These are distances to a truth drawn from the annotations, not errors against a verified truth. A model that knows more than the "
    "annotators gets no credit for it; one that is always right may stay above the floor.",
)  # fmt: skip


def cautions(digest: Digest) -> list[Caution]:
    """Return at most six cautions; if there are more, five and the number of the others."""
    found, left = every(digest), len(further(digest))
    return [*found[: MOST - 1], Caution(False, f"{left} more", f"are in {link('notes', 'the notes')}.")] if left else found


def further(digest: Digest) -> list[Caution]:
    """Return the cautions for which the first page has no room."""
    found = every(digest)
    return found[MOST - 1 :] if len(found) > MOST else []


def every(digest: Digest) -> list[Caution]:
    """Return all cautions in the order of ``RULES``; those of numbers under a truth model only if one describes the annotators."""
    return [caution for rule in RULES if not (digest.source.unfit and rule in OF_TRUTHS) for caution in rule(digest)]


def spoilt(notes: Sequence[Note]) -> list[tuple[str, list[str]]]:
    """Return what makes every number of a model doubtful: claims, each with the sentences of the notes that say it."""
    found = [(claim, texts_of(notes, *codes)) for claim, codes in SPOILT]
    return [(claim, said) for claim, said in found if said]


def texts_of(notes: Sequence[Note], *codes: str) -> list[str]:
    """Return the sentences of the notes with one of these codes."""
    return [note.text for note in notes if note.code in codes]


def _spoilt(digest: Digest) -> Iterator[Caution]:
    for claim, found in spoilt(digest.source.notes):
        yield Caution(True, claim, plain(found[0]) + _others(found))


def _departs(digest: Digest) -> Iterator[Caution]:
    departs = [name.replace("_", " ") for name in differences(digest.source)]
    if departs:
        yield Caution(
            True, "The run departs from the plan",
            f"It differs in {joined(departs)} ({link('plan', 'planned and run')}). What was not chosen beforehand is exploratory.",
        )  # fmt: skip


def _few_clusters(digest: Digest) -> Iterator[Caution]:
    n = digest.n_clusters
    if n is not None and n < FEW_CLUSTERS:
        none, narrow = "No interval can be trusted, and none is shown on this page.", "Intervals tend to be too narrow below 30 clusters."
        said = f"Cases of a cluster were kept together. {none if n < VERY_FEW_CLUSTERS else narrow}"
        yield Caution(True, f"Only {counted(n, 'cluster')}", said)


def _noted(table: Mapping[str, Caution], digest: Digest) -> Iterator[Caution]:
    """Yield the cautions of a table whose codes the notes have."""
    return (caution for code, caution in table.items() if texts_of(digest.source.notes, code))


def _always(digest: Digest) -> Iterator[Caution]:
    if not digest.headline.higher_is_better:
        yield NOT_ERRORS
        return
    other = (
        "knows more than the annotators gets no credit for it" if len(digest.models) < 2
        else f"makes the annotators’ errors gains by it and can be ahead of a better one{made_by_errors(digest)}"
    )  # fmt: skip
    right = "need not score 100%" if digest.ceiling is None else "may score below the ceiling"  # without one if it is refuted
    yield Caution(
        True, "Agreement, not correctness",
        "These are rates of agreement with a truth drawn from the annotations, not the probability that a model is right. A model that "
        f"{other}; one that is always right {right}.{of_true_class(digest)}",
    )  # fmt: skip


def _shared_errors(digest: Digest) -> Iterator[Caution]:
    """Yield a caution if the labels show that a model errs as the annotators do, and another one less."""
    bounds = {e.model for e in digest.source.rows(TrueAccuracyRow) if e.shares_errors and e.determined is not False}
    latent = {e.model: e for e in digest.source.rows(LatentClassRow)}
    alike = [m for m in digest.models if m in bounds or (m in latent and latent[m].shares_errors)]
    apart = [m for m in digest.models if m not in alike and ((m in latent and latent[m].errs_apart) or bounds)]
    if alike and (apart or len(digest.models) == 1):
        less = f"; those of {names(apart[:2])} do less, so that agreement favours {names(alike[:1])}" if apart else ""
        yield Caution(
            True, f"{names(alike[:1])} shares the annotators’ errors",
            f"Given the class behind the labels, its errors go with those of the annotators{less}. Agreement with them does not show how "
            "often it is right.",
        )  # fmt: skip


def _of_authors(digest: Digest) -> Iterator[Caution]:
    return (Caution(False, "The authors add", plain(note)) for note in wording.said(digest.source).note)


def _no_probabilities(digest: Digest) -> Iterator[Caution]:
    found = texts_of(digest.source.notes, "scores_no_probabilities")
    if found:
        yield Caution(True, "Scores that are no probabilities", plain(found[0]) + _others(found))


def _others(found: Sequence[str]) -> str:
    """Return a sentence on the notes that say the same of something else; empty if there are none."""
    return f" The notes have {len(found) - 1} more of this kind." if len(found) > 1 else ""


def _single(digest: Digest) -> Iterator[Caution]:
    cases = digest.source.cases
    sizes = [(n, times) for n, times in zip(cases.n_annotations, cases.often) if n is not None]
    single, of_all = sum(times for n, times in sizes if n == 1), sum(times for _, times in sizes)
    if single and single >= SINGLE * of_all:
        yield Caution(
            True, counted(single, "case", ("has", "have")) + " one annotation",
            f"{'They' if single > 1 else 'It'} cannot show disagreement: the certainty rests on one annotation and on the assumptions.",
        )  # fmt: skip


def _little_gained(digest: Digest) -> Iterator[Caution]:
    """Yield a caution if the best model is hardly better than always giving one answer."""
    constant = digest.constant()
    if constant is None:
        return
    value, free = digest.value(digest.models[0]), defined(constant.value)
    if digest.headline.higher_is_better and value - free <= FREE:
        share = Digits(0).percent(free)
        yield Caution(
            True, f"{share} is free",
            f"Always answering “{shown(constant.answer)}” reaches {share}. Quote the lead over it, not the value alone"
            f"{_over_constant(digest)}.",
        )  # fmt: skip
    elif not digest.headline.higher_is_better and value >= (1 - FREE) * free:
        yield Caution(
            True, "Little is gained over a constant",
            f"Always answering “{shown(constant.answer)}” differs by {digest.amount(free)}. Quote the lead over it, not the "
            "value alone.",
        )  # fmt: skip


def _reliability(digest: Digest) -> Iterator[Caution]:
    found = [r for r in digest.unrefuted if r is not None]
    if len(found) > 1:
        first = digest.models[0] if digest.models else None
        ends = [
            first_row(e for e in digest.limits if e.reliability == r) if first is None else digest.row(first, r)
            for r in (found[0], found[-1])
        ]
        values = [defined(e.value) for e in ends if e is not None]
        if len(values) == 2:
            said = digest.headline.at_both(digest.digits, (values[0], values[1]), (found[0], found[-1]))
            who = shown(first) if first is not None else "The ceiling" if digest.headline.higher_is_better else "The floor"
            yield Caution(
                True, "The reliability is assumed",
                "The reliability is the weight that annotations get: it is chosen, not estimated. "
                f"{anchor(digest)}{who} {said}",
            )  # fmt: skip
    elif len(found) == 1 and len(digest.reliabilities) > 1:
        yield Caution(True, "The reliability is assumed", f"{anchor(digest)}{_in_proportion(digest)}")
    elif len(found) == 1:
        yield Caution(True, "One reliability only", f"{anchor(digest)}Whether the result depends on the reliability was not examined.")


def _in_proportion(digest: Digest) -> str:
    """Return the sentences on reliabilities with this prior, which are refuted, and with one in proportion, which nobody can check."""
    others = joined([f"{r:g}" for r in digest.reliabilities if r is not None and r != digest.main])
    said = f"With this prior held-out annotators refute reliabilities {others}."
    if not digest.models or not digest.headline.higher_is_better:
        return said
    first = digest.models[0]
    rows = [e for e in digest.source.rows(SensitivityRow) if (e.kind, e.metric, e.model) == (IN_PROPORTION, digest.headline.metric, first)]
    ends = [(e.setting, e.value) for e in rows if e.value is not None]
    if len(ends) < 2:
        return said
    values = [f"{digest.digits.percent(value)} at {at}" for at, value in ends]
    quote = " Quote both." if len({digest.digits.percent(value) for _, value in ends}) > 1 else ""
    return f"{said} With a prior in proportion no label can decide between them: {shown(first)} has {' and '.join(values)}.{quote}"


def _generated(digest: Digest) -> Iterator[Caution]:
    if str(digest.source.provenance.command).split()[:2] == ["ugt", "demo"]:
        yield Caution(True, "Generated data", "The cases and models are simulated: no number describes a real model or patient.")


def _annotators(digest: Digest) -> Iterator[Caution]:
    """Yield what intervals say of other annotators."""
    facts = digest.source.data
    k = facts.n_annotators
    if k is None and facts.kind in ("labels", "rankings"):
        yield Caution(
            False, "Annotators are not identified",
            "Intervals are over cases only. Whether a few annotators drive the result cannot be checked.",
        )  # fmt: skip
    elif k == 1:
        yield Caution(True, "One annotator", "One annotator cannot show how much annotators differ.")
    elif k:
        rows = [digest.row(m, digest.main) for m in digest.models]
        named = not digest.withheld and not digest.source.unfit and any(e is not None and e.two_way_low is not None for e in rows)
        quote = "The second interval in the table is for other annotators like these, too: quote both."
        further = quote if named else "Another panel may move the values further."
        held, cases = ("Results", "") if digest.withheld else ("Intervals", "Cases were resampled, annotators were not. ")
        held, cases = ("First intervals", "Only cases were resampled for them. ") if named else (held, cases)
        yield Caution(k < FEW_ANNOTATORS, f"{held} are for these {whole(k)} annotators", f"{cases}{further}")


def _rare(digest: Digest) -> Iterator[Caution]:
    """Yield what each area is, if page one has those of a rare class."""
    rare = rare_class(digest, digest.models[0]) if len(digest.models) == 1 else None
    if rare is not None:
        row = digest.of_main(digest.models[0], "hard_auroc")
        hard, latent = row is not None and row.value is not None, rare_area(rare) is not None
        share = Digits(0 if min(rare.share, 1 - rare.share) >= 0.02 else 1).percent(rare.share)
        yield Caution(
            True, f"{('One area', 'Two areas', 'Three areas')[hard + latent]} of a rare class",
            f"{share} of the labels are “{shown(rare.class_)}”, and false ones are part of the soft truth: its area, and the share of "
            f"“{shown(rare.class_)}” that a model finds, can be too low.{hard * ' The hard one takes votes as certain.'}"
            f"{latent * ' The one against the latent class is right if score and annotators err independently.'}",
        )  # fmt: skip


def _two_scales(digest: Digest) -> Iterator[Caution]:
    if len(digest.models) == 1 and rare_class(digest, digest.models[0]) is not None:
        return
    if digest.source.data.n_classes == 2 and any(e.metric == "hard_auroc" for e in digest.source.rows(MetricRow)):
        yield Caution(
            False, "Two scales of AUROC",
            "The soft AUROC has its ceiling below 1; the one against the voted label, in the files, at 1. Do not compare them.",
        )  # fmt: skip


def _no_plan(digest: Digest) -> Iterator[Caution]:
    if digest.source.provenance.plan:
        return
    n_classes = digest.source.data.n_classes
    compared = sum(k in (None, 1) or k < n_classes for _, k in digest.measures)
    pairs = len(digest.models) * (len(digest.models) - 1) // 2
    if compared > 1 or pairs > 1:
        yield Caution(
            False, "No plan was given",
            f"{compared} measures{f' of {pairs} pairs of models' if pairs > 1 else ''} were computed. Treat what they show as "
            "exploratory.",
        )  # fmt: skip


def _misfit(digest: Digest) -> Iterator[Caution]:
    """Yield a caution if the truth model does not predict how often a further annotator agrees with the others."""
    e = digest.held_out
    if e is not None and digest.misfit(REFUTED) and digest.source.provenance.truth_chosen is None:
        seen, predicted = mean_agreement(digest, e)
        yield Caution(
            True, "The truth model does not fit",
            f"An annotator who was held out agrees with the vote of the others in {seen} of cases; the truth model predicts {predicted}. "
            f"{mending(digest)}",
        )  # fmt: skip


def _chosen(digest: Digest) -> Iterator[Caution]:
    """Yield a caution if another truth than the default leads, or if none describes the annotators."""
    if digest.source.unfit:
        yield Caution(True, "No truth model describes these annotators", nothing_fits(digest))
    elif digest.source.provenance.truth_chosen == "fits":
        yield Caution(True, "The default truth is refuted", replaced(digest))


def _unlike(digest: Digest) -> Iterator[Caution]:
    """Yield a caution if annotators, held out one by one, are not as the truth model says."""
    said = unlike(digest)
    if said:
        yield Caution(True, "Annotators are not all alike", said)


def _over_constant(digest: Digest) -> str:
    """Return the leads of the first two of several models over the constant answer; the verdict has that of a single one."""
    leads = [(m, digest.over_constant(m)) for m in digest.models[:2]] if len(digest.models) > 1 and not digest.withheld else []
    known = [(m, d, digest.digits.beside(d.low, d.high)) for m, d in leads if d is not None]
    said = [f"{names([m])} {digits.lead(d.value)}{digits.around(d.low, d.high)}" for m, d, digits in known]
    return f": {', '.join(said)} {digest.headline.units}" if said else ""


def anchor(digest: Digest) -> str:
    """Return what the main reliability means for a case whose annotations are all equal; empty if there is no such case."""
    e = first_row(e for e in digest.source.rows(UnanimousRow) if e.reliability == digest.main)
    if e is None or e.certainty is None or digest.main is None:
        return ""
    open_ = Digits(0 if e.certainty < 0.95 else 1).percent(1 - e.certainty)
    kind = kind_of_data(digest.source)
    equal = f"{e.n_annotations} equal {kind}" if kind == "labels" else f"{e.n_annotations} {kind} with the same first class"
    return f"At reliability {digest.main:g}, {equal} leave other classes a probability of {open_}. "


def _of_cases(digest: Digest) -> Iterator[Caution]:
    left = digest.source.left_out
    parts = [f"{plain(reason)}: {whole(n)}" for reason, n in dict(left).items()]
    unused = digest.source.data.n_unused_classes or 0
    if parts:
        never = f" {whole(unused)} classes were never named." if unused else ""
        total = sum(dict(left).values())
        claim = "One case was left out" if total == 1 else f"{whole(total)} cases were left out"
        yield Caution(False, claim, f"{'; '.join(parts)}.{never}")
    elif unused:
        yield Caution(
            False,
            f"{whole(unused)} classes were never named",
            f"They are among {whole(digest.source.data.n_classes)} classes; what the truth says of them comes from the prior alone.",
        )


# The order of the first page: what makes numbers wrong, what they are, what they rest on, what is missing.
RULES: tuple[Callable[[Digest], Iterable[Caution]], ...] = (
    _spoilt, _chosen, _departs, _few_clusters, partial(_noted, NOTED), _shared_errors, _always, _rare, _of_authors,
    partial(_noted, NOTED_BELOW), _no_probabilities, _single, _little_gained, _misfit, _unlike, _reliability, _generated, _annotators,
    _two_scales, _of_cases, _no_plan,
)  # fmt: skip
OF_TRUTHS = (_always, _little_gained, _unlike, _reliability, _two_scales)  # they quote or explain numbers under a truth model
