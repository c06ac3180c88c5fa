"""Read the defaults of commands from a file of the user.

    [extract]
    format = "markdown"
    with-metadata = true
    prune = [".ad", "aside"]

Each line is an option of the command, and becomes one before those that were typed: so a typed
option wins. The file is the user's own; none is looked for beside the pages.
"""

import argparse
import os
import sys
from pathlib import Path
from typing import Any

from bodytext.cli.console import describe

VARIABLE = "BODYTEXT_CONFIG"  # another file; empty for none


def find_config() -> Path | None:
    """Return the place of the file, whether it exists or not; None if there is no home."""
    if VARIABLE in os.environ:
        return Path(os.environ[VARIABLE]) if os.environ[VARIABLE] else None
    try:
        if sys.platform == "win32":
            home = os.environ.get("APPDATA") or Path.home() / "AppData" / "Roaming"
        else:
            home = os.environ.get("XDG_CONFIG_HOME") or Path.home() / ".config"
    except RuntimeError:  # a container may run as a user whom it does not know
        return None
    return Path(home) / "bodytext" / "config.toml"


def read_config(command: str, parser: argparse.ArgumentParser) -> list[str]:
    """Return what the file says about a command, as words of the command line."""
    path = find_config()
    if path is None or (VARIABLE not in os.environ and not os.access(path, os.R_OK)):
        return []  # with the home of another user it may be there and not be ours to read
    table = _read_table(path, command)
    known = {option for action in parser._actions for option in action.option_strings}
    words: list[str] = []
    for name, value in table.items():
        option = f"--{name.replace('_', '-')}"
        if option not in known or option == "--help":
            raise ValueError(f"{path}: the command {command} has no option {option}")
        words += _write_option(option, value, parser, path)
    return words


def _read_table(path: Path, command: str) -> dict[str, Any]:
    import tomllib

    try:
        tables = tomllib.loads(path.read_text("utf-8"))
    except (OSError, UnicodeError, tomllib.TOMLDecodeError) as error:
        place = f"{VARIABLE}={path}" if VARIABLE in os.environ else path
        raise ValueError(f"{place}: cannot be read: {describe(error)}") from None
    table = tables.get(command, {})
    if not isinstance(table, dict):
        raise ValueError(f"{path}: {command} should be a table: [{command}]")
    return table


def _write_option(
    option: str, value: Any, parser: argparse.ArgumentParser, path: Path
) -> list[str]:
    action = next(action for action in parser._actions if option in action.option_strings)
    is_switch = action.nargs == 0
    if is_switch != isinstance(value, bool):
        expected = "true or false" if is_switch else "a text, a number, or a list of these"
        raise ValueError(f"{path}: {option} should be {expected}")
    if is_switch:
        return [option] if value else []
    values = value if isinstance(value, list) else [value]
    return [f"{option}={each}" for each in values]
