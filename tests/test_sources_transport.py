"""How requests are sent: connections used again, HTTP/2, cookies, proxies, several addresses, many at a time."""

import asyncio
import os
import shutil
import socket
import ssl
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from bodytext.sources.fetch import (
    AddressError,
    CertificateError,
    Client,
    ConnectError,
    FetchError,
    FetchLimits,
    HttpResponse,
    PrivateAddressError,
    RedirectError,
    TimeLimitError,
    fetch,
)
from bodytext.sources.fetch.hosts import read_target
from bodytext.sources.politeness.fetcher import Fetcher, PageRequest
from bodytext.sources.politeness.policy import Politeness
from loopback.server import Site, Visit, Web
from loopback.sites import Writer, plain, send

SECONDS = 60.0  # for a fetch on a machine that may be slow
ADDRESS = "127.77.2.1"


def _client(resolve: Callable[[str, int], list[str]], seconds: float = SECONDS) -> Client:
    return Client(FetchLimits(max_seconds=seconds, allow_private=True), resolve=resolve)


# Connections


class _KeepingServer(ThreadingHTTPServer):
    """Keeps connections open and counts them; each closes after a number of answers."""

    daemon_threads = True
    answers_each = 1_000
    connections = 0


class _KeepingHandler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: _KeepingServer

    def setup(self) -> None:
        super().setup()
        self.server.connections += 1
        self.left = self.server.answers_each

    def do_GET(self) -> None:
        body = f"{self.path} of {self.headers['Host']}".encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)
        self.left -= 1
        self.close_connection = self.left <= 0  # and the client is not told

    def log_message(self, *_: object) -> None:
        """Log nothing."""


@contextmanager
def _serve(address: str = ADDRESS, port: int = 0) -> Iterator[_KeepingServer]:
    with _KeepingServer((address, port), _KeepingHandler) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.05,))
        thread.start()
        yield server
        server.shutdown()
        thread.join()


def test_a_connection_is_used_again() -> None:
    with _serve() as server, _client(lambda *_: [ADDRESS]) as client:
        url = f"http://a.test:{server.server_port}/"
        bodies = [client.get(f"{url}{number}").body for number in range(5)]
        assert bodies == [
            f"/{number} of a.test:{server.server_port}".encode() for number in range(5)
        ]
        assert server.connections == 1
        client.get(f"http://b.test:{server.server_port}/")  # another host has its own
        assert server.connections == 2


def test_a_connection_that_the_host_closed_is_made_again() -> None:
    with _serve() as server, _client(lambda *_: [ADDRESS]) as client:
        server.answers_each = 2
        for number in range(6):
            url = f"http://a.test:{server.server_port}/{number}"
            assert client.get(url).body.startswith(f"/{number} ".encode())
        assert server.connections == 3


def test_clients_with_other_limits_share_the_connections() -> None:
    with _serve() as server, _client(lambda *_: [ADDRESS]) as client:
        other = client.with_limits(FetchLimits(max_bytes=4, cut=True, allow_private=True))
        url = f"http://a.test:{server.server_port}/12345"
        assert client.get(url).body.startswith(b"/12345")
        assert other.get(url).body == b"/123"
        assert server.connections == 1


def test_the_body_of_a_redirect_is_not_waited_for() -> None:
    async def answer(visit: Visit, writer: Writer) -> None:
        if visit.path == "/there":
            await plain(visit, writer)
            return
        writer.write(b"HTTP/1.1 302 Found\r\nLocation: /there\r\nContent-Length: 9\r\n\r\n")
        await asyncio.sleep(SECONDS)

    with Web([Site("a.test", answer)]) as web, _client(web.resolve) as client:
        assert client.get(web.url("a.test")).status == 200


# Addresses


def test_a_connection_goes_to_a_checked_address_or_nowhere() -> None:
    """libcurl has its own idea of where these hosts are; the server there must hear nothing."""
    with _serve("127.0.0.1") as server:
        for host in ("localhost", "2130706433", "0x7f.0.0.1", "127.1"):
            client = _client(lambda *_: ["192.0.2.1", "::ffff:192.0.2.2"], 0.5)
            with client, pytest.raises((ConnectError, TimeLimitError)):
                client.get(f"http://{host}:{server.server_port}/")
        assert server.connections == 0


