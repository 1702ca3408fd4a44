/* Every kernel on small inputs. What the numbers mean does not matter here. */
#include "inputs.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static int new_profiles(const shared *in, uint64_t *digest)
{
    enum { N = 300 }; /* that many different ones: every table grows */
    int64_t offsets[N + 1], profile_of[N];
    double concentration[2 * N], background[N] = {0.0};
    int32_t group[2 * N], rest[N];
    for (int i = 0; i <= N; i++)
        offsets[i] = 2 * i;
    for (int i = 0; i < N; i++) {
        concentration[2 * i] = 1.0 + i;
        concentration[2 * i + 1] = 0.5;
    }
    ugt_profiles *profiles;
    TRY(ugt_profiles_new(offsets, concentration, background, N, CLASSES, &profiles, profile_of, group, rest));
    note(digest, ugt_profiles_offsets(profiles), (N + 1) * sizeof(int64_t));
    note(digest, ugt_profiles_concentrations(profiles), 2 * N * sizeof(double));
    note(digest, ugt_profiles_counts(profiles), 2 * N * sizeof(int64_t));
    NOTE(profile_of);
    double range[2];
    ugt_concentration_range(concentration, 2 * N, background, N, range);
    NOTE(range);
    ugt_profiles_free(profiles);
    return UGT_OK;
}

static int new_stages(const shared *in, uint64_t *digest)
{
    ugt_stages *stages;
    TRY(ugt_stages_new(&RANKINGS, ONES, 1, &stages));
    const int64_t n = ugt_stages_count(stages);
    note(digest, &n, sizeof n);
    note(digest, ugt_stages_class_offsets(stages), (CASES + 1) * sizeof(int64_t));
    note(digest, ugt_stages_class_index(stages), (size_t)ugt_stages_class_offsets(stages)[CASES] * sizeof(int32_t));
    ugt_stages_free(stages);
    return UGT_OK;
}

/* one case of so many labels that lists grow */
static int new_confusions(const shared *in, uint64_t *digest)
{
    for (int cells = UGT_CELLS_SEEN; cells <= UGT_CELLS_EITHER; cells++) {
        ugt_confusions *confusions;
        TRY(ugt_confusions_new(&LABELS, cells, &confusions));
        const ugt_confusions_size size = ugt_confusions_sizes(confusions);
        note(digest, &size.n_cells, sizeof size.n_cells);
        ugt_confusions_free(confusions);
    }
    enum { N = 60 }; /* annotators, each with a label of his own in the one case: N^2 cells */
    int64_t offsets[] = {0, N}, given_offsets[] = {0, N};
    int32_t annotator[N], label[N];
    for (int j = 0; j < N; j++)
        annotator[j] = label[j] = j;
    const ugt_label_table wide = {offsets, annotator, label, ONES, given_offsets, label, 1, N, N, NULL};
    ugt_confusions *confusions;
    TRY(ugt_confusions_new(&wide, UGT_CELLS_SEEN, &confusions));
    const ugt_confusions_size size = ugt_confusions_sizes(confusions);
    note(digest, &size.n_cells, sizeof size.n_cells);
    ugt_confusions_free(confusions);
    return UGT_OK;
}

/* ---- streams, tables, orders ---- */

static int draw_streams(const shared *in, uint64_t *digest)
{
    ugt_stream stream;
    double value[8];
    uint64_t word[5];
    ugt_stream_open(&stream, 1, 2, 3, UGT_PURPOSE_DRAWS);
    for (int i = 0; i < 50; i++) {
        value[0] = ugt_stream_uniform(&stream);
        value[1] = ugt_stream_exponential(&stream);
        value[2] = ugt_stream_normal(&stream);
        value[3] = ugt_stream_gamma(&stream, 0.1 * i + 0.05);
        value[4] = ugt_stream_log_gamma(&stream, 0.1 * i + 0.05);
        value[5] = (double)ugt_stream_binomial(&stream, 10 * i, 0.3);
        value[6] = (double)ugt_stream_below(&stream, 7);
        value[7] = (double)(ugt_stream_bits(&stream) >> 11);
        ugt_stream_words(&stream, 5, word);
        NOTE(value);
        NOTE(word);
    }
    return UGT_OK;
}

