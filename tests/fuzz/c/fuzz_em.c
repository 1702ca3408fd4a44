/* em.c, skills.c, coins.c, graded.c: annotator models on small tables of labels. */

#include "fuzz.h"
#include "../../../ugt/_core/em.h"

typedef struct {
    int64_t *offsets, *given_offsets;
    int32_t *annotator, *label, *given, *entry;
    double *weight;
    ugt_label_table table;
} labels;

/* given: the distinct labels of each case, ascending; entry: where the label of a row stands among them. */
static labels decode(fuzz_input *in)
{
    labels x;
    const int64_t n = 1 + fuzz_below(in, 5), n_annotators = 1 + fuzz_below(in, 4), K = 1 + fuzz_below(in, 4);
    x.offsets = fuzz_offsets(in, n, 0, 5);
    const int64_t n_labels = x.offsets[n];
    x.given_offsets = ZEROS(int64_t, n + 1);
    x.annotator = ZEROS(int32_t, n_labels);
    x.label = ZEROS(int32_t, n_labels);
    x.given = ZEROS(int32_t, n_labels);
    x.entry = ZEROS(int32_t, n_labels);
    x.weight = ZEROS(double, n_labels);
    const int weighted = fuzz_byte(in) % 2;
    int64_t at = 0;
    for (int64_t i = 0; i < n; i++) {
        for (int64_t r = x.offsets[i]; r < x.offsets[i + 1]; r++) {
            x.annotator[r] = (int32_t)fuzz_below(in, n_annotators);
            x.label[r] = (int32_t)fuzz_below(in, K);
            x.weight[r] = 1 + fuzz_byte(in) % 3;
        }
        for (int32_t k = 0; k < K; k++) {
            int used = 0;
            for (int64_t r = x.offsets[i]; r < x.offsets[i + 1]; r++)
                if (x.label[r] == k) {
                    x.entry[r] = (int32_t)at;
                    used = 1;
                }
            if (used)
                x.given[at++] = k;
        }
        x.given_offsets[i + 1] = at;
    }
    x.table = (ugt_label_table){x.offsets, x.annotator, x.label, weighted ? x.weight : NULL, x.given_offsets, x.given, n, n_annotators, K};
    return x;
}

static double total_weight(const labels *x)
{
    double sum = 0.0;
    for (int64_t r = 0; r < x->offsets[x->table.n_cases]; r++)
        sum += x->table.weight != NULL ? x->table.weight[r] : 1.0;
    return sum;
}

static double n_labelled(const labels *x)
{
    double n = 0.0;
    for (int64_t i = 0; i < x->table.n_cases; i++)
        n += x->offsets[i + 1] > x->offsets[i];
    return n;
}

