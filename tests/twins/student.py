"""Student's law from the incomplete beta function: quantiles of old scipy have nine digits only."""

import math

from scipy.optimize import brentq
from scipy.special import betainc


def quantile(df, p):
    """Of p > 1/2; P(T > t) = I_x(df / 2, 1 / 2) / 2 at x = df / (df + t^2) (Abramowitz and Stegun 26.7.1)."""
    x = brentq(lambda x: 0.5 * betainc(df / 2, 0.5, x) - (1 - p), 0.0, 1.0, xtol=1e-300, rtol=1e-15)
    return math.sqrt(df * (1 - x) / x)
