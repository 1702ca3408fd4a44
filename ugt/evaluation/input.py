"""The arguments of an evaluation: checked, named and in the order of the cases."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from .._base import checks
from .._base.arrays import Array, Bools, Int64, NDArray
from .._base.identifiers import is_frame
from .._base.notes import Note
from .._base.wording import Refusal, arg, within, words_of
from ..annotations import Labels, Rankings, Ratings
from ..annotations.bare import check_bare, labels_of_text
from ..annotations.given import columns_note, position_note
from ..annotations.joins import ID, NAME, POSITION, Join, tell
from ..annotations.predictions import Predictions, positive_position
from ..annotations.probabilities import rounded_note, unrounded
from ..io.annotation_file import Reading
from ..io.annotations import read_frame
from ..plausibilities import Plausibilities
from ..plausibilities.made_of import INFORMED
from ..plausibilities.sets import named_groups
from ..resampling import ids_of_cases

MOST_GRADES = 20  # different whole or half numbers that may be the grades of a scale


def aggregation_input(annotations: object) -> Any:
    """Return annotations or plausibilities.

    A data frame is read by its columns, a table of text has one column per annotator, and ratings on a finite scale become ordered labels.
    """
    annotations = _of_frame(annotations) if is_frame(annotations) else annotations
    if isinstance(annotations, (Labels, Rankings, Plausibilities)):
        return annotations
    if isinstance(annotations, Ratings):
        return _of_scale(annotations)
    check_bare("annotations", annotations)
    labels = labels_of_text(annotations)
    if labels is not None:
        return labels
    way = "for a table of numbers, Ratings.from_wide makes ratings and Point.from_array plausibilities"
    raise TypeError(f"annotations must be Labels, Rankings, Ratings or plausibilities. Got {type(annotations).__name__} ({way}).")


def _of_frame(frame: object) -> Any:
    """Return the annotations of a data frame; an error names the reader that has the options of which it speaks."""
    try:
        return read_frame(frame, Reading()).annotations
    except ValueError as problem:
        way, said = "ugt.io.read_annotations(frame, {}).annotations".format, words_of(problem)
        if isinstance(said, Refusal) and said.argument == "format":
            must = f"come from {way('format=...')}, with the format " + said.must[len("be ") :]
            got = "a data frame" if said.got == "'auto'" else said.got
            raise ValueError(said.but(argument="annotations", must=must, got=got)) from None
        raise ValueError("annotations: " + said + f" Options for columns, format and missing cells: {way('...')}.") from None


def _of_scale(ratings: Ratings) -> Any:
    """Return ratings on a real scale, or ordered labels of a finite one; ask if the scale is not stated and may be either."""
    if isinstance(ratings.scale, tuple):
        return ratings.to_labels()
    if ratings.n_ratings == 0:
        raise checks.error("annotations", "hold at least one rating", "none")
    used = np.unique(ratings.value)
    if ratings.scale is None and len(used) <= MOST_GRADES and (2 * used == np.floor(2 * used)).all():
        grades = ", ".join(f"{value:g}" for value in used)
        must = (
            "have a stated scale: "
            + arg("scale", ...)
            + " with all grades, or with 'real' for numbers on a continuous scale (Ratings.on_scale)"
        )
        raise checks.error("annotations", must, f"the numbers {grades}")
    return ratings


def grades_of(given: object) -> Array | None:
    """Return the numbers (K,) of the grades, if the annotations, or those from which a truth was made, are ordered labels."""
    made_of = getattr(given, "made_of", None)
    labels = given if made_of is None else made_of.annotations
    if not isinstance(labels, Labels) or not labels.ordered:
        return None
    if labels.n_classes < 2:
        way = "name all grades of the scale: " + arg("ordered", ...)
        raise checks.error("annotations", "have at least two grades", labels.n_classes, way=way)
    return labels.grades


def annotators_of(given: object) -> Any:
    """Return the names of the annotators, also of those from whose annotations a truth was made; empty if unknown."""
    made_of = getattr(given, "made_of", None)
    return getattr(given if made_of is None else made_of.annotations, "annotators", ())


def orders_of(k: object, n_classes: int) -> list[int]:
    """Return the orders k of certainty and metrics; none without classes."""
    if n_classes == 0:
        return []
    wanted = [1, *([min(3, n_classes - 1)] if n_classes > 2 else [])] if k is None else np.atleast_1d(np.asarray(k)).tolist()
    if not wanted:
        raise checks.error("k", "hold at least one order", k)
    return sorted({checks.whole("k", one, 1, n_classes) for one in wanted})


def groups_of(groups: Any, names: Any, axes: Any) -> tuple[Int64, list[str]]:
    """Return (K,) the group of every class, and a name for each group: given, or the groups themselves if they are text."""
    group, own = named_groups(groups, axes)
    if own is not None and names is not None:
        raise checks.error("group_names", "be given for numbered groups only", f"groups such as {own[0]!r}")
    n_groups = int(group.max()) + 1
    found = [str(name) for name in (names if names is not None else own if own is not None else range(n_groups))]
    if len(found) != n_groups:
        raise checks.error("group_names", f"be {n_groups} names, one per group", len(found))
    return group, found


def check_mapping(predictions: object) -> None:
    """Refuse predictions that are not a mapping from names of models."""
    checks.instance("predictions", predictions, Mapping, "be a mapping from model names to scores")


class JoinedScores(NamedTuple):
    """The scores of every model in the order of the cases, and the cases that all models have."""

    scores: dict[str, Array]
    present: Bools
    by_position: list[Note]  # on scores joined by position, and on rounded probabilities
    numbers: set[str]  # models of one number per case

    @property
    def of_all(self) -> dict[str, Array]:
        """The scores of the cases that all models have, without a copy if these are all cases."""
        every = self.present.all()
        return {name: table if every else table[self.present] for name, table in self.scores.items()}


def joined(
    predictions: Mapping[str, Any],
    axes: Any,
    missing: str,
    positive_class: Any,
    on_scale: bool = False,
    real: bool = False,
    times: Array | None = None,
) -> JoinedScores:
    """Return the predictions joined to the cases; ``on_scale``: whether they may be one number per case, ``real``: whether they must.

    Cases that stand for none by ``times`` (N,) are not present.
    """
    scores, by_position, numbers, unnamed, rounded = {}, [], set(), [], {}
    present = np.ones(axes.n_cases, bool) if times is None else times > 0
    if positive_class is not None:
        positive_position(axes.classes, positive_class)
    for name, value in predictions.items():
        try:
            given = Predictions.sharing(value, axes.classes, positive_class, on_scale=on_scale)
            if given.numbers and not on_scale:
                raise checks.error("scores", "have one column per class, unless annotations are grades or ratings", "one number per case")
            if real and not given.numbers:
                must = "be one number per case for ratings (a file with the columns case and prediction)"
                raise checks.error("predictions", must, "labels" if given.labels else f"{given.scores.shape[1]} columns")
            scores[str(name)], here = given.aligned(axes, missing=missing)
            if not given.numbers:
                scores[str(name)], rounded[str(name)] = unrounded(scores[str(name)], here)
        except ValueError as problem:
            raise within(f"model {name!r}", problem) from None
        present &= here
        rows, columns = ID if given.case_ids is not None else POSITION, NAME if given.classes is not None else POSITION
        tell(f"predictions[{name!r}]", Join(rows, "" if given.numbers else columns))
        numbers |= {str(name)} if given.numbers else set()
        by_position += [str(name)] * (given.case_ids is None)
        unnamed += [str(name)] * (given.classes is None and not given.numbers)
    if not present.any():
        raise checks.error("predictions", "cover at least one case together", "none")
    said = [position_note(axes, f"The scores of {', '.join(by_position)}")] if by_position else []
    said += filter(None, [columns_note(axes, ", ".join(unnamed), on_scale) if unnamed else None])
    return JoinedScores(scores, present, [*said, *rounded_note(rounded)], numbers)


def informed(truth: Any, scores: Mapping[str, Array], rows: Int64) -> list[Note]:
    """Return a note on a truth whose prior came from a model, and the models that order the classes of all cases as this prior does."""
    prior = getattr(getattr(truth, "made_of", None), "of_cases", None)
    if prior is None:
        return []
    made_of: Any = truth.made_of
    order = np.argsort(-(prior if made_of.rows is None else prior[made_of.rows])[rows], axis=1, kind="stable")
    same = [name for name, table in scores.items() if np.array_equal(np.argsort(-table, axis=1, kind="stable"), order)]
    alike = f" {', '.join(same)}: the same order of classes as in the prior, in every case." if same else ""
    return [Note("truth_of_a_model", "{informed}{alike}", informed=INFORMED, alike=alike)]


def subgroups_of(subgroups: Any, axes: Any) -> dict[str, NDArray[Any]]:
    """Return (N,) text for each subgroup column; "" if not stated: blank, None, NaN or a case that the mapping lacks."""
    if subgroups is not None and not isinstance(subgroups, Mapping):
        raise TypeError(f"subgroups must be a mapping from names to values. Got {type(subgroups).__name__}.")
    found = {}
    for name, values in (subgroups or {}).items():
        listed = ids_of_cases(f"subgroups[{name!r}]", values, axes.n_cases, axes.case_ids, absent="").tolist()
        stated = ["" if value is None or value != value else str(value) for value in listed]  # noqa: PLR0124  (NaN)
        found[str(name)] = np.asarray(stated, np.str_)
    return found