static void check_confusions(fuzz_input *in, const labels *x)
{
    ugt_confusions *model = NULL;
    const int64_t n = x->table.n_cases, K = x->table.n_classes;
    const int cells = (int)fuzz_below(in, 3);
    CHECK(ugt_confusions_new(&x->table, cells, &model) == UGT_OK);
    const ugt_confusions_size size = ugt_confusions_sizes(model);
    int64_t *offsets = ZEROS(int64_t, n + 1);
    int32_t *index = ZEROS(int32_t, size.n_candidates), *cell = ZEROS(int32_t, 4 * size.n_cells);
    double *q = ZEROS(double, size.n_candidates), *count = ZEROS(double, size.n_cells), *class_count = ZEROS(double, K);
    double *probability = ZEROS(double, size.n_cells), *prevalence = ZEROS(double, K), *row_total = ZEROS(double, size.n_rows);
    ugt_confusions_layout(model, offsets, index, cell, cell + size.n_cells, cell + 2 * size.n_cells, cell + 3 * size.n_cells);
    CHECK(offsets[n] == size.n_candidates);
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = offsets[i]; j < offsets[i + 1]; j++) {
            CHECK(index[j] >= 0 && index[j] < K && (j == offsets[i] || index[j] > index[j - 1]));
            for (int64_t e = x->given_offsets[i]; e < x->given_offsets[i + 1]; e++)
                q[j] += x->given[e] == index[j] ? 1.0 / (double)(x->given_offsets[i + 1] - x->given_offsets[i]) : 0.0;
        }
    ugt_confusion_counts counts = {count, class_count};
    ugt_confusions_count(model, q, &counts);
    const double labels_there = total_weight(x), cases_there = n_labelled(x);
    const ugt_pseudo_counts none = {0.0, 0.0, 0.0}, some = {1.0, 0.25, 0.5}, *prior = cells == UGT_CELLS_ALL && fuzz_byte(in) % 2 ? &some : &none;
    double last = -INFINITY;
    for (int t = 0; t < 5; t++) {
        double value = 0.0;
        const double density = ugt_confusions_mode(model, prior, &counts, probability, prevalence, row_total);
        CHECK(ugt_confusions_expect(model, probability, prevalence, &counts, q, &value) == UGT_OK);
        CHECK(value + density >= last - 1e-9 && !isnan(value));
        last = value + density;
        CHECK_CLOSE(fuzz_sum(count, size.n_cells), labels_there, 1e-9, 0.0);
        CHECK_CLOSE(fuzz_sum(class_count, K), cases_there, 1e-9, 0.0);
        for (int64_t i = 0; i < n; i++)
            if (offsets[i + 1] > offsets[i] && x->offsets[i + 1] > x->offsets[i])
                CHECK_CLOSE(fuzz_sum(q + offsets[i], offsets[i + 1] - offsets[i]), 1.0, 1e-9, 0.0);
    }
    uint64_t keys[16];
    for (int i = 0; i < 16; i++)
        keys[i] = fuzz_key(in);
    const ugt_skill_options options = {{fuzz_positive(in, 1.0), fuzz_positive(in, 1.0), fuzz_positive(in, 1.0)}, keys, keys + 8, 3, 0,
                                       fuzz_byte(in) % 3, 2, 1 + fuzz_byte(in) % 2, 0, 2, fuzz_byte(in) % 2, fuzz_byte(in) % 2};
    double *value = ZEROS(double, 2 * (size.n_candidates + n * options.spare)), *accuracy = ZEROS(double, 2 * x->table.n_annotators), *drawn = ZEROS(double, 2 * K);
    const int32_t go = 0;
    CHECK(ugt_skills(model, &options, &go, value, accuracy, drawn, probability) == UGT_OK);
    for (int64_t d = 0; d < 2; d++) {
        CHECK_CLOSE(fuzz_sum(drawn + d * K, K), 1.0, 1e-9, 0.0);
        for (int64_t a = 0; a < x->table.n_annotators; a++)
            CHECK(isnan(accuracy[d * x->table.n_annotators + a]) || (accuracy[d * x->table.n_annotators + a] >= 0 && accuracy[d * x->table.n_annotators + a] <= 1 + 1e-9));
    }
    ugt_confusions_free(model);
}

static void check_coins(fuzz_input *in, const labels *x)
{
    const int64_t n = x->table.n_cases, K = x->table.n_classes, A = x->table.n_annotators, n_labels = x->offsets[n];
    ugt_coins coins = {x->table, x->entry};
    const ugt_glad_prior prior = {1.0, fuzz_positive(in, 1.0), 0.5, fuzz_positive(in, 1.0)};
    double *ability = ZEROS(double, A), *easiness = ZEROS(double, n), *right = ZEROS(double, n_labels), *wrong = ZEROS(double, n_labels), value = 0.0;
    double *prevalence = ZEROS(double, K), *q = ZEROS(double, x->given_offsets[n]), *rest = ZEROS(double, n), *count = ZEROS(double, A), *class_count = ZEROS(double, K);
    double *out = ZEROS(double, A * A), last = -INFINITY;
    CHECK(ugt_coins_check(&coins) == UGT_OK);
    for (int64_t a = 0; a < A; a++)
        ability[a] = (fuzz_byte(in) - 100) / 32.0;
    for (int64_t i = 0; i < n; i++)
        easiness[i] = (fuzz_byte(in) - 100) / 64.0;
    for (int64_t k = 0; k < K; k++)
        prevalence[k] = 1.0 / (double)K;
    for (int t = 0; t < 4 && K > 1; t++) {
        const double density = ugt_glad_labels(&coins, &prior, ability, easiness, right, wrong);
        CHECK(ugt_coins_expect(&coins, right, wrong, 1, prevalence, q, rest, count, class_count, &value) == UGT_OK);
        CHECK(value + density >= last - 1e-9 && !isnan(value));
        last = value + density;
        CHECK_CLOSE(fuzz_sum(class_count, K), n_labelled(x), 1e-9, 0.0);
        CHECK(fuzz_sum(count, A) <= total_weight(x) * (1 + 1e-9));
        CHECK(ugt_glad_improve(&coins, &prior, q, ability, easiness) == UGT_OK);
    }
    for (int64_t r = 0; r < n_labels; r++)
        right[r] = exp(right[r]);
    if (K > 1)
        CHECK(ugt_coins_information(&coins, q, right, &prior, ability, easiness, fuzz_byte(in) % 2, out) == UGT_OK);
    if (n_labels > 0) {
        x->annotator[fuzz_below(in, n_labels)] = (int32_t)(fuzz_byte(in) % 2 ? A : -1);
        CHECK(ugt_coins_check(&coins) == UGT_ERR_RANGE);
    }
}

