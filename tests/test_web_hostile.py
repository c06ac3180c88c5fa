"""Attacks on the inspector and the labelling tool: DNS rebinding, other sites, no token, paths, floods."""

import json
import re
import socket
import urllib.parse
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from browser.conftest import Started, start
from hostile_pages import ARTICLE
from service_client import Answer, ask_now

HIDDEN = "what the lighthouse keeper told nobody"
HEADER = "x_bodytext_token"


class Tool:
    """A running tool and the folder that it works in."""

    def __init__(self, started: Started, folder: Path) -> None:
        self.started, self.folder = started, folder
        self.port = started.port
        page = self.ask("GET /").body.decode()
        self.labels = 'class="part-label"' in page
        match = re.search(r'name="bodytext-token" content="([\w-]+)"', page)
        assert match, page
        self.token = match[1]
        self.keys = [entry["key"] for entry in self.ask("GET /api/pages").json["pages"]]

    def ask(self, request: str, body: bytes = b"", **headers: str) -> Answer:
        return ask_now(self.port, request, body, **headers)

    def routes(self) -> list[str]:
        """Return a path of each kind that can be read."""
        key = self.keys[0]
        pages = [f"/pages/{key}", f"/pages/{key}/frame"]
        read = [f"/api/pages/{key}{rest}" for rest in ("", "/blocks/0", "/result", "/figures")]
        return ["/", "/api/pages", "/static/shell.js", *pages, *read]

    def writes(self) -> list[tuple[str, bytes]]:
        """Return a request of each kind that writes."""
        key = self.keys[0]
        writes = [
            ("POST /api/pages?name=a", ARTICLE),
            ("POST /api/pages", b'{"url": "https://example.org/"}'),
        ]
        if self.labels:
            labels = json.dumps({"revision": "", "source": "", "ranges": []}).encode()
            writes += [
                (f"PUT /api/label/pages/{key}", labels),
                ("PUT /api/label/order", b'{"order": "name"}'),
            ]
            writes += [
                ("POST /api/training", b'{"method": "learned"}'),
                ("DELETE /api/training", b""),
            ]
            writes += [("PUT /api/training/model", b'{"model": ""}')]
        return writes


def make_folder(folder: Path) -> Path:
    """Write pages, and files next to the folder that nobody may read or write."""
    pages = folder / "pages"
    pages.mkdir()
    for name in ("a.html", "b.html"):
        (pages / name).write_bytes(b"<article><h1>A harbour</h1>" + ARTICLE + name.encode())
    (folder / "secret.html").write_text(f"<p>{HIDDEN}</p>")
    (folder / "secret.txt").write_text(HIDDEN)
    return pages


@pytest.fixture(scope="module", params=["inspect", "label"])
def tool(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Tool]:
    folder = tmp_path_factory.mktemp(request.param)
    pages = make_folder(folder)
    more = ["--annotator", "ann"] if request.param == "label" else []
    started = start([request.param, str(pages), "--no-browser", *more], folder / "log")
    yield Tool(started, pages)
    started.process.terminate()
    started.process.join()


@pytest.mark.slow
def test_a_name_that_resolves_to_this_machine_reads_nothing(tool: Tool) -> None:
    for host in (
        "evil.example",
        f"evil.example:{tool.port}",
        f"127.0.0.1.evil.example:{tool.port}",
        "",
        "127.0.0.1",
    ):
        for path in tool.routes():
            answer = tool.ask(f"GET {path}", host=host)
            assert (answer.status, tool.token.encode() in answer.body) == (421, False), (host, path)


def test_other_sites_read_nothing_and_frame_nothing(tool: Tool) -> None:
    for path in tool.routes():
        answer = tool.ask(
            f"GET {path}",
            sec_fetch_site="cross-site",
            sec_fetch_mode="no-cors",
            sec_fetch_dest="image",
        )
        assert answer.status == 403, path
        own = tool.ask(f"GET {path}")
        assert own.status == 200
        assert not {name for name in own.headers if name.startswith("access-control-")}
        policy = own.headers["content-security-policy"]
        assert "frame-ancestors 'none'" in policy or path.endswith("/frame"), path
        assert own.headers["x-content-type-options"] == "nosniff"
    framed = tool.ask(
        f"GET /pages/{tool.keys[0]}/frame", sec_fetch_site="cross-site", sec_fetch_dest="iframe"
    )
    assert framed.status == 403


def test_a_frame_runs_nothing_even_if_it_is_opened_alone(tool: Tool) -> None:
    policy = tool.ask(f"GET /pages/{tool.keys[0]}/frame").headers["content-security-policy"]
    rules = dict(rule.strip().partition(" ")[::2] for rule in policy.split(";"))
    assert rules["default-src"] == "'none'"
    assert "script-src" not in rules
    assert rules["img-src"] == "data:"
    assert "allow-scripts" not in rules["sandbox"]
    assert rules["form-action"] == rules["base-uri"] == "'none'"


@pytest.mark.parametrize(
    "kind", ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data", ""]
)
def test_other_sites_cannot_write_by_forms(tool: Tool, kind: str) -> None:
    before = tool.ask("GET /api/pages").body
    for request, body in tool.writes():
        for headers in (
            {"origin": "https://evil.example"},
            {"origin": "null"},
            {"sec_fetch_site": "cross-site"},
            {"sec_fetch_site": "same-site"},
            {},
            {HEADER: ""},
            {HEADER: "guessed"},
            {HEADER: tool.token, "origin": "https://evil.example"},
        ):
            answer = tool.ask(request, body, content_type=kind, **headers)
            assert (answer.status, bool(answer.error)) == (403, True), (request, headers)
    assert tool.ask("GET /api/pages").body == before
    assert not (tool.folder / "labels").exists()


