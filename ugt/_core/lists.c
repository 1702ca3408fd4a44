/* The exact distribution of the best `depth` classes in order, and the metrics of ranked lists that follow from it.
 *
 * With F, S and q of dirichlet.c, P(x_1 > x_2 > ... > x_L > all others) = int q_L(s) U_{L-1}(s) prod_{others} F(s) ds,
 * where U_1 = S_1 and U_r(s) = int_s^inf q_r U_{r-1} are running integrals, taken on Gauss-Legendre panels. Classes with
 * equal concentrations are interchangeable, so lists are enumerated over groups, depth first. The sum over all lists must
 * be 1. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core.h"

#include "gauss.h"

#define MOST_NODES 8192 /* nodes; a profile that needs more, because its scales lie far apart, is left to sampling */

static int list_length(const ugt_profile *profile, int depth)
{
    const int64_t support = ugt_profile_support(profile);
    return support < depth ? (int)support : depth;
}

static ugt_plan list_plan(const ugt_profile *profile, int length)
{
    const ugt_plan first = ugt_plan_order(profile, 1), last = ugt_plan_order(profile, length);
    /* 16 nodes on a panel of four trapezoid steps keep the error of running integrals at 1e-13 */
    const int level = (first.grid > last.grid ? first.grid : last.grid) - 2;
    const double low = fmin(ldexp((double)first.lo, -first.grid), ldexp((double)last.lo, -last.grid));
    const double high = fmax(ldexp((double)first.hi, -first.grid), ldexp((double)last.hi, -last.grid));
    return (ugt_plan){UGT_PANELS + level, UGT_GAUSS * (int64_t)floor(ldexp(low, level)),
                      UGT_GAUSS * (int64_t)ceil(ldexp(high, level))};
}

/* Returns the number of lists of this length over groups: length! [z^length] prod_g sum_{i <= count} z^i / i!, [z^d] a coefficient. */
static double number_of_lists(const ugt_profile *profile, int length, double *poly)
{
    memset(poly, 0, (size_t)(length + 1) * sizeof *poly);
    poly[0] = 1.0;
    for (int64_t g = 0; g < profile->n_groups; g++)
        for (int a = length; a >= 1; a--) {
            double term = 1.0;
            for (int i = 1; i <= a && i <= profile->count[g]; i++) {
                term /= i;
                poly[a] += term * poly[a - i];
            }
        }
    return poly[length] * tgamma(length + 1.0);
}

int ugt_dirichlet_list_sizes(const ugt_profiles *profiles, int64_t begin, int64_t end, int depth, int64_t most,
                             int64_t *size)
{
    double *poly = malloc(((size_t)depth + 1) * sizeof *poly);
    if (poly == NULL)
        return UGT_ERR_MEMORY;
    for (int64_t p = begin; p < end; p++) {
        const ugt_profile profile = ugt_profile_at(profiles, p);
        const int length = list_length(&profile, depth);
        const double number = number_of_lists(&profile, length, poly);
        size[p] = 0;
        if (number <= (double)most) {
            const ugt_plan plan = list_plan(&profile, length);
            size[p] = plan.hi - plan.lo <= MOST_NODES ? (int64_t)(number + 0.5) : 0;
        }
    }
    free(poly);
    return UGT_OK;
}

/* ---- probabilities of all lists of a profile ---- */

typedef struct {
    int length;
    int64_t *left;          /* [n_groups] classes not yet in the list */
    double *running, *rest; /* [(length + 1) * n] U_r, after a row of ones; [n] product of F over the classes left */
    double *at, sum;
} list_task;

/* Fills out(s) = int_s^inf density * before ds at every node. */
static void running_integral(const ugt_columns *column, const double *before, int64_t n,
                             double *out)
{
    double carried = 0.0;
    for (int64_t panel = n - UGT_GAUSS; panel >= 0; panel -= UGT_GAUSS) {
        double f[UGT_GAUSS], whole = 0.0;
        for (int j = 0; j < UGT_GAUSS; j++) {
            f[j] = column->density[panel + j] * before[panel + j]; /* density includes the weight */
            whole += f[j];
        }
        for (int j = 0; j < UGT_GAUSS; j++) {
            double sum = carried;
            for (int i = 0; i < UGT_GAUSS; i++)
                sum += GAUSS_ABOVE[j][i] * f[i];
            out[panel + j] = sum;
        }
        carried += whole;
    }
}

