"""The state of a metric on some of the cases, which holds sums and no cases and can be merged, stored and sent; and the final metric."""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from .. import resampling
from .._base import notices
from .._base.arrays import Array
from .._base.axes import Frozen
from .._base.checks import Twice, error, instance, once, option, whole
from .._base.laws import t_quantile
from .._base.records import Record
from .._base.wording import arg
from .sums import added

VERSION = 2
FIRST = 2  # the oldest version that can be read
# One upgrade function per version, to the next version, so that states written by older versions stay readable.
UPGRADES: dict[int, Callable[[dict[str, Any]], dict[str, Any]]] = {}
FORMAT = "ugt_state"
AT_ONCE = 64  # states that are added at a time,
NUMBERS = 1 << 21  # or fewer, so that they hold at most so many numbers
CLASSES = "classes of the data"  # a setting: their names in order, or their number; absent if the data show none
LONGEST = 200  # characters of a setting in a message
KINDS = ("auto", "percentile", "basic", "analytic")


@dataclass(frozen=True, eq=False)
class State(Record):
    """The sums over some of the cases from which the metric of all cases is computed; made by :func:`ugt.states.partial`.

    Attributes
    ----------
    metric : str
        Name of the function that computes the metric.
    settings : mapping
        Settings in which states must agree to be merged: options, class names, edges of bins.
    n_cases, left_out : int, mapping
        Cases that count; cases left out, by reason.
    sums : mapping of name to array
        Exact sums: (..., P), P doubles per sum, each the rounding of the remainder of those before.
    replicates : mapping of name to array
        The same sums (B, ..., P) with each case (or cluster) counted as often as in each of B Poisson resamples; empty without them.

    Examples
    --------
    >>> from ugt import states
    >>> one = states.partial("ua_topk_accuracy", [[0.9, 0.1], [0.4, 0.6]], [[0.8, 0.2], [0.7, 0.3]])
    >>> two = states.partial("ua_topk_accuracy", [[0.2, 0.8]], [[0.1, 0.9]])
    >>> states.finish(states.merge([one, two])).value
    0.6666666666666666
    >>> states.State.from_json(one.to_json()) == one
    True
    """

    metric: str
    settings: Mapping[str, Any]
    n_cases: int
    left_out: Mapping[str, int]
    sums: Mapping[str, Array]
    replicates: Mapping[str, Array] = field(default_factory=dict)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, State) and self.to_json() == other.to_json()

    def __hash__(self) -> int:
        return hash((self.metric, self.n_cases))

    def __repr__(self) -> str:
        return f"State(metric={self.metric!r}, n_cases={self.n_cases}, n_sums={self.n_sums})"

    @property
    def n_sums(self) -> int:
        """The number of numbers in the state, including resamples."""
        return sum(table.size for part in (self.sums, self.replicates) for table in part.values())

    def to_json(self) -> str:
        """Return the state as text, from which :meth:`from_json` restores it to the last bit."""
        told = {"metric": self.metric, "settings": self.settings, "n_cases": self.n_cases, "left_out": dict(sorted(self.left_out.items()))}
        tables = {part: {name: one.tolist() for name, one in sorted(getattr(self, part).items())} for part in ("sums", "replicates")}
        return json.dumps({FORMAT: VERSION, **told, **tables}, allow_nan=False)

    @classmethod
    def from_json(cls, text: str) -> State:
        """Return the state from the text of :meth:`to_json`, of this version or an earlier one.

        Raises
        ------
        ValueError
            If the text is not that of a state, is damaged, or was written by a later version.
        """
        document = _document(text)
        try:
            tables = [{str(name): _table(name, one) for name, one in document[part].items()} for part in ("sums", "replicates")]
            left_out = {str(reason): whole("left_out", n, 0) for reason, n in document["left_out"].items()}
            settings, metric = dict(document["settings"].items()), str(document["metric"])
            n_cases = whole("n_cases", document["n_cases"], 0)
        except (KeyError, AttributeError, TypeError) as exc:
            raise error("text", "be that of a whole state", f"one without a readable {exc}") from None
        return _usable(cls(metric, settings, n_cases, left_out, *tables))


