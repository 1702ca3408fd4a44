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

/* Two classes at a time: two doubles in a register where there is SSE2 (every x86-64), else in a struct. */
#if defined(__SSE2__) || defined(_M_X64)
#include <emmintrin.h>
typedef __m128d pair;
#define PAIR(a, b) _mm_set_pd(b, a)
#define BOTH(a) _mm_set1_pd(a)
#define LOAD(at) _mm_loadu_pd(at)
#define STORE(at, a) _mm_storeu_pd(at, a)
#define ADD(a, b) _mm_add_pd(a, b)
#define SUB(a, b) _mm_sub_pd(a, b)
#define MUL(a, b) _mm_mul_pd(a, b)
#define LEAST(a, b) _mm_min_pd(a, b)
#define MOST(a, b) _mm_max_pd(a, b)
#define LOWS(a, b) _mm_unpacklo_pd(a, b)
#define HIGHS(a, b) _mm_unpackhi_pd(a, b)
#define ONES_WHERE_EQUAL(a, b) _mm_and_pd(_mm_cmpeq_pd(a, b), _mm_set1_pd(1.0))
#define LOW(a) _mm_cvtsd_f64(a)
#define HIGH(a) _mm_cvtsd_f64(_mm_unpackhi_pd(a, a))
#else
typedef struct {
    double low, high;
} pair;
#define PAIR(a, b) ((pair){a, b})
#define BOTH(a) ((pair){a, a})
#define LOAD(at) ((pair){(at)[0], (at)[1]})
#define STORE(at, a) ((at)[0] = (a).low, (at)[1] = (a).high)
#define ADD(a, b) ((pair){(a).low + (b).low, (a).high + (b).high})
#define SUB(a, b) ((pair){(a).low - (b).low, (a).high - (b).high})
#define MUL(a, b) ((pair){(a).low * (b).low, (a).high * (b).high})
#define LEAST(a, b) ((pair){smaller((a).low, (b).low), smaller((a).high, (b).high)})
#define MOST(a, b) ((pair){larger((a).low, (b).low), larger((a).high, (b).high)})
#define LOWS(a, b) ((pair){(a).low, (b).low})
#define HIGHS(a, b) ((pair){(a).high, (b).high})
#define ONES_WHERE_EQUAL(a, b) ((pair){(double)((a).low == (b).low), (double)((a).high == (b).high)})
#define LOW(a) (a).low
#define HIGH(a) (a).high
#endif

static inline double larger(double a, double b)
{
    return a > b ? a : b;
}

static inline double smaller(double a, double b)
{
    return a < b ? a : b;
}

static inline void add_to(double *at, pair a)
{
    STORE(at, ADD(LOAD(at), a));
}

/* Sums over the rows of a block: in registers, where no cell can be in their way. */
typedef struct {
    double single, single_agreed, single_labels, several, several_agreed, several_labels, empty;
} totals;

typedef struct {
    double n, all;           /* sums of y and z */
    double least_y, least_z;
    double most_y, most_z;
} row_facts;

static inline row_facts facts_of(const double *y, const double *z, int64_t n_classes)
{
    pair n = BOTH(0.0), all = n, least_y = n, least_z = n, most_y = BOTH(-1.0), most_z = most_y;
    int64_t k = 0;
    for (; k + 1 < n_classes; k += 2) {
        const pair a = LOAD(y + k), b = LOAD(z + k);
        n = ADD(n, a);
        all = ADD(all, b);
        least_y = LEAST(a, least_y);
        least_z = LEAST(b, least_z);
        most_y = MOST(a, most_y);
        most_z = MOST(b, most_z);
    }
    row_facts f = {LOW(n) + HIGH(n), LOW(all) + HIGH(all), smaller(LOW(least_y), HIGH(least_y)), smaller(LOW(least_z), HIGH(least_z)),
                   larger(LOW(most_y), HIGH(most_y)), larger(LOW(most_z), HIGH(most_z))};
    if (k < n_classes) {
        f.n += y[k];
        f.all += z[k];
        f.least_y = smaller(y[k], f.least_y);
        f.least_z = smaller(z[k], f.least_z);
        f.most_y = larger(y[k], f.most_y);
        f.most_z = larger(z[k], f.most_z);
    }
    return f;
}

