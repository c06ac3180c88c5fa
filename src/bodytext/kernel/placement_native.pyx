# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Find the nodes between the words of an article: the native twin of `placement.py`, which explains how."""

from libc.stdint cimport int32_t, uint8_t
from libc.stdlib cimport calloc, free, malloc

include "constants.pxi"
include "columns.pxi"
include "tags.pxi"
include "page_tables.pxi"

cdef enum:
    TAG_UNKNOWN = 0
    MEDIUM = 1  # roles, as the twin has them
    FIGURE = 2
    CONCEALING = 4
    ASIDE = 8
    COPYING = 16
    HOLDING = 32
    BLOCK = 64
    MOST_NAMES = 96  # in a table

cdef uint8_t role_of_tag[TAGS_COUNT]
cdef int most_media = 0, most_rules = 0, longest_caption = 0, words_below_lead = 0, caption_words = 0, levels_up = 0
cdef int longest_class = 0, caption_levels_up = 0, caption_nodes_on = 0
cdef double caption_linked = 0.0
cdef object twin = None


cdef struct Name:
    const char* text
    int size
    bint goes_on  # with any letters


cdef struct NameTable:
    Name names[MOST_NAMES]  # in the order of their first bytes
    uint8_t first[257]  # with each first byte


cdef NameTable elsewhere, captions, custom
cdef list name_texts = []


cdef int fill_tables() except -1:
    """Take the numbers from the twin, which is imported no sooner than it is needed."""
    global most_media, most_rules, longest_caption, words_below_lead, caption_words, levels_up, caption_linked
    global longest_class, caption_levels_up, caption_nodes_on, twin
    from bodytext.kernel import placement

    cdef int tag
    names = "MEDIUM FIGURE CONCEALING ASIDE COPYING HOLDING BLOCK".split()
    roles = MEDIUM, FIGURE, CONCEALING, ASIDE, COPYING, HOLDING, BLOCK
    if roles != tuple(getattr(placement, name) for name in names):
        raise ImportError("placement.py and placement_native.pyx differ")
    for tag in range(TAGS_COUNT):
        role_of_tag[tag] = placement.ROLE_OF_TAG[tag]
    longest_caption, words_below_lead = placement.LONGEST_CAPTION, placement.MOST_WORDS_BELOW_LEAD
    caption_words, caption_linked = placement.MOST_CAPTION_WORDS, placement.MOST_CAPTION_LINKED
    caption_levels_up, caption_nodes_on = placement.CAPTION_LEVELS_UP, placement.CAPTION_NODES_ON
    longest_class, twin = placement.LONGEST_CLASS, placement
    fill_names(&elsewhere, placement.ELSEWHERE)
    fill_names(&captions, placement.CAPTIONS)
    fill_names(&custom, placement.CUSTOM)
    levels_up, most_rules, most_media = placement.LEVELS_UP, placement.MOST_RULES, placement.MOST_MEDIA
    return 0


cdef int fill_names(NameTable* table, str words) except -1:
    cdef int number, byte
    listed = sorted([word.encode() for word in words.split()])
    if len(listed) > MOST_NAMES:
        raise ImportError("there are too many names")
    for number, word in enumerate(listed):
        text = word.rstrip(b"*")
        name_texts.append(text)  # keeps it
        table.names[number].text, table.names[number].size = <const char*><bytes>text, len(text)
        table.names[number].goes_on = text != word
    for byte in range(257):
        table.first[byte] = sum([word[0] < byte for word in listed])
    return 0


cdef struct Sums:  # up to a run
    int32_t kept, foreign, words, chars, linked


cdef struct Nearest:  # elements at or above a node, or -1
    int32_t holder, figure
    int32_t caption  # of a figure
    int32_t called  # 2 if the element is called elsewhere, 1 if not, 0 if nobody has looked


cdef struct Page:
    const uint8_t* source
    Py_ssize_t size
    Column tag, parent, first, stop, tag_start, tag_end, node_flags  # in the order of their table
    Column start, end, tags, words, chars, bytes, run_node, run_flags  # in the order of theirs
    Py_ssize_t nodes, runs
    int32_t from_run, to_run  # the interval
    uint8_t* role  # of each node and those around it
    uint8_t* is_medium
    uint8_t* in_kept  # of each run
    Sums* sums
    Nearest* nearest
    int32_t* with_any  # for each node, 2 more than what `find_worded` found, or 0 if nobody has looked
    int32_t* with_many


cdef bint check_runs(Page* p) noexcept nogil:
    cdef Py_ssize_t run
    cdef bint fit = True
    for run in range(p.runs):
        fit &= 0 <= get(&p.run_node, run) < p.nodes
    return fit


