/* Sums over label histograms against plain loops: types, strides, bins, weights, parts, faults; plain pairs against SSE2. */
#include "check.h"
#include "ugt.h"

/* The same file once more, without the pairs of the processor. */
#define UGT_PLAIN_PAIRS
#define ugt_histogram_sums plain_histogram_sums
#define ugt_histogram_read plain_histogram_read
#define ugt_disagreement_sums plain_disagreement_sums
#include "histogram.c"
#undef ugt_histogram_sums
#undef ugt_histogram_read
#undef ugt_disagreement_sums

#define MOST 1100
#define CLASSES 7
#define BINS 16

static double draw(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (double)(*state >> 11) * 0x1p-53;
}

typedef struct {
    int64_t n, n_classes, n_bins;
    double y[MOST * CLASSES], z[MOST * CLASSES], weight[MOST];
    double edges[CLASSES * (BINS + 1)];
} problem;

typedef struct {
    double cell[2 * CLASSES * BINS * UGT_HISTOGRAM_SUMS], total[2 * UGT_HISTOGRAM_TOTALS + 1];
} sums;

/* kind 0: all rows have 5 labels; 1: 0 to 3; 2: up to 200; 3: one. z are multiples of 2^-6, so that they are tied, on edges, 0 and 1. */
static void fill(problem *p, int64_t n, int64_t n_classes, int kind)
{
    uint64_t state = (uint64_t)(97 * n + 7 * n_classes + kind);
    p->n = n;
    p->n_classes = n_classes;
    p->n_bins = BINS;
    for (int64_t i = 0; i < n; i++) {
        double *y = p->y + i * n_classes, *z = p->z + i * n_classes;
        const int labels = kind == 0 ? 5 : kind == 3 ? 1 : (int)(draw(&state) * (kind == 1 ? 4.0 : 200.0));
        for (int64_t k = 0; k < n_classes; k++)
            y[k] = z[k] = 0.0;
        for (int j = 0; j < labels; j++)
            y[(int64_t)(draw(&state) * (double)n_classes)] += 1.0;
        for (int j = 0; j < 64; j++)
            z[(int64_t)(draw(&state) * draw(&state) * (double)n_classes)] += 0x1p-6;
        p->weight[i] = floor(4.0 * draw(&state));
    }
    for (int64_t k = 0; k < n_classes; k++)
        for (int64_t b = 0; b <= BINS; b++)
            p->edges[k * (BINS + 1) + b] = b == 0 ? -INFINITY : b == BINS ? INFINITY : (double)b / BINS;
}

static double agree(const double *y, const double *z, int64_t n_classes)
{
    double top_y = 0.0, top_z = 0.0, both = 0.0, n_y = 0.0, n_z = 0.0;
    for (int64_t k = 0; k < n_classes; k++) {
        top_y = fmax(top_y, y[k]);
        top_z = fmax(top_z, z[k]);
    }
    for (int64_t k = 0; k < n_classes; k++) {
        n_y += y[k] == top_y;
        n_z += z[k] == top_z;
        both += y[k] == top_y && z[k] == top_z;
    }
    return both / (n_y * n_z);
}

static void by_loops(const problem *p, int weighted, sums *out)
{
    memset(out, 0, sizeof *out);
    for (int64_t i = 0; i < p->n; i++) {
        const double *y = p->y + i * p->n_classes, *z = p->z + i * p->n_classes, w = weighted ? p->weight[i] : 1.0;
        double n = 0.0;
        for (int64_t k = 0; k < p->n_classes; k++)
            n += y[k];
        if (n == 0.0) {
            out->total[6] += w;
            continue;
        }
        const int several = n >= 2.0;
        for (int64_t k = 0; k < p->n_classes; k++) {
            const double *edges = p->edges + k * (BINS + 1), m = y[k] / n;
            int64_t b = 0;
            while (z[k] >= edges[b + 1])
                b++;
            double *cell = out->cell + ((several * p->n_classes + k) * BINS + b) * UGT_HISTOGRAM_SUMS;
            const double values[6] = {1.0, z[k], m, m * m, (m - z[k]) * (m - z[k]), several ? m * (1.0 - m) / (n - 1.0) : 0.0};
            for (int j = 0; j < 6; j++)
                cell[j] += w * values[j];
        }
        double *total = out->total + 3 * several;
        total[0] += w;
        total[1] += w * agree(y, z, p->n_classes);
        total[2] += w * n;
    }
}

