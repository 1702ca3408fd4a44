/* rows.c: a text split as a whole, in pieces, and (where it has no quotes) by a plain loop. */

#include "fuzz.h"
#include "../../../ugt/_core/rows.h"

#define MOST 4096
#define LONGEST 64

typedef struct {
    ugt_words words[2];
    int32_t codes[3 * MOST];
    int64_t n_rows;
    int status;
} parsed;

static void open_words(parsed *to)
{
    CHECK(ugt_words_open(&to->words[0]) == UGT_OK && ugt_words_open(&to->words[1]) == UGT_OK);
    to->n_rows = 0;
}

/* Pieces end at cut[] (ascending); what a piece leaves is put before the next one. */
static void split(const ugt_row_format *format, const uint8_t *text, int64_t n, const int64_t *cut, int64_t n_cuts, int64_t max_rows, parsed *to)
{
    open_words(to);
    int64_t begin = 0;
    for (int64_t i = 0; i <= n_cuts; i++) {
        const int64_t end = i < n_cuts ? cut[i] : n;
        for (int more = 1; more;) {
            uint8_t *piece = ZEROS(uint8_t, end - begin);
            memcpy(piece, text + begin, (size_t)(end - begin));
            int64_t n_rows = -1, consumed = -1;
            to->status = ugt_split_rows(format, to->words, piece, end - begin, i == n_cuts, max_rows, to->codes + to->n_rows * format->n_wanted,
                                        &n_rows, &consumed);
            if (to->status != UGT_OK) {
                CHECK(to->status == UGT_ROWS_UNUSUAL);
                return;
            }
            CHECK(n_rows >= 0 && n_rows <= max_rows && consumed >= 0 && consumed <= end - begin);
            to->n_rows += n_rows;
            begin += consumed;
            more = n_rows == max_rows && consumed > 0;
        }
    }
}

static void check_words(const ugt_words *words)
{
    CHECK(words->n >= 0 && words->start[0] == 0);
    for (int64_t i = 0; i < words->n; i++)
        CHECK(words->start[i] <= words->start[i + 1] && words->start[i + 1] - words->start[i] <= LONGEST);
    CHECK(words->start[words->n] <= words->size); /* which is the room for them */
}

static void check_same(const ugt_row_format *format, const parsed *x, const parsed *y)
{
    CHECK(x->status == y->status);
    if (x->status != UGT_OK)
        return;
    CHECK(x->n_rows == y->n_rows && memcmp(x->codes, y->codes, (size_t)(x->n_rows * format->n_wanted) * sizeof *x->codes) == 0);
    for (int g = 0; g < 2; g++) {
        const int64_t n = x->words[g].n, length = x->words[g].start[n];
        CHECK(y->words[g].n == n && y->words[g].start[n] == length);
        CHECK(memcmp(x->words[g].bytes, y->words[g].bytes, (size_t)length) == 0);
    }
}

/* Without quotes: cells end at delimiters, rows at line ends, and the words of the codes are the cells. */
static void check_plain(const ugt_row_format *format, const uint8_t *text, int64_t n, const parsed *found)
{
    int64_t row = 0, at = 0;
    while (at < n) {
        int64_t end = at;
        while (end < n && text[end] != '\n' && text[end] != '\r')
            end++;
        if (end > at) {
            int64_t begin = at, wanted = 0;
            for (int64_t c = 0; c < format->width; c++) {
                int64_t stop = begin;
                while (stop < end && text[stop] != format->delimiter)
                    stop++;
                CHECK((stop < end) == (c + 1 < format->width));
                if (format->group[c] >= 0) {
                    const ugt_words *words = &found->words[format->group[c]];
                    const int32_t code = found->codes[row * format->n_wanted + wanted++];
                    CHECK(code >= 0 && code < words->n && words->start[code + 1] - words->start[code] == stop - begin);
                    CHECK(memcmp(words->bytes + words->start[code], text + begin, (size_t)(stop - begin)) == 0);
                }
                begin = stop + 1;
            }
            row++;
        }
        at = end + 1;
    }
    CHECK(row == found->n_rows);
}

static void fuzz_one(fuzz_input *in)
{
    static parsed whole, pieces;
    static uint8_t scratch[LONGEST];
    static const int32_t groups[4][3] = {{0, -1, 1}, {0, 0, 1}, {1, 0, 1}, {-1, 0, -1}};
    static const int64_t n_wanted[4] = {2, 3, 3, 1};
    static const uint8_t delimiters[3] = {44, 59, 9}; /* comma, semicolon, tab */
    const int64_t how = fuzz_below(in, 4), width = how == 3 ? 2 : 3;
    const ugt_row_format format = {delimiters[fuzz_below(in, 3)], width, groups[how], n_wanted[how], LONGEST, scratch};
    int64_t cut[4], last = 0;
    const int64_t max_rows = 1 + fuzz_below(in, 5);
    for (int i = 0; i < 4; i++)
        last = cut[i] = last + fuzz_byte(in) % 16;
    const int64_t n = in->end - in->at;
    for (int i = 0; i < 4; i++)
        cut[i] = cut[i] < n ? cut[i] : n;
    if (n <= MOST) {
        split(&format, in->at, n, NULL, 0, MOST, &whole);
        split(&format, in->at, n, cut, 4, max_rows, &pieces);
        check_same(&format, &whole, &pieces);
        for (int g = 0; g < 2; g++)
            check_words(&whole.words[g]);
        if (whole.status == UGT_OK && memchr(in->at, '"', (size_t)n) == NULL)
            check_plain(&format, in->at, n, &whole);
        for (int g = 0; g < 2; g++) {
            ugt_words_close(&whole.words[g]);
            ugt_words_close(&pieces.words[g]);
        }
    }
}
