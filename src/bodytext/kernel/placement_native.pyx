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
    UNSHOWN = 64
    BLOCK = 128
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
    names = "MEDIUM FIGURE CONCEALING ASIDE COPYING HOLDING UNSHOWN BLOCK".split()
    roles = MEDIUM, FIGURE, CONCEALING, ASIDE, COPYING, HOLDING, UNSHOWN, BLOCK
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
    int32_t first, next  # with words that are kept or foreign; with kept ones or more foreign ones
    int32_t holder, figure
    int32_t caption  # of a figure
    int32_t called  # 2 if the element is called elsewhere, 1 if not, 0 if nobody has looked


cdef struct Page:
    const uint8_t* source
    Py_ssize_t size
    Column tag, parent, first, stop, node_flags, tag_start, tag_end
    Column start, end, words, chars, run_node, run_flags
    Py_ssize_t nodes, runs
    int32_t from_run, to_run  # the interval
    uint8_t* role  # of each node and those around it
    uint8_t* is_medium
    uint8_t* in_kept  # of each run
    Sums* sums
    Nearest* nearest


cdef bint check_page(Page* p) noexcept nogil:
    cdef Py_ssize_t row
    cdef bint fit = 0 <= p.from_run <= p.to_run <= p.runs
    for row in range(p.nodes):
        fit &= 0 <= get(&p.tag, row) < TAGS_COUNT and -1 <= get(&p.parent, row) < row
        fit &= 0 <= get(&p.first, row) <= get(&p.stop, row) <= p.runs
    for row in range(p.runs):
        fit &= 0 <= get(&p.run_node, row) < p.nodes
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


cdef void find_roles(Page* p) noexcept nogil:
    """Add the roles of the elements around each node to its own, but not those of what holds the whole interval."""
    cdef Py_ssize_t node
    cdef int32_t above
    cdef int role
    for node in range(p.nodes):
        role = role_of_tag[get(&p.tag, node)]
        if role & MEDIUM or (get(&p.tag, node) == TAG_UNKNOWN and is_custom(p, get(&p.tag_start, node))):
            p.is_medium[node] = 1
        if get(&p.node_flags, node) & NODE_FLAG_HIDDEN:
            role |= CONCEALING
        if role & (CONCEALING | ASIDE) and get(&p.first, node) <= p.from_run and get(&p.stop, node) >= p.to_run:
            role &= ~(CONCEALING | ASIDE)
        above = get(&p.parent, node)
        p.role[node] = role | (p.role[above] if above >= 0 else 0)
        p.nearest[node].holder = p.nearest[above].holder if above >= 0 else -1
        p.nearest[node].figure = p.nearest[above].figure if above >= 0 else -1
        p.nearest[node].caption = -1
        if role & HOLDING:
            p.nearest[node].holder = <int32_t>node
        if get(&p.tag, node) == TAG_FIGURE:
            p.nearest[node].figure = <int32_t>node
        elif get(&p.tag, node) == TAG_FIGCAPTION and p.nearest[node].figure >= 0:
            if p.nearest[p.nearest[node].figure].caption < 0:
                p.nearest[p.nearest[node].figure].caption = <int32_t>node


cdef inline bint is_seen(Page* p, Py_ssize_t run, bint none_seen) noexcept nogil:
    return none_seen or not get(&p.run_flags, run) & UNSEEN


cdef Py_ssize_t after_last(Page* p, Py_ssize_t run, bint none_seen) noexcept nogil:
    """The run after the last visible one before a run."""
    while run > 0 and not is_seen(p, run - 1, none_seen):
        run -= 1
    return run


cdef void widen(Page* p, Py_ssize_t* low, Py_ssize_t* high) noexcept nogil:
    """Widen the interval over unseen text, and over the caption of a leading picture."""
    cdef Py_ssize_t row, caption = -1, first, stop
    cdef bint none_seen = True
    for row in range(p.runs):
        if not get(&p.run_flags, row) & UNSEEN:
            none_seen = False
            break
    low[0] = after_last(p, p.from_run, none_seen)
    for row in range(p.nodes):
        if get(&p.tag, row) == TAG_FIGCAPTION and get(&p.first, row) < low[0] <= get(&p.stop, row) <= p.from_run:
            caption = row
    if caption >= 0:
        first, stop = get(&p.first, caption), get(&p.stop, caption)
        if first < stop and get(&p.end, stop - 1) - get(&p.start, first) <= longest_caption:
            low[0] = after_last(p, first, none_seen)
    high[0] = p.to_run
    while high[0] < p.runs and not is_seen(p, high[0], none_seen):
        high[0] += 1


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


cdef void find_nearest(Page* p, Py_ssize_t stop) noexcept nogil:
    cdef Py_ssize_t node
    cdef int32_t above
    cdef int32_t kept, foreign
    for node in range(stop):
        kept = kept_of(p, node)
        foreign = p.sums[get(&p.stop, node)].foreign - p.sums[get(&p.first, node)].foreign
        above = get(&p.parent, node)
        p.nearest[node].first = p.nearest[above].first if above >= 0 else -1
        p.nearest[node].next = p.nearest[above].next if above >= 0 else -1
        if kept > 0 or foreign > 0:
            p.nearest[node].first = <int32_t>node
        if kept > 0 or foreign > caption_words:
            p.nearest[node].next = <int32_t>node


cdef bint is_caption(Page* p, Py_ssize_t node) noexcept nogil:
    cdef Sums* before = p.sums + get(&p.first, node)
    cdef Sums* after = p.sums + get(&p.stop, node)
    if after.words - before.words > caption_words:
        return False
    return <double>(after.linked - before.linked) <= caption_linked * <double>(after.chars - before.chars)


