/* Randomised quasi-Monte Carlo: an embedded lattice with random shifts and the tent map, whose shifts give a standard error. */
#include "cubature.h"

#define SHIFTS 16
#define MOST_TILT 0.4      /* of q: lighter tails have large weights in them; without a tilt errors are 1.2 to 6 times as large */
#define TILT_STEP 0.5      /* laws that many dimensions share have one table */
#define FIRST_POINTS 16
#define MOST_POINTS 65536  /* of a term and shift */
#define TARGET 2e-4        /* standard error at which no more points are added, if the tolerance is smaller */

/* The first components of the generating vector of the embedded lattice rule exod2_base2_m20 of Cools, Kuo & Nuyens (2006). */
static const uint32_t GENERATOR[UGT_MOST_DIMENSIONS] = {1,      182667, 469891, 498753, 110745, 446247, 250185, 118627, 245333, 283199, 408519, 391023,
                                                    246327, 126539, 399185, 461527, 300343, 69681,  516695, 436179, 106383, 238523, 413283, 70841};

static double ugt_clamp(double x, double low, double high)
{
    return x < low ? low : x > high ? high : x;
}

static double log_density(const ugt_beta_table *t, double y)
{
    return t->p * y - (t->p + t->q) * (y > 0.0 ? y + log1p(exp(-y)) : log1p(exp(y))) - t->log_beta;
}

static int beta_of(ugt_cubature *w, double p, double q, int64_t *out)
{
    for (*out = 0; *out < w->n_betas; ++*out)
        if (w->beta[*out].p == p && w->beta[*out].q == q)
            return UGT_OK;
    const int status = ugt_make_room(&w->beta, &w->beta_room, w->n_betas + 1, sizeof *w->beta);
    if (status != UGT_OK)
        return status;
    ugt_beta_table *t = &w->beta[w->n_betas++];
    t->p = p;
    t->q = q;
    t->log_beta = ugt_log_beta(p, q);
    const double middle = log(p / q), left = 34.0 / p + 6.0, right = 34.0 / q + 6.0;
    for (int i = 0; i <= UGT_CELLS; i++) { /* cells grow from the mode on */
        const double x = expm1(5.0 * i / UGT_CELLS) / expm1(5.0);
        t->edge[UGT_CELLS - i] = middle - left * x;
        t->edge[UGT_CELLS + i] = middle + right * x;
    }
    t->sum[0] = 0.0;
    for (int i = 0; i < 2 * UGT_CELLS; i++) {
        const double a = t->edge[i], b = t->edge[i + 1];
        const double mean = (exp(log_density(t, a)) + 4.0 * exp(log_density(t, 0.5 * (a + b))) + exp(log_density(t, b))) / 6.0;
        t->sum[i + 1] = t->sum[i] + (mean + 1e-300) * (b - a);
    }
    for (int i = 0; i <= 2 * UGT_CELLS; i++)
        t->sum[i] /= t->sum[2 * UGT_CELLS];
    for (int i = 0, guide = 0; i < 2 * UGT_CELLS; i++) {
        const double mass = t->sum[i + 1] - t->sum[i], width = t->edge[i + 1] - t->edge[i];
        t->per_mass[i] = mass > 0.0 ? width / mass : 0.0;
        t->log_weight[i] = mass > 0.0 ? log(width / mass) - t->log_beta : -INFINITY;
        for (; guide <= UGT_GUIDES && (i + 1 == 2 * UGT_CELLS || guide < t->sum[i + 1] * UGT_GUIDES); guide++)
            t->guide[guide] = (uint8_t)i;
    }
    return UGT_OK;
}

/* point [4]: b, 1 - b, log(1 - b) and the log of the weight of quantile u. */
static void beta_point(const ugt_beta_table *t, double u, double extra, double *point)
{
    int cell = t->guide[(int)(u * UGT_GUIDES)];
    while (t->sum[cell + 1] <= u && cell < 2 * UGT_CELLS - 1)
        cell++;
    const double y = t->edge[cell] + (u - t->sum[cell]) * t->per_mass[cell];
    const double e = exp(-fabs(y)), large = 1.0 / (1.0 + e), log_large = -log1p(e);
    point[0] = y > 0.0 ? large : e * large;
    point[1] = y > 0.0 ? e * large : large;
    point[2] = y > 0.0 ? log_large - y : log_large;
    point[3] = t->p * y + (t->p + t->q - extra) * point[2] + t->log_weight[cell];
}

static uint32_t reversed(uint32_t x) /* the lowest 20 bits in reverse order */
{
    x = (x & 0x55555555u) << 1 | (x >> 1 & 0x55555555u);
    x = (x & 0x33333333u) << 2 | (x >> 2 & 0x33333333u);
    x = (x & 0x0f0f0f0fu) << 4 | (x >> 4 & 0x0f0f0f0fu);
    x = (x & 0x00ff00ffu) << 8 | (x >> 8 & 0x00ff00ffu);
    return (x << 16 | x >> 16) >> 12;
}

/* Moves the laws of a component to where its mass is: for the adaptive rule the exponents matter more, at which integrands are smooth. */
static void tilt(ugt_component *one)
{
    for (int d = 0; d < one->n_dims; d++) {
        const double more = floor(fmin(one->ahead[d], MOST_TILT * one->q[d]) / TILT_STEP + 0.5) * TILT_STEP;
        one->factor *= exp(ugt_log_beta(one->p[d], one->q[d] + more) - ugt_log_beta(one->p[d], one->q[d]));
        one->q[d] += more;
        one->extra[d] += more;
    }
}

