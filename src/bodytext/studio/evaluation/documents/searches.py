"""Tokens or run-length codes of a page -> the best T(i, j), by each of the searches that document 000 compares.

A token is 1 for a tag and 0 for a word, a code is the length of a stretch of tags, or less the length of one of words.
T(i, j) = tags before i + words from i to j + tags after j. All are in plain Python, so that their times compare; each
gives the same T for the same page. A page has at least one word.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from bodytext.methods.finn import best_stretch
from bodytext.methods.runs import clean, encode
from bodytext.page.tables import Column, Page


@dataclass(frozen=True, slots=True)
class TokenRuns:
    """Tags in front of each run, words in it, and the tags behind the last run."""

    tags: Column
    words: Column
    tags_behind: int = 0

    def __len__(self) -> int:
        """How many tokens there are."""
        return int(self.tags.sum() + self.words.sum()) + self.tags_behind

    def unfold(self) -> list[int]:
        """The tokens one by one."""
        lengths = np.append(np.stack((self.tags, self.words), axis=1).ravel(), self.tags_behind)
        return np.repeat(np.arange(len(lengths)) % 2 == 0, lengths).astype(int).tolist()


def tokens_as_found(page: Page) -> TokenRuns:
    """All tags and words, as Finn counts them."""
    runs = page.runs
    return TokenRuns(runs.tags, runs.words, page.tags - int(runs.tags.sum()))


def tokens_cleaned(page: Page) -> TokenRuns:
    """What step 0 of document 000 leaves. Tags behind the last word are left out: they are in no best stretch."""
    tags, words = clean(page)
    return TokenRuns(tags, words)


def encode_tokens(tokens: Sequence[int]) -> list[int]:
    """Tokens to signed run lengths, by the method's own step 1; a tag is 1 here and a word 0.

    >>> encode_tokens([1, 1, 0, 0, 0, 0, 0])
    [2, -5]
    """
    return encode([1 if token else -1 for token in tokens])


def search_as_printed(tokens: Sequence[int]) -> int:
    """Finn's objective as printed: three sums for every pair of points, O(n^3)."""
    best, count = 0, len(tokens)
    for first in range(count):
        for last in range(first, count):
            inside = tokens[first : last + 1]
            total = sum(tokens[:first]) + len(inside) - sum(inside) + sum(tokens[last + 1 :])
            best = max(best, total)
    return best


def search_with_running_sums(tokens: Sequence[int]) -> int:
    """The same pairs, each sum read off a running one, O(n^2)."""
    tags, words = [0], [0]
    for token in tokens:
        tags.append(tags[-1] + token)
        words.append(words[-1] + 1 - token)
    best, all_tags = 0, tags[-1]
    for first in range(len(tokens)):
        outside = tags[first] + all_tags - words[first]
        for tags_so_far, words_so_far in zip(tags[first + 1 :], words[first + 1 :], strict=True):
            total = outside + words_so_far - tags_so_far
            if total > best:  # noqa: PLR1730 - the call of max would cost more than the search itself
                best = total
    return best


def search_codes(codes: Sequence[int]) -> int:
    """Document 000's search over the codes, its slips mended: from every stretch of words onwards, O(m^2)."""
    lowest, count = 0, len(codes)
    for first in range(count):
        if codes[first] > 0:
            continue
        balance = 0
        for last in range(first, count):
            balance += codes[last]
            if balance < lowest:  # noqa: PLR1730 - as above
                lowest = balance
    return _all_tags(codes) - lowest


def search_in_one_pass(codes: Sequence[int]) -> int:
    """The maximum-sum stretch: where a stretch no longer has more words than tags, a new one begins, O(m)."""
    lowest = balance = 0
    for code in codes:
        balance = min(balance, 0) + code
        lowest = min(lowest, balance)
    return _all_tags(codes) - lowest


def search_shipped(tokens: TokenRuns) -> tuple[int, int]:
    """The library's own search over numpy columns: the runs first to stop of the best stretch."""
    return best_stretch(tokens.tags, tokens.words)


def value_of(tokens: TokenRuns, first: int, stop: int) -> int:
    """T of the stretch from the first word of run `first` to the last word before run `stop`."""
    inside_tags, words = int(tokens.tags[first + 1 : stop].sum()), int(tokens.words[first:stop].sum())
    return int(tokens.tags.sum()) + tokens.tags_behind - inside_tags + words


def _all_tags(codes: Sequence[int]) -> int:
    return sum(code for code in codes if code > 0)
