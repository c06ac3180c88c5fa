"""Find and measure the posts of a discussion, in Python: the specification of `discussion_native.pyx`.

Posts are parts of a page: each is a node, its unit, with all that is inside it and in no other
unit. numpy could do it all. But pages are small, and a call of numpy takes as long as the work.
"""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from bodytext.kernel.scanner import nearest_marked
from bodytext.kernel.table_columns import NodeColumn, RunColumn

Column = npt.NDArray[np.int32]
Numbers = npt.NDArray[np.intp]
Ranks = npt.NDArray[np.int8]
Mask = npt.NDArray[np.bool_]
Weights = npt.NDArray[np.float64]
Signs = tuple[Numbers, Numbers, Numbers, Numbers]
Measures = tuple[Mask, Mask, Mask, Numbers]

HIGHEST_CLIMB = 40  # levels from a node up to its unit: a bound that no honest page comes near
RANK_WORTH = 0.1  # of a rank, against the share of the units that have a name
ENOUGH_UNITS = 3
SIGNED = 0.6  # of the units must have an author or a date; some users are deleted
_OF_NODE = (NodeColumn.PARENT, NodeColumn.FIRST_RUN, NodeColumn.STOP_RUN)


def widen_groups(
    nodes: Sequence[Column] | Column, groups: Sequence[Numbers], allowed: Mask
) -> list[Numbers]:
    """Return the nodes of each group, each widened to the largest allowed element with no other of it.

    Nodes are in order. Those of a group in which some are inside each other stay as they are, and
    so does a single one.
    """
    columns = tuple(nodes[column].tolist() for column in _OF_NODE)
    return [_widen(columns, members, allowed) for members in groups]


def _widen(columns: tuple[list[int], ...], members: Numbers, allowed: Mask) -> Numbers:
    parent, first, stop = columns
    numbers = members.tolist()
    lows = [-1, *(stop[node] for node in numbers[:-1])]
    highs = [*(first[node] for node in numbers[1:]), 2**31]
    if len(numbers) < 2 or any(
        stop[node] > high for node, high in zip(numbers, highs, strict=True)
    ):
        return members
    units = []
    for node, low, high in zip(numbers, lows, highs, strict=True):
        unit = node
        for _ in range(HIGHEST_CLIMB):
            above = parent[unit]
            if above < 0 or first[above] < low or stop[above] > high or not allowed[above]:
                break
            unit = above
        units.append(unit)
    return np.array(sorted(set(units)), np.intp)


def measure_groups(
    tables: Sequence[Sequence[Column] | Column],
    groups: Sequence[Numbers],
    signs: Signs,
    words: Column,
    fewest: int,
) -> list[Measures | None]:
    """Return what is in the units of each group that is a discussion, None for the others.

    In a discussion of the `fewest` units or more, most units with words look like posts. A single
    one needs author and date, and no form. The arguments are those of `measure_parts`.
    """
    measured = [
        measure_parts(own_parts(tables, units), len(units), signs, words) for units in groups
    ]
    return [each if is_discussion(each, fewest) else None for each in measured]


def is_discussion(measures: Measures, fewest: int) -> bool:
    """Return whether units with such measures are a discussion."""
    author, date, form, words = measures
    full, valid = np.count_nonzero(words), np.count_nonzero((author | date) & (words > 0))
    if len(words) < fewest or not valid or valid < SIGNED * full:
        return False
    return len(words) > 1 or bool(author[0] and date[0] and not form[0])


def own_parts(
    tables: Sequence[Sequence[Column] | Column], units: Numbers
) -> tuple[Numbers, Numbers]:
    """Return for each node and for each run the unit around it, or -1.

    Of several around it, and of a node that is a unit itself, it is the innermost.
    """
    parent, run_nodes = tables[0][NodeColumn.PARENT], tables[1][RunColumn.NODE]
    marked = np.zeros(len(parent), np.bool_)
    marked[units] = True
    place = np.full(len(parent) + 1, -1, np.intp)
    place[units] = np.arange(len(units))
    owner: Numbers = place[nearest_marked(marked, parent)]
    return owner, owner[run_nodes]


def measure_parts(
    owners: tuple[Numbers, Numbers],
    count: int,
    signs: Signs,
    words: Column,
) -> Measures:
    """Return which units have an author, a date and a form, and the words of each.

    `owners` are the units of nodes and of runs; `signs` are the nodes that are authors, dates and
    forms, and the runs that are dates.
    """
    owner, owner_of_run = owners

    def has_any(owned: Numbers) -> Mask:
        found = np.zeros(count + 1, np.bool_)
        found[owned] = True  # the last one stands for no unit
        return found[:-1]

    author, date, form = (has_any(owner[numbers]) for numbers in signs[:3])
    date |= has_any(owner_of_run[signs[3]])
    sums = np.bincount(owner_of_run + 1, words, count + 1)[1:].astype(np.intp)
    return author, date, form, sums


