"""Losses against label histograms: what is left out, what is wrong, and what the core gives and refuses."""

import math
import re

import numpy as np
import pytest
from refusals import refused, warned
from twins import histogram as twin
from twins.histogram_problems import numbers_of, problem

import ugt
from ugt._core import _histogram
from ugt.resampling import by_case

NAN = float("nan")


# ---- what is left out, and what is wrong
def test_nothing_left():
    found = warned("undefined: no case has labels", ugt.histogram_losses, [[0, 0], [0, 0]], [[0.5, 0.5]] * 2)
    assert found.n_cases == 0 and found.left_out == {"case without labels": 2}
    values = numbers_of(found)
    assert np.isnan(np.delete(values, np.r_[2:33])).all() and (found.bin_counts == 0).all()
    assert np.isnan(found.interval(of="cl", n_resamples=5)).all() and np.isnan(found.reliability_curve(0).label_share).all()
    found = warned("undefined: EL, DL and IL need cases with at least two labels", ugt.histogram_losses, [[1, 0], [0, 1]], [[0.5, 0.5]] * 2)
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
    message = r"counts must add up to .* 0 or at least 1e-300, for every case\. Got a sum of .*e-320, first at case 0"
    refused(message, ugt.histogram_losses, [[1e-320, 2e-320]], [[0.5, 0.5]], fractional=True)


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
    "prob below": (GOOD[0], changed(GOOD[1], 1, 2, -0.1), r"probs must be from 0 to 1 .* Got -0\.1, first at case 1, class 2"),
    "sum": (GOOD[0], changed(GOOD[1], 2, 2, 0.2), r"probs must add up to 1 \(within 0\.0001\) .* Got a sum of 0\.95, first at case 2"),
    "prob slightly above": (GOOD[0][:1], [[1.00005, 0, 0]], r"probs must be from 0 to 1 .* Got 1\.00005, first at case 0, class 0"),
    "two classes nan": ([[2, 1]] * 9, [[0.5, 0.5]] * 7 + [[NAN, 0.5]] * 2, r"probs must be from 0 .* Got nan, first at case 7, class 0"),
    "two classes above": ([[2, 1]] * 9, [[0.5, 0.5]] * 7 + [[0, 1.00005]] * 2, r"probs must be .* Got 1\.00005, first at case 7, class 1"),
    "two classes below": ([[2, 1]] * 9, [[0.5, 0.5]] * 7 + [[1, -2e-6]] * 2, r"probs must be .* Got -2e-06, first at case 7, class 1"),
    "two classes sum": (
        [[2, 1]] * 9,
        [[0.5, 0.5]] * 7 + [[0.5, 0.4998]] * 2,
        r"probs must add up .* Got a sum of 0\.9998, first at case 7",
    ),
    "two classes negative": ([[2, 1]] * 7 + [[4, -1]] * 2, [[0.5, 0.5]] * 9, r"counts must not be .* Got -1, first at case 7, class 1"),
    "shape": (GOOD[0], GOOD[1][:4], r"probs must have the shape of counts, \(5, 3\)\. Got \(4, 3\)\."),
    "one class": ([[1], [2]], [[1.0], [1.0]], r"counts must have at least 2 classes\. Got 1\."),
    "one axis": ([1, 2], [0.5, 0.5], r"counts must be numbers of shape \(N, K\)\. Got int\d\d of shape \(2,\)\."),
    "no cases": (np.zeros((0, 2)), np.zeros((0, 2)), r"counts must be numbers of shape \(N, K\)\. Got float64 of shape \(0, 2\)\."),
    "text": ([["a", "b"]], [[0.5, 0.5]], r"counts must be numbers of shape \(N, K\)\. Got [<>]U1 of shape \(1, 2\)\."),
    "ragged": ([[1, 2], [1]], [[0.5, 0.5]] * 2, r"counts must be numbers of shape \(N, K\)\. Got"),
    "masked": (np.ma.array([[1, 2]], mask=[[True, False]]), [[0.5, 0.5]], r"counts must be numbers of shape \(N, K\)\. Got object"),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_tables(name):
    counts, probs, message = BAD[name]
    refused(message, ugt.histogram_losses, counts, probs)


