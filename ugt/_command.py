"""What the commands share: reading annotations, lines of tables, errors in one line."""

from __future__ import annotations

import argparse
import os
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, NoReturn

from . import io
from ._checks import error

# Columns of a long table that can be named: --case-column and so on.
ROLES = ("case", "annotator", "label", "rank", "confidence", "ranking", "count")


class Parser(argparse.ArgumentParser):
    """Says in one line what is wrong."""

    def error(self, message: str) -> NoReturn:
        self.exit(2, f"ugt: error: {message} (see {self.prog} --help)\n")


def add_reading(parser: argparse.ArgumentParser) -> None:
    """Options that say how annotations are read."""
    group = parser.add_argument_group("reading annotations")
    group.add_argument("--format", default="auto", choices=("auto", "long", "wide", "counts", "rankings"), help="of a CSV file or an array")
    group.add_argument("--classes", metavar="FILE|K", help="all classes: a file with a name a line, or their number")
    group.add_argument("--na", nargs="+", metavar="TEXT", help="cells that mean: not annotated (instead of blank, NA, N/A, NaN, null)")
    for role in ROLES:
        group.add_argument(f"--{role}-column", metavar="NAME", help=f"of the {role} ('': none)")


def annotations_of(options: argparse.Namespace) -> io.AnnotationFile:
    """The annotations."""
    columns = {role: name for role in ROLES if (name := getattr(options, f"{role}_column")) is not None}
    classes: Any = options.classes
    if classes is not None:
        classes = int(classes) if classes.isdecimal() else io.read_names(classes)
    missing = io.MISSING if options.na is None else options.na
    return io.read_annotations(options.annotations, format=options.format, columns=columns, classes=classes, missing=missing)


def named_files(items: Iterable[str]) -> dict[str, str]:
    """Model name → path, from ``path`` or ``name=path``."""
    files: dict[str, str] = {}
    for item in items:
        name, equals, path = item.partition("=")
        if not equals or os.path.exists(item):
            name, path = Path(item).stem, item
        if name in files:
            raise error("predictions", "have different names (write name=path)", f"{name!r} twice")
        files[name] = path
    return files


def say(*lines: str) -> None:
    """Print lines."""
    print("\n".join(lines))


def aligned(lines: Sequence[Sequence[str]]) -> list[str]:
    """Columns of text; the first to the left, numbers to the right."""
    first, *others = [max(map(len, column)) for column in zip(*lines)]
    return [f"  {line[0]:<{first}}" + "".join(f"  {cell:>{width}}" for cell, width in zip(line[1:], others)) for line in lines]


def decimal(value: float | None) -> str:
    """Four decimals."""
    return "-" if value is None else f"{value:.4f}"
