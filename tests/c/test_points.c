/* Weighted points: closed forms, known bounds, shares of exchangeable classes, inputs at the limits, and what is refused. */
#include "check.h"
#include "points.h"
#include "rankings.h"

#define LIMIT 6.0 /* stated errors */

static const volatile int32_t go = 0, halt = 1;
static const uint64_t KEY[8] = {1, 2, 3, 4, 5, 6, 7, 8};

typedef struct {
    ugt_stages *stages;
    double *fit, *out, *error, info[UGT_POINTS_INFO];
    int64_t m;
} answer;

static int fit(answer *a, const char *text, int64_t n_classes, const ugt_points_law *law, const volatile int32_t *stop)
{
    static table t;
    static const int64_t row = 0;
    a->stages = NULL;
    CHECK(ugt_stages_new(parse(&t, text, n_classes), NULL, law->rest != UGT_REST_IGNORE, &a->stages) == UGT_OK);
    a->m = ugt_stages_class_offsets(a->stages)[1];
    a->fit = NEW(double, 3 * (a->m + 1));
    a->out = NEW(double, 3 * (a->m + 1));
    a->error = NEW(double, 3 * (a->m + 1));
    return ugt_points_fit(a->stages, KEY, law, &row, 1, stop, a->fit, a->out, a->error, a->info);
}

/* Numbers of all classes are within their errors of those that are known. */
static void check_numbers(const answer *a, const double *expected, int64_t n)
{
    for (int64_t j = 0; j < n; j++)
        CHECK_CLOSE(a->out[j], expected[j], 0.0, LIMIT * a->error[j]);
}

static void test_closed_forms(void)
{
    answer a;
    /* Beta(2, 1) */
    CHECK(fit(&a, "0", 2, &(ugt_points_law){1.0, 1.0, UGT_REST_INDIVIDUAL, 1e-3, 32, 4096, 1}, &go) == UGT_OK);
    check_numbers(&a, (double[]){0.75, 0.25, 2.0 / 3, 1.0 / 3, 1.0 / 18, 1.0 / 18}, 6);
    CHECK(a.info[0] >= 32 && a.info[2] > 0.9 * a.info[1] && a.info[5] == 1);
    for (int j = 0; j < 4; j++)
        CHECK(a.error[j] <= 1e-3 && a.error[j] >= 1.0 / a.info[2]);
    ugt_stages_free(a.stages);
    /* the mean of the first class of a chain: (1 + a) / (1 + A), of shapes down to where most points differ by more than e^600 */
    for (double shape = 1e-9; shape < 2.0; shape *= 31.0) {
        CHECK(fit(&a, "2>1", 3, &(ugt_points_law){1.0, shape, UGT_REST_INDIVIDUAL, 5e-4, 32, 4096, 1}, &go) == UGT_OK);
        CHECK_CLOSE(a.out[4], (shape + 1) / (3 * shape + 1), 0.0, LIMIT * a.error[4]);
        ugt_stages_free(a.stages);
    }
    CHECK(fit(&a, "0>1>2>3", 419, &(ugt_points_law){1.0, 1.0 / 419, UGT_REST_LUMP, 5e-4, 32, 4096, 1}, &go) == UGT_OK);
    CHECK_CLOSE(a.out[5], (1.0 / 419 + 1) / (5.0 / 419 + 1), 0.0, LIMIT * a.error[5]);
    ugt_stages_free(a.stages);
    CHECK(fit(&a, "0", 5, &(ugt_points_law){1.0, 0.5, UGT_REST_IGNORE, 1e-3, 8, 8, 1}, &go) == UGT_OK);
    CHECK_ALL_CLOSE(a.out, ((double[]){1.0, 0.0, 1.0, 0.0, 0.0, 0.0}), 6, 0.0, 0.0);
    CHECK(a.error[0] == 0.0 && a.info[5] == 0);
    ugt_stages_free(a.stages);
}

