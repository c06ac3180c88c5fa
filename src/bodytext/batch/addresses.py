"""Extract the page at an address."""

from functools import partial
from typing import Any

from bodytext.batch.joining import extract_joined
from bodytext.document import Document
from bodytext.extraction import extract
from bodytext.sources.fetch import USER_AGENT, FetchLimits
from bodytext.sources.page_fetch import PageFetcher


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