/* Adds points [from, to) of a component under one shift to sum [width]. */
static int add_points(ugt_cubature *w, const ugt_component *one, const double *shift, int64_t from, int64_t to, double *sum, double *scratch)
{
    double point[UGT_MOST_DIMENSIONS][4], own[3 * (UGT_MOST_MENTIONED + 1)] = {0};
    int64_t at[UGT_MOST_DIMENSIONS];
    for (int d = 0; d < one->n_dims; d++) {
        const int status = beta_of(w, one->p[d], one->q[d], &at[d]);
        if (status != UGT_OK)
            return status;
    }
    for (int64_t i = from; i < to; i++) {
        const uint64_t index = reversed((uint32_t)i);
        for (int d = 0; d < one->n_dims; d++) {
            const double x = (double)(index * GENERATOR[d] & 0xfffffu) * 0x1p-20 + shift[d], part = x - floor(x);
            beta_point(&w->beta[at[d]], ugt_clamp(1.0 - fabs(2.0 * part - 1.0), 1e-16, 1.0 - 1e-16), one->extra[d], point[d]);
        }
        ugt_integrate_point(w, one, point, scratch);
        for (int64_t j = 0; j < w->width; j++)
            own[j] += scratch[j];
    }
    ugt_add_images(w, one, own);
    for (int64_t j = 0; j < w->width; j++)
        sum[j] += own[j];
    return UGT_OK;
}

/* out [width]: the sums of all components; error: the largest standard error of a probability or a mean. */
int ugt_lattice_rule(ugt_cubature *w, const volatile int32_t *stop, uint64_t key, double *out, double *error)
{
    const int64_t width = w->width, n = w->n_components;
    const double budget = (double)w->options->most_points / SHIFTS, target = fmax(TARGET, w->options->tolerance);
    int status = UGT_ERR_MEMORY;
    double *sums = calloc(ugt_bytes(n * SHIFTS * width, 1), sizeof *sums); /* of each component and shift */
    double *shift = malloc(ugt_bytes(n * SHIFTS * UGT_MOST_DIMENSIONS, sizeof *shift)), *scratch = malloc(ugt_bytes((SHIFTS + 2) * width, sizeof *scratch));
    int64_t *points = calloc(ugt_bytes(n, 1), sizeof *points);
    if (sums == NULL || shift == NULL || scratch == NULL || points == NULL)
        goto out;
    ugt_stream stream;
    ugt_stream_open(&stream, w->options->seed, key, 0, UGT_PURPOSE_LATTICE);
    for (int64_t j = 0; j < n * SHIFTS * UGT_MOST_DIMENSIONS; j++)
        shift[j] = ugt_stream_uniform(&stream);
    w->leaves = 0;
    for (int64_t c = 0; c < n; c++)
        tilt(&w->component[c]);
    for (double wanted = FIRST_POINTS * (double)n;; wanted *= 2.0) {
        double all = 0.0;
        for (int64_t c = 0; c < n; c++)
            all += w->component[c].total;
        for (int64_t c = 0; c < n; c++) {
            int64_t to = FIRST_POINTS;
            while (all > 0.0 && (double)to < wanted * w->component[c].total / all && to < MOST_POINTS)
                to *= 2;
            for (int r = 0; r < SHIFTS && points[c] < to; r++) {
                const int64_t at = c * SHIFTS + r;
                status = *stop ? UGT_STOPPED
                               : add_points(w, &w->component[c], shift + at * UGT_MOST_DIMENSIONS, points[c], to, sums + at * width, scratch);
                if (status != UGT_OK)
                    goto out;
            }
            points[c] = to > points[c] ? to : points[c];
            w->component[c].total = 0.0;
            for (int64_t r = 0; r < SHIFTS; r++)
                w->component[c].total += ugt_total_of(sums + (c * SHIFTS + r) * width, w->m + 1) / (double)points[c];
        }
        memset(out, 0, (size_t)width * sizeof *out);
        *error = 0.0;
        for (int r = 0; r < SHIFTS; r++) {
            double *one = scratch + (2 + r) * width;
            memset(one, 0, (size_t)width * sizeof *one);
            for (int64_t c = 0; c < n; c++)
                for (int64_t j = 0; j < width; j++)
                    one[j] += sums[(c * SHIFTS + r) * width + j] / (double)points[c];
            for (int64_t j = 0; j < width; j++)
                out[j] += one[j] / SHIFTS;
        }
        for (int64_t part = 0; part < 3; part++) { /* of ratios, to first order */
            const int64_t own = part * (w->m + 1), below = part == 0 ? 0 : w->m + 1;
            const double total = ugt_total_of(out + below, w->m + 1);
            for (int64_t j = own; j < own + w->m + 1; j++) {
                double square = 0.0;
                for (int r = 0; r < SHIFTS; r++) {
                    const double *one = scratch + (2 + r) * width;
                    const double off = (one[j] - out[j] / total * ugt_total_of(one + below, w->m + 1)) / total;
                    square += off * off;
                }
                *error = fmax(*error, sqrt(square / SHIFTS / (SHIFTS - 1)));
            }
        }
        if (*error <= target || 2.0 * wanted > budget)
            break;
    }
    status = UGT_OK;
out:
    free(sums);
    free(shift);
    free(scratch);
    free(points);
    return status;
}
