/* Posterior modes and maximum-likelihood estimates under Plackett-Luce with ties, by Newton's method in log lambda.
 *
 * This file maximises, over theta = log lambda of the mentioned classes of a case and of the lump of all others,
 *
 *   F = sum over stages of w log p(stage) + sum_k shape_k theta_k - A log sum_k e^theta_k,   A = sum_k shape_k,
 *
 * the log posterior with its scale maximised out: the likelihood does not depend on the scale, so that the prior's term
 * -rate lambda only fixes the scale. F is concave, with ties too. It is flat along (1, ..., 1) alone if all shapes are positive,
 * or if they are 0 and the comparisons are strongly connected (ugt_unbeaten): the maximum is unique up to the scale.
 *
 * For a block with x_a = lambda_a / Z, log p and its derivatives by log x come from the nodes of the integral of block.c,
 * weighted by the integrand, with phi_a = y / (e^y - 1) and psi_a = phi_a (y + phi_a - 1) at y = x_a T:
 *   gradient G_a = E phi_a,   Hessian M_ab = Cov(phi_a, phi_b) - [a = b] E psi_a.
 * Z is the sum of the later lambdas, and q_j is the share of class j in it. With g = sum G, R_a = sum_b M_ab and r = sum R,
 * the derivatives by theta are:
 *   gradient G_a, -g q_j;   Hessian M_ab, -R_a q_j, (r + g) q_i q_j - [i = j] g q_j. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core.h"

#define CLOSE 1e-7     /* greatest move of a log lambda in the last step, which leaves an error of about its square */
#define FARTHEST 8.0   /* greatest move of a log lambda in one step: further away, the quadratic model is poor */
#define MOST_STEPS 200 /* Newton steps before the case counts as without a maximum */
#define ROUNDING 1e-13 /* rounding error of F, relative to |F| + the weight of its terms: smaller falls of F are accepted */
#define NOISE 1e-15    /* rounding error of the gradient, relative to the sizes of its terms */
#define DOUBTFUL 1e-6  /* a case is rejected if that noise can move a log lambda of its maximum further than this */
#define LEAST 1e-300   /* a plausibility below this is out of range */
#define EQUAL 1e-12    /* relative difference of plausibilities below which they differ by rounding only and are tied */
#define TAIL 1e-18     /* relative size of the parts of the integrals that are left out */
#define AGREED 1e-7    /* relative change at which halving the step of the integrals ends; each halving squares their error */
#define SMALL 1e-100   /* products below this go into a logarithm, before they underflow */

typedef struct {
    const ugt_stages *stages;
    double reliability, shape_total, weight; /* weight: of all terms of F; the scale of the gradient */
    int64_t m, d, first_stage, end_stage;    /* m mentioned classes; d: with the lump, if any, last */
    double *shape, *theta, *trial, *lambda;  /* [d], lambda adds up to 1 */
    double *gradient, *terms, *step;         /* [d]; terms: sums of the absolute terms of gradient */
    double *curvature, *factor;              /* [d * d] minus the Hessian and its Cholesky factor, lower triangles */
    double *x, *phi, *bent, *share;          /* [d] of one block; bent: phi (1 - y) = phi^2 - psi; share: G */
    double *second;                          /* [d * d] of one block: M, lower triangle */
    double *row;                             /* [d] R */
    int32_t *index;                          /* [d] classes of one stage: the block, then the later ones */
} search;

/* Fills phi and bent of a block at log T = s; returns the log integrand. */
static double load_node(search *f, int64_t size, double s)
{
    const double t = exp(s);
    double sum = s - t, product = 1.0;
    for (int64_t a = 0; a < size; a++) {
        const double y = f->x[a] * t, arrived = -expm1(-y);
        f->phi[a] = y < 1e-8 ? 1.0 - 0.5 * y : y * (1.0 - arrived) / arrived;
        f->bent[a] = f->phi[a] * (1.0 - y);
        if (arrived > SMALL)
            product *= arrived;
        else
            sum += log(arrived);
        if (product < SMALL) {
            sum += log(product);
            product = 1.0;
        }
    }
    return sum + log(product);
}

typedef struct {
    double total, g; /* sums of weights, and of weights times all phi; g is the smaller one if p is near 1 */
} sums;

