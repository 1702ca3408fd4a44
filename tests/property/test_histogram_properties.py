"""Properties of losses against label histograms: how they add up, what may change without changing them, and the slow twin."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from twins import histogram as twin
from twins.histogram_problems import PARTS, numbers_of

import ugt
from ugt.calibration.input import Histograms
from ugt.calibration.losses import HistogramStatistic

EPS = np.finfo(float).eps
COUNT_TYPES = ("int64", "int32", "uint8", "float64", "float32", ">i4")
BINNINGS = {"width": "width", "edges": [0, 0.1, 0.25, 0.5, 0.875, 1], "mass": "mass"}
binnings = pytest.mark.parametrize("binning", BINNINGS)
pytestmark = pytest.mark.filterwarnings("ignore")


@st.composite
def problems(draw, most=12, classes=(2, 5), least_labels=0):
    """Whole counts and probabilities that are multiples of 1/64: on edges of bins, tied, 0 and 1 among them."""
    k, n = draw(st.integers(*classes)), draw(st.integers(1, most))
    counts = np.array(draw(st.lists(st.lists(st.integers(0, 4), min_size=k, max_size=k), min_size=n, max_size=n)))
    counts[:, 0] += np.maximum(least_labels - counts.sum(1), 0)
    cuts = draw(st.lists(st.lists(st.integers(0, 64), min_size=k - 1, max_size=k - 1), min_size=n, max_size=n))
    probs = np.diff(np.sort(cuts, axis=1), prepend=0, append=64, axis=1) / 64
    return counts, probs


def close(found, expected):
    np.testing.assert_allclose(numbers_of(found), numbers_of(expected), rtol=1e-12, atol=1e-13)


# ---- how they add up
@binnings
@given(problems(least_labels=2))
def test_decompositions(binning, problem):
    found = ugt.histogram_losses(*problem, binning=BINNINGS[binning], n_bins=4)
    for table in (found, found.per_class, found.per_bin):
        for part in PARTS:
            el, cl, dl = (getattr(getattr(table, name), part) for name in ("el", "cl", "dl"))
            np.testing.assert_allclose(el, cl + dl, atol=1e-14)
        for part in ("plugin", "debiased"):
            np.testing.assert_allclose(table.l_sq, getattr(table.el, part) + getattr(table.il, part), atol=1e-14)
        for name in ("el", "cl", "dl", "il"):
            loss = getattr(table, name)
            np.testing.assert_allclose(loss.debiased, loss.plugin - loss.bias, atol=1e-15)
    for name in ("el", "cl", "dl", "il"):
        for part in PARTS:
            one, by_class, by_bin = (getattr(getattr(table, name), part) for table in (found, found.per_class, found.per_bin))
            np.testing.assert_allclose([one, one], [np.sum(by_class), np.sum(by_bin)], atol=1e-13)
    assert min(found.l_sq, found.el.plugin, found.cl.plugin, found.dl.plugin, found.il.plugin, found.el.bias) >= 0


@given(problems())
def test_counts_of_cases(problem):
    counts, _ = problem
    found = ugt.histogram_losses(*problem)
    n = counts.sum(1)
    reasons = {"case without labels": (n == 0).sum(), "case with fewer than two labels": (n == 1).sum()}
    assert {reason.split(" (")[0]: m for reason, m in found.left_out.items()} == {reason: m for reason, m in reasons.items() if m}
    assert (found.bin_counts.sum(1) == found.n_cases).all() and found.n_cases == (n > 0).sum()
    assert (found.paired.bin_counts.sum(1) == (n > 1).sum()).all()


# ---- what changes nothing
@binnings
@given(problems(), st.randoms())
def test_order_of_cases_and_classes(binning, problem, random):
    counts, probs = problem
    options = {"binning": BINNINGS[binning], "n_bins": 3}
    found = ugt.histogram_losses(counts, probs, **options)
    rows = random.sample(range(len(counts)), len(counts))
    close(ugt.histogram_losses(counts[rows], probs[rows], **options), found)
    columns = random.sample(range(counts.shape[1]), counts.shape[1])
    turned = ugt.histogram_losses(counts[:, columns], probs[:, columns], **options)
    np.testing.assert_allclose(turned.per_bin.cl.debiased, found.per_bin.cl.debiased[columns], atol=1e-13)
    np.testing.assert_array_equal(turned.bin_counts, found.bin_counts[columns])
    for name in ("el", "cl", "dl", "il"):
        np.testing.assert_allclose(getattr(turned, name).debiased, getattr(found, name).debiased, atol=1e-13)
    np.testing.assert_allclose([turned.l_sq, turned.accuracy], [found.l_sq, found.accuracy], atol=1e-13)


@pytest.mark.parametrize("dtype", COUNT_TYPES)
@given(problems(most=40), st.booleans())
def test_types_and_strides(dtype, problem, turned):
    counts, probs = problem
    given = counts.astype(dtype), (np.asfortranarray(probs) if turned else probs.astype(np.float32))
    np.testing.assert_array_equal(numbers_of(ugt.histogram_losses(*given)), numbers_of(ugt.histogram_losses(counts, probs)))
    if turned:
        wide = np.zeros((len(counts), 2 * counts.shape[1]), dtype)
        wide[:, ::2] = counts
        np.testing.assert_array_equal(
            numbers_of(ugt.histogram_losses(wide[:, ::2], probs)), numbers_of(ugt.histogram_losses(counts, probs))
        )


@given(problems(most=9), st.integers(1, 5))
def test_copies_of_all_cases(problem, times):
    counts, probs = problem
    one, several = ugt.histogram_losses(counts, probs), ugt.histogram_losses(np.tile(counts, (times, 1)), np.tile(probs, (times, 1)))
    for name in ("el", "cl", "dl", "il"):
        np.testing.assert_allclose(getattr(several, name).plugin, getattr(one, name).plugin, atol=1e-13)
    np.testing.assert_allclose([several.el.bias, several.accuracy], [one.el.bias, one.accuracy], atol=1e-13)


@given(problems(), st.integers(1, 4))
def test_cases_without_labels(problem, n):
    counts, probs = problem
    more = ugt.histogram_losses(
        np.concatenate([np.zeros((n, counts.shape[1]), int), counts]), np.concatenate([probs[:1].repeat(n, 0), probs])
    )
    alone = ugt.histogram_losses(counts, probs)
    close(more, alone)
    assert more.left_out["case without labels"] == alone.left_out.get("case without labels", 0) + n


# ---- weights
@binnings
@given(problems(), st.lists(st.integers(0, 4), min_size=12, max_size=12), st.sampled_from([0.5, 2.0, 1024.0]))
def test_weights_of_a_pass(binning, problem, weights, scale):
    """Sums are linear in the weights of cases, and whole weights are copies."""
    counts, probs = problem
    w = np.array(weights[: len(counts)], float)
    one = ugt.histogram_losses(counts, probs, binning=BINNINGS[binning], n_bins=4).statistic
    sums, scaled = one.sums(np.stack([w, scale * w]))
    np.testing.assert_array_equal(scaled, scale * sums)
    # a cell of n cases adds up n numbers of at most 1, each made of numbers of at most 1 in 4 steps: 4 n and n² roundings
    (cells, totals), (own, expected) = one.split(one.sums(np.ones((1, len(counts))))), one.split(one.sums())
    size = own[..., :1]
    assert (np.abs(cells - own) <= EPS * size * (4 + size)).all()
    np.testing.assert_allclose(totals, expected, rtol=len(counts) * EPS)
    if w.any():
        rows = np.repeat(np.arange(len(counts)), w.astype(int))
        copies = HistogramStatistic(Histograms.of(counts[rows], probs[rows]), one.bins, one.rules, one.classes)
        np.testing.assert_allclose(sums, copies.sums()[0], rtol=1e-13, atol=1e-14)


# ---- the slow twin
@binnings
@given(problems(most=8), st.sampled_from(["zero", "plugin"]), st.sampled_from(["int64", "int32", "float64"]))
def test_slow_twin(binning, problem, single_bins, dtype):
    counts, probs = problem
    found = ugt.histogram_losses(counts.astype(dtype), probs, binning=BINNINGS[binning], n_bins=4, single_bins=single_bins)
    y, z, edges = counts.tolist(), probs.tolist(), found.bin_edges.tolist()
    for part, least in ((found, 1), (found.paired, 2)):
        if part.n_cases == 0:
            continue
        el, cl = twin.losses(y, z, edges, single_bins, least)
        np.testing.assert_allclose(part.per_bin.el.plugin, np.array(el)[..., 0], atol=1e-14)
        np.testing.assert_allclose(part.per_bin.cl.plugin, np.array(cl)[..., 0], atol=1e-14)
        np.testing.assert_allclose(part.per_bin.cl.debiased, np.array(cl)[..., 1], atol=1e-14)
    if found.paired.n_cases:
        np.testing.assert_allclose(found.per_bin.el.debiased, np.array(el)[..., 1], atol=1e-14)
        np.testing.assert_allclose(found.il.debiased, twin.irreducible(y), atol=1e-13)
    np.testing.assert_allclose([found.l_sq, found.accuracy], [twin.l_sq(y, z), twin.accuracy(y, z)], atol=1e-14)


@given(problems(most=7, classes=(2, 4)), st.integers(2, 3))
def test_statistics_of_several_labels(problem, n):
    counts, probs = problem
    phi = lambda *labels: float(len(set(labels)) == len(labels))  # noqa: E731
    found = ugt.calibration.symmetric_statistic(counts, phi, n)
    np.testing.assert_allclose(found, [twin.statistic(row, phi, n) for row in counts.tolist()], atol=1e-13)
    predicted, edges = probs[:, 0], np.linspace(0, 1, 5)
    losses = ugt.calibration.disagreement_losses(counts, predicted, statistic=found, n_bins=4)
    loss, plugin, debiased = twin.statistic_losses(counts.tolist(), predicted.tolist(), phi, n, edges.tolist())
    assert losses.l_phi == pytest.approx(loss, abs=1e-13, nan_ok=True)
    if losses.n_cases:
        assert (losses.cl.plugin, losses.cl.debiased) == pytest.approx((plugin, debiased), abs=1e-13)


# ---- disagreement
def disagreement(counts, probs, **options):
    return ugt.calibration.disagreement_losses(counts, ugt.calibration.predicted_disagreement(probs), **options)


@binnings
@given(problems(), st.randoms())
def test_disagreement_whatever_the_order(binning, problem, random):
    counts, probs = problem
    options = {"binning": BINNINGS[binning], "n_bins": 4}
    found = disagreement(counts, probs, **options)
    rows, columns = (random.sample(range(n), n) for n in counts.shape)
    turned = disagreement(counts[rows][:, columns], probs[rows][:, columns], **options)
    np.testing.assert_allclose(turned.observed, found.observed[rows], atol=1e-15)
    np.testing.assert_allclose(turned.l_per_class, found.l_per_class[columns], atol=1e-13)
    np.testing.assert_allclose(turned.l_phi, found.l_phi, atol=1e-13)
    np.testing.assert_allclose(turned.cl_per_class.debiased, found.cl_per_class.debiased[columns], atol=1e-13)


@given(problems(classes=(2, 2)))
def test_disagreement_about_two_classes(problem):
    """One label is class 1 and the other is not: they differ."""
    found = disagreement(*problem)
    np.testing.assert_allclose(found.l_per_class, [found.l_phi] * 2, atol=1e-13)
    np.testing.assert_allclose(found.cl_per_class.debiased, [found.cl.debiased] * 2, atol=1e-13)


@given(problems(), st.floats(1e-3, 1e12))
def test_predicted_disagreement(problem, total):
    _, probs = problem
    point, dirichlet = (
        ugt.calibration.predicted_disagreement(probs),
        ugt.calibration.predicted_disagreement(total * probs, kind="dirichlet"),
    )
    np.testing.assert_allclose(dirichlet.overall, point.overall * total / (total + 1), atol=1e-13)
    np.testing.assert_allclose(dirichlet.per_class, point.per_class * total / (total + 1), atol=1e-13)
    np.testing.assert_allclose(point.per_class.sum(1), 2 * point.overall, atol=1e-13)  # two classes differ in each pair
    ensemble = ugt.calibration.predicted_disagreement(np.stack([probs, probs[::-1], probs]))
    np.testing.assert_allclose(ensemble.overall, (2 * point.overall + point.overall[::-1]) / 3, atol=1e-14)
    np.testing.assert_allclose(ensemble.per_class, (2 * point.per_class + point.per_class[::-1]) / 3, atol=1e-14)


# ---- scores
def value(score, counts, probs, **options):
    return score(counts, probs, **options).per_case


@given(problems())
def test_scores_by_the_slow_twin(problem):
    counts, probs = problem
    rows = list(zip(counts.tolist(), probs.tolist()))
    positions = np.cumsum(np.arange(1, counts.shape[1] + 1)) - 3.0

    def check(score, rule, **options):
        expected = [rule(y, z) if sum(y) else np.nan for y, z in rows]
        np.testing.assert_allclose(value(score, counts, probs, **options), expected, atol=1e-13)

    check(ugt.calibration.histogram_log_loss, twin.log_loss)
    check(ugt.calibration.histogram_brier_score, lambda y, z: twin.l_sq([y], [z]))
    check(ugt.calibration.ranked_probability_score, twin.ranked_probability)
    check(ugt.calibration.ranked_probability_score, lambda y, z: twin.ranked_probability(y, z) / (len(z) - 1), normalized=True)
    check(ugt.calibration.manhattan_distance, lambda y, z: sum(abs(a / sum(y) - b) for a, b in zip(y, z)))
    check(ugt.calibration.wasserstein_distance, lambda y, z: twin.wasserstein(y, z, range(len(z))))
    check(ugt.calibration.wasserstein_distance, lambda y, z: twin.wasserstein(y, z, positions), positions=positions)


@given(problems())
def test_scores_and_losses(problem):
    """The Brier score is L_sq; half of it that of two ordered classes; orders of classes may be turned round."""
    counts, probs = problem
    brier = value(ugt.calibration.histogram_brier_score, counts, probs)
    if counts.any():
        assert np.nanmean(brier) == pytest.approx(ugt.histogram_losses(counts, probs).l_sq, abs=1e-13)
    if counts.shape[1] == 2:
        np.testing.assert_allclose(value(ugt.calibration.ranked_probability_score, counts, probs), brier / 2, atol=1e-13)
        np.testing.assert_allclose(
            value(ugt.calibration.wasserstein_distance, counts, probs), value(ugt.calibration.manhattan_distance, counts, probs) / 2
        )
    for score in (
        ugt.calibration.ranked_probability_score,
        ugt.calibration.wasserstein_distance,
        ugt.calibration.manhattan_distance,
        ugt.calibration.histogram_log_loss,
    ):
        np.testing.assert_allclose(value(score, counts[:, ::-1], probs[:, ::-1]), value(score, counts, probs), atol=1e-13)


@given(problems())
def test_parts_of_the_log_loss(problem):
    counts, probs = problem
    probs = (probs + 0.1) / (1 + 0.1 * probs.shape[1])
    found = ugt.calibration.histogram_log_loss(counts, probs)
    for estimate in ("plugin", "debiased"):
        entropy, divergence = (found.part(name, estimate) for name in ("entropy", "divergence"))
        np.testing.assert_allclose(entropy.per_case + divergence.per_case, found.per_case, atol=1e-13)
        if counts.any():
            assert (np.nanmean(entropy.per_case), np.nanmean(divergence.per_case)) == pytest.approx((entropy.value, divergence.value))
            assert entropy.value == pytest.approx(getattr(found.entropy, estimate)) and entropy.n_cases == found.n_cases
    labelled = counts.sum(1) > 0
    assert (found.part("divergence", "plugin").per_case[labelled] > -1e-14).all()