/* NaN is in a sum if it is anywhere. */
static inline int is_fine(const pass *p, const double *y, const row_facts *f, int64_t n_classes)
{
    const ugt_histograms *in = p->in;
    int fine = (f->n <= MAX_COUNT) & (fabs(f->all - 1.0) <= UGT_HISTOGRAM_ROW_SUM) & (f->least_y >= 0.0) &
               (f->least_z >= -in->tolerance) & (f->most_z <= 1.0 + in->tolerance);
    for (int64_t k = 0; p->check_whole && k < n_classes; k++)
        fine &= y[k] == floor(y[k]);
    return fine;
}

/* P(an argmax of z is an argmax of y), either of which may be tied. */
static inline double agreement(const double *y, const double *z, const row_facts *f, int64_t n_classes)
{
    if (n_classes == 2)
        return 0.5 * (1 + ((y[0] > y[1]) - (y[0] < y[1])) * ((z[0] > z[1]) - (z[0] < z[1])));
    const pair most_y = BOTH(f->most_y), most_z = BOTH(f->most_z);
    pair top_y = BOTH(0.0), top_z = top_y, both = top_y;
    int64_t k = 0;
    for (; k + 1 < n_classes; k += 2) {
        const pair a = ONES_WHERE_EQUAL(LOAD(y + k), most_y), b = ONES_WHERE_EQUAL(LOAD(z + k), most_z);
        top_y = ADD(top_y, a);
        top_z = ADD(top_z, b);
        both = ADD(both, MUL(a, b));
    }
    double of_y = LOW(top_y) + HIGH(top_y), of_z = LOW(top_z) + HIGH(top_z), of_both = LOW(both) + HIGH(both);
    if (k < n_classes) {
        of_y += y[k] == f->most_y;
        of_z += z[k] == f->most_z;
        of_both += (y[k] == f->most_y) & (z[k] == f->most_z);
    }
    return of_both / (of_y * of_z);
}

/* One row; n_classes and whether there are weights and a scale are constants where the caller's are. 0 if something is wrong. */
static inline int add_row(const pass *p, const double *y, const double *z, double w, int64_t n_classes, double scale, totals *t)
{
    const int64_t n_bins = p->in->n_bins, width = n_bins * UGT_HISTOGRAM_SUMS, stride = scale > 0.0 ? 0 : n_bins + 1;
    const row_facts f = facts_of(y, z, n_classes);
    if (!is_fine(p, y, &f, n_classes))
        return 0;
    if (f.n == 0.0) {
        t->empty += w;
        return 1;
    }
    const int several = f.n >= 2.0;
    double *cell = p->cell + several * n_classes * width;
    const double *edges = p->in->edges;
    double per, spread;
    of_labels(p, f.n, &per, &spread);
    const pair weight = BOTH(w), per_label = BOTH(per), n = BOTH(f.n), of_spread = BOTH(spread * w);
    int64_t k = 0;
    for (; k + 1 < n_classes; k += 2, cell += 2 * width, edges += 2 * stride) {
        const pair counts = LOAD(y + k), probs = LOAD(z + k), share = MUL(counts, per_label), gap = SUB(share, probs);
        const pair wz = MUL(probs, weight), wm = MUL(share, weight), square = MUL(wm, share), gaps = MUL(MUL(gap, gap), weight);
        const pair apart = MUL(MUL(counts, SUB(n, counts)), of_spread);
        double *a = cell + bin_of(z[k], edges, scale, n_bins) * UGT_HISTOGRAM_SUMS;
        double *b = cell + width + bin_of(z[k + 1], edges + stride, scale, n_bins) * UGT_HISTOGRAM_SUMS;
        add_to(a, LOWS(weight, wz));
        add_to(a + 2, LOWS(wm, square));
        add_to(a + 4, LOWS(gaps, apart));
        add_to(b, HIGHS(weight, wz));
        add_to(b + 2, HIGHS(wm, square));
        add_to(b + 4, HIGHS(gaps, apart));
    }
    if (k < n_classes) {
        const double share = y[k] * per, gap = share - z[k];
        double *a = cell + bin_of(z[k], edges, scale, n_bins) * UGT_HISTOGRAM_SUMS;
        add_to(a, PAIR(w, w * z[k]));
        add_to(a + 2, PAIR(w * share, w * share * share));
        add_to(a + 4, PAIR(w * gap * gap, y[k] * (f.n - y[k]) * (spread * w)));
    }
    const double agreed = w * agreement(y, z, &f, n_classes);
    if (several) {
        t->several += w;
        t->several_agreed += agreed;
        t->several_labels += w * f.n;
    } else {
        t->single += w;
        t->single_agreed += agreed;
        t->single_labels += w * f.n;
    }
    return 1;
}

