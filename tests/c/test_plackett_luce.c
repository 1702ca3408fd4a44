/* Plackett-Luce: blocks by recursion and by quadrature, arrival times, copies on the lattice, both samplers of a tied block, bad input.
 *
 * Samples are compared in units of standard errors. LIMIT = 7: 2.6e-12 per comparison for a normal estimate, below 1e-9 for
 * the some 300 comparisons here; the streams are fixed. */
#include "check.h"
#include "core.h"
#include "rankings.h"

/* gibbs.c once more, in which blocks beyond 3 classes are large; its static functions can be called */
#undef UGT_SMALL_BLOCK
#define UGT_SMALL_BLOCK 3
#define ugt_gibbs lean_gibbs
int lean_gibbs(const ugt_stages *stages, const uint64_t *stream_key, const ugt_gibbs_options *options, int64_t begin, int64_t end,
               const volatile int32_t *stop, double *draws);
#include "gibbs.c"
#undef ugt_gibbs
#undef UGT_SMALL_BLOCK
#define UGT_SMALL_BLOCK 9

#define LIMIT 7.0
#define MOST 400

static ugt_stream stream;

/* running mean and variance */
typedef struct {
    double n, mean, square;
} sample;

static void add(sample *s, double x)
{
    const double step = x - s->mean;
    s->n += 1.0;
    s->mean += step / s->n;
    s->square += step * (x - s->mean);
}

static double error_of(const sample *s)
{
    return sqrt(s->square / (s->n - 1.0) / s->n);
}

#define CHECK_MEAN(found, expected) CHECK_CLOSE((found).mean, (expected), 1e-12, LIMIT *error_of(&(found)))

/* ---- one block ---- */

/* n plausibilities over 2 * spread orders of magnitude */
static void spread_out(double *lambda, int n, double spread)
{
    for (int a = 0; a < n; a++)
        lambda[a] = pow(10.0, spread * (2.0 * ugt_stream_uniform(&stream) - 1.0));
}

static void test_recursion_and_quadrature_agree(void)
{
    static ugt_lattice lattice;
    const double spreads[] = {0.0, 1.0, 5.0, 12.0}, zs[] = {1e-12, 1e-3, 1.0, 1e3, 1e12};
    for (int n = 1; n <= UGT_SMALL_BLOCK; n++) {
        for (size_t i = 0; i < LENGTH(spreads); i++) {
            for (size_t j = 0; j < LENGTH(zs); j++) {
                double lambda[UGT_SMALL_BLOCK], x[UGT_SMALL_BLOCK], a[UGT_SMALL_BLOCK], b[UGT_SMALL_BLOCK];
                spread_out(lambda, n, spreads[i]);
                for (int k = 0; k < n; k++)
                    x[k] = lambda[k] / zs[j];
                const double small = ugt_subset_log_probability(lambda, n, zs[j], &lattice);
                ugt_subset_share(lambda, n, zs[j], &lattice, a);
                const double large = ugt_block_log_probability(x, n, b);
                CHECK_CLOSE(large, small, 2e-14, 0.0);
                CHECK_ALL_CLOSE(b, a, n, 1e-12, 1e-14);
            }
        }
    }
}

/* E tau_a = (1 - G_a) / lambda_a and E max = sum G / Z, G the gradient; equal plausibilities: the last arrival is a sum of
 * independent exponentials of rates Z + j lambda */
