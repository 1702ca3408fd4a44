"""Distances of masks that are measured pair by pair: of surfaces, of pixels beyond chance, and of several classes.

The surface of a mask runs through the corners of its pixels, as in Nikolov et al. (2021): a corner is an element if the 2^D pixels around
it are not all alike (outside the image nothing is marked), and weighs as much as the surface there is long or large, by marching squares
or cubes through the middles of the edges.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from functools import lru_cache
from itertools import combinations, product
from typing import Any, Callable, NamedTuple

import numpy as np

from .._base import identifiers
from .._base.arrays import Array, Bools, Int64, NDArray
from .._base.checks import error, scalar
from ..annotations.masks import Masks

Thing = Any  # a mask, or the surface of one
CLOSE = 1e-12  # distances that exceed the tolerance relatively by less count as within it
OPTIONS = {"jaccard": (), "dice": (), "kappa": (), "hausdorff": ("percentile", "spacing"), "surface": ("tolerance", "spacing")}
MUST = "be 'jaccard', 'dice', 'kappa', 'hausdorff', ('surface', {'tolerance': size}), a pair of such a name and options, or a function"


class Surface(NamedTuple):
    """The elements of the surface of one mask."""

    at: Int64  # (S, D) corners of pixels
    area: Array  # (S,)
    tree: Any  # of the corners in units of length; None if there are no elements
    spacing: Array
    longest: float  # diagonal of the image

    @classmethod
    def of(cls, mask: Bools, spacing: Array) -> Surface:
        longest = math.sqrt(float(((np.array(mask.shape) * spacing) ** 2).sum()))
        if not mask.any():
            return cls(np.zeros((0, mask.ndim), np.int64), np.zeros(0), None, spacing, longest)
        from scipy.spatial import cKDTree  # noqa: PLC0415  (scipy is slow to import)

        other = [tuple(e for e in range(mask.ndim) if e != d) for d in range(mask.ndim)]
        ends = [np.flatnonzero(mask.any(axis=axes))[[0, -1]] for axes in other]
        inside = np.pad(mask[tuple(slice(low, high + 1) for low, high in ends)], 1).astype(np.uint8)
        code = np.zeros(np.array(inside.shape) - 1, np.uint8)
        for bit, shift in enumerate(product((0, 1), repeat=mask.ndim)):
            code |= inside[tuple(slice(one, one + n) for one, n in zip(shift, code.shape))] << bit
        weight = areas(tuple(spacing.tolist()))[code]
        at = np.argwhere(weight > 0)
        return cls(
            at + [low for low, _ in ends], weight[weight > 0], cKDTree(at * spacing + [low for low, _ in ends] * spacing), spacing, longest
        )

    def to(self, other: Surface) -> Array:
        """Return the distance (S,) from each element to the nearest one of another surface."""
        nearest = other.tree.query(self.at * self.spacing)[1]
        return np.asarray(np.sqrt((((self.at - other.at[nearest]) * self.spacing) ** 2).sum(axis=1)))


def hausdorff(a: Surface, b: Surface, percentile: float) -> float:
    """Return the larger of both directions' percentiles of distances, by area; 0 for two empty masks, the diagonal if one is empty."""
    if not (len(a.at) and len(b.at)):
        return a.longest if len(a.at) or len(b.at) else 0.0
    return max(_percentile(one.to(other), one.area, percentile) for one, other in ((a, b), (b, a)))


def _percentile(distance: Array, area: Array, percentile: float) -> float:
    order = np.lexsort((area, distance))
    reached = np.cumsum(area[order]) / area[order].sum()
    return float(distance[order][min(int(np.searchsorted(reached, percentile / 100)), len(order) - 1)])


def surface(a: Surface, b: Surface, tolerance: float) -> float:
    """Return 1 - NSD: the share of both surfaces farther from the other than the tolerance; 0 for two empty masks, 1 if one is empty."""
    total = float(a.area.sum() + b.area.sum())
    if not (len(a.at) and len(b.at)):
        return float(total > 0)
    limit = tolerance * (1 + CLOSE)
    return sum(float(one.area[one.to(other) > limit].sum()) for one, other in ((a, b), (b, a))) / total


