"""Why an answer is empty or doubtful: pages with each reason in several languages, and pages without one."""

import dataclasses
import pickle
import time
from collections.abc import Sized

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bodytext import Page, diagnosis, extract, parse, selection
from bodytext.diagnosis import diagnose
from example_counts import some_of
from hostile_pages import KINDS

PROSE = (
    "Nobody on the island had asked for a new harbour, and yet the stones arrived every morning by boat. "
    "By noon the wall was as high as a child, and by evening the tide had taken a third of it away again. "
)
MENU = "<nav>" + "<a href=/>Section</a> " * 15 + "</nav>"
NONE = np.zeros(0, dtype=np.intp)


def reason(html: str, url: str = "https://example.com/a", kept: bool = False) -> str:
    """The reason for a page of which nothing or everything was kept."""
    page = parse(html, url=url)
    return diagnose(page, np.arange(len(page)) if kept else NONE)


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        ("", selection.EMPTY),
        (" \n ", selection.EMPTY),
        ("<!doctype html><body></body>", selection.NO_TEXT),
        ("<p>" + "word " * 300, selection.NO_BODY),
    ],
)
def test_pages_without_an_answer(html: str, expected: str) -> None:
    assert reason(html) == expected


@pytest.mark.parametrize("kept", [True, False])
@pytest.mark.parametrize(
    "html",
    [
        "<body><div id=root></div><script src=/app.js></script>",
        "<body><div id=app><img src=spinner.gif></div><p>Laden …</p><script>start()</script>",
        "<body><app-root></app-root><noscript>Bitte aktivieren Sie JavaScript im Browser.</noscript><script></script>",
        f"{MENU}<noscript>Эта страница не работает без включённого JavaScript.</noscript><script src=a.js></script>",
        "<link rel=modulepreload href=/a.js><body><gg-app></gg-app>",
        f"{MENU}<script src=a.js></script><footer>© 2026</footer>",
        f"<script></script><div id=root></div><footer>{'<p><a href=a>About our shops</a></p>' * 16}</footer>",
    ],
)
def test_shells_of_applications(html: str, kept: bool) -> None:
    assert reason(html, kept=kept) == diagnosis.JAVASCRIPT


def test_a_request_for_scripts_is_no_text() -> None:
    request = "<noscript>You need to enable JavaScript to run this app.</noscript>"
    document = extract(f"<div id=root></div>{request}<script src=/app.js></script>")
    assert not document
    assert document.reason == diagnosis.JAVASCRIPT
    assert extract(f"<p>{PROSE}</p>{request}<script src=/app.js></script>").text == PROSE.strip()


def test_menus_of_a_shop_whose_goods_come_by_script_are_no_text() -> None:
    links = "".join(f"<a href={number}>Sites in other languages</a>, " for number in range(40))
    footer = f"<footer><dl><dt><h5>Browse by Category</h5></dt><dd>{links}</dd></dl></footer>"
    for script in ("<script src=/app.js></script>", ""):
        document = extract(f"{script}<div id=root> </div>{footer}")
        assert not document
        assert document.reason == diagnosis.JAVASCRIPT


def test_text_in_the_header_of_an_application_is_text() -> None:
    shell = "<script src=/app.js></script><div id=root> </div>"
    assert extract(f"{shell}<header><p>{PROSE * 9}</p></header>").text == (PROSE * 9).strip()
    assert extract(f"{shell}<header><p>{PROSE * 3}</p></header>").text == (PROSE * 3).strip()


@pytest.mark.parametrize(
    "dialog",
    [
        "<div id=onetrust-banner-sdk><p>We value your privacy and use cookies to make this site better.</p></div>",
        "<div class=qc-cmp2-main><p>Wir und unsere Partner speichern Daten auf Ihrem Gerät mit Cookies.</p></div>",
        "<section id=didomi-host><p>Avec votre accord, nos partenaires et nous utilisons des cookies.</p></section>",
        "<form class=consent-form><p>続行する前に、Cookie の使用に同意していただく必要があります。</p></form>",
    ],
)
def test_consent_walls(dialog: str) -> None:
    page = f"<title>News</title>{dialog}<p>News</p>"
    assert reason(page) == reason(page, kept=True) == diagnosis.CONSENT
    assert reason(f"{dialog}<p>{PROSE * 2}", kept=True) == ""


