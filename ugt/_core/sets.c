/* Computes scores of classes for prediction sets, and samples labels from plausibilities.
 *
 * A score says how little a class conforms with the probabilities p of a case; a set contains the classes of low score.
 * LAC: 1 - p_k (Sadinle, Lei & Wasserman 2019). APS: the probability of the classes before k in descending order, plus
 * u p_k (Romano, Sesia & Candes 2020, eq. 5-7). RAPS: APS plus penalty * max(o - rank, 0); o is the place of k in that order
 * (Angelopoulos, Bates, Malik & Jordan 2021, eq. 4).
 *
 * Randomised scores use one uniform u per case and a random order of tied classes, both from the stream of the case (first u, then
 * the tied groups in descending order, each by Fisher-Yates from the end). Otherwise u = 1 and tied classes count as one: all of
 * them have the score of the last, so that the score does not depend on the position of a class. */
#include <math.h>
#include <stdlib.h>

#include "ugt.h"

typedef struct {
    double p;
    int64_t k;
} entry;

static int descending(const void *x, const void *y)
{
    const entry *a = x, *b = y;
    if (a->p != b->p)
        return a->p > b->p ? -1 : 1;
    return (a->k > b->k) - (a->k < b->k);
}

static void shuffle(ugt_stream *stream, entry *part, int64_t n)
{
    for (int64_t i = n - 1; i > 0; i--) {
        const int64_t j = (int64_t)ugt_stream_below(stream, (uint64_t)i + 1);
        const entry held = part[i];
        part[i] = part[j];
        part[j] = held;
    }
}

static double penalty_at(const ugt_set_rule *rule, int64_t place)
{
    return rule->kind == UGT_SCORE_RAPS && place > rule->rank ? rule->penalty * (double)(place - rule->rank) : 0.0;
}

/* Writes the scores of the classes sorted [n_classes], which begin with the most probable.
 *
 * Without random numbers, sums are divided by the total, added in the same order, so that the last class has exactly 1. Otherwise the
 * rounding of each case would decide which of these equal scores is the higher one. */
static void cumulative_scores(const ugt_set_rule *rule, entry *sorted, uint64_t key, double *score)
{
    ugt_stream stream;
    double u = 1.0, before = 0.0, total = rule->randomised ? 1.0 : 0.0;
    if (rule->randomised) {
        ugt_stream_open(&stream, rule->seed, key, rule->chain, UGT_PURPOSE_SETS);
        u = ugt_stream_uniform(&stream);
    }
    for (int64_t i = 0; i < rule->n_classes && !rule->randomised; i++)
        total += sorted[i].p;
    for (int64_t i = 0, end; i < rule->n_classes; i = end) {
        end = i + 1;
        while (end < rule->n_classes && sorted[end].p == sorted[i].p)
            end++;
        if (rule->randomised && end - i > 1)
            shuffle(&stream, sorted + i, end - i);
        double last = before;
        for (int64_t at = i; at < end; at++) {
            score[sorted[at].k] = (before + u * sorted[at].p) / total + penalty_at(rule, at + 1);
            last = score[sorted[at].k];
            before += sorted[at].p;
        }
        if (!rule->randomised)
            for (int64_t at = i; at < end; at++)
                score[sorted[at].k] = last;
    }
}

int ugt_set_scores(const ugt_set_rule *rule, const double *probability, const uint64_t *stream_key, int64_t n_rows, double *score)
{
    const int64_t k_all = rule->n_classes;
    if (rule->kind == UGT_SCORE_LAC) {
        for (int64_t i = 0; i < n_rows * k_all; i++)
            score[i] = 1.0 - probability[i];
        return UGT_OK;
    }
    entry *sorted = malloc((size_t)k_all * sizeof *sorted);
    if (!sorted)
        return UGT_ERR_MEMORY;
    for (int64_t row = 0; row < n_rows; row++) {
        for (int64_t k = 0; k < k_all; k++)
            sorted[k] = (entry){probability[row * k_all + k], k};
        qsort(sorted, (size_t)k_all, sizeof *sorted, descending);
        cumulative_scores(rule, sorted, stream_key[row], score + row * k_all);
    }
    free(sorted);
    return UGT_OK;
}

/* Returns the first class whose cumulative sum is above the point. Its plausibility is never 0. */
static int32_t label_at(const double *cumulative, int64_t last, double point)
{
    int64_t low = 0, high = last;
    while (low < high) {
        const int64_t middle = low + (high - low) / 2;
        if (cumulative[middle] > point)
            high = middle;
        else
            low = middle + 1;
    }
    return (int32_t)low;
}

int ugt_sampled_labels(const double *plausibility, int64_t n_rows, int64_t n_classes, const uint64_t *stream_key, uint64_t seed,
                       uint64_t chain, int64_t m, int32_t *label)
{
    double *cumulative = malloc((size_t)n_classes * sizeof *cumulative);
    if (!cumulative)
        return UGT_ERR_MEMORY;
    for (int64_t row = 0; row < n_rows; row++) {
        double sum = 0.0;
        int64_t last = 0;
        for (int64_t k = 0; k < n_classes; k++) {
            const double value = plausibility[row * n_classes + k];
            if (value > 0.0)
                last = k;
            cumulative[k] = sum += value;
        }
        ugt_stream stream;
        ugt_stream_open(&stream, seed, stream_key[row], chain, UGT_PURPOSE_SETS);
        for (int64_t j = 0; j < m; j++)
            label[row * m + j] = label_at(cumulative, last, ugt_stream_uniform(&stream) * sum);
    }
    free(cumulative);
    return UGT_OK;
}
