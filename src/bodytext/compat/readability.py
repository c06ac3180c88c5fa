"""readability-lxml's class Document: summary, title, short_title, content, author."""

from collections.abc import Sequence
from functools import cached_property
from typing import Any

from bodytext.document import Document as BodyText
from bodytext.extraction import extract
from bodytext.output.html import write_blocks
from bodytext.output.references import choose


class ReadabilityDocument:
    """A page. The parameters that tune readability's own algorithm are taken and change nothing."""

    def __init__(
        self,
        input: Any,
        positive_keywords: Sequence[str] | str | None = None,
        negative_keywords: Sequence[str] | str | None = None,
        url: str | None = None,
        min_text_length: int = 25,
        retry_length: int = 250,
        xpath: bool = False,
        handle_failures: str = "discard",
    ) -> None:
        del positive_keywords, negative_keywords, min_text_length, retry_length
        del xpath, handle_failures
        self.input, self.url = input, url

    @cached_property
    def _found(self) -> BodyText:
        return extract(self.input, url=self.url or "")

    def summary(self, html_partial: bool = False, keep_all_images: bool = False) -> str:
        """Return the body text as HTML: a whole page, or a div alone."""
        del keep_all_images
        structure = choose(self._found.structure, "keep", "keep")
        inner = f"<div>{write_blocks(structure.children)}</div>"
        return inner if html_partial else f"<html><body>{inner}</body></html>"

    def title(self) -> str:
        """Return the text of <title>."""
        return self._found.title or "[no-title]"

    def short_title(self) -> str:
        """Return the headline without the name of the site."""
        return self._found.metadata.title or self.title()

    def author(self) -> str:
        """Return the names of the authors."""
        return ", ".join(self._found.metadata.authors) or "[no-author]"

    def content(self) -> str:
        """Return all that the page shows, as HTML of semantic tags alone."""
        from bodytext.page.parser import parse
        from bodytext.selection import select_all

        everything = select_all(parse(self.input, url=self.url or ""))
        return f"<body>{write_blocks(everything.structure.children)}</body>"

    def get_clean_html(self) -> str:
        """Return the same as content."""
        return self.content()


Document = ReadabilityDocument
