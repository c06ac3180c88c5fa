"""Read and write OPML, the format in which news readers exchange subscriptions."""

import xml.etree.ElementTree as ET
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from bodytext.output.xml import FORBIDDEN
from bodytext.reader.store.records import Subscription
from bodytext.reader.store.store import Store
from bodytext.sources.listings.entry import plain_title
from bodytext.sources.listings.lenient_xml import XmlDocument, XmlToken

LARGEST_FILE = 16 * 2**20  # bytes; 100,000 subscriptions
MOST_OUTLINES = 20_000
_DEEPEST = 20  # folders in folders
_LONGEST_FOLDER = 300


@dataclass(frozen=True, slots=True)
class Outline:
    """A subscription in an OPML file."""

    url: str
    title: str = ""
    site: str = ""
    folder: str = ""  # with its outer folders, separated by "/"


@dataclass(slots=True)
class OpmlImport:
    """The result of an import."""

    added: list[Subscription] = field(default_factory=list)
    known: int = 0
    refused: list[str] = field(default_factory=list)  # the reasons, in words
    left_out: int = 0  # beyond the limit of subscriptions in a file


def read_opml(data: bytes) -> tuple[list[Outline], int]:
    """Return the subscriptions in an OPML file, once each, and the number of those beyond the limit.

    A ValueError says that there is no OPML in it.
    """
    if len(data) > LARGEST_FILE:
        raise ValueError(f"the file has more than {LARGEST_FILE:,} bytes, which is the limit")
    outlines: dict[str, Outline] = {}
    left_out: set[str] = set()
    is_opml = False
    for outline in _read_outlines(XmlDocument(data)):
        is_opml = True
        if outline is None or outline.url in outlines:
            continue
        if len(outlines) < MOST_OUTLINES:
            outlines[outline.url] = outline
        else:
            left_out.add(outline.url)
    if not is_opml:
        raise ValueError(
            "there is no OPML in it: export your subscriptions as OPML from the other reader"
        )
    return list(outlines.values()), len(left_out)


def _read_outlines(document: XmlDocument) -> Iterator[Outline | None]:
    """Yield the outlines that are feeds; None for the beginning of the OPML."""
    folders: list[str] = []  # a name for each open outline; empty for feeds
    for token in document.tokens():
        if token.name == "opml" and token.kind == "open":
            yield None
        elif token.name != "outline":
            continue
        elif token.kind == "open":
            url = token.attributes.get("xmlurl", "").strip()
            if url:
                yield Outline(
                    url, _name(token), token.attributes.get("htmlurl", "").strip(), _join(folders)
                )
            folders.append("" if url else _name(token))
        elif folders:
            folders.pop()


def _name(token: XmlToken) -> str:
    names = (plain_title(token.attributes.get(key, ""), is_text=True) for key in ("text", "title"))
    return next((name for name in names if name), "")


def _join(folders: list[str]) -> str:
    return "/".join(name.replace("/", " ") for name in folders[:_DEEPEST] if name)[:_LONGEST_FOLDER]


def import_opml(store: Store, data: bytes) -> OpmlImport:
    """Subscribe to all feeds of an OPML file in one transaction; known ones stay unchanged."""
    outlines, left_out = read_opml(data)
    result = OpmlImport(left_out=left_out)
    with store.write():
        known = {feed.id for feed in store.feeds.list_all()}
        for outline in outlines:
            try:
                feed = store.feeds.add(outline.url, outline.title, outline.site, outline.folder)
            except ValueError as error:
                result.refused.append(str(error))
                continue
            if feed.id in known:
                result.known += 1
            else:
                known.add(feed.id)
                result.added.append(feed)
    return result


def write_opml(subscriptions: Iterable[Subscription]) -> str:
    """Write feeds as OPML 2.0, in their folders; dead feeds may come back.

    What is no feed is left out: another reader would take it for one.
    """
    root = ET.Element("opml", version="2.0")
    title = ET.SubElement(ET.SubElement(root, "head"), "title")
    title.text = "Subscriptions of bodytext reader"
    folders = {"": ET.SubElement(root, "body")}
    feeds = (feed for feed in subscriptions if feed.kind == "feed")
    for feed in sorted(feeds, key=lambda feed: feed.folder):
        values = {"type": "rss", "text": feed.name, "title": feed.name, "xmlUrl": feed.url}
        if feed.site:
            values["htmlUrl"] = feed.site
        _add_outline(_find_folder(folders, feed.folder), values)
    ET.indent(root)
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{ET.tostring(root, "unicode")}\n'


def _find_folder(folders: dict[str, ET.Element], path: str) -> ET.Element:
    """Return the outline of a folder, made in that of its outer folder if it is new."""
    if path not in folders:
        outer, _, name = path.rpartition("/")
        values = {"text": name, "title": name}
        folders[path] = _add_outline(_find_folder(folders, outer), values)
    return folders[path]


def _add_outline(parent: ET.Element, values: dict[str, str]) -> ET.Element:
    clean = {name: FORBIDDEN.sub("", value) for name, value in values.items()}
    return ET.SubElement(parent, "outline", clean)
