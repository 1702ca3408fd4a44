"""Distances of masks: surfaces against scipy, published values and enumeration; kappa; several classes."""

import math

import numpy as np
import pytest
from refusals import refused
from scipy.ndimage import gaussian_filter
from scipy.spatial.distance import directed_hausdorff
from twins import discrepancy as pairs
from twins import surfaces as twin

import ugt
from ugt import states


def psi(a, b, name, **options):
    return ugt.humans.mean_pairwise_deviation([a], [b], distance=(name, options))


def box(shape, *slices):
    found = np.zeros(shape, bool)
    found[slices] = True
    return found


def ball(centre, radius, size=30):
    offsets = np.indices((size,) * 3) - np.array(centre)[:, None, None, None]
    return (offsets**2).sum(axis=0) <= radius**2


def corners(mask):
    """Corners of pixels around which some, not all, are inside: by looking at each."""
    padded = np.pad(mask, 1)
    cells = (np.array(at) for at in np.ndindex(*(n - 1 for n in padded.shape)))
    return np.array([at for at in cells if len(np.unique(padded[tuple(slice(k, k + 2) for k in at)])) == 2])


def blobs(seed, shape, share=0.6):
    noise = gaussian_filter(np.random.default_rng(seed).normal(size=(2, *shape)), (0, *[1.2] * len(shape)))
    return noise > np.quantile(noise, share)


# Values of its tests: google-deepmind/surface-distance (Apache 2.0), surface_distance_test.py.
PIXELS_APART = (box((128, 128), 50, 70), box((128, 128), 50, 72), (2, 1))
VOXELS_APART = (box((60, 70, 80), 50, 60, 70), box((60, 70, 80), 50, 60, 72), (3, 2, 1))
CUBES = (box((100, 100, 100), slice(0, 50)), box((100, 100, 100), slice(0, 51)), (2, 1, 1))


@pytest.mark.parametrize(
    ("masks", "hausdorff", "hd95", "tolerance", "nsd", "digits"),
    [(PIXELS_APART, 2.0, 2.0, 1, 0.5, 12), (VOXELS_APART, 2.0, 2.0, 1, 0.5, 12), (CUBES, 2.0, 2.0, 1, 0.836, 3)],
)
def test_published_values(masks, hausdorff, hd95, tolerance, nsd, digits):
    a, b, spacing = masks
    assert psi(a, b, "hausdorff", spacing=spacing) == hausdorff
    assert psi(a, b, "hausdorff", percentile=95, spacing=spacing) == hd95
    assert 1 - psi(a, b, "surface", tolerance=tolerance, spacing=spacing) == pytest.approx(nsd, abs=0.5 * 10**-digits)


# Computed with surface-distance 0.1.
BALLS = [
    (((15, 15, 15), 8), ((15, 15, 15), 10), (1, 1, 1), 1.5, 2.449489742783178, 2.23606797749979, 0.5258844369897685),
    (((15, 15, 15), 8), ((17, 14, 15), 9), (3, 1, 1), 2, 9.055385138137417, 5.830951894845301, 0.7767653433790582),
    (((12, 15, 15), 7), ((17, 14, 15), 7), (1, 0.5, 2), 1, 5.024937810560445, 4.47213595499958, 0.41012262043053577),
]


@pytest.mark.parametrize(("first", "second", "spacing", "tolerance", "hausdorff", "hd95", "nsd"), BALLS)
def test_balls(first, second, spacing, tolerance, hausdorff, hd95, nsd):
    a, b = ball(*first), ball(*second)
    found = [psi(a, b, "hausdorff", percentile=p, spacing=spacing) for p in (100, 95)]
    assert found == pytest.approx([hausdorff, hd95], rel=1e-14)
    assert 1 - psi(a, b, "surface", tolerance=tolerance, spacing=spacing) == pytest.approx(nsd, rel=1e-13)


