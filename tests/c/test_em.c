/* Annotator models: storages that agree, sums that must hold, chains that stop, labels that do not fit. */
#include "check.h"
#include "em.h"

enum { CASES = 60, LABELS = 300, ANNOTATORS = 7, CLASSES = 5 };

typedef struct {
    int64_t offsets[CASES + 1], given_offsets[CASES + 1];
    int32_t annotator[LABELS], label[LABELS], given[LABELS], entry[LABELS];
    double weight[LABELS];
    uint64_t key[CASES];
    ugt_label_table table;
} data;

/* 0 to 9 labels a case; weights 1 or 2 */
static void fill(data *d, int weighted)
{
    ugt_stream stream;
    ugt_stream_open(&stream, 5, 0, 0, 99);
    int64_t n = 0, e = 0;
    memset(d, 0, sizeof *d);
    for (int i = 0; i < CASES; i++) {
        const int64_t truth = (int64_t)ugt_stream_below(&stream, CLASSES);
        const int size = i == 7 ? 0 : (int)ugt_stream_below(&stream, 10);
        int64_t at[CLASSES];
        int seen[CLASSES] = {0};
        d->key[i] = ugt_stream_bits(&stream);
        for (int t = 0; t < size && n < LABELS; t++, n++) {
            d->annotator[n] = (int32_t)ugt_stream_below(&stream, ANNOTATORS - 1); /* the last one gives none */
            d->label[n] = (int32_t)(ugt_stream_uniform(&stream) < 0.7 ? truth : (int64_t)ugt_stream_below(&stream, CLASSES - 1));
            d->weight[n] = 1.0 + (double)ugt_stream_below(&stream, 2);
            seen[d->label[n]] = 1;
        }
        d->offsets[i + 1] = n;
        for (int k = 0; k < CLASSES; k++)
            if (seen[k]) {
                at[k] = e;
                d->given[e++] = k;
            }
        d->given_offsets[i + 1] = e;
        for (int64_t r = d->offsets[i]; r < n; r++)
            d->entry[r] = (int32_t)at[d->label[r]];
    }
    const ugt_label_table table = {d->offsets, d->annotator, d->label, weighted ? d->weight : NULL, d->given_offsets,
                                   d->given,   CASES,        ANNOTATORS, CLASSES,                             NULL};
    d->table = table;
}

typedef struct {
    ugt_confusions *x;
    ugt_confusions_size size;
    ugt_confusion_counts counts;
    double *probability, *row_total, *q, prevalence[CLASSES];
    int64_t offsets[CASES + 1];
    int32_t *index;
} fit;

static void open_fit(fit *f, const data *d, int cells)
{
    CHECK(ugt_confusions_new(&d->table, cells, &f->x) == UGT_OK);
    f->size = ugt_confusions_sizes(f->x);
    const size_t n = (size_t)f->size.n_cells;
    f->counts = (ugt_confusion_counts){ZEROS(double, n), ZEROS(double, CLASSES)};
    f->probability = ZEROS(double, n);
    f->row_total = ZEROS(double, f->size.n_rows);
    f->q = ZEROS(double, f->size.n_candidates);
    f->index = ZEROS(int32_t, f->size.n_candidates);
    int32_t *cell = ZEROS(int32_t, 4 * n);
    ugt_confusions_layout(f->x, f->offsets, f->index, cell, cell + n, cell + 2 * n, cell + 3 * n);
    for (size_t c = 0; c < n; c++) {
        CHECK(cell[c] >= 0 && cell[c] < ANNOTATORS - 1);
        CHECK(cell[n + c] >= 0 && cell[n + c] < CLASSES && cell[2 * n + c] >= 0 && cell[2 * n + c] < CLASSES);
        CHECK(cell[3 * n + c] >= 0 && cell[3 * n + c] < f->size.n_rows);
    }
    /* votes, spread over the candidates */
    for (int i = 0; i < CASES; i++)
        for (int64_t e = d->given_offsets[i]; e < d->given_offsets[i + 1]; e++)
            for (int64_t j = f->offsets[i]; j < f->offsets[i + 1]; j++)
                if (f->index[j] == d->given[e])
                    f->q[j] = 1.0 / (double)(d->given_offsets[i + 1] - d->given_offsets[i]);
    ugt_confusions_count(f->x, f->q, &f->counts);
}

