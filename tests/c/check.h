/* The smallest possible test frame: CHECK counts and names what is false, arrays are freed together, RESULT ends main.
 * Fuzzers have FAILED stop the program instead. */
#ifndef CHECK_H
#define CHECK_H

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifndef FAILED
static int n_failures = 0;
#define FAILED n_failures++
#endif

#define CHECK(condition)                                                                                               \
    do {                                                                                                               \
        if (!(condition)) {                                                                                            \
            fprintf(stderr, "%s:%d: not true: %s\n", __FILE__, __LINE__, #condition);                                  \
            FAILED;                                                                                                    \
        }                                                                                                              \
    } while (0)

#define CHECK_CLOSE(found, expected, relative, absolute)                                                               \
    do {                                                                                                               \
        const double found_ = (found), expected_ = (expected);                                                         \
        if (!(found_ == expected_ || fabs(found_ - expected_) <= (relative) * fabs(expected_) + (absolute))) {         \
            fprintf(stderr, "%s:%d: %s is %.17g instead of %.17g\n", __FILE__, __LINE__, #found, found_, expected_);   \
            FAILED;                                                                                                    \
        }                                                                                                              \
    } while (0)

/* Every number of an array is close to that of another. */
#define CHECK_ALL_CLOSE(found, expected, n, relative, absolute)                                                        \
    do {                                                                                                               \
        for (int64_t at_ = 0; at_ < (int64_t)(n); at_++)                                                               \
            CHECK_CLOSE((found)[at_], (expected)[at_], relative, absolute);                                            \
    } while (0)

/* Arrays that are freed together, by free_arrays(): NEW holds what was there before, which sanitizers watch, ZEROS zeros. */
#define NEW(type, n) ((type *)array_of(malloc((n) > 0 ? (size_t)(n) * sizeof(type) : 1)))
#define ZEROS(type, n) ((type *)array_of(calloc((n) > 0 ? (size_t)(n) : 1, sizeof(type))))

static void **arrays;
static size_t n_arrays;

/* Ends the program rather than return NULL. */
static inline void *array_of(void *made)
{
    arrays = realloc(arrays, (n_arrays + 1) * sizeof *arrays);
    if (made == NULL || arrays == NULL)
        exit(0);
    return arrays[n_arrays++] = made;
}

static inline void free_arrays(void)
{
    while (n_arrays > 0)
        free(arrays[--n_arrays]);
    free(arrays);
    arrays = NULL;
}

#define RESULT                                                                                                         \
    (free_arrays(), n_failures == 0 ? 0 : (fprintf(stderr, "%d checks failed\n", n_failures), 1))

#define LENGTH(array) (sizeof(array) / sizeof(array)[0])

#endif
