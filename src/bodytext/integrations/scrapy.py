"""Items with HTML -> items with body text: an item pipeline for Scrapy.

ITEM_PIPELINES = {"bodytext.integrations.scrapy.BodytextPipeline": 300}
BODYTEXT = {"html": "html", "url": "url", "fields": ["title", "date"], "keep_html": False, "drop_empty": True}
"""

from typing import Any, Self

from bodytext.integrations.extracted_columns import ERROR, FIELDS, ExtractedColumns

try:
    from itemadapter import ItemAdapter
    from scrapy.exceptions import DropItem
except ImportError as error:
    raise ImportError("this needs Scrapy: pip install scrapy") from error

OPTIONS = ("html", "url", "charset", "text", "fields", "format", "method", "threshold", "keep_html", "drop_empty")


class BodytextPipeline:
    """Extracts from the field with HTML; items without it pass as they are. The setting BODYTEXT holds the options."""

    def __init__(self, **options: Any) -> None:
        unknown = [name for name in options if name not in OPTIONS]
        if unknown:
            raise ValueError(f"BODYTEXT has no option {unknown[0]!r}; it may hold {', '.join(OPTIONS)}")
        self._html = options.pop("html", "html")
        self._url, self._charset = options.pop("url", "url"), options.pop("charset", "charset")
        self._keep_html, self._drop_empty = options.pop("keep_html", True), options.pop("drop_empty", False)
        self._wanted = ExtractedColumns(**options | {"fields": tuple(options.get("fields", FIELDS))})

    @classmethod
    def from_crawler(cls, crawler: Any) -> Self:
        """With the options of the crawler's settings."""
        return cls(**crawler.settings.getdict("BODYTEXT"))

    def process_item(self, item: Any, _: Any = None) -> Any:
        """The item with what was found in it; dropped, where that is asked for, when it is nothing."""
        adapter = ItemAdapter(item)
        html = adapter.get(self._html)
        if html is None:
            return item
        found = self._wanted.fill(html, adapter.get(self._url) or "", adapter.get(self._charset))
        if self._drop_empty and not found[self._wanted.text]:
            raise DropItem(f"no body text: {found[ERROR] or found.get('reason') or 'nothing was found'}")
        for name, value in found.items():
            if name != ERROR or value:  # the field for errors is needed by those who have them
                adapter[name] = value
        if not self._keep_html:
            del adapter[self._html]
        return item
