"""Find the best T(i, j) of a page by each of the searches that document 000 compares.

A token is 1 for a tag and 0 for a word. A code is the length of a run of tags, or minus the length
of a run of words. T(i, j) = tags before i + words from i to j + tags after j. All searches give the
same T for the same page. They are in plain Python, so that their times can be compared. A page has
at least one word.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from bodytext.methods.finn import best_stretch
from bodytext.methods.runs import clean, encode
from bodytext.page.tables import Column, Page


@dataclass(frozen=True, slots=True)
class TokenRuns:
    """The tags before each run, the words in it, and the tags after the last run."""

    tags: Column
    words: Column
    tags_after: int = 0

    def __len__(self) -> int:
        """The number of tokens."""
        return int(self.tags.sum() + self.words.sum()) + self.tags_after

    def unfold(self) -> list[int]:
        """The tokens one by one."""
        lengths = np.append(np.stack((self.tags, self.words), axis=1).ravel(), self.tags_after)
        return np.repeat(np.arange(len(lengths)) % 2 == 0, lengths).astype(int).tolist()


def tokens_as_found(page: Page) -> TokenRuns:
    """All tags and words, as Finn counts them."""
    runs = page.runs
    return TokenRuns(runs.tags, runs.words, page.tags - int(runs.tags.sum()))


def tokens_cleaned(page: Page) -> TokenRuns:
    """The tokens after step 0 of document 000, without tags after the last word."""
    tags, words = clean(page)
    return TokenRuns(tags, words)


def encode_tokens(tokens: Sequence[int]) -> list[int]:
    """Encode tokens as signed run lengths, by step 1 of the method.

    >>> encode_tokens([1, 1, 0, 0, 0, 0, 0])
    [2, -5]
    """
    return encode([1 if token else -1 for token in tokens])


def search_as_printed(tokens: Sequence[int]) -> int:
    """Maximise Finn's objective as printed: three sums for every pair of points, O(n^3)."""
    best, count = 0, len(tokens)
    for first in range(count):
        for last in range(first, count):
            inside = tokens[first : last + 1]
            total = sum(tokens[:first]) + len(inside) - sum(inside) + sum(tokens[last + 1 :])
            best = max(best, total)
    return best


def search_with_running_sums(tokens: Sequence[int]) -> int:
    """Try the same pairs with running sums, O(n^2)."""
    tags, words = [0], [0]
    for token in tokens:
        tags.append(tags[-1] + token)
        words.append(words[-1] + 1 - token)
    best, all_tags = 0, tags[-1]
    for first in range(len(tokens)):
        outside = tags[first] + all_tags - words[first]
        for tags_so_far, words_so_far in zip(tags[first + 1 :], words[first + 1 :], strict=True):
            total = outside + words_so_far - tags_so_far
            if total > best:  # noqa: PLR1730 - calling max would take longer than the rest
                best = total
    return best


def search_codes(codes: Sequence[int]) -> int:
    """Search the codes as document 000 does, with its slips corrected, O(m^2)."""
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
    """Find the maximum-sum span in one pass, O(m)."""
    lowest = balance = 0
    for code in codes:
        balance = min(balance, 0) + code
        lowest = min(lowest, balance)
    return _all_tags(codes) - lowest


def search_shipped(tokens: TokenRuns) -> tuple[int, int]:
    """Run the library's own search; return the first and stop run of the best span."""
    return best_stretch(tokens.tags, tokens.words)


def value_of(tokens: TokenRuns, first: int, stop: int) -> int:
    """T of the span from the first word of run `first` to the last word before run `stop`."""
    inside_tags, words = (
        int(tokens.tags[first + 1 : stop].sum()),
        int(tokens.words[first:stop].sum()),
    )
    return int(tokens.tags.sum()) + tokens.tags_after - inside_tags + words


def _all_tags(codes: Sequence[int]) -> int:
    return sum(code for code in codes if code > 0)
