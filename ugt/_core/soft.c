/* Computes AUROC and average precision for probabilities p of being positive [D eq. 4, 5], and also for hard labels.
 *
 * Scores are visited from the highest down, one tie group after another. Let u = w p, v = w (1 - p) and s = w p (1 - p). G, V and
 * S are their sums over the group; P is the sum of u, and n the sum of all weights, down to and including the group. The pairs
 * that are in order are V (P - G / 2). The expected precision at the end of the group is P / n; given that a member is certainly
 * positive, P is greater by its 1 - p, which adds S / n to the sum over the members. */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core.h"

#include "wide.h"

typedef struct {
    double threshold;
    int expected;
    const double *p, *weight;              /* by case if there are weights; otherwise the load is p */
    double above[4], before[4];            /* sums of u, v, hard u and hard v: of higher scores of other calls; of earlier buckets */
    double sum[UGT_SOFT_SUMS];
    double *positive, *negative, *score;   /* points of the curve */
    int64_t n_points;
} tally;

typedef struct {
    double u, v, s, hard_u, hard_v;
} group;

static double digamma_from_one(double x)
{
    double sum = 0.0;
    for (; x < 12.0; x += 1.0)
        sum -= 1.0 / x;
    const double r = 1.0 / (x * x); /* Abramowitz & Stegun 6.3.18 */
    return sum + log(x) - 0.5 / x -
           r * (1.0 / 12 - r * (1.0 / 120 - r * (1.0 / 252 - r * (1.0 / 240 - r * (1.0 / 132 - r * (691.0 / 32760))))));
}

/* Returns the sum of 1 / (c + t) over t = 1..m; the digamma function extends it to any m > 0. */
static double harmonic(double c, double m)
{
    if (m > 256.0 || m != floor(m))
        return digamma_from_one(c + m + 1.0) - digamma_from_one(c + 1.0);
    double sum = 0.0;
    for (double t = 1.0; t <= m; t += 1.0)
        sum += 1.0 / (c + t);
    return sum;
}

/* Adds the part of a group to the average precision, as the mean over all orders of its m members: a member is at each place t
 * equally often, with (t - 1) / (m - 1) of the others before it. */
static void expected_precision(const group *g, double p_before, double c, double m, double *certain, double *probable)
{
    const double a = harmonic(c, m), b = m - (c + 1.0) * a;
    const double others = (g->u * g->u - (g->u - g->s)) * b / (m * (m - 1.0));
    *certain += g->u * (1.0 + p_before) * a / m + others;
    *probable += (g->u - g->s + g->u * p_before) * a / m + others;
}

/* Adds a group to the sums. u, v, hard_u: totals down to and including this group. */
static inline void add_group(double *sum, int expected, const group *g, double u, double v, double hard_u)
{
    const double n = u + v, m = g->u + g->v;
    sum[UGT_SOFT_SELF] += g->s;
    sum[UGT_SOFT_PAIRS] += g->v * (u - 0.5 * g->u);
    sum[UGT_SOFT_HARD_PAIRS] += g->hard_v * (hard_u - 0.5 * g->hard_u);
    if (!(n > 0.0))
        return;
    const double per = 1.0 / n;
    if (expected && m > 1.0) {
        const group hard = {g->hard_u, g->hard_v, 0.0, 0.0, 0.0};
        double unused = 0.0;
        expected_precision(g, u - g->u, n - m, m, &sum[UGT_SOFT_CERTAIN], &sum[UGT_SOFT_PROBABLE]);
        expected_precision(&hard, hard_u - g->hard_u, n - m, m, &sum[UGT_SOFT_HARD_PRECISION], &unused);
        return;
    }
    const double precise = g->u * u * per;
    sum[UGT_SOFT_PROBABLE] += precise;
    sum[UGT_SOFT_CERTAIN] += precise + g->s * per;
    sum[UGT_SOFT_HARD_PRECISION] += g->hard_u * hard_u * per;
}

static inline void add_member(const tally *t, const ugt_record *record, group *g)
{
    double p, w = 1.0;
    if (t->weight != NULL) {
        p = t->p[record->load];
        w = t->weight[record->load];
    } else {
        memcpy(&p, &record->load, sizeof p);
    }
    const double hard = p > t->threshold ? w : 0.0, u = w * p, v = w * (1.0 - p);
    g->u += u;
    g->v += v;
    g->s += p * v;
    g->hard_u += hard;
    g->hard_v += w - hard;
}

