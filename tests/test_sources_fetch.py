"""Fetching one address: which hosts may be reached, what is refused and why, the limits, the cache."""

import asyncio
import gzip
import shutil
import socket
import ssl
import subprocess
import threading
import time
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bodytext.sources.fetch import (
    PAGE_TYPES,
    USER_AGENT,
    AddressError,
    Cache,
    CertificateError,
    Client,
    CodingError,
    ConnectError,
    FetchError,
    FetchLimits,
    HostError,
    PrivateAddressError,
    RedirectError,
    TimeLimitError,
    fetch,
)
from bodytext.sources.fetch.content_coding import ACCEPTED, unpack_body
from bodytext.sources.fetch.hosts import read_target, why_private
from bodytext.sources.fetch.response import HttpResponse
from loopback.server import Site, Visit, Web
from loopback.sites import KINDS, PAGE, Writer, is_as_expected, make_site, plain

SECONDS = 60.0  # for a fetch on a machine that may be slow
SHORT_SECONDS = 1.0  # for hosts that never end
NEVER_ENDS = "not done in"
MOST_BYTES = 2_000_000


@pytest.fixture(scope="module")
def web() -> Iterator[Web]:
    made = Web([make_site(_name(kind), KINDS[kind]) for kind in KINDS])
    with made:
        yield made


def _name(kind: str) -> str:
    return f"{kind.replace(' ', '-').replace(',', '')}.test"


def _client(web: Web, **limits: object) -> Client:
    values = {"max_seconds": SECONDS, "max_bytes": MOST_BYTES, "allow_private": True} | limits
    return Client(FetchLimits(**values), resolve=web.resolve)  # type: ignore[arg-type]


# Which addresses


@pytest.mark.parametrize(
    ("address", "word"),
    [
        ("127.0.0.1", "loopback"),
        ("127.255.3.4", "loopback"),
        ("10.1.2.3", "private"),
        ("172.31.255.255", "private"),
        ("192.168.0.1", "private"),
        ("100.64.0.1", "private"),
        ("169.254.169.254", "link-local"),
        ("0.0.0.0", "unspecified"),  # noqa: S104
        ("224.0.1.1", "multicast"),
        ("255.255.255.255", "reserved"),
        ("192.0.2.7", "documentation"),
        ("198.18.0.1", "benchmarking"),
        ("::1", "loopback"),
        ("::", "unspecified"),
        ("::ffff:8.8.8.8", "IPv4-mapped"),
        ("64:ff9b::808:808", "NAT64"),
        ("fe80::1%eth0", "link-local"),
        ("fd00::1", "private"),
        ("ff02::1", "multicast"),
        ("2001:db8::1", "documentation"),
        ("2002:7f00:1::", "6to4"),
        ("4000::1", "reserved"),
        ("not an address", "unreadable"),
    ],
)
def test_addresses_that_are_not_public(address: str, word: str) -> None:
    assert word in why_private(address)


@pytest.mark.parametrize(
    "address", ["8.8.8.8", "172.32.0.1", "100.128.0.1", "2606:4700::1111", "2a00:1450::1"]
)
def test_public_addresses(address: str) -> None:
    assert why_private(address) == ""


@pytest.mark.parametrize(
    "url",
    [
        "http://127.0.0.1/",
        "http://localhost/",
        "http://2130706433/",  # the same as a number
        "http://0x7f.1/",
        "http://[::1]/",
        "http://[::ffff:127.0.0.1]/",
        "http://169.254.169.254/latest/meta-data",
        "https://0.0.0.0/",
    ],
)
def test_private_hosts_are_refused(url: str) -> None:
    with pytest.raises(PrivateAddressError, match="not fetched unless private ones are allowed"):
        fetch(url, FetchLimits(max_seconds=SECONDS))


