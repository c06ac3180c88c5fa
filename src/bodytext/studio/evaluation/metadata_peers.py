"""The systems that read metadata: each takes the bytes of a page and gives title, authors and date as JSON text.

None is told the page's address, so what it knows of it stands in the page. What a system imports stands inside its
function, so that a missing one breaks nothing else. A field that a system does not read is left out of its JSON.
"""

import hashlib
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import bodytext
from bodytext.page.encoding import decode


@dataclass(frozen=True, slots=True)
class MetadataPeer:
    """A system: its name in tables, the function that runs it, the distribution it needs, and what it reads."""

    name: str
    function: Callable[[bytes], str]
    distribution: str
    fields: tuple[str, ...]

    @property
    def version(self) -> str:
        """The installed version, with a digest of the code where it is ours; empty where it is not installed."""
        try:
            found = version(self.distribution)
        except PackageNotFoundError:
            return ""
        return f"{found}+{_digest_code()}" if self.distribution == "bodytext" else found

    @property
    def system(self) -> str:
        """What `bodytext.studio.evaluation.peers.find_system` finds the function by."""
        return f"{__name__}:{self.function.__name__}"


def _digest_code() -> str:
    """A digest of what reads our metadata, so that changed code is asked anew."""
    folder, digest = Path(bodytext.__file__).parent, hashlib.sha256()
    for pattern in ("*.py", "kernel/*.py*", "page/**/*.py", "views/metadata/*.py"):
        for path in sorted(folder.glob(pattern)):
            digest.update(path.read_bytes())
    return digest.hexdigest()[:8]


def _answer(**fields: Any) -> str:
    return json.dumps(fields, ensure_ascii=False)


def _text(page: bytes) -> str:
    return decode(page).source.decode("utf-8")


def _listed(authors: str | Sequence[str] | None) -> list[str]:
    if isinstance(authors, str):
        return [authors] if authors else []
    return [str(author) for author in authors or ()]


def read_with_bodytext(page: bytes) -> str:
    """Ours."""
    from bodytext.page.parser import parse
    from bodytext.views.metadata import read_metadata

    found = read_metadata(parse(page))
    return _answer(title=found.title, authors=list(found.authors), date=found.date)


def read_with_trafilatura(page: bytes) -> str:
    """The function `extract_metadata` of trafilatura."""
    from trafilatura.metadata import extract_metadata

    found = extract_metadata(page)
    return _answer(title=found.title or "", authors=_listed(found.author), date=found.date or "")


def read_with_newspaper(page: bytes) -> str:
    """newspaper4k; it wants text, so the page is decoded for it."""
    from newspaper import Article

    article = Article("", fetch_images=False)
    article.download(input_html=_text(page))
    article.parse()
    date = article.publish_date
    return _answer(title=article.title or "", authors=_listed(article.authors), date=date.isoformat() if date else "")


def read_with_readability(page: bytes) -> str:
    """readability-lxml: its full title and its author."""
    from readability import Document

    found = Document(_text(page))
    author = found.author()
    return _answer(title=found.title() or "", authors=_listed(None if author == "[no-author]" else author))


def read_with_readability_short(page: bytes) -> str:
    """readability-lxml: its shortened title."""
    from readability import Document

    return _answer(title=Document(_text(page)).short_title() or "")


def read_with_turbohtml(page: bytes) -> str:
    """The article of turbohtml."""
    import turbohtml

    found = turbohtml.parse(page).article()
    return _answer(title=found.title or "", authors=_listed(found.byline), date=found.date or "")


def read_with_turbohtml_dates(page: bytes) -> str:
    """The search of turbohtml for the date of first publication."""
    from turbohtml.extract import DateExtraction, dates

    found = dates(_text(page), DateExtraction(original=True))
    return _answer(date=found.date if found else "")


def read_with_htmldate(page: bytes) -> str:
    """As htmldate comes."""
    from htmldate import find_date

    return _answer(date=find_date(page) or "")


def read_with_htmldate_original(page: bytes) -> str:
    """htmldate, asked for the date of first publication."""
    from htmldate import find_date

    return _answer(date=find_date(page, original_date=True) or "")


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
    MetadataPeer("readability-lxml", read_with_readability, "readability-lxml", ("title", "authors")),
    MetadataPeer("readability-lxml-short", read_with_readability_short, "readability-lxml", ("title",)),
)
