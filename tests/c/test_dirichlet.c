/* Dirichlet posteriors: profiles, exact probabilities by hand, and what bad arrays get. */
#include "check.h"
#include "core.h"

/* Two cases over four classes: {3, 2, 1, 1} and the same numbers for other classes, one of them as background; one undefined. */
static const int64_t OFFSETS[] = {0, 4, 6, 6};
static const int32_t CLASSES[] = {0, 1, 2, 3, 2, 3};
static const double CONCENTRATION[] = {1, 3, 1, 2, 3, 2};
static const double BACKGROUND[] = {0, 1, 0};
enum { N_CASES = 3, N_CLASSES = 4 };

/* a posterior, and its profiles, which are freed */
typedef struct {
    ugt_profiles *profiles;
    ugt_posterior posterior;
} law;

static law law_of(const int64_t *offsets, const int32_t *classes, const double *concentration, const double *background, int64_t n, int64_t k)
{
    ugt_profiles *profiles = NULL;
    int64_t *case_profile = NEW(int64_t, n);
    int32_t *entry_group = NEW(int32_t, offsets[n]), *background_group = NEW(int32_t, n);
    CHECK(ugt_profiles_new(offsets, concentration, background, n, k, &profiles, case_profile, entry_group, background_group) == UGT_OK);
    return (law){profiles, {profiles, case_profile, offsets, classes, entry_group, background_group, k}};
}

static law example(void)
{
    return law_of(OFFSETS, CLASSES, CONCENTRATION, BACKGROUND, N_CASES, N_CLASSES);
}

/* P(x_3 largest) for whole shapes: a race to c events, the last to finish is the largest (tests/twins/dirichlet.py). */
static const double BEST[] = {4115.0 / 6912, 605.0 / 2304, 491.0 / 6912};

static void test_profiles(void)
{
    const law x = example();
    CHECK(ugt_profiles_count(x.profiles) == 1); /* the same multiset twice */
    CHECK(x.posterior.case_profile[0] == 0 && x.posterior.case_profile[1] == 0 && x.posterior.case_profile[2] == -1);
    const ugt_profile profile = ugt_profile_at(x.profiles, 0);
    CHECK(profile.n_groups == 3 && ugt_profile_support(&profile) == 4);
    CHECK(profile.c[0] == 3 && profile.c[1] == 2 && profile.c[2] == 1);
    CHECK(profile.count[0] == 1 && profile.count[1] == 1 && profile.count[2] == 2);
    CHECK(x.posterior.entry_group[0] == 2 && x.posterior.entry_group[1] == 0 && x.posterior.entry_group[3] == 1);
    CHECK(x.posterior.background_group[0] == -1 && x.posterior.background_group[1] == 2 && x.posterior.background_group[2] == -1);

    double range[2];
    const double none[] = {0.0, 0.0}, unknown[] = {0.0, NAN};
    ugt_concentration_range(CONCENTRATION, 4, none, 2, range);
    CHECK(range[0] == 1 && range[1] == 3);
    ugt_concentration_range(none, 1, CONCENTRATION, 4, range);
    CHECK(range[0] == 0 && range[1] == 3);
    ugt_concentration_range(NULL, 0, none, 2, range);
    CHECK(isinf(range[0]) && range[1] == 0);
    ugt_concentration_range(CONCENTRATION, 4, unknown, 2, range);
    CHECK(isnan(range[0]) && isnan(range[1]));
    ugt_concentration_range(unknown, 2, CONCENTRATION, 4, range);
    CHECK(isnan(range[0]) && isnan(range[1]));

    double rank[3 * 4], certainty[1];
    CHECK(ugt_dirichlet_ranks(x.profiles, 0, 1, 4, rank) == UGT_OK);
    for (int g = 0; g < 3; g++) {
        CHECK_CLOSE(rank[4 * g], BEST[g], 0.0, 1e-13);
        CHECK_CLOSE(rank[4 * g] + rank[4 * g + 1] + rank[4 * g + 2] + rank[4 * g + 3], 1.0, 0.0, 1e-13);
    }
    CHECK(ugt_dirichlet_certainty(x.profiles, 0, 1, 1, certainty) == UGT_OK);
    CHECK_CLOSE(certainty[0], BEST[0], 0.0, 1e-13);
    CHECK(ugt_dirichlet_certainty(x.profiles, 0, 1, 4, certainty) == UGT_OK);
    CHECK(certainty[0] == 1.0);
    ugt_profiles_free(x.profiles);
    ugt_profiles_free(NULL);
}