cdef bint is_custom(Page* p, Py_ssize_t start) noexcept nogil:
    """Whether the tag at an offset has the name of a custom element that is a medium."""
    cdef const Name* name
    cdef Py_ssize_t left = p.size - start - 1
    cdef int number, place
    cdef uint8_t byte
    if start < 0 or left < 1:
        return False
    byte = lower(p.source[start + 1])
    for number in range(custom.first[byte], custom.first[byte + 1]):
        name = custom.names + number
        place = 1
        while place < name.size and place < left and lower(p.source[start + 1 + place]) == <uint8_t>name.text[place]:
            place += 1
        if place == name.size and (place == left or is_space(p.source[start + 1 + place]) \
                or p.source[start + 1 + place] in (c'/', c'>')):
            return True
    return False


cdef Py_ssize_t find_roles(Page* p, Py_ssize_t* low) noexcept nogil:
    """Add the roles of the elements around each node to its own, but not those of what holds the whole interval.

    Widen the interval over the caption of a leading picture. Return the number after the last medium, or -1 if the
    tables do not fit each other.
    """
    cdef Py_ssize_t node, last = 0, caption = -1
    cdef int32_t above, tag, first, stop
    cdef int role
    cdef Nearest* nearest
    for node in range(p.nodes):
        tag, above, first, stop = get(&p.tag, node), get(&p.parent, node), get(&p.first, node), get(&p.stop, node)
        if not (0 <= tag < TAGS_COUNT and -1 <= above < node and 0 <= first <= stop <= p.runs):
            return -1
        role = role_of_tag[tag]
        if role & MEDIUM or (tag == TAG_UNKNOWN and is_custom(p, get(&p.tag_start, node))):
            p.is_medium[node] = 1
            last = node + 1
        if get(&p.node_flags, node) & NODE_FLAG_HIDDEN:
            role |= CONCEALING
        if role & (CONCEALING | ASIDE) and first <= p.from_run and stop >= p.to_run:
            role &= ~(CONCEALING | ASIDE)
        nearest = p.nearest + node
        nearest.holder = nearest.figure = nearest.caption = -1
        if above >= 0:
            nearest.holder, nearest.figure = p.nearest[above].holder, p.nearest[above].figure
            p.role[node] = role | p.role[above]
        else:
            p.role[node] = role
        if role & HOLDING:
            nearest.holder = <int32_t>node
        if tag == TAG_FIGURE:
            nearest.figure = <int32_t>node
        elif tag == TAG_FIGCAPTION:
            if nearest.figure >= 0 and p.nearest[nearest.figure].caption < 0:
                p.nearest[nearest.figure].caption = <int32_t>node
            if first < low[0] <= stop <= p.from_run:
                caption = node
    if caption >= 0:
        first, stop = get(&p.first, caption), get(&p.stop, caption)
        if first < stop and get(&p.end, stop - 1) - get(&p.start, first) <= longest_caption:
            low[0] = first
    return last


cdef bint is_any_seen(Page* p) noexcept nogil:
    cdef Py_ssize_t run
    for run in range(p.runs):
        if not get(&p.run_flags, run) & UNSEEN:
            return True
    return False


cdef Py_ssize_t after_last(Page* p, Py_ssize_t run) noexcept nogil:
    """The run after the last visible one before a run."""
    while run > 0 and get(&p.run_flags, run - 1) & UNSEEN:
        run -= 1
    return run


cdef void add_up(Page* p) noexcept nogil:
    """Add up the words of runs: kept ones, and visible ones that are neither kept nor in a figure."""
    cdef Py_ssize_t run
    cdef Sums* sums = p.sums
    cdef int32_t words, chars, flags
    for run in range(p.runs):
        words, chars, flags = get(&p.words, run), get(&p.chars, run), get(&p.run_flags, run)
        sums[1] = sums[0]
        sums += 1
        sums.words += words
        sums.chars += chars
        if flags & FLAG_LINK:
            sums.linked += chars
        if p.in_kept[run]:
            sums.kept += words
        elif not flags & UNSEEN and not p.role[get(&p.run_node, run)] & FIGURE:
            sums.foreign += words


cdef inline int32_t kept_of(Page* p, Py_ssize_t node) noexcept nogil:
    return p.sums[get(&p.stop, node)].kept - p.sums[get(&p.first, node)].kept


