/* Sums over (label histogram, predicted probabilities) by class and bin: everything that [B] eq. 7-13 and 34, 35 need.
 *
 * Rows come in any of a few types and with any strides. They are turned into doubles block by block, so that a block stays in
 * the cache and the sums need code for doubles only. The tables themselves are read once and never copied. Classes are summed
 * in pairs; rows of two classes have functions of their own. */
#include <math.h>
#include <stdlib.h>

#include "core.h"
#include "pair.h"

#define ROOM 1024 /* numbers in a block of each table: 8 KiB as doubles */
#define USUAL 64  /* labels: rows with fewer take 1 / n from a table */
#define MAX_COUNT 9007199254740992.0 /* 2^53: up to here doubles hold every whole number */
#define LEAST_LABELS 1e-300          /* least sum of a row with labels: 1 / n of smaller sums overflows */

typedef struct {
    const ugt_histograms *in;
    const double *y, *z; /* [rows of the block * n_classes] */
    int check_whole;     /* whether counts must be whole and their type allows fractions */
    double per[USUAL], spread[USUAL];
    double *cell, *total;
} pass;

/* ---- from the caller's types to doubles ---- */

static int is_dense(const ugt_table *t, int64_t n_columns, int64_t size)
{
    return t->column_stride == size && t->row_stride == n_columns * size;
}

#define LOADER(name, type, into)                                                                                       \
    static void name(const ugt_table *t, int64_t begin, int64_t n_rows, int64_t n_columns, into *restrict out)        \
    {                                                                                                                  \
        const char *row = (const char *)t->at + begin * t->row_stride;                                                 \
        if (is_dense(t, n_columns, sizeof(type))) {                                                                    \
            const type *flat = (const type *)(const void *)row;                                                        \
            for (int64_t i = 0; i < n_rows * n_columns; i++)                                                           \
                out[i] = (into)flat[i];                                                                                \
            return;                                                                                                    \
        }                                                                                                              \
        for (int64_t i = 0; i < n_rows; i++, row += t->row_stride) {                                                   \
            const char *at = row;                                                                                      \
            for (int64_t k = 0; k < n_columns; k++, at += t->column_stride)                                            \
                *out++ = (into) * (const type *)(const void *)at;                                                      \
        }                                                                                                              \
    }

LOADER(load_float64, double, double)
LOADER(load_float32, float, double)
LOADER(load_int64, int64_t, double)
LOADER(load_int32, int32_t, double)
LOADER(load_whole64, int64_t, int64_t)
LOADER(load_whole32, int32_t, int64_t)

/* Returns whether all numbers were from 0 to 2^52 - 1; if not, out is meaningless. */
static int load_small(const int64_t *flat, int64_t n, double *restrict out)
{
    pair_bits bits = pair_no_bits();
    for (int64_t i = 0; i + 1 < n; i += 2)
        pair_put(out + i, pair_of_whole(flat + i, &bits));
    if (n % 2)
        out[n - 1] = (double)flat[n - 1];
    return pair_are_small(bits);
}

/* Returns rows [begin, begin + n_rows) as doubles: in place if they are dense doubles already, otherwise copied to out. */
static const double *load(const ugt_table *t, int64_t begin, int64_t n_rows, int64_t n_columns, double *out)
{
    const void *row = (const char *)t->at + begin * t->row_stride;
    switch (t->type) {
    case UGT_FLOAT64:
        if (is_dense(t, n_columns, sizeof(double)))
            return row;
        load_float64(t, begin, n_rows, n_columns, out);
        break;
    case UGT_FLOAT32:
        load_float32(t, begin, n_rows, n_columns, out);
        break;
    case UGT_INT64:
        if (!is_dense(t, n_columns, sizeof(int64_t)) || !load_small(row, n_rows * n_columns, out))
            load_int64(t, begin, n_rows, n_columns, out);
        break;
    default:
        load_int32(t, begin, n_rows, n_columns, out);
    }
    return out;
}

/* Returns y if it is a whole number from 0 to USUAL - 1, otherwise -1. */
static int64_t usual_of(double y)
{
    const int32_t whole = y >= 0.0 && y < USUAL ? (int32_t)y : -1;
    return (double)whole == y ? whole : -1;
}

