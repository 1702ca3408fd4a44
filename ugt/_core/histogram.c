/* Sums over (label histogram, predicted probabilities) by class and bin: everything that [B] eq. 7-13 and 34, 35 need.
 *
 * Rows come in any of a few types and with any strides. They are turned into doubles a block at a time, so that the block stays
 * in the cache and the sums see one kind of number; the tables themselves are read once and never copied. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core.h"

#define ROOM 1024 /* numbers of a block and table: 8 KiB each */
#define USUAL 64  /* numbers of labels with a table */
#define MAX_COUNT 9007199254740992.0 /* whole numbers are exact up to here */

typedef struct {
    const ugt_histograms *in;
    const double *y, *z; /* [rows of the block * n_classes] */
    int check_whole;     /* whether counts may turn out not to be whole, and must */
    double per[USUAL], spread[USUAL];
    double *cell, *total;
} pass;

/* ---- from the caller's types to doubles ---- */

static int is_dense(const ugt_table *t, int64_t n_columns, int64_t size)
{
    return t->column_stride == size && t->row_stride == n_columns * size;
}

#define LOADER(name, type)                                                                                             \
    static void name(const ugt_table *t, int64_t begin, int64_t n_rows, int64_t n_columns, double *restrict out)      \
    {                                                                                                                  \
        const char *row = (const char *)t->at + begin * t->row_stride;                                                 \
        if (is_dense(t, n_columns, sizeof(type))) {                                                                    \
            const type *flat = (const type *)row;                                                                      \
            for (int64_t i = 0; i < n_rows * n_columns; i++)                                                           \
                out[i] = (double)flat[i];                                                                              \
            return;                                                                                                    \
        }                                                                                                              \
        for (int64_t i = 0; i < n_rows; i++, row += t->row_stride) {                                                   \
            const char *at = row;                                                                                      \
            for (int64_t k = 0; k < n_columns; k++, at += t->column_stride)                                            \
                *out++ = (double)*(const type *)at;                                                                    \
        }                                                                                                              \
    }

LOADER(load_float64, double)
LOADER(load_float32, float)
LOADER(load_int64, int64_t)
LOADER(load_int32, int32_t)

/* Whole numbers from 0 to 2^52 - 1 are the low bits of a double of that exponent: two instructions for two of them. Returns
 * whether all were that. */
static int load_small(const int64_t *flat, int64_t n, double *restrict out)
{
    const uint64_t exponent = 0x4330000000000000u;
    uint64_t all = 0;
    for (int64_t i = 0; i < n; i++) {
        const uint64_t bits = (uint64_t)flat[i] | exponent;
        double number;
        memcpy(&number, &bits, sizeof number);
        out[i] = number - 0x1p52;
        all |= (uint64_t)flat[i];
    }
    return all >> 52 == 0;
}

/* Rows [begin, begin + n_rows) as doubles: where they are, if they are that, or in out. */
static const double *load(const ugt_table *t, int64_t begin, int64_t n_rows, int64_t n_columns, double *out)
{
    const char *row = (const char *)t->at + begin * t->row_stride;
    switch (t->type) {
    case UGT_FLOAT64:
        if (is_dense(t, n_columns, sizeof(double)))
            return (const double *)row;
        load_float64(t, begin, n_rows, n_columns, out);
        break;
    case UGT_FLOAT32:
        load_float32(t, begin, n_rows, n_columns, out);
        break;
    case UGT_INT64:
        if (!is_dense(t, n_columns, sizeof(int64_t)) || !load_small((const int64_t *)row, n_rows * n_columns, out))
            load_int64(t, begin, n_rows, n_columns, out);
        break;
    default:
        load_int32(t, begin, n_rows, n_columns, out);
    }
    return out;
}

/* ---- what is wrong: looked for once something is known to be ---- */

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
    fault[0] = UGT_HISTOGRAM_SUM; /* what is left if no number by itself is wrong */
    fault[1] = row;
    fault[2] = 0;
    for (int64_t k = 0; k < in->n_classes; k++) {
        const int kind = fault_of(in, y[k], z[k]);
        if (kind != 0) {
            fault[0] = kind;
            fault[2] = k;
            return;
        }
    }
}

/* ---- sums ---- */

