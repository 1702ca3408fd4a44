/* Orders of classes: who is among the best, and who is tied with whom.
 *
 * An order lists classes best first, each with the start of its bucket (how many classes are strictly better); classes
 * of one bucket are tied. All classes that are not listed form one last bucket, which starts where the list ends. Only
 * buckets that start before `depth` are ever needed: the probability, over random tie-breaking, that a class is among
 * the best k is clip((k - start) / size, 0, 1). */
#include <math.h>
#include <stdlib.h>

#include "core.h"

typedef struct {
    double value;
    int32_t class_index;
} candidate;

static int better_first(const void *a, const void *b)
{
    const candidate *x = a, *y = b;
    if (x->value != y->value)
        return x->value < y->value ? 1 : -1;
    return (x->class_index > y->class_index) - (x->class_index < y->class_index);
}

/* the depth-th largest of n >= depth values, by insertion into a list of the best so far */
static double threshold_of(const double *value, int64_t n, int64_t depth, double *best)
{
    int64_t held = 0;
    for (int64_t i = 0; i < n; i++) {
        if (held == depth && !(value[i] > best[held - 1]))
            continue;
        int64_t at = held < depth ? held++ : held - 1;
        for (; at > 0 && best[at - 1] < value[i]; at--)
            best[at] = best[at - 1];
        best[at] = value[i];
    }
    return best[depth - 1];
}

/* The candidates of one row, sorted; how many of them an order lists. */
static int64_t row_order(const double *value, const int32_t *index, int64_t n, int64_t n_classes, int64_t depth,
                         int ties_first, double *best, candidate *found)
{
    const double threshold = n > depth ? threshold_of(value, n, depth, best) : -INFINITY;
    int64_t listed = 0;
    for (int64_t i = 0; i < n; i++)
        if (value[i] > threshold || n <= depth)
            found[listed++] = (candidate){value[i], index == NULL ? (int32_t)i : index[i]};
    qsort(found, (size_t)listed, sizeof *found, better_first);
    for (int64_t i = 0; i < n && n > depth; i++) /* those at the border, already in order: hundreds of zeros may be tied */
        if (value[i] == threshold)
            found[listed++] = (candidate){value[i], index == NULL ? (int32_t)i : index[i]};
    if (ties_first)
        return listed < depth ? listed : depth;
    if (listed == n_classes) { /* the last bucket holds all the rest: it need not be listed */
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
    int status = UGT_ERR_MEMORY;
    double *best = malloc(ugt_bytes(depth, sizeof *best) + sizeof *best);
    candidate *found = malloc(ugt_bytes(n_classes, sizeof *found) + sizeof *found);
    if (best == NULL || found == NULL)
        goto out;
    status = UGT_OK;
    for (int64_t i = 0; i < n_rows; i++) {
        const int64_t first = offsets == NULL ? i * n_classes : offsets[i];
        const int64_t n = offsets == NULL ? n_classes : offsets[i + 1] - first;
        if (n < 0 || n > n_classes) {
            status = UGT_ERR_RANGE;
            goto out;
        }
        const int64_t listed =
            row_order(value + first, index == NULL ? NULL : index + first, n, n_classes, depth, ties_first, best, found);
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
    free(best);
    free(found);
    return status;
}