@pytest.mark.parametrize(
    ("url", "message"),
    [
        ("ftp://example.org/", "only http and https"),
        ("file:///etc/passwd", "only http and https"),
        ("example.org", "only http and https"),
        ("http://me:secret@example.org/", "password"),
        ("http://example.org:22/", "port 22"),
        ("http://example.org:6667/", "port 6667"),
        ("http://example.org:0/", "port 0"),
        ("http://example.org:99999/", "not the address"),
        ("http:///path", "no host"),
        ("http://exa mple.org/", "white space"),
        ("http://example.org\\@evil.example/", "backslash"),
        ("http://example.org/\r\nHost: evil", "white space"),
        ("http://[::1/", "not the address"),
        ("http://[nonsense]/", "not (the|an IPv6) address"),
        ("http://a..b/", "not the name of a host"),
        ("http://" + "a" * 300 + ".org/", "not the name of a host"),
        ("http://example.org/" + "a" * 9000, "characters"),
        ("http://example.org/\ud800", "white space"),
    ],
)
def test_wrong_addresses_are_refused(url: str, message: str) -> None:
    with pytest.raises(AddressError, match=message):
        read_target(url)


def test_parts_of_an_address() -> None:
    target = read_target("HTTPS://Bücher.Example:8443/a b/ü?q=ä&r=%20#part".replace(" ", "%20"))
    assert (target.host, target.port) == ("xn--bcher-kva.example", 8443)
    assert target.path == "/a%20b/%C3%BC?q=%C3%A4&r=%20"
    assert target.authority == "xn--bcher-kva.example:8443"
    assert read_target("http://example.org:80").url == "http://example.org/"
    assert read_target("http://[2606:4700::1111]/").origin == "http://[2606:4700::1111]"


@given(st.text(max_size=60))
def test_no_text_breaks_the_reading_of_addresses(text: str) -> None:
    for url in (text, f"http://{text}", f"http://example.org/{text}"):
        try:
            target = read_target(url)
        except AddressError:
            continue
        assert target.url.isascii()
        assert not set(target.url) & set("\r\n \\")


def test_a_name_that_resolves_differently_later_reaches_nothing(web: Web) -> None:
    """The look-up gives first a public address, then a private one: the connection goes to the checked address."""
    before = web.sites["plain-0.test"].measure.requests
    answers = [["192.0.2.1"], ["127.77.0.1"]]
    asked: list[list[str]] = []

    def resolve(_name: str, _port: int) -> list[str]:
        asked.append(answers[len(asked) % 2])
        return asked[-1]

    for _ in range(2):
        with pytest.raises(PrivateAddressError):
            Client(FetchLimits(max_seconds=SECONDS), resolve=resolve).get(
                f"http://plain-0.test:{web.port}/1"
            )
    assert web.sites["plain-0.test"].measure.requests == before


def test_every_redirect_is_checked(web: Web, monkeypatch: pytest.MonkeyPatch) -> None:
    """A public page redirects into a private network."""
    public = {"moved-to-www.test"}
    monkeypatch.setattr(
        "bodytext.sources.fetch.hosts.why_private",
        lambda address: "" if address == "127.77.0.1" else "a loopback",
    )

    def resolve(name: str, _port: int) -> list[str]:
        return ["127.77.0.1" if name in public else "127.77.0.2"]

    client = Client(FetchLimits(max_seconds=SECONDS), resolve=resolve)
    with pytest.raises(PrivateAddressError, match=r"www\.moved-to-www\.test is at 127\.77\.0\.2"):
        client.get(f"http://moved-to-www.test:{web.port}/1")


def test_a_slow_look_up_ends_at_the_deadline() -> None:
    over = threading.Event()

    def resolve(_name: str, _port: int) -> list[str]:
        over.wait(2 * SECONDS)
        return []

    start = time.monotonic()
    with pytest.raises(TimeLimitError):
        Client(FetchLimits(max_seconds=0.2), resolve=resolve).get("http://slow.example/")
    assert time.monotonic() - start < SECONDS
    over.set()


