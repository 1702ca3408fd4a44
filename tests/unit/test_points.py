"""Weighted points of Plackett–Luce posteriors: the slow twin, closed forms, independent integration, and equalities that must hold."""

import itertools

import numpy as np
import pytest
from scipy import special
from scipy.stats import beta
from simulations import ALL
from twins import points as slow
from weighted_points import Points, mean_of

import ugt
from ugt._base import parallel
from ugt._core import _mentioned as core
from ugt.plausibilities.draws import REST


def listed(case, n_classes):
    """The mentioned classes of a case, and whether there are others."""
    classes = sorted({k for ranking in case for block in ranking for k in block})
    return classes, len(classes) < n_classes


TWINS = [
    ([[[0], [1], [2]], [[2], [1]]], 4, 1.0, 0.25, "individual"),
    ([[[0, 2], [1]], [[2, 0]]], 3, 3.3, 0.02, "individual"),
    ([[[0, 1, 2]], [[3], [0, 2]]], 7, 2.5, 1 / 7, "lump"),
    ([[[0, 1, 2, 3], [4]], [[4], [1]]], 5, 0.7, 0.5, "individual"),
    ([[[1], [0]], [[2, 3], [0]]], 9, 1.3, 0.3, "ignore"),
    ([[[0], [1, 2]]], 419, 1.0, 1 / 419, "lump"),  # most points differ by more than e^600
    ([[[0], [1, 2], [3]], [[3], [1]], [[3], [2]]], 5, 5.0, 1e-4, "lump"),  # the same, and ties among classes that are alike
]


