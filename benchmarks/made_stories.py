"""Generate news: stories in five languages, each reported by several sources in their own words.

There are four kinds of events. For each kind and language, `made_stories.txt` has five facts, each worded in three
ways, and three headlines. A story is an event with names and numbers of its own, and a source reports three to
five of its facts, the lead first, each in one of the wordings. So two sources of one story share its names and
numbers and now and then a sentence, but no more words than two articles about different events of that kind, which
must not be grouped. All names are invented.
"""

import random
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

LANGUAGES = ("en", "de", "es", "ru", "zh")
DAY = 24 * 3600
START = 1_760_000_000  # an October day in 2025

# As they are written in Latin letters, in Russian and in Chinese.
PLACES = (
    ("Orvanto", "Орванто", "奥尔万托"), ("Kelmira", "Кельмира", "凯尔米拉"), ("Tassavia", "Тассавия", "塔萨维亚"),
    ("Brundale", "Брундейл", "布伦代尔"), ("Yorivka", "Йоривка", "约里夫卡"), ("Quendoza", "Кендоса", "肯多萨"),
    ("Lintorp", "Линторп", "林托普"), ("Marebo", "Маребо", "马雷博"), ("Vastheim", "Вастхайм", "瓦斯海姆"),
    ("Duranka", "Дуранка", "杜兰卡"), ("Elsport", "Элспорт", "埃尔斯波特"), ("Pirolles", "Пироль", "皮罗勒"),
    ("Sankomo", "Санкомо", "桑科莫"), ("Gravnik", "Гравник", "格拉夫尼克"), ("Ubertal", "Уберталь", "于贝尔塔尔"),
    ("Nolimar", "Нолимар", "诺利马尔"),
)  # fmt: skip
PEOPLE = (
    ("Mira Kostan", "Мира Костан", "米拉·科斯坦"), ("Jonas Ferrel", "Йонас Феррел", "约纳斯·费雷尔"),
    ("Adela Brunt", "Адела Брунт", "阿德拉·布伦特"), ("Tomas Veldu", "Томас Велду", "托马斯·维尔杜"),
    ("Irina Salgan", "Ирина Салган", "伊琳娜·萨尔甘"), ("Paul Renwig", "Пауль Ренвиг", "保罗·伦维格"),
    ("Carla Domive", "Карла Домиве", "卡拉·多米韦"), ("Henrik Asmul", "Хенрик Асмуль", "亨里克·阿斯穆尔"),
    ("Noor Bahdari", "Нур Бахдари", "努尔·巴达里"), ("Lena Crosk", "Лена Кроск", "莱娜·克罗斯克"),
    ("Viktor Elmanz", "Виктор Эльманц", "维克托·埃尔曼茨"), ("Sofia Turrel", "София Туррель", "索菲亚·图雷尔"),
    ("Emil Garvo", "Эмиль Гарво", "埃米尔·加尔沃"), ("Dana Whitlor", "Дана Уитлор", "达娜·惠特洛"),
    ("Oskar Pline", "Оскар Плайн", "奥斯卡·普莱恩"), ("Rosa Ebanks", "Роса Эбанкс", "罗莎·埃班克斯"),
)  # fmt: skip
NAMES = (
    ("Helvora", "Хельвора", "赫尔沃拉"), ("Zentrak", "Зентрак", "曾特拉克"), ("Bluemere", "Блумир", "布卢米尔"),
    ("Ostwin", "Оствин", "奥斯特温"), ("Caligo", "Калиго", "卡利戈"), ("Rapidor", "Рапидор", "拉皮多尔"),
    ("Nordlux", "Нордлюкс", "诺德卢克斯"), ("Tervana", "Тервана", "特瓦纳"), ("Solimex", "Солимекс", "索利梅克斯"),
    ("Avenor", "Авенор", "阿韦诺尔"), ("Kintaro", "Кинтаро", "金太罗"), ("Doverin", "Доверин", "多韦林"),
    ("Pallas", "Паллас", "帕拉斯"), ("Corvane", "Корван", "科尔瓦内"), ("Ilmatec", "Ильматек", "伊尔马泰克"),
    ("Fenwick", "Фенвик", "芬威克"),
)  # fmt: skip

Ways = tuple[str, ...]
Facts = tuple[Ways, ...]  # the first are headlines, the second are leads


class StoryReport(NamedTuple):
    """The article of a source about a story."""

    story: int
    language: str
    title: str
    text: str
    published: int


@cache
def read_texts() -> dict[tuple[str, str], Facts]:
    """Read the facts of each kind of event and language."""
    facts: dict[tuple[str, str], Facts] = {}
    for part in Path(__file__).with_suffix(".txt").read_text("utf-8").split("# ")[1:]:
        head, _, body = part.partition("\n")
        kind, language = head.split()
        facts[kind, language] = tuple(
            tuple(fact.split("\n")) for fact in body.strip().split("\n\n")
        )
    return facts


def make_reports(stories: int, sources: int, seed: int = 0) -> list[StoryReport]:
    """Make stories within a week, each reported by some sources in each language, in the order of time."""
    chance = random.Random(seed)
    reports: list[StoryReport] = []
    texts = read_texts()
    kinds = sorted({kind for kind, _ in texts})
    for story in range(stories):
        event = _make_event(chance)
        kind = kinds[story % len(kinds)]
        moment = START + chance.randrange(7 * DAY)
        for language in LANGUAGES:
            for _ in range(chance.randint(1, sources)):
                title, text = _write_report(texts[kind, language], _write(event, language), chance)
                reports.append(
                    StoryReport(story, language, title, text, moment + chance.randrange(DAY))
                )
    return sorted(reports, key=lambda report: report.published)


Event = dict[str, tuple[str, str, str]]


def _make_event(chance: random.Random) -> Event:
    place, other = chance.sample(PLACES, 2)
    person, other_person = chance.sample(PEOPLE, 2)
    firm, target = chance.sample(NAMES, 2)
    numbers = {
        "size": f"{chance.randint(55, 79) / 10}", "dead": str(chance.randint(11, 480)),
        "hurt": str(chance.randint(500, 4999)), "sum": str(chance.randint(2, 98)),
        "jobs": str(chance.randint(300, 9900)),
        "score": f"{chance.randint(2, 5)}:{chance.randint(0, 1)}", "minute": str(chance.randint(2, 89)),
        "fans": str(chance.randint(9000, 88000)), "years": str(chance.randint(3, 19)),
        "witnesses": str(chance.randint(20, 190)),
    }  # fmt: skip
    names = {"place": place, "other": other, "person": person, "other_person": other_person, "firm": firm,
             "target": target}  # fmt: skip
    return names | {name: (number, number, number) for name, number in numbers.items()}


def _write(event: Event, language: str) -> dict[str, str]:
    form = {"ru": 1, "zh": 2}.get(language, 0)
    return {name: forms[form] for name, forms in event.items()}


def _write_report(facts: Facts, values: dict[str, str], chance: random.Random) -> tuple[str, str]:
    headline, lead, *others = facts
    chosen = [lead, *chance.sample(others, chance.randint(2, len(others)))]
    sentences = [chance.choice(ways).format(**values) for ways in chosen]
    return chance.choice(headline).format(**values), "\n\n".join(_join(sentences))


def _join(sentences: list[str]) -> Iterator[str]:
    """Join sentences into paragraphs of two."""
    for at in range(0, len(sentences), 2):
        yield " ".join(sentences[at : at + 2])
