"""The cautions of the first page: rules that say what a reader must know before quoting a number, most serious first."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from .._base.counts import counted, whole
from ..annotations.adjudication import ASKED
from ..tables.panel import REFUTED
from ..tables.rows import defined
from ..tables.standings import MetricRow
from ..tables.worklist import UnanimousRow
from . import wording
from .departures import differences
from .digest import Digest, joined, kind_of_data, names, shown
from .digits import Digits
from .markup import first_row, link, plain

MOST = 6
FEW_CLUSTERS, VERY_FEW_CLUSTERS, FEW_ANNOTATORS = 30, 10, 5
SINGLE = 0.2  # share of cases with one annotation from which a caution is given
FREE = 0.15  # difference of the best model to the constant answer (for errors: share of its error) below which a caution is given


class Caution(NamedTuple):
    """A claim of a few words, and the sentence that explains it; serious ones have the colour of warnings."""

    serious: bool
    claim: str
    sentence: str


# What makes every number of a model doubtful: a claim, and words of the notes that say it (suspicions.py).
SPOILT = (
    (
        "A model repeats the annotations",
        ("is a model and an annotator", "are the labels of annotator", "are the shares of the labels"),
    ),
    ("A model may have seen the annotations", ("it has seen them, or annotators",)),
    (
        "A model may be read wrongly",
        ("agrees with the voted label no better than by chance", "columns may be permuted"),
    ),
)
NOTED = (
    (
        ASKED,
        Caution(
            True, "Adjudicated design",
            "Some cases seem to have further annotations because the first ones differed. Agreement and debiased losses are computed "
            "from the first ones.",
        ),
    ),
    (
        "An annotator gave several",
        Caution(
            True, "Several labels of a case by one annotator",
            "Each of them counts, as second readings do. If one of them is a mistake, remove it from the file. The notes say how often "
            "this is so, and where first.",
        ),
    ),
    (
        "Read as different cases",
        Caution(
            True, "Cases of one name in two spellings",
            "They were read as different cases, so that labels of one case may be apart. If they are one case, write their names alike. "
            "The notes name them.",
        ),
    ),
    (
        "Counted as annotators, though",
        Caution(
            True, "A consensus or a model among the annotators",
            "An annotator has the name of a consensus, a truth or a model. If it depends on other annotators, they agree too often and the "
            "truth seems too certain. The notes name it.",
        ),
    ),
)  # fmt: skip
NOT_CORRECTNESS = Caution(
    True, "Agreement, not correctness",
    "These are rates of agreement with a truth drawn from the annotations, not the probability that a model is right. A model that knows "
    "more than the annotators gets no credit for it; one that is always right may score below the ceiling.",
)  # fmt: skip
NOT_ERRORS = Caution(
    True, "Distance to the annotators’ truth",
    "These are distances to a truth drawn from the annotations, not errors against a verified truth. A model that knows more than the "
    "annotators gets no credit for it; one that is always right may stay above the floor.",
)  # fmt: skip


def cautions(digest: Digest) -> list[Caution]:
    """Return at most six cautions; if there are more, five and the number of the others."""
    found, left = list(_all(digest)), len(further(digest))
    return [*found[: MOST - 1], Caution(False, f"{left} more", f"are in {link('notes', 'the notes')}.")] if left else found


def further(digest: Digest) -> list[Caution]:
    """Return the cautions for which the first page has no room."""
    found = list(_all(digest))
    return found[MOST - 1 :] if len(found) > MOST else []


def spoilt(notes: Sequence[str]) -> list[tuple[str, list[str]]]:
    """Return what makes every number of a model doubtful: claims, each with the notes that say it."""
    found = [(claim, [note for note in notes if any(word in note for word in words)]) for claim, words in SPOILT]
    return [(claim, said) for claim, said in found if said]


def _all(digest: Digest) -> Iterator[Caution]:
    source, facts = digest.source, digest.source.data
    said = [str(note) for note in source.notes]
    for claim, found in spoilt(said):
        yield Caution(True, claim, plain(found[0]) + _others(found))
    departs = [name.replace("_", " ") for name in differences(source)]
    if departs:
        yield Caution(
            True, "The run departs from the plan",
            f"It differs in {joined(departs)} ({link('plan', 'planned and run')}). What was not chosen beforehand is exploratory.",
        )  # fmt: skip
    n = digest.n_clusters
    if n is not None and n < FEW_CLUSTERS:
        none = (
            "No interval can be trusted, and none is shown on this page."
            if n < VERY_FEW_CLUSTERS
            else "Intervals tend to be too narrow below 30 clusters."
        )
        yield Caution(True, f"Only {counted(n, 'cluster')}", f"Cases of a cluster were kept together. {none}")
    yield from (caution for word, caution in NOTED if any(word in note for note in said))
    yield NOT_CORRECTNESS if digest.headline.higher_is_better else NOT_ERRORS
    for note in wording.said(source).note:
        yield Caution(False, "The authors add", plain(note))
    if any("Predicted labels were read" in note for note in said):
        yield Caution(
            False, "Labels without scores",
            "A model that gives one class per case does not order the others: its top-k shares are those of ties, and losses take each "
            "label as certain.",
        )  # fmt: skip
    unscaled = [note for note in said if "are not probabilities of the grades" in note]
    if unscaled:
        yield Caution(True, "Scores that are no probabilities", plain(unscaled[0]) + _others(unscaled))
    yield from _of_annotations(digest)
    if facts.n_annotators is None and digest.source.data.kind in ("labels", "rankings"):
        yield Caution(
            False,
            "Annotators are not identified",
            "Intervals are over cases only. Whether a few annotators drive the result cannot be checked.",
        )
    elif facts.n_annotators:
        k = facts.n_annotators
        rows = [digest.row(m, digest.main) for m in digest.models]
        named = not digest.withheld and any(e is not None and e.two_way_low is not None for e in rows)
        quote = "The second interval in the table is for other annotators like these, too: quote it beside the first."
        further = quote if named else "Another panel may move the values further."
        held = "Results" if digest.withheld else "Intervals"
        cases = "" if digest.withheld else "Cases were resampled, annotators were not. "
        yield Caution(
            k < FEW_ANNOTATORS, f"{held} are for these {whole(k)} annotators" if k > 1 else "One annotator",
            f"{cases}{further}" if k > 1 else "One annotator cannot show how much annotators differ.",
        )  # fmt: skip
    if facts.n_classes == 2 and any(e.metric == "hard_auroc" for e in source.rows(MetricRow)):
        yield Caution(
            False, "Two scales of AUROC",
            "The soft AUROC has its ceiling below 1; the one against the voted label, in the files, at 1. Do not compare them.",
        )  # fmt: skip
    yield from _of_cases(digest)
    if not (source.provenance.plan or {}):
        compared = len(
            {
                (e.metric, e.k)
                for e in source.rows(MetricRow)
                if not e.metric.startswith(("voted_", "hard_")) and (e.k in (None, 1) or e.k < facts.n_classes)
            }
        )
        pairs = len(digest.models) * (len(digest.models) - 1) // 2
        if compared > 1 or pairs > 1:
            yield Caution(
                False, "No plan was given",
                f"{compared} measures{f' of {pairs} pairs of models' if pairs > 1 else ''} were computed. Treat what they show as "
                "exploratory.",
            )  # fmt: skip


def _others(found: Sequence[str]) -> str:
    """Return a sentence on the notes that say the same of something else; empty if there are none."""
    return f" The notes have {len(found) - 1} more of this kind." if len(found) > 1 else ""


def _of_annotations(digest: Digest) -> Iterator[Caution]:
    """Yield the cautions about single annotations, the baseline and the reliability."""
    sizes = [n for n in digest.source.cases.n_annotations if n is not None]
    single = sizes.count(1)
    if single and single >= SINGLE * len(sizes):
        yield Caution(
            True, counted(single, "case", ("has", "have")) + " one annotation",
            f"{'They' if single > 1 else 'It'} cannot show disagreement: the certainty rests on one annotation and on the assumptions.",
        )  # fmt: skip
    constant, of_choices = digest.constant(), digest.headline.higher_is_better
    if constant is not None and not of_choices and digest.value(digest.models[0]) >= (1 - FREE) * defined(constant.value):
        yield Caution(
            True, "Little is gained over a constant",
            f"Always answering “{shown(constant.answer)}” differs by {digest.amount(defined(constant.value))}. Quote the lead over it, not "
            "the value alone.",
        )  # fmt: skip
    if constant is not None and of_choices and digest.value(digest.models[0]) - defined(constant.value) <= FREE:
        share = Digits(0).percent(constant.value)
        yield Caution(
            True,
            f"{share} is free",
            f"Always answering “{shown(constant.answer)}” reaches {share}. Quote the lead over it, not the value alone"
            f"{_over_constant(digest)}.",
        )
    yield from _misfit(digest)
    found = [r for r in digest.reliabilities if r is not None]
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
                f"{anchor(digest)}{who} {said}. Quote both.",
            )  # fmt: skip
    elif len(found) == 1:
        yield Caution(True, "One reliability only", f"{anchor(digest)}Whether the result depends on the reliability was not examined.")
    if str(digest.source.provenance.command).split()[:2] == ["ugt", "demo"]:
        yield Caution(True, "Generated data", "The cases and models are simulated: no number describes a real model or patient.")


def _misfit(digest: Digest) -> Iterator[Caution]:
    """Yield a caution if the truth model does not predict how often a further annotator agrees with the others."""
    e = digest.held_out
    if e is not None and digest.misfit(REFUTED):
        digits = Digits.of([(e.low, e.high)])
        yield Caution(
            True, "The truth model does not fit",
            f"An annotator who was held out agrees with the vote of the others in {digits.percent(e.observed)} of cases; the truth "
            f"model predicts {digits.percent(e.predicted)}. Its prior or its reliability does not describe these annotators.",
        )  # fmt: skip


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
    return f"At reliability {digest.main:g}, {equal} leave {open_} open. "


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
