"""Find the encoding that the <meta> or the XML declaration of a page names.

See https://html.spec.whatwg.org/#prescan-a-byte-stream-to-determine-its-encoding
"""

import re

from bodytext.page.encoding.names import encoding_for_label

# The standard prescans 1,024 bytes, but browsers also obey a later <meta> once the parser meets it.
PRESCAN_BYTES = 1 << 16
# Most pages name their encoding here. To look through all the rest takes four times as long.
_FIRST_BYTES = 1 << 11

_SPACE = rb"\t\n\f\r "
_ATTRIBUTE = re.compile(
    rb"[%(s)s/]*+([^%(s)s/>][^%(s)s/>=]*+)(?:[%(s)s]*+=[%(s)s]*+(?:\"([^\"]*+)\"|'([^']*+)'|([^%(s)s>\"'][^%(s)s>]*+)?))?"
    % {b"s": _SPACE}
)
_TAG_NAME = re.compile(rb"</?([A-Za-z][^%s/>]*+)" % _SPACE)
_CONTENT_CHARSET = re.compile(
    rb"charset[%(s)s]*+=[%(s)s]*+(?:\"([^\"]*+)\"|'([^']*+)'|([^%(s)s;\"'][^%(s)s;]*+))"
    % {b"s": _SPACE},
    re.IGNORECASE,
)
_XML_ENCODING = re.compile(
    rb"<\?xml[%(s)s][^>]*?encoding[%(s)s]*+=[%(s)s]*+[\"']([^\"'>]*+)" % {b"s": _SPACE}
)


def prescan(page: bytes) -> str | None:
    """Return the encoding that a <meta> or else an XML declaration in the head of `page` names."""
    head = page[:PRESCAN_BYTES]
    encoding = _find_in_metas(head, _FIRST_BYTES) or _find_in_metas(head, PRESCAN_BYTES)
    if encoding:
        return encoding
    declaration = _XML_ENCODING.match(head)
    return _encoding_in_page(declaration[1]) if declaration else None


def _find_in_metas(head: bytes, stop: int) -> str | None:
    """Return the encoding that the first <meta> with one names, if it begins before an offset."""
    position = 0
    lowered = head[:stop].lower()
    last = lowered.rfind(b"<meta", 0, max(lowered.rfind(b"charset"), 0))  # no later tag names one
    while 0 <= (position := head.find(b"<", position)) <= last:
        if head.startswith(b"<!--", position):
            # The opening's own hyphens may close the comment, as in "<!-->".
            position = _after(head, b"-->", position + 2)
        elif tag := _TAG_NAME.match(head, position):
            attributes, position = _read_attributes(head, tag.end())
            encoding = _encoding_in_meta(attributes) if tag[0].lower() == b"<meta" else None
            if encoding:
                return encoding
        elif head[position + 1 : position + 2] in {b"!", b"/", b"?"}:
            position = _after(head, b">", position)
        else:
            position += 1
    return None


def _after(head: bytes, end: bytes, position: int) -> int:
    place = head.find(end, position)
    return len(head) if place < 0 else place + len(end)


def _read_attributes(head: bytes, position: int) -> tuple[dict[bytes, bytes], int]:
    """Return a tag's attributes, the first of each name, and the position after them."""
    attributes: dict[bytes, bytes] = {}
    while match := _ATTRIBUTE.match(head, position):
        position = match.end()
        if (
            head[position : position + 1] in {b'"', b"'"}
            and head[position - 1 : position] in b"=\t\n\f\r "
        ):
            # A quote that never closes swallows the rest of the page.
            return {}, len(head)
        attributes.setdefault(match[1].lower(), match[2] or match[3] or match[4] or b"")
    return attributes, position


def _encoding_in_meta(attributes: dict[bytes, bytes]) -> str | None:
    if b"charset" in attributes:
        return _encoding_in_page(attributes[b"charset"])
    if attributes.get(b"http-equiv", b"").lower() == b"content-type":
        named = encoding_in_content(attributes.get(b"content", b""))
        return _encoding_in_page(named.encode()) if named else None
    return None


def encoding_in_content(content: bytes) -> str | None:
    """Return the encoding that a Content-Type such as `text/html; charset=gbk` names."""
    match = _CONTENT_CHARSET.search(content)
    return (
        encoding_for_label((match[1] or match[2] or match[3] or b"").decode("latin-1"))
        if match
        else None
    )


def _encoding_in_page(label: bytes) -> str | None:
    """Return the encoding of a label inside a page; it was read as ASCII, so not UTF-16."""
    encoding = encoding_for_label(label.decode("latin-1"))
    if encoding in {"utf-16le", "utf-16be"}:
        return "utf-8"
    return "windows-1252" if encoding == "x-user-defined" else encoding
