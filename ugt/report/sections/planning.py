"""The size of this study and of larger ones, as an appendix."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from ...tables.planning import ALPHA, MOST_MODELS
from .. import markup as html
from ..digest import Digest, words_for_few

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..markup import Data, Entry, Section

TITLE = "Size of the study"
MOST_SHOWN = 4  # models


def render(source: Data) -> Section | None:
    """Return a sentence or two for each model; None if nothing was computed."""
    entries = source.get("study_size") or ()
    if not entries:
        return None
    how = (
        "What this study says of a further one: how much a label's agreement with the model varies between cases, between annotators and "
        "from label to label, and how wide the interval of the model's agreement with one more annotator would be in other designs. "
        "<code>ugt plan</code> finds the cheapest design for a wanted width or power."
    )
    digest = Digest(source)
    how += f" There are {words_for_few(digest)}: these numbers are rough." if digest.withheld else ""
    more = len(source.get("models") or ()) - MOST_SHOWN
    rest = f"<p>{more:,} more models are not shown; study_size.csv has up to {MOST_MODELS}.</p>" if more > 0 else ""
    return html.section("planning", TITLE, how, html.bullets(_sentences(entries[:MOST_SHOWN], html.level_of(source))), rest)


def _sentences(entries: list[Entry], level: str) -> Iterator[str]:
    for e in entries:
        what = "Krippendorff's alpha" if e["metric"] == ALPHA else f"agreement of {html.text(e['model'])} with one more annotator"
        known = [(e[f"var_{name}"], said) for name, said in _WORDS if e[f"var_{name}"] is not None]
        parts = [f"{math.sqrt(max(part, 0.0)):.2g} {said}" for part, said in known]
        by = f" by {e['n_annotators']:,} annotators" if e["n_annotators"] else ""
        whom = "other annotators" if e["annotators_random"] else "these annotators only"
        others = [f"{words} {e[name]:.2g}" for name, words in _OTHERS if e[name] is not None]
        yield (
            f"For the {what} the standard deviations are {', '.join(parts)}. These {e['n_cases']:,} cases with {e['n_labels']:.3g} labels "
            f"each{by} give a {level} interval {e['width']:.2g} wide (other cases, {whom}); {', '.join(others)}."
        )


_WORDS = (("cases", "between cases"), ("annotators", "between annotators"), ("labels", "from label to label"))
_OTHERS = (
    ("width_twice_cases", "twice as many cases would make it"),
    ("width_one_more_label", "one more label per case"),
    ("width_twice_annotators", "twice as many annotators"),
)