@pytest.mark.parametrize("case, n_classes, gamma, shape, unranked", TWINS)
def test_weights_are_those_of_the_twin(case, n_classes, gamma, shape, unranked):
    of = Points([case], n_classes, gamma, shape, unranked)
    of.fit(first=8, most=8)
    m = of.sizes[0] // 3 - 1
    value, weight = of.points(0, 16)
    rest = int(unranked != "ignore" and m < n_classes)
    d = m + rest
    shapes = [shape] * m + [shape * (n_classes - m if unranked == "individual" else 1)] * rest
    alpha, betas, order = of.fit_of(0).reshape(3, -1)
    order, share = order[:d].astype(int), 1 / (1 + 2 ** betas[-1])
    theta = value[:, :d]
    assert special.logsumexp(value, axis=1) == pytest.approx(0, abs=1e-12)
    height = slow.log_density(case, theta, gamma, shapes)
    chain = [slow.chain_log_density(one, order, alpha, betas) for one in theta]
    sectors = [slow.sector_log_density(case, one, gamma, shapes) for one in theta]
    mixture = np.logaddexp(np.log(1 - share) + chain, np.log(share) + sectors)
    expected = special.softmax(height - mixture)
    assert weight == pytest.approx(expected, rel=1e-7)
    assert len(weight) == 16 * (16 + 16 // 2 ** int(betas[-1]))


def test_generating_vector():
    assert slow.generating_vector(3, 9) == [z % 2**9 for z in (1, 40239, 2451)]


@pytest.mark.parametrize("unranked", ["individual", "lump", "ignore"])
@pytest.mark.parametrize("n_classes", [5, 419])
@pytest.mark.parametrize("shape", [0.001, 0.0025, 0.02, 0.1, 1.0])
def test_chains_are_beta_laws(unranked, n_classes, shape):
    """One ranking: each stick has a Beta law."""
    case = [[[3], [1], [0]]]
    of = Points([case], n_classes, 1.0, shape, unranked, seed=3)
    value, error = of.fit(5e-4)[0]
    left = shape * {"individual": n_classes - 3, "lump": 1, "ignore": 0}[unranked]
    sticks, stick = [], 1.0
    for later in (2, 1, 0):  # a stick of Beta(1 + shape, shapes of all later classes)
        b = later * shape + left
        sticks.append(stick * (1 + shape) / (1 + shape + b))
        stick *= b / (1 + shape + b)
    means = np.array([sticks[2], sticks[1], sticks[0], max(1 - sum(sticks), 0.0)])  # classes 0, 1, 3
    off = (value[1] - means) / error[1]
    assert np.abs(off).max() < 4.5 and error[1].max() < 5e-4
    assert value[:2].sum(1) == pytest.approx(1, abs=1e-12)


@pytest.mark.parametrize("n_classes, shape", [(2, 0.5), (3, 0.02), (12, 0.1), (30, 1.0), (419, 1 / 419), (419, 0.05)])
def test_labels_are_dirichlet(n_classes, shape):
    """Unmentioned classes are integrated out by the law of their largest one."""
    case = [[[0]], [[0]], [[1]]]
    value, error = Points([case], n_classes, 1.0, shape, seed=2).fit(4e-4)[0]
    known = ugt.Dirichlet.from_array([[2 + shape, 1 + shape] + [shape] * (n_classes - 2)])
    first, mean = known.membership(1)[0], known.mean()[0]
    total = (2 + shape) + (1 + shape) + shape * (n_classes - 2)
    rest = mean[2:].sum()
    shares = np.append(mean[:2], rest)
    wanted = np.array([np.append(first[:2], first[2:].sum()), shares, shares * (1 - shares) / (total + 1)])
    off = ((value - wanted) / error)[:, :n_classes]
    assert np.abs(off).max() < 4.5
    if n_classes == 2:
        assert value[0, 0] == pytest.approx(beta.sf(0.5, 2.5, 1.5), abs=4.5 * error[0, 0])


EXCHANGEABLE = [
    ([[[0, 2]]], 3, 3.3, 0.02),
    ([[[0, 2], [1]], [[2, 0]]], 3, 3.3, 0.02),
    ([[[1, 0], [2]], [[0, 1], [2]]], 3, 0.7, 0.01),
    ([[[0, 1], [2, 3], [4, 5]]] * 3, 6, 10.0, 1 / 6),
    ([[[0, 1, 2, 3], [4]]] * 10, 5, 10.0, 0.25),
    ([[[0, 1, 2, 3, 4, 5, 6], [7]]], 8, 2.5, 0.02),
    ([[[0, 1]]], 3, 0.3, 0.001),
    ([[[0]], [[1]], [[2]], [[3]]], 5, 1.0, 0.001),
]


@pytest.mark.parametrize("case, n_classes, gamma, shape", EXCHANGEABLE)
def test_exchangeable_classes(case, n_classes, gamma, shape):
    """Means over shifts of points, which nothing makes equal, agree; fits are equal to the last digit."""
    of = Points([case], n_classes, gamma, shape, seed=4)
    out, _ = of.fit()[0]
    tied = max((block for ranking in case for block in ranking), key=len)
    tied = tied if len(tied) > 1 else [0, 1, 2, 3]
    places = [listed(case, n_classes)[0].index(k) for k in tied]
    assert (out[:, places] == out[:, places[:1]]).all()
    value, weight = of.points(0, 1024)
    best = value.argmax(1)
    off = []
    for a, b in itertools.combinations(places, 2):
        difference, error = mean_of(weight, (best == a) * 1.0 - (best == b))
        off.append(difference / error)
    assert np.abs(off).max() < 4.5
    assert 1 / (weight**2).sum() > 0.08 * len(weight)


def random_case(rng, n_classes):
    case = []
    for _ in range(int(rng.integers(1, 4))):
        order, blocks, at = [int(k) for k in rng.permutation(n_classes)], [], 0
        end = int(rng.integers(1, n_classes + 1))
        while at < end:
            size = int(rng.choice([1, 1, 2, 3]))
            blocks.append(order[at : min(at + size, end)])
            at += size
        case.append(blocks)
    return case


def off_of(case, n_classes, gamma, shape, size, seed):
    """Differences from integration over sectors, in stated errors: P(first), means, variances, and P(each order)."""
    _, mean, square, orders = slow.by_sectors(case, gamma, [shape] * n_classes, size)
    first, classes = slow.first_of(orders, n_classes), listed(case, n_classes)[0]
    others = [k for k in range(n_classes) if k not in classes]
    of = Points([case], n_classes, gamma, shape, seed=seed)
    value, error = of.fit(1e-3)[0]
    wanted = [np.append(x[classes], x[others].sum()) for x in (first, mean, square - mean**2)]
    kept = np.append(np.ones(len(classes), bool), len(others) > 0)
    off = [((value[j] - wanted[j]) / error[j])[kept] for j in range(3 if len(others) < 2 else 2)]
    if not others:
        points, weight = of.points(0, int(of.info[0, 0]))
        ranks = np.argsort(-points[:, :n_classes], axis=1)
        for order, chance in orders.items():
            found, stated = mean_of(weight, (ranks == np.array(order)).all(1))
            off.append([(found - chance) / stated])
    return np.concatenate(off)


RELIABILITIES = [0.3, 0.7, 1, 1.3, 2.5, 3, 3.3, 7.7, 10]
SHAPES = [0.01, 0.02, 0.05, 0.1, 0.2, 1 / 3, 1.0]


@pytest.mark.parametrize("n_classes, n_cases", [(3, 40), *(pytest.param(*one, marks=pytest.mark.full) for one in ((3, 200), (4, 8)))])
def test_stated_errors_of_random_cases(n_classes, n_cases):
    """Ties, any reliability, small shapes."""
    off = []
    for i in range(n_cases if not ALL else 5 * n_cases):
        rng = np.random.default_rng(100 * n_classes + i)
        case, gamma = random_case(rng, n_classes), float(rng.choice(RELIABILITIES if n_classes == 3 else RELIABILITIES[:5]))
        shape = float(rng.choice(SHAPES if n_classes == 3 else SHAPES[3:]))  # others need more nodes
        off.append(off_of(case, n_classes, gamma, shape, 36 if n_classes == 3 else 24, i))
    off = np.concatenate(off)
    assert 0.6 < np.sqrt((off**2).mean()) < 1.2
    assert (np.abs(off) > 3).mean() < 0.015 and np.abs(off).max() < 6.5


@pytest.mark.parametrize("case, n_classes, gamma, shape", EXCHANGEABLE)
def test_weights_are_bounded(case, n_classes, gamma, shape):
    """The density by that of sectors lies between bounds, however much plausibilities differ; the kernel has both (the first test)."""
    rng, shapes = np.random.default_rng(5), [shape] * n_classes
    most = sum(gamma * special.gammaln(len(block) + 1) for ranking in case for block in ranking)
    wins = sum(gamma * len(block) for ranking in case for block in ranking)
    least = -(wins + sum(shapes)) * np.log(n_classes)
    ratios = []
    for scale in (0.1, 1.0, 10.0, 1e3, 1e5):
        theta = scale * rng.normal(size=(4, n_classes))
        for one, height in zip(theta, slow.log_density(case, theta, gamma, shapes)):
            ratios.append(height - slow.sector_log_density(case, one, gamma, shapes))
    ratios = np.array(ratios) - slow.log_chances(case, gamma, shapes)
    assert ratios.max() < most + 1e-6 and ratios.min() > least - 1e-6


def test_names_of_classes_do_not_matter():
    case = [[[0], [1, 2], [3]], [[2], [0]]]
    names = [4, 0, 3, 1]
    renamed = [[[names[k] for k in block] for block in ranking] for ranking in case]
    a, b = Points([case], 6, 2.5, 0.1), Points([renamed], 6, 2.5, 0.1, seed=9)
    (x, e), (y, f) = a.fit(4e-4)[0], b.fit(4e-4)[0]
    where = [sorted(names).index(k) for k in names] + [4]
    assert (np.abs(x - y[:, where]) / np.hypot(e, f[:, where])).max() < 4.5


@pytest.mark.parametrize("shape", [0.2, 900.0, 1e4, 1e12])
def test_no_reliability_is_the_prior(shape):
    value, error = Points([[[[0, 1, 2], [3]]]], 7, 1e-9, shape).fit(1e-3)[0]
    share = np.array([1, 1, 1, 1, 3]) / 7
    off = (value[:2] - share) / error[:2]
    assert np.abs(off).max() < 4.5
    assert np.abs((value[2] - share * (1 - share) / (7 * shape + 1)) / error[2]).max() < 4.5


def test_agrees_with_the_exact_rule():
    case = [[[0], [1], [2]], [[1], [2]], [[3]]]
    exact = ugt.plackett_luce(ugt.Rankings.from_blocks([case], n_classes=9), method="exact", tolerance=1e-6)
    value, error = Points([case], 9).fit(4e-4)[0]
    first, mean = exact.membership(1)[0], exact.mean()[0]
    assert (np.abs(value[0] - np.append(first[:4], first[4:].sum())) / error[0]).max() < 6
    assert (np.abs(value[1] - np.append(mean[:4], mean[4:].sum())) / error[1]).max() < 6


def test_the_same_bytes_in_any_parts():
    rng = np.random.default_rng(3)
    cases = [random_case(rng, 5) for _ in range(12)]
    whole = Points(cases, 9, 1.7, seed=8)
    fits = whole.fit()
    for i in (0, 7, 11):
        one = Points(cases[i : i + 1], 9, 1.7, seed=8, keys=whole.keys[i : i + 1])
        assert all((a == b).all() for a, b in zip(one.fit()[0], fits[i]))
        assert all((a == b).all() for a, b in zip(one.points(0, 64), whole.points(i, 64)))

    def part(begin, end):
        return [whole.points(i, 64) for i in range(begin, end)]

    with ugt.resampling.threads(3):
        found = [one for some in parallel.run(part, len(cases), 2, "points") for one in some]
    for i, (value, weight) in enumerate(found):
        again = whole.points(i, 64)
        assert (value == again[0]).all() and (weight == again[1]).all()


HARD = [
    ("10 tied", [[list(range(10)), [10]]], 12, 2.5, 0.1, "individual"),
    ("12 tied at 1000", [[list(range(12)), [12]]], 13, 1000.0, 1 / 13, "individual"),
    ("60 annotators", [[[(3 * i + j) % 8] for j in (0, 1, 3)] for i in range(60)], 419, 0.01, 1 / 419, "individual"),
    ("contradiction", [[[0], [1], [2]], [[2], [1], [0]]], 419, 1000.0, 1 / 419, "individual"),
    ("70 classes", [[[k] for k in range(70)], [[k] for k in range(69, 40, -1)]], 419, 1.0, 1 / 419, "individual"),
    ("lump", [[[0, 1, 2, 3, 4, 5, 6], [7]]], 419, 1.0, 1 / 419, "lump"),
    ("all classes", [[[k] for k in range(40)]], 40, 1.0, 1 / 40, "individual"),
]


@pytest.mark.parametrize("name, case, n_classes, gamma, shape, unranked", HARD, ids=[one[0] for one in HARD])
def test_hard_inputs_have_an_answer(name, case, n_classes, gamma, shape, unranked):
    of = Points([case], n_classes, gamma, shape, unranked)
    value, error = of.fit(first=16, most=256)[0]
    again, other = Points([case], n_classes, gamma, shape, unranked, seed=77).fit(first=16, most=256)[0]
    assert np.isfinite(value).all() and (error > 0).all() and of.info[0, 0] > 0
    assert value[:2].sum(1) == pytest.approx(1, abs=1e-9)
    off = np.abs(value - again)[:2] / np.hypot(error, other)[:2]
    assert off.max() < 6 and np.sqrt((off**2).mean()) < 2


def test_all_of_many_classes_is_a_chain():
    """One ranking of all classes: the first is in front with the probability of a gamma variable."""
    of = Points([[[[k] for k in range(40)]]], 40)
    value, error = of.fit(1e-3, most=1024)[0]
    assert value[1, 0] == pytest.approx((1 + 1 / 40) / 2, abs=4.5 * error[1, 0])
    assert of.info[0, 2] > 0.95 * of.info[0, 1]


def test_largest_weights_are_told():
    of = Points([[[[0], [1]]]], 4)
    of.fit()
    n, count, effective, heavy, half, dims = of.info[0]
    assert count == 16 * (n + n / 2 ** of.fit_of(0).reshape(3, -1)[1, -1]) and 0.9 < effective / count <= 1
    assert np.isnan(heavy) or heavy < 0.7
    assert half == 160 and dims == 2
    _, weight = of.points(0, int(n))  # the same facts from the points themselves
    assert of.facts[0] == pytest.approx(of.info[0], rel=1e-9, nan_ok=True)
    assert effective == pytest.approx(1 / (weight**2).sum())


def test_refusals_and_stops():
    of = Points([[[[0], [1]]], []], 4)
    (value, _), (empty, _) = of.fit()
    assert np.isfinite(value).all() and np.isnan(empty).all() and of.info[1].tolist() == [0] * 6
    tiny = Points([[[[0], [1]]]], 4, shape=1e-11)
    assert np.isnan(tiny.fit()[0][0]).all() and tiny.info[0, 0] == 0
    stopped = Points([[[[0], [1]]]], 4)
    stopped.fit()
    stopped.stop[0] = 1
    with pytest.raises(AssertionError):
        stopped.fit()
    with pytest.raises(AssertionError):
        stopped.points(0, 64)
    fit, out = of.fit_of(0), np.empty(9)
    keys, law, rows, stop = of.keys, of.law, np.array([0]), of.stop
    for limits in ((2e-3, 4, 8), (2e-3, 64, 32), (2e-3, 12, 24), (np.nan, 8, 8), (2e-3, 8, 2**17)):
        with pytest.raises(ValueError, match="options or outputs"):
            of.stages.fit_points(keys, law, limits, 0, rows, stop, fit, out, out, np.empty((1, 6)))
    with pytest.raises(ValueError, match="cases of the points"):
        of.stages.fit_points(keys, law, (2e-3, 8, 8), 0, np.array([2]), stop, fit, out, out, np.empty((1, 6)))
    for bad in ((0.0, 1.0, 1), (1.0, -1.0, 1), (1.0, 1.0, 3)):
        with pytest.raises(ValueError, match="options of the points"):
            of.stages.points(keys, bad, 0, rows, fit, np.array([8]), stop, np.empty(3), np.empty(1))
    with pytest.raises(ValueError, match="numbers of points"):
        of.stages.count_points(1, rows, fit, np.array([9]), np.empty(1, np.int64))
    for place, number in ((5, 7.0), (6, 3.0), (0, 0.0)):  # no share of sectors, no class of the three, no Beta law
        of.kept[:9] = np.where(np.arange(9) == place, number, fit)
        with pytest.raises(ValueError, match=r"^(?!options or outputs)"):
            of.points(0, 8)


def test_tops_of_logs():
    """Lists of the best classes are the same from plausibilities and from their logs; without names, unmentioned classes are -2."""
    of = Points([[[[0], [2]]]], 6, shape=0.5)
    of.fit()
    value, _ = of.points(0, 32)
    args = of.offsets, of.index, of.keys, 6, len(value), REST["individual"], 0.5, 3
    tops = [np.empty((1, len(value), 4), np.int32) for _ in range(3)]
    core.mentioned_top(*args, np.exp(value).reshape(-1), 0, 1, tops[0])
    core.mentioned_top(*args, value.reshape(-1), 0, 1, tops[1], True)
    core.mentioned_top(*args, value.reshape(-1), 0, 1, tops[2], True, False)
    assert (tops[0] == tops[1]).all()
    assert (np.where(np.isin(tops[1], (0, 2)), tops[1], -2) == tops[2]).all() and (tops[2] == -2).any()
    sums = [np.empty((1, len(value), 2)) for _ in range(2)]
    group = np.array([0, 0, 1, 1, 0, 1])
    core.mentioned_groups(*args, np.exp(value).reshape(-1), 0, 1, group, sums[0])
    core.mentioned_groups(*args, value.reshape(-1), 0, 1, group, sums[1], True)
    assert sums[0] == pytest.approx(sums[1], rel=1e-12)


DESIGNS = [
    ([[[1, 0]], [[0]]], 2, 1.3, 0.01, "individual"),
    *((*one, "individual") for one in EXCHANGEABLE),
    *TWINS,
    *(one[1:] for one in HARD),
]
SHARES = [0.99, 0.893, 0.889, 0.897, 0.265, 0.604, 0.745, 0.896, 0.99, 0.892, 0.889, 0.76, 0.905, 0.932, 0.902, 0.912, 0.517, 0.464, 0.988,
    0.888, 0.825, 0.693, 0.999]  # fmt: skip


@pytest.mark.parametrize("design, share", list(zip(DESIGNS, SHARES)))
def test_facts_on_weights(design, share):
    """How heavy the largest weights are; and how large the effective size of each design has been: proposals are to stay as good."""
    of = Points([design[0]], *design[1:])
    of.fit(target=1e9, first=64, most=64)
    _, weight = of.points(0, 64)
    n, count, effective, heavy, half, _ = of.info[0]
    assert heavy == pytest.approx(slow.pareto_shape(weight) if design[1] > 2 else np.nan, abs=1e-9, nan_ok=True)  # two: all equal
    assert half == min(160, (np.cumsum(np.sort(weight)[::-1]) < 0.5).sum() + 1)
    assert n == 64 and count == len(weight) and effective / count > 0.98 * share


def test_effective_sizes_of_random_cases():
    rng, shares = np.random.default_rng(7), []
    for _ in range(40):
        n_classes = int(rng.integers(3, 9))
        case = [random_case(rng, n_classes)]
        of = Points(case, n_classes + 2, float(rng.choice([0.3, 1, 2.5, 10])), float(rng.choice([0.02, 0.2, 1])))
        of.fit(target=1e9, first=64, most=64)
        shares.append(of.info[0, 2] / of.info[0, 1])
    assert np.mean(shares) > 0.863 and min(shares) > 0.56


def test_several_cases_at_once():
    """One call for all cases writes the points of each, one after the other."""
    of = Points([[[[0], [1, 2]]], [[[3]]], [[[4, 0, 2], [1]], [[5]]]], 8, 1.7, 0.2)
    of.fit(first=8, most=8)
    n, count = np.array([16, 64, 8]), np.empty(3, np.int64)
    of.stages.count_points(of.law[2], of.rows, of.kept, n, count)
    values, weights, facts = np.empty((count * of.sizes // 3).sum()), np.empty(count.sum()), np.empty((3, 6))
    assert of.stages.points(of.keys, of.law, of.seed, of.rows, of.kept, n, of.stop, values, weights, facts)
    each = [of.points(i, n[i]) for i in range(3)]
    assert (values == np.concatenate([value.ravel() for value, _ in each])).all()
    assert (weights == np.concatenate([weight for _, weight in each])).all()
    assert facts[:, 0].tolist() == n.tolist() and (facts[2] == of.facts[0])[[0, 1, 2, 4, 5]].all()
