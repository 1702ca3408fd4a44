"""Plackett-Luce: likelihood, stages, posterior draws. Offsets and class indices are checked by the C core."""

from array import array

from _status cimport check
from libc.stdint cimport int32_t, int64_t, uint8_t, uint64_t


cdef ugt_rankings rankings_of(const int64_t[::1] case_offsets, const int64_t[::1] ranking_offsets, const int64_t[::1] block_offsets,
                              const int32_t[::1] items, int64_t n_classes) except *:
    cdef ugt_rankings x
    cdef int64_t n = case_offsets.shape[0] - 1, r = ranking_offsets.shape[0] - 1, b = block_offsets.shape[0] - 1, j
    if n < 1 or r < 0 or b < 0 or n_classes < 1 or case_offsets[0] != 0 or case_offsets[n] != r or ranking_offsets[0] != 0 \
            or ranking_offsets[r] != b or block_offsets[0] != 0 or block_offsets[b] != items.shape[0]:
        raise ValueError("arrays of the rankings do not fit together")
    for j in range(n):
        if case_offsets[j + 1] < case_offsets[j]:
            raise ValueError("offsets must not decrease")
    for j in range(r):
        if ranking_offsets[j + 1] < ranking_offsets[j]:
            raise ValueError("offsets must not decrease")
    for j in range(b):
        if block_offsets[j + 1] < block_offsets[j]:
            raise ValueError("offsets must not decrease")
    x.n_cases, x.n_rankings, x.n_blocks, x.n_items, x.n_classes = n, r, b, items.shape[0], n_classes
    x.case_offsets, x.ranking_offsets, x.block_offsets = &case_offsets[0], &ranking_offsets[0], &block_offsets[0]
    x.items = &items[0] if items.shape[0] > 0 else NULL
    return x


def log_likelihood(const int64_t[::1] case_offsets, const int64_t[::1] ranking_offsets, const int64_t[::1] block_offsets,
                   const int32_t[::1] items, const double[:, ::1] plausibility, int64_t begin, int64_t end, double[::1] log_p,
                   double[:, ::1] gradient=None):
    cdef ugt_rankings rankings = rankings_of(case_offsets, ranking_offsets, block_offsets, items, plausibility.shape[1])
    cdef double *slope = NULL
    cdef int status
    if plausibility.shape[0] != rankings.n_cases or log_p.shape[0] != rankings.n_rankings or begin < 0 or end > rankings.n_cases:
        raise ValueError("plausibilities and outputs do not fit the rankings")
    if gradient is not None:
        if gradient.shape[0] != rankings.n_cases or gradient.shape[1] != rankings.n_classes:
            raise ValueError("gradient does not fit")
        slope = &gradient[0, 0]
    if begin >= end:
        return
    if rankings.n_rankings == 0:
        if gradient is not None:
            gradient[begin:end] = 0.0
        return
    with nogil:
        status = ugt_plackett_luce_log_likelihood(&rankings, &plausibility[0, 0], begin, end, &log_p[0], slope)
    check(status)


