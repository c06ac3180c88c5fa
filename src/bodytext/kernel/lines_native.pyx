# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Cut the lines of blocks into texts and marks: the native twin of `lines.py`, which explains how.

Every text of a line is a part of its whole text, so that texts without a mark between them are one part.
"""

import numpy as np

from libc.stdint cimport int32_t
from libc.stdlib cimport free, malloc, realloc
from libc.string cimport memset

include "constants.pxi"
include "columns.pxi"
include "page_tables.pxi"
include "tags.pxi"

from bodytext.kernel.elements_native cimport demand_elements, make_tagged

from bodytext.kernel.scanner_native import write_texts

cdef enum:
    NAMES = 8  # of marks
    TEXTS = 64  # of a line that is put together here

cdef uint8_t name_of_tag[TAGS_COUNT]  # counted from 1; 0 marks nothing
cdef uint8_t rank_of_name[NAMES + 1]
cdef int link_name = 0
cdef Py_ssize_t most_texts = 0
cdef list mark_names = []


cdef int fill_tables() except -1:
    """Take the vocabulary from the twin, which is imported no sooner than it is needed."""
    global link_name, most_texts
    from bodytext.kernel import lines

    cdef int tag, name
    names = [""]
    for tag in range(TAGS_COUNT):
        text = lines.MARK_NAMES[tag]
        if text not in names:
            names.append(text)
        name_of_tag[tag] = names.index(text)
    if len(names) > NAMES + 1 or lines.MOST_TEXTS > TEXTS:
        raise ImportError("there are more marks or texts than lines_native.pyx has room for")
    for name in range(1, len(names)):
        rank_of_name[name] = 0 if names[name] == "a" else 2 if names[name] == "code" else 1
    link_name, most_texts = names.index("a"), lines.MOST_TEXTS
    mark_names.extend(names)
    return 0


cdef struct Mark:
    int32_t name
    int32_t node  # of a link


cdef struct Marks:  # around a text, the outer first
    int32_t count
    Mark at[NAMES]


cdef struct Page:
    # Columns in the order of their tables
    Column tag, parent, node_first, node_stop, start, end, node_flags
    Column run_start, run_end, tags, words, chars, bytes, run_node, run_flags
    Column first, stop
    Py_ssize_t nodes, runs, blocks, cuts
    const uint8_t* wanted  # in stretches, of each block
    const Py_ssize_t* cut  # runs before which these are cut, in order
    int32_t* nearest  # marking node at or above each
    int32_t* known  # the place of the marks of each marking node, or -1
    int32_t* waiting
    Marks* marks
    Py_ssize_t marks_count, marks_room


cdef struct Stretch:
    int32_t first, stop, mark


cdef bint check_page(Page* p) noexcept nogil:
    cdef Py_ssize_t row
    cdef int32_t before = 0
    cdef bint fit = True
    for row in range(p.nodes):
        fit &= 0 <= get(&p.tag, row) < TAGS_COUNT and -1 <= get(&p.parent, row) < row
    for row in range(p.runs):
        fit &= 0 <= get(&p.run_node, row) < p.nodes
    for row in range(p.blocks):
        fit &= before <= get(&p.first, row) < get(&p.stop, row) <= p.runs
        before = get(&p.stop, row)
    return fit


cdef void find_nearest(Page* p) noexcept nogil:
    cdef Py_ssize_t node
    cdef int32_t above
    cdef int name
    for node in range(p.nodes):
        name = name_of_tag[get(&p.tag, node)]
        p.known[node] = -1
        if name and (name != link_name or get(&p.node_flags, node) & NODE_FLAG_LINK):
            p.nearest[node] = <int32_t>node
        else:
            above = get(&p.parent, node)
            p.nearest[node] = p.nearest[above] if above >= 0 else -1


cdef object find_address(Page* p, bytes source, object resolve, int32_t node):
    cdef Py_ssize_t start = get(&p.start, node), end = get(&p.end, node), size
    cdef const char* text
    if not 0 <= start < end <= len(source):
        return resolve("")
    value = find_value(<const uint8_t*><const char*>source, start, end, b"href", 4)
    text = PyUnicode_AsUTF8AndSize(value, &size)
    return value if is_whole(<const uint8_t*>text, size) else resolve(value)


cdef int32_t add_marks(Page* p, const Marks* outer) except -1:
    """Keep a copy of some marks; return their place."""
    cdef Marks* grown
    cdef Marks copy = outer[0]
    if p.marks_count == p.marks_room:
        p.marks_room = 2 * p.marks_room + 16
        grown = <Marks*>realloc(p.marks, p.marks_room * sizeof(Marks))
        if grown == NULL:
            raise MemoryError
        p.marks = grown
    p.marks[p.marks_count] = copy
    p.marks_count += 1
    return <int32_t>(p.marks_count - 1)


cdef int32_t find_marks(Page* p, bytes source, object resolve, dict addresses, int32_t node) except -1:
    """The place of the marks of a marking node and those around it."""
    cdef Py_ssize_t count = 0
    cdef int32_t place = 0, above, index, name
    cdef Marks marks
    while node >= 0 and p.known[node] < 0:
        p.waiting[count] = node
        count += 1
        above = get(&p.parent, node)
        node = p.nearest[above] if above >= 0 else -1
    if node >= 0:
        place = p.known[node]  # the first place is that of no marks
    while count:
        count -= 1
        node = p.waiting[count]
        name = name_of_tag[get(&p.tag, node)]
        marks = p.marks[place]
        for index in range(marks.count):
            if marks.at[index].name == name:
                break
        else:
            address = find_address(p, source, resolve, node) if name == link_name else "-"
            if address:
                if name == link_name:
                    addresses[node] = address
                index = marks.count
                while index and rank_of_name[marks.at[index - 1].name] > rank_of_name[name]:
                    marks.at[index] = marks.at[index - 1]
                    index -= 1
                marks.at[index].name, marks.at[index].node = name, node if name == link_name else 0
                marks.count += 1
                place = add_marks(p, &marks)
        p.known[node] = place
    return place


cdef inline int32_t mark_of(Page* p, Py_ssize_t run) noexcept nogil:
    return p.nearest[get(&p.run_node, run)]


cdef int find_left_out(Page* p, Py_ssize_t first, Py_ssize_t stop) noexcept nogil:
    """The flags of the runs of a block that are left out: hidden ones, unless all are."""
    cdef int both = FLAG_HIDDEN | FLAG_SPOKEN, flags, least = both
    cdef Py_ssize_t run
    for run in range(first, stop):
        flags = get(&p.run_flags, run) & both
        if not flags:
            return both
        if not flags & FLAG_HIDDEN:
            least = FLAG_HIDDEN
    return least if least == FLAG_HIDDEN else 0


cdef Py_ssize_t cut_block(Page* p, Py_ssize_t block, Py_ssize_t* cut, Stretch* out) noexcept nogil:
    """Cut a block where the marks of its runs change, and where it is to be cut; return the number of stretches.

    `cut` is the number of the next cut.
    """
    cdef Py_ssize_t first = get(&p.first, block), stop = get(&p.stop, block), run, count = 0
    cdef int left_out = find_left_out(p, first, stop)
    cdef bint is_verbatim = get(&p.run_flags, first) & FLAG_PRE, is_cut
    while cut[0] < p.cuts and p.cut[cut[0]] <= first:
        cut[0] += 1
    for run in range(first, stop):
        if get(&p.run_flags, run) & left_out:
            continue
        is_cut = mark_of(p, run) != out[count - 1].mark if count else True
        while cut[0] < p.cuts and p.cut[cut[0]] <= run:
            is_cut = True
            cut[0] += 1
        if not count or (is_cut and not is_verbatim):
            out[count].first, out[count].mark = <int32_t>run, mark_of(p, run)
            count += 1
        out[count - 1].stop = <int32_t>run + 1
    return count


cdef struct Line:  # what is open
    const uint8_t* text  # of the whole line
    Py_ssize_t size
    Py_ssize_t start[NAMES + 1]  # of the text at the end of each level that is not yet written
    Py_ssize_t end[NAMES + 1]
    Marks marks


cdef int flush(Line* line, list lists, Py_ssize_t level) except -1:
    if line.end[level] > line.start[level]:
        (<list>lists[level]).append(
            PyUnicode_DecodeUTF8(<const char*>line.text + line.start[level], line.end[level] - line.start[level], NULL)
        )
    line.start[level] = line.end[level] = 0
    return 0


cdef int write(Line* line, list lists, Py_ssize_t start, Py_ssize_t end) except -1:
    """Add a part of the text to the innermost level, where it follows what is there."""
    cdef Py_ssize_t level = len(lists) - 1
    if line.end[level] == line.start[level]:
        line.start[level] = start
    line.end[level] = end
    return 0


cdef object make_mark(const Mark* mark, tuple pieces, type make, dict addresses):
    """The element of a mark around pieces."""
    if mark.name == link_name:
        return make_tagged(make, mark_names[mark.name], pieces, {"href": addresses[mark.node]})
    return make_tagged(make, mark_names[mark.name], pieces)


cdef tuple wrap(Line* line, const Marks* marks, type make, dict addresses):
    """The pieces of a line that is one text inside its marks."""
    cdef Py_ssize_t index = marks.count
    if not line.size:
        return ()
    pieces = (PyUnicode_DecodeUTF8(<const char*>line.text, line.size, NULL),)
    while index:
        index -= 1
        pieces = (make_mark(&marks.at[index], pieces, make, addresses),)
    return pieces


cdef int close_marks(Line* line, list lists, Py_ssize_t count, type make, dict addresses) except -1:
    """Close all open marks but the first of this count; each becomes an element."""
    while len(lists) > count + 1:
        flush(line, lists, len(lists) - 1)
        pieces = tuple(<list>lists.pop())
        element = make_mark(&line.marks.at[len(lists) - 1], pieces, make, addresses)
        flush(line, lists, len(lists) - 1)
        (<list>lists[len(lists) - 1]).append(element)
    return 0


cdef tuple join(Line* line, Page* p, const Stretch* stretches, const int32_t* spans, Py_ssize_t count, const uint8_t* texts,
                Py_ssize_t all_spans, type make, dict addresses, const int32_t* places):
    """The pieces of a line."""
    cdef Py_ssize_t index, position = 0, before, shared, size
    cdef Marks* marks
    cdef list lists = [[]]
    line.marks.count = 0
    line.start[0] = line.end[0] = 0
    for index in range(count):
        size = spans[all_spans + index] - spans[index]
        if not size:
            continue
        before = position
        if position and line.text[position] != texts[spans[index]]:
            position += 1  # a gap
        demand(position + size <= line.size)
        marks = p.marks + places[index]
        shared = 0
        while shared < marks.count and shared < line.marks.count and not memcmp(
            &marks.at[shared], &line.marks.at[shared], sizeof(Mark)
        ):
            shared += 1
        close_marks(line, lists, shared, make, addresses)
        line.marks = marks[0]
        if marks.count > shared:
            if position > before:
                write(line, lists, before, position)
            while len(lists) <= marks.count:
                line.start[len(lists)] = line.end[len(lists)] = 0
                lists.append([])
            before = position
        write(line, lists, before, position + size)
        position += size
    close_marks(line, lists, 0, make, addresses)
    flush(line, lists, 0)
    return tuple(<list>lists[0])


cdef tuple describe_marks(Page* p, int32_t place, dict addresses):
    """Marks as the twin has them."""
    cdef int32_t index
    cdef Mark mark
    described = []
    for index in range(p.marks[place].count):
        mark = p.marks[place].at[index]
        address = addresses[mark.node] if mark.name == link_name else ""
        described.append((rank_of_name[mark.name], mark_names[mark.name], address, mark.node))
    return tuple(described)


cdef list describe(Line* line, Page* p, const Stretch* stretches, const int32_t* spans, Py_ssize_t count,
                   const uint8_t* texts, Py_ssize_t all_spans, bytes source, object resolve, dict addresses):
    """The stretches of a line."""
    cdef Py_ssize_t index, position = 0, size
    described = []
    for index in range(count):
        size = spans[all_spans + index] - spans[index]
        gap = ""
        if position and size and line.text[position] != texts[spans[index]]:
            gap = "\n" if line.text[position] == c'\n' else " "
            position += 1
        demand(position + size <= line.size)
        text = PyUnicode_DecodeUTF8(<const char*>texts + spans[index], size, NULL)
        marks = describe_marks(p, find_marks(p, source, resolve, addresses, stretches[index].mark), addresses)
        described.append((stretches[index].first, marks, gap, text))
        position += size
    return described


cdef bint is_plain(const uint8_t* text, Py_ssize_t size) noexcept nogil:
    cdef const uint8_t* sign
    if memchr(text, c'\n', size) is not NULL or memchr(text, c'\\', size) is not NULL:
        return False
    sign = <const uint8_t*>memchr(text, c'$', size)
    while sign is not NULL:
        size -= sign + 1 - text
        text = sign + 1
        if size and text[0] == c'$':
            return False
        sign = <const uint8_t*>memchr(text, c'$', size)
    return True


cdef list write_lines(Page* p, bytes source, runs, Stretch* stretches, int32_t* counts, type make, resolve, dict addresses):
    """Cut all blocks, write their texts at once, and put the lines together."""
    cdef Py_ssize_t block, index, count = 0, whole, place = 0, several = 0, cut = 0
    cdef Line line
    cdef const uint8_t* text
    cdef const int32_t* spans
    cdef int32_t* first
    cdef int32_t places[TEXTS]
    cdef list lines = [None] * p.blocks
    cdef bytes buffer
    for block in range(p.blocks):
        counts[block] = <int32_t>cut_block(p, block, &cut, stretches + count)
        several += counts[block] > 1
        count += counts[block]
    if not count:
        return lines
    intervals = np.empty((2, count + several), np.int32)
    first = <int32_t*>point(intervals, 2 * (count + several) * sizeof(int32_t))
    for index in range(count):
        first[index], first[count + several + index] = stretches[index].first, stretches[index].stop
    whole = count
    for block in range(p.blocks):
        if counts[block] > 1:
            first[whole], first[count + several + whole] = get(&p.first, block), get(&p.stop, block)
            whole += 1
    nothing = bytes(count + several)
    buffer, all_spans = write_texts(source, runs, (intervals[0], intervals[1]), nothing, nothing)
    spans = <const int32_t*>point(all_spans, 2 * (count + several) * sizeof(int32_t))
    text = <const uint8_t*><const char*>buffer
    whole = count
    for block in range(p.blocks):
        index = whole if counts[block] > 1 else place
        line.text = text + spans[index]
        line.size = spans[count + several + index] - spans[index]
        if get(&p.run_flags, get(&p.first, block)) & FLAG_PRE:
            lines[block] = PyUnicode_DecodeUTF8(<const char*>line.text, line.size, NULL)
        elif p.wanted[block] or counts[block] > most_texts or not is_plain(line.text, line.size):
            lines[block] = describe(
                &line, p, stretches + place, spans + place, counts[block], text, count + several, source, resolve, addresses
            )
        else:
            for index in range(counts[block]):
                places[index] = find_marks(p, source, resolve, addresses, stretches[place + index].mark)
            if counts[block] == 1:  # most
                lines[block] = wrap(&line, p.marks + places[0], make, addresses)
            else:
                lines[block] = join(
                    &line, p, stretches + place, spans + place, counts[block], text, count + several, make, addresses,
                    places,
                )
        place += counts[block]
        whole += counts[block] > 1
    return lines


def read_lines(bytes source, tables, leaves, type make, resolve):
    """The line of each block as texts and elements, the text where white space counts, or stretches of it."""
    if not mark_names:
        fill_tables()
    nodes, runs, blocks = tables
    demand_elements(make)
    cdef Page p
    cdef Marks none
    cdef Stretch* stretches = NULL
    cdef int32_t* counts = NULL
    cdef dict addresses = {}
    memset(&p, 0, sizeof(Page))
    memset(&none, 0, sizeof(Marks))
    p.nodes, p.runs = take_table(&p.tag, nodes, 7), take_table(&p.run_start, runs, 8)
    p.blocks, p.cuts = len(blocks[0]), len(leaves[1])
    take(&p.first, blocks[0], p.blocks)
    take(&p.stop, blocks[1], p.blocks)
    p.wanted = <const uint8_t*>point(blocks[2], p.blocks)
    p.cut = <const Py_ssize_t*>point(leaves[1], p.cuts * sizeof(Py_ssize_t))
    try:
        demand(check_page(&p))
        p.nearest = <int32_t*>malloc((p.nodes + 1) * sizeof(int32_t))
        p.known = <int32_t*>malloc((p.nodes + 1) * sizeof(int32_t))
        p.waiting = <int32_t*>malloc((p.nodes + 1) * sizeof(int32_t))
        stretches = <Stretch*>malloc((p.runs + 1) * sizeof(Stretch))
        counts = <int32_t*>malloc((p.blocks + 1) * sizeof(int32_t))
        if p.nearest == NULL or p.known == NULL or p.waiting == NULL or stretches == NULL or counts == NULL:
            raise MemoryError
        find_nearest(&p)
        add_marks(&p, &none)
        marks = []
        for node in leaves[0]:
            demand(0 <= node < p.nodes)
            place = find_marks(&p, source, resolve, addresses, p.nearest[<Py_ssize_t>node])
            marks.append(describe_marks(&p, place, addresses))
        texts = (runs[RUN_START], runs[RUN_END], runs[RUN_FLAGS])
        return write_lines(&p, source, texts, stretches, counts, make, resolve, addresses), marks
    finally:
        free(p.nearest)
        free(p.known)
        free(p.waiting)
        free(p.marks)
        free(stretches)
        free(counts)
