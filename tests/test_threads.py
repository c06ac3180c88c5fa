"""Threads: many extract at once, with or without Python's lock."""

import json
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest

from bodytext import kernel

ROOT = Path(__file__).resolve().parent.parent
PAGES = sorted(map(str, (ROOT / "labelled" / "html").glob("*.html")))
THREADS = 8

# In a process of its own, so that the first calls of all threads meet, too.
READ = """
import json, random, sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
import bodytext

def read(path):
    document = bodytext.extract(Path(path).read_bytes())
    views = (document.media, document.comments, document.metadata)
    return [document.text, document.markdown, document.html, document.json, *map(repr, views)]

def read_all(seed):
    order = list(paths)
    random.Random(seed).shuffle(order)
    found = {path: read(path) for path in order}
    return [found[path] for path in paths]

paths, threads = sys.argv[2:], int(sys.argv[1])
with ThreadPoolExecutor(threads) as pool:
    together = list(pool.map(read_all, range(threads)))
alone = list(map(read, paths))
print(json.dumps([answer == alone for answer in together]))
"""


def test_threads_give_what_one_thread_gives() -> None:
    command = [sys.executable, "-c", READ, str(THREADS), *PAGES]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert json.loads(done.stdout) == [True] * THREADS


@pytest.mark.skipif(
    not sysconfig.get_config_var("Py_GIL_DISABLED"), reason="this Python has a global lock"
)
def test_native_modules_need_no_lock() -> None:
    assert "native" in kernel.describe()  # which loads them all
    assert not sys._is_gil_enabled()  # type: ignore[attr-defined]
