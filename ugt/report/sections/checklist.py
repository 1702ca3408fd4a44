"""The section on reporting guidelines: for each item, where this report answers it; the status is computed from the data."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from ...tables.agreement import AgreementRow
from ...tables.calibration import LossRow
from ...tables.confusion import ConfusionRow
from ...tables.curves import AreaRow
from ...tables.design import AnnotatorRow
from ...tables.humans import HumanRow
from ...tables.performance import CertaintyRow
from ...tables.planning import StudySizeRow
from ...tables.rows import STRATA, Row
from ...tables.sensitivity import SensitivityRow
from ...tables.sources import SpreadRow
from ...tables.standings import MetricRow
from ...tables.strata import StratumRow
from ...tables.truth_models import TruthModelRow
from .. import plan as _plan
from ..departures import plan_of
from ..markup import Section, bullets, section
from .provenance import NOT_STATED

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from ...tables.source import ReportSource

IN_REPORT, FROM_PLAN = "in this report", "from the plan"
FOR_AUTHORS = f"{NOT_STATED}: to be written by the authors"
LACKS = "but "  # precedes what an item lacks


class Item(NamedTuple):
    """An item of a guideline in our words; the places of the report and the fields of the plan that answer it; what is left to write."""

    number: str
    asks: str
    places: tuple[str, ...] = ()
    fields: tuple[str, ...] = ()
    rest: str = ""


class Place(NamedTuple):
    """The sections and the table that may have something, and whether the data have it."""

    anchors: tuple[str, ...]
    there: Callable[[ReportSource], bool] = lambda _: True
    table: str = ""


def _rows(kind: type[Row], known: Callable[[Row], bool] = lambda _: True) -> Callable[[ReportSource], bool]:
    """Return a check whether an evaluation has rows of a kind with what is wanted."""
    return lambda source: any(map(known, source.rows(kind)))


def _subgroups(source: ReportSource) -> bool:
    """Return whether the user gave subgroups, in addition to the strata of every evaluation."""
    return any(row.stratum not in STRATA and row.low is not None for row in source.rows(StratumRow))


def _value(row: AgreementRow | CertaintyRow | HumanRow | SensitivityRow | StratumRow | TruthModelRow) -> bool:
    return row.value is not None


_PLACES = {
    "data": Place(("data",)),
    "truth model": Place(("truth",)),
    "table of annotators": Place(("design",), _rows(AnnotatorRow), "annotators"),
    "agreement": Place(("people",), _rows(AgreementRow, _value), "agreement"),
    "certainty": Place(("answer",), _rows(CertaintyRow, _value), "certainty"),
    "performance with intervals": Place(("measures", "performance"), _rows(MetricRow, lambda row: row.case_low is not None), "metrics"),
    "performance under each truth": Place(("performance",), _rows(TruthModelRow, _value), "truth_models"),
    "sources of uncertainty": Place(("dependence",), _rows(SpreadRow), "sources_of_spread"),
    "curves": Place(("scores", "curves"), _rows(AreaRow), "curves"),
    "calibration": Place(("calibration",), _rows(LossRow, lambda row: row.debiased is not None), "calibration"),
    "models beside annotators": Place(("people",), _rows(HumanRow, _value), "humans"),
    "strata by agreement": Place(("difficulty",), _rows(StratumRow, _value), "strata"),
    "subgroups": Place(("difficulty",), _subgroups, "strata"),
    "cross-table": Place(("confusion",), _rows(ConfusionRow), "confusion"),
    "size of the study": Place(("planning",), _rows(StudySizeRow, lambda row: row.width is not None), "study_size"),
    "sensitivity": Place(("dependence",), _rows(SensitivityRow, _value), "sensitivity"),
}
_WHO = ("annotators", "number_of_annotators", "annotators_independent_of_models")
_HOW = ("instructions", "what_annotators_saw", "blinding", "adjudication")
_RULES = ("missing_annotations_rule", "missing_predictions_rule")

# Items have numbers if the numbers are known for sure; readers must consult the original guideline.
GUIDELINES: dict[str, tuple[Item, ...]] = {
    "STARD-AI 2025": (
        Item(
            "12", "who annotated, how experienced they are, and how they did it", ("table of annotators",), ("annotators", "instructions")
        ),
        Item(
            "16a–c",
            "what the reference standard is, why it was chosen, how its categories were made",
            ("truth model",),
            ("primary_aggregation", "reliability_rationale", "adjudication"),
        ),
        Item("17b", "what those who set the reference standard knew of the models' output and of the patients", (), (*_HOW[1:3],)),
        Item("18", "the statistics that were used", ("truth model", "performance with intervals"), ("primary_metric", "comparisons")),
        Item("19", "what was done with indeterminate results", (), ("indeterminate_rule", "tie_rule")),
        Item("20", "what was done with missing data", ("data",), _RULES),
        Item("21", "how much the reference standard and the results vary", ("agreement", "certainty", "sources of uncertainty"), ()),
        Item("22", "the number of cases and why it was chosen", ("data", "size of the study"), ("sample_size", "sample_size_rationale")),
        Item("23", "errors and fairness: results of subgroups", ("subgroups",), ("subgroups",)),
        Item("30", "the index test against the reference standard as a cross-table", ("cross-table",), ()),
        Item("31", "estimates with their precision", ("performance with intervals", "curves"), ()),
    ),
    "CLAIM 2024": (
        Item(
            "14–17",
            "the reference standard: its definition, why it was chosen, who annotated, by which procedure",
            ("truth model", "table of annotators"),
            ("reliability_rationale", "annotators", "instructions"),
        ),
        Item("18", "how much annotators vary, and how disagreement was settled", ("agreement", "table of annotators"), ("adjudication",)),
        Item("20", "how the data were parted, with no patient in two parts", (), ("training_test_separation",)),
        Item("21", "the size of the test set", ("data", "size of the study"), ("sample_size",)),
        Item(
            "29",
            "the measures, and how their uncertainty was found",
            ("performance with intervals", "sources of uncertainty"),
            ("primary_metric", "level"),
        ),
        Item("30", "robustness, sensitivity analysis", ("sensitivity", "performance under each truth"), ("sensitivity_analyses",)),
        Item("38", "performance with intervals", ("performance with intervals",), ()),
        Item("39", "an analysis of failures", ("cross-table", "strata by agreement"), (), "what the wrong cases have in common"),
    ),
    "TRIPOD+AI 2024": (
        Item(
            "8a–c",
            "the outcome, how it was assessed, by whom, and what the assessors knew",
            ("truth model", "table of annotators"),
            ("annotators", "instructions", "blinding"),
        ),
        Item("10", "how the sample size was arrived at", ("size of the study",), ("sample_size_rationale",)),
        Item("11", "missing data", ("data",), _RULES),
        Item("12d, 23b", "differences between clusters, such as hospitals", ("subgroups",), ("clusters", "subgroups")),
        Item(
            "12e", "measures and plots of performance, calibration among them", ("performance with intervals", "curves", "calibration"), ()
        ),
        Item("23a", "performance with intervals, also in subgroups", ("performance with intervals", "subgroups"), ()),
    ),
    "FDA draft guidance on AI-enabled device software functions, January 2025": (
        Item("", "how the reference standard was established", ("truth model",), ("primary_aggregation", "adjudication")),
        Item(
            "",
            "the uncertainty that the reference standard itself has",
            ("certainty", "performance under each truth", "sources of uncertainty"),
            (),
        ),
        Item("", "equivocal and missing results", ("data",), ("indeterminate_rule", *_RULES)),
        Item("", "if clinicians set it: their number and qualifications", ("table of annotators",), _WHO),
        Item("", "if clinicians set it: the protocol, what they saw, blinding, adjudication", (), _HOW),
        Item("", "how much clinicians vary, between and within", ("agreement", "models beside annotators"), ("repeated_annotations",)),
    ),
    "FDA guidance on computer-assisted detection (CADe), 2012, reissued 2022": (
        Item(
            "IV.H, V",
            "those who set the truth: number, qualifications, experience, instructions; none of them a reader of the study",
            ("table of annotators",),
            (*_WHO, "instructions"),
        ),
        Item(
            "IV.H, V", "how several readings are combined, and inconsistencies dealt with", ("truth model",), ("adjudication", "tie_rule")
        ),
        Item("IV.H, V", "that all this was fixed beforehand", (), ("date", "registration", "primary_aggregation", "primary_metric")),
        Item("IV.H, V", "intervals, also in subgroups", ("performance with intervals", "subgroups"), ("subgroups",)),
    ),
    "GRRAS 2011 (reliability and agreement studies)": (
        Item(
            "", "the raters: who they are, how they were chosen, how they rated", ("table of annotators",), ("annotators", "instructions")
        ),
        Item("", "the subjects and how they were sampled", ("data", "size of the study"), ("case_selection", "sample_size")),
        Item(
            "",
            "replicates: how often a subject is rated, and by the same rater",
            ("table of annotators", "data"),
            ("repeated_annotations",),
        ),
        Item("", "whether ratings are independent", (), ("blinding",)),
        Item("", "the statistics, and estimates with their uncertainty", ("agreement",), ()),
    ),
}


class GuidelineRow(NamedTuple):
    """An item of a guideline, where it is answered, and how far."""

    guideline: str
    item: str
    asks: str
    where: str
    status: str


def render(source: ReportSource, titles: Mapping[str, str]) -> Section:
    """Return the number of items that are answered, and the items left to the authors.

    Parameters
    ----------
    source : mapping
        The evaluation as plain values.
    titles : mapping of anchor to title
        Titles of the sections of the page.
    """
    how = (
        "Items are in our own words, with the numbers of the original where those are certain: see the original before using them. "
        "The file guidelines.csv says where each item is answered: in the report, in a file, or in the plan. None of these guidelines "
        "asks for the uncertainty of the truth in the metrics, as this report gives it."
    )
    items = rows(source, titles)
    left: dict[str, list[str]] = {}
    for one in items:
        if one.status == FOR_AUTHORS:
            left.setdefault(one.guideline, []).append(" ".join(filter(None, (one.item, one.asks))))
    return section("checklist", TITLE, how, _totals(items), _WORDS, bullets(f"{name}: {'; '.join(asks)}" for name, asks in left.items()))


TITLE = "Reporting guidelines"
_WORDS = (
    "<p>Where annotators are the truth, agreement with them is called positive and negative percent agreement (PPA, NPA), not "
    "sensitivity and specificity: these words are kept for a truth that was found by other means. For the authors to write:</p>"
)


def rows(source: ReportSource, titles: Mapping[str, str]) -> list[GuidelineRow]:
    """Return each item of each guideline, where it is answered and how far, as plain text."""
    return [
        GuidelineRow(name, item.number, item.asks, ", ".join(_where(item, source, titles)), _status(item, source))
        for name, items in GUIDELINES.items()
        for item in items
    ]


def _where(item: Item, source: ReportSource, titles: Mapping[str, str]) -> list[str]:
    """Return titles of sections and names of files; also the plan, if it states something about the item."""
    found = []
    for place in (_PLACES[name] for name in item.places):
        if place.there(source):
            found += [next((titles[anchor] for anchor in place.anchors if anchor in titles), "")]
            found += [f"{place.table}.csv" if place.table else ""]
    plan = ["plan"] if any(field in plan_of(source) for field in item.fields) else []
    return list(dict.fromkeys([*filter(None, found), *plan]))


def _status(item: Item, source: ReportSource) -> str:
    plan = plan_of(source)
    here = [name for name in item.places if _PLACES[name].there(source)]
    said = [field for field in item.fields if field in plan]
    if not here and not said:
        return FOR_AUTHORS
    parts = [
        *([IN_REPORT] if here else []),
        *([f"{FROM_PLAN}: {', '.join(map(_plan.title, said))}"] if said else []),
        *_lacking(f"not {IN_REPORT}", [name for name in item.places if name not in here]),
        *_lacking(NOT_STATED, [_plan.title(field) for field in item.fields if field not in plan]),
        *_lacking("to be written by the authors", [item.rest] if item.rest else []),
    ]
    return "; ".join(parts)


def _lacking(what: str, names: Sequence[str]) -> list[str]:
    return [f"{LACKS}{what}: {', '.join(names)}"] if names else []


def _totals(items: Sequence[GuidelineRow]) -> str:
    """Return the number of items answered in full, in part, and not at all."""
    none = sum(one.status == FOR_AUTHORS for one in items)
    part = sum(LACKS in one.status for one in items)
    return (
        f"<p>Of {len(items)} items {len(items) - none - part} are answered here, {part} in part; {none} are for the authors to write.</p>"
    )
