/* Exact sums by hand, by what makes an expansion the only one, and in any order; Poisson weights word by word. */
#include <float.h>

#include "check.h"
#include "ugt.h"

enum { N = 60, M = 70 }; /* more columns than are added up at once */

static double draw(ugt_stream *stream, int kind)
{
    const double u = ugt_stream_uniform(stream), sign = ugt_stream_bits(stream) & 1 ? -1.0 : 1.0;
    const int64_t exponent = (int64_t)ugt_stream_below(stream, kind == 2 ? 2080 : 120);
    switch (kind) {
    case 0:
        return u;
    case 1:
        return sign * ldexp(u, (int)exponent - 60);
    case 2:
        return sign * ldexp(u, (int)exponent - 1074); /* denormal ones too */
    case 3:
        return sign * ldexp(1.0, (int)exponent - 60);
    default:
        return exponent < 20 ? -0.0 : sign * floor(8.0 * u);
    }
}

static double last_place(double x)
{
    return nextafter(fabs(x), INFINITY) - fabs(x);
}

/* each part is within half a unit of the last place of the one before, and the even one of two that are as near */
static int is_canonical(const double *part, int64_t n)
{
    int right = 1;
    for (int64_t i = 0; i < n; i++) {
        uint64_t bits, before;
        memcpy(&bits, &part[i], sizeof bits);
        right &= part[i] != 0.0 || bits == 0;
        if (i == 0)
            continue;
        memcpy(&before, &part[i - 1], sizeof before);
        const double half = last_place(part[i - 1]) / 2, next = i + 1 < n ? part[i + 1] : 0.0; /* next: whether the half was rounded up */
        right &= part[i] == 0.0 || fabs(part[i]) < half ||
                 (fabs(part[i]) == half && (next == 0.0 ? (before & 1) == 0 : (next < 0.0) != (part[i] < 0.0)));
    }
    return right;
}

static void fill(double *x, int64_t n, int kind)
{
    ugt_stream stream;
    ugt_stream_open(&stream, 1, (uint64_t)kind, 0, UGT_PURPOSE_DRAWS);
    for (int64_t i = 0; i < n; i++)
        x[i] = draw(&stream, kind);
}

static void test_sums(int kind)
{
    static double x[(N + UGT_EXACT_PARTS) * M], turned[M * N], columns[M * UGT_EXACT_PARTS], rows[M * UGT_EXACT_PARTS], again[M];
    int64_t n_columns, n_rows, n_none;
    int right = 1;
    fill(x, N * M, kind);
    CHECK(ugt_exact_columns(x, N, M, UGT_EXACT_PARTS, columns, &n_columns) == UGT_OK && n_columns >= 1 && n_columns <= UGT_EXACT_PARTS);
    for (int i = 0; i < N; i++)
        for (int j = 0; j < M; j++)
            turned[j * N + (i * 7 + 3) % N] = x[i * M + j]; /* in another order, 7 and N having no common factor */
    CHECK(ugt_exact_rows(turned, M, N, UGT_EXACT_PARTS, rows, &n_rows) == UGT_OK && n_rows == n_columns);
    CHECK(memcmp(rows, columns, sizeof rows) == 0);
    for (int j = 0; j < M; j++)
        right &= is_canonical(columns + j * UGT_EXACT_PARTS, UGT_EXACT_PARTS);
    CHECK(right);
    for (int k = 0; k < UGT_EXACT_PARTS; k++) /* taken off again, nothing is left */
        for (int j = 0; j < M; j++)
            x[(N + k) * M + j] = -columns[j * UGT_EXACT_PARTS + k];
    CHECK(ugt_exact_columns(x, N + UGT_EXACT_PARTS, M, 1, again, &n_none) == UGT_OK && n_none == 1);
    for (int j = 0; j < M; j++)
        CHECK(again[j] == 0.0 && !signbit(again[j]));
    CHECK(ugt_exact_columns(x, N, M, n_columns, columns, &n_none) == UGT_OK && n_none == n_columns);
    if (n_columns > 1) {
        CHECK(ugt_exact_columns(x, N, M, n_columns - 1, columns, &n_none) == UGT_ERR_SIZE);
        CHECK(ugt_exact_rows(turned, M, N, n_columns - 1, rows, &n_none) == UGT_ERR_SIZE);
    }
}

static void test_whole_numbers(void)
{
    static double x[2000];
    double part[4];
    int64_t sum = 0, n_parts;
    fill(x, 2000, 4);
    for (int i = 0; i < 2000; i++)
        sum += (int64_t)x[i];
    CHECK(ugt_exact_columns(x, 2000, 1, 4, part, &n_parts) == UGT_OK && n_parts == 1);
    CHECK(part[0] == (double)sum && part[1] == 0.0 && part[3] == 0.0);
}

static void check_row(const double *x, int64_t n, double first, double second, double third)
{
    double part[3];
    int64_t n_parts;
    CHECK(ugt_exact_rows(x, 1, n, 3, part, &n_parts) == UGT_OK && n_parts == 1 + (second != 0.0) + (third != 0.0));
    CHECK(part[0] == first && part[1] == second && part[2] == third);
    CHECK(ugt_exact_columns(x, n, 1, 3, part, &n_parts) == UGT_OK && part[0] == first && part[1] == second && part[2] == third);
}

