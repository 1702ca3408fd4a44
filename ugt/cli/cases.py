"""Predictions of a file beside the annotated cases, as `ugt calibrate` and `ugt conformal` read them."""

from __future__ import annotations

import argparse
import warnings
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from .. import io
from .._base.checks import error
from ..calibrators.logits import LogitTable
from ..calibrators.scaling import softmax
from ..report.sections.calibration import is_probability
from ..resampling import ids_of_cases

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Array = NDArray[np.float64]

KINDS = ("auto", "logits", "probabilities")


class PredictedCases(NamedTuple):
    """Scores of cases, where these stand among annotated ones (-1: not there), and ids by option; case ids of the file, or else those of
    the annotations.
    """

    own_ids: NDArray[Any] | None
    case_ids: NDArray[Any] | None
    scores: Array
    rows: NDArray[np.int64]
    classes: NDArray[Any]
    ids: dict[str, NDArray[Any] | None]

    def ids_of(self, name: str, rows: Any) -> NDArray[Any] | None:
        """Such as the clusters of some of the cases."""
        found = self.ids[name]
        return None if found is None else found[rows]


def add_input(group: Any) -> None:
    """What predictions are."""
    group.add_argument("--input", default="auto", choices=KINDS, help="what predictions are; default: %(default)s (by their values)")


def add_resampling(group: Any, seed: str = "") -> None:
    """Clusters, level, resamples, and the seed where it is described."""
    clusters = "CSV with the columns case and cluster: kept together; default: every case by itself"
    group.add_argument("--clusters", metavar="FILE", help=clusters)
    group.add_argument("--level", type=float, metavar="P", default=0.95, help="of intervals; default: %(default)s")
    group.add_argument("--n-boot", type=int, default=1000, dest="n_resamples", metavar="N", help="resamples; default: %(default)s")
    if seed:
        group.add_argument("--seed", type=int, metavar="N", default=0, help=f"{seed}; default: %(default)s")


def ids_of_file(name: str, path: str | None, case_ids: Any) -> NDArray[Any] | None:
    """The cluster (or group) of every case by a file, in the order of the cases; None without one."""
    return None if path is None else ids_of_cases(name, io.read_clusters(path), len(case_ids), np.asarray(case_ids))


def predicted_cases(path: str, known: Any, options: argparse.Namespace, annotated: bool, *names: str) -> PredictedCases:
    """Predictions of a file, whose cases are looked for among the annotated ones unless both say nothing of their cases.

    Parameters
    ----------
    path : str
        Of the predictions.
    known : Labels, Rankings or plausibilities
        The annotations.
    options : Namespace
        Holds files of ids by ``names``, such as clusters.
    annotated : bool
        Whether rows without case ids are those of the annotations.
    """
    predictions = io.read_predictions(path)
    if predictions.case_ids is None and not annotated:
        if predictions.scores.shape[1] != known.n_classes:
            raise error("predictions", f"have {known.n_classes} classes, as the annotations", predictions.scores.shape[1])
        nowhere = np.full(len(predictions.scores), -1)
        return PredictedCases(None, None, predictions.scores, nowhere, known.axes.classes, dict.fromkeys(names))
    scores, rows = predictions.located(known.axes)
    ids = known.axes.case_ids if predictions.case_ids is None else predictions.case_ids
    found = {name: ids_of_file(name, getattr(options, name), ids) for name in names}
    return PredictedCases(predictions.case_ids, ids, scores, rows.astype(np.int64), known.axes.classes, found)


def kind_of(given: str, *tables: Array) -> str:
    """Logits or probabilities: what is said, or what all values may be."""
    if given != "auto":
        return given
    return "probabilities" if all(is_probability(table) for table in tables) else "logits"


def probabilities(table: Array, kind: str) -> Array:
    """(N, K), of scores of a kind."""
    return table if kind == "probabilities" else np.ascontiguousarray(softmax(LogitTable.of(table, "logits").all_logits()).T)


def warn_of_cases_in_both(first: NDArray[Any] | None, second: NDArray[Any] | None, done: str) -> None:
    """Warn of test cases that were not new."""
    if first is not None and second is not None:
        both = len(set(map(str, first.tolist())) & set(map(str, second.tolist())))
        if both:
            warnings.warn(f"{both:,} test cases were {done} too good", RuntimeWarning, stacklevel=3)
