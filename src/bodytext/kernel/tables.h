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
is in the source. */
static inline int page_fits(const PageTables *p) {
    ptrdiff_t row;
    int32_t run = 0;
    int fit = p->nodes < INT32_MAX && p->runs < INT32_MAX && p->blocks < INT32_MAX;
    for (row = 0; row < p->nodes; row++) {
        const int32_t tag = get(&p->tag, row), parent = get(&p->parent, row);
        const int32_t first = get(&p->node_first, row), stop = get(&p->node_stop, row);
        fit &= (0 <= tag) & (tag < TAGS_COUNT) & (-1 <= parent) & (parent < row);
        fit &= (0 <= first) & (first <= stop) & (stop <= p->runs);
    }
    for (row = 0; row < p->runs; row++) {
        const int32_t start = get(&p->start, row), end = get(&p->end, row);
        fit &= (0 <= start) & (start <= end) & (0 < end) & (end <= p->size);
    }
    for (row = 0; row < p->blocks && fit; row++) {
        const int32_t kind = get(&p->kind, row), node = get(&p->node, row);
        fit &= (get(&p->first_run, row) == run) & (run < get(&p->stop_run, row));
        run = get(&p->stop_run, row);
        fit &= (run <= p->runs) & (0 <= kind) & (kind < KIND_COUNT) & (0 <= node) & (node < p->nodes);
    }
    return fit && run == p->runs;
}

#endif
