/* Probability p of one block of tied classes under Plackett-Luce: all of them arrive before the later classes do.
 *
 * Arrival times are Exp(lambda_a); the later classes have the total rate Z; x_a = lambda_a / Z. There are two exact methods. Small
 * blocks use the subset recursion of [A] B.4.1 in a scaled form that neither overflows nor cancels (subset.c). Blocks of any size can
 * use the one-dimensional integral of Ma et al. (2021, "partitioned preference"), in time linear in the block:
 *
 *   p = int_0^inf exp(-T) prod_a (1 - exp(-x_a T)) dT = int exp g(s) ds, T = exp(s), g concave.
 *
 * The integrand is analytic, so the trapezoid rule converges exponentially: the error squares at each halving. */
#include <float.h>
#include <math.h>

#include "core.h"

#define TAIL 41.0        /* terms below exp(-41) = 1.6e-18 times the largest end the sum: they are below rounding error */
#define CLOSE 1e-7       /* relative change at which halving stops; the error left is about its square */
#define LOG_2 0.69314718055994530942
#define MOST_HALVINGS 12 /* of the step; bounds the time, and no test needed more than three */

/* phi(x) = x / (e^x - 1), psi(x) = phi (x + phi - 1) = -x phi'(x) */
static double phi(double x)
{
    return x < 1e-6 ? 1.0 - 0.5 * x : x > 700.0 ? 0.0 : x / expm1(x);
}

static double psi(double x)
{
    if (x < 1e-6)
        return 0.5 * x;
    const double f = phi(x);
    return f * (x + f - 1.0);
}

static double log1mexp(double x) /* log(1 - e^-x), x > 0 */
{
    return x < LOG_2 ? log(-expm1(-x)) : log1p(-exp(-x));
}

double ugt_block_mode(const double *x, int64_t n, double *curvature)
{
    /* The stationary point of g solves 1 + sum phi(x_a T) = T. Newton's method from T = 1 increases monotonically to it. */
    double t = 1.0, k = 1.0;
    for (int i = 0; i < 100; i++) {
        double f = 1.0 - t, slope = 0.0;
        for (int64_t a = 0; a < n; a++) {
            f += phi(x[a] * t);
            slope += psi(x[a] * t);
        }
        k = t + slope;
        const double step = f / (1.0 + slope / t);
        t += step;
        if (fabs(step) < 1e-3 * t)
            break;
    }
    *curvature = k;
    return t;
}

/* Returns the log of the product over a block of 1 - exp(-x_a t). */
static double log_all_arrived(const double *x, int64_t n, double t)
{
    double sum = 0.0;
    for (int64_t a = 0; a < n; a++) {
        const double y = x[a] * t;
        if (y < 745.0)
            sum += log1mexp(y);
    }
    return sum;
}

typedef struct {
    const double *x;
    int64_t n;
    int complement; /* whether to integrate for 1 - p, which keeps its digits if p is near 1 */
    double peak;    /* log of the largest term at the start */
    double *share;  /* [n] running sums of weight * phi, or NULL */
    double shared, largest_share; /* sum of `share`, and the largest contribution of one node to that sum */
} block_task;

/* Returns the log integrand at s, or -INFINITY if the integrand is 0. */
static double log_term(const block_task *task, double s)
{
    const double t = exp(s), arrived = log_all_arrived(task->x, task->n, t);
    if (!task->complement)
        return s - t + arrived;
    return arrived == 0.0 ? -INFINITY : s - t + log(-expm1(arrived));
}

/* Adds a node to the shares, and returns its contribution to their sum. */
static double add_share(block_task *task, double s, double weight)
{
    double added = 0.0;
    if (task->share == NULL)
        return 0.0;
    const double t = exp(s);
    for (int64_t a = 0; a < task->n; a++) {
        const double value = weight * phi(task->x[a] * t);
        task->share[a] += value;
        added += value;
    }
    task->shared += added;
    task->largest_share = added > task->largest_share ? added : task->largest_share;
    return added;
}

/* Returns the sum of exp(log_term - peak) over s = start + i step, i = 0, 1, ..., outwards until both the terms and their shares are
 * negligible; if p is near 1, the shares arise far left of the mode. *end keeps the last s, and later calls sum just as far. */
static double sum_outwards(block_task *task, double start, double step, double *end)
{
    const double cut = exp(-TAIL);
    double sum = 0.0, largest = 1.0;
    for (int i = 0; i < 1000000; i++) {
        const double s = start + i * step, term = exp(log_term(task, s) - task->peak), added = add_share(task, s, term);
        const int searching = task->share != NULL && task->largest_share == 0.0 && step < 0.0; /* shares may still come further left */
        sum += term;
        largest = term > largest ? term : largest;
        if (isnan(*end)) {
            if (term < cut * largest && added <= cut * task->largest_share && !searching) {
                *end = s;
                break;
            }
        } else if ((s - *end) * step >= 0.0) {
            break;
        }
    }
    return sum;
}

