"""find_posts: Page -> Posts: the comments of an article, or the posts of a thread, in the order of the page."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from bodytext._kernel import write_texts
from bodytext.discussion.bodies import choose_bodies
from bodytext.discussion.dates import mark_dates
from bodytext.discussion.declared import declared_posts
from bodytext.discussion.depth import measure_depth
from bodytext.discussion.evidence import Evidence, gather_evidence
from bodytext.discussion.groups import find_units, holds_teasers
from bodytext.discussion.names import UNREAD, Names, Numbers, read_names
from bodytext.discussion.post import Post
from bodytext.discussion.sections import may_hold_comments
from bodytext.discussion.signers import choose_authors, choose_dates, guess_author_runs, guess_authors
from bodytext.discussion.units import Units
from bodytext.markup import GAPS, TAG, Kind
from bodytext.metadata.calendar import Reading, read_date
from bodytext.page import Page

_BLANK_LINE, _LINE = GAPS.index("\n\n"), GAPS.index("\n")
_IN_LINES = np.isin(np.arange(len(Kind)), (Kind.ITEM, Kind.TERM, Kind.DEFINITION, Kind.CELL))
_DATE_ATTRIBUTES = ("datetime", "content", "title", "data-time", "data-timestamp", "data-utime", "data-date")
_LONGEST_AUTHOR = 100  # characters; an attribute may hold any number
_BEFORE_NAME = re.compile(r"(?:(?:posted|written|by|von|par|por|di|door)\b[\s:]*+)++", re.IGNORECASE)
_BEHIND_NAME = re.compile(r"(?:\s++(?:says|said|wrote|schrieb|a écrit|dice))?+[\s:,|·•—–-]*+$", re.IGNORECASE)
_NUMERIC = re.compile(r"(?<!\d)(\d{1,2})[./-](\d{1,2})[./-]\d{2}")
_MONTHS = 12
_SIGNED = re.compile(r"\bby:?\s([^\s:]\S*(?:\s\S+){0,3}?)\s(?:at|on|[|,·–-])\s", re.IGNORECASE)  # "by Ann Lee on 4 May"
_MARKUP = re.compile(r"<[^<>]*>")
_MOST_OF_PAGE = 0.5  # of its words beside links, for a page of unknown type to be a thread
_MOST_OF_UNITS = 0.8  # have author and date there
_LARGEST_POST = 0.7  # of the words of all posts there; else it is an article with teasers
_MOSTLY_LINKS = 0.8  # of a block's characters: it is a row of controls, not prose


@dataclass(frozen=True, slots=True, eq=False)
class _Fields:
    """Where the fields of each unit are: nodes, or a run for an author without one; -1 where there is none."""

    author: Numbers
    author_run: Numbers
    date: Numbers
    bodies: list[list[int]]


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
    posts = [_make(page, units, fields, unit, int(depth[unit])) for unit in np.flatnonzero(units.valid).tolist()]
    posts = [post for post in posts if post.text]
    repeated = len(posts) > 1 and len({post.text for post in posts}) == 1  # a form or a teaser
    return [] if repeated else posts


def _find_thread(page: Page, names: Names, evidence: Evidence, page_type: str) -> Units | None:
    """The posts of a forum page; of a page of unknown type only where they are most of its text.

    There an article with its comments is none.
    """
    if page_type not in {"", "forum"}:
        return None
    units = find_units(page, names, evidence, comments_only=False)
    if page_type or units is None:
        return units
    called = evidence.comment[units.node]
    if called.any() and not called.all():
        return None
    both = units.author & units.date & (units.words > 0)
    words = units.words[both]
    enough = int(words.sum()) >= _MOST_OF_PAGE * int(evidence.prose.sum()) and both.mean() >= _MOST_OF_UNITS
    even = len(words) > 0 and int(words.max()) <= _LARGEST_POST * int(words.sum())
    return units if enough and even and not holds_teasers(page, units) else None


def _choose_fields(page: Page, names: Names, evidence: Evidence, units: Units) -> _Fields:
    author = choose_authors(page, names, evidence, units)
    date = choose_dates(page, names, evidence, units)
    bodies = choose_bodies(page, names, evidence, units, (author, date))
    run = np.full(len(author), -1, np.intp)
    if (author < 0).any():
        run = np.where(author < 0, guess_author_runs(page, date), -1)
        guessed = guess_authors(page, names, units, (date, bodies))
        author = np.where((author < 0) & (run < 0), guessed, author)
        bodies = choose_bodies(page, names, evidence, units, (author, date))
    return _Fields(author, run, date, bodies)


def _make(page: Page, units: Units, fields: _Fields, unit: int, depth: int) -> Post:
    text, start, end = _read_body(page, units, fields, unit)
    node, run = int(fields.author[unit]), int(fields.author_run[unit])
    author = _read_node(page, node) if run < 0 else " ".join(_write(page, np.array([run]))[0].split())
    author = author[:_LONGEST_AUTHOR]
    author = author[(found.end() if (found := _BEFORE_NAME.match(author)) else 0) :]
    shown, date = _read_when(page, int(fields.date[unit]))
    return Post(_BEHIND_NAME.sub("", author), date, shown, text, depth, start, end)


def _settle(posts: list[Post]) -> Iterator[Post]:
    """The posts with what only all of them together tell: where depth begins, and which number of a date is the day."""
    numbers = [found for post in posts if (found := _NUMERIC.search(post.date_text))]
    first, second = (max((int(found[place]) for found in numbers), default=0) for place in (1, 2))
    reading = Reading(day_first=True if first > _MONTHS >= second else False if second > _MONTHS >= first else None)
    top = min((post.depth for post in posts), default=0)
    for post in posts:
        signed = _SIGNED.search(post.date_text) if not post.author else None
        yield replace(
            post,
            author=signed[1] if signed else post.author,
            date=post.date or read_date(post.date_text, reading),
            depth=post.depth - top,
        )


def _read_body(page: Page, units: Units, fields: _Fields, unit: int) -> tuple[str, int, int]:
    """The text of a unit and its offsets: of the nodes that hold it, or else of all that is no other field."""
    nodes = page.nodes
    if bodies := fields.bodies[unit]:
        runs = np.concatenate([np.arange(nodes.first_run[one], nodes.stop_run[one]) for one in bodies])
    else:
        runs = np.flatnonzero(units.owner_of_run == unit)
        for node in (int(fields.author[unit]), int(fields.date[unit])):
            if node >= 0:
                runs = runs[(runs < nodes.first_run[node]) | (runs >= nodes.stop_run[node])]
        runs = _without_controls(page, runs[runs != fields.author_run[unit]])
    return _write(page, runs[(page.runs.flags[runs] & UNREAD) == 0])


def _without_controls(page: Page, runs: Numbers) -> Numbers:
    block = np.searchsorted(page.blocks.first_run, runs, "right") - 1
    linked = page.per_block(page.runs.linked) > _MOSTLY_LINKS * page.per_block(page.runs.chars)
    return runs[~linked[block]]


def _write(page: Page, runs: Numbers) -> tuple[str, int, int]:
    """The text of runs, block by block, and its offsets in the source."""
    if not len(runs):
        return "", 0, 0
    block = np.searchsorted(page.blocks.first_run, runs, "right") - 1
    breaks = np.flatnonzero((np.diff(block) != 0) | (np.diff(runs) != 1)) + 1
    first = np.concatenate(([0], breaks))
    chosen = (runs[first].astype(np.int32), runs[np.concatenate((breaks - 1, [len(runs) - 1]))].astype(np.int32) + 1)
    in_lines = _IN_LINES[page.blocks.kind[block[first]]]
    gaps = np.full(len(first), _BLANK_LINE, np.uint8)
    gaps[1:][in_lines[1:] & in_lines[:-1]] = _LINE
    gaps[0] = 0
    columns = (page.runs.start, page.runs.end, page.runs.flags)
    buffer, _ = write_texts(page.source, columns, chosen, gaps.tobytes(), bytes(len(first)))
    return buffer.decode("utf-8").strip(), int(page.runs.start[runs[0]]), int(page.runs.end[runs[-1]])


def _read_node(page: Page, node: int) -> str:
    """The text of a node in one line; of a <meta> what it says."""
    if node < 0:
        return ""
    if page.nodes.tag[node] == TAG["meta"]:
        return " ".join(_MARKUP.sub("", page.attributes(node).get("content", "")).split())
    runs = np.arange(page.nodes.first_run[node], page.nodes.stop_run[node])
    return " ".join(_write(page, runs)[0].split())


def _read_when(page: Page, node: int) -> tuple[str, str]:
    """A date as shown, and in ISO form where the attributes of its element or the one around it say so."""
    if node < 0:
        return "", ""
    shown = _read_node(page, node) if page.nodes.tag[node] != TAG["meta"] else ""
    for one in (node, int(page.nodes.parent[node])):
        attributes = page.attributes(one) if one >= 0 else {}
        for name in _DATE_ATTRIBUTES:
            if found := read_date(attributes.get(name, "")):
                return shown, found
    return shown, ""
