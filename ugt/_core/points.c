/* Weighted points of Plackett-Luce posteriors: importance sampling from the two laws of proposals.c, with bounded weights.
 *
 * Each of 16 shifts has n points of the chain and n / 2^part of sectors, both from an embedded lattice with a random shift and the tent map; they
 * count as one sample of the mixture, with weight e^F / mixture (balance heuristic; Veach & Guibas 1995, Owen & Zhou 2000). A number is
 * sum w g / sum w, and its error the standard error of the 16 shifts, times the standard deviation of Student's t, whose tails it has; at
 * least 1 / effective size, for events that no point met. */
#include "points.h"

#define LATTICE_BITS 16
#define LATTICE_DIMENSIONS 24
#define MORE 4    /* doublings for doubtful errors */
#define MOST_EVEN 1000.0 /* shape above which shares are too even for the table of the largest one */
#define LEAST_SHAPE 1e-10 /* below, log plausibilities are so large that their differences are lost */
#define LEAST_COORDINATE 1e-16

/* Generating vector of an embedded lattice, found digit by digit: tests/twins/points.py. */
static const uint32_t GENERATOR[LATTICE_DIMENSIONS] = {1,     40239, 2451,  41227, 15029, 11407, 177,   55567, 32173, 27535, 10157, 2993,
                                                       37391, 51121, 16911, 58127, 41905, 14351, 945,   12303, 29455, 58289, 38671, 55311};

/* The points of a case, in the order in which they are made; shifts do not depend on how many there are. */
typedef struct {
    ugt_point_work w;
    ugt_largest_share largest;
    uint64_t seed;
    const uint64_t *stream_key;
    double *u, *shift;      /* coordinates of a block; [2 * UGT_SHIFTS * 2 d]: of both laws */
    ugt_stream *stream;     /* [2 * UGT_SHIFTS] of coordinates beyond the lattice */
    ugt_stream singles;     /* of shares of the classes that are not mentioned */
} maker;

enum { LEARNING, SHIFTING, BEYOND = 3 }; /* 2: drawing from points, in Python */

static void close_maker(maker *p)
{
    ugt_points_free(&p->w);
    free(p->largest.value);
    free(p->u);
    free(p->stream);
}

static void open_maker(maker *p, const ugt_stages *stages, const uint64_t *stream_key, const ugt_points_law *law)
{
    memset(p, 0, sizeof *p);
    p->w.stages = stages;
    p->w.reliability = law->reliability;
    p->w.shape = law->shape;
    p->w.rest = law->rest;
    p->seed = law->seed;
    p->stream_key = stream_key;
}

/* Reads a case, draws its shifts, and starts its points anew. */
static int open_case(maker *p, int64_t i)
{
    int status = ugt_points_read(&p->w, i);
    const int64_t d = p->w.d, n = 2 * UGT_SHIFTS * 2 * d;
    if (status != UGT_OK)
        return status;
    free(p->u);
    free(p->stream);
    p->u = malloc(ugt_bytes(n + 2 * d * UGT_LANES, sizeof *p->u));
    p->stream = malloc(2 * UGT_SHIFTS * sizeof *p->stream);
    if (p->u == NULL || p->stream == NULL)
        return UGT_ERR_MEMORY;
    p->shift = p->u + 2 * d * UGT_LANES;
    ugt_stream_open(p->stream, p->seed, p->stream_key[i], SHIFTING, UGT_PURPOSE_POINTS);
    for (int64_t j = 0; j < n; j++)
        p->shift[j] = ugt_stream_uniform(p->stream);
    for (int r = 0; r < 2 * UGT_SHIFTS; r++)
        ugt_stream_open(&p->stream[r], p->seed, p->stream_key[i], (uint64_t)(BEYOND + r), UGT_PURPOSE_POINTS);
    ugt_stream_open(&p->singles, p->seed, p->stream_key[i], BEYOND + 2 * UGT_SHIFTS, UGT_PURPOSE_POINTS);
    if (p->largest.n != p->w.others || p->largest.shape != p->w.shape) {
        free(p->largest.value);
        p->largest = (ugt_largest_share){.n = p->w.others, .shape = p->w.shape};
    }
    return UGT_OK;
}

