"""The HTTP service: formats, options, errors, limits, workers that die, and who may use it."""

import asyncio
import gzip
import json
import os
import random
import re
import signal
import socket
import threading
import time
import zlib
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import replace
from pathlib import Path

import openapi_spec_validator
import pytest
import uvicorn

import bodytext
from bodytext.kernel import is_native
from bodytext.methods.scores import read_threshold
from bodytext.output.formats import FORMATS, render
from bodytext.sources.fetch import Client, FetchLimits, HttpResponse
from bodytext.studio.service import admission, worker_pool
from bodytext.studio.service.content_coding import UnpackError, unpack
from bodytext.studio.service.extraction_request import OPTIONS
from bodytext.studio.service.openapi import describe
from bodytext.studio.service.service_limits import ServiceLimits
from bodytext.studio.service.service_routes import Service, ServiceOptions, create_service
from bodytext.studio.service.service_server import ListenOptions, OpenPolicy, make_policy
from bodytext.studio.web import connection
from bodytext.studio.web.security import Policy
from bodytext.studio.web.server import configure
from bodytext.studio.web.shell import ENVIRONMENT
from hostile_pages import ARTICLE, KINDS, MARKER
from service_client import Answer, ask, ask_now

EXAMPLE = (Path(__file__).parent.parent / "examples" / "article.html").read_bytes()
PATIENCE_S = 90.0
# For tests that must not fail on a slow machine.
SLOW = ServiceLimits(seconds=PATIENCE_S, waiting_seconds=600)
HTML = {"content_type": "text/html"}
JSON = {"content_type": "application/json"}


class RunningService:
    """A service in this process, whose state a test can see."""

    def __init__(self, service: Service, port: int) -> None:
        self.service = service
        self.port = port

    def ask(self, request: str, body: bytes = b"", **headers: str) -> Answer:
        return ask_now(self.port, request, body, **headers)

    def extract(self, body: bytes, query: str = "", **headers: str) -> Answer:
        return self.ask(f"POST /extract?{query}", body, **{**HTML, **headers})

    def extract_json(self, **values: object) -> Answer:
        return self.ask("POST /extract", json.dumps(values).encode(), **JSON)

    def pids(self) -> set[int]:
        return set(self.service.workers.pids)

    def wait_until(self, holds: Callable[[], bool]) -> None:
        deadline = time.monotonic() + PATIENCE_S
        while not holds():
            assert time.monotonic() < deadline
            time.sleep(0.01)


@contextmanager
def running(
    options: ServiceOptions, policy: Policy | None = None, send_buffer: int = 2**20
) -> Iterator[RunningService]:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, send_buffer)
        port = int(listener.getsockname()[1])
        app = create_service(options, policy or Policy(port))
        server = uvicorn.Server(configure(app))
        thread = threading.Thread(target=server.run, args=([listener],))
        thread.start()
        try:
            while not server.started:
                assert thread.is_alive(), "the service did not start"
                time.sleep(0.01)
            yield RunningService(app.state.service, port)
        finally:
            server.should_exit = True
            thread.join(PATIENCE_S)


@pytest.fixture(scope="module")
def service() -> Iterator[RunningService]:
    with running(ServiceOptions(workers=2, limits=SLOW)) as server:
        yield server


@pytest.mark.parametrize("name", FORMATS.own)
def test_every_format(service: RunningService, name: str) -> None:
    answer = service.extract(EXAMPLE, f"format={name}")
    assert answer.status == 200
    assert answer.headers["content-type"].startswith(FORMATS[name].media_type)
    document = bodytext.extract(EXAMPLE)
    if name == "json":
        added = {"canonical_url": document.metadata.url, "markdown": document.markdown}
        assert answer.json == json.loads(document.json) | added
    else:
        assert answer.body.decode() == render(document, name)
    assert float(answer.headers["bodytext-confidence"]) > 0.5
    assert answer.headers["bodytext-page-type"] == "article"


def test_the_default_format_is_json_and_html_may_be_sent_as_json(service: RunningService) -> None:
    plain = service.extract(EXAMPLE)
    assert plain.json["text"] == str(bodytext.extract(EXAMPLE))
    as_json = service.extract_json(
        html=EXAMPLE.decode(), url="https://example.org/a", format="json"
    )
    assert as_json.json["text"] == plain.json["text"]
    assert as_json.json["url"] == "https://example.org/a"


