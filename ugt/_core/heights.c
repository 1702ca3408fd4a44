/* Log densities of points of a Plackett-Luce posterior, sixteen points at a time.
 *
 * Up to its scale, theta = log lambda has the density exp F of map.c, with Lebesgue measure modulo a common shift. A stage of one class k before
 * the later classes l is lambda_k / S(l + k), S a sum of lambdas; a tied block b is Q(b) prod_{k in b} lambda_k / S(l + k), 1 <= Q <= |b|!
 * (subset.c), for any real weight w. So
 *
 *   F = sum_k wins_k theta_k - sum over sets s of W_s log S(s) + sum over tied blocks of w log Q,
 *
 * where stages with the same set s share a logarithm. Plausibilities are taken by the largest one. If they differ by more than e^600,
 * sums are taken by their own largest term, and Q from ratios of sums: nothing is cut off. */
#include "points.h"

void ugt_points_free(ugt_point_work *w)
{
    free(w->sum);
    free(w->tied);
    free(w->member);
    free(w->win);
    free(w->shapes);
    free(w->law);
    free(w->order);
    free(w->exponent);
    free(w->ways);
}

/* Adds weight to the sum over class k and the later ones of a stage (and the rest), which may be known already. */
static int add_sum(ugt_point_work *w, int32_t k, const int32_t *later, int64_t n_later, double weight)
{
    int status = ugt_make_room(&w->sum, &w->sum_room, w->n_sums + 1, sizeof *w->sum);
    if (status == UGT_OK)
        status = ugt_make_room(&w->member, &w->member_room, w->n_members + n_later + 2, sizeof *w->member);
    if (status == UGT_OK)
        status = ugt_make_room(&w->win, &w->win_room, w->n_members + n_later + 2, sizeof *w->win);
    if (status != UGT_OK)
        return status;
    int32_t *own = w->member + w->n_members;
    int64_t n = 0, j = 0, place;
    while (j < n_later && later[j] < k)
        own[n++] = later[j++];
    place = n;
    own[n++] = k;
    while (j < n_later)
        own[n++] = later[j++];
    if (w->d > w->m)
        own[n++] = (int32_t)w->m;
    for (int64_t s = 0; s < w->n_sums; s++) {
        if (w->sum[s].size == n && memcmp(w->member + w->sum[s].at, own, (size_t)n * sizeof *own) == 0) {
            w->sum[s].weight += weight;
            w->win[w->sum[s].at + place] += weight;
            return UGT_OK;
        }
    }
    w->sum[w->n_sums++] = (ugt_point_factor){weight, w->n_members, n, 0};
    for (int64_t a = 0; a < n; a++)
        w->win[w->n_members + a] = a == place ? weight : 0.0;
    w->n_members += n;
    return UGT_OK;
}

static int add_stage(ugt_point_work *w, const ugt_stage *stage)
{
    const int32_t *block = w->stages->member + stage->at, *later = block + stage->size;
    const double weight = w->reliability * stage->count;
    int status = UGT_OK;
    for (int32_t a = 0; a < stage->size && status == UGT_OK; a++) {
        w->wins[block[a]] += weight;
        status = add_sum(w, block[a], later, stage->n_later, weight);
    }
    if (stage->size == 1 || status != UGT_OK)
        return status;
    const int64_t n = stage->size + stage->n_later, at = w->n_members;
    status = ugt_make_room(&w->tied, &w->tied_room, w->n_tied + 1, sizeof *w->tied);
    if (status == UGT_OK)
        status = ugt_make_room(&w->member, &w->member_room, at + n + 1, sizeof *w->member);
    if (status != UGT_OK)
        return status;
    memcpy(w->member + at, block, (size_t)n * sizeof *block);
    if (w->d > w->m)
        w->member[at + n] = (int32_t)w->m;
    w->tied[w->n_tied++] = (ugt_point_factor){weight, at, stage->size, stage->n_later + (w->d > w->m)};
    w->n_members += n + (w->d > w->m);
    return UGT_OK;
}

/* Makes room for the arrays of a case of d classes, all in one piece. */
static int make_arrays(ugt_point_work *w)
{
    const int64_t d = w->d > 0 ? w->d : 1;
    free(w->shapes);
    free(w->law);
    free(w->order);
    w->law = malloc(ugt_bytes(d, sizeof *w->law));
    w->order = malloc(ugt_bytes(2 * d, sizeof *w->order));
    double **vector[] = {&w->shapes, &w->wins, &w->alpha, &w->beta}, **block[] = {&w->x, &w->theta, &w->lambda};
    double *next = w->shapes = malloc(ugt_bytes((6 + 3 * UGT_LANES) * d, sizeof *next));
    if (w->ways == NULL)
        w->ways = malloc(sizeof *w->ways * 2 * UGT_LANES << UGT_SMALL_BLOCK);
    if (w->law == NULL || w->order == NULL || next == NULL || w->ways == NULL)
        return UGT_ERR_MEMORY;
    for (size_t v = 0; v < sizeof vector / sizeof *vector; v++, next += d)
        *vector[v] = next;
    for (size_t v = 0; v < sizeof block / sizeof *block; v++, next += d * UGT_LANES)
        *block[v] = next;
    w->scratch = next;
    w->image = w->order + d;
    return UGT_OK;
}