def test_an_address_that_never_answers_is_passed_by() -> None:
    """IPv6 does not work: IPv4 is tried at the same time."""
    try:
        silent = socket.create_server(("::1", 0), family=socket.AF_INET6, backlog=0)
    except OSError:
        pytest.skip("there is no IPv6 here")
    port = silent.getsockname()[1]
    # Connections that nobody accepts fill the queue; the next ones get no answer.
    waiting = [socket.socket(socket.AF_INET6) for _ in range(4)]
    for each in waiting:
        each.setblocking(False)
        with suppress(BlockingIOError):
            each.connect(("::1", port))
    with silent, _serve("127.0.0.1", port):
        start = time.monotonic()
        with _client(lambda *_: ["::1", "127.0.0.1"]) as client:
            assert client.get(f"http://a.test:{port}/").status == 200
        assert time.monotonic() - start < SECONDS / 4  # that address alone takes all of it
    for each in waiting:
        each.close()


def test_the_answer_to_a_look_up_is_used_for_a_while() -> None:
    asked: list[str] = []

    def resolve(name: str, _port: int) -> list[str]:
        asked.append(name)
        return [ADDRESS]

    with _serve() as server, _client(resolve) as client:
        for _ in range(3):
            client.get(f"http://a.test:{server.server_port}/")
    assert asked == ["a.test"]


@pytest.mark.parametrize(
    ("name", "ascii_name"),
    [
        ("faß.example", "xn--fa-hia.example"),  # IDNA 2003 makes "fass" of it
        ("Bücher.example", "xn--bcher-kva.example"),
        ("βόλος.example", "xn--nxasmm1c.example"),
        ("ヤフー。example", "xn--hgb5b0d.example"),
        ("tiếng-việt.example", "xn--ting-vit-mnb0453h.example"),
    ],
)
def test_names_follow_idna_2008(name: str, ascii_name: str) -> None:
    idna = pytest.importorskip("idna")
    host = read_target(f"http://{name}/").host
    assert host == idna.encode(name, uts46=True).decode()
    if name.startswith(("faß", "Bücher", "βόλος")):
        assert host == ascii_name


@pytest.mark.parametrize("name", ["a\u200d.example", "☃.example", "xn--\u00fc.example"])
def test_names_that_idna_2008_does_not_allow(name: str) -> None:
    pytest.importorskip("idna")
    with pytest.raises(AddressError, match="not the name of a host"):
        read_target(f"http://{name}/")


# Cookies


def _cookie_site(cookie: str, attributes: str = "") -> tuple[Site, list[str]]:
    """Return a site that wants its cookie back before it shows a page, and what it got."""
    received: list[str] = []

    async def answer(visit: Visit, writer: Writer) -> None:
        received.append(visit.headers.get("cookie", ""))
        if cookie in received[-1]:
            await plain(visit, writer)
        else:
            headers = f"Set-Cookie: {cookie}{attributes}\r\nLocation: {visit.path}\r\n"
            await send(writer, b"", "302 Found", headers)

    return Site("a.test", answer), received


@pytest.mark.parametrize("attributes", ["", "; Max-Age=100; Path=/; HttpOnly"])
def test_a_site_that_wants_its_cookie_back(attributes: str) -> None:
    site, received = _cookie_site("seen=yes", attributes)
    with Web([site]) as web, _client(web.resolve) as client:
        url = web.url("a.test", "/page")
        response = client.get(url)
        assert (response.status, response.redirects) == (200, (url,))
        assert received == ["", "seen=yes"]
        client.get(url)
        assert received[2:] == ["", "seen=yes"]  # a cookie lasts for one fetch


def test_the_fetcher_carries_cookies_too() -> None:
    site, received = _cookie_site("seen=yes")
    polite = Politeness(delay_seconds=0, obey_robots=False)
    with Web([site]) as web, Fetcher(_client(web.resolve), polite) as fetcher:
        (record,) = fetcher.fetch([PageRequest(web.url("a.test", "/page"))])
    assert not record.problem
    assert received == ["", "seen=yes"]


