/* Graded response (Samejima 1969): each annotator sees the severity of a case and grades it by thresholds of their own.
 *
 * P(grade >= k | severity x) of annotator j is 1 / (1 + exp(-a_j (x - c_jk))). Integrals over severities are sums over nodes.
 * Products of probabilities are divided by their largest value to stay in range, which saves a logarithm per label and node. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core.h"
#include "em.h"
#include "wide.h"

#define BLOCK 8       /* labels between two divisions by the largest value: a product of so many probabilities is 1e-240 or more */
#define LANES 4
#define LINE 8        /* numbers in a cache line */
#define FETCHED 4     /* lines of a row that are fetched before its case; the processor foresees the others */
#define LEAST 1e-30   /* lower limit of probabilities, on which BLOCK depends */
#define EXTREME 1e-80 /* a product of divisors that is smaller, or larger than its inverse, becomes a logarithm */

/* Curves of one annotator: passed [n_grades+1][n_nodes] is P(grade >= k) and failed its complement, both without cancellation.
 * P(grade k) = passed_k failed_{k+1} width_k, where width_k is 1 - exp(-a (next threshold - this one)), or 1 for the end grades. */
typedef struct {
    double *passed, *failed, *width;
} curves;

static int curves_new(const ugt_graded *g, curves *c)
{
    c->passed = malloc(ugt_bytes((g->n_grades + 1) * (2 * g->n_nodes + 1), sizeof *c->passed));
    if (c->passed == NULL)
        return UGT_ERR_MEMORY;
    c->failed = c->passed + (g->n_grades + 1) * g->n_nodes;
    c->width = c->failed + (g->n_grades + 1) * g->n_nodes;
    return UGT_OK;
}

static inline double logit(const ugt_graded *g, int64_t j, int64_t k, int64_t q)
{
    return g->discrimination[j] * (g->node[q] - g->cut[j * (g->n_grades - 1) + k - 1]);
}

static void curves_fill(const ugt_graded *g, int64_t j, const curves *c)
{
    const int64_t n = g->n_nodes, last = g->n_grades;
    const double *cut = g->cut + j * (last - 1);
    for (int64_t q = 0; q < n; q++) {
        c->passed[q] = c->failed[last * n + q] = 1.0;
        c->failed[q] = c->passed[last * n + q] = 0.0;
    }
    for (int64_t k = 1; k < last; k++)
        for (int64_t q = 0; q < n; q++) {
            const double u = logit(g, j, k, q), e = exp(-fabs(u)), near = 1.0 / (1.0 + e), far = e * near;
            c->passed[k * n + q] = u >= 0.0 ? near : far;
            c->failed[k * n + q] = u >= 0.0 ? far : near;
        }
    for (int64_t k = 0; k < last; k++)
        c->width[k] = k > 0 && k < last - 1 ? -expm1(-g->discrimination[j] * (cut[k] - cut[k - 1])) : 1.0;
}

static inline double probability(const curves *c, int64_t k, int64_t n, int64_t q)
{
    const double p = c->passed[k * n + q] * c->failed[(k + 1) * n + q] * c->width[k];
    return p > LEAST ? p : LEAST;
}

int ugt_graded_probabilities(const ugt_graded *g, double *p)
{
    const int64_t n = g->n_nodes;
    curves c;
    if (curves_new(g, &c) != UGT_OK)
        return UGT_ERR_MEMORY;
    for (int64_t j = 0; j < g->n_annotators; j++) {
        curves_fill(g, j, &c);
        for (int64_t k = 0; k < g->n_grades; k++)
            for (int64_t q = 0; q < n; q++)
                *p++ = probability(&c, k, n, q);
    }
    free(c.passed);
    return UGT_OK;
}

int ugt_graded_check(const ugt_label_table *t)
{
    for (int64_t r = 0; r < t->offsets[t->n_cases]; r++)
        if (t->annotator[r] < 0 || t->annotator[r] >= t->n_annotators || t->label[r] < 0 || t->label[r] >= t->n_classes)
            return UGT_ERR_RANGE;
    return UGT_OK;
}