def test_a_page_that_curl_declares_as_a_form_is_accepted(service: RunningService) -> None:
    form = "application/x-www-form-urlencoded"
    assert MARKER in service.extract(ARTICLE, "format=text", content_type=form).body.decode()
    packed = gzip.compress(ARTICLE)
    assert (
        MARKER
        in service.extract(packed, "format=text&threshold=recall", content_type=form).body.decode()
    )
    declared = {"content_type": form, "content_encoding": "gzip"}
    assert MARKER in service.extract(packed, "format=text", **declared).body.decode()
    rtf = rb"{\rtf1\ansi The harbour at night.\par}"
    assert service.extract(rtf, "format=text", content_type=form).status != 415
    as_json = json.dumps({"html": ARTICLE.decode()}).encode()
    for body in (b"html=%3Cp%3Ea", as_json, b"\xef\xbb\xbf\r\n " + as_json):
        refused = service.extract(body, content_type=form)
        assert (refused.status, "Content-Type: text/html" in refused.error) == (415, True)
        assert "Content-Type: application/json" in refused.error


@pytest.mark.parametrize("method", bodytext.METHODS.own)
def test_every_method_and_threshold(service: RunningService, method: str) -> None:
    for threshold in ("recall", "0.3", "precision"):
        answer = service.extract(EXAMPLE, f"format=text&method={method}&threshold={threshold}")
        chosen = read_threshold(float(threshold) if threshold[0] == "0" else threshold)
        assert answer.body.decode() == str(
            bodytext.extract(EXAMPLE, method=method, threshold=chosen)
        )


def test_links_and_images_can_be_left_out(service: RunningService) -> None:
    page = (
        b"<article>"
        + ARTICLE
        + b"<p>Read <a href=https://example.org/x>the letters</a> too, all of them.</p>"
    )
    kept = service.extract(page, "format=markdown").body
    left = service.extract(page, "format=markdown&links=drop").body
    assert b"https://example.org/x" in kept
    assert b"https://example.org/x" not in left
    assert b"the letters" in left


def test_the_charset_of_the_header_counts_and_json_is_unicode(service: RunningService) -> None:
    words = "Đây là một đoạn văn dài vừa đủ để được giữ lại trong bài. " * 3
    page = f"<meta charset=windows-1252><article><p>{words}</p><p>{words}1</p></article>"
    packed = page.replace("<meta charset=windows-1252>", "").encode("utf-16-le")
    assert (
        words.strip()
        in service.extract(packed, content_type="text/html; charset=utf-16le").json["text"]
    )
    assert words.strip() in service.extract_json(html=page).json["text"]


def test_an_empty_answer_has_a_reason(service: RunningService) -> None:
    answer = service.extract(b"<title>a</title><div id=root></div>", "format=text")
    assert (answer.status, answer.body) == (200, b"")
    assert answer.headers["bodytext-reason"]


def test_what_is_no_html_is_refused(service: RunningService) -> None:
    noise = random.Random(1).randbytes(9000)
    for body, words in (
        (b"\x89PNG\r\n\x1a\n\x00\x00", "PNG"),
        (b"\x01\x02" * 50, "binary"),
        (noise, "binary"),
    ):
        answer = service.extract(body, "format=text")
        assert (answer.status, words in answer.error) == (415, True), answer


def test_the_canonical_address_is_in_json(service: RunningService) -> None:
    page = b"<link rel=canonical href=https://a.example/one>" + ARTICLE
    answer = service.extract(page, "url=https://a.example/one?from=mail")
    assert answer.json["url"] == "https://a.example/one?from=mail"
    assert answer.json["canonical_url"] == "https://a.example/one"


def test_a_page_can_be_named_in_the_query() -> None:
    def fetch(url: str) -> HttpResponse:
        return HttpResponse(url, 200, body=EXAMPLE)

    with running(ServiceOptions(workers=1, limits=SLOW, fetch=fetch)) as server:
        answer = server.ask("GET /extract?url=https://a.example/b&format=text")
        assert answer.body.decode() == bodytext.extract(EXAMPLE, url="https://a.example/b").text
        assert "url=https" in server.ask("GET /extract?format=text").error
        assert server.ask("GET /extract?url=https://a.example/&colour=1").status == 400
        link = {"sec_fetch_site": "cross-site", "sec_fetch_mode": "navigate"}
        link |= {"sec_fetch_dest": "document"}
        assert server.ask("GET /extract?url=https://a.example/b", b"", **link).status == 403
        assert server.ask("GET /", b"", **link).status == 200