def test_unknown_and_empty_names() -> None:
    def unknown(_name: str, _port: int) -> list[str]:
        raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")

    with pytest.raises(
        HostError, match=r"^the host is not known: nowhere.example"
    ):  # reports count by the words before ":"
        Client(resolve=unknown).get("http://nowhere.example/")
    with pytest.raises(HostError, match="no address"):
        Client(resolve=lambda _name, _port: []).get("http://nowhere.example/")


def test_the_second_address_is_tried(web: Web) -> None:
    with socket.create_server(("127.77.1.1", 0)) as busy:
        free = busy.getsockname()[1]
    del free  # nothing listens at 127.77.1.1 any more
    client = Client(
        FetchLimits(max_seconds=SECONDS, allow_private=True),
        resolve=lambda name, port: ["127.77.1.1", *web.resolve(name, port)],
    )
    assert client.get(web.url("plain-1.test", "/1")).status == 200
    with pytest.raises(ConnectError, match="refused"):
        Client(FetchLimits(allow_private=True), resolve=lambda *_: ["127.77.1.1"]).get(
            web.url("plain-1.test")
        )


def test_hosts_in_ipv6() -> None:
    try:
        server = socket.create_server(("::1", 0), family=socket.AF_INET6)
    except OSError:
        pytest.skip("there is no IPv6 here")
    with server:

        def serve() -> None:
            connection, _ = server.accept()
            with connection:
                head = connection.recv(4096).decode()
                connection.sendall(f"HTTP/1.0 200 OK\r\n\r\n{head}".encode())

        thread = threading.Thread(target=serve)
        thread.start()
        port = server.getsockname()[1]
        response = fetch(
            f"http://[::1]:{port}/a", FetchLimits(max_seconds=SECONDS, allow_private=True)
        )
        thread.join()
    assert f"Host: [::1]:{port}".encode() in response.body


# What hosts answer


@pytest.mark.slow
@pytest.mark.parametrize("kind", [kind for kind in KINDS if not kind.startswith("robots")])
def test_every_kind_of_host(web: Web, kind: str) -> None:
    """Each fetch ends in time, with the page or with a reason why there is none."""
    name, start = _name(kind), time.monotonic()
    expected = KINDS[kind].expected["/1"]
    try:
        client = _client(web, max_seconds=SHORT_SECONDS if expected == NEVER_ENDS else SECONDS)
        response = client.get(web.url(name, "/1"), PAGE_TYPES)
        html, problem = (b"" if response.problem else response.body), response.problem
    except FetchError as failure:
        html, problem = b"", str(failure)
    assert time.monotonic() - start < SECONDS
    # It may work later: retries are not tested here
    if expected == PAGE and problem.startswith("HTTP"):
        assert problem[5:8] in {"429", "500", "503"}
        return
    assert is_as_expected(expected, html, problem, f"marker of {name}/1"), problem


def test_a_whole_response(web: Web) -> None:
    response = _client(web).get(web.url("xhtml.test", "/1"))
    assert (response.status, response.content_type, response.charset) == (
        200,
        "application/xhtml+xml",
        "utf-8",
    )
    assert response.redirects == ()
    assert response.time.endswith("Z")
    moved = _client(web).get(web.url("moved-inside.test", "/1"))
    assert moved.redirects == (web.url("moved-inside.test", "/1"),)
    assert moved.url == web.url("moved-inside.test", "/1?moved")


def test_the_user_agent_is_honest(web: Web) -> None:
    _client(web).get(web.url("plain-2.test", "/1"))
    (agent,) = web.sites["plain-2.test"].measure.agents
    assert agent == USER_AGENT
    assert agent.startswith("bodytext/0")


@pytest.mark.parametrize("agent", ["me/1\r\nCookie: a=b", "mé/1"])
def test_a_user_agent_must_fit_its_header(agent: str) -> None:
    with pytest.raises(ValueError, match="printable ASCII"):
        Client(user_agent=agent)


