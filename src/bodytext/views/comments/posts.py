"""find_posts: Page -> Posts: the comments of an article, or the posts of a thread, in the order of the page."""

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from bodytext.kernel.html import TAGS
from bodytext.page.dates import DateFormat, read_date
from bodytext.page.tables import Page
from bodytext.views.comments.bodies import choose_bodies
from bodytext.views.comments.declared import declared_posts
from bodytext.views.comments.depth import measure_depth
from bodytext.views.comments.element_names import Mask, Names, Numbers, read_names
from bodytext.views.comments.evidence import Evidence, gather_evidence
from bodytext.views.comments.groups import find_units, holds_teasers
from bodytext.views.comments.post import Post
from bodytext.views.comments.post_dates import mark_dates
from bodytext.views.comments.post_reader import Fields, Reader
from bodytext.views.comments.sections import may_hold_comments
from bodytext.views.comments.signers import (
    choose_authors,
    choose_date_runs,
    choose_dates,
    guess_author_runs,
    guess_authors,
)
from bodytext.views.comments.units import Units

_NUMERIC = re.compile(r"(?<!\d)(\d{1,2})[./-](\d{1,2})[./-]\d{2}")
_MONTHS = 12
_YEAR = re.compile(r"\d{4}|\d[./-]\d{2}(?!\d)")  # without one, the hour of "14 juin, 19h22" might be taken for it
# "by Ann Lee on 4 May", as the text of a date
_SIGNED = re.compile(
    r"(?:\b(?:by|von|par|por|автор)\b|投稿者|作者)\s?[:：]?\s?([^\s:：|,·][^|,·]{0,40}?)\s?(?:[|,·–]|\s(?:at|on|am|le|el)\s)",
    re.IGNORECASE,
)
_MOST_OF_PAGE = 0.5  # of its words beside links, for a page of unknown type to be a thread
_MOST_OF_UNITS = 0.8  # have author and date there
_LARGEST_POST = 0.7  # of the words of all posts there; else it is an article with teasers
_LONGEST_CONTROL = 40  # characters


def find_posts(page: Page, page_type: str = "") -> tuple[Post, ...]:
    """Find the posts of a forum page, or the comments of any other page.

    A page of unknown type is taken for a forum page where its posts are most of its text. Where the markup has no
    posts, those are taken that the page declares in JSON-LD.
    """
    may_be_thread = page_type in {"", "forum"}
    posts = _find_shown(page, page_type) if may_be_thread or may_hold_comments(page) else []
    return tuple(posts or declared_posts(page, with_roots=may_be_thread))


def _find_shown(page: Page, page_type: str) -> list[Post]:
    """Find the posts in the markup."""
    names = read_names(page)
    evidence = gather_evidence(page, names, mark_dates(page))
    thread = _find_thread(page, names, evidence, page_type)
    units = thread or find_units(page, names, evidence, comments_only=True)
    return list(_settle(_read_posts(page, names, evidence, units))) if units else []


def _read_posts(page: Page, names: Names, evidence: Evidence, units: Units) -> list[Post]:
    fields = _choose_fields(page, names, evidence, units)
    texts = [body[0] if body else int(unit) for body, unit in zip(fields.bodies, units.node, strict=True)]
    depth = measure_depth(page, names, units.node, np.array(texts, np.intp))
    reader = Reader(page, units, fields)
    posts = [reader.read(unit, int(depth[unit])) for unit in _choose_posts(names, units, fields).tolist()]
    posts = [post for post in posts if post.text]
    repeated = len(posts) > 1 and len({post.text for post in posts}) == 1  # a form or a teaser
    return [] if repeated else _drop_controls(posts)


def _drop_controls(posts: list[Post]) -> list[Post]:
    """The posts without the short paragraphs that at least half of them have: "Expand full comment"."""
    parts = [post.text.split("\n\n") for post in posts]
    counts = Counter(part for one in parts for part in set(one) if len(part) <= _LONGEST_CONTROL)
    controls = {part for part, count in counts.items() if count >= max(2, len(posts) / 2)}
    texts = ["\n\n".join(part for part in one if part not in controls) for one in parts]
    return [replace(post, text=text or post.text) for post, text in zip(posts, texts, strict=True)]


