/* tables.c, irn.c, agreement.c, order.c, compare.c: tables become rankings and counts, rankings are compared. */

#include "fuzz.h"

static void check_factorize(fuzz_input *in)
{
    const int64_t width = 1 + fuzz_below(in, 9), n = (in->end - in->at) / width;
    int32_t *code = NEW(int32_t, n);
    int64_t *first = NEW(int64_t, n), n_distinct = -1, *offsets, *order = NEW(int64_t, n);
    uint8_t *rows = NEW(uint8_t, n * width);
    if (n > 0)
        memcpy(rows, in->at, (size_t)(n * width));
    EXPECT(ugt_factorize(rows, n, width, code, first, &n_distinct) == UGT_OK && n_distinct >= 0 && n_distinct <= n);
    int32_t next = 0;
    for (int64_t i = 0; i < n; i++) {
        EXPECT(code[i] >= 0 && code[i] <= next && code[i] < n_distinct);
        if (code[i] == next)
            EXPECT(first[next++] == i);
        EXPECT(memcmp(rows + i * width, rows + first[code[i]] * width, (size_t)width) == 0);
    }
    EXPECT(next == n_distinct);
    for (int32_t c = 0; c < next && c < 50; c++)
        for (int32_t d = 0; d < c; d++)
            EXPECT(memcmp(rows + first[c] * width, rows + first[d] * width, (size_t)width) != 0);
    offsets = NEW(int64_t, n_distinct + 1);
    EXPECT(ugt_group(code, n, n_distinct, offsets, order) == UGT_OK && offsets[n_distinct] == n);
    for (int32_t c = 0; c < next; c++)
        for (int64_t j = offsets[c]; j < offsets[c + 1]; j++)
            EXPECT(order[j] >= 0 && order[j] < n && code[order[j]] == c && (j == offsets[c] || order[j] > order[j - 1]));
    if (n_distinct > 1)
        EXPECT(ugt_group(code, n, n_distinct - 1, offsets, order) == UGT_ERR_RANGE);
    free(code);
    free(first);
    free(rows);
    free(offsets);
    free(order);
}

/* The key of a number is that of its decimal digits, whatever stands behind them in the array. */
static void check_keys(fuzz_input *in)
{
    const int64_t n = 1 + fuzz_below(in, 8);
    int64_t *value = NEW(int64_t, n);
    uint32_t *text = NEW(uint32_t, n * 24), *any = NEW(uint32_t, n * 5);
    uint64_t *x = NEW(uint64_t, n), *y = NEW(uint64_t, n);
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
    EXPECT(memcmp(x, y, (size_t)n * sizeof *x) == 0);
    for (int64_t i = 0; i < 5 * n; i++)
        any[i] = (uint32_t)fuzz_key(in) >> fuzz_below(in, 32);
    ugt_text_keys(any, n, 5, y);
    free(value);
    free(text);
    free(any);
    free(x);
    free(y);
}

static void check_irn(fuzz_input *in, const ugt_rankings *x)
{
    int64_t *offsets = NEW(int64_t, x->n_cases + 1);
    int32_t *index = NEW(int32_t, x->n_items);
    double *value = NEW(double, x->n_items);
    const int full = fuzz_byte(in) % 2;
    EXPECT(ugt_irn(x, full, fuzz_below(in, x->n_classes + 1), offsets, index, value) == UGT_OK);
    for (int64_t i = 0; i < x->n_cases; i++) {
        const int64_t m = offsets[i + 1] - offsets[i];
        for (int64_t j = offsets[i]; j < offsets[i + 1]; j++)
            EXPECT(value[j] > 0 && index[j] >= 0 && index[j] < x->n_classes && (j == offsets[i] || index[j] > index[j - 1]));
        if (m > 0)
            EXPECT_CLOSE(fuzz_sum(value + offsets[i], m), 1.0, 1e-12, 0.0);
    }
    free(offsets);
    free(index);
    free(value);
}

