"""Extract batches of pages in Hugging Face datasets, Ray Data, Spark, polars and pandas.

dataset.map(ExtractBatch(), batched=True)                   # Hugging Face datasets
dataset.map_batches(ExtractBatch(), batch_format="pyarrow") # Ray Data
frame.mapInArrow(ExtractBatch().map_arrow, schema)          # Spark
ExtractBatch()(frame)                                       # polars, pandas
"""

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from bodytext.integrations.extracted_columns import NUMBERS, ExtractedColumns

if TYPE_CHECKING:
    import pyarrow as pa

ARROW_NUMBER, ARROW_TEXT = "float", "string"


@dataclass(frozen=True, slots=True)
class ExtractBatch:
    """Extracts each page of a batch.

    It can be pickled, and loads what it needs with the first page. `html` and `url` name the
    columns to read. Without a column for the address, the page may name it itself.
    """

    html: str = "html"
    url: str = "url"
    columns: ExtractedColumns = field(default_factory=ExtractedColumns)
    keep_html: bool = True  # in the batch that is returned

    def __call__(self, batch: Any) -> Any:
        """Extract a dict of columns, a table or record batch of Arrow, or a frame of polars or pandas."""
        if isinstance(batch, Mapping):
            kept = {name: batch[name] for name in batch if self._keeps(name)}
            return kept | self._extract(batch, batch.keys())
        if hasattr(batch, "from_arrays"):
            return self._extract_arrow(batch)
        if hasattr(batch, "get_columns"):
            return self._extract_polars(batch)
        if hasattr(batch, "assign"):
            extracted = self._extract(batch, batch.columns)
            return batch[[name for name in batch.columns if self._keeps(name)]].assign(**extracted)
        raise TypeError(
            "a batch is a dict of columns, a table of Arrow, or a frame of polars or pandas, not "
            f"{type(batch).__name__}; collect a lazy one first"
        )

    def map_arrow(self, batches: Iterable["pa.RecordBatch"]) -> Iterator["pa.RecordBatch"]:
        """Extract record batches, as Spark's mapInArrow wants it."""
        return map(self._extract_arrow, batches)

    def arrow_schema(self, schema: "pa.Schema") -> "pa.Schema":
        """The schema of the result, given the schema of a batch."""
        import pyarrow as pa

        kept = [column for column in schema if self._keeps(column.name)]
        types = {ARROW_NUMBER: pa.float32(), ARROW_TEXT: pa.string()}
        return pa.schema(
            kept + [pa.field(name, types[_arrow_type(name)]) for name in self.columns.names]
        )

    def spark_schema(self, schema: str = "") -> str:
        """The schema of the result for Spark, given that of the kept columns, such as "url string"."""
        added = [f"`{name}` {_arrow_type(name)}" for name in self.columns.names]
        return ", ".join([schema, *added] if schema else added)

    def _keeps(self, name: str) -> bool:
        return name not in self.columns.names and (self.keep_html or name != self.html)

    def _extract(self, batch: Any, names: Collection[str]) -> dict[str, list[Any]]:
        """The extracted columns of a batch, given the names of its columns."""
        if self.html not in names:
            raise KeyError(
                f"there is no column {self.html!r}; there are {', '.join(map(str, names))}: name it with html="
            )
        pages = _as_list(batch[self.html])
        addresses = _as_list(batch[self.url]) if self.url in names else [""] * len(pages)
        rows = [
            self.columns.fill(page, address) for page, address in zip(pages, addresses, strict=True)
        ]
        return {name: [row[name] for row in rows] for name in self.columns.names}

    def _extract_polars(self, frame: Any) -> Any:
        import polars as pl

        types = {ARROW_NUMBER: pl.Float32, ARROW_TEXT: pl.String}
        added = [
            pl.Series(name, values, types[_arrow_type(name)])
            for name, values in self._extract(frame, frame.columns).items()
        ]
        kept = [name for name in frame.columns if self._keeps(name)]
        return frame.with_columns(added).select(*kept, *self.columns.names)

    def _extract_arrow(self, batch: Any) -> Any:
        import pyarrow as pa

        extracted = self._extract(batch, batch.schema.names)
        schema = self.arrow_schema(batch.schema)
        kept = [batch.column(column.name) for column in schema if column.name not in extracted]
        added = [
            pa.array(extracted[column.name], column.type)
            for column in schema
            if column.name in extracted
        ]
        return type(batch).from_arrays(kept + added, schema=schema)


def _as_list(column: Any) -> list[Any]:
    return column.to_pylist() if hasattr(column, "to_pylist") else list(column)


def _arrow_type(name: str) -> str:
    return ARROW_NUMBER if name in NUMBERS else ARROW_TEXT
