/* Sorting of scores against the definition of a stable order, and the sums of soft metrics against all pairs. */
#include <float.h>

#include "check.h"
#include "core.h"

static double draw(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (double)(*state >> 11) * 0x1p-53;
}

static double score_of(int pattern, int64_t i, int64_t n, uint64_t *state)
{
    const double u = draw(state);
    switch (pattern) {
    case 0:
        return u;
    case 1:
        return floor(u * 7.0);
    case 2:
        return (double)i;
    case 3:
        return (double)(n - i);
    case 4:
        return u < 0.5 ? (u < 0.25 ? -0.0 : 0.0) : u;
    case 5:
        return u < 0.01 ? INFINITY : u < 0.02 ? -INFINITY : (u - 0.5) * exp(700.0 * draw(state));
    case 6:
        return u * DBL_MIN;
    case 7:
        return (double)(i % 3) + 1e-9 * u;
    case 8:
        return i == n / 2 ? 1e300 : 1.0 + u * 1e-15;
    default:
        return 42.0;
    }
}

static void test_order(int64_t n, int pattern)
{
    double *score = NEW(double, n);
    float *single = NEW(float, n);
    int64_t *order = NEW(int64_t, n), nan_at;
    uint64_t state = (uint64_t)pattern + 1;
    for (int64_t i = 0; i < n; i++) {
        score[i] = score_of(pattern, i, n, &state);
        single[i] = (float)score[i];
    }
    for (int as_single = 0; as_single < 2; as_single++) {
        const ugt_scores in = {as_single ? NULL : score, as_single ? single : NULL, NULL, n};
        CHECK(ugt_argsort_descending(&in, order, &nan_at) == UGT_OK);
        char *seen = ZEROS(char, n);
        int right = 1;
        for (int64_t i = 0; i < n; i++) {
            right &= order[i] >= 0 && order[i] < n && !seen[order[i]];
            seen[order[i]] = 1;
            if (i == 0)
                continue;
            const double a = as_single ? (double)single[order[i - 1]] : score[order[i - 1]];
            const double b = as_single ? (double)single[order[i]] : score[order[i]];
            right &= a > b || (a == b && order[i - 1] < order[i]);
        }
        CHECK(right);
    }
}

static void test_nan(void)
{
    double *score = NEW(double, 50000);
    int64_t *order = NEW(int64_t, 50000), nan_at;
    for (int64_t i = 0; i < 50000; i++)
        score[i] = (double)(i * 7919 % 50000);
    score[49999] = score[31234] = NAN;
    const ugt_scores in = {score, NULL, NULL, 50000}, few = {score + 31234, NULL, NULL, 1}, none = {score, NULL, NULL, 0};
    CHECK(ugt_argsort_descending(&in, order, &nan_at) == UGT_ERR_RANGE && nan_at == 31234);
    CHECK(ugt_argsort_descending(&few, order, &nan_at) == UGT_ERR_RANGE && nan_at == 0);
    CHECK(ugt_argsort_descending(&none, order, &nan_at) == UGT_ERR_RANGE && nan_at == -1);
}

/* U, S and both average precisions from their definitions */
static void by_pairs(const double *score, const double *p, const double *w, int64_t n, double threshold, double *sum)
{
    memset(sum, 0, UGT_SOFT_SUMS * sizeof *sum);
    for (int64_t i = 0; i < n; i++) {
        const double u = w[i] * p[i], h = p[i] > threshold ? w[i] : 0.0;
        double count = 0.0, mass = 0.0, hard = 0.0;
        sum[UGT_SOFT_POSITIVE] += u;
        sum[UGT_SOFT_NEGATIVE] += w[i] - u;
        sum[UGT_SOFT_SELF] += u * (1.0 - p[i]);
        sum[UGT_SOFT_HARD_POSITIVE] += h;
        sum[UGT_SOFT_HARD_NEGATIVE] += w[i] - h;
        for (int64_t j = 0; j < n; j++) {
            const double won = score[i] > score[j] ? 1.0 : score[i] == score[j] ? 0.5 : 0.0;
            sum[UGT_SOFT_PAIRS] += won * u * w[j] * (1.0 - p[j]);
            sum[UGT_SOFT_HARD_PAIRS] += won * h * (p[j] > threshold ? 0.0 : w[j]);
            if (score[j] >= score[i]) {
                count += w[j];
                mass += w[j] * p[j];
                hard += p[j] > threshold ? w[j] : 0.0;
            }
        }
        if (count > 0.0) {
            sum[UGT_SOFT_CERTAIN] += u * (mass + 1.0 - p[i]) / count;
            sum[UGT_SOFT_PROBABLE] += u * mass / count;
            sum[UGT_SOFT_HARD_PRECISION] += h * hard / count;
        }
    }
}

