"""What a language model can ask for: read a page, extract it, explain it, search in it."""

import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from bodytext.document import Document
from bodytext.extraction import extract
from bodytext.kernel.words import Letter, class_of
from bodytext.methods import DEFAULT, METHODS
from bodytext.methods.scores import PRESETS
from bodytext.output.formats import FORMATS
from bodytext.page.parser import parse
from bodytext.sources.record import Record
from bodytext.views.chunks import Chunk

Arguments = Mapping[str, Any]
Fetch = Callable[[str], Record]

MOST_BLOCKS = 3000  # that are explained; more are too long for a model to read
MOST_FOUND, MOST_WORDS = 50, 2000  # chunks, and words in each
_TYPES: dict[str, Any] = {"string": str, "integer": int, "array": list}
_PAGE = {
    "url": {
        "type": "string",
        "description": "the http or https address of the page; fetched unless html is given",
    },
    "html": {"type": "string", "description": "the page itself, in place of fetching it"},
}
_LINKS = {
    "type": "string",
    "enum": ["keep", "drop", "references"],
    "description": "what to do with links; references lists them at the end; default keep",
}


class ToolError(ValueError):
    """A call that cannot be answered; the message is for the model, and says what to do."""


@dataclass(frozen=True, slots=True)
class McpTool:
    """A tool: what it does, its arguments as JSON Schema, and the function that answers a call."""

    title: str
    description: str
    properties: dict[str, dict[str, Any]]
    run: Callable[[Arguments], str]
    required: tuple[str, ...] = ()

    def describe(self, name: str) -> dict[str, Any]:
        """Return the description that clients list."""
        schema = {
            "type": "object",
            "properties": self.properties,
            "required": list(self.required),
            "additionalProperties": False,
        }
        hints = {"title": self.title, "readOnlyHint": True, "openWorldHint": True}
        return {
            "name": name,
            "title": self.title,
            "description": self.description,
            "inputSchema": schema,
            "annotations": hints,
        }

    def call(self, arguments: Arguments) -> str:
        """Check the arguments and return the answer, or raise a ToolError."""
        for name in self.required:
            if name not in arguments:
                raise ToolError(f"{name} is missing")
        for name, value in arguments.items():
            if name not in self.properties:
                names = ", ".join(self.properties)
                raise ToolError(f"there is no argument {name[:40]!r}; choose from {names}")
            _check(name, value, self.properties[name])
        if not arguments.get("url") and "html" not in arguments:
            raise ToolError("give the url of a page, or its html")
        return self.run(arguments)


def make_tools(fetch: Fetch) -> dict[str, McpTool]:
    """Return the tools by name. They get pages from the given function."""
    return {
        "read_page": McpTool(
            "Read a page",
            "Returns the body text of a web page as Markdown, without menus, advertisements and comments, below "
            "what is known about it: title, author, date, address.",
            {**_PAGE, "links": _LINKS},
            partial(_read_page, fetch),
        ),
        "extract": McpTool(
            "Extract a page",
            "Returns the body text of a web page in any format. JSON has the metadata, the structure, media and "
            "the place of every paragraph in the source.",
            {
                **_PAGE,
                "format": {"type": "string", "enum": [*FORMATS], "description": "default json"},
                "method": {"type": "string", "enum": [*METHODS], "description": "default learned"},
                "threshold": {
                    "type": "string",
                    "enum": [*PRESETS],
                    "description": "precision keeps less, recall more; default balanced",
                },
                "prune": _selectors("elements that are taken out of the page first"),
                "keep": _selectors("elements whose text is kept in any case"),
                "links": _LINKS,
            },
            partial(_extract_page, fetch),
        ),
        "explain": McpTool(
            "Explain a page",
            "Lists the blocks of a web page with every method's score, a * for each that it keeps, and the reasons. "
            "Use it when text is missing or too much.",
            _PAGE,
            partial(_explain_page, fetch),
        ),
        "search_page": McpTool(
            "Search in a page",
            "Returns the passages of a web page's body text that have the words of a query, the best first, each "
            "with its headings. Use it for long pages.",
            {
                "query": {"type": "string", "description": "words to look for", "minLength": 1},
                **_PAGE,
                "max_results": _count("passages", 5, MOST_FOUND),
                "max_words": _count("words in a passage", 150, MOST_WORDS),
            },
            partial(_search_page, fetch),
            required=("query",),
        ),
    }


def _selectors(meaning: str) -> dict[str, Any]:
    return {
        "type": "array",
        "items": {"type": "string"},
        "description": f"CSS selectors of {meaning}",
    }


def _count(what: str, default: int, most: int) -> dict[str, Any]:
    description = f"the most {what}; default {default}"
    return {"type": "integer", "minimum": 1, "maximum": most, "description": description}


