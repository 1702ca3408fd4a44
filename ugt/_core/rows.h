/* rows.c: the cells of a delimited text, numbered in order of first appearance while they are read. */
#ifndef UGT_ROWS_H
#define UGT_ROWS_H

#include "ugt.h"

/* Distinct strings of bytes, each with the number of earlier ones. */
typedef struct {
    void *slots;     /* open addressing */
    uint64_t mask;   /* number of slots, a power of two, minus 1 */
    uint8_t *bytes;  /* all strings, one after the other */
    int64_t *start;  /* [n + 1] */
    int64_t n, room; /* strings; of start */
    int64_t size;    /* of bytes */
} ugt_words;

int ugt_words_open(ugt_words *words);
void ugt_words_close(ugt_words *words);

/* The number of a string; a new one is copied. */
int ugt_words_add(ugt_words *words, const uint8_t *string, int64_t length, int32_t *code);

/* What split_rows looks for. Nothing of it is a special case of CSV: whoever gets UGT_ROWS_UNUSUAL reads the text in another way. */
typedef struct {
    uint8_t delimiter;
    int64_t width;          /* cells of a row */
    const int32_t *group;   /* [width] which words the cells of a column are among; -1: the column is skipped */
    int64_t n_wanted;       /* columns that are not skipped */
    int64_t longest;        /* bytes of a cell */
    uint8_t *scratch;       /* [longest] */
} ugt_row_format;

#define UGT_ROWS_UNUSUAL 1

/* Rows of text[n], as many as are complete and fit into max_rows; where `last`, the end of the text ends a row. codes gets n_wanted
 * codes a row, in the order of the columns. Rows end at LF, CR or CR LF; rows without a byte are none. A cell that starts with a quote
 * ends at the next one, and two quotes within it are one. UGT_ROWS_UNUSUAL: a row of another width, a quote that is not followed by
 * the end of its cell, a cell that is too long. The words may hold cells of a row that was left. */
int ugt_split_rows(const ugt_row_format *format, ugt_words *words, const uint8_t *text, int64_t n, int last, int64_t max_rows, int32_t *codes,
                   int64_t *n_rows, int64_t *consumed);

#endif
