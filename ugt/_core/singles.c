/* Finds the best classes and the group totals of draws that contain only the mentioned classes of a case and the lump of all others.
 *
 * Given the total of the lump, the single unmentioned classes are a symmetric Dirichlet(a, ..., a) share of it. The largest of
 * them are found without drawing all: in size-biased order the shares are sticks, V_j ~ Beta(1 + a, (n - j) a) of the
 * remainder. Once the remainder is below the smallest class that still counts, no later stick can count. */
#include <math.h>
#include <stdlib.h>

#include "core.h"

#define SINGLE UGT_UNNAMED /* in a list of best classes: an unmentioned class that has no name yet */

typedef struct {
    double *value; /* [depth] logs of the values, best first */
    int32_t *name; /* [depth] */
    int64_t held, depth;
} best_list;

static void offer(best_list *best, double value, int32_t name)
{
    if (best->held == best->depth && !(value > best->value[best->held - 1]))
        return;
    int64_t at = best->held < best->depth ? best->held++ : best->held - 1;
    for (; at > 0 && best->value[at - 1] < value; at--) {
        best->value[at] = best->value[at - 1];
        best->name[at] = best->name[at - 1];
    }
    best->value[at] = value;
    best->name[at] = name;
}

static double bar(const best_list *best)
{
    return best->held < best->depth ? -INFINITY : best->value[best->held - 1];
}

/* Offers sticks of the lump until the remainder is too small to enter the list. */
static void offer_singles(best_list *best, ugt_stream *stream, double log_rest, int64_t n, double shape)
{
    for (; n > 0 && log_rest > bar(best); n--) {
        if (n == 1) {
            offer(best, log_rest, SINGLE);
            return;
        }
        const double x = ugt_stream_log_gamma(stream, 1.0 + shape), y = ugt_stream_log_gamma(stream, (double)(n - 1) * shape);
        const double total = x > y ? x + log1p(exp(y - x)) : y + log1p(exp(x - y));
        offer(best, log_rest + x - total, SINGLE);
        log_rest += y - total;
    }
}

/* Returns the j-th class that is not mentioned, counted from 0; index must ascend. */
static int32_t unmentioned(const int32_t *index, int64_t m, int64_t j)
{
    for (int64_t k = 0; k < m && index[k] <= j; k++)
        j++;
    return (int32_t)j;
}

/* Names the unmentioned classes of a list at random, without repetition. */
static void name_singles(best_list *best, ugt_stream *stream, const int32_t *index, int64_t m, int64_t n)
{
    for (int64_t a = 0; a < best->held; a++) {
        while (best->name[a] == SINGLE) {
            const int32_t name = unmentioned(index, m, (int64_t)ugt_stream_below(stream, (uint64_t)n));
            int taken = 0;
            for (int64_t b = 0; b < best->held; b++)
                taken |= best->name[b] == name;
            if (!taken)
                best->name[a] = name;
        }
    }
}

static double log_of(const ugt_mentioned *draws, double value)
{
    return draws->logs ? value : log(value);
}

static void best_of_draw(best_list *best, const ugt_mentioned *draws, int64_t i, int64_t d, const double *value)
{
    const int32_t *index = draws->class_index + draws->class_offsets[i];
    const int64_t m = draws->class_offsets[i + 1] - draws->class_offsets[i], n = draws->n_classes - m;
    best->held = 0;
    for (int64_t k = 0; k < m; k++)
        offer(best, log_of(draws, value[k]), index[k]);
    const double log_rest = log_of(draws, value[m]);
    if (n == 0 || draws->rest == UGT_REST_IGNORE || !(log_rest > bar(best)))
        return;
    ugt_stream stream;
    ugt_stream_open(&stream, draws->seed, draws->stream_key[i], (uint64_t)d, UGT_PURPOSE_SINGLES);
    if (draws->rest == UGT_REST_INDIVIDUAL)
        offer_singles(best, &stream, log_rest, n, draws->shape);
    else
        for (int64_t j = 0; j < n && j < best->depth; j++)
            offer(best, log_rest - log((double)n), SINGLE);
    if (draws->unnamed)
        return;
    /* names have their own stream, so that the first names are the same for every depth */
    ugt_stream_open(&stream, draws->seed, draws->stream_key[i], (uint64_t)d, UGT_PURPOSE_NAMES);
    name_singles(best, &stream, index, m, n);
}

