/* Sums by class and bin, with weights of the rows. The cells, shares and probabilities of the rows are known, so that a pass only adds.
 * It does so for a few weights per row together, whose sums are adjacent in memory. */
#include <stdlib.h>
#include <string.h>

#include "core.h"
#include "wide.h"

#define LANES 8 /* weights per row that share a pass */

/* Adds weight * value to sum; weight and sum are [LANES]. */
INLINE void add(double *restrict sum, const double *restrict weight, double value)
{
    for (int lane = 0; lane < LANES; lane++)
        sum[lane] += weight[lane] * value;
}

/* Adds one column of a row to the sums of its cell. */
INLINE void add_cell(double *sum, const double *weight, double m, double z, double spread)
{
    const double gap = m - z, mm = m * m;
    add(sum, weight, 1.0);
    add(sum + LANES, weight, z);
    add(sum + 2 * LANES, weight, m);
    add(sum + 3 * LANES, weight, mm);
    add(sum + 4 * LANES, weight, gap * gap);
    add(sum + 5 * LANES, weight, (m - mm) * spread);
}

/* Adds a row to its totals; returns whether it has labels. */
INLINE int add_facts(double *total, const double *weight, const double *fact)
{
    if (fact[0] == 0.0) {
        add(total + 2 * UGT_HISTOGRAM_TOTALS * LANES, weight, 1.0);
        return 0;
    }
    total += fact[0] >= 2.0 ? UGT_HISTOGRAM_TOTALS * LANES : 0;
    add(total, weight, 1.0);
    add(total + LANES, weight, fact[1]);
    add(total + 2 * LANES, weight, fact[0]);
    return 1;
}

/* Adds all rows, for the first `lanes` weights of each row; the other lanes have weight 0. */
UGT_WIDE static void add_rows(const ugt_histogram_rows *in, const double *weight, int64_t stride, int64_t lanes, double *sum)
{
    const int64_t columns = in->n_columns, facts = in->n_cells * UGT_HISTOGRAM_SUMS * LANES;
    double few[LANES] = {0.0};
    for (int64_t i = 0; i < in->n_rows; i++, weight += stride) {
        const double *m = in->share + i * columns, *z = in->prob + i * columns, *fact = in->fact + i * UGT_HISTOGRAM_FACTS, *own = weight;
        const int32_t *cell = in->cell + i * columns;
        const double spread = in->fact == NULL ? 0.0 : fact[2];
        if (lanes < LANES)
            own = memcpy(few, weight, (size_t)lanes * sizeof *few);
        if (in->fact == NULL ? cell[0] >= 0 : add_facts(sum + facts, own, fact))
            for (int64_t k = 0; k < columns; k++)
                add_cell(sum + (int64_t)cell[k] * UGT_HISTOGRAM_SUMS * LANES, own, m[k], z[k], spread);
    }
}

int ugt_histogram_resampled(const ugt_histogram_rows *in, const double *weight, int64_t stride, int64_t n_weights, double *out)
{
    const int64_t width = in->n_cells * UGT_HISTOGRAM_SUMS + (in->fact == NULL ? 0 : 2 * UGT_HISTOGRAM_TOTALS + 1);
    double *sum = malloc(ugt_bytes(width * LANES, sizeof *sum));
    if (sum == NULL)
        return UGT_ERR_MEMORY;
    for (int64_t b = 0; b < n_weights; b += LANES) {
        const int64_t lanes = n_weights - b < LANES ? n_weights - b : LANES;
        memset(sum, 0, (size_t)(width * LANES) * sizeof *sum);
        add_rows(in, weight + b, stride, lanes, sum);
        for (int64_t lane = 0; lane < lanes; lane++)
            for (int64_t j = 0; j < width; j++)
                out[(b + lane) * width + j] = sum[j * LANES + lane];
    }
    free(sum);
    return UGT_OK;
}