/* The bits in reverse: the first 2^k points are a lattice for any k. */
static uint32_t reversed(uint32_t i)
{
    i = (i & 0x5555u) << 1 | (i >> 1 & 0x5555u);
    i = (i & 0x3333u) << 2 | (i >> 2 & 0x3333u);
    i = (i & 0x0f0fu) << 4 | (i >> 4 & 0x0f0fu);
    return (i & 0x00ffu) << 8 | i >> 8;
}

/* Turns coordinates in [0, 1) into those of a shifted point under the tent map. */
static UGT_WIDE void fold(double *restrict u, double moved)
{
    for (int i = 0; i < UGT_LANES; i++) {
        double at = u[i] + moved;
        at -= at >= 1.0 ? 1.0 : 0.0;
        at = 1.0 - fabs(2.0 * at - 1.0);
        at = at > LEAST_COORDINATE ? at : LEAST_COORDINATE;
        u[i] = at < 1.0 - LEAST_COORDINATE ? at : 1.0 - LEAST_COORDINATE;
    }
}

/* Makes points from, from + 1, ... of one law and a shift, at most up to `to`: a block with its weights. */
static void make_block(maker *p, int shift, int of_sectors, int64_t from, int64_t to)
{
    ugt_point_work *w = &p->w;
    const int which = of_sectors * UGT_SHIFTS + shift;
    const int64_t dims = of_sectors ? 2 * w->d - 1 : w->d - 1;
    uint32_t index[UGT_LANES];
    w->n = to - from < UGT_LANES ? (int)(to - from) : UGT_LANES;
    for (int i = 0; i < UGT_LANES; i++)
        index[i] = reversed((uint32_t)(from + i) & ((1u << LATTICE_BITS) - 1u));
    for (int64_t j = 0; j < dims; j++) {
        double *u = p->u + j * UGT_LANES;
        if (j < LATTICE_DIMENSIONS)
            for (int i = 0; i < UGT_LANES; i++)
                u[i] = (double)(int32_t)(index[i] * GENERATOR[j] & ((1u << LATTICE_BITS) - 1u)) * (1.0 / (1u << LATTICE_BITS));
        else
            for (int i = 0; i < UGT_LANES; i++)
                u[i] = i < w->n ? ugt_stream_uniform(&p->stream[which]) : 0.5;
        fold(u, p->shift[which * 2 * w->d + j]);
    }
    if (of_sectors)
        ugt_sector_points(w, p->u);
    else
        ugt_chain_points(w, p->u);
    ugt_mixture_weights(w);
}

/* ---- what is kept of a proposal: alpha [m + 1], beta [m + 1], order [m + 1]; the last beta is no stick's: the part of sectors ---- */

static void keep(const ugt_point_work *w, double *fit)
{
    const int64_t width = w->m + 1;
    for (int64_t j = 0; j < width; j++) {
        const int is_stick = j + 1 < w->d;
        fit[j] = is_stick ? w->alpha[j] : 0.0;
        fit[width + j] = is_stick ? w->beta[j] : (double)w->part;
        fit[2 * width + j] = j < w->d ? (double)w->order[j] : 0.0;
    }
}

