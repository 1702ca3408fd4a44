/* Draws from Dirichlet posteriors: one independent gamma variable per class, normalised. The variables are kept as
 * logarithms, because their values underflow for small shapes.
 *
 * Each case has its own stream, opened by its key. A draw takes its variables in a fixed order (listed classes as
 * listed, then the others in ascending order), so that both functions below use the same draws. */
#include <math.h>
#include <stdlib.h>

#include "core.h"

typedef struct {
    double *log_gamma; /* [n_classes], -inf for a plausibility of 0 */
    uint8_t *listed;   /* [n_classes] 1 for classes that the current case lists; all 0 between cases */
} draw_room;

static int open_room(draw_room *r, int64_t n_classes)
{
    r->log_gamma = malloc((size_t)n_classes * sizeof *r->log_gamma);
    r->listed = calloc((size_t)n_classes, sizeof *r->listed);
    return r->log_gamma && r->listed ? UGT_OK : UGT_ERR_MEMORY;
}

static void close_room(draw_room *r)
{
    free(r->log_gamma);
    free(r->listed);
}

static int mark(draw_room *r, const ugt_concentrations *law, int64_t i, uint8_t value)
{
    for (int64_t e = law->offsets[i]; e < law->offsets[i + 1]; e++) {
        if (law->class_index[e] < 0 || law->class_index[e] >= law->n_classes)
            return UGT_ERR_RANGE;
        r->listed[law->class_index[e]] = value;
    }
    return UGT_OK;
}

static void sample(ugt_stream *stream, draw_room *r, const ugt_concentrations *law, int64_t i)
{
    for (int64_t e = law->offsets[i]; e < law->offsets[i + 1]; e++)
        r->log_gamma[law->class_index[e]] = ugt_stream_log_gamma(stream, law->concentration[e]);
    for (int64_t k = 0; k < law->n_classes; k++)
        if (!r->listed[k])
            r->log_gamma[k] =
                law->background[i] > 0.0 ? ugt_stream_log_gamma(stream, law->background[i]) : -INFINITY;
}

static void normalise(const double *log_gamma, int64_t n_classes, double *out)
{
    double top = -INFINITY, sum = 0.0;
    for (int64_t k = 0; k < n_classes; k++)
        top = log_gamma[k] > top ? log_gamma[k] : top;
    for (int64_t k = 0; k < n_classes; k++)
        sum += out[k] = exp(log_gamma[k] - top);
    for (int64_t k = 0; k < n_classes; k++)
        out[k] /= sum;
}

int ugt_dirichlet_draws(const ugt_concentrations *law, uint64_t seed, int64_t begin, int64_t end, int64_t n_draws,
                        double *out)
{
    draw_room r;
    int status = open_room(&r, law->n_classes);
    for (int64_t i = begin; i < end && status == UGT_OK; i++) {
        ugt_stream stream;
        ugt_stream_open(&stream, seed, law->stream_key[i], 0, UGT_PURPOSE_DRAWS);
        status = mark(&r, law, i, 1);
        const int defined = law->offsets[i + 1] > law->offsets[i] || law->background[i] > 0.0;
        for (int64_t d = 0; d < n_draws && status == UGT_OK; d++, out += law->n_classes) {
            if (defined) {
                sample(&stream, &r, law, i);
                normalise(r.log_gamma, law->n_classes, out);
            } else {
                for (int64_t k = 0; k < law->n_classes; k++)
                    out[k] = NAN;
            }
        }
        if (status == UGT_OK)
            mark(&r, law, i, 0);
    }
    close_room(&r);
    return status;
}

/* Writes the `depth` most plausible classes, best first, and -1 after them if fewer have a positive plausibility. */
static void best_of(const draw_room *r, int64_t n_classes, int64_t depth, int32_t *out)
{
    int64_t held = 0;
    for (int64_t k = 0; k < n_classes; k++) {
        const double value = r->log_gamma[k];
        if (value == -INFINITY || (held == depth && !(value > r->log_gamma[out[held - 1]])))
            continue;
        int64_t at = held < depth ? held++ : held - 1;
        for (; at > 0 && r->log_gamma[out[at - 1]] < value; at--)
            out[at] = out[at - 1];
        out[at] = (int32_t)k;
    }
    for (; held < depth; held++)
        out[held] = -1;
}

int ugt_dirichlet_top(const ugt_concentrations *law, uint64_t seed, int64_t begin, int64_t end, int64_t n_draws,
                      int64_t depth, int32_t *out)
{
    draw_room r;
    int status = open_room(&r, law->n_classes);
    for (int64_t i = begin; i < end && status == UGT_OK; i++) {
        ugt_stream stream;
        ugt_stream_open(&stream, seed, law->stream_key[i], 0, UGT_PURPOSE_DRAWS);
        status = mark(&r, law, i, 1);
        for (int64_t d = 0; d < n_draws && status == UGT_OK; d++, out += depth) {
            sample(&stream, &r, law, i);
            best_of(&r, law->n_classes, depth, out);
        }
        if (status == UGT_OK)
            mark(&r, law, i, 0);
    }
    close_room(&r);
    return status;
}
