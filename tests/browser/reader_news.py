"""A small loopback web of newspapers in several languages: their feeds, articles and pictures, all made here."""

import asyncio
import math
import struct
import time
import zlib
from dataclasses import dataclass
from email.utils import formatdate
from functools import cache
from html import escape

import numpy as np
from loopback.server import Site, Visit, Web

Writer = asyncio.StreamWriter
PIXEL = "/pixel.gif"
HOUR = 3600


@dataclass(frozen=True)
class Paper:
    host: str
    title: str
    language: str
    kind: str = "rss"


@dataclass(frozen=True)
class Story:
    paper: str
    slug: str
    title: str
    section: str
    author: str
    hours: float
    scene: int
    caption: str
    paragraphs: tuple[str, ...]
    video: str = ""


PAPERS = (
    Paper("skarv.test", "The Skarv Tidings", "en"),
    Paper("meridian.test", "Meridian", "en", "atom"),
    Paper("fieldnotes.test", "Field Notes", "en"),
    Paper("elbbote.test", "Der Elbbote", "de"),
    Paper("rivage.test", "Le Rivage", "fr", "atom"),
    Paper("benthuyen.test", "Bến Thuyền", "vi"),
    Paper("minato.test", "みなと新聞", "ja"),
    Paper("almina.test", "الميناء", "ar"),
)

