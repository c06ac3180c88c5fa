"""parse: the bytes or text of a page -> Page (decode, then scan)."""

from bodytext._kernel import scan
from bodytext.encoding import decode
from bodytext.page import Blocks, Nodes, Page, Runs

MAX_BYTES = 2**31 - 2  # offsets are 32-bit


def parse(html: bytes | str, *, url: str = "", charset: str | None = None) -> Page:
    """The tables of a page. `charset` is what the server said, if anything; bytes are decoded as browsers do it."""
    decoded = decode(html, charset)
    if len(decoded.source) > MAX_BYTES:
        raise ValueError(f"a page of {len(decoded.source):,} bytes is too large: the limit is {MAX_BYTES:,}")
    nodes, runs, blocks, tags = scan(decoded.source)
    for table in (nodes, runs, blocks):
        table.flags.writeable = False
    return Page(decoded.source, url, decoded.encoding, Nodes(*nodes), Runs(*runs), Blocks(*blocks), tags)
