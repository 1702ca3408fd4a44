/* Numbered rows, groups, keys of streams and sums over annotations: by hand, by definition, and what bad arrays get. */
#include "check.h"
#include "ugt.h"

static void test_distinct_rows(int64_t width)
{
    enum { N = 6000, DISTINCT = 2500 }; /* more than the table has at first: it grows twice */
    uint8_t *rows = ZEROS(uint8_t, N * width);
    int32_t *code = NEW(int32_t, N);
    int64_t *first = NEW(int64_t, N), n = 0, known = 0;
    int right = 1;
    for (int64_t i = 0; i < N; i++)
        memcpy(rows + i * width + width - 2, &(uint16_t){(uint16_t)(i * i % DISTINCT)}, 2);
    CHECK(ugt_factorize(rows, N, width, code, first, &n) == UGT_OK);
    for (int64_t i = 0; i < N; i++) {
        right &= code[i] >= 0 && code[i] <= known && first[code[i]] <= i;
        right &= (code[i] == known) == (first[code[i]] == i); /* new ones get the next number */
        right &= memcmp(rows + i * width, rows + first[code[i]] * width, (size_t)width) == 0;
        known += code[i] == known;
    }
    for (int64_t c = 0; c < n; c++)
        for (int64_t d = 0; d < c; d++)
            right &= memcmp(rows + first[c] * width, rows + first[d] * width, (size_t)width) != 0;
    CHECK(right && known == n && n > 1024 / 2);
    CHECK(ugt_factorize(rows, 0, width, code, first, &n) == UGT_OK && n == 0);
}

static void test_distinct_pairs(void)
{
    enum { N = 5000, DISTINCT = 1100 }; /* the table grows once; rows of 0 to 3 pairs */
    int64_t *offsets = ZEROS(int64_t, N + 1), *count = ZEROS(int64_t, 3 * N), *first = ZEROS(int64_t, N), n = 0, known = 0;
    int32_t *label = ZEROS(int32_t, 3 * N), *code = ZEROS(int32_t, N);
    int right = 1;
    for (int64_t i = 0; i < N; i++) {
        const int64_t what = i * i % DISTINCT, size = what % 4;
        offsets[i + 1] = offsets[i] + size;
        for (int64_t j = offsets[i]; j < offsets[i + 1]; j++) {
            label[j] = (int32_t)(what / 8);
            count[j] = what / 4 % 2 + ((int64_t)(j == offsets[i]) << 40);
        }
    }
    CHECK(ugt_distinct_rows(offsets, label, count, N, offsets[N], N, code, first, &n) == UGT_OK);
    for (int64_t i = 0; i < N; i++) {
        const int64_t f = first[code[i]], size = offsets[i + 1] - offsets[i];
        right &= code[i] >= 0 && code[i] <= known && (code[i] == known) == (f == i) && offsets[f + 1] - offsets[f] == size;
        right &= memcmp(label + offsets[i], label + offsets[f], (size_t)size * sizeof *label) == 0;
        right &= memcmp(count + offsets[i], count + offsets[f], (size_t)size * sizeof *count) == 0;
        known += code[i] == known;
    }
    CHECK(right && known == n);
    const int64_t all = n;
    CHECK(ugt_distinct_rows(offsets, label, count, N, offsets[N], all, code, first, &n) == UGT_OK && n == all);
    CHECK(ugt_distinct_rows(offsets, label, count, N, offsets[N], all - 1, code, first, &n) == UGT_OK && n == -1);
    CHECK(ugt_distinct_rows(offsets, label, count, N, offsets[N] + 1, N, code, first, &n) == UGT_ERR_RANGE);
    offsets[5] = -1;
    CHECK(ugt_distinct_rows(offsets, label, count, N, offsets[N], N, code, first, &n) == UGT_ERR_RANGE);
}