def _check(name: str, value: Any, schema: Mapping[str, Any]) -> None:
    kind = schema["type"]
    if not isinstance(value, _TYPES[kind]) or isinstance(value, bool):
        raise ToolError(f"{name} must be of type {kind}")
    if "enum" in schema and value not in schema["enum"]:
        raise ToolError(f"{name} must be one of {', '.join(schema['enum'])}")
    if kind == "integer" and not schema["minimum"] <= value <= schema["maximum"]:
        raise ToolError(f"{name} must be from {schema['minimum']} to {schema['maximum']}")
    if kind == "array" and not all(isinstance(item, str) for item in value):
        raise ToolError(f"{name} must be a list of strings")


def _get(fetch: Fetch, arguments: Arguments) -> Record:
    """Return the page that a call names."""
    url = arguments.get("url", "")
    if "html" not in arguments:
        return fetch(url)
    # JSON is Unicode: a charset that the page names no longer counts.
    return Record(arguments["html"].encode("utf-8", "replace"), url=url, charset="utf-8")


def _extract(fetch: Fetch, arguments: Arguments, **options: Any) -> Document:
    document = extract(_get(fetch, arguments), links=arguments.get("links", "keep"), **options)
    if not document:
        raise ToolError(f"no body text was found: {document.reason}")
    return document


def _read_page(fetch: Fetch, arguments: Arguments) -> str:
    return _extract(fetch, arguments).to_markdown(title=True, front_matter=True)


def _extract_page(fetch: Fetch, arguments: Arguments) -> str:
    names = ("method", "threshold", "prune", "keep")
    options = {name: arguments[name] for name in names if name in arguments}
    document = _extract(fetch, arguments, **{"method": DEFAULT} | options)
    return document.render(arguments.get("format", "json"))


def _explain_page(fetch: Fetch, arguments: Arguments) -> str:
    from bodytext.output.score_table import explain_page

    record = _get(fetch, arguments)
    page = parse(record.html, url=record.url, charset=record.charset or None)
    if not len(page):
        raise ToolError(f"no body text was found: {extract(record).reason}")
    if len(page) > MOST_BLOCKS:
        raise ToolError(
            f"the page has {len(page):,} blocks, more than the {MOST_BLOCKS:,} that are listed; use extract"
        )
    return explain_page(page)


def _search_page(fetch: Fetch, arguments: Arguments) -> str:
    query = arguments["query"]
    if not query.strip() or len(query) > LONGEST_QUERY:
        raise ToolError(f"query must have from 1 to {LONGEST_QUERY:,} characters")
    document = _extract(fetch, arguments)
    chunks = document.chunks(max_words=arguments.get("max_words", 150))
    found = search_chunks(chunks, query, arguments.get("max_results", 5))
    if not found:
        return f"None of these words is in the page's {len(chunks)} passages: {query}"
    return "\n\n---\n\n".join(chunk.in_context for chunk in found)


LONGEST_QUERY = 1000  # characters
_SATURATION, _LENGTH = 1.2, 0.75  # BM25's usual constants


def search_chunks(chunks: Sequence[Chunk], query: str, most: int = 5) -> list[Chunk]:
    """Return the best chunks for a query, the best first, ranked by BM25.

    A word of the query matches words that begin with it, in upper or lower case. The headings above
    a chunk count as its text. Chunks without any of the words are left out.
    """
    texts = [chunk.in_context.casefold() for chunk in chunks]
    patterns = [re.compile(term) for term in sorted(set(_find_terms(query)))]
    mean = sum(map(len, texts)) / len(texts) if texts else 1
    scores = [0.0] * len(texts)
    for pattern in patterns:
        counts = [len(pattern.findall(text)) for text in texts]
        found = sum(1 for count in counts if count)
        weight = math.log(1 + (len(texts) - found + 0.5) / (found + 0.5))
        for index, count in enumerate(counts):
            length = 1 - _LENGTH + _LENGTH * len(texts[index]) / mean
            scores[index] += weight * count * (_SATURATION + 1) / (count + _SATURATION * length)
    ranked = sorted((-score, index) for index, score in enumerate(scores) if score)
    return [chunks[index] for _, index in ranked[:most]]


def _find_terms(query: str) -> Iterator[str]:
    """Yield a pattern for each word of a query.

    In scripts that are written without spaces, two neighbouring letters stand for a word.
    """
    query = query[:LONGEST_QUERY].casefold()
    for run in re.findall(f"[{class_of(Letter.IDEOGRAPH, Letter.UNSPACED)}]+", query):
        yield from (re.escape(run[at : at + 2]) for at in range(max(len(run) - 1, 1)))
    spaced = f"_{class_of(Letter.WORD, Letter.INVISIBLE)}"
    for word in re.findall(f"[{spaced}]*[{class_of(Letter.WORD)}][{spaced}]*", query):
        yield f"(?<![{spaced}]){re.escape(word)}"
