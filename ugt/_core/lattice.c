/* Randomised quasi-Monte Carlo: an embedded lattice with random shifts and the tent map, whose shifts give a standard error.
 *
 * Coordinates are y_d = log(b_d / (1 - b_d)), b as in cubature.c: for nested sets they are independent. Points are y = mode + A z, where A A'
 * is the inverse of the negative Hessian of the log density at the mode, and each z has a logistic law with a scale for each side of 0, at
 * which it falls as the density does along its axis (Geweke 1989 takes Student laws). */
#include "cubature.h"

#define SHIFTS 16
#define FIRST_POINTS 32    /* of a shift */
#define MOST_POINTS 65536  /* of a term and shift */
#define START_STEPS 6      /* towards the mode before Newton's, as Hunter (2004) iterates */
#define NEWTON_STEPS 20
#define FALL 2.0           /* of the log density, that sets the scales; a logistic law of scale 1 falls by it at LOGISTIC_FALL */
#define LOGISTIC_FALL 3.3162
#define LOGISTIC_TOP 1.3862943611198906 /* -log of its highest density, 1 / 4 */
#define PI 3.14159265358979323846
#define DIFFERENCE 1e-4    /* step in terms with p < 0, next to the scale of b: some 1e-5 is lost by its length, 1e-6 by that of tables */
#define MOST_Y 600.0
#define LEAST_ODDS 1e-300
#define STEP 1e-5          /* of y, for differences */
#define NEAR 1e-3          /* squared distance from the mode, in standard deviations */
#define LEAST_PIVOT 1e-9
#define SCALE_STEPS 3
#define MOST_KNOWN 256     /* terms, up to which all have their laws first */
#define EVENLY 0.05        /* share of the points that all terms have in equal parts: their expected totals may be wrong */

/* The first components of the generating vector of the embedded lattice rule exod2_base2_m20 of Cools, Kuo & Nuyens (2006). */
static const uint32_t GENERATOR[UGT_MOST_DIMENSIONS] = {1,      182667, 469891, 498753, 110745, 446247, 250185, 118627, 245333, 283199, 408519, 391023,
                                                    246327, 126539, 399185, 461527, 300343, 69681,  516695, 436179, 106383, 238523, 413283, 70841};

/* The law of the points of a term. */
typedef struct {
    double log_weight; /* of the constants of the term, and of its law if it is known */
    double share;      /* of the total of the case, about */
    int known;
    uint32_t continued; /* bits of the dimensions with p < 0 */
    double *mode, *left, *right, *axis; /* [n_dims]; axis [n_dims^2]: A, column after column */
} law;

/* Returns the log of the integrand at y, without the constants of the term; sets r of each class in a set, v_0, and the slope unless it is NULL. */
static double height(const ugt_cubature *w, const ugt_component *one, const double *y, double *r, double *v0, double *slope)
{
    double v[UGT_MOST_DIMENSIONS], b[UGT_MOST_DIMENSIONS], stick = 1.0, h = 0.0;
    for (int d = 0; d < one->n_dims; d++) {
        const double e = exp(-fabs(y[d])), log_large = -log(1.0 + e), log_b = y[d] > 0.0 ? log_large : log_large + y[d], log_rest = log_b - y[d];
        b[d] = (y[d] > 0.0 ? 1.0 : e) / (1.0 + e);
        v[d] = b[d] * stick;
        stick *= (y[d] > 0.0 ? e : 1.0) / (1.0 + e);
        h += one->lifted[d] * log_b + one->behind[d] * log_rest;
    }
    const double least = exp(-UGT_LONGEST_LOG);
    *v0 = stick;
    if (slope != NULL)
        for (int d = 0; d < one->n_dims; d++)
            slope[d] = one->lifted[d] * (1.0 - b[d]) - one->behind[d] * b[d];
    for (int64_t k = 0; k < w->m; k++) {
        if (one->last[k] < 0)
            continue;
        double sum = stick, tail[UGT_MOST_DIMENSIONS];
        for (int d = one->n_dims - 1; d >= 0; d--) {
            tail[d] = sum;
            sum += ugt_share(one, d, k) * v[d];
        }
        sum = fmax(sum, least);
        r[k] = sum;
        h -= w->wins[k] * log(sum);
        if (slope != NULL)
            for (int d = 0; d <= one->last[k]; d++) /* what later sets take, the class keeps */
                slope[d] -= w->wins[k] / sum * (ugt_share(one, d, k) * v[d] * (1.0 - b[d]) - b[d] * tail[d]);
    }
    return h;
}

