/* Bootstrap by weights, and the exact law of a sum of independent variables.
 *
 * Units are drawn in blocks whose counters stay in the cache. First comes the number of draws in each block (exactly multinomial),
 * then the unit of each draw, from a few bits of a random word. */
#include <stdlib.h>
#include <string.h>

#include "core.h"

#include "wide.h"

#define BLOCK 4096 /* units per block: 12 bits, so that a word has five draws; the counters of a block take 16 KiB */
#define PANEL 256  /* units whose counts are turned into weights together; with 8 resamples they take 16 KiB */
#define LANES 8    /* resamples that pass through the table together */
#define STRIP 4    /* columns of the table that are adjacent in memory */
#define WORDS 256  /* random words that are drawn together */

typedef struct {
    int64_t at, size; /* units [at, at + size) */
} block;

typedef struct {
    int64_t n_blocks;
    block *blocks;
    ugt_stream stream[LANES];
    int64_t *draws;           /* [LANES * n_blocks] number of draws in each block */
    int32_t *count;           /* [LANES * BLOCK] how often each unit was drawn */
    double *weight;           /* [PANEL * LANES] */
    uint64_t word[WORDS];
} sampler;

static void sampler_free(sampler *s)
{
    if (s == NULL)
        return;
    free(s->blocks);
    free(s->draws);
    free(s->count);
    free(s->weight);
    free(s);
}

static int64_t cut(const ugt_design *design, block *blocks)
{
    int64_t n = 0;
    for (int64_t k = 0; k < design->n_strata; k++)
        for (int64_t at = design->offsets[k], end = design->offsets[k + 1]; at < end; at += BLOCK, n++)
            if (blocks != NULL)
                blocks[n] = (block){at, end - at < BLOCK ? end - at : BLOCK};
    return n;
}

static sampler *sampler_new(const ugt_design *design)
{
    sampler *s = calloc(1, sizeof *s);
    if (s == NULL)
        return NULL;
    s->n_blocks = cut(design, NULL);
    s->blocks = malloc((size_t)s->n_blocks * sizeof *s->blocks);
    s->draws = malloc((size_t)s->n_blocks * LANES * sizeof *s->draws);
    s->count = malloc(BLOCK * LANES * sizeof *s->count);
    s->weight = malloc(PANEL * LANES * sizeof *s->weight);
    if (s->blocks == NULL || s->draws == NULL || s->count == NULL || s->weight == NULL) {
        sampler_free(s);
        return NULL;
    }
    cut(design, s->blocks);
    return s;
}

/* A table [n * m] in the layout of ugt_bootstrap. */
typedef struct {
    const double *value;
    int64_t n, m;
} strips;

/* Opens the stream of resample b and splits the draws of each stratum among its blocks. */
static void open_lane(sampler *s, const ugt_design *design, int64_t b, int lane)
{
    ugt_stream *stream = &s->stream[lane];
    int64_t *draws = s->draws + lane * s->n_blocks;
    ugt_stream_open(stream, design->seed, (uint64_t)b, 0, UGT_PURPOSE_BOOTSTRAP);
    int64_t i = 0;
    for (int64_t k = 0; k < design->n_strata; k++) {
        int64_t units = design->offsets[k + 1] - design->offsets[k], left = units;
        for (; units > 0; units -= s->blocks[i++].size) {
            const int64_t size = s->blocks[i].size;
            draws[i] = size == units ? left : ugt_stream_binomial(stream, left, (double)size / (double)units);
            left -= draws[i];
        }
    }
}

/* Counts the five draws of a word; the block must be full, so that each draw is one of its units. */
static inline void count_five(uint64_t word, int32_t *count)
{
    count[word & (BLOCK - 1)]++;
    count[word >> 12 & (BLOCK - 1)]++;
    count[word >> 24 & (BLOCK - 1)]++;
    count[word >> 36 & (BLOCK - 1)]++;
    count[word >> 48 & (BLOCK - 1)]++;
}

