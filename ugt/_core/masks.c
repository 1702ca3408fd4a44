/* Distances between masks, with one bit per pixel, from the sizes of their intersections. */
#include <math.h>
#include <stdlib.h>

#include "distances.h"

#define TOGETHER 31 /* words whose bits are added up in one set of bytes: 31 * 8 = 248 still fits a byte */

/* Returns the number of bits of a & b. Bits are counted over two, four and eight neighbours (Warren, Hacker's Delight, 5-1); the
 * counts of many words are added up in bytes before the bytes are added up. Compilers turn these shifts and sums into vector code on any
 * machine, whereas an instruction that counts bits is missing on some processors. */
static int64_t common_bits(const uint64_t *a, const uint64_t *b, int64_t n)
{
    const uint64_t ones = UINT64_C(0x5555555555555555), twos = UINT64_C(0x3333333333333333), fours = UINT64_C(0x0f0f0f0f0f0f0f0f);
    int64_t sum = 0;
    for (int64_t begin = 0; begin < n; begin += TOGETHER) {
        const int64_t end = begin + TOGETHER < n ? begin + TOGETHER : n;
        uint64_t bytes = 0;
        for (int64_t i = begin; i < end; i++) {
            uint64_t x = a[i] & b[i];
            x -= x >> 1 & ones;
            x = (x & twos) + (x >> 2 & twos);
            bytes += (x + (x >> 4)) & fours;
        }
        bytes = (bytes & UINT64_C(0x00ff00ff00ff00ff)) + (bytes >> 8 & UINT64_C(0x00ff00ff00ff00ff));
        sum += (int64_t)((bytes * UINT64_C(0x0001000100010001)) >> 48);
    }
    return sum;
}

/* Returns the distance of masks of a and b bits; two empty masks agree, so theirs is 0. */
static double mask_distance(int kind, int64_t a, int64_t b, int64_t common)
{
    const int64_t differing = a + b - 2 * common, size = kind == UGT_JACCARD ? a + b - common : a + b;
    return size > 0 ? (double)differing / (double)size : 0.0;
}

static int64_t first_row(const ugt_entries *in, int64_t entry)
{
    return in->row_offsets != NULL ? in->row_offsets[entry] : entry;
}

static int64_t n_words(const ugt_masks *masks, int64_t row)
{
    return masks->start[row + 1] - masks->start[row];
}

static int64_t size_of(const ugt_masks *masks, int64_t row)
{
    const uint64_t *word = masks->word + masks->start[row];
    return common_bits(word, word, n_words(masks, row));
}

static int64_t common_of(const ugt_masks *x, int64_t r, const ugt_masks *y, int64_t s)
{
    return common_bits(x->word + x->start[r], y->word + y->start[s], n_words(x, r));
}

/* Returns the sum of distances over the pairs of masks of two entries. */
static double sum_of_pairs(const ugt_entries *in, const ugt_masks *masks, int kind, int64_t e, int64_t f, int64_t start,
                           const int64_t *size)
{
    double sum = 0.0;
    for (int64_t r = first_row(in, e); r < first_row(in, e + 1); r++)
        for (int64_t s = first_row(in, f); s < first_row(in, f + 1); s++)
            sum += mask_distance(kind, size[r - start], size[s - start], common_of(masks, r, masks, s));
    return sum;
}

static int masks_fit(const ugt_entries *in, const ugt_masks *masks, int64_t i)
{
    const int64_t start = first_row(in, in->offsets[i]), end = first_row(in, in->offsets[i + 1]);
    for (int64_t r = start; r < end; r++)
        if (n_words(masks, r) < 0 || n_words(masks, r) != n_words(masks, start))
            return 0;
    return 1;
}

int ugt_mask_distances(const ugt_entries *in, const ugt_masks *masks, int kind, int64_t begin, int64_t end, double *to_others)
{
    int64_t most = 1;
    for (int64_t i = begin; i < end; i++) {
        const int64_t n = first_row(in, in->offsets[i + 1]) - first_row(in, in->offsets[i]);
        most = n > most ? n : most;
        if (!masks_fit(in, masks, i))
            return UGT_ERR_RANGE;
    }
    int64_t *size = malloc((size_t)most * sizeof *size);
    if (size == NULL)
        return UGT_ERR_MEMORY;
    for (int64_t i = begin; i < end; i++) {
        const int64_t start = first_row(in, in->offsets[i]), stop = first_row(in, in->offsets[i + 1]);
        for (int64_t r = start; r < stop; r++)
            size[r - start] = size_of(masks, r);
        for (int64_t e = in->offsets[i]; e < in->offsets[i + 1]; e++)
            to_others[e] = 0.0;
        for (int64_t e = in->offsets[i]; e < in->offsets[i + 1]; e++) {
            for (int64_t f = e + 1; f < in->offsets[i + 1]; f++) {
                const int64_t n = (first_row(in, e + 1) - first_row(in, e)) * (first_row(in, f + 1) - first_row(in, f));
                const double mean = sum_of_pairs(in, masks, kind, e, f, start, size) / (double)n;
                to_others[e] += mean;
                to_others[f] += mean;
            }
        }
    }
    free(size);
    return UGT_OK;
}

int ugt_mask_predictions(const ugt_entries *in, const ugt_masks *masks, const ugt_masks *predicted, const uint8_t *present, int kind,
                         int64_t begin, int64_t end, double *to_model)
{
    for (int64_t i = begin; i < end; i++) {
        const int64_t start = first_row(in, in->offsets[i]);
        if (present[i] && in->offsets[i] < in->offsets[i + 1] &&
            (!masks_fit(in, masks, i) || n_words(predicted, i) != n_words(masks, start)))
            return UGT_ERR_RANGE;
        const int64_t size = present[i] ? size_of(predicted, i) : 0;
        for (int64_t e = in->offsets[i]; e < in->offsets[i + 1]; e++) {
            double sum = 0.0;
            for (int64_t r = first_row(in, e); present[i] && r < first_row(in, e + 1); r++)
                sum += mask_distance(kind, size_of(masks, r), size, common_of(masks, r, predicted, i));
            to_model[e] = present[i] ? sum / (double)(first_row(in, e + 1) - first_row(in, e)) : NAN;
        }
    }
    return UGT_OK;
}