/* Sets y to a start near the mode: there lambda_k = c_k / r_k, and v_d is n_d by the sum of the lambdas that its set leaves. */
static void start(const ugt_cubature *w, const ugt_component *one, double *y)
{
    double lambda[UGT_MOST_MENTIONED], v[UGT_MOST_DIMENSIONS];
    memcpy(lambda, w->wins, sizeof lambda);
    for (int step = 0; step < START_STEPS; step++) {
        double all = w->rest_shape, rate[UGT_MOST_MENTIONED];
        for (int64_t k = 0; k < w->m; k++)
            all += lambda[k];
        const double left = w->n0 / all;
        double total = left;
        for (int64_t k = 0; k < w->m; k++)
            rate[k] = left;
        for (int d = 0; d < one->n_dims; d++) {
            double sum = w->rest_shape;
            for (int64_t k = 0; k < w->m; k++)
                sum += ugt_share(one, d, k) * lambda[k];
            v[d] = one->lifted[d] / sum;
            total += v[d];
            for (int64_t k = 0; k < w->m; k++)
                rate[k] += ugt_share(one, d, k) * v[d];
        }
        for (int64_t k = 0; k < w->m; k++)
            lambda[k] = w->wins[k] * total / rate[k];
        double behind = left;
        for (int d = one->n_dims - 1; d >= 0; d--) {
            y[d] = log(v[d] / behind);
            behind += v[d];
        }
    }
}

/* Sets the slope of the log density and its negative Hessian [n^2], by differences. */
static void slopes(const ugt_cubature *w, const ugt_component *one, const double *y, double *slope, double *hessian)
{
    const int n = one->n_dims;
    double r[UGT_MOST_MENTIONED], v0, moved[UGT_MOST_DIMENSIONS], other[UGT_MOST_DIMENSIONS];
    height(w, one, y, r, &v0, slope);
    memcpy(moved, y, (size_t)n * sizeof *y);
    for (int d = 0; d < n; d++) {
        moved[d] = y[d] + STEP;
        height(w, one, moved, r, &v0, other);
        moved[d] = y[d];
        for (int e = 0; e < n; e++)
            hessian[d * n + e] = (slope[e] - other[e]) / STEP;
    }
}

/* Sets the lower Cholesky factor [n^2] of a matrix, with as much added to its diagonal as makes it positive. */
static void factorise(const double *given, int n, double *a)
{
    double more = 0.0, largest = 0.0;
    for (int i = 0; i < n; i++)
        largest = fmax(largest, fabs(given[i * n + i]));
    for (int i = 0; i < n; i++)
        for (int j = 0; j <= i; j++) {
            double sum = 0.5 * (given[i * n + j] + given[j * n + i]) + (i == j ? more : 0.0);
            for (int k = 0; k < j; k++)
                sum -= a[i * n + k] * a[j * n + k];
            if (i > j)
                a[i * n + j] = sum / a[j * n + j];
            else if (sum > LEAST_PIVOT * largest)
                a[i * n + i] = sqrt(sum);
            else if (!(more < INFINITY)) /* a matrix that is not finite */
                a[i * n + i] = 1.0;
            else {
                more = more > 0.0 ? 4.0 * more : 0.01 * largest + 1e-300;
                i = -1;
                break;
            }
        }
}

