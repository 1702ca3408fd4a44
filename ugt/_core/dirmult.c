/* Dirichlet-multinomial log-likelihood of label counts under Dirichlet(a z), z fixed, with derivatives by log a.
 *
 * It is a sum over labels, log(a z_k + j) for the j-th further label of class k less log(a + j) for the j-th label of the case: no
 * difference of large log-gammas, so that it is as good for a = 1e-12 as for a = 1e12. */
#include <math.h>

#include "core.h"

#define DIRECT 64 /* terms that are added one by one; the rest of a long sum by Euler and Maclaurin, good to 1e-16 from here on */

typedef struct {
    double value, first, second;
} rising;

/* Sum over j from DIRECT to y - 1. */
static rising tail(double a, double y)
{
    const double from = a + DIRECT, to = a + y, length = y - DIRECT, ratio = log1p(length / from);
    const double p = 1.0 / from, q = 1.0 / to, p2 = p * p, q2 = q * q;
    rising sum;
    /* of log x, 1 / x and 1 / x^2: integral, half the ends, odd derivatives */
    sum.value = length * (log(to) - 1.0) + from * ratio - 0.5 * ratio + (q - p) / 12.0 - (q * q2 - p * p2) / 360.0 +
                (q * q2 * q2 - p * p2 * p2) / 1260.0;
    const double ones = ratio - 0.5 * (q - p) - (q2 - p2) / 12.0 + (q2 * q2 - p2 * p2) / 120.0 - (q2 * q2 * q2 - p2 * p2 * p2) / 252.0;
    const double squares = (p - q) - 0.5 * (q2 - p2) - (q * q2 - p * p2) / 6.0 + (q * q2 * q2 - p * p2 * p2) / 30.0 -
                           (q * q2 * q2 * q2 - p * p2 * p2 * p2) / 42.0;
    sum.first = a * ones;
    sum.second = a * ones - a * a * squares;
    return sum;
}

/* Sums over j = 0 .. y - 1 of log(a + j) and its derivatives by log a: a / (a + j) and a j / (a + j)^2. log_a = log a, given
 * apart because a may have lost it. */
static rising rising_sum(double log_a, double y)
{
    const double a = exp(log_a);
    rising sum = {log_a, 1.0, 0.0};
    const double n = y < DIRECT ? y : DIRECT;
    for (double j = 1.0; j < n; j += 1.0) {
        const double share = a / (a + j);
        sum.value += log(a + j);
        sum.first += share;
        sum.second += share * (j / (a + j));
    }
    if (y > DIRECT) {
        const rising more = tail(a, y);
        sum.value += more.value;
        sum.first += more.first;
        sum.second += more.second;
    }
    return sum;
}

void ugt_dirichlet_multinomial(const int64_t *offsets, const double *log_share, const double *count, const double *log_total,
                               int64_t begin, int64_t end, double *value, double *first, double *second)
{
    for (int64_t i = begin; i < end; i++) {
        rising sum = {0.0, 0.0, 0.0};
        double n = 0.0;
        for (int64_t at = offsets[i]; at < offsets[i + 1]; at++) {
            const rising part = rising_sum(log_total[i] + log_share[at], count[at]);
            n += count[at];
            sum.value += part.value;
            sum.first += part.first;
            sum.second += part.second;
        }
        if (n > 0.0) {
            const rising all = rising_sum(log_total[i], n);
            sum.value -= all.value;
            sum.first -= all.first;
            sum.second -= all.second;
        }
        value[i] = sum.value;
        first[i] = sum.first;
        second[i] = sum.second;
    }
}