static void fill_rest(const ugt_workspace *work, const ugt_profile *profile, const list_task *task, int64_t n)
{
    for (int64_t i = 0; i < n; i++)
        task->rest[i] = 1.0;
    for (int64_t g = 0; g < profile->n_groups; g++) {
        const double *lower = work->columns[g].lower;
        if (task->left[g] == 1)
            for (int64_t i = 0; i < n; i++)
                task->rest[i] *= lower[i];
        else
            for (int64_t i = 0; i < n; i++)
                task->rest[i] *= ugt_power(lower[i], task->left[g]);
    }
}

static void last_position(const ugt_workspace *work, const ugt_profile *profile, list_task *task, const double *before,
                          double ways, int64_t n)
{
    fill_rest(work, profile, task, n);
    for (int64_t g = 0; g < profile->n_groups; g++) {
        if (task->left[g] == 0)
            continue;
        const double *lower = work->columns[g].lower, *density = work->columns[g].density;
        double sum = 0.0;
        /* if F underflows, so does the density, and the node adds nothing */
        for (int64_t i = 0; i < n; i++)
            sum += lower[i] > 1e-290 ? task->rest[i] / lower[i] * density[i] * before[i] : 0.0;
        *task->at++ = sum;
        task->sum += sum * ways * (double)task->left[g];
    }
}

static void next_position(const ugt_workspace *work, const ugt_profile *profile, list_task *task, int position,
                          const double *before, double ways, int64_t n)
{
    if (position == task->length - 1) {
        last_position(work, profile, task, before, ways, n);
        return;
    }
    double *after = task->running + (position + 1) * n;
    for (int64_t g = 0; g < profile->n_groups; g++) {
        if (task->left[g] == 0)
            continue;
        if (position == 0)
            memcpy(after, work->columns[g].upper, (size_t)n * sizeof *after);
        else
            running_integral(&work->columns[g], before, n, after);
        const double chosen = ways * (double)task->left[g]--;
        next_position(work, profile, task, position + 1, after, chosen, n);
        task->left[g]++;
    }
}

typedef struct {
    list_task list;
    double *table;
} list_job;

static int list_integral(ugt_workspace *work, const ugt_profile *profile, const ugt_plan *plan, void *task, double *sum)
{
    list_job *job = task;
    const int64_t n = plan->hi - plan->lo;
    const int status = ugt_grow(&work->poly, &work->n_poly, (job->list.length + 2) * n);
    if (status != UGT_OK)
        return status;
    job->list.running = work->poly;
    job->list.rest = work->poly + (job->list.length + 1) * n;
    job->list.at = job->table;
    job->list.sum = 0.0;
    for (int64_t i = 0; i < n; i++)
        job->list.running[i] = 1.0;
    next_position(work, profile, &job->list, 0, job->list.running, 1.0, n);
    *sum = job->list.sum;
    return UGT_OK;
}

int ugt_dirichlet_lists(const ugt_profiles *profiles, int64_t begin, int64_t end, int depth,
                        const int64_t *table_offsets, double *table)
{
    int status = UGT_ERR_MEMORY;
    int64_t *left = NULL, n_left = 0;
    ugt_workspace work = {.cells = ugt_cells_new()};
    if (work.cells == NULL)
        goto out;
    status = UGT_OK;
    for (int64_t p = begin; p < end && status == UGT_OK; p++) {
        if (table_offsets[p + 1] == table_offsets[p])
            continue;
        const ugt_profile profile = ugt_profile_at(profiles, p);
        if (profile.n_groups > n_left) {
            free(left);
            n_left = 2 * profile.n_groups;
            left = malloc((size_t)n_left * sizeof *left);
            if (left == NULL) {
                status = UGT_ERR_MEMORY;
                break;
            }
        }
        memcpy(left, profile.count, (size_t)profile.n_groups * sizeof *left);
        const int length = list_length(&profile, depth);
        list_job job = {{.length = length, .left = left}, table + table_offsets[p]};
        status = ugt_integrate(&work, &profile, list_plan(&profile, length), list_integral, &job);
        for (int64_t i = table_offsets[p]; i < table_offsets[p + 1]; i++) /* rounding can make probabilities near 0 negative */
            if (table[i] < 0.0)
                table[i] = 0.0;
        ugt_cells_trim(work.cells);
    }
out:
    ugt_workspace_free(&work);
    free(left);
    return status;
}