static double step(fit *f, const ugt_pseudo_counts *prior)
{
    double value = 0.0;
    const double density = ugt_confusions_mode(f->x, prior, &f->counts, f->probability, f->prevalence, f->row_total);
    CHECK(ugt_confusions_expect(f->x, f->probability, f->prevalence, &f->counts, f->q, &value) == UGT_OK);
    return value + density;
}

static double sum(const double *x, int64_t n)
{
    double total = 0.0;
    for (int64_t i = 0; i < n; i++)
        total += x[i];
    return total;
}

static void test_storages(int weighted)
{
    static data d;
    const ugt_pseudo_counts none = {0.0, 0.0, 0.0}, some = {1.0, 0.2, 0.5};
    fit f[3];
    double last[3] = {-INFINITY, -INFINITY, -INFINITY}, n_labelled = 0.0, n_labels = 0.0;
    fill(&d, weighted);
    for (int i = 0; i < CASES; i++)
        n_labelled += d.offsets[i + 1] > d.offsets[i];
    for (int64_t r = 0; r < d.offsets[CASES]; r++)
        n_labels += weighted ? d.weight[r] : 1.0;
    for (int s = 0; s < 3; s++)
        open_fit(&f[s], &d, s);
    CHECK(f[1].size.all && !f[0].size.all && f[0].size.n_cells < f[1].size.n_cells);
    for (int t = 0; t < 30; t++)
        for (int s = 0; s < 3; s++) {
            const double value = step(&f[s], &none);
            CHECK(value >= last[s] - 1e-10);
            last[s] = value;
            CHECK_CLOSE(value, last[0], 1e-12, 1e-10);
            CHECK_CLOSE(sum(f[s].counts.count, f[s].size.n_cells), n_labels, 1e-12, 0.0);
            CHECK_CLOSE(sum(f[s].counts.class_count, CLASSES), n_labelled, 1e-12, 0.0);
            CHECK_CLOSE(sum(f[s].q, f[s].size.n_candidates), n_labelled, 1e-12, 0.0);
        }
    for (int s = 0; s < 2; s++) { /* with pseudo-counts either rises by itself */
        last[s] = -INFINITY;
        for (int t = 0; t < 30; t++) {
            const double value = step(&f[s], &some);
            CHECK(value >= last[s] - 1e-10);
            last[s] = value;
        }
    }
    for (int s = 0; s < 3; s++)
        ugt_confusions_free(f[s].x);
}

static void test_draws(int cells, int weighted)
{
    static data d;
    enum { DRAWS = 6 };
    fill(&d, weighted);
    fit f;
    open_fit(&f, &d, cells);
    const uint64_t annotator_key[ANNOTATORS] = {1, 2, 3, 4, 5, 6, 7};
    const int spare = cells == UGT_CELLS_SEEN;
    const int64_t length = (f.size.n_candidates + spare * CASES) * DRAWS;
    double *value = ZEROS(double, length), *mean = ZEROS(double, f.size.n_cells);
    double accuracy[DRAWS * ANNOTATORS], prevalence[DRAWS * CLASSES];
    int32_t stop = 0;
    for (int64_t chain = 0; chain < 2; chain++) {
        const ugt_skill_options o = {{2.0, 0.001, 0.5}, d.key, annotator_key, 3, (uint64_t)chain, 4, DRAWS / 2, 2, chain * DRAWS / 2, DRAWS,
                                     spare,             (int)chain};
        CHECK(ugt_skills(f.x, &o, &stop, value, accuracy, prevalence, mean) == UGT_OK);
    }
    CHECK_CLOSE(sum(prevalence, DRAWS * CLASSES), DRAWS, 1e-12, 0.0);
    double labelled = 0.0;
    for (int i = 0; i < CASES; i++)
        labelled += d.offsets[i + 1] > d.offsets[i];
    CHECK_CLOSE(sum(value, length), labelled * DRAWS, 1e-12, 0.0);
    for (int j = 0; j < DRAWS * ANNOTATORS; j++)
        CHECK((accuracy[j] >= 0.0 && accuracy[j] <= 1.0) || (spare && j % ANNOTATORS == ANNOTATORS - 1 && isnan(accuracy[j])));
    stop = 1;
    const ugt_skill_options o = {{2.0, 1.0, 0.5}, d.key, annotator_key, 3, 0, 4, DRAWS, 1, 0, DRAWS, spare, 0};
    CHECK(ugt_skills(f.x, &o, &stop, value, accuracy, prevalence, mean) == UGT_STOPPED);
    ugt_confusions_free(f.x);
}

