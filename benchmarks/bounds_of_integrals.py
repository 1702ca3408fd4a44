"""The true errors of exact Plackett-Luce integrals beside the stated ones, in dermatology cases of up to five dimensions.

Run: python benchmarks/bounds_of_integrals.py  (some ten minutes; UGT_DATA as for the other benchmarks)
"""

from __future__ import annotations

import warnings

import numpy as np
from data import dermatology

import ugt
from ugt._base.ragged import row_of
from ugt.plausibilities.integrated import EXACT
from ugt.truth import plackett_luce_integrals as integrals

FINEST = 1e-8
LIMITS = {"MOST_DIMENSIONS": 5, "MOST_NODES": 3_000_000}  # of the finest integrals


def main() -> None:
    """Print, for tolerances and reliabilities, how many cases are compared, the largest ratios, and how many are above 1."""
    warnings.simplefilter("ignore", RuntimeWarning)
    rankings = ugt.Rankings.from_blocks(dermatology(1947), n_classes=419)
    usual = {name: getattr(integrals, name) for name in LIMITS}
    for reliability in (1, 2, 3, 5, 10):
        for tolerance in (FINEST, 1e-4, 1e-6):
            for name, value in (LIMITS if tolerance == FINEST else usual).items():
                setattr(integrals, name, value)
            post = ugt.plackett_luce(rankings, reliability=reliability, tolerance=tolerance, n_draws=16)
            if tolerance == FINEST:
                finest = post
                continue
            known = (post.how == EXACT) & (finest.how == EXACT)
            off = np.abs(post.rest - finest.rest).max(1)
            np.maximum.at(off, row_of(post.offsets), np.abs(post.listed - finest.listed).max(1))
            ratio = np.sort((off / post.error)[known])[::-1]
            print(f"{reliability} to {tolerance:g}: {len(ratio)} cases, largest {ratio[:3].round(2)}, {(ratio > 1).sum()} over 1")


if __name__ == "__main__":
    main()
