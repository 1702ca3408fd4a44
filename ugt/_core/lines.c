/* Randomised quasi-Monte Carlo over log plausibilities, with one of them integrated: for ties of too many orders, and ties that no whole
 * number of annotations counts.
 *
 * Up to its scale, theta = log lambda has the density exp F of map.c. Here F is computed with ties as they are (subset.c): nothing is
 * expanded. The coordinates are the log odds of each class against all later ones together,
 *     x_j = theta_j - log sum over l > j of e^theta_l,
 * with class k first, then the others in the order of their modes. Such x are independent for one ranking in this order and nearly so for
 * others; the determinant is 1. With the Cholesky factor L of minus the Hessian at the mode, x = mode + L^-T z; each z but the first is drawn
 * from the density along its axis, from a table, at points of an embedded lattice with random shifts and the tent map. The first z moves lambda_k
 * alone; along this line k is first from the largest of the other lambdas on. Sinc interpolation between equidistant nodes integrates over a half-line
 * about as exactly as the trapezoid rule does over the line (Stenger 1993), and the result is a continuous function of the other z (Griewank, Kuo,
 * Leovey & Sloan 2018). One more coordinate of the points moves the nodes, so that they make no bias. Each class that may well be first
 * has lines of its own; two share theirs. */
#include "gauss.h"
#include "lines.h"
#include "wide.h"

#define FIRST_LINES 32     /* of a shift and class */
#define UNEVEN 0.1         /* squared coefficient of variation of the totals of lines, above which the first lines may miss what matters */
#define LEAST_UNEVEN 128   /* lines of a shift before they may be enough, if they are uneven */
#define LATTICE_BITS 16    /* most lines of a shift: 2^16 */
#define MOST_FACTORS 10    /* of a product, before its logarithm */
#define FAR 2e-3           /* greatest bound of the error where all others together outweigh each mentioned class twice; it is stated */

/* Generating vector of an embedded lattice, found digit by digit: tests/twins/lines.py. */
static const uint32_t GENERATOR[MOST_CLASSES] = {1, 40239, 2451, 41227, 15029, 11407, 177, 55567, 32173, 27535, 10157, 2993, 37391, 51121, 16911, 58127, 41905, 14351, 945, 12303, 29455, 58289, 38671, 55311};

/* Adds weight * log(above / below) to the heights, and starts new products of another weight. */
static void take_log(ugt_product *p, double weight)
{
    for (int i = 0; i < p->n; i++)
        p->height[i] += p->weight * log(p->above[i] / p->below[i]);
    for (int i = 0; i < p->n; i++)
        p->above[i] = p->below[i] = 1.0;
    p->weight = weight;
    p->n_factors = 0;
}

/* Multiplies by the ways in which a tied block arrives before rates z (subset.c). k: the class of the line. */
static UGT_WIDE void multiply_tied(ugt_lines *l, const ugt_factor *one, int k, const double *z, ugt_product *p)
{
    const int n = p->n;
    double *rate = l->tied, *ways = rate + ((size_t)NODES << one->size);
    memcpy(rate, z, (size_t)n * sizeof *z);
    for (unsigned s = 1; s < 1u << one->size; s++) {
        double *own = rate + s * NODES, *q = ways + s * NODES;
        int high = one->size - 1;
        while (!(s >> high & 1u))
            high--;
        const double *before = rate + (s & ~(1u << high)) * NODES;
        const int class = one->member[high];
        for (int i = 0; i < n; i++)
            own[i] = before[i] + (class == k ? l->own[i] : l->lambda[class]);
        if (s == 1u << high) {
            for (int i = 0; i < n; i++)
                q[i] = 1.0;
            for (int t = 0; t < one->times; t++)
                for (int i = 0; i < n; i++)
                    p->below[i] *= own[i];
            continue;
        }
        memset(q, 0, (size_t)n * sizeof *q);
        for (int a = 0; a <= high; a++) {
            if (!(s >> a & 1u))
                continue;
            const double *first = rate + (1u << a) * NODES, *others = ways + (s & ~(1u << a)) * NODES;
            for (int i = 0; i < n; i++)
                q[i] += first[i] * others[i];
        }
        for (int i = 0; i < n; i++)
            q[i] /= own[i];
    }
    const double *q = ways + ((1u << one->size) - 1u) * NODES;
    for (int t = 0; t < one->times; t++)
        for (int i = 0; i < n; i++)
            p->above[i] *= q[i];
}