static int number_rows(const shared *in, uint64_t *digest)
{
    enum { N = MOST_ITEMS };
    int32_t code[N], again[N];
    int64_t first[N], offsets[N + 1], order[N], n;
    uint64_t key[N];
    TRY(ugt_factorize((const uint8_t *)NOISE, N, sizeof *NOISE, code, first, &n)); /* grows: all rows are distinct */
    NOTE(code);
    note(digest, first, (size_t)n * sizeof *first);
    TRY(ugt_group(code, N, n, offsets, order));
    note(digest, order, (size_t)n * sizeof *order);
    for (int64_t i = 0; i <= N; i++)
        offsets[i] = i;
    TRY(ugt_distinct_rows(offsets, code, order, N, N, N, again, first, &n)); /* grows, too */
    note(digest, first, (size_t)n * sizeof *first);
    ugt_text_keys((const uint32_t *)ITEMS, 10, 3, key);
    note(digest, key, 10 * sizeof *key);
    ugt_integer_keys(order, N, key);
    NOTE(key);
    return UGT_OK;
}

static int sum_annotations(const shared *in, uint64_t *digest)
{
    int64_t offsets[CASES + 1], total[CASES * 8], position;
    int32_t index[MOST_ITEMS];
    double value[MOST_ITEMS];
    int equal;
    for (int full = 0; full < 2; full++) {
        TRY(ugt_irn(&RANKINGS, full, DEPTH, offsets, index, value));
        NOTE(offsets);
        note(digest, index, (size_t)offsets[CASES] * sizeof *index);
        note(digest, value, (size_t)offsets[CASES] * sizeof *value);
    }
    TRY(ugt_row_sums(LABEL_OFFSETS, NOISE, CASES, LABEL_OFFSETS[CASES], value));
    note(digest, value, CASES * sizeof *value);
    TRY(ugt_equal_totals(LABEL_OFFSETS, LABEL_COUNT, CASES, LABEL_OFFSETS[CASES], &equal));
    note(digest, &equal, sizeof equal);
    TRY(ugt_class_counts(CASES, LABEL_OFFSETS[CASES], 5, LABEL_OFFSETS, LABEL, LABEL_COUNT, offsets, index, total));
    note(digest, total, (size_t)offsets[CASES] * sizeof *total);
    TRY(ugt_find_repeat(CASES, LABEL_OFFSETS[CASES], 5, LABEL_OFFSETS, LABEL, &position));
    note(digest, &position, sizeof position);
    for (int of_cases = 0; of_cases < 2; of_cases++) {
        TRY(ugt_pair_sums(CASES, LABEL_OFFSETS[CASES], 5, LABEL_OFFSETS, LABEL, LABEL_COUNT, of_cases ? NULL : NOISE, of_cases, value));
        note(digest, value, 8 * sizeof *value);
    }
    return UGT_OK;
}

static int compare_annotators(const shared *in, uint64_t *digest)
{
    enum { MOST = CASES * 9 };
    static const int most = MOST;
    const int64_t n = RANKINGS.n_rankings;
    int64_t from[MOST], to[MOST], own[MOST + 1];
    double share[MOST], sum[MOST];
    for (int64_t r = 0; r <= n && r <= most; r++)
        own[r] = r;
    for (int i = 0; i < CASES; i++)
        for (int64_t r = CASE_OFFSETS[i]; r < CASE_OFFSETS[i + 1]; r++) {
            from[r] = CASE_OFFSETS[i];
            to[r] = CASE_OFFSETS[i + 1];
        }
    TRY(ugt_leave_one_out(&RANKINGS, RANKING_COUNT, n, own, 0, share));
    note(digest, share, (size_t)n * sizeof *share);
    TRY(ugt_partial_overlaps(&RANKINGS, &RANKINGS, from, to, ONES, ONES, DEPTH, 0, n, sum));
    note(digest, sum, (size_t)n * sizeof *sum);
    return UGT_OK;
}

