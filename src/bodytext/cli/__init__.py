"""The command line: a module a command, each a few lines over the package."""

import argparse
import sys
from collections.abc import Sequence
from importlib import import_module

import bodytext
from bodytext import kernel
from bodytext.cli.options import Parser
from bodytext.cli.speech import DONE, FAILED, USAGE, describe, say

# A command is a module of this package with add(parser), which gives the parser its options and sets `run`.
COMMANDS = {
    "extract": "print or write the body text of pages (the default)",
    "explain": "print a page's blocks with every method's score",
    "inspect": "see pages in the browser: blocks, scores, reasons, results, figures",
    "label": "say in the browser what is content on pages of your own; train learns from it",
    "reader": "read the news: feeds fetched, cleaned, sorted, in the browser",
    "corpus": "make a corpus of clean text from archives, tables, pages and sites",
    "methods": "list the methods",
    "cuter": "run CUTER over an XML file of items: XML in, XML out",
    "evaluate": "measure methods and peers on labelled pages",
    "train": "teach the learned method from labelled pages",
    "serve": "start the HTTP service",
}

_EPILOG = """\
Extracting is what it does when no command is named; "bodytext extract --help" has its options:
  bodytext page.html                     print the body text of a page
  bodytext https://example.org/a         of a page of the web
  cat page.html | bodytext               the same from a pipe
  bodytext pages/ -o texts/              every page in a folder, a file each
  bodytext page.html --format markdown   or html, json, xml, tei, csv; docs/formats.md
  bodytext *.html --format json          one JSON object a line; into one file with -o all.jsonl
  bodytext page.html --method finn       another method; "bodytext methods" lists them
  bodytext explain page.html             every block with every method's score

Exit status: 0 done, 1 a file failed, 2 wrong usage, 3 nothing was found.
"""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command line; the exit status is returned."""
    words = list(sys.argv[1:] if arguments is None else arguments)
    if not words and (sys.stdin is None or sys.stdin.isatty()):
        _overview().print_help()
        return USAGE
    if not words or (words[0] not in COMMANDS and words[0] not in {"-h", "--help", "--version"}):
        words.insert(0, "extract")
    options = _read_options(words)
    try:
        status: int = options.run(options)
        if sys.stdout is not None:
            sys.stdout.flush()
    except BrokenPipeError:
        if sys.stderr is not None:
            sys.stderr.close()  # whoever read our output has enough
        return DONE
    except OSError as error:
        say(f"cannot write: {describe(error)}")
        return FAILED
    except ValueError as error:
        say(str(error))
        return USAGE
    except KeyboardInterrupt:
        say("stopped")
        return FAILED
    return status


def _read_options(words: Sequence[str]) -> argparse.Namespace:
    if words[0] not in COMMANDS:
        return _overview().parse_args(words)
    command = Parser(prog=f"bodytext {words[0]}")
    import_module(f"bodytext.cli.{words[0]}").add(command)
    return command.parse_args(words[1:])


def _overview() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="bodytext",
        description="Finds the body text of web pages.",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    version = f"bodytext {bodytext.__version__} ({kernel.NAME} kernel)"
    parser.add_argument("--version", action="version", version=version)
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)
    for name, words in COMMANDS.items():  # their modules are not needed to list them
        commands.add_parser(name, help=words)
    return parser
