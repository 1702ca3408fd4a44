/* Declarations that the files of ugt_first_class share: laws.c, cubature.c, adaptive.c, posterior.c. */
#ifndef UGT_CUBATURE_H
#define UGT_CUBATURE_H

#include "chains.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define UGT_MOST_DIMENSIONS 24
#define UGT_LEVELS 12 /* of the nodes of a dimension */
#define UGT_PER_UNIT 64      /* steps in log s are multiples of 1 / UGT_PER_UNIT; tables have a power of two times as many nodes per unit */
#define UGT_LONGEST_LOG 36.0 /* rates below e^-36 count as e^-36 */

typedef struct {
    double c, low;        /* log x of node 0 */
    int whole;            /* whether P is negligible below node 0 */
    int64_t n, per_step;  /* nodes; nodes per 1 / UGT_PER_UNIT */
    double *law;          /* [3 * n]: P(c, x), its derivative f by log x, and the derivative of f */
} ugt_gamma_table;

/* The table of one class, for the nodes of the step in log s: rows of nodes that are a step apart. */
typedef struct {
    double c, low, per_unit, delta, of_stride; /* delta = 1 / per_unit: log x between nodes; of_stride = 1 / stride */
    int64_t n, stride, row, rows; /* rows = stride + 1, of length row */
    int64_t whole_rows, left;     /* of the nodes that have a next one */
    const double *law;            /* [3 * rows * row] */
} ugt_strided_law;

/* Where and with which weights a table gives the law of a class of rate r on the nodes of s: nodes begin to end - 1; it is 0 before and 1
 * after them. */
typedef struct {
    const double *p0, *f0, *g0, *p1, *f1, *g1; /* at node `begin` */
    double h00, h01, h10, h11;
    int64_t begin, end;
} ugt_law_reader;

typedef struct {
    double p, q, extra;
    int level, n;
    double *node; /* [4 * n]: b, 1 - b, log(1 - b), weight with (1 - b)^-extra */
} ugt_beta_rule;

typedef struct {
    int n_dims, first_level;
    double factor; /* coefficient and constants, relative to the largest of the case */
    uint64_t set[UGT_MOST_DIMENSIONS];
    double p[UGT_MOST_DIMENSIONS], q[UGT_MOST_DIMENSIONS], extra[UGT_MOST_DIMENSIONS];
    int last[UGT_MOST_MENTIONED]; /* the dimension to which a class belongs; -1: rate 1 */
} ugt_component;

typedef struct {
    int64_t component;
    int64_t leaves;
    double surplus; /* measure of its surplus */
    int old;        /* whether it is not active */
} ugt_tensor;

typedef struct {
    const ugt_cubature_options *options;
    /* kept from case to case */
    ugt_gamma_table *table;
    int64_t n_tables, table_room;
    ugt_chains chains;
    double *laws, *room;
    int64_t laws_room, room_room;
    ugt_beta_rule *rule;
    int64_t n_rules, rule_room;
    ugt_component *component;
    int64_t n_components, component_room;
    ugt_tensor *tensor;
    int64_t n_tensors, tensor_room;
    uint8_t *level;  /* [n_tensors * dims] */
    double *value;   /* [n_tensors * 2 * width] */
    int64_t level_room, value_room;
    int64_t *slot, n_slots;
    int64_t *rule_of, rule_of_room; /* [n_components * dims * UGT_LEVELS]: one more than the number of the rule; 0: none yet */
    /* the case */
    int64_t m, n_dims;
    int64_t width; /* three numbers for each mentioned class and the rest */
    int has_rest;
    double rest_shape, rest_count, n0, wins_total, step, first; /* first: log s of node 0 */
    double wins[UGT_MOST_MENTIONED];
    ugt_strided_law law[UGT_MOST_MENTIONED];
    int64_t n_s;
    double *still, *still_f;  /* [(m + 1) * n_s]: laws and densities at rate 1, the rest last */
    int64_t still_end[UGT_MOST_MENTIONED + 1];
    /* the sum over the nodes of a group of dimensions and later ones: one, and those behind it that have one node */
    int n_groups, group[UGT_MOST_DIMENSIONS + 1]; /* the first dimension of each */
    double *own;              /* [2 * m * n_s]: laws and densities of the classes of a group */
    double *sums;             /* [(dims + 1) * (m + 1) * n_s]: V, and V_k of each class */
    double *tails;            /* [dims * (n_s + 1)] */
    int64_t end[UGT_MOST_DIMENSIONS]; /* where the sums end */
    int64_t used[UGT_MOST_DIMENSIONS * (UGT_MOST_MENTIONED + 1)]; /* where numbers other than 0 end in V and in each V_k */
    const ugt_component *summed;  /* the component of the sums */
    int by_last[UGT_MOST_MENTIONED], by_last_at[UGT_MOST_DIMENSIONS + 1]; /* its classes by their last dimension; where each begins */
    double moment[UGT_MOST_DIMENSIONS + 1][3 + 2 * UGT_MOST_MENTIONED];
    double tail[UGT_MOST_DIMENSIONS + 1];
    double v[UGT_MOST_DIMENSIONS], log_rest[UGT_MOST_DIMENSIONS], stick[UGT_MOST_DIMENSIONS + 1];
    int64_t leaves;
} ugt_cubature;

