/* Posterior draws of plausibilities under Plackett-Luce with ties [A B.4.2]: collapsed, censored Gibbs sampling.
 *
 * Class k has a latent arrival time tau_k ~ Exp(lambda_k). A sweep draws only the part of it that the rankings determine: how
 * long the classes of each stage take. Given these times, lambda_k ~ Gamma(shape + reliability n_k, rate + exposure_k), where
 * n_k counts the rankings that rank k and exposure_k is the time for which they wait for k. (Combining n_k with uncensored
 * times, or shape + all rankings with censored exposures, gives errors of tens of percent.) The cost of a sweep is
 * proportional to the number of stages and does not depend on the number of classes.
 *
 * The rankings do not change the distribution of the total of all lambda, which is Gamma(total shape, rate). Every sweep
 * draws the total afresh, because otherwise it moves as a slow random walk. lambda is kept with total 1 and time is counted
 * in units of 1 / total. The drawn total is then the `rate` of a sweep, the prior's rate cancels, and a total that
 * underflows (total shapes below 0.03) is a rate of 0.
 *
 * Reliability g: every ranking counts g times. A stage of one class has one waiting time Gamma(g, lambda_a + Z). A tied
 * stage is split into n = floor(g) whole copies and a fraction f = g - n. The numbers of copies are pushed down the subset
 * lattice. For the fraction, each class has a waiting time Gamma(f, Z + lambda_a), and the sweep is accepted with
 * probability min(1, (Q'/Q)^f), with Q of subset.c.
 *
 * Tempering t: the rankings follow the rates theta = lambda^t. Given the waiting times, which are those of theta, s = log lambda
 * has the log-concave log density (shape + t reliability n_k) s - rate e^s - exposure_k e^(ts), from which it is drawn by
 * rejection. lambda, not theta, has the prior and total 1. `rate` arrays below hold theta, which is lambda itself for t = 1. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core.h"

#define LEAST 1e-300        /* lower limit of plausibilities and rates, so that none underflows to 0 */
#define WHOLE 1e-9          /* a reliability this close to a whole number counts as whole */
/* The scale of the usual top class is moved if at least this share of the first blocks contains that class, and if the number
 * of those blocks times the reliability is at least SCALE_MOVES_FROM. The limits were measured on real cases: within them, moves double
 * the time of a sweep and divide the autocorrelation time by 3 to 6. */
#define SCALE_MOVES_SHARE 0.7
#define SCALE_MOVES_FROM(reliability) ((reliability) < 2.0 ? 4.5 : 2.5)

typedef struct {
    ugt_stream stream;
    const ugt_stages *stages;
    const ugt_gibbs_options *options;
    int64_t m, first_stage, end_stage;
    int has_rest, has_fraction;
    double rest_shape, total_shape, rate;
    double *plain, *lambda, *exposure, *shape; /* [m + 1], the lump last; lambda = plain^tempering, one array if that is 1 */
    double *proposed, *proposed_plain;         /* [m + 1] */
    double *block, *x, *tau;           /* [m + 1] of one stage */
    int64_t scaled;                    /* class whose scale is moved, or -1 */
    int64_t n_touched;
    const ugt_stage **touched; /* stages with that class in the block or later; all, if tempered */
    ugt_lattice lattice;
    int64_t copies[1 << UGT_SMALL_BLOCK];
} sampler;

static double gamma_time(ugt_stream *stream, double shape)
{
    return shape == 1.0 ? ugt_stream_exponential(stream) : ugt_stream_gamma(stream, shape);
}

static double later_rate(const sampler *s, const ugt_stage *stage, const double *lambda)
{
    const int32_t *later = s->stages->member + stage->at + stage->size;
    double z = s->has_rest ? lambda[s->m] : 0.0;
    for (int32_t j = 0; j < stage->n_later; j++)
        z += lambda[later[j]];
    return z;
}

