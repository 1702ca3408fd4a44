"""Weighted points are the same on every system: numbers of Linux x86-64, which CI compares on others, big endian among them."""

from __future__ import annotations

import numpy as np
import pytest

import ugt

CASES = [[[[0, 2], [1]], [[2], [3, 0]]], [[[1]], [[4], [1, 0, 2]]], [[[0], [1], [2]], [[2], [1], [0]]]]
KNOWN = {
    "first": [
        0.21398692200790795, 0.003979038498690494, 0.7766842347899182, 0.005328777268266888, 4.205487043293472e-06,
        0.05614787649015993, 0.46560104415113357, 0.05614787649015993, 0.00045259807237533876, 0.4198402125066699,
        0.2893122267898161, 0.419826353471784, 0.2893122267898161, 0.00025819882476393386, 0.00025819882476393386,
    ],
    "error": [
        0.004970642808518374, 0.006234227052584243, 0.00803696090553936,
    ],
    "size": [
        527.929844404489, 973.8400928846947, 966.2138005284015,
    ],
    "two": [
        0.8729934611875778, 0.6044891638156209, 0.3886106617555781,
    ],
    "two_error": [
        0.011436622595535541, 0.012069395538882359, 0.005262011656346893,
    ],
    "third": [
        0.4010384722526494, 0.3388125672287146, 0.3676507237697363,
    ],
    "draw": [
        0.5532525696436394, 0.024354792700092054, 0.15885509059210803, 0.027663290846845923, 0.44803939178263297,
        0.11420297367559262, 0.29602559776899884, 0.2212341861511869, 0.35088203335253065,
    ],
    "groups": [
        0.9122828670649262, 0.06861086296291022, 0.01910626997216329, 0.6067630649833743, 0.36896354918466523,
        0.02427338583195903, 0.934016671603661, 0.03269558064884627, 0.03328774774749156,
    ],
}  # fmt: skip


def test_numbers_are_those_of_other_systems():
    """Probabilities, errors, certainties of two and at a rank, draws, and groups of classes."""
    rankings = ugt.Rankings.from_blocks(CASES, n_classes=9, case_ids=["a", "b", "c"])
    post = ugt.plackett_luce(rankings, method="weighted", reliability=1.5, prior_shape=0.2, n_draws=256, seed=3)
    two = post.certainty(2)
    found = {
        "first": post.membership(1)[:, :5], "error": post.error, "size": post.effective_size, "two": two,
        "two_error": post.certainty_error(two, 2, "set"), "third": post.certainty(3, kind="rank"), "draw": post.draws(16)[:, 5, :3],
        "groups": post.grouped([0, 0, 0, 1, 1, 1, 2, 2, 2]).mean(),
    }  # fmt: skip
    for name, value in found.items():
        assert np.ravel(value) == pytest.approx(KNOWN[name], rel=1e-12, abs=1e-12), name