/* Writes to count [size rounded up to a power of two] how often each unit of block i was drawn in this lane. */
static void draw_block(sampler *s, int64_t i, int lane, int32_t *count)
{
    const int64_t size = s->blocks[i].size;
    int64_t left = s->draws[lane * s->n_blocks + i];
    int bits = 1;
    while ((int64_t)1 << bits < size)
        bits++;
    const uint64_t mask = ((uint64_t)1 << bits) - 1;
    const int64_t in_word = 64 / bits;
    memset(count, 0, ((size_t)1 << bits) * sizeof *count);
    if (size == 1) {
        count[0] = (int32_t)left;
        return;
    }
    const int64_t whole = size == BLOCK ? left / in_word : 0; /* words whose draws are all needed: all except at most one */
    for (int64_t done = 0, n; done < whole; done += n, left -= n * in_word) {
        n = whole - done < WORDS ? whole - done : WORDS;
        ugt_stream_words(&s->stream[lane], n, s->word);
        for (int64_t j = 0; j < n; j++)
            count_five(s->word[j], count);
    }
    while (left > 0) { /* a draw beyond the last unit is rejected and repeated */
        const int64_t wanted = (left + in_word - 1) / in_word, n = wanted < WORDS ? wanted : WORDS;
        ugt_stream_words(&s->stream[lane], n, s->word);
        for (int64_t j = 0; j < n; j++) {
            uint64_t word = s->word[j];
            for (int64_t f = 0; f < in_word && left > 0; f++, word >>= bits) {
                const int64_t unit = (int64_t)(word & mask);
                count[unit]++;
                left -= unit < size;
            }
        }
    }
}

/* Adds up width columns of n units, whose rows are stride apart, for the resamples of all lanes. Each sum is its own chain of additions,
 * so that it does not depend on the other lanes and columns. */
INLINE void add_columns(const double *restrict weight, int lanes, const double *restrict value, int64_t stride, int64_t n, int64_t m,
                        int width, double *restrict out)
{
    double sum[STRIP][LANES] = {{0.0}};
    for (int64_t u = 0; u < n; u++, weight += lanes, value += stride)
        for (int j = 0; j < width; j++)
            for (int lane = 0; lane < lanes; lane++)
                sum[j][lane] += weight[lane] * value[j];
    for (int j = 0; j < width; j++)
        for (int lane = 0; lane < lanes; lane++)
            out[lane * m + j] += sum[j][lane];
}

/* Adds up the units [at, at + n) of a table in strips, for one lane or all lanes. */
INLINE void add_strips(const double *weight, int lanes, const strips *table, int64_t at, int64_t n, double *out)
{
    const int64_t m = table->m;
    int64_t j = 0;
    for (; j + STRIP <= m; j += STRIP)
        add_columns(weight, lanes, table->value + j * table->n + at * STRIP, STRIP, n, m, STRIP, out + j);
    for (int64_t first = j; j < m; j++)
        add_columns(weight, lanes, table->value + first * table->n + at * (m - first) + j - first, m - first, n, m, 1, out + j);
}

UGT_WIDE static void add_panel(const double *weight, const strips *table, int64_t at, int64_t n, double *out)
{
    add_strips(weight, LANES, table, at, n, out);
}

/* Turns the counts of a block into weights, one panel at a time, adds up the columns, and stores the weights if weights is not NULL. */
INLINE void add_block(sampler *s, const block *block, int lanes, const strips *table, double *out, double *weights, int64_t stride)
{
    for (int64_t from = 0; from < block->size; from += PANEL) {
        const int64_t n = block->size - from < PANEL ? block->size - from : PANEL, at = block->at + from;
        for (int64_t u = 0; u < n; u++)
            for (int lane = 0; lane < lanes; lane++)
                s->weight[u * lanes + lane] = (double)s->count[lane * BLOCK + from + u];
        if (lanes == LANES)
            add_panel(s->weight, table, at, n, out);
        else
            add_strips(s->weight, 1, table, at, n, out);
        for (int64_t u = 0; weights != NULL && u < n; u++)
            memcpy(weights + (at + u) * stride, s->weight + u * lanes, (size_t)lanes * sizeof *weights);
    }
}

/* Draws all blocks and adds them up, for one lane or for all lanes. */
INLINE void add_blocks(sampler *s, int lanes, const strips *table, double *out, double *weights, int64_t stride)
{
    for (int64_t i = 0; i < s->n_blocks; i++) {
        for (int lane = 0; lane < lanes; lane++)
            draw_block(s, i, lane, s->count + lane * BLOCK);
        add_block(s, &s->blocks[i], lanes, table, out, weights, stride);
    }
}

