/* Cells of labels beside counts of each panel; sums, means, areas and influences beside loops over all cases and panels. */
#include "check.h"
#include "ugt.h"

#define MOST_CLASSES 5

/* ---- cells ---- */

typedef struct {
    int64_t n_rows, n_annotators, n_classes;
    int64_t *offsets;
    int32_t *annotator;
    int *label;
    uint64_t *key, *times, of_class[MOST_CLASSES][2];
    ugt_panels x;
} labels;

static labels make_labels(ugt_stream *s, int64_t n_rows, int64_t n_annotators, int64_t n_classes, int64_t n_panels)
{
    labels made = {.n_rows = n_rows, .n_annotators = n_annotators, .n_classes = n_classes};
    made.offsets = ZEROS(int64_t, n_rows + 1);
    for (int64_t i = 0; i < n_rows; i++) /* the second row has no labels */
        made.offsets[i + 1] = made.offsets[i] + (i == 1 ? 0 : 1 + (int64_t)ugt_stream_below(s, 6));
    const int64_t n = made.offsets[n_rows];
    made.annotator = NEW(int32_t, n);
    made.label = NEW(int, n);
    made.key = NEW(uint64_t, 2 * n);
    made.times = NEW(uint64_t, n_annotators * n_panels);
    for (int64_t r = 0; r < n; r++) {
        made.annotator[r] = (int32_t)ugt_stream_below(s, (uint64_t)n_annotators + 1) - 1;
        made.label[r] = (int)ugt_stream_below(s, (uint64_t)n_classes);
    }
    for (int64_t j = 0; j < n_annotators * n_panels; j++)
        made.times[j] = ugt_stream_below(s, 3);
    made.x = (ugt_panels){made.offsets, made.annotator, made.key, made.times, n_panels};
    return made;
}

/* the second number of each class tells classes with equal first numbers apart */
static void set_keys(labels *made, const uint64_t (*of_class)[2])
{
    memcpy(made->of_class, of_class, (size_t)made->n_classes * sizeof *of_class);
    for (int64_t r = 0; r < made->offsets[made->n_rows]; r++)
        memcpy(made->key + 2 * r, of_class[made->label[r]], sizeof *of_class);
}

/* count [n_classes] of a row under a panel; the sum of the first keys */
static uint64_t count(const labels *made, int64_t row, int64_t b, int64_t *of)
{
    uint64_t sum = 0;
    memset(of, 0, MOST_CLASSES * sizeof *of);
    for (int64_t r = made->offsets[row]; r < made->offsets[row + 1]; r++) {
        const uint64_t times = made->annotator[r] < 0 ? 1 : made->times[made->annotator[r] * made->x.n_panels + b];
        of[made->label[r]] += (int64_t)times;
        sum += times * made->of_class[made->label[r]][0];
    }
    return sum;
}

/* Cells are numbered in the order of the panels, and two panels have one cell if and only if all counts are equal. */
static void check_cells(const labels *made)
{
    const int64_t n = made->x.n_panels, rows = made->n_rows;
    int32_t *cell = NEW(int32_t, rows * n), *first = NEW(int32_t, rows * n), *part = NEW(int32_t, 2 * n);
    uint64_t *code = NEW(uint64_t, rows * n);
    int64_t *n_cells = NEW(int64_t, rows), here[MOST_CLASSES], there[MOST_CLASSES];
    CHECK(ugt_panel_cells(&made->x, 0, rows, cell, first, code, n_cells) == UGT_OK);
    for (int64_t row = 0; row < rows; row++) {
        int64_t seen = 0;
        for (int64_t b = 0; b < n; b++) {
            const uint64_t sum = count(made, row, b, here);
            int64_t a = 0;
            while (a < seen && (count(made, row, first[row * n + a], there), memcmp(here, there, sizeof here)) != 0)
                a++;
            CHECK(cell[row * n + b] == a && code[row * n + a] == sum);
            CHECK(a < seen || first[row * n + a] == b);
            seen += a == seen;
        }
        CHECK(n_cells[row] == seen);
        CHECK(row != 1 || seen == 1);
    }
    CHECK(ugt_panel_cells(&made->x, rows - 2, rows, part, first, code, n_cells) == UGT_OK); /* rows do not depend on others */
    CHECK(memcmp(part, cell + (rows - 2) * n, (size_t)(2 * n) * sizeof *part) == 0);
}