static void test_coins(int weighted)
{
    static data d;
    static double q[LABELS], rest[CASES], right[LABELS], wrong[LABELS], chance[LABELS], out[ANNOTATORS * ANNOTATORS];
    double count[ANNOTATORS], class_count[CLASSES], ability[ANNOTATORS], easiness[CASES], value = 0.0, last = -INFINITY;
    const double prevalence[CLASSES] = {0.3, 0.2, 0.2, 0.2, 0.1};
    const ugt_glad_prior prior = {1.0, 1.0, 0.5, 0.8};
    fill(&d, weighted);
    const ugt_coins coins = {d.table, d.entry};
    CHECK(ugt_coins_check(&coins) == UGT_OK);
    for (int a = 0; a < ANNOTATORS; a++)
        ability[a] = 1.0;
    for (int i = 0; i < CASES; i++)
        easiness[i] = 0.5;
    for (int t = 0; t < 200; t++) {
        const double density = ugt_glad_labels(&coins, &prior, ability, easiness, right, wrong);
        CHECK(ugt_coins_expect(&coins, right, wrong, 1, prevalence, q, rest, count, class_count, &value) == UGT_OK);
        CHECK(value + density >= last - 1e-10);
        last = value + density;
        CHECK(ugt_glad_improve(&coins, &prior, q, ability, easiness) == UGT_OK);
    }
    CHECK_CLOSE(ability[ANNOTATORS - 1], 1.0, 0.0, 0.0); /* no labels: the prior mean */
    for (int64_t r = 0; r < d.offsets[CASES]; r++)
        chance[r] = exp(right[r]);
    CHECK(ugt_coins_information(&coins, q, chance, &prior, ability, easiness, 1, out) == UGT_OK);
    for (int a = 0; a < ANNOTATORS; a++)
        for (int b = 0; b < ANNOTATORS; b++) {
            CHECK(a != b || out[a * ANNOTATORS + b] > 0.0);
            CHECK_CLOSE(out[a * ANNOTATORS + b], out[b * ANNOTATORS + a], 1e-9, 1e-9);
        }
    double diagonal[ANNOTATORS];
    CHECK(ugt_coins_information(&coins, q, chance, &prior, ability, easiness, 0, diagonal) == UGT_OK);
    for (int a = 0; a < ANNOTATORS; a++)
        CHECK_CLOSE(diagonal[a], out[a * ANNOTATORS + a], 1e-12, 0.0);
    /* probabilities of 0: everybody is always right, which cannot be where they disagree */
    for (int a = 0; a < ANNOTATORS; a++) {
        right[a] = 0.0;
        wrong[a] = -INFINITY;
    }
    CHECK(ugt_coins_expect(&coins, right, wrong, 0, prevalence, q, rest, count, class_count, &value) == UGT_ERR_CONVERGENCE);
}

