"""Sources of bytes: plain or gzip files, read in blocks, and checks that they are UTF-8 text."""

from __future__ import annotations

import codecs
import gzip
import hashlib
import io
import os
import re
import stat
import zlib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from itertools import chain
from pathlib import Path
from typing import Any, BinaryIO, Callable, cast

from .._base.checks import error, room
from .._base.notes import Note
from .._base.notices import note
from .._base.wording import arg, within, words_of
from .whole_file import recover

BLOCK = 1 << 22
OF_LINE = 72  # bytes of a line as a string in a list, without its characters
GZIP = b"\x1f\x8b"
BOM = codecs.BOM_UTF8
ASCII = bytes(range(128))

# The first bytes of files that are not text, whatever their names.
OTHERS = (
    (b"\xd0\xcf\x11\xe0", "an old Excel workbook (save the sheet as 'CSV UTF-8')"),
    (b"PAR1", "a Parquet file (call it .parquet)"),
    (b"\x93NUMPY", "a NumPy array (call it .npy)"),
    (b"%PDF", "a PDF document"),
    (b"\x89PNG", "an image (PNG)"),
    (b"\xff\xd8\xff", "an image (JPEG)"),
    (b"<!doctype html", "a web page (was a page saved instead of the file behind it?)"),
    (b"<?xml", "XML (export CSV or JSON)"),
    (b"<html", "a web page (was a page saved instead of the file behind it?)"),
)


def check_regular(path: str | os.PathLike[str]) -> int:
    """Return the size of a file; reject pipes and devices, which may have no end or can be read only once (``open`` rejects folders)."""
    recover(path)
    status = os.stat(path)
    if not (stat.S_ISREG(status.st_mode) or stat.S_ISDIR(status.st_mode)):
        must = "be a regular file, as it is read more than once (save the output of a pipe as a file)"
        raise error("file", must, "a pipe" if stat.S_ISFIFO(status.st_mode) else "a device or a socket")
    return status.st_size


def file_and_sheet(path: str | os.PathLike[str]) -> tuple[str | os.PathLike[str], str | None]:
    """Return the file and the sheet of a workbook, if one is named: ``book.xlsx#Sheet1``."""
    match = re.fullmatch(r"(.+\.xls[xm])#(.+)", os.fspath(path), re.IGNORECASE | re.DOTALL)
    return (path, None) if match is None or os.path.exists(path) else (match[1], match[2])


