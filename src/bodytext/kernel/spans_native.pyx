# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Find and count in the stretches of a page: the native twin of `spans.py`.

Every word that is sought has three bytes or more, so one of its first two pairs of bytes is at an even offset of
the span. A table of all such pairs says whether to look closer; few do.
"""

from libc.stdint cimport int32_t, int64_t, uint8_t
from libc.string cimport memcmp, memset

import numpy as np

include "constants.pxi"
include "columns.pxi"

cdef enum:
    SHORTEST = 3
    MOST_WORDS = 64
    PAIRS = 65536


cdef struct Words:
    const char* text[MOST_WORDS]
    Py_ssize_t length[MOST_WORDS]
    int count
    uint8_t starts_at[PAIRS]  # bit 0: a word has the pair first; bit 1: after its first byte


cdef inline int pair_at(const char* text) noexcept nogil:
    return <uint8_t>text[0] << 8 | <uint8_t>text[1]


cdef bint has_word_at(Words* words, const char* text, const char* end) noexcept nogil:
    cdef int word
    for word in range(words.count):
        if words.text[word][0] != text[0] or words.length[word] > end - text:
            continue  # most: a call costs far more
        if memcmp(text, words.text[word], words.length[word]) == 0:
            return True
    return False


cdef bint holds_word(Words* words, const char* text, const char* end) noexcept nogil:
    cdef const char* start = text
    cdef uint8_t found
    while text + 1 < end:
        found = words.starts_at[pair_at(text)]
        if found:
            if found & 1 and has_word_at(words, text, end):
                return True
            if found & 2 and text > start and has_word_at(words, text - 1, end):
                return True
        text += 2
    return False


cdef int prepare(Words* words, object listed) except -1:
    cdef const char* text
    memset(words.starts_at, 0, PAIRS)
    words.count = 0
    for word in listed:
        if len(word) < SHORTEST:
            raise ValueError(f"each word must have {SHORTEST} bytes or more")
        if words.count == MOST_WORDS:
            raise ValueError(f"there may be {MOST_WORDS} words at most")
        text = <const char*><bytes>word
        words.text[words.count], words.length[words.count] = text, len(word)
        words.starts_at[pair_at(text)] |= 1
        words.starts_at[pair_at(text + 1)] |= 2
        words.count += 1
    return 0


def find_spans(bytes source, starts, ends, words):
    """The numbers of the spans that hold any of the words, in order."""
    cdef Words table
    cdef Column first, last
    cdef const char* text = source
    cdef Py_ssize_t count = len(starts), size = len(source), number
    cdef int32_t start, end
    words = tuple(words)  # keeps the words
    prepare(&table, words)
    take(&first, starts, count)
    take(&last, ends, count)
    found = []
    for number in range(count):
        start, end = get(&first, number), get(&last, number)
        if 0 <= start < end <= size and holds_word(&table, text + start, text + end):
            found.append(number)
    return found


def find_rows(column, int32_t number):
    """The rows of a column that have a number."""
    cdef Column rows
    cdef Py_ssize_t count = len(column), row
    take(&rows, column, count)
    found = []
    for row in range(count):
        if get(&rows, row) == number:
            found.append(row)
    return found


def join_flags(flags):
    """The flags that any row has."""
    cdef Column rows
    cdef Py_ssize_t count = len(flags), row
    cdef int32_t joined = 0
    take(&rows, flags, count)
    for row in range(count):
        joined |= get(&rows, row)
    return joined


cdef struct Blocks:
    Column first, stop
    Py_ssize_t count


cdef int take_blocks(Blocks* blocks, object first, object stop, Py_ssize_t runs) except -1:
    """Point into the columns of blocks, none of which may lead out of the runs."""
    cdef Py_ssize_t block
    cdef bint fit = True
    blocks.count = len(first)
    take(&blocks.first, first, blocks.count)
    take(&blocks.stop, stop, blocks.count)
    for block in range(blocks.count):
        fit &= 0 <= get(&blocks.first, block) <= get(&blocks.stop, block) <= runs
    if not fit:
        raise ValueError("the tables do not fit each other: a block leads out of the runs")
    return 0


def add_words(words, first, stop):
    """The words of the runs of each block, and the words of all blocks."""
    cdef Column numbers
    cdef Blocks blocks
    cdef Py_ssize_t runs = len(words), block, run
    cdef int64_t total = 0, here
    cdef float* sums
    take(&numbers, words, runs)
    take_blocks(&blocks, first, stop, runs)
    found = np.empty(blocks.count, np.float32)
    sums = <float*>point(found, blocks.count * sizeof(float))
    for block in range(blocks.count):
        here = 0
        for run in range(get(&blocks.first, block), get(&blocks.stop, block)):
            here += get(&numbers, run)
        sums[block] = <float>here
        total += here
    return found, total



def count_shown(runs, blocks, kept):
    """The words of the kept blocks, and those of all blocks of which a reader sees any text."""
    cdef Column words, chars, flags, chosen
    cdef Blocks b
    cdef Py_ssize_t count = len(runs[0]), kept_count = len(kept), block, run, at = 0
    cdef int64_t in_kept = 0, in_shown = 0, total = 0, here, seen_chars
    cdef bint is_seen = False, is_shown = False
    take(&words, runs[0], count)
    take(&chars, runs[1], count)
    take(&flags, runs[2], count)
    take(&chosen, kept, kept_count, sizeof(Py_ssize_t))
    take_blocks(&b, blocks[0], blocks[1], count)
    for block in range(b.count):
        here = seen_chars = 0
        for run in range(get(&b.first, block), get(&b.stop, block)):
            here += get(&words, run)
            if not get(&flags, run) & UNSEEN:
                is_seen = True
                seen_chars += get(&chars, run)
        total += here
        if seen_chars > 0:
            is_shown = True
            in_shown += here
        if at < kept_count and (<const Py_ssize_t*>(chosen.data + at * chosen.stride))[0] == block:
            in_kept += here
            at += 1
    if at < kept_count:
        raise IndexError("the kept blocks are not blocks of the page in their order")
    if not is_seen:
        return in_kept, 0
    return in_kept, in_shown if is_shown else total


cdef inline Py_ssize_t at(const Column* column, Py_ssize_t row) noexcept nogil:
    return (<const Py_ssize_t*>(column.data + row * column.stride))[0]


def own_parts(parent, run_nodes, chosen):
    """The place of the chosen node around each node and around each run, or -1."""
    cdef Column parents, nodes_of_runs, numbers
    cdef Py_ssize_t nodes = len(parent), runs = len(run_nodes), count = len(chosen), row, above
    cdef Py_ssize_t* owner
    cdef Py_ssize_t* owner_of_run
    take(&parents, parent, nodes)
    take(&nodes_of_runs, run_nodes, runs)
    take(&numbers, chosen, count, sizeof(Py_ssize_t))
    owners, owners_of_runs = np.empty(nodes, np.intp), np.empty(runs, np.intp)
    owner = <Py_ssize_t*>point(owners, nodes * sizeof(Py_ssize_t))
    owner_of_run = <Py_ssize_t*>point(owners_of_runs, runs * sizeof(Py_ssize_t))
    for row in range(nodes):
        owner[row] = -1
    for row in range(count):
        demand(0 <= at(&numbers, row) < nodes)
        owner[at(&numbers, row)] = row
    for row in range(nodes):
        above = get(&parents, row)
        demand(-1 <= above < row)
        if owner[row] < 0 and above >= 0:
            owner[row] = owner[above]
    for row in range(runs):
        demand(0 <= get(&nodes_of_runs, row) < nodes)
        owner_of_run[row] = owner[get(&nodes_of_runs, row)]
    return owners, owners_of_runs


cdef object mark_parts(object numbers, const Column* owner, Py_ssize_t owners, uint8_t* marks, Py_ssize_t count):
    """Mark the parts that own some of these rows."""
    cdef Column rows
    cdef Py_ssize_t row, part
    take(&rows, numbers, len(numbers), sizeof(Py_ssize_t))
    for row in range(len(numbers)):
        demand(0 <= at(&rows, row) < owners)
        part = at(owner, at(&rows, row))
        demand(-1 <= part < count)
        if part >= 0:
            marks[part] = 1


def measure_parts(owners, Py_ssize_t count, nodes, date_runs, words):
    """Which parts of a page have an author, a date and a form, and the words of each."""
    cdef Column owner, owner_of_run, numbers
    cdef Py_ssize_t of_nodes = len(owners[0]), of_runs = len(owners[1]), run, part
    cdef uint8_t* marks
    cdef Py_ssize_t* sums
    demand(count >= 0)
    take(&owner, owners[0], of_nodes, sizeof(Py_ssize_t))
    take(&owner_of_run, owners[1], of_runs, sizeof(Py_ssize_t))
    take(&numbers, words, of_runs)
    found = np.zeros((3, count), np.bool_)
    marks = <uint8_t*>point(found, 3 * count)
    for part, chosen in enumerate(nodes):
        demand(part < 3)
        mark_parts(chosen, &owner, of_nodes, marks + part * count, count)
    mark_parts(date_runs, &owner_of_run, of_runs, marks + count, count)
    added = np.zeros(count, np.intp)
    sums = <Py_ssize_t*>point(added, count * sizeof(Py_ssize_t))
    for run in range(of_runs):
        part = at(&owner_of_run, run)
        demand(-1 <= part < count)
        if part >= 0:
            sums[part] += get(&numbers, run)
    return found[0], found[1], found[2], added