static void expose_later(sampler *s, const ugt_stage *stage, double time)
{
    const int32_t *later = s->stages->member + stage->at + stage->size;
    for (int32_t j = 0; j < stage->n_later; j++)
        s->exposure[later[j]] += time;
    s->exposure[s->m] += time;
}

/* Adds the waiting times of n copies of a small tied stage. The numbers of copies move down the lattice of subsets; every
 * visited set draws one waiting time for all copies that reach it. */
static void tied_small(sampler *s, const ugt_stage *stage, double z, int64_t n)
{
    const int32_t *member = s->stages->member + stage->at;
    const unsigned all = (1u << stage->size) - 1u;
    double waited = 0.0;
    memset(s->copies, 0, (all + 1u) * sizeof *s->copies);
    s->copies[all] = n;
    for (unsigned set = all; set > 0; set--) {
        int64_t here = s->copies[set];
        if (here == 0)
            continue;
        const double time = gamma_time(&s->stream, (double)here) / s->lattice.total[set];
        double left = s->lattice.q[set] * s->lattice.total[set];
        waited += time;
        for (int a = 0; a < stage->size; a++) {
            if (!(set >> a & 1u))
                continue;
            s->exposure[member[a]] += time;
            if (here == 0)
                continue;
            const unsigned without = set & ~(1u << a);
            const double ways = (z + s->block[a]) * s->lattice.q[without];
            const int64_t gone = (set & ~((2u << a) - 1u)) == 0 ? here : ugt_stream_binomial(&s->stream, here, ways / left);
            s->copies[without] += gone;
            here -= gone;
            left -= ways;
        }
    }
    expose_later(s, stage, waited);
}

static void tied_large(sampler *s, const ugt_stage *stage, double z, int64_t n)
{
    const int32_t *member = s->stages->member + stage->at;
    for (int64_t copy = 0; copy < n; copy++) {
        const double last = ugt_block_arrivals(&s->stream, s->block, stage->size, z, s->x, s->tau);
        for (int32_t a = 0; a < stage->size; a++)
            s->exposure[member[a]] += s->tau[a];
        expose_later(s, stage, last);
    }
}

static void split_copies(double copies, int64_t *whole, double *fraction)
{
    *whole = (int64_t)floor(copies + WHOLE);
    *fraction = copies - (double)*whole;
    if (*fraction < WHOLE)
        *fraction = 0.0;
}

static void load_block(sampler *s, const ugt_stage *stage, const double *lambda)
{
    const int32_t *member = s->stages->member + stage->at;
    for (int32_t a = 0; a < stage->size; a++)
        s->block[a] = lambda[member[a]];
}

static void wait_for_stage(sampler *s, const ugt_stage *stage)
{
    const int32_t *member = s->stages->member + stage->at;
    const double z = later_rate(s, stage, s->lambda), copies = s->options->reliability * stage->count;
    if (stage->size == 1) {
        const double time = gamma_time(&s->stream, copies) / (s->lambda[member[0]] + z);
        s->exposure[member[0]] += time;
        expose_later(s, stage, time);
        return;
    }
    int64_t whole;
    double fraction;
    split_copies(copies, &whole, &fraction);
    load_block(s, stage, s->lambda);
    if (whole > 0 && stage->size <= UGT_SMALL_BLOCK) {
        ugt_subset_ways(s->block, stage->size, z, &s->lattice);
        tied_small(s, stage, z, whole);
    } else if (whole > 0) {
        tied_large(s, stage, z, whole);
    }
    for (int32_t a = 0; a < stage->size && fraction > 0.0; a++) {
        const double time = ugt_stream_gamma(&s->stream, fraction) / (z + s->block[a]);
        s->exposure[member[a]] += time;
        expose_later(s, stage, time);
    }
}