int ugt_points_read(ugt_point_work *w, int64_t i)
{
    const ugt_stages *in = w->stages;
    w->m = in->class_offsets[i + 1] - in->class_offsets[i];
    w->others = w->rest == UGT_REST_IGNORE ? 0 : in->n_classes - w->m;
    w->d = w->m + (w->others > 0);
    w->n_sums = w->n_tied = w->n_members = 0;
    int status = make_arrays(w);
    double total = 0.0;
    for (int64_t k = 0; k < w->d && status == UGT_OK; k++) {
        w->shapes[k] = w->wins[k] = k == w->m && w->rest == UGT_REST_INDIVIDUAL ? (double)w->others * w->shape : w->shape;
        total += w->shapes[k];
        w->order[k] = k;
    }
    if (status == UGT_OK) { /* the sum over all classes is number 0 */
        int32_t *all = (int32_t *)w->law; /* large enough */
        for (int64_t k = 0; k < w->m; k++)
            all[k] = (int32_t)k;
        status = w->m == 0 ? UGT_OK : add_sum(w, 0, all + 1, w->m - 1, total);
        for (int64_t k = 0; k < w->d && status == UGT_OK && w->m > 0; k++)
            w->win[k] = w->shapes[k];
    }
    for (int64_t j = in->stage_offsets[i]; j < in->stage_offsets[i + 1] && status == UGT_OK; j++)
        status = add_stage(w, &in->stage[j]);
    return status;
}

/* Adds weight times the log of a sum to the heights. */
static UGT_WIDE void take_sum(const ugt_point_work *w, const ugt_point_factor *sum, double *restrict height)
{
    double z[UGT_LANES] = {0.0};
    for (int64_t a = sum->at; a < sum->at + sum->size; a++) {
        const double *restrict lambda = w->lambda + w->member[a] * UGT_LANES;
        for (int i = 0; i < UGT_LANES; i++)
            z[i] += lambda[i];
    }
    for (int i = 0; i < UGT_LANES; i++)
        height[i] -= sum->weight * ugt_lane_log(z[i]);
}

/* Adds weight times log Q of a small tied block. */
static UGT_WIDE void take_tied(const ugt_point_work *w, const ugt_point_factor *one, double *restrict height)
{
    double *rate = w->ways, *ways = rate + ((size_t)UGT_LANES << one->size);
    const int32_t *member = w->member + one->at;
    for (int i = 0; i < UGT_LANES; i++)
        rate[i] = 0.0;
    for (int64_t a = one->size; a < one->size + one->n_later; a++)
        for (int i = 0; i < UGT_LANES; i++)
            rate[i] += w->lambda[member[a] * UGT_LANES + i];
    for (int64_t s = 1, last = 0; s < (int64_t)1 << one->size; s++) {
        last += s >> (last + 1); /* the last class of s: 0 or 1 is added */
        double *restrict own = rate + s * UGT_LANES, *restrict q = ways + s * UGT_LANES;
        const int64_t before = s - ((int64_t)1 << last);
        for (int i = 0; i < UGT_LANES; i++)
            own[i] = rate[before * UGT_LANES + i] + w->lambda[member[last] * UGT_LANES + i];
        for (int i = 0; i < UGT_LANES; i++)
            q[i] = before == 0 ? 1.0 : 0.0;
        if (before == 0)
            continue;
        for (int64_t a = 0; a <= last; a++) {
            if (!(s >> a & 1))
                continue;
            const double *one_rate = rate + ((size_t)UGT_LANES << a), *others = ways + (s - ((int64_t)1 << a)) * UGT_LANES;
            for (int i = 0; i < UGT_LANES; i++)
                q[i] += one_rate[i] * others[i];
        }
        for (int i = 0; i < UGT_LANES; i++)
            q[i] /= own[i];
    }
    const double *q = ways + (((size_t)1 << one->size) - 1) * UGT_LANES;
    for (int i = 0; i < UGT_LANES; i++)
        height[i] += one->weight * ugt_lane_log(q[i]);
}

/* Returns the log of the sum of n plausibilities of point i, by the largest of them. */
static double log_sum(const ugt_point_work *w, const int32_t *member, int64_t n, int i)
{
    double top = -INFINITY, sum = 0.0;
    for (int64_t a = 0; a < n; a++)
        top = fmax(top, w->theta[member[a] * UGT_LANES + i]);
    for (int64_t a = 0; a < n; a++)
        sum += exp(w->theta[member[a] * UGT_LANES + i] - top);
    return n == 0 ? -INFINITY : top + log(sum);
}

