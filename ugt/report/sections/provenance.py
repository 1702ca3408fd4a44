"""The section on provenance: date, versions and files of the run; the plan, and departures from it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import numpy as np

from ..._base.grades import REAL, numbers_of, order_said
from .. import plan as _plan
from .. import words
from ..markup import Group, Section, bullets, definitions, grouped_table, section, subheading, table, text

if TYPE_CHECKING:
    from collections.abc import Mapping

    Data = Mapping[str, Any]

TITLE = "Files and plan"
NOT_STATED = "not stated"
NONE = "–"
NO_SCALE = "none: classes without an order"
_ENOUGH = 1e-9  # relative difference between a planned and a used number that counts as equal


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


def plan_of(source: Data) -> Data:
    """Return the stated fields of the plan; empty if there is no plan."""
    return source["provenance"].get("plan") or {}


def stated(value: Any) -> str:
    """Return a value of the plan as HTML."""
    return ", ".join(map(_shown, value)) if isinstance(value, (list, tuple)) else _shown(value)


def differences(source: Data) -> list[str]:
    """Return names of the fields whose planned value differs from the run, if the two can be compared."""
    return [name for name, same in _compared(source).items() if not same]


def _planned(source: Data) -> str:
    plan = plan_of(source)
    if not plan:
        return (
            "<p>No plan was given: what was prespecified is not stated. A plan is a small JSON or YAML file with a fixed set of fields.</p>"
        )
    run = _run(source)
    compared = _compared(source)
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
    return [planned, stated(run[name]) + mark if name in run else NONE]


def _verdict(source: Data, plan: Data, run: Data, compared: Data) -> str:
    different = differences(source)
    if different:
        said = "; ".join(f"{_plan.title(name)} (planned {stated(plan[name])}; run {stated(run[name])})" for name in different)
        first = f"<strong>This run departs from the plan in: {said}.</strong> What was not chosen beforehand is exploratory."
    elif compared:
        first = f"Where plan and run can be compared ({', '.join(map(_plan.title, compared))}), they agree."
    else:
        first = "Nothing that the plan states can be compared with the run."
    blank = ", ".join(_plan.title(name) for name in _plan.FIELDS if name not in plan)
    return bullets([first, f"Of {len(_plan.FIELDS)} fields {len(plan)} are stated{f'; {NOT_STATED}: {blank}' if blank else ''}."])


# ---- the run compared with the plan ----


def _run(source: Data) -> dict[str, Any]:
    """Return the choices of this run, under the names of the plan."""
    facts, data = source["provenance"], source["data"]
    parameters = facts["parameters"]
    found = {
        "date": facts["date"],
        "sample_size": data["n_cases"],
        "clusters": "resampled together" if source["sources"].get("case_low, case_high", [""])[0] == "clusters" else "none given",
        "number_of_annotators": data.get("n_annotators"),
        "primary_aggregation": facts["aggregation"],
        "reliability": list(facts["reliability"] or []),
        "prior": next((parameters[name] for name in ("prior", "prior_mass", "background") if name in parameters), None),
        "scale": _scale_said(data.get("scale")),
        "tie_rule": ", ".join([facts["ties"], *(f"tied classes: {parameters[name]}" for name in ("tie_weight",) if name in parameters)]),
        "missing_predictions_rule": facts.get("missing"),
        "primary_metric": [words.metric_name(metric, k) for metric, k in dict.fromkeys((e["metric"], e["k"]) for e in source["metrics"])],
        "level": facts["level"],
        "seed": facts["seed"],
    }
    return {name: value for name, value in found.items() if value not in (None, [])}


def _compared(source: Data) -> dict[str, bool]:
    """Return whether plan and run agree, for the fields that both have in a comparable form."""
    plan, run = plan_of(source), _run(source)
    found: dict[str, bool] = {}
    if "primary_aggregation" in plan:
        found["primary_aggregation"] = _letters(plan["primary_aggregation"]) == _letters(run["primary_aggregation"])
    for name in ("reliability", "prior", "level", "seed", "sample_size", "number_of_annotators"):
        planned, done = (_numbers(values.get(name)) for values in (plan, run))
        if planned and (done or name == "reliability"):
            found[name] = _same(planned, done)
    grades = _grades(plan.get("scale"))
    if grades:
        found["scale"] = grades == _grades(source["data"].get("scale"))
    if re.match(r"\d{4}-\d\d-\d\d", str(plan.get("date", ""))):  # a plan must be older than its run
        found["date"] = plan["date"][:10] <= run["date"][:10]
    if "primary_metric" in plan and source["metrics"]:
        wanted = plan["primary_metric"] if isinstance(plan["primary_metric"], list) else [plan["primary_metric"]]
        found["primary_metric"] = all(_letters(one) in _metric_names(source) for one in wanted)
    return {name: found[name] for name in _plan.FIELDS if name in found}


def _numbers(value: Any) -> list[float]:
    """Return the numbers of a value; empty if it holds anything else."""
    values = value if isinstance(value, (list, tuple)) else re.split(r"[,;\s]+", value.strip()) if isinstance(value, str) else [value]
    try:
        return sorted({float(one) for one in values if not isinstance(one, bool)})
    except (TypeError, ValueError):
        return []


def _grades(value: Any) -> list[float | str]:
    """Return the grades of a scale, lowest first, numbers as such, or "real" alone; empty if text does not list them."""
    names = value if isinstance(value, (list, tuple)) else re.split(r"[,;<]", value) if isinstance(value, str) else []
    found = [str(one).strip().casefold() for one in names]
    if found != [REAL] and len(found) < 2:
        return []
    return [one if numbers_of(np.array([one])) is None else float(one) for one in found]


def _scale_said(scale: str | list[str] | None) -> str:
    return NO_SCALE if scale is None else scale if isinstance(scale, str) else order_said(np.array(scale))


def _same(planned: list[float], done: list[float]) -> bool:
    return len(planned) == len(done) and all(abs(a - b) <= _ENOUGH * max(abs(a), abs(b)) for a, b in zip(planned, done))


def _letters(value: Any) -> str:
    return "".join(filter(str.isalnum, _plainly(value).lower()))


def _plainly(value: Any) -> str:
    """Return a value as plain text, not HTML."""
    return ", ".join(map(str, value)) if isinstance(value, (list, tuple)) else str(value)


def _metric_names(source: Data) -> set[str]:
    """Return all names by which a metric of this report may be called."""
    names: set[str] = {"discrepancyratio"} if source.get("humans") else set()
    names |= {_letters(e["loss"]) for e in source.get("calibration") or ()}
    names |= {_letters(e["coefficient"]) for e in source.get("agreement") or ()}
    for metric, k in {(e["metric"], e["k"]) for e in source["metrics"]}:
        title = _letters(words.metric_name(metric, k))
        names |= {_letters(metric), title, title.removeprefix("ua"), *(_letters(f"{metric}{middle}{k}") for middle in ("", "k"))}
    return names


def _shown(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return f"{value:.10g}" if isinstance(value, float) else text(value)