/* Returns rows of two classes as whole numbers, with -1 for doubles that usual_of rejects; y [n_rows * 2] is room for doubles. */
static const int64_t *load_whole(const ugt_table *t, int64_t begin, int64_t n_rows, double *y, int64_t *out)
{
    if (t->type == UGT_FLOAT64) {
        const double *at = load(t, begin, n_rows, 2, y);
        for (int64_t i = 0; i < 2 * n_rows; i++)
            out[i] = usual_of(at[i]);
        return out;
    }
    if (t->type == UGT_INT64 && is_dense(t, 2, sizeof(int64_t)))
        return (const void *)((const char *)t->at + begin * t->row_stride);
    (t->type == UGT_INT64 ? load_whole64 : load_whole32)(t, begin, n_rows, 2, out);
    return out;
}

/* ---- faults: searched for only after a sum has shown that there is one ---- */

static int fault_of(const ugt_histograms *in, double y, double z)
{
    if (!(y >= 0.0 && y <= MAX_COUNT))
        return y < 0.0 ? UGT_HISTOGRAM_NEGATIVE : UGT_HISTOGRAM_NOT_FINITE;
    if (!in->fractional && y != floor(y))
        return UGT_HISTOGRAM_FRACTION;
    return z >= -in->tolerance && z <= 1.0 + in->tolerance ? 0 : UGT_HISTOGRAM_PROBABILITY;
}

static void name_fault(const ugt_histograms *in, const double *y, const double *z, int64_t row, int64_t *fault)
{
    double n = 0.0;
    fault[1] = row;
    for (int64_t k = 0; k < in->n_classes; k++, n += y[k - 1]) {
        const int kind = fault_of(in, y[k], z[k]);
        if (kind != 0) {
            fault[0] = kind;
            fault[2] = k;
            return;
        }
    }
    /* no single number is wrong, so the sum of the counts or of the probabilities is */
    fault[0] = n == 0.0 || (n >= LEAST_LABELS && n <= MAX_COUNT) ? UGT_HISTOGRAM_SUM : UGT_HISTOGRAM_TOTAL;
    fault[2] = 0;
}

/* ---- sums ---- */

/* Tabulates 1 / n and 1 / (n^2 (n - 1)) for n below USUAL, so that most rows need no division. */
static void fill_table(pass *p)
{
    p->per[0] = p->spread[0] = p->spread[1] = 0.0;
    for (int n = 1; n < USUAL; n++)
        p->per[n] = 1.0 / n;
    for (int n = 2; n < USUAL; n++)
        p->spread[n] = p->per[n] * p->per[n] / (n - 1.0);
}

INLINE void of_labels(const pass *p, double n, double *per, double *spread)
{
    const int whole = n < USUAL ? (int)n : 0;
    if ((double)whole == n) {
        *per = p->per[whole];
        *spread = p->spread[whole];
        return;
    }
    *per = 1.0 / n;
    *spread = n >= 2.0 ? *per * *per / (n - 1.0) : 0.0;
}

/* A copy of the values that the inner loops read: the compiler sees that writing a sum cannot change them. */
typedef struct {
    const double *edges;
    double *cell;
    int64_t n_classes, n_bins, width, stride; /* width, stride: of a class in cells and edges */
    int uniform;
    double scale, tolerance;
} layout;

INLINE layout layout_of(const pass *p, int uniform)
{
    const ugt_histograms *in = p->in;
    return (layout){.edges = in->edges,
                    .cell = p->cell,
                    .n_classes = in->n_classes,
                    .n_bins = in->n_bins,
                    .width = in->n_bins * UGT_HISTOGRAM_SUMS,
                    .stride = uniform ? 0 : in->n_bins + 1,
                    .uniform = uniform,
                    .scale = (double)in->n_bins * (1.0 - 2.0 * UGT_HISTOGRAM_OUTSIDE),
                    .tolerance = in->tolerance};
}

