/* Annotators against each other: leaving one out by hand, average overlaps by their definition, and what bad arrays get. */
#include "check.h"
#include "ugt.h"

/* ---- leave one annotator out ---- */

static int leave_one_out(const int32_t *label, const int64_t *count, int64_t n, const int64_t *annotators, int64_t n_annotators, double *share)
{
    const int64_t cases[] = {0, n}, each[] = {0, 1, 2, 3, 4};
    const ugt_rankings x = {1, n, n, n, 3, cases, each, each, label};
    return ugt_leave_one_out(&x, count, n_annotators, annotators, 0, share);
}

static void test_labels(void)
{
    const int64_t ones[] = {1, 1, 1, 1}, each[] = {0, 1, 2, 3, 4}, two[] = {0, 2, 3}, twice[] = {2, 1};
    const int32_t label[] = {0, 0, 1, 2};
    double share[4];
    CHECK(leave_one_out(label, ones, 3, each, 3, share) == UGT_OK); /* 0, 0, 1 */
    CHECK(share[0] == 0.5 && share[1] == 0.5 && share[2] == 0.0);
    CHECK(leave_one_out(label, ones, 1, each, 1, share) == UGT_OK && isnan(share[0])); /* nobody else */
    CHECK(leave_one_out(label, ones, 3, two, 2, share) == UGT_OK);                     /* one annotator said 0 twice */
    CHECK(share[0] == 0.0 && share[1] == 0.0);
    CHECK(leave_one_out(label + 1, twice, 2, each, 2, share) == UGT_OK); /* 0 by two annotators, who count once each */
    CHECK(share[0] == 0.5 && share[1] == 0.0);
    const int32_t low[] = {0, -1}, high[] = {0, 3};
    const int64_t falling[] = {1, 0, 2};
    CHECK(leave_one_out(low, ones, 2, each, 2, share) == UGT_ERR_RANGE);
    CHECK(leave_one_out(high, ones, 2, each, 2, share) == UGT_ERR_RANGE);
    CHECK(leave_one_out(label, ones, 2, falling, 2, share) == UGT_ERR_RANGE);
}

static void test_ranks(void)
{
    /* {0, 1} > 2; 2 > 1; 1. Without the last: 0 has 1/2, 1 has 1/2 + 1/2, 2 has 1/2 + 1: the last one's 1 is not on top */
    const int64_t cases[] = {0, 3}, rankings[] = {0, 2, 4, 5}, blocks[] = {0, 2, 3, 4, 5, 6}, ones[] = {1, 1, 1}, each[] = {0, 1, 2, 3};
    const int32_t items[] = {0, 1, 2, 2, 1, 1};
    const ugt_rankings x = {1, 3, 5, 6, 3, cases, rankings, blocks, items};
    double share[3];
    CHECK(ugt_leave_one_out(&x, ones, 3, each, 0, share) == UGT_OK);
    CHECK(share[2] == 0.0);
    CHECK(share[0] == 1.0); /* others: 1 has 3/2, 2 has 1 */
    CHECK(share[1] == 1.0); /* others: 1 has 3/2 */
    /* weights 1/i: 1 has 1 + 1/2 and 2 has 1/2 + 1: both on top, the last one has ranked one of them */
    CHECK(ugt_leave_one_out(&x, ones, 3, each, 1, share) == UGT_OK && share[2] == 0.5);
    const int64_t far[] = {0, 2, 4, 9}, wide[] = {0, 2, 3, 4, 5, 9}, most[] = {0, 9};
    CHECK(ugt_leave_one_out(&(ugt_rankings){1, 3, 5, 6, 3, cases, far, blocks, items}, ones, 3, each, 0, share) == UGT_ERR_RANGE);
    CHECK(ugt_leave_one_out(&(ugt_rankings){1, 3, 5, 6, 3, cases, rankings, wide, items}, ones, 3, each, 0, share) == UGT_ERR_RANGE);
    CHECK(ugt_leave_one_out(&(ugt_rankings){1, 3, 5, 6, 3, most, rankings, blocks, items}, ones, 3, each, 0, share) == UGT_ERR_RANGE);
}