static void test_overlaps(void)
{
    const int64_t offsets[] = {0, 1, 3, 3};
    const int32_t classes[] = {1, 2, 0};
    const int8_t role[] = {UGT_ROLE_CERTAIN, UGT_ROLE_CERTAIN, UGT_ROLE_TIED}, rest[] = {UGT_ROLE_TIED, 0, 0};
    const int32_t k[] = {1, 1, 1};
    const ugt_sets sets = {offsets, classes, role, rest};
    double table[3 * 4];
    const law x = example();
    CHECK(ugt_dirichlet_overlaps(&x.posterior, &sets, k, 1, 0, 3, table) == UGT_OK);
    /* case 0: class 1 (concentration 3), all others tied; case 1: class 2 (3), class 0 tied (the background, 1) */
    CHECK_CLOSE(table[2], BEST[0], 0.0, 1e-13);
    CHECK_CLOSE(table[1], 1.0 - BEST[0], 0.0, 1e-13);
    CHECK_CLOSE(table[4 + 2], BEST[0], 0.0, 1e-13);
    CHECK_CLOSE(table[4 + 1], BEST[2], 0.0, 1e-13);
    CHECK_CLOSE(table[4 + 0], BEST[1] + BEST[2], 0.0, 1e-13);
    CHECK(isnan(table[8]) && isnan(table[11]));

    /* k, roles and classes out of range */
    const int32_t none[] = {0, 1, 1}, many[] = {1, 5, 1};
    const int8_t wrong[] = {UGT_ROLE_CERTAIN, 3, UGT_ROLE_TIED};
    const int32_t low[] = {1, -1, 0}, high[] = {1, N_CLASSES, 0};
    double wide[3 * 36];
    CHECK(ugt_dirichlet_overlaps(&x.posterior, &sets, none, 1, 0, 3, table) == UGT_ERR_RANGE);
    CHECK(ugt_dirichlet_overlaps(&x.posterior, &sets, many, 1, 0, 3, table) == UGT_ERR_RANGE);
    CHECK(ugt_dirichlet_overlaps(&x.posterior, &sets, many, 5, 0, 3, wide) == UGT_ERR_RANGE);
    CHECK(ugt_dirichlet_overlaps(&x.posterior, &(ugt_sets){offsets, classes, wrong, rest}, k, 1, 0, 3, table) ==
          UGT_ERR_RANGE);
    CHECK(ugt_dirichlet_overlaps(&x.posterior, &(ugt_sets){offsets, low, role, rest}, k, 1, 0, 3, table) == UGT_ERR_RANGE);
    CHECK(ugt_dirichlet_overlaps(&x.posterior, &(ugt_sets){offsets, high, role, rest}, k, 1, 0, 3, table) == UGT_ERR_RANGE);
    ugt_profiles_free(x.profiles);
}

