"""Makes gamma_table.h, with mpmath in 40 digits: python tests/c/gamma_table.py > tests/c/gamma_table.h."""

from __future__ import annotations

import mpmath as mp

mp.mp.dps = 40

# shape, and standard deviations (of log x below shape 20, of x above) from the mode
SHAPES = ["1e-6", "0.001", "0.1", "0.5", "1", "2.5", "19.9", "20", "50", "199", "200", "1e3", "1e5", "1e7", "1e9", "1e12", "1e15"]
DEVIATIONS = [-8, -5, -2, -0.5, 0, 0.5, 2, 5, 8]


def tails(c, x):
    """P, Q and the density of log x."""
    density = mp.exp(c * mp.log(x) - x - mp.loggamma(c))
    if c < 1000:
        return mp.gammainc(c, 0, x, regularized=True), mp.gammainc(c, x, regularized=True), density

    def rest(t):
        return mp.exp((c - 1) * mp.log(t / c) - (t - c) + (c - 1) * mp.log(c) - c - mp.loggamma(c))

    sd = mp.sqrt(c)
    below = mp.quad(rest, [x - j * sd for j in (14, 11, 8, 6, 4, 3, 2, 1, 0.5, 0)])
    above = mp.quad(rest, [x + j * sd for j in (0, 0.5, 1, 2, 3, 4, 6, 8, 11, 14)])
    assert abs(below + above - 1) < 1e-20 or min(x - 14 * sd, c) < 0
    return (below, 1 - below, density) if below < above else (1 - above, above, density)


def rows():
    for text in SHAPES:
        c = mp.mpf(float(text))
        for deviation in DEVIATIONS:
            x = c + deviation * mp.sqrt(c) if c >= 20 else mp.exp(mp.log(c + 1) + deviation / mp.sqrt(c))
            x = mp.mpf(float(x))
            if x < 1e-290:
                continue
            yield [c, mp.log(x), x, *tails(c, x)]


print("/* Gamma cells: c, log x, x, P(c, x), Q(c, x), x^c e^-x / Gamma(c), from tests/c/gamma_table.py. */")
print("static const double GAMMA_TABLE[][6] = {")
for row in rows():
    print("    {" + ", ".join(mp.nstr(v, 19) for v in row) + "},")
print("};")
