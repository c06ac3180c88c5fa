"""Measure a method with other settings: CUTER with other values where document 001 names none."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from bodytext.methods import Method
from bodytext.methods.cuter import Cuter
from bodytext.selection import select
from bodytext.studio.evaluation.documents.sections import CaptionedTable
from bodytext.studio.evaluation.metrics import compare_words
from bodytext.studio.training.examples import TrainingExample

CAPTION = "CUTER's open values, one changed at a time: mean word F1"
SETTINGS = {
    "the defaults": Cuter(),
    "`reach` 0.05": Cuter(reach=0.05),
    "`reach` 0.1": Cuter(reach=0.1),
    "`reach` 0.3": Cuter(reach=0.3),
    "`ratio` 5": Cuter(ratio=5),
    "`acceptable` 0.3": Cuter(acceptable=0.3),
    "`acceptable` 0.8": Cuter(acceptable=0.8),
    "`max_link_share` 0.33": Cuter(max_link_share=0.33),
    "`meaning` on": Cuter(meaning=True),
    "`lexicon` off": Cuter(lexicon=False),
}


@dataclass(frozen=True, slots=True)
class SettingScores:
    """The word F1 of a page with each setting of a method."""

    is_article: bool
    f1: tuple[float, ...]


def measure_settings(
    example: TrainingExample, methods: Iterable[Method] = tuple(SETTINGS.values())
) -> SettingScores:
    """Score a page with each setting; settings that keep the same blocks are scored once."""
    known: dict[bytes, float] = {}
    f1 = []
    for method in methods:
        scores = method.score(example.page)
        key = scores.values.tobytes()
        if key not in known:
            text = str(select(example.page, scores))
            known[key] = compare_words(text, example.source.reference or "").f1
        f1.append(known[key])
    return SettingScores(example.source.page_type == "article", tuple(f1))


def mean_scores(pages: Sequence[SettingScores], settings: int) -> tuple[list[float], list[float]]:
    """The mean word F1 with each setting over articles, and over all pages."""
    groups = [page.f1 for page in pages if page.is_article], [page.f1 for page in pages]
    articles, whole = (
        np.mean(group, axis=0).tolist() if group else [math.nan] * settings for group in groups
    )
    return articles, whole


def settings_table(
    pages: Sequence[SettingScores], names: Sequence[str], caption: str, heading: str
) -> CaptionedTable:
    """The mean word F1 with each setting, on articles and on all pages."""
    rows = [
        (name, f"{article:.3f}", f"{whole:.3f}")
        for name, article, whole in zip(names, *mean_scores(pages, len(names)), strict=True)
    ]
    articles = sum(page.is_article for page in pages)
    columns = f"articles ({articles:,}) | all pages ({len(pages):,})"
    return CaptionedTable(caption, f"{heading} | {columns}", rows)
