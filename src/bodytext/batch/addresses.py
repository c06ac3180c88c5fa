"""Extract the page at an address, joined with the pages that continue it."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from bodytext.document import Document, DocumentSource
from bodytext.extraction import extract
from bodytext.output.html import write_blocks
from bodytext.page.parser import parse
from bodytext.selection import select_all
from bodytext.sources.fetch import USER_AGENT, FetchError, FetchLimits
from bodytext.sources.page_fetch import PageFetcher
from bodytext.sources.record import Record
from bodytext.views.next_page import find_next_page
from bodytext.views.structure.element import Element

Extract = Callable[[Record], Document]


def extract_joined(
    first: Record, get: Callable[[str], Record], extract: Extract, most: int
) -> Document:
    """Return the document of a page and of those that continue it, at most so many together.

    If one cannot be fetched, the document ends before it, and its reason says so.
    """
    record, documents, seen, problem = first, [extract(first)], {first.url}, ""
    while len(documents) < most:
        page = parse(record.html, url=record.url, charset=record.charset or None)
        address = find_next_page(page)
        if not address or address in seen:
            break
        seen.add(address)
        try:
            record = get(address)
        except FetchError as error:
            problem = f"page {len(documents) + 1} could not be fetched: {address}: {error}"
            break
        seen.add(record.url)
        documents.append(extract(record))
    joined = join(documents)
    return replace(joined, reason=problem) if problem else joined


def join(documents: Sequence[Document]) -> Document:
    """Return one document of several, with the metadata of the first.

    What an earlier page has too, such as a repeated introduction, is in it once. Offsets are those
    in markup that is made of the pages.
    """
    first = documents[0]
    if len(documents) == 1:
        return first
    seen: set[Element] = set()
    markup = []
    for document in documents:
        children = [child for child in document.structure.children if isinstance(child, Element)]
        markup.append(write_blocks([child for child in children if child not in seen]))
        seen.update(children)
    inner = parse("\n".join(markup), url=first.url, charset="utf-8")
    document = select_all(inner)
    confidences = [each.confidence for each in documents if each.confidence is not None]
    source = DocumentSource(inner, document.blocks.tobytes(), shell=first.whole_page)
    return replace(
        first,
        paragraphs=document.paragraphs,
        origin=f"{len(documents)} pages",
        confidence=min(confidences, default=None),
        _source=source,
    )


def extract_url(  # noqa: PLR0913
    url: str,
    *,
    pages: int = 1,
    render: bool = False,
    archived: bool = False,
    allow_private: bool = False,
    user_agent: str = USER_AGENT,
    **options: Any,
) -> Document:
    """Fetch a page and return its body text.

    Arguments:
        url: the http or https address of the page.
        pages: how many pages of an article that goes over several are joined at most.
        render: open it in a browser, which runs its scripts; needs the extra `render`.
        archived: take the Internet Archive's latest copy where the host has no page.
        allow_private: fetch from this machine and from private networks too.
        user_agent: how the request names itself.
        options: those of `extract`.

    Returns:
        A `Document`; `document.url` is the address after all redirects.

    Raises:
        FetchError: there is no page; the message says why.

    Example:
        >>> document = extract_url("https://news.example/harbour")  # doctest: +SKIP
        >>> print(document.to_markdown(title=True))  # doctest: +SKIP
    """
    if pages < 1:
        raise ValueError(f"pages must be at least 1, not {pages}")
    extract("", **options)  # a wrong option should not cost a request
    fetcher = PageFetcher(FetchLimits(allow_private=allow_private), user_agent, render, archived)
    return extract_joined(fetcher.get(url), fetcher.get, partial(extract, **options), pages)