/* ---- metrics of a model's order over all lists ---- */

typedef struct {
    const ugt_list_metric *metric;
    const double *at;        /* probabilities of the lists, in the order of next_position */
    int64_t n_groups, n_classes;
    int length;
    ugt_sides sides;
    ugt_bucket *truth;       /* [depth + 1] one per place, then one of all classes beyond the list */
    int64_t *left, *cells;   /* [n_groups]; [(n_groups + 1) * n_model], last row: plausibility 0 or beyond the list */
    double *gain;            /* [depth * n_model] value that a class of a model bucket adds at a place (average overlap) */
    double *n, *scratch;
    double *out, *pmf;
    struct seen *seen;       /* [n_seen], a power of two; NULL if cases are few */
    uint64_t n_seen;
} value_task;

/* The values of a case depend only on its profile, the model's buckets and the classes in each. If labels and classes are few,
 * many cases agree in all three: the last case with each hash is kept, and its values are copied to cases with the same key. */
#define SEEN 1024 /* largest number of kept cases */
#define MANY 256  /* with fewer cases, the search takes longer than it saves */
#define KEY 64    /* numbers in a key; a case that needs more is always computed */

typedef struct seen {
    int64_t at;     /* index of the case + 1, or 0 if none is kept here */
    int32_t length; /* of the key */
    int32_t key[KEY];
} seen;

/* Writes the key of the current case and returns its length, or 0 if the key is too long or no case is kept. */
static int32_t key_of(const value_task *t, int64_t profile, int32_t *key)
{
    const int64_t width = t->sides.n_model, n_cells = (t->n_groups + 1) * width;
    if (t->seen == NULL || 1 + width + n_cells > KEY || profile > INT32_MAX)
        return 0;
    int32_t n = 0;
    key[n++] = (int32_t)profile;
    for (int64_t a = 0; a < width; a++)
        key[n++] = (int32_t)t->sides.model[a].start; /* sizes follow from the cells */
    for (int64_t c = 0; c < n_cells; c++)
        key[n++] = (int32_t)t->cells[c];
    return n;
}

/* Returns the place of a key. If an equal key is kept there, its case has the same values. */
static seen *place_of(const value_task *t, const int32_t *key, int32_t length)
{
    uint64_t hash = (uint64_t)length;
    for (int32_t j = 0; j < length; j++)
        hash = (hash ^ (uint32_t)key[j]) * UINT64_C(0x9e3779b97f4a7c15);
    return &t->seen[(hash >> 32) & (t->n_seen - 1)];
}

static void add_value(value_task *t, double value, double probability)
{
    const double at = (value - t->out[2]) * (double)t->metric->lattice, cell = floor(at + 1e-9);
    const int64_t i = (int64_t)cell;
    double split = at - cell;
    if (fabs(split) < 1e-9 || i >= t->metric->lattice)
        split = 0.0;
    t->out[0] += probability * value;
    t->out[1] += probability * value * value;
    t->pmf[i < t->metric->lattice ? i : t->metric->lattice] += probability * (1.0 - split);
    if (split > 0.0)
        t->pmf[i + 1] += probability * split;
}

/* Returns the value of the current list; bucket_at has the model's bucket of the class at each place. */
static double list_value(value_task *t, const int *bucket_at)
{
    const int width = t->sides.n_truth;
    memset(t->n, 0, (size_t)(t->sides.n_model * width) * sizeof *t->n);
    for (int a = 0; a < t->sides.n_model && width > t->length; a++)
        t->n[a * width + t->length] = t->sides.model[a].size;
    for (int r = 0; r < t->length; r++) {
        t->n[bucket_at[r] * width + r] = 1.0;
        if (width > t->length)
            t->n[bucket_at[r] * width + t->length] -= 1.0;
    }
    return ugt_list_value(&t->sides, t->n, t->metric->metric, t->metric->depth, t->metric->parameter, t->scratch) /
           t->metric->scale;
}