static void test_lists(void)
{
    /* model: class 3 first, then 1 and 2 tied, then 0 */
    const int64_t offsets[] = {0, 3, 6, 9};
    const int32_t classes[] = {3, 1, 2, 3, 1, 2, 3, 1, 2}, start[] = {0, 1, 1, 0, 1, 1, 0, 1, 1};
    const ugt_orders model = {offsets, classes, start};
    const ugt_list_metric metric = {UGT_AVERAGE_OVERLAP, 2, 0.0, 1.0, 12};
    int64_t size[1], table_offsets[2] = {0, 0};
    double table[64], moments[9], pmf[3 * 13];
    const law x = example();
    CHECK(ugt_dirichlet_list_sizes(x.profiles, 0, 1, 2, 100, size) == UGT_OK);
    CHECK(size[0] == 7); /* ordered pairs of the groups of 1, 1 and 2 classes, without (first, first), (second, second) */
    CHECK(ugt_dirichlet_list_sizes(x.profiles, 0, 1, 2, 6, size) == UGT_OK);
    CHECK(size[0] == 0); /* more than asked for */
    table_offsets[1] = 7;
    CHECK(ugt_dirichlet_lists(x.profiles, 0, 1, 2, table_offsets, table) == UGT_OK);
    const double ways[] = {1, 2, 1, 2, 2, 2, 2};
    double sum = 0.0;
    for (int i = 0; i < 7; i++)
        sum += ways[i] * table[i];
    CHECK_CLOSE(sum, 1.0, 0.0, 1e-12);
    CHECK_CLOSE(table[0] + 2 * table[1], BEST[0], 0.0, 1e-12);
    CHECK(ugt_dirichlet_list_values(&x.posterior, &model, &metric, table_offsets, table, 0, 3, moments, pmf) == UGT_OK);
    for (int i = 0; i < 2; i++) {
        double total = 0.0, mean = 0.0;
        for (int j = 0; j <= 12; j++) {
            total += pmf[13 * i + j];
            mean += pmf[13 * i + j] * j / 12.0;
        }
        CHECK_CLOSE(total, 1.0, 0.0, 1e-12);
        CHECK_CLOSE(mean + moments[3 * i + 2], moments[3 * i], 0.0, 1e-12);
    }
    CHECK(isnan(moments[6]) && isnan(pmf[26]));
    const int32_t high[] = {3, 1, N_CLASSES, 3, 1, 2, 3, 1, 2};
    const ugt_orders wrong = {offsets, high, start};
    CHECK(ugt_dirichlet_list_values(&x.posterior, &wrong, &metric, table_offsets, table, 0, 1, moments, pmf) ==
          UGT_ERR_RANGE);
    ugt_profiles_free(x.profiles);
}

/* position of each class in one of the orders of four, in lexicographic order */
static void permutation(int number, int *place)
{
    int left[] = {0, 1, 2, 3};
    for (int j = 0, ways = 6; j < 4; j++, ways /= j < 3 ? 4 - j : 1) {
        const int at = number / ways;
        number %= ways;
        place[left[at]] = j;
        for (int k = at; k < 3; k++)
            left[k] = left[k + 1];
    }
}

