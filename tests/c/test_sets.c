/* Scores of classes against a direct sum, labels against their frequencies; under the sanitizers. */
#include "check.h"
#include "ugt.h"

#define K 7

static void test_scores(int kind, int randomised)
{
    static const double p[2 * K] = {0.3, 0.0, 0.1, 0.3, 0.0, 0.2, 0.1, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0};
    static const uint64_t key[2] = {5, 6};
    const ugt_set_rule rule = {kind, randomised, 0.25, 2, K, 11, 1};
    double score[2 * K], one[K];
    CHECK(ugt_set_scores(&rule, p, key, 2, score) == UGT_OK);
    CHECK(ugt_set_scores(&rule, p + K, key + 1, 1, one) == UGT_OK);
    for (int k = 0; k < K; k++)
        CHECK(one[k] == score[K + k]); /* a row does not depend on the others */
    for (int row = 0; row < 2; row++)
        for (int k = 0; k < K; k++) {
            double above = 0.0, upto = 0.0;
            int place = 0;
            for (int j = 0; j < K; j++) {
                above += p[row * K + j] > p[row * K + k] ? p[row * K + j] : 0.0;
                upto += p[row * K + j] >= p[row * K + k] ? p[row * K + j] : 0.0;
                place += p[row * K + j] >= p[row * K + k];
            }
            const double over = kind == UGT_SCORE_RAPS && place > 2 ? 0.25 * (place - 2) : 0.0, s = score[row * K + k];
            if (kind == UGT_SCORE_LAC)
                CHECK_CLOSE(s, 1.0 - p[row * K + k], 0.0, 0.0);
            else if (!randomised)
                CHECK_CLOSE(s, upto + over, 0.0, 1e-15);
            else
                CHECK(s >= above - 1e-15 && s <= upto + over + 1e-15);
        }
}

static void test_labels(void)
{
    enum { M = 20000 };
    static const double plausibility[K] = {0.0, 2.0, 0.0, 1.0, 5.0, 0.0, 0.0};
    static const uint64_t key = 3;
    int32_t *label = NEW(int32_t, M);
    int count[K] = {0};
    CHECK(label != NULL && ugt_sampled_labels(plausibility, 1, K, &key, 1, 2, M, label) == UGT_OK);
    for (int j = 0; j < M; j++) {
        CHECK(label[j] >= 0 && label[j] < K && plausibility[label[j]] > 0.0);
        count[label[j]]++;
    }
    for (int k = 0; k < K; k++) /* six standard deviations are at most 0.022 */
        CHECK_CLOSE(count[k] / (double)M, plausibility[k] / 8.0, 0.0, 0.025);
}

int main(void)
{
    for (int kind = UGT_SCORE_LAC; kind <= UGT_SCORE_RAPS; kind++)
        for (int randomised = 0; randomised < 2; randomised++)
            test_scores(kind, randomised);
    test_labels();
    return RESULT;
}
