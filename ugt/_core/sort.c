/* Sorts scores, highest first, stably: scores are distributed to buckets that fit the cache, and each bucket is sorted there.
 *
 * A score becomes an integer key, smaller for a higher score (0 and -0 have the same key); key and load move together. Splitters
 * from a sample of the keys make buckets of about equal size for any law of the scores; equal keys share a bucket. Within a
 * bucket the keys are nearly evenly spread: one more distribution, by the leading bits of their distance from the smallest,
 * leaves two or three records per place, and an insertion sort finishes the bucket. If insertion takes too many moves (keys far
 * from even), it stops, and a radix sort finishes the bucket. Buckets are passed on in order while they are in the cache. */
#include <stdlib.h>
#include <string.h>

#include "core.h"

#define MOST_LEVELS 10      /* 1,024 buckets: more would not fit the second-level TLB */
#define BUCKET 8192         /* largest number of records aimed at */
#define OVERSAMPLE 32       /* sampled keys per bucket: the largest bucket has about 1.5 times the records aimed at */
#define SMALL 32            /* records up to which insertion alone is fastest */
#define MOST_PLACES 13      /* bits: 8,192 counters stay in the first-level cache */
#define RADIX 11            /* bits of a digit of the radix sort */
#define TOGETHER 8          /* keys that descend the tree of splitters at the same time */
#define MOVES 8             /* moves per record that insertion may take */

static uint64_t key_of(double score)
{
    uint64_t bits;
    score += 0.0; /* -0 becomes 0 */
    memcpy(&bits, &score, sizeof bits);
    return ~(bits ^ (((uint64_t)0 - (bits >> 63)) | (uint64_t)1 << 63));
}

double ugt_score_of_key(uint64_t key)
{
    double score;
    key = ~key;
    key ^= (key >> 63) ? (uint64_t)1 << 63 : ~(uint64_t)0;
    memcpy(&score, &key, sizeof score);
    return score;
}

static double score_at(const ugt_scores *in, int64_t i)
{
    return in->single != NULL ? (double)in->single[i] : in->score[i];
}

static uint64_t load_at(const ugt_scores *in, int64_t i)
{
    uint64_t load = (uint64_t)i;
    if (in->load != NULL)
        memcpy(&load, &in->load[i], sizeof load);
    return load;
}

/* Returns whether the sort ended within the moves allowed. */
static int insertion_sort(ugt_record *record, int64_t n, int64_t moves)
{
    for (int64_t i = 1; i < n; i++) {
        const ugt_record held = record[i];
        int64_t j = i;
        for (; j > 0 && record[j - 1].key > held.key; j--)
            record[j] = record[j - 1];
        record[j] = held;
        moves -= i - j;
        if (moves < 0)
            return 0;
    }
    return 1;
}

static int n_bits(uint64_t x)
{
    int n = 0;
    for (int step = 32; step > 0; step /= 2) {
        if (x >> step) {
            x >>= step;
            n += step;
        }
    }
    return n + (x != 0);
}

/* Distributes records stably by a digit of the distance of their keys from least. */
static void distribute(const ugt_record *from, ugt_record *to, int64_t n, uint64_t least, int shift, uint64_t mask, uint32_t *at)
{
    memset(at, 0, (size_t)(mask + 2) * sizeof *at);
    for (int64_t i = 0; i < n; i++)
        at[((from[i].key - least) >> shift & mask) + 1]++;
    for (uint64_t d = 1; d <= mask; d++)
        at[d] += at[d - 1];
    for (int64_t i = 0; i < n; i++)
        to[at[(from[i].key - least) >> shift & mask]++] = from[i];
}

/* Returns the records in order, in one of the arrays record and other. */
static ugt_record *sort_bucket(ugt_record *record, int64_t n, ugt_record *other, uint32_t *at)
{
    uint64_t least = record[0].key, most = least;
    for (int64_t i = 1; i < n; i++) {
        least = record[i].key < least ? record[i].key : least;
        most = record[i].key > most ? record[i].key : most;
    }
    if (least == most)
        return record;
    if (n <= SMALL) {
        insertion_sort(record, n, INT64_MAX);
        return record;
    }
    const int bits = n_bits(most - least);
    int places = n_bits((uint64_t)n) - 1;
    places = places > MOST_PLACES ? MOST_PLACES : places;
    places = places > bits ? bits : places;
    distribute(record, other, n, least, bits - places, ((uint64_t)1 << places) - 1, at);
    if (insertion_sort(other, n, MOVES * n))
        return other;
    for (int shift = 0; shift < bits; shift += RADIX) {
        ugt_record *from = other;
        other = record;
        record = from;
        distribute(record, other, n, least, shift, ((uint64_t)1 << RADIX) - 1, at);
    }
    return other;
}

typedef struct {
    int levels;
    uint64_t tree[1 << MOST_LEVELS]; /* splitters as a binary search tree: the children of node t are 2t and 2t + 1 */
    int64_t start[(1 << MOST_LEVELS) + 1];
} buckets;

static void plant(buckets *b, const ugt_record *splitter, uint32_t node, int64_t *next)
{
    if (node >= (uint32_t)1 << b->levels)
        return;
    plant(b, splitter, 2 * node, next);
    b->tree[node] = splitter[(*next)++ * OVERSAMPLE].key;
    plant(b, splitter, 2 * node + 1, next);
}

