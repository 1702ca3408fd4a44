/* Lines of quasi-Monte Carlo: what lines.c and line_axes.c share. */
#ifndef UGT_LINES_H
#define UGT_LINES_H

#include "cubature.h"
#include "pair.h" /* INLINE */

#define SHIFTS 16
#define MOST_CLASSES UGT_MOST_DIMENSIONS /* the rest included */
#define NODES 128          /* at most: a case whose lines need more, because its density hardly falls, has none */
#define MOST_CELLS 64      /* of the density along an axis, each half a standard deviation wide */
#define CELL 0.5
#define DEEP 12.0          /* fall of the log density along the line through the mode, at which lines end */
#define BLOCK 16           /* lines whose points are computed together */
#define GUIDES 128         /* equal parts of the coordinates of an axis, of each of which the first cell is kept */
#define PER_NODE 32        /* nodes of the table of the integral of sinc, between nodes of a line */

typedef struct {
    double weight;
    int times; /* that it is in a product of this weight */
    int size, n_later;
    const int32_t *member;
} ugt_factor;

/* The density along an axis: its log is linear in each cell, and beyond the first and the last one. */
typedef struct {
    int n; /* nodes */
    double z[MOST_CELLS + 1], height[MOST_CELLS + 1], below[MOST_CELLS + 1]; /* below: probability */
    double growth[MOST_CELLS]; /* of the density over a cell, less 1 */
    double left, right; /* slopes of the tails */
    uint8_t guide[GUIDES];
} ugt_axis_law;

/* The lines of class order[0]; matrices have d - 1 rows and columns. */
typedef struct {
    int order[MOST_CLASSES];
    int rival;          /* which it may make first: its class, or the group of this class */
    int n_nodes;
    double begin, step; /* z of the first node, and between nodes */
    int64_t n_lines;    /* of a shift */
    double squares;     /* sum of squared totals of lines */
    double mode[MOST_CLASSES]; /* x */
    double jacobian[MOST_CLASSES * MOST_CLASSES]; /* of theta by x at the mode */
    double cholesky[MOST_CLASSES * MOST_CLASSES], axis[MOST_CLASSES * MOST_CLASSES]; /* L; row j: column j of L^-T */
    double power[NODES];   /* lambda at each node by that at the first */
    int whole;             /* whether the density changes so little along a line that powers can be multiplied out */
    double rise[NODES];    /* of the density for the wins of the class, by that at the middle node */
    double shift[SHIFTS * MOST_CLASSES];
    double sum[SHIFTS * (1 + 3 * MOST_CLASSES)]; /* the total, probabilities to be first, means, means of squares */
    ugt_axis_law law[MOST_CLASSES];
} ugt_direction;

/* Factors of e^F at the nodes of a line, or at points: e^log, density and e^height, and above / below, whose power is the weight. */
typedef struct {
    double log, density[NODES], height[NODES], weight, above[NODES], below[NODES];
    int n, n_factors, has_heights;
} ugt_product;

/* Class m is the rest, if any. */
typedef struct {
    int d, m;           /* classes with and without the rest */
    int n_directions, n_factors, n_rivals; /* rivals: classes that may be first one by one; with the rest if that is one class */
    int has_tail;       /* whether the rest are several classes */
    int has_above;      /* whether the rival of the rest is not the largest one */
    uint64_t without;   /* bits of the classes that are no rivals */
    double wins[MOST_CLASSES], total_shape, peak;
    double handicap;    /* log of the number of classes that share the rest evenly */
    double tail_a, tail_b, log_tail; /* of the largest plausibility of the rest */
    double far, all;
    ugt_factor *factors;
    double thetas[MOST_CLASSES][BLOCK], lambdas[MOST_CLASSES][BLOCK]; /* of the points of a block */
    double theta[MOST_CLASSES], lambda[MOST_CLASSES], others; /* of a point; the sum of all lambdas but that of the line */
    double own[NODES], sum[NODES]; /* lambda of the class of the line */
    int whole;          /* of the direction of the line */
    ugt_product line, point; /* of the factors that change along the line, and of the others */
    double *tied;       /* [2 * 2^size * NODES]: rates and ways of the subsets of a tied block */
    const double *integral; /* [2 * (PER_NODE + 1) * 2 * NODES]: the integral of sinc and sinc, in rows a node apart */
    ugt_direction *of;
    int n_groups;       /* that compete by sums: 0 if classes compete */
    int group[MOST_CLASSES], output[MOST_CLASSES]; /* of each class; the place of each group in the result */
    int n_splits, split[MOST_CLASSES];  /* groups with unmentioned classes, whose sum is broken like a stick, less one; all of these groups */
    double split_shape[MOST_CLASSES][2], split_mode[MOST_CLASSES], split_unit[MOST_CLASSES];
    ugt_axis_law split_law[MOST_CLASSES];
    double share[MOST_CLASSES][BLOCK]; /* of the unmentioned classes that are in each group, at points of a block */
} ugt_lines;