static void test_cells(void)
{
    const int64_t table[] = {0, 2, 1, 0, 0, 0, 3, 0, 0, 5, 6, 7}, below[] = {0, 1, 2, -1}, most = INT64_C(1) << 53;
    const int64_t above[] = {most, 0, most, 1}, starts[] = {7, 9, 9, 10, 13}, counts[] = {2, 1, 3, 5, 6, 7};
    const int32_t columns[] = {1, 2, 0, 0, 1, 2};
    int64_t offsets[5] = {7}, count[6];
    int32_t column[6];
    CHECK(ugt_count_cells(table, 4, 3, offsets) == -1 && memcmp(offsets, starts, sizeof starts) == 0);
    CHECK(ugt_read_cells(table, 4, 3, 6, column, count) == UGT_OK);
    CHECK(memcmp(column, columns, sizeof columns) == 0 && memcmp(count, counts, sizeof counts) == 0);
    CHECK(ugt_read_cells(table, 4, 3, 5, column, count) == UGT_ERR_RANGE && ugt_read_cells(table, 3, 3, 4, column, count) == UGT_ERR_RANGE);
    CHECK(ugt_count_cells(below, 2, 2, offsets) == 1 && ugt_count_cells(above, 2, 2, offsets) == 1);
    CHECK(ugt_count_cells(above, 1, 2, offsets) == -1);
}

static void test_groups(void)
{
    const int32_t code[] = {2, 0, 2, 3, 0, 2}, low[] = {0, -1}, high[] = {0, 4};
    const int64_t starts[] = {0, 2, 2, 5, 6}, places[] = {1, 4, 0, 2, 5, 3};
    int64_t offsets[5], order[6];
    CHECK(ugt_group(code, 6, 4, offsets, order) == UGT_OK);
    CHECK(memcmp(offsets, starts, sizeof starts) == 0 && memcmp(order, places, sizeof places) == 0);
    CHECK(ugt_group(low, 2, 4, offsets, order) == UGT_ERR_RANGE);
    CHECK(ugt_group(high, 2, 4, offsets, order) == UGT_ERR_RANGE);
}

/* FNV-1a of the bytes, then the finaliser of MurmurHash3 */
static uint64_t key_of(const char *bytes)
{
    uint64_t h = UINT64_C(0xcbf29ce484222325);
    for (; *bytes != '\0'; bytes++)
        h = (h ^ (uint8_t)*bytes) * UINT64_C(0x100000001b3);
    h = (h ^ h >> 33) * UINT64_C(0xff51afd7ed558ccd);
    h = (h ^ h >> 33) * UINT64_C(0xc4ceb9fe1a85ec53);
    return h ^ h >> 33;
}

static void test_keys(void)
{
    const uint32_t text[5][4] = {{'a', 0, 0, 0}, {0}, {0xe9, 0x20ac, 0x1f600, 0}, {'a', 0, 'b', 0}, {'-', '1', '2', 0}};
    const int64_t value[] = {0, -12, INT64_MAX, INT64_MIN, 7};
    uint64_t key[5];
    ugt_text_keys(&text[0][0], 5, 4, key);
    CHECK(key[0] == key_of("a") && key[1] == key_of(""));
    CHECK(key[2] == key_of("\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80"));
    CHECK(key[3] != key_of("ab") && key[3] != key[0] && key[4] == key_of("-12"));
    ugt_integer_keys(value, 5, key);
    CHECK(key[0] == key_of("0") && key[1] == key_of("-12") && key[4] == key_of("7"));
    CHECK(key[2] == key_of("9223372036854775807") && key[3] == key_of("-9223372036854775808"));
}

/* ---- inverse rank normalisation ---- */

static void test_weights_by_hand(void)
{
    /* case 0: 4 > {1, 2} and 1; case 1: nothing; case 2: 3 > 2 > 1 */
    const int64_t cases[] = {0, 2, 2, 3}, rankings[] = {0, 2, 3, 6}, blocks[] = {0, 1, 3, 4, 5, 6, 7};
    const int32_t items[] = {4, 1, 2, 1, 3, 2, 1};
    const ugt_rankings x = {3, 3, 6, 7, 5, cases, rankings, blocks, items};
    const int32_t classes[] = {1, 2, 4, 1, 2, 3};
    const double sums[2][6] = {{1.25, 0.25, 1.0, 1.0 / 3, 0.5, 1.0}, {1.5, 0.5, 1.0, 1.0 / 3, 0.5, 1.0}};
    int64_t offsets[4];
    int32_t index[7];
    double value[7];
    for (int full = 0; full < 2; full++) {
        CHECK(ugt_irn(&x, full, 10, offsets, index, value) == UGT_OK);
        CHECK(offsets[0] == 0 && offsets[1] == 3 && offsets[2] == 3 && offsets[3] == 6);
        CHECK(memcmp(index, classes, sizeof classes) == 0);
        for (int j = 0; j < 6; j++) {
            const double *s = sums[full];
            CHECK_CLOSE(value[j], s[j] / (j < 3 ? s[0] + s[1] + s[2] : s[3] + s[4] + s[5]), 1e-15, 0.0);
        }
    }
    CHECK(ugt_irn(&x, 0, 1, offsets, index, value) == UGT_OK); /* first blocks only */
    CHECK(offsets[1] == 2 && offsets[3] == 3 && value[0] == 0.5 && value[1] == 0.5 && index[2] == 3 && value[2] == 1.0);
}

