# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Put the lines of blocks together: the native twin of `lines.py`, which explains how."""

import numpy as np

cimport cython
from libc.stdint cimport int32_t
from libc.stdlib cimport free, malloc, qsort, realloc
from libc.string cimport memcpy, memset

include "constants.pxi"
include "columns.pxi"
include "page_tables.pxi"
include "tags.pxi"

from bodytext.kernel.elements_native cimport Containers, Tagged, demand_elements, make_tagged

from bodytext.kernel.scanner_native import write_texts

cdef enum:
    NAMES = 8  # of marks
    CODE = 2  # a rank

cdef uint8_t name_of_tag[TAGS_COUNT]  # counted from 1; 0 marks nothing
cdef uint8_t rank_of_name[NAMES + 1]
cdef int link_name = 0
cdef list mark_names = []


cdef int fill_tables() except -1:
    """Take the vocabulary from the twin, which is imported no sooner than it is needed."""
    global link_name
    from bodytext.kernel import lines

    cdef int tag, name
    names = [""]
    for tag in range(TAGS_COUNT):
        text = lines.MARK_NAMES[tag]
        if text not in names:
            names.append(text)
        name_of_tag[tag] = names.index(text)
    if len(names) > NAMES + 1:
        raise ImportError("there are more marks than lines_native.pyx has room for")
    for name in range(1, len(names)):
        rank_of_name[name] = 0 if names[name] == "a" else CODE if names[name] == "code" else 1
    link_name = names.index("a")
    mark_names.extend(names)
    return 0


cdef struct Mark:
    int32_t name
    int32_t node  # of a link


cdef struct Marks:  # around a text, the outer first
    int32_t count
    Mark at[NAMES]


cdef struct Block:
    int32_t first, stop, node, stretches  # how many of these
    bint is_heading, is_verbatim


cdef struct Leaf:
    int32_t run, stop, node, block
    bint is_rule


cdef struct Stretch:
    int32_t first, stop, mark


cdef struct Page:
    # Columns in the order of their tables
    Column tag, parent, node_first, node_stop, start, end, node_flags
    Column run_start, run_end, tags, words, chars, bytes, run_node, run_flags
    Column block_first, block_stop, block_kind, block_node
    Py_ssize_t nodes, runs, all_blocks, blocks, leaves, cuts, stretches
    Block* block
    Leaf* leaf
    int32_t* cut  # runs before which texts are cut, in order
    Stretch* stretch
    int32_t* nearest  # marking node at or above each
    int32_t* known  # the place of the marks of each marking node, or -1
    int32_t* waiting
    Marks* marks
    Py_ssize_t marks_count, marks_room


cdef bint take_blocks(Page* p, const Py_ssize_t* numbers) noexcept nogil:
    """Copy the blocks of some numbers; False if the tables do not fit each other."""
    cdef Py_ssize_t row, number
    cdef int32_t before = 0
    cdef Block* block
    for row in range(p.blocks):
        number, block = numbers[row], p.block + row
        if not 0 <= number < p.all_blocks:
            return False
        block.first, block.stop = get(&p.block_first, number), get(&p.block_stop, number)
        if not before <= block.first < block.stop <= p.runs:
            return False
        before = block.stop
        block.node, block.is_heading = get(&p.block_node, number), get(&p.block_kind, number) == KIND_HEADING
        block.is_verbatim = (get(&p.run_flags, block.first) & FLAG_PRE) != 0
    return True


cdef bint check_page(Page* p) noexcept nogil:
    cdef Py_ssize_t row
    cdef bint fit = True
    for row in range(p.nodes):
        fit &= 0 <= get(&p.tag, row) < TAGS_COUNT and -1 <= get(&p.parent, row) < row
    for row in range(p.runs):
        fit &= 0 <= get(&p.run_node, row) < p.nodes
    for row in range(p.leaves):
        fit &= 0 <= p.leaf[row].node < p.nodes
    return fit


cdef int compare(const void* one, const void* other) noexcept nogil:
    cdef int32_t left = (<const int32_t*>one)[0], right = (<const int32_t*>other)[0]
    return (left > right) - (left < right)


cdef void find_cuts(Page* p) noexcept nogil:
    cdef Py_ssize_t row
    cdef const Leaf* leaf
    for row in range(p.leaves):
        leaf = p.leaf + row
        if leaf.block >= 0 or leaf.stop != leaf.run:
            p.cut[p.cuts], p.cut[p.cuts + 1] = leaf.run, leaf.stop
            p.cuts += 2
    qsort(p.cut, p.cuts, sizeof(int32_t), compare)


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


