/* How well one order of classes agrees with another: the metrics of [A] 2.4, as expectations over random tie-breaking on both sides.
 *
 * Both orders are cut into buckets; n(a, b) classes are in bucket a of the model's order and in bucket b of the truth's.
 * All functions below depend only on these counts and on the starts and sizes of the buckets. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core.h"

/* Returns the probability that a class of this bucket is among the best k. */
static double within(const ugt_bucket *bucket, double k)
{
    const double share = (k - bucket->start) / bucket->size;
    return share <= 0.0 ? 0.0 : share >= 1.0 ? 1.0 : share;
}

double ugt_choose(double n, int64_t k)
{
    double result = k < 0 ? 0.0 : 1.0; /* k < 0: more classes are certain than there are places, so no set exists */
    for (int64_t i = 1; i <= k; i++)
        result *= (n - (double)(k - i)) / (double)i;
    return result;
}

static void all_within(const ugt_bucket *buckets, int count, double k, double *out)
{
    for (int a = 0; a < count; a++)
        out[a] = within(&buckets[a], k);
}

/* Returns P(the set of the truth's best j lies within the set of the model's best k >= j) under random tie-breaking; at j = k this is
 * P(the sets are equal). model, truth: `within` of their buckets. At most one bucket of each is open, that is between 0 and 1.
 * The sum is over t, how many classes drawn from the truth's open bucket are in the model's open one; the others must be certain there. */
static double inside(const ugt_sides *sides, const double *n, int64_t j, int64_t k, const double *model, const double *truth)
{
    double sure = 0.0, held = 0.0, tied = 0.0; /* truth certain, model open; truth open: model certain, model open */
    double size = 0.0, drawn = 0.0, places = 0.0, choices = 0.0, sum = 0.0;
    for (int a = 0; a < sides->n_model && model[a] > 0.0; a++) {
        if (model[a] < 1.0) {
            places = (double)k - sides->model[a].start;
            choices = sides->model[a].size;
        }
    }
    for (int b = 0; b < sides->n_truth && truth[b] > 0.0; b++) {
        double missed = sides->truth[b].size;
        for (int a = 0; a < sides->n_model && model[a] > 0.0; a++) {
            const double count = n[a * sides->n_truth + b];
            missed -= count;
            *(truth[b] == 1.0 ? &sure : model[a] == 1.0 ? &held : &tied) += truth[b] == 1.0 && model[a] == 1.0 ? 0.0 : count;
        }
        if (truth[b] < 1.0) {
            drawn = (double)j - sides->truth[b].start;
            size = sides->truth[b].size;
        } else if (missed > 0.0)
            return 0.0;
    }
    for (double t = 0.0; t <= drawn && t <= tied; t++) {
        double p = ugt_choose(drawn, (int64_t)t); /* the factors that follow are at most 1, so nothing overflows */
        for (double i = 0.0; i < drawn; i++)
            p *= (i < drawn - t ? held - i : tied - (i - (drawn - t))) / (size - i);
        for (double i = 0.0; i < sure + t; i++)
            p *= (places - i) / (choices - i);
        sum += p;
    }
    return sum;
}

/* Writes P(position = r) for r = 1..depth and then P(position > depth): depth + 1 values. */
static void positions(const ugt_bucket *bucket, int depth, double *p)
{
    for (int r = 1; r <= depth; r++)
        p[r - 1] = (r > bucket->start && r <= bucket->start + bucket->size) ? 1.0 / bucket->size : 0.0;
    p[depth] = 1.0 - within(bucket, depth);
}

/* Returns Spearman's footrule; a class that a list does not hold has location depth + 1 (Fagin, Kumar & Sivakumar 2003, sec. 3.3). */
static double footrule(const ugt_sides *sides, const double *n, int depth, double *scratch)
{
    double *p = scratch, *q = scratch + depth + 1, sum = 0.0;
    for (int a = 0; a < sides->n_model; a++) {
        positions(&sides->model[a], depth, p);
        for (int b = 0; b < sides->n_truth; b++) {
            if (n[a * sides->n_truth + b] == 0.0)
                continue;
            positions(&sides->truth[b], depth, q);
            double expected = 0.0;
            for (int i = 0; i <= depth; i++)
                for (int j = 0; j <= depth; j++)
                    expected += p[i] * q[j] * abs(i - j);
            sum += n[a * sides->n_truth + b] * expected;
        }
    }
    return sum;
}

typedef struct {
    double ahead, behind, tied, listed;
} relation;

