"""Choose the nodes with the author and the date of each unit.

All posts of a page are built alike. So the author has the name that most units share; only if there
is none, a unit is looked at alone. The same holds for dates.
"""

import re
from collections import Counter
from functools import lru_cache

import numpy as np

from bodytext.kernel import choose_nodes
from bodytext.kernel.html import TAG
from bodytext.kernel.tokens import unescape
from bodytext.page.late_pattern import late_pattern
from bodytext.page.tables import Page, tag_mask
from bodytext.views.comments.element_names import UNREAD, ElementNames, Mask, Numbers
from bodytext.views.comments.evidence import Evidence
from bodytext.views.comments.units import Units

_LONGEST_AUTHOR = 60  # characters
_MOST_AUTHOR_WORDS = 6
_MOST_GUESSED_WORDS = 3
_LONGEST_DATE = 80
_DEEPEST_NAME = 8  # levels in an author's element
_REPEATED, _GUESS_REPEATED = 4, 2  # a name that has the same text this many times is not an author
_SHARED = 0.9  # of the units: what so many say is a label, and no guess at their author
_SURE_RANK = 3  # of an author: a link to a profile, an item property
_STANDING_OUT = tag_mask("strong b a h2 h3 h4 h5 h6 dt cite em")
_NEARLY_ALL = 0.8  # of the units
_HOLDING = tag_mask("span div p td th")
_NAMED_RANK = 4  # of a guess: an element called a name
_NO_NAME = late_pattern(
    r"^\W*+(?:$|#|\d[\d.,]*+[km]?+\W*+$|(?:repl(?:y|ies)|quotes?|report(?:ed)?|shares?|likes?"
    r"|edit(?:ed)?|permalink|links?|more|follow(?:ers|ing)?|posts?|joined|members?|score|points?"
    r"|svara?|رد)\b|antworten|zitieren|répondre|responder|rispondi|beantwoorden|odpowiedz"
    r"|ответить|yanıtla|trả lời|जवाब|回复|回覆|返信|답글)",
    re.IGNORECASE,
)
_NAMED = late_pattern(r"[-_.](?:(?:full-?|nick-?|user-?|author-?)?name|nick)(?:$|[-_])")
_NUMBER = late_pattern(r"\b\d++\b")


def choose_authors(page: Page, names: ElementNames, evidence: Evidence, units: Units) -> Numbers:
    """For each unit the node of its author by name, or -1."""
    sums = evidence.sums
    short = (sums.chars > 0) & (sums.chars <= _LONGEST_AUTHOR)
    short &= (sums.shown <= _MOST_AUTHOR_WORDS) & (sums.dates == 0)
    short |= page.nodes.tag == TAG["meta"]
    rank = _varied(page, names, units, np.where(short & ~evidence.dated, names.author, 0))
    chosen = _choose(names, units, rank)
    has_text = page.nodes.first_run < page.nodes.stop_run
    sure = np.flatnonzero((rank >= _SURE_RANK) & has_text)
    innermost = _innermost(page, sure, chosen)
    return np.array([_tighten(page, node) for node in innermost.tolist()], np.intp)


def _innermost(page: Page, sure: Numbers, nodes: Numbers) -> Numbers:
    """The first element inside each author's that is surely one too, without avatar and role."""
    if not len(sure):
        return nodes
    stops = page.nodes.first_run.searchsorted(page.nodes.stop_run[nodes])
    places = np.minimum(sure.searchsorted(nodes, side="right"), len(sure) - 1)
    inside = (nodes >= 0) & (sure[places] > nodes) & (sure[places] < stops)
    return np.where(inside, sure[places], nodes)


def _tighten(page: Page, node: int) -> int:
    """The emphasised element with the first words of an author's: the rest is about the author."""
    run = page.nodes.first_run.item(node)
    if node < 0 or run >= page.nodes.stop_run.item(node):
        return node
    inner, chosen = page.runs.node.item(run), node
    for _ in range(_DEEPEST_NAME):
        if inner <= node:
            break
        if _STANDING_OUT[page.nodes.tag[inner]]:
            chosen = inner
        inner = page.nodes.parent.item(inner)
    return chosen


