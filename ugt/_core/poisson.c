/* Resamples cases that are not all available at once: how often a case counts depends only on the seed, the resample and its key.
 *
 * Each count is Poisson(1), as in the bootstrap of Hanley & MacGibbon ("Creating non-parametric bootstrap samples using Poisson
 * frequencies", 2006). For many cases, counts of the multinomial bootstrap have this law, which does not need the number of cases. */
#include "core.h"

#define WORDS 8 /* words of 32 bits in a block of Philox */
#define LIKELY 4 /* thresholds that are compared without a branch; one word of 53 needs more */
#define MOST 12 /* largest count; larger ones have a probability of 6e-11 in total */

/* P(at most k) 2^32, rounded to the nearest: a case whose word is at or above AT_MOST[k] counts more than k times. */
static const uint32_t AT_MOST[MOST] = {0x5e2d58d9, 0xbc5ab1b1, 0xeb715e1e, 0xfb239797, 0xff1025f6, 0xffd90f3c,
                                       0xfffa8b72, 0xffff540c, 0xffffed1f, 0xfffffe21, 0xffffffd5, 0xfffffffc};

static inline double times(uint32_t word)
{
    int k = 0;
    for (int i = 0; i < LIKELY; i++)
        k += word >= AT_MOST[i];
    if (k == LIKELY) /* true for one word of 53 */
        while (k < MOST && word >= AT_MOST[k])
            k++;
    return k;
}

int ugt_poisson_weights(const uint64_t *key, int64_t n, uint64_t seed, int64_t begin, int64_t end, double *weight)
{
    if (begin < 0 || end < begin)
        return UGT_ERR_RANGE;
    const uint64_t by_seed[2] = {seed, UGT_PHILOX_KEY};
    for (int64_t b = begin; b < end;) {
        const int64_t block = b / WORDS, next = end - block * WORDS < WORDS ? end : (block + 1) * WORDS;
        for (int64_t i = 0; i < n; i++) {
            const uint64_t counter[4] = {key[i], (uint64_t)block, UGT_PURPOSE_POISSON, 0};
            uint64_t word[4];
            ugt_philox(counter, by_seed, word);
            for (int64_t r = b; r < next; r++)
                weight[(r - begin) * n + i] = times((uint32_t)(word[r % WORDS / 2] >> 32 * (r & 1)));
        }
        b = next;
    }
    return UGT_OK;
}