/* Adds the nodes s, s + step, ... to share, second and sums until they are negligible. */
static void add_nodes(search *f, int64_t size, double s, double step, double peak, sums *so_far)
{
    double weight;
    do {
        weight = exp(load_node(f, size, s) - peak);
        so_far->total += weight;
        s += step;
        for (int64_t a = 0; a < size; a++) {
            double *row = f->second + a * size;
            const double part = weight * f->phi[a];
            f->share[a] += part;
            so_far->g += part;
            for (int64_t b = 0; b < a; b++)
                row[b] += part * f->phi[b];
            row[a] += weight * f->bent[a];
        }
    } while (weight > TAIL * fmin(so_far->total, so_far->g));
}

/* Returns log p of a block of several classes; fills share and second. */
static double tied_block(search *f, int64_t size)
{
    double curvature;
    sums sum = {0.0, 0.0}, before;
    const double centre = log(ugt_block_mode(f->x, size, &curvature));
    double h = fmin(0.7 / sqrt(curvature), 0.5);
    memset(f->share, 0, (size_t)size * sizeof *f->share);
    memset(f->second, 0, (size_t)(size * size) * sizeof *f->second);
    const double peak = load_node(f, size, centre);
    add_nodes(f, size, centre, -h, peak, &sum);
    add_nodes(f, size, centre + h, h, peak, &sum);
    do { /* the new nodes are midpoints of the old, so that each sum doubles once the step is small enough */
        before = sum;
        add_nodes(f, size, centre - 0.5 * h, -h, peak, &sum);
        add_nodes(f, size, centre + 0.5 * h, h, peak, &sum);
        h *= 0.5;
    } while (h > 1e-3 && (fabs(sum.total - 2.0 * before.total) > AGREED * sum.total || fabs(sum.g - 2.0 * before.g) > AGREED * sum.g));
    for (int64_t a = 0; a < size; a++)
        f->share[a] /= sum.total;
    for (int64_t a = 0; a < size; a++)
        for (int64_t b = 0; b <= a; b++)
            f->second[a * size + b] = f->second[a * size + b] / sum.total - f->share[a] * f->share[b];
    return peak + log(sum.total * h);
}

static double single_block(search *f)
{
    const double x = f->x[0];
    f->share[0] = 1.0 / (1.0 + x);
    f->second[0] = -x / (1.0 + x) * f->share[0];
    return -log1p(1.0 / x);
}

static double *cell(search *f, int32_t i, int32_t j)
{
    return f->curvature + (i > j ? i * f->d + j : j * f->d + i);
}

/* Adds w times the stage's derivatives, turned from derivatives by log x into derivatives by theta. */
static void add_derivatives(search *f, int64_t size, int64_t n, double w, double z)
{
    const int32_t *index = f->index;
    double g = 0.0, r = 0.0;
    memset(f->row, 0, (size_t)size * sizeof *f->row);
    for (int64_t a = 0; a < size; a++) {
        g += w * f->share[a];
        f->gradient[index[a]] += w * f->share[a];
        f->terms[index[a]] += w * f->share[a];
        for (int64_t b = 0; b <= a; b++) {
            const double here = w * f->second[a * size + b];
            *cell(f, index[a], index[b]) -= here;
            f->row[a] += here;
            f->row[b] += a == b ? 0.0 : here;
        }
    }
    for (int64_t a = 0; a < size; a++)
        r += f->row[a];
    for (int64_t j = size; j < n; j++) {
        const double q = f->lambda[index[j]] / z;
        f->gradient[index[j]] -= g * q;
        f->terms[index[j]] += g * q;
        *cell(f, index[j], index[j]) += g * q;
        for (int64_t a = 0; a < size; a++)
            *cell(f, index[a], index[j]) += f->row[a] * q;
        for (int64_t i = size; i <= j; i++)
            *cell(f, index[i], index[j]) -= (r + g) * q * f->lambda[index[i]] / z;
    }
}

/* Returns w log p of a stage; adds its derivatives. */
static double add_stage(search *f, const ugt_stage *stage)
{
    const int32_t *member = f->stages->member + stage->at;
    const double w = f->reliability * stage->count;
    const int64_t size = stage->size;
    int64_t n = size + stage->n_later;
    double z = 0.0;
    memcpy(f->index, member, (size_t)n * sizeof *f->index);
    if (f->d > f->m)
        f->index[n++] = (int32_t)f->m;
    for (int64_t j = size; j < n; j++)
        z += f->lambda[f->index[j]];
    for (int64_t a = 0; a < size; a++)
        f->x[a] = f->lambda[f->index[a]] / z;
    const double log_p = size == 1 ? single_block(f) : tied_block(f, size);
    add_derivatives(f, size, n, w, z);
    return w * log_p;
}

