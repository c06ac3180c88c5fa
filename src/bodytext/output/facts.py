"""Document -> what is known about it besides its text, for the heads of formats."""

from bodytext.document import Document

_NAMES = (
    "title", "authors", "date", "modified", "site_name", "language", "description", "url", "image", "tags",
    "categories", "license", "breadcrumb",
)  # fmt: skip


def read_facts(document: Document) -> dict[str, str | list[str]]:
    """The known facts by their names, in a fixed order; what is not known is left out."""
    facts: dict[str, str | list[str]] = {"title": document.title, "url": document.url}
    for name in _NAMES:
        value = getattr(document.metadata, name)
        if value:
            facts[name] = list(value) if isinstance(value, tuple) else value
    return {name: value for name, value in facts.items() if value}


def as_text(value: str | list[str] | None) -> str:
    """A fact as one line."""
    return ", ".join(value) if isinstance(value, list) else value or ""
