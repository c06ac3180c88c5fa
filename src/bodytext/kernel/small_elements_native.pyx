# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Find small elements and read their texts: the native twin of `small_elements.py`."""

from libc.stdint cimport int32_t, int64_t, uint8_t, uint32_t
from libc.stdlib cimport free, malloc
from libc.string cimport memchr, memset

include "constants.pxi"
include "columns.pxi"
include "page_tables.pxi"
include "characters.pxi"

from bodytext.kernel.html import Flag
from bodytext.kernel.tokens import unescape

cdef extern from "Python.h":
    object PyUnicode_DecodeUTF8(const char* text, Py_ssize_t size, const char* errors)

cdef enum:
    MOST_WORDS = 32

cdef int32_t VERBATIM = int(Flag.VERBATIM), APART = int(Flag.SPACE | Flag.LINE)


cdef int take_small(PageTables* p, bytes source, tables) except -1:
    """Point into the tables of a page; what is read of them is checked where it is read."""
    p.source, p.size = <const uint8_t*><const char*>source, len(source)
    p.nodes = take_table(&p.tag, tables[0], 6)
    p.runs = take_table(&p.start, tables[1], 8)
    p.blocks = take_table(&p.first_run, tables[2], 1)
    return 0


cdef object decode_run(const PageTables* p, int32_t run):
    cdef int32_t start = get(&p.start, run), end = get(&p.end, run)
    demand(0 <= start <= end <= p.size)
    text = PyUnicode_DecodeUTF8(<const char*>p.source + start, end - start, b"replace")
    if get(&p.flags, run) & VERBATIM or memchr(p.source + start, c'&', end - start) is NULL:
        return text
    return unescape(text)


cdef object join_runs(const PageTables* p, int32_t first, int32_t stop, int32_t without):
    cdef Py_ssize_t block = find_after(&p.first_run, p.blocks, first)  # the first that begins inside
    cdef int32_t run, flags
    cdef list parts = []
    for run in range(first, stop):
        if block < p.blocks and run == get(&p.first_run, block):
            block += 1
            parts.append(" ")
        flags = get(&p.flags, run)
        if flags & without:
            continue
        if flags & APART:
            parts.append(" ")
        parts.append(decode_run(p, run))
    return " ".join("".join(parts).split())


def read_runs(bytes source, tables, int32_t first, int32_t stop, int32_t without):
    """The text of some runs, white space folded; a space separates blocks and lines."""
    cdef PageTables p
    take_small(&p, source, tables)
    demand(0 <= first <= p.runs and stop <= p.runs)
    return join_runs(&p, first, stop, without)


def read_element(bytes source, tables, Py_ssize_t node, int32_t without, int32_t most):
    """The text of an element; nothing if it has more than so many runs."""
    cdef PageTables p
    cdef int32_t first, stop
    take_small(&p, source, tables)
    demand(0 <= node < p.nodes)
    first, stop = get(&p.node_first, node), get(&p.node_stop, node)
    demand(0 <= first <= stop <= p.runs)
    return join_runs(&p, first, stop, without) if stop - first <= most else ""


def read_first_runs(bytes source, runs, Py_ssize_t most):
    """The source of the first runs with spaces between them, so many bytes of it at most."""
    cdef PageTables p
    cdef Py_ssize_t run = 0
    cdef int32_t start, end
    cdef const char* text = source
    cdef list pieces = []
    p.runs = take_table(&p.start, runs, 8)
    for run in range(p.runs):
        start, end = get(&p.start, run), get(&p.end, run)
        demand(0 <= start <= end <= len(source))
        pieces.append(text[start:min(end, start + most)])
        most -= end - start
        if most <= 0:
            break
    return b" ".join(pieces)


cdef struct Words:
    const char* text[MOST_WORDS]
    Py_ssize_t size[MOST_WORDS]
    uint32_t begins[256]  # the words that begin with a byte, as bits


cdef int prepare(Words* table, tuple words) except -1:
    """Take the words, which the caller keeps."""
    cdef bytes word
    cdef int number = 0
    if not all(words) or len(words) > MOST_WORDS:
        raise ValueError("there may be a few words, and none is empty")
    memset(table.begins, 0, sizeof(table.begins))
    for word in words:
        table.text[number], table.size[number] = <const char*>word, len(word)
        table.begins[<uint8_t>word[0]] |= <uint32_t>1 << number
        table.begins[<uint8_t>(word[:1].upper()[0])] |= <uint32_t>1 << number
        number += 1
    return 0


cdef bint begins_any(const uint8_t* text, const uint8_t* end, const Words* words) noexcept nogil:
    """Whether a text begins with one of the words in any case."""
    cdef uint32_t bits = words.begins[text[0]]
    cdef int number = 0
    while bits:
        if bits & 1 and begins_with(text, end, words.text[number], words.size[number]):
            return True
        bits >>= 1
        number += 1
    return False


cdef bint holds_word(const uint8_t* text, Py_ssize_t size, const Words* words) noexcept nogil:
    """Whether a text has one of the words in any case."""
    cdef const uint8_t* end = text + size
    while text < end:
        if words.begins[text[0]] and begins_any(text, end, words):
            return True
        text += 1
    return False


cdef list find_all_small(const PageTables* p, int32_t first, int32_t stop, int64_t longest, const Words* words, const int64_t* total):
    """The small elements, by the number of characters before each run."""
    cdef Py_ssize_t node
    cdef int32_t begin, end
    cdef list found = []
    for node in range(p.nodes):
        begin, end = get(&p.node_first, node), get(&p.node_stop, node)
        if not first <= begin < stop:
            continue
        demand(begin <= end <= p.runs)
        if not 1 < total[end] - total[begin] <= longest:
            continue
        begin, end = get(&p.node_start, node), get(&p.node_end, node)
        demand(0 <= begin <= end <= p.size)
        if holds_word(p.source + begin, end - begin, words):
            found.append(node)
    return found


def find_small(bytes source, tables, runs, int64_t longest, words):
    """The elements that begin with one of some runs and have one of the words in their tags."""
    cdef PageTables p
    cdef Py_ssize_t run
    cdef int64_t* total
    cdef Words table
    words = tuple(words)  # keeps the words
    prepare(&table, words)
    take_small(&p, source, tables)
    demand(0 <= runs[0] and runs[1] <= p.runs)
    total = <int64_t*>malloc((p.runs + 1) * sizeof(int64_t))
    if total == NULL:
        raise MemoryError
    total[0] = 0
    for run in range(p.runs):
        total[run + 1] = total[run] + get(&p.chars, run)
    try:
        return find_all_small(&p, runs[0], runs[1], longest, &table, total)
    finally:
        free(total)
