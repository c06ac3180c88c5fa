"""Dates: the ways that people write them in many languages, texts that are no dates, and dates of pages."""

import doctest
from datetime import UTC, date, datetime, timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bodytext import parse
from bodytext.page import dates as calendar
from bodytext.page import months
from bodytext.page.dates import DateFormat, is_past, read_date
from bodytext.views.metadata import read_metadata
from example_counts import some_of


def test_the_examples() -> None:
    assert doctest.testmod(calendar).failed == 0


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("2024-05-06", "2024-05-06"),
        ("2024-05-06T12:00:00.123Z", "2024-05-06T12:00:00Z"),
        ("2024-05-06T12:00:00+0530", "2024-05-06T12:00:00+05:30"),
        ("2024-05-06 12:00:00 +05:30", "2024-05-06T12:00:00+05:30"),
        ("2024-05-06T23:30:00-07", "2024-05-06T23:30:00-07:00"),
        ("2024-05-06T23:30:00+٠٧:٠٠", "2024-05-06T23:30:00+07:00"),
        ("2024-05-06T23:30:00+99:00", "2024-05-06T23:30:00"),  # a zone that does not exist
        ("2024-05-06T23:30:00-0760", "2024-05-06T23:30:00"),
        ("20240506", "2024-05-06"),
        ("1700000000", "2023-11-14T22:13:20Z"),
        ("1700000000000", "2023-11-14T22:13:20Z"),
        ("2003-11", "2003-11"),
        ("2003/11", "2003-11"),
        ("2003", "2003"),
        ("Mon, 06 May 2024 15:04:05 GMT", "2024-05-06T15:04:05Z"),
        ("May 5th, 2024 at 3:04 pm", "2024-05-05T15:04:00"),
        ("June 12-14, 2021", "2021-06-12"),  # of several days the first
        ("Jun 12–14 2021", "2021-06-12"),
        ("12.-14. Juni 2021", "2021-06-12"),
        ("23. März 18.37 Uhr", ""),  # a time is not a year
        ("23. März 2018, 18.37 Uhr", "2018-03-23T18:37:00"),
        ("2023. gada 17. janvāris", "2023-01-17"),
        ("2011 წლის 17 მარტი", "2011-03-17"),
        ("2023-ж., 17-февраль", "2023-02-17"),
        ("2023(e)ko urtarrilaren 17(a)", "2023-01-17"),
        ("17 d’abril del 2023", "2023-04-17"),
        ("17 thg 2, 2023", "2023-02-17"),
        ("17 جنوری، 2023", "2023-01-17"),
        ("17\u200f/01\u200f/2023", "2023-01-17"),
        ("17 בפבר׳ 2023", "2023-02-17"),
        ("17 ফেব, 2023", "2023-02-17"),
        ("2023 ජන 17", "2023-01-17"),
        ("May 5, 2024 12:04 a.m.", "2024-05-05T00:04:00"),
        ("Published: Sept. 5, 2023", "2023-09-05"),
        ("23 Apr, 2024, 10.30 AM IST", "2024-04-23T10:30:00"),
        ("Thứ Hai, 6/5/2024, 10:33 (GMT+7)", "2024-05-06T10:33:00+07:00"),
    ],
)
def test_forms(text: str, expected: str) -> None:
    assert (
        read_date(text, DateFormat("vi") if text.startswith("Th") else DateFormat("en")) == expected
    )


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("en", "May 12, 2024"),
        ("zh", "2024年5月12日"),
        ("es", "12 de mayo de 2024"),
        ("ar", "١٢ مايو ٢٠٢٤"),
        ("ar", "12 أيار 2024"),
        ("pt", "12 de maio de 2024"),
        ("ru", "12 мая 2024 г."),
        ("ja", "2024年5月12日(日)"),
        ("de", "12. Mai 2024"),
        ("fr", "12 mai 2024"),
        ("ko", "2024년 5월 12일"),
        ("tr", "12 Mayıs 2024"),
        ("vi", "ngày 12 tháng 5 năm 2024"),
        ("vi", "12 tháng Năm, 2024"),
        ("it", "12 maggio 2024"),
        ("pl", "12 maja 2024"),
        ("uk", "12 травня 2024"),
        ("nl", "12 mei 2024"),
        ("th", "12 พฤษภาคม 2567"),
        ("th", "12 พ.ค. 2567"),
        ("fa", "۲۳ اردیبهشت ۱۴۰۳"),
        ("he", "12 במאי 2024"),
        ("hi", "१२ मई २०२४"),
        ("id", "12 Mei 2024"),
        ("cs", "12. května 2024"),
        ("ro", "12 mai 2024"),
        ("hu", "2024. május 12."),
        ("el", "12 Μαΐου 2024"),
        ("sv", "12 maj 2024"),
        ("fi", "12. toukokuuta 2024"),
        ("da", "12. maj 2024"),
        ("nb", "12. mai 2024"),
        ("bg", "12 май 2024"),
        ("sk", "12. mája 2024"),
        ("hr", "12. svibnja 2024."),
        ("sr", "12. мај 2024."),
        ("bn", "১২ মে ২০২৪"),
        ("ta", "12 மே 2024"),
        ("ms", "12 Mei 2024"),
        ("lt", "2024 m. gegužės 12 d."),
    ],
)
def test_the_languages_of_the_web(language: str, text: str) -> None:
    assert read_date(text, DateFormat(language)) == "2024-05-12"


