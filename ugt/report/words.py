"""The report's names for metrics and truth models, with explanations for readers who have not read a paper about them."""

from __future__ import annotations

from html import escape

from ..tables.names import AREAS, FEW_UNITS, GRADE_METRICS, METRICS, VOTED_ERROR
from ..tables.source import ReportSource
from .markup import count, plain

_METRICS = {
    "voted_accuracy": ("Top-{k} accuracy against the voted label", "the share of cases whose voted label is among the model's {k} best"),
    **{name: (one.label, one.meaning) for name, one in METRICS.items()},
    **{name: (grade.label, grade.meaning) for name, grade in GRADE_METRICS.items()},
    VOTED_ERROR: ("Mean absolute error against the voted grade", "how far predictions are from the voted grade, or the mean rating"),
    "group_accuracy": ("UA accuracy of groups of classes", ""),
}
_METRICS.update(
    {
        f"{kind}_{name}": (f"{label} against {truth}", f"{meaning}; the positive class is the one named, else the second; {how}")
        for kind, truth, how in (
            ("soft", "probabilities", "a case is positive with the mean of its plausibility"),
            ("hard", "labels cut at one half", "a case is positive if the mean of its plausibility is above one half"),
        )
        for name, label, _, meaning in AREAS
    }
)
# At k = 1 all metrics except the first are the same.
_FIRST_CHOICE = {
    "voted_accuracy": "the share of cases whose voted label is the model's first choice",
    "group_accuracy": "how often the group of the model's first choice is expected to be that of a truth drawn from the annotations",
    "": "how often the model's first choice agrees with a truth drawn from what the annotations leave open; not the probability that the "
    "choice is right",
}
ASSUMPTION = (
    "UA accuracy (uncertainty-adjusted) is how often the first choice agrees with a truth drawn from what the annotations leave open. It "
    "is not the probability that the model is right."
)

_TRUTH = {
    "votes": (
        "Each case has one label: the one most annotators gave. Labels with equally many votes share the case equally.",
        "This takes the vote as the truth. However split the annotators were, the certainty of the truth is not modelled.",
    ),
    "dawid-skene": (
        "Dawid–Skene: each case has one true class, and each annotator a confusion matrix, which says how often the annotator gives each "
        "label to cases of each true class. Truth and confusion matrices are estimated together from all labels; annotators who agree "
        "with the others where these are sure count more.",
        "The truth of a case is one class, drawn with the probabilities of the model. The estimated skills are taken as known: doubt about "
        "them is not in the numbers.",
    ),
    "graded-response": (
        "Graded response: each case has a severity, and each annotator thresholds between the grades, a leniency and a discrimination. "
        "Severities and annotators are estimated together from all labels, so that a strict annotator is distinguished from a severe case. "
        "The truth of a case is one grade, that of the mean annotator, with the probabilities that the labels leave.",
        "The estimated annotators are taken as known: doubt about them is not in the numbers.",
    ),
    "normal": (
        "The ratings of a case are normal around its own mean, with its own variance; mean and variance have a normal-inverse-gamma "
        "distribution, whose prior was fitted to all cases. The truth is a further rating drawn from what the ratings leave open. The "
        "reliability says how much one rating counts.",
        "The reliability is an assumption, not an estimate: compare several. Annotators are taken as independent and equally good.",
    ),
    "glad": (
        "GLAD: each case has one true class and a difficulty, each annotator an ability. The higher the ability and the easier the case, "
        "the more often the label is right. Truth, difficulties and abilities are estimated together from all labels.",
        "The truth of a case is one class, drawn with the probabilities of the model. The estimated abilities are taken as known: doubt "
        "about them is not in the numbers.",
    ),
    "irn": (
        "Inverse rank normalisation: an annotator gives weight 1 to the first place, 1/2 to the second, 1/3 to the third and so on; tied "
        "classes are weighted as the parameters say. The weights of all annotators are added and divided by their sum.",
        "This is one fixed set of weights for each case. It says which classes are plausible, not how certain the annotators leave it.",
    ),
    "prirn": (
        "Probabilistic inverse rank normalisation: the plausibilities of a case follow a Dirichlet distribution around the inverse rank "
        "weights (1 for an annotator's first place, 1/2 for the second, 1/3 for the third, added over annotators and normalised). The "
        "reliability says how much the annotations count: the higher, the closer the plausibilities stay to the weights.",
        "The reliability is an assumption, not an estimate: compare several. The weights are normalised, so two agreeing annotators count "
        "as much as ten. Without a background, a class that nobody named has plausibility zero.",
    ),
    "plackett-luce": (
        "Plackett–Luce: the more plausible a class, the sooner an annotator names it; a ranking with ties says which classes come before "
        "which, and classes that an annotator left out come last. The posterior, which is integrated or drawn by Markov chains, shows "
        "which plausibilities fit the rankings. A reliability of 3 counts every ranking three times.",
        "The reliability is an assumption, not an estimate: compare several. Values from draws carry the Monte Carlo error shown. "
        "How much plausibility is left for classes that nobody named depends on the prior.",
    ),
    "dirichlet": (
        "The plausibilities of a case follow a Dirichlet distribution: the number of annotators who gave a class, times the reliability, "
        "plus the prior. The reliability says how much one label counts; more labels make the truth of a case more certain.",
        "The reliability is an assumption, not an estimate: compare several. Annotators are taken as independent and equally good; what "
        "they all get wrong together cannot be seen.",
    ),
}
_GIVEN = (
    "The plausibilities were made elsewhere and given to the evaluation as they are.",
    "What they assume about the annotators is not known here.",
)