static void walk(value_task *t, int position, int *bucket_at, double value, double ways)
{
    for (int64_t g = 0; g < t->n_groups; g++) {
        if (t->left[g] == 0)
            continue;
        t->left[g]--;
        const double *start = t->at, *leaf_end = t->at;
        for (int a = 0; a < t->sides.n_model; a++) {
            int64_t *cell = &t->cells[g * t->sides.n_model + a];
            if (*cell == 0)
                continue;
            t->at = start; /* classes of a group are interchangeable, so each bucket continues with the same lists */
            const double chosen = ways * (double)(*cell)--;
            const double gained = value + t->gain[position * t->sides.n_model + a];
            bucket_at[position] = a;
            if (position == t->length - 1)
                add_value(t, t->metric->metric == UGT_AVERAGE_OVERLAP ? gained : list_value(t, bucket_at),
                          chosen * *t->at++);
            else
                walk(t, position + 1, bucket_at, gained, chosen);
            leaf_end = t->at;
            ++*cell;
        }
        t->at = leaf_end;
        t->left[g]++;
    }
}

/* Counts classes by group and model bucket in cells, those of plausibility 0 in its last row; bucket_of is -1 before and after. */
static int place_classes(value_task *t, const ugt_posterior *posterior, const ugt_orders *model, int64_t i,
                         int32_t *bucket_of)
{
    const int width = t->sides.n_model;
    const int64_t outside = posterior->background_group[i] < 0 ? t->n_groups : posterior->background_group[i];
    int bucket = -1;
    memset(t->cells, 0, (size_t)((t->n_groups + 1) * width) * sizeof *t->cells);
    for (int64_t j = model->offsets[i]; j < model->offsets[i + 1]; j++) {
        if (model->class_index[j] < 0 || model->class_index[j] >= t->n_classes)
            return UGT_ERR_RANGE;
        bucket += j == model->offsets[i] || model->start[j] != model->start[j - 1];
        bucket_of[model->class_index[j]] = bucket < width ? bucket : width - 1;
    }
    for (int a = 0; a < width; a++)
        t->cells[outside * width + a] = (int64_t)t->sides.model[a].size;
    for (int64_t e = posterior->offsets[i]; e < posterior->offsets[i + 1]; e++) {
        const int32_t held = bucket_of[posterior->class_index[e]], a = held < 0 ? width - 1 : held;
        t->cells[outside * width + a]--;
        t->cells[posterior->entry_group[e] * width + a]++;
    }
    for (int64_t j = model->offsets[i]; j < model->offsets[i + 1]; j++)
        bucket_of[model->class_index[j]] = -1;
    return UGT_OK;
}

/* Returns P(a class of this bucket is among the best k). */
static double share(const ugt_bucket *bucket, int k)
{
    const double p = (k - bucket->start) / bucket->size;
    return p <= 0.0 ? 0.0 : p >= 1.0 ? 1.0 : p;
}

/* Fills gain(r, a) = 1/L sum_{k >= r} w_k(a) / k with L = depth and w_k(a) = P(a class of model bucket a is among the best k).
 * Returns the value that the classes of plausibility 0 at the end of a short list add. */
static double average_overlap_gains(value_task *t)
{
    const int depth = t->metric->depth, width = t->sides.n_model;
    double zeros = 0.0;
    for (int a = 0; a < width; a++) {
        double sum = 0.0;
        for (int k = depth; k >= 1; k--) {
            const double overlap = share(&t->sides.model[a], k) / (k * (double)depth);
            sum += overlap;
            t->gain[(k - 1) * width + a] = sum;
            if (t->length < t->sides.n_truth)
                zeros += overlap * (double)t->cells[t->n_groups * width + a] * share(&t->truth[t->length], k);
        }
    }
    return zeros;
}

