"""Run `bodytext train`, which trains a method on labelled pages."""

import argparse
from pathlib import Path

from bodytext.cli.command import Command
from bodytext.cli.console import DONE, print_message, print_text
from bodytext.cli.options import add_flag, add_option, count, positive_number
from bodytext.cli.outputs import check_new
from bodytext.sources.storage import require


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of this command to the parser."""
    parser.description = (
        "Trains on labelled pages, starting from the weights in the package. A few dozen pages of "
        "your own sites are enough, and it takes about a minute. Every page is scored by a "
        "network that has not seen its site. Then run: bodytext --model model.npz page.html"
    )
    parser.add_argument(
        "sets", nargs="*", type=Path, metavar="SET", help="folders of labelled pages"
    )
    add_option(
        parser, "--labels FOLDER", "folders labelled with bodytext label", [], Path, nargs="+"
    )
    add_option(
        parser,
        "--method",
        "density: the four small networks of its article, with their errors; does not need torch",
        "learned",
        choices=("learned", "density"),
    )
    add_option(parser, "-o --output FILE", "default model.npz", Path("model.npz"), Path)
    add_flag(parser, "--overwrite", "replace a file that exists")
    add_flag(parser, "--from-scratch", "start from random weights; needs about a thousand pages")
    add_flag(parser, "--no-validation", "from scratch: do not train a network for each fold")
    add_option(
        parser,
        "--also SET",
        "from scratch: also learn from these, without scores",
        [],
        Path,
        nargs="*",
    )
    add_option(
        parser,
        "--unlabelled FOLDER",
        "from scratch: also learn from pages without labels, through teachers",
        [],
        Path,
        nargs="*",
    )
    add_option(parser, "--test SET", "also predict these sets", [], Path, nargs="*")
    add_option(parser, "--predictions DIR", "where predictions go", Path("predictions"), Path)
    add_option(parser, "--report DIR", "write tables and figures there", None, Path)
    add_option(
        parser, "--seed", "another seed gives other weights of the same quality; default 0", 0, int
    )
    add_option(parser, "--epochs", "default: as many as the recipe has", 0, count)
    add_option(
        parser,
        "--false-positive-cost NUMBER",
        "density: the cost of a wrongly kept line, where that of a wrongly dropped one is 1; "
        "default 1, more drops more",
        1.0,
        positive_number,
    )
    parser.set_defaults(run=_train)


def _train(options: argparse.Namespace) -> int:
    options.sets = [*options.sets, *(_find_labels(folder) for folder in options.labels)]
    if not options.sets:
        raise ValueError(
            "name folders of labelled pages, or folders that you labelled with --labels"
        )
    if options.false_positive_cost != 1 and options.method != "density":
        raise ValueError("--false-positive-cost is an option of --method density")
    if options.output.suffix == ".json":
        raise ValueError(
            f"{options.output}: name a file such as model.npz; the card is written beside it"
        )
    if not options.overwrite:
        check_new([options.output, options.output.with_suffix(".json")])
    return _train_density(options) if options.method == "density" else _train_learned(options)


def _find_labels(folder: Path) -> Path:
    """Check that a folder has labels, and name the pages that cannot be used."""
    from bodytext.studio.labels.conversion import read_labels
    from bodytext.studio.labels.store import is_store, open_store

    if not is_store(folder):
        raise ValueError(f"{folder}: no labels yet; make some with: bodytext label {folder}")
    _, skipped = read_labels(open_store(folder))
    for entry in skipped:
        print_message(f"not used: {entry.page}: {entry.reason}")
    return folder


def _train_density(options: argparse.Namespace) -> int:
    from bodytext.studio.training.density_training import to_table, train

    errors = train(options.sets, options.output, print_message, options.false_positive_cost)
    print_text(to_table(errors))
    print_text(f"networks written to {options.output}, their card beside it")
    print_text(f"use them with: bodytext --method density:model={options.output} PAGE")
    return DONE


def _train_learned(options: argparse.Namespace) -> int:
    require("torch", extra="train", purpose="training")
    if options.report:
        require("matplotlib", extra="report", purpose="a report")
    from bodytext.studio.evaluation.training_run import TrainingSpec, run_training, to_table

    spec = TrainingSpec(
        tuple(options.sets),
        options.output,
        from_scratch=options.from_scratch,
        validate=not options.no_validation,
        also=tuple(options.also),
        unlabelled=tuple(options.unlabelled),
        test_sets=tuple(options.test),
        predictions=options.predictions,
        seed=options.seed,
        epochs=options.epochs,
    )
    result = run_training(spec, print_message)
    print_text(to_table(result))
    if options.report:
        from bodytext.studio.evaluation.training_report import write_training_report

        names = " ".join(path.resolve().name for path in spec.sets)
        scratch = " --from-scratch" if spec.from_scratch else ""
        write_training_report(
            result, options.report, f"bodytext train {names}{scratch} --report OUT"
        )
        print_text(f"report written to {options.report}")
    print_text(f"weights written to {spec.output}, their card beside it")
    print_text(f"use them with: bodytext --model {spec.output} PAGE")
    return DONE


COMMAND = Command("train the learned method on labelled pages", add_options)
