"""Losses against label histograms: what is left out, what is wrong, and what the core refuses."""

from __future__ import annotations

import math
import re

import numpy as np
import pytest
from twins.histogram_problems import numbers_of

import ugt
from ugt._core import _histogram

NAN = float("nan")


# ---- what is left out, and what is wrong


def test_nothing_left():
    with pytest.warns(RuntimeWarning, match="undefined: no case has labels"):
        found = ugt.histogram_losses([[0, 0], [0, 0]], [[0.5, 0.5]] * 2)
    assert found.n_cases == 0 and found.left_out == {"case without labels": 2}
    values = numbers_of(found)
    assert np.isnan(np.delete(values, np.r_[2:33])).all() and (found.bin_counts == 0).all()
    assert np.isnan(found.interval("cl", n_resamples=5)).all() and np.isnan(found.reliability_curve(0).label_share).all()
    with pytest.warns(RuntimeWarning, match="undefined: EL, DL and IL need cases with at least two labels"):
        found = ugt.histogram_losses([[1, 0], [0, 1]], [[0.5, 0.5]] * 2)
    assert math.isnan(found.el.debiased) and math.isnan(found.dl.debiased) and math.isnan(found.il.debiased) and math.isnan(found.de)
    assert found.l_sq == 0.5 and found.el.plugin == 0.5 and not math.isnan(found.cl.debiased)
    with pytest.warns(RuntimeWarning):
        found = ugt.histogram_losses([[0, 0]], [[0.5, 0.5]], binning="mass")
    assert found.n_cases == 0


def test_fractional_counts():
    counts, probs = np.array([[1.5, 1.5], [0.5, 0.25], [0.0, 4.0]]), np.array([[0.5, 0.5], [0.5, 0.5], [0.1, 0.9]])
    with pytest.raises(ValueError, match=r"counts must be whole numbers \(or fractional=True\)\. Got 1\.5, first at case 0, class 0\."):
        ugt.histogram_losses(counts, probs)
    found = ugt.histogram_losses(counts, probs, fractional=True)
    m = counts / counts.sum(1, keepdims=True)
    assert found.l_sq == pytest.approx(((m - probs) ** 2 + m * (1 - m)).sum() / 3)
    assert found.paired.n_cases == 2 and found.el.bias == pytest.approx(0.5 / 2 / 2)
    assert found.accuracy == pytest.approx((0.5 + 0.5 + 1) / 3)
    close = ugt.histogram_losses([[1.0, 1.0 - 1e-15, 0.5]], [[0.3, 0.4, 0.3]], fractional=True)
    assert close.accuracy == 0
    np.testing.assert_array_equal(
        numbers_of(ugt.histogram_losses(np.ceil(counts), probs, fractional=True)), numbers_of(ugt.histogram_losses(np.ceil(counts), probs))
    )


def test_tiny_fractional_counts():
    """Totals whose reciprocals overflow are refused, others are scaled away."""
    found = ugt.histogram_losses([[2e-300, 1e-300]], [[0.5, 0.5]], fractional=True, singletons="zero")
    assert found.el.plugin == pytest.approx(2 / 36) and found.accuracy == 0.5
    with pytest.raises(
        ValueError, match=r"counts must add up to .* 0 or at least 1e-300, for every case\. Got a sum of .*e-320, first at case 0"
    ):
        ugt.histogram_losses([[1e-320, 2e-320]], [[0.5, 0.5]], fractional=True)


def changed(table, i, k, value, dtype=np.float64):
    out = np.array(table, dtype)
    out[i, k] = value
    return out