def add_up(nodes: Sequence[Column] | Column, columns: Sequence[Column]) -> Column:
    """Return the sums of run columns over each node, a row for each column."""
    sums = np.zeros((len(columns), len(nodes[NodeColumn.TAG])), np.int32)
    for row, column in enumerate(columns):
        total = np.zeros(len(column) + 1, np.int32)
        np.cumsum(column, out=total[1:], dtype=np.int32)
        sums[row] = total[nodes[NodeColumn.STOP_RUN]] - total[nodes[NodeColumn.FIRST_RUN]]
    return sums


def choose_nodes(
    pairs: tuple[Numbers, Numbers], names: int, owner: Numbers, units: int, rank: Ranks
) -> Numbers:
    """Return for each unit the ranked node whose name the most units share, or -1.

    A node of a higher rank counts more. Of several such nodes the one with the most such names
    counts, if there are enough units, and then the first. `pairs` are nodes in order, with the
    number of a name of each; `owner` is the unit of each node.
    """
    chosen = np.full(units, -1, np.intp)
    fit = (rank[pairs[0]] > 0) & (owner[pairs[0]] >= 0)
    node, key = pairs[0][fit], pairs[1][fit]
    if not len(node):
        return chosen
    of_node = owner[node]
    shared = np.unique(key * units + of_node)
    bearers = np.bincount(shared // units, minlength=names)
    worth = bearers[key] / units + RANK_WORTH * rank[node]
    best = np.zeros(units)
    np.maximum.at(best, of_node, worth)
    alike = np.bincount(node[worth >= best[of_node]], minlength=len(rank))
    alike *= units >= ENOUGH_UNITS
    order = np.lexsort((node, -alike[node], -worth, of_node))
    owners, first = np.unique(of_node[order], return_index=True)
    chosen[owners] = node[order][first]
    return chosen


def weigh_names(
    pairs: tuple[Numbers, Numbers],
    names: int,
    nodes: Sequence[Column] | Column,
    parts: tuple[Numbers, Numbers, Numbers, Numbers],
    words: tuple[Column, Column],
) -> tuple[tuple[Numbers, Numbers], npt.NDArray[np.int64]]:
    """Return the pairs whose nodes hold nothing but text of their unit, and what each name has.

    Such a node has text, and neither a field nor the start of another unit in it. A name has rows
    for its nodes in units, for those of them that are free, for the units with one of these, and
    for both words of these nodes. `parts` are the unit of each node, the units, and the runs of two
    fields of each unit, or -1.
    """
    first, stop = nodes[NodeColumn.FIRST_RUN], nodes[NodeColumn.STOP_RUN]
    owner, units, *fields = parts
    inside = (owner[pairs[0]] >= 0) & (first[pairs[0]] < stop[pairs[0]])
    node, key = pairs[0][inside], pairs[1][inside]
    of_node = owner[node]
    free = np.ones(len(node), np.bool_)
    for field in fields:
        run = field[of_node]
        free &= ~((first[node] <= run) & (run < stop[node]))
    starts = first[units]
    within = np.searchsorted(starts, stop[node]) - np.searchsorted(starts, first[node])
    free &= within - (starts[of_node] >= first[node]) <= 0
    sums = np.zeros((5, names), np.int64)
    np.add.at(sums[0], key, 1)
    node, key = node[free], key[free]
    np.add.at(sums[1], key, 1)
    np.add.at(sums[2], np.unique(key * len(units) + owner[node]) // max(len(units), 1), 1)
    for row, column in enumerate(words, 3):
        np.add.at(sums[row], key, column[node])
    return (node, key), sums


def choose_texts(
    pairs: tuple[Numbers, Numbers],
    nodes: Sequence[Column] | Column,
    owner: Numbers,
    units: int,
    worth: Weights,
) -> list[list[int]]:
    """Return for each unit its nodes with the name that is worth most, if it is worth anything.

    Of names that are worth the same, that of the last node counts. Nodes inside another one are
    left out.
    """
    first, stop = nodes[NodeColumn.FIRST_RUN], nodes[NodeColumn.STOP_RUN]
    node, key = pairs
    of_node = owner[node]
    order = np.lexsort((-node, -worth[key], of_node))
    owners, places = np.unique(of_node[order], return_index=True)
    best = np.full(units, -1, np.intp)
    best[owners] = key[order][places]
    chosen = (key == best[of_node]) & (worth[key] > 0)
    texts: list[list[int]] = [[] for _ in range(units)]
    last = -1
    for text, unit in zip(node[chosen].tolist(), of_node[chosen].tolist(), strict=True):
        if first[text] >= last:
            texts[unit].append(text)
            last = int(stop[text])
    return texts
