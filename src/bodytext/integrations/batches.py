"""A batch of rows with HTML -> the same with the columns of the extraction: Ray Data, Spark, Hugging Face datasets.

dataset.map(ExtractBatch(), batched=True)                   # Hugging Face datasets
dataset.map_batches(ExtractBatch(), batch_format="pyarrow") # Ray Data
frame.mapInArrow(ExtractBatch().map_arrow, schema)          # Spark
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from bodytext.integrations.extracted_columns import NUMBERS, ExtractedColumns

if TYPE_CHECKING:
    import pyarrow as pa

ARROW_NUMBER, ARROW_TEXT = "float", "string"


@dataclass(frozen=True, slots=True)
class ExtractBatch:
    """Extracts each page of a batch; it can be pickled, and what is needed loads with the first page.

    `html` and `url` name the columns to read. Where there is none for the address, it is left to the page to tell it.
    """

    html: str = "html"
    url: str = "url"
    wanted: ExtractedColumns = field(default_factory=ExtractedColumns)
    keep_html: bool = True  # in the batch that is given back

    def __call__(self, batch: Any) -> Any:
        """A dict of columns gives a dict, a table or record batch of Arrow one of its kind, a pandas frame a frame."""
        if isinstance(batch, Mapping):
            columns = {name: batch[name] for name in batch if self._stays(name)}
            return columns | self._extract(
                list(self._column(batch, batch.keys())), self._addresses(batch, batch.keys())
            )
        if hasattr(batch, "schema"):
            return self._call_arrow(batch)
        if hasattr(batch, "columns"):
            found = self._extract(list(self._column(batch, batch.columns)), self._addresses(batch, batch.columns))
            return batch[[name for name in batch.columns if self._stays(name)]].assign(**found)
        raise TypeError(f"a batch is a dict of columns, a table of Arrow or a pandas frame, not {type(batch).__name__}")

    def map_arrow(self, batches: Iterable["pa.RecordBatch"]) -> Iterator["pa.RecordBatch"]:
        """Record batches in, record batches out: what Spark's mapInArrow calls."""
        return map(self._call_arrow, batches)

    def arrow_schema(self, schema: "pa.Schema") -> "pa.Schema":
        """The schema of what comes out for the schema of what goes in."""
        import pyarrow as pa

        kept = [one for one in schema if self._stays(one.name)]
        types = {ARROW_NUMBER: pa.float32(), ARROW_TEXT: pa.string()}
        made = [pa.field(name, types[_arrow_type(name)]) for name in self.wanted.names]
        return pa.schema(kept + made)

    def spark_schema(self, schema: str = "") -> str:
        """The columns that are added, as Spark writes a schema; behind those that stay, such as "url string"."""
        made = [f"`{name}` {_arrow_type(name)}" for name in self.wanted.names]
        return ", ".join([schema, *made] if schema else made)

    def _stays(self, name: str) -> bool:
        return name not in self.wanted.names and (self.keep_html or name != self.html)

    def _column(self, batch: Any, names: Iterable[str]) -> Any:
        if self.html not in names:
            raise KeyError(
                f"there is no column {self.html!r}; there are {', '.join(map(str, names))}: name it with html="
            )
        return batch[self.html]

    def _addresses(self, batch: Any, names: Iterable[str]) -> list[Any] | None:
        return list(batch[self.url]) if self.url in names else None

    def _extract(self, pages: list[Any], addresses: list[Any] | None) -> dict[str, list[Any]]:
        addresses = [""] * len(pages) if addresses is None else addresses
        rows = [self.wanted.fill(page, url) for page, url in zip(pages, addresses, strict=True)]
        return {name: [row[name] for row in rows] for name in self.wanted.names}

    def _call_arrow(self, batch: Any) -> Any:
        import pyarrow as pa

        names = batch.schema.names
        addresses = batch.column(self.url).to_pylist() if self.url in names else None
        found = self._extract(self._column(batch, names).to_pylist(), addresses)
        schema = self.arrow_schema(batch.schema)
        columns = [
            pa.array(found[one.name], one.type) if one.name in found else batch.column(one.name) for one in schema
        ]
        return type(batch).from_arrays(columns, schema=schema)


def _arrow_type(name: str) -> str:
    return ARROW_NUMBER if name in NUMBERS else ARROW_TEXT