static void test_sums(int pattern)
{
    enum { N = 400 };
    double score[N], p[N], w[N], one[N], expected[UGT_SOFT_SUMS], sum[UGT_SOFT_SUMS], sorted[N];
    int64_t order[N], nan_at;
    uint8_t last[N];
    uint64_t state = 99 + (uint64_t)pattern;
    for (int i = 0; i < N; i++) {
        score[i] = score_of(pattern, i, N, &state);
        p[i] = i % 5 == 0 ? floor(2.0 * draw(&state)) : draw(&state);
        w[i] = i % 7 == 0 ? 0.0 : 3.0 * draw(&state);
        one[i] = 1.0;
    }
    const ugt_scores in = {score, NULL, NULL, N};
    CHECK(ugt_argsort_descending(&in, order, &nan_at) == UGT_OK);
    for (int i = 0; i < N; i++) {
        last[i] = i == N - 1 || score[order[i]] != score[order[i + 1]];
        sorted[i] = p[order[i]];
    }
    const ugt_soft_column column = {order, last, sorted, NULL, 0.5, 0, N, N};
    for (int weighted = 0; weighted < 2; weighted++) {
        by_pairs(score, p, weighted ? w : one, N, 0.5, expected);
        CHECK(ugt_soft_sums(&in, p, weighted ? w : NULL, 0.5, 0, NULL, sum, &nan_at) == UGT_OK);
        CHECK_ALL_CLOSE(sum, expected, UGT_SOFT_SUMS, 1e-12, 1e-12);
        CHECK(ugt_soft_resampled(&column, weighted ? w : NULL, 1, NULL, 1, sum) == UGT_OK);
        CHECK_ALL_CLOSE(sum, expected, UGT_SOFT_SUMS, 1e-12, 1e-12);
        CHECK(ugt_soft_resampled(&column, weighted ? w : NULL, 1, p, 1, sum) == UGT_OK);
        CHECK_ALL_CLOSE(sum, expected, UGT_SOFT_SUMS, 1e-12, 1e-12);
    }
}

/* average precision with ties, mean over all their orders: a member stands at each place equally often, and before it stands every
 * other one equally often */
static double mean_precision(const double *score, const double *p, int64_t n, int64_t i, int certain)
{
    double better = 0.0, before = 0.0, tied = 0.0, others = 0.0, sum = 0.0;
    for (int64_t j = 0; j < n; j++) {
        better += score[j] > score[i];
        before += score[j] > score[i] ? p[j] : 0.0;
        tied += score[j] == score[i];
        others += score[j] == score[i] && j != i ? p[j] : 0.0;
    }
    for (double t = 1.0; t <= tied; t += 1.0)
        sum += (before + (certain ? 1.0 : p[i]) + (tied > 1.0 ? others * (t - 1.0) / (tied - 1.0) : 0.0)) / (better + t);
    return p[i] * sum / tied;
}

/* `values` different scores of 700 cases: groups of a few, and of more than harmonic sums are added up for */
static void test_expected_precision(int values)
{
    enum { N = 700 };
    double score[N], p[N], hard[N], one[N], sum[UGT_SOFT_SUMS], weighted[UGT_SOFT_SUMS], expected[3] = {0.0, 0.0, 0.0};
    int64_t nan_at;
    uint64_t state = 5;
    for (int i = 0; i < N; i++) {
        score[i] = floor(values * draw(&state));
        p[i] = draw(&state);
        hard[i] = p[i] > 0.5;
        one[i] = 1.0;
    }
    for (int i = 0; i < N; i++) {
        expected[0] += mean_precision(score, p, N, i, 1);
        expected[1] += mean_precision(score, p, N, i, 0);
        expected[2] += mean_precision(score, hard, N, i, 0);
    }
    const ugt_scores in = {score, NULL, NULL, N};
    CHECK(ugt_soft_sums(&in, p, NULL, 0.5, 1, NULL, sum, &nan_at) == UGT_OK);
    CHECK(ugt_soft_sums(&in, p, one, 0.5, 1, NULL, weighted, &nan_at) == UGT_OK);
    CHECK_CLOSE(sum[UGT_SOFT_CERTAIN], expected[0], 1e-12, 0.0);
    CHECK_CLOSE(sum[UGT_SOFT_PROBABLE], expected[1], 1e-12, 0.0);
    CHECK_CLOSE(sum[UGT_SOFT_HARD_PRECISION], expected[2], 1e-12, 0.0);
    CHECK_ALL_CLOSE(weighted, sum, UGT_SOFT_SUMS, 1e-13, 0.0);
}