/* A sum of logarithms of factors between 1e-220 and 1e220, which are multiplied first: a logarithm takes as long as a label. */
typedef struct {
    double sum, product;
} logarithms;

INLINE void add_log(logarithms *l, double x)
{
    l->product *= x;
    if (l->product < EXTREME || l->product > 1.0 / EXTREME) {
        l->sum += log(l->product);
        l->product = 1.0;
    }
}

/* Divides the posterior by its largest value. Returns that, 0 if every node underflows. */
INLINE double divide_by_top(double *restrict posterior, int64_t n)
{
    double top = 0.0;
    for (int64_t q = 0; q < n; q++)
        top = posterior[q] > top ? posterior[q] : top;
    if (top > 0.0)
        for (int64_t q = 0; q < n; q++)
            posterior[q] /= top;
    return top;
}

/* Multiplies the posterior by a power of the probabilities of one label. Takes logarithms, because the power of a small number may be 0 at
 * every node. Returns the logarithm of what it divides by. */
INLINE double multiply_power(double *restrict posterior, const double *restrict one, double w, int64_t n)
{
    double top = -INFINITY;
    for (int64_t q = 0; q < n; q++)
        top = w * log(one[q]) > top ? w * log(one[q]) : top;
    for (int64_t q = 0; q < n; q++)
        posterior[q] *= exp(w * log(one[q]) - top);
    return top;
}

INLINE double sum_of(const double *restrict x, int64_t n)
{
    double lane[LANES] = {0.0}, sum = 0.0;
    int64_t at = 0;
    for (; at + LANES <= n; at += LANES) /* one sum would wait for every addition before it */
        for (int64_t l = 0; l < LANES; l++)
            lane[l] += x[at + l];
    for (; at < n; at++)
        sum += x[at];
    for (int64_t l = 0; l < LANES; l++)
        sum += lane[l];
    return sum;
}

/* Fills the posterior [n_nodes] of one case up to its divisor, which it returns: 0 if every node underflows. */
INLINE double case_posterior(const ugt_label_table *t, const ugt_graded *g, const double *p, int64_t i, double *restrict posterior,
                             logarithms *logs)
{
    const int64_t n = g->n_nodes, kq = g->n_grades * n, first = t->offsets[i], end = t->offsets[i + 1];
    memcpy(posterior, g->mass, (size_t)n * sizeof *posterior);
    for (int64_t r = first; r < end; r++) {
        const double *restrict one = p + t->annotator[r] * kq + t->label[r] * n;
        const double w = t->weight == NULL ? 1.0 : t->weight[r];
        if (t->weight == NULL && r + 1 < end) { /* two labels at once: BLOCK is even */
            const double *restrict two = p + t->annotator[r + 1] * kq + t->label[r + 1] * n;
            for (int64_t q = 0; q < n; q++)
                posterior[q] *= one[q] * two[q];
            r++;
        } else if (w == 1.0)
            for (int64_t q = 0; q < n; q++)
                posterior[q] *= one[q];
        else
            logs->sum += multiply_power(posterior, one, w, n);
        if (w != 1.0 || (r - first) % BLOCK == BLOCK - 1) {
            const double top = divide_by_top(posterior, n);
            if (top <= 0.0)
                return 0.0;
            add_log(logs, top);
        }
    }
    const double sum = sum_of(posterior, n);
    add_log(logs, sum > 0.0 ? sum : 1.0);
    return sum;
}

/* Adds the posterior of one case, times a scale, to the counts of its labels. */
INLINE void add_posterior(const ugt_label_table *t, const ugt_graded *g, int64_t i, const double *restrict posterior, double scale,
                          double *count)
{
    const int64_t n = g->n_nodes, kq = g->n_grades * n;
    for (int64_t r = t->offsets[i]; r < t->offsets[i + 1]; r++) {
        double *restrict to = count + t->annotator[r] * kq + t->label[r] * n;
        const double w = t->weight == NULL ? scale : scale * t->weight[r];
        for (int64_t q = 0; q < n; q++)
            to[q] += w * posterior[q];
    }
}