def test_a_batch_has_a_line_for_each_page(service: RunningService) -> None:
    page = EXAMPLE.decode()
    lines = [
        json.dumps({"html": page}),
        "",
        "{",
        json.dumps({"html": page, "format": "markdown", "url": "https://a.example/"}),
        json.dumps({"url": "https://a.example/"}),
    ]
    sent = {"content_type": "application/x-ndjson", "connection": "close"}
    answer = service.ask("POST /batch", "\r\n".join(lines).encode(), **sent)
    assert answer.status == 200
    # The answer is in pieces, as HTTP sends what has no length
    found = [json.loads(line) for line in answer.body.splitlines() if line.startswith(b"{")]
    assert [values.get("status") for values in found] == [None, 400, None, 403]
    assert [values.get("line") for values in found] == [None, 3, None, 5]
    assert set(found[2]) == {"url", "markdown", "reason", "page_type", "confidence"}
    assert found[0]["text"] == bodytext.extract(EXAMPLE).text
    assert found[2]["markdown"] == bodytext.extract(EXAMPLE, url="https://a.example/").markdown
    assert "not JSON" in found[1]["error"]
    refused = service.ask("POST /batch", b"{}", content_encoding="gzip", **sent)
    assert (refused.status, "unpacked" in refused.error) == (415, True)
    assert service.ask("POST /batch", b"{}", content_encoding="identity", **sent).status == 200
    for body in (b"", b"\n\n", b"{}\n" * 1001, b"{}" + b"\n" * 2001 + b"{}"):
        assert service.ask("POST /batch", body, **sent).status == 400
    service.wait_until(lambda: service.service.metrics.in_flight == 0)
    assert service.service.metrics.held_bytes == 0


def test_a_key_is_asked_for() -> None:
    key = "a-key-of-many-letters"
    with running(ServiceOptions(workers=1, limits=SLOW, key=key)) as server:
        for given in (
            {},
            *({"authorization": value} for value in ("Bearer wrong", key, f"Basic {key}")),
        ):
            answer = server.extract(EXAMPLE, **given)
            assert (answer.status, answer.headers["www-authenticate"]) == (401, "Bearer")
        assert server.ask("POST /batch", b"{}").status == 401
        for scheme in ("Bearer", "bearer", "BEARER "):
            assert server.extract(EXAMPLE, authorization=f"{scheme} {key}").status == 200
        assert server.ask("GET /health").status == 200
        description = server.ask("GET /openapi.json").json
        openapi_spec_validator.validate(description)
        assert description["security"] == [{"key": []}]
        assert key not in json.dumps(description)


def test_pages_of_allowed_origins_may_use_it() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = int(listener.getsockname()[1])
    policy = OpenPolicy(port, origins=("https://app.example",))
    with running(ServiceOptions(workers=1, limits=SLOW), policy) as server:
        headers = {"origin": "https://app.example", "sec_fetch_site": "cross-site"}
        answer = server.extract(EXAMPLE, **headers)
        assert answer.status == 200
        assert answer.headers["access-control-allow-origin"] == "https://app.example"
        asked = {"access_control_request_method": "POST"}
        asked |= {"access_control_request_headers": "authorization,content-type"}
        assert server.ask("OPTIONS /extract", b"", **headers, **asked).status == 200
        headers["origin"] = "https://other.example"
        answer = server.extract(EXAMPLE, **headers)
        assert answer.status == 403
        assert "access-control-allow-origin" not in answer.headers
        assert server.ask("OPTIONS /extract", b"", **headers, **asked).status == 400


@pytest.mark.parametrize(
    ("body", "query", "headers", "expected"),
    [
        (b"", "", HTML, (400, "empty")),
        (b"{", "", JSON, (400, "not JSON")),
        (b"[" * 100_000, "", JSON, (400, "not JSON")),
        (b"[]", "", JSON, (400, "JSON object")),
        (b"{}", "", JSON, (400, "neither html nor url")),
        (b'{"html": 1}', "", JSON, (400, "string")),
        (b'{"html": "a", "model": "/etc/passwd"}', "", JSON, (400, "no option 'model'")),
        (b'{"html": "a", "threshold": NaN}', "", JSON, (400, "threshold")),
        (b'{"html": "a", "threshold": {}}', "", JSON, (400, "threshold")),
        (b'{"html": "a", "method": 3}', "", JSON, (400, "method")),
        (b'{"html": "a", "url": 3}', "", JSON, (400, "url")),
        (b'{"html": "a", "format": ["json"]}', "", JSON, (400, "format")),
        (b"<p>a", "format=pdf", HTML, (400, "format")),
        (b"<p>a", "method=best", HTML, (400, "no method")),
        (b"<p>a", "method=learned:model=/etc/passwd", HTML, (400, "fixed")),
        (b"<p>a", "method=density:rule=mlp,model=/etc/passwd", HTML, (400, "fixed")),
        (b"<p>a", "threshold=2", HTML, (400, "threshold")),
        (b"<p>a", "links=some", HTML, (400, "links")),
        (b"<p>a", "colour=red", HTML, (400, "no option 'colour'")),
        (b"<p>a", "url=" + "a" * 9000, HTML, (400, "url")),
        (b"<p>a", "", HTML | {"content_encoding": "br"}, (415, "gzip")),
        (b"<p>a", "", HTML | {"content_encoding": "gzip"}, (400, "not valid gzip")),
        (
            gzip.compress(EXAMPLE, mtime=0)[:-20],
            "",
            HTML | {"content_encoding": "gzip"},
            (400, "cut off"),
        ),
        (b'{"html": "a"}', "", JSON | {"content_encoding": "gzip"}, (415, "unpacked")),
        (b'{"url": "https://example.org/"}', "", JSON, (403, "fetches no addresses")),
    ],
)
def test_invalid_requests_are_refused_with_a_message(
    service: RunningService,
    body: bytes,
    query: str,
    headers: dict[str, str],
    expected: tuple[int, str],
) -> None:
    status, words = expected
    answer = service.ask(f"POST /extract?{query}", body, **headers)
    assert (answer.status, words in answer.error) == (status, True), answer


