/* Draws confusion matrices and prevalences from their posterior under Dirichlet priors, by Gibbs sampling. Given the true classes, the
 * parameters are independent Dirichlet vectors; given the parameters, the true classes are independent of each other.
 *
 * Cells that no label can fall into are drawn as one lump, because sums of Dirichlet coordinates are Dirichlet again. Draws do not
 * depend on the order of the cases: every case, every annotator and the prevalences have their own stream in every sweep, and
 * counts are sums of whole numbers, which are exact. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "em.h"

#define LEAST 1e-300 /* probabilities that are drawn below this are raised to it, so that none underflows to 0 */

/* which stream of a key is opened */
enum { OF_CASE, OF_ANNOTATOR, OF_PREVALENCE, OF_START };

static void open_stream(ugt_stream *stream, uint64_t seed, uint64_t key, uint64_t chain, int64_t sweep, int kind)
{
    ugt_stream_open(stream, seed, key, (chain << 36) | ((uint64_t)sweep << 2) | (uint64_t)kind, UGT_PURPOSE_ANNOTATORS);
}

/* Writes the number of votes of a case for each of its candidates. */
static void count_votes(const ugt_confusions *x, int64_t i, double *vote)
{
    const int64_t from = x->candidates[i], m = x->candidates[i + 1] - from;
    memset(vote, 0, (size_t)m * sizeof *vote);
    for (int64_t r = x->offsets[i]; r < x->offsets[i + 1]; r++) {
        const int32_t label = x->pair_label[x->pair[r]];
        int64_t low = 0, high = m - 1;
        if (x->all)
            low = label;
        while (!x->all && low < high) {
            const int64_t middle = (low + high) / 2;
            if (x->candidate[from + middle] < label)
                low = middle + 1;
            else
                high = middle;
        }
        vote[low] += x->weight == NULL ? 1.0 : x->weight[r];
    }
}

void ugt_vote_start(const int64_t *offsets, const double *vote, int64_t n_cases, const uint64_t *case_key, uint64_t seed, uint64_t start,
                    double *q)
{
    for (int64_t i = 0; i < n_cases; i++) {
        double sum = 0.0;
        ugt_stream stream;
        open_stream(&stream, seed, case_key[i], start, 0, OF_START);
        for (int64_t e = offsets[i]; e < offsets[i + 1]; e++)
            sum += q[e] = start > 0 ? ugt_stream_gamma(&stream, vote[e]) : vote[e];
        for (int64_t e = offsets[i]; e < offsets[i + 1]; e++)
            q[e] /= sum;
    }
}

typedef struct {
    const ugt_confusions *x;
    const ugt_skill_options *o;
    double *probability, *count;        /* [n_cells] */
    double *top, *sum, *diagonal, *off; /* [n_rows]; off: the lump of off-diagonal classes without a cell */
    double *prevalence, *class_count;   /* [n_classes] */
    double *q;
} sampler;

static inline int64_t row_of(const ugt_confusions *x, int64_t a, int64_t p, int64_t c)
{
    return x->all ? a * x->n_classes + (c - p * x->n_classes) : x->cell_row[c];
}

static inline int64_t truth_of(const ugt_confusions *x, int64_t p, int64_t c)
{
    return x->all ? c - p * x->n_classes : x->cell_truth[c];
}

static double log_gamma_draw(ugt_stream *stream, double shape, double *top)
{
    const double value = ugt_stream_log_gamma(stream, shape);
    *top = value > *top ? value : *top;
    return value;
}

static double at_least(double p)
{
    return p > LEAST ? p : LEAST;
}