def test_a_body_can_be_cut(web: Web) -> None:
    response = _client(web, cut=True, max_bytes=1000).get(web.url("endless-body.test", "/1"))
    assert len(response.body) == 1000
    response = _client(web, cut=True, max_bytes=100).get(web.url("huge-length.test", "/1"))
    assert len(response.body) == 100


def test_redirects_are_limited(web: Web) -> None:
    with pytest.raises(RedirectError, match="more than 0 redirects"):
        _client(web, max_redirects=0).get(web.url("moved-inside.test", "/1"))


@pytest.mark.parametrize("name", ["max_bytes", "max_seconds", "max_header_bytes", "max_ratio"])
def test_limits_must_be_positive(name: str) -> None:
    with pytest.raises(ValueError, match=name):
        FetchLimits(**{name: 0})  # type: ignore[arg-type]


def test_the_bytes_of_a_hostile_response_are_limited() -> None:
    """Whatever a server sends, no more is read than the limits allow, and the fetch ends."""
    counts = []
    with socket.create_server(("127.77.1.2", 0)) as server:

        def serve() -> None:
            connection, _ = server.accept()
            with connection:
                connection.recv(4096)
                sent = 0
                try:
                    while sent < 50_000_000:
                        sent += connection.send(
                            b"HTTP/1.1 200 OK\r\n" if not sent else b"x" * 60_000
                        )
                except OSError:
                    pass
                counts.append(sent)

        thread = threading.Thread(target=serve)
        thread.start()
        url = f"http://127.77.1.2:{server.getsockname()[1]}/"
        with pytest.raises(FetchError):
            fetch(url, FetchLimits(max_seconds=SECONDS, allow_private=True))
        thread.join()
    assert counts[0] < 10_000_000  # most of it is in the buffers of the system


_HEADERS = """Content-Length: 5|Content-Length: -5|Content-Length: 9x|Transfer-Encoding: chunked|
Transfer-Encoding: gzip|Content-Encoding: gzip|Content-Encoding: br, zstd|Content-Type: text/html|Location: http://[|
Location: ÿþ|: no name| folded|ETag: \x01|Retry-After: 5|HTTP/1.1 200 OK|HTTP/1.1 302 Found|HTTP/9.9 999 x|
HTTP/1.1 -1 x|0|-1|ffffffffffffffffff|5"""
_PIECES = st.sampled_from(
    [f"{line.strip(chr(10))}\r\n".encode("latin-1") for line in _HEADERS.split("|")]
    + [
        b"HTTP/1.1 100 Continue\r\n\r\n",
        b"HTTP/1.0 ",
        b"\r\n",
        b"\n",
        b"hello\r\n",
        b"<p>body",
        b"\x00\xff\x1f\x8b",
    ]
)


@pytest.fixture(scope="module")
def parrot() -> Iterator[tuple[list[bytes], str]]:
    """Serve whatever bytes the list holds, to each connection."""
    said: list[bytes] = []
    server = socket.create_server(("127.77.1.4", 0))

    def serve() -> None:
        while True:
            try:
                connection, _ = server.accept()
            except OSError:
                return
            with connection:
                connection.recv(4096)
                connection.sendall(b"".join(said))

    thread = threading.Thread(target=serve)
    thread.start()
    yield said, f"http://127.77.1.4:{server.getsockname()[1]}/"
    server.shutdown(socket.SHUT_RDWR)
    server.close()
    thread.join()


@given(st.lists(st.one_of(_PIECES, st.binary(max_size=20)), max_size=12))
def test_any_bytes_give_a_response_or_an_error_with_a_reason(
    parrot: tuple[list[bytes], str], pieces: list[bytes]
) -> None:
    said, url = parrot
    said[:] = [b"HTTP/1.1 200 OK\r\n" * (len(pieces) % 2), *pieces]
    try:
        with Client(FetchLimits(max_seconds=2, max_redirects=2, allow_private=True)) as client:
            response = client.get(url)
    except FetchError as problem:
        assert str(problem)  # noqa: PT017 - either is right
    else:
        assert isinstance(response.problem + response.charset + response.content_type, str)


