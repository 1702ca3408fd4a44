/* What is read off lines (lines.c): the parts of a line on which a class is first, moments, and the means over lines. */
#include "gauss.h"
#include "lines.h"
#include "wide.h"

#define UNEVEN 0.1         /* squared coefficient of variation of the totals of lines, above which the first lines may miss what matters */
#define LEAST_UNEVEN 128   /* lines of a shift before they may be enough, if they are uneven */

/* Returns the probability that one of the rest is above x times their sum, x >= 1/2: n P(b > x), b ~ Beta(a, (n - 1) a). */
static double tail_above(const ugt_lines *l, double x)
{
    const double top = pow(1.0 - x, l->tail_b);
    double sum = 0.0;
    for (int i = 0; i < UGT_GAUSS; i++)
        sum += GAUSS_WEIGHT[i] * pow(1.0 - pow(top * GAUSS_NODE[i], 1.0 / l->tail_b), l->tail_a - 1.0);
    return fmin(exp(l->log_tail) * top * sum, 1.0);
}

/* Fills the table of the integral of sinc from minus infinity: at t = j + phase / PER_NODE, j = -NODES to NODES - 1. */
void ugt_fill_sinc(double *table)
{
    const double pi = 3.14159265358979323846;
    const int row = 2 * NODES, rows = PER_NODE + 1;
    double *slope = table + rows * row, value = 0.5, sine[PER_NODE], between[PER_NODE * UGT_GAUSS];
    for (int phase = 0; phase < PER_NODE; phase++) {
        sine[phase] = sin(pi * phase / PER_NODE);
        for (int i = 0; i < UGT_GAUSS; i++)
            between[phase * UGT_GAUSS + i] = GAUSS_WEIGHT[i] * sin(pi * (phase + GAUSS_NODE[i]) / PER_NODE);
    }
    for (int at = 0; at <= NODES * PER_NODE; at++) { /* of t >= 0; the integral at -t is 1 minus that at t */
        const int j = at / PER_NODE, phase = at % PER_NODE;
        const double t = (double)at / PER_NODE, sign = j % 2 ? -1.0 : 1.0, sinc = at == 0 ? 1.0 : sign * sine[phase] / (pi * t);
        for (int side = 0; side < 2; side++) {
            const int whole = side ? -j - (phase > 0) : j, part = side ? (PER_NODE - phase) % PER_NODE : phase;
            if (whole >= -NODES && whole < NODES) {
                table[part * row + whole + NODES] = side ? 1.0 - value : value;
                slope[part * row + whole + NODES] = sinc;
            }
            if (part == 0 && whole > -NODES) { /* the last row is the first of the next nodes */
                table[PER_NODE * row + whole - 1 + NODES] = side ? 1.0 - value : value;
                slope[PER_NODE * row + whole - 1 + NODES] = sinc;
            }
        }
        for (int i = 0; i < UGT_GAUSS; i++)
            value += sign * between[phase * UGT_GAUSS + i] / (pi * (at + GAUSS_NODE[i]));
    }
}

/* Returns the integral of the density up to place, in steps from the first node. */
UGT_WIDE double ugt_line_integral(const ugt_lines *l, double place, int n)
{
    if (place >= NODES || place <= n - 1 - NODES)
        return place > 0.0 ? sum_of(l->line.density, n) : 0.0;
    const double whole = floor(place), part = (place - whole) * PER_NODE, phase = floor(part), x = part - phase;
    const int row = 2 * NODES, at = (int)phase * row + (int)whole + NODES, slopes = (PER_NODE + 1) * row;
    const double *v0 = l->integral + at, *v1 = v0 + row, *s0 = v0 + slopes, *s1 = v1 + slopes;
    const double h00 = (1.0 + 2.0 * x) * (1.0 - x) * (1.0 - x), h01 = x * x * (3.0 - 2.0 * x);
    const double h10 = x * (1.0 - x) * (1.0 - x) / PER_NODE, h11 = x * x * (x - 1.0) / PER_NODE;
    double part_of[NODES];
    for (int i = 0; i < n; i++)
        part_of[i] = l->line.density[i] * (h00 * v0[-i] + h01 * v1[-i] + h10 * s0[-i] + h11 * s1[-i]);
    return sum_of(part_of, n);
}

