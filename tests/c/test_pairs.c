/* Distances between annotators against all pairs of their labels, of numbers, classes and masks. */
#include "check.h"
#include "distances.h"

#define CASES 6
#define ANNOTATORS 80
#define REPEATS 3
#define ROWS (CASES * ANNOTATORS * REPEATS)
#define CLASSES 5
#define WORDS 70

static uint64_t state = 1;

static int64_t below(int64_t n)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (int64_t)((state >> 33) % (uint64_t)n);
}

/* case i has some annotators, each with 1 to REPEATS labels */
typedef struct {
    int64_t offsets[CASES + 1], row_offsets[ROWS + 1], count[ROWS], times[ROWS];
    int64_t n_entries, n_rows;
    double value[ROWS], others[ROWS], model[ROWS];
    int32_t label[ROWS];
    ugt_entries in;
} data;

static void fill(data *d, int repeated, int counted)
{
    d->n_entries = d->n_rows = d->offsets[0] = d->row_offsets[0] = 0;
    for (int64_t i = 0; i < CASES; i++) {
        const int64_t n = i == 1 ? 0 : i == 2 ? 1 : i == 3 ? 2 : below(ANNOTATORS) + 1;
        for (int64_t a = 0; a < n; a++) {
            const int64_t m = repeated ? 1 + below(REPEATS) : 1;
            d->count[d->n_entries] = counted ? 1 + below(4) : 1;
            for (int64_t r = 0; r < m; r++, d->n_rows++) {
                d->times[d->n_rows] = repeated ? 1 + below(3) : 1;
                d->label[d->n_rows] = (int32_t)below(CLASSES);
                d->value[d->n_rows] = (double)below(8) / 4.0;
            }
            d->row_offsets[++d->n_entries] = d->n_rows;
        }
        d->offsets[i + 1] = d->n_entries;
    }
    d->in = (ugt_entries){d->offsets, repeated ? d->row_offsets : NULL, d->count, repeated ? d->times : NULL};
}

typedef double measure(const data *d, const void *context, int64_t r, int64_t s);

static double mean_of_pairs(const data *d, measure *delta, const void *context, int64_t e, int64_t f)
{
    double sum = 0.0, n = 0.0;
    for (int64_t r = d->row_offsets[e]; r < d->row_offsets[e + 1]; r++)
        for (int64_t s = d->row_offsets[f]; s < d->row_offsets[f + 1]; s++) {
            sum += (double)(d->times[r] * d->times[s]) * delta(d, context, r, s);
            n += (double)(d->times[r] * d->times[s]);
        }
    return sum / n;
}

static void check_others(const data *d, measure *delta, const void *context)
{
    for (int64_t i = 0; i < CASES; i++)
        for (int64_t e = d->offsets[i]; e < d->offsets[i + 1]; e++) {
            double sum = 0.0;
            for (int64_t f = d->offsets[i]; f < d->offsets[i + 1]; f++)
                if (f != e)
                    sum += (double)d->count[f] * mean_of_pairs(d, delta, context, e, f);
            CHECK_CLOSE(d->others[e], sum, 1e-12, 1e-12);
        }
}

static double apart(const ugt_distance *distance, double x, double y)
{
    const double difference = fabs(x - y);
    return distance->kind == UGT_SQUARED ? difference * difference : fmax(0.0, difference - distance->lambda);
}

static double of_numbers(const data *d, const void *context, int64_t r, int64_t s)
{
    return apart(context, d->value[r], d->value[s]);
}

static double of_classes(const data *d, const void *context, int64_t r, int64_t s)
{
    const ugt_distance *distance = context;
    return distance->cost != NULL ? distance->cost[d->label[r] * CLASSES + d->label[s]] : d->label[r] != d->label[s];
}

