# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Keep blocks together that belong together: the native twin of `units.py`, which explains how.

All of it runs without Python's lock, in time linear in the tables.
"""

from cpython.buffer cimport PyBUF_WRITABLE
from libc.math cimport exp, log1p
from libc.stdint cimport int32_t, uint8_t, uint16_t, uint64_t
from libc.stdlib cimport free, malloc
from libc.string cimport memcmp, memset

include "constants.pxi"
include "columns.pxi"
include "page_tables.pxi"
include "row_source.pxi"
include "new_arrays.pxi"

from bodytext.kernel.layers_native cimport (
    NO_FIT, NO_MEMORY, SUMS, Logits, NetworkRun, add_up, cut_logits, is_network, run_network, take_network
)
from bodytext.kernel.scanner_native cimport choose_all_copies, find_all_originals

from bodytext.kernel import network_shape, unit_rules

cdef enum:
    FIGURE = 1  # code or in a table of data
    IS_TEXT = 4  # may be announced by a heading
    INSIDE = 8  # in a unit
    SEEN = 16  # by a reader, at least in part
    OUTSIDE = 32  # in a navigation, an aside or a footer, the name of a field, or never shown
    FIELD = 64  # in the name of a field of a form, or a button
    IN_HEADING = 128

cdef uint16_t roles[TAGS_COUNT]
cdef uint8_t beside[KIND_COUNT]
cdef uint8_t is_telling[KIND_COUNT]
cdef uint8_t is_ending[256]
cdef tuple page_types = network_shape.PAGE_TYPES
cdef dict traits_of = unit_rules.TRAITS
cdef dict asides_of = {}  # a page type's first and stop row of the following
cdef int traits_at[NETWORK_TYPES]  # the same of page types by number
cdef int first_aside_at[NETWORK_TYPES]
cdef int stop_aside_at[NETWORK_TYPES]
cdef uint64_t aside_topic[UNIT_ASIDES_COUNT]
cdef double aside_most[UNIT_ASIDES_COUNT]
cdef float aside_factor[UNIT_ASIDES_COUNT]


cdef int fill_tables() except -1:
    cdef int index
    if NETWORK_TYPES != 7:
        raise ImportError("decide_page returns the chances of seven page types")
    for index in range(TAGS_COUNT):
        roles[index] = unit_rules.ROLES[index]
    for index in range(KIND_COUNT):
        beside[index], is_telling[index] = unit_rules.BESIDE[index], network_shape.IS_TELLING[index]
    for byte in unit_rules.ENDINGS:
        is_ending[<int>byte] = 1
    for index in range(UNIT_ASIDES_COUNT):
        page_type, topic, aside_most[index], aside_factor[index] = unit_rules.ASIDES[index]
        aside_topic[index] = <uint64_t>1 << <int>topic
        asides_of[page_type] = asides_of.get(page_type, (index,))[0], index + 1
    for index, page_type in enumerate(page_types):
        traits_at[index] = traits_of.get(page_type, 0)
        first_aside_at[index], stop_aside_at[index] = asides_of.get(page_type, (0, 0))
    return 0


fill_tables()


cdef struct Stretches:
    int32_t* first
    int32_t* stop
    Py_ssize_t count


cdef struct Page:
    PageTables t
    Column topics  # of nodes
    Column scores, words  # of blocks
    int traits, first_aside, stop_aside  # of the page type
    uint64_t asides  # their topics
    double* kept  # words before each block that are kept; a row more than blocks
    int32_t* block_at  # the first block that begins at a run or after it; a row more than runs
    int32_t* unlinked  # words of each block that are seen and in no link
    int32_t* pieces  # that begin before each block; these four have a row more than blocks
    int32_t* rows
    int32_t* tables
    int32_t* shorts
    int32_t* next_text  # after each block; the last block if there is none
    int32_t* stops  # of the unit or the code that begins with each block, else 0
    int32_t* lead_ins
    Py_ssize_t lead_in_count
    uint8_t* marks  # of each block
    Stretches elements  # with a role
    int32_t* element_tag
    Stretches units
    Stretches joined  # units and their lead-ins
    int32_t* ranks  # of headings, 0 of other blocks
    int32_t* below  # ranks of headings that may be in a section that begins before them
    float* bests  # and the best texts of their own sections
    uint8_t* have_text


cdef inline float* at(const Column* column, Py_ssize_t row) noexcept nogil:
    return <float*>(column.data + row * column.stride)


cdef void read_runs(Page* p) noexcept nogil:
    cdef Py_ssize_t block, run, stop
    cdef int32_t words, flags
    p.block_at[0] = 0
    for block in range(p.t.blocks):
        words = 0
        p.marks[block] = OUTSIDE
        stop = get(&p.t.stop_run, block)
        for run in range(get(&p.t.first_run, block), stop):
            flags = get(&p.t.flags, run)
            words += 0 if flags & UNIT_PASSED_OVER else get(&p.t.words, run)
            p.block_at[run + 1] = <int32_t>block + 1
            if not flags & UNSEEN:
                p.marks[block] |= SEEN
            if not flags & UNIT_NEVER_SHOWN:
                p.marks[block] &= ~OUTSIDE
        p.unlinked[block] = words
        if words >= UNIT_TEXT_WORDS and get(&p.t.kind, block) != KIND_CONTROL:
            p.marks[block] |= IS_TEXT


cdef inline bint is_link(Page* p, Py_ssize_t block) noexcept nogil:
    return 2.0 * p.unlinked[block] <= at(&p.words, block)[0]


cdef int32_t mark_stretch(Page* p, int32_t first, int32_t stop, int32_t done, uint8_t mark) noexcept nogil:
    """Mark the blocks of an element that are after those that are done; return how far it is done now."""
    cdef Py_ssize_t block
    for block in range(max(first, done), stop):
        p.marks[block] |= mark
    return max(stop, done)


cdef void list_elements(Page* p) noexcept nogil:
    """List the elements with a role that have blocks, without a branch that nobody can foresee."""
    cdef Py_ssize_t node, count = 0
    cdef int32_t first, stop, tag
    for node in range(p.t.nodes):
        tag = get(&p.t.tag, node)
        first, stop = p.block_at[get(&p.t.node_first, node)], p.block_at[get(&p.t.node_stop, node)]
        p.elements.first[count], p.elements.stop[count], p.element_tag[count] = first, stop, tag
        count += (roles[tag] != 0) & (first < stop)
    p.elements.count = count


cdef void mark_outside(Page* p) noexcept nogil:
    cdef Py_ssize_t number, block
    cdef int32_t first, stop, quoted = 0, outside = 0, beside_text = 0, named = 0, headed = 0  # the ends so far
    cdef uint16_t role
    for number in range(p.elements.count):
        role = roles[p.element_tag[number]]
        if not role & (ROLE_SHORT | ROLE_OUTSIDE | ROLE_ASIDE | ROLE_FIELD | ROLE_HEADING):
            continue
        first, stop = p.elements.first[number], p.elements.stop[number]
        if role == ROLE_SHORT:
            quoted = max(quoted, stop)
        elif role == ROLE_HEADING:
            headed = mark_stretch(p, first, stop, headed, IN_HEADING)
        elif role == ROLE_FIELD:
            named = mark_stretch(p, first, stop, named, FIELD)
        elif role == ROLE_ASIDE:
            for block in range(max(first, beside_text), stop):
                if is_link(p, block):
                    p.marks[block] |= OUTSIDE
            beside_text = max(beside_text, stop)
        elif stop > quoted:
            outside = mark_stretch(p, first, stop, outside, OUTSIDE)
    for block in range(p.t.blocks - 1, -1, -1):
        if p.traits & TRAIT_BUTTONS and get(&p.t.kind, block) == KIND_CONTROL and not p.marks[block] & IN_HEADING:
            p.marks[block] |= FIELD
        if p.marks[block] & FIELD and (
            block + 1 == p.t.blocks or p.marks[block + 1] & FIELD or p.unlinked[block + 1] < UNIT_PROSE_WORDS
        ):
            p.marks[block] |= OUTSIDE


cdef void drop_outside(Page* p, float boundary) noexcept nogil:
    cdef Py_ssize_t block
    cdef double kept = 0, prose = 0, outside = 0
    mark_outside(p)
    for block in range(p.t.blocks):
        if at(&p.scores, block)[0] < boundary:
            continue
        prose += p.unlinked[block]
        if p.marks[block] & OUTSIDE:
            outside += p.unlinked[block]
        else:
            kept += at(&p.words, block)[0]
    if kept < UNIT_ENOUGH_WORDS or outside > UNIT_OUTSIDE_SHARE * prose:
        return
    for block in range(p.t.blocks):
        if p.marks[block] & OUTSIDE:
            at(&p.scores, block)[0] = 0


# Articles.


cdef inline uint64_t find_asides(Page* p, Py_ssize_t block) noexcept nogil:
    cdef const char* found = p.topics.data + get(&p.t.node, block) * p.topics.stride
    return 0 if get(&p.t.kind, block) == KIND_CAPTION else (<const uint64_t*>found)[0] & p.asides


cdef void lower_asides(Page* p, float boundary) noexcept nogil:
    cdef Py_ssize_t block
    cdef int aside
    cdef uint64_t found, lowered = 0
    cdef double kept = 0
    cdef double inside[UNIT_ASIDES_COUNT]
    p.asides = 0
    for aside in range(p.first_aside, p.stop_aside):
        p.asides |= aside_topic[aside]
        inside[aside] = 0
    if not p.asides:
        return
    for block in range(p.t.blocks):
        if at(&p.scores, block)[0] < boundary:
            continue
        kept += at(&p.words, block)[0]
        found = find_asides(p, block)
        for aside in range(p.first_aside, p.stop_aside if found else 0):
            if found & aside_topic[aside]:
                inside[aside] += at(&p.words, block)[0]
    for aside in range(p.first_aside, p.stop_aside):
        if inside[aside] <= min(aside_most[aside] * kept, kept - UNIT_ENOUGH_WORDS):
            lowered |= aside_topic[aside]
    for block in range(p.t.blocks):
        found = find_asides(p, block) & lowered
        for aside in range(p.first_aside, p.stop_aside if found else 0):
            if found & aside_topic[aside]:
                at(&p.scores, block)[0] *= aside_factor[aside]


cdef inline bint is_prose(Page* p, Py_ssize_t block) noexcept nogil:
    cdef float words = at(&p.words, block)[0]
    return get(&p.t.kind, block) <= KIND_PARAGRAPH and words >= UNIT_PROSE_WORDS and 2.0 * p.unlinked[block] >= words


cdef inline bint leads_away(Page* p, Py_ssize_t block) noexcept nogil:
    cdef float words = at(&p.words, block)[0]
    if get(&p.t.kind, block) > KIND_PARAGRAPH:
        return False
    if words > (UNIT_ANNOUNCING_WORDS if p.traits & TRAIT_OFFERS else UNIT_MOST_LINKED):
        return False
    return p.unlinked[block] <= (1.0 - UNIT_LINKED) * words


cdef void lower_links(Page* p, float boundary) noexcept nogil:
    cdef Py_ssize_t block = 0, first
    while block < p.t.blocks:
        first = block
        while block < p.t.blocks and leads_away(p, block):
            block += 1
        if 0 < first < block and is_prose(p, first - 1) and at(&p.scores, first - 1)[0] >= boundary \
                and (p.traits & TRAIT_OFFERS or block == p.t.blocks or is_prose(p, block) or at(&p.scores, block)[0] < boundary):
            for first in range(first, block):
                at(&p.scores, first)[0] /= 2
        block += 1


cdef inline bint is_torn(Page* p, Py_ssize_t block, float boundary) noexcept nogil:
    cdef float score = at(&p.scores, block)[0], words = at(&p.words, block)[0]
    if score >= boundary or score < <float>UNIT_TORN_SCORE or words < UNIT_TORN_WORDS:
        return False
    return 5.0 * p.unlinked[block] >= 4.0 * words and not beside[get(&p.t.kind, block)]


cdef void mend(Page* p, float boundary) noexcept nogil:
    cdef Py_ssize_t node, block
    cdef int32_t first = 0, stop = 0, tag, blocks = 0
    cdef double torn = 0, total
    p.kept[0] = 0
    for block in range(p.t.blocks):
        p.kept[block + 1] = p.kept[block]
        if at(&p.scores, block)[0] >= boundary:
            p.kept[block + 1] += at(&p.words, block)[0]
    total = p.kept[p.t.blocks]
    if total == 0:
        return
    for node in range(p.t.nodes - 1, -1, -1):
        tag = get(&p.t.tag, node)
        if tag == TAG_HTML or tag == TAG_BODY:
            continue
        first, stop = p.block_at[get(&p.t.node_first, node)], p.block_at[get(&p.t.node_stop, node)]
        if p.kept[stop] - p.kept[first] >= UNIT_AROUND * total:
            break
        first = stop = 0
    for block in range(first, stop):
        if is_torn(p, block, boundary):
            torn += at(&p.words, block)[0]
            blocks += 1
    if blocks < 2 or torn < UNIT_TORN_SHARE * total:
        return
    for block in range(first, stop):
        if not is_torn(p, block, boundary):
            continue
        at(&p.scores, block)[0] = boundary
        if block > 0 and get(&p.t.kind, block - 1) == KIND_HEADING and 0 < at(&p.scores, block - 1)[0] < boundary:
            at(&p.scores, block - 1)[0] = boundary


cdef inline bint may_announce(Page* p, Py_ssize_t block, float boundary) noexcept nogil:
    cdef float words = at(&p.words, block)[0]
    if get(&p.t.kind, block) != KIND_HEADING or words > UNIT_ANNOUNCING_WORDS or 2.0 * p.unlinked[block] < words:
        return False
    return <float>UNIT_UNLIKELY < at(&p.scores, block)[0] < boundary


cdef void raise_headings(Page* p, float boundary) noexcept nogil:
    cdef Py_ssize_t block, heading, after_text = 0
    cdef bint has_begun = False, is_kept
    for block in range(p.t.blocks):
        if at(&p.words, block)[0] <= 0 or beside[get(&p.t.kind, block)]:
            continue
        is_kept = at(&p.scores, block)[0] >= boundary
        if has_begun and is_kept and p.unlinked[block] >= UNIT_TEXT_WORDS:
            for heading in range(after_text, block):
                if may_announce(p, heading, boundary):
                    at(&p.scores, heading)[0] = boundary
        has_begun |= is_kept and p.unlinked[block] >= UNIT_PROSE_WORDS
        after_text = block + 1


# Units.


cdef void count_elements(Page* p) noexcept nogil:
    """Count the parts of units up to each block, and leave only headings and whole units in the list."""
    cdef Py_ssize_t number, block, count = 0
    cdef int32_t first, stop
    cdef uint16_t role
    memset(p.pieces, 0, 4 * (p.t.blocks + 1) * sizeof(int32_t))
    for number in range(p.elements.count):
        role = roles[p.element_tag[number]]
        first, stop = p.elements.first[number], p.elements.stop[number]
        p.pieces[first + 1] += role == ROLE_PIECE
        p.rows[first + 1] += role == ROLE_ROW
        p.tables[first + 1] += role == ROLE_TABLE
        p.shorts[first + 1] += role == ROLE_SHORT
        p.elements.first[count], p.elements.stop[count], p.element_tag[count] = first, stop, p.element_tag[number]
        count += role & (UNIT_WHOLE | ROLE_HEADING) != 0
    p.elements.count = count
    for block in range(p.t.blocks):
        p.pieces[block + 1] += p.pieces[block]
        p.rows[block + 1] += p.rows[block]
        p.tables[block + 1] += p.tables[block]
        p.shorts[block + 1] += p.shorts[block]


cdef bint is_whole(Page* p, uint16_t role, int32_t first, int32_t stop) noexcept nogil:
    cdef int32_t pieces = p.pieces[stop] - p.pieces[first]
    cdef int32_t rows = p.rows[stop] - p.rows[first]
    if stop - first > UNIT_MOST_IN_A_PIECE * <double>pieces:
        return False
    if role != ROLE_TABLE and p.shorts[stop] > p.shorts[first]:  # items are no posts
        return False
    if role == ROLE_TABLE and (rows < 2 or pieces < UNIT_LEAST_COLUMNS * <double>rows):
        return False
    return p.tables[stop] - p.tables[first] == (role == ROLE_TABLE)  # no table is inside


cdef inline void add(Stretches* found, int32_t first, int32_t stop) noexcept nogil:
    """Add a stretch, or join it with the last if they overlap."""
    if found.count == 0 or first >= found.stop[found.count - 1]:
        found.first[found.count], found.stop[found.count] = first, stop
        found.count += 1
    elif stop > found.stop[found.count - 1]:
        found.stop[found.count - 1] = stop


cdef void find_units(Page* p) noexcept nogil:
    cdef Py_ssize_t number, block
    cdef int32_t first, stop
    cdef uint16_t role
    cdef bint whole
    for number in range(p.elements.count):
        role = roles[p.element_tag[number]]
        if role == ROLE_HEADING:
            continue
        first, stop = p.elements.first[number], p.elements.stop[number]
        whole = is_whole(p, role, first, stop)
        if whole and role == ROLE_TABLE:
            for block in range(first, stop):
                p.marks[block] |= FIGURE
        if whole or role == ROLE_SHORT and stop - first <= UNIT_FEW:
            add(&p.units, first, stop)


cdef void raise_figures(Page* p) noexcept nogil:
    cdef Py_ssize_t block, figure, last = -1
    cdef float around
    for block in range(p.t.blocks):
        if get(&p.t.kind, block) == KIND_CODE:
            p.marks[block] |= FIGURE
        if p.marks[block] & FIGURE or at(&p.words, block)[0] <= UNIT_LABEL_WORDS or beside[get(&p.t.kind, block)]:
            continue
        if last >= 0:
            around = min(at(&p.scores, last)[0], at(&p.scores, block)[0])
            for figure in range(last + 1, block):
                if p.marks[figure] & FIGURE and at(&p.scores, figure)[0] < around:
                    at(&p.scores, figure)[0] = around
        last = block


cdef double count_kept(Page* p, Py_ssize_t first, Py_ssize_t stop, float boundary) noexcept nogil:
    cdef Py_ssize_t block
    cdef double kept = 0
    for block in range(first, stop):
        if at(&p.scores, block)[0] >= boundary:
            kept += at(&p.words, block)[0]
    return kept


cdef void level(Page* p, int32_t first, int32_t stop, double kept, float boundary) noexcept nogil:
    cdef Py_ssize_t block
    cdef double weight, weights = 0, total = 0, high = 0, best = 0  # the last two of blocks that are kept
    cdef double low
    cdef float mean, score
    cdef bint is_main = count_kept(p, first, stop, boundary) > UNIT_MAIN_SHARE * kept
    for block in range(first, stop):
        score = at(&p.scores, block)[0]
        weight = <double>at(&p.words, block)[0] + UNIT_LEAST_WEIGHT
        total += weight * score
        weights += weight
        if score >= boundary:
            best += weight * score
            high += weight
    p.marks[first] |= IS_TEXT
    low = weights - high
    if stop - first >= UNIT_MANY and p.traits & TRAIT_PARTS \
            and best * low - (total - best) * high > UNIT_UNEVEN * high * low:
        return
    mean = <float>(total / weights)
    for block in range(first, stop):
        at(&p.scores, block)[0] = max(mean, boundary) if is_main else mean
        p.marks[block] |= INSIDE


# What announces a text.


cdef inline bint ends_in(const char* start, const char* end, const char* text, Py_ssize_t length) noexcept nogil:
    return end - start >= length and memcmp(end - length, text, length) == 0


cdef bint ends_in_colon(const char* start, const char* end) noexcept nogil:
    cdef uint8_t last = (end - 1)[0]
    cdef bint is_spaced = last == c';' or last == 0xA0  # perhaps by spaces that do not break
    while end > start:
        last = (end - 1)[0]
        if last == c' ' or 9 <= last <= 13:
            end -= 1
        elif is_spaced and ends_in(start, end, b"&nbsp;", 6):
            end -= 6
        elif is_spaced and ends_in(start, end, b"\xc2\xa0", 2):
            end -= 2
        else:
            break
    return ends_in(start, end, b":", 1) or ends_in(start, end, b"\xef\xbc\x9a", 3)


cdef void find_lead_ins(Page* p) noexcept nogil:
    cdef Py_ssize_t block
    cdef int32_t end
    for block in range(p.t.blocks):
        end = get(&p.t.end, get(&p.t.stop_run, block) - 1)
        # The source was read long ago, and to fetch it again takes time.
        if at(&p.scores, block)[0] > UNIT_UNLIKELY and is_ending[<uint8_t>p.t.source[end - 1]] \
                and ends_in_colon(<const char*>p.t.source + max(end - UNIT_TAIL, 0), <const char*>p.t.source + end):
            p.lead_ins[p.lead_in_count] = <int32_t>block
            p.lead_in_count += 1


cdef void find_following(Page* p) noexcept nogil:
    cdef Py_ssize_t block, unit
    cdef int32_t following = <int32_t>p.t.blocks - 1
    for block in range(p.t.blocks - 1, -1, -1):
        p.next_text[block] = following
        if at(&p.words, block)[0] > 0 and not beside[get(&p.t.kind, block)]:
            following = <int32_t>block
        p.stops[block] = <int32_t>block + 1 if get(&p.t.kind, block) == KIND_CODE else 0
    for unit in range(p.units.count):
        p.stops[p.units.first[unit]] = p.units.stop[unit]


cdef void add_lead_ins(Page* p) noexcept nogil:
    cdef Py_ssize_t number, unit = 0
    cdef int32_t block, near
    for number in range(p.lead_in_count):
        block = p.lead_ins[number]
        near = p.next_text[block]
        if p.stops[near] == 0 and at(&p.words, near)[0] <= UNIT_LABEL_WORDS:
            near = p.next_text[near]
        if p.stops[near] > 0 and near > block:
            while unit < p.units.count and p.units.first[unit] <= block:
                add(&p.joined, p.units.first[unit], p.units.stop[unit])
                unit += 1
            add(&p.joined, block, p.stops[near])
    while unit < p.units.count:
        add(&p.joined, p.units.first[unit], p.units.stop[unit])
        unit += 1


cdef void lower_lead_ins(Page* p) noexcept nogil:
    cdef Py_ssize_t number
    cdef int32_t block, other
    cdef int step
    cdef float best
    for number in range(p.lead_in_count - 1, -1, -1):
        block = p.lead_ins[number]
        if p.marks[block] & INSIDE or at(&p.words, block)[0] > UNIT_ANNOUNCING_WORDS:
            continue
        other, best = block, 0
        for step in range(UNIT_REACH):
            other = p.next_text[other]
            best = max(best, at(&p.scores, other)[0])
        at(&p.scores, block)[0] = min(at(&p.scores, block)[0], best)


cdef void rank_headings(Page* p) noexcept nogil:
    """Of headings in each other the one that begins last counts."""
    cdef Py_ssize_t number = 0, block
    cdef int32_t rank = 0, stop = 0
    for block in range(p.t.blocks):
        while number < p.elements.count and p.elements.first[number] <= block:
            if roles[p.element_tag[number]] == ROLE_HEADING:
                rank, stop = p.element_tag[number], p.elements.stop[number]
            number += 1
        p.ranks[block] = 0
        if block >= stop or p.marks[block] & INSIDE or at(&p.words, block)[0] > UNIT_ANNOUNCING_WORDS:
            continue
        if p.traits & TRAIT_NAMES and 2.0 * p.unlinked[block] < at(&p.words, block)[0]:
            continue
        if get(&p.t.kind, block) == KIND_HEADING or get(&p.t.kind, block) == KIND_CONTROL:
            p.ranks[block] = rank if p.marks[block] & SEEN else UNIT_LOWEST_RANK
            p.marks[block] &= ~IS_TEXT


cdef void lower_headings(Page* p, float least) noexcept nogil:
    """From the last to the first. Headings are no text, so that sections are read before their headings change."""
    cdef Py_ssize_t block, height = 0
    cdef float best = 0, after = 1
    cdef uint8_t has_text = 0
    for block in range(p.t.blocks):
        if not p.ranks[block] and at(&p.scores, block)[0] >= least:
            after = 0
            break
    for block in range(p.t.blocks - 1, -1, -1):
        if not p.ranks[block]:
            best = max(best, at(&p.scores, block)[0])
            has_text |= p.marks[block] & IS_TEXT
            continue
        after = max(after, best)
        while height and p.below[height - 1] > p.ranks[block]:
            height -= 1
            best = max(best, p.bests[height])
            has_text |= p.have_text[height]
        p.below[height], p.bests[height], p.have_text[height] = p.ranks[block], best, has_text
        height += 1
        at(&p.scores, block)[0] = min(at(&p.scores, block)[0], best if has_text else after)
        best, has_text = 0, 0


cdef bint allocate(Page* p) noexcept nogil:
    """All of it is one piece, which begins at `kept`; whether there is memory for it."""
    cdef Py_ssize_t n = p.t.nodes, b = p.t.blocks + 1
    p.kept = <double*>malloc(b * sizeof(double) + (p.t.runs + 1 + 16 * b + 3 * n) * sizeof(int32_t) + 2 * b)
    if p.kept == NULL:
        return False
    p.block_at = <int32_t*>(p.kept + b)
    p.pieces = p.block_at + p.t.runs + 1
    p.rows = p.pieces + b
    p.tables = p.rows + b
    p.shorts = p.tables + b
    p.unlinked = p.shorts + b
    p.next_text = p.unlinked + b
    p.stops = p.next_text + b
    p.lead_ins = p.stops + b
    p.units.first = p.lead_ins + b
    p.units.stop = p.units.first + b
    p.joined.first = p.units.stop + b
    p.joined.stop = p.joined.first + b
    p.ranks = p.joined.stop + b
    p.below = p.ranks + b
    p.bests = <float*>(p.below + b)
    p.elements.first = <int32_t*>(p.bests + b)
    p.elements.stop = p.elements.first + n
    p.element_tag = p.elements.stop + n
    p.marks = <uint8_t*>(p.element_tag + n)
    p.have_text = p.marks + b
    p.lead_in_count = p.units.count = p.joined.count = 0
    return True


cdef bint settle(Page* p, float boundary) noexcept nogil:
    """Change the scores; whether there is memory for it."""
    cdef Py_ssize_t unit
    cdef double kept
    if not allocate(p):
        return False
    read_runs(p)
    list_elements(p)
    drop_outside(p, boundary)
    lower_asides(p, boundary)
    if p.traits & (TRAIT_ARTICLE | TRAIT_OFFERS):
        lower_links(p, boundary)
    if p.traits & TRAIT_ARTICLE:
        mend(p, boundary)
        raise_headings(p, boundary)
    count_elements(p)
    find_units(p)
    raise_figures(p)
    find_lead_ins(p)
    find_following(p)
    add_lead_ins(p)
    kept = count_kept(p, 0, p.t.blocks, boundary)
    for unit in range(p.joined.count):
        level(p, p.joined.first[unit], p.joined.stop[unit], kept, boundary)
    lower_lead_ins(p)
    if not p.traits & TRAIT_HEADLINES:
        rank_headings(p)
        lower_headings(p, boundary)
    free(p.kept)
    return True


def settle_scores(bytes source, tables, values, str page_type, float boundary):
    """Change the scores so that what belongs together is kept together."""
    cdef Page p
    cdef bint done
    take_page(&p.t, source, tables)
    take(&p.scores, values[0], p.t.blocks, 4, PyBUF_WRITABLE)
    take(&p.words, values[1], p.t.blocks)
    take(&p.topics, values[2], p.t.nodes, 8)
    p.traits, (p.first_aside, p.stop_aside) = traits_of.get(page_type, 0), asides_of.get(page_type, (0, 0))
    with nogil:
        done = settle(&p, boundary)
    if not done:
        raise MemoryError


cdef int find_kept(Page* p, const float* logits, const float* words, Py_ssize_t* kept) noexcept nogil:
    """Find for each block the copy of it that is kept; 0, or why that is not possible, as `find_all_originals` says it."""
    cdef Py_ssize_t block, count = p.t.blocks
    cdef Py_ssize_t* first
    cdef uint8_t* wanted
    cdef int problem
    if p.traits & TRAIT_REPEATS:
        for block in range(count):
            kept[block] = block
        return 0
    first = <Py_ssize_t*>malloc(count * (sizeof(Py_ssize_t) + 1))
    if first == NULL:
        return -1
    wanted = <uint8_t*>(first + count)
    for block in range(count):
        wanted[block] = words[block] >= NETWORK_COPY_WORDS and is_telling[get(&p.t.kind, block)]
    problem = find_all_originals(&p.t, wanted, first)
    if not problem:
        problem = choose_all_copies(&p.t, first, logits, p.traits & TRAIT_THREAD, kept)
    free(first)
    return problem


cdef int find_likeliest(const float* types) noexcept nogil:
    cdef int best = 0, number
    for number in range(1, NETWORK_TYPES):
        if types[number] > types[best]:
            best = number
    return best


cdef struct Answer:
    Logits given
    float boundary
    float* types
    float* chances
    float* scores
    int page_type
    double expected
    double sums[SUMS]


cdef object begin_answer(Page* p, Answer* a, rule):
    """Make arrays for the chances and the scores."""
    cdef Py_ssize_t blocks = p.t.blocks
    demand(blocks > 0)
    chances, scores = new_floats(blocks), new_floats(blocks)
    a.given.count = blocks
    (a.given.weight, a.given.least, a.given.lean), a.boundary = rule
    a.chances, a.scores = <float*>point(chances, blocks * sizeof(float)), <float*>point(scores, blocks * sizeof(float))
    p.scores, p.words = Column(<const char*>a.scores, sizeof(float)), Column(<const char*>a.given.words, sizeof(float))
    return chances, scores


cdef int find_answer(Page* p, Answer* a) noexcept nogil:
    """Decide which blocks to keep; 0, or why that is not possible, as `find_all_originals` says it."""
    cdef Py_ssize_t* kept = <Py_ssize_t*>malloc(p.t.blocks * sizeof(Py_ssize_t))
    cdef int problem
    if kept == NULL:
        return -1
    a.page_type = find_likeliest(a.types)
    p.traits = traits_at[a.page_type]
    p.first_aside, p.stop_aside = first_aside_at[a.page_type], stop_aside_at[a.page_type]
    problem = find_kept(p, a.given.logits, a.given.words, kept)
    if not problem:
        problem = cut_logits(&a.given, kept, a.chances, a.scores, &a.expected)
    if not problem and not settle(p, a.boundary):
        problem = -1
    if not problem:
        add_up(a.scores, a.chances, a.given.words, p.t.blocks, a.boundary, a.sums)
    free(kept)
    return problem


cdef object end_answer(Answer* a, arrays, int problem):
    cdef double* sums = a.sums
    cdef float* likely = a.types
    if problem < 0:
        raise MemoryError
    demand(not problem)
    chances, scores = arrays
    return chances, scores, page_types[a.page_type] if sums[1] >= NETWORK_TELLING_WORDS else "", (
        a.expected, sums[2] / (sums[0] + 1), sums[0] / (sums[1] + 1e-6), log1p(sums[0]) / 8,
        min(sums[3] / (sums[0] + 1), 2.0), sums[4], log1p(<double>a.given.count) / 8,
        likely[0], likely[1], likely[2], likely[3], likely[4], likely[5], likely[6],
    )


def decide_page(bytes source, tables, values, types, rule):
    """Decide which blocks of a page to keep: their chances, their scores, the page type, and the answer's measures."""
    cdef Page p
    cdef Answer a
    cdef int problem
    logits, words, topics = values
    take_page(&p.t, source, tables)
    take(&p.topics, topics, p.t.nodes, 8)
    a.types = <float*>point(types, NETWORK_TYPES * sizeof(float))
    a.given.words = <const float*>point(words, p.t.blocks * sizeof(float))
    a.given.logits = <const float*>point(logits, p.t.blocks * sizeof(float))
    arrays = begin_answer(&p, &a, rule)
    with nogil:
        problem = find_answer(&p, &a)
    return end_answer(&a, arrays, problem)


