/* Probabilities that a class is the most plausible one, and moments of plausibilities, under Plackett-Luce: integrals, not draws.
 *
 * With one gamma variable for each distinct set U of classes that are gone before a stage, and the scale integrated out,
 *     v ~ Dirichlet(N0; n_U ...), r_j = 1 - sum over U with j of v_U, given v: lambda_j ~ Gamma(c_j, rate r_j), independent,
 * and a case is an expectation over v with weight prod r_j^(-c_j): P(j is first) = E[w P(j is first | r)] / E[w], and for the moments
 * E p_j = c_j / N0 E[w v_0 / r_j] / E[w]. N0 is the exponent of the set of all classes plus the prior's total shape.
 *
 * v is broken off a stick, v_d = b_d prod_{e<d} (1 - b_e), with b_d ~ Beta(n_d, B_d), in descending order of the wins of the sets. Nodes of b_d
 * are those of Beta(n_d, q_d), q_d = B_d - (wins of U_d) + a whole number, which is exact if sets are nested. The sum behind a tied pair that
 * counts a number of times that is not whole has a variable, too, of which each class of the pair has half. A class belongs to
 * the last set that contains it: its rate is known as soon as this set's b is. So sums over later nodes are computed first, as functions of
 * the maximum s of all lambda, and multiplied by the law of the classes of earlier sets afterwards. The integral over log s is the
 * trapezoid rule, with laws of gamma variables from tables with cubic Hermite interpolation.
 *
 * adaptive.c and lattice.c choose the nodes. */
#include "cubature.h"
#include "wide.h"

/* Returns the log of the rate of a class of dimension d, and its inverse, and adds to the log of the weight. */
static double rate_of(const ugt_cubature *w, const ugt_component *one, int d, int64_t k, double *inverse, double *log_weight)
{
    double r = w->stick[d + 1], sum = 0.0;
    for (int e = 0; e <= d; e++) {
        sum += (double)(one->set[e] >> k & 1u) * w->log_rest[e];
        r += ugt_share(one, e, k) * w->v[e];
    }
    const double log_r = ugt_clamp(log(r), -UGT_LONGEST_LOG, 0.0);
    *inverse = 1.0 / r;
    *log_weight += w->wins[k] * (sum - log_r);
    return log_r;
}

/* to += x * y on nodes [begin, end) */
UGT_WIDE static void add_product(const double *restrict x, const double *restrict y, int64_t begin, int64_t end, double *restrict to)
{
    for (int64_t i = begin; i < end; i++)
        to[i] += x[i] * y[i];
}

UGT_WIDE static void multiply_by(const double *restrict x, int64_t begin, int64_t end, double *restrict to)
{
    for (int64_t i = begin; i < end; i++)
        to[i] *= x[i];
}

