"""Compare methods as table 2 of document 000 does: both of its own by page type and language, then every system."""

import math
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean

import numpy as np

from bodytext.studio.evaluation.documents.sections import CaptionedTable, Part, verdict
from bodytext.studio.evaluation.evaluation import Evaluation
from bodytext.studio.evaluation.metrics import bootstrap_interval, mean_of
from bodytext.studio.evaluation.page_scores import PageScore
from bodytext.studio.evaluation.predictions import read_predictions
from bodytext.studio.evaluation.tables import our_systems

ORIGINAL, IMPROVED = "finn", "runs"
NEWS = "article"
SPECIAL = ("forum", "product", "listing", "collection")  # "social networks, shopping sites"
MIN_LANGUAGE_PAGES = 3
SAME = 0.01  # word F1; a difference of means within this is called the same
_TAG = re.compile(r"</?[a-z][a-z0-9]*(?:\s[^<>]*)?/?>|<!--", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class ComparedPage:
    """The word F1 of both methods on a page, and whether their texts have something like a tag."""

    page_type: str
    language: str
    f1: tuple[float, float]
    has_tags: tuple[bool, bool]


def compare_pages(
    evaluations: Sequence[Evaluation], languages: Mapping[tuple[str, str], str]
) -> list[ComparedPage]:
    """The pages of all sets that both methods have read; none if a method was not run."""
    return [page for evaluation in evaluations for page in _compare_set(evaluation, languages)]


def _compare_set(
    evaluation: Evaluation, languages: Mapping[tuple[str, str], str]
) -> Iterator[ComparedPage]:
    systems = {system.system: system for system in evaluation.systems}
    if ORIGINAL not in systems or IMPROVED not in systems:
        return
    both = (systems[ORIGINAL], systems[IMPROVED])
    texts = [
        read_predictions(evaluation.predictions / f"{system.system}.jsonl", system.version)
        for system in both
    ]
    for old, new in zip(both[0].pages, both[1].pages, strict=True):
        if np.isnan(old.f1):
            continue
        left = tuple(bool(_TAG.search(answers[old.identity].text)) for answers in texts)
        language = languages.get((evaluation.name, old.identity), "")
        yield ComparedPage(old.page_type, language, (old.f1, new.f1), (left[0], left[1]))


def compared_parts(pages: Sequence[ComparedPage]) -> list[Part]:
    """Table 2 by page type and language, whether accuracy stays the same, and what HTML is left."""
    if not pages:
        return []
    rows = [("all pages", *_row(pages)), *_type_rows(pages), *_language_rows(pages)]
    heading = (
        "pages | number | original (finn), F1 | improved (runs), F1 | difference | 95 % interval"
    )
    caption = "Table 2: both methods by page type and language, mean word F1"
    table = CaptionedTable(caption, heading, rows)
    return [table, _describe_quality(pages), _describe_rest(pages)]


def _row(pages: Sequence[ComparedPage]) -> tuple[str, ...]:
    f1 = np.array([page.f1 for page in pages])
    difference = f1[:, 1] - f1[:, 0]
    low, high = bootstrap_interval(difference.tolist())
    interval = "-" if np.isnan(low) else f"{low:+.3f} to {high:+.3f}"
    numbers = (*(f"{mean:.3f}" for mean in f1.mean(axis=0)), f"{difference.mean():+.3f}", interval)
    return f"{len(pages):,}", *numbers


def _type_rows(pages: Sequence[ComparedPage]) -> Iterator[tuple[str, ...]]:
    groups: dict[str, list[ComparedPage]] = defaultdict(list)
    for page in pages:
        groups[page.page_type].append(page)
    for name in sorted(groups, key=lambda name: (name != NEWS, name in SPECIAL, name)):
        special = " (special structure)" if name in SPECIAL else ""
        yield f"{name}{special}", *_row(groups[name])


def _language_rows(pages: Sequence[ComparedPage]) -> Iterator[tuple[str, ...]]:
    groups: dict[str, list[ComparedPage]] = defaultdict(list)
    for page in pages:
        if page.page_type == NEWS and page.language:
            groups[page.language].append(page)
    for name, group in sorted(groups.items(), key=lambda item: (-len(item[1]), item[0])):
        if len(group) >= MIN_LANGUAGE_PAGES:
            yield f"articles in {name}", *_row(group)


def _describe_quality(pages: Sequence[ComparedPage]) -> str:
    articles = [page.f1 for page in pages if page.page_type == NEWS]
    others = [page.f1 for page in pages if page.page_type in SPECIAL]
    difference = float(np.mean([page.f1[1] - page.f1[0] for page in pages]))
    same = (
        'The document says that accuracy is "without decrease". The mean word F1 of the improved method differs by '
        f"{difference:+.4f} from the original's. {verdict(holds=difference >= -SAME)}"
    )
    if not articles or not others:
        return same
    news, special = np.mean(articles, axis=0), np.mean(others, axis=0)
    poor = (
        f'It calls both "good" on news and "poor" on special structures: articles have {news[0]:.3f} and '
        f"{news[1]:.3f}, {', '.join(SPECIAL)} {special[0]:.3f} and {special[1]:.3f}. "
        f"{verdict(holds=bool((news > special + 0.1).all()))}"
    )
    languages = {page.language for page in pages if page.page_type == NEWS and page.language}
    vietnamese = (
        ""
        if "vi" in languages
        else " None of these pages is in Vietnamese, the document's own language."
    )
    return f"{same} {poor} The articles are in {len(languages)} languages.{vietnamese}"


def _describe_rest(pages: Sequence[ComparedPage]) -> str:
    old, new = (sum(page.has_tags[index] for page in pages) for index in (0, 1))
    shown = "; these are examples of code that the pages show" if old or new else ""
    return (
        'It says that the improved method removes "completely the HTML codes while the original one cannot". Here '
        "a text has no markup by construction, since both take the text between tags. Something that looks like a tag is "
        f"in {old:,} texts of the original and {new:,} of the improved method, of {len(pages):,}{shown}."
    )


def system_parts(evaluations: Sequence[Evaluation], trained: set[str]) -> list[Part]:
    """The table of all systems that have read all pages, the fastest first."""
    gathered: dict[str, list[PageScore]] = defaultdict(list)
    for evaluation in evaluations:
        for system in evaluation.systems:
            gathered[system.system] += system.pages
    most = max(map(len, gathered.values()), default=0)
    pages = {name: scores for name, scores in gathered.items() if len(scores) == most}
    if not most or IMPROVED not in pages:
        return []
    seconds = {name: fmean(page.seconds for page in scores) for name, scores in pages.items()}
    ours = our_systems()
    rows = []
    for name in sorted(pages, key=lambda name: seconds[name]):
        known = f"{name} *" if name in trained else name
        rows.append((
            known if name in ours else f"{name} (peer)",
            f"{1000 * seconds[name]:.2f}",
            f"{seconds[name] / max(seconds[IMPROVED], 1e-9):.1f}",
            _mean_f1(pages[name], (NEWS,)),
            _mean_f1(pages[name], SPECIAL),
            _mean_f1(pages[name], ()),
        ))  # fmt: skip
    heading = "system | CPU ms a page | times runs | F1, articles | F1, special structures | F1, all pages"
    caption = f"Table 2 with every system: from bytes to text over the same {most:,} pages"
    if trained:
        caption += "; * was trained on these pages"
    return [CaptionedTable(caption, heading, rows), _describe_systems(seconds, pages)]


def _mean_f1(pages: Sequence[PageScore], page_types: Sequence[str]) -> str:
    """The mean word F1 over pages of some types, or of all."""
    mean = mean_of(page.f1 for page in pages if not page_types or page.page_type in page_types)
    return "-" if math.isnan(mean) else f"{mean:.3f}"


def _describe_systems(seconds: dict[str, float], pages: dict[str, list[PageScore]]) -> str:
    peers = {name: seconds[name] for name in pages if name not in our_systems()}
    about = (
        "A child process for each system measures its own CPU time, without the time to load. Here "
        "the time is of the whole call, with what every method of ours shares: finding the encoding, "
        "and looking for text that a page hides."
    )
    if not peers:
        return about
    fastest = min(peers, key=lambda name: peers[name])
    return (
        f"{about} The document calls its method fast beside the one that it improves. Beside today's "
        f"packages runs takes {seconds[IMPROVED] / peers[fastest]:.2f} of the time of the fastest, "
        f"{fastest}. {verdict(holds=seconds[IMPROVED] <= peers[fastest])}"
    )
