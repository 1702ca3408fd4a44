"""Coverage of prediction sets: calibrated on one half of the cases, judged on the other, and the other way round."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ..._base import notices, parallel
from ..._base.arrays import Array, Bools, Int64, NDArray
from ..._base.ragged import row_of
from ...calibrators import selection
from ...conformal import MonteCarloConformal
from ...resampling import Design, Ratios
from .. import markup as html
from .. import svg
from ..context import MOST_CELLS, Ask, Made
from ..markup import Data, Entry, Section, level_of, of, unique
from ..tables import ends_of
from .calibration import is_probability

if TYPE_CHECKING:
    from ..context import Context

TITLE = "Prediction sets"
TABLES = {"set_coverage": ("model", "score", "level", "coverage", "low", "high", "mean_size", "empty_share", "n_cases")}
MEANINGS = {"LAC": "LAC: all classes above one probability", "APS": "APS: the most probable classes, until they add up to enough"}
LEVELS = (0.8, 0.9, 0.95)
LEAST_CASES = 40
LEAST_HALF = 10
LABELS, MOST_LABELS = 100, 2 * 10**6  # sampled: of a case, of all cases together
MOST_SCORED = 10**8  # cases x classes x models: some ten seconds


def make(context: Context, notes: list[str]) -> Made:
    """Rows of all models that give probabilities."""
    if not context.scores or context.known.n_classes < 2:
        return {}
    if context.mean is None:
        notes.append(f"Prediction sets were not made: over {MOST_CELLS:,} cases x classes.")
        return {}
    kept = context.defined
    models = _models(context, context.mean, notes)
    if not models or not kept.any():
        return {}
    n = int(kept.sum())
    first = halves(n, context.clusters_of(kept), context.making.seed)
    if first is None:
        said = f"fewer than {LEAST_CASES} cases" if n < LEAST_CASES else "the clusters cannot be divided into two halves"
        notes.append(f"Prediction sets were not made: {said}.")
        return {}
    truth = context.mean if kept.all() else context.mean[kept]
    ids = context.known.axes.case_ids[context.known.rows][kept]
    wanted = [(model, score) for model in models for score in MEANINGS]

    def judged(begin: int, end: int) -> tuple[Array, Int64, list[str]]:
        model, score = wanted[begin]
        probs = np.ascontiguousarray(context.scores[model][kept], np.float64)
        return _both_halves(probs, truth, ids, first, score, context.making.seed)

    answers = parallel.run(judged, len(wanted), 1, "prediction sets")
    notes += dict.fromkeys(note for *_, said in answers for note in said)
    found = {one: (mass, size) for one, (mass, size, _) in zip(wanted, answers)}
    table = np.full((len(kept), len(found) * len(LEVELS)), np.nan)
    table[kept] = np.concatenate([mass for mass, _ in found.values()]).T
    (resamples,) = yield [Ask(Ratios.of(table), context.options.affordable(n * table.shape[1]))]
    intervals, rows = context.intervals(resamples), []  # thresholds as they are
    for j, ((model, score), (mass, size)) in enumerate(found.items()):
        for i, level in enumerate(LEVELS):
            rows.append({
                "model": model, "score": score, "level": level, "coverage": float(mass[i].mean()),
                **ends_of(intervals[j * len(LEVELS) + i]), "mean_size": float(size[i].mean()),
                "empty_share": float((size[i] == 0).mean()), "n_cases": n,
            })  # fmt: skip
    return {"set_coverage": rows}


def _models(context: Context, mean: Array, notes: list[str]) -> list[str]:
    """Those that give probabilities, as many as can be scored in short time."""
    models = []
    for model, table in context.scores.items():
        if is_probability(table):
            models.append(model)
        else:
            notes.append(f"The scores of model {model} are not probabilities: it has no prediction sets.")
    most = MOST_SCORED // mean.size
    if len(models) > most:
        notes.append(f"Prediction sets were made for {most} of {len(models)} models: there are many cases and classes.")
    return models[:most]


def halves(n: int, clusters: Any, seed: int) -> Bools | None:
    """(n,) the cases of one half, by chance; cases of a cluster stay together. None where there is too little to be halved."""
    if n < LEAST_CASES:
        return None
    design = Design.of(n, clusters)
    if design.n_units < 2:
        return None
    first = selection.held_out(0.5, n, design.unit, seed)[0]
    return first if LEAST_HALF <= first.sum() <= n - LEAST_HALF else None


def _both_halves(probs: Array, truth: Array, ids: NDArray[Any], first: Bools, score: str, seed: int) -> tuple[Array, Int64, list[str]]:
    """For each level the plausibility mass (3, n) and the size (3, n) of the set of every case; and what is to be said."""
    notes: list[str] = []
    mass, size = np.empty((len(LEVELS), len(probs))), np.empty((len(LEVELS), len(probs)), np.int64)
    m = max(1, min(LABELS, MOST_LABELS // len(probs)))
    for here in (first, ~first):
        fitted = MonteCarloConformal(score.lower(), m=m, seed=seed)
        with notices.heard():  # said below
            fitted.fit(probs[here], truth[here], case_ids=ids[here])
            for i, level in enumerate(LEVELS):
                alpha = round(1.0 - level, 12)
                sets = fitted.predict_sets(probs[~here], alpha=alpha, case_ids=ids[~here])
                inside = truth[~here][row_of(sets.offsets), sets.index]
                mass[i, ~here] = np.minimum(np.bincount(row_of(sets.offsets), inside, sets.n_cases), 1.0)
                size[i, ~here] = sets.sizes
                if np.isinf(fitted.thresholds(alpha)).any():
                    notes.append(f"Prediction sets of level {level:g} hold all classes: a half of the cases is too few to calibrate them.")
    return mass, size, notes


# ---- the page


def render(source: Data) -> Section:
    """How much of the truth the sets hold, and how large they are."""
    how = (
        "A prediction set is the classes that a model leaves open at a target level. <b>Coverage</b> is the plausibility that the set "
        "holds, mean over cases: it should be at the target. Among models that reach it, the one with the smaller sets says more. The cut "
        "is found on one half of the cases and judged on the other, then the other way round; intervals are over cases or their clusters, "
        "the cuts taken as they are."
    )
    entries = source.get("set_coverage") or ()
    if not entries:
        said = "<p>None was computed: it needs models that give probabilities, and 40 cases or more.</p>"
        return html.section("coverage", TITLE, how, said)
    drawn = [figure(of(entries, score=score), score) for score in unique(entries, "score")]
    level = f"{level_of(source)} interval"
    columns = ["model", "sets, target", "coverage", level, "classes in a set, mean", "sets that are empty", "cases"]
    shown = html.grouped_table("Coverage and size of prediction sets", columns, html.by_model(entries, _row))
    return html.section("coverage", TITLE, how, *drawn, shown)


def _row(e: Entry) -> tuple[str, list[html.Cell]]:
    numbers = html.number(e["coverage"]), html.ends(e, none=html.UNDEFINED)
    shown = html.cells(*numbers, f"{e['mean_size']:.2f}", html.share(e["empty_share"]), f"{e['n_cases']:,}")
    return f"{html.text(e['score'])}, {e['level']:.0%}", shown


def figure(entries: Sequence[Entry], score: str) -> str:
    """Coverage against the target, a line a model."""
    models = unique(entries, "model")[: svg.N_STYLES]
    levels = sorted({e["level"] for e in entries})
    if not models:
        return ""
    values = [v for e in entries for v in (e["level"], e["coverage"], e["low"], e["high"]) if v is not None]
    x, y = svg.x_scale(levels[0] - 0.03, min(levels[-1] + 0.03, 1.0)), svg.y_scale(*svg.around(values))
    parts = [svg.guide([(level, level) for level in levels], x, y)]
    for style, model in enumerate(models):
        shift = 0.003 * (style - (len(models) - 1) / 2)  # bars of models beside each other
        rows = sorted(of(entries, model=model), key=lambda e: float(e["level"]))
        parts.append(svg.line([(e["level"] + shift, e["coverage"]) for e in rows], x, y, style))
        for e in rows:
            if e["low"] is not None:
                parts.append(svg.error_bar(e["level"] + shift, e["low"], e["high"], x, y, style))
            parts.append(svg.dot(e["level"] + shift, e["coverage"], x, y, style))
    marks = [(level, f"{level:.0%}") for level in levels]
    content = svg.axes(x, y, "target level", "coverage of the uncertain truth", marks) + "".join(parts)
    score, meaning = html.plain(score), MEANINGS.get(score, html.plain(score))
    words = f"{meaning}. The faint line is where coverage equals the target; below it sets hold too little"
    return svg.figure(f"coverage-{score.lower()}", f"Coverage of prediction sets, {score}", words, content, models)
