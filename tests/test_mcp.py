"""The server of the Model Context Protocol: through a process, with hostile lines, and its search."""

import json
import subprocess
import sys
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import bodytext
from bodytext.integrations import mcp_server
from bodytext.integrations.mcp_server import McpServer
from bodytext.integrations.mcp_tools import MOST_BLOCKS, make_tools, search_chunks
from bodytext.sources.fetch import PrivateAddressError
from bodytext.sources.record import Record
from example_counts import some_of

HTML = (Path(__file__).parent.parent / "examples" / "article.html").read_text("utf-8")
TOOLS = ["read_page", "extract", "explain", "search_page"]


def ask(method: str, number: int | str = 1, **params: Any) -> bytes:
    message = {"jsonrpc": "2.0", "id": number, "method": method, "params": params}
    return json.dumps(message).encode()


def fetch(url: str) -> Record:
    if "private" in url:
        raise PrivateAddressError("private.example is a private address")
    return Record(HTML.encode(), url=url)


@pytest.fixture
def server() -> McpServer:
    return McpServer(make_tools(fetch), "1.0")


def call(server: McpServer, name: str, **arguments: Any) -> tuple[str, bool]:
    """Call a tool; return the text, and whether it is an error."""
    answer = server.answer(ask("tools/call", name=name, arguments=arguments))
    assert isinstance(answer, dict)
    (content,) = answer["result"]["content"]
    assert content["type"] == "text"
    return content["text"], answer["result"]["isError"]


# The process


