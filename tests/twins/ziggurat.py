"""Layers of the ziggurat (Marsaglia & Tsang 2000, section 2), in decimal arithmetic."""

from decimal import Decimal, localcontext

DIGITS = 40


def normal_tail(r):
    """The integral of exp(-x²/2) beyond r: the continued fraction of Laplace."""
    rest = r
    for n in range(3000, 0, -1):  # 3000: the last terms change nothing within 60 digits at r = 3.6
        rest = r + n / rest
    return (-r * r / 2).exp() / rest


# density, its inverse, its integral beyond r
EXPONENTIAL = (lambda x: (-x).exp(), lambda y: -y.ln(), lambda r: (-r).exp())
NORMAL = (lambda x: (-x * x / 2).exp(), lambda y: (-2 * y.ln()).sqrt(), normal_tail)


def abscissae(r, law, n_layers):
    """x[1], …, x[n_layers - 1] of layers of equal area, what the next layer's density exceeds 1 by, and the area."""
    density, inverse, beyond = law
    area = r * density(r) + beyond(r)
    x = [r]
    for _ in range(n_layers - 2):
        x.append(inverse(density(x[-1]) + area / x[-1]))
    return x, density(x[-1]) + area / x[-1] - 1, area


def layers(law, guess, n_layers=256):
    """``(x, f)`` with x[0] the base layer's area over its height and x[n_layers] = 0; r = x[1] by the secant rule from a guess."""
    with localcontext() as context:
        context.prec = DIGITS
        old, new = Decimal(guess), Decimal(guess) + Decimal("1e-9")
        excess = abscissae(old, law, n_layers)[1]
        while abs(new - old) > Decimal(10) ** -30:
            value = abscissae(new, law, n_layers)[1]
            old, new, excess = new, new - value * (new - old) / (value - excess), value
        x, _, area = abscissae(new, law, n_layers)
        x = [area / law[0](x[0]), *x, Decimal(0)]
        return [float(t) for t in x], [float(law[0](t)) for t in x]
