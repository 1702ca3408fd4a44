/* sets.c and dirmult.c: scores of conformity, sampled labels, and Dirichlet-multinomial likelihoods. */

#include "fuzz.h"

static void check_sets(fuzz_input *in)
{
    const int64_t n = 1 + fuzz_below(in, 3), K = 1 + fuzz_below(in, 7), m = 1 + fuzz_below(in, 4);
    double *p = ZEROS(double, n * K), *score = ZEROS(double, n * K), *again = ZEROS(double, n * K);
    uint64_t *key = ZEROS(uint64_t, n);
    int32_t *label = ZEROS(int32_t, n * m);
    ugt_set_rule rule = {(int)fuzz_below(in, 3), fuzz_byte(in) % 2, fuzz_byte(in) % 4 / 8.0, fuzz_below(in, 8), K, fuzz_key(in), 1};
    for (int64_t i = 0; i < n; i++) {
        double sum = 0.0;
        key[i] = fuzz_key(in);
        for (int64_t k = 0; k < K; k++)
            sum += p[i * K + k] = fuzz_share(in);
        p[i * K] += sum > 1e-3 ? 0.0 : 1.0;
        sum += sum > 1e-3 ? 0.0 : 1.0;
        for (int64_t k = 0; k < K; k++)
            p[i * K + k] /= sum;
    }
    CHECK(ugt_set_scores(&rule, p, key, n, score) == UGT_OK && ugt_set_scores(&rule, p, key, n, again) == UGT_OK);
    CHECK(memcmp(score, again, (size_t)(n * K) * sizeof *score) == 0);
    const double most = rule.kind == UGT_SCORE_RAPS ? 1 + rule.penalty * (double)K : 1.0;
    for (int64_t i = 0; i < n; i++)
        for (int64_t k = 0; k < K; k++) {
            CHECK(score[i * K + k] >= -1 - 1e-12 && score[i * K + k] <= most + 1e-9);
            for (int64_t l = 0; l < K; l++) /* what is more probable conforms no less */
                CHECK(rule.randomised || p[i * K + k] <= p[i * K + l] || score[i * K + k] <= score[i * K + l] + 1e-12);
        }
    CHECK(ugt_sampled_labels(p, n, K, key, rule.seed, 1, m, label) == UGT_OK);
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < m; j++)
            CHECK(label[i * m + j] >= 0 && label[i * m + j] < K && p[i * K + label[i * m + j]] > 0);
}

/* log P by products: the t-th label of a class has probability (alpha_k + t) / (total + all before). */
static void check_multinomial(fuzz_input *in)
{
    const int64_t n = 1 + fuzz_below(in, 4);
    int64_t *offsets = fuzz_offsets(in, n, 0, 5);
    double *share = ZEROS(double, offsets[n]), *count = ZEROS(double, offsets[n]), *total = ZEROS(double, n), *out = ZEROS(double, 3 * n);
    for (int64_t i = 0; i < n; i++) {
        double sum = 1e-3;
        for (int64_t j = offsets[i]; j < offsets[i + 1]; j++) {
            sum += share[j] = 0.01 + fuzz_share(in);
            const int byte = fuzz_byte(in);
            count[j] = byte == 255 ? 1e9 : 1 + byte % 40;
        }
        for (int64_t j = offsets[i]; j < offsets[i + 1]; j++)
            share[j] = fuzz_byte(in) % 16 == 15 ? -INFINITY : log(share[j] / sum);
        total[i] = log(fuzz_positive(in, 12.0));
    }
    ugt_dirichlet_multinomial(offsets, share, count, total, 0, n, out, out + n, out + 2 * n);
    for (int64_t i = 0; i < n; i++) {
        double log_p = 0.0, before = 0.0;
        const double all = exp(total[i]);
        int plain = 1;
        for (int64_t j = offsets[i]; j < offsets[i + 1]; j++) {
            plain &= count[j] < 1e6;
            for (double t = 0; t < count[j] && plain; t++, before++)
                log_p += log((all * exp(share[j]) + t) / (all + before));
        }
        CHECK(!isnan(out[i]) && out[i] <= 1e-9 && !isnan(out[n + i]) && !isnan(out[2 * n + i]));
        if (plain)
            CHECK_CLOSE(out[i], log_p, 1e-8, 1e-8);
        CHECK(offsets[i] < offsets[i + 1] || (out[i] == 0 && out[n + i] == 0 && out[2 * n + i] == 0));
    }
}

static void fuzz_one(fuzz_input *in)
{
    if (fuzz_byte(in) % 2)
        check_sets(in);
    else
        check_multinomial(in);
}