static void test_graded(int weighted)
{
    enum { NODES = 29, PARAMETERS = 2 * ANNOTATORS + CLASSES - 1, OWN = ANNOTATORS * CLASSES };
    static data d;
    static double p[OWN * NODES], count[OWN * NODES], law[CASES * CLASSES], moments[CASES * 2], slope[OWN], curve[OWN * CLASSES];
    static double out[OWN * OWN], diagonal[OWN];
    double a[ANNOTATORS], cut[ANNOTATORS * (CLASSES - 1)], node[NODES], mass[NODES], value;
    int32_t grade[NODES];
    fill(&d, weighted);
    for (int j = 0; j < ANNOTATORS; j++) {
        a[j] = 1.0 + 0.3 * j;
        for (int k = 0; k < CLASSES - 1; k++)
            cut[j * (CLASSES - 1) + k] = -1.0 + 0.7 * k + 0.1 * j;
    }
    for (int q = 0; q < NODES; q++) {
        node[q] = 0.5 * (q - NODES / 2);
        mass[q] = 0.5 * exp(-0.5 * node[q] * node[q]) / sqrt(2.0 * acos(-1.0));
        grade[q] = q * CLASSES / NODES;
    }
    const ugt_graded g = {a, cut, node, mass, ANNOTATORS, CLASSES, NODES};
    CHECK(ugt_graded_check(&d.table) == UGT_OK);
    CHECK(ugt_graded_probabilities(&g, p) == UGT_OK);
    for (int j = 0; j < ANNOTATORS; j++)
        for (int q = 0; q < NODES; q++) {
            double sum = 0.0;
            for (int k = 0; k < CLASSES; k++)
                sum += p[(j * CLASSES + k) * NODES + q];
            CHECK_CLOSE(sum, 1.0, 1e-12, 0.0);
        }
    CHECK(ugt_graded_expect(&d.table, &g, p, grade, count, law, moments, &value) == UGT_OK);
    for (int i = 0; i < CASES; i++) {
        double sum = 0.0;
        for (int k = 0; k < CLASSES; k++)
            sum += law[i * CLASSES + k];
        CHECK_CLOSE(sum, 1.0, 1e-12, 0.0);
        CHECK(moments[2 * i + 1] > 0.0 && moments[2 * i + 1] < 1.1);
    }
    /* Fisher's identity: the slope of the expected log-likelihood is that of the log-likelihood */
    CHECK(ugt_graded_score(&g, count, 0, slope, curve) == UGT_OK);
    for (int what = 0; what < 2; what++) {
        double *moved = what ? cut + 1 : a + 1;
        const double before = *moved, step = 1e-5 * (what ? 1.0 : before);
        double either[2];
        for (int side = 0; side < 2; side++) {
            *moved = before + (side ? step : -step);
            CHECK(ugt_graded_probabilities(&g, p) == UGT_OK);
            CHECK(ugt_graded_expect(&d.table, &g, p, NULL, NULL, NULL, NULL, &either[side]) == UGT_OK);
        }
        *moved = before;
        CHECK_CLOSE((either[1] - either[0]) / 2e-5, slope[what ? 2 : CLASSES], 1e-5, 1e-6);
    }
    CHECK(ugt_graded_probabilities(&g, p) == UGT_OK);
    for (int shared = 0; shared < 2; shared++) {
        const int n = shared ? PARAMETERS : OWN;
        memset(out, 0, sizeof out);
        memset(diagonal, 0, sizeof diagonal);
        CHECK(ugt_graded_missing(&d.table, &g, p, shared, 1, out) == UGT_OK);
        CHECK(ugt_graded_missing(&d.table, &g, p, shared, 0, diagonal) == UGT_OK);
        for (int x = 0; x < n; x++) {
            CHECK_CLOSE(out[x * n + x], diagonal[x], 1e-12, 0.0);
            CHECK(diagonal[x] <= 0.0);
            for (int y = 0; y < n; y++)
                CHECK_CLOSE(out[x * n + y], out[y * n + x], 0.0, 0.0);
        }
    }
    CHECK(ugt_graded_score(&g, count, 1, slope, curve) == UGT_OK);
    for (int q = 0; q < NODES; q++)
        mass[q] = 0.0;
    CHECK(ugt_graded_expect(&d.table, &g, p, NULL, NULL, NULL, NULL, &value) == UGT_ERR_CONVERGENCE);
    CHECK(ugt_graded_missing(&d.table, &g, p, 1, 1, out) == UGT_ERR_CONVERGENCE);
    d.label[0] = CLASSES;
    CHECK(ugt_graded_check(&d.table) == UGT_ERR_RANGE);
}

