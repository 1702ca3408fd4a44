/* Two laws from which points of a Plackett-Luce posterior come: products of one-dimensional laws along an order of the classes.
 *
 * Chain: x_j = theta_j - log sum over later l of e^theta_l are the log odds of sticks b_j ~ Beta(alpha_j, beta_j), independent; the determinant
 * is 1. For one ranking in this order it is the posterior. The log density of x_j is taken as linear between nodes, so that it is drawn and
 * computed exactly for any parameters.
 *
 * Sectors: classes from the largest down, with gaps g_i ~ Exponential(e(B_i)) between neighbours, B_i the classes below gap i, and orders with
 * probability proportional to prod 1 / e(B_i): U(B) = sum_{j in B} U(B - j) / e(B), U(none) = 1, U(all) without its factor. The exponent at which
 * the posterior falls as the classes of B fall together is, with wins and W_s of heights.c,
 *     e(B) = sum_{k in B} wins_k - sum over s within B of W_s,
 * so that the weight e^F / density lies between bounds for every input (tropical sampling; Borinsky 2023). */
#include "points.h"

#define FALL 20.0      /* of the log density, at which nodes end */
#define STRAIGHT 1e-3  /* or where what is left to bend is less */
#define WIDTH 0.55     /* of a cell, at most; or a third of a standard deviation */
#define LEAST_RISE 1e-6
#define ROUNDING 1e-13 /* of exponents, next to the weights that they add up and subtract */

/* Fills log densities of the log odds of Beta(alpha, beta) at nodes from `first` on, up to a constant, and how much of the bend is left there. */
static UGT_WIDE void fill_density(double alpha, double beta, double first, double step, double *restrict height, double *restrict bend)
{
    for (int i = 0; i <= UGT_CELLS; i++) {
        const double x = first + step * i, log_larger = ugt_lane_log(1.0 + ugt_lane_exp(-fabs(x)));
        const double rest = log_larger + ugt_lane_max(x, 0.0), own = log_larger + ugt_lane_max(-x, 0.0); /* -log(1 - b), -log b */
        height[i] = -alpha * own - beta * rest;
        bend[i] = (alpha + beta) * (i < UGT_CELLS / 2 ? rest : own);
    }
}

static UGT_WIDE void fill_growth(const double *restrict height, double *restrict growth, double *restrict density)
{
    for (int i = 0; i < UGT_CELLS; i++) {
        growth[i] = ugt_lane_exp(height[i + 1] - height[i]) - 1.0;
        density[i] = ugt_lane_exp(height[i]);
    }
}

static void law_open(ugt_stick_law *law, double alpha, double beta)
{
    enum { MIDDLE = UGT_CELLS / 2 };
    const double mode = log(alpha) - log(beta), step = fmin(sqrt(1.0 / alpha + 1.0 / beta) / 3.0, WIDTH);
    double node[UGT_CELLS + 1], bend[UGT_CELLS + 1], density[UGT_CELLS];
    double *height = law->height, *below = law->below;
    fill_density(alpha, beta, mode - step * MIDDLE, step, node, bend);
    int from = MIDDLE - 1, to = MIDDLE + 1;
    while (from > 0 && node[MIDDLE] - node[from] < FALL && bend[from] > STRAIGHT)
        from--;
    while (to < UGT_CELLS && node[MIDDLE] - node[to] < FALL && bend[to] > STRAIGHT)
        to++;
    const int n = to - from + 1;
    law->n = n;
    law->first = mode + step * (from - MIDDLE);
    law->step = step;
    law->per_step = 1.0 / step;
    for (int i = 0; i <= UGT_CELLS; i++)
        height[i] = i < n ? node[from + i] - node[MIDDLE] : 0.0;
    /* tails are not steeper than those of the law, which are its parameters where it does not bend any more */
    law->left = bend[from] > STRAIGHT ? fmin(alpha, (height[1] - height[0]) / step) : alpha;
    law->right = bend[to] > STRAIGHT ? fmin(beta, (height[n - 2] - height[n - 1]) / step) : beta;
    fill_growth(height, law->growth, density);
    below[0] = density[0] / law->left;
    for (int i = 0; i + 1 < n; i++) {
        const double rise = height[i + 1] - height[i];
        below[i + 1] = below[i] + density[i] * step * (fabs(rise) < LEAST_RISE ? 1.0 + 0.5 * rise : law->growth[i] / rise);
    }
    const double total = below[n - 1] + exp(height[n - 1]) / law->right, log_total = log(total);
    for (int i = 0; i < law->n; i++) {
        below[i] /= total;
        height[i] -= log_total;
    }
    for (int g = 0, i = 0; g < UGT_GUIDES; g++) {
        while (i + 2 < n && below[i + 1] * UGT_GUIDES <= g)
            i++;
        law->guide[g] = i;
    }
}

