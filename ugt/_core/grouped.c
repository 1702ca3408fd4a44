/* Weighted sums by groups of cases, for several weightings at a time. */
#include <stdlib.h>
#include <string.h>

#include "core.h"

#include "wide.h"

#define LANES 8   /* weightings that share one pass over the entries */
#define WIDTH 4   /* columns of a run whose sums share one pass over its weights */
#define SOON 16   /* entries: how far ahead weights are fetched into the cache */
#define CACHED 2048 /* values of a run that are added at a time: 16 KiB */
#define PANEL 256 /* entries whose weights are gathered at a time if there are fewer than LANES weightings: 16 KiB */

/* Weights of n entries. Entry u has those of its case row[u], or u if row is NULL, which are contiguous from at + case * stride on. */
typedef struct {
    const double *at;
    const int64_t *row;
    int64_t stride, n;
} weights;

INLINE const double *of_entry(const weights *w, int64_t u)
{
    if (w->row == NULL)
        return w->at + u * w->stride;
    if (u + SOON < w->n)
        UGT_SOON(w->at + w->row[u + SOON] * w->stride);
    return w->at + w->row[u] * w->stride;
}

/* Adds `width` columns (1, 2 or WIDTH) of a run of entries [u, end) of one group to the sums `to` [width][LANES]. Each sum continues from
 * its value, so that entries are added in their order. Every column has an array of its own: compilers keep these in registers. */
INLINE void add_run(const weights *w, int64_t u, int64_t end, const double *restrict value, int64_t m, int width, double *restrict to)
{
    double a[LANES], b[LANES], c[LANES], d[LANES];
    memcpy(a, to, sizeof a);
    if (width > 1)
        memcpy(b, to + LANES, sizeof b);
    if (width > 2) {
        memcpy(c, to + 2 * LANES, sizeof c);
        memcpy(d, to + 3 * LANES, sizeof d);
    }
    for (; u < end; u++) {
        const double *restrict weight = of_entry(w, u), *restrict own = value + u * m;
        for (int lane = 0; lane < LANES; lane++) {
            a[lane] += weight[lane] * own[0];
            if (width > 1)
                b[lane] += weight[lane] * own[1];
            if (width > 2) {
                c[lane] += weight[lane] * own[2];
                d[lane] += weight[lane] * own[3];
            }
        }
    }
    memcpy(to, a, sizeof a);
    if (width > 1)
        memcpy(to + LANES, b, sizeof b);
    if (width > 2) {
        memcpy(to + 2 * LANES, c, sizeof c);
        memcpy(to + 3 * LANES, d, sizeof d);
    }
}

/* Adds entries [0, n), run by run, to sum [groups][m][LANES]. Long runs are cut, so that their values stay in the cache for all columns. */
UGT_WIDE static void add_entries(const weights *w, const int32_t *group, const double *value, int64_t n, int64_t m, double *sum)
{
    const int64_t most = m < CACHED / 8 ? CACHED / m : 8;
    for (int64_t u = 0, end; u < n; u = end) {
        for (end = u + 1; end < n && end - u < most && group[end] == group[u];)
            end++;
        double *restrict to = sum + group[u] * m * LANES;
        int64_t j = 0;
        for (; j + WIDTH <= m; j += WIDTH)
            add_run(w, u, end, value + j, m, WIDTH, to + j * LANES);
        for (; j + 2 <= m; j += 2)
            add_run(w, u, end, value + j, m, 2, to + j * LANES);
        if (j < m)
            add_run(w, u, end, value + j, m, 1, to + j * LANES);
    }
}

INLINE void add_lanes(double *restrict to, const double *restrict weight)
{
    for (int lane = 0; lane < LANES; lane++)
        to[lane] += weight[lane];
}

/* Does the same as add_entries if every value is 1. */
UGT_WIDE static void count_entries(const weights *w, const int32_t *group, int64_t n, double *restrict sum)
{
    for (int64_t u = 0; u < n; u++)
        add_lanes(sum + (int64_t)group[u] * LANES, of_entry(w, u));
}

/* Adds entries for fewer than LANES weightings, panel by panel, with zeros in the other lanes. */
static void add_few(const weights *w, int lanes, const int32_t *group, const double *value, int64_t n, int64_t m, double *sum)
{
    double gathered[PANEL * LANES] = {0.0};
    for (int64_t from = 0; from < n; from += PANEL) {
        const int64_t here = n - from < PANEL ? n - from : PANEL;
        for (int64_t u = 0; u < here; u++)
            memcpy(gathered + u * LANES, of_entry(w, from + u), (size_t)lanes * sizeof *gathered);
        const weights padded = {gathered, NULL, LANES, here};
        if (value == NULL)
            count_entries(&padded, group + from, here, sum);
        else
            add_entries(&padded, group + from, value + from * m, here, m, sum);
    }
}

int ugt_grouped_sums(const int64_t *row, const int32_t *group, const double *value, int64_t n, int64_t m, int64_t n_groups,
                     const double *weight, int64_t stride, int64_t n_weights, double *out)
{
    const int64_t cells = n_groups * m;
    double *sum = malloc((size_t)(cells * LANES) * sizeof *sum);
    if (sum == NULL)
        return UGT_ERR_MEMORY;
    for (int64_t b = 0; b < n_weights; b += LANES) {
        const int lanes = n_weights - b < LANES ? (int)(n_weights - b) : LANES;
        const weights w = {weight + b, row, stride, n};
        memset(sum, 0, (size_t)(cells * LANES) * sizeof *sum);
        if (lanes < LANES)
            add_few(&w, lanes, group, value, n, m, sum);
        else if (value == NULL)
            count_entries(&w, group, n, sum);
        else
            add_entries(&w, group, value, n, m, sum);
        for (int lane = 0; lane < lanes; lane++)
            for (int64_t c = 0; c < cells; c++)
                out[(b + lane) * cells + c] = sum[c * LANES + lane];
    }
    free(sum);
    return UGT_OK;
}