static void test_arrival_times(void)
{
    const struct {
        int n;
        double spread, z;
        int draws;
    } cases[] = {{1, 0.0, 1.0, 4000},  {2, 1.0, 1.0, 4000},  {10, 0.0, 0.3, 3000}, {10, 2.0, 1e-3, 3000}, {12, 1.0, 100.0, 3000},
                 {12, 4.0, 1.0, 3000}, {40, 1.0, 5.0, 1000}, {40, 0.0, 1e6, 1000}, {300, 1.0, 1.0, 200},  {300, 0.0, 1e-6, 200}};
    for (size_t i = 0; i < LENGTH(cases); i++) {
        const int n = cases[i].n;
        const double z = cases[i].z;
        double lambda[MOST], x[MOST], share[MOST], tau[MOST], sum = 0.0, moments[2] = {0.0, 0.0};
        static sample time[MOST];
        sample last = {0}, square = {0};
        memset(time, 0, sizeof time);
        spread_out(lambda, n, cases[i].spread);
        for (int draw = 0; draw < cases[i].draws; draw++) {
            const double end = ugt_block_arrivals(&stream, lambda, n, z, x, tau);
            double largest = 0.0;
            for (int a = 0; a < n; a++) {
                CHECK(tau[a] > 0.0 && isfinite(tau[a]));
                largest = tau[a] > largest ? tau[a] : largest;
                add(&time[a], tau[a]);
            }
            CHECK(end == largest);
            add(&last, end);
            add(&square, end * end);
        }
        for (int a = 0; a < n; a++)
            x[a] = lambda[a] / z;
        ugt_block_log_probability(x, n, share);
        for (int a = 0; a < n; a++) {
            sum += share[a];
            if (a < 12)
                CHECK_MEAN(time[a], (1.0 - share[a]) / lambda[a]);
        }
        CHECK_MEAN(last, sum / z);
        if (cases[i].spread > 0.0)
            continue;
        for (int j = 1; j <= n; j++) {
            moments[0] += 1.0 / (z + j);
            moments[1] += 1.0 / ((z + j) * (z + j));
        }
        CHECK_CLOSE(sum / z, moments[0], 1e-9, 0.0);
        CHECK_MEAN(square, moments[1] + moments[0] * moments[0]);
    }
}

/* against draws of all exponentials, kept where the block comes first */
static void test_arrival_times_by_rejection(void)
{
    const double lambdas[][4] = {{1.0, 3.0, 0.5, 2.0}, {0.2, 5.0, 1.0, 1.0}}, zs[] = {0.7, 2.0};
    for (size_t i = 0; i < LENGTH(zs); i++) {
        for (int n = 2; n <= 4; n++) {
            sample found[2][6] = {{{0}}};
            for (int draw = 0; draw < 3000; draw++) {
                for (int way = 0; way < 2; way++) {
                    double tau[4], x[4], last = INFINITY;
                    if (way == 0) {
                        last = ugt_block_arrivals(&stream, lambdas[i], n, zs[i], x, tau);
                    } else {
                        for (double end = 0.0; last > end;) {
                            end = ugt_stream_exponential(&stream) / zs[i];
                            last = 0.0;
                            for (int a = 0; a < n; a++) {
                                tau[a] = ugt_stream_exponential(&stream) / lambdas[i][a];
                                last = fmax(last, tau[a]);
                            }
                        }
                    }
                    const double values[] = {tau[0] * tau[0], tau[1] * tau[1], tau[0] * tau[1], last * last, exp(-last), tau[0] < tau[1]};
                    for (int v = 0; v < 6; v++)
                        add(&found[way][v], values[v]);
                }
            }
            for (int v = 0; v < 6; v++)
                CHECK_CLOSE(found[0][v].mean, found[1][v].mean, 0.0, LIMIT * hypot(error_of(&found[0][v]), error_of(&found[1][v])));
        }
    }
}

/* blocks and rates at the ends of what a sampler may meet (quotients from 1e-300 to 1e300): it ends, with finite times */
static void test_arrival_times_at_the_ends(void)
{
    const double rates[] = {1e-300, 1e-150, 1e-20, 1.0}, sizes[] = {1, 10, MOST};
    double lambda[MOST], x[MOST], tau[MOST];
    for (size_t s = 0; s < LENGTH(sizes); s++) {
        const int n = (int)sizes[s];
        for (size_t i = 0; i < LENGTH(rates); i++) {
            for (size_t j = 0; j < LENGTH(rates); j++) {
                for (int a = 0; a < n; a++)
                    lambda[a] = a % 2 ? rates[i] : 1.0;
                const double last = ugt_block_arrivals(&stream, lambda, n, rates[j], x, tau);
                CHECK(last >= 0.0 && isfinite(last));
            }
        }
    }
}

