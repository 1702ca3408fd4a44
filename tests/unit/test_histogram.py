"""Losses against label histograms: the record, against the slow twin; types and layouts; intervals."""

import math

import numpy as np
import pytest
from layouts import layouts
from refusals import refused, warned
from twins import histogram as twin
from twins.histogram_problems import PARTS, numbers_of, problem, same

import ugt
from ugt.calibration.sums import Loss

EDGES = {
    "width": ("width", 15),
    "four": ("width", 4),
    "one": ("width", 1),
    "mass": ("mass", 5),
    "given": ([0, 0.1, 0.35, 0.36, 0.9, 1], 15),
    "by class": ([[0, 0.2, 1], [0, 0.5, 1], [0, 0.9, 1]], 15),
}


@pytest.mark.parametrize("single_bins", ["zero", "plugin"])
@pytest.mark.parametrize("name", EDGES)
def test_by_the_slow_twin(name, single_bins):
    counts, probs = problem()
    binning, n_bins = EDGES[name]
    found = ugt.histogram_losses(counts, probs, binning=binning, n_bins=n_bins, single_bins=single_bins)
    edges = found.bin_edges.tolist()
    for part, least in ((found, 1), (found.paired, 2)):
        el, cl = twin.losses(counts.tolist(), probs.tolist(), edges, single_bins, least)
        np.testing.assert_allclose(part.per_bin.el.plugin, [[p for p, _ in row] for row in el], atol=1e-14)
        np.testing.assert_allclose(part.per_bin.cl.plugin, [[p for p, _ in row] for row in cl], atol=1e-14)
        np.testing.assert_allclose(part.per_bin.cl.debiased, [[d for _, d in row] for row in cl], atol=1e-14)
    np.testing.assert_allclose(found.per_bin.el.debiased, [[d for _, d in row] for row in el], atol=1e-14)  # of the paired cases
    np.testing.assert_allclose(found.per_bin.dl.debiased, np.array(el)[..., 1] - np.array(cl)[..., 1], atol=1e-14)
    assert found.l_sq == pytest.approx(twin.l_sq(counts.tolist(), probs.tolist()), abs=1e-14)
    assert found.accuracy == pytest.approx(twin.accuracy(counts.tolist(), probs.tolist()), abs=1e-14)
    assert found.il.debiased == pytest.approx(twin.irreducible(counts.tolist()), abs=1e-14)
    assert found.n_cases == (counts.sum(1) > 0).sum() == found.bin_counts[0].sum()
    n = counts.sum(1)
    assert list(found.left_out.values()) == [(n == 0).sum(), (n == 1).sum()]


def test_it_adds_up():
    found = ugt.histogram_losses(*problem(3))
    paired = found.paired
    assert paired.n_cases < found.n_cases and paired.paired is paired and paired.left_out == {}
    for part in PARTS:
        assert getattr(paired.el, part) == pytest.approx(getattr(paired.cl, part) + getattr(paired.dl, part), abs=1e-15)
    assert paired.l_sq == pytest.approx(paired.el.plugin + paired.il.plugin) == pytest.approx(paired.el.debiased + paired.il.debiased)
    assert found.l_sq == pytest.approx(found.el.plugin + found.il.plugin)
    for loss in ("el", "cl", "dl", "il"):
        one, by_class, by_bin = (getattr(table, loss) for table in (found, found.per_class, found.per_bin))
        np.testing.assert_allclose(one.debiased, [by_class.debiased.sum(), by_bin.debiased.sum()][0])
        np.testing.assert_allclose(by_class.bias, by_bin.bias.sum(1))
        part = getattr(paired, loss)
        assert part.plugin - part.bias == pytest.approx(part.debiased, abs=1e-15)
    assert (found.per_bin.dl.plugin >= 0).all()


