"""The library's random streams, for tests and for generated data."""

from _status cimport check
from libc.stdint cimport uint64_t

cdef extern from "ugt.h" nogil:
    ctypedef struct ugt_stream:
        uint64_t s[4]
    void ugt_philox(const uint64_t *, const uint64_t *, uint64_t *)
    void ugt_stream_open(ugt_stream *, uint64_t, uint64_t, uint64_t, uint64_t)
    uint64_t ugt_stream_bits(ugt_stream *)
    uint64_t ugt_stream_below(ugt_stream *, uint64_t)
    double ugt_stream_uniform(ugt_stream *)
    double ugt_stream_exponential(ugt_stream *)
    double ugt_stream_normal(ugt_stream *)
    double ugt_stream_gamma(ugt_stream *, double)
    double ugt_stream_log_gamma(ugt_stream *, double)


def philox(const uint64_t[::1] counter, const uint64_t[::1] key, uint64_t[::1] out):
    if counter.shape[0] != 4 or key.shape[0] != 2 or out.shape[0] != 4:
        raise ValueError("philox takes a counter of 4 words, a key of 2, and gives 4")
    ugt_philox(&counter[0], &key[0], &out[0])


cdef class Stream:
    """The stream of (seed, case key, chain, purpose)."""

    cdef ugt_stream stream

    def __cinit__(self, uint64_t seed, uint64_t case_key=0, uint64_t chain=0, uint64_t purpose=0):
        ugt_stream_open(&self.stream, seed, case_key, chain, purpose)

    def set_state(self, const uint64_t[::1] state):
        cdef int i
        if state.shape[0] != 4:
            raise ValueError("a state has 4 words")
        for i in range(4):
            self.stream.s[i] = state[i]

    def bits(self, uint64_t[::1] out):
        cdef Py_ssize_t i
        for i in range(out.shape[0]):
            out[i] = ugt_stream_bits(&self.stream)

    def below(self, uint64_t n, uint64_t[::1] out):
        cdef Py_ssize_t i
        if n < 1:
            raise ValueError("n must be at least 1")
        for i in range(out.shape[0]):
            out[i] = ugt_stream_below(&self.stream, n)

    def uniform(self, double[::1] out):
        cdef Py_ssize_t i
        for i in range(out.shape[0]):
            out[i] = ugt_stream_uniform(&self.stream)

    def exponential(self, double[::1] out):
        cdef Py_ssize_t i
        for i in range(out.shape[0]):
            out[i] = ugt_stream_exponential(&self.stream)

    def normal(self, double[::1] out):
        cdef Py_ssize_t i
        for i in range(out.shape[0]):
            out[i] = ugt_stream_normal(&self.stream)

    def gamma(self, double shape, double[::1] out):
        cdef Py_ssize_t i
        if not 0 < shape < 1e300:
            raise ValueError("shape must be positive and finite")
        for i in range(out.shape[0]):
            out[i] = ugt_stream_gamma(&self.stream, shape)

    def log_gamma(self, double shape, double[::1] out):
        cdef Py_ssize_t i
        if not 0 < shape < 1e300:
            raise ValueError("shape must be positive and finite")
        for i in range(out.shape[0]):
            out[i] = ugt_stream_log_gamma(&self.stream, shape)
