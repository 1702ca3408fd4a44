"""Orders of the plausibilities of Dirichlet posteriors, slowly: exactly by races, or by quadrature."""

from fractions import Fraction
from functools import cache
from itertools import combinations, permutations

import numpy as np
from scipy import integrate, special


def orders(concentration):
    """Probability of every order of all classes, best first, for whole concentrations: ``{order: Fraction}``.

    A Gamma(c, 1) variable is the time of the c-th event of a Poisson process, so the plausibilities are ordered as the ends of a race:
    each event belongs to each runner who is still running with the same probability, and the last to finish is the best. Zeros come
    after all others, every order of them alike.
    """
    runners = [k for k, c in enumerate(concentration) if c > 0]
    zeros = [k for k, c in enumerate(concentration) if c == 0]

    @cache
    def finish(left):
        if not any(left):
            return {(): Fraction(1)}
        running = [i for i, c in enumerate(left) if c]
        found = {}
        for i in running:
            after = tuple(c - (j == i) for j, c in enumerate(left))
            for order, p in finish(after).items():
                whole = (*order, runners[i]) if after[i] == 0 else order
                found[whole] = found.get(whole, 0) + p / len(running)
        return found

    tails = list(permutations(zeros))
    positive = finish(tuple(int(concentration[k]) for k in runners))
    return {(*order, *tail): p / len(tails) for order, p in positive.items() for tail in tails}


def top_sets(law, k):
    """``{frozenset of the best k: probability}``."""
    found = {}
    for order, p in law.items():
        best = frozenset(order[:k])
        found[best] = found.get(best, 0) + p
    return found


def memberships(law, k, n_classes):
    return [sum(p for order, p in law.items() if y in order[:k]) for y in range(n_classes)]


def ranks(law, rank, n_classes):
    """P(class has this rank), rank = 1 for the best."""
    return [sum(p for order, p in law.items() if order[rank - 1] == y) for y in range(n_classes)]


# ---- any concentrations, by adaptive quadrature (K <= 5) ----
def density(c, s):
    """Of log x for x ~ Gamma(c, 1)."""
    return np.exp(c * s - np.exp(s) - special.gammaln(c))


def lower(c, s):
    x = np.exp(s)
    return special.gammainc(c, x) if x > 0 else np.exp(c * s - special.gammaln(c + 1))


def upper(c, s):
    x = np.exp(s)
    return special.gammaincc(c, x) if x > 0 else -np.expm1(c * s - special.gammaln(c + 1))


def integral(f, concentration):
    """Over all s, in pieces where the smallest and the largest concentration live."""
    low, high = (np.log(1e-18) - 5) / min(concentration), np.log(max(concentration) + 40 + 10 * np.sqrt(max(concentration)))
    centres = sorted({np.log(c) for c in concentration if c > 1})
    cuts = [low, *np.linspace(max(low, -60), high, 24), *centres]
    for c in centres:
        cuts += [c + j * np.exp(-c / 2) for j in (-8, -5, -3, -1, 1, 3, 5, 8)]
    cuts = sorted({cut for cut in cuts if low <= cut <= high})
    return sum(integrate.quad(f, a, b, epsabs=1e-13, epsrel=1e-11, limit=200)[0] for a, b in zip(cuts[:-1], cuts[1:]))


def set_probability(concentration, best):
    """P(the |best| largest are these classes): the density of the least of them, the other ones of them above, the rest below."""
    inside = [concentration[k] for k in best]
    outside = [c for k, c in enumerate(concentration) if k not in best]

    def f(s):
        tails = [upper(c, s) for c in inside]
        least = sum(density(c, s) * np.prod([t for j, t in enumerate(tails) if j != i]) for i, c in enumerate(inside))
        return least * np.prod([lower(c, s) for c in outside])

    return integral(f, concentration)


def membership(concentration, k):
    sets = {best: set_probability(concentration, best) for best in combinations(range(len(concentration)), k)}
    return [sum(p for best, p in sets.items() if y in best) for y in range(len(concentration))]


def list_probability(concentration, first, second):
    """P(the best two, in order)."""
    others = [c for k, c in enumerate(concentration) if k not in (first, second)]
    a, b = concentration[first], concentration[second]
    return integral(lambda s: density(b, s) * upper(a, s) * np.prod([lower(c, s) for c in others]), concentration)
