"""The command line: a module for each command, each a few lines over the package."""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

import bodytext
from bodytext import kernel
from bodytext.cli.commands import COMMANDS
from bodytext.cli.console import DONE, FAILED, USAGE, describe, print_message, print_text
from bodytext.cli.options import Parser

_HELP, _VERSION = ("-h", "--help"), "--version"
_EXTRACT = "extract"  # the command if none is named
_USAGE = """\
usage: bodytext [-h] [--version] COMMAND ...

Finds the body text of web pages.

commands:
{commands}

"bodytext COMMAND --help" lists the options of a command. Without a command, bodytext extracts:
  bodytext page.html                     print the body text of a page
  bodytext https://example.org/a         the same for a page on the web
  cat page.html | bodytext               the same from a pipe
  bodytext pages/ -o texts/              every page in a folder, one file each
  bodytext page.html --format markdown   or html, json, xml, tei, csv; see docs/formats.md
  bodytext *.html --format json          one JSON object per line; into one file with -o all.jsonl
  bodytext page.html --method finn       another method; "bodytext methods" lists them
  bodytext explain page.html             every block with every method's score

Exit status: 0 done, 1 a file failed, 2 wrong usage, 3 nothing was found.
"""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command line and return the exit status."""
    words = list(sys.argv[1:] if arguments is None else arguments)
    if not words and (sys.stdin is None or sys.stdin.isatty()):
        print_text(_write_usage())
        return USAGE
    try:
        return _run(words)
    except BrokenPipeError:
        if sys.stderr is not None:
            sys.stderr.close()  # the reader of our output has enough
        return DONE
    except OSError as error:
        print_message(f"cannot write: {describe(error)}")
        return FAILED
    except ValueError as error:
        print_message(str(error))
        return USAGE
    except KeyboardInterrupt:
        print_message("stopped")
        return FAILED


def _run(words: list[str]) -> int:
    if words and words[0] in _HELP:
        print_text(_write_usage())
        return DONE
    if words and words[0] == _VERSION:
        print_text(f"bodytext {bodytext.__version__} (kernel: {kernel.describe()})")
        return DONE
    options = _read_options(words)
    status: int = options.run(options)
    if sys.stdout is not None:
        sys.stdout.flush()
    return status


def _read_options(words: Sequence[str]) -> argparse.Namespace:
    name = words[0] if words and _is_command(words[0]) else _EXTRACT
    parser = Parser(prog=f"bodytext {name}")
    COMMANDS[name].add_options(parser)
    return parser.parse_args(words[1:] if words and words[0] == name else words)


def _is_command(word: str) -> bool:
    """Return whether a word names a command. Other packages are searched only for what can be no page."""
    if word in COMMANDS.own:
        return True
    return word.replace("-", "").isalnum() and not Path(word).exists() and word in COMMANDS


def _write_usage() -> str:
    lines = [f"  {name:<10}{command.summary}" for name, command in COMMANDS.items()]
    return _USAGE.format(commands="\n".join(lines)).rstrip("\n")
