"""Words by which pages say who wrote them and when, in the languages of the web."""

import re

from bodytext.page.late_pattern import late_pattern


def _pattern(words: str) -> str:
    """Words between spaces as alternatives; a plus is a space inside a word."""
    return "|".join(re.escape(word).replace(r"\+", r"\s++") for word in words.split())


# A line in lower case with one of these is about a change.
_CHANGED = """
    updat modif revis edited reviewed aktualis geändert mis+à+jour mise+à+jour actualiz atualiz
    aggiorna bijgewerkt uppdater oppdater opdater päivitetty módos frissít обновл оновл змінен
    изменен актуализ ажурир güncel cập+nhật 更新 最終 修改 수정 업데이트 تحديث تعديل עודכן עדכון แก้ไข อัปเดต
    อัพเดต अपडेट संशोधित بروز به‌روز diperbarui kemaskini ενημέρω ažurir atjaun uuend atnaujin
"""
CHANGED = late_pattern(_pattern(_CHANGED))

# A line with one of these is about publication.
_PUBLISHED = """
    publish posted started+by written+on veröffentlicht erschienen publié publie publicad pubblicat
    gepubliceerd geplaatst publicerad publisert julkaistu opublikowan publikov megjelen közzé
    опублик опублік публик yayın yayım xuất+bản đăng 公開 掲載 発表 发布 發布 发表 發表 게시 입력 등록 نشر פורסם เผยแพร่
    प्रकाशित منتشر diterbitkan dipublikasikan δημοσι objavljen
"""
PUBLISHED = late_pattern(_pattern(_PUBLISHED))

# A line with one of these is about something else that has a date.
_OTHER_MATTER = "copyright © (c) all+rights joined member+since registered founded expires 最后登录"
OTHER_MATTER = late_pattern(_pattern(_OTHER_MATTER))

# The beginning of a byline. Words with other meanings count only before a colon or a capital
# letter.
_WRITTEN = """
    written post posted published reported created contributed submitted started authored compiled
    edited asked story words text article blog recipe interview
"""
_BY = rf"""
    by(?-i:(?=[A-Z][a-z])) |
    (?:this\s++(?:post|article|blog|story)\s++was\s++)?
    (?:(?:{_pattern(_WRITTEN)})(?:\s++and\s++\w++){{0,2}}\s++)?by\b |
    (?:geschrieben|verfasst|veröffentlicht|ein\s++artikel|text|interview|aufgezeichnet|kommentar)?
    \s*+von\b |
    (?:écrit|rédigé|publié|propos\s++recueillis)?\s*+par\b |
    (?:escrito|publicado|redactado|texto)?\s*+por\b |
    (?:scritto|pubblicato)\s++da\b | a\s++cura\s++di\b | (?-i:di\b(?=\s++[A-Z])) |
    (?:geschreven|geplaatst)?\s*+door\b |
    (?:skriven|skrevet|tekst|text|publicerad)?\s*+a[vf]\b | scris\s++de\b |
    του\b(?-i:(?=\s++[Α-Ω])) |
    (?:{_pattern("author authors autor autoren autorin autora autores autorka autorzy auteur auteurs auteure autore")}|
    {_pattern("verfasser verfasserin kirjoittaja kirjoittanut napsal napsala napisał napisała írta szerző yazan")}|
    {_pattern("автор авторы автори авторка написал написала журналист συντάκτης γράφει tác+giả bởi viết+bởi oleh")}|
    {_pattern("yazar penulis بقلم كتب كتبت الكاتب تحرير מאת نویسنده نوشته")})\b |
    (?:{_pattern("redakteur redakteurin redaktion redaktør tekst text teksti haber текст כתב reporter")})(?=\s*+:) |
    {_pattern("लेखक द्वारा โดย ผู้เขียน เขียนโดย 作者 撰文 记者 記者 著者 執筆者 執筆 取材")} |
    文\s*+[/／:：] | 글\s*+[/:=] | 기자\s*+[:=]
"""
BY = late_pattern(rf"\s*+(?:{_BY})\s*+[:：/／|—–-]?\s*+", re.IGNORECASE | re.VERBOSE)
# The first two letters of each beginning that are plain ones; "a" is a word.
_BY_STARTS = """
    by th wr po pu re cr co su st au ed as wo te ar bl in ge ve ei ko vo pr pa es sc di do sk av af ki
    na sz ya vi ol pe ha
"""
_STARTS = frozenset({*_BY_STARTS.split(), "a "})
# The first letters of those in the scripts of East Asia, which come after this one.
_FIRST_EAST_ASIAN = "\u3000"
_EAST_ASIAN_STARTS = frozenset("作撰记記著執取文글기")