def test_every_language_has_twelve_months() -> None:
    table = months._GREGORIAN.split()
    assert len(table) % 13 == 0
    assert all(len(code) == 2 for code in table[::13])
    assert set(months.MONTHS.values()) == set(range(1, 13))


def test_a_name_that_means_two_months() -> None:
    assert read_date("12 listopada 2023", DateFormat("pl")) == "2023-11-12"
    assert read_date("12 listopada 2023", DateFormat("hr")) == "2023-10-12"


@pytest.mark.parametrize(
    ("text", "language", "expected"),
    [
        ("3/4/2024", "en", "2024-03-04"),
        ("3/4/2024", "en-US", "2024-03-04"),
        ("3/4/2024", "en-GB", "2024-04-03"),
        ("3/4/2024", "vi", "2024-04-03"),
        ("3.4.2024", "en", "2024-04-03"),
        ("13/4/2024", "en", "2024-04-13"),
        ("4/13/2024", "fr", "2024-04-13"),
        ("03-04-24", "nl", "2024-04-03"),
        ("5. 6. 2024", "cs", "2024-06-05"),
        ("2024/4/3", "en", "2024-04-03"),
        ("٥/٦/٢٠٢٤", "ar", "2024-06-05"),
        ("1403/02/23", "fa", "2024-05-12"),
    ],
)
def test_the_order_of_day_and_month(text: str, language: str, expected: str) -> None:
    assert read_date(text, DateFormat(language)) == expected


@pytest.mark.parametrize(
    "text",
    [
        "",
        "today",
        "2 hours ago",
        "2 tháng trước",
        "8 января, 17:46",
        "May 5",
        "2024-02-30",
        "2024-13-01",
        "31 April 2024",
        "12. März 3031",
        "1850-01-01",
        "Call 555-1234",
        "Version 2.3.1",
        "12:30",
    ],
)
def test_texts_that_are_no_dates(text: str) -> None:
    assert read_date(text) == ""


def test_the_future_is_refused() -> None:
    later = datetime.now(UTC) + timedelta(days=3)
    assert read_date(later.date().isoformat()) == ""
    assert read_date(str(int(later.timestamp()))) == ""
    assert not is_past(later.date().isoformat())
    assert is_past((later - timedelta(days=4)).date().isoformat())


@given(st.dates(min_value=date(1990, 1, 1), max_value=date(2024, 1, 1)))
def test_a_written_date_is_read(day: date) -> None:
    expected = day.isoformat()
    assert read_date(expected) == expected
    assert read_date(f"{day.day}. {day.month}. {day.year}", DateFormat("de")) == expected
    assert read_date(f"{day.year}年{day.month}月{day.day}日") == expected
    assert read_date(f"{day:%B} {day.day}, {day.year}") == expected


@pytest.mark.slow
@settings(max_examples=some_of(300))
@given(st.text(max_size=400) | st.text(alphabet="0123456789-/.: TZ年月日+", max_size=60))
def test_any_text_gives_a_date_or_nothing(text: str) -> None:
    read = read_date(text)
    assert read == "" or (read[:4].isdecimal() and is_past(read))
    assert len(read) <= len("2024-05") or datetime.fromisoformat(read)


# in pages

HEAD = "<html lang=en><title>A title of a page</title>"


