"""Read the facts about a document that go into the heads of formats."""

from bodytext.output.readable import Readable

Fact = str | list[str]


def read_facts(document: Readable) -> dict[str, Fact]:
    """The known facts by the names of the metadata fields; unknown ones are left out."""
    # Markdown, which needs no facts, should not wait for it
    from bodytext.views.metadata.fields import (
        METADATA_FIELDS,
    )

    facts: dict[str, Fact] = {"title": document.title, "url": document.url}
    for field in METADATA_FIELDS:
        value = getattr(document.metadata, field.name)
        if value:
            facts[field.name] = list(value) if field.is_list else value
    return {name: value for name, value in facts.items() if value}


def name_facts(format_name: str) -> list[str]:
    """The names of the facts that a format writes, in their order."""
    from bodytext.views.metadata.fields import METADATA_FIELDS

    return [field.name for field in METADATA_FIELDS if field.is_in(format_name)]


def as_text(value: Fact | None) -> str:
    """A fact as one line."""
    return ", ".join(value) if isinstance(value, list) else value or ""