def jaccard(a: Bools, b: Bools) -> float:
    """Return 1 - |A ∩ B| / |A ∪ B|, 0 for two empty masks."""
    either = np.count_nonzero(a | b)
    return 1 - np.count_nonzero(a & b) / either if either else 0.0


def dice(a: Bools, b: Bools) -> float:
    """Return 1 - 2 |A ∩ B| / (|A| + |B|), 0 for two empty masks."""
    both = np.count_nonzero(a) + np.count_nonzero(b)
    return 1 - 2 * np.count_nonzero(a & b) / both if both else 0.0


def kappa(a: Bools, b: Bools) -> float:
    """Return 1 - Cohen's kappa of the pixels, which is observed over expected disagreement: 0 for equal masks, at most 2."""
    n, p, q = a.size, np.count_nonzero(a), np.count_nonzero(b)
    expected = p * (n - q) + q * (n - p)
    return n * np.count_nonzero(a != b) / expected if expected else 0.0


class MaskDistance:
    """A distance by name with its options, read once."""

    def __init__(self, name: str, options: Mapping[str, Any], masks: Masks) -> None:
        self.name, self.masks = name, masks
        known = (*OPTIONS[name], "weights")
        for option in options:
            if option not in known:
                raise error("distance", f"have options of {name!r}, {', '.join(map(repr, known))}", repr(option))
        self.of_surfaces = "spacing" in known
        if self.of_surfaces and masks.classes is not None:
            raise error("distance", "be 'jaccard', 'dice' or 'kappa' for label sets, which have no surface", repr(name))
        self.weights = self._weights(options.get("weights"))
        self.spacing = options.get("spacing", 1.0)
        functions: dict[str, Callable[[Thing, Thing], float]] = {"jaccard": jaccard, "dice": dice, "kappa": kappa}
        if name == "hausdorff":
            percentile = scalar("percentile", options.get("percentile", 100.0), positive=True)
            if percentile > 100:
                raise error("percentile", "be a number above 0, at most 100", repr(percentile))
            functions[name] = lambda a, b: hausdorff(a, b, percentile)
        elif name == "surface":
            if "tolerance" not in options:
                raise error("distance", "have a tolerance, as in ('surface', {'tolerance': size})", repr(dict(options)))
            tolerance = scalar("tolerance", options["tolerance"])
            functions[name] = lambda a, b: surface(a, b, tolerance)
        self.measure = functions[name]

    def _weights(self, given: object) -> Array | None:
        if self.masks.layers is None:
            if given is not None:
                raise error("weights", "be given for maps of several classes only (Masks.from_maps)", repr(given))
            return None
        k = len(self.masks.layers)
        weights = np.ones(k) if given is None else identifiers.unmasked(given)
        if (
            weights.shape != (k,)
            or weights.dtype.kind not in "biuf"
            or not ((weights >= 0) & np.isfinite(weights)).all()
            or not weights.any()
        ):
            raise error("weights", f"be {k} numbers of at least 0, one per class and not all 0", repr(given))
        return weights.astype(np.float64)

    def thing(self, mask: Bools, i: int) -> list[Thing]:
        """Return a mask of case i for comparisons: for each class the mask or its surface."""
        layers = mask[None] if self.weights is None else mask
        if not self.of_surfaces:
            return list(layers)
        spacing = self._spacing(i, layers.ndim - 1)
        return [Surface.of(layer, spacing) for layer in layers]

    def _spacing(self, i: int, n_dimensions: int) -> Array:
        case = self.masks.case_name(i)
        if n_dimensions > 3:
            raise error("masks", "have 1 to 3 dimensions for a distance of surfaces", n_dimensions, f"case {case}")
        given = self.spacing
        if isinstance(given, Mapping):
            if self.masks.case_ids[i] not in given and case not in given:
                raise error("spacing", "hold every case", "none", f"case {case}")
            given = given.get(self.masks.case_ids[i], given.get(case))
        found = np.asarray(given if np.ndim(given) else [given] * n_dimensions, np.float64)
        if found.shape != (n_dimensions,) or not ((found > 0) & np.isfinite(found)).all():
            raise error("spacing", f"be one positive number for each of the {n_dimensions} dimensions", repr(given), f"case {case}")
        return found

    def __call__(self, a: list[Thing], b: list[Thing], where: object = None) -> float:
        """Return the mean over the classes that occur in either mask; 0 if none does."""
        if self.weights is None:
            return self.measure(a[0], b[0])
        occurs = np.array([_some(x) or _some(y) for x, y in zip(a, b)]) & (self.weights > 0)
        found = [w * self.measure(x, y) for w, x, y, one in zip(self.weights, a, b, occurs) if one]
        return sum(found) / float(self.weights[occurs].sum()) if found else 0.0