/* Returns the relation of a class of bucket x to a class of bucket y; tied: both are beyond the list; listed: both are in it. */
static relation relate(const ugt_bucket *x, const ugt_bucket *y, int same, double depth)
{
    if (same) {
        const double in = within(x, depth) * x->size, out = x->size - in, pairs = fmax(x->size * (x->size - 1.0), 1.0);
        const double tied = out * (out - 1.0) / pairs, listed = in * (in - 1.0) / pairs;
        return (relation){0.5 * (1.0 - tied), 0.5 * (1.0 - tied), tied, listed};
    }
    const double tied = (1.0 - within(x, depth)) * (1.0 - within(y, depth)), listed = within(x, depth) * within(y, depth);
    return x->start < y->start ? (relation){1.0 - tied, 0.0, tied, listed} : (relation){0.0, 1.0 - tied, tied, listed};
}

/* Returns the mean of 1 / rank over the places of a bucket, with 0 for places beyond the list. */
static double hyperbolic(const ugt_bucket *bucket, int depth)
{
    double sum = 0.0;
    for (double r = bucket->start + 1.0; r <= bucket->start + bucket->size && r <= depth; r++)
        sum += 1.0 / r;
    return sum / bucket->size;
}

/* Like `relate`, but a pair has as weight the sum of 1 / rank of its two classes, 0 beyond the list (Vigna 2015: additive, hyperbolic).
 * Returns expectations of weight times relation. Pairs tied beyond the list have weight 0, so `tied` is 0. */
static relation relate_weighted(const ugt_bucket *x, const ugt_bucket *y, int same, int depth)
{
    const double h = hyperbolic(x, depth);
    if (same) {
        const double in = within(x, depth) * x->size;
        return (relation){h, h, 0.0, 2.0 * h * fmax(in - 1.0, 0.0) / fmax(x->size - 1.0, 1.0)};
    }
    const double g = hyperbolic(y, depth), listed = h * within(y, depth) + g * within(x, depth);
    return x->start < y->start ? (relation){h + g, 0.0, 0.0, listed} : (relation){0.0, h + g, 0.0, listed};
}

/* Returns Kendall's tau distance between top lists, with a penalty for each pair held by one list only (Fagin, Kumar & Sivakumar 2003,
 * sec. 3.1); weighted: pairs are weighted by the ranks of the truth. */
static double kendall(const ugt_sides *sides, const double *n, int depth, double penalty, int weighted)
{
    const int cells = sides->n_model * sides->n_truth;
    double sum = 0.0;
    for (int c = 0; c < cells; c++) {
        for (int d = c; d < cells; d++) {
            const double pairs = c == d ? 0.5 * n[c] * (n[c] - 1.0) : n[c] * n[d];
            if (pairs == 0.0)
                continue;
            const int a = c / sides->n_truth, b = c % sides->n_truth, e = d / sides->n_truth, f = d % sides->n_truth;
            const relation m = relate(&sides->model[a], &sides->model[e], a == e, depth);
            const relation t = weighted ? relate_weighted(&sides->truth[b], &sides->truth[f], b == f, depth)
                                        : relate(&sides->truth[b], &sides->truth[f], b == f, depth);
            sum += pairs * (m.ahead * t.behind + m.behind * t.ahead +
                            penalty * (m.tied * t.listed + t.tied * m.listed));
        }
    }
    return sum;
}

/* Returns rank-biased overlap, extrapolated from the last depth (Webber, Moffat & Zobel 2010, eq. 32): the overlap of the best d has
 * weight (1 - p) p^(d - 1), but that of the deepest lists has weight p^(d - 1). */
static double rank_biased(const ugt_sides *sides, const double *n, int depth, double persistence)
{
    double sum = 0.0, reached = 1.0;
    for (int d = 1; d <= depth; d++, reached *= persistence) {
        double common = 0.0;
        for (int a = 0; a < sides->n_model; a++)
            for (int b = 0; b < sides->n_truth; b++)
                common += n[a * sides->n_truth + b] * within(&sides->model[a], d) * within(&sides->truth[b], d);
        sum += (d < depth ? 1.0 - persistence : 1.0) * reached * common / d;
    }
    return sum;
}

/* Returns the discounted cumulative gain (Järvelin & Kekäläinen 2002): a class gains depth + 1 - r at place r of the truth's list and is
 * discounted by 1 / log2(1 + r) at place r of the model's; both are 0 beyond the list. Both are means over the places of a bucket. */
static double discounted_gain(const ugt_sides *sides, const double *n, int depth)
{
    double sum = 0.0;
    for (int a = 0; a < sides->n_model && sides->model[a].start < depth; a++) {
        double discount = 0.0, gained = 0.0;
        for (double r = sides->model[a].start + 1.0; r <= sides->model[a].start + sides->model[a].size && r <= depth; r++)
            discount += 1.0 / log2(1.0 + r);
        for (int b = 0; b < sides->n_truth && sides->truth[b].start < depth; b++) {
            const double in = within(&sides->truth[b], depth) * sides->truth[b].size;
            gained += n[a * sides->n_truth + b] * in * (depth - sides->truth[b].start + 0.5 - 0.5 * in) / sides->truth[b].size;
        }
        sum += gained * discount / sides->model[a].size;
    }
    return sum;
}

