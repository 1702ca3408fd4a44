/* Groups of classes that compete by the sums of their plausibilities, under Plackett-Luce.
 *
 * Given the rates of cubature.c the plausibilities of classes are independent gamma variables, up to a common factor, and so are the sums over
 * groups, whose laws rays.c computes. All unmentioned classes of a group are one class of rate 1. Groups without mentioned classes that have
 * equally many are alike. */
#include "group_sums.h"
#include "wide.h"

#define UNIT 65536 /* products of a correlation that count as a node: of some cases with many annotations a node has thousands of times as many */

int ugt_groups_open(ugt_groups **groups, const int64_t *group, int64_t n_classes, int64_t n_groups)
{
    ugt_groups *g = calloc(1, sizeof *g);
    *groups = g;
    if (g == NULL)
        return UGT_ERR_MEMORY;
    g->group = group;
    g->n_groups = n_groups;
    g->n_classes = n_classes;
    g->size = malloc(ugt_bytes(n_groups, sizeof *g->size));
    g->unmentioned = malloc(ugt_bytes(n_groups, sizeof *g->unmentioned));
    g->at = malloc(ugt_bytes(n_groups, sizeof *g->at));
    if (g->size == NULL || g->unmentioned == NULL || g->at == NULL)
        return UGT_ERR_MEMORY;
    memset(g->size, 0, (size_t)n_groups * sizeof *g->size);
    for (int64_t k = 0; k < n_classes; k++)
        g->size[group[k]]++;
    return UGT_OK;
}

void ugt_groups_free(ugt_groups *g)
{
    if (g == NULL)
        return;
    ugt_rays_free(&g->rays);
    free(g->size);
    free(g->unmentioned);
    free(g->at);
    free(g->laws);
    free(g->factors);
    free(g->room);
    free(g);
}

int64_t ugt_group_color(const ugt_cubature *w, int64_t k)
{
    return w->groups == NULL ? 0 : w->groups->color[k];
}

/* Finds the groups of the mentioned classes of the case, and those of the others by size. */
void ugt_groups_read(ugt_cubature *w, const int32_t *mentioned)
{
    ugt_groups *g = w->groups;
    const double others = (double)(g->n_classes - w->m), shape = w->options->shape;
    g->in_lump = w->options->rest == UGT_REST_LUMP;
    g->n = g->n_sizes = g->n_resting = 0;
    if (w->m > UGT_MOST_MENTIONED) { /* has no integral */
        w->n_competing = w->m;
        return;
    }
    for (int64_t k = 0; k < w->m; k++)
        g->color[k] = g->group[mentioned[k]];
    for (int64_t j = 0; j < g->n_groups; j++) {
        int64_t left = g->size[j], begin = g->n > 0 ? g->of[g->n - 1].end : 0, end = begin, z = 0;
        for (int64_t k = 0; k < w->m; k++)
            if (g->color[k] == j) {
                g->member[end++] = k;
                left--;
            }
        const double rest = w->options->rest == UGT_REST_IGNORE || left == 0 ? 0.0 : shape * (double)left / (g->in_lump ? others : 1.0);
        g->n_resting += rest > 0.0;
        g->unmentioned[j] = left;
        g->at[j] = -1;
        if (end > begin) {
            ugt_one_group *of = &g->of[g->n];
            g->at[j] = g->n++;
            of->begin = begin;
            of->end = end;
            of->rest = rest;
            of->n_members = (int)(end - begin) + (rest > 0.0);
        } else if (rest > 0.0) {
            while (z < g->n_sizes && g->wins[z] != rest)
                z++;
            if (z == UGT_MOST_MENTIONED + 1) { /* too many */
                w->n_competing = z + 1;
                return;
            }
            if (z == g->n_sizes) {
                g->wins[z] = rest;
                g->times[z] = 0.0;
                g->n_sizes++;
            }
            g->times[z] += 1.0;
            g->at[j] = -2 - z; /* its place is known when all groups with mentioned classes are */
        }
    }
    for (int64_t j = 0; j < g->n_groups; j++)
        g->at[j] = g->at[j] < -1 ? g->n - 2 - g->at[j] : g->at[j];
    w->n_competing = g->n + g->n_sizes;
    w->width = 3 * w->n_competing;
}

