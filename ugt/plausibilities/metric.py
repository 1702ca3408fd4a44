"""The metrics of a model's order of classes, in one table that all lists of metrics use."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import reduce
from math import gcd, log2
from typing import TYPE_CHECKING, Any, Callable, NamedTuple

from .comparisons import Comparison
from .estimates import Estimate, estimate

if TYPE_CHECKING:
    from .._base.arrays import Int64
    from .orders import Orders
    from .protocol import Plausibilities

TOPK, SET, OVERLAP, AVERAGE_OVERLAP, KENDALL, FOOTRULE, RANK_BIASED, WEIGHTED_KENDALL, DISCOUNTED_GAIN = range(9)  # as in ugt.h

# With ties, values of a case are fractions r/t: twelfths represent those of two, three, four and six tied classes exactly.
TIED_LATTICE = 12
FINEST_LATTICE = 720


def _one(k: int, parameter: float) -> float:
    return 1.0


@dataclass(frozen=True)
class Metric:
    """A metric of a model's order of classes, with everything that lists of metrics show."""

    name: str  # name in tables of an evaluation; the public function is ua_{name}
    number: int  # number of the formula in the C core
    label: str  # name in a report
    heading: str  # shorter name on the command line; both take {k}
    meaning: str  # a phrase that says what the value is
    wider: bool = True  # whether an evaluation shows it for k > 1 only, because it is top-1 accuracy at k = 1
    shown: bool = True  # whether an evaluation shows it at all
    higher_is_better: bool = True  # False for distances
    parameter: float = 0.0  # default parameter of the formula; for top-k accuracy the number of the truth's best classes that must be there
    most: Callable[[int, float], float] = _one  # by (k, parameter): the largest value of the formula, by which it is divided
    # By (k, parameter): n such that without ties all values of a case are multiples of 1/n; not a whole number if there is no such n.
    points: Callable[[int, float], float] = _one

    @property
    def function(self) -> str:
        return f"ua_{self.name}"

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle the metric as its name, because every process has the table of metrics."""
        return metric_called, (self.name,)

    def of(
        self,
        truth: Plausibilities,
        order: Orders,
        k: int,
        *,
        ties: str = "expectation",
        parameter: float | None = None,
        frequency: object = None,
        case_weights: object = None,
    ) -> Estimate:
        """Return the value of the metric for an order that holds at least the best k."""
        options = {"parameter": self.parameter if parameter is None else parameter, "ties": ties}
        again = Again(self.name, order, k, options)
        return estimate(truth.compare(order, self, k, **options), truth, again=again, frequency=frequency, case_weights=case_weights)  # type: ignore[arg-type]

    def lattice(self, k: int, parameter: float, ties: bool) -> int:
        """Return the number of points on [0, 1] on which all values of a case are, except with ties or an unusual parameter."""
        wanted = self.points(k, parameter)
        points = int(wanted) if wanted == int(wanted) else TIED_LATTICE
        if ties:
            points = max(points, 1) * TIED_LATTICE // gcd(points, TIED_LATTICE)
        return min(points, FINEST_LATTICE)


def metric_called(name: str) -> Metric:
    return METRICS[name]


class Again(NamedTuple):
    """The comparison of some rows of an order with a truth of the same number of cases, which keeps the rows for other metrics."""

    metric: str
    order: Orders
    k: int
    options: dict[str, Any]

    def __call__(self, truth: Plausibilities, rows: Int64) -> Comparison:
        own = truth._kept.last("rows of an order", (self.order, rows.tobytes()), lambda: self.order.take(rows))
        return truth.compare(own, METRICS[self.metric], self.k, **self.options)

    def alike(self) -> Int64:
        """Return codes (n,) of the best k classes, of which equal ones have equal values."""
        return self.order.alike(self.k)


def _finest(k: int) -> int:
    """Return the least common multiple of 1 to k."""
    return reduce(lambda found, j: found * j // gcd(found, j), range(1, k + 1), 1)


METRICS: Mapping[str, Metric] = {
    one.name: one
    for one in (
        Metric("topk_accuracy", TOPK, "UA top-{k} accuracy", "top-{k}",
            "how often a truth drawn from the annotations is expected to be among the model's {k} best", wider=False,
            parameter=1.0),
        Metric("set_accuracy", SET, "Set accuracy@{k}", "set@{k}",
            "how often the model's {k} best are expected to be exactly the {k} most plausible classes of a drawn truth"),
        Metric("overlap", OVERLAP, "Overlap@{k}", "overlap@{k}",
            "the expected share of the {k} most plausible classes that are among the model's {k} best", points=lambda k, _: k),
        Metric("average_overlap", AVERAGE_OVERLAP, "Average overlap@{k}", "average@{k}",
            "the mean of the overlaps at 1 to {k}: the order near the top counts most", points=lambda k, _: k * _finest(k)),
        Metric("rank_biased_overlap", RANK_BIASED, "Rank-biased overlap@{k}", "rank-biased@{k}",
            "the overlap at 1 to {k}, of which each depth counts 0.9 times what the one above does", parameter=0.9,
            points=lambda k, _: FINEST_LATTICE),
        Metric("kendall_distance", KENDALL, "Kendall distance@{k}", "kendall@{k}",
            "the share of pairs of classes that the lists of the {k} best have in opposite orders", shown=False, higher_is_better=False,
            most=lambda k, p: k * k + p * k * (k - 1), points=lambda k, p: 2 * (k * k + p * k * (k - 1))),
        Metric("footrule_distance", FOOTRULE, "Footrule distance@{k}", "footrule@{k}",
            "how far classes are from their places in the other list of the {k} best", shown=False, higher_is_better=False,
            most=lambda k, _: k * (k + 1), points=lambda k, _: k * (k + 1)),
        Metric("weighted_kendall_distance", WEIGHTED_KENDALL, "Weighted Kendall distance@{k}", "weighted@{k}",
            "the share of pairs of classes in opposite orders, each with the sum of 1/rank of its two classes in the truth", shown=False,
            higher_is_better=False, most=lambda k, p: (k + p * (k - 1)) * sum(1 / r for r in range(1, k + 1)),
            points=lambda k, _: FINEST_LATTICE),
        Metric("ndcg", DISCOUNTED_GAIN, "nDCG@{k}", "ndcg@{k}",
            "the gain of the model's {k} best, discounted by rank, as a share of that of the truth's own order", shown=False,
            most=lambda k, _: sum((k + 1 - r) / log2(1 + r) for r in range(1, k + 1)), points=lambda k, _: FINEST_LATTICE),
    )
}  # fmt: skip
