/* tables.c, irn.c, agreement.c, order.c, compare.c: tables become rankings and counts, rankings are compared. */

#include "fuzz.h"

static void check_factorize(fuzz_input *in)
{
    const int64_t width = 1 + fuzz_below(in, 9), n = (in->end - in->at) / width;
    int32_t *code = ZEROS(int32_t, n);
    int64_t *first = ZEROS(int64_t, n), n_distinct = -1, *offsets, *order = ZEROS(int64_t, n);
    uint8_t *rows = ZEROS(uint8_t, n * width);
    if (n > 0)
        memcpy(rows, in->at, (size_t)(n * width));
    CHECK(ugt_factorize(rows, n, width, code, first, &n_distinct) == UGT_OK && n_distinct >= 0 && n_distinct <= n);
    int32_t next = 0;
    for (int64_t i = 0; i < n; i++) {
        CHECK(code[i] >= 0 && code[i] <= next && code[i] < n_distinct);
        if (code[i] == next)
            CHECK(first[next++] == i);
        CHECK(memcmp(rows + i * width, rows + first[code[i]] * width, (size_t)width) == 0);
    }
    CHECK(next == n_distinct);
    for (int32_t c = 0; c < next && c < 50; c++)
        for (int32_t d = 0; d < c; d++)
            CHECK(memcmp(rows + first[c] * width, rows + first[d] * width, (size_t)width) != 0);
    offsets = ZEROS(int64_t, n_distinct + 1);
    CHECK(ugt_group(code, n, n_distinct, offsets, order) == UGT_OK && offsets[n_distinct] == n);
    for (int32_t c = 0; c < next; c++)
        for (int64_t j = offsets[c]; j < offsets[c + 1]; j++)
            CHECK(order[j] >= 0 && order[j] < n && code[order[j]] == c && (j == offsets[c] || order[j] > order[j - 1]));
    if (n_distinct > 1)
        CHECK(ugt_group(code, n, n_distinct - 1, offsets, order) == UGT_ERR_RANGE);
}

/* The key of a number is that of its decimal digits, whatever stands behind them in the array. */
static void check_keys(fuzz_input *in)
{
    const int64_t n = 1 + fuzz_below(in, 8);
    int64_t *value = ZEROS(int64_t, n);
    uint32_t *text = ZEROS(uint32_t, n * 24), *any = ZEROS(uint32_t, n * 5);
    uint64_t *x = ZEROS(uint64_t, n), *y = ZEROS(uint64_t, n);
    for (int64_t i = 0; i < n; i++) {
        char digits[32];
        const int byte = fuzz_byte(in);
        value[i] = byte == 255 ? INT64_MIN : byte == 254 ? INT64_MAX : (int64_t)fuzz_key(in) * (byte % 2 ? -1 : 1);
        const int length = snprintf(digits, sizeof digits, "%lld", (long long)value[i]);
        for (int j = 0; j < length; j++)
            text[i * 24 + j] = (uint32_t)digits[j];
    }
    ugt_integer_keys(value, n, x);
    ugt_text_keys(text, n, 24, y);
    CHECK(memcmp(x, y, (size_t)n * sizeof *x) == 0);
    for (int64_t i = 0; i < 5 * n; i++)
        any[i] = (uint32_t)fuzz_key(in) >> fuzz_below(in, 32);
    ugt_text_keys(any, n, 5, y);
}

static void check_irn(fuzz_input *in, const ugt_rankings *x)
{
    int64_t *offsets = ZEROS(int64_t, x->n_cases + 1);
    int32_t *index = ZEROS(int32_t, x->n_items);
    double *value = ZEROS(double, x->n_items);
    const int full = fuzz_byte(in) % 2;
    CHECK(ugt_irn(x, full, fuzz_below(in, x->n_classes + 1), offsets, index, value) == UGT_OK);
    for (int64_t i = 0; i < x->n_cases; i++) {
        const int64_t m = offsets[i + 1] - offsets[i];
        for (int64_t j = offsets[i]; j < offsets[i + 1]; j++)
            CHECK(value[j] > 0 && index[j] >= 0 && index[j] < x->n_classes && (j == offsets[i] || index[j] > index[j - 1]));
        if (m > 0)
            CHECK_CLOSE(fuzz_sum(value + offsets[i], m), 1.0, 1e-12, 0.0);
    }
}

