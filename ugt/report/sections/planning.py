"""The size of this study and of larger ones, as an appendix."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from ...tables.planning import ALPHA, MOST_MODELS, StudySizeRow
from ...tables.rows import defined
from ...tables.source import ReportSource
from .. import markup as html
from ..digest import Digest, words_for_few
from ..digits import Digits
from ..openness import open_row

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ..markup import Section

TITLE = "Size of the study"
MOST_SHOWN = 4  # models


def render(source: ReportSource) -> Section | None:
    """Return a sentence or two for each model; None if nothing was computed."""
    entries = source.rows(StudySizeRow)
    if not entries:
        return None
    how = (
        "What this study says of a further one: how much a label's agreement with the model varies between cases, between annotators and "
        "from label to label, and how wide the interval of the model's agreement with one more annotator would be in other designs. "
        "<code>ugt plan</code> finds the cheapest design for a wanted width or power."
    )
    digest = Digest(source)
    how += f" There are {words_for_few(digest)}: these numbers are rough." if digest.withheld else ""
    more = len(source.models) - MOST_SHOWN
    rest = f"<p>{more:,} more models are not shown; study_size.csv has up to {MOST_MODELS}.</p>" if more > 0 else ""
    said = [*_sentences(entries[:MOST_SHOWN], html.level_of(source)), *_further_labels(digest)]
    return html.section("planning", TITLE, how, html.bullets(said), rest)


def _sentences(entries: Sequence[StudySizeRow], level: str) -> Iterator[str]:
    for e in entries:
        what = "Krippendorff's alpha" if e.metric == ALPHA else f"agreement of {html.text(e.model)} with one more annotator"
        parts = [
            f"{math.sqrt(max(part, 0.0)):.2g} {said}"
            for part, said in zip((e.var_cases, e.var_annotators, e.var_labels), _WORDS)
            if part is not None
        ]
        by = f" by {e.n_annotators:,} annotators" if e.n_annotators else ""
        whom = "other annotators" if e.annotators_random else "these annotators only"
        widths = (e.width_twice_cases, e.width_one_more_label, e.width_twice_annotators)
        others = [f"{words} {width:.2g}" for width, words in zip(widths, _OTHERS) if width is not None]
        yield (
            f"For the {what} the standard deviations are {', '.join(parts)}. These {e.n_cases:,} cases with {e.n_labels:.3g} labels "
            f"each{by} give a {level} interval {e.width:.2g} wide (other cases, {whom}); {', '.join(others)}."
        )


def _further_labels(digest: Digest) -> Iterator[str]:
    """Yield a sentence on what further labels are expected to settle of what these annotations leave open."""
    e = open_row(digest)
    if e is not None and e.settled_20 is not None and e.annotation:
        one, five, twenty = (Digits(0).percent(defined(part) / e.annotation) for part in (e.settled_1, e.settled_5, e.settled_20))
        yield (
            f"Of what these annotations leave open about one more judgement, one further label per case is expected to settle {one}, five "
            f"{five}, and twenty {twenty}{digest.at_main}. This holds if the truth model does."
        )


_WORDS = ("between cases", "between annotators", "from label to label")
_OTHERS = ("twice as many cases would make it", "one more label per case", "twice as many annotators")
