/* Fits the chain of Betas of proposals.c to a posterior: from its mode, then by rounds of weighted points (adaptive importance sampling; Cappe et
 * al. 2008), and chooses how many points sectors get.
 *
 * At the mode, a stick of Beta(alpha, beta) has the curvature alpha (1 - b) = beta b by its log odds. A round has points of the chain and, of
 * one in nine, of sectors. The Beta laws with the weighted means of log b and log(1 - b) have the least Kullback-Leibler distance; they are pulled
 * towards those of the round. The best round is kept: a fit may be worse, where a posterior has ridges. */
#include "points.h"

#define ROUNDS 3
#define PILOT 336      /* points of the chain in a round */
#define LARGE_PILOT 2016 /* without sectors */
#define ENOUGH 0.85    /* effective share of the points, at which fitting ends */
#define LEAST_SHARE 1e-12 /* of the mode in a stick: below, its curvature is rounding */
#define PULL 20.0      /* effective points that the laws of the round before count as */

typedef struct {
    int64_t n, sticks;
    double *log_weight, *height, *of_chain, *of_sectors, *own, *rest, *x; /* [n]; x [sticks * n] */
} pilot;

static double digamma(double x)
{
    double sum = 0.0;
    for (; x < 8.0; x += 1.0)
        sum -= 1.0 / x;
    const double f = 1.0 / (x * x);
    return sum + log(x) - 0.5 / x - f * (1.0 / 12 - f * (1.0 / 120 - f / 252));
}

static double trigamma(double x)
{
    double sum = 0.0;
    for (; x < 8.0; x += 1.0)
        sum += 1.0 / (x * x);
    const double f = 1.0 / (x * x);
    return sum + 1.0 / x + 0.5 * f + f / x * (1.0 / 6 - f * (1.0 / 30 - f / 42));
}

/* Moves log alpha and log beta to the law with these means of log b and log(1 - b), by Newton's method; not at all if it fails. */
static void fit_beta(double mean_log, double mean_log_rest, double *log_alpha, double *log_beta)
{
    double a = *log_alpha, b = *log_beta, longest = INFINITY;
    for (int i = 0; i < 60 && longest > 1e-8; i++) {
        const double alpha = exp(a), beta = exp(b), of_sum = digamma(alpha + beta), bend = trigamma(alpha + beta);
        const double f = digamma(alpha) - of_sum - mean_log, g = digamma(beta) - of_sum - mean_log_rest;
        const double aa = alpha * (trigamma(alpha) - bend), ab = -beta * bend, ba = -alpha * bend, bb = beta * (trigamma(beta) - bend);
        const double determinant = aa * bb - ab * ba, da = -(bb * f - ab * g) / determinant, db = -(aa * g - ba * f) / determinant;
        longest = fmax(fabs(da), fabs(db));
        a += longest > 1.0 ? da / longest : da;
        b += longest > 1.0 ? db / longest : db;
    }
    if (longest < 1.0 && fabs(a) < 300.0 && fabs(b) < 300.0) {
        *log_alpha = a;
        *log_beta = b;
    }
}

/* Sorts the classes by log plausibility, the largest first. */
static void sort_classes(ugt_point_work *w, const double *lambda)
{
    for (int64_t k = 0; k < w->d; k++) {
        int64_t at = k;
        for (; at > 0 && lambda[w->order[at - 1]] < lambda[k]; at--)
            w->order[at] = w->order[at - 1];
        w->order[at] = k;
    }
}