@pytest.fixture(scope="module")
def process() -> Iterator[subprocess.Popen[bytes]]:
    command = [sys.executable, "-m", "bodytext", "mcp"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as running:
        yield running
        assert running.stdin
        running.stdin.close()
        assert running.wait(60) == 0


def test_a_conversation(process: subprocess.Popen[bytes]) -> None:
    def send(line: bytes) -> Any:
        assert process.stdin
        assert process.stdout
        process.stdin.write(line + b"\n")
        process.stdin.flush()
        return json.loads(process.stdout.readline())

    answer = send(ask("initialize", protocolVersion="2025-06-18", capabilities={}, clientInfo={}))
    assert answer["result"]["protocolVersion"] == "2025-06-18"
    assert answer["result"]["capabilities"] == {"tools": {}}
    assert answer["result"]["serverInfo"]["version"] == bodytext.__version__
    notice = b'{"jsonrpc": "2.0", "method": "notifications/initialized"}\n'
    answer = send(notice + ask("tools/list", 2))  # a notification has no answer
    assert answer["id"] == 2
    assert [tool["name"] for tool in answer["result"]["tools"]] == TOOLS
    answer = send(ask("tools/call", "a", name="read_page", arguments={"html": HTML}))
    text = answer["result"]["content"][0]["text"]
    assert answer["id"] == "a"
    assert text == bodytext.extract(HTML).to_markdown(title=True, front_matter=True)
    assert send(b"{")["error"]["code"] == -32700
    asked = {"name": "read_page", "arguments": {"url": "http://127.0.0.1/secret"}}
    answer = send(ask("tools/call", **asked))  # type: ignore[arg-type]
    assert answer["result"]["isError"]
    assert "127.0.0.1 is a loopback address" in answer["result"]["content"][0]["text"]


# Tools


def test_a_page_is_read_from_its_address(server: McpServer) -> None:
    text, failed = call(server, "read_page", url="https://gazette.example/lamp")
    assert not failed
    assert text.startswith("---\n")
    assert 'url: "https://gazette.example/lamp"' in text
    assert call(server, "read_page", url="http://private.example/")[1]


def test_links_can_be_dropped(server: McpServer) -> None:
    linked = "<article>" + "<p>Ships <a href=/a>call</a> at night, as they always did.</p>" * 9
    assert "](" in call(server, "read_page", html=linked)[0]
    assert "](" not in call(server, "read_page", html=linked, links="drop")[0]


def test_extract_has_formats_methods_and_selectors(server: McpServer) -> None:
    values = json.loads(call(server, "extract", html=HTML, url="https://a.example/")[0])
    assert values["text"] == bodytext.extract(HTML, url="https://a.example/").text
    assert values["url"] == "https://a.example/"
    text, _ = call(server, "extract", html=HTML, format="text", method="finn", threshold="recall")
    assert text == bodytext.extract(HTML, method="finn", threshold="recall").text
    text, _ = call(server, "extract", html=HTML, format="text", prune=["li:not(:first-child)"])
    assert "From Nes" in text
    assert "From Vik" not in text


def test_explain_lists_the_blocks(server: McpServer) -> None:
    text, _ = call(server, "explain", html=HTML)
    assert "* kept at the usual threshold" in text
    assert "against:" in text
    text, failed = call(server, "explain", html="<p>a" * (MOST_BLOCKS + 1))
    assert failed
    assert "3,001 blocks" in text


def test_search_finds_passages_with_their_headings(server: McpServer) -> None:
    filler = "<p>Nothing of note was said about it on that day, nor on the next one.</p>" * 6
    page = (
        f"<main><h1>News</h1>{filler}<h2>Harbour</h2>{filler}<p>Forty MASONS rebuilt it.</p></main>"
    )
    text, failed = call(server, "search_page", html=page, query="the masons", max_results=1)
    assert not failed
    assert text.startswith("News\n\nHarbour\n\n")  # no heading twice
    assert "Forty MASONS" in text
    text, failed = call(server, "search_page", html=page, query="zebra")
    assert not failed
    assert text.startswith("None of these words")


def test_search_splits_no_word_at_its_marks(server: McpServer) -> None:
    page = "<main><h1>समाचार</h1><p>हिन्दी की खबर यहाँ है, और यह लंबी है।</p></main>"
    text, failed = call(server, "search_page", html=page, query="हिन्दी")
    assert "हिन्दी की खबर" in text
    text, failed = call(server, "search_page", html=page, query="दी")  # a part of that word
    assert not failed
    assert text.startswith("None of these words")


@pytest.mark.parametrize(
    ("name", "arguments", "says"),
    [
        ("read_page", {}, "give the url of a page, or its html"),
        ("read_page", {"url": 7}, "url must be of type string"),
        ("read_page", {"html": "<p>a", "colour": 1}, "no argument 'colour'; choose from url, html"),
        ("read_page", {"html": ""}, "no body text was found: "),
        ("extract", {"html": HTML, "method": "learned:model=/etc/passwd"}, "must be one of"),
        ("extract", {"html": HTML, "prune": ["a[", 1]}, "prune must be a list of strings"),
        ("extract", {"html": HTML, "prune": ["a["]}, "a["),
        ("search_page", {"html": HTML}, "query is missing"),
        ("search_page", {"html": HTML, "query": " "}, "query must have from 1 to 1,000"),
        ("search_page", {"html": HTML, "query": "a", "max_results": 0}, "from 1 to 50"),
        ("search_page", {"html": HTML, "query": "a", "max_words": True}, "of type integer"),
    ],
)
def test_wrong_arguments_are_told_to_the_model(
    server: McpServer, name: str, arguments: dict[str, Any], says: str
) -> None:
    text, failed = call(server, name, **arguments)
    assert failed
    assert says in text


# The protocol


@pytest.mark.parametrize(
    ("line", "code"),
    [
        (b"\xff\xfe{", -32700),
        (b"[" * 100_000, -32700),
        (b"[]", -32600),
        (b"7", -32600),
        (b'{"id": 1, "method": "ping"}', -32600),
        (b'{"jsonrpc": "2.0", "id": null, "method": "ping"}', -32600),
        (b'{"jsonrpc": "2.0", "id": [], "method": "ping"}', -32600),
        (b'{"jsonrpc": "2.0", "id": 1, "method": 5}', -32600),
        (b'{"jsonrpc": "2.0", "id": 1, "method": "resources/list"}', -32601),
        (b'{"jsonrpc": "2.0", "id": 1, "method": "ping", "params": []}', -32602),
        (ask("tools/call", name="rm"), -32602),
        (ask("tools/call", name=[]), -32602),
        (ask("tools/call", name="extract", arguments="<p>"), -32602),
    ],
)
def test_a_broken_message_is_an_error(server: McpServer, line: bytes, code: int) -> None:
    answer = server.answer(line)
    assert isinstance(answer, dict)
    assert answer["error"]["code"] == code
    assert answer["error"]["message"]


def test_what_needs_no_answer_gets_none(server: McpServer) -> None:
    assert server.answer(b"\n") is None
    assert server.answer(b'{"jsonrpc": "2.0", "method": "no/such"}') is None
    assert server.answer(b'{"jsonrpc": "2.0", "id": 1, "result": {}}') is None


def test_a_batch_has_an_answer_for_each_request(server: McpServer) -> None:
    notice = b'{"jsonrpc": "2.0", "method": "notifications/cancelled"}'
    answers = server.answer(b"[" + ask("ping", 1) + b"," + notice + b"," + ask("ping", 2) + b"]")
    assert isinstance(answers, list)
    assert [answer["id"] for answer in answers] == [1, 2]


def test_an_unknown_version_gets_ours(server: McpServer) -> None:
    answer = server.answer(ask("initialize", protocolVersion="1999-01-01"))
    assert isinstance(answer, dict)
    assert answer["result"]["protocolVersion"] == mcp_server.VERSIONS[0]


def test_an_error_of_ours_does_not_end_it() -> None:
    def fail(_: str) -> Record:
        raise ArithmeticError("of this page")

    server = McpServer(make_tools(fail), "1.0")
    asked = {"name": "read_page", "arguments": {"url": "https://a.example/"}}
    answer = server.answer(ask("tools/call", **asked))  # type: ignore[arg-type]
    assert isinstance(answer, dict)
    assert answer["error"]["code"] == -32603
    assert server.answer(ask("ping"))


def test_a_line_without_end_is_skipped(server: McpServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mcp_server, "LONGEST_LINE", 100)
    answers = BytesIO()
    server.serve(BytesIO(b"x" * 3_000_000 + b"\n" + ask("ping") + b"\n" + b"y" * 200), answers)
    codes = [
        json.loads(line).get("error", {}).get("code") for line in answers.getvalue().splitlines()
    ]
    assert codes == [-32600, None, -32600]


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=9) | st.sampled_from(TOOLS),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                ["name", "arguments", "html", "url", "query", "id", "method", "\ud800"]
            ),
            inner,
            max_size=3,
        )
    ),
    max_leaves=6,
)


