/* Lines of quasi-Monte Carlo (lines.c) where groups of classes compete by the sums of their plausibilities.
 *
 * On the line of a class its group is first from where the sum reaches the largest sum of the others; before that, the group of this sum is.
 * The sum of all unmentioned classes is one class of the lines. Its shares of the groups are a Dirichlet variable that is independent of all
 * else, broken like a stick into Beta variables, for each of which the points have one more coordinate; in a lump the shares are fixed. */
#include "group_sums.h"
#include "lines.h"

/* Tabulates the density of the log odds of Beta(p, q). */
static void set_split(ugt_lines *l, int j, double p, double q)
{
    ugt_axis_law *law = &l->split_law[j];
    l->split_shape[j][0] = p;
    l->split_shape[j][1] = q;
    l->split_mode[j] = log(p / q);
    l->split_unit[j] = fmin(1.0, sqrt(1.0 / p + 1.0 / q));
    law->n = MOST_CELLS + 1;
    for (int i = 0; i < law->n; i++) {
        law->z[i] = (i - MOST_CELLS / 2) * CELL;
        const double y = l->split_mode[j] + l->split_unit[j] * law->z[i], small = log1p(exp(-fabs(y)));
        law->height[i] = log(l->split_unit[j]) - ugt_log_beta(p, q) + p * fmin(y, 0.0) - q * fmax(y, 0.0) - (p + q) * small;
    }
    ugt_axis_law_close(law, 0.0);
}

int ugt_read_group_lines(const ugt_cubature *w, ugt_lines *l)
{
    const ugt_groups *g = w->groups;
    double shape[MOST_CLASSES], left = 0.0;
    int resting = 0;
    if (w->n_competing > MOST_CLASSES)
        return 0;
    l->n_groups = 0;
    for (int64_t j = 0; j < g->n_groups; j++) {
        if (g->at[j] < 0)
            continue;
        if (l->n_groups == MOST_CLASSES)
            return 0;
        const double rest = g->at[j] < g->n ? g->of[g->at[j]].rest : g->wins[g->at[j] - g->n];
        for (int k = 0; k < l->m; k++)
            if (g->color[k] == j)
                l->group[k] = l->n_groups;
        if (rest > 0.0) {
            l->split[resting] = l->n_groups;
            shape[resting++] = g->in_lump ? (double)g->unmentioned[j] : rest;
            left += shape[resting - 1];
        }
        l->output[l->n_groups++] = (int)g->at[j];
    }
    l->n_splits = g->in_lump || resting == 0 ? 0 : resting - 1;
    if (l->d - 1 + l->n_splits > MOST_CLASSES)
        return 0;
    for (int j = 0; j < resting; j++) {
        for (int i = 0; i < BLOCK && l->n_splits == 0; i++)
            l->share[l->split[j]][i] = shape[j] / left;
    }
    for (int j = 0; j < l->n_splits; j++) {
        left -= shape[j];
        set_split(l, j, shape[j], left);
    }
    return 1;
}

int ugt_classes_of_groups(const ugt_lines *l, const double *lambda, int *class)
{
    double sum[MOST_CLASSES] = {0.0};
    int n = 0;
    for (int g = 0; g < l->n_groups; g++) {
        int best = -1;
        for (int k = 0; k < l->m; k++)
            if (l->group[k] == g) {
                sum[g] += lambda[k];
                best = best < 0 || lambda[k] > lambda[best] ? k : best;
            }
        if (best < 0)
            continue;
        class[n] = best;
        if (sum[g] > sum[l->group[class[0]]]) {
            class[n] = class[0];
            class[0] = best;
        }
        n++;
    }
    return l->n_groups > 2 || n == 0 ? n : 1; /* two share the lines of one */
}

void ugt_draw_shares(ugt_lines *l, const double *shift, const uint32_t *index, int n, double *log_weight)
{
    double left[BLOCK], coordinate[BLOCK], z[BLOCK];
    for (int i = 0; i < n; i++)
        left[i] = 1.0;
    for (int j = 0; j < l->n_splits; j++) {
        const double p = l->split_shape[j][0], q = l->split_shape[j][1], unit = l->split_unit[j], log_constant = log(unit) - ugt_log_beta(p, q);
        ugt_line_coordinates(index, n, l->d + j, shift[l->d + j], coordinate);
        ugt_line_draw(&l->split_law[j], coordinate, n, z, log_weight);
        for (int i = 0; i < n; i++) {
            const double y = l->split_mode[j] + unit * z[i], e = exp(-fabs(y)), large = 1.0 / (1.0 + e), small = e * large;
            log_weight[i] += log_constant + p * fmin(y, 0.0) - q * fmax(y, 0.0) + (p + q) * log(large);
            l->share[l->split[j]][i] = left[i] * (y > 0.0 ? large : small);
            left[i] *= y > 0.0 ? small : large;
        }
    }
    for (int i = 0; i < n && l->n_splits > 0; i++)
        l->share[l->split[l->n_splits]][i] = left[i];
}

void ugt_add_groups(ugt_lines *l, const ugt_direction *to, int at, double begin, double total, double *first, double *mean, double *square)
{
    const int k = to->order[0], own = l->group[k];
    double sum[MOST_CLASSES], below = 0.0, moment[4];
    int best = -1;
    for (int g = 0; g < l->n_groups; g++)
        sum[g] = l->d > l->m ? l->share[g][at] * l->lambda[l->m] : 0.0;
    for (int j = 0; j < l->m; j++)
        sum[l->group[j]] += j == k ? 0.0 : l->lambda[j];
    for (int g = 0; g < l->n_groups; g++)
        if (g != own && (best < 0 || sum[g] > sum[best]))
            best = g;
    if (best >= 0 && sum[best] > sum[own])
        below = ugt_line_integral(l, ((log(sum[best] - sum[own]) - l->theta[k]) / to->axis[0] - begin) / to->step, to->n_nodes);
    first[l->output[own]] += total - below;
    if (best >= 0)
        first[l->output[best]] += below;
    if (mean == NULL)
        return;
    ugt_line_moments(l, sum[own], moment);
    for (int g = 0; g < l->n_groups; g++) {
        mean[l->output[g]] += g == own ? moment[2] : sum[g] * moment[0];
        square[l->output[g]] += g == own ? moment[3] : sum[g] * sum[g] * moment[1];
    }
}