/* Four classes, all of them in order: distances to an order of the model from the 24 lists themselves. */
static void test_distances(void)
{
    const int64_t offsets[] = {0, 4};
    const double concentration[] = {4, 3, 2, 1}, background[] = {0};
    const int32_t classes[] = {0, 1, 2, 3}, model_classes[] = {2, 0, 3, 1}, start[] = {0, 1, 2, 3};
    const int model_place[] = {1, 3, 0, 2};
    const ugt_orders model = {offsets, model_classes, start};
    int64_t size[1], table_offsets[] = {0, 24};
    double table[24], rank[16], first[4] = {0}, moments[3], pmf[61], mean[2] = {0}, square[2] = {0};
    const law x = law_of(offsets, classes, concentration, background, 1, 4);
    const ugt_profiles *profiles = x.profiles;
    CHECK(ugt_profiles_counts(profiles)[0] == 1 && ugt_profiles_concentrations(profiles)[3] == 1.0);
    CHECK(ugt_dirichlet_list_sizes(profiles, 0, 1, 4, 100, size) == UGT_OK && size[0] == 24);
    CHECK(ugt_dirichlet_lists(profiles, 0, 1, 4, table_offsets, table) == UGT_OK);
    CHECK(ugt_dirichlet_ranks(profiles, 0, 1, 4, rank) == UGT_OK);
    for (int i = 0; i < 24; i++) {
        int place[4], discordant = 0, moved = 0;
        permutation(i, place);
        for (int a = 0; a < 4; a++) {
            first[a] += place[a] == 0 ? table[i] : 0.0;
            moved += abs(place[a] - model_place[a]);
            for (int b = 0; b < a; b++)
                discordant += (place[a] < place[b]) != (model_place[a] < model_place[b]);
        }
        mean[0] += table[i] * discordant / 60.0;
        square[0] += table[i] * discordant * discordant / 3600.0;
        mean[1] += table[i] * moved / 60.0;
        square[1] += table[i] * moved * moved / 3600.0;
    }
    for (int a = 0; a < 4; a++)
        CHECK_CLOSE(first[a], rank[4 * a], 0.0, 1e-12);
    for (int kind = UGT_KENDALL; kind <= UGT_FOOTRULE; kind++) {
        const ugt_list_metric metric = {kind, 4, 0.5, 60.0, 60};
        CHECK(ugt_dirichlet_list_values(&x.posterior, &model, &metric, table_offsets, table, 0, 1, moments, pmf) == UGT_OK);
        CHECK_CLOSE(moments[0], mean[kind - UGT_KENDALL], 0.0, 1e-13);
        CHECK_CLOSE(moments[1], square[kind - UGT_KENDALL], 0.0, 1e-13);
        CHECK(moments[2] == 0.0);
    }
    ugt_profiles_free(x.profiles);
}

/* Two classes of four can be among the three best, and either of the other two: which one is a toss-up. */
static void test_few_positive(void)
{
    const int64_t offsets[] = {0, 2}, set_offsets[] = {0, 2};
    const double concentration[] = {2, 1}, background[] = {0};
    const int32_t classes[] = {0, 3}, set_classes[] = {0, 1}, k[] = {3};
    const int8_t role[] = {UGT_ROLE_CERTAIN, UGT_ROLE_TIED}, rest[] = {0};
    const ugt_sets sets = {set_offsets, set_classes, role, rest};
    const law x = law_of(offsets, classes, concentration, background, 1, 4);
    double table[16];
    CHECK(ugt_dirichlet_overlaps(&x.posterior, &sets, k, 3, 0, 1, table) == UGT_OK);
    for (int j = 0; j < 16; j++)
        CHECK(table[j] == (j == 4 || j == 5 ? 0.5 : 0.0)); /* (1, 0) and (1, 1) */
    ugt_profiles_free(x.profiles);
}

static int profiles_of(int64_t n_cases, const int64_t *offsets, const double *concentration, double background)
{
    ugt_profiles *profiles = NULL;
    int64_t case_profile[4];
    int32_t entry_group[8], background_group[4];
    const double backgrounds[] = {background, background, background, background};
    const int status = ugt_profiles_new(offsets, concentration, backgrounds, n_cases, N_CLASSES, &profiles, case_profile,
                                        entry_group, background_group);
    if (status == UGT_OK)
        ugt_profiles_free(profiles);
    else
        CHECK(profiles == NULL);
    return status;
}

static void test_bad_posteriors(void)
{
    const double good[] = {1, 2, 3, 4, 5}, zero[] = {1, 0, 3, 4, 5}, nan[] = {1, NAN, 3, 4, 5}, endless[] = {1, INFINITY, 3, 4, 5};
    const double tiny[] = {1, 1e-301, 3, 4, 5}, huge[] = {1, 1e301, 3, 4, 5};
    const int64_t rising[] = {0, 2, 4}, falling[] = {0, 4, 2}, wide[] = {0, 5, 5};
    CHECK(profiles_of(2, rising, good, 0.0) == UGT_OK);
    CHECK(profiles_of(0, rising, good, 0.0) == UGT_OK);
    CHECK(profiles_of(2, falling, good, 0.0) == UGT_ERR_RANGE);
    CHECK(profiles_of(2, wide, good, 0.0) == UGT_ERR_RANGE); /* more entries than classes */
    CHECK(profiles_of(2, rising, zero, 0.0) == UGT_ERR_VALUE);
    CHECK(profiles_of(2, rising, nan, 0.0) == UGT_ERR_VALUE);
    CHECK(profiles_of(2, rising, endless, 0.0) == UGT_ERR_VALUE);
    CHECK(profiles_of(2, rising, tiny, 0.0) == UGT_ERR_VALUE);
    CHECK(profiles_of(2, rising, huge, 0.0) == UGT_ERR_VALUE);
    CHECK(profiles_of(2, rising, good, INFINITY) == UGT_ERR_VALUE);
}