void ugt_chain_open(ugt_point_work *w)
{
    for (int64_t j = 0; j + 1 < w->d; j++)
        law_open(&w->law[j], w->alpha[j], w->beta[j]);
}

/* Sets x of n points of a law from u in (0, 1), and adds their log densities. */
static UGT_WIDE void draw_sticks(const ugt_stick_law *law, const double *restrict u, int n, double *restrict x, double *restrict density)
{
    const int last = law->n - 1;
    double rise[UGT_LANES], start[UGT_LANES], grown[UGT_LANES], base[UGT_LANES], length[UGT_LANES];
    for (int i = 0; i < UGT_LANES; i++) {
        const double t = i < n ? u[i] : 0.5;
        int at = law->guide[(int)(t * UGT_GUIDES)];
        while (at < last - 1 && law->below[at + 1] <= t)
            at++;
        if (t < law->below[0] || t >= law->below[last]) { /* tails: density and x change by the log of the share that is left */
            const int is_left = t < law->below[0], end = is_left ? 0 : last;
            start[i] = law->first + law->step * end;
            base[i] = law->height[end];
            rise[i] = 1.0;
            length[i] = is_left ? 1.0 / law->left : -1.0 / law->right;
            grown[i] = is_left ? t / law->below[0] : (1.0 - t) / (1.0 - law->below[last]);
            continue;
        }
        const double part = (t - law->below[at]) / (law->below[at + 1] - law->below[at]);
        start[i] = law->first + law->step * at;
        base[i] = law->height[at];
        rise[i] = law->height[at + 1] - law->height[at];
        if (fabs(rise[i]) < LEAST_RISE) { /* flat: the log below is not used */
            start[i] += part * law->step;
            length[i] = 0.0;
            rise[i] = grown[i] = 1.0;
        } else {
            length[i] = law->step;
            grown[i] = 1.0 + part * law->growth[at];
        }
    }
    for (int i = 0; i < UGT_LANES; i++) {
        const double log_grown = ugt_lane_log(grown[i]);
        x[i] = start[i] + length[i] * log_grown / rise[i];
        density[i] += base[i] + log_grown;
    }
}

/* Adds the log density of a law at x of n points. */
static void add_density(const ugt_stick_law *law, const double *x, int n, double *density)
{
    const int last = law->n - 1;
    for (int i = 0; i < n; i++) {
        const double place = (x[i] - law->first) * law->per_step;
        if (!(place > 0.0)) {
            density[i] += law->height[0] + law->left * law->step * place;
        } else if (place >= (double)last) {
            density[i] += law->height[last] - law->right * law->step * (place - (double)last);
        } else {
            const int at = (int)place;
            density[i] += law->height[at] + (law->height[at + 1] - law->height[at]) * (place - (double)at);
        }
    }
}

/* Adds log(1 + e^x) to y. */
static UGT_WIDE void add_odds(double *restrict y, const double *restrict x)
{
    for (int i = 0; i < UGT_LANES; i++)
        y[i] += ugt_lane_max(x[i], 0.0) + ugt_lane_log(1.0 + ugt_lane_exp(-fabs(x[i])));
}

/* Adds to of_sectors the log density of n points. */
static void sector_densities(ugt_point_work *w)
{
    const int d = (int)w->d;
    for (int i = 0; i < w->n; i++) {
        int order[UGT_SECTORS_TO];
        double theta[UGT_SECTORS_TO], density = -w->log_chance;
        for (int k = 0; k < d; k++) {
            const double own = w->theta[k * UGT_LANES + i];
            int at = k;
            for (; at > 0 && theta[at - 1] < own; at--) {
                theta[at] = theta[at - 1];
                order[at] = order[at - 1];
            }
            theta[at] = own;
            order[at] = k;
        }
        unsigned below = (1u << d) - 1u;
        for (int k = 0; k + 1 < d; k++) {
            below -= 1u << order[k];
            density -= w->exponent[below] * (theta[k] - theta[k + 1]);
        }
        w->of_sectors[i] = density;
    }
}

void ugt_chain_points(ugt_point_work *w, const double *u)
{
    double later[UGT_LANES] = {0.0};
    for (int i = 0; i < UGT_LANES; i++)
        w->of_chain[i] = 0.0;
    for (int64_t j = w->d - 1; j >= 0; j--) {
        double *theta = w->theta + w->order[j] * UGT_LANES, *x = w->x + j * UGT_LANES;
        if (j < w->d - 1)
            draw_sticks(&w->law[j], u + j * UGT_LANES, w->n, x, w->of_chain);
        for (int i = 0; i < UGT_LANES; i++)
            theta[i] = later[i] + (j < w->d - 1 ? x[i] : 0.0);
        if (j < w->d - 1)
            add_odds(later, x);
    }
    ugt_point_heights(w);
    if (w->sectors)
        sector_densities(w);
}