cdef void cut_blocks(Page* p) noexcept nogil:
    """Cut blocks where the marks of their runs change, and where they are to be cut."""
    cdef Py_ssize_t row, run, cut = 0
    cdef int left_out
    cdef bint is_cut
    cdef Block* block
    cdef Stretch* out = p.stretch
    for row in range(p.blocks):
        block = p.block + row
        block.stretches = 0
        left_out = find_left_out(p, block.first, block.stop)
        while cut < p.cuts and p.cut[cut] <= block.first:
            cut += 1
        for run in range(block.first, block.stop):
            if get(&p.run_flags, run) & left_out:
                continue
            is_cut = block.stretches == 0 or (mark_of(p, run) != (out - 1).mark and not block.is_verbatim)
            while cut < p.cuts and p.cut[cut] <= run:
                is_cut = is_cut or not block.is_verbatim
                cut += 1
            if is_cut:
                out.first, out.mark = <int32_t>run, mark_of(p, run)
                block.stretches += 1
                out += 1
            (out - 1).stop = <int32_t>run + 1
    p.stretches = out - p.stretch


cdef struct Line:  # of a block
    const Block* block
    Py_ssize_t row  # the place of the block
    const Stretch* stretch
    const uint8_t* texts  # of all stretches
    const int32_t* start  # of the texts of its own in these
    const int32_t* end
    const uint8_t* whole
    Py_ssize_t size


cdef bint is_plain(const uint8_t* text, Py_ssize_t size) noexcept nogil:
    """Whether a line has no line breaks, and nothing that may be a formula."""
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


cdef bint may_have_formula(const uint8_t* text, Py_ssize_t size) noexcept nogil:
    cdef Py_ssize_t place
    for place in range(size):
        if text[place] == c'\\' or (text[place] == c'$' and place + 1 < size and text[place + 1] == c'$'):
            return True
    return False