/* Exchangeable classes have equal numbers, in ties and in rankings that oppose each other. */
static void test_exchangeable(void)
{
    const char *text[] = {"0,2", "0,2>1|0,2", "1,0>2|0,1>2", "0>2|2>0", "0,1,2,3,4,5,6>7", "0,1,2,3,4,5,6,7,8,9,10>11"};
    for (size_t i = 0; i < LENGTH(text); i++) {
        answer a;
        CHECK(fit(&a, text[i], 13, &(ugt_points_law){3.3, 0.02, i % 2 ? UGT_REST_LUMP : UGT_REST_INDIVIDUAL, 0.01, 16, 64, 1}, &go) == UGT_OK);
        const int64_t second = i == 1 ? 2 : 1; /* of class 2, or 1 */
        CHECK(a.out[0] == a.out[second] && a.out[a.m + 1] == a.out[a.m + 1 + second]);
        CHECK_CLOSE(a.out[0], i == 2 || i < 2 || i == 3 ? 0.5 : i == 4 ? 1.0 / 7 : 1.0 / 11, 0.0, 0.02);
        double sum = 0.0;
        for (int64_t k = 0; k <= a.m; k++)
            sum += a.out[k];
        CHECK_CLOSE(sum, 1.0, 1e-12, 0.0);
        ugt_stages_free(a.stages);
    }
}

static void test_largest_share(void)
{
    double p;
    ugt_largest_share of = {.n = 2, .shape = 1.0}; /* uniform: the larger part is at most 1 / s with probability 2 / s - 1 */
    CHECK(ugt_largest_at_most(&of, 1.0, &p) == UGT_OK && p == 1.0);
    CHECK(ugt_largest_at_most(&of, 1.25, &p) == UGT_OK);
    CHECK_CLOSE(p, 0.6, 1e-14, 0.0);
    CHECK(ugt_largest_at_most(&of, 2.0, &p) == UGT_OK);
    CHECK_CLOSE(p, 0.0, 0.0, 1e-14);
    free(of.value);
    of = (ugt_largest_share){.n = 5, .shape = 1.0}; /* uniform spacings: sum over j of (-1)^j C(5, j) (1 - j / s)^4 */
    for (double s = 1.1; s < 5.5; s += 0.37) {
        double expected = 0.0, sign = 1.0, choose = 1.0;
        for (int j = 0; j <= 5; j++) {
            expected += j < s ? sign * choose * pow(1.0 - j / s, 4) : 0.0;
            sign = -sign;
            choose = choose * (5 - j) / (j + 1);
        }
        CHECK(ugt_largest_at_most(&of, s, &p) == UGT_OK);
        CHECK_CLOSE(p, s < 5.0 ? expected : 0.0, 0.0, 2e-5);
    }
    free(of.value);
    of = (ugt_largest_share){.n = 3000, .shape = 2.0}; /* beyond the table: a gamma law, beside (1 - (1 + x) e^-x)^n with x = n a / s */
    CHECK(ugt_largest_at_most(&of, 480.0, &p) == UGT_OK);
    CHECK_CLOSE(p, pow(1.0 - (1.0 + 12.5) * exp(-12.5), 3000.0), 0.0, 1e-9);
    CHECK(of.reach == 256);
    free(of.value);
}

static void test_points(void)
{
    answer a;
    const ugt_points_law law = {1.7, 0.2, UGT_REST_INDIVIDUAL, 1e-2, 8, 8, 3};
    const int64_t row = 0, n_points = 16;
    CHECK(fit(&a, "0,1>2|1|2>0", 6, &law, &go) == UGT_OK);
    const int64_t n = ugt_points_count(a.stages, law.rest, 0, a.fit, n_points), width = a.m + 1;
    CHECK(n > 16 * 16 && n <= 32 * 16 && n % 16 == 0);
    double *value = NEW(double, n * width), *weight = NEW(double, n), sum = 0.0;
    CHECK(ugt_points(a.stages, KEY, &law, &row, 1, a.fit, &n_points, &go, value, weight, a.info) == UGT_OK);
    for (int64_t i = 0; i < n; i++) {
        double total = 0.0;
        sum += weight[i];
        for (int64_t k = 0; k < width; k++)
            total += exp(value[i * width + k]);
        CHECK_CLOSE(total, 1.0, 1e-12, 0.0);
    }
    CHECK_CLOSE(sum, 1.0, 1e-12, 0.0);
    CHECK(a.info[0] == 16 && a.info[1] == (double)n && a.info[2] > 0.5 * (double)n && a.info[2] <= (double)n && a.info[4] > 1.0);
    CHECK(ugt_points(a.stages, KEY, &law, &row, 1, a.fit, &n_points, &halt, value, weight, NULL) == UGT_STOPPED);
    a.fit[2 * width - 1] = 4.0; /* no share of sectors */
    CHECK(ugt_points_count(a.stages, law.rest, 0, a.fit, 16) == 16 * 16);
    CHECK(ugt_points(a.stages, KEY, &law, &row, 1, a.fit, &n_points, &go, value, weight, NULL) == UGT_ERR_VALUE);
    a.fit[2 * width - 1] = 1.0;
    a.fit[0] = NAN;
    CHECK(ugt_points(a.stages, KEY, &law, &row, 1, a.fit, &n_points, &go, value, weight, NULL) == UGT_ERR_VALUE);
    a.fit[0] = 1.0;
    a.fit[2 * width] = -1.0;
    CHECK(ugt_points(a.stages, KEY, &law, &row, 1, a.fit, &n_points, &go, value, weight, NULL) == UGT_ERR_VALUE);
    ugt_stages_free(a.stages);
}

