"""Read the entries of a JSON feed."""

import json
import re
from typing import Any

from bodytext.page.encoding import decode
from bodytext.sources.listings.entry import (
    LONGEST_CONTENT,
    LONGEST_TITLE,
    MOST_ENTRIES,
    FeedEntry,
    NoFeedError,
    ParsedFeed,
    first_address,
    list_enclosures,
    list_texts,
    plain_title,
    read_time,
)

_SURROGATES = re.compile(r"[\ud800-\udfff]")


def read_json_feed(data: bytes, url: str, charset: str) -> ParsedFeed:
    """Read a JSON feed, or raise a NoFeedError."""
    try:
        value = json.loads(decode(data, charset or None).source)
    except (ValueError, RecursionError) as error:
        raise NoFeedError(f"it is not valid JSON ({error})") from None
    items = value.get("items") if isinstance(value, dict) else None
    if not isinstance(items, list) or "jsonfeed.org" not in str(value.get("version", ""))[:100]:
        raise NoFeedError("it is JSON, but not a JSON feed")
    version = str(value["version"]).rpartition("/")[2][:10]
    entries = tuple(
        _read_item(item, url) for item in items[:MOST_ENTRIES] if isinstance(item, dict)
    )
    left_out = max(len(items) - MOST_ENTRIES, 0)
    return ParsedFeed(
        f"JSON Feed {version}", plain_title(_text(value, "title"), is_text=True), entries, left_out
    )


def _read_item(item: dict[str, Any], base: str) -> FeedEntry:
    identity = _text(item, "id")
    addresses = [_text(item, "url"), _text(item, "external_url")]
    if "://" in identity:
        addresses.append(identity)
    files = [file for file in _list(item, "attachments") if isinstance(file, dict)]
    return FeedEntry(
        first_address(addresses, base),
        plain_title(_text(item, "title"), is_text=True),
        read_time(_text(item, "date_published") or _text(item, "date_modified")),
        _text(item, "summary")[:LONGEST_CONTENT],
        (_text(item, "content_html") or _text(item, "content_text"))[:LONGEST_CONTENT],
        list_texts(
            plain_title(tag, is_text=True) for tag in _list(item, "tags") if isinstance(tag, str)
        ),
        list_enclosures([(_text(file, "url"), _text(file, "mime_type")) for file in files], base),
        identity[:LONGEST_TITLE],
    )


def _text(values: dict[str, Any], name: str) -> str:
    value = values.get(name)
    if isinstance(value, str):
        return _SURROGATES.sub("\ufffd", value)
    return str(value) if isinstance(value, int | float) else ""


def _list(values: dict[str, Any], name: str) -> list[Any]:
    value = values.get(name)
    return value if isinstance(value, list) else []
