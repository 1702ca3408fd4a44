"""An evaluation as its report reads it: facts and rows as frozen records, from plain values such as those of a JSON file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any, NamedTuple, TypeVar

from .._base.notes import Note, notes_of
from .makers import TABLES
from .rows import Number, Row, row_from
from .worklist import CaseColumns

Record = TypeVar("Record", bound=NamedTuple)
NAMES = {kind: name for name, kind in TABLES.items()}  # of the table of each kind of rows
NOTHING: Mapping[str, Any] = MappingProxyType({})


class PerCase(NamedTuple):
    """The number of annotations of a case."""

    min: int
    median: float
    max: int


class DataFacts(NamedTuple):
    """The sizes of the data; what annotations have is None if plausibilities were given."""

    kind: str  # labels, rankings, ratings, or a kind of plausibilities
    n_cases: int
    n_classes: int  # 0: ratings
    ordered: bool = False
    scale: str | Sequence[str] | None = None
    n_unused_classes: int | None = None
    n_annotators: int | None = None  # None: annotators have no names
    n_annotations: int | None = None
    annotations_per_case: PerCase | None = None
    n_clusters: int | None = None
    joined: str | None = None  # how predictions were joined
    n_rows: int | None = None  # rows that stand for the cases by their frequencies; None: each case has its own


class InputFile(NamedTuple):
    """A file that was read."""

    name: str = ""
    sha256: str = ""


class PriorFit(NamedTuple):
    """A fitted prior with its interval, and its gain in log-likelihood over the default."""

    gain: float
    n_cases: int
    value: Number = None
    low: Number = None
    high: Number = None


class Provenance(NamedTuple):
    """The settings of an evaluation, and where its data are from."""

    date: str
    versions: Mapping[str, str]
    aggregation: str
    parameters: Mapping[str, Any]  # of the truth model
    level: float
    interval: str
    n_resamples: int
    ties: str
    command: str | None = None
    inputs: Sequence[InputFile] = ()
    seed: int | str = 0
    missing: str | None = None
    random: Sequence[str] = ()  # of whom the verdict is: other cases, and other annotators
    reliability: Sequence[float] | None = None
    annotator_reliability: Mapping[str, float] | None = None
    prior_fit: PriorFit | None = None
    truth_chosen: str | None = None  # "default", "fits" (another truth leads), "none" (no truth model fits); None: it was not chosen
    positive_class: str | None = None
    groups: Sequence[str] | int | None = None
    plan: Mapping[str, Any] = NOTHING
    report: Mapping[str, Any] = NOTHING  # the authors' texts


@dataclass(frozen=True, eq=False)
class ReportSource:
    """An evaluation: ``rows(MetricRow)`` are the rows of the table whose rows are of this kind."""

    ugt: str
    run: str
    data: DataFacts
    provenance: Provenance
    left_out: Mapping[str, int]
    notes: Sequence[Note]
    models: Sequence[str]
    sources: Mapping[str, Sequence[str]]  # of uncertainty, for each interval
    cases: CaseColumns
    tables: Mapping[str, Sequence[Any]]  # those that the evaluation has

    @classmethod
    def read(cls, found: Mapping[str, Any]) -> ReportSource:
        """Return an evaluation from the result of ``Evaluation.to_dict``, or the same read back from JSON."""
        data, made = found["data"], found["provenance"]
        per_case, fit = data.get("annotations_per_case"), made.get("prior_fit")
        own = {name: kind for name, kind in TABLES.items() if name in found and kind is not CaseColumns}
        tables = {name: [row_from(kind, row) for row in found[name]] for name, kind in own.items()}
        return cls(
            ugt=found["ugt"],
            run=found.get("run", "not stated"),
            data=_record(DataFacts, data, annotations_per_case=per_case and PerCase(**per_case)),
            provenance=_record(
                Provenance, made, inputs=[_record(InputFile, one) for one in made.get("inputs") or ()],
                prior_fit=fit and _record(PriorFit, fit), plan=made.get("plan") or NOTHING, report=made.get("report") or NOTHING,
            ),
            left_out=found["left_out"],
            notes=notes_of(found),
            models=found["models"],
            sources=found["sources"],
            cases=CaseColumns.of(found["cases"]),
            tables=tables,
        )  # fmt: skip

    def rows(self, kind: type[Row]) -> Sequence[Row]:
        """Return the rows of a kind; none if the evaluation has no such table."""
        return self.tables.get(NAMES[kind], ())

    def has_rows(self, table: str) -> bool:
        """Return whether a table has rows."""
        return bool(self.cases.case if table == NAMES[CaseColumns] else self.tables.get(table))

    @property
    def unfit(self) -> bool:
        """Whether no truth model describes the annotators: the vote and agreement with one more annotator lead then."""
        return self.provenance.truth_chosen == "none"

    @property
    def unit(self) -> str:
        """The kind of units that are resampled: cases, or clusters of them."""
        return next(iter(self.sources.get("case_low, case_high", ())), "")

    def with_tables(self, tables: Mapping[str, Sequence[Any]]) -> ReportSource:
        """Return the evaluation with other rows in some tables."""
        return replace(self, tables={**self.tables, **tables})


def _record(kind: type[Record], found: Mapping[str, Any], **own: Any) -> Record:
    """Return the fields of a record that the values have; those that it does not know are for other readers."""
    known = {name: found[name] for name in kind._fields if name in found}
    made: Record = kind(**{**known, **own})  # type: ignore[call-overload]
    return made