/* Adds to first the integrals over the parts of a line on which classes are first among the rivals. */
void ugt_add_first(ugt_lines *l, const ugt_direction *to, double begin, double total, double *first)
{
    const int k = to->order[0], n = to->n_nodes;
    int best = -1;
    for (int j = 0; j < l->n_rivals; j++)
        if (j != k && !(l->without >> j & 1u) && (best < 0 || l->theta[j] - (j == l->m) * l->handicap > l->theta[best] - (best == l->m) * l->handicap))
            best = j;
    first[k] += total;
    if (best >= 0) {
        const double behind = l->theta[best] - l->theta[k] + ((k == l->m) - (best == l->m)) * l->handicap;
        const double below = ugt_line_integral(l, (behind / to->axis[0] - begin) / to->step, n);
        first[k] -= below;
        first[best] += below;
    }
    const double other = best < 0 ? 0.0 : l->lambda[best];
    if (!l->has_tail || l->without >> l->m & 1u || !(l->lambda[l->m] > other))
        return;
    for (int i = 0; i < n; i++) { /* one of the rest may be first */
        const int listed = l->own[i] > other ? k : best;
        const double x = fmax(l->own[i], other) / l->lambda[l->m];
        if (x >= (l->has_above ? 0.5 : 1.0))
            continue;
        double tail = l->has_above ? 0.0 : tail_above(l, fmax(x, 0.5));
        if (x < 0.5) { /* between this and 1 */
            l->far += 0.5 * (1.0 - tail) * l->line.density[i];
            tail += 0.5 * (1.0 - tail);
        }
        first[listed] -= tail * l->line.density[i];
        first[l->m] += tail * l->line.density[i];
    }
}

UGT_WIDE void ugt_line_moments(ugt_lines *l, double more, double moment[4])
{
    const int n = l->line.n;
    double part[4][NODES];
    for (int i = 0; i < n; i++) {
        const double inverse = 1.0 / (l->others + l->own[i]), share = (more + l->own[i]) * inverse, density = l->line.density[i];
        part[0][i] = density * inverse;
        part[1][i] = part[0][i] * inverse;
        part[2][i] = density * share;
        part[3][i] = part[2][i] * share;
    }
    for (int j = 0; j < 4; j++)
        moment[j] = sum_of(part[j], n);
}

double ugt_mean_of_lines(const ugt_cubature *w, const ugt_lines *l, double *out, double *own)
{
    const int width = 1 + 3 * MOST_CLASSES, side = (int)w->n_competing, n = w->groups == NULL ? l->d : side;
    double off[SHIFTS][MOST_CLASSES] = {{0.0}}, values[3 * MOST_CLASSES], error = 0.0, total = 0.0;
    int from[MOST_CLASSES] = {0};
    memset(out, 0, (size_t)w->width * sizeof *out);
    for (int j = 0; j < l->n_directions; j++) {
        const ugt_direction *to = &l->of[j];
        double all = 0.0;
        for (int r = 0; r < SHIFTS; r++)
            all += to->sum[r * width];
        from[to->rival] = j;
        own[j] = to->n_lines < LEAST_UNEVEN && SHIFTS * (double)to->n_lines * to->squares > (1.0 + UNEVEN) * all * all ? INFINITY : 0.0;
    }
    for (int part = 0; part < 3; part++)
        for (int k = 0; k < n; k++) {
            const int of = part == 0 ? from[k] : 0, at = 1 + part * MOST_CLASSES + k;
            const double *sum = l->of[of].sum;
            double value = 0.0, all = 0.0, square = 0.0;
            for (int r = 0; r < SHIFTS; r++) {
                value += sum[r * width + at];
                all += sum[r * width];
            }
            value = fmax(value / all, 0.0); /* interpolation may be a little below 0 */
            values[part * MOST_CLASSES + k] = value;
            total += part == 0 ? value : 0.0;
            for (int r = 0; r < SHIFTS; r++) {
                const double one = SHIFTS * (sum[r * width + at] - value * sum[r * width]) / all;
                off[r][k] = part == 0 ? one : off[r][k];
                square += one * one;
            }
            if (part >= w->n_parts)
                continue;
            own[of] = fmax(own[of], sqrt(square / SHIFTS / (SHIFTS - 1)));
            error = part == 0 ? error : fmax(error, sqrt(square / SHIFTS / (SHIFTS - 1)));
        }
    for (int k = 0; k < n; k++) { /* probabilities are divided by their sum, to which all directions contribute */
        double square = 0.0;
        for (int r = 0; r < SHIFTS; r++) {
            double all = 0.0;
            for (int j = 0; j < n; j++)
                all += off[r][j];
            const double one = (off[r][k] - values[k] / total * all) / total;
            square += one * one;
        }
        error = fmax(error, sqrt(square / SHIFTS / (SHIFTS - 1)));
        for (int part = 0; part < 3; part++)
            out[part * side + k] = values[part * MOST_CLASSES + k];
    }
    return error;
}