@pytest.mark.parametrize("name", ["negative", "nan", "fraction", "prob nan", "prob above", "prob below", "sum"])
def test_bad_values_far_down(name):
    """In a later chunk, in a row of the generic path, beside unlabelled cases."""
    counts, probs, message = BAD[name]
    counts, probs = (np.concatenate([np.tile(good, (30_000, 1)), bad]) for good, bad in zip(GOOD, (counts, probs)))
    where = int(np.argmax((counts != GOOD[0][0]).any(1) | (probs != GOOD[1][0]).any(1)))
    refused(re.split(r"(\\\.| \.\*) Got", message)[0] + rf".* first at case {where}\b", ugt.histogram_losses, counts, probs)
    counts[0] = 0 if name.startswith("prob") or name == "sum" else counts[0]
    with ugt.resampling.threads(2), pytest.raises(ValueError, match=rf"first at case {where}\b"):
        ugt.histogram_losses(counts, probs)


def test_tolerances():
    slack = [[1 + 0.9e-6, -0.9e-6], [0.50004, 0.50004]]
    assert ugt.histogram_losses([[1, 1]] * 2, slack).bin_counts.tolist() == [[0] * 7 + [1] + [0] * 6 + [1], [1] + [0] * 6 + [1] + [0] * 7]
    for bad in ([[1 + 2e-6, -2e-6]], [[0.5001, 0.5001]]):
        refused(r"probs must", ugt.histogram_losses, [[1, 1]], bad)


