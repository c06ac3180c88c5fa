# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Find and count in the stretches of a page: the native twin of `spans.py`.

Every word that is sought has three bytes or more, so one of its first two pairs of bytes is at an odd offset of
the span. Tables of such pairs, and of the byte before or after them, say whether to look closer; few do.
"""

from libc.stdint cimport int32_t, int64_t, uint8_t, uint32_t
from libc.string cimport memchr, memcmp, memset, strlen

import numpy as np

include "constants.pxi"
include "columns.pxi"
include "characters.pxi"
include "page_tables.pxi"

cdef extern from "bytes.h" nogil:
    Py_ssize_t find_either(const uint8_t* text, Py_ssize_t at, Py_ssize_t end, uint8_t one, uint8_t other)
    Py_ssize_t find_pair(
        const uint8_t* text, Py_ssize_t at, Py_ssize_t end, uint8_t one, uint8_t other, Py_ssize_t distance
    )

cdef enum:
    SHORTEST = 3
    MOST_WORDS = 64
    MOST_FLAGS = 8
    STATE_HEAD = 2000
    STATE_NAMES = 4
    LEAST_PROSE = 10
    MARK = 1  # kinds of bytes
    LETTER = 2  # that a word begins with
    HALF = 16  # bits of a number
    PAIRS = 4096  # places for pairs of bytes: few of the words share one, and all are in the processor's first cache


cdef const char** state_names = ["tate", "STATE", "INITIAL_", "PRELOADED"]


cdef struct Words:
    const char* text[MOST_WORDS]
    Py_ssize_t length[MOST_WORDS]
    int count
    # A word has a bit, which few others share; the upper half is for its bytes after the first.
    uint32_t pairs[PAIRS]  # the words that have two bytes first, and those that have them after their first
    uint32_t third[256]  # the words that have a byte after the first two
    uint32_t first[256]  # the words that have a byte first, in the upper half


cdef inline int pair_at(const char* text) noexcept nogil:
    return (<uint8_t>text[0] << 5 ^ <uint8_t>text[1]) & PAIRS - 1


cdef bint has_word_at(const Words* words, uint32_t bits, const char* text, const char* end) noexcept nogil:
    """Whether one of the words with these bits is here."""
    cdef int word
    for word in range(words.count):
        if not bits >> word % HALF & 1 or words.length[word] > end - text:
            continue  # most: a call costs far more
        if memcmp(text, words.text[word], words.length[word]) == 0:
            return True
    return False


cdef bint holds_word(const Words* words, const char* text, const char* end) noexcept nogil:
    """Whether a text holds a word. The byte at its end is read too, as every bytes object has one there."""
    cdef uint32_t found
    text += 1
    while text + 1 < end:
        found = words.pairs[pair_at(text)]
        found &= words.third[<uint8_t>text[2]] | words.first[<uint8_t>(text - 1)[0]]
        if found and (
            has_word_at(words, found, text, end) or has_word_at(words, found >> HALF, text - 1, end)
        ):
            return True
        text += 2
    return False


cdef int prepare(Words* words, object listed) except -1:
    cdef const char* text
    cdef uint32_t bit
    memset(words, 0, sizeof(Words))
    for word in listed:
        if len(word) < SHORTEST:
            raise ValueError(f"each word must have {SHORTEST} bytes or more")
        if words.count == MOST_WORDS:
            raise ValueError(f"there may be {MOST_WORDS} words at most")
        text, bit = <const char*><bytes>word, <uint32_t>1 << words.count % HALF
        words.text[words.count], words.length[words.count] = text, len(word)
        words.pairs[pair_at(text)] |= bit
        words.pairs[pair_at(text + 1)] |= bit << HALF
        words.third[<uint8_t>text[2]] |= bit
        words.first[<uint8_t>text[0]] |= bit << HALF
        words.count += 1
    return 0


def holds_any(bytes text, words):
    """Whether a text holds any of the words."""
    cdef Words table
    cdef const char* start = text
    words = tuple(words)  # keeps the words
    prepare(&table, words)
    return holds_word(&table, start, start + len(text))


def find_spans(bytes source, starts, ends, words, Py_ssize_t least=1):
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
        if 0 <= start < end <= size and end - start >= least and holds_word(&table, text + start, text + end):
            found.append(number)
    return found


def find_hinted(bytes source, nodes, words, wordless):
    """The elements with text, or a wordless tag, whose opening tags hold any of the words, in order."""
    cdef Words table
    cdef PageTables p
    cdef const char* text = source
    cdef const uint8_t* is_wordless = <const uint8_t*>point(wordless, TAGS_COUNT)
    cdef Py_ssize_t size = len(source), node
    cdef int32_t start, end
    words = tuple(words)  # keeps the words
    prepare(&table, words)
    p.nodes = take_table(&p.tag, nodes, 6)
    found = []
    for node in range(p.nodes):
        demand(0 <= get(&p.tag, node) < TAGS_COUNT)
        if get(&p.node_first, node) >= get(&p.node_stop, node) and not is_wordless[get(&p.tag, node)]:
            continue
        start, end = get(&p.node_start, node), get(&p.node_end, node)
        if 0 <= start < end <= size and holds_word(&table, text + start, text + end):
            found.append(node)
    return found


cdef bint begins_word(const Words* words, const uint8_t* text, const uint8_t* end) noexcept nogil:
    """Whether a text begins with one of the words."""
    cdef int word
    for word in range(words.count):
        if begins_with(text, end, words.text[word], words.length[word]):
            return True
    return False


cdef bint holds_mark(const uint8_t* kinds, const Words* words, const uint8_t* text, const uint8_t* end) noexcept nogil:
    while text < end:
        if kinds[text[0]] == MARK or (kinds[text[0]] == LETTER and begins_word(words, text, end)):
            return True
        text += 1
    return False


def find_marked(bytes source, starts, ends, bytes marks, words):
    """The numbers of the spans that hold any of the marks, or any of the words, in order."""
    cdef Words table
    cdef Column first, last
    cdef uint8_t kinds[256]
    cdef const uint8_t* text = <const uint8_t*><const char*>source
    cdef Py_ssize_t count = len(starts), size = len(source), number
    cdef int32_t start, end
    cdef uint8_t letter
    words = tuple(words)  # keeps the words
    prepare(&table, words)
    take(&first, starts, count)
    take(&last, ends, count)
    memset(kinds, 0, sizeof(kinds))
    for word in words:
        letter = word[0]
        kinds[letter] = LETTER
        if c'a' <= letter <= c'z':
            kinds[letter - 0x20] = LETTER
    for letter in marks:
        kinds[letter] = MARK
    found = []
    for number in range(count):
        start, end = get(&first, number), get(&last, number)
        if 0 <= start < end <= size and holds_mark(kinds, &table, text + start, text + end):
            found.append(number)
    return found


def find_places(bytes source, bytes mark, Py_ssize_t most, Py_ssize_t start=0):
    """The first places of some bytes, `most` of them, from an offset on."""
    cdef const uint8_t* text = <const uint8_t*><const char*>source
    cdef const uint8_t* sought = <const uint8_t*><const char*>mark
    cdef Py_ssize_t size = len(mark), place = start
    if size == 0 or start < 0:
        raise ValueError("a mark must not be empty, and the start must not be negative")
    places = []
    while len(places) < most:
        place = find_text(text, place, len(source), sought, size)
        if place < 0:
            break
        places.append(place)
        place += size
    return places


cdef inline Py_ssize_t skip_blanks(const uint8_t* text, Py_ssize_t at, Py_ssize_t stop) noexcept nogil:
    """White space, and anything beyond ASCII, which may be white space too."""
    while at < stop and (text[at] >= 0x80 or text[at] == c' ' or text[at] == 0 or 9 <= text[at] <= 13 or 28 <= text[at] <= 31):
        at += 1
    return at


cdef bint may_have_words(const uint8_t* text, Py_ssize_t size, Py_ssize_t least) noexcept nogil:
    cdef Py_ssize_t at
    cdef int gaps = 0
    cdef bint blank = True, was_blank = True
    if size > MOST_COUNTED:
        return True
    for at in range(size):
        if text[at] >= 0x80:
            return True
        blank = text[at] == c' ' or 9 <= text[at] <= 13 or 28 <= text[at] <= 31
        gaps += (was_blank and not blank) + (text[at] == c'<' or text[at] == c'&' or text[at] == c'\\')
        was_blank = blank
    return 10 * gaps >= 9 * least


cdef Py_ssize_t find_mark(const uint8_t* text, Py_ssize_t at, Py_ssize_t size) noexcept nogil:
    """Where a script may assign or pass JSON next, by the mark before it; its size if it does not."""
    cdef Py_ssize_t place
    while at < size:
        at = find_either(text, at, size, c'=', c'(')
        place = skip_blanks(text, at + 1, size)
        if place < size and (text[place] == c'[' or text[place] == c'{'):
            place = skip_blanks(text, place + 1, size)
            if place < size and (text[place] == c'"' or text[place] == c'[' or text[place] == c'{'):
                return at
        elif size - place >= 4 and memcmp(text + place, "JSON", 4) == 0:
            return at
        at += 1
    return size


cdef Py_ssize_t find_text(
    const uint8_t* text, Py_ssize_t at, Py_ssize_t size, const uint8_t* sought, Py_ssize_t length
) noexcept nogil:
    """Where some bytes are in a text, from a place on; -1 if they are not there. Their first and last are looked for."""
    cdef Py_ssize_t stop = size - length + 1
    while True:
        at = find_pair(text, at, stop, sought[0], sought[length - 1], length - 1)
        if at >= stop:
            return -1
        if memcmp(text + at, sought, length) == 0:
            return at
        at += 1


cdef bint names_state(const uint8_t* text, Py_ssize_t size) noexcept nogil:
    cdef Py_ssize_t at = -1
    cdef int number
    for number in range(STATE_NAMES):
        if find_text(text, 0, size, <const uint8_t*>state_names[number], strlen(state_names[number])) >= 0:
            return True
    while True:
        at = find_text(text, at + 1, size - 1, b"__", 2)  # and a letter after them
        if at < 0:
            return False
        if c'A' <= text[at + 2] <= c'Z':
            return True


cdef bint may_hold_data(const uint8_t* text, Py_ssize_t size, Py_ssize_t least) noexcept nogil:
    """Whether a script begins with JSON, assigns or passes it, or names a state, of so many words."""
    cdef Py_ssize_t start = skip_blanks(text, 0, size)
    return (
        (start < size and (text[start] == c'[' or text[start] == c'{'))
        or find_mark(text, 0, size) < size
        or names_state(text, min(size, STATE_HEAD))
    ) and may_have_words(text, size, least)


cdef inline bint is_data(const uint8_t* text) noexcept nogil:
    return lower(text[0]) == c'd' and lower(text[1]) == c'a' and lower(text[2]) == c't' and lower(text[3]) == c'a'


cdef bint has_data_name(tuple names, const uint8_t* tag, const uint8_t* end) except -1:
    """Whether an opening tag has an attribute that is called "data-" and one of the names."""
    cdef const uint8_t* at = tag
    cdef const uint8_t* rest
    while True:
        at = <const uint8_t*>memchr(at, c'-', end - at)
        if at is NULL:
            return False
        at += 1
        if at - tag < 5 or not is_data(at - 5):
            continue  # most
        for name in names:
            if begins_with(at, end, <const char*><bytes>name, len(name)):
                rest = at + len(name)
                while rest < end and (rest[0] == c' ' or 9 <= rest[0] <= 13):
                    rest += 1
                if rest < end and rest[0] == c'=':
                    return True


cdef bint says_json(const uint8_t* text, const uint8_t* end) noexcept nogil:
    while end - text >= 4:
        if lower(text[0]) == c'j' and lower(text[1]) == c's' and lower(text[2]) == c'o' and lower(text[3]) == c'n':
            return True
        text += 1
    return False


def find_data(bytes source, nodes, tuple names, Py_ssize_t least):
    """Where a page may have data with a text of so many words: scripts, elements, and whether a script says JSON."""
    cdef PageTables p
    cdef const uint8_t* text = <const uint8_t*><const char*>source
    cdef Py_ssize_t node, size = len(source)
    cdef int32_t start, end, stop
    cdef bint is_json = False
    p.nodes = take_table(&p.tag, nodes, 6)
    scripts, tagged = [], []
    for node in range(p.nodes):
        start, end = get(&p.node_start, node), get(&p.node_end, node)
        if not 0 <= start < end <= size:
            start = end
        elif end - start >= least and has_data_name(names, text + start, text + end):
            tagged.append(node)
        if get(&p.tag, node) == TAG_SCRIPT:
            is_json = is_json or says_json(text + start, text + end)
            stop = get(&p.node_start, node + 1) if node + 1 < p.nodes else <int32_t>size
            if not 0 <= end <= stop <= size or may_hold_data(text + end, stop - end, least):
                scripts.append(node)
    return scripts, tagged, is_json


def find_assigned(bytes script):
    """Where a script may assign or pass JSON: the offset of each such mark."""
    cdef const uint8_t* text = <const uint8_t*><const char*>script
    cdef Py_ssize_t size = len(script), at = find_mark(text, 0, size)
    found = []
    while at < size:
        found.append(at)
        at = find_mark(text, at + 1, size)
    return found


cdef inline Py_ssize_t find_line_end(const uint8_t* text, Py_ssize_t at, Py_ssize_t size) noexcept nogil:
    """Where a line that may be blank ends, or -1."""
    while at < size and (text[at] >= 0x80 or text[at] == c' ' or 11 <= text[at] <= 13 or text[at] == 9 or 28 <= text[at] <= 31):
        at += 1
    return at if at < size and text[at] == c'\n' else -1


def may_have_blank_lines(bytes text):
    """Whether a text may have two blank lines or more, one after the other."""
    cdef const uint8_t* start = <const uint8_t*><const char*>text
    cdef Py_ssize_t size = len(text), at = 0, second
    while True:
        at = find_either(start, at, size, c'\n', c'\n')
        if at >= size:
            return False
        second = find_line_end(start, at + 1, size)
        if second >= 0 and find_line_end(start, second + 1, size) >= 0:
            return True
        at = second if second >= 0 else at + 1


def find_rows(column, int32_t number, Py_ssize_t most=1 << 31):
    """The rows of a column that have a number, `most` of them."""
    cdef Column rows
    cdef Py_ssize_t count = len(column), row
    take(&rows, column, count)
    found = []
    for row in range(count):
        if get(&rows, row) == number:
            if len(found) >= most:
                break
            found.append(row)
    return found


cdef int check_blocks(const Column* first, const Column* stop, Py_ssize_t count, Py_ssize_t runs) except -1:
    """No block may lead out of the runs."""
    cdef Py_ssize_t block
    cdef bint fit = True
    for block in range(count):
        fit &= 0 <= get(first, block) <= get(stop, block) <= runs
    if not fit:
        raise ValueError("the tables do not fit each other: a block leads out of the runs")
    return 0


def add_words(words, first, stop):
    """The words of the runs of each block, and the words of all blocks."""
    cdef Column numbers, firsts, stops
    cdef Py_ssize_t runs = len(words), blocks = len(first), block, run
    cdef int64_t total = 0, here
    cdef float* sums
    take(&numbers, words, runs)
    take(&firsts, first, blocks)
    take(&stops, stop, blocks)
    check_blocks(&firsts, &stops, blocks, runs)
    found = np.empty(blocks, np.float32)
    sums = <float*>point(found, blocks * sizeof(float))
    for block in range(blocks):
        here = 0
        for run in range(get(&firsts, block), get(&stops, block)):
            here += get(&numbers, run)
        sums[block] = <float>here
        total += here
    return found, total


def count_without(runs, int32_t flags):
    """The words of the runs that have none of some flags."""
    cdef PageTables p
    cdef Py_ssize_t run
    cdef int64_t words = 0
    p.runs = take_table(&p.start, runs, 8)
    for run in range(p.runs):
        words += 0 if get(&p.flags, run) & flags else get(&p.words, run)
    return words


def count_shown(tables, bytes numbers):
    """The words of the kept blocks, those of all blocks of which a reader sees any text, and the kept blocks' joint flags."""
    cdef PageTables p
    cdef const Py_ssize_t* kept = <const Py_ssize_t*><const char*>numbers
    cdef Py_ssize_t kept_count = len(numbers) // <Py_ssize_t>sizeof(Py_ssize_t), block, run, at = 0
    cdef int64_t in_kept = 0, in_shown = 0, total = 0, here, seen_chars
    cdef bint is_seen = False, is_shown = False
    cdef int32_t joint = -1
    p.runs, p.blocks = take_table(&p.start, tables[1], 8), take_table(&p.first_run, tables[2], 2)
    check_blocks(&p.first_run, &p.stop_run, p.blocks, p.runs)
    for block in range(p.blocks):
        here = seen_chars = 0
        for run in range(get(&p.first_run, block), get(&p.stop_run, block)):
            here += get(&p.words, run)
            if not get(&p.flags, run) & UNSEEN:
                is_seen = True
                seen_chars += get(&p.chars, run)
        total += here
        if seen_chars > 0:
            is_shown = True
            in_shown += here
        if at < kept_count and kept[at] == block:
            in_kept += here
            if get(&p.first_run, block) < p.runs:
                joint &= get(&p.flags, get(&p.first_run, block))
            at += 1
    if at < kept_count:
        raise IndexError("the kept blocks are not blocks of the page in their order")
    if not is_seen:
        return in_kept, 0, joint
    return in_kept, in_shown if is_shown else total, joint


