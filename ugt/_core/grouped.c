/* Weighted sums by groups of cases, for several weightings at a time. */
#include <stdlib.h>
#include <string.h>

#include "core.h"

#include "wide.h"

#define LANES 8    /* weightings that go through the cases together */
#define WIDTH 4    /* columns of a run that are added up together */
#define PANEL 256  /* entries whose weights are turned at a time: 16 KiB */

/* turned [n * LANES] of the weights of the cases of n entries; 0 in lanes that are not there */
static void turn(const double *weight, int64_t n_cases, const int64_t *row, int64_t n, int lanes, double *turned)
{
    for (int lane = 0; lane < LANES; lane++)
        for (int64_t u = 0; u < n; u++)
            turned[u * LANES + lane] = lane < lanes ? weight[lane * n_cases + row[u]] : 0.0;
}

/* Adds a run of n entries of one group, from column j on, to [width][LANES] sums: each goes on where it was. */
INLINE void add_run(const double *restrict weight, const double *restrict value, int64_t n, int64_t m, int width, double *restrict to)
{
    double sum[WIDTH][LANES];
    memcpy(sum, to, (size_t)width * sizeof sum[0]);
    for (int64_t u = 0; u < n; u++, weight += LANES, value += m)
        for (int j = 0; j < width; j++)
            for (int lane = 0; lane < LANES; lane++)
                sum[j][lane] += weight[lane] * value[j];
    memcpy(to, sum, (size_t)width * sizeof sum[0]);
}

/* Entries [0, n) of a panel, run by run, to sum [groups][m][LANES]. */
UGT_WIDE static void add_panel(const int32_t *group, const double *value, int64_t n, int64_t m, const double *turned, double *sum)
{
    for (int64_t u = 0, end; u < n; u = end) {
        for (end = u + 1; end < n && group[end] == group[u];)
            end++;
        double *restrict to = sum + group[u] * m * LANES;
        int64_t j = 0;
        if (end == u + 1) {
            for (; j < m; j++)
                for (int lane = 0; lane < LANES; lane++)
                    to[j * LANES + lane] += turned[u * LANES + lane] * value[u * m + j];
            continue;
        }
        for (; j + WIDTH <= m; j += WIDTH)
            add_run(turned + u * LANES, value + u * m + j, end - u, m, WIDTH, to + j * LANES);
        for (; j + 2 <= m; j += 2)
            add_run(turned + u * LANES, value + u * m + j, end - u, m, 2, to + j * LANES);
        if (j < m)
            add_run(turned + u * LANES, value + u * m + j, end - u, m, 1, to + j * LANES);
    }
}

int ugt_grouped_sums(const int64_t *row, const int32_t *group, const double *value, int64_t n, int64_t m, int64_t n_groups,
                     const double *weight, int64_t n_cases, int64_t n_weights, double *out)
{
    const int64_t cells = n_groups * m;
    double *sum = malloc((size_t)(cells * LANES) * sizeof *sum), *turned = malloc(PANEL * LANES * sizeof *turned);
    int status = UGT_OK;
    if (sum == NULL || turned == NULL) {
        status = UGT_ERR_MEMORY;
        goto out;
    }
    for (int64_t b = 0; b < n_weights; b += LANES) {
        const int lanes = n_weights - b < LANES ? (int)(n_weights - b) : LANES;
        memset(sum, 0, (size_t)(cells * LANES) * sizeof *sum);
        for (int64_t from = 0; from < n; from += PANEL) {
            const int64_t here = n - from < PANEL ? n - from : PANEL;
            turn(weight + b * n_cases, n_cases, row + from, here, lanes, turned);
            add_panel(group + from, value + from * m, here, m, turned, sum);
        }
        for (int lane = 0; lane < lanes; lane++)
            for (int64_t c = 0; c < cells; c++)
                out[(b + lane) * cells + c] = sum[c * LANES + lane];
    }
out:
    free(sum);
    free(turned);
    return status;
}