/* Returns log Q of a tied stage: log p + sum log1p(Z / lambda_a). */
static double log_q(sampler *s, const ugt_stage *stage, const double *lambda)
{
    const double z = later_rate(s, stage, lambda);
    load_block(s, stage, lambda);
    if (stage->size <= UGT_SMALL_BLOCK) {
        ugt_subset_ways(s->block, stage->size, z, &s->lattice);
        return log(s->lattice.q[(1u << stage->size) - 1u]);
    }
    double sum = ugt_stage_log_probability(s->block, stage->size, z, s->x, NULL, &s->lattice);
    for (int32_t a = 0; a < stage->size; a++)
        sum += log1p(z / s->block[a]);
    return sum;
}

/* Returns the sum of log (Q'/Q)^f over the tied stages with a fraction. */
static double log_acceptance(sampler *s)
{
    double sum = 0.0;
    for (int64_t j = s->first_stage; j < s->end_stage; j++) {
        const ugt_stage *stage = &s->stages->stage[j];
        int64_t whole;
        double fraction;
        split_copies(s->options->reliability * stage->count, &whole, &fraction);
        if (stage->size > 1 && fraction > 0.0)
            sum += fraction * (log_q(s, stage, s->proposed) - log_q(s, stage, s->lambda));
    }
    return sum;
}

typedef struct {
    double shape, rate, exposure, tempering;
} tempered;

/* Returns the log density of s = log lambda, up to a constant, and its slope. */
static double tempered_density(const void *task, double s, double *slope)
{
    const tempered *f = task;
    const double own = f->rate * exp(s), waited = f->exposure * exp(f->tempering * s);
    *slope = f->shape - own - f->tempering * waited;
    return f->shape * s - own - waited;
}

static double draw_tempered(sampler *s, double shape, double exposure)
{
    const double t = s->options->tempering;
    if (shape < 1.0 && shape * (log(s->rate) - log(exposure) / t) > -0.5) { /* exp(-exposure lambda^t) is near 1 in most of the prior */
        for (;;) {
            const double value = ugt_stream_gamma(&s->stream, shape) / s->rate;
            if (ugt_stream_exponential(&s->stream) >= exposure * pow(value, t))
                return value;
        }
    }
    const tempered f = {shape, s->rate, exposure, t};
    double at = fmin(log(shape / s->rate), log(shape / (t * exposure)) / t), slope = -INFINITY, bend = 1.0;
    for (int i = 0; i < 50 && fabs(slope) > 1e-6 * shape; i++) { /* monotone, as the start is right of the mode */
        tempered_density(&f, at, &slope);
        bend = s->rate * exp(at) + t * t * exposure * exp(t * at);
        at += slope / bend;
    }
    return exp(ugt_log_concave(&s->stream, tempered_density, &f, at, fmin(sqrt(2.0 / bend), 10.0 / fmax(t, 1.0))));
}

static double draw_rate(sampler *s, double shape, double exposure)
{
    const int is_gamma = s->options->tempering == 1.0 || exposure <= 0.0;
    const double value = is_gamma ? ugt_stream_gamma(&s->stream, shape) / (s->rate + exposure) : draw_tempered(s, shape, exposure);
    return value > LEAST ? value : LEAST;
}

/* Fills rate with plain^tempering for all classes and the lump. */
static void temper(const sampler *s, const double *plain, double *rate)
{
    for (int64_t k = 0; k <= s->m && plain != rate; k++)
        rate[k] = k == s->m && !s->has_rest ? 0.0 : fmax(pow(plain[k], s->options->tempering), LEAST);
}

/* The log of a product, log + log(product). Factors are multiplied until the product would underflow, so that few logarithms are taken. */
typedef struct {
    double product, log;
} logarithm;

static void multiply(logarithm *x, double factor)
{
    if (factor < 1e-100)
        x->log += log(factor);
    else
        x->product *= factor;
    if (x->product < 1e-100) {
        x->log += log(x->product);
        x->product = 1.0;
    }
}