def _document(text: str) -> dict[str, Any]:
    try:
        document = json.loads(text, object_pairs_hook=once("text"))
    except Twice:
        raise
    except (TypeError, ValueError, RecursionError) as exc:
        raise error("text", "be the JSON of a state", f"{type(exc).__name__}: {exc}") from None
    version = document.get(FORMAT) if isinstance(document, dict) else None
    if type(version) is not int or version < 1:
        raise error("text", f"be the JSON of a state, with its version as {FORMAT!r}", repr(version))
    if version > VERSION:
        raise error("text", f"be of version {VERSION} or earlier: it was written by a later ugt", version)
    if version < FIRST:
        raise error("text", f"be of version {FIRST} or later", version)
    for earlier in range(version, VERSION):
        document = UPGRADES[earlier](document)
    return dict(document)


def _usable(state: State) -> State:
    """Refuse a state from elsewhere from whose sums its metric cannot be computed."""
    from .making import finish, merge  # noqa: PLC0415  (which import this)

    try:
        with notices.heard():
            finish(state)
            finish(merge([state, state]))  # a merged state has more cases, so that more of the sums and the groups are checked
    except Exception as exc:  # any error means that the sums do not fit
        raise error("text", "be that of a state whose sums fit its metric", f"{type(exc).__name__}: {exc}") from None
    return state


def _table(name: str, given: object) -> Array:
    try:
        table = np.array(given, np.float64)
    except (TypeError, ValueError, OverflowError):
        table = np.empty(0)
    if table.size == 0 or table.ndim < 1 or not np.isfinite(table).all():
        raise error("text", "hold tables of finite numbers", "something else", f"sums {name!r}")
    return table


def merge_states(states: Iterable[State]) -> State:
    """Return the state of all cases of all states, with a few in memory at a time."""
    waiting: list[State] = []
    for state in states:
        instance("states", state, State, "be State")
        waiting.append(state)
        if len(waiting) == AT_ONCE or (len(waiting) > 1 and sum(one.n_sums for one in waiting) > NUMBERS):
            waiting = [_merged(waiting)]
    if not waiting:
        raise error("states", "be at least one", "none")
    return _merged(waiting)


def _merged(states: list[State]) -> State:
    if len(states) == 1:
        return states[0]
    first = next((one for one in states if CLASSES in one.settings), states[0])
    for number, other in enumerate(states):
        _check_alike(first, other, f"state {number}")
    parts = [[getattr(state, part) for state in states] for part in ("sums", "replicates")]
    tables = [{name: added([table[name] for table in each]) for name in each[0]} for each in parts]
    return State(
        first.metric, first.settings, sum(state.n_cases for state in states), together(state.left_out for state in states), *tables
    )


def together(left_out: Iterable[Mapping[str, int]]) -> dict[str, int]:
    """Return the cases left out by reason, of all parts."""
    total: Counter[str] = Counter()
    for one in left_out:
        total.update(one)
    return dict(total)


def check_settings(first: State, other: State, where: str) -> None:
    """Refuse states that were computed with different settings."""
    if first.metric != other.metric:
        raise error("states", f"be of one metric, {first.metric!r}", repr(other.metric), where)
    for name in {**first.settings, **other.settings}:
        mine, its = first.settings.get(name), other.settings.get(name)
        if mine != its and not (name == CLASSES and None in (mine, its)):  # a column of one class, or a text from before
            raise error("states", f"be made with the same {name}, {_short(mine)}", _short(its), where)


def check_classes(what: str, classes: Sequence[Any]) -> None:
    """Refuse parts whose classes differ, in their names or in their order."""
    for number, one in enumerate(classes):
        if one != classes[0]:
            raise error(what, f"have the same classes in the same order, {_short(classes[0])}", _short(one), f"part {number}")


def _check_alike(first: State, other: State, where: str) -> None:
    check_settings(first, other, where)
    for part in ("sums", "replicates"):
        shapes = [{name: table.shape[:-1] for name, table in getattr(state, part).items()} for state in (first, other)]
        if shapes[0] != shapes[1]:
            raise error("states", f"have {part} of the same shapes, {shapes[0]}", shapes[1], where)


