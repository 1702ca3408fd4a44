/* The kernels of annotators on small inputs, for the list in kernels.c. */
#include "distances.h"
#include "inputs.h"

#include <math.h>
#include <string.h>

int measure_distances(const shared *in, uint64_t *digest)
{
    const int64_t n = LABEL_OFFSETS[CASES];
    int64_t entry_offsets[CASES + 1], entry_of[CASES * 8], n_entries, prediction[CASES], fault;
    double others[CASES * 8], model[CASES * 8], predicted[CASES], p[CASES * 5];
    TRY(ugt_find_entries(LABEL_OFFSETS, ANNOTATOR, CASES, 6, entry_offsets, entry_of, &n_entries));
    note(digest, entry_of, (size_t)n * sizeof *entry_of);
    const ugt_entries entries = {LABEL_OFFSETS, NULL, LABEL_COUNT, NULL};
    for (int i = 0; i < CASES; i++) {
        prediction[i] = i % 5;
        predicted[i] = i;
        for (int k = 0; k < 5; k++)
            p[i * 5 + k] = 0.2;
    }
    for (int kind = UGT_SQUARED; kind <= UGT_THRESHOLD; kind++) {
        const ugt_distance distance = {kind, 0.1, 5, NULL, kind == UGT_SQUARED ? NULL : NOISE};
        TRY(ugt_number_distances(&entries, &distance, NOISE, 0, CASES, others));
        note(digest, others, (size_t)n * sizeof *others);
        ugt_number_predictions(&entries, &distance, NOISE, predicted, 0, CASES, model);
        note(digest, model, (size_t)n * sizeof *model);
        TRY(ugt_class_probabilities(&entries, &distance, LABEL, p, 0, CASES, model, &fault));
        note(digest, model, (size_t)n * sizeof *model);
    }
    const ugt_distance same = {UGT_SQUARED, 0.0, 5, NULL, NULL};
    TRY(ugt_class_distances(&entries, &same, LABEL, 0, CASES, others));
    note(digest, others, (size_t)n * sizeof *others);
    TRY(ugt_class_predictions(&entries, &same, LABEL, prediction, 0, CASES, model));
    note(digest, model, (size_t)n * sizeof *model);
    int64_t annotators[CASES];
    double total[CASES], alpha[CASES], mu[CASES];
    ugt_case_sums(&entries, others, model, CASES, 1, annotators, total, alpha, mu);
    NOTE(annotators);
    NOTE(total);
    NOTE(alpha);
    NOTE(mu);
    return UGT_OK;
}

int measure_masks(const shared *in, uint64_t *digest)
{
    const int64_t n = LABEL_OFFSETS[CASES];
    int64_t start[CASES * 8 + 1];
    uint8_t present[CASES];
    double others[CASES * 8], model[CASES * 8];
    memset(present, 1, sizeof present);
    for (int64_t r = 0; r <= n; r++)
        start[r] = r;
    const ugt_entries entries = {LABEL_OFFSETS, NULL, LABEL_COUNT, NULL};
    const ugt_masks masks = {start, (const uint64_t *)LABEL_COUNT}, predicted = {start, KEY};
    for (int kind = UGT_JACCARD; kind <= UGT_DICE; kind++) {
        TRY(ugt_mask_distances(&entries, &masks, kind, 0, CASES, others));
        note(digest, others, (size_t)n * sizeof *others);
        TRY(ugt_mask_predictions(&entries, &masks, &predicted, present, kind, 0, CASES, model));
        note(digest, model, (size_t)n * sizeof *model);
    }
    return UGT_OK;
}

int fit_confusions(const shared *in, uint64_t *digest)
{
    enum { MOST = 6 * 5 * 5 };
    const ugt_confusions_size size = ugt_confusions_sizes(in->confusions);
    double probability[MOST], row_total[MOST], q[CASES * 5], prevalence[5], count[MOST], class_count[5], log_likelihood;
    double start[CASES * 8];
    const ugt_pseudo_counts prior = {1.0, 0.5, 1.0};
    const ugt_confusion_counts counts = {count, class_count};
    for (int64_t j = 0; j < size.n_candidates; j++)
        q[j] = 0.25;
    ugt_confusions_count(in->confusions, q, (ugt_confusion_counts *)&counts);
    ugt_confusions_mode(in->confusions, &prior, &counts, probability, prevalence, row_total);
    TRY(ugt_confusions_expect(in->confusions, probability, prevalence, (ugt_confusion_counts *)&counts, q, &log_likelihood));
    note(digest, q, (size_t)size.n_candidates * sizeof *q);
    note(digest, &log_likelihood, sizeof log_likelihood);
    ugt_vote_start(GIVEN_OFFSETS, ONES, CASES, KEY, 1, 2, start);
    note(digest, start, (size_t)GIVEN_OFFSETS[CASES] * sizeof *start);
    return UGT_OK;
}

