"""Run `bodytext corpus`, which builds corpora of clean text, and shows what is in them."""

import argparse
import re
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bodytext.cli.command import Command
from bodytext.cli.console import DONE, FAILED, INTERRUPTED, NOTHING_FOUND, print_message, print_text
from bodytext.cli.options import (
    add_flag,
    add_model,
    add_option,
    add_private,
    at_least_one,
    choose_method,
    count,
    threshold,
)
from bodytext.methods import METHODS
from bodytext.methods.scores import read_threshold
from bodytext.sources.record import PRIVATE_REASON
from bodytext.sources.storage import check_store, require

if TYPE_CHECKING:
    from bodytext.corpus.run.engines import Engine
    from bodytext.corpus.run.spec import CorpusSpec
    from bodytext.corpus.stages.stage import StageOption
    from bodytext.sources.fetch_options import FetchOptions

_STAGE_OPTION = "stage_"  # before the names of stages' options, so that they hide no other option
_MOST_REASONS = 20  # of dropped records, and of failed ones, are listed
_RAY = "ray"


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the commands of this command."""
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)
    _add_build(commands.add_parser("build", help="build a corpus, or continue a build"))
    stats = commands.add_parser("stats", help="print what is in a corpus")
    stats.add_argument("corpus", type=Path, metavar="DIR", help="the folder of a corpus")
    stats.set_defaults(run=_print_stats)
    _add_sample(commands.add_parser("sample", help="print random records of a corpus"))


def _add_sample(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("corpus", type=Path, metavar="DIR", help="the folder of a corpus")
    add_option(parser, "-n --number N", "how many records", 5, count)
    add_flag(parser, "--dropped", "print dropped records")
    add_flag(parser, "--errors", "print failed records")
    add_option(
        parser, "--reason", 'print records with this reason, such as "too short" or "quality"', ""
    )
    add_flag(parser, "--whole", "print whole texts, not only their beginnings")
    add_option(parser, "--seed", "another number gives other records", 0, int)
    parser.set_defaults(run=_print_sample)


def _print_stats(options: argparse.Namespace) -> int:
    from bodytext.corpus.report.corpus_files import require_corpus
    from bodytext.corpus.report.stats import collect_stats
    from bodytext.corpus.report.stats_text import describe_stats

    require_corpus(options.corpus)
    print_text(describe_stats(collect_stats(options.corpus)))
    return DONE


def _print_sample(options: argparse.Namespace) -> int:
    from bodytext.corpus.report import corpus_files
    from bodytext.corpus.report.sample import render_sample, take_sample

    if options.errors and options.dropped:
        raise ValueError("--dropped and --errors are two samples; ask for one at a time")
    part = corpus_files.KEPT
    if options.errors:
        part = corpus_files.FAILED
    elif options.dropped or options.reason:
        part = corpus_files.DROPPED
    rows = take_sample(options.corpus, options.number, part, options.reason, options.seed)
    print_text(render_sample(rows, whole=options.whole))
    return DONE if rows else NOTHING_FOUND


def _add_build(parser: argparse.ArgumentParser) -> None:
    from bodytext.corpus.run.spec import CorpusSpec

    defaults = CorpusSpec()
    parser.description = (
        "Builds a corpus of clean text. Every record of the sources is in it once: kept in data/, dropped with the "
        "reason in dropped/, or failed in errors/. The same command continues a run that was stopped. See docs/corpus.md."
    )
    parser.add_argument(
        "sources",
        nargs="+",
        metavar="SOURCE",
        help="WARC files (.warc, .gz, .zst), Parquet or JSONL with a column of HTML, page files, zip and tar files of "
        "pages, folders of these; s3:// and https:// addresses of such files, Common Crawl's lists of them (.paths); "
        "addresses of pages, feeds and sitemaps, lists of addresses (.txt), feed:ADDRESS, sitemap:ADDRESS",
    )
    add_option(parser, "-o --output DIR", "the folder of the corpus", None, Path, required=True)
    add_option(
        parser,
        "--upload ADDRESS",
        "where to copy the finished corpus, such as s3://bucket/name",
        "",
    )
    _add_choice(parser, defaults, "format", "the format of the files")
    _add_choice(parser, defaults, "text", "the format of the texts")
    add_flag(parser, "--no-metadata", "leave out authors, dates and the like: faster")
    add_option(parser, "--method", f"one of {', '.join(METHODS)}", defaults.method)
    add_model(parser)
    add_option(
        parser, "--threshold T", "the same as in bodytext extract", defaults.threshold, threshold
    )
    _add_selection(parser.add_argument_group("what is kept", _describe_stages()), defaults)
    _add_work(parser.add_argument_group("how the work is done"), defaults)
    web = parser.add_argument_group("sources on the web")
    add_option(web, "--delay S", "seconds between requests to a host", 1.0, float)
    add_private(web)
    parser.set_defaults(run=_build)


def _add_choice(
    parser: "argparse._ActionsContainer", defaults: "CorpusSpec", name: str, words: str
) -> None:
    from bodytext.corpus.run.spec import CHOICES

    add_option(parser, f"--{name}", words, getattr(defaults, name), choices=CHOICES[name])


def _add_selection(group: "argparse._ArgumentGroup", defaults: "CorpusSpec") -> None:
    """Add the options of the stages, of duplicates and of templates."""
    from bodytext.corpus.stages import STAGES, collect_options

    for option in collect_options(STAGES.values()).values():
        _add_stage_option(group, option)
    _add_choice(group, defaults, "duplicates", "which duplicates to drop")
    add_flag(group, "--templates", "first learn what repeats on each site: slower, better")
    add_option(
        group,
        "--likeness F",
        "how alike near duplicates are, from 0 to 1",
        defaults.likeness,
        float,
    )


def _describe_stages() -> str:
    from bodytext.corpus.stages import STAGES

    stages = sorted(STAGES.values(), key=lambda stage: stage.position)
    return "Records go through these stages: " + "; ".join(
        f"{stage.name} {stage.description}" for stage in stages
    )


def _add_stage_option(group: "argparse._ArgumentGroup", option: "StageOption") -> None:
    flag, place = f"--{option.flag}", _STAGE_OPTION + option.name
    if isinstance(option.default, bool):
        switch = argparse.BooleanOptionalAction
        group.add_argument(
            flag, dest=place, action=switch, default=option.default, help=option.help
        )
        return
    names = f"{flag} {option.metavar or ''}"
    add_option(
        group, names, option.help, option.default, option.parse, choices=option.choices, dest=place
    )


def _add_work(group: "argparse._ArgumentGroup", defaults: "CorpusSpec") -> None:
    add_option(
        group, "--workers N", "how many processes; default: one for each processor", 0, at_least_one
    )
    add_option(group, "--engine", "what runs the work", "local", choices=("local", _RAY))
    add_option(group, "--address", "the Ray cluster to use; default: start Ray on this machine", "")
    add_option(
        group,
        "--root PREFIX",
        "what to put before the names in .paths lists, such as s3://commoncrawl/",
        "",
    )
    add_option(group, "--column", "the column that has the HTML in tables", defaults.column)
    add_option(group, "--time-limit S", "seconds that a record may take", defaults.seconds, float)
    add_option(group, "--memory-limit MIB", "memory that a record may take", defaults.memory, count)


def _build(options: argparse.Namespace) -> int:
    require("jinja2", "pyarrow", extra="corpus", purpose="building a corpus")
    from bodytext.corpus.run.build import CorpusBuild
    from bodytext.corpus.run.pipeline import UnfinishedError
    from bodytext.corpus.run.upload import upload_corpus

    _check_places(options)
    if options.address and options.engine != _RAY:
        raise ValueError("--address names a Ray cluster, so it needs --engine ray")
    spec = _read_spec(options)
    choose_method(spec.method, spec.model)
    spec.build_stages()  # a stage refuses a wrong option before the work begins
    build = CorpusBuild(
        spec,
        options.sources,
        options.output,
        options.root,
        print_message,
        _read_fetch_options(options),
    )
    try:
        counts = build.run(lambda: _start_engine(spec, options))
        if options.upload:
            upload_corpus(options.output, options.upload, print_message)
    except UnfinishedError as problem:
        print_message(str(problem))
        return FAILED
    except KeyboardInterrupt:
        print_message("stopped; the same command continues from here")
        return INTERRUPTED
    print_text(_summarise(counts, options.output))
    return DONE if counts["kept"] else NOTHING_FOUND


def _check_places(options: argparse.Namespace) -> None:
    """Refuse places where a corpus cannot be."""
    if options.output.exists() and not options.output.is_dir():
        raise ValueError(f"{options.output}: this is a file; name a folder for the corpus")
    if re.match(r"[a-z][a-z0-9]*:/", str(options.output)):  # Path makes one slash of two
        raise ValueError("-o names a folder of this machine; --upload ADDRESS copies the corpus")
    if options.upload and "://" not in options.upload:
        raise ValueError(f"--upload {options.upload}: name an address such as s3://bucket/name")
    if options.upload:
        check_store(options.upload)


def _read_spec(options: argparse.Namespace) -> "CorpusSpec":
    from bodytext.corpus.run.spec import CorpusSpec
    from bodytext.corpus.stages import STAGES, collect_options

    return CorpusSpec(
        text=options.text,
        format=options.format,
        metadata=not options.no_metadata,
        method=options.method,
        model=options.model or "",
        threshold=read_threshold(options.threshold),
        column=options.column,
        templates=options.templates,
        duplicates=options.duplicates,
        likeness=options.likeness,
        stage_options={
            name: getattr(options, _STAGE_OPTION + name)
            for name in collect_options(STAGES.values())
        },
        seconds=options.time_limit,
        memory=options.memory_limit,
    )


def _start_engine(spec: "CorpusSpec", options: argparse.Namespace) -> "Engine":
    from bodytext.corpus.run.engines import LocalEngine, RayEngine

    if options.engine == _RAY:
        return RayEngine(spec.limits, options.address, options.workers)
    return LocalEngine(spec.limits, options.workers)


def _read_fetch_options(options: argparse.Namespace) -> "FetchOptions":
    from bodytext.sources.fetch import FetchLimits
    from bodytext.sources.fetch_options import FetchOptions
    from bodytext.sources.politeness.policy import Politeness

    limits = FetchLimits(allow_private=options.allow_private)
    return FetchOptions(limits=limits, politeness=Politeness(delay_seconds=options.delay))


def _summarise(counts: Mapping[str, Any], folder: Path) -> str:
    """Say in a few lines what is in a corpus."""
    from bodytext.corpus.progress import format_count

    records = format_count(counts["records"], "records")
    lines = [f"{records}: {counts['kept']:,} kept in {folder}/data; see {folder}/report.html"]
    if not counts["records"]:
        lines.append(
            "there is no page in these sources; of WARC files, response and resource records are pages"
        )
    if PRIVATE_REASON in counts["errors"]:
        lines.append("--allow-private fetches from private networks too, into another folder")
    for name, what in (("dropped", "dropped"), ("errors", "failed")):
        reasons = sorted(counts[name].items(), key=lambda reason: -reason[1])
        lines += [f"{number:>10,} {what}: {reason}" for reason, number in reasons[:_MOST_REASONS]]
        if len(reasons) > _MOST_REASONS:
            rest = sum(number for _, number in reasons[_MOST_REASONS:])
            lines.append(
                f"{rest:>10,} {what} for {len(reasons) - _MOST_REASONS:,} more reasons: {folder}/counts.json"
            )
    return "\n".join(lines)


COMMAND = Command("make a corpus of clean text from archives, tables, pages and sites", add_options)