/* Each ranking is an annotator's. */
static void check_agreement(fuzz_input *in, const ugt_rankings *x)
{
    const int64_t n = x->n_rankings;
    int64_t *count = NEW(int64_t, n), *own = NEW(int64_t, n + 1), *from = NEW(int64_t, n), *to = NEW(int64_t, n), position = 0;
    double *share = NEW(double, n), *norm = NEW(double, n), *sum = NEW(double, n);
    for (int64_t r = 0; r < n; r++) {
        const int64_t b = x->ranking_offsets[r];
        const int one = x->ranking_offsets[r + 1] - b == 1 && x->block_offsets[b + 1] - x->block_offsets[b] == 1;
        count[r] = one ? 1 + fuzz_below(in, 4) : 1;
        own[r + 1] = r + 1;
        norm[r] = 1.0;
        from[r] = fuzz_below(in, n + 1);
        to[r] = from[r] + fuzz_below(in, n + 1 - from[r]);
    }
    EXPECT(ugt_leave_one_out(x, count, n, own, fuzz_byte(in) % 2, share) == UGT_OK);
    for (int64_t r = 0; r < n; r++)
        EXPECT(isnan(share[r]) || (share[r] >= 0 && share[r] <= 1));
    EXPECT(ugt_partial_overlaps(x, x, from, to, norm, norm, fuzz_below(in, x->n_classes + 1), 0, n, sum) == UGT_OK);
    for (int64_t r = 0; r < n; r++)
        EXPECT(sum[r] >= 0 && sum[r] <= (double)(to[r] - from[r]) * (1 + 1e-9));
    int64_t *item_offsets = NEW(int64_t, n + 1);
    for (int64_t r = 0; r < n; r++)
        item_offsets[r + 1] = x->block_offsets[x->ranking_offsets[r + 1]];
    EXPECT(ugt_find_repeat(n, x->n_items, x->n_classes, item_offsets, x->items, &position) == UGT_OK && position == -1);
    free(count);
    free(own);
    free(from);
    free(to);
    free(share);
    free(norm);
    free(sum);
    free(item_offsets);
}

static void check_counts(fuzz_input *in)
{
    const int64_t n = 1 + fuzz_below(in, 5), n_classes = 1 + fuzz_below(in, 5);
    int64_t *offsets = fuzz_offsets(in, n, 0, 9), *count = NEW(int64_t, offsets[n]), *out = NEW(int64_t, n + 1), *total = NEW(int64_t, offsets[n]);
    int32_t *label = NEW(int32_t, offsets[n]), *index = NEW(int32_t, offsets[n]);
    int wrong = 0, unknown = 0;
    for (int64_t j = 0; j < offsets[n]; j++) {
        const int byte = fuzz_byte(in);
        label[j] = byte == 255 ? -1 : byte == 254 ? (int32_t)n_classes : (int32_t)(byte % n_classes);
        count[j] = fuzz_byte(in) % 4;
        unknown |= byte >= 254;
        wrong |= byte >= 254 && count[j] > 0; /* what counts 0 is not looked at */
    }
    EXPECT(ugt_class_counts(n, offsets[n], n_classes, offsets, label, count, out, index, total) == (wrong ? UGT_ERR_RANGE : UGT_OK));
    for (int64_t i = 0; i < n && !wrong; i++)
        for (int32_t k = 0; k < n_classes; k++) {
            int64_t sum = 0, found = 0;
            for (int64_t j = offsets[i]; j < offsets[i + 1]; j++)
                sum += label[j] == k ? count[j] : 0;
            for (int64_t j = out[i]; j < out[i + 1]; j++)
                found += index[j] == k ? total[j] : 0;
            EXPECT(sum == found);
        }
    int32_t *code = NEW(int32_t, n);
    int64_t *first = NEW(int64_t, n), n_distinct = 0;
    EXPECT(ugt_distinct_rows(offsets, label, count, n, offsets[n], n, code, first, &n_distinct) == UGT_OK && n_distinct <= n);
    for (int64_t i = 0; i < n; i++)
        for (int64_t h = 0; h <= i; h++) {
            const size_t size = (size_t)(offsets[i + 1] - offsets[i]);
            const int same = offsets[h + 1] - offsets[h] == (int64_t)size &&
                             memcmp(label + offsets[i], label + offsets[h], size * sizeof *label) == 0 &&
                             memcmp(count + offsets[i], count + offsets[h], size * sizeof *count) == 0;
            EXPECT((code[i] == code[h]) == same && first[code[i]] <= i);
        }
    free(code);
    free(first);
    const int64_t width = 1 + fuzz_below(in, 4);
    int64_t *table = NEW(int64_t, n * width), *sizes = NEW(int64_t, n);
    for (int64_t j = 0; j < n * width; j++) {
        const int byte = fuzz_byte(in);
        table[j] = byte == 255 ? -1 : byte == 254 ? INT64_MAX : byte % 3;
    }
    const int64_t bad = ugt_count_cells(table, n, width, sizes);
    EXPECT(bad >= -1 && bad < n);
    if (bad < 0) {
        int64_t cells = 0;
        for (int64_t i = 0; i < n; i++)
            cells += sizes[i];
        int64_t *value = NEW(int64_t, cells);
        int32_t *column = NEW(int32_t, cells);
        EXPECT(ugt_read_cells(table, n, width, cells, column, value) == UGT_OK);
        int64_t j = 0;
        for (int64_t i = 0; i < n; i++)
            for (int64_t end = j + sizes[i]; j < end; j++)
                EXPECT(column[j] >= 0 && column[j] < width && table[i * width + column[j]] == value[j] && value[j] > 0);
        free(value);
        free(column);
    }
    free(table);
    free(sizes);
    int64_t position = -2, plain = -1;
    if (!unknown) {
        EXPECT(ugt_find_repeat(n, offsets[n], n_classes, offsets, label, &position) == UGT_OK);
        for (int64_t i = n - 1; i >= 0; i--)
            for (int64_t j = offsets[i + 1] - 1; j > offsets[i]; j--)
                for (int64_t h = offsets[i]; h < j; h++)
                    plain = label[h] == label[j] ? j : plain;
        EXPECT(position == plain);
    }
    free(offsets);
    free(count);
    free(out);
    free(total);
    free(label);
    free(index);
}

