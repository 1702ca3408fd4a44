/* What the harnesses share: bytes become numbers, and what is not true ends the run.
 * A harness decodes bytes into arguments that keep the contract of ugt.h; every array is as long as it must be and no longer, so
 * that a sanitizer sees the first byte beyond it. */
#ifndef FUZZ_H
#define FUZZ_H

#include "../../../ugt/_core/ugt.h"

#define FAILED abort()
#include "../../c/check.h"

typedef struct {
    const uint8_t *at, *end;
} fuzz_input;

static void fuzz_one(fuzz_input *in); /* what a harness has to say */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_input in = {data, data + size};
    fuzz_one(&in);
    free_arrays();
    return 0;
}

/* 0 where the input has ended */
static inline int fuzz_byte(fuzz_input *in)
{
    return in->at < in->end ? *in->at++ : 0;
}

static inline int64_t fuzz_below(fuzz_input *in, int64_t n)
{
    const int64_t number = n > 256 ? 256 * fuzz_byte(in) + fuzz_byte(in) : fuzz_byte(in);
    return number % n;
}

static inline uint64_t fuzz_key(fuzz_input *in)
{
    uint64_t key = 0;
    for (int i = 0; i < 3; i++)
        key = key << 21 ^ (uint64_t)fuzz_byte(in);
    return key;
}

/* Any finite number; ties are frequent. */
static inline double fuzz_number(fuzz_input *in)
{
    static const double special[] = {0.0, -0.0, 1e300, -1e300, 5e-324, -5e-324, 1e-308, 2147483648.0, 9007199254740993.0, 0.1, 1e15, -1e15};
    const int byte = fuzz_byte(in);
    return byte >= 240 ? special[byte % 12] : (byte - 120) / 8.0;
}

/* in [0, 1] */
static inline double fuzz_share(fuzz_input *in)
{
    static const double special[] = {0.0, 1.0, 0.5, 5e-324, 1e-308, 1e-300, 1e-17, 1.0 - 1.1102230246251565e-16};
    const int byte = fuzz_byte(in);
    return byte >= 240 ? special[byte % 8] : byte % 17 / 16.0;
}

/* above 0, from 1e-size to 1e size */
static inline double fuzz_positive(fuzz_input *in, double size)
{
    const int byte = fuzz_byte(in);
    return byte < 128 ? 1 + byte % 8 : byte < 192 ? (byte - 127) / 16.0 : pow(10.0, (byte - 223) / 32.0 * size);
}

/* offsets [n+1] of rows of 0 (or least) to most */
static inline int64_t *fuzz_offsets(fuzz_input *in, int64_t n, int64_t least, int64_t most)
{
    int64_t *offsets = ZEROS(int64_t, n + 1);
    for (int64_t i = 0; i < n; i++)
        offsets[i + 1] = offsets[i] + least + fuzz_below(in, most - least + 1);
    return offsets;
}

/* m distinct classes of n, m <= n */
static inline void fuzz_classes(fuzz_input *in, int64_t n, int64_t m, int32_t *out)
{
    int32_t *all = ZEROS(int32_t, n);
    for (int64_t k = 0; k < n; k++)
        all[k] = (int32_t)k;
    for (int64_t i = 0; i < m; i++) {
        const int64_t j = i + fuzz_below(in, n - i);
        out[i] = all[j];
        all[j] = all[i];
    }
}

static inline int fuzz_order(const void *a, const void *b)
{
    return (*(const int32_t *)a > *(const int32_t *)b) - (*(const int32_t *)a < *(const int32_t *)b);
}

static inline void fuzz_ascending(int32_t *classes, int64_t n)
{
    qsort(classes, (size_t)n, sizeof *classes, fuzz_order);
}

static inline double fuzz_sum(const double *x, int64_t n)
{
    double sum = 0.0;
    for (int64_t i = 0; i < n; i++)
        sum += x[i];
    return sum;
}

/* Rankings of classes with ties, no class twice in one; blocks are not empty, rankings and cases may be. */
static inline ugt_rankings fuzz_rankings(fuzz_input *in, int64_t n_classes, int64_t n_cases, int64_t most_rankings)
{
    int64_t *case_offsets = fuzz_offsets(in, n_cases, 0, most_rankings), n_blocks = 0, n_items = 0;
    const int64_t n_rankings = case_offsets[n_cases];
    int64_t *ranking_offsets = ZEROS(int64_t, n_rankings + 1), *ends = ZEROS(int64_t, n_rankings * n_classes);
    int32_t *items = ZEROS(int32_t, n_rankings * n_classes);
    for (int64_t r = 0; r < n_rankings; r++) {
        const int64_t m = fuzz_below(in, n_classes + 1);
        const int ties = fuzz_byte(in);
        fuzz_classes(in, n_classes, m, items + n_items);
        for (int64_t i = 0; i < m; i++)
            if (i == m - 1 || (ties >> (i % 8) & 1) == 0)
                ends[n_blocks++] = n_items + i + 1;
        n_items += m;
        ranking_offsets[r + 1] = n_blocks;
    }
    int64_t *block_offsets = ZEROS(int64_t, n_blocks + 1);
    memcpy(block_offsets + 1, ends, (size_t)n_blocks * sizeof *ends);
    int32_t *own_items = ZEROS(int32_t, n_items);
    memcpy(own_items, items, (size_t)n_items * sizeof *items);
    return (ugt_rankings){.n_cases = n_cases, .n_rankings = n_rankings, .n_blocks = n_blocks, .n_items = n_items, .n_classes = n_classes,
                          .case_offsets = case_offsets, .ranking_offsets = ranking_offsets, .block_offsets = block_offsets, .items = own_items};
}

#endif
