/* Posterior probabilities and moments of cases under Plackett-Luce: each case is read, integrated, and normalised. */
#include "cubature.h"

#define STEP_PER_WIDTH 0.8 /* step in log s, times sqrt(C): with 1.3 errors are 1e-6 at C = 10 to 40 */
#define LONGEST_STEP 0.4
#define BELOW 26.0         /* -log of the probability that all lambda are below the first s */
#define LEAST_Q 0.0005 /* raised by 1, it leaves a pole in the integrand */
#define NO_EXPONENT 1e-11  /* of a set, below which it is rounding */
#define FIRST_THREE 2 /* dimensions, up to which the first level has three nodes */

static void forget(ugt_cubature *w)
{
    for (int64_t i = 0; i < w->n_rules; i++)
        free(w->rule[i].node);
    w->n_rules = 0;
}

typedef struct {
    double wins, n;
    uint64_t set;
} dimension;

static int compare_dimensions(const void *a, const void *b)
{
    const dimension *x = a, *y = b;
    if (x->wins != y->wins)
        return x->wins < y->wins ? 1 : -1;
    return (x->set > y->set) - (x->set < y->set);
}

/* Returns the exponent of a set of classes in a term; 0 if it makes no dimension. */
static double exponent_of(const ugt_cubature *w, int64_t term, int64_t s)
{
    const double n = w->chains.base[s] + w->chains.copies[term * w->chains.n_sets + s];
    return w->chains.set[s] == 0 || n < NO_EXPONENT ? 0.0 : n;
}

/* Returns the number of dimensions of a term. */
static int dimensions_of(const ugt_cubature *w, int64_t term)
{
    int n = 0;
    for (int64_t s = 0; s < w->chains.n_sets; s++)
        n += exponent_of(w, term, s) != 0.0;
    return n;
}

/* Makes the component of a term; returns the log of its factor, or NaN if it has too many dimensions. */
static double open_component(const ugt_cubature *w, int64_t term, ugt_component *one)
{
    dimension sets[UGT_MOST_DIMENSIONS];
    double behind = w->n0, factor = log(w->chains.coefficient[term]);
    memset(one, 0, sizeof *one);
    if (dimensions_of(w, term) > UGT_MOST_DIMENSIONS)
        return NAN;
    for (int64_t s = 0; s < w->chains.n_sets; s++) {
        const double n = exponent_of(w, term, s);
        if (n == 0.0)
            continue;
        sets[one->n_dims].n = n;
        sets[one->n_dims].set = w->chains.set[s];
        sets[one->n_dims].wins = 0.0;
        for (int64_t k = 0; k < w->m; k++)
            sets[one->n_dims].wins += w->chains.set[s] >> k & 1u ? w->wins[k] : 0.0;
        one->n_dims++;
    }
    qsort(sets, (size_t)one->n_dims, sizeof sets[0], compare_dimensions);
    for (int64_t k = 0; k < w->m; k++)
        one->last[k] = -1;
    for (int d = one->n_dims - 1; d >= 0; d--) {
        const double exact = behind - sets[d].wins;
        one->set[d] = sets[d].set;
        one->p[d] = sets[d].n;
        one->extra[d] = exact >= LEAST_Q ? 0 : ceil(LEAST_Q - exact);
        one->q[d] = exact + one->extra[d];
        factor += ugt_log_gamma(one->q[d]) - ugt_log_gamma(one->p[d] + one->q[d]); /* the rest is the same in all terms */
        behind += sets[d].n;
        for (int64_t k = 0; k < w->m; k++)
            if (one->last[k] < 0 && sets[d].set >> k & 1u)
                one->last[k] = d;
    }
    one->first_level = one->n_dims <= FIRST_THREE ? 1 : 0;
    one->factor = factor;
    return factor;
}

/* Fills the laws at rate 1, of the mentioned classes and of the largest of all others. */
static void fill_still(ugt_cubature *w)
{
    const int64_t m = w->m, n_s = w->n_s;
    for (int64_t k = 0; k < m; k++) {
        ugt_law_reader in;
        ugt_law_read(w, k, 0.0, &in);
        ugt_law_write(&in, 0, n_s, w->still + k * n_s, w->still_f + k * n_s);
        w->still_end[k] = in.end;
    }
    w->still_end[m] = 0;
    if (!w->has_rest) {
        for (int64_t i = 0; i < n_s; i++) {
            w->still[m * n_s + i] = 1.0;
            w->still_f[m * n_s + i] = 0.0;
        }
        return;
    }
    const int lump = w->options->rest == UGT_REST_LUMP;
    const double shape_of_one = lump ? w->rest_shape : w->options->shape, of = lump ? 1.0 : w->rest_count;
    double *p = w->still + m * n_s, *f = w->still_f + m * n_s;
    ugt_shape shape;
    ugt_shape_set(&shape, shape_of_one);
    for (int64_t i = 0; i < n_s; i++) {
        p[i] = 1.0;
        f[i] = 0.0;
        if (i > w->still_end[m])
            continue;
        const double s = w->first + (double)i * w->step + (lump ? log(w->rest_count) : 0.0);
        ugt_cell cell;
        ugt_gamma_cell(&shape, s, exp(s), &cell);
        const double log_lower = cell.upper < 0.5 ? log1p(-cell.upper) : log(cell.lower);
        p[i] = exp(of * log_lower);
        f[i] = of * cell.density * exp((of - 1.0) * log_lower);
        if (of * cell.upper > 1e-18)
            w->still_end[m] = i + 1;
    }
}