/* Scores from the highest down in ranges, each above the next, of `values` different ones: sums add up to those of all. */
static void test_ranges(int values, int expected)
{
    enum { N = 40000 };
    static double score[N], p[N], w[N], own_score[N], own_p[N], own_w[N];
    double whole[UGT_SOFT_SUMS], sum[UGT_SOFT_SUMS], total[UGT_SOFT_SUMS] = {0.0}, above[4] = {0.0};
    const int cuts[] = {values, values - 1, values / 2, values / 3, 0};
    int64_t nan_at;
    uint64_t state = 12;
    for (int i = 0; i < N; i++) {
        score[i] = floor(values * draw(&state));
        p[i] = draw(&state);
        w[i] = 2.0 * draw(&state);
    }
    const ugt_scores all = {score, NULL, NULL, N};
    CHECK(ugt_soft_sums(&all, p, w, 0.5, expected, NULL, whole, &nan_at) == UGT_OK);
    CHECK(ugt_soft_sums(&all, p, w, 0.5, expected, above, sum, &nan_at) == UGT_OK && memcmp(sum, whole, sizeof sum) == 0);
    for (size_t r = 0; r + 1 < LENGTH(cuts); r++) {
        double by_hand = 0.0;
        int64_t n = 0;
        for (int i = 0; i < N; i++)
            if (score[i] < cuts[r] && score[i] >= cuts[r + 1]) {
                own_score[n] = score[i];
                own_p[n] = p[i];
                own_w[n++] = w[i];
                by_hand += w[i] * p[i];
            }
        const ugt_scores own = {own_score, NULL, NULL, n};
        CHECK(n > 0 && ugt_soft_sums(&own, own_p, own_w, 0.5, expected, above, sum, &nan_at) == UGT_OK);
        CHECK_CLOSE(sum[UGT_SOFT_POSITIVE], by_hand, 1e-12, 0.0); /* of these alone */
        for (int j = 0; j < UGT_SOFT_SUMS; j++)
            total[j] += sum[j];
        above[0] += sum[UGT_SOFT_POSITIVE];
        above[1] += sum[UGT_SOFT_NEGATIVE];
        above[2] += sum[UGT_SOFT_HARD_POSITIVE];
        above[3] += sum[UGT_SOFT_HARD_NEGATIVE];
    }
    CHECK_ALL_CLOSE(total, whole, UGT_SOFT_SUMS, 1e-12, 0.0);
}

/* Tie groups by their totals alone: the sums of their members, and bounds about those in expectation. */
static void test_groups(int values, int expected)
{
    enum { N = 300, MOST = 40 };
    double score[N], p[N], w[N], whole[UGT_SOFT_SUMS], sum[3 * UGT_SOFT_SUMS], part[UGT_SOFT_SUMS], above[4] = {0.0};
    double group[MOST][UGT_SOFT_GROUP] = {{0.0}};
    int64_t nan_at;
    uint64_t state = 21;
    for (int i = 0; i < N; i++) {
        score[i] = floor(values * draw(&state));
        p[i] = draw(&state);
        w[i] = floor(3.0 * draw(&state));
        double *g = group[values - 1 - (int)score[i]]; /* highest first */
        g[0] += w[i] * p[i];
        g[1] += w[i] * (1.0 - p[i]);
        g[2] += w[i] * p[i] * (1.0 - p[i]);
        g[3 + (p[i] <= 0.5)] += w[i];
    }
    const ugt_scores in = {score, NULL, NULL, N};
    CHECK(ugt_soft_sums(&in, p, w, 0.5, expected, NULL, whole, &nan_at) == UGT_OK);
    ugt_soft_groups(group[0], values, NULL, expected, 0, sum);
    CHECK_ALL_CLOSE(sum, whole, UGT_SOFT_SUMS, 1e-11, 0.0);
    ugt_soft_groups(group[0], 1, NULL, expected, 0, part);
    for (int j = 0; j < 2; j++) {
        above[j] = group[0][j];
        above[2 + j] = group[0][3 + j];
    }
    ugt_soft_groups(group[1], values - 1, above, expected, 0, sum);
    for (int j = 0; j < UGT_SOFT_SUMS; j++)
        CHECK_CLOSE(sum[j] + part[j], whole[j], 1e-11, 0.0);
    ugt_soft_groups(group[0], values, NULL, 1, 1, sum);
    for (int j = 0; j < UGT_SOFT_SUMS; j++)
        CHECK(sum[UGT_SOFT_SUMS + j] <= sum[j] && sum[j] <= sum[2 * UGT_SOFT_SUMS + j]);
    CHECK(sum[UGT_SOFT_SUMS + UGT_SOFT_CERTAIN] < sum[UGT_SOFT_CERTAIN] && sum[UGT_SOFT_PAIRS] < sum[2 * UGT_SOFT_SUMS + UGT_SOFT_PAIRS]);
}

