/* Dirichlet-multinomial log-likelihoods by hand, by sums over labels and by log-gammas. */
#include "check.h"
#include "ugt.h"

typedef struct {
    double value, first, second;
} answer;

/* of one case with labels count[0..k-1] */
static answer of(double total, const double *mean, const double *count, int64_t k)
{
    const int64_t offsets[] = {0, k};
    double log_share[8];
    const double log_total = log(total);
    answer found;
    for (int64_t i = 0; i < k; i++)
        log_share[i] = log(mean[i]);
    ugt_dirichlet_multinomial(offsets, log_share, count, &log_total, 0, 1, &found.value, &found.first, &found.second);
    return found;
}

static void test_by_hand(void)
{
    const double half[] = {0.5, 0.5}, one_each[] = {1, 1}, single[] = {1};
    /* 1/2, then a/2 / (a + 1) */
    for (double a = 1e-12; a < 1e13; a *= 1000) {
        const answer found = of(a, half, one_each, 2);
        CHECK_CLOSE(found.value, log(0.5) + log(0.5 * a / (a + 1)), 1e-14, 1e-14);
        CHECK_CLOSE(found.first, 1 / (a + 1), 1e-13, 1e-300);
        CHECK_CLOSE(found.second, -a / ((a + 1) * (a + 1)), 1e-13, 1e-300);
        const answer alone = of(a, half, single, 1);
        CHECK_CLOSE(alone.value, log(0.5), 1e-14, 0);
        CHECK(alone.first == 0 && alone.second == 0);
    }
}

/* Adds a term to sum[0] + sum[1] with what rounding takes away (Neumaier): valgrind has no longer floats than double. */
static void add(double sum[2], double term)
{
    const double both = sum[0] + term;
    sum[1] += fabs(sum[0]) >= fabs(term) ? (sum[0] - both) + term : (term - both) + sum[0];
    sum[0] = both;
}

/* long sums against one label after the other */
static void test_tail(void)
{
    const double mean[] = {0.125, 0.875};
    const double lengths[] = {2, 63, 64, 65, 66, 200, 1000, 10000};
    for (double a = 1e-6; a < 1e13; a *= 10)
        for (size_t l = 0; l < LENGTH(lengths); l++) {
            const double count[] = {lengths[l], 70};
            const double n = count[0] + count[1];
            double value[2] = {0, 0}, first[2] = {0, 0}, second[2] = {0, 0};
            for (int k = 0; k < 3; k++) {
                const double b = k < 2 ? a * mean[k] : a, terms = k < 2 ? count[k] : n, sign = k < 2 ? 1 : -1;
                for (double j = 0; j < terms; j++) {
                    add(value, sign * log(b + j));
                    add(first, -sign * (j / (b + j))); /* b / (b + j) less 1: there are as many labels with either sign */
                    add(second, sign * (b / (b + j)) * (j / (b + j)));
                }
            }
            const answer found = of(a, mean, count, 2);
            /* the terms that are added are up to log(1e12) = 28 each */
            CHECK_CLOSE(found.value, value[0] + value[1], 0, 1e-14 * n);
            CHECK_CLOSE(found.first, first[0] + first[1], 1e-11, 1e-15 * n * fmin(1.0, n / a));
            CHECK_CLOSE(found.second, second[0] + second[1], 1e-11, 1e-15 * n * fmin(1.0, n / a));
        }
}

static void test_rows(void)
{
    const int64_t offsets[] = {0, 0, 2, 2, 3};
    const double share[] = {log(0.5), log(0.5), -INFINITY}, count[] = {3, 1, 2}, total[] = {700, 0, -700, 1};
    double value[4], first[4], second[4], part[3][3];
    ugt_dirichlet_multinomial(offsets, share, count, total, 0, 4, value, first, second);
    CHECK(value[0] == 0 && first[0] == 0 && second[0] == 0);
    CHECK(value[2] == 0 && first[2] == 0 && second[2] == 0);
    /* 1/2 3/2 5/2 1/2 / (1 2 3 4) */
    CHECK_CLOSE(value[1], log(15.0 / 16 / 24), 1e-14, 0);
    CHECK(value[3] == -INFINITY);
    CHECK(isfinite(first[3]) && isfinite(second[3]));
    ugt_dirichlet_multinomial(offsets, share, count, total, 1, 3, part[0], part[1], part[2]);
    CHECK(part[0][1] == value[1] && part[1][1] == first[1] && part[2][1] == second[1] && part[0][2] == 0);
    ugt_dirichlet_multinomial(offsets, share, count, total, 2, 2, NULL, NULL, NULL);
}

/* nothing that a caller may give makes a number that is none */
static void test_extremes(void)
{
    const double mean[] = {1.0, 1e-300}, counts[] = {1, 2, 64, 65, 1e9, 9007199254740992.0};
    for (double log_total = -690; log_total <= 690; log_total += 30)
        for (size_t i = 0; i < LENGTH(counts); i++) {
            const double count[] = {counts[i], counts[LENGTH(counts) - 1 - i]};
            const answer found = of(exp(log_total), mean, count, 2);
            CHECK(isfinite(found.value) && isfinite(found.first) && isfinite(found.second));
            CHECK(found.value <= 1e-9 * (count[0] + count[1]));
        }
}

int main(void)
{
    test_by_hand();
    test_tail();
    test_rows();
    test_extremes();
    return RESULT;
}