/* The law over grades [n_grades] of one case, and the mean and standard deviation of its severity. */
INLINE void describe(const ugt_graded *g, const double *posterior, double scale, const int32_t *grade, double *law, double *moments)
{
    const int64_t n = g->n_nodes;
    double mean = 0.0, square = 0.0;
    memset(law, 0, (size_t)g->n_grades * sizeof *law);
    for (int64_t q = 0; q < n; q++) {
        law[grade[q]] += scale * posterior[q];
        mean += scale * posterior[q] * g->node[q];
    }
    for (int64_t q = 0; q < n; q++)
        square += scale * posterior[q] * (g->node[q] - mean) * (g->node[q] - mean);
    moments[0] = mean;
    moments[1] = sqrt(square);
}

/* Fetches the rows of the labels of a case, which lie anywhere in two tables larger than the nearest caches: a quarter less time. */
INLINE void fetch_soon(const ugt_label_table *t, const ugt_graded *g, const double *p, const double *count, int64_t i)
{
    const int64_t n = g->n_nodes, kq = g->n_grades * n, lines = n < FETCHED * LINE ? n : FETCHED * LINE;
    for (int64_t r = t->offsets[i]; r < t->offsets[i + 1]; r++) {
        const int64_t at = t->annotator[r] * kq + t->label[r] * n;
        for (int64_t q = 0; q < lines; q += LINE) {
            UGT_SOON(p + at + q);
            if (count != NULL)
                UGT_SOON(count + at + q);
        }
    }
}

UGT_WIDE static int expect(const ugt_label_table *t, const ugt_graded *g, const double *p, const int32_t *grade, double *count, double *law,
                           double *moments, double *posterior, double *log_likelihood)
{
    logarithms logs = {0.0, 1.0};
    for (int64_t i = 0; i < t->n_cases; i++) {
        if (i + 1 < t->n_cases)
            fetch_soon(t, g, p, count, i + 1);
        const double sum = case_posterior(t, g, p, i, posterior, &logs);
        if (!(sum > 0.0))
            return UGT_ERR_CONVERGENCE;
        const double scale = 1.0 / sum;
        if (count != NULL)
            add_posterior(t, g, i, posterior, scale, count);
        if (law != NULL)
            describe(g, posterior, scale, grade, law + i * g->n_grades, moments + 2 * i);
    }
    *log_likelihood = logs.sum + log(logs.product);
    return UGT_OK;
}

int ugt_graded_expect(const ugt_label_table *t, const ugt_graded *g, const double *p, const int32_t *grade, double *count, double *law,
                      double *moments, double *log_likelihood)
{
    double *posterior = malloc(ugt_bytes(g->n_nodes, sizeof *posterior));
    if (posterior == NULL)
        return UGT_ERR_MEMORY;
    if (count != NULL)
        memset(count, 0, (size_t)(g->n_annotators * g->n_grades * g->n_nodes) * sizeof *count);
    const int status = expect(t, g, p, grade, count, law, moments, posterior, log_likelihood);
    free(posterior);
    return status;
}

/* Derivatives of log P(grade k) at a node by log discrimination, by the lower threshold and by the upper one. */
typedef struct {
    double a, low, high;
} slopes;

/* P and its first and second derivatives, not those of its logarithm. The second derivative by both thresholds is 0. */
typedef struct {
    double p;
    slopes first;
    double aa, a_low, a_high, low_low, high_high;
} derivatives;

static derivatives derive(const ugt_graded *g, const curves *c, int64_t j, int64_t k, int64_t q)
{
    const int64_t n = g->n_nodes;
    const double a = g->discrimination[j];
    derivatives d = {0};
    d.p = probability(c, k, n, q);
    if (k > 0) {
        const double u = logit(g, j, k, q), yes = c->passed[k * n + q], no = c->failed[k * n + q], f = yes * no, bend = no - yes;
        d.first.a = u * f;
        d.first.low = -a * f;
        d.aa = f * bend * u * u + u * f;
        d.a_low = -a * (f * bend * u + f);
        d.low_low = a * a * f * bend;
    }
    if (k < g->n_grades - 1) {
        const double v = logit(g, j, k + 1, q), yes = c->passed[(k + 1) * n + q], no = c->failed[(k + 1) * n + q], f = yes * no;
        const double bend = no - yes;
        d.first.a -= v * f;
        d.first.high = a * f;
        d.aa -= f * bend * v * v + v * f;
        d.a_high = a * (f * bend * v + f);
        d.high_high = -a * a * f * bend;
    }
    return d;
}

