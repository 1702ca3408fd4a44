"""Truth models by name, for evaluations: one truth after the other, so that the draws of one are freed before the next."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, Callable, NamedTuple

import numpy as np

from .._base import checks, identifiers, notices
from .._base.grades import ORDERED
from .._base.notes import Note
from .._base.wording import arg
from ..annotations import Labels, Rankings, Ratings
from ..annotations.named import per_class
from ..plausibilities import Dirichlet, Plausibilities, Point
from ..plausibilities.integrated import Integrated, Summary, note_of
from .aggregation import _prior, dirichlet, irn, prirn, votes
from .label_prior import DirichletPrior, fit_dirichlet_prior
from .panel_check import PSEUDO_COUNTS
from .plackett_luce_draws import LEAST_ESS, WORST_RHAT, check_method, plackett_luce
from .plackett_luce_input import UNRANKED, as_rankings
from .plackett_luce_integrals import N_DRAWS
from .reliabilities import annotator_reliabilities

FITTED = ("dawid-skene", "glad", "graded-response")  # models that fit skills of annotators to all cases together
INTEGRALS = (
    "cases with an exact integral",
    "cases by weighted points",
    "largest standard error of these",
    "cases whose points are not reliable",
)
FEW_DRAWS = 400  # weighted points of a case, of truths that a report makes again to show means over cases
KNOWN_PRIOR = (
    "Intervals over cases take the fitted prior as known. If it was fitted to these labels, those of certainty are much too narrow."
)
KNOWN_IN_PARTS = (
    "Intervals of certainties and metrics include the fit of the prior. Those of parts of the cases and in other tables take it as known."
)
IMPOSSIBLE = (
    "Classes that no annotator named have plausibility exactly 0: in cases with at most k named classes the certainty of order k is 1, and "
    "set accuracy is low, because the rest of the set is a random choice."
)
SAMPLED = "The truth is given as draws: values have Monte Carlo error, and certainty has a small upward bias."
SEPARATE = (
    "Each annotator has a separate reliability, from {least:g} ({of_least}) to {most:g} ({of_most}); reliability 1 in tables means these "
    "reliabilities."
)
ONE_CLASS = 1e-6  # concentration of a Dirichlet law whose draws are one class each: up to 1e-13 with the given probabilities
# A label may count for less than one if annotators share errors, and for more if each annotator is a panel; 1 is the middle.
RELIABILITIES: dict[str, Any] = {"dirichlet": (0.2, 0.5, 1, 2, 5), "prirn": (10, 20, 30, 50, 100), "plackett-luce": (1, 2, 3, 5, 10),
    "normal": (0.2, 0.5, 1, 2, 5)}  # fmt: skip


def _plackett_luce(rankings: object, **options: Any) -> Plausibilities:
    """Return the posterior in which cases without annotations are undefined, as in every other truth model."""
    found = plackett_luce(rankings, **options)
    if not isinstance(found, Integrated):
        return replace(found, with_empty=False)  # type: ignore[type-var]
    return found.without_empty()


def _dawid_skene(known: object, pseudo_counts: object, **options: Any) -> Plausibilities:
    from ..annotators import dawid_skene  # noqa: PLC0415  (few evaluations need it)

    return _one_class(dawid_skene(with_annotators(known, "dawid-skene"), prior=pseudo_counts, **options).plausibilities)


def _glad(known: object, **options: Any) -> Plausibilities:
    from ..annotators import glad  # noqa: PLC0415

    return _one_class(glad(with_annotators(known, "glad"), **options).plausibilities)


def _one_class(found: Plausibilities) -> Dirichlet:
    """Return the law of the one true class of each case that has these probabilities: its draws are one class each."""
    law = Dirichlet.from_array(ONE_CLASS * found.mean(), case_ids=found.axes.case_ids, classes=found.axes.classes)
    return replace(law, axes=found.axes)


def _graded_response(known: object, fits: list[Any], **options: Any) -> Plausibilities:
    """Return the law of the one true grade of each case, given the annotators; add the fit to ``fits``."""
    from ..annotators import graded_response  # noqa: PLC0415

    labels = with_annotators(known, "graded-response")
    if not labels.ordered:
        must = "be ordered for the aggregation 'graded-response'"
        raise checks.error("annotations", must, "labels without an order", way=ORDERED)
    fits.append(graded_response(labels, **options))
    return _one_class(fits[-1].plausibilities)


def _normal(known: object, prior: object, reliability: float) -> Any:
    from ..plausibilities.normal import normal  # noqa: PLC0415

    return normal(known, prior=prior, reliability=reliability)


def with_annotators(known: object, how: str) -> Labels:
    """Return labels with annotators; reject other annotations."""
    if isinstance(known, Labels) and len(known.annotators):
        return known
    got = "labels without them" if isinstance(known, Labels) else type(known).__name__
    raise checks.error("annotations", f"be labels with their annotators for the aggregation {how!r}", got)


FUNCTIONS: dict[str, Callable[..., Plausibilities]] = {
    "dirichlet": dirichlet, "prirn": prirn, "irn": irn, "votes": votes, "plackett-luce": _plackett_luce,
    "dawid-skene": _dawid_skene, "glad": _glad, "graded-response": _graded_response, "normal": _normal,
}  # fmt: skip
AGGREGATIONS = ("auto", *FUNCTIONS)
OPTIONS = {
    "dirichlet": ("prior",), "prirn": ("tie_weight", "background"), "irn": ("tie_weight",), "votes": (),
    "plackett-luce": ("method", "prior_mass", "unranked", "n_draws", "n_warmup", "n_chains"),
    "dawid-skene": ("pseudo_counts",), "glad": (), "graded-response": (), "normal": (),
}  # fmt: skip
# What else is given to models that draw, or that fit skills of annotators to all cases together.
DRAWN = ("seed", "n_threads")
SEEDED = {"plackett-luce": DRAWN, "dawid-skene": DRAWN, "glad": DRAWN, "graded-response": DRAWN[1:]}


@dataclass(frozen=True)
class Making:
    """The options of all truth models, as in :func:`ugt.evaluate`; options that the chosen one does not use are checked, too."""

    prior: Any = 0.1  # a number, one per class, a DirichletPrior, or "fit"
    fit: DirichletPrior | None = None  # used where ``prior`` is its value
    background: float = 0.0
    tie_weight: str = "split"
    method: str = "auto"
    prior_mass: float | None = None
    unranked: str = "individual"
    n_draws: int = N_DRAWS
    n_warmup: int = 500
    n_chains: int = 4
    pseudo_counts: tuple[float, float, float] = PSEUDO_COUNTS
    seed: int = 0
    n_threads: int = 1
    annotator_reliability: Any = None  # annotator to number, which is multiplied by the reliability

    def __post_init__(self) -> None:
        given: dict[str, Any] = {"background": checks.scalar("background", self.background)}
        checks.option("tie_weight", self.tie_weight, ("split", "full"))
        check_method(self.method)
        checks.option("unranked", self.unranked, UNRANKED)
        if self.prior_mass is not None:
            given["prior_mass"] = checks.scalar("prior_mass", self.prior_mass, positive=True)
        for name, least in (("n_draws", 1), ("n_warmup", 0), ("n_chains", 1)):
            given[name] = checks.whole(name, getattr(self, name), least)
        for name, value in given.items():  # numbers of numpy's types are those of Python from here on
            object.__setattr__(self, name, value)

    @property
    def is_fitted(self) -> bool:
        """Whether the prior is the value of a fit that is kept."""
        return self.fit is not None and np.array_equal(self.prior, self.fit.value)

    @property
    def few(self) -> dict[str, Any]:
        """The options of truths that a report makes again: weighted points, which take half of the time of integrals."""
        return {"method": "weighted", "n_draws": min(self.n_draws, FEW_DRAWS)}

    def with_prior(self, known: Any, how: str, clusters: Any) -> tuple[Making, DirichletPrior | None]:
        """Return the options with the prior as numbers, and the fit of these numbers, if there is one."""
        if self.is_fitted:  # it leads, because the default is refuted
            return self, self.fit
        if isinstance(self.prior, str) and self.prior == "fit":
            if how not in ("auto", "dirichlet") or not isinstance(known, Labels):
                raise checks.error("prior", "be a number unless the truth model is the Dirichlet posterior of labels", "'fit'")
            found = fit_dirichlet_prior(known, clusters=clusters)
        elif isinstance(self.prior, DirichletPrior):
            found = self.prior
        else:
            if np.ndim(getattr(self.prior, "alpha", self.prior)) == 2:
                way = "for one prior per case, evaluate the posterior dirichlet(labels, prior=...)"
                raise checks.error("prior", "be one for all cases", "a table", way=way)
            named = isinstance(known, Labels) and (isinstance(self.prior, Mapping) or identifiers.index_of(self.prior) is not None)
            return (replace(self, prior=per_class("prior", self.prior, known.axes.classes)) if named else self), None
        _prior(found, known)
        return replace(self, prior=found.value, fit=found), found

    def normal_prior(self, known: Ratings) -> Any:
        """Return the prior of ratings: the one that was given, or else a fitted one."""
        from ..plausibilities.normal import NormalPrior, fit_normal_prior, prior_of  # noqa: PLC0415

        given = isinstance(self.prior, NormalPrior) or np.ndim(self.prior) == 1
        if not given and self.prior != Making.prior:
            must = "be left out for ratings on a real scale, to fit it, or be a NormalPrior or its four numbers"
            raise checks.error("prior", must, repr(self.prior))
        return prior_of(self.prior) if given else fit_normal_prior(known)

    def chosen(self, *names: str) -> dict[str, Any]:
        return {name: np.asarray(self.prior).tolist() if name == "prior" else getattr(self, name) for name in names}


class Diagnostic(NamedTuple):
    """How cases were integrated under a truth, or how its Markov chains mixed."""

    reliability: float | None
    quantity: str
    value: float | None


@dataclass
class Truths:
    """The truths of an evaluation: their makers, the chosen options, and notes and diagnostics of making them."""

    makers: list[tuple[float | None, Callable[[], Plausibilities]]]
    settings: dict[str, Any]
    known: Any = None  # the annotations in the form that the truth model uses
    notes: list[Note] = field(default_factory=list)
    diagnostics: list[Diagnostic] = field(default_factory=list)  # diagnostics of the chains of each reliability
    fits: list[Any] = field(default_factory=list)  # the fit of annotators, if the truth comes from one that is kept

    def __iter__(self) -> Iterator[tuple[float | None, Plausibilities]]:
        integrated: list[Summary] = []
        for reliability, make in self.makers:
            with notices.heard() as heard:
                truth = make()
            for message in heard:
                self.notes.append(message.with_text(f"{'' if reliability is None else f'At reliability {reliability:g}: '}{message}."))
                notices.warn(message, stacklevel=4)
            if not isinstance(truth, Plausibilities):  # of ratings
                yield reliability, truth
                continue
            if truth.has_impossible_classes and self.settings["aggregation"] not in FITTED:
                self.say(Note("impossible_classes", IMPOSSIBLE))
            if truth.is_sampled:
                self.diagnostics += _mixing(reliability, truth)
                self.say(Note("draws", SAMPLED))
            yield reliability, truth
            if isinstance(truth, Integrated):  # which points were needed is known after its use
                integrated.append(truth.summary())
                self.diagnostics += _integrals(reliability, integrated[-1])
            elif truth.note:
                self.say(Note("weighted_points", "{note}", note=truth.note))
            del truth  # draws are large: free them before the next are made
        if integrated:
            self.say(Note("integrals", "{note}", note=note_of(integrated)))

    @property
    def conjugate(self) -> bool:
        """Whether every truth follows from the annotations of each case at once, without draws."""
        return self.settings["aggregation"] in ("dirichlet", "prirn")

    @property
    def middle(self) -> float | None:
        known = [reliability for reliability, _ in self.makers]
        return known[len(known) // 2]

    def say(self, note: Note) -> None:
        if note not in self.notes:
            self.notes.append(note)


def truths(known: Any, how: str, reliability: Any, making: Making) -> Truths:
    """Return the truths against which ``evaluate`` evaluates models."""
    checks.option("aggregation", how, AGGREGATIONS)
    if isinstance(known, Plausibilities):
        if reliability is not None:
            raise checks.error("reliability", "be left out with plausibilities, which are used unchanged", reliability)
        return Truths([(None, lambda: known)], {"aggregation": f"given ({type(known).__name__})", "parameters": {}, "reliability": []})
    how = _chosen(how, known)
    chosen, function = making.chosen(*OPTIONS[how]), FUNCTIONS[how]
    given = {**chosen, **({"prior": making.fit} if "prior" in chosen and making.is_fitted else {})}
    fits: list[Any] = []
    said: list[Note] = []
    if how == "graded-response":
        function = partial(function, fits=fits)
    if how == "normal":
        with notices.heard() as said:
            law = making.normal_prior(known)
        function, chosen = partial(function, prior=law), {}
    function = partial(function, **making.chosen(*SEEDED.get(how, ())))
    if how not in RELIABILITIES:
        if reliability is not None:
            raise checks.error("reliability", "be left out with " + arg("aggregation", how) + ", which has none", reliability)
        return Truths(
            [(None, partial(function, known, **chosen))], {"aggregation": how, "parameters": chosen, "reliability": []}, fits=fits
        )
    settings: dict[str, Any] = {"aggregation": how, "parameters": chosen}
    if how == "normal":
        settings["parameters"] = {"normal_prior": [law.location, law.kappa, law.shape, law.scale]}
    own, notes = making.annotator_reliability, [one.with_text(f"{one.text[0].upper()}{one.text[1:]}.") for one in said]
    if own is not None:
        own, note = _separate(own, known)
        settings["annotator_reliability"] = {str(name): value for name, value in own.items()}
        notes.append(note)
    gammas = _reliabilities(RELIABILITIES[how] if reliability is None else reliability)
    if how == "plackett-luce":
        known = as_rankings(known)
    of = [gamma if own is None else {name: gamma * value for name, value in own.items()} for gamma in gammas]
    makers = [(gamma, partial(function, known, reliability=each, **given)) for gamma, each in zip(gammas, of)]
    return Truths(list(makers), {**settings, "reliability": gammas}, known, notes)


def _chosen(how: str, known: Any) -> str:
    """Return the name of the truth model; refuse one that is not for these annotations."""
    if how == "auto":
        return "dirichlet" if isinstance(known, Labels) else "normal" if isinstance(known, Ratings) else "prirn"
    if isinstance(known, Ratings) != (how == "normal"):
        must = "be 'auto' or 'normal' for ratings on a real scale" if how != "normal" else "be another one: 'normal' is for ratings"
        raise checks.error("aggregation", must, repr(how))
    return how


def _separate(given: Any, known: Any) -> tuple[dict[Any, float], Note]:
    """Return the reliability of each annotator, and a note with the ends of their range."""
    own = annotator_reliabilities(given, known)
    low, high = (pick(own, key=own.__getitem__) for pick in (min, max))
    ends = {"least": own[low], "of_least": str(low), "most": own[high], "of_most": str(high)}
    return own, Note("separate_reliabilities", SEPARATE, **ends)


def fitted_prior(found: DirichletPrior, level: float, known: object) -> tuple[dict[str, Any], tuple[Note, Note]]:
    """Return the facts on a fitted prior that an evaluation of ``known`` keeps, and the notes that it shows."""
    gain = found.log_likelihood - found.log_likelihood_at(Making.prior)
    facts = {"value": np.asarray(found.value).tolist(), "gain": gain, "at_edge": found.at_edge, "n_cases": found.n_cases}
    said = f"{float(np.sum(found.value)):.3g} over all classes"
    if not found.per_class:
        low, high = found.interval(level)
        facts.update(low=low, high=high if np.isfinite(high) else None)
        said = f"{found.value:.3g} for each class ({100 * level:g}% interval {low:.3g} to {high:.3g})"
    tail = "; in every case all labels are equal" if found.at_edge else ""
    words = (
        "The prior was fitted to labels, which are assumed to be independent: {prior}; log-likelihood {gain:.1f} above that of the default "
        "prior of {default:g}{tail}."
    )
    fit = Note("prior_fitted", words, prior=said, gain=gain, default=Making.prior, tail=tail)
    return facts, (fit, Note("prior_known", KNOWN_IN_PARTS if isinstance(known, Labels) and found.is_of(known) else KNOWN_PRIOR))


def _integrals(reliability: float | None, found: Summary) -> list[Diagnostic]:
    """Return how the cases of a posterior were computed, as rows beside those of chains."""
    facts = dict(zip(INTEGRALS, (found.exact, found.weighted, found.largest_error, found.unreliable)))
    return [Diagnostic(reliability, name, value) for name, value in facts.items()]


def _mixing(reliability: float | None, draws: Plausibilities) -> list[Diagnostic]:
    """Return the worst diagnostics of chains; none for draws from other software, or for too few draws."""
    found = draws.diagnostics()
    if found is None or np.isnan(found.rhat).all():
        return []
    worst = {
        "largest R-hat": float(np.nanmax(found.rhat)),
        "smallest bulk effective sample size": float(np.nanmin(found.ess_bulk)),
        "smallest tail effective sample size": float(np.nanmin(found.ess_tail)),
        "cases that have not mixed": int(found.falls_short(rhat=WORST_RHAT, ess_per_chain=LEAST_ESS).sum()),
    }
    return [Diagnostic(reliability, name, value) for name, value in worst.items()]


def _reliabilities(given: object) -> list[float]:
    table = np.atleast_1d(identifiers.as_array(given))
    found = table.astype(np.float64) if table.dtype.kind in "iuf" else np.empty(0)
    if found.ndim != 1 or len(found) == 0:
        raise checks.error("reliability", "be a number or a sequence of numbers", given)
    values = [checks.scalar("reliability", value, positive=True) for value in found.tolist()]
    if len(set(values)) != len(values):
        raise checks.error("reliability", "hold each value once", given)
    return values


def voted_at(known: Any, rows: Any) -> Any:
    """Return the voted label of some cases; of ratings, their means."""
    return known.means()[rows] if isinstance(known, Ratings) else voted(known).take(rows)


def voted(known: Any) -> Point:
    if isinstance(known, Labels):
        return votes(known)
    if isinstance(known, Rankings):
        return irn(known)
    return Point.from_array(known.mean(), case_ids=known.axes.case_ids, classes=known.axes.classes)
