"""diagnose: Page + numbers of its kept blocks -> why the answer is empty or doubtful and what to do, or "".

Markup, structure and numbers decide; words of many languages only confirm that a short page is an error page. A reason
is given where little was kept and the page says what it is: a page with plenty of text never gets one. What cannot be
told apart is left without a reason: a short page that is just short, a paywall without any mark in the page.
"""

import re
from dataclasses import dataclass
from functools import cached_property
from itertools import islice

import numpy as np
import numpy.typing as npt

from bodytext.kernel.html import TAG, Flag, NodeFlag
from bodytext.kernel.tokens import unescape
from bodytext.page.json_ld import json_ld
from bodytext.page.tables import UNSEEN, Page, or_above, tag_mask
from bodytext.page.urls import absolute, base_address

EMPTY = "the page is empty"
NO_TEXT = "the page holds no text"
NO_BODY = "no text in the page was found to be its body"
ELSEWHERE = "the page only leads elsewhere: read {address} instead"
FRAMES = "the page is a frameset, and its text stands in other pages: read {address} instead"
ROBOT_CHECK = "the page is a check for robots, not the page that was asked for: open it in a browser"
ERROR_PAGE = "the page looks like an error page ({title}): check its address"
CONSENT = "the page is a consent wall: accept or reject it in a browser, and pass on the page behind it"
LOGIN = "the page asks for a login: sign in with a browser, and pass on the page behind it"
PAYWALL = "the page shows only the start of its text: the rest is for subscribers"
JAVASCRIPT = "the page needs JavaScript to show its text: pass it on as a browser has it after running its scripts"

# Words, by the counts on real pages: one page in a hundred with a body text shows fewer than 150.
PLENTY = 150  # so much kept text needs no reason
_SHORT = 150  # shown on the whole page: a notice, a form, a shell
_TINY = 50  # shown on the whole page: no prose beside a name, a menu, a message
_A_FEW = 5  # a sentence that asks for something
_FEW_KEPT = 80  # kept: what an error page with all of the site's menus around it has
_LONGEST_STATUS = 8  # words of a title or heading that says what went wrong
_LONGEST_TITLE_SHOWN = 60  # characters
# Bytes. Checks for robots are small pages, and large ones have the same marks in their scripts.
_LARGEST_CHECK = 200_000
_LARGEST_CAPTCHA = 60_000

# Markup that only the challenges themselves have, and markup that forms of ordinary pages have too.
_CHALLENGE = re.compile(
    rb"_cf_chl_opt|cf-browser-verification|cf-challenge|challenge-error-text|captcha-delivery\.com|_Incapsula_Resource"
    rb"|px-captcha|sec-if-cpt|sec-cpt-|gokuProps|awswaf|ddos-guard|kpsdk|/cdn-cgi/l/chk_|bm-verify|interstitial-captcha",
)
_CAPTCHA = re.compile(rb"<[a-z][^<>]*?(?:captcha|turnstile|/cdn-cgi/challenge-platform)", re.IGNORECASE)
# In opening tags in lower case.
_CONSENT = re.compile(
    rb"onetrust|optanon|cookiebot|cybotcookie|didomi|sp_message|qc-cmp|quantcast|usercentrics|truste[-_]|trustarc|fc-consent"
    rb"|cmp-?(?:box|wall|banner|dialog|modal)|cookie-?(?:consent|notice|banner|bar|law|wall|message|popup|dialog|modal|layer)"
    rb"|cc-window|consent|gdpr|privacy-?(?:wall|gate|manager)"
)
_PAYWALL = re.compile(rb"paywall|regwall|subscriber-only|subscription-wall|article-gate|piano-offer")
_ROOT = re.compile(
    r"(?:__)?(?:root|app|next|nuxt|gatsby|main|application|react|vue|ember|svelte|redux|page|container|content|mount)"
    r"(?:[-_](?:root|app|container|content|mount|wrapper|main))?|q-app|app-?body|layout",
    re.IGNORECASE,
)
_PRELOADED_SCRIPT = re.compile(rb"<link\b[^<>]*?\b(?:as=[\"']?script|modulepreload)", re.IGNORECASE)
_FRAME = re.compile(
    rb"<frame\s[^<>]*?\bsrc\s*+=\s*+[\"']?([^\"'\s<>]++)", re.IGNORECASE
)  # the scan makes no node of it
_MOST_FRAMES = 3
_REFRESH = re.compile(r"\s*+(\d{1,6}+)[\d.]*+\s*+(?:[;,]|(?<=\s))\s*+(?:url\s*+=\s*+)?[\"']?([^\"']++)", re.IGNORECASE)
_LONGEST_WAIT = 30  # seconds; pages that reload themselves for news wait longer