/* Sets the laws of the groups without mentioned classes. */
static void fill_still(ugt_cubature *w)
{
    ugt_groups *g = w->groups;
    g->still_end = 0;
    for (int64_t i = 0; i < w->n_s; i++) {
        const double s = w->first + (double)i * w->step;
        double log_all = 0.0, most = 0.0;
        for (int64_t z = 0; z < g->n_sizes; z++) {
            ugt_shape shape;
            ugt_cell cell;
            ugt_shape_set(&shape, g->wins[z]);
            ugt_gamma_cell(&shape, s, exp(s), &cell);
            log_all += g->times[z] * (cell.upper < 0.5 ? log1p(-cell.upper) : log(cell.lower));
            g->still_f[z * w->n_s + i] = cell.lower > 0.0 ? g->times[z] * cell.density / cell.lower : 0.0;
            most = fmax(most, g->times[z] * cell.upper);
        }
        g->still[i] = exp(log_all);
        for (int64_t z = 0; z < g->n_sizes; z++)
            g->still_f[z * w->n_s + i] *= g->still[i];
        if (most > 1e-18)
            g->still_end = i + 1;
    }
}

/* Makes the tables of the case. *possible: whether it can be integrated. */
int ugt_groups_open_case(ugt_cubature *w, int *possible)
{
    ugt_groups *g = w->groups;
    const int64_t steps = (int64_t)floor(UGT_PER_UNIT * w->step + 0.5), n_s = w->n_s;
    int64_t table[3 * UGT_MOST_MENTIONED], law[UGT_MOST_MENTIONED], n_factors = 0, doubles = 0, factors = 0;
    int status = UGT_OK;
    *possible = w->n_competing <= UGT_MOST_MENTIONED + 1 && (!g->in_lump || g->n_resting <= 1); /* groups share a lump: they depend on each other */
    if (!*possible)
        return UGT_OK;
    g->of_component = NULL;
    g->work = 0;
    ugt_rays_open(&g->rays, w->step, w->first, w->wins_total);
    for (int64_t j = 0; j < g->n && status == UGT_OK; j++) {
        ugt_one_group *of = &g->of[j];
        of->shape = of->rest;
        for (int64_t c = of->begin; c < of->end; c++)
            of->shape += w->wins[g->member[c]];
        of->angle = ugt_angle_of(of->shape);
        status = ugt_law_table(w, of->shape, w->first - UGT_LONGEST_LOG, &law[j]);
        if (status != UGT_OK)
            return status;
        const ugt_gamma_table *t = &w->table[law[j]];
        doubles += 3 * (steps * t->per_step + 1) * (t->n / (steps * t->per_step) + 2);
        if (of->n_members == 1)
            continue;
        status = ugt_kernel_make(&g->rays, of->angle);
        for (int64_t c = of->begin; c <= of->end + (of->rest > 0.0) && status == UGT_OK; c++) {
            const double shape = c < of->end ? w->wins[g->member[c]] : c == of->end ? of->shape : of->rest;
            status = ugt_factor_table_make(&g->rays, shape, of->angle, &table[n_factors]);
            factors += status == UGT_OK ? ugt_factor_doubles(&g->rays.table[table[n_factors++]], steps) : 0;
        }
    }
    if (status == UGT_OK)
        status = ugt_make_room(&g->laws, &g->laws_room, doubles, sizeof *g->laws);
    if (status == UGT_OK)
        status = ugt_make_room(&g->factors, &g->factors_room, factors, sizeof *g->factors);
    if (status == UGT_OK)
        status = ugt_make_room(&g->room, &g->room_room, (3 * g->n + g->n_sizes + 3) * n_s + 4 * g->rays.n_rho, sizeof *g->room);
    if (status != UGT_OK)
        return status;
    double *to = g->laws, *to_factor = g->factors;
    n_factors = 0;
    for (int64_t j = 0; j < g->n; j++) {
        ugt_one_group *of = &g->of[j];
        ugt_law_stride(&w->table[law[j]], steps, &of->law, to);
        to += 3 * of->law.rows * of->law.row;
        for (int64_t c = of->begin; c <= of->end + (of->rest > 0.0) && of->n_members > 1; c++) {
            const ugt_factor_table *t = &g->rays.table[table[n_factors++]];
            ugt_factor_stride(t, steps, c < of->end ? &g->factor[g->member[c]] : c == of->end ? &of->whole : &of->others, to_factor);
            to_factor += ugt_factor_doubles(t, steps);
        }
    }
    g->law = g->room;
    g->density = g->law + g->n * n_s;
    g->ahead = g->density + g->n * n_s;
    g->still = g->ahead + (g->n + 1) * n_s;
    g->still_f = g->still + n_s;
    g->behind = g->still_f + g->n_sizes * n_s;
    g->re = g->behind + n_s;
    g->im = g->re + g->rays.n_rho;
    g->of_mean = g->im + g->rays.n_rho;
    fill_still(w);
    return UGT_OK;
}

/* Sum of x * y over nodes [begin, end), in four lanes. */
UGT_WIDE static double sum_of_products(const double *restrict x, const double *restrict y, int64_t begin, int64_t end)
{
    double lane[4] = {0.0};
    int64_t i = begin;
    for (; i + 4 <= end; i += 4)
        for (int j = 0; j < 4; j++)
            lane[j] += x[i + j] * y[i + j];
    for (; i < end; i++)
        lane[0] += x[i] * y[i];
    return (lane[0] + lane[1]) + (lane[2] + lane[3]);
}

