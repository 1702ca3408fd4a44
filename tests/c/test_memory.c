/* Every kernel with every allocation failing: the first, the second, ... each alone, and with all that come later. The status says so,
 * nothing leaks (that is for the sanitizers and valgrind to see), and the same call then works on the same inputs.
 *
 * Linked so that the core's calls of malloc, calloc and realloc arrive here. */
#include <stddef.h>

#include "check.h"
#include "kernels.h"

void *__real_malloc(size_t n);
void *__real_calloc(size_t n, size_t size);
void *__real_realloc(void *at, size_t n);
void *__wrap_malloc(size_t n);
void *__wrap_calloc(size_t n, size_t size);
void *__wrap_realloc(void *at, size_t n);

#define MOST_BYTES ((size_t)1 << 40) /* sanitizers stop the program where it asks for more than they can give */

static int64_t n_allocations, failing = -1; /* failing: which one, from 0 on */
static int forever;                         /* and all later ones */

static int fails(void)
{
    const int64_t number = n_allocations++;
    return failing >= 0 && (number == failing || (forever && number > failing));
}

void *__wrap_malloc(size_t n)
{
    return fails() || n > MOST_BYTES ? NULL : __real_malloc(n);
}

void *__wrap_calloc(size_t n, size_t size)
{
    return fails() || n > MOST_BYTES / size ? NULL : __real_calloc(n, size);
}

void *__wrap_realloc(void *at, size_t n)
{
    return fails() || n > MOST_BYTES ? NULL : __real_realloc(at, n);
}

static int run(const kernel *k, const shared *in, int64_t fail_at, uint64_t *digest)
{
    n_allocations = 0;
    failing = fail_at;
    *digest = 0;
    const int status = k->run(in, digest);
    failing = -1;
    return status;
}

/* kernels that allocate nothing */
static int is_frugal(const kernel *k)
{
    return strcmp(k->name, "streams") == 0 || strcmp(k->name, "parts") == 0;
}

static int64_t test_kernel(const kernel *k, const shared *in)
{
    uint64_t expected, digest;
    CHECK(run(k, in, -1, &expected) == UGT_OK);
    const int64_t n = n_allocations;
    CHECK(is_frugal(k) == (n == 0));
    for (forever = 0; forever < 2; forever++)
        for (int64_t i = 0; i < n; i++) {
            const int status = run(k, in, i, &digest);
            CHECK(status == UGT_ERR_MEMORY);
            if (status != UGT_ERR_MEMORY)
                fprintf(stderr, "%s: status %d where allocation %lld of %lld fails\n", k->name, status, (long long)i, (long long)n);
        }
    CHECK(run(k, in, -1, &digest) == UGT_OK && digest == expected && n_allocations == n);
    return n;
}

static void test_shared(void)
{
    shared in;
    int64_t n;
    n_allocations = 0;
    CHECK(open_shared(&in) == UGT_OK);
    n = n_allocations;
    close_shared(&in);
    for (int64_t i = 0; i < n; i++) {
        n_allocations = 0;
        failing = i;
        CHECK(open_shared(&in) == UGT_ERR_MEMORY);
        failing = -1;
        close_shared(&in);
    }
}

/* Words that could not be added are not there, and can be added later. */
static void test_words(void)
{
    ugt_words words, whole;
    char text[16];
    int32_t code;
    int64_t n_failures_seen = 0;
    CHECK(ugt_words_open(&words) == UGT_OK && ugt_words_open(&whole) == UGT_OK);
    for (int i = 0; i < 5000; i++) {
        const int length = snprintf(text, sizeof text, "%d", i);
        n_allocations = 0;
        for (failing = 0;; failing++) {
            n_allocations = 0;
            const int status = ugt_words_add(&words, (const uint8_t *)text, length, &code);
            if (status == UGT_OK)
                break;
            CHECK(status == UGT_ERR_MEMORY && words.n == i);
            n_failures_seen++;
        }
        failing = -1;
        CHECK(code == i);
        CHECK(ugt_words_add(&whole, (const uint8_t *)text, length, &code) == UGT_OK);
    }
    CHECK(n_failures_seen > 5);
    CHECK(words.n == whole.n && memcmp(words.start, whole.start, (size_t)(whole.n + 1) * sizeof *whole.start) == 0);
    CHECK(memcmp(words.bytes, whole.bytes, (size_t)whole.start[whole.n]) == 0);
    ugt_words_close(&words);
    ugt_words_close(&whole);
}

/* Numbers of classes and the like that no memory holds, among them those whose product with a size wraps around to a small one */
static void test_sizes(void)
{
    const int64_t numbers[] = {INT64_C(1) << 45, INT64_C(1) << 60, INT64_C(1) << 61, INT64_C(1) << 62, INT64_MAX}, offsets[] = {0, 2};
    const int32_t classes[] = {0, 1}, start[] = {0, 1};
    const double value[] = {2.0, 1.0};
    const uint8_t defined[] = {1};
    const ugt_orders orders = {offsets, classes, start};
    int64_t entry_offsets[2], entry_of[2], out[2], n, case_profile[1];
    double per_case[5], per_draw[5] = {0.0}, moments[3], pmf[2];
    int32_t entry_group[2], background_group[1];
    for (size_t j = 0; j < LENGTH(numbers); j++) {
        ugt_profiles *profiles;
        out[0] = 0;
        CHECK(ugt_find_entries(offsets, classes, 1, numbers[j], entry_offsets, entry_of, &n) == UGT_ERR_MEMORY);
        CHECK(ugt_order_rows(offsets, classes, value, 1, numbers[j], 1, 0, 0, out, NULL, NULL) == UGT_ERR_MEMORY);
        CHECK(ugt_order_rows(offsets, classes, value, 1, numbers[j], numbers[j], 0, 0, out, NULL, NULL) == UGT_ERR_MEMORY);
        CHECK(ugt_compare_orders(&orders, &orders, defined, 0, 1, 1, numbers[j], 1, UGT_TOPK, 0.0, per_case, per_draw) == UGT_ERR_MEMORY);
        CHECK(ugt_profiles_new(offsets, value, value, 1, numbers[j], &profiles, case_profile, entry_group, background_group) == UGT_OK);
        const ugt_posterior posterior = {profiles, case_profile, offsets, classes, entry_group, background_group, numbers[j]};
        const ugt_list_metric metric = {UGT_AVERAGE_OVERLAP, 1, 0.0, 1.0, 1};
        CHECK(ugt_dirichlet_list_values(&posterior, &orders, &metric, offsets, value, 0, 1, moments, pmf) == UGT_ERR_MEMORY);
        CHECK(ugt_dirichlet_certainty(profiles, 0, 1, INT32_MAX, moments) == UGT_ERR_MEMORY);
        ugt_profiles_free(profiles);
    }
}

int main(void)
{
    shared in;
    int64_t n = 0;
    CHECK(open_shared(&in) == UGT_OK);
    for (int k = 0; k < N_KERNELS; k++)
        n += test_kernel(&KERNELS[k], &in);
    test_sizes();
    close_shared(&in);
    test_shared();
    test_words();
    printf("%lld allocations failed in turn\n", (long long)n);
    return RESULT;
}
