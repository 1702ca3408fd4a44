/* Weighted sums by groups of cases, for several weightings at a time. */
#include <stdlib.h>
#include <string.h>

#include "core.h"

#define LANES 8    /* weightings that go through the cases together */
#define PANEL 256  /* cases whose weights are turned at a time: 16 KiB */

/* turned [n * LANES] of the weights of cases [from, from + n); 0 in lanes that are not there */
static void turn(const double *weight, int64_t n_cases, int64_t from, int64_t n, int lanes, double *turned)
{
    for (int lane = 0; lane < LANES; lane++)
        for (int64_t u = 0; u < n; u++)
            turned[u * LANES + lane] = lane < lanes ? weight[lane * n_cases + from + u] : 0.0;
}

int ugt_grouped_sums(const int32_t *group, const double *value, int64_t n, int64_t m, int64_t n_groups, const double *weight,
                     int64_t n_weights, double *out)
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
            turn(weight + b * n, n, from, here, lanes, turned);
            for (int64_t u = 0; u < here; u++) {
                double *restrict to = sum + group[from + u] * m * LANES;
                for (int64_t j = 0; j < m; j++)
                    for (int lane = 0; lane < LANES; lane++)
                        to[j * LANES + lane] += turned[u * LANES + lane] * value[(from + u) * m + j];
            }
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