/* Fills lambda, which adds up to 1, from theta. Returns log sum e^theta, or NaN if a lambda is out of range. */
static double normalise(search *f, const double *theta)
{
    double top = -INFINITY, total = 0.0, least = INFINITY;
    for (int64_t k = 0; k < f->d; k++)
        top = theta[k] > top ? theta[k] : top;
    for (int64_t k = 0; k < f->d; k++)
        total += f->lambda[k] = exp(theta[k] - top);
    for (int64_t k = 0; k < f->d; k++) {
        f->lambda[k] /= total;
        least = f->lambda[k] < least ? f->lambda[k] : least;
    }
    return least > LEAST ? top + log(total) : NAN;
}

/* Returns F at theta and fills its gradient and minus its Hessian; NaN if a lambda is out of range. */
static double evaluate(search *f, const double *theta)
{
    const double log_total = normalise(f, theta), *lambda = f->lambda;
    double value = 0.0;
    if (isnan(log_total))
        return NAN;
    for (int64_t k = 0; k < f->d; k++) {
        value += f->shape[k] * (theta[k] - log_total);
        f->gradient[k] = f->shape[k] - f->shape_total * lambda[k];
        f->terms[k] = f->shape[k] + f->shape_total * lambda[k];
        for (int64_t j = 0; j <= k; j++)
            f->curvature[k * f->d + j] = f->shape_total * lambda[k] * ((j == k ? 1.0 : 0.0) - lambda[j]);
    }
    for (int64_t j = f->first_stage; j < f->end_stage; j++)
        value += add_stage(f, &f->stages->stage[j]);
    return value;
}

/* Computes the Cholesky factor of curvature + level + [j = k] ridge; returns 0 if that matrix is not positive definite. */
static int factorise(search *f, double level, double ridge)
{
    for (int64_t j = 0; j < f->d; j++) {
        for (int64_t k = 0; k <= j; k++) {
            const double *a = f->factor + j * f->d, *b = f->factor + k * f->d;
            double sum = f->curvature[j * f->d + k] + level + (j == k ? ridge : 0.0);
            for (int64_t i = 0; i < k; i++)
                sum -= a[i] * b[i];
            if (j == k && !(sum > 0.0))
                return 0;
            f->factor[j * f->d + k] = j == k ? sqrt(sum) : sum / b[k];
        }
    }
    return 1;
}

/* Factorises the system for steps; returns 0 on failure. Along (1, ..., 1), F is flat and the gradient is 0; level makes the
 * step 0 too in this direction. If rounding makes a small eigenvalue negative, a ridge raises it. */
static int prepare_steps(search *f)
{
    double trace = 0.0, ridge = 0.0;
    for (int64_t k = 0; k < f->d; k++)
        trace += f->curvature[k * f->d + k];
    while (!factorise(f, trace / (double)(f->d * f->d), ridge)) {
        if (!(ridge < trace))
            return 0;
        ridge = ridge > 0.0 ? 100.0 * ridge : 1e-15 * trace;
    }
    return 1;
}

/* Computes the step for a gradient; returns the greatest move of a log lambda. */
static double find_step(search *f, const double *gradient)
{
    double longest = 0.0;
    for (int64_t j = 0; j < f->d; j++) {
        double sum = gradient[j];
        for (int64_t i = 0; i < j; i++)
            sum -= f->factor[j * f->d + i] * f->step[i];
        f->step[j] = sum / f->factor[j * f->d + j];
    }
    for (int64_t j = f->d - 1; j >= 0; j--) {
        for (int64_t i = j + 1; i < f->d; i++)
            f->step[j] -= f->factor[i * f->d + j] * f->step[i];
        f->step[j] /= f->factor[j * f->d + j];
        longest = fabs(f->step[j]) > longest ? fabs(f->step[j]) : longest;
    }
    return longest;
}

/* Returns how far rounding of the gradient can move a log lambda, which is far if a weak prior alone connects classes.
 * The cosines take the place of random signs. */