static int order_and_compare(const shared *in, uint64_t *digest)
{
    int64_t offsets[CASES + 1] = {0};
    int32_t class_index[CASES * CLASSES], start[CASES * CLASSES];
    double per_case[CASES * (4 * DEPTH + 1)], per_draw[4 * DEPTH + 1] = {0.0};
    uint8_t defined[CASES];
    memset(defined, 1, sizeof defined);
    TRY(ugt_order_rows(NULL, NULL, DENSE, CASES, CLASSES, DEPTH, 0, 0, offsets, NULL, NULL));
    TRY(ugt_order_rows(NULL, NULL, DENSE, CASES, CLASSES, DEPTH, 0, CASES * CLASSES, offsets, class_index, start));
    note(digest, class_index, (size_t)offsets[CASES] * sizeof *class_index);
    int8_t role[CASES * CLASSES], rest_role[CASES];
    ugt_order_roles(offsets, start, CASES, CLASSES, DEPTH, role, rest_role);
    note(digest, role, (size_t)offsets[CASES] * sizeof *role);
    NOTE(rest_role);
    const ugt_orders orders = {offsets, class_index, start};
    for (int metric = UGT_AVERAGE_OVERLAP; metric <= UGT_DISCOUNTED_GAIN; metric++) {
        TRY(ugt_compare_orders(&orders, &orders, defined, 0, CASES, 1, CLASSES, DEPTH, metric, 0.5, per_case, per_draw));
        NOTE(per_case);
        NOTE(per_draw);
    }
    int64_t ragged[CASES + 1] = {0};
    TRY(ugt_order_rows(OFFSETS, CLASS_INDEX, CONCENTRATION, CASES, CLASSES, DEPTH, 1, 0, ragged, NULL, NULL));
    NOTE(ragged);
    return UGT_OK;
}

/* ---- Dirichlet posteriors ---- */

static int integrate_ranks(const shared *in, uint64_t *digest)
{
    double rank[CASES * 8 * DEPTH], certainty[CASES];
    const int64_t n = ugt_profiles_count(in->profiles);
    TRY(ugt_dirichlet_ranks(in->profiles, 0, n, DEPTH, rank));
    note(digest, rank, (size_t)ugt_profiles_offsets(in->profiles)[n] * DEPTH * sizeof *rank);
    double member[CASES * CLASSES], rest[CASES];
    ugt_dirichlet_memberships(&in->posterior, CASES, rank, DEPTH, member, rest);
    note(digest, member, (size_t)in->posterior.offsets[CASES] * sizeof *member);
    NOTE(rest);
    TRY(ugt_dirichlet_certainty(in->profiles, 0, n, 2, certainty));
    note(digest, certainty, (size_t)n * sizeof *certainty);
    return UGT_OK;
}

static int integrate_overlaps(const shared *in, uint64_t *digest)
{
    int64_t offsets[CASES + 1];
    int32_t class_index[CASES], k[CASES];
    int8_t role[CASES], rest[CASES];
    double table[CASES * 9], of_rest[CASES], sums[CASES * 4];
    for (int i = 0; i <= CASES; i++)
        offsets[i] = i;
    for (int i = 0; i < CASES; i++) {
        class_index[i] = i % 3;
        of_rest[i] = 0.25 * i;
        role[i] = UGT_ROLE_CERTAIN;
        rest[i] = UGT_ROLE_TIED;
        k[i] = 1 + i % 2;
    }
    const ugt_sets sets = {offsets, class_index, role, rest};
    TRY(ugt_dirichlet_overlaps(&in->posterior, &sets, k, 2, 0, CASES, table));
    NOTE(table);
    TRY(ugt_role_sums(OFFSETS, CLASS_INDEX, CONCENTRATION, of_rest, &sets, CASES, CLASSES, 2.0, sums));
    NOTE(sums);
    return UGT_OK;
}

