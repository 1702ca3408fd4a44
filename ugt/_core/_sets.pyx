"""Scores of classes for prediction sets, and labels sampled from plausibilities."""

from _status cimport check
from libc.stdint cimport int32_t, int64_t, uint64_t

cdef extern from "ugt.h" nogil:
    ctypedef struct ugt_set_rule:
        int kind, randomised
        double penalty
        int64_t rank, n_classes
        uint64_t seed, chain
    int UGT_SCORE_LAC
    int UGT_SCORE_APS
    int UGT_SCORE_RAPS
    int ugt_set_scores(const ugt_set_rule *, const double *, const uint64_t *, int64_t, double *)
    int ugt_sampled_labels(const double *, int64_t, int64_t, const uint64_t *, uint64_t, uint64_t, int64_t, int32_t *)

LAC, APS, RAPS = UGT_SCORE_LAC, UGT_SCORE_APS, UGT_SCORE_RAPS


def scores(int kind, bint randomised, double penalty, int64_t rank, uint64_t seed, uint64_t chain,
           const double[:, ::1] probability, const uint64_t[::1] stream_key, double[:, ::1] out):
    """Fill the scores (n, K) of probabilities (n, K) without NaN."""
    cdef ugt_set_rule rule
    cdef int64_t n = probability.shape[0]
    cdef int status
    if not 0 <= kind <= UGT_SCORE_RAPS:
        raise ValueError("unknown kind of score")
    if stream_key.shape[0] != n or out.shape[0] != n or out.shape[1] != probability.shape[1]:
        raise ValueError("probabilities, keys and scores do not fit together")
    if n == 0 or probability.shape[1] == 0:
        return
    rule.kind, rule.randomised, rule.penalty, rule.rank = kind, randomised, penalty, rank
    rule.n_classes, rule.seed, rule.chain = probability.shape[1], seed, chain
    with nogil:
        status = ugt_set_scores(&rule, &probability[0, 0], &stream_key[0], n, &out[0, 0])
    check(status)


def labels(const double[:, ::1] plausibility, const uint64_t[::1] stream_key, uint64_t seed, uint64_t chain, int32_t[:, ::1] out):
    """Fill labels (n, m) sampled from plausibilities (n, K) with positive sums."""
    cdef int64_t n = plausibility.shape[0], k = plausibility.shape[1], m = out.shape[1]
    cdef int status
    if stream_key.shape[0] != n or out.shape[0] != n:
        raise ValueError("plausibilities, keys and labels do not fit together")
    if k < 1 or k > 2147483647:
        raise ValueError("number of classes out of range")
    if n == 0 or m == 0:
        return
    with nogil:
        status = ugt_sampled_labels(&plausibility[0, 0], n, k, &stream_key[0], seed, chain, m, &out[0, 0])
    check(status)