/* Inlined: gcc 12 leaves upper halves of registers in use when it calls a wide function of this file, and exp and others wait for them. */
INLINE double sum_of(const double *x, int n)
{
    double lane[4] = {0.0, 0.0, 0.0, 0.0};
    int i = 0;
    for (; i + 4 <= n; i += 4)
        for (int j = 0; j < 4; j++)
            lane[j] += x[i + j];
    for (; i < n; i++)
        lane[0] += x[i];
    return (lane[0] + lane[1]) + (lane[2] + lane[3]);
}

/* ---- lines.c ---- */
void ugt_line_point(ugt_lines *l, const ugt_direction *to, const double *x); /* sets theta and lambda */
double ugt_line_height(ugt_lines *l, const ugt_direction *to, const double *axis, double z); /* F at distance z from the mode */
/* Coordinate j in [0, 1) of points with these numbers; the same after the tent map, as z from a law, whose log density is subtracted. */
void ugt_line_coordinates(const uint32_t *index, int n, int j, double shift, double *coordinate);
void ugt_line_draw(const ugt_axis_law *law, const double *coordinate, int n, double *z, double *log_weight);

/* ---- line_sums.c ---- */
void ugt_fill_sinc(double *table);
double ugt_line_integral(const ugt_lines *l, double place, int n); /* of the density up to a place, in steps from the first node */
/* Adds to first the integrals over the parts of a line on which classes are first among the rivals. */
void ugt_add_first(ugt_lines *l, const ugt_direction *to, double begin, double total, double *first);
/* Sets the sums of density by the total of the lambdas and its square, and of the share of the class of the line and `more`, and its square. */
void ugt_line_moments(ugt_lines *l, double more, double moment[4]);
/* Sets out [width] and returns the largest standard error of a probability or a mean; own [n_directions]: that of each direction's numbers. */
double ugt_mean_of_lines(const ugt_cubature *w, const ugt_lines *l, double *out, double *own);

/* ---- line_axes.c ---- */
/* Reads the likelihood of the case. *possible: whether it can be integrated. */
int ugt_read_lines(const ugt_cubature *w, ugt_lines *l, const ugt_stages *stages, int64_t i, int *possible);
int ugt_open_directions(const ugt_cubature *w, ugt_lines *l, const ugt_stages *stages, int64_t i, int *possible);
void ugt_axis_law_close(ugt_axis_law *law, double least_slope); /* from n, z and height */

/* ---- group_lines.c ---- */
int ugt_read_group_lines(const ugt_cubature *w, ugt_lines *l); /* whether there are few enough groups */
/* Sets the classes whose lines groups have, that of the largest sum at the mode first; returns how many. */
int ugt_classes_of_groups(const ugt_lines *l, const double *lambda, int *class);
void ugt_draw_shares(ugt_lines *l, const double *shift, const uint32_t *index, int n, double *log_weight);
/* Adds the parts of line `at` of a block on which groups are first, and moments unless mean is NULL. */
void ugt_add_groups(ugt_lines *l, const ugt_direction *to, int at, double begin, double total, double *first, double *mean, double *square);

#endif
