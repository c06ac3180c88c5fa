"""Extract pages in DuckDB: a function for its SQL."""

from typing import Any

from bodytext.integrations.extracted_columns import NUMBERS, ExtractedColumns

_TYPES = ("BLOB", "VARCHAR")


def register(
    connection: Any,
    name: str = "bodytext",
    html_type: str = "BLOB",
    columns: ExtractedColumns | None = None,
) -> None:
    """Give a connection the function NAME(html, url), which returns a struct of the columns.

    `html_type` is BLOB, as read_blob returns pages, or VARCHAR. The address may be NULL.
    """
    if html_type not in _TYPES:
        raise ValueError(f"html_type must be one of {', '.join(_TYPES)}, not {html_type!r}")
    chosen = columns or ExtractedColumns()
    types = {column: "FLOAT" if column in NUMBERS else "VARCHAR" for column in chosen.names}
    returned = connection.struct_type(types)

    def fill(html: bytes | str | None, url: str | None) -> dict[str, Any]:
        return chosen.fill(html, url)

    connection.create_function(
        name, fill, [html_type, "VARCHAR"], returned, null_handling="special"
    )