/* Adds weight * (product of the laws of the classes of dimension d) * (sums of later dimensions) to the sums of dimension d. */
UGT_WIDE static void combine(ugt_cubature *w, const ugt_component *one, int d, const ugt_law_reader *in, const int *k, int n, double weight)
{
    const int64_t n_s = w->n_s, m = w->m, later_end = d + 1 < one->n_dims ? w->end[d + 1] : 0;
    double *sum = w->sums + d * (m + 1) * n_s, *later = d + 1 < one->n_dims ? sum + (m + 1) * n_s : NULL;
    const double tail = later == NULL ? 1.0 : w->tail[d + 1];
    int64_t begin = 0, end = later_end;
    for (int j = 0; j < n; j++) {
        begin = in[j].begin > begin ? in[j].begin : begin;
        end = in[j].end > end ? in[j].end : end;
    }
    begin = begin > end ? end : begin;
    w->tails[d * (n_s + 1) + end] += weight * tail;
    w->end[d] = end > w->end[d] ? end : w->end[d];
    if (later == NULL && n == 1) {
        ugt_law_add(in, weight, sum, sum + (k[0] + 1) * n_s);
        return;
    }
    double *law = w->own, *product = w->own + 2 * m * n_s, *x = product + n_s;
    if (later != NULL) { /* later sums are constant beyond their end */
        for (int64_t i = later_end; i < end; i++)
            later[i] = tail;
        w->used[d + 1] = end > w->used[d + 1] ? end : w->used[d + 1];
    }
    for (int j = 0; j < n; j++)
        ugt_law_write(&in[j], begin, end, law + 2 * j * n_s, law + (2 * j + 1) * n_s);
    for (int j = 0; j < n; j++) { /* the density of class j times the laws of the others */
        const int64_t stop = in[j].end < end ? in[j].end : end;
        for (int64_t i = begin; i < stop; i++)
            x[i] = weight * law[(2 * j + 1) * n_s + i];
        for (int l = 0; l < n; l++)
            if (l != j)
                multiply_by(law + 2 * l * n_s, begin, stop, x);
        if (later != NULL)
            multiply_by(later, begin, stop, x);
        double *own = sum + (k[j] + 1) * n_s;
        for (int64_t i = begin; i < stop; i++)
            own[i] += x[i];
    }
    for (int64_t i = begin; i < end; i++)
        product[i] = weight;
    for (int j = 0; j < n; j++)
        multiply_by(law + 2 * j * n_s, begin, end, product);
    if (later == NULL) {
        for (int64_t i = begin; i < end; i++)
            sum[i] += product[i];
        return;
    }
    add_product(product, later, begin, end, sum);
    for (int64_t j = w->by_last_at[d + 1]; j < m; j++)
        add_product(product, later + (w->by_last[j] + 1) * n_s, begin, later_end, sum + (w->by_last[j] + 1) * n_s);
}

/* Sums over the nodes of dimension d and later ones. moment: E w, E w v_0, E w v_0^2, then E w v_0 / r_k and E w v_0^2 / r_k^2 of each class
 * of these dimensions, with the part of v_0 that these dimensions leave. */
static void descend(ugt_cubature *w, const ugt_component *one, int d, const ugt_axis *axes)
{
    const int64_t n_s = w->n_s, m = w->m;
    double *sum = w->sums + d * (m + 1) * n_s, *tails = w->tails + d * (n_s + 1), *moment = w->moment[d], inverse[UGT_MOST_MENTIONED];
    ugt_law_reader in[UGT_MOST_MENTIONED];
    const int *k = w->by_last + w->by_last_at[d], n = w->by_last_at[d + 1] - w->by_last_at[d], n_all = (int)m - w->by_last_at[d];
    const size_t used = (size_t)w->used[d] * sizeof *sum;
    memset(sum, 0, used);
    memset(tails, 0, used + sizeof *tails);
    moment[0] = moment[1] = moment[2] = 0.0;
    w->end[d] = w->used[d] = 0;
    for (int j = 0; j < n_all; j++) {
        memset(sum + (k[j] + 1) * n_s, 0, used);
        moment[3 + 2 * k[j]] = moment[4 + 2 * k[j]] = 0.0;
    }
    for (int i = 0; i < axes[d].n; i++) {
        const double b = axes[d].node[i], rest = axes[d].rest[i];
        double log_weight = 0.0;
        w->v[d] = b * w->stick[d];
        w->stick[d + 1] = rest * w->stick[d];
        w->log_rest[d] = axes[d].log_rest[i];
        for (int j = 0; j < n; j++) {
            ugt_law_read(w, k[j], rate_of(w, one, d, k[j], &inverse[j], &log_weight), &in[j]);
        }
        const double weight = axes[d].weight[i] * exp(log_weight);
        double *later = w->moment[d + 1];
        if (d + 1 < one->n_dims)
            descend(w, one, d + 1, axes);
        combine(w, one, d, in, k, n, weight);
        const double once = weight * rest, twice = once * rest;
        moment[0] += weight * later[0];
        moment[1] += once * later[1];
        moment[2] += twice * later[2];
        for (int j = 0; j < n; j++) {
            moment[3 + 2 * k[j]] += once * later[1] * inverse[j];
            moment[4 + 2 * k[j]] += twice * later[2] * inverse[j] * inverse[j];
        }
        for (int j = n; j < n_all; j++) {
            moment[3 + 2 * k[j]] += once * later[3 + 2 * k[j]];
            moment[4 + 2 * k[j]] += twice * later[4 + 2 * k[j]];
        }
    }
    double total = 0.0;
    for (int64_t i = 0; i < w->end[d]; i++) {
        total += tails[i];
        sum[i] += total;
    }
    w->tail[d] = total + tails[w->end[d]];
    w->used[d] = w->end[d];
}