def test_a_gzip_body_is_unpacked_with_and_without_a_header(service: RunningService) -> None:
    for headers in ({}, {"content_encoding": "gzip"}):
        answer = service.extract(gzip.compress(EXAMPLE), "format=text", **headers)
        assert answer.body.decode() == str(bodytext.extract(EXAMPLE))


def test_all_members_of_a_gzip_body_are_read() -> None:
    assert (
        unpack(gzip.compress(b"<p>one") + gzip.compress(b"<p>two"), "gzip", 100) == b"<p>one<p>two"
    )


def test_deflate_is_zlib_or_raw() -> None:
    assert unpack(zlib.compress(EXAMPLE), "deflate", 10**6) == EXAMPLE
    raw = zlib.compressobj(wbits=-15)
    assert unpack(raw.compress(EXAMPLE) + raw.flush(), "deflate", 10**6) == EXAMPLE


def test_unpacking_stops_at_the_limit() -> None:
    bomb = gzip.compress(bytes(10_000_000))
    assert len(unpack(bomb, "gzip", 10_000_000)) == 10_000_000
    with pytest.raises(UnpackError, match="more than 9,999,999 bytes") as caught:
        unpack(bomb, "", 9_999_999)
    assert caught.value.status == 413


def test_the_openapi_description_is_valid_and_complete(service: RunningService) -> None:
    service.wait_until(lambda: service.service.workers.idle == 2)  # otherwise its health is not ok
    description = service.ask("GET /openapi.json").json
    openapi_spec_validator.validate(description)
    assert description == describe(SLOW, fetching=False)
    names = {
        parameter["name"] for parameter in description["paths"]["/extract"]["post"]["parameters"]
    }
    assert names == set(OPTIONS)
    served = {
        path
        for path in description["paths"]
        if service.ask(f"GET {path}").status in {200, 400, 405}
    }
    assert served == set(description["paths"])


def test_the_reference_shows_the_whole_description(service: RunningService) -> None:
    description = service.ask("GET /openapi.json").json
    answer = service.ask("GET /docs")
    page = bodytext.parse(answer.body)
    shown = bodytext.all_text(answer.body)
    assert answer.status == 200
    operations = [
        (f"{method.upper()} {path}", operation)
        for path, operations in description["paths"].items()
        for method, operation in operations.items()
    ]
    for name, operation in operations:
        assert name in shown
        for parameter in operation.get("parameters", []):
            assert parameter["name"] in shown
        for status, response in operation["responses"].items():
            assert f"{status}\t{response['description']}".replace("`", "") in shown
    for schema in description["components"]["schemas"].values():
        assert all(f"\n{key}\t" in shown for key in schema["properties"])
    loaded = re.findall(r'(?:src|href)="([^"]*)"', answer.body.decode())
    assert [address for address in loaded if not address.startswith(("/", "#"))] == []
    assert f"curl http://127.0.0.1:{service.port}/health" in shown
    assert page.title == "Reference · bodytext"


def test_the_reference_escapes_and_names_the_key() -> None:
    description = describe(ServiceLimits(), fetching=True, has_key=True)
    template = ENVIRONMENT.get_template("reference.html")
    text = template.render(description=description, origin="http://<b>")
    assert "<b>" not in text
    assert "curl -H &#39;Authorization: Bearer KEY&#39; --data-binary" in text
    assert "curl http://&lt;b&gt;/health" in text


def test_health_and_metrics(service: RunningService) -> None:
    service.wait_until(lambda: service.service.workers.idle == 2)
    health = service.ask("GET /health")
    assert (health.status, health.json["status"], health.json["workers"]) == (200, "ok", 2)
    before = _read_metrics(service)
    assert service.extract(EXAMPLE).status == 200
    assert service.extract(EXAMPLE, "format=pdf").status == 400
    after = _read_metrics(service)
    assert (
        after['bodytext_answers_total{status="200"}']
        == before.get('bodytext_answers_total{status="200"}', 0) + 1
    )
    assert after["bodytext_seconds_count"] == before["bodytext_seconds_count"] + 2
    assert after["bodytext_in_flight"] == after["bodytext_held_bytes"] == 0
    assert after["bodytext_received_bytes_total"] - before[
        "bodytext_received_bytes_total"
    ] == 2 * len(EXAMPLE)


