"""Random streams, word by word and draw by draw, retyped from the papers named in stream.c."""

from math import exp, log, sqrt

import numpy as np

from ugt._core import _stream

WORD = 2**64


def philox(counter, key):
    """Philox4x64-10: Salmon, Moraes, Dror & Shaw (2011), fig. 2 and table 2."""
    (c0, c1, c2, c3), (k0, k1) = counter, key
    for _ in range(10):
        high0, low0 = divmod(0xD2E7470EE14C6C93 * c0, WORD)
        high1, low1 = divmod(0xCA5A826395121157 * c2, WORD)
        c0, c1, c2, c3 = high1 ^ c1 ^ k0, low1, high0 ^ c3 ^ k1, low0
        k0, k1 = (k0 + 0x9E3779B97F4A7C15) % WORD, (k1 + 0xBB67AE8584CAA73B) % WORD
    return [c0, c1, c2, c3]


def rotated(x, k):
    return (x << k | x >> (64 - k)) % WORD


class Stream:
    """xoshiro256++ (Blackman & Vigna 2021, fig. 5) opened by Philox, and the samplers on top of it.

    ``tables``: EXPONENTIAL_X, EXPONENTIAL_F, NORMAL_X, NORMAL_F of ziggurat.h.
    """

    def __init__(self, seed, case_key=0, chain=0, purpose=0, tables=None):
        self.state = philox([case_key, chain, purpose, 0], [seed, int.from_bytes(b"ugt", "big")])
        self.tables = tables

    def bits(self):
        a, b, c, d = self.state
        result = (rotated((a + d) % WORD, 23) + a) % WORD
        c, d = c ^ a, d ^ b
        self.state = [a ^ d, b ^ c, c ^ (b << 17) % WORD, rotated(d, 45)]
        return result

    def uniform(self):
        return (2 * (self.bits() >> 12) + 1) / 2**53

    def below(self, n):
        """Lemire (2019), algorithm 5."""
        while True:
            high, low = divmod(self.bits() * n, WORD)
            if low >= WORD % n:
                return high

    def _layer(self, x):
        """A word as (layer, bit 8, abscissa in the layer)."""
        word = self.bits()
        return word % 256, word >> 8 & 1, (word >> 11) / 2**53 * x[word % 256]

    def exponential(self):
        x, f = self.tables["EXPONENTIAL_X"], self.tables["EXPONENTIAL_F"]
        tail = 0.0
        while True:
            layer, _, t = self._layer(x)
            if t < x[layer + 1]:
                return tail + t
            if layer == 0:
                tail += x[1]
            elif f[layer] + self.uniform() * (f[layer + 1] - f[layer]) < exp(-t):
                return tail + t

    def normal(self):
        x, f = self.tables["NORMAL_X"], self.tables["NORMAL_F"]
        while True:
            layer, negative, t = self._layer(x)
            if t >= x[layer + 1] and layer == 0:
                t = x[1] + self._beyond(x[1])
            elif t >= x[layer + 1] and f[layer] + self.uniform() * (f[layer + 1] - f[layer]) >= exp(-0.5 * t * t):
                continue
            return -t if negative else t

    def _beyond(self, r):
        """Marsaglia (1964): the excess of a normal variable beyond r."""
        while True:
            a, b = self.exponential() / r, self.exponential()
            if 2 * b >= a * a:
                return a

    def _gamma_at_least_one(self, shape):
        """Marsaglia & Tsang (2000), p. 369."""
        d = shape - 1 / 3
        while True:
            z = self.normal()
            v = (1 + z / (3 * sqrt(d))) ** 3
            if v <= 0:
                continue
            u = self.uniform()
            if u < 1 - 0.0331 * z**4 or log(u) < 0.5 * z * z + d * (1 - v + log(v)):
                return d * v

    def log_gamma(self, shape):
        if shape >= 1:
            return log(self._gamma_at_least_one(shape))
        return log(self._gamma_at_least_one(shape + 1)) - self.exponential() / shape

    def gamma(self, shape):
        return self._gamma_at_least_one(shape) if shape >= 1 else exp(self.log_gamma(shape))


def drawn(stream, kind, n, *parameters):
    """n draws of the library's own ``stream`` as an array."""
    out = np.empty(n, np.uint64 if kind in ("bits", "below") else np.float64)
    getattr(stream, kind)(*parameters, out)
    return out


def sample(kind, n, *parameters, seed=0):
    """n draws of a fresh stream of the library."""
    return drawn(_stream.Stream(seed), kind, n, *parameters)
