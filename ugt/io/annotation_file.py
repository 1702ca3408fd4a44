"""What a reader of annotations is asked, and what it returns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from .._base.notes import Note
from .._base.records import Record

FORMATS = ("auto", "long", "wide", "transposed", "counts", "rankings", "ratings")
ROLES = ("case", "annotator", "label", "rank", "confidence", "ranking", "count", "value")

#: Cells that mean "no annotation". "None" and -1 are not among them, because they are classes in some files.
MISSING = ("", "NA", "N/A", "NaN", "nan", "null", "NULL")
MOST_REPEATED = 10**7  # labels by named annotators that counts may add up to


class Reading(NamedTuple):
    """The options of ``read_annotations``, some of which a mapping file may have."""

    format: str = "auto"
    columns: Mapping[str, Any] = {}
    classes: Any = None
    missing: Sequence[str] = MISSING
    merge_names: bool = False
    annotator_columns: Sequence[str] = ()
    ignore_columns: Any = ()
    duplicates: str = "error"
    decimal: str = "auto"
    encoding: str = "utf-8"
    separator: str | None = None
    ordered: Any = None
    scale: Any = None
    offered: str | None = None
    header: bool = True
    withdrawn: str = "drop"
    ticks: str = "ask"


@dataclass(frozen=True, eq=False, repr=False)
class AnnotationFile(Record):
    r"""The annotations of a file, and how the file was read.

    Attributes
    ----------
    annotations : Labels, Rankings or Ratings
        The annotations; cases without annotations are kept.
    format : str
        ``"long"``, ``"wide"``, ``"transposed"``, ``"counts"``, ``"rankings"``, ``"ratings"``, ``"label studio"``, ``"prodigy"``,
        ``"preflib"``, ``"labels"``.
    missing : dict of str to int
        The cells that were read as "no annotation", and the number of each.
    dropped : dict of str to int
        The number of annotations that were left out, by reason: cancelled, ignored, without a result.
    notes : tuple of Note
        On guesses about the file, and on labels that may mean "no annotation".
    columns : dict of str to tuple of str
        The columns of a table that were used for each role (``"case"``, ``"annotator"``, ``"class"`` ...); empty for other files.
    unused : tuple of str
        The columns of a table that were not used.

    Examples
    --------
    >>> import tempfile, pathlib, ugt.io
    >>> _ = (path := pathlib.Path(tempfile.mkdtemp()) / "wide.csv").write_text("case,ann,bob\np1,cat,dog\np2,cat,NA\n")
    >>> read = ugt.io.read_annotations(path)
    >>> read.format, read.annotations.n_cases, read.missing
    ('wide', 2, {'NA': 1})
    >>> print(*read.notes)
    Read each row as a case and each column as an annotator: the first column is named 'case'.
    >>> read.columns
    {'case': ('case',), 'annotator': ('ann', 'bob')}
    """

    annotations: Any
    format: str
    missing: dict[str, int]
    dropped: dict[str, int] = field(default_factory=dict)
    notes: tuple[Note, ...] = ()
    columns: dict[str, tuple[str, ...]] = field(default_factory=dict)
    unused: tuple[str, ...] = ()

    @property
    def all_notes(self) -> tuple[Note, ...]:
        """Notes on cells read as missing and on annotations left out, then ``notes``."""
        cells = ", ".join(f"{repr(token) if token else 'blank'} ({n} cells)" for token, n in self.missing.items())
        gone = ", ".join(f"{reason} ({n})" for reason, n in self.dropped.items())
        missing = [Note("read_as_missing", "Read as missing: {cells}.", cells=cells)] if cells else []
        left_out = [Note("left_out", "Left out: {annotations}.", annotations=gone)] if gone else []
        return (*missing, *left_out, *self.notes)

    def missing_note(self) -> str:
        """Return the sentences of ``all_notes``; empty if there are none."""
        return " ".join(map(str, self.all_notes))