/* Returns the bin of z; edges [n_bins+1] begin with -inf and end with inf. */
INLINE int64_t bin_of(double z, const layout *t, const double *edges)
{
    int64_t bin = 0;
    if (t->uniform) { /* the whole part of z * scale is the bin or the one below, however z and the edges are rounded */
        bin = (int64_t)(z * t->scale);
        return bin + (z >= edges[bin + 1]);
    }
    for (int64_t length = t->n_bins; length > 1;) {
        const int64_t half = length / 2;
        bin += z >= edges[bin + half] ? half : 0;
        length -= half;
    }
    return bin;
}

INLINE void add_cell(double *sum, pair first, pair second, pair third)
{
    pair_put(sum, pair_add(pair_at(sum), first));
    pair_put(sum + 2, pair_add(pair_at(sum + 2), second));
    pair_put(sum + 4, pair_add(pair_at(sum + 4), third));
}

/* Adds two classes with probabilities z and shares m to their cells, or only the first; spread is m (1 - m) / (n - 1). */
INLINE void add_classes(const layout *t, double *cell, const double *edges, pair z, pair m, pair spread, int both)
{
    const pair one = pair_both(1.0), gap = pair_sub(m, z), squared = pair_mul(gap, gap), mm = pair_mul(m, m);
    double *at = cell + bin_of(pair_low(z), t, edges) * UGT_HISTOGRAM_SUMS;
    add_cell(at, pair_lows(one, z), pair_lows(m, mm), pair_lows(squared, spread));
    if (!both)
        return;
    at = cell + t->width + bin_of(pair_high(z), t, edges + t->stride) * UGT_HISTOGRAM_SUMS;
    add_cell(at, pair_highs(one, z), pair_highs(m, mm), pair_highs(squared, spread));
}

/* Adds a row with n labels to its cells. */
INLINE void add_shares(const pass *p, const layout *t, const double *y, const double *z, double n)
{
    const int64_t last = t->n_classes - 1;
    double *cell = t->cell + (n >= 2.0) * t->n_classes * t->width, per, spread;
    const double *edges = t->edges;
    of_labels(p, n, &per, &spread);
    const pair ns = pair_both(n), pers = pair_both(per), spreads = pair_both(spread);
    for (int64_t k = 0; k < last; k += 2, cell += 2 * t->width, edges += 2 * t->stride) {
        const pair a = pair_at(y + k);
        add_classes(t, cell, edges, pair_at(z + k), pair_mul(a, pers), pair_mul(pair_mul(a, pair_sub(ns, a)), spreads), 1);
    }
    if (t->n_classes % 2) {
        const pair a = pair_both(y[last]);
        add_classes(t, cell, edges, pair_both(z[last]), pair_mul(a, pers), pair_mul(pair_mul(a, pair_sub(ns, a)), spreads), 0);
    }
}

/* Facts of a row; each pair has one value over the even classes and one over the odd classes. */
typedef struct {
    pair n, all;           /* sums of y and z */
    pair least_y, least_z; /* smallest values, or 0 if none is negative */
    pair top_y, top_z;
} row_facts;

INLINE void look_at(row_facts *f, pair y, pair z)
{
    f->n = pair_add(f->n, y);
    f->all = pair_add(f->all, z);
    f->least_y = pair_min(y, f->least_y);
    f->least_z = pair_min(z, f->least_z);
    f->top_y = pair_max(y, f->top_y);
    f->top_z = pair_max(z, f->top_z);
}

INLINE row_facts facts_of(const double *y, const double *z, int64_t n_classes)
{
    const pair zero = pair_both(0.0);
    row_facts f = {zero, zero, zero, zero, zero, zero};
    for (int64_t k = 0; k + 1 < n_classes; k += 2)
        look_at(&f, pair_at(y + k), pair_at(z + k));
    if (n_classes % 2)
        look_at(&f, pair_of(y[n_classes - 1], 0.0), pair_of(z[n_classes - 1], 0.0));
    return f;
}

