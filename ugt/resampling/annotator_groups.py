"""A metric by groups of annotators, or by single annotators."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from .._base import identifiers, notices
from .._base.arrays import Array, Bools, NDArray
from .._base.checks import error, instance
from ..annotations.other_annotators import only
from .number_facts import NumberFacts
from .panel import Panel
from .ratios import over
from .result import Result, Results
from .statistic import Statistic

if TYPE_CHECKING:
    from .design import Design

UNDEFINED = "group of annotators without a value"


def groups_of(given: Any, annotators: NDArray[Any]) -> tuple[tuple[str, ...], Bools]:
    """Return names of the G groups, sorted, and the annotators (G, A) in each; None: every annotator is a group."""
    if given is None:
        return tuple(map(str, annotators.tolist())), np.eye(len(annotators), dtype=bool)
    given = identifiers.mapping_of("groups", given)
    if isinstance(given, Mapping):
        known = {str(one): group for one, group in given.items()}
        ids = annotators.tolist()
        missing = [one for one in ids if known.get(str(one)) is None]
        if missing:
            must = "name the group of every annotator"
            raise error("groups", must, f"none for {len(missing)} of {len(ids)}", f"annotator {identifiers.name(missing[0])}")
        given = [known[str(one)] for one in ids]
    if np.shape(given) != annotators.shape:
        raise error("groups", f"be a mapping, or {len(annotators)} names, one per annotator", f"shape {np.shape(given)}")
    of_annotator = np.array([str(one) for one in given])
    names = np.unique(of_annotator)
    return tuple(names.tolist()), of_annotator == names[:, None]


class ByGroup(Statistic):
    """The first number of a statistic against each of G groups of annotators; or one number made of these.

    ``made``: ``"each"``; ``"mean"`` over the groups that have a value; ``"difference"`` of the first and the second.
    """

    def __init__(self, base: Statistic, weights: Array, names: tuple[str, ...], made: str = "each") -> None:
        self.base, self.weights, self.made, self.n_cases, self.case_ids = base, weights, made, base.n_cases, base.case_ids
        self.names = names if made == "each" else ("value",)
        self.parts = [base.panel.judged_by(one) for one in weights]

    def _made(self, values: Array) -> Array:
        """Return the numbers (B, M) made of those of groups (B, G)."""
        if self.made == "each":
            return values
        if self.made == "difference":
            return values[:, :1] - values[:, 1:2]
        known = ~np.isnan(values)
        return over(np.where(known, values, 0).sum(axis=1, keepdims=True), known.sum(axis=1, keepdims=True))

    @property
    def kept(self) -> Bools:
        """The (N,) cases that count for any group."""
        return np.asarray(np.any([part.kept for part in self.parts], axis=0))

    def sums(self, cases: Array | None = None) -> Array:
        """Return the sums (B, S) of one group after another."""
        return np.concatenate([part.sums(cases) for part in self.parts], axis=1)

    def answer(self, sums: Array) -> Array:
        """Return the numbers (B, M)."""
        split = np.split(sums, len(self.parts), axis=1)
        return self._made(np.stack([part.answer(own)[:, 0] for part, own in zip(self.parts, split)], axis=1))

    def influence(self) -> Array | None:
        """Return the influence (N, M), if that of the metric is known."""
        found = [part.influence() for part in self.parts]
        if any(one is None for one in found):
            return None
        table = np.stack([one[:, 0] for one in found if one is not None], axis=1)
        undefined = np.isnan([part.estimate[0] for part in self.parts])
        return self._made(np.where(undefined, np.nan, table))

    @property
    def facts(self) -> NumberFacts:
        base = self.base.facts
        low, high = base.spans[0].tolist()
        span = (low - high, high - low) if self.made == "difference" else (low, high)
        return NumberFacts.within(len(self.names), span)._replace(
            counting=self._counting, steps=self._steps, scale=base.scale, normal=base.normal
        )

    def _steps(self, sums: Array, n_cases: int) -> Array:
        """Return the steps (M,) of each group, or the largest for a mean; unknown for a difference."""
        if self.made == "difference":
            return np.full(1, np.nan)
        split = np.split(sums, len(self.parts))
        each = np.array([part.facts.steps(own, n_cases)[0] for part, own in zip(self.parts, split)])
        return each if self.made == "each" else each.max(keepdims=True)

    def _counting(self, kept: Bools, design: Design) -> Array:
        """Return the units (M,) of each group, or the fewest for a number made of them."""
        each = np.array([part.facts.counting(kept, design)[0] for part in self.parts], np.float64)
        return each if self.made == "each" else each.min(keepdims=True)

    @property
    def panel(self) -> Panel:
        """The annotators who are in a group."""
        return Panel(lambda: only(self.base.panel.annotations(), np.asarray(self.weights.any(axis=0))), self._judged_by)

    def _judged_by(self, annotators: NDArray[Any]) -> ByGroup:
        """Return the statistic with some of the annotators of each group."""
        return ByGroup(self.base, self.weights * annotators, self.names, self.made)


@dataclass(frozen=True, eq=False, repr=False)
class GroupNumber(Result):
    """One number made of those of groups of annotators, their mean or the difference of two; made by :class:`ByAnnotators`.

    Attributes
    ----------
    value : float
        NaN if no group has a value, or if one of the two has none.

    Examples
    --------
    >>> import ugt
    >>> labels = ugt.Labels.from_wide([[1, 1], [0, 0], [1, 0], [0, 1], [0, 0]], annotators=["ann", "bob"])
    >>> difference = ugt.resampling.by_annotators(ugt.soft_auroc(labels, [0.9, 0.1, 0.5, 0.6, 0.7])).difference("ann", "bob")
    >>> round(difference.value, 3), [round(end, 2) for end in difference.interval()]
    (-0.167, [-1.0, 1.0])
    """

    value: float
    _statistic: ByGroup = field(repr=False)
    _ids: NDArray[Any] | None = field(repr=False)


@dataclass(frozen=True, eq=False, repr=False)
class ByAnnotators(Results):
    """A metric by groups of annotators; made by :func:`by_annotators`. ``intervals()`` has one row per group.

    Attributes
    ----------
    groups : tuple of str
        Names of the G groups, or of the annotators.
    values : (G,) array
        The metric against the annotations of each group alone; NaN if these do not determine it.
    n_annotators, n_cases : (G,) int arrays
        Annotators in each group, and cases that count.
    left_out : mapping
        Groups without a value, by reason.

    Examples
    --------
    >>> import ugt
    >>> labels = ugt.Labels.from_wide([[1, 1, 0], [0, 0, 0], [1, 0, 0], [1, 1, 1]], annotators=["ann", "bob", "eve"])
    >>> found = ugt.resampling.by_annotators(ugt.soft_auroc(labels, [0.9, 0.1, 0.5, 0.6]))
    >>> found.values.round(3).tolist(), round(found.mean().value, 3)
    ([1.0, 1.0, 0.667], 0.889)
    """

    groups: tuple[str, ...]
    values: Array
    n_annotators: NDArray[Any]
    n_cases: NDArray[Any]
    left_out: Mapping[str, int]
    _statistic: ByGroup = field(repr=False)
    _ids: NDArray[Any] | None = field(repr=False)

    def mean(self) -> GroupNumber:
        """Return the mean over the groups that have a value: over annotators, if every annotator is a group [Martin et al. 2004]."""
        return self._number("mean", range(len(self.groups)))

    def difference(self, first: str, second: str) -> GroupNumber:
        """Return the metric against one group less that against another, with a paired interval.

        Raises
        ------
        ValueError
            If there is no such group.
        """
        for argument, name in (("first", first), ("second", second)):
            if name not in self.groups:
                raise error(argument, f"be one of {', '.join(map(repr, self.groups))}", repr(name))
        return self._number("difference", [self.groups.index(first), self.groups.index(second)])

    def _number(self, made: str, at: Any) -> GroupNumber:
        one = ByGroup(self._statistic.base, self._statistic.weights[list(at)], (), made)
        return GroupNumber(float(one.estimate[0]), one, self._ids)


def by_annotators(result: Any, groups: Any = None) -> ByAnnotators:
    """Return a metric computed against the annotations of each group of annotators, or of each annotator.

    Use it to see whether a model agrees less with some annotators, such as those of a speciality, a country or an age: ``difference``
    gives the difference with an interval, and ``mean`` the mean of the metric over annotators [Martin et al. 2004; Gordon et al. 2021].

    Parameters
    ----------
    result : Result
        A result from annotations whose annotators are named: a soft metric of labels, a metric of a truth made of annotations, or a
        coefficient of agreement (which is then the coefficient within each group).
    groups : mapping of annotator to group, or sequence of A names, optional
        The group of every annotator, by name or in the order of ``annotators``. Default: every annotator is a group.

    Returns
    -------
    ByAnnotators

    Raises
    ------
    TypeError
        If ``result`` is not a result.
    ValueError
        If annotators are not named, or if one has no group.

    Notes
    -----
    ``interval(random=("cases", "annotators"))`` of a difference is for other annotators of these groups: use it for statements about
    groups. With few annotators per group it is wide. The default interval is for these annotators only. If groups read different cases,
    the difference is also one of cases. A group of one annotator has only the soft labels 0 and 1.

    References
    ----------
    Martin, Fowlkes & Malik (2004), "Learning to detect natural image boundaries using local brightness, color, and texture cues", IEEE
    TPAMI 26(5), cited by [D], whose section 3 asks whether disagreement goes with demographics.

    Examples
    --------
    >>> import ugt
    >>> wide = [[1, 1, 0, 1], [0, 0, 0, 1], [1, 0, 0, 0], [1, 1, 1, 1]]
    >>> labels = ugt.Labels.from_wide(wide, annotators=["ann", "bob", "eve", "joe"])
    >>> found = ugt.resampling.by_annotators(ugt.soft_auroc(labels, [0.9, 0.1, 0.5, 0.6]), {"ann": "A", "bob": "A", "eve": "B", "joe": "B"})
    >>> found.values.round(3).tolist(), round(found.difference("A", "B").value, 3)
    ([0.933, 0.562], 0.371)
    """
    instance("result", result, Result, "be a result of a metric")
    base = result.statistic
    annotators = base.panel.annotations().annotators
    names, members = groups_of(groups, annotators)
    one = ByGroup(base, members.astype(np.float64), names)
    undefined = int(np.isnan(one.estimate).sum())
    if undefined:
        notices.undefined(UNDEFINED, stacklevel=2)
    n_cases = np.array([part.kept.sum() for part in one.parts])
    return ByAnnotators(
        names, one.estimate, members.sum(axis=1), n_cases, {UNDEFINED: undefined} if undefined else {}, one, result.case_ids
    )