static int integrate_lists(const shared *in, uint64_t *digest)
{
    enum { LATTICE = 60, MOST_LISTS = 200 };
    int64_t size[CASES], table_offsets[CASES + 1] = {0}, order_offsets[CASES + 1];
    int32_t order[CASES], start[CASES] = {0};
    static _Thread_local double table[CASES * MOST_LISTS], moments[CASES * 3], pmf[CASES * (LATTICE + 1)];
    const int64_t n = ugt_profiles_count(in->profiles);
    TRY(ugt_dirichlet_list_sizes(in->profiles, 0, n, DEPTH, MOST_LISTS, size));
    for (int64_t p = 0; p < n; p++)
        table_offsets[p + 1] = table_offsets[p] + size[p];
    TRY(ugt_dirichlet_lists(in->profiles, 0, n, DEPTH, table_offsets, table));
    note(digest, table, (size_t)table_offsets[n] * sizeof *table);
    for (int i = 0; i <= CASES; i++)
        order_offsets[i] = i;
    for (int i = 0; i < CASES; i++)
        order[i] = i % 4;
    const ugt_orders model = {order_offsets, order, start};
    for (int kind = UGT_AVERAGE_OVERLAP; kind <= UGT_FOOTRULE; kind++) {
        const ugt_list_metric metric = {kind, DEPTH, 0.5, 100.0, LATTICE};
        TRY(ugt_dirichlet_list_values(&in->posterior, &model, &metric, table_offsets, table, 0, CASES, moments, pmf));
        NOTE(moments);
        NOTE(pmf);
    }
    return UGT_OK;
}

static int draw_dirichlet(const shared *in, uint64_t *digest)
{
    const ugt_concentrations law = {OFFSETS, CLASS_INDEX, CONCENTRATION, BACKGROUND, KEY, CLASSES};
    static _Thread_local double draws[CASES * DRAWS * CLASSES];
    int32_t top[CASES * DRAWS * DEPTH];
    TRY(ugt_dirichlet_draws(&law, 1, 0, CASES, DRAWS, draws));
    NOTE(draws);
    TRY(ugt_dirichlet_top(&law, 1, 0, CASES, DRAWS, DEPTH, top));
    NOTE(top);
    return UGT_OK;
}

/* ---- resampling, sorting, histograms, sets ---- */

static int resample(const shared *in, uint64_t *digest)
{
    static const int64_t strata[] = {0, 5, 5 + CASES};
    const ugt_design design = {strata, 2, 7};
    int32_t unit[CASES];
    double sums[20 * 3], weights[20 * CASES], law[CASES * 5 + 1];
    int64_t rows[3 * CASES * 8];
    for (int i = 0; i < CASES; i++)
        unit[i] = 5 + i;
    TRY(ugt_bootstrap(&design, NOISE, 3, unit, CASES, 0, 20, sums, weights));
    NOTE(sums);
    NOTE(weights);
    TRY(ugt_resample_rows(LABEL_OFFSETS, LABEL_COUNT, CASES, 3, 0, 3, 1, rows));
    note(digest, rows, (size_t)(3 * LABEL_OFFSETS[CASES]) * sizeof *rows);
    double pmf[6];
    const int64_t starts[] = {0, CASES};
    for (int j = 0; j < 6; j++)
        pmf[j] = 1.0 / 6.0;
    int64_t turned[CASES];
    int32_t group[CASES];
    double grouped[20 * 3 * 2];
    for (int i = 0; i < CASES; i++)
        group[i] = i % 3, turned[i] = CASES - 1 - i;
    TRY(ugt_grouped_sums(turned, group, NOISE, CASES, 2, 3, weights, 20, 20, grouped));
    NOTE(grouped);
    TRY(ugt_law_of_sum(pmf, starts, 1, 6, law));
    NOTE(law);
    return UGT_OK;
}

