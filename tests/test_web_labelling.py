"""The labelling tool: pages, labels and their revisions, conflicts, the queue, and the command."""

import asyncio
import json
import os
import threading
import time
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

pytest.importorskip(
    "starlette", reason="the browser app wants starlette: pip install 'bodytext[web]'"
)

from starlette.applications import Starlette

from bodytext.cli import main
from bodytext.methods.learned.method import Learned
from bodytext.methods.learned.weights import shipped_weights
from bodytext.methods.scores import Scores
from bodytext.page.parser import parse
from bodytext.sources.files import find_pages
from bodytext.studio.inspector.inspector_routes import inspector_part
from bodytext.studio.labelling.labelling_page import find_containers, suggest
from bodytext.studio.labelling.labelling_routes import labelling_part
from bodytext.studio.labelling.labelling_session import LabellingSession
from bodytext.studio.labelling.page_queue import DONE, DOUBT, NAME, PageQueue
from bodytext.studio.labelling.training_jobs import StepClock, TrainingJobs
from bodytext.studio.labels import open_store, read_set
from bodytext.studio.labels.labelled_set import read_labelled
from bodytext.studio.web.app import create_app
from bodytext.studio.web.security import Policy
from bodytext.studio.web.workspace import PageEntry, Workspace
from labelling_pages import write_article, write_folder

PORT = 4000


@dataclass(frozen=True)
class Client:
    """A client of an app in this process."""

    app: Starlette
    session: LabellingSession

    def ask(
        self, method: str, path: str, body: Any = None, *, token: bool = True
    ) -> tuple[int, Any]:
        return asyncio.run(self._ask(method, path, body, token=token))

    async def _ask(self, method: str, path: str, body: Any, *, token: bool) -> tuple[int, Any]:
        sent = (
            body if isinstance(body, bytes) else b"" if body is None else json.dumps(body).encode()
        )
        headers = [(b"host", f"127.0.0.1:{PORT}".encode())]
        if token:
            headers.append((b"x-bodytext-token", self.app.state.policy.token.encode()))
        path, _, query = path.partition("?")
        scope = {
            "type": "http", "method": method, "path": path, "raw_path": path.encode(), "query_string": query.encode(),
            "headers": headers, "http_version": "1.1", "scheme": "http", "server": ("127.0.0.1", PORT), "root_path": "",
        }  # fmt: skip
        messages: list[Any] = []

        bodies = [sent]

        async def receive() -> Any:
            if not bodies:
                await asyncio.Event().wait()  # the client stays connected
            return {"type": "http.request", "body": bodies.pop(), "more_body": False}

        async def send(message: Any) -> None:
            messages.append(message)

        await self.app(scope, receive, send)
        content = b"".join(message.get("body", b"") for message in messages[1:])
        is_json = (
            dict(messages[0]["headers"]).get(b"content-type", b"").startswith(b"application/json")
        )
        return messages[0]["status"], json.loads(content) if is_json else content.decode()

    def key(self, name: str) -> str:
        return next(key for key in self.session.queue if self.session.queue.entry(key).name == name)

    def page(self, name: str) -> Any:
        status, answer = self.ask("GET", f"/api/label/pages/{self.key(name)}")
        assert status == 200, answer
        return answer

    def save(self, opened: Any, **changes: Any) -> tuple[int, Any]:
        """Save a page's labels as they were read, with changes."""
        labels = changes.pop("labels", opened["labels"])
        names = ("neither", "content", "comment")
        spans = zip(opened["start"], opened["end"], labels, strict=True)
        sent = {
            "revision": opened["revision"],
            "source": opened["source"],
            "done": opened["done"],
            "ranges": [[start, end, names[label]] for start, end, label in spans if label],
            **opened["fields"],
            **changes,
        }
        return self.ask("PUT", f"/api/label/pages/{opened['key']}", sent)


def make_client(folder: Path, annotator: str = "ann", *, blind: bool = False) -> Client:
    workspace = Workspace()
    session = LabellingSession(
        workspace,
        open_store(folder),
        annotator,
        workspace.add_files(find_pages(folder, print), folder),
        blind=blind,
    )
    return Client(
        create_app(
            [labelling_part(session), inspector_part(workspace, path="/inspect")], Policy(PORT)
        ),
        session,
    )


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return write_folder(tmp_path / "pages", 3)