/* Returns the log probability that the lambdas of all mentioned classes are below e^s at rates 1. */
static double log_all_below(const ugt_cubature *w, double s)
{
    double sum = 0.0;
    for (int64_t k = 0; k < w->m; k++) {
        ugt_shape shape;
        ugt_cell cell;
        ugt_shape_set(&shape, w->wins[k]);
        ugt_gamma_cell(&shape, s, exp(s), &cell);
        sum += log(cell.lower);
    }
    return sum;
}

/* Reads the case: shapes, tables, memory. *possible: whether it can be integrated. */
static int open_case(ugt_cubature *w, const ugt_stages *stages, int64_t i, int *possible)
{
    const double shape = w->options->shape;
    w->m = stages->class_offsets[i + 1] - stages->class_offsets[i];
    w->width = 3 * (w->m + 1);
    *possible = 0;
    if (w->m == 0)
        return UGT_OK;
    int status = ugt_chains_of_case(stages, i, w->options->reliability, w->options->most_terms, &w->chains, w->wins);
    if (status != UGT_OK || w->chains.n_terms == 0)
        return status;
    w->rest_count = (double)(stages->n_classes - w->m);
    w->has_rest = w->options->rest != UGT_REST_IGNORE && w->rest_count > 0.0;
    w->rest_shape = !w->has_rest ? 0.0 : w->options->rest == UGT_REST_LUMP ? shape : w->rest_count * shape;
    w->wins_total = w->rest_shape;
    w->n0 = w->rest_shape + (double)w->m * shape;
    double above = 0.0;
    for (int64_t k = 0; k < w->m; k++) {
        w->wins[k] += shape;
        w->wins_total += w->wins[k];
        above = fmax(above, w->wins[k] + sqrt(50.0 * w->wins[k]) + 25.0);
    }
    for (int64_t s = 0; s < w->chains.n_sets; s++)
        if (w->chains.set[s] == 0)
            w->n0 += w->chains.base[s];
    const double longest = fmin(LONGEST_STEP, STEP_PER_WIDTH / sqrt(w->wins_total));
    const int64_t steps = (int64_t)floor(UGT_PER_UNIT * longest);
    if (steps < 1) /* so large a shape would need nodes between those of the tables */
        return UGT_OK;
    w->first = log(w->wins_total);
    double reach = 0.5;
    while (log_all_below(w, w->first) > -BELOW && w->first > -600.0) {
        w->first -= reach;
        reach *= 1.3;
    }
    if (w->first <= -600.0)
        return UGT_OK;
    double low = w->first, high = w->first + reach;
    while (high - low > 0.05) {
        const double middle = 0.5 * (low + high);
        if (log_all_below(w, middle) > -BELOW)
            high = middle;
        else
            low = middle;
    }
    w->first = low;
    w->step = (double)steps / UGT_PER_UNIT;
    w->n_s = (int64_t)ceil((log(above) + UGT_LONGEST_LOG - w->first) / w->step) + 2;
    int64_t table[UGT_MOST_MENTIONED], doubles = 0;
    for (int64_t k = 0; k < w->m; k++) {
        status = ugt_law_table(w, w->wins[k], w->first - UGT_LONGEST_LOG, &table[k]);
        if (status != UGT_OK)
            return status;
        const ugt_gamma_table *t = &w->table[table[k]];
        const int64_t stride = steps * t->per_step;
        doubles += 3 * (stride + 1) * (t->n / stride + 2);
    }
    status = ugt_make_room(&w->laws, &w->laws_room, doubles, sizeof *w->laws);
    if (status != UGT_OK)
        return status;
    double *to = w->laws;
    for (int64_t k = 0; k < w->m; k++) {
        int64_t same = 0;
        while (same < k && table[same] != table[k])
            same++;
        if (same < k) {
            w->law[k] = w->law[same];
            continue;
        }
        ugt_law_stride(&w->table[table[k]], steps, &w->law[k], to);
        to += 3 * w->law[k].rows * w->law[k].row;
    }
    *possible = 1;
    return UGT_OK;
}