/* ---- gibbs.c from inside ---- */

/* mean, variance and, for few values, every probability of binomial numbers */
static void test_binomial(void)
{
    const struct {
        int64_t n;
        double p;
    } cases[] = {{1, 0.3},  {7, 0.5},    {16, 0.9},    {17, 0.02}, {17, 0.6},      {40, 0.1},     {100, 0.5},        {100, 0.29},
                 {63, 0.5}, {1000, 0.9}, {1000, 1e-4}, {12, 0.0},  {1000000, 0.4}, {1000000, 1.0}, {1000000000000, 0.7}, {1000000000, 1e-9}};
    for (size_t i = 0; i < LENGTH(cases); i++) {
        const int64_t n = cases[i].n;
        const double p = cases[i].p, mean = (double)n * p, variance = mean * (1.0 - p);
        enum { DRAWS = 20000 };
        static int64_t seen[101];
        memset(seen, 0, sizeof seen);
        sample first = {0}, second = {0};
        for (int draw = 0; draw < DRAWS; draw++) {
            const int64_t hits = ugt_stream_binomial(&stream, n, p);
            CHECK(hits >= 0 && hits <= n);
            add(&first, (double)hits);
            add(&second, ((double)hits - mean) * ((double)hits - mean));
            if (n <= 100)
                seen[hits]++;
        }
        CHECK_CLOSE(first.mean, mean, 1e-15, LIMIT * sqrt(variance / DRAWS));
        CHECK_CLOSE(second.mean, variance, 1e-12, LIMIT * error_of(&second));
        if (n > 100 || p <= 0.0)
            continue;
        double statistic = 0.0, cells = 0.0;
        for (int64_t k = 0; k <= n; k++) {
            const double log_choose = lgamma((double)n + 1.0) - lgamma((double)k + 1.0) - lgamma((double)(n - k) + 1.0);
            const double expected = DRAWS * exp(log_choose + (double)k * log(p) + (double)(n - k) * log1p(-p));
            if (expected < 20.0)
                continue;
            statistic += ((double)seen[k] - expected) * ((double)seen[k] - expected) / expected;
            cells += 1.0;
        }
        CHECK(statistic < cells + LIMIT * sqrt(2.0 * cells) + LIMIT * LIMIT); /* Laurent & Massart 2000: 1e-10 */
    }
}

/* the two samplers of a tied block, and of a fraction of one, have one law: chain means of the plausibilities */
static void test_small_and_large_blocks_have_one_law(void)
{
    const char *texts[] = {"0,1,2,3>4|4,5>0|1", "0,1,2,3,4,5|2>0,1,3,4", "0>1,2,3,4|1,2,3,4>0|3,2,1,4"};
    const double reliabilities[] = {1.0, 0.5, 2.5, 3.0};
    enum { CHAINS = 40, DRAWS = 100 };
    const volatile int32_t stop = 0;
    const uint64_t key = 5;
    static table t;
    for (size_t i = 0; i < LENGTH(texts); i++) {
        ugt_stages *stages;
        CHECK(ugt_stages_new(parse(&t, texts[i], 9), NULL, 1, &stages) == UGT_OK);
        const int64_t width = ugt_stages_class_offsets(stages)[1] + 1;
        double *draws = NEW(double, width * CHAINS * DRAWS);
        for (size_t g = 0; g < LENGTH(reliabilities); g++) {
            static sample found[2][16];
            memset(found, 0, sizeof found);
            for (int way = 0; way < 2; way++) {
                ugt_gibbs_options options = {.reliability = reliabilities[g], .tempering = 1.0, .shape = 0.6, .rate = 1.0, .rest = UGT_REST_INDIVIDUAL,
                                             .n_warmup = 20, .n_draws = DRAWS, .n_thin = 1, .n_chains = CHAINS, .seed = (uint64_t)way};
                CHECK((way ? lean_gibbs : ugt_gibbs)(stages, &key, &options, 0, 1, &stop, draws) == UGT_OK);
                for (int c = 0; c < CHAINS; c++) {
                    double sums[16] = {0};
                    for (int64_t j = 0; j < DRAWS * width; j++)
                        sums[j % width] += draws[c * DRAWS * width + j] / DRAWS;
                    for (int64_t k = 0; k < width; k++)
                        add(&found[way][k], sums[k]);
                }
            }
            for (int64_t k = 0; k < width; k++) /* 78 degrees of freedom: 8 standard errors have 1e-11 */
                CHECK_CLOSE(found[0][k].mean, found[1][k].mean, 0.0, 8.0 * hypot(error_of(&found[0][k]), error_of(&found[1][k])));
        }
        ugt_stages_free(stages);
    }
}