STORIES = (
    Story("skarv.test", "barrier", "The night the tide barrier closed for the first time", "world", "Ines Moen", 1.2, 0,
          "The barrier at half past two, seen from the old customs pier.", (
        "For eleven years the steel gates at the mouth of the Skarv had moved only in drills. On Saturday night, with a northwesterly gale stacking the sea against the coast, they closed in earnest, and the town behind them stayed dry.",
        "The decision fell at 23:40. The gauge at the outer lighthouse had risen forty centimetres in an hour, and the model in the harbour office put the peak at three metres and twenty. The quay is built for two and ninety.",
        "“We had rehearsed it so often that nobody raised their voice,” says Sunniva Aas, the harbour master. “It was only when the last gate touched the sill and the water on our side stopped moving that somebody laughed.”",
        "Outside, the storm surge reached its crest shortly after three. Waves broke over the breakwater and carried away forty metres of railing, but the tide barrier held, with a margin that the engineers now put at half a metre.",
        "The gates will stay shut until the second high tide has passed. Ferries are cancelled until Monday noon, and the council has asked residents of the lower streets to keep their cellars clear all the same.",
        "What the night cost will be known in a week. What it saved is easier to say: when the same surge came in 1978, the water stood a metre deep in the fish hall, and the market did not open until spring.")),
    Story("meridian.test", "surge", "Tide barrier holds as storm surge breaks a coastal record", "world", "Paul Okafor", 2.1, 1,
          "Spray over the breakwater on Sunday morning.", (
        "The tide barrier at Skarv closed against a storm surge for the first time on Saturday night and held, sparing the harbour town a flood that forecasters had expected to exceed the one of 1978.",
        "The surge reached 3.2 metres at the outer lighthouse, the highest level since measurements began there in 1902. Behind the gates the harbour rose by nine centimetres.",
        "Engineers said the barrier had a margin of about half a metre left. Harbour master Sunniva Aas called the closure “as quiet as a drill”.",
        "Ferries to the islands remain cancelled. The weather service expects the gale to ease on Monday, but warns that surges of this height will come more often as the sea rises.",
        "Three towns further along the coast have barriers under construction; two more have asked the government for money to begin.")),
    Story("fieldnotes.test", "eels", "Eels remember the way home, and now we know what they remember", "science", "Dr Mira Castell", 3.5, 2,
          "A silver eel in the test tank, its magnetic world turned by ninety degrees.", (
        "An eel that is born in the Sargasso Sea will cross an ocean it has never seen, spend fifteen years in a river, and then swim back to breed. How it finds the way has been a puzzle since Aristotle.",
        "A team at the marine station has now raised eels in tanks surrounded by coils that imitate the magnetic field of any place on the map. Young animals that had grown up under the field of the Irish coast turned, as adults, to exactly the heading that leads from there to the spawning grounds.",
        "Those raised in a scrambled field swam in circles. “They had nothing to compare with,” says the biologist who led the work. “What an eel learns as a child is not the destination. It learns where it started.”",
        "The finding matters for conservation. Millions of glass eels are caught each spring and released in rivers far from where they arrived. If they carry the memory of the wrong coast, many of them may never find the way back.",
        "The group now wants to follow released eels with transmitters the size of a grain of rice, which run for two years and cost less than a good pair of boots.",
        "Until then there is a simple rule, she says: let them go where they came ashore."), video="https://video.test/watch/eels"),
    Story("meridian.test", "chips", "The smallest chip plant in the world fits into a lorry", "technology", "Lena Brandt", 5.0, 3,
          "The plant on its trailer, on the way to a university in the north.", (
        "It takes three years and twelve billion to build a factory for chips. It takes four days to park the one that Ruben Sato has built, and most of those are spent levelling the lorry.",
        "His machine does not etch the finest structures that physics allows. It prints circuits of the kind that ran the world in 2005, on wafers the size of a coaster, in batches of twenty-five.",
        "For sensors, hearing aids and the controllers of wind turbines that is plenty. What engineers want from such chips is not speed but that somebody will still make them in ten years.",
        "A batch costs about as much as a small car. The queue of laboratories that want one is already longer than the lorry can drive in a year, and a second machine is being welded together in a hall that once made printing presses.",
        "“People ask me when we will catch up,” Sato says. “We are not in that race. We are the village blacksmith.”")),
    Story("skarv.test", "choir", "A choir of ship’s horns opens the autumn festival", "culture", "Jonas Vik", 6.5, 4,
          "Eleven ships, one conductor, and a tide table for a score.", (
        "The piece is called “Low Water”, lasts nineteen minutes, and can only be played twice a day. On Friday evening eleven ships lay at anchor in the bay and answered one another across the dark.",
        "The composer, Tuva Lie, wrote it for the horns that the captains had: two trawlers in B flat, a ferry slightly below D, a pilot boat that can only sneeze. The conductor stood on the breakwater with two lamps.",
        "Some hundred people had come with blankets and thermos flasks. By the end there were thousands, because the sound carries four kilometres and nobody stayed indoors.",
        "The festival goes on until the end of the month, with a puppet opera in the fish hall, readings on the night ferry, and a concert for which one has to bring one’s own chair.")),
    Story("fieldnotes.test", "sleep", "An hour of daylight does what a sleeping pill promises", "health", "Anna Reuter", 9.0, 5,
          "Morning light in the ward with the large windows.", (
        "Patients in beds by the window sleep forty minutes longer than those by the door. That is the result of a study that followed three thousand stays in six hospitals over two winters.",
        "The reason is not the view. Sensors on the wrist showed that those by the door received, in a whole day, less light than an office has at night. Their body clocks drifted, and with them the hours at which they were tired.",
        "When the researchers put lamps of daylight strength above half of the dark beds, the difference disappeared within three days, and the wards used a fifth fewer sleeping pills.",
        "“It is the cheapest medicine we have,” the authors write, “and the only one whose side effect is that people want to get up.”")),
    Story("meridian.test", "rail", "Night trains are full again, and short of beds", "business", "Paul Okafor", 11.0, 6,
          "The 22:14 to the south, shortly before departure.", (
        "Every bed on the night trains of this summer was sold by March. Railways that scrapped their sleeping cars a decade ago are now outbidding each other for the few that were left to rust.",
        "A new sleeping car costs two million and takes four years to deliver. So workshops have begun to gut old ones: new bogies, new wiring, and compartments in which one can stand upright.",
        "The sums are not simple. A carriage that carries eighty by day carries thirty at night. What makes it pay is that the train replaces both a flight and a hotel room, and that passengers have learned to compare the two.",
        "Three operators want to order together, so that a factory would build a hundred cars rather than ten. A decision is expected before winter.")),
    Story("skarv.test", "final", "Ninety minutes, one goal, and the fog that decided it", "sport", "Jonas Vik", 26.0, 7,
          "The far goal, as far as it could be seen.", (
        "Nobody in the main stand saw the goal. They saw the number nine run into the fog, heard the crossbar, and then saw her come back with her arms raised.",
        "The referee had stopped the final twice. At kick-off the far penalty area was a rumour; by half time it was gone. That the match was finished at all was due to eleven storm lanterns that the coastguard set along the touchline.",
        "Skarv had been the weaker side for an hour. Then a long ball, which no defender saw coming, dropped at the feet of Maren Holt. “I heard the keeper before I saw her,” she said.",
        "It is the first cup in the history of the club. It stands, for now, on the counter of the bakery.")),
    Story("elbbote.test", "deich", "Der Deich, der atmen darf", "science", "Hanne Petersen", 4.0, 1,
          "Das neue Vorland bei Ebbe.", (
        "Zwei Jahrhunderte lang wurde der Deich an der Elbe höher. In diesem Herbst ist er zum ersten Mal ein Stück zurückgewichen, um vierhundert Meter, und die Ingenieure nennen das einen Fortschritt.",
        "Auf der gewonnenen Fläche wächst Schilf. Bei jeder Flut legt sich dort eine dünne Schicht Schlick ab, im Jahr etwa zwei Zentimeter. Das Vorland steigt mit dem Meer, und je höher es liegt, desto weniger Kraft haben die Wellen, wenn sie den Deich erreichen.",
        "„Ein Deich, vor dem nichts ist, muss alles allein halten“, sagt die Planerin Wiebke Harms. „Einer mit Vorland hat einen Freund.“",
        "Die Messungen der ersten Sturmflut geben ihr recht: Die Wellen waren am neuen Deich um ein Drittel niedriger als am alten. Drei weitere Abschnitte sollen folgen.",
        "Kritik kommt von den Landwirten, die auf den Flächen Heu gemacht haben. Das Land hat ihnen Ersatz angeboten, allerdings zwölf Kilometer entfernt.")),
    Story("rivage.test", "librairie", "La librairie qui ne vend qu’un seul livre à la fois", "culture", "Camille Aubert", 8.0, 4,
          "La vitrine de la rue des Tanneurs, un mardi.", (
        "Chaque mardi, Odile Garnier retire de la vitrine de sa librairie l’unique titre qu’elle vend et le remplace par un autre. Le reste de la semaine, elle en parle.",
        "L’idée lui est venue d’une lassitude. « Les gens entraient, regardaient trois mille dos et repartaient avec celui qu’ils connaissaient déjà », raconte-t-elle. Désormais, ils entrent pour savoir.",
        "Le choix ne suit ni l’actualité ni les prix. Un traité sur les champignons a précédé un roman coréen, puis la réédition d’un manuel de navigation de 1911, dont elle a vendu deux cents exemplaires.",
        "Le soir, une dizaine de lecteurs restent autour du poêle. La librairie ne gagne pas beaucoup d’argent, dit-elle, mais elle n’en perd plus.")),
    Story("benthuyen.test", "cho-noi", "Chợ nổi tìm đường sống giữa những con đường mới", "business", "Nguyễn Thị Hạnh", 7.0, 6,
          "Ghe trái cây lúc năm giờ sáng.", (
        "Năm giờ sáng, khi sương còn phủ kín mặt sông, những chiếc ghe đầu tiên đã buông neo. Trên cây sào treo một trái khóm, một nải chuối, một trái bí: ai bán gì treo nấy, như cha ông họ đã làm hơn một trăm năm.",
        "Nhưng số ghe mỗi năm một ít. Từ khi có đường cao tốc, thương lái đi xe tải thẳng tới vườn, và con sông không còn là con đường ngắn nhất nữa.",
        "“Tôi sinh ra trên ghe, lấy chồng cũng trên ghe”, bà Sáu Lành nói trong lúc múc tô bún cho khách. “Bây giờ con tôi lên bờ hết rồi.”",
        "Thành phố vừa bắt đầu một chương trình giữ chợ: bến đậu miễn phí, điện nước, và một trường học cho trẻ em sống trên ghe. Hai mươi gia đình đã quay lại.")),
    Story("minato.test", "todai", "灯台守のいない灯台に、ふたたび灯がともる", "culture", "佐伯 みどり", 10.0, 5,
          "点灯の夜、岬に集まった人びと。", (
        "岬の灯台が光を失ってから七年がたつ。船は衛星で自分の位置を知るようになり、灯台は役目を終えたとされていた。",
        "それでも町の人びとは、夜の海が暗すぎると感じていた。漁師の妻たちが募金を始め、古いレンズを磨き、学生たちが新しい光源を組み立てた。",
        "土曜日の夜、四百人が岬に集まった。最初の光が海をなでたとき、誰も声を出さなかったという。",
        "「船のためではありません」と、会の代表は話す。「帰ってくる人のためです。」")),
    Story("almina.test", "sail", "سفينة شحن تعود إلى الشراع وتوفّر ثلث الوقود", "technology", "ليلى منصور", 12.0, 3,
          "السفينة عند خروجها من الميناء صباح الأحد.", (
        "غادرت السفينة الميناء صباح الأحد وعلى سطحها أربعة أشرعة صلبة ارتفاع كل منها سبعة وثلاثون متراً، تدور وحدها مع الريح من دون أن يمسّها أحد.",
        "تقول الشركة إن الأشرعة وفّرت في الرحلات التجريبية ثلث الوقود، وإن الرحلة عبر المحيط لم تتأخر سوى نصف يوم.",
        "ويرى المهندسون أن العودة إلى الريح ليست حنيناً إلى الماضي. فالوقود أغلى بند في رحلة السفينة، والريح لا تُشترى.",
        "ومن المقرر أن تُجهَّز خمس سفن أخرى بالأشرعة نفسها قبل نهاية العام المقبل.")),
)  # fmt: skip

