/* Orders of classes: which classes are among the best, and which are tied.
 *
 * An order lists classes best first, each with the start of its bucket (the number of classes that are strictly better).
 * Classes of one bucket are tied. All classes that are not listed form one last bucket, which starts at the end of the
 * list. With ties broken at random, a class is among the best k with probability clip((k - start) / size, 0, 1), so that
 * only buckets that start before `depth` are needed. */
#include <math.h>
#include <stdlib.h>

#include "core.h"

static double value_of(const int32_t *index, const double *value, int64_t n, int32_t wanted, double rest)
{
    int64_t low = 0, high = n;
    while (low < high) {
        const int64_t middle = low + (high - low) / 2;
        if (index[middle] < wanted)
            low = middle + 1;
        else
            high = middle;
    }
    return low < n && index[low] == wanted ? value[low] : rest;
}

int ugt_role_sums(const int64_t *offsets, const int32_t *class_index, const double *value, const double *rest, const ugt_sets *sets,
                  int64_t n_cases, int64_t n_classes, double total, double *out)
{
    for (int64_t i = 0; i < n_cases; i++) {
        const int64_t first = offsets[i], n = offsets[i + 1] - first, begin = sets->offsets[i], end = sets->offsets[i + 1];
        double sum[UGT_ROLE_TIED + 1] = {0.0}, listed = 0.0;
        int64_t count[UGT_ROLE_TIED + 1] = {0};
        if (n < 0 || end < begin)
            return UGT_ERR_RANGE;
        for (int64_t j = begin; j < end; j++) {
            const int role = sets->role[j];
            const double one = value_of(class_index + first, value + first, n, sets->class_index[j], rest[i]);
            if (role < 0 || role > UGT_ROLE_TIED)
                return UGT_ERR_RANGE;
            sum[role] += one;
            listed += one;
            count[role]++;
        }
        for (int role = UGT_ROLE_CERTAIN; role <= UGT_ROLE_TIED; role++) {
            const int others = sets->rest_role[i] == role;
            out[4 * i + role - 1] = isnan(rest[i]) ? NAN : sum[role] + (others ? total - listed : 0.0);
            out[4 * i + role + 1] = (double)(count[role] + (others ? n_classes - (end - begin) : 0));
        }
    }
    return UGT_OK;
}

void ugt_order_roles(const int64_t *offsets, const int32_t *start, int64_t n_cases, int64_t n_classes, int64_t k, int8_t *role,
                     int8_t *rest_role)
{
    for (int64_t i = 0; i < n_cases; i++) {
        const int64_t first = offsets[i], listed = offsets[i + 1] - first;
        int64_t end = listed; /* of the bucket */
        for (int64_t j = listed - 1; j >= 0; j--) {
            const int32_t here = start[first + j];
            role[first + j] = end <= k ? UGT_ROLE_CERTAIN : here < k ? UGT_ROLE_TIED : UGT_ROLE_NONE;
            if (j > 0 && start[first + j - 1] != here)
                end = j;
        }
        rest_role[i] = listed >= k ? UGT_ROLE_NONE : n_classes <= k ? UGT_ROLE_CERTAIN : UGT_ROLE_TIED;
    }
}

typedef struct {
    double value;
    int32_t class_index;
} candidate;

/* Finds the `depth` highest of n values by insertion, highest first, equal values in their order. Returns how many it found. */
static int64_t best_of(const double *value, const int32_t *index, int64_t n, int64_t depth, candidate *found)
{
    int64_t held = 0;
    for (int64_t i = 0; i < n; i++) {
        if (held == depth && !(value[i] > found[held - 1].value))
            continue;
        int64_t at = held < depth ? held++ : held - 1;
        for (; at > 0 && found[at - 1].value < value[i]; at--)
            found[at] = found[at - 1];
        found[at] = (candidate){value[i], index == NULL ? (int32_t)i : index[i]};
    }
    return held;
}

static int better_first(const void *a, const void *b)
{
    const candidate *x = a, *y = b;
    if (x->value != y->value)
        return x->value < y->value ? 1 : -1;
    return (x->class_index > y->class_index) - (x->class_index < y->class_index);
}

static int64_t all_of(const double *value, const int32_t *index, int64_t n, candidate *found)
{
    for (int64_t i = 0; i < n; i++)
        found[i] = (candidate){value[i], index == NULL ? (int32_t)i : index[i]};
    qsort(found, (size_t)n, sizeof *found, better_first);
    return n;
}

#define MOST_INSERTED 32 /* values; longer rows that are listed whole are sorted by qsort, as insertion takes n^2 steps */

/* Sorts the candidates of one row. Returns how many of them the order lists. */
static int64_t row_order(const double *value, const int32_t *index, int64_t n, int64_t n_classes, int64_t depth,
                         int ties_first, candidate *found)
{
    int64_t listed = n > depth || n <= MOST_INSERTED ? best_of(value, index, n, depth, found) : all_of(value, index, n, found);
    if (n > depth && !ties_first) { /* adds the others tied at the border in one pass, in their order: they may be hundreds of zeros */
        const double threshold = found[depth - 1].value;
        int64_t held = 0;
        while (held < depth && found[depth - 1 - held].value == threshold)
            held++;
        for (int64_t i = 0; i < n; i++)
            if (value[i] == threshold && held-- <= 0)
                found[listed++] = (candidate){value[i], index == NULL ? (int32_t)i : index[i]};
    }
    if (ties_first)
        return listed < depth ? listed : depth;
    if (listed == n_classes) { /* the last bucket holds all remaining classes and need not be listed */
        const double last = found[listed - 1].value;
        while (listed > 0 && found[listed - 1].value == last)
            listed--;
    }
    return listed;
}

int ugt_order_rows(const int64_t *offsets, const int32_t *index, const double *value, int64_t n_rows,
                   int64_t n_classes, int64_t depth, int ties_first, int64_t room, int64_t *order_offsets, int32_t *order_class,
                   int32_t *order_start)
{
    candidate *found = malloc(ugt_bytes(n_classes, sizeof *found) + sizeof *found);
    if (found == NULL)
        return UGT_ERR_MEMORY;
    int status = UGT_OK;
    for (int64_t i = 0; i < n_rows; i++) {
        const int64_t first = offsets == NULL ? i * n_classes : offsets[i];
        const int64_t n = offsets == NULL ? n_classes : offsets[i + 1] - first;
        if (n < 0 || n > n_classes) {
            status = UGT_ERR_RANGE;
            goto out;
        }
        const int64_t listed =
            row_order(value + first, index == NULL ? NULL : index + first, n, n_classes, depth, ties_first, found);
        order_offsets[i + 1] = order_offsets[i] + listed;
        if (order_class == NULL || order_offsets[i + 1] > room)
            continue;
        int32_t *class_out = order_class + order_offsets[i], *start_out = order_start + order_offsets[i];
        for (int64_t j = 0; j < listed; j++) {
            const int tied = !ties_first && j > 0 && found[j].value == found[j - 1].value;
            class_out[j] = found[j].class_index;
            start_out[j] = tied ? start_out[j - 1] : (int32_t)j;
        }
    }
out:
    free(found);
    return status;
}