/* Sets order, alpha and beta from the mode; without one, as if each stage named one class. */
static int start(ugt_point_work *w, int64_t i)
{
    const int64_t d = w->d;
    double *lambda = malloc(ugt_bytes(d * (d + 2), sizeof *lambda));
    if (lambda == NULL)
        return UGT_ERR_MEMORY;
    double *curvature = lambda + d, *step = curvature + d * d;
    const int status = ugt_curvature_at_mode(w->stages, i, w->reliability, w->shape, w->rest, lambda, curvature);
    const int has_mode = status == UGT_OK;
    if (has_mode || status == UGT_ERR_CONVERGENCE) {
        sort_classes(w, has_mode ? lambda : w->wins);
        double shapes = 0.0, wins = 0.0, later = 0.0;
        for (int64_t j = d - 1; j >= 0; j--) {
            const int64_t k = w->order[j];
            if (has_mode) {
                const double b = lambda[k] / (lambda[k] + later), rest = later / (lambda[k] + later);
                double bend = 0.0;
                for (int64_t l = 0; l < d; l++)
                    step[l] = 0.0;
                for (int64_t l = j; l < d; l++)
                    step[w->order[l]] = l == j ? rest : -b;
                for (int64_t l = 0; l < d; l++)
                    for (int64_t o = 0; o <= l; o++)
                        bend += (o == l ? 1.0 : 2.0) * step[l] * step[o] * curvature[l * d + o];
                w->alpha[j] = fmax(bend / fmax(rest, LEAST_SHARE), w->shapes[k]);
                w->beta[j] = fmax(bend / fmax(b, LEAST_SHARE), shapes);
            } else {
                w->alpha[j] = w->wins[k];
                w->beta[j] = wins;
            }
            shapes += w->shapes[k];
            wins += w->wins[k];
            later += lambda[k];
        }
    }
    free(lambda);
    return status == UGT_ERR_CONVERGENCE ? UGT_OK : status;
}

/* Draws the points of a round. */
static void draw(ugt_point_work *w, pilot *p, ugt_stream *stream, double *u)
{
    const int64_t of_chain = w->sectors ? p->n / 9 * 8 : p->n;
    for (int64_t from = 0; from < p->n; from += w->n) {
        const int is_chain = from < of_chain;
        const int64_t left = (is_chain ? of_chain : p->n) - from, dims = is_chain ? w->d - 1 : 2 * w->d - 1;
        w->n = left < UGT_LANES ? (int)left : UGT_LANES;
        for (int64_t c = 0; c < dims; c++)
            for (int i = 0; i < w->n; i++)
                u[c * UGT_LANES + i] = ugt_stream_uniform(stream);
        if (is_chain)
            ugt_chain_points(w, u);
        else
            ugt_sector_points(w, u);
        ugt_mixture_weights(w);
        for (int i = 0; i < w->n; i++) {
            p->log_weight[from + i] = w->log_weight[i];
            p->height[from + i] = w->height[i];
            p->of_chain[from + i] = w->of_chain[i];
            p->of_sectors[from + i] = w->of_sectors[i];
            for (int64_t j = 0; j < p->sticks; j++)
                p->x[j * p->n + from + i] = w->x[j * UGT_LANES + i];
        }
    }
}

/* Turns log weights into weights by the largest; returns the effective number of points, 0 if no weight is finite. */
static double weigh(pilot *p, double *top)
{
    double sum = 0.0, squares = 0.0;
    *top = -INFINITY;
    for (int64_t i = 0; i < p->n; i++)
        *top = fmax(*top, p->log_weight[i]);
    if (*top == -INFINITY)
        return 0.0;
    for (int64_t i = 0; i < p->n; i++) {
        p->log_weight[i] = exp(p->log_weight[i] - *top);
        sum += p->log_weight[i];
        squares += p->log_weight[i] * p->log_weight[i];
    }
    return sum * sum / squares;
}

/* Fills the weights times what they would be with a share of sectors, which is their contribution to the mean square. */
static UGT_WIDE void fill_squares(const pilot *p, double top, double share, double *restrict square)
{
    const double *restrict weight = p->log_weight, *restrict height = p->height, *restrict a = p->of_chain, *restrict b = p->of_sectors;
    for (int64_t i = 0; i < p->n; i++) {
        const double high = ugt_lane_max(a[i], b[i]);
        const double mixture = (1.0 - share) * ugt_lane_exp(a[i] - high) + share * ugt_lane_exp(b[i] - high);
        const double log_ratio = -ugt_lane_max(high + top - height[i], -300.0);
        square[i] = weight[i] * ugt_lane_exp(log_ratio) / mixture;
    }
}

