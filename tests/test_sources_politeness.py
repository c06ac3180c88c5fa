"""Fetching many pages politely: robots.txt, pauses, retries, order, measured by a web of misbehaving sites."""

import asyncio
import time
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from protego import Protego

from bodytext import parse
from bodytext.sources.fetch import (
    Cache,
    Client,
    ConnectError,
    FetchError,
    FetchLimits,
    HttpResponse,
    RedirectError,
)
from bodytext.sources.fetch.client import Journey
from bodytext.sources.fetch.hosts import read_target
from bodytext.sources.fetch.limits import Deadline
from bodytext.sources.politeness.fetcher import (
    Fetcher,
    FetcherStoppedError,
    FetchProgress,
    PageRequest,
    ReorderingBuffer,
)
from bodytext.sources.politeness.host_queue import HostQueue, Job, host_key
from bodytext.sources.politeness.policy import Politeness
from bodytext.sources.politeness.robots import (
    MOST_BYTES,
    RobotsRules,
    find_sitemap_lines,
    parse_rules,
    read_rules,
)
from bodytext.sources.politeness.scheduler import Scheduler, _Origin, decide_retry, read_retry_after
from bodytext.sources.record import Record
from loopback.server import Site, Visit, Web
from loopback.sites import DELAYS, KINDS, Writer, is_as_expected, make_site, make_web, plain, send

PATIENCE_S = 60.0  # for work that takes a moment on an idle machine
NEVER_ENDS = "never-ends"  # in the names of such sites
DELAY_S = 0.2
POLITE = Politeness(
    delay_seconds=DELAY_S,
    concurrency=64,
    retries=2,
    backoff_seconds=0.3,
    longest_wait_seconds=5,
    most_failures=5,
)


def _client(web: Web) -> Client:
    return Client(
        FetchLimits(max_seconds=PATIENCE_S, max_bytes=2_000_000, allow_private=True),
        resolve=web.resolve,
    )


class _PatientClient(Client):
    """A client with a short deadline for hosts that never end, and a long one for all others."""

    async def request(
        self,
        url: str,
        types: frozenset[str] | None = None,
        journey: Journey | None = None,
        deadline: Deadline | None = None,
    ) -> HttpResponse:
        never_ends = NEVER_ENDS in url
        return await super().request(url, types, journey, Deadline(1.5) if never_ends else deadline)


def _nothing(_outcome: object) -> None:
    """Ignore an outcome."""


# The whole


@pytest.mark.slow
def test_a_web_of_misbehaving_sites() -> None:
    """Each page of each kind of site is fetched or has a reason, no site's limits are broken, and the run ends."""
    web, kinds = make_web(len(KINDS))
    wanted = [
        (name, path)
        for path in ("/1", "/private/1", "/2", "/private/2")
        for name, kind in kinds.items()
        if path in KINDS[kind].expected
    ]
    client = _PatientClient(_client(web).limits, resolve=web.resolve)
    start = time.monotonic()
    with web, Fetcher(client, POLITE) as fetcher:
        requests = [
            PageRequest(web.url(*page), offset=number) for number, page in enumerate(wanted)
        ]
        records = list(fetcher.fetch(requests))
    assert time.monotonic() - start < 2 * PATIENCE_S
    assert sorted(record.offset for record in records) == list(range(len(requests)))
    for record in records:
        name, path = wanted[record.offset]
        expected = KINDS[kinds[name]].expected[path]
        assert is_as_expected(expected, record.html, record.problem, f"marker of {name}{path}"), (
            kinds[name],
            record,
        )
    for name, site in web.sites.items():
        kind, measure = kinds[name], site.measure
        assert measure.requests, kind
        assert measure.most_at_a_time == 1, kind
        assert measure.least_gap_s >= DELAYS.get(kind, DELAY_S), kind
        assert not measure.forbidden, kind
        assert not measure.too_early, kind
        assert all(agent.startswith("bodytext/") for agent in measure.agents)


def test_pages_in_a_charset_that_the_host_names_wrongly() -> None:
    with (
        Web([make_site("a.test", KINDS["wrong charset"])]) as web,
        Fetcher(_client(web), POLITE) as fetcher,
    ):
        (record,) = fetcher.fetch([PageRequest(web.url("a.test", "/1"))])
    assert record.charset == "utf-8"
    assert "Паром на остров" in "\n".join(parse(record.html, charset=record.charset).texts())