static int all_close(const double *a, const double *b, size_t n)
{
    int close = 1;
    for (size_t i = 0; i < n; i++)
        close &= fabs(a[i] - b[i]) <= 1e-11 * (1.0 + fabs(b[i]));
    return close;
}

static int close_to(const sums *a, const sums *b)
{
    return all_close(a->cell, b->cell, LENGTH(a->cell)) && all_close(a->total, b->total, LENGTH(a->total));
}

/* A table in memory of its own, exactly as large: sanitizers see every byte that is read beyond. stride: 1 dense, 2 every other
 * number, -1 rows backwards. */
static void stored(const double *values, int64_t n, int64_t n_classes, int type, int stride, ugt_table *table)
{
    const int64_t size = type == UGT_FLOAT32 || type == UGT_INT32 ? 4 : 8, step = stride == 2 ? 2 : 1;
    char *memory = ZEROS(char, n * n_classes * step * size);
    table->type = type;
    table->column_stride = step * size;
    table->row_stride = (stride == -1 ? -1 : 1) * n_classes * step * size;
    table->at = stride == -1 ? memory + (n - 1) * n_classes * size : memory;
    for (int64_t i = 0; i < n * n_classes; i++) {
        char *at = (char *)(uintptr_t)table->at + i / n_classes * table->row_stride + i % n_classes * table->column_stride;
        if (type == UGT_FLOAT64)
            *(double *)(void *)at = values[i];
        else if (type == UGT_FLOAT32)
            *(float *)(void *)at = (float)values[i];
        else if (type == UGT_INT64)
            *(int64_t *)(void *)at = (int64_t)values[i];
        else
            *(int32_t *)(void *)at = (int32_t)values[i];
    }
}

static ugt_histograms given(const problem *p, int uniform)
{
    return (ugt_histograms){.n_classes = p->n_classes, .n_bins = p->n_bins, .edges = p->edges, .uniform = uniform, .tolerance = 1e-6};
}

/* Rows read once, then summed under 1 to 17 weights, of which the first is that of the problem and the others are 1, 0, 1, ... */
static void test_resampled(const problem *p, const ugt_histograms *in, const sums *weighted, const sums *ones)
{
    const int64_t k = p->n_classes, n_cells = 2 * k * p->n_bins, width = n_cells * UGT_HISTOGRAM_SUMS + 7;
    double *share = NEW(double, p->n * k), *prob = NEW(double, p->n * k), *fact = NEW(double, 3 * p->n);
    int32_t *cell = NEW(int32_t, p->n * k);
    ugt_histogram_rows rows = {share, prob, fact, cell, p->n, k, n_cells};
    int64_t fault[3];
    CHECK(ugt_histogram_read(in, 0, p->n / 2, &rows, fault) == UGT_OK && fault[0] == 0);
    CHECK(ugt_histogram_read(in, p->n / 2, p->n, &rows, fault) == UGT_OK && fault[0] == 0);
    for (int64_t n_weights = 1; n_weights <= 17; n_weights += 8 - (n_weights == 1)) {
        double *weight = NEW(double, n_weights * p->n), *out = NEW(double, n_weights * width);
        for (int64_t j = 0; j < n_weights * p->n; j++)
            weight[j] = j % n_weights == 0 ? p->weight[j / n_weights] : (double)(j % n_weights % 2);
        CHECK(ugt_histogram_resampled(&rows, weight, n_weights, n_weights, out) == UGT_OK);
        for (int64_t b = 0; b < n_weights; b++) {
            static const sums nothing;
            const sums *expected = b == 0 ? weighted : b % 2 ? ones : &nothing;
            CHECK(all_close(out + b * width, expected->cell, (size_t)(width - 7)));
            CHECK(all_close(out + (b + 1) * width - 7, expected->total, 7));
        }
    }
}

