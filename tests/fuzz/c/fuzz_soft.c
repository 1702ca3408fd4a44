/* sort.c and soft.c: orders and sums against loops over all pairs. */

#include "fuzz.h"

#define MOST 80

typedef struct {
    int64_t n;
    double *score, *p, *weight;
    float *single;
    double threshold;
} columns;

static columns decode(fuzz_input *in)
{
    columns made = {.n = 1 + fuzz_below(in, MOST)};
    made.score = ZEROS(double, made.n);
    made.single = ZEROS(float, made.n);
    made.p = ZEROS(double, made.n);
    made.weight = ZEROS(double, made.n);
    made.threshold = fuzz_share(in);
    for (int64_t i = 0; i < made.n; i++) {
        const int byte = fuzz_byte(in);
        made.score[i] = byte == 255 ? INFINITY : byte == 254 ? -INFINITY : byte == 253 ? (double)NAN : byte % 2 ? (byte - 100) / 4.0 : fuzz_number(in);
        made.single[i] = fabs(made.score[i]) > 1e38 && isfinite(made.score[i]) ? 7.0f : (float)made.score[i];
        made.p[i] = fuzz_share(in);
        made.weight[i] = byte % 7 == 0 ? 0.0 : 1 + byte % 4;
    }
    return made;
}

static void check_order(const columns *x, const ugt_scores *scores, int64_t first_nan)
{
    int64_t *order = ZEROS(int64_t, x->n), nan_at = -1;
    uint8_t *seen = ZEROS(uint8_t, x->n);
    const int status = ugt_argsort_descending(scores, order, &nan_at);
    CHECK(status == (first_nan < 0 ? UGT_OK : UGT_ERR_RANGE) && nan_at == first_nan);
    for (int64_t i = 0; i < x->n && status == UGT_OK; i++) {
        CHECK(order[i] >= 0 && order[i] < x->n && !seen[order[i]]);
        seen[order[i]] = 1;
        if (i > 0) {
            const double before = scores->score ? x->score[order[i - 1]] : (double)x->single[order[i - 1]];
            const double here = scores->score ? x->score[order[i]] : (double)x->single[order[i]];
            CHECK(before > here || (before == here && order[i - 1] < order[i]));
        }
    }
}

static void check_sums(const columns *x, const ugt_scores *scores, const double *weight, int expected)
{
    double sum[UGT_SOFT_SUMS], positive = 0, negative = 0, self = 0, pairs = 0, hard = 0, hard_pairs = 0;
    int64_t nan_at = -1;
    CHECK(ugt_soft_sums(scores, x->p, weight, x->threshold, expected, NULL, sum, &nan_at) == UGT_OK);
    for (int64_t i = 0; i < x->n; i++) {
        const double w = weight ? weight[i] : 1.0, si = scores->score ? x->score[i] : (double)x->single[i];
        positive += w * x->p[i];
        negative += w * (1 - x->p[i]);
        self += w * x->p[i] * (1 - x->p[i]);
        hard += x->p[i] > x->threshold ? w : 0;
        for (int64_t j = 0; j < x->n; j++) {
            const double v = weight ? weight[j] : 1.0, sj = scores->score ? x->score[j] : (double)x->single[j];
            const double order = si > sj ? 1.0 : si == sj ? 0.5 : 0.0;
            pairs += order * w * x->p[i] * v * (1 - x->p[j]);
            hard_pairs += x->p[i] > x->threshold && !(x->p[j] > x->threshold) ? order * w * v : 0;
        }
    }
    CHECK_CLOSE(sum[UGT_SOFT_POSITIVE], positive, 1e-12, 1e-300);
    CHECK_CLOSE(sum[UGT_SOFT_NEGATIVE], negative, 1e-12, 1e-300);
    CHECK_CLOSE(sum[UGT_SOFT_SELF], self, 1e-12, 1e-12);
    CHECK_CLOSE(sum[UGT_SOFT_PAIRS], pairs, 1e-11, 1e-11);
    CHECK_CLOSE(sum[UGT_SOFT_HARD_POSITIVE], hard, 1e-12, 0.0);
    CHECK_CLOSE(sum[UGT_SOFT_HARD_PAIRS], hard_pairs, 1e-11, 0.0);
    CHECK(sum[UGT_SOFT_PROBABLE] <= positive * (1 + 1e-12) + 1e-300 && sum[UGT_SOFT_PROBABLE] >= 0);
    CHECK(sum[UGT_SOFT_CERTAIN] <= positive * (1 + 1e-12) + 1e-300 && sum[UGT_SOFT_CERTAIN] >= sum[UGT_SOFT_PROBABLE] * (1 - 1e-12));
    CHECK(sum[UGT_SOFT_HARD_PRECISION] <= hard * (1 + 1e-12) && sum[UGT_SOFT_HARD_PRECISION] >= 0);
}

