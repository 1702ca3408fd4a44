/* Random streams: known answers, and the arithmetic for compilers without 128-bit integers. */
#include "check.h"
#include "ugt.h"

/* stream.c once more under other names, without 128-bit integers */
#undef __SIZEOF_INT128__
#define ugt_philox portable_philox
#define ugt_stream_open portable_open
#define ugt_stream_bits portable_bits
#define ugt_stream_uniform portable_uniform
#define ugt_stream_below portable_below
#define ugt_stream_exponential portable_exponential
#define ugt_stream_normal portable_normal
#define ugt_stream_gamma portable_gamma
#define ugt_stream_log_gamma portable_log_gamma
#define ugt_stream_binomial portable_binomial
#define ugt_stream_words portable_words
double ugt_stream_log_gamma(ugt_stream *stream, double shape); /* called before it is defined */
#include "stream.c"
#undef ugt_philox
#undef ugt_stream_open
#undef ugt_stream_bits
#undef ugt_stream_uniform
#undef ugt_stream_below
#undef ugt_stream_exponential
#undef ugt_stream_normal
#undef ugt_stream_gamma
#undef ugt_stream_log_gamma
#undef ugt_stream_binomial
#undef ugt_stream_words

/* Random123 1.14, examples/kat_vectors, "philox4x64 10": counter, key, result */
static const uint64_t PHILOX[][10] = {
    {0, 0, 0, 0, 0, 0, 0x16554D9ECA36314C, 0xDB20FE9D672D0FDC, 0xD7E772CEE186176B, 0x7E68B68AEC7BA23B},
    {UINT64_MAX, UINT64_MAX, UINT64_MAX, UINT64_MAX, UINT64_MAX, UINT64_MAX, 0x87B092C3013FE90B, 0x438C3C67BE8D0224,
     0x9CC7D7C69CD777B6, 0xA09CAEBF594F0BA0},
    {0x243F6A8885A308D3, 0x13198A2E03707344, 0xA4093822299F31D0, 0x082EFA98EC4E6C89, 0x452821E638D01377,
     0xBE5466CF34E90C6C, 0xA528F45403E61D95, 0x38C72DBD566E9788, 0xA5A1610E72FD18B5, 0x57BD43B5E52B7FE6},
};

/* xoshiro256++ from the state {1, 2, 3, 4} */
static const uint64_t XOSHIRO[] = {41943041, 58720359, 3588806011781223, 3591011842654386, 9228616714210784205u,
                                   9973669472204895162u, 14011001112246962877u, 12406186145184390807u,
                                   15849039046786891736u, 10450023813501588000u};

static void test_known_answers(void)
{
    for (size_t i = 0; i < LENGTH(PHILOX); i++) {
        uint64_t out[4], again[4];
        ugt_philox(PHILOX[i], PHILOX[i] + 4, out);
        portable_philox(PHILOX[i], PHILOX[i] + 4, again);
        CHECK(memcmp(out, PHILOX[i] + 6, sizeof out) == 0);
        CHECK(memcmp(again, PHILOX[i] + 6, sizeof again) == 0);
    }
    ugt_stream stream = {{1, 2, 3, 4}};
    for (size_t i = 0; i < LENGTH(XOSHIRO); i++)
        CHECK(ugt_stream_bits(&stream) == XOSHIRO[i]);
}

static void test_without_wide_integers(void)
{
    const uint64_t limits[] = {1, 2, 3, 1000, (uint64_t)1 << 32, ((uint64_t)1 << 63) + 1, UINT64_MAX};
    ugt_stream a, b;
    ugt_stream_open(&a, 7, 11, 13, 17);
    portable_open(&b, 7, 11, 13, 17);
    for (int i = 0; i < 10000; i++) {
        const uint64_t n = limits[(size_t)i % LENGTH(limits)], drawn = ugt_stream_below(&a, n);
        CHECK(drawn < n);
        CHECK(drawn == portable_below(&b, n));
    }
    CHECK(memcmp(&a, &b, sizeof a) == 0);
}

/* the state that the words of Philox could but never will be: see ugt_stream_open */
static void test_ends(void)
{
    ugt_stream low = {{0, 1, 1, 0}}, high = {{0, 1, 1, UINT64_MAX}};
    CHECK(ugt_stream_uniform(&low) == 0x1p-53);
    CHECK(ugt_stream_uniform(&high) == 1.0 - 0x1p-53);
    ugt_stream stream;
    ugt_stream_open(&stream, 1, 2, 3, 4);
    for (int i = 0; i < 10000; i++) {
        CHECK(ugt_stream_exponential(&stream) >= 0.0);
        CHECK(isfinite(ugt_stream_normal(&stream)));
        CHECK(isfinite(ugt_stream_log_gamma(&stream, 1e-300)));
        CHECK(ugt_stream_gamma(&stream, 1e15) > 0.0);
        CHECK(ugt_stream_gamma(&stream, 1e-3) >= 0.0);
    }
}

int main(void)
{
    test_known_answers();
    test_without_wide_integers();
    test_ends();
    return RESULT;
}