cdef class Stages:
    """The stages of a set of rankings, merged within cases; and the classes that each case mentions."""

    cdef ugt_stages *stages
    cdef readonly int64_t n_cases
    cdef int64_t n_classes

    def __cinit__(self, const int64_t[::1] case_offsets, const int64_t[::1] ranking_offsets, const int64_t[::1] block_offsets,
                  const int32_t[::1] items, int64_t n_classes, bint rest, const double[::1] weight=None):
        cdef ugt_rankings rankings = rankings_of(case_offsets, ranking_offsets, block_offsets, items, n_classes)
        cdef const double *times = NULL
        cdef int status
        if weight is not None:
            if weight.shape[0] != rankings.n_rankings:
                raise ValueError("weights do not fit the rankings")
            times = &weight[0] if weight.shape[0] > 0 else NULL
        self.n_cases, self.n_classes = rankings.n_cases, n_classes
        with nogil:
            status = ugt_stages_new(&rankings, times, rest, &self.stages)
        check(status)

    def __dealloc__(self):
        ugt_stages_free(self.stages)

    def __len__(self):  # -> int
        return ugt_stages_count(self.stages)

    def n_mentioned(self):  # -> int
        return ugt_stages_class_offsets(self.stages)[self.n_cases]

    cdef int64_t width(self, int64_t begin, int64_t end) noexcept:
        cdef const int64_t *offsets = ugt_stages_class_offsets(self.stages)
        return offsets[end] - offsets[begin] + end - begin

    def classes(self, int64_t[::1] offsets, int32_t[::1] index):
        """Copy the offsets (N + 1,) and positions of the mentioned classes into the arguments."""
        cdef int64_t i
        if offsets.shape[0] != self.n_cases + 1 or index.shape[0] != self.n_mentioned():
            raise ValueError("outputs do not fit")
        for i in range(self.n_cases + 1):
            offsets[i] = ugt_stages_class_offsets(self.stages)[i]
        for i in range(index.shape[0]):
            index[i] = ugt_stages_class_index(self.stages)[i]

    def map(self, double reliability, const double[::1] shape, int rest, int64_t begin, int64_t end, double[::1] plausibility):  # -> int
        """Fill the modes of cases begin..end, mentioned classes and lump; return the case without a mode, or -1."""
        cdef int64_t stopped_at = -1
        cdef int status
        if shape.shape[0] != self.n_cases or begin < 0 or end > self.n_cases or not reliability > 0 \
                or plausibility.shape[0] != self.n_mentioned() + self.n_cases:
            raise ValueError("options or output of the modes do not fit")
        if begin >= end:
            return -1
        with nogil:
            status = ugt_modes(self.stages, reliability, &shape[0], rest, begin, end, &plausibility[0], &stopped_at)
        if status == UGT_ERR_CONVERGENCE:
            return stopped_at
        check(status)
        return -1

    def unbeaten(self, uint8_t[::1] mark):
        """Mark, per case, a smallest set of mentioned classes before which no other one is ever placed."""
        if mark.shape[0] != self.n_mentioned():
            raise ValueError("output does not fit")
        if mark.shape[0] > 0:
            with nogil:
                ugt_unbeaten(self.stages, 0, self.n_cases, &mark[0])

    def gibbs(self, const uint64_t[::1] stream_key, double reliability, double shape, double rate, int rest, int64_t n_warmup, int64_t n_draws,
              int64_t n_thin, int64_t n_chains, uint64_t seed, int64_t begin, int64_t end, const int32_t[::1] stop, double[::1] draws,
              double tempering=1.0):  # -> bool
        """Fill the draws of cases begin..end; return whether the run was completed."""
        cdef ugt_gibbs_options options
        cdef int status
        if stream_key.shape[0] != self.n_cases or stop.shape[0] != 1 or begin < 0 or end > self.n_cases or n_draws < 1 or n_thin < 1 \
                or n_chains < 1 or n_warmup < 0 or not reliability > 0 or not tempering > 0 or not shape > 0 or not rate > 0 \
                or begin > end or draws.shape[0] != self.width(begin, end) * n_chains * n_draws:
            raise ValueError("options or output of the sampler do not fit")
        if begin >= end:
            return True
        options.reliability, options.tempering, options.shape, options.rate, options.rest = reliability, tempering, shape, rate, rest
        options.n_warmup, options.n_draws, options.n_thin, options.n_chains, options.seed = n_warmup, n_draws, n_thin, n_chains, seed
        with nogil:
            status = ugt_gibbs(self.stages, &stream_key[0], &options, begin, end, &stop[0], &draws[0])
        return finished(status)

    def first_class(self, law, limits, const int64_t[::1] row, const int32_t[::1] stop, double[::1] out, double[::1] error, int64_t[:, ::1] info):
        # law: tuple[float, float, int, float], limits: tuple[int, int, int] -> bool
        """Fill probabilities, means and variances of cases, their errors (NaN: not integrated) and (dimensions, terms, nodes); return whether
        all are. ``law``: (reliability, shape, rest, tolerance); ``limits``: most (dimensions, nodes, terms)."""
        cdef ugt_cubature_options options
        cdef int64_t i, n = row.shape[0], width = 0
        cdef int status
        options.reliability, options.shape, options.rest, options.tolerance = law
        options.most_dimensions, options.most_leaves, options.most_terms = limits
        for i in range(n):
            if row[i] < 0 or row[i] >= self.n_cases:
                raise ValueError("cases of the integration do not fit")
            width += self.width(row[i], row[i] + 1)
        if stop.shape[0] != 1 or error.shape[0] != n or info.shape[0] != n or info.shape[1] != 3 or out.shape[0] != 3 * width \
                or not options.reliability > 0 or not options.shape > 0 or not options.tolerance > UGT_CUBATURE_FLOOR or options.most_terms < 1:
            raise ValueError("options or outputs of the integration do not fit")
        if n == 0:
            return True
        with nogil:
            status = ugt_first_class(self.stages, &options, &row[0], n, &stop[0], &out[0], &error[0], &info[0, 0])
        return finished(status)

    cdef int64_t numbers(self, const int64_t[::1] row) except -1:
        """Return how many numbers the fits of cases have."""
        cdef int64_t i, n = 0
        for i in range(row.shape[0]):
            if row[i] < 0 or row[i] >= self.n_cases:
                raise ValueError("cases of the points do not fit")
            n += 3 * self.width(row[i], row[i] + 1)
        return n

    def fit_points(self, const uint64_t[::1] stream_key, law, limits, uint64_t seed, const int64_t[::1] row, const int32_t[::1] stop,
                   double[::1] fit, double[::1] out, double[::1] error, double[:, ::1] info):
        # law: tuple[float, float, int], limits: tuple[float, int, int] -> bool
        """Fill, for each case, how its points are made, probabilities, means and variances, their errors, and facts (n, 6); return whether all
        are done. ``law``: (reliability, shape, rest); ``limits``: (target, first, most points of a shift)."""
        cdef ugt_points_law of = points_law_of(law, seed)
        cdef int64_t n = row.shape[0], numbers = self.numbers(row)
        cdef int status
        of.target, of.first_points, of.most_points = limits
        if stream_key.shape[0] != self.n_cases or stop.shape[0] != 1 or fit.shape[0] != numbers or out.shape[0] != numbers \
                or error.shape[0] != numbers or info.shape[0] != n or info.shape[1] != UGT_POINTS_INFO or of.target != of.target \
                or not are_points(of.first_points) or not are_points(of.most_points) or of.first_points > of.most_points:
            raise ValueError("options or outputs of the points do not fit")
        if n == 0:
            return True
        with nogil:
            status = ugt_points_fit(self.stages, &stream_key[0], &of, &row[0], n, &stop[0], &fit[0], &out[0], &error[0], &info[0, 0])
        return finished(status)

    def count_points(self, int rest, const int64_t[::1] row, const double[::1] fit, const int64_t[::1] n_points, int64_t[::1] count):
        """Fill how many points there are of each case, with so many of the chain in a shift."""
        cdef int64_t i, at = 0
        if fit.shape[0] != self.numbers(row) or n_points.shape[0] != row.shape[0] or count.shape[0] != row.shape[0]:
            raise ValueError("options or outputs of the points do not fit")
        for i in range(row.shape[0]):
            if not are_points(n_points[i]):
                raise ValueError("numbers of points do not fit")
            count[i] = ugt_points_count(self.stages, rest, row[i], &fit[at], n_points[i])
            at += 3 * self.width(row[i], row[i] + 1)

    cdef int64_t values(self, int rest, const int64_t[::1] row, const double[::1] fit, const int64_t[::1] n_points, int64_t *n) except -1:
        """Return how many log plausibilities the points of cases have, and set how many points there are."""
        cdef int64_t i, total = 0
        cdef int64_t[::1] count = array("q", bytes(8 * row.shape[0]))
        self.count_points(rest, row, fit, n_points, count)
        n[0] = 0
        for i in range(row.shape[0]):
            n[0] += count[i]
            total += count[i] * self.width(row[i], row[i] + 1)
        return total

    def points(self, const uint64_t[::1] stream_key, law, uint64_t seed, const int64_t[::1] row, const double[::1] fit,
               const int64_t[::1] n_points, const int32_t[::1] stop, double[::1] log_value, double[::1] weight, double[:, ::1] info=None):
        # law: tuple[float, float, int] -> bool
        """Fill the log plausibilities and weights of points of cases, whose fits are known, and facts like ``fit_points``; return whether all
        are done."""
        cdef ugt_points_law of = points_law_of(law, seed)
        cdef int64_t n, values = self.values(of.rest, row, fit, n_points, &n)
        cdef double *facts = NULL
        cdef int status
        if stream_key.shape[0] != self.n_cases or stop.shape[0] != 1 or log_value.shape[0] != values or weight.shape[0] != n \
                or (info is not None and (info.shape[0] != row.shape[0] or info.shape[1] != UGT_POINTS_INFO)):
            raise ValueError("options or outputs of the points do not fit")
        if row.shape[0] == 0:
            return True
        if info is not None:
            facts = &info[0, 0]
        with nogil:
            status = ugt_points(self.stages, &stream_key[0], &of, &row[0], row.shape[0], &fit[0], &n_points[0], &stop[0], &log_value[0], &weight[0],
                                facts)
        return finished(status)


cdef bint are_points(int64_t n) noexcept:
    """Return whether a shift can have so many points of the chain."""
    return n >= 8 and n <= 65536 and n % 8 == 0


cdef ugt_points_law points_law_of(law, uint64_t seed) except *:
    cdef ugt_points_law of
    of.reliability, of.shape, of.rest = law
    of.target, of.first_points, of.most_points, of.seed = 0.0, 8, 8, seed
    if not of.reliability > 0 or not of.shape > 0 or of.rest < 0 or of.rest > 2:
        raise ValueError("options of the points do not fit")
    return of


cdef bint finished(int status) except *:
    """Return whether a run that can be stopped was not; raise its error."""
    if status == UGT_STOPPED:
        return False
    check(status)
    return True