def metric_name(metric: str, k: int | None) -> str:
    return _METRICS[metric][0].format(k=escape(str(k))) if metric in _METRICS else _plain(metric, k)


def metric_meaning(metric: str, k: int | None) -> str:
    """Return half a sentence that says what the number is; empty for a metric without an entry."""
    if metric not in _METRICS:
        return ""
    return _FIRST_CHOICE.get(metric, _FIRST_CHOICE[""]) if k == 1 else _METRICS[metric][1].format(k=escape(str(k)))


def truth(aggregation: str) -> tuple[str, str]:
    """Return the description of a truth model: how annotations became the truth, and its limits."""
    return _TRUTH.get(aggregation, _GIVEN)


def unit(source: ReportSource) -> str:
    """Return the kind of units that are resampled."""
    return escape(source.unit)


def bootstrap(source: ReportSource) -> str:
    facts = source.provenance
    kind = "percentile" if facts.interval == "auto" else plain(facts.interval)
    return f"{kind} bootstrap, {count(facts.n_resamples)} resamples"


def interval_kind(source: ReportSource) -> str:
    """Return how intervals over cases are computed."""
    few = f"up to {FEW_UNITS} {unit(source)}: Student's t by the jackknife; more: "
    perfect = "; of a number at the end of its range, such as all right: Clopper &amp; Pearson's"
    return f"{few if source.provenance.interval == 'auto' else ''}{bootstrap(source)}{perfect}"


def _plain(name: str, k: int | None) -> str:
    return escape(name.replace("_", " ") + ("" if k is None else f", k = {k}"))


def per_case(source: ReportSource, kind: str) -> list[str]:
    """Return text such as "3 labels per case" or "2 to 5 labels per case", as a list; empty if the numbers are unknown."""
    known = source.data.annotations_per_case
    if not known:
        return []
    least = "" if known.min == known.max else f"{known.min:g} to "
    return [f"{least}{known.max:g} {kind if least or known.max != 1 else kind[:-1]} per case"]


def kind_of_data(source: ReportSource) -> str:
    """Return text such as "labels", "rankings" or "plausibilities"."""
    return {"labels": "labels", "rankings": "rankings", "ratings": "ratings"}.get(str(source.data.kind), "plausibilities")
