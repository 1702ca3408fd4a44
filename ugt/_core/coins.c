/* Annotators are right or wrong, and all wrong labels are alike: one-coin Dawid-Skene, and GLAD (Whitehill et al. 2009).
 *
 * All classes without labels in a case share one likelihood. So they are one exact term with the sum of their prevalences, and
 * the cost does not depend on the number of classes. Probabilities of 0 are counted, because log 0 cannot be subtracted again. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "em.h"

#define HALVINGS 40      /* of a Newton step that lowers the target, before it is given up at 1e-12 of its length */
#define LONGEST_STEP 2.0 /* of the log easiness: the quadratic model of Newton's method is poor further away */

static inline double weight_of(const ugt_coins *c, int64_t r)
{
    return c->table.weight == NULL ? 1.0 : c->table.weight[r];
}

int ugt_coins_check(const ugt_coins *c)
{
    const ugt_label_table *t = &c->table;
    for (int64_t i = 0; i < t->n_cases; i++)
        for (int64_t r = t->offsets[i]; r < t->offsets[i + 1]; r++)
            if (t->annotator[r] < 0 || t->annotator[r] >= t->n_annotators || c->entry[r] < t->given_offsets[i]
                || c->entry[r] >= t->given_offsets[i + 1])
                return UGT_ERR_RANGE;
    for (int64_t e = 0; e < t->given_offsets[t->n_cases]; e++)
        if (t->given[e] < 0 || t->given[e] >= t->n_classes)
            return UGT_ERR_RANGE;
    return UGT_OK;
}

/* ---- classes given the parameters ---- */

typedef struct {
    const double *log_prevalence, *prevalence, *right, *wrong;
    double *sum;    /* [widest] finite part of the log likelihood of a class, less that of a class without labels */
    int64_t *never; /* [widest] right labels of the class with probability 0, less its wrong labels with probability 0 */
    int per_label;
} coin_room;

/* Returns the log likelihood of one case; sets q of its given classes, and *rest of any other class per unit of prevalence. */
static double coin_case(const ugt_coins *c, const coin_room *room, int64_t i, double *q, double *rest)
{
    const ugt_label_table *t = &c->table;
    const int64_t from = t->given_offsets[i], m = t->given_offsets[i + 1] - from;
    double base = 0.0, top = -INFINITY, others = 1.0, total = 0.0;
    int64_t never = 0;
    for (int64_t j = 0; j < m; j++) {
        room->sum[j] = 0.0;
        room->never[j] = 0;
    }
    for (int64_t r = t->offsets[i]; r < t->offsets[i + 1]; r++) {
        const int64_t at = room->per_label ? r : t->annotator[r], j = c->entry[r] - from;
        const double w = weight_of(c, r), right = room->right[at], wrong = room->wrong[at];
        if (wrong == -INFINITY) {
            never++;
            room->never[j]--;
        } else {
            base += w * wrong;
            room->sum[j] -= w * wrong;
        }
        if (right == -INFINITY)
            room->never[j]++;
        else
            room->sum[j] += w * right;
    }
    for (int64_t j = 0; j < m; j++) {
        const int32_t k = t->given[from + j];
        q[j] = never + room->never[j] > 0 ? -INFINITY : room->log_prevalence[k] + base + room->sum[j];
        top = q[j] > top ? q[j] : top;
        others -= room->prevalence[k];
    }
    if (t->known != NULL && t->known[i] >= 0) {
        for (int64_t j = 0; j < m; j++) {
            const int sure = t->given[from + j] == t->known[i];
            top = sure ? q[j] : top;
            q[j] = sure ? 1.0 : 0.0;
        }
        return top;
    }
    others = m < t->n_classes && others > 0.0 && never == 0 ? others : 0.0;
    top = others > 0.0 && base > top ? base : top;
    if (top == -INFINITY)
        return top;
    for (int64_t j = 0; j < m; j++)
        total += q[j] = exp(q[j] - top);
    *rest = others > 0.0 ? exp(base - top) : 0.0;
    total += others * *rest;
    for (int64_t j = 0; j < m; j++)
        q[j] /= total;
    *rest /= total;
    return top + log(total);
}

