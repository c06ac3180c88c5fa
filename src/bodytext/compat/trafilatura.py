"""trafilatura's functions: extract, bare_extraction, extract_metadata, fetch_url, html2txt and others.

Parameters have its names and defaults. docs/migration.md says what each does here; those that only
tune its own algorithm are taken and change nothing.
"""

import csv
import hashlib
import io
import json
import logging
import re
import xml.etree.ElementTree as ET
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields
from typing import Any, Self
from urllib.parse import urlsplit

from bodytext.document import Document as BodyText
from bodytext.extraction import all_text
from bodytext.extraction import extract as extract_document
from bodytext.methods.scores import Preset
from bodytext.output.references import Choice, choose
from bodytext.output.xml import FORBIDDEN
from bodytext.page.encoding import decode
from bodytext.page.markup import read_markup
from bodytext.sources.fetch import FetchError
from bodytext.sources.page_fetch import fetch
from bodytext.sources.record import Record
from bodytext.views.structure.element import HEADINGS, Element

_LOG = logging.getLogger(__name__)
_NEEDED = ("title", "date", "url")
_BLANK_LINES = re.compile(r"\n{2,}")
_EXTRACTOR = {  # our names of the attributes of trafilatura's Extractor
    "output_format": "format",
    "include_comments": "comments",
    "include_tables": "tables",
    "include_images": "images",
    "include_links": "links",
    "include_formatting": "formatting",
    "with_metadata": "with_metadata",
    "only_with_metadata": "only_with_metadata",
    "tei_validation": "tei_validation",
    "target_language": "lang",
    "url_blacklist": "url_blacklist",
    "author_blacklist": "author_blacklist",
}
_COLUMNS = (
    "url", "id", "fingerprint", "hostname", "title", "image", "date", "text", "comments", "license", "pagetype",
)  # fmt: skip


_IN_HEADER = (
    "title", "author", "url", "hostname", "description", "sitename", "date", "categories", "tags", "fingerprint", "id",
    "license",
)  # fmt: skip


@dataclass(slots=True)
class TrafilaturaDocument:
    """What bare_extraction returns. `body` is the structure, not an element of lxml."""

    title: str | None = None
    author: str | None = None
    url: str | None = None
    hostname: str | None = None
    description: str | None = None
    sitename: str | None = None
    date: str | None = None
    categories: list[str] = field(default_factory=list)
    tags: list[str] = field(default_factory=list)
    fingerprint: str | None = None  # of the text, for exact copies
    id: str | None = None
    license: str | None = None
    body: Any = None
    comments: str = ""
    commentsbody: Any = None
    raw_text: str = ""
    text: str = ""
    language: str | None = None
    image: str | None = None
    pagetype: str | None = None
    filedate: str | None = None

    def as_dict(self) -> dict[str, Any]:
        """Return the fields as a dictionary."""
        return {name: getattr(self, name) for name in self.__slots__}


Document = TrafilaturaDocument


@dataclass(frozen=True, slots=True)
class _Wanted:
    """What a caller of trafilatura's functions asks for."""

    url: str | None = None
    output_format: str = "txt"
    favor_precision: bool = False
    favor_recall: bool = False
    include_comments: bool = True
    include_tables: bool = True
    include_images: bool = False
    include_links: bool = False
    include_formatting: bool | None = None
    with_metadata: bool = False
    only_with_metadata: bool = False
    tei_validation: bool = False
    record_id: str | None = None
    target_language: str | None = None
    url_blacklist: Collection[str] | None = None
    author_blacklist: Collection[str] | None = None
    prune_xpath: str | Sequence[str] | None = None

    @classmethod
    def read(cls, parameters: dict[str, Any]) -> Self:
        """Take what means something here from a function's parameters, or from its `options`."""
        known = {each.name for each in fields(cls)}
        given = {name: value for name, value in parameters.items() if name in known}
        options = parameters["options"]
        if options is not None:  # an Extractor, which takes the place of the other parameters
            given |= {name: getattr(options, source) for name, source in _EXTRACTOR.items()}
            given["url"] = options.url or given["url"]
            given["favor_precision"] = options.focus == "precision"
            given["favor_recall"] = options.focus == "recall"
        return cls(**given)

    @property
    def threshold(self) -> Preset:
        if self.favor_recall:
            return "recall"
        return "precision" if self.favor_precision else "balanced"

    @property
    def needs_metadata(self) -> bool:
        asked = self.with_metadata or self.only_with_metadata or bool(self.target_language)
        return asked or self.output_format in {"python", "csv"}

    @property
    def choices(self) -> dict[str, Choice]:
        return {
            "links": "keep" if self.include_links else "drop",
            "images": "keep" if self.include_images else "drop",
        }