static void test_numbers(int repeated, int counted)
{
    data *d = NEW(data, 1);
    for (int kind = 0; kind < 4; kind++) {
        const ugt_distance distance = {kind == 0 ? UGT_SQUARED : UGT_THRESHOLD, kind == 2 ? 0.25 : kind == 3 ? 1.1 : 0.0, 1, NULL, NULL};
        double prediction[CASES] = {0.3, 1.0, NAN, 0.0, 2.0, 0.5};
        fill(d, repeated, counted);
        CHECK(ugt_number_distances(&d->in, &distance, d->value, 0, 3, d->others) == UGT_OK);
        CHECK(ugt_number_distances(&d->in, &distance, d->value, 3, CASES, d->others) == UGT_OK);
        check_others(d, of_numbers, &distance);
        ugt_number_predictions(&d->in, &distance, d->value, prediction, 0, CASES, d->model);
        for (int64_t i = 0; i < CASES; i++)
            for (int64_t e = d->offsets[i]; e < d->offsets[i + 1]; e++) {
                double sum = 0.0, n = 0.0;
                for (int64_t r = d->row_offsets[e]; r < d->row_offsets[e + 1]; r++) {
                    sum += (double)d->times[r] * apart(&distance, d->value[r], prediction[i]);
                    n += (double)d->times[r];
                }
                if (isnan(prediction[i]))
                    CHECK(isnan(d->model[e]));
                else
                    CHECK_CLOSE(d->model[e], sum / n, 1e-12, 1e-12);
            }
    }
}

static void fill_cost(double *cost)
{
    memset(cost, 0, CLASSES * CLASSES * sizeof *cost);
    for (int j = 0; j < CLASSES; j++)
        for (int k = 0; k < j; k++)
            cost[j * CLASSES + k] = cost[k * CLASSES + j] = (double)below(9);
}

static void test_classes(int repeated, int counted)
{
    data *d = NEW(data, 1);
    double cost[CLASSES * CLASSES], number[CLASSES] = {0.0, 3.0, -1.0, 10.0, 0.5}, p[CASES * CLASSES];
    const int64_t prediction[CASES] = {0, 4, -1, 2, 3, 1};
    int64_t fault;
    fill_cost(cost);
    for (int kind = 0; kind < 3; kind++) {
        const ugt_distance distance = {UGT_SQUARED, 0.0, CLASSES, kind == 1 ? cost : NULL, kind == 2 ? number : NULL};
        fill(d, repeated, counted);
        for (int i = 0; i < CASES; i++)
            for (int k = 0; k < CLASSES; k++)
                p[i * CLASSES + k] = i == 2 ? NAN : k == 0 ? 0.25 : k == i % 4 + 1 ? 0.75 : 0.0;
        if (kind < 2) {
            CHECK(ugt_class_distances(&d->in, &distance, d->label, 0, CASES, d->others) == UGT_OK);
            check_others(d, of_classes, &distance);
            CHECK(ugt_class_predictions(&d->in, &distance, d->label, prediction, 0, CASES, d->model) == UGT_OK);
        }
        double *expected = NEW(double, ROWS);
        CHECK(ugt_class_probabilities(&d->in, &distance, d->label, p, 0, CASES, expected, &fault) == UGT_OK);
        CHECK(fault == -1);
        for (int64_t i = 0; i < CASES; i++)
            for (int64_t e = d->offsets[i]; e < d->offsets[i + 1]; e++) {
                double sum = 0.0, mean = 0.0, n = 0.0;
                for (int64_t r = d->row_offsets[e]; r < d->row_offsets[e + 1]; r++) {
                    const double weight = (double)d->times[r];
                    const int64_t k = prediction[i];
                    n += weight;
                    sum += k < 0 ? 0.0 : weight * (kind == 1 ? cost[d->label[r] * CLASSES + k] : d->label[r] != k);
                    for (int c = 0; c < CLASSES; c++)
                        mean += weight * p[i * CLASSES + c] *
                                (kind == 2 ? apart(&distance, number[c], number[d->label[r]])
                                           : kind == 1 ? cost[d->label[r] * CLASSES + c] : c != d->label[r]);
                }
                if (i == 2)
                    CHECK(isnan(expected[e]) && (kind == 2 || isnan(d->model[e])));
                else
                    CHECK_CLOSE(expected[e], mean / n, 1e-12, 1e-12);
                if (i != 2 && kind < 2)
                    CHECK_CLOSE(d->model[e], sum / n, 1e-12, 1e-12);
            }
    }
}