/* Each ranking is an annotator's. */
static void check_agreement(fuzz_input *in, const ugt_rankings *x)
{
    const int64_t n = x->n_rankings;
    int64_t *count = ZEROS(int64_t, n), *own = ZEROS(int64_t, n + 1), *from = ZEROS(int64_t, n), *to = ZEROS(int64_t, n), position = 0;
    double *share = ZEROS(double, n), *norm = ZEROS(double, n), *sum = ZEROS(double, n);
    for (int64_t r = 0; r < n; r++) {
        const int64_t b = x->ranking_offsets[r];
        const int one = x->ranking_offsets[r + 1] - b == 1 && x->block_offsets[b + 1] - x->block_offsets[b] == 1;
        count[r] = one ? 1 + fuzz_below(in, 4) : 1;
        own[r + 1] = r + 1;
        norm[r] = 1.0;
        from[r] = fuzz_below(in, n + 1);
        to[r] = from[r] + fuzz_below(in, n + 1 - from[r]);
    }
    CHECK(ugt_leave_one_out(x, count, n, own, fuzz_byte(in) % 2, share) == UGT_OK);
    for (int64_t r = 0; r < n; r++)
        CHECK(isnan(share[r]) || (share[r] >= 0 && share[r] <= 1));
    CHECK(ugt_partial_overlaps(x, x, from, to, norm, norm, fuzz_below(in, x->n_classes + 1), 0, n, sum) == UGT_OK);
    for (int64_t r = 0; r < n; r++)
        CHECK(sum[r] >= 0 && sum[r] <= (double)(to[r] - from[r]) * (1 + 1e-9));
    int64_t *item_offsets = ZEROS(int64_t, n + 1);
    for (int64_t r = 0; r < n; r++)
        item_offsets[r + 1] = x->block_offsets[x->ranking_offsets[r + 1]];
    CHECK(ugt_find_repeat(n, x->n_items, x->n_classes, item_offsets, x->items, &position) == UGT_OK && position == -1);
}

static void check_counts(fuzz_input *in)
{
    const int64_t n = 1 + fuzz_below(in, 5), n_classes = 1 + fuzz_below(in, 5);
    int64_t *offsets = fuzz_offsets(in, n, 0, 9), *count = ZEROS(int64_t, offsets[n]), *out = ZEROS(int64_t, n + 1), *total = ZEROS(int64_t, offsets[n]);
    int32_t *label = ZEROS(int32_t, offsets[n]), *index = ZEROS(int32_t, offsets[n]);
    int wrong = 0, unknown = 0;
    for (int64_t j = 0; j < offsets[n]; j++) {
        const int byte = fuzz_byte(in);
        label[j] = byte == 255 ? -1 : byte == 254 ? (int32_t)n_classes : (int32_t)(byte % n_classes);
        count[j] = fuzz_byte(in) % 4;
        unknown |= byte >= 254;
        wrong |= byte >= 254 && count[j] > 0; /* what counts 0 is not looked at */
    }
    CHECK(ugt_class_counts(n, offsets[n], n_classes, offsets, label, count, out, index, total) == (wrong ? UGT_ERR_RANGE : UGT_OK));
    for (int64_t i = 0; i < n && !wrong; i++)
        for (int32_t k = 0; k < n_classes; k++) {
            int64_t sum = 0, found = 0;
            for (int64_t j = offsets[i]; j < offsets[i + 1]; j++)
                sum += label[j] == k ? count[j] : 0;
            for (int64_t j = out[i]; j < out[i + 1]; j++)
                found += index[j] == k ? total[j] : 0;
            CHECK(sum == found);
        }
    int64_t most = 1, least = INT64_MAX;
    for (int64_t i = 0; i < n; i++) {
        int64_t sum = 0;
        for (int64_t j = offsets[i]; j < offsets[i + 1]; j++)
            sum += count[j];
        most = sum > most ? sum : most;
        least = sum > 1 && sum < least ? sum : least;
    }
    int equal = -1;
    CHECK(ugt_equal_totals(offsets, count, n, offsets[n], &equal) == UGT_OK && equal == (least >= most));
    int32_t *code = ZEROS(int32_t, n);
    int64_t *first = ZEROS(int64_t, n), n_distinct = 0;
    CHECK(ugt_distinct_rows(offsets, label, count, n, offsets[n], n, code, first, &n_distinct) == UGT_OK && n_distinct <= n);
    for (int64_t i = 0; i < n; i++)
        for (int64_t h = 0; h <= i; h++) {
            const size_t size = (size_t)(offsets[i + 1] - offsets[i]);
            const int same = offsets[h + 1] - offsets[h] == (int64_t)size &&
                             memcmp(label + offsets[i], label + offsets[h], size * sizeof *label) == 0 &&
                             memcmp(count + offsets[i], count + offsets[h], size * sizeof *count) == 0;
            CHECK((code[i] == code[h]) == same && first[code[i]] <= i);
        }
    const int64_t width = 1 + fuzz_below(in, 4);
    int64_t *table = ZEROS(int64_t, n * width), *starts = ZEROS(int64_t, n + 1);
    for (int64_t j = 0; j < n * width; j++) {
        const int byte = fuzz_byte(in);
        table[j] = byte == 255 ? -1 : byte == 254 ? INT64_MAX : byte % 3;
    }
    const int64_t bad = ugt_count_cells(table, n, width, starts);
    CHECK(bad >= -1 && bad < n);
    if (bad < 0) {
        const int64_t cells = starts[n];
        int64_t *value = ZEROS(int64_t, cells);
        int32_t *column = ZEROS(int32_t, cells);
        CHECK(ugt_read_cells(table, n, width, cells, column, value) == UGT_OK);
        for (int64_t i = 0; i < n; i++)
            for (int64_t j = starts[i]; j < starts[i + 1]; j++)
                CHECK(column[j] >= 0 && column[j] < width && table[i * width + column[j]] == value[j] && value[j] > 0);
    }
    int64_t position = -2, plain = -1;
    if (!unknown) {
        CHECK(ugt_find_repeat(n, offsets[n], n_classes, offsets, label, &position) == UGT_OK);
        for (int64_t i = n - 1; i >= 0; i--)
            for (int64_t j = offsets[i + 1] - 1; j > offsets[i]; j--)
                for (int64_t h = offsets[i]; h < j; h++)
                    plain = label[h] == label[j] ? j : plain;
        CHECK(position == plain);
    }
}

