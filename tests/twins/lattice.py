"""Randomised quasi-Monte Carlo for Plackett-Luce, slowly: the points, laws and terms of lattice.c in plain Python.

Points and shifts are those of the core, so that results agree closely, and not only within their standard errors. Slopes are differences of
the log density, which the core writes out; integrands are those of the slow twin of the cubature.
"""

from itertools import product
from math import exp, floor, gamma, inf, log, log1p

import numpy as np

from .cubature import Term, first, normalised, terms
from .stream import Stream

SHIFTS, FIRST_POINTS, TARGET, PURPOSE, EVENLY = 16, 32, 2e-4, 15, 0.05
GENERATOR = [1, 182667, 469891, 498753, 110745, 446247, 250185, 118627]  # exod2_base2_m20 of Cools, Kuo & Nuyens (2006)


class Law:
    """The law of the points of a term: two logistic laws along each axis of the inverse Hessian at the mode."""

    def __init__(self, term):
        self.term, self.n = term, len(term.n)
        self.p = [n + (n < 0) for n in term.n]
        self.continued = [d for d, n in enumerate(term.n) if n < 0]
        y = self.start()
        top = self.height(y)
        for step in range(21):
            slope, hessian = self.slopes(y)
            factor = np.linalg.cholesky(hessian)
            scaled = np.linalg.solve(factor, slope)
            if scaled @ scaled < 1e-3 or step == 20:
                break
            change = np.linalg.solve(factor.T, scaled)
            by = min(1.0, 3.0 / np.abs(change).max())
            while by > 1e-3:
                if self.height(y + by * change) > top:
                    y = y + by * change
                    top = self.height(y)
                    break
                by *= 0.5
        self.mode, self.axes = y, np.linalg.inv(factor.T)
        self.scales = [(self.scale(top, -column), self.scale(top, column)) for column in self.axes.T]
        self.log_weight = term.log_coefficient - sum(log(gamma(p)) for p in self.p) - float(np.log(np.diag(factor)).sum())
        self.log_weight += sum(log(0.5 * (left + right)) for left, right in self.scales)
        self.share = self.log_weight + top - self.n * log(0.25)
        self.share += sum(log(self.p[d] * (1.0 + exp(-y[d]))) for d in self.continued)

    def start(self):
        """Near the mode, by fixed-point steps: λ_k = c_k / r_k, and v_d is p_d by the sum that its set leaves."""
        t = self.term
        part = np.array([[0.0 if k in gone else 0.5 if k in half else 1.0 for k in range(len(t.c))] for gone, half in t.sets])
        rates = t.c.copy()
        for _ in range(6):
            left = t.n0 / rates.sum()
            v = np.array(self.p) / (part @ rates)
            rates = t.c * (left + v.sum()) / (left + part.T @ v)
        behind = left + np.append(np.cumsum(v[::-1])[::-1][1:], 0.0)
        return np.log(v / behind)

    def height(self, y):
        """The log density at y."""
        b = [1.0 / (1.0 + exp(-one)) for one in y]
        h = sum(p * log(one) + behind * log1p(-one) for p, one, behind in zip(self.p, b, self.term.behind))
        self.v0, self.r = self.term.rates(b)
        return h - float((self.term.c * np.log(self.r)).sum())

    def slopes(self, y, step=1e-4):
        move = step * np.eye(self.n)
        slope = np.array([self.height(y + e) - self.height(y - e) for e in move]) / (2 * step)
        second = [[sum(i * j * self.height(y + i * e + j * f) for i, j in product((1, -1), repeat=2)) for f in move] for e in move]
        return slope, -np.array(second) / (4 * step**2)

    def scale(self, top, direction):
        z = 2.0
        for _ in range(3):
            fall = max(top - self.height(self.mode + z * direction), 1e-3)
            z = min(max(z * (2.0 / fall) ** 0.6, 0.1), 60.0)
        return z / 3.3162

    def add(self, shift, begin, end, times, total):
        for i in range(begin, end):
            index = int(f"{i:020b}"[::-1], 2)
            y, log_weight = self.mode.copy(), self.log_weight
            for d, (left, right) in enumerate(self.scales):
                x = (index * GENERATOR[d] % 2**20) / 2**20 + shift[d]
                tent = min(max(1.0 - abs(2.0 * (x - floor(x)) - 1.0), 1e-16), 1 - 1e-16)
                below = left / (left + right)
                tail = 0.5 * tent / below if tent < below else 0.5 * (1.0 - tent) / (1.0 - below)
                t = log((1.0 - tail) / tail)
                log_weight += t + 2.0 * log1p(exp(-t))
                y = y + self.axes[:, d] * (-t * left if tent < below else t * right)
            for signs in product((-1, 1), repeat=len(self.continued)):  # differences: the integral of o^(p - 1) H is that of -o^p H' / p
                moved, weight = y.copy(), times
                for d, sign in zip(self.continued, signs):
                    step = 1e-4 * max(exp(y[d]), 1.0 / (1.0 + self.term.behind[d]))
                    moved[d] = log(max(exp(y[d]) - step, 1e-300) + (1 + sign) * step)
                    weight *= -sign / (2 * step) * exp(self.p[d] * (y[d] - moved[d])) * (1.0 + exp(moved[d]))
                weight *= exp(log_weight + self.height(moved))
                c, n0, share = self.term.c, self.term.n0, self.v0 / self.r
                total += weight * np.concatenate([first(c, self.r), c / n0 * share, c * (c + 1) / (n0 * (n0 + 1)) * share**2])


