"""Kinds of sites, well-behaved and not: how each answers, and what a polite visitor should get."""

import asyncio
import email.utils
import gzip
import re
import socket
import struct
import time
import zlib
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from functools import cache

from loopback.server import Site, Visit, Web

PAGE = "page"  # the expectation that the whole page is fetched
PARAGRAPH = "The ferry to the island leaves at noon, and the harbour master has waited for it since the storm. "
BOMB_BYTES = 60 * 2**20
Writer = asyncio.StreamWriter
Part = Callable[[Visit, Writer], Awaitable[None]]


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of site. `expected` is, for each path, PAGE or a pattern that the problem matches."""

    answer: Part
    robots: Part
    expected: dict[str, str]
    forbidden: tuple[str, ...] = ()
    retry_after_s: float = 0.0


KINDS: dict[str, Kind] = {}


def marker(visit: Visit) -> str:
    return f"marker of {visit.site}{visit.path.partition('?')[0]}"


def page(visit: Visit, encoding: str = "utf-8", words: str = PARAGRAPH) -> bytes:
    html = f"<title>{visit.site}</title><h1>News</h1><p>{marker(visit)}. {words * 3}</p><p>{words * 5}</p>"
    return html.encode(encoding, "xmlcharrefreplace")


async def send(
    writer: Writer,
    body: bytes,
    status: str = "200 OK",
    headers: str = "",
    *,
    type_: str = "text/html",
) -> None:
    head = f"HTTP/1.1 {status}\r\nContent-Type: {type_}\r\nContent-Length: {len(body)}\r\n{headers}\r\n"
    writer.write(head.encode("latin-1") + body)
    await writer.drain()


def reset(writer: Writer) -> None:
    """End a connection like a crash."""
    taken = writer.get_extra_info("socket")
    taken.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    writer.transport.abort()


async def flood(writer: Writer, piece: bytes, pause_s: float = 0.0) -> None:
    """Send for as long as the visitor reads."""
    while True:
        writer.write(piece)
        await writer.drain()
        await asyncio.sleep(pause_s)


# robots.txt


async def no_robots(_visit: Visit, writer: Writer) -> None:
    await send(writer, b"nothing here", "404 Not Found")


def robots(
    body: bytes | str, status: str = "200 OK", headers: str = "", *, type_: str = "text/plain"
) -> Part:
    async def answer(_visit: Visit, writer: Writer) -> None:
        await send(
            writer, body.encode() if isinstance(body, str) else body, status, headers, type_=type_
        )

    return answer


async def endless_robots(_visit: Visit, writer: Writer) -> None:
    writer.write(b"HTTP/1.1 200 OK\r\n\r\nUser-agent: *\nDisallow: /private\n")
    await flood(writer, b"Disallow: /other\n" * 1000)


async def silent(_visit: Visit, _writer: Writer) -> None:
    await asyncio.sleep(3600)


async def refused_robots_once(visit: Visit, writer: Writer) -> None:
    await (
        send(writer, b"", "503 Service Unavailable")
        if visit.number == 0
        else no_robots(visit, writer)
    )


async def far_robots(visit: Visit, writer: Writer) -> None:
    """Seven redirects: more than a visitor must follow."""
    step = int(visit.path.partition("?")[2] or 0)
    await send(writer, b"", "301 Moved Permanently", f"Location: /robots.txt?{step + 1}\r\n")


async def moved_robots(visit: Visit, writer: Writer) -> None:
    step = int(visit.path.partition("?")[2] or 0)
    if step < 3:
        await send(writer, b"", "302 Found", f"Location: /robots.txt?{step + 1}\r\n")
    else:
        await send(writer, b"User-agent: bodytext\nDisallow: /private", type_="text/plain")


# pages


async def plain(visit: Visit, writer: Writer) -> None:
    await send(writer, page(visit))


def as_type(type_: str, encoding: str = "utf-8", words: str = PARAGRAPH) -> Part:
    async def answer(visit: Visit, writer: Writer) -> None:
        await send(writer, page(visit, encoding, words), type_=type_)

    return answer


def status(line: str, headers: str = "", times: int = 10**9) -> Part:
    """Answer with a status several times, then with the page."""

    async def answer(visit: Visit, writer: Writer) -> None:
        if visit.number < times:
            await send(writer, b"<p>Not now.", line, headers)
        else:
            await plain(visit, writer)

    return answer


def packed(pack: Callable[[bytes], bytes], name: str) -> Part:
    async def answer(visit: Visit, writer: Writer) -> None:
        # a bomb takes long, and other visitors must not wait
        body = await asyncio.to_thread(pack, page(visit))
        await send(writer, body, headers=f"Content-Encoding: {name}\r\n")

    return answer


def raw(*pieces: bytes, pause_s: float = 0.0, end: str = "close") -> Part:
    """Send pieces as they are, then close, reset, or repeat the last piece without end."""

    async def answer(visit: Visit, writer: Writer) -> None:
        for piece in pieces:
            writer.write(piece.replace(b"@", page(visit)))
            await writer.drain()
            await asyncio.sleep(pause_s)
        if end == "reset":
            await asyncio.sleep(0.02)
            reset(writer)
        elif end == "flood":
            await flood(writer, pieces[-1], pause_s)

    return answer


def redirect(to: Callable[[Visit], str], line: str = "302 Found") -> Part:
    async def answer(visit: Visit, writer: Writer) -> None:
        target = to(visit)
        await (
            send(writer, b"", line, f"Location: {target}\r\n") if target else plain(visit, writer)
        )

    return answer


async def chunked(visit: Visit, writer: Writer) -> None:
    body = page(visit)
    writer.write(
        b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nTransfer-Encoding: chunked\r\n\r\n"
    )
    for start in range(0, len(body), 100):
        piece = body[start : start + 100]
        writer.write(b"%x;x=y\r\n%s\r\n" % (len(piece), piece))
    writer.write(b"0\r\nTrailer: yes\r\n\r\n")
    await writer.drain()


async def slow(visit: Visit, writer: Writer) -> None:
    await asyncio.sleep(0.3)
    await plain(visit, writer)


async def tagged(visit: Visit, writer: Writer) -> None:
    if visit.headers.get("if-none-match") == '"one"':
        writer.write(b"HTTP/1.1 304 Not Modified\r\n\r\n")
    else:
        await send(writer, page(visit), headers='ETag: "one"\r\n')


async def later(visit: Visit, writer: Writer) -> None:
    """Ask for no request before a date."""
    if visit.number < 1:
        date = email.utils.formatdate(time.time() + 2, usegmt=True)
        await send(writer, b"", "503 Service Unavailable", f"Retry-After: {date}\r\n")
    else:
        await plain(visit, writer)


def _bare_deflate(body: bytes) -> bytes:
    packer = zlib.compressobj(wbits=-15)
    return packer.compress(body) + packer.flush()


@cache
def _make_bomb() -> bytes:
    return gzip.compress(b"<p>" + bytes(BOMB_BYTES), 9)


def _bomb(_body: bytes) -> bytes:
    return _make_bomb()


_HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n"
_TWO = ("/1", "/2")
_VIETNAMESE = (
    "Chuyến phà ra đảo khởi hành lúc giữa trưa, và người coi bến đã đợi nó từ sau cơn bão lớn. "
)


def _add(
    name: str, answer: Part, expected: str = PAGE, robots_: Part = no_robots, **more: object
) -> None:
    paths = dict.fromkeys(_TWO, expected)
    KINDS[name] = Kind(answer, robots_, paths | more.pop("also", {}), **more)  # type: ignore[arg-type,operator]


def _add_good() -> None:
    for number in range(4):  # most sites behave well
        _add(f"plain {number}", plain)
    _add("slow", slow)
    _add("chunked", chunked)
    _add("gzip", packed(gzip.compress, "gzip"))
    _add(
        "gzip in two members",
        packed(lambda body: gzip.compress(body[:50]) + gzip.compress(body[50:]), "gzip"),
    )
    _add("deflate", packed(zlib.compress, "deflate"))
    _add("bare deflate", packed(_bare_deflate, "deflate"))
    _add("said to be gzip", packed(lambda body: body, "gzip"))
    _add("no type", raw(b"HTTP/1.0 200 OK\r\n\r\n@"))
    _add("xhtml", as_type("application/xhtml+xml; charset=utf-8"))
    _add("continues", raw(b"HTTP/1.1 100 Continue\r\n\r\n" * 3 + _HEAD + b"\r\n@"))
    _add(
        "wrong charset",
        as_type("text/html; charset=utf-8", "windows-1251", "Паром на остров уходит в полдень. "),
    )
    _add("unknown charset", as_type("text/html; charset=none-such", words=_VIETNAMESE))
    _add("tagged", tagged)
    _add("moved inside", redirect(lambda visit: "" if "?" in visit.path else f"{visit.path}?moved"))
    _add("moved to www", redirect(_to_www), also={})
    _add("short length", raw(_HEAD + b"Content-Length: 300\r\n\r\n@" + b"x" * 3000))


def _to_www(visit: Visit) -> str:
    host = visit.headers["host"]
    return "" if host.startswith("www.") else f"//www.{host}{visit.path}"


def _add_hostile() -> None:
    _add(
        "endless body",
        raw(_HEAD + b"\r\n", b"<p>more" * 9000, end="flood"),
        "more than [0-9,]+ bytes|not done in",
    )
    _add(
        "endless chunks",
        raw(_HEAD + b"Transfer-Encoding: chunked\r\n\r\n", b"1\r\nx\r\n" * 9000, end="flood"),
        "bytes|not done in",
    )
    _add("endless headers", raw(_HEAD, b"X-More: again\r\n", end="flood"), "headers|not done in")
    _add("endless header", raw(_HEAD + b"X: ", b"again " * 5000, end="flood"), "header|not done in")
    _add(
        "endless continues",
        raw(b"HTTP/1.1 100 Continue\r\n\r\n" * 500, end="flood"),
        "header|not done in",
    )
    _add("drip", raw(_HEAD + b"\r\n", b"x", pause_s=0.1, end="flood"), "not done in")
    _add(
        "header drip", raw(b"HTTP/1.1 200 OK\r\nX: ", b"x", pause_s=0.1, end="flood"), "not done in"
    )
    _add("silent", silent, "not done in")
    _add(
        "huge length",
        raw(_HEAD + b"Content-Length: 99999999999\r\n\r\n@"),
        "the body has 99,999,999,999 bytes",
    )
    _add(
        "long length", raw(_HEAD + b"Content-Length: 99999\r\n\r\n@"), "before the end of the body"
    )
    _add("broken chunks", raw(_HEAD + b"Transfer-Encoding: chunked\r\n\r\nzz\r\n@"), "body|HTTP")
    _add("negative chunk", raw(_HEAD + b"Transfer-Encoding: chunked\r\n\r\n-5\r\n@"), "body|HTTP")
    _add("no http", raw(b"220 mail.example ESMTP ready\r\n"), "not HTTP")
    _add("nothing", raw(b""), "closed without an answer")
    _add("reset", raw(b"", end="reset"), "connection broke")
    _add(
        "reset in the body",
        raw(_HEAD + b"Content-Length: 9999\r\n\r\n@", end="reset"),
        "connection broke|before the end",
    )
    _add("gzip bomb", packed(_bomb, "gzip"), "unpacks to more")
    _add(
        "gzip in gzip bomb",
        packed(lambda body: gzip.compress(_bomb(body)), "gzip, gzip"),
        "unpacks to more",
    )
    _add("many layers", packed(gzip.compress, "gzip, gzip, gzip, gzip"), "packed 4 times")
    _add("broken gzip", packed(lambda body: gzip.compress(body)[:-40], "gzip"), "cut off|broken")
    _add("unknown coding", packed(lambda body: body, "rot13"), "rot13")
    _add("circle", redirect(lambda visit: visit.path), "circle")
    _add("way without end", redirect(lambda visit: visit.path + "x"), "more than [0-9]+ redirects")
    _add("redirect to a file", redirect(lambda _visit: "file:///etc/passwd"), "only http and https")
    _add("redirect to nowhere", redirect(lambda _visit: "http://nowhere.test/"), "not known")
    _add(
        "redirect to a password", redirect(lambda _visit: "http://me:secret@site.test/"), "password"
    )
    _add("pdf", as_type("application/pdf"), "content type is application/pdf")
    _add("picture", as_type("image/png"), "content type is image/png")


def _add_statuses() -> None:
    _add("not found", status("404 Not Found"), "HTTP 404")
    _add("gone", status("410 Gone"), "HTTP 410")
    _add("forbidden", status("403 Forbidden"), "HTTP 403")
    _add("broken", status("500 Internal Server Error"), "HTTP 500")
    _add("broken once", status("500 Internal Server Error", times=1))
    _add("no content", raw(b"HTTP/1.1 204 No Content\r\n\r\n"), "HTTP 204")
    _add(
        "too many",
        status("429 Too Many Requests", "Retry-After: 1\r\n", times=1),
        retry_after_s=1.0,
    )
    _add("too many, no date", status("429 Too Many Requests", times=1))
    _add("always too many", status("429 Too Many Requests"), "HTTP 429")
    _add(
        "away for a day",
        status("503 Service Unavailable", "Retry-After: 86400\r\n"),
        "HTTP 503",
        retry_after_s=86400,
    )
    _add("away for a moment", later, retry_after_s=0.9)
    _add("nonsense retry", status("503 Service Unavailable", "Retry-After: soon\r\n", times=1))


def _add_robots() -> None:
    private = {"/private/1": "robots.txt", "/private/2": "robots.txt"}
    some = "User-agent: *\nDisallow: /private\n"
    _add("robots", plain, PAGE, robots(some), also=private, forbidden=("/private",))
    _add("robots for us", plain, PAGE, robots("User-agent: *\nDisallow: /\n\nUser-agent: BodyText\nDisallow: /private"),
         also=private, forbidden=("/private",))  # fmt: skip
    _add("robots for others", plain, PAGE, robots("User-agent: otherbot\nDisallow: /"))
    _add("robots with stars", plain, PAGE, robots("User-agent: *\nDisallow: /p*e/\nAllow: /*1$\nDisallow: /*2$\n"),
         also={"/2": "robots.txt"}, forbidden=("/2",))  # fmt: skip
    _add(
        "robots against all",
        plain,
        "robots.txt",
        robots("User-agent: *\nDisallow: /"),
        forbidden=_TWO,
    )
    _add("robots moved", plain, PAGE, moved_robots, also=private, forbidden=("/private",))
    _add("robots far away", plain, PAGE, far_robots)
    _add("robots unauthorised", plain, PAGE, robots("", "401 Unauthorized"))
    _add("robots forbidden", plain, PAGE, robots("", "403 Forbidden"))
    _add(
        "robots broken",
        plain,
        "robots.txt",
        robots("", "500 Internal Server Error"),
        forbidden=_TWO,
    )
    _add("robots broken once", plain, PAGE, refused_robots_once)
    _add("robots silent", plain, "robots.txt", silent, forbidden=_TWO)
    _add("robots endless", plain, PAGE, endless_robots, also=private, forbidden=("/private",))
    _add("robots of stars", plain, PAGE, robots("User-agent: *\nDisallow: /" + "*a" * 20000 + "\n" + some),
         also=private, forbidden=("/private",))  # fmt: skip
    _add("robots binary", plain, PAGE, robots(bytes(range(256)) * 20, type_="image/png"))
    _add(
        "robots as a page",
        plain,
        PAGE,
        robots("<html><title>Welcome</title><p>All is well", type_="text/html"),
    )
    _add(
        "robots with a mark",
        plain,
        PAGE,
        robots("\ufeff" + some),
        also=private,
        forbidden=("/private",),
    )
    _add("robots with a delay", plain, PAGE, robots("User-agent: *\nCrawl-delay: 0.7\n"))
    _add(
        "robots with a long delay",
        plain,
        "delay",
        robots("User-agent: *\nCrawl-delay: 3600\n"),
        forbidden=_TWO,
    )


_add_good()
_add_hostile()
_add_statuses()
_add_robots()
DELAYS = {"robots with a delay": 0.7}  # seconds between requests, by its robots.txt


def make_site(name: str, kind: Kind) -> Site:
    """Make a site of a kind."""
    site = Site(name, kind.answer, kind.forbidden, kind.retry_after_s)

    async def answer(visit: Visit, writer: Writer) -> None:
        if visit.path.startswith("/robots.txt"):
            await kind.robots(visit, writer)
            return
        if kind.retry_after_s and visit.number == 0 and not site.closed_until:
            site.closed_until = time.monotonic() + kind.retry_after_s
        await kind.answer(visit, writer)

    site.answer = answer
    return site


def make_web(count: int) -> tuple[Web, dict[str, str]]:
    """Make a web of sites of all kinds in turn; return it and the kind of each. Names say which never end."""
    names = list(KINDS)
    kinds = {}
    for number in range(count):
        kind = names[number % len(names)]
        never_ends = (
            silent in (KINDS[kind].answer, KINDS[kind].robots)
            or KINDS[kind].expected["/1"] == "not done in"
        )
        kinds[f"{'never-ends' if never_ends else 'site'}-{number:04}.test"] = kind
    return Web([make_site(name, KINDS[kind]) for name, kind in kinds.items()]), kinds


def is_as_expected(expected: str, html: bytes, problem: str, mark: str) -> bool:
    """Whether a record meets the expectation of a kind."""
    if expected == PAGE:
        return not problem and mark.encode() in html
    return not html and re.search(expected, problem) is not None