# Compression


def _limits(room: int = 10_000, ratio: int = 250) -> FetchLimits:
    return FetchLimits(max_bytes=room, max_ratio=ratio)


def test_all_codings_are_decoded() -> None:
    brotli, zstandard = pytest.importorskip("brotli"), pytest.importorskip("zstandard")
    text = b"The harbour at night. " * 300
    assert ACCEPTED == "gzip, deflate, br, zstd"
    assert unpack_body(text, "identity", _limits()) == unpack_body(text, "UTF-8", _limits()) == text
    assert unpack_body(gzip.compress(text), "GZIP", _limits()) == text
    assert unpack_body(zlib.compress(text), "deflate", _limits()) == text
    assert unpack_body(brotli.compress(text), "br", _limits()) == text
    assert unpack_body(zstandard.compress(text), "zstd", _limits()) == text
    assert unpack_body(brotli.compress(gzip.compress(text)), "gzip, br", _limits()) == text


@pytest.mark.slow
@pytest.mark.parametrize("coding", ["gzip", "deflate", "br", "zstd"])
def test_bombs_are_stopped(coding: str) -> None:
    pack: Callable[[bytes], bytes] = {
        "gzip": gzip.compress,
        "deflate": zlib.compress,
        "br": lambda data: pytest.importorskip("brotli").compress(data),
        "zstd": lambda data: pytest.importorskip("zstandard").compress(data),
    }[coding]
    bomb = pack(bytes(30_000_000))
    with pytest.raises(CodingError, match="unpacks to more"):
        unpack_body(bomb, coding, _limits(room=20_000))
    # Within the size limit, but no page compresses that well
    with pytest.raises(CodingError, match="unpacks to more"):
        unpack_body(pack(bytes(2_000_000)), coding, _limits(room=50_000_000, ratio=20))


@pytest.mark.parametrize("coding", ["gzip", "deflate", "br", "zstd"])
@given(data=st.binary(max_size=200))
def test_broken_bodies_give_a_reason(coding: str, data: bytes) -> None:
    try:
        unpack_body(b"\x1f\x8b\x08\x00" + data if coding == "gzip" else data, coding, _limits())
    except CodingError as problem:
        assert str(problem)  # noqa: PT017 - either is right


# The cache


def test_an_unchanged_page_is_not_sent_again(web: Web, tmp_path: Path) -> None:
    client = Client(
        FetchLimits(max_seconds=SECONDS, allow_private=True),
        cache=Cache(tmp_path / "cache"),
        resolve=web.resolve,
    )
    url = web.url("tagged.test", "/cached")
    first, second = client.get(url), client.get(url)
    assert (first.stored, second.stored) == (False, True)
    assert first.body == second.body
    assert (second.content_type, second.status) == ("text/html", 200)
    assert web.sites["tagged.test"].counts["/cached"] == 2
    plain = web.url("plain-3.test", "/cached")
    assert not client.get(plain).stored  # without a validator it is not stored
    assert not client.get(plain).stored


def test_a_fresh_page_is_not_requested(web: Web, tmp_path: Path) -> None:
    cache = Cache(tmp_path, fresh_seconds=100)
    client = Client(
        FetchLimits(max_seconds=SECONDS, allow_private=True), cache=cache, resolve=web.resolve
    )
    url = web.url("plain-3.test", "/young")
    assert client.get(url).body == client.get(url).body
    assert web.sites["plain-3.test"].counts["/young"] == 1