/* Fills F [n] at the nodes of the line of class k through theta, lambda, which begin at log lambda_k + begin and are in the ratio of power. */
static UGT_WIDE void fill(ugt_lines *l, int k, double begin, double step, const double *power, int n)
{
    double constant = 0.0, *z = l->sum;
    const double first = l->lambda[k] * exp(begin);
    ugt_product *line = &l->line, *point = &l->point;
    l->others = 0.0;
    for (int j = 0; j < l->d; j++) {
        constant += l->wins[j] * l->theta[j];
        l->others += j == k ? 0.0 : l->lambda[j];
    }
    line->n = n;
    line->n_factors = point->n_factors = 0;
    line->weight = l->total_shape;
    point->weight = point->height[0] = 0.0;
    point->n = 1;
    point->above[0] = point->below[0] = 1.0;
    for (int i = 0; i < n; i++) {
        l->own[i] = first * power[i];
        line->height[i] = constant + l->wins[k] * (begin + step * i);
        line->above[i] = 1.0;
        line->below[i] = l->others + l->own[i];
    }
    for (int j = 0; j < l->n_factors; j++) {
        const ugt_factor *one = &l->factors[j];
        double later = l->d > l->m && k != l->m ? l->lambda[l->m] : 0.0;
        int is_later = k == l->m, is_in = 0;
        for (int a = 0; a < one->size; a++)
            is_in |= one->member[a] == k;
        for (int a = one->size; a < one->size + one->n_later; a++) {
            is_later |= one->member[a] == k;
            later += one->member[a] == k ? 0.0 : l->lambda[one->member[a]];
        }
        ugt_product *p = is_in || is_later ? line : point;
        if (one->weight != p->weight || p->n_factors + one->times * one->size > MOST_FACTORS)
            take_log(p, one->weight);
        p->n_factors += one->times * one->size;
        if (one->size == 1)
            later += is_in ? 0.0 : l->lambda[one->member[0]];
        for (int i = 0; i < p->n; i++)
            z[i] = is_later || (is_in && one->size == 1) ? later + l->own[i] : later;
        if (one->size > 1)
            multiply_tied(l, one, k, z, p);
        for (int t = 0; t < one->times && one->size == 1; t++)
            for (int i = 0; i < p->n; i++)
                p->below[i] *= z[i];
    }
    take_log(line, 0.0);
    take_log(point, 0.0);
    for (int i = 0; i < n; i++)
        line->height[i] += point->height[0];
}

/* Sets theta and lambda at x; lambda of the last class is 1. */
void ugt_line_point(ugt_lines *l, const ugt_direction *to, const double *x)
{
    double later = 1.0;
    const int last = l->d - 1;
    l->theta[to->order[last]] = 0.0;
    l->lambda[to->order[last]] = 1.0;
    for (int j = last - 1; j >= 0; j--) {
        const double odds = exp(x[j]);
        l->lambda[to->order[j]] = odds * later;
        l->theta[to->order[j]] = x[j] + log(later);
        later += odds * later;
    }
}

/* Returns F at mode + z axis. */
double ugt_line_height(ugt_lines *l, const ugt_direction *to, const double *axis, double z)
{
    static const double one = 1.0;
    double x[MOST_CLASSES];
    for (int j = 0; j < l->d - 1; j++)
        x[j] = to->mode[j] + z * axis[j];
    ugt_line_point(l, to, x);
    fill(l, to->order[0], 0.0, 0.0, &one, 1);
    return l->line.height[0];
}

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
static void fill_integral(double *table)
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
static UGT_WIDE double integral_to(const ugt_lines *l, double place, int n)
{
    if (place >= NODES || place <= n - 1 - NODES)
        return place > 0.0 ? ugt_total_of(l->line.height, n) : 0.0;
    const double whole = floor(place), part = (place - whole) * PER_NODE, phase = floor(part), x = part - phase;
    const int row = 2 * NODES, at = (int)phase * row + (int)whole + NODES, slopes = (PER_NODE + 1) * row;
    const double *v0 = l->integral + at, *v1 = v0 + row, *s0 = v0 + slopes, *s1 = v1 + slopes;
    const double h00 = (1.0 + 2.0 * x) * (1.0 - x) * (1.0 - x), h01 = x * x * (3.0 - 2.0 * x);
    const double h10 = x * (1.0 - x) * (1.0 - x) / PER_NODE, h11 = x * x * (x - 1.0) / PER_NODE;
    double sum = 0.0;
    for (int i = 0; i < n; i++)
        sum += l->line.height[i] * (h00 * v0[-i] + h01 * v1[-i] + h10 * s0[-i] + h11 * s1[-i]);
    return sum;
}

