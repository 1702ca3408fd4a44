#include "ugt.h"

#include <stdlib.h>
#include <string.h>

/* Applies the finaliser of MurmurHash3 (Appleby), a bijection of 64 bits. Every bit of the input changes every bit of the output
 * with a probability close to 1/2, so that keys such as the multiples of 2^32 also differ in the low bits. */
static inline uint64_t mix64(uint64_t h)
{
    h ^= h >> 33;
    h *= UINT64_C(0xff51afd7ed558ccd);
    h ^= h >> 33;
    h *= UINT64_C(0xc4ceb9fe1a85ec53);
    return h ^ (h >> 33);
}

static int check_offsets(const int64_t *offsets, int64_t n_rows, int64_t n_values)
{
    if (offsets[0] != 0 || offsets[n_rows] != n_values)
        return UGT_ERR_RANGE;
    for (int64_t i = 0; i < n_rows; i++)
        if (offsets[i + 1] < offsets[i])
            return UGT_ERR_RANGE;
    return UGT_OK;
}

/* ---- numbering distinct rows --------------------------------------------------------------------- */

/* Open addressing with linear probing. A slot keeps the low half of the hash, which distinguishes most unequal rows without
 * reading them. A growing table needs no other bits, because there are never more than 2^32 slots (codes are int32). */
typedef struct {
    uint32_t hash;
    int32_t code; /* -1 if the slot is free */
} slot;

typedef struct {
    slot *slots;
    uint64_t mask; /* number of slots, a power of two, minus 1 */
} slot_table;

#define FIRST_SLOTS 1024 /* 8 KiB, which stay in the first-level cache if few ids are distinct */

static uint64_t hash_row(const uint8_t *row, size_t width)
{
    uint64_t h = UINT64_C(0x9e3779b97f4a7c15), word;
    for (; width >= 8; row += 8, width -= 8) {
        memcpy(&word, row, 8);
        h = mix64(h ^ word);
    }
    if (width > 0) {
        word = 0;
        memcpy(&word, row, width);
        h = mix64(h ^ word);
    }
    return h;
}

static inline int open_slots(slot_table *table, uint64_t n_slots)
{
    if (n_slots > SIZE_MAX / sizeof(slot))
        return UGT_ERR_SIZE;
    table->slots = malloc((size_t)n_slots * sizeof(slot));
    if (table->slots == NULL)
        return UGT_ERR_MEMORY;
    memset(table->slots, 0xff, (size_t)n_slots * sizeof(slot));
    table->mask = n_slots - 1;
    return UGT_OK;
}

static inline int double_slots(slot_table *table)
{
    slot_table wider;
    int status = open_slots(&wider, 2 * (table->mask + 1));
    if (status != UGT_OK)
        return status;
    for (uint64_t i = 0; i <= table->mask; i++) {
        if (table->slots[i].code < 0)
            continue;
        uint64_t at = table->slots[i].hash & wider.mask;
        while (wider.slots[at].code >= 0)
            at = (at + 1) & wider.mask;
        wider.slots[at] = table->slots[i];
    }
    free(table->slots);
    *table = wider;
    return UGT_OK;
}

int ugt_factorize(const uint8_t *rows, int64_t n, int64_t width, int32_t *code, int64_t *first, int64_t *n_distinct)
{
    const size_t w = (size_t)width;
    slot_table table;
    int64_t distinct = 0;
    int status = open_slots(&table, FIRST_SLOTS);
    if (status != UGT_OK)
        return status;
    for (int64_t i = 0; i < n; i++) {
        const uint8_t *row = rows + (size_t)i * w;
        const uint32_t hash = (uint32_t)hash_row(row, w);
        uint64_t at = hash & table.mask;
        const slot *s;
        while ((s = &table.slots[at])->code >= 0 && (s->hash != hash || memcmp(rows + (size_t)first[s->code] * w, row, w) != 0))
            at = (at + 1) & table.mask;
        if (s->code >= 0) {
            code[i] = s->code;
            continue;
        }
        if (distinct == INT32_MAX) {
            status = UGT_ERR_SIZE;
            goto out;
        }
        code[i] = (int32_t)distinct;
        first[distinct++] = i;
        table.slots[at] = (slot){hash, code[i]};
        /* the table stays at most half full: fewer than two probes are expected for a known row, fewer than three for a new one */
        if ((uint64_t)distinct > table.mask / 2 && (status = double_slots(&table)) != UGT_OK)
            goto out;
    }
    *n_distinct = distinct;
out:
    free(table.slots);
    return status;
}