/* Rows [begin, begin + n_rows) of the block; the first that something is wrong with, or -1. */
static inline int64_t add_rows_from(const pass *p, int64_t begin, int64_t n_rows, int64_t n_classes, const double *weight, double scale)
{
    totals t = {0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0};
    for (int64_t i = begin; i < begin + n_rows; i++)
        if (!add_row(p, p->y + i * n_classes, p->z + i * n_classes, weight == NULL ? 1.0 : weight[i], n_classes, scale, &t))
            return i;
    const double sums[2 * UGT_HISTOGRAM_TOTALS + 1] = {t.single,         t.single_agreed,  t.single_labels, t.several,
                                                       t.several_agreed, t.several_labels, t.empty};
    for (int j = 0; j < 2 * UGT_HISTOGRAM_TOTALS + 1; j++)
        p->total[j] += sums[j];
    return -1;
}

static inline void add_cell(double *cell, pair first, pair second, pair third)
{
    add_to(cell, first);
    add_to(cell + 2, second);
    add_to(cell + 4, third);
}

/* Above 0, or NaN, for a row that add_row must look at: anything wrong, no label, or not between 2 and USUAL - 1 of them. */
static inline pair doubts(const pass *p, pair y0, pair y1, pair z0, pair z1, pair n)
{
    const pair tolerance = BOTH(p->in->tolerance), off = SUB(ADD(z0, z1), BOTH(1.0));
    pair doubt = ADD(SUB(MOST(off, SUB(BOTH(0.0), off)), BOTH(UGT_HISTOGRAM_ROW_SUM)), MUL(n, BOTH(0.0)));
    doubt = MOST(SUB(BOTH(0.0), LEAST(y0, y1)), doubt); /* the second of two is taken where one is NaN */
    doubt = MOST(SUB(n, BOTH(USUAL - 1.0)), doubt);
    doubt = MOST(SUB(BOTH(2.0), n), doubt);
    doubt = MOST(SUB(SUB(BOTH(0.0), tolerance), LEAST(z0, z1)), doubt);
    return MOST(SUB(SUB(MOST(z0, z1), BOTH(1.0)), tolerance), doubt);
}