static void write_moments(const ugt_cubature *w, int64_t k, double first, double second, double *out)
{
    const double c = k < w->m ? w->wins[k] : w->rest_shape;
    out[w->m + 1 + k] = c / w->n0 * first;
    out[2 * (w->m + 1) + k] = c * (c + 1.0) / (w->n0 * (w->n0 + 1.0)) * second;
}

/* Prepares sums of a component: the order of its classes by their last sets, those of none first. */
static void open_sums(ugt_cubature *w, const ugt_component *one)
{
    int n = 0;
    for (int d = -1; d < one->n_dims; d++) {
        if (d >= 0) {
            w->by_last_at[d] = n;
            w->used[d] = w->n_s;
        }
        for (int k = 0; k < w->m; k++)
            if (one->last[k] == d)
                w->by_last[n++] = k;
    }
    w->by_last_at[one->n_dims] = n;
    w->summed = one;
}

/* out [width]: E w P(k is first), of the mentioned classes and of all others together; then the first and second moments likewise. */
UGT_WIDE void ugt_integrate_tensor(ugt_cubature *w, const ugt_component *one, const ugt_axis *axes, double *out)
{
    const int64_t n_s = w->n_s, m = w->m;
    int64_t end = 0, fixed[UGT_MOST_MENTIONED + 1], n_fixed = 0;
    double *product = w->own + 2 * m * n_s, *x = product + n_s;
    w->stick[0] = 1.0;
    w->moment[one->n_dims][0] = w->moment[one->n_dims][1] = w->moment[one->n_dims][2] = 1.0;
    int64_t leaves = 1;
    for (int d = 0; d < one->n_dims; d++)
        leaves *= axes[d].n;
    w->leaves += leaves;
    if (w->summed != one)
        open_sums(w, one);
    if (one->n_dims > 0) {
        descend(w, one, 0, axes);
        end = w->end[0];
    } else {
        w->tail[0] = 1.0;
    }
    for (int64_t k = 0; k <= m; k++) {
        if (k < m ? one->last[k] < 0 : w->has_rest) {
            fixed[n_fixed++] = k;
            end = w->still_end[k] > end ? w->still_end[k] : end;
        }
    }
    for (int64_t i = 0; i < end; i++)
        product[i] = 1.0;
    for (int64_t j = 0; j < n_fixed; j++) {
        const double *p = w->still + fixed[j] * n_s;
        for (int64_t i = 0; i < end; i++)
            product[i] *= p[i];
    }
    memset(out, 0, (size_t)w->width * sizeof *out);
    for (int64_t k = 0; k < m; k++) {
        if (one->last[k] < 0)
            continue;
        const double *f = w->sums + (k + 1) * n_s;
        double total = 0.0;
        for (int64_t i = 0; i < w->end[0]; i++)
            total += product[i] * f[i];
        out[k] = total * w->step;
    }
    for (int64_t j = 0; j < n_fixed; j++) {
        const double *f = w->still_f + fixed[j] * n_s;
        for (int64_t i = 0; i < end; i++)
            x[i] = f[i] * (one->n_dims > 0 && i < w->end[0] ? w->sums[i] : w->tail[0]);
        for (int64_t l = 0; l < n_fixed; l++) {
            const double *p = w->still + fixed[l] * n_s;
            for (int64_t i = 0; i < end && l != j; i++)
                x[i] *= p[i];
        }
        double total = 0.0;
        for (int64_t i = 0; i < end; i++)
            total += x[i];
        out[fixed[j]] = total * w->step;
    }
    const double *moment = w->moment[0];
    for (int64_t k = 0; k <= m; k++) {
        const int own = k < m && one->last[k] >= 0;
        write_moments(w, k, moment[own ? 3 + 2 * k : 1], moment[own ? 4 + 2 * k : 2], out);
    }
    for (int64_t j = 0; j < w->width; j++)
        out[j] *= one->factor;
}