def test_a_record_has_what_its_request_knew() -> None:
    with (
        Web([make_site("a.test", KINDS["moved inside"])]) as web,
        Fetcher(_client(web), POLITE) as fetcher,
    ):
        wanted = PageRequest(web.url("a.test", "/1"), "The title in the feed", "feed.xml", 7)
        gone = PageRequest("http://nowhere.test/", "Another", "feed.xml", 8)
        known = PageRequest("", "Third", "feed.xml", 9, problem="the entry has no address")
        fetched, lost, third = fetcher.fetch([wanted, gone, known], ordered=True)
    assert (fetched.title, fetched.source, fetched.offset) == (
        "The title in the feed",
        "feed.xml",
        7,
    )
    assert fetched.url == web.url("a.test", "/1?moved")
    assert fetched.time
    assert not fetched.problem
    assert (lost.html, lost.url, lost.title, lost.offset) == (
        b"",
        "http://nowhere.test/",
        "Another",
        8,
    )
    assert "not known" in lost.problem
    assert third == Record(
        b"", "", title="Third", source="feed.xml", offset=9, problem="the entry has no address"
    )


@pytest.mark.parametrize(
    ("body", "problem"),
    [(b"  \n", "empty"), (b"%PDF-1.7 and more", "PDF"), (b"<p>" + b"word " * 9, "")],
)
def test_a_response_without_a_page_has_a_reason(body: bytes, problem: str) -> None:
    async def answer(_visit: Visit, writer: Writer) -> None:
        await send(writer, body)

    polite = Politeness(delay_seconds=0, obey_robots=False)
    with Web([Site("a.test", answer)]) as web, Fetcher(_client(web), polite) as fetcher:
        (record,) = fetcher.fetch([PageRequest(web.url("a.test"))])
    assert problem in record.problem
    assert bool(record.html) == (not problem)


# Order, memory, ends


def _many(web: Web, count: int) -> list[PageRequest]:
    return [
        PageRequest(web.url(f"s{number % 20}.test", f"/{number}"), offset=number)
        for number in range(count)
    ]


def _fast_web(count: int = 20) -> Web:
    async def answer(visit: Visit, writer: Writer) -> None:
        if visit.site == "s7.test":
            await send(writer, b"", "503 Service Unavailable", "Retry-After: 0\r\n")
        else:
            await plain(visit, writer)

    return Web([Site(f"s{number}.test", answer) for number in range(count)])


def test_records_in_the_order_of_the_requests() -> None:
    polite = Politeness(delay_seconds=0, backoff_seconds=0, obey_robots=False, most_failures=1000)
    with _fast_web() as web, Fetcher(_client(web), polite) as fetcher:
        assert [record.offset for record in fetcher.fetch(_many(web, 200), ordered=True)] == list(
            range(200)
        )