class Source:
    """A file that can be read several times from its start, decompressed if it is compressed."""

    encoding = "utf-8"

    def __init__(self, path: str | os.PathLike[str], encoding: str = "utf-8") -> None:
        try:
            self.encoding = codecs.lookup(encoding).name.replace("utf-8-sig", "utf-8")  # the byte order mark is always left out
            "a".encode(self.encoding)  # rejects codecs such as "hex", which Python knows but which encode no text
        except (LookupError, ValueError, TypeError):
            raise error("encoding", "be one that Python knows, such as utf-8, latin-1, cp1252 or utf-16", repr(encoding)) from None
        path, self.sheet = file_and_sheet(path)
        self.path = Path(path)
        plain = self.path.with_suffix("") if self.path.suffix.lower() == ".gz" else self.path
        self.ending, self.stem = plain.suffix.lower(), plain.stem
        self.size = check_regular(path)
        if self.encoding != "utf-8" and self.path.is_file() and self._is_utf8():
            words = "Read {file} as UTF-8, which is its encoding, not as {encoding}."
            note(Note("encoding", words, file=self.path.name, encoding=encoding))
            self.encoding = "utf-8"

    def _is_utf8(self) -> bool:
        """Return whether a file is in UTF-8 and no other encoding.

        With letters outside of ASCII, text in an encoding of one byte per letter is hardly ever valid UTF-8; without them it always is.
        """
        decoder, plain = codecs.getincrementaldecoder("utf-8")(), True
        try:
            if ASCII.decode(self.encoding) != ASCII.decode("ascii"):  # an encoding such as UTF-16
                return False
            with self.open() as (file, _):
                for block in chain(iter(lambda: file.read(BLOCK), b""), [b""]):
                    plain = plain and block.isascii()
                    decoder.decode(block, final=not block)
        except (UnicodeError, LookupError):
            return False
        return not plain

    @contextmanager
    def text(self) -> Iterator[tuple[BinaryIO, Callable[[], int]]]:
        """Open the file like :meth:`open`, as UTF-8 whatever its encoding."""
        with self.open() as (file, tell):
            if self.encoding == "utf-8":
                yield file, tell
            else:
                yield cast(BinaryIO, io.BufferedReader(Changed(self._recoded(file)), BLOCK)), tell

    def _recoded(self, file: BinaryIO) -> Iterator[bytes]:
        decoder = codecs.getincrementaldecoder(self.encoding)()
        try:
            for block in chain(iter(lambda: file.read(BLOCK), b""), [b""]):
                yield decoder.decode(block, final=not block).encode()
        except UnicodeError as problem:
            raise error("encoding", "be the one of the file", f"{self.encoding!r} ({problem})") from None

    @contextmanager
    def open(self) -> Iterator[tuple[BinaryIO, Callable[[], int]]]:
        """Yield (the decompressed file, how many of the ``size`` bytes have been read); errors of gzip get the form of messages."""
        with open(self.path, "rb") as raw:
            packed = raw.read(2) == GZIP
            raw.seek(0)
            if not packed:
                if self.path.suffix.lower() == ".gz" and self.size:
                    raise error("file", "be compressed by gzip, as its name says", "another beginning")
                yield raw, raw.tell
                return
            try:
                with gzip.GzipFile(fileobj=raw) as file:
                    yield cast(BinaryIO, file), raw.tell
            except (EOFError, gzip.BadGzipFile, zlib.error) as problem:
                raise error("file", "be a whole gzip file (is it cut off?)", str(problem)) from None

    def read(self, text: bool = False) -> bytes:
        whole = bytearray()
        for block in self.blocks(text):  # a small compressed file may be larger than any memory
            room("the file", len(whole) + len(block))
            whole += block
        return bytes(whole)

    def blocks(self, text: bool = False) -> Iterator[bytes]:
        with self.text() if text else self.open() as (file, _):
            yield from iter(lambda: file.read(BLOCK), b"")


class Changed(io.RawIOBase):
    """A file that consists of blocks of bytes."""

    def __init__(self, blocks: Iterator[bytes]) -> None:
        self._blocks, self._left = blocks, b""

    def readable(self) -> bool:
        return True

    def readinto(self, into: Any) -> int:
        while not self._left:
            block = next(self._blocks, None)
            if block is None:
                return 0
            self._left = block
        n = min(len(into), len(self._left))
        into[:n], self._left = self._left[:n], self._left[n:]
        return n


class Held(Source):
    """A source of bytes in memory."""

    def __init__(self, data: bytes) -> None:
        self._data, self.size, self.ending, self.stem = data, len(data), "", ""

    @contextmanager
    def open(self) -> Iterator[tuple[BinaryIO, Callable[[], int]]]:
        file = io.BytesIO(self._data)
        yield file, file.tell


@contextmanager
def naming(path: str | os.PathLike[str]) -> Iterator[None]:
    """Put the name of the file, or of other input, before messages about it."""
    try:
        yield
    except ValueError as problem:
        name = os.fspath(path)
        if words_of(problem).startswith(f"{name}: "):
            raise
        raise within(name, problem) from None


def fingerprint(path: str | os.PathLike[str]) -> dict[str, str]:
    """Return the name and the SHA-256 of a file, for the provenance of a report.

    Parameters
    ----------
    path : path
        Any file; it is read in blocks.

    Returns
    -------
    dict of str to str
        ``name`` without folders, ``sha256`` in hexadecimal digits.

    Raises
    ------
    OSError
        If the file cannot be read.
    ValueError
        If the path is a pipe or a device.

    Examples
    --------
    >>> import tempfile, pathlib, ugt.io
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "empty.csv"
    >>> path.touch()
    >>> found = ugt.io.fingerprint(path)
    >>> found["name"], found["sha256"][:12]
    ('empty.csv', 'e3b0c44298fc')
    """
    digest = hashlib.sha256()
    path = file_and_sheet(path)[0]
    check_regular(path)
    with open(path, "rb") as file:
        for block in iter(lambda: file.read(BLOCK), b""):
            digest.update(block)
    return {"name": Path(path).name, "sha256": digest.hexdigest()}