static void test_cells(void)
{
    static const uint64_t digits[][2] = {{1, 0}, {100, 0}, {10000, 0}, {1000000, 0}, {100000000, 0}};
    static const uint64_t mixed[][2] = {{1, 0}, {0, 1}, {100, 0}, {0, 100}};
    static const uint64_t pairs[][2] = {{7, 1}, {7, 100}, {7, 10000}, {0, 1000000}, {UINT64_C(1) << 63, UINT64_C(1) << 63}};
    static const int64_t n_panels[] = {1, 2, 3, 64, 200};
    ugt_stream s;
    ugt_stream_open(&s, 1, 0, 0, 99);
    for (size_t j = 0; j < LENGTH(n_panels); j++)
        for (int64_t k = 2; k <= 4; k++) {
            labels made = make_labels(&s, 12, 4, k, n_panels[j]);
            set_keys(&made, digits);
            check_cells(&made);
            set_keys(&made, mixed);
            check_cells(&made);
            set_keys(&made, pairs);
            check_cells(&made);
        }
}

/* Sums of keys that wrap around: one annotator in 2^k panels, each with other counts. */
static void test_many_cells(void)
{
    enum { N = 5000 };
    static const int64_t offsets[] = {0, 1};
    static const int32_t annotator[] = {0};
    static const uint64_t key[] = {UINT64_C(0x9E3779B97F4A7C15), 3};
    uint64_t *times = NEW(uint64_t, N), *code = NEW(uint64_t, N);
    int32_t *cell = NEW(int32_t, N), *first = NEW(int32_t, N);
    int64_t n_cells;
    for (int b = 0; b < N; b++)
        times[b] = (uint64_t)(b % (N / 2));
    const ugt_panels x = {offsets, annotator, key, times, N};
    CHECK(ugt_panel_cells(&x, 0, 1, cell, first, code, &n_cells) == UGT_OK && n_cells == N / 2);
    for (int b = 0; b < N; b++)
        CHECK(cell[b] == b % (N / 2) && first[b % (N / 2)] == b % (N / 2) && code[cell[b]] == key[0] * times[b]);
}

/* ---- sums and means ---- */

enum { ROWS = 3, KINDS = 5, UNITS = 4, PANELS = 37 };

static void fill_cells(ugt_stream *s, int32_t *cell, const int64_t *size)
{
    for (int row = 0; row < ROWS; row++)
        for (int b = 0; b < PANELS; b++)
            cell[row * PANELS + b] = (int32_t)ugt_stream_below(s, (uint64_t)size[row]);
}

