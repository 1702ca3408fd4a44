/* Dirichlet-multinomial log-likelihood of label counts under Dirichlet(a z), z fixed, with derivatives by log a.
 *
 * It is a sum over labels, log(a z_k + j) for the j-th further label of class k less log(a + j) for the j-th label of the case: no
 * difference of large log-gammas, so that it is equally accurate for a = 1e-12 and a = 1e12. */
#include <math.h>

#include "core.h"

#define DIRECT 64 /* terms that are added one by one; the rest of a long sum is by Euler and Maclaurin, whose error is 1e-16 from here on */

/* Of log(a + j): the sum, its first derivative by log a as the sum of a / (a + j) and as what that lacks of the number of labels, the
 * sum of j / (a + j), and the second, the sum of a j / (a + j)^2. */
typedef struct {
    double value, first, lack, second;
} rising;

/* log(1 + t) - t for t >= 0. */
static double log1p_less(double t)
{
    if (t > 0.01)
        return log1p(t) - t;
    /* the next term is t^10 / 10, at most 2e-17 of the first */
    return -t * t * (1.0 / 2 - t * (1.0 / 3 - t * (1.0 / 4 - t * (1.0 / 5 - t * (1.0 / 6 - t * (1.0 / 7 - t * (1.0 / 8 - t / 9)))))));
}

/* Sum over j from DIRECT to y - 1: integral, half the ends, odd derivatives, of log x, 1 / x and 1 / x^2. What for large a would be a
 * difference of nearly equal numbers is written out. */
static rising tail(double a, double y)
{
    const double from = a + DIRECT, to = a + y, length = y - DIRECT, t = length / from, ratio = log1p(t), less = log1p_less(t);
    const double p = 1.0 / from, q = 1.0 / to, p2 = p * p, q2 = q * q;
    const double d1 = length * p * q, d2 = d1 * (p + q), d3 = d1 * (p2 + p * q + q2), d4 = d2 * (p2 + q2); /* p^m - q^m */
    const double d5 = d1 * (p2 * p2 + p * q * (p2 + p * q + q2) + q2 * q2), d6 = d2 * (p2 * p2 + p2 * q2 + q2 * q2);
    const double d7 = p * p2 * d4 + q2 * q2 * d3;
    const double ends = 0.5 * d1 + d2 / 12.0 - d4 / 120.0 + d6 / 252.0; /* of 1 / x */
    rising sum;
    sum.value = length * (log(to) - 1.0) + from * ratio - 0.5 * ratio - d1 / 12.0 + d3 / 360.0 - d5 / 1260.0;
    sum.first = a * (ratio + ends);
    sum.lack = DIRECT * t - a * (less + ends);
    sum.second = a * (less + t * y * q + ends - a * (0.5 * d2 + d3 / 6.0 - d5 / 30.0 + d7 / 42.0));
    return sum;
}

/* Over j = 0 .. y - 1; log_a = log a, given apart because a may have lost it. */
static rising rising_sum(double log_a, double y)
{
    const double a = exp(log_a);
    rising sum = {log_a, 1.0, 0.0, 0.0};
    const double n = y < DIRECT ? y : DIRECT;
    for (double j = 1.0; j < n; j += 1.0) {
        const double share = a / (a + j), lack = j / (a + j);
        sum.value += log(a + j);
        sum.first += share;
        sum.lack += lack;
        sum.second += share * lack;
    }
    if (y > DIRECT) {
        const rising more = tail(a, y);
        sum.value += more.value;
        sum.first += more.first;
        sum.lack += more.lack;
        sum.second += more.second;
    }
    return sum;
}

void ugt_dirichlet_multinomial(const int64_t *offsets, const double *log_share, const double *count, const double *log_total,
                               int64_t begin, int64_t end, double *value, double *first, double *second)
{
    for (int64_t i = begin; i < end; i++) {
        rising sum = {0.0, 0.0, 0.0, 0.0};
        double n = 0.0;
        for (int64_t at = offsets[i]; at < offsets[i + 1]; at++) {
            const rising part = rising_sum(log_total[i] + log_share[at], count[at]);
            n += count[at];
            sum.value += part.value;
            sum.first += part.first;
            sum.lack += part.lack;
            sum.second += part.second;
        }
        if (n > 0.0) {
            const rising all = rising_sum(log_total[i], n);
            sum.value -= all.value;
            /* classes have n labels together: the same twice, but one of them with small terms only */
            sum.first = log_total[i] > log(n) ? all.lack - sum.lack : sum.first - all.first;
            sum.second -= all.second;
        }
        value[i] = sum.value;
        first[i] = sum.first;
        second[i] = sum.second;
    }
}