/* Returns whether case j is unit j for all cases. */
static int is_identity(const int32_t *unit, int64_t n_cases, int64_t n_units)
{
    int64_t j = 0;
    while (n_cases == n_units && j < n_cases && unit[j] == j)
        j++;
    return j == n_units;
}

int ugt_bootstrap(const ugt_design *design, const double *value, int64_t m, const int32_t *unit, int64_t n_cases, int64_t begin,
                  int64_t end, double *sums, double *weights)
{
    const int64_t n_units = design->offsets[design->n_strata], many = end - begin;
    const int own = weights != NULL && !is_identity(unit, n_cases, n_units);
    const strips table = {value, n_units, m};
    sampler *s = sampler_new(design);
    double *drawn = own ? malloc((size_t)(n_units * LANES) * sizeof *drawn) : NULL;
    int status = UGT_OK;
    if (s == NULL || (own && drawn == NULL)) {
        status = UGT_ERR_MEMORY;
        goto out;
    }
    if (m > 0)
        memset(sums, 0, (size_t)(many * m) * sizeof *sums);
    for (int64_t b = 0, lanes; b < many; b += lanes) {
        lanes = many - b >= LANES ? LANES : 1;
        for (int lane = 0; lane < lanes; lane++)
            open_lane(s, design, begin + b + lane, lane);
        double *const kept = own ? drawn : weights != NULL ? weights + b : NULL;
        double *const added = m > 0 ? sums + b * m : NULL;
        if (lanes == LANES)
            add_blocks(s, LANES, &table, added, kept, own ? LANES : many);
        else
            add_blocks(s, 1, &table, added, kept, own ? 1 : many);
        for (int64_t j = 0; own && j < n_cases; j++)
            memcpy(weights + j * many + b, drawn + unit[j] * lanes, (size_t)lanes * sizeof *weights);
    }
out:
    free(drawn);
    sampler_free(s);
    return status;
}

#define FEW 64 /* annotations of a case that are drawn one by one; for more, one binomial per row is drawn (about 0.1 microseconds) */

/* Returns the share of a row that has count of the total annotations left: the ratio itself, or its random share in an urn with n - 2
 * balls for each of n annotations. */
static double share_of_row(ugt_stream *stream, int64_t count, int64_t total, int64_t n, int urn)
{
    if (!urn || count == 0)
        return (double)count / (double)total;
    const double own = ugt_stream_gamma(stream, (double)count * (double)(n - 2));
    return own / (own + ugt_stream_gamma(stream, (double)(total - count) * (double)(n - 2)));
}

static void resample_case(ugt_stream *stream, const int64_t *count, int64_t n, int urn, int64_t *out)
{
    int64_t total = 0, last = 0, drawn[FEW];
    memset(out, 0, (size_t)n * sizeof *out);
    for (int64_t j = 0; j < n; j++) {
        total += count[j];
        last = count[j] > 0 ? j : last;
    }
    if (total <= FEW) {
        const int64_t fresh = total * (total - 2); /* in addition to one ball for each draw so far; the first draw is always fresh */
        for (int64_t draw = 0; draw < total; draw++) {
            int64_t v = (int64_t)ugt_stream_below(stream, (uint64_t)(urn && draw > 0 ? fresh + draw : total)), j = 0;
            if (urn && draw > 0 && v >= fresh) {
                j = drawn[v - fresh];
            } else {
                for (v %= total; v >= count[j];)
                    v -= count[j++];
            }
            drawn[draw] = j;
            out[j]++;
        }
        return;
    }
    for (int64_t j = 0, left = total, n_all = total; left > 0; total -= count[j++]) {
        out[j] = j == last ? left : ugt_stream_binomial(stream, left, share_of_row(stream, count[j], total, n_all, urn));
        left -= out[j];
    }
}

int ugt_resample_rows(const int64_t *offsets, const int64_t *count, int64_t n_cases, uint64_t seed, int64_t begin, int64_t end,
                      int urn, int64_t *out)
{
    for (int64_t b = begin; b < end; b++, out += offsets[n_cases]) {
        ugt_stream stream;
        ugt_stream_open(&stream, seed, (uint64_t)b, 0, UGT_PURPOSE_ANNOTATIONS);
        for (int64_t i = 0; i < n_cases; i++)
            resample_case(&stream, count + offsets[i], offsets[i + 1] - offsets[i], urn, out + offsets[i]);
    }
    return UGT_OK;
}