static int64_t widest_of(const ugt_label_table *t)
{
    int64_t widest = 0;
    for (int64_t i = 0; i < t->n_cases; i++)
        if (t->given_offsets[i + 1] - t->given_offsets[i] > widest)
            widest = t->given_offsets[i + 1] - t->given_offsets[i];
    return widest;
}

static void add_counts(const ugt_coins *c, const double *prevalence, const double *q, const double *rest, double *right_count,
                       double *class_count)
{
    const ugt_label_table *t = &c->table;
    double all_rest = 0.0;
    memset(right_count, 0, (size_t)t->n_annotators * sizeof *right_count);
    memset(class_count, 0, (size_t)t->n_classes * sizeof *class_count);
    for (int64_t i = 0; i < t->n_cases; i++) {
        for (int64_t r = t->offsets[i]; r < t->offsets[i + 1]; r++)
            right_count[t->annotator[r]] += weight_of(c, r) * q[c->entry[r]];
        for (int64_t e = t->given_offsets[i]; e < t->given_offsets[i + 1]; e++)
            class_count[t->given[e]] += q[e] - prevalence[t->given[e]] * rest[i];
        all_rest += rest[i];
    }
    for (int64_t k = 0; k < t->n_classes; k++) {
        class_count[k] += prevalence[k] * all_rest;
        class_count[k] = class_count[k] > 0.0 ? class_count[k] : 0.0; /* cancellation may leave -1e-16 */
    }
}

int ugt_coins_expect(const ugt_coins *coins, const double *right, const double *wrong, int per_label, const double *prevalence, double *q,
                     double *rest, double *right_count, double *class_count, double *log_likelihood)
{
    const ugt_label_table *t = &coins->table;
    const int64_t widest = widest_of(t);
    double *logs = malloc((size_t)t->n_classes * sizeof *logs), total = 0.0;
    coin_room room = {logs, prevalence, right, wrong, malloc((size_t)(widest + 1) * sizeof(double)),
                      malloc((size_t)(widest + 1) * sizeof(int64_t)), per_label};
    int status = logs == NULL || room.sum == NULL || room.never == NULL ? UGT_ERR_MEMORY : UGT_OK;
    for (int64_t k = 0; k < t->n_classes && status == UGT_OK; k++)
        logs[k] = log(prevalence[k]);
    for (int64_t i = 0; i < t->n_cases && status == UGT_OK; i++) {
        rest[i] = 0.0;
        if (t->offsets[i + 1] == t->offsets[i])
            continue;
        total += coin_case(coins, &room, i, q + t->given_offsets[i], rest + i);
        status = total == -INFINITY ? UGT_ERR_CONVERGENCE : UGT_OK;
    }
    if (status == UGT_OK)
        add_counts(coins, prevalence, q, rest, right_count, class_count);
    *log_likelihood = total;
    free(logs);
    free(room.sum);
    free(room.never);
    return status;
}

/* ---- GLAD ---- */

/* Returns the log of 1 / (1 + exp(-x)); neither branch overflows. */
static inline double log_chance(double x)
{
    return x >= 0.0 ? -log1p(exp(-x)) : x - log1p(exp(x));
}

static inline double penalty(double x, double mean, double sd)
{
    return -0.5 * (x - mean) * (x - mean) / (sd * sd);
}

double ugt_glad_labels(const ugt_coins *c, const ugt_glad_prior *prior, const double *ability, const double *easiness, double *right,
                       double *wrong)
{
    const ugt_label_table *t = &c->table;
    const double spread = log(t->n_classes > 1 ? (double)(t->n_classes - 1) : 1.0);
    double density = 0.0;
    for (int64_t i = 0; i < t->n_cases; i++) {
        const double scale = exp(easiness[i]);
        density += penalty(easiness[i], prior->easiness_mean, prior->easiness_sd);
        for (int64_t r = t->offsets[i]; r < t->offsets[i + 1]; r++) {
            const double x = ability[t->annotator[r]] * scale;
            right[r] = log_chance(x);
            wrong[r] = right[r] - x - spread;
        }
    }
    for (int64_t a = 0; a < t->n_annotators; a++)
        density += penalty(ability[a], prior->ability_mean, prior->ability_sd);
    return density;
}