double ugt_list_value(const ugt_sides *sides, const double *n, int metric, int depth, double parameter, double *scratch)
{
    switch (metric) {
    case UGT_KENDALL:
    case UGT_WEIGHTED_KENDALL:
        return kendall(sides, n, depth, parameter, metric == UGT_WEIGHTED_KENDALL);
    case UGT_DISCOUNTED_GAIN:
        return discounted_gain(sides, n, depth);
    case UGT_FOOTRULE:
        return footrule(sides, n, depth, scratch);
    case UGT_RANK_BIASED:
        return rank_biased(sides, n, depth, parameter);
    default:
        return NAN;
    }
}

/* The columns are topk, set, overlap and average overlap for k = 1..depth, then the metric of lists. */
int ugt_compare_width(int metric, int depth) { return metric == UGT_TOPK ? depth : UGT_BY_K * depth + 1; }

int ugt_compare_column(int metric, int k, int depth)
{
    return metric < UGT_BY_K ? metric * depth + k - 1 : UGT_BY_K * depth;
}

static void compare_cells(const ugt_sides *sides, const double *n, int depth, int metric, double parameter,
                          double *scratch, double *out)
{
    double *topk = out + ugt_compare_column(UGT_TOPK, 1, depth), *set = out + ugt_compare_column(UGT_SET, 1, depth);
    double *overlap = out + ugt_compare_column(UGT_OVERLAP, 1, depth), overlaps = 0.0;
    double *average = out + ugt_compare_column(UGT_AVERAGE_OVERLAP, 1, depth);
    double *model = scratch, *truth = scratch + depth + 1;
    const double best = within(&sides->truth[0], 1.0); /* only the first bucket can hold the best class */
    const int target = metric == UGT_TOPK && parameter > 1.0 ? (int)fmin(parameter, depth + 1.0) : 1;
    all_within(sides->truth, sides->n_truth, target, truth);
    for (int k = 1; k <= depth; k++) {
        topk[k - 1] = target == 1 ? 0.0 : NAN; /* NaN remains for k below the target */
        for (int a = 0; target == 1 && a < sides->n_model && sides->model[a].start < k; a++)
            topk[k - 1] += n[a * sides->n_truth] * within(&sides->model[a], k) * best;
        if (target > 1 && k >= target) {
            all_within(sides->model, sides->n_model, k, model);
            topk[k - 1] = inside(sides, n, target, k, model, truth);
        }
    }
    if (metric == UGT_TOPK)
        return;
    for (int k = 1; k <= depth; k++) {
        overlap[k - 1] = 0.0;
        all_within(sides->model, sides->n_model, k, model);
        all_within(sides->truth, sides->n_truth, k, truth);
        for (int a = 0; a < sides->n_model && model[a] > 0.0; a++) /* later buckets add 0 */
            for (int b = 0; b < sides->n_truth && truth[b] > 0.0; b++)
                overlap[k - 1] += n[a * sides->n_truth + b] * model[a] * truth[b] / k;
        set[k - 1] = inside(sides, n, k, k, model, truth);
        overlaps += overlap[k - 1];
        average[k - 1] = overlaps / k;
    }
    out[ugt_compare_column(UGT_BY_K, depth, depth)] = ugt_list_value(sides, n, metric, depth, parameter, scratch);
}

int ugt_order_buckets(const int32_t *start, int64_t listed, int64_t n_classes, int64_t depth, ugt_bucket *buckets)
{
    int count = 0;
    for (int64_t j = 0; j < listed && start[j] < depth; j++) {
        /* Starts are in 0..depth-1 and increase; if they do not, `count < depth` keeps the arrays from overflowing. */
        if (j == 0 || (start[j] != start[j - 1] && count < depth))
            buckets[count++] = (ugt_bucket){start[j], 0.0};
        buckets[count - 1].size += 1.0;
    }
    const double held = count == 0 ? 0.0 : buckets[count - 1].start + buckets[count - 1].size;
    if (held < (double)n_classes)
        buckets[count++] = (ugt_bucket){held, (double)n_classes - held};
    return count;
}

typedef struct {
    int32_t *bucket_of; /* [n_classes] bucket of each class in the model's order, -1 if it is not listed */
    ugt_bucket *model, *truth;
    double *n, *scratch, *value;
} room;

static void place_model(room *r, const int32_t *class_index, const int32_t *start, int64_t listed, int64_t depth)
{
    int bucket = -1;
    for (int64_t j = 0; j < listed && start[j] < depth; j++) {
        bucket += j == 0 || (start[j] != start[j - 1] && bucket + 1 < depth);
        r->bucket_of[class_index[j]] = bucket;
    }
}

