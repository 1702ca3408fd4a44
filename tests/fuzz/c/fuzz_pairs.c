/* pairs.c and masks.c: distances between annotators against loops over all pairs. */

#include "fuzz.h"
#include "../../../ugt/_core/distances.h"

typedef struct {
    int64_t n, n_rows, n_entries, *offsets, *row_offsets, *count, *times;
    int64_t *row_case; /* [n_rows] */
    int32_t *annotator;
    int64_t *entry_of;
} cases;

/* Rows of annotators; entries as ugt_find_entries has them, put together by hand. */
static cases decode(fuzz_input *in)
{
    cases x = {.n = 1 + fuzz_below(in, 3)};
    int64_t *rows = fuzz_offsets(in, x.n, 0, 6), *found = ZEROS(int64_t, x.n + 1);
    x.n_rows = rows[x.n];
    x.row_case = ZEROS(int64_t, x.n_rows);
    x.annotator = ZEROS(int32_t, x.n_rows);
    x.entry_of = ZEROS(int64_t, x.n_rows);
    x.times = ZEROS(int64_t, x.n_rows);
    for (int64_t i = 0; i < x.n; i++)
        for (int64_t r = rows[i]; r < rows[i + 1]; r++) {
            x.row_case[r] = i;
            x.annotator[r] = (int32_t)fuzz_below(in, 5) - 1;
            x.times[r] = 1 + fuzz_below(in, 3);
        }
    CHECK(ugt_find_entries(rows, x.annotator, x.n, 4, found, x.entry_of, &x.n_entries) == UGT_OK && found[x.n] == x.n_entries);
    for (int64_t i = 0; i < x.n; i++)
        for (int64_t r = rows[i]; r < rows[i + 1]; r++) {
            CHECK(x.entry_of[r] >= found[i] && x.entry_of[r] < found[i + 1]);
            for (int64_t s = rows[i]; s < r; s++)
                CHECK((x.entry_of[r] == x.entry_of[s]) == (x.annotator[r] >= 0 && x.annotator[r] == x.annotator[s]));
        }
    /* the kernels take the rows of an entry side by side */
    x.offsets = found;
    x.row_offsets = ZEROS(int64_t, x.n_entries + 1);
    x.count = ZEROS(int64_t, x.n_entries);
    for (int64_t r = 0; r < x.n_rows; r++)
        x.row_offsets[x.entry_of[r] + 1]++;
    for (int64_t e = 0; e < x.n_entries; e++) {
        x.count[e] = x.row_offsets[e + 1] == 1 ? 1 + fuzz_below(in, 3) : 1;
        x.row_offsets[e + 1] += x.row_offsets[e];
    }
    return x;
}

static double pair_distance(const ugt_distance *rule, int64_t a, int64_t b, const double *value)
{
    if (value == NULL)
        return rule->cost != NULL ? rule->cost[a * rule->n_classes + b] : a != b;
    const double gap = fabs(value[a] - value[b]);
    return rule->kind == UGT_SQUARED ? gap * gap : gap > rule->lambda ? gap - rule->lambda : 0.0;
}

/* Of what number (values or classes of rows) does an entry consist: mean distance over all pairs of its labels with another's. */
static double entry_distance(const cases *x, const ugt_distance *rule, int64_t e, int64_t f, const int32_t *label, const double *value)
{
    double sum = 0.0, pairs = 0.0;
    for (int64_t r = x->row_offsets[e]; r < x->row_offsets[e + 1]; r++)
        for (int64_t s = x->row_offsets[f]; s < x->row_offsets[f + 1]; s++) {
            const double w = (double)(x->times[r] * x->times[s]);
            sum += w * (label != NULL ? pair_distance(rule, label[r], label[s], NULL) : pair_distance(rule, r, s, value));
            pairs += w;
        }
    return sum / pairs;
}

static void check_others(const cases *x, const ugt_distance *rule, const int32_t *label, const double *value, const double *found)
{
    for (int64_t i = 0; i < x->n; i++)
        for (int64_t e = x->offsets[i]; e < x->offsets[i + 1]; e++) {
            double sum = (double)(x->count[e] - 1) * entry_distance(x, rule, e, e, label, value);
            for (int64_t f = x->offsets[i]; f < x->offsets[i + 1]; f++)
                sum += f == e ? 0.0 : (double)x->count[f] * entry_distance(x, rule, e, f, label, value);
            CHECK_CLOSE(found[e], sum, 1e-9, 1e-7);
        }
}