/* Sets the proposal from what was kept. UGT_ERR_VALUE: it is not one. */
static int restore(ugt_point_work *w, const double *fit)
{
    const int64_t width = w->m + 1;
    if (w->m == 0 || !(fit[2 * width - 1] >= 0.0 && fit[2 * width - 1] <= UGT_MOST_PART))
        return UGT_ERR_VALUE;
    w->part = (int)fit[2 * width - 1];
    w->sectors = w->d > 1 && w->d <= UGT_SECTORS_TO;
    for (int64_t j = 0; j < w->d; j++) {
        if (!(fit[2 * width + j] >= 0.0 && fit[2 * width + j] < (double)w->d))
            return UGT_ERR_VALUE;
        w->order[j] = (int64_t)fit[2 * width + j];
    }
    for (int64_t j = 0; j + 1 < w->d; j++) {
        w->alpha[j] = fit[j];
        w->beta[j] = fit[width + j];
        if (!(w->alpha[j] > 0.0 && w->beta[j] > 0.0 && w->alpha[j] < INFINITY && w->beta[j] < INFINITY))
            return UGT_ERR_VALUE;
    }
    ugt_chain_open(w);
    return w->sectors ? ugt_sectors_open(w) : UGT_OK;
}

static int64_t with_sectors(int64_t m, int has_rest, const double *fit, int64_t n_points)
{
    const int64_t d = m + has_rest;
    const int is_fit = fit[2 * m + 1] >= 0.0 && fit[2 * m + 1] <= UGT_MOST_PART;
    return is_fit && d > 1 && d <= UGT_SECTORS_TO ? n_points + (n_points >> (int)fit[2 * m + 1]) : n_points;
}

int64_t ugt_points_count(const ugt_stages *stages, int rest, int64_t row, const double *fit, int64_t n_points)
{
    const int64_t m = stages->class_offsets[row + 1] - stages->class_offsets[row];
    return UGT_SHIFTS * with_sectors(m, rest != UGT_REST_IGNORE && m < stages->n_classes, fit, n_points);
}

/* ---- numbers of a case ---- */

/* Sets *chance to P(the largest other class has at most the share e^-lead of all of them); of shapes that are too large for the table, to
 * whether one draw does. */
static int largest_at_most(maker *p, double lead, double *chance)
{
    const double n = (double)p->w.others, shape = p->w.shape, log_n = log(n);
    if (shape <= MOST_EVEN)
        return ugt_largest_at_most(&p->largest, exp(fmin(lead, 700.0)), chance);
    *chance = 1.0;
    if (log_n - lead > 12.0 * sqrt((1.0 + log_n) / shape))
        return UGT_OK;
    double top = 0.0, total = 0.0;
    for (int64_t j = 0; j < p->w.others; j++) {
        const double own = exp(ugt_stream_log_gamma(&p->singles, shape) - log(shape));
        top = fmax(top, own);
        total += own;
    }
    *chance = top <= total * exp(-lead);
    return UGT_OK;
}

/* Adds a block to the sums of a shift. */
static int add_block(maker *p, ugt_tally *t, int shift)
{
    ugt_point_work *w = &p->w;
    double *sum = t->sum + shift * (1 + 3 * t->width), weight[UGT_LANES], share[UGT_LANES];
    ugt_tally_raise_peak(t, w);
    t->n += w->n;
    for (int i = 0; i < w->n; i++) {
        if (t->n_large < UGT_MOST_LARGE || w->log_weight[i] > t->large[0])
            ugt_tally_offer(t, w->log_weight[i]);
        weight[i] = w->log_weight[i] > -INFINITY ? exp(w->log_weight[i] - t->peak) : 0.0;
        share[i] = weight[i] / w->total[i];
        sum[0] += weight[i];
        t->squares += weight[i] * weight[i];
        const double *theta = w->theta + i;
        int64_t best = 0;
        for (int64_t k = 1; k < w->m; k++)
            best = theta[k * UGT_LANES] > theta[best * UGT_LANES] ? k : best;
        double of_rest = 0.0;
        if (w->d > w->m) {
            const double lead = theta[w->m * UGT_LANES] - theta[best * UGT_LANES];
            if (w->rest == UGT_REST_LUMP || w->others == 1) {
                of_rest = lead > log((double)w->others) ? 1.0 : 0.0;
            } else if (lead > 0.0) {
                const int status = largest_at_most(p, lead, &of_rest);
                if (status != UGT_OK)
                    return status;
                of_rest = 1.0 - of_rest;
            }
        }
        sum[1 + best] += weight[i] * (1.0 - of_rest);
        sum[t->width] += weight[i] * of_rest;
    }
    for (int64_t k = 0; k < w->d; k++) {
        const double *lambda = w->lambda + k * UGT_LANES;
        for (int i = 0; i < w->n; i++) {
            const double part = share[i] * lambda[i];
            sum[1 + t->width + k] += part;
            sum[1 + 2 * t->width + k] += part * lambda[i] / w->total[i];
        }
    }
    return UGT_OK;
}