/* n blocks of one class each, and the same backwards: every class and its mirror image get the same double */
static void test_deep_rankings(int n)
{
    enum { MOST = 300 };
    int64_t cases[] = {0, 2}, rankings[] = {0, n, 2 * n}, blocks[2 * MOST + 1], offsets[2];
    int32_t items[2 * MOST], index[2 * MOST];
    double value[2 * MOST], total = 0.0;
    for (int j = 0; j <= 2 * n; j++)
        blocks[j] = j;
    for (int j = 0; j < n; j++) {
        items[j] = n - 1 - j;
        items[n + j] = j;
        total += 2.0 / (j + 1);
    }
    const ugt_rankings x = {1, 2, 2 * n, 2 * n, n, cases, rankings, blocks, items};
    CHECK(ugt_irn(&x, 0, n, offsets, index, value) == UGT_OK && offsets[1] == n);
    for (int k = 0; k < n; k++) {
        CHECK(index[k] == k && value[k] == value[n - 1 - k]);
        CHECK_CLOSE(value[k], (1.0 / (k + 1) + 1.0 / (n - k)) / total, 1e-14, 0.0);
    }
}

static void test_bad_rankings(void)
{
    const int64_t cases[] = {0, 1}, rankings[] = {0, 2}, blocks[] = {0, 1, 2}, empty[] = {0, 2, 2}, late[] = {1, 1, 2}, falling[] = {0, 3, 2};
    const int64_t none[] = {0, 0}, backwards[] = {0, -1};
    const int32_t items[] = {1, 0}, low[] = {1, -1}, high[] = {1, 3};
    int64_t offsets[2];
    int32_t index[2];
    double value[2];
    const struct {
        ugt_rankings x;
        int status;
    } table[] = {
        {{1, 1, 2, 2, 3, cases, rankings, blocks, items}, UGT_OK},         {{1, 1, 2, 2, 3, cases, rankings, empty, items}, UGT_ERR_VALUE},
        {{1, 1, 2, 2, 3, cases, rankings, late, items}, UGT_ERR_RANGE},    {{1, 1, 2, 2, 3, cases, rankings, falling, items}, UGT_ERR_RANGE},
        {{1, 1, 2, 2, 3, none, rankings, blocks, items}, UGT_ERR_RANGE},   {{1, 1, 2, 2, 3, cases, backwards, blocks, items}, UGT_ERR_RANGE},
        {{1, 1, 2, 2, 3, cases, rankings, blocks, low}, UGT_ERR_RANGE},    {{1, 1, 2, 2, 3, cases, rankings, blocks, high}, UGT_ERR_RANGE},
        {{-1, 1, 2, 2, 3, cases, rankings, blocks, items}, UGT_ERR_RANGE}, {{1, 1, 2, 3, 3, cases, rankings, blocks, items}, UGT_ERR_RANGE},
    };
    for (size_t j = 0; j < LENGTH(table); j++)
        CHECK(ugt_irn(&table[j].x, 0, 5, offsets, index, value) == table[j].status);
}

