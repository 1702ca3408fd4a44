/* Posterior modes and maximum-likelihood estimates by hand; every exit of the search. */
#include "check.h"
#include "ugt.h"

#include <string.h>

#define K 14

/* one case from rankings written as class numbers, -1 after each block and -2 after each ranking */
typedef struct {
    int64_t case_offsets[2], ranking_offsets[32], block_offsets[64];
    int32_t items[128];
    ugt_rankings rankings;
} built;

static ugt_stages *stages_of(built *b, const int *text, size_t n, int rest)
{
    ugt_stages *stages = NULL;
    memset(b, 0, sizeof *b);
    ugt_rankings *r = &b->rankings;
    for (size_t i = 0; i < n; i++) {
        if (text[i] >= 0)
            b->items[r->n_items++] = text[i];
        else if (text[i] == -1)
            b->block_offsets[++r->n_blocks] = r->n_items;
        else
            b->ranking_offsets[++r->n_rankings] = r->n_blocks;
    }
    b->case_offsets[1] = r->n_rankings;
    r->n_cases = 1;
    r->n_classes = K;
    r->case_offsets = b->case_offsets;
    r->ranking_offsets = b->ranking_offsets;
    r->block_offsets = b->block_offsets;
    r->items = b->items;
    CHECK(ugt_stages_new(r, rest, &stages) == UGT_OK);
    return stages;
}

static int mode(const int *text, size_t n, double reliability, double shape, int rest, double *lambda)
{
    built b;
    int64_t stopped_at = -1;
    ugt_stages *stages = stages_of(&b, text, n, rest != UGT_REST_IGNORE);
    const int status = ugt_modes(stages, reliability, &shape, rest, 0, 1, lambda, &stopped_at);
    CHECK(stopped_at == (status == UGT_OK ? 1 : 0));
    ugt_stages_free(stages);
    return status;
}

static void test_votes(void)
{
    const int text[] = {3, -1, -2, 5, -1, -2, 3, -1, -2};
    double lambda[3];
    CHECK(mode(text, LENGTH(text), 2.0, 0.5, UGT_REST_INDIVIDUAL, lambda) == UGT_OK);
    CHECK_CLOSE(lambda[0], 4.5 / 13, 1e-14, 0.0);
    CHECK_CLOSE(lambda[1], 2.5 / 13, 1e-14, 0.0);
    CHECK_CLOSE(lambda[2], 6.0 / 13, 1e-14, 0.0);
    CHECK(mode(text, LENGTH(text), 2.0, 0.5, UGT_REST_LUMP, lambda) == UGT_OK);
    CHECK_CLOSE(lambda[2], 0.5 / 7.5, 1e-14, 0.0);
    CHECK(mode(text, LENGTH(text), 2.0, 0.0, UGT_REST_IGNORE, lambda) == UGT_OK);
    CHECK_CLOSE(lambda[0], 2.0 / 3, 1e-14, 0.0);
    CHECK(lambda[2] == 0.0);
}

static void test_ties(void)
{
    const int text[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, -1, 12, -1, -2};
    double lambda[14];
    CHECK(mode(text, LENGTH(text), 2.5, 0.1, UGT_REST_INDIVIDUAL, lambda) == UGT_OK);
    double sum = 0.0;
    for (int k = 0; k < 14; k++)
        sum += lambda[k];
    CHECK_CLOSE(sum, 1.0, 1e-14, 0.0);
    for (int k = 1; k < 12; k++)
        CHECK(lambda[k] == lambda[0]);
    CHECK_CLOSE(lambda[12] / lambda[13], 2.6 / 0.1, 1e-12, 0.0); /* two classes left: odds of the numbers */
}

static void test_nothing(void)
{
    const int all[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, -1, -2};
    double lambda[15];
    CHECK(mode(all, 0, 1.0, 0.1, UGT_REST_INDIVIDUAL, lambda) == UGT_OK);
    CHECK(lambda[0] == 1.0);
    CHECK(mode(all, 0, 1.0, 0.1, UGT_REST_IGNORE, lambda) == UGT_OK);
    CHECK(lambda[0] == 0.0);
    CHECK(mode(all, LENGTH(all), 1.0, 0.1, UGT_REST_INDIVIDUAL, lambda) == UGT_OK);
    CHECK_CLOSE(lambda[7], 1.0 / K, 1e-14, 0.0);
    CHECK(lambda[14] == 0.0);
}

static void test_no_maximum(void)
{
    const int chain[] = {0, -1, 1, -1, 2, -1, 3, -1, -2}, torn[] = {0, -1, 1, -1, 2, -1, -2, 0, -1, 2, -1, 1, -1, -2};
    double lambda[5];
    CHECK(mode(chain, LENGTH(chain), 1.0, 1e-100, UGT_REST_INDIVIDUAL, lambda) == UGT_ERR_CONVERGENCE); /* beyond 1e-300 */
    CHECK(mode(torn, LENGTH(torn), 1.0, 1e-13, UGT_REST_INDIVIDUAL, lambda) == UGT_ERR_CONVERGENCE);    /* lost in rounding */
    CHECK(mode(torn, LENGTH(torn), 1.0, 0.0, UGT_REST_IGNORE, lambda) == UGT_ERR_CONVERGENCE);
    CHECK(mode(chain, LENGTH(chain), 1e308, 1e308, UGT_REST_INDIVIDUAL, lambda) == UGT_ERR_CONVERGENCE); /* overflow */
}

static void test_unbeaten(void)
{
    const struct {
        int text[16];
        size_t n;
        uint8_t expected[4];
    } table[] = {
        {{0, -1, 1, -1, -2, 1, -1, 0, -1, -2}, 10, {1, 1}},
        {{0, -1, 1, -1, -2}, 5, {1, 0}},
        {{0, -1, 1, -1, 2, -1, -2, 1, -1, 0, -1, -2}, 12, {1, 1, 0}},
        {{2, -1, 0, -1, 1, -1, -2, 2, -1, 1, -1, 0, -1, -2}, 14, {0, 0, 1}},
        {{4, -1, -2}, 3, {1}},
    };
    for (size_t i = 0; i < LENGTH(table); i++) {
        built b;
        uint8_t found[4] = {0};
        ugt_stages *stages = stages_of(&b, table[i].text, table[i].n, 0);
        ugt_unbeaten(stages, 0, 1, found);
        CHECK(memcmp(found, table[i].expected, sizeof found) == 0);
        ugt_stages_free(stages);
    }
}

int main(void)
{
    test_votes();
    test_ties();
    test_nothing();
    test_no_maximum();
    test_unbeaten();
    return RESULT;
}
