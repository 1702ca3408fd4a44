"""The states of comparisons with annotators, for cases that are in several places."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Callable

import numpy as np

from .._base import checks, identifiers
from .._base.arrays import Int64, NDArray
from ..annotations import Labels
from ..resampling import Part, plain
from . import alternative_annotator, forest
from .alternative_annotator import Advantages
from .alternatives import Averages
from .forest import Judged
from .held_out import HeldOut, positions
from .input import MISSING, WHY, Compared, as_annotations, check_known, compare, distance_for, models_of
from .record import Discrepancy, Judging, Substitution

Data = tuple[Any, ...]
Options = dict[str, Any]


def _positions(known: NDArray[Any], annotators: object, any_labels: bool) -> tuple[list[Any], Int64]:
    """Return the annotators of all parts, and the position (A,) of each among those of this part, -1 if absent."""
    names, at = identifiers.everyone(known, annotators, any_labels)
    found = np.full(len(names), -1, np.int64)
    found[at] = np.arange(len(known))
    return names, found


def _compared(annotations: object, models: Mapping[str, Any], options: Options, why: str) -> tuple[Compared, Options, Int64]:
    """Return annotations joined with predictions, the settings, and the positions of the annotators."""
    distance, values = options["distance"], options["values"]
    held = as_annotations(annotations, list(models.values()), distance, values)
    distance = distance_for(held, distance, values)
    some = bool(held.offsets[-1] > 0)
    compared = compare(held, models, distance, values, options["missing"], known=why if some else "")
    names, at = _positions(compared.annotators, options["annotators"], some)
    checks.room("what each case adds for each annotator", 32.0 * compared.n_cases * len(names))
    alike = plain({name: one for name, one in {**options, "distance": distance}.items() if name not in ("annotators", "predictions")})
    return compared, {"options": alike, "annotators": names}, at


def _ratio(data: Data, options: Options) -> Discrepancy:
    return Discrepancy({"options": plain(options)}, compare(data[0], {"model": data[1]}, **options))


def _forest(data: Data, options: Options) -> Judged:
    options = {**options, **forest.checked_options(options["cases"], options["least_cases"])}
    models = models_of(data[1] if len(data) == 2 else options["predictions"])
    compared, settings, at = _compared(data[0], models, options, "so that each can be judged")
    return Judged({**settings, "models": list(compared.models)}, compared, (at, False))


def _of_one_model(statistic: Callable[..., Judging], why: str) -> Callable[[Data, Options], Judging]:
    def read(data: Data, options: Options) -> Judging:
        if statistic is Advantages:
            given = (options[name] for name in ("epsilon", "q", "least_cases", "distance"))
            options = {**options, **alternative_annotator.checked_options(*given)}
        compared, settings, at = _compared(data[0], {"model": data[1]}, options, why)
        return statistic(settings, compared, at)

    return read


def _relative_f1(data: Data, options: Options) -> HeldOut:
    """Return the statistic of Labels that know all classes and name their annotators."""
    labels, model = data
    checks.option("missing", options["missing"], MISSING)
    if not isinstance(labels, Labels):
        raise checks.error("annotations", "be Labels, since a part need not hold all classes", type(labels).__name__)
    some = bool(labels.offsets[-1])
    if some:
        check_known(labels, "so that some can be held out")
    names, place = _positions(labels.annotators, options["annotators"], some)
    at = positions(identifiers.distinct("held_out", options["held_out"]), np.array(names))
    settings = {"missing": options["missing"], "annotators": names, "classes": plain(labels.axes.classes)}
    return HeldOut({**settings, "held_out": [names[j] for j in at]}, labels, model, place[at], options["missing"])


_WHO = {"annotators": None}
PARTS = {
    "discrepancy_ratio": Part(_ratio, Discrepancy),
    "annotator_discrepancy": Part(_forest, Judged, _WHO),
    "individual_equivalence_index": Part(_of_one_model(Substitution, WHY), Substitution, _WHO),
    "alternative_annotator_test": Part(_of_one_model(Advantages, WHY), Advantages, _WHO),
    "alternative_discrepancy_ratios": Part(_of_one_model(Averages, "for averages over annotators"), Averages, _WHO),
    "relative_f1": Part(_relative_f1, HeldOut, _WHO),
}