/* Returns whether a row has no fault. Least and top values may miss a NaN, but it makes a sum NaN, which fails the comparisons. */
INLINE int is_fine(const row_facts *f, double tolerance)
{
    const double n = pair_sum(f->n), off = fabs(pair_sum(f->all) - 1.0);
    const double least_y = pair_smaller(f->least_y), least_z = pair_smaller(f->least_z), top_z = pair_larger(f->top_z);
    return (n <= MAX_COUNT) & ((n >= LEAST_LABELS) | (n == 0.0)) & (off <= UGT_HISTOGRAM_ROW_SUM) & (least_y >= 0.0) &
           (least_z >= -tolerance) & (top_z <= 1.0 + tolerance);
}

/* Returns whether numbers from 0 to MAX_COUNT are whole; larger ones do not fit an int64_t. */
static int are_whole(const double *y, int64_t n_classes)
{
    int whole = 1;
    for (int64_t k = 0; k < n_classes; k++)
        whole &= y[k] == (double)(int64_t)y[k];
    return whole;
}

INLINE void count_tops(pair count[3], pair y, pair z, pair top_y, pair top_z)
{
    const pair most = pair_equal(y, top_y), likeliest = pair_equal(z, top_z);
    count[0] = pair_add(count[0], most);
    count[1] = pair_add(count[1], likeliest);
    count[2] = pair_add(count[2], pair_mul(most, likeliest));
}

/* Returns P(an argmax of z is an argmax of y); of several tied classes, one is drawn at random. */
INLINE double agreement(const double *y, const double *z, const row_facts *f, int64_t n_classes)
{
    const pair zero = pair_both(0.0), top_y = pair_both(pair_larger(f->top_y)), top_z = pair_both(pair_larger(f->top_z));
    pair count[3] = {zero, zero, zero};
    for (int64_t k = 0; k + 1 < n_classes; k += 2)
        count_tops(count, pair_at(y + k), pair_at(z + k), top_y, top_z);
    if (n_classes % 2) /* -1 never equals a top, because no top is below 0 */
        count_tops(count, pair_of(y[n_classes - 1], -1.0), pair_of(z[n_classes - 1], -1.0), top_y, top_z);
    return pair_sum(count[2]) / (pair_sum(count[0]) * pair_sum(count[1]));
}

/* Adds a row with n labels to cells and totals. */
INLINE void add_row(const pass *p, const layout *t, const double *y, const double *z, double n, double right)
{
    if (n == 0.0) {
        p->total[2 * UGT_HISTOGRAM_TOTALS] += 1.0;
        return;
    }
    double *total = p->total + (n >= 2.0) * UGT_HISTOGRAM_TOTALS;
    add_shares(p, t, y, z, n);
    total[0] += 1.0;
    total[1] += right;
    total[2] += n;
}

/* Computes the number n of labels of a row and P(an argmax of z is an argmax of y). Returns 0 if the row has a fault. */
INLINE int look_at_row(const pass *p, const layout *t, const double *y, const double *z, double *n, double *right)
{
    const row_facts f = facts_of(y, z, t->n_classes);
    if (!is_fine(&f, t->tolerance) || (p->check_whole && !are_whole(y, t->n_classes)))
        return 0;
    *n = pair_sum(f.n);
    *right = *n > 0.0 ? agreement(y, z, &f, t->n_classes) : 0.0;
    return 1;
}

/* Adds rows [begin, end) of a block; returns the first row with a fault, or -1. Callers give `uniform` as a constant, for speed. */
INLINE int64_t add_rows(const pass *p, int64_t begin, int64_t end, int uniform)
{
    const layout t = layout_of(p, uniform);
    const double *y = p->y + begin * t.n_classes, *z = p->z + begin * t.n_classes;
    double n, right;
    for (int64_t i = begin; i < end; i++, y += t.n_classes, z += t.n_classes) {
        if (!look_at_row(p, &t, y, z, &n, &right))
            return i;
        add_row(p, &t, y, z, n, right);
    }
    return -1;
}

/* ---- two classes, bins of equal width: rows of few labels checked first, two at a time, then summed ---- */

