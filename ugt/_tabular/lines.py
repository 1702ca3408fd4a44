"""Lines of CSV files in blocks of bytes: none that is too long, and which hold no cell."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from .._base.checks import error

LONGEST_LINE = 1 << 28  # bytes that the csv module may hold at once: a row of ten million classes
LONGEST_ROW = 1 << 24  # bytes of a row that is put together from blocks: only such a one is left out
BLANK_STARTS = [re.compile(end + rb'(?:[;,\t ]|"[\s"])') for end in (b"\n", b"\r")]  # how such a row begins, which is found sooner
# (No two ways to take a character: a row of tabs with a cell at its end would be tried in 2**n of them.)
BLANK_ROW = re.compile(rb'[\r\n](?= *[;,\t"])(?:(?:[ \t;]|"\s*"(?!"))+|(?:[ \t,]|"\s*"(?!"))+)(?=[\r\n]|\Z)')
EXCEL = re.compile(rb"(?:\xef\xbb\xbf)?\"?sep=[^\r\n]\"?[;,\t]*(?=[\r\n])", re.IGNORECASE)  # a line that tells Excel the separator
NO_END = re.compile(rb"[^\r\n]")


def checked(blocks: Iterable[bytes]) -> Iterator[bytes]:
    """The blocks; refuses a line that no table has before the csv module holds it as a whole."""
    size = 0
    for block in blocks:
        end = _end_of_lines(block, len(block))
        size = len(block) - end if end else size + len(block)
        if size > LONGEST_LINE:
            raise error("file", f"have lines of at most {LONGEST_LINE >> 20} MB", "a longer one (is it a table?)")
        yield block


def without_separator(blocks: Iterable[bytes]) -> Iterator[bytes]:
    """An empty line in the place of the first one, if it only tells the separator."""
    for i, block in enumerate(blocks):
        yield EXCEL.sub(b"", block, count=1) if i == 0 and EXCEL.match(block) else block


def n_blank_rows(blocks: Iterable[bytes]) -> int:
    """How many rows hold no cell."""
    return sum(_without_blank_rows(text, begun, quoted)[1] for text, begun, quoted in _of_whole_rows(blocks))


def without_blank_rows(blocks: Iterable[bytes]) -> Iterator[bytes]:
    """Empty lines in the place of rows without any cell."""
    for text, begun, quoted in _of_whole_rows(blocks):
        yield _without_blank_rows(text, begun, quoted)[0]


def _of_whole_rows(blocks: Iterable[bytes]) -> Iterator[tuple[bytes, bool, bool]]:
    """The same bytes in blocks that end where a row does; whether its first row has begun before, as it is too long, and within quotes."""
    left, begun, quoted = b"", False, False
    for block in blocks:
        text = left + block
        end = _end_of_lines(text, len(text))
        n_quotes = quoted + text.count(b'"', 0, end)
        while end and n_quotes % 2:  # a line that ends within quotes: a row ends before these, if any does
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
    """The same of some rows, and how many these are; lines within quotes stay."""
    text = b"\n" + text
    if not any(start.search(text) for start in BLANK_STARTS):
        return text[1:], 0
    parts, end, n_quotes, n, at = [], 1, int(quoted), 0, int(begun)
    while (match := BLANK_ROW.search(text, at)) is not None:
        n_quotes += text.count(b'"', end, match.start())
        if n_quotes % 2:  # what is within quotes may hold the beginning of such a row
            parts.append(text[end : match.start()])
            end, at = match.start(), match.start() + 1
        else:
            parts += [text[end : match.start() + 1], NO_END.sub(b"", match[0][1:])]
            n, end, at = n + 1, match.end(), match.end()
    return b"".join([*parts, text[end:]]), n


def _end_of_lines(text: bytes, before: int) -> int:
    """Where the last line ends before a place; 0 if none does."""
    return max(text.rfind(b"\n", 0, before), text.rfind(b"\r", 0, before)) + 1