@pytest.mark.parametrize(
    "text",
    ["Sign in to continue", "Bitte melden Sie sich an", "ログインしてください", "Inicia sesión"],
)
def test_logins(text: str) -> None:
    form = f"<h1>{text}</h1><form action=/session><input name=user><input type=Password><button>OK</button></form>"
    assert reason(form) == reason(form, kept=True) == diagnosis.LOGIN
    assert reason(f"{form}<p>{PROSE * 4}", kept=True) == ""
    assert reason(f"<p>{PROSE}</p><div style='display:none'>{form}</div>", kept=True) == ""


def test_character_references_hide_neither_a_login_nor_a_refresh() -> None:
    form = "<h1>Sign in</h1><input name=user><input type='pass&#119;ord'>"
    assert reason(form) == diagnosis.LOGIN
    refresh = "<meta http-equiv='re&#x66;resh' content='0; &#117;rl=/new'><p>Moved.</p>"
    assert reason(refresh) == diagnosis.ELSEWHERE.format(address="https://example.com/new")


# The text itself is marked
def test_paywalls() -> None:
    data = '<script type="application/ld+json">{"@type": "NewsArticle", "isAccessibleForFree": %s}</script>'
    for value in ("false", '"False"', '"http://schema.org/False"'):
        assert reason(f"<p>{PROSE}</p>{data % value}", kept=True) == diagnosis.PAYWALL
        assert reason(f"<p>{PROSE * 6}</p>{data % value}", kept=True) == ""
    for value in ("true", "null", "[]", "0"):
        assert reason(f"<p>{PROSE}</p>{data % value}", kept=True) == ""
    offer = "<div class='article-paywall'>Lesen Sie weiter mit einem Abo</div>"
    assert reason(f"<p>{PROSE}</p>{offer}", kept=True) == diagnosis.PAYWALL
    assert reason(f"<div class=paywall><p>{PROSE}</p></div>", kept=True) == ""


@pytest.mark.parametrize(
    "title",
    [
        "404", "Page not found", "Seite nicht gefunden", "Page introuvable", "Página no encontrada",
        "Pagina non trovata", "Página não encontrada", "Pagina niet gevonden", "Sidan hittades inte",
        "Siden blev ikke fundet",
        "Siden ble ikke funnet", "Sivua ei löytynyt", "Nie znaleziono strony", "Stránka nenalezena",
        "Az oldal nem található", "Pagina nu a fost găsită", "Страница не найдена", "Сторінку не знайдено",
        "Η σελίδα δεν βρέθηκε", "Sayfa bulunamadı", "الصفحة غير موجودة", "הדף לא נמצא", "صفحه یافت نشد",
        "पृष्ठ नहीं मिला", "ページが見つかりません", "页面未找到", "페이지를 찾을 수 없습니다", "ไม่พบหน้า",
        "Không tìm thấy trang", "Halaman tidak ditemukan", "403 Forbidden", "500 Internal Server Error", "Fehler 503",
        "Erreur 500", "Ошибка 502", "Access denied",
    ],
)  # fmt: skip
def test_error_pages(title: str) -> None:
    expected = diagnosis.ERROR_PAGE.format(title=title)
    assert reason(f"<title>{title}</title><p>Sorry.</p>") == expected
    assert reason(f"<title>Site</title><h1>{title}</h1><p>Sorry.</p>", kept=True) == expected


@pytest.mark.parametrize(
    "title",
    [
        "Peugeot 404",
        "The $500 phone",
        "Error handling in Go",
        "Fehlerkultur",
        "Model 404.5",
        "What was not found",
    ],
)
def test_an_article_about_an_error_is_no_error_page(title: str) -> None:
    assert reason(f"<title>{title}</title><h1>{title}</h1><p>{PROSE * 3}</p>", kept=True) == ""


@pytest.mark.parametrize(
    "html",
    [
        "<title>Just a moment...</title><script>window._cf_chl_opt={}</script><h1>example.com</h1><p>Checking.</p>",
        "<p>Bitte bestätigen Sie, dass Sie kein Roboter sind.</p><div class=g-recaptcha></div><script></script>",
        "<script src=https://geo.captcha-delivery.com/c.js></script><p>Please enable JS and disable any ad blocker</p>",
        "<iframe src=/_Incapsula_Resource?x=1>Request unsuccessful.</iframe>",
    ],
)
def test_checks_for_robots(html: str) -> None:
    assert reason(html) == diagnosis.ROBOT_CHECK


def test_a_large_page_that_loads_a_captcha_is_no_check() -> None:
    assert (
        reason(f"<p>Harbour</p><script>{'x' * 300_000}</script><p class=captcha>", kept=True) == ""
    )
    assert reason("<p>Harbour</p><p>captcha</p><script>captcha=1</script>", kept=True) == ""