/* Sets the law of a term, whose mode is a start. */
static void find_law(const ugt_cubature *w, const ugt_component *one, law *out)
{
    const int n = one->n_dims;
    double slope[UGT_MOST_DIMENSIONS], r[UGT_MOST_MENTIONED], v0, moved[UGT_MOST_DIMENSIONS], *y = out->mode;
    double hessian[UGT_MOST_DIMENSIONS * UGT_MOST_DIMENSIONS], factor[UGT_MOST_DIMENSIONS * UGT_MOST_DIMENSIONS];
    double top = height(w, one, y, r, &v0, NULL);
    for (int step = 0;; step++) {
        double change[UGT_MOST_DIMENSIONS], gain = 0.0, longest = 0.0;
        slopes(w, one, y, slope, hessian);
        factorise(hessian, n, factor);
        for (int i = 0; i < n; i++) {
            change[i] = slope[i];
            for (int k = 0; k < i; k++)
                change[i] -= factor[i * n + k] * change[k];
            change[i] /= factor[i * n + i];
            gain += change[i] * change[i];
        }
        if (gain < NEAR || step == NEWTON_STEPS)
            break;
        for (int i = n - 1; i >= 0; i--) {
            for (int k = i + 1; k < n; k++)
                change[i] -= factor[k * n + i] * change[k];
            change[i] /= factor[i * n + i];
            longest = fmax(longest, fabs(change[i]));
        }
        for (double by = fmin(1.0, 3.0 / longest); by > 1e-3; by *= 0.5) {
            for (int i = 0; i < n; i++)
                moved[i] = y[i] + by * change[i];
            const double found = height(w, one, moved, r, &v0, NULL);
            if (found > top) {
                top = found;
                memcpy(y, moved, (size_t)n * sizeof *y);
                break;
            }
        }
    }
    out->known = 1;
    for (int d = 0; d < n; d++) { /* column d of the inverse of the transposed factor */
        double *column = out->axis + d * n;
        memset(column, 0, (size_t)n * sizeof *column);
        column[d] = 1.0 / factor[d * n + d];
        for (int i = d - 1; i >= 0; i--) {
            for (int k = i + 1; k <= d; k++)
                column[i] -= factor[k * n + i] * column[k];
            column[i] /= factor[i * n + i];
        }
        out->log_weight -= log(factor[d * n + d]);
        for (int side = 0; side < 2; side++) {
            double z = 2.0;
            for (int step = 0; step < SCALE_STEPS; step++) {
                for (int i = 0; i < n; i++)
                    moved[i] = y[i] + (side ? z : -z) * column[i];
                const double fall = fmax(top - height(w, one, moved, r, &v0, NULL), 1e-3);
                z = ugt_clamp(z * pow(FALL / fall, 0.6), 0.1, 60.0);
            }
            (side ? out->right : out->left)[d] = z / LOGISTIC_FALL;
        }
        out->log_weight += log(0.5 * (out->left[d] + out->right[d]));
    }
}

/* Returns the lowest 20 bits in reverse order. */
uint32_t ugt_lattice_index(int64_t i)
{
    uint32_t x = (uint32_t)i;
    x = (x & 0x55555555u) << 1 | (x >> 1 & 0x55555555u);
    x = (x & 0x33333333u) << 2 | (x >> 2 & 0x33333333u);
    x = (x & 0x0f0f0f0fu) << 4 | (x >> 4 & 0x0f0f0f0fu);
    x = (x & 0x00ff00ffu) << 8 | (x >> 8 & 0x00ff00ffu);
    return (x << 16 | x >> 16) >> 12;
}

static int is_odd(uint32_t bits)
{
    int odd = 0;
    for (; bits != 0; bits &= bits - 1)
        odd = !odd;
    return odd;
}

/* Moves y to the ends of a step, lower or upper (bits `up`), in each dimension with p < 0, and returns the log of the integrand there. In o = b / (1 - b) the
 * integral of o^(p - 1) H(o), continued to p < 0, is that of -o^p H'(o) / p, and H' the difference of two values: the expectation of the sum
 * of lambda to which the variable belongs. */
static double differed(const ugt_cubature *w, const ugt_component *one, const double *y, uint32_t continued, uint32_t up, double *r, double *v0)
{
    double moved[UGT_MOST_DIMENSIONS], h = 0.0;
    memcpy(moved, y, (size_t)one->n_dims * sizeof *y);
    for (int d = 0; continued >> d != 0; d++) {
        if (!(continued >> d & 1u))
            continue;
        const double odds = exp(fmin(y[d], MOST_Y)), step = DIFFERENCE * fmax(odds, 1.0 / (1.0 + one->behind[d]));
        const double low = fmax(odds - step, LEAST_ODDS);
        moved[d] = log(up >> d & 1u ? low + 2.0 * step : low);
        h += one->lifted[d] * (y[d] - moved[d]) + fmax(moved[d], 0.0) + log1p(exp(-fabs(moved[d]))) - log(2.0 * step);
    }
    return h + height(w, one, moved, r, v0, NULL);
}

/* Returns coordinate d of a point, in [0, 1), under a shift. */
double ugt_lattice_coordinate(uint64_t index, int d, double shift)
{
    const double x = (double)(index * GENERATOR[d] & 0xfffffu) * 0x1p-20 + shift;
    return x - floor(x);
}