_SKIES = (
    ((34, 48, 74), (222, 140, 96), (28, 38, 54)),
    ((150, 176, 196), (226, 232, 232), (52, 86, 104)),
    ((18, 62, 78), (120, 190, 176), (10, 40, 52)),
    ((232, 200, 150), (250, 236, 210), (120, 72, 48)),
    ((30, 24, 52), (150, 84, 110), (16, 14, 30)),
    ((246, 214, 170), (255, 244, 226), (150, 120, 96)),
    ((120, 150, 120), (222, 226, 196), (48, 74, 58)),
    ((176, 182, 188), (232, 234, 234), (92, 100, 106)),
)


@cache
def draw(scene: int, width: int = 960, height: int = 540) -> bytes:
    """A landscape as PNG: a sky, a low sun, hills one behind the other."""
    top, bottom, near = (np.array(colour, dtype=float) for colour in _SKIES[scene % len(_SKIES)])
    rows = np.linspace(0, 1, height)[:, None]
    picture = (top * (1 - rows) + bottom * rows)[:, None, :].repeat(width, axis=1)
    x = np.arange(width)
    sun = np.hypot(x[None, :] - width * (0.25 + 0.07 * scene), np.arange(height)[:, None] - height * 0.42)
    glow = np.clip(1 - sun / (height * 0.35), 0, 1)[..., None] ** 3
    picture += (255 - picture) * glow * 0.7
    picture[sun < height * 0.055] = np.minimum(bottom * 1.1 + 20, 255)
    for layer in range(5):
        share = (layer + 1) / 5
        ridge = height * (0.5 + 0.1 * layer) + sum(
            height * 0.045 / wave * np.sin(x / width * math.tau * wave * 1.3 + scene * 2.1 + layer * 1.7 * wave)
            for wave in (1, 2, 3, 5)
        )
        colour = bottom * (1 - share) * 0.9 + near * share
        picture[np.arange(height)[:, None] > ridge[None, :]] = colour
    return encode_png(np.clip(picture, 0, 255).astype(np.uint8))