static int sort_and_sum(const shared *in, uint64_t *digest)
{
    enum { N = 40000 }; /* more than one bucket */
    static _Thread_local double score[N], p[N], positive[N], negative[N], threshold[N];
    static _Thread_local int64_t order[N];
    double sum[UGT_SOFT_SUMS], bounds[3 * UGT_SOFT_SUMS];
    int64_t nan_at, n_points;
    for (int i = 0; i < N; i++) {
        score[i] = i % 3 == 0 ? 0.5 : NOISE[i % MOST_ITEMS] + i;
        p[i] = NOISE[(i * 7) % MOST_ITEMS];
    }
    const ugt_scores scores = {score, NULL, NULL, N};
    TRY(ugt_argsort_descending(&scores, order, &nan_at));
    NOTE(order);
    TRY(ugt_soft_sums(&scores, p, NULL, 0.5, 1, NOISE, sum, &nan_at));
    NOTE(sum);
    TRY(ugt_soft_curve(&scores, p, p, positive, negative, threshold, &n_points, &nan_at));
    note(digest, positive, (size_t)n_points * sizeof *positive);
    const uint8_t last[] = {0, 1, 1};
    const int64_t row[] = {2, 0, 1};
    const ugt_soft_column column = {row, last, NOISE, NULL, 0.5, 1, 3, 3};
    TRY(ugt_soft_resampled(&column, NOISE, 1, NULL, 1, sum));
    NOTE(sum);
    const ugt_soft_column plain = {row, last, NOISE, NULL, 0.5, 0, 3, 3};
    double times[9 * 3], many[9 * UGT_SOFT_SUMS];
    for (int j = 0; j < 9 * 3; j++)
        times[j] = j % 4; /* whole: eight at a time */
    TRY(ugt_soft_resampled(&plain, times, 9, NULL, 9, many));
    NOTE(many);
    ugt_soft_groups(NOISE, 3, NOISE, 1, 1, bounds);
    NOTE(bounds);
    return UGT_OK;
}

static int add_parts(const shared *in, uint64_t *digest)
{
    double columns[7 * UGT_EXACT_PARTS], rows[CASES * UGT_EXACT_PARTS], weights[11 * CASES];
    int64_t n_parts;
    TRY(ugt_exact_columns(NOISE, CASES, 7, UGT_EXACT_PARTS, columns, &n_parts));
    NOTE(columns);
    TRY(ugt_exact_rows(NOISE, CASES, 7, UGT_EXACT_PARTS, rows, &n_parts));
    NOTE(rows);
    TRY(ugt_poisson_weights(KEY, CASES, 5, 3, 14, weights));
    NOTE(weights);
    return UGT_OK;
}

