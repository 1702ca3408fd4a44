/* Dirichlet-multinomial log-likelihood of label counts under Dirichlet(a z), z fixed, with derivatives by log a.
 *
 * It is a sum over labels: log(a z_k + j) for each class k and each j below its number of labels, less log(a + j) for each j below
 * the number of labels of the case. Unlike a difference of large log-gammas, it is equally accurate for a = 1e-12 and a = 1e12. */
#include <math.h>

#include "core.h"

#define DIRECT 64 /* terms added one by one; the rest of a long sum uses Euler-Maclaurin, whose error is 1e-16 from here on */

/* Sums over j: value of log(a + j); first, its derivative by log a, of a / (a + j); second, its second derivative, of a j / (a + j)^2.
 * lack is the sum of j / (a + j), the number of labels less `first`, without the cancellation of that difference. */
typedef struct {
    double value, first, lack, second;
} rising;

/* Returns log(1 + t) - t for t >= 0. */
static double log1p_less(double t)
{
    if (t > 0.01)
        return log1p(t) - t;
    /* The next term is t^10 / 10, at most 2e-17 of the first, so it would not change the result. */
    return -t * t * (1.0 / 2 - t * (1.0 / 3 - t * (1.0 / 4 - t * (1.0 / 5 - t * (1.0 / 6 - t * (1.0 / 7 - t * (1.0 / 8 - t / 9)))))));
}

/* Returns the sums over j from DIRECT to y - 1, by Euler and Maclaurin: integral, half the ends and odd derivatives of log x, 1 / x and
 * 1 / x^2. Differences of numbers that are nearly equal for large a are written as products, which do not cancel. */
static rising tail(double a, double y)
{
    const double from = a + DIRECT, to = a + y, length = y - DIRECT, t = length / from, ratio = log1p(t), less = log1p_less(t);
    const double p = 1.0 / from, q = 1.0 / to, p2 = p * p, q2 = q * q;
    const double d1 = length * p * q, d2 = d1 * (p + q), d3 = d1 * (p2 + p * q + q2), d4 = d2 * (p2 + q2); /* p^m - q^m */
    const double d5 = d1 * (p2 * p2 + p * q * (p2 + p * q + q2) + q2 * q2), d6 = d2 * (p2 * p2 + p2 * q2 + q2 * q2);
    const double d7 = p * p2 * d4 + q2 * q2 * d3;
    const double ends = 0.5 * d1 + d2 / 12.0 - d4 / 120.0 + d6 / 252.0; /* corrections of the integral of 1 / x */
    rising sum;
    sum.value = length * (log(to) - 1.0) + from * ratio - 0.5 * ratio - d1 / 12.0 + d3 / 360.0 - d5 / 1260.0;
    sum.first = a * (ratio + ends);
    sum.lack = DIRECT * t - a * (less + ends);
    sum.second = a * (less + t * y * q + ends - a * (0.5 * d2 + d3 / 6.0 - d5 / 30.0 + d7 / 42.0));
    return sum;
}

/* Returns the sums over j = 0 .. y - 1. It takes log a, since a itself may underflow to 0. */
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
            /* Both differences are equal, since the classes have n labels together; the one with small terms cancels less. */
            sum.first = log_total[i] > log(n) ? all.lack - sum.lack : sum.first - all.first;
            sum.second -= all.second;
        }
        value[i] = sum.value;
        first[i] = sum.first;
        second[i] = sum.second;
    }
}
