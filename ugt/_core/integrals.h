/* The part of the contract of ugt.h, which includes it, that is about integrals and weighted points under Plackett-Luce. */
#ifndef UGT_INTEGRALS_H
#define UGT_INTEGRALS_H

/* ---- posterior.c: posterior probabilities and moments under Plackett-Luce, by an adaptive rule ------- */

typedef struct {
    double reliability, shape; /* as for ugt_gibbs, with tempering 1 */
    int rest;
    double tolerance;          /* the error that the rule stops at, above UGT_CUBATURE_FLOOR */
    int64_t most_dimensions, most_leaves, most_terms; /* a case beyond them is not integrated; terms: of the expansion of ties */
} ugt_cubature_options;

#define UGT_CUBATURE_FLOOR 2e-9 /* least stated error: that of tables and of the step in log s */

/* Cases row [n]. out: one after the other, for the m mentioned classes of a case and all others together: the m + 1 probabilities to be the
 * most plausible class, the means and the variances of the plausibilities; a case without classes has 3 numbers. error [n]: a bound of that
 * of the least accurate of them; NaN, as are the numbers, if the case has no classes or is not integrated. info [3 n]: dimensions, terms (0 if
 * they are too many, have too many dimensions, or if ties do not count a whole number of times), nodes evaluated.
 * stop: as for ugt_gibbs. Stages as for ugt_modes. */
int ugt_first_class(const ugt_stages *stages, const ugt_cubature_options *options, const int64_t *row, int64_t n, const volatile int32_t *stop,
                    double *out, double *error, int64_t *info);

/* ---- points.c: weighted points of the posterior, by importance sampling --------------------------------- */

typedef struct {
    double reliability, shape; /* as for ugt_gibbs, with tempering 1 */
    int rest;
    double target;             /* standard error of probabilities and means, at which ugt_points_fit adds no more points */
    int64_t first_points, most_points; /* of the chain in each shift, at first and at most: 8 to 65536; they double */
    uint64_t seed;
} ugt_points_law;

#define UGT_SHIFTS 16
#define UGT_POINTS_INFO 6

/* Cases row [n]. Those with m mentioned classes have 3 (m + 1) numbers in each of fit, out and error, one case after the other; a case without
 * classes has three NaN. fit: how its points are made. out: the probabilities of the m classes and of all others together to hold the most
 * plausible one, the means and the variances of the plausibilities; error: their standard errors, from the shifts.
 * info [n * UGT_POINTS_INFO]: points of the chain in a shift (0: no weight is finite, and all numbers are NaN), all points, their effective
 * number, k of the generalised Pareto law of the largest weights (NaN: of too few, or equal ones), how many points hold half of the
 * weight, and dimensions. If the effective number or k are doubtful (points.c), up to four more doublings follow. stream_key, stop: as for ugt_gibbs. */
int ugt_points_fit(const ugt_stages *stages, const uint64_t *stream_key, const ugt_points_law *law, const int64_t *row, int64_t n,
                   const volatile int32_t *stop, double *fit, double *out, double *error, double *info);

/* The number of points of a case: UGT_SHIFTS times that of a shift, with n_points of the chain, a multiple of 8. fit: of this case. */
int64_t ugt_points_count(const ugt_stages *stages, int rest, int64_t row, const double *fit, int64_t n_points);

/* Points of cases row [n] with their fit, as many as ugt_points_count says for n_points [n], 8 to 65536; those of a shift are beside each other.
 * log_value [points * (m + 1)]: logs of the plausibilities of the mentioned classes and of all others together (-INFINITY: there are none);
 * weight [points]: adds up to 1 over a case; info as above, or NULL. UGT_ERR_VALUE: the fit is none. target, first_points and most_points are
 * not used. */
int ugt_points(const ugt_stages *stages, const uint64_t *stream_key, const ugt_points_law *law, const int64_t *row, int64_t n, const double *fit,
               const int64_t *n_points, const volatile int32_t *stop, double *log_value, double *weight, double *info);

#endif
