"""The section on provenance: date, versions and files of the run; the plan, and departures from it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ...tables.makers import TABLES
from ...tables.source import ReportSource
from .. import plan as _plan
from ..departures import comparable, differences, of_run, plan_of
from ..markup import Group, Section, bullets, definitions, grouped_table, plain, section, subheading, table, text

TITLE = "Files and plan"
NOT_STATED = "not stated"
NONE = "–"


def render(source: ReportSource) -> Section:
    """Return the section on date, versions, files and plan."""
    facts = source.provenance
    listed = [
        ("Run", f"<code>{text(source.run)}</code>, as in the JSON and in the tables"),
        ("Date", text(facts.date)),
        ("Versions", ", ".join(f"{text(name)} {text(version)}" for name, version in facts.versions.items())),
        ("Command", f"<code>{text(facts.command)}</code>" if facts.command else "called from Python"),
        ("Seed", text(facts.seed)),
    ]
    rows = [[text(file.name), f"<code>{text(file.sha256)}</code>"] for file in facts.inputs]
    files = table("Files read", ["file", "SHA-256"], rows) if rows else "<p>The input was given in memory, not as files.</p>"
    how = (
        "The same input, version and seed give this report again; a different SHA-256 means that the file has changed. What was decided "
        "before anybody saw results (the plan) counts for more than what was chosen afterwards."
    )
    return section(
        "provenance", TITLE, how, definitions(listed), files, subheading("What was prespecified", "plan"), _planned(source),
        subheading("Files beside this page"), _beside(source),
    )  # fmt: skip


def _beside(source: ReportSource) -> str:
    """Return a table of the contents of the record and of the CSV files that have rows."""
    rows = [["evaluation.json", "everything, with all digits"]]
    for group in _FILES:
        there = {name: holds for name, holds in group.items() if name == "guidelines" or source.has_rows(name)}
        said = "; ".join(dict.fromkeys(filter(None, there.values())))
        rows += [[", ".join(f"{name}.csv" for name in there), said]] if there else []
    listed = {"winners", *(name for group in _FILES for name in group)}  # of a file for programs alone the page has no words
    rows += [[f"{name}.csv", _meaning(kind)] for name, kind in TABLES.items() if name not in listed and source.has_rows(name)]
    return table("Files that ugt evaluate writes; Evaluation.tables has the same tables", ["file", "holds"], rows, wordy=True)


def _meaning(kind: type) -> str:
    """Return what a row holds, in the words of its record."""
    said = (kind.__doc__ or "").partition(".")[0].replace("``", "")
    return plain(f"{said[:1].lower()}{said[1:]}")


# Contents of the tables; those in one group are listed together. A table that no group names has the words of its rows.
_LOSSES = "losses against label histograms, and the bins behind them"
_FILES: tuple[dict[str, str], ...] = (
    {
        "metrics": "all measures with every range", "flips": "changes of order",
        "differences": "differences of all pairs",
    },
    {"certainty": "certainty under each reliability", "cases": "one row per case, least certain first"},
    {"constant_answer": "always the commonest class", "references": "the plausibilities themselves as a model"},
    {
        "truth_models": "agreement with each truth and annotator", "true_accuracy": "accuracy against the true class, by condition",
        "latent_class": "area and loadings against the latent class",
        "next_annotator": "agreement with one more annotator",
    },
    {
        "agreement": "all coefficients of agreement", "agreement_by_class": "agreement on each class",
        "agreement_by_pair": "agreement of each pair",
    },
    {
        "annotators": "who annotated what", "annotator_overlap": "shared cases", "case_sizes": "annotations per case", "classes": "classes",
    },
    {"humans": "discrepancy ratios of models and annotators", "panel_check": "whether a further annotator would agree"},
    {"calibration": _LOSSES, "reliability_bins": _LOSSES, "calibration_map": _LOSSES, "disagreement_bins": _LOSSES},
    {
        "least_error": "least possible error", "next_annotator_error": "errors against one annotator", "grade_errors": "errors by grade",
    },
    {
        "given_grades": "measures against the grades that were given", "coefficients": "limits of coefficients",
        "cuts": "every cut of the scale",
    },
    {
        "strictness": "leniency of annotators", "strict_annotators": "annotators less the others", "limits": "differences of ratings",
        "unanimous_cases": "what equal annotations leave open",
    },
    {"confusion": "soft confusion matrix", "class_agreement": "agreement on each class", "group_agreement": "agreement on each group"},
    {"curves": "ROC and precision-recall curves", "curve_scores": "areas under them", "set_coverage": "prediction sets"},
    {
        "strata": "results by subgroup, agreement, certainty and annotations per case",
        "subgroup_differences": "each subgroup less the other cases",
    },
    {
        "sensitivity": "what the result depends on", "sources_of_spread": "sources of uncertainty",
        "study_size": "sizes of further studies", "diagnostics": "Markov chains",
    },
    {"guidelines": "each item of the reporting guidelines, and where it is answered"},
)  # fmt: skip


def stated(value: object) -> str:
    """Return a value of the plan as HTML."""
    return ", ".join(map(_shown, value)) if isinstance(value, (list, tuple)) else _shown(value)


def _planned(source: ReportSource) -> str:
    plan = plan_of(source)
    if not plan:
        return (
            "<p>No plan was given: what was prespecified is not stated. A plan is a small JSON or YAML file with a fixed set of fields.</p>"
        )
    run = of_run(source)
    compared = comparable(source)
    groups = [
        Group(
            f"{about}",
            [(f"{_plan.title(name)}<br><small>{fields[name]}</small>", _row(plan, run, compared, name)) for name in fields if name in plan],
        )
        for about, fields in _plan.GROUPS.items()
        if not plan.keys().isdisjoint(fields)
    ]
    shown = grouped_table("What was prespecified, and what was run", ["about", "", "planned", "this run"], groups)
    return _verdict(source, plan, run, compared) + shown


def _row(plan: Mapping[str, Any], run: Mapping[str, Any], compared: Mapping[str, bool], name: str) -> list[str]:
    mark = " (<strong>differs</strong>)" if compared.get(name) is False else ""
    planned = stated(plan[name])
    if name == "primary_metric" and compared.get(name):
        return [planned, "among the metrics of this report"]
    return [planned, (stated(run[name]) if name in run else NONE) + mark]


def _verdict(source: ReportSource, plan: Mapping[str, Any], run: Mapping[str, Any], compared: Mapping[str, bool]) -> str:
    different = differences(source)
    if different:
        said = "; ".join(f"{_plan.title(name)} (planned {stated(plan[name])}; run {stated(run.get(name, 'none'))})" for name in different)
        first = f"<strong>This run departs from the plan in: {said}.</strong> What was not chosen beforehand is exploratory."
    elif compared:
        first = f"Where plan and run can be compared ({', '.join(map(_plan.title, compared))}), they agree."
    else:
        first = "Nothing that the plan states can be compared with the run."
    blank = ", ".join(_plan.title(name) for name in _plan.FIELDS if name not in plan)
    return bullets([first, f"Of {len(_plan.FIELDS)} fields {len(plan)} are stated{f'; {NOT_STATED}: {blank}' if blank else ''}."])


def _shown(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return f"{value:.10g}" if isinstance(value, float) else text(value)
