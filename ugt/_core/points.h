/* Weighted points of Plackett-Luce posteriors: what heights.c, proposals.c, learning.c, largest.c, tallies.c and points.c share. */
#ifndef UGT_POINTS_H
#define UGT_POINTS_H

#include "core.h"
#include "lanes.h"
#include "wide.h"

#include <math.h>
#include <stdlib.h>

#define UGT_LANES 16       /* points that are computed together */
#define UGT_SECTORS_TO 16  /* classes up to which sectors have their tables of all sets */
#define UGT_MOST_PART 3
#define UGT_WIDEST 600.0   /* range of log plausibilities, beyond which sums of plausibilities are computed as logs, one by one */
#define UGT_CELLS 96       /* of the density of a stick */
#define UGT_GUIDES 64      /* equal parts of probability, of each of which the first cell is kept */

/* Classes member[at ..] of the arena, and how often they count: a sum of plausibilities, over `size` classes, whose log counts `weight` times,
 * win[at ..] of them for each class; or a block of `size` tied classes before n_later later ones, whose log Q (subset.c) counts so often. */
typedef struct {
    double weight;
    int64_t at, size, n_later;
} ugt_point_factor;

/* The law of log(b / (1 - b)) of a stick: the log density of a Beta law, linear in cells of one width, with tails of constant slope. */
typedef struct {
    int n;             /* nodes */
    double first, step, per_step, left, right;
    double height[UGT_CELLS + 1], below[UGT_CELLS + 1], growth[UGT_CELLS + 1]; /* log density, probability; rise of the density, less 1 */
    int guide[UGT_GUIDES];
} ugt_stick_law;

typedef struct {
    const ugt_stages *stages;
    double reliability, shape;
    int rest;
    /* the case: m mentioned classes, then the rest, if any: d in all */
    int64_t m, d, others;    /* others: classes of the rest */
    double *shapes, *wins;   /* [d]; wins: how often each class counts as a factor, with its shape */
    ugt_point_factor *sum, *tied;
    int32_t *member;
    double *win;
    int64_t n_sums, n_tied, n_members, sum_room, tied_room, member_room, win_room;
    double *ways, *scratch;  /* [2 * 2^UGT_SMALL_BLOCK * UGT_LANES]; [2 * d] */
    /* the proposal */
    ugt_stick_law *law;      /* [d - 1] */
    double *alpha, *beta, *x; /* [d]; x [d * UGT_LANES]: log odds of the sticks of a block of points */
    int64_t *order, *image;  /* [d]; image: the first of the mentioned classes that are exchangeable with each */
    int sectors, part;       /* whether there are sectors; 2^part points of the chain have one of sectors */
    double *exponent, *chance, log_chance; /* [2^d]: exponents of sets, U of sets; log U of all */
    /* a block of points */
    int n;
    double *theta, *lambda;  /* [d * UGT_LANES]: log plausibilities, the largest one 0, and plausibilities */
    double total[UGT_LANES], height[UGT_LANES], of_chain[UGT_LANES], of_sectors[UGT_LANES], log_weight[UGT_LANES];
    int is_wide[UGT_LANES];
} ugt_point_work;

/* ---- heights.c ---- */
int ugt_points_read(ugt_point_work *w, int64_t i); /* reads the likelihood of a case; makes room for it */
void ugt_points_free(ugt_point_work *w);
/* From theta of n points: shifts it, sets lambda, total and height, the log density of theta up to a constant. */
void ugt_point_heights(ugt_point_work *w);

/* ---- proposals.c ---- */
void ugt_chain_open(ugt_point_work *w); /* the laws, from alpha and beta */
int ugt_sectors_open(ugt_point_work *w);
/* Sets theta of n points from coordinates u [dimensions * UGT_LANES] in (0, 1): d - 1 of the chain, 2 d - 1 of sectors; then heights, and
 * the log densities of both. */
void ugt_chain_points(ugt_point_work *w, const double *u);
void ugt_sector_points(ugt_point_work *w, const double *u);
void ugt_mixture_weights(ugt_point_work *w); /* log_weight: of points of both proposals in the proportions of `part` */

/* ---- learning.c ---- */
int ugt_proposal_learn(ugt_point_work *w, int64_t i, ugt_stream *stream); /* sets order, alpha, beta, part and laws */

/* ---- largest.c ---- */
/* The law of the largest share of n exchangeable classes of a shape: a table that is kept, and made longer where it is needed. */
typedef struct {
    int64_t n, reach; /* value: for s from 1 to 1 + reach */
    double shape, *value;
} ugt_largest_share;
/* *p: P(it is at most 1 / s). The caller frees value. */
int ugt_largest_at_most(ugt_largest_share *of, double s, double *p);

/* ---- tallies.c ---- */
#define UGT_MOST_LARGE 160    /* largest weights that are kept */
typedef struct {
    double *sum;           /* [UGT_SHIFTS][1 + 3 width]: weights, times P(first), plausibilities and their squares */
    double peak, squares;  /* log of the unit of weights; sum of squared weights */
    double large[UGT_MOST_LARGE]; /* the largest log weights, a heap with the least one first */
    int64_t n, width;
    int n_large;
} ugt_tally;

void ugt_tally_offer(ugt_tally *t, double log_weight); /* keeps it if it is among the largest */
void ugt_tally_raise_peak(ugt_tally *t, const ugt_point_work *w); /* makes the unit of weights larger if a block needs it */
void ugt_tally_share_evenly(const ugt_point_work *w, ugt_tally *t); /* gives exchangeable classes the same sums */
double ugt_tally_numbers(const ugt_tally *t, double *out, double *error); /* returns the largest error of a probability or mean */
int ugt_tally_diagnose(const ugt_tally *t, double *info); /* sets info[2 .. 4]; returns whether the errors can be relied on */

#endif