int ugt_sectors_open(ugt_point_work *w)
{
    const int d = (int)w->d;
    const int64_t n = (int64_t)1 << d;
    free(w->exponent);
    w->exponent = malloc(ugt_bytes(2 * n, sizeof *w->exponent));
    if (w->exponent == NULL)
        return UGT_ERR_MEMORY;
    double *e = w->exponent, *u = w->chance = e + n, least = INFINITY;
    for (int64_t s = 0; s < n; s++)
        e[s] = 0.0;
    for (int64_t j = 0; j < w->n_sums; j++) {
        int64_t set = 0;
        for (int64_t a = 0; a < w->sum[j].size; a++)
            set |= (int64_t)1 << w->member[w->sum[j].at + a];
        e[set] += w->sum[j].weight;
    }
    for (int k = 0; k < d; k++) /* sums over all subsets */
        for (int64_t s = 0; s < n; s++)
            if (s >> k & 1)
                e[s] += e[s - ((int64_t)1 << k)];
    for (int64_t s = 1; s < n; s++) {
        double wins = 0.0, shapes = 0.0;
        for (int k = 0; k < d; k++) {
            wins += s >> k & 1 ? w->wins[k] - w->shapes[k] : 0.0;
            shapes += s >> k & 1 ? w->shapes[k] : 0.0;
        }
        e[s] = shapes + (wins - e[s] > ROUNDING * wins ? wins - e[s] : 0.0);
        least = fmin(least, e[s]);
    }
    u[0] = 1.0;
    for (int64_t s = 1; s < n; s++) { /* by `least`, so that nothing overflows */
        double sum = 0.0;
        for (int k = 0; k < d; k++)
            sum += s >> k & 1 ? u[s - ((int64_t)1 << k)] : 0.0;
        u[s] = s == n - 1 ? sum : sum * (least / e[s]);
    }
    w->log_chance = log(u[n - 1]) - (d - 1) * log(least);
    return UGT_OK;
}

void ugt_sector_points(ugt_point_work *w, const double *u)
{
    const int d = (int)w->d;
    for (int i = 0; i < w->n; i++) {
        unsigned below = (1u << d) - 1u;
        double theta = 0.0, density = -w->log_chance;
        for (int a = 0; a < d; a++) {
            double sum = 0.0, place;
            for (int k = 0; k < d; k++)
                sum += below >> k & 1u ? w->chance[below - (1u << k)] : 0.0;
            place = u[2 * a * UGT_LANES + i] * sum;
            int found = -1;
            for (int k = 0; k < d && (found < 0 || place >= 0.0); k++) {
                if (below >> k & 1u) {
                    found = k;
                    place -= w->chance[below - (1u << k)];
                }
            }
            w->theta[found * UGT_LANES + i] = theta;
            below -= 1u << found;
            if (a + 1 < d) {
                const double log_left = log(u[(2 * a + 1) * UGT_LANES + i]);
                theta += log_left / w->exponent[below];
                density += log_left;
            }
        }
        w->of_sectors[i] = density;
    }
    ugt_point_heights(w);
    double later[UGT_LANES];
    for (int i = 0; i < UGT_LANES; i++) {
        later[i] = w->theta[w->order[d - 1] * UGT_LANES + i];
        w->of_chain[i] = 0.0;
    }
    for (int j = d - 2; j >= 0; j--) {
        double *x = w->x + j * UGT_LANES;
        for (int i = 0; i < UGT_LANES; i++)
            x[i] = w->theta[w->order[j] * UGT_LANES + i] - later[i];
        add_density(&w->law[j], x, w->n, w->of_chain);
        add_odds(later, x);
    }
}

static UGT_WIDE void mixture_weights(ugt_point_work *w, double log_chain, double log_sectors)
{
    for (int i = 0; i < UGT_LANES; i++) {
        const double a = w->of_chain[i] + log_chain, b = w->of_sectors[i] + log_sectors;
        w->log_weight[i] = w->height[i] - (ugt_lane_max(a, b) + ugt_lane_log(1.0 + ugt_lane_exp(-fabs(a - b))));
    }
}

void ugt_mixture_weights(ugt_point_work *w)
{
    const double times = (double)(1 << w->part);
    for (int i = 0; i < UGT_LANES; i++)
        if (!w->sectors || i >= w->n)
            w->of_sectors[i] = w->of_chain[i];
    mixture_weights(w, log(times / (times + 1.0)), log(1.0 / (times + 1.0)));
    for (int i = 0; i < w->n; i++)
        if (!(w->log_weight[i] < INFINITY))
            w->log_weight[i] = -INFINITY;
}