/* Counts n(a, b): the truth's listed classes in their own buckets, all other classes of the model in the truth's last bucket. */
static void count_cells(room *r, const ugt_sides *sides, const int32_t *class_index, int64_t listed)
{
    const int last_model = sides->n_model - 1, last_truth = sides->n_truth - 1;
    memset(r->n, 0, (size_t)(sides->n_model * sides->n_truth) * sizeof *r->n);
    int b = 0;
    double placed = 0.0;
    for (int64_t j = 0; j < listed && b <= last_truth; j++) {
        while (placed >= r->truth[b].start + r->truth[b].size)
            b++;
        const int32_t a = r->bucket_of[class_index[j]];
        r->n[(a < 0 ? last_model : a) * sides->n_truth + b] += 1.0;
        placed += 1.0;
    }
    for (int a = 0; a < sides->n_model; a++) {
        double left = r->model[a].size;
        for (b = 0; b < sides->n_truth; b++)
            left -= r->n[a * sides->n_truth + b];
        r->n[a * sides->n_truth + last_truth] += left;
    }
}

static int valid_order(const ugt_orders *orders, int64_t row, int64_t n_classes)
{
    for (int64_t j = orders->offsets[row]; j < orders->offsets[row + 1]; j++)
        if (orders->class_index[j] < 0 || orders->class_index[j] >= n_classes)
            return 0;
    return orders->offsets[row + 1] >= orders->offsets[row];
}

static int compare_case(room *r, const ugt_orders *truth, const ugt_orders *model, int64_t i, int64_t n_draws,
                        int64_t n_classes, int depth, int metric, double parameter, double *per_case,
                        double *per_draw)
{
    const int width = ugt_compare_width(metric, depth);
    const int64_t first = model->offsets[i], listed = model->offsets[i + 1] - first;
    if (!valid_order(model, i, n_classes))
        return UGT_ERR_RANGE;
    place_model(r, model->class_index + first, model->start + first, listed, depth);
    ugt_sides sides = {r->model, r->truth, ugt_order_buckets(model->start + first, listed, n_classes, depth, r->model), 0};
    for (int m = 0; m < width; m++)
        per_case[m] = 0.0;
    for (int64_t d = 0; d < n_draws; d++) {
        const int64_t row = i * n_draws + d, begin = truth->offsets[row], held = truth->offsets[row + 1] - begin;
        if (!valid_order(truth, row, n_classes))
            return UGT_ERR_RANGE;
        sides.n_truth = ugt_order_buckets(truth->start + begin, held, n_classes, depth, r->truth);
        count_cells(r, &sides, truth->class_index + begin, held);
        compare_cells(&sides, r->n, depth, metric, parameter, r->scratch, r->value);
        for (int m = 0; m < width; m++) {
            per_case[m] += r->value[m];
            per_draw[d * width + m] += r->value[m];
        }
    }
    for (int m = 0; m < width; m++)
        per_case[m] /= (double)n_draws;
    for (int64_t j = first; j < first + listed; j++)
        r->bucket_of[model->class_index[j]] = -1;
    return UGT_OK;
}

int ugt_compare_orders(const ugt_orders *truth, const ugt_orders *model, const uint8_t *defined, int64_t begin,
                       int64_t end, int64_t n_draws, int64_t n_classes, int depth, int metric, double parameter,
                       double *per_case, double *per_draw)
{
    int status = UGT_ERR_MEMORY;
    const int width = ugt_compare_width(metric, depth);
    const size_t side = (size_t)depth + 2;
    room r = {malloc(ugt_bytes(n_classes, sizeof *r.bucket_of)), malloc(side * sizeof *r.model),
              malloc(side * sizeof *r.truth),                  malloc(side * side * sizeof *r.n),
              malloc(2 * side * sizeof *r.scratch),            malloc((size_t)width * sizeof *r.value)};
    if (!r.bucket_of || !r.model || !r.truth || !r.n || !r.scratch || !r.value)
        goto out;
    for (int64_t k = 0; k < n_classes; k++)
        r.bucket_of[k] = -1;
    status = UGT_OK;
    for (int64_t i = begin; i < end && status == UGT_OK; i++) {
        if (!defined[i]) {
            for (int m = 0; m < width; m++)
                per_case[i * width + m] = NAN;
            continue;
        }
        status = compare_case(&r, truth, model, i, n_draws, n_classes, depth, metric, parameter, per_case + i * width,
                              per_draw);
    }
out:
    free(r.bucket_of);
    free(r.model);
    free(r.truth);
    free(r.n);
    free(r.scratch);
    free(r.value);
    return status;
}
