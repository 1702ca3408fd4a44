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
#include "lines.h"
#include "wide.h"

#define FIRST_LINES 32     /* of a shift and class */
#define LATTICE_BITS 16    /* most lines of a shift: 2^16 */
#define MOST_FACTORS 10    /* of a product, before its logarithm */
#define MOST_POWER 64      /* that is multiplied out */
#define FAR 2e-3           /* greatest bound of the error where all others together outweigh each mentioned class twice; it is stated */

/* Generating vector of an embedded lattice, found digit by digit: tests/twins/lines.py. */
static const uint32_t GENERATOR[MOST_CLASSES] = {1, 40239, 2451, 41227, 15029, 11407, 177, 55567, 32173, 27535, 10157, 2993, 37391, 51121, 16911, 58127, 41905, 14351, 945, 12303, 29455, 58289, 38671, 55311};

/* Multiplies e^F by (above / below)^weight, and starts new products of another weight. Of a line, the value at one node goes to the log; powers
 * that are not whole, and those of lines whose density changes too much for products, go to the heights. Of points, all do. */
static UGT_WIDE void take_power(ugt_lines *l, ugt_product *p, double weight)
{
    double *restrict ratio = l->sum, *restrict density = p->density, *restrict above = p->above, *restrict below = p->below;
    const int n = p->n, is_line = p == &l->line;
    const double middle = above[n / 2] / below[n / 2]; /* 0 if the products overflow */
    const int is_usual = middle > 1e-250 && middle < 1e250;
    const int whole = is_line && is_usual && l->whole && p->weight <= MOST_POWER && p->weight == floor(p->weight);
    const double at = is_line && (n == 1 || is_usual) ? middle : 1.0, scale = 1.0 / at;
    for (int i = 0; i < n; i++)
        ratio[i] = above[i] / below[i] * scale;
    for (int left = whole ? (int)p->weight : 0; left > 0; left /= 2) {
        for (int i = 0; i < n && left % 2 != 0; i++)
            density[i] *= ratio[i];
        for (int i = 0; i < n && left > 1; i++)
            ratio[i] *= ratio[i];
    }
    for (int i = is_line && n == 1; i < n && !whole; i++) /* one node has all of it in the log */
        p->height[i] += p->weight * log(ratio[i]);
    p->log += is_line ? p->weight * log(at) : 0.0;
    p->has_heights |= !whole;
    for (int i = 0; i < n; i++)
        above[i] = below[i] = 1.0;
    p->weight = weight;
    p->n_factors = 0;
}

/* Multiplies by the ways in which a tied block arrives before rates z (subset.c). k: the class of the line, -1 for points. */
static UGT_WIDE void multiply_tied(ugt_lines *l, const ugt_factor *one, int k, const double *z, ugt_product *p)
{
    const int n = p->n;
    double *rate = l->tied, *ways = rate + ((size_t)NODES << one->size);
    memcpy(rate, z, (size_t)n * sizeof *z);
    for (unsigned s = 1; s < 1u << one->size; s++) {
        double *restrict own = rate + s * NODES, *restrict q = ways + s * NODES;
        int high = one->size - 1, low = 0;
        while (!(s >> high & 1u))
            high--;
        while (!(s >> low & 1u))
            low++;
        const double *before = rate + (s & ~(1u << high)) * NODES;
        const int class = one->member[high];
        if (k < 0 || class == k)
            for (int i = 0; i < n; i++)
                own[i] = before[i] + (k < 0 ? l->lambdas[class][i] : l->own[i]);
        else
            for (int i = 0; i < n; i++)
                own[i] = before[i] + l->lambda[class];
        if (low == high) {
            for (int t = 0; t < one->times; t++)
                for (int i = 0; i < n; i++)
                    p->below[i] *= own[i];
            continue;
        }
        const unsigned first = 1u << low, last = 1u << high;
        const double *rate_1 = rate + first * NODES, *rate_2 = rate + last * NODES;
        if (s == (first | last)) {
            for (int i = 0; i < n; i++)
                q[i] = (rate_1[i] + rate_2[i]) / own[i];
            continue;
        }
        const double *ways_1 = ways + (s & ~first) * NODES;
        for (int i = 0; i < n; i++)
            q[i] = rate_1[i] * ways_1[i];
        for (int a = low + 1; a <= high; a++) {
            if (!(s >> a & 1u))
                continue;
            const double *next = rate + (1u << a) * NODES, *others = ways + (s & ~(1u << a)) * NODES;
            for (int i = 0; i < n; i++)
                q[i] += next[i] * others[i];
        }
        for (int i = 0; i < n; i++)
            q[i] /= own[i];
    }
    const double *q = ways + ((1u << one->size) - 1u) * NODES;
    for (int t = 0; t < one->times; t++)
        for (int i = 0; i < n; i++)
            p->above[i] *= q[i];
}