@pytest.fixture
def client(folder: Path) -> Client:
    return make_client(folder)


def test_labelling_starts_from_the_models_answer(client: Client) -> None:
    opened = client.page("page0.html")
    texts = dict(zip(opened["texts"], opened["labels"], strict=True))
    assert opened["labels"] == opened["suggested"]
    assert {label for text, label in texts.items() if text.startswith("Harbour paragraph")} == {1}
    assert texts["Imprint and contact"] == 0
    fields = opened["fields"]
    assert (fields["title"], fields["authors"]) == ("Harbour of the town", ["Ann Lee"])
    assert (fields["date"], fields["url"]) == ("2026-02-01T08:00:00Z", "https://site0.example/0")
    assert fields["page_type"] in opened["page_types"]
    assert (opened["revision"], opened["done"], opened["note"]) == ("", False, "")


@pytest.mark.parametrize(("page_type", "comment"), [("article", 2), ("forum", 1)])
def test_comments_are_not_content_but_posts_of_a_thread_are(
    monkeypatch: pytest.MonkeyPatch, page_type: str, comment: int
) -> None:
    page = parse(write_article(0))
    scores = Scores(np.ones(len(page), dtype=np.float32), page_type, 0.7)
    monkeypatch.setattr(Learned, "score", lambda *_: scores)
    suggestion = suggest(page, "")
    labels = dict(zip(page.texts(), suggestion.labels.tolist(), strict=True))
    assert {label for text, label in labels.items() if text.startswith("I remember")} == {comment}
    assert {label for text, label in labels.items() if "paragraph" in text} == {1}
    assert (suggestion.confidence, suggestion.fields["page_type"]) == (0.7, page_type)


