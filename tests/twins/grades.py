"""Metrics of grades for one case at a time: loops over grades, integrals by quadrature."""

from itertools import accumulate, product

from scipy.integrate import quad
from scipy.stats import beta


def expected(law, cost):
    """The expectation of a cost of the grade that is drawn."""
    return sum(p * cost(k) for k, p in enumerate(law))


def variance(alpha, cost):
    """The variance of Σ λ_k cost_k over λ ~ Dirichlet(alpha), from the covariances of two plausibilities."""
    total, n = sum(alpha), len(alpha)
    found = 0.0
    for k, j in product(range(n), repeat=2):
        mean = alpha[k] / total * ((k == j) - alpha[j] / total) / (total + 1)
        found += cost(k) * cost(j) * mean
    return found


def ranked(z, values, k):
    """The ranked probability score of probabilities z if grade k is observed; values ascend."""
    score, below = 0.0, 0.0
    for j in range(len(z) - 1):
        below += z[j]
        score += (values[j + 1] - values[j]) * (below - (k <= j)) ** 2
    return score


def distance(z, law, values, power):
    """Σ steps |Z - Λ|^power; values ascend."""
    upto, of_law = list(accumulate(z)), list(accumulate(law))
    return sum((values[j + 1] - values[j]) * abs(upto[j] - of_law[j]) ** power for j in range(len(z) - 1))


def expected_distance(z, alpha, values, power):
    """Its expectation over λ ~ Dirichlet(alpha): each cumulative plausibility has a Beta distribution, integrated by quadrature."""
    found, total, upto, a = 0.0, sum(alpha), 0.0, 0.0
    for j in range(len(z) - 1):
        upto, a = upto + z[j], a + alpha[j]
        cut = min(max(upto, 0.0), 1.0)
        law = beta(a, total - a)
        parts = [
            quad(lambda x, c=cut, f=law: abs(c - x) ** power * f.pdf(x), *ends, epsabs=1e-13, limit=200)[0] for ends in ((0, cut), (cut, 1))
        ]
        found += (values[j + 1] - values[j]) * sum(parts)
    return found


def median(z, values):
    """The middle of all medians; values ascend."""
    upto = list(accumulate(z))
    low = next(k for k, p in enumerate(upto) if p >= 0.5 - 1e-9)
    high = next((k for k, p in enumerate(upto) if p > 0.5 + 1e-9), len(z) - 1)
    return (values[low] + values[high]) / 2


def kappa(x, laws, values, weights):
    """Kappa of predictions, and of an independent annotator, by all pairs of cases."""

    def d(a, b):
        return abs(a - b) if weights == "linear" else (a - b) ** 2

    n, grades = len(x), range(len(values))
    observed = sum(laws[i][k] * d(x[i], values[k]) for i in range(n) for k in grades) / n
    chance = sum(laws[j][k] * d(x[i], values[k]) for i in range(n) for j in range(n) for k in grades) / n**2

    def both(i, j):
        return sum(laws[i][k] * laws[j][m] * d(values[k], values[m]) for k in grades for m in grades)

    own, own_chance = sum(both(i, i) for i in range(n)) / n, sum(both(i, j) for i in range(n) for j in range(n)) / n**2
    return 1 - observed / chance, 1 - own / own_chance


def _sign(a, b):
    return (a > b) - (a < b)


def pair_sums(x, laws):
    """Over pairs of cases: Σ sign π, Σ π², the pairs with different predictions, and the expected ones with different grades."""
    found = [0.0, 0.0, 0.0, 0.0]
    for i in range(len(x)):
        for j in range(i):
            order = sum(p * q * _sign(k, m) for k, p in enumerate(laws[i]) for m, q in enumerate(laws[j]))
            differ = sum(p * q for k, p in enumerate(laws[i]) for m, q in enumerate(laws[j]) if k != m)
            for at, one in enumerate((_sign(x[i], x[j]) * order, order**2, float(x[i] != x[j]), differ)):
                found[at] += one
    return found


def kendall(x, laws):
    """Tau-b, and that of an independent annotator."""
    value, common, of_x, of_y = pair_sums(x, laws)
    return value / (of_x * of_y) ** 0.5, common / of_y


def concordance(x, laws):
    value, common, _, of_y = pair_sums(x, laws)
    return 0.5 + value / (2 * of_y), 0.5 + common / (2 * of_y)


def spearman(x, laws):
    """The correlation of midranks, cases with the weights of their laws; and that of two grades of the same law."""
    n, grades = len(x), range(len(laws[0]))
    place = [sum((b < a) + (b == a) / 2 for b in x) / n for a in x]
    share = [sum(law[k] for law in laws) / n for k in grades]
    rank = [sum(share[:k]) + share[k] / 2 for k in grades]
    of_x = sum(p * p for p in place) / n - 0.25
    of_y = sum(share[k] * rank[k] ** 2 for k in grades) - 0.25
    both = sum(place[i] * laws[i][k] * rank[k] for i in range(n) for k in grades) / n - 0.25
    means = [sum(law[k] * rank[k] for k in grades) for law in laws]
    return both / (of_x * of_y) ** 0.5, (sum(m * m for m in means) / n - 0.25) / of_y