static void test_labels_that_do_not_fit(void)
{
    static data d;
    ugt_confusions *x = NULL;
    for (int what = 0; what < 4; what++) {
        fill(&d, 0);
        if (what == 0)
            d.annotator[3] = ANNOTATORS;
        if (what == 1)
            d.label[3] = -1;
        if (what == 2)
            d.given[2] = CLASSES;
        if (what == 3)
            d.entry[3] = (int32_t)d.given_offsets[CASES];
        const ugt_coins bad = {d.table, d.entry};
        if (what < 3) {
            CHECK(ugt_confusions_new(&d.table, UGT_CELLS_SEEN, &x) == UGT_ERR_RANGE && x == NULL);
        }
        if (what != 1)
            CHECK(ugt_coins_check(&bad) == UGT_ERR_RANGE);
    }
    ugt_confusions_free(NULL);
}

/* each third labelled case has the class of its first label, which is certain in every storage; a class that nobody gave is refused */
static void test_known_classes(int cells)
{
    static data d;
    static fit f;
    int32_t known[CASES];
    fill(&d, 0);
    for (int i = 0; i < CASES; i++)
        known[i] = i % 3 == 0 && d.offsets[i + 1] > d.offsets[i] ? d.label[d.offsets[i]] : -1;
    d.table.known = known;
    open_fit(&f, &d, cells);
    CHECK(isfinite(step(&f, &(ugt_pseudo_counts){1.0, 0.1, 1.0})));
    for (int i = 0; i < CASES; i++)
        for (int64_t e = f.offsets[i]; e < f.offsets[i + 1] && known[i] >= 0; e++)
            CHECK_CLOSE(f.q[e], f.index[e] == known[i] ? 1.0 : 0.0, 0.0, 0.0);
    ugt_confusions_free(f.x);
    known[7] = 0; /* a case without labels */
    ugt_confusions *x;
    CHECK(ugt_confusions_new(&d.table, cells, &x) == UGT_ERR_RANGE);
}

static void test_starts(void)
{
    static data d;
    static double vote[LABELS], q[LABELS], again[LABELS];
    fill(&d, 0);
    for (int64_t r = 0; r < d.offsets[CASES]; r++)
        vote[d.entry[r]] += 1.0;
    ugt_vote_start(d.given_offsets, vote, CASES, d.key, 9, 0, q);
    ugt_vote_start(d.given_offsets, vote, CASES, d.key, 8, 0, again);
    CHECK(memcmp(q, again, sizeof q) == 0); /* the votes: no random numbers */
    ugt_vote_start(d.given_offsets, vote, CASES, d.key, 9, 1, again);
    CHECK(memcmp(q, again, sizeof q) != 0);
    for (int i = 0; i < CASES; i++) {
        const int64_t from = d.given_offsets[i], n = d.given_offsets[i + 1] - from;
        CHECK_CLOSE(sum(q + from, n), n > 0, 1e-14, 0.0);
        CHECK_CLOSE(sum(again + from, n), n > 0, 1e-14, 0.0);
    }
}

/* nobody gave anything */
static void test_no_labels(void)
{
    const int64_t offsets[] = {0, 0, 0};
    const ugt_label_table table = {offsets, NULL, NULL, NULL, offsets, NULL, 2, 3, 4, NULL};
    for (int cells = UGT_CELLS_SEEN; cells <= UGT_CELLS_EITHER; cells++) {
        ugt_confusions *x;
        CHECK(ugt_confusions_new(&table, cells, &x) == UGT_OK);
        CHECK(ugt_confusions_sizes(x).n_pairs == 0 && ugt_confusions_sizes(x).n_cells == 0);
        ugt_confusions_free(x);
    }
}

int main(void)
{
    test_no_labels();
    for (int weighted = 0; weighted < 2; weighted++) {
        test_storages(weighted);
        test_draws(UGT_CELLS_ALL, weighted);
        test_draws(UGT_CELLS_SEEN, weighted);
        test_coins(weighted);
        test_graded(weighted);
    }
    test_labels_that_do_not_fit();
    test_known_classes(UGT_CELLS_ALL);
    test_known_classes(UGT_CELLS_SEEN);
    test_starts();
    return RESULT;
}