static int sum_histograms(const shared *in, uint64_t *digest)
{
    static const double edges[] = {-INFINITY, 0.25, 0.5, 0.75, INFINITY};
    double counts[CASES * CLASSES], cell[2 * CLASSES * 4 * UGT_HISTOGRAM_SUMS] = {0.0}, total[2 * UGT_HISTOGRAM_TOTALS + 1] = {0.0};
    int64_t fault[3];
    for (int j = 0; j < CASES * CLASSES; j++)
        counts[j] = j % 5;
    const ugt_histograms histograms = {{counts, CLASSES * sizeof(double), sizeof(double), UGT_FLOAT64},
                                       {DENSE, CLASSES * sizeof(double), sizeof(double), UGT_FLOAT64},
                                       CLASSES, 4, edges, 1, 0, 0.0};
    TRY(ugt_histogram_sums(&histograms, 0, CASES, cell, total, fault));
    NOTE(cell);
    NOTE(total);
    NOTE(fault);
    double share[CASES * CLASSES], prob[CASES * CLASSES], fact[CASES * UGT_HISTOGRAM_FACTS];
    double weight[9 * CASES], resampled[9 * (sizeof cell / sizeof *cell + sizeof total / sizeof *total)];
    int32_t place[CASES * CLASSES];
    ugt_histogram_rows rows = {share, prob, fact, place, CASES, CLASSES, 2 * CLASSES * 4};
    TRY(ugt_histogram_read(&histograms, 0, CASES, &rows, fault));
    NOTE(share);
    NOTE(place);
    NOTE(fact);
    for (int j = 0; j < 9 * CASES; j++)
        weight[j] = j % 4;
    TRY(ugt_histogram_resampled(&rows, weight, 9, 9, resampled));
    NOTE(resampled);
    double sum[CLASSES * 4 * UGT_HISTOGRAM_SUMS] = {0.0};
    rows.fact = NULL;
    TRY(ugt_disagreement_sums(&histograms, CLASSES, 1, &rows, sum, fault));
    NOTE(sum);
    NOTE(fault);
    double value[CASES], first[CASES], second[CASES];
    ugt_dirichlet_multinomial(OFFSETS, LOGS, CONCENTRATION, LOGS, 0, CASES, value, first, second);
    NOTE(value);
    NOTE(second);
    return UGT_OK;
}

static int score_sets(const shared *in, uint64_t *digest)
{
    double score[CASES * CLASSES];
    int32_t label[CASES * DRAWS];
    for (int kind = UGT_SCORE_LAC; kind <= UGT_SCORE_RAPS; kind++) {
        const ugt_set_rule rule = {kind, 1, 0.1, 1, CLASSES, 1, 0};
        TRY(ugt_set_scores(&rule, DENSE, KEY, CASES, score));
        NOTE(score);
    }
    TRY(ugt_sampled_labels(DENSE, CASES, CLASSES, KEY, 1, 0, DRAWS, label));
    NOTE(label);
    return UGT_OK;
}

/* ---- Plackett-Luce ---- */

static int fit_rankings(const shared *in, uint64_t *digest)
{
    static _Thread_local double log_p[MOST_ITEMS], gradient[CASES * CLASSES], lambda[MOST_ITEMS];
    static _Thread_local uint8_t unbeaten[MOST_ITEMS];
    double shape[CASES];
    int64_t stopped_at;
    TRY(ugt_plackett_luce_log_likelihood(&RANKINGS, LOGS, 0, 0, log_p, gradient));
    static _Thread_local double positive[CASES * CLASSES];
    for (int j = 0; j < CASES * CLASSES; j++)
        positive[j] = exp(LOGS[j]);
    TRY(ugt_plackett_luce_log_likelihood(&RANKINGS, positive, 0, CASES, log_p, gradient));
    note(digest, log_p, (size_t)RANKINGS.n_rankings * sizeof *log_p);
    NOTE(gradient);
    for (int i = 0; i < CASES; i++)
        shape[i] = 1.0;
    const int64_t *first = ugt_stages_class_offsets(in->stages);
    TRY(ugt_modes(in->stages, 1.0, shape, UGT_REST_LUMP, 0, CASES, lambda, &stopped_at));
    note(digest, lambda, (size_t)(first[CASES] + CASES) * sizeof *lambda);
    ugt_unbeaten(in->ignoring, 0, CASES, unbeaten);
    note(digest, unbeaten, (size_t)first[CASES]);
    return UGT_OK;
}