/* Returns z for a coordinate in (0, 1), and subtracts its log density. */
static double draw_from(const ugt_axis_law *law, double t, double *log_weight)
{
    const int last = law->n - 1;
    if (t < law->below[0]) {
        const double log_share = log(t / law->below[0]);
        *log_weight -= law->height[0] + log_share;
        return law->z[0] + log_share / law->left;
    }
    if (t >= law->below[last]) {
        const double log_share = log((1.0 - t) / (1.0 - law->below[last]));
        *log_weight -= law->height[last] + log_share;
        return law->z[last] - log_share / law->right;
    }
    int low = 0, high = last;
    while (high - low > 1) {
        const int middle = (low + high) / 2;
        if (law->below[middle] <= t)
            low = middle;
        else
            high = middle;
    }
    const double rise = law->height[high] - law->height[low], u = (t - law->below[low]) / (law->below[high] - law->below[low]);
    const double part = fabs(rise) < 1e-6 ? u : log(1.0 + u * law->growth[low]) / rise;
    *log_weight -= law->height[low] + part * rise;
    return law->z[low] + part * CELL;
}

/* Adds to first the integrals over the parts of a line on which classes are first among the rivals. */
static void add_first(ugt_lines *l, const ugt_direction *to, double begin, double total, double *first)
{
    const int k = to->order[0], n = to->n_nodes;
    int best = -1;
    for (int j = 0; j < l->n_rivals; j++)
        if (j != k && !(l->without >> j & 1u) && (best < 0 || l->theta[j] - (j == l->m) * l->handicap > l->theta[best] - (best == l->m) * l->handicap))
            best = j;
    first[k] += total;
    if (best >= 0) {
        const double behind = l->theta[best] - l->theta[k] + ((k == l->m) - (best == l->m)) * l->handicap;
        const double below = integral_to(l, (behind / to->axis[0] - begin) / to->step, n);
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
            l->far += 0.5 * (1.0 - tail) * l->line.height[i];
            tail += 0.5 * (1.0 - tail);
        }
        first[listed] -= tail * l->line.height[i];
        first[l->m] += tail * l->line.height[i];
    }
}

/* Adds lines [from, end) of a shift. */
static void add_lines(ugt_cubature *w, ugt_lines *l, ugt_direction *to, int shift, int64_t from, int64_t end)
{
    const int d = l->d, size = d - 1, n = to->n_nodes, k = to->order[0];
    const double *by = to->shift + shift * MOST_CLASSES;
    double *sum = to->sum + shift * (1 + 3 * MOST_CLASSES), *first = sum + 1, *mean = first + MOST_CLASSES, *square = mean + MOST_CLASSES;
    for (int64_t i = from; i < end; i++) {
        double x[MOST_CLASSES], log_weight = -l->peak, moved = 0.0, once = 0.0, twice = 0.0, own_once = 0.0, own_twice = 0.0;
        uint32_t index = 0;
        for (int bit = 0; bit < LATTICE_BITS; bit++)
            index |= ((uint32_t)i >> bit & 1u) << (LATTICE_BITS - 1 - bit);
        memcpy(x, to->mode, (size_t)size * sizeof *x);
        for (int j = 0; j < size; j++) {
            double u = (double)(index * GENERATOR[j] & ((1u << LATTICE_BITS) - 1u)) / (1u << LATTICE_BITS) + by[j];
            u -= floor(u);
            if (j == size - 1) {
                moved = u;
                continue;
            }
            const double z = draw_from(&to->law[j + 1], ugt_clamp(1.0 - fabs(2.0 * u - 1.0), 1e-16, 1.0 - 1e-16), &log_weight);
            for (int c = 0; c <= j + 1; c++)
                x[c] += to->axis[(j + 1) * size + c] * z;
        }
        ugt_line_point(l, to, x);
        const double begin = to->begin + to->step * (moved - 0.5);
        fill(l, k, to->axis[0] * begin, to->axis[0] * to->step, to->power, n);
        for (int j = 0; j < n; j++)
            l->line.height[j] = exp(l->line.height[j] + log_weight);
        const double total = ugt_total_of(l->line.height, n);
        sum[0] += total;
        to->squares += total * total;
        l->all += total;
        add_first(l, to, begin, total, first);
        for (int j = 0; j < n && to == l->of; j++) {
            const double inverse = 1.0 / (l->others + l->own[j]), share = l->own[j] * inverse, part = l->line.height[j] * inverse;
            once += part;
            twice += part * inverse;
            own_once += l->line.height[j] * share;
            own_twice += l->line.height[j] * share * share;
        }
        for (int j = 0; j < d && to == l->of; j++) {
            mean[j] += j == k ? own_once : l->lambda[j] * once;
            square[j] += j == k ? own_twice : l->lambda[j] * l->lambda[j] * twice;
        }
    }
    w->leaves += end - from;
}

