"""Say why the answer for a page is empty or doubtful, and what to do about it.

Markup, structure and counts decide; words of many languages only confirm that a short page is an
error page. A page gets a reason if little of it was kept and it shows what it is. A page with
plenty of text never gets one, nor does a page that is just short, or a paywall without any mark in
the page.
"""

import re
from dataclasses import dataclass
from functools import cached_property
from itertools import islice

import numpy as np
import numpy.typing as npt

from bodytext.kernel import count_without, find_rows, holds_any
from bodytext.kernel.html import TAG, UNSEEN, Flag, NodeFlag
from bodytext.kernel.table_columns import NodeColumn
from bodytext.kernel.tokens import unescape
from bodytext.page.json_ld import json_ld
from bodytext.page.tables import IN_MENU, Page, or_above, tag_mask
from bodytext.page.urls import absolute, base_address
from bodytext.selection import describe_empty

ELSEWHERE = "the page only leads elsewhere: read {address} instead"
FRAMES = "the page is a frameset, and its text is in other pages: read {address} instead"
ROBOT_CHECK = (
    "the page is a check for robots, not the page that was asked for: open it in a browser"
)
ERROR_PAGE = "the page looks like an error page ({title}): check its address"
CONSENT = (
    "the page is a consent wall: accept or reject it in a browser, and pass on the page behind it"
)
LOGIN = "the page asks for a login: sign in with a browser, and pass on the page behind it"
PAYWALL = "the page shows only the start of its text: the rest is for subscribers"
JAVASCRIPT = "the page needs JavaScript to show its text: pass it on as a browser has it after running its scripts"

# Words, by counts on real pages: one page in a hundred with a body text shows fewer than 150.
PLENTY = 150  # kept: an answer of this length needs no reason
_SHORT = 150  # shown on the whole page: a notice, a form, a shell
_TINY = 50  # shown on the whole page: a name, a menu, a message, but no prose
_A_FEW = 5  # a sentence that asks for something
_FEW_KEPT = 80  # kept of an error page with all of the site's menus
_LONGEST_STATUS = 8  # of a title or heading that names an error
_LONGEST_TITLE_SHOWN = 60  # characters
# Bytes. Checks for robots are small pages; large ordinary pages may have the same marks in their
# scripts.
_LARGEST_CHECK = 200_000
_LARGEST_CAPTCHA = 60_000
_SMALL_SOURCE = 60_000  # is looked through in less time than its tags are found

# Markup that only checks for robots have, and markup that forms of ordinary pages have too.
_CHALLENGES = (
    b"_cf_chl_opt", b"cf-browser-verification", b"cf-challenge", b"challenge-error-text",
    b"captcha-delivery.com", b"_Incapsula_Resource", b"px-captcha", b"sec-if-cpt", b"sec-cpt-",
    b"gokuProps", b"awswaf", b"ddos-guard", b"kpsdk", b"/cdn-cgi/l/chk_", b"bm-verify",
    b"interstitial-captcha",
)  # fmt: skip
_CAPTCHA = re.compile(
    rb"<[a-z][^<>]*?(?:captcha|turnstile|/cdn-cgi/challenge-platform)", re.IGNORECASE
)
_CAPTCHA_WORDS = (b"captcha", b"turnstile", b"/cdn-cgi/challenge-platform")
# In opening tags in lower case. Each has one of the words, which are sought first: that is faster.
_CONSENT_WORDS = (
    b"onetrust", b"optanon", b"cookie", b"didomi", b"sp_message", b"cmp", b"quantcast",
    b"usercentrics", b"trust", b"cc-window", b"consent", b"gdpr", b"privacy",
)  # fmt: skip
_CONSENT = re.compile(
    rb"onetrust|optanon|cookiebot|cybotcookie|didomi|sp_message|qc-cmp|quantcast|usercentrics"
    rb"|truste[-_]|trustarc|fc-consent|cmp-?(?:box|wall|banner|dialog|modal)"
    rb"|cookie-?(?:consent|notice|banner|bar|law|wall|message|popup|dialog|modal|layer)"
    rb"|cc-window|consent|gdpr|privacy-?(?:wall|gate|manager)"
)
_PAYWALL_WORDS = (b"wall", b"subscriber-only", b"article-gate", b"piano-offer")
_PAYWALL = re.compile(
    rb"paywall|regwall|subscriber-only|subscription-wall|article-gate|piano-offer"
)
_ROOT = re.compile(
    r"(?:__)?(?:root|app|next|nuxt|gatsby|main|application|react|vue|ember|svelte|redux|page"
    r"|container|content|mount)(?:[-_](?:root|app|container|content|mount|wrapper|main))?|q-app"
    r"|app-?body|layout",
    re.IGNORECASE,
)
_PRELOADED_SCRIPT = re.compile(rb"<link\b[^<>]*?\b(?:as=[\"']?script|modulepreload)", re.IGNORECASE)
# The scanner makes no node of a frame.
_FRAME = re.compile(rb"<frame\s[^<>]*?\bsrc\s*+=\s*+[\"']?([^\"'\s<>]++)", re.IGNORECASE)
_MOST_FRAMES = 3
_REFRESH = re.compile(
    r"\s*+(\d{1,6}+)[\d.]*+\s*+(?:[;,]|(?<=\s))\s*+(?:url\s*+=\s*+)?[\"']?([^\"']++)", re.IGNORECASE
)
_LONGEST_WAIT = 30  # seconds; pages that reload themselves for news wait longer

