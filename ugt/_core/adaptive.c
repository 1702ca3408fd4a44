/* The dimension-adaptive combination of tensor rules (Gerstner & Griebel 2003), over all terms of a case together. */
#include "cubature.h"

/* In 16,273 comparisons of dermatology cases of up to five dimensions (docs/small-print.md) the error is at most 0.54 times the stated one, with
 * these factors. */
#define FEW 3 /* dimensions */
#define SAFE_FEW 2.0 /* surpluses that fall slowly add up to more than the last: 1.6 times the stated error with factor 1, at shape 0.01 */
#define SAFE_MANY 0.25

/* A tenth of the error takes some four times the leaves: 3 to 5 times in 42 dermatology cases that take 160,000 to 600,000. */
#define GROWTH 0.6
#define FIRST_SLOTS 256
#define EARLY 0.03 /* share of the leaves, before which the rule does not give up */
#define SLACK 1.1

static const int LEVEL[UGT_LEVELS] = {1, 3, 6, 11, 20, 34, 58, 99, 150, 220, 300, 400};

/* Sets *number to one more than that of a rule of this case. */
static int find_rule(ugt_cubature *w, double p, double q, double extra, int level, int64_t *number)
{
    for (*number = 1; *number <= w->n_rules; ++*number) {
        const ugt_beta_rule *r = &w->rule[*number - 1];
        if (r->p == p && r->q == q && r->extra == extra && r->level == level)
            return UGT_OK;
    }
    *number = 0;
    const int status = ugt_make_room(&w->rule, &w->rule_room, w->n_rules + 1, sizeof *w->rule);
    if (status != UGT_OK)
        return status;
    const int n = LEVEL[level];
    double *node = malloc((size_t)(4 * n) * sizeof *node);
    if (node == NULL)
        return UGT_ERR_MEMORY;
    if (!ugt_gauss_jacobi(p, q, n, node, node + n, node + 3 * n, node + 2 * n)) {
        free(node);
        return UGT_ERR_CONVERGENCE;
    }
    for (int i = 0; i < n; i++) {
        node[2 * n + i] = log(node[n + i]);
        node[3 * n + i] *= exp(-extra * node[2 * n + i]);
    }
    w->rule[w->n_rules] = (ugt_beta_rule){p, q, extra, level, n, node};
    *number = ++w->n_rules;
    return UGT_OK;
}

static uint64_t hash_level(int64_t component, const uint8_t *level, int64_t n)
{
    uint64_t h = (1469598103934665603u ^ (uint64_t)component) * 1099511628211u;
    for (int64_t d = 0; d < n; d++)
        h = (h ^ level[d]) * 1099511628211u;
    return h ^ h >> 31;
}

/* Returns the tensor with these levels, or -1; *slot: where it is or would be. */
static int64_t tensor_at(const ugt_cubature *w, int64_t of, const uint8_t *level, int64_t *slot)
{
    *slot = (int64_t)(hash_level(of, level, w->n_dims) & (uint64_t)(w->n_slots - 1));
    for (; w->slot[*slot] != 0; *slot = (*slot + 1) & (w->n_slots - 1)) {
        const int64_t t = w->slot[*slot] - 1;
        if (w->tensor[t].component == of && memcmp(w->level + t * w->n_dims, level, (size_t)w->n_dims) == 0)
            return t;
    }
    return -1;
}

/* Doubles the index of tensors; makes it if there are none. */
static int double_slots(ugt_cubature *w)
{
    const int64_t n_slots = w->n_tensors > 0 ? 2 * w->n_slots : FIRST_SLOTS;
    int64_t *slot = realloc(w->slot, ugt_bytes(n_slots, sizeof *slot)), at;
    if (slot == NULL)
        return UGT_ERR_MEMORY;
    w->slot = slot;
    w->n_slots = n_slots;
    memset(slot, 0, (size_t)n_slots * sizeof *slot);
    for (int64_t t = 0; t < w->n_tensors; t++) {
        tensor_at(w, w->tensor[t].component, w->level + t * w->n_dims, &at);
        slot[at] = t + 1;
    }
    return UGT_OK;
}

static double largest(const double *x, int64_t n)
{
    double most = 0.0;
    for (int64_t j = 0; j < n; j++)
        most = fmax(most, fabs(x[j]));
    return most;
}