@pytest.mark.parametrize("attributes", ["; Domain=b.test", "; Secure", "; Domain=test"])
def test_a_cookie_that_the_site_does_not_get_back_ends_in_a_circle(attributes: str) -> None:
    site, received = _cookie_site("seen=yes", attributes)
    with (
        Web([site]) as web,
        _client(web.resolve) as client,
        pytest.raises(RedirectError, match="circle"),
    ):
        client.get(web.url("a.test", "/page"))
    assert set(received) == {""}


def test_cookies_go_to_their_own_host_only() -> None:
    async def answer(visit: Visit, writer: Writer) -> None:
        port = visit.headers["host"].partition(":")[2]
        if visit.site == "a.test":
            there = f"Location: http://b.test:{port}/\r\nSet-Cookie: secret=1\r\n"
            await send(writer, b"", "302 Found", there)
        else:
            await send(writer, visit.headers.get("cookie", "none").encode())

    with (
        Web([Site("a.test", answer), Site("b.test", answer)]) as web,
        _client(web.resolve) as client,
    ):
        assert client.get(web.url("a.test")).body == b"none"


def test_a_new_cookie_each_time_is_no_way_without_end() -> None:
    async def answer(visit: Visit, writer: Writer) -> None:
        headers = f"Set-Cookie: n={visit.number}\r\nLocation: {visit.path}\r\n"
        await send(writer, b"", "302 Found", headers)

    with (
        Web([Site("a.test", answer)]) as web,
        _client(web.resolve) as client,
        pytest.raises(RedirectError, match="more than 10 redirects"),
    ):
        client.get(web.url("a.test"))


# Proxies


class _Proxy:
    """A proxy that tunnels to wherever it is asked, and remembers what it was asked for."""

    def __init__(self, refusal: bytes = b"") -> None:
        self.asked: list[str] = []
        self._refusal = refusal
        self._server = socket.create_server(("127.77.2.2", 0))
        self.url = f"http://127.77.2.2:{self._server.getsockname()[1]}"
        self._thread = threading.Thread(target=self._accept)

    def __enter__(self) -> "_Proxy":
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown(socket.SHUT_RDWR)
        self._server.close()
        self._thread.join()

    def _accept(self) -> None:
        while True:
            try:
                connection, _ = self._server.accept()
            except OSError:
                return
            threading.Thread(target=self._tunnel, args=(connection,), daemon=True).start()

    def _tunnel(self, connection: socket.socket) -> None:
        with connection:
            head = connection.recv(4096).decode()
            self.asked.append(head.partition("\r\n")[0])
            if self._refusal:
                connection.sendall(self._refusal)
                return
            host, _, port = head.split(" ")[1].rpartition(":")
            with socket.create_connection((host, int(port))) as there:
                connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Type: x/proxy\r\n\r\n")
                threading.Thread(target=_copy, args=(there, connection), daemon=True).start()
                _copy(connection, there)


def _copy(source: socket.socket, sink: socket.socket) -> None:
    with suppress(OSError):
        while data := source.recv(65536):
            sink.sendall(data)
        sink.shutdown(socket.SHUT_WR)


