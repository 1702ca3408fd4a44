"""Draws of equal weight from weighted points of Plackett–Luce posteriors."""

from __future__ import annotations

import numpy as np
import pytest

import ugt


def test_equal_weight_draws():
    rankings = ugt.Rankings.from_blocks([[[[0, 1], [2]], [[1]]]] * 2, n_classes=8)
    post = ugt.plackett_luce(rankings, reliability=1.5, method="weighted", seed=5)
    value, weight = post.points.each(np.array([0]), lambda _, case: (np.exp(case.log_value[:, :3]), case.weight))[0]
    found, other = post.draws(1600)
    assert found[:, :3].mean(0) == pytest.approx(weight.ravel() @ value, abs=0.01)
    assert found.sum(1) == pytest.approx(1, abs=1e-12)
    assert {tuple(one) for one in found[:, :3]} <= {tuple(one) for one in value}
    assert len({tuple(one) for one in found[:, :3]}) > 1000
    kept = {tuple(one) for one in value.reshape(16, -1, 3)[3]}  # a draw of each shift in turn
    assert all(tuple(one) in kept for one in found[3::16, :3])
    assert abs(np.corrcoef(found[:, 0], other[:, 0])[0, 1]) < 0.12  # cases are independent of each other
    assert abs(np.corrcoef(found[16:, 0], found[:-16, 0])[0, 1]) < 0.12
    assert (post.take([1]).draws(1600)[0] == other).all()


def test_systematic_resampling():
    """How often a point is drawn differs from its expectation by less than one."""
    post = ugt.plackett_luce(ugt.Rankings.from_blocks([[[[0, 1], [2]]]], n_classes=3), reliability=2.5, method="weighted", n_draws=160)
    value, weight = post.points.each(np.array([0]), lambda _, case: (np.exp(case.log_value[:, 0]).reshape(16, -1), case.weight))[0]
    found = post.points.draws(np.array([0]), 1600)[0, :, 0].reshape(-1, 16)
    for shift in range(16):
        times = (found[:, shift, None] == value[shift]).sum(0)
        assert np.abs(times - 100 * weight[shift] / weight[shift].sum()).max() < 1 and times.sum() == 100
