/* points.c and the files that it calls: weighted points of any rankings have shares that add up, and the same bytes again. */

#include "fuzz.h"

static void fuzz_one(fuzz_input *in)
{
    const int64_t n_classes = 1 + fuzz_below(in, 30);
    const ugt_rankings x = fuzz_rankings(in, n_classes, 1 + fuzz_below(in, 2), 4);
    const int rest = (int)fuzz_below(in, 3);
    ugt_stages *stages = NULL;
    CHECK(ugt_stages_new(&x, NULL, rest != UGT_REST_IGNORE, &stages) == UGT_OK);
    const int64_t *offsets = ugt_stages_class_offsets(stages), numbers = 3 * (offsets[x.n_cases] + x.n_cases);
    double *fit = ZEROS(double, numbers), *out = ZEROS(double, numbers), *error = ZEROS(double, numbers);
    double *info = ZEROS(double, x.n_cases * UGT_POINTS_INFO);
    uint64_t *key = ZEROS(uint64_t, x.n_cases);
    int64_t *row = ZEROS(int64_t, x.n_cases);
    const int32_t go = 0;
    for (int64_t i = 0; i < x.n_cases; i++) {
        key[i] = fuzz_key(in);
        row[i] = i;
    }
    const ugt_points_law law = {fuzz_positive(in, 4.0), fuzz_positive(in, 12.0), rest, fuzz_share(in), 8, 8 << fuzz_below(in, 3), 3};
    CHECK(ugt_points_fit(stages, key, &law, row, x.n_cases, &go, fit, out, error, info) == UGT_OK);
    for (int64_t i = 0; i < x.n_cases; i++) {
        const int64_t width = offsets[i + 1] - offsets[i] + 1, at = 3 * (offsets[i] + i), n = (int64_t)info[i * UGT_POINTS_INFO];
        CHECK((n == 0) == isnan(out[at]) && n <= law.most_points);
        if (n == 0)
            continue;
        CHECK_CLOSE(fuzz_sum(out + at, width), 1.0, 1e-9, 0.0);
        CHECK_CLOSE(fuzz_sum(out + at + width, width), 1.0, 1e-9, 0.0);
        for (int64_t j = 0; j < 3 * width; j++)
            CHECK(out[at + j] >= 0.0 && out[at + j] <= 1.0 + 1e-9 && error[at + j] >= 0.0);
        const int64_t count = ugt_points_count(stages, rest, i, fit + at, 8), n_points = 8;
        double *value = NEW(double, count * width), *weight = NEW(double, count), *again = NEW(double, count);
        CHECK(ugt_points(stages, key, &law, row + i, 1, fit + at, &n_points, &go, value, weight, NULL) == UGT_OK);
        CHECK(ugt_points(stages, key, &law, row + i, 1, fit + at, &n_points, &go, value, again, info) == UGT_OK);
        CHECK(memcmp(weight, again, (size_t)count * sizeof *weight) == 0);
        CHECK_CLOSE(fuzz_sum(weight, count), 1.0, 1e-9, 0.0);
    }
    ugt_stages_free(stages);
}
