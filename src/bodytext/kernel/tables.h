/* The tables of a page, as the native modules read them. */

#ifndef BODYTEXT_TABLES_H
#define BODYTEXT_TABLES_H

#include <stddef.h>
#include <stdint.h>

#include "constants.h"

/* A column of an array that a caller keeps. */
typedef struct {
    const char *data;
    ptrdiff_t stride;
} Column;

static inline int32_t get(const Column *column, ptrdiff_t row) {
    return *(const int32_t *)(column->data + row * column->stride);
}

/* All columns that features and decisions are made of. */
typedef struct {
    const uint8_t *source;
    ptrdiff_t size, nodes, runs, blocks;
    Column tag, parent, node_first, node_stop, node_start, node_end; /* of nodes */
    Column start, end, tags, words, chars, bytes, run_node, flags; /* of runs */
    Column first_run, stop_run, kind, node; /* of blocks */
} PageTables;

/* Whether no number in the tables leads out of them: nodes come after their parents, blocks tile the runs, and every run
is in the source. Without their signs negative numbers are larger than all others. */
static inline int page_fits(const PageTables *p) {
    const uint32_t size = p->size < INT32_MAX ? (uint32_t)p->size : INT32_MAX, runs = (uint32_t)p->runs;
    ptrdiff_t row;
    uint32_t run = 0;
    int fit = p->nodes < INT32_MAX && p->runs < INT32_MAX && p->blocks < INT32_MAX;
    for (row = 0; row < p->nodes; row++) {
        const uint32_t first = (uint32_t)get(&p->node_first, row), stop = (uint32_t)get(&p->node_stop, row);
        fit &= (uint32_t)get(&p->tag, row) < TAGS_COUNT;
        fit &= (uint32_t)get(&p->parent, row) + 1 <= (uint32_t)row;
        fit &= (first <= stop) & (stop <= runs);
    }
    for (row = 0; row < p->runs; row++) {
        const uint32_t start = (uint32_t)get(&p->start, row), end = (uint32_t)get(&p->end, row);
        fit &= (start <= end) & (end - 1 < size);
    }
    for (row = 0; row < p->blocks && fit; row++) {
        const uint32_t kind = (uint32_t)get(&p->kind, row), node = (uint32_t)get(&p->node, row);
        fit &= ((uint32_t)get(&p->first_run, row) == run) & (run < (uint32_t)get(&p->stop_run, row));
        run = (uint32_t)get(&p->stop_run, row);
        fit &= (run <= runs) & (kind < KIND_COUNT) & (node < (uint32_t)p->nodes);
    }
    return fit && run == runs;
}

#endif