/* Adds a bucket of sorted records. Each bucket has its own sums, which are added at its end, so that rounding does not grow with n. */
static int add_bucket(void *context, const ugt_record *record, int64_t n)
{
    tally *t = context;
    double sum[UGT_SOFT_SUMS] = {0.0}, start[3], u = 0.0, v = 0.0, hard_u = 0.0, hard_v = 0.0;
    for (int j = 0; j < 3; j++)
        start[j] = t->above[j] + t->before[j];
    for (int64_t i = 0; i < n;) {
        const uint64_t key = record[i].key;
        group g = {0.0, 0.0, 0.0, 0.0, 0.0};
        do
            add_member(t, &record[i++], &g);
        while (i < n && record[i].key == key);
        u += g.u;
        v += g.v;
        hard_u += g.hard_u;
        hard_v += g.hard_v;
        add_group(sum, t->expected, &g, start[0] + u, start[1] + v, start[2] + hard_u);
    }
    for (int j = 0; j < UGT_SOFT_SUMS; j++)
        t->sum[j] += sum[j];
    t->before[0] += u;
    t->before[1] += v;
    t->before[2] += hard_u;
    t->before[3] += hard_v;
    return UGT_OK;
}

static void write_totals(const double *total, double *sum)
{
    sum[UGT_SOFT_POSITIVE] = total[0];
    sum[UGT_SOFT_NEGATIVE] = total[1];
    sum[UGT_SOFT_HARD_POSITIVE] = total[2];
    sum[UGT_SOFT_HARD_NEGATIVE] = total[3];
}

int ugt_soft_sums(const ugt_scores *scores, const double *p, const double *weight, double threshold, int expected,
                  const double *above, double *sum, int64_t *nan_at)
{
    tally t = {.threshold = threshold, .expected = expected, .p = p, .weight = weight};
    if (above != NULL)
        memcpy(t.above, above, sizeof t.above);
    ugt_scores in = *scores;
    in.load = weight == NULL ? p : NULL;
    const int status = ugt_sort_scores(&in, add_bucket, &t, nan_at);
    memcpy(sum, t.sum, sizeof t.sum);
    write_totals(t.before, sum);
    return status;
}

static int add_points(void *context, const ugt_record *record, int64_t n)
{
    tally *t = context;
    double u = 0.0, v = 0.0;
    for (int64_t i = 0; i < n;) {
        const uint64_t key = record[i].key;
        group g = {0.0, 0.0, 0.0, 0.0, 0.0};
        do
            add_member(t, &record[i++], &g);
        while (i < n && record[i].key == key);
        u += g.u;
        v += g.v;
        t->positive[t->n_points] = t->before[0] + u;
        t->negative[t->n_points] = t->before[1] + v;
        t->score[t->n_points++] = ugt_score_of_key(key);
    }
    t->before[0] += u;
    t->before[1] += v;
    return UGT_OK;
}

int ugt_soft_curve(const ugt_scores *scores, const double *p, const double *weight, double *positive, double *negative,
                   double *score, int64_t *n_points, int64_t *nan_at)
{
    tally t = {.p = p, .weight = weight, .positive = positive, .negative = negative, .score = score};
    ugt_scores in = *scores;
    in.load = weight == NULL ? p : NULL;
    const int status = ugt_sort_scores(&in, add_points, &t, nan_at);
    *n_points = t.n_points;
    return status;
}

/* ---- resamples: the order of the scores stays, weights or probabilities change ---- */

/* Computes the sums of resample b alone. */
static void resample_alone(const ugt_soft_column *column, const double *weight, int64_t stride, const double *p, int64_t b, double *out)
{
    const int64_t n = column->n;
    double total[4] = {0.0, 0.0, 0.0, 0.0};
    memset(out, 0, UGT_SOFT_SUMS * sizeof *out);
    for (int64_t i = 0; i < n;) {
        group g = {0.0, 0.0, 0.0, 0.0, 0.0};
        do {
            const int64_t row = column->row[i];
            const double w = weight != NULL ? weight[row * stride + b] : 1.0;
            const double positive = p != NULL ? p[b * column->n_cases + row] : column->positive[i];
            const double negative = p == NULL && column->negative != NULL ? column->negative[i] : 1.0 - positive;
            const double hard = positive > column->threshold ? w : 0.0;
            g.u += w * positive;
            g.v += w * negative;
            g.s += w * positive * negative;
            g.hard_u += hard;
            g.hard_v += w - hard;
        } while (!column->last[i++]);
        total[0] += g.u;
        total[1] += g.v;
        total[2] += g.hard_u;
        total[3] += g.hard_v;
        add_group(out, column->expected, &g, total[0], total[1], total[2]);
    }
    write_totals(total, out);
}