static void test_sums(void)
{
    static const int64_t size[ROWS] = {1, 4, 6}, row[KINDS] = {2, 0, 1, 2, 1}, start[KINDS] = {0, 6, 7, 11, 17};
    static const int64_t offsets[UNITS + 1] = {0, 1, 1, 4, 6}, kind[] = {3, 0, 1, 4, 2, 2};
    static const double times[UNITS] = {1.0, 5.0, 2.0, 3.0};
    int32_t cell[ROWS * PANELS];
    double above[21], below[21], out[UGT_PANEL_SUMS * PANELS], expected[UGT_PANEL_SUMS * PANELS] = {0.0};
    double of_above[PANELS], of_below[PANELS], mean[UNITS], means[UNITS] = {0.0};
    ugt_stream s;
    ugt_stream_open(&s, 2, 0, 0, 99);
    fill_cells(&s, cell, size);
    for (int j = 0; j < 21; j++)
        above[j] = ugt_stream_uniform(&s) - 0.5, below[j] = ugt_stream_uniform(&s);
    for (int b = 0; b < PANELS; b++)
        of_above[b] = ugt_stream_uniform(&s), of_below[b] = -ugt_stream_uniform(&s);
    for (int b = 0; b < PANELS; b++)
        for (int u = 0; u < UNITS; u++) {
            double a = 0.0, d = 0.0;
            for (int64_t i = offsets[u]; i < offsets[u + 1]; i++) {
                const int64_t at = start[kind[i]] + cell[row[kind[i]] * PANELS + b];
                a += above[at];
                d += below[at];
            }
            const double terms[UGT_PANEL_SUMS] = {a, d, a * a, a * d, d * d};
            for (int j = 0; j < UGT_PANEL_SUMS; j++)
                expected[j * PANELS + b] += times[u] * terms[j];
            means[u] += of_above[b] * a + of_below[b] * d;
        }
    const ugt_panel_values x = {cell, row, start, above, below, offsets, kind, times, UNITS, PANELS};
    for (int j = 0; j < UGT_PANEL_SUMS * PANELS; j++)
        out[j] = -9.0;
    CHECK(ugt_panel_sums(&x, 3, 20, out) == UGT_OK);
    for (int j = 0; j < UGT_PANEL_SUMS; j++)
        CHECK(out[j * PANELS + 2] == -9.0 && out[j * PANELS + 20] == -9.0); /* others are left alone */
    CHECK(ugt_panel_sums(&x, 0, 3, out) == UGT_OK && ugt_panel_sums(&x, 20, PANELS, out) == UGT_OK);
    CHECK_ALL_CLOSE(out, expected, UGT_PANEL_SUMS * PANELS, 1e-14, 1e-15);
    CHECK(ugt_panel_means(&x, of_above, of_below, 0, 3, mean) == UGT_OK);
    CHECK(ugt_panel_means(&x, of_above, of_below, 3, UNITS, mean + 3) == UGT_OK);
    CHECK_ALL_CLOSE(mean, means, UNITS, 1e-13, 1e-14);
    CHECK(mean[1] == 0.0); /* no cases */
}

/* ---- areas ---- */

enum { CASES = 9 };

static const int64_t AREA_SIZE[ROWS] = {2, 4, 5}, AREA_START[ROWS] = {0, 2, 6}, ROW[CASES] = {0, 1, 2, 2, 1, 0, 1, 2, 2};
static const int64_t UNIT[2][CASES] = {{0, 1, 2, 3, 0, 0, 3, 1, 1}, {3, 3, 1, 0, 2, 2, 0, 1, 3}};
static const uint8_t LAST[2][CASES] = {{1, 0, 1, 1, 0, 0, 1, 1, 1}, {0, 0, 1, 0, 1, 1, 1, 0, 1}}; /* ties of two and three, and none */

static double order(const uint8_t *last, int i, int j)
{
    for (int k = i < j ? i : j; k < i || k < j; k++)
        if (last[k])
            return i < j ? 1.0 : 0.0;
    return 0.5;
}

static double mass(const int32_t *cell, const double *positive, int i, int b, int negative)
{
    const double u = positive[AREA_START[ROW[i]] + cell[ROW[i] * PANELS + b]];
    return isnan(u) ? 0.0 : negative ? 1.0 - u : u;
}

