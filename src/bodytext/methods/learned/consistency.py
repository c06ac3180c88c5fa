"""Make the scores of a page's blocks consistent: what belongs together is kept together.

The network scores blocks one by one. But half a table says something else, and so does a list
without its second item, or a sentence that ends in a colon without what it announces. Such blocks
are a unit: all get the mean of their scores, weighted by words, so that every threshold keeps or
drops them as one. Code and tables score no less than the text around them. What only announces a
text, a heading or a lead-in, scores no more than the best of that text. Readers' comments, the line
with the author, offers to subscribe and links to other articles are not the article. The rules are
in `bodytext.kernel.units`, their numbers in `bodytext.kernel.unit_rules`.
"""

from bodytext.kernel import settle_scores
from bodytext.kernel.units import Topics
from bodytext.methods.scores import BOUNDARY, Values
from bodytext.page.tables import Page


def settle(page: Page, scores: Values, words: Values, page_type: str, topics: Topics) -> None:
    """Change the scores so that what belongs together is kept together. `topics` are those around each node."""
    tables = (page.nodes, page.runs, page.blocks)
    settle_scores(page.source, tables, (scores, words, topics), page_type, BOUNDARY)