/* Learns the proposal of a case and adds points until the error is small enough. */
static int fit_case(maker *p, ugt_tally *t, int64_t i, const ugt_points_law *law, const volatile int32_t *stop, double *fit, double *out, double *error,
                    double *info)
{
    ugt_stream stream;
    ugt_point_work *w = &p->w;
    const int64_t width = w->m + 1;
    for (int64_t j = 0; j < 3 * width; j++)
        fit[j] = out[j] = error[j] = NAN;
    for (int j = 0; j < UGT_POINTS_INFO; j++)
        info[j] = 0.0;
    if (w->m == 0 || w->shape < LEAST_SHAPE)
        return UGT_OK;
    ugt_exchangeable(w->stages, i, w->image);
    ugt_stream_open(&stream, p->seed, p->stream_key[i], LEARNING, UGT_PURPOSE_POINTS);
    int status = ugt_proposal_learn(w, i, &stream);
    *t = (ugt_tally){.sum = t->sum, .peak = -INFINITY, .width = width};
    for (int64_t j = 0; j < UGT_SHIFTS * (1 + 3 * width); j++)
        t->sum[j] = 0.0;
    if (status != UGT_OK)
        return status;
    keep(w, fit);
    for (int64_t from = 0, to = law->first_points; to <= law->most_points; from = to, to *= 2) {
        for (int r = 0; r < 2 * UGT_SHIFTS; r++) {
            const int of_sectors = r >= UGT_SHIFTS, shifted = of_sectors ? w->part : 0;
            if (of_sectors && !w->sectors)
                break;
            if (*stop != 0)
                return UGT_STOPPED;
            for (int64_t at = from >> shifted; at < to >> shifted; at += w->n) {
                make_block(p, r % UGT_SHIFTS, of_sectors, at, to >> shifted);
                status = add_block(p, t, r % UGT_SHIFTS);
                if (status != UGT_OK)
                    return status;
            }
        }
        info[0] = (double)to;
        if (!(t->peak > -INFINITY)) {
            info[0] = 0.0;
            return UGT_OK;
        }
        ugt_tally_share_evenly(w, t);
        const double most = ugt_tally_numbers(t, out, error);
        if (ugt_tally_diagnose(t, info) ? most <= law->target : to >= law->first_points << MORE && most <= law->target)
            break;
    }
    info[1] = (double)t->n;
    info[5] = (double)w->d - 1.0;
    if (w->d == 1) /* nothing is open */
        for (int64_t j = 0; j < 3 * width; j++)
            error[j] = 0.0;
    return UGT_OK;
}

int ugt_points_fit(const ugt_stages *stages, const uint64_t *stream_key, const ugt_points_law *law, const int64_t *row, int64_t n,
                   const volatile int32_t *stop, double *fit, double *out, double *error, double *info)
{
    maker p;
    ugt_tally t = {0};
    int status = UGT_OK;
    open_maker(&p, stages, stream_key, law);
    for (int64_t j = 0; j < n && status == UGT_OK; j++) {
        const int64_t width = 3 * (stages->class_offsets[row[j] + 1] - stages->class_offsets[row[j]] + 1);
        status = open_case(&p, row[j]);
        free(t.sum);
        t.sum = malloc(ugt_bytes(UGT_SHIFTS * (1 + width), sizeof *t.sum));
        if (status == UGT_OK && t.sum == NULL)
            status = UGT_ERR_MEMORY;
        if (status == UGT_OK)
            status = fit_case(&p, &t, row[j], law, stop, fit, out, error, info);
        fit += width;
        out += width;
        error += width;
        info += UGT_POINTS_INFO;
    }
    free(t.sum);
    close_maker(&p);
    return status;
}

