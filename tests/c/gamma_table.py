"""Makes gamma_table.h, with mpmath in 60 digits: python tests/c/gamma_table.py > tests/c/gamma_table.h."""

import mpmath as mp
from scipy import special

mp.mp.dps = 60

SHAPES = [1e-6, 0.001, 0.1, 0.5, 1, 2.5, 19.9, 20, 50, 199, 200, 1e3, 1e5, 1e7, 1e9, 1e12, 1e15]
TAILS = [1e-17, 1e-10, 1e-4, 0.1, 0.5]


def tail(c, low, high):
    """The integral of the gamma density, in pieces of some standard deviations."""
    sd = mp.sqrt(c)
    scale = (c - 1) * mp.log(c) - c - mp.loggamma(c)
    cuts = [c + j * sd for j in (-16, -13, -10, -8, -6, -5, -4, -3, -2, -1, 0, 1, 2, 3, 4, 5, 6, 8, 10, 13, 16, 20)]
    return mp.quad(lambda t: mp.exp((c - 1) * mp.log(t / c) - (t - c) + scale), [low, *(t for t in cuts if low < t < high), high])


def row(c, x):
    density = mp.exp(c * mp.log(x) - x - mp.loggamma(c))
    if c < 1000:
        return c, mp.log(x), x, mp.gammainc(c, 0, x, regularized=True), mp.gammainc(c, x, regularized=True), density
    lower, upper = tail(c, c - 16 * mp.sqrt(c), x), tail(c, x, c + 20 * mp.sqrt(c))
    assert abs(lower + upper - 1) < 1e-25
    return c, mp.log(x), x, lower, upper, density


def rows():
    for c in SHAPES:
        points = {*special.gammaincinv(c, TAILS), *special.gammainccinv(c, TAILS)}
        for x in sorted(x for x in points if x > 1e-290):
            yield row(mp.mpf(c), mp.mpf(float(x)))


print("/* Gamma cells: c, log x, x, P(c, x), Q(c, x), x^c e^-x / Gamma(c); made by tests/c/gamma_table.py. */")
print("static const double GAMMA_TABLE[][6] = {")
for numbers in rows():
    print("    {" + ", ".join(mp.nstr(v, 19) for v in numbers) + "},")
print("};")