/* Sum of x * y * z over nodes [begin, end), in four lanes. */
UGT_WIDE static double sum_of_products(const double *restrict x, const double *restrict y, const double *restrict z, int64_t begin, int64_t end)
{
    double lane[4] = {0.0, 0.0, 0.0, 0.0};
    int64_t i = begin;
    for (; i + 4 <= end; i += 4)
        for (int j = 0; j < 4; j++)
            lane[j] += x[i + j] * y[i + j] * z[i + j];
    for (; i < end; i++)
        lane[0] += x[i] * y[i] * z[i];
    return (lane[0] + lane[1]) + (lane[2] + lane[3]);
}

/* The same for one point, of which nothing is shared with other points: r of each class in a set. */
UGT_WIDE void ugt_integrate_point(ugt_cubature *w, const ugt_component *one, const double *r, double v0, double weight, double *out)
{
    const int64_t n_s = w->n_s, m = w->m, n = m + w->has_rest;
    const double *law[UGT_MOST_MENTIONED + 1], *density[UGT_MOST_MENTIONED + 1];
    int64_t begin = 0, end = 0, stop[UGT_MOST_MENTIONED + 1];
    ugt_law_reader in[UGT_MOST_MENTIONED];
    for (int64_t k = 0; k < n; k++) {
        stop[k] = w->still_end[k];
        if (k < m && one->last[k] >= 0) {
            ugt_law_read(w, k, ugt_clamp(log(r[k]), -UGT_LONGEST_LOG, 0.0), &in[k]);
            stop[k] = in[k].end;
            begin = in[k].begin > begin ? in[k].begin : begin;
        }
        end = stop[k] > end ? stop[k] : end;
    }
    for (int64_t k = 0; k < n; k++) {
        law[k] = w->still + k * n_s;
        density[k] = w->still_f + k * n_s;
        if (k < m && one->last[k] >= 0) {
            law[k] = w->own + 2 * k * n_s;
            density[k] = w->own + (2 * k + 1) * n_s;
            ugt_law_write(&in[k], begin, end, w->own + 2 * k * n_s, w->own + (2 * k + 1) * n_s);
        }
    }
    double *before = w->sums, *after = w->own + 2 * m * n_s; /* products of the laws of earlier and of later classes */
    for (int64_t i = begin; i < end; i++)
        before[i] = after[i] = 1.0;
    for (int64_t k = 1; k < n; k++)
        for (int64_t i = begin; i < end; i++)
            before[k * n_s + i] = before[(k - 1) * n_s + i] * law[k - 1][i];
    memset(out, 0, (size_t)w->width * sizeof *out);
    for (int64_t k = n - 1; k >= 0; k--) {
        out[k] = weight * w->step * sum_of_products(before + k * n_s, after, density[k], begin, stop[k]);
        for (int64_t i = begin; i < end; i++)
            after[i] *= law[k][i];
        const double share = k < m && one->last[k] >= 0 ? v0 / r[k] : v0;
        write_moments(w, k, weight * share, weight * share * share, out);
    }
    w->leaves++;
}
