"""The processes that run here, from /proc, or from ps where there is none; a bare machine has no pgrep. And new ones."""

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

PROC = Path("/proc")


class Running(NamedTuple):
    """A process, the one that started it, and its command line."""

    number: int
    parent: int
    command: str


def list_processes() -> list[Running]:
    return list(read_proc() if (PROC / "self" / "stat").exists() else ask_ps())


def read_proc() -> Iterator[Running]:
    for folder in PROC.glob("[0-9]*"):
        with suppress(OSError):  # it has ended in the meantime
            after_name = (folder / "stat").read_bytes().rpartition(b")")[2].split()
            command = (
                (folder / "cmdline").read_bytes().replace(b"\0", b" ").decode("utf-8", "replace")
            )
            yield Running(int(folder.name), int(after_name[1]), command)


def ask_ps() -> Iterator[Running]:
    command = ["ps", "-A", "-ww", "-o", "pid=,ppid=,command="]
    for line in subprocess.run(
        command, check=True, capture_output=True, text=True
    ).stdout.splitlines():
        number, parent, text = line.split(maxsplit=2)
        yield Running(int(number), int(parent), text)


def run_command(arguments: list[str], log: Path) -> None:
    """Run `bodytext ARGUMENTS...` in this process, and end it; what is printed is written to a file."""
    from bodytext.cli import main

    with log.open("w") as output:
        os.dup2(output.fileno(), 1)
        os.dup2(output.fileno(), 2)
    sys.exit(main(arguments))


# A namespace of its own, with loopback alone: for programs that listen on all interfaces.
NAMESPACE = ("unshare", "--map-root-user", "--net", "--pid", "--fork", "--mount-proc")


def can_isolate() -> bool:
    """Whether a namespace with only loopback can be made here."""
    command = [*NAMESPACE, "ip", "link", "set", "lo", "up"]
    try:
        return subprocess.run(command, check=False, capture_output=True).returncode == 0
    except FileNotFoundError:
        return False


def isolate(command: str) -> list[str]:
    """Return what runs a command of the shell in such a namespace."""
    return [*NAMESPACE, "sh", "-c", f"ip link set lo up && exec {command}"]
