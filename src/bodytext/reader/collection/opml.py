"""OPML in, subscriptions out, and back: how readers hand over the feeds that somebody has."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from bodytext.output.html import escape
from bodytext.reader.store.records import Subscription
from bodytext.sources.listings.entry import plain_title
from bodytext.sources.listings.lenient_xml import XmlDocument, XmlToken

if TYPE_CHECKING:
    from bodytext.reader.store.store import Store

LARGEST_FILE = 16 * 2**20  # bytes; 100,000 subscriptions
MOST_OUTLINES = 20_000
_DEEPEST = 20  # folders in folders
_LONGEST_FOLDER = 300


@dataclass(frozen=True, slots=True)
class Outline:
    """A subscription as OPML has it."""

    url: str
    title: str = ""
    site: str = ""
    folder: str = ""  # with those around it, apart by "/"


@dataclass(slots=True)
class Import:
    """What came of an import."""

    added: list[Subscription] = field(default_factory=list)
    known: int = 0
    refused: list[str] = field(default_factory=list)  # in words


def read_opml(data: bytes) -> list[Outline]:
    """The subscriptions in an OPML file, once each; a ValueError that says so where it is none."""
    if len(data) > LARGEST_FILE:
        raise ValueError(f"the file has more than {LARGEST_FILE:,} bytes, the most that is taken")
    found: dict[str, Outline] = {}
    is_opml = False
    for outline in _read_outlines(XmlDocument(data)):
        is_opml = True
        if outline is not None and len(found) < MOST_OUTLINES:
            found.setdefault(outline.url, outline)
    if not is_opml:
        raise ValueError("there is no OPML in it: export your subscriptions as OPML from the other reader")
    return list(found.values())


def _read_outlines(document: XmlDocument) -> Iterator[Outline | None]:
    """The outlines that are feeds; None for the beginning of the OPML."""
    folders: list[str] = []  # a name for each outline that is open; empty for feeds
    for token in document.tokens():
        if token.kind == "open" and token.name == "opml":
            yield None
        elif token.kind == "open" and token.name == "outline":
            url = token.attributes.get("xmlurl", "").strip()
            if url:
                yield Outline(url, _name(token), token.attributes.get("htmlurl", "").strip(), _join(folders))
            folders.append("" if url else _name(token))
        elif token.kind == "close" and token.name == "outline" and folders:
            folders.pop()


def _name(token: XmlToken) -> str:
    return plain_title(token.attributes.get("text") or token.attributes.get("title", ""), is_text=True)


def _join(folders: list[str]) -> str:
    return "/".join(name.replace("/", " ") for name in folders[:_DEEPEST] if name)[:_LONGEST_FOLDER]


def import_opml(store: "Store", data: bytes) -> Import:
    """Subscribe to all feeds of an OPML file, in one transaction. What is subscribed to already stays as it is."""
    outlines = read_opml(data)
    came = Import()
    with store.write():
        known = {feed.id for feed in store.feeds.list_all()}
        for outline in outlines:
            try:
                feed = store.feeds.add(outline.url, outline.title, outline.site, outline.folder)
            except ValueError as problem:
                came.refused.append(str(problem))
                continue
            if feed.id in known:
                came.known += 1
            else:
                known.add(feed.id)
                came.added.append(feed)
    return came


def write_opml(feeds: Iterable[Subscription]) -> str:
    """The subscriptions as OPML 2.0, in their folders; the dead too, for they may live again."""
    lines = ['<?xml version="1.0" encoding="UTF-8"?>', '<opml version="2.0">', "  <head>",
             "    <title>Subscriptions of bodytext reader</title>", "  </head>", "  <body>"]  # fmt: skip
    by_folder: dict[str, list[Subscription]] = {}
    for feed in feeds:
        by_folder.setdefault(feed.folder, []).append(feed)
    opened: list[str] = []
    for folder in sorted(by_folder):
        path = folder.split("/") if folder else []
        shared = 0
        while shared < min(len(opened), len(path)) and opened[shared] == path[shared]:
            shared += 1
        while len(opened) > shared:
            opened.pop()
            lines.append(f"{_indent(opened)}</outline>")
        for name in path[shared:]:
            lines.append(f'{_indent(opened)}<outline text="{escape(name)}" title="{escape(name)}">')
            opened.append(name)
        lines += [f"{_indent(opened)}{_write_feed(feed)}" for feed in by_folder[folder]]
    while opened:
        opened.pop()
        lines.append(f"{_indent(opened)}</outline>")
    return "\n".join([*lines, "  </body>", "</opml>", ""])


def _indent(opened: list[str]) -> str:
    return "  " * (2 + len(opened))


def _write_feed(feed: Subscription) -> str:
    site = f' htmlUrl="{escape(feed.site)}"' if feed.site else ""
    name = escape(feed.name)
    return f'<outline type="rss" text="{name}" title="{name}" xmlUrl="{escape(feed.url)}"{site}/>'