def extract(
    filecontent: Any,
    url: str | None = None,
    record_id: str | None = None,
    fast: bool = False,
    no_fallback: bool = False,
    favor_precision: bool = False,
    favor_recall: bool = False,
    include_comments: bool = True,
    output_format: str = "txt",
    tei_validation: bool = False,
    target_language: str | None = None,
    include_tables: bool = True,
    include_images: bool = False,
    include_formatting: bool | None = None,
    include_links: bool = False,
    deduplicate: Any = False,
    date_extraction_params: dict[str, Any] | None = None,
    with_metadata: bool = False,
    only_with_metadata: bool = False,
    max_tree_size: int | None = None,
    url_blacklist: Collection[str] | None = None,
    author_blacklist: Collection[str] | None = None,
    settingsfile: str | None = None,
    prune_xpath: str | Sequence[str] | None = None,
    config: Any = None,
    options: Any = None,
) -> str | None:
    """Return the text of a page in a format, or None if there is none; see docs/migration.md."""
    wanted = _Wanted.read(locals())
    if wanted.output_format == "python":
        raise ValueError('output_format="python" is for bare_extraction')
    if wanted.output_format not in _WRITERS:
        raise AttributeError(f"output_format must be one of {', '.join(_WRITERS)}")
    if filecontent is None:  # what fetch_url returns where there is no page
        return None
    kept = _extract(filecontent, wanted)
    found = _describe(kept, wanted)
    if found is None:
        return None
    text = _WRITERS[wanted.output_format](kept, found, wanted)
    if wanted.tei_validation and wanted.output_format == "xmltei":
        from bodytext.output.tei_check import check_tei

        return None if check_tei(text) else text
    return text


def bare_extraction(
    filecontent: Any,
    url: str | None = None,
    fast: bool = False,
    no_fallback: bool = False,
    favor_precision: bool = False,
    favor_recall: bool = False,
    include_comments: bool = True,
    output_format: str = "python",
    target_language: str | None = None,
    include_tables: bool = True,
    include_images: bool = False,
    include_formatting: bool | None = None,
    include_links: bool = False,
    deduplicate: Any = False,
    date_extraction_params: dict[str, Any] | None = None,
    with_metadata: bool = False,
    only_with_metadata: bool = False,
    max_tree_size: int | None = None,
    url_blacklist: Collection[str] | None = None,
    author_blacklist: Collection[str] | None = None,
    as_dict: bool = False,
    prune_xpath: str | Sequence[str] | None = None,
    config: Any = None,
    options: Any = None,
) -> TrafilaturaDocument | dict[str, Any] | None:
    """Return the text and the metadata of a page, or None if there is no text."""
    wanted = _Wanted.read(locals())
    if filecontent is None:
        return None
    found = _describe(_extract(filecontent, wanted), wanted)
    return found.as_dict() if as_dict and found else found


def extract_with_metadata(
    filecontent: Any, url: str | None = None, record_id: str | None = None, **options: Any
) -> TrafilaturaDocument | None:
    """Return the text and the metadata of a page as a document; options as for extract."""
    options = {name: value for name, value in options.items() if name != "tei_validation"}
    options.pop("settingsfile", None)
    found = bare_extraction(filecontent, url, with_metadata=True, **options)
    if isinstance(found, TrafilaturaDocument):
        found.id = record_id
        return found
    return None