_STATUS = re.compile(r"(?<![\w.,$€£-])(?:40[01345]|410|429|451|50[0-4]|52[0-9])(?![\w%€$]|[.,]\d)")
_MISSING = re.compile(
    r"not found|can.?t be found|no longer (?:available|exists)|doesn.?t exist|does not exist|nicht gefunden"
    r"|existiert nicht|introuvable|non trouvée?|n.existe (?:pas|plus)|no encontrad[ao]|no (?:se ha )?encontr"
    r"|no existe|non trovat[ao]|non esiste|não encontrad[ao]|não existe|niet gevonden|bestaat niet"
    r"|hittades inte|hittar inte|finns inte|ikke fundet|findes ikke|ikke funnet|finnes ikke|ei löyd|ei löyt"
    r"|nie znalezion|nie istnieje|nenalezen|nebyla nalezena|neexistuje|nenájden|nebola nájdená|nem található"
    r"|nu a fost găsit|negăsit|nu există|не е намерен|не е открит|не найден|не существует|не знайден|не існує"
    r"|није пронађен|nije pronađen|ni bilo mogoče najti|δεν βρέθηκε|δεν υπάρχει|bulunamad|غير موجود"
    r"|لم يتم العثور|לא נמצא|یافت نشد|پیدا نشد|नहीं मिला|পাওয়া যায়নি|見つかりません|存在しません|未找到"
    r"|找不到|不存在|찾을 수 없|존재하지 않|ไม่พบ|không tìm thấy|không tồn tại|tidak ditemukan"
    r"|tidak dijumpai|nerasta|nav atrast|ei leitud",
    re.IGNORECASE,
)
_FAILED = re.compile(
    r"\berror\b|access denied|forbidden|bad (?:gateway|request)|(?:service|temporarily) unavailable"
    r"|something went wrong|too many requests|\bfehler|zugriff verweigert|\berreur|accès (?:refusé|interdit)"
    r"|indisponible|acceso denegado|\berrore\b|accesso negato|\berro\b|acesso negado|toegang geweigerd"
    r"|\bfout\b|åtkomst nekad|adgang nægtet|ingen tilgang|pääsy estetty|\bvirhe|\bbłąd|odmowa dostępu"
    r"|\bchyba\b|přístup odepřen|prístup zamietnutý|\bhiba\b|eroare|acces interzis|\bгрешка|достъп отказан"
    r"|ошибка|доступ запрещ|помилка|доступ заборонен|σφάλμα|\bhata\b|erişim engellen|خطأ|تم رفض|שגיאה|خطا"
    r"|त्रुटि|エラー|アクセスが拒否|错误|錯誤|拒绝访问|禁止访问|오류|접근이 거부|ข้อผิดพลาด|\blỗi\b|kesalahan"
    r"|ralat",
    re.IGNORECASE,
)

