"""Measure CUTER with other values where document 001 names none."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from bodytext.methods.cuter import Cuter
from bodytext.selection import select
from bodytext.studio.evaluation.documents.sections import CaptionedTable
from bodytext.studio.evaluation.metrics import compare_words
from bodytext.studio.training.examples import TrainingExample

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
    """The word F1 of a page with each setting."""

    is_article: bool
    f1: tuple[float, ...]


def measure_settings(example: TrainingExample) -> SettingScores:
    """Score a page with each setting; settings that keep the same blocks are scored once."""
    known: dict[bytes, float] = {}
    f1 = []
    for method in SETTINGS.values():
        scores = method.score(example.page)
        key = scores.values.tobytes()
        if key not in known:
            text = str(select(example.page, scores))
            known[key] = compare_words(text, example.source.reference or "").f1
        f1.append(known[key])
    return SettingScores(example.source.page_type == "article", tuple(f1))


def settings_table(pages: Sequence[SettingScores]) -> CaptionedTable:
    """The mean word F1 with each setting, on articles and on all pages."""
    articles = [page.f1 for page in pages if page.is_article]
    columns = [
        np.mean(group, axis=0) if group else np.full(len(SETTINGS), np.nan)
        for group in (articles, [page.f1 for page in pages])
    ]
    rows = tuple(
        (name, f"{columns[0][number]:.3f}", f"{columns[1][number]:.3f}")
        for number, name in enumerate(SETTINGS)
    )
    header = ("setting", f"articles ({len(articles):,})", f"all pages ({len(pages):,})")
    return CaptionedTable("CUTER's open values, one changed at a time: mean word F1", header, rows)
