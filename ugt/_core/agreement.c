#include "ugt.h"

#include <math.h>
#include <stdlib.h>

/* Row i of offsets is checked at each look-up, because rows are looked up one by one, by number. */
typedef struct {
    int64_t from, to;
} span;

static int row(const int64_t *offsets, int64_t i, int64_t n_values, span *out)
{
    *out = (span){offsets[i], offsets[i + 1]};
    return 0 <= out->from && out->from <= out->to && out->to <= n_values ? UGT_OK : UGT_ERR_RANGE;
}

static int64_t least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static int64_t most(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

/* ---- leave one annotator out --------------------------------------------------------------------- */

/* The sum of a class is held in units of 2^-64. A weight 1/d is rounded down by at most one unit and whole numbers add up exactly. So sums
 * do not depend on the order, subtracting a weight undoes its addition exactly, and equal sums of n weights differ by at most n units.
 * Different sums this close need a common denominator of at least 2^64/n, which rankings of fewer than about 40 blocks do not have. */
typedef struct {
    uint64_t whole, part;
    int listed, own; /* the class is in `classes` below; the annotator who is left out ranked it */
} tally;

/* There is one tally per class, zero between cases. `classes` lists the classes of the current case, so that only these are cleared. */
typedef struct {
    tally *of;
    int32_t *classes;
    int64_t n_classes, n_listed;
} board;

/* Adds ranking r `times` times, or subtracts it once (times = -1). If times > 1, all its weights must be 1: parts are added only once. */
static int change(board *b, const ugt_rankings *x, int64_t r, int full, int64_t times)
{
    span blocks, block;
    int status = row(x->ranking_offsets, r, x->n_blocks, &blocks);
    for (int64_t k = blocks.from; status == UGT_OK && k < blocks.to; k++) {
        if ((status = row(x->block_offsets, k, x->n_items, &block)) != UGT_OK)
            break;
        const uint64_t position = (uint64_t)(k - blocks.from + 1), d = full ? position : position * (uint64_t)(block.to - block.from);
        const uint64_t weight = d > 1 ? UINT64_MAX / d : 0;
        for (int64_t j = block.from; j < block.to; j++) {
            const int32_t c = x->items[j];
            if (c < 0 || c >= b->n_classes)
                return UGT_ERR_RANGE;
            tally *t = &b->of[c];
            if (!t->listed) {
                t->listed = 1;
                b->classes[b->n_listed++] = c;
            }
            t->own = times < 0;
            if (d <= 1) {
                t->whole += (uint64_t)times;
            } else if (times > 0) {
                t->part += weight;
                t->whole += t->part < weight;
            } else {
                t->whole -= t->part < weight;
                t->part -= weight;
            }
        }
    }
    return status;
}

/* Returns which share of the classes with the highest sum the left-out annotator ranked; NaN if all sums are 0. */
static double top_share(const board *b, uint64_t slack)
{
    uint64_t whole = 0, part = 0;
    int64_t n_top = 0, n_own = 0;
    for (int64_t j = 0; j < b->n_listed; j++) {
        const tally *t = &b->of[b->classes[j]];
        if (t->whole > whole || (t->whole == whole && t->part > part)) {
            whole = t->whole;
            part = t->part;
        }
    }
    if (whole == 0 && part == 0)
        return NAN;
    for (int64_t j = 0; j < b->n_listed; j++) {
        const tally *t = &b->of[b->classes[j]];
        const uint64_t borrow = part < t->part;
        if (whole - t->whole - borrow == 0 && part - t->part <= slack) {
            n_top++;
            n_own += t->own;
        }
    }
    return (double)n_own / (double)n_top;
}

static void clear(board *b)
{
    for (int64_t j = 0; j < b->n_listed; j++)
        b->of[b->classes[j]] = (tally){0};
    b->n_listed = 0;
}

int ugt_leave_one_out(const ugt_rankings *x, const int64_t *count, int64_t n_annotators, const int64_t *annotator_offsets, int full,
                      double *share)
{
    board b = {calloc((size_t)x->n_classes + 1, sizeof(tally)), malloc(((size_t)x->n_classes + 1) * sizeof(int32_t)), x->n_classes, 0};
    int status = b.of == NULL || b.classes == NULL ? UGT_ERR_MEMORY : UGT_OK;
    int64_t a = 0;
    span rankings, own;
    for (int64_t i = 0; status == UGT_OK && i < x->n_cases; i++) {
        status = row(x->case_offsets, i, x->n_rankings, &rankings);
        for (int64_t r = rankings.from; status == UGT_OK && r < rankings.to; r++)
            status = change(&b, x, r, full, count[r]);
        for (; status == UGT_OK && a < n_annotators && annotator_offsets[a] < rankings.to; a++) {
            if ((status = row(annotator_offsets, a, rankings.to, &own)) != UGT_OK)
                break;
            for (int64_t r = own.from; status == UGT_OK && r < own.to; r++)
                status = change(&b, x, r, full, -1);
            share[a] = top_share(&b, (uint64_t)(rankings.to - rankings.from));
            for (int64_t r = own.from; status == UGT_OK && r < own.to; r++)
                status = change(&b, x, r, full, 1);
        }
        clear(&b);
    }
    free(b.of);
    free(b.classes);
    return status;
}

/* ---- average overlap of partial rankings --------------------------------------------------------- */

/* A ranking has n_ranked items from x->items[start] on. Its blocks are spans of positions 0..n_ranked. */
typedef struct {
    span blocks;
    int64_t start, n_ranked;
} ranking;

static int open_ranking(const ugt_rankings *x, int64_t r, ranking *out)
{
    span first, last;
    *out = (ranking){{0, 0}, 0, 0};
    int status = r < 0 || r >= x->n_rankings ? UGT_ERR_RANGE : row(x->ranking_offsets, r, x->n_blocks, &out->blocks);
    if (status != UGT_OK || out->blocks.from == out->blocks.to)
        return status;
    status = row(x->block_offsets, out->blocks.from, x->n_items, &first);
    if (status == UGT_OK)
        status = row(x->block_offsets, out->blocks.to - 1, x->n_items, &last);
    if (status != UGT_OK)
        return status;
    out->start = first.from;
    out->n_ranked = last.to - first.from;
    return 0 <= out->n_ranked && out->n_ranked <= x->n_classes ? UGT_OK : UGT_ERR_RANGE;
}

static int open_block(const ugt_rankings *x, const ranking *l, int64_t k, span *out)
{
    const int status = row(x->block_offsets, k, x->n_items, out);
    out->from -= l->start;
    out->to -= l->start;
    return status;
}

/* Work arrays for comparing one ranking with others. Its blocks are numbered from 1; classes that it leaves out have number 0. */
typedef struct {
    int32_t *place;   /* [n_classes] the block of each class */
    int64_t *hits;    /* [n_classes + 1] how many classes of each block are in the current block of the other ranking */
    int64_t *matched; /* [n_classes + 1] how many are in any of its blocks so far */
    double *harmonic; /* [depth + 1] 1 + 1/2 + ... + 1/k */
    int64_t n_classes, depth;
} bench;

static int open_bench(bench *w, int64_t n_classes, int64_t depth)
{
    const size_t n = (size_t)n_classes + 1;
    *w = (bench){calloc(n, sizeof(int32_t)), calloc(n, sizeof(int64_t)), calloc(n, sizeof(int64_t)),
                 malloc(((size_t)depth + 1) * sizeof(double)), n_classes, depth};
    if (w->place == NULL || w->hits == NULL || w->matched == NULL || w->harmonic == NULL)
        return UGT_ERR_MEMORY;
    w->harmonic[0] = 0;
    for (int64_t k = 1; k <= depth; k++)
        w->harmonic[k] = w->harmonic[k - 1] + 1 / (double)k;
    return UGT_OK;
}

static void close_bench(bench *w)
{
    free(w->place);
    free(w->hits);
    free(w->matched);
    free(w->harmonic);
}

/* Sets the place of each class, or (on = 0) clears it. It stops at the first block from `depth` on, since later blocks add to no sum. */
static int mark(bench *w, const ugt_rankings *x, const ranking *a, int on)
{
    span block;
    for (int64_t k = a->blocks.from; k < a->blocks.to; k++) {
        const int status = open_block(x, a, k, &block);
        if (status != UGT_OK || block.from >= w->depth)
            return status;
        if (block.from == block.to)
            return UGT_ERR_VALUE;
        for (int64_t j = block.from; j < block.to; j++) {
            const int32_t c = x->items[a->start + j];
            if (c < 0 || c >= w->n_classes)
                return UGT_ERR_RANGE;
            if (on && w->place[c] != 0) /* a class occurs twice: blocks could then outnumber classes, and overrun `hits` */
                return UGT_ERR_VALUE;
            w->place[c] = on ? (int32_t)(k - a->blocks.from + 1) : 0;
        }
    }
    return UGT_OK;
}

/* Returns the probability that a class of a block at positions from + 1 .. to is among the first k, for k > from. */
static double among(int64_t k, span block)
{
    return k >= block.to ? 1 : (double)(k - block.from) / (double)(block.to - block.from);
}

/* Returns what a class in block a of one ranking and in block b of the other adds: the sum over k <= depth of 1/k times both
 * probabilities of being among the first k. Terms are 0 until the later block begins, and 1/k once both blocks have ended. */
static double together(const bench *w, span a, span b)
{
    const int64_t from = most(a.from, b.from), to = least(most(a.to, b.to), w->depth);
    if (from >= to)
        return 0;
    double sum = w->harmonic[w->depth] - w->harmonic[to];
    for (int64_t k = from + 1; k <= to; k++)
        sum += among(k, a) * among(k, b) / (double)k;
    return sum;
}

/* Adds the classes of block `there` of ranking b, grouped by their blocks in the marked ranking a. */
static int add_block(bench *w, const ugt_rankings *x, const ranking *a, const ugt_rankings *y, const ranking *b, span there, double *sum)
{
    const int32_t *items = y->items + b->start;
    span here;
    for (int64_t j = there.from; j < there.to; j++) {
        if (items[j] < 0 || items[j] >= w->n_classes)
            return UGT_ERR_RANGE;
        w->hits[w->place[items[j]]]++;
    }
    for (int64_t j = there.from; j < there.to; j++) {
        const int32_t p = w->place[items[j]];
        if (w->hits[p] == 0) /* its whole group was added with an earlier class */
            continue;
        here = (span){a->n_ranked, w->n_classes};
        if (p > 0)
            open_block(x, a, a->blocks.from + p - 1, &here);
        *sum += (double)w->hits[p] * together(w, here, there);
        w->matched[p] += w->hits[p];
        w->hits[p] = 0;
    }
    return UGT_OK;
}

/* Adds the classes that ranking b leaves out, which share its last positions. */
static void add_rest(bench *w, const ugt_rankings *x, const ranking *a, const ranking *b, double *sum)
{
    const span rest_a = {a->n_ranked, w->n_classes}, rest_b = {b->n_ranked, w->n_classes};
    int64_t n_neither = w->n_classes - a->n_ranked - b->n_ranked;
    span here;
    for (int64_t k = a->blocks.from; k < a->blocks.to; k++) {
        int64_t *matched = &w->matched[k - a->blocks.from + 1];
        open_block(x, a, k, &here);
        if (here.from >= w->depth)
            break;
        *sum += (double)(here.to - here.from - *matched) * together(w, here, rest_b);
        n_neither += *matched;
        *matched = 0;
    }
    *sum += (double)n_neither * together(w, rest_a, rest_b);
    w->matched[0] = 0;
}

/* Sets *sum to depth times the overlap of the marked ranking a with ranking b. */
static int overlap(bench *w, const ugt_rankings *x, const ranking *a, const ugt_rankings *y, const ranking *b, double *sum)
{
    span there;
    *sum = 0;
    if (a->n_ranked == 0 || b->n_ranked == 0)
        return UGT_OK;
    for (int64_t k = b->blocks.from; k < b->blocks.to; k++) {
        int status = open_block(y, b, k, &there);
        if (status == UGT_OK && there.from >= w->depth)
            break;
        if (status == UGT_OK)
            status = add_block(w, x, a, y, b, there, sum);
        if (status != UGT_OK)
            return status;
    }
    add_rest(w, x, a, b, sum);
    return UGT_OK;
}

int ugt_partial_overlaps(const ugt_rankings *x, const ugt_rankings *y, const int64_t *from, const int64_t *to, const double *norm_x,
                         const double *norm_y, int64_t depth, int64_t begin, int64_t end, double *sum)
{
    bench w;
    ranking a, b;
    double one;
    int status = open_bench(&w, x->n_classes, depth);
    for (int64_t r = begin; status == UGT_OK && r < end; r++) {
        if ((status = open_ranking(x, r, &a)) != UGT_OK || (status = mark(&w, x, &a, 1)) != UGT_OK)
            break;
        sum[r] = 0;
        for (int64_t j = from[r]; j < to[r]; j++) {
            if ((status = open_ranking(y, j, &b)) != UGT_OK || (status = overlap(&w, x, &a, y, &b, &one)) != UGT_OK)
                break;
            if (one > 0)
                sum[r] += one / (double)depth / sqrt(norm_x[r] * norm_y[j]);
        }
        mark(&w, x, &a, 0);
    }
    close_bench(&w);
    return status;
}
