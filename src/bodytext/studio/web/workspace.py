"""Workspace: pages by their keys, parsed when asked for, and the methods with the model in use."""

import hashlib
import threading
from collections import OrderedDict
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path

from bodytext import Page, parse
from bodytext.methods import LEARNED, METHODS, Method, as_method
from bodytext.methods.learned.method import Learned, read_weights
from bodytext.page.parser import foreign_format, not_html
from bodytext.sources.fetch import FetchError, Limits, fetch
from bodytext.sources.files import read_page

KEPT_BYTES = 256 * 2**20  # of pages that were given, not named: beyond, the oldest go
LARGEST_PAGE = 32 * 2**20  # bytes
MOST_BLOCKS = 200_000  # that a browser is sent; the largest real pages have a few ten thousand
PARSED_PAGES = 8  # that are held parsed; parsing again takes milliseconds
SHIPPED = f"{LEARNED}, as shipped"  # beside a model of one's own


@dataclass(frozen=True, slots=True)
class Entry:
    """A page that can be opened."""

    key: str
    name: str
    read: Callable[[], bytes] = field(repr=False)
    url: str = ""
    charset: str = ""  # that the page was sent with
    size: int = 0  # bytes held in memory; 0 where the page stands in a file


@dataclass(frozen=True, slots=True)
class Opened:
    """A page that was read."""

    entry: Entry
    html: bytes
    page: Page

    @property
    def text(self) -> str:
        """The page's source, decoded."""
        return self.page.source.decode("utf-8")


class UnreadableError(Exception):
    """A page that cannot be opened, with what to say about it."""


class Workspace:
    """What the parts of the app share. Safe to use from several threads."""

    def __init__(self, model: str = "") -> None:
        self._lock = threading.Lock()
        self._entries: OrderedDict[str, Entry] = OrderedDict()
        self._opened: OrderedDict[str, Opened] = OrderedDict()
        self.model = ""
        self.use_model(model)

    def use_model(self, model: str) -> None:
        """Score with other weights from now on; none are the package's own."""
        read_weights(model)
        self.model = model

    def methods(self) -> list[str]:
        """The names that `method` knows, the default first."""
        own = [SHIPPED] if self.model else []
        return [LEARNED, *own, *(name for name in METHODS if name != LEARNED)]

    def method(self, name: str) -> Method:
        """A method by its name, with the model in use; no parameters, which could name files."""
        if name not in self.methods():
            raise ValueError(f"there is no method {name[:40]!r}; there are {', '.join(self.methods())}")
        if name == SHIPPED:
            return Learned()
        return as_method(name, self.model)

    def add_files(self, paths: Iterable[Path], root: Path) -> list[Entry]:
        """Name files as pages; they are read when they are opened."""
        added = []
        for path in paths:
            key = hashlib.sha256(str(path.resolve()).encode("utf-8", "surrogateescape")).hexdigest()[:16]
            name = str(path.relative_to(root)) if path != root else path.name
            added.append(Entry(key, name, lambda path=path: read_page(path)))  # type: ignore[misc]
        with self._lock:
            self._entries.update((entry.key, entry) for entry in added)
        return added

    def fetch(self, url: str, limits: Limits | None = None) -> Entry:
        """Keep a page of the web; an UnreadableError says why there is none."""
        try:
            response = fetch(url, limits)
        except FetchError as problem:
            raise UnreadableError(f"{url} cannot be fetched: {problem}") from None
        if not response.body.strip():
            raise UnreadableError(f"{url} gave nothing" + (f" ({response.problem})" if response.problem else ""))
        return self.add(response.url, response.body, response.url, response.charset)

    def add(self, name: str, html: bytes, url: str = "", charset: str = "") -> Entry:
        """Keep a page that was given; the same page twice is one."""
        said = f"{url}\0{charset}\0".encode("utf-8", "replace")
        key = hashlib.sha256(said + html).hexdigest()[:16]
        entry = Entry(key, name, lambda: html, url, charset, len(html))
        with self._lock:
            self._entries[key] = entry
            self._entries.move_to_end(key)
            self._forget()
        return entry

    def _forget(self) -> None:
        """Let the oldest given pages go where there are too many bytes of them."""
        held = [entry for entry in self._entries.values() if entry.size]
        total = sum(entry.size for entry in held)
        for entry in held[:-1]:
            if total <= KEPT_BYTES:
                return
            total -= entry.size
            del self._entries[entry.key]
            self._opened.pop(entry.key, None)

    def entries(self) -> list[Entry]:
        """All pages that can be opened."""
        with self._lock:
            return list(self._entries.values())

    def open(self, key: str) -> Opened:
        """A page, read and parsed; a KeyError where there is none of this key."""
        with self._lock:
            entry = self._entries[key]
            found = self._opened.get(key)
            if found is not None:
                self._opened.move_to_end(key)
                return found
        opened = _open(entry)
        with self._lock:
            self._opened[key] = opened
            while len(self._opened) > PARSED_PAGES:
                self._opened.popitem(last=False)
        return opened

    def close(self, key: str) -> None:
        """Read a page again the next time, as its file may have changed."""
        with self._lock:
            self._opened.pop(key, None)


def _open(entry: Entry) -> Opened:
    try:
        html = entry.read()
    except (OSError, ValueError) as error:
        words = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        raise UnreadableError(f"{entry.name} cannot be read: {words}") from None
    if len(html) > LARGEST_PAGE:
        raise UnreadableError(f"{entry.name} has {len(html):,} bytes: too large to be shown")
    if format_name := foreign_format(html):
        raise UnreadableError(f"{entry.name}: {not_html(format_name)}")
    page = parse(html, url=entry.url, charset=entry.charset or None)
    if len(page) > MOST_BLOCKS:
        raise UnreadableError(f"{entry.name} has {len(page):,} blocks: more than a browser can show")
    return Opened(entry, html, page)