def _read_metrics(service: RunningService) -> dict[str, float]:
    text = service.ask("GET /metrics").body.decode()
    lines = [line for line in text.splitlines() if not line.startswith("#")]
    # Prometheus accepts no name twice
    assert len({line.rpartition(" ")[0] for line in lines}) == len(lines)
    return {name: float(value) for name, _, value in (line.rpartition(" ") for line in lines)}


def test_unknown_paths_are_json_errors(service: RunningService) -> None:
    assert (service.ask("GET /nothing").status, service.ask("GET /extract").status) == (404, 400)
    assert service.ask("GET /nothing").error.startswith("there is no /nothing here; open /")
    assert service.ask("GET /extract").error
    wrong = service.ask("GET /batch")
    assert (wrong.status, wrong.error) == (405, "/batch takes POST, not GET")


def test_a_mistyped_path_of_a_post_is_named(service: RunningService) -> None:
    for path in ("/extrat", "/extract/", "/batch/"):
        answer = service.ask(f"POST {path}", EXAMPLE, **HTML)
        assert (answer.status, f"no {path} here" in answer.error) == (404, True), answer
    assert service.ask("GET /extract/?url=https://a.example/").status == 404
    for path in ("/", "/health", "/static/shell.js"):
        answer = service.ask(f"POST {path}", b"x", **HTML)
        assert (answer.status, f"{path} takes" in answer.error) == (405, True), answer


def test_an_upload_of_a_form_is_refused(service: RunningService) -> None:
    part = b'Content-Disposition: form-data; name="file"; filename="a.html"\r\n\r\n' + EXAMPLE
    body = b"--0a1b\r\n" + part + b"\r\n--0a1b--\r\n"
    answer = service.extract(body, content_type="multipart/form-data; boundary=0a1b")
    assert answer.status == 415
    assert "--data-binary @page.html" in answer.error


@pytest.mark.slow
def test_a_worker_that_is_killed_at_work_costs_no_answer(service: RunningService) -> None:
    page = KINDS["news"].make(8_000_000 if is_native("scanner") else 200_000)

    async def kill_once() -> Answer:
        asked = asyncio.create_task(ask(service.port, "POST /extract?format=text", page, **HTML))
        while service.service.workers.idle == 2:
            await asyncio.sleep(0.002)
        for pid in service.pids():
            os.kill(pid, signal.SIGKILL)
        return await asked

    before = service.pids()
    answer = asyncio.run(kill_once())
    assert answer.status == 200
    assert MARKER in answer.body.decode()
    service.wait_until(lambda: service.service.workers.idle == 2)
    assert not before & service.pids()


DEADLY = """
import os
from bodytext.studio.service import page_extraction

def prepare(settings):
    answer = page_extraction.prepare(settings)
    return lambda message, tick: act(message) or answer(message, tick)

def act(message):
    if b"deadly" in message.body:
        os._exit(9)
    if b"mistake" in message.body:
        raise RuntimeError("a mistake")
"""


@pytest.mark.slow
def test_a_page_that_kills_its_workers_is_given_up_and_the_service_goes_on(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "deadly.py").write_text(DEADLY)
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setattr(worker_pool, "PROGRAM", "deadly:prepare")
    with running(ServiceOptions(workers=2)) as server:
        before = server.pids()
        answer = server.extract(b"<p>a deadly page</p>")
        assert (answer.status, "twice" in answer.error) == (500, True)
        server.wait_until(lambda: server.service.workers.idle == 2)
        assert server.extract(EXAMPLE).status == 200
        assert len(before & server.pids()) == 1  # the other worker was not asked
        assert _read_metrics(server)['bodytext_workers_replaced_total{why="died"}'] == 2
        mistake = server.extract(b"<p>a mistake of ours</p>")
        assert (mistake.status, "report it" in mistake.error) == (500, True)


@pytest.mark.slow
def test_a_page_that_takes_too_long_is_an_error() -> None:
    with running(ServiceOptions(workers=1, limits=ServiceLimits(seconds=3))) as server:
        (stuck,) = server.pids()
        os.kill(stuck, signal.SIGSTOP)
        began = time.monotonic()
        answer = server.extract(EXAMPLE)
        assert (answer.status, " 3 s" in answer.error) == (504, True)
        assert time.monotonic() - began < PATIENCE_S
        server.wait_until(lambda: server.service.workers.idle == 1)
        assert server.extract(EXAMPLE).status == 200
        assert stuck not in server.pids()
        assert _read_metrics(server)['bodytext_workers_replaced_total{why="slow"}'] == 1


