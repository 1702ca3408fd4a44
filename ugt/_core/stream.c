/* Random streams that are keyed by counters: Philox4x64-10 computes the first state, xoshiro256++ continues.
 *
 * Philox: Salmon, Moraes, Dror & Shaw, "Parallel random numbers: as easy as 1, 2, 3" (SC 2011), table 2.
 * xoshiro256++ 1.0: Blackman & Vigna, "Scrambled linear pseudorandom number generators" (2021), fig. 5.
 * Ziggurat: Marsaglia & Tsang, "The ziggurat method" (J. Stat. Softw. 5(8), 2000), 256 layers, with the
 * layer index and the abscissa taken from different bits (Doornik 2005 shows why the bits must not be shared).
 * Gamma: Marsaglia & Tsang, "A simple method for generating gamma variables" (ACM TOMS 26(3), 2000). */
#include "core.h"

#include <math.h>

#include "ziggurat.h"

static inline uint64_t multiply_high(uint64_t a, uint64_t b, uint64_t *low)
{
#if defined(__SIZEOF_INT128__)
    __extension__ typedef unsigned __int128 wide;
    wide product = (wide)a * b;
    *low = (uint64_t)product;
    return (uint64_t)(product >> 64);
#else
    uint64_t a0 = a & 0xffffffffu, a1 = a >> 32, b0 = b & 0xffffffffu, b1 = b >> 32;
    uint64_t p00 = a0 * b0, p01 = a0 * b1, p10 = a1 * b0, p11 = a1 * b1;
    uint64_t middle = (p00 >> 32) + (p01 & 0xffffffffu) + (p10 & 0xffffffffu);
    *low = (middle << 32) | (p00 & 0xffffffffu);
    return p11 + (p01 >> 32) + (p10 >> 32) + (middle >> 32);
#endif
}

void ugt_philox(const uint64_t counter[4], const uint64_t key[2], uint64_t out[4])
{
    uint64_t c0 = counter[0], c1 = counter[1], c2 = counter[2], c3 = counter[3], k0 = key[0], k1 = key[1];
    for (int round = 0; round < 10; round++) {
        uint64_t low0, low1;
        uint64_t high0 = multiply_high(0xD2E7470EE14C6C93u, c0, &low0);
        uint64_t high1 = multiply_high(0xCA5A826395121157u, c2, &low1);
        c0 = high1 ^ c1 ^ k0;
        c1 = low1;
        c2 = high0 ^ c3 ^ k1;
        c3 = low0;
        k0 += 0x9E3779B97F4A7C15u;
        k1 += 0xBB67AE8584CAA73Bu;
    }
    out[0] = c0;
    out[1] = c1;
    out[2] = c2;
    out[3] = c3;
}

void ugt_stream_open(ugt_stream *stream, uint64_t seed, uint64_t case_key, uint64_t chain, uint64_t purpose)
{
    const uint64_t counter[4] = {case_key, chain, purpose, 0};
    const uint64_t key[2] = {seed, UGT_PHILOX_KEY};
    ugt_philox(counter, key, stream->s);
    if ((stream->s[0] | stream->s[1] | stream->s[2] | stream->s[3]) == 0)
        stream->s[0] = 1; /* 0 is the one state that xoshiro cannot leave; its probability is 2^-256 */
}

static inline uint64_t rotate_left(uint64_t x, int k)
{
    return (x << k) | (x >> (64 - k));
}

static inline uint64_t next(ugt_stream *stream)
{
    uint64_t *s = stream->s;
    const uint64_t result = rotate_left(s[0] + s[3], 23) + s[0], t = s[1] << 17;
    s[2] ^= s[0];
    s[3] ^= s[1];
    s[1] ^= s[2];
    s[0] ^= s[3];
    s[2] ^= t;
    s[3] = rotate_left(s[3], 45);
    return result;
}

static inline double uniform(ugt_stream *stream)
{
    return ((double)(next(stream) >> 12) + 0.5) * 0x1p-52; /* with 53 bits the sum would be rounded, the largest to 1 */
}

uint64_t ugt_stream_bits(ugt_stream *stream)
{
    return next(stream);
}

double ugt_stream_uniform(ugt_stream *stream)
{
    return uniform(stream);
}

uint64_t ugt_stream_below(ugt_stream *stream, uint64_t n)
{
    /* Lemire, "Fast random integer generation in an interval" (TOMACS 2019), algorithm 5 */
    uint64_t low, high = multiply_high(next(stream), n, &low);
    if (low < n) {
        const uint64_t threshold = (0 - n) % n;
        while (low < threshold)
            high = multiply_high(next(stream), n, &low);
    }
    return high;
}

