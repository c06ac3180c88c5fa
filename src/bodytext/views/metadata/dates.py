"""find_dates: Statements -> when the page was published and when it was last changed.

The order of sources stands in docs/metadata.md: data about the article, metas, data about the page, item properties,
<time> and text beside the headline, the address.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from functools import cached_property

from bodytext.page.dates import DateFormat, read_date
from bodytext.page.json_ld import types_of
from bodytext.page.urls import host_of
from bodytext.views.metadata.candidates import NO_CANDIDATE, Candidate, first_candidate
from bodytext.views.metadata.element_text import text_of
from bodytext.views.metadata.statements import ARTICLE_TYPES, Statements, clean
from bodytext.views.metadata.surroundings import Line, Surroundings
from bodytext.views.metadata.vocabulary import CHANGED, OTHER_MATTER, PUBLISHED

_PUBLISHED_METAS = """
    article:published_time og:article:published_time http://ogp:me/ns/article#published_time og:published_time
    article:published rnews:datepublished datepublished date_published published published_time publishdate
    publish_date publish-date og:publish_date pubdate pub_date publication_date publicationdate
    publicationdatetime date-pub parsely-pub-date sailthru:date cxenseparse:recs:publishtime
    cxenseparse:publishtime cxenseparse:recs:published_time dc:date:issued dcterms:issued dc:date:created
    dcterms:created dc:created dcterms:date dc:date citation_publication_date citation_online_date citation_date
    prism:publicationdate bepress_citation_date originalpublicationdate article:post_date article_date_original
    article:created created_time firstcreate date:created date:published ya:ovs:upload_date
    shareaholic:article_published_time displaydate article-date eomportal-firstpublished published-date
    date-published vr:published_time item:datepublished mediator_published_time hdl_p weibo:article:create_at
"""
PUBLISHED_METAS = tuple(_PUBLISHED_METAS.split())
WEAK_METAS = ("date", "item:datecreated", "item:uploaddate", "ms:date", "creation_date", "created", "build_date")
_MODIFIED_METAS = """
    article:modified_time og:updated_time og:article:modified_time http://ogp:me/ns/article#modified_time
    article:modified datemodified date_modified modified_time modified last-modified lastmod lastmodified
    lastupdate dcterms:modified dc:date:modified dc:modified date:modified date:updated revised updated_time
    updated cxenseparse:recs:modifiedtime shareaholic:article_modified_time item:datemodified
    weibo:article:update_at
