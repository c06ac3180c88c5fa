"""Find when a page was published and when it was last changed.

docs/metadata.md has the order of sources: data about the article, metas, data about the page, item
properties, <time> and text near the headline, the address.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from bodytext.page.dates import DateFormat, may_hold_date, read_date
from bodytext.page.json_ld import types_of
from bodytext.page.late_pattern import late_pattern
from bodytext.page.once import once
from bodytext.page.urls import host_of
from bodytext.views.metadata.candidates import (
    NO_CANDIDATE,
    Candidate,
    Proposal,
    first_candidate,
)
from bodytext.views.metadata.element_text import text_of
from bodytext.views.metadata.statements import ARTICLE_TYPES, Statements, clean, clean_content
from bodytext.views.metadata.surroundings import ShortBlock, Surroundings
from bodytext.views.metadata.vocabulary import CHANGED, OTHER_MATTER, PUBLISHED

_PUBLISHED_METAS = """
    article:published_time og:article:published_time http://ogp:me/ns/article#published_time
    og:published_time article:published rnews:datepublished datepublished date_published published
    published_time publishdate publish_date publish-date og:publish_date pubdate pub_date
    publication_date publicationdate publicationdatetime date-pub parsely-pub-date sailthru:date
    cxenseparse:recs:publishtime cxenseparse:publishtime cxenseparse:recs:published_time
    dc:date:issued dcterms:issued dc:date:created dcterms:created dc:created dcterms:date dc:date
    citation_publication_date citation_online_date citation_date prism:publicationdate
    bepress_citation_date originalpublicationdate article:post_date article_date_original
    article:created created_time firstcreate date:created date:published ya:ovs:upload_date
    shareaholic:article_published_time displaydate article-date eomportal-firstpublished
    published-date date-published vr:published_time item:datepublished mediator_published_time
    hdl_p weibo:article:create_at
"""
PUBLISHED_METAS = tuple(_PUBLISHED_METAS.split())
_WEAK_METAS = """
    date item:datecreated item:uploaddate ms:date creation_date created build_date
"""
WEAK_METAS = tuple(_WEAK_METAS.split())
_MODIFIED_METAS = """
    article:modified_time og:updated_time og:article:modified_time
    http://ogp:me/ns/article#modified_time article:modified datemodified date_modified
    modified_time modified last-modified lastmod lastmodified lastupdate dcterms:modified
    dc:date:modified dc:modified date:modified date:updated revised updated_time updated
    cxenseparse:recs:modifiedtime shareaholic:article_modified_time item:datemodified
    weibo:article:update_at
