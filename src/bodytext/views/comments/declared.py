"""declared_posts: Page -> the comments, answers and forum posts that its JSON-LD declares.

They are for pages that show nothing without their scripts. The text of a post there may be shortened or stripped by
the page, so that what stands in the markup counts before it.
"""

import re
from typing import Any

from bodytext.kernel.tokens import unescape
from bodytext.page.dates import read_date
from bodytext.page.json_ld import json_ld, of_type, types_of
from bodytext.page.tables import Page
from bodytext.views.comments.post import Post

_ROOTS = ("DiscussionForumPosting", "SocialMediaPosting", "Question")
_REPLIES = frozenset({"comment", "answer", "usercomments"})
_LINKS = ("acceptedAnswer", "suggestedAnswer", "answer", "comment", "reply", "comments")
_TEXTS = ("text", "articleBody", "commentText", "description")
_DATES = ("datePublished", "dateCreated", "commentTime", "uploadDate")
_MOST_POSTS = 5_000
_MARKUP = re.compile(r"<[^<>]*>")
_SPACE = re.compile(r"[^\S\n]++")


def declared_posts(page: Page, with_roots: bool) -> list[Post]:
    """The declared posts in their order; `with_roots` with the post or question that they answer."""
    objects = json_ld(page)
    posts: list[Post] = []
    seen: set[int] = set()
    for root in of_type(objects, *_ROOTS, "Article", "NewsArticle", "BlogPosting", "WebPage", "QAPage", *_REPLIES):
        _read_tree(root, with_roots, posts, seen)
    return posts


def _read_tree(root: dict[str, Any], with_roots: bool, posts: list[Post], seen: set[int]) -> None:
    """Read an object and what answers it, the first answer first."""
    left: list[tuple[dict[str, Any], int]] = [(root, 0)]
    while left and len(posts) < _MOST_POSTS:
        one, depth = left.pop()
        if id(one) in seen:
            continue
        seen.add(id(one))
        kinds = {kind.lower() for kind in types_of(one)}
        is_reply = not kinds.isdisjoint(_REPLIES)
        if is_reply or (with_roots and not kinds.isdisjoint(kind.lower() for kind in _ROOTS)):
            posts.extend(_read_post(one, depth))
        below = depth + 1 if is_reply else 0
        answers = [answer for name in _LINKS for answer in _as_list(one.get(name)) if isinstance(answer, dict)]
        left.extend((answer, below) for answer in reversed(answers))


def _read_post(one: dict[str, Any], depth: int) -> list[Post]:
    text = next((text for name in _TEXTS if (text := _plain(one.get(name)))), "")
    shown = next((date for name in _DATES if isinstance(date := one.get(name), str) and date), "")
    authors = [author.get("name") if isinstance(author, dict) else author for author in _as_list(one.get("author"))]
    author = ", ".join(name for name in map(_plain, authors) if name)
    # An answer of nobody at no time is one of the page's own: frequently asked questions.
    return [Post(author, read_date(shown), "", text, depth, 0, 0)] if text and (author or shown) else []


def _as_list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]


def _plain(value: Any) -> str:
    """A text without markup, white space folded but for its lines."""
    if not isinstance(value, str):
        return ""
    return "\n".join(
        filter(None, (_SPACE.sub(" ", line).strip() for line in unescape(_MARKUP.sub(" ", value)).split("\n")))
    )
