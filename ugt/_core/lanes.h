/* Exponentials and logarithms that compilers can vectorise: no branches, no tables, no calls. Errors are below two units in the last place.
 * After fdlibm (Sun Microsystems, 1993): its reductions and polynomials. */
#ifndef UGT_LANES_H
#define UGT_LANES_H

#include <stdint.h>
#include <string.h>

#include "pair.h" /* INLINE */

INLINE uint64_t ugt_bits_of(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

INLINE double ugt_double_of(uint64_t bits)
{
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

/* The larger of x and y, by bits: compilers do not vectorise a comparison that may trap. x if it is NaN. */
INLINE double ugt_lane_max(double x, double y)
{
    const uint64_t below = 0u - (ugt_bits_of(x - y) >> 63); /* all bits, or none */
    return ugt_double_of((ugt_bits_of(x) & ~below) | (ugt_bits_of(y) & below));
}

/* e^x for -708 <= x <= 709; e^-708 below, as smaller numbers lose digits. */
INLINE double ugt_lane_exp(double x)
{
    const double inside = ugt_lane_max(x, -708.0), shifted = inside * 1.44269504088896338700 + 6755399441055744.0; /* 1.5 2^52 rounds */
    const double k = shifted - 6755399441055744.0, high = inside - k * 6.93147180369123816490e-01, low = k * 1.90821492927058770002e-10;
    const double r = high - low, t = r * r;
    const double c = r - t * (1.66666666666666019037e-01 + t * (-2.77777777770155933842e-03 + t * (6.61375632143793436117e-05 +
                     t * (-1.65339022054652515390e-06 + t * 4.13813679705723846039e-08))));
    const double y = 1.0 - ((low - r * c / (2.0 - c)) - high);
    return ugt_double_of(ugt_bits_of(y) + (ugt_bits_of(shifted) << 52));
}

/* log x for normal x > 0. */
INLINE double ugt_lane_log(double x)
{
    const uint64_t bits = ugt_bits_of(x), raised = bits + (0x3ff0000000000000u - 0x3fe6a09e00000000u); /* the fraction lies around 1 */
    const double k = ugt_double_of((raised >> 52) | 0x4330000000000000u) - (4503599627370496.0 + 1023.0);
    const double f = ugt_double_of((raised & 0x000fffffffffffffu) + 0x3fe6a09e00000000u) - 1.0;
    const double s = f / (2.0 + f), z = s * s, half = 0.5 * f * f;
    const double r = z * (6.666666666666735130e-01 + z * (3.999999999940941908e-01 + z * (2.857142874366239149e-01 + z * (2.222219843214978396e-01 +
                     z * (1.818357216161805012e-01 + z * (1.531383769920937332e-01 + z * 1.479819860511658591e-01))))));
    return k * 6.93147180369123816490e-01 - ((half - (s * (half + r) + k * 1.90821492927058770002e-10)) - f);
}

#endif
