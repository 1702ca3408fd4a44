"""The section on provenance: date, versions and files of the run; the plan, and departures from it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .. import plan as _plan
from ..departures import comparable, differences, of_run, plan_of
from ..markup import Group, Section, bullets, definitions, grouped_table, section, subheading, table, text

if TYPE_CHECKING:
    from collections.abc import Mapping

    Data = Mapping[str, Any]

TITLE = "Files and plan"
NOT_STATED = "not stated"
NONE = "–"


def render(source: Data) -> Section:
    """Return the section on date, versions, files and plan."""
    facts = source["provenance"]
    listed = [
        ("Run", f"<code>{text(source.get('run', NOT_STATED))}</code>, as in the JSON and in the tables"),
        ("Date", text(facts["date"])),
        ("Versions", ", ".join(f"{text(name)} {text(version)}" for name, version in facts["versions"].items())),
        ("Command", f"<code>{text(facts['command'])}</code>" if facts["command"] else "called from Python"),
        ("Seed", text(facts["seed"])),
    ]
    rows = [[text(file["name"]), f"<code>{text(file['sha256'])}</code>"] for file in facts["inputs"]]
    files = table("Files read", ["file", "SHA-256"], rows) if rows else "<p>The input was given in memory, not as files.</p>"
    how = (
        "The same input, version and seed give this report again; a different SHA-256 means that the file has changed. What was decided "
        "before anybody saw results (the plan) counts for more than what was chosen afterwards."
    )
    return section(
        "provenance", TITLE, how, definitions(listed), files, subheading("What was prespecified", "plan"), _planned(source),
        subheading("Files beside this page"), _beside(source),
    )  # fmt: skip


def _beside(source: Data) -> str:
    """Return a table of the contents of the record and of the CSV files that have rows."""
    rows = [["evaluation.json", "everything, with all digits"]]
    for names, holds in _FILES.items():
        there = [f"{name}.csv" for name in names.split() if source.get(name) or name == "guidelines"]
        rows += [[", ".join(there), holds]] if there else []
    return table("Files that ugt evaluate writes; Evaluation.tables has the same tables", ["file", "holds"], rows, wordy=True)


# Contents of the tables; those in one line are listed together.
_FILES = {
    "metrics flips differences": "all measures with every range, changes of order, differences of all pairs",
    "certainty cases": "certainty under each reliability; one row per case, least certain first",
    "constant_answer references": "always the commonest class, and the plausibilities themselves as a model",
    "truth_models true_accuracy next_annotator": "agreement with each truth and annotator; what the accuracy against the true class can be",
    "agreement agreement_by_class agreement_by_pair": "all coefficients of agreement; agreement on each class and of each pair",
    "annotators annotator_overlap case_sizes classes": "who annotated what: cases, shared cases, annotations per case, classes",
    "humans panel_check": "discrepancy ratios of models and annotators; whether a further annotator would agree",
    "calibration reliability_bins calibration_map disagreement_bins": "losses against label histograms, and the bins behind them",
    "least_error next_annotator_error grade_errors": "least possible error, errors against one annotator, errors by grade",
    "given_grades coefficients cuts": "measures against the grades that were given, limits of coefficients, every cut of the scale",
    "strictness limits unanimous_cases": "leniency of annotators; differences of two ratings; what equal annotations leave open",
    "confusion class_agreement group_agreement": "soft confusion matrix; agreement on each class and group",
    "curves curve_scores set_coverage": "ROC and precision-recall curves, areas under them, prediction sets",
    "strata": "results by subgroup, agreement, certainty and annotations per case",
    "sensitivity sources_of_spread study_size diagnostics": "what the result depends on; sizes of further studies; Markov chains",
    "guidelines": "each item of the reporting guidelines, and where it is answered",
}


def stated(value: Any) -> str:
    """Return a value of the plan as HTML."""
    return ", ".join(map(_shown, value)) if isinstance(value, (list, tuple)) else _shown(value)


def _planned(source: Data) -> str:
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


def _row(plan: Data, run: Data, compared: Data, name: str) -> list[str]:
    mark = " (<strong>differs</strong>)" if compared.get(name) is False else ""
    planned = stated(plan[name])
    if name == "primary_metric" and compared.get(name):
        return [planned, "among the metrics of this report"]
    return [planned, (stated(run[name]) if name in run else NONE) + mark]


def _verdict(source: Data, plan: Data, run: Data, compared: Data) -> str:
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


def _shown(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return f"{value:.10g}" if isinstance(value, float) else text(value)