static double doubt(search *f)
{
    for (int64_t k = 0; k < f->d; k++)
        f->trial[k] = NOISE * cos((double)k) * f->terms[k];
    return find_step(f, f->trial);
}

/* Halves the step until F rises enough; returns whether it does. NaN does not count as a rise. */
static int rise(search *f, double length, double *value)
{
    double slope = 0.0;
    for (int64_t k = 0; k < f->d; k++)
        slope += f->gradient[k] * f->step[k];
    for (int halvings = 0; halvings < 40; halvings++, length *= 0.5) {
        for (int64_t k = 0; k < f->d; k++)
            f->trial[k] = f->theta[k] + length * f->step[k];
        const double fresh = evaluate(f, f->trial);
        if (fresh >= *value + 1e-4 * length * slope - ROUNDING * (fabs(*value) + f->weight)) {
            memcpy(f->theta, f->trial, (size_t)f->d * sizeof *f->theta);
            *value = fresh;
            return 1;
        }
    }
    return 0;
}

static int maximise(search *f)
{
    double value = evaluate(f, f->theta);
    for (int i = 0; i < MOST_STEPS && !isnan(value) && prepare_steps(f); i++) {
        const double longest = find_step(f, f->gradient);
        if (longest <= CLOSE) {
            for (int64_t k = 0; k < f->d; k++)
                f->theta[k] += f->step[k];
            return doubt(f) <= DOUBTFUL && !isnan(normalise(f, f->theta)) ? UGT_OK : UGT_ERR_CONVERGENCE;
        }
        if (!rise(f, fmin(1.0, FARTHEST / longest), &value))
            return UGT_ERR_CONVERGENCE;
    }
    return UGT_ERR_CONVERGENCE;
}

/* Sets the shapes of a case and the start, which is the maximum itself if each annotator names one class only. */
static void open_case(search *f, int64_t i, double shape, int rest)
{
    const ugt_stages *in = f->stages;
    f->m = in->class_offsets[i + 1] - in->class_offsets[i];
    f->d = f->m + (rest != UGT_REST_IGNORE && f->m < in->n_classes);
    f->first_stage = in->stage_offsets[i];
    f->end_stage = in->stage_offsets[i + 1];
    f->shape_total = 0.0;
    for (int64_t k = 0; k < f->d; k++) {
        const int is_lump = k == f->m && rest == UGT_REST_INDIVIDUAL;
        f->shape[k] = f->trial[k] = is_lump ? (double)(in->n_classes - f->m) * shape : shape;
        f->shape_total += f->shape[k];
    }
    f->weight = f->shape_total;
    for (int64_t j = f->first_stage; j < f->end_stage; j++) {
        const ugt_stage *stage = &in->stage[j];
        f->weight += f->reliability * stage->count * stage->size;
        for (int32_t a = 0; a < stage->size; a++)
            f->trial[in->member[stage->at + a]] += f->reliability * stage->count;
    }
    for (int64_t k = 0; k < f->d; k++)
        f->theta[k] = log(f->trial[k]);
}

/* Sets mentioned classes that differ only by rounding to their mean, because symmetric data have exact ties. */
static void make_ties_exact(search *f)
{
    int32_t *order = f->index;
    for (int64_t k = 0; k < f->m; k++) {
        int64_t at = k;
        for (; at > 0 && f->lambda[order[at - 1]] > f->lambda[k]; at--)
            order[at] = order[at - 1];
        order[at] = (int32_t)k;
    }
    for (int64_t begin = 0, end; begin < f->m; begin = end) {
        double sum = f->lambda[order[begin]];
        for (end = begin + 1; end < f->m && f->lambda[order[end]] <= f->lambda[order[end - 1]] * (1.0 + EQUAL); end++)
            sum += f->lambda[order[end]];
        for (int64_t j = begin; j < end; j++)
            f->lambda[order[j]] = sum / (double)(end - begin);
    }
}

