/* Declarations that the C files share; Python uses ugt.h only. */
#ifndef UGT_CORE_H
#define UGT_CORE_H

#include "ugt.h"

#include <stdlib.h>
#include <string.h>

/* Returns the bytes of n items for malloc. If the product would overflow, it returns more than malloc can give, so malloc fails. */
static inline size_t ugt_bytes(int64_t n, size_t size)
{
    return n < 0 || (uint64_t)n > PTRDIFF_MAX / size ? PTRDIFF_MAX : (size_t)n * size;
}

/* Makes room for n items in *array. */
static inline int ugt_make_room(void *array, int64_t *room, int64_t n, size_t size)
{
    void *held;
    if (n <= *room)
        return UGT_OK;
    memcpy(&held, array, sizeof held); /* a pointer to any type */
    const int64_t wanted = n + n / 2 + 16;
    void *grown = realloc(held, ugt_bytes(wanted, size));
    if (grown == NULL)
        return UGT_ERR_MEMORY;
    memcpy(array, &grown, sizeof grown);
    *room = wanted;
    return UGT_OK;
}

/* "ugt" in ASCII: makes these streams differ from those of other users of Philox with the same seed */
#define UGT_PHILOX_KEY 0x756774u

/* ---- special.c ---- */
typedef struct {
    double c, log_c, log_scale; /* log_scale: log Gamma(c+1) below shape 20, Stirling's prefactor above */
} ugt_shape;

typedef struct {
    double lower, upper, density; /* P(c, x), Q(c, x), and x^c e^-x / Gamma(c), the density of s = log x */
} ugt_cell;

void ugt_shape_set(ugt_shape *shape, double c);                                      /* c > 0, finite */
void ugt_gamma_cell(const ugt_shape *shape, double s, double x, ugt_cell *cell);     /* x = exp(s) */
double ugt_log_gamma(double x);                                                      /* x > 0 */
double ugt_log_tiny(double x);                                                       /* log x, x > 0, subnormal numbers included */
double ugt_log1p_defect(double x);                                                   /* x - log(1+x) */
double ugt_gamma_log_above(const ugt_shape *shape, double t); /* an s with log Q(c, e^s) <= -t */
double ugt_gamma_log_below(const ugt_shape *shape, double t); /* an s with log P(c, e^s) <= -t */

/* ---- cells.c: tables of the three functions on the nodes of one quadrature grid ---- */

/* Grid l < UGT_PANELS is the trapezoid rule, u = i 2^-l. Grid UGT_PANELS + l is Gauss-Legendre with UGT_GAUSS nodes on
 * panels of width 2^-l, for running integrals. Both are in u, with s = u - exp(-(u + UGT_GRID_BEND)): the bend sends the
 * left tail to -inf double-exponentially, so that concentrations down to 1e-12 need only about a dozen more nodes and no
 * special case. */
#define UGT_GRID_BEND 5.0
#define UGT_PANELS 1000
#define UGT_GAUSS 16

typedef struct ugt_cells ugt_cells;

typedef struct {
    const double *lower, *upper; /* values at nodes lo, lo+1, ... of the request */
    const double *density;       /* density times the weight of the node, since every integrand has exactly one density */
} ugt_columns;

ugt_cells *ugt_cells_new(void); /* NULL: out of memory */
void ugt_cells_free(ugt_cells *cells);
void ugt_cells_trim(ugt_cells *cells); /* drops all tables when they exceed their budget */
int ugt_cells_get(ugt_cells *cells, double c, int grid, int64_t lo, int64_t hi, ugt_columns *out);
double ugt_grid_point(int grid, int64_t i, double *s); /* returns the weight of node i; *s: its abscissa */
double ugt_grid_coordinate(double s);                  /* returns u for s */

/* ---- profile.c: a Dirichlet law without the names of its classes ---- */
typedef struct {
    int64_t n_groups;
    const double *c;      /* distinct positive concentrations, descending */
    const int64_t *count; /* how many classes have each */
} ugt_profile;

ugt_profile ugt_profile_at(const ugt_profiles *profiles, int64_t i);
int64_t ugt_profile_support(const ugt_profile *profile); /* classes with positive concentration */

/* Nodes for integrals over the law of the order-th largest variable. */
typedef struct {
    int grid;
    int64_t lo, hi; /* nodes [lo, hi) */
} ugt_plan;

ugt_plan ugt_plan_order(const ugt_profile *profile, int64_t order);
ugt_plan ugt_plan_halve(const ugt_plan *plan); /* the same range with half the step */

/* ---- quadrature.c ---- */
typedef struct {
    ugt_cells *cells;
    ugt_columns *columns; /* [n_groups] */
    double *poly;         /* [n_poly] scratch for integrands */
    int64_t n_columns, n_poly;
} ugt_workspace;

int ugt_grow(double **array, int64_t *room, int64_t n); /* makes room for n, never shrinks */
int ugt_workspace_prepare(ugt_workspace *work, const ugt_profile *profile, const ugt_plan *plan);
void ugt_workspace_free(ugt_workspace *work);

/* An integral computes the results of the task on the nodes of a plan, and adds to *sum terms whose total must be 1. */
typedef int ugt_integral(ugt_workspace *work, const ugt_profile *profile, const ugt_plan *plan, void *task, double *sum);
int ugt_integrate(ugt_workspace *work, const ugt_profile *profile, ugt_plan plan, ugt_integral *integral, void *task);