static int64_t *order_of(fuzz_input *in, int64_t n, int64_t n_classes, int64_t depth, int32_t **order, int32_t **start)
{
    double *value = ZEROS(double, n * n_classes);
    int64_t *offsets = ZEROS(int64_t, n + 1);
    const int ties_first = fuzz_byte(in) % 2;
    for (int64_t i = 0; i < n * n_classes; i++)
        value[i] = fuzz_number(in);
    CHECK(ugt_order_rows(NULL, NULL, value, n, n_classes, depth, ties_first, 0, offsets, NULL, NULL) == UGT_OK);
    *order = ZEROS(int32_t, offsets[n]);
    *start = ZEROS(int32_t, offsets[n]);
    CHECK(ugt_order_rows(NULL, NULL, value, n, n_classes, depth, ties_first, offsets[n], offsets, *order, *start) == UGT_OK);
    for (int64_t i = 0; i < n; i++) {
        const int64_t listed = offsets[i + 1] - offsets[i]; /* a last bucket of ties need not be listed */
        CHECK(ties_first ? listed == depth : listed >= 0 && listed < n_classes);
        for (int64_t j = offsets[i]; j < offsets[i + 1]; j++) {
            const double own = value[i * n_classes + (*order)[j]];
            CHECK((*start)[j] >= 0 && (*start)[j] <= j - offsets[i]);
            if (j > offsets[i]) {
                const double before = value[i * n_classes + (*order)[j - 1]];
                CHECK(before > own || (before == own && (ties_first || (*start)[j] == (*start)[j - 1])));
            }
        }
    }
    return offsets;
}

static void check_orders(fuzz_input *in)
{
    const int64_t n = 1 + fuzz_below(in, 3), n_draws = 1 + fuzz_below(in, 2), n_classes = 1 + fuzz_below(in, 6), depth = 1 + fuzz_below(in, n_classes);
    int32_t *x_order, *x_start, *y_order, *y_start;
    int64_t *x_offsets = order_of(in, n * n_draws, n_classes, depth, &x_order, &x_start);
    int64_t *y_offsets = order_of(in, n, n_classes, depth, &y_order, &y_start);
    const ugt_orders truth = {x_offsets, x_order, x_start}, model = {y_offsets, y_order, y_start};
    const int metric = UGT_KENDALL + (int)(depth % 2), width = ugt_compare_width(metric, (int)depth);
    double *per_case = ZEROS(double, n * width), *per_draw = ZEROS(double, n_draws * width);
    uint8_t *defined = ZEROS(uint8_t, n);
    for (int64_t i = 0; i < n; i++)
        defined[i] = fuzz_byte(in) % 4 != 3;
    CHECK(ugt_compare_orders(&truth, &model, defined, 0, n, n_draws, n_classes, (int)depth, metric, 0.5, per_case, per_draw) == UGT_OK);
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < width; j++) {
            const double found = per_case[i * width + j];
            CHECK(defined[i] ? found >= -1e-12 : isnan(found));
            CHECK(!defined[i] || j == width - 1 || found <= 1 + 1e-12);
        }
}

static void fuzz_one(fuzz_input *in)
{
    const int what = fuzz_byte(in) % 6;
    if (what == 0)
        check_factorize(in);
    else if (what == 1)
        check_keys(in);
    else if (what == 2)
        check_counts(in);
    else if (what == 3)
        check_orders(in);
    else {
        const int64_t n_classes = 1 + fuzz_below(in, 9);
        const ugt_rankings x = fuzz_rankings(in, n_classes, 1 + fuzz_below(in, 3), 5);
        if (what == 4)
            check_irn(in, &x);
        else
            check_agreement(in, &x);
    }
}