static int choose_splitters(buckets *b, const ugt_scores *in, uint32_t *at)
{
    const int64_t n = ((int64_t)OVERSAMPLE << b->levels) - 1;
    ugt_record *sample = malloc(2 * (size_t)n * sizeof *sample);
    if (sample == NULL)
        return UGT_ERR_MEMORY;
    uint64_t state = 0x9E3779B97F4A7C15u; /* a fixed start, because the choice of sampled cases does not influence the result */
    for (int64_t j = 0; j < n; j++) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        sample[j] = (ugt_record){key_of(score_at(in, (int64_t)((state >> 33) * (uint64_t)in->n >> 31))), 0};
    }
    const ugt_record *sorted = sort_bucket(sample, n, sample + n, at);
    int64_t next = 0;
    plant(b, sorted + OVERSAMPLE - 1, 1, &next);
    free(sample);
    return UGT_OK;
}

/* Writes the bucket of every score; returns whether no score is NaN. Keys are computed again later, which is faster than to store them. */
static int classify(buckets *b, const ugt_scores *in, uint16_t *bucket)
{
    int is_nan = 0;
    const uint32_t n_buckets = (uint32_t)1 << b->levels;
    memset(b->start, 0, sizeof b->start);
    for (int64_t i = 0; i < in->n; i += TOGETHER) {
        uint64_t key[TOGETHER];
        uint32_t node[TOGETHER];
        const int64_t here = in->n - i < TOGETHER ? in->n - i : TOGETHER;
        for (int64_t j = 0; j < TOGETHER; j++) {
            const double score = score_at(in, i + (j < here ? j : 0));
            is_nan |= score != score;
            key[j] = key_of(score);
            node[j] = 1;
        }
        for (int level = 0; level < b->levels; level++)
            for (int j = 0; j < TOGETHER; j++)
                node[j] = 2 * node[j] + (key[j] >= b->tree[node[j]]);
        for (int64_t j = 0; j < here; j++) {
            bucket[i + j] = (uint16_t)(node[j] - n_buckets);
            b->start[node[j] - n_buckets + 1]++;
        }
    }
    for (uint32_t d = 1; d <= n_buckets; d++)
        b->start[d] += b->start[d - 1];
    return !is_nan;
}

static int64_t first_nan(const ugt_scores *in)
{
    for (int64_t i = 0; i < in->n; i++)
        if (score_at(in, i) != score_at(in, i))
            return i;
    return -1;
}

static int64_t size_of(const buckets *b, int64_t d)
{
    return b->start[d + 1] - b->start[d];
}

int ugt_sort_scores(const ugt_scores *in, ugt_visit *visit, void *context, int64_t *nan_at)
{
    int status = UGT_ERR_MEMORY;
    *nan_at = -1;
    if (in->n < 1 || in->n > (int64_t)UINT32_MAX)
        return UGT_ERR_RANGE;
    uint16_t *bucket = malloc((size_t)in->n * sizeof *bucket);
    uint32_t *at = malloc((((size_t)1 << MOST_PLACES) + 2) * sizeof *at);
    buckets *b = malloc(sizeof *b);
    ugt_record *record = malloc((size_t)in->n * sizeof *record), *other = NULL;
    int64_t largest = 0;
    if (bucket == NULL || at == NULL || b == NULL || record == NULL)
        goto out;
    for (b->levels = 0; b->levels < MOST_LEVELS && in->n >> b->levels > BUCKET; b->levels++)
        ;
    if (b->levels > 0) {
        status = choose_splitters(b, in, at);
        if (status != UGT_OK)
            goto out;
    }
    if (!classify(b, in, bucket)) {
        *nan_at = first_nan(in);
        status = UGT_ERR_RANGE;
        goto out;
    }
    for (int64_t d = 0; d < (int64_t)1 << b->levels; d++)
        largest = size_of(b, d) > largest ? size_of(b, d) : largest;
    int64_t next[1 << MOST_LEVELS];
    memcpy(next, b->start, sizeof next);
    for (int64_t i = 0; i < in->n; i++)
        record[next[bucket[i]]++] = (ugt_record){key_of(score_at(in, i)), load_at(in, i)};
    free(bucket);
    bucket = NULL;
    status = UGT_ERR_MEMORY;
    other = malloc((size_t)largest * sizeof *other);
    if (other == NULL)
        goto out;
    status = UGT_OK;
    for (int64_t d = 0; d < (int64_t)1 << b->levels && status == UGT_OK; d++) {
        if (size_of(b, d) > 0)
            status = visit(context, sort_bucket(record + b->start[d], size_of(b, d), other, at), size_of(b, d));
    }
out:
    free(bucket);
    free(at);
    free(b);
    free(record);
    free(other);
    return status;
}

typedef struct {
    int64_t *order, filled;
} ordering;

static int write_order(void *context, const ugt_record *sorted, int64_t n)
{
    ordering *o = context;
    for (int64_t i = 0; i < n; i++)
        o->order[o->filled++] = (int64_t)sorted[i].load;
    return UGT_OK;
}

int ugt_argsort_descending(const ugt_scores *in, int64_t *order, int64_t *nan_at)
{
    ordering o = {order, 0};
    ugt_scores plain = *in;
    plain.load = NULL;
    return ugt_sort_scores(&plain, write_order, &o, nan_at);
}
