"""Every measure under the main truth in one table: values with intervals, baselines, ceilings, and which model is ahead."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from ...tables.answer import ReferenceRow
from ...tables.confusion import ClassRow, ConfusionRow
from ...tables.names import COMMONEST, GRADE_METRICS, PERFECT, TOP, VOTED
from ...tables.performance import CertaintyRow
from ...tables.rows import value_of, values_of
from ...tables.source import ReportSource
from .. import words
from ..digest import Digest, names, shown
from ..lead import Lead
from ..markup import Section, finding, first_row, unique
from ..rows import plain_table
from ..side_by_side import JOINT, Measure, SideBySide, value_cell

ON_PAGE_ONE = (VOTED, TOP, "soft_auroc", "soft_average_precision")  # of one model


def render(source: ReportSource) -> Section | None:
    """Return one row for each measure; None if no model was evaluated."""
    digest = Digest(source).of_choices
    if not digest.models:
        return None
    alone = len(digest.models) == 1
    if alone and source.data.n_classes == 2:
        return _errors(digest)
    elsewhere = (*(ON_PAGE_ONE if alone else (VOTED,)), *GRADE_METRICS)
    measures = [one for one in digest.measures if one[0] not in elsewhere]
    if not measures:
        return None
    table = SideBySide(digest, measures)
    rows = {one: table.rows(*one) for one in measures}
    digits = digest.share_digits((e.case_low, e.case_high) for own in rows.values() for e in own if e)
    lines = []
    for one, own in rows.items():
        if values_of(own):
            limits = value_of(digest.reference(COMMONEST, *one)), _limit(digest, *one)
            cells = [*(value_cell(digest, digits, e) for e in own), *map(digits.value, limits), *table.ahead(*one)]
            lines.append((_name(*one), cells))
    heads = table.heads("measure, %", "always the<br>commonest", "ceiling")
    made = plain_table("All measures against the annotators’ truth", table.note("the appendix"), heads, lines)
    joint = f"<p>{JOINT}</p>" if table.pair else ""
    return finding("measures", "Every measure", _heading(table.leads, table.pair), made, joint)


def _errors(digest: Digest) -> Section | None:
    """Of 100 cases, those of each class that the model gives each class: natural frequencies of its errors."""
    (model,), positive = digest.models, digest.source.provenance.positive_class
    found = {(e.truth, e.predicted): e.n for e in digest.source.rows(ConfusionRow) if e.model == model}
    classes = unique(e.class_ for e in digest.source.rows(ClassRow))
    total = sum(found.values())
    if len(found) != 4 or positive not in classes or not total:
        return None
    negative = next(name for name in classes if name != positive)
    share = _of_100({key: 100 * n / total for key, n in found.items()})
    missed, of_all = share[positive, negative], share[positive, negative] + share[positive, positive]
    flagged, others = share[negative, positive], share[negative, negative] + share[negative, positive]
    rows = [
        (
            f"model says “{shown(said)}”",
            [str(share[positive, said]), str(share[negative, said]), str(share[positive, said] + share[negative, said])],
        )
        for said in (positive, negative)
    ]
    heads = ["", f"truth of the annotators:<br>“{shown(positive)}”", f"truth of the annotators:<br>“{shown(negative)}”", "all"]
    note = f"expected numbers{digest.at_main}; confusion.csv has all digits"
    how = "<p>Annotators are the reference: these are numbers of agreement with them, not of correct answers.</p>"
    heading = (
        f"Of {of_all} cases “{shown(positive)}” in 100 the model gives {missed} the other class, and it calls {flagged} of the {others} "
        f"others “{shown(positive)}”"
    )
    return finding("measures", "Errors at the threshold", heading, how, plain_table("Of 100 such cases", note, heads, rows))


def _of_100(parts: Mapping[Any, float]) -> dict[Any, int]:
    """Round parts of 100 to whole numbers that add up to 100: those with the largest remainders are rounded up."""
    down = {key: math.floor(part) for key, part in parts.items()}
    up = sorted(parts, key=lambda key: down[key] - parts[key])[: 100 - sum(down.values())]
    return {key: n + (key in up) for key, n in down.items()}


def _name(metric: str, k: int | None) -> str:
    meaning = words.metric_meaning(metric, k).split(";")[0].split(":")[0]
    return f"{words.metric_name(metric, k)}<small>{meaning}</small>"


def _limit(digest: Digest, metric: str, k: int | None) -> float | None:
    """Return the value that no model can exceed, if it is known."""
    if metric == "topk_accuracy" and k == 1:
        return value_of(digest.ceiling)
    row: CertaintyRow | ReferenceRow | None = digest.reference(PERFECT, metric)
    if metric == "set_accuracy":
        row = first_row(e for e in digest.source.rows(CertaintyRow) if (e.measure, e.k, e.reliability) == ("certainty", k, digest.main))
    return value_of(row)


def _heading(verdicts: dict[Measure, Lead | None], pair: list[str]) -> str:
    known = {one: lead.sign for one, lead in verdicts.items() if lead is not None}
    if not known:
        return "All measures side by side"
    if len(set(known.values())) == 1:
        (sign,) = set(known.values())
        where = _measures(known, sign) if len(known) == 1 else f"all {len(known)} measures that were compared" if sign else "any measure"
        if not sign:
            return f"{names(pair)} cannot be distinguished in {where}"
        return f"{names([pair[0] if sign > 0 else pair[1]])} is ahead in {where}"
    if {1, -1} <= set(known.values()):
        verbs = {sign: "favours" if list(known.values()).count(sign) == 1 else "favour" for sign in (1, -1)}
        parts = [f"{_measures(known, sign)} {verbs[sign]} {names([model])}" for sign, model in ((1, pair[0]), (-1, pair[1]))]
        return f"Which model is ahead depends on the measure: {'; '.join(parts)}"
    sign = max(known.values()) or min(known.values())
    return f"{names([pair[0] if sign > 0 else pair[1]])} is ahead in {sum(s != 0 for s in known.values())} of {len(known)} measures"


def _measures(known: dict[Measure, int], sign: int) -> str:
    found = [words.metric_name(*one).replace("UA ", "", 1) for one, s in known.items() if s == sign]
    said = found[0][:1].lower() + found[0][1:] if found[0][1:2].islower() else found[0]
    return said if len(found) == 1 else f"{said} and {len(found) - 1} more"