static void draw_annotator(sampler *s, int64_t a, int64_t sweep)
{
    const ugt_confusions *x = s->x;
    const ugt_pseudo_counts *prior = &s->o->concentration;
    ugt_stream stream;
    open_stream(&stream, s->o->seed, s->o->annotator_key[a], s->o->chain, sweep, OF_ANNOTATOR);
    for (int64_t row = x->first_row[a]; row < x->first_row[a + 1]; row++) {
        s->top[row] = s->off[row] = s->diagonal[row] = -INFINITY;
        s->sum[row] = 0.0;
    }
    for (int64_t p = x->first_pair[a]; p < x->first_pair[a + 1]; p++)
        for (int64_t c = x->pair_cells[p]; c < x->pair_cells[p + 1]; c++) {
            const int on = truth_of(x, p, c) == x->pair_label[p];
            const int64_t row = row_of(x, a, p, c);
            const double shape = s->count[c] + (on ? prior->diagonal : prior->off_diagonal);
            s->probability[c] = log_gamma_draw(&stream, shape, &s->top[row]);
            if (on)
                s->diagonal[row] = s->probability[c];
        }
    for (int64_t row = x->first_row[a]; row < x->first_row[a + 1]; row++) {
        const double n_off = (double)(x->n_classes - 1 - x->row_cells[row]);
        if (n_off > 0.0)
            s->off[row] = log_gamma_draw(&stream, n_off * prior->off_diagonal, &s->top[row]);
        if (!x->row_diagonal[row])
            s->diagonal[row] = log_gamma_draw(&stream, prior->diagonal, &s->top[row]);
        s->sum[row] += exp(s->off[row] - s->top[row]) + (x->row_diagonal[row] ? 0.0 : exp(s->diagonal[row] - s->top[row]));
    }
    for (int64_t p = x->first_pair[a]; p < x->first_pair[a + 1]; p++)
        for (int64_t c = x->pair_cells[p]; c < x->pair_cells[p + 1]; c++) {
            const int64_t row = row_of(x, a, p, c);
            s->probability[c] = exp(s->probability[c] - s->top[row]);
            s->sum[row] += s->probability[c];
        }
    for (int64_t p = x->first_pair[a]; p < x->first_pair[a + 1]; p++)
        for (int64_t c = x->pair_cells[p]; c < x->pair_cells[p + 1]; c++)
            s->probability[c] = at_least(s->probability[c] / s->sum[row_of(x, a, p, c)]);
    for (int64_t row = x->first_row[a]; row < x->first_row[a + 1]; row++)
        s->diagonal[row] = exp(s->diagonal[row] - s->top[row]) / s->sum[row];
}

static void draw_prevalences(sampler *s, int64_t sweep)
{
    double top = -INFINITY, sum = 0.0;
    ugt_stream stream;
    open_stream(&stream, s->o->seed, 0, s->o->chain, sweep, OF_PREVALENCE);
    for (int64_t k = 0; k < s->x->n_classes; k++)
        s->prevalence[k] = log_gamma_draw(&stream, s->class_count[k] + s->o->concentration.prevalence, &top);
    for (int64_t k = 0; k < s->x->n_classes; k++)
        sum += s->prevalence[k] = exp(s->prevalence[k] - top);
    for (int64_t k = 0; k < s->x->n_classes; k++)
        s->prevalence[k] = at_least(s->prevalence[k] / sum);
}

static int64_t pick(const double *q, int64_t m, double u)
{
    int64_t last = 0;
    double sum = 0.0, total = 0.0;
    for (int64_t j = 0; j < m; j++)
        total += q[j];
    for (int64_t j = 0; j < m; j++) {
        sum += q[j];
        if (q[j] > 0.0) {
            last = j;
            if (u * total < sum)
                break;
        }
    }
    return last;
}

/* Draws the true class of a case; sweep -1 draws it from the votes. If draw < 0, nothing is written to value. */
static void draw_case(sampler *s, int64_t i, int64_t sweep, int64_t draw, double *value)
{
    const ugt_confusions *x = s->x;
    const int64_t from = x->candidates[i], m = x->candidates[i + 1] - from, width = m + s->o->spare;
    ugt_stream stream;
    if (sweep < 0)
        count_votes(x, i, s->q);
    else
        ugt_confusions_case(x, i, s->probability, s->prevalence, s->q);
    open_stream(&stream, s->o->seed, s->o->case_key[i], s->o->chain, sweep + 1, OF_CASE);
    const int64_t sure = ugt_confusions_known(x, i), z = sure >= 0 ? sure : pick(s->q, m, ugt_stream_uniform(&stream));
    for (int64_t t = 0; t < x->offsets[i + 1] - x->offsets[i]; t++)
        s->count[ugt_confusions_cell(x, i, t, m, z)] += x->weight == NULL ? 1.0 : x->weight[x->offsets[i] + t];
    s->class_count[x->all ? z : x->candidate[from + z]] += 1.0;
    if (draw < 0)
        return;
    double *out = value + (from + s->o->spare * i) * s->o->n_total + draw * width;
    for (int64_t j = 0; j < m; j++)
        out[j] = s->o->classes ? (j == z ? 1.0 : 0.0) : s->q[j];
    if (s->o->spare)
        out[m] = 0.0;
}