@pytest.mark.parametrize("shape", [(14, 17), (9, 8, 10)])
@pytest.mark.parametrize("seed", range(3))
def test_the_package_where_it_is(shape, seed):
    package = pytest.importorskip("surface_distance")
    (a, b), spacing = blobs(seed, shape), np.random.default_rng(seed).uniform(0.3, 3, len(shape))
    found = package.compute_surface_distances(a, b, tuple(spacing))
    for percentile in (50, 95, 100):
        expected = package.compute_robust_hausdorff(found, percentile)
        assert psi(a, b, "hausdorff", percentile=percentile, spacing=spacing) == pytest.approx(expected, rel=1e-13)
    expected = package.compute_surface_dice_at_tolerance(found, 1.0)
    assert 1 - psi(a, b, "surface", tolerance=1.0, spacing=spacing) == pytest.approx(expected, rel=1e-13)


@pytest.mark.parametrize(
    ("a", "b"),
    [
        (box((12, 12), slice(2, 7), slice(3, 6)), box((12, 12), slice(4, 9), slice(2, 12))),
        (box((9, 9, 9), slice(1, 4), slice(2, 5), slice(0, 3)), box((9, 9, 9), slice(3, 8), slice(2, 9), slice(1, 4))),
        (ball((5, 5, 5), 3, 12), ball((6, 5, 7), 4, 12)),
        (box((15,), slice(2, 5)), box((15,), slice(4, 12))),
        tuple(blobs(4, (8, 9, 7))),
    ],
)
def test_hausdorff_is_that_of_scipy(a, b):
    spacing = np.array([2.0, 0.5, 1.25])[: a.ndim]
    first, second = (corners(one) * spacing for one in (a, b))
    expected = max(directed_hausdorff(first, second)[0], directed_hausdorff(second, first)[0])
    assert psi(a, b, "hausdorff", spacing=spacing) == pytest.approx(expected, rel=1e-14)


@pytest.mark.parametrize("seed", range(6))
def test_outlines_against_their_twin(seed):
    rng = np.random.default_rng(seed)
    (a, b), spacing = blobs(seed, (8, 9)) if seed % 2 else rng.random((2, 8, 9)) < 0.3, (1.5, 0.5)
    first, second = (twin.outline(set(map(tuple, np.argwhere(one).tolist())), spacing) for one in (a, b))
    for percentile in (50, 95, 100):
        expected = twin.hausdorff(first, second, spacing, percentile)
        assert psi(a, b, "hausdorff", percentile=percentile, spacing=spacing) == pytest.approx(expected, rel=1e-14)
    for tolerance in (0, 0.5, 1.5):
        expected = twin.surface_dice(first, second, spacing, tolerance)
        assert 1 - psi(a, b, "surface", tolerance=tolerance, spacing=spacing) == pytest.approx(expected, rel=1e-13)


def test_surface_of_a_block():
    """Faces, edges cut at 45 degrees, and corners: a block beside one far away shares nothing but the total."""
    n, m, k = 3, 4, 6
    faces = 2 * ((n - 1) * (m - 1) + (n - 1) * (k - 1) + (m - 1) * (k - 1))
    area = faces + 4 * (n + m + k - 3) * math.sqrt(0.5) + 8 * math.sqrt(3) / 8
    one, two = box((40, 9, 9), slice(0, n), slice(1, 1 + m), slice(2, 2 + k)), box((40, 9, 9), 39, 8, 8)
    both = one | two
    assert psi(one, both, "surface", tolerance=0) == pytest.approx(math.sqrt(3) / (2 * area + math.sqrt(3)), rel=1e-13)


def test_surface_of_a_run_is_its_two_ends():
    one, longer = np.arange(9) < 4, np.arange(9) < 6
    assert psi(one, longer, "surface", tolerance=0) == pytest.approx(1 / 2)
    assert psi(one[::-1], one, "hausdorff", percentile=75) == 5


@pytest.mark.parametrize("seed", range(4))
def test_kappa_against_its_twin(seed):
    a, b = np.random.default_rng(seed).random((2, 5, 6)) < 0.4
    sets = [set(np.flatnonzero(one).tolist()) for one in (a, b)]
    assert 1 - psi(a, b, "kappa") == pytest.approx(twin.kappa(*sets, a.size), abs=1e-14)
    assert psi(a, ~a, "kappa") == pytest.approx(1 - twin.kappa(sets[0], set(range(30)) - sets[0], 30))


EMPTY, FULL, ONE = np.zeros((3, 4), bool), np.ones((3, 4), bool), box((3, 4), 0, 0)