def encode_png(pixels: "np.ndarray[tuple[int, int, int], np.dtype[np.uint8]]") -> bytes:
    height, width, _ = pixels.shape

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    lines = b"".join(b"\0" + row.tobytes() for row in pixels)
    head = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(lines, 6)) + chunk(b"IEND", b"")


def address(story: Story) -> str:
    return f"/{story.section}/{story.slug}"


def write_article(story: Story, paper: Paper) -> str:
    image = f'<figure><img src="/pictures/{story.scene}.png" width="960" height="540" alt="{escape(story.caption)}">'
    image += f"<figcaption>{escape(story.caption)}</figcaption></figure>"
    video = f'<video controls src="{story.video}.mp4" title="The eels turn"></video>' if story.video else ""
    first, second, *others = (f"<p>{escape(text)}</p>" for text in story.paragraphs)
    moment = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(published(story)))
    return f"""<!doctype html><html lang="{paper.language}"><head><title>{escape(story.title)} | {paper.title}</title>
<meta name="author" content="{story.author}"><meta property="og:image" content="/pictures/{story.scene}.png">
<meta property="article:published_time" content="{moment}"><meta property="article:section" content="{story.section}">
<link rel="alternate" type="application/rss+xml" href="/feed"></head><body>
<header><nav><a href="/">Home</a> <a href="/world">World</a> <a href="/sport">Sport</a></nav></header>
<main><article><h1>{escape(story.title)}</h1><p class="byline">{story.author}</p>{first}{image}{second}{video}
{"".join(others)}<img src="{PIXEL}" width="1" height="1" alt=""></article></main>
<aside><h2>Most read</h2><ul><li><a href="/a">Ferry fares rise again</a><li><a href="/b">Who painted the crane?</a></ul>
</aside><footer>© {paper.title}. <a href="/imprint">Imprint</a></footer></body></html>"""


