"""Changed valid inputs of every kind: nothing raises what it should not, and nothing takes long.

BODYTEXT_FUZZ_SECONDS is the CPU time for each kind of input; benchmarks/fuzz_inputs.py has an hour.
"""

import os
import time
from pathlib import Path

import pytest

from bodytext.kernel import is_native
from fuzz_targets import TARGETS, check, find_faults

CASES = Path(__file__).parent / "fuzz_cases"
SECONDS = float(os.environ.get("BODYTEXT_FUZZ_SECONDS", "0.25"))
SEED = 2  # the benchmark has seed 1
BATCH = 20 if is_native("scanner") else 1


@pytest.mark.slow
@pytest.mark.parametrize("target", TARGETS)
def test_changed_inputs_are_read_or_refused(target: str) -> None:
    began, number = time.process_time(), 0
    while not number or time.process_time() - began < SECONDS:
        faults = find_faults(target, SEED, number, number + BATCH)
        assert faults == []
        number += BATCH


@pytest.mark.parametrize("target", TARGETS)
def test_what_once_failed_fails_no_more(target: str) -> None:
    for path in sorted((CASES / target.replace(" ", "-")).glob("*")):
        check(target, path.read_bytes())


def test_every_case_belongs_to_a_kind_of_input() -> None:
    names = {target.replace(" ", "-") for target in TARGETS}
    assert {path.name for path in CASES.iterdir() if path.is_dir()} <= names