/* Whether a factor changes along the line of class k. */
static int is_along(const ugt_lines *l, const ugt_factor *one, int k)
{
    int found = k == l->m;
    for (int a = 0; a < one->size + one->n_later; a++)
        found |= one->member[a] == k;
    return found;
}

/* Multiplies the product of a line, or of points with k = -1, by a factor. */
static UGT_WIDE void multiply(ugt_lines *l, const ugt_factor *one, int k, ugt_product *p)
{
    const int n = p->n, begin = one->size == 1 ? 0 : one->size;
    double *restrict z = l->sum, fixed = 0.0;
    if (one->weight != p->weight || p->n_factors + one->times * one->size > MOST_FACTORS)
        take_power(l, p, one->weight);
    p->n_factors += one->times * one->size;
    if (k < 0) {
        for (int i = 0; i < n; i++)
            z[i] = l->d > l->m ? l->lambdas[l->m][i] : 0.0;
        for (int a = begin; a < one->size + one->n_later; a++)
            for (int i = 0; i < n; i++)
                z[i] += l->lambdas[one->member[a]][i];
    } else {
        int moves = k == l->m;
        fixed = l->d > l->m && k != l->m ? l->lambda[l->m] : 0.0;
        for (int a = begin; a < one->size + one->n_later; a++) {
            moves |= one->member[a] == k;
            fixed += one->member[a] == k ? 0.0 : l->lambda[one->member[a]];
        }
        for (int i = 0; i < n; i++)
            z[i] = moves ? fixed + l->own[i] : fixed;
    }
    if (one->size > 1)
        multiply_tied(l, one, k, z, p);
    for (int t = 0; t < one->times && one->size == 1; t++)
        for (int i = 0; i < n; i++)
            p->below[i] *= z[i];
}

/* Sets the log of the factors of n points that do not change along the lines of class k. */
static UGT_WIDE void fill_points(ugt_lines *l, int k, int n)
{
    ugt_product *p = &l->point;
    p->n = n;
    p->n_factors = 0;
    p->weight = 0.0;
    for (int i = 0; i < n; i++) {
        p->above[i] = p->below[i] = 1.0;
        p->height[i] = 0.0;
    }
    for (int j = 0; j < l->d; j++)
        for (int i = 0; i < n; i++)
            p->height[i] += l->wins[j] * l->thetas[j][i];
    for (int j = 0; j < l->n_factors; j++)
        if (!is_along(l, &l->factors[j], k))
            multiply(l, &l->factors[j], -1, p);
    take_power(l, p, 0.0);
}

/* Fills the density at n nodes of the line of class k through theta, lambda, which begin at log lambda_k + begin: lambda_k is in the ratio of
 * power, and the factor that it has for its wins, in the ratio of rise. point: the log of the other factors. */
static UGT_WIDE void fill(ugt_lines *l, int k, double begin, double step, const double *power, const double *rise, int n, double point)
{
    const double first = l->lambda[k] * exp(begin);
    ugt_product *line = &l->line;
    l->others = 0.0;
    line->log = point + l->wins[k] * (begin + step * (n / 2));
    for (int j = 0; j < l->d; j++)
        l->others += j == k ? 0.0 : l->lambda[j];
    line->n = n;
    line->n_factors = 0;
    line->has_heights = !l->whole;
    line->weight = l->total_shape;
    for (int i = 0; i < n; i++) {
        l->own[i] = first * power[i];
        line->above[i] = 1.0;
        line->below[i] = l->others + l->own[i];
        line->density[i] = l->whole ? rise[i] : 1.0;
        line->height[i] = l->whole ? 0.0 : l->wins[k] * step * (i - n / 2);
    }
    for (int j = 0; j < l->n_factors; j++)
        if (is_along(l, &l->factors[j], k))
            multiply(l, &l->factors[j], k, line);
    take_power(l, line, 0.0);
}

