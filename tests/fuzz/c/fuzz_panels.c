/* panels.c: cells of labels beside counts, sums and areas beside loops over cases and pairs. */

#include "fuzz.h"

#define CLASSES 3

typedef struct {
    int64_t n_rows, n_annotators, n_panels, *offsets, *n_cells;
    int32_t *annotator, *cell;
    uint64_t *key, *times;
} panels;

/* how often each class is given to a row under a panel, as digits */
static int64_t counts(const panels *x, int64_t row, int64_t b)
{
    int64_t sum = 0;
    for (int64_t r = x->offsets[row]; r < x->offsets[row + 1]; r++) {
        const int64_t times = x->annotator[r] < 0 ? 1 : (int64_t)x->times[x->annotator[r] * x->n_panels + b];
        sum += times * (int64_t)(x->key[2 * r] + x->key[2 * r + 1]);
    }
    return sum;
}

static panels check_cells(fuzz_input *in)
{
    static const uint64_t key[CLASSES][2] = {{1, 0}, {0, 1000}, {1000000, 0}};
    panels x = {.n_rows = 1 + fuzz_below(in, 5), .n_annotators = 1 + fuzz_below(in, 4), .n_panels = 1 + fuzz_below(in, 40)};
    x.offsets = fuzz_offsets(in, x.n_rows, 0, 5);
    x.annotator = ZEROS(int32_t, x.offsets[x.n_rows]);
    x.key = ZEROS(uint64_t, 2 * x.offsets[x.n_rows]);
    x.times = ZEROS(uint64_t, x.n_annotators * x.n_panels);
    x.cell = ZEROS(int32_t, x.n_rows * x.n_panels);
    x.n_cells = ZEROS(int64_t, x.n_rows);
    for (int64_t r = 0; r < x.offsets[x.n_rows]; r++) {
        x.annotator[r] = (int32_t)fuzz_below(in, x.n_annotators + 1) - 1;
        memcpy(x.key + 2 * r, key[fuzz_below(in, CLASSES)], sizeof *key);
    }
    for (int64_t j = 0; j < x.n_annotators * x.n_panels; j++)
        x.times[j] = (uint64_t)fuzz_below(in, 4);
    int32_t *first = ZEROS(int32_t, x.n_rows * x.n_panels);
    uint64_t *code = ZEROS(uint64_t, x.n_rows * x.n_panels);
    const ugt_panels given = {x.offsets, x.annotator, x.key, x.times, x.n_panels};
    CHECK(ugt_panel_cells(&given, 0, x.n_rows, x.cell, first, code, x.n_cells) == UGT_OK);
    for (int64_t row = 0; row < x.n_rows; row++) {
        const int32_t *cell = x.cell + row * x.n_panels, *at = first + row * x.n_panels;
        CHECK(x.n_cells[row] >= 1 && x.n_cells[row] <= x.n_panels && at[0] == 0);
        for (int64_t b = 0; b < x.n_panels; b++) {
            CHECK(cell[b] >= 0 && cell[b] < x.n_cells[row] && at[cell[b]] <= b);
            CHECK(counts(&x, row, b) == counts(&x, row, at[cell[b]]));
        }
        for (int64_t c = 1; c < x.n_cells[row]; c++) {
            CHECK(at[c] > at[c - 1]);
            for (int64_t d = 0; d < c; d++)
                CHECK(counts(&x, row, at[c]) != counts(&x, row, at[d]));
        }
    }
    return x;
}

static int64_t *below(fuzz_input *in, int64_t n, int64_t most)
{
    int64_t *made = ZEROS(int64_t, n);
    for (int64_t i = 0; i < n; i++)
        made[i] = fuzz_below(in, most);
    return made;
}

/* Whole numbers: sums are exact. */
static void check_sums(fuzz_input *in, const panels *p, const int64_t *start)
{
    const int64_t n_kinds = 1 + fuzz_below(in, 4), n_units = 1 + fuzz_below(in, 4), n = p->n_panels;
    int64_t *row = below(in, n_kinds, p->n_rows), *first = ZEROS(int64_t, n_kinds), *offsets = fuzz_offsets(in, n_units, 0, 3);
    int64_t *kind = below(in, offsets[n_units], n_kinds);
    double *above = ZEROS(double, start[p->n_rows]), *other = ZEROS(double, start[p->n_rows]), *times = ZEROS(double, n_units);
    double *out = ZEROS(double, UGT_PANEL_SUMS * n), *mean = ZEROS(double, n_units), *factor = ZEROS(double, n);
    for (int64_t j = 0; j < start[p->n_rows]; j++) {
        above[j] = fuzz_byte(in) - 128;
        other[j] = fuzz_byte(in) % 3;
    }
    for (int64_t k = 0; k < n_kinds; k++)
        first[k] = start[row[k]];
    for (int64_t u = 0; u < n_units; u++)
        times[u] = 1 + fuzz_byte(in) % 3;
    for (int64_t b = 0; b < n; b++)
        factor[b] = fuzz_byte(in) % 5;
    const ugt_panel_values values = {p->cell, row, first, above, other, offsets, kind, times, n_units, n};
    const int64_t cut = fuzz_below(in, n);
    CHECK(cut == 0 || ugt_panel_sums(&values, 0, cut, out) == UGT_OK);
    CHECK(ugt_panel_sums(&values, cut, n, out) == UGT_OK && ugt_panel_means(&values, factor, factor, 0, n_units, mean) == UGT_OK);
    double means = 0.0;
    for (int64_t b = 0; b < n; b++) {
        double sum[UGT_PANEL_SUMS] = {0.0};
        for (int64_t u = 0; u < n_units; u++) {
            double a = 0.0, d = 0.0;
            for (int64_t i = offsets[u]; i < offsets[u + 1]; i++) {
                const int64_t at = first[kind[i]] + p->cell[row[kind[i]] * n + b];
                a += above[at];
                d += other[at];
            }
            const double term[UGT_PANEL_SUMS] = {a, d, a * a, a * d, d * d};
            for (int j = 0; j < UGT_PANEL_SUMS; j++)
                sum[j] += times[u] * term[j];
            means += factor[b] * (a + d);
        }
        for (int j = 0; j < UGT_PANEL_SUMS; j++)
            CHECK(out[j * n + b] == sum[j]);
    }
    CHECK(fuzz_sum(mean, n_units) == means);
}