/* Multiplies x by p of a stage. The absolute error of log p is 1e-15, which is small enough for an acceptance. */
static void multiply_by_stage(sampler *s, const ugt_stage *stage, logarithm *x)
{
    const int32_t *member = s->stages->member + stage->at;
    const double z = later_rate(s, stage, s->lambda);
    if (stage->size > UGT_SMALL_BLOCK) {
        load_block(s, stage, s->lambda);
        x->log += ugt_stage_log_probability(s->block, stage->size, z, s->x, NULL, &s->lattice);
        return;
    }
    for (int32_t a = 0; a < stage->size; a++)
        multiply(x, s->lambda[member[a]] / (s->lambda[member[a]] + z));
    if (stage->size > 1) {
        load_block(s, stage, s->lambda);
        ugt_subset_ways(s->block, stage->size, z, &s->lattice);
        x->product *= s->lattice.q[(1u << stage->size) - 1u];
    }
}

/* Returns the log-likelihood of the touched stages, the only ones that a move of the scale changes. */
static double log_likelihood(sampler *s)
{
    logarithm once = {1.0, 0.0};
    double repeated = 0.0;
    for (int64_t j = 0; j < s->n_touched; j++) {
        const ugt_stage *stage = s->touched[j];
        if (stage->count == 1.0) {
            multiply_by_stage(s, stage, &once);
        } else {
            logarithm own = {1.0, 0.0};
            multiply_by_stage(s, stage, &own);
            repeated += stage->count * (own.log + log(own.product));
        }
    }
    return s->options->reliability * (repeated + once.log + log(once.product));
}

/* Returns the total plausibility of all classes and the lump, except that of class `without` (-1: of all). */
static double total_without(const sampler *s, int64_t without)
{
    double total = s->has_rest ? s->plain[s->m] : 0.0;
    for (int64_t k = 0; k < s->m; k++)
        if (k != without)
            total += s->plain[k];
    return total;
}

/* Takes two Metropolis steps on log lambda of one class, with arrival times and total integrated out. Without these steps, a
 * class that is always on top mixes slowly in its tail. By log lambda, the prior density of the shares is
 * prod lambda^shape / total^(total shape). */
static void move_scale(sampler *s)
{
    const double t = s->options->tempering, width[] = {1.5 / sqrt(fmax(t, 1.0)), 4.0 / sqrt(fmax(t, 1.0))};
    const double others = total_without(s, s->scaled);
    double *moved = &s->plain[s->scaled], *rate = &s->lambda[s->scaled], before = log_likelihood(s) - s->total_shape * log(*moved + others);
    for (int move = 0; move < 2; move++) {
        const double step = width[move] * ugt_stream_normal(&s->stream), old = *moved, old_rate = *rate;
        *moved = old * exp(step);
        if (moved != rate)
            *rate = fmax(pow(*moved, s->options->tempering), LEAST);
        if (*moved > LEAST && !isinf(*moved)) {
            const double after = log_likelihood(s) - s->total_shape * log(*moved + others);
            if (ugt_stream_exponential(&s->stream) >= before - after - s->options->shape * step) {
                before = after;
                continue;
            }
        }
        *rate = old_rate;
        *moved = old;
    }
}

/* Draws the class that has all the plausibility if every class underflows, and returns the new total. The shapes are then
 * tiny and no class was waited for: log Gamma(shape) below log LEAST is log LEAST - Exp / shape, and only the largest
 * share differs from 0 as a double. */
static double largest_of_the_least(sampler *s)
{
    int64_t top = 0;
    double highest = -INFINITY;
    for (int64_t k = 0; k < s->m + s->has_rest; k++) {
        const double value = -ugt_stream_exponential(&s->stream) / (k < s->m ? s->shape[k] : s->rest_shape);
        top = value > highest ? k : top;
        highest = value > highest ? value : highest;
    }
    return s->plain[top] = 1.0;
}

/* Scales plausibilities to a total of 1 and updates the tempered ones. */
static void normalise(sampler *s)
{
    double total = total_without(s, -1);
    if (total <= (double)(s->m + 1) * LEAST)
        total = largest_of_the_least(s);
    for (int64_t k = 0; k <= s->m; k++)
        s->plain[k] = fmax(s->plain[k] / total, LEAST);
    temper(s, s->plain, s->lambda);
}

