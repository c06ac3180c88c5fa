"""Render an article's body: safe tags alone, pictures by way of this server, media as links."""

import re
from dataclasses import dataclass
from urllib.parse import urlsplit

from bodytext.output.html import escape
from bodytext.reader.collection.image_kinds import is_tracker
from bodytext.reader.collection.images import key_of
from bodytext.reader.digest.chapters import MEDIA_TITLES
from bodytext.reader.digest.headings import fit_headings
from bodytext.reader.digest.markup import MarkupWriter
from bodytext.reader.pages.rendering import WEB, render_part
from bodytext.reader.store.records import Article
from bodytext.views.structure.element import Element

_LINK = re.compile(r"\s*(?:https?://|mailto:)", re.IGNORECASE)
_ICONS = {"video": "play", "audio": "sound", "embed": "play"}
_WITHOUT_WORDS = {"figcaption", *MEDIA_TITLES}
_LONGEST_TITLE = 300  # of a medium


@dataclass(frozen=True, slots=True)
class RenderedBody:
    """An article's body as HTML, and what was left out or marked."""

    html: str
    withheld: int  # pictures that are not shown
    faded: int  # paragraphs that do not seem to belong to the article
    is_wordless: bool


def render_body(article: Article, *, pictures: bool) -> RenderedBody:
    """Render the body of an article."""
    body = fit_headings(article.body, article.card.title, highest=2)
    writer = _PageWriter(body, article, pictures=pictures)
    html = writer.write_blocks(body.children)
    lead = article.card.lead_image
    if lead.startswith(WEB) and not any(element.name == "img" for element in body.walk()):
        html = writer.write_lead(lead) + html
    return RenderedBody(html, writer.withheld, writer.faded, not _has_words(body))


def list_images(article: Article) -> set[str]:
    """List the addresses of all pictures that an article may show."""
    elements = (element for element in article.body.walk() if element.name == "img")
    media = (medium for medium in article.media if medium.get("kind") == "image")
    images = {element.attributes.get("src", "") for element in elements}
    images |= {str(medium.get("source", "")) for medium in media}
    return {url for url in {*images, article.card.lead_image} if url.startswith(WEB)}


class _PageWriter(MarkupWriter):
    """Writes elements for the article's page, and counts what it leaves out or marks."""

    def __init__(self, body: Element, article: Article, *, pictures: bool) -> None:
        super().__init__(body)
        self._article = article.card.id
        self._pictures = pictures
        self._noise = set(filter(None, map(article.read_sentence, article.noise)))
        self.withheld = 0
        self.faded = 0

    def write_image(self, element: Element) -> str:
        """Write a picture, or its description if pictures are off; nothing for trackers."""
        url, text = element.attributes.get("src", ""), element.attributes.get("alt", "")
        size = _read_size(element)
        if not url.startswith(WEB) or is_tracker(url, size.get("width"), size.get("height")):
            return ""
        if self._pictures:
            if not size.get("width") or not size.get("height"):
                size = {}  # with both, the browser keeps its room free until it is loaded
            return render_part("picture", f"{self._article}/{key_of(url)}", text, size)
        self.withheld += 1
        return render_part("withheld", text)

    def write_lead(self, url: str) -> str:
        """Write a picture above the text; nothing if pictures are off."""
        image = self.write_image(Element("img", [], {"src": url, "alt": ""}))
        return render_part("lead", image) if image and self._pictures else ""

    def write_link(self, address: str, inner: str) -> str:
        """Write a link to the web or to a mail address."""
        if not _LINK.match(address):
            return inner
        return f'<a href="{escape(address)}" rel="noopener noreferrer nofollow">{inner}</a>'

    def write_paragraph(self, element: Element) -> str:
        """Write a paragraph, faded if all of its sentences are noise."""
        written = super().write_paragraph(element)
        if not written or not self._is_noise(element.text):
            return written
        self.faded += 1
        return f'<p class="noise">{written.removeprefix("<p>")}'

    def write_table(self, table: Element) -> str:
        """Write a table that scrolls if it is wider than the page."""
        written = super().write_table(table)
        return f'<div class="wide" tabindex="0">{written}</div>' if written else ""

    def write_medium(self, element: Element) -> str:
        """Write a medium as a link: to play it here would tell its host who reads."""
        url = element.attributes.get("src", "")
        if not url.startswith(WEB):
            return ""
        host, title = urlsplit(url).hostname or url[:60], element.text[:_LONGEST_TITLE]
        kind, drawing = MEDIA_TITLES[element.name], _ICONS[element.name]
        return render_part("medium", url, host, title, kind, drawing)

    def _is_noise(self, text: str) -> bool:
        if not self._noise or not text:
            return False
        for sentence in self._noise:
            text = text.replace(sentence, "")
        return not text.strip()


def _read_size(image: Element) -> dict[str, int]:
    """Read the width and the height of an image, as far as they are known."""
    sides = {name: image.attributes.get(name, "") for name in ("width", "height")}
    return {name: int(side) for name, side in sides.items() if side.isascii() and side.isdecimal()}


def _has_words(element: Element) -> bool:
    """Whether there is any text but captions and titles of media."""
    if element.name in _WITHOUT_WORDS:
        return False
    return any(
        child.strip() if isinstance(child, str) else _has_words(child) for child in element.children
    )
