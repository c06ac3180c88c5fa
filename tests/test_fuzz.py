"""A short run of benchmarks/fuzz.py: the native modules under sanitisers report nothing."""

import importlib.util
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

RUNNER = Path(__file__).parents[1] / "benchmarks" / "fuzz.py"
INPUTS = 500
NO_COMPILER = 2  # the runner's exit status where gcc or a sanitiser's library is absent


@pytest.mark.slow
@pytest.mark.skipif(not shutil.which("gcc"), reason="gcc is not installed")
@pytest.mark.skipif(importlib.util.find_spec("Cython") is None, reason="Cython is not installed")
def test_short_run_reports_nothing(tmp_path: Path) -> None:
    report = tmp_path / "fuzz.md"
    command = [
        sys.executable,
        str(RUNNER),
        "--optimise",
        "0",
        "--inputs",
        str(INPUTS),
        "--report",
        str(report),
        "--seconds",
        "15",
    ]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode == NO_COMPILER:
        pytest.skip(done.stdout)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "no report" in report.read_text()