/* Moves the scale of each ranked class, because draws given waiting times move log lambda only by about 1 / tempering. */
static void move_every_scale(sampler *s)
{
    for (int64_t k = 0; k < s->m; k++)
        if (s->shape[k] > s->options->shape) {
            s->scaled = k;
            move_scale(s);
        }
}

static void sweep(sampler *s)
{
    memset(s->exposure, 0, (size_t)(s->m + 1) * sizeof *s->exposure);
    s->rate = fmax(ugt_stream_gamma(&s->stream, s->total_shape), LEAST);
    for (int64_t j = s->first_stage; j < s->end_stage; j++)
        wait_for_stage(s, &s->stages->stage[j]);
    for (int64_t k = 0; k < s->m; k++)
        s->proposed_plain[k] = draw_rate(s, s->shape[k], s->exposure[k]);
    s->proposed_plain[s->m] = s->has_rest ? draw_rate(s, s->rest_shape, s->exposure[s->m]) : 0.0;
    temper(s, s->proposed_plain, s->proposed);
    if (!s->has_fraction || ugt_stream_exponential(&s->stream) >= -log_acceptance(s)) {
        memcpy(s->plain, s->proposed_plain, (size_t)(s->m + 1) * sizeof *s->plain);
        if (s->plain != s->lambda)
            memcpy(s->lambda, s->proposed, (size_t)(s->m + 1) * sizeof *s->lambda);
    }
    if (s->plain != s->lambda)
        move_every_scale(s);
    else if (s->scaled >= 0)
        move_scale(s);
    normalise(s);
}

/* Returns the class that most first blocks contain, or -1 if it is too rare for moves of its scale to be worth their time. */
static int64_t usual_top_class(sampler *s)
{
    double *votes = s->proposed, all = 0.0;
    int64_t top = 0;
    if (s->options->shape >= 0.5)
        return -1; /* a flat prior bounds the scales, so that no moves are needed */
    memset(votes, 0, (size_t)(s->m + 1) * sizeof *votes);
    for (int64_t j = s->first_stage; j < s->end_stage; j++) {
        const ugt_stage *stage = &s->stages->stage[j];
        if ((int64_t)stage->size + stage->n_later < s->m)
            continue; /* this is not a first block: some classes come before it */
        all += stage->count;
        for (int32_t a = 0; a < stage->size; a++)
            votes[s->stages->member[stage->at + a]] += stage->count;
    }
    for (int64_t k = 1; k < s->m; k++)
        top = votes[k] > votes[top] ? k : top;
    const double reliability = s->options->reliability;
    return votes[top] >= SCALE_MOVES_SHARE * all && reliability * votes[top] >= SCALE_MOVES_FROM(reliability) ? top : -1;
}

static int concerns(const ugt_stages *stages, const ugt_stage *stage, int64_t k)
{
    for (int64_t j = 0; j < (int64_t)stage->size + stage->n_later; j++)
        if (stages->member[stage->at + j] == k)
            return 1;
    return 0;
}

static void open_case(sampler *s, int64_t i)
{
    const ugt_stages *in = s->stages;
    const double shape = s->options->shape;
    s->m = in->class_offsets[i + 1] - in->class_offsets[i];
    s->first_stage = in->stage_offsets[i];
    s->end_stage = in->stage_offsets[i + 1];
    s->has_rest = s->options->rest != UGT_REST_IGNORE && s->m < in->n_classes;
    s->rest_shape = !s->has_rest ? 0.0 : s->options->rest == UGT_REST_LUMP ? shape : (double)(in->n_classes - s->m) * shape;
    s->total_shape = (double)s->m * shape + s->rest_shape;
    s->has_fraction = 0;
    for (int64_t k = 0; k < s->m; k++)
        s->shape[k] = shape;
    for (int64_t j = s->first_stage; j < s->end_stage; j++) {
        const ugt_stage *stage = &in->stage[j];
        const double copies = s->options->reliability * stage->count;
        int64_t whole;
        double fraction;
        split_copies(copies, &whole, &fraction);
        s->has_fraction |= stage->size > 1 && fraction > 0.0;
        for (int32_t a = 0; a < stage->size; a++)
            s->shape[in->member[stage->at + a]] += s->options->tempering * copies;
    }
    s->scaled = usual_top_class(s);
    s->n_touched = 0;
    const int every = s->plain != s->lambda;
    for (int64_t j = s->first_stage; j < s->end_stage && (every || s->scaled >= 0); j++)
        if (every || concerns(in, &in->stage[j], s->scaled))
            s->touched[s->n_touched++] = &in->stage[j];
}