/* Returns z for a coordinate, after the tent map: logistic with a scale on each side of 0. Subtracts the log density. */
double ugt_lattice_point(double coordinate, double left, double right, double *log_weight)
{
    const double tent = ugt_clamp(1.0 - fabs(2.0 * coordinate - 1.0), 1e-16, 1.0 - 1e-16), below = left / (left + right);
    const double tail = tent < below ? 0.5 * tent / below : 0.5 * (1.0 - tent) / (1.0 - below), t = log((1.0 - tail) / tail);
    *log_weight -= log(tail * (1.0 - tail)); /* the density of the logistic law */
    return tent < below ? -t * left : t * right;
}

/* Adds points [from, to) of a term under one shift, times `times`, to sum [width]. */
static void add_points(ugt_cubature *w, const ugt_component *one, law *of, const double *shift, int64_t from, int64_t to, double times, double *sum,
                       double *scratch)
{
    double own[3 * (UGT_MOST_MENTIONED + 1)] = {0}, r[UGT_MOST_MENTIONED], v0;
    const int n = one->n_dims;
    if (!of->known)
        find_law(w, one, of);
    for (int64_t i = from; i < to; i++) {
        const uint64_t index = ugt_lattice_index(i);
        double y[UGT_MOST_DIMENSIONS], log_weight = of->log_weight;
        memcpy(y, of->mode, (size_t)n * sizeof *y);
        for (int d = 0; d < n; d++) {
            const double z = ugt_lattice_point(ugt_lattice_coordinate(index, d, shift[d]), of->left[d], of->right[d], &log_weight);
            for (int j = 0; j <= d; j++)
                y[j] += of->axis[d * n + j] * z;
        }
        for (uint32_t up = of->continued;; up = (up - 1) & of->continued) {
            const double weight = exp(log_weight + differed(w, one, y, of->continued, up, r, &v0));
            ugt_integrate_point(w, one, r, v0, is_odd(up) ? -weight : weight, scratch);
            for (int64_t j = 0; j < w->width; j++)
                own[j] += scratch[j];
            if (up == 0)
                break;
        }
    }
    ugt_add_images(w, one, own);
    for (int64_t j = 0; j < w->width; j++)
        sum[j] += times * own[j];
}

/* Sets the constants of all terms, relative to the largest, and their shares of the total: from the height and the width of their laws or, of
 * many terms, near the mode as if variables were independent. */
static void find_shares(const ugt_cubature *w, law *laws, double *numbers)
{
    const int64_t dims = w->n_dims, n = w->n_components;
    double most = -INFINITY, total = 0.0, r[UGT_MOST_MENTIONED], v0;
    for (int64_t c = 0; c < n; c++) {
        const ugt_component *one = &w->component[c];
        law *own = &laws[c];
        own->known = 0;
        own->continued = 0;
        own->mode = numbers + c * dims * (dims + 3);
        own->left = own->mode + dims;
        own->right = own->left + dims;
        own->axis = own->right + dims;
        start(w, one, own->mode);
        own->log_weight = one->log_coefficient;
        double width = 0.0; /* log, of independent variables */
        for (int d = 0; d < one->n_dims; d++) {
            own->log_weight -= ugt_log_gamma(one->lifted[d]);
            width += 0.5 * (log(2.0 * PI / one->lifted[d]) + log1p(exp(own->mode[d])));
            own->continued |= (uint32_t)(one->p[d] < 0.0) << d;
        }
        if (n <= MOST_KNOWN) {
            find_law(w, one, own);
            own->share = own->log_weight + height(w, one, own->mode, r, &v0, NULL) + one->n_dims * LOGISTIC_TOP;
        } else
            own->share = own->log_weight + height(w, one, own->mode, r, &v0, NULL) + width;
        for (int d = 0; d < one->n_dims; d++) /* its factor at the mode */
            own->share += one->p[d] < 0.0 ? log(one->lifted[d] * (1.0 + exp(-own->mode[d]))) : 0.0;
        most = fmax(most, own->share);
    }
    for (int64_t c = 0; c < n; c++) {
        laws[c].log_weight -= most;
        laws[c].share = exp(laws[c].share - most) * w->component[c].n_images;
        total += laws[c].share;
    }
    for (int64_t c = 0; c < n; c++)
        laws[c].share = (1.0 - EVENLY) * laws[c].share / total + EVENLY / (double)n;
}

