/* Log-likelihood of partial rankings with ties under Plackett-Luce, and its gradient in log plausibilities.
 *
 * A ranking is a chain of stages: each block in turn arrives before all later classes, and unranked classes come last.
 * p(ranking) = prod over blocks of p(block | Z), Z the total plausibility of the later classes. Z is summed from the end,
 * because a difference of totals would lose small plausibilities. */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core.h"

#define HUGE_ODDS 1e300 /* upper limit of lambda / Z: larger quotients change p by 1e-300 at most */

typedef struct {
    double *lambda, *x, *share; /* [n_classes] of one block */
    uint8_t *ranked;            /* [n_classes] */
    ugt_lattice lattice;
} likelihood_room;

double ugt_stage_log_probability(const double *lambda, int64_t n, double z, double *x, double *share, ugt_lattice *lattice)
{
    int zero = 0;
    for (int64_t a = 0; a < n; a++)
        zero |= !(lambda[a] > 0.0);
    if (z <= 0.0 || zero) {
        for (int64_t a = 0; a < n && share != NULL; a++)
            share[a] = zero ? NAN : 0.0;
        return !zero ? 0.0 : z > 0.0 ? -INFINITY : NAN; /* if z is 0 too, no class ever arrives and p is undefined */
    }
    if (n <= UGT_SMALL_BLOCK) {
        const double log_p = ugt_subset_log_probability(lambda, (int)n, z, lattice);
        if (share != NULL)
            ugt_subset_share(lambda, (int)n, z, lattice, share);
        return log_p;
    }
    /* x is kept in the range of doubles: p is proportional to a tiny x, whose factor goes into beyond; a class with a huge x is
     * certain to arrive */
    double beyond = 0.0;
    for (int64_t a = 0; a < n; a++) {
        x[a] = fmin(lambda[a] / z, HUGE_ODDS);
        if (x[a] < DBL_MIN) {
            beyond += ugt_log_tiny(lambda[a]) - ugt_log_tiny(z) - log(DBL_MIN);
            x[a] = DBL_MIN;
        }
    }
    return ugt_block_log_probability(x, n, share) + beyond;
}

/* Returns log p of one ranking, summed from its last block to its first; adds to the gradient of the case unless that is NULL. */
static double ranking_log_probability(likelihood_room *room, const ugt_rankings *rankings, int64_t r, const double *plausibility,
                                      double *gradient)
{
    const int64_t first = rankings->ranking_offsets[r], last = rankings->ranking_offsets[r + 1];
    const int64_t begin = rankings->block_offsets[first], end = rankings->block_offsets[last];
    double z = 0.0, sum = 0.0, *rate = room->x + rankings->n_classes; /* rate: per block, the expected wait of each later class */
    for (int64_t i = begin; i < end; i++)
        room->ranked[rankings->items[i]] = 1;
    for (int64_t k = 0; k < rankings->n_classes; k++)
        z += room->ranked[k] ? 0.0 : plausibility[k];
    for (int64_t b = last - 1; b >= first; b--) {
        const int32_t *items = rankings->items + rankings->block_offsets[b];
        const int64_t n = rankings->block_offsets[b + 1] - rankings->block_offsets[b];
        double block = 0.0, share = 0.0;
        for (int64_t a = 0; a < n; a++)
            block += room->lambda[a] = plausibility[items[a]];
        rate[b - first] = 0.0;
        if (b == last - 1 && end - begin == rankings->n_classes) { /* no class comes later, so p is 1 even with plausibilities of 0 */
            z = block;
            continue;
        }
        sum += ugt_stage_log_probability(room->lambda, n, z, room->x, gradient == NULL ? NULL : room->share, &room->lattice);
        for (int64_t a = 0; a < n && gradient != NULL; a++) {
            gradient[items[a]] += room->share[a];
            share += room->share[a];
        }
        rate[b - first] = z > 0.0 ? share / z : 0.0; /* expected last arrival: every later class waits that long */
        z += block;
    }
    if (gradient != NULL) {
        double waited = 0.0;
        for (int64_t b = first; b < last; b++) {
            const int32_t *items = rankings->items + rankings->block_offsets[b];
            for (int64_t a = 0; a < rankings->block_offsets[b + 1] - rankings->block_offsets[b]; a++)
                gradient[items[a]] -= plausibility[items[a]] * waited;
            waited += rate[b - first];
        }
        for (int64_t k = 0; k < rankings->n_classes; k++)
            if (!room->ranked[k])
                gradient[k] -= plausibility[k] * waited;
    }
    for (int64_t i = begin; i < end; i++)
        room->ranked[rankings->items[i]] = 0;
    return sum;
}

/* Returns whether no class occurs twice among items [begin, end); `ranked` is all 0 before and after. */
static int classes_differ(uint8_t *ranked, const int32_t *items, int64_t begin, int64_t end)
{
    int64_t i = begin;
    for (; i < end && !ranked[items[i]]; i++)
        ranked[items[i]] = 1;
    for (int64_t j = begin; j < i; j++)
        ranked[items[j]] = 0;
    return i == end;
}

static int ranking_is_valid(const ugt_rankings *rankings, int64_t r, uint8_t *ranked)
{
    const int64_t first = rankings->ranking_offsets[r], last = rankings->ranking_offsets[r + 1];
    if (first < 0 || last < first || last > rankings->n_blocks || last - first > rankings->n_classes)
        return 0;
    for (int64_t b = first; b < last; b++)
        if (rankings->block_offsets[b] < 0 || rankings->block_offsets[b + 1] <= rankings->block_offsets[b] ||
            rankings->block_offsets[b + 1] > rankings->n_items ||
            rankings->block_offsets[b + 1] - rankings->block_offsets[b] > rankings->n_classes)
            return 0;
    for (int64_t i = rankings->block_offsets[first]; i < rankings->block_offsets[last]; i++)
        if (rankings->items[i] < 0 || rankings->items[i] >= rankings->n_classes)
            return 0;
    return classes_differ(ranked, rankings->items, rankings->block_offsets[first], rankings->block_offsets[last]);
}

int ugt_plackett_luce_log_likelihood(const ugt_rankings *rankings, const double *plausibility, int64_t begin, int64_t end,
                                     double *log_p, double *gradient)
{
    int status = UGT_ERR_MEMORY;
    const size_t width = (size_t)rankings->n_classes;
    likelihood_room *room = calloc(1, sizeof *room);
    if (room == NULL)
        return status;
    room->lambda = malloc(width * sizeof *room->lambda);
    room->x = malloc(2 * width * sizeof *room->x);
    room->share = malloc(width * sizeof *room->share);
    room->ranked = calloc(width, sizeof *room->ranked);
    if (!room->lambda || !room->x || !room->share || !room->ranked)
        goto out;
    status = UGT_OK;
    for (int64_t i = begin; i < end && status == UGT_OK; i++) {
        const double *here = plausibility + i * rankings->n_classes;
        double *slope = gradient == NULL ? NULL : gradient + i * rankings->n_classes;
        if (slope != NULL)
            memset(slope, 0, width * sizeof *slope);
        for (int64_t r = rankings->case_offsets[i]; r < rankings->case_offsets[i + 1]; r++) {
            if (r < 0 || r >= rankings->n_rankings || !ranking_is_valid(rankings, r, room->ranked)) {
                status = UGT_ERR_RANGE;
                break;
            }
            log_p[r] = ranking_log_probability(room, rankings, r, here, slope);
        }
    }
out:
    free(room->lambda);
    free(room->x);
    free(room->share);
    free(room->ranked);
    free(room);
    return status;
}
