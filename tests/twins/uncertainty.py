"""What is open about one more label under a Dirichlet posterior, slowly: by adaptive quadrature of densities and by enumeration."""

from functools import cache
from itertools import product

import numpy as np
from scipy import integrate, stats

LEAST = {"log": lambda p: -sum(x * np.log(x) for x in p if x > 0), "quadratic": lambda p: 1 - sum(x * x for x in p), "zero_one": None}
OF_CLASS = {"log": lambda x: -x * np.log(x), "quadratic": lambda x: x * (1 - x)}


def total(concentration, loss):
    """The expected loss of the best forecast: the mean of the plausibilities, or the class with the highest mean."""
    p = np.array(concentration) / sum(concentration)
    return 1 - max(p) if loss == "zero_one" else LEAST[loss](p)


def inherent(concentration, loss):
    return _inherent(tuple(sorted(map(float, concentration))), loss)


@cache
def _inherent(concentration, loss):
    """The mean of the loss that knows the plausibilities, from the Beta law of each, or of the largest from the law of gammas."""
    known = [c for c in concentration if c > 0]
    everything = sum(known)
    if len(known) == 1:
        return 0.0
    if loss == "zero_one":
        most = integrate.quad(lambda x: 1 - np.prod(stats.gamma.cdf(x, known)), 0, np.inf, epsabs=1e-13, epsrel=1e-12, limit=500)[0]
        return 1 - most / everything
    laws = [stats.beta(c, everything - c) for c in known]
    return sum(integrate.quad(lambda u, one=one: float(OF_CLASS[loss](one.ppf(u))), 0, 1, epsabs=1e-12, limit=500)[0] for one in laws)


def annotation_after(concentration, loss, n, gamma=1.0):
    """The mean of what is left over all sequences of n labels, each of which adds γ to its class."""
    found = 0.0
    for labels in product(range(len(concentration)), repeat=n):
        later, chance = list(concentration), 1.0
        for k in labels:
            chance *= later[k] / sum(later)
            later[k] += gamma
        found += 0.0 if chance == 0 else chance * (total(later, loss) - inherent(later, loss))
    return found
