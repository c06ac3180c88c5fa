"""Measure a page for the inspector's figures, one for each of the published methods."""

from itertools import islice
from typing import Any

import numpy as np
import numpy.typing as npt

from bodytext.methods.cuter import Cuter, Label, label_nodes
from bodytext.methods.density import FIXED_THRESHOLD, line_bytes, measure_lines
from bodytext.methods.finn import best_stretch
from bodytext.methods.spread import Spread
from bodytext.page.tables import Page, running_sum
from bodytext.studio.inspector.block_columns import name_node

MOST_STEPS = 60  # of the descent; real pages have a dozen
MOST_NODES = 4_000  # in the figure of node kinds: those with the most text
MOST_LEVELS = 24


def measure_figures(page: Page) -> dict[str, Any]:
    """Return the numbers of all figures of a page."""
    return {
        "lines": _lines(page),
        "plateau": _plateau(page),
        "descent": _descent(page),
        "kinds": _kinds(page),
    }


def _lines(page: Page) -> dict[str, Any]:
    """Return the bytes and the density of each line; a line is a block."""
    html, text = line_bytes(page)
    density = measure_lines(page)[:, 0] if len(page) else np.zeros(0)
    return {
        "html": html.astype(int).tolist(),
        "text": text.astype(int).tolist(),
        "density": [round(value, 3) for value in density.tolist()],
        "threshold": FIXED_THRESHOLD,
    }


def _plateau(page: Page) -> dict[str, Any]:
    """Return each block's place among all tokens, the tags before it, and the chosen stretch."""
    runs, blocks = page.runs, page.blocks
    tags = np.cumsum(runs.tags)
    words = running_sum(runs.words)
    begin = tags + words[:-1] if len(tags) else words[:0]  # of each run's words
    first, stop = best_stretch(runs.tags, runs.words)
    chosen = [0, 0]
    if stop:
        chosen = [int(begin[first]), int(begin[stop - 1] + runs.words[stop - 1])]
    last = blocks.stop_run - 1
    return {
        "begin": begin[blocks.first_run].tolist(),
        "end": (begin[last] + runs.words[last]).tolist(),
        "tags": tags[blocks.first_run].tolist(),
        "tags_after": tags[last].tolist(),
        "tokens": int(page.tags + words[-1]),
        "all_tags": page.tags,
        "chosen": chosen,
    }


def _descent(page: Page) -> dict[str, Any]:
    """Return the steps of the descent: name, children, spread, characters, blocks."""
    method = Spread()
    chars = page.per_node(page.runs.chars)
    steps: list[dict[str, Any]] = []
    for step in islice(method.descend(page), MOST_STEPS) if len(page) else ():
        first, stop = _blocks_of(page, step.node)
        steps.append(
            {
                "name": name_node(page, step.node),
                "children": step.children,
                "spread": round(step.spread, 2),
                "chars": int(chars[step.node]),
                "first": first,
                "stop": stop,
            }
        )
    branching = (number for number, step in enumerate(steps) if step["children"] > 1)
    chosen = max(branching, default=len(steps) - 1)
    return {"steps": steps, "stop": method.stop, "chosen": chosen}


def _blocks_of(page: Page, node: int) -> tuple[int, int]:
    """Return the blocks inside a node: first and stop."""
    blocks = page.blocks
    first = int(np.searchsorted(blocks.first_run, page.nodes.first_run[node]))
    return first, int(np.searchsorted(blocks.stop_run, page.nodes.stop_run[node], side="right"))


def _kinds(page: Page) -> dict[str, Any]:
    """Return CUTER's kind of each node with text: level, first and stop block, kind, name."""
    method = Cuter()
    labels = label_nodes(page, method)
    nodes = page.nodes
    size = page.per_node(page.runs.bytes)
    level = _levels(page, size)
    shown = np.flatnonzero((size > 0) & (level < MOST_LEVELS) & (level >= 0))
    shown = np.sort(shown[np.argsort(-size[shown], kind="stable")[:MOST_NODES]])
    kinds = [label.value for label in Label]
    rows = []
    for node in shown.tolist():
        first = int(np.searchsorted(page.blocks.first_run, nodes.first_run[node], side="right")) - 1
        stop = int(np.searchsorted(page.blocks.stop_run, nodes.stop_run[node]))
        kind = kinds.index(str(labels[node]))
        rows.append([int(level[node]), first, stop + 1, kind, name_node(page, node)])
    return {
        "kinds": kinds,
        "nodes": rows,
        "counts": _count(labels, kinds),
        "limit": method.max_link_share,
    }


def _count(labels: list[Label], kinds: list[str]) -> list[int]:
    values = [str(label) for label in labels]
    return [values.count(kind) for kind in kinds]


def _levels(page: Page, size: npt.NDArray[np.int32]) -> npt.NDArray[np.int32]:
    """Return the depth of each node; -1 for a node with the same text as its parent."""
    parent, text = page.nodes.parent.tolist(), size.tolist()
    depth = [0] * len(parent)
    levels = np.full(len(parent), -1, dtype=np.int32)
    for node, above in enumerate(parent):
        if above >= 0 and text[above] == text[node]:
            depth[node] = depth[above]
            continue
        levels[node] = depth[node] = depth[above] + 1 if above >= 0 else 0
    return levels