/* Returns the part of points of sectors whose weights have the least mean square. */
static int choose_part(const pilot *p, double top, double *square)
{
    double least = INFINITY;
    int found = UGT_MOST_PART;
    for (int part = UGT_MOST_PART; part >= 0; part--) {
        double sum = 0.0;
        fill_squares(p, top, 1.0 / (1.0 + (double)(1 << part)), square);
        for (int64_t i = 0; i < p->n; i++)
            sum += p->log_weight[i] > 0.0 ? square[i] : 0.0;
        if (sum < 0.999 * least) {
            least = sum;
            found = part;
        }
    }
    return found;
}

/* Fills -log b and -log(1 - b) of sticks. */
static UGT_WIDE void fill_logs(const double *restrict x, int64_t n, double *restrict own, double *restrict rest)
{
    for (int64_t i = 0; i < n; i++) {
        const double log_larger = ugt_lane_log(1.0 + ugt_lane_exp(-fabs(x[i])));
        own[i] = log_larger + ugt_lane_max(-x[i], 0.0);
        rest[i] = log_larger + ugt_lane_max(x[i], 0.0);
    }
}

static void fit(ugt_point_work *w, const pilot *p, double effective)
{
    double sum = 0.0;
    for (int64_t i = 0; i < p->n; i++)
        sum += p->log_weight[i];
    for (int64_t j = 0; j < p->sticks; j++) {
        double mean = 0.0, mean_rest = 0.0;
        fill_logs(p->x + j * p->n, p->n, p->own, p->rest);
        for (int64_t i = 0; i < p->n; i++) {
            if (p->log_weight[i] > 0.0) {
                mean -= p->log_weight[i] * p->own[i];
                mean_rest -= p->log_weight[i] * p->rest[i];
            }
        }
        const double before = log(w->alpha[j]), before_rest = log(w->beta[j]), share = effective / (effective + PULL);
        double a = before, b = before_rest;
        fit_beta(mean / sum, mean_rest / sum, &a, &b);
        w->alpha[j] = exp(before + share * (a - before));
        w->beta[j] = exp(before_rest + share * (b - before_rest));
    }
}

int ugt_proposal_learn(ugt_point_work *w, int64_t i, ugt_stream *stream)
{
    const int64_t d = w->d;
    pilot p = {.sticks = d - 1};
    double best = 0.0, top, *best_law, *u;
    w->sectors = d > 1 && d <= UGT_SECTORS_TO;
    w->part = UGT_MOST_PART;
    p.n = w->sectors ? PILOT / 8 * 9 : d > 1 ? LARGE_PILOT : PILOT;
    int status = start(w, i);
    if (status == UGT_OK && w->sectors)
        status = ugt_sectors_open(w);
    if (status != UGT_OK)
        return status;
    p.log_weight = malloc(ugt_bytes((d + 5) * p.n + 2 * d * (UGT_LANES + 1), sizeof *p.log_weight));
    if (p.log_weight == NULL)
        return UGT_ERR_MEMORY;
    p.height = p.log_weight + p.n;
    p.of_chain = p.height + p.n;
    p.of_sectors = p.of_chain + p.n;
    p.own = p.of_sectors + p.n;
    p.rest = p.own + p.n;
    p.x = p.rest + p.n;
    best_law = p.x + p.sticks * p.n;
    u = best_law + 2 * d;
    int part = UGT_MOST_PART;
    for (int round = 0; round < ROUNDS; round++) {
        ugt_chain_open(w);
        draw(w, &p, stream, u);
        const double effective = weigh(&p, &top);
        if (round == 0 || effective > best) {
            best = effective;
            memcpy(best_law, w->alpha, (size_t)d * sizeof *best_law);
            memcpy(best_law + d, w->beta, (size_t)d * sizeof *best_law);
            part = w->sectors ? choose_part(&p, top, p.own) : UGT_MOST_PART;
        }
        if (!(effective > 0.0) || effective > ENOUGH * (double)p.n || round == ROUNDS - 1)
            break;
        fit(w, &p, effective);
    }
    memcpy(w->alpha, best_law, (size_t)d * sizeof *best_law);
    memcpy(w->beta, best_law + d, (size_t)d * sizeof *best_law);
    w->part = part;
    ugt_chain_open(w);
    free(p.log_weight);
    return UGT_OK;
}