/* Two classes, whole counts, equal bins, no weights: two rows at a time. */
static int64_t add_rows_of_two(const pass *p, int64_t n_rows, double scale)
{
    const int64_t n_bins = p->in->n_bins, width = n_bins * UGT_HISTOGRAM_SUMS;
    const double *edges = p->in->edges;
    double *cell = p->cell + 2 * width;
    pair rows = BOTH(0.0), agreed = rows, labels = rows;
    int64_t i = 0;
    for (; i + 1 < n_rows; i += 2) {
        const pair ya = LOAD(p->y + 2 * i), yb = LOAD(p->y + 2 * i + 2), za = LOAD(p->z + 2 * i), zb = LOAD(p->z + 2 * i + 2);
        const pair y0 = LOWS(ya, yb), y1 = HIGHS(ya, yb), z0 = LOWS(za, zb), z1 = HIGHS(za, zb), n = ADD(y0, y1);
        const pair doubt = doubts(p, y0, y1, z0, z1, n);
        if (!(LOW(doubt) <= 0.0 && HIGH(doubt) <= 0.0)) {
            const int64_t wrong = add_rows_from(p, i, 2, 2, NULL, scale);
            if (wrong >= 0)
                return wrong;
            continue;
        }
        const int a = (int)LOW(n), b = (int)HIGH(n);
        const pair per = PAIR(p->per[a], p->per[b]), m0 = MUL(y0, per), m1 = MUL(y1, per), gap0 = SUB(m0, z0), gap1 = SUB(m1, z1);
        const pair apart = MUL(MUL(y0, y1), PAIR(p->spread[a], p->spread[b])), one = BOTH(1.0);
        const pair square0 = MUL(m0, m0), square1 = MUL(m1, m1), off0 = MUL(gap0, gap0), off1 = MUL(gap1, gap1);
        double *c = cell + bin_of(LOW(z0), edges, scale, n_bins) * UGT_HISTOGRAM_SUMS;
        add_cell(c, LOWS(one, z0), LOWS(m0, square0), LOWS(off0, apart));
        c = cell + bin_of(HIGH(z0), edges, scale, n_bins) * UGT_HISTOGRAM_SUMS;
        add_cell(c, HIGHS(one, z0), HIGHS(m0, square0), HIGHS(off0, apart));
        c = cell + width + bin_of(LOW(z1), edges, scale, n_bins) * UGT_HISTOGRAM_SUMS;
        add_cell(c, LOWS(one, z1), LOWS(m1, square1), LOWS(off1, apart));
        c = cell + width + bin_of(HIGH(z1), edges, scale, n_bins) * UGT_HISTOGRAM_SUMS;
        add_cell(c, HIGHS(one, z1), HIGHS(m1, square1), HIGHS(off1, apart));
        /* the sign of the product: 1 where both lean the same way; large twice, because a difference may be 5e-324 */
        const pair lean = MUL(MUL(MUL(SUB(y0, y1), SUB(z0, z1)), BOTH(1e300)), BOTH(1e300));
        agreed = ADD(agreed, MUL(BOTH(0.5), ADD(one, MOST(LEAST(lean, one), BOTH(-1.0)))));
        rows = ADD(rows, one);
        labels = ADD(labels, n);
    }
    p->total[3] += LOW(rows) + HIGH(rows);
    p->total[4] += LOW(agreed) + HIGH(agreed);
    p->total[5] += LOW(labels) + HIGH(labels);
    return i < n_rows ? add_rows_from(p, i, n_rows - i, 2, NULL, scale) : -1;
}

/* The first row of a block that something is wrong with, or -1. */
static int64_t add_block(const pass *p, int64_t n_rows, const double *weight)
{
    const int64_t n_classes = p->in->n_classes;
    /* z * scale falls short of the bin's number by less than 1 and never exceeds it, however z and the edges were rounded */
    const double scale = (double)p->in->n_bins * (1.0 - 2.0 * UGT_HISTOGRAM_OUTSIDE);
    if (!p->in->uniform)
        return add_rows_from(p, 0, n_rows, n_classes, weight, 0.0);
    if (weight != NULL)
        return add_rows_from(p, 0, n_rows, n_classes, weight, scale);
    if (n_classes == 2)
        return p->check_whole || p->in->fractional ? add_rows_from(p, 0, n_rows, 2, NULL, scale) : add_rows_of_two(p, n_rows, scale);
    return add_rows_from(p, 0, n_rows, n_classes, NULL, scale);
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
