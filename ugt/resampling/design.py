"""The units that are resampled, cases or clusters of them within strata, and how often each is drawn."""

from __future__ import annotations

import numbers
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Union

import numpy as np

from .._base import identifiers
from .._base.arrays import Array, Bools, Int32, Int64, NDArray
from .._base.axes import Frozen
from .._base.checks import error, room, whole
from .._base.lazy import cached_property
from .._base.wording import Either, Text, arg
from .._core import _resample, _tables
from .cluster_ids import plain_ids

if TYPE_CHECKING:
    from collections.abc import Sequence

    Seed = Union[int, np.random.Generator, np.random.SeedSequence]

ROWS_OF_CASES = "give one row per case"
SEED = "be " + Text(Either("an int from 0 to 2**64 - 1, a numpy Generator or a SeedSequence", "a whole number from 0 to 2**64 - 1"))


def seed_of(seed: object) -> int:
    """Return the 64-bit seed of the library's streams from an int, a Generator (which moves on) or a SeedSequence."""
    if isinstance(seed, np.random.Generator):
        return int(seed.integers(0, 2**64, dtype=np.uint64))
    if isinstance(seed, np.random.SeedSequence):
        return int(seed.generate_state(1, np.uint64)[0])
    if isinstance(seed, bool) or not isinstance(seed, numbers.Integral) or not 0 <= int(seed) < 2**64:
        raise error("seed", SEED, repr(seed))
    return int(seed)


def refuse_clusters(clusters: object) -> None:
    """Refuse clusters beside frequencies."""
    if clusters is not None:
        must = "be left out with " + arg("frequency", ...) + ", since the equal cases of a row may be in different clusters"
        raise error("clusters", must, type(clusters).__name__, way=ROWS_OF_CASES)


