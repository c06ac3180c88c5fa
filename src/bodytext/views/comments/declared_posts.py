"""Read the comments, answers and forum posts that a page declares in JSON-LD.

They are for pages that show nothing without their scripts. Pages may shorten or strip the texts
there, so posts in the markup come first.
"""

from collections.abc import Iterator
from typing import Any

from bodytext.kernel.tokens import unescape
from bodytext.page.dates import read_date
from bodytext.page.json_ld import json_ld, may_hold, of_type, types_of
from bodytext.page.late_pattern import late_pattern
from bodytext.page.tables import Page
from bodytext.views.comments.post import Post

_ROOTS = frozenset({"discussionforumposting", "socialmediaposting", "question"})
_REPLIES = frozenset({"comment", "answer", "usercomments"})
_PARTS_OF_REPLIES = (b"mment", b"swer")  # each type of a reply has one; few words begin so
_ANSWERED = frozenset({"article", "newsarticle", "blogposting", "webpage", "qapage"})
_LINKS = ("acceptedAnswer", "suggestedAnswer", "answer", "comment", "reply", "comments")
_TEXTS = ("text", "articleBody", "commentText", "description")
_DATES = ("datePublished", "dateCreated", "commentTime", "uploadDate")
_MOST_POSTS = 5_000
_MARKUP = late_pattern(r"<[^<>]*>")
_SPACE = late_pattern(r"[^\S\n]++")


def declared_posts(page: Page, with_roots: bool) -> list[Post]:
    """The declared posts in order; `with_roots` adds the posts or questions that they answer."""
    if not (with_roots or may_hold(page, _PARTS_OF_REPLIES)):
        return []  # most pages
    kinds = _REPLIES | _ROOTS if with_roots else _REPLIES
    posts: list[Post] = []
    seen: set[int] = set()
    for root in of_type(json_ld(page), *_ROOTS, *_ANSWERED, *_REPLIES):
        for item, depth in _walk_answers(root, seen):
            if len(posts) >= _MOST_POSTS:
                return posts
            if not kinds.isdisjoint(_kinds_of(item)) and (post := _read_post(item, depth)):
                posts.append(post)
    return posts


def _walk_answers(root: dict[str, Any], seen: set[int]) -> Iterator[tuple[dict[str, Any], int]]:
    """An object and those that answer it, in order, with their depths; each object once."""
    stack: list[tuple[dict[str, Any], int]] = [(root, 0)]
    while stack:
        item, depth = stack.pop()
        if id(item) in seen:
            continue
        seen.add(id(item))
        yield item, depth
        below = 0 if _REPLIES.isdisjoint(_kinds_of(item)) else depth + 1
        answers = [answer for name in _LINKS for answer in _as_list(item.get(name))]
        stack.extend((answer, below) for answer in reversed(answers) if isinstance(answer, dict))


def _kinds_of(item: dict[str, Any]) -> set[str]:
    return {name.lower() for name in types_of(item)}


def _read_post(item: dict[str, Any], depth: int) -> Post | None:
    dates = (item.get(name) for name in _DATES)
    date = next((date for date in dates if isinstance(date, str) and date), "")
    author = ", ".join(filter(None, map(_author_name, _as_list(item.get("author")))))
    # An answer of nobody at no time is the page's own: it lists frequently asked questions.
    if not (author or date):
        return None
    text = next(filter(None, (_plain(item.get(name)) for name in _TEXTS)), "")
    return Post(author, read_date(date), "", text, depth, 0, 0) if text else None


def _author_name(author: Any) -> str:
    return _plain(author.get("name") if isinstance(author, dict) else author)


def _as_list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]


def _plain(value: Any) -> str:
    """A text without markup, white space folded except for line breaks."""
    if not isinstance(value, str):
        return ""
    lines = unescape(_MARKUP.sub(" ", value)).split("\n")
    return "\n".join(filter(None, (_SPACE.sub(" ", line).strip() for line in lines)))
