/* Lines of quasi-Monte Carlo (lines.c): the case, and for each class that may be first the mode, the axes and the laws along them. */
#include "lines.h"

#define MOST_TIED 8
#define MOST_TIMES 4       /* that a factor is multiplied with itself, which takes less time than a logarithm */
#define MOST_SHAPE 1e5     /* total shape, above which the rounding of F would show */
#define STEP 0.75           /* between nodes, in standard deviations given the other z */
#define MOST_STEP 0.5      /* of log lambda: its density may fall as slowly as e^-x on one side */
#define SURE 1e-4          /* probabilities to come before the best class, above which a class has its own lines */
#define MOST_CHANGE 600.0  /* of the log of a factor along a line */
#define LEAST_SLOPE 0.1    /* of the log density beyond the last cell */

void ugt_axis_law_close(ugt_axis_law *law, double least_slope)
{
    const int last = law->n - 1;
    law->left = fmax((law->height[1] - law->height[0]) / CELL, least_slope);
    law->right = fmax((law->height[last - 1] - law->height[last]) / CELL, least_slope);
    law->below[0] = exp(law->height[0]) / law->left;
    for (int i = 0; i < last; i++) {
        const double rise = law->height[i + 1] - law->height[i];
        law->growth[i] = expm1(rise);
        law->below[i + 1] = law->below[i] + exp(law->height[i]) * CELL * (fabs(rise) < 1e-6 ? 1.0 + 0.5 * rise : law->growth[i] / rise);
    }
    const double total = law->below[last] + exp(law->height[last]) / law->right;
    for (int i = 0; i <= last; i++) {
        law->below[i] /= total;
        law->height[i] -= log(total);
    }
    for (int i = 0, cell = 0; i < GUIDES; i++) {
        while (cell < last - 1 && law->below[cell + 1] * GUIDES <= i)
            cell++;
        law->guide[i] = (uint8_t)cell;
    }
}

/* Tabulates the density along an axis. Returns whether it falls. */
static int set_law(ugt_lines *l, const ugt_direction *to, const double *axis, ugt_axis_law *law)
{
    double height[2][MOST_CELLS / 2 + 1];
    int n[2];
    for (int side = 0; side < 2; side++) {
        height[side][0] = 0.0;
        for (n[side] = 0; n[side] < MOST_CELLS / 2 && (n[side] < 2 || height[side][n[side]] > -DEEP);) {
            n[side]++;
            height[side][n[side]] = ugt_line_height(l, to, axis, (side ? CELL : -CELL) * n[side]) - l->peak;
        }
    }
    law->n = n[0] + n[1] + 1;
    for (int i = 0; i < law->n; i++) {
        law->z[i] = (i - n[0]) * CELL;
        law->height[i] = i < n[0] ? height[0][n[0] - i] : height[1][i - n[0]];
    }
    ugt_axis_law_close(law, LEAST_SLOPE);
    return height[0][n[0]] < -0.25 * DEEP && height[1][n[1]] < -0.25 * DEEP;
}

static int compare_factors(const void *a, const void *b)
{
    const ugt_factor *x = a, *y = b;
    if (x->weight != y->weight)
        return x->weight < y->weight ? -1 : 1;
    return x->size != y->size ? (x->size > y->size) - (x->size < y->size) : (x->member > y->member) - (x->member < y->member);
}