/* 1 / n and 1 / (n^2 (n - 1)) of the usual n without a division */
static void fill_table(pass *p)
{
    p->per[0] = p->spread[0] = p->spread[1] = 0.0;
    for (int n = 1; n < USUAL; n++)
        p->per[n] = 1.0 / n;
    for (int n = 2; n < USUAL; n++)
        p->spread[n] = p->per[n] * p->per[n] / (n - 1.0);
}

static inline void of_labels(const pass *p, double n, double *per, double *spread)
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

/* The bin of z: edges [n_bins+1] with -inf and inf at their ends. */
static inline int64_t bin_of(double z, const double *edges, double scale, int64_t n_bins)
{
    int64_t bin = 0;
    if (scale > 0.0) { /* the bin or, by the choice of scale, the one below it */
        bin = (int64_t)(z * scale);
        return bin + (z >= edges[bin + 1]);
    }
    for (int64_t length = n_bins; length > 1;) {
        const int64_t half = length / 2;
        bin += z >= edges[bin + half] ? half : 0;
        length -= half;
    }
    return bin;
}

/* spread: m (1 - m) / (n - 1) */
static inline void add_cell(double *restrict sum, double w, double z, double share, double spread)
{
    const double gap = share - z;
    sum[0] += w;
    sum[1] += w * z;
    sum[2] += w * share;
    sum[3] += w * (share * share);
    sum[4] += w * (gap * gap);
    sum[5] += w * spread;
}

static inline double larger(double a, double b)
{
    return a > b ? a : b;
}

static inline double smaller(double a, double b)
{
    return a < b ? a : b;
}

typedef struct {
    double n, all;          /* sums of y and z */
    double least_y, least_z;
    double y1, y2, z1, z2;  /* the two largest of each */
    double highest;         /* the largest y + z */
} row_facts;

/* Of every other class from first on: two chains of operations that a processor can work on at once. */
typedef struct {
    double sum[2], least[2], first[2], second[2];
} extremes;

static inline void look_at(extremes *e, const double *x, int j)
{
    e->sum[j] += x[j];
    e->least[j] = smaller(x[j], e->least[j]);
    e->second[j] = larger(smaller(x[j], e->first[j]), e->second[j]);
    e->first[j] = larger(x[j], e->first[j]);
}

static inline extremes extremes_of(const double *x, int64_t n)
{
    extremes e = {{0.0, 0.0}, {0.0, 0.0}, {-1.0, -1.0}, {-1.0, -1.0}};
    int64_t k = 0;
    for (; k + 1 < n; k += 2) {
        look_at(&e, x + k, 0);
        look_at(&e, x + k, 1);
    }
    if (k < n)
        look_at(&e, x + k, 0);
    e.second[0] = larger(smaller(e.first[0], e.first[1]), larger(e.second[0], e.second[1]));
    e.first[0] = larger(e.first[0], e.first[1]);
    return e;
}

static inline row_facts facts_of(const double *y, const double *z, int64_t n_classes)
{
    const extremes a = extremes_of(y, n_classes), b = extremes_of(z, n_classes);
    double high[2] = {-1.0, y[n_classes - 1] + z[n_classes - 1]};
    for (int64_t k = 0; k + 1 < n_classes; k += 2) {
        high[0] = larger(y[k] + z[k], high[0]);
        high[1] = larger(y[k + 1] + z[k + 1], high[1]);
    }
    return (row_facts){.n = a.sum[0] + a.sum[1],
                       .all = b.sum[0] + b.sum[1],
                       .least_y = smaller(a.least[0], a.least[1]),
                       .least_z = smaller(b.least[0], b.least[1]),
                       .y1 = a.first[0],
                       .y2 = a.second[0],
                       .z1 = b.first[0],
                       .z2 = b.second[0],
                       .highest = larger(high[0], high[1])};
}

/* NaN is in a sum if it is anywhere. */
static inline int is_fine(const pass *p, const double *y, const row_facts *f)
{
    const ugt_histograms *in = p->in;
    int fine = (f->n <= MAX_COUNT) & (fabs(f->all - 1.0) <= UGT_HISTOGRAM_ROW_SUM) & (f->least_y >= 0.0) &
               (f->least_z >= -in->tolerance) & (f->z1 <= 1.0 + in->tolerance);
    for (int64_t k = 0; p->check_whole && k < in->n_classes; k++)
        fine &= y[k] == floor(y[k]);
    return fine;
}

