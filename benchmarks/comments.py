"""Measure how well comments, posts and media are found, and write results/comments.md.

* Threads: on the forum pages of WCXB's development split, word F1 of the posts' texts against the reference text. Most
  references have the posts without the comments on them, so the posts at depth 0 are also measured alone. Some
  references stop after a few posts. The rules were made while looking at these pages.
* Comments: on how many pages of the other types comments are found, with and without the page type.
* comment_blocks: how many of the blocks of eight words or more that it marks on articles are in the reference.
* Media: on the news articles, images against the reference list, for the blocks that the reference keeps. Two addresses
  are the same image if most of their long words agree, because sizes and formats differ. Some references lack images.

    python benchmarks/comments.py
"""

import json
import os
import re
import sys
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from statistics import mean
from urllib.parse import unquote, urlsplit

import numpy as np

from bodytext.page.parser import parse
from bodytext.page.tables import Page
from bodytext.studio.evaluation.metrics import compare_words
from bodytext.studio.labels.labelled_set import LabelledPage, read_labelled
from bodytext.studio.training.alignment import label_blocks
from bodytext.views.comments import Post, comment_blocks, find_posts
from bodytext.views.media import place_media

ROOT = Path(__file__).resolve().parent.parent
DATA = Path(os.environ.get("BODYTEXT_DATA", ROOT.parent / "shared" / "data"))
REPORT = ROOT / "results" / "comments.md"
PROSE_WORDS = 8
_LONG_WORD = re.compile(r"[a-z0-9]{6,}")
_SAME = 0.6  # of the long words of the shorter address


def main() -> None:
    """Measure and write the report."""
    if not DATA.is_dir():
        sys.exit(
            f"no pages in {DATA}; set BODYTEXT_DATA to the folder that holds wcxb-dev and news-multilingual"
        )
    pages = [
        (source, parse(source.read(), url=source.url))
        for source in read_labelled(DATA / "wcxb-dev")
    ]
    lines = ["# Comments, posts and media", "", "Made by `python benchmarks/comments.py`.", ""]
    lines += [
        *measure_threads(pages),
        *measure_comments(pages),
        *measure_blocks(pages),
        *measure_media(),
    ]
    REPORT.write_text("\n".join(lines) + "\n", "utf-8")
    print("\n".join(lines))


def measure_threads(pages: list[tuple[LabelledPage, Page]]) -> list[str]:
    """Posts of forum pages against the reference text."""
    forums = [(source, page) for source, page in pages if source.page_type == "forum"]
    start = time.process_time()
    threads = [find_posts(page, "forum") for _, page in forums]
    spent = (time.process_time() - start) / len(forums)
    posts = [post for thread in threads for post in thread]

    def score(depth: int) -> float:
        texts = (
            "\n".join(post.text for post in thread if post.depth <= depth) for thread in threads
        )
        return mean(
            compare_words(text, source.reference or "").f1
            for text, (source, _) in zip(texts, forums, strict=True)
        )

    untyped = [find_posts(page) for _, page in forums]
    rows = {
        "pages": str(len(forums)),
        "with two posts or more": str(sum(len(thread) > 1 for thread in threads)),
        "word F1 of all posts": f"{score(10**6):.3f}",
        "word F1 of the posts at depth 0": f"{score(0):.3f}",
        "pages with posts, without the page type": str(sum(map(bool, untyped))),
        "posts": str(len(posts)),
        "with author": share(posts, lambda post: post.author),
        "with date": share(posts, lambda post: post.date or post.date_text),
        "with date in ISO form": share(posts, lambda post: post.date),
        "ms a page": f"{1000 * spent:.1f}",
    }
    return ["## Threads", "", *table(rows), ""]


def measure_comments(pages: list[tuple[LabelledPage, Page]]) -> list[str]:
    """On how many pages of each type comments are found."""
    total, typed, untyped = Counter[str](), Counter[str](), Counter[str]()
    for source, page in pages:
        total[source.page_type] += 1
        typed[source.page_type] += bool(find_posts(page, source.page_type))
        untyped[source.page_type] += bool(find_posts(page))
    head = [
        "## Pages with comments or posts",
        "",
        "| type | pages | found | found without the type |",
        "|---|---|---|---|",
    ]
    return [
        *head,
        *(
            f"| {kind} | {count} | {typed[kind]} | {untyped[kind]} |"
            for kind, count in total.most_common()
        ),
        "",
    ]


def measure_blocks(pages: list[tuple[LabelledPage, Page]]) -> list[str]:
    """Whether marked blocks of articles are in the reference."""
    marked = wrong = 0
    spent = 0.0
    articles = [(source, page) for source, page in pages if source.page_type == "article"]
    for source, page in articles:
        start = time.process_time()
        mask = comment_blocks(page)
        spent += time.process_time() - start
        reference = " ".join((source.reference or "").split())
        texts = [
            " ".join(text.split()) for text, mark in zip(page.texts(), mask, strict=True) if mark
        ]
        prose = [text for text in texts if len(text.split()) >= PROSE_WORDS]
        marked += len(prose)
        wrong += sum(text in reference for text in prose)
    rows = {
        "blocks marked": str(marked),
        "in the reference": str(wrong),
        "ms a page": f"{1000 * spent / len(articles):.2f}",
    }
    return ["## comment_blocks on articles", "", *table(rows), ""]


def measure_media() -> list[str]:
    """Images of news articles against the reference list."""
    counts: Counter[str] = Counter()
    folder = DATA / "news-multilingual"
    for source in read_labelled(folder):
        truth = json.loads(
            (folder / "ground-truth" / f"{source.identity}.json").read_text("utf-8")
        )["ground_truth"]
        wanted = list(dict.fromkeys(truth.get("images") or []))
        page = parse(source.read(), url=source.url)
        kept = np.flatnonzero(label_blocks(page.texts(), source.reference or "") & page.seen)
        images = [medium for medium in place_media(page, kept) if medium.kind == "image"]
        counts["wanted"] += len(wanted)
        counts["found"] += sum(
            any(is_same(address, medium.source) for medium in images) for address in wanted
        )
        counts["images"] += len(images)
        counts["right"] += sum(
            any(is_same(address, medium.source) for address in wanted) for medium in images
        )
        counts["captions"] += sum(bool(medium.caption) for medium in images)
    rows = {
        "recall": f"{counts['found'] / counts['wanted']:.3f} of {counts['wanted']}",
        "precision": f"{counts['right'] / counts['images']:.3f} of {counts['images']}",
        "with caption": str(counts["captions"]),
    }
    return ["## Images of news articles", "", *table(rows)]


def is_same(one: str, other: str) -> bool:
    """Whether two addresses are versions of one image."""
    first, second = (
        set(_LONG_WORD.findall(unquote("/".join(urlsplit(address)[2:4])).lower()))
        for address in (one, other)
    )
    return len(first & second) >= max(1, _SAME * min(len(first), len(second)))


def share(posts: list[Post], field: Callable[[Post], str]) -> str:
    """The share of posts with a field."""
    return f"{mean(bool(field(post)) for post in posts):.3f}"


def table(rows: dict[str, str]) -> list[str]:
    """A table of names and figures."""
    return ["| | |", "|---|---|", *(f"| {name} | {value} |" for name, value in rows.items())]


if __name__ == "__main__":
    main()
