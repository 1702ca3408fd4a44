/* The part of the contract of ugt.h, which includes it, that is about integrals under Plackett-Luce. */
#ifndef UGT_INTEGRALS_H
#define UGT_INTEGRALS_H

/* ---- posterior.c: posterior probabilities and moments under Plackett-Luce, by an adaptive rule ------- */

typedef struct {
    double reliability, shape; /* as for ugt_gibbs, with tempering 1 */
    int rest;
    double tolerance;          /* the error that the rule stops at, above UGT_CUBATURE_FLOOR */
    int64_t most_dimensions, most_components, most_leaves; /* a case beyond them is not integrated; components: terms that are no images of others */
    int64_t most_terms;        /* of the expansion of ties, likewise */
} ugt_cubature_options;

#define UGT_CUBATURE_FLOOR 2e-9 /* least stated error: that of tables and of the step in log s */

/* Cases row [n]. out: one after the other, for the m mentioned classes of a case and all others together: the m + 1 probabilities to be the
 * most plausible class, the means and the variances of the plausibilities; a case without classes has 3 numbers. error [n]: a bound of that
 * of the least accurate of them; NaN, as are the numbers, if the case has no classes or is not integrated. info [3 n]: dimensions, terms (0 if
 * they are too many, have too many dimensions, or if ties do not count a whole number of times), nodes evaluated.
 * stop: as for ugt_gibbs. Stages as for ugt_modes. */
int ugt_first_class(const ugt_stages *stages, const ugt_cubature_options *options, const int64_t *row, int64_t n, const volatile int32_t *stop,
                    double *out, double *error, int64_t *info);

#endif
