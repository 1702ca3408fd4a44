/* Functions that add and multiply in lanes are also compiled for processors with wider vectors, and the version is chosen at run time.
 * Every lane has the same results to the last bit, because no operation is contracted or reordered. */
#ifndef UGT_WIDE_H
#define UGT_WIDE_H

#include "pair.h" /* INLINE */

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(memory_sanitizer) || __has_feature(thread_sanitizer)
#define UGT_PLAIN_LANES
#endif
#endif

/* This needs gcc with glibc: others cannot choose at load time, and sanitizers are not ready when the choice is made. */
#if defined(__x86_64__) && defined(__GLIBC__) && defined(__GNUC__) && !defined(__clang__) && !defined(__SANITIZE_ADDRESS__) && \
    !defined(__SANITIZE_THREAD__) && !defined(UGT_PLAIN_LANES)
#define UGT_WIDE __attribute__((target_clones("avx2", "default")))
#else
#define UGT_WIDE
#endif

/* Fetches data that will be read soon, from a place that the processor cannot predict. */
#ifdef __GNUC__
#define UGT_SOON(at) __builtin_prefetch(at)
#else
#define UGT_SOON(at) ((void)(at))
#endif

#endif