/* Reads the likelihood of the case. *possible: whether it can be integrated. */
int ugt_read_lines(const ugt_cubature *w, ugt_lines *l, const ugt_stages *stages, int64_t i, int *possible)
{
    const ugt_cubature_options *o = w->options;
    const int64_t first = stages->stage_offsets[i], n = stages->stage_offsets[i + 1] - first;
    const double others = (double)(stages->n_classes - w->m);
    const int has_rest = o->rest != UGT_REST_IGNORE && others > 0.0;
    double shapes = 0.0;
    int largest = 1;
    *possible = 0;
    if (w->m + has_rest > MOST_CLASSES || w->m + has_rest < 2)
        return UGT_OK;
    l->m = (int)w->m;
    l->d = l->m + has_rest;
    l->handicap = o->rest == UGT_REST_LUMP && has_rest ? log(others) : 0.0;
    l->has_above = w->above > 0;
    l->without = w->without;
    if (has_rest && (double)w->above >= others)
        l->without |= (uint64_t)1 << l->m;
    l->has_tail = has_rest && o->rest == UGT_REST_INDIVIDUAL && others > 1.0 && w->groups == NULL;
    l->n_rivals = l->m + (has_rest && !l->has_tail);
    if (l->has_tail) {
        l->tail_a = o->shape;
        l->tail_b = (others - 1.0) * o->shape;
        l->log_tail = log(others) - log(l->tail_b) - ugt_log_beta(l->tail_a, l->tail_b);
    }
    for (int k = 0; k < l->d; k++) {
        l->wins[k] = k == l->m && o->rest == UGT_REST_INDIVIDUAL ? others * o->shape : o->shape;
        l->total_shape += l->wins[k];
    }
    const double whole = floor(l->total_shape + 0.5);
    if (fabs(l->total_shape - whole) < 1e-12) /* of equal shapes, often 1 */
        l->total_shape = whole;
    l->n_factors = (int)n;
    l->factors = malloc(ugt_bytes(n, sizeof *l->factors));
    if (l->factors == NULL)
        return UGT_ERR_MEMORY;
    for (int64_t j = 0; j < n; j++) {
        const ugt_stage *stage = &stages->stage[first + j];
        const double all = o->reliability * stage->count;
        const int times = stage->count <= MOST_TIMES && stage->count == floor(stage->count) ? (int)stage->count : 1;
        l->factors[j] = (ugt_factor){all / times, times, stage->size, stage->n_later, stages->member + stage->at};
        for (int a = 0; a < stage->size; a++)
            l->wins[l->factors[j].member[a]] += all;
        largest = stage->size > largest ? stage->size : largest;
    }
    qsort(l->factors, (size_t)n, sizeof *l->factors, compare_factors);
    for (int k = 0; k < l->d; k++)
        shapes += l->wins[k];
    if (largest > MOST_TIED || !(shapes <= MOST_SHAPE))
        return UGT_OK;
    l->tied = malloc((size_t)(2 * NODES) * sizeof *l->tied << largest);
    if (l->tied == NULL)
        return UGT_ERR_MEMORY;
    l->integral = w->sinc;
    *possible = w->groups == NULL || ugt_read_group_lines(w, l);
    return UGT_OK;
}

/* Sets the order of the classes, with k first, the mode, and the axes. Returns whether minus the Hessian is positive definite. */
static int set_axes(const ugt_lines *l, const double *lambda, const double *curvature, int k, ugt_direction *to)
{
    const int d = l->d, size = d - 1;
    double half[MOST_CLASSES * MOST_CLASSES], sorted[MOST_CLASSES], *factor_of = to->cholesky;
    for (int j = 0; j < d; j++) { /* k first, the rest last, unless it is k */
        int at = j;
        for (; at > 0 && to->order[at - 1] != k && (j == k || (j < l->m && lambda[to->order[at - 1]] < lambda[j])); at--)
            to->order[at] = to->order[at - 1];
        to->order[at] = j;
    }
    for (int j = 0; j < d; j++)
        sorted[j] = lambda[to->order[j]];
    double later = sorted[size];
    for (int j = size - 1; j >= 0; j--) { /* theta_j is x_j + log of the sum of the later lambdas */
        double *row = to->jacobian + j * size;
        memset(row, 0, (size_t)size * sizeof *row);
        row[j] = 1.0;
        for (int i = j + 1; i < size; i++)
            for (int c = i; c < size; c++)
                row[c] += sorted[i] / later * to->jacobian[i * size + c];
        to->mode[j] = log(sorted[j] / later);
        later += sorted[j];
    }
    for (int r = 0; r < size; r++)
        for (int c = 0; c < size; c++) {
            half[r * size + c] = 0.0;
            for (int i = 0; i <= c; i++) {
                const int p = to->order[r], q = to->order[i];
                half[r * size + c] += curvature[p > q ? p * d + q : q * d + p] * to->jacobian[i * size + c];
            }
        }
    for (int r = 0; r < size; r++)
        for (int c = 0; c <= r; c++) {
            double sum = 0.0;
            for (int i = 0; i <= r; i++)
                sum += to->jacobian[i * size + r] * half[i * size + c];
            for (int i = 0; i < c; i++)
                sum -= factor_of[r * size + i] * factor_of[c * size + i];
            if (r == c && !(sum > 0.0))
                return 0;
            factor_of[r * size + c] = r == c ? sqrt(sum) : sum / factor_of[c * size + c];
        }
    for (int j = 0; j < size; j++) {
        double *y = to->axis + j * size;
        for (int i = size - 1; i >= 0; i--) {
            y[i] = i == j ? 1.0 : 0.0;
            for (int c = i + 1; c <= j; c++)
                y[i] -= factor_of[c * size + i] * y[c];
            y[i] /= factor_of[i * size + i];
        }
    }
    return 1;
}