def answer_page(network, survey, page, rule):
    """Run a network over the survey of a page, and decide which blocks of the page to keep: what both of them return.

    A native network and a native survey need neither Python nor its lock in between.
    """
    cdef Page p
    cdef Answer a
    cdef NetworkRun r
    cdef RowSource* given
    cdef int problem = 0, failed
    made = getattr(survey, "source", None) if is_network(network) else None
    if made is None:
        logits, types = network.run(survey)
        return (logits, types), decide_page(*page, (logits, survey.words, survey.topics), types, rule)
    take_network(&r, network, made)
    given = <RowSource*>r.source
    p.t = (<const PageTables*>given.page_tables)[0]
    p.topics = Column(<const char*>given.topics, sizeof(uint64_t))
    logits, types = new_floats(p.t.blocks), new_floats(NETWORK_TYPES)
    r.logits, r.types = <float*>point(logits, p.t.blocks * sizeof(float)), <float*>point(types, NETWORK_TYPES * sizeof(float))
    a.given.words, a.given.logits, a.types = given.words, r.logits, r.types
    arrays = begin_answer(&p, &a, rule)
    with nogil:
        failed = run_network(&r)
        if not failed:
            problem = find_answer(&p, &a)
    if failed != NO_MEMORY:
        given.state = READY
    demand(failed != NO_FIT)
    return (logits, types), end_answer(&a, arrays, -1 if failed else problem)


def estimate_f1(curve, measures):
    """Estimate the F1 of an answer by a logistic curve over its measures and their squares."""
    cdef tuple weights = tuple(curve), values = tuple(measures)
    cdef Py_ssize_t count = len(values), number
    cdef double logit, measure
    if len(weights) != 1 + 2 * count:
        raise IndexError("a curve has a bias and two weights for each measure")
    logit = weights[0]
    for number in range(count):
        measure = values[number]
        logit += <double>weights[1 + number] * measure
    for number in range(count):
        measure = values[number]
        logit += <double>weights[1 + count + number] * (measure * measure)
    return 1 / (1 + exp(-min(max(logit, -UNIT_SURE_ANSWER), UNIT_SURE_ANSWER)))