static void draw_cases(sampler *s, int64_t sweep, int64_t draw, double *value)
{
    memset(s->count, 0, (size_t)s->x->n_cells * sizeof *s->count);
    memset(s->class_count, 0, (size_t)s->x->n_classes * sizeof *s->class_count);
    for (int64_t i = 0; i < s->x->n_cases; i++)
        if (s->x->candidates[i + 1] > s->x->candidates[i])
            draw_case(s, i, sweep, draw, value);
}

static void write_parameters(const sampler *s, int64_t draw, double *accuracy, double *prevalence, double *cell_mean)
{
    const ugt_confusions *x = s->x;
    for (int64_t a = 0; a < x->n_annotators; a++) {
        double sum = 0.0, weight = 0.0;
        for (int64_t row = x->first_row[a]; row < x->first_row[a + 1]; row++) {
            const double p = s->prevalence[x->all ? row - x->first_row[a] : x->row_truth[row]];
            sum += p * s->diagonal[row];
            weight += p;
        }
        accuracy[draw * x->n_annotators + a] = weight > 0.0 ? sum / weight : NAN;
    }
    memcpy(prevalence + draw * x->n_classes, s->prevalence, (size_t)x->n_classes * sizeof *prevalence);
    for (int64_t c = 0; c < x->n_cells; c++)
        cell_mean[c] += s->probability[c] / (double)s->o->n_draws;
}

static int run(sampler *s, const volatile int32_t *stop, double *value, double *accuracy, double *prevalence, double *cell_mean)
{
    const ugt_skill_options *o = s->o;
    int64_t draw = o->first;
    memset(cell_mean, 0, (size_t)s->x->n_cells * sizeof *cell_mean);
    draw_cases(s, -1, -1, value);
    for (int64_t t = 0; t < o->n_warmup + o->n_draws * o->n_thin; t++) {
        if (*stop)
            return UGT_STOPPED;
        const int kept = t >= o->n_warmup && (t - o->n_warmup + 1) % o->n_thin == 0;
        for (int64_t a = 0; a < s->x->n_annotators; a++)
            draw_annotator(s, a, t);
        draw_prevalences(s, t);
        draw_cases(s, t, kept ? draw : -1, value);
        if (kept)
            write_parameters(s, draw++, accuracy, prevalence, cell_mean);
    }
    return UGT_OK;
}

int ugt_skills(const ugt_confusions *confusions, const ugt_skill_options *options, const volatile int32_t *stop, double *value,
               double *accuracy, double *prevalence, double *cell_mean)
{
    const int64_t cells = confusions->n_cells, rows = confusions->n_rows, classes = confusions->n_classes;
    double *room = calloc((size_t)(2 * cells + 4 * rows + 2 * classes + ugt_confusions_widest(confusions) + 1), sizeof *room);
    if (room == NULL)
        return UGT_ERR_MEMORY;
    sampler s = {.x = confusions, .o = options, .probability = room, .count = room + cells, .top = room + 2 * cells};
    s.sum = s.top + rows;
    s.diagonal = s.sum + rows;
    s.off = s.diagonal + rows;
    s.prevalence = s.off + rows;
    s.class_count = s.prevalence + classes;
    s.q = s.class_count + classes;
    const int status = run(&s, stop, value, accuracy, prevalence, cell_mean);
    free(room);
    return status;
}
