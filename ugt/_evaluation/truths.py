"""How an evaluation makes its truths: one after the other, so that draws of one reliability are gone before the next."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, Callable

import numpy as np

from .. import _checks, _ids, _notices, aggregation
from .._plausibilities.draws import MentionedDraws
from .._plausibilities.plackett_luce import LEAST_ESS, UNRANKED, WORST_RHAT, as_rankings, plackett_luce, plackett_luce_diagnostics
from ..annotations import Labels, Rankings
from ..plausibilities import Dirichlet, Draws, Plausibilities, Point

AGGREGATIONS = ("auto", "dirichlet", "prirn", "irn", "votes", "plackett-luce")
KINDS = (Point, Dirichlet, Draws)
RELIABILITIES: dict[str, Any] = {"dirichlet": 1.0, "prirn": (10, 20, 30, 50, 100), "plackett-luce": (1, 2, 3, 5, 10)}


@dataclass
class Truths:
    """The truths of an evaluation: how each is made, what was chosen, and what turned up on the way."""

    makers: list[tuple[float | None, Callable[[], Plausibilities]]]
    settings: dict[str, Any]
    known: Any = None  # the annotations as they are aggregated
    notes: list[str] = field(default_factory=list)
    diagnostics: list[dict[str, Any]] = field(default_factory=list)  # of the chains of each reliability

    def __iter__(self) -> Iterator[tuple[float | None, Plausibilities]]:
        for reliability, make in self.makers:
            with _notices.heard() as heard:
                truth = make()
            for message in heard:
                self.notes.append(f"{'' if reliability is None else f'At reliability {reliability:g}: '}{message}.")
                _notices.warn(message, stacklevel=4)
            if isinstance(truth, Dirichlet) and (truth.support < truth.n_classes).any():
                self.say(
                    "Classes that no annotator named have plausibility exactly 0: certainty of order k is 1 where at most k classes were "
                    "named, and set accuracy is low there, because the rest of the set is a random choice."
                )
            if isinstance(truth, Draws):
                self.diagnostics += _mixing(reliability, truth)
                self.say("The truth is given as draws: values have Monte Carlo error, and certainty is biased upwards a little.")
            yield reliability, truth
            del truth  # draws are large: they go before the next are made

    @property
    def middle(self) -> float | None:
        """The reliability in the middle."""
        known = [reliability for reliability, _ in self.makers]
        return known[len(known) // 2]

    def say(self, note: str) -> None:
        """Add a note once."""
        if note not in self.notes:
            self.notes.append(note)


def truths(known: Any, how: str, reliability: Any, options: dict[str, Any]) -> Truths:
    """The truths that ``evaluate`` judges by; ``options``: prior, background, tie_weight and those of ``plackett_luce``.

    Raises
    ------
    ValueError
        If the aggregation is unknown, does not fit the annotations, or a reliability is out of range.
    """
    _checks.option("aggregation", how, AGGREGATIONS)
    _check(options)
    if isinstance(known, KINDS):
        return Truths([(None, lambda: known)], {"aggregation": f"given ({type(known).__name__})", "parameters": {}, "reliability": []})
    if how == "auto":
        how = "dirichlet" if isinstance(known, Labels) else "prirn"
    if how in ("irn", "votes"):
        if reliability is not None:
            raise _checks.error("reliability", f"not be given with aggregation={how!r}, which has none", reliability)
        chosen = {"tie_weight": options["tie_weight"]} if how == "irn" else {}
        make = partial(aggregation.irn if how == "irn" else aggregation.votes, known, **chosen)
        return Truths([(None, make)], {"aggregation": how, "parameters": chosen, "reliability": []})
    gammas = _reliabilities(RELIABILITIES[how] if reliability is None else reliability)
    if how == "dirichlet":
        chosen = {"prior": np.asarray(options["prior"]).tolist()}
        function: Any = aggregation.dirichlet
    elif how == "prirn":
        chosen = {name: options[name] for name in ("tie_weight", "background")}
        function = aggregation.prirn
    else:
        known = as_rankings(known)
        chosen = {name: options[name] for name in ("prior_mass", "unranked", "n_draws", "n_warmup", "n_chains")}
        function = partial(_annotated_draws, seed=options["seed"], n_threads=options["n_threads"])
    makers = [(gamma, partial(function, known, reliability=gamma, **chosen)) for gamma in gammas]
    return Truths(list(makers), {"aggregation": how, "parameters": chosen, "reliability": gammas}, known)


def _check(options: dict[str, Any]) -> None:
    """What other aggregations would use is checked too: a mistake is no choice."""
    _checks.scalar("background", options["background"])
    _checks.option("tie_weight", options["tie_weight"], ("split", "full"))
    _checks.option("unranked", options["unranked"], UNRANKED)
    if options["prior_mass"] is not None:
        _checks.scalar("prior_mass", options["prior_mass"], positive=True)
    for name, least in (("n_draws", 1), ("n_warmup", 0), ("n_chains", 1)):
        _checks.whole(name, options[name], least)


def _annotated_draws(rankings: Any, **options: Any) -> Draws:
    """Draws in which cases without annotations are undefined, as with every other aggregation."""
    draws: MentionedDraws = plackett_luce(rankings, **options)  # type: ignore[assignment]
    return replace(draws, with_empty=False)


def _mixing(reliability: float | None, draws: Draws) -> list[dict[str, Any]]:
    """The worst cases of chains; nothing of draws that were made elsewhere, or of too few."""
    if not isinstance(draws, MentionedDraws) or draws.n_draws // draws.n_chains < 4 or not draws.defined.any():
        return []
    found = plackett_luce_diagnostics(draws)
    worst = {
        "largest R-hat": float(np.nanmax(found.rhat)),
        "smallest bulk effective sample size": float(np.nanmin(found.ess_bulk)),
        "smallest tail effective sample size": float(np.nanmin(found.ess_tail)),
        "cases that have not mixed": int(found.falls_short(rhat=WORST_RHAT, ess_per_chain=LEAST_ESS).sum()),
    }
    return [{"reliability": reliability, "quantity": name, "value": value} for name, value in worst.items()]


def _reliabilities(given: Any) -> list[float]:
    table = np.atleast_1d(_ids.as_array(given))
    found = table.astype(np.float64) if table.dtype.kind in "iuf" else np.empty(0)
    if found.ndim != 1 or len(found) == 0:
        raise _checks.error("reliability", "be a number or a sequence of numbers", given)
    for value in found.tolist():
        _checks.scalar("reliability", value, positive=True)
    if len(np.unique(found)) != len(found):
        raise _checks.error("reliability", "hold each value once", given)
    return [float(value) for value in found]


def voted(known: Any) -> Point:
    """The voted label: majority of labels; of rankings the best class by inverse rank; of plausibilities that of their mean."""
    if isinstance(known, Labels):
        return aggregation.votes(known)
    if isinstance(known, Rankings):
        return aggregation.irn(known)
    return Point.from_array(known.mean(), case_ids=known.axes.case_ids, classes=known.axes.classes)
