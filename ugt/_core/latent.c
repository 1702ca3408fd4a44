/* Two latent classes in which tests depend on each other by nodes (Qu, Tan & Kutner 1996, eq. 2; Albert & Dodd 2004, section 2).
 *
 * The tables of a class hold the nodes of one test side by side, so that sums over nodes run over neighbours. */
#include <math.h>

#include "core.h"
#include "em.h"

#define ROOT_HALF 0.70710678118654752440
#define HALF_LOG_TAU 0.91893853320467274178
#define FAR (-30.0)         /* below, erfc comes near its underflow, and four terms of its series have an error below 1e-12 */
#define LEAST_SHARE 1e-12   /* of a mixture: keeps logarithms of weights finite */

typedef struct {
    double *log_weight;              /* [n_nodes] */
    double *up, *down, *rise, *fall; /* [n_tests * n_nodes] log Phi of a probit and of its negative, and their derivatives by it */
    double share;                    /* of a mixture */
} nodes;

static double log_normal(double x)
{
    if (x > 0.0)
        return log1p(-0.5 * erfc(x * ROOT_HALF));
    if (x > FAR)
        return log(0.5 * erfc(-x * ROOT_HALF));
    const double r = 1.0 / (x * x);
    return -0.5 * x * x - log(-x) - HALF_LOG_TAU + log1p(-r * (1.0 - r * (3.0 - r * (15.0 - r * 105.0))));
}

static void fill(const ugt_two_classes *m, const double *x, int c, nodes *t)
{
    const int64_t n_tests = m->n_tests, n = m->n_nodes;
    const double *a = x + m->n_populations + c * n_tests, *extra = x + m->n_populations + 2 * n_tests;
    for (int64_t q = 0; q < n; q++)
        t->log_weight[q] = m->log_weight[q];
    if (m->mixture) {
        t->share = fmin(fmax(1.0 / (1.0 + exp(-extra[c])), LEAST_SHARE), 1.0 - LEAST_SHARE);
        t->log_weight[0] = log(t->share);
        t->log_weight[1] = log1p(-t->share);
    }
    for (int64_t j = 0; j < n_tests; j++) {
        double loading = 0.0;
        for (int64_t e = 0; e < m->n_extra; e++)
            loading += m->of[e * n_tests + j] * extra[e];
        for (int64_t q = 0; q < n; q++) {
            const int64_t at = j * n + q, from = (c * n + q) * n_tests + j;
            const double own = m->own[from], probit = own * (a[j] + loading * m->z[q]) + m->fixed[from];
            const double log_density = -0.5 * probit * probit - HALF_LOG_TAU;
            t->up[at] = log_normal(probit);
            t->down[at] = log_normal(-probit);
            t->rise[at] = own * exp(log_density - t->up[at]);
            t->fall[at] = own * exp(log_density - t->down[at]);
        }
    }
}

static double dot(const double *a, const double *b, int64_t n)
{
    double sum = 0.0;
    for (int64_t i = 0; i < n; i++)
        sum += a[i] * b[i];
    return sum;
}

/* Returns log P(row | class c) and adds its derivatives to score [q], which is 0. share, by_z [n_nodes]: room. */
static double of_class(const ugt_two_classes *m, int c, const nodes *t, int64_t row, double *share, double *by_z, double *score)
{
    const int64_t n_tests = m->n_tests, n = m->n_nodes, first = m->n_populations + c * n_tests, extra = m->n_populations + 2 * n_tests;
    const double *yes = m->yes + row * n_tests, *no = m->no + row * n_tests;
    double top = -INFINITY, total = 0.0;
    for (int64_t q = 0; q < n; q++)
        share[q] = t->log_weight[q];
    for (int64_t j = 0; j < n_tests; j++)
        for (int64_t q = 0; q < n; q++)
            share[q] += yes[j] * t->up[j * n + q] + no[j] * t->down[j * n + q];
    for (int64_t q = 0; q < n; q++)
        top = fmax(top, share[q]);
    for (int64_t q = 0; q < n; q++) {
        share[q] = exp(share[q] - top);
        total += share[q];
    }
    for (int64_t q = 0; q < n; q++) {
        share[q] /= total;
        by_z[q] = share[q] * m->z[q];
    }
    for (int64_t j = 0; j < n_tests; j++) {
        const double *rise = t->rise + j * n, *fall = t->fall + j * n;
        score[first + j] = yes[j] * dot(share, rise, n) - no[j] * dot(share, fall, n);
        if (m->mixture || m->n_extra == 0)
            continue;
        const double moved = yes[j] * dot(by_z, rise, n) - no[j] * dot(by_z, fall, n);
        for (int64_t e = 0; e < m->n_extra; e++)
            score[extra + e] += m->of[e * n_tests + j] * moved;
    }
    if (m->mixture)
        score[extra + c] = share[0] - t->share;
    return top + log(total);
}