/* Sums over nodes are probabilities, the log-likelihood never falls by a step along its slope, and the lost information is positive. */
static void check_graded(fuzz_input *in, const labels *x)
{
    enum { NODES = 8 };
    const int64_t n = x->table.n_cases, K = x->table.n_classes + 1, A = x->table.n_annotators, n_labels = x->offsets[n], size = A * K;
    double *a = ZEROS(double, A), *cut = ZEROS(double, size), *p = ZEROS(double, size * NODES), *count = ZEROS(double, size * NODES);
    double *law = ZEROS(double, n * K), *moments = ZEROS(double, 2 * n), *slope = ZEROS(double, size), *curve = ZEROS(double, size * K);
    double *whole = ZEROS(double, (size + K) * (size + K)), *diagonal = ZEROS(double, size + K), node[NODES], mass[NODES], value = 0.0, near = 0.0;
    int32_t grade[NODES];
    ugt_label_table table = x->table;
    table.n_classes = K;
    for (int q = 0; q < NODES; q++) {
        node[q] = q - 3.5;
        mass[q] = 1.0 / NODES;
        grade[q] = (int32_t)(q * K / NODES);
    }
    for (int64_t j = 0; j < A; j++) {
        a[j] = fuzz_positive(in, 2.0);
        double at = (fuzz_byte(in) - 128) / 16.0;
        for (int64_t k = 0; k < K - 1; k++)
            cut[j * (K - 1) + k] = at += (1 + fuzz_byte(in)) / 64.0;
    }
    ugt_graded g = {a, cut, node, mass, A, K, NODES};
    CHECK(ugt_graded_check(&table) == UGT_OK);
    CHECK(ugt_graded_probabilities(&g, p) == UGT_OK);
    for (int64_t j = 0; j < A; j++)
        for (int q = 0; q < NODES; q++) {
            double sum = 0.0;
            for (int64_t k = 0; k < K; k++)
                sum += p[(j * K + k) * NODES + q];
            CHECK_CLOSE(sum, 1.0, 1e-9, 0.0);
        }
    const int status = ugt_graded_expect(&table, &g, p, grade, count, law, moments, &value);
    if (status == UGT_ERR_CONVERGENCE)
        return;
    CHECK(status == UGT_OK && value <= 1e-9);
    CHECK_CLOSE(fuzz_sum(count, size * NODES), total_weight(x), 1e-9, 0.0);
    for (int64_t i = 0; i < n; i++) {
        CHECK_CLOSE(fuzz_sum(law + i * K, K), 1.0, 1e-9, 0.0);
        CHECK(fabs(moments[2 * i]) <= node[NODES - 1] + 1e-9 && moments[2 * i + 1] >= 0);
    }
    CHECK(ugt_graded_score(&g, count, fuzz_byte(in) % 2, slope, curve) == UGT_OK);
    for (int64_t j = 0; j < A; j++)
        a[j] *= exp(1e-7 * slope[j * K] / (1.0 + fabs(slope[j * K])));
    CHECK(ugt_graded_probabilities(&g, p) == UGT_OK && ugt_graded_expect(&table, &g, p, NULL, NULL, NULL, NULL, &near) == UGT_OK);
    CHECK(near >= value - 1e-9 * (1.0 + fabs(value)));
    const int shared = fuzz_byte(in) % 2;
    const int64_t parameters = shared ? 2 * A + K - 1 : size;
    CHECK(ugt_graded_missing(&table, &g, p, shared, 1, whole) == UGT_OK);
    CHECK(ugt_graded_missing(&table, &g, p, shared, 0, diagonal) == UGT_OK);
    for (int64_t j = 0; j < parameters; j++) {
        CHECK_CLOSE(whole[j * parameters + j], diagonal[j], 1e-9, 1e-9);
        CHECK(diagonal[j] <= 1e-9);
    }
    if (n_labels > 0) {
        x->label[fuzz_below(in, n_labels)] = (int32_t)(fuzz_byte(in) % 2 ? K : -1);
        CHECK(ugt_graded_check(&table) == UGT_ERR_RANGE);
    }
}

static void fuzz_one(fuzz_input *in)
{
    labels x = decode(in);
    const int model = fuzz_byte(in) % 3;
    if (model == 2)
        check_graded(in, &x);
    else if (model == 1)
        check_confusions(in, &x);
    else
        check_coins(in, &x);
}
