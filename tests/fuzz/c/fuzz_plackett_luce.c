/* likelihood.c, stages.c, gibbs.c, map.c, singles.c, posterior.c: from rankings to draws, modes and integrals. */

#include "fuzz.h"

/* log p of a ranking without ties: sum of log(lambda_k / (lambda of k and all later classes)). */
static double plain_log_p(const ugt_rankings *x, int64_t r, const double *lambda)
{
    double rest = fuzz_sum(lambda, x->n_classes), log_p = 0.0;
    for (int64_t b = x->ranking_offsets[r]; b < x->ranking_offsets[r + 1]; b++) {
        const double own = lambda[x->items[x->block_offsets[b]]];
        log_p += log(own / rest);
        rest = 0.0; /* anew: no cancellation */
        for (int64_t k = 0; k < x->n_classes; k++) {
            int gone = 0;
            for (int64_t d = x->ranking_offsets[r]; d <= b; d++)
                gone |= x->items[x->block_offsets[d]] == k;
            rest += gone ? 0.0 : lambda[k];
        }
    }
    return log_p;
}

static void check_likelihood(fuzz_input *in, const ugt_rankings *x)
{
    const int64_t n = x->n_cases * x->n_classes;
    double *lambda = ZEROS(double, n), *log_p = ZEROS(double, x->n_rankings), *gradient = ZEROS(double, n), *again = ZEROS(double, x->n_rankings);
    const int zeros = fuzz_byte(in) % 4 == 3;
    for (int64_t i = 0; i < n; i++)
        lambda[i] = zeros && fuzz_byte(in) % 4 == 0 ? 0.0 : fuzz_positive(in, 100.0);
    CHECK(ugt_plackett_luce_log_likelihood(x, lambda, 0, x->n_cases, log_p, gradient) == UGT_OK);
    CHECK(ugt_plackett_luce_log_likelihood(x, lambda, 0, x->n_cases, again, NULL) == UGT_OK);
    for (int64_t i = 0; i < x->n_cases; i++) {
        double scale = 1.0;
        for (int64_t r = x->case_offsets[i]; r < x->case_offsets[i + 1]; r++) {
            CHECK(zeros || isfinite(log_p[r])); /* NaN where all that is left is 0 */
            CHECK(!(log_p[r] > 1e-9) && isnan(log_p[r]) == isnan(again[r]));
            if (!isnan(log_p[r]))
                CHECK_CLOSE(again[r], log_p[r], 1e-9, 1e-9);
            const int64_t blocks = x->ranking_offsets[r + 1] - x->ranking_offsets[r];
            const int64_t items = x->block_offsets[x->ranking_offsets[r + 1]] - x->block_offsets[x->ranking_offsets[r]];
            if (blocks == items && !zeros)
                CHECK_CLOSE(log_p[r], plain_log_p(x, r, lambda + i * x->n_classes), 1e-8, 1e-8);
            scale += (double)items;
        }
        /* the likelihood does not depend on the scale of plausibilities */
        if (!zeros)
            CHECK_CLOSE(fuzz_sum(gradient + i * x->n_classes, x->n_classes), 0.0, 0.0, 1e-6 * scale);
    }
}

static void check_singles(fuzz_input *in, const ugt_stages *stages, const uint64_t *key, const double *draws, int64_t n_cases, int64_t n_classes,
                          int64_t n_draws, int rest)
{
    const int64_t depth = 1 + fuzz_below(in, n_classes), n_groups = 1 + fuzz_below(in, 3);
    const ugt_mentioned mentioned = {ugt_stages_class_offsets(stages), ugt_stages_class_index(stages), key, n_classes, n_draws, rest, 0.7, 5, 0, 0};
    int32_t *top = ZEROS(int32_t, n_cases * n_draws * depth);
    int64_t *group = ZEROS(int64_t, n_classes);
    double *sums = ZEROS(double, n_cases * n_draws * n_groups);
    CHECK(ugt_mentioned_top(&mentioned, draws, 0, n_cases, depth, top) == UGT_OK);
    for (int64_t i = 0; i < n_cases * n_draws; i++)
        for (int64_t d = 0; d < depth; d++) {
            CHECK(top[i * depth + d] >= -1 && top[i * depth + d] < n_classes);
            for (int64_t e = 0; e < d; e++)
                CHECK(top[i * depth + d] == -1 || top[i * depth + d] != top[i * depth + e]);
        }
    for (int64_t k = 0; k < n_classes; k++)
        group[k] = fuzz_below(in, n_groups);
    CHECK(ugt_mentioned_groups(&mentioned, draws, 0, n_cases, group, n_groups, sums) == UGT_OK);
    for (int64_t i = 0; i < n_cases * n_draws; i++)
        for (int64_t g = 0; g < n_groups; g++)
            CHECK(isnan(sums[i * n_groups + g]) || (sums[i * n_groups + g] >= 0 && sums[i * n_groups + g] <= 1 + 1e-9));
}