cdef inline bint is_worded(Page* p, Py_ssize_t node, int32_t most) noexcept nogil:
    cdef Sums* before = p.sums + get(&p.first, node)
    cdef Sums* after = p.sums + get(&p.stop, node)
    return after.kept > before.kept or after.foreign - before.foreign > most


cdef int32_t find_worded(Page* p, Py_ssize_t node, int32_t* known, int32_t most) noexcept nogil:
    """The nearest element at or above a node that has kept words, or more foreign ones than this; or -1.

    What is known of a node is not looked for again: all calls together are linear.
    """
    cdef Py_ssize_t at = node
    cdef int32_t found = 1
    while at >= 0:
        if known[at]:
            found = known[at]
            break
        if is_worded(p, at, most):
            found = known[at] = <int32_t>at + 2
            break
        at = get(&p.parent, at)
    while node != at:
        known[node] = found
        node = get(&p.parent, node)
    return found - 2


cdef bint is_caption(Page* p, Py_ssize_t node) noexcept nogil:
    cdef Sums* before = p.sums + get(&p.first, node)
    cdef Sums* after = p.sums + get(&p.stop, node)
    if after.words - before.words > caption_words:
        return False
    return <double>(after.linked - before.linked) <= caption_linked * <double>(after.chars - before.chars)


cdef bint belongs(Page* p, Py_ssize_t node) noexcept nogil:
    """Whether the nearest element around a medium that has words in it has kept ones."""
    cdef int32_t first = find_worded(p, node, p.with_any, 0), next_one
    if first < 0:
        return False
    if kept_of(p, first) > 0:
        return True
    next_one = find_worded(p, node, p.with_many, caption_words)
    return next_one >= 0 and kept_of(p, next_one) > 0 and is_caption(p, first)


cdef uint8_t is_edge[256]  # whether words of a class end here
cdef int edge
for edge in range(256):
    is_edge[edge] = edge == c' ' or edge == c'-' or edge == c'_' or 9 <= edge <= 13 or 28 <= edge <= 31


cdef bint ends_well(const uint8_t* text, Py_ssize_t size, bint goes_on) noexcept nogil:
    """Whether a word ends at the beginning of a text, or may go on to an end."""
    cdef Py_ssize_t at = 0
    while at < size and not is_edge[text[at]]:
        if not goes_on or not (c'a' <= lower(text[at]) <= c'z' or c'0' <= text[at] <= c'9'):
            return False
        at += 1
    return True


cdef bint has_name(const NameTable* table, const uint8_t* text, Py_ssize_t size) noexcept nogil:
    """Whether an ASCII class has one of some names."""
    cdef Py_ssize_t at
    cdef const Name* name
    cdef int number, place
    cdef uint8_t byte
    for at in range(size):
        if at and not is_edge[text[at - 1]]:
            continue
        byte = lower(text[at])
        for number in range(table.first[byte], table.first[byte + 1]):
            name = table.names + number
            place = 1
            while place < name.size and at + place < size and lower(text[at + place]) == <uint8_t>name.text[place]:
                place += 1
            if place == name.size and ends_well(text + at + place, size - at - place, name.goes_on):
                return True
    return False


cdef bint find_class(Page* p, Py_ssize_t node, Attribute* found) noexcept nogil:
    """Whether an element has a class, which is found."""
    cdef Py_ssize_t position, end = get(&p.tag_end, node), at
    position = get(&p.tag_start, node)
    if not 0 <= position < end <= p.size:
        return False
    position = skip_tag_name(p.source, position, end)
    while True:
        position = read_next(p.source, position, end, found)
        if position < 0:
            return False
        at = found.name
        if found.name_end - at == 5 and lower(p.source[at]) == c'c' and lower(p.source[at + 1]) == c'l' \
                and lower(p.source[at + 2]) == c'a' and lower(p.source[at + 3]) == c's' and lower(p.source[at + 4]) == c's':
            return True


cdef inline bint is_plain(const uint8_t* text, Py_ssize_t size) noexcept nogil:
    """Whether a text is ASCII without character references."""
    cdef Py_ssize_t at
    for at in range(size):
        if text[at] >= 0x80 or text[at] == c'&':
            return False
    return True


cdef bint is_called(Page* p, Py_ssize_t node, const NameTable* table) except -1:
    """Whether the class of an element has one of some names; the twin reads what is not plain."""
    cdef Attribute found
    cdef Py_ssize_t size
    if not find_class(p, node, &found):
        return False
    size = found.value_end - found.value
    if not is_plain(p.source + found.value, size):
        value = read_value_of(p.source, &found)
        return twin.is_called_caption(value) if table == &captions else twin.is_called_elsewhere(value)
    return has_name(table, p.source + found.value, size if table == &captions else min(size, longest_class))


