"""Finished parts of a long run in one file, so that a killed run can continue and ends with the same bytes.

The file is a header that names the run (a hash of data, options and version), then records: begin, end, length and CRC of
each finished part. Only whole records count; a record that a killed run left half-written at the end is cut off.
"""

from __future__ import annotations

import os
import struct
import zlib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from typing import Any, BinaryIO

import numpy as np

from .arrays import NDArray
from .checks import error
from .locks import try_lock
from .version import __version__

MAGIC = b"ugt checkpoint 1\n"
RECORD = struct.Struct("<QQQI")


def fingerprint(arrays: Iterable[NDArray[Any]], options: object) -> bytes:
    """Return a hash of all input that the result depends on."""
    import hashlib  # noqa: PLC0415  (only checkpoints need it)

    found = hashlib.sha256(repr((__version__, options)).encode())
    for array in arrays:
        found.update(repr((array.dtype.str, array.shape)).encode())
        found.update(np.ascontiguousarray(array).tobytes())
    return found.digest()


@contextmanager
def naming(path: Any) -> Iterator[None]:
    """Let errors of the system, such as a full disk, name the file."""
    try:
        yield
    except OSError as problem:
        if problem.filename is not None or problem.errno is None:
            raise
        raise OSError(problem.errno, problem.strerror, os.fspath(path)) from problem


class Checkpoint:
    """An open checkpoint: the finished parts, and the file to which further parts are written."""

    def __init__(self, path: object, run: bytes) -> None:
        if not isinstance(path, (str, bytes, os.PathLike)) or not os.fspath(path):
            raise error("checkpoint", "be the path of a file", repr(path))
        path = os.fspath(path)  # ``open`` would take a number for the descriptor of an open file
        self.path, self.parts = path, {}  # type: ignore[var-annotated]
        fresh = not os.path.exists(path) or os.path.getsize(path) == 0
        self.file: BinaryIO = open(path, "w+b" if fresh else "r+b")  # noqa: SIM115  (closed by close)
        try:
            if try_lock(self.file) is False:  # parts that two runs write at once would look like damage
                raise error("checkpoint", "not be in use by another run", repr(str(path)))
            with naming(path):
                if fresh:
                    self.file.write(MAGIC + run)
                    self.file.flush()
                else:
                    self._read(run)
        except BaseException:
            with suppress(OSError):  # a full disk does not take on closing what it did not take before
                self.file.close()
            raise

    def _read(self, run: bytes) -> None:
        header = self.file.read(len(MAGIC) + len(run))
        if not header.startswith(MAGIC[: len(header)]):
            raise error("checkpoint", "be a checkpoint file of ugt", repr(str(self.path)))
        if len(header) == len(MAGIC) + len(run) and header[len(MAGIC) :] != run:
            must = "be of the same data, options and version (delete the file to start afresh)"
            raise error("checkpoint", must, repr(str(self.path)))
        if len(header) < len(MAGIC) + len(run):  # the run was killed while it wrote the header
            self.file.seek(0)
            self.file.write(MAGIC + run)
        whole = len(MAGIC) + len(run)
        while len(head := self.file.read(RECORD.size)) == RECORD.size:
            begin, end, length, crc = RECORD.unpack(head)
            if length > os.fstat(self.file.fileno()).st_size - self.file.tell():  # cut off, or damaged: the length may exceed any memory
                break
            content = self.file.read(length)
            if zlib.crc32(head[: RECORD.size - 4] + content) != crc:
                raise error("checkpoint", "not be damaged (delete the file to start afresh)", repr(str(self.path)))
            self.parts[begin, end] = content
            whole += RECORD.size + length
        self.file.seek(whole)
        self.file.truncate()

    def add(self, begin: int, end: int, content: bytes) -> None:
        """Write a finished part."""
        head = RECORD.pack(begin, end, len(content), 0)[: RECORD.size - 4]
        with naming(self.path):
            self.file.write(head + struct.pack("<I", zlib.crc32(head + content)) + content)
            self.file.flush()

    def close(self) -> None:
        """Close the file without deleting it."""
        with naming(self.path):
            self.file.close()
