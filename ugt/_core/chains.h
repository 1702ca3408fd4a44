/* Declarations of chains.c and jacobi.c. */
#ifndef UGT_CHAINS_H
#define UGT_CHAINS_H

#include "core.h"

#define UGT_MOST_MENTIONED 64 /* classes of a case: sets of classes are words of 64 bits */

/* The likelihood of a case as a sum over terms: coefficient * prod_j lambda_j^wins_j * prod_U S(all but U)^-exponent_U. The exponent of set s in
 * term t is base[s] + copies[t * n_sets + s]. n_terms = 0: the case has no such sum, or one of more terms than allowed. */
typedef struct {
    int64_t n_sets, n_terms;
    uint64_t *set;    /* [n_sets], bits of local classes that are gone before a stage */
    double *base;     /* [n_sets] */
    uint16_t *copies; /* [n_terms * n_sets] */
    double *coefficient; /* [n_terms] */
    int64_t set_room, base_room;
} ugt_chains;

/* Sets wins [m]; chains keeps its memory from case to case. */
int ugt_chains_of_case(const ugt_stages *stages, int64_t i, double reliability, int64_t most_terms, ugt_chains *chains, double *wins);
void ugt_chains_free(ugt_chains *chains);

/* node, rest, weight [n]: Gauss-Jacobi nodes b, 1 - b and weights of Beta(p, q); weights add up to 1. scratch [n]. 0: no convergence. */
int ugt_gauss_jacobi(double p, double q, int n, double *node, double *rest, double *weight, double *scratch);

#endif
