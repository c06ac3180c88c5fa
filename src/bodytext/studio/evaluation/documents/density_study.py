"""Study why the 80 % fewer errors of document 003 are not seen, and what the cost of an error does."""

from collections.abc import Sequence

import numpy as np

from bodytext.studio.evaluation.documents.sections import CaptionedTable, Part, per_cent
from bodytext.studio.labels.labelled_set import fold_of
from bodytext.studio.training.density_training import (
    FOLDS,
    Errors,
    count_network_errors,
    count_rule_errors,
    fit_network,
)
from bodytext.studio.training.examples import TrainingExample

STUDIED_PAGES = 40  # articles of each set; more would take long and change little
COSTS = (0.2, 0.5, 1.0, 2.0, 5.0)  # of a wrongly kept line, against 1
NETWORK = "mlp"  # the article's best
ERRORS = "false positives | false negatives | errors"


def study(name: str, examples: Sequence[TrainingExample]) -> list[Part]:
    """Both tables for some articles of a set; nothing if they cannot be split."""
    by_domain = [fold_of(example.source.domain, FOLDS) for example in examples]
    by_page = [fold_of(example.source.identity, FOLDS) for example in examples]
    if min(len(set(by_domain)), len(set(by_page))) < 2:
        return []
    fixed = Errors.sum(count_rule_errors("threshold", examples))
    cases = {
        "pages of other domains": _errors_in_folds(examples, by_domain),
        "other pages, of the same domains too": _errors_in_folds(examples, by_page),
        "the same pages": _errors(examples, examples),
        "the same page alone": _sum([_errors([example], [example]) for example in examples]),
    }
    rows = [(f"trained on {case}", *_row(errors, fixed)) for case, errors in cases.items()]
    caption = f"Errors of {NETWORK} on {fixed.lines:,} lines of {len(examples)} articles of {name}, by what it was trained on"
    heading = f"network | {ERRORS} | fewer than the fixed threshold's"
    table = CaptionedTable(caption, heading, [("fixed threshold", *_row(fixed, fixed)), *rows])
    return [table, _describe(cases, fixed), _cost_table(name, examples, by_domain)]


def _describe(cases: dict[str, Errors], fixed: Errors) -> str:
    fewer = [per_cent(1 - errors.total / max(fixed.total, 1)) for errors in cases.values()]
    return (
        "The article tests on pages that people tagged, and does not say whether these are pages of the training. If "
        f"they are, its network makes {fewer[2]} fewer errors here, and {fewer[3]} with a network for each page, "
        f"against {fewer[0]} on sites it has not seen. So a part of the 80 % can come from testing on pages of the "
        "training, most of all if there were few of them."
    )


def _cost_table(
    name: str, examples: Sequence[TrainingExample], folds: Sequence[int]
) -> CaptionedTable:
    rows = [(f"{cost:g}", *count_errors(_errors_in_folds(examples, folds, cost))) for cost in COSTS]
    caption = f"The cost of a wrongly kept line ({NETWORK}, the same articles of {name}, in folds by domain)"
    return CaptionedTable(caption, f"cost | {ERRORS}", rows)


def _row(errors: Errors, fixed: Errors) -> tuple[str, ...]:
    return *count_errors(errors), per_cent(1 - errors.total / max(fixed.total, 1))


def count_errors(errors: Errors) -> tuple[str, str, str]:
    """The numbers of errors, under the heading ERRORS."""
    return f"{errors.false_positives:,}", f"{errors.false_negatives:,}", f"{errors.total:,}"


def _errors_in_folds(
    examples: Sequence[TrainingExample], folds: Sequence[int], cost: float = 1.0
) -> Errors:
    """The errors on each fold by a network that was trained on the others."""
    pairs, parts = list(zip(examples, folds, strict=True)), []
    for fold in sorted(set(folds)):
        rest = [example for example, own in pairs if own != fold]
        parts.append(_errors(rest, [example for example, own in pairs if own == fold], cost))
    return _sum(parts)


def _errors(
    trained: Sequence[TrainingExample], tested: Sequence[TrainingExample], cost: float = 1.0
) -> Errors:
    network = fit_network(NETWORK, trained, false_positive_cost=cost)
    return Errors.sum(count_network_errors(NETWORK, network, tested))


def _sum(parts: Sequence[Errors]) -> Errors:
    counts = [(part.lines, part.false_positives, part.false_negatives) for part in parts]
    return Errors(*np.sum(counts, axis=0).tolist())
