/* Probabilities that a class is the most plausible one, and moments of plausibilities, under Plackett-Luce: integrals, not draws.
 *
 * With one gamma variable for each distinct set U of classes that are gone before a stage, and the scale integrated out,
 *     v ~ Dirichlet(N0; n_U ...), r_j = 1 - sum over U with j of v_U, given v: lambda_j ~ Gamma(c_j, rate r_j), independent,
 * and a case is an expectation over v with weight prod r_j^(-c_j): P(j is first) = E[w P(j is first | r)] / E[w], and for the moments
 * E p_j = c_j / N0 E[w v_0 / r_j] / E[w]. N0 is the exponent of the set of all classes plus the prior's total shape.
 *
 * v is broken off a stick, v_d = b_d prod_{e<d} (1 - b_e), with b_d ~ Beta(n_d, B_d), in descending order of the wins of the sets. Nodes of b_d
 * are those of Beta(n_d, q_d), q_d = B_d - (wins of U_d) + a whole number, which is exact if sets are nested. A class belongs to
 * the last set that contains it: its rate is known as soon as this set's b is. So sums over later nodes are computed first, as functions of
 * the maximum s of all lambda, and multiplied by the law of the classes of earlier sets afterwards. The integral over log s is the
 * trapezoid rule, with laws of gamma variables from tables with cubic Hermite interpolation.
 *
 * adaptive.c chooses the nodes. */
#include "cubature.h"
#include "wide.h"

