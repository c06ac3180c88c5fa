"""The table of metadata fields: every output has every field, unless its row leaves it out."""

import json
from pathlib import Path
from typing import Any, get_type_hints

import pytest

from bodytext import Document, extract
from bodytext.corpus.run.tasks import _format_metadata
from bodytext.integrations.extracted_columns import ExtractedColumns
from bodytext.output.formats import FORMATS, render
from bodytext.views.metadata import METADATA_FIELDS, Metadata, MetadataField

NAMES = [field.name for field in METADATA_FIELDS]
DOCS = Path(__file__).parent.parent / "docs" / "metadata.md"
each_field = pytest.mark.parametrize("field", METADATA_FIELDS, ids=NAMES)


def value_of(field: MetadataField) -> str:
    return f"https://value.example/{field.name}"


VALUES: dict[str, Any] = {
    field.name: (value_of(field),) if field.is_list else value_of(field)
    for field in METADATA_FIELDS
}


class Described:
    """A document whose every field of metadata has a value of its own."""

    def __init__(self, document: Document) -> None:
        self.document = document
        self.metadata = Metadata(**VALUES)
        self.page_type = self.metadata.page_type

    def __getattr__(self, name: str) -> Any:
        return getattr(self.document, name)


@pytest.fixture(scope="module")
def document() -> Any:
    return Described(extract("<title>A harbour</title><p>The harbour opened again."))


def test_every_field_of_the_record_but_its_sources_has_a_row() -> None:
    assert [*NAMES, "sources"] == list(Metadata.__dataclass_fields__)


@each_field
def test_a_row_fits_its_field(field: MetadataField) -> None:
    hint = get_type_hints(Metadata)[field.name]
    assert hint == (tuple[str, ...] if field.is_list else str)
    assert field.description
    assert field.left_out_of <= set(FORMATS.own)


@each_field
@pytest.mark.parametrize("name", ["csv", "html", "tei"])
def test_a_format_has_the_field_or_its_row_leaves_it_out(
    document: Any, field: MetadataField, name: str
) -> None:
    assert (value_of(field) in render(document, name)) == field.is_in(name)


@each_field
def test_json_has_the_field(document: Any, field: MetadataField) -> None:
    assert json.loads(render(document, "json"))["metadata"][field.name] == json.loads(
        json.dumps(VALUES[field.name])
    )


@each_field
def test_the_rows_of_a_corpus_have_the_field(document: Any, field: MetadataField) -> None:
    assert value_of(field) in _format_metadata(document)


@each_field
def test_the_adapters_have_the_field(field: MetadataField) -> None:
    assert field.name in ExtractedColumns(fields=(field.name,)).fill("<p>text")


@each_field
def test_the_docs_have_the_field(field: MetadataField) -> None:
    unknown = "()" if field.is_list else '""'
    row = f"| `{field.name}` | {field.description} | `{unknown}` |"
    message = f"the table in docs/metadata.md needs a line such as this:\n{row}"
    assert f"`{field.name}`" in DOCS.read_text("utf-8"), message


def test_a_relation_in_capitals_is_found() -> None:
    assert extract("<link rel=LICENSE href=https://a.example/by><p>text").metadata.license
