"""Write what is known about a document above its text: a block of YAML, and the headline."""

import json
import re

from bodytext.output.facts import name_facts, read_facts
from bodytext.output.readable import Readable

# What YAML does not take as it is, not even between quotes.
_UNPRINTABLE = re.compile("[\x7f-\x9f\u2028\u2029\ud800-\udfff\ufeff\ufffe\uffff]")
_FENCE = "---"


def write_front_matter(document: Readable) -> str:
    """The known facts as YAML between two fences; nothing where none is known.

    Every text is quoted as JSON quotes it, so that no word of a page can become YAML.
    """
    facts = read_facts(document)
    lines = [f"{name}: {_quote(facts[name])}" for name in name_facts("markdown") if name in facts]
    return "\n".join([_FENCE, *lines, _FENCE]) if lines else ""


def find_headline(document: Readable) -> str:
    """The headline on one line, or else the text of <title>."""
    return " ".join((document.metadata.title or document.title).split())


def _quote(value: object) -> str:
    return _UNPRINTABLE.sub(_escape, json.dumps(value, ensure_ascii=False))


def _escape(match: re.Match[str]) -> str:
    code = ord(match[0])
    return "\\ufffd" if 0xD800 <= code <= 0xDFFF else f"\\u{code:04x}"