/* Areas by pairs; the influences of an area add up to 0. */
static void check_areas(fuzz_input *in, const panels *p, const int64_t *start)
{
    const int64_t n_cases = 1 + fuzz_below(in, 12), n_units = 1 + fuzz_below(in, 4), n = p->n_panels, cut = fuzz_below(in, n);
    int64_t *row = below(in, n_cases, p->n_rows), *unit = below(in, n_cases, n_units);
    uint8_t *last = ZEROS(uint8_t, n_cases);
    double *positive = ZEROS(double, start[p->n_rows]), *out = ZEROS(double, UGT_PANEL_AREAS * n), *by = ZEROS(double, 8 * n);
    double *square = ZEROS(double, n), *mean = ZEROS(double, n_units), *weight = ZEROS(double, n);
    for (int64_t j = 0; j < start[p->n_rows]; j++)
        positive[j] = fuzz_byte(in) % 8 == 7 ? (double)NAN : fuzz_share(in);
    for (int64_t i = 0; i < n_cases; i++)
        last[i] = (uint8_t)(i == n_cases - 1 || fuzz_byte(in) % 2);
    const ugt_panel_scores x = {p->cell, start, positive, row, unit, last, p->n_rows, n_cases, n_units, n};
    CHECK(cut == 0 || ugt_panel_areas(&x, 0, cut, out) == UGT_OK);
    CHECK(ugt_panel_areas(&x, cut, n, out) == UGT_OK);
    for (int64_t b = 0; b < n; b++) {
        double sum[UGT_PANEL_AREAS] = {0.0}, of[12][2];
        for (int64_t i = 0, group = 0; i < n_cases; i++) {
            const double u = positive[start[row[i]] + p->cell[row[i] * n + b]];
            of[i][0] = isnan(u) ? 0.0 : u;
            of[i][1] = isnan(u) ? 0.0 : 1.0 - u;
            sum[0] += of[i][0];
            sum[1] += of[i][1];
            sum[2] += of[i][0] * of[i][1];
            for (int64_t j = 0; j <= i; j++)
                sum[3] += j < group ? of[j][0] * of[i][1] : j < i ? 0.5 * (of[j][0] * of[i][1] + of[i][0] * of[j][1]) : 0.5 * of[i][0] * of[i][1];
            group = last[i] ? i + 1 : group;
        }
        for (int j = 0; j < UGT_PANEL_AREAS; j++)
            CHECK_CLOSE(out[j * n + b], sum[j], 1e-13, 1e-13);
        const double pairs = sum[0] * sum[1], value = pairs > 1e-6 ? sum[3] / pairs : 0.0;
        by[b] = by[4 * n + b] = (1.0 - value) * sum[1];
        by[n + b] = by[5 * n + b] = -value * sum[0];
        by[3 * n + b] = pairs > 1e-6 ? 1.0 / pairs : 0.0;
        by[7 * n + b] = -by[3 * n + b];
        weight[b] = 1.0;
    }
    CHECK(ugt_panel_influences(&x, 1, by, weight, 0, n, square, mean) == UGT_OK);
    CHECK_CLOSE(fuzz_sum(mean, n_units), 0.0, 0.0, 1e-6);
    const ugt_panel_scores both[2] = {x, x}; /* a model less itself */
    CHECK(ugt_panel_influences(both, 2, by, weight, cut, n, square, mean) == UGT_OK);
    for (int64_t b = cut; b < n; b++)
        CHECK_CLOSE(square[b], 0.0, 0.0, 1e-9);
}

static void fuzz_one(fuzz_input *in)
{
    const int of_areas = fuzz_byte(in) % 2;
    const panels x = check_cells(in);
    int64_t *start = ZEROS(int64_t, x.n_rows + 1);
    for (int64_t i = 0; i < x.n_rows; i++)
        start[i + 1] = start[i] + x.n_cells[i];
    if (of_areas)
        check_areas(in, &x, start);
    else
        check_sums(in, &x, start);
}
