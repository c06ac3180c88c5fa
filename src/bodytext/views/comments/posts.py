"""Find the comments of an article, or the posts of a thread, in the order of the page."""

import re
from collections import Counter
from dataclasses import replace

import numpy as np

from bodytext.kernel.html import TAGS
from bodytext.page.dates import DateFormat, read_date
from bodytext.page.late_pattern import late_pattern
from bodytext.page.tables import Page
from bodytext.views.comments.bodies import choose_bodies, find_controls
from bodytext.views.comments.declared_posts import declared_posts
from bodytext.views.comments.depth import measure_depth
from bodytext.views.comments.element_names import ElementNames, Mask, Numbers, read_names
from bodytext.views.comments.evidence import (
    Evidence,
    gather_evidence,
    has_two_dates,
    may_hold_comments,
)
from bodytext.views.comments.groups import find_units, holds_teasers
from bodytext.views.comments.post import Post
from bodytext.views.comments.post_dates import mark_dates
from bodytext.views.comments.post_reader import PostFields, PostReader
from bodytext.views.comments.post_signatures import (
    choose_authors,
    choose_date_runs,
    choose_dates,
    guess_author_runs,
    guess_authors,
)
from bodytext.views.comments.units import Units

_NUMERIC = late_pattern(r"(?<!\d)(\d{1,2})[./-](\d{1,2})[./-]\d{2}")
_MONTHS = 12
# A date without a year is not read: the hour of "14 juin, 19h22" might be taken for it.
_YEAR = late_pattern(r"\d{4}|\d[./-]\d{2}(?!\d)")
# "by Ann Lee on 4 May", as the text of a date
_SIGNED = late_pattern(
    r"(?:\b(?:by|von|par|por|автор)\b|投稿者|作者)\s?[:：]?\s?"
    r"([^\s:：|,·][^|,·]{0,40}?)\s?(?:[|,·–]|\s(?:at|on|am|le|el)\s)",
    re.IGNORECASE,
)
# For a page of unknown type to be a thread:
_MOST_OF_PAGE = 0.5  # of its words outside links are in posts
_MOST_OF_UNITS = 0.8  # of the units have an author and a date
_LARGEST_POST = 0.7  # of the words of all posts; more is an article with teasers
_LONGEST_CONTROL = 40  # characters
_MAYBE_THREADS = frozenset({"", "forum"})  # page types


def find_posts(page: Page, page_type: str = "") -> tuple[Post, ...]:
    """Find the posts of a forum page, or the comments of any other page.

    A page of unknown type counts as a forum page if its posts are most of its text. If the markup
    has no posts, those count that the page declares in JSON-LD.
    """
    may_be_thread = page_type in _MAYBE_THREADS
    posts: list[Post] = []
    if may_be_thread or may_hold_comments(page):
        posts = _find_in_markup(page, page_type)
    return tuple(posts or declared_posts(page, with_roots=may_be_thread))


def _find_in_markup(page: Page, page_type: str) -> list[Post]:
    dates = mark_dates(page)
    if not (page_type or has_two_dates(page, dates) or may_hold_comments(page)):
        return []  # most pages of unknown type: two posts of a thread are signed and dated
    names = read_names(page)
    if not (names.author.any() or (names.date > 1).any() or dates.any()):
        return []  # a post has an author or a date
    if not (page_type or np.count_nonzero(names.author) > 1 or may_hold_comments(page)):
        return []
    evidence = gather_evidence(page, names, dates)
    units = _find_thread(page, names, evidence, page_type)
    units = units or find_units(page, names, evidence, comments_only=True)
    return _finish(_read_posts(page, names, evidence, units)) if units else []


def _finish(posts: list[Post]) -> list[Post]:
    """The posts with the top ones at depth 0, and with what the texts of their dates add."""
    if top := min((post.depth for post in posts), default=0):
        posts = [replace(post, depth=post.depth - top) for post in posts]
    date_format = _find_date_format(posts)
    return [_complete(post, date_format) for post in posts]


def _read_posts(page: Page, names: ElementNames, evidence: Evidence, units: Units) -> list[Post]:
    fields = _choose_fields(page, names, evidence, units)
    pairs = zip(fields.bodies, units.node.tolist(), strict=True)
    texts = [body[0] if body else unit for body, unit in pairs]
    depth = measure_depth(page, names, units.node, np.array(texts, np.intp))
    reader = PostReader(page, units, fields, find_controls(names))
    chosen = _choose_posts(names, units, fields).tolist()
    posts = [post for post in reader.read(chosen, depth[chosen].tolist()) if post.text]
    texts_differ = any(post.text != posts[0].text for post in posts)
    is_repeated = len(posts) > 1 and not texts_differ  # a form or a teaser
    return [] if is_repeated else _drop_controls(posts)


def _drop_controls(posts: list[Post]) -> list[Post]:
    """The posts without short paragraphs that half of them have: "Expand full comment"."""
    counts: Counter[str] = Counter()
    for post in posts:
        parts = post.text.split("\n\n")
        counts.update({part for part in parts if len(part) <= _LONGEST_CONTROL})
    least = max(2, len(posts) / 2)
    controls = {part for part, count in counts.items() if count >= least}
    return [_without_parts(post, controls) for post in posts] if controls else posts