/* a plausibility given its exposure, under tempering: the mean of its logarithm by a sum over a fine grid */
static void test_tempered_draws(void)
{
    const struct {
        double shape, rate, exposure, tempering;
    } cases[] = {{0.1, 1.0, 1e-3, 0.5}, {0.5, 2.0, 0.3, 0.4}, {0.9, 1.0, 0.1, 2.0}, {0.1, 1.0, 1e4, 0.5}, {3.0, 1.0, 5.0, 0.7}, {40.0, 2.0, 9.0, 3.0}};
    enum { DRAWS = 20000 };
    for (size_t i = 0; i < LENGTH(cases); i++) {
        const double shape = cases[i].shape, rate = cases[i].rate, exposure = cases[i].exposure, power = cases[i].tempering;
        const ugt_gibbs_options options = {.tempering = power};
        sampler s = {.options = &options, .rate = rate, .stream = stream};
        sample found = {0};
        for (int draw = 0; draw < DRAWS; draw++)
            add(&found, log(draw_rate(&s, shape, exposure)));
        stream = s.stream;
        double total = 0.0, mean = 0.0;
        for (double at = -600.0; at < 10.0; at += 1e-3) {
            const double weight = exp(shape * at - rate * exp(at) - exposure * exp(power * at));
            total += weight;
            mean += weight * at;
        }
        CHECK_MEAN(found, mean / total);
    }
}

/* factors of which the product leaves the range of numbers, at once or together */
static void test_logarithm_of_a_product(void)
{
    const double factors[] = {1e-300, 0.5, 1e-60, 1e-60, 1e-90, 0.25, 1e-101};
    logarithm x = {1.0, 0.0};
    double expected = 0.0;
    for (size_t i = 0; i < LENGTH(factors); i++) {
        multiply(&x, factors[i]);
        expected += log(factors[i]);
        CHECK_CLOSE(x.log + log(x.product), expected, 1e-15, 0.0);
    }
}

/* the probability of a large tied block is that of the same block as a small one: by quadrature in one, on the lattice in the other */
static void test_probabilities_of_large_and_small_blocks(void)
{
    static table t;
    ugt_stages *stages;
    CHECK(ugt_stages_new(parse(&t, "0,1,2,3,4>5|1>0,2,3", 7), NULL, 1, &stages) == UGT_OK);
    static double lambda[] = {0.3, 1e-4, 2.0, 0.01, 5.0, 1.0, 0.2}, work[8];
    static sampler s;
    s.stages = stages;
    s.m = 6;
    s.has_rest = 1;
    s.lambda = lambda;
    s.block = NEW(double, 8);
    s.x = NEW(double, 8);
    for (int64_t i = 0; i < ugt_stages_count(stages); i++) {
        const ugt_stage *stage = stages->stage + i;
        const double z = later_rate(&s, stage, lambda);
        logarithm found = {1.0, 0.0};
        multiply_by_stage(&s, stage, &found);
        for (int32_t a = 0; a < stage->size; a++)
            work[a] = lambda[stages->member[stage->at + a]];
        static ugt_lattice lattice;
        CHECK_CLOSE(found.log + log(found.product), ugt_subset_log_probability(work, stage->size, z, &lattice), 1e-12, 0.0);
    }
    ugt_stages_free(stages);
}