@pytest.mark.parametrize("weighted", [False, True])
def test_refinement(weighted):
    """Theorems 1 and 2, to 1e-12, in every column of the record, and of every class and bin; RL and ERL by the slow twin."""
    counts, probs = problem(5, n=70, labels=(2, 3, 5))
    found = ugt.histogram_losses(counts, probs, n_bins=3, weights=np.linspace(0.5, 3, 70) if weighted else None)
    pairs = ugt.calibration.disagreement_losses(counts, ugt.calibration.predicted_disagreement(probs), n_bins=3)
    close = {"rtol": 0, "atol": 1e-12}
    for part in ("plugin", "debiased"):
        el, cl, dl, il, rl, erl = (getattr(getattr(found, name), part) for name in ("el", "cl", "dl", "il", "rl", "erl"))
        np.testing.assert_allclose([cl + rl + found.within, el + il, cl + dl + il], found.l_sq, **close)
        np.testing.assert_allclose([cl + erl + found.within, dl - erl, rl - il], [el, found.within, erl], **close)
        np.testing.assert_allclose(getattr(pairs.cl, part) + getattr(pairs.rl, part) + pairs.within, pairs.l_phi, **close)
        for one in (found.per_class, found.per_bin):
            np.testing.assert_allclose(getattr(one.rl, part), getattr(one.erl, part) + getattr(one.il, part), **close)
    np.testing.assert_allclose(found.per_bin.erl.debiased.sum(axis=(0, 1)), found.erl.debiased, **close)
    alike = ugt.histogram_losses(counts, np.tile([0.2, 0.3, 0.5], (70, 1)))
    assert abs(alike.within) < 1e-15 and found.within != 0
    if weighted:
        return
    for k in range(3):
        for b in range(3):
            inside = [i for i in range(70) if twin.bin_of(probs[i, k], found.bin_edges[k]) == b]
            one = found.per_bin
            given = one.rl.plugin[k, b], one.rl.debiased[k, b], one.erl.plugin[k, b]
            assert len(inside) > 1 and given == pytest.approx(twin.refinement(counts.tolist(), k, inside, 70), abs=1e-14)


def test_roots():
    counts, probs = problem(1, n=400, labels=(3,))
    skewed = probs**2 / (probs**2).sum(1, keepdims=True)
    found = ugt.histogram_losses(counts, skewed)
    assert found.ce == math.sqrt(found.cl.debiased) and found.de == math.sqrt(found.dl.debiased)
    np.testing.assert_array_equal(found.ce_per_class, np.sqrt(found.per_class.cl.debiased))
    assert found.ce_mean == found.ce_per_class.mean()
    low = ugt.histogram_losses([[2, 2], [2, 2], [1, 3]], [[0.5, 0.5]] * 3)  # debiased losses below 0 have no root
    assert low.el.debiased < 0 and low.cl.debiased < 0 and math.isnan(low.ce) and math.isnan(low.ce_mean)
    assert low.cl.root("zero").debiased == 0 and low.cl.root("zero").plugin == math.sqrt(low.cl.plugin)
    refused(r"negative must be one of 'nan', 'zero'\. Got 'abs'", low.cl.root, "abs")


def test_rules_for_single_labels():
    counts, probs = problem(5, labels=(1, 3))
    omitted, zero = (ugt.histogram_losses(counts, probs, singletons=rule) for rule in ("omit", "zero"))
    single = counts.sum(1) == 1
    biases = [0 if n == 1 else sum(y / n * (1 - y / n) for y in row) / (n - 1) for row, n in zip(counts, counts.sum(1))]
    assert zero.el.bias == pytest.approx(np.mean(biases)) and zero.el.debiased == pytest.approx(zero.el.plugin - zero.el.bias)
    assert omitted.el.bias == pytest.approx(np.mean(np.array(biases)[~single]))
    assert zero.left_out == {} and list(omitted.left_out.values()) == [single.sum()]
    assert omitted.el.plugin == zero.el.plugin and omitted.cl.debiased == zero.cl.debiased
    alone = ugt.histogram_losses(counts[~single], probs[~single])
    same(omitted.paired, alone)
    assert (omitted.el.debiased, omitted.dl.debiased, omitted.il.debiased) == pytest.approx(
        (alone.el.debiased, alone.dl.debiased, alone.il.debiased)
    )


