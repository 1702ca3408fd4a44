"""The precision that a plan must reach, and the search for designs that reach it."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from .._base.arrays import Array, Bools
from .._base.checks import error
from .._base.laws import t_quantile
from ..resampling.spread import SCALES
from .components import PARTS, Components, InPilot, jackknife
from .pilots import METRICS, OF_PAIRS, RANGES, Pilot
from .solving import Expectation, assured, least_cases, least_people, power_of, precision, weights, width_within


class AnnotationDesign(NamedTuple):
    """One design with its precision, power and cost."""

    n_cases: int
    n_labels: float  # per case; whole in plans
    n_annotators: int
    std_error: float
    width: float
    power: float
    cost: float


class Target(NamedTuple):
    """The wanted precision, and the components by which designs are judged."""

    metric: str
    value: float
    parts: Components
    tested: Components  # components for power
    effect: float  # NaN: no power is asked for
    two_sided: bool
    width: float | None
    power: float | None
    cost: tuple[float, float, float]
    level: float
    most: int
    only_labels: int | None
    assurance: float | None = None
    in_pilot: tuple[InPilot, InPilot] | None = None  # for the assurance: of the components, and of those for power

    @property
    def annotators_random(self) -> bool:
        return not math.isnan(self.parts.annotators)

    def check_labels(self, k: float) -> None:
        if self.only_labels is not None and k != self.only_labels:
            raise error("n_labels", f"be {self.only_labels}, as in the pilot, which does not show the effect of others", k)
        if k < self.least_labels:
            raise error("n_labels", "be at least 2 for a metric of pairs of annotators", k)

    @property
    def least_labels(self) -> int:
        return 2 if self.metric in OF_PAIRS else 1

    def spread(self, n: object, k: object, a: object) -> Expectation:
        return precision(self.parts, n, k, a, 0.5 + self.level / 2)

    def power_at(self, n: Any, k: Any, a: Any) -> Array:
        """Return the power, with assurance that of all but the worst pilots."""
        if math.isnan(self.effect):
            return np.full(np.broadcast(n, k, a).shape, np.nan)
        found = precision(self.tested, n, k, a, 0.5 + self.level / 2 if self.two_sided else self.level)
        return power_of(found.times(self._assured(found, n, k, a, tested=True)[1]), self.effect, self.two_sided)

    def width_at(self, n: Any, k: Any, a: Any) -> Array:
        """Return the expected width, with assurance the one that is reached with this probability."""
        found = self.spread(n, k, a)
        return self.width_of(found.times(self._assured(found, n, k, a)[0]).half_width)

    def _assured(self, found: Expectation, n: Any, k: Any, a: Any, tested: bool = False) -> tuple[Array, Array]:
        if self.assurance is None or self.in_pilot is None:
            return np.ones(()), np.ones(())
        return assured(found, self.in_pilot[tested].reach(weights(n, k, a), self.assurance), self.assurance)

    @staticmethod
    def possible(metric: str, value: float) -> bool:
        """Return whether the value has a place on the scale of the metric."""
        with np.errstate(all="ignore"):
            return bool(np.isfinite(SCALES[METRICS[metric]].to(np.float64(value))))

    def width_of(self, half: Array) -> Array:
        """Return the width of an interval that is symmetric on its scale, from a half-width in units of the metric."""
        return width_within(half, self.value, RANGES[self.metric], METRICS[self.metric])

    def effect_of(self, difference: float | None, margin: float | None, unit: float) -> float:
        """Return the distance to the tested number, in the units of the components of the test; NaN if nothing is tested."""
        if margin is not None:
            true = 0.0 if difference is None else difference
            return margin + true if self.metric == "difference" else (margin - true) * unit
        if difference is None:
            return math.nan
        if math.isnan(self.value):
            return abs(difference)
        if not self.possible(self.metric, self.value - difference):
            raise error("difference", f"leave a number to test inside the range of metric {self.metric!r}", self.value - difference)
        to, slope, _ = SCALES[METRICS[self.metric]]
        x = np.float64(self.value)
        return float(abs((to(x) - to(x - difference)) / slope(x)))

    def with_annotators(self, factor: float) -> Target:
        """Return the target with the annotators' part multiplied by a factor."""
        parts, tested = (one._replace(annotators=factor * one.annotators) for one in (self.parts, self.tested))
        return self._replace(parts=parts, tested=tested)

    def enough(self, n: Any, k: Any, a: Any) -> Bools:
        met = np.ones(np.broadcast(n, k, a).shape, bool)
        if self.width is not None:
            met &= self.width_at(n, k, a) <= self.width
        if self.power is not None:
            met &= self.power_at(n, k, a) >= self.power
        return met

    def costs(self, n: Any, k: Any, a: Any) -> Any:
        return self.cost[0] * n + self.cost[1] * n * k + self.cost[2] * a

    def designs(self, n: Any, k: Any, a: Any) -> tuple[AnnotationDesign, ...]:
        found = self.spread(n, k, a)
        columns = (np.sqrt(found.variance), self.width_at(n, k, a), self.power_at(n, k, a), self.costs(n, k, a) + 0.0)
        return tuple(AnnotationDesign(*row) for row in zip(*(column.tolist() for column in (n, k, a, *columns))))

    def solve(self) -> tuple[AnnotationDesign, ...]:
        """Return the cheapest sufficient design for each number of annotators; empty if there is none."""
        if self.width is None and self.power is None:
            return ()
        more = np.rint(50 * 1.05 ** np.arange(1, 64)).astype(np.int64)  # steps of 5% beyond 50
        sizes = np.unique(np.concatenate([np.arange(1, min(self.most, 50) + 1), more[more < self.most], [self.most]]))
        if not self.annotators_random:  # fixed annotators: as many as there are labels
            k = sizes if self.only_labels is None else np.array([self.only_labels])
            k = k[k >= self.least_labels]
            a = np.maximum(k, 2)
        else:
            a, k = (one.ravel() for one in np.meshgrid(sizes, sizes, indexing="ij"))
            there = (a >= 2) & (k >= self.least_labels) & (k <= a)
            if self.only_labels is not None:
                there &= k == self.only_labels
            a, k = a[there], k[there]
        n = least_cases(lambda n: self.enough(n, k, a), len(k))
        a, k, n = a[n > 0], k[n > 0], n[n > 0]
        cost = self.costs(n, k, a)
        order = np.lexsort((k, cost, a))
        first = order[np.append(True, a[order][1:] != a[order][:-1])] if len(order) else order
        return self.designs(n[first], k[first], a[first])

    def people_needed(self) -> int | None:
        """Return the fewest annotators with whom some number of cases is enough."""
        k = self.only_labels or self.least_labels
        return least_people(lambda a: a >= k and bool(self.enough(np.array([1e15]), np.array([k]), np.array([a]))[0]))

    def next_step(self, n: float, k: float, a: float) -> dict[str, float]:
        now, (of_case, of_label, of_annotator) = self._variance(n, k, a), self.cost
        more = max(a, k + 1)
        steps = {"case": ((n + 1, k, a), of_case + of_label * k)}
        if self.only_labels is None:
            steps["label"] = (n, k + 1, more), of_label * n + of_annotator * (more - a)
        if self.annotators_random:
            steps["annotator"] = (n, k, a + 1), of_annotator
        saved = {name: 1 - self._variance(*size) / now for name, (size, _) in steps.items()}
        prices = {name: price for name, (_, price) in steps.items()}
        found = {name: share / prices[name] if prices[name] else math.inf if share > 0 else 0.0 for name, share in saved.items()}
        return dict(sorted(found.items(), key=lambda item: -item[1]))

    def _variance(self, *size: float) -> float:
        return float(self.spread(*size).variance)

    def interval(self, pilot: Pilot, of: str, level: float, best: AnnotationDesign | None) -> tuple[float, float]:
        sources = [pilot.parts.without_cases()]
        if self.annotators_random:
            sources.append(pilot.parts.without_annotators())

        def number(parts: Components) -> Array:
            if of in PARTS:
                return np.asarray(getattr(parts, of))
            assert best is not None
            known = parts if self.annotators_random else parts._replace(annotators=np.nan * parts.cases)
            return np.log(precision(known, *best[:3], 0.5 + self.level / 2).variance)

        sizes = [len(one.cases) - 1 for one in sources]
        with np.errstate(divide="ignore", invalid="ignore"):  # a variance of 0, the logarithm of which is not finite
            spreads = [jackknife(number(one)) for one in sources]
        total = sum(spreads)
        if not math.isfinite(total) or min(sizes) < 1:
            return math.nan, math.nan
        df = total**2 / sum(spread**2 / size for spread, size in zip(spreads, sizes)) if total else 1.0
        reach = float(t_quantile(df, 0.5 + level / 2)) * math.sqrt(total)
        if of in PARTS:
            middle = float(getattr(self.parts, of))
            return middle - reach, middle + reach
        assert best is not None
        factors = np.exp(np.minimum(np.array([-reach, reach]) / 2, 100.0))
        if of == "std_error":
            low, high = best.std_error * factors
        else:
            low, high = self.width_of(self.spread(*best[:3]).half_width * factors)
        return float(low), float(high)
