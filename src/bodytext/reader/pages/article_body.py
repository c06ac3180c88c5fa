"""An article in, its text for reading out: tags of a list alone, pictures by way of this server, media in place."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from html import unescape
from typing import Any
from urllib.parse import urlsplit

import nh3

from bodytext.reader.collection.image_kinds import is_tracker
from bodytext.reader.collection.images import key_of
from bodytext.reader.pages.html_builder import Html, el
from bodytext.reader.pages.icons import icon
from bodytext.reader.store.records import Article

_TAGS = {
    "a", "blockquote", "br", "caption", "code", "dd", "del", "dl", "dt", "em", "figcaption", "figure", "h1", "h2", "h3",
    "h4", "h5", "h6", "hr", "img", "li", "mark", "ol", "p", "pre", "strong", "sub", "sup", "table", "tbody", "td", "th",
    "thead", "tr", "ul",
}  # fmt: skip
_ATTRIBUTES = {
    "a": {"href"}, "img": {"src", "alt"}, "ol": {"start", "type", "reversed"}, "li": {"value", "id"},
    "td": {"colspan", "rowspan"}, "th": {"colspan", "rowspan"}, "code": {"class"},
}  # fmt: skip
# Where texts of these stand, nothing of them is kept; of others that are not on the list the text is.
_WITHOUT_TEXT = {"script", "style", "title", "template", "iframe", "object", "svg", "math", "noscript", "select"}
_VALUES = {
    "href": re.compile(r"https?://|mailto:|#note-", re.IGNORECASE),
    "src": re.compile(r"https?://", re.IGNORECASE),
    "id": re.compile(r"note-[\w.-]{1,60}$"),
    "class": re.compile(r"language-[\w+#.-]{1,30}$"),
}
_NUMBER = re.compile(r"-?\d{1,4}$")
_NUMBERED = frozenset({"colspan", "rowspan", "start", "value"})

# What nh3 writes: every attribute is quoted, and no quote stands in a value.
_IMAGE = re.compile(r'<img((?:\s+\w+="[^"]*")*)\s*>')
_ATTRIBUTE = re.compile(r'(\w+)="([^"]*)"')
_TAG = re.compile(r'<(/?)([a-z][a-z0-9]*)(?:\s+[\w-]+="[^"]*")*\s*>')
_FIRST_HEADING = re.compile(r"\s*<h([1-6])>(.*?)</h\1>", re.DOTALL)
_PARAGRAPH = re.compile(r"<p>(.*?)</p>", re.DOTALL)
_CAPTION = re.compile(r"<figcaption>.*?</figcaption>", re.DOTALL)
_EMPTY_FIGURE = re.compile(r"<(figure|p|a)(?: [^>]*)?>\s*</\1>")
_TABLE = re.compile(r"<table>.*?</table>", re.DOTALL)
_BARE = frozenset({"br", "hr", "img"})
_LEAVES = frozenset({"p", "h2", "h3", "h4", "h5", "h6", "li", "td", "th", "dt", "dd", "figcaption", "pre", "caption"})
_MEDIA = {"video": ("play", "Video"), "audio": ("sound", "Sound"), "embed": ("play", "Embedded")}
_MOST_MEDIA = 40


@dataclass(frozen=True, slots=True)
class Body:
    """An article's text as HTML, and what was done to it."""

    html: Html
    withheld: int  # pictures that are there and not shown
    faded: int  # paragraphs that seem to have nothing to do with the article
    is_wordless: bool


def render_body(article: Article, *, pictures: bool) -> Body:
    """The text of an article for reading."""
    cleaned = clean(article.html) or _from_text(article.text)
    cleaned = cleaned.replace("<h1>", "<h2>").replace("</h1>", "</h2>")
    cleaned = _drop_title(cleaned, article.card.title)
    is_wordless = not _strip(_CAPTION.sub("", cleaned))
    cleaned, faded = _fade(cleaned, article)
    sizes = {one.get("source"): (one.get("width"), one.get("height")) for one in article.media}
    withheld = 0

    def replace_image(found: re.Match[str]) -> str:
        nonlocal withheld
        values = {name: unescape(value) for name, value in _ATTRIBUTE.findall(found[1])}
        url, alt = values.get("src", ""), values.get("alt", "")
        if not url or is_tracker(url, *sizes.get(url, (None, None))):
            return ""
        if pictures:
            return render_image(article.card.id, url, alt, sizes.get(url, (None, None)))
        withheld += 1
        return el("span.withheld", icon("picture"), el("span", alt or "A picture"))

    has_images = "<img" in cleaned
    cleaned = _EMPTY_FIGURE.sub("", _IMAGE.sub(replace_image, cleaned))
    cleaned = _TABLE.sub(lambda found: f'<div class="wide" tabindex="0">{found[0]}</div>', cleaned)
    cleaned = place(cleaned, [(one.get("paragraph"), render_medium(one)) for one in _list_media(article.media)])
    lead = article.card.lead_image
    if not has_images and lead.startswith(("http://", "https://")) and not is_tracker(lead):
        if pictures:
            cleaned = el("figure.lead", Html(render_image(article.card.id, lead, "", (None, None)))) + cleaned
        withheld += not pictures
    return Body(Html(cleaned), withheld, faded, is_wordless)


