"""Score pages with the templates of their sites: docs/templates.md has the sums, and why.

What repeats on a site is boilerplate, and the body is where words vary. Short blocks that repeat do
not change: methods recognise menus anyway, and the labels of a table repeat although they belong to
the text. The page itself never counts, so a site with one page changes nothing.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from bodytext.corpus.partitions import Numbers, Records
from bodytext.corpus.templates.observations import Traits, describe, mark_of
from bodytext.corpus.templates.site_templates import Template, Templates
from bodytext.methods import Method, Shiftable
from bodytext.methods.learned.features import with_address
from bodytext.methods.scores import Scores, Values
from bodytext.page.tables import Page

Counts = npt.NDArray[np.int64]
Shares = npt.NDArray[np.float64]

# results/templates.md has the effect of other numbers.
FALL, MORE, MOST = 4.0, 1.0, 10.0  # logits: for the first other page, for each further one, at most
RISE = 1.0
LONG = 10  # words
MANY = 8.0  # pages
_SURE = 0.08  # a method that says 0 or 1 is taken to be this far from certain


@dataclass(frozen=True, slots=True)
class Templated:
    """Any method, with the templates of the sites that its pages are from."""

    method: Method
    templates: Templates

    def score(self, page: Page) -> Scores:
        """Return the method's scores, shifted by the template of the page's site."""
        template = self.templates.of(with_address(page).url)
        shift = find_shift(page, template) if template is not None else None
        if shift is None:
            return self.method.score(page)
        if isinstance(self.method, Shiftable):
            return self.method.score_shifted(page, shift)
        scores = self.method.score(page)
        return scores._replace(values=shift_values(scores.values, shift))


def shift_values(values: Values, shift: Values) -> Values:
    """Add a shift to the logits of scores."""
    chances = np.clip(values.astype(np.float64), _SURE, 1 - _SURE)
    shifted = 1 / (1 + np.exp(-(np.log(chances / (1 - chances)) + shift)))
    return np.where(shift == 0, values, shifted).astype(np.float32)


def find_shift(page: Page, template: Template) -> Values | None:
    """What a template adds to the logit of each block; None if it knows no other page."""
    own = bool((template.marks == np.uint64(mark_of(page))).any())
    others = len(template.marks) - own
    traits = describe(page) if others > 0 else None
    if traits is None:
        return None
    pages = _look_up(template.blocks, traits.block)
    pages = np.maximum(pages - own, 0)
    often = np.maximum(pages / others, 1 - np.exp(-pages / MANY))
    fall = np.minimum(FALL + MORE * (pages - 1), MOST) * often * (traits.words >= LONG)
    known = 1 - np.exp(-others / MANY)
    rise = RISE * known * np.sqrt(_share_of_varying(template, traits, pages, own))
    shift: Values = np.where(pages > 0, -fall, rise).astype(np.float32)
    return shift


def _look_up(table: Records, keys: Numbers) -> Counts:
    """The counts of keys; 0 for keys that are not in the table."""
    if not len(table):
        return np.zeros(len(keys), np.int64)
    at = np.minimum(np.searchsorted(table["key"], keys), len(table) - 1)
    return np.where(table["key"][at] == keys, table["count"][at], 0).astype(np.int64)


def _share_of_varying(template: Template, traits: Traits, pages: Counts, own: bool) -> Shares:
    """The share of the other pages' varying words that each block's place has."""
    words = _look_up(template.places, traits.place).astype(np.float64)
    total = float(template.varying)
    if own:
        _, first = np.unique(traits.block, return_index=True)
        first = first[pages[first] == 0]
        places, which = np.unique(traits.place, return_inverse=True)
        mine = np.bincount(which[first], traits.words[first], minlength=len(places))
        words, total = np.maximum(words - mine[which], 0), total - mine.sum()
    return np.clip(words / max(total, 1.0), 0, 1)
