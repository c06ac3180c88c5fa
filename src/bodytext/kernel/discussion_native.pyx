# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Find and measure the posts of a discussion: the native twin of `discussion.py`, which explains it."""

from libc.stdint cimport int8_t, int32_t, int64_t, uint8_t

import numpy as np

include "constants.pxi"
include "columns.pxi"
include "page_tables.pxi"

cdef enum:
    HIGHEST_CLIMB = 40
    ENOUGH_UNITS = 3

cdef enum:
    ALL, FREE, UNITS, WORDS, OTHER_WORDS, ROWS  # of a name

cdef double RANK_WORTH = 0.1
cdef double SIGNED = 0.6


cdef inline Py_ssize_t at(const Column* column, Py_ssize_t row) noexcept nogil:
    return (<const Py_ssize_t*>(column.data + row * column.stride))[0]


cdef Py_ssize_t take_numbers(Column* column, object array) except -1:
    """Point into an array of numbers, which the caller keeps; return how many there are."""
    take(column, array, len(array), sizeof(Py_ssize_t))
    return len(array)


cdef int take_nodes(PageTables* page, object nodes) except -1:
    """Point into the table of nodes, and make sure that parents come first."""
    cdef Py_ssize_t row
    cdef bint fit = True
    page.nodes = take_table(&page.tag, nodes, 4)
    for row in range(page.nodes):
        fit &= -1 <= get(&page.parent, row) < row
    return demand(fit)


cdef struct Pairs:
    Column node, key
    Py_ssize_t count


cdef int take_pairs(Pairs* pairs, object arrays, Py_ssize_t nodes, Py_ssize_t names) except -1:
    """Point into nodes and the names of each, and make sure that there are such."""
    cdef Py_ssize_t row
    cdef bint fit = True
    pairs.count = take_numbers(&pairs.node, arrays[0])
    demand(take_numbers(&pairs.key, arrays[1]) == pairs.count)
    for row in range(pairs.count):
        fit &= 0 <= at(&pairs.node, row) < nodes and 0 <= at(&pairs.key, row) < names
    return demand(fit)


cdef Py_ssize_t take_owner(Column* owner, object array, Py_ssize_t units) except -1:
    """Point into the units of nodes, and make sure that there are such; return how many nodes there are."""
    cdef Py_ssize_t row, count = take_numbers(owner, array)
    cdef bint fit = True
    for row in range(count):
        fit &= -1 <= at(owner, row) < units
    demand(fit)
    return count


cdef object as_numbers(list values):
    return np.array(values, np.intp)


cdef bint are_apart(const PageTables* p, const Column* members, Py_ssize_t count) noexcept nogil:
    """Whether no member of a group is inside another."""
    cdef Py_ssize_t row
    for row in range(count - 1):
        if get(&p.node_stop, at(members, row)) > get(&p.node_first, at(members, row + 1)):
            return False
    return True


cdef Py_ssize_t climb(const PageTables* p, const uint8_t* allowed, Py_ssize_t node, int32_t low, int32_t high) noexcept nogil:
    """The largest allowed element around a node between two runs."""
    cdef int32_t above
    cdef int level
    for level in range(HIGHEST_CLIMB):
        above = get(&p.parent, node)
        if above < 0 or get(&p.node_first, above) < low or get(&p.node_stop, above) > high or not allowed[above]:
            break
        node = above
    return node


cdef object widen(const PageTables* p, object group, const uint8_t* allowed):
    cdef Column members
    cdef Py_ssize_t count = take_numbers(&members, group), row, unit, last = -1
    cdef int32_t low, high
    cdef bint is_sorted = True
    for row in range(count):
        demand(0 <= at(&members, row) < p.nodes)
    if count < 2 or not are_apart(p, &members, count):
        return group
    units = []
    for row in range(count):
        low = get(&p.node_stop, at(&members, row - 1)) if row else -1
        high = get(&p.node_first, at(&members, row + 1)) if row + 1 < count else 0x7FFFFFFF
        unit = climb(p, allowed, at(&members, row), low, high)
        is_sorted &= unit > last
        last = unit
        units.append(unit)
    return as_numbers(units if is_sorted else sorted(set(units)))