/* Computes the law of a group at the rates of its classes. */
static void sum_law(ugt_cubature *w, ugt_one_group *of, double *law, double *density)
{
    ugt_groups *g = w->groups;
    ugt_law_reader in;
    of->mean = of->square = of->rest;
    of->first = of->last = 0;
    for (int64_t c = of->begin; c < of->end; c++) {
        const int64_t k = g->member[c];
        of->mean += w->wins[k] * g->inverse[k];
        of->square += w->wins[k] * g->inverse[k] * g->inverse[k];
        ugt_table_read(w, &w->law[k], g->log_r[k], &in);
        of->first = in.begin > of->first ? in.begin : of->first;
        of->last = in.end > of->last ? in.end : of->last;
    }
    const double log_rate = ugt_clamp(log(of->shape / of->mean), -UGT_LONGEST_LOG, 0.0);
    ugt_table_read(w, &of->law, log_rate, &in);
    of->last = in.end > of->last ? in.end : of->last;
    if (of->n_members > 1) { /* the sum is below s if each member is below its share of s */
        of->last += (int64_t)ceil(log((double)of->n_members) / w->step);
        of->last = of->last < w->n_s ? of->last : w->n_s;
    }
    ugt_law_write(&in, of->first, of->last, law, density);
    if (of->n_members == 1)
        return;
    int64_t low, high;
    double *re = g->of_mean, *im = re + g->rays.n_rho;
    ugt_ray_nodes(&g->rays, of->angle, of->mean, of->first, &low, &high);
    ugt_factor_multiply(&g->rays, &of->whole, log_rate, low, high, 1, re, im);
    for (int64_t c = of->begin; c < of->end; c++)
        ugt_factor_multiply(&g->rays, &g->factor[g->member[c]], g->log_r[g->member[c]], low, high, c == of->begin, g->re, g->im);
    if (of->rest > 0.0)
        ugt_factor_multiply(&g->rays, &of->others, 0.0, low, high, 0, g->re, g->im);
    for (int64_t k = low; k < high; k++) {
        g->re[k] -= re[k];
        g->im[k] -= im[k];
    }
    ugt_ray_trim(g->re, g->im, &low, &high);
    g->work += (high - low) * (of->last - of->first);
    ugt_ray_add(&g->rays, of->angle, g->re, g->im, low, high, of->first, of->last, law, density);
}

/* Computes the laws of the groups whose rates are known with dimension d. */
static void laws_of(ugt_cubature *w, int d)
{
    ugt_groups *g = w->groups;
    for (int64_t j = 0; j < g->n; j++)
        if (g->of[j].complete == d)
            sum_law(w, &g->of[j], g->law + j * w->n_s, g->density + j * w->n_s);
}

/* Adds weight * P(group is first), and the moments, at one point. */
static void add_point(ugt_cubature *w, double weight, double v0, double *out)
{
    ugt_groups *g = w->groups;
    const int64_t n_s = w->n_s, n = g->n, all = w->n_competing;
    int64_t begin = 0, end = g->still_end;
    for (int64_t j = 0; j < n; j++) {
        begin = g->of[j].first > begin ? g->of[j].first : begin;
        end = g->of[j].last > end ? g->of[j].last : end;
    }
    begin = begin < end ? begin : end;
    for (int64_t i = begin; i < end; i++)
        g->ahead[i] = weight * w->step;
    for (int64_t j = 0; j < n; j++) {
        const double *law = g->law + j * n_s, *from = g->ahead + j * n_s;
        double *to = g->ahead + (j + 1) * n_s;
        const int64_t first = g->of[j].last > begin ? g->of[j].last : begin;
        for (int64_t i = begin; i < first; i++)
            to[i] = from[i] * law[i];
        for (int64_t i = first; i < end; i++)
            to[i] = from[i];
    }
    for (int64_t z = 0; z < g->n_sizes; z++)
        out[n + z] += sum_of_products(g->ahead + n * n_s, g->still_f + z * n_s, begin, end);
    double *behind = g->behind;
    for (int64_t i = begin; i < end; i++)
        behind[i] = g->still[i];
    for (int64_t j = n - 1; j >= 0; j--) {
        const double *law = g->law + j * n_s, *density = g->density + j * n_s, *ahead = g->ahead + j * n_s;
        double sum = 0.0;
        for (int64_t i = begin; i < g->of[j].last; i++) {
            sum += ahead[i] * behind[i] * density[i];
            behind[i] *= law[i];
        }
        out[j] += sum;
    }
    const double once = weight * v0 / w->n0, twice = once * v0 / (w->n0 + 1.0);
    for (int64_t j = 0; j < all; j++) {
        const int64_t z = j - n;
        const double mean = j < n ? g->of[j].mean : g->wins[z], square = j < n ? g->of[j].square : g->wins[z], times = j < n ? 1.0 : g->times[z];
        out[all + j] += once * times * mean;
        out[2 * all + j] += twice * times * (mean * mean + square);
    }
}