def _without_parts(post: Post, parts: set[str]) -> Post:
    """The post without some of its paragraphs, unless it has no others."""
    text = "\n\n".join(part for part in post.text.split("\n\n") if part not in parts)
    return replace(post, text=text or post.text)


def _find_thread(
    page: Page, names: ElementNames, evidence: Evidence, page_type: str
) -> Units | None:
    """The posts of a forum page, or of a page of unknown type if they are most of its text."""
    if page_type not in _MAYBE_THREADS:
        return None
    units = find_units(page, names, evidence, comments_only=False)
    if page_type or units is None:
        return units
    if _is_article_with_comments(names, evidence, units) or not _is_most_of_page(evidence, units):
        return None
    return None if holds_teasers(page, units) else units


def _is_article_with_comments(names: ElementNames, evidence: Evidence, units: Units) -> bool:
    """Whether all units but one are called comments, and that one shares no name with them."""
    other = ~evidence.comment[units.node]
    if len(other) == 1 or other.sum() != 1:
        return False
    return not _named_alike(names, units.node, tags=False)[other].any()


def _is_most_of_page(evidence: Evidence, units: Units) -> bool:
    """Whether units with author and date are most of the page, and no single one is."""
    is_signed = units.author & units.date & (units.words > 0)
    words = units.words[is_signed]
    total = int(words.sum())
    if total < _MOST_OF_PAGE * int(evidence.prose.sum()) or is_signed.mean() < _MOST_OF_UNITS:
        return False
    return len(words) > 0 and int(words.max()) <= _LARGEST_POST * total


def _named_alike(names: ElementNames, nodes: Numbers, tags: bool) -> Mask:
    """Which nodes have a name that most of them have; with `tags`, a tag if there is no other."""
    is_own = np.zeros(len(names.author), np.bool_)
    is_own[nodes] = True
    pairs = np.flatnonzero(is_own[names.node])
    key = names.key[pairs]
    is_common = 2 * np.bincount(key, minlength=len(names.keys)) > len(nodes)
    common = np.flatnonzero(is_common).tolist()
    bare = [number for number in common if names.keys[number] in TAGS]
    if len(bare) < len(common) or not tags:
        is_common[bare] = False
    is_alike = np.zeros(len(names.author), np.bool_)
    is_alike[names.node[pairs[is_common[key]]]] = True
    return is_alike[nodes]


def _choose_posts(names: ElementNames, units: Units, fields: PostFields) -> Numbers:
    """The units with author or date; if most have both, the others must be named alike."""
    has_body = np.array([bool(body) for body in fields.bodies])
    signed = units.valid | ((fields.author >= 0) & (units.words > 0) & has_body)
    both = units.author & units.date
    if both[signed].mean() >= _MOST_OF_UNITS:
        signed &= both | _named_alike(names, units.node, tags=True)
    return np.flatnonzero(signed)


def _choose_fields(page: Page, names: ElementNames, evidence: Evidence, units: Units) -> PostFields:
    author = choose_authors(page, names, evidence, units)
    date = choose_dates(names, evidence, units)
    date_run = np.where(date < 0, choose_date_runs(evidence, units), -1)
    author_run = np.full(len(author), -1, np.intp)
    when = _first_runs(page, date, date_run)
    bodies = choose_bodies(
        page, names, evidence, units, (_first_runs(page, author, author_run), when)
    )
    if (author >= 0).mean() < _MOST_OF_UNITS:  # else the others have none
        author_run = np.where(author < 0, guess_author_runs(page, when), -1)
        guessed = guess_authors(page, names, evidence, units, (when, bodies))
        author = np.where((author < 0) & (author_run < 0), guessed, author)
        bodies = choose_bodies(
            page, names, evidence, units, (_first_runs(page, author, author_run), when)
        )
    return PostFields(author, author_run, date, date_run, bodies)


def _first_runs(page: Page, field: Numbers, run: Numbers) -> Numbers:
    """The first run of each field, whether it has a node or not; -1 if there is none."""
    first, stop = page.nodes.first_run[field], page.nodes.stop_run[field]
    return np.where((field >= 0) & (first < stop), first, run)


def _find_date_format(posts: list[Post]) -> DateFormat:
    """How the posts write dates in numbers: a number over twelve is the day."""
    matches = [match for post in posts if (match := _NUMERIC.search(post.date_text))]
    first = max((int(match[1]) for match in matches), default=0)
    second = max((int(match[2]) for match in matches), default=0)
    if (first > _MONTHS) == (second > _MONTHS):
        return DateFormat()
    return DateFormat(day_first=first > _MONTHS)


def _complete(post: Post, date_format: DateFormat) -> Post:
    """The post with a missing author or date taken from the text of its date."""
    text = post.date_text
    if not post.author and (match := _SIGNED.search(text)):
        post = replace(post, author=match[1])
    if not post.date and _YEAR.search(text):
        post = replace(post, date=read_date(text, date_format))
    return post