def extract_metadata(
    filecontent: Any,
    default_url: str | None = None,
    date_config: Any = None,
    extensive: bool = True,
    author_blacklist: Collection[str] | None = None,
) -> TrafilaturaDocument:
    """Return what a page says about itself."""
    del date_config, extensive
    kept = extract_document(filecontent, url=default_url or "")
    return _read_metadata(kept, _Wanted(author_blacklist=author_blacklist))


def fetch_url(
    url: str, no_ssl: bool = False, config: Any = None, options: Any = None
) -> str | None:
    """Return a page as text, or None and the reason in the log; needs the extra `fetch`.

    `no_ssl` is not obeyed: a wrong certificate is refused.
    """
    del no_ssl, config, options
    record = _fetch(url)
    return None if record is None else _decode(record)


@dataclass(slots=True)
class TrafilaturaResponse:
    """What fetch_response returns."""

    data: bytes
    status: int
    url: str
    headers: dict[str, str] | None = None
    html: str | None = None

    def as_dict(self) -> dict[str, Any]:
        """Return the fields as a dictionary."""
        return asdict(self)


def fetch_response(
    url: str,
    *,
    decode: bool = False,
    no_ssl: bool = False,
    with_headers: bool = False,
    config: Any = None,
) -> TrafilaturaResponse | None:
    """Return a page with its address after all redirects, or None and the reason in the log."""
    del no_ssl, config
    record = _fetch(url)
    if record is None:
        return None
    made = TrafilaturaResponse(record.html, 200, record.url)
    if with_headers:
        charset = f"; charset={record.charset}" if record.charset else ""
        made.headers = {"content-type": f"text/html{charset}"}
    made.html = _decode(record) if decode else None
    return made


def load_html(htmlobject: Any, max_size: int | None = None) -> Any:
    """Return a page as a tree of lxml, which must be installed, or None if it is empty."""
    del max_size
    page = htmlobject.data if hasattr(htmlobject, "data") else htmlobject
    return _make_tree(page) if read_markup(page).strip() else None


def html2txt(content: Any, clean: bool = True) -> str:
    """Return every text that a page shows."""
    del clean
    return all_text(content)


def baseline(filecontent: Any) -> tuple[Any, str, int]:
    """Return the structure of the text, the text and its length."""
    document = extract_document(filecontent, threshold="recall")
    text = _flatten(document.text)
    return document.structure, text, len(text)


def _fetch(url: str) -> Record | None:
    """Return a page, or None and the reason in the log, as trafilatura does."""
    try:
        return fetch(url)
    except FetchError as problem:
        _LOG.error("%s was not fetched: %s", url, problem)
        return None


def _extract(page: Any, wanted: _Wanted) -> BodyText:
    url = wanted.url
    if hasattr(page, "data") and hasattr(page, "url"):  # a response of its own or of urllib3
        page, url = page.data, url or page.url
    if wanted.prune_xpath:
        paths = wanted.prune_xpath
        page = _prune(page, [paths] if isinstance(paths, str) else paths)
    return extract_document(
        page,
        url=url or "",
        threshold=wanted.threshold,
        tables=wanted.include_tables,
        comments="apart" if wanted.include_comments else "without",
    )


def _prune(page: Any, paths: Sequence[str]) -> Any:
    """Take elements out of a page by XPath."""
    tree = _make_tree(page)
    for path in paths:
        for element in tree.xpath(path):
            element.drop_tree()
    return tree


def _make_tree(page: Any) -> Any:
    try:
        from lxml import html
    except ImportError:
        raise ValueError(
            "trees and prune_xpath need lxml; bodytext.extract takes CSS selectors: prune=['.ad']"
        ) from None
    markup = read_markup(page)
    source = (
        decode(markup).source if isinstance(markup, bytes) else markup.encode("utf-8", "replace")
    )
    return html.document_fromstring(source, parser=html.HTMLParser(encoding="utf-8"))