static int sample_rankings(const shared *in, uint64_t *digest)
{
    static _Thread_local double draws[MOST_ITEMS * DRAWS];
    static _Thread_local int32_t top[CASES * DRAWS * DEPTH];
    static _Thread_local double groups[CASES * DRAWS * 2];
    int64_t group[CLASSES];
    const volatile int32_t stop = 0;
    const ugt_gibbs_options options = {2.0, 1.0, 1.0, 1.0, UGT_REST_INDIVIDUAL, 2, DRAWS, 1, 1, 5};
    const ugt_gibbs_options tempered = {1.5, 2.0, 1.0, 1.0, UGT_REST_LUMP, 2, DRAWS, 1, 1, 5};
    const int64_t *first = ugt_stages_class_offsets(in->stages);
    TRY(ugt_gibbs(in->stages, KEY, &tempered, 0, CASES, &stop, draws));
    note(digest, draws, (size_t)((first[CASES] + CASES) * DRAWS) * sizeof *draws);
    TRY(ugt_gibbs(in->stages, KEY, &options, 0, CASES, &stop, draws));
    note(digest, draws, (size_t)((first[CASES] + CASES) * DRAWS) * sizeof *draws);
    const ugt_mentioned mentioned = {first, ugt_stages_class_index(in->stages), KEY, CLASSES, DRAWS, UGT_REST_INDIVIDUAL, 1.0, 5, 0, 0};
    TRY(ugt_mentioned_top(&mentioned, draws, 0, CASES, DEPTH, top));
    NOTE(top);
    for (int k = 0; k < CLASSES; k++)
        group[k] = k % 2;
    TRY(ugt_mentioned_groups(&mentioned, draws, 0, CASES, group, 2, groups));
    NOTE(groups);
    return UGT_OK;
}

static int integrate_rankings(const shared *in, uint64_t *digest)
{
    static _Thread_local double out[3 * MOST_ITEMS];
    double error[CASES];
    int64_t info[3 * CASES], row[CASES];
    const volatile int32_t stop = 0;
    const ugt_cubature_options few = {1.0, 0.5, UGT_REST_INDIVIDUAL, 1e-2, 2, 300, 8};
    const ugt_cubature_options none = {2.5, 0.1, UGT_REST_LUMP, 1e-2, 2, 50, 8};
    const int64_t n = ugt_stages_class_offsets(in->stages)[CASES] + CASES;
    for (int i = 0; i < CASES; i++)
        row[i] = i;
    TRY(ugt_first_class(in->stages, &few, row, CASES, &stop, out, error, info));
    note(digest, out, (size_t)(3 * n) * sizeof *out);
    NOTE(error);
    NOTE(info);
    TRY(ugt_first_class(in->stages, &none, row, CASES, &stop, out, error, info));
    note(digest, out, (size_t)(3 * n) * sizeof *out);
    return UGT_OK;
}

static int weigh_points(const shared *in, uint64_t *digest)
{
    enum { FEW = 2, POINTS = 16 * 2 * 8 }; /* few cases: each has its own allocations, and all of them fail once */
    static _Thread_local double fit[3 * MOST_ITEMS], out[3 * MOST_ITEMS], error[3 * MOST_ITEMS], value[FEW * POINTS * 64];
    double info[FEW * UGT_POINTS_INFO], weight[FEW * POINTS];
    int64_t row[FEW], n_points[FEW], values = 0, points = 0;
    const volatile int32_t stop = 0;
    const ugt_points_law law = {1.5, 0.02, UGT_REST_INDIVIDUAL, 1e-2, 8, 8, 5};
    const int64_t *first = ugt_stages_class_offsets(in->stages);
    for (int64_t i = 0, n = 0; i < CASES && n < FEW; i++)
        if (first[i + 1] > first[i])
            row[n++] = i;
    TRY(ugt_points_fit(in->stages, KEY, &law, row, FEW, &stop, fit, out, error, info));
    NOTE(info);
    for (int i = 0; i < FEW; i++) {
        const int64_t width = first[row[i] + 1] - first[row[i]] + 1;
        n_points[i] = 8;
        note(digest, out + 3 * values, (size_t)(3 * width) * sizeof *out);
        note(digest, error + 3 * values, (size_t)(3 * width) * sizeof *error);
        values += width;
    }
    values = 0;
    for (int64_t i = 0, at = 0; i < FEW; i++) {
        const int64_t width = first[row[i] + 1] - first[row[i]] + 1, count = ugt_points_count(in->stages, law.rest, row[i], fit + at, 8);
        points += count;
        values += count * width;
        at += 3 * width;
    }
    TRY(ugt_points(in->stages, KEY, &law, row, FEW, fit, n_points, &stop, value, weight, info));
    NOTE(info);
    note(digest, value, (size_t)values * sizeof *value);
    note(digest, weight, (size_t)points * sizeof *weight);
    return UGT_OK;
}

