#include "rows.h"

#include <stdlib.h>
#include <string.h>

typedef struct {
    uint32_t hash;
    int32_t code; /* -1 if the slot is free */
} word_slot;

#define FIRST_WORDS 1024
#define FIRST_BYTES 16384

/* Mixes eight bytes at a time, similar to FNV. Cells are short and are compared byte by byte if their hashes are equal. */
static uint32_t hash_word(const uint8_t *string, size_t length)
{
    uint64_t h = UINT64_C(0x9e3779b97f4a7c15) ^ length, part;
    for (; length >= 8; string += 8, length -= 8) {
        memcpy(&part, string, 8);
        h = (h ^ part) * UINT64_C(0xff51afd7ed558ccd);
        h ^= h >> 32;
    }
    part = 0;
    memcpy(&part, string, length);
    h = (h ^ part) * UINT64_C(0xff51afd7ed558ccd);
    h ^= h >> 32;
    h *= UINT64_C(0xc4ceb9fe1a85ec53);
    return (uint32_t)(h >> 32);
}

static int open_words(ugt_words *words, uint64_t n_slots)
{
    if (n_slots > SIZE_MAX / sizeof(word_slot))
        return UGT_ERR_SIZE;
    words->slots = malloc((size_t)n_slots * sizeof(word_slot));
    if (words->slots == NULL)
        return UGT_ERR_MEMORY;
    memset(words->slots, 0xff, (size_t)n_slots * sizeof(word_slot));
    words->mask = n_slots - 1;
    return UGT_OK;
}

static int double_words(ugt_words *words)
{
    word_slot *old = words->slots;
    const uint64_t mask = words->mask;
    const int status = open_words(words, 2 * (mask + 1));
    if (status != UGT_OK) {
        words->slots = old;
        return status;
    }
    word_slot *slots = words->slots;
    for (uint64_t i = 0; i <= mask; i++) {
        if (old[i].code < 0)
            continue;
        uint64_t at = old[i].hash & words->mask;
        while (slots[at].code >= 0)
            at = (at + 1) & words->mask;
        slots[at] = old[i];
    }
    free(old);
    return UGT_OK;
}

int ugt_words_open(ugt_words *words)
{
    memset(words, 0, sizeof *words);
    words->room = FIRST_WORDS;
    words->size = FIRST_BYTES;
    words->bytes = malloc(FIRST_BYTES);
    words->start = malloc(FIRST_WORDS * sizeof *words->start);
    const int status = open_words(words, FIRST_WORDS);
    if (words->bytes == NULL || words->start == NULL || status != UGT_OK) {
        ugt_words_close(words);
        return status != UGT_OK ? status : UGT_ERR_MEMORY;
    }
    words->start[0] = 0;
    return UGT_OK;
}

void ugt_words_close(ugt_words *words)
{
    free(words->slots);
    free(words->bytes);
    free(words->start);
    memset(words, 0, sizeof *words);
}

/* Makes room for one more string of this length. */
static int grow_words(ugt_words *words, int64_t length)
{
    if (words->n == INT32_MAX)
        return UGT_ERR_SIZE;
    if (words->n + 2 > words->room) {
        int64_t *start = realloc(words->start, (size_t)(2 * words->room) * sizeof *start);
        if (start == NULL)
            return UGT_ERR_MEMORY;
        words->start = start;
        words->room *= 2;
    }
    const int64_t needed = words->start[words->n] + length;
    if (needed > words->size) {
        const int64_t size = needed + needed / 2;
        uint8_t *bytes = realloc(words->bytes, (size_t)size);
        if (bytes == NULL)
            return UGT_ERR_MEMORY;
        words->bytes = bytes;
        words->size = size;
    }
    /* the table stays at most half full, as in tables.c, so that few probes are needed */
    return (uint64_t)words->n + 1 > words->mask / 2 ? double_words(words) : UGT_OK;
}

int ugt_words_add(ugt_words *words, const uint8_t *string, int64_t length, int32_t *code)
{
    const uint32_t hash = hash_word(string, (size_t)length);
    const word_slot *slots = words->slots;
    uint64_t at = hash & words->mask;
    for (; slots[at].code >= 0; at = (at + 1) & words->mask) {
        const int64_t *start = words->start + slots[at].code;
        if (slots[at].hash == hash && start[1] - start[0] == length && memcmp(words->bytes + start[0], string, (size_t)length) == 0) {
            *code = slots[at].code;
            return UGT_OK;
        }
    }
    const int status = grow_words(words, length);
    if (status != UGT_OK)
        return status;
    word_slot *table = words->slots;
    for (at = hash & words->mask; table[at].code >= 0;)
        at = (at + 1) & words->mask;
    *code = (int32_t)words->n;
    table[at] = (word_slot){hash, *code};
    int64_t *start = words->start + words->n++;
    memcpy(words->bytes + start[0], string, (size_t)length);
    start[1] = start[0] + length;
    return UGT_OK;
}

