"""Run `bodytext cuter`, which reads and writes CUTER's XML."""

import argparse
from pathlib import Path

from bodytext.cli.command import Command
from bodytext.cli.console import DONE, FAILED, print_bytes, print_message
from bodytext.cli.inputs import InputError, find_one, read_input
from bodytext.cli.options import add_flag, add_option
from bodytext.cli.outputs import check_new, refuse_inputs, write_file
from bodytext.sources.compression import MAX_UNPACKED_BYTES
from bodytext.sources.files import has_file, read_page


def add_options(parser: argparse.ArgumentParser) -> None:
    """Give the parser this command's options."""
    parser.description = "Reads <items><item><url/><title/><html/></item>...</items>; docs/cuter.md has the whole form."
    parser.add_argument(
        "items",
        metavar="ITEMS",
        help="an XML file of items (url, title, html), or - for standard input",
    )
    add_option(parser, "-o --output FILE", "write there instead of to standard output")
    add_flag(parser, "--overwrite", "replace a file that exists")
    parser.set_defaults(run=_cuter)


def _cuter(options: argparse.Namespace) -> int:
    from bodytext.integrations.cuter_xml import answer

    if options.output and not options.overwrite:
        check_new([Path(options.output)])
    if options.output:
        refuse_inputs([Path(options.output)], [options.items])
    try:
        result = answer(_read_items(options.items))
    except InputError as problem:
        print_message(str(problem))
        return FAILED
    except ValueError as problem:
        print_message(f"{options.items}: {problem}")
        return FAILED
    if options.output:
        write_file(Path(options.output), result)
    else:
        print_bytes(result)
    return DONE


def _read_items(name: str) -> bytes:
    """Read the file of items, which may be larger than a page."""
    if has_file(Path(name)):
        return read_page(Path(name), MAX_UNPACKED_BYTES)
    return read_input(find_one(name)).html


COMMAND = Command("run CUTER over an XML file of items: XML in, XML out", add_options)
