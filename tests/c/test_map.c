/* Posterior modes and maximum-likelihood estimates by hand; every exit of the search. */
#include "check.h"
#include "rankings.h"

#define K 14

static ugt_stages *stages_of(table *t, const char *text, int rest)
{
    ugt_stages *stages = NULL;
    CHECK(ugt_stages_new(parse(t, text, K), NULL, rest, &stages) == UGT_OK);
    return stages;
}

static int mode(const char *text, double reliability, double shape, int rest, double *lambda)
{
    table t;
    int64_t stopped_at = -1;
    ugt_stages *stages = stages_of(&t, text, rest != UGT_REST_IGNORE);
    const int status = ugt_modes(stages, reliability, &shape, rest, 0, 1, lambda, &stopped_at);
    CHECK(stopped_at == (status == UGT_OK ? 1 : 0));
    ugt_stages_free(stages);
    return status;
}

static void test_votes(void)
{
    const char *text = "3|5|3";
    double lambda[3];
    CHECK(mode(text, 2.0, 0.5, UGT_REST_INDIVIDUAL, lambda) == UGT_OK);
    CHECK_CLOSE(lambda[0], 4.5 / 13, 1e-14, 0.0);
    CHECK_CLOSE(lambda[1], 2.5 / 13, 1e-14, 0.0);
    CHECK_CLOSE(lambda[2], 6.0 / 13, 1e-14, 0.0);
    CHECK(mode(text, 2.0, 0.5, UGT_REST_LUMP, lambda) == UGT_OK);
    CHECK_CLOSE(lambda[2], 0.5 / 7.5, 1e-14, 0.0);
    CHECK(mode(text, 2.0, 0.0, UGT_REST_IGNORE, lambda) == UGT_OK);
    CHECK_CLOSE(lambda[0], 2.0 / 3, 1e-14, 0.0);
    CHECK(lambda[2] == 0.0);
}

static void test_ties(void)
{
    const char *text = "0,1,2,3,4,5,6,7,8,9,10,11>12";
    double lambda[14];
    CHECK(mode(text, 2.5, 0.1, UGT_REST_INDIVIDUAL, lambda) == UGT_OK);
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
    const char *all = "0,1,2,3,4,5,6,7,8,9,10,11,12,13";
    double lambda[15];
    CHECK(mode("", 1.0, 0.1, UGT_REST_INDIVIDUAL, lambda) == UGT_OK);
    CHECK(lambda[0] == 1.0);
    CHECK(mode("", 1.0, 0.1, UGT_REST_IGNORE, lambda) == UGT_OK);
    CHECK(lambda[0] == 0.0);
    CHECK(mode(all, 1.0, 0.1, UGT_REST_INDIVIDUAL, lambda) == UGT_OK);
    CHECK_CLOSE(lambda[7], 1.0 / K, 1e-14, 0.0);
    CHECK(lambda[14] == 0.0);
}

static void test_no_maximum(void)
{
    const char *chain = "0>1>2>3", *torn = "0>1>2|0>2>1";
    double lambda[5];
    CHECK(mode(chain, 1.0, 1e-100, UGT_REST_INDIVIDUAL, lambda) == UGT_ERR_CONVERGENCE); /* beyond 1e-300 */
    CHECK(mode(torn, 1.0, 1e-13, UGT_REST_INDIVIDUAL, lambda) == UGT_ERR_CONVERGENCE);    /* lost in rounding */
    CHECK(mode(torn, 1.0, 0.0, UGT_REST_IGNORE, lambda) == UGT_ERR_CONVERGENCE);
    CHECK(mode(chain, 1e308, 1e308, UGT_REST_INDIVIDUAL, lambda) == UGT_ERR_CONVERGENCE); /* overflow */
}

static void test_unbeaten(void)
{
    const struct {
        const char *text;
        uint8_t expected[4];
    } cases[] = {
        {"0>1|1>0", {1, 1}},
        {"0>1", {1, 0}},
        {"0>1>2|1>0", {1, 1, 0}},
        {"2>0>1|2>1>0", {0, 0, 1}},
        {"4", {1}},
    };
    for (size_t i = 0; i < LENGTH(cases); i++) {
        table t;
        uint8_t found[4] = {0};
        ugt_stages *stages = stages_of(&t, cases[i].text, 0);
        ugt_unbeaten(stages, 0, 1, found);
        CHECK(memcmp(found, cases[i].expected, sizeof found) == 0);
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
