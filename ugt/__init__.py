"""Evaluate models when the ground truth is uncertain because annotators disagree.

What most programs use is here; everything is in a namespace, such as ``ugt.agreement``, with all that belongs to one topic.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

from ._base.version import __version__ as __version__

# Names on top, by the module that they are from, which is imported when one is first used: all modules take a tenth of a second. From these
# two tables __init__.pyi is made, for type checkers (tests/stubs.py), and the pages of the reference (docs/_reference.py).
_TOP = {
    "agreement": "agreement_table cohen_kappa fleiss_kappa krippendorff_alpha",
    "annotations": "Labels Masks Predictions Rankings Ratings",
    "annotators": "dawid_skene",
    "calibration": "histogram_losses",
    "evaluation": "evaluate",
    "humans": "discrepancy_ratio",
    "io": "read_annotations read_predictions",
    "judges": "corrected_mean",
    "metrics": "ua_average_overlap ua_topk_accuracy",
    "plausibilities": "Dirichlet Draws Point",
    "resampling": "bootstrap rank_sets",
    "soft": "soft_auroc soft_average_precision",
    "studies": "plan_annotations reader_study",
    "truth": "annotation_certainty dirichlet fit_reliability irn plackett_luce prirn votes",
}
_NAMESPACES = (
    "agreement", "annotations", "annotators", "calibration", "conformal", "dask", "evaluation", "grades", "humans", "io", "judges",
    "metrics", "papers", "plots", "resampling", "soft", "states", "studies", "synthetic", "truth",
)  # fmt: skip
_HOME_OF = {name: home for home, names in _TOP.items() for name in names.split()}
__all__ = sorted([*_HOME_OF, "__version__"])  # noqa: PLE0605  (a list)


def __getattr__(name: str) -> Any:
    if name in _HOME_OF:
        found = getattr(import_module(f".{_HOME_OF[name]}", __name__), name)
    elif name in _NAMESPACES:
        found = import_module(f".{name}", __name__)
    else:
        raise AttributeError(import_module("._base.wrong_names", __name__).answer(name))
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return sorted([*__all__, *_NAMESPACES])