static void test_faults(void)
{
    static const double wrong[][CLASSES] = {
        {0.5, 0.4, 0.0, 0.0, 0.0},   {1.5, -0.5, 0.0, 0.0, 0.0}, {1.0, NAN, 0.0, 0.0, 0.0},
        {INFINITY, 0.0, 0.0, 0.0, 0.0}, {0.0, 0.0, 0.0, 0.0, 0.0},
    };
    const ugt_distance distance = {UGT_SQUARED, 0.0, CLASSES, NULL, NULL};
    data *d = NEW(data, 1);
    int64_t fault, prediction[CASES] = {0};
    double p[CASES * CLASSES] = {0.0};
    fill(d, 1, 0);
    for (int i = 0; i < CASES; i++)
        p[i * CLASSES] = 1.0;
    for (size_t j = 0; j < LENGTH(wrong); j++) {
        memcpy(p + 4 * CLASSES, wrong[j], sizeof wrong[j]);
        CHECK(ugt_class_probabilities(&d->in, &distance, d->label, p, 0, CASES, d->model, &fault) == UGT_OK && fault == 4);
        CHECK(ugt_class_probabilities(&d->in, &distance, d->label, p + CLASSES, 1, CASES, d->model, &fault) == UGT_OK && fault == 4);
    }
    prediction[5] = CLASSES;
    CHECK(ugt_class_predictions(&d->in, &distance, d->label, prediction, 0, CASES, d->model) == UGT_ERR_RANGE);
    prediction[5] = -2;
    CHECK(ugt_class_predictions(&d->in, &distance, d->label, prediction, 0, CASES, d->model) == UGT_ERR_RANGE);
    CHECK(ugt_class_predictions(&d->in, &distance, d->label, prediction, 0, 5, d->model) == UGT_OK);
    d->label[d->n_rows - 1] = CLASSES;
    CHECK(ugt_class_distances(&d->in, &distance, d->label, 0, CASES, d->others) == UGT_ERR_RANGE);
    d->label[d->n_rows - 1] = -1;
    CHECK(ugt_class_distances(&d->in, &distance, d->label, 0, CASES, d->others) == UGT_ERR_RANGE);
    CHECK(ugt_class_probabilities(&d->in, &distance, d->label, p, 0, CASES, d->model, &fault) == UGT_ERR_RANGE);
}

static void test_entries(void)
{
    const int64_t offsets[] = {0, 4, 4, 6, 9};
    const int32_t annotator[] = {1, 0, 1, -1, 1, 1, -1, -1, 0}, high[] = {0, 2}, low[] = {0, -2};
    const int64_t starts[] = {0, 3, 3, 4, 7}, of[] = {0, 1, 0, 2, 3, 3, 4, 5, 6}, two[] = {0, 2};
    int64_t entry_offsets[5], entry_of[9], n;
    CHECK(ugt_find_entries(offsets, annotator, 4, 2, entry_offsets, entry_of, &n) == UGT_OK && n == 7);
    CHECK(memcmp(entry_offsets, starts, sizeof starts) == 0 && memcmp(entry_of, of, sizeof of) == 0);
    CHECK(ugt_find_entries(two, high, 1, 2, entry_offsets, entry_of, &n) == UGT_ERR_RANGE);
    CHECK(ugt_find_entries(two, low, 1, 2, entry_offsets, entry_of, &n) == UGT_ERR_RANGE);
}

typedef struct {
    const ugt_masks *masks;
    int kind;
} held_masks;

static double mask_distance(int kind, const uint64_t *a, const uint64_t *b, int64_t n)
{
    int64_t of_a = 0, of_b = 0, common = 0;
    for (int64_t bit = 0; bit < 64 * n; bit++) {
        const int in_a = (int)(a[bit / 64] >> bit % 64 & 1), in_b = (int)(b[bit / 64] >> bit % 64 & 1);
        of_a += in_a;
        of_b += in_b;
        common += in_a & in_b;
    }
    if (of_a + of_b == 0)
        return 0.0;
    return kind == UGT_JACCARD ? 1.0 - (double)common / (double)(of_a + of_b - common) : 1.0 - 2.0 * (double)common / (double)(of_a + of_b);
}