def test_pages_that_lead_elsewhere() -> None:
    refresh = (
        "<meta http-equiv=Refresh content=\"0; URL='/new?a=1'\"><p>Diese Seite ist umgezogen.</p>"
    )
    assert reason(refresh) == diagnosis.ELSEWHERE.format(address="https://example.com/new?a=1")
    frames = "<frameset cols=20,80><frame src=menu.html><frame src=main.html></frameset>"
    assert reason(frames) == diagnosis.FRAMES.format(
        address="https://example.com/menu.html, https://example.com/main.html"
    )
    for content in ("300; url=/new", "0; url=/a", "0; url=javascript:alert(1)", "5", "x"):
        assert (
            reason(f"<meta http-equiv=refresh content='{content}'><p>{PROSE}</p>", kept=True) == ""
        )


@pytest.mark.parametrize("kept", [True, False])
def test_plenty_of_text_needs_no_reason(kept: bool) -> None:
    page = f"<title>404 Not Found</title><div id=root></div><script></script><input type=password><p>{PROSE * 8}</p>"
    assert reason(page, kept=kept) == (
        "" if kept else diagnosis.ERROR_PAGE.format(title="404 Not Found")
    )


@pytest.mark.parametrize("text", [PROSE, "Kurz.", "短い文章です。", ""])
def test_a_short_page_is_just_short(text: str) -> None:
    assert (
        reason(
            f"<title>Harbour</title>{MENU}<h1>Harbour</h1><p>{text}</p><footer>© 2026</footer>",
            kept=True,
        )
        == ""
    )


@pytest.mark.parametrize("name", sorted(KINDS))
def test_hostile_pages_are_quick(name: str) -> None:
    page = parse(KINDS[name].make(200_000))
    began = time.process_time()
    diagnose(page, NONE)
    assert time.process_time() - began < 2


@pytest.mark.parametrize(
    "html",
    [
        "<div class=consent>" * 20_000 + "a b c d e f",
        "<input type=password hidden>" * 20_000,
        "<frame src=" * 20_000,
        "<frame src=javascript:>" * 20_000,
        "<a " * 60_000,
        "<meta http-equiv=refresh content='" + "0" * 200_000 + "'>",
        "<link " * 40_000,
        "<title>" + "40 " * 60_000,
        "<meta http-equiv=refresh>" * 20_000,
        "<div id=x></div>" * 20_000 + "<script></script>",
    ],
    ids=range(10),
)
def test_floods_are_quick(html: str) -> None:
    page = parse(html)
    began = time.process_time()
    diagnose(page, NONE)
    assert time.process_time() - began < 2


pieces = st.sampled_from(
    """<title>|</title>|404|not found|<p>|<div id=root>|</div>|<script>|</script>|<noscript>|<input type=password>
    |hidden|<frame src=a>|<meta http-equiv=refresh content='0;url=|'>|<div class=consent>|captcha|a few words of text
    |<h1>|{|<script type="application/ld+json">|"isAccessibleForFree":|"a":|false""".replace(
        "\n", ""
    ).split("|")
)


@pytest.mark.slow
@settings(max_examples=some_of(150), deadline=None)
@given(st.lists(pieces | st.text(max_size=5), max_size=30))
def test_any_page(parts: list[str]) -> None:
    document = extract("".join(parts))
    assert document.page is not None
    text = diagnose(document.page, document.blocks)
    assert "\n" not in text
    if not len(document.blocks):
        assert text


SHORT = "<title>Harbour</title><main><h1>Harbour</h1><p>" + PROSE + "</main>"


def test_a_reason_is_sought_when_it_is_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[int] = []

    def count(page: Page, kept: Sized) -> str:
        asked.append(len(page) - len(kept))
        return "doubtful"

    monkeypatch.setattr(diagnosis, "diagnose", count)
    document = extract(SHORT)
    assert "stones" in document.text
    assert not asked
    assert document.reason == document.reason == "doubtful"
    assert len(asked) == 1


def test_a_document_takes_its_reason_along() -> None:
    document = extract(SHORT + "<div class=paywall>Subscribe to read the rest of the story.</div>")
    copy = pickle.loads(pickle.dumps(document))  # noqa: S301 - our own
    assert copy.reason == diagnosis.PAYWALL
    assert dataclasses.replace(document, url="https://example.com/").reason == diagnosis.PAYWALL
