"""Write the service's reference for people, from its OpenAPI description."""

from collections.abc import Iterable, Iterator
from html import escape
from typing import Any

_EXAMPLES = {
    "extract": (
        "curl --data-binary @page.html '{origin}/extract?format=markdown'",
        """curl --json '{{"html": "<p>...", "links": "drop"}}' {origin}/extract""",
    ),
    "extract_address": (
        "curl '{origin}/extract?url=https%3A%2F%2Fexample.org%2Fa&format=markdown'",
    ),
    "batch": ("curl --data-binary @pages.jsonl {origin}/batch > texts.jsonl",),
    "health": ("curl {origin}/health",),
    "metrics": ("curl {origin}/metrics",),
}
_KEY = " -H 'Authorization: Bearer KEY'"


def write_reference(description: dict[str, Any], origin: str) -> str:
    """Return the fragment of a page: every operation with its options, answers and examples."""
    schemas = description["components"]["schemas"]
    has_key = bool(description.get("security"))
    parts = [
        '<div class="start"><div class="start-inner service">',
        "<h1>Reference</h1>",
        f'<p class="lead">{_mark(description["info"]["description"])}</p>',
        '<p>Made from <a href="/openapi.json">openapi.json</a>. <a href="/">Try the service</a>.</p>',
    ]
    for path, operations in description["paths"].items():
        for method, operation in operations.items():
            needs_key = has_key and path in {"/extract", "/batch"}
            parts += _write_operation(f"{method.upper()} {path}", operation, origin, needs_key)
    for name, schema in schemas.items():
        parts += _write_schema(name, schema)
    return "\n".join([*parts, "</div></div>"])


def _write_operation(
    name: str, operation: dict[str, Any], origin: str, needs_key: bool
) -> Iterator[str]:
    place = escape(operation["operationId"])
    yield f'<section aria-labelledby="{place}"><h2 id="{place}"><code>{escape(name)}</code></h2>'
    about = [operation["summary"], operation.get("description", "")]
    yield f"<p>{_mark('. '.join(text.rstrip('.') for text in about if text))}.</p>"
    commands = [line.format(origin=origin) for line in _EXAMPLES[operation["operationId"]]]
    if needs_key:
        commands = [line.replace("curl", f"curl{_KEY}", 1) for line in commands]
    yield _write_code(commands)
    parameters = operation.get("parameters", [])
    if parameters:
        rows = [
            (each["name"], _describe_values(each["schema"], required=each["required"]))
            for each in parameters
        ]
        yield _write_table("Options", rows)
    if body := operation.get("requestBody"):
        yield f"<p>Body: {', '.join(f'<code>{escape(kind)}</code>' for kind in body['content'])}</p>"
    yield _write_table("Answers", _list_answers(operation["responses"]))
    yield "</section>"


def _list_answers(responses: dict[str, Any]) -> Iterator[tuple[str, str]]:
    for status, response in responses.items():
        text = response["description"]
        if status == "200" and "headers" in response:
            headers = response["headers"].items()
            text += "; headers: " + ", ".join(
                f"{name} ({value['description']})" for name, value in headers
            )
        yield status, text


def _write_schema(name: str, schema: dict[str, Any]) -> Iterator[str]:
    place = f"schema-{escape(name)}"
    yield f'<section aria-labelledby="{place}"><h2 id="{place}">{escape(name)}</h2>'
    if text := schema.get("description"):
        yield f"<p>{_mark(text)}.</p>"
    needed = schema.get("required", ())
    rows = [
        (key, _describe_values(value, required=key in needed))
        for key, value in schema["properties"].items()
    ]
    yield _write_table("Keys", rows)
    yield "</section>"


def _describe_values(schema: dict[str, Any], *, required: bool) -> str:
    kinds = schema.get("anyOf", [schema])
    values = [_name_values(kind) for kind in kinds]
    parts = [" or ".join(values), schema.get("description", "")]
    if required:
        parts.append("required")
    elif schema.get("default", "") != "":
        parts.append(f"default {schema['default']}")
    return "; ".join(filter(None, parts))


def _name_values(schema: dict[str, Any]) -> str:
    if "enum" in schema:
        return ", ".join(schema["enum"])
    if "minimum" in schema:
        return f"{schema['minimum']} to {schema['maximum']}"
    kind = schema.get("type", "")
    return kind if isinstance(kind, str) else " or ".join(kind)


def _write_table(title: str, rows: Iterable[tuple[str, str]]) -> str:
    lines = "".join(
        f'<tr><th scope="row">{escape(name)}</th><td>{_mark(text)}</td></tr>\n'
        for name, text in rows
    )
    return f'<table class="meta"><caption>{escape(title)}</caption><tbody>\n{lines}</tbody></table>'


def _write_code(lines: Iterable[str]) -> str:
    return (
        f'<pre tabindex="0" role="group" aria-label="Commands">{escape(chr(10).join(lines))}</pre>'
    )


def _mark(text: str) -> str:
    """Escape a text, and show what is between backticks as code."""
    pieces = escape(text).split("`")
    return "".join(
        f"<code>{piece}</code>" if number % 2 else piece for number, piece in enumerate(pieces)
    )