static int diagnose(const shared *in, uint64_t *digest)
{
    enum { CHAINS = 4, LENGTH = 50 };
    double score[2 * CHAINS * LENGTH - 1], out[2 * UGT_DIAGNOSTICS];
    for (int h = 0; h < 2 * CHAINS * LENGTH - 1; h++)
        score[h] = h - CHAINS * LENGTH + 1;
    TRY(ugt_diagnostics(NOISE, 2, CHAINS, LENGTH, score, UGT_RHAT | UGT_ESS_BULK | UGT_ESS_TAIL | UGT_ESS_MEAN, out));
    NOTE(out);
    return UGT_OK;
}

/* ---- text ---- */

static int add_words(ugt_words *words)
{
    char text[16];
    int32_t code;
    int status = UGT_OK;
    for (int i = 0; i < 20000 && status == UGT_OK; i++)
        status = ugt_words_add(words, (const uint8_t *)text, snprintf(text, sizeof text, "%d", i), &code);
    return status;
}

static int split_text(const shared *in, uint64_t *digest)
{
    static const int32_t group[] = {0, -1, 0};
    const char *text = "a,1,b\nc,2,\"d\"\na,3,c\n";
    uint8_t scratch[8];
    int32_t codes[8];
    int64_t n_rows, consumed;
    const ugt_row_format format = {',', 3, group, 2, sizeof scratch, scratch};
    ugt_words words;
    TRY(ugt_words_open(&words));
    int status = ugt_split_rows(&format, &words, (const uint8_t *)text, (int64_t)strlen(text), 1, 4, codes, &n_rows, &consumed);
    if (status == UGT_OK)
        status = add_words(&words);
    if (status == UGT_OK) {
        note(digest, codes, 6 * sizeof *codes);
        note(digest, words.bytes, (size_t)words.start[words.n]);
    }
    ugt_words_close(&words);
    return status;
}

const kernel KERNELS[] = {
    {"profiles", new_profiles},
    {"stages", new_stages},
    {"confusions", new_confusions},
    {"streams", draw_streams},
    {"numbered rows", number_rows},
    {"sums of annotations", sum_annotations},
    {"annotators against each other", compare_annotators},
    {"orders", order_and_compare},
    {"ranks", integrate_ranks},
    {"overlaps", integrate_overlaps},
    {"lists", integrate_lists},
    {"Dirichlet draws", draw_dirichlet},
    {"resamples", resample},
    {"sorted scores", sort_and_sum},
    {"parts", add_parts},
    {"histograms", sum_histograms},
    {"sets", score_sets},
    {"panels", draw_panels},
    {"fits of rankings", fit_rankings},
    {"samples of rankings", sample_rankings},
    {"integrals of rankings", integrate_rankings},
    {"weighted points of rankings", weigh_points},
    {"diagnostics", diagnose},
    {"distances", measure_distances},
    {"masks", measure_masks},
    {"fits of confusions", fit_confusions},
    {"samples of confusions", sample_confusions},
    {"coins", fit_coins},
    {"graded response", fit_graded},
    {"two classes", fit_two_classes},
    {"text", split_text},
};
const int N_KERNELS = (int)(sizeof KERNELS / sizeof *KERNELS);
