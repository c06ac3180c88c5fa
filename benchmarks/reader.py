"""Measure the reader with a large database, many feeds and killed updates, and write results/reader.md.

    python benchmarks/reader.py                  all three, about ten minutes
    python benchmarks/reader.py --part update    one of: database, update, kills
    python benchmarks/reader.py --articles 5000 --feeds 50 --kills 3

The newspapers are generated and served on loopback addresses by another process. Exits with 1 if something took too
long, or an article was lost or duplicated.
"""

import argparse
import itertools
import os
import random
import shutil
import signal
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests"))

import numpy as np  # noqa: E402

from bodytext.reader.collection.feed_updates import FeedUpdater, UpdateProgress  # noqa: E402
from bodytext.reader.collection.new_entries import MOST_ENTRIES  # noqa: E402
from bodytext.reader.profiles.profiles import Profile  # noqa: E402
from bodytext.reader.store.articles import ArticleQuery  # noqa: E402
from bodytext.reader.store.body import split_paragraphs  # noqa: E402
from bodytext.reader.store.draft import ArticleDraft  # noqa: E402
from bodytext.reader.store.store import Store  # noqa: E402
from bodytext.sources.fetch import FetchLimits  # noqa: E402
from bodytext.sources.fetch_options import FetchOptions  # noqa: E402
from bodytext.sources.politeness.policy import Politeness  # noqa: E402
from loopback.newspaper import Newspaper, make_press, make_story  # noqa: E402
from loopback.server import find_addresses, serve_until_input_ends  # noqa: E402

FEEDS, ARTICLES, KILLS, STORIES = 500, 100_000, 30, 10
FRONT_S, SEARCH_S, UPDATE_S = 0.2, 0.1, 120.0  # the longest time that each may take
MOST_REPORTS = 90  # of an update before it is killed
WORDS, MEAN_WORDS = 60_000, 420  # of the vocabulary, and of a news article
CATEGORIES = (
    "world",
    "politics",
    "business",
    "technology",
    "science",
    "sport",
    "culture",
    "health",
)


@dataclass(slots=True)
class Report:
    """Lines of Markdown, and what is wrong."""

    lines: list[str] = field(default_factory=list)
    wrong: list[str] = field(default_factory=list)
    _unreported: list[str] = field(default_factory=list)

    def add(self, *lines: str) -> None:
        """Add lines and print them."""
        self.lines += lines
        print("\n".join(lines), flush=True)

    def check(self, is_right: bool, words: str) -> None:
        """Record what is wrong."""
        if not is_right:
            self.wrong.append(words)
            self._unreported.append(f"**{words}**")

    def report_wrong(self) -> None:
        """Add what went wrong since the last time."""
        if self._unreported:
            self.add("", *self._unreported)
        self._unreported = []


# A large database


