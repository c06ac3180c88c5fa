"""Read the categories that come with the reader, their names on sites, and example texts."""

import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from urllib.parse import unquote, urlsplit

_FILE = Path(__file__).with_name("examples.txt")
_SEPARATORS = re.compile(r"[^\w]+")
_FOLDERS = 4  # of an address that can be sections; dates and names follow them
_LONGEST_NAME = 80
_MOST_FEED_CATEGORIES = 10
# A section in the address is the site's own decision; the categories in a feed also contain tags.
SECTION_WEIGHT, FEED_WEIGHT = 1.0, 0.7
_DEPTH_WEIGHT = 0.8  # factor for each further folder


@dataclass(frozen=True, slots=True)
class CategoryExample:
    """An example text of a category."""

    category: str
    language: str
    text: str


@dataclass(frozen=True, slots=True)
class CategoryExamples:
    """The categories and examples that come with the reader."""

    categories: tuple[str, ...]
    sections: dict[str, str]  # categories by their names on sites
    examples: tuple[CategoryExample, ...]


@cache
def read_examples() -> CategoryExamples:
    """Read the file of examples."""
    sections: dict[str, str] = {}
    examples: list[CategoryExample] = []
    names: list[str] = []
    for line in _FILE.read_text("utf-8").splitlines():
        key, _, rest = line.partition(": ")
        if line.startswith("== "):
            names.append(line.removeprefix("== ").strip())
        elif key == "sections":
            sections |= dict.fromkeys(map(name_section, rest.split()), names[-1])
        elif rest and not line.startswith("#"):
            examples.append(CategoryExample(names[-1], key, rest))
    return CategoryExamples(tuple(names), sections, tuple(examples))


def name_section(name: str) -> str:
    """Normalise the name of a section for comparison: lower case, no accents, joined by hyphens.

    >>> name_section("Thể thao"), name_section("Économie"), name_section("Đời sống")
    ('the-thao', 'economie', 'doi-song')
    """
    folded = unicodedata.normalize("NFKD", name[:_LONGEST_NAME].casefold()).replace("đ", "d")
    plain = "".join(letter for letter in folded if not unicodedata.combining(letter))
    return _SEPARATORS.sub("-", unicodedata.normalize("NFC", plain)).strip("-_")


def weigh_sections(url: str, feed_categories: Sequence[str]) -> dict[str, float]:
    """Return the categories that an address and a feed suggest, with weights up to 1."""
    weights: dict[str, float] = {}
    _weigh(_list_folders(url), SECTION_WEIGHT, weights)
    names = [name_section(name) for name in feed_categories[:_MOST_FEED_CATEGORIES]]
    _weigh([name for name in names if name], FEED_WEIGHT, weights)
    return {category: min(weight, 1.0) for category, weight in weights.items()}


def _weigh(names: Iterable[str], weight: float, weights: dict[str, float]) -> None:
    sections = read_examples().sections
    for name in names:
        category = sections.get(name)
        if category:
            weights[category] = max(weights.get(category, 0.0), weight)
            weight *= _DEPTH_WEIGHT


def _list_folders(url: str) -> list[str]:
    """List the parts of an address that can be sections: of the host and of the path."""
    try:
        parts = urlsplit(url)
        host = parts.hostname or ""
    except ValueError:
        return []
    # Without the site's own name: a site called "health" may have all kinds of news.
    labels = host.split(".")[:-2]
    folders = parts.path.split("/")[1:-1][:_FOLDERS]  # without the page's own name
    return [
        name for name in (*labels, *(name_section(unquote(folder)) for folder in folders)) if name
    ]
