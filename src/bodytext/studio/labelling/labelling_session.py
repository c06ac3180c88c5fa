"""One annotator, the pages to label, and the store that keeps the labels."""

from collections.abc import Iterator

from bodytext.methods import LEARNED
from bodytext.page.parser import foreign_format, not_html, parse
from bodytext.studio.labelling.page_queue import DONE, STARTED, UNUSABLE, PageQueue
from bodytext.studio.labels import Labelling, LabelStore
from bodytext.studio.labels.store import MEND, SkippedPage, check_annotator
from bodytext.studio.web.app import Refusal
from bodytext.studio.web.workspace import OpenedPage, PageEntry, UnreadableError, Workspace

EMPTY = "there is no text in it"
NO_PATH = "its name is not UTF-8, as labels need it: rename the file"


class LabellingSession:
    """One annotator labels the pages of a queue; blindly, or from the model's answer on."""

    def __init__(
        self,
        workspace: Workspace,
        store: LabelStore,
        annotator: str,
        entries: list[PageEntry],
        *,
        blind: bool = False,
    ) -> None:
        self.workspace, self.store, self.blind = workspace, store, blind
        self.annotator = check_annotator(annotator)
        self.queue = PageQueue(entries, self._measure)
        self._mark_stored()

    def _mark_stored(self) -> None:
        """Set the state of pages that already have labels, or can have none."""
        keys = self.keys()
        for labelling in self.store.read_all(self.annotator):
            key = keys.get(labelling.page)
            if key is None:
                continue
            if isinstance(labelling, SkippedPage):
                self.queue.mark(key, UNUSABLE, labelling.reason)
            else:
                self.queue.mark(key, DONE if labelling.done else STARTED)
        for key in self.queue:
            if not self.queue.entry(key).path:
                self.queue.mark(key, UNUSABLE, NO_PATH)

    def keys(self) -> dict[str, str]:
        """Return the key of each page by the path under which its labels are stored."""
        return {self.queue.entry(key).path: key for key in self.queue}

    def _measure(self, entry: PageEntry) -> float:
        """Return the model's confidence; a ValueError says why the page cannot be labelled."""
        try:
            html = entry.read()
        except OSError as error:
            raise ValueError(error.strerror or str(error)) from None
        if format_name := foreign_format(html):
            raise ValueError(not_html(format_name))
        page = parse(html, url=entry.url)
        if not len(page):
            raise ValueError(EMPTY)
        # A page too large for the network has no confidence: it comes first.
        return self.workspace.method(LEARNED).score(page).confidence or 0.0

    def open(self, key: str) -> OpenedPage:
        """Read a page of the queue from its file."""
        if key not in self.queue:
            raise Refusal(404, "this page is not in the queue; choose one from the list")
        if not self.queue.entry(key).path:
            raise Refusal(422, f"{self.queue.entry(key).name}: {NO_PATH}")
        self.workspace.close(key)
        try:
            opened = self.workspace.open(key)
        except (UnreadableError, KeyError) as problem:
            self.queue.mark(key, UNUSABLE, str(problem))
            raise Refusal(422, str(problem)) from None
        if not len(opened.page):
            self.queue.mark(key, UNUSABLE, EMPTY)
            raise Refusal(422, f"{opened.entry.name}: {EMPTY}")
        return opened

    def read(self, entry: PageEntry) -> tuple[Labelling | None, str]:
        """Return the stored labels of a page and their revision."""
        try:
            return self.store.read(entry.path, self.annotator)
        except (ValueError, OSError) as problem:
            raise Refusal(422, f"{problem}; {MEND}") from None

    def read_others(self, entry: PageEntry, source: str) -> Iterator[Labelling]:
        """Yield what other annotators have finished of this source; unreadable labels are left out."""
        for name in self.store.annotators():
            if name == self.annotator:
                continue
            try:
                labelling, _ = self.store.read(entry.path, name)
            except (ValueError, OSError):
                continue
            if labelling is not None and labelling.done and labelling.source == source:
                yield labelling
