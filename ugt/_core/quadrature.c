/* This file has the common parts of the integrals of dirichlet.c, overlaps.c and lists.c: the workspace with the tables of all
 * groups at the nodes of a plan, the loop that halves the step until a known sum is reached, and truncated polynomials. */
#include <math.h>
#include <stdlib.h>

#include "core.h"

#define ACCEPT 2e-13 /* |sum - 1| that ends the halving; rounding alone leaves about 1e-15 to 1e-14 */
#define GIVE_UP 1e-9 /* |sum - 1| that gives UGT_ERR_CONVERGENCE after MORE_LEVELS halvings; no test reaches it */
#define MORE_LEVELS 6 /* halvings of the step at most */

int ugt_grow(double **array, int64_t *room, int64_t n)
{
    if (n <= *room)
        return UGT_OK;
    double *grown = realloc(*array, (size_t)n * sizeof **array);
    if (grown == NULL)
        return UGT_ERR_MEMORY;
    *array = grown;
    *room = n;
    return UGT_OK;
}

void ugt_workspace_free(ugt_workspace *work)
{
    ugt_cells_free(work->cells);
    free(work->columns);
    free(work->poly);
}

/* Tabulates all groups at the nodes of a plan. */
int ugt_workspace_prepare(ugt_workspace *work, const ugt_profile *profile, const ugt_plan *plan)
{
    int status = UGT_OK;
    if (profile->n_groups > work->n_columns) {
        ugt_columns *grown = realloc(work->columns, (size_t)profile->n_groups * sizeof *grown);
        if (grown == NULL)
            return UGT_ERR_MEMORY;
        work->columns = grown;
        work->n_columns = profile->n_groups;
    }
    for (int64_t g = 0; g < profile->n_groups && status == UGT_OK; g++)
        status = ugt_cells_get(work->cells, profile->c[g], plan->grid, plan->lo, plan->hi, &work->columns[g]);
    return status;
}

double ugt_power(double x, int64_t n)
{
    double result = 1.0;
    for (; n > 0; n >>= 1, x *= x)
        if (n & 1)
            result *= x;
    return result;
}

/* Writes e[0..d], the coefficients of (lower + z upper)^n up to z^d; n >= 0. */
void ugt_binomial(double *e, int64_t n, double lower, double upper, int d)
{
    const int top = n < d ? (int)n : d;
    double choose = 1.0, above = 1.0;
    for (int b = 0; b <= top; b++) {
        e[b] = choose * above;
        choose *= (double)(n - b) / (b + 1);
        above *= upper;
    }
    double below = ugt_power(lower, n - top);
    for (int b = top; b >= 0; b--) {
        e[b] *= below;
        below *= lower;
    }
    for (int b = top + 1; b <= d; b++)
        e[b] = 0.0;
}

/* Writes the product of p and e up to z^d. out may be p, because the highest coefficients are written first. */
void ugt_multiply(double *out, const double *p, const double *e, int d)
{
    for (int a = d; a >= 0; a--) {
        double sum = 0.0;
        for (int b = 0; b <= a; b++)
            sum += p[a - b] * e[b];
        out[a] = sum;
    }
}

int ugt_integrate(ugt_workspace *work, const ugt_profile *profile, ugt_plan plan, ugt_integral *integral, void *task)
{
    for (int more = 0;; more++) {
        double sum = 0.0;
        int status = ugt_workspace_prepare(work, profile, &plan);
        if (status != UGT_OK || (status = integral(work, profile, &plan, task, &sum)) != UGT_OK)
            return status;
        if (fabs(sum - 1.0) < ACCEPT)
            return UGT_OK;
        if (more == MORE_LEVELS)
            return fabs(sum - 1.0) < GIVE_UP ? UGT_OK : UGT_ERR_CONVERGENCE;
        plan = ugt_plan_halve(&plan);
    }
}