@dataclass(frozen=True, eq=False, repr=False)
class Design(Frozen):
    """Units (cases or clusters) in strata; from each stratum as many are drawn as it has, with replacement.

    Parameters
    ----------
    unit : (N,) int32
        The unit of every case, numbered in order of first appearance.
    place : (G,) int32
        Position of each unit if they are ordered by stratum.
    strata : (S + 1,) int64
        The places of stratum s are ``strata[s]`` to ``strata[s + 1]``.
    times : (G,) float64, optional
        The whole number of equal units that each unit stands for; None: one. Then as many are drawn as all units stand for.
    rescaled : bool
        Whether one unit less is drawn from each stratum, of n units, and counts n / (n - 1) times (Rao & Wu).
    """

    unit: Int32
    place: Int32
    strata: Int64
    times: Array | None = None
    rescaled: bool = False

    @classmethod
    def of(cls, n_cases: int, clusters: object = None, strata: object = None, times: Array | None = None, rescaled: bool = False) -> Design:
        """Return a design whose units are cases unless clusters are given, with one stratum unless strata are given.

        Parameters
        ----------
        n_cases : int
            Number of cases N.
        clusters, strata : (N,) ids, Series or mapping of case to id, optional
            Integers or strings.
        times : (N,) float64, optional
            The number of equal cases that each case stands for.

        Raises
        ------
        ValueError
            If an id is missing, if their number is wrong, if a cluster is in several strata, or if there are clusters and ``times``.
        """
        n = whole("n_cases", n_cases, 1, 2**31 - 1)
        if times is not None:
            refuse_clusters(clusters)
        unit, first = np.arange(n, dtype=np.int32), np.arange(n)
        if clusters is not None:
            unit, _, first = identifiers.number_each("clusters", plain_ids("clusters", clusters, n), n)
        if strata is None:
            return cls(unit, np.arange(len(first), dtype=np.int32), np.array([0, len(first)], np.int64), times, rescaled)
        stratum, names, _ = identifiers.number_each("strata", plain_ids("strata", strata, n), n)
        other = stratum[first][unit] != stratum
        if other.any():
            i = int(np.argmax(other))
            cluster = identifiers.name(identifiers.number("clusters", clusters).ids[unit[i]])
            both = f"{identifiers.name(names[stratum[first[unit[i]]]])} and {identifiers.name(names[stratum[i]])} in cluster {cluster}"
            raise error("strata", "be the same for all cases of a cluster", both, f"row {i}")
        offsets, order = _tables.group(np.ascontiguousarray(stratum[first]), len(names))
        place = np.empty(len(order), np.int32)
        place[order] = np.arange(len(order), dtype=np.int32)
        return cls(unit, place, offsets, times, rescaled)

    @property
    def n_cases(self) -> int:
        """The number of cases."""
        return len(self.unit)

    @property
    def n_units(self) -> int:
        """The number of units."""
        return len(self.place)

    @cached_property
    def placed_times(self) -> Array | None:
        """The ``times`` (G,) of the units, which are cases, ordered by stratum."""
        if self.times is None or self.plain:
            return self.times
        found = np.empty(self.n_units)
        found[self.place] = self.times
        return found

    @cached_property
    def sizes(self) -> NDArray[Any]:
        """The number (S,) of units of each stratum, equal ones counted as often as they occur."""
        if self.placed_times is None:
            return np.diff(self.strata)
        return np.asarray(np.add.reduceat(self.placed_times, self.strata[:-1]))

    @property
    def size(self) -> int:
        """The number of units, equal ones counted as often as they occur."""
        return self.n_units if self.times is None else int(self.sizes.sum())

    def of_units(self, by_stratum: NDArray[Any]) -> NDArray[Any]:
        """Return (G,) the number of each unit's stratum, from those of strata (S,)."""
        return np.asarray(np.repeat(by_stratum, np.diff(self.strata))[self.place])

    @cached_property
    def place_of_case(self) -> Int32:
        """The place (N,) of the unit of each case among the units ordered by stratum."""
        return np.ascontiguousarray(self.place[self.unit])

    @cached_property
    def _cases_by_place(self) -> tuple[Int64, Int64]:
        return _tables.group(self.place_of_case, self.n_units)

    @property
    def first_cases(self) -> Int64:
        """The first case of each unit (G,), units ordered by stratum."""
        offsets, order = self._cases_by_place
        return np.asarray(order[offsets[:-1]])

    def added_up(self, table: Array) -> Array:
        """Return the sums (G, C) of a table (N, C) over the cases of each unit, units ordered by stratum."""
        if self.plain:
            return np.ascontiguousarray(table, np.float64)
        offsets, order = self._cases_by_place
        return np.ascontiguousarray(np.add.reduceat(np.asarray(table, np.float64)[order], offsets[:-1], axis=0))

    def total(self, placed: Array) -> Array:
        """Return the sums (C,) over all units of a table (G, C) ordered by stratum, equal units added as often as they occur."""
        return np.asarray((placed if self.placed_times is None else placed * self.placed_times[:, None]).sum(axis=0))

    def number(self, table: Array) -> Array:
        """Return the number (C,) of units with a case in which a column of a table (N, C) is not 0."""
        return self.total(self._in_units(table))

    def _in_units(self, table: Array) -> Array:
        return (self.added_up((table != 0).astype(np.float64)) > 0).astype(np.float64)

    @property
    def plain(self) -> bool:
        """Whether cases are the units, in their order."""
        return self.n_units == self.n_cases and len(self.strata) == 2

    def constant(self, placed: Array) -> Bools:
        """Return (C,) whether all units of a stratum add the same to a column of a table (G, C) of units ordered by stratum."""
        ranges = zip(self.strata[:-1], self.strata[1:])
        return np.asarray(np.logical_and.reduce([(placed[low:high] == placed[low]).all(axis=0) for low, high in ranges]))

    def strata_sums(self, placed: Array) -> Array:
        """Return the sums (S, C) over the units of each stratum, of a table ordered by stratum."""
        each = placed if self.placed_times is None else placed * self.placed_times[:, None]
        return np.asarray(np.add.reduceat(each, self.strata[:-1], axis=0))

    def centred(self, placed: Array) -> Array:
        """Return a table (G, C) ordered by stratum less its means within strata, in the order of the units."""
        means = self.strata_sums(placed) / self.sizes[:, None]
        with np.errstate(invalid="ignore"):  # the intervals of columns with infinite numbers are undefined
            return np.asarray((placed - np.repeat(means, np.diff(self.strata), axis=0))[self.place])

    def vary(self, table: Array) -> Bools:
        """Return (C,) whether some stratum has at least two units in which a column is not all 0; otherwise nothing varies."""
        return np.asarray((self.strata_sums(self._in_units(table)) >= 2).any(axis=0))

    def weights(self, seed: int, begin: int, end: int) -> Array:
        """Return (end - begin, N) how often each case is in resamples begin to end; independent of the range that is computed."""
        found = self.drawn(seed, begin, end, np.empty(0), np.empty((end - begin, 0)), True)
        assert found is not None
        return found

    def drawn(self, seed: int, begin: int, end: int, placed: Array, sums: Array, with_weights: bool) -> Array | None:
        """Draw resamples begin to end: fill ``sums`` (end - begin, C) of a table ``placed`` of units ordered by stratum, in strips (see
        :func:`strips`); return, if wanted, how often each case was drawn (end - begin, N), with the numbers of a case contiguous.
        """
        if self.placed_times is not None or self.rescaled:
            times = self._drawn_of_equal(seed, begin, end)
            for j in range(0, sums.shape[1], 4):
                strip = placed[j * self.n_units : min(j + 4, sums.shape[1]) * self.n_units].reshape(self.n_units, -1)
                sums[:, j : j + 4] = np.einsum("bg,gs->bs", times, strip)
            return np.asarray(times[:, self.place_of_case]) if with_weights else None
        if not with_weights:
            _resample.bootstrap(self.strata, seed, begin, end, placed, sums)
            return None
        room("weights of all cases", 8 * (end - begin) * self.n_cases)
        weights = np.empty((self.n_cases, end - begin))
        _resample.bootstrap(self.strata, seed, begin, end, placed, sums, self.place_of_case, weights)
        return np.asarray(weights.T)

    def _drawn_of_equal(self, seed: int, begin: int, end: int) -> Array:
        """Return (end - begin, G) how often units count: multinomial in each stratum, as many as its units stand for, or one less."""
        times = np.ones(self.n_units) if self.placed_times is None else self.placed_times
        room("numbers of draws of all units", 8 * (end - begin) * self.n_units)
        found = np.empty((end - begin, self.n_units))
        for b in range(begin, end):
            random = np.random.Generator(np.random.Philox(key=np.array([seed, b], np.uint64)))
            for low, high, n in zip(self.strata[:-1].tolist(), self.strata[1:].tolist(), self.sizes.tolist()):
                drawn = int(n) - 1 if self.rescaled and n > 1 else int(n)
                found[b - begin, low:high] = random.multinomial(drawn, times[low:high] / n) * (n / drawn)
        return found


