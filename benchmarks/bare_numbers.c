/* The sampler of gibbs.c with every random number written down, and the same numbers drawn again with nothing around them:
 * what a sweep would cost if only its random numbers had to be drawn. */
#include <stdlib.h>

#include "core.h"

#define EXPONENTIAL (-1.0) /* written in the place of a gamma's shape */
#define NORMAL (-2.0)
#define UNIFORM (-3.0)

static double *written;
static int64_t n_written, room;

static void note(double what)
{
    if (n_written < room)
        written[n_written] = what;
    n_written++;
}

static double noted_exponential(ugt_stream *stream)
{
    note(EXPONENTIAL);
    return ugt_stream_exponential(stream);
}

static double noted_normal(ugt_stream *stream)
{
    note(NORMAL);
    return ugt_stream_normal(stream);
}

static double noted_uniform(ugt_stream *stream)
{
    note(UNIFORM);
    return ugt_stream_uniform(stream);
}

static double noted_gamma(ugt_stream *stream, double shape)
{
    note(shape);
    return ugt_stream_gamma(stream, shape);
}

#define ugt_stream_exponential noted_exponential
#define ugt_stream_normal noted_normal
#define ugt_stream_uniform noted_uniform
#define ugt_stream_gamma noted_gamma
#include "block.c"
#include "gibbs.c"
#undef ugt_stream_exponential
#undef ugt_stream_normal
#undef ugt_stream_uniform
#undef ugt_stream_gamma

/* Runs the sampler, one chain without warm-up, and writes down up to n numbers in what; how many there were, -1: failed. */
int64_t written_down(const ugt_rankings *rankings, const uint64_t *key, double reliability, double shape, int64_t sweeps,
                     double *what, int64_t n, double *draws)
{
    const ugt_gibbs_options options = {.reliability = reliability, .tempering = 1.0, .shape = shape, .rate = 1.0, .rest = UGT_REST_INDIVIDUAL,
                                       .n_draws = sweeps, .n_thin = 1, .n_chains = 1};
    const int32_t stop = 0;
    ugt_stages *stages = NULL;
    written = what, n_written = 0, room = n;
    int status = ugt_stages_new(rankings, NULL, 1, &stages);
    if (status == UGT_OK)
        status = ugt_gibbs(stages, key, &options, 0, rankings->n_cases, &stop, draws);
    ugt_stages_free(stages);
    return status == UGT_OK ? n_written : -1;
}

double again(const double *what, int64_t n)
{
    ugt_stream stream;
    double sum = 0.0;
    ugt_stream_open(&stream, 1, 2, 3, 4);
    for (int64_t i = 0; i < n; i++) {
        if (what[i] > 0.0)
            sum += ugt_stream_gamma(&stream, what[i]);
        else if (what[i] == EXPONENTIAL)
            sum += ugt_stream_exponential(&stream);
        else
            sum += what[i] == NORMAL ? ugt_stream_normal(&stream) : ugt_stream_uniform(&stream);
    }
    return sum;
}