def test_bin_edges():
    """A probability on an edge belongs to the bin above, 1 to the last."""
    edges = np.linspace(0, 1, 16)
    z = np.concatenate([edges, np.nextafter(edges[1:], 0), np.nextafter(edges[:-1], 1)])
    probs = np.stack([z, 1 - z], 1)
    expected = [twin.bin_of(x, edges.tolist()) for x in z]
    for binning in ("width", edges, np.stack([edges, edges]), np.stack([edges, np.linspace(0, 1, 16) ** 2])):
        for i in range(len(z)):
            found = ugt.histogram_losses([[2, 1]], probs[i : i + 1], binning=binning)
            assert np.flatnonzero(found.bin_counts[0]).tolist() == [expected[i]]
    for n_bins in (1, 2, 3, 7, 10, 49, 100, 1000):
        edges = np.linspace(0, 1, n_bins + 1)
        z = np.concatenate([edges, np.nextafter(edges[1:], 0), np.nextafter(edges[:-1], 1)])
        found = ugt.histogram_losses(np.tile([2, 1], (len(z), 1)), np.stack([z, 1 - z], 1), n_bins=n_bins)
        by_numpy = np.minimum(np.searchsorted(edges, z, "right") - 1, n_bins - 1)
        np.testing.assert_array_equal(found.bin_counts[0], np.bincount(by_numpy, minlength=n_bins))


def test_equal_mass():
    counts, probs = problem(2, n=403, k=4, labels=(0, 2, 3))
    found = ugt.histogram_losses(counts, probs, binning="mass", n_bins=10)
    labelled = probs[counts.sum(1) > 0]
    np.testing.assert_allclose(found.bin_edges[:, 1:-1].T, np.quantile(labelled, np.linspace(0, 1, 11)[1:-1], axis=0))
    assert found.bin_counts.max() - found.bin_counts.min() <= 1
    assert (found.bin_edges[:, 0] == 0).all() and (found.bin_edges[:, -1] == 1).all()
    tied = ugt.histogram_losses([[1, 1]] * 9, [[1.0, 0.0]] * 9, binning="mass", n_bins=4)  # all of one value: one bin has them
    assert tied.bin_counts.max(1).tolist() == [9, 9]


def test_ties_of_the_argmax():
    counts = [[2, 2, 1], [5, 0, 0], [1, 1, 1], [0, 0, 4], [3, 3, 3]]
    probs = [[0.5, 0.3, 0.2], [0.4, 0.4, 0.2], [0.2, 0.2, 0.6], [1 / 3, 1 / 3, 1 / 3], [1 / 3, 1 / 3, 1 / 3]]
    assert ugt.histogram_losses(counts, probs).accuracy == pytest.approx((1 / 2 + 1 / 2 + 1 / 3 + 1 / 3 + 1 / 3) / 5)
    near = [[0.5, 0.5 - 1e-15], [0.5 - 1e-15, 0.5]]  # not tied
    assert ugt.histogram_losses([[3, 0]] * 2, near).accuracy == 0.5
    assert ugt.histogram_losses([[3, 0, 0]] * 2, [[0.5, 0.5 - 1e-15, 0]] * 2).accuracy == 1
    assert ugt.histogram_losses([[0, 3, 0]] * 2, [[0.5, 0.5 - 1e-15, 0]] * 2).accuracy == 0


# ---- layouts, types, threads
def test_layouts_and_types():
    counts, probs = problem(7, n=301, k=5)
    expected = ugt.histogram_losses(counts, probs)
    forms = [*layouts(counts, kinds=("i4", "u1", "f8")).values(), ugt.Labels.from_counts(counts)]
    for given in (*((form, probs) for form in forms), *((counts, form) for form in layouts(probs).values())):
        np.testing.assert_array_equal(numbers_of(ugt.histogram_losses(*given)), numbers_of(expected))
    unaligned = np.frombuffer(b"x" + probs.tobytes(), np.uint8)[1:].view(np.float64).reshape(probs.shape)
    assert not unaligned.flags.aligned
    same(ugt.histogram_losses(counts, unaligned), expected, 0)
    single = probs.astype(np.float32)
    same(ugt.histogram_losses(counts, single), ugt.histogram_losses(counts, single.astype(np.float64)), 0)
    same(ugt.histogram_losses(counts, np.asfortranarray(single)), ugt.histogram_losses(counts, single), 0)
    half = (np.round(probs * 64) / 64).astype(np.float16)
    half[:, 0] = 1 - half[:, 1:].sum(1)
    same(ugt.histogram_losses(counts, half), ugt.histogram_losses(counts, half.astype(np.float64)), 0)


