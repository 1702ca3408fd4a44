/* resample.c, stream.c, diagnostics.c: resamples, sums of laws, and what is said of chains. */

#include "fuzz.h"

static void check_bootstrap(fuzz_input *in)
{
    const int64_t n_strata = 1 + fuzz_below(in, 4), m = 1 + fuzz_below(in, 3), first = fuzz_below(in, 3), last = first + 1 + fuzz_below(in, 4);
    int64_t *offsets = fuzz_offsets(in, n_strata, 1, 6);
    const int64_t n = offsets[n_strata];
    const ugt_design design = {offsets, n_strata, fuzz_key(in)};
    double *value = ZEROS(double, n * m), *sums = ZEROS(double, (last - first) * m), *weights = ZEROS(double, (last - first) * n);
    int32_t *unit = ZEROS(int32_t, n);
    for (int64_t i = 0; i < n * m; i++)
        value[i] = (double)(fuzz_byte(in) - 128);
    for (int64_t i = 0; i < n; i++)
        unit[i] = (int32_t)i;
    CHECK(ugt_bootstrap(&design, value, m, unit, n, first, last, sums, weights) == UGT_OK);
    for (int64_t b = 0; b < last - first; b++) {
        for (int64_t s = 0; s < n_strata; s++) {
            double drawn = 0.0;
            for (int64_t i = offsets[s]; i < offsets[s + 1]; i++)
                drawn += weights[i * (last - first) + b];
            CHECK(drawn == (double)(offsets[s + 1] - offsets[s]));
        }
        for (int64_t j = 0; j < m; j++) {
            double sum = 0.0;
            for (int64_t i = 0; i < n; i++)
                sum += weights[i * (last - first) + b] * value[i * m + j];
            CHECK(sum == sums[b * m + j]); /* whole numbers */
        }
    }
}

static void check_rows(fuzz_input *in)
{
    const int64_t n = 1 + fuzz_below(in, 5);
    int64_t *offsets = fuzz_offsets(in, n, 0, 5), *count = ZEROS(int64_t, offsets[n]), *out = ZEROS(int64_t, 3 * offsets[n]);
    for (int64_t j = 0; j < offsets[n]; j++) {
        const int byte = fuzz_byte(in);
        count[j] = byte == 255 ? 1000000000000 : byte % 6;
    }
    CHECK(ugt_resample_rows(offsets, count, n, fuzz_key(in), 1, 4, (int)fuzz_below(in, 2), out) == UGT_OK);
    for (int64_t b = 0; b < 3; b++)
        for (int64_t i = 0; i < n; i++) {
            int64_t had = 0, drawn = 0;
            for (int64_t j = offsets[i]; j < offsets[i + 1]; j++) {
                had += count[j];
                drawn += out[b * offsets[n] + j];
                CHECK(out[b * offsets[n] + j] >= 0 && (count[j] > 0 || out[b * offsets[n] + j] == 0));
            }
            CHECK(had == drawn);
        }
}

static void check_law(fuzz_input *in)
{
    const int64_t n_groups = 1 + fuzz_below(in, 6), width = 1 + fuzz_below(in, 5);
    int64_t *starts = ZEROS(int64_t, n_groups + 1);
    for (int64_t i = 0; i < n_groups; i++)
        starts[i + 1] = starts[i] + fuzz_below(in, 90) + (i == 0);
    const int64_t n = starts[n_groups];
    double *pmf = ZEROS(double, n_groups * width), *law = ZEROS(double, n * (width - 1) + 1), mean = 0.0, found = 0.0;
    for (int64_t i = 0; i < n_groups; i++) {
        double total = 0.0;
        for (int64_t j = 0; j < width; j++)
            total += pmf[i * width + j] = fuzz_share(in);
        for (int64_t j = 0; j < width; j++)
            pmf[i * width + j] = total > 1e-3 ? pmf[i * width + j] / total : j == 0 ? 1.0 : 0.0;
        for (int64_t j = 0; j < width; j++)
            mean += (double)(starts[i + 1] - starts[i]) * (double)j * pmf[i * width + j];
    }
    CHECK(ugt_law_of_sum(pmf, starts, n_groups, width, law) == UGT_OK);
    for (int64_t j = 0; j <= n * (width - 1); j++) {
        CHECK(law[j] >= 0);
        found += (double)j * law[j];
    }
    CHECK_CLOSE(fuzz_sum(law, n * (width - 1) + 1), 1.0, 1e-12, 0.0);
    CHECK_CLOSE(found, mean, 1e-11, 1e-15);
}

static void check_streams(fuzz_input *in)
{
    ugt_stream stream, again;
    const uint64_t seed = fuzz_key(in), key = fuzz_key(in);
    ugt_stream_open(&stream, seed, key, 1, 2);
    ugt_stream_open(&again, seed, key, 1, 2);
    CHECK(memcmp(&stream, &again, sizeof stream) == 0);
    while (in->at < in->end) {
        const double u = ugt_stream_uniform(&stream), shape = fuzz_positive(in, 300.0), gamma = ugt_stream_gamma(&stream, shape);
        const int64_t bits = fuzz_below(in, 63), n = (int64_t)((uint64_t)1 << bits);
        CHECK(u > 0 && u < 1 && gamma >= 0 && isfinite(gamma));
        CHECK(isfinite(ugt_stream_log_gamma(&stream, shape)) && isfinite(ugt_stream_normal(&stream)) && ugt_stream_exponential(&stream) >= 0);
        CHECK(ugt_stream_below(&stream, (uint64_t)n) < (uint64_t)n);
        const double p = fuzz_byte(in) % 8 == 7 ? fuzz_number(in) : fuzz_share(in);
        const int64_t drawn = ugt_stream_binomial(&stream, n, p);
        CHECK(drawn >= 0 && drawn <= n && (p > 0 || drawn == 0) && (p < 1 || drawn == n));
    }
}

static void check_diagnostics(fuzz_input *in)
{
    const int64_t n_series = 1 + fuzz_below(in, 2), n_chains = 1 + fuzz_below(in, 3), n_draws = 1 + fuzz_below(in, 12);
    const int64_t n = 2 * n_chains * (n_draws / 2), n_all = n_series * n_chains * n_draws;
    double *series = ZEROS(double, n_all), *score = ZEROS(double, 2 * n - 1), *out = ZEROS(double, n_series * UGT_DIAGNOSTICS);
    for (int64_t i = 0; i < n_all; i++) {
        const int byte = fuzz_byte(in);
        series[i] = byte == 255 ? INFINITY : byte == 254 ? (double)NAN : byte == 253 ? 1e300 : byte % 32 / 4.0;
    }
    for (int64_t h = 0; h < 2 * n - 1; h++)
        score[h] = (double)(h - n + 1) / (double)(n + 1);
    const int wanted = 1 + fuzz_byte(in) % 15;
    CHECK(ugt_diagnostics(series, n_series, n_chains, n_draws, score, wanted, out) == UGT_OK);
    for (int64_t s = 0; s < n_series; s++) {
        const double *own = out + s * UGT_DIAGNOSTICS;
        for (int i = 0; i < 4; i++)
            CHECK(!(wanted >> i & 1) || isnan(own[i]) || own[i] >= 0);
        CHECK(n_draws >= 4 || !(wanted & UGT_RHAT) || isnan(own[0]));
    }
}

static void fuzz_one(fuzz_input *in)
{
    switch (fuzz_byte(in) % 5) {
    case 0: check_bootstrap(in); break;
    case 1: check_rows(in); break;
    case 2: check_law(in); break;
    case 3: check_streams(in); break;
    default: check_diagnostics(in);
    }
}
