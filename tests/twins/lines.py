"""Plackett–Luce with ties that are not expanded, slowly: over ratios to the first class; and the lattice of ``lines.c``."""

from math import pi

import numpy as np
from scipy import special

from .plackett_luce import powered


def first_by_ratios(case, gamma, shapes, size=40):
    """P(k is first) from the density of λ_j / λ_k = t in (0, 1) for all j, by tensors of Gauss-Legendre nodes in t^c."""
    shapes = np.asarray(shapes, float)
    x, w = special.roots_legendre(size)
    u, w = (1 + x) / 2, w / 2
    out = np.zeros(len(shapes))
    for k in range(len(shapes)):
        others = [j for j in range(len(shapes)) if j != k]
        mesh, weight = np.meshgrid(*[np.arange(size)] * len(others), indexing="ij"), 1.0
        t = np.ones((len(shapes), mesh[0].size))
        for j, i in zip(others, mesh):
            wins = gamma * sum(j in block for ranking in case for block in ranking)
            m = max(4.0, 3.0 * np.ceil(shapes[j] + wins)) / (shapes[j] + wins)  # t = u^m: the density of t has no pole
            t[j] = u[i.ravel()] ** m
            weight = weight * w[i.ravel()] * m * t[j] ** shapes[j] / u[i.ravel()]
        out[k] = (weight * powered(case, t, gamma) * t.sum(0) ** -shapes.sum()).sum()
    return out / out.sum()


def generating_vector(dims, bits, whole=7, decay=0.7):
    """Return the generating vector of the embedded lattice: by components up to 2^whole points, then digit by digit.

    Each step takes the number with the least worst-case error of shifted rules in the Sobolev space with product weights ``decay^j``.
    """
    z = np.ones(dims, np.int64)
    for level in range(whole, bits + 1):
        n = 2**level
        i, product = np.arange(n), np.ones(n)
        for j in range(dims):
            tried = ([1] if j == 0 else range(1, n, 2)) if level == whole else (z[j], z[j] + n // 2)
            best = None
            for one in tried:
                x = one * i % n / n
                longer = product * (1 + decay**j * 2 * pi**2 * (x * x - x + 1 / 6))
                if best is None or longer.mean() < best[0] - 1e-12:
                    best = longer.mean(), one, longer
            _, z[j], product = best
    return z.tolist()
