/* Integrals of posteriors under Plackett-Luce: closed forms, Gauss-Jacobi rules, the lattice beside the adaptive rule, limits. */
#include "check.h"
#include "chains.h"
#include "rankings.h"

static const volatile int32_t go = 0;
static const uint64_t KEY[8] = {1, 2, 3, 4, 5, 6, 7, 8};
static const ugt_cubature_options USUAL = {1.0, 0.5, UGT_REST_INDIVIDUAL, 1e-6, 7, 200, 800000, 5000, 400000, 1, 0};

/* out [3 * (m + 1)], info [4] of the only case of a text */
static int run(const char *text, int64_t n_classes, const ugt_cubature_options *options, double *out, double *error, int64_t *info)
{
    static table t;
    ugt_stages *stages = NULL;
    CHECK(ugt_stages_new(parse(&t, text, n_classes), options->rest != UGT_REST_IGNORE, &stages) == UGT_OK);
    const int status = ugt_first_class(stages, KEY, options, &(ugt_rivals){0, 0, 0}, 1, &go, out, error, info);
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

/* A class that does not compete, and unmentioned classes of which one may be above: exponential and gamma variables in closed form. */
static void test_rivals(void)
{
    static table t;
    ugt_stages *stages = NULL;
    double out[9], error;
    int64_t info[4];
    CHECK(ugt_stages_new(parse(&t, "0|1|1", 3), 1, &stages) == UGT_OK);
    CHECK(ugt_first_class(stages, KEY, &USUAL, &(ugt_rivals){0, 2, 0}, 1, &go, out, &error, info) == UGT_OK);
    CHECK_CLOSE(out[0], 0.5 + 1.0 / acos(-1.0), 0.0, 1e-9); /* Gamma(3/2) above Gamma(1/2) */
    CHECK(out[1] == 0.0);
    CHECK_CLOSE(out[0] + out[2], 1.0, 0.0, 1e-12);
    ugt_stages_free(stages);
    const ugt_cubature_options flat = {1.0, 1.0, UGT_REST_INDIVIDUAL, 1e-6, 7, 200, 800000, 5000, 0, 1, 0};
    CHECK(ugt_stages_new(parse(&t, "0", 3), 1, &stages) == UGT_OK);
    CHECK(ugt_first_class(stages, KEY, &flat, &(ugt_rivals){0, 0, 1}, 1, &go, out, &error, info) == UGT_OK);
    CHECK_CLOSE(out[0], 8.0 / 9, 0.0, 1e-9); /* Gamma(2) above the smaller of two of Exp(1) */
    CHECK_CLOSE(out[1], 1.0 / 9, 0.0, 1e-9);
    CHECK(ugt_first_class(stages, KEY, &flat, &(ugt_rivals){0, 0, 2}, 1, &go, out, &error, info) == UGT_OK && out[0] == 1.0 && out[1] == 0.0);
    ugt_stages_free(stages);
}

/* A label makes a Beta posterior of two classes; plausibilities of single labels are a Dirichlet law: known means and variances. */
static void test_closed_forms(void)
{
    double out[12], error;
    int64_t info[4];
    CHECK(run("0", 2, &(ugt_cubature_options){1.0, 1.0, UGT_REST_INDIVIDUAL, 1e-6, 7, 200, 600000, 5000, 0, 1, 0}, out, &error, info) == UGT_OK);
    const double beta[] = {0.75, 0.25, 2.0 / 3, 1.0 / 3, 1.0 / 18, 1.0 / 18};
    CHECK_ALL_CLOSE(out, beta, 6, 0.0, error);
    CHECK(info[0] == 0 && info[1] == 1 && info[2] == UGT_INTEGRATED && info[3] == 1);
    CHECK(run("0|0|1", 4, &USUAL, out, &error, info) == UGT_OK);
    CHECK_CLOSE(out[3], 2.5 / 5, 1e-12, 0.0);
    CHECK_CLOSE(out[4], 1.5 / 5, 1e-12, 0.0);
    CHECK_CLOSE(out[5], 1.0 / 5, 1e-12, 0.0);
    CHECK_CLOSE(out[6], 2.5 * 2.5 / 25 / 6, 1e-12, 0.0);
    CHECK(run(";", 4, &USUAL, out, &error, info) == UGT_OK && isnan(out[0]) && info[2] == UGT_NOT_INTEGRATED);
}

/* Nested sets need no dimension to be refined; symmetric rankings give equal numbers; the error is a bound. */
static void test_symmetry(void)
{
    double out[12], error;
    int64_t info[4];
    ugt_cubature_options o = USUAL;
    CHECK(run("0>1|1>0", 4, &o, out, &error, info) == UGT_OK);
    CHECK(info[0] == 2 && info[2] == UGT_INTEGRATED && error <= 1e-6 + UGT_CUBATURE_FLOOR);
    CHECK_CLOSE(out[0], 0.48596091372596156, 0.0, error); /* independent integration over ratios: tests/twins/cubature.py */
    CHECK_CLOSE(out[0], out[1], 0.0, 2 * error);
    o.tolerance = 1e-9;
    CHECK(run("0>1|1>0", 4, &o, out, &error, info) == UGT_OK);
    CHECK_CLOSE(out[0], 0.48596091372596156, 0.0, 1e-9);
}

/* The lattice agrees with the adaptive rule, and more terms or dimensions than allowed lead to it, or to nothing. */
static void test_lattice_and_limits(void)
{
    const char *const text = "0,1>2|2>0>1|1>2|0>3";
    double exact[15], out[15], error, bound;
    int64_t info[4];
    ugt_cubature_options o = USUAL;
    CHECK(run(text, 6, &o, exact, &bound, info) == UGT_OK && info[2] == UGT_INTEGRATED);
    o.most_dimensions = 0;
    CHECK(run(text, 6, &o, out, &error, info) == UGT_OK && info[2] == UGT_LATTICE);
    CHECK(error <= 2e-4); /* whatever the tolerance, if it is smaller; else the tolerance, with fewer points */
    CHECK_ALL_CLOSE(out, exact, 15, 0.0, 6 * error);
    const int64_t points = info[3];
    o.tolerance = 3e-3;
    CHECK(run(text, 6, &o, out, &error, info) == UGT_OK && info[2] == UGT_LATTICE && info[3] < points / 2);
    CHECK(error <= 3e-3);
    CHECK_ALL_CLOSE(out, exact, 15, 0.0, 6 * error);
    o.tolerance = USUAL.tolerance;
    o.most_points = 0;
    CHECK(run(text, 6, &o, out, &error, info) == UGT_OK && info[2] == UGT_NOT_INTEGRATED && isnan(out[0]) && isnan(error));
    o.most_terms = 1;
    CHECK(run(text, 6, &o, out, &error, info) == UGT_OK && info[2] == UGT_NOT_INTEGRATED && info[1] == 0);
    o = USUAL;
    o.reliability = 1.5; /* a tie of three that counts one and a half times has no such sum, but lines */
    CHECK(run("0,1,2|2>0>1", 6, &o, out, &error, info) == UGT_OK && info[1] == 0 && info[2] == UGT_LATTICE && error <= 2e-3);
    o.most_leaves = 10;
    o.reliability = 1.0;
    CHECK(run(text, 6, &o, out, &error, info) == UGT_OK && info[2] == UGT_LATTICE);
    o.most_points = 0;
    for (o.most_leaves = 0; o.most_leaves < 60; o.most_leaves += 3)
        CHECK(run(text, 6, &o, out, &error, info) == UGT_OK && info[2] == UGT_NOT_INTEGRATED && isnan(out[0]));
    for (o.most_leaves = 1000; o.most_leaves < 20000; o.most_leaves *= 4) { /* a limit too low is foreseen */
        CHECK(run(text, 6, &o, out, &error, info) == UGT_OK && info[2] == UGT_NOT_INTEGRATED && info[3] < o.most_leaves / 2);
    }
}

/* A tied pair may count any number of times: exponents below 0 and below -1; near a whole number nothing jumps; the lattice agrees. */
static void test_pairs_at_real_reliability(void)
{
    double exact[12], out[12], error, bound;
    int64_t info[4];
    ugt_cubature_options o = USUAL;
    o.reliability = 1.5;
    CHECK(run("0,1|2>0", 4, &o, exact, &bound, info) == UGT_OK && info[0] == 4 && info[1] == 3 && info[2] == UGT_INTEGRATED);
    for (o.no_lines = 0; o.no_lines < 2; o.no_lines++) {
        o.most_dimensions = 7;
        CHECK(run("0,1|2>0", 4, &o, exact, &bound, info) == UGT_OK && info[2] == UGT_INTEGRATED);
        o.most_dimensions = 0;
        CHECK(run("0,1|2>0", 4, &o, out, &error, info) == UGT_OK && info[2] == UGT_LATTICE);
        CHECK_ALL_CLOSE(out, exact, 12, 0.0, 6 * error + bound);
    }
    o.no_lines = 0;
    CHECK(run("0,1|0,2", 4, &o, exact, &bound, info) == UGT_OK && info[2] == UGT_LATTICE); /* lines: a lattice has no exponent of -1 */
    o.most_dimensions = 7;
    CHECK(run("0,1|0,2", 4, &o, out, &error, info) == UGT_OK && info[0] == 5 && info[1] == 9 && info[2] == UGT_INTEGRATED);
    CHECK_ALL_CLOSE(exact, out, 12, 0.0, 6 * bound);
    CHECK_CLOSE(out[1], out[2], 0.0, 2 * error);
    o.reliability = 1.0;
    CHECK(run("0,1|2>0", 4, &o, exact, &bound, info) == UGT_OK && info[0] == 2 && info[1] == 2 && info[2] == UGT_INTEGRATED);
    o.reliability = 1.0 + 1e-8;
    CHECK(run("0,1|2>0", 4, &o, out, &error, info) == UGT_OK && info[0] == 4 && info[1] == 3 && info[2] == UGT_INTEGRATED);
    CHECK_ALL_CLOSE(out, exact, 12, 0.0, bound + error);
}

/* Narrow terms, whose mode is searched for, and many terms that share few points: also beside the adaptive rule. */
static void test_lattice_of_narrow_and_many_terms(void)
{
    static const struct {
        const char *text;
        double reliability, tolerance;
    } cases[] = {{"0>1>2>3|3>1", 40.0, 1e-4}, {"0>1>2|2>0", 10.0, 1e-4}, {"0,1,2|3>0", 2.0, 1e-2}};
    for (size_t twice = 0; twice < 2 * LENGTH(cases); twice++) {
        double exact[15], out[15], error, bound;
        int64_t info[4];
        ugt_cubature_options o = USUAL;
        const size_t i = twice / 2;
        o.no_lines = twice % 2;
        o.reliability = cases[i].reliability;
        o.tolerance = 1e-4;
        CHECK(run(cases[i].text, 6, &o, exact, &bound, info) == UGT_OK && info[2] == UGT_INTEGRATED);
        o.most_dimensions = 0;
        o.tolerance = cases[i].tolerance;
        CHECK(run(cases[i].text, 6, &o, out, &error, info) == UGT_OK && info[2] == UGT_LATTICE);
        CHECK(error > 0.0);
        CHECK_ALL_CLOSE(out, exact, i == 1 ? 12 : 15, 0.0, 6 * error + bound);
    }
}

/* Lines, for a case that is not expanded, beside the adaptive rule: few and many rivals, and each kind of rest. */
static void test_lines(void)
{
    static const char *const texts[] = {"0,1>2|2>0>1|1>2|0>3", "0,1>2|0>2|0", "0,1,2>3|3>0|1>0"};
    int n_integrated = 0;
    static const int rests[] = {UGT_REST_INDIVIDUAL, UGT_REST_LUMP, UGT_REST_IGNORE};
    for (size_t i = 0; i < LENGTH(texts); i++)
        for (size_t j = 0; j < LENGTH(rests); j++) {
            double exact[15], out[15], error, bound;
            int64_t info[4];
            ugt_cubature_options o = USUAL;
            o.rest = rests[j];
            o.shape = 0.5;
            o.reliability = 2.0;
            o.tolerance = 1e-4;
            CHECK(run(texts[i], 6, &o, exact, &bound, info) == UGT_OK && info[2] == UGT_INTEGRATED);
            o.most_terms = 0;
            CHECK(run(texts[i], 6, &o, out, &error, info) == UGT_OK && info[1] == 0);
            if (info[2] != UGT_LATTICE) /* the rest may be too large, or the density fall too slowly */
                continue;
            n_integrated++;
            CHECK_ALL_CLOSE(out, exact, i == 1 ? 12 : 15, 0.0, 6 * error + bound);
        }
    CHECK(n_integrated >= 5);
}

/* Orders of alike classes are images of one: their numbers are equal, and those of the lattice, whose terms are images too. */
static void test_images(void)
{
    double exact[18], out[18], error, bound;
    int64_t info[4];
    ugt_cubature_options o = USUAL;
    CHECK(run("0>1,2,3|0|4", 9, &o, exact, &bound, info) == UGT_OK && info[2] == UGT_INTEGRATED && info[1] == 6);
    CHECK_CLOSE(exact[1], exact[2], 1e-14, 0.0);
    CHECK_CLOSE(exact[1], exact[3], 1e-14, 0.0);
    const int64_t nodes = info[3];
    CHECK(run("0>1,2,3|0|4|1", 9, &o, out, &error, info) == UGT_OK && info[2] == UGT_INTEGRATED && info[1] == 6 && info[3] > nodes);
    CHECK_CLOSE(out[2], out[3], 1e-14, 0.0);
    CHECK(out[1] > out[2]);
    o.most_dimensions = 0;
    CHECK(run("0>1,2,3|0|4", 9, &o, out, &error, info) == UGT_OK && info[2] == UGT_LATTICE);
    CHECK_ALL_CLOSE(out, exact, 18, 0.0, 6 * error);
}

/* Every class is mentioned; a shape too large to integrate; more dimensions than there may be. */
static void test_ends_of_the_range(void)
{
    static double out[3 * 81];
    static char text[1000];
    double error;
    int64_t info[4];
    ugt_cubature_options o = USUAL;
    CHECK(run("0>1>2|2>1>0", 3, &o, out, &error, info) == UGT_OK && info[2] == UGT_INTEGRATED);
    CHECK_CLOSE(out[0], out[2], 0.0, 2 * error);
    CHECK_CLOSE(out[0] + out[1] + out[2], 1.0, 0.0, 3 * error);
    o.shape = 1e12;
    CHECK(run("0>1|1>0", 4, &o, out, &error, info) == UGT_OK && info[2] == UGT_NOT_INTEGRATED);
    size_t at = 0;
    for (int i = 0; i < 40; i++)
        at += (size_t)snprintf(text + at, sizeof text - at, "%s%d", i ? ">" : "", i);
    CHECK(run(text, 50, &USUAL, out, &error, info) == UGT_OK && info[1] == 0 && info[2] == UGT_NOT_INTEGRATED); /* 39 sets */
    at = 0;
    for (int i = 0; i < 80; i++)
        at += (size_t)snprintf(text + at, sizeof text - at, "%s%d", i ? ">" : "", i);
    for (int i = 0; i < 80; i++)
        at += (size_t)snprintf(text + at, sizeof text - at, "%s%d", i ? ">" : "|", (i * 37) % 80);
    CHECK(run(text, 80, &USUAL, out, &error, info) == UGT_OK && info[2] == UGT_NOT_INTEGRATED);
}

/* Lines give what the adaptive rule gives if some classes do not compete; counts above four have weights of their own. */
static void test_lines_of_rivals(void)
{
    static table t;
    const ugt_cubature_options lines = {1.5, 0.5, UGT_REST_INDIVIDUAL, 1e-5, 0, 0, 0, 1, 40000, 1, 0};
    const ugt_cubature_options exact = {1.5, 0.5, UGT_REST_INDIVIDUAL, 1e-6, 7, 200, 800000, 5000, 0, 1, 0};
    const ugt_rivals tasks[] = {{0, 0, 0}, {0, 1, 0}, {0, 2, 1}, {0, 0, 1}, {0, 7, 0}};
    for (int64_t n_classes = 4; n_classes <= 6; n_classes += 2) {
        ugt_stages *stages = NULL;
        double out[5 * 12], error[5], found[5 * 12], bound[5];
        int64_t info[20], how[20];
        CHECK(ugt_stages_new(parse(&t, "0>1|1>0|0>2|2>1|0>1|0>1|0>1|0>1|1", n_classes), 1, &stages) == UGT_OK);
        CHECK(ugt_first_class(stages, KEY, &exact, tasks, 5, &go, out, error, info) == UGT_OK);
        CHECK(ugt_first_class(stages, KEY, &lines, tasks, 5, &go, found, bound, how) == UGT_OK);
        for (int i = 0; i < 4; i++) {
            const int unknown = n_classes == 6 && tasks[i].above == 1; /* the second of several others, if it may be first */
            CHECK(info[4 * i + 2] == UGT_INTEGRATED && (how[4 * i + 2] == UGT_LATTICE || unknown));
            for (int k = 0; k < 4 && how[4 * i + 2] == UGT_LATTICE; k++)
                CHECK_CLOSE(found[12 * i + k], out[12 * i + k], 0.0, 5.0 * bound[i] + error[i]);
        }
        CHECK(how[4 * 4 + 2] == UGT_NOT_INTEGRATED || fabs(found[12 * 4 + 3] - 1.0) < 1e-9); /* the others alone */
        ugt_stages_free(stages);
    }
}

/* So many lines that some begin in the tails of the laws of their axes. */
static void test_many_lines(void)
{
    const ugt_cubature_options many = {1.3, 0.3, UGT_REST_INDIVIDUAL, 1e-5, 0, 0, 0, 1, 400000, 3, 0};
    double out[21], error;
    int64_t info[4];
    CHECK(run("0>1>2>3>4>5|5>4>3>2>1>0|2,3>0|1,4>5", 12, &many, out, &error, info) == UGT_OK);
    CHECK(info[2] == UGT_LATTICE && info[3] > 30000 && error < 2e-4);
    CHECK_CLOSE(out[0] + out[1] + out[2] + out[3] + out[4] + out[5] + out[6], 1.0, 1e-12, 0.0);
}

/* A lattice over more terms than points: most terms have a point only now and then. */
static void test_more_terms_than_points(void)
{
    const ugt_cubature_options few = {1.0, 0.5, UGT_REST_INDIVIDUAL, 1e-2, 0, 0, 0, 5000, 16 * 64, 2, 1};
    const ugt_cubature_options lines = {1.0, 0.5, UGT_REST_INDIVIDUAL, 1e-5, 0, 0, 0, 1, 40000, 2, 0};
    double out[27], error, found[27], bound;
    int64_t info[4];
    const char *text = "0,1,2,3,4>5,6,7|0>1>2>3>4>5>6>7";
    CHECK(run(text, 9, &few, out, &error, info) == UGT_OK && info[1] > 256 && info[2] == UGT_LATTICE);
    CHECK(run(text, 9, &lines, found, &bound, info) == UGT_OK && info[2] == UGT_LATTICE && bound < error);
    for (int k = 0; k < 9; k++)
        CHECK_CLOSE(out[k], found[k], 0.0, 5.0 * error);
}

static void test_stop(void)
{
    static table t;
    const volatile int32_t stop = 1;
    ugt_stages *stages = NULL;
    double out[15], error;
    int64_t info[4];
    CHECK(ugt_stages_new(parse(&t, "0>1|1>0", 4), 1, &stages) == UGT_OK);
    CHECK(ugt_first_class(stages, KEY, &USUAL, &(ugt_rivals){0, 0, 0}, 1, &stop, out, &error, info) == UGT_STOPPED);
    ugt_stages_free(stages);
}

/* out [3 * n_groups] */
static int run_groups(const char *text, int64_t n_classes, const ugt_cubature_options *options, const int64_t *group, int64_t n_groups, double *out,
                      double *error, int64_t *info)
{
    static table t;
    ugt_stages *stages = NULL;
    const int64_t row = 0;
    CHECK(ugt_stages_new(parse(&t, text, n_classes), options->rest != UGT_REST_IGNORE, &stages) == UGT_OK);
    const int status = ugt_first_group(stages, KEY, options, group, n_groups, &row, 1, &go, out, error, info);
    ugt_stages_free(stages);
    return status;
}

/* Sums over groups of labels are a Beta variable of two groups; groups of one class are classes; lines and lattice are near the adaptive rule. */
static void test_groups(void)
{
    double out[3 * 6], found[3 * 6], near[3 * 6], error, error_of_lines;
    int64_t info[4];
    const int64_t two[] = {0, 1, 1, 0, 0, 0}, each[] = {0, 1, 2, 3, 4, 5}, three[] = {2, 0, 1, 0, 2, 1}, many[] = {3, 3, 0, 0, 1, 2};
    ugt_cubature_options o = USUAL;
    o.most_points = 0;
    CHECK(run_groups("0|0|1", 4, &o, two, 2, out, &error, info) == UGT_OK);
    const double a = 3.0, b = 2.0; /* 0.5 + 2 + 0.5 and 0.5 + 1 + 0.5: P(Beta(3, 2) > 1 / 2) = 11 / 16 */
    const double beta[] = {11.0 / 16, 5.0 / 16, a / (a + b), b / (a + b), 0.04, 0.04};
    CHECK_ALL_CLOSE(out, beta, 6, 0.0, 2e-9);
    CHECK(error == UGT_CUBATURE_FLOOR && info[2] == UGT_INTEGRATED);
    CHECK(run("0>1|2>0>1|1,2", 6, &o, found, &error, info) == UGT_OK);
    CHECK(run_groups("0>1|2>0>1|1,2", 6, &o, each, 6, out, &error, info) == UGT_OK);
    CHECK_ALL_CLOSE(out, found, 3, 0.0, 2 * error);
    CHECK_CLOSE(out[3] + out[4] + out[5], found[3], 0.0, 2 * error);
    CHECK(out[3] == out[4] && out[4] == out[5]);
    CHECK(run_groups("0>1|2>0>1|1,2", 6, &o, three, 3, out, &error, info) == UGT_OK && info[2] == UGT_INTEGRATED);
    for (int lattice = 0; lattice < 2; lattice++) {
        ugt_cubature_options points = USUAL;
        points.most_dimensions = -1;
        points.no_lines = lattice;
        points.most_points = 40000;
        CHECK(run_groups("0>1|2>0>1|1,2", 6, &points, three, 3, near, &error_of_lines, info) == UGT_OK && info[2] == UGT_LATTICE);
        CHECK(error_of_lines < 1e-3);
        CHECK_ALL_CLOSE(near, out, 9, 0.0, 6 * error_of_lines + error);
    }
    o.rest = UGT_REST_LUMP; /* shared by groups: lines only */
    CHECK(run_groups("0>1|2>0>1|1,2", 6, &o, three, 3, near, &error, info) == UGT_OK && info[2] == UGT_NOT_INTEGRATED && isnan(near[0]));
    o.most_points = 40000;
    CHECK(run_groups("0>1|2>0>1|1,2", 6, &o, many, 4, near, &error, info) == UGT_OK && info[2] == UGT_LATTICE && near[1] == near[2]);
    o.rest = UGT_REST_IGNORE; /* groups without mentioned classes have plausibility 0 */
    CHECK(run_groups("0>1|2>0>1|1,2", 6, &o, many, 4, near, &error, info) == UGT_OK && info[2] == UGT_INTEGRATED);
    CHECK(near[1] == 0.0 && near[2] == 0.0 && near[5] == 0.0 && near[9] == 0.0);
    CHECK_CLOSE(near[0] + near[3], 1.0, 1e-12, 0.0);
}

int main(void)
{
    test_groups();
    test_gauss_jacobi();
    test_closed_forms();
    test_rivals();
    test_symmetry();
    test_lattice_and_limits();
    test_pairs_at_real_reliability();
    test_lattice_of_narrow_and_many_terms();
    test_lines();
    test_lines_of_rivals();
    test_many_lines();
    test_more_terms_than_points();
    test_images();
    test_ends_of_the_range();
    test_stop();
    return RESULT;
}