static void test_no_convergence(void)
{
    /* beyond shape 1e20 log x no longer resolves the law: an honest status instead of a wrong number */
    const int64_t offsets[] = {0, 2};
    const double concentration[] = {1e22, 1e22}, background[] = {0};
    const law x = law_of(offsets, NULL, concentration, background, 1, 2);
    double rank[2];
    CHECK(ugt_dirichlet_ranks(x.profiles, 0, 1, 1, rank) == UGT_ERR_CONVERGENCE);
    CHECK(ugt_dirichlet_certainty(x.profiles, 0, 1, 1, rank) == UGT_ERR_CONVERGENCE);
    ugt_profiles_free(x.profiles);
}

static void test_extreme_profiles(void)
{
    /* nodes, tables and sums of every mixture of these stay finite */
    const double shapes[] = {1e-300, 1e-12, 1e-3, 1.0, 1e5, 1e15};
    const int64_t offsets[] = {0, 3};
    const double background[] = {0};
    for (size_t a = 0; a < LENGTH(shapes); a++)
        for (size_t b = 0; b <= a; b++)
            for (size_t c = 0; c <= b; c++) {
                const double concentration[] = {shapes[a], shapes[b], shapes[c]};
                const law x = law_of(offsets, NULL, concentration, background, 1, 3);
                double rank[3 * 3];
                CHECK(ugt_dirichlet_ranks(x.profiles, 0, 1, 3, rank) == UGT_OK);
                for (int64_t g = 0; g < ugt_profiles_offsets(x.profiles)[1]; g++)
                    CHECK_CLOSE(rank[3 * g] + rank[3 * g + 1] + rank[3 * g + 2], 1.0, 0.0, 3e-9);
                ugt_profiles_free(x.profiles);
            }
}

static void test_draws(void)
{
    const uint64_t keys[] = {5, 6, 7};
    const ugt_concentrations law = {OFFSETS, CLASSES, CONCENTRATION, BACKGROUND, keys, N_CLASSES};
    double draws[3 * 10 * N_CLASSES];
    int32_t top[3 * 10 * 2];
    CHECK(ugt_dirichlet_draws(&law, 1, 0, 3, 10, draws) == UGT_OK);
    CHECK(ugt_dirichlet_top(&law, 1, 0, 3, 10, 2, top) == UGT_OK);
    for (int d = 0; d < 20; d++) {
        const double *p = draws + d * N_CLASSES;
        CHECK_CLOSE(p[0] + p[1] + p[2] + p[3], 1.0, 1e-15, 0.0);
        CHECK(p[top[2 * d]] >= p[top[2 * d + 1]]);
    }
    CHECK(isnan(draws[20 * N_CLASSES]) && top[40] == -1 && top[59] == -1);
    const int32_t low[] = {0, 1, -1, 3, 2, 3}, high[] = {0, 1, N_CLASSES, 3, 2, 3};
    const ugt_concentrations below = {OFFSETS, low, CONCENTRATION, BACKGROUND, keys, N_CLASSES};
    const ugt_concentrations above = {OFFSETS, high, CONCENTRATION, BACKGROUND, keys, N_CLASSES};
    CHECK(ugt_dirichlet_draws(&below, 1, 0, 3, 10, draws) == UGT_ERR_RANGE);
    CHECK(ugt_dirichlet_top(&above, 1, 0, 3, 10, 2, top) == UGT_ERR_RANGE);
}

