"""krippendorff: alpha of four kinds of scales, from a table with gaps."""

from __future__ import annotations

from functools import partial

import inputs
import numpy as np
from job import Job, largest


def alpha(level, n, n_annotators):
    def ours(data):
        import ugt

        gaps = np.isnan(data).any()  # a table of whole numbers without gaps needs a type
        return lambda: ugt.krippendorff_alpha(data if gaps else ugt.Labels.from_wide(data), level).value

    def theirs(data):
        import krippendorff

        return lambda: krippendorff.alpha(reliability_data=data.T, level_of_measurement=level)

    size = f"{n:,} cases x {n_annotators} annotators, 5 labels each"
    return Job(f"alpha, {level}", size, partial(inputs.table, n, n_annotators, 5, 5), ours, theirs, 1e-9, largest)


def jobs(quick):
    levels = ("nominal", "ordinal", "interval", "ratio")
    return [alpha("nominal", 100, 5), *(alpha(level, 2_000 if quick else 100_000, 50) for level in levels)]
