/* Exact sums of doubles: a sum is the same to the last bit, whatever the order and grouping of the additions.
 *
 * A sum is a whole number of units of 2^-1074, held in limbs of 32 bits. Limbs are stored in int64, so that carries can wait (the
 * "small superaccumulator" of Neal, "Fast exact summation using small and large superaccumulators", 2015). The result is the canonical
 * expansion: the sum rounded to the nearest double, then the remainder rounded, until the remainder is 0. */
#include "ugt.h"

#include <string.h>

#define LIMBS 68           /* of 32 bits: 2098 bits for the range of doubles, and 63 for the number of summands */
#define UNSETTLED 1024     /* additions of up to 52 bits to a limb before its carry is settled; 2^11 of them could overflow */
#define COLUMNS_AT_ONCE 32 /* so many columns have their limbs in the first-level cache; affects the speed only */
#define NOT_FINITE 0x7ffu  /* exponent bits of infinities and NaN */
#define LIMB_MASK 0xffffffffu
#define FRACTION_MASK 0xfffffffffffffu

static inline uint64_t bits_of(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

static inline unsigned exponent_of(uint64_t bits)
{
    return (unsigned)(bits >> 52) & 0x7ffu;
}

/* Returns the position of the lowest bit of a number with this exponent: the bit counts 2^position units of 2^-1074. */
static inline unsigned place_of(unsigned exponent)
{
    return exponent - (exponent != 0);
}

static inline void add_bits(int64_t *limb, uint64_t bits, unsigned exponent)
{
    const unsigned place = place_of(exponent), shift = place & 31u;
    const uint64_t magnitude = (bits & FRACTION_MASK) | (uint64_t)(exponent != 0) << 52;
    const int64_t sign = -(int64_t)(bits >> 63), low = (int64_t)(magnitude << shift & LIMB_MASK),
                  high = (int64_t)(magnitude >> (32 - shift));
    limb += place >> 5;
    limb[0] += (low ^ sign) - sign;
    limb[1] += (high ^ sign) - sign;
}

/* Carries, so that limbs [low, high) are 0 to 2^32 - 1; limb high takes the last carry, and keeps the sign. */
static void settle(int64_t *limb, int low, int high)
{
    int64_t carry = 0;
    for (int i = low; i < high; i++) {
        const int64_t sum = limb[i] + carry, rest = (int64_t)((uint64_t)sum & LIMB_MASK);
        carry = (sum - rest) / 4294967296;
        limb[i] = rest;
    }
    limb[high] += carry;
}

/* Returns the highest of limbs [low, high] that is not 0, or low - 1 if all are 0. */
static int highest(const int64_t *limb, int low, int high)
{
    while (high >= low && limb[high] == 0)
        high--;
    return high;
}

static inline int any_below(const int64_t *limb, int low, int end)
{
    return highest(limb, low, end - 1) >= low;
}

static inline int bit_length(uint64_t x) /* x is 1 to 2^32 - 1 */
{
    return (int)exponent_of(bits_of((double)x)) - 1022;
}

/* Keeps the bits below bit `bit` or, with complement, 2^bit less the number that they form. */
static void keep_rest(int64_t *limb, int low, int high, int bit, int complement)
{
    const int last = bit >> 5;
    if (complement) {
        uint64_t carry = 1;
        for (int i = low; i <= last; i++) {
            const uint64_t sum = (~(uint64_t)limb[i] & LIMB_MASK) + carry;
            limb[i] = (int64_t)(sum & LIMB_MASK);
            carry = sum >> 32;
        }
    }
    limb[last] &= ((int64_t)1 << (bit & 31)) - 1;
    for (int i = last + 1; i <= high; i++)
        limb[i] = 0;
}

/* Returns the bits (without sign) of the double nearest to the number in limbs [low, high], of which limb high is above 0. The limbs keep
 * the size of the remainder; *negative is set if the double is above the number, so that the remainder is to be subtracted. */
static uint64_t round_off(int64_t *limb, int low, int high, int *negative)
{
    const uint64_t first = (uint64_t)limb[high], second = high >= 1 ? (uint64_t)limb[high - 1] : 0;
    const uint64_t third = high >= 2 ? (uint64_t)limb[high - 2] : 0;
    const int length = bit_length(first), zeros = 32 - length, top = 32 * high + length - 1;
    *negative = 0;
    if (top <= 52) { /* the number is a double of the smallest exponent, without rounding */
        keep_rest(limb, low, high, 32 * low, 0);
        return high == 0 ? first : first << 32 | second;
    }
    const uint64_t leading = (first << 32 | second) << zeros | third << zeros >> 32; /* bits top to top - 63 */
    const uint64_t fraction = leading >> 11;
    const int rest = (leading & 0x3ffu) != 0 || (third << zeros & LIMB_MASK) != 0 || any_below(limb, low, high - 2);
    *negative = (leading >> 10 & 1) != 0 && (rest || (fraction & 1) != 0);
    keep_rest(limb, low, high, top - 52, *negative);
    return ((uint64_t)(top - 52) << 52) + fraction + (uint64_t)*negative; /* the leading bit adds 1 to the exponent */
}

/* Writes the sum in limbs [low, high] as an expansion; on success all limbs are 0 afterwards. *n_parts: the most parts of a sum so far. */
static int expand(int64_t *limb, int low, int high, int64_t max_parts, double *part, int64_t *n_parts)
{
    int64_t n = 0;
    int negative;
    settle(limb, low, high);
    const int below = limb[high] < 0;
    if (below) {
        for (int i = low; i <= high; i++)
            limb[i] = -limb[i];
        settle(limb, low, high);
    }
    uint64_t sign = (uint64_t)below << 63;
    for (;; n++) {
        while (low < high && limb[low] == 0)
            low++;
        high = highest(limb, low, high);
        if (high < low)
            break;
        if (n >= max_parts)
            return UGT_ERR_SIZE;
        const uint64_t bits = round_off(limb, low, high, &negative);
        if (bits >> 52 >= NOT_FINITE)
            return UGT_ERR_VALUE;
        const uint64_t with_sign = bits | sign;
        memcpy(&part[n], &with_sign, sizeof with_sign);
        sign ^= (uint64_t)negative << 63;
    }
    *n_parts = n > *n_parts ? n : *n_parts;
    for (; n < max_parts; n++)
        part[n] = 0.0;
    return UGT_OK;
}

/* Sums columns [first, first + n_columns) of x [n][m], at most COLUMNS_AT_ONCE of them. */
static int sum_columns(const double *x, int64_t n, int64_t m, int64_t first, int64_t n_columns, int64_t max_parts, double *parts,
                       int64_t *n_parts)
{
    int64_t limb[COLUMNS_AT_ONCE][LIMBS];
    unsigned exponents = 0;
    int status = UGT_OK;
    memset(limb, 0, (size_t)n_columns * sizeof limb[0]);
    for (int64_t i = 0; i < n;) {
        const int64_t end = n - i > UNSETTLED ? i + UNSETTLED : n;
        for (; i < end; i++) {
            const double *row = x + i * m + first;
            for (int64_t j = 0; j < n_columns; j++) {
                const uint64_t bits = bits_of(row[j]);
                const unsigned exponent = exponent_of(bits);
                exponents |= exponent + 1; /* has bit 11 only for infinities and NaN */
                add_bits(limb[j], bits, exponent);
            }
        }
        for (int64_t j = 0; j < n_columns && i < n; j++)
            settle(limb[j], 0, LIMBS - 1);
    }
    if (exponents > NOT_FINITE)
        return UGT_ERR_VALUE;
    for (int64_t j = 0; j < n_columns && status == UGT_OK; j++) {
        const int top = highest(limb[j], 0, LIMBS - 1); /* the carries may still reach the next limb */
        int low = 0;
        while (low < top && limb[j][low] == 0)
            low++;
        status = expand(limb[j], low, top + 1 < LIMBS ? top + 1 : LIMBS - 1, max_parts, parts + (first + j) * max_parts, n_parts);
    }
    return status;
}

int ugt_exact_columns(const double *x, int64_t n, int64_t m, int64_t max_parts, double *parts, int64_t *n_parts)
{
    *n_parts = 1;
    if (max_parts < 1)
        return UGT_ERR_SIZE;
    for (int64_t first = 0; first < m; first += COLUMNS_AT_ONCE) {
        const int64_t rest = m - first, n_columns = rest < COLUMNS_AT_ONCE ? rest : COLUMNS_AT_ONCE;
        const int status = sum_columns(x, n, m, first, n_columns, max_parts, parts, n_parts);
        if (status != UGT_OK)
            return status;
    }
    return UGT_OK;
}

int ugt_exact_rows(const double *x, int64_t n, int64_t m, int64_t max_parts, double *parts, int64_t *n_parts)
{
    int64_t limb[LIMBS] = {0};
    *n_parts = 1;
    if (max_parts < 1)
        return UGT_ERR_SIZE;
    for (int64_t i = 0; i < n; i++) {
        int low = LIMBS, high = 0; /* only limbs in use are expanded, since most rows need few */
        for (int64_t j = 0; j < m; j++) {
            const uint64_t bits = bits_of(x[i * m + j]);
            const unsigned exponent = exponent_of(bits);
            if (exponent == NOT_FINITE)
                return UGT_ERR_VALUE;
            if (bits << 1 != 0) { /* 0 changes no limb */
                const int first = (int)(place_of(exponent) >> 5);
                low = first < low ? first : low;
                high = first + 2 > high ? first + 2 : high;
                add_bits(limb, bits, exponent);
            }
            if ((j + 1) % UNSETTLED == 0) {
                high = LIMBS - 1;
                settle(limb, low, high);
            }
        }
        const int status = expand(limb, low < high ? low : high, high, max_parts, parts + i * max_parts, n_parts);
        if (status != UGT_OK)
            return status;
    }
    return UGT_OK;
}