/* Sets the laws of the axes, and the nodes of lines. Returns whether the density falls along all of them. */
static int set_scales(ugt_lines *l, ugt_direction *to)
{
    const int size = l->d - 1;
    double end[2];
    to->step = fmin(STEP, MOST_STEP / to->axis[0]);
    for (int j = 1; j < size; j++)
        if (!set_law(l, to, to->axis + j * size, &to->law[j]))
            return 0;
    for (int side = 0; side < 2; side++) {
        double fall = 0.0;
        for (end[side] = 2.0; end[side] < NODES * to->step && fall < DEEP;) {
            end[side] += 1.0;
            fall = l->peak - ugt_line_height(l, to, to->axis, side ? end[side] : -end[side]);
        }
    }
    to->n_nodes = (int)ceil((end[0] + end[1]) / to->step) + 1;
    if (to->n_nodes > NODES)
        return 0;
    to->begin = -end[0];
    const double step = to->step * to->axis[0], wins = l->wins[to->order[0]];
    double most = wins + l->total_shape; /* of the slopes of log factors */
    for (int j = 0; j < l->n_factors; j++)
        most += l->factors[j].weight * l->factors[j].times * l->factors[j].size;
    to->whole = most * step * to->n_nodes < MOST_CHANGE;
    for (int i = 0; i < to->n_nodes; i++) {
        to->power[i] = exp(step * i);
        to->rise[i] = to->whole ? exp(wins * step * (i - to->n_nodes / 2)) : 1.0;
    }
    return 1;
}

/* Sets the chance of each rival to be above class k, whose lines these are, by the normal law at the mode. */
static void set_chances(ugt_lines *l, const ugt_direction *to, double *chance)
{
    const int size = l->d - 1, k = to->order[0];
    ugt_line_point(l, to, to->mode);
    for (int j = 0; j < l->n_rivals; j++) {
        double v[MOST_CLASSES], variance = 0.0;
        int place = 0;
        while (to->order[place] != j)
            place++;
        for (int r = 0; r < size; r++) {
            v[r] = (place < size ? to->jacobian[place * size + r] : 0.0) - to->jacobian[r];
            for (int c = 0; c < r; c++)
                v[r] -= to->cholesky[r * size + c] * v[c];
            v[r] /= to->cholesky[r * size + r];
            variance += v[r] * v[r];
        }
        const double behind = l->theta[k] - l->theta[j] + ((j == l->m) - (k == l->m)) * l->handicap;
        chance[j] = j == k ? 1.0 : l->without >> j & 1u ? 0.0 : 0.5 * erfc(behind / sqrt(2.0 * variance));
    }
}

/* Sets the best class at the mode; returns 1, or 0 if there is no rival. */
static int best_rival(const ugt_lines *l, const double *lambda, int *class)
{
    int top = -1;
    for (int k = 0; k < l->n_rivals; k++)
        if (!(l->without >> k & 1u) && (top < 0 || lambda[k] * (k == l->m ? exp(-l->handicap) : 1.0) > lambda[top]))
            top = k;
    class[0] = top;
    return top >= 0;
}

/* Adds the other classes that may well be first if there are several; returns how many classes there are. */
static int likely_rivals(ugt_lines *l, int *class)
{
    double chance[MOST_CLASSES];
    int likely = 0, n = 1;
    set_chances(l, &l->of[0], chance);
    for (int k = 0; k < l->n_rivals; k++)
        likely += chance[k] > SURE;
    for (int k = 0; k < l->n_rivals && likely > 2; k++)
        if (k != class[0] && chance[k] > SURE)
            class[n++] = k;
    return n;
}

/* Finds the mode and makes the directions: of the best class, and of each other one that may well be first if there are several; or of the
 * groups, each by one of its classes. */
int ugt_open_directions(const ugt_cubature *w, ugt_lines *l, const ugt_stages *stages, int64_t i, int *possible)
{
    const ugt_cubature_options *o = w->options;
    double lambda[MOST_CLASSES], curvature[MOST_CLASSES * MOST_CLASSES];
    int class[MOST_CLASSES], made = 0;
    *possible = 0;
    const int status = ugt_curvature_at_mode(stages, i, o->reliability, o->shape, o->rest, lambda, curvature);
    if (status != UGT_OK)
        return status == UGT_ERR_CONVERGENCE ? UGT_OK : status;
    int n = l->n_groups > 0 ? ugt_classes_of_groups(l, lambda, class) : best_rival(l, lambda, class);
    if (n == 0)
        return UGT_OK;
    l->of = calloc((size_t)(l->n_groups > 0 ? l->n_groups : l->n_rivals), sizeof *l->of);
    if (l->of == NULL)
        return UGT_ERR_MEMORY;
    for (int j = 0; j < n; j++) {
        ugt_direction *to = &l->of[j];
        if (!set_axes(l, lambda, curvature, class[j], to))
            return UGT_OK;
        to->rival = l->n_groups > 0 ? l->output[l->group[class[j]]] : class[j];
        n = j == 0 && l->n_groups == 0 ? likely_rivals(l, class) : n;
    }
    for (int j = 0; j < n; j++) { /* a class without its own lines is seen by those of the best class */
        l->peak = ugt_line_height(l, &l->of[j], l->of[j].axis, 0.0);
        if (set_scales(l, &l->of[j]))
            l->of[made++] = l->of[j];
        else if (j == 0)
            return UGT_OK;
    }
    l->n_directions = made;
    *possible = 1;
    return UGT_OK;
}
