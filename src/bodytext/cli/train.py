"""bodytext train: labelled pages in, weights and their card out."""

import argparse
from importlib.util import find_spec
from pathlib import Path

from bodytext.cli.commands import Command
from bodytext.cli.console import DONE, print_message, print_text
from bodytext.cli.options import count


def add_options(parser: argparse.ArgumentParser) -> None:
    """Give the parser this command's options."""
    parser.description = (
        "Learns from labelled pages, starting from the weights that the package has: a few dozen pages of your own "
        "sites are enough, and it takes about a minute. Every page is scored by a network that has not seen its site. "
        "Then: bodytext --model model.npz page.html"
    )
    parser.add_argument("sets", nargs="*", type=Path, metavar="SET", help="folders of labelled pages")
    parser.add_argument(
        "--labels", nargs="+", type=Path, default=[], metavar="FOLDER", help="folders labelled with bodytext label"
    )
    parser.add_argument(
        "--method",
        choices=("learned", "density"),
        default="learned",
        help="density: the four small networks of its article, with their errors; wants no torch",
    )
    parser.add_argument(
        "-o", "--output", type=Path, default=Path("model.npz"), metavar="FILE", help="default model.npz"
    )
    parser.add_argument("--from-scratch", action="store_true", help="start from nothing; wants a thousand pages or so")
    parser.add_argument("--no-validation", action="store_true", help="from scratch, without a network for each fold")
    parser.add_argument(
        "--also", nargs="*", type=Path, default=[], metavar="SET", help="from scratch: learn from these, unscored"
    )
    parser.add_argument("--test", nargs="*", type=Path, default=[], metavar="SET", help="also predict these sets")
    parser.add_argument("--predictions", type=Path, metavar="DIR", default=Path("predictions"), help="where to")
    parser.add_argument("--report", type=Path, metavar="DIR", help="write tables and figures there")
    parser.add_argument("--seed", type=int, default=0, help="another number gives other weights as good; default 0")
    parser.add_argument("--epochs", type=count, default=0, help="default: what the recipe says")
    parser.set_defaults(run=_train)


def _train(options: argparse.Namespace) -> int:
    options.sets = [*options.sets, *(_find_labels(folder) for folder in options.labels)]
    if not options.sets:
        raise ValueError("name folders of labelled pages, or with --labels folders that you labelled")
    if options.output.suffix == ".json":
        raise ValueError(f"{options.output}: weights go into a file such as model.npz; their card is written beside it")
    return _train_density(options) if options.method == "density" else _train_learned(options)


def _find_labels(folder: Path) -> Path:
    """A folder with labels; tell of those pages that cannot be used."""
    from bodytext.studio.labels.conversion import read_labels
    from bodytext.studio.labels.store import is_store, open_store

    if not is_store(folder):
        raise ValueError(f"{folder}: there are no labels yet; make some with: bodytext label {folder}")
    for one in read_labels(open_store(folder))[1]:
        print_message(f"not used: {one.page}: {one.reason}")
    return folder


def _train_density(options: argparse.Namespace) -> int:
    from bodytext.studio.training.density_training import to_table, train

    print_text(to_table(train(options.sets, options.output, print_message)))
    print_text(f"networks written to {options.output}, their card beside it")
    print_text(f"use them with: bodytext --method density:model={options.output} PAGE")
    return DONE


def _train_learned(options: argparse.Namespace) -> int:
    if find_spec("torch") is None:
        raise ValueError("training wants torch: pip install 'bodytext[train]'")
    if options.report and find_spec("matplotlib") is None:
        raise ValueError("figures want matplotlib: pip install 'bodytext[evaluate]'")
    from bodytext.studio.evaluation.training_run import TrainingSpec, run_training, to_table

    order = TrainingSpec(
        tuple(options.sets),
        options.output,
        scratch=options.from_scratch,
        validate=not options.no_validation,
        also=tuple(options.also),
        tests=tuple(options.test),
        predictions=options.predictions,
        seed=options.seed,
        epochs=options.epochs,
    )
    outcome = run_training(order, print_message)
    print_text(to_table(outcome))
    if options.report:
        from bodytext.studio.evaluation.training_report import write_training_report

        names = " ".join(path.resolve().name for path in order.sets)
        scratch = " --from-scratch" if order.scratch else ""
        write_training_report(outcome, options.report, f"bodytext train {names}{scratch} --report OUT")
        print_text(f"report written to {options.report}")
    print_text(f"weights written to {order.output}, their card beside it")
    print_text(f"use them with: bodytext --model {order.output} PAGE")
    return DONE


COMMAND = Command("train the learned method on labelled pages", add_options)