@pytest.fixture
def no_proxies(monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    for name in ("http_proxy", "https_proxy", "all_proxy", "no_proxy"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.upper(), raising=False)
    return monkeypatch


def _get_through(url: str, **limits: object) -> HttpResponse:
    values = {"max_seconds": SECONDS, "allow_private": True} | limits
    client = Client(FetchLimits(**values), resolve=lambda *_: [ADDRESS])  # type: ignore[arg-type]
    with client:
        return client.get(url)


@pytest.mark.parametrize("variable", ["http_proxy", "all_proxy", "ALL_PROXY"])
def test_a_proxy_of_the_environment_gets_the_checked_address(
    no_proxies: pytest.MonkeyPatch, variable: str
) -> None:
    with _serve() as server, _Proxy() as proxy:
        no_proxies.setenv(variable, proxy.url)
        response = _get_through(f"http://a.test:{server.server_port}/1")
        assert response.body == f"/1 of a.test:{server.server_port}".encode()
        assert "x/proxy" not in response.headers.values()
        # Not the name, which the proxy could look up differently.
        assert proxy.asked == [f"CONNECT {ADDRESS}:{server.server_port} HTTP/1.1"]


def test_no_proxy_is_obeyed(no_proxies: pytest.MonkeyPatch) -> None:
    with _serve() as server, _Proxy() as proxy:
        no_proxies.setenv("http_proxy", proxy.url)
        no_proxies.setenv("no_proxy", "b.example,.test")
        assert _get_through(f"http://a.test:{server.server_port}/").status == 200
        assert proxy.asked == []


@pytest.mark.parametrize("host", ["a.test", "127.0.0.1", "[::1]", "localhost"])
def test_a_proxy_is_no_way_to_a_private_address(no_proxies: pytest.MonkeyPatch, host: str) -> None:
    with _Proxy() as proxy:
        no_proxies.setenv("all_proxy", proxy.url)
        with pytest.raises(PrivateAddressError):
            _get_through(f"http://{host}/", allow_private=False)
        assert proxy.asked == []


def test_a_proxy_that_refuses(no_proxies: pytest.MonkeyPatch) -> None:
    with _Proxy(b"HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n") as proxy:
        no_proxies.setenv("http_proxy", proxy.url)
        with pytest.raises(ConnectError, match="tunnel failed, response 403"):
            _get_through("http://a.test:8080/")


def test_a_proxy_that_is_not_there(no_proxies: pytest.MonkeyPatch) -> None:
    no_proxies.setenv("http_proxy", "http://127.77.2.3:9")
    with pytest.raises(ConnectError):
        _get_through("http://a.test:8080/")


# HTTP/2


def _make_certificate(folder: Path) -> ssl.SSLContext:
    """Make a certificate for secure.test and a context for a server that offers HTTP/2."""
    if not shutil.which("openssl"):
        pytest.skip("openssl, which makes certificates, is not installed")
    names = ["-subj", "/CN=secure.test", "-addext", "subjectAltName=DNS:secure.test"]
    files = ["-keyout", str(folder / "key.pem"), "-out", str(folder / "cert.pem")]
    command = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2"]
    subprocess.run([*command, *names, *files], check=True, capture_output=True)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(folder / "cert.pem", folder / "key.pem")
    context.set_alpn_protocols(["h2", "http/1.1"])
    return context


class _Http2Server:
    """Answers over HTTP/2 when a number of requests are there, in the opposite order."""

    def __init__(self, context: ssl.SSLContext, together: int) -> None:
        self.connections = 0
        self._together = together
        self._context = context
        self._server = socket.create_server((ADDRESS, 0))
        self.port = self._server.getsockname()[1]
        self._thread = threading.Thread(target=self._accept)

    def __enter__(self) -> "_Http2Server":
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown(socket.SHUT_RDWR)
        self._server.close()
        self._thread.join()

    def _accept(self) -> None:
        while True:
            try:
                accepted, _ = self._server.accept()
                connection = self._context.wrap_socket(accepted, server_side=True)
            except OSError:
                return
            self.connections += 1
            threading.Thread(target=self._answer, args=(connection,), daemon=True).start()

    def _answer(self, connection: ssl.SSLSocket) -> None:
        from h2.config import H2Configuration
        from h2.connection import H2Connection
        from h2.events import RequestReceived

        state = H2Connection(H2Configuration(client_side=False))
        state.initiate_connection()
        asked: list[tuple[int, bytes]] = []
        with connection, suppress(OSError):
            connection.sendall(state.data_to_send())
            while data := connection.recv(65536):
                for event in state.receive_data(data):
                    if isinstance(event, RequestReceived):
                        path = dict(event.headers)[b":path"]
                        asked.append((event.stream_id, path))
                ready = asked if len(asked) >= self._together else []
                while ready:
                    stream, path = ready.pop()
                    headers = [(":status", "200"), ("content-length", str(len(path)))]
                    state.send_headers(stream, headers)
                    state.send_data(stream, path, end_stream=True)
                connection.sendall(state.data_to_send())


def test_http_2_shares_a_connection(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("h2")
    context = _make_certificate(tmp_path)
    monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "cert.pem"))
    with _Http2Server(context, together=1) as server, _client(lambda *_: [ADDRESS]) as client:
        url = f"https://secure.test:{server.port}"
        for number in range(3):
            response = client.get(f"{url}/{number}")
            assert (response.status, response.body) == (200, f"/{number}".encode())
        server._together = 8
        with ThreadPoolExecutor(8) as pool:
            found = list(pool.map(lambda n: client.get(f"{url}/{n}").body, range(8)))
        assert found == [f"/{number}".encode() for number in range(8)]
        assert server.connections == 1


