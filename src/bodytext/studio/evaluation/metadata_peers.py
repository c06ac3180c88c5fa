"""Define the systems that read metadata: from the bytes of a page to JSON, without its address.

Their packages are imported inside the functions, so that a missing one does no harm.
"""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from bodytext.studio.evaluation.peers import decode_page, find_version


@dataclass(frozen=True, slots=True)
class MetadataPeer:
    """A system: its name in tables, function, distribution, and the fields that it reads."""

    name: str
    function: Callable[[bytes], str]
    distribution: str
    fields: tuple[str, ...]

    @property
    def version(self) -> str:
        """The installed version, with a digest of the code if it is ours; empty if missing."""
        return find_version(self.distribution)

    @property
    def system(self) -> str:
        """The name by which `bodytext.studio.evaluation.peers.find_system` finds the function."""
        return f"{__name__}:{self.function.__name__}"


def _to_json(**fields: Any) -> str:
    return json.dumps(fields, ensure_ascii=False)


def _to_list(authors: str | Sequence[str] | None) -> list[str]:
    if isinstance(authors, str):
        return [authors] if authors else []
    return [str(author) for author in authors or ()]


def read_with_bodytext(page: bytes) -> str:
    """The metadata of bodytext."""
    from bodytext.page.parser import parse
    from bodytext.views.metadata import read_metadata

    metadata = read_metadata(parse(page))
    return _to_json(title=metadata.title, authors=list(metadata.authors), date=metadata.date)


def read_with_trafilatura(page: bytes) -> str:
    """The function `extract_metadata` of trafilatura."""
    from trafilatura.metadata import extract_metadata

    metadata = extract_metadata(page)
    return _to_json(
        title=metadata.title or "", authors=_to_list(metadata.author), date=metadata.date or ""
    )


def read_with_newspaper(page: bytes) -> str:
    """The article of newspaper4k, which takes decoded text."""
    from newspaper import Article

    article = Article("", fetch_images=False)
    article.download(input_html=decode_page(page))
    article.parse()
    date = article.publish_date
    return _to_json(
        title=article.title or "",
        authors=_to_list(article.authors),
        date=date.isoformat() if date else "",
    )


def read_with_readability(page: bytes) -> str:
    """The full title and the author of readability-lxml."""
    from readability import Document

    document = Document(decode_page(page))
    author = document.author()
    return _to_json(
        title=document.title() or "", authors=_to_list(None if author == "[no-author]" else author)
    )


def read_with_readability_short(page: bytes) -> str:
    """The shortened title of readability-lxml."""
    from readability import Document

    return _to_json(title=Document(decode_page(page)).short_title() or "")


def read_with_turbohtml(page: bytes) -> str:
    """The article of turbohtml."""
    import turbohtml

    article = turbohtml.parse(page).article()
    return _to_json(
        title=article.title or "", authors=_to_list(article.byline), date=article.date or ""
    )


def read_with_turbohtml_dates(page: bytes) -> str:
    """The search of turbohtml for the date of first publication."""
    from turbohtml.extract import DateExtraction, dates

    published = dates(decode_page(page), DateExtraction(original=True))
    return _to_json(date=published.date if published else "")


def read_with_htmldate(page: bytes) -> str:
    """The date of htmldate with its default options."""
    from htmldate import find_date

    return _to_json(date=find_date(page) or "")


def read_with_htmldate_original(page: bytes) -> str:
    """The date of first publication of htmldate."""
    from htmldate import find_date

    return _to_json(date=find_date(page, original_date=True) or "")


_ALL = ("title", "authors", "date")
# In the order of the tables.
METADATA_PEERS = (
    MetadataPeer("bodytext", read_with_bodytext, "bodytext", _ALL),
    MetadataPeer("trafilatura", read_with_trafilatura, "trafilatura", _ALL),
    MetadataPeer("newspaper4k", read_with_newspaper, "newspaper4k", _ALL),
    MetadataPeer("turbohtml", read_with_turbohtml, "turbohtml", _ALL),
    MetadataPeer("turbohtml-dates", read_with_turbohtml_dates, "turbohtml", ("date",)),
    MetadataPeer("htmldate", read_with_htmldate, "htmldate", ("date",)),
    MetadataPeer("htmldate-original", read_with_htmldate_original, "htmldate", ("date",)),
    MetadataPeer(
        "readability-lxml", read_with_readability, "readability-lxml", ("title", "authors")
    ),
    MetadataPeer(
        "readability-lxml-short", read_with_readability_short, "readability-lxml", ("title",)
    ),
)
