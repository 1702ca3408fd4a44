"""Reading of labels for coefficients, and of the two annotators whom some of these compare."""

from __future__ import annotations

from typing import Any

from .._base import checks, identifiers
from ..annotations import Ratings
from .table import Judgements, read


def labels_of(given: object, classes: object, alike: str | None = None) -> Judgements:
    """Read Labels or a table of labels into judgements; refuse ratings."""
    if isinstance(given, Ratings):
        raise TypeError("labels must be Labels or a table of labels, cases x annotators. Got Ratings.")
    return read("labels", given, classes, ratings=False, alike=alike)


def pair_named(names: Any, annotators: Any, may_lack: bool = False) -> tuple[int, int]:
    """Return the positions of the two named annotators among all; with ``may_lack``, -1 for an annotator who is absent."""
    if len(names) == 0:
        raise checks.error("labels", "name their annotators", "counts, which have none")
    if annotators is None:
        if len(names) != 2:
            raise checks.error(
                "annotators",
                "name two, unless labels have exactly two (or use fleiss_kappa)",
                f"None for labels of {len(names)} annotators",
            )
        return 0, 1
    pair = identifiers.distinct("annotators", annotators)
    if len(pair) != 2:
        raise checks.error("annotators", "name two annotators", len(pair))
    position = identifiers.lookup(names, pair)
    if (position < 0).any() and not (may_lack and identifiers.is_text(names) == identifiers.is_text(pair)):
        j = int((position < 0).argmax())
        raise checks.error("annotators", "be among the annotators of labels", identifiers.name(pair[j]), f"position {j}")
    return int(position[0]), int(position[1])
