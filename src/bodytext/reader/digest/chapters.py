"""Make the chapters of a book from articles: heading, source, text and media, as markup."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from markupsafe import Markup

from bodytext.output.html import escape
from bodytext.output.jinja_templates import open_templates
from bodytext.reader.digest.headings import fit_headings
from bodytext.reader.digest.markup import ImageLocator, clean_link, write_markup
from bodytext.reader.store.records import RIGHT_TO_LEFT, Article

MEDIA_TITLES = {"video": "Video", "audio": "Audio", "embed": "Embedded content"}
_LANGUAGE = re.compile(r"[a-z]{2,3}\Z")
_MOST_MEDIA = 20


def _escape(value: object) -> Markup:
    """Escape a value for HTML and XML, which forbids some characters."""
    return value if isinstance(value, Markup) else Markup(escape(str(value)))  # noqa: S704


_ENVIRONMENT = open_templates(
    Path(__file__).parent / "templates",
    finalize=_escape,
    trim_blocks=True,
    keep_trailing_newline=True,
)


def render(name: str, **values: object) -> str:
    """Render a template of a book or a page."""
    return _ENVIRONMENT.get_template(name).render(values)


@dataclass(frozen=True, slots=True)
class Chapter:
    """An article as markup, with what a table of contents shows of it."""

    name: str  # of its file or its place in the file
    title: str
    language: str  # empty if it is not known
    category: str
    origin: str  # source, moment and author
    summary: str
    markup: str  # the whole article, with its heading

    @property
    def attributes(self) -> str:
        """The attributes of its element that state its language."""
        if not self.language:
            return ""
        direction = ' dir="rtl"' if self.language in RIGHT_TO_LEFT else ""
        return f' lang="{self.language}" xml:lang="{self.language}"{direction}'


def sort_by_category(articles: Sequence[Article]) -> list[Article]:
    """Sort articles by category; categories have the order of their first articles."""
    categories = dict.fromkeys(article.card.category for article in articles)
    order = sorted(categories, key=lambda category: not category)  # articles without one are last
    return sorted(articles, key=lambda article: order.index(article.card.category))


def make_chapters(
    articles: Sequence[Article], level: int, locate_image: ImageLocator
) -> list[Chapter]:
    """Make the chapters of articles, sorted by category, with headings of a level."""
    ordered = enumerate(sort_by_category(articles), 1)
    return [_make_chapter(article, number, level, locate_image) for number, article in ordered]


def read_language(code: str) -> str:
    """Return the code of a language that markup may have; nothing for other codes."""
    return code if _LANGUAGE.match(code) and code != "und" else ""


def describe_origin(article: Article) -> str:
    """Describe where an article is from: source, moment, author."""
    card = article.card
    author = "" if card.author in card.source else card.author
    return " · ".join(filter(None, (card.source, _format_moment(card.published), author)))


def _format_moment(seconds: int) -> str:
    if not seconds:
        return ""
    moment = datetime.fromtimestamp(seconds).astimezone()
    return f"{moment.day} {moment.strftime('%B %Y, %H:%M')}"


def list_media(article: Article) -> list[tuple[str, str]]:
    """List the videos, sounds and embeds of an article, each with its title and its address."""
    titles: dict[str, str] = {}
    for medium in article.body.walk():
        kind = MEDIA_TITLES.get(medium.name)
        link = clean_link(medium.attributes.get("src", ""))
        if kind and link:
            text = medium.text
            titles.setdefault(link, f"{kind}: {text}" if text else kind)
    return [(title, link) for link, title in titles.items()][:_MOST_MEDIA]


def _make_chapter(article: Article, number: int, level: int, locate_image: ImageLocator) -> Chapter:
    card = article.card
    name = f"article-{number:03}"
    title = card.title.strip() or card.url or "Without a title"
    origin = describe_origin(article)
    markup = render(
        "chapter.html",
        level=level,
        title=title,
        origin=origin,
        body=write_markup(fit_headings(article.body, card.title, level), f"{name}-", locate_image),
        media=list_media(article),
        link=clean_link(card.url),
    )
    language = read_language(card.language)
    return Chapter(name, title, language, card.category, origin, card.summarise(1), markup)