def test_requests_are_not_read_far_ahead(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bodytext.sources.politeness.fetcher._WINDOW", 30)
    polite = Politeness(delay_seconds=0, obey_robots=False, concurrency=4, backoff_seconds=0)
    read = 0

    def requests(web: Web) -> Iterator[PageRequest]:
        nonlocal read
        for request in _many(web, 100):
            read += 1
            yield request

    with _fast_web() as web, Fetcher(_client(web), polite) as fetcher:
        records = fetcher.fetch(requests(web))
        next(records)
        time.sleep(0.5)
        assert read <= 32
        fetched = sum(site.measure.requests for site in web.sites.values())
        # Records are not taken, so no more pages are fetched; one host is retried
        assert fetched <= 4 * 4 + 4
        assert len(list(records)) == 99


def test_fetching_ends_when_nobody_takes_the_records() -> None:
    polite = Politeness(delay_seconds=0.05, obey_robots=False, concurrency=4)
    with _fast_web() as web:
        with Fetcher(_client(web), polite) as fetcher:
            for _record in fetcher.fetch(_many(web, 1000)):
                break
        seen = [-1, 0]
        while seen[-2] != seen[-1]:  # requests that were being sent may still arrive
            time.sleep(0.5)
            seen.append(sum(site.measure.requests for site in web.sites.values()))
        assert seen[-1] < 500  # of a thousand
        with pytest.raises(FetcherStoppedError):
            fetcher.get(web.url("s1.test"))


def test_an_error_of_the_requests_is_raised() -> None:
    def requests(web: Web) -> Iterable[PageRequest]:
        yield PageRequest(web.url("s1.test"))
        raise OSError("the list is on a disk that is gone")

    with _fast_web() as web, Fetcher(_client(web), Politeness(obey_robots=False)) as fetcher:
        records = fetcher.fetch(requests(web))
        assert not next(records).problem
        with pytest.raises(OSError, match="disk"):
            next(records)


def test_progress_is_reported() -> None:
    reports: list[tuple[int, int, int]] = []

    def report(progress: FetchProgress) -> None:
        reports.append((progress.fetched, progress.failed, progress.bytes))

    polite = Politeness(delay_seconds=0, obey_robots=False, backoff_seconds=0)
    with _fast_web() as web, Fetcher(_client(web), polite, report) as fetcher:
        records = list(fetcher.fetch(_many(web, 40)))
    assert reports[-1] == (38, 2, sum(len(record.html) for record in records))


def test_requests_may_fetch_their_listing() -> None:
    with (
        _fast_web() as web,
        Fetcher(_client(web), Politeness(delay_seconds=0, obey_robots=False)) as fetcher,
    ):

        def requests() -> Iterator[PageRequest]:
            for number in (1, 2):
                listing = fetcher.get(web.url(f"s{number}.test", "/list"))
                yield PageRequest(web.url(f"s{number}.test", "/page"), title=str(listing.status))

        assert [record.title for record in fetcher.fetch(requests())] == ["200", "200"]


@given(st.permutations(range(30)), st.integers(0, 400))
def test_the_reordering_buffer_sorts(order: list[int], room: int) -> None:
    records = ((number, Record(b"%d" % number * 10, offset=number)) for number in order)
    ordered = list(ReorderingBuffer(room).sort(records))
    assert [record.offset for record in ordered] == list(range(30))
    assert all(record.html == b"%d" % record.offset * 10 for record in ordered)


# Hosts


def test_a_host_is_the_same_with_www_and_other_ports() -> None:
    keys = {
        host_key(read_target(url))
        for url in (
            "http://example.org/",
            "https://www.example.org/a",
            "http://EXAMPLE.org.:8080/",
            "http://www.example.org:8081/",
        )
    }
    assert keys == {"example.org"}
    assert host_key(read_target("http://blog.example.org/")) == "blog.example.org"


def test_www_and_redirects_count_for_the_host_they_go_to() -> None:
    async def answer(visit: Visit, writer: Writer) -> None:
        host = visit.headers["host"].partition(":")[2]
        if visit.site == "door.test":
            await send(
                writer, b"", "302 Found", f"Location: http://www.busy.test:{host}{visit.path}\r\n"
            )
        else:
            await plain(visit, writer)

    sites = [Site("door.test", answer), Site("busy.test", answer)]
    polite = Politeness(delay_seconds=0.15, obey_robots=False, per_host=1)
    with Web(sites) as web, Fetcher(_client(web), polite) as fetcher:
        urls = [
            web.url(host, f"/{number}")
            for number in range(2)
            for host in ("busy.test", "www.busy.test", "door.test")
        ]
        records = list(fetcher.fetch([PageRequest(url) for url in urls]))
    assert not [record.problem for record in records if record.problem]
    measure = web.sites["busy.test"].measure
    assert (measure.requests, measure.most_at_a_time) == (6, 1)
    assert measure.least_gap_s >= 0.15


def test_several_requests_at_a_time_if_allowed() -> None:
    polite = Politeness(delay_seconds=0, obey_robots=False, per_host=3)

    async def wait_for_three(visit: Visit, writer: Writer) -> None:
        while site.measure.most_at_a_time < 3:
            await asyncio.sleep(0.01)
        await plain(visit, writer)

    site = Site("a.test", wait_for_three)
    with Web([site]) as web, Fetcher(_client(web), polite) as fetcher:
        requests = [PageRequest(web.url("a.test", f"/{number}")) for number in range(9)]
        assert not [record.problem for record in fetcher.fetch(requests) if record.problem]
    assert site.measure.most_at_a_time == 3


def test_a_dead_host_is_given_up() -> None:
    """Many pages of a host that never answers do not take the time limit each."""
    with Web([make_site("a.test", KINDS["reset"])]) as web:
        polite = Politeness(
            delay_seconds=0, backoff_seconds=0.01, obey_robots=False, most_failures=4, retries=2
        )
        with Fetcher(_client(web), polite) as fetcher:
            records = list(
                fetcher.fetch(
                    [PageRequest(web.url("a.test", f"/{number}")) for number in range(100)]
                )
            )
    assert len(records) == 100
    # One retry less for each page that failed before
    assert web.sites["a.test"].measure.requests == 3 + 2 + 1 + 1
    assert sum("failed with 4 addresses in a row" in record.problem for record in records) == 96


def test_a_stored_page_needs_no_pause(tmp_path: Path) -> None:
    with Web([make_site("a.test", KINDS["plain 0"])]) as web:
        requests = [PageRequest(web.url("a.test", f"/{number}")) for number in range(4)]
        client = Client(
            FetchLimits(allow_private=True),
            cache=Cache(tmp_path, fresh_seconds=1000),
            resolve=web.resolve,
        )
        for delay, least, most in ((0.4, 1.2, 3 * PATIENCE_S), (PATIENCE_S, 0.0, PATIENCE_S)):
            start = time.monotonic()
            with Fetcher(client, Politeness(delay_seconds=delay, obey_robots=False)) as fetcher:
                assert not [record.problem for record in fetcher.fetch(requests) if record.problem]
            assert least <= time.monotonic() - start <= most
        assert web.sites["a.test"].measure.requests == 4


# The queue, without a clock


def _jobs(queue: HostQueue, key: str, count: int) -> None:
    for number in range(count):
        queue.add(queue.host(key), Job(f"{key}/{number}", _nothing))


def test_a_delay_counts_from_the_end_of_a_request() -> None:
    queue = HostQueue(Politeness(delay_seconds=1, per_host=1))
    _jobs(queue, "a", 2)
    taken = queue.take(0)
    assert taken is not None
    host = taken[0]
    queue.finish(host, 5)
    host.delay_seconds = 7  # as its robots.txt said
    assert queue.take(11.9) is None
    assert queue.take(12) is not None


def test_a_host_rests_between_requests() -> None:
    queue = HostQueue(Politeness(delay_seconds=10, per_host=1))
    _jobs(queue, "a", 3)
    taken = queue.take(100)
    assert taken is not None
    host = taken[0]
    assert queue.take(1000) is None  # one at a time
    queue.finish(host, 105)
    assert queue.next_moment() == 115
    assert queue.take(114.9) is None
    assert queue.take(115) is not None
    queue.finish(host, 116)
    queue.rest(host, 500)
    assert queue.take(499) is None
    assert queue.take(500) is not None
    assert queue.waiting == 0


def test_hosts_take_turns() -> None:
    queue = HostQueue(Politeness(delay_seconds=1, per_host=1))
    _jobs(queue, "a", 3)
    _jobs(queue, "b", 3)
    order = []
    for now in range(10):
        while taken := queue.take(now):
            order.append(taken[1].url)
            queue.finish(taken[0], now)
    assert order == ["a/0", "b/0", "a/1", "b/1", "a/2", "b/2"]


@settings(max_examples=60)
@given(
    st.lists(st.tuples(st.sampled_from("abc"), st.floats(0, 5)), max_size=40),
    st.integers(1, 3),
    st.floats(0, 2),
)
def test_no_sequence_of_jobs_breaks_a_limit(
    jobs: list[tuple[str, float]], per_host: int, delay: float
) -> None:
    """Jobs of random length in simulated time: never more at once than allowed, never closer than the delay."""
    queue = HostQueue(Politeness(delay_seconds=delay, per_host=per_host))
    for number, (key, _) in enumerate(jobs):
        queue.add(queue.host(key), Job(str(number), _nothing))
    now, running, starts = 0.0, [], {}  # type: ignore[var-annotated]
    done = 0
    while done < len(jobs):
        while taken := queue.take(now):
            host, job = taken
            assert sum(other is host for _, other in running) < per_host
            assert now - starts.get(host.key, -10.0) >= delay - 1e-9
            starts[host.key] = now
            running.append((now + jobs[int(job.url)][1], host))
        moments = [end for end, _ in running] + (
            [moment] if (moment := queue.next_moment()) is not None else []
        )
        now = max(now, min(moments))
        for end, host in [pair for pair in running if pair[0] <= now]:
            running.remove((end, host))
            queue.finish(host, now)
            done += 1
    assert queue.waiting == 0


def test_idle_hosts_are_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bodytext.sources.politeness.host_queue._MOST_IDLE_HOSTS", 10)
    queue = HostQueue(Politeness(delay_seconds=1))
    for number in range(50):
        queue.rest(queue.host(f"old{number}"), 5)
    busy = queue.host("busy")
    queue.add(busy, Job("x", _nothing))
    queue.host("closed").closed = "for a day"
    queue.rest(queue.host("resting"), 100)
    queue.forget_idle(50)
    assert queue.host("busy") is busy
    assert queue.host("closed").closed
    assert queue.host("resting").rests_until == 100
    assert queue.host("old1").rests_until == 0


@pytest.mark.parametrize(
    "name", ["per_host", "concurrency", "most_failures", "delay_seconds", "retries"]
)
def test_politeness_is_checked(name: str) -> None:
    with pytest.raises(ValueError, match=name):
        Politeness(**{name: -1})  # type: ignore[arg-type]


# Patience


def _response(status: int, **headers: str) -> HttpResponse:
    return HttpResponse(
        "http://a.example/",
        status,
        b"",
        {name.replace("_", "-"): value for name, value in headers.items()},
    )


@pytest.mark.parametrize(
    ("value", "seconds"),
    [("7", 7), ("0", 0), ("", None), ("soon", None), ("-5", None), ("9" * 400, 999999999999), ("٣", None),
     ("Wed, 21 Oct 2015 07:28:00 GMT", 0)],
)  # fmt: skip
def test_retry_after(value: str, seconds: float | None) -> None:
    assert read_retry_after(_response(503, retry_after=value)) == seconds


def test_retries() -> None:
    polite = Politeness(retries=2, backoff_seconds=3, longest_wait_seconds=100)
    assert not decide_retry(_response(200), 0, 0, polite).retry
    assert not decide_retry(_response(404), 0, 0, polite).retry
    assert not decide_retry(FetchError("no"), 0, 0, polite).retry
    failed = [decide_retry(ConnectError("broke"), attempt, 0, polite) for attempt in range(3)]
    assert [(decision.retry, decision.rest_seconds) for decision in failed] == [
        (True, 3),
        (True, 6),
        (False, 12),
    ]
    assert not decide_retry(ConnectError("broke"), 0, 2, polite).retry
    assert decide_retry(_response(503, retry_after="9"), 0, 0, polite).rest_seconds == 9
    skipped = decide_retry(_response(429, retry_after="101"), 0, 0, polite)
    assert "asked to be left alone for 101 s" in skipped.skip_reason
    retried = decide_retry(_response(500, retry_after="101"), 0, 0, polite)
    assert retried.rest_seconds == 3  # with this status no host asks for a pause


# robots.txt


def _allows(body: str, path: str, agent: str = "bodytext/0.1 (+https://example.org)") -> bool:
    return not parse_rules(body.encode(), agent).refuse(f"http://a.example{path}")


def test_the_rules_of_a_robots_file() -> None:
    body = "User-agent: *\nDisallow: /\n\nUser-agent: BodyText\nAllow: /open\nDisallow: /shut\nCrawl-delay: 2.5\n"
    assert not _allows(body, "/open", "other/1")
    assert _allows(body, "/open")
    assert not _allows(body, "/shut/x")
    assert parse_rules(body.encode(), "bodytext/1").delay_seconds == 2.5
    assert find_sitemap_lines(
        (body + "Sitemap: https://a.example/map.xml\n sitemap:/b.xml # x\n").encode()
    ) == [
        "https://a.example/map.xml",
        "/b.xml",
    ]


@pytest.mark.parametrize(
    ("outcome", "allowed"),
    [
        (_response(404), True),
        (_response(401), True),
        (_response(403), True),
        (_response(204), True),
        (RedirectError("a circle"), True),
        (_response(500), False),
        (_response(503), False),
        (_response(429), False),
        (ConnectError("broke"), False),
    ],
)
def test_robots_files_that_cannot_be_read(
    outcome: HttpResponse | FetchError, allowed: bool
) -> None:
    refusal = read_rules(outcome, "bodytext/1").refuse("http://a.example/")
    assert (not refusal) == allowed
    assert allowed or "could not be read" in refusal


_LINES = st.sampled_from(
    ["User-agent: *", "User-agent: bodytext", "user agent body", "User-agent: bod*", "User-agent: other # bodytext",
     "Useragent:other2", "User-agent:", "Disallow: /a", "Disallow: /a/b", "Allow: /a/b$", "Allow: /*c", "Disallow:", "",
     "Disallow: /", "Crawl-delay: 3", "# nothing"]
)  # fmt: skip


@given(st.lists(_LINES, max_size=12), st.sampled_from(["/a", "/a/b", "/a/b/c", "/x"]))
def test_leaving_out_other_agents_changes_nothing(lines: list[str], path: str) -> None:
    whole = Protego.parse("\n".join(lines))
    url = f"http://a.example{path}"
    rules = parse_rules("\n".join(lines).encode(), "bodytext/1")
    assert (not rules.refuse(url)) == whole.can_fetch(url, "bodytext")
    assert rules.delay_seconds == (whole.crawl_delay("bodytext") or 0)


@pytest.mark.slow
@pytest.mark.parametrize(
    "body",
    [
        b"User-agent: a\n" * 20_000 + b"Disallow: /b\n" * 20_000,
        b"".join(b"User-agent: a%d\n" % number for number in range(16_000))
        + b"Disallow: /b\n" * 20_000,
        b"User-agent: *\n" + b"".join(b"Disallow: /%d*b\n" % number for number in range(30_000)),
        b"User-agent: *\nDisallow: /" + b"*a" * 250_000,
        b"User-agent: *\nCrawl-delay: " + b"9" * 500_000,
        b"\xff\xfe\x00" * 170_000,
    ],
    ids=["agents", "names", "rules", "stars", "digits", "noise"],
)
def test_hostile_robots_files(body: bytes) -> None:
    start = time.process_time()
    rules = parse_rules(body[: MOST_BYTES + 100], "bodytext/1")
    for path in ("/" + "a" * 8000, "/5b"):
        rules.refuse(f"http://a.example{path}")
    assert time.process_time() - start < 5


def test_robots_files_are_read_once_for_a_host() -> None:
    with Web([make_site("a.test", KINDS["robots"])]) as web:
        with Fetcher(_client(web), Politeness(delay_seconds=0)) as fetcher:
            records = list(
                fetcher.fetch(
                    [PageRequest(web.url("a.test", f"/{number}")) for number in range(10)]
                )
            )
        assert not [record.problem for record in records if record.problem]
        assert web.sites["a.test"].counts["/robots.txt"] == 1


def test_the_longest_delay_of_a_host_counts() -> None:
    """A host has rules at two ports, one of which asks for a longer delay."""
    scheduler = Scheduler(Client(FetchLimits(allow_private=True)), Politeness(delay_seconds=0.1))
    for port, delay in ((80, 3.0), (8080, 0.5)):
        target = read_target(f"http://a.example:{port}/")
        scheduler._origins[target.origin] = _Origin(
            RobotsRules("bodytext", delay_seconds=delay), time.monotonic()
        )
        scheduler.admit(Job(target.url, _nothing))
    assert scheduler._hosts.host("a.example").delay_seconds == 3.0


def test_many_hosts_forget_old_robots_files(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bodytext.sources.politeness.scheduler._MOST_RULES", 5)
    sites = [make_site(f"s{number}.test", KINDS["robots"]) for number in range(20)]
    with Web(sites) as web, Fetcher(_client(web), Politeness(delay_seconds=0)) as fetcher:
        records = list(fetcher.fetch(_many(web, 40)))
        assert len(records) == 40
        assert not [record.problem for record in records if record.problem]


def test_without_the_extra_the_error_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bodytext.sources.politeness.fetcher.find_spec", lambda _name: None)
    with pytest.raises(ValueError, match=r"pip install 'bodytext\[fetch\]'"):
        Fetcher()
