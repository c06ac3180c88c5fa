"""Find the systems that are compared: our own methods, and those of other packages.

A system takes the bytes of a page and returns its text. Packages are imported inside the functions,
so that a missing one does no harm.
"""

import hashlib
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cache, partial
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import bodytext
from bodytext import METHODS, extract
from bodytext.page.encoding import decode

_ROOMS = ("kernel", "page", "methods", "views")
_SUFFIXES = frozenset({".py", ".so", ".pyd", ".npz"})


@cache
def digest_code() -> str:
    """A short digest of every module and weight file that turns a page into text and metadata."""
    package = Path(bodytext.__file__).parent
    files = [
        *package.glob("*.py"),
        *(path for room in _ROOMS for path in (package / room).rglob("*")),
    ]
    digest = hashlib.sha256()
    for path in sorted(path for path in files if path.suffix in _SUFFIXES):
        digest.update(path.relative_to(package).as_posix().encode())
        digest.update(path.read_bytes())
    return digest.hexdigest()[:8]


System = Callable[[bytes], str]

OURS = "bodytext"
RULES = ("threshold", "average", "two-normal", "1A", "3A", "3L")
# The learned method by networks that had not seen the pages.
VALIDATED, VALIDATED_VERSION = "learned-validated", "cross-validated"


@dataclass(frozen=True, slots=True)
class Peer:
    """A distribution and its systems."""

    name: str
    distribution: str
    systems: dict[str, System]

    @property
    def version(self) -> str:
        """The installed version; empty if the distribution is not installed."""
        return find_version(self.distribution)


def find_version(distribution: str) -> str:
    """The installed version, with a digest of the code if it is ours; empty if missing."""
    try:
        installed = version(distribution)
    except PackageNotFoundError:
        return ""
    return f"{installed}+{digest_code()}" if distribution == OURS else installed


def name_missing(systems: Iterable[str], packages: Iterable[str]) -> str:
    """Say which systems are not installed, and how their packages are."""
    return f"not installed: {', '.join(systems)}; pip install {' '.join(dict.fromkeys(packages))}"


def find_system(name: str) -> System:
    """A system by its name, or a user's own by module:function."""
    module, colon, function = name.partition(":")
    if colon:
        system: System = getattr(import_module(module), function)
        return system
    systems = {name: system for peer in PEERS for name, system in peer.systems.items()}
    if name not in systems:
        raise ValueError(f"there is no system {name!r}; choose one of {', '.join(systems)}")
    return systems[name]


def decode_page(page: bytes) -> str:
    """The text of a page for packages that take no bytes."""
    return decode(page).source.decode("utf-8")


def _run_ours(method: str, page: bytes) -> str:
    return str(extract(page, method=method))


def _refuse(_: bytes) -> str:
    raise ValueError(f"the predictions of {VALIDATED} are written by bodytext train --from-scratch")


def _run_trafilatura(switches: dict[str, bool], page: bytes) -> str:
    from trafilatura import extract

    return extract(page, **switches) or ""


def _run_resiliparse(page: bytes) -> str:
    from resiliparse.extract.html2text import extract_plain_text
    from resiliparse.parse.encoding import bytes_to_str, detect_encoding

    return str(extract_plain_text(bytes_to_str(page, detect_encoding(page)), main_content=True))


def _run_readability(page: bytes) -> str:
    """Readability returns HTML; html-text turns it into text."""
    from html_text import extract_text
    from readability import Document

    return str(extract_text(Document(decode_page(page)).summary()))


def _run_newspaper(page: bytes) -> str:
    from newspaper import Article

    article = Article("", fetch_images=False)
    article.download(input_html=decode_page(page))
    article.parse()
    return str(article.text)


def _run_goose(page: bytes) -> str:
    from goose3 import Goose

    with Goose({"enable_image_fetching": False}) as goose:
        return str(goose.extract(raw_html=decode_page(page)).cleaned_text)


@cache
def _stop_words() -> frozenset[str]:
    """The stop words of all languages that jusText has, since that of a page is not known."""
    from justext import get_stoplist, get_stoplists

    return frozenset(word for language in get_stoplists() for word in get_stoplist(language))


def _run_justext(page: bytes) -> str:
    from justext import justext

    parts = justext(page, _stop_words())
    return "\n\n".join(part.text for part in parts if not part.is_boilerplate)


def _run_boilerpy(page: bytes) -> str:
    from boilerpy3.extractors import ArticleExtractor

    return str(ArticleExtractor().get_content(decode_page(page)))


def _run_turbohtml(page: bytes) -> str:
    import turbohtml

    content = turbohtml.parse(page).main_content()
    return content.to_text() if content is not None else ""


def _run_htmltext(page: bytes) -> str:
    from html_text import extract_text

    return str(extract_text(decode_page(page)))


def _run_inscriptis(page: bytes) -> str:
    from inscriptis import get_text

    return str(get_text(decode_page(page)))


_OUR_SYSTEMS: dict[str, System] = {
    **{name: partial(_run_ours, name) for name in METHODS},
    VALIDATED: _refuse,
    **{f"density-{rule}": partial(_run_ours, f"density:rule={rule}") for rule in RULES},
}
_TRAFILATURA: dict[str, System] = {
    "trafilatura": partial(_run_trafilatura, {}),
    "trafilatura-no-comments": partial(_run_trafilatura, {"include_comments": False}),
    "trafilatura-fast": partial(_run_trafilatura, {"fast": True}),
    "trafilatura-precision": partial(_run_trafilatura, {"favor_precision": True}),
    "trafilatura-recall": partial(_run_trafilatura, {"favor_recall": True}),
}
# All peers, installed or not, in the order of reports; the last two return all text of a page.
PEERS = (
    Peer("ours", OURS, _OUR_SYSTEMS),
    Peer("trafilatura", "trafilatura", _TRAFILATURA),
    Peer("resiliparse", "resiliparse", {"resiliparse": _run_resiliparse}),
    Peer("readability", "readability-lxml", {"readability-lxml": _run_readability}),
    Peer("newspaper", "newspaper4k", {"newspaper4k": _run_newspaper}),
    Peer("goose", "goose3", {"goose3": _run_goose}),
    Peer("justext", "jusText", {"justext": _run_justext}),
    Peer("boilerpy", "boilerpy3", {"boilerpy3": _run_boilerpy}),
    Peer("turbohtml", "turbohtml", {"turbohtml": _run_turbohtml}),
    Peer("htmltext", "html-text", {"html-text": _run_htmltext}),
    Peer("inscriptis", "inscriptis", {"inscriptis": _run_inscriptis}),
)
