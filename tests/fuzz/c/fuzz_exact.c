/* exact.c and poisson.c: sums in another order and of parts, and weights in another range. */

#include "fuzz.h"

#define MOST_ROWS 24
#define MOST_COLUMNS 6

/* Any finite double, as its bits; numbers that follow each other or cancel are frequent. */
static double any_number(fuzz_input *in, double before)
{
    const int byte = fuzz_byte(in);
    if (byte < 40)
        return -before;
    if (byte < 120)
        return fuzz_number(in) * pow(2.0, byte - 120);
    uint64_t bits = 0;
    double number;
    for (int i = 0; i < 8; i++)
        bits = bits << 8 | (uint64_t)fuzz_byte(in);
    memcpy(&number, &bits, sizeof number);
    return isfinite(number) ? number / 32 : before / 2;
}

/* Half of the rows and the rest added up by themselves, then their parts; and all of them from the last on. */
static void check_sums(const double *x, int64_t n, int64_t m)
{
    double *parts = ZEROS(double, 3 * m * UGT_EXACT_PARTS), *two = parts + m * UGT_EXACT_PARTS;
    double *turned = ZEROS(double, n * m), *both = ZEROS(double, 2 * m * UGT_EXACT_PARTS);
    int64_t n_parts, n_again, n_two[2];
    CHECK(ugt_exact_columns(x, n, m, UGT_EXACT_PARTS, parts, &n_parts) == UGT_OK);
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < m; j++)
            turned[j * n + n - 1 - i] = x[i * m + j];
    const int64_t room = n + 1 < UGT_EXACT_PARTS ? n + 1 : UGT_EXACT_PARTS;
    CHECK(ugt_exact_rows(turned, m, n, room, two, &n_again) == UGT_OK && n_again == n_parts);
    for (int64_t j = 0; j < m; j++)
        CHECK(memcmp(parts + j * UGT_EXACT_PARTS, two + j * room, (size_t)n_parts * sizeof *two) == 0);
    const int64_t half = n / 2;
    CHECK(ugt_exact_columns(x, half, m, UGT_EXACT_PARTS, two, &n_two[0]) == UGT_OK);
    CHECK(ugt_exact_columns(x + half * m, n - half, m, UGT_EXACT_PARTS, two + m * UGT_EXACT_PARTS, &n_two[1]) == UGT_OK);
    for (int64_t j = 0; j < m; j++)
        for (int h = 0; h < 2; h++)
            memcpy(both + (2 * j + h) * UGT_EXACT_PARTS, two + (h * m + j) * UGT_EXACT_PARTS, UGT_EXACT_PARTS * sizeof *both);
    CHECK(ugt_exact_rows(both, m, 2 * UGT_EXACT_PARTS, UGT_EXACT_PARTS, two, &n_again) == UGT_OK && n_again == n_parts);
    CHECK(memcmp(two, parts, (size_t)(m * UGT_EXACT_PARTS) * sizeof *two) == 0);
}

static void check_weights(fuzz_input *in)
{
    const int64_t n = fuzz_below(in, 5), begin = fuzz_below(in, 20), end = begin + fuzz_below(in, 20), from = begin + fuzz_below(in, end - begin + 1);
    const uint64_t seed = fuzz_key(in);
    uint64_t *key = ZEROS(uint64_t, n);
    double *weight = ZEROS(double, (end - begin) * n), *rest = ZEROS(double, (end - from) * n);
    for (int64_t i = 0; i < n; i++)
        key[i] = fuzz_key(in);
    CHECK(ugt_poisson_weights(key, n, seed, begin, end, weight) == UGT_OK);
    CHECK(ugt_poisson_weights(key, n, seed, from, end, rest) == UGT_OK);
    CHECK(memcmp(weight + (from - begin) * n, rest, (size_t)((end - from) * n) * sizeof *rest) == 0);
    for (int64_t i = 0; i < (end - begin) * n; i++)
        CHECK(weight[i] >= 0 && weight[i] <= 12 && weight[i] == floor(weight[i]));
}

static void fuzz_one(fuzz_input *in)
{
    if (fuzz_byte(in) % 4 == 0) {
        check_weights(in);
        return;
    }
    const int64_t n = 1 + fuzz_below(in, MOST_ROWS), m = 1 + fuzz_below(in, MOST_COLUMNS);
    double *x = ZEROS(double, n * m);
    for (int64_t i = 0; i < n * m; i++)
        x[i] = any_number(in, i > 0 ? x[i - 1] : 1.0);
    check_sums(x, n, m);
}