def test_large_counts():
    """Beyond the table of usual numbers of labels, and beyond 2^52."""
    counts = np.array([[70, 5], [64, 0], [63, 1], [10**6, 3], [2**52, 2**52], [2, 0]])
    probs = np.array([[0.9, 0.1], [0.5, 0.5], [0.99, 0.01], [0.7, 0.3], [0.5, 0.5], [0.2, 0.8]])
    found = ugt.histogram_losses(counts, probs)
    n = counts.sum(1, keepdims=True)
    m = counts / n
    assert found.el.plugin == pytest.approx(((m - probs) ** 2).sum() / 6, rel=1e-13)
    assert found.el.bias == pytest.approx((m * (1 - m) / (n - 1)).sum() / 6, rel=1e-13)
    assert found.accuracy == pytest.approx((1 + 0.5 + 1 + 1 + 0.5 + 0) / 6)


def test_threads_and_chunks():
    counts, probs = problem(9, n=30, k=3)
    many = np.tile(counts, (4000, 1)), np.tile(probs, (4000, 1))
    alone = ugt.histogram_losses(*many)
    for n_threads in (2, 3, 7):
        with ugt.resampling.threads(n_threads):
            np.testing.assert_array_equal(numbers_of(ugt.histogram_losses(*many)), numbers_of(alone))
    few, per_case = numbers_of(ugt.histogram_losses(counts, probs)), numbers_of(alone)
    np.testing.assert_allclose([per_case[0], per_case[1]], few[:2], rtol=1e-12)
    np.testing.assert_allclose(alone.el.debiased, ugt.histogram_losses(counts, probs).el.debiased, rtol=1e-11)


@pytest.mark.filterwarnings("ignore:undefined")
@pytest.mark.parametrize("labels", [(5,), (1,), (0, 1, 2, 3), (70, 3)])
def test_two_classes(labels):
    """Whole counts of two classes go their own way, two cases at a time: the same bytes as all others."""
    counts, probs = problem(12, n=2345, k=2, labels=labels, decimals=32)
    expected = ugt.histogram_losses(counts.astype(float), probs)
    wide = np.zeros((2345, 4), np.int32)
    wide[:, ::2] = counts
    backwards = np.ascontiguousarray(probs[::-1])[::-1]
    for given in ((counts, probs), (counts.astype(np.int32), probs), (wide[:, ::2], backwards), (counts, probs.astype(np.float32))):
        np.testing.assert_array_equal(numbers_of(ugt.histogram_losses(*given)), numbers_of(expected))
    assert expected.accuracy == pytest.approx(twin.accuracy(counts.tolist(), probs.tolist()))
    np.testing.assert_allclose(expected.statistic.sums(np.ones((1, 2345))), expected.statistic.sums(), rtol=1e-12)


def test_names_of_classes_and_cases():
    labels = ugt.Labels.from_counts([[2, 1], [0, 3]], case_ids=["p1", "p2"], classes=["no", "yes"])
    found = ugt.histogram_losses(labels, [[0.5, 0.5], [0.2, 0.8]])
    assert found.classes.tolist() == ["no", "yes"]
    with pytest.raises(ValueError, match=r"probs must be from 0 to 1 \(within 1e-06\)\. Got 1\.5, first at case 'p2', class 'no'\."):
        ugt.histogram_losses(labels, [[0.5, 0.5], [1.5, -0.5]])


# ---- resampling
def shown(found):
    """Estimate of every number, by the record's attributes."""
    rows = [(found, ""), *((None, f"[{name}]") for name in found.classes)]
    numbers = []
    for k, (whole, _) in enumerate(rows):
        pick = lambda x, k=k, whole=whole: x if whole else x[k - 1]  # noqa: E731
        table = whole or found.per_class
        parts = [[pick(getattr(getattr(table, name), part)) for name in ("el", "cl", "dl", "il")] for part in ("debiased", "plugin")]
        more = [pick(getattr(getattr(table, name), part)) for part in ("debiased", "plugin") for name in ("rl", "erl")]
        numbers += [pick(table.l_sq), *parts[0], *([found.accuracy] if whole else []), *parts[1], *more]
    return np.array(numbers)


