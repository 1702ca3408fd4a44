"""What a run does beside what its plan says."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from .._base.grades import REAL, order_said
from .._base.identifiers import NUMBER
from ..tables.agreement import AgreementRow
from ..tables.calibration import LossRow
from ..tables.humans import HumanRow
from ..tables.rows import STRATA
from ..tables.source import ReportSource
from ..tables.standings import MetricRow
from ..tables.strata import StratumRow
from . import plan as _plan
from . import words
from .markup import unique

NO_SCALE = "none: classes without an order"
_ENOUGH = 1e-9  # relative difference between a planned and a used number that counts as equal


def plan_of(source: ReportSource) -> Mapping[str, Any]:
    """Return the stated fields of the plan; empty if there is no plan."""
    return source.provenance.plan


def differences(source: ReportSource) -> list[str]:
    """Return names of the fields whose planned value differs from the run, if the two can be compared."""
    return [name for name, same in comparable(source).items() if not same]


def of_run(source: ReportSource) -> dict[str, Any]:
    """Return the choices of this run, under the names of the plan."""
    facts, data = source.provenance, source.data
    parameters = facts.parameters
    found = {
        "date": facts.date,
        "sample_size": data.n_cases,
        "clusters": "resampled together" if source.unit == "clusters" else "none given",
        "number_of_annotators": data.n_annotators,
        "primary_aggregation": facts.aggregation,
        "reliability": list(facts.reliability or []),
        "prior": next((parameters[name] for name in ("prior", "prior_mass", "background") if name in parameters), None),
        "scale": _scale_said(data.scale),
        "tie_rule": ", ".join([facts.ties, *(f"tied classes: {parameters[name]}" for name in ("tie_weight",) if name in parameters)]),
        "missing_predictions_rule": facts.missing,
        "primary_metric": [words.metric_name(metric, k) for metric, k in dict.fromkeys((e.metric, e.k) for e in source.rows(MetricRow))],
        "level": facts.level,
        "seed": facts.seed,
        "subgroups": [name for name in unique(e.stratum for e in source.rows(StratumRow)) if name not in STRATA],
        "positive_class": facts.positive_class,
    }
    return {name: value for name, value in found.items() if value not in (None, [])}


def comparable(source: ReportSource) -> dict[str, bool]:
    """Return whether plan and run agree, for the fields that both have in a comparable form."""
    plan, run = plan_of(source), of_run(source)
    found: dict[str, bool] = {}
    for name in ("primary_aggregation", "positive_class"):
        if name in plan and name in run:
            found[name] = _letters(plan[name]) == _letters(run[name])
    if "subgroups" in plan and "strata" in source.tables:  # a plan may describe them in words
        planned_names = _letters(plan["subgroups"])
        found["subgroups"] = any(_letters(name) in planned_names for name in run.get("subgroups", ()))
    for name in ("reliability", "prior", "level", "seed", "sample_size", "number_of_annotators"):
        planned, done = (_numbers(values.get(name)) for values in (plan, run))
        if planned and (done or name == "reliability"):
            found[name] = _same(planned, done)
    grades = _grades(plan.get("scale"))
    if grades:
        found["scale"] = grades == _grades(source.data.scale)
    if re.match(r"\d{4}-\d\d-\d\d", str(plan.get("date", ""))):  # a plan must be older than its run
        found["date"] = plan["date"][:10] <= run["date"][:10]
    if "primary_metric" in plan and source.rows(MetricRow):
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


def _grades(value: object) -> list[float | str]:
    """Return the grades of a scale, lowest first, numbers as such, or "real" alone; empty if text does not list them."""
    names = value if isinstance(value, (list, tuple)) else re.split(r"[,;<]", value) if isinstance(value, str) else []
    found = [str(one).strip().casefold() for one in names]
    if found != [REAL] and len(found) < 2:
        return []
    return [float(one) if NUMBER.fullmatch(one) else one for one in found]


def _scale_said(scale: str | Sequence[str] | None) -> str:
    return NO_SCALE if scale is None else scale if isinstance(scale, str) else order_said(scale)


def _same(planned: list[float], done: list[float]) -> bool:
    return len(planned) == len(done) and all(abs(a - b) <= _ENOUGH * max(abs(a), abs(b)) for a, b in zip(planned, done))


def _letters(value: object) -> str:
    return "".join(filter(str.isalnum, _plainly(value).lower()))


def _plainly(value: object) -> str:
    """Return a value as plain text, not HTML."""
    return ", ".join(map(str, value)) if isinstance(value, (list, tuple)) else str(value)


def _metric_names(source: ReportSource) -> set[str]:
    """Return all names by which a metric of this report may be called."""
    names: set[str] = {"discrepancyratio"} if source.rows(HumanRow) else set()
    names |= {_letters(e.loss) for e in source.rows(LossRow)}
    names |= {_letters(e.coefficient) for e in source.rows(AgreementRow)}
    for metric, k in {(e.metric, e.k) for e in source.rows(MetricRow)}:
        title = _letters(words.metric_name(metric, k))
        names |= {_letters(metric), title, title.removeprefix("ua"), *(_letters(f"{metric}{middle}{k}") for middle in ("", "k"))}
    return names
