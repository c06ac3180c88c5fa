"""Run commands on a disk that is full, then read-only, then has room, for test_faults. Arguments: the disk, the inputs.

It runs in a mount namespace of its own, where it may mount a small disk in memory without being root.
"""

import io
import json
import subprocess
import sys
from contextlib import redirect_stderr, redirect_stdout, suppress
from pathlib import Path

from bodytext.cli import main
from bodytext.studio.labels.labelling import Labelling
from bodytext.studio.labels.store import LabelStore

STATES = ("full", "read-only", "with room")


def run() -> None:
    disk, inputs = Path(sys.argv[1]), Path(sys.argv[2])
    mount("-t", "tmpfs", "-o", "size=8m", "tmpfs", str(disk))
    store = ["--database", str(disk / "reader.sqlite")]
    commands = {
        "extract": ["extract", str(inputs / "page.html"), "-o", str(disk / "page.md")],
        "corpus build": ["corpus", "build", str(inputs), "-o", str(disk / "corpus"), "--workers", "1"],
        "reader import": ["reader", *store, "import", str(inputs / "feeds.opml")],
        "train": ["train", str(inputs / "labelled"), "--method", "density", "-o", str(disk / "m.npz")],
    }  # fmt: skip
    results = {}
    for state in STATES:
        prepare(disk, state)
        for name, command in commands.items():
            results[f"{name}, {state}"] = run_command(command)
        results[f"labels, {state}"] = save_labels(disk)
    sys.stdout.write(json.dumps(results))


def mount(*arguments: str) -> None:
    subprocess.run(["mount", *arguments], check=True)


def prepare(disk: Path, state: str) -> None:
    ballast = disk / "ballast"
    if state == "full":
        with suppress(OSError), ballast.open("wb", buffering=0) as file:
            while file.write(bytes(4096)):
                pass
    elif state == "read-only":
        ballast.unlink()
        mount("-o", "remount,ro", str(disk))
    else:
        mount("-o", "remount,rw", str(disk))


def run_command(arguments: list[str]) -> tuple[int, str]:
    said = io.TextIOWrapper(io.BytesIO(), "utf-8", write_through=True)
    try:
        with redirect_stderr(said), redirect_stdout(said):
            status = main(arguments)
    except SystemExit as end:
        status = end.code if isinstance(end.code, int) else 1
    except Exception as error:  # what the test must not find
        return -1, f"{type(error).__name__}: {error}"
    said.seek(0)
    return int(status or 0), said.read()


def save_labels(disk: Path) -> tuple[int, str]:
    store = LabelStore(disk / "labels", disk)
    try:
        store.save(Labelling("a.html", "0" * 64, "ada"), "")
    except OSError as error:  # the app shows it
        return 1, str(error)
    return 0, str(store.read("a.html", "ada")[0])


if __name__ == "__main__":
    run()
