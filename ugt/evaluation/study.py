"""What is evaluated: annotations and predictions, read and joined once, with the truths and the options, in small groups."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from numbers import Integral
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import resampling
from .._base import checks, notices
from .._base.names import OF_TWO, positive_among, positive_of
from .._base.notes import Note
from ..annotations import Ratings
from ..annotations.joins import told_so_far
from ..annotations.other_annotators import check_not_among
from ..annotations.predictions import positive_position
from ..tables.context import Annotated, Context, Options
from ..truth import by_name
from ..truth.leading import leading
from ..truth.reliabilities import is_mapping
from . import facts, frequency
from .input import JoinedScores, aggregation_input, annotators_of, check_mapping, grades_of, groups_of, joined, orders_of, subgroups_of
from .needs import check_room
from .ratings import RatedWork, check_options
from .work import Work

if TYPE_CHECKING:
    from .._base.arrays import Array, Int64, NDArray
    from ..truth.by_name import Making, Truths
    from ..truth.leading import Leading

NO_ANNOTATIONS = "case without annotations"
NO_PREDICTIONS = "case without predictions"
AUTO = "auto"


@dataclass(frozen=True)
class TruthAsked:
    """How annotations are to become a truth: the model, its reliabilities, and its options."""

    aggregation: str
    reliability: Any  # a number, numbers, a mapping of annotator to number, or None
    making: Making
    free: bool = False  # whether another truth leads if held-out annotators refute this one

    @classmethod
    def of(cls, aggregation: str, reliability: Any, free: bool, **options: Any) -> TruthAsked:
        """Return what is asked; a mapping of annotators is an option, beside the one reliability 1.

        ``free``: whether another truth may lead if nothing that helps to define the truth is given.
        """
        own, prior = is_mapping(reliability), options.pop("prior")
        free = free and is_auto(prior) and aggregation == "auto" and reliability is None and options["background"] == 0
        given = {} if is_auto(prior) else {"prior": prior}
        making = by_name.Making(**given, **options, annotator_reliability=reliability if own else None)
        return cls(aggregation, 1.0 if own else reliability, making, free)

    def led(self, given: Any, clusters: Any, details: bool) -> tuple[TruthAsked, Leading | None]:
        """Return what is asked with the truth that leads, and what was checked to find it (nothing without details)."""
        if not self.free or not details:
            return self, None
        found = leading(given, self.making, clusters)
        return TruthAsked(found.aggregation, found.reliability, found.making), found

    def truths(self, given: Any, clusters: Any, level: float) -> tuple[Truths, Making]:
        """Return the truths of these annotations, and the options with the prior as numbers."""
        making, fit = self.making.with_prior(given, self.aggregation, clusters)
        found = by_name.truths(given, self.aggregation, self.reliability, making)
        if fit is not None:
            found.settings["prior_fit"], notes = by_name.fitted_prior(fit, level, given)
            found.notes += notes
        return found, making


def is_auto(prior: object) -> bool:
    """Return whether the prior is left to the data."""
    return isinstance(prior, str) and prior == AUTO


@dataclass(frozen=True)
class ModelsAsked:
    """What is asked of the models: orders, groups of classes, what predictions are, and parts of the cases."""

    k: Any
    groups: Any
    group_names: Any
    positive_class: Any
    predictions_are: str | None
    clusters: Any
    subgroups: Any
    details: bool
    frequency: Any = None

    def by_group(self, axes: Any) -> tuple[Int64, list[str]] | None:
        """Return the group of every class, and the names of the groups."""
        return None if self.groups is None else groups_of(self.groups, self.group_names, axes)


@dataclass(frozen=True)
class Page:
    """What a report says beside the results: the plan, the words of the authors, and where the data come from."""

    planned: Mapping[str, Any]
    words: Mapping[str, Any]
    provenance: Mapping[str, Any] | None

    def __post_init__(self) -> None:
        checks.instance("provenance", self.provenance, (Mapping, type(None)), "be a mapping")


@dataclass(frozen=True, eq=False)
class ReadStudy:
    """Annotations and predictions of the same cases, joined, with the truths that the models are judged against."""

    context: Context  # of the cases with predictions; without results
    truths: Truths
    orders: list[int]
    predicted: JoinedScores
    said: list[Note]  # of the predictions
    values: Array | None  # (K,) numbers of the grades
    asked: ModelsAsked

    @property
    def real(self) -> bool:
        """Whether annotations are ratings on a real scale."""
        return isinstance(self.context.known.given, Ratings)

    def judged(self) -> Context:
        """Return the context with everything that the models were found to be."""
        if self.real:
            return RatedWork(self.context, self.truths).run()
        work = Work(self.context, self.truths, self.orders)
        work.grade(self.values, self.predicted.numbers, self.asked.predictions_are)
        return work.run()

    def settings(self, page: Page, seed: resampling.Seed) -> dict[str, Any]:
        """Return all options, for the record."""
        known, given = self.context.known, str(seed) if not isinstance(seed, Integral) else int(seed)
        found = {**self.truths.settings, **vars(self.context.options), "k": self.orders, "seed": given}
        found.update(plan=page.planned, report=page.words)
        if known.n_classes == 2:
            found["positive_class"] = str(known.axes.classes[self.context.positive])
        return found if self.context.groups is None else {**found, "groups": self.context.groups[1]}

    @property
    def n_clusters(self) -> int | None:
        clusters = self.context.clusters
        return None if clusters is None else len(set(clusters.tolist()))

    def data(self) -> dict[str, Any]:
        """Return the facts about the data."""
        return {
            **facts.data_summary(self.context.known),
            "joined": " ".join(map(str, self.of_predictions)) or None,
            "joins": {argument: how._asdict() for argument, how in told_so_far().items()},
            "n_clusters": self.n_clusters,
        }

    def left_out(self) -> dict[str, int]:
        """Return the cases left out, by reason."""
        voted = self.context.voted
        undefined = np.isnan(voted) if self.real else ~voted.defined
        found = {NO_ANNOTATIONS: self.context.number(undefined), NO_PREDICTIONS: self.context.known.number(~self.predicted.present)}
        return {reason: n for reason, n in found.items() if n}

    @property
    def of_predictions(self) -> list[Note]:
        """The notes on how predictions were joined, each once."""
        return list(dict.fromkeys((*self.predicted.by_position, *self.said)))

    def notes(self, tables: list[Note]) -> list[Note]:
        """Return the limits that a reader must know, with the notes of the tables; those on what is suspicious come after them."""
        known, asked = self.context.known, self.asked.positive_class if self.context.scores else ""
        few = None if self.n_clusters is None else resampling.few_clusters(self.n_clusters)
        return [
            *facts.notes(known, self.context.options.ties, self.orders),
            *self.of_predictions,
            *facts.positive(known.axes.classes, asked),
            *self.truths.notes,
            *tables,
            *filter(None, [few]),
        ]


def read(annotations: Any, predictions: Mapping[str, Any], truth: TruthAsked, asked: ModelsAsked, options: Options) -> ReadStudy:
    """Read and check everything before the first number is computed."""
    given = aggregation_input(annotations)
    known, values, real = Annotated.all_of(given), grades_of(given), isinstance(given, Ratings)
    axes = known.axes
    if real:
        check_options(k=asked.k, groups=asked.groups, positive_class=asked.positive_class, predictions_are=asked.predictions_are)
    check_mapping(predictions)
    check_not_among(predictions, annotators_of(given))
    times = frequency.read(asked.frequency, given, axes.case_ids, truth, asked.clusters)
    truth, found = truth.led(given, asked.clusters, asked.details and times is None)
    truths, making = truth.truths(given, asked.clusters, options.level)
    truths.settings["truth_chosen"] = None if found is None else found.chosen
    truths.notes += facts.unchecked(given) if truth.free and not asked.details and times is None else []
    if times is not None:
        left = frequency.left_out(values is not None, bool(predictions), asked.details)
        truths.notes += frequency.notes(times, left, truth.free and asked.details)
    graded = values if times is None else None  # measures of grades need one row per case
    orders, by_group = orders_of(asked.k, known.n_classes), asked.by_group(axes)
    check_room(given, truths, len(predictions), orders, options, by_group is not None, asked.details)
    with notices.heard() as said:
        predicted = joined(predictions, axes, options.missing, asked.positive_class, real or graded is not None, real, times)
    positive = _positive(axes.classes, asked.positive_class, bool(predictions) and values is None and not real)
    of_case = None if asked.clusters is None else resampling.ids_of_cases("clusters", asked.clusters, given.n_cases, axes.case_ids)
    known = Annotated(given, np.flatnonzero(predicted.present), times)
    context = Context(
        known, predicted.of_all, by_name.voted_at(given, known.rows), None if of_case is None else of_case[known.rows],
        _at(subgroups_of(asked.subgroups, axes), known.rows), making, options, asked.details, truths.settings["aggregation"], truths.middle,
        truths.diagnostics, by_group, positive,
        () if found is None else found.checked,
    )  # fmt: skip
    return ReadStudy(context, truths, orders, predicted, said, graded, asked)


def _positive(classes: NDArray[Any], asked: Any, needed: bool) -> int:
    """Return the number of the positive one of two classes: the one asked for, or by its name; of grades the second.

    ``needed``: whether models of classes are judged, whose average precision and curves are those of the positive class.
    """
    if len(classes) != 2:
        return 1
    if asked is not None:
        return positive_position(classes, asked) or 0
    if needed:
        return positive_of(classes.tolist(), "positive_class", OF_TWO)
    return 0 if positive_among(classes.tolist()) == 0 else 1


def _at(subgroups: Mapping[str, NDArray[Any]], rows: Int64) -> dict[str, NDArray[Any]]:
    return {name: values[rows] for name, values in subgroups.items()}
