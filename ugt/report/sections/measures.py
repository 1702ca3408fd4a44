"""Every measure under the main truth in one table: values with intervals, baselines, ceilings, and which model is ahead."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from ...tables.answer import ReferenceRow
from ...tables.confusion import ClassRow, ConfusionRow
from ...tables.names import COMMONEST, GRADE_METRICS, PERFECT, TOP, VOTED
from ...tables.performance import CertaintyRow
from ...tables.source import ReportSource
from ...tables.standings import MetricRow
from .. import words
from ..digest import Digest, briefly, cell_of, names, shown
from ..digits import Digits
from ..lead import Lead
from ..markup import NONE, Section, finding, first_row, level_of, unique
from ..rows import below, plain_table

ON_PAGE_ONE = (VOTED, TOP, "soft_auroc", "soft_average_precision")  # of one model
MOST = 4  # most models with columns


def render(source: ReportSource) -> Section | None:
    """Return one row for each measure; None if no model was evaluated."""
    digest = Digest(source).of_choices
    if not digest.models:
        return None
    if len(digest.models) == 1 and source.data.n_classes == 2:
        return _errors(digest)
    known = ON_PAGE_ONE if len(digest.models) == 1 else (VOTED,)
    measures = [
        (m, k)
        for m, k in unique((e.metric, e.k) for e in source.rows(MetricRow))
        if m not in (*known, *GRADE_METRICS) and not m.startswith(("voted_", "hard_"))
    ]
    if not measures:
        return None
    drawn = digest.models[:MOST]
    rows = {
        (m, k): [first_row(e for e in digest.found(metric=m, k=k, model=one) if e.reliability == digest.main) for one in drawn]
        for m, k in measures
    }
    digits = Digits(0) if digest.withheld else Digits.of((e.case_low, e.case_high) for own in rows.values() for e in own if e)
    pair = drawn[:2] if len(drawn) > 1 and not digest.withheld else []
    leads = {one: digest.lead(pair[0], pair[1], one[0], k=one[1]) for one in measures} if pair else {}
    lines = []
    for (metric, k), own in rows.items():
        if not any(e is not None and e.value is not None for e in own):
            continue
        cells = [
            NONE if e is None else below(digits, e.value, *((None, None) if digest.withheld else (e.case_low, e.case_high))) for e in own
        ]
        most, trivial = _limit(digest, metric, k), digest.reference(COMMONEST, metric, k)
        lines.append(
            (
                _name(metric, k),
                [*cells, digits.value(trivial.value if trivial else None), digits.value(most), *cell_of(leads.get((metric, k)), pair)],
            )
        )
    heads = [
        "measure, %",
        *map(shown, drawn),
        "always the<br>commonest",
        "ceiling",
        *([" or<br>".join(briefly(pair))] if pair else []),
    ]
    more = f"; {len(digest.models) - MOST} more models are in the appendix" if len(digest.models) > MOST else ""
    ends = "No interval can be trusted" if digest.withheld else f"{level_of(source)} intervals over {words.unit(source)} below each value"
    note = f"{ends}{digest.at_main}{more}"
    made = plain_table("All measures against the annotators’ truth", note, heads, lines)
    joint = "<p>Who is ahead: by intervals of the difference that hold together for all pairs of models.</p>" if pair else ""
    return finding("measures", "Every measure", _heading(leads, pair), made, joint)


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
        return digest.ceiling.value if digest.ceiling else None
    row: CertaintyRow | ReferenceRow | None = digest.reference(PERFECT, metric)
    if metric == "set_accuracy":
        row = first_row(e for e in digest.source.rows(CertaintyRow) if (e.measure, e.k, e.reliability) == ("certainty", k, digest.main))
    return row.value if row else None


def _heading(verdicts: dict[tuple[str, int | None], Lead | None], pair: list[str]) -> str:
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


def _measures(known: dict[tuple[str, int | None], int], sign: int) -> str:
    found = [words.metric_name(*one).replace("UA ", "", 1) for one, s in known.items() if s == sign]
    said = found[0][:1].lower() + found[0][1:] if found[0][1:2].islower() else found[0]
    return said if len(found) == 1 else f"{said} and {len(found) - 1} more"
