"""The command line, with a module for each command."""

import argparse
import os
import sys
from collections.abc import Sequence

import bodytext
from bodytext import kernel
from bodytext.cli.commands import COMMANDS
from bodytext.cli.config import read_config
from bodytext.cli.console import (
    DONE,
    FAILED,
    INTERRUPTED,
    USAGE,
    describe,
    print_message,
    print_text,
)
from bodytext.cli.options import Parser
from bodytext.output.formats import FORMATS

_HELP, _VERSION = ("-h", "--help", "help"), "--version"
_EXTRACT = "extract"  # the command if none is named
_DEFAULT_AND_EXAMPLE = {"text", "markdown"}  # formats that the usage need not list
_USAGE = """\
usage: bodytext [-h] [--version] COMMAND ...

Finds the body text of web pages.

commands:
{commands}

"bodytext COMMAND --help" lists the options of a command. Without a command, bodytext extracts:
  bodytext page.html                     print the body text of a page
  bodytext https://example.org/a         the same for a page on the web; --render runs its scripts
  cat page.html | bodytext               the same from a pipe
  bodytext pages/ -o texts/ --workers 4  every page in a folder, one file each
  bodytext feed:https://news.example/ -o texts/    or sitemap:, a file of addresses, --crawl https://...
  bodytext page.html --format markdown   or {formats}; see docs/formats.md
  bodytext *.html --format json          one JSON object per line; into one file with -o all.jsonl
  bodytext page.html --method finn       another method; "bodytext methods" lists them
  bodytext explain page.html             every block with every method's score

Exit status: 0 done, 1 a file failed, 2 wrong usage, 3 nothing was found, 130 Ctrl-C.
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
            sys.stderr.close()  # whoever reads our output has closed the pipe
        return DONE
    except OSError as error:
        print_message(_explain(error))
        return FAILED
    except ValueError as error:
        print_message(str(error))
        return USAGE
    except KeyboardInterrupt:
        print_message("stopped")
        return INTERRUPTED


def _explain(error: OSError) -> str:
    """Say which file failed; without a name it is standard output, or the message has it."""
    if error.filename is not None:
        return f"{os.fsdecode(error.filename)}: cannot be read or written: {describe(error)}"
    return f"cannot write: {error.strerror}" if error.strerror else str(error)


def _run(words: list[str]) -> int:
    if words and words[0] in _HELP:
        if len(words) == 1 or not _is_command(words[1]):
            print_text(_write_usage())
            return DONE
        words = [words[1], "--help"]
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
    if words and name == _EXTRACT:
        _check_spelling(words[0])
    parser = Parser(prog=f"bodytext {name}")
    COMMANDS[name].add_options(parser)
    given = list(words[1:] if words and words[0] == name else words)
    configured = read_config(name, parser)
    options = parser.parse_args([*configured, *given])
    # Defaults of the user may do nothing here; what was typed should do something.
    typed = parser.parse_args(given) if configured else options
    options.typed = argparse.Namespace(**vars(typed))
    return options


def _is_command(word: str) -> bool:
    """Return whether a word names a command; one of other packages only if it cannot be a page."""
    if word in COMMANDS.own:
        return True
    return word.replace("-", "").isalnum() and not _exists(word) and word in COMMANDS


def _exists(word: str) -> bool:
    """Whether a word names a file that can be found; one that is too long or odd does not."""
    return os.access(word, os.F_OK)


def _check_spelling(word: str) -> None:
    """Refuse a word that is no page and looks like a command."""
    if _exists(word) or not word.isalpha():
        return
    import difflib

    near = difflib.get_close_matches(word, COMMANDS.own, 1)
    if near and near[0] != word:
        raise ValueError(f"there is no command or file {word}; did you mean: bodytext {near[0]}?")


def _write_usage() -> str:
    lines = [f"  {name:<11}{command.summary}" for name, command in COMMANDS.items()]
    formats = ", ".join(name for name in FORMATS.own if name not in _DEFAULT_AND_EXAMPLE)
    return _USAGE.format(commands="\n".join(lines), formats=formats).rstrip("\n")
