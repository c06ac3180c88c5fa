"""Digest: articles, or the day of a profile, in; a book (EPUB 3), a page (HTML) or a text (Markdown) out.

    digest = gather_day(store, profile, date.today())     # what a profile would have read first of that day
    digest = gather_articles(store, [5, 7], "Saved")      # or these
    file = export(digest, "epub", images.find)            # File(name, type, data); also "html", "markdown"

Nothing is fetched: pictures are in it where `find_picture` (such as `Images.find`) has them stored, and left out else.
There are no scripts, and nothing in it is loaded from anywhere. The same articles give the same bytes.
"""

import hashlib
import re
import unicodedata
from base64 import b64encode
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import TYPE_CHECKING

from bodytext.output.html import escape
from bodytext.output.markdown import to_markdown
from bodytext.reader.collection.images import Picture
from bodytext.reader.digest.chapters import (
    STYLE,
    Chapter,
    arrange,
    list_media,
    make_chapters,
    read_language,
    tell_origin,
)
from bodytext.reader.digest.epub import MEDIA_TYPE, PICTURE_ENDINGS, Cover, Item, write_contents, write_epub
from bodytext.reader.digest.markup import clean_link, read_document
from bodytext.reader.store.articles import ArticleQuery
from bodytext.reader.store.records import Article

if TYPE_CHECKING:
    from bodytext.reader.profiles.profiles import Profile
    from bodytext.reader.store.database import Store

FORMATS = ("epub", "html", "markdown")
MOST_ARTICLES = 25  # of a day: an hour or two of reading
LARGEST_PICTURES = 40 * 2**20  # bytes of all in a digest; further ones are left out
_LONGEST_NAME = 60
_NO_NAME = re.compile(r"[^\w]+")

FindPicture = Callable[[str], Picture | None]


@dataclass(frozen=True, slots=True)
class Digest:
    """Articles that belong together."""

    title: str
    articles: tuple[Article, ...]
    moment: int  # when the newest of them was published

    @property
    def language(self) -> str:
        """The language that most of the articles have."""
        languages = (read_language(article.card.language) for article in self.articles)
        known = Counter(language for language in languages if language)
        return known.most_common(1)[0][0] if known else "en"


@dataclass(frozen=True, slots=True)
class File:
    """A digest, written."""

    name: str
    type: str
    data: bytes


def gather_day(store: "Store", profile: "Profile", day: date, most: int = MOST_ARTICLES) -> Digest:
    """The articles of a day that a profile would have read first, one of each story."""
    start = datetime(day.year, day.month, day.day).astimezone()
    end = (start.replace(tzinfo=None) + timedelta(days=1)).astimezone()
    wish = ArticleQuery(since=int(start.timestamp()), before=(int(end.timestamp()), 0), limit=10 * most)
    stories: dict[int, int] = {}
    for scored in profile.list_front(wish):
        stories.setdefault(scored.card.story or -scored.card.id, scored.card.id)
    title = f"{day.strftime('%A')}, {day.day} {day.strftime('%B %Y')}"
    return gather_articles(store, list(stories.values())[:most], title)


def gather_articles(store: "Store", articles: Iterable[int], title: str = "") -> Digest:
    """These articles, in this order. Without a title, that of the first is the digest's."""
    found = tuple(one for one in (store.articles.find(number) for number in articles) if one)
    known = title.strip() or (found[0].card.title if found else "")
    return Digest(known or "Nothing to read", found, max((one.card.published for one in found), default=0))


def export(digest: Digest, form: str, find_picture: FindPicture | None = None) -> File:
    """The digest as a file of one of FORMATS."""
    name = _NO_NAME.sub("-", unicodedata.normalize("NFKC", digest.title)).strip("-")[:_LONGEST_NAME] or "digest"
    if form == "epub":
        return File(f"{name}.epub", MEDIA_TYPE, _write_epub(digest, find_picture))
    if form == "html":
        return File(
            f"{name}.html", "text/html; charset=utf-8", _write_html(digest, find_picture).encode("utf-8", "replace")
        )
    if form == "markdown":
        return File(f"{name}.md", "text/markdown; charset=utf-8", _write_markdown(digest).encode("utf-8", "replace"))
    raise ValueError(f"there is no form {form!r}; there are {', '.join(FORMATS)}")