def test_an_encrypted_page_through_a_proxy(tmp_path: Path, no_proxies: pytest.MonkeyPatch) -> None:
    """The tunnel goes to the address; the certificate is that of the name."""
    pytest.importorskip("h2")
    context = _make_certificate(tmp_path)
    no_proxies.setenv("SSL_CERT_FILE", str(tmp_path / "cert.pem"))
    with _Http2Server(context, together=1) as server, _Proxy() as proxy:
        no_proxies.setenv("HTTPS_PROXY", proxy.url)
        assert _get_through(f"https://secure.test:{server.port}/1").body == b"/1"
        assert proxy.asked == [f"CONNECT {ADDRESS}:{server.port} HTTP/1.1"]
        with pytest.raises(CertificateError):
            _get_through(f"https://other.test:{server.port}/1")


# Many at a time


def test_hundreds_of_requests_at_a_time() -> None:
    """No host answers before all have been asked."""
    count, asked = 400, 0

    async def answer(visit: Visit, writer: Writer) -> None:
        nonlocal asked
        asked += 1
        while asked < count:
            await asyncio.sleep(0.05)
        await plain(visit, writer)

    sites = [Site(f"s{number}.test", answer) for number in range(count)]
    polite = Politeness(delay_seconds=0, obey_robots=False, concurrency=count, retries=0)
    before = threading.active_count()
    with Web(sites) as web, Fetcher(_client(web.resolve), polite) as fetcher:
        requests = [PageRequest(web.url(site.name)) for site in sites]
        problems = [record.problem for record in fetcher.fetch(requests)]
        assert problems == [""] * count
        assert threading.active_count() < before + 10


def test_more_requests_than_files_may_be_open(monkeypatch: pytest.MonkeyPatch) -> None:
    resource = pytest.importorskip("resource")
    monkeypatch.setattr(resource, "getrlimit", lambda _what: (256, 1024))
    with pytest.raises(ValueError, match="lower the concurrency, or raise the limit"):
        Fetcher(Client(), Politeness(concurrency=2000))


def test_without_the_extra_the_error_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "pycurl", None)
    with pytest.raises(FetchError, match=r"pip install 'bodytext\[fetch\]'"):
        fetch("http://127.0.0.1/", FetchLimits(allow_private=True))
    monkeypatch.setitem(sys.modules, "idna", None)
    with pytest.raises(AddressError, match=r"pip install 'bodytext\[fetch\]'"):
        read_target("http://bücher.example/")


@pytest.mark.parametrize("way", ["exit", "fork"])
def test_a_process_ends_and_forks_while_it_fetches(way: str) -> None:
    if way == "fork" and not hasattr(os, "fork"):
        pytest.skip("there is no fork here")
    with socket.create_server((ADDRESS, 0)) as silent:
        code = f"""
import os, sys, threading, time
from bodytext.sources.fetch import Client, FetchError, FetchLimits
client = Client(FetchLimits(max_seconds=0.5 if {way == "fork"} else 60, allow_private=True))
url = "http://{ADDRESS}:{silent.getsockname()[1]}/"
thread = threading.Thread(target=lambda: client.get(url), daemon=True)
threading.excepthook = lambda _: None
thread.start()
time.sleep(0.3)
if {way == "fork"}:
    child = os.fork()
    try:
        client.get(url)
    except FetchError as error:
        print(type(error).__name__, flush=True)
    if child:
        os.waitpid(child, 0)
"""
        done = subprocess.run(
            [sys.executable, "-W", "ignore", "-c", code],
            check=False,
            capture_output=True,
            text=True,
            timeout=60,
        )
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.split() == (["TimeLimitError"] * 2 if way == "fork" else [])
