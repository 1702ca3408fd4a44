"""The signs of an evaluation that data are not what they are taken for, for commands that do not evaluate."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .._base.notes import Note
from .._base.notices import heard
from ..annotations import Labels
from ..tables.context import Options
from .study import ModelsAsked, TruthAsked, read
from .suspicions import suspicions


def signs(labels: Labels, predictions: Mapping[str, Any]) -> list[Note]:
    """Return the notes that an evaluation of these models against the voted labels has on suspicious data; refuse what it refuses.

    No figure here depends on the positive class, so that none is asked for.
    """
    defaults = {"prior": 0.1, "background": 0.0, "tie_weight": "split", "method": "auto", "prior_mass": None, "unranked": "individual"}
    truth = TruthAsked.of("votes", None, False, **defaults, n_draws=1, n_warmup=1, n_chains=1, seed=0, n_threads=1)
    positive = labels.axes.classes[-1] if labels.n_classes == 2 else None
    asked = ModelsAsked(1, None, None, positive, None, None, None, False)
    with heard():  # how files are joined is said where they are read
        context = read(labels, predictions, truth, asked, Options()).judged()
    return list(suspicions(context))