@pytest.mark.parametrize(
    ("name", "options", "none", "one"),
    [
        ("jaccard", {}, 0, 1),
        ("dice", {}, 0, 1),
        ("kappa", {}, 0, 1),
        ("hausdorff", {}, 0, 5),
        ("hausdorff", {"percentile": 95, "spacing": (2, 2)}, 0, 10),
        ("surface", {"tolerance": 100}, 0, 1),
    ],
)
def test_empty_masks(name, options, none, one):
    assert psi(EMPTY, EMPTY, name, **options) == none
    assert psi(EMPTY, ONE, name, **options) == psi(ONE, EMPTY, name, **options) == one
    assert psi(FULL, FULL, name, **options) == psi(ONE, ONE, name, **options) == 0


MAPS = np.array([[[1, 1, 0], [2, 0, 0]], [[1, 0, 0], [2, 2, 0]], [[0, 0, 0], [3, 3, 0]]])


@pytest.mark.parametrize("weights", [None, (1, 1, 4), (0, 3, 1)])
@pytest.mark.parametrize("name", ["jaccard", "dice", "kappa", "hausdorff"])
def test_several_classes(name, weights):
    """The mean over classes that occur in either map."""

    def delta(a, b):
        each = [(w, psi(a == k, b == k, name)) for w, k in zip(weights or (1, 1, 1), (1, 2, 3)) if (a == k).any() or (b == k).any()]
        return sum(w * one for w, one in each) / sum(w for w, _ in each)

    masks = ugt.Masks.from_maps([0, 0, 0], ["ann", "bob", "eve"], MAPS)
    predicted = np.array([[1, 2, 0], [2, 2, 3]])
    distance = (name, {} if weights is None else {"weights": weights})
    found = ugt.discrepancy_ratio(masks, [predicted], distance=distance)
    expected = pairs.discrepancy([predicted], [[[one] for one in MAPS]], delta)
    assert (found.alpha, found.mu) == pytest.approx((expected["alpha"], expected["mu"]), rel=1e-13)
    group = ugt.humans.group_discrepancy(masks, [predicted], ["x", "x", None], distance=distance)
    assert group.alpha[0] == pytest.approx(delta(*MAPS[:2]), rel=1e-13)
    nothing = ugt.Masks.from_maps([0, 0], [0, 1], np.zeros((2, 2, 3), int), classes=[1, 2, 3])
    with pytest.warns(RuntimeWarning, match="annotators agree"):
        assert ugt.discrepancy_ratio(nothing, [predicted * 0 + 2], distance=distance).alpha == 0


@pytest.mark.parametrize("distance", ["dice", ("hausdorff", {"percentile": 95, "spacing": np.array([1, 0.5]), "weights": [1, 2]})])
def test_maps_in_parts_and_in_other_functions(distance):
    rng = np.random.default_rng(0)
    maps, model = rng.integers(0, 3, (6, 3, 8, 9)), rng.integers(0, 3, (6, 8, 9))

    def held(cases):
        return ugt.Masks.from_maps(np.repeat(cases, 3), np.tile([0, 1, 2], len(cases)), [one for i in cases for one in maps[i]])

    whole = ugt.discrepancy_ratio(held(range(6)), list(model), distance=distance)
    parts = [states.partial("discrepancy_ratio", held(one), list(model[one]), distance=distance) for one in ([0, 1], [2, 3, 4], [5])]
    assert states.finish(states.merge(parts)).value == pytest.approx(whole.value, rel=1e-12)
    averages = ugt.papers.alternative_discrepancy_ratios(held(range(6)), list(model), distance=distance)
    assert averages.prime == pytest.approx(whole.value, rel=1e-12) and math.isnan(averages.double_prime)
    index = ugt.papers.individual_equivalence_index(held(range(6)), list(model), distance=distance)
    assert index.value == pytest.approx(whole.mu - whole.alpha, rel=1e-12)