/* What was observed, cells and sums of predictions that are those of the classes, and of their mean. */
static void test_disagreement(const problem *p, const ugt_histograms *counts, int by_class)
{
    static double edges[(CLASSES + 1) * (BINS + 1)], expected[(CLASSES + 1) * BINS * UGT_HISTOGRAM_SUMS], found[LENGTH(expected)];
    const int64_t k = p->n_classes, m = by_class ? 1 + k : 1;
    double *share = NEW(double, p->n * m), *prob = NEW(double, p->n * m);
    int32_t *cell = NEW(int32_t, p->n * m);
    ugt_histogram_rows rows = {share, prob, NULL, cell, p->n, m, m * BINS};
    ugt_histograms in = *counts;
    int64_t fault[3];
    for (int64_t j = 0; j < m * (BINS + 1); j++)
        edges[j] = p->edges[j % (BINS + 1)];
    in.n_classes = m;
    in.edges = edges;
    memset(expected, 0, sizeof expected);
    for (int64_t i = 0; i < p->n; i++)
        for (int64_t j = 0; j < m; j++)
            prob[i * m + j] = p->z[i * k + (j == 0 ? 0 : j - 1)];
    for (int known = 0; known < 2; known++) { /* then once more with what was observed */
        memset(found, 0, sizeof found);
        CHECK(ugt_disagreement_sums(&in, k, known, &rows, found, fault) == UGT_OK && fault[0] == 0);
        for (int64_t i = 0; known == 0 && i < p->n; i++) {
            double n = 0.0, differ = 0.0;
            const double *y = p->y + i * k;
            for (int64_t a = 0; a < k; a++)
                n += y[a];
            for (int64_t a = 0; a < k; a++)
                differ += y[a] * (n - y[a]);
            for (int64_t j = 0; j < m; j++) {
                const double z = prob[i * m + j], observed = (j == 0 ? differ : 2.0 * y[j - 1] * (n - y[j - 1])) / (n * (n - 1.0));
                const int64_t bin = z >= 1.0 ? BINS - 1 : (int64_t)(z * BINS);
                const double values[] = {1.0, z, observed, observed * observed, (observed - z) * (observed - z)};
                CHECK(n < 2.0 ? isnan(share[i * m + j]) : fabs(share[i * m + j] - observed) < 1e-14);
                CHECK(cell[i * m + j] == (n < 2.0 ? -1 : j * BINS + bin));
                for (int s = 0; n >= 2.0 && s < 5; s++)
                    expected[(j * BINS + bin) * UGT_HISTOGRAM_SUMS + s] += values[s];
            }
        }
        CHECK(all_close(found, expected, (size_t)(m * BINS * UGT_HISTOGRAM_SUMS)));
    }
    const double good = prob[p->n * m - 1];
    prob[p->n * m - 1] = 1.1;
    CHECK(ugt_disagreement_sums(&in, k, 0, &rows, found, fault) == UGT_OK);
    CHECK(fault[0] == UGT_HISTOGRAM_PROBABILITY && fault[1] == p->n - 1 && fault[2] == m - 1);
    prob[p->n * m - 1] = good;
}

static void test_against_loops(const problem *p)
{
    static sums expected, weighted, found, plain, parts;
    int64_t fault[3] = {-1, -1, -1};
    by_loops(p, 0, &expected);
    by_loops(p, 1, &weighted);
    for (int uniform = 0; uniform < 2; uniform++)
        for (int type = 0; type < 4; type++)
            for (int stride = -1; stride < 3; stride += 1 + (stride == -1)) {
                ugt_histograms in = given(p, uniform);
                stored(p->y, p->n, p->n_classes, type, stride, &in.counts);
                stored(p->z, p->n, p->n_classes, type % 2, stride == 2 ? 1 : stride, &in.probs);
                memset(&found, 0, sizeof found);
                memset(&plain, 0, sizeof plain);
                memset(&parts, 0, sizeof parts);
                CHECK(ugt_histogram_sums(&in, 0, p->n, found.cell, found.total, fault) == UGT_OK && fault[0] == 0);
                CHECK(close_to(&found, &expected));
                CHECK(plain_histogram_sums(&in, 0, p->n, plain.cell, plain.total, fault) == UGT_OK && fault[0] == 0);
                CHECK(memcmp(&found, &plain, sizeof found) == 0);
                const int64_t cut = p->n / 3;
                CHECK(ugt_histogram_sums(&in, 0, cut, parts.cell, parts.total, fault) == UGT_OK);
                CHECK(ugt_histogram_sums(&in, cut, p->n, parts.cell, parts.total, fault) == UGT_OK);
                CHECK(close_to(&parts, &expected));
                if (stride == 1) {
                    test_resampled(p, &in, &weighted, &expected);
                    test_disagreement(p, &in, uniform);
                }
                free_arrays();
            }
}

