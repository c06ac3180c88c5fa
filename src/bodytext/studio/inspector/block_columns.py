"""Describe the blocks of a page to the browser: all in columns, or one in full."""

import math
import re
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from bodytext.kernel.html import KIND_NAMES, TAGS, Flag
from bodytext.methods.density import line_bytes
from bodytext.methods.learned.explanation import explain_blocks, measure_logits
from bodytext.methods.learned.features import block_names, read_features, with_address
from bodytext.methods.learned.method import Learned
from bodytext.methods.scores import Values
from bodytext.page.tables import Page
from bodytext.studio.inspector.reason_words import BlockFacts, describe_reason

LONGEST_TEXT = 400  # characters of a block in the list
LONGEST_WHOLE = 50_000  # characters of a block that is shown alone
SHOWN_STEPS = 6  # of a path: the innermost
MOST_REASONS = 8  # of a block; the rest is in the sum
_LONGEST_NAME = 30  # characters of a class or id in a path
_WORD = re.compile(r"[\w-]+")

# What surrounds a block, in words.
_PLACES = {
    Flag.MAIN: "the main part",
    Flag.ARTICLE: "an article",
    Flag.HEADER: "a header",
    Flag.NAV: "a navigation",
    Flag.ASIDE: "a sidebar",
    Flag.FOOTER: "a footer",
    Flag.FORM: "a form",
    Flag.BUTTON: "a button",
    Flag.SELECT: "a list of choices",
    Flag.HIDDEN: "a hidden element",
    Flag.ARIA_HIDDEN: "an element hidden from screen readers",
    Flag.NOSCRIPT: "a part for browsers without scripts",
    Flag.TEMPLATE: "a template",
    Flag.SVG: "a drawing",
    Flag.MATH: "a formula",
    Flag.PRE: "preformatted text",
    Flag.FALLBACK: "the replacement of a medium",
    Flag.LINK: "a link",
}


def list_blocks(page: Page, scores: Mapping[str, Values]) -> dict[str, Any]:
    """Return columns over all blocks: texts, kinds, paths, offsets, counts, scores by method."""
    runs, blocks = page.runs, page.blocks
    linked = np.round(100 * page.per_block(runs.linked) / np.maximum(page.per_block(runs.chars), 1))
    return {
        "count": len(page),
        "kinds": list(KIND_NAMES),
        "texts": [_cut(text, LONGEST_TEXT) for text in page.texts()],
        "kind": blocks.kind.tolist(),
        "path": _paths(page),
        "start": runs.start[blocks.first_run].tolist(),
        "end": runs.end[blocks.stop_run - 1].tolist(),
        "words": page.per_block(runs.words).tolist(),
        "links": linked.astype(int).tolist(),
        "seen": page.seen.astype(int).tolist(),
        "scores": {name: list_scores(column) for name, column in scores.items()},
    }


def _cut(text: str, most: int) -> str:
    return text if len(text) <= most else text[: most - 1] + "…"


def list_scores(scores: Values) -> list[float]:
    """Return scores for JSON, with enough digits to compare them with any threshold."""
    return [round(score, 6) for score in scores.tolist()]


def _paths(page: Page) -> list[str]:
    names: dict[int, str] = {}
    parent = page.nodes.parent.tolist()
    return [_path(page, node, parent, names) for node in page.blocks.node.tolist()]


def _path(page: Page, node: int, parent: list[int], names: dict[int, str]) -> str:
    """Return the innermost elements around a node as a CSS selector."""
    steps: list[str] = []
    while node >= 0 and len(steps) < SHOWN_STEPS:
        name = names.get(node)
        if name is None:
            name = names[node] = name_node(page, node)
        steps.append(name)
        node = parent[node]
    return ("… > " if node >= 0 else "") + " > ".join(reversed(steps))


def name_node(page: Page, node: int) -> str:
    """Return an element as a CSS selector: its tag with its id or its first class."""
    tag = TAGS[page.nodes.tag[node]] or "?"
    if page.nodes.start[node] == page.nodes.end[node]:
        return tag
    attributes = page.attributes(node)
    for sign, words in (("#", attributes.get("id", "")), (".", attributes.get("class", ""))):
        word = _WORD.search(words[:200])
        if word:
            return f"{tag}{sign}{word[0][:_LONGEST_NAME]}"
    return tag