def _short(value: object) -> str:
    text = repr(value)
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 3]}..."


@dataclass(frozen=True, eq=False, repr=False)
class Merged(Frozen):
    """The metric of all cases, from sums alone; made by :func:`ugt.states.finish`.

    Attributes
    ----------
    metric : str
        Name of the function that gives the same result for cases in one place.
    value : float
        The metric; NaN if undefined, for the ``reason``. For a metric with a value for each annotator or pair of annotators, the mean of
        these, which are in ``numbers``; for :func:`ugt.humans.alternative_annotator_test` the average advantage.
    numbers : mapping
        Further numbers by name, such as ``alpha`` and ``mu`` of a discrepancy ratio, or ``low`` and ``high``, the bounds of a value from
        bins.
    n_cases, left_out : int, mapping
        Cases that count; cases left out, by reason.
    std_error : float
        Standard error over cases: from sums of squares if the metric has them, else from resamples; NaN if there are neither.
    reason : str or None
        Why the value is undefined, or a convention.
    resampled : (B,) array
        The metric in each of the B resamples.
    units : {"cases", "clusters"}
        The units that were resampled.
    record : object or None
        The record of the function itself, if it can be computed without cases: :class:`ugt.calibration.HistogramLosses`.
    resampled_numbers : mapping of name to (B, ...) array
        Those of ``numbers`` that are known in each of the resamples.

    Examples
    --------
    >>> from ugt import states
    >>> votes, said = [[0, 1, 1], [1, 1, 0], [0, 0, 1]], [1, 1, 1]
    >>> found = states.finish(states.partial("discrepancy_ratio", votes, said, case_ids=["a", "b", "c"], n_resamples=200))
    >>> round(found.value, 3), round(found.numbers["alpha"], 3), found.n_cases
    (0.667, 0.667, 3)
    """

    metric: str
    value: float
    numbers: Mapping[str, Any]
    n_cases: int
    left_out: Mapping[str, int]
    std_error: float
    reason: str | None = None
    resampled: Array = field(default_factory=lambda: np.empty(0), repr=False)
    units: str = "cases"
    record: Any = field(default=None, repr=False)
    resampled_numbers: Mapping[str, Array] = field(default_factory=dict, repr=False)
    _scale: str = field(default="identity", repr=False)
    _span: tuple[float, float] = field(default=(-math.inf, math.inf), repr=False)
    _step: float = field(default=math.nan, repr=False)
    _limits: Callable[[float], tuple[float, float]] | None = field(default=None, repr=False)
    _two_way: Mapping[str, resampling.TwoWay] | tuple[str, str] | None = field(default=None, repr=False)

    def two_way(self, *, of: str | None = None) -> resampling.TwoWay:
        """Return the spread of the value over cases and annotators, both random, by leaving out annotators one by one.

        The record of the function itself draws panels of annotators if the number follows from counts of labels, and contains Student's
        interval over the cases. Its interval is the wider one where votes of few annotators could have been others: quote that one.

        Parameters
        ----------
        of : str, optional
            Name of the number, if a second round was for several: losses of all classes together by their names, and ``"hard"`` of
            ranking metrics. Default: ``value``.

        Raises
        ------
        ValueError
            If the parts were computed without ``random=("cases", "annotators")``, or if a second round is needed, see :func:`partial`, or
            lacks a part.
        """
        if self._two_way is None:
            raise error("random", "be ('cases', 'annotators') when the parts are made", "('cases',)")
        if isinstance(self._two_way, tuple):
            raise error("state", *self._two_way)
        first = next(iter(self._two_way))
        return self._two_way[first if of is None else option("of", of, tuple(self._two_way))].said()

    def interval(self, level: float = 0.95, *, of: str | None = None, kind: str = "auto") -> tuple[float, float]:
        """Return the interval over cases or clusters, as of the record of the function itself: from the Poisson resamples, or analytic.

        Parameters
        ----------
        level : float
            In (0, 1).
        of : str, optional
            Name of one of the ``numbers`` that are known in each resample. Default: ``value``.
        kind : {"auto", "percentile", "basic", "analytic"}
            ``"percentile"`` and ``"basic"`` are as in :class:`ugt.resampling.Resamples`. ``"auto"``: percentile; if no resample differs
            from a value at an end of its range (30 of 30 right), Clopper & Pearson's interval with as many trials as cases. ``"analytic"``:
            of ``value``, by its ``std_error`` and Student's t (over clusters: the normal law), without resamples if there are sums of
            squares; for intraclass correlations by the F distribution, for other cases and other annotators.

        Returns
        -------
        (low, high)
            NaN if the number or the standard error is undefined, and, with a warning, at an end of the range over clusters, whose number a
            state does not know.

        Raises
        ------
        ValueError
            If an option is out of range, or if there are no resamples.

        Examples
        --------
        >>> from ugt import states
        >>> p = [[0.9, 0.1], [0.5, 0.5], [0.2, 0.8], [0.6, 0.4]]
        >>> found = states.finish(states.partial("expected_risk", p, [0, 1], kind="plausibility"))
        >>> [round(end, 3) for end in found.interval(kind="analytic")]
        [-0.009, 0.909]
        """
        level = resampling.check_level(level)
        if option("kind", kind, KINDS) == "analytic":
            if of is not None:
                raise error("of", "be None for kind='analytic'", repr(of))
            return self._analytic(level)
        if len(self.resampled) == 0:
            raise error("kind", "be 'analytic' for a state without resamples", repr(kind), way=arg("n_resamples", ...))
        found = self.resamples(of)
        low, high = found.interval(level, "percentile" if kind == "auto" else kind)[0]
        at_end = low == high == self.value and self.value in self._span and math.isfinite(self._step)
        if kind == "auto" and of is None and at_end and self.n_cases > 1:
            if self.units == "clusters":
                notices.undefined(f"an interval of {self.value:g} over clusters, as a state does not know how many there are")
                return math.nan, math.nan
            facts = resampling.UnitFacts(np.array([self.n_cases]), np.array([self._span]), np.array([self._step]))
            low, high = facts.at_end(found.estimate, level)[0]
        return float(low), float(high)

    def _analytic(self, level: float) -> tuple[float, float]:
        from scipy.special import ndtri  # noqa: PLC0415  (scipy is slow to import)

        if self._limits is not None:
            if self.units == "clusters":
                raise error("clusters", "be None for analytic intervals of intraclass correlations", "clusters")
            return self._limits(level)
        if not self.std_error > 0:
            return math.nan, math.nan
        far = ndtri(0.5 + level / 2) if self.units == "clusters" else t_quantile(self.n_cases - 1, 0.5 + level / 2)
        return resampling.limits(self.value, float(far) * self.std_error, self._scale, self._span)

    def resamples(self, of: str | None = None) -> resampling.Resamples:
        """Return the resamples of the value, or of another number, as other metrics have them."""
        one, again = self.value, self.resampled
        if of is not None:
            known = (name for name, table in self.resampled_numbers.items() if np.ndim(table) == 1)
            one, again = self.numbers[option("of", of, tuple(known))], self.resampled_numbers[of]
        return resampling.Resamples(np.array([one]), again[:, None], None, (self.units,))

    def minus(self, other: Merged) -> resampling.Resamples:
        """Return the paired difference to another metric or model, resample by resample, of states with the same ids and seed.

        Parameters
        ----------
        other : Merged
            A result with as many resamples.

        Raises
        ------
        ValueError
            If it has more or fewer resamples, or other units.
        """
        instance("other", other, Merged, "be Merged")
        mine, its = ((len(one.resampled), one.units) for one in (self, other))
        if mine != its or not mine[0]:
            must = f"have the same resamples, {mine[0]} of {mine[1]}"
            raise error("other", must, f"{its[0]} of {its[1]}", way="give both the same " + arg("n_resamples"))
        beside = np.stack([other.resampled, self.resampled], axis=1)
        return resampling.Resamples(np.array([other.value, self.value]), beside, None, (self.units,)).minus(0).take(1)


def spread_of(resampled: Array) -> float:
    """Return the standard deviation over the resamples in which the metric is defined."""
    defined = resampled[np.isfinite(resampled)]
    return float(defined.std(ddof=1)) if len(defined) > 1 else math.nan
