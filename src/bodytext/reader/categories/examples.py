"""The file of examples in; the categories, what sites call them, and examples of each out."""

import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from urllib.parse import unquote, urlsplit

_FILE = Path(__file__).with_name("examples.txt")
_SEPARATORS = re.compile(r"[^\w]+")
_FOLDERS = 4  # of an address that are looked at: behind them come dates and names
_LONGEST_NAME = 80
# A section of the address is the site's decision where the article belongs; a feed's categories are tags too.
SECTION_WEIGHT, SAID_WEIGHT = 1.0, 0.7
_DEPTH_WEIGHT = 0.8  # of each further folder against the one before


@dataclass(frozen=True, slots=True)
class Example:
    """A made text of a category."""

    category: str
    language: str
    text: str


@dataclass(frozen=True, slots=True)
class Examples:
    """What is known before anything was read."""

    categories: tuple[str, ...]
    sections: dict[str, str]  # what sites call a category -> the category
    examples: tuple[Example, ...]
    common: frozenset[str]  # words that all news have, of all languages


@cache
def read_examples() -> Examples:
    """The categories that come with the reader."""
    sections: dict[str, str] = {}
    examples: list[Example] = []
    names: list[str] = []
    common: set[str] = set()
    for line in _FILE.read_text("utf-8").splitlines():
        key, _, rest = line.partition(": ")
        if line.startswith("== "):
            names.append(line.removeprefix("== ").strip())
        elif key.startswith("common "):
            common |= {unicodedata.normalize("NFKC", word) for word in rest.split()}
        elif key == "sections":
            sections |= dict.fromkeys(map(name_section, rest.split()), names[-1])
        elif rest and not line.startswith("#"):
            examples.append(Example(names[-1], key, rest))
    return Examples(tuple(names), sections, tuple(examples), frozenset(common))


def name_section(name: str) -> str:
    """What a site calls a section, as sections are compared: small letters without accents, joined by hyphens.

    >>> name_section("Thể thao"), name_section("Économie"), name_section("Đời sống")
    ('the-thao', 'economie', 'doi-song')
    """
    folded = unicodedata.normalize("NFKD", name[:_LONGEST_NAME].casefold()).replace("đ", "d")
    plain = "".join(letter for letter in folded if not unicodedata.combining(letter))
    return _SEPARATORS.sub("-", unicodedata.normalize("NFC", plain)).strip("-_")


def weigh_sections(url: str, said: Sequence[str]) -> dict[str, float]:
    """The categories that the address and the feed's own names speak for, and how much, at most 1 each."""
    found: dict[str, float] = {}
    _weigh(_list_folders(url), SECTION_WEIGHT, found)
    named = [name_section(name) for name in said[:10]]
    _weigh([name for name in named if name], SAID_WEIGHT, found)
    return {category: min(weight, 1.0) for category, weight in found.items()}


def _weigh(names: Iterable[str], weight: float, found: dict[str, float]) -> None:
    sections = read_examples().sections
    for name in names:
        category = sections.get(name)
        if category:
            found[category] = max(found.get(category, 0.0), weight)
            weight *= _DEPTH_WEIGHT


def _list_folders(url: str) -> list[str]:
    """The names in an address that may be sections: of the host (sport.example.org) and of the folders."""
    try:
        parts = urlsplit(url)
        host = parts.hostname or ""
    except ValueError:
        return []
    labels = host.split(".")[:-2]  # not the site's own name: a site called "health" may have all kinds of news
    folders = parts.path.split("/")[1:-1][:_FOLDERS]  # not the page's own name
    return [name for name in (*labels, *(name_section(unquote(folder)) for folder in folders)) if name]
