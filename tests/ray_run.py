"""Build with Ray while its processes are killed, for test_corpus_ray. Arguments: folder, source, kills."""

import os
import random
import signal
import sys
from contextlib import suppress
from pathlib import Path
from threading import Event, Thread

from bodytext.corpus.run.build import CorpusBuild
from bodytext.corpus.run.engines import RayEngine
from corpora import SPEC
from processes import list_processes


def kill_workers(over: Event, kills: int, killed: list[int]) -> None:
    """Kill processes of Ray that do a job. There are no others in this namespace."""
    generator = random.Random(1)
    while not over.wait(generator.uniform(0.2, 0.6)) and len(killed) < kills:
        workers = [
            process.number
            for process in list_processes()
            if process.command.startswith("ray::do_here")
        ]
        if workers:
            with suppress(ProcessLookupError):
                os.kill(generator.choice(workers), signal.SIGKILL)
                killed.append(1)


def main() -> None:
    folder, source, kills = Path(sys.argv[1]), sys.argv[2], int(sys.argv[3])
    over, killed = Event(), list[int]()
    thread = Thread(target=kill_workers, args=(over, kills, killed))
    thread.start()
    try:
        CorpusBuild(SPEC, [source], folder).run(lambda: RayEngine(SPEC.limits))
    finally:
        over.set()
        thread.join()
    sys.stdout.write(f"killed {len(killed)}\n")


if __name__ == "__main__":
    main()