#define DROP 1e-20 /* probability below which a value at the end of either tail is cut at each step: a million steps lose 2e-14 */
#define LEAF 32    /* cases that are added one by one; a larger sum is made of two halves, whose laws are narrow */

/* A law on [at, at + size), with the probabilities p. */
typedef struct {
    const double *p;
    int64_t at, size;
} law_piece;

static void trim(law_piece *law)
{
    while (law->size > 1 && law->p[law->size - 1] < DROP)
        law->size--;
    while (law->size > 1 && law->p[0] < DROP) {
        law->p++;
        law->at++;
        law->size--;
    }
}

/* Adds p[v] times the law to out + v for the four v from 0; the law has at least four points. */
UGT_WIDE
static void add_four(const double *restrict p, const double *restrict law, int64_t size, double *restrict out)
{
    for (int64_t v = 0; v < 3; v++)
        for (int64_t j = 0; j < 3 - v; j++) {
            out[v + j] += p[v] * law[j];
            out[3 + size - 1 - v - j] += p[3 - v] * law[size - 1 - j];
        }
    for (int64_t j = 3; j < size; j++)
        out[j] += p[0] * law[j] + p[1] * law[j - 1] + p[2] * law[j - 2] + p[3] * law[j - 3];
}

/* Convolves two laws in out [one.size + other.size - 1]; returns the result without negligible ends. */
static law_piece convolved(law_piece one, law_piece other, double *restrict out)
{
    const law_piece wide = one.size >= other.size ? one : other, narrow = one.size >= other.size ? other : one;
    law_piece found = {out, one.at + other.at, one.size + other.size - 1};
    memset(out, 0, (size_t)found.size * sizeof *out);
    for (int64_t v = 0; v < narrow.size; v++) {
        const double *p = narrow.p + v;
        if (v + 4 <= narrow.size && (p[1] != 0.0 || p[2] != 0.0 || p[3] != 0.0)) {
            add_four(p, wide.p, wide.size, out + v);
            v += 3;
            continue;
        }
        for (int64_t j = 0; *p != 0.0 && j < wide.size; j++)
            out[v + j] += *p * wide.p[j];
    }
    trim(&found);
    return found;
}

/* Groups of cases with the same law: those of group g are [starts[g], starts[g + 1]). */
typedef struct {
    const double *pmf;
    const int64_t *starts;
    int64_t width;
} law_groups;

static law_piece law_of_one(const law_groups *given, int64_t group)
{
    law_piece one = {given->pmf + group * given->width, 0, given->width};
    trim(&one);
    return one;
}

/* Returns the law of the sum of cases [begin, end), the first of which is not in a group before `group`. It is in the first of two arrays
 * of (end - begin) * width. Both halves of a group have the same law, which is computed once. */
static law_piece law_of(const law_groups *given, int64_t group, int64_t begin, int64_t end, double *law, double *room)
{
    const int64_t *starts = given->starts;
    while (starts[group + 1] <= begin)
        group++;
    if (end - begin > LEAF) {
        const int64_t middle = begin + (end - begin) / 2;
        double *rest = room + (middle - begin) * given->width;
        const law_piece low = law_of(given, group, begin, middle, room, law);
        if (starts[group + 1] < end)
            return convolved(low, law_of(given, group, middle, end, rest, law), law);
        return convolved(low, end - middle == middle - begin ? low : convolved(low, law_of_one(given, group), rest), law);
    }
    law_piece found = {law, 0, 1};
    law[0] = 1.0;
    for (int64_t i = begin; i < end; i++) {
        while (starts[group + 1] <= i)
            group++;
        memcpy(room, found.p, (size_t)found.size * sizeof *room);
        found = convolved((law_piece){room, found.at, found.size}, law_of_one(given, group), law);
    }
    return found;
}

int ugt_law_of_sum(const double *pmf, const int64_t *starts, int64_t n_groups, int64_t width, double *restrict law)
{
    const int64_t n = starts[n_groups], length = n * (width - 1) + 1;
    const law_groups given = {pmf, starts, width};
    double *both = malloc((size_t)(2 * n * width) * sizeof *both);
    if (both == NULL)
        return UGT_ERR_MEMORY;
    const law_piece found = law_of(&given, 0, 0, n, both, both + n * width);
    memset(law, 0, (size_t)length * sizeof *law);
    memcpy(law + found.at, found.p, (size_t)found.size * sizeof *law);
    free(both);
    return UGT_OK;
}