/* Returns the hash of a row of (label, count) pairs. */
static uint32_t hash_pairs(const int32_t *label, const int64_t *count, int64_t n)
{
    uint64_t h = (uint64_t)n;
    for (int64_t j = 0; j < n; j++) {
        h = (h ^ (uint32_t)label[j] ^ (uint64_t)count[j] << 32) * UINT64_C(0x9e3779b97f4a7c15);
        h ^= h >> 32;
    }
    return (uint32_t)mix64(h);
}

static int same_pairs(const int64_t *offsets, const int32_t *label, const int64_t *count, int64_t i, int64_t j)
{
    const size_t n = (size_t)(offsets[i + 1] - offsets[i]);
    return offsets[j + 1] - offsets[j] == (int64_t)n && memcmp(label + offsets[i], label + offsets[j], n * sizeof *label) == 0 &&
           memcmp(count + offsets[i], count + offsets[j], n * sizeof *count) == 0;
}

int ugt_distinct_rows(const int64_t *offsets, const int32_t *label, const int64_t *count, int64_t n_rows, int64_t n_pairs, int64_t limit,
                      int32_t *code, int64_t *first, int64_t *n_distinct)
{
    slot_table table;
    int64_t distinct = 0;
    int status = check_offsets(offsets, n_rows, n_pairs);
    if (status != UGT_OK || (status = open_slots(&table, FIRST_SLOTS)) != UGT_OK)
        return status;
    for (int64_t i = 0; i < n_rows; i++) {
        const uint32_t hash = hash_pairs(label + offsets[i], count + offsets[i], offsets[i + 1] - offsets[i]);
        uint64_t at = hash & table.mask;
        const slot *s;
        while ((s = &table.slots[at])->code >= 0 && (s->hash != hash || !same_pairs(offsets, label, count, first[s->code], i)))
            at = (at + 1) & table.mask;
        if (s->code >= 0) {
            code[i] = s->code;
            continue;
        }
        if (distinct == limit) {
            distinct = -1;
            break;
        }
        code[i] = (int32_t)distinct;
        first[distinct++] = i;
        table.slots[at] = (slot){hash, code[i]};
        if ((uint64_t)distinct > table.mask / 2 && (status = double_slots(&table)) != UGT_OK)
            break;
    }
    *n_distinct = distinct;
    free(table.slots);
    return status;
}

/* ---- cells of a table of counts ------------------------------------------------------------------ */

#define MOST (INT64_C(1) << 53) /* largest total of a row: doubles are exact up to here */

int64_t ugt_count_cells(const int64_t *table, int64_t n_rows, int64_t n_columns, int64_t *offsets)
{
    for (int64_t i = 0; i < n_rows; i++, table += n_columns) {
        int64_t total = 0, filled = 0;
        for (int64_t k = 0; k < n_columns; k++) {
            if (table[k] < 0 || table[k] > MOST - total)
                return i;
            total += table[k];
            filled += table[k] > 0;
        }
        offsets[i + 1] = offsets[i] + filled;
    }
    return -1;
}

int ugt_read_cells(const int64_t *table, int64_t n_rows, int64_t n_columns, int64_t n_cells, int32_t *column, int64_t *count)
{
    int64_t n = 0;
    for (int64_t i = 0; i < n_rows; i++, table += n_columns)
        if (n_cells - n >= n_columns) { /* there is room for a full row: no test is needed, as the next cell overwrites a 0 */
            for (int32_t k = 0; k < n_columns; k++) {
                column[n] = k;
                count[n] = table[k];
                n += table[k] > 0;
            }
        } else {
            for (int32_t k = 0; k < n_columns; k++)
                if (table[k] > 0) {
                    if (n == n_cells)
                        return UGT_ERR_RANGE;
                    column[n] = k;
                    count[n++] = table[k];
                }
        }
    return n == n_cells ? UGT_OK : UGT_ERR_RANGE;
}

/* ---- grouping ------------------------------------------------------------------------------------ */

