"""Put every system into table 2 of document 000: the time of the whole extraction, and its quality."""

import math
from collections import defaultdict
from collections.abc import Sequence
from statistics import fmean

from bodytext.studio.evaluation.documents.compared import IMPROVED, NEWS, SPECIAL
from bodytext.studio.evaluation.documents.sections import CaptionedTable, Part, verdict
from bodytext.studio.evaluation.evaluation import Evaluation
from bodytext.studio.evaluation.metrics import mean_of
from bodytext.studio.evaluation.page_scores import PageScore
from bodytext.studio.evaluation.tables import our_systems


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
    header = (
        "system",
        "CPU ms a page",
        "times runs",
        "F1, articles",
        "F1, special structures",
        "F1, all pages",
    )
    caption = f"Table 2 with every system: from bytes to text over the same {most:,} pages"
    if trained:
        caption += "; * was trained on these pages"
    return [CaptionedTable(caption, header, tuple(rows)), _describe(seconds, pages)]


def _mean_f1(pages: Sequence[PageScore], page_types: Sequence[str]) -> str:
    """The mean word F1 over pages of some types, or of all."""
    f1 = [page.f1 for page in pages if not page_types or page.page_type in page_types]
    mean = mean_of(f1)
    return "-" if math.isnan(mean) else f"{mean:.3f}"


def _describe(seconds: dict[str, float], pages: dict[str, list[PageScore]]) -> str:
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
