"""Decimal signs of a table of scores, which is read in blocks."""

from __future__ import annotations

from functools import partial
from typing import Callable

from .._base.checks import error
from .roles import IF_THOUSANDS, THOUSANDS, check_grouped, note_commas, note_small, without_commas

Cells = list[tuple[str, ...]]  # columns


class Signs:
    """What commas and points of numbers mean, as the blocks show it one after the other."""

    def __init__(self, decimal: str, semicolons: bool) -> None:
        self._decimal = decimal
        self._commas = decimal == "," or (decimal == "auto" and semicolons)
        self._seen: dict[str, str] = {}  # sign → the first cell with it
        self._place = ""  # of the first cell with the second sign
        self._grouped = True  # whether all points may separate thousands

    def read(self, cells: Cells, where: Callable[[int, int], str]) -> Cells:
        """Return a block with decimal points instead of commas; ``where`` names the row and the column of a cell."""
        if not self._commas:
            return cells
        for sign in ",.":
            if any(sign in "".join(column) for column in cells):
                self._meet(sign, cells, where)
        if self._decimal == "auto" and len(self._seen) > 1:
            got = " and ".join(map(repr, self._seen.values()))
            raise error("scores", "have one decimal sign", got, self._place, way=IF_THOUSANDS)
        return [tuple(map(without_commas, column)) for column in cells] if "," in self._seen or self._decimal == "," else cells

    def _meet(self, sign: str, cells: Cells, where: Callable[[int, int], str]) -> None:
        for c, column in enumerate(cells):
            for row, cell in enumerate(map(str.strip, column)):
                if sign in cell:
                    if sign == "." and self._decimal == ",":
                        check_grouped("cell", [cell], partial(_place, where, row, c), said="." in self._seen)
                    if sign not in self._seen:
                        self._seen[sign], self._place = cell, where(row, c) if self._seen else ""
                    self._grouped &= sign == "," or THOUSANDS.fullmatch(cell) is not None
                    if sign == "," or not (self._grouped or self._decimal == ","):
                        return

    def note(self) -> None:
        """Note how the signs were read."""
        if "," in self._seen:
            note_commas(self._seen[","])
        elif "." in self._seen and self._decimal == "auto" and self._grouped:
            note_small([self._seen["."]])


def _place(where: Callable[[int, int], str], row: int, c: int, _: str) -> str:
    return where(row, c)