/* Sets out [width], the mean over shifts, and returns the largest standard error of a probability or a mean: of ratios, to first order. */
static double mean_of_shifts(const ugt_cubature *w, const double *sums, double *out)
{
    const int64_t width = w->width;
    double error = 0.0;
    memset(out, 0, (size_t)width * sizeof *out);
    for (int r = 0; r < SHIFTS; r++)
        for (int64_t j = 0; j < width; j++)
            out[j] += sums[r * width + j] / SHIFTS;
    for (int64_t part = 0; part < w->n_parts; part++) {
        const int64_t own = part * w->n_competing, below = part == 0 ? 0 : w->n_competing;
        const double total = ugt_total_of(out + below, w->n_competing);
        for (int64_t j = own; j < own + w->n_competing; j++) {
            double square = 0.0;
            for (int r = 0; r < SHIFTS; r++) {
                const double *one = sums + r * width;
                const double off = (one[j] - out[j] / total * ugt_total_of(one + below, w->n_competing)) / total;
                square += off * off;
            }
            error = fmax(error, sqrt(square / SHIFTS / (SHIFTS - 1)));
        }
    }
    return error;
}

/* Adds a round of points, up to about `to` of all terms in each shift, of which `from` are there already. A term whose share is less than one
 * point gets one with the probability of this share, and counts so much more. */
static int add_round(ugt_cubature *w, law *laws, const double *shift, ugt_stream *stream, double from, double to, const volatile int32_t *stop,
                     double *sums, double *scratch)
{
    const double more = to - from;
    for (int r = 0; r < SHIFTS; r++) {
        double place = ugt_stream_uniform(stream);
        for (int64_t c = 0; c < w->n_components; c++) {
            law *own = &laws[c];
            const double wanted = own->share * to, *by = shift + (c * SHIFTS + r) * UGT_MOST_DIMENSIONS;
            if (*stop)
                return UGT_STOPPED;
            if (wanted <= 1.0) {
                const double expected = own->share * more;
                place += expected;
                if (place >= 1.0) {
                    place -= 1.0;
                    add_points(w, &w->component[c], own, by, 0, 1, more / expected, sums + r * w->width, scratch);
                }
                continue;
            }
            int64_t end = 1;
            while ((double)end < wanted && end < MOST_POINTS)
                end *= 2;
            const int64_t begin = from == 0.0 ? 0 : end / 2;
            add_points(w, &w->component[c], own, by, begin, end, more / (double)(end - begin), sums + r * w->width, scratch);
        }
    }
    return UGT_OK;
}

/* out [width]: the sums of all components; error: the largest standard error of a probability or a mean. */
int ugt_lattice_rule(ugt_cubature *w, const volatile int32_t *stop, uint64_t key, double *out, double *error)
{
    const int64_t width = w->width, n = w->n_components, dims = w->n_dims;
    const double budget = (double)w->options->most_points / SHIFTS, target = fmax(UGT_LATTICE_TARGET, w->options->tolerance);
    int status = UGT_ERR_MEMORY;
    *error = INFINITY;
    for (int64_t c = 0; c < n; c++)
        for (int d = 0; d < w->component[c].n_dims; d++)
            if (w->component[c].lifted[d] <= 0.0 || w->component[c].behind[d] <= 0.0)
                return UGT_OK;
    double *sums = calloc(ugt_bytes(SHIFTS * width, 1), sizeof *sums), *numbers = malloc(ugt_bytes(n * dims * (dims + 3) + 1, sizeof *numbers));
    double *shift = malloc(ugt_bytes(n * SHIFTS * UGT_MOST_DIMENSIONS, sizeof *shift)), *scratch = malloc(ugt_bytes(width, sizeof *scratch));
    law *laws = malloc(ugt_bytes(n, sizeof *laws));
    if (sums == NULL || numbers == NULL || shift == NULL || scratch == NULL || laws == NULL)
        goto out;
    ugt_stream stream;
    ugt_stream_open(&stream, w->options->seed, key, 0, UGT_PURPOSE_LATTICE);
    for (int64_t j = 0; j < n * SHIFTS * UGT_MOST_DIMENSIONS; j++)
        shift[j] = ugt_stream_uniform(&stream);
    w->leaves = 0;
    status = UGT_OK;
    find_shares(w, laws, numbers);
    for (double from = 0.0, to = FIRST_POINTS; to <= budget; from = to, to *= 2.0) {
        status = add_round(w, laws, shift, &stream, from, to, stop, sums, scratch);
        if (status != UGT_OK || (w->groups != NULL && w->leaves > w->options->most_points)) /* points of groups differ in work */
            break;
        *error = mean_of_shifts(w, sums, out);
        if (*error <= target)
            break;
    }
out:
    free(sums);
    free(numbers);
    free(shift);
    free(scratch);
    free(laws);
    return status;
}
