"""Train a model on labels in a process of its own, and print progress as lines of JSON.

    python -m bodytext.studio.labelling.training_process \
        '{"labels": FOLDER, "output": FILE.npz, "method": "learned", "epochs": 0, "cost": 1}'

It ends when its standard input does, so that it never outlives the server that started it.
"""

import json
import os
import signal
import sys
import threading
from pathlib import Path
from typing import Any


def _print_event(**values: Any) -> None:
    sys.stdout.write(json.dumps(values) + "\n")
    sys.stdout.flush()


def _print_line(line: str) -> None:
    _print_event(line=line)


def main() -> None:
    """Run the job that the argument describes."""
    # Labels are few and steps small: several threads would wait for each other and slow the browser
    # down. On a busy machine of two cores an epoch of six pages took 4 s with two threads and 0.1 s
    # with one.
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    threading.Thread(target=_end_with_input, daemon=True).start()
    spec = json.loads(sys.argv[1])
    train = _train_density if spec["method"] == "density" else _train_learned
    try:
        _print_event(outcome=train(Path(spec["labels"]), Path(spec["output"]), spec))
    except ValueError as problem:
        _print_event(error=str(problem))
    except ModuleNotFoundError as missing:
        _print_event(error=f"training needs {missing.name}: pip install 'bodytext[train]'")


def _end_with_input() -> None:
    while os.read(0, 1024):  # not sys.stdin: forked processes would find its lock taken
        pass
    if hasattr(os, "killpg"):
        os.killpg(0, signal.SIGKILL)  # the processes that read pages too
    os._exit(1)


def _train_learned(folder: Path, output: Path, spec: dict[str, Any]) -> dict[str, Any]:
    from bodytext.studio.evaluation.training_run import TrainingSpec, run_training, summarise_sites

    epochs = int(spec.get("epochs", 0))
    return summarise_sites(
        run_training(TrainingSpec((folder,), output, epochs=epochs), _print_line)
    )


def _train_density(folder: Path, output: Path, spec: dict[str, Any]) -> dict[str, Any]:
    from bodytext.studio.training.density_training import train

    cost = float(spec.get("cost", 1))
    rows = [
        {
            "name": name,
            "wrongly_kept": errors.false_positives,
            "wrongly_dropped": errors.false_negatives,
            "lines": errors.lines,
        }
        for name, errors in train([folder], output, _print_line, cost).items()
    ]
    return {"errors": rows}


if __name__ == "__main__":
    main()
