"""Partial rankings: blocks of tied classes, best block first, without the unranked classes."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING, Any

import numpy as np

from .._base import identifiers
from .._base.arrays import Array, Int32, Int64, NDArray
from .._base.axes import Axes, OnAxes, class_axis, class_ids, given_ids
from .._base.checks import error, option
from .._base.names import numbers_as_one
from .._base.notes import Note
from .._base.notices import note
from .._base.ragged import n_empty, offsets_of, row_at, sizes_of, take
from .._base.wording import NO_RANK, arg
from .._core import _tables
from .._tabular.rows import LongRows

if TYPE_CHECKING:
    from .._base.axes import Classes


LEAST_PAIRS = 10  # rankings of two classes each, from which on chance seldom explains them


@dataclass(frozen=True, eq=False, repr=False)
class Rankings(OnAxes):
    """The partial rankings that annotators gave to cases. The ``from_*`` constructors make them.

    Parameters
    ----------
    axes : Axes
        Names of the N cases and K classes.
    annotators : (A,) array of int64 or str
        Annotator ids; empty if the annotators have no names.
    case_offsets : (N + 1,) int64
        The rankings of case i are ``case_offsets[i]`` to ``case_offsets[i + 1]``.
    ranking_offsets : (R + 1,) int64
        The blocks of ranking r, best first, are ``ranking_offsets[r]`` to ``ranking_offsets[r + 1]``.
    block_offsets : (B + 1,) int64
        The tied classes of block b are ``items[block_offsets[b]:block_offsets[b + 1]]``.
    items : (I,) int32
        Positions in ``axes.classes``.
    annotator : (R,) int32
        Position in ``annotators``; -1 if the annotators have no names.

    Notes
    -----
    An unranked class is not ranked last: it has no place in the ranking. An annotator ranks a case once. A case without rankings is
    kept.
    """

    axes: Axes
    annotators: NDArray[Any]
    case_offsets: Int64
    ranking_offsets: Int64
    block_offsets: Int64
    items: Int32
    annotator: Int32

    @classmethod
    def from_blocks(
        cls, nested: object, *, n_classes: int | None = None, classes: Classes = None, case_ids: object = None, offered: str | None = None
    ) -> Rankings:
        """Read nested lists: cases, their rankings, the blocks of a ranking (best first), the tied classes of a block.

        Parameters
        ----------
        nested : list of N lists
            The ranking of an annotator who ranked no class is an empty list. Annotators have no names: the second of one case need not
            be the second of another.
        n_classes : int, optional
            Number of classes K; classes are 0 to K-1.
        classes
            As for :meth:`Labels.from_long`.
        case_ids : sequence of N ids, optional
            Default: 0 to N-1.
        offered
            As for :meth:`from_long`.

        Raises
        ------
        ValueError
            If a level is not a list; a block is empty; a class is unknown or occurs twice in a ranking; ids are
            repeated or of another number.

        Examples
        --------
        >>> Rankings.from_blocks([[[[0], [1, 2]], [[1]]], [[[2]]]], n_classes=4)
        Rankings(n_cases=2, n_empty=0, n_classes=4, n_rankings=3)
        """
        if n_classes is not None and classes is not None:
            raise error("n_classes", "be left out if classes are given", n_classes)
        _, flat = _unnest([nested], "be a list of cases", lambda _: "")
        cases = given_ids("case_ids", case_ids, len(flat))
        levels: list[Int64] = []
        for must in _NESTING:
            offsets, flat = _unnest(flat, must, _nested_where(cases, levels))
            levels.append(offsets)
        case_offsets, ranking_offsets, block_offsets = levels
        if n_empty(block_offsets):
            b = int(np.argmin(sizes_of(block_offsets)))
            raise error("nested", "not hold an empty block", "[]", _nested_where(cases, levels[:2])(b))
        where = _nested_where(cases, levels)
        names, index = class_axis("nested", identifiers.number("nested", flat, where), n_classes if classes is None else classes, where)
        axes, nobody = Axes(cases, names, case_ids is None), np.full(len(ranking_offsets) - 1, -1, np.int32)
        return cls(axes, np.empty(0, np.int64), case_offsets, ranking_offsets, block_offsets, index, nobody)._checked("nested", offered)

    @classmethod
    def from_long(
        cls,
        case: Any,
        annotator: Any,
        label: Any,
        rank: Any = None,
        confidence: Any = None,
        *,
        classes: Classes = None,
        cases: Any = None,
        merge_names: bool = False,
        missing: Any = (),
        offered: str | None = None,
    ) -> Rankings:
        """Read a long table with one row per ranked class.

        Parameters
        ----------
        case, annotator, label, classes, cases, merge_names
            As for :meth:`Labels.from_long`.
        rank : (n,) numbers
            At least 1; lower is better, equal is tied; only the order within a ranking matters: 1, 3 means the same as 1, 2.
        confidence : (n,) numbers
            Instead of ``rank``: higher is better, equal is tied.
        missing : number or sequence of numbers
            Values that mean "no rank" or "no confidence", such as -1: their rows are left out.
        offered : "all", optional
            ``"all"``: every annotator chose from all classes, so that the ranked ones are before the others. It must be given if each of
            ten or more rankings has exactly two classes of three or more, not all of them tied. Such rankings may also be answers to
            offered pairs, which say nothing of the other classes: :class:`Preferences` reads these.

        Raises
        ------
        ValueError
            As for :meth:`Labels.from_long`; if both or neither of ``rank`` and ``confidence`` are given, or one is not finite; if a rank
            is below 1 and not named as missing; if an annotator ranks a class of a case twice; if rankings may be answers to offered pairs.

        Examples
        --------
        >>> Rankings.from_long(["p1"] * 3, ["ann"] * 3, ["nevus", "wart", "melanoma"], rank=[1, 2, 2])
        Rankings(n_cases=1, n_empty=0, n_classes=3, n_rankings=1, n_annotators=1)
        """
        if (rank is None) == (confidence is None):
            raise error("rank or confidence", "be given, one of the two", "neither" if rank is None else "both")
        rows = LongRows.read(case, annotator, cases, merge_names)
        column = identifiers.number("label", label, rows.where)
        rows.check_length("label", len(column.code))
        names, index = class_axis("label", column, classes, rows.where, merge_names)
        badness = -rows.numbers("confidence", confidence) if rank is None else rows.numbers("rank", rank)
        none = np.isin(badness if confidence is None else -badness, np.array([missing] if np.ndim(missing) == 0 else [*missing], float))
        if rank is not None and (low := (badness < 1) & ~none).any():
            j = int(np.argmax(low))
            raise error("rank", "be at least 1", f"{badness[j]:g}", rows.where(j), way=NO_RANK)
        rows = rows._replace(case=rows.case[~none], annotator=rows.annotator[~none])
        badness, index = badness[~none], index[~none]
        case_offsets, ranking, first = _number_rankings(rows)
        order, ranking_offsets, block_offsets = _sort_blocks(ranking, badness, len(first))
        offsets = case_offsets, ranking_offsets, block_offsets
        return cls(Axes(rows.case_ids, names), rows.annotators, *offsets, index[order], rows.annotator[first])._checked("label", offered)

    @classmethod
    def from_strings(
        cls,
        case: object,
        annotator: object,
        ranking: object,
        *,
        classes: Classes = None,
        cases: object = None,
        merge_names: bool = False,
        separator: str | None = None,
        offered: str | None = None,
    ) -> Rankings:
        """Read a table with one row per ranking, written as ``"A > B = C"``: A first, then B and C tied.

        Parameters
        ----------
        ranking : sequence of n strings
            Classes joined by ``>`` (better than) and ``=`` (tied). Spaces around them do not matter. Classes are integers if all are
            and ``classes`` has no names.
        separator : str, optional
            The text that means "better than". Default: ``>``; or, with a note, ``;``, ``,`` or ``|`` if no text has ``>`` or ``=`` and a
            class occurs at several places.
        case, annotator, classes, cases, merge_names
            As for :meth:`Labels.from_long`.
        offered
            As for :meth:`from_long`.

        Raises
        ------
        ValueError
            As for :meth:`Labels.from_long`; if a ranking is malformed; a class occurs twice in it; an annotator ranks a case twice.

        Examples
        --------
        >>> rankings = Rankings.from_strings(["p1", "p1"], ["ann", "bob"], ["nevus > wart = melanoma", "wart"])
        >>> rankings.axes.classes.tolist(), rankings.items.tolist(), rankings.block_offsets.tolist()
        (['melanoma', 'nevus', 'wart'], [1, 2, 0, 2], [0, 1, 3, 4])
        """
        rows = LongRows.read(case, annotator, cases, merge_names)
        texts = identifiers.number("ranking", ranking, rows.where)
        rows.check_length("ranking", len(texts.code))
        pair, first = _pairs(rows)
        if len(first) < len(pair):
            j = identifiers.repeated(pair, first)
            raise error("annotator", "rank each case once", f"{identifiers.name(rows.annotators[rows.annotator[j]])} twice", rows.where(j))
        names, index, blocks_of, tokens_of = _read_texts(texts, classes, rows.where, merge_names, separator)
        case_offsets, order = rows.grouped()
        ranking_offsets, block_at = take(blocks_of, texts.code[order])
        block_offsets, token_at = take(tokens_of, block_at)
        offsets = case_offsets, ranking_offsets, block_offsets
        return cls(Axes(rows.case_ids, names), rows.annotators, *offsets, index[token_at], rows.annotator[order])._checked(
            "ranking", offered
        )

    @property
    def n_rankings(self) -> int:
        """Number of rankings."""
        return len(self.annotator)

    def _checked(self, argument: str, offered: str | None = "all") -> Rankings:
        """Return the rankings themselves; reject them if a class occurs twice in one, or if they may be answers to offered pairs."""
        if offered is not None:
            option("offered", offered, ("all",))
        elif self._may_be_pairs():
            k = self.n_classes
            others = f"other {k - 2} are" if k > 3 else "third is"
            must = f"be 'all' if annotators chose from all {k} classes, so that the {others} behind both"
            way = "(if two at a time were offered, use ugt.judges.Preferences and ugt.judges.strengths)"
            raise error("offered", f"{must} {way}", f"None, and each of {self.n_rankings:,} rankings has 2 of {k} classes")
        offsets = self.block_offsets[self.ranking_offsets]
        at = _tables.find_repeat(offsets, self.items, self.n_classes)
        if at < 0:
            return self
        r = row_at(offsets, at)
        i = row_at(self.case_offsets, r)
        annotator = identifiers.name(self.annotators[self.annotator[r]]) if len(self.annotators) else str(r - int(self.case_offsets[i]))
        where = f"case {self.axes.case_name(i)}, annotator {annotator}"
        raise error(argument, "not repeat a class within a ranking", f"{self.axes.class_name(self.items[at])} twice", where)

    def _may_be_pairs(self) -> bool:
        """Return whether each of several rankings has exactly two classes of more, one behind the other in at least one of them."""
        if self.n_classes < 3 or self.n_rankings < LEAST_PAIRS:
            return False
        return bool((np.diff(self.block_offsets[self.ranking_offsets]) == 2).all() and (sizes_of(self.ranking_offsets) == 2).any())

    def __repr__(self) -> str:
        sizes = f"n_cases={self.n_cases}, n_empty={n_empty(self.case_offsets)}, n_classes={self.n_classes}"
        known = f", n_annotators={len(self.annotators)}" if len(self.annotators) else ""
        return f"Rankings({sizes}, n_rankings={self.n_rankings}{known})"


_NESTING = ("hold a list of rankings for each case", "hold rankings that are lists of blocks", "hold blocks that are lists of classes")


def _unnest(level: list[Any], must: str, where: identifiers.Where) -> tuple[Int64, list[Any]]:
    """Return ``(offsets, rows one after the other)`` of a list of lists; reject a row that is not a list."""
    lists = (list, tuple, np.ndarray)
    if not all(issubclass(t, lists) for t in set(map(type, level))):
        i = next(i for i, row in enumerate(level) if not isinstance(row, lists))
        raise error("nested", must, repr(level[i]), where(i))
    return _flat(level)


def _flat(level: list[Any]) -> tuple[Int64, list[Any]]:
    return offsets_of(np.fromiter(map(len, level), np.int64, len(level))), list(chain.from_iterable(level))


def _nested_where(cases: NDArray[Any], levels: list[Int64]) -> identifiers.Where:
    """Return a function that names the case, and the annotator if known, of a row below these levels."""

    def where(row: int) -> str:
        for offsets in levels[:0:-1]:
            row = row_at(offsets, row)
        if not levels:
            return f"case {identifiers.name(cases[row])}"
        i = row_at(levels[0], row)
        return f"case {identifiers.name(cases[i])}, annotator {row - levels[0][i]}"

    return where


def _pairs(rows: LongRows) -> tuple[Int32, Int64]:
    """Return ``(code, first)`` of the distinct pairs (case, annotator)."""
    return identifiers.factorize(np.stack([rows.case, rows.annotator], axis=1))


def _number_rankings(rows: LongRows) -> tuple[Int64, Int32, Int64]:
    """Return ``(case_offsets, ranking of each row, one row of each ranking)``; a ranking is all rows of an annotator on a case."""
    pair, first = _pairs(rows)
    case_offsets, order = _tables.group(rows.case[first], len(rows.case_ids))
    ranking = np.empty(len(order), np.int32)
    ranking[order] = np.arange(len(order), dtype=np.int32)
    return case_offsets, ranking[pair], first[order]


def _sort_blocks(ranking: Int32, badness: Array, n_rankings: int) -> tuple[Int64, Int64, Int64]:
    """Return ``(order, ranking_offsets, block_offsets)``: rows sorted by ranking, then badness, then position."""
    by_badness = np.argsort(badness, kind="stable")
    order = by_badness[_tables.group(ranking[by_badness], n_rankings)[1]]
    ranking, badness = ranking[order], badness[order]
    opens_block = np.ones(len(order), bool)
    opens_block[1:] = (ranking[1:] != ranking[:-1]) | (badness[1:] != badness[:-1])
    start = np.flatnonzero(opens_block)
    return order, offsets_of(np.bincount(ranking[start], minlength=n_rankings)), np.append(start, len(order))


def _better(texts: identifiers.Column, where: identifiers.Where) -> str:
    """Return the sign that separates classes: ``>``, or another one if classes change their places around it."""
    given = texts.ids.tolist()
    signs = [sign for sign in ";,|" if any(sign in text for text in given)]
    if not signs or any(">" in text or "=" in text for text in given):
        return ">"
    places: defaultdict[str, set[int]] = defaultdict(set)
    for text in given:
        for place, token in enumerate(text.split(signs[0])):
            places[token.strip()].add(place)
    if len(signs) > 1 or max(map(len, places.values())) < 2:
        p = next(p for p, text in enumerate(given) if signs[0] in text)
        must, way = "be classes joined by '>' and '=', such as 'A > B = C'", "or give the sign between them as " + arg("separator", ...)
        raise error("ranking", must, identifiers.name(texts.ids[p]), where(int(texts.first[p])), way=way)
    note(Note("sign_of_rankings", "Read {sign!r} in rankings as 'better than'.", sign=signs[0]))
    return signs[0]


def _read_texts(
    texts: identifiers.Column, classes: Classes, where: identifiers.Where, merge_names: bool, separator: str | None
) -> tuple[NDArray[Any], Int32, Int64, Int64]:
    """Return ``(class names, class of each token, offsets of the blocks of a text, offsets of the tokens of a block)``."""
    if len(texts.ids) and not identifiers.is_text(texts.ids):
        raise error("ranking", "be strings such as 'A > B = C'", identifiers.name(texts.ids[0]), where(0))
    better = _better(texts, where) if separator is None else separator
    parsed = [[[token.strip() for token in block.split("=")] for block in text.split(better)] for text in texts.ids.tolist()]
    for p, blocks in enumerate(parsed):
        if not all(map(all, blocks)):
            must = f"be classes joined by {better!r} and '=', such as 'A {better} B = C'"
            raise error("ranking", must, identifiers.name(texts.ids[p]), where(int(texts.first[p])))
    blocks_of, flat = _flat(parsed)
    tokens_of, tokens = _flat(flat)

    def token_where(j: int) -> str:
        return where(int(texts.first[row_at(blocks_of, row_at(tokens_of, j))]))

    named = not (classes is None or isinstance(classes, (int, np.integer))) and identifiers.is_text(class_ids(classes))
    tokens = tokens if named else numbers_as_one("classes", tokens)
    whole = not named and all(map(identifiers.INTEGER.fullmatch, tokens))
    column = identifiers.number("ranking", [*map(int, tokens)] if whole else tokens, token_where)
    names, index = class_axis("ranking", column, classes, token_where, merge_names)
    return names, index, blocks_of, tokens_of
