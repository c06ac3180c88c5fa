"""Read the features of a page: a row of numbers for each block, one for the page, and which blocks are alike.

Everything is counted from the flat tables: running sums over the runs serve every block and every element around it.
The words themselves are not read, so a page looks the same in any language. `block_names` and `page_names` name the
columns; `bodytext.kernel.survey` counts them.
"""

from dataclasses import replace
from functools import cache
from unicodedata import normalize

from bodytext.kernel import Survey, read_address, read_head, read_value
from bodytext.kernel.feature_columns import (
    ADDRESS_NAMES,
    BLOCK_NAMES,
    DECLARED_NAMES,
    PAGE_NAMES,
)
from bodytext.page.tables import Page

# In the source of a page that writes letters in parts (NFD): accents, the marks of kana, Hangul. The first byte of each
# is looked for first: few pages have it, and it is found ten times as fast.
_PARTS = {b"\xcc": (b"\xcc",), b"\xe3": (b"\xe3\x82\x99", b"\xe3\x82\x9a"), b"\xe1": (b"\xe1\x84",)}
_WITHOUT_PARTS = bytes(range(0xC3)) + b"\xe2"  # of letters and signs that have no parts


def read_features(page: Page, *, seeks_address: bool = False) -> Survey:
    """Return the features of a page. An address that is not known can be sought in the page."""
    source = page.source
    description, data, may_have_parts, things, link = read_head(source, page.tables[0])
    title = page.title.encode()
    told = [title, description, data]
    in_title = not title.isascii() and title.translate(None, _WITHOUT_PARTS)
    # To look through the page takes time.
    if (may_have_parts or in_title) and _has_parts(source):
        told = list(map(_in_both_forms, told))
    address = page.url or (read_value(source, *link, b"href") if seeks_address else "")
    return Survey(source, page.tables, told, things + read_address(address))


def with_address(page: Page) -> Page:
    """Return the page with the canonical address that it names, if its address is not known."""
    *_, link = read_head(page.source, page.tables[0])
    address = page.url or read_value(page.source, *link, b"href")
    return replace(page, url=address) if address != page.url else page


def _has_parts(source: bytes) -> bool:
    """Return whether a page writes any letters in parts."""
    return any(
        begins in source and any(part in source for part in parts)
        for begins, parts in _PARTS.items()
    )


def _in_both_forms(text: bytes) -> bytes:
    """Return a text with its letters whole, and again with its letters in parts.

    The text of the page may have either form. Its words are found in both.
    """
    told = text.decode("utf-8", "replace")
    return " ".join(normalize(form, told) for form in ("NFC", "NFD")).encode()


def block_names() -> tuple[str, ...]:
    """Return the names of the columns of a block's features."""
    return BLOCK_NAMES


@cache
def page_names() -> tuple[str, ...]:
    """Return the names of the columns of a page's features: those of the survey, and those read here."""
    return (*PAGE_NAMES, *DECLARED_NAMES, *ADDRESS_NAMES)
