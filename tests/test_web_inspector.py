"""The inspector answers with the library's own results, and a page's frame holds its text and nothing active."""

import asyncio
import json
import math
import re
import signal
import subprocess
import sys
import time
import urllib.request
import webbrowser
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from selectolax.lexbor import LexborHTMLParser

pytest.importorskip(
    "starlette", reason="the inspector needs starlette: pip install 'bodytext[web]'"
)

import bodytext
from bodytext.cli import main
from bodytext.methods import METHODS, as_method
from bodytext.methods.cuter import label_nodes
from bodytext.methods.density import line_bytes
from bodytext.methods.finn import best_stretch
from bodytext.methods.learned.explanation import GROUPS, explain_blocks
from bodytext.methods.learned.method import Learned
from bodytext.methods.learned.weights import shipped_weights
from bodytext.methods.spread import Spread
from bodytext.output.formats import FORMATS, RenderOptions, render
from bodytext.page.tables import Page
from bodytext.sources.fetch import FetchError, FetchLimits
from bodytext.studio.inspector.block_columns import describe_block, list_blocks, read_row
from bodytext.studio.inspector.inspector_routes import inspector_part
from bodytext.studio.inspector.live_figures import measure_figures
from bodytext.studio.inspector.reason_words import BlockFacts, describe_reason
from bodytext.studio.web import page_frame as frame_module
from bodytext.studio.web import workspace as workspace_module
from bodytext.studio.web.app import create_app
from bodytext.studio.web.page_frame import DEEPEST, FRAME_POLICY, write_frame
from bodytext.studio.web.security import TOKEN_HEADER, Policy
from bodytext.studio.web.server import _open_browser, open_socket
from bodytext.studio.web.stylesheets import clean_css
from bodytext.studio.web.workspace import SHIPPED, UnreadableError, Workspace
from example_counts import some_of
from hostile_pages import KINDS

ARTICLE = Path(__file__).parent.parent / "examples/article.html"
PORT = 4000


class Client:
    """A client of an app in this process."""

    def __init__(self, workspace: Workspace, limits: FetchLimits | None = None) -> None:
        self.app = create_app([inspector_part(workspace, limits)], Policy(PORT))

    def ask(self, request: str, body: bytes = b"", **headers: str) -> tuple[int, Any]:
        status, _, content = asyncio.run(self._ask(request, body, headers))
        return status, content

    def headers(self, request: str) -> dict[str, str]:
        return asyncio.run(self._ask(request, b"", {}))[1]

    async def _ask(
        self, request: str, body: bytes, headers: dict[str, str]
    ) -> tuple[int, dict[str, str], Any]:
        method, _, path = request.partition(" ")
        path, _, query = path.partition("?")
        sent = {"host": f"127.0.0.1:{PORT}", TOKEN_HEADER: self.app.state.policy.token}
        sent |= {name.replace("_", "-"): value for name, value in headers.items()}
        scope = {
            "type": "http", "method": method, "path": path, "raw_path": path.encode(), "query_string": query.encode(),
            "headers": [(name.encode(), value.encode()) for name, value in sent.items()], "http_version": "1.1",
            "scheme": "http", "server": ("127.0.0.1", PORT), "root_path": "",
        }  # fmt: skip
        messages: list[Any] = []
        given = [{"type": "http.request", "body": body, "more_body": False}]

        async def receive() -> Any:
            if given:
                return given.pop()
            await asyncio.sleep(3600)  # the client stays connected
            return None

        async def send(message: Any) -> None:
            messages.append(message)

        await self.app(scope, receive, send)
        content = b"".join(message.get("body", b"") for message in messages[1:])
        received = {name.decode(): value.decode() for name, value in messages[0]["headers"]}
        is_json = received.get("content-type", "").startswith("application/json")
        return messages[0]["status"], received, json.loads(content) if is_json else content.decode()


@pytest.fixture
def workspace() -> Workspace:
    return Workspace()


@pytest.fixture
def client(workspace: Workspace) -> Client:
    return Client(workspace)


@pytest.fixture
def key(workspace: Workspace) -> str:
    return workspace.add("article.html", ARTICLE.read_bytes()).key


@pytest.fixture(scope="module")
def article() -> Page:
    return bodytext.parse(ARTICLE.read_bytes())


# ---- the frame ----

