/* Integrals of posteriors under Plackett-Luce: closed forms, Gauss-Jacobi rules, limits. */
#include "check.h"
#include "chains.h"
#include "rankings.h"

static const volatile int32_t go = 0;
static const int64_t ROW[1] = {0};
static const ugt_cubature_options USUAL = {1.0, 0.5, UGT_REST_INDIVIDUAL, 1e-6, 7, 800000, 200};

/* out [3 * (m + 1)], info [3] of the only case of a text */
static int run(const char *text, int64_t n_classes, const ugt_cubature_options *options, double *out, double *error, int64_t *info)
{
    static table t;
    ugt_stages *stages = NULL;
    CHECK(ugt_stages_new(parse(&t, text, n_classes), NULL, options->rest != UGT_REST_IGNORE, &stages) == UGT_OK);
    const int status = ugt_first_class(stages, options, ROW, 1, &go, out, error, info);
    ugt_stages_free(stages);
    return status;
}

static void test_gauss_jacobi(void)
{
    static double node[300], rest[300], weight[300], scratch[300];
    const double shapes[] = {0.05, 0.1, 0.5, 1.0, 3.0, 40.0};
    for (size_t i = 0; i < LENGTH(shapes); i++)
        for (size_t j = 0; j < LENGTH(shapes); j++)
            for (int n = 2; n < 300; n = 3 * n - 2) {
                const double p = shapes[i], q = shapes[j];
                double moment[4] = {0};
                CHECK(ugt_gauss_jacobi(p, q, n, node, rest, weight, scratch) == 1);
                for (int a = 0; a < n; a++) {
                    CHECK(node[a] > 0.0 && rest[a] > 0.0 && weight[a] >= 0.0);
                    for (int e = 0; e < 4; e++)
                        moment[e] += weight[a] * pow(node[a], e);
                }
                double exact = 1.0;
                for (int e = 0; e < 4; e++) {
                    CHECK_CLOSE(moment[e], exact, 1e-13, 0.0);
                    exact *= (p + e) / (p + q + e);
                }
            }
}

/* A label makes a Beta posterior of two classes; plausibilities of single labels are a Dirichlet law: known means and variances. */
static void test_closed_forms(void)
{
    double out[12], error;
    int64_t info[3];
    CHECK(run("0", 2, &(ugt_cubature_options){1.0, 1.0, UGT_REST_INDIVIDUAL, 1e-6, 7, 600000, 200}, out, &error, info) == UGT_OK);
    const double beta[] = {0.75, 0.25, 2.0 / 3, 1.0 / 3, 1.0 / 18, 1.0 / 18};
    CHECK_ALL_CLOSE(out, beta, 6, 0.0, error);
    CHECK(info[0] == 0 && info[1] == 1 && error == UGT_CUBATURE_FLOOR && info[2] == 1);
    CHECK(run("0|0|1", 4, &USUAL, out, &error, info) == UGT_OK);
    CHECK_CLOSE(out[3], 2.5 / 5, 1e-12, 0.0);
    CHECK_CLOSE(out[4], 1.5 / 5, 1e-12, 0.0);
    CHECK_CLOSE(out[5], 1.0 / 5, 1e-12, 0.0);
    CHECK_CLOSE(out[6], 2.5 * 2.5 / 25 / 6, 1e-12, 0.0);
    CHECK(run(";", 4, &USUAL, out, &error, info) == UGT_OK && isnan(out[0]) && isnan(error));
}

/* Nested sets need no dimension to be refined; symmetric rankings give equal numbers; the error is a bound. */
static void test_symmetry(void)
{
    double out[12], error;
    int64_t info[3];
    ugt_cubature_options o = USUAL;
    CHECK(run("0>1|1>0", 4, &o, out, &error, info) == UGT_OK);
    CHECK(info[0] == 2 && error <= 1e-6);
    CHECK_CLOSE(out[0], 0.48596091372596156, 0.0, error); /* independent integration over ratios: tests/twins/cubature.py */
    CHECK_CLOSE(out[0], out[1], 0.0, 2 * error);
    o.tolerance = 5e-9;
    CHECK(run("0>1|1>0", 4, &o, out, &error, info) == UGT_OK);
    CHECK_CLOSE(out[0], 0.48596091372596156, 0.0, error);
}

/* Exponents as small as the shape: the means of one ranking are those of Beta variables, broken off a stick. */
static void test_small_shapes(void)
{
    for (double shape = 1.0; shape > 5e-4; shape *= 0.1)
        for (int lump = 0; lump < 2; lump++) {
            double out[15], error, left = 1.0;
            int64_t info[3];
            const ugt_cubature_options o = {1.0, shape, lump ? UGT_REST_LUMP : UGT_REST_INDIVIDUAL, 1e-4, 7, 800000, 200};
            CHECK(run("2>0>1>3", lump ? 419 : 5, &o, out, &error, info) == UGT_OK && error > 0.0 && error <= 1e-4);
            const int order[] = {2, 0, 1, 3};
            for (int i = 0; i < 4; i++) {
                const double behind = (double)(4 - i) * shape;
                CHECK_CLOSE(out[5 + order[i]], left * (1.0 + shape) / (1.0 + shape + behind), 1e-9, 1e-14);
                left *= behind / (1.0 + shape + behind);
            }
        }
}