def _find_thread(page: Page, names: Names, evidence: Evidence, page_type: str) -> Units | None:
    """The posts of a forum page; of a page of unknown type only where they are most of its text.

    There an article with its comments is none: it bears no name that they bear.
    """
    if page_type not in {"", "forum"}:
        return None
    units = find_units(page, names, evidence, comments_only=False)
    if page_type or units is None:
        return units
    called = evidence.comment[units.node]
    if (~called).sum() == 1 < len(called) and not _alike(names, units.node, tags=False)[~called].any():
        return None
    both = units.author & units.date & (units.words > 0)
    words = units.words[both]
    enough = int(words.sum()) >= _MOST_OF_PAGE * int(evidence.prose.sum()) and both.mean() >= _MOST_OF_UNITS
    even = len(words) > 0 and int(words.max()) <= _LARGEST_POST * int(words.sum())
    return units if enough and even and not holds_teasers(page, units) else None


def _alike(names: Names, nodes: Numbers, tags: bool) -> Mask:
    """Which of some nodes bear a name beside their tags that most of them bear; with `tags` a tag if there is none."""
    fit = np.isin(names.node, nodes)
    node, key = names.node[fit], names.key[fit]
    common = np.flatnonzero(2 * np.bincount(key, minlength=len(names.keys)) > len(nodes))
    telling = [one for one in common.tolist() if names.keys[one] not in TAGS]
    return np.isin(nodes, node[np.isin(key, telling or (common if tags else []))])


def _choose_posts(names: Names, units: Units, fields: Fields) -> Numbers:
    """The units that are posts: with author or date; where most have both, one with less must be named alike."""
    signed = units.valid | ((fields.author >= 0) & (units.words > 0) & np.array([bool(body) for body in fields.bodies]))
    both = units.author & units.date
    if both[signed].mean() >= _MOST_OF_UNITS:
        signed &= both | _alike(names, units.node, tags=True)
    return np.flatnonzero(signed)


def _choose_fields(page: Page, names: Names, evidence: Evidence, units: Units) -> Fields:
    author = choose_authors(page, names, evidence, units)
    date = choose_dates(page, names, evidence, units)
    date_run = np.where(date < 0, choose_date_runs(evidence, units), -1)
    author_run = np.full(len(author), -1, np.intp)
    when = _first_runs(page, date, date_run)
    bodies = choose_bodies(page, names, evidence, units, (_first_runs(page, author, author_run), when))
    if (author < 0).any():
        author_run = np.where(author < 0, guess_author_runs(page, when), -1)
        guessed = guess_authors(page, names, units, (when, bodies))
        author = np.where((author < 0) & (author_run < 0), guessed, author)
        bodies = choose_bodies(page, names, evidence, units, (_first_runs(page, author, author_run), when))
    return Fields(author, author_run, date, date_run, bodies)


def _first_runs(page: Page, field: Numbers, run: Numbers) -> Numbers:
    """The first run of each field, in its node or without one; -1 where there is none."""
    first, stop = page.nodes.first_run[field], page.nodes.stop_run[field]
    return np.where((field >= 0) & (first < stop), first, run)


def _settle(posts: list[Post]) -> Iterator[Post]:
    """The posts with what only all of them together tell: where depth begins, and which number of a date is the day."""
    numbers = [found for post in posts if (found := _NUMERIC.search(post.date_text))]
    first, second = (max((int(found[place]) for found in numbers), default=0) for place in (1, 2))
    reading = DateFormat(day_first=True if first > _MONTHS >= second else False if second > _MONTHS >= first else None)
    top = min((post.depth for post in posts), default=0)
    for post in posts:
        signed = _SIGNED.search(post.date_text) if not post.author else None
        yield replace(
            post,
            author=signed[1] if signed else post.author,
            date=post.date or (read_date(post.date_text, reading) if _YEAR.search(post.date_text) else ""),
            depth=post.depth - top,
        )