double ugt_power(double x, int64_t n); /* n >= 0 */
void ugt_binomial(double *e, int64_t n, double lower, double upper, int d);
void ugt_multiply(double *out, const double *p, const double *e, int d);

/* ---- compare.c ---- */
typedef struct {
    double start, size; /* numbers of classes that are strictly better, and that are tied; whole numbers */
} ugt_bucket;

typedef struct {
    const ugt_bucket *model, *truth;
    int n_model, n_truth; /* at most depth + 1 each */
} ugt_sides;

double ugt_choose(double n, int64_t k);

/* Finds the buckets of an order that start before depth, and one for all other classes. Returns their number, at most depth + 1. */
int ugt_order_buckets(const int32_t *start, int64_t listed, int64_t n_classes, int64_t depth, ugt_bucket *buckets);

/* Returns the value of a metric of two lists, or NaN for any other metric. n [n_model * n_truth], scratch [2 * (depth + 1)]. */
double ugt_list_value(const ugt_sides *sides, const double *n, int metric, int depth, double parameter, double *scratch);

/* ---- subset.c and block.c: one block of tied classes under Plackett-Luce ---- */

/* Largest block, in classes, for the subset recursion, whose time grows as n 2^n. Quadrature is faster for larger blocks. */
#define UGT_SMALL_BLOCK 9

typedef struct {
    double q[1 << UGT_SMALL_BLOCK], d[1 << UGT_SMALL_BLOCK], total[1 << UGT_SMALL_BLOCK]; /* by bit mask: subset.c */
} ugt_lattice;

/* Computes Q and the rates of every subset; lambda [n] > 0, 1 <= n <= UGT_SMALL_BLOCK, z >= 0. */
void ugt_subset_ways(const double *lambda, int n, double z, ugt_lattice *lattice);
/* Returns log p(block before the later classes), with the arguments of ugt_subset_ways. Leaves Q and the rates in the lattice. */
double ugt_subset_log_probability(const double *lambda, int n, double z, ugt_lattice *lattice);
/* Sets share [n] = d log p / d log lambda_a from the lattice that the function above has filled; overwrites its d. */
void ugt_subset_share(const double *lambda, int n, double z, ugt_lattice *lattice, double *share);

/* Returns log p for a block of any size n, given x_a = lambda_a / z > 0; share [n] or NULL. */
double ugt_block_log_probability(const double *x, int64_t n, double *share);
double ugt_block_mode(const double *x, int64_t n, double *curvature);

/* Draws s from a log-concave density exp(g(s)), by rejection from three exponential pieces over g, tangents at s0 +- reach. With s0 near
 * the mode and reach about sqrt(2 / curvature), this takes 1.13 proposals on average (1.6 in the prototype's worst scan). g sets *slope. */
typedef double ugt_log_density(const void *task, double s, double *slope);
double ugt_log_concave(ugt_stream *stream, ugt_log_density *g, const void *task, double s0, double reach);

/* Draws tau [n], arrival times given that all of the block arrives before the later classes; returns the last of them.
 * lambda [n] > 0, z > 0, their quotients are from 1e-300 to 1e300; scratch x [n]. */
double ugt_block_arrivals(ugt_stream *stream, const double *lambda, int64_t n, double z, double *x, double *tau);

/* Returns log p(block | z) by the faster method: 0 for z = 0, -INFINITY or NaN if a rate is 0. share [n] or NULL; scratch x [n]. */
double ugt_stage_log_probability(const double *lambda, int64_t n, double z, double *x, double *share, ugt_lattice *lattice);

/* ---- map.c ---- */
/* Sets the mode of ugt_modes of a case, lambda [d], and minus the Hessian of F by log lambda there, the lower triangle of curvature [d * d];
 * d: the mentioned classes and the lump, if any. */
int ugt_curvature_at_mode(const ugt_stages *stages, int64_t i, double reliability, double shape, int rest, double *lambda, double *curvature);

/* ---- sort.c ---- */
typedef struct {
    uint64_t key; /* ascends as scores descend */
    uint64_t load;
} ugt_record;

/* Is called with a run of sorted records. Records with equal keys are always in one run, so tie groups are complete. */
typedef int ugt_visit(void *context, const ugt_record *sorted, int64_t n);

/* Visits all records, highest score first, ties in input order. The load is that of the scores or, without one, the position. */
int ugt_sort_scores(const ugt_scores *in, ugt_visit *visit, void *context, int64_t *nan_at);
double ugt_score_of_key(uint64_t key);

/* ---- stages.c ---- */
typedef struct {
    int32_t size, n_later; /* classes in the block; mentioned classes that come later (the lump always does) */
    int64_t at;            /* member[at..]: local numbers of the block, then of the later classes, both ascending */
    double count;          /* how many rankings have this stage */
} ugt_stage;

struct ugt_stages {
    int64_t n_cases, n_classes;
    int64_t *class_offsets; /* [n_cases+1] */
    int32_t *class_index;   /* mentioned classes, ascending within a case */
    int64_t *stage_offsets; /* [n_cases+1] */
    ugt_stage *stage;
    int32_t *member;
};

/* Sets image [m]: for each mentioned class of a case the first one with which it can change places while the stages stay the same. */
void ugt_exchangeable(const ugt_stages *stages, int64_t i, int64_t *image);
/* Gives classes with the same image the mean of their values [m]: what is symmetric comes out so, and is known better. */
void ugt_share_evenly(const int64_t *image, int64_t m, double *value);

#endif