GOOD = np.array([[2, 1, 0]] * 5), np.array([[0.5, 0.25, 0.25]] * 5)
BAD = {
    "negative": (changed(GOOD[0], 3, 1, -1), GOOD[1], r"counts must not be negative\. Got -1\.0, first at case 3, class 1\."),
    "negative int": (changed(GOOD[0], 3, 1, -1, int), GOOD[1], r"counts must not be negative\. Got -1, first at case 3, class 1\."),
    "negative int32": (changed(GOOD[0], 3, 1, -1, np.int32), GOOD[1], r"counts must not be negative\. Got -1, first at case 3"),
    "nan": (changed(GOOD[0], 2, 0, NAN), GOOD[1], r"counts must be finite numbers of at most 2\*\*53\. Got nan, first at case 2, class 0"),
    "inf": (changed(GOOD[0], 2, 0, np.inf), GOOD[1], r"counts must be finite numbers of at most 2\*\*53\. Got inf"),
    "large": (changed(GOOD[0], 2, 0, 2**60, int), GOOD[1], r"counts must be finite numbers of at most 2\*\*53\. Got 1152921504606846976"),
    "total": ([[2**53, 0, 2]], GOOD[1][:1], r"counts must add up to at most 2\*\*53, .* Got a sum of 9\.0072e\+15, first at case 0\."),
    "total int": (np.array([[2**53, 3]]), [[0.5, 0.5]], r"counts must add up to at most 2\*\*53, .* Got a sum of 9\.0072e\+15"),
    "fraction": (changed(GOOD[0], 1, 2, 0.5), GOOD[1], r"counts must be whole numbers \(or fractional=True\)\. Got 0\.5, first at case 1"),
    "prob nan": (GOOD[0], changed(GOOD[1], 4, 1, NAN), r"probs must be from 0 to 1 \(within 1e-06\)\. Got nan, first at case 4, class 1\."),
    "prob above": (GOOD[0], changed(GOOD[1], 4, 1, 1.1), r"probs must be from 0 to 1 \(within 1e-06\)\. Got 1\.1, first at case 4"),
    "prob below": (
        GOOD[0],
        changed(GOOD[1], 1, 2, -0.1),
        r"probs must be from 0 to 1 .* Got -0\.1, first at case 1, class 2",
    ),
    "sum": (
        GOOD[0],
        changed(GOOD[1], 2, 2, 0.2),
        r"probs must add up to 1 \(within 0\.0001\) .* Got a sum of 0\.95, first at case 2",
    ),
    "prob slightly above": (GOOD[0][:1], [[1.00005, 0, 0]], r"probs must be from 0 to 1 .* Got 1\.00005, first at case 0, class 0"),
    "two classes nan": (
        [[2, 1]] * 9,
        [[0.5, 0.5]] * 7 + [[NAN, 0.5]] * 2,
        r"probs must be from 0 to 1 .* Got nan, first at case 7, class 0",
    ),
    "two classes above": ([[2, 1]] * 9, [[0.5, 0.5]] * 7 + [[0, 1.00005]] * 2, r"probs must be .* Got 1\.00005, first at case 7, class 1"),
    "two classes below": ([[2, 1]] * 9, [[0.5, 0.5]] * 7 + [[1, -2e-6]] * 2, r"probs must be .* Got -2e-06, first at case 7, class 1"),
    "two classes sum": (
        [[2, 1]] * 9,
        [[0.5, 0.5]] * 7 + [[0.5, 0.4998]] * 2,
        r"probs must add up to 1 .* Got a sum of 0\.9998, first at case 7",
    ),
    "two classes negative": (
        [[2, 1]] * 7 + [[4, -1]] * 2,
        [[0.5, 0.5]] * 9,
        r"counts must not be negative\. Got -1, first at case 7, class 1",
    ),
    "shape": (GOOD[0], GOOD[1][:4], r"probs must have the shape of counts, \(5, 3\)\. Got \(4, 3\)\."),
    "one class": ([[1], [2]], [[1.0], [1.0]], r"counts must have at least 2 classes\. Got 1\."),
    "one axis": ([1, 2], [0.5, 0.5], r"counts must be numbers of shape \(N, K\)\. Got int64 of shape \(2,\)\."),
    "no cases": (np.zeros((0, 2)), np.zeros((0, 2)), r"counts must be numbers of shape \(N, K\)\. Got float64 of shape \(0, 2\)\."),
    "text": ([["a", "b"]], [[0.5, 0.5]], r"counts must be numbers of shape \(N, K\)\. Got <U1 of shape \(1, 2\)\."),
    "ragged": ([[1, 2], [1]], [[0.5, 0.5]] * 2, r"counts must be numbers of shape \(N, K\)\. Got"),
    "masked": (np.ma.array([[1, 2]], mask=[[True, False]]), [[0.5, 0.5]], r"counts must be numbers of shape \(N, K\)\. Got object"),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_tables(name):
    counts, probs, message = BAD[name]
    with pytest.raises(ValueError, match=message):
        ugt.histogram_losses(counts, probs)


@pytest.mark.parametrize("name", ["negative", "nan", "fraction", "prob nan", "prob above", "prob below", "sum"])
def test_bad_values_far_down(name):
    """In a later chunk, in a row of the generic path, beside unlabelled cases."""
    counts, probs, message = BAD[name]
    counts, probs = (np.concatenate([np.tile(good, (30_000, 1)), bad]) for good, bad in zip(GOOD, (counts, probs)))
    where = int(np.argmax((counts != GOOD[0][0]).any(1) | (probs != GOOD[1][0]).any(1)))
    with pytest.raises(ValueError, match=re.split(r"(\\\.| \.\*) Got", message)[0] + rf".* first at case {where}\b"):
        ugt.histogram_losses(counts, probs)
    counts[0] = 0 if name.startswith("prob") or name == "sum" else counts[0]
    with ugt.threads(2), pytest.raises(ValueError, match=rf"first at case {where}\b"):
        ugt.histogram_losses(counts, probs)


def test_tolerances():
    slack = [[1 + 0.9e-6, -0.9e-6], [0.50004, 0.50004]]
    assert ugt.histogram_losses([[1, 1]] * 2, slack).bin_counts.tolist() == [[0] * 7 + [1] + [0] * 6 + [1], [1] + [0] * 6 + [1] + [0] * 7]
    for bad in ([[1 + 2e-6, -2e-6]], [[0.5001, 0.5001]]):
        with pytest.raises(ValueError, match=r"probs must"):
            ugt.histogram_losses([[1, 1]], bad)


@pytest.mark.parametrize(
    "options, message",
    [
        ({"n_bins": 0}, r"n_bins must be a whole number from 1 to 100000\. Got 0"),
        ({"n_bins": 2.0}, r"n_bins must be a whole number from 1 to 100000\. Got 2\.0"),
        ({"binning": "equal"}, r"binning must be one of 'width', 'mass'\. Got 'equal'"),
        ({"binning": [0, 0.5]}, r"binning must be 'width', 'mass' or ascending edges from 0 to 1, .* Got \[0\.0, 0\.5\]"),
        ({"binning": [0, 0.5, 0.5, 1]}, r"binning must be .* Got \[0\.0, 0\.5, 0\.5, 1\.0\]"),
        ({"binning": [0, NAN, 1]}, r"binning must be"),
        ({"binning": [[0, 1]] * 2}, r"binning must be .*\(3, B \+ 1\)\. Got shape \(2, 2\)"),
        ({"binning": ["a"]}, r"binning must be"),
        ({"singletons": "drop"}, r"singletons must be one of 'omit', 'zero'\. Got 'drop'"),
        ({"single_bins": None}, r"single_bins must be one of 'zero', 'plugin'\. Got None"),
        ({"fractional": 1}, r"fractional must be True or False\. Got 1"),
        ({"classes": ["a", "b"]}, r"classes must be the names of 3 classes\. Got 2"),
        ({"classes": ["a", "b", "a"]}, r"classes must not repeat an id"),
    ],
)
def test_bad_options(options, message):
    with pytest.raises(ValueError, match=message):
        ugt.histogram_losses(*GOOD, **options)


# ---- the core


def test_the_core_refuses_what_does_not_fit():
    y, z = np.array([[1, 2]]), np.array([[0.5, 0.5]])
    edges, cell, total = np.array([[-np.inf, np.inf]]), np.zeros((1, 2, 2, 1, _histogram.N_SUMS)), np.zeros((1, _histogram.N_TOTALS))
    good = [y, z, None, edges, True, False, 0.0, cell, total]
    assert _histogram.sums(*good) == (0, 0, 0) and cell[0, 1, :, 0, 0].tolist() == [1, 1] and cell[0, 0].sum() == 0
    for at, wrong in (
        (0, y[:, :1]), (0, np.zeros((2, 2), int)), (0, y.astype(np.int8)), (0, y[:0]), (1, z.astype(np.float16)), (1, z[:, :1]),
        (2, np.ones((1, 2))), (2, np.ones((2, 1))), (3, np.zeros((2, 2))), (3, np.zeros((1, 3))), (7, cell[:, :1]), (7, cell[:0]),
        (7, np.zeros((1, 2, 2, 1, 5))), (8, total[:, :3]), (8, total[:0]), (7, np.concatenate([cell, cell])),
    ):  # fmt: skip
        given = list(good)
        given[at] = wrong
        with pytest.raises(ValueError, match=r"fit together|none of float64"):
            _histogram.sums(*given)