/* Starts a chain at a draw from Gamma(shape + reliability n_k), without exposures, so that each chain starts elsewhere. */
static void open_chain(sampler *s, uint64_t case_key, uint64_t chain)
{
    ugt_stream_open(&s->stream, s->options->seed, case_key, chain, UGT_PURPOSE_GIBBS);
    s->rate = 1.0;
    for (int64_t k = 0; k < s->m; k++)
        s->plain[k] = draw_rate(s, s->shape[k], 0.0);
    s->plain[s->m] = s->has_rest ? draw_rate(s, s->rest_shape, 0.0) : 0.0;
    normalise(s);
}

static void write_draw(const sampler *s, double *out)
{
    memcpy(out, s->plain, (size_t)s->m * sizeof *out);
    out[s->m] = s->has_rest ? s->plain[s->m] : 0.0;
}

static int run_chain(sampler *s, const volatile int32_t *stop, double *out)
{
    const ugt_gibbs_options *o = s->options;
    for (int64_t t = -o->n_warmup; t < o->n_draws * o->n_thin; t++) {
        if (*stop)
            return UGT_STOPPED;
        sweep(s);
        if (t >= 0 && (t + 1) % o->n_thin == 0) {
            write_draw(s, out);
            out += s->m + 1;
        }
    }
    return UGT_OK;
}

int ugt_gibbs(const ugt_stages *stages, const uint64_t *stream_key, const ugt_gibbs_options *options, int64_t begin,
              int64_t end, const volatile int32_t *stop, double *draws)
{
    int status = UGT_ERR_MEMORY;
    int64_t widest = 0, longest = 0;
    sampler *s = calloc(1, sizeof *s);
    if (s == NULL)
        return status;
    s->stages = stages;
    s->options = options;
    for (int64_t i = begin; i < end; i++) {
        const int64_t m = stages->class_offsets[i + 1] - stages->class_offsets[i];
        const int64_t n = stages->stage_offsets[i + 1] - stages->stage_offsets[i];
        widest = m > widest ? m : widest;
        longest = n > longest ? n : longest;
    }
    double *room = malloc(9 * (size_t)(widest + 1) * sizeof *room);
    s->touched = malloc((size_t)(longest + 1) * sizeof *s->touched);
    if (room == NULL || s->touched == NULL)
        goto out;
    double **part[] = {&s->lambda, &s->exposure, &s->shape, &s->proposed, &s->block, &s->x, &s->tau, &s->plain, &s->proposed_plain};
    for (size_t p = 0; p < 9; p++)
        *part[p] = room + p * (size_t)(widest + 1);
    if (options->tempering == 1.0) {
        s->plain = s->lambda;
        s->proposed_plain = s->proposed;
    }
    status = UGT_OK;
    for (int64_t i = begin; i < end && status == UGT_OK; i++) {
        open_case(s, i);
        const int64_t per_chain = options->n_draws * (s->m + 1);
        double *out = draws + (stages->class_offsets[i] - stages->class_offsets[begin] + i - begin) * options->n_chains * options->n_draws;
        for (int64_t c = 0; c < options->n_chains && status == UGT_OK; c++) {
            open_chain(s, stream_key[i], (uint64_t)c);
            status = run_chain(s, stop, out + c * per_chain);
        }
    }
out:
    free(room);
    free(s->touched);
    free(s);
    return status;
}