_STATUS = re.compile(r"(?<![\w.,$€£-])(?:40[01345]|410|429|451|50[0-4]|52[0-9])(?![\w%€$]|[.,]\d)")
# In texts in lower case: to ignore the case takes two to fifteen times as long.
_MISSING = re.compile(
    r"not found|can.?t be found|no longer (?:available|exists)|doesn.?t exist|does not exist"
    r"|nicht gefunden|existiert nicht|introuvable|non trouvée?|n.existe (?:pas|plus)"
    r"|no encontrad[ao]|no (?:se ha )?encontr|no existe|non trovat[ao]|non esiste"
    r"|não encontrad[ao]|não existe|niet gevonden|bestaat niet|hittades inte|hittar inte"
    r"|finns inte|ikke fundet|findes ikke|ikke funnet|finnes ikke|ei löyd|ei löyt|nie znalezion"
    r"|nie istnieje|nenalezen|nebyla nalezena|neexistuje|nenájden|nebola nájdená|nem található"
    r"|nu a fost găsit|negăsit|nu există|не е намерен|не е открит|не найден|не существует"
    r"|не знайден|не існує|није пронађен|nije pronađen|ni bilo mogoče najti|δεν βρέθηκε"
    r"|δεν υπάρχει|bulunamad|غير موجود|لم يتم العثور|לא נמצא|یافت نشد|پیدا نشد|नहीं मिला"
    r"|পাওয়া যায়নি|見つかりません|存在しません|未找到|找不到|不存在"
    r"|찾을 수 없|존재하지 않|ไม่พบ|không tìm thấy|không tồn tại"
    r"|tidak ditemukan|tidak dijumpai|nerasta|nav atrast|ei leitud"
)
_FAILED = re.compile(
    r"\berror\b|access denied|forbidden|bad (?:gateway|request)|(?:service|temporarily) unavailable"
    r"|something went wrong|too many requests|\bfehler|zugriff verweigert"
    r"|\berreur|accès (?:refusé|interdit)|indisponible|acceso denegado|\berrore\b|accesso negato"
    r"|\berro\b|acesso negado|toegang geweigerd|\bfout\b|åtkomst nekad|adgang nægtet|ingen tilgang"
    r"|pääsy estetty|\bvirhe|\bbłąd|odmowa dostępu|\bchyba\b|přístup odepřen|prístup zamietnutý"
    r"|\bhiba\b|eroare|acces interzis|\bгрешка|достъп отказан|ошибка|доступ запрещ|помилка"
    r"|доступ заборонен|σφάλμα|\bhata\b|erişim engellen|خطأ|تم رفض|שגיאה|خطا|त्रुटि|エラー|アクセスが拒否|错误"
    r"|錯誤|拒绝访问|禁止访问|오류|접근이 거부|ข้อผิดพลาด|\blỗi\b|kesalahan|ralat"
)

_INPUT, _META, _SCRIPT = TAG["input"], TAG["meta"], TAG["script"]
_TAG = int(NodeColumn.TAG)
_IS_HEADING = tag_mask("h1 h2")
_HOLDS_TEXT = tag_mask(
    "div section main article aside dialog form body p span ul header footer table iframe"
)
_HOLDS_ROOT = tag_mask("div main section")
_HOLDS_ROOT[0] = True  # unknown tags: custom elements
_UNSEEN_TAG = tag_mask("noscript template")
_HIDDEN = int(NodeFlag.HIDDEN | NodeFlag.ARIA_HIDDEN)
_NOSCRIPT, _LINK = int(Flag.NOSCRIPT), int(Flag.LINK)


