/* Exact probabilities of ranks for Dirichlet posteriors.
 *
 * The plausibilities are independent Gamma(c_k, 1) variables x_k over their sum, so their order is that of the x_k.
 * Let F_k and S_k be the lower and upper tails and q_k the density of s = log x_k. The number of classes above a
 * threshold s has the generating function prod_k (F_k + z S_k). Class k has rank r at s if its log x_k is at s and
 * r - 1 others are above:
 *
 *   P(rank k = r) = int q_k(s) [z^{r-1}] prod_{j != k} (F_j(s) + z S_j(s)) ds        (r = 1: Soch & Allefeld 2016)
 *
 * The trapezoid rule on the grid of core.h converges exponentially, because every integrand is entire and decays
 * double-exponentially. The sum over classes must be 1, so its deviation from 1 estimates the error at no cost; the step
 * is halved until this deviation is small enough. */
#include <math.h>
#include <string.h>

#include "core.h"

/* Returns the coefficient of z^d in the product of three polynomials. */
static double coefficient(const double *p, const double *e, const double *q, int d)
{
    double sum = 0.0;
    for (int b = 0; b <= d; b++) {
        double inner = 0.0;
        for (int a = 0; a <= d - b; a++)
            inner += p[a] * q[d - b - a];
        sum += e[b] * inner;
    }
    return sum;
}

/* Adds weight * q * P(exactly d of the others are above) at node i to rank[g * stride], for each group g. */
static void rank_at_node(const ugt_profile *profile, ugt_workspace *work, int64_t i, int d, int64_t stride, double *rank)
{
    const int64_t n = profile->n_groups;
    double *suffix = work->poly, *prefix = suffix + (n + 1) * (d + 1), *e = prefix + (d + 1);
    memset(suffix + n * (d + 1), 0, (size_t)(d + 1) * sizeof *suffix);
    suffix[n * (d + 1)] = 1.0;
    for (int64_t g = n - 1; g > 0; g--) {
        const double lower = work->columns[g].lower[i], upper = work->columns[g].upper[i];
        const double *after = suffix + (g + 1) * (d + 1);
        if (profile->count[g] == 1) {
            for (int a = d; a >= 0; a--)
                suffix[g * (d + 1) + a] = lower * after[a] + (a > 0 ? upper * after[a - 1] : 0.0);
        } else {
            ugt_binomial(e, profile->count[g], lower, upper, d);
            ugt_multiply(suffix + g * (d + 1), after, e, d);
        }
    }
    memset(prefix, 0, (size_t)(d + 1) * sizeof *prefix);
    prefix[0] = 1.0;
    for (int64_t g = 0; g < n; g++) {
        const double lower = work->columns[g].lower[i], upper = work->columns[g].upper[i];
        ugt_binomial(e, profile->count[g] - 1, lower, upper, d);
        rank[g * stride] += work->columns[g].density[i] *
                            coefficient(prefix, e, suffix + (g + 1) * (d + 1), d);
        /* e lacks the class itself; one more factor completes the group. */
        for (int b = d; b >= 0; b--)
            e[b] = lower * e[b] + (b > 0 ? upper * e[b - 1] : 0.0);
        ugt_multiply(prefix, prefix, e, d);
    }
}

typedef struct {
    int order;
    int64_t stride;
    double *rank; /* rank[g * stride] = P(a class of group g has rank order) */
} rank_task;

static int rank_integral(ugt_workspace *work, const ugt_profile *profile, const ugt_plan *plan, void *task, double *sum)
{
    const rank_task *t = task;
    for (int64_t g = 0; g < profile->n_groups; g++)
        t->rank[g * t->stride] = 0.0;
    for (int64_t i = 0; i < plan->hi - plan->lo; i++)
        rank_at_node(profile, work, i, t->order - 1, t->stride, t->rank);
    for (int64_t g = 0; g < profile->n_groups; g++)
        *sum += (double)profile->count[g] * t->rank[g * t->stride];
    return UGT_OK;
}

int ugt_dirichlet_ranks(const ugt_profiles *profiles, int64_t begin, int64_t end, int depth, double *rank)
{
    int status = UGT_OK;
    ugt_workspace work = {.cells = ugt_cells_new()};
    if (work.cells == NULL)
        return UGT_ERR_MEMORY;
    for (int64_t p = begin; p < end && status == UGT_OK; p++) {
        const ugt_profile profile = ugt_profile_at(profiles, p);
        double *out = rank + ugt_profiles_offsets(profiles)[p] * depth;
        const int64_t support = ugt_profile_support(&profile);
        memset(out, 0, (size_t)(profile.n_groups * depth) * sizeof *out);
        for (int order = 1; order <= depth && order <= support && status == UGT_OK; order++) {
            rank_task task = {order, depth, out + order - 1};
            status = ugt_grow(&work.poly, &work.n_poly, (profile.n_groups + 3) * order);
            if (status == UGT_OK)
                status = ugt_integrate(&work, &profile, ugt_plan_order(&profile, order), rank_integral, &task);
        }
        ugt_cells_trim(work.cells);
    }
    ugt_workspace_free(&work);
    return status;
}

static double member_of(const double *rank, int depth)
{
    double sum = 0.0;
    for (int r = 0; r < depth; r++)
        sum += rank[r];
    return fmin(sum, 1.0);
}

void ugt_dirichlet_memberships(const ugt_posterior *posterior, int64_t n_cases, const double *rank, int depth, double *member, double *rest)
{
    for (int64_t i = 0; i < n_cases; i++) {
        const int64_t begin = posterior->offsets[i], end = posterior->offsets[i + 1], unlisted = posterior->n_classes - (end - begin);
        if (posterior->case_profile[i] < 0) {
            rest[i] = NAN;
            continue;
        }
        const double *own = rank + ugt_profiles_offsets(posterior->profiles)[posterior->case_profile[i]] * depth;
        for (int64_t j = begin; j < end; j++)
            member[j] = member_of(own + (int64_t)posterior->entry_group[j] * depth, depth);
        if (posterior->background_group[i] >= 0)
            rest[i] = member_of(own + (int64_t)posterior->background_group[i] * depth, depth);
        else
            rest[i] = end - begin < depth && unlisted > 0 ? (double)(depth - (end - begin)) / (double)unlisted : 0.0;
    }
}

