/* profile.c, dirichlet.c, overlaps.c, lists.c, order.c, compare.c, gamma_draws.c: what a Dirichlet posterior says of ranks. */

#include "fuzz.h"

typedef struct {
    int64_t n, n_classes, *offsets;
    int32_t *index;
    double *concentration, *background;
} law;

/* Sizes lie together, so that the quadratures stay short; those far apart are refused or have a test of their own. */
static law decode(fuzz_input *in)
{
    law x = {.n = 1 + fuzz_below(in, 3), .n_classes = 1 + fuzz_below(in, 7)};
    x.offsets = fuzz_offsets(in, x.n, 0, x.n_classes);
    x.index = ZEROS(int32_t, x.offsets[x.n]);
    x.concentration = ZEROS(double, x.offsets[x.n]);
    x.background = ZEROS(double, x.n);
    const double size = fuzz_byte(in) % 4 == 3 ? 12.0 : 2.0;
    for (int64_t i = 0; i < x.n; i++) {
        const int64_t m = x.offsets[i + 1] - x.offsets[i];
        fuzz_classes(in, x.n_classes, m, x.index + x.offsets[i]);
        fuzz_ascending(x.index + x.offsets[i], m);
        for (int64_t j = x.offsets[i]; j < x.offsets[i + 1]; j++)
            x.concentration[j] = fuzz_positive(in, size);
        x.background[i] = fuzz_byte(in) % 2 ? fuzz_positive(in, size) : 0.0;
    }
    return x;
}

static int64_t support(const law *x, int64_t i)
{
    return x->background[i] > 0 ? x->n_classes : x->offsets[i + 1] - x->offsets[i];
}

static void check_ranks(const ugt_profiles *profiles, int depth, int k)
{
    const int64_t n = ugt_profiles_count(profiles), *at = ugt_profiles_offsets(profiles), *count = ugt_profiles_counts(profiles);
    double *rank = ZEROS(double, at[n] * depth), *certainty = ZEROS(double, n);
    CHECK(ugt_dirichlet_ranks(profiles, 0, n, depth, rank) == UGT_OK);
    CHECK(ugt_dirichlet_certainty(profiles, 0, n, k, certainty) == UGT_OK);
    for (int64_t i = 0; i < n; i++) {
        int64_t classes = 0;
        for (int64_t g = at[i]; g < at[i + 1]; g++)
            classes += count[g];
        for (int r = 0; r < depth; r++) {
            double sum = 0.0;
            for (int64_t g = at[i]; g < at[i + 1]; g++) {
                CHECK(rank[g * depth + r] >= 0 && rank[g * depth + r] <= 1 + 1e-9);
                sum += (double)count[g] * rank[g * depth + r];
            }
            CHECK_CLOSE(sum, r < classes ? 1.0 : 0.0, 1e-8, 1e-12);
        }
        CHECK(certainty[i] > 0 && certainty[i] <= 1 + 1e-9);
        CHECK(classes > k || certainty[i] == 1.0);
    }
}

static void check_overlaps(fuzz_input *in, const law *x, const ugt_posterior *posterior, int k_max)
{
    const int width = (k_max + 1) * (k_max + 1);
    ugt_sets sets = {.offsets = NULL};
    int64_t *offsets = fuzz_offsets(in, x->n, 0, x->n_classes);
    int32_t *index = ZEROS(int32_t, offsets[x->n]), *k = ZEROS(int32_t, x->n);
    int8_t *role = ZEROS(int8_t, offsets[x->n]), *rest = ZEROS(int8_t, x->n);
    double *table = ZEROS(double, x->n * width);
    for (int64_t i = 0; i < x->n; i++) {
        fuzz_classes(in, x->n_classes, offsets[i + 1] - offsets[i], index + offsets[i]);
        fuzz_ascending(index + offsets[i], offsets[i + 1] - offsets[i]);
        for (int64_t j = offsets[i]; j < offsets[i + 1]; j++)
            role[j] = (int8_t)fuzz_below(in, 3);
        rest[i] = (int8_t)fuzz_below(in, 3);
        k[i] = 1 + (int32_t)fuzz_below(in, k_max);
    }
    sets = (ugt_sets){offsets, index, role, rest};
    CHECK(ugt_dirichlet_overlaps(posterior, &sets, k, k_max, 0, x->n, table) == UGT_OK);
    for (int64_t i = 0; i < x->n; i++) {
        if (support(x, i) == 0) {
            CHECK(isnan(table[i * width]));
            continue;
        }
        for (int j = 0; j < width; j++)
            CHECK(table[i * width + j] >= -1e-12 && table[i * width + j] <= 1 + 1e-9);
        CHECK_CLOSE(fuzz_sum(table + i * width, width), 1.0, 1e-8, 0.0);
    }
}