def describe_block(page: Page, block: int, learned: Learned) -> dict[str, Any]:
    """Return all that is known about a block: text, counts, surroundings, reasons, features."""
    runs, blocks = page.runs, page.blocks
    first, stop = int(blocks.first_run[block]), int(blocks.stop_run[block])
    buffer, _ = page.write_texts(np.array([block]), bytes(1), bytes(1))
    places = _places(int(np.bitwise_or.reduce(runs.flags[first:stop])))
    path = _whole_path(page, int(blocks.node[block]))
    facts = BlockFacts(page, block, dict(read_row(page, block)), places, path)
    return {
        "block": block,
        "text": _cut(buffer.decode("utf-8"), LONGEST_WHOLE),
        "kind": KIND_NAMES[blocks.kind[block]],
        "path": path,
        "start": int(runs.start[first]),
        "end": int(runs.end[stop - 1]),
        "facts": _facts(page, block),
        "places": places,
        **_reasons(facts, learned),
        "features": [
            (name, round(value, 3))
            for name, value in facts.features.items()
            if abs(value) >= 0.0005
        ],
    }


def _whole_path(page: Page, node: int) -> list[str]:
    steps: list[str] = []
    while node >= 0:
        steps.append(name_node(page, node))
        node = int(page.nodes.parent[node])
    most = 4 * SHOWN_STEPS
    return list(reversed(steps)) if len(steps) <= most else ["…", *reversed(steps[:most])]


def _facts(page: Page, block: int) -> list[tuple[str, str]]:
    """Return the counts of a block in words."""
    runs = page.runs
    columns = (runs.words, runs.chars, runs.linked)
    words, chars, linked = (int(page.per_block(column)[block]) for column in columns)
    html, text = (float(column[block]) for column in line_bytes(page))
    share = linked / chars if chars else 0
    density = min(text / max(html, 1), 1)
    before = int(page.per_block(runs.words)[:block].sum()) / max(int(runs.words.sum()), 1)
    return [
        ("words", f"{words:,}"),
        ("characters", f"{chars:,}, {share:.0%} in links"),
        ("density", f"{density:.2f}: {text:,.0f} bytes of text in {html:,.0f} of HTML"),
        ("tags before it", f"{int(runs.tags[page.blocks.first_run[block]]):,}"),
        (
            "place",
            f"block {block + 1:,} of {len(page):,}; {before:.0%} of the page's words before it",
        ),
    ]


def _places(flags: int) -> list[str]:
    return [words for flag, words in _PLACES.items() if flags & flag]


def _reasons(facts: BlockFacts, learned: Learned) -> dict[str, Any]:
    """Return the reasons, and the sum: start + reasons + everything else + decision = score.

    All are logits, rounded first, so that what is shown adds up.
    """
    page, block = facts.page, facts.block
    reasons = explain_blocks(page, learned)
    if block >= len(reasons):
        return {
            "reasons": [],
            "note": f"reasons are given for a page's first {len(reasons):,} blocks",
        }
    copy = next((reason.words for reason in reasons[block] if np.isinf(reason.weight)), "")
    weighed = [reason for reason in reasons[block] if np.isfinite(reason.weight)][:MOST_REASONS]
    starts, logits = measure_logits(page, learned)
    start, logit = round(float(starts[block]), 2), round(float(logits[block]), 2)
    score = float(learned.score(page).values[block])
    total = round(_logit(score), 2)
    shown = sum(reason.weight for reason in weighed)
    return {
        "reasons": [(describe_reason(reason.words, facts), reason.weight) for reason in weighed],
        "sum": {
            "start": start,
            "else": round(logit - start - shown, 2),
            "decision": round(total - logit, 2),
            "total": total,
            "score": score,
        },
        "copy": copy,
    }


def _logit(score: float) -> float:
    """Return the logit of a score; certain ones have that of a score a millionth away."""
    bounded = min(max(score, 1e-6), 1 - 1e-6)
    return math.log(bounded / (1 - bounded))


def read_row(page: Page, block: int) -> Iterator[tuple[str, float]]:
    """Return the names of the block's features and their values, as the network reads them."""
    row = read_features(with_address(page)).rows(block, block + 1)[0].tolist()
    return zip(block_names(), row, strict=True)
