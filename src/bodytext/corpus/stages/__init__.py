"""The stages of a corpus: each looks at rows, changes them, or says why they are dropped.

Other packages add stages by entry points of the group `bodytext.stages`. CONTRIBUTING.md says how
to add one here.
"""

from collections.abc import Iterable, Mapping
from typing import Any

from bodytext.corpus.stages.stage import DropReason, Stage, StageOption
from bodytext.methods.registry import Registry

# Rows go through the stages by their positions. This is the order of their options in run.json and
# in the help.
STAGES: Registry[type[Stage]] = Registry(
    "bodytext.stages",
    {
        "length": "bodytext.corpus.stages.length:Length",
        "confidence": "bodytext.corpus.stages.confidence:Confidence",
        "language": "bodytext.corpus.stages.language:Language",
        "quality": "bodytext.corpus.stages.quality:Quality",
        "normalisation": "bodytext.corpus.stages.normalisation:Normalisation",
    },
)


def collect_options(stages: Iterable[type[Stage]]) -> dict[str, StageOption]:
    """The options of stages by name. No two stages may have an option of the same name."""
    options: dict[str, StageOption] = {}
    for stage in stages:
        for option in stage.options():
            if option.name in options:
                raise ValueError(
                    f"the stage {stage.name} has an option {option.name!r}, as another stage has; rename it"
                )
            options[option.name] = option
    return options


def collect_reasons() -> list[DropReason]:
    """The reasons of all stages that are installed."""
    return [reason for stage in STAGES.values() for reason in stage.reasons]


def build_stages(stages: Iterable[type[Stage]], values: Mapping[str, Any]) -> list[Stage]:
    """Make stages from the values of their options, in the order in which rows go through them."""
    return [
        stage.from_options(values) for stage in sorted(stages, key=lambda stage: stage.position)
    ]
