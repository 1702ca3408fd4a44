/* Computes the gamma law on the log scale: density, lower tail and upper tail at one point, together.
 *
 * Series and continued fraction: DLMF 8.7.1 and 8.9.2 (the latter by the modified Lentz algorithm);
 * large shapes: Temme's uniform expansion, DLMF 8.12.3-8.12.10. */
#include "core.h"

#include <float.h>
#include <math.h>

#include "temme.h"

#define HALF_LOG_2PI 0.91893853320467274178
#define STIRLING_FROM 20.0 /* shape from which the first neglected Stirling term is below 2e-15 */
#define TEMME_FROM 200.0   /* shape from which five orders leave a relative error below 1e-15 (measured with mpmath) */
#define TEMME_LOW (-0.45)  /* Temme's expansion is used for x/c - 1 from LOW to HIGH; outside it, series and fraction */
#define TEMME_HIGH 0.5     /* converge in a few hundred terms for any shape */

double ugt_log1p_defect(double x)
{
    /* x - log(1+x) is computed without cancellation: log(1+x) = 2 atanh(r), r = x/(2+x); 14 terms in r^2 < 0.032 leave an error of 1e-17 */
    if (!(x > -0.3 && x < 0.4))
        return x - log1p(x);
    const double r = x / (2.0 + x), y = r * r;
    double sum = 0.0;
    for (int n = 14; n >= 1; n--)
        sum = sum * y + 1.0 / (2 * n + 1);
    return r * (x - 2.0 * y * sum);
}

/* The C library of mingw gives the logarithm of subnormal numbers nine digits. */
double ugt_log_tiny(double x)
{
    return x < DBL_MIN ? log(x * 18014398509481984.0) - 54.0 * 0.69314718055994530942 : log(x); /* 2^54 */
}

/* lgamma writes the sign to a global variable, for which threads race. On Windows lgamma_r is missing, and lgamma does not write it. */
double ugt_log_gamma(double x)
{
#ifdef _WIN32
    return lgamma(x);
#else
    double lgamma_r(double x, int *sign); /* declared here because it is in POSIX but not in C11, so that no header declares it */
    int sign;
    return lgamma_r(x, &sign);
#endif
}

void ugt_shape_set(ugt_shape *shape, double c)
{
    shape->c = c;
    shape->log_c = log(c);
    if (c < STIRLING_FROM) {
        shape->log_scale = ugt_log_gamma(c + 1.0); /* log Gamma(c) = log Gamma(c+1) - log c */
    } else {
        const double i = 1.0 / c, i2 = i * i;
        const double tail = i * (1.0 / 12 - i2 * (1.0 / 360 - i2 * (1.0 / 1260 - i2 * (1.0 / 1680 - i2 / 1188))));
        shape->log_scale = 0.5 * shape->log_c - HALF_LOG_2PI - tail;
    }
}

/* Returns Q(c, x)/q by the continued fraction, for the density q = x^c e^-x / Gamma(c); x > c. */
static double upper_fraction(double c, double x)
{
    const double tiny = 1e-300;
    double b = x + 1.0 - c, f = 1.0 / tiny, d = 1.0 / b, h = d;
    for (int i = 1; i < 100000; i++) {
        const double a = -(double)i * ((double)i - c);
        b += 2.0;
        d = a * d + b;
        if (fabs(d) < tiny)
            d = tiny;
        f = b + a / f;
        if (fabs(f) < tiny)
            f = tiny;
        d = 1.0 / d;
        h *= d * f;
        if (fabs(d * f - 1.0) < 2e-16)
            break;
    }
    return h;
}

/* Returns 1 + x/(c+1) + x^2/((c+1)(c+2)) + ... = P(c, x) c/q, for the same q. */
static double lower_series(double c, double x)
{
    double term = 1.0, sum = 1.0;
    for (int n = 1; n < 100000 && term > 1e-17 * sum; n++) {
        term *= x / (c + n);
        sum += term;
    }
    return sum;
}

static void temme(const ugt_shape *shape, double half_eta2, int above, ugt_cell *cell)
{
    const double c = shape->c, eta = above ? sqrt(2.0 * half_eta2) : -sqrt(2.0 * half_eta2);
    double sum = 0.0;
    for (int k = TEMME_ORDERS - 1; k >= 0; k--) {
        double value = 0.0;
        for (int n = TEMME_DEGREE - 1; n >= 0; n--)
            value = value * eta + TEMME[k][n];
        sum = sum / c + value;
    }
    const double root = eta * sqrt(0.5 * c), rest = exp(-c * half_eta2 - HALF_LOG_2PI - 0.5 * shape->log_c) * sum;
    cell->upper = 0.5 * erfc(root) + rest;
    cell->lower = 0.5 * erfc(-root) - rest;
}

void ugt_gamma_cell(const ugt_shape *shape, double s, double x, ugt_cell *cell)
{
    const double c = shape->c;
    double log_power, deviation = 0.0, half_eta2 = 0.0; /* log_power: log of density / c = x^c e^-x / Gamma(c+1) */
    if (c < STIRLING_FROM) {
        log_power = c * s - x - shape->log_scale;
    } else {
        deviation = (x - c) / c;
        half_eta2 = ugt_log1p_defect(deviation);
        log_power = shape->log_scale - shape->log_c - c * half_eta2;
    }
    cell->density = c * exp(log_power);
    if (c >= TEMME_FROM && deviation > TEMME_LOW && deviation < TEMME_HIGH) {
        temme(shape, half_eta2, deviation > 0.0, cell);
    } else if (x < c + 1.0 || x < 1.5) {
        /* the logarithm is computed first, so that the upper tail of a tiny shape keeps its digits */
        const double log_lower = log_power + log(lower_series(c, x));
        cell->lower = exp(log_lower);
        cell->upper = log_lower < 0.0 ? -expm1(log_lower) : 0.0;
    } else {
        cell->upper = cell->density * upper_fraction(c, x);
        cell->lower = 1.0 - cell->upper;
    }
}

/* Returns mu > 0 (above) or -1 < mu < 0 with mu - log(1+mu) = t, for t > 0. Newton starts beyond the root and is monotone. */
static double chernoff_root(double t, int above)
{
    double mu = above ? t + sqrt(2.0 * t) : (t < 0.5 ? -sqrt(2.0 * t) : -1.0 + 0.5 * exp(-1.0 - t));
    if (!above && mu < -0.999)
        return -1.0 + exp(-1.0 - t); /* log(1+mu) = mu - t >= -1 - t gives this bound, which is exact to first order */
    for (int i = 0; i < 8; i++) {
        const double step = (ugt_log1p_defect(mu) - t) * (1.0 + mu) / mu, next = mu - step;
        mu = (next <= -1.0) ? 0.5 * (mu - 1.0) : next;
        if (fabs(step) < 1e-6 * fabs(mu))
            break;
    }
    return mu;
}

double ugt_gamma_log_above(const ugt_shape *shape, double t)
{
    return shape->log_c + log1p(chernoff_root(t / shape->c, 1));
}

double ugt_gamma_log_below(const ugt_shape *shape, double t)
{
    const double c = shape->c, mu = chernoff_root(t / c, 0);
    const double chernoff = mu > -1.0 ? shape->log_c + log1p(mu) : -INFINITY;
    const double log_gamma1 = c < STIRLING_FROM ? shape->log_scale : ugt_log_gamma(c + 1.0);
    const double power = (log_gamma1 - t) / c; /* P(c, x) <= x^c / Gamma(c+1) */
    return power > chernoff ? power : chernoff;
}
