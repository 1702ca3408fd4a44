# The part of the contract of ugt.h that _plackett_luce.pyx uses.
from libc.stdint cimport int32_t, int64_t, uint8_t, uint64_t

cdef extern from "ugt.h" nogil:
    ctypedef struct ugt_rankings:
        int64_t n_cases
        int64_t n_rankings
        int64_t n_blocks
        int64_t n_items
        int64_t n_classes
        const int64_t *case_offsets
        const int64_t *ranking_offsets
        const int64_t *block_offsets
        const int32_t *items
    ctypedef struct ugt_stages:
        pass
    ctypedef struct ugt_gibbs_options:
        double reliability
        double tempering
        double shape
        double rate
        int rest
        int64_t n_warmup
        int64_t n_draws
        int64_t n_thin
        int64_t n_chains
        uint64_t seed
    int UGT_STOPPED
    int ugt_plackett_luce_log_likelihood(const ugt_rankings *, const double *, int64_t, int64_t, double *, double *)
    int ugt_stages_new(const ugt_rankings *, const double *, int, ugt_stages **)
    void ugt_stages_free(ugt_stages *)
    int64_t ugt_stages_count(const ugt_stages *)
    const int64_t *ugt_stages_class_offsets(const ugt_stages *)
    const int32_t *ugt_stages_class_index(const ugt_stages *)
    int UGT_ERR_CONVERGENCE
    double UGT_CUBATURE_FLOOR
    int ugt_modes(const ugt_stages *, double, const double *, int, int64_t, int64_t, double *, int64_t *)
    void ugt_unbeaten(const ugt_stages *, int64_t, int64_t, uint8_t *)
    ctypedef struct ugt_cubature_options:
        double reliability
        double shape
        int rest
        double tolerance
        int64_t most_dimensions
        int64_t most_leaves
        int64_t most_terms
    int ugt_first_class(const ugt_stages *, const ugt_cubature_options *, const int64_t *, int64_t, const int32_t *, double *, double *, int64_t *)
    int ugt_gibbs(const ugt_stages *, const uint64_t *, const ugt_gibbs_options *, int64_t, int64_t, const int32_t *, double *)
    ctypedef struct ugt_points_law:
        double reliability
        double shape
        int rest
        double target
        int64_t first_points
        int64_t most_points
        uint64_t seed
    int UGT_SHIFTS
    int UGT_POINTS_INFO
    int ugt_points_fit(const ugt_stages *, const uint64_t *, const ugt_points_law *, const int64_t *, int64_t, const int32_t *, double *, double *,
                       double *, double *)
    int64_t ugt_points_count(const ugt_stages *, int, int64_t, const double *, int64_t)
    int ugt_points(const ugt_stages *, const uint64_t *, const ugt_points_law *, const int64_t *, int64_t, const double *, const int64_t *,
                   const int32_t *, double *, double *, double *)
