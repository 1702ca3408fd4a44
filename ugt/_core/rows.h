/* rows.c numbers the cells of a delimited text in order of first appearance while it reads them. */
#ifndef UGT_ROWS_H
#define UGT_ROWS_H

#include "ugt.h"

/* Distinct byte strings; the code of each is the number of earlier ones. */
typedef struct {
    void *slots;     /* hash table with open addressing */
    uint64_t mask;   /* number of slots, a power of two, minus 1 */
    uint8_t *bytes;  /* all strings, one after another */
    int64_t *start;  /* [n + 1] string i is bytes[start[i]] to bytes[start[i + 1] - 1] */
    int64_t n, room; /* number of strings; number of places in start */
    int64_t size;    /* number of places in bytes */
} ugt_words;

int ugt_words_open(ugt_words *words);
void ugt_words_close(ugt_words *words);

/* Writes the code of a string; a new string is copied. */
int ugt_words_add(ugt_words *words, const uint8_t *string, int64_t length, int32_t *code);

/* The format of the rows that ugt_split_rows reads. It has no special cases of CSV: if the caller receives UGT_ROWS_UNUSUAL, it reads the
 * text in another way. */
typedef struct {
    uint8_t delimiter;
    int64_t width;          /* cells per row */
    const int32_t *group;   /* [width] index of the words that number the cells of a column; -1: the column is skipped */
    int64_t n_wanted;       /* columns that are not skipped */
    int64_t longest;        /* largest number of bytes of a cell */
    uint8_t *scratch;       /* [longest] room for a cell whose quotes are doubled */
} ugt_row_format;

#define UGT_ROWS_UNUSUAL 1

/* Reads rows of text[n], as many as are complete, but at most max_rows. If `last`, the end of the text ends a row. codes receives
 * n_wanted codes per row, in the order of the columns. consumed receives the start of the first row that was not read. Rows end at LF,
 * CR or CR LF; empty lines are not rows. A cell that starts with a quote ends at the next quote; two quotes within it stand for one.
 * UGT_ROWS_UNUSUAL: a row has another width, the closing quote is missing or is not followed by the end of the cell, or a cell is too
 * long. The words may contain cells of a row that was not completed. */
int ugt_split_rows(const ugt_row_format *format, ugt_words *words, const uint8_t *text, int64_t n, int last, int64_t max_rows,
                   int32_t *codes,
                   int64_t *n_rows, int64_t *consumed);

#endif