/* Sets theta and lambda of n lines at x; lambda of the last class is 1. */
static UGT_WIDE void set_points(ugt_lines *l, const ugt_direction *to, const double x[][BLOCK], int n)
{
    const int last = l->d - 1;
    double later[BLOCK];
    for (int i = 0; i < n; i++) {
        l->thetas[to->order[last]][i] = 0.0;
        l->lambdas[to->order[last]][i] = later[i] = 1.0;
    }
    for (int j = last - 1; j >= 0; j--) {
        double *theta = l->thetas[to->order[j]], *lambda = l->lambdas[to->order[j]];
        for (int i = 0; i < n; i++)
            theta[i] = x[j][i] + log(later[i]);
        for (int i = 0; i < n; i++)
            lambda[i] = exp(x[j][i]);
        for (int i = 0; i < n; i++) {
            lambda[i] *= later[i];
            later[i] += lambda[i];
        }
    }
}

/* Takes theta and lambda of line i. */
static void take_point(ugt_lines *l, int i)
{
    for (int j = 0; j < l->d; j++) {
        l->theta[j] = l->thetas[j][i];
        l->lambda[j] = l->lambdas[j][i];
    }
}

void ugt_line_point(ugt_lines *l, const ugt_direction *to, const double *x)
{
    double one[MOST_CLASSES][BLOCK];
    for (int j = 0; j < l->d - 1; j++)
        one[j][0] = x[j];
    set_points(l, to, one, 1);
    take_point(l, 0);
}

/* Multiplies the density by e^log_weight and the powers that are still logs, and returns its sum over the nodes. */
static UGT_WIDE double finish(ugt_lines *l, double log_weight)
{
    ugt_product *p = &l->line;
    const double log_scale = p->log + log_weight, scale = p->has_heights ? 1.0 : exp(log_scale);
    for (int i = 0; i < p->n; i++)
        p->density[i] *= scale;
    for (int i = 0; i < p->n && p->has_heights; i++)
        p->density[i] *= exp(p->height[i] + log_scale);
    return sum_of(p->density, p->n);
}

/* Returns F at mode + z axis. */
double ugt_line_height(ugt_lines *l, const ugt_direction *to, const double *axis, double z)
{
    static const double one = 1.0;
    double x[MOST_CLASSES];
    for (int j = 0; j < l->d - 1; j++)
        x[j] = to->mode[j] + z * axis[j];
    ugt_line_point(l, to, x);
    fill_points(l, to->order[0], 1);
    fill(l, to->order[0], 0.0, 0.0, &one, &one, 1, l->point.height[0]);
    return l->line.log;
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
    int low = law->guide[(int)(t * GUIDES)];
    while (low < last - 1 && law->below[low + 1] <= t)
        low++;
    const int high = low + 1;
    const double rise = law->height[high] - law->height[low], u = (t - law->below[low]) / (law->below[high] - law->below[low]);
    const double part = fabs(rise) < 1e-6 ? u : log(1.0 + u * law->growth[low]) / rise;
    *log_weight -= law->height[low] + part * rise;
    return law->z[low] + part * CELL;
}

void ugt_line_coordinates(const uint32_t *index, int n, int j, double shift, double *coordinate)
{
    for (int i = 0; i < n; i++) {
        const double u = (double)(int32_t)(index[i] * GENERATOR[j] & ((1u << LATTICE_BITS) - 1u)) * (1.0 / (1u << LATTICE_BITS)) + shift;
        coordinate[i] = u >= 1.0 ? u - 1.0 : u;
    }
}

