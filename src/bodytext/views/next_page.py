"""Find the next page of an article that goes over several."""

import re
from typing import NamedTuple
from urllib.parse import parse_qsl, urlencode, urlsplit

import numpy as np

from bodytext.kernel.html import TAG, NodeFlag
from bodytext.page.tables import Page
from bodytext.page.urls import absolute, base_address

_MOST_LINKS = 20_000
_MOST_PAGES = 200
_PARAMETERS = frozenset(
    "page p pg paged pageno pagenum page_no page_number pagenumber seite pagina pagine sida strona".split()  # noqa: SIM905
)
# The number at the end of a path: /story/2, /story/page/2, /story-2.html, /story.html/2.
_NUMBERED = re.compile(
    r"(?:/(?:page|seite|pagina|p))?[/_,-](?:page|p)?(\d{1,3})(\.[a-z]{2,5})?/?\Z"
)
_SUFFIX = re.compile(r"(\.[a-z]{2,5})?/?\Z")
_NEXT = re.compile(
    r"\b(?:next|older|weiter|nächste|suivant|siguiente|próxima|avanti|volgende|nästa|neste|næste"
    r"|sonraki|następna|далее|следующая)\b|下一|次[のへ]|다음|tiếp|^[>»›→][\s>»›→]*$",
    re.IGNORECASE,
)


class _Place(NamedTuple):
    """An address without the number of its page, and that number."""

    site: str
    path: str
    query: str
    number: int


def find_next_page(page: Page) -> str:
    """Return the address of the page that continues this one; empty if there is none.

    It must be a link that says so (rel=next, its number, "Next"), and its address must be that of
    this page with the next number in it: rel=next alone may lead to another article.
    """
    places = _read_places(page.url)
    nodes = page.nodes
    is_link = (nodes.tag == TAG["link"]) | ((nodes.flags & int(NodeFlag.LINK)) != 0)
    base = base_address(page)
    for node in np.flatnonzero(is_link)[:_MOST_LINKS].tolist():
        values = page.attributes(node)
        if not values.get("href"):
            continue
        address = absolute(values["href"].strip(), base).partition("#")[0]
        number = _continues(places, address)
        if number and _says_next(page, node, values, number):
            return address
    return ""


def _continues(places: list[_Place], address: str) -> int:
    """Return the number of a page that follows one of these places; 0 if it does not."""
    for place in _read_places(address)[1:]:
        for here in places:
            if place == here._replace(number=here.number + 1) and place.number <= _MOST_PAGES:
                return place.number
    return 0


def _read_places(address: str) -> list[_Place]:
    """Return the ways to read an address: as a first page, and with a number in it."""
    try:
        parts = urlsplit(address)
    except ValueError:
        return []
    site = parts.netloc.removeprefix("www.")
    query = parse_qsl(parts.query, keep_blank_values=True, max_num_fields=None)[:50]
    places = [_Place(site, _SUFFIX.sub("", parts.path), urlencode(query), 1)]
    for name, value in query:
        if name.lower() in _PARAMETERS and value.isdecimal() and len(value) < 4:
            rest = [pair for pair in query if pair != (name, value)]
            places.append(_Place(site, _SUFFIX.sub("", parts.path), urlencode(rest), int(value)))
    if match := _NUMBERED.search(parts.path):
        path = _SUFFIX.sub("", parts.path[: match.start()])
        places.append(_Place(site, path, urlencode(query), int(match[1])))
    return places


def _says_next(page: Page, node: int, values: dict[str, str], number: int) -> bool:
    if "next" in values.get("rel", "").lower().split():
        return True
    if page.nodes.tag[node] == TAG["link"]:
        return False
    text = _read_text(page, node)
    spoken = f"{values.get('aria-label', '')} {values.get('title', '')}"
    return text == str(number) or bool(_NEXT.search(text) or _NEXT.search(spoken))


def _read_text(page: Page, node: int) -> str:
    first, stop = int(page.nodes.first_run[node]), int(page.nodes.stop_run[node])
    if not 0 < stop - first < 10:
        return ""
    start, end = int(page.runs.start[first]), int(page.runs.end[stop - 1])
    source = page.source[start : min(end, start + 200)].decode("utf-8", "replace")
    return " ".join(re.sub(r"<[^<>]*>", " ", source).split())[:80]