@pytest.mark.parametrize("options", [{}, {"singletons": "zero", "single_bins": "plugin"}, {"n_bins": 3, "binning": "mass"}])
def test_resamples_are_those_of_repeated_cases(options):
    counts, probs = problem(4, n=40)
    found = ugt.histogram_losses(counts, probs, **options)
    np.testing.assert_allclose(found.statistic.estimate, shown(found), atol=1e-14)
    resampled, kept = found.resamples(n_resamples=200, seed=3), np.flatnonzero(counts.sum(1))
    weights = ugt.resampling.Design.of(len(kept)).weights(3, 0, 200).astype(int)
    again = [np.repeat(kept, w) for w in weights[:20]]
    edges = {**options, "binning": found.bin_edges}
    straight = np.array([shown(ugt.histogram_losses(counts[at], probs[at], **edges)) for at in again])
    moved = np.array([name[:2] in ("cl", "dl", "rl", "er") for name in found.statistic.names])
    np.testing.assert_allclose(resampled.values[:20, ~moved], straight[:, ~moved], atol=1e-13)
    shifts = resampled.values[:20, moved] - straight[:, moved]
    np.testing.assert_allclose(shifts, np.broadcast_to(shifts[0], shifts.shape), atol=1e-13)  # all by as much
    np.testing.assert_allclose(resampled.values[:, moved].mean(0), resampled.estimate[moved], atol=1e-14)


@pytest.mark.slow
def test_intervals():
    counts, probs = problem(6, n=150, k=3)
    found = ugt.histogram_losses(counts, probs, classes=["a", "b", "c"])
    options, names = {"n_resamples": 300, "seed": 5}, found.statistic.names
    assert (
        names[:7] == ("l_sq", "el", "cl", "dl", "il", "accuracy", "el plugin")
        and names[10:12] == ("rl", "erl")
        and names[19:21] == ("el[a] plugin", "cl[a] plugin")
    )
    resampled = found.resamples(**options)
    for kind in ("percentile", "basic", "bca"):
        for name, ends in zip(names[:12], resampled.interval(0.9, kind)):
            np.testing.assert_allclose(found.interval(0.9, of=name, kind=kind, **options), ends, rtol=1e-12, atol=1e-15)
    assert found.interval(**options) == found.interval(of="l_sq", **options) and found.value == found.l_sq
    for root, name in (("ce", "cl"), ("de", "dl"), ("ce[b]", "cl[b]"), ("ce plugin", "cl plugin")):
        assert found.interval(of=root, **options) == tuple(np.sqrt(np.maximum(found.interval(of=name, **options), 0)))
    half = 1.976 * found.std_error
    assert found.interval(kind="analytic") == pytest.approx((found.value - half, found.value + half), rel=1e-3)
    other = found.minus(ugt.histogram_losses(counts, probs[::-1], classes=["a", "b", "c"]))
    assert other.value < 0 and other.interval(of="accuracy")[0] > 0
    for ask, message in (
        (lambda: found.interval(of="brier"), r"of must be one of 'l_sq', 'el', 'cl', 'dl', 'il', 'accuracy', .*\. Got 'brier'"),
        (lambda: found.interval(of="accuracy[a]"), r"of must be one of .*Got 'accuracy\[a\]'"),
        (lambda: found.interval(of="cl[d]"), r"of must be one of .*Got 'cl\[d\]'"),
        (lambda: found.interval(of=1), r"of must be one of"),
        (lambda: found.interval(1.5, of="cl"), r"level must be a number between 0 and 1"),
        (lambda: found.interval(of="ce", clusters=[1, 2]), r"clusters must be 150 ids"),
        (lambda: ugt.histogram_losses(counts, probs).minus(found), r"other must have the same numbers"),
    ):
        refused(message, ask)


@pytest.mark.parametrize("options", [{}, {"singletons": "zero", "single_bins": "plugin"}, {"n_bins": 3, "single_bins": "plugin"}])
def test_derivatives_by_the_weights_of_cases(options):
    counts, probs = problem(1, n=40)
    rule = {name: value for name, value in options.items() if name != "singletons"}
    step = 1e-6 * np.eye(40)
    for found in (
        ugt.histogram_losses(counts, probs, **options),
        ugt.calibration.disagreement_losses(counts, ugt.calibration.predicted_disagreement(probs), **rule),
    ):
        one = found.statistic
        by_steps = np.where(one.kept[:, None], (one.values(1 + step) - one.estimate) / 1e-6, 0.0)
        np.testing.assert_allclose(one.influence(), by_steps, atol=1e-7)
        np.testing.assert_array_equal(found.influence, one.influence()[:, 0])