def clean(html: str) -> str:
    """HTML with the tags and attributes of our lists alone."""
    return nh3.clean(
        html,
        tags=_TAGS,
        clean_content_tags=_WITHOUT_TEXT,
        attributes=_ATTRIBUTES,
        attribute_filter=_filter,
        url_schemes={"http", "https", "mailto"},
        link_rel="noopener noreferrer nofollow",
        strip_comments=True,
    )


def list_images(article: Article) -> set[str]:
    """The addresses of all pictures that an article may show."""
    found = {unescape(value) for _, value in re.findall(r'<img[^>]*?\s(src)="([^"]*)"', article.html)}
    found |= {str(one.get("source", "")) for one in article.media if one.get("kind") == "image"}
    return {url for url in {*found, article.card.lead_image} if url.startswith(("http://", "https://"))}


def render_image(article: int, url: str, alt: str, size: tuple[Any, Any]) -> Html:
    """A picture by way of this server, its room kept free where its page states its size."""
    width, height = (side if isinstance(side, int) and 0 < side < 20_000 else None for side in size)
    both = {"width": width, "height": height} if width and height else {}
    return el("img", src=f"/image/{article}/{key_of(url)}", alt=alt, loading="lazy", decoding="async", **both)


def render_medium(medium: dict[str, Any]) -> Html:
    """A video, a sound or an embed: a link to it, since to play it here would tell its host who looks."""
    drawing, name = _MEDIA[medium["kind"]]
    url = str(medium.get("source", ""))
    words = str(medium.get("caption") or medium.get("text") or name)[:300]
    return el(
        "figure.medium",
        el(
            "a",
            el("span.disc", icon(drawing)),
            el(
                "span",
                el("b", words, dir="auto"),
                el("small", f"{name} · opens at {urlsplit(url).hostname or url[:60]}"),
            ),
            href=url,
            rel="noopener noreferrer nofollow",
            target="_blank",
        ),
    )


def place(html: str, media: Iterable[tuple[int | None, str]]) -> str:
    """Put media before the blocks in which their paragraphs stand; those without a place go to the end."""
    waiting = [(number if number is not None else 10**9, piece) for number, piece in media]
    if not waiting:
        return html
    waiting.sort(key=lambda one: one[0])
    starts = _list_blocks(html)
    written: list[str] = []
    done = 0
    for start, last_leaf in starts:
        while waiting and waiting[0][0] <= last_leaf:
            written += [html[done:start], waiting.pop(0)[1]]
            done = start
    return "".join([*written, html[done:], *(piece for _, piece in waiting)])


def _list_blocks(html: str) -> list[tuple[int, int]]:
    """The start of every outermost block with the number of its last paragraph."""
    starts: list[tuple[int, int]] = []
    depth, leaf = 0, -1
    for found in _TAG.finditer(html):
        name = found[2]
        if found[1]:
            depth = max(depth - 1, 0)
            if not depth and starts:
                starts[-1] = (starts[-1][0], leaf)
            continue
        if not depth:
            starts.append((found.start(), leaf))
        leaf += name in _LEAVES and not html.startswith(("<p>", "\n<p>"), found.end())
        depth += name not in _BARE
    return starts


def _filter(_: str, name: str, value: str) -> str | None:
    if name in _NUMBERED:
        return value if _NUMBER.match(value) else None
    pattern = _VALUES.get(name)
    return value if pattern is None or pattern.match(value.strip()) else None


def _list_media(media: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    return [
        one
        for one in media
        if one.get("kind") in _MEDIA and str(one.get("source", "")).startswith(("http://", "https://"))
    ][:_MOST_MEDIA]


def _strip(html: str) -> str:
    return " ".join(unescape(_TAG.sub("", html)).split())


def _drop_title(html: str, title: str) -> str:
    """Leave the title out where the text begins with it: it stands above."""
    first = _FIRST_HEADING.match(html)
    if first and _strip(first[2]).casefold() == " ".join(title.split()).casefold():
        return html[first.end() :]
    return html


def _fade(html: str, article: Article) -> tuple[str, int]:
    """Mark the paragraphs all of whose sentences seem to have nothing to do with the article."""
    noise = {
        " ".join(article.text[slice(*article.sentences[number])].split())
        for number in article.noise
        if 0 <= number < len(article.sentences)
    }
    if not noise:
        return html, 0
    count = 0

    def fade(found: re.Match[str]) -> str:
        nonlocal count
        left = _strip(found[1])
        for sentence in noise:
            left = left.replace(sentence, "")
        if left.strip():
            return found[0]
        count += 1
        return f'<p class="noise">{found[1]}</p>'

    return _PARAGRAPH.sub(fade, html), count


def _from_text(text: str) -> str:
    return "".join(el("p", part.strip()) for part in text.split("\n\n") if part.strip())