/* Adds the observed information w (first first' / p^2 - second / p), or Fisher's w first first' / p, to the matrix of one annotator. */
static void add_information(double *out, int64_t k, int64_t n, const derivatives *d, double w, int observed)
{
    const double scale = observed ? w / (d->p * d->p) : w / d->p, bent = observed ? w / d->p : 0.0;
    const double first[3] = {d->first.a, d->first.low, d->first.high};
    const double second[3][3] = {{d->aa, d->a_low, d->a_high}, {d->a_low, d->low_low, 0.0}, {d->a_high, 0.0, d->high_high}};
    const int64_t at[3] = {0, k, k + 1};
    for (int x = 0; x < 3; x++)
        for (int y = 0; y < 3; y++)
            if ((x == 0 || (at[x] >= 1 && at[x] < n)) && (y == 0 || (at[y] >= 1 && at[y] < n)))
                out[at[x] * n + at[y]] += scale * first[x] * first[y] - bent * second[x][y];
}

int ugt_graded_score(const ugt_graded *g, const double *count, int observed, double *slope, double *information)
{
    const int64_t n = g->n_grades, kq = n * g->n_nodes;
    curves c;
    if (curves_new(g, &c) != UGT_OK)
        return UGT_ERR_MEMORY;
    for (int64_t j = 0; j < g->n_annotators; j++) {
        curves_fill(g, j, &c);
        memset(slope + j * n, 0, (size_t)n * sizeof *slope);
        memset(information + j * n * n, 0, (size_t)(n * n) * sizeof *information);
        for (int64_t q = 0; q < g->n_nodes; q++) {
            double all = 0.0;
            for (int64_t k = 0; k < n; k++)
                all += count[j * kq + k * g->n_nodes + q];
            if (all == 0.0)
                continue;
            for (int64_t k = 0; k < n; k++) {
                const derivatives d = derive(g, &c, j, k, q);
                const double w = count[j * kq + k * g->n_nodes + q];
                const double rate = w / d.p;
                slope[j * n] += rate * d.first.a;
                if (k > 0)
                    slope[j * n + k] += rate * d.first.low;
                if (k < n - 1)
                    slope[j * n + k + 1] += rate * d.first.high;
                add_information(information + j * n * n, k, n, &d, observed ? w : all, observed);
            }
        }
    }
    free(c.passed);
    return UGT_OK;
}

/* The scores of a case in n columns: each has its parameter [n] and the score of that parameter at each node [n][n_nodes]. */
typedef struct {
    int64_t *parameter;
    double *score;
    int64_t n;
} columns;

/* Returns the column of a parameter; adds one of zeros if the case has none yet. */
static double *column_of(columns *c, int64_t parameter, int64_t n_nodes)
{
    for (int64_t x = 0; x < c->n; x++)
        if (c->parameter[x] == parameter)
            return c->score + x * n_nodes;
    c->parameter[c->n] = parameter;
    memset(c->score + c->n * n_nodes, 0, (size_t)n_nodes * sizeof *c->score);
    return c->score + c->n++ * n_nodes;
}