#define LANES 8 /* resamples that pass through the cases together: the counts of a case are eight adjacent bytes */
#define SOON 16 /* number of cases ahead for which counts are fetched */

typedef struct {
    double u[LANES], v[LANES], s[LANES], hard_u[LANES], hard_v[LANES];
} groups;

/* Does the work of add_group without expected ties, for all lanes; each lane has the same numbers as alone. DBL_MIN changes n only
 * if n is 0, and then the shares are 0 too; a condition instead would keep the compiler from dividing two lanes at a time. */
INLINE void add_groups(double (*restrict sum)[LANES], const groups *restrict g, double (*restrict total)[LANES])
{
    for (int k = 0; k < LANES; k++) {
        total[0][k] += g->u[k];
        total[1][k] += g->v[k];
        total[2][k] += g->hard_u[k];
        total[3][k] += g->hard_v[k];
    }
    for (int k = 0; k < LANES; k++) {
        const double n = total[0][k] + total[1][k], per = 1.0 / (n + DBL_MIN), precise = g->u[k] * total[0][k] * per;
        sum[UGT_SOFT_SELF][k] += g->s[k];
        sum[UGT_SOFT_PAIRS][k] += g->v[k] * (total[0][k] - 0.5 * g->u[k]);
        sum[UGT_SOFT_HARD_PAIRS][k] += g->hard_v[k] * (total[2][k] - 0.5 * g->hard_u[k]);
        sum[UGT_SOFT_PROBABLE][k] += precise;
        sum[UGT_SOFT_CERTAIN][k] += precise + g->s[k] * per;
        sum[UGT_SOFT_HARD_PRECISION][k] += g->hard_u[k] * total[2][k] * per;
    }
}

/* Computes the sums of LANES resamples. times [n_cases * LANES]: how often each case was drawn; out [LANES * UGT_SOFT_SUMS]. */
UGT_WIDE static void resample_lanes(const ugt_soft_column *column, const uint8_t *times, double *out)
{
    double total[4][LANES] = {{0.0}}, sum[UGT_SOFT_SUMS][LANES] = {{0.0}};
    for (int64_t i = 0; i < column->n;) {
        groups g = {{0.0}, {0.0}, {0.0}, {0.0}, {0.0}};
        do {
            const uint8_t *weight = times + column->row[i] * LANES;
            if (i + SOON < column->n)
                UGT_SOON(times + column->row[i + SOON] * LANES);
            const double positive = column->positive[i], negative = column->negative != NULL ? column->negative[i] : 1.0 - positive;
            const double share = positive > column->threshold ? 1.0 : 0.0;
            for (int k = 0; k < LANES; k++) {
                const double w = (double)weight[k], hard = share * w;
                g.u[k] += w * positive;
                g.v[k] += w * negative;
                g.s[k] += w * positive * negative;
                g.hard_u[k] += hard;
                g.hard_v[k] += w - hard;
            }
        } while (!column->last[i++]);
        add_groups(sum, &g, total);
    }
    for (int k = 0; k < LANES; k++) {
        const double of_lane[4] = {total[0][k], total[1][k], total[2][k], total[3][k]};
        for (int j = 0; j < UGT_SOFT_SUMS; j++)
            out[k * UGT_SOFT_SUMS + j] = sum[j][k];
        write_totals(of_lane, out + k * UGT_SOFT_SUMS);
    }
}

/* Writes the weights of LANES resamples to times [n_cases * LANES]. Returns whether all are whole numbers below 256, as counts of draws
 * usually are. */
static int as_times(const double *weight, int64_t stride, int64_t n_cases, uint8_t *times)
{
    int whole = 1;
    for (int64_t i = 0; i < n_cases; i++, weight += stride, times += LANES)
        for (int k = 0; k < LANES; k++) {
            const int time = weight[k] >= 0.0 && weight[k] < 256.0 ? (int)weight[k] : 0;
            times[k] = (uint8_t)time;
            whole &= (double)time == weight[k];
        }
    return whole;
}

