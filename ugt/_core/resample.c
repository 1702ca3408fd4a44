/* Bootstrap by weights, and the exact law of a sum of independent variables. */
#include <stdlib.h>
#include <string.h>

#include "core.h"

int ugt_bootstrap_means(const double *value, int64_t n, int64_t m, uint64_t seed, int64_t begin, int64_t end,
                        double *out)
{
    uint32_t *weight = malloc((size_t)n * sizeof *weight);
    if (weight == NULL)
        return UGT_ERR_MEMORY;
    for (int64_t b = begin; b < end; b++, out += m) {
        ugt_stream stream;
        ugt_stream_open(&stream, seed, (uint64_t)b, 0, UGT_PURPOSE_BOOTSTRAP);
        memset(weight, 0, (size_t)n * sizeof *weight);
        for (int64_t i = 0; i < n; i++)
            weight[ugt_stream_below(&stream, (uint64_t)n)]++;
        memset(out, 0, (size_t)m * sizeof *out);
        for (int64_t i = 0; i < n; i++) {
            const double w = (double)weight[i], *row = value + i * m;
            if (weight[i] == 0)
                continue;
            for (int64_t j = 0; j < m; j++)
                out[j] += w * row[j];
        }
        for (int64_t j = 0; j < m; j++)
            out[j] /= (double)n;
    }
    free(weight);
    return UGT_OK;
}

#define DROP 1e-20 /* of either tail at each step: a million steps lose 2e-14 */

int ugt_law_of_sum(const double *pmf, int64_t n, int64_t width, double *restrict law)
{
    const int64_t length = n * (width - 1) + 1;
    double *restrict next = malloc((size_t)length * sizeof *next);
    if (next == NULL)
        return UGT_ERR_MEMORY;
    memset(law, 0, (size_t)length * sizeof *law);
    law[0] = 1.0;
    int64_t lo = 0, hi = 1; /* the law lives on [lo, hi) */
    for (int64_t i = 0; i < n; i++, pmf += width) {
        int64_t first = 0, last = width;
        while (first < width - 1 && pmf[first] == 0.0)
            first++;
        while (last > first + 1 && pmf[last - 1] == 0.0)
            last--;
        memset(next + lo + first, 0, (size_t)(hi - lo + last - first - 1) * sizeof *next);
        for (int64_t v = first; v < last; v++) {
            const double p = pmf[v];
            double *restrict to = next + v;
            if (p == 0.0)
                continue;
            for (int64_t j = lo; j < hi; j++)
                to[j] += p * law[j];
        }
        lo += first;
        hi += last - 1;
        while (hi - lo > 1 && next[lo] < DROP)
            lo++;
        while (hi - lo > 1 && next[hi - 1] < DROP)
            hi--;
        memcpy(law + lo, next + lo, (size_t)(hi - lo) * sizeof *law);
    }
    memset(law, 0, (size_t)lo * sizeof *law);
    memset(law + hi, 0, (size_t)(length - hi) * sizeof *law);
    free(next);
    return UGT_OK;
}
