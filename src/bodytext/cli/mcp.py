"""Run `bodytext mcp`, which answers language models over the Model Context Protocol."""

import argparse
import sys

import bodytext
from bodytext.cli.command import Command
from bodytext.cli.console import DONE
from bodytext.cli.options import add_private


def add_options(parser: argparse.ArgumentParser) -> None:
    """Give the parser this command's options."""
    parser.description = (
        "A server of the Model Context Protocol on standard input and output, for assistants that run it themselves. "
        "Its tools: read_page, extract, explain, search_page. docs/integrations.md has the lines for their settings."
    )
    add_private(parser)
    parser.set_defaults(run=_serve)


def _serve(options: argparse.Namespace) -> int:
    from bodytext.integrations.mcp_server import McpServer
    from bodytext.integrations.mcp_tools import make_tools
    from bodytext.sources.fetch import FetchLimits
    from bodytext.sources.page_fetch import PageFetcher

    if sys.stdin is None or sys.stdout is None:
        raise ValueError("standard input and output are closed; an assistant should start this")
    fetcher = PageFetcher(FetchLimits(allow_private=options.allow_private))
    server = McpServer(make_tools(fetcher.get), bodytext.__version__)
    server.serve(sys.stdin.buffer, sys.stdout.buffer)
    return DONE


COMMAND = Command("answer language models over MCP", add_options)
