/* Laws of sums of gamma variables, at nodes of log s.
 *
 * A sum with shapes c_j and rates r_j has the transform Phi(z) = prod_j (1 + z / r_j)^-c_j. The gamma law of the same shape A = sum of c_j and
 * the same mean M has Psi(z) = (1 + z M / A)^-A. On a ray z = rho e^(i theta), pi / 2 < theta < pi,
 *     P(sum <= s) = P(A, s A / M) + 1 / pi Im of the integral of e^(s z) (Phi(z) - Psi(z)) d log rho,
 * by inversion of the Laplace transform along the ray and its mirror image. The difference falls as rho^2 at 0. With the trapezoid rule in
 * log rho, of half the step of log s, the integral is a correlation with e^(x e^(i theta)), which is tabulated, and so are the factors of
 * Phi. Its error falls as exp(-2 pi delta / step) in the angle delta = theta - pi / 2, and rises as exp(A delta^2 / 2): delta is about
 * 2 / sqrt(A + 5), and the step at most 0.4 / sqrt(A). */
#include "group_sums.h"
#include "wide.h"

#define DELTA 0.8           /* largest angle between the ray and the imaginary axis */
#define PER_HALF 8          /* angles, after which it is half as large */
#define FALLEN 30.0         /* x sin delta, beyond which e^(x e^(i theta)) is negligible */
#define LOG_START -11.5     /* log of rho M, below which the difference is negligible */
#define TABLE_START -32.0   /* log x, below which the factor of a class is 1 */
#define SPARE 8.0           /* log x, by which tables are longer than they must be, for the next cases */
#define MOST_LOG 300.0      /* of x */
#define NEGLIGIBLE 1e-11    /* difference of transforms */
#define LANES 8             /* nodes of log s that are computed together */
#define PER_UNIT (2 * UGT_PER_UNIT)
#define INVERSE_PI 0.31830988618379067

static double delta_of(int angle)
{
    return DELTA * pow(0.5, (double)angle / PER_HALF);
}

/* Returns x, beyond which e^(x e^(i theta)) is negligible. */
static double longest_of(int angle)
{
    return FALLEN / sin(delta_of(angle));
}

int ugt_angle_of(double shape)
{
    const double halves = log(DELTA / 2.0 * sqrt(shape + 5.0)) / log(2.0); /* best in experiments with 0.05 <= A <= 20 */
    return (int)fmin(fmax(PER_HALF * halves + 0.5, 0.0), MOST_ANGLES - 1.0);
}

void ugt_rays_open(ugt_rays *rays, double step, double log_s, double shape)
{
    rays->step = 0.5 * step;
    rays->log_s = log_s;
    rays->log_rho = LOG_START - log(shape) - UGT_LONGEST_LOG;
    rays->n_rho = 0;
    for (int j = 0; j < MOST_ANGLES; j++)
        rays->of_angle[j].n = 0;
}

void ugt_rays_free(ugt_rays *rays)
{
    for (int64_t t = 0; t < rays->n_tables; t++)
        free(rays->table[t].value);
    for (int j = 0; j < MOST_ANGLES; j++)
        free(rays->of_angle[j].value);
    free(rays->table);
}

int ugt_kernel_make(ugt_rays *rays, int angle)
{
    ugt_kernel *out = &rays->of_angle[angle];
    const double delta = delta_of(angle), start = rays->log_s + rays->log_rho;
    const int64_t n = (int64_t)((log(longest_of(angle)) - start) / rays->step) + 1;
    if (out->n > 0)
        return UGT_OK;
    const int64_t row = n / 2 + 1 + LANES;
    const int status = ugt_make_room(&out->value, &out->room, 8 * row, sizeof *out->value);
    if (status != UGT_OK)
        return status;
    out->n = n;
    out->row = row;
    memset(out->value, 0, (size_t)(8 * row) * sizeof *out->value);
    for (int64_t q = 0; q < n; q++) {
        const double x = exp(start + (double)q * rays->step), re = -x * sin(delta), im = x * cos(delta), height = exp(re);
        const double a = height * cos(im), b = height * sin(im);
        double *to = out->value + 4 * (q & 1) * row + (q >> 1);
        to[0] = a;
        to[row] = b;
        to[2 * row] = re * a - im * b;
        to[3 * row] = re * b + im * a;
    }
    rays->n_rho = n > rays->n_rho ? n : rays->n_rho;
    return UGT_OK;
}