static void case_columns(const ugt_label_table *t, const ugt_graded *g, const slopes *table, int shared, int64_t i, columns *c)
{
    const int64_t n = g->n_nodes, k_all = g->n_grades, own = shared ? 2 : k_all, first = shared ? 2 * g->n_annotators - 1 : 0;
    c->n = 0;
    for (int64_t r = t->offsets[i]; r < t->offsets[i + 1]; r++) {
        const int64_t j = t->annotator[r], k = t->label[r];
        const slopes *s = table + (j * k_all + k) * n;
        const double w = t->weight == NULL ? 1.0 : t->weight[r];
        double *to = column_of(c, j * own, n);
        for (int64_t q = 0; q < n; q++)
            to[q] += w * s[q].a;
        if (shared) {
            to = column_of(c, j * own + 1, n);
            for (int64_t q = 0; q < n; q++)
                to[q] += w * (s[q].low + s[q].high);
        }
        if (k > 0) {
            to = column_of(c, shared ? first + k : j * own + k, n);
            for (int64_t q = 0; q < n; q++)
                to[q] += w * s[q].low;
        }
        if (k < k_all - 1) {
            to = column_of(c, shared ? first + k + 1 : j * own + k + 1, n);
            for (int64_t q = 0; q < n; q++)
                to[q] += w * s[q].high;
        }
    }
}

static void subtract_covariance(const columns *c, const double *restrict posterior, int64_t n, int64_t n_parameters, int joint, double *out)
{
    for (int64_t x = 0; x < c->n; x++) {
        double *restrict one = c->score + x * n;
        double mean = 0.0;
        for (int64_t q = 0; q < n; q++)
            mean += posterior[q] * one[q];
        for (int64_t q = 0; q < n; q++)
            one[q] -= mean;
    }
    for (int64_t x = 0; x < c->n; x++)
        for (int64_t y = joint ? 0 : x; y <= x; y++) {
            const double *restrict one = c->score + x * n, *restrict other = c->score + y * n;
            double sum = 0.0;
            for (int64_t q = 0; q < n; q++)
                sum += posterior[q] * one[q] * other[q];
            if (!joint)
                out[c->parameter[x]] -= sum;
            else {
                out[c->parameter[x] * n_parameters + c->parameter[y]] -= sum;
                if (x != y)
                    out[c->parameter[y] * n_parameters + c->parameter[x]] -= sum;
            }
        }
}

int ugt_graded_missing(const ugt_label_table *t, const ugt_graded *g, const double *p, int shared, int joint, double *out)
{
    const int64_t n = g->n_nodes, k_all = g->n_grades;
    const int64_t n_parameters = shared ? 2 * g->n_annotators + k_all - 1 : g->n_annotators * k_all;
    int64_t widest = 0;
    for (int64_t i = 0; i < t->n_cases; i++)
        widest = t->offsets[i + 1] - t->offsets[i] > widest ? t->offsets[i + 1] - t->offsets[i] : widest;
    const int64_t most = (shared ? 2 : 3) * widest + (shared ? k_all - 1 : 0);
    slopes *table = malloc(ugt_bytes(g->n_annotators * k_all * n, sizeof *table));
    double *posterior = malloc(ugt_bytes(n, sizeof *posterior));
    columns c = {malloc(ugt_bytes(most, sizeof *c.parameter)), malloc(ugt_bytes(most * n, sizeof *c.score)), 0};
    curves all;
    int status = curves_new(g, &all);
    if (table == NULL || posterior == NULL || c.parameter == NULL || c.score == NULL)
        status = UGT_ERR_MEMORY;
    for (int64_t j = 0; status == UGT_OK && j < g->n_annotators; j++) {
        curves_fill(g, j, &all);
        for (int64_t k = 0; k < k_all; k++)
            for (int64_t q = 0; q < n; q++) {
                const derivatives d = derive(g, &all, j, k, q);
                table[(j * k_all + k) * n + q] = (slopes){d.first.a / d.p, d.first.low / d.p, d.first.high / d.p};
            }
    }
    for (int64_t i = 0; status == UGT_OK && i < t->n_cases; i++) {
        logarithms logs = {0.0, 1.0};
        const double sum = case_posterior(t, g, p, i, posterior, &logs);
        if (!(sum > 0.0))
            status = UGT_ERR_CONVERGENCE;
        for (int64_t q = 0; q < n; q++)
            posterior[q] /= sum;
        case_columns(t, g, table, shared, i, &c);
        subtract_covariance(&c, posterior, n, n_parameters, joint, out);
    }
    free(all.passed);
    free(table);
    free(posterior);
    free(c.parameter);
    free(c.score);
    return status;
}
