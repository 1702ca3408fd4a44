/* histogram.c: types, strides, parts and faults, against a plain loop. */

#include "fuzz.h"

typedef struct {
    int64_t n, n_classes, n_bins;
    double *counts, *probs, *weight, *edges;
    int count_type, prob_type, fractional, broken;
} problem;

static const size_t SIZES[4] = {sizeof(double), sizeof(float), sizeof(int64_t), sizeof(int32_t)};

/* A table of a type with gaps; rows may run backwards. Only as much memory as the table spans. */
static void stored(const double *values, int64_t n, int64_t m, int type, int64_t gap, int backwards, ugt_table *table)
{
    const int64_t size = (int64_t)SIZES[type], column = size * (1 + gap), row = m * column;
    char *memory = ZEROS(char, n * row);
    *table = (ugt_table){memory + (backwards ? (n - 1) * row : 0), backwards ? -row : row, column, type};
    for (int64_t i = 0; i < n; i++)
        for (int64_t k = 0; k < m; k++) {
            char *at = (char *)(uintptr_t)table->at + i * table->row_stride + k * column;
            const double value = values[i * m + k];
            const float single = (float)value;
            const int64_t wide = type >= 2 ? (int64_t)value : 0;
            const int32_t narrow = type == 3 ? (int32_t)value : 0;
            const void *from[4] = {&value, &single, &wide, &narrow};
            memcpy(at, from[type], SIZES[type]);
        }
}

static problem decode(fuzz_input *in)
{
    problem x = {.n = 1 + fuzz_below(in, 12), .n_classes = 1 + fuzz_below(in, 6), .n_bins = 1 + fuzz_below(in, 6)};
    x.count_type = (int)fuzz_below(in, 4);
    x.count_type = x.count_type == UGT_FLOAT32 ? UGT_FLOAT64 : x.count_type;
    x.prob_type = (int)fuzz_below(in, 2);
    x.fractional = fuzz_byte(in) % 2;
    x.counts = ZEROS(double, x.n * x.n_classes);
    x.probs = ZEROS(double, x.n * x.n_classes);
    x.weight = ZEROS(double, x.n);
    x.edges = ZEROS(double, x.n_bins + 1);
    for (int64_t i = 0; i < x.n; i++) {
        double sum = 0.0;
        for (int64_t k = 0; k < x.n_classes; k++) {
            x.counts[i * x.n_classes + k] = (double)(fuzz_byte(in) % 5);
            sum += x.probs[i * x.n_classes + k] = 0.01 + fuzz_share(in);
        }
        for (int64_t k = 0; k < x.n_classes; k++)
            x.probs[i * x.n_classes + k] /= sum;
        x.weight[i] = fuzz_byte(in) % 3;
    }
    for (int64_t b = 0; b <= x.n_bins; b++)
        x.edges[b] = b == 0 ? -INFINITY : b == x.n_bins ? INFINITY : (double)b / (double)x.n_bins;
    const int64_t at = fuzz_below(in, x.n * x.n_classes);
    static const double counts[] = {-1, 0.5, 1e17, -1e300, 1e-310}, probs[] = {-0.1, 1.1, 0.3, -1e-7};
    x.broken = 1;
    switch (fuzz_byte(in) % 6) {
    case 0: x.counts[at] = x.count_type == UGT_FLOAT64 ? counts[fuzz_below(in, 5)] : -1; break;
    case 1: x.probs[at] = fuzz_byte(in) % 4 ? probs[fuzz_below(in, 4)] : (double)NAN; break;
    case 2:
        if (x.count_type == UGT_FLOAT64) {
            x.counts[at] = fuzz_byte(in) % 2 ? (double)NAN : INFINITY;
            break;
        } /* fall through */
    default: x.broken = 0;
    }
    return x;
}

