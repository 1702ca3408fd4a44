"""Ratings of cases by readers in each test, as dense tables, checked once and immutable."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from .._base import identifiers
from .._base.arrays import Array, Bools, NDArray
from .._base.axes import Frozen, case_axis, given_ids, owned
from .._base.checks import error, room
from .._tabular.rows import finite_numbers


@dataclass(frozen=True, eq=False, repr=False)
class Readings(Frozen):
    """The ratings that readers gave to cases in each test, such as without and with a model. Made by one of the ``from_*`` constructors.

    Parameters
    ----------
    tests, readers, case_ids : (T,), (R,), (N,) arrays
        Names.
    rating : (T, R, N) array
        Higher for more suspicion of the positive class; NaN if a reader did not read a case in a test.
    numbered : bool
        Whether the case ids are 0 to N-1 because none were given.
    unnamed : bool
        Whether the readers are 0 to R-1 because none were given: annotators of a truth are then not compared with them.

    Notes
    -----
    A test (modality, treatment) is what readers work with. Each reader rates a case at most once in a test.

    Examples
    --------
    >>> import ugt
    >>> ugt.studies.Readings.from_array([[[1, 3, 2], [1, 2, None]], [[1, 3, 3], [2, 3, 1]]], tests=["without", "with"])
    Readings(n_tests=2, n_readers=2, n_cases=3, n_ratings=11)
    """

    tests: NDArray[Any]
    readers: NDArray[Any]
    case_ids: NDArray[Any]
    rating: Array
    numbered: bool = False
    unnamed: bool = False

    @classmethod
    def from_long(cls, test: object, reader: object, case: object, rating: object, *, cases: object = None) -> Readings:
        """Read a long table, one row per rating.

        Parameters
        ----------
        test, reader, case : sequences of n ids
            Each column holds integers or strings. Tests and readers are in order of first appearance.
        rating : (n,) array
            Finite numbers.
        cases : sequence of case ids, optional
            All cases in the wanted order. Default: in order of first appearance.

        Raises
        ------
        ValueError
            If columns differ in length, an id is missing, a rating is not finite, or a reader rates a case twice in a test.

        Examples
        --------
        >>> found = Readings.from_long(["a", "a", "b", "b"], ["ann", "bob", "ann", "bob"], ["p1", "p1", "p1", "p1"], [1, 2, 2, 4])
        >>> found.tests.tolist(), found.rating[:, :, 0].tolist()
        (['a', 'b'], [[1.0, 2.0], [2.0, 4.0]])
        """
        columns = {name: identifiers.number(name, given) for name, given in (("test", test), ("reader", reader), ("case", case))}
        case_ids, of_case = case_axis(columns["case"], cases)
        values = identifiers.unmasked(rating)
        n = len(of_case)
        for name, length in (("test", len(columns["test"].code)), ("reader", len(columns["reader"].code)), ("rating", len(values))):
            if length != n:
                raise error(name, f"have as many rows as case, {n}", length)
        if values.dtype.kind not in "iufO" or values.ndim != 1:
            raise error("rating", "be a column of numbers", f"{values.dtype} of shape {values.shape}")
        tests, readers = columns["test"], columns["reader"]

        def where(j: int) -> str:
            names = tests.ids[tests.code[j]], readers.ids[readers.code[j]], case_ids[of_case[j]]
            return "test {}, reader {}, case {} (row {})".format(*map(identifiers.name, names), j)

        number = finite_numbers("rating", values, where, nulls=True)
        shape = len(tests.ids), len(readers.ids), len(case_ids)
        room("ratings of all tests, readers and cases", 8.0 * np.prod(shape, dtype=np.float64))
        cell = np.ravel_multi_index((tests.code, readers.code, of_case), shape)
        _, first = np.unique(cell, return_index=True)
        if len(first) < n:
            again = np.ones(n, bool)
            again[first] = False
            raise error("rating", "be one for each test, reader and case", "two", where(int(np.argmax(again))))
        table = np.full(shape, np.nan)
        table.reshape(-1)[cell] = number
        return cls(tests.ids, readers.ids, case_ids, owned(table)[0])

    @classmethod
    def from_array(cls, ratings: object, *, tests: object = None, readers: object = None, case_ids: object = None) -> Readings:
        """Read a table of all ratings.

        Parameters
        ----------
        ratings : (T, R, N) array or nested lists
            Numbers; NaN or None if a reader did not read a case in a test.
        tests, readers, case_ids : sequences of distinct ids, optional
            Default: 0, 1, ...

        Raises
        ------
        ValueError
            If the table does not have three dimensions, a rating is infinite or not a number, or ids are repeated or too many or too few.

        Examples
        --------
        >>> Readings.from_array([[[1, 2], [3, 4]]], readers=["ann", "bob"]).rating.shape
        (1, 2, 2)
        """
        given = (
            identifiers.unmasked(ratings) if identifiers.is_array(ratings) else np.array(identifiers.without_masks(ratings), dtype=object)
        )
        if given.ndim != 3 or given.dtype.kind not in "biufO":
            got = f"{given.dtype} of shape {given.shape}"
            raise error("ratings", "be numbers of shape (T, R, N): tests, readers and cases", got)
        flat = given.reshape(-1) if given.dtype.kind != "b" else given.reshape(-1).astype(np.float64)
        names = given_ids("tests", tests, given.shape[0]), given_ids("readers", readers, given.shape[1])
        cases = given_ids("case_ids", case_ids, given.shape[2])

        def where(j: int) -> str:
            t, r, i = np.unravel_index(int(held[j]), given.shape)
            return "test {}, reader {}, case {}".format(*map(identifiers.name, (names[0][t], names[1][r], cases[i])))

        empty = np.array([identifiers.is_null(cell) for cell in flat.tolist()]) if flat.dtype.kind == "O" else np.isnan(flat)
        held = np.flatnonzero(~empty)
        table = np.full(given.shape, np.nan)
        table.reshape(-1)[held] = finite_numbers("ratings", flat[held], where)
        return cls(names[0], names[1], cases, owned(table)[0], case_ids is None, readers is None)

    @property
    def read(self) -> Bools:
        """The (T, R, N) cases that each reader read in each test."""
        return np.asarray(~np.isnan(self.rating))

    @property
    def n_cases(self) -> int:
        """The number of cases."""
        return len(self.case_ids)

    def test_position(self, name: object) -> int:
        """Return the position of a test among the tests; a ValueError if there is no such test."""
        position = [i for i, one in enumerate(self.tests.tolist()) if one == name or str(one) == str(name)]
        if not position:
            raise error("test", f"be one of {', '.join(map(identifiers.name, self.tests))}", repr(name))
        return position[0]

    def __repr__(self) -> str:
        t, r, n = self.rating.shape
        return f"Readings(n_tests={t}, n_readers={r}, n_cases={n}, n_ratings={int(self.read.sum())})"