def _decode(record: Record) -> str:
    return decode(record.html, record.charset or None).source.decode("utf-8")


def _describe(kept: BodyText, wanted: _Wanted) -> TrafilaturaDocument | None:
    """Return what was asked for, or None if the page does not have it."""
    if not kept or (kept.url and kept.url in (wanted.url_blacklist or ())):
        return None
    found = _read_metadata(kept, wanted) if wanted.needs_metadata else TrafilaturaDocument()
    if not _is_wanted(found, wanted):
        return None
    found.id = wanted.record_id
    found.body = kept.structure if wanted.output_format == "python" else None
    found.raw_text = found.text = _flatten(kept.text)
    if wanted.include_comments:
        shown = set(found.text.split("\n"))  # the posts of a forum are its text
        posts = [_flatten(post.text) for post in kept.comments]
        found.comments = "\n".join(post for post in posts if post.partition("\n")[0] not in shown)
    return found


def _is_wanted(found: TrafilaturaDocument, wanted: _Wanted) -> bool:
    """Whether a page has the metadata and the language that were asked for."""
    if wanted.only_with_metadata and not all(getattr(found, name) for name in _NEEDED):
        return False
    language = (found.language or "").partition("-")[0]
    return not wanted.target_language or language in {"", wanted.target_language}


def _read_metadata(kept: BodyText, wanted: _Wanted) -> TrafilaturaDocument:
    known = kept.metadata
    blocked = {name.lower() for name in wanted.author_blacklist or ()}
    authors = [name for name in known.authors if name.lower() not in blocked]
    url = known.url or kept.url
    texts = {
        "title": known.title or kept.title,
        "author": "; ".join(authors),
        "url": url,
        "hostname": urlsplit(url).hostname,
        "description": known.description,
        "sitename": known.site_name,
        "date": known.date[:10],
        "fingerprint": hashlib.sha256(kept.text.encode("utf-8", "replace")).hexdigest()[:16],
        "license": known.license,
        "language": known.language,
        "image": known.image,
        "pagetype": known.page_type,
    }
    given = {name: text for name, text in texts.items() if text}
    return TrafilaturaDocument(
        **given,
        categories=list(known.categories),
        tags=list(known.tags),
    )


def _flatten(text: str) -> str:
    """A line for each paragraph, as trafilatura writes text."""
    return _BLANK_LINES.sub("\n", text)


def _write_text(kept: BodyText, found: TrafilaturaDocument, wanted: _Wanted) -> str:
    body = found.text
    if wanted.include_formatting or wanted.include_links or wanted.include_images:
        body = kept.render("markdown", **wanted.choices)
    parts = [body, found.comments] if found.comments else [body]
    return _write_header(found, wanted) + "\n".join(parts)


def _write_markdown(kept: BodyText, found: TrafilaturaDocument, wanted: _Wanted) -> str:
    body = _write_header(found, wanted) + kept.render("markdown", **wanted.choices)
    return f"{body}\n\n{found.comments}" if found.comments else body


def _write_header(found: TrafilaturaDocument, wanted: _Wanted) -> str:
    """Write what is known as YAML with trafilatura's keys, if it was asked for; JSON is YAML too."""
    if not wanted.with_metadata:
        return ""
    known = ((name, getattr(found, name)) for name in _IN_HEADER)
    lines = [f"{name}: {json.dumps(value, ensure_ascii=False)}\n" for name, value in known if value]
    return f"---\n{''.join(lines)}---\n"


def _write_json(kept: BodyText, found: TrafilaturaDocument, wanted: _Wanted) -> str:
    del kept
    value: dict[str, Any] = {"text": found.text, "comments": found.comments}
    if wanted.with_metadata:
        value = asdict(found) | {
            "source": found.url,
            "source-hostname": found.sitename,
            "excerpt": found.description,
            "categories": ";".join(found.categories),
            "tags": ";".join(found.tags),
        }
        for name in ("body", "commentsbody", "url", "sitename", "description"):
            del value[name]
    return json.dumps(value, ensure_ascii=False)