def test_derivatives_if_all_cases_with_one_label_are_wrong():
    counts, probs = problem(1, n=40)
    single = counts.sum(1) == 1
    probs[single] = np.where(counts[single] > 0, 0.1, 0.9 / (counts.shape[1] - 1))
    found = ugt.histogram_losses(counts, probs)
    one = found.statistic
    assert single.any() and found.accuracy == pytest.approx(found.paired.accuracy * (1 - single.sum() / found.n_cases))
    by_steps = np.where(one.kept[:, None], (one.values(1 + 1e-6 * np.eye(40)) - one.estimate) / 1e-6, 0.0)
    np.testing.assert_allclose(one.influence(), by_steps, atol=1e-7)


def test_without_annotators():
    rng = np.random.default_rng(5)
    said, probs = rng.integers(0, 3, (50, 4)), rng.dirichlet(np.ones(3), 50)
    labels, fewer = (ugt.Labels.from_wide(table, classes=["a", "b", "c"]) for table in (said, said[:, [0, 1, 3]]))
    predicted, weights = ugt.calibration.predicted_disagreement(probs), np.array([1, 1, 0, 1])
    for metric, shown_ in ((ugt.histogram_losses, probs), (ugt.calibration.disagreement_losses, predicted)):
        one, other = metric(labels, shown_).statistic, metric(fewer, shown_).statistic
        np.testing.assert_array_equal(one.values(None, weights), other.values())
        np.testing.assert_allclose(one.values(None, np.ones(4)), one.values())
        for bad in (np.ones(3), np.full(4, 0.5), np.array([1, 1, -1, 1])):
            refused(r"annotators must be 4 weights of 0 or 1", one.panel.judged_by, bad)
        refused(r"annotators must be named", metric(labels.counts(), shown_).statistic.panel.judged_by, weights)
    given = ugt.calibration.disagreement_losses(labels, probs[:, 0], statistic=probs[:, 0]).statistic
    refused(r"statistic must be disagreement", given.panel.judged_by, weights)


def test_losses_are_resampled_from_the_tables_as_they_were():
    counts, probs = problem(9, n=30)
    found = ugt.histogram_losses(counts, probs)
    probs[3] = probs[4]
    for ask in (found.resamples, lambda: found.std_error, lambda: found.interval(of="ce")):
        refused(r"counts and probs must be as they were when the losses were computed", ask)
    assert math.isfinite(found.l_sq)
    for ask in (found.paired.resamples, lambda: found.paired.reliability_curve(0, clusters=np.arange(30))):
        refused(r"losses must come from histogram_losses to be resampled", ask)


@pytest.mark.parametrize("single_bins", ["zero", "plugin"])
def test_single_bins_while_units_are_left_out(single_bins):
    """The others weigh a little more than 1: a bin with one case still is one."""
    counts, probs = problem(11, n=12, k=2, labels=(3,))
    found = ugt.histogram_losses(counts, probs, n_bins=100, single_bins=single_bins)
    assert found.bin_counts.max() == 1
    (again,) = found.statistic.values(np.full((1, 12), 12 / 11))
    np.testing.assert_allclose(again, found.statistic.estimate, atol=1e-15)
    assert found.cl.debiased == (0 if single_bins == "zero" else found.cl.plugin) and found.dl.plugin == 0


def test_one_case_has_no_interval():
    found = ugt.histogram_losses([[3, 1]], [[0.5, 0.5]])
    assert np.isnan(found.interval(n_resamples=9)).all()


def test_reliability_curves():
    rng = np.random.default_rng(0)
    z = rng.random(2000)
    counts = rng.binomial(4, z)
    found = ugt.histogram_losses(np.stack([4 - counts, counts], 1), np.stack([1 - z, z], 1), n_bins=10)
    curve = found.reliability_curve(1)
    at = np.minimum((z * 10).astype(int), 9)
    np.testing.assert_allclose(curve.mean_probability, [z[at == b].mean() for b in range(10)])
    np.testing.assert_allclose(curve.label_share, [counts[at == b].mean() / 4 for b in range(10)])
    assert curve.n_cases.tolist() == np.bincount(at).tolist() and not curve.few.any()
    assert curve.edges.tolist() == np.linspace(0, 1, 11).tolist()
    assert ((curve.low < curve.label_share) & (curve.label_share < curve.high)).all()
    errors = [(counts[at == b] / 4).std(ddof=1) / np.sqrt((at == b).sum()) for b in range(10)]
    np.testing.assert_allclose((curve.high - curve.low)[1:-1], 2 * 1.96 * np.array(errors)[1:-1], rtol=0.05)
    by_cluster = found.reliability_curve(1, clusters=np.arange(2000), n_resamples=400)
    np.testing.assert_allclose(by_cluster.high - by_cluster.low, curve.high - curve.low, rtol=0.35)
    assert (found.reliability_curve(1, 0.5).high < curve.high).all()