def strips(columns: Sequence[Array], n: int) -> Array:
    """Return columns (n,) in the order of the core: columns 0 to 3 of all rows, row by row, then columns 4 to 7, and so on."""
    out = np.empty(n * len(columns))
    for j in range(0, len(columns), 4):
        some = columns[j : j + 4]
        strip = out[j * n : (j + len(some)) * n].reshape(n, len(some))
        for at, column in enumerate(some):
            strip[:, at] = column
    return out


def by_case(cases: Array) -> Array:
    """Return weights (B, N) as (N, B), with those of a case contiguous."""
    table = np.asarray(cases, np.float64).T
    return table if len(cases) == 1 or table.strides[1] == table.itemsize else np.ascontiguousarray(table)


def resampled_rows(offsets: Int64, count: Int64, seed: int, begin: int, end: int, urn: bool = False) -> Int64:
    """Return (end - begin, R) how often each row of annotations is drawn in resamples begin to end, within its case.

    Parameters
    ----------
    offsets : (N + 1,) int64
        The rows of case i are ``offsets[i]`` to ``offsets[i + 1]``.
    count : (R,) int64
        Annotations of each row; as many are drawn from a case as it has.
    urn : bool
        Whether they are drawn from an urn, see :func:`bootstrap_annotations`; otherwise with replacement.
    """
    out = np.empty((end - begin, len(count)), np.int64)
    _resample.resample_rows(offsets, count, seed, begin, end, urn, out)
    return out


def resampled_counts(counts: Int64, seed: int, begin: int, end: int, urn: bool = False) -> Int64:
    """Return tables (end - begin, N, K) of counts (N, K) with the annotations of every case drawn again, see :func:`resampled_rows`."""
    n, k = counts.shape
    offsets = np.arange(0, n * k + 1, k, dtype=np.int64)
    return resampled_rows(offsets, np.ascontiguousarray(counts, np.int64).ravel(), seed, begin, end, urn).reshape(end - begin, n, k)


def units(clusters: object) -> tuple[str, ...]:
    """Return the kind of units that are resampled, as one of ``SOURCES``."""
    return ("cases",) if clusters is None else ("clusters",)