def make_words(count: int) -> list[str]:
    """Make a vocabulary in which frequent words are short."""
    chance = random.Random(5)
    syllables = [consonant + vowel for consonant in "bdfgklmnprstvz" for vowel in "aeiou"]
    words: dict[str, None] = {}
    while len(words) < count:
        words["".join(chance.choices(syllables, k=1 + min(len(words).bit_length() // 4, 4)))] = None
        if len(words) < count and chance.random() < 0.5:
            words[f"{chance.choice(list('aeiou'))}{''.join(chance.choices(syllables, k=2))}"] = None
    return list(words)


def fill(store: Store, feeds: int, articles: int) -> tuple[list[str], float]:
    """Store generated articles; return their vocabulary, most frequent words first, and the seconds it took."""
    words = make_words(WORDS)
    chance = np.random.default_rng(5)
    shares = 1 / np.arange(1, WORDS + 1)  # Zipf
    sums = np.cumsum(shares / shares.sum())
    start, now = time.monotonic(), int(time.time())
    numbers = [
        store.feeds.add(f"https://paper-{n}.example/feed", f"Paper {n}").id for n in range(feeds)
    ]
    for first in range(0, articles, 1000):
        with store.write():
            for number in range(first, min(first + 1000, articles)):
                store.articles.add(make_draft(numbers[number % feeds], number, now - (articles - number) * 60, chance,
                                              (words, sums)))  # fmt: skip
        print(f"\r{first:,} articles", end="", file=sys.stderr)
    with store.write() as connection:
        connection.execute(
            "INSERT INTO states (profile, article, opened, hidden, saved) SELECT 1, id, iif(id % 3, id, 0), "
            "id % 50 = 1, iif(id % 400 = 1, id, 0) FROM articles WHERE id % 2"
        )
    profile = Profile(store, 1)
    for rank in range(2000, 2200):
        profile.set_interest("term", words[rank], 1 - (rank - 2000) / 200)
    for kind, name, weight in (
        ("category", "science", 1.0),
        ("category", "sport", -1.0),
        ("source", "7", 0.7),
    ):
        profile.set_interest(kind, name, weight)
    print(file=sys.stderr)
    return words, time.monotonic() - start


def make_draft(
    feed: int,
    number: int,
    published: int,
    chance: np.random.Generator,
    language: tuple[list[str], np.ndarray],
) -> ArticleDraft:
    """Make an article of random words, with sentences, keywords and a summary."""
    words, sums = language
    length = int(chance.gamma(3, MEAN_WORDS / 3)) + 30
    ranks = np.minimum(np.searchsorted(sums, chance.random(length)), WORDS - 1).tolist()
    chosen = [words[rank] for rank in ranks]
    sentences = [" ".join(chosen[at : at + 20]).capitalize() + "." for at in range(0, length, 20)]
    text, spans = "", []
    for place, sentence in enumerate(sentences):
        text += ("\n\n" if place and place % 4 == 0 else " ") if place else ""
        spans.append((len(text), len(text) + len(sentence)))
        text += sentence
    rare = [words[rank] for rank in sorted(set(ranks))[-12:]]
    url = f"https://paper-{feed}.example/news/{number}"
    return ArticleDraft(
        feed, url, " ".join(chosen[:8]).capitalize(), str(number), "A. Writer", published, "en", f"{url}.jpg", 0.9,
        length, category=CATEGORIES[number % 8], category_chance=0.8, keywords=tuple((word, 1.0) for word in rare),
        ranking=tuple(range(len(spans))), sentences=tuple(spans), text=text, body=split_paragraphs(text),
        signature=b"x" * 280,
    )  # fmt: skip


def measure_database(feeds: int, articles: int, folder: Path, report: Report) -> None:
    """Measure lists and searches."""
    with Store(folder / "large.sqlite") as store:
        words, seconds = fill(store, feeds, articles)
        size = sum(file.stat().st_size for file in folder.glob("large.sqlite*"))
        report.add(
            "## A large database", "",
            f"{feeds:,} feeds and {articles:,} articles of {MEAN_WORDS} words on average, drawn from {WORDS:,} "
            f"words by Zipf's law: {size / 2**30:.1f} GiB, stored in {seconds:.0f} s "
            f"({1000 * seconds / articles:.1f} ms an article, in transactions of a thousand).", "",
            "Wall-clock times, first with a new connection, then twenty times; CPU times too, since "
            f"others used the machine as well (load {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores).", "",
            "| what | first, ms | median, ms | longest, ms | CPU, ms | allowed, ms |", "|---|---:|---:|---:|---:|---:|",
        )  # fmt: skip
    lists = store_lists()
    searches = {
        "search: a word that nearly all have": words[0],
        "search: a word that one in four has": words[150],
        "search: a rare word": words[-500],
        "search: two words": f"{words[40]} {words[900]}",
        "search: three frequent words": f"{words[1]} {words[2]} {words[3]}",
        "search: a phrase": f'"{words[3]} {words[5]}"',
        "search: a beginning": words[5][:2] + words[9][:1],
        "search: without a word": f"{words[200]} -{words[2]}",
        "search: nothing": "xyzzyqx",
    }
    for name, act in lists.items():
        _measure(name, lambda store, act=act: len(act(store)), FRONT_S, folder, report)  # type: ignore[misc]
    for name, question in searches.items():
        look = lambda store, question=question: len(store.articles.search(question, 1))  # noqa: E731
        _measure(name, look, SEARCH_S, folder, report)
    measure_app(folder, words, report)


def store_lists() -> dict[str, Callable[[Store], list[object]]]:
    """Return the queries that pages are made of."""
    return {
        "front page, newest": lambda store: list(
            store.articles.list_cards(ArticleQuery(profile=1))
        ),
        "front page, personal": lambda store: list(
            Profile(store, 1).list_front(ArticleQuery(profile=1))
        ),
        "front page, unread": lambda store: list(
            store.articles.list_cards(ArticleQuery(profile=1, unread=True))
        ),
        "a category": lambda store: list(
            store.articles.list_cards(ArticleQuery(profile=1, category="science"))
        ),
        "a feed": lambda store: list(store.articles.list_cards(ArticleQuery(profile=1, feed=7))),
        "saved": lambda store: list(store.articles.list_cards(ArticleQuery(profile=1, saved=True))),
        "page 1,000 of the newest": lambda store: list(
            store.articles.list_cards(
                ArticleQuery(profile=1, before=(int(time.time()) - 30_000 * 60, 0))
            )
        ),
        "all subscriptions": lambda store: list(store.feeds.list_all()),
        "an article": lambda store: [store.articles.find(ARTICLES // 3, 1)],
        "counts": lambda store: [store.states.count(1), store.articles.count_categories()],
    }


def _measure(
    name: str, act: Callable[[Store], int], allowed_s: float, folder: Path, report: Report
) -> None:
    """Time an action with a new connection, and then repeatedly."""
    with Store(folder / "large.sqlite") as store:
        times, spent = [], []
        for _ in range(21):
            start, busy = time.perf_counter(), time.process_time()
            act(store)
            times.append(1000 * (time.perf_counter() - start))
            spent.append(1000 * (time.process_time() - busy))
    _report_times(name, times, f"{statistics.median(spent[1:]):.1f}", allowed_s, report)


def _report_times(
    name: str, times: list[float], spent: str, allowed_s: float, report: Report
) -> None:
    rest, allowed = times[1:], 1000 * allowed_s
    median = statistics.median(rest)
    report.add(
        f"| {name} | {times[0]:.1f} | {median:.1f} | {max(rest):.1f} | {spent} | {allowed:.0f} |"
    )
    report.check(median <= allowed, f"{name} took {median:.0f} ms")


def measure_app(folder: Path, words: list[str], report: Report) -> None:
    """Measure the pages of the app as a browser gets them."""
    command = [sys.executable, "-m", "bodytext", "reader", "--database", str(folder / "large.sqlite"), "--no-browser",
               "--no-updates"]  # fmt: skip
    pages = {"/": FRONT_S, "/?order=newest": FRONT_S, "/?category=science": FRONT_S}
    pages |= {f"/search?q={words[rank]}": SEARCH_S for rank in (0, 150, -500)}
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as server:
        if server.stderr is None:
            raise OSError("the server has no pipe")
        address = next(
            word for word in server.stderr.readline().split() if word.startswith("http")
        ).rstrip("/")
        for page, allowed_s in pages.items():
            times = []
            for _ in range(21):
                start = time.perf_counter()
                with urllib.request.urlopen(address + page) as answer:  # noqa: S310 - our own
                    answer.read()
                times.append(1000 * (time.perf_counter() - start))
            _report_times(f"the app over HTTP: {page}", times, "", allowed_s, report)
        server.terminate()


# Updates


def make_papers(feeds: int, stories: int) -> list[Newspaper]:
    """Make newspapers with a number of stories each."""
    return [
        Newspaper(f"paper-{n}.test", [make_story(k, str(n), paragraphs=8) for k in range(stories)],
                  ("rss", "atom", "json")[n % 3], f"Paper {n}")
        for n in range(feeds)
    ]  # fmt: skip


@contextmanager
def serving(feeds: int, stories: int) -> Iterator[int]:
    """Serve the newspapers in another process; yield the port."""
    command = [sys.executable, __file__, "--serve", str(feeds), str(stories)]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as server:
        if server.stdin is None or server.stdout is None:
            raise OSError("the server has no pipes")
        yield int(server.stdout.readline())
        server.stdin.close()
        server.stdout.read()


def make_fetching(names: list[str], delay_seconds: float) -> FetchOptions:
    """Return how the newspapers are fetched: like any others, but on this machine."""
    politeness = Politeness(delay_seconds=delay_seconds)
    return FetchOptions(
        FetchLimits(allow_private=True),
        politeness,
        resolve=lambda name, _port: find_addresses(name, set(names)),
    )


def measure_update(feeds: int, folder: Path, report: Report) -> None:
    """Measure updates: the first, one without news, one with some."""
    names = [f"paper-{n}.test" for n in range(feeds)]
    with serving(feeds, STORIES) as port, Store(folder / "update.sqlite") as store:
        for name in names:
            store.feeds.add(f"http://{name}:{port}/feed")
        report.add(
            "", "## Updates", "",
            f"{feeds} feeds (RSS, Atom and JSON) of {feeds} hosts with {STORIES} articles of 8 paragraphs each, on "
            "loopback, with a second between the requests to a host. The server runs on the same machine, "
            "as does other work: the load is how many processes wanted a core.",
            "", "| update | feeds | new articles | seconds | CPU, s | CPU ms an article | load | allowed, s |",
            "|---|---:|---:|---:|---:|---:|---:|---:|",
        )  # fmt: skip
        fetching = make_fetching(names, 1.0)
        for name, wanted in (("the first", feeds * STORIES), ("without news", 0)):
            start, spent = time.monotonic(), time.process_time()
            progress = FeedUpdater(store, fetching, _tell).update(store.feeds.list_all())
            seconds, spent = time.monotonic() - start, time.process_time() - spent
            each = f"{1000 * spent / progress.stored:.1f}" if progress.stored else ""
            load = f"{os.getloadavg()[0]:.1f} on {os.cpu_count()} cores"
            times = f"{seconds:.1f} | {spent:.1f} | {each} | {load} | {UPDATE_S:.0f}"
            report.add(f"| {name} | {feeds:,} | {progress.stored:,} | {times} |")
            report.check(seconds <= UPDATE_S, f"the update took {seconds:.0f} s")
            report.check(
                progress.stored == wanted, f"{progress.stored} articles were stored, not {wanted}"
            )
            report.check(
                not progress.problems and not progress.missing, f"problems: {progress.problems}"
            )


def _tell(progress: UpdateProgress) -> None:
    if sys.stderr.isatty():
        print(f"\r{progress.read} feeds, {progress.stored} articles", end="", file=sys.stderr)


# Kills


def measure_kills(kills: int, folder: Path, report: Report) -> None:
    """Kill updates at random moments, then let one end, and count the articles."""
    # The reader takes the newest 100 of a feed.
    feeds, stories, before = 20, min(5 + 2 * kills, MOST_ENTRIES), len(report.wrong)
    names = [f"paper-{n}.test" for n in range(feeds)]
    path = folder / "kills.sqlite"
    chance = random.Random(5)
    with serving(feeds, stories) as port:
        marked: dict[int, tuple[int, int]] = {}
        for number in range(kills):
            with Store(path) as store:
                for name in names:
                    store.feeds.add(f"http://{name}:{port}/feed")
            _kill_one(path, feeds, chance)
            _look_after(path, marked, chance, report, f"kill {number + 1}")
        with Store(path) as store:
            half = store.connection.execute("SELECT count(*) FROM articles").fetchone()[0]
            FeedUpdater(store, make_fetching(names, 0)).update(store.feeds.list_all())
        _look_after(path, marked, chance, report, "the end")
        with Store(path) as store:
            rows = store.connection.execute("SELECT url, guid, feed FROM articles").fetchall()
    report.check(len(rows) == feeds * stories, f"{len(rows)} articles, not {feeds * stories}")
    report.check(len({row["url"] for row in rows}) == len(rows), "an article is stored twice")
    report.check(
        len({(row["feed"], row["guid"]) for row in rows}) == len(rows), "an article is stored twice"
    )
    report.add(
        "", "## Kills", "",
        f"Updates of {feeds} feeds with {stories} articles each, killed (SIGKILL) {kills} times, each after "
        f"up to {MOST_REPORTS} steps (a feed read, an article stored) and at most 20 ms, "
        f"and then one that ran to its end. Between the kills articles were opened and saved, {len(marked)} in all. After "
        "each kill the database was opened and checked (SQLite's integrity check, foreign keys, the search index).",
        f"After the last kill, {half} articles were stored; in the end {len(rows)} of {feeds * stories}. "
        f"Wrong: {len(report.wrong) - before}.",
    )  # fmt: skip


def _kill_one(path: Path, feeds: int, chance: random.Random) -> None:
    """Start an update, and kill it after a number of progress reports or a moment later."""
    command = [sys.executable, __file__, "--update", str(path), str(feeds)]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as child:
        if child.stdout is None:
            raise OSError("the update has no pipe")
        for _ in range(chance.randrange(MOST_REPORTS)):
            child.stdout.readline()
        time.sleep(chance.uniform(0.0, 0.02))
        child.send_signal(signal.SIGKILL)


def _look_after(
    path: Path, marked: dict[int, tuple[int, int]], chance: random.Random, report: Report, when: str
) -> None:
    """Check a database and the earlier marks after a kill, and mark more articles."""
    with Store(path) as store:
        connection = store.connection
        report.check(
            connection.execute("PRAGMA integrity_check").fetchone()[0] == "ok",
            f"{when}: it is damaged",
        )
        report.check(
            not connection.execute("PRAGMA foreign_key_check").fetchall(),
            f"{when}: a row refers to a missing one",
        )
        try:
            with store.write() as writing:
                writing.execute(
                    "INSERT INTO articles_fts (articles_fts, rank) VALUES ('integrity-check', 1)"
                )
        except sqlite3.DatabaseError as problem:
            report.check(False, f"{when}: the index of the search is wrong ({problem})")
        for article, (opened, saved) in marked.items():
            state = store.states.find(1, article)
            report.check(
                (state.opened, state.saved) == (opened, saved),
                f"{when}: what was read or saved is lost",
            )
        whole = connection.execute(
            "SELECT count(*) FROM articles WHERE text = '' OR body = ''"
        ).fetchone()[0]
        report.check(not whole, f"{when}: {whole} articles are not whole")
        numbers = [row[0] for row in connection.execute("SELECT id FROM articles")]
        for article in chance.sample(numbers, min(3, len(numbers))):
            state = store.states.mark(1, article, opened=True, saved=True)
            marked[article] = (state.opened, state.saved)


def run_update(path: Path, feeds: int) -> None:
    """Run an update to be killed, which reports its progress after each feed and article."""
    with Store(path) as store:
        fetching = make_fetching([f"paper-{n}.test" for n in range(feeds)], 0)
        FeedUpdater(store, fetching, lambda progress: print(progress.stored, flush=True)).update(
            store.feeds.list_all()
        )


def main() -> int:
    """Measure and report."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--part", choices=("database", "update", "kills"), action="append")
    parser.add_argument("--feeds", type=int, default=FEEDS)
    parser.add_argument("--articles", type=int, default=ARTICLES)
    parser.add_argument("--kills", type=int, default=KILLS)
    parser.add_argument(
        "--folder", type=Path, help="where the databases are kept; default: a temporary folder"
    )
    parser.add_argument("--serve", nargs=2, type=int, help=argparse.SUPPRESS)
    parser.add_argument("--update", nargs=2, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.serve:
        serve_until_input_ends(make_press(make_papers(*options.serve)))
        return 0
    if options.update:
        run_update(Path(options.update[0]), int(options.update[1]))
        return 0
    report = Report()
    report.add(
        "# The reader", "", "    python benchmarks/reader.py", "",
        f"{datetime.now(UTC):%Y-%m-%d}, Python {sys.version.split()[0]}, SQLite {sqlite3.sqlite_version}, bodytext "
        f"{version('bodytext')}, {os.cpu_count()} cores.", "",
    )  # fmt: skip
    folder = options.folder or Path(tempfile.mkdtemp())
    folder.mkdir(parents=True, exist_ok=True)
    parts = options.part or ["database", "update", "kills"]
    try:
        if "database" in parts:
            measure_database(options.feeds, options.articles, folder, report)
            report.report_wrong()
        if "update" in parts:
            measure_update(options.feeds, folder, report)
            report.report_wrong()
        if "kills" in parts:
            measure_kills(options.kills, folder, report)
            report.report_wrong()
    finally:
        if options.folder is None:
            shutil.rmtree(folder)
    if (options.feeds, options.articles, options.kills) == (FEEDS, ARTICLES, KILLS):
        write_results(report.lines)
    return 1 if report.wrong else 0


def write_results(lines: list[str]) -> None:
    """Write the parts that were measured; the others stay as they are."""
    path = ROOT / "results" / "reader.md"
    before = path.read_text("utf-8").splitlines() if path.exists() else []
    sections = {section[0]: section for section in (*_cut(before), *_cut(lines))}
    order = [
        name
        for name in ("# The reader", "## A large database", "## Updates", "## Kills")
        if name in sections
    ]
    path.write_text(
        "\n\n".join("\n".join(sections[name]).strip() for name in order) + "\n", "utf-8"
    )


def _cut(lines: list[str]) -> Iterator[list[str]]:
    """Split a report into its sections, each with its heading."""
    places = [place for place, line in enumerate(lines) if line.startswith("#")]
    for start, end in itertools.pairwise([*places, len(lines)]):
        yield lines[start:end]


if __name__ == "__main__":
    sys.exit(main())