/* Evaluates the tensor with these levels of a component, and its surplus over the tensors below it, which adds to `sum` [width]. */
static int add_tensor(ugt_cubature *w, int64_t of, const uint8_t *given, double *sum)
{
    const ugt_component *one = &w->component[of];
    const int64_t width = w->width, dims = w->n_dims;
    ugt_axis axes[UGT_MOST_DIMENSIONS];
    uint8_t level[UGT_MOST_DIMENSIONS] = {0};
    int64_t leaves = 1, slot;
    int status = UGT_OK;
    memcpy(level, given, (size_t)dims);
    for (int d = 0; d < one->n_dims; d++) {
        int64_t *number = &w->rule_of[(of * dims + d) * UGT_LEVELS + level[d]];
        status = *number > 0 ? UGT_OK : find_rule(w, one->p[d], one->q[d], one->extra[d], one->first_level + level[d], number);
        if (status != UGT_OK)
            return status;
        const ugt_beta_rule *r = &w->rule[*number - 1];
        axes[d] = (ugt_axis){r->n, r->node, r->node + r->n, r->node + 2 * r->n, r->node + 3 * r->n};
        leaves *= r->n;
    }
    const int64_t t = w->n_tensors;
    if (2 * (t + 1) > w->n_slots)
        status = double_slots(w);
    if (status == UGT_OK)
        status = ugt_make_room(&w->tensor, &w->tensor_room, t + 1, sizeof *w->tensor);
    if (status == UGT_OK)
        status = ugt_make_room(&w->level, &w->level_room, (t + 1) * dims + 1, 1);
    if (status == UGT_OK)
        status = ugt_make_room(&w->value, &w->value_room, (t + 1) * 2 * width, sizeof *w->value);
    if (status != UGT_OK)
        return status;
    double *value = w->value + t * 2 * width, *surplus = value + width;
    ugt_integrate_tensor(w, one, axes, value);
    memcpy(surplus, value, (size_t)width * sizeof *value);
    int positive[UGT_MOST_DIMENSIONS], n_positive = 0;
    for (int d = 0; d < one->n_dims; d++)
        if (level[d] > 0)
            positive[n_positive++] = d;
    for (uint32_t z = 1; z < (1u << n_positive); z++) {
        int odd = 0;
        uint8_t below[UGT_MOST_DIMENSIONS] = {0};
        memcpy(below, level, (size_t)dims);
        for (int j = 0; j < n_positive; j++)
            if (z >> j & 1u) {
                below[positive[j]]--;
                odd ^= 1;
            }
        const int64_t at = tensor_at(w, of, below, &slot);
        const double *other = w->value + at * 2 * width;
        for (int64_t j = 0; j < width; j++)
            surplus[j] += odd ? -other[j] : other[j];
    }
    tensor_at(w, of, level, &slot);
    w->slot[slot] = t + 1;
    memcpy(w->level + t * dims, level, (size_t)dims);
    w->n_tensors++;
    for (int64_t j = 0; j < width; j++)
        sum[j] += surplus[j];
    /* moments are as large as probabilities, and second moments no larger */
    const double own = largest(surplus, width) / fabs(ugt_total_of(sum, w->m + 1));
    w->tensor[t] = (ugt_tensor){of, leaves, own, 0};
    return UGT_OK;
}

/* Adds the tensor with these levels and all that are below it. */
static int add_down_from(ugt_cubature *w, int64_t of, uint8_t *level, double *sum)
{
    int64_t slot;
    if (tensor_at(w, of, level, &slot) >= 0)
        return UGT_OK;
    if (w->leaves > w->options->most_leaves)
        return UGT_ERR_CONVERGENCE;
    for (int d = 0; d < w->component[of].n_dims; d++) {
        if (level[d] == 0)
            continue;
        level[d]--;
        const int status = add_down_from(w, of, level, sum);
        level[d]++;
        if (status != UGT_OK)
            return status;
    }
    return add_tensor(w, of, level, sum);
}

/* Replaces an active tensor by its neighbour above in each dimension. If only neighbours were added whose neighbours below are all replaced, as
 * in the paper, some tensors would be replaced by nothing, and the estimate would lose their surplus. */
