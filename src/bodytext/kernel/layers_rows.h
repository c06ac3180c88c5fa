/* How a survey hands the network its rows of features: one after the other in the same place. A block has most features
from the block before it, and only the others are written. */

#ifndef BODYTEXT_LAYERS_ROWS_H
#define BODYTEXT_LAYERS_ROWS_H

#include <stddef.h>
#include <stdint.h>

#include "tables.h"

#define ROW_SOURCE "bodytext.kernel.RowSource" /* the name of the capsule that holds one */

/* An element around a block, whose columns are in the row. */
typedef struct {
    int32_t node, first; /* block */
    float a_block, a_word; /* 1 / blocks, words in it */
} Around;

/* What the row holds; all bits are set at the beginning. */
typedef struct {
    Around around[LEVELS], holders[SHARES_COUNT];
    uint64_t marks, near, far; /* flags, kind and tags; topics */
    int32_t section;
} RowState;

/* What a source of rows still needs before it can be read. */
enum { READY = 0, UNCOUNTED = 1, HANDED_OVER = 2 };

typedef struct {
    void *tables;
    int state; /* if it is UNCOUNTED, it is handed over to whoever counts it */
    int (*count)(void *tables); /* not 0 if there is no memory */
    ptrdiff_t rows;
    ptrdiff_t (*fill)(const void *tables, RowState *state, ptrdiff_t row, float *columns); /* where all that stays begins */
    const float *page, *words; /* of the page as a whole; of each row */
    ptrdiff_t page_columns;
    const int32_t *alike, *path, *first, *stop; /* as in a pooling plan */
    const PageTables *page_tables;
    const uint64_t *topics; /* around each node */
} RowSource;

#endif