static void check_loops(const problem *x, int weighted, const double *cell, const double *total)
{
    const int64_t K = x->n_classes, B = x->n_bins;
    double rows[3] = {0, 0, 0}, *sums = ZEROS(double, 2 * K * B * UGT_HISTOGRAM_SUMS);
    for (int64_t i = 0; i < x->n; i++) {
        const double w = weighted ? x->weight[i] : 1.0, n = fuzz_sum(x->counts + i * K, K);
        rows[n == 0 ? 2 : n >= 2] += w;
        for (int64_t k = 0; k < K && n > 0; k++) {
            const double z = x->prob_type == UGT_FLOAT32 ? (double)(float)x->probs[i * K + k] : x->probs[i * K + k];
            const double m = x->counts[i * K + k] / n;
            int64_t b = 0;
            while (b + 1 < B && z >= x->edges[b + 1])
                b++;
            double *at = sums + (((n >= 2) * K + k) * B + b) * UGT_HISTOGRAM_SUMS;
            const double add[UGT_HISTOGRAM_SUMS] = {1, z, m, m * m, (m - z) * (m - z), n >= 2 ? m * (1 - m) / (n - 1) : 0};
            for (int s = 0; s < UGT_HISTOGRAM_SUMS; s++)
                at[s] += w * add[s];
        }
    }
    for (int64_t j = 0; j < 2 * K * B * UGT_HISTOGRAM_SUMS; j++)
        CHECK_CLOSE(cell[j], sums[j], 1e-9, 1e-9);
    CHECK_CLOSE(total[0], rows[0], 1e-12, 0.0);
    CHECK_CLOSE(total[UGT_HISTOGRAM_TOTALS], rows[1], 1e-12, 0.0);
    CHECK_CLOSE(total[2 * UGT_HISTOGRAM_TOTALS], rows[2], 1e-12, 0.0);
}

/* The sums under the weights of the problem, by way of rows. */
static void resample(const problem *x, const ugt_histograms *given, double *cell, double *total)
{
    const int64_t n = x->n * x->n_classes, n_cells = 2 * x->n_classes * x->n_bins, n_sums = n_cells * UGT_HISTOGRAM_SUMS;
    const size_t n_total = 2 * UGT_HISTOGRAM_TOTALS + 1;
    double *share = ZEROS(double, n), *prob = ZEROS(double, n), *fact = ZEROS(double, x->n * UGT_HISTOGRAM_FACTS);
    double *out = ZEROS(double, n_sums + (int64_t)n_total);
    int32_t *place = ZEROS(int32_t, n);
    ugt_histogram_rows rows = {share, prob, fact, place, x->n, x->n_classes, n_cells};
    int64_t fault[3];
    CHECK(ugt_histogram_read(given, 0, x->n, &rows, fault) == UGT_OK && fault[0] == 0);
    CHECK(ugt_histogram_resampled(&rows, x->weight, 1, 1, out) == UGT_OK);
    memcpy(cell, out, (size_t)n_sums * sizeof *cell);
    memcpy(total, out + n_sums, n_total * sizeof *total);
}

static void fuzz_one(fuzz_input *in)
{
    problem x = decode(in);
    const int weighted = fuzz_byte(in) % 2, uniform = fuzz_byte(in) % 2;
    const int64_t cut = fuzz_below(in, x.n + 1), n_cell = 2 * x.n_classes * x.n_bins * UGT_HISTOGRAM_SUMS;
    ugt_histograms given = {.n_classes = x.n_classes, .n_bins = x.n_bins, .edges = x.edges, .uniform = uniform, .fractional = x.fractional, .tolerance = UGT_HISTOGRAM_OUTSIDE};
    double *edges = ZEROS(double, x.n_classes * (x.n_bins + 1));
    for (int64_t k = 0; k < x.n_classes; k++)
        memcpy(edges + k * (x.n_bins + 1), x.edges, (size_t)(x.n_bins + 1) * sizeof *edges);
    given.edges = uniform ? x.edges : edges;
    stored(x.counts, x.n, x.n_classes, x.count_type, fuzz_below(in, 3), fuzz_byte(in) % 2, &given.counts);
    stored(x.probs, x.n, x.n_classes, x.prob_type, fuzz_below(in, 3), fuzz_byte(in) % 2, &given.probs);
    double *cell = ZEROS(double, n_cell), *parts = ZEROS(double, n_cell), total[2 * UGT_HISTOGRAM_TOTALS + 1] = {0}, again[2 * UGT_HISTOGRAM_TOTALS + 1] = {0};
    int64_t fault[3] = {-1, -1, -1};
    CHECK(ugt_histogram_sums(&given, 0, x.n, cell, total, fault) == UGT_OK);
    CHECK(fault[0] >= 0 && fault[0] <= UGT_HISTOGRAM_TOTAL);
    if (fault[0] != 0) {
        CHECK(x.broken && fault[1] >= 0 && fault[1] < x.n && fault[2] >= 0 && fault[2] < x.n_classes);
    } else if (!x.broken) {
        if (weighted)
            resample(&x, &given, cell, total);
        check_loops(&x, weighted, cell, total);
        CHECK(ugt_histogram_sums(&given, 0, cut, parts, again, fault) == UGT_OK);
        CHECK(ugt_histogram_sums(&given, cut, x.n, parts, again, fault) == UGT_OK);
        for (int64_t j = 0; j < n_cell && !weighted; j++)
            CHECK_CLOSE(parts[j], cell[j], 1e-9, 1e-9);
    }
}