static double log_add(double x, double y)
{
    return x > y ? x + log1p(exp(y - x)) : x == -INFINITY ? y : y + log1p(exp(x - y));
}

/* Returns log Q of a block of point i, of any size and range. A block of many classes takes the integral of block.c; where x = lambda / S(later)
 * is tiny, p is proportional to it. */
static double log_ways(const ugt_point_work *w, const ugt_point_factor *one, int i)
{
    const int32_t *member = w->member + one->at;
    const double z = log_sum(w, member + one->size, one->n_later, i);
    if (one->size > UGT_SMALL_BLOCK) {
        double log_p = 0.0, *x = w->scratch;
        for (int64_t a = 0; a < one->size; a++) {
            const double t = w->theta[member[a] * UGT_LANES + i], odds = t - z;
            x[a] = exp(fmin(fmax(odds, -460.0), 690.0));
            log_p += fmin(odds + 460.0, 0.0) + log_add(odds, 0.0) - odds;
        }
        return log_p + ugt_block_log_probability(x, one->size, NULL);
    }
    double *rate = w->ways, *ways = rate + ((size_t)1 << one->size);
    rate[0] = z;
    ways[0] = 1.0;
    for (int64_t s = 1, last = 0; s < (int64_t)1 << one->size; s++) {
        last += s >> (last + 1);
        rate[s] = log_add(rate[s - ((int64_t)1 << last)], w->theta[member[last] * UGT_LANES + i]);
        ways[s] = s == (int64_t)1 << last ? 1.0 : 0.0;
        for (int64_t a = 0; a <= last && s != (int64_t)1 << last; a++)
            if (s >> a & 1)
                ways[s] += exp(rate[(int64_t)1 << a] - rate[s]) * ways[s - ((int64_t)1 << a)];
    }
    return log(ways[((size_t)1 << one->size) - 1]);
}

/* Sets the height of a point whose plausibilities differ too much for sums. */
static void take_wide(ugt_point_work *w, int i)
{
    double height = 0.0;
    for (int64_t s = 0; s < w->n_sums; s++) { /* term by term: sums of huge logs would lose all digits */
        const ugt_point_factor *sum = &w->sum[s];
        const double total = log_sum(w, w->member + sum->at, sum->size, i);
        for (int64_t a = sum->at; a < sum->at + sum->size; a++)
            height += w->win[a] * (w->theta[w->member[a] * UGT_LANES + i] - total);
    }
    for (int64_t f = 0; f < w->n_tied; f++)
        height += w->tied[f].weight * log_ways(w, &w->tied[f], i);
    w->height[i] = height;
}

/* Shifts theta so that the largest one is 0; sets lambda, the totals and whether points are wide. */
static UGT_WIDE void take_lambda(ugt_point_work *w, double *restrict height)
{
    double top[UGT_LANES], least[UGT_LANES];
    for (int i = 0; i < UGT_LANES; i++) {
        top[i] = least[i] = w->theta[i];
        w->total[i] = height[i] = 0.0;
    }
    for (int64_t k = 1; k < w->d; k++) {
        for (int i = 0; i < UGT_LANES; i++) {
            top[i] = ugt_lane_max(top[i], w->theta[k * UGT_LANES + i]);
            least[i] = -ugt_lane_max(-least[i], -w->theta[k * UGT_LANES + i]);
        }
    }
    for (int64_t k = 0; k < w->d; k++) {
        double *restrict theta = w->theta + k * UGT_LANES, *restrict lambda = w->lambda + k * UGT_LANES;
        for (int i = 0; i < UGT_LANES; i++) {
            theta[i] -= top[i];
            lambda[i] = ugt_lane_exp(theta[i]);
            w->total[i] += lambda[i];
            height[i] += w->wins[k] * theta[i];
        }
    }
    for (int i = 0; i < UGT_LANES; i++)
        w->is_wide[i] = !(top[i] - least[i] < UGT_WIDEST);
}

void ugt_point_heights(ugt_point_work *w)
{
    for (int64_t k = 0; k < w->d; k++) /* places that have no point are the first one */
        for (int i = w->n; i < UGT_LANES; i++)
            w->theta[k * UGT_LANES + i] = w->theta[k * UGT_LANES];
    take_lambda(w, w->height);
    for (int64_t s = 0; s < w->n_sums; s++)
        take_sum(w, &w->sum[s], w->height);
    for (int64_t f = 0; f < w->n_tied; f++) {
        if (w->tied[f].size <= UGT_SMALL_BLOCK)
            take_tied(w, &w->tied[f], w->height);
        for (int i = 0; i < w->n && w->tied[f].size > UGT_SMALL_BLOCK; i++)
            w->height[i] += w->is_wide[i] ? 0.0 : w->tied[f].weight * log_ways(w, &w->tied[f], i);
    }
    for (int i = 0; i < w->n; i++)
        if (w->is_wide[i])
            take_wide(w, i);
}