static void check_areas(const int32_t *cell, const double *positive, const ugt_panel_scores *x)
{
    double out[UGT_PANEL_AREAS * PANELS], expected[UGT_PANEL_AREAS * PANELS] = {0.0};
    for (int b = 0; b < PANELS; b++)
        for (int i = 0; i < CASES; i++) {
            const double u = mass(cell, positive, i, b, 0), v = mass(cell, positive, i, b, 1);
            expected[b] += u;
            expected[PANELS + b] += v;
            expected[2 * PANELS + b] += u * v;
            for (int j = 0; j < CASES; j++)
                expected[3 * PANELS + b] += order(x->last, i, j) * u * mass(cell, positive, j, b, 1);
        }
    memset(out, 0, sizeof out);
    CHECK(ugt_panel_areas(x, 5, 22, out) == UGT_OK); /* sixteen together, and one */
    for (int j = 0; j < UGT_PANEL_AREAS; j++) {
        CHECK(out[j * PANELS + 4] == 0.0 && out[j * PANELS + 22] == 0.0);
        CHECK_ALL_CLOSE(out + j * PANELS + 5, expected + j * PANELS + 5, 17, 1e-14, 1e-15);
    }
    CHECK(ugt_panel_areas(x, 0, PANELS, out) == UGT_OK);
    CHECK_ALL_CLOSE(out, expected, UGT_PANEL_AREAS * PANELS, 1e-14, 1e-15);
}

static double influence(const ugt_panel_scores *x, const double *by, int i, int b)
{
    const double u = mass(x->cell, x->positive, i, b, 0), v = mass(x->cell, x->positive, i, b, 1);
    double above = 0.0, below = 0.0;
    for (int j = 0; j < CASES; j++) {
        above += order(x->last, j, i) * mass(x->cell, x->positive, j, b, 0);
        below += order(x->last, j, i) * mass(x->cell, x->positive, j, b, 1);
    }
    return by[3 * PANELS + b] * (u * (by[b] - below) + v * (by[PANELS + b] + above) + by[2 * PANELS + b] * u * v);
}

static void check_influences(const ugt_panel_scores *models, int n_models, const double *by, const double *p, int begin, int end)
{
    double square[PANELS] = {0.0}, mean[UNITS + 1], squares[PANELS] = {0.0}, means[UNITS] = {0.0};
    for (int b = begin; b < end; b++) {
        double psi[UNITS] = {0.0};
        for (int m = 0; m < n_models; m++)
            for (int i = 0; i < CASES; i++)
                psi[models[m].unit[i]] += influence(models + m, by + 4 * m * PANELS, i, b);
        for (int u = 0; u < UNITS; u++) {
            squares[b] += psi[u] * psi[u];
            means[u] += p[b] * psi[u];
        }
    }
    CHECK(ugt_panel_influences(models, n_models, by, p, begin, end, square, mean) == UGT_OK);
    CHECK_ALL_CLOSE(square, squares, PANELS, 1e-13, 1e-14);
    CHECK_ALL_CLOSE(mean, means, UNITS, 1e-13, 1e-14);
    CHECK(mean[UNITS] == 0.0); /* a unit without cases */
}

static void test_areas(void)
{
    int32_t cell[ROWS * PANELS];
    double positive[2][11], by[8 * PANELS], p[PANELS];
    ugt_panel_scores models[2];
    ugt_stream s;
    ugt_stream_open(&s, 3, 0, 0, 99);
    fill_cells(&s, cell, AREA_SIZE);
    for (int m = 0; m < 2; m++) {
        for (int j = 0; j < 11; j++)
            positive[m][j] = j == 3 + m || j == 8 ? (double)NAN : j < 2 ? (double)j : ugt_stream_uniform(&s);
        models[m] = (ugt_panel_scores){cell, AREA_START, positive[m], ROW, UNIT[m], LAST[m], ROWS, CASES, UNITS + 1, PANELS};
        check_areas(cell, positive[m], &models[m]);
    }
    for (int j = 0; j < 8 * PANELS; j++)
        by[j] = ugt_stream_uniform(&s) - 0.5;
    for (int b = 0; b < PANELS; b++)
        p[b] = ugt_stream_uniform(&s);
    for (int n = 1; n <= 2; n++) {
        check_influences(models, n, by, p, 0, PANELS);
        check_influences(models, n, by, p, 5, 22);
        check_influences(models, n, by, p, 36, PANELS);
    }
}

int main(void)
{
    test_cells();
    test_many_cells();
    test_sums();
    test_areas();
    return RESULT;
}