double ugt_stream_exponential(ugt_stream *stream)
{
    double tail = 0.0;
    for (;;) {
        const uint64_t bits = next(stream);
        const unsigned layer = (unsigned)(bits & 255u);
        const double x = (double)(bits >> 11) * 0x1p-53 * EXPONENTIAL_X[layer];
        if (x < EXPONENTIAL_X[layer + 1])
            return tail + x;
        if (layer == 0) { /* the law has no memory: beyond the base layer it starts afresh */
            tail += EXPONENTIAL_X[1];
            continue;
        }
        const double height = EXPONENTIAL_F[layer] + uniform(stream) * (EXPONENTIAL_F[layer + 1] - EXPONENTIAL_F[layer]);
        if (height < exp(-x))
            return tail + x;
    }
}

double ugt_stream_normal(ugt_stream *stream)
{
    for (;;) {
        const uint64_t bits = next(stream);
        const unsigned layer = (unsigned)(bits & 255u);
        const double sign = (bits & 256u) ? -1.0 : 1.0;
        const double x = (double)(bits >> 11) * 0x1p-53 * NORMAL_X[layer];
        if (x < NORMAL_X[layer + 1])
            return sign * x;
        if (layer == 0) { /* the tail beyond r is drawn by Marsaglia's method */
            double a, b;
            do {
                a = ugt_stream_exponential(stream) / NORMAL_X[1];
                b = ugt_stream_exponential(stream);
            } while (2.0 * b < a * a);
            return sign * (NORMAL_X[1] + a);
        }
        const double height = NORMAL_F[layer] + uniform(stream) * (NORMAL_F[layer + 1] - NORMAL_F[layer]);
        if (height < exp(-0.5 * x * x))
            return sign * x;
    }
}

static double gamma_at_least_one(ugt_stream *stream, double shape)
{
    const double d = shape - 1.0 / 3.0, c = 1.0 / (3.0 * sqrt(d));
    for (;;) {
        const double z = ugt_stream_normal(stream), root = 1.0 + c * z;
        if (root <= 0.0)
            continue;
        const double v = root * root * root, u = uniform(stream);
        /* 0.0331 is the quick-accept constant of the paper, p. 368 */
        if (u < 1.0 - 0.0331 * (z * z) * (z * z) || log(u) < 0.5 * z * z + d * (1.0 - v + log(v)))
            return d * v;
    }
}

double ugt_stream_gamma(ugt_stream *stream, double shape)
{
    if (shape >= 1.0)
        return gamma_at_least_one(stream, shape);
    const double x = gamma_at_least_one(stream, shape + 1.0);
    return x * exp(-ugt_stream_exponential(stream) / shape);
}

double ugt_stream_log_gamma(ugt_stream *stream, double shape)
{
    if (shape >= 1.0)
        return log(gamma_at_least_one(stream, shape));
    /* X U^(1/a) with X ~ Gamma(a + 1) is exact, and its log does not underflow for any shape */
    const double x = gamma_at_least_one(stream, shape + 1.0);
    return log(x) - ugt_stream_exponential(stream) / shape;
}

/* Counts uniforms below p if n is small, otherwise waiting times in one pass; a large n p is split first. */
int64_t ugt_stream_binomial(ugt_stream *stream, int64_t n, double p)
{
    if (p >= 1.0)
        return n;
    if (p <= 0.0)
        return 0;
    if (p > 0.5)
        return n - ugt_stream_binomial(stream, n, 1.0 - p);
    int64_t hits = 0;
    if (n <= 16) {
        for (int64_t i = 0; i < n; i++)
            hits += uniform(stream) < p;
        return hits;
    }
    if ((double)n * p > 30.0) { /* the split is at the median order statistic, a Beta variable (Devroye 1986, X.4.3) */
        const int64_t half = n / 2 + 1;
        const double a = ugt_stream_gamma(stream, (double)half), b = ugt_stream_gamma(stream, (double)(n + 1 - half));
        const double middle = a / (a + b);
        return middle <= p ? half + ugt_stream_binomial(stream, n - half, (p - middle) / (1.0 - middle))
                           : ugt_stream_binomial(stream, half - 1, p / middle);
    }
    for (double gap = -log1p(-p), left = (double)n;;) { /* failures before the next hit are geometric */
        left -= floor(ugt_stream_exponential(stream) / gap) + 1.0;
        if (left < 0.0)
            return hits;
        hits++;
    }
}

void ugt_stream_words(ugt_stream *stream, int64_t n, uint64_t *word)
{
    ugt_stream local = *stream; /* a local copy stays in registers */
    for (int64_t i = 0; i < n; i++)
        word[i] = next(&local);
    *stream = local;
}