def test_a_page_too_large_for_the_network_comes_first_and_has_no_confidence(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("bodytext.methods.learned.method.MOST_BLOCKS", 1)
    client.session.queue.measure().join()
    assert {page["confidence"] for page in client.session.queue.list()["pages"]} == {0.0}
    assert client.page("page0.html")["confidence"] is None


def test_saved_labels_are_shown_again_and_trained_on(client: Client, folder: Path) -> None:
    opened = client.page("page1.html")
    labels = [0] * opened["count"]
    labels[6] = 1
    status, answer = client.save(
        opened, labels=labels, title="  Another\n title ", authors=["B", " "], done=True
    )
    assert (status, len(answer["revision"])) == (200, 16)
    again = client.page("page1.html")
    assert again["labels"] == labels
    assert again["suggested"] == opened["suggested"]
    assert (again["fields"]["title"], again["fields"]["authors"], again["done"]) == (
        "Another title",
        ["B"],
        True,
    )
    assert again["revision"] == answer["revision"]
    assert [page.reference for page in read_set(folder)] == [opened["texts"][6]]
    other = make_client(folder)
    assert other.page("page1.html")["labels"] == labels
    assert other.ask("GET", "/api/label")[1]["done"] == 1


def test_a_second_window_does_not_overwrite_the_first(client: Client) -> None:
    one = client.page("page0.html")
    other = client.page("page0.html")
    assert client.save(one, title="one")[0] == 200
    status, answer = client.save(other, title="other")
    assert status == 409
    assert "changed elsewhere" in answer["error"]
    stored = client.page("page0.html")
    assert stored["fields"]["title"] == "one"
    assert client.save(stored, title="other")[0] == 200


def test_labels_changed_by_git_or_an_editor_are_a_conflict_too(client: Client) -> None:
    opened = client.page("page0.html")
    client.save(opened)
    opened = client.page("page0.html")
    path = client.session.store.path("page0.html", "ann")
    path.write_text(path.read_text("utf-8").replace("Ann Lee", "Bo Ek"), "utf-8")
    assert client.save(opened, title="mine")[0] == 409
    assert client.page("page0.html")["fields"]["authors"] == ["Bo Ek"]


def test_a_page_that_changed_on_disk_has_a_note(client: Client, folder: Path) -> None:
    opened = client.page("page0.html")
    client.save(opened, title="before")
    (folder / "page0.html").write_text(write_article(5), "utf-8")
    status, answer = client.save(opened, title="after")
    assert status == 422
    assert "load it again" in answer["error"]
    again = client.page("page0.html")
    assert "has changed since you labelled it" in again["note"]
    assert again["fields"]["title"] == "Morning of the town"
    assert again["labels"] == again["suggested"]


@pytest.mark.parametrize(
    "changes",
    [
        {"ranges": [[5, 2, "content"]]},
        {"ranges": [[0, 10**9, "content"]]},
        {"ranges": [[1, 3, "poem"]]},
        {"ranges": "x"},
        {"ranges": [[1, 3, "content"], [2, 4, "content"]]},
        {"page_type": "poem"},
        {"authors": "x" * 3},
        {"authors": ["x"] * 101},
        {"done": "yes"},
        {"url": "http://[x"},
        {"source": "sha256:0"},
    ],
)
def test_invalid_labels_are_refused_and_nothing_is_written(
    client: Client, changes: dict[str, Any]
) -> None:
    status, answer = client.save(client.page("page0.html"), **changes)
    assert status == 422
    assert answer["error"]
    assert not client.session.store.folder.exists()


def test_lone_surrogates_are_replaced(client: Client) -> None:
    assert client.save(client.page("page0.html"), title="a\ud800b")[0] == 200
    assert client.page("page0.html")["fields"]["title"] == "a?b"


@pytest.mark.parametrize("body", [b"", b"[]", b"{", b"[" * 100_000])
def test_bodies_that_are_not_objects_are_refused(client: Client, body: bytes) -> None:
    assert client.ask("PUT", f"/api/label/pages/{client.key('page0.html')}", body)[0] == 422


def test_saving_needs_the_token_and_a_page_of_the_queue(client: Client) -> None:
    path = f"/api/label/pages/{client.key('page0.html')}"
    assert client.ask("PUT", path, {}, token=False)[0] == 403
    assert client.ask("PUT", "/api/label/pages/0123", {})[0] == 404
    assert client.ask("GET", "/api/label/pages/0123")[0] == 404


def test_a_full_disk_is_an_error_and_loses_nothing(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened = client.page("page0.html")

    def fail(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.fsync", fail)
    status, answer = client.save(opened, title="x")
    assert status == 507
    assert "No space left" in answer["error"]


def test_broken_labels_are_errors_that_name_the_file(client: Client, folder: Path) -> None:
    opened = client.page("page0.html")
    client.save(opened)
    client.session.store.path("page0.html", "ann").write_text("<<<<<<< HEAD", "utf-8")
    status, answer = client.ask("GET", f"/api/label/pages/{client.key('page0.html')}")
    assert status == 422
    assert "page0.html.json" in answer["error"]
    assert client.save(opened)[0] == 422
    again = make_client(folder)  # the other pages can be labelled as before
    pages = {page["name"]: page for page in again.ask("GET", "/api/label")[1]["pages"]}
    assert pages["page0.html"]["state"] == "unusable"
    assert "page0.html.json: not valid JSON" in pages["page0.html"]["note"]
    assert again.save(again.page("page1.html"))[0] == 200
    assert again.session.store.path("page0.html", "ann").read_text("utf-8") == "<<<<<<< HEAD"


def test_the_tool_and_the_frame_are_served(client: Client) -> None:
    status, page = client.ask("GET", "/")
    assert status == 200
    assert 'id="fields"' in page
    assert "<nav" in page
    assert 'href="/inspect"' in page
    assert "Choose a file" in client.ask("GET", "/inspect")[1]
    status, frame = client.ask("GET", f"/pages/{client.key('page0.html')}/frame")
    assert status == 200
    assert "data-bt-b" in frame


def test_the_least_confident_page_comes_first() -> None:
    sure = {"a": 0.9, "b": 0.2, "c": 0.5}
    queue = PageQueue([PageEntry(key, key, bytes) for key in sure], lambda entry: sure[entry.key])
    assert queue.choose() == queue.entry("a")  # a first page is there before anything is measured
    queue.measure().join(60)
    assert [page["key"] for page in queue.list()["pages"]] == ["b", "c", "a"]
    assert queue.choose() == queue.entry("b")
    assert queue.choose("b") == queue.entry("c")  # b was skipped: it comes last
    queue.mark("c", DONE)
    assert queue.choose("c") == queue.entry("a")
    queue.mark("a", DONE)
    assert queue.choose("a") == queue.entry("b")
    queue.mark("b", DONE)
    assert queue.choose("b") is None


def test_pages_by_name_continue_after_the_last_one() -> None:
    queue = PageQueue([PageEntry(key, key, bytes) for key in "abc"], lambda _: 0.5, NAME)
    queue.mark("b", DONE)
    assert queue.choose("b") == queue.entry("c")
    queue.mark("c", DONE)
    assert queue.choose("c") == queue.entry("a")
    assert queue.choose("a") == queue.entry("a")  # the only one left


def test_measuring_again_stops_the_round_before() -> None:
    """A late answer of the old model does not replace the new model's."""
    started, go = threading.Event(), threading.Event()

    def measure(_: PageEntry) -> float:
        if started.is_set():
            return 0.9
        started.set()
        assert go.wait(60)
        return 0.1

    queue = PageQueue([PageEntry(key, key, bytes) for key in "ab"], measure, DOUBT)
    first = queue.measure()
    assert started.wait(60)
    queue.measure().join(60)
    go.set()
    first.join(60)
    assert [page["confidence"] for page in queue.list()["pages"]] == [0.9, 0.9]


def test_pages_that_cannot_be_labelled_are_skipped(folder: Path) -> None:
    (folder / "empty.html").write_text("<script>x</script>", "utf-8")
    (folder / "paper.html").write_bytes(b"%PDF-1.7 \0\1\2")
    client = make_client(folder)
    client.session.queue.measure().join(20)
    about = client.ask("GET", "/api/label")[1]
    assert (about["total"], about["unusable"], about["measured"]) == (5, 2, 5)
    assert {page["note"] for page in about["pages"] if page["state"] == "unusable"} == {
        "there is no text in it",
        "this file is PDF, not HTML",
    }
    status, answer = client.ask("GET", f"/api/label/pages/{client.key('paper.html')}")
    assert status == 422
    assert "PDF" in answer["error"]


@pytest.mark.skipif(os.sep == "\\", reason="no file is named so there")
def test_names_of_labels_are_those_of_their_pages(folder: Path) -> None:
    (folder / "sub").mkdir()
    names = ("sub/x.html", r"sub\x.html")
    for number, name in enumerate(names):
        (folder / name).write_text(write_article(number), "utf-8")
    client = make_client(folder)
    for name in names:
        assert client.save(client.page(name), title=name, done=True)[0] == 200
    assert [client.page(name)["fields"]["title"] for name in names] == list(names)
    assert [page.identity for page in read_set(folder)] == list(names)
    assert make_client(folder).ask("GET", "/api/label")[1]["done"] == 2


@pytest.mark.skipif(os.sep == "\\", reason="no file is named so there")
def test_a_page_whose_name_is_not_utf_8_is_not_labelled(folder: Path) -> None:
    (folder / "bad\udcff.html").write_text(write_article(7), "utf-8")
    (folder / "bad\\udcff.html").write_text(write_article(8), "utf-8")
    client = make_client(folder)
    about = client.ask("GET", "/api/label")[1]
    (bad,) = (page for page in about["pages"] if page["state"] == "unusable")
    assert (bad["name"], "rename the file" in bad["note"]) == (r"bad\udcff.html", True)
    for method, sent in (("GET", None), ("PUT", {})):
        status, answer = client.ask(method, f"/api/label/pages/{bad['key']}", sent)
        assert (status, answer["error"]) == (422, rf"bad\udcff.html: {bad['note']}")
    good = client.session.keys()[bad["name"]]
    opened = client.ask("GET", f"/api/label/pages/{good}")[1]
    assert client.save(opened, done=True)[0] == 200
    again = make_client(folder).ask("GET", "/api/label")[1]
    assert (again["done"], again["unusable"]) == (1, 1)


def test_the_order_can_be_changed(client: Client) -> None:
    assert client.ask("PUT", "/api/label/order", {"order": "name"})[0] == 200
    assert client.ask("GET", "/api/label")[1]["order"] == "name"
    assert client.ask("PUT", "/api/label/order", {"order": "size"})[0] == 422
    assert client.ask("GET", "/api/label/next?after=")[1]["key"] == client.key("page0.html")


def test_containers_nest_and_hold_several_blocks() -> None:
    page = parse("<div><ul><li>a<li>b</ul><p>c</div><section><div><p>d</div></section><p>e")
    assert page.texts() == ["a", "b", "c", "d", "e"]
    containers, around = find_containers(page)
    assert containers == [(0, 5, -1), (0, 3, 0), (0, 2, 1)]
    assert around == [2, 2, 1, 0, 0]


def test_containers_of_a_long_page_are_found_quickly() -> None:
    page = parse(
        "<body>"
        + "".join(f"<div><p>Paragraph {n} has a few words in it.</p></div>" for n in range(20_000))
    )
    start = time.process_time()
    containers, around = find_containers(page)
    assert (len(containers), len(around)) == (1, 20_000)
    assert time.process_time() - start < 2


def test_agreement_and_export_on_the_command_line(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for annotator, titles in (("ann", "x"), ("bob", "y")):
        client = make_client(folder, annotator)
        opened = client.page("page0.html")
        labels = opened["labels"] if annotator == "ann" else [1, *opened["labels"][1:]]
        assert client.save(opened, labels=labels, title=titles, done=True)[0] == 200
    (pair,) = client.ask("GET", "/api/label/agreement")[1]
    assert pair["with"] == "ann"
    assert pair["pages"][0]["name"] == "page0.html"
    assert 0 < pair["all"]["kappa_blocks"] < 1
    assert client.ask("GET", "/api/label")[1]["others"] == ["ann"]
    assert main(["label", str(folder), "--agreement"]) == 0
    printed = capsys.readouterr().out
    assert "kappa of ann and bob" in printed
    assert "all 1 pages" in printed
    assert main(["label", str(folder), "--export", str(folder / "set"), "--annotator", "ann"]) == 0
    assert [page.identity for page in read_labelled(folder / "set")] == ["page0"]


def test_the_command_says_what_is_wrong(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "list.txt").write_text("# mine\npage0.html\nnone.html\n", "utf-8")
    (folder / "empty").mkdir()
    for arguments, words in (
        ([str(folder / "list.txt")], "there is no such file"),
        ([str(folder / "nowhere")], "there is no such folder"),
        ([str(folder / "empty")], "no .html"),
        ([str(folder), "--annotator", "../x"], "an annotator's name is"),
    ):
        assert main(["label", *arguments]) == 2
        assert words in capsys.readouterr().err
    assert main(["label", str(folder), "--agreement"]) == 3
    assert "no page that two annotators have done" in capsys.readouterr().err
    outside = folder / "empty" / "list.txt"
    outside.write_text("../page0.html\n", "utf-8")
    assert main(["label", str(outside)]) == 2
    assert "is not below" in capsys.readouterr().err
    assert main(["train", "--labels", str(folder)]) == 2
    assert f"bodytext label {folder}" in capsys.readouterr().err
    assert main(["train"]) == 2
    assert "--labels" in capsys.readouterr().err


def make_result(sites: dict[str, list[tuple[float, float]]]) -> Any:
    """Return a training result with these scores of pages, before and after, by site."""
    pytest.importorskip("torch", reason="training needs torch: pip install 'bodytext[train]'")
    from bodytext.studio.training.training_pages import FOLDS

    sources = [SimpleNamespace(domain=site) for site, pages in sites.items() for _ in pages]
    scores = np.array([pair for pages in sites.values() for pair in pages])

    class Pages(list[Any]):
        by_site = True

        @property
        def sources(self) -> list[Any]:
            return list(self)

    trained = SimpleNamespace(folds=dict.fromkeys(range(FOLDS)), losses={})
    return SimpleNamespace(
        pages=Pages(sources), before=scores[:, 0], scores=scores[:, 1], trained=trained
    )


@pytest.mark.parametrize("unknown", ["", "other.example"])
def test_the_gain_over_all_pages_counts_pages_without_an_address_once(unknown: str) -> None:
    result = make_result({unknown: [(1, 1)] * 3, "a.example": [(0.99, 0.95), (0.99, 0.93)]})
    from bodytext.studio.evaluation.training_run import summarise_sites

    summary = summarise_sites(result)
    assert summary["all"] == {"site": "", "pages": 5, "before": 0.996, "after": 0.976}  # -0.020
    assert sorted((row["site"], row["pages"], row["after"]) for row in summary["sites"]) == sorted(
        [(unknown, 3, 1.0), ("a.example", 2, 0.94)]
    )
    assert summary["worse"]


@pytest.mark.parametrize(
    ("loss", "gain", "worse"),
    [(0.019, 0.1, False), (0.021, 0.1, True), (0.01, 0.005, True), (0, 0, False)],
)
def test_a_model_is_worse_if_the_mean_falls_or_a_site_loses_much(
    loss: float, gain: float, worse: bool
) -> None:
    result = make_result({"a.example": [(0.8, 0.8 - loss)], "b.example": [(0.8, 0.8 + gain)]})
    from bodytext.studio.evaluation.training_run import summarise_sites

    assert summarise_sites(result)["worse"] is worse


@pytest.mark.parametrize("worse", [True, False])
def test_a_model_that_got_worse_is_not_used_until_somebody_asks(
    client: Client, worse: bool
) -> None:
    jobs = TrainingJobs(client.session)
    jobs.folder.mkdir()
    made = jobs.folder / "model-1.npz"
    made.write_bytes(Path(shipped_weights()).read_bytes())
    jobs._state = {"state": "running", "method": "learned", "lines": []}
    jobs._update({"outcome": {"worse": worse}}, made)
    assert jobs.state()["state"] == "done"
    assert jobs.model_in_use() == ("" if worse else "model-1.npz")
    jobs.use("model-1.npz")
    assert jobs.model_in_use() == "model-1.npz"


def test_the_time_left_is_that_of_a_step() -> None:
    times = iter([100.0, 103.0, 200.0, 201.0])
    clock = StepClock(lambda: next(times))
    assert clock.read("reading pages: 1,000 of 4,000") == {"share": 0.25, "seconds_left": None}
    assert clock.read("reading pages: 2,000 of 4,000") == {"share": 0.5, "seconds_left": 6.0}
    assert clock.read("scoring") == {"share": None, "seconds_left": None}
    assert clock.read("networks: epoch 1 of 20, loss 1") == {"share": 0.05, "seconds_left": None}
    left = clock.read("networks: epoch 2 of 20, loss 1")["seconds_left"]
    assert left == 18.0


def test_a_blind_start_shows_nothing_of_the_model(folder: Path) -> None:
    opened = make_client(folder, "bob", blind=True).page("page0.html")
    assert opened["blind"]
    assert set(opened["labels"]) == set(opened["suggested"]) == {0}
    assert opened["confidence"] is None
    # The fields are what the page says of itself; the type is the model's answer.
    assert (opened["fields"]["title"], opened["fields"]["page_type"]) == ("Harbour of the town", "")
    assert not make_client(folder).page("page0.html")["blind"]


def test_labels_of_others_are_shown_only_after_ones_own_are_done(folder: Path) -> None:
    ann, bob = make_client(folder, "ann"), make_client(folder, "bob")
    opened = ann.page("page0.html")
    path = f"/api/label/pages/{opened['key']}/others"
    assert ann.save(opened, done=True)[0] == 200
    theirs = bob.page("page0.html")
    assert bob.ask("GET", path)[1] == []
    assert bob.save(theirs, labels=[1, *theirs["labels"][1:]])[0] == 200
    assert bob.ask("GET", path)[1] == []
    assert ann.ask("GET", path)[1] == []  # bob's are not done
    assert bob.save(bob.page("page0.html"), done=True)[0] == 200
    assert bob.ask("GET", path)[1] == [{"annotator": "ann", "labels": opened["labels"]}]
    (other,) = ann.ask("GET", path)[1]
    assert (other["annotator"], other["labels"][0]) == ("bob", 1)
    (pair,) = ann.ask("GET", "/api/label/agreement")[1]
    assert (pair["pages"][0]["differing"], pair["pages"][0]["key"]) == (1, opened["key"])
    ann.session.store.path("page0.html", "bob").write_text("<<<<<<< HEAD", "utf-8")
    assert ann.ask("GET", path)[1] == []  # what cannot be read is left out


def test_lines_are_exported_for_fann(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    client = make_client(folder)
    opened = client.page("page0.html")
    assert client.save(opened, done=True)[0] == 200
    output = folder / "training.txt"
    assert main(["label", str(folder), "--export", str(output)]) == 0
    assert "1 labelled pages" in capsys.readouterr().out
    first, *lines = output.read_text("utf-8").splitlines()
    count = len(opened["texts"])
    assert (first, len(lines)) == (f"{count} 3 1", 2 * count)
    assert [int(line) for line in lines[1::2]] == [int(label == 1) for label in opened["labels"]]
    for line, html, text in zip(lines[::2], opened["html"], opened["bytes"], strict=True):
        assert line == f"{min(text / max(html, 1), 1):.4f} {html} {text}"
    assert main(["label", str(folder), "--export", str(output)]) == 2
    assert "already" in capsys.readouterr().err