def widen_groups(nodes, groups, allowed):
    """The nodes of each group, each widened to the largest allowed element with no other of it."""
    cdef PageTables p
    take_nodes(&p, nodes)
    cdef const uint8_t* marks = <const uint8_t*>point(allowed, p.nodes)
    return [widen(&p, group, marks) for group in groups]


cdef struct Signs:
    Column rows[4]  # nodes that are authors, dates and forms, and runs that are dates
    Py_ssize_t count[4]
    Column words


cdef int take_signs(Signs* signs, object arrays, object words, Py_ssize_t nodes, Py_ssize_t runs) except -1:
    """Point into the signs of a page and the words of its runs, and make sure that there are such."""
    cdef Py_ssize_t kind, row
    cdef bint fit = len(arrays) == 4
    demand(fit)
    take(&signs.words, words, runs)
    for kind in range(4):
        signs.count[kind] = take_numbers(&signs.rows[kind], arrays[kind])
        for row in range(signs.count[kind]):
            fit &= 0 <= at(&signs.rows[kind], row) < (nodes if kind < 3 else runs)
    return demand(fit)


cdef void measure(
    const Signs* signs, const Column* owner, const Column* owner_of_run, Py_ssize_t runs, Py_ssize_t count, uint8_t* marks,
    Py_ssize_t* sums
) noexcept nogil:
    """Mark the units that have an author, a date and a form, and add up the words of each."""
    cdef Py_ssize_t kind, row, unit
    for kind in range(4):
        for row in range(signs.count[kind]):
            unit = at(owner if kind < 3 else owner_of_run, at(&signs.rows[kind], row))
            if unit >= 0:
                marks[(kind if kind < 3 else 1) * count + unit] = 1
    for row in range(runs):
        unit = at(owner_of_run, row)
        if unit >= 0:
            sums[unit] += get(&signs.words, row)


def measure_parts(owners, Py_ssize_t count, signs, words):
    """Which units have an author, a date and a form, and the words of each."""
    cdef Column owner, owner_of_run
    cdef Signs page_signs
    demand(count >= 0)
    cdef Py_ssize_t nodes = take_owner(&owner, owners[0], count), runs = take_owner(&owner_of_run, owners[1], count)
    take_signs(&page_signs, signs, words, nodes, runs)
    found, added = np.zeros((3, count), np.bool_), np.zeros(count, np.intp)
    cdef uint8_t* marks = <uint8_t*>point(found, 3 * count)
    measure(&page_signs, &owner, &owner_of_run, runs, count, marks, <Py_ssize_t*>point(added, count * sizeof(Py_ssize_t)))
    return found[0], found[1], found[2], added


cdef int take_tables(PageTables* p, object tables) except -1:
    """Point into the tables of nodes and runs, and make sure that runs are in nodes."""
    cdef Py_ssize_t row
    cdef bint fit = True
    take_nodes(p, tables[0])
    p.runs = take_table(&p.start, tables[1], 7)
    for row in range(p.runs):
        fit &= 0 <= get(&p.run_node, row) < p.nodes
    return demand(fit)


cdef int own(const PageTables* p, const Column* units, Py_ssize_t count, Py_ssize_t* owner, Py_ssize_t* owner_of_run) except -1:
    """Find the unit around each node and each run."""
    cdef Py_ssize_t row
    for row in range(p.nodes):
        owner[row] = -1
    for row in range(count):
        demand(0 <= at(units, row) < p.nodes)
        owner[at(units, row)] = row
    for row in range(p.nodes):
        if owner[row] < 0 and get(&p.parent, row) >= 0:
            owner[row] = owner[get(&p.parent, row)]
    for row in range(p.runs):
        owner_of_run[row] = owner[get(&p.run_node, row)]
    return 0


def own_parts(tables, units):
    """The unit around each node and around each run, or -1."""
    cdef PageTables p
    cdef Column chosen
    cdef Py_ssize_t count = take_numbers(&chosen, units)
    take_tables(&p, tables)
    owners = np.empty(p.nodes, np.intp), np.empty(p.runs, np.intp)
    own(
        &p, &chosen, count,
        <Py_ssize_t*>point(owners[0], p.nodes * sizeof(Py_ssize_t)), <Py_ssize_t*>point(owners[1], p.runs * sizeof(Py_ssize_t)),
    )
    return owners


