/* The law of the largest of n exchangeable shares, Dirichlet(a, ..., a).
 *
 * G_n(s) = P(the largest share is at most 1 / s). One share is the largest and equals u, and the others, of which each is at most u, are a
 * Dirichlet law of the rest 1 - u. With t = 1 / u,
 *
 *   G_n(s) = 1 - int_1^s n f(t) G_{n-1}(t - 1) dt,   f(t) = t^(-a-1) (1 - 1/t)^(c-1) / B(a, c),   c = (n - 1) a,
 *
 * and G_{n-1} = 1 up to 1: an incomplete beta function up to s = 2, then one integral after the other, by the trapezoid rule. Beyond FARTHEST
 * the shares are those of gamma variables by their expected total. */
#include "points.h"

#define PER_UNIT 128    /* nodes */
#define FARTHEST 256
#define NEGLIGIBLE 1e-10

static double log_beta_of(double n, double a)
{
    return n > 1.5 ? ugt_log_gamma(a) + ugt_log_gamma((n - 1.0) * a) - ugt_log_gamma(n * a) : 0.0;
}

/* 1 - G_n(s) for 1 <= s <= 2, by a series of positive terms (DLMF 8.17.8) */
static double above_half(double n, double a, double log_beta, double s)
{
    const double c = (n - 1.0) * a, w = 1.0 - 1.0 / s;
    double term = 1.0, sum = 1.0;
    if (!(w > 0.0) || n < 1.5)
        return w > 0.0 ? 1.0 : 0.0;
    for (double k = 0.0; term > 1e-16 * sum && k < 1e6; k += 1.0) {
        term *= (a + c + k) / (c + 1.0 + k) * w;
        sum += term;
    }
    return fmin(1.0, n * exp(c * log(w) - a * log(s) - log_beta) / c * sum);
}

/* Fills value [PER_UNIT * units + 1] of G_n on s = 1 + i / PER_UNIT from `lower`, the same of G_{n-1}, one unit shorter. */
static void fill(double n, double a, int64_t units, const double *lower, double *value)
{
    const double c = (n - 1.0) * a, h = 1.0 / PER_UNIT;
    const double log_beta = log_beta_of(n, a), log_scale = log(n) - log_beta;
    double before = 0.0;
    for (int64_t i = 0; i <= PER_UNIT * units; i++) {
        const double t = 1.0 + (double)i * h;
        if (i <= PER_UNIT)
            value[i] = 1.0 - above_half(n, a, log_beta, t);
        if (i < PER_UNIT)
            continue;
        const double density = n > 1.5 ? exp(log_scale - (a + 1.0) * log(t) + (c - 1.0) * log1p(-1.0 / t)) * lower[i - PER_UNIT] : 0.0;
        if (i > PER_UNIT)
            value[i] = fmax(value[i - 1] - 0.5 * h * (before + density), 0.0);
        before = density;
    }
}

static int extend(ugt_largest_share *of, int64_t reach)
{
    const int64_t room = PER_UNIT * reach + 1;
    free(of->value);
    of->reach = 0;
    of->value = malloc(ugt_bytes(2 * room, sizeof *of->value));
    if (of->value == NULL)
        return UGT_ERR_MEMORY;
    const int64_t first = of->n > reach ? of->n - reach + 1 : 1;
    double *lower = of->value, *value = lower + room;
    lower[0] = 1.0;
    for (int64_t n = first; n <= of->n; n++) {
        const int64_t units = reach - (of->n - n);
        fill((double)n, of->shape, units, lower, value);
        memcpy(lower, value, (size_t)(PER_UNIT * units + 1) * sizeof *lower);
    }
    of->reach = reach;
    return UGT_OK;
}

int ugt_largest_at_most(ugt_largest_share *of, double s, double *p)
{
    *p = 1.0;
    if (s <= 1.0)
        return UGT_OK;
    if (s <= 2.0) {
        *p = 1.0 - above_half((double)of->n, of->shape, log_beta_of((double)of->n, of->shape), s);
        return UGT_OK;
    }
    *p = 0.0;
    if (s >= (double)of->n)
        return UGT_OK;
    while (s > 1.0 + (double)of->reach && of->reach < FARTHEST && (of->reach == 0 || of->value[PER_UNIT * of->reach] > NEGLIGIBLE)) {
        const int status = extend(of, of->reach == 0 ? 4 : 2 * of->reach);
        if (status != UGT_OK)
            return status;
    }
    const double place = (s - 1.0) * PER_UNIT;
    if (s < 1.0 + (double)of->reach) {
        const int64_t at = (int64_t)place;
        *p = of->value[at] + (of->value[at + 1] - of->value[at]) * (place - (double)at);
    } else if (of->value[PER_UNIT * of->reach] > NEGLIGIBLE) {
        const double x = (double)of->n * of->shape / s;
        ugt_shape shape;
        ugt_cell cell;
        ugt_shape_set(&shape, of->shape);
        ugt_gamma_cell(&shape, log(x), x, &cell);
        *p = exp((double)of->n * log(cell.lower));
    }
    return UGT_OK;
}