static void check_lists(fuzz_input *in, const law *x, const ugt_posterior *posterior, const ugt_profiles *profiles, int depth)
{
    const int64_t n = ugt_profiles_count(profiles);
    int64_t *size = ZEROS(int64_t, n), *offsets = ZEROS(int64_t, n + 1), *order_offsets = ZEROS(int64_t, x->n + 1);
    CHECK(ugt_dirichlet_list_sizes(profiles, 0, n, depth, 2000, size) == UGT_OK);
    for (int64_t i = 0; i < n; i++) {
        CHECK(size[i] >= 0 && size[i] <= 2000);
        offsets[i + 1] = offsets[i] + size[i];
    }
    double *table = ZEROS(double, offsets[n]), *score = ZEROS(double, x->n * x->n_classes);
    CHECK(ugt_dirichlet_lists(profiles, 0, n, depth, offsets, table) == UGT_OK);
    for (int64_t i = 0; i < offsets[n]; i++)
        CHECK(table[i] >= 0 && table[i] <= 1 + 1e-9);
    for (int64_t i = 0; i < x->n * x->n_classes; i++)
        score[i] = fuzz_number(in);
    const int ties_first = fuzz_byte(in) % 2;
    CHECK(ugt_order_rows(NULL, NULL, score, x->n, x->n_classes, depth, ties_first, 0, order_offsets, NULL, NULL) == UGT_OK);
    int32_t *order = ZEROS(int32_t, order_offsets[x->n]), *start = ZEROS(int32_t, order_offsets[x->n]);
    CHECK(ugt_order_rows(NULL, NULL, score, x->n, x->n_classes, depth, ties_first, order_offsets[x->n], order_offsets, order, start) == UGT_OK);
    const ugt_orders model = {order_offsets, order, start};
    const ugt_list_metric metric = {UGT_AVERAGE_OVERLAP + (int)fuzz_below(in, 3), depth, 0.5, 1e3, 1 + fuzz_below(in, 20)};
    double *moments = ZEROS(double, 3 * x->n), *pmf = ZEROS(double, x->n * (metric.lattice + 1));
    CHECK(ugt_dirichlet_list_values(posterior, &model, &metric, offsets, table, 0, x->n, moments, pmf) == UGT_OK);
    for (int64_t i = 0; i < x->n; i++)
        if (!isnan(moments[3 * i]))
            CHECK(moments[3 * i] >= -1e-9 && moments[3 * i] <= 1 + 1e-9 && moments[3 * i + 1] >= moments[3 * i] * moments[3 * i] - 1e-9);
}

static void check_draws(fuzz_input *in, const law *x)
{
    uint64_t key[3] = {fuzz_key(in), fuzz_key(in), fuzz_key(in)};
    const ugt_concentrations own = {x->offsets, x->index, x->concentration, x->background, key, x->n_classes};
    const int64_t n_draws = 1 + fuzz_below(in, 3), depth = 1 + fuzz_below(in, x->n_classes);
    double *out = ZEROS(double, x->n * n_draws * x->n_classes);
    int32_t *top = ZEROS(int32_t, x->n * n_draws * depth);
    CHECK(ugt_dirichlet_draws(&own, 9, 0, x->n, n_draws, out) == UGT_OK);
    CHECK(ugt_dirichlet_top(&own, 9, 0, x->n, n_draws, depth, top) == UGT_OK);
    for (int64_t i = 0; i < x->n * n_draws; i++) {
        const double *draw = out + i * x->n_classes;
        if (support(x, i / n_draws) == 0) {
            CHECK(isnan(draw[0]));
            continue;
        }
        CHECK_CLOSE(fuzz_sum(draw, x->n_classes), 1.0, 1e-9, 0.0);
        for (int64_t d = 0; d < depth; d++) {
            const int32_t k = top[i * depth + d], before = d > 0 ? top[i * depth + d - 1] : -1;
            CHECK(k >= -1 && k < x->n_classes);
            CHECK(k < 0 || before < 0 || draw[before] >= draw[k]);
        }
    }
}

static void fuzz_one(fuzz_input *in)
{
    law x = decode(in);
    const int64_t n = x.offsets[x.n];
    ugt_profiles *profiles = NULL;
    int64_t *case_profile = ZEROS(int64_t, x.n);
    int32_t *entry = ZEROS(int32_t, n), *background = ZEROS(int32_t, x.n);
    CHECK(ugt_profiles_new(x.offsets, x.concentration, x.background, x.n, x.n_classes, &profiles, case_profile, entry, background) == UGT_OK);
    for (int64_t i = 0; i < x.n; i++) {
        CHECK((case_profile[i] == -1) == (support(&x, i) == 0) && case_profile[i] < ugt_profiles_count(profiles));
        const int64_t at = case_profile[i] < 0 ? 0 : ugt_profiles_offsets(profiles)[case_profile[i]];
        for (int64_t j = x.offsets[i]; j < x.offsets[i + 1]; j++)
            CHECK(ugt_profiles_concentrations(profiles)[at + entry[j]] == x.concentration[j]);
    }
    const ugt_posterior posterior = {profiles, case_profile, x.offsets, x.index, entry, background, x.n_classes};
    const int depth = 1 + (int)fuzz_below(in, x.n_classes < 4 ? x.n_classes : 4);
    switch (fuzz_byte(in) % 4) {
    case 0: check_ranks(profiles, 1 + (int)fuzz_below(in, 4), depth); break;
    case 1: check_overlaps(in, &x, &posterior, depth); break;
    case 2: check_lists(in, &x, &posterior, profiles, depth < 3 ? depth : 3); break;
    default: check_draws(in, &x);
    }
    ugt_profiles_free(profiles);
}
