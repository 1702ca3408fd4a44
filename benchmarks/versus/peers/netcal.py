"""netcal: expected calibration error and temperature scaling."""

from __future__ import annotations

from functools import partial

import inputs
import numpy as np
from job import Job, largest

BINS = 15


def calibration_error(n):
    def ours(data):
        import ugt

        counts, probs = np.stack([1 - data["y"], data["y"]], axis=1), np.stack([1 - data["scores"], data["scores"]], axis=1)

        return lambda: ugt.histogram_losses(counts, probs, n_bins=BINS).calibration_error().per_class[1]

    def theirs(data):
        from netcal.metrics import ECE

        return lambda: ECE(BINS).measure(data["scores"], data["y"])

    note = "of the second class; ugt has that of both, of any power, with intervals"
    size = f"{n:,} cases, {BINS} bins"
    return Job("expected calibration error", size, partial(inputs.binary, n), ours, theirs, 1e-9, largest, note)


def temperature(n, k):
    def ours(data):
        import ugt

        def call():
            fitted = ugt.calibration.TemperatureScaling(input="probabilities").fit(data["probs"], data["y"])
            return fitted.transform(data["probs"])

        return call

    def theirs(data):
        from netcal.scaling import TemperatureScaling

        def call():
            fitted = TemperatureScaling().fit(data["probs"], data["y"])
            return fitted.transform(data["probs"])

        return call

    note = "fitted, then the same cases transformed; the peer computes in single precision"
    size = f"{n:,} cases x {k} classes"
    return Job("temperature scaling", size, partial(inputs.classes, n, k), ours, theirs, 1e-3, largest, note)


def jobs(quick):
    many, tables = (20_000, 2_000) if quick else (1_000_000, 50_000)
    return [calibration_error(100), calibration_error(many), temperature(100, 10), temperature(tables, 10)]