/* Prepares a component: which dimension completes each group. Classes of no dimension have rate 1. */
static void open_component(ugt_cubature *w, const ugt_component *one)
{
    ugt_groups *g = w->groups;
    for (int64_t k = 0; k < w->m; k++)
        if (one->last[k] < 0) {
            g->inverse[k] = 1.0;
            g->log_r[k] = 0.0;
        }
    for (int64_t j = 0; j < g->n; j++) {
        g->of[j].complete = -1;
        for (int64_t c = g->of[j].begin; c < g->of[j].end; c++)
            g->of[j].complete = one->last[g->member[c]] > g->of[j].complete ? one->last[g->member[c]] : g->of[j].complete;
    }
    laws_of(w, -1);
    g->of_component = one;
}

static void count_node(ugt_cubature *w)
{
    ugt_groups *g = w->groups;
    w->leaves += 1 + g->work / UNIT;
    g->work %= UNIT;
}

/* Adds the nodes of dimension d and later ones. */
static void descend(ugt_cubature *w, const ugt_component *one, int d, const ugt_axis *axes, double weight, double *out)
{
    ugt_groups *g = w->groups;
    if (d == one->n_dims) {
        add_point(w, weight, w->stick[d], out);
        count_node(w);
        return;
    }
    for (int i = 0; i < axes[d].n && w->leaves <= w->options->most_leaves; i++) { /* beyond them the case is given up */
        double log_weight = 0.0;
        w->v[d] = axes[d].node[i] * w->stick[d];
        w->stick[d + 1] = axes[d].rest[i] * w->stick[d];
        w->log_rest[d] = axes[d].log_rest[i];
        for (int64_t k = 0; k < w->m; k++)
            if (one->last[k] == d)
                g->log_r[k] = ugt_rate_of(w, one, d, k, &g->inverse[k], &log_weight);
        laws_of(w, d);
        descend(w, one, d + 1, axes, weight * axes[d].weight[i] * exp(log_weight), out);
    }
}

/* out [width]: of one tensor of nodes, as ugt_integrate_tensor. */
void ugt_groups_tensor(ugt_cubature *w, const ugt_component *one, const ugt_axis *axes, double *out)
{
    if (w->groups->of_component != one)
        open_component(w, one);
    memset(out, 0, (size_t)w->width * sizeof *out);
    w->stick[0] = 1.0;
    descend(w, one, 0, axes, one->factor, out);
}

/* The same for one point, as ugt_integrate_point. */
void ugt_groups_point(ugt_cubature *w, const ugt_component *one, const double *r, double v0, double weight, double *out)
{
    ugt_groups *g = w->groups;
    if (g->of_component != one)
        open_component(w, one);
    memset(out, 0, (size_t)w->width * sizeof *out);
    if (w->leaves > w->options->most_points) /* the lattice is given up */
        return;
    for (int64_t k = 0; k < w->m; k++)
        if (one->last[k] >= 0) {
            g->inverse[k] = 1.0 / r[k];
            g->log_r[k] = ugt_clamp(log(r[k]), -UGT_LONGEST_LOG, 0.0);
        }
    for (int d = 0; d < one->n_dims; d++)
        laws_of(w, d);
    add_point(w, weight, v0, out);
    count_node(w);
}

/* out [3 * n_groups]: probabilities, means and variances; NaN without sums. Returns whether there are any. */
int ugt_write_groups(const ugt_cubature *w, const double *sum, double *out)
{
    const ugt_groups *g = w->groups;
    const int64_t n = w->n_competing;
    for (int64_t j = 0; j < 3 * g->n_groups; j++)
        out[j] = NAN;
    if (sum == NULL)
        return 0;
    const double total = ugt_total_of(sum, n), mean = ugt_total_of(sum + n, n), squares = ugt_total_of(sum + 2 * n, n);
    if (!(total > 0.0 && mean > 0.0 && total < INFINITY && mean < INFINITY && squares < INFINITY))
        return 0;
    for (int64_t j = 0; j < g->n_groups; j++) {
        const int64_t at = g->at[j];
        const double times = at < g->n ? 1.0 : g->times[at - g->n], own = at < 0 ? 0.0 : sum[n + at] / mean / times;
        out[j] = at < 0 ? 0.0 : sum[at] / total / times;
        out[g->n_groups + j] = own;
        out[2 * g->n_groups + j] = at < 0 ? 0.0 : fmax(sum[2 * n + at] / mean / times - own * own, 0.0);
    }
    return 1;
}