static int values_of_case(value_task *t, const ugt_posterior *posterior, const ugt_orders *model, int64_t i,
                          int32_t *bucket_of, int *bucket_at, ugt_bucket *buckets)
{
    const ugt_profile profile = ugt_profile_at(posterior->profiles, posterior->case_profile[i]);
    const int64_t first = model->offsets[i];
    t->n_groups = profile.n_groups;
    t->length = list_length(&profile, t->metric->depth);
    t->sides.model = buckets;
    t->sides.n_model = ugt_order_buckets(model->start + first, model->offsets[i + 1] - first, t->n_classes,
                                         t->metric->depth, buckets);
    for (int r = 0; r < t->length; r++)
        t->truth[r] = (ugt_bucket){r, 1.0};
    t->sides.n_truth = t->length;
    if (t->length < t->n_classes)
        t->truth[t->sides.n_truth++] = (ugt_bucket){t->length, (double)(t->n_classes - t->length)};
    memcpy(t->left, profile.count, (size_t)profile.n_groups * sizeof *t->left);
    const int status = place_classes(t, posterior, model, i, bucket_of);
    if (status != UGT_OK)
        return status;
    int32_t key[KEY];
    const int32_t length = key_of(t, posterior->case_profile[i], key);
    seen *known = length > 0 ? place_of(t, key, length) : NULL;
    if (known != NULL && known->at > 0 && known->length == length && memcmp(known->key, key, (size_t)length * sizeof *key) == 0) {
        const int64_t back = i + 1 - known->at, points = t->metric->lattice + 1;
        memcpy(t->out, t->out - 3 * back, 3 * sizeof *t->out);
        memcpy(t->pmf, t->pmf - points * back, (size_t)points * sizeof *t->pmf);
        return UGT_OK;
    }
    if (known != NULL) {
        known->at = i + 1;
        known->length = length;
        memcpy(known->key, key, (size_t)length * sizeof *key);
    }
    t->out[2] = average_overlap_gains(t);
    if (t->metric->metric != UGT_AVERAGE_OVERLAP)
        t->out[2] = 0.0;
    walk(t, 0, bucket_at, t->out[2], 1.0);
    return UGT_OK;
}

int ugt_dirichlet_list_values(const ugt_posterior *posterior, const ugt_orders *model, const ugt_list_metric *metric,
                              const int64_t *table_offsets, const double *table, int64_t begin, int64_t end,
                              double *moments, double *pmf)
{
    int status = UGT_ERR_MEMORY;
    const size_t places = (size_t)metric->depth + 2, groups = (size_t)posterior->n_classes + 1;
    value_task t = {.metric = metric, .n_classes = posterior->n_classes};
    ugt_bucket *buckets = malloc(places * sizeof *buckets);
    int32_t *bucket_of = malloc(ugt_bytes(posterior->n_classes, sizeof *bucket_of));
    int *bucket_at = malloc(places * sizeof *bucket_at);
    t.truth = malloc(places * sizeof *t.truth);
    t.left = malloc(groups * sizeof *t.left);
    t.cells = malloc(groups * places * sizeof *t.cells);
    t.gain = malloc(places * places * sizeof *t.gain);
    t.n = malloc(places * places * sizeof *t.n);
    t.scratch = malloc(2 * places * sizeof *t.scratch);
    for (t.n_seen = 1; end - begin >= MANY && t.n_seen < SEEN && (int64_t)t.n_seen < end - begin;)
        t.n_seen *= 2;
    t.seen = t.n_seen > 1 ? calloc(t.n_seen, sizeof *t.seen) : NULL;
    t.sides.truth = t.truth;
    if (!buckets || !bucket_of || !bucket_at || !t.truth || !t.left || !t.cells || !t.gain || !t.n || !t.scratch ||
        (!t.seen && t.n_seen > 1))
        goto out;
    for (int64_t k = 0; k < posterior->n_classes; k++)
        bucket_of[k] = -1;
    status = UGT_OK;
    for (int64_t i = begin; i < end && status == UGT_OK; i++) {
        const int64_t p = posterior->case_profile[i];
        t.out = moments + 3 * i;
        t.pmf = pmf + i * (metric->lattice + 1);
        const int listed = p >= 0 && table_offsets[p + 1] > table_offsets[p];
        t.out[0] = t.out[1] = t.out[2] = listed ? 0.0 : NAN;
        for (int64_t j = 0; j <= metric->lattice; j++)
            t.pmf[j] = listed ? 0.0 : NAN;
        if (!listed)
            continue;
        t.at = table + table_offsets[p];
        status = values_of_case(&t, posterior, model, i, bucket_of, bucket_at, buckets);
    }
out:
    free(buckets);
    free(bucket_of);
    free(bucket_at);
    free(t.truth);
    free(t.left);
    free(t.cells);
    free(t.gain);
    free(t.n);
    free(t.scratch);
    free(t.seen);
    return status;
}