/* 1 three times in third place is as good as 0, 2, 4 and 6 in first place: 3 / 3 = 1, whatever rounding does to a third */
static void test_thirds(void)
{
    const int64_t cases[] = {0, 5}, rankings[] = {0, 1, 4, 7, 10, 11}, blocks[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11};
    const int64_t ones[] = {1, 1, 1, 1, 1}, last[] = {4, 5};
    const int32_t items[] = {0, 2, 3, 1, 4, 5, 1, 6, 7, 1, 1};
    const ugt_rankings x = {1, 5, 11, 11, 8, cases, rankings, blocks, items};
    double share[1];
    CHECK(ugt_leave_one_out(&x, ones, 1, last, 1, share) == UGT_OK && share[0] == 0.2);
}

/* ---- average overlap ---- */

enum { K = 9, RANKINGS = 60, MOST = RANKINGS * K };

typedef struct {
    int64_t cases[2], rankings[RANKINGS + 1], blocks[MOST + 1];
    int32_t items[MOST];
    ugt_rankings x;
} table;

/* rankings of 0 to K classes, some tied */
static void fill(table *t, uint64_t seed)
{
    ugt_stream stream;
    int64_t n_blocks = 0, n_items = 0;
    ugt_stream_open(&stream, seed, 0, 0, 99);
    t->blocks[0] = t->rankings[0] = 0;
    for (int r = 0; r < RANKINGS; r++) {
        int32_t order[K];
        const int n = r == 0 ? 0 : r == 1 ? K : (int)ugt_stream_below(&stream, K + 1);
        for (int j = 0; j < K; j++) {
            const int at = (int)ugt_stream_below(&stream, (uint64_t)j + 1);
            order[j] = order[at];
            order[at] = j;
        }
        for (int j = 0; j < n; j++) {
            t->items[n_items++] = order[j];
            if (j == n - 1 || ugt_stream_below(&stream, 3) > 0)
                t->blocks[++n_blocks] = n_items;
        }
        t->rankings[r + 1] = n_blocks;
    }
    t->cases[0] = 0;
    t->cases[1] = RANKINGS;
    t->x = (ugt_rankings){1, RANKINGS, n_blocks, n_items, K, t->cases, t->rankings, t->blocks, t->items};
}

/* P(class c is among the first k) in ranking r, ties and what is left out in random order */
static double among_first(const table *t, int64_t r, int32_t c, int64_t k)
{
    const int64_t start = t->blocks[t->rankings[r]], end = t->blocks[t->rankings[r + 1]];
    double from = (double)(end - start), size = (double)(K - (end - start));
    for (int64_t b = t->rankings[r]; b < t->rankings[r + 1]; b++)
        for (int64_t j = t->blocks[b]; j < t->blocks[b + 1]; j++)
            if (t->items[j] == c) {
                from = (double)(t->blocks[b] - start);
                size = (double)(t->blocks[b + 1] - t->blocks[b]);
            }
    return fmin(1.0, fmax(0.0, ((double)k - from) / size));
}

static double overlap(const table *t, int64_t r, const table *u, int64_t s, int64_t depth)
{
    double sum = 0.0;
    if (t->rankings[r] == t->rankings[r + 1] || u->rankings[s] == u->rankings[s + 1])
        return 0.0;
    for (int64_t k = 1; k <= depth; k++)
        for (int32_t c = 0; c < K; c++)
            sum += among_first(t, r, c, k) * among_first(u, s, c, k) / (double)k;
    return sum / (double)depth;
}