@settings(max_examples=some_of(150), deadline=None)
@given(VALUES, VALUES)
def test_any_message_is_answered(params: object, arguments: object) -> None:
    server = McpServer(make_tools(fetch), "1.0")
    for given_params in (params, {"name": "search_page", "arguments": arguments}):
        message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": given_params}
        answer = server.answer(json.dumps(message).encode())
        assert isinstance(answer, dict)
        assert answer.get("error", {}).get("code") != -32603
        json.dumps(answer)


# Search


def test_search_in_scripts_without_spaces() -> None:
    page = "<h2>港</h2><p>夜に船が港へ入る。</p><h2>灯台</h2><p>灯りは十秒で回る。</p>"
    chunks = bodytext.extract(page, keep="body").chunks(max_words=50)
    (found,) = search_chunks(chunks, "灯台の灯り")
    assert found.headings == ("灯台",)


def test_words_match_from_their_beginning() -> None:
    page = "<h2>One</h2><p>A party of masons.</p><h2>Two</h2><p>Articles of art.</p>"
    chunks = bodytext.extract(page, keep="body").chunks(max_words=50)
    assert [found.headings for found in search_chunks(chunks, "ART")] == [("Two",)]
    assert search_chunks(chunks, "...") == []
    assert search_chunks([], "art") == []