/* ---- stages ---- */

static void check_refused(const ugt_rankings *rankings)
{
    for (int rest = 0; rest < 2; rest++) {
        ugt_stages *stages = NULL;
        CHECK(ugt_stages_new(rankings, NULL, rest, &stages) == UGT_ERR_RANGE);
        CHECK(stages == NULL);
    }
    double plausibility[8 * 4], log_p[64], gradient[8 * 4];
    for (size_t i = 0; i < LENGTH(plausibility); i++)
        plausibility[i] = 1.0;
    CHECK(ugt_plackett_luce_log_likelihood(rankings, plausibility, 0, rankings->n_cases, log_p, gradient) == UGT_ERR_RANGE);
}

static void test_bad_rankings(void)
{
    static table t;
    check_refused(parse(&t, "0>1>0", 4));     /* a class twice */
    check_refused(parse(&t, "0>1|2,2", 4));   /* within a tie */
    check_refused(parse(&t, "0,1,2,0,1", 4)); /* more classes than there are */
    check_refused(parse(&t, "0;1;4>1", 4));   /* a class out of range, in a later case */
    check_refused(parse(&t, "0>1", 1));
    parse(&t, "0>1", 4);
    t.items[1] = -1;
    check_refused(&t.rankings);
    parse(&t, "0>1>2", 4);
    t.block_offsets[2] = 1; /* an empty block */
    check_refused(&t.rankings);
    ugt_stages_free(NULL);
}

static void test_stages(void)
{
    static table t;
    ugt_stages *stages;
    CHECK(ugt_stages_new(parse(&t, "7>3,1|7>1,3|7;;5>6|6>5|5,6;|2", 8), NULL, 1, &stages) == UGT_OK);
    CHECK(stages->n_cases == 4);
    const int64_t classes[] = {0, 3, 3, 5, 6}, ends[] = {0, 2, 2, 7, 8};
    CHECK(memcmp(stages->class_offsets, classes, sizeof classes) == 0);
    CHECK(memcmp(stages->stage_offsets, ends, sizeof ends) == 0);
    CHECK(stages->class_index[0] == 1 && stages->class_index[1] == 3 && stages->class_index[2] == 7);
    CHECK(stages->stage[0].size == 1 && stages->stage[0].n_later == 2 && stages->stage[0].count == 3.0);
    CHECK(stages->stage[1].size == 2 && stages->stage[1].n_later == 0 && stages->stage[1].count == 2.0);
    ugt_stages_free(stages);
    CHECK(ugt_stages_new(parse(&t, "5>6|6>5|5,6", 8), NULL, 0, &stages) == UGT_OK);
    CHECK(ugt_stages_count(stages) == 2); /* without a rest the last blocks are certain */
    ugt_stages_free(stages);
}

/* ---- whole runs ---- */