/* Resamples that go through the cases together are those alone, to the last bit; weights of any kind. */
static void test_lanes(int kind)
{
    enum { N = 90, MOST = 19 };
    double positive[N], negative[N], weight[MOST * N], sums[MOST * UGT_SOFT_SUMS], alone[UGT_SOFT_SUMS];
    int64_t row[N];
    uint8_t last[N];
    uint64_t state = 31;
    for (int i = 0; i < N; i++) {
        row[i] = (i * 37) % N;
        last[i] = i == N - 1 || draw(&state) < 0.4;
        positive[i] = draw(&state);
        negative[i] = draw(&state) * (1.0 - positive[i]);
    }
    for (int j = 0; j < MOST * N; j++)
        weight[j] = j % MOST == 0 ? 0.0 : floor(4.0 * draw(&state));
    if (kind == 1) /* in the second eight: each of these is summed by itself */
        weight[3 * MOST + 10] = 0.5;
    if (kind == 2)
        weight[4 * MOST + 1] = 256.0;
    if (kind == 3)
        weight[2] = -1.0;
    for (int listed = 0; listed < 2; listed++) {
        const ugt_soft_column column = {row, last, positive, listed ? negative : NULL, 0.5, 0, N, N};
        for (int n = 1; n <= MOST; n += 6) {
            CHECK(ugt_soft_resampled(&column, weight, MOST, NULL, n, sums) == UGT_OK);
            for (int b = 0; b < n; b++) {
                CHECK(ugt_soft_resampled(&column, weight + b, MOST, NULL, 1, alone) == UGT_OK);
                for (int j = 0; j < UGT_SOFT_SUMS; j++)
                    CHECK(sums[b * UGT_SOFT_SUMS + j] == alone[j]);
            }
        }
    }
}

static void test_curve(void)
{
    enum { N = 500 };
    double score[N], p[N], w[N], positive[N], negative[N], at[N];
    int64_t n, nan_at;
    uint64_t state = 6;
    for (int i = 0; i < N; i++) {
        score[i] = floor(40.0 * draw(&state)) - 20.0;
        p[i] = draw(&state);
        w[i] = 2.0 * draw(&state);
    }
    const ugt_scores in = {score, NULL, NULL, N};
    CHECK(ugt_soft_curve(&in, p, w, positive, negative, at, &n, &nan_at) == UGT_OK);
    CHECK(n == 40 && at[0] == 19.0 && at[n - 1] == -20.0);
    for (int64_t j = 0; j < n; j++) {
        double u = 0.0, v = 0.0;
        for (int i = 0; i < N; i++)
            if (score[i] >= at[j]) {
                u += w[i] * p[i];
                v += w[i] * (1.0 - p[i]);
            }
        CHECK(j == 0 || at[j] < at[j - 1]);
        CHECK_CLOSE(positive[j], u, 1e-13, 0.0);
        CHECK_CLOSE(negative[j], v, 1e-13, 0.0);
    }
    score[7] = NAN;
    CHECK(ugt_soft_curve(&in, p, w, positive, negative, at, &n, &nan_at) == UGT_ERR_RANGE && nan_at == 7);
}

int main(void)
{
    static const int64_t size[] = {1, 2, 31, 33, 100, 5000, 8193, 40000, 200000};
    for (size_t s = 0; s < sizeof size / sizeof *size; s++)
        for (int pattern = 0; pattern < 10; pattern++)
            test_order(size[s], pattern);
    test_nan();
    for (int pattern = 0; pattern < 10; pattern++)
        test_sums(pattern);
    test_expected_precision(2);
    test_expected_precision(100);
    test_expected_precision(1000000);
    for (int expected = 0; expected < 2; expected++) {
        test_ranges(9, expected);
        test_ranges(30000, expected);
        test_groups(2, expected);
        test_groups(40, expected);
    }
    for (int kind = 0; kind < 4; kind++)
        test_lanes(kind);
    test_curve();
    return RESULT;
}