/* Facts of many rows: least_z and top_z in pairs of classes, the others in pairs of rows. `all` is the sum of z in a row. */
typedef struct {
    pair least_z, top_z, least_all, top_all, least_n, top_n, sum_all;
    pair n, right; /* totals; right: +1 for each row if its argmaxes are equal, -1 if they differ, 0 if one is tied */
} two_facts;

/* Returns 1 if all rows are fine and have 2 to USUAL - 1 labels, 0 if all are fine and have 1, otherwise -1. sum_all shows a NaN. */
static int kind_of(const two_facts *f, pair_bits bits, double tolerance)
{
    const double least = pair_smaller(f->least_n), top = pair_larger(f->top_n);
    const int fine = pair_are_small(bits) & (pair_smaller(f->least_z) >= -tolerance) & (pair_larger(f->top_z) <= 1.0 + tolerance) &
                     (pair_smaller(f->least_all) - 1.0 >= -UGT_HISTOGRAM_ROW_SUM) &
                     (pair_larger(f->top_all) - 1.0 <= UGT_HISTOGRAM_ROW_SUM) & (pair_sum(f->sum_all) >= 0.0);
    return fine && least >= 1.0 && top < USUAL && (least >= 2.0 || top < 2.0) ? least >= 2.0 : -1;
}

/* Fills y (counts as doubles) and n (labels) of an even number of rows, adds their totals, and returns their kind (see kind_of). */
static int look_at_two(const pass *p, const int64_t *counts, int64_t n_rows, double *y, int32_t *n)
{
    const pair zero = pair_both(0.0), one = pair_both(1.0);
    two_facts f = {zero, zero, one, one, pair_both(USUAL), zero, zero, zero, zero};
    pair_bits bits = pair_no_bits();
    for (int64_t i = 0; i < n_rows; i += 2) {
        const pair a = pair_of_whole(counts + 2 * i, &bits), b = pair_of_whole(counts + 2 * i + 2, &bits);
        const pair c = pair_at(p->z + 2 * i), d = pair_at(p->z + 2 * i + 2);
        const pair y0 = pair_lows(a, b), y1 = pair_highs(a, b), z0 = pair_lows(c, d), z1 = pair_highs(c, d);
        const pair labels = pair_add(y0, y1), all = pair_add(z0, z1);
        /* whole numbers that differ do so by at least 1, so that the product is 0 only if a difference is 0 */
        const pair side = pair_mul(pair_sub(y0, y1), pair_sub(z0, z1));
        pair_put(y + 2 * i, a);
        pair_put(y + 2 * i + 2, b);
        pair_put_int32(n + i, labels);
        f.least_z = pair_min(c, pair_min(d, f.least_z));
        f.top_z = pair_max(c, pair_max(d, f.top_z));
        f.least_all = pair_min(all, f.least_all);
        f.top_all = pair_max(all, f.top_all);
        f.least_n = pair_min(labels, f.least_n);
        f.top_n = pair_max(labels, f.top_n);
        f.sum_all = pair_add(f.sum_all, all);
        f.n = pair_add(f.n, labels);
        f.right = pair_add(f.right, pair_sub(pair_less(zero, side), pair_less(side, zero)));
    }
    const int kind = kind_of(&f, bits, p->in->tolerance);
    if (kind >= 0) {
        double *total = p->total + kind * UGT_HISTOGRAM_TOTALS;
        total[0] += (double)n_rows;
        total[1] += 0.5 * ((double)n_rows + pair_sum(f.right));
        total[2] += pair_sum(f.n);
    }
    return kind;
}

/* Adds rows [at, at + n_rows) and returns as add_rows does; y [n_rows * 2] is room for doubles. */
static int64_t add_two(pass *p, int64_t at, int64_t n_rows, double *y)
{
    int64_t room[ROOM];
    int32_t n[ROOM];
    const int64_t *counts = load_whole(&p->in->counts, at, n_rows, y, room), even = n_rows / 2 * 2;
    const layout t = layout_of(p, 1);
    const int kind = look_at_two(p, counts, even, y, n);
    double *cell = t.cell + 2 * t.width * kind;
    for (int64_t i = 0; kind >= 0 && i < even; i++) {
        const pair a = pair_at(y + 2 * i), per = pair_both(p->per[n[i]]), spread = pair_both(p->spread[n[i]]);
        const pair inner = pair_mul(pair_mul(a, pair_swap(a)), spread);
        add_classes(&t, cell, t.edges, pair_at(p->z + 2 * i), pair_mul(a, per), inner, 1);
    }
    if (kind >= 0 && even == n_rows)
        return -1;
    p->y = load(&p->in->counts, at, n_rows, 2, y);
    return add_rows(p, kind >= 0 ? even : 0, n_rows, 1);
}

