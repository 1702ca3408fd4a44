#include "ugt.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Equal sums must become equal doubles. A weight is 1/d, d = i |b_i|. With D the least common multiple of a case's d, every sum is a
 * whole number of 1/D. While the total stays below 2^53, sum/total is one correctly rounded division of whole numbers. If D or the
 * total is larger (rankings some 35 blocks deep), sums are held as unevaluated pairs of doubles ("double-double", Dekker 1971, Numerische
 * Mathematik 18; relative error about n 2^-104 for n summands). The rounded quotient then differs from the rounded exact one only
 * if the exact one lies that close to the middle of two doubles, which has a probability of about n 2^-51. */

#define EXACT_LIMIT (UINT64_C(1) << 53)

typedef struct {
    double high, low;
} pair;

/* Returns a + b for a, b >= 0: Knuth's two-sum of the high parts, to which the low parts are added. */
static pair add(pair a, pair b)
{
    const double s = a.high + b.high, t = s - a.high;
    const double low = (a.high - (s - t)) + (b.high - t) + (a.low + b.low);
    const double high = s + low;
    return (pair){high, low - (high - s)};
}

static pair inverse(double d)
{
    const double q = 1 / d;
    return (pair){q, fma(-q, d, 1) / d};
}

static double quotient(pair a, pair b)
{
    const double q = a.high / b.high;
    return q + (fma(-q, b.high, a.high) + (a.low - q * b.low)) / b.high;
}

/* ---- sparse sums over classes -------------------------------------------------------------------- */

typedef struct {
    uint64_t whole; /* in units of 1/D */
    pair sum;       /* used if D or the total reaches 2^53 */
    int touched;
} cell;

/* One cell per class, all zero between cases. The classes of the current case are listed, so that its cost grows with its annotations. */
typedef struct {
    cell *cells;
    int32_t *classes;
    int64_t n_classes, n_touched;
} sums;

static int open_sums(sums *s, int64_t n_classes)
{
    s->n_classes = n_classes;
    s->n_touched = 0;
    s->cells = calloc((size_t)n_classes + 1, sizeof(cell)); /* + 1, because calloc(0) may return NULL */
    s->classes = malloc(((size_t)n_classes + 1) * sizeof(int32_t));
    return s->cells == NULL || s->classes == NULL ? UGT_ERR_MEMORY : UGT_OK;
}

static void close_sums(sums *s)
{
    free(s->cells);
    free(s->classes);
}

/* Returns the cell of class k, which it lists if it is new; NULL if k is not a class. */
static cell *touch(sums *s, int32_t k)
{
    if (k < 0 || k >= s->n_classes)
        return NULL;
    cell *c = &s->cells[k];
    if (!c->touched) {
        c->touched = 1;
        s->classes[s->n_touched++] = k;
    }
    return c;
}

static void reset(sums *s)
{
    for (int64_t j = 0; j < s->n_touched; j++)
        s->cells[s->classes[j]] = (cell){0};
    s->n_touched = 0;
}

static int compare_classes(const void *a, const void *b)
{
    const int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;
    return (x > y) - (x < y);
}

/* Sorts up to 32 classes by insertion, which is faster than the calls of qsort; nearly all cases have fewer. */
static void sort_classes(int32_t *classes, int64_t n)
{
    if (n > 32) {
        qsort(classes, (size_t)n, sizeof *classes, compare_classes);
        return;
    }
    for (int64_t j = 1; j < n; j++) {
        const int32_t k = classes[j];
        int64_t at = j;
        for (; at > 0 && classes[at - 1] > k; at--)
            classes[at] = classes[at - 1];
        classes[at] = k;
    }
}

static int check_offsets(const int64_t *offsets, int64_t n_rows, int64_t n_values)
{
    if (n_rows < 0 || offsets[0] != 0 || offsets[n_rows] != n_values)
        return UGT_ERR_RANGE;
    for (int64_t i = 0; i < n_rows; i++)
        if (offsets[i] > offsets[i + 1])
            return UGT_ERR_RANGE;
    return UGT_OK;
}

/* ---- inverse rank normalisation ------------------------------------------------------------------ */