int ugt_factor_table_make(ugt_rays *rays, double c, int angle, int64_t *at)
{
    int64_t i = 0, per_step = 1;
    while (i < rays->n_tables && !(rays->table[i].c == c && rays->table[i].angle == angle))
        i++;
    *at = i;
    while ((double)(4 * per_step * per_step) < 0.7 * c)
        per_step *= 2;
    const double by = 1.0 / (double)(PER_UNIT * per_step), high = log(longest_of(angle)) - rays->log_s + UGT_LONGEST_LOG + 1.0;
    const int64_t wanted = (int64_t)ceil((high - TABLE_START) / by) + 2, n = wanted + (int64_t)(SPARE / by);
    if (i < rays->n_tables && rays->table[i].n >= wanted)
        return UGT_OK;
    if (i == rays->n_tables) {
        const int status = ugt_make_room(&rays->table, &rays->table_room, i + 1, sizeof *rays->table);
        if (status != UGT_OK)
            return status;
        memset(&rays->table[rays->n_tables++], 0, sizeof *rays->table);
    }
    ugt_factor_table *t = &rays->table[i];
    free(t->value);
    *t = (ugt_factor_table){c, angle, n, per_step, malloc(ugt_bytes(4 * n, sizeof *t->value))};
    if (t->value == NULL) {
        t->n = 0;
        return UGT_ERR_MEMORY;
    }
    const double cosine = -sin(delta_of(angle)), sine = cos(delta_of(angle));
    for (int64_t j = 0; j < n; j++) {
        const double log_x = TABLE_START + (double)j * by, x = exp(fmin(log_x, MOST_LOG)), beyond = fmax(log_x - MOST_LOG, 0.0);
        const double re = 1.0 + x * cosine, im = x * sine, square = re * re + im * im;
        const double height = exp(-c * (0.5 * log(square) + beyond)), turn = -c * atan2(im, re);
        const double a = height * cos(turn), b = height * sin(turn);
        const double p = -c * x * (cosine * re + sine * im) / square, q = -c * x * (sine * re - cosine * im) / square; /* slope of the log */
        t->value[j] = a;
        t->value[n + j] = p * a - q * b;
        t->value[2 * n + j] = b;
        t->value[3 * n + j] = p * b + q * a;
    }
    return UGT_OK;
}

int64_t ugt_factor_doubles(const ugt_factor_table *t, int64_t steps)
{
    const int64_t stride = steps * t->per_step;
    return 4 * (stride + 1) * (t->n / stride + 2);
}

void ugt_factor_stride(const ugt_factor_table *t, int64_t steps, ugt_strided_factor *out, double *to)
{
    out->stride = steps * t->per_step;
    out->per_unit = (double)(PER_UNIT * t->per_step);
    out->rows = out->stride + 1;
    out->row = t->n / out->stride + 2;
    out->value = to;
    for (int part = 0; part < 4; part++)
        for (int64_t phase = 0; phase < out->rows; phase++)
            for (int64_t i = 0; i < out->row; i++) {
                const int64_t at = i * out->stride + phase;
                *to++ = t->value[part * t->n + (at < t->n ? at : t->n - 1)];
            }
}