@pytest.mark.slow
def test_limits_on_size_number_time_and_memory() -> None:
    limits = replace(
        SLOW, page_bytes=4_000_000, requests=2, body_seconds=3, worker_bytes=40_000_000
    )
    with running(ServiceOptions(workers=1, limits=limits)) as server:
        large = server.extract(bytes(4_000_001))
        assert (large.status, "more than" in large.error) == (413, True)
        unannounced = server.ask(
            "POST /extract", _chunks(b"<p>a" * 2_000_000), transfer_encoding="chunked", **HTML
        )
        assert (unannounced.status, "more than" in unannounced.error) == (413, True)
        began = time.monotonic()
        slow = server.ask("POST /extract", b"<p>not all of it", content_length="1000", **HTML)
        assert time.monotonic() - began < PATIENCE_S
        assert (slow.status, "faster" in slow.error) == (408, True)
        hungry = server.extract(b"<p>a" * 900_000)
        assert (hungry.status, "memory" in hungry.error) == (413, True)
        server.wait_until(lambda: server.service.workers.idle == 1)
        assert server.extract(EXAMPLE).status == 200
        assert server.service.metrics.held_bytes == server.service.metrics.in_flight == 0
        _flood(server)


def _chunks(body: bytes) -> bytes:
    return b"%x\r\n" % len(body) + body + b"\r\n0\r\n\r\n"


def _flood(server: RunningService) -> None:
    """Send more requests than are accepted: the others are told to try again, and none is lost."""
    # The last page may have cost a worker
    server.wait_until(lambda: server.service.workers.idle == 1)
    answers = _ask_a_stopped_worker(server, EXAMPLE, 6)
    assert sorted(answer.status for answer in answers) == [200, 200, 503, 503, 503, 503]
    refused = [answer for answer in answers if answer.status == 503]
    assert all(
        "try again" in answer.error and answer.headers["retry-after"] == "1" for answer in refused
    )


def _ask_a_stopped_worker(server: RunningService, page: bytes, count: int) -> list[Answer]:
    """Return the answers to simultaneous requests; the only worker gets two, after all others are answered."""
    (worker,) = server.pids()
    os.kill(worker, signal.SIGSTOP)

    async def ask_all() -> list[Answer]:
        asked = [
            asyncio.create_task(ask(server.port, "POST /extract", page, **HTML))
            for _ in range(count)
        ]
        while sum(task.done() for task in asked) < count - 2:
            await asyncio.sleep(0.01)
        os.kill(worker, signal.SIGCONT)
        return await asyncio.gather(*asked)

    return asyncio.run(ask_all())


def test_a_worker_is_not_replaced_for_the_memory_of_the_service() -> None:
    large = b"x" * 2**28  # in this process, which runs the service
    with running(
        ServiceOptions(workers=1, limits=replace(SLOW, worker_keeps_bytes=len(large)))
    ) as server:
        before = server.pids()
        assert server.extract(EXAMPLE).status == 200
        assert (server.service.workers.idle, server.pids()) == (1, before)
        assert server.service.metrics.workers["grown"] == 0


def test_bodies_that_wait_take_a_bounded_amount_of_memory() -> None:
    limits = replace(SLOW, page_bytes=2_000_000, held_bytes=3_000_000)
    with running(ServiceOptions(workers=1, limits=limits)) as server:
        answers = _ask_a_stopped_worker(server, ARTICLE + bytes(1_000_000), 5)
        assert sorted(answer.status for answer in answers) == [200, 200, 503, 503, 503]


@contextmanager
def slow_senders(server: RunningService, count: int, sent: bytes) -> Iterator[list[socket.socket]]:
    """Open connections that have sent the beginning of a request."""
    with ExitStack() as stack:
        clients = []
        for _ in range(count):
            client = socket.create_connection(("127.0.0.1", server.port), PATIENCE_S)
            stack.enter_context(client).sendall(sent)
            clients.append(client)
        yield clients


def begin_request(server: RunningService, body: bytes) -> bytes:
    head = (
        f"POST /extract HTTP/1.1\r\nHost: 127.0.0.1:{server.port}\r\nContent-Length: 999999\r\n\r\n"
    )
    return head.encode() + body