static double slow_agreement(const double *y, const double *z, const row_facts *f, int64_t n_classes)
{
    int64_t top_y = 0, top_z = 0, both = 0;
    for (int64_t k = 0; k < n_classes; k++) {
        top_y += y[k] == f->y1;
        top_z += z[k] == f->z1;
        both += (y[k] == f->y1) & (z[k] == f->z1);
    }
    return (double)both / (double)(top_y * top_z);
}

/* P(an argmax of z is an argmax of y) where either may be tied, without branches that depend on who is right. */
static inline double agreement(const pass *p, const double *y, const double *z, const row_facts *f, int64_t n_classes)
{
    if (n_classes == 2)
        return 0.5 * (1 + ((y[0] > y[1]) - (y[0] < y[1])) * ((z[0] > z[1]) - (z[0] < z[1])));
    /* Where z has one argmax, and no y or z comes close to the largest without being it, z's argmax is one of y's iff the sum
     * of both is the largest there. */
    const double close = 1e-14 * (f->y1 + 1.0);
    if ((f->z1 - f->z2 <= close) | (p->in->fractional & (f->y1 - f->y2 <= close)) | (close > 0.5))
        return slow_agreement(y, z, f, n_classes);
    const double right = (double)(f->highest >= f->y1 + f->z1);
    if (f->y2 < f->y1)
        return right;
    int64_t top_y = 0;
    for (int64_t k = 0; k < n_classes; k++)
        top_y += y[k] >= f->y1;
    return right / (double)top_y;
}

/* One row; n_classes and whether there are weights and a scale are constants where the caller's are. 0 if something is wrong. */
static inline int add_row(const pass *p, const double *y, const double *z, double w, int64_t n_classes, double scale)
{
    const int64_t n_bins = p->in->n_bins, width = n_bins * UGT_HISTOGRAM_SUMS, stride = scale > 0.0 ? 0 : n_bins + 1;
    const row_facts f = facts_of(y, z, n_classes);
    if (!is_fine(p, y, &f))
        return 0;
    if (f.n == 0.0) {
        p->total[2 * UGT_HISTOGRAM_TOTALS] += w;
        return 1;
    }
    const int several = f.n >= 2.0;
    double *cell = p->cell + several * n_classes * width, *total = p->total + several * UGT_HISTOGRAM_TOTALS;
    const double *edges = p->in->edges;
    double per, spread;
    of_labels(p, f.n, &per, &spread);
    for (int64_t k = 0; k < n_classes; k++, cell += width, edges += stride)
        add_cell(cell + bin_of(z[k], edges, scale, n_bins) * UGT_HISTOGRAM_SUMS, w, z[k], y[k] * per, y[k] * (f.n - y[k]) * spread);
    total[0] += w;
    total[1] += w * agreement(p, y, z, &f, n_classes);
    total[2] += w * f.n;
    return 1;
}

static inline int64_t add_rows(const pass *p, int64_t n_rows, int64_t n_classes, const double *weight, double scale)
{
    for (int64_t i = 0; i < n_rows; i++)
        if (!add_row(p, p->y + i * n_classes, p->z + i * n_classes, weight == NULL ? 1.0 : weight[i], n_classes, scale))
            return i;
    return -1;
}

/* The first row of a block that something is wrong with, or -1. */
static int64_t add_block(const pass *p, int64_t n_rows, const double *weight)
{
    const int64_t n_classes = p->in->n_classes;
    /* z * scale falls short of the bin's number by less than 1 and never exceeds it, however z and the edges were rounded */
    const double scale = (double)p->in->n_bins * (1.0 - 2.0 * UGT_HISTOGRAM_OUTSIDE);
    if (!p->in->uniform)
        return add_rows(p, n_rows, n_classes, weight, 0.0);
    if (weight != NULL)
        return add_rows(p, n_rows, n_classes, weight, scale);
    return n_classes == 2 ? add_rows(p, n_rows, 2, NULL, scale) : add_rows(p, n_rows, n_classes, NULL, scale);
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
        p.y = load(&in->counts, at, n, n_classes, scratch);
        p.z = load(&in->probs, at, n, n_classes, scratch + block * n_classes);
        const int64_t wrong = add_block(&p, n, in->weight == NULL ? NULL : in->weight + at);
        if (wrong >= 0)
            name_fault(in, p.y + wrong * n_classes, p.z + wrong * n_classes, at + wrong, fault);
    }
    free(scratch);
    return UGT_OK;
}
