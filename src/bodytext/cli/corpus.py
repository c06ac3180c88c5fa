"""bodytext corpus: pages, archives and tables in, a corpus of clean text out; and ways to look at one."""

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from bodytext.cli.commands import Command
from bodytext.cli.console import DONE, FAILED, NOTHING_FOUND, print_message, print_text
from bodytext.cli.options import add_model, at_least_one, choose_method, count
from bodytext.methods import DEFAULT, METHODS
from bodytext.methods.scores import BOUNDARY, read_threshold

if TYPE_CHECKING:
    from bodytext.sources.fetch_options import FetchOptions

_MOST_REASONS = 20  # of those that records were dropped for, and as many that they failed for, are told


def add_options(parser: argparse.ArgumentParser) -> None:
    """Give the parser this command's own commands."""
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)
    _add_build(commands.add_parser("build", help="make a corpus, or go on with one"))
    stats = commands.add_parser("stats", help="print what is in a corpus")
    stats.add_argument("corpus", type=Path, metavar="DIR", help="the folder of a corpus")
    stats.set_defaults(run=_show_stats)
    _add_sample(commands.add_parser("sample", help="print some of a corpus, chosen by chance"))


def _add_sample(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("corpus", type=Path, metavar="DIR", help="the folder of a corpus")
    parser.add_argument("-n", "--number", type=count, default=5, metavar="N", help="default 5")
    parser.add_argument("--dropped", action="store_true", help="of what was dropped")
    parser.add_argument("--errors", action="store_true", help="of what failed")
    parser.add_argument("--reason", default="", help='of one reason, such as "too short" or "quality"')
    parser.add_argument("--whole", action="store_true", help="whole texts, not only how they begin")
    parser.add_argument("--seed", type=int, default=0, help="another number gives other records")
    parser.set_defaults(run=_show_sample)


def _show_stats(options: argparse.Namespace) -> int:
    from bodytext.corpus.report.corpus_files import require_corpus
    from bodytext.corpus.report.stats import collect_stats
    from bodytext.corpus.report.stats_text import describe_stats

    require_corpus(options.corpus)
    print_text(describe_stats(collect_stats(options.corpus)))
    return DONE


def _show_sample(options: argparse.Namespace) -> int:
    from bodytext.corpus.report.corpus_files import DROPPED, KEPT
    from bodytext.corpus.report.corpus_files import FAILED as IN_ERROR
    from bodytext.corpus.report.sample import render_sample, take_sample

    if options.errors and options.dropped:
        raise ValueError("--dropped and --errors are two samples; ask for one at a time")
    part = IN_ERROR if options.errors else DROPPED if options.dropped or options.reason else KEPT
    rows = take_sample(options.corpus, options.number, part, options.reason, options.seed)
    print_text(render_sample(rows, whole=options.whole))
    return DONE if rows else NOTHING_FOUND


def _add_build(parser: argparse.ArgumentParser) -> None:
    parser.description = (
        "Makes a corpus of clean text. Every record of the sources is in it once: kept in data/, dropped with the "
        "reason in dropped/, or failed in errors/. A run that was stopped goes on with the same command. docs/corpus.md"
    )
    parser.add_argument(
        "sources",
        nargs="+",
        metavar="SOURCE",
        help="WARC files (.warc, .gz, .zst), Parquet or JSONL with a column of HTML, page files, zip and tar files of "
        "them, folders of these; s3:// and https:// addresses of such files, Common Crawl's lists of them (.paths); "
        "addresses of pages, feeds and sitemaps, lists of addresses (.txt), feed:ADDRESS, sitemap:ADDRESS",
    )
    parser.add_argument("-o", "--output", type=Path, required=True, metavar="DIR", help="the folder of the corpus")
    parser.add_argument("--format", choices=("parquet", "jsonl"), default="parquet", help="default parquet")
    parser.add_argument("--text", choices=("text", "markdown"), default="text", help="default text")
    parser.add_argument("--no-metadata", action="store_true", help="leave out authors, dates and the like: faster")
    parser.add_argument("--method", default=DEFAULT, help=f"one of {', '.join(METHODS)}; default {DEFAULT}")
    add_model(parser)
    parser.add_argument("--threshold", default=str(BOUNDARY), metavar="T", help="as in bodytext extract")
    _add_stages(parser.add_argument_group("what is kept"))
    _add_work(parser.add_argument_group("how the work is done"))
    web = parser.add_argument_group("sources in the web")
    web.add_argument("--delay", type=float, default=1.0, metavar="S", help="rest of a host between requests; default 1")
    web.add_argument("--allow-private", action="store_true", help="also hosts of this machine and of private networks")
    parser.set_defaults(run=_build)


def _add_stages(group: "argparse._ArgumentGroup") -> None:
    group.add_argument("--language", metavar="CODES", default="", help='keep these, such as "vi" or "vi,en"')
    group.add_argument("--words", type=count, default=50, metavar="N", help="a text needs so many; default 50")
    group.add_argument(
        "--confidence", type=float, default=0.5, metavar="F", help="F1 to be expected of a text; default 0.5"
    )
    group.add_argument(
        "--quality", default="gopher", metavar="RULES", help='gopher (default), c4, names of rules, or "none"'
    )
    group.add_argument("--tones", choices=("old", "new"), default="", help="one style of Vietnamese tone marks")
    group.add_argument(
        "--duplicates", choices=("near", "exact", "keep"), default="near", help="which are dropped; default near"
    )
    group.add_argument("--templates", action="store_true", help="learn first what repeats on each site: slower, better")
    group.add_argument(
        "--likeness", type=float, default=0.7, metavar="F", help="from which on texts are near duplicates; default 0.7"
    )


def _add_work(group: "argparse._ArgumentGroup") -> None:
    group.add_argument("--workers", type=at_least_one, default=0, metavar="N", help="processes; default one a processor")
    group.add_argument("--engine", choices=("local", "ray"), default="local", help="default local")
    group.add_argument("--address", default="", help="of a Ray cluster; without one Ray starts on this machine")
    group.add_argument("--root", default="", metavar="PREFIX", help="of names in .paths lists: s3://commoncrawl/")
    group.add_argument("--column", default="html", help="of tables: where the HTML stands; default html")
    group.add_argument(
        "--time-limit", type=float, default=30.0, metavar="S", help="seconds that a record may take; default 30"
    )
    group.add_argument(
        "--memory-limit", type=count, default=2048, metavar="MIB", help="a record may take; default 2048"
    )


def _build(options: argparse.Namespace) -> int:
    from bodytext.corpus.run.build import CorpusBuild
    from bodytext.corpus.run.engines import Engine, LocalEngine, RayEngine
    from bodytext.corpus.run.pipeline import UnfinishedError
    from bodytext.corpus.run.spec import CorpusSpec
    from bodytext.corpus.run.stage_list import build_stages
    from bodytext.corpus.run.worker import Limits
    from bodytext.sources.storage import require

    require("pyarrow", "corpus", "building a corpus")
    if options.output.exists() and not options.output.is_dir():
        raise ValueError(f"{options.output}: this is a file; name a folder for the corpus")
    if options.address and options.engine != "ray":
        raise ValueError("--address is of a Ray cluster; it goes with --engine ray")
    order = CorpusSpec(
        text=options.text,
        format=options.format,
        metadata=not options.no_metadata,
        method=options.method,
        model=options.model or "",
        threshold=read_threshold(_number(options.threshold)),
        column=options.column,
        templates=options.templates,
        duplicates=options.duplicates,
        likeness=options.likeness,
        words=options.words,
        confidence=options.confidence,
        languages=tuple(filter(None, options.language.split(","))),
        quality="" if options.quality == "none" else options.quality,
        tones=options.tones,
        seconds=options.time_limit,
        memory=options.memory_limit,
    )
    choose_method(order.method, order.model)
    build_stages(order)  # what a stage refuses is said before the work begins
    limits = Limits(order.seconds, order.memory)

    def start_engine() -> Engine:
        if options.engine == "ray":
            return RayEngine(limits, options.address, options.workers)
        return LocalEngine(limits, options.workers)

    try:
        build = CorpusBuild(order, options.sources, options.output, options.root, print_message, _choose_fetching(options))
        counts = build.run(start_engine)
    except UnfinishedError as problem:
        print_message(str(problem))
        return FAILED
    except KeyboardInterrupt:
        print_message("stopped; the same command goes on from here")
        return FAILED
    print_text(_sum_up(counts, options.output))
    return DONE if counts["kept"] else NOTHING_FOUND


def _choose_fetching(options: argparse.Namespace) -> "FetchOptions":
    from bodytext.sources.fetch import FetchLimits
    from bodytext.sources.fetch_options import FetchOptions
    from bodytext.sources.politeness.policy import Politeness

    limits = FetchLimits(allow_private=options.allow_private)
    return FetchOptions(limits=limits, politeness=Politeness(delay_seconds=options.delay))


def _number(value: str) -> float | str:
    try:
        return float(value)
    except ValueError:
        return value


def _sum_up(counts: dict[str, object], folder: Path) -> str:
    """What is in a corpus, in a few lines."""
    from bodytext.corpus.progress import format_count

    records = format_count(int(str(counts["records"])), "records")
    lines = [f"{records}: {counts['kept']:,} kept in {folder}/data; see {folder}/report.html"]
    if not counts["records"]:
        lines.append("there is no page in these sources; of WARC files, response and resource records are pages")
    for name, what in (("dropped", "dropped"), ("errors", "failed")):
        found = counts[name]
        assert isinstance(found, dict)  # noqa: S101 - as the plan writes it
        reasons = sorted(found.items(), key=lambda one: -one[1])
        lines += [f"{number:>10,} {what}: {reason}" for reason, number in reasons[:_MOST_REASONS]]
        if len(reasons) > _MOST_REASONS:
            rest = sum(number for _, number in reasons[_MOST_REASONS:])
            lines.append(f"{rest:>10,} {what} for {len(reasons) - _MOST_REASONS:,} more reasons: {folder}/counts.json")
    return "\n".join(lines)


COMMAND = Command("make a corpus of clean text from archives, tables, pages and sites", add_options)