ACTIVE_ELEMENTS = "script iframe object embed form base link meta[http-equiv] svg video audio canvas template frame button"
# Attributes that load or act; no frame may have one.
ACTIVE_ATTRIBUTES = re.compile(
    r"on\w+|href|action|formaction|srcset|poster|background|ping|cite|data|xlink:href|manifest|target"
)


def shown(html: bytes | str) -> str:
    return "".join(write_frame(bodytext.parse(html)))


def check_frame(page: Page, frame: str) -> None:
    """Check that all blocks are marked, each with its own text, and that nothing acts or loads."""
    tree = LexborHTMLParser(frame)
    texts: dict[int, str] = {}
    for element in tree.css("[data-bt-b]"):
        block = int(element.attributes["data-bt-b"] or "-1")
        texts[block] = texts.get(block, "") + (element.text() or "")
    bare = re.compile(r"\s+")
    for block, text in enumerate(page.texts()):
        assert bare.sub("", texts.get(block, "")) == bare.sub("", text), (block, text)
    check_harmless(tree)


def check_harmless(tree: LexborHTMLParser) -> None:
    for name in ACTIVE_ELEMENTS.split():
        assert not tree.css(name), name
    for element in tree.css("*"):
        for name, value in element.attributes.items():
            assert not ACTIVE_ATTRIBUTES.fullmatch(name), (element.tag, name)
            assert name != "src" or (value or "").lower().startswith("data:image/"), value
    for style in tree.css("style"):
        assert "@import" not in style.text().lower()


def test_the_frame_of_an_article_is_the_article(article: Page) -> None:
    frame = "".join(write_frame(article))
    check_frame(article, frame)
    assert frame.startswith("<!doctype html>")


BROKEN = {
    "text in a table": "<table>lost<tr><td>one<td>two</table>after",
    "crossed tags": "<b><p>one</b>two</p><i>three<p>four</i>five",
    "a link in a link": "<a href=/x>one <a href=/y>two</a> three",
    "unclosed": "<div><p>one<p>two<div>three",
    "raw text": "<textarea><b>one</b></textarea><xmp><i>two</i></xmp><title>no</title>",
    "signs": "<p>1 < 2 & 3 > 2 &lt;script&gt; &amp;lt; \0</p>",
    "white space": "<p><b>one</b> <i>two</i><u> three</u></p>",
    "a drawing": "<svg><text>one</text><script>alert(1)</script><a href='x'>two</a></svg>three",
    "a formula": "<p>where <math><mrow><mi>x</mi><mo>=</mo><mn>2</mn></mrow></math> holds",
    "hidden": "<div hidden>one</div><noscript><p>two</p></noscript><template>three</template><p style=display:none>4",
    "own elements": "<x-card onclick=alert(1)>one</x-card><blink>two</blink>",
    "controls": "<form action=/x><input value=a><select><option>one<option>two</select><button>three</button></form>",
    "lists": "<ul><li>one<ul><li>two</ul><li>three</ul><dl><dt>four<dd>five</dl>",
    "code": "<pre>\none\n  two</pre>",
    "frames": "<frameset><frame src=x></frameset>",
    "nothing": "",
}  # fmt: skip


@pytest.mark.parametrize("html", BROKEN.values(), ids=list(BROKEN))
def test_the_frame_of_a_broken_page_holds_its_blocks(html: str) -> None:
    page = bodytext.parse(html)
    check_frame(page, "".join(write_frame(page)))


_MARKUP = """<p>|</p>|<div>|</div>|<b>|</b>|<i>|<a href=x>|</a>|<table>|<tr>|<td>|</table>|<li>|<ul>|</ul>|<br>|
<svg>|</svg>|<math>|<mi>|<select>|<option>|</select>|<textarea>|</textarea>|<form>|</form>|<script>|</script>|<style>|</style>|
<img src=//x/y alt=z>|<img src=data:image/gif;base64,AA>|<p onclick=x>|<base href=//x>|<meta http-equiv=refresh>|
<iframe src=x>|</iframe>|<noscript>|</noscript>|<template>|</template>|<object data=x>|<h1>|one|two|&|<|>|&amp;|
<p style='background:url(//x)'>|<!--|-->|<pre>|</pre>|<x-y>|<button>|</button>|<video poster=x>|<body onload=x>"""
_PIECES = st.sampled_from(_MARKUP.replace("\n", "").split("|"))