static int allocate(search *f, int64_t widest, double **room)
{
    const size_t d = (size_t)widest + 1;
    double **vector[] = {&f->shape, &f->theta, &f->trial, &f->lambda, &f->gradient, &f->terms,
                         &f->step, &f->x, &f->phi, &f->bent, &f->share, &f->row};
    double **matrix[] = {&f->curvature, &f->factor, &f->second};
    const size_t n_vectors = sizeof vector / sizeof *vector, n_matrices = sizeof matrix / sizeof *matrix;
    double *next = *room = malloc((n_vectors + n_matrices * d) * d * sizeof *next);
    f->index = malloc(d * sizeof *f->index);
    if (*room == NULL || f->index == NULL)
        return UGT_ERR_MEMORY;
    for (size_t v = 0; v < n_vectors; v++, next += d)
        *vector[v] = next;
    for (size_t v = 0; v < n_matrices; v++, next += d * d)
        *matrix[v] = next;
    return UGT_OK;
}

int ugt_modes(const ugt_stages *stages, double reliability, const double *shape, int rest, int64_t begin, int64_t end,
              double *lambda, int64_t *stopped_at)
{
    search f = {.stages = stages, .reliability = reliability};
    double *room = NULL;
    int64_t widest = 0, i = begin;
    for (int64_t j = begin; j < end; j++) {
        const int64_t m = stages->class_offsets[j + 1] - stages->class_offsets[j];
        widest = m > widest ? m : widest;
    }
    int status = allocate(&f, widest, &room);
    for (; i < end && status == UGT_OK; i++) {
        double *out = lambda + stages->class_offsets[i] + i;
        open_case(&f, i, shape[i], rest);
        out[f.m] = 0.0;
        f.lambda[0] = 1.0;
        if (f.d > 1)
            status = maximise(&f);
        if (status != UGT_OK)
            break;
        make_ties_exact(&f);
        memcpy(out, f.lambda, (size_t)f.d * sizeof *out);
    }
    *stopped_at = i;
    free(room);
    free(f.index);
    return status;
}

int ugt_curvature_at_mode(const ugt_stages *stages, int64_t i, double reliability, double shape, int rest, double *lambda, double *curvature)
{
    search f = {.stages = stages, .reliability = reliability};
    double *room = NULL;
    int status = allocate(&f, stages->class_offsets[i + 1] - stages->class_offsets[i], &room);
    if (status == UGT_OK) {
        open_case(&f, i, shape, rest);
        status = maximise(&f);
    }
    if (status == UGT_OK && isnan(evaluate(&f, f.theta)))
        status = UGT_ERR_CONVERGENCE;
    if (status == UGT_OK) {
        memcpy(lambda, f.lambda, (size_t)f.d * sizeof *lambda);
        memcpy(curvature, f.curvature, (size_t)(f.d * f.d) * sizeof *curvature);
    }
    free(room);
    free(f.index);
    return status;
}

/* Marks all classes that the stages lead to from the marked ones: from a block to later classes, or backwards. */
static void spread(const ugt_stages *stages, int64_t i, int backwards, uint8_t *mark)
{
    for (int grown = 1; grown;) {
        grown = 0;
        for (int64_t j = stages->stage_offsets[i]; j < stages->stage_offsets[i + 1]; j++) {
            const ugt_stage *stage = &stages->stage[j];
            const int32_t *block = stages->member + stage->at, *later = block + stage->size;
            const int32_t *from = backwards ? later : block, *to = backwards ? block : later;
            const int32_t n_from = backwards ? stage->n_later : stage->size, n_to = backwards ? stage->size : stage->n_later;
            int reached = 0;
            for (int32_t k = 0; k < n_from && !reached; k++)
                reached = mark[from[k]];
            for (int32_t k = 0; k < n_to && reached; k++) {
                grown |= !mark[to[k]];
                mark[to[k]] = 1;
            }
        }
    }
}

void ugt_unbeaten(const ugt_stages *stages, int64_t begin, int64_t end, uint8_t *unbeaten)
{
    for (int64_t i = begin; i < end; i++) {
        const int64_t m = stages->class_offsets[i + 1] - stages->class_offsets[i];
        uint8_t *mark = unbeaten + stages->class_offsets[i];
        int64_t root = 0;
        for (int64_t k = 0; k < m; k++)
            mark[k] = 0;
        for (int64_t k = 0; k < m; k++) {
            if (mark[k])
                continue;
            root = k; /* no class marked so far leads to k; only its own component leads to the last such k */
            mark[k] = 1;
            spread(stages, i, 0, mark);
        }
        for (int64_t k = 0; k < m; k++)
            mark[k] = k == root;
        spread(stages, i, 1, mark);
    }
}