/* Returns the log of the integral over s, starting from a centre and a first step h. */
static double log_integral(block_task *task, double centre, double h)
{
    task->peak = log_term(task, centre);
    double left = NAN, right = NAN, total = sum_outwards(task, centre - h, -h, &left);
    total += sum_outwards(task, centre, h, &right);
    for (int i = 0; i < MOST_HALVINGS; i++) {
        const double before = total * h, shared_before = task->shared * h;
        total += sum_outwards(task, centre - 0.5 * h, -h, &left);
        total += sum_outwards(task, centre + 0.5 * h, h, &right);
        h *= 0.5;
        if (fabs(total * h - before) <= CLOSE * total * h && fabs(task->shared * h - shared_before) <= CLOSE * task->shared * h)
            break;
    }
    if (task->share != NULL)
        for (int64_t a = 0; a < task->n; a++)
            task->share[a] /= total;
    return task->peak + log(total * h);
}

double ugt_block_log_probability(const double *x, int64_t n, double *share)
{
    double curvature;
    const double t = ugt_block_mode(x, n, &curvature);
    block_task task = {.x = x, .n = n, .share = share};
    for (int64_t a = 0; a < n && share != NULL; a++)
        share[a] = 0.0;
    const double log_p = log_integral(&task, log(t), fmin(0.7 / sqrt(curvature), 0.5));
    if (log_p <= -0.6)
        return log_p;
    double least = INFINITY;
    for (int64_t a = 0; a < n; a++)
        least = x[a] < least ? x[a] : least;
    /* The integrand of 1 - p is about e^s until T is about 1/x of the slowest class, so the sum is centred there. */
    block_task rest = {.x = x, .n = n, .complement = 1};
    return log1p(-exp(log_integral(&rest, -log1p(least), 0.5)));
}

/* ---- arrival times of a large block, given that all of it arrives first ---- */

typedef struct {
    const double *x;
    int64_t n;
} arrivals;

/* Returns g at s, and sets its slope. */
static double log_density(const void *task, double s, double *slope)
{
    const arrivals *of = task;
    const double t = exp(s);
    double sum = 0.0;
    for (int64_t a = 0; a < of->n; a++)
        sum += phi(of->x[a] * t);
    *slope = 1.0 + sum - t;
    return s - t + log_all_arrived(of->x, of->n, t);
}

double ugt_log_concave(ugt_stream *stream, ugt_log_density *g, const void *task, double s0, double reach)
{
    double slope0, left, right;
    const double g0 = g(task, s0, &slope0);
    const double low = s0 - reach, g_low = g(task, low, &left);
    const double high = s0 + reach, g_high = g(task, high, &right);
    const double top = g0 + fabs(slope0) * reach; /* s0 is the mode to a thousandth only, and the hat must lie above g */
    const double a = low + (top - g_low) / left, b = high + (top - g_high) / right;
    const double area_left = 1.0 / left, area_middle = b - a, area = area_left + area_middle - 1.0 / right;
    for (;;) {
        double u = ugt_stream_uniform(stream) * area, s, hat = top;
        if (u < area_left) {
            s = a - ugt_stream_exponential(stream) / left;
            hat += left * (s - a);
        } else if (u < area_left + area_middle) {
            s = a + (u - area_left);
        } else {
            s = b - ugt_stream_exponential(stream) / right;
            hat += right * (s - b);
        }
        double ignored;
        if (ugt_stream_exponential(stream) >= hat - g(task, s, &ignored))
            return s;
    }
}

/* Returns a draw of T from the density exp(g(log T)) / T. */
static double draw_horizon(ugt_stream *stream, const double *x, int64_t n)
{
    double kappa;
    const arrivals task = {x, n};
    const double s0 = log(ugt_block_mode(x, n, &kappa));
    return exp(ugt_log_concave(stream, log_density, &task, s0, sqrt(2.0 / kappa)));
}

double ugt_block_arrivals(ugt_stream *stream, const double *lambda, int64_t n, double z, double *x, double *tau)
{
    for (int64_t a = 0; a < n; a++)
        x[a] = lambda[a] / z;
    const double horizon = draw_horizon(stream, x, n) / z; /* arrival of the first later class; dropped afterwards (memorylessness) */
    double last = 0.0;
    for (int64_t a = 0; a < n; a++) {
        tau[a] = -log1p(ugt_stream_uniform(stream) * expm1(-lambda[a] * horizon)) / lambda[a];
        last = tau[a] > last ? tau[a] : last;
    }
    return last;
}