_IS_HEADING = tag_mask("h1 h2")
_HOLDS_TEXT = tag_mask("div section main article aside dialog form body p span ul") | tag_mask(
    "header footer table iframe"
)
_HOLDS_ROOT = tag_mask("div main section") | (np.arange(len(tag_mask(""))) == 0)  # unknown: custom elements
_UNSEEN_TAG = tag_mask("noscript template")
_HIDDEN = int(NodeFlag.HIDDEN | NodeFlag.ARIA_HIDDEN)
_IN_MENU = int(Flag.NAV | Flag.HEADER | Flag.FOOTER)


@dataclass(frozen=True)
class _Evidence:
    """A page with what was kept of it; what costs more is worked out when it is asked for."""

    page: Page
    kept_words: int

    @cached_property
    def shown(self) -> npt.NDArray[np.int32]:
        """Words of each run that a reader sees."""
        return np.where(self.page.runs.flags & UNSEEN, 0, self.page.runs.words)

    @cached_property
    def shown_words(self) -> int:
        return int(self.shown.sum())

    def named(self, pattern: re.Pattern[bytes]) -> npt.NDArray[np.bool_]:
        """Which elements that show a few words have something in their opening tags, such as a class in lower case."""
        numbers, tags, ends = self._opening_tags
        marked = np.zeros(len(self.page.nodes.tag), dtype=np.bool_)
        places = [match.start() for match in pattern.finditer(tags)]
        marked[numbers[np.searchsorted(ends, places, side="right")]] = True
        return marked

    @cached_property
    def _opening_tags(self) -> tuple[npt.NDArray[np.intp], bytes, npt.NDArray[np.intp]]:
        """Which elements show a few words, their opening tags one after the other in lower case, where each ends."""
        page, nodes = self.page, self.page.nodes
        numbers = np.flatnonzero(_HOLDS_TEXT[nodes.tag] & (page.per_node(self.shown) >= _A_FEW))
        spans = zip(nodes.start[numbers].tolist(), nodes.end[numbers].tolist(), strict=True)
        tags = [page.source[start:end] for start, end in spans]
        return numbers, b"".join(tags).lower(), np.cumsum([len(tag) for tag in tags], dtype=np.intp)

    def words_in(self, marked: npt.NDArray[np.bool_]) -> int:
        """Words shown in marked elements."""
        return int(self.shown[or_above(marked, self.page.nodes.parent)[self.page.runs.node]].sum())


def diagnose(page: Page, kept: npt.NDArray[np.intp]) -> str:
    """Why little or nothing of a page was kept, in a sentence; an empty string where nothing is the matter."""
    words = int(page.per_block(page.runs.words)[kept].sum()) if len(kept) else 0
    if words >= PLENTY:
        return ""
    if not page.source.strip():
        return EMPTY
    evidence = _Evidence(page, words)
    if max(words, evidence.shown_words) < _SHORT:
        reason = _leads_elsewhere(evidence) or _is_barred(evidence) or _needs_javascript(evidence)
        if reason:
            return reason
    reason = _is_error(evidence) or _is_stub(evidence)
    if reason or len(kept):
        return reason
    return NO_BODY if len(page) else NO_TEXT


def _leads_elsewhere(evidence: _Evidence) -> str:
    page = evidence.page
    if evidence.shown_words >= _TINY:
        return ""
    base = base_address(page)
    frames = (absolute(unescape(match[1].decode("utf-8")), base) for match in _FRAME.finditer(page.source))
    if addresses := list(islice(filter(None, frames), _MOST_FRAMES)):
        return FRAMES.format(address=", ".join(addresses))
    for node in np.flatnonzero(page.nodes.tag == TAG["meta"]).tolist():
        said = page.attributes(node)
        match = _REFRESH.match(said.get("content", "")) if said.get("http-equiv", "").lower() == "refresh" else None
        if match and int(match[1]) <= _LONGEST_WAIT and (address := absolute(match[2], base)):
            return ELSEWHERE.format(address=address) if address != page.url else ""
    return ""