def check_text(data: bytes) -> str:
    """Return the bytes as text; reject those that are empty, binary, or not UTF-8."""
    room("the text of the file", 2 * len(data) + OF_LINE * data.count(b"\n"))
    check_blocks([data])
    return data.decode("utf-8-sig")


def too_long(problem: ValueError) -> ValueError:
    """Return the error of reading JSON, in the form of messages for numbers of thousands of digits, which Python rejects."""
    return error("file", "hold numbers of at most 4,300 digits", "a longer one") if "int_max_str" in str(problem) else problem


def check_blocks(blocks: Iterable[bytes]) -> None:
    """Reject blocks that are empty, binary, or not UTF-8; the text is never held as a whole."""
    for _ in checked_blocks(blocks):
        pass


def checked_blocks(blocks: Iterable[bytes]) -> Iterator[bytes]:
    """Yield the blocks, each after its check."""
    decoder = codecs.getincrementaldecoder("utf-8")()
    line, n, blank, head = 1, 0, True, b""
    for block in chain(blocks, [b""]):
        if n == 0:
            head = block[:4096]
            _check_beginning(head)
        if b"\0" in block:
            got = "a NUL byte (" + _with_nul(head) + ")"
            raise error("file", "be UTF-8 text", got, f"line {line + block.count(10, 0, block.index(0))}")
        try:
            text = decoder.decode(block, final=not block)
        except UnicodeDecodeError as problem:
            raise _not_utf8(problem, line) from None
        blank = blank and not text.strip("\ufeff \t\r\n\f\v")
        line += block.count(10)
        n += len(block)
        yield block
    if blank:
        raise error("file", "not be empty", f"{n} bytes without text")


def _check_beginning(head: bytes) -> None:
    if head[:4] == b"PK\3\4":
        excel = b"[Content_Types].xml" in head or b"xl/" in head
        got = "an Excel workbook (save the sheet as 'CSV UTF-8')" if excel else "a ZIP archive (an NPZ file is called .npz)"
        raise error("file", "be UTF-8 text", got)
    for beginning, got in OTHERS:
        if head[: len(beginning)].lower() == beginning.lower():
            raise error("file", "be UTF-8 text", got)


def _with_nul(head: bytes) -> str:
    """Return the kind of text or file that has such NUL bytes, for the message."""
    if head[:4] in (codecs.BOM_UTF32_LE, codecs.BOM_UTF32_BE):
        return "UTF-32 by its byte order mark; " + _encoded("utf-32")
    if head[:2] in (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE):
        return "UTF-16 by its byte order mark; " + _encoded("utf-16")
    for name, nul in (("UTF-16LE", head[1::2]), ("UTF-16BE", head[::2])):
        if len(head) > 8 and nul.count(0) > 0.9 * len(nul):
            return f"{name} without a byte order mark? " + _encoded(name.lower())
    return "a binary or UTF-16 file?"


def _encoded(name: str) -> str:
    """Return the way on for text in another encoding."""
    return "give " + arg("encoding", name) + ", or save the file as UTF-8"


def _not_utf8(problem: UnicodeDecodeError, line: int) -> ValueError:
    """Return the error about a byte that is not UTF-8, with its word as read in Windows-1252."""
    data, at = problem.object, problem.start
    where = f"line {line + data.count(10, 0, at)}"
    if "unexpected end" in problem.reason:
        return error("file", "be UTF-8 text", "half a character at its end (is the file cut off?)", where)
    before = re.search(rb"[^\s,;\t\"]{0,20}\Z", data[max(0, at - 20) : at])
    after = re.match(rb"[^\s,;\t\"]{1,20}", data[at : at + 20])
    word = ((before[0] if before else b"") + (after[0] if after else b"")).decode("cp1252", "replace")
    # Text in Latin-1 is the same in Windows-1252, which has letters for more bytes.
    how = f"Windows-1252? Then it is in {word!r}; " + _encoded("cp1252")
    return error("file", "be UTF-8 text", f"the byte 0x{data[at]:02x} (" + how + ")", where)