typedef struct {
    double value, slope, bend, fisher; /* expected log posterior, its derivative, minus its second, and the positive part of that */
} local;

static local at_easiness(const ugt_coins *c, const ugt_glad_prior *prior, const double *q, const double *ability, int64_t i, double b)
{
    const ugt_label_table *t = &c->table;
    const double scale = exp(b), precision = 1.0 / (prior->easiness_sd * prior->easiness_sd);
    local f = {penalty(b, prior->easiness_mean, prior->easiness_sd), -(b - prior->easiness_mean) * precision, precision, precision};
    for (int64_t r = t->offsets[i]; r < t->offsets[i + 1]; r++) {
        const double x = ability[t->annotator[r]] * scale, e = exp(-fabs(x)), p = (x >= 0.0 ? 1.0 : e) / (1.0 + e);
        const double w = weight_of(c, r), right = q[c->entry[r]], sure = (x < 0.0 ? x : 0.0) - log1p(e);
        f.value += w * (sure - (1.0 - right) * x);
        f.slope += w * x * (right - p);
        f.fisher += w * x * x * p * (1.0 - p);
        f.bend += w * (x * x * p * (1.0 - p) - x * (right - p));
    }
    return f;
}

static double better_easiness(const ugt_coins *c, const ugt_glad_prior *prior, const double *q, const double *ability, int64_t i, double b)
{
    const local here = at_easiness(c, prior, q, ability, i, b);
    double step = here.slope / (here.bend > 0.25 * here.fisher ? here.bend : here.fisher);
    step = fabs(step) > LONGEST_STEP ? copysign(LONGEST_STEP, step) : step;
    for (int h = 0; h < HALVINGS; h++, step *= 0.5)
        if (at_easiness(c, prior, q, ability, i, b + step).value >= here.value)
            return b + step;
    return b;
}

/* Computes value [A] and, unless NULL, slope and bend [A] of each annotator's part of the expected log posterior, which is concave. */
static void at_abilities(const ugt_coins *c, const ugt_glad_prior *prior, const double *q, const double *ability, const double *scale,
                         double *value, double *slope, double *bend)
{
    const ugt_label_table *t = &c->table;
    const double precision = 1.0 / (prior->ability_sd * prior->ability_sd);
    for (int64_t a = 0; a < t->n_annotators; a++) {
        value[a] = penalty(ability[a], prior->ability_mean, prior->ability_sd);
        if (slope != NULL) {
            slope[a] = -(ability[a] - prior->ability_mean) * precision;
            bend[a] = precision;
        }
    }
    for (int64_t i = 0; i < t->n_cases; i++)
        for (int64_t r = t->offsets[i]; r < t->offsets[i + 1]; r++) {
            const int32_t a = t->annotator[r];
            const double x = ability[a] * scale[i], w = weight_of(c, r), right = q[c->entry[r]], e = exp(-fabs(x));
            value[a] += w * ((x < 0.0 ? x : 0.0) - log1p(e) - (1.0 - right) * x);
            if (slope != NULL) {
                const double p = (x >= 0.0 ? 1.0 : e) / (1.0 + e);
                slope[a] += w * scale[i] * (right - p);
                bend[a] += w * scale[i] * scale[i] * p * (1.0 - p);
            }
        }
}

static void better_abilities(const ugt_coins *c, const ugt_glad_prior *prior, const double *q, const double *scale, double *ability,
                             double *room)
{
    const int64_t n = c->table.n_annotators;
    double *old = room, *value = room + n, *slope = room + 2 * n, *bend = room + 3 * n, *now = room + 4 * n;
    memcpy(old, ability, (size_t)n * sizeof *old);
    at_abilities(c, prior, q, old, scale, value, slope, bend);
    for (int64_t a = 0; a < n; a++) {
        slope[a] /= bend[a];
        ability[a] = old[a] + slope[a];
    }
    for (int h = 0;; h++) {
        int64_t left = 0;
        at_abilities(c, prior, q, ability, scale, now, NULL, NULL);
        for (int64_t a = 0; a < n; a++)
            if (!(now[a] >= value[a]) && ability[a] != old[a]) {
                slope[a] *= 0.5;
                ability[a] = h < HALVINGS ? old[a] + slope[a] : old[a];
                left++;
            }
        if (left == 0)
            return;
    }
}