static double of_masks(const data *d, const void *context, int64_t r, int64_t s)
{
    const held_masks *held = context;
    const ugt_masks *m = held->masks;
    return mask_distance(held->kind, m->word + m->start[r], m->word + m->start[s], m->start[r + 1] - m->start[r]);
}

static void fill_words(uint64_t *word, int64_t n)
{
    const int64_t share = below(4); /* empty, full, sparse or dense */
    for (int64_t i = 0; i < n; i++) {
        const uint64_t x = (uint64_t)below(INT64_C(1) << 31) << 33 ^ (uint64_t)below(INT64_C(1) << 31) << 10 ^ (uint64_t)below(1024);
        word[i] = share == 0 ? 0 : share == 1 ? UINT64_MAX : share == 2 ? x & (x << 7) & (x >> 9) : x;
    }
}

static void test_masks(int repeated)
{
    data *d = NEW(data, 1);
    fill(d, repeated, 0);
    d->in.times = NULL;
    for (int64_t r = 0; r < d->n_rows; r++)
        d->times[r] = 1;
    uint64_t *word = NEW(uint64_t, ROWS * WORDS), *own = NEW(uint64_t, CASES * WORDS);
    int64_t *start = NEW(int64_t, ROWS + 1), own_start[CASES + 1] = {0};
    const uint8_t present[CASES] = {1, 1, 1, 0, 1, 1};
    const int64_t length[CASES] = {WORDS, 3, 31, 5, 32, 0};
    start[0] = 0;
    for (int64_t i = 0; i < CASES; i++) {
        for (int64_t r = d->row_offsets[d->offsets[i]]; r < d->row_offsets[d->offsets[i + 1]]; r++) {
            fill_words(word + start[r], length[i]);
            start[r + 1] = start[r] + length[i];
        }
        own_start[i + 1] = own_start[i] + (present[i] ? length[i] : 0);
        fill_words(own + own_start[i], own_start[i + 1] - own_start[i]);
    }
    const ugt_masks masks = {start, word}, predicted = {own_start, own};
    for (int kind = UGT_JACCARD; kind <= UGT_DICE; kind++) {
        const held_masks held = {&masks, kind};
        CHECK(ugt_mask_distances(&d->in, &masks, kind, 0, CASES, d->others) == UGT_OK);
        check_others(d, of_masks, &held);
        CHECK(ugt_mask_predictions(&d->in, &masks, &predicted, present, kind, 0, CASES, d->model) == UGT_OK);
        for (int64_t i = 0; i < CASES; i++)
            for (int64_t e = d->offsets[i]; e < d->offsets[i + 1]; e++) {
                double sum = 0.0;
                for (int64_t r = d->row_offsets[e]; present[i] && r < d->row_offsets[e + 1]; r++)
                    sum += mask_distance(kind, own + own_start[i], word + start[r], length[i]);
                if (present[i])
                    CHECK_CLOSE(d->model[e], sum / (double)(d->row_offsets[e + 1] - d->row_offsets[e]), 1e-12, 1e-12);
                else
                    CHECK(isnan(d->model[e]));
            }
    }
    own_start[1] = WORDS - 1; /* now the model's first mask is too short */
    CHECK(ugt_mask_predictions(&d->in, &masks, &predicted, present, UGT_JACCARD, 0, CASES, d->model) == UGT_ERR_RANGE);
    start[d->row_offsets[d->offsets[1]]]--; /* and the last of the first case */
    CHECK(d->offsets[1] < 2 || ugt_mask_distances(&d->in, &masks, UGT_JACCARD, 0, CASES, d->others) == UGT_ERR_RANGE);
}

int main(void)
{
    for (int round = 0; round < 4; round++) {
        test_numbers(0, 0);
        test_numbers(0, 1);
        test_numbers(1, 0);
        test_classes(0, 0);
        test_classes(0, 1);
        test_classes(1, 0);
        test_masks(0);
        test_masks(1);
    }
    test_faults();
    test_entries();
    return RESULT;
}