@pytest.mark.parametrize(
    "options, message",
    [
        ({"n_bins": 0}, r"n_bins must be a whole number from 1 to 100000\. Got 0"),
        ({"n_bins": 2.0}, r"n_bins must be a whole number from 1 to 100000\. Got 2\.0"),
        ({"binning": "equal"}, r"binning must be one of 'width', 'mass'\. Got 'equal'"),
        ({"binning": [0, 0.5]}, r"binning must be 'width', 'mass' or ascending edges from 0 to 1, .* Got \[0\.0, 0\.5\]"),
        ({"binning": [0, 0.5, 0.5, 1]}, r"binning must be .* Got \[0\.0, 0\.5, 0\.5, 1\.0\]"),
        *(({"binning": bad}, r"binning must be") for bad in ([0, NAN, 1], [0, 0.5, 1.5], [-0.5, 0.5, 1])),
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
    refused(message, ugt.histogram_losses, *GOOD, **options)


# ---- the core
TABLES = np.array([[1, 2]]), np.array([[0.5, 0.5]])
EDGE = np.array([[-np.inf, np.inf]])


def edges_of(uniform, m):
    """``(as the core takes them, of each column)``."""
    inner = [[0.25, 0.5, 0.75]] if uniform else np.sort(np.random.default_rng(m).random((m, 3)), axis=1)
    edges = np.array([[-np.inf, *row, np.inf] for row in inner])
    return edges, (edges.tolist() * m)[:m]


def close(found, expected):
    np.testing.assert_allclose(found, expected, rtol=1e-13, atol=1e-13)


@pytest.mark.parametrize("uniform", [True, False])
@pytest.mark.parametrize("k, n_weights", [(2, 1), (3, 8), (5, 11)])
def test_the_rows_and_their_sums_by_the_slow_twin(k, n_weights, uniform):
    counts, _ = problem(k, n=150, k=k)
    probs = np.random.default_rng(k).multinomial(8, np.full(k, 1 / k), 150) / 8  # ties, edges
    edges, by_class = edges_of(uniform, k)
    *rows, fault = _histogram.read(counts, probs, edges, uniform, False, 0.0)
    assert fault == (0, 0, 0)
    expected = twin.rows_of(counts.tolist(), probs.tolist(), by_class)
    for found, one in zip((rows[0], rows[2], rows[3]), expected):
        close(found, one)
    np.testing.assert_array_equal(rows[1], probs)
    weights = np.random.default_rng(k).normal(size=(n_weights, 150))
    shares, cells, facts = expected
    for found, weight in zip(_histogram.resampled(*rows, 2 * k * 4, by_case(weights)), weights):
        close(found, twin.weighted_sums(shares, probs.tolist(), cells, facts, 2 * k * 4, weight.tolist()))


@pytest.mark.parametrize("uniform", [True, False])
@pytest.mark.parametrize("k, m, n_weights", [(2, 1, 3), (2, 3, 8), (4, 5, 9)])
def test_disagreement_by_the_slow_twin(k, m, n_weights, uniform):
    counts, _ = problem(k + m, n=150, k=k)
    predicted = np.random.default_rng(m).integers(0, 9, (150, m)) / 8
    edges, by_column = edges_of(uniform, m)
    shares, cells = twin.disagreement_rows(counts.tolist(), predicted.tolist(), by_column)
    first = _histogram.disagreement(counts, predicted, None, edges, uniform, 0.0)
    for observed, cell, sums, fault in (first, _histogram.disagreement(counts, predicted, first[0], edges, uniform, 0.0)):
        assert fault == (0, 0, 0) and cell.tolist() == cells
        close(observed, shares)
        close(sums, twin.weighted_sums(shares, predicted.tolist(), cells, None, m * 4, [1] * 150))
    weights = np.random.default_rng(k).normal(size=(n_weights, 150))
    for found, weight in zip(_histogram.resampled(first[0], predicted, first[1], None, m * 4, by_case(weights)), weights):
        close(found, twin.weighted_sums(shares, predicted.tolist(), cells, None, m * 4, weight.tolist()))


def refuses(kernel, good, wrong):
    """Each wrong argument beside the other good ones."""
    for at, value in wrong:
        refused(r"fit|none of float64|too many|lie beside each other", kernel, *[value if at == j else one for j, one in enumerate(good)])


def test_the_core_refuses_what_does_not_fit():
    y, z = TABLES
    tables = [
        (0, y[:, :1]), (0, np.zeros((2, 2), int)), (0, y.astype(np.int8)), (0, y[:0]), (1, z.astype(np.float16)), (1, z[:, :1]),
        (2, np.zeros((2, 2))), (2, np.zeros((1, 1))),
    ]  # fmt: skip
    out = np.zeros(2 * 2 * _histogram.N_SUMS + _histogram.N_TOTALS)
    good = [y, z, EDGE, True, False, 0.0, out]
    assert _histogram.sums(*good) == (0, 0, 0) and out[[12, 18]].tolist() == [1, 1] and out[:12].sum() == 0
    refuses(_histogram.sums, good, [*tables, (2, np.zeros((1, 3))), (6, out[:-1])])
    *rows, fault = _histogram.read(*good[:-1])
    assert fault == (0, 0, 0) and rows[2].tolist() == [[2, 3]] and rows[3].tolist() == [[3, 0.5, 0.5]]
    refuses(_histogram.read, good[:-1], tables)
    given = [*rows, 4, np.ones((1, 1))]
    np.testing.assert_allclose(_histogram.resampled(*given)[0], out)
    cells = [(2, np.array([one], np.int32)) for one in ([2, 4], [-1, 3], [2, -1], [-2, 2], [-1, -1])]
    shapes = [
        (0, rows[0][:, :1]),
        (1, rows[1][:0]),
        (3, rows[3][:, :2]),
        (4, 3),
        (4, 0),
        (5, np.ones((2, 1))),
        (5, np.ones((1, 0))),
        (5, np.ones((1, 4))[:, ::2]),
    ]
    refuses(_histogram.resampled, given, [*cells, *shapes])
    pairs = [y, np.full((1, 3), 0.5), None, EDGE, True, 0.0]
    observed, cell, sums, fault = _histogram.disagreement(*pairs)
    assert fault == (0, 0, 0) and cell.tolist() == [[0, 1, 2]] and sums[::6].tolist() == [1, 1, 1]
    np.testing.assert_allclose(observed, [[2 / 3] * 3])
    wrong = [(0, y[:0]), (0, y.astype(np.int8)), (1, np.zeros((1, 2))), (1, np.zeros((2, 3))), (2, np.zeros((1, 1))), (3, np.zeros((2, 2)))]
    refuses(_histogram.disagreement, pairs, [*wrong, (3, np.zeros((1, 1)))])