@dataclass(frozen=True)
class _Evidence:
    """A page and the words kept of it; expensive values are computed when they are first needed."""

    page: Page
    kept_words: int
    kept_text_words: int  # without links in menus

    @cached_property
    def shown(self) -> npt.NDArray[np.int32]:
        """The words of each run that a reader sees."""
        return np.where(self.page.runs.flags & UNSEEN, 0, self.page.runs.words)

    @cached_property
    def shown_words(self) -> int:
        return count_without(self.page.tables[1], UNSEEN)

    @cached_property
    def lowered(self) -> bytes:
        """The source in lower case: what is not in it need not be sought by a slow expression."""
        return self.page.source.lower()

    def named_words(self, pattern: re.Pattern[bytes], words: tuple[bytes, ...]) -> int:
        """The visible words in elements with a few of them that have a pattern in their opening tags.

        What fits the pattern has one of the words.
        """
        is_small = len(self.page.source) <= _SMALL_SOURCE
        if is_small and not holds_any(self.lowered, words):  # most small pages
            return 0
        numbers, tags, ends = self._opening_tags
        if not holds_any(tags, words):
            return 0
        marked = np.zeros(len(self.page.nodes.tag), dtype=np.bool_)
        places = [match.start() for match in pattern.finditer(tags)]
        marked[numbers[np.searchsorted(ends, places, side="right")]] = True
        return self._words_in(marked)

    @cached_property
    def _opening_tags(self) -> tuple[npt.NDArray[np.intp], bytes, npt.NDArray[np.intp]]:
        """The elements with a few visible words, their opening tags, and the end of each."""
        page, nodes = self.page, self.page.nodes
        numbers = np.flatnonzero(_HOLDS_TEXT[nodes.tag] & (page.per_node(self.shown) >= _A_FEW))
        spans = zip(nodes.start[numbers].tolist(), nodes.end[numbers].tolist(), strict=True)
        tags = [page.source[start:end] for start, end in spans]
        return numbers, b"".join(tags).lower(), np.cumsum([len(tag) for tag in tags], dtype=np.intp)

    def _words_in(self, marked: npt.NDArray[np.bool_]) -> int:
        """The visible words in marked elements."""
        if not marked.any():
            return 0
        return int(self.shown[or_above(marked, self.page.nodes.parent)[self.page.runs.node]].sum())


def diagnose(page: Page, kept: npt.NDArray[np.intp]) -> str:
    """Return why little or nothing of a page was kept, as a sentence; empty if nothing is wrong.

    `kept` has the numbers of the kept blocks.
    """
    words = text_words = 0
    if len(kept):
        menu_links = (page.runs.flags & IN_MENU != 0) & (page.runs.flags & _LINK != 0)
        words = int(page.per_block(page.runs.words)[kept].sum())
        text_words = int(page.per_block(np.where(menu_links, 0, page.runs.words))[kept].sum())
    if words >= PLENTY and text_words >= _TINY:
        return ""
    reason = _find_reason(_Evidence(page, words, text_words)) if page.source.strip() else ""
    if reason or len(kept):
        return reason
    return describe_empty(page)


def _find_reason(evidence: _Evidence) -> str:
    reason = ""
    if max(evidence.kept_words, evidence.shown_words) < _SHORT:
        reason = _find_redirect(evidence) or _find_barrier(evidence)
    return reason or _find_shell(evidence) or _find_error(evidence) or _find_paywall(evidence)


def _find_redirect(evidence: _Evidence) -> str:
    """A page that leads to others, by frames or by a refresh."""
    page = evidence.page
    if evidence.shown_words >= _TINY:
        return ""
    # References may spell values, but no names.
    if b"<frame" in evidence.lowered and (addresses := _find_frames(page)):
        return FRAMES.format(address=", ".join(addresses))
    address = _find_refresh(page) if b"http-equiv" in evidence.lowered else ""
    return ELSEWHERE.format(address=address) if address and address != page.url else ""


def _find_frames(page: Page) -> list[str]:
    """The addresses of the first frames."""
    base = base_address(page)
    sources = (match[1].decode("utf-8") for match in _FRAME.finditer(page.source))
    frames = (absolute(unescape(source), base) for source in sources)
    return list(islice(filter(None, frames), _MOST_FRAMES))


def _find_refresh(page: Page) -> str:
    """The address that the page soon sends its readers to."""
    for node in find_rows(page.tables[0][_TAG], _META):
        if not _says(page, node, b"http-equiv", "refresh"):
            continue
        match = _REFRESH.match(page.attribute(node, b"content"))
        if match and int(match[1]) <= _LONGEST_WAIT:
            address = absolute(match[2], base_address(page))
            if address:
                return address
    return ""


def _says(page: Page, node: int, name: bytes, value: str) -> bool:
    """Whether an attribute of an element has a value, in any case."""
    return page.attribute(node, name).strip().lower() == value


