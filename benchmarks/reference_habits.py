"""Count what the references of a labelled set hold on each kind of page.

    python benchmarks/reference_habits.py SET

For each habit and each kind of page it prints "m of n": n pages show such blocks, and on m of them at least half of
these blocks are content by the reference. The counts of docs/labelling_policy.md are those of wcxb-dev. Most habits are
found by English words or by class names, so the counts say which way is commoner, not more.
"""

import re
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np

from bodytext.kernel.html import TAGS
from bodytext.page.parser import parse
from bodytext.page.tables import Page
from bodytext.studio.labels.labelled_set import read_labelled
from bodytext.studio.training.alignment import label_blocks

KINDS = ("product", "collection", "listing", "service", "forum")
ANCESTORS = 6  # whose tags and class names describe a block
PRICE = re.compile(r"[$£€¥]\s?\d|\d\s?(?:€|USD|EUR|GBP)")
MONTH = re.compile(r"jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec|\d[/.-]\d")


def says(pattern: str, longest: int = 10**6) -> Callable[[str, str], bool]:
    """Return a test for blocks whose text in lower case begins with a pattern."""
    expression = re.compile(pattern)
    return lambda text, _: len(text) < longest and bool(expression.match(text.lower()))


def holds(pattern: str, longest: int = 10**6) -> Callable[[str, str], bool]:
    """Return a test for blocks whose text in lower case holds a pattern."""
    expression = re.compile(pattern)
    return lambda text, _: len(text) < longest and bool(expression.search(text.lower()))


def within(pattern: str, longest: int = 10**6, shortest: int = 0) -> Callable[[str, str], bool]:
    """Return a test for blocks inside of elements whose tags or class names hold a pattern."""
    expression = re.compile(pattern)
    return lambda text, path: shortest < len(text) < longest and bool(expression.search(path))


HABITS: dict[str, Callable[[str, str], bool]] = {
    "breadcrumbs": within("breadcrumb"),
    "footer": within(r"(?:^|>)footer\."),
    "price": lambda text, _: len(text) < 25 and bool(PRICE.search(text)),
    "item number": says(r"(?:sku|item|model|product code|mpn|isbn|ean|article|part)\b", 40),
    "table cells": within(r">t[dh]\."),
    "shipping and returns": says(r"(?:free )?(?:shipping|delivery|returns)\b", 120),
    "choices": within("swatch|variant|option", 40),
    "reviews": within("review", shortest=60),
    "related": says(
        r"you (?:may|might) also|related|customers also|similar|recently viewed|recommended"
        r"|more from|people also|popular",
        60,
    ),
    "sort and filter": says(
        r"(?:sort by|filters?|sort|view as|showing \d|\d+ (?:products|results|items))\b", 50
    ),
    "date alone": lambda text, _: (
        len(text) < 30
        and bool(re.search(r"\b(?:19|20)\d\d\b", text) and MONTH.search(text.lower()))
    ),
    "author": says(r"(?:by|posted by|author:?|written by) ", 50),
    "excerpt": within("excerpt|summary"),
    "read more": says(
        r"(?:read more|learn more|continue reading|view details|see more|shop now)\W*$"
    ),
    "testimonials": within("testimon"),
    "FAQ": within("faq|accordion"),
    "telephone or mail": holds(r"@\w+\.|\+?\d[\d ().-]{8,}\d", 60),
    "newsletter": holds(r"newsletter|subscribe|sign up", 80),
    "field labels": within(r"label[^>]*$", 40),
    "quotes": within("quote"),
    "signatures": within("signature"),
    "names of posters": within(
        "username|user-name|author|poster|userinfo|user-info|message-name", 40
    ),
}


def describe(page: Page, node: int) -> str:
    """Return tags and class names of an element and those around it, the outermost first."""
    steps: list[str] = []
    while node > 0:
        tag = TAGS[page.nodes.tag[node]]
        if len(steps) < ANCESTORS or tag == "footer":
            names = page.attributes(node)
            steps.append(f"{tag}.{names.get('class', '')} {names.get('id', '')}".lower())
        node = int(page.nodes.parent[node])
    return ">".join(reversed(steps))


def visible_blocks(page: Page) -> Iterator[tuple[int, str, str]]:
    """Yield number, text and path of each visible block."""
    texts = page.texts()
    for block in np.flatnonzero(page.seen).tolist():
        yield block, " ".join(texts[block].split()), describe(page, int(page.blocks.node[block]))


def first_heading(page: Page) -> str:
    """Return the text of the first visible h1, or nothing."""
    for _, text, path in visible_blocks(page):
        if path.split(">")[-1].startswith("h1.") and len(text) > 3:
            return text.lower()
    return ""


def count_habits(page: Page, reference: str) -> Iterator[tuple[str, bool]]:
    """Yield each habit that a page shows, and whether most of its blocks are content."""
    content = label_blocks(page.texts(), reference)
    shown: Counter[str] = Counter()
    kept: Counter[str] = Counter()
    for block, text, path in visible_blocks(page):
        for name in (name for name, test in HABITS.items() if test(text, path)):
            shown[name] += 1
            kept[name] += bool(content[block])
    for name, count in shown.items():
        yield name, 2 * kept[name] >= count
    heading, folded = first_heading(page), " ".join(reference.lower().split())
    if heading:
        yield "heading", heading in folded
    yield "a price anywhere in the reference", bool(PRICE.search(reference))


def main() -> None:
    """Print the table."""
    pages: Counter[tuple[str, str]] = Counter()
    kept: Counter[tuple[str, str]] = Counter()
    for source in read_labelled(Path(sys.argv[1])):
        if source.page_type in KINDS and source.reference:
            page = parse(source.read(), url=source.url)
            for name, is_content in count_habits(page, source.reference):
                pages[name, source.page_type] += 1
                kept[name, source.page_type] += is_content
    print("| |", " | ".join(KINDS), "|")
    print("|---|" + "---|" * len(KINDS))
    for name in ("heading", "a price anywhere in the reference", *HABITS):
        cells = (f"{kept[name, kind]} of {pages[name, kind]}" for kind in KINDS)
        print(f"| {name} |", " | ".join(cells), "|")


if __name__ == "__main__":
    main()