cdef bint is_discussion(const uint8_t* marks, const Py_ssize_t* words, Py_ssize_t count, Py_ssize_t fewest) noexcept nogil:
    cdef Py_ssize_t unit, full = 0, valid = 0
    for unit in range(count):
        full += words[unit] != 0
        valid += words[unit] > 0 and (marks[unit] | marks[count + unit]) != 0
    if count < fewest or not valid or valid < SIGNED * full:
        return False
    return count > 1 or (marks[0] != 0 and marks[1] != 0 and marks[2] == 0)


cdef inline Column as_column(const Py_ssize_t* numbers) noexcept:
    cdef Column column
    column.data, column.stride = <const char*>numbers, sizeof(Py_ssize_t)
    return column


def measure_groups(tables, groups, signs, words, Py_ssize_t fewest):
    """What is in the units of each group that is a discussion, None for the others."""
    cdef PageTables p
    cdef Signs page_signs
    cdef Column units, owner, owner_of_run
    cdef list kept = []
    cdef Py_ssize_t count
    cdef uint8_t* marks
    cdef Py_ssize_t* sums
    take_tables(&p, tables)
    take_signs(&page_signs, signs, words, p.nodes, p.runs)
    cdef Py_ssize_t* owners = make_numbers(kept, p.nodes)
    cdef Py_ssize_t* owners_of_runs = make_numbers(kept, p.runs)
    owner, owner_of_run = as_column(owners), as_column(owners_of_runs)
    measured = []
    for group in groups:
        count = take_numbers(&units, group)
        own(&p, &units, count, owners, owners_of_runs)
        found, added = np.zeros((3, count), np.bool_), np.zeros(count, np.intp)
        marks, sums = <uint8_t*>point(found, 3 * count), <Py_ssize_t*>point(added, count * sizeof(Py_ssize_t))
        measure(&page_signs, &owner, &owner_of_run, p.runs, count, marks, sums)
        is_kept = is_discussion(marks, sums, count, fewest)
        measured.append((found[0], found[1], found[2], added) if is_kept else None)
    return measured


cdef Py_ssize_t* make_numbers(list kept, Py_ssize_t count) except NULL:
    """An array of zeros, which a list keeps."""
    array = np.zeros(count + 1, np.intp)
    kept.append(array)
    return <Py_ssize_t*>point(array, (count + 1) * sizeof(Py_ssize_t))


cdef int count_bearers(
    const Pairs* pairs, Py_ssize_t names, const Column* owner, Py_ssize_t units, int64_t* bearers
) except -1:
    """Count the units that have a node with each name: pairs in the order of their names have each unit once."""
    cdef list kept = []
    cdef Py_ssize_t row, place, key, unit
    cdef Py_ssize_t* places = make_numbers(kept, names + 1)
    cdef Py_ssize_t* order = make_numbers(kept, pairs.count)
    cdef Py_ssize_t* last = make_numbers(kept, units)
    for row in range(pairs.count):
        places[at(&pairs.key, row) + 1] += 1
    for key in range(names):
        places[key + 1] += places[key]
    for row in range(pairs.count):
        key = at(&pairs.key, row)
        order[places[key]] = row
        places[key] += 1
    for place in range(pairs.count):
        key, unit = at(&pairs.key, order[place]), at(owner, at(&pairs.node, order[place]))
        if last[unit] != key + 1:
            last[unit] = key + 1
            bearers[key] += 1
    return 0


def add_up(nodes, columns):
    """The sums of run columns over each node, a row for each column."""
    cdef PageTables p
    cdef Column numbers
    cdef list kept = []
    cdef Py_ssize_t row, run, runs, node
    cdef int32_t* sums
    take_nodes(&p, nodes)
    added = np.empty((len(columns), p.nodes), np.int32)
    sums = <int32_t*>point(added, len(columns) * p.nodes * sizeof(int32_t))
    for row, column in enumerate(columns):
        runs = len(column)
        take(&numbers, column, runs)
        total = make_numbers(kept, runs)
        for run in range(runs):
            total[run + 1] = total[run] + get(&numbers, run)
        for node in range(p.nodes):
            demand(0 <= get(&p.node_first, node) <= get(&p.node_stop, node) <= runs)
            sums[row * p.nodes + node] = <int32_t>(total[get(&p.node_stop, node)] - total[get(&p.node_first, node)])
    return added