@pytest.mark.slow
@pytest.mark.parametrize(
    ("limits", "body"),
    [
        (replace(SLOW, requests=20), b"<p>"),
        (replace(SLOW, held_bytes=2_000_000), b"<p>" + bytes(99_997)),
    ],
)
def test_slow_senders_keep_no_place_that_others_need(limits: ServiceLimits, body: bytes) -> None:
    with running(ServiceOptions(workers=1, limits=limits)) as server:
        sent = begin_request(server, body)
        with slow_senders(server, 20, sent) as clients:
            server.wait_until(lambda: server.service.metrics.received_bytes >= 20 * len(body))
            refused = server.extract(EXAMPLE)
            assert (refused.status, server.service.metrics.in_flight) == (503, 20)
            time.sleep(admission.UNDISTURBED_SECONDS)
            assert [server.extract(EXAMPLE).status for _ in range(3)] == [200] * 3
            assert clients[0].recv(99).startswith(b"HTTP/1.1 408")
            assert server.service.metrics.in_flight >= 17
        server.wait_until(lambda: server.service.metrics.in_flight == 0)
        assert server.service.metrics.held_bytes == 0


@pytest.mark.slow
@pytest.mark.parametrize("sent", [b"POST /extract HTTP/1.1\r\n", b""])
def test_slow_senders_keep_no_connection_that_others_need(
    monkeypatch: pytest.MonkeyPatch, sent: bytes
) -> None:
    monkeypatch.setattr(connection, "MOST_CONNECTIONS", 20)
    with running(ServiceOptions(workers=1, limits=SLOW)) as server, slow_senders(server, 20, sent):
        assert server.extract(EXAMPLE).status == 0
        time.sleep(connection.UNDISTURBED_SECONDS)
        assert [server.extract(EXAMPLE).status for _ in range(3)] == [200] * 3


@pytest.mark.slow
def test_poisoned_pages_among_many_lose_nothing() -> None:
    """The short version of benchmarks/service.py."""
    size = 200_000 if is_native("scanner") else 4_000
    poison = [
        KINDS[name].make(size)
        for name in ("divs nested", "random bytes", "paragraphs of a letter", "NULs")
    ]
    broken = gzip.compress(EXAMPLE)[:-9]

    async def ask_all(server: RunningService) -> list[Answer]:
        bodies = [[EXAMPLE, broken, *poison][number % 6] for number in range(150)]
        gate = asyncio.Semaphore(100)
        answered: set[int] = set()

        async def ask_one(number: int, body: bytes) -> Answer:
            async with gate:
                if number == 140:  # a page whose worker dies twice is given up
                    while not answered.issuperset(range(111)):
                        await asyncio.sleep(0.01)
                if number in {110, 140}:  # others are answered, so that all workers are busy
                    with suppress(ProcessLookupError):
                        os.kill(next(iter(server.pids())), signal.SIGKILL)
                answer = await ask(server.port, "POST /extract?format=text", body, **HTML)
                answered.add(number)
                return answer

        return await asyncio.gather(*(ask_one(number, body) for number, body in enumerate(bodies)))

    with running(ServiceOptions(workers=2, limits=SLOW)) as server:
        answers = asyncio.run(ask_all(server))
        expected = str(bodytext.extract(EXAMPLE))
        for number, answer in enumerate(answers):
            if number % 6 == 1:
                assert (answer.status, "cut off" in answer.error) == (400, True)
            else:
                # random bytes are no HTML
                assert answer.status == (415 if number % 6 == 3 else 200)
            if number % 6 == 0:
                assert answer.body.decode() == expected
        assert server.service.metrics.in_flight == server.service.metrics.held_bytes == 0


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"host": "evil.example"}, 421),  # a name that resolves to this machine
        ({"host": "evil.example:{port}"}, 421),
        ({"host": "127.0.0.1.evil.example:{port}"}, 421),
        ({"host": "localhost:1"}, 421),
        ({"host": ""}, 421),
        ({"origin": "https://evil.example"}, 403),
        ({"origin": "null"}, 403),
        ({"origin": "http://127.0.0.1:1"}, 403),
        ({"origin": "http://localhost.evil.example:{port}"}, 403),
        ({"sec_fetch_site": "cross-site", "sec_fetch_mode": "no-cors"}, 403),
        ({"sec_fetch_site": "same-site"}, 403),
        ({"origin": "http://127.0.0.1:{port}", "sec_fetch_site": "same-origin"}, 200),
        ({"host": "localhost:{port}", "origin": "http://localhost:{port}"}, 200),
    ],
)
def test_pages_of_other_sites_cannot_use_a_local_service(
    service: RunningService, headers: dict[str, str], status: int
) -> None:
    filled = {name: value.replace("{port}", str(service.port)) for name, value in headers.items()}
    answer = service.extract(EXAMPLE, **filled)
    assert answer.status == status
    assert "access-control-allow-origin" not in answer.headers
    assert status == 200 or answer.error