class _Pictures:
    """The stored pictures that a digest shows, each once."""

    def __init__(self, find: FindPicture) -> None:
        self._find = find
        self._known: dict[str, Picture | None] = {}
        self._left = LARGEST_PICTURES
        self.items: dict[str, Item] = {}

    def find(self, url: str) -> Picture | None:
        """A picture of a type that all can show, as long as there is room."""
        if url not in self._known:
            picture = self._find(url)
            fits = picture is not None and picture.type in PICTURE_ENDINGS and len(picture.data) <= self._left
            self._left -= len(picture.data) if picture and fits else 0
            self._known[url] = picture if fits else None
        return self._known[url]

    def find_file(self, url: str) -> str:
        """The path of a picture within the book."""
        picture = self.find(url)
        if picture is None:
            return ""
        path = f"images/{hashlib.sha256(picture.data).hexdigest()[:20]}.{PICTURE_ENDINGS[picture.type]}"
        self.items[path] = Item(path, picture.type, picture.data)
        return path

    def find_data(self, url: str) -> str:
        """A picture as an address that has all of it."""
        picture = self.find(url)
        return f"data:{picture.type};base64,{b64encode(picture.data).decode()}" if picture else ""


def _write_epub(digest: Digest, find_picture: FindPicture | None) -> bytes:
    pictures = _Pictures(find_picture or (lambda _: None))
    chapters = make_chapters(digest.articles, 1, pictures.find_file if find_picture else None)
    cover = Cover(digest.title, digest.moment, digest.language)
    return write_epub(cover, chapters, [pictures.items[path] for path in sorted(pictures.items)])


def _write_html(digest: Digest, find_picture: FindPicture | None) -> str:
    """One page, which loads nothing: its policy says so too."""
    pictures = _Pictures(find_picture or (lambda _: None))
    is_one = len(digest.articles) == 1
    chapters = make_chapters(digest.articles, 1 if is_one else 2, pictures.find_data if find_picture else None)
    contents = "" if is_one else write_contents(chapters, lambda chapter: f"#{chapter.name}")
    policy = "default-src 'none'; img-src data:; style-src 'unsafe-inline'; form-action 'none'; base-uri 'none'"
    return "".join(
        [
            f'<!DOCTYPE html>\n<html lang="{digest.language}">\n<head>\n<meta charset="utf-8">\n',
            f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n',
            '<meta name="viewport" content="width=device-width, initial-scale=1">\n',
            f"<title>{escape(digest.title)}</title>\n<style>\n:root {{ color-scheme: light dark; }}\n{STYLE}</style>\n",
            "</head>\n<body>\n",
            "" if is_one else f"<h1>{escape(digest.title)}</h1>\n{contents}",
            *(_write_article(chapter) for chapter in chapters),
            "</body>\n</html>\n",
        ]
    )


def _write_article(chapter: Chapter) -> str:
    return f'<article id="{chapter.name}"{chapter.attributes}>\n{chapter.markup}</article>\n'


def _write_markdown(digest: Digest) -> str:
    is_one = len(digest.articles) == 1
    level = 1 if is_one else 2
    pieces = [] if is_one else [f"# {_write_line(digest.title)}"]
    for article in arrange(digest.articles):
        card = article.card
        text = to_markdown(read_document(article.html, card.title, level), images="drop") or article.text
        link = clean_link(card.url)
        pieces += [
            f"{'#' * level} {_write_line(card.title or card.url)}",
            f"*{_write_line(tell_origin(article))}*",
            text.strip(),
            "\n".join(f"- [{_write_line(name)}](<{at}>)" for name, at in list_media(article)),
            f"<{link}>" if link else "",
        ]
    return "\n\n".join(piece for piece in pieces if piece.strip()) + "\n"


def _write_line(text: str) -> str:
    """Words in a line of Markdown, none of which can be a mark."""
    return re.sub(r"([\\`*_\[\]<>#&~|])", r"\\\1", " ".join(text.split()))