typedef struct {
    nodes table[2];
    double *share, *by_z, *score; /* [n_nodes], [n_nodes], [2 * q] */
    double *all;
} room;

static int make_room(const ugt_two_classes *m, room *r)
{
    const int64_t n = m->n_nodes, size = n * m->n_tests, q = ugt_two_classes_parameters(m);
    double *at = r->all = malloc(ugt_bytes(4 * n + 8 * size + 2 * q, sizeof *at));
    if (at == NULL)
        return UGT_ERR_MEMORY;
    for (int c = 0; c < 2; c++) {
        r->table[c] = (nodes){at, at + n, at + n + size, at + n + 2 * size, at + n + 3 * size, 0.0};
        at += n + 4 * size;
    }
    r->share = at;
    r->by_z = at + n;
    r->score = at + 2 * n;
    return UGT_OK;
}

/* Sets joint [2] to the log probabilities of class and row, and score [2 * q] to their derivatives. */
static void of_row(const ugt_two_classes *m, const double *x, room *r, int64_t row, double *joint, double *score)
{
    const int64_t q = ugt_two_classes_parameters(m);
    const double logit = x[m->population[row]];
    memset(score, 0, (size_t)(2 * q) * sizeof *score);
    for (int c = 0; c < 2; c++) {
        const double own = c ? logit : -logit;
        joint[c] = (own > 0.0 ? -log1p(exp(-own)) : own - log1p(exp(own)))
                   + of_class(m, c, &r->table[c], row, r->share, r->by_z, score + c * q);
        score[c * q + m->population[row]] = (c ? 1.0 : -1.0) / (1.0 + exp(own));
    }
}

int64_t ugt_two_classes_parameters(const ugt_two_classes *m)
{
    return m->n_populations + 2 * m->n_tests + m->n_extra;
}

int ugt_two_classes_check(const ugt_two_classes *m)
{
    for (int64_t row = 0; row < m->n_rows; row++)
        if (m->population[row] < 0 || m->population[row] >= m->n_populations)
            return UGT_ERR_RANGE;
    return m->mixture && (m->n_nodes != 2 || m->n_extra != 2) ? UGT_ERR_RANGE : UGT_OK;
}

int ugt_two_classes_joint(const ugt_two_classes *m, const double *x, double *joint, double *scores)
{
    const int64_t q = ugt_two_classes_parameters(m);
    room r;
    if (make_room(m, &r) != UGT_OK)
        return UGT_ERR_MEMORY;
    for (int c = 0; c < 2; c++)
        fill(m, x, c, &r.table[c]);
    for (int64_t row = 0; row < m->n_rows; row++) {
        of_row(m, x, &r, row, joint + 2 * row, r.score);
        for (int c = 0; c < 2; c++)
            memcpy(scores + (c * m->n_rows + row) * q, r.score + c * q, (size_t)q * sizeof *scores);
    }
    free(r.all);
    return UGT_OK;
}

int ugt_two_classes_value(const ugt_two_classes *m, const double *x, double *value, double *gradient)
{
    const int64_t q = ugt_two_classes_parameters(m);
    double joint[2], n = 0.0, sum = 0.0;
    room r;
    if (make_room(m, &r) != UGT_OK)
        return UGT_ERR_MEMORY;
    for (int c = 0; c < 2; c++)
        fill(m, x, c, &r.table[c]);
    memset(gradient, 0, (size_t)q * sizeof *gradient);
    for (int64_t row = 0; row < m->n_rows; row++) {
        of_row(m, x, &r, row, joint, r.score);
        const double top = fmax(joint[0], joint[1]), each = top + log(exp(joint[0] - top) + exp(joint[1] - top));
        n += m->times[row];
        sum -= m->times[row] * each;
        for (int c = 0; c < 2; c++) {
            const double weight = m->times[row] * exp(joint[c] - each);
            for (int64_t i = 0; i < q; i++)
                gradient[i] -= weight * r.score[c * q + i];
        }
    }
    for (int64_t i = m->n_populations; i < q; i++) {
        sum += 0.5 * m->ridge * x[i] * x[i];
        gradient[i] += m->ridge * x[i];
    }
    for (int64_t i = 0; i < q; i++)
        gradient[i] /= n;
    *value = sum / n;
    free(r.all);
    return UGT_OK;
}
