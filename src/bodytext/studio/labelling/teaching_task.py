"""A process of its own: labels in, a trained model on file; a JSON object a line out, for whoever started it.

python -m bodytext.studio.labelling.teaching_task '{"labels": FOLDER, "output": FILE.npz, "method": "learned", "epochs": 0}'

It ends when its standard input does, so that it never outlives the server that started it.
"""

import json
import os
import signal
import sys
import threading
from pathlib import Path
from typing import Any


def _tell(**values: Any) -> None:
    sys.stdout.write(json.dumps(values) + "\n")
    sys.stdout.flush()


def _say(words: str) -> None:
    _tell(say=words)


def main() -> None:
    """Do what the argument asks for."""
    # Labels are few and steps small: threads would spend their time waiting for each other and keep the browser waiting
    # too. On a busy machine of two cores an epoch of six pages took 4 s with two of them and 0.1 s with one.
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    threading.Thread(target=_end_with_input, daemon=True).start()
    order = json.loads(sys.argv[1])
    folder, output = Path(order["labels"]), Path(order["output"])
    try:
        _tell(done=_teach_density(folder, output) if order["method"] == "density" else _teach(folder, output, order))
    except ValueError as problem:
        _tell(error=str(problem))
    except ModuleNotFoundError as missing:
        _tell(error=f"training wants {missing.name}: pip install 'bodytext[train]'")


def _end_with_input() -> None:
    while os.read(0, 1024):  # not sys.stdin, whose lock the processes that are forked would find taken
        pass
    if hasattr(os, "killpg"):
        os.killpg(0, signal.SIGKILL)  # the processes that read pages too
    os._exit(1)


def _teach(folder: Path, output: Path, order: dict[str, Any]) -> dict[str, Any]:
    from bodytext.studio.evaluation.training_run import Order, run_training, summarise_sites

    outcome = run_training(Order((folder,), output, epochs=int(order.get("epochs", 0))), _say)
    return summarise_sites(outcome)


def _teach_density(folder: Path, output: Path) -> dict[str, Any]:
    from bodytext.studio.training.density_training import train

    errors = train([folder], output, _say)
    rows = [
        {"name": name, "wrongly_kept": one.false_positives, "wrongly_dropped": one.false_negatives, "lines": one.lines}
        for name, one in errors.items()
    ]
    return {"errors": rows}


if __name__ == "__main__":
    main()
