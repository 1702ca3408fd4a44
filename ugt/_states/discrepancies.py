"""The discrepancy ratio from sums over cases [C eq. 2-4]."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from .._discrepancy.input import compare
from .._discrepancy.record import AGREE
from .._discrepancy.sums import Sums
from .kind import Answer, Kind, check_call, plain
from .part import Part, ids_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Array = NDArray[np.float64]

DEFAULTS = {"distance": "squared", "values": None, "missing": "error"}
N, ALPHA, MU = 0, 1, 2  # columns


class Discrepancies(Kind):
    """Δ = Σ μ_i / Σ α_i."""

    def part(self, metric: str, data: tuple[Any, ...], options: dict[str, Any]) -> Part:
        """Of annotations and predictions; distance, values and missing as for the function."""
        check_call(metric, data, 2, options, DEFAULTS)
        annotations, predictions = data
        compared = compare(annotations, {"model": predictions}, **{**DEFAULTS, **options})
        sums = Sums.of(compared)
        counted = sums.counted(compared.predicted[0])
        table = np.stack([counted * 1.0, *(np.where(counted, one, 0.0) for one in (sums.alpha, sums.mu[0]))], axis=1)
        return Part(
            {"options": _described(options)}, len(table), int(counted.sum()), sums.left_out(compared.predicted[0]), {"cases": table},
            squares=("cases",), case_ids=ids_of(annotations),
        )  # fmt: skip

    def answer(self, metric: str, settings: Mapping[str, Any], sums: Mapping[str, Array]) -> Answer:
        """With α and μ."""
        n, alpha, mu = (sums["cases"][:, j] for j in (N, ALPHA, MU))
        with np.errstate(invalid="ignore", divide="ignore"):
            value, parts = mu / alpha, {"alpha": alpha / n, "mu": mu / n}
        reason = "no case is left" if n[0] == 0 else AGREE.format(int(n[0])) if alpha[0] == 0 else None
        return Answer(value, parts, reason)

    def std_error(self, metric: str, settings: Mapping[str, Any], sums: Mapping[str, Array]) -> float:
        """By linearisation: influence (μ_i - Δ α_i) / Σ α."""
        (n, alpha, mu), square = sums["cases"], sums["cases squared"]
        if n < 2 or alpha == 0:
            return float("nan")
        ratio = mu / alpha
        total = square[MU, MU] - 2 * ratio * square[MU, ALPHA] + ratio**2 * square[ALPHA, ALPHA]
        return float(np.sqrt(max(total, 0.0) * n / (n - 1)) / alpha)


def _described(options: Mapping[str, Any]) -> Any:
    """A function is known by its name."""
    return plain({name: getattr(one, "__qualname__", "a function") if callable(one) else one for name, one in options.items()})


KIND = Discrepancies()
