"""Preferences among the models that an annotator was offered: pairs or larger subsets, in order, possibly tied."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from .._base import identifiers
from .._base.arrays import Bools, Int32, Int64, NDArray
from .._base.axes import Frozen
from .._base.checks import error
from .._base.ragged import offsets_of

NOBODY = np.empty(0, np.int64)


@dataclass(frozen=True, eq=False, repr=False)
class Preferences(Frozen):
    """Preferences of annotators among models that were offered to them. The ``from_*`` constructors make them.

    A preference says something about the offered models only. In ``Rankings``, by contrast, every class could have been ranked: a ranking
    of 2 of 20 classes there puts these before the other 18.

    Parameters
    ----------
    models : (M,) array
        Names of the models, such as systems under test.
    offsets : (V + 1,) int64
        The models offered in preference v are ``item[offsets[v]:offsets[v + 1]]``, those that were ranked first, best first.
    item : (I,) int32
        Positions in ``models``.
    n_ranked : (V,) int32
        Number of ranked models; the others that were offered are behind these, in no order.
    tied : (V,) bool
        Whether the two models of a pair are equally good.
    annotators, annotator : (A,) and (V,) arrays
        Ids of annotators and positions among them; empty if they are not named.
    cases, case : (G,) and (V,) arrays
        Ids of cases, such as prompts, and positions among them; empty if they are not named.

    Examples
    --------
    >>> import ugt
    >>> ugt.judges.Preferences.from_pairs(["A", "B", "A"], ["B", "C", "C"], ["A", "tie", "C"])
    Preferences(n_preferences=3, n_models=3, n_ties=1, n_annotators=0, n_cases=0)
    """

    models: NDArray[Any]
    offsets: Int64
    item: Int32
    n_ranked: Int32
    tied: Bools
    annotators: NDArray[Any]
    annotator: Int32
    cases: NDArray[Any]
    case: Int32

    @classmethod
    def from_pairs(
        cls, first: object, second: object, preferred: object, *, annotator: object = None, case: object = None, tie: str = "tie"
    ) -> Preferences:
        """Read a table with one row per preference between two models.

        Parameters
        ----------
        first, second : (V,) arrays
            The two models that were offered.
        preferred : (V,) array
            The model that was preferred, one of the two; or ``tie``.
        annotator, case : (V,) arrays, optional
            Who preferred, and the case (such as the prompt) whose answers were compared.
        tie : str
            The word for two equally good models.

        Returns
        -------
        Preferences

        Raises
        ------
        ValueError
            If both models of a row are the same, if the preferred is none of the two, or if columns have other lengths.

        Examples
        --------
        >>> import ugt
        >>> ugt.judges.Preferences.from_pairs(["A"], ["B"], ["B"], annotator=["ann"], case=["prompt 1"]).n_preferences
        1
        """
        columns = [_column(one) for one in (first, second, preferred)]
        n = columns[0].size
        for name, one in zip(("first", "second", "preferred"), columns):
            if one.shape != (n,):
                raise error(name, f"be {n} names, one per preference", f"shape {one.shape}")
        both = identifiers.number("first and second", np.concatenate(columns[:2]), lambda i: f"row {i % max(n, 1)}")
        a, b = both.code[:n], both.code[n:]
        if (a == b).any():
            i = int(np.argmax(a == b))
            raise error("second", "be another model than first", identifiers.name(both.ids[b[i]]), f"row {i}")
        of_first, of_second = (np.asarray(columns[2] == one, bool) & np.ones(n, bool) for one in columns[:2])
        tied = np.asarray(columns[2] == tie, bool) & np.ones(n, bool)
        if str(tie) in map(str, both.ids.tolist()):
            raise error("tie", "be a word that is not the name of a model", repr(tie))
        if not (of_first | of_second | tied).all():
            i = int(np.argmin(of_first | of_second | tied))
            raise error("preferred", f"be first, second or {tie!r} of its row", identifiers.name(columns[2][i]), f"row {i}")
        item = np.stack([np.where(of_second, b, a), np.where(of_second, a, b)], axis=1).ravel().astype(np.int32)
        sizes = np.full(n, 2, np.int64)
        return cls(
            both.ids, offsets_of(sizes), item, sizes.astype(np.int32), tied, *_named("annotator", annotator, n), *_named("case", case, n)
        )

    @classmethod
    def from_rankings(
        cls,
        ranked: Sequence[Sequence[Any]],
        *,
        offered: Sequence[Sequence[Any]] | None = None,
        annotator: object = None,
        case: object = None,
    ) -> Preferences:
        """Read one list of models per preference, best first.

        Parameters
        ----------
        ranked : V lists
            The ranked models of each preference, best first.
        offered : V lists, optional
            All models that were offered, ranked or not: those that were not ranked are behind. Default: the ranked ones alone.
        annotator, case
            As for :meth:`from_pairs`.

        Returns
        -------
        Preferences

        Raises
        ------
        ValueError
            If a list holds a model twice or fewer than two were offered, or if a ranked model was not offered.

        Examples
        --------
        >>> import ugt
        >>> found = ugt.judges.Preferences.from_rankings([["B", "A"], ["C"]], offered=[["A", "B"], ["A", "B", "C"]])
        >>> found.n_preferences, found.models.tolist()
        (2, ['B', 'A', 'C'])
        """
        rows, n_ranked = [], []
        orders = _lists("ranked", ranked)
        given = orders if offered is None else _lists("offered", offered)
        if len(given) != len(orders):
            raise error("offered", f"be {len(orders)} lists, one per preference", len(given))
        for i, (best, names) in enumerate(zip(orders, given)):
            if len(set(best)) < len(best) or len(set(names)) < len(names):
                raise error("ranked", "hold each model once", best, f"preference {i}")
            if not set(best) <= set(names) or not best or len(names) < 2:
                raise error("ranked", "be some of two or more offered models", f"{best} of {names}", f"preference {i}")
            rows += best + [one for one in names if one not in best]
            n_ranked.append(len(best))
        column = identifiers.number("ranked", rows)
        offsets, n = offsets_of(np.array([len(one) for one in given], np.int64)), len(given)
        people = (*_named("annotator", annotator, n), *_named("case", case, n))
        return cls(column.ids, offsets, column.code, np.array(n_ranked, np.int32), np.zeros(n, bool), *people)

    @property
    def n_preferences(self) -> int:
        """Number of preferences V."""
        return len(self.n_ranked)

    def stages(self) -> tuple[Int64, list[NDArray[np.intp]]]:
        """Return ``(preference, options)`` of choices, best first: for each choice its preference, and the models from which it was made.

        A preference of m models, r of them ranked, is min(r, m - 1) choices: the first from all, the next from the rest, and so on. Options
        (S, m) have one table per number of models, the chosen one in the first column; tied pairs are not among them.
        """
        found: list[tuple[Int64, NDArray[np.intp]]] = []
        sizes = np.diff(self.offsets)
        for m in np.unique(sizes[~self.tied]).tolist():
            rows = np.flatnonzero((sizes == m) & ~self.tied)
            table = self.item[self.offsets[rows][:, None] + np.arange(m)].astype(np.intp)
            for k in range(m - 1):
                there = self.n_ranked[rows] > k
                if there.any():
                    found.append((rows[there].astype(np.int64), table[there, k:]))
        return np.concatenate([NOBODY, *(one for one, _ in found)]), [one for _, one in found]

    def pairs(self) -> NDArray[np.intp]:
        """Return the models (V, 2) of pairs, the preferred first; refuse larger subsets."""
        if (np.diff(self.offsets) != 2).any():
            i = int(np.argmax(np.diff(self.offsets) != 2))
            raise error("preferences", "be pairs for this model", f"{np.diff(self.offsets)[i]} models", f"preference {i}")
        return self.item.reshape(-1, 2).astype(np.intp)

    def __repr__(self) -> str:
        sizes = f"n_preferences={self.n_preferences}, n_models={len(self.models)}, n_ties={int(self.tied.sum())}"
        return f"Preferences({sizes}, n_annotators={len(self.annotators)}, n_cases={len(self.cases)})"


def _column(values: object) -> NDArray[Any]:
    """Return a column of names; a list that is not of text alone keeps its entries, as NaN would become a name."""
    found = np.asarray(identifiers.unmasked(values))
    if found.dtype.kind == "U" and isinstance(values, (list, tuple)) and not all(isinstance(one, str) for one in values):
        return np.array([*values, None], object)[:-1]
    return found


def _lists(argument: str, values: object) -> list[list[Any]]:
    """Return one list of models per preference."""

    def rows(given: object, got: object, where: str = "") -> list[Any]:
        if isinstance(given, str) or not hasattr(given, "__iter__"):
            raise error(argument, "be lists of models, one per preference", repr(got), where)
        return list(given)

    found = [rows(one, one, f"preference {i}") for i, one in enumerate(rows(values, values))]
    for i, models in enumerate(found):
        for one in models:
            if isinstance(one, (list, tuple, set, dict)):
                raise error(argument, "be lists of models, one per preference, without ties", repr(one), f"preference {i}")
    return found


def _named(argument: str, values: object, n: int) -> tuple[NDArray[Any], Int32]:
    """Return distinct ids and the position of each row's among them; empty ones if there are none."""
    if values is None:
        return NOBODY, np.empty(0, np.int32)
    column = identifiers.number_each(argument, values, n, "preference")
    return column.ids, column.code