@pytest.mark.slow
@settings(max_examples=some_of(300), deadline=None)
@given(st.lists(_PIECES, max_size=40))
def test_no_page_gets_anything_active_into_its_frame(pieces: list[str]) -> None:
    page = bodytext.parse(" ".join(pieces))
    frame = "".join(write_frame(page))
    tree = LexborHTMLParser(frame)
    check_harmless(tree)
    marked = {int(element.attributes["data-bt-b"] or "-1") for element in tree.css("[data-bt-b]")}
    in_select = {  # browsers drop the marks around the text of a bare <select>
        block
        for block in range(len(page))
        if page.runs.flags[page.blocks.first_run[block]] & bodytext.kernel.html.Flag.SELECT
    }
    assert marked | in_select >= set(range(len(page)))


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(KINDS))
def test_hostile_pages_have_frames_in_time(name: str) -> None:
    page = bodytext.parse(KINDS[name].make(60_000))
    began = time.process_time()
    frame = "".join(write_frame(page))
    assert time.process_time() - began < 3
    assert len(frame) < 60 * len(page.source) + 20_000


def test_depth_is_bounded() -> None:
    frame = shown("<div>" * 5000 + "deep")
    assert frame.count("<div") <= DEEPEST
    assert "deep</" in frame


def test_a_frame_that_is_cut_says_how_much_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(frame_module, "MOST_PIECES", 100)
    frame = shown("<p>one</p>" * 500)
    assert "more blocks are not shown" in frame
    assert frame.count("data-bt-b=") < 110


def test_links_lose_their_targets_and_keep_their_look() -> None:
    frame = shown("<style>a:link{color:red}</style><a href='https://example.org/'>there</a>")
    assert "example.org" not in frame
    assert "a[data-bt-link]{color:red}" in frame


def test_pictures_that_would_load_are_replaced_by_their_descriptions() -> None:
    frame = shown(
        "<img src='https://example.org/x.png' alt='A lamp &amp; its \"keeper\"'><img src=/y.png>"
    )
    assert "example.org" not in frame
    assert "<bt-image>A lamp &amp; its &quot;keeper&quot;</bt-image>" in frame


def test_buttons_with_only_a_drawing_are_not_shown_empty() -> None:
    frame = shown("<button><svg><path d='M0 0'/></svg></button><button>Send</button>")
    assert frame.count("<bt-button") == 1
    assert "Send" in frame


def test_the_plain_frame_has_none_of_the_authors_style() -> None:
    html = "<style>p{color:red}</style><p style='color:blue' class=x>one</p>"
    plain = "".join(write_frame(bodytext.parse(html), styled=False))
    assert "color:red" not in plain
    assert "color:blue" not in plain
    assert "color:red" in shown(html)


@pytest.mark.parametrize(
    "css",
    [
        "a{background:url(//x/y)}",
        "a{background:URL( 'https://x/y' )}",
        'a{background:u\\72l("//x/y")}',
        "a{background:\\75\\72\\6c(//x/y)}",
        "@import '//x/y';",
        "@\\69mport url(//x/y);",
        "@import/**/url(//x/y)",
        "a{background:url(//x/y",
        "a{background:image-set('//x/y' 1x)}",
        "a{cursor:url(data:text/html,//x/y),auto}",
        "@font-face{src:url(//x/y)}",
    ],
)
def test_css_loads_nothing(css: str) -> None:
    assert "x/y" not in clean_css(css)


def test_css_keeps_what_is_harmless() -> None:
    kept = "a{background:url(data:image/png;base64,AA==) no-repeat;content:'\\f101'}"
    assert clean_css(kept) == kept
    assert clean_css("div{position : fixed;top:0}") == "div{position : static;top:0}"
    assert "<" not in clean_css("a{content:'</style><script>'}")


@settings(max_examples=some_of(200), deadline=None)
@given(st.text(alphabet="url(@import)'\"\\75; /*{}<>\n", max_size=200))
def test_css_never_ends_its_element(css: str) -> None:
    assert "<" not in clean_css(css)