/* Classes that can change places have equal numbers. */
static void test_exchangeable(void)
{
    double exact[18], out[18], error, bound;
    int64_t info[3];
    CHECK(run("0>1,2,3|0|4", 9, &USUAL, exact, &bound, info) == UGT_OK && bound > 0.0 && info[1] == 6);
    for (int part = 0; part < 18; part += 6)
        CHECK(exact[part + 1] == exact[part + 2] && exact[part + 1] == exact[part + 3] && exact[part] != exact[part + 4]);
    CHECK(run("0>1,2,3|0|4|1", 9, &USUAL, out, &error, info) == UGT_OK && error > 0.0 && info[1] == 6);
    CHECK(out[2] == out[3] && out[1] > out[2]);
}

/* More dimensions, nodes or terms than allowed, and ties that do not count a whole number of times, are not integrated. */
static void test_limits(void)
{
    const char *const text = "0,1>2|2>0>1|1>2|0>3";
    double exact[15], out[15], error, bound;
    int64_t info[3];
    ugt_cubature_options o = USUAL;
    CHECK(run(text, 6, &o, exact, &bound, info) == UGT_OK && bound <= 1e-6 && info[0] >= 3 && info[1] == 2 && info[2] > 1000);
    const int64_t nodes = info[2];
    o.tolerance = 1e-2;
    CHECK(run(text, 6, &o, out, &error, info) == UGT_OK && error <= 1e-2 && info[2] < nodes / 2);
    CHECK_ALL_CLOSE(out, exact, 15, 0.0, error + bound);
    o = USUAL;
    o.most_dimensions = 2;
    CHECK(run(text, 6, &o, out, &error, info) == UGT_OK && isnan(error) && isnan(out[0]) && info[0] >= 3 && info[2] == 0);
    o = USUAL;
    o.most_terms = 1;
    CHECK(run(text, 6, &o, out, &error, info) == UGT_OK && isnan(error) && info[1] == 0);
    o = USUAL;
    o.reliability = 1.5;
    CHECK(run(text, 6, &o, out, &error, info) == UGT_OK && isnan(error) && isnan(out[14]) && info[1] == 0);
    CHECK(run("0>2|2>0>1", 6, &o, out, &error, info) == UGT_OK && error <= 1e-6); /* without ties any number of times */
    o.reliability = 1.0 + 1e-12;
    CHECK(run(text, 6, &o, out, &error, info) == UGT_OK && error <= 1e-6);
    CHECK_ALL_CLOSE(out, exact, 15, 0.0, error + bound);
    o = USUAL;
    for (o.most_leaves = 0; o.most_leaves < 60; o.most_leaves += 3)
        CHECK(run(text, 6, &o, out, &error, info) == UGT_OK && isnan(error) && isnan(out[0]));
    for (o.most_leaves = 300; o.most_leaves < nodes / 4; o.most_leaves *= 4) /* a limit too low is foreseen */
        CHECK(run(text, 6, &o, out, &error, info) == UGT_OK && isnan(error) && info[2] < o.most_leaves);
}

/* Every class is mentioned; a shape too large to integrate; more dimensions than there may be. */
static void test_ends_of_the_range(void)
{
    static double out[3 * 81];
    static char text[1000];
    double error;
    int64_t info[3];
    ugt_cubature_options o = USUAL;
    CHECK(run("0>1>2|2>1>0", 3, &o, out, &error, info) == UGT_OK && error > 0.0);
    CHECK_CLOSE(out[0], out[2], 0.0, 2 * error);
    CHECK_CLOSE(out[0] + out[1] + out[2], 1.0, 0.0, 3 * error);
    o.shape = 1e12;
    CHECK(run("0>1|1>0", 4, &o, out, &error, info) == UGT_OK && isnan(error));
    size_t at = 0;
    for (int i = 0; i < 40; i++)
        at += (size_t)snprintf(text + at, sizeof text - at, "%s%d", i ? ">" : "", i);
    CHECK(run(text, 50, &USUAL, out, &error, info) == UGT_OK && info[1] == 0 && isnan(error)); /* 39 sets */
    at = 0;
    for (int i = 0; i < 80; i++)
        at += (size_t)snprintf(text + at, sizeof text - at, "%s%d", i ? ">" : "", i);
    for (int i = 0; i < 80; i++)
        at += (size_t)snprintf(text + at, sizeof text - at, "%s%d", i ? ">" : "|", (i * 37) % 80);
    CHECK(run(text, 80, &USUAL, out, &error, info) == UGT_OK && isnan(error));
}

static void test_stop(void)
{
    static table t;
    const volatile int32_t stop = 1;
    ugt_stages *stages = NULL;
    double out[15], error;
    int64_t info[3];
    CHECK(ugt_stages_new(parse(&t, "0>1|1>0", 4), NULL, 1, &stages) == UGT_OK);
    CHECK(ugt_first_class(stages, &USUAL, ROW, 1, &stop, out, &error, info) == UGT_STOPPED);
    ugt_stages_free(stages);
}

int main(void)
{
    test_gauss_jacobi();
    test_closed_forms();
    test_symmetry();
    test_small_shapes();
    test_exchangeable();
    test_limits();
    test_ends_of_the_range();
    test_stop();
    return RESULT;
}
