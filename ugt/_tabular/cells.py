"""Cells of a table as codes into their distinct values."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from .._base import identifiers
from .._base.arrays import Bools, Int32, Int64
from .._base.names import suspicious
from .._base.notes import Note
from .csv_text import unguarded
from .words import Words, cut

FEW_ROWS = 5  # among fewer rows, a first row whose values occur in no other row need not be a header


class Coded(NamedTuple):
    """Text cells as codes into the distinct values (stripped, in order of first appearance)."""

    values: Sequence[str]
    codes: Int32  # (rows, columns)

    def missing(self, tokens: Sequence[str], found: dict[str, int]) -> Bools:
        """Return which cells are one of the tokens; add the number of each to ``found``."""
        known = set(tokens)
        is_token = np.array([value in known for value in self.values], bool)
        if not is_token.any():
            return np.zeros(self.codes.shape, bool)
        for code in np.flatnonzero(is_token).tolist():
            found[self.values[code]] = found.get(self.values[code], 0) + int(np.count_nonzero(self.codes == code))
        return is_token[self.codes]

    def suspicious(self, missing: Sequence[str]) -> tuple[Note, ...]:
        """Return notes on labels that look like codes for "no label"."""
        known = set(missing)
        return suspicious([value for value in self.values if value not in known])

    def first(self, code: int) -> int:
        return int(np.argmax((self.codes == code).any(axis=1)))

    def kept(self, keep: Bools | None) -> tuple[Int32, Int64, Sequence[int]]:
        """Return ``(number of each row, first row of each number, code of each number)`` of the kept rows of the first column."""
        code = self.codes[:, 0]
        if keep is None or keep.all():  # codes are in order of first appearance
            seen = np.maximum.accumulate(code)
            return code, np.flatnonzero(np.append(True, seen[1:] > seen[:-1])), range(len(self.values))
        new, first = identifiers.factorize(code[keep])
        return new, first, code[keep][first].tolist()


def first_alone(cells: Coded, missing: Sequence[str]) -> bool:
    """Return whether no cell of the first row is missing or occurs in another row."""
    own = cells.codes[0]
    if len(cells.codes) < FEW_ROWS or any(cells.values[code] in missing for code in own.tolist()):
        return False
    return bool(np.count_nonzero(cells.codes <= own.max()) == len(own))  # codes are in order of first appearance


def stripped(values: Sequence[str], codes: Int32, raw: Sequence[str] | None = None) -> Coded:
    """Return the cells without surrounding white space. ``raw``: the original values, if ``values`` are already stripped."""
    plain, values = ([*map(str.strip, values)], values) if raw is None else (values, raw)
    if plain == values:
        return Coded(values, codes)
    index: dict[str, int] = {}
    new = np.array([index.setdefault(value, len(index)) for value in plain], dtype=np.int32)
    return Coded(list(index), codes if len(index) == len(values) else new[codes])


def without_guards(values: Sequence[str], codes: Int32) -> Coded:
    """Return the cells without surrounding white space and without the apostrophes before formulas."""
    if isinstance(values, Words) and all(_is_plain(*block) for block in values.blocks()):
        return Coded(values, codes)
    return stripped([*map(unguarded, map(str.strip, values))], codes, values)


def _is_plain(text: str, start: Int64) -> bool:
    """Return whether :func:`without_guards` would change none of the strings, which follow each other in ``text``."""
    if "'" not in text and text.split(None, 1) == [text]:
        return True
    values = cut(text, start)
    return values == [*map(unguarded, map(str.strip, values))]