static void check_integrals(fuzz_input *in, const ugt_stages *stages, int64_t n_cases, int64_t n_listed, int rest)
{
    const double reliability = fuzz_positive(in, fuzz_below(in, 4) ? 2.0 : 3.6); /* totals beyond the tables, too */
    const ugt_cubature_options options = {reliability, fuzz_positive(in, 2.0), rest, 1e-4, fuzz_below(in, 6),
                                          fuzz_below(in, 20000), 1 + fuzz_below(in, 60)};
    double *out = ZEROS(double, 3 * (n_listed + n_cases)), *error = ZEROS(double, n_cases);
    int64_t *info = ZEROS(int64_t, 3 * n_cases), *row = ZEROS(int64_t, n_cases);
    const int64_t *offsets = ugt_stages_class_offsets(stages);
    const int32_t go = 0;
    for (int64_t i = 0; i < n_cases; i++)
        row[i] = i;
    CHECK(ugt_first_class(stages, &options, row, n_cases, &go, out, error, info) == UGT_OK);
    for (int64_t i = 0; i < n_cases; i++) {
        const int64_t m = offsets[i + 1] - offsets[i] + 1;
        const double *own = out + 3 * (offsets[i] + i);
        CHECK(isnan(error[i]) == isnan(own[0]));
        if (isnan(own[0]))
            continue;
        CHECK(error[i] > 0 && error[i] <= options.tolerance);
        CHECK_CLOSE(fuzz_sum(own, m), 1.0, 1e-9, 0.0);
        CHECK_CLOSE(fuzz_sum(own + m, m), 1.0, 1e-9, 0.0);
        for (int64_t j = 0; j < 3 * m; j++)
            CHECK(own[j] >= -1e-9 && own[j] <= 1 + 1e-9);
    }
}

static void check_draws(fuzz_input *in, const ugt_rankings *x, int rest)
{
    ugt_stages *stages = NULL;
    CHECK(ugt_stages_new(x, NULL, rest != UGT_REST_IGNORE, &stages) == UGT_OK);
    const int64_t *offsets = ugt_stages_class_offsets(stages), n = offsets[x->n_cases];
    const int32_t *index = ugt_stages_class_index(stages);
    for (int64_t i = 0; i < x->n_cases; i++)
        for (int64_t j = offsets[i]; j < offsets[i + 1]; j++)
            CHECK(index[j] >= 0 && index[j] < x->n_classes && (j == offsets[i] || index[j] > index[j - 1]));
    uint8_t *unbeaten = ZEROS(uint8_t, n);
    ugt_unbeaten(stages, 0, x->n_cases, unbeaten);
    for (int64_t j = 0; j < n; j++)
        CHECK(unbeaten[j] <= 1);
    uint64_t *key = ZEROS(uint64_t, x->n_cases);
    for (int64_t i = 0; i < x->n_cases; i++)
        key[i] = fuzz_key(in);
    const ugt_gibbs_options options = {fuzz_positive(in, 2.0), 1.0, fuzz_positive(in, 2.0), 1.0, rest, fuzz_below(in, 3), 1 + fuzz_below(in, 3),
                                       1 + fuzz_below(in, 2), 1 + fuzz_below(in, 2), 3};
    const int64_t n_draws = options.n_chains * options.n_draws;
    const int32_t go = 0;
    double *draws = ZEROS(double, (n + x->n_cases) * n_draws);
    CHECK(ugt_gibbs(stages, key, &options, 0, x->n_cases, &go, draws) == UGT_OK);
    for (int64_t i = 0; i < x->n_cases; i++) {
        const int64_t m = offsets[i + 1] - offsets[i] + 1;
        for (int64_t d = 0; d < n_draws && m > 1; d++) {
            const double *own = draws + (offsets[i] + i) * n_draws + d * m;
            for (int64_t j = 0; j < m; j++)
                CHECK(own[j] >= 0 && own[j] <= 1);
            CHECK_CLOSE(fuzz_sum(own, m), 1.0, 1e-9, 0.0);
        }
    }
    check_integrals(in, stages, x->n_cases, n, rest);
    check_singles(in, stages, key, draws, x->n_cases, x->n_classes, n_draws, rest);
    double *shape = ZEROS(double, x->n_cases), *lambda = ZEROS(double, n + x->n_cases);
    int64_t stopped_at = -1;
    for (int64_t i = 0; i < x->n_cases; i++)
        shape[i] = fuzz_positive(in, 2.0);
    const int status = ugt_modes(stages, options.reliability, shape, rest, 0, x->n_cases, lambda, &stopped_at);
    CHECK(status == UGT_OK || (status == UGT_ERR_CONVERGENCE && stopped_at >= 0 && stopped_at < x->n_cases));
    for (int64_t i = 0; i < x->n_cases && status == UGT_OK; i++) {
        const int64_t m = offsets[i + 1] - offsets[i] + 1;
        const double sum = fuzz_sum(lambda + offsets[i] + i, m);
        CHECK(sum == 0.0 || fabs(sum - 1.0) < 1e-9);
    }
    ugt_stages_free(stages);
}

static void fuzz_one(fuzz_input *in)
{
    const int64_t n_classes = 1 + fuzz_below(in, 14);
    const ugt_rankings x = fuzz_rankings(in, n_classes, 1 + fuzz_below(in, 3), 4);
    if (fuzz_byte(in) % 2)
        check_likelihood(in, &x);
    else
        check_draws(in, &x, (int)fuzz_below(in, 3));
}