/* ---- rows ---------------------------------------------------------------------------------------- */

enum { PART = 2 }; /* the text ends inside the cell or row */

static int ends_line(uint8_t byte)
{
    return byte == '\n' || byte == '\r';
}

typedef struct {
    int64_t begin, end, after; /* its bytes without the quotes around them; the position behind them and the quotes */
    int doubled;               /* whether it contains doubled quotes */
} cell;

/* Finds the closing quote of a cell that begins with a quote. */
static int find_quotes(const uint8_t *text, int64_t n, int last, cell *found)
{
    int64_t i = found->begin;
    for (;;) {
        const uint8_t *quote = i < n ? memchr(text + i, '"', (size_t)(n - i)) : NULL;
        if (quote == NULL)
            return last ? UGT_ROWS_UNUSUAL : PART;
        found->end = quote - text;
        if (found->end + 1 >= n || text[found->end + 1] != '"')
            break;
        found->doubled = 1;
        i = found->end + 2;
    }
    found->after = found->end + 1;
    return UGT_OK;
}

static int find_cell(const ugt_row_format *format, const uint8_t *text, int64_t n, int last, int64_t at, cell *found)
{
    int64_t i = at;
    found->doubled = 0;
    if (i < n && text[i] == '"') {
        found->begin = i + 1;
        const int status = find_quotes(text, n, last, found);
        if (status != UGT_OK)
            return status;
        i = found->after;
        if (i < n && text[i] != format->delimiter && !ends_line(text[i]))
            return UGT_ROWS_UNUSUAL;
    } else {
        while (i < n && text[i] != format->delimiter && !ends_line(text[i]))
            i++;
        found->begin = at;
        found->end = found->after = i;
    }
    if (i >= n && !last)
        return PART;
    return found->end - found->begin > format->longest ? UGT_ROWS_UNUSUAL : UGT_OK;
}

static int add_cell(const ugt_row_format *format, ugt_words *words, const uint8_t *text, const cell *found, int32_t *code)
{
    if (!found->doubled)
        return ugt_words_add(words, text + found->begin, found->end - found->begin, code);
    int64_t length = 0;
    for (int64_t i = found->begin; i < found->end; i++) {
        format->scratch[length++] = text[i];
        i += text[i] == '"'; /* skips the second of two quotes */
    }
    return ugt_words_add(words, format->scratch, length, code);
}

/* Reads the row at *at and moves *at behind its cells. */
static int split_row(const ugt_row_format *format, ugt_words *words, const uint8_t *text, int64_t n, int last, int64_t *at, int32_t *codes)
{
    int64_t i = *at;
    for (int64_t c = 0; c < format->width; c++) {
        cell found;
        int status = find_cell(format, text, n, last, i, &found);
        if (status != UGT_OK)
            return status;
        i = found.after;
        const int more = i < n && text[i] == format->delimiter;
        if (more != (c + 1 < format->width))
            return UGT_ROWS_UNUSUAL;
        i += more;
        if (format->group[c] < 0)
            continue;
        status = add_cell(format, words + format->group[c], text, &found, codes++);
        if (status != UGT_OK)
            return status;
    }
    *at = i;
    return UGT_OK;
}

int ugt_split_rows(const ugt_row_format *format, ugt_words *words, const uint8_t *text, int64_t n, int last, int64_t max_rows,
                   int32_t *codes,
                   int64_t *n_rows, int64_t *consumed)
{
    int64_t i = 0, rows = 0;
    int status = UGT_OK;
    while (status == UGT_OK) {
        while (i < n && ends_line(text[i])) /* skips the end of the previous row, and empty lines */
            i++;
        *consumed = i;
        if (i >= n || rows == max_rows)
            break;
        status = split_row(format, words, text, n, last, &i, codes + rows * format->n_wanted);
        rows += status == UGT_OK;
    }
    *n_rows = rows;
    return status == PART ? UGT_OK : status;
}
