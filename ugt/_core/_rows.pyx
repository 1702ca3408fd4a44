"""Rows of delimited text as codes into the distinct cells."""

import numpy as np

from _status cimport check
from cpython.bytes cimport PyBytes_FromStringAndSize
from libc.stdint cimport int32_t, int64_t, uint8_t
from libc.stdlib cimport calloc, free, malloc


cdef extern from "rows.h" nogil:
    ctypedef struct ugt_words:
        uint8_t *bytes
        int64_t *start
        int64_t n

    ctypedef struct ugt_row_format:
        uint8_t delimiter
        int64_t width
        const int32_t *group
        int64_t n_wanted
        int64_t longest
        uint8_t *scratch

    int UGT_ROWS_UNUSUAL
    int ugt_words_open(ugt_words *words)
    void ugt_words_close(ugt_words *words)
    int ugt_split_rows(const ugt_row_format *format, ugt_words *words, const uint8_t *text, int64_t n, int last, int64_t max_rows,
                       int32_t *codes, int64_t *n_rows, int64_t *consumed)


cdef class RowReader:
    cdef ugt_words *words
    cdef ugt_row_format format
    cdef int64_t n_groups
    cdef object group
    cdef bint closed

    def __cinit__(self, int delimiter, const int32_t[::1] group, int64_t n_groups, int64_t longest):
        cdef int64_t g
        self.group = np.array(group, np.int32)
        if longest < 1 or n_groups < 1 or len(self.group) == 0 or self.group.max() >= n_groups:
            raise ValueError("groups must be numbered from 0, and cells have a byte")
        cdef const int32_t[::1] view = self.group
        self.format.delimiter, self.format.width, self.format.group = <uint8_t>delimiter, view.shape[0], &view[0]
        self.format.n_wanted, self.format.longest = int((self.group >= 0).sum()), longest
        self.format.scratch = <uint8_t *>malloc(<size_t>longest)
        self.words = <ugt_words *>calloc(<size_t>n_groups, sizeof(ugt_words))
        if self.words == NULL or self.format.scratch == NULL:
            raise MemoryError
        self.n_groups = n_groups
        for g in range(n_groups):
            check(ugt_words_open(&self.words[g]))

    def __dealloc__(self):
        cdef int64_t g
        if self.words != NULL:
            for g in range(self.n_groups):
                ugt_words_close(&self.words[g])
            free(self.words)
        free(self.format.scratch)

    cdef check_open(self):
        if self.closed:
            raise ValueError("the words were taken away")

    def read(self, const uint8_t[::1] text, bint last, int64_t most):  # text: memoryview | bytes -> tuple[NDArray[np.int32], int] | None
        """``(codes (rows, columns that are not skipped), bytes read)`` of at most ``most`` rows; None where this reader cannot go on."""
        self.check_open()
        cdef int64_t n = text.shape[0], n_rows = 0, consumed = 0
        cdef int64_t room = min(most, n // self.format.width + 1)  # a cell and its end take at least one byte
        if room < 1:
            raise ValueError("most must be at least 1")
        codes = np.empty((room, self.format.n_wanted), np.int32)
        cdef int32_t[:, ::1] view = codes
        cdef int32_t *out = &view[0, 0] if self.format.n_wanted > 0 else NULL
        cdef const uint8_t *bytes = &text[0] if n > 0 else NULL
        cdef int status
        with nogil:
            status = ugt_split_rows(&self.format, self.words, bytes, n, last, room, out, &n_rows, &consumed)
        if status == UGT_ROWS_UNUSUAL:
            return None
        check(status)
        return codes[:n_rows].copy(), consumed

    def take_words(self, int64_t group):  # -> tuple[bytes, NDArray[np.int64]]
        """``(the distinct cells one after the other, their offsets)``; the reader forgets them and reads no more."""
        if not 0 <= group < self.n_groups or self.words[group].start == NULL:
            raise IndexError(group)
        self.closed = True
        cdef ugt_words *words = &self.words[group]
        start = np.empty(words.n + 1, np.int64)
        cdef int64_t[::1] view = start
        cdef int64_t i
        for i in range(words.n + 1):
            view[i] = words.start[i]
        found = PyBytes_FromStringAndSize(<char *>words.bytes, words.start[words.n])
        ugt_words_close(words)
        return found, start