/* Priors so even that every class is first with nearly the same probability. */
static void test_even_priors(void)
{
    answer a;
    CHECK(fit(&a, "0", 5, &(ugt_points_law){1.0, 1e7, UGT_REST_INDIVIDUAL, 1e-2, 64, 1024, 1}, &go) == UGT_OK);
    CHECK_CLOSE(a.out[0], 0.2, 0.0, 0.001 + LIMIT * a.error[0]);
    CHECK_CLOSE(a.out[0] + a.out[1], 1.0, 1e-12, 0.0);
    CHECK_CLOSE(a.out[2], (1e7 + 1) / (5e7 + 1), 0.0, 1e-9 + LIMIT * a.error[2]);
    ugt_stages_free(a.stages);
    CHECK(fit(&a, "0", 5, &(ugt_points_law){9e8, 1e7, UGT_REST_INDIVIDUAL, 1e-2, 64, 256, 1}, &go) == UGT_OK && a.out[0] == 1.0);
    ugt_stages_free(a.stages);
}

/* More classes than sectors and the lattice have; a mode that is beyond doubles; contradictions; what has no answer. */
static void test_limits(void)
{
    char text[512] = "", *end = text;
    answer a;
    for (int k = 0; k < 40; k++)
        end += snprintf(end, 8, k ? ">%d" : "%d", k);
    CHECK(fit(&a, text, 40, &(ugt_points_law){1.0, 0.025, UGT_REST_INDIVIDUAL, 5e-3, 16, 64, 1}, &go) == UGT_OK);
    CHECK_CLOSE(a.out[41], 1.025 / 2.0, 0.0, LIMIT * a.error[41]); /* the classes of one ranking are a chain */
    CHECK(a.info[5] == 39 && ugt_points_count(a.stages, UGT_REST_INDIVIDUAL, 0, a.fit, 8) == 128);
    ugt_stages_free(a.stages);
    const struct {
        const char *text;
        double reliability, shape;
    } hard[] = {{"0>1>2|2>1>0", 1000.0, 0.002}, {"0>1>2|2>1>0", 0.01, 0.002}, {"0>1|1>0", 1e8, 0.2}, {"0>1>2>3", 1e5, 1e-9}, {"0,1>2|2>0,1", 40.0, 0.01}};
    for (size_t i = 0; i < LENGTH(hard); i++) {
        CHECK(fit(&a, hard[i].text, 7, &(ugt_points_law){hard[i].reliability, hard[i].shape, UGT_REST_INDIVIDUAL, 1e-2, 16, 256, 1}, &go) == UGT_OK);
        for (int64_t j = 0; j < 2 * (a.m + 1); j++)
            CHECK(a.out[j] >= 0.0 && a.out[j] <= 1.0 && a.error[j] > 0.0 && a.error[j] < 0.1);
        ugt_stages_free(a.stages);
    }
    CHECK(fit(&a, "0>1", 3, &(ugt_points_law){1.0, 1e-11, UGT_REST_INDIVIDUAL, 1e-2, 8, 8, 1}, &go) == UGT_OK && isnan(a.out[0]) && a.info[0] == 0.0);
    ugt_stages_free(a.stages);
    CHECK(fit(&a, ";", 3, &(ugt_points_law){1.0, 0.5, UGT_REST_INDIVIDUAL, 1e-2, 8, 8, 1}, &go) == UGT_OK && isnan(a.out[0]) && a.info[0] == 0.0);
    const int64_t row = 0, n_points = 8;
    double value[128], weight[128];
    CHECK(ugt_points(a.stages, KEY, &(ugt_points_law){1.0, 0.5, UGT_REST_INDIVIDUAL, 1e-2, 8, 8, 1}, &row, 1, a.fit, &n_points, &go, value, weight, NULL) ==
          UGT_ERR_VALUE);
    ugt_stages_free(a.stages);
    CHECK(fit(&a, "0>1", 3, &(ugt_points_law){1.0, 0.5, UGT_REST_INDIVIDUAL, 1e-2, 8, 8, 1}, &halt) == UGT_STOPPED);
    ugt_stages_free(a.stages);
}