int ugt_soft_resampled(const ugt_soft_column *column, const double *weight, int64_t stride, const double *p, int64_t n_resamples,
                        double *out)
{
    const int64_t n_cases = column->n_cases;
    int in_lanes = weight != NULL && p == NULL && !column->expected && n_resamples >= LANES;
    uint8_t *times = in_lanes ? malloc((size_t)(n_cases * LANES)) : NULL;
    if (in_lanes && times == NULL)
        return UGT_ERR_MEMORY;
    for (int64_t b = 0; b < n_resamples;) {
        if (in_lanes && b + LANES <= n_resamples && (in_lanes = as_times(weight + b, stride, n_cases, times)) != 0) {
            resample_lanes(column, times, out + b * UGT_SOFT_SUMS);
            b += LANES;
        } else {
            resample_alone(column, weight, stride, p, b, out + b * UGT_SOFT_SUMS);
            b++;
        }
    }
    free(times);
    return UGT_OK;
}

/* ---- groups of which only the sums are known: tied cases, or bins of scores ---- */

/* Adds the least and the most that a group can add to a precision: the least if all its negatives come first, the most if all its
 * positives do. value: what the group adds in expectation. */
static void add_ends(double value, double u, double v, double own, double above, double before, double m, double *low, double *high)
{
    const double last = before + v > 0.0 ? u * above / (before + v) + own / (before + m) : 0.0;
    const double first = before + u > 0.0 ? u * (above + u) / (before + u) + own / (before + 1.0) : 0.0;
    *low += m > 1.0 ? fmin(last, value) : value;
    *high += m > 1.0 ? fmax(first, value) : value;
}

/* Adds the bounds of a group to low and high. part: what the group adds in expectation; u, hard_u: totals of everything above it;
 * before: all cases above it. */
static void add_bounds(const double *part, const group *g, double u, double hard_u, double before, double *low, double *high)
{
    const double m = g->u + g->v, hidden = fmax(g->u * g->v - g->s, 0.0) / 2.0, hard_hidden = g->hard_u * g->hard_v / 2.0;
    low[UGT_SOFT_PAIRS] += part[UGT_SOFT_PAIRS] - hidden;
    high[UGT_SOFT_PAIRS] += part[UGT_SOFT_PAIRS] + hidden;
    low[UGT_SOFT_HARD_PAIRS] += part[UGT_SOFT_HARD_PAIRS] - hard_hidden;
    high[UGT_SOFT_HARD_PAIRS] += part[UGT_SOFT_HARD_PAIRS] + hard_hidden;
    for (int j = UGT_SOFT_CERTAIN; j <= UGT_SOFT_PROBABLE; j++)
        add_ends(part[j], g->u, g->v, j == UGT_SOFT_CERTAIN ? g->s : 0.0, u, before, m, &low[j], &high[j]);
    const int j = UGT_SOFT_HARD_PRECISION;
    add_ends(part[j], g->hard_u, g->hard_v, 0.0, hard_u, before, m, &low[j], &high[j]);
}

void ugt_soft_groups(const double *groups, int64_t n, const double *above, int expected, int bounds, double *sum)
{
    double start[4] = {0.0, 0.0, 0.0, 0.0}, total[4] = {0.0, 0.0, 0.0, 0.0};
    double *const low = sum + UGT_SOFT_SUMS, *const high = low + UGT_SOFT_SUMS;
    if (above != NULL)
        memcpy(start, above, sizeof start);
    memset(sum, 0, (size_t)(bounds ? 3 : 1) * UGT_SOFT_SUMS * sizeof *sum);
    for (int64_t i = 0; i < n; i++, groups += UGT_SOFT_GROUP) {
        const group g = {groups[0], groups[1], groups[2], groups[3], groups[4]};
        const double u = start[0] + total[0], v = start[1] + total[1], hard_u = start[2] + total[2];
        double part[UGT_SOFT_SUMS] = {0.0};
        total[0] += g.u;
        total[1] += g.v;
        total[2] += g.hard_u;
        total[3] += g.hard_v;
        add_group(part, expected, &g, start[0] + total[0], start[1] + total[1], start[2] + total[2]);
        for (int j = 0; j < UGT_SOFT_SUMS; j++)
            sum[j] += part[j];
        if (bounds)
            add_bounds(part, &g, u, hard_u, u + v, low, high);
    }
    write_totals(total, sum);
    for (int b = 1; bounds && b < 3; b++) {
        write_totals(total, sum + b * UGT_SOFT_SUMS);
        sum[b * UGT_SOFT_SUMS + UGT_SOFT_SELF] = sum[UGT_SOFT_SELF];
    }
}