static void check_fault(problem *p, int type, int fractional, int64_t row, int64_t k, int kind)
{
    static sums found;
    int64_t fault[3] = {-1, -1, -1};
    for (int uniform = 0; uniform < 2; uniform++) {
        ugt_histograms in = given(p, uniform);
        in.fractional = fractional;
        stored(p->y, p->n, p->n_classes, type, 1, &in.counts);
        stored(p->z, p->n, p->n_classes, UGT_FLOAT64, 1, &in.probs);
        CHECK(ugt_histogram_sums(&in, 0, p->n, found.cell, found.total, fault) == UGT_OK);
        CHECK(fault[0] == kind && (kind == 0 || (fault[1] == row && fault[2] == k)));
        CHECK(plain_histogram_sums(&in, 0, p->n, found.cell, found.total, fault) == UGT_OK);
        CHECK(fault[0] == kind && (kind == 0 || (fault[1] == row && fault[2] == k)));
        static double numbers[MOST * (2 * CLASSES + UGT_HISTOGRAM_FACTS)];
        static int32_t cell[MOST * CLASSES];
        ugt_histogram_rows rows = {numbers, numbers + MOST * CLASSES, numbers + 2 * MOST * CLASSES, cell, p->n, p->n_classes, 1000};
        CHECK(ugt_histogram_read(&in, 0, p->n, &rows, fault) == UGT_OK);
        CHECK(fault[0] == kind && (kind == 0 || (fault[1] == row && fault[2] == k)));
        if (kind != UGT_HISTOGRAM_SUM && kind != UGT_HISTOGRAM_PROBABILITY && kind != UGT_HISTOGRAM_TOTAL && !fractional) {
            in.n_classes = 1;
            rows.n_columns = 1;
            memset(numbers + MOST * CLASSES, 0, MOST * CLASSES * sizeof *numbers);
            CHECK(ugt_disagreement_sums(&in, p->n_classes, 0, &rows, found.cell, fault) == UGT_OK);
            CHECK(fault[0] == kind && (kind == 0 || (fault[1] == row && fault[2] == k)));
        }
    }
}