def test_ratios_of_surfaces():
    rng = np.random.default_rng(2)
    masks = rng.random((4, 3, 6, 7)) < 0.5
    model = rng.random((4, 6, 7)) < 0.5
    spacing = {"b": (1, 2), "a": (3, 1), "c": 1.0, "d": (0.5, 0.5)}
    held = ugt.Masks.from_wide(masks, case_ids=list("abcd"))
    found = ugt.discrepancy_ratio(held, model, distance=("hausdorff", {"percentile": 90, "spacing": spacing}))
    for i, name in enumerate("abcd"):
        expected = pairs.discrepancy(
            [model[i]], [[[one] for one in masks[i]]], lambda a, b, at=spacing[name]: psi(a, b, "hausdorff", percentile=90, spacing=at)
        )
        assert (found.alpha_per_case[i], found.mu_per_case[i]) == pytest.approx((expected["alpha"], expected["mu"]), rel=1e-13)
    assert found.interval(n_resamples=100)[0] < found.value


@pytest.mark.parametrize(
    ("distance", "must"),
    [
        ("nsd", "distance must be 'jaccard', 'dice', 'kappa', 'hausdorff', .*, or a function. Got 'nsd'."),
        (("surface", {}), "distance must have a tolerance, .*. Got {}."),
        ("surface", "distance must have a tolerance"),
        (("surface", {"tolerance": -1}), "tolerance must be"),
        (("hausdorff", {"percentile": 0}), "percentile must be"),
        (("hausdorff", {"percentile": 101}), "percentile must be a number above 0, at most 100. Got 101."),
        (
            ("hausdorff", {"tolerance": 1}),
            "distance must have options of 'hausdorff', 'percentile', 'spacing', 'weights'. Got 'tolerance'.",
        ),
        (("dice", {"spacing": 1}), "distance must have options of 'dice', 'weights'. Got 'spacing'."),
        (
            ("hausdorff", {"spacing": (1, 2, 3)}),
            "spacing must be one positive number for each of the 2 dimensions. Got .*, first at case 0.",
        ),
        (("hausdorff", {"spacing": (1, 0)}), "spacing must be one positive number"),
        (("hausdorff", {"spacing": {"p1": (1, 1)}}), "spacing must hold every case. Got none, first at case 0."),
        (("dice", {"weights": [1]}), r"weights must be given for maps of several classes only \(Masks.from_maps\)"),
    ],
)
def test_wrong_distances(distance, must):
    refused(must, ugt.discrepancy_ratio, ugt.Masks.from_wide(np.array([[ONE, FULL]])), [ONE], distance=distance)


@pytest.mark.parametrize(
    ("maps", "options", "must"),
    [
        ([[[0.5, 1]]], {}, "maps must be arrays of whole numbers, one per pixel. Got float64"),
        ([[[0, 4]]], {"classes": [1, 2]}, r"maps must hold the classes \[1, 2\] and 0, the background. Got 4, first at case 0"),
        ([[[0, 0]]], {}, r"classes must be one or more different whole numbers other than 0"),
        ([[[0, 1]]], {"classes": [0, 1]}, r"classes must be one or more different whole numbers other than 0"),
    ],
)
def test_wrong_maps(maps, options, must):
    refused(must, ugt.Masks.from_maps, [0], ["ann"], maps, **options)


def test_wrong_weights_and_sets():
    maps = ugt.Masks.from_maps([0, 0], [0, 1], MAPS[:2])
    for weights in ([1], [0, 0], [-1, 2], ["a", "b"]):
        refused("weights must be 2 numbers of at least 0", ugt.discrepancy_ratio, maps, [MAPS[0]], distance=("dice", {"weights": weights}))
    refused("maps must hold the classes", ugt.discrepancy_ratio, maps, [MAPS[2]], distance="dice")
    refused("predictions must have the classes", ugt.discrepancy_ratio, maps, ugt.Masks.from_maps([0], [0], MAPS[2:]), distance="dice")
    sets = ugt.Masks.from_sets([0, 0], [0, 1], [["a"], ["b"]])
    refused("distance must be 'jaccard', 'dice' or 'kappa' for label sets", ugt.discrepancy_ratio, sets, [["a"]], distance="hausdorff")
    assert ugt.discrepancy_ratio(sets, [["a"]], distance="kappa").alpha == 2
    deep = ugt.Masks.from_wide(np.ones((1, 2, 2, 2, 2, 2), bool))
    refused("masks must have 1 to 3 dimensions", ugt.discrepancy_ratio, deep, [np.ones((2, 2, 2, 2))], distance="hausdorff")
