"""Hold the pages that can be opened, and the methods with the model in use."""

import hashlib
import threading
from collections import OrderedDict
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path

from bodytext import Page, parse
from bodytext.methods import LEARNED, METHODS, Method, as_method
from bodytext.methods.learned.weights import read_weights
from bodytext.page.parser import foreign_format, not_html
from bodytext.sources.fetch import FetchError, FetchLimits, fetch
from bodytext.sources.files import read_page

KEPT_BYTES = 256 * 2**20  # of pages held in memory; with more, the oldest go
LARGEST_PAGE = 32 * 2**20  # bytes
MOST_BLOCKS = 200_000  # sent to a browser; the largest real pages have a few ten thousand
PARSED_PAGES = 8  # kept; parsing again takes milliseconds
SHIPPED = f"{LEARNED}, as shipped"  # listed if another model is in use


@dataclass(frozen=True, slots=True)
class PageEntry:
    """A page that can be opened."""

    key: str
    name: str
    read: Callable[[], bytes] = field(repr=False)
    url: str = ""
    charset: str = ""  # from the header of the response
    size: int = 0  # bytes in memory; 0 if the page is in a file
    path: str = ""  # of its file within the folder, with slashes; "" if it is not UTF-8


@dataclass(frozen=True, slots=True)
class OpenedPage:
    """A page that was read and parsed."""

    entry: PageEntry
    html: bytes
    page: Page

    @property
    def text(self) -> str:
        """The page's source, decoded."""
        return self.page.source.decode("utf-8")


class UnreadableError(Exception):
    """A page cannot be opened; the message says why."""


class Workspace:
    """The pages and the model that the parts of the app share. Safe to use from several threads."""

    def __init__(self, model: str = "") -> None:
        self._lock = threading.Lock()
        self._entries: OrderedDict[str, PageEntry] = OrderedDict()
        self._opened: OrderedDict[str, OpenedPage] = OrderedDict()
        self.model = ""
        self.use_model(model)

    def use_model(self, model: str) -> None:
        """Score with other weights from now on; "" means the package's own."""
        read_weights(model)
        self.model = model

    def methods(self) -> list[str]:
        """Return the names that `method` accepts, the default first."""
        shipped = [SHIPPED] if self.model else []
        return [LEARNED, *shipped, *(name for name in METHODS if name != LEARNED)]

    def method(self, name: str) -> Method:
        """Return a method with the model in use. Parameters are refused: they could name files."""
        if name not in self.methods():
            raise ValueError(
                f"there is no method {name[:40]!r}; choose one of {', '.join(self.methods())}"
            )
        return as_method(LEARNED) if name == SHIPPED else as_method(name, self.model)

    def add_files(self, paths: Iterable[Path], root: Path) -> list[PageEntry]:
        """Add files as pages; a file is read when its page is opened."""
        added = []
        for path in paths:
            key = hashlib.sha256(
                str(path.resolve()).encode("utf-8", "surrogateescape")
            ).hexdigest()[:16]
            inside = path.relative_to(root if path != root else path.parent)
            # Bytes of a name that are not UTF-8 are shown as escapes: JSON has no place for them.
            name = str(inside).encode("utf-8", "backslashreplace").decode()
            stored = inside.as_posix() if name == str(inside) else ""
            added.append(PageEntry(key, name, lambda path=path: read_page(path), path=stored))  # type: ignore[misc]
        with self._lock:
            self._entries.update((entry.key, entry) for entry in added)
        return added

    def fetch(self, url: str, limits: FetchLimits | None = None) -> PageEntry:
        """Fetch a page and keep it; an UnreadableError says why it could not be fetched.

        An address without a scheme, such as example.org, is one of https.
        """
        if not url.partition("/")[0].endswith(":"):
            url = f"https://{url}"
        try:
            response = fetch(url, limits)
        except FetchError as problem:
            raise UnreadableError(f"{url} cannot be fetched: {problem}") from problem
        if not response.body.strip():
            raise UnreadableError(
                f"{url} is empty" + (f" ({response.problem})" if response.problem else "")
            )
        return self.add(response.url, response.body, response.url, response.charset)

    def add(self, name: str, html: bytes, url: str = "", charset: str = "") -> PageEntry:
        """Keep a page; the same page twice is one entry."""
        origin = f"{url}\0{charset}\0".encode("utf-8", "replace")
        key = hashlib.sha256(origin + html).hexdigest()[:16]
        entry = PageEntry(key, name, lambda: html, url, charset, len(html))
        with self._lock:
            self._entries[key] = entry
            self._entries.move_to_end(key)
            self._forget()
        return entry

    def _forget(self) -> None:
        """Remove the oldest pages in memory until they fit."""
        held = [entry for entry in self._entries.values() if entry.size]
        total = sum(entry.size for entry in held)
        for entry in held[:-1]:
            if total <= KEPT_BYTES:
                return
            total -= entry.size
            del self._entries[entry.key]
            self._opened.pop(entry.key, None)

    def entries(self) -> list[PageEntry]:
        """Return all pages that can be opened."""
        with self._lock:
            return list(self._entries.values())

    def open(self, key: str) -> OpenedPage:
        """Read and parse a page; a KeyError if there is none with this key."""
        with self._lock:
            entry = self._entries[key]
            known = self._opened.get(key)
            if known is not None:
                self._opened.move_to_end(key)
                return known
        opened = _open(entry)
        with self._lock:
            self._opened[key] = opened
            while len(self._opened) > PARSED_PAGES:
                self._opened.popitem(last=False)
        return opened

    def close(self, key: str) -> None:
        """Forget what was parsed: the page's file may have changed."""
        with self._lock:
            self._opened.pop(key, None)


def _open(entry: PageEntry) -> OpenedPage:
    try:
        html = entry.read()
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise UnreadableError(f"{entry.name} cannot be read: {reason}") from None
    if len(html) > LARGEST_PAGE:
        raise UnreadableError(f"{entry.name} has {len(html):,} bytes: too large to be shown")
    if format_name := foreign_format(html, entry.charset or None):
        raise UnreadableError(f"{entry.name}: {not_html(format_name)}")
    page = parse(html, url=entry.url, charset=entry.charset or None)
    if len(page) > MOST_BLOCKS:
        raise UnreadableError(
            f"{entry.name} has {len(page):,} blocks: more than a browser can show"
        )
    return OpenedPage(entry, html, page)
