"""newspaper's Article and Config (newspaper3k and newspaper4k), and its functions article, fulltext."""

import re
from datetime import datetime
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from bodytext.extraction import extract
from bodytext.output.html import write_blocks
from bodytext.page.encoding import decode
from bodytext.page.urls import is_web_address
from bodytext.sources.fetch import USER_AGENT, FetchError
from bodytext.sources.page_fetch import fetch

if TYPE_CHECKING:
    from bodytext.document import Document as BodyText

_SUMMARY = 5  # sentences
_OF_SITES = frozenset({"build", "Source", "hot", "popular_urls"})  # what newspaper has for sites
_SENTENCE_ENDS = tuple(".!?。！？")
_SENTENCE = re.compile(r"[^.!?。！？\n]{1,1000}[.!?。！？]{0,3}")  # or a line without an end


_IN_JSON = (
    "url", "read_more_link", "language", "title", "top_image", "meta_img", "images", "movies", "keywords",
    "meta_keywords", "authors", "summary", "meta_description", "meta_lang", "meta_favicon", "meta_site_name",
    "canonical_link", "text",
)  # fmt: skip


class ArticleException(Exception):
    """An article that was not downloaded, or not parsed."""


class NewspaperConfig:
    """Settings; other attributes may be set, and change nothing."""

    def __init__(self) -> None:
        self.language = ""
        self.browser_user_agent = USER_AGENT
        self.request_timeout = 30.0  # seconds


Config = NewspaperConfig


class NewspaperArticle:
    """An article at an address: download it, then parse it."""

    def __init__(
        self,
        url: str,
        title: str = "",
        source_url: str = "",
        read_more_link: str = "",
        config: Any = None,
        **kwargs: Any,
    ) -> None:
        self.url = self.original_url = url
        parts = urlsplit(url)
        self.source_url = source_url or (f"{parts.scheme}://{parts.netloc}" if parts.netloc else "")
        self.title, self.read_more_link = title, read_more_link
        self.config = config or NewspaperConfig()
        for name in ("browser_user_agent", "request_timeout"):
            if kwargs.get(name):
                setattr(self.config, name, kwargs[name])
        self.language = kwargs.get("language") or getattr(self.config, "language", "")
        self.html = self.article_html = self.text = self.summary = ""
        self.is_parsed = self.is_downloaded = False
        self.authors: list[str] = []
        self.publish_date: datetime | None = None
        self.top_image = self.meta_img = self.canonical_link = ""
        self.images: list[str] = []
        self.movies: list[str] = []
        self.keywords: list[str] = []
        self.meta_keywords: list[str] = []
        self.tags: set[str] = set()
        self.meta_description = self.meta_lang = self.meta_site_name = self.meta_favicon = ""
        self.meta_data: dict[str, Any] = {}
        self.document: BodyText | None = None  # ours, with all that it knows

    @property
    def top_img(self) -> str:
        """The address of the lead image."""
        return self.top_image

    @property
    def imgs(self) -> list[str]:
        """The addresses of the images."""
        return self.images

    def download(
        self,
        input_html: str | bytes | None = None,
        title: str | None = None,
        recursion_counter: int = 0,
        ignore_read_more: bool = False,
    ) -> "NewspaperArticle":
        """Fetch the page, or take the one that is given."""
        del recursion_counter, ignore_read_more
        if input_html is None:
            try:
                record = fetch(
                    self.url,
                    max_seconds=float(self.config.request_timeout),
                    user_agent=self.config.browser_user_agent,
                )
            except FetchError as problem:
                raise ArticleException(f"{self.url} cannot be downloaded: {problem}") from None
            self.url = record.url
            input_html = decode(record.html, record.charset or None).source.decode("utf-8")
        elif isinstance(input_html, bytes):
            input_html = decode(input_html).source.decode("utf-8")
        self.html, self.is_downloaded = input_html, True
        self.title = title or self.title
        return self

    def parse(self) -> "NewspaperArticle":
        """Find the text and the metadata of the page."""
        if not self.is_downloaded:
            raise ArticleException("call download() before parse()")
        document = self.document = extract(self.html, url=self.url)
        known = document.metadata
        self.text, self.title = document.text, known.title or document.title or self.title
        self.article_html = f"<div>{write_blocks(document.structure.children)}</div>"
        self.authors, self.publish_date = list(known.authors), _read_time(known.date)
        self.top_image = self.meta_img = known.image
        media = document.media
        self.images = [medium.source for medium in media if medium.kind == "image"]
        self.movies = [medium.source for medium in media if medium.kind in {"video", "embed"}]
        self.meta_keywords, self.tags = list(known.tags), set(known.tags)
        self.meta_description, self.meta_lang = known.description, known.language.partition("-")[0]
        self.meta_site_name, self.canonical_link = known.site_name, known.url
        self.is_parsed = True
        return self

    def nlp(self) -> None:
        """Set keywords to those that the page names, and the summary to its first sentences."""
        if not self.is_parsed:
            raise ArticleException("call parse() before nlp()")
        self.keywords = list(self.meta_keywords)
        parts = (match[0].strip() for match in _SENTENCE.finditer(self.text))
        sentences = [part for part in parts if part.endswith(_SENTENCE_ENDS)]
        self.summary = "\n".join(sentences[:_SUMMARY])

    def build(self) -> None:
        """Download, parse and run nlp."""
        self.download()
        self.parse()
        self.nlp()

    def is_valid_body(self) -> bool:
        """Whether there is a text."""
        return bool(self.text)

    def is_valid_url(self) -> bool:
        """Whether the address is that of a page on the web."""
        return is_web_address(self.url)

    def to_json(self, as_string: bool | None = True) -> Any:
        """Return the article as JSON or as a dictionary."""
        import json

        value = {name: getattr(self, name) for name in _IN_JSON}
        value["tags"] = sorted(self.tags)
        value["publish_date"] = self.publish_date.isoformat() if self.publish_date else None
        return json.dumps(value, ensure_ascii=False) if as_string else value


Article = NewspaperArticle


def article(url: str, language: str | None = None, **kwargs: Any) -> NewspaperArticle:
    """Download and parse an article."""
    input_html = kwargs.pop("input_html", None)
    made = NewspaperArticle(url, language=language or "", **kwargs)
    return made.download(input_html).parse()


def build_article(url: str = "", config: Any = None, **kwargs: Any) -> NewspaperArticle:
    """Return an article that is not downloaded yet."""
    return NewspaperArticle(url, config=config, **kwargs)


def fulltext(html: str, language: str = "en") -> str:
    """Return the text of a page."""
    del language
    return extract(html).text


def _read_time(date: str) -> datetime | None:
    try:
        return datetime.fromisoformat(date)
    except ValueError:
        return None


def __getattr__(name: str) -> Any:
    if name in _OF_SITES:
        raise AttributeError(
            f"{name} is not there: for a site use `bodytext --crawl` or bodytext.sources.reading.read_sources"
        )
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