def test_a_public_service_answers_to_addresses_and_to_its_names() -> None:
    policy = make_policy(ListenOptions("0.0.0.0", 80, ("api.example.org", "lan.example:8080")), 80)  # noqa: S104
    for authority in (
        "192.0.2.7",
        "192.0.2.7:80",
        "[2001:db8::1]:80",
        "api.example.org",
        "api.example.org:443",
    ):
        assert policy.admits(authority), authority
    for authority in (
        "",
        "evil.example",
        "api.example.org.evil.example",
        "lan.example",
        "[",
        "1.2.3.4.evil.example",
    ):
        assert not policy.admits(authority), authority
    assert policy.admits("lan.example:8080")
    with running(ServiceOptions(workers=1), OpenPolicy(80, names=("api.example.org",))) as server:
        assert server.extract(EXAMPLE, host="api.example.org").status == 200
        assert (
            server.extract(EXAMPLE, host="api.example.org", origin="https://api.example.org").status
            == 200
        )
        assert server.extract(EXAMPLE, host="192.0.2.7", origin="http://198.51.100.9").status == 403
        for host, name in (
            ("API.example.com:8080", "api.example.com"),
            ("a.example<script>", "NAME"),
            ("x" * 300, "NAME"),
            ("", "NAME"),
        ):
            message = f"this service does not answer to {name}; start it with --name {name}"
            answer = server.extract(EXAMPLE, host=host)
            assert (answer.status, answer.error) == (421, message)


def test_addresses_are_fetched_only_for_this_machine_by_default() -> None:
    everywhere = "0.0.0.0"  # noqa: S104
    starts = [
        ListenOptions(),
        ListenOptions("::1"),
        ListenOptions("localhost"),
        ListenOptions(everywhere),
        ListenOptions(everywhere, fetch=True),
    ]
    assert [start.fetches for start in starts] == [True, True, True, False, True]
    assert not ListenOptions(fetch=False).fetches
    assert not ListenOptions(
        names=("api.example.org",)
    ).fetches  # others come through a proxy on this machine


def test_a_local_service_answers_to_its_own_address() -> None:
    policy = make_policy(ListenOptions("127.0.0.2", 99), 99)
    assert policy.admits("127.0.0.2:99")
    assert policy.admits("localhost:99")
    assert not policy.admits("127.0.0.3:99")


@pytest.mark.slow
def test_addresses_are_fetched_except_private_ones() -> None:
    asked: list[str] = []

    def serve_pages(listener: socket.socket) -> None:
        while True:
            try:
                connection, _ = listener.accept()
            except OSError:
                return
            with connection:
                path = connection.recv(65536).split(b" ")[1].decode()
                asked.append(path)
                status = "200 OK" if path == "/page" else "404 Not Found"
                head = f"HTTP/1.1 {status}\r\nContent-Type: text/html; charset=utf-8\r\n"
                connection.sendall(
                    f"{head}Content-Length: {len(EXAMPLE)}\r\n\r\n".encode() + EXAMPLE
                )

    with socket.create_server(("127.0.0.1", 0)) as listener:
        threading.Thread(target=serve_pages, args=(listener,), daemon=True).start()
        address = f"http://127.0.0.1:{listener.getsockname()[1]}"
        allowed = ServiceOptions(workers=1, fetch=Client(FetchLimits(allow_private=True)).get)
        with running(allowed) as server:
            answer = server.extract_json(url=f"{address}/page", format="json")
            expected = bodytext.extract(EXAMPLE, url=f"{address}/page")
            assert answer.json["text"] == expected.text
            assert answer.json["url"] == f"{address}/page"
            missing = server.extract_json(url=f"{address}/nothing")
            assert (missing.status, "404" in missing.error) == (502, True)
            nonsense = server.extract_json(url="ftp://example.org/")
            assert (nonsense.status, "http" in nonsense.error) == (400, True)
            assert len(asked) == 2
        rebound = Client(resolve=lambda *_: ["127.0.0.1"])
        with running(replace(allowed, fetch=rebound.get)) as server:
            for url in (
                f"{address}/page",
                "http://harmless.example/page",
                "http://[::1]/",
                "http://10.0.0.1/",
            ):
                refused = server.extract_json(url=url)
                assert (refused.status, "not fetched" in refused.error) == (403, True), refused
        assert len(asked) == 2


@pytest.mark.slow
def test_slow_fetches_keep_no_worker_from_its_pages() -> None:
    going = threading.Event()

    def fetch(url: str) -> HttpResponse:
        going.wait(PATIENCE_S)
        return HttpResponse(url, 200, EXAMPLE)

    with running(ServiceOptions(workers=1, fetch=fetch)) as server:

        async def ask_both() -> tuple[Answer, Answer]:
            address = json.dumps({"url": "https://example.org/"}).encode()
            slow = asyncio.create_task(ask(server.port, "POST /extract", address, **JSON))
            quick = await ask(server.port, "POST /extract", EXAMPLE, **HTML)
            assert not slow.done()
            going.set()
            return quick, await slow

        assert [answer.status for answer in asyncio.run(ask_both())] == [200, 200]
