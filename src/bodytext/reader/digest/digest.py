"""Write articles, or the day of a profile, as a book (EPUB 3), a page (HTML) or a text (Markdown).

    digest = gather_day(store, profile, date.today())  # what the profile would read first
    digest = gather_articles(store, [5, 7], "Saved")   # or these
    file = export(digest, "epub", images.find)         # ExportedFile(name, type, data)

Nothing is fetched: images are included if `find_image` (such as `Images.find`) has them stored,
and left out otherwise. The file has no scripts and loads nothing. The same articles give the same
bytes.
"""

import hashlib
import re
import unicodedata
from base64 import b64encode
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import date, datetime, timedelta

from bodytext.output.markdown import write_markdown
from bodytext.reader.collection.images import ImageFile
from bodytext.reader.digest.chapters import (
    describe_origin,
    list_media,
    make_chapters,
    read_language,
    render,
    sort_by_category,
)
from bodytext.reader.digest.epub import (
    IMAGE_ENDINGS,
    MEDIA_TYPE,
    BookFile,
    BookInfo,
    write_epub,
)
from bodytext.reader.digest.headings import fit_headings
from bodytext.reader.digest.markup import clean_link
from bodytext.reader.profiles.profiles import Profile
from bodytext.reader.store.articles import ArticleQuery
from bodytext.reader.store.body import LINKED_MEDIA
from bodytext.reader.store.records import Article
from bodytext.reader.store.store import Store
from bodytext.views.structure.element import Element

MOST_ARTICLES = 25  # of a day: an hour or two of reading
LARGEST_IMAGES = 40 * 2**20  # bytes of all images in a digest; further ones are left out
_LONGEST_NAME = 60
_NOT_IN_NAMES = re.compile(r"[^\w]+")
_MARKDOWN_MARKS = re.compile(r"([\\`*_\[\]<>#&~|])")

ImageFinder = Callable[[str], ImageFile | None]


@dataclass(frozen=True, slots=True)
class Digest:
    """Articles that are written together."""

    title: str
    articles: tuple[Article, ...]
    moment: int  # when the newest of them was published

    @property
    def language(self) -> str:
        """The language of most of the articles."""
        languages = (read_language(article.card.language) for article in self.articles)
        counts = Counter(language for language in languages if language)
        return counts.most_common(1)[0][0] if counts else "en"


@dataclass(frozen=True, slots=True)
class ExportedFile:
    """A digest in one of FORMATS."""

    name: str
    type: str
    data: bytes


def gather_day(store: Store, profile: Profile, day: date, most: int = MOST_ARTICLES) -> Digest:
    """Gather the articles of a day that a profile would read first, one of each story."""
    start = datetime(day.year, day.month, day.day).astimezone()
    end = (start.replace(tzinfo=None) + timedelta(days=1)).astimezone()
    since, before = int(start.timestamp()), int(end.timestamp())
    query = ArticleQuery(since=since, before=(before, 0), limit=10 * most)
    stories: dict[int, int] = {}
    for scored in profile.list_front(query):
        stories.setdefault(scored.card.story or -scored.card.id, scored.card.id)
    title = f"{day.strftime('%A')}, {day.day} {day.strftime('%B %Y')}"
    return gather_articles(store, list(stories.values())[:most], title)


def gather_articles(store: Store, numbers: Iterable[int], title: str = "") -> Digest:
    """Gather articles in the order of their numbers. The first one's title is the default."""
    articles = tuple(filter(None, map(store.articles.find, numbers)))
    default = articles[0].card.title if articles else ""
    moment = max((article.card.published for article in articles), default=0)
    return Digest(title.strip() or default or "Nothing to read", articles, moment)


def export(digest: Digest, format_name: str, find_image: ImageFinder | None = None) -> ExportedFile:
    """Write a digest in one of FORMATS."""
    if format_name not in _WRITERS:
        raise ValueError(f"there is no format {format_name!r}; choose one of {', '.join(FORMATS)}")
    ending, media_type, write = _WRITERS[format_name]
    title = unicodedata.normalize("NFKC", digest.title)
    name = _NOT_IN_NAMES.sub("-", title).strip("-")[:_LONGEST_NAME] or "digest"
    return ExportedFile(f"{name}.{ending}", media_type, write(digest, find_image))