def date_of(markup: str) -> tuple[str, str]:
    metadata = read_metadata(parse(HEAD + markup))
    return metadata.date, metadata.sources["date"].name if "date" in metadata.sources else ""


def test_the_order_of_sources() -> None:
    data = '<script type="application/ld+json">{"@type": "NewsArticle", "datePublished": "2024-01-01"}</script>'
    meta = '<meta property="article:published_time" content="2024-01-02T10:00:00+02:00">'
    item = '<article><time itemprop="datePublished" datetime="2024-01-03">x</time></article>'
    text = "<h1>A title of a page</h1><p>January 4, 2024</p>"
    assert date_of(data + meta + item + text) == ("2024-01-01", "json-ld")
    assert date_of(meta + item + text) == ("2024-01-02T10:00:00+02:00", "meta")
    assert date_of(item + text) == ("2024-01-03", "item property")
    assert date_of(text) == ("2024-01-04", "text")
    assert date_of('<link rel=canonical href="https://a.example/2024/01/05/x">') == (
        "2024-01-05",
        "address",
    )
    assert date_of("<p>nothing</p>") == ("", "")


def test_the_date_of_a_change_is_not_that_of_publication() -> None:
    markup = "<h1>A title of a page</h1><p>Updated May 9, 2024</p><p>Published May 2, 2024</p>"
    assert date_of(markup)[0] == "2024-05-02"
    meta = '<meta property="article:modified_time" content="2024-05-09">'
    assert read_metadata(parse(HEAD + meta)).modified == "2024-05-09"
    assert date_of(meta) == ("", "")


def test_captions_and_copyrights_have_other_dates() -> None:
    assert (
        date_of(
            "<h1>A title of a page</h1><figure><figcaption>The port, 3 May 2023</figcaption></figure>"
        )[0]
        == ""
    )
    assert date_of("<h1>A title of a page</h1><p>Copyright 3 May 2023</p>")[0] == ""


def test_a_community_was_founded_on_another_date() -> None:
    page = "<h1>A title of a page</h1>" + "<p>A long story begins here, and it goes on.</p>" * 60
    article = f"<article>{page}</article><p>{{}}</p>"
    assert date_of(article.format("3 May 2023"))[0] == "2023-05-03"
    assert date_of(article.format("Created May 3, 2023"))[0] == ""
    assert date_of(article.format("Founded: May 3, 2023"))[0] == ""
    assert date_of("<h1>A title of a page</h1><p>Founded: May 3, 2023</p>")[0] == ""
    assert date_of("<h1>A title of a page</h1><p>Created: May 3, 2023</p>")[0] == "2023-05-03"


def test_a_year_yields_to_a_full_date() -> None:
    year = "<h1>A title of a page</h1><p>2023</p>"
    assert date_of(year + "<p>Harbour</p><p>June 7, 2023</p>")[0] == "2023-06-07"
    address = '<link rel=canonical href="https://a.example/2023/06/08/x">'
    assert date_of(address + year) == ("2023-06-08", "address")
    assert date_of(year) == ("2023", "text")


def test_the_same_moment_for_both_is_the_last_change() -> None:
    data = (
        '<script type="application/ld+json">{"@type": "Article", "datePublished": "2025-06-24",'
        ' "dateModified": "2025-06-24"}</script>'
    )
    assert date_of(data + "<h1>A title of a page</h1><p>August 25, 2024</p>")[0] == "2024-08-25"
    assert date_of(data + "<h1>A title of a page</h1><p>August 25, 2025</p>")[0] == "2025-06-24"


def test_other_dates_decide_the_order_of_day_and_month() -> None:
    changed = '<meta property="article:modified_time" content="2024-04-03">'
    assert date_of(f"{changed}<h1>A title of a page</h1><p>3/4/2024</p>")[0] == "2024-04-03"
    assert date_of("<h1>A title of a page</h1><p>3/4/2024</p>")[0] == "2024-03-04"


def test_the_address_has_the_day_of_the_local_zone() -> None:
    meta = '<meta property="article:published_time" content="2024-05-13T02:00:00Z">'
    assert (
        date_of(f'{meta}<link rel=canonical href="https://a.example/2024/05/12/x">')[0]
        == "2024-05-12"
    )
    assert (
        date_of(f'{meta}<link rel=canonical href="https://a.example/2020/05/12/x">')[0]
        == "2024-05-13T02:00:00Z"
    )
