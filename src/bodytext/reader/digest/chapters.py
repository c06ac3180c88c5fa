"""Articles in, their chapters out: heading, where each is from, text, what there is to see and hear; as markup."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from bodytext.output.html import escape
from bodytext.output.references import choose
from bodytext.reader.digest.markup import FindImage, clean_link, read_document, write_markup
from bodytext.reader.store.records import RIGHT_TO_LEFT, Article

# Measures are those of a book; colours are left to the device, which may be a grey one or dark.
STYLE = """\
body { font-family: Georgia, "Noto Serif", serif; line-height: 1.5; margin: 0 auto; padding: 0 1em; max-width: 38em; }
h1, h2, h3, h4, h5, h6 { line-height: 1.2; font-family: system-ui, "Noto Sans", sans-serif; text-align: start; }
h1 { font-size: 1.6em; } h2 { font-size: 1.4em; } h3 { font-size: 1.2em; } h4, h5, h6 { font-size: 1em; }
p { margin: 0 0 0.8em 0; } blockquote { margin: 0 0 0.8em 1.2em; font-style: italic; }
img { max-width: 100%; height: auto; } figure { margin: 1em 0; } figcaption, .from, small { font-size: 0.85em; }
.from { margin-bottom: 1.5em; } pre { white-space: pre-wrap; overflow-wrap: anywhere; font-size: 0.85em; }
table { border-collapse: collapse; font-size: 0.9em; } td, th { border: 1px solid; padding: 0.2em 0.5em; }
ul.contents { padding: 0; list-style: none; } ul.contents p { margin: 0.1em 0; } ul.contents li { margin-bottom: 1em; }
article { margin-top: 3em; padding-top: 1em; border-top: 1px solid; }
"""
_LANGUAGE = re.compile(r"[a-z]{2,3}\Z")
_MEDIA = {"video": "Video", "audio": "Sound", "embed": "Embedded"}
_MOST_MEDIA = 20


@dataclass(frozen=True, slots=True)
class Chapter:
    """An article, ready to be written."""

    name: str  # of its file or place
    title: str
    language: str  # empty where it is not known
    category: str
    origin: str  # source, moment and author, in words
    summary: str
    markup: str  # all of it, from its heading on

    @property
    def attributes(self) -> str:
        """What its element says about its language."""
        said = f' lang="{self.language}" xml:lang="{self.language}"' if self.language else ""
        return said + (' dir="rtl"' if self.language in RIGHT_TO_LEFT else "")


def arrange(articles: Sequence[Article]) -> list[Article]:
    """The articles by category, in the order of the first of each; those without one last."""
    order = list(dict.fromkeys(article.card.category for article in articles))
    return sorted(articles, key=lambda article: (not article.card.category, order.index(article.card.category)))


def make_chapters(articles: Sequence[Article], level: int, find_image: FindImage | None = None) -> list[Chapter]:
    """The chapters of articles, arranged, with headings of a level."""
    return [_make_chapter(article, number, level, find_image) for number, article in enumerate(arrange(articles), 1)]


def read_language(code: str) -> str:
    """The code of a language as markup may have it; empty where it is none."""
    return code if _LANGUAGE.match(code) and code != "und" else ""


def tell_origin(article: Article) -> str:
    """Where an article is from: source, moment, author."""
    card = article.card
    moment = datetime.fromtimestamp(card.published).astimezone() if card.published else None
    when = f"{moment.day} {moment.strftime('%B %Y, %H:%M')}" if moment else ""
    author = "" if card.author in card.source else card.author
    return " · ".join(part for part in (card.source, when, author) if part)


def list_media(article: Article) -> list[tuple[str, str]]:
    """What there is to see and hear elsewhere: what it is called, and its address."""
    found: dict[str, str] = {}
    for medium in article.media:
        kind = _MEDIA.get(str(medium.get("kind", "")))
        link = clean_link(str(medium.get("source", "")))
        if kind and link and len(found) < _MOST_MEDIA:
            text = str(medium.get("caption") or medium.get("text") or "").strip()
            found.setdefault(link, f"{kind}: {text}" if text else kind)
    return [(text, link) for link, text in found.items()]


def _make_chapter(article: Article, number: int, level: int, find_image: FindImage | None) -> Chapter:
    card = article.card
    name = f"article-{number:03}"
    document = read_document(article.html, card.title, level)
    structure = document.structure if find_image else choose(document.structure, "keep", "drop")
    body = write_markup(structure, f"{name}-", find_image) or _write_plain(article.text)
    link = clean_link(card.url)
    media = "".join(f'<li><a href="{escape(at)}">{escape(text)}</a></li>\n' for text, at in list_media(article))
    title = card.title.strip() or card.url or "Without a title"
    pieces = [
        f"<h{level}>{escape(title)}</h{level}>\n",
        f'<p class="from">{escape(tell_origin(article))}</p>\n',
        body,
        f"<ul>\n{media}</ul>\n" if media else "",
        f'<p class="from"><a href="{escape(link)}">{escape(link)}</a></p>\n' if link else "",
    ]
    return Chapter(
        name,
        title,
        read_language(card.language),
        card.category,
        tell_origin(article),
        card.summarise(1),
        "".join(pieces),
    )


def _write_plain(text: str) -> str:
    parts = [" ".join(part.split()) for part in text.split("\n\n")]
    return "".join(f"<p>{escape(part)}</p>\n" for part in parts if part)