cdef class FewPairs:
    """Some of the pairs of nodes and names."""

    cdef object nodes, keys
    cdef Py_ssize_t* node
    cdef Py_ssize_t* key
    cdef Py_ssize_t count

    def __cinit__(self, Py_ssize_t most):
        cdef Py_ssize_t size = most * sizeof(Py_ssize_t)
        self.nodes, self.keys = np.empty(most, np.intp), np.empty(most, np.intp)
        self.node, self.key = <Py_ssize_t*>point(self.nodes, size), <Py_ssize_t*>point(self.keys, size)

    cdef void add(self, Py_ssize_t node, Py_ssize_t key) noexcept:
        self.node[self.count], self.key[self.count] = node, key
        self.count += 1

    cdef Pairs view(self) noexcept:
        cdef Pairs pairs
        pairs.node, pairs.key, pairs.count = as_column(self.node), as_column(self.key), self.count
        return pairs


def choose_nodes(pairs, Py_ssize_t names, owner, Py_ssize_t units, rank):
    """For each unit the ranked node whose name the most units share, or -1."""
    cdef Pairs listed, fit
    cdef Column owners, ranks
    cdef list kept = []
    cdef Py_ssize_t nodes = take_owner(&owners, owner, units), row, node, unit
    cdef Py_ssize_t* chosen
    cdef double* worth
    cdef double* best
    demand(units >= 0 and names >= 0)
    take_pairs(&listed, pairs, nodes, names)
    take(&ranks, rank, nodes, 1)
    found = np.full(units, -1, np.intp)
    cdef FewPairs few = FewPairs(listed.count)
    for row in range(listed.count):
        node = at(&listed.node, row)
        if rank_of(&ranks, node) > 0 and at(&owners, node) >= 0:
            few.add(node, at(&listed.key, row))
    if not few.count:
        return found
    fit = few.view()
    counted, worths, bests = np.zeros(names, np.int64), np.empty(fit.count), np.zeros(units)
    cdef int64_t* bearers = <int64_t*>point(counted, names * sizeof(int64_t))
    worth, best = <double*>point(worths, fit.count * sizeof(double)), <double*>point(bests, units * sizeof(double))
    count_bearers(&fit, names, &owners, units, bearers)
    for row in range(fit.count):
        worth[row] = <double>bearers[few.key[row]] / units
        worth[row] += RANK_WORTH * rank_of(&ranks, few.node[row])
        unit = at(&owners, few.node[row])
        best[unit] = max(best[unit], worth[row])
    cdef Py_ssize_t* alike = make_numbers(kept, nodes)  # best names of each node
    if units >= ENOUGH_UNITS:
        for row in range(fit.count):
            alike[few.node[row]] += worth[row] >= best[at(&owners, few.node[row])]
    chosen = <Py_ssize_t*>point(found, units * sizeof(Py_ssize_t))
    for row in range(fit.count):
        node = few.node[row]
        unit = at(&owners, node)
        if worth[row] >= best[unit] and comes_before(alike, node, chosen[unit]):
            chosen[unit] = node
    return found


cdef inline int rank_of(const Column* ranks, Py_ssize_t node) noexcept nogil:
    return (<const int8_t*>(ranks.data + node * ranks.stride))[0]


cdef inline bint comes_before(const Py_ssize_t* alike, Py_ssize_t node, Py_ssize_t other) noexcept nogil:
    """Whether a node has more of the best names than another, or as many and is before it."""
    return other < 0 or alike[node] > alike[other] or (alike[node] == alike[other] and node < other)


cdef Py_ssize_t count_before(const PageTables* p, const Column* units, Py_ssize_t count, int32_t run) noexcept nogil:
    """How many units start before a run."""
    cdef Py_ssize_t low = 0, middle
    while low < count:
        middle = (low + count) // 2
        if get(&p.node_first, at(units, middle)) < run:
            low = middle + 1
        else:
            count = middle
    return low