@pytest.mark.parametrize(
    "name",
    [
        "../secret.html",
        "..%2fsecret.html",
        "%2e%2e%2fsecret.html",
        "..%5csecret.html",
        "....//secret.html",
        "a.html",
        "%00",
        "a%00.html",
        "/etc/passwd",
        "%2fetc%2fpasswd",
        "file:%2f%2f%2fetc%2fpasswd",
        "x" * 5000,
    ],
)
def test_paths_lead_nowhere(tool: Tool, name: str) -> None:
    for path in (
        f"/pages/{name}",
        f"/pages/{name}/frame",
        f"/api/pages/{name}",
        f"/static/{name}",
        f"/{name}",
    ):
        answer = tool.ask(f"GET {path}")
        # The inspector itself, which finds no such page
        shell = path == f"/pages/{name}" and answer.status == 200
        assert shell or answer.status in {400, 404}, (path, answer)
        assert HIDDEN not in answer.body.decode("utf-8", "replace")
        assert b"root:" not in answer.body
    if tool.labels:
        model = json.dumps({"model": urllib.parse.unquote(name)}).encode()
        assert tool.ask("PUT /api/training/model", model, **{HEADER: tool.token}).status == 422
        assert tool.ask(f"GET /api/label/pages/{name}").status in {400, 404}
        saved = tool.ask(f"PUT /api/label/pages/{name}", b"{}", **{HEADER: tool.token})
        assert saved.status in {400, 404}
    assert not (tool.folder / "labels").exists()


def test_methods_name_no_files(tool: Tool) -> None:
    for name in ("learned:model=/etc/passwd", f"learned:model={tool.folder.parent}/secret.txt"):
        answer = tool.ask(f"GET /api/pages/{tool.keys[0]}/result?method={name}")
        assert (answer.status, "there is no method" in answer.error) == (422, True)


@pytest.mark.slow
def test_giant_bodies_are_refused_with_a_message(tool: Tool) -> None:
    announced = tool.ask(
        "POST /api/pages?name=a",
        b"",
        content_length=str(2**33),
        expect="100-continue",
        **{HEADER: tool.token},
    )
    assert (announced.status, "MB" in announced.error) == (413, True)
    for _ in range(3):
        sent = tool.ask("POST /api/pages?name=a", bytes(34 * 2**20), **{HEADER: tool.token})
        assert (sent.status, "MB" in sent.error) == (413, True)
    assert tool.ask("GET /api/pages").status == 200


def test_a_flood_of_blocks_is_refused_with_a_message(tool: Tool) -> None:
    flood = b"<p>A boat came to us" * 210_000
    answer = tool.ask("POST /api/pages?name=flood", flood, **{HEADER: tool.token})
    assert (answer.status, "blocks" in answer.error) == (422, True)


def test_private_addresses_are_not_fetched(tool: Tool) -> None:
    with socket.create_server(("127.0.0.1", 0)) as inside:
        inside.setblocking(False)
        port = inside.getsockname()[1]
        own = (
            f"http://127.0.0.1:{port}/",
            f"http://localhost:{port}/",
            f"http://[::ffff:127.0.0.1]:{port}/",
        )
        numbers = (f"http://2130706433:{port}/", f"http://0x7f.1:{port}/", f"http://0:{port}/")
        others = (
            "http://10.0.0.1/",
            "http://169.254.169.254/latest/meta-data/",
            "file:///etc/passwd",
            "ftp://a.example/",
        )
        for url in (*own, *numbers, *others):
            sent = json.dumps({"url": url}).encode()
            answer = tool.ask(
                "POST /api/pages", sent, content_type="application/json", **{HEADER: tool.token}
            )
            assert 400 <= answer.status < 600, url
            assert answer.error
        with pytest.raises(BlockingIOError):  # nobody came
            inside.accept()


@pytest.mark.slow
@pytest.mark.parametrize(
    "sent",
    [
        b"\0\1\2\3" * 100,
        b"GET / HTTP/1.1\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n",
        b"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: -1\r\n\r\n",
        b"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        b"GET / HTTP/1.1\r\nX: " + b"a" * 200_000 + b"\r\n\r\n",
        b"GET http://evil.example/ HTTP/1.1\r\nHost: evil.example\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n",
    ],
)
def test_broken_requests_are_refused_and_do_no_harm(tool: Tool, sent: bytes) -> None:
    with closing(socket.create_connection(("127.0.0.1", tool.port), 20)) as client:
        try:
            client.sendall(sent)
            client.shutdown(socket.SHUT_WR)
            answer = client.recv(65536)
        except OSError:  # the server has closed the connection
            answer = b""
    assert not answer or re.match(rb"HTTP/1.1 4\d\d ", answer), answer
    assert tool.ask("GET /api/pages").status == 200


@pytest.mark.slow
def test_a_symbolic_link_in_place_of_labels_is_replaced_and_not_followed(tmp_path: Path) -> None:
    pages = make_folder(tmp_path)
    (pages / "labels" / "ann").mkdir(parents=True)
    link = pages / "labels" / "ann" / "a.html.json"
    link.symlink_to(tmp_path / "elsewhere.json")
    started = start(["label", str(pages), "--no-browser", "--annotator", "ann"], tmp_path / "log")
    try:
        tool = Tool(started, pages)
        for key in tool.keys:
            page = tool.ask(f"GET /api/label/pages/{key}").json
            labels = {"revision": page["revision"], "source": page["source"], "ranges": []}
            saved = tool.ask(
                f"PUT /api/label/pages/{key}", json.dumps(labels).encode(), **{HEADER: tool.token}
            )
            assert saved.status == 200
        assert not (tmp_path / "elsewhere.json").exists()
        assert link.is_file()
        assert not link.is_symlink()
    finally:
        started.process.terminate()
        started.process.join()