def choose_dates(names: ElementNames, evidence: Evidence, units: Units) -> Numbers:
    """For each unit the node of its date, or -1; a visible date comes first."""
    size, dated = evidence.sums.chars, evidence.sums.dated
    rank = np.where(evidence.dated, np.maximum(names.date, 2), names.date)
    # A class alone, or a date in a longer text.
    vague = (dated == 0) | (evidence.sums.shown > dated)
    rank = np.where((rank < 3) & vague, 0, rank)
    return _choose(names, units, np.where(size <= _LONGEST_DATE, rank - (size == 0), 0))


def choose_date_runs(evidence: Evidence, units: Units) -> Numbers:
    """For each unit its first run that is a date, or -1: the date may have no element."""
    chosen = np.full(len(units.node), -1, np.intp)
    dated = np.flatnonzero(evidence.dates & (units.owner_of_run >= 0))
    owners, first = np.unique(units.owner_of_run[dated], return_index=True)
    chosen[owners] = dated[first]
    return chosen


def guess_authors(
    page: Page,
    names: ElementNames,
    evidence: Evidence,
    units: Units,
    fields: tuple[Numbers, list[list[int]]],
) -> Numbers:
    """For each unit the node of the short text that most likely is its author, or -1.

    `fields` has the runs of the dates, and the bodies. An author differs from post to post, is no
    part of the date or the text, and is emphasised or alone. If the bodies leave nothing, it is
    what nearly every unit emphasises.
    """
    (dates, bodies), sums = fields, evidence.sums
    fit = (sums.shown > 0) & (sums.shown <= _MOST_GUESSED_WORDS)
    fit &= (sums.chars <= _LONGEST_AUTHOR) & (units.owner >= 0)
    leading = _leading_names(page, fit, dates, bodies)
    if (leading >= 0).mean() >= _NEARLY_ALL:
        return leading
    dated = np.zeros(len(page.runs.words), np.bool_)
    dated[dates[dates >= 0]] = True
    taken = dated | _cover(page, [node for body in bodies for node in body])
    guessed = _guess(
        page, names, units, fit & _holds_none(page, taken), _STANDING_OUT * 2 + _HOLDING
    )
    if (guessed >= 0).any():
        return guessed
    guessed = _guess(page, names, units, fit & _holds_none(page, dated), _STANDING_OUT * 2)
    return guessed if (guessed >= 0).mean() >= _NEARLY_ALL else np.full(len(guessed), -1, np.intp)


def _leading_names(page: Page, fit: Mask, dates: Numbers, bodies: list[list[int]]) -> Numbers:
    """For each unit the first of several bodies that is short and before the date, or -1.

    It is a name that is marked like a text. If all say the same, it is none.
    """
    stops = page.nodes.stop_run
    found = [
        body[0] if len(body) > 1 and fit[body[0]] and stops[body[0]] <= date else -1
        for body, date in zip(bodies, dates.tolist(), strict=True)
    ]
    labels = {_as_label(_first_words(page, node)) for node in found if node >= 0}
    return np.array(found if len(labels) > 1 else [-1] * len(found), np.intp)


def _holds_none(page: Page, runs: Mask) -> Mask:
    """Which nodes hold none of some runs."""
    is_free: Mask = page.per_node(runs.astype(np.int32)) == 0
    return is_free


def _guess(
    page: Page, names: ElementNames, units: Units, fit: Mask, rank_of_tag: Numbers
) -> Numbers:
    """For each unit the fit node that has the best tag and name."""
    rank = np.where(fit, rank_of_tag[page.nodes.tag], 0)
    rank = _without_labels(page, units, rank, names.called(_is_name))
    return _choose(names, units, _varied(page, names, units, rank, _GUESS_REPEATED))


def _without_labels(page: Page, units: Units, rank: Numbers, called: Mask) -> Numbers:
    """The ranks, without letters, which are avatars, and without what most units say.

    What is called a name counts more, even if one person wrote most of the posts.
    """
    nodes = np.flatnonzero((rank > 0) & (units.owner >= 0)).tolist()
    texts = [_first_words(page, node) for node in nodes]
    labels = _find_labels(texts, units.owner[nodes].tolist(), len(units.node))
    rank = np.where((rank > 0) & called, _NAMED_RANK, rank)
    for node, text in zip(nodes, texts, strict=True):
        if len(text) == 1 or (_as_label(text) in labels and not called[node]):
            rank[node] = 0
    return rank


@lru_cache(maxsize=4_000)
def _is_name(name: str) -> bool:
    return _NAMED.search(name) is not None


def _as_label(text: str) -> str:
    """A text whose numbers are alike: "level 1" and "level 2" say the same."""
    return _NUMBER.sub("0", text)