int sample_confusions(const shared *in, uint64_t *digest)
{
    const ugt_confusions_size size = ugt_confusions_sizes(in->confusions);
    double value[CASES * 6 * DRAWS], accuracy[DRAWS * 6], prevalence[DRAWS * 5], cell_mean[6 * 5 * 5];
    const volatile int32_t stop = 0;
    const ugt_skill_options options = {{1.0, 0.5, 1.0}, KEY, KEY, 1, 0, 2, DRAWS, 1, 0, DRAWS, 0, 0};
    TRY(ugt_skills(in->confusions, &options, &stop, value, accuracy, prevalence, cell_mean));
    note(digest, value, (size_t)(size.n_candidates * DRAWS) * sizeof *value);
    NOTE(accuracy);
    NOTE(prevalence);
    return UGT_OK;
}

int fit_graded(const shared *in, uint64_t *digest)
{
    enum { NODES = 9, GRADES = 5, ALL = 6 * GRADES };
    const ugt_label_table labels = LABELS;
    double a[6], cut[6 * (GRADES - 1)], node[NODES], mass[NODES], p[ALL * NODES], count[ALL * NODES], law[CASES * GRADES];
    double moments[CASES * 2], slope[ALL], curve[ALL * GRADES], out[16 * 16] = {0.0}, log_likelihood;
    int32_t grade[NODES];
    for (int j = 0; j < 6; j++) {
        a[j] = 1.5;
        for (int k = 0; k < GRADES - 1; k++)
            cut[j * (GRADES - 1) + k] = -1.0 + 0.7 * k;
    }
    for (int q = 0; q < NODES; q++) {
        node[q] = q - NODES / 2;
        mass[q] = exp(-0.5 * node[q] * node[q]);
        grade[q] = q * GRADES / NODES;
    }
    const ugt_graded g = {a, cut, node, mass, 6, GRADES, NODES};
    TRY(ugt_graded_check(&labels));
    TRY(ugt_graded_probabilities(&g, p));
    TRY(ugt_graded_expect(&labels, &g, p, grade, count, law, moments, &log_likelihood));
    TRY(ugt_graded_score(&g, count, 0, slope, curve));
    TRY(ugt_graded_missing(&labels, &g, p, 1, 1, out));
    NOTE(law);
    NOTE(slope);
    NOTE(out);
    return UGT_OK;
}

int fit_coins(const shared *in, uint64_t *digest)
{
    const ugt_coins coins = {LABELS, ENTRY};
    const int64_t n = LABEL_OFFSETS[CASES];
    const ugt_glad_prior prior = {1.0, 1.0, 0.0, 1.0};
    double right[CASES * 8], wrong[CASES * 8], chance[CASES * 8], q[CASES * 8], rest[CASES], prevalence[5], right_count[6], class_count[5];
    double ability[6], easiness[CASES] = {0.0}, log_likelihood, information[36];
    TRY(ugt_coins_check(&coins));
    for (int a = 0; a < 6; a++)
        ability[a] = 1.0;
    for (int k = 0; k < 5; k++)
        prevalence[k] = 0.2;
    ugt_glad_labels(&coins, &prior, ability, easiness, right, wrong);
    note(digest, right, (size_t)n * sizeof *right);
    TRY(ugt_coins_expect(&coins, right, wrong, 1, prevalence, q, rest, right_count, class_count, &log_likelihood));
    NOTE(right_count);
    note(digest, &log_likelihood, sizeof log_likelihood);
    for (int64_t r = 0; r < n; r++)
        chance[r] = exp(right[r]);
    for (int joint = 0; joint < 2; joint++) {
        TRY(ugt_coins_information(&coins, q, chance, &prior, ability, easiness, joint, information));
        note(digest, information, (joint ? 36 : 6) * sizeof *information);
    }
    TRY(ugt_glad_improve(&coins, &prior, q, ability, easiness));
    NOTE(ability);
    NOTE(easiness);
    return UGT_OK;
}