int ugt_mentioned_top(const ugt_mentioned *draws, const double *value, int64_t begin, int64_t end, int64_t depth, int32_t *out)
{
    best_list best = {malloc((size_t)depth * sizeof(double)), NULL, 0, depth};
    if (best.value == NULL)
        return UGT_ERR_MEMORY;
    for (int64_t i = begin; i < end; i++) {
        const int64_t m = draws->class_offsets[i + 1] - draws->class_offsets[i];
        for (int64_t d = 0; d < draws->n_draws; d++, value += m + 1, out += depth) {
            best.name = out;
            best_of_draw(&best, draws, i, d, value);
            for (int64_t a = best.held; a < depth; a++)
                out[a] = -1;
        }
    }
    free(best.value);
    return UGT_OK;
}

/* Draws the shares of the lump: Dirichlet with n_g shape for a group of n_g unmentioned classes. Logs keep tiny shapes from
 * underflow. */
static void share_lump(ugt_stream *stream, const int64_t *left, int64_t n_groups, double shape, double *share)
{
    double top = -INFINITY, sum = 0.0;
    for (int64_t g = 0; g < n_groups; g++) {
        share[g] = left[g] == 0 ? -INFINITY : ugt_stream_log_gamma(stream, (double)left[g] * shape);
        top = share[g] > top ? share[g] : top;
    }
    for (int64_t g = 0; g < n_groups; g++)
        sum += share[g] = exp(share[g] - top);
    for (int64_t g = 0; g < n_groups; g++)
        share[g] /= sum;
}

static double plain(const ugt_mentioned *draws, double value)
{
    return draws->logs ? exp(value) : value;
}

int ugt_mentioned_groups(const ugt_mentioned *draws, const double *value, int64_t begin, int64_t end, const int64_t *group,
                         int64_t n_groups, double *out)
{
    int status = UGT_ERR_MEMORY;
    double *share = malloc((size_t)n_groups * sizeof *share);
    int64_t *total = calloc((size_t)n_groups, sizeof *total), *left = malloc((size_t)n_groups * sizeof *left);
    if (!share || !total || !left)
        goto out;
    status = UGT_OK;
    for (int64_t k = 0; k < draws->n_classes; k++)
        total[group[k]]++;
    for (int64_t i = begin; i < end; i++) {
        const int32_t *index = draws->class_index + draws->class_offsets[i];
        const int64_t m = draws->class_offsets[i + 1] - draws->class_offsets[i], n = draws->n_classes - m;
        const int lumped = n > 0 && draws->rest != UGT_REST_IGNORE;
        for (int64_t g = 0; g < n_groups; g++)
            left[g] = total[g];
        for (int64_t k = 0; k < m; k++)
            left[group[index[k]]]--;
        for (int64_t d = 0; d < draws->n_draws; d++, value += m + 1, out += n_groups) {
            ugt_stream stream;
            ugt_stream_open(&stream, draws->seed, draws->stream_key[i], (uint64_t)d, UGT_PURPOSE_GROUPS);
            if (lumped && draws->rest == UGT_REST_INDIVIDUAL)
                share_lump(&stream, left, n_groups, draws->shape, share);
            for (int64_t g = 0; g < n_groups; g++)
                out[g] = !lumped ? 0.0 : plain(draws, value[m]) * (draws->rest == UGT_REST_LUMP ? (double)left[g] / (double)n : share[g]);
            for (int64_t k = 0; k < m; k++)
                out[group[index[k]]] += plain(draws, value[k]);
        }
    }
out:
    free(share);
    free(total);
    free(left);
    return status;
}