static int descending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x < y) - (x > y);
}

/* The largest weights are kept, whatever their order and however many are equal. */
static void test_largest_weights(void)
{
    ugt_tally full = {.n_large = 0};
    for (int i = 0; i < UGT_MOST_LARGE; i++)
        ugt_tally_offer(&full, (double)i);
    ugt_tally_offer(&full, 0.5); /* below all but one */
    CHECK(full.large[0] == 0.5);
    for (int n = 1; n < 900; n += n < UGT_MOST_LARGE + 4 ? 1 : 173) {
        ugt_tally t = {.n_large = 0};
        double *all = NEW(double, n);
        for (int i = 0; i < n; i++) {
            all[i] = (double)(i * 7919 % 1013 % (n % 3 ? 1000 : 40)) - 300.0;
            ugt_tally_offer(&t, all[i]);
        }
        qsort(all, (size_t)n, sizeof *all, descending);
        CHECK(t.n_large == (n < UGT_MOST_LARGE ? n : UGT_MOST_LARGE) && t.large[0] == all[t.n_large - 1]);
        qsort(t.large, (size_t)t.n_large, sizeof *all, descending);
        CHECK(memcmp(t.large, all, (size_t)t.n_large * sizeof *all) == 0);
    }
}

/* Sums of one class in 16 shifts, and a number behind them that is nobody's. */
static void test_tallies(void)
{
    double sum[UGT_SHIFTS * 4 + 1], out[3], error[3];
    ugt_tally t = {.sum = sum, .width = 1, .peak = 0.0, .squares = 1.0, .n = 160};
    ugt_point_work w = {.n = 2, .log_weight = {250.0, 3.0, 999.0}};
    for (int r = 0; r < UGT_SHIFTS; r++) { /* probability 1/2 and mean 1/4 in all shifts; squares differ */
        const double own[] = {2.0, 1.0, 0.5, r % 2 ? 0.3 : 0.2};
        memcpy(sum + 4 * r, own, sizeof own);
    }
    sum[UGT_SHIFTS * 4] = 7.0;
    const double most = ugt_tally_numbers(&t, out, error);
    CHECK_ALL_CLOSE(out, ((double[]){0.5, 0.25, 0.0625}), 3, 1e-14, 0.0);
    CHECK(most == 1.0 / 1024 && error[0] == most && error[1] == most); /* the least, and none of the variance */
    CHECK_CLOSE(error[2], sqrt(15.0 / 13 * 16 * 16 / 240.0) * sqrt(16 * 0.05 * 0.05) / 32.0, 1e-12, 0.0);
    w.log_weight[0] = 199.0;
    ugt_tally_raise_peak(&t, &w);
    CHECK(t.peak == 0.0 && t.squares == 1.0 && sum[0] == 2.0);
    w.log_weight[0] = 250.0;
    ugt_tally_raise_peak(&t, &w);
    CHECK(t.peak == 250.0 && sum[UGT_SHIFTS * 4] == 7.0);
    CHECK_CLOSE(sum[UGT_SHIFTS * 4 - 4], 2.0 * exp(-250.0), 1e-13, 0.0);
    CHECK_CLOSE(t.squares, exp(-500.0), 1e-13, 0.0);
}

static void test_lanes(void)
{
    for (double x = -707.9; x < 709.0; x += 0.37) {
        CHECK_CLOSE(ugt_lane_exp(x), exp(x), 5e-16, 0.0);
        CHECK_CLOSE(ugt_lane_log(exp(x)), x, 5e-16, 2e-16);
    }
    for (double x = 0.5; x < 2.0; x += 0.0013)
        CHECK_CLOSE(ugt_lane_log(x), log(x), 5e-16, 2e-16);
    CHECK(ugt_lane_log(1.0) == 0.0 && ugt_lane_exp(0.0) == 1.0 && ugt_lane_exp(-1e300) == ugt_lane_exp(-708.0));
    CHECK(ugt_lane_max(-1.0, 2.0) == 2.0 && ugt_lane_max(3.0, 2.0) == 3.0 && ugt_lane_max(-INFINITY, 2.0) == 2.0);
}

int main(void)
{
    test_lanes();
    test_largest_weights();
    test_tallies();
    test_closed_forms();
    test_exchangeable();
    test_largest_share();
    test_points();
    test_even_priors();
    test_limits();
    return RESULT;
}