"""
MODIFIED_METAS = tuple(_MODIFIED_METAS.split())
_CREATED_KEYS = ("dateCreated", "uploadDate", "startDate")
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_IN_ADDRESS = late_pattern(
    r"[/_.-]((?:19|20)\d\d)"
    rf"[/_-]?(0?[1-9]|1[0-2]|{'|'.join(_MONTHS)})"
    r"[/_-]?(0[1-9]|[12]\d|3[01]|[1-9](?=[/_.-]))(?=\d{0,6}(?:[^\d]|$))"
)
_DAY_IN_PATH = late_pattern(r"/((?:19|20)\d\d)/(\d\d)/(\d\d)/")
# Countries where English dates begin with the day.
_COUNTRIES = "uk au nz ie in za sg my hk ng ke gh pk bd lk"
_DAY_FIRST_HOSTS = frozenset(_COUNTRIES.split())
_MOST_TIMES = 100
_CALLED_DATE = late_pattern(r"date|publish|posted|time(?!line)|datum|fecha|meta\b|byline")
_LONGEST_BARE_DATE = 30  # characters
_LONGEST_STAMP = 80  # characters of a line with a date but without a word for publication
_YEAR = 4  # characters of a date that is only a year
_ONE_DAY = timedelta(days=1)


@dataclass(frozen=True)
class _Dates:
    """The dates in the places that have some."""

    statements: Statements
    surroundings: Surroundings
    format: DateFormat

    def read(self, value: object) -> str:
        return read_date(clean(value), self.format) if value else ""

    @once
    def certain_days(self) -> frozenset[str]:
        """The days in metas and data: they decide which number in a text is the day."""
        statements = self.statements
        values = [*map(statements.first, ("article:published_time", *MODIFIED_METAS[:4]))]
        values += [clean(statements.main.get(key)) for key in ("datePublished", "dateModified")]
        values += [attributes.get("datetime", "") for _, attributes in self._time_elements]
        return frozenset(value[:10] for value in values if value[4:5] == "-")

    def read_text(self, text: str) -> str:
        """A date in a text; a certain day settles which number is the day and which the month."""
        date = self.read(text)
        if date and self.certain_days and date[:10] not in self.certain_days:
            turned = replace(self.format, day_first=not self.format.starts_with_day)
            other = read_date(clean(text), turned)
            return other if other[:10] in self.certain_days else date
        return date

    def published(self, *, seen: bool) -> Iterator[Proposal]:
        """The dates of publication, the most trusted first; those in the text only with `seen`."""
        statements = self.statements
        main, page = statements.main, statements.page_object
        if _is_article(main):
            yield self.read(main.get("datePublished")), "json-ld", 0.9
        yield self._first_meta(PUBLISHED_METAS, 0.95)
        for item in (main, page):
            yield self.read(item.get("datePublished")), "json-ld", 0.85
        if seen:
            yield self._first_item(("datepublished", "datecreated"), 0.9)
        yield self.read(main.get("dateCreated")), "json-ld", 0.8
        if seen:
            yield self._marked_time()
            yield self._line_near_headline()
        yield self._first_meta(WEAK_METAS, 0.7)
        yield from ((self.read(main.get(key)), "json-ld", 0.6) for key in _CREATED_KEYS)
        yield self._in_address(), "address", 0.7
        if seen:
            yield self._stamp()
            yield self._any_time()

    def before_change(self, published: Candidate, modified: Candidate) -> Candidate:
        """The date of publication; an earlier one in the text if data have that of a change."""
        day, day_of_change = published.value[:10], modified.value[:10]
        is_late = published.value == modified.value or day > day_of_change > ""
        if not published or not is_late or published.source == "text":
            return published
        shown = first_candidate((self._marked_time(), self._line_near_headline()))
        is_earlier = shown.confidence > 0.5 and shown.value[:10] < day
        return shown if is_earlier else published

    def localise(self, published: Candidate) -> Candidate:
        """The date of publication; for one in universal time, the local day in the address."""
        moment = _moment(published.value)
        if moment is None or moment.utcoffset():
            return published
        path = _DAY_IN_PATH.search(self.statements.canonical)
        if path is None:
            return published
        day = read_date("-".join(path.groups()))
        if day and abs(datetime.fromisoformat(day).date() - moment.date()) == _ONE_DAY:
            return published._replace(value=day)
        return published

    def modified(self, *, in_items: bool) -> Iterator[Proposal]:
        """The dates of the last change, the most trusted first."""
        statements = self.statements
        for item in (statements.main, statements.page_object):
            yield self.read(item.get("dateModified")), "json-ld", 0.9
        yield self._first_meta(MODIFIED_METAS, 0.9)
        if in_items:
            yield self._first_item(("datemodified",), 0.85)

    def _first_meta(self, names: tuple[str, ...], confidence: float) -> Candidate:
        meta = self.statements.meta
        if meta.keys().isdisjoint(names):
            return NO_CANDIDATE  # few pages have any: names are many
        for name in names:
            if name in meta:
                for value in meta[name][:3]:
                    if date := read_date(clean_content(value), self.format):
                        return Candidate(date, "meta", confidence)
        return NO_CANDIDATE

    def _first_item(self, names: tuple[str, ...], confidence: float) -> Candidate:
        """The first of these item properties in the page: a question comes before its answers."""
        items = self.statements.item_values(*names)
        for _, value in sorted((node, value) for value, node in items):
            if date := self.read_text(value):
                return Candidate(date, "item property", confidence)
        return NO_CANDIDATE

    @once
    def _time_elements(self) -> list[tuple[int, dict[str, str]]]:
        page, times = self.statements.page, self.statements.times[:_MOST_TIMES]
        return [(node, page.attributes(node)) for node in times]

    @once
    def times(self) -> list[tuple[int, str, dict[str, str]]]:
        """The <time> elements that have a date: node, date, attributes."""
        times = []
        for node, attributes in self._time_elements:
            date = self.read(attributes.get("datetime", ""))
            if date := date or self.read_text(text_of(self.statements.page, node)):
                times.append((node, date, attributes))
        return times

    def _marked_time(self) -> Candidate:
        """A <time> that is marked as the date of publication."""
        for _, date, attributes in self.times:
            names = f"{attributes.get('class', '')} {attributes.get('itemprop', '')}".lower()
            if "pubdate" in attributes or ("publish" in names and not CHANGED.search(names)):
                return Candidate(date, "time", 0.7)
        return NO_CANDIDATE

    def _line_near_headline(self) -> Candidate:
        """The date in a line near the headline; a year or a change only if there is no other."""
        changed = NO_CANDIDATE
        for date, text in self._dated_lines():
            if len(date) == _YEAR:
                changed = changed or Candidate(date, "text", 0.3)
                continue
            if not CHANGED.search(text):
                return Candidate(date, "text", 0.9)
            if first := self.read_text(CHANGED.split(text)[0]):
                return Candidate(first, "text", 0.9)
            changed = changed or Candidate(date, "text", 0.5)
        return changed

    def _dated_lines(self) -> Iterator[tuple[str, str]]:
        """The dates in lines near the headline that may be about the page, and these lines."""
        if not self.surroundings.may_be_dated and not self.times:
            return
        for line in self.surroundings.lines:
            if not (date := self._date_of(line)):
                continue
            text = line.text.lower()
            is_prose = len(text) > _LONGEST_STAMP and not PUBLISHED.search(text)
            if not is_prose and not OTHER_MATTER.search(text):
                yield date, text

    def _date_of(self, line: ShortBlock) -> str:
        if times := self._time_runs:
            runs = range(line.first_run, line.stop_run)
            if date := next((times[run] for run in runs if run in times), ""):
                return date
        return self.read_text(line.text) if may_hold_date(line.text) else ""

    @once
    def _time_runs(self) -> dict[int, str]:
        first_run = self.statements.page.nodes.first_run
        return {int(first_run[node]): date for node, date, _ in self.times}

    def _stamp(self) -> Candidate:
        """The date of a line anywhere that is little else, or that is called a date."""
        for line in self.surroundings.stamped_lines:
            if self._is_stamp(line) and (date := self._date_of(line)):
                return Candidate(date, "text", 0.65)
        return NO_CANDIDATE

    def _is_stamp(self, line: ShortBlock) -> bool:
        text = line.text.lower()
        if CHANGED.search(text) or OTHER_MATTER.search(text) or text.startswith("created"):
            return False  # far from the headline, a community is created
        if self.statements.may_be_article and len(text) <= _LONGEST_BARE_DATE:
            return True
        if PUBLISHED.search(text):
            return True
        return bool(_CALLED_DATE.search(self.surroundings.names_around(line.node)))

    def _in_address(self) -> str:
        address = self.statements.canonical.lower()
        for match in _IN_ADDRESS.finditer(address):
            year, month, day = match.groups()
            number = _MONTHS.index(month) + 1 if month in _MONTHS else int(month)
            if date := read_date(f"{year}-{number:02}-{int(day):02}"):
                return date
        return ""

    def _any_time(self) -> Candidate:
        return Candidate(self.times[0][1], "time", 0.5) if self.times else NO_CANDIDATE


def _moment(date: str) -> datetime | None:
    """A date that has a time and a zone."""
    return datetime.fromisoformat(date) if len(date) > 19 else None


def _is_article(item: dict[str, object]) -> bool:
    return not ARTICLE_TYPES.isdisjoint(map(str.lower, types_of(item)))


def find_dates(
    statements: Statements, surroundings: Surroundings, language: str, *, seen: bool
) -> tuple[Candidate, Candidate]:
    """When the page was published and when it was last changed; `seen` searches the text too."""
    dates = _Dates(statements, surroundings, _date_format(statements, language))
    published = _first_full(dates.published(seen=seen))
    modified = first_candidate(dates.modified(in_items=published.source == "item property"))
    return dates.localise(dates.before_change(published, modified)), modified


def _first_full(proposals: Iterator[Proposal]) -> Candidate:
    """The first date; a year in the text only if there is no other."""
    first = first_candidate(proposals)
    if first.source == "text" and len(first.value) == _YEAR:
        return _first_full(proposals) or first
    return first


def _date_format(statements: Statements, language: str) -> DateFormat:
    """How the page writes dates; in English by the country in the locale or the host."""
    tag = language.lower()
    if tag == "en":
        locale = statements.first("og:locale").lower().replace("_", "-")
        country = host_of(statements.canonical).rpartition(".")[2]
        if locale.startswith("en-") and locale != "en-us":
            tag = locale
        elif country in _DAY_FIRST_HOSTS:
            tag = f"en-{country}"
    return DateFormat(tag)
