/* The smallest possible test frame: CHECK counts and names what is false, RESULT ends main. */
#ifndef CHECK_H
#define CHECK_H

#include <math.h>
#include <stdio.h>

static int n_failures = 0;

#define CHECK(condition)                                                                                               \
    do {                                                                                                               \
        if (!(condition)) {                                                                                            \
            fprintf(stderr, "%s:%d: not true: %s\n", __FILE__, __LINE__, #condition);                                  \
            n_failures++;                                                                                              \
        }                                                                                                              \
    } while (0)

#define CHECK_CLOSE(found, expected, relative, absolute)                                                               \
    do {                                                                                                               \
        const double found_ = (found), expected_ = (expected);                                                         \
        if (!(fabs(found_ - expected_) <= (relative) * fabs(expected_) + (absolute))) {                                \
            fprintf(stderr, "%s:%d: %s is %.17g instead of %.17g\n", __FILE__, __LINE__, #found, found_, expected_);   \
            n_failures++;                                                                                              \
        }                                                                                                              \
    } while (0)

#define RESULT                                                                                                         \
    (n_failures == 0 ? 0 : (fprintf(stderr, "%d checks failed\n", n_failures), 1))

#define LENGTH(array) (sizeof(array) / sizeof(array)[0])

#endif
