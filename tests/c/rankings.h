/* Rankings from a text: classes, ',' ties, '>' next block, '|' next ranking, ';' next case. */
#ifndef RANKINGS_H
#define RANKINGS_H

#include "ugt.h"

#include <stdlib.h>
#include <string.h>

typedef struct {
    int64_t case_offsets[8], ranking_offsets[64], block_offsets[256];
    int32_t items[1024];
    ugt_rankings rankings;
} table;

static inline const ugt_rankings *parse(table *t, const char *text, int64_t n_classes)
{
    memset(t, 0, sizeof *t);
    ugt_rankings *r = &t->rankings;
    int in_ranking = 0;
    for (const char *c = text;; c++) {
        if (*c >= '0' && *c <= '9') {
            char *end;
            t->items[r->n_items++] = (int32_t)strtol(c, &end, 10);
            c = end - 1;
            in_ranking = 1;
        } else if (*c == '>' || (in_ranking && *c != ',')) {
            t->block_offsets[++r->n_blocks] = r->n_items;
        }
        if (*c == '|' || *c == ';' || *c == '\0') {
            if (in_ranking || *c == '|')
                t->ranking_offsets[++r->n_rankings] = r->n_blocks;
            in_ranking = 0;
        }
        if (*c == ';' || *c == '\0')
            t->case_offsets[++r->n_cases] = r->n_rankings;
        if (*c == '\0')
            break;
    }
    r->n_classes = n_classes;
    r->case_offsets = t->case_offsets;
    r->ranking_offsets = t->ranking_offsets;
    r->block_offsets = t->block_offsets;
    r->items = t->items;
    return r;
}

#endif