cdef bint is_free(const PageTables* p, const Column* units, Py_ssize_t count, const Column* fields, Py_ssize_t node, Py_ssize_t unit) noexcept nogil:
    """Whether a node of a unit has no field and no start of another unit in it."""
    cdef int32_t first = get(&p.node_first, node), stop = get(&p.node_stop, node)
    cdef Py_ssize_t within
    if first <= at(fields, unit) < stop or first <= at(fields + 1, unit) < stop:
        return False
    within = count_before(p, units, count, stop) - count_before(p, units, count, first)
    return within - (get(&p.node_first, at(units, unit)) >= first) <= 0


def weigh_names(pairs, Py_ssize_t names, nodes, parts, words):
    """The pairs whose nodes hold nothing but text of their unit, and what each name has."""
    cdef PageTables p
    cdef Pairs listed, fit
    cdef Column owners, units
    cdef Column runs[2]
    cdef Column counted[2]
    cdef Py_ssize_t count = take_numbers(&units, parts[1]), row, node, key, unit
    demand(names >= 0)
    take_nodes(&p, nodes)
    demand(take_owner(&owners, parts[0], count) == p.nodes)
    for row in range(count):
        demand(0 <= at(&units, row) < p.nodes)
    for row in range(2):
        demand(take_numbers(runs + row, parts[2 + row]) == count)
        take(counted + row, words[row], p.nodes)
    take_pairs(&listed, pairs, p.nodes, names)
    sums = np.zeros((ROWS, names), np.int64)
    cdef int64_t* rows = <int64_t*>point(sums, ROWS * names * sizeof(int64_t))
    cdef FewPairs few = FewPairs(listed.count)
    for row in range(listed.count):
        node, key = at(&listed.node, row), at(&listed.key, row)
        unit = at(&owners, node)
        if unit < 0 or get(&p.node_first, node) >= get(&p.node_stop, node):
            continue
        rows[ALL * names + key] += 1
        if is_free(&p, &units, count, runs, node, unit):
            few.add(node, key)
            rows[FREE * names + key] += 1
            rows[WORDS * names + key] += get(counted, node)
            rows[OTHER_WORDS * names + key] += get(counted + 1, node)
    fit = few.view()
    count_bearers(&fit, names, &owners, count, rows + UNITS * names)
    return (few.nodes[:few.count], few.keys[:few.count]), sums


def choose_texts(pairs, nodes, owner, Py_ssize_t units, worth):
    """For each unit its nodes with the name that is worth most, if it is worth anything."""
    cdef PageTables p
    cdef Pairs listed
    cdef Column owners
    cdef list kept = []
    cdef Py_ssize_t names = len(worth), row, node, unit, key
    cdef int32_t last = -1
    cdef const double* weights = <const double*>point(worth, names * sizeof(double))
    demand(units >= 0)
    take_nodes(&p, nodes)
    demand(take_owner(&owners, owner, units) == p.nodes)
    take_pairs(&listed, pairs, p.nodes, names)
    cdef Py_ssize_t* best = make_numbers(kept, units)  # the pair of each, from 1 on
    texts = [[] for _ in range(units)]
    for row in range(listed.count):
        node, key = at(&listed.node, row), at(&listed.key, row)
        unit = at(&owners, node)
        demand(unit >= 0)
        if not best[unit] or is_better(&listed, weights, row, best[unit] - 1):
            best[unit] = row + 1
    for row in range(listed.count):
        node, key = at(&listed.node, row), at(&listed.key, row)
        unit = at(&owners, node)
        if key == at(&listed.key, best[unit] - 1) and weights[key] > 0 and get(&p.node_first, node) >= last:
            texts[unit].append(node)
            last = get(&p.node_stop, node)
    return texts


cdef inline bint is_better(const Pairs* pairs, const double* worth, Py_ssize_t row, Py_ssize_t other) noexcept nogil:
    """Whether a pair has a name that is worth more, or as much and its node is later."""
    cdef double here = worth[at(&pairs.key, row)], there = worth[at(&pairs.key, other)]
    return here > there or (here == there and at(&pairs.node, row) > at(&pairs.node, other))