/* The best and the others, ties in one range: their sums add up. */
static void check_ranges(const columns *x, int expected)
{
    double whole[UGT_SOFT_SUMS], total[UGT_SOFT_SUMS] = {0}, sum[UGT_SOFT_SUMS], above[4] = {0};
    double *score = ZEROS(double, x->n), *p = ZEROS(double, x->n), *weight = ZEROS(double, x->n);
    const double cut = x->score[x->n / 2];
    const ugt_scores all = {.score = x->score, .n = x->n};
    int64_t nan_at;
    CHECK(ugt_soft_sums(&all, x->p, x->weight, x->threshold, expected, NULL, whole, &nan_at) == UGT_OK);
    for (int lower = 0; lower < 2; lower++) {
        int64_t n = 0;
        for (int64_t i = 0; i < x->n; i++)
            if ((x->score[i] < cut) == lower) {
                score[n] = x->score[i];
                p[n] = x->p[i];
                weight[n++] = x->weight[i];
            }
        const ugt_scores own = {.score = score, .n = n};
        if (n == 0)
            continue;
        CHECK(ugt_soft_sums(&own, p, weight, x->threshold, expected, above, sum, &nan_at) == UGT_OK);
        for (int j = 0; j < UGT_SOFT_SUMS; j++)
            total[j] += sum[j];
        above[0] = sum[UGT_SOFT_POSITIVE];
        above[1] = sum[UGT_SOFT_NEGATIVE];
        above[2] = sum[UGT_SOFT_HARD_POSITIVE];
        above[3] = sum[UGT_SOFT_HARD_NEGATIVE];
    }
    for (int j = 0; j < UGT_SOFT_SUMS; j++)
        CHECK_CLOSE(total[j], whole[j], 1e-10, 1e-10);
}

static void check_curve(const columns *x, const ugt_scores *scores, const double *weight)
{
    double *positive = ZEROS(double, x->n), *negative = ZEROS(double, x->n), *score = ZEROS(double, x->n), down = 0;
    int64_t n_points = -1, nan_at = -1;
    CHECK(ugt_soft_curve(scores, x->p, weight, positive, negative, score, &n_points, &nan_at) == UGT_OK);
    CHECK(n_points >= 1 && n_points <= x->n);
    for (int64_t i = 0; i < n_points; i++)
        CHECK(i == 0 || (score[i] < score[i - 1] && positive[i] >= positive[i - 1] && negative[i] >= negative[i - 1]));
    for (int64_t i = 0; i < x->n; i++)
        down += (weight ? weight[i] : 1.0) * x->p[i];
    CHECK_CLOSE(positive[n_points - 1], down, 1e-12, 1e-300);
}

/* The resampled sums with the same weights are those of all cases. */
static void check_resampled(const columns *x, const ugt_scores *scores, int expected)
{
    double sum[UGT_SOFT_SUMS], again[2 * UGT_SOFT_SUMS];
    int64_t nan_at, *order = ZEROS(int64_t, x->n);
    uint8_t *last = ZEROS(uint8_t, x->n);
    double *p = ZEROS(double, x->n), *weight = ZEROS(double, 2 * x->n);
    CHECK(ugt_argsort_descending(scores, order, &nan_at) == UGT_OK);
    CHECK(ugt_soft_sums(scores, x->p, x->weight, x->threshold, expected, NULL, sum, &nan_at) == UGT_OK);
    for (int64_t i = 0; i < x->n; i++) {
        p[i] = x->p[order[i]];
        last[i] = i == x->n - 1 || x->score[order[i]] != x->score[order[i + 1]];
        weight[2 * i] = weight[2 * i + 1] = x->weight[i];
    }
    const ugt_soft_column column = {.row = order, .last = last, .positive = p, .threshold = x->threshold, .expected = expected, .n = x->n, .n_cases = x->n};
    CHECK(ugt_soft_resampled(&column, weight, 2, NULL, 2, again) == UGT_OK);
    for (int i = 0; i < UGT_SOFT_SUMS; i++) {
        CHECK_CLOSE(again[i], sum[i], 1e-10, 1e-10);
        CHECK(memcmp(&again[i], &again[UGT_SOFT_SUMS + i], sizeof *again) == 0);
    }
}

static void fuzz_one(fuzz_input *in)
{
    const int how = fuzz_byte(in);
    columns x = decode(in);
    const double *weight = how & 1 ? x.weight : NULL;
    const ugt_scores wide = {.score = x.score, .n = x.n}, narrow = {.single = x.single, .n = x.n};
    const ugt_scores *scores = how & 4 ? &narrow : &wide;
    int64_t first_nan = -1;
    for (int64_t i = x.n - 1; i >= 0; i--)
        first_nan = isnan(x.score[i]) ? i : first_nan;
    check_order(&x, scores, first_nan);
    if (first_nan < 0) {
        check_sums(&x, scores, weight, how >> 1 & 1);
        check_ranges(&x, how >> 1 & 1);
        check_curve(&x, scores, weight);
        check_resampled(&x, &wide, how >> 1 & 1);
    }
}