typedef struct {
    int n;
    const double *node, *rest, *log_rest, *weight;
} ugt_axis;

static inline double ugt_total_of(const double *x, int64_t n)
{
    double sum = 0.0;
    for (int64_t j = 0; j < n; j++)
        sum += x[j];
    return sum;
}

/* The largest whole number that is not above x; floor is a call on processors without it. */
static inline int64_t ugt_whole_below(double x)
{
    const int64_t whole = (int64_t)x;
    return whole - (x < (double)whole);
}

/* Finds the law of class k at rate e^log_r. */
static inline void ugt_law_read(const ugt_cubature *w, int64_t k, double log_r, ugt_law_reader *out)
{
    const ugt_strided_law *t = &w->law[k];
    const double delta = t->delta, place = (w->first + log_r - t->low) * t->per_unit;
    const int64_t base = ugt_whole_below(place);
    const int64_t shift = ugt_whole_below(((double)base + 0.5) * t->of_stride), phase = base - shift * t->stride;
    const double x = place - (double)base;
    const int64_t part = t->rows * t->row;
    out->h00 = (1.0 + 2.0 * x) * (1.0 - x) * (1.0 - x);
    out->h01 = x * x * (3.0 - 2.0 * x);
    out->h10 = delta * x * (1.0 - x) * (1.0 - x);
    out->h11 = delta * x * x * (x - 1.0);
    out->begin = shift < 0 ? -shift : 0;
    out->end = t->whole_rows - (phase > t->left) - shift + 1;
    if (out->end > w->n_s)
        out->end = w->n_s;
    if (out->begin > w->n_s)
        out->begin = w->n_s;
    if (out->end < out->begin)
        out->end = out->begin;
    out->p0 = t->law + phase * t->row + (out->begin < out->end ? shift + out->begin : 0);
    out->p1 = out->p0 + t->row;
    out->f0 = out->p0 + part;
    out->f1 = out->p1 + part;
    out->g0 = out->f0 + part;
    out->g1 = out->f1 + part;
}

/* ---- laws.c ---- */
int ugt_law_table(ugt_cubature *w, double c, double low, int64_t *at); /* *at: the table of shape c, from log x = low or lower on */
void ugt_law_stride(const ugt_gamma_table *t, int64_t steps, ugt_strided_law *out, double *law);
void ugt_law_write(const ugt_law_reader *in, int64_t begin, int64_t end, double *restrict p, double *restrict f);
void ugt_law_add(const ugt_law_reader *in, double weight, double *restrict sum, double *restrict own);

/* ---- cubature.c ---- */
/* out [width]: E w P(k is first), of the mentioned classes and of all others together; then the first and second moments likewise. */
void ugt_integrate_tensor(ugt_cubature *w, const ugt_component *one, const ugt_axis *axes, double *out);

/* ---- adaptive.c ---- */
int ugt_adaptive_rule(ugt_cubature *w, const volatile int32_t *stop, double *sum, double *error);

#endif