/* Sets out [width] and returns the largest standard error of a probability or a mean; own [n_directions]: that of each direction's numbers. */
static double mean_of_lines(const ugt_cubature *w, const ugt_lines *l, double *out, double *own)
{
    const int width = 1 + 3 * MOST_CLASSES, side = (int)w->m + 1;
    double off[SHIFTS][MOST_CLASSES] = {{0.0}}, values[3 * MOST_CLASSES], error = 0.0, total = 0.0;
    int from[MOST_CLASSES] = {0};
    memset(out, 0, (size_t)w->width * sizeof *out);
    for (int j = 0; j < l->n_directions; j++) {
        const ugt_direction *to = &l->of[j];
        double all = 0.0;
        for (int r = 0; r < SHIFTS; r++)
            all += to->sum[r * width];
        from[to->order[0]] = j;
        own[j] = to->n_lines < LEAST_UNEVEN && SHIFTS * (double)to->n_lines * to->squares > (1.0 + UNEVEN) * all * all ? INFINITY : 0.0;
    }
    for (int part = 0; part < 3; part++)
        for (int k = 0; k < l->d; k++) {
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
    for (int k = 0; k < l->d; k++) { /* probabilities are divided by their sum, to which all directions contribute */
        double square = 0.0;
        for (int r = 0; r < SHIFTS; r++) {
            double all = 0.0;
            for (int j = 0; j < l->d; j++)
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

static void free_lines(ugt_lines *l)
{
    if (l == NULL)
        return;
    free(l->factors);
    free(l->tied);
    free(l->of);
    free(l);
}

int ugt_lines_rule(ugt_cubature *w, const ugt_stages *stages, int64_t i, const volatile int32_t *stop, uint64_t key, double *out, double *error)
{
    double own[MOST_CLASSES];
    int possible;
    const double target = fmax(UGT_LATTICE_TARGET, w->options->tolerance);
    ugt_stream stream;
    *error = INFINITY;
    w->leaves = 0;
    if (w->sinc == NULL) {
        w->sinc = malloc(4 * (PER_NODE + 1) * NODES * sizeof *w->sinc);
        if (w->sinc == NULL)
            return UGT_ERR_MEMORY;
        fill_integral(w->sinc);
    }
    ugt_lines *l = calloc(1, sizeof *l);
    if (l == NULL)
        return UGT_ERR_MEMORY;
    int status = ugt_read_lines(w, l, stages, i, &possible);
    if (status == UGT_OK && possible)
        status = ugt_open_directions(w, l, stages, i, &possible);
    if (status != UGT_OK || !possible)
        goto out;
    ugt_stream_open(&stream, w->options->seed, key, 1, UGT_PURPOSE_LATTICE);
    for (int j = 0; j < l->n_directions; j++) {
        for (int r = 0; r < SHIFTS * MOST_CLASSES; r++)
            l->of[j].shift[r] = ugt_stream_uniform(&stream);
        own[j] = INFINITY;
    }
    for (;;) {
        int64_t wanted = 0;
        double worst = 0.0;
        for (int j = 0; j < l->n_directions; j++)
            worst = fmax(worst, own[j]);
        if (*error <= target && worst < INFINITY)
            break;
        const double limit = worst > target ? target : 0.5 * worst; /* the error of a probability comes from all directions */
        for (int j = 0; j < l->n_directions; j++)
            if (own[j] > limit && l->of[j].n_lines < 1 << LATTICE_BITS)
                wanted += SHIFTS * (l->of[j].n_lines > 0 ? l->of[j].n_lines : FIRST_LINES);
        if (wanted == 0 || (w->leaves > 0 && w->leaves + wanted > w->options->most_points))
            break;
        for (int j = 0; j < l->n_directions; j++) {
            ugt_direction *to = &l->of[j];
            const int64_t end = to->n_lines > 0 ? 2 * to->n_lines : FIRST_LINES;
            if (own[j] <= limit || end > 1 << LATTICE_BITS)
                continue;
            for (int r = 0; r < SHIFTS; r++) {
                if (*stop) {
                    status = UGT_STOPPED;
                    goto out;
                }
                add_lines(w, l, to, r, to->n_lines, end);
            }
            to->n_lines = end;
        }
        *error = mean_of_lines(w, l, out, own);
        if (l->far > FAR * l->all || !(*error < INFINITY)) {
            *error = INFINITY;
            break;
        }
    }
    *error += l->far / l->all;
out:
    free_lines(l);
    return status;
}
