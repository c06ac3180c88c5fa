"""Ray builds the same corpus while its processes are killed. It runs in a namespace that has only loopback."""

import os
import re
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

from corpora import POISON, build, count_places, digest_files, make_page, write_warc
from processes import can_isolate, isolate

TESTS = Path(__file__).parent


@pytest.mark.slow
@pytest.mark.skipif(find_spec("ray") is None, reason="Ray is not installed")
def test_ray_makes_the_same_corpus_when_its_workers_are_killed(tmp_path: Path) -> None:
    if not can_isolate():
        pytest.skip(
            "a network namespace cannot be made here (unshare), and Ray would listen to the network"
        )
    source = write_warc(
        tmp_path / "a.warc.gz", [make_page(number, "poison-slow") for number in range(80)]
    )
    run = f"{sys.executable} {TESTS / 'ray_run.py'} {tmp_path / 'ray'} {source} 2"
    environment = os.environ | {"PYTHONPATH": f"{POISON}:{TESTS}"}
    done = subprocess.run(
        isolate(run), check=False, env=environment, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    killed = re.search(r"^killed (\d+)$", done.stdout, re.MULTILINE)
    assert killed
    assert int(killed[1]) >= 1
    build(tmp_path / "local", [source])
    assert digest_files(tmp_path / "ray") == digest_files(tmp_path / "local")
    assert set(count_places(tmp_path / "ray").values()) == {1}
    assert len(count_places(tmp_path / "ray")) == 80