@cython.final
cdef class LineAdder:
    """Puts each line together, with the leaves in it."""

    cdef Page p
    cdef bytes source
    cdef Containers holders
    cdef type make
    cdef object links, split
    cdef object root  # of addresses; False as long as it is not known
    cdef dict addresses  # of links, by node
    cdef list elements  # of the leaves
    cdef Py_ssize_t next  # leaf
    # The line that is open
    cdef list lists  # its pieces, and those of each mark
    cdef Py_ssize_t level  # of the last list in use
    cdef Marks marks
    cdef uint8_t* text  # not yet in the last list
    cdef Py_ssize_t size, room

    def __dealloc__(self):
        free(self.p.block)
        free(self.p.leaf)
        free(self.p.cut)
        free(self.p.stretch)
        free(self.p.nearest)
        free(self.p.marks)
        free(self.text)

    cdef int take(self, bytes source, tables, numbers, leaves) except -1:
        """Point into the tables, which the caller keeps, and make room for what is found in them."""
        cdef Page* p = &self.p
        cdef Marks none
        self.source, self.addresses, self.elements = source, {}, []
        self.lists = [[] for _ in range(NAMES + 1)]
        p.nodes, p.runs = take_table(&p.tag, tables[0], 7), take_table(&p.run_start, tables[1], 8)
        p.all_blocks = take_table(&p.block_first, tables[2], 4)
        p.blocks, p.leaves = len(numbers), len(leaves)
        p.block = <Block*>malloc((p.blocks + 1) * sizeof(Block))
        p.leaf = <Leaf*>malloc((p.leaves + 1) * sizeof(Leaf))
        p.cut = <int32_t*>malloc((2 * p.leaves + 1) * sizeof(int32_t))
        p.stretch = <Stretch*>malloc((p.runs + 1) * sizeof(Stretch))
        p.nearest = <int32_t*>malloc(3 * (p.nodes + 1) * sizeof(int32_t))
        if p.block == NULL or p.leaf == NULL or p.cut == NULL or p.stretch == NULL or p.nearest == NULL:
            raise MemoryError
        p.known, p.waiting = p.nearest + p.nodes + 1, p.nearest + 2 * (p.nodes + 1)
        self.take_leaves(leaves)
        demand(take_blocks(p, <const Py_ssize_t*>point(numbers, p.blocks * sizeof(Py_ssize_t))) and check_page(p))
        find_cuts(p)
        find_nearest(p)
        cut_blocks(p)
        memset(&none, 0, sizeof(Marks))
        add_marks(p, &none)
        return 0

    cdef int take_leaves(self, leaves) except -1:
        cdef Leaf* leaf = self.p.leaf
        for found in leaves:
            leaf.run, leaf.stop, leaf.node, leaf.block, element = found
            leaf.is_rule = (<Tagged?>element).name == "hr"
            self.elements.append(element)
            leaf += 1
        return 0

    cdef int add_all(self, runs) except -1:
        cdef Page* p = &self.p
        cdef Py_ssize_t place = 0, several = p.stretches, count = p.stretches, row, whole
        cdef const int32_t* spans
        cdef Line line
        for row in range(p.blocks):
            count += p.block[row].stretches > 1
        buffer, all_spans = self.write_all(runs, count)
        spans = <const int32_t*>point(all_spans, 2 * count * sizeof(int32_t))
        line.texts = <const uint8_t*><const char*><bytes>buffer
        for row in range(p.blocks):
            line.row, line.block, line.stretch = row, p.block + row, p.stretch + place
            line.start, line.end = spans + place, spans + count + place
            whole = several if line.block.stretches > 1 else place
            line.whole, line.size = line.texts + spans[whole], spans[count + whole] - spans[whole]
            place += line.block.stretches
            several += line.block.stretches > 1
            self.place_before(line.block, row)
            if not line.block.is_verbatim:
                self.add_line(&line)
            elif line.size:
                self.holders.add_verbatim(line.block.node, PyUnicode_DecodeUTF8(<const char*>line.whole, line.size, NULL))
        while self.next < p.leaves:
            self.place(-1, False, 0)
        return 0

    cdef tuple write_all(self, runs, Py_ssize_t count):
        """Write the texts of all stretches, and after them those of the blocks that have several."""
        cdef Page* p = &self.p
        cdef Py_ssize_t row
        intervals = np.empty((2, count), np.int32)
        cdef int32_t* first = <int32_t*>point(intervals, 2 * count * sizeof(int32_t))
        cdef int32_t* stop = first + count
        for row in range(p.stretches):
            first[row], stop[row] = p.stretch[row].first, p.stretch[row].stop
        first, stop = first + p.stretches, stop + p.stretches
        for row in range(p.blocks):
            if p.block[row].stretches > 1:
                first[0], stop[0] = p.block[row].first, p.block[row].stop
                first, stop = first + 1, stop + 1
        nothing = bytes(count)
        return write_texts(self.source, runs, (intervals[0], intervals[1]), nothing, nothing)

    # Lines

    cdef int add_line(self, const Line* line) except -1:
        cdef Marks marks
        cdef tuple pieces
        cdef bint plain = is_plain(line.whole, line.size)
        cdef bint has_leaf = self.has_leaf(line.stretch.first) or self.owns_leaf(line.row)
        if plain and line.block.stretches == 1 and not has_leaf:  # most
            if not line.size:
                return 0
            marks = self.p.marks[self.find_marks(line.stretch.mark)]
            pieces = self.wrap(&marks, PyUnicode_DecodeUTF8(<const char*>line.whole, line.size, NULL))
        else:
            pieces = self.read_line(line, plain)
        if pieces:
            self.holders.add_line(line.block.node, pieces)
        return 0

    cdef tuple read_line(self, const Line* line, bint plain):
        """The pieces of a line, with the leaves in it; those before it are placed too."""
        cdef Py_ssize_t index, size, position = 0
        cdef int32_t run, covered = -1
        cdef uint8_t gap
        for index in range(line.block.stretches):
            run, size, gap = line.stretch[index].first, line.end[index] - line.start[index], 0
            if position and size and line.whole[position] != line.texts[line.start[index]]:
                gap = c'\n' if line.whole[position] == c'\n' else 0 if line.whole[position] == c'^' else c' '
                position += 1
            position += size
            demand(position <= line.size)
            while self.has_leaf(run):
                if self.place(line.row, True, gap):
                    covered = max(covered, self.p.leaf[self.next - 1].stop)
            if run < covered or not size:
                continue
            if not gap and self.ends_with_image():
                gap = self.find_space(get(&self.p.run_start, run), 2)
            if plain:
                self.add_text(self.find_marks(line.stretch[index].mark), gap, line.texts + line.start[index], size)
            else:
                self.add_odd_text(line, index, gap)
        while self.owns_leaf(line.row):
            self.place(line.row, True, 0)
        return self.finish()

    cdef int add_odd_text(self, const Line* line, Py_ssize_t index, uint8_t gap) except -1:
        """Add a text that may have line breaks or formulas in it."""
        cdef const uint8_t* text = line.texts + line.start[index]
        cdef Py_ssize_t size = line.end[index] - line.start[index]
        cdef int32_t place = self.find_marks(line.stretch[index].mark)
        cdef const Marks* marks = self.p.marks + place
        cdef bint is_code = marks.count > 0 and rank_of_name[marks.at[marks.count - 1].name] == CODE
        if not line.block.is_heading and (is_code or not may_have_formula(text, size)):
            return self.add_text(place, gap, text, size)
        whole = PyUnicode_DecodeUTF8(<const char*>text, size, NULL)
        if line.block.is_heading:
            whole, gap = whole.replace("\n", " "), c' ' if gap else 0
        for piece in [whole] if is_code or not may_have_formula(text, size) else self.split(whole):
            if isinstance(piece, str):
                text = <const uint8_t*>PyUnicode_AsUTF8AndSize(piece, &size)
                self.add_text(place, gap, text, size)
            else:
                self.add_element(place, gap, piece)
            gap = 0
        return 0

    cdef int add_text(self, int32_t place, uint8_t gap, const uint8_t* text, Py_ssize_t size) except -1:
        """Append a text inside marks, with a gap (nothing, a space, a line break) before it."""
        cdef const uint8_t* end = text + size
        cdef const uint8_t* stop
        while True:
            stop = <const uint8_t*>memchr(text, c'\n', end - text)
            self.open_marks(place, gap)
            self.put(text, (end if stop is NULL else stop) - text)
            if stop is NULL:
                return 0
            text, gap = stop + 1, c'\n'

    cdef int add_element(self, int32_t place, uint8_t gap, element) except -1:
        """Append an element inside marks, with a gap before it."""
        self.open_marks(place, gap)
        self.flush()
        (<list>self.lists[self.level]).append(element)
        return 0

    cdef int put(self, const uint8_t* text, Py_ssize_t size) except -1:
        cdef uint8_t* grown
        if self.size + size > self.room:
            self.room = 2 * (self.size + size) + 256
            grown = <uint8_t*>realloc(self.text, self.room)
            if grown == NULL:
                raise MemoryError
            self.text = grown
        if size:
            memcpy(self.text + self.size, text, size)
            self.size += size
        return 0

    cdef int flush(self) except -1:
        if self.size:
            (<list>self.lists[self.level]).append(PyUnicode_DecodeUTF8(<const char*>self.text, self.size, NULL))
            self.size = 0
        return 0

    cdef int open_marks(self, int32_t place, uint8_t gap) except -1:
        """Close the marks that end here, write the gap, open the others."""
        cdef const Marks* marks = self.p.marks + place
        cdef int32_t shared = 0
        while shared < marks.count and shared < self.marks.count and not (
            memcmp(&marks.at[shared], &self.marks.at[shared], sizeof(Mark))
            or (gap == c'\n' and rank_of_name[marks.at[shared].name] == CODE)
        ):
            shared += 1
        if self.marks.count > shared or gap == c'\n':
            self.close_marks(shared)
        if gap == c'\n':
            (<list>self.lists[self.level]).append(make_tagged(self.make, "br", ()))
        elif gap:
            self.put(&gap, 1)
        if marks.count > shared:
            self.flush()
            self.level = marks.count
        self.marks = marks[0]
        return 0

    cdef int close_marks(self, int32_t count) except -1:
        """Close all open marks but the first of this count; each becomes an element."""
        self.flush()
        while self.level > count:
            pieces = self.take_pieces()
            self.level -= 1
            (<list>self.lists[self.level]).append(self.make_mark(&self.marks.at[self.level], pieces))
        return 0

    cdef tuple take_pieces(self):
        """The pieces of the last list, which is empty then."""
        pieces = tuple(<list>self.lists[self.level])
        self.lists[self.level] = []
        return pieces

    cdef tuple finish(self):
        """All pieces of the open line."""
        self.close_marks(0)
        self.marks.count = 0
        return self.take_pieces()

    cdef bint ends_with_image(self) except -1:
        cdef list last = self.lists[self.level]
        if self.size or not last:
            return False
        piece = last[len(last) - 1]
        return isinstance(piece, Tagged) and (<Tagged>piece).name == "img"

    # Marks

    cdef object make_mark(self, const Mark* mark, tuple pieces):
        """The element of a mark around pieces."""
        if mark.name == link_name:
            return make_tagged(self.make, mark_names[mark.name], pieces, {"href": self.addresses[mark.node]})
        return make_tagged(self.make, mark_names[mark.name], pieces)

    cdef tuple wrap(self, const Marks* marks, piece):
        """A single piece inside its marks."""
        cdef Py_ssize_t index = marks.count
        cdef tuple pieces = (piece,)
        while index:
            index -= 1
            pieces = (self.make_mark(&marks.at[index], pieces),)
        return pieces

    cdef object find_address(self, int32_t node):
        cdef Py_ssize_t start = get(&self.p.start, node), end = get(&self.p.end, node), size
        cdef const uint8_t* text
        if not 0 <= start < end <= len(self.source):
            return self.links.resolve("")
        value = find_value(<const uint8_t*><const char*>self.source, start, end, b"href", 4)
        text = <const uint8_t*>PyUnicode_AsUTF8AndSize(value, &size)
        if is_whole(text, size):
            return value
        if is_rooted(text, size):
            if self.root is False:
                self.root = self.links.root
            if self.root is not None:
                return self.root + value
        return self.links.resolve(value)

    cdef int32_t find_marks(self, int32_t node) except -1:
        """The place of the marks of a marking node and those around it."""
        cdef Page* p = &self.p
        cdef Py_ssize_t count = 0
        cdef int32_t place = 0, above
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
            place = p.known[node] = self.add_mark(place, node)
        return place

    cdef int32_t add_mark(self, int32_t place, int32_t node) except -1:
        """The place of the marks at a place and that of a node, one of each name."""
        cdef Marks marks = self.p.marks[place]
        cdef int32_t index, name = name_of_tag[get(&self.p.tag, node)]
        for index in range(marks.count):
            if marks.at[index].name == name:
                return place
        if name == link_name:
            address = self.find_address(node)
            if not address:
                return place
            self.addresses[node] = address
        index = marks.count
        while index and rank_of_name[marks.at[index - 1].name] > rank_of_name[name]:
            marks.at[index] = marks.at[index - 1]
            index -= 1
        marks.at[index].name, marks.at[index].node = name, node if name == link_name else 0
        marks.count += 1
        return add_marks(&self.p, &marks)

    # Leaves

    cdef bint has_leaf(self, int32_t run) noexcept:
        """Whether the next leaf comes before the end of a run."""
        return self.next < self.p.leaves and self.p.leaf[self.next].run <= run

    cdef bint owns_leaf(self, Py_ssize_t block) noexcept:
        """Whether the next leaf is in the line of a block."""
        return self.next < self.p.leaves and self.p.leaf[self.next].block == block

    cdef int place_before(self, const Block* block, Py_ssize_t row) except -1:
        """Place the leaves before a block on lines of their own, but for those in its line."""
        while self.has_leaf(block.first):
            if not block.is_verbatim and (self.owns_leaf(row) or self.p.leaf[self.next].stop > block.first):
                break
            self.place(-1, False, 0)
        return 0

    cdef bint place(self, Py_ssize_t block, bint in_line, uint8_t gap) except -1:
        """Put the next leaf into the line of its block, or on a line of its own; False if it has no place."""
        cdef const Leaf* leaf = self.p.leaf + self.next
        cdef int32_t place
        cdef Marks marks
        element = self.elements[self.next]
        self.next += 1
        if leaf.is_rule:
            self.holders.add_rule(leaf.node)
            return True
        place = self.find_marks(self.p.nearest[leaf.node])
        if not in_line or leaf.block != block:
            marks = self.p.marks[place]
            return self.holders.add_leaf(leaf.node, self.wrap(&marks, element))
        if not gap:
            gap = self.find_space(get(&self.p.start, leaf.node) - 1, 1)
        if not (self.size or self.marks.count or self.lists[0]):
            gap = 0
        self.add_element(place, gap, element)
        return True

    cdef uint8_t find_space(self, Py_ssize_t place, int count) noexcept:
        """A space if the page has white space here, or before it where two places count; else nothing."""
        cdef const uint8_t* text = <const uint8_t*><const char*>self.source
        while count:
            if 0 <= place < len(self.source) and (text[place] == c' ' or 9 <= text[place] <= 13):
                return c' '
            place -= 1
            count -= 1
        return 0


def add_lines(Containers holders not None, page, numbers, leaves, helpers):
    """Add the lines of some blocks, and the leaves in and between them, to what holds them."""
    if not mark_names:
        fill_tables()
    cdef LineAdder adder = LineAdder.__new__(LineAdder)
    source, tables = page
    adder.holders = holders
    adder.make, adder.links, adder.split = helpers
    adder.root = False
    demand_elements(adder.make)
    adder.take(source, tables, numbers, leaves)
    runs = tables[1]
    adder.add_all((runs[RUN_START], runs[RUN_END], runs[RUN_FLAGS]))