static void run(const ugt_rankings *rankings, double reliability, double tempering, double shape, int rest, int sweeps)
{
    const volatile int32_t stop = 0, stopped = 1;
    ugt_stages *stages;
    CHECK(ugt_stages_new(rankings, NULL, rest != UGT_REST_IGNORE, &stages) == UGT_OK);
    const int64_t n = rankings->n_cases, size = ugt_stages_class_offsets(stages)[n] + n;
    const ugt_gibbs_options options = {.reliability = reliability, .tempering = tempering, .shape = shape, .rate = 1.0, .rest = rest, .n_warmup = 3,
                                       .n_draws = sweeps, .n_thin = 2, .n_chains = 2, .seed = 9};
    const uint64_t keys[] = {1, 2, 3, 4};
    double *draws = NEW(double, size * 2 * sweeps), *at = draws;
    CHECK(ugt_gibbs(stages, keys, &options, 0, n, &stop, draws) == UGT_OK);
    for (int64_t i = 0; i < n; i++) {
        const int64_t width = ugt_stages_class_offsets(stages)[i + 1] - ugt_stages_class_offsets(stages)[i] + 1;
        for (int64_t j = 0; j < 2 * sweeps; j++) {
            double total = 0.0;
            for (int64_t k = 0; k < width; k++) {
                CHECK(at[k] >= 0.0 && at[k] <= 1.0);
                total += at[k];
            }
            if (width > 1 || rest != UGT_REST_IGNORE)
                CHECK_CLOSE(total, 1.0, 1e-13, 0.0);
            at += width;
        }
    }
    CHECK(ugt_gibbs(stages, keys, &options, 0, n, &stopped, draws) == UGT_STOPPED);
    CHECK(ugt_gibbs(stages, keys, &options, n, n, &stop, draws) == UGT_OK);
    ugt_stages_free(stages);
}

static void test_extreme_runs(void)
{
    static table t;
    const double shapes[] = {1e-300, 1e-6, 1.0, 1e6}, reliabilities[] = {1e-6, 0.3, 1.0, 2.5, 1e6};
    for (size_t a = 0; a < LENGTH(shapes); a++) {
        for (size_t g = 0; g < LENGTH(reliabilities); g++) {
            for (int rest = UGT_REST_IGNORE; rest <= UGT_REST_LUMP; rest++) {
                run(parse(&t, "0,1>2|2>0,1|3;;|4|4,5,6", 20), reliabilities[g], 1.0, shapes[a], rest, 20);
                run(parse(&t, "0,1,2|1,2,0;2;0>1>2", 3), reliabilities[g], 1.0, shapes[a], rest, 20);
                run(parse(&t, "0>1,2>3|0>2|0>1|0>3;0>1", 5), 1.0, reliabilities[g] < 1.0 ? 0.4 : 2.0, fmax(shapes[a], 1e-6), rest, 20);
            }
        }
    }
}

static void test_large_blocks(void)
{
    static int32_t items[2 * MOST];
    static const int64_t cases[] = {0, 2}, rankings[] = {0, 1, 3}, blocks[] = {0, MOST, MOST + 10, 2 * MOST};
    for (int32_t i = 0; i < MOST; i++)
        items[i] = items[MOST + i] = i;
    for (int64_t n_classes = MOST; n_classes <= MOST + 1; n_classes++) {
        const ugt_rankings r = {1, 2, 3, 2 * MOST, n_classes, cases, rankings, blocks, items};
        run(&r, 1.0, 1.0, 1.0 / MOST, UGT_REST_INDIVIDUAL, 4);
        run(&r, 2.5, 1.0, 1.0, UGT_REST_INDIVIDUAL, 2);
    }
    static table t;
    run(parse(&t, "0,1,2,3,4,5,6,7,8,9,10,11>12|3>1>2", 14), 1.0, 0.5, 1.0, UGT_REST_INDIVIDUAL, 4);
}

int main(void)
{
    ugt_stream_open(&stream, 1, 2, 3, 4);
    test_recursion_and_quadrature_agree();
    test_arrival_times();
    test_arrival_times_by_rejection();
    test_arrival_times_at_the_ends();
    test_binomial();
    test_small_and_large_blocks_have_one_law();
    test_tempered_draws();
    test_logarithm_of_a_product();
    test_probabilities_of_large_and_small_blocks();
    test_bad_rankings();
    test_stages();
    test_extreme_runs();
    test_large_blocks();
    return RESULT;
}