static void test_faults(problem *p, int64_t row)
{
    const int64_t last = p->n_classes - 1;
    double *y = p->y + row * p->n_classes, *z = p->z + row * p->n_classes;
    double good_y[CLASSES], good_z[CLASSES];
    const struct {
        double y;
        int fractional, kind;
    } counts[] = {{-1.0, 0, UGT_HISTOGRAM_NEGATIVE},         {-0.5, 1, UGT_HISTOGRAM_NEGATIVE}, {NAN, 0, UGT_HISTOGRAM_NOT_FINITE},
                  {INFINITY, 1, UGT_HISTOGRAM_NOT_FINITE},   {0x1p54, 0, UGT_HISTOGRAM_NOT_FINITE}, {0.5, 0, UGT_HISTOGRAM_FRACTION},
                  {0.5, 1, 0},                               {0x1p53, 0, UGT_HISTOGRAM_TOTAL},  {0x1p53, 1, UGT_HISTOGRAM_TOTAL}};
    const double probs[] = {NAN, INFINITY, -INFINITY, -0.1, -2e-6, 1.1, 1.0 + 2e-6};
    memcpy(good_y, y, sizeof good_y);
    memcpy(good_z, z, sizeof good_z);
    for (size_t j = 0; j < LENGTH(counts); j++) {
        y[0] = 3.0;
        y[last] = counts[j].y;
        const int64_t k = counts[j].kind == UGT_HISTOGRAM_TOTAL ? 0 : last;
        check_fault(p, UGT_FLOAT64, counts[j].fractional, row, k, counts[j].kind);
        if (counts[j].y == floor(counts[j].y) && fabs(counts[j].y) < 0x1p60) /* a whole number */
            check_fault(p, UGT_INT64, counts[j].fractional, row, k, counts[j].kind);
        if (counts[j].y == -1.0)
            check_fault(p, UGT_INT32, 0, row, k, counts[j].kind);
        memcpy(y, good_y, sizeof good_y);
    }
    for (size_t j = 0; j < LENGTH(probs); j++)
        for (int64_t k = 0; k <= last; k += last) {
            z[k] = probs[j];
            z[last - k] = isfinite(probs[j]) ? 1.0 - probs[j] : 0.0; /* out of bounds, too, where this one is */
            for (int64_t other = 1; other < last; other++)
                z[other] = 0.0;
            const int64_t first = isfinite(probs[j]) ? 0 : k;
            check_fault(p, UGT_FLOAT64, 0, row, first, UGT_HISTOGRAM_PROBABILITY);
            check_fault(p, UGT_INT64, 0, row, first, UGT_HISTOGRAM_PROBABILITY);
            memcpy(z, good_z, sizeof good_z);
        }
    for (int64_t k = 0; k <= last; k++)
        z[k] = k == 0 ? 1.00005 : 0.0; /* the sum is fine */
    check_fault(p, UGT_FLOAT64, 0, row, 0, UGT_HISTOGRAM_PROBABILITY);
    memcpy(z, good_z, sizeof good_z);
    for (int j = 0; j < 4; j++) {
        const double sum = (double[]){0.9998, 1.0002, 0.99991, 1.00009}[j];
        for (int64_t k = 0; k <= last; k++)
            z[k] = sum / (double)p->n_classes;
        check_fault(p, UGT_INT64, 0, row, 0, j < 2 ? UGT_HISTOGRAM_SUM : 0);
        check_fault(p, UGT_FLOAT64, 0, row, 0, j < 2 ? UGT_HISTOGRAM_SUM : 0);
        memcpy(z, good_z, sizeof good_z);
    }
    for (int64_t k = 0; k <= last; k++)
        y[k] = 1e-310;
    check_fault(p, UGT_FLOAT64, 1, row, 0, UGT_HISTOGRAM_TOTAL);
    memcpy(y, good_y, sizeof good_y);
}

/* Numbers of labels beyond int32, whose sums still are exact. */
static void test_large_counts(void)
{
    const int64_t y[6] = {(int64_t)1 << 52, (int64_t)1 << 52, 63, 1, 62, 1};
    const double z[6] = {0.5, 0.5, 0.25, 0.75, 1.0, 0.0}, edges[2] = {-INFINITY, INFINITY};
    double cell[2 * 2 * UGT_HISTOGRAM_SUMS] = {0.0}, total[7] = {0.0};
    int64_t fault[3];
    const ugt_histograms in = {.counts = {y, 16, 8, UGT_INT64}, .probs = {z, 16, 8, UGT_FLOAT64}, .n_classes = 2, .n_bins = 1,
                               .edges = edges, .uniform = 1, .tolerance = 1e-6};
    CHECK(ugt_histogram_sums(&in, 0, 3, cell, total, fault) == UGT_OK && fault[0] == 0);
    CHECK(total[3] == 3.0 && total[4] == 1.5 && total[5] == 0x1p53 + 127.0);
    CHECK_CLOSE(cell[12 + 2], 0.5 + 63.0 / 64.0 + 62.0 / 63.0, 1e-15, 0.0);
    CHECK_CLOSE(cell[12 + 5], 0.25 / 0x1p53 + 63.0 / 64.0 / 64.0 / 63.0 + 62.0 / 63.0 / 63.0 / 62.0, 1e-14, 0.0);
}

int main(void)
{
    static problem p;
    const int64_t sizes[] = {1, 2, 3, 513, MOST};
    for (size_t i = 0; i < LENGTH(sizes); i++)
        for (int64_t n_classes = 2; n_classes <= CLASSES; n_classes += 1 + (n_classes == 3) * 3)
            for (int kind = 0; kind < 4; kind++) {
                fill(&p, sizes[i], n_classes, kind);
                test_against_loops(&p);
            }
    for (int64_t n_classes = 2; n_classes <= 5; n_classes++)
        for (int64_t row = 0; row < 1100; row += 1099 - (n_classes % 2)) {
            fill(&p, 1100, n_classes, 0);
            test_faults(&p, row);
        }
    test_large_counts();
    return RESULT;
}