cdef bint is_elsewhere(Page* p, Py_ssize_t node) except -1:
    """Whether one of the nearest elements around a node, which have no kept text, is called so."""
    cdef int32_t above = get(&p.parent, node)
    cdef int level
    for level in range(levels_up):
        if above < 0 or kept_of(p, above) > 0:
            return False
        if not p.nearest[above].called:
            p.nearest[above].called = 1 + is_called(p, above, &elsewhere)
        if p.nearest[above].called > 1:
            return True
        above = get(&p.parent, above)
    return False


cdef Py_ssize_t find_frame(Page* p, Py_ssize_t medium) noexcept nogil:
    """The outermost element around a medium that holds no more text than a caption."""
    cdef Py_ssize_t frame = medium, above
    cdef int32_t first, stop
    cdef int level
    for level in range(caption_levels_up):
        above = get(&p.parent, frame)
        if above < 0:
            break
        first, stop = get(&p.first, above), get(&p.stop, above)
        if first < stop and get(&p.end, stop - 1) - get(&p.start, first) > longest_caption:
            break
        frame = above
    return frame


cdef Py_ssize_t find_caption(Page* p, Py_ssize_t medium) except -2:
    """The first node after a medium, in an element around it, whose class says caption; or -1."""
    cdef int32_t end = get(&p.stop, find_frame(p, medium)), first, stop, tag
    cdef Py_ssize_t node
    for node in range(medium + 1, min(medium + 1 + caption_nodes_on, p.nodes)):
        first, stop, tag = get(&p.first, node), get(&p.stop, node), get(&p.tag, node)
        if stop > end or first >= end or (role_of_tag[tag] & MEDIUM and tag != TAG_BLOCKQUOTE):
            break
        if first < stop and is_called(p, node, &captions):
            return node
    return -1


cdef bint is_shown(Page* p, Py_ssize_t node) noexcept nogil:
    """Whether a node is not hidden, nor next to the interval in a <nav>, <aside> or <footer>."""
    if p.role[node] & CONCEALING:
        return False
    return not p.role[node] & ASIDE or (get(&p.stop, node) > p.from_run and get(&p.first, node) < p.to_run)


cdef tuple describe(Page* p, Py_ssize_t node):
    cdef int32_t above = get(&p.parent, node), figure = p.nearest[node].figure
    cdef Py_ssize_t caption = p.nearest[figure].caption if figure >= 0 else -1
    return (
        node,
        (p.role[node] & COPYING) != 0,
        p.nearest[above].holder if above >= 0 else -1,
        caption if caption >= 0 else find_caption(p, node),
    )


cdef int mark_kept(Page* p, kept) except -1:
    cdef Column first, stop
    cdef Py_ssize_t count = len(kept[0]), block, run
    take(&first, kept[0], count)
    take(&stop, kept[1], count)
    for block in range(count):
        demand(0 <= get(&first, block) <= get(&stop, block) <= p.runs)
        for run in range(get(&first, block), get(&stop, block)):
            p.in_kept[run] = 1
    return 0


cdef list collect(Page* p, bint has_kept):
    cdef Py_ssize_t node, low = p.from_run, high = p.to_run, count = 0, lead = 0, last
    cdef bint any_seen = is_any_seen(p)
    cdef list found = []
    if any_seen:
        low = after_last(p, low)
    last = find_roles(p, &low)
    demand(last >= 0)
    if not last:
        return found
    if any_seen:
        low = after_last(p, low)
        while high < p.runs and get(&p.run_flags, high) & UNSEEN:
            high += 1
    if has_kept:
        add_up(p)
        while p.sums[lead].foreign < p.sums[p.from_run].foreign - words_below_lead:
            lead += 1
        low = min(low, lead)
    for node in range(last):
        if not p.is_medium[node] or get(&p.stop, node) < low or get(&p.first, node) > high:
            continue
        if count == most_media:
            break
        count += 1
        if is_shown(p, node) and (not has_kept or (belongs(p, node) and not is_elsewhere(p, node))):
            found.append(describe(p, node))
    return found


