"""The command line: each command a few lines over the package."""

import argparse
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

import bodytext
from bodytext import _kernel
from bodytext.document import Document
from bodytext.methods import DEFAULT, LEARNED, METHODS, Method, as_method, method_class
from bodytext.output.explanation import CONTROLS
from bodytext.output.formats import FORMATS, Wish, render
from bodytext.output.references import CHOICES
from bodytext.parser import foreign_format, not_html, parse
from bodytext.selection import BOUNDARY, PRESETS, read_threshold
from bodytext.sources.files import find_pages, read_page, unpack

if TYPE_CHECKING:
    from bodytext.reasons import Reason

DONE, FAILED, USAGE, NOTHING_FOUND = 0, 1, 2, 3
STANDARD_INPUT = "-"
COMMANDS = ("extract", "explain", "methods", "cuter", "evaluate", "train")

_EPILOG = """\
Extracting is what it does when no command is named; "bodytext extract --help" has its options:
  bodytext page.html                     print the body text of a page
  cat page.html | bodytext               the same from a pipe
  bodytext pages/ -o texts/              every page in a folder, a file each
  bodytext page.html --format markdown   or html, json, xml, tei, csv; docs/formats.md
  bodytext *.html --format json          one JSON object a line
  bodytext page.html --method finn       another method; "bodytext methods" lists them
  bodytext explain page.html             every block with every method's score

Exit status: 0 done, 1 a file failed, 2 wrong usage, 3 nothing was found.
"""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command line; the exit status is returned."""
    words = list(sys.argv[1:] if arguments is None else arguments)
    if not words and (sys.stdin is None or sys.stdin.isatty()):
        _parser().print_help()
        return USAGE
    if not words or (words[0] not in COMMANDS and words[0] not in {"-h", "--help", "--version"}):
        words.insert(0, "extract")
    options = _parser().parse_args(words)
    try:
        status: int = options.run(options)
        sys.stdout.flush()
    except BrokenPipeError:
        sys.stderr.close()  # whoever read our output has enough
        return DONE
    except OSError as error:
        _say(f"cannot write: {_describe(error)}")
        return FAILED
    except ValueError as error:
        _say(str(error))
        return USAGE
    return status


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="bodytext",
        description="Finds the body text of web pages.",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    version = f"bodytext {bodytext.__version__} ({_kernel.NAME} kernel)"
    parser.add_argument("--version", action="version", version=version)
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)
    _add_extract(commands.add_parser("extract", help="print or write the body text of pages (the default)"))
    explain = commands.add_parser("explain", help="print a page's blocks with every method's score")
    explain.add_argument("page", metavar="PAGE", help="an HTML file, or - for standard input")
    explain.add_argument("--reasons", type=_count, default=2, metavar="N", help="how many for and against; default 2")
    _add_model(explain)
    explain.set_defaults(run=_explain)
    listing = commands.add_parser("methods", help="list the methods")
    listing.set_defaults(run=_list_methods)
    cuter = commands.add_parser("cuter", help="run CUTER over an XML file of items: XML in, XML out")
    cuter.description = "Reads <items><item><url/><title/><html/></item>...</items>; docs/cuter.md has the whole form."
    cuter.add_argument(
        "items", metavar="ITEMS", help="an XML file of items (url, title, html), or - for standard input"
    )
    cuter.add_argument("-o", "--output", metavar="FILE", help="write there instead of to standard output")
    cuter.set_defaults(run=_cuter)
    _add_evaluate(commands.add_parser("evaluate", help="measure methods and peers on labelled pages"))
    _add_train(commands.add_parser("train", help="teach the learned method from labelled pages"))
    return parser


def _add_extract(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("pages", nargs="*", metavar="PAGE", help="HTML files or folders; - or none: standard input")
    parser.add_argument(
        "-m",
        "--method",
        default=DEFAULT,
        help=f"one of {', '.join(METHODS)}; parameters go behind a colon, as in spread:stop=8; default {DEFAULT}",
    )
    _add_model(parser)
    parser.add_argument(
        "-t",
        "--threshold",
        type=_threshold,
        default=BOUNDARY,
        help=f"0 keeps most, 1 least, default {BOUNDARY}; or a name: {', '.join(PRESETS)}",
    )
    parser.add_argument("-f", "--format", choices=tuple(FORMATS), default="text", help="default text")
    parser.add_argument(
        "--links", choices=CHOICES, default="keep", help="in Markdown, HTML, JSON and TEI; default keep"
    )
    parser.add_argument("--images", choices=CHOICES, default="keep", help="the same for images")
    parser.add_argument("-o", "--output", metavar="PATH", help="a file for one page; a folder for several, or with a /")
    parser.add_argument("--url", default="", help="the address of the one page")
    parser.set_defaults(run=_extract)


def _add_evaluate(parser: argparse.ArgumentParser) -> None:
    parser.description = (
        "Measures every installed system on a labelled set; with the word 'documents' first, makes the tables and "
        "figures of the methods' documents again; with 'metadata' first, measures title, authors and date instead."
    )
    parser.add_argument(
        "sets", nargs="*", metavar="[documents|metadata] SET", help="labelled pages; default the folder labelled"
    )
    parser.add_argument("--systems", default="", help="names with commas between; default all that are installed")
    parser.add_argument("--predictions", metavar="DIR", default="predictions", help="where predictions are kept")
    parser.add_argument("--report", metavar="DIR", help="write tables, figures and the worst pages there")
    parser.add_argument("--workers", type=int, default=2)
    parser.set_defaults(run=_evaluate)


def _add_model(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--model", metavar="FILE", help="weights for the learned method, as bodytext train writes them")


def _threshold(value: str) -> float | str:
    try:
        return float(value)
    except ValueError:
        return value  # a name, or what read_threshold refuses


def _count(value: str) -> int:
    if not value.isdigit():
        raise argparse.ArgumentTypeError(f"{value} is no count")
    return int(value)


def _add_train(parser: argparse.ArgumentParser) -> None:
    parser.description = (
        "Learns from labelled pages, starting from the weights that the package has: a few dozen pages of your own "
        "sites are enough, and it takes about a minute. Every page is scored by a network that has not seen its site. "
        "Then: bodytext --model model.npz page.html"
    )
    parser.add_argument("sets", nargs="+", type=Path, metavar="SET", help="folders of labelled pages")
    parser.add_argument(
        "-o", "--output", type=Path, default=Path("model.npz"), metavar="FILE", help="default model.npz"
    )
    parser.add_argument("--from-scratch", action="store_true", help="start from nothing; wants a thousand pages or so")
    parser.add_argument("--no-validation", action="store_true", help="from scratch, without a network for each fold")
    parser.add_argument(
        "--also", nargs="*", type=Path, default=[], metavar="SET", help="from scratch: learn from these, unscored"
    )
    parser.add_argument("--test", nargs="*", type=Path, default=[], metavar="SET", help="also predict these sets")
    parser.add_argument("--predictions", type=Path, metavar="DIR", default=Path("predictions"), help="where to")
    parser.add_argument("--report", type=Path, metavar="DIR", help="write tables and figures there")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--epochs", type=_count, default=0, help="default: what the recipe says")
    parser.set_defaults(run=_train)


# extract


@dataclass(frozen=True, slots=True)
class _Input:
    """A page to be read, and the name that its output gets in a folder."""

    name: str
    read: Callable[[], bytes]
    output: Path


class _InputError(Exception):
    """An input that gives no page, with what to say about it."""


def _extract(options: argparse.Namespace) -> int:
    method = _choose_method(options)
    read_threshold(options.threshold)
    inputs, failed = _find_inputs(options.pages)
    many = len(options.pages) > 1 or any(Path(page).is_dir() for page in options.pages)
    if many and options.url:
        raise ValueError("--url is the address of one page, not of several")
    write = _writer(options, inputs, many=many)
    found = False
    for number, one in enumerate(inputs, 1):
        try:
            document = _extract_one(one, options, method)
            write(one, document)
        except _InputError as problem:
            _say(str(problem))
            failed = True
            continue
        if document.reason:
            _say(f"{one.name}: {document.reason}")
        found = found or len(document.paragraphs) > 0
        _show_progress(number, len(inputs), shown=bool(options.output) and many)
    return FAILED if failed else DONE if found else NOTHING_FOUND


def _choose_method(options: argparse.Namespace) -> Method:
    from bodytext.methods.learned import Learned, read_weights

    if not options.model:
        return as_method(options.method)
    if options.method != LEARNED:
        raise ValueError(f"--model holds weights of the method {LEARNED}, not of {options.method}")
    read_weights(options.model)
    return Learned(options.model)


def _extract_one(one: _Input, options: argparse.Namespace, method: Method) -> Document:
    page = _read(one)
    try:
        return bodytext.extract(page, url=options.url, method=method, threshold=options.threshold)
    except ValueError as problem:
        raise _InputError(f"{one.name}: {problem}") from None


def _find_inputs(arguments: Sequence[str]) -> tuple[list[_Input], bool]:
    """The pages that the arguments name, and whether one of them named none."""
    inputs: list[_Input] = []
    failed = False
    for argument in arguments or [STANDARD_INPUT]:
        try:
            inputs += _inputs(argument)
        except _InputError as problem:
            _say(str(problem))
            failed = True
    return inputs, failed


def _inputs(argument: str) -> Iterator[_Input]:
    if argument == STANDARD_INPUT:
        yield _Input("standard input", lambda: unpack(sys.stdin.buffer.read()), Path("stdin"))
        return
    path = Path(argument)
    if not argument or not path.exists():
        raise _InputError(f"{argument or 'an empty name'}: there is no such file or folder")
    pages = list(find_pages(path))
    if not pages:
        raise _InputError(f"{path}: no .html, .htm or .xhtml files in this folder")
    for page in pages:
        output = page.relative_to(path) if path.is_dir() else Path(page.name)
        yield _Input(str(page), lambda page=page: read_page(page), output)  # type: ignore[misc]


def _one_input(argument: str) -> _Input:
    """The one page or file that a command takes."""
    if Path(argument).is_dir():
        raise _InputError(f"{argument}: is a folder; this command takes one file")
    return next(_inputs(argument))


def _read(one: _Input) -> bytes:
    try:
        data = one.read()
    except (OSError, ValueError) as error:
        raise _InputError(f"{one.name}: cannot be read: {_describe(error)}") from None
    if format_name := foreign_format(data):
        raise _InputError(f"{one.name}: {not_html(format_name)}")
    return data


def _describe(error: Exception) -> str:
    return error.strerror if isinstance(error, OSError) and error.strerror else str(error)


def _writer(options: argparse.Namespace, inputs: Sequence[_Input], *, many: bool) -> Callable[[_Input, Document], None]:
    """What to do with each document: print it, or write it to the file or folder that was asked for."""
    suffix = FORMATS[options.format].suffix
    output = Path(options.output) if options.output else None
    in_folder = output is not None and (many or output.is_dir() or options.output.endswith("/"))
    targets = [one.output for one in inputs]
    if in_folder and len(set(targets)) < len(targets):
        twice = next(target for target in targets if targets.count(target) > 1)
        raise ValueError(f"two pages would be written to {output}/{twice}{suffix}; give them different output folders")

    if many and output is None and not FORMATS[options.format].listed:
        raise ValueError(f"{options.format} of several pages does not go into one stream; name a folder with -o")

    def write(one: _Input, document: Document) -> None:
        is_first = output is not None or one is inputs[0]
        wish = Wish(one.name, options.links, options.images, is_first)
        text = render(document, options.format, wish)
        if output is None:
            heading = f"==> {one.name} <==\n" if many and options.format in {"text", "markdown"} else ""
            _print(heading + text + ("\n" if heading else ""))
            return
        target = output / one.output.with_name(one.output.name + suffix) if in_folder else output
        try:
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes((text + "\n").encode("utf-8", "replace") if text else b"")
        except OSError as error:
            raise _InputError(f"{target}: cannot be written: {_describe(error)}") from None

    return write


def _print(text: str) -> None:
    if text:
        sys.stdout.buffer.write((text + "\n").encode("utf-8", "replace"))


def _say(message: str) -> None:
    sys.stderr.write(f"bodytext: {CONTROLS.sub('', message)}\n")


def _show_progress(number: int, total: int, *, shown: bool) -> None:
    if shown and sys.stderr.isatty() and (number % 20 == 0 or number == total):
        sys.stderr.write(f"\r{number:,} of {total:,} pages" + ("\n" if number == total else ""))
        sys.stderr.flush()


# the other commands


def _list_methods(_: argparse.Namespace) -> int:
    for name in METHODS:
        _print(f"{name:<9}{method_class(name).__doc__}")
    return DONE


def _explain(options: argparse.Namespace) -> int:
    from bodytext.methods.learned import Learned
    from bodytext.output.explanation import to_table
    from bodytext.reasons import explain_blocks

    try:
        page = parse(_read(_one_input(options.page)))
    except _InputError as problem:
        _say(str(problem))
        return FAILED
    if not len(page):
        from bodytext.condition import diagnose

        _say(f"{options.page}: {diagnose(page, np.zeros(0, np.intp))}")
        return NOTHING_FOUND
    learned = Learned(options.model or "")
    methods = {name: as_method(name) for name in METHODS} | {LEARNED: learned}
    reasons = [_give_reasons(one, options.reasons) for one in explain_blocks(page, learned)] if options.reasons else []
    _print(to_table(page, {name: method.score(page) for name, method in methods.items()}, reasons))
    _, page_type, confidence = learned.judge(page)
    _print(f"{LEARNED}: page type {page_type}, expected F1 {confidence:.2f}")
    return DONE


def _give_reasons(reasons: Sequence["Reason"], most: int) -> str:
    """The weightiest reasons for and against, in a line."""
    spoken = [[one for one in reasons if (one.weight > 0) == sign][:most] for sign in (True, False)]
    parts = [
        f"{word} {', '.join(one.words for one in some)}"
        for word, some in zip(("for:", "against:"), spoken, strict=True)
        if some
    ]
    return "; ".join(parts)


def _cuter(options: argparse.Namespace) -> int:
    from bodytext.exchange import answer

    try:
        result = answer(_read(_one_input(options.items)))
    except _InputError as problem:
        _say(str(problem))
        return FAILED
    except ValueError as problem:
        _say(f"{options.items}: {problem}")
        return FAILED
    if options.output:
        output = Path(options.output)
        output.parent.mkdir(parents=True, exist_ok=True)
        output.write_bytes(result)
    else:
        sys.stdout.buffer.write(result)
    return DONE


def _train(options: argparse.Namespace) -> int:
    if find_spec("torch") is None:
        raise ValueError("training wants torch: pip install 'bodytext[train]'")
    if options.report and find_spec("matplotlib") is None:
        raise ValueError("figures want matplotlib: pip install 'bodytext[evaluate]'")
    if options.output.suffix == ".json":
        raise ValueError(f"{options.output}: weights go into a file such as model.npz; their card is written beside it")
    from bodytext.evaluate.training import Order, run_training, to_table

    order = Order(
        tuple(options.sets),
        options.output,
        scratch=options.from_scratch,
        validate=not options.no_validation,
        also=tuple(options.also),
        tests=tuple(options.test),
        predictions=options.predictions,
        seed=options.seed,
        epochs=options.epochs,
    )
    outcome = run_training(order, _say)
    _print(to_table(outcome))
    if options.report:
        from bodytext.evaluate.training_report import write_training_report

        names = " ".join(path.resolve().name for path in order.sets)
        scratch = " --from-scratch" if order.scratch else ""
        write_training_report(outcome, options.report, f"bodytext train {names}{scratch} --report OUT")
        _print(f"report written to {options.report}")
    _print(f"weights written to {order.output}, their card beside it")
    _print(f"use them with: bodytext --model {order.output} PAGE")
    return DONE


def _evaluate(options: argparse.Namespace) -> int:
    documents, metadata = options.sets[:1] == ["documents"], options.sets[:1] == ["metadata"]
    sets = [Path(one) for one in options.sets[documents or metadata :]] or [Path("labelled")]
    chosen = ("--systems", options.systems) if options.systems else ()
    command = " ".join(("bodytext evaluate", *(Path(one).name for one in options.sets), *chosen, "--report OUT"))
    systems = [name for name in options.systems.split(",") if name]
    if metadata:
        from bodytext.evaluate.metadata import write_metadata

        for report in write_metadata(sets, options.report, Path(options.predictions), command, systems):
            _print(report)
        return DONE
    if (documents or options.report) and find_spec("matplotlib") is None:
        raise ValueError("figures want matplotlib: pip install 'bodytext[evaluate]'")
    if documents:
        from bodytext.evaluate.documents.write import write_documents

        output = Path(options.report or "documents")
        write_documents(sets, output, Path(options.predictions), command, systems)
        _print(f"written to {output}")
        return DONE
    for folder in sets:
        output = Path(options.report) / folder.resolve().name if options.report and len(sets) > 1 else options.report
        _evaluate_set(folder, options, systems, (command, output))
    return DONE


def _evaluate_set(
    folder: Path, options: argparse.Namespace, systems: Sequence[str], report: tuple[str, str | Path | None]
) -> None:
    """Evaluate one set, print the short table, and write the report where one is wanted."""
    from bodytext.evaluate.report import write_report
    from bodytext.evaluate.run import evaluate
    from bodytext.evaluate.tables import to_short_table

    command, output = report
    done = evaluate(folder, Path(options.predictions), systems, options.workers)
    _print(to_short_table(done))
    if done.missing:
        _say(f"not installed: {', '.join(done.missing)}; pip install 'bodytext[evaluate]' gets them")
    if output:
        write_report(done, Path(output), command)
        _print(f"written to {output}")


if __name__ == "__main__":
    sys.exit(main())