static void test_by_hand(void)
{
    const double least = DBL_TRUE_MIN, half = DBL_EPSILON / 2;
    check_row((double[]){1e300, 1.0, -1e300}, 3, 1.0, 0.0, 0.0);
    check_row((double[]){1.0, half}, 2, 1.0, half, 0.0);
    check_row((double[]){1.0 + 2 * half, half}, 2, 1.0 + 4 * half, -half, 0.0);
    check_row((double[]){1.0, half, least}, 3, 1.0 + 2 * half, -half, least);
    check_row((double[]){2.0 - 2 * half, half}, 2, 2.0, -half, 0.0);
    check_row((double[]){DBL_MIN, -least}, 2, DBL_MIN - least, 0.0, 0.0);
    check_row((double[]){DBL_MIN, DBL_MIN, -least}, 3, DBL_MIN * 2 - least, 0.0, 0.0);
    check_row((double[]){-4.0 * DBL_MIN, least}, 2, -4.0 * DBL_MIN, least, 0.0);
    check_row((double[]){-0.0, -0.0}, 2, 0.0, 0.0, 0.0);
    check_row((double[]){DBL_MAX, DBL_MAX, -DBL_MAX, least}, 4, DBL_MAX, least, 0.0);
}

static void test_errors(void)
{
    double x[4] = {1.0, 2.0, 3.0, 4.0}, part[8];
    int64_t n_parts;
    CHECK(ugt_exact_columns(x, 2, 2, 0, part, &n_parts) == UGT_ERR_SIZE && ugt_exact_rows(x, 2, 2, 0, part, &n_parts) == UGT_ERR_SIZE);
    CHECK(ugt_exact_columns(x, 0, 2, 1, part, &n_parts) == UGT_OK && n_parts == 1 && part[0] == 0.0 && part[1] == 0.0);
    CHECK(ugt_exact_rows(x, 2, 0, 1, part, &n_parts) == UGT_OK && n_parts == 1 && part[0] == 0.0 && part[1] == 0.0);
    const double bad[] = {NAN, INFINITY, -INFINITY};
    for (int k = 0; k < 3; k++) {
        x[2] = bad[k];
        CHECK(ugt_exact_columns(x, 2, 2, 4, part, &n_parts) == UGT_ERR_VALUE);
        CHECK(ugt_exact_rows(x, 2, 2, 4, part, &n_parts) == UGT_ERR_VALUE);
    }
    const double beyond[] = {-DBL_MAX, -ldexp(1.0, 970)}; /* half a unit of the last place: to the even one, which is none */
    CHECK(ugt_exact_columns(beyond, 2, 1, 4, part, &n_parts) == UGT_ERR_VALUE);
    CHECK(ugt_exact_rows(beyond, 1, 2, 4, part, &n_parts) == UGT_ERR_VALUE);
}

/* more numbers than are added up between two settlements of carries; -1.5 first in every other place, then in the rest */
static void test_many(void)
{
    const int64_t n = 2500000;
    double *x = NEW(double, n), part[2], row[2];
    int64_t n_parts;
    for (int64_t i = 0; i < n; i++)
        x[i] = i % 2 ? -1.5 - DBL_EPSILON : 0.0;
    for (int round = 0; round < 2; round++) {
        CHECK(ugt_exact_columns(x, n, 1, 2, part, &n_parts) == UGT_OK && ugt_exact_rows(x, 1, n, 2, row, &n_parts) == UGT_OK);
        CHECK(memcmp(part, row, sizeof part) == 0);
        CHECK(part[0] + part[1] == part[0] && part[0] == -1.5 * (double)(n / 2 * (round + 1)) - ldexp((double)(n / 2 * (round + 1)), -52) - part[1]);
        for (int64_t i = 0; i < n; i += 2)
            x[i] = -1.5 - DBL_EPSILON;
    }
}

static void test_weights(void)
{
    enum { KEYS = 400, RESAMPLES = 30 };
    static double weight[RESAMPLES * KEYS], part[RESAMPLES * KEYS];
    uint64_t key[KEYS];
    int right = 1;
    for (uint64_t i = 0; i < KEYS; i++)
        key[i] = i * 0x9E3779B97F4A7C15u;
    CHECK(ugt_poisson_weights(key, KEYS, 3, 0, RESAMPLES, weight) == UGT_OK);
    for (uint64_t b = 0; b < RESAMPLES; b++)
        for (int i = 0; i < KEYS; i++) {
            const uint64_t counter[4] = {key[i], b / 8, UGT_PURPOSE_POISSON, 0}, by_seed[2] = {3, 0x756774u};
            uint64_t word[4];
            ugt_philox(counter, by_seed, word);
            const double u = ((double)(uint32_t)(word[b % 8 / 2] >> 32 * (b % 2)) + 0.5) / 4294967296.0;
            double k = 0.0, term = exp(-1.0), sum = term;
            while (u > sum) {
                k += 1.0;
                term /= k;
                sum += term;
            }
            right &= weight[(int64_t)b * KEYS + i] == k;
        }
    CHECK(right);
    for (int64_t begin = 0; begin < RESAMPLES; begin++)
        for (int64_t end = begin; end <= RESAMPLES; end++) {
            CHECK(ugt_poisson_weights(key + 9, KEYS - 9, 3, begin, end, part) == UGT_OK);
            for (int64_t b = 0; b < end - begin; b++)
                CHECK(memcmp(part + b * (KEYS - 9), weight + (begin + b) * KEYS + 9, (KEYS - 9) * sizeof *part) == 0);
        }
    CHECK(ugt_poisson_weights(key, KEYS, 3, -1, 2, weight) == UGT_ERR_RANGE && ugt_poisson_weights(key, KEYS, 3, 2, 1, weight) == UGT_ERR_RANGE);
}

int main(void)
{
    for (int kind = 0; kind < 5; kind++)
        test_sums(kind);
    test_whole_numbers();
    test_by_hand();
    test_errors();
    test_many();
    test_weights();
    return RESULT;
}