/* Makes all components and the memory of the sums. */
static int open_components(ugt_cubature *w, int *possible)
{
    int status = ugt_make_room(&w->component, &w->component_room, w->chains.n_terms, sizeof *w->component);
    if (status != UGT_OK)
        return status;
    double most = -INFINITY;
    w->n_dims = 0;
    w->n_components = w->chains.n_terms;
    for (int64_t t = 0; t < w->n_components; t++) {
        const double factor = open_component(w, t, &w->component[t]);
        if (isnan(factor)) {
            w->n_dims = dimensions_of(w, t);
            *possible = 0;
            return UGT_OK;
        }
        most = fmax(most, factor);
        w->n_dims = w->component[t].n_dims > w->n_dims ? w->component[t].n_dims : w->n_dims;
    }
    for (int64_t t = 0; t < w->n_components; t++)
        w->component[t].factor = exp(w->component[t].factor - most);
    const int64_t m = w->m, n_s = w->n_s, dims = w->n_dims;
    const int64_t doubles = 2 * (m + 1) * n_s + (2 * m + 2) * n_s + (dims + 1) * (m + 1) * n_s + dims * (n_s + 1);
    status = ugt_make_room(&w->room, &w->room_room, doubles, sizeof *w->room);
    if (status != UGT_OK)
        return status;
    w->still = w->room;
    w->still_f = w->still + (m + 1) * n_s;
    w->own = w->still_f + (m + 1) * n_s;
    w->sums = w->own + (2 * m + 2) * n_s;
    w->tails = w->sums + (dims + 1) * (m + 1) * n_s;
    w->summed = NULL;
    for (int64_t j = 0; j < dims * (UGT_MOST_MENTIONED + 1); j++)
        w->used[j] = n_s;
    fill_still(w);
    return UGT_OK;
}

/* Divides by the totals: probabilities, means, and variances. Returns whether there are any: sums of extreme shapes may vanish. */
static int write_values(const ugt_cubature *w, const int64_t *image, double *sum, double *out)
{
    const int64_t n = w->m + 1;
    const double total = ugt_total_of(sum, n), mean = ugt_total_of(sum + n, n), squares = ugt_total_of(sum + 2 * n, n);
    if (!(total > 0.0 && mean > 0.0 && total < INFINITY && mean < INFINITY && squares < INFINITY))
        return 0;
    for (int64_t part = 0; part < 3; part++)
        ugt_share_evenly(image, w->m, sum + part * n);
    for (int64_t k = 0; k < n; k++) {
        out[k] = sum[k] / total;
        out[n + k] = sum[n + k] / mean;
        out[2 * n + k] = fmax(sum[2 * n + k] / mean - out[n + k] * out[n + k], 0.0);
    }
    return 1;
}

static int one_case(ugt_cubature *w, const ugt_stages *stages, int64_t i, const volatile int32_t *stop, double *out, double *error, int64_t *info)
{
    double sum[3 * (UGT_MOST_MENTIONED + 1)];
    int64_t image[UGT_MOST_MENTIONED];
    int possible;
    forget(w);
    w->n_dims = w->leaves = 0;
    int status = open_case(w, stages, i, &possible);
    for (int64_t j = 0; j < w->width; j++)
        out[j] = NAN;
    *error = NAN;
    info[0] = info[1] = info[2] = 0;
    if (status == UGT_OK && possible)
        status = open_components(w, &possible);
    if (status != UGT_OK || w->m == 0)
        return status;
    info[0] = w->n_dims;
    info[1] = possible ? w->chains.n_terms : 0;
    if (!possible || w->n_dims > w->options->most_dimensions)
        return UGT_OK;
    ugt_exchangeable(stages, i, image);
    status = ugt_adaptive_rule(w, stop, sum, error);
    info[2] = w->leaves;
    if (status == UGT_OK && write_values(w, image, sum, out)) {
        *error += UGT_CUBATURE_FLOOR;
        return UGT_OK;
    }
    *error = NAN;
    return status == UGT_ERR_CONVERGENCE ? UGT_OK : status;
}

static void close_cubature(ugt_cubature *w)
{
    for (int64_t t = 0; t < w->n_tables; t++)
        free(w->table[t].law);
    forget(w);
    free(w->table);
    free(w->laws);
    free(w->room);
    free(w->rule);
    free(w->component);
    free(w->tensor);
    free(w->level);
    free(w->value);
    free(w->slot);
    free(w->rule_of);
    ugt_chains_free(&w->chains);
    free(w);
}

int ugt_first_class(const ugt_stages *stages, const ugt_cubature_options *options, const int64_t *row, int64_t n, const volatile int32_t *stop,
                    double *out, double *error, int64_t *info)
{
    ugt_cubature *w = calloc(1, sizeof *w);
    if (w == NULL)
        return UGT_ERR_MEMORY;
    w->options = options;
    int status = UGT_OK;
    for (int64_t i = 0; i < n && status == UGT_OK; i++) {
        status = *stop ? UGT_STOPPED : one_case(w, stages, row[i], stop, out, error + i, info + 3 * i);
        out += w->width;
    }
    close_cubature(w);
    return status;
}