static void test_counts(void)
{
    enum { MANY = 50 }; /* more classes than insertion sorts */
    const int64_t offsets[] = {0, 4, 4, 6}, count[] = {2, 0, 3, 1, 4, 5}, falling[] = {0, 4, 3, 6}, whole[] = {0, MANY};
    const int32_t label[] = {2, 1, 0, 2, 1, 1}, high[] = {2, 1, 3, 2, 1, 1};
    int64_t out[4], total[MANY], ones[MANY], position;
    int32_t index[MANY], many[MANY];
    CHECK(ugt_class_counts(3, 6, 3, offsets, label, count, out, index, total) == UGT_OK);
    CHECK(out[1] == 2 && out[2] == 2 && out[3] == 3);
    CHECK(index[0] == 0 && total[0] == 3 && index[1] == 2 && total[1] == 3 && index[2] == 1 && total[2] == 9);
    CHECK(ugt_class_counts(3, 6, 3, offsets, high, count, out, index, total) == UGT_ERR_RANGE);
    double about[6]; /* labels of cases: 3 and 3 of two classes; none; 9 of one, twice */
    const double times[] = {1, 1, 2};
    CHECK(ugt_pair_sums(3, 6, 3, offsets, label, count, times, 1, about) == UGT_OK);
    CHECK(about[0] == 18.0 / 30 && about[1] == 3 && about[2] == 3 && about[3] == 0.5 && about[4] == 2 && about[5] == 0.5);
    CHECK(ugt_pair_sums(3, 6, 3, offsets, label, count, NULL, 0, about) == UGT_OK);
    CHECK(about[0] == 18.0 / 5 && about[1] == 15 && about[2] == 0 && about[3] == 3 && about[4] == 9 && about[5] == 3);
    CHECK(ugt_pair_sums(3, 6, 3, offsets, high, count, NULL, 0, about) == UGT_ERR_RANGE);
    CHECK(ugt_pair_sums(3, 6, 3, falling, label, count, NULL, 0, about) == UGT_ERR_RANGE);
    const double value[] = {1, 2, 4, 8, 16, 32};
    double sums[3] = {-1, -1, -1};
    CHECK(ugt_row_sums(offsets, value, 3, 6, sums) == UGT_OK);
    for (int i = 0; i < 3; i++) {
        double by_hand = 0.0;
        for (int64_t j = offsets[i]; j < offsets[i + 1]; j++)
            by_hand += value[j];
        CHECK(sums[i] == by_hand);
    }
    CHECK(ugt_row_sums(falling, value, 3, 6, sums) == UGT_ERR_RANGE && ugt_row_sums(offsets, value, 3, 5, sums) == UGT_ERR_RANGE);
    const int64_t even[] = {1, 2, 0, 1, 3, 1}; /* with these offsets: 4, 0 and 4 */
    int equal = -1;
    CHECK(ugt_equal_totals(offsets, even, 3, 6, &equal) == UGT_OK && equal == 1);
    CHECK(ugt_equal_totals(offsets, count, 3, 6, &equal) == UGT_OK && equal == 0);
    CHECK(ugt_equal_totals(falling, count, 3, 6, &equal) == UGT_ERR_RANGE && ugt_equal_totals(offsets, count, 3, 5, &equal) == UGT_ERR_RANGE);
    CHECK(ugt_class_counts(3, 6, 3, falling, label, count, out, index, total) == UGT_ERR_RANGE);
    for (int j = 0; j < MANY; j++) {
        many[j] = j * 7 % MANY;
        ones[j] = 1 + many[j];
    }
    CHECK(ugt_class_counts(1, MANY, MANY, whole, many, ones, out, index, total) == UGT_OK && out[1] == MANY);
    for (int j = 0; j < MANY; j++)
        CHECK(index[j] == j && total[j] == j + 1);

    CHECK(ugt_find_repeat(3, 6, 3, offsets, label, &position) == UGT_OK && position == 3);
    CHECK(ugt_find_repeat(1, MANY, MANY, whole, many, &position) == UGT_OK && position == -1);
    CHECK(ugt_find_repeat(3, 6, 3, offsets, high, &position) == UGT_ERR_RANGE);
    CHECK(ugt_find_repeat(3, 6, 3, falling, label, &position) == UGT_ERR_RANGE);
}

int main(void)
{
    test_distinct_rows(3);
    test_distinct_rows(8);
    test_distinct_rows(19);
    test_distinct_pairs();
    test_cells();
    test_groups();
    test_keys();
    test_weights_by_hand();
    test_deep_rankings(5);
    test_deep_rankings(36); /* here the common denominator fits and the total does not */
    test_deep_rankings(300);
    test_bad_rankings();
    test_counts();
    return RESULT;
}