def _some(thing: Thing) -> bool:
    return bool(len(thing.at)) if isinstance(thing, Surface) else bool(thing.any())


# ---- how much surface there is at a corner ----

Corner = tuple[int, ...]
Edge = tuple[Corner, Corner]


@lru_cache(maxsize=64)
def areas(spacing: tuple[float, ...]) -> Array:
    """Return the area (2^(2^D),) at a corner for each pattern of pixels around it, pixel b as bit b; lengths if D is 2, 1 if D is 1."""
    corners = list(product((0, 1), repeat=len(spacing)))
    found = np.zeros(2 ** len(corners))
    for code in range(1, len(found) - 1):
        inside = {corner for bit, corner in enumerate(corners) if code >> bit & 1}
        found[code] = _area(inside if 2 * len(inside) <= len(corners) else set(corners) - inside, np.array(spacing))
    return found


def _area(inside: set[Corner], spacing: Array) -> float:
    """Return the area of the pieces that separate these corners from the others; diagonal corners on a face are cut off one by one."""
    n = len(spacing)
    if n == 1:
        return 1.0
    cuts = [cut for face in _faces(n) for cut in _cuts(face, inside)]
    if n == 2:
        return sum(float(np.linalg.norm((_middle(a) - _middle(b)) * spacing)) for a, b in cuts)
    return sum(_largest_fan(np.array([_middle(edge) for edge in loop]), spacing) for loop in _loops(cuts))


def _faces(n: int) -> Iterator[list[Corner]]:
    """Yield the corners of each square of a cube."""
    for fixed in combinations(range(n), n - 2):
        for values in product((0, 1), repeat=n - 2):
            free = [d for d in range(n) if d not in fixed]
            face = []
            for pair in ((0, 0), (0, 1), (1, 1), (1, 0)):
                place = {**dict(zip(fixed, values)), **dict(zip(free, pair))}
                face.append(tuple(place[d] for d in range(n)))
            yield face


def _cuts(face: list[Corner], inside: set[Corner]) -> Iterator[tuple[Edge, Edge]]:
    """Yield pairs of edges between which the surface crosses a face."""
    edges: list[Edge] = [tuple(sorted((face[i], face[(i + 1) % 4]))) for i in range(4)]  # type: ignore[misc]
    marked = [corner in inside for corner in face]
    if sum(marked) == 2 and marked[0] == marked[2]:
        yield from ((edges[i - 1], edges[i]) for i in range(4) if marked[i])
    elif 0 < sum(marked) < 4:
        first, second = (edges[i] for i in range(4) if marked[i] != marked[(i + 1) % 4])
        yield first, second


def _middle(edge: Edge) -> Array:
    return np.asarray(np.mean(edge, axis=0))


def _loops(cuts: list[tuple[Edge, Edge]]) -> Iterator[list[Edge]]:
    """Yield the edges around each piece of the surface."""
    left = list(cuts)
    while left:
        loop = list(left.pop())
        while True:
            following = next((cut for cut in left if loop[-1] in cut), None)
            if following is None:
                break
            left.remove(following)
            loop.append(following[following[0] == loop[-1]])
        yield loop[:-1]


def _largest_fan(points: NDArray[Any], spacing: Array) -> float:
    """Return the area as the fan of triangles that is largest in a unit cube: pieces with more than three points need not be flat."""

    def fan(k: int, scale: object) -> float:
        turned = np.roll(points, -k, axis=0) * scale
        return float(np.linalg.norm(np.cross(turned[1:-1] - turned[0], turned[2:] - turned[0]), axis=1).sum()) / 2

    return fan(max(range(len(points)), key=lambda k: round(fan(k, 1.0), 9)), spacing)