int ugt_glad_improve(const ugt_coins *coins, const ugt_glad_prior *prior, const double *q, double *ability, double *easiness)
{
    const ugt_label_table *t = &coins->table;
    double *room = malloc((size_t)(5 * t->n_annotators + t->n_cases + 1) * sizeof *room);
    if (room == NULL)
        return UGT_ERR_MEMORY;
    double *scale = room + 5 * t->n_annotators;
    for (int64_t i = 0; i < t->n_cases; i++) {
        easiness[i] = better_easiness(coins, prior, q, ability, i, easiness[i]);
        scale[i] = exp(easiness[i]);
    }
    better_abilities(coins, prior, q, scale, ability, room);
    free(room);
    return UGT_OK;
}

/* ---- information ---- */

typedef struct {
    const ugt_coins *c;
    const double *q, *p, *ability, *easiness;
    const ugt_glad_prior *prior;
    int joint;
    double *out, *cross; /* cross [n_annotators]: information of an ability with the easiness of the case at hand */
    int32_t *member;     /* [n_annotators] the annotators of the case, each once */
    uint8_t *is_member;
    /* used only if joint is 0 */
    double *pull;            /* [entries] weighted derivatives of the logits by the easiness, summed over labels */
    int64_t *last, *before;  /* [n_annotators], [labels] chains of the labels that an annotator gave to the case; -1: none */
} information;

static void add(const information *f, int32_t a, int32_t b, double value)
{
    f->out[a * f->c->table.n_annotators + b] += value;
}

/* Returns the covariance of "label r is right" and "label s is right". */
static double covariance(const information *f, int64_t r, int64_t s)
{
    const int32_t e = f->c->entry[r], g = f->c->entry[s];
    return (e == g ? f->q[e] : 0.0) - f->q[e] * f->q[g];
}

/* Adds a case to the joint information of all annotators. */
static void add_case(const information *f, int64_t i)
{
    const ugt_label_table *t = &f->c->table;
    const int free_easiness = f->prior != NULL;
    const double scale = free_easiness ? exp(f->easiness[i]) : 1.0;
    double own = free_easiness ? 1.0 / (f->prior->easiness_sd * f->prior->easiness_sd) : 0.0;
    int64_t n = 0;
    for (int64_t r = t->offsets[i]; r < t->offsets[i + 1]; r++) {
        const int32_t a = t->annotator[r];
        const double w = weight_of(f->c, r), noise = w * f->p[r] * (1.0 - f->p[r]), gain = w * (f->q[f->c->entry[r]] - f->p[r]);
        const double by_easiness = free_easiness ? f->ability[a] * scale : 0.0; /* derivative of the logit by the easiness */
        if (!f->is_member[a]) {
            f->is_member[a] = 1;
            f->member[n++] = a;
        }
        add(f, a, a, scale * scale * noise);
        f->cross[a] += scale * by_easiness * noise - (free_easiness ? scale * gain : 0.0);
        own += by_easiness * (by_easiness * noise - gain);
        for (int64_t s = t->offsets[i]; s < t->offsets[i + 1]; s++) {
            const int32_t b = t->annotator[s];
            const double missing = w * weight_of(f->c, s) * covariance(f, r, s), other = free_easiness ? f->ability[b] * scale : 0.0;
            add(f, a, b, -scale * scale * missing);
            f->cross[a] -= scale * other * missing;
            own -= by_easiness * other * missing;
        }
    }
    for (int64_t j = 0; j < n; j++)
        for (int64_t l = 0; l < n && free_easiness; l++)
            add(f, f->member[j], f->member[l], own > 0.0 ? -f->cross[f->member[j]] * f->cross[f->member[l]] / own : NAN);
    for (int64_t j = 0; j < n; j++) {
        f->cross[f->member[j]] = 0.0;
        f->is_member[f->member[j]] = 0;
    }
}