void ugt_ray_nodes(const ugt_rays *rays, int angle, double mean, int64_t first, int64_t *low, int64_t *high)
{
    const int64_t end = rays->of_angle[angle].n - 2 * first;
    *low = (int64_t)fmax((LOG_START - log(mean) - rays->log_rho) / rays->step, 0.0);
    *high = end > *low ? end : *low;
}

UGT_WIDE void ugt_factor_multiply(const ugt_rays *rays, const ugt_strided_factor *t, double log_r, int64_t low, int64_t high, int sets,
                                  double *restrict re, double *restrict im)
{
    const double place = (rays->log_rho - log_r - TABLE_START) * t->per_unit, delta = 1.0 / t->per_unit;
    const int64_t base = ugt_whole_below(place), shift = ugt_whole_below(((double)base + 0.5) / (double)t->stride), phase = base - shift * t->stride;
    const double x = place - (double)base, y = 1.0 - x;
    const double h00 = (1.0 + 2.0 * x) * y * y, h01 = x * x * (3.0 - 2.0 * x), h10 = delta * x * y * y, h11 = -delta * x * x * y;
    const int64_t part = t->rows * t->row;
    int64_t k = low;
    for (; k < high && k + shift < 0; k++) {
        re[k] = sets ? 1.0 : re[k];
        im[k] = sets ? 0.0 : im[k];
    }
    const double *restrict a0 = t->value + phase * t->row + (k < high ? k + shift : 0), *restrict a1 = a0 + t->row, *restrict da0 = a0 + part,
                           *restrict da1 = a1 + part, *restrict b0 = da0 + part, *restrict b1 = da1 + part, *restrict db0 = b0 + part,
                           *restrict db1 = b1 + part;
    const int64_t n = high - k;
    re += k;
    im += k;
    for (int64_t i = 0; i < n && sets; i++) {
        re[i] = h00 * a0[i] + h01 * a1[i] + h10 * da0[i] + h11 * da1[i];
        im[i] = h00 * b0[i] + h01 * b1[i] + h10 * db0[i] + h11 * db1[i];
    }
    for (int64_t i = 0; i < n && !sets; i++) {
        const double a = h00 * a0[i] + h01 * a1[i] + h10 * da0[i] + h11 * da1[i], b = h00 * b0[i] + h01 * b1[i] + h10 * db0[i] + h11 * db1[i];
        const double u = re[i], v = im[i];
        re[i] = u * a - v * b;
        im[i] = u * b + v * a;
    }
}

UGT_WIDE void ugt_ray_add(const ugt_rays *rays, int angle, const double *restrict re, const double *restrict im, int64_t low, int64_t high,
                          int64_t begin, int64_t end, double *restrict law, double *restrict density)
{
    const ugt_kernel *by = &rays->of_angle[angle];
    const double times = rays->step * INVERSE_PI;
    for (int64_t i = begin; i < end; i += LANES) {
        const int64_t stop = by->n - 2 * i < high ? by->n - 2 * i : high;
        double sum[LANES] = {0.0}, slope[LANES] = {0.0};
        for (int64_t k = low; k < stop; k++) {
            const double *restrict a = by->value + 4 * (k & 1) * by->row + (k >> 1) + i, *restrict b = a + by->row, *restrict c = b + by->row,
                                   *restrict d = c + by->row;
            const double x = re[k], y = im[k];
            for (int j = 0; j < LANES; j++) {
                sum[j] += a[j] * y + b[j] * x;
                slope[j] += c[j] * y + d[j] * x;
            }
        }
        for (int j = 0; j < LANES && i + j < end; j++) {
            law[i + j] += times * sum[j];
            density[i + j] += times * slope[j];
        }
    }
}

void ugt_ray_trim(const double *re, const double *im, int64_t *low, int64_t *high)
{
    while (*low < *high && fabs(re[*low]) + fabs(im[*low]) < NEGLIGIBLE)
        ++*low;
    while (*low < *high && fabs(re[*high - 1]) + fabs(im[*high - 1]) < NEGLIGIBLE)
        --*high;
}