static uint64_t greatest_common_divisor(uint64_t a, uint64_t b)
{
    while (b != 0) {
        const uint64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

/* Returns the end of the blocks of ranking r that count, which are the first `depth`. */
static int64_t last_block(const ugt_rankings *x, int64_t r, int64_t depth)
{
    const int64_t from = x->ranking_offsets[r], n = x->ranking_offsets[r + 1] - from;
    return from + (n < depth ? n : depth);
}

/* Returns d of a block; each of its classes has the weight 1/d. */
static uint64_t divisor(const ugt_rankings *x, int64_t r, int64_t b, int full)
{
    const uint64_t position = (uint64_t)(b - x->ranking_offsets[r] + 1);
    return full ? position : position * (uint64_t)(x->block_offsets[b + 1] - x->block_offsets[b]);
}

/* Returns the least common multiple D of the divisors of a case; *total is D times the sum of all weights. 0 if one reaches 2^53. */
static uint64_t common_denominator(const ugt_rankings *x, int64_t i, int full, int64_t depth, uint64_t *total)
{
    uint64_t common = 1;
    for (int64_t r = x->case_offsets[i]; r < x->case_offsets[i + 1]; r++)
        for (int64_t b = x->ranking_offsets[r]; b < last_block(x, r, depth); b++) {
            const uint64_t d = divisor(x, r, b, full), factor = d / greatest_common_divisor(d, common);
            if (factor >= EXACT_LIMIT / common)
                return 0;
            common *= factor;
        }
    *total = 0;
    for (int64_t r = x->case_offsets[i]; r < x->case_offsets[i + 1]; r++)
        for (int64_t b = x->ranking_offsets[r]; b < last_block(x, r, depth); b++) {
            const uint64_t size = (uint64_t)(x->block_offsets[b + 1] - x->block_offsets[b]), weight = common / divisor(x, r, b, full);
            if (size >= (EXACT_LIMIT - *total) / weight)
                return 0;
            *total += size * weight;
        }
    return common;
}

static int add_weights(const ugt_rankings *x, int64_t i, int full, int64_t depth, uint64_t common, sums *s)
{
    for (int64_t r = x->case_offsets[i]; r < x->case_offsets[i + 1]; r++)
        for (int64_t b = x->ranking_offsets[r]; b < last_block(x, r, depth); b++) {
            const uint64_t d = divisor(x, r, b, full), whole = common / d;
            const pair part = common > 0 ? (pair){0, 0} : inverse((double)d);
            for (int64_t j = x->block_offsets[b]; j < x->block_offsets[b + 1]; j++) {
                cell *c = touch(s, x->items[j]);
                if (c == NULL)
                    return UGT_ERR_RANGE;
                if (common > 0)
                    c->whole += whole;
                else
                    c->sum = add(c->sum, part);
            }
        }
    return UGT_OK;
}

static int check_rankings(const ugt_rankings *x)
{
    int status = check_offsets(x->case_offsets, x->n_cases, x->n_rankings);
    if (status == UGT_OK)
        status = check_offsets(x->ranking_offsets, x->n_rankings, x->n_blocks);
    if (status == UGT_OK)
        status = check_offsets(x->block_offsets, x->n_blocks, x->n_items);
    for (int64_t b = 0; status == UGT_OK && b < x->n_blocks; b++)
        if (x->block_offsets[b] == x->block_offsets[b + 1]) /* an empty block has no divisor */
            status = UGT_ERR_VALUE;
    return status;
}

int ugt_irn(const ugt_rankings *x, int full, int64_t depth, int64_t *offsets, int32_t *index, double *value)
{
    sums s;
    int64_t n_out = 0;
    uint64_t total;
    int status = open_sums(&s, x->n_classes);
    if (status != UGT_OK || (status = check_rankings(x)) != UGT_OK)
        goto out;
    for (int64_t i = 0; i < x->n_cases; i++) {
        const uint64_t common = common_denominator(x, i, full, depth, &total);
        offsets[i] = n_out;
        if ((status = add_weights(x, i, full, depth, common, &s)) != UGT_OK)
            goto out;
        sort_classes(s.classes, s.n_touched);
        pair all = {0, 0};
        for (int64_t j = 0; j < s.n_touched; j++)
            all = add(all, s.cells[s.classes[j]].sum);
        for (int64_t j = 0; j < s.n_touched; j++, n_out++) {
            const cell *c = &s.cells[s.classes[j]];
            index[n_out] = s.classes[j];
            value[n_out] = common > 0 ? (double)c->whole / (double)total : quotient(c->sum, all);
        }
        reset(&s);
    }
    offsets[x->n_cases] = n_out;
out:
    close_sums(&s);
    return status;
}

/* ---- label counts and repeated classes ----------------------------------------------------------- */

int ugt_class_counts(int64_t n_cases, int64_t n_rows, int64_t n_classes, const int64_t *offsets, const int32_t *label, const int64_t *count,
                     int64_t *out_offsets, int32_t *index, int64_t *total)
{
    sums s;
    int64_t n_out = 0;
    int status = open_sums(&s, n_classes);
    if (status != UGT_OK || (status = check_offsets(offsets, n_cases, n_rows)) != UGT_OK)
        goto out;
    for (int64_t i = 0; i < n_cases; i++) {
        out_offsets[i] = n_out;
        for (int64_t j = offsets[i]; j < offsets[i + 1]; j++) {
            if (count[j] == 0)
                continue;
            cell *c = touch(&s, label[j]);
            if (c == NULL) {
                status = UGT_ERR_RANGE;
                goto out;
            }
            c->whole += (uint64_t)count[j];
        }
        sort_classes(s.classes, s.n_touched);
        for (int64_t j = 0; j < s.n_touched; j++, n_out++) {
            index[n_out] = s.classes[j];
            total[n_out] = (int64_t)s.cells[s.classes[j]].whole;
        }
        reset(&s);
    }
    out_offsets[n_cases] = n_out;
out:
    close_sums(&s);
    return status;
}

/* Adds a case, whose labels are counted in s, to the sums of ugt_pair_sums. */
static void add_pairs(const sums *s, double times, int of_cases, double *out)
{
    double r = 0.0, square = 0.0;
    for (int64_t j = 0; j < s->n_touched; j++) {
        const double amount = (double)s->cells[s->classes[j]].whole;
        r += amount;
        square += amount * amount;
    }
    const int two = r >= 2.0;
    if (two)
        out[0] += times * ((r * r - square) / (of_cases ? r * (r - 1.0) : r - 1.0));
    if (of_cases) {
        out[1] += two * times;
        out[2] += (r >= 1.0) * times;
    } else if (two)
        out[1] += r * times;
    const double each = of_cases ? times / r : two * times;
    for (int64_t j = 0; j < s->n_touched && r > 0.0; j++)
        out[3 + s->classes[j]] += (double)s->cells[s->classes[j]].whole * each;
}

int ugt_pair_sums(int64_t n_cases, int64_t n_rows, int64_t n_classes, const int64_t *offsets, const int32_t *label, const int64_t *count,
                  const double *times, int of_cases, double *out)
{
    sums s;
    int status = open_sums(&s, n_classes);
    if (status != UGT_OK || (status = check_offsets(offsets, n_cases, n_rows)) != UGT_OK)
        goto out;
    memset(out, 0, (size_t)(3 + n_classes) * sizeof(double));
    for (int64_t i = 0; i < n_cases; i++) {
        for (int64_t j = offsets[i]; j < offsets[i + 1]; j++) {
            cell *c = touch(&s, label[j]);
            if (c == NULL) {
                status = UGT_ERR_RANGE;
                goto out;
            }
            c->whole += (uint64_t)count[j];
        }
        add_pairs(&s, times == NULL ? 1.0 : times[i], of_cases, out);
        reset(&s);
    }
out:
    close_sums(&s);
    return status;
}

int ugt_find_repeat(int64_t n_rows, int64_t n_items, int64_t n_classes, const int64_t *offsets, const int32_t *items, int64_t *position)
{
    sums s;
    int status = open_sums(&s, n_classes);
    if (status != UGT_OK || (status = check_offsets(offsets, n_rows, n_items)) != UGT_OK)
        goto out;
    *position = -1;
    for (int64_t i = 0; i < n_rows && *position < 0; i++) {
        for (int64_t j = offsets[i]; j < offsets[i + 1] && *position < 0; j++) {
            const int64_t before = s.n_touched;
            if (touch(&s, items[j]) == NULL) {
                status = UGT_ERR_RANGE;
                goto out;
            }
            if (s.n_touched == before)
                *position = j;
        }
        reset(&s);
    }
out:
    close_sums(&s);
    return status;
}