int ugt_histogram_sums(const ugt_histograms *in, int64_t begin, int64_t end, double *cell, double *total, int64_t *fault)
{
    const int64_t n_classes = in->n_classes, block = n_classes < ROOM ? ROOM / n_classes : 1;
    double *scratch = malloc((size_t)(2 * block * n_classes) * sizeof *scratch);
    pass p = {.in = in, .cell = cell, .total = total};
    fault[0] = fault[1] = fault[2] = 0;
    if (scratch == NULL)
        return UGT_ERR_MEMORY;
    p.check_whole = !in->fractional && in->counts.type == UGT_FLOAT64;
    fill_table(&p);
    for (int64_t at = begin; at < end && fault[0] == 0; at += block) {
        const int64_t n = end - at < block ? end - at : block;
        int64_t wrong;
        p.z = load(&in->probs, at, n, n_classes, scratch + block * n_classes);
        if (n_classes == 2 && in->uniform) {
            wrong = add_two(&p, at, n, scratch);
        } else {
            p.y = load(&in->counts, at, n, n_classes, scratch);
            wrong = in->uniform ? add_rows(&p, 0, n, 1) : add_rows(&p, 0, n, 0);
        }
        if (wrong >= 0)
            name_fault(in, p.y + wrong * n_classes, p.z + wrong * n_classes, at + wrong, fault);
    }
    free(scratch);
    return UGT_OK;
}

/* ---- rows in the form that resamples need ---- */

/* Writes row i, which has n labels: shares m, probabilities z, cells, facts. */
static void put_row(const layout *t, const double *y, const double *z, double n, double right, ugt_histogram_rows *out, int64_t i)
{
    double *share = out->share + i * t->n_classes, *prob = out->prob + i * t->n_classes, *fact = out->fact + i * UGT_HISTOGRAM_FACTS;
    int32_t *cell = out->cell + i * t->n_classes;
    const int32_t first = n >= 2.0 ? (int32_t)(t->n_classes * t->n_bins) : 0;
    for (int64_t k = 0; k < t->n_classes; k++) {
        share[k] = n > 0.0 ? y[k] / n : 0.0;
        prob[k] = z[k];
        cell[k] = n > 0.0 ? first + (int32_t)(k * t->n_bins + bin_of(z[k], t, t->edges + k * t->stride)) : -1;
    }
    fact[0] = n;
    fact[1] = right;
    fact[2] = n >= 2.0 ? 1.0 / (n - 1.0) : 0.0;
}

int ugt_histogram_read(const ugt_histograms *in, int64_t begin, int64_t end, ugt_histogram_rows *out, int64_t *fault)
{
    const int64_t n_classes = in->n_classes, block = n_classes < ROOM ? ROOM / n_classes : 1;
    double *scratch = malloc((size_t)(2 * block * n_classes) * sizeof *scratch), n, right;
    pass p = {.in = in, .check_whole = !in->fractional && in->counts.type == UGT_FLOAT64};
    const layout t = layout_of(&p, in->uniform);
    fault[0] = fault[1] = fault[2] = 0;
    if (scratch == NULL)
        return UGT_ERR_MEMORY;
    for (int64_t at = begin; at < end && fault[0] == 0; at += block) {
        const int64_t n_rows = end - at < block ? end - at : block;
        const double *y = load(&in->counts, at, n_rows, n_classes, scratch);
        const double *z = load(&in->probs, at, n_rows, n_classes, scratch + block * n_classes);
        for (int64_t i = 0; i < n_rows && fault[0] == 0; i++, y += n_classes, z += n_classes)
            if (look_at_row(&p, &t, y, z, &n, &right))
                put_row(&t, y, z, n, right, out, at + i);
            else
                name_fault(in, y, z, at + i, fault);
    }
    free(scratch);
    return UGT_OK;
}