def test_reliability_curves_of_clusters_stay_within_0_and_1():
    """Their intervals left the range, and had no width if all labels of a bin were alike: 0 to 0 where 20 labels allow 0.16."""
    rng = np.random.default_rng(0)
    z, clusters = np.repeat([0.02, 0.5, 0.97], 20), np.arange(60) // 2
    counts = np.concatenate([np.zeros(20, int), rng.binomial(3, 0.5, 20), np.full(20, 3)])
    for change, weights in ((0, None), (1, None), (1, rng.integers(1, 4, 60))):
        counts[0], counts[-1] = change, 3 - change
        found = ugt.histogram_losses(np.stack([3 - counts, counts], 1), np.stack([1 - z, z], 1), n_bins=3, weights=weights)
        curve = found.reliability_curve(1, clusters=clusters)
        expected = [np.average(counts[part] / 3, weights=None if weights is None else weights[part]) for part in np.split(np.arange(60), 3)]
        np.testing.assert_allclose(curve.label_share, expected)
        assert (curve.low >= 0).all() and (curve.high <= 1).all()
        assert (curve.high - curve.low > 0.1).all()
        # that of the mean share over the cases of the bin, in the same clusters
        w = np.ones(20) if weights is None else weights[20:40]
        middle = ugt.bootstrap(w[:, None] * counts[20:40, None] / 3, w[:, None], clusters=clusters[20:40])
        assert (curve.low[1], curve.high[1]) == pytest.approx(tuple(middle.interval()[0]), abs=0.08)
    ends = ugt.histogram_losses([[3, 0], [2, 1]] * 3, [[0.9, 0.1]] * 6, n_bins=2).reliability_curve(1, clusters=[0] * 6)
    assert np.isnan(ends.low).all() and np.isnan(ends.high).all()
    given = ugt.calibration.disagreement_losses(np.stack([3 - counts, counts], 1), z * 0 + 0.1, n_bins=3).reliability_curve(
        clusters=clusters
    )
    assert given.low[0] >= 0 and given.high[0] <= 1


@pytest.mark.parametrize("k", [-1, 2, 10])
def test_reliability_curves_of_classes_that_are_not_there(k):
    found = ugt.histogram_losses([[1, 2], [2, 1]], [[0.2, 0.8], [0.6, 0.4]], n_bins=2)
    refused(r"^k must be .* to 1", found.reliability_curve, k)


@pytest.mark.filterwarnings("ignore:bin 0 of")
def test_curves_of_many_bins_print_short():
    curve = ugt.histogram_losses([[1, 2], [2, 1]], [[0.2, 0.8], [0.6, 0.4]], n_bins=200).reliability_curve(1)
    assert "edges=<201 array of float64>," in repr(curve) and "label_share=<200 array of float64>," in repr(curve)


def test_bins_that_say_nothing():
    counts = [[3, 0]] * 12 + [[0, 2]] * 9 + [[1, 1]] * 10
    found = ugt.histogram_losses(counts, [[0.9, 0.1]] * 12 + [[0.4, 0.6]] * 9 + [[0.1, 0.9]] * 10, n_bins=4, classes=["no", "yes"])
    curve = warned(r"^bin 2 of class yes has fewer than 10 cases, too few to interpret", found.reliability_curve, 1)
    assert curve.few.tolist() == [False, False, True, False]
    assert np.isnan(curve.low[1]) and np.isnan(curve.mean_probability[1]) and curve.n_cases.tolist() == [12, 0, 9, 10]
    # all cases of the bin say the same: as many labels as cases, Wilson's interval of 0 out of 12
    assert curve.low[0] == 0 and curve.high[0] == pytest.approx(1.959964**2 / (12 + 1.959964**2))


def test_differences_of_losses_are_taken_number_by_number():
    found = Loss(3.0, 1.0, 2.0).minus(Loss(0.5, 0.25, 0.125))
    assert (found.plugin, found.bias, found.debiased) == (2.5, 0.75, 1.875)