def _find_labels(texts: list[str], owners: list[int], units: int) -> set[str]:
    """The texts, with numbers alike, that most units have, or that come with different numbers."""
    forms = Counter(map(_as_label, set(texts)))
    pairs = set(zip(map(_as_label, texts), owners, strict=True))
    counts, least = Counter(label for label, _ in pairs), max(2, _SHARED * units)
    return {label for label, count in counts.items() if count >= least or forms[label] > 1}


def _cover(page: Page, nodes: list[int]) -> Mask:
    """Which runs are inside one of some nodes."""
    steps = np.zeros(len(page.runs.words) + 1, np.intp)
    np.add.at(steps, page.nodes.first_run[nodes], 1)
    np.add.at(steps, page.nodes.stop_run[nodes], -1)
    covered: Mask = np.cumsum(steps)[:-1] > 0
    return covered


def guess_author_runs(page: Page, dates: Numbers) -> Numbers:
    """For each run of a date the short run before it in its block, or -1: "Ann Lee, today"."""
    runs = page.runs
    block = np.searchsorted(page.blocks.first_run, np.maximum(dates, 0), "right") - 1
    before = np.maximum(dates - 1, 0)
    fit = (dates > 0) & (before >= page.blocks.first_run[block]) & (runs.words[before] > 0)
    fit &= (runs.words[before] <= _MOST_GUESSED_WORDS) & (runs.chars[before] <= _LONGEST_AUTHOR)
    fit &= (runs.flags[before] & UNREAD) == 0
    guessed, places = np.where(fit, before, -1), np.flatnonzero(fit).tolist()
    texts = [_read_run(page, guessed.item(place)) for place in places]
    labels = _find_labels(texts, places, len(places))
    for place, text in zip(places, texts, strict=True):
        if _as_label(text) in labels or _NO_NAME.match(text):
            guessed[place] = -1
    return guessed


def _choose(names: ElementNames, units: Units, rank: Numbers) -> Numbers:
    """For each unit the ranked node whose name the most units share, and then of the highest rank."""
    pairs, ranks = (names.node, names.key), rank.astype(np.int8)
    return choose_nodes(pairs, len(names.keys), units.owner, len(units.node), ranks)


def _varied(
    page: Page, names: ElementNames, units: Units, rank: Numbers, repeated: int = _REPEATED
) -> Numbers:
    """The ranks, without nodes that name nobody and names whose nodes all have the same text.

    A name that few units have is kept: the author of the first post may be marked differently from
    all others. But if few units have a name with an "@", the text mentions others so.
    """
    rank = rank.copy()
    fit = np.flatnonzero((rank[names.node] > 0) & (units.owner[names.node] >= 0))
    nodes = names.node[fit].tolist()
    texts = {node: _first_words(page, node) for node in set(nodes)}
    _lower_no_names(units, texts, rank)
    texts_of: dict[int, list[str]] = {}
    for node, key in zip(nodes, names.key[fit].tolist(), strict=True):
        texts_of.setdefault(key, []).append(texts[node])
    repeated = max(repeated, len(units.node) // 2)
    often = [key for key, of_key in texts_of.items() if len(of_key) >= repeated]
    for key in often:
        if len(set(texts_of[key])) == 1:
            rank[names.members(key)] = 0
    return rank


def _lower_no_names(units: Units, texts: dict[int, str], rank: Numbers) -> None:
    """Change the ranks of nodes whose texts are no names."""
    mentions = {node for node, text in texts.items() if text[:1] == "@"}
    if mentions and 2 * len(set(units.owner[list(mentions)].tolist())) > len(units.node):
        mentions.clear()  # they are names
    for node, text in texts.items():
        if node in mentions or _NO_NAME.match(text):
            rank[node] = 0
        elif len(text) == 1:  # a letter as avatar, most likely
            rank[node] = 1


def _first_words(page: Page, node: int) -> str:
    """The first run of a node, or its tag where it has none."""
    run = page.nodes.first_run.item(node)
    if run < page.nodes.stop_run.item(node):
        return _read_run(page, run)
    start, end = page.nodes.start.item(node), page.nodes.end.item(node)
    return page.source[start:end].decode("utf-8", "replace")


def _read_run(page: Page, run: int) -> str:
    source = page.source[page.runs.start.item(run) : page.runs.end.item(run)]
    return unescape(source.decode("utf-8", "replace")).strip()