/* ---- whether two labels of a case differ ---- */

/* Computes the observed values of a row with n labels: the share of pairs of labels that differ, then, for each class k, the share
 * of pairs in which exactly one label is k. All are NaN for fewer than two labels. */
static void observe(const double *y, int64_t n_classes, double n, int64_t n_columns, double *out)
{
    const double pairs = n >= 2.0 ? n * (n - 1.0) : NAN;
    double same = 0.0;
    for (int64_t k = 0; k < n_classes; k++)
        same += y[k] * (y[k] - 1.0);
    out[0] = 1.0 - same / pairs;
    for (int64_t k = 1; k < n_columns; k++)
        out[k] = 2.0 * y[k - 1] * (n - y[k - 1]) / pairs;
}

/* Returns the number of labels in a row of counts; if a count is wrong, fills fault and returns -1. */
static double labels_of(const double *y, int64_t n_classes, int64_t row, int64_t *fault)
{
    double n = 0.0;
    for (int64_t k = 0; k < n_classes; k++, n += y[k - 1])
        if (!(y[k] >= 0.0 && y[k] <= MAX_COUNT) || y[k] != floor(y[k])) {
            fault[0] = y[k] < 0.0 ? UGT_HISTOGRAM_NEGATIVE : y[k] <= MAX_COUNT ? UGT_HISTOGRAM_FRACTION : UGT_HISTOGRAM_NOT_FINITE;
            fault[1] = row;
            fault[2] = k;
            return -1.0;
        }
    return n;
}

/* Adds row i, whose observed values are known, to its cells. Returns 0 if a prediction is not a probability. */
static int place(const layout *t, ugt_histogram_rows *out, int64_t i, int64_t *fault)
{
    const double *m = out->share + i * t->n_classes, *z = out->prob + i * t->n_classes;
    for (int64_t k = 0; k < t->n_classes; k++) {
        if (!(z[k] >= -t->tolerance && z[k] <= 1.0 + t->tolerance)) {
            fault[0] = UGT_HISTOGRAM_PROBABILITY;
            fault[1] = i;
            fault[2] = k;
            return 0;
        }
        out->cell[i * t->n_classes + k] = -1;
        if (isnan(m[0]))
            continue;
        const int64_t cell = k * t->n_bins + bin_of(z[k], t, t->edges + k * t->stride);
        const double gap = m[k] - z[k];
        out->cell[i * t->n_classes + k] = (int32_t)cell;
        add_cell(t->cell + cell * UGT_HISTOGRAM_SUMS, pair_of(1.0, z[k]), pair_of(m[k], m[k] * m[k]), pair_of(gap * gap, 0.0));
    }
    return 1;
}

int ugt_disagreement_sums(const ugt_histograms *in, int64_t n_classes, int known, ugt_histogram_rows *out, double *sum, int64_t *fault)
{
    const int64_t block = n_classes < ROOM ? ROOM / n_classes : 1;
    double *scratch = malloc((size_t)(block * n_classes) * sizeof *scratch);
    const pass p = {.in = in, .cell = sum};
    const layout t = layout_of(&p, in->uniform);
    fault[0] = fault[1] = fault[2] = 0;
    if (scratch == NULL)
        return UGT_ERR_MEMORY;
    for (int64_t at = 0; at < out->n_rows; at += block) {
        const int64_t n_rows = out->n_rows - at < block ? out->n_rows - at : block;
        const double *y = load(&in->counts, at, n_rows, n_classes, scratch);
        for (int64_t i = at; i < at + n_rows; i++, y += n_classes) {
            const double n = labels_of(y, n_classes, i, fault);
            if (n >= 0.0 && !known)
                observe(y, n_classes, n, t.n_classes, out->share + i * t.n_classes);
            if (n < 0.0 || !place(&t, out, i, fault))
                goto out;
        }
    }
out:
    free(scratch);
    return UGT_OK;
}