class _StoredImages:
    """The stored images that a digest shows, each once."""

    def __init__(self, find: ImageFinder | None) -> None:
        self._find = find or (lambda _: None)
        self._known: dict[str, ImageFile | None] = {}
        self._bytes_left = LARGEST_IMAGES
        self.files: dict[str, BookFile] = {}

    def find(self, url: str) -> ImageFile | None:
        """Find an image of a type that every device can show, as long as there is room."""
        if url not in self._known:
            image = self._find(url)
            if image and (image.type not in IMAGE_ENDINGS or len(image.data) > self._bytes_left):
                image = None
            self._bytes_left -= len(image.data) if image else 0
            self._known[url] = image
        return self._known[url]

    def add_file(self, url: str) -> str:
        """Add an image to the book and return its path; nothing if it is not stored."""
        image = self.find(url)
        if image is None:
            return ""
        path = f"images/{hashlib.sha256(image.data).hexdigest()[:20]}.{IMAGE_ENDINGS[image.type]}"
        self.files[path] = BookFile(path, image.type, image.data)
        return path

    def encode(self, url: str) -> str:
        """Return an image as a data URL; nothing if it is not stored."""
        image = self.find(url)
        return f"data:{image.type};base64,{b64encode(image.data).decode()}" if image else ""


def _write_epub(digest: Digest, find_image: ImageFinder | None) -> bytes:
    images = _StoredImages(find_image)
    chapters = make_chapters(digest.articles, 1, images.add_file)
    info = BookInfo(digest.title, digest.moment, digest.language)
    return write_epub(info, chapters, [images.files[path] for path in sorted(images.files)])


def _write_html(digest: Digest, find_image: ImageFinder | None) -> bytes:
    level = 1 if len(digest.articles) == 1 else 2
    chapters = make_chapters(digest.articles, level, _StoredImages(find_image).encode)
    page = render("digest.html", digest=digest, chapters=chapters, is_page=True)
    return page.encode("utf-8", "replace")


def _write_markdown(digest: Digest, _: ImageFinder | None) -> bytes:
    is_single = len(digest.articles) == 1
    pieces = [] if is_single else [f"# {_escape_line(digest.title)}"]
    for article in sort_by_category(digest.articles):
        pieces += _write_markdown_article(article, 1 if is_single else 2)
    text = "\n\n".join(piece for piece in pieces if piece.strip())
    return f"{text}\n".encode("utf-8", "replace")


def _write_markdown_article(article: Article, level: int) -> list[str]:
    card = article.card
    body = fit_headings(article.body, card.title, level)
    link = clean_link(card.url)
    media = [f"- [{_escape_line(title)}](<{address}>)" for title, address in list_media(article)]
    return [
        f"{'#' * level} {_escape_line(card.title or card.url)}",
        f"*{_escape_line(describe_origin(article))}*",
        _write_markdown_body(body),
        "\n".join(media),
        f"<{link}>" if link else "",
    ]


def _write_markdown_body(body: Element) -> str:
    """Write the text of a body; its media are listed after it."""
    blocks = [
        block for block in body.children if isinstance(block, str) or block.name not in LINKED_MEDIA
    ]
    return write_markdown(Element("body", blocks), images="drop").strip()


def _escape_line(text: str) -> str:
    """Return words for a line of Markdown, where none of them can be a mark."""
    return _MARKDOWN_MARKS.sub(r"\\\1", " ".join(text.split()))


_WRITERS: dict[str, tuple[str, str, Callable[[Digest, ImageFinder | None], bytes]]] = {
    "epub": ("epub", MEDIA_TYPE, _write_epub),
    "html": ("html", "text/html; charset=utf-8", _write_html),
    "markdown": ("md", "text/markdown; charset=utf-8", _write_markdown),
}
FORMATS = tuple(_WRITERS)
