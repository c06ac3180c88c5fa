"""Extract the text of Scrapy's items: an item pipeline.

ITEM_PIPELINES = {"bodytext.integrations.scrapy.BodytextPipeline": 300} BODYTEXT = {"html": "html",
"url": "url", "fields": ["title", "date"], "keep_html": False, "drop_empty": True}
"""

from dataclasses import fields
from typing import Any, Self

from bodytext.integrations.extracted_columns import ERROR, FIELDS, ExtractedColumns

try:
    from itemadapter import ItemAdapter
    from scrapy.exceptions import DropItem
except ImportError as error:
    raise ImportError("this needs Scrapy: pip install scrapy") from error

_COLUMNS = [entry.name for entry in fields(ExtractedColumns)]
OPTIONS = ("html", "url", "charset", *_COLUMNS, "keep_html", "drop_empty")


class BodytextPipeline:
    """Extracts from the field with HTML, if there is one; the setting BODYTEXT has the options."""

    def __init__(self, **options: Any) -> None:
        unknown = [name for name in options if name not in OPTIONS]
        if unknown:
            raise ValueError(
                f"BODYTEXT has no option {unknown[0]!r}; it may hold {', '.join(OPTIONS)}"
            )
        self._html = options.pop("html", "html")
        self._url, self._charset = options.pop("url", "url"), options.pop("charset", "charset")
        self._keep_html = options.pop("keep_html", True)
        self._drop_empty = options.pop("drop_empty", False)
        self._columns = ExtractedColumns(
            **options | {"fields": tuple(options.get("fields", FIELDS))}
        )

    @classmethod
    def from_crawler(cls, crawler: Any) -> Self:
        """Make the pipeline with the options of the crawler's settings."""
        return cls(**crawler.settings.getdict("BODYTEXT"))

    def process_item(self, item: Any, _: Any = None) -> Any:
        """Add the extracted fields to an item, or drop it if it is empty and that is wanted."""
        adapter = ItemAdapter(item)
        html = adapter.get(self._html)
        if html is None:
            return item
        values = self._columns.fill(html, adapter.get(self._url) or "", adapter.get(self._charset))
        if self._drop_empty:
            self._require_text(values)
        if not values[ERROR]:
            del values[ERROR]  # only items that failed need this field
        adapter.update(values)
        if not self._keep_html:
            del adapter[self._html]
        return item

    def _require_text(self, values: dict[str, Any]) -> None:
        if not values[self._columns.text]:
            raise DropItem(
                f"no body text: {values[ERROR] or values.get('reason') or 'nothing was found'}"
            )