int ugt_group(const int32_t *code, int64_t n, int64_t n_groups, int64_t *offsets, int64_t *order)
{
    memset(offsets, 0, (size_t)(n_groups + 1) * sizeof *offsets);
    for (int64_t i = 0; i < n; i++) {
        if (code[i] < 0 || code[i] >= n_groups)
            return UGT_ERR_RANGE;
        offsets[code[i] + 1]++;
    }
    for (int64_t g = 0; g < n_groups; g++)
        offsets[g + 1] += offsets[g];
    /* each start moves to the start of the next group while the rows are placed ... */
    for (int64_t i = 0; i < n; i++)
        order[offsets[code[i]]++] = i;
    /* ... and is moved back here */
    for (int64_t g = n_groups; g > 0; g--)
        offsets[g] = offsets[g - 1];
    offsets[0] = 0;
    return UGT_OK;
}

/* ---- rows of different lengths ------------------------------------------------------------------- */

int ugt_row_sums(const int64_t *offsets, const double *value, int64_t n_rows, int64_t n_values, double *sum)
{
    const int status = check_offsets(offsets, n_rows, n_values);
    if (status != UGT_OK)
        return status;
    for (int64_t i = 0; i < n_rows; i++) {
        double total = 0.0;
        for (int64_t j = offsets[i]; j < offsets[i + 1]; j++)
            total += value[j];
        sum[i] = total;
    }
    return UGT_OK;
}

int ugt_equal_totals(const int64_t *offsets, const int64_t *count, int64_t n_rows, int64_t n_values, int *equal)
{
    const int status = check_offsets(offsets, n_rows, n_values);
    if (status != UGT_OK)
        return status;
    double first = 0.0;
    *equal = 1;
    for (int64_t i = 0; i < n_rows && *equal; i++) {
        double total = 0.0;
        for (int64_t j = offsets[i]; j < offsets[i + 1]; j++)
            total += (double)count[j];
        if (total > 1.0) {
            *equal = first == 0.0 || total == first;
            first = total;
        }
    }
    return UGT_OK;
}

/* ---- stream keys --------------------------------------------------------------------------------- */

/* These are the offset basis and the prime of FNV-1a, 64 bits (Fowler, Noll, Vo; draft-eastlake-fnv). */
#define FNV_BASIS UINT64_C(0xcbf29ce484222325)
#define FNV_PRIME UINT64_C(0x100000001b3)

static uint64_t fnv_byte(uint64_t h, uint32_t byte)
{
    return (h ^ (byte & 0xff)) * FNV_PRIME;
}

/* Hashes the UTF-8 bytes of one code point (RFC 3629; lone surrogates are encoded like their neighbours). */
static uint64_t fnv_point(uint64_t h, uint32_t point)
{
    if (point < 0x80)
        return fnv_byte(h, point);
    if (point < 0x800) {
        h = fnv_byte(h, 0xc0 | point >> 6);
    } else {
        if (point < 0x10000) {
            h = fnv_byte(h, 0xe0 | point >> 12);
        } else {
            h = fnv_byte(h, 0xf0 | point >> 18);
            h = fnv_byte(h, 0x80 | (point >> 12 & 0x3f));
        }
        h = fnv_byte(h, 0x80 | (point >> 6 & 0x3f));
    }
    return fnv_byte(h, 0x80 | (point & 0x3f));
}

void ugt_text_keys(const uint32_t *text, int64_t n, int64_t width, uint64_t *key)
{
    for (int64_t i = 0; i < n; i++, text += width) {
        int64_t length = width;
        while (length > 0 && text[length - 1] == 0)
            length--;
        uint64_t h = FNV_BASIS;
        for (int64_t j = 0; j < length; j++)
            h = fnv_point(h, text[j]);
        key[i] = mix64(h);
    }
}

void ugt_integer_keys(const int64_t *value, int64_t n, uint64_t *key)
{
    for (int64_t i = 0; i < n; i++) {
        uint8_t digits[20]; /* 2^64 has 20 digits */
        int n_digits = 0;
        uint64_t rest = value[i] < 0 ? 0 - (uint64_t)value[i] : (uint64_t)value[i];
        do
            digits[n_digits++] = (uint8_t)('0' + rest % 10);
        while ((rest /= 10) > 0);
        uint64_t h = value[i] < 0 ? fnv_byte(FNV_BASIS, '-') : FNV_BASIS;
        while (n_digits > 0)
            h = fnv_byte(h, digits[--n_digits]);
        key[i] = mix64(h);
    }
}