static void check_classes(fuzz_input *in, const cases *x, const ugt_entries *entries, double *found)
{
    const int64_t n_classes = 1 + fuzz_below(in, 4), K = n_classes;
    double *cost = ZEROS(double, K * K), *probability = ZEROS(double, x->n * K);
    int32_t *label = ZEROS(int32_t, x->n_rows);
    int64_t *prediction = ZEROS(int64_t, x->n), fault = -2;
    for (int64_t a = 0; a < K; a++)
        for (int64_t b = 0; b < a; b++)
            cost[a * K + b] = cost[b * K + a] = (double)fuzz_below(in, 5);
    for (int64_t r = 0; r < x->n_rows; r++)
        label[r] = (int32_t)fuzz_below(in, K);
    const ugt_distance rule = {.n_classes = K, .cost = fuzz_byte(in) % 2 ? cost : NULL};
    CHECK(ugt_class_distances(entries, &rule, label, 0, x->n, found) == UGT_OK);
    check_others(x, &rule, label, NULL, found);
    for (int64_t i = 0; i < x->n; i++)
        prediction[i] = fuzz_below(in, K + 1) - 1;
    CHECK(ugt_class_predictions(entries, &rule, label, prediction, 0, x->n, found) == UGT_OK);
    for (int64_t i = 0; i < x->n; i++)
        for (int64_t e = x->offsets[i]; e < x->offsets[i + 1]; e++)
            CHECK(prediction[i] < 0 ? isnan(found[e]) : found[e] >= 0 && found[e] <= 4);
    for (int64_t i = 0; i < x->n; i++) {
        const int none = prediction[i] < 0;
        for (int64_t k = 0; k < K; k++)
            probability[i * K + k] = none ? (double)NAN : k == prediction[i] ? 1.0 : 0.0;
    }
    double *again = ZEROS(double, x->n_entries);
    CHECK(ugt_class_probabilities(entries, &rule, label, probability, 0, x->n, again, &fault) == UGT_OK && fault == -1);
    for (int64_t e = 0; e < x->n_entries; e++)
        CHECK((isnan(found[e]) && isnan(again[e])) || fabs(found[e] - again[e]) <= 1e-9);
    probability[fuzz_below(in, x->n * K)] = K > 1 || fuzz_byte(in) % 2 ? 2.0 : -1.0;
    CHECK(ugt_class_probabilities(entries, &rule, label, probability, 0, x->n, again, &fault) == UGT_OK && fault >= 0 && fault < x->n);
    if (x->n_rows > 0) {
        label[fuzz_below(in, x->n_rows)] = (int32_t)(fuzz_byte(in) % 2 ? K : -1);
        CHECK(ugt_class_distances(entries, &rule, label, 0, x->n, found) == UGT_ERR_RANGE);
    }
}

static void check_numbers(fuzz_input *in, const cases *x, const ugt_entries *entries, double *found)
{
    double *value = ZEROS(double, x->n_rows), *prediction = ZEROS(double, x->n);
    const ugt_distance rule = {.kind = (int)fuzz_below(in, 2), .lambda = (double)fuzz_below(in, 3)};
    for (int64_t r = 0; r < x->n_rows; r++)
        value[r] = (fuzz_byte(in) - 120) / 4.0;
    for (int64_t i = 0; i < x->n; i++)
        prediction[i] = fuzz_byte(in) % 4 == 3 ? (double)NAN : (fuzz_byte(in) - 120) / 4.0;
    CHECK(ugt_number_distances(entries, &rule, value, 0, x->n, found) == UGT_OK);
    check_others(x, &rule, NULL, value, found);
    ugt_number_predictions(entries, &rule, value, prediction, 0, x->n, found);
    for (int64_t i = 0; i < x->n; i++)
        for (int64_t e = x->offsets[i]; e < x->offsets[i + 1]; e++)
            CHECK(isnan(prediction[i]) ? isnan(found[e]) : found[e] >= 0);
}

static void check_masks(fuzz_input *in, const cases *x, double *found)
{
    int64_t *start = ZEROS(int64_t, x->n_entries + 1), *p_start = ZEROS(int64_t, x->n + 1);
    for (int64_t i = 0; i < x->n; i++) {
        const int64_t words = fuzz_below(in, 4);
        p_start[i + 1] = p_start[i] + words;
        for (int64_t e = x->offsets[i]; e < x->offsets[i + 1]; e++)
            start[e + 1] = start[e] + words;
    }
    uint64_t *word = ZEROS(uint64_t, start[x->n_entries]), *p_word = ZEROS(uint64_t, p_start[x->n]);
    for (int64_t j = 0; j < start[x->n_entries]; j++)
        word[j] = fuzz_key(in) << fuzz_below(in, 40);
    for (int64_t j = 0; j < p_start[x->n]; j++)
        p_word[j] = fuzz_key(in);
    uint8_t *present = ZEROS(uint8_t, x->n);
    for (int64_t i = 0; i < x->n; i++)
        present[i] = (uint8_t)(fuzz_byte(in) % 2);
    const ugt_entries entries = {x->offsets, NULL, x->count, NULL};
    const ugt_masks masks = {start, word}, predicted = {p_start, p_word};
    const int kind = (int)fuzz_below(in, 2);
    CHECK(ugt_mask_distances(&entries, &masks, kind, 0, x->n, found) == UGT_OK);
    for (int64_t i = 0; i < x->n; i++) {
        int64_t all = 0;
        for (int64_t e = x->offsets[i]; e < x->offsets[i + 1]; e++)
            all += x->count[e];
        for (int64_t e = x->offsets[i]; e < x->offsets[i + 1]; e++)
            CHECK(found[e] >= 0 && found[e] <= (double)(all - x->count[e]) + 1e-9);
    }
    CHECK(ugt_mask_predictions(&entries, &masks, &predicted, present, kind, 0, x->n, found) == UGT_OK);
    for (int64_t i = 0; i < x->n; i++)
        for (int64_t e = x->offsets[i]; e < x->offsets[i + 1]; e++)
            CHECK(present[i] ? found[e] >= 0 && found[e] <= 1 : isnan(found[e]));
}

static void fuzz_one(fuzz_input *in)
{
    cases x = decode(in);
    const ugt_entries entries = {x.offsets, x.row_offsets, x.count, x.times};
    double *found = ZEROS(double, x.n_entries);
    const int what = fuzz_byte(in) % 3;
    if (what == 0)
        check_classes(in, &x, &entries, found);
    else if (what == 1)
        check_numbers(in, &x, &entries, found);
    else
        check_masks(in, &x, found);
}
