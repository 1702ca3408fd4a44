"""Lines of CSV files in blocks of bytes: the length of lines is checked, and rows without cells are left out."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

import numpy as np

from .._base.checks import error

LONGEST_LINE = 1 << 28  # bytes that the csv module may hold at once: enough for a row of ten million classes
LONGEST_ROW = 1 << 24  # bytes of a row that is joined from blocks: a longer row without cells is not left out
QUOTED_BLANK = {end: re.compile(b"%c" % end + rb'"[\s"]') for end in b"\n\r"}
# (Each character can match in one way only: else a row of n tabs with a cell at its end would be tried in 2**n ways.)
BLANK_ROW = re.compile(rb'[\r\n](?= *[;,\t"])(?:(?:[ \t;]|"\s*"(?!"))+|(?:[ \t,]|"\s*"(?!"))+)(?=[\r\n]|\Z)')
EXCEL = re.compile(rb"(?:\xef\xbb\xbf)?\"?sep=[^\r\n]\"?[;,\t]*(?=[\r\n])", re.IGNORECASE)  # a line that gives the separator to Excel
NO_END = re.compile(rb"[^\r\n]")


def checked(blocks: Iterable[bytes]) -> Iterator[bytes]:
    """Yield the blocks; reject a line that is too long for a table before the csv module holds all of it."""
    size = 0
    for block in blocks:
        end = _end_of_lines(block, len(block))
        size = len(block) - end if end else size + len(block)
        if size > LONGEST_LINE:
            raise error("file", f"have lines of at most {LONGEST_LINE >> 20} MB", "a longer one (is it a table?)")
        yield block


def without_separator(blocks: Iterable[bytes]) -> Iterator[bytes]:
    """Yield the blocks with an empty first line if that line only gives the separator."""
    for i, block in enumerate(blocks):
        yield EXCEL.sub(b"", block, count=1) if i == 0 and EXCEL.match(block) else block


def may_be_blank(blocks: Iterable[bytes]) -> bool:
    """Return whether any row begins like a row without cells, a quick check; it reads all blocks."""
    found, before = False, b"\n"
    for block in blocks:
        found = found or _may_be_blank(before + block)
        before = (before + block[-2:])[-2:]
    return found


def _may_be_blank(text: bytes) -> bool:
    data = np.frombuffer(text, np.uint8)
    for end in filter(text.__contains__, b"\n\r"):
        ends = data[:-1] == end
        if any((ends & (data[1:] == start)).any() for start in b";,\t " if start in text):
            return True
        if b'"' in text and QUOTED_BLANK[end].search(text):
            return True
    return False


def n_blank_rows(blocks: Iterable[bytes]) -> int:
    """Return how many rows hold no cell."""
    return sum(_without_blank_rows(text, begun, quoted)[1] for text, begun, quoted in _of_whole_rows(blocks))


def without_blank_rows(blocks: Iterable[bytes]) -> Iterator[bytes]:
    """Yield the blocks with empty lines instead of rows without any cell."""
    for text, begun, quoted in _of_whole_rows(blocks):
        yield _without_blank_rows(text, begun, quoted)[0]


def _of_whole_rows(blocks: Iterable[bytes]) -> Iterator[tuple[bytes, bool, bool]]:
    """Yield the bytes in blocks that end at the end of a row, as ``(block, begun, quoted)``.

    ``begun``: the first row is too long and began in an earlier block; ``quoted``: the block begins within quotes.
    """
    left, begun, quoted = b"", False, False
    for block in blocks:
        text = left + block
        end = _end_of_lines(text, len(text))
        n_quotes = quoted + text.count(b'"', 0, end)
        while end and n_quotes % 2:  # the line ends within quotes: the last row that ends does so before these quotes
            before = _end_of_lines(text, max(0, text.rfind(b'"', 0, end)))
            n_quotes, end = n_quotes - text.count(b'"', before, end), before
        if not end and len(text) > LONGEST_ROW:
            end = len(text)
            n_quotes = quoted + text.count(b'"')
        if end:
            yield text[:end], begun, quoted
            begun, quoted = not text.endswith((b"\n", b"\r"), 0, end), n_quotes % 2 == 1
        left = text[end:]
    yield left, begun, quoted


def _without_blank_rows(text: bytes, begun: bool, quoted: bool) -> tuple[bytes, int]:
    """Return some rows with empty lines instead of those without cells, and the number of these; lines within quotes are kept."""
    text = b"\n" + text
    if not _may_be_blank(text):
        return text[1:], 0
    parts, end, n_quotes, n, at = [], 1, int(quoted), 0, int(begun)
    while (match := BLANK_ROW.search(text, at)) is not None:
        n_quotes += text.count(b'"', end, match.start())
        if n_quotes % 2:  # text within quotes may look like the beginning of a row without cells
            parts.append(text[end : match.start()])
            end, at = match.start(), match.start() + 1
        else:
            parts += [text[end : match.start() + 1], NO_END.sub(b"", match[0][1:])]
            n, end, at = n + 1, match.end(), match.end()
    return b"".join([*parts, text[end:]]), n


def _end_of_lines(text: bytes, before: int) -> int:
    """Return where the last line before a place ends; 0 if none does."""
    end = text.rfind(b"\n", 0, before) + 1
    return max(end, text.rfind(b"\r", end, before) + 1)
