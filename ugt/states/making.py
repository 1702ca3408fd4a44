"""The three steps: the states of some cases, the state of all cases, the metric."""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from importlib import import_module
from typing import Any

import numpy as np

from .._base import notices
from .._base.arrays import Array
from .._base.axes import Axes
from .._base.checks import error, instance, option, whole
from ..annotations import Labels, Ratings
from ..resampling import Answer, Part, Statistic, ids_of_cases
from ..resampling.parts import plain
from ..resampling.spread import with_annotators
from .state import CLASSES, Merged, State, check_settings, merge_states, spread_of
from .sums import PlannedResamples, as_exact, ids_of, rounded
from .two_way import facts_of, panel_of, tables_of, two_ways_of

Tables = dict[str, Array]

NOTHING = np.empty(0)
TABLES = ("truth", "posterior", "p", "counts", "probs")  # arguments that may be arrays with a column for each class


# Namespaces with metrics that can be computed from parts, those that are used most first.
SPACES = ("soft", "metrics", "truth", "agreement", "calibration", "grades", "humans", "papers")


def part_of(metric: Any) -> Part:
    """Return the declaration of a metric's parts, from ``PARTS`` of its namespace."""
    parts: dict[str, Part] = _space_of(metric).PARTS
    return parts[metric]


def function_of(metric: str) -> Callable[..., Any]:
    """Return the public function of a metric."""
    found: Callable[..., Any] = getattr(_space_of(metric), metric)
    return found


def metrics() -> tuple[str, ...]:
    return tuple(sorted(name for space in map(_space, SPACES) for name in space.__all__ if name in space.PARTS))


def _space(name: str) -> Any:
    return import_module(f"ugt.{name}")


def _space_of(metric: object) -> Any:
    found = next((one for one in map(_space, SPACES) if isinstance(metric, str) and metric in one.__all__ and metric in one.PARTS), None)
    if found is None:
        option("metric", metric, metrics())
    return found


def partial(
    metric: str,
    *data: Any,
    case_ids: object = None,
    clusters: object = None,
    n_resamples: int = 0,
    seed: object = 0,
    min_cases: int = 0,
    random: tuple[str, ...] = ("cases",),
    panel: object = None,
    given: State | None = None,
    **options: Any,
) -> State:
    """Return the :class:`State` of a metric on some of the cases.

    Parameters
    ----------
    metric : str
        One of ``ugt.states.METRICS``: the name of the function.
    *data
        As for the function, for these cases: truth first, prediction second. Each case must be whole in one part.
    case_ids : (N,) ids, optional
        For resamples, if the data do not name their cases.
    clusters : (N,) ids, optional
        Such as patients: clusters are resampled instead of cases. A cluster may be in several parts; if annotators are ``random``, each
        must be whole in one part.
    n_resamples : int
        Number of Poisson resamples B, for intervals: unit u counts Poisson(1) times, a function of (seed, u, b), so that parts agree
        without communication. 0: none.
    seed : int, Generator or SeedSequence
        Random seed of the resamples; the same for all parts.
    min_cases : int
        Refuse a state of fewer cases, or a state that distinguishes groups (bins, classes) some of which have fewer.
    random : ("cases",) or ("cases", "annotators")
        The latter adds what intervals for other annotators need, :meth:`Merged.two_way`: sums without each annotator, and, if there are
        few sums, sums of products. For metrics of annotations by named annotators, or of a truth made of such annotations.
    panel : sequence of ids, optional
        All annotators of all parts, for ``random``. Default: the annotators in the data.
    given : State, optional
        For ``random``, a second round: the merged state of all parts. Soft AUROC and average precision, losses in bins, and metrics of
        more than 1,500 sums need it; for others it has no effect. Give it with the same data and options, and merge the new states.
    **options
        As for the function. For ranking metrics also ``edges``: see :func:`compute` for exact ones. For metrics of named annotators also
        ``annotators``, the ids of all of them, unless every part's data have all annotators.

    Raises
    ------
    ValueError
        As the function; or if the metric is unknown, or if a group is smaller than ``min_cases``.

    Notes
    -----
    The sums over cases are exact, so that the state of a mean depends neither on the division into parts nor on the order of merging.

    Examples
    --------
    >>> import ugt
    >>> from ugt import states
    >>> north = states.partial("fleiss_kappa", [[0, 0, 1], [1, 1, 1]], classes=2)
    >>> south = states.partial("fleiss_kappa", [[0, 0, 0], [1, 0, 1]], classes=2)
    >>> found = states.finish(states.merge([north, south]))
    >>> found.value == ugt.fleiss_kappa(ugt.Labels.from_wide([[0, 0, 1], [1, 1, 1], [0, 0, 0], [1, 0, 1]])).value
    True
    """
    home, design = part_of(metric), PlannedResamples.of(n_resamples, clusters, case_ids, seed, with_annotators(random))
    with notices.heard() as warnings:
        one = home.statistic(function_of(metric), data, options)
    for said in warnings:
        if said.code != "undefined":  # which can only be decided for all parts together
            notices.warn(said)
    merging = one.merging
    sums = {"sums": merging.exact_sums()}
    if merging.squares is not None:
        sums["squares"] = merging.squares()
    if len(merging.fixed):
        sums["fixed"] = as_exact(merging.fixed)
    more = settings_of_data(metric, data, merging.settings)
    ids = ids_of(*data) if one.case_ids is None else one.case_ids
    if with_annotators(random):
        named, at = panel_of(one, panel, clusters)
        more.update(named)
        round_one = None if given is None else _without(given, State(metric, {**merging.settings, **design.settings, **more}, 0, {}, {}))
        units = None if clusters is None else ids_of_cases("clusters", clusters, one.n_cases, ids)
        sums.update(tables_of(one, len(more["panel"]), at, units, round_one))
    elif given is not None:
        raise error("given", "be left out unless random=('cases', 'annotators')", "a state")
    replicates = design.sums(one.n_cases, ids, lambda weights: {"sums": one.sums(weights)})
    state = State(metric, {**merging.settings, **design.settings, **more}, one.n_counted, dict(one.left_out), sums, replicates)
    if given is not None and "two_way influence" in sums:
        state = replace(state, settings={**state.settings, "given": facts_of(home.of_settings(state.settings), given)})
    _check_groups(state, min_cases)
    return state


