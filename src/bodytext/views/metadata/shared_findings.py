"""Find the values that several fields need: title, language, dates, lines near the headline."""

from dataclasses import dataclass

from bodytext.page.once import once
from bodytext.views.metadata.candidates import Candidate
from bodytext.views.metadata.dates import find_dates
from bodytext.views.metadata.language import find_language
from bodytext.views.metadata.site import site_names
from bodytext.views.metadata.statements import WRITTEN, Statements
from bodytext.views.metadata.surroundings import Surroundings
from bodytext.views.metadata.title import find_title


@dataclass(frozen=True)
class SharedFindings(Statements):
    """The statements of a page and the values that other fields need, each found once."""

    @once
    def site_names(self) -> frozenset[str]:
        """Everything that the site is called, folded."""
        return site_names(self)

    @once
    def title(self) -> Candidate:
        """The headline of the page, without the name of the site."""
        return find_title(self, self.site_names)

    @once
    def surroundings(self) -> Surroundings:
        """The lines near the headline."""
        return Surroundings(self, self.title.value)

    @once
    def language(self) -> Candidate:
        """The language tag of the page."""
        return find_language(self)

    @once
    def dates(self) -> tuple[Candidate, Candidate]:
        """When the page was published, and when it was last changed."""
        return find_dates(self, self.surroundings, self.language.value, seen=self._is_written)

    @property
    def may_have_byline(self) -> bool:
        """Whether the text may name an author: the page has a date or is called an article."""
        return self._is_written and bool(self.dates[0] or self.is_article)

    @property
    def _is_written(self) -> bool:
        return not self.page_type or self.page_type in WRITTEN
