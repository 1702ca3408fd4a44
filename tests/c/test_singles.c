/* Draws of mentioned classes and a lump: best classes, groups and the most frequent set, by hand and by their frequencies.
 *
 * Frequencies are compared within 7 standard errors: 2.6e-12 per comparison, below 1e-9 for the some 100 comparisons here. */
#include "check.h"
#include "ugt.h"

#define LIMIT 7.0

enum { CLASSES = 6 };

/* one case in which classes 1 and 4 are mentioned */
static const int64_t OFFSETS[] = {0, 2};
static const int32_t INDEX[] = {1, 4};
static const uint64_t KEY[] = {77};

static ugt_mentioned draws_of(int rest, double shape, int64_t n)
{
    return (ugt_mentioned){OFFSETS, INDEX, KEY, CLASSES, n, rest, shape, 5, 0, 0};
}

static double *repeated(const double *value, int64_t n)
{
    double *all = NEW(double, 3 * n);
    for (int64_t d = 0; d < n; d++)
        memcpy(all + 3 * d, value, 3 * sizeof *value);
    return all;
}

static void test_mentioned_only(void)
{
    const double value[] = {0.2, 0.5, 0.3};
    const ugt_mentioned draws = draws_of(UGT_REST_IGNORE, 1.0, 1);
    int32_t top[4];
    double groups[2];
    const int64_t group[CLASSES] = {0, 0, 0, 1, 1, 1};
    CHECK(ugt_mentioned_top(&draws, value, 0, 1, 4, top) == UGT_OK);
    CHECK(top[0] == 4 && top[1] == 1 && top[2] == -1 && top[3] == -1);
    CHECK(ugt_mentioned_groups(&draws, value, 0, 1, group, 2, groups) == UGT_OK);
    CHECK(groups[0] == 0.2 && groups[1] == 0.5);
}

/* four classes of 0.3 / 4 each: they come where 0.075 stands, with any of their names */
static void test_lump(void)
{
    enum { N = 4000 };
    const double high[] = {0.05, 0.65, 0.3}, low[] = {0.2, 0.5, 0.3};
    const ugt_mentioned draws = draws_of(UGT_REST_LUMP, 1.0, N);
    const int64_t group[CLASSES] = {0, 0, 0, 1, 1, 1};
    int32_t *top = NEW(int32_t, N * 3);
    double *value = repeated(high, N), *groups = NEW(double, N * 2);
    int named[CLASSES] = {0};
    CHECK(ugt_mentioned_top(&draws, value, 0, 1, 3, top) == UGT_OK);
    for (int d = 0; d < N; d++) {
        CHECK(top[3 * d] == 4 && top[3 * d + 1] != 1 && top[3 * d + 2] != 1 && top[3 * d + 1] != top[3 * d + 2]);
        named[top[3 * d + 1]]++;
    }
    for (int k = 0; k < CLASSES; k++)
        CHECK_CLOSE(named[k], k == 1 || k == 4 ? 0.0 : N / 4.0, 0.0, LIMIT * sqrt(N * 0.25 * 0.75) * (k != 1 && k != 4));
    CHECK(ugt_mentioned_groups(&draws, value, 0, 1, group, 2, groups) == UGT_OK);
    CHECK_CLOSE(groups[0], 0.05 + 0.15, 1e-15, 0.0);
    CHECK_CLOSE(groups[1], 0.65 + 0.15, 1e-15, 0.0);
    value = repeated(low, N);
    CHECK(ugt_mentioned_top(&draws, value, 0, 1, 2, top) == UGT_OK);
    CHECK(top[0] == 4 && top[1] == 1); /* 0.2 is more than 0.075 */
}

/* shares of the lump are uniform on a simplex of four: P(max <= x) = sum_j (-1)^j C(4, j) max(0, 1 - j x)^3 */
static double largest_below(double x)
{
    const double ways[] = {1, 4, 6, 4, 1};
    double sum = 0.0;
    for (int j = 0; j <= 4; j++)
        sum += (j % 2 ? -1.0 : 1.0) * ways[j] * pow(fmax(0.0, 1.0 - j * x), 3.0);
    return sum;
}

static void test_individuals(void)
{
    enum { N = 20000 };
    const double some[] = {0.1, 0.3, 0.6};
    const ugt_mentioned draws = draws_of(UGT_REST_INDIVIDUAL, 1.0, N);
    const int64_t group[CLASSES] = {0, 0, 0, 1, 1, 1};
    int32_t *top = NEW(int32_t, N * 6);
    double *value = repeated(some, N), *groups = NEW(double, N * 2);
    int first[CLASSES] = {0};
    CHECK(ugt_mentioned_top(&draws, value, 0, 1, 6, top) == UGT_OK);
    for (int d = 0; d < N; d++) {
        int seen[CLASSES] = {0};
        for (int j = 0; j < 6; j++)
            seen[top[6 * d + j]]++;
        for (int k = 0; k < CLASSES; k++)
            CHECK(seen[k] == 1);
        first[top[6 * d]]++;
    }
    const double mentioned = largest_below(0.3 / 0.6);
    CHECK_CLOSE(first[4], N * mentioned, 0.0, LIMIT * sqrt(N * mentioned * (1.0 - mentioned)));
    CHECK(first[1] == 0);
    for (int k = 0; k < CLASSES; k++)
        if (k != 1 && k != 4)
            CHECK_CLOSE(first[k], N * (1.0 - mentioned) / 4.0, 0.0, LIMIT * sqrt(N * 0.25));

    /* groups: class 1 and two of the four; class 4 and the other two: Beta(2, 2) shares, mean 1/2, variance 1/20 */
    double mean = 0.0, square = 0.0;
    CHECK(ugt_mentioned_groups(&draws, value, 0, 1, group, 2, groups) == UGT_OK);
    for (int d = 0; d < N; d++) {
        const double share = (groups[2 * d] - 0.1) / 0.6;
        CHECK_CLOSE(groups[2 * d] + groups[2 * d + 1], 1.0, 1e-14, 0.0);
        mean += share / N;
        square += (share - 0.5) * (share - 0.5) / N;
    }
    CHECK_CLOSE(mean, 0.5, 0.0, LIMIT * sqrt(1.0 / 20 / N));
    CHECK_CLOSE(square, 1.0 / 20, 0.0, LIMIT * sqrt((3.0 / 560 - 1.0 / 400) / N)); /* fourth central moment 3/560 */
    /* a group without unmentioned classes gets the mentioned one's value alone */
    const int64_t apart[CLASSES] = {0, 1, 0, 0, 0, 0};
    CHECK(ugt_mentioned_groups(&draws, value, 0, 1, apart, 2, groups) == UGT_OK && groups[1] == 0.1);
}

int main(void)
{
    test_mentioned_only();
    test_lump();
    test_individuals();
    return RESULT;
}