def lattice(case, gamma_, shape, n_classes, seed, key, most_points, target=TARGET):
    """Numbers as in ``adaptive``, and their largest standard error."""
    found, wins = terms(case, gamma_, n_classes)
    every = [Term(exponents, coefficient, wins, shape, n_classes) for exponents, coefficient in found.items()]
    for term, coefficient in zip(every, found.values()):
        term.log_coefficient = log(coefficient)
    laws = [Law(term) for term in every]
    stream = Stream(seed, key, 0, PURPOSE)
    shift = [[[stream.uniform() for _ in range(24)] for _ in range(SHIFTS)] for _ in laws]
    most = max(law.share for law in laws)
    shares = np.exp([law.share - most for law in laws])
    shares = (1 - EVENLY) * shares / shares.sum() + EVENLY / len(laws)
    for law in laws:
        law.log_weight -= most
    sums, done, to, error = np.zeros((SHIFTS, 3 * n_classes)), 0.0, float(FIRST_POINTS), inf
    while to <= most_points / SHIFTS:
        for r in range(SHIFTS):
            place = stream.uniform()
            for law, share, own in zip(laws, shares, shift):
                if share * to <= 1.0:
                    place += share * (to - done)
                    if place >= 1.0:
                        place -= 1.0
                        law.add(own[r], 0, 1, 1 / share, sums[r])
                    continue
                end = 1
                while end < share * to:
                    end *= 2
                begin = end // 2 if done else 0
                law.add(own[r], begin, end, (to - done) / (end - begin), sums[r])
        done, to = to, 2 * to
        error = standard_error(sums, n_classes)
        if error <= target:
            break
    return normalised(sums.mean(0)), error


def standard_error(sums, n_classes):
    """The largest standard error of a ratio over shifts, to first order."""
    parts = sums.reshape(SHIFTS, 3, n_classes)
    mean, largest = parts.mean(0), 0.0
    for part, below in ((0, 0), (1, 1), (2, 1)):
        total = mean[below].sum()
        off = (parts[:, part] - mean[part] / total * parts[:, below].sum(1, keepdims=True)) / total
        largest = max(largest, float(np.sqrt((off**2).sum(0) / SHIFTS / (SHIFTS - 1)).max()))
    return largest