def settings_of_data(metric: str, data: Sequence[Any], known_already: Mapping[str, Any]) -> dict[str, Any]:
    """Return the classes, the order of the grades and the scale of the ratings, in which all parts of the data must agree."""
    classes = None if "classes" in known_already else classes_of(metric, data)
    found: dict[str, Any] = {} if classes is None else {CLASSES: classes}
    for one in data:
        known = getattr(getattr(one, "made_of", None), "annotations", one)
        if isinstance(known, Labels) and known.ordered:
            found["order of the grades"] = known.axes.classes.tolist()
        elif isinstance(known, Ratings) and known.scale is not None:
            found["scale of the ratings"] = plain(known.scale)
    return found


def classes_of(metric: str, data: Sequence[Any]) -> list[Any] | int | None:
    """Return the names of the classes of the data, in their order; their number if they have no names, and None without classes."""
    arguments = list(inspect.signature(function_of(metric)).parameters)
    for name, one in zip(arguments, data):
        axes = getattr(one, "axes", None)
        if isinstance(axes, Axes):
            names = axes.classes.tolist()
            return len(names) if names == list(range(len(names))) else plain(names)
        if name in TABLES and isinstance(one, (np.ndarray, list, tuple)) and np.ndim(one) > 1:
            return int(np.shape(one)[-1])
    return None


def _without(given: Any, other: State) -> Array:
    """Return the sums (A + 1, S) of the first round for a second one; refuse a state with other settings."""
    instance("given", given, State, "be State")
    found = rounded(given.sums).get("two_way without")
    if found is None or "given" in given.settings:
        must = "be the merged state of a first round, with random=('cases', 'annotators')"
        raise error("given", must, repr(given))
    check_settings(given, other, "the part")
    return found