def published(story: Story) -> float:
    return time.time() - story.hours * HOUR


def write_rss(paper: Paper, stories: list[Story], origin: str) -> str:
    items = "".join(
        f"<item><title>{escape(one.title)}</title><link>{origin}{address(one)}</link><guid>{one.slug}</guid>"
        f"<category>{one.section}</category><pubDate>{formatdate(published(one))}</pubDate>"
        f"<description>{escape(one.paragraphs[0])}</description></item>"
        for one in stories
    )
    return f"<rss version='2.0'><channel><title>{paper.title}</title><link>{origin}/</link>{items}</channel></rss>"


def write_atom(paper: Paper, stories: list[Story], origin: str) -> str:
    entries = "".join(
        f"<entry><title>{escape(one.title)}</title><link href='{origin}{address(one)}'/><id>{origin}/{one.slug}</id>"
        f"<category term='{one.section}'/><summary>{escape(one.paragraphs[0])}</summary>"
        f"<published>{time.strftime('%Y-%m-%dT%H:%M:%SZ', time.gmtime(published(one)))}</published></entry>"
        for one in stories
    )
    return f"<feed xmlns='http://www.w3.org/2005/Atom'><title>{paper.title}</title>{entries}</feed>"


async def send(writer: Writer, body: bytes | str, kind: str, status: str = "200 OK") -> None:
    data = body.encode() if isinstance(body, str) else body
    head = f"HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {len(data)}\r\nConnection: close\r\n\r\n"
    writer.write(head.encode() + data)
    await writer.drain()


def make_site(paper: Paper, stories: tuple[Story, ...] = STORIES) -> Site:
    own = [story for story in stories if story.paper == paper.host]
    pages = {address(story): story for story in own}

    async def answer(visit: Visit, writer: Writer) -> None:
        origin = f"http://{visit.headers.get('host', paper.host)}"
        if visit.path == "/feed":
            write = write_atom if paper.kind == "atom" else write_rss
            await send(writer, write(paper, own, origin), f"application/{paper.kind}+xml")
        elif visit.path in pages:
            await send(writer, write_article(pages[visit.path], paper), "text/html; charset=utf-8")
        elif visit.path.startswith("/pictures/"):
            await send(writer, draw(int(visit.path.rpartition("/")[2].removesuffix(".png"))), "image/png")
        elif visit.path == "/":
            link = '<link rel="alternate" type="application/rss+xml" href="/feed">'
            await send(writer, f"<!doctype html><title>{paper.title}</title>{link}<h1>{paper.title}</h1>", "text/html")
        else:
            await send(writer, "nothing here", "text/plain", "404 Not Found")

    return Site(paper.host, answer)


def make_web(stories: tuple[Story, ...] = STORIES) -> Web:
    """All papers; start it with `with`."""
    return Web([make_site(paper, stories) for paper in PAPERS])
