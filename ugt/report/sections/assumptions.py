"""The section on the truth model: how annotations became the truth, the parameters in numbers, the assumptions, and the limits."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from ...tables.names import INTEGRALS
from ...tables.panel import CheckedTruth, model_name
from ...tables.sensitivity import Diagnostic
from ...tables.source import PriorFit, Provenance, ReportSource
from .. import words
from ..digits import p_said
from ..markup import Section, bullets, definitions, number, section, subheading, table, text

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence


TITLE = "How annotations became truth"
_PARAMETERS = {
    "normal_prior": "location, kappa, shape and scale of the normal-inverse-gamma law, fitted to all cases",
    "prior": "added to the number of labels of every class, also of those that nobody gave",
    "background": "added to the concentration of every class, also of those that nobody named",
    "tie_weight": "split: classes that an annotator ties share the weight of their place; full: each has all of it",
    "pseudo_counts": "labels added to each confusion matrix, to each cell on and off its diagonal, and cases added to each class",
    "prior_mass": "how much all classes together count before any ranking is seen; blank: 1",
    "unranked": "what becomes of classes of a case that no annotator named: each has the prior of any class (individual), all of them "
    "together have that of one class (lump), or they have plausibility 0 (ignore)",
    "method": "whether cases are integrated (auto: with weighted points where that is impossible; exact: all of them), have weighted "
    "points, or draws of chains (gibbs)",
    "n_draws": "weighted points of a case, or draws kept of all chains together",
    "n_warmup": "sweeps at the start of each chain that are thrown away",
    "n_chains": "chains, each begun on its own",
}
_TIES = {
    "expectation": "classes with equal scores share their places, as if the order among them were drawn at random",
    "first": "of classes with equal scores the first in the order of classes comes first",
}

_EQUAL = "All annotators are equally good, at every case and for every class."
_INDEPENDENT = "Annotators of a case decide on their own: they do not copy each other, and are not misled by the same thing."
_ASSUMED = {
    "votes": [
        "The class that most annotators give is the true one, however close the vote. Of a ranking, only the first place counts.",
        _EQUAL,
    ],
    "dawid-skene": [
        "Each case has one true class; what annotators differ about is error, not ambiguity of the case.",
        "An annotator has the same confusion matrix at every case of a class, easy or difficult.",
        _INDEPENDENT,
    ],
    "graded-response": [
        "Each case has one true grade; the cases' severities follow a normal law.",
        "An annotator has the same leniency and discrimination at every case, and common thresholds between the grades.",
        _INDEPENDENT,
    ],
    "normal": [
        "The ratings of a case are independent draws from a normal law, without bounds of the scale.",
        _EQUAL,
        _INDEPENDENT,
        "Means and variances of all cases come from one prior, which was fitted to them.",
    ],
    "glad": [
        "Each case has one true class; what annotators differ about is error, not ambiguity of the case.",
        "An annotator who errs gives each of the wrong classes equally often.",
        _INDEPENDENT,
    ],
    "irn": [
        "The second place is worth half of the first, the third a third of it: a convention, not an estimate.",
        "A class that an annotator left out weighs nothing with this annotator.",
        _EQUAL,
    ],
    "prirn": [
        "The second place is worth half of the first, the third a third of it: a convention, not an estimate.",
        "The plausibilities vary around these weights as a Dirichlet distribution does: one number, the reliability, for all classes and "
        "cases. It is not derived from a model of how annotators rank.",
        _EQUAL,
    ],
    "dirichlet": [
        "The labels of a case are independent draws from its plausibilities: how often a class is given says how plausible it is.",
        _EQUAL,
        _INDEPENDENT,
        "The prior is the same for every case; cases say nothing about each other.",
    ],
    "plackett-luce": [
        "An annotator names classes one after the other, each time with chances in proportion to the plausibilities of those left.",
        "Tied classes: the order among them is not known. Classes left out come after all that were named.",
        _EQUAL,
        _INDEPENDENT,
        "The prior is the same for every case; cases say nothing about each other.",
    ],
}
_UNKNOWN = ["The plausibilities were made elsewhere: their assumptions are not known here and are for the authors to write."]
_ALWAYS = [
    "“Truth” is what annotators like these would come to agree on. Whether they would be right can only be seen by another means, such as "
    "a biopsy or a follow-up.",
    "UA accuracy is how often the first choice agrees with a truth drawn from what the annotations leave open. To read it as "
    "the probability that a model is right, one must assume that the model knows nothing about a case beyond its annotations. A model that "
    "sees the case may be right more often, one that shares the annotators' errors less often.",
    "Which cases were annotated, and by whom, is taken to have nothing to do with the truth of the case.",
]


def render(source: ReportSource) -> Section:
    """Return the section on the truth model, with its parameters, assumptions and limits."""
    facts = source.provenance
    aggregation = facts.aggregation
    done, limits = words.truth(aggregation)
    how = (
        "Plausibility is how probable a class is as the true class of a case, given its annotations; this section describes how it was "
        "computed. Every other number of the report rests on it: read the assumptions as what must hold for the numbers to mean what they "
        "say."
    )
    always = [one for one in _ALWAYS if aggregation != "normal" or not one.startswith("UA")]
    return section(
        "truth",
        TITLE,
        how,
        f"<p>{done}</p>",
        definitions(_facts(facts)),
        _checked(source),
        *_example(source),
        subheading("What is assumed"),
        bullets([*_ASSUMED.get(aggregation, _UNKNOWN), *always]),
        f"<p><b>Limits.</b> {limits} {_about_reliability(facts)}</p>",
        _integrals(source),
        _chains(source),
    )


def _checked(source: ReportSource) -> str:
    """Return the truth models that were compared with held-out annotators; empty if none was."""
    found = source.rows(CheckedTruth)
    if not found:
        return ""
    role = {"main": "main analysis", "default": "default, refuted"}
    rows = [
        [model_name(e), number(e.predicted), number(e.observed), p_said(e.p_value).removeprefix("p = ").removeprefix("p "),
         role.get(e.role, "refuted" if e.refuted else "not refuted")]
        for e in found
    ]  # fmt: skip
    how = (
        "<p>One annotator of each case was held out. Each truth model predicts from the others how often this annotator agrees with their "
        "vote; a p-value below 0.05 refutes it. The first truth model that is not refuted leads. A model that is not refuted can still be "
        "wrong.</p>"
    )
    return how + table("Truth models and held-out annotators", ["truth model", "predicted", "observed", "p", ""], rows)


def _chains(source: ReportSource) -> str:
    """Return the diagnostics of the Markov chains, for the worst case; empty if there were no chains."""
    rows = _rows(source, lambda quantity: quantity not in INTEGRALS)
    if not rows:
        return ""
    how = (
        "<p>R-hat compares the Markov chains of a case with each other: 1 is the smallest value, and well above 1 the chains have not "
        "found the same truth. Effective draws are the number of independent draws with the same precision. The worst case is shown.</p>"
    )
    return how + table("Diagnostics of the Markov chains", ["reliability", "", "value"], rows)


def _integrals(source: ReportSource) -> str:
    """Return how many cases were integrated and drawn under each reliability; empty if none was integrated."""
    rows = _rows(source, INTEGRALS.__contains__)
    if not rows:
        return ""
    how = (
        "<p>The probability that a class is the most plausible one, and so certainty and UA accuracy of the first choice, is an integral, "
        "without random numbers where it is exact. Cases that are too hard have a standard error. Metrics of whole orders of classes, and "
        "certainty of several classes unless all cases are exact, use draws.</p>"
    )
    return how + table("How the cases were computed", ["reliability", "", "value"], rows)


def _rows(source: ReportSource, wanted: Callable[[str], bool]) -> list[list[str]]:
    """Return the rows of diagnostics of some quantities."""
    entries = [e for e in source.rows(Diagnostic) if wanted(e.quantity)]
    return [["none" if e.reliability is None else f"{e.reliability:g}", text(e.quantity), _worst(e.value)] for e in entries]


def _worst(value: float | None) -> str:
    if value is None:
        return "undefined"
    return f"{value:,.0f}" if value >= 10 or value == int(value) else f"{value:.3f}" if value >= 0.01 else f"{value:.1g}"


def _facts(facts: Provenance) -> list[tuple[str, str]]:
    reliability = ", ".join(f"{value:g}" for value in facts.reliability or ()) or "none"
    own = facts.annotator_reliability
    if own:
        reliability = "of each annotator: " + ", ".join(f"{text(name)} {value:g}" for name, value in own.items())
    return [
        ("Model", text(facts.aggregation)),
        ("Reliability", reliability),
        *((text(name.replace("_", " ")), _parameter(name, value)) for name, value in facts.parameters.items()),
        *([("Prior, fitted", _fitted(facts.prior_fit, facts.level))] if facts.prior_fit is not None else ()),
        ("Tied scores", f"{text(facts.ties)}{_meaning(_TIES, facts.ties)}"),
        *([("Groups of classes", _groups(facts.groups))] if facts.groups is not None else ()),
    ]


def _fitted(fit: PriorFit, level: float) -> str:
    """Return the interval of a fitted prior, and its gain over the default."""
    ends = ""
    if fit.low is not None:
        high = "without an upper end" if fit.high is None else f"to {fit.high:.3g}"
        ends = f"{fit.value:.3g} ({100 * level:g}% interval {fit.low:.3g} {high}), "
    return (
        f"{ends}log-likelihood {fit.gain:.1f} above that of the default prior of 0.1, from {fit.n_cases:,} cases<br>"
        '<span class="meaning">the prior under which these labels are most probable, each taken as one independent look; it says how a '
        "further annotator will label, not how often annotators are right</span>"
    )


def _parameter(name: str, value: object) -> str:
    return f"{'blank' if value is None else text(value)}{_meaning(_PARAMETERS, name)}"


def _meaning(meanings: Mapping[str, str], name: str) -> str:
    return f'<br><span class="meaning">{meanings[name]}</span>' if name in meanings else ""


def _groups(names: Sequence[str] | int) -> str:
    return f"{names:,}" if isinstance(names, int) else ", ".join(map(text, names))


def _about_reliability(facts: Provenance) -> str:
    values = facts.reliability or ()
    if facts.annotator_reliability:
        return "One set of reliabilities was evaluated: whether the results depend on it cannot be seen from this report."
    if len(values) == 1:
        return "Only one reliability was evaluated: whether the results depend on it cannot be seen from this report."
    return (
        f"{len(values)} reliabilities were evaluated: a result that changes among them is not settled by these annotations."
        if values
        else ""
    )


# ---- the meaning of reliability and prior, in numbers ----


def _example(source: ReportSource) -> list[str]:
    """Return a small table of the certainty from one, two or three annotators under each reliability, for models with a closed form."""
    facts, n_classes = source.provenance, source.data.n_classes
    if facts.annotator_reliability:
        return []
    reliabilities = list(facts.reliability or ())
    prior, background = facts.parameters.get("prior"), facts.parameters.get("background")
    if facts.aggregation == "dirichlet" and isinstance(prior, (int, float)):
        return _labels_example(reliabilities, prior, n_classes)
    if facts.aggregation == "prirn" and isinstance(background, (int, float)):
        return _ranks_example(reliabilities, background, n_classes)
    if facts.aggregation == "plackett-luce" and reliabilities:
        most = max(reliabilities)
        return [f"<p>Under reliability {most:g}, each ranking counts as much as {most:g} equal ones from independent annotators.</p>"]
    return []


def _labels_example(reliabilities: list[float], prior: float, n_classes: int) -> list[str]:
    # Dirichlet(γ s + α): mean (γ s_k + α) / (γ n + K α), standard deviation below.
    rows = []
    for gamma in reliabilities:
        cells = []
        for chosen, n in ((1, 1), (2, 3), (3, 3)):
            total = gamma * n + n_classes * prior
            cells.append(_mean_and_spread((gamma * chosen + prior) / total, total))
        rows.append([f"{gamma:g}", *cells])
    columns = ["reliability", "the only annotator gave it", "two of three gave it", "all three gave it"]
    said = f"<p>The prior of {prior:g} a class counts as much as {_said(n_classes * prior)}, spread evenly over {n_classes:,} classes.</p>"
    caption = "What this means: plausibility of a class, mean (standard deviation)"
    return [said, table(caption, columns, rows)]


def _said(labels: float) -> str:
    return "one label" if labels == 1 else f"{labels:g} labels"


def _ranks_example(reliabilities: list[float], background: float, n_classes: int) -> list[str]:
    rows = []
    for gamma in reliabilities:
        total = gamma + n_classes * background
        rows.append([f"{gamma:g}", *(_mean_and_spread((gamma * weight + background) / total, total) for weight in (0.5, 2 / 3, 0.9))])
    columns = ["reliability", "half of the weight", "two thirds", "nine tenths"]
    return [table("What this means: plausibility of a class by its share of the weight, mean (standard deviation)", columns, rows)]


def _mean_and_spread(mean: float, total: float) -> str:
    """Return the mean and spread of one plausibility of a Dirichlet distribution whose concentrations sum to total."""
    return f"{number(mean)} ({math.sqrt(max(mean * (1 - mean), 0) / (total + 1)):.2g})"
