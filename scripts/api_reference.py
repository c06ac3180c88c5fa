#!/usr/bin/env python3
"""Write docs/api.md from the docstrings of the public names.

python scripts/api_reference.py            write it
python scripts/api_reference.py --check    fail if it is not up to date
"""

import argparse
import ast
import inspect
import re
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import bodytext

TARGET = Path(__file__).parents[1] / "docs" / "api.md"
SECTIONS = ("Arguments", "Returns", "Raises", "Example")
HEAD = """\
# Python API

Every name that `bodytext` has; `help(bodytext.extract)` shows the same. This page is made from the docstrings by
`python scripts/api_reference.py`. [python.md](python.md) shows how they go together.
"""
CLASSES = ("Document", "Paragraph", "Chunk", "Record", "Page", "Scores")
FUNCTIONS = (
    "extract", "extract_url", "extract_many", "fetch", "all_text", "parse", "select", "extract_async", "extract_many_async",
)  # fmt: skip
OTHERS = {
    "METHODS": 'The methods by name: `METHODS["finn"]()` makes one. [methods.md](methods.md) describes them.',
    "Method": "What a method is: an object with `score(page) -> Scores`.",
    "FetchError": "A page was not fetched; its text says why. Its subclasses are in `bodytext.sources.fetch`.",
}


def write_reference() -> str:
    """Return the whole page."""
    parts = [HEAD, "## Functions\n"]
    parts += [_write_function(f"bodytext.{name}", getattr(bodytext, name)) for name in FUNCTIONS]
    parts.append("## Classes\n")
    parts += [_write_class(name, getattr(bodytext, name)) for name in CLASSES]
    parts.append("## Other names\n")
    parts += [f"`bodytext.{name}`: {text}\n" for name, text in OTHERS.items()]
    text = "\n".join(parts).rstrip("\n") + "\n"
    return re.sub(r"(?<![`\w\"])<(title|pre|br)>", r"`<\1>`", text)


def read_docstring(item: Any) -> dict[str, str]:
    """Return the parts of a docstring: the text at its beginning under "", then its sections."""
    parts: dict[str, list[str]] = {"": []}
    name = ""
    for line in (inspect.getdoc(item) or "").splitlines():
        if line.rstrip(":") in SECTIONS and line.endswith(":"):
            name = line.rstrip(":")
            parts[name] = []
        else:
            parts[name].append(line.removeprefix("    ") if name else line)
    return {name: "\n".join(lines).strip("\n") for name, lines in parts.items()}


def read_entries(section: str) -> dict[str, str]:
    """Return the names in a section of arguments or errors, each with its text on one line."""
    entries: dict[str, str] = {}
    name = ""
    for line in section.splitlines():
        if line and not line[0].isspace():
            name, _, text = line.partition(": ")
            entries[name] = text
        else:
            entries[name] += f" {line.strip()}"
    return entries


def _write_function(name: str, function: Callable[..., Any], level: str = "###") -> str:
    parts = read_docstring(function)
    lines = [f"{level} {name}\n", "```", _write_signature(name, function), "```\n", parts[""], ""]
    for section in ("Arguments", "Raises"):
        if section in parts:
            entries = read_entries(parts[section])
            lines += [
                f"**{section}**\n",
                *(f"- `{key}`: {text}" for key, text in entries.items()),
                "",
            ]
        if section == "Arguments" and "Returns" in parts:
            lines += [f"**Returns** {' '.join(parts['Returns'].split())}\n"]
    if "Example" in parts:
        lines += ["```python", parts["Example"], "```", ""]
    return "\n".join(lines)


def _write_signature(name: str, function: Callable[..., Any]) -> str:
    """Return the names and defaults of the parameters: the text says what they may be."""
    words, star = [], False
    for parameter in inspect.signature(function).parameters.values():
        if parameter.name == "self":
            continue
        if parameter.kind is parameter.KEYWORD_ONLY and not star:
            words.append("*")
            star = True
        prefix = "**" if parameter.kind is parameter.VAR_KEYWORD else ""
        has_default = parameter.default is not parameter.empty
        default = _write_default(parameter.default) if has_default else ""
        words.append(f"{prefix}{parameter.name}{default}")
    line = f"{name}({', '.join(words)})"
    if len(line) <= 100:
        return line
    return f"{name}(\n" + "".join(f"    {word},\n" for word in words) + ")"


def _write_default(value: Any) -> str:
    if isinstance(value, str) and value.startswith("bodytext/"):
        return '="bodytext/..."'
    return f"={value!r}".replace("'", '"')


def _write_class(name: str, class_: type) -> str:
    lines = [f"### bodytext.{name}\n", read_docstring(class_)[""], ""]
    lines += [f"- `{field}`: {text}" for field, text in _list_fields(class_)]
    properties, methods = [], []
    for key, value in vars(class_).items():
        if key.startswith("_") or key == "with_choices":
            continue
        item = value.func if hasattr(value, "func") else value
        if isinstance(value, property) or hasattr(value, "func"):
            text = " ".join((inspect.getdoc(item) or "").split())
            properties.append(f"- `{key}`: {text[:1].lower() + text[1:].rstrip('.')}")
        elif inspect.isfunction(value) and "Returns" in read_docstring(value):
            methods.append(_write_function(f"{name.lower()}.{key}", value, "####"))
    return "\n".join([*lines, *properties, "", *methods])


def _list_fields(class_: type) -> Iterator[tuple[str, str]]:
    """Yield the fields of a dataclass or a named tuple, with the comments beside them."""
    source = inspect.getsource(class_)
    tree = ast.parse(source)
    rows = source.splitlines()
    for node in tree.body[0].body:  # type: ignore[attr-defined]
        if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            if node.target.id.startswith("_"):
                continue
            ends = rows[node.lineno - 1 : (node.end_lineno or 0)]
            comments = [match[1] for row in ends if (match := re.search(r"#\s?(.*)$", row))]
            yield node.target.id, " ".join(comments) or f"`{ast.unparse(node.annotation)}`"


def main() -> int:
    """Write the page, or check it."""
    parser = argparse.ArgumentParser(description="Write docs/api.md from the docstrings.")
    parser.add_argument("--check", action="store_true", help="fail if it is not up to date")
    text = write_reference()
    if parser.parse_args().check:
        return 0 if TARGET.read_text("utf-8") == text else 1
    TARGET.write_text(text, "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