static int expand(ugt_cubature *w, int64_t t, double *sum)
{
    const int64_t of = w->tensor[t].component;
    const ugt_component *one = &w->component[of];
    uint8_t level[UGT_MOST_DIMENSIONS] = {0};
    memcpy(level, w->level + t * w->n_dims, (size_t)w->n_dims);
    w->tensor[t].old = 1;
    for (int d = 0; d < one->n_dims; d++) {
        if (one->first_level + level[d] + 1 == UGT_LEVELS)
            return UGT_ERR_CONVERGENCE;
        level[d]++;
        const int status = add_down_from(w, of, level, sum);
        level[d]--;
        if (status != UGT_OK)
            return status;
    }
    return UGT_OK;
}

/* Returns how many dimensions of a tensor have more than their first nodes, and the sum of their levels. */
static int raised(const ugt_cubature *w, int64_t t, int *levels)
{
    int n = 0;
    *levels = 0;
    for (int64_t d = 0; d < w->n_dims; d++) {
        n += w->level[t * w->n_dims + d] > 0;
        *levels += w->level[t * w->n_dims + d];
    }
    return n;
}

/* Whether the limit of leaves will be reached first, by the usual course of the error. */
static int is_hopeless(const ugt_cubature *w, double error)
{
    const double leaves = (double)w->leaves, most = (double)w->options->most_leaves;
    return leaves > EARLY * most && leaves * pow(error / w->options->tolerance, GROWTH) > SLACK * most;
}

/* Integrates all components to the tolerance. UGT_ERR_CONVERGENCE: the limit of leaves or of levels was reached first. */
int ugt_adaptive_rule(ugt_cubature *w, const volatile int32_t *stop, double *sum, double *error)
{
    const uint8_t none[UGT_MOST_DIMENSIONS] = {0};
    const ugt_cubature_options *o = w->options;
    const int checks = w->n_dims <= FEW ? 2 : 1;
    int checked = 0;
    const double safe = w->n_dims <= FEW ? SAFE_FEW : SAFE_MANY;
    const double goal = o->tolerance - UGT_CUBATURE_FLOOR;
    const int64_t n_levels = w->n_components * w->n_dims * UGT_LEVELS;
    w->n_tensors = 0;
    w->leaves = 0;
    int status = ugt_make_room(&w->rule_of, &w->rule_of_room, n_levels + 1, sizeof *w->rule_of);
    if (status == UGT_OK)
        status = double_slots(w);
    if (status != UGT_OK)
        return status;
    memset(w->rule_of, 0, (size_t)n_levels * sizeof *w->rule_of);
    memset(sum, 0, (size_t)w->width * sizeof *sum);
    for (int64_t c = 0; c < w->n_components; c++) {
        status = add_tensor(w, c, none, sum);
        if (status != UGT_OK)
            return status;
        if (w->leaves > o->most_leaves)
            return UGT_ERR_CONVERGENCE;
    }
    for (int64_t c = 0; c < w->n_components; c++)
        w->tensor[c].surplus = w->component[c].n_dims == 0 ? 0.0 : fabs(ugt_total_of(w->value + c * 2 * w->width, w->m + 1) / ugt_total_of(sum, w->m + 1));
    for (;;) {
        double most = 0.0;
        int64_t next = -1;
        *error = 0.0;
        for (int64_t t = 0; t < w->n_tensors; t++) {
            if (w->tensor[t].old)
                continue;
            const double gain = w->tensor[t].surplus / (double)w->tensor[t].leaves;
            *error += safe * w->tensor[t].surplus;
            if (gain > most) {
                most = gain;
                next = t;
            }
        }
        if (*stop)
            return UGT_STOPPED;
        if (!(*error < INFINITY) || w->leaves > o->most_leaves || is_hopeless(w, *error))
            return UGT_ERR_CONVERGENCE;
        if (*error <= goal) {
            if (checked == checks)
                return UGT_OK;
            checked++; /* surpluses along one dimension do not see the corner where two rates meet, and a component may be far larger than its first tensor */
            const int64_t n = w->n_tensors;
            for (int64_t t = 0; t < n; t++) {
                const ugt_component *one = &w->component[w->tensor[t].component];
                int levels;
                if (raised(w, t, &levels) > 1 || (w->tensor[t].old && levels > 1) || one->n_dims < 1 || one->first_level + levels + 1 == UGT_LEVELS)
                    continue;
                status = expand(w, t, sum);
                if (status != UGT_OK)
                    return status;
            }
            continue;
        }
        status = expand(w, next, sum);
        if (status != UGT_OK)
            return status;
    }
}
