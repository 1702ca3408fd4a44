"""Coefficients of Temme's expansion of the incomplete gamma ratio, in rational numbers."""

from fractions import Fraction


def temme(orders, degree):
    """Rows k of the coefficients of η^n in c_k(η): DLMF 8.12.3-8.12.10, with η²/2 = μ - log(1 + μ).

    μ μ' = η (1 + μ) gives the series of μ; c_0 = 1/μ - 1/η; η c_k = c_{k-1}' + (-1)^k g_k η/μ, where g_k is what makes the right
    side vanish at 0.
    """
    length = degree + 2 * orders
    mu = [Fraction(0), Fraction(1)]
    for n in range(2, length + 2):
        inner = sum((mu[i] * mu[n + 1 - i] for i in range(2, n)), Fraction(0))
        mu.append(mu[n - 1] / (n + 1) - inner / 2)
    ratio = [Fraction(1)]  # η/μ
    for n in range(1, length + 1):
        ratio.append(-sum(mu[i + 1] * ratio[n - i] for i in range(1, n + 1)))
    rows = [ratio[1:]]
    for _ in range(1, orders):
        slope = [n * c for n, c in enumerate(rows[-1])][1:]
        rows.append([slope[n] - slope[0] * ratio[n] for n in range(1, len(slope))])
    return [row[:degree] for row in rows]