def count_unseen(tables, flags):
    """For each of some flags the words of the blocks that have it on most of their text."""
    cdef PageTables p
    cdef int32_t wanted[MOST_FLAGS]
    cdef int64_t unseen[MOST_FLAGS]
    cdef int64_t counts[MOST_FLAGS]
    cdef int64_t words, chars, linked
    cdef Py_ssize_t block, run
    cdef int number, count = 0
    cdef int32_t joined = 0, flag
    for flag in flags:
        if count == MOST_FLAGS:
            raise ValueError(f"there may be {MOST_FLAGS} flags at most")
        wanted[count], counts[count] = flag, 0
        joined |= flag
        count += 1
    p.runs, p.blocks = take_table(&p.start, tables[1], 8), take_table(&p.first_run, tables[2], 2)
    check_blocks(&p.first_run, &p.stop_run, p.blocks, p.runs)
    for block in range(p.blocks):
        flag = words = chars = linked = 0
        memset(unseen, 0, sizeof(unseen))
        for run in range(get(&p.first_run, block), get(&p.stop_run, block)):
            flag |= get(&p.flags, run)
        if not flag & joined:
            continue  # most
        for run in range(get(&p.first_run, block), get(&p.stop_run, block)):
            flag = get(&p.flags, run)
            words += get(&p.words, run)
            chars += get(&p.chars, run)
            linked += get(&p.chars, run) if flag & FLAG_LINK else 0
            for number in range(count):
                unseen[number] += get(&p.chars, run) if flag & wanted[number] else 0
        if words < LEAST_PROSE or 2 * linked >= chars:
            continue
        for number in range(count):
            counts[number] += words if 2 * unseen[number] > chars else 0
    return [counts[number] for number in range(count)]


cdef bint is_short(const PageTables* p, int32_t run, int32_t stop, int64_t longest) noexcept nogil:
    """Whether some runs have no more than the longest characters."""
    while run < stop and longest >= 0:
        longest -= get(&p.chars, run)
        run += 1
    return longest >= 0


def find_short_blocks(tables, numbers, int64_t longest, int32_t left_out):
    """Of some blocks those that have no more than the longest characters."""
    cdef PageTables p
    cdef Py_ssize_t block
    cdef int32_t first, stop, kind
    p.runs, p.blocks = take_table(&p.start, tables[1], 8), take_table(&p.first_run, tables[2], 3)
    found = []
    for block in numbers:
        demand(0 <= block < p.blocks)
        first, stop, kind = get(&p.first_run, block), get(&p.stop_run, block), get(&p.kind, block)
        demand(0 <= first < stop <= p.runs)
        if kind != KIND_CAPTION and not get(&p.flags, first) & left_out and is_short(&p, first, stop, longest):
            found.append((first, stop, get(&p.run_node, first), kind))
    return found