def _is_barred(evidence: _Evidence) -> str:
    """Whether something stands before the page: a check for robots, a consent wall, a login."""
    if _checks_robots(evidence):
        return ROBOT_CHECK
    if _asks_password(evidence):
        return LOGIN
    inside = evidence.words_in(evidence.named(_CONSENT))
    return CONSENT if inside >= 2 * _A_FEW and inside * 2 > evidence.shown_words else ""


def _checks_robots(evidence: _Evidence) -> bool:
    source = evidence.page.source
    if len(source) > _LARGEST_CHECK:
        return False
    if _CHALLENGE.search(source):
        return True
    is_tiny = evidence.shown_words < _TINY and len(source) <= _LARGEST_CAPTCHA
    return is_tiny and _CAPTCHA.search(source) is not None and not _asks_password(evidence)


def _asks_password(evidence: _Evidence) -> bool:
    """Whether a password can be put in on the page as it is shown."""
    page, nodes = evidence.page, evidence.page.nodes
    unseen = or_above(((nodes.flags & _HIDDEN) != 0) | _UNSEEN_TAG[nodes.tag], nodes.parent)
    inputs = np.flatnonzero((nodes.tag == TAG["input"]) & ~unseen).tolist()
    return any(page.attributes(node).get("type", "").strip().lower() == "password" for node in inputs)


def _needs_javascript(evidence: _Evidence) -> str:
    """Whether the page is the shell of an application: next to no text, scripts, and a place that they fill."""
    page, nodes = evidence.page, evidence.page.nodes
    body_words = int(evidence.shown[(page.runs.flags & _IN_MENU) == 0].sum())
    is_scripted = (nodes.tag == TAG["script"]).any() or _PRELOADED_SCRIPT.search(page.source)
    if body_words >= _TINY or not is_scripted:
        return ""
    in_noscript = int(page.runs.words[(page.runs.flags & Flag.NOSCRIPT) != 0].sum())
    if body_words == 0 or in_noscript >= _A_FEW:
        return JAVASCRIPT
    empty = np.flatnonzero(_HOLDS_ROOT[nodes.tag] & (nodes.first_run == nodes.stop_run) & (nodes.start < nodes.end))
    names = (page.attributes(node).get("id", "") for node in empty.tolist())
    is_shell = any(name and _ROOT.fullmatch(name) for name in names)
    return JAVASCRIPT if is_shell else ""


def _is_error(evidence: _Evidence) -> str:
    """Whether the title or a heading of a page with next to no body says what went wrong."""
    if evidence.kept_words >= _FEW_KEPT:
        return ""
    for text in (evidence.page.title, *_headings(evidence)):
        if len(text.split()) > _LONGEST_STATUS:
            continue
        is_short = evidence.shown_words < _SHORT
        status, missing, failed = (pattern.search(text) for pattern in (_STATUS, _MISSING, _FAILED))
        if missing or (failed and (status or is_short)) or (status and evidence.shown_words < _TINY):
            return ERROR_PAGE.format(title=text[:_LONGEST_TITLE_SHOWN])
    return ""


def _headings(evidence: _Evidence) -> list[str]:
    """The texts of the first headings that are shown."""
    page = evidence.page
    blocks = np.flatnonzero(_IS_HEADING[page.nodes.tag[page.blocks.node]] & page.seen)[:3]
    nothing = bytes(len(blocks))
    buffer, spans = page.write_texts(blocks, nothing, nothing)
    return [" ".join(buffer[start:end].decode("utf-8").split()) for start, end in spans.T.tolist()]


def _is_stub(evidence: _Evidence) -> str:
    """Whether the page says that the rest of its text is not for everyone."""
    free = (one.get("isAccessibleForFree") for one in json_ld(evidence.page))
    if any(value is False or str(value).strip().lower().rpartition("/")[2] == "false" for value in free):
        return PAYWALL
    inside = evidence.words_in(evidence.named(_PAYWALL))
    return PAYWALL if inside >= _A_FEW and inside * 2 < evidence.shown_words else ""