"""
MODIFIED_METAS = tuple(_MODIFIED_METAS.split())
_CREATED_KEYS = ("dateCreated", "uploadDate", "startDate")
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_IN_ADDRESS = re.compile(
    r"[/_.-]((?:19|20)\d\d)[/_-]?(0?[1-9]|1[0-2]|" + "|".join(_MONTHS) + r")[/_-]?(0[1-9]|[12]\d|3[01]|[1-9](?=[/_.-]))"
    r"(?=\d{0,6}(?:[^\d]|$))"
)
_DAY_IN_PATH = re.compile(r"/((?:19|20)\d\d)/(\d\d)/(\d\d)/")
_COUNTRIES = "uk au nz ie in za sg my hk ng ke gh pk bd lk"  # where English dates begin with the day
_DAY_FIRST_HOSTS = frozenset(_COUNTRIES.split())
_MOST_TIMES = 100
_CALLED_DATE = re.compile(r"date|publish|posted|time(?!line)|datum|fecha|meta\b|byline")
_LONGEST_BARE_DATE = 30  # characters
_LONGEST_STAMP = 80  # characters of a line that says when without saying that it was published then


@dataclass(frozen=True)
class _Dates:
    """The places that say when."""

    statements: Statements
    surroundings: Surroundings
    reading: DateFormat

    def read(self, value: object) -> str:
        return read_date(clean(value), self.reading)

    @cached_property
    def known(self) -> frozenset[str]:
        """Days that metas and data say beyond doubt: they decide whether a day or a month comes first elsewhere."""
        statements = self.statements
        said = [*map(statements.first, ("article:published_time", *MODIFIED_METAS[:4]))]
        said += [clean(statements.main.get(key)) for key in ("datePublished", "dateModified")]
        said += [attributes.get("datetime", "") for _, attributes in self._time_elements]
        return frozenset(value[:10] for value in said if value[4:5] == "-")

    def read_text(self, text: str) -> str:
        """A date that people read; where day and month could be either, what the page says elsewhere decides."""
        found = self.read(text)
        if found and self.known and found[:10] not in self.known:
            turned = replace(self.reading, day_first=not self.reading.starts_with_day)
            other = read_date(clean(text), turned)
            return other if other[:10] in self.known else found
        return found

    def published(self, *, seen: bool) -> Iterator[Candidate]:
        statements = self.statements
        main, page = statements.main, statements.page_object
        if _is_article(main):
            yield Candidate(self.read(main.get("datePublished")), "json-ld", 0.9)
        yield self._first_meta(PUBLISHED_METAS, 0.95)
        for one in (main, page):
            yield Candidate(self.read(one.get("datePublished")), "json-ld", 0.85)
        if seen:
            yield self._first_item(("datepublished", "datecreated"), 0.9)
        yield Candidate(self.read(main.get("dateCreated")), "json-ld", 0.8)
        if seen:
            yield self._marked_time()
            yield self._line_beside_headline()
        yield self._first_meta(WEAK_METAS, 0.7)
        yield from (Candidate(self.read(main.get(key)), "json-ld", 0.6) for key in _CREATED_KEYS)
        yield Candidate(self._in_address(), "address", 0.7)
        if seen:
            yield self._stamp()
            yield self._any_time()

    def before_change(self, published: Candidate, modified: Candidate) -> Candidate:
        """What the page shows where its data were published when they were changed: they know but the last change."""
        late = published.value == modified.value or published.value[:10] > modified.value[:10] > ""
        if not published or not late or published.source == "text":
            return published
        shown = first_candidate((self._marked_time(), self._line_beside_headline()))
        return shown if shown.confidence > 0.5 and shown.value[:10] < published.value[:10] else published

    def localise(self, published: Candidate) -> Candidate:
        """The day of the page's own zone, as its address has it, where the moment is given in universal time."""
        moment = _moment(published.value)
        if moment is None or moment.utcoffset():
            return published
        path = _DAY_IN_PATH.search(self.statements.canonical)
        day = read_date("-".join(path.groups())) if path else ""
        if day and timedelta(0) < abs(datetime.fromisoformat(day).date() - moment.date()) <= timedelta(days=1):
            return published._replace(value=day)
        return published

    def modified(self, *, in_items: bool) -> Iterator[Candidate]:
        statements = self.statements
        for one in (statements.main, statements.page_object):
            yield Candidate(self.read(one.get("dateModified")), "json-ld", 0.9)
        yield self._first_meta(MODIFIED_METAS, 0.9)
        if in_items:
            yield self._first_item(("datemodified",), 0.85)

    def _first_meta(self, names: tuple[str, ...], confidence: float) -> Candidate:
        meta = self.statements.meta
        for name in names:
            for value in meta[name][:3] if name in meta else ():
                if found := self.read(value):
                    return Candidate(found, "meta", confidence)
        return NO_CANDIDATE

    def _first_item(self, names: tuple[str, ...], confidence: float) -> Candidate:
        """The first of these item properties in the page: a question stands before its answers."""
        for _, value in sorted((node, value) for value, node in self.statements.item_values(*names)):
            if found := self.read_text(value):
                return Candidate(found, "item property", confidence)
        return NO_CANDIDATE

    @cached_property
    def _time_elements(self) -> list[tuple[int, dict[str, str]]]:
        page, times = self.statements.page, self.statements.times[:_MOST_TIMES]
        return [(node, page.attributes(node)) for node in times]

    @cached_property
    def times(self) -> list[tuple[int, str, dict[str, str]]]:
        """The <time> elements that say a date: node, date, attributes."""
        found = []
        for node, attributes in self._time_elements:
            when = self.read(attributes.get("datetime", "")) or self.read_text(text_of(self.statements.page, node))
            if when:
                found.append((node, when, attributes))
        return found

    def _marked_time(self) -> Candidate:
        """A <time> that is marked as the date of publication, or that stands beside the headline."""
        for _, when, attributes in self.times:
            names = f"{attributes.get('class', '')} {attributes.get('itemprop', '')}".lower()
            if "pubdate" in attributes or ("publish" in names and not CHANGED.search(names)):
                return Candidate(when, "time", 0.7)
        return NO_CANDIDATE

    def _line_beside_headline(self) -> Candidate:
        """A date in a short line beside the headline; of a line that tells changes only where no other has a date."""
        changed = NO_CANDIDATE
        for line in self.surroundings.lines if self.surroundings.may_be_dated or self.times else ():
            found = self._date_of(line)
            said = line.text.lower() if found else ""
            if not found or OTHER_MATTER.search(said) or (len(said) > _LONGEST_STAMP and not PUBLISHED.search(said)):
                continue
            if not CHANGED.search(said):
                return Candidate(found, "text", 0.9)
            if first := self.read_text(CHANGED.split(said)[0]):
                return Candidate(first, "text", 0.9)
            changed = changed or Candidate(found, "text", 0.5)
        return changed

    def _date_of(self, line: Line) -> str:
        times = self._time_runs
        found = next((times[run] for run in range(line.first_run, line.stop_run) if run in times), "")
        return found or self.read_text(line.text)

    @cached_property
    def _time_runs(self) -> dict[int, str]:
        return {int(self.statements.page.nodes.first_run[node]): when for node, when, _ in self.times}

    def _stamp(self) -> Candidate:
        """A line anywhere that is little but a date, or whose element or words say that it is one."""
        for line in self.surroundings.stamped_lines:
            found = self._date_of(line)
            said = line.text.lower() if found else ""
            if not found or CHANGED.search(said) or OTHER_MATTER.search(said):
                continue
            bare = self.statements.may_be_article and len(said) <= _LONGEST_BARE_DATE
            if bare or PUBLISHED.search(said) or _CALLED_DATE.search(self.surroundings.names_around(line.node)):
                return Candidate(found, "text", 0.65)
        return NO_CANDIDATE

    def _in_address(self) -> str:
        address = self.statements.canonical.lower()
        for match in _IN_ADDRESS.finditer(address):
            year, month, day = match.groups()
            number = _MONTHS.index(month) + 1 if month in _MONTHS else int(month)
            if found := read_date(f"{year}-{number:02}-{int(day):02}"):
                return found
        return ""

    def _any_time(self) -> Candidate:
        return Candidate(self.times[0][1], "time", 0.5) if self.times else NO_CANDIDATE


def _moment(when: str) -> datetime | None:
    """A date with time and zone."""
    return datetime.fromisoformat(when) if len(when) > 19 else None


def _is_article(one: dict[str, object]) -> bool:
    return not ARTICLE_TYPES.isdisjoint(map(str.lower, types_of(one)))


def find_dates(
    statements: Statements, surroundings: Surroundings, language: str, *, seen: bool
) -> tuple[Candidate, Candidate]:
    """When the page was published, and when it was last changed; with `seen` the text is searched too."""
    dates = _Dates(statements, surroundings, _reading(statements, language))
    published = first_candidate(dates.published(seen=seen))
    modified = first_candidate(dates.modified(in_items=published.source == "item property"))
    return dates.localise(dates.before_change(published, modified)), modified


def _reading(statements: Statements, language: str) -> DateFormat:
    """How dates are written here: English is told apart by country, by the locale or the host."""
    tag = language.lower()
    if tag == "en":
        locale = statements.first("og:locale").lower().replace("_", "-")
        country = host_of(statements.canonical).rpartition(".")[2]
        if locale.startswith("en-") and locale != "en-us":
            tag = locale
        elif country in _DAY_FIRST_HOSTS:
            tag = f"en-{country}"
    return DateFormat(tag)