/* Returns the log of the rate of a class of dimension d, and its inverse, and adds to the log of the weight. */
static double rate_of(const ugt_cubature *w, const ugt_component *one, int d, int64_t k, double *inverse, double *log_weight)
{
    double r = w->stick[d + 1], sum = 0.0;
    for (int e = 0; e <= d; e++) {
        sum += (double)(one->set[e] >> k & 1u) * w->log_rest[e];
        r += (1.0 - (double)(one->set[e] >> k & 1u)) * w->v[e];
    }
    const double exact = log(r), log_r = exact < -UGT_LONGEST_LOG ? -UGT_LONGEST_LOG : exact > 0.0 ? 0.0 : exact;
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

/* The density of a class is multiplied by what is ahead, and what is ahead by its law. */
UGT_WIDE static void go_ahead(const double *restrict law, double *restrict density, double *restrict ahead, int64_t begin, int64_t end)
{
    for (int64_t i = begin; i < end; i++) {
        density[i] *= ahead[i];
        ahead[i] *= law[i];
    }
}

/* The density of a class times what is behind is added to its sum, and what is behind is multiplied by its law. */
UGT_WIDE static void come_back(const double *restrict law, const double *restrict density, double *restrict behind, double *restrict own, int64_t begin,
                               int64_t end)
{
    for (int64_t i = begin; i < end; i++) {
        own[i] += density[i] * behind[i];
        behind[i] *= law[i];
    }
}

/* Adds weight * (product of the laws of the n classes k of group g) * (sums of later groups) to the sums of group g. */
UGT_WIDE static void combine(ugt_cubature *w, int g, const ugt_law_reader *in, const int *k, int n, double weight)
{
    const int is_last = g + 1 == w->n_groups;
    const int64_t n_s = w->n_s, m = w->m, later_end = is_last ? 0 : w->end[g + 1];
    double *sum = w->sums + g * (m + 1) * n_s, *later = is_last ? NULL : sum + (m + 1) * n_s;
    const double tail = is_last ? 1.0 : w->tail[g + 1];
    int64_t begin = 0, end = later_end;
    for (int j = 0; j < n; j++) {
        begin = in[j].begin > begin ? in[j].begin : begin;
        end = in[j].end > end ? in[j].end : end;
    }
    begin = begin > end ? end : begin;
    w->tails[g * (n_s + 1) + end] += weight * tail;
    w->end[g] = end > w->end[g] ? end : w->end[g];
    if (is_last && n == 1) {
        ugt_law_add(in, weight, sum, sum + (k[0] + 1) * n_s);
        return;
    }
    double *law = w->own, *ahead = w->own + 2 * m * n_s, *behind = ahead + n_s;
    if (!is_last) { /* later sums are constant beyond their end */
        for (int64_t i = later_end; i < end; i++)
            later[i] = tail;
        int64_t *used = &w->used[(g + 1) * (UGT_MOST_MENTIONED + 1)];
        *used = end > *used ? end : *used;
    }
    for (int64_t i = begin; i < end; i++) {
        ahead[i] = is_last ? 1.0 : later[i];
        behind[i] = weight;
    }
    for (int j = 0; j < n; j++) {
        double *density = law + (2 * j + 1) * n_s;
        ugt_law_write(&in[j], begin, end, law + 2 * j * n_s, density);
        go_ahead(law + 2 * j * n_s, density, ahead, begin, end);
    }
    for (int64_t i = begin; i < end; i++)
        sum[i] += weight * ahead[i];
    for (int j = n - 1; j >= 0; j--)
        come_back(law + 2 * j * n_s, law + (2 * j + 1) * n_s, behind, sum + (k[j] + 1) * n_s, begin, end);
    for (const int *next = k + n; next < w->by_last + m; next++)
        add_product(behind, later + (*next + 1) * n_s, begin, later_end, sum + (*next + 1) * n_s);
}

/* Sums over the nodes of group g and later ones: a dimension and those of one node behind it. moment: E w, E w v_0, E w v_0^2, then E w v_0 / r_k
 * and E w v_0^2 / r_k^2 of each class of these dimensions, with the part of v_0 that these dimensions leave. */
static void descend(ugt_cubature *w, const ugt_component *one, int g, const ugt_axis *axes)
{
    const int first = w->group[g], next = w->group[g + 1];
    const int64_t n_s = w->n_s, m = w->m;
    double *sum = w->sums + g * (m + 1) * n_s, *tails = w->tails + g * (n_s + 1), *moment = w->moment[g], inverse[UGT_MOST_MENTIONED];
    int64_t *used = w->used + g * (UGT_MOST_MENTIONED + 1);
    ugt_law_reader in[UGT_MOST_MENTIONED];
    const int *k = w->by_last + w->by_last_at[first], n = w->by_last_at[next] - w->by_last_at[first], n_all = (int)m - w->by_last_at[first];
    memset(sum, 0, (size_t)used[0] * sizeof *sum);
    memset(tails, 0, (size_t)(used[0] + 1) * sizeof *tails);
    moment[0] = moment[1] = moment[2] = 0.0;
    w->end[g] = used[0] = 0;
    for (int j = 0; j < n_all; j++) {
        memset(sum + (k[j] + 1) * n_s, 0, (size_t)used[k[j] + 1] * sizeof *sum);
        moment[3 + 2 * k[j]] = moment[4 + 2 * k[j]] = 0.0;
    }
    for (int i = 0; i < axes[first].n; i++) {
        double log_weight = 0.0, weight = 1.0, rest = 1.0;
        for (int d = first, at = i; d < next; d++, at = 0) {
            const ugt_axis *axis = &axes[d];
            w->v[d] = axis->node[at] * w->stick[d];
            w->stick[d + 1] = axis->rest[at] * w->stick[d];
            w->log_rest[d] = axis->log_rest[at];
            weight *= axis->weight[at];
            rest *= axis->rest[at];
        }
        for (int j = 0; j < n; j++)
            ugt_law_read(w, k[j], rate_of(w, one, one->last[k[j]], k[j], &inverse[j], &log_weight), &in[j]);
        weight *= exp(log_weight);
        double *later = w->moment[g + 1];
        if (g + 1 < w->n_groups)
            descend(w, one, g + 1, axes);
        combine(w, g, in, k, n, weight);
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
    for (int64_t i = 0; i < w->end[g]; i++) {
        total += tails[i];
        sum[i] += total;
    }
    w->tail[g] = total + tails[w->end[g]];
    used[0] = w->end[g];
    for (int j = 0; j < n_all; j++)
        used[k[j] + 1] = w->end[g];
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
        if (d >= 0)
            w->by_last_at[d] = n;
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
    int64_t leaves = 1;
    w->stick[0] = 1.0;
    w->n_groups = 0;
    for (int d = 0; d < one->n_dims; d++) {
        leaves *= axes[d].n;
        if (d == 0 || axes[d].n > 1)
            w->group[w->n_groups++] = d;
    }
    w->group[w->n_groups] = one->n_dims;
    w->moment[w->n_groups][0] = w->moment[w->n_groups][1] = w->moment[w->n_groups][2] = 1.0;
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