static void test_overlaps(void)
{
    static table t, u;
    int64_t from[RANKINGS], to[RANKINGS];
    double norm_t[RANKINGS], norm_u[RANKINGS], sum[RANKINGS];
    fill(&t, 1);
    fill(&u, 2);
    for (int r = 0; r < RANKINGS; r++) {
        from[r] = r / 2;
        to[r] = r == 5 ? r / 2 : RANKINGS;
    }
    for (int64_t depth = 1; depth <= K; depth++) {
        for (int r = 0; r < RANKINGS; r++) {
            norm_t[r] = fmax(overlap(&t, r, &t, r, depth), 1e-9);
            norm_u[r] = fmax(overlap(&u, r, &u, r, depth), 1e-9);
        }
        CHECK(ugt_partial_overlaps(&t.x, &u.x, from, to, norm_t, norm_u, depth, 0, 20, sum) == UGT_OK);
        CHECK(ugt_partial_overlaps(&t.x, &u.x, from, to, norm_t, norm_u, depth, 20, RANKINGS, sum) == UGT_OK);
        for (int r = 0; r < RANKINGS; r++) {
            double expected = 0.0;
            for (int64_t s = from[r]; s < to[r]; s++)
                expected += overlap(&t, r, &u, s, depth) / sqrt(norm_t[r] * norm_u[s]);
            CHECK_CLOSE(sum[r], expected, 1e-12, 1e-12);
        }
    }
}

static int one_overlap(const int32_t *items, const int64_t *blocks, const int64_t *rankings, int64_t n_rankings, int64_t other)
{
    const int64_t cases[] = {0, n_rankings}, from[] = {other}, to[] = {other + 1};
    const double ones[] = {1.0, 1.0, 1.0};
    const ugt_rankings x = {1, n_rankings, 3, 4, 3, cases, rankings, blocks, items};
    double sum[1];
    return ugt_partial_overlaps(&x, &x, from, to, ones, ones, 3, 0, 1, sum);
}

static void test_bad_rankings(void)
{
    const int64_t rankings[] = {0, 2, 3}, blocks[] = {0, 1, 2, 4}, empty[] = {0, 0, 2, 4}, falling[] = {0, 1, 2, 1}, wide[] = {0, 1, 2, 9};
    const int64_t far[] = {0, 2, 4}, late[] = {0, 4, 4}, all[] = {0, 3, 3}, longest[] = {0, 1, 2, 4};
    const int32_t items[] = {0, 1, 2, 1}, twice[] = {1, 1, 2, 0}, low[] = {-1, 1, 2, 0}, high[] = {0, 1, 3, 0};
    CHECK(one_overlap(items, blocks, rankings, 2, 1) == UGT_OK);
    CHECK(one_overlap(items, blocks, rankings, 2, 2) == UGT_ERR_RANGE);
    CHECK(one_overlap(items, blocks, rankings, 2, -1) == UGT_ERR_RANGE);
    CHECK(one_overlap(items, empty, rankings, 2, 1) == UGT_ERR_VALUE);
    CHECK(one_overlap(items, falling, rankings, 2, 1) == UGT_ERR_RANGE);
    CHECK(one_overlap(items, wide, rankings, 2, 1) == UGT_ERR_RANGE);
    CHECK(one_overlap(items, blocks, far, 2, 1) == UGT_ERR_RANGE);
    CHECK(one_overlap(items, blocks, late, 2, 0) == UGT_ERR_RANGE);
    CHECK(one_overlap(twice, blocks, rankings, 2, 1) == UGT_ERR_VALUE);
    CHECK(one_overlap(low, blocks, rankings, 2, 1) == UGT_ERR_RANGE);
    CHECK(one_overlap(high, blocks, rankings, 2, 1) == UGT_ERR_RANGE);
    CHECK(one_overlap(items, longest, all, 2, 0) == UGT_ERR_RANGE); /* more items than classes */
}

int main(void)
{
    test_labels();
    test_ranks();
    test_thirds();
    test_overlaps();
    test_bad_rankings();
    return RESULT;
}