cdef bint belongs(Page* p, Py_ssize_t node) noexcept nogil:
    """Whether the nearest element around a medium that has words in it has kept ones."""
    cdef Nearest nearest = p.nearest[node]
    if nearest.first < 0:
        return False
    if kept_of(p, nearest.first) > 0:
        return True
    return nearest.next >= 0 and kept_of(p, nearest.next) > 0 and is_caption(p, nearest.first)


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
    cdef Py_ssize_t node, low = 0, high = 0, count = 0, lead = 0, stop = 0
    cdef list found = []
    find_roles(p)
    widen(p, &low, &high)
    for node in range(p.nodes):
        if p.is_medium[node]:
            stop = node + 1
    if not stop:
        return found
    if has_kept:
        add_up(p)
        while p.sums[lead].foreign < p.sums[p.from_run].foreign - words_below_lead:
            lead += 1
        low = min(low, lead)
        find_nearest(p, stop)
    for node in range(stop):
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
    nodes, runs = tables
    p.source, p.size = <const uint8_t*><const char*>source, len(source)
    p.nodes, p.runs = len(nodes[0]), len(runs[0])
    p.from_run, p.to_run = interval
    take(&p.tag, nodes[NODE_TAG], p.nodes)
    take(&p.parent, nodes[NODE_PARENT], p.nodes)
    take(&p.first, nodes[NODE_FIRST_RUN], p.nodes)
    take(&p.stop, nodes[NODE_STOP_RUN], p.nodes)
    take(&p.tag_start, nodes[NODE_START], p.nodes)
    take(&p.tag_end, nodes[NODE_END], p.nodes)
    take(&p.node_flags, nodes[NODE_FLAGS], p.nodes)
    take(&p.start, runs[RUN_START], p.runs)
    take(&p.end, runs[RUN_END], p.runs)
    take(&p.words, runs[RUN_WORDS], p.runs)
    take(&p.chars, runs[RUN_CHARS], p.runs)
    take(&p.run_node, runs[RUN_NODE], p.runs)
    take(&p.run_flags, runs[RUN_FLAGS], p.runs)
    demand(check_page(&p))
    p.role = <uint8_t*>calloc(p.nodes + 1, 1)
    p.is_medium = <uint8_t*>calloc(p.nodes + 1, 1)
    p.in_kept = <uint8_t*>calloc(p.runs + 1, 1)
    p.sums = <Sums*>calloc(p.runs + 1, sizeof(Sums))
    p.nearest = <Nearest*>calloc(p.nodes + 1, sizeof(Nearest))
    try:
        if p.role == NULL or p.is_medium == NULL or p.in_kept == NULL or p.sums == NULL or p.nearest == NULL:
            raise MemoryError
        if kept is not None:
            mark_kept(&p, kept)
        return collect(&p, kept is not None)
    finally:
        free(p.role)
        free(p.is_medium)
        free(p.in_kept)
        free(p.sums)
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


cdef tuple collect_leaves(Columns* columns, const Kept* kept, Py_ssize_t nodes, uint8_t* role, int32_t* block):
    cdef Py_ssize_t node, before, after
    cdef int32_t above, tag, run
    cdef bint has_math = False
    cdef list scripts = [], images = [], rules = []
    for node in range(nodes):
        tag, above = get(&columns.tag, node), get(&columns.parent, node)
        role[node] = role_of_tag[tag] | (role[above] & (UNSHOWN | COPYING) if above >= 0 else 0)
        if get(&columns.flags, node) & NODE_FLAG_HIDDEN:
            role[node] |= UNSHOWN
        block[node] = <int32_t>node if role_of_tag[tag] & BLOCK else block[above] if above >= 0 else -1
        if tag == TAG_MATH:
            has_math = True
        elif tag == TAG_IMG or tag == TAG_HR or tag == TAG_SCRIPT:
            run = get(&columns.first_run, node)
            find_around(kept, run, &before, &after)
            if tag == TAG_HR:
                if before >= 0 and after >= 0 and len(rules) < most_rules:
                    rules.append((run, node))
            elif before < 0 and after < 0:
                continue
            elif tag == TAG_SCRIPT:
                scripts.append(node)
            elif not role[node] & UNSHOWN and len(images) < most_media:
                owner = find_owner(kept, block[node], before, after)
                images.append((run, node, owner, (role[node] & COPYING) != 0))
    return has_math, scripts, images, rules


cdef bint check_nodes(const Columns* columns, Py_ssize_t nodes) noexcept nogil:
    cdef Py_ssize_t row
    cdef bint fit = True
    for row in range(nodes):
        fit &= 0 <= get(&columns.tag, row) < TAGS_COUNT and -1 <= get(&columns.parent, row) < row
    return fit


def place_leaves(nodes, kept):
    """The nodes that could be leaves of kept blocks."""
    if not most_media:
        fill_tables()
    cdef Columns columns
    cdef Kept blocks
    cdef Py_ssize_t count = take_table(&columns.tag, nodes, 7)
    cdef uint8_t* role = NULL
    cdef int32_t* block = NULL
    blocks.count = len(kept[0])
    take(&blocks.first, kept[0], blocks.count)
    take(&blocks.stop, kept[1], blocks.count)
    take(&blocks.node, kept[2], blocks.count)
    demand(check_nodes(&columns, count))
    try:
        role, block = <uint8_t*>malloc(count + 1), <int32_t*>malloc((count + 1) * sizeof(int32_t))
        if role == NULL or block == NULL:
            raise MemoryError
        return collect_leaves(&columns, &blocks, count, role, block)
    finally:
        free(role)
        free(block)