/* Adds a case to the diagonal of the information only, so that the work grows with the labels of the case, not with their pairs. */
static void add_case_alone(const information *f, int64_t i)
{
    const ugt_label_table *t = &f->c->table;
    const int free_easiness = f->prior != NULL;
    const double scale = free_easiness ? exp(f->easiness[i]) : 1.0;
    double own = free_easiness ? 1.0 / (f->prior->easiness_sd * f->prior->easiness_sd) : 0.0, pull = 0.0;
    for (int64_t e = t->given_offsets[i]; e < t->given_offsets[i + 1]; e++)
        f->pull[e] = 0.0;
    for (int64_t r = t->offsets[i]; r < t->offsets[i + 1]; r++) {
        const int32_t a = t->annotator[r], e = f->c->entry[r];
        const double by_easiness = free_easiness ? weight_of(f->c, r) * f->ability[a] * scale : 0.0;
        f->pull[e] += by_easiness;
        pull += by_easiness * f->q[e];
        f->before[r] = f->last[a]; /* chains the annotator's labels of the case, last one first */
        f->last[a] = r;
    }
    for (int64_t r = t->offsets[i]; r < t->offsets[i + 1]; r++) {
        const int32_t a = t->annotator[r], e = f->c->entry[r];
        const double w = weight_of(f->c, r), noise = w * f->p[r] * (1.0 - f->p[r]), gain = w * (f->q[e] - f->p[r]);
        const double by_easiness = free_easiness ? f->ability[a] * scale : 0.0, missing = w * f->q[e] * (f->pull[e] - pull);
        f->cross[a] += scale * by_easiness * noise - (free_easiness ? scale * gain : 0.0) - scale * missing;
        own += by_easiness * (by_easiness * noise - gain - missing);
        f->out[a] += scale * scale * noise;
        for (int64_t s = f->last[a]; s >= 0; s = f->before[s])
            f->out[a] -= scale * scale * w * weight_of(f->c, s) * covariance(f, r, s);
    }
    for (int64_t r = t->offsets[i]; r < t->offsets[i + 1]; r++) {
        const int32_t a = t->annotator[r];
        if (f->last[a] >= 0 && free_easiness)
            f->out[a] += own > 0.0 ? -f->cross[a] * f->cross[a] / own : NAN;
        f->cross[a] = 0.0;
        f->last[a] = -1;
    }
}

int ugt_coins_information(const ugt_coins *coins, const double *q, const double *chance_right, const ugt_glad_prior *prior,
                          const double *ability, const double *easiness, int joint, double *out)
{
    const int64_t n = coins->table.n_annotators, n_labels = coins->table.offsets[coins->table.n_cases];
    int status = UGT_OK;
    information f = {coins, q, chance_right, ability, easiness, prior, joint, out, calloc((size_t)n + 1, sizeof(double)),
                     calloc((size_t)n + 1, sizeof(int32_t)), calloc((size_t)n + 1, 1), NULL, NULL, NULL};
    if (!joint) {
        f.pull = malloc(((size_t)coins->table.given_offsets[coins->table.n_cases] + 1) * sizeof *f.pull);
        f.last = malloc(((size_t)n + 1) * sizeof *f.last);
        f.before = malloc(((size_t)n_labels + 1) * sizeof *f.before);
    }
    if (f.cross == NULL || f.member == NULL || f.is_member == NULL || (!joint && (f.pull == NULL || f.last == NULL || f.before == NULL)))
        status = UGT_ERR_MEMORY;
    for (int64_t a = 0; a < n && status == UGT_OK && !joint; a++)
        f.last[a] = -1;
    memset(out, 0, (size_t)(joint ? n * n : n) * sizeof *out);
    for (int64_t a = 0; a < n && prior != NULL; a++)
        out[joint ? a * n + a : a] = 1.0 / (prior->ability_sd * prior->ability_sd);
    for (int64_t i = 0; i < coins->table.n_cases && status == UGT_OK; i++)
        (joint ? add_case : add_case_alone)(&f, i);
    free(f.cross);
    free(f.member);
    free(f.is_member);
    free(f.pull);
    free(f.last);
    free(f.before);
    return status;
}