/* ---- points of a case ---- */

/* Writes the points of a case, and their log weights. */
static int write_points(maker *p, int64_t n_points, const volatile int32_t *stop, double *log_value, double *log_weight)
{
    ugt_point_work *w = &p->w;
    const int64_t width = w->m + 1;
    for (int r = 0; r < UGT_SHIFTS; r++) {
        for (int of_sectors = 0; of_sectors <= w->sectors; of_sectors++) {
            const int64_t to = of_sectors ? n_points >> w->part : n_points;
            if (*stop != 0)
                return UGT_STOPPED;
            for (int64_t from = 0; from < to; from += w->n) {
                make_block(p, r, of_sectors, from, to);
                for (int i = 0; i < w->n; i++, log_value += width) {
                    const double log_total = log(w->total[i]);
                    log_value[w->m] = -INFINITY;
                    for (int64_t k = 0; k < w->d; k++)
                        log_value[k] = w->theta[k * UGT_LANES + i] - log_total;
                    *log_weight++ = w->log_weight[i];
                }
            }
        }
    }
    return UGT_OK;
}

/* Turns log weights [n] into weights that add up to 1; if none is finite, all are NaN. */
static void normalise(double *weight, int64_t n)
{
    double top = -INFINITY, sum = 0.0;
    for (int64_t i = 0; i < n; i++)
        top = fmax(top, weight[i]);
    for (int64_t i = 0; i < n; i++)
        sum += weight[i] = exp(weight[i] - top);
    for (int64_t i = 0; i < n; i++)
        weight[i] /= sum;
}

/* Sets info from the weights of a case. */
static void tell(const ugt_point_work *w, int64_t n_points, const double *weight, int64_t count, double *info)
{
    double sum[UGT_SHIFTS] = {1.0};
    ugt_tally t = {.sum = sum, .n = count};
    for (int64_t i = 0; i < count; i++) {
        ugt_tally_offer(&t, log(weight[i]));
        t.squares += weight[i] * weight[i];
    }
    ugt_tally_diagnose(&t, info);
    info[0] = (double)n_points;
    info[1] = (double)count;
    info[5] = (double)w->d - 1.0;
}

int ugt_points(const ugt_stages *stages, const uint64_t *stream_key, const ugt_points_law *law, const int64_t *row, int64_t n, const double *fit,
               const int64_t *n_points, const volatile int32_t *stop, double *log_value, double *weight, double *info)
{
    maker p;
    int status = UGT_OK;
    open_maker(&p, stages, stream_key, law);
    for (int64_t j = 0; j < n && status == UGT_OK; j++) {
        const int64_t m = stages->class_offsets[row[j] + 1] - stages->class_offsets[row[j]];
        const int64_t count = ugt_points_count(stages, law->rest, row[j], fit, n_points[j]);
        status = open_case(&p, row[j]);
        if (status == UGT_OK)
            status = restore(&p.w, fit);
        if (status == UGT_OK)
            status = write_points(&p, n_points[j], stop, log_value, weight);
        if (status == UGT_OK)
            normalise(weight, count);
        if (status == UGT_OK && info != NULL)
            tell(&p.w, n_points[j], weight, count, info + j * UGT_POINTS_INFO);
        fit += 3 * (m + 1);
        log_value += count * (m + 1);
        weight += count;
    }
    close_maker(&p);
    return status;
}
