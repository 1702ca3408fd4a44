/* What the harnesses share: bytes become numbers, and what is not true ends the run.
 * A harness decodes bytes into arguments that keep the contract of ugt.h; every array is as long as it must be and no longer, so
 * that a sanitizer sees the first byte beyond it. */
#ifndef FUZZ_H
#define FUZZ_H

#include "../../../ugt/_core/ugt.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EXPECT(condition)                                                                                              \
    do {                                                                                                               \
        if (!(condition)) {                                                                                            \
            fprintf(stderr, "%s:%d: not true: %s\n", __FILE__, __LINE__, #condition);                                  \
            abort();                                                                                                   \
        }                                                                                                              \
    } while (0)

#define EXPECT_CLOSE(found, expected, relative, absolute)                                                              \
    do {                                                                                                               \
        const double found_ = (found), expected_ = (expected);                                                         \
        if (!(found_ == expected_ || fabs(found_ - expected_) <= (relative) * fabs(expected_) + (absolute))) {         \
            fprintf(stderr, "%s:%d: %s is %.17g instead of %.17g\n", __FILE__, __LINE__, #found, found_, expected_);   \
            abort();                                                                                                   \
        }                                                                                                              \
    } while (0)

#define NEW(type, n) ((type *)fuzz_new((int64_t)(n), sizeof(type)))

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

typedef struct {
    const uint8_t *at, *end;
} fuzz_input;

/* Ends the program rather than return NULL; room for one where there are none. */
static inline void *fuzz_new(int64_t n, size_t size)
{
    void *made = calloc(n > 0 ? (size_t)n : 1, size);
    if (made == NULL)
        exit(0);
    return made;
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
    int64_t *offsets = NEW(int64_t, n + 1);
    for (int64_t i = 0; i < n; i++)
        offsets[i + 1] = offsets[i] + least + fuzz_below(in, most - least + 1);
    return offsets;
}

/* m distinct classes of n, m <= n */
static inline void fuzz_classes(fuzz_input *in, int64_t n, int64_t m, int32_t *out)
{
    int32_t *all = NEW(int32_t, n);
    for (int64_t k = 0; k < n; k++)
        all[k] = (int32_t)k;
    for (int64_t i = 0; i < m; i++) {
        const int64_t j = i + fuzz_below(in, n - i);
        out[i] = all[j];
        all[j] = all[i];
    }
    free(all);
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
typedef struct {
    ugt_rankings table;
    int64_t *case_offsets, *ranking_offsets, *block_offsets;
    int32_t *items;
} fuzz_rankings;

static inline fuzz_rankings fuzz_rankings_new(fuzz_input *in, int64_t n_classes, int64_t n_cases, int64_t most_rankings)
{
    fuzz_rankings made;
    made.case_offsets = fuzz_offsets(in, n_cases, 0, most_rankings);
    const int64_t n_rankings = made.case_offsets[n_cases];
    made.ranking_offsets = NEW(int64_t, n_rankings + 1);
    int64_t *ends = NEW(int64_t, n_rankings * n_classes), n_blocks = 0, n_items = 0;
    int32_t *items = NEW(int32_t, n_rankings * n_classes);
    for (int64_t r = 0; r < n_rankings; r++) {
        const int64_t m = fuzz_below(in, n_classes + 1);
        const int ties = fuzz_byte(in);
        fuzz_classes(in, n_classes, m, items + n_items);
        for (int64_t i = 0; i < m; i++)
            if (i == m - 1 || (ties >> (i % 8) & 1) == 0)
                ends[n_blocks++] = n_items + i + 1;
        n_items += m;
        made.ranking_offsets[r + 1] = n_blocks;
    }
    made.block_offsets = NEW(int64_t, n_blocks + 1);
    memcpy(made.block_offsets + 1, ends, (size_t)n_blocks * sizeof *ends);
    made.items = NEW(int32_t, n_items);
    memcpy(made.items, items, (size_t)n_items * sizeof *items);
    free(ends);
    free(items);
    made.table = (ugt_rankings){.n_cases = n_cases, .n_rankings = n_rankings, .n_blocks = n_blocks, .n_items = n_items, .n_classes = n_classes,
                                .case_offsets = made.case_offsets, .ranking_offsets = made.ranking_offsets,
                                .block_offsets = made.block_offsets, .items = made.items};
    return made;
}

static inline void fuzz_rankings_free(fuzz_rankings *rankings)
{
    free(rankings->case_offsets);
    free(rankings->ranking_offsets);
    free(rankings->block_offsets);
    free(rankings->items);
}

#endif