static int64_t *order_of(fuzz_input *in, int64_t n, int64_t n_classes, int64_t depth, int32_t **order, int32_t **start)
{
    double *value = NEW(double, n * n_classes);
    int64_t *offsets = NEW(int64_t, n + 1);
    const int ties_first = fuzz_byte(in) % 2;
    for (int64_t i = 0; i < n * n_classes; i++)
        value[i] = fuzz_number(in);
    EXPECT(ugt_order_rows(NULL, NULL, value, n, n_classes, depth, ties_first, 0, offsets, NULL, NULL) == UGT_OK);
    *order = NEW(int32_t, offsets[n]);
    *start = NEW(int32_t, offsets[n]);
    EXPECT(ugt_order_rows(NULL, NULL, value, n, n_classes, depth, ties_first, offsets[n], offsets, *order, *start) == UGT_OK);
    for (int64_t i = 0; i < n; i++) {
        const int64_t listed = offsets[i + 1] - offsets[i]; /* a last bucket of ties need not be listed */
        EXPECT(ties_first ? listed == depth : listed >= 0 && listed < n_classes);
        for (int64_t j = offsets[i]; j < offsets[i + 1]; j++) {
            const double own = value[i * n_classes + (*order)[j]];
            EXPECT((*start)[j] >= 0 && (*start)[j] <= j - offsets[i]);
            if (j > offsets[i]) {
                const double before = value[i * n_classes + (*order)[j - 1]];
                EXPECT(before > own || (before == own && (ties_first || (*start)[j] == (*start)[j - 1])));
            }
        }
    }
    free(value);
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
    double *per_case = NEW(double, n * width), *per_draw = NEW(double, n_draws * width);
    uint8_t *defined = NEW(uint8_t, n);
    for (int64_t i = 0; i < n; i++)
        defined[i] = fuzz_byte(in) % 4 != 3;
    EXPECT(ugt_compare_orders(&truth, &model, defined, 0, n, n_draws, n_classes, (int)depth, metric, 0.5, per_case, per_draw) == UGT_OK);
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < width; j++) {
            const double found = per_case[i * width + j];
            EXPECT(defined[i] ? found >= -1e-12 : isnan(found));
            EXPECT(!defined[i] || j == width - 1 || found <= 1 + 1e-12);
        }
    free(x_order);
    free(x_start);
    free(y_order);
    free(y_start);
    free(x_offsets);
    free(y_offsets);
    free(per_case);
    free(per_draw);
    free(defined);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_input in = {data, data + size};
    const int what = fuzz_byte(&in) % 6;
    if (what == 0)
        check_factorize(&in);
    else if (what == 1)
        check_keys(&in);
    else if (what == 2)
        check_counts(&in);
    else if (what == 3)
        check_orders(&in);
    else {
        const int64_t n_classes = 1 + fuzz_below(&in, 9);
        fuzz_rankings x = fuzz_rankings_new(&in, n_classes, 1 + fuzz_below(&in, 3), 5);
        if (what == 4)
            check_irn(&in, &x.table);
        else
            check_agreement(&in, &x.table);
        fuzz_rankings_free(&x);
    }
    return 0;
}
