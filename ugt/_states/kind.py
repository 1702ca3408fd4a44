"""How a family of metrics is made of sums, and which metrics there are."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Collection, Mapping
from importlib import import_module
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from .._checks import option

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from .part import Part

    Array = NDArray[np.float64]

# Module of the kind, and the metrics that it knows.
HOMES = {
    "means": (
        "annotation_certainty expected_risk ua_topk_accuracy ua_set_accuracy ua_overlap ua_average_overlap ua_kendall_distance "
        "ua_footrule_distance ua_coverage ua_plausibility_mass leave_one_annotator_out annotator_average_overlap rating_certainty "
        "ua_rating_accuracy partial_average_overlap histogram_brier_score histogram_log_loss ranked_probability_score "
        "manhattan_distance wasserstein_distance"
    ),
    "discrepancies": "discrepancy_ratio",
    "humans": "annotator_discrepancy individual_equivalence_index alternative_annotator_test",
    "alternatives": "alternative_discrepancy_ratios relative_f1",
    "pairs": "pairwise_agreement intra_annotator_agreement",
    "ranking": "soft_auroc soft_average_precision",
    "losses": "histogram_losses disagreement_losses",
    "coefficients": ("percent_agreement cohen_kappa scott_pi fleiss_kappa gwet_ac1 gwet_ac2 krippendorff_alpha intraclass_correlation"),
}
HOME_OF = {metric: home for home, metrics in HOMES.items() for metric in metrics.split()}


class Answer(NamedTuple):
    """What sums (B, ...) say: B values of the metric, other numbers (B, ...) by name, and why the first is undefined, if it is."""

    value: Array
    numbers: Mapping[str, Array]
    reason: str | None = None


class Kind(ABC):
    """A family of metrics."""

    @abstractmethod
    def part(self, metric: str, data: tuple[Any, ...], options: dict[str, Any]) -> Part:
        """What the cases of the data add to the sums of a metric."""

    @abstractmethod
    def answer(self, metric: str, settings: Mapping[str, Any], sums: Mapping[str, Array]) -> Answer:
        """The metric from its sums, each with a first axis of B resamples (or of 1)."""

    def resampled(
        self, metric: str, settings: Mapping[str, Any], sums: Mapping[str, Array], replicates: Mapping[str, Array]
    ) -> Answer:  # fmt: skip
        """The same from the sums of B resamples; ``sums``: those of the cases as they are."""
        return self.answer(metric, settings, replicates)

    def std_error(self, metric: str, settings: Mapping[str, Any], sums: Mapping[str, Array]) -> float:
        """Standard error of the value over cases, where the sums tell it; else NaN."""
        return float("nan")

    def record(self, metric: str, settings: Mapping[str, Any], sums: Mapping[str, Array], left_out: Mapping[str, int]) -> Any:
        """The record that the function itself returns, where it can be made without cases; else None."""
        return None

    def groups(self, metric: str, settings: Mapping[str, Any], sums: Mapping[str, Array]) -> Array:
        """How many cases (or labels) are in each of the groups that the sums tell apart, such as bins; empty if there are none."""
        return np.empty(0)


def kind_of(metric: Any) -> Kind:
    """The kind of a metric, by its name."""
    home = HOME_OF[option("metric", metric, tuple(HOME_OF))]
    found = import_module(f".{home}", __package__).KIND
    assert isinstance(found, Kind)
    return found


def check_call(metric: str, data: tuple[Any, ...], n: int, options: Mapping[str, Any], known: Collection[str]) -> None:
    """As Python checks the call of a function."""
    if len(data) != n:
        raise TypeError(f"{metric} in parts takes {n} of data before its options. Got {len(data)}.")
    unknown = [name for name in options if name not in known]
    if unknown:
        raise TypeError(f"{metric} in parts knows no option {unknown[0]!r}")


def plain(value: Any) -> Any:
    """Settings as JSON holds them: numbers, text, lists."""
    if isinstance(value, np.ndarray):
        return plain(value.tolist())
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, Mapping):
        return {str(key): plain(one) for key, one in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(one) for one in value]
    return value