def _check_groups(state: State, min_cases: object) -> None:
    """Refuse small groups, which would reveal single cases."""
    least = whole("min_cases", min_cases, 0)
    sums = rounded(state.sums)
    groups = part_of(state.metric).of_settings(state.settings).merging.groups(sums["sums"], sums.get("fixed", NOTHING)).ravel()
    small = groups[(groups > 0) & (groups < least)]
    if 0 < state.n_cases < least or len(small):
        got = f"{state.n_cases} cases" + (f", and {len(small)} groups of fewer, the smallest of {small.min():g}" if len(small) else "")
        raise error("the state", f"be of at least min_cases = {least} cases, in each of its groups too", got)


def merge(states: Iterable[State], *, min_cases: int = 0) -> State:
    """Return the state of the cases of all states, whose sums are added.

    Parameters
    ----------
    states : iterable of State
        Of one metric, computed with the same settings, of different cases. They are read one after the other.
    min_cases : int
        As for :func:`partial`, of the merged state.

    Returns
    -------
    State
        The state is the same, to the last bit, for any order and any tree of merges.

    Raises
    ------
    ValueError, TypeError
        If there is no state, or if settings differ, which the message names; if one is not a State.

    Examples
    --------
    >>> from ugt import states
    >>> parts = [states.partial("annotation_certainty", [[0.9, 0.1]]), states.partial("annotation_certainty", [[0.5, 0.5], [0.2, 0.8]])]
    >>> states.merge(parts) == states.merge(parts[::-1])
    True
    """
    state = merge_states(states)
    _check_groups(state, min_cases)
    return state


def finish(state: State, *, min_cases: int = 0) -> Merged:
    """Return the metric from the sums of a state, as :class:`Merged`.

    Parameters
    ----------
    state : State
        Of all cases.
    min_cases : int
        Refuse a result for fewer cases.

    Raises
    ------
    ValueError, TypeError
        If there are fewer cases than ``min_cases``; if ``state`` is not a State.

    Examples
    --------
    >>> from ugt import states
    >>> found = states.finish(states.partial("annotation_certainty", [[0.9, 0.1], [0.5, 0.5]]))
    >>> found.value, found.std_error
    (0.75, 0.25)
    """
    instance("state", state, State, "be a State")
    if state.n_cases < whole("min_cases", min_cases, 0):
        raise error("state", f"be of at least min_cases = {min_cases} cases", state.n_cases)
    one, units = part_of(state.metric).of_settings(state.settings), str(state.settings.get("units", "cases"))
    answer, std_error, resampled, numbers = _told(one, state)
    if answer.reason is not None and np.isnan(answer.value):
        notices.undefined(answer.reason)
    told = {name: float(x) if np.ndim(x) == 0 else np.array(x) for name, x in answer.numbers.items()}
    again = {name: table for name, table in numbers.items() if np.shape(table)[:1] == (len(resampled),)}
    error_of = std_error if units == "cases" and not np.isnan(std_error) else spread_of(resampled)
    counts = state.n_cases, dict(state.left_out), error_of, answer.reason
    at_end = answer.value in one.span
    step = float(one.facts.steps(rounded(state.sums)["sums"], state.n_cases)[0]) if at_end else math.nan
    two_way = None
    if "panel" in state.settings:
        two_way = two_ways_of(one, one.answer(rounded(state.sums)["sums"][None])[0], state)
    scaled = one.facts.scale, one.span, step, one.merging.limits
    return Merged(state.metric, answer.value, told, *counts, resampled, units, answer.record, again, *scaled, two_way)


def _told(one: Statistic, state: State) -> tuple[Answer, float, Array, Mapping[str, Array]]:
    tables = rounded(state.sums)
    sums, error_of, numbers = tables["sums"], math.nan, (NOTHING, dict[str, Any]())
    merging = one.merging
    answer = merging.finish(sums, tables.get("fixed", NOTHING), state.left_out)
    if state.replicates:
        numbers = merging.replicated(sums, rounded(state.replicates)["sums"])
    if "squares" in tables and state.n_cases > 1:
        slope = None if merging.gradient is None else merging.gradient(sums)
        total = math.nan if slope is None else float(slope @ tables["squares"] @ slope)
        error_of = math.sqrt(max(total, 0.0) * state.n_cases / (state.n_cases - 1))
    return answer, error_of, *numbers
