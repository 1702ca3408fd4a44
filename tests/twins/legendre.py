"""Gauss-Legendre rules on [0, 1] and their running integrals, in decimal arithmetic."""

from decimal import Decimal, localcontext
from math import cos, pi

DIGITS = 60


def legendre(n, t):
    """P_n(t) and its derivative, by the three-term recurrence."""
    before, here = Decimal(1), t
    for m in range(2, n + 1):
        before, here = here, ((2 * m - 1) * t * here - (m - 1) * before) / m
    return here, n * (t * here - before) / (t * t - 1)


def root(n, guess):
    t = Decimal(guess)
    for _ in range(8):  # Newton doubles the digits: 15, 30, 60
        value, slope = legendre(n, t)
        t -= value / slope
    return t


def basis(nodes, i):
    """Coefficients, ascending, of the polynomial that is 1 at node i and 0 at the others."""
    poly = [Decimal(1)]
    for j, node in enumerate(nodes):
        if j != i:
            scale = nodes[i] - node
            poly = [(a - node * b) / scale for a, b in zip([Decimal(0), *poly], [*poly, Decimal(0)])]
    return poly


def integral(poly, low, high):
    return sum(c * (high ** (m + 1) - low ** (m + 1)) / (m + 1) for m, c in enumerate(poly))


def rule(n):
    """``(nodes, weights, above)``; above[j][i] = the integral of the i-th basis polynomial from node j to 1, over weight i."""
    with localcontext() as context:
        context.prec = DIGITS
        nodes = [(1 - root(n, cos(pi * (i + 0.75) / (n + 0.5)))) / 2 for i in range(n)]
        polys = [basis(nodes, i) for i in range(n)]
        weights = [integral(poly, Decimal(0), Decimal(1)) for poly in polys]
        above = [[float(integral(polys[i], low, Decimal(1)) / weights[i]) for i in range(n)] for low in nodes]
        return [float(x) for x in nodes], [float(w) for w in weights], above