void ugt_line_draw(const ugt_axis_law *law, const double *coordinate, int n, double *z, double *log_weight)
{
    for (int i = 0; i < n; i++)
        z[i] = draw_from(law, ugt_clamp(1.0 - fabs(2.0 * coordinate[i] - 1.0), 1e-16, 1.0 - 1e-16), &log_weight[i]);
}

/* Sets x of lines [from, from + n) of a shift, and the log weight of each; moved: the coordinate that moves the nodes. */
static void draw_lines(ugt_lines *l, const ugt_direction *to, const double *shift, int64_t from, int n, double x[][BLOCK], double *log_weight,
                       double *moved)
{
    const int size = l->d - 1;
    uint32_t index[BLOCK];
    double z[BLOCK];
    for (int i = 0; i < n; i++) {
        index[i] = 0;
        for (int bit = 0; bit < LATTICE_BITS; bit++)
            index[i] |= ((uint32_t)(from + i) >> bit & 1u) << (LATTICE_BITS - 1 - bit);
    }
    for (int j = 0; j < size; j++)
        for (int i = 0; i < n; i++)
            x[j][i] = to->mode[j];
    for (int j = 0; j < size - 1; j++) {
        ugt_line_coordinates(index, n, j, shift[j], moved);
        ugt_line_draw(&to->law[j + 1], moved, n, z, log_weight);
        for (int c = 0; c <= j + 1; c++) {
            const double by = to->axis[(j + 1) * size + c];
            for (int i = 0; i < n; i++)
                x[c][i] += by * z[i];
        }
    }
    if (l->n_groups > 0)
        ugt_draw_shares(l, shift, index, n, log_weight);
    ugt_line_coordinates(index, n, size - 1, shift[size - 1], moved);
}

/* Adds lines [from, end) of a shift. */
static void add_lines(ugt_cubature *w, ugt_lines *l, ugt_direction *to, int shift, int64_t from, int64_t end)
{
    const int d = l->d, k = to->order[0];
    double *sum = to->sum + shift * (1 + 3 * MOST_CLASSES), *first = sum + 1, *mean = first + MOST_CLASSES, *square = mean + MOST_CLASSES;
    double x[MOST_CLASSES][BLOCK], log_weight[BLOCK], moved[BLOCK];
    l->whole = to->whole;
    for (int64_t i = from; i < end; i++) {
        const int at = (int)((i - from) % BLOCK);
        if (at == 0) {
            const int n = end - i < BLOCK ? (int)(end - i) : BLOCK;
            for (int j = 0; j < n; j++)
                log_weight[j] = -l->peak;
            draw_lines(l, to, to->shift + shift * MOST_CLASSES, i, n, x, log_weight, moved);
            set_points(l, to, x, n);
            fill_points(l, k, n);
        }
        take_point(l, at);
        const double begin = to->begin + to->step * (moved[at] - 0.5);
        fill(l, k, to->axis[0] * begin, to->axis[0] * to->step, to->power, to->rise, to->n_nodes, l->point.height[at]);
        const double total = finish(l, log_weight[at]);
        sum[0] += total;
        to->squares += total * total;
        l->all += total;
        if (l->n_groups > 0) {
            ugt_add_groups(l, to, at, begin, total, first, to == l->of ? mean : NULL, square);
            continue;
        }
        ugt_add_first(l, to, begin, total, first);
        if (to != l->of)
            continue;
        double moment[4];
        ugt_line_moments(l, 0.0, moment);
        for (int j = 0; j < d; j++) {
            mean[j] += j == k ? moment[2] : l->lambda[j] * moment[0];
            square[j] += j == k ? moment[3] : l->lambda[j] * l->lambda[j] * moment[1];
        }
    }
    w->leaves += end - from;
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
        ugt_fill_sinc(w->sinc);
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
        *error = ugt_mean_of_lines(w, l, out, own);
        if (l->far > FAR * l->all || !(*error < INFINITY)) {
            *error = INFINITY;
            break;
        }
    }
    *error = fmax(*error + l->far / l->all, exp(-DEEP));
out:
    free_lines(l);
    return status;
}