def test_css_is_cleaned_in_linear_time() -> None:
    for piece in ("url(", "/*", "@import ", "\\75", "image-set(", "'", 'url("', "position:"):
        began = time.process_time()
        clean_css(piece * (400_000 // len(piece)))
        assert time.process_time() - began < 3, piece


# ---- blocks and figures ----


def test_blocks_are_listed_with_their_texts_scores_and_offsets(article: Page) -> None:
    scores = {name: as_method(name).score(article).values for name in METHODS}
    columns = list_blocks(article, scores)
    assert columns["texts"] == article.texts()
    assert [columns["kinds"][kind] for kind in columns["kind"]][6] == "heading"
    for name, column in scores.items():
        assert np.allclose(columns["scores"][name], column, atol=1e-6)
    for start, end, text in zip(columns["start"], columns["end"], columns["texts"], strict=True):
        assert text.split()[0] in article.source[start:end].decode()
    assert all(path.startswith(("html", "…")) for path in columns["path"])
    json.dumps(columns)


def test_a_score_at_the_threshold_stays_on_its_side(article: Page) -> None:
    for name in METHODS:
        scores = as_method(name).score(article).values
        columns = np.array(list_blocks(article, {name: scores})["scores"][name])
        for threshold in np.arange(101) / 100:
            assert ((scores >= threshold) == (columns >= threshold)).all()


def test_reasons_are_those_of_the_library(article: Page) -> None:
    block = 8
    details = describe_block(article, block, Learned())
    known = [reason.weight for reason in explain_blocks(article)[block]]
    assert [weight for _, weight in details["reasons"]] == known[: len(details["reasons"])]
    assert details["text"] == article.texts()[block]
    assert dict(details["facts"])["words"] == str(int(article.per_block(article.runs.words)[block]))
    assert "an article" in details["places"]
    assert details["path"][0].startswith("html")
    assert details["features"]
    json.dumps(details)


def test_reasons_add_up_to_the_score(article: Page) -> None:
    scores = as_method("learned").score(article).values
    for block in range(len(article)):
        details = describe_block(article, block, Learned())
        total = details["sum"]
        parts = [weight for _, weight in details["reasons"]]
        parts += [total[name] for name in ("start", "else", "decision")]
        assert sum(parts) == pytest.approx(total["total"], abs=0.001)
        assert total["score"] == scores[block]
        assert 1 / (1 + math.exp(-total["total"])) == pytest.approx(scores[block], abs=0.002)


def test_reasons_say_their_values() -> None:
    links = "".join(f"<li><a href=/{n}>See page {n}</a></li>" for n in range(12))
    prose = "<p>The harbour lay still, and nobody could say why it had been left so. </p>" * 5
    page = bodytext.parse(
        f"<title>Harbour</title><header><ul>{links}</ul></header><main>{prose}</main>"
    )
    words = {}
    for block in (3, len(page) - 3):
        details = describe_block(page, block, Learned())
        facts = BlockFacts(
            page, block, dict(read_row(page, block)), details["places"], details["path"]
        )
        words[block] = {group: describe_reason(group, facts) for group in GROUPS}
    item, paragraph = words.values()
    assert item["links in it"] == "100 % of its text is links"
    assert item["its length"] == "three words"
    assert item["its kind and the tags around it"] == "an item inside a header"
    assert item["its sentences"] == "no sentence ends in it"
    assert paragraph["links in it"] == "no links"
    assert paragraph["its length"] == "14 words"
    assert paragraph["its sentences"] == "it ends with a sentence"
    assert paragraph["repetition of its text"] == "text that is on the page more than once"
    assert paragraph["its place in the page"] == f"block {len(page) - 2} of {len(page)}"


def test_the_threshold_is_named_where_it_is_the_reason(client: Client, key: str) -> None:
    about = client.ask(f"GET /api/pages/{key}/result?threshold=1")[1]["about"]
    assert about["reason"].startswith("a threshold of 1.00 keeps no block; 0.50 keeps ")
    assert client.ask(f"GET /api/pages/{key}/result?threshold=0.5")[1]["about"]["reason"] == ""


@pytest.mark.parametrize(
    ("typed", "fetched"),
    [
        ("example.org", "https://example.org"),
        ("example.org:8080/a", "https://example.org:8080/a"),
        ("archive.org/web/http://a.example/", "https://archive.org/web/http://a.example/"),
        ("http://example.org/", "http://example.org/"),
        ("file:/etc/passwd", "file:/etc/passwd"),
    ],
)
def test_an_address_needs_no_scheme(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch, typed: str, fetched: str
) -> None:
    asked: list[str] = []

    def fetch(url: str, _: object) -> None:
        asked.append(url)
        raise FetchError("nobody answers")

    monkeypatch.setattr("bodytext.studio.web.workspace.fetch", fetch)
    with pytest.raises(UnreadableError, match="nobody answers"):
        workspace.fetch(typed)
    assert asked == [fetched]


def test_figures_show_the_methods_own_numbers(article: Page) -> None:
    figures = measure_figures(article)
    json.dumps(figures)
    html, text = line_bytes(article)
    assert figures["lines"]["html"] == html.astype(int).tolist()
    assert figures["lines"]["text"] == text.astype(int).tolist()
    steps = list(Spread().descend(article))
    assert [(step["children"], step["spread"]) for step in figures["descent"]["steps"]] == [
        (step.children, round(step.spread, 2)) for step in steps
    ]
    chosen = figures["descent"]["steps"][figures["descent"]["chosen"]]
    assert Spread().score(article).values[chosen["first"] : chosen["stop"]].all()
    kinds = figures["kinds"]
    assert sum(kinds["counts"]) == len(label_nodes(article))
    assert {kinds["kinds"][row[3]] for row in kinds["nodes"]} >= {"text", "navigation"}


def test_the_plateau_is_the_stretch_that_finn_chooses(article: Page) -> None:
    plateau = measure_figures(article)["plateau"]
    first, stop = best_stretch(article.runs.tags, article.runs.words)
    begin, end = plateau["chosen"]
    words = int(article.runs.words[first:stop].sum())
    assert end - begin == words + int(article.runs.tags[first + 1 : stop].sum())
    inside = [
        b >= begin and e <= end for b, e in zip(plateau["begin"], plateau["end"], strict=True)
    ]
    assert inside == (as_method("finn").score(article).values == 1).tolist()
    assert plateau["tokens"] == int(article.runs.words.sum()) + article.tags


@pytest.mark.parametrize("html", [*BROKEN.values(), "<p>one", "<div>" * 600 + "x"])
def test_broken_pages_have_figures_and_descriptions(html: str) -> None:
    page = bodytext.parse(html)
    json.dumps(measure_figures(page))
    for block in range(len(page)):
        json.dumps(describe_block(page, block, Learned()))


# ---- the routes ----


def test_the_result_is_that_of_the_library(client: Client, key: str) -> None:
    for method, threshold in (("learned", 0.5), ("cuter", 0.5), ("learned", 0.9)):
        document = bodytext.extract(ARTICLE.read_bytes(), method=method, threshold=threshold)
        for name in FORMATS.own:
            status, answer = client.ask(
                f"GET /api/pages/{key}/result?method={method}&threshold={threshold}&format={name}"
            )
            assert status == 200
            assert answer["text"] == render(document, name, RenderOptions("article.html"))
    about = answer["about"]
    assert about["page_type"] == document.page_type
    assert about["confidence"] == document.confidence
    title = next(row for row in about["metadata"] if row["field"] == "title")
    assert title["value"] == document.metadata.title
    assert title["source"] == document.metadata.sources["title"].name


def test_an_empty_result_has_a_reason(client: Client, workspace: Workspace) -> None:
    key = workspace.add("shell", b"<div id=root></div><script src=app.js></script>").key
    status, answer = client.ask(f"GET /api/pages/{key}/result")
    assert status == 200
    assert answer["text"] == ""
    assert "JavaScript" in answer["about"]["reason"]


def test_pages_are_sent_listed_and_opened(client: Client) -> None:
    status, added = client.ask(
        "POST /api/pages?name=mine.html", ARTICLE.read_bytes(), content_type="text/html"
    )
    assert status == 201
    _, shelf = client.ask("GET /api/pages")
    assert shelf["pages"] == [{"key": added["key"], "name": "mine.html"}]
    assert shelf["methods"][0] == "learned"
    status, page = client.ask(f"GET /api/pages/{added['key']}")
    assert status == 200
    assert page["title"].startswith("The lighthouse")
    assert set(page["scores"]) == set(METHODS)
    status, frame = client.ask(f"GET /pages/{added['key']}/frame")
    assert status == 200
    assert "lamp on Skarv Point" in frame


def test_pages_are_decoded_by_the_charset_they_name(client: Client) -> None:
    html = "<meta charset=windows-1251><p>Маяк стоит на скале, и лампа не гаснет.".encode(
        "windows-1251"
    )
    _, added = client.ask("POST /api/pages", html)
    _, page = client.ask(f"GET /api/pages/{added['key']}")
    assert page["texts"] == ["Маяк стоит на скале, и лампа не гаснет."]
    _, result = client.ask(f"GET /api/pages/{added['key']}/result?threshold=0&method=finn")
    assert result["text"] == "Маяк стоит на скале, и лампа не гаснет."


@pytest.mark.parametrize(
    ("request_line", "body", "status", "words"),
    [
        ("POST /api/pages", b"  ", 422, "this page is empty"),
        ("POST /api/pages", b"%PDF-1.7 \x01\x02", 422, "PDF"),
        ("POST /api/pages", b"\x1f\x8b broken", 422, "gzip"),
        ("GET /api/pages/none", b"", 404, "open it again"),
        ("GET /pages/none/frame", b"", 404, "open it again"),
        ("GET /api/pages/KEY/blocks/4000", b"", 404, "26 blocks"),
        ("GET /api/pages/KEY/result?threshold=9", b"", 422, "between 0 and 1"),
        ("GET /api/pages/KEY/result?threshold=nan", b"", 422, "between 0 and 1"),
        ("GET /api/pages/KEY/result?threshold=x", b"", 422, "x"),
        ("GET /api/pages/KEY/result?method=x", b"", 422, "there is no method"),
        ("GET /api/pages/KEY/result?format=x", b"", 422, "there is no format"),
        ("GET /nowhere", b"", 404, "there is no /nowhere here"),
    ],
)
def test_errors_say_what_is_wrong(  # noqa: PLR0913, PLR0917 - a request and its answer
    client: Client, key: str, request_line: str, body: bytes, status: int, words: str
) -> None:
    answered, answer = client.ask(request_line.replace("KEY", key), body)
    assert answered == status
    assert words in answer["error"]


def test_the_frame_has_its_own_policy_and_pages_theirs(client: Client, key: str) -> None:
    assert client.headers(f"GET /pages/{key}/frame")["content-security-policy"] == FRAME_POLICY
    policy = client.headers("GET /")["content-security-policy"]
    assert "script-src 'self'" in policy
    assert "unsafe" not in policy
    assert client.headers(f"GET /api/pages/{key}")["cache-control"] == "no-store"


def test_private_addresses_are_not_fetched(client: Client) -> None:
    body = json.dumps({"url": "http://127.0.0.1:9/"}).encode()
    status, answer = client.ask("POST /api/pages", body, content_type="application/json")
    assert status == 422
    assert "cannot be fetched" in answer["error"]
    for odd in (b"{", b"[]", b'{"url": 3}', b"null", b"[" * 100_000):
        status, answer = client.ask("POST /api/pages", odd, content_type="application/json")
        assert (status, "url" in answer["error"]) == (422, True)


# ---- the workspace ----


def test_the_oldest_pages_go_when_there_are_too_many_bytes(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(workspace_module, "KEPT_BYTES", 100)
    workspace = Workspace()
    (tmp_path / "named.html").write_text("<p>named")
    (named,) = workspace.add_files([tmp_path / "named.html"], tmp_path)
    keys = [
        workspace.add(str(number), b"<p>" + b"x" * 40 + str(number).encode()).key
        for number in range(4)
    ]
    left = {entry.key for entry in workspace.entries()}
    assert left == {named.key, *keys[2:]}
    with pytest.raises(KeyError):
        workspace.open(keys[0])


def test_the_same_page_twice_is_one_entry() -> None:
    workspace = Workspace()
    assert workspace.add("a", b"<p>x").key == workspace.add("b", b"<p>x").key
    assert (
        workspace.add("a", b"<p>x", "https://example.org/").key != workspace.add("a", b"<p>x").key
    )


def test_a_changed_file_is_read_again(tmp_path: Path) -> None:
    path = tmp_path / "page.html"
    path.write_text("<p>before")
    workspace = Workspace()
    client = Client(workspace)
    (entry,) = workspace.add_files([path], path)
    assert client.ask(f"GET /api/pages/{entry.key}")[1]["texts"] == ["before"]
    path.write_text("<p>after")
    client.ask(f"GET /pages/{entry.key}")
    assert client.ask(f"GET /api/pages/{entry.key}")[1]["texts"] == ["after"]
    path.unlink()
    client.ask(f"GET /pages/{entry.key}")
    status, answer = client.ask(f"GET /api/pages/{entry.key}")
    assert (status, "page.html cannot be read" in answer["error"]) == (422, True)


def test_another_model_is_listed_next_to_the_shipped_one(tmp_path: Path) -> None:
    arrays = dict(np.load(shipped_weights()))
    path = tmp_path / "my.npz"
    arrays["page.mean"] = arrays["page.mean"] + 1
    np.savez(path, **arrays)
    workspace = Workspace(str(path))
    assert workspace.methods()[:2] == ["learned", SHIPPED]
    page = bodytext.parse(ARTICLE.read_bytes())
    own, shipped = (workspace.method(name).score(page).values for name in ("learned", SHIPPED))
    assert (own == Learned(str(path)).score(page).values).all()
    assert (shipped == Learned().score(page).values).all()
    assert (own != shipped).any()


def test_huge_pages_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(workspace_module, "LARGEST_PAGE", 10)
    workspace = Workspace()
    with pytest.raises(UnreadableError, match="too large"):
        workspace.open(workspace.add("big", b"<p>" + b"x" * 10).key)


def test_pages_of_too_many_blocks_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(workspace_module, "MOST_BLOCKS", 3)
    workspace = Workspace()
    client = Client(workspace)
    status, answer = client.ask("POST /api/pages?name=flood", b"<p>x" * 4)
    assert (status, answer["error"]) == (422, "flood has 4 blocks: more than a browser can show")


# ---- the command ----


@pytest.mark.parametrize(
    ("argument", "words"),
    [
        ("nowhere.html", "there is no such file or folder"),
        ("http://127.0.0.1:9/", "cannot be fetched"),
        (".", "no .html, .htm or .xhtml files"),
    ],
)
def test_the_command_says_why_it_cannot_open_a_page(
    argument: str,
    words: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["inspect", argument, "--no-browser"]) == 2
    assert words in capsys.readouterr().err


def test_the_command_names_the_extra(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in [
        name for name in sys.modules if name.startswith(("bodytext.studio.web", "starlette"))
    ]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "starlette", None)
    assert main(["inspect", "--no-browser"]) == 2
    assert "bodytext[web]" in capsys.readouterr().err


@pytest.mark.slow
def test_the_command_serves_until_it_is_stopped() -> None:
    process = subprocess.Popen(
        [sys.executable, "-m", "bodytext", "inspect", "-", "--no-browser"],
        stdin=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert process.stdin
    assert process.stderr
    process.stdin.write(ARTICLE.read_bytes())
    process.stdin.close()
    match = re.search(rb"http://127.0.0.1:\d+/pages/\w+", process.stderr.readline())
    assert match
    with urllib.request.urlopen(f"{match[0].decode()}/frame", timeout=90) as answer:  # noqa: S310 - our own server
        assert b"lamp on Skarv Point" in answer.read()
    process.send_signal(signal.SIGINT)
    assert process.wait(90) == 0
    assert process.stderr.read() == b"bodytext: stopped\n"
    process.stderr.close()


def test_a_terminal_browser_is_opened_only_if_it_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[str] = []
    monkeypatch.setattr(webbrowser, "open", opened.append)
    monkeypatch.delenv("BROWSER", raising=False)
    monkeypatch.setattr(webbrowser, "get", lambda: webbrowser.GenericBrowser("w3m"))
    _open_browser("terminal")
    monkeypatch.setenv("BROWSER", "w3m")
    _open_browser("named")
    monkeypatch.delenv("BROWSER")
    monkeypatch.setattr(webbrowser, "get", lambda: webbrowser.BackgroundBrowser("firefox"))
    _open_browser("screen")
    assert opened == ["named", "screen"]


def test_a_file_name_that_is_no_text_is_escaped(workspace: Workspace, tmp_path: Path) -> None:
    (entry,) = workspace.add_files([tmp_path / "bad\udcff.html"], tmp_path)
    assert entry.name == "bad\\udcff.html"


def test_a_port_in_use_is_an_error_that_names_it() -> None:
    with open_socket(0) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(ValueError, match=f"cannot listen at port {port} "):
            open_socket(port)