/* more laws than are kept, each twice in succession; the sets of a case hold other classes than those of its double */
static void test_many_overlaps(void)
{
    enum { N = 1400 };
    static int64_t offsets[N + 1];
    static double concentration[3 * N], background[N], together[4 * N];
    static int32_t classes[3 * N], k[N], in[N];
    static int64_t one[N + 1];
    static int8_t role[N], rest_role[N];
    for (int i = 0; i < N; i++) {
        offsets[i + 1] = 3 * (i + 1);
        one[i + 1] = i + 1;
        k[i] = 1;
        role[i] = UGT_ROLE_CERTAIN;
        in[i] = i % 2;
        for (int j = 0; j < 3; j++) {
            classes[3 * i + j] = j;
            concentration[3 * i + j] = j == in[i] ? 1.0 + 0.01 * (i / 2) : 1.5;
        }
    }
    const law x = law_of(offsets, classes, concentration, background, N, 3);
    const ugt_sets sets = {one, in, role, rest_role};
    CHECK(ugt_dirichlet_overlaps(&x.posterior, &sets, k, 1, 0, N, together) == UGT_OK);
    for (int i = 0; i < N; i++) {
        double alone[4 * N];
        CHECK(ugt_dirichlet_overlaps(&x.posterior, &sets, k, 1, i, i + 1, alone) == UGT_OK);
        CHECK(memcmp(alone + 4 * i, together + 4 * i, 4 * sizeof *alone) == 0);
        CHECK(i % 2 == 0 || memcmp(together + 4 * i, together + 4 * (i - 1), 4 * sizeof *alone) == 0);
        CHECK(i < 2 || together[4 * i + 2] > together[4 * (i - 2) + 2] || i % 2);
    }

    /* lists of two: the models of a case and of its double order the same concentrations alike, but for every third pair */
    const ugt_list_metric metric = {UGT_KENDALL, 2, 0.5, 4.0, 12};
    static int64_t size[N], table_offsets[N + 1];
    static int32_t order[3 * N], start[3 * N];
    static double table[6 * N], moments[3 * N], pmf[13 * N], own_moments[3 * N], own_pmf[13 * N];
    const int64_t n = ugt_profiles_count(x.profiles);
    CHECK(ugt_dirichlet_list_sizes(x.profiles, 0, n, 2, 100, size) == UGT_OK);
    for (int64_t p = 0; p < n; p++)
        table_offsets[p + 1] = table_offsets[p] + size[p];
    CHECK(ugt_dirichlet_lists(x.profiles, 0, n, 2, table_offsets, table) == UGT_OK);
    for (int i = 0; i < 3 * N; i++) {
        const int rank = i / 6 % 3 ? i % 3 : (i + i / 3) % 3;
        start[i] = i % 3;
        order[i] = rank < 2 && in[i / 3] ? 1 - rank : rank;
    }
    const ugt_orders model = {offsets, order, start};
    CHECK(ugt_dirichlet_list_values(&x.posterior, &model, &metric, table_offsets, table, 0, N, moments, pmf) == UGT_OK);
    for (int i = 0; i < N; i++)
        CHECK(ugt_dirichlet_list_values(&x.posterior, &model, &metric, table_offsets, table, i, i + 1, own_moments, own_pmf) == UGT_OK);
    CHECK(memcmp(moments, own_moments, sizeof moments) == 0 && memcmp(pmf, own_pmf, sizeof pmf) == 0);
    ugt_profiles_free(x.profiles);
}

int main(void)
{
    test_profiles();
    test_overlaps();
    test_many_overlaps();
    test_lists();
    test_distances();
    test_few_positive();
    test_bad_posteriors();
    test_no_convergence();
    test_extreme_profiles();
    test_draws();
    return RESULT;
}