def test_broken_and_foreign_files_in_the_cache_are_ignored(tmp_path: Path) -> None:
    cache = Cache(tmp_path, fresh_seconds=100)
    page = HttpResponse(
        "http://a.example/",
        200,
        b"<p>page",
        {"etag": '"1"', "set-cookie": "x"},
        "2026-11-15T00:00:00Z",
    )
    cache.keep(page.url, page)
    (file,) = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert b"set-cookie" not in file.read_bytes()
    stored = cache.find(page.url)
    assert stored is not None
    assert stored.body == b"<p>page"
    for broken in (
        b"",
        b"no json\nx",
        b"[]\n",
        file.read_bytes()[:-1],
        b'{"url": "http://b.example/"}\n',
    ):
        file.write_bytes(broken)
        assert cache.find(page.url) is None
    file.unlink()
    for refused in (
        HttpResponse(page.url, 404, b"", {"etag": "x"}),
        HttpResponse(page.url, 200, b"x", {"etag": "x", "cache-control": "private, No-Store"}),
    ):
        cache.keep(page.url, refused)
        assert cache.find(page.url) is None


def test_a_full_disk_leaves_no_partial_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "replace", fail)
    with pytest.raises(OSError, match="No space"):
        Cache(tmp_path).keep(
            "http://a.example/", HttpResponse("http://a.example/", 200, b"x", {"etag": "1"})
        )
    assert not [path for path in tmp_path.rglob("*") if path.is_file()]


# Encrypted connections


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    if not shutil.which("openssl"):
        pytest.skip("openssl, which makes certificates, is not installed")
    folder = tmp_path_factory.mktemp("certificate")
    subject = ["-subj", "/CN=secure.test", "-addext", "subjectAltName=DNS:secure.test"]
    files = ["-keyout", str(folder / "key.pem"), "-out", str(folder / "cert.pem")]
    subprocess.run(
        [
            "openssl",
            "req",
            "-x509",
            "-newkey",
            "rsa:2048",
            "-nodes",
            "-days",
            "2",
            *subject,
            *files,
        ],
        check=True,
        capture_output=True,
    )
    return folder


@pytest.mark.parametrize(
    ("name", "trusted", "error"),
    [("secure.test", True, None), ("other.test", True, "name"), ("secure.test", False, "self")],
)
def test_certificates_are_checked(
    certificate: Path, monkeypatch: pytest.MonkeyPatch, name: str, trusted: bool, error: str | None
) -> None:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate / "cert.pem", certificate / "key.pem")
    with socket.create_server(("127.77.1.3", 0)) as server:

        def serve() -> None:
            connection, _ = server.accept()
            try:
                with context.wrap_socket(connection, server_side=True) as secure:
                    secure.recv(4096)
                    secure.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nsafe")
            except (OSError, ssl.SSLError):
                connection.close()

        thread = threading.Thread(target=serve)
        thread.start()
        monkeypatch.setenv(
            "SSL_CERT_FILE", str(certificate / "cert.pem") if trusted else "/nowhere"
        )
        monkeypatch.setenv("SSL_CERT_DIR", "/nowhere")
        client = Client(
            FetchLimits(max_seconds=SECONDS, allow_private=True), resolve=lambda *_: ["127.77.1.3"]
        )
        url = f"https://{name}:{server.getsockname()[1]}/"
        if error is None:
            assert client.get(url).body == b"safe"
        else:
            with pytest.raises(CertificateError, match=f"(?i){error}"):
                client.get(url)
        thread.join()


def test_a_host_that_does_not_encrypt(web: Web) -> None:
    with pytest.raises((ConnectError, TimeLimitError)):
        _client(web, max_seconds=1.0).get(f"https://plain-0.test:{web.port}/1")


def test_the_loopback_web_measures_requests() -> None:
    """Concurrent requests are counted as such."""

    async def wait_for_all(visit: Visit, writer: Writer) -> None:
        while site.measure.most_at_a_time < 3:
            await asyncio.sleep(0.01)
        await plain(visit, writer)

    site = Site("a.test", wait_for_all)
    with Web([site]) as web:
        client = _client(web)
        threads = [
            threading.Thread(target=client.get, args=(web.url("a.test", f"/{number}"),))
            for number in range(3)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert (site.measure.requests, site.measure.most_at_a_time) == (3, 3)
    assert site.measure.least_gap_s < SECONDS