def _find_barrier(evidence: _Evidence) -> str:
    """A check for robots, a login or a consent wall before the page."""
    if _checks_robots(evidence):
        return ROBOT_CHECK
    if _asks_password(evidence):
        return LOGIN
    words = evidence.named_words(_CONSENT, _CONSENT_WORDS)
    return CONSENT if words >= 2 * _A_FEW and words * 2 > evidence.shown_words else ""


def _checks_robots(evidence: _Evidence) -> bool:
    source = evidence.page.source
    if len(source) > _LARGEST_CHECK:
        return False
    if holds_any(source, _CHALLENGES):
        return True
    is_tiny = evidence.shown_words < _TINY and len(source) <= _LARGEST_CAPTCHA
    if not is_tiny or not holds_any(evidence.lowered, _CAPTCHA_WORDS):
        return False
    return _CAPTCHA.search(source) is not None and not _asks_password(evidence)


def _asks_password(evidence: _Evidence) -> bool:
    """Whether the page has a visible field for a password."""
    page = evidence.page
    inputs = find_rows(page.tables[0][_TAG], _INPUT)
    passwords = [node for node in inputs if _says(page, node, b"type", "password")]
    if not passwords:
        return False
    nodes = page.nodes
    unseen = or_above(((nodes.flags & _HIDDEN) != 0) | _UNSEEN_TAG[nodes.tag], nodes.parent)
    return not unseen[passwords].all()


def _find_shell(evidence: _Evidence) -> str:
    """The shell of an application: next to no text but in menus and the footer, and room for it."""
    page, (nodes, runs, _) = evidence.page, evidence.page.tables
    body_words = count_without(runs, UNSEEN | IN_MENU)
    if max(body_words, evidence.kept_text_words) >= _TINY:
        return ""
    # Some archives leave out the scripts themselves.
    is_scripted = find_rows(nodes[_TAG], _SCRIPT, 1) or _PRELOADED_SCRIPT.search(page.source)
    in_noscript = count_without(runs, 0) - count_without(runs, _NOSCRIPT)
    if is_scripted and (body_words == 0 or in_noscript >= _A_FEW):
        return JAVASCRIPT
    if (is_scripted or body_words == 0) and _has_empty_root(page):
        return JAVASCRIPT
    return ""


def _has_empty_root(page: Page) -> bool:
    """Whether an empty element has the name of one that applications fill."""
    nodes = page.nodes
    is_empty = (nodes.first_run == nodes.stop_run) & (nodes.start < nodes.end)
    empty = np.flatnonzero(_HOLDS_ROOT[nodes.tag] & is_empty).tolist()
    names = (page.attribute(node, b"id") for node in empty)
    return any(name and _ROOT.fullmatch(name) for name in names)


def _find_error(evidence: _Evidence) -> str:
    """An error page: next to no body, and the error in its title or in a heading."""
    if evidence.kept_words >= _FEW_KEPT:
        return ""
    for text in (evidence.page.title, *_headings(evidence)):
        if len(text.split()) <= _LONGEST_STATUS and _names_error(text, evidence.shown_words):
            return ERROR_PAGE.format(title=text[:_LONGEST_TITLE_SHOWN])
    return ""


def _names_error(text: str, shown_words: int) -> bool:
    """Whether a short text names an error; the shorter the page, the less it takes."""
    text = text.replace("İ", "i").lower()  # which would become two characters
    if _MISSING.search(text):
        return True
    status = _STATUS.search(text)
    if status and shown_words < _TINY:
        return True
    return bool(_FAILED.search(text) and (status or shown_words < _SHORT))


def _headings(evidence: _Evidence) -> list[str]:
    """The texts of the first visible headings."""
    page = evidence.page
    blocks = _IS_HEADING[page.nodes.tag[page.blocks.node]].nonzero()[0]
    if not len(blocks):
        return []
    blocks = blocks[page.seen[blocks]][:3]
    nothing = bytes(len(blocks))
    buffer, spans = page.write_texts(blocks, nothing, nothing)
    return [" ".join(buffer[start:end].decode("utf-8").split()) for start, end in spans.T.tolist()]


def _find_paywall(evidence: _Evidence) -> str:
    """The start of a text whose rest is not for everyone."""
    if any(_is_false(item.get("isAccessibleForFree")) for item in json_ld(evidence.page)):
        return PAYWALL
    words = evidence.named_words(_PAYWALL, _PAYWALL_WORDS)
    return PAYWALL if words >= _A_FEW and words * 2 < evidence.shown_words else ""


def _is_false(value: object) -> bool:
    """Whether a value of JSON-LD is false, in any spelling such as "http://schema.org/False"."""
    return str(value).strip().lower().rpartition("/")[2] == "false"
