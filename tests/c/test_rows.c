/* Rows of text: cells, quotes, line ends, parts of rows, and growth of the words. */

#include "../../ugt/_core/rows.h"
#include "check.h"

static const int32_t GROUP[3] = {0, -1, 1};
static uint8_t scratch[16];
static const ugt_row_format FORMAT = {',', 3, GROUP, 2, 16, scratch};

/* Splits a copy of exactly these bytes, so that a sanitizer sees every byte beyond. */
static int split(ugt_words *words, const char *text, int last, int64_t max_rows, int32_t *codes, int64_t *n_rows, int64_t *consumed)
{
    const size_t n = strlen(text);
    uint8_t *copy = NEW(uint8_t, n);
    memcpy(copy, text, n);
    return ugt_split_rows(&FORMAT, words, copy, (int64_t)n, last, max_rows, codes, n_rows, consumed);
}

static int has_word(const ugt_words *words, int64_t code, const char *wanted)
{
    const int64_t length = words->start[code + 1] - words->start[code];
    return length == (int64_t)strlen(wanted) && memcmp(words->bytes + words->start[code], wanted, (size_t)length) == 0;
}

static void test_cells(void)
{
    ugt_words words[2];
    int32_t codes[20];
    int64_t n_rows, consumed;
    CHECK(ugt_words_open(&words[0]) == UGT_OK && ugt_words_open(&words[1]) == UGT_OK);
    const char *text = "\n\na,1,x\r\n\"b,\n\",2,\ra,,x\nc,4";
    CHECK(split(words, text, 0, 10, codes, &n_rows, &consumed) == UGT_OK);
    CHECK(n_rows == 3 && strcmp(text + consumed, "c,4") == 0);
    CHECK(codes[0] == 0 && codes[1] == 0 && codes[2] == 1 && codes[3] == 1 && codes[4] == 0 && codes[5] == 0);
    CHECK(words[0].n == 3 && has_word(&words[0], 2, "c") && has_word(&words[0], 0, "a") && has_word(&words[0], 1, "b,\n"));
    CHECK(words[1].n == 2 && has_word(&words[1], 0, "x") && has_word(&words[1], 1, ""));
    CHECK(split(words, "a,b,c\nd,e,f\n", 0, 1, codes, &n_rows, &consumed) == UGT_OK && n_rows == 1 && consumed == 6);
    CHECK(split(words, "a,b,", 1, 10, codes, &n_rows, &consumed) == UGT_OK && n_rows == 1 && codes[1] == 1);
    CHECK(split(words, "a,b,", 0, 10, codes, &n_rows, &consumed) == UGT_OK && n_rows == 0 && consumed == 0);
    CHECK(split(words, "a,b,\"c\"", 0, 10, codes, &n_rows, &consumed) == UGT_OK && n_rows == 0);
    CHECK(split(words, "a,b,\"c", 0, 10, codes, &n_rows, &consumed) == UGT_OK && n_rows == 0);
    CHECK(split(words, "", 1, 10, codes, &n_rows, &consumed) == UGT_OK && n_rows == 0 && consumed == 0);
    CHECK(split(words, "\"\"\"q\"\"\",b,\"\"\n", 0, 10, codes, &n_rows, &consumed) == UGT_OK && n_rows == 1 && codes[1] == 1);
    CHECK(has_word(&words[0], codes[0], "\"q\""));
    CHECK(split(words, "a,b,\"c\"\"", 0, 10, codes, &n_rows, &consumed) == UGT_OK && n_rows == 0);
    const char *unusual[] = {"a,b\n", "a,b,c,d\n", "a,b,\"c\" \n", "a,12345678901234567,c\n", "\n ,\n"};
    for (size_t i = 0; i < LENGTH(unusual); i++)
        CHECK(split(words, unusual[i], 0, 10, codes, &n_rows, &consumed) == UGT_ROWS_UNUSUAL);
    CHECK(split(words, "a,b,\"c", 1, 10, codes, &n_rows, &consumed) == UGT_ROWS_UNUSUAL);
    CHECK(split(words, "a,b", 1, 10, codes, &n_rows, &consumed) == UGT_ROWS_UNUSUAL);
    ugt_words_close(&words[0]);
    ugt_words_close(&words[1]);
}

static void test_growth(void)
{
    ugt_words words;
    int32_t code;
    char text[32];
    CHECK(ugt_words_open(&words) == UGT_OK);
    for (int round = 0; round < 2; round++) {
        for (int i = 0; i < 20000; i++) {
            const int length = snprintf(text, sizeof text, "%*d", i % 23, i);
            CHECK(ugt_words_add(&words, (const uint8_t *)text, length, &code) == UGT_OK && code == i);
        }
    }
    CHECK(words.n == 20000 && has_word(&words, 17, "               17"));
    ugt_words_close(&words);
}

int main(void)
{
    test_cells();
    test_growth();
    return RESULT;
}
