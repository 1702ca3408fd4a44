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

int fit_two_classes(const shared *in, uint64_t *digest)
{
    enum { ROWS = 8, TESTS = 3, NODES = 5, Q = 2 + 2 * TESTS + 2 };
    double yes[ROWS * TESTS], no[ROWS * TESTS], log_weight[NODES], z[NODES], own[2 * NODES * TESTS], fixed[2 * NODES * TESTS] = {0.0};
    double of[2 * TESTS], x[Q], joint[ROWS * 2], scores[2 * ROWS * Q], value, gradient[Q];
    int32_t population[ROWS];
    for (int i = 0; i < ROWS * TESTS; i++) {
        yes[i] = i / TESTS >> i % TESTS & 1;
        no[i] = 1.0 - yes[i];
    }
    for (int row = 0; row < ROWS; row++)
        population[row] = row % 2;
    for (int q = 0; q < NODES; q++) {
        log_weight[q] = log(0.2);
        z[q] = q - NODES / 2;
    }
    for (int i = 0; i < 2 * NODES * TESTS; i++)
        own[i] = 1.0;
    for (int i = 0; i < 2 * TESTS; i++)
        of[i] = i % 2;
    for (int i = 0; i < Q; i++)
        x[i] = NOISE[i];
    ugt_two_classes m = {yes, no, ONES, population, ROWS, TESTS, 2, NODES, 2, log_weight, z, own, fixed, of, 0, 0.01};
    for (m.mixture = 0; m.mixture < 2; m.mixture++) {
        m.n_nodes = m.mixture ? 2 : NODES;
        TRY(ugt_two_classes_check(&m));
        TRY(ugt_two_classes_joint(&m, x, joint, scores));
        TRY(ugt_two_classes_value(&m, x, &value, gradient));
        NOTE(joint);
        NOTE(scores);
        NOTE(gradient);
        note(digest, &value, sizeof value);
    }
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

/* ---- panels of annotators ---- */

int draw_panels(const shared *in, uint64_t *digest)
{
    enum { PANELS = 20, KINDS = CASES, UNITS = CASES / 2 };
    static _Thread_local int32_t cell[CASES * PANELS], first[CASES * PANELS];
    static _Thread_local uint64_t code[CASES * PANELS], times[6 * PANELS], key[CASES * 8 * 2];
    int64_t n_cells[CASES], start[CASES + 1] = {0}, own[CASES], unit[CASES], offsets[UNITS + 1];
    double sums[UGT_PANEL_SUMS * PANELS], areas[UGT_PANEL_AREAS * PANELS], square[PANELS], mean[UNITS];
    uint8_t last[CASES];
    for (int j = 0; j < 6 * PANELS; j++)
        times[j] = (uint64_t)(j % 7 % 3);
    for (int64_t r = 0; r < LABEL_OFFSETS[CASES]; r++) {
        key[2 * r] = KEY[LABEL[r]];
        key[2 * r + 1] = (uint64_t)LABEL[r];
    }
    const ugt_panels panels = {LABEL_OFFSETS, ANNOTATOR, key, times, PANELS};
    TRY(ugt_panel_cells(&panels, 0, CASES, cell, first, code, n_cells));
    NOTE(cell);
    NOTE(n_cells);
    for (int i = 0; i < CASES; i++) {
        note(digest, first + i * PANELS, (size_t)n_cells[i] * sizeof *first);
        note(digest, code + i * PANELS, (size_t)n_cells[i] * sizeof *code);
        start[i + 1] = start[i] + n_cells[i];
        own[i] = i;
        unit[i] = i / 2;
        last[i] = i % 3 == 2;
        offsets[i / 2 + 1] = i + 1;
    }
    offsets[0] = 0;
    const ugt_panel_values values = {cell, own, start, NOISE, NOISE + 9, offsets, own, ONES, UNITS, PANELS};
    TRY(ugt_panel_sums(&values, 0, PANELS, sums));
    NOTE(sums);
    TRY(ugt_panel_means(&values, NOISE, ONES, 0, UNITS, mean));
    NOTE(mean);
    const ugt_panel_scores scores[] = {{cell, start, NOISE, own, unit, last, CASES, CASES, UNITS, PANELS},
                                       {cell, start, NOISE + 9, own, unit, last, CASES, CASES, UNITS, PANELS}};
    TRY(ugt_panel_areas(scores, 0, PANELS, areas));
    NOTE(areas);
    TRY(ugt_panel_influences(scores, 2, NOISE, ONES, 0, PANELS, square, mean));
    NOTE(square);
    NOTE(mean);
    return UGT_OK;
}