def place_media(bytes source, tables, interval, kept):
    """The nodes that could be media, each with what is around it."""
    if not most_media:
        fill_tables()
    cdef Page p
    cdef size_t node_size, run_size
    nodes, runs = tables
    p.source, p.size = <const uint8_t*><const char*>source, len(source)
    p.from_run, p.to_run = interval
    p.nodes, p.runs = take_table(&p.tag, nodes, 7), take_table(&p.start, runs, 8)
    demand(0 <= p.from_run <= p.to_run <= p.runs and check_runs(&p))
    # One piece of memory for all: first those of four bytes
    node_size, run_size = sizeof(Nearest) + 2 * sizeof(int32_t) + 2, sizeof(Sums) + 1
    p.nearest = <Nearest*>calloc(1, (p.nodes + 1) * node_size + (p.runs + 1) * run_size)
    if p.nearest == NULL:
        raise MemoryError
    p.sums = <Sums*>(p.nearest + p.nodes + 1)
    p.with_any = <int32_t*>(p.sums + p.runs + 1)
    p.with_many = p.with_any + p.nodes + 1
    p.role = <uint8_t*>(p.with_many + p.nodes + 1)
    p.is_medium = p.role + p.nodes + 1
    p.in_kept = p.is_medium + p.nodes + 1
    try:
        if kept is not None:
            mark_kept(&p, kept)
        return collect(&p, kept is not None)
    finally:
        free(p.nearest)


# Leaves


cdef struct Kept:  # blocks
    Column first, stop, node
    Py_ssize_t count


cdef void find_around(const Kept* kept, int32_t run, Py_ssize_t* before, Py_ssize_t* after) noexcept nogil:
    """Find the kept block with the run before a run, and the one with the run, or -1."""
    cdef Py_ssize_t low = find_after(&kept.first, kept.count, run) - 1
    after[0] = low if low >= 0 and run < get(&kept.stop, low) else -1
    if low >= 0 and get(&kept.first, low) == run:
        low -= 1
    before[0] = low if low >= 0 and run <= get(&kept.stop, low) else -1


cdef Py_ssize_t find_owner(const Kept* kept, int32_t block, Py_ssize_t before, Py_ssize_t after) noexcept nogil:
    """The kept block whose line a leaf is in, or -1; `block` is the nearest block around it."""
    if before >= 0 and (before == after or get(&kept.node, before) == block):
        return before
    return after if after >= 0 and get(&kept.node, after) == block else -1


cdef struct Columns:  # in the order of their table
    Column tag, parent, first_run, stop_run, start, end, flags


cdef tuple collect_leaves(Columns* columns, const Kept* kept, Py_ssize_t nodes):
    cdef Py_ssize_t node, before, after
    cdef int32_t tag, run
    cdef bint has_math = False
    cdef list scripts = [], rules = []
    for node in range(nodes):
        tag = get(&columns.tag, node)
        if tag == TAG_MATH:
            has_math = True
        elif tag == TAG_HR or tag == TAG_SCRIPT:
            run = get(&columns.first_run, node)
            find_around(kept, run, &before, &after)
            if tag == TAG_SCRIPT:
                if before >= 0 or after >= 0:
                    scripts.append(node)
            elif before >= 0 and after >= 0 and len(rules) < most_rules:
                rules.append((run, node))
    return has_math, scripts, rules


cdef list place_images(Columns* columns, const Kept* kept, Py_ssize_t nodes, images):
    """The run after each image, and the kept block whose line it is in."""
    cdef Py_ssize_t node, image, before, after
    cdef int32_t above, run, tag
    cdef list placed = []
    cdef int32_t* block = <int32_t*>malloc((nodes + 1) * sizeof(int32_t))  # around each node, or -1
    if block == NULL:
        raise MemoryError
    try:
        node = 0
        for number in images:
            image = number
            demand(0 <= image < nodes)
            while node <= image:
                above, tag = get(&columns.parent, node), get(&columns.tag, node)
                demand(-1 <= above < node and 0 <= tag < TAGS_COUNT)
                block[node] = block[above] if above >= 0 else -1
                if role_of_tag[tag] & BLOCK:
                    block[node] = <int32_t>node
                node += 1
            run = get(&columns.first_run, image)
            find_around(kept, run, &before, &after)
            placed.append((run, find_owner(kept, block[image], before, after)))
        return placed
    finally:
        free(block)


def place_leaves(nodes, kept, images):
    """The nodes that could be leaves of kept blocks, and the places of their images."""
    if not most_media:
        fill_tables()
    cdef Columns columns
    cdef Kept blocks
    cdef Py_ssize_t count = take_table(&columns.tag, nodes, 7)
    blocks.count = len(kept[0])
    take(&blocks.first, kept[0], blocks.count)
    take(&blocks.stop, kept[1], blocks.count)
    take(&blocks.node, kept[2], blocks.count)
    has_math, scripts, rules = collect_leaves(&columns, &blocks, count)
    return has_math, scripts, place_images(&columns, &blocks, count, images) if images else [], rules