def match_by(text: str) -> re.Match[str] | None:
    """The word for "by" at the beginning of a text. Most begin otherwise, which is fast to see."""
    start = text.lstrip()[:2].lower()
    if start >= _FIRST_EAST_ASIAN:
        if start[0] not in _EAST_ASIAN_STARTS:
            return None
    elif start not in _STARTS and start.isascii() and start.isprintable():
        return None
    return BY.match(text)


BY_INSIDE = late_pattern(
    r"(?:^|[\s|•·,(])(?:by|von|par|por|door|av|af|oleh|автор:?|yazan:?|מאת:?|بقلم:?|\w{0,2}记者|\w{0,2}記者)\s++(?=\S)",
    re.IGNORECASE,
)
# Labels of a Twitter card, such as "Written by".
_WRITTEN_BY = "written verfasst geschrieben écrit rédigé escrito scritto geschreven skrev napisa автор yaz oleh 作者 著者 投稿者"
WRITTEN_BY = late_pattern(_pattern(_WRITTEN_BY))
# The beginning of a line about a picture, or about those who reviewed the text.
CREDIT = late_pattern(
    r"(?:photo|foto|image|bild|picture|illustration|credit|reviewed|edited|medically|fact)",
    re.IGNORECASE,
)

# Words for what people are.
_ROLES = """
    editor editorial writer reporter journalist correspondent contributor columnist author staff
    team manager director founder ceo cto cmo cfo president expert specialist analyst consultant
    producer photographer chief senior associate assistant professor freelance strategist marketer
    engineer developer blogger researcher advisor adviser attorney trainer coach guest admin
    administrator moderator member user post posts join joined coordinator marketing owner volunteer
    leader officer intern scientist teacher nurse physician therapist gardener dietitian
    nutritionist redakteur redakteurin redaktion reporterin korrespondent autorin autor journalistin
    volontär chefredakteur rédacteur rédactrice journaliste redactor redactora periodista redattore
    giornalista redacteur redaktør редактор корреспондент журналист muhabir editör wartawan
"""
ROLES = frozenset(_ROLES.split())  # whole words in lower case
# Two words, or a script without spaces
ROLE = late_pattern(r"\bphóng\s++viên\b|记者|記者|编辑|編集|기자|投稿者|翻訳者|翻译")

_NO_NAMES = """
    admin administrator anonymous author authors editor editors guest unknown none null undefined
    staff user webmaster redaktion redazione redacción redaktionen test default root byline share
    home blog news contact about team writer email e-mail facebook twitter linkedin instagram
    whatsapp youtube menu search login comments comment reply follow subscribe print photo image
    updated published read more post темы by von par por di 登录 登錄 退出 注册 註冊 ログイン ログアウト
    로그인 로그아웃
"""
NO_NAMES = frozenset(_NO_NAMES.split())

# Words that begin headings, menus and sentences, but no names.
_NO_FIRST_NAMES = """
    the in on our your my how what why when where who more read all best top new article articles
    related latest share sign log join start get click order link table useful categories category
    for of and to about news free this these that a an is are see view show learn find watch listen
    back next previous home filed tags tagged topics skip der die das ein eine mehr alle neue wie
    was le la les un une voir plus el los las una ver más il lo gli i
"""
NO_FIRST_NAMES = frozenset(_NO_FIRST_NAMES.split())

_PARTICLES = """
    de del della di da das dos do du des la le van von vom zu zur zum der den ter ten te el al bin
    ibn abu y e af av
"""
PARTICLES = frozenset(_PARTICLES.split())
