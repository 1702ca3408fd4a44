/* Two doubles at a time, by SSE2 if available (on every x86-64) and otherwise in plain C. Both give the same results to the last bit. */
#ifndef UGT_PAIR_H
#define UGT_PAIR_H

#include <stdint.h>

#if defined(__GNUC__)
#define INLINE static inline __attribute__((always_inline))
#elif defined(_MSC_VER)
#define INLINE static __forceinline
#else
#define INLINE static inline
#endif

#if (defined(__SSE2__) || defined(_M_X64)) && !defined(UGT_PLAIN_PAIRS)

#include <emmintrin.h>

typedef __m128d pair;

INLINE pair pair_of(double low, double high) { return _mm_set_pd(high, low); }
INLINE pair pair_at(const double *x) { return _mm_loadu_pd(x); }
INLINE void pair_put(double *x, pair a) { _mm_storeu_pd(x, a); }
INLINE double pair_low(pair a) { return _mm_cvtsd_f64(a); }
INLINE double pair_high(pair a) { return _mm_cvtsd_f64(_mm_unpackhi_pd(a, a)); }
INLINE pair pair_lows(pair a, pair b) { return _mm_unpacklo_pd(a, b); }
INLINE pair pair_highs(pair a, pair b) { return _mm_unpackhi_pd(a, b); }
INLINE pair pair_swap(pair a) { return _mm_shuffle_pd(a, a, 1); }
INLINE pair pair_add(pair a, pair b) { return _mm_add_pd(a, b); }
INLINE pair pair_sub(pair a, pair b) { return _mm_sub_pd(a, b); }
INLINE pair pair_mul(pair a, pair b) { return _mm_mul_pd(a, b); }
INLINE pair pair_max(pair a, pair b) { return _mm_max_pd(a, b); } /* a > b ? a : b */
INLINE pair pair_min(pair a, pair b) { return _mm_min_pd(a, b); } /* a < b ? a : b */
INLINE pair pair_equal(pair a, pair b) { return _mm_and_pd(_mm_cmpeq_pd(a, b), _mm_set1_pd(1.0)); } /* 1 or 0 */
INLINE pair pair_less(pair a, pair b) { return _mm_and_pd(_mm_cmplt_pd(a, b), _mm_set1_pd(1.0)); }

/* A whole number x from 0 to 2^52 - 1 is the low bits of the double 2^52 + x, so that two instructions convert two of them. Other
 * numbers become arbitrary doubles; their higher bits are kept in `bits`, for pair_are_small to find. */
typedef __m128i pair_bits;

INLINE pair_bits pair_no_bits(void) { return _mm_setzero_si128(); }

INLINE pair pair_of_whole(const int64_t *x, pair_bits *bits)
{
    const __m128i a = _mm_loadu_si128((const __m128i *)(const void *)x), exponent = _mm_castpd_si128(_mm_set1_pd(0x1p52));
    *bits = _mm_or_si128(*bits, a);
    return _mm_sub_pd(_mm_castsi128_pd(_mm_or_si128(a, exponent)), _mm_set1_pd(0x1p52));
}

INLINE int pair_are_small(pair_bits bits)
{
    int64_t x[2];
    _mm_storeu_si128((__m128i *)(void *)x, bits);
    return (uint64_t)(x[0] | x[1]) >> 52 == 0;
}

/* Rounds towards 0; undefined for numbers that do not fit. */
INLINE void pair_put_int32(int32_t *x, pair a) { _mm_storel_epi64((__m128i *)(void *)x, _mm_cvttpd_epi32(a)); }

#else

typedef struct {
    double low, high;
} pair;

INLINE pair pair_of(double low, double high) { return (pair){low, high}; }
INLINE pair pair_at(const double *x) { return (pair){x[0], x[1]}; }
INLINE double pair_low(pair a) { return a.low; }
INLINE double pair_high(pair a) { return a.high; }
INLINE pair pair_lows(pair a, pair b) { return (pair){a.low, b.low}; }
INLINE pair pair_highs(pair a, pair b) { return (pair){a.high, b.high}; }
INLINE pair pair_swap(pair a) { return (pair){a.high, a.low}; }
INLINE pair pair_add(pair a, pair b) { return (pair){a.low + b.low, a.high + b.high}; }
INLINE pair pair_sub(pair a, pair b) { return (pair){a.low - b.low, a.high - b.high}; }
INLINE pair pair_mul(pair a, pair b) { return (pair){a.low * b.low, a.high * b.high}; }
INLINE pair pair_max(pair a, pair b) { return (pair){a.low > b.low ? a.low : b.low, a.high > b.high ? a.high : b.high}; }
INLINE pair pair_min(pair a, pair b) { return (pair){a.low < b.low ? a.low : b.low, a.high < b.high ? a.high : b.high}; }
INLINE pair pair_equal(pair a, pair b) { return (pair){(double)(a.low == b.low), (double)(a.high == b.high)}; }
INLINE pair pair_less(pair a, pair b) { return (pair){(double)(a.low < b.low), (double)(a.high < b.high)}; }

INLINE void pair_put(double *x, pair a)
{
    x[0] = a.low;
    x[1] = a.high;
}

typedef uint64_t pair_bits;

INLINE pair_bits pair_no_bits(void) { return 0; }

INLINE pair pair_of_whole(const int64_t *x, pair_bits *bits)
{
    *bits |= (uint64_t)x[0] | (uint64_t)x[1];
    return (pair){(double)x[0], (double)x[1]};
}

INLINE int pair_are_small(pair_bits bits) { return bits >> 52 == 0; }

INLINE void pair_put_int32(int32_t *x, pair a)
{
    x[0] = a.low >= 0.0 && a.low <= INT32_MAX ? (int32_t)a.low : 0;
    x[1] = a.high >= 0.0 && a.high <= INT32_MAX ? (int32_t)a.high : 0;
}

#endif

INLINE pair pair_both(double x) { return pair_of(x, x); }
INLINE double pair_sum(pair a) { return pair_low(a) + pair_high(a); }
INLINE double pair_larger(pair a) { return pair_low(pair_max(a, pair_highs(a, a))); }
INLINE double pair_smaller(pair a) { return pair_low(pair_min(a, pair_highs(a, a))); }

#endif