def _write_csv(kept: BodyText, found: TrafilaturaDocument, wanted: _Wanted) -> str:
    del kept, wanted
    written = io.StringIO()
    row = [getattr(found, name) or "null" for name in _COLUMNS]
    csv.writer(written, delimiter="\t", lineterminator="\n").writerow(row)
    return written.getvalue().rstrip("\n")


def _write_xml(kept: BodyText, found: TrafilaturaDocument, wanted: _Wanted) -> str:
    names = ("sitename", "title", "author", "date", "url", "hostname", "description", "language")
    facts = {name: getattr(found, name) for name in names} if wanted.with_metadata else {}
    known = {name: value for name, value in facts.items() if value}
    return write_xml(kept.structure, known, found.comments, wanted.choices)


_WRITERS: dict[str, Callable[[BodyText, TrafilaturaDocument, _Wanted], str]] = {
    "txt": _write_text,
    "markdown": _write_markdown,
    "html": lambda kept, _, wanted: kept.render("html", **wanted.choices),
    "json": _write_json,
    "csv": _write_csv,
    "xml": _write_xml,
    "xmltei": lambda kept, _, wanted: kept.render("tei", **wanted.choices),
}


_NAMES = {
    "ul": "list", "ol": "list", "dl": "list", "li": "item", "dt": "item", "dd": "item", "blockquote": "quote",
    "pre": "code", "code": "code", "tr": "row", "td": "cell", "th": "cell", "a": "ref", "img": "graphic", "br": "lb",
    "table": "table", "p": "p", "del": "del", "em": "hi", "strong": "hi", "sub": "hi", "sup": "hi", "mark": "hi",
    "caption": "head", "figcaption": "p", "figure": "p", "note": "item", "notes": "list",
}  # fmt: skip
_RENDS = {"em": "#i", "strong": "#b", "sub": "#sub", "sup": "#sup", "mark": "#t", "ul": "ul", "ol": "ol", "dl": "dl"}  # fmt: skip


def write_xml(
    structure: Element, facts: Mapping[str, str], comments: str, choices: Mapping[str, Choice]
) -> str:
    """Return the document as XML, with what is known about it as attributes."""
    clean = {name: FORBIDDEN.sub("", value) for name, value in facts.items()}
    root = ET.Element("doc", clean)
    main = ET.SubElement(root, "main")
    _fill(main, choose(structure, choices["links"], choices["images"]))
    below = ET.SubElement(root, "comments")
    for line in comments.splitlines():
        ET.SubElement(below, "p").text = FORBIDDEN.sub("", line)
    return ET.tostring(root, encoding="unicode")


def _fill(parent: ET.Element, element: Element) -> None:
    """Put the children of an element into one of XML; structures nest no deeper than forty."""
    for child in element.children:
        if isinstance(child, str):
            _add_text(parent, child)
            continue
        name = "head" if child.name in HEADINGS else _NAMES.get(child.name)
        if name is None:  # a formula, the mark of a note, a rule: its text
            _fill(parent, child)
            continue
        _fill(ET.SubElement(parent, name, _attributes(child)), child)


def _add_text(parent: ET.Element, text: str) -> None:
    text = FORBIDDEN.sub("", text)
    if len(parent):
        parent[-1].tail = (parent[-1].tail or "") + text
    else:
        parent.text = (parent.text or "") + text


def _attributes(element: Element) -> dict[str, str]:
    name, values = element.name, element.attributes
    if name in HEADINGS:
        return {"rend": name}
    if name in _RENDS:
        return {"rend": _RENDS[name]}
    if name == "th":
        return {"role": "head"}
    if name == "a":
        return {"target": values["href"]}
    return {"src": values["src"], "alt": values["alt"]} if name == "img" else {}
