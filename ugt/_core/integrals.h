/* The part of the contract of ugt.h, which includes it, that is about integrals under Plackett-Luce. */
#ifndef UGT_INTEGRALS_H
#define UGT_INTEGRALS_H

/* ---- posterior.c: posterior probabilities and moments under Plackett-Luce, without draws ------------- */

typedef struct {
    double reliability, shape; /* as for ugt_gibbs, with tempering 1 */
    int rest;
    double tolerance;          /* of the adaptive rule: the error that it stops at */
    int64_t most_dimensions, most_exact_terms, most_leaves; /* limits of the adaptive rule; cases beyond them get the lattice */
    int64_t most_terms;        /* terms of the expansion of ties, beyond which a case has lines only */
    int64_t most_points;       /* of lines and of the lattice, over all terms and shifts, after the first round of lines; 0: none */
    uint64_t seed;             /* of the shifts */
    int no_lines;              /* whether a lattice is made at once */
} ugt_cubature_options;

#define UGT_NOT_INTEGRATED 0
#define UGT_INTEGRATED 1 /* by the adaptive rule; the error is a bound */
#define UGT_LATTICE 2    /* by lines or by the lattice, with random shifts; the error is a standard error */
#define UGT_CUBATURE_FLOOR 2e-9 /* least stated error: that of tables and of the step in log s */

/* Which classes of a case compete for the first place. All: {row, 0, 0}. */
typedef struct {
    int64_t row;
    uint64_t without; /* bits of the mentioned classes that do not */
    int64_t above;    /* of the other classes, so many may be above the first one: they compete by the next one */
} ugt_rivals;

/* n tasks. out: one after the other, for the m mentioned classes of its case and all others together: the m + 1 probabilities to be the
 * most plausible one of the rivals, the means and the variances of the plausibilities (NaN if not integrated); a case without classes has 3
 * numbers. error [n]: of the least accurate of them. info [4 n]: dimensions, terms (0 if they are too many or
 * have too many dimensions), UGT_NOT_INTEGRATED or how, nodes evaluated.
 * stream_key [n_cases], stop: as for ugt_gibbs. Stages as for ugt_modes. */
int ugt_first_class(const ugt_stages *stages, const uint64_t *stream_key, const ugt_cubature_options *options, const ugt_rivals *task, int64_t n,
                    const volatile int32_t *stop, double *out, double *error, int64_t *info);

/* The same for groups of classes, by the sums of their plausibilities. group [n_classes]: 0 to n_groups - 1; row [n]: cases with classes.
 * out [n * 3 * n_groups]: the probabilities of the groups to have the largest plausibility, its means and its variances. Among the
 * nodes of info, one of much work counts as several. */
int ugt_first_group(const ugt_stages *stages, const uint64_t *stream_key, const ugt_cubature_options *options, const int64_t *group, int64_t n_groups,
                    const int64_t *row, int64_t n, const volatile int32_t *stop, double *out, double *error, int64_t *info);

#endif
