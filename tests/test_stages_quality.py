"""The rules of Gopher and C4: each at its bound, the n-grams against a plain count, languages other than English."""

import random
import time
from collections import Counter
from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bodytext.corpus.row import Row
from bodytext.corpus.stages.quality import RULES, Quality
from bodytext.corpus.stages.tokens import TextTokens, _classes
from example_counts import some_of
from kernel_twins import compiled, import_both, import_native, import_twin

# A text of eight sentences that keeps every rule.
GOOD = """The river rose by two metres during the night, and the old mill was the first to be cut off from the road.

Neighbours who had boats brought bread, milk and medicine to those that could not leave their houses before dawn.

"We have seen worse," says Anna Berg, who was born here in 1951. Her grandmother kept a mark on the kitchen wall.

By noon the water stood still; at four it began to fall. Volunteers with pumps are expected to arrive on Thursday.
Nobody was hurt. The bridge will be inspected next week, when engineers from the county have returned from leave."""

VIETNAMESE = """Sáng nay, hàng nghìn người dân thành phố đã đổ về khu phố cổ để dự lễ hội mùa thu.

Ban tổ chức cho biết các gian hàng năm nay bày bán nhiều món ăn truyền thống, từ bánh cuốn, phở bò đến chè sen.

Trẻ em được hướng dẫn làm đèn lồng và nặn tò he, còn người lớn tuổi ngồi nghe hát quan họ bên bờ hồ.

Theo dự báo thời tiết, trời sẽ tiếp tục nắng ráo đến hết tuần, nhiệt độ ban ngày khoảng hai mươi lăm độ.
Mọi người đều vui!"""

CHINESE = """昨天下午，市图书馆的新馆正式向读者开放，许多居民一大早就来排队。馆长说，新馆的面积是旧馆的三倍。

孩子们最喜欢的是二楼的阅览室，那里有很多图画书和地图。一位退休教师告诉记者，她每天都会来这里看报纸。

图书馆还为盲人准备了有声读物，并且在周末举办讲座。据介绍，下个月将有一个关于本地历史的展览，欢迎大家参观。"""

THAI = """เมื่อวานนี้ห้องสมุดประชาชนแห่งใหม่ได้เปิดให้บริการแล้ว มีผู้คนจำนวนมากมาเข้าแถวรอตั้งแต่เช้า ผู้อำนวยการกล่าวว่า
อาคารใหม่มีพื้นที่มากกว่าเดิมสามเท่าและมีที่นั่งห้าร้อยที่ เด็กชอบห้องอ่านหนังสือบนชั้นสองที่มีหนังสือภาพและแผนที่ของเมือง
ครูเกษียณคนหนึ่งบอกกับผู้สื่อข่าวว่าเธอจะมาอ่านหนังสือพิมพ์ที่นี่ทุกวัน เพราะที่บ้านเงียบเกินไป ในสัปดาห์หน้าจะมีการบรรยาย"""

KOREAN = """어제 오후 시립 도서관의 새 건물이 문을 열자 많은 주민이 아침 일찍부터 줄을 섰다.
관장은 새 건물이 예전보다 세 배 넓고 자리가 오백 개 있다고 말했다.
아이들은 그림책과 지도가 많은 이층 열람실을 가장 좋아했다.
한 퇴직 교사는 집이 너무 조용해서 날마다 여기에 와서 신문을 읽겠다고 기자에게 이야기했다.
도서관은 눈이 보이지 않는 사람을 위해 소리책도 마련했고 주말에는 강연을 연다."""

Kernel = Callable[[bytes, bytes, int], tuple[tuple[int, int, int, int, int], list[float]]]
LANGUAGES = [
    (GOOD, "en"),
    (VIETNAMESE, "vi"),
    (CHINESE, "zh"),
    (THAI, "th"),
    (KOREAN, "ko"),
    (GOOD, ""),
]


def judge(text: str, rules: str, language: str = "en") -> Row:
    (row,) = Quality(rules)(iter([Row(text=text, language=language)]))
    return row


@pytest.mark.parametrize(
    ("text", "language"), LANGUAGES, ids=[language or "none" for _, language in LANGUAGES]
)
def test_good_text_is_kept_unchanged(text: str, language: str) -> None:
    row = judge(text, "gopher,c4", language)
    assert (row.dropped, row.text) == ("", text)


def words(seed: int, count: int) -> list[str]:
    chance = random.Random(seed)
    return ["".join(chance.choices("abcdefghij", k=5)) for _ in range(count)]


MANY = words(1, 200)
BROKEN = [
    ("gopher-words", " ".join(MANY[:49]), "49.00"),
    ("gopher-word-length", " ".join(["ab"] * 60), "2.00"),
    ("gopher-word-length", " ".join(["abcdefghijk"] * 60), "11.00"),
    ("gopher-symbols", " ".join(MANY[:90] + ["#tag"] * 11), "0.11"),
    ("gopher-symbols", " ".join(MANY[:90] + ["wait..."] * 6 + ["so…"] * 5), "0.11"),
    ("gopher-bullets", "\n".join(["• " + word for word in MANY[:19]] + MANY[19:20]), "0.95"),
    ("gopher-ellipses", "\n".join([word + "..." for word in MANY[:4]] + MANY[4:10]), "0.40"),
    ("gopher-letters", " ".join(MANY[:70] + ["2026"] * 15 + ["—"] * 15), "0.70"),
    ("gopher-stop-words", "The " + " ".join(MANY), "1.00"),
    ("gopher-duplicate-lines", "\n".join(MANY[:6] + MANY[:4]), "0.40"),
    ("gopher-duplicate-paragraphs", "\n\n".join(MANY[:6] + MANY[:4]), "0.40"),
    (
        "gopher-duplicate-line-characters",
        "\n".join(["long " * 10, "long " * 10, *MANY[:20]]),
        "0.25",
    ),
    (
        "gopher-duplicate-paragraph-characters",
        "\n\n".join(["long " * 10, "long " * 10, *MANY[:20]]),
        "0.25",
    ),
    ("gopher-top-2-gram", " ".join(MANY[:60] + ["aa", "bb"] * 60), "0.44"),
    ("gopher-top-3-gram", " ".join(MANY[:60] + ["aa", "bb", "cc"] * 40), "0.44"),
    ("gopher-top-4-gram", " ".join(MANY[:60] + ["aa", "bb", "cc", "dd"] * 30), "0.44"),
    ("gopher-duplicate-5-grams", " ".join(MANY[:40] + MANY[:10]), "0.20"),
    ("gopher-duplicate-6-grams", " ".join(MANY[:40] + MANY[:10]), "0.20"),
    ("gopher-duplicate-7-grams", " ".join(MANY[:40] + MANY[:10]), "0.20"),
    ("gopher-duplicate-8-grams", " ".join(MANY[:40] + MANY[:10]), "0.20"),
    ("gopher-duplicate-9-grams", " ".join(MANY[:40] + MANY[:10]), "0.20"),
    ("gopher-duplicate-10-grams", " ".join(MANY[:40] + MANY[:10]), "0.20"),
    ("c4-lorem-ipsum", GOOD + " Lorem ipsum dolor.", "1.00"),
    ("c4-curly-brackets", GOOD + " {", "1.00"),
    ("c4-sentences", "One. Two! Three? Four.", "4.00"),
    ("c4-terminal-punctuation", "A heading\nAnother heading", "no line is left of 2"),
    ("c4-line-words", "Too short.\nThree words suffice.", ""),
    ("c4-javascript", "Please enable JavaScript to read this.", "no line is left of 1"),
    ("c4-policies", "This site uses cookies to work.", "no line is left of 1"),
]


@pytest.mark.parametrize(("rule", "text", "figure"), BROKEN, ids=[rule for rule, _, _ in BROKEN])
def test_a_broken_rule_is_named_with_its_figure(rule: str, text: str, figure: str) -> None:
    expected = f"quality {rule}: {figure}" if figure else ""
    assert judge(text, rule).dropped == expected
    assert judge(text, f"gopher,c4,-{rule}").dropped != expected or not expected


def test_every_rule_is_tested() -> None:
    assert {rule for rule, _, _ in BROKEN} == set(RULES)


def test_c4_removes_lines() -> None:
    text = (
        "Menu and heading\n\n"
        + GOOD
        + "\n\nAll rights. Terms of Use apply to this page.\nShort.\nEnable Javascript now, please, dear reader."
    )
    row = judge(text, "c4")
    assert row.text == GOOD
    assert judge(GOOD + "\nand so on and so forth...", "c4").text == GOOD


def test_rules_fit_the_language() -> None:
    spaced_syllables = " ".join(["ta", "bé", "nó", "lá"] * 20)
    assert judge(spaced_syllables, "gopher-word-length", "vi").dropped == ""
    assert (
        judge(spaced_syllables, "gopher-word-length", "en").dropped
        == "quality gopher-word-length: 2.00"
    )
    assert judge(VIETNAMESE, "gopher-stop-words", "en").dropped == "quality gopher-stop-words: 0.00"
    terse = "Uỷ ban nhân dân tỉnh sáng 5/10 khánh thành cầu mới. Cầu dài 600 m, khởi công từ năm 2020. Khách sẽ đông."
    assert judge(terse, "gopher-stop-words", "vi").dropped == ""
    # No stop words are known: the rule is off
    assert judge(CHINESE, "gopher-stop-words", "tlh").dropped == ""
    assert judge(THAI, "c4-sentences", "th").dropped == ""
    assert judge("हाँ। नहीं। शायद। कल। आज।", "c4-sentences", "hi").dropped == ""
    assert judge("هل هذا صحيح؟ نعم. حسنا! لا. أين؟", "c4-sentences", "ar").dropped == ""


def test_headings_of_markdown_are_no_symbols() -> None:
    assert judge("### Heading\n\nfour words of text\n" * 20, "gopher-symbols").dropped == ""
    assert (
        judge("#tag ## and #more here\n" * 20, "gopher-symbols").dropped
        == "quality gopher-symbols: 1.00"
    )


def test_a_choice_of_rules() -> None:
    assert Quality("").names == ()
    assert Quality("c4-sentences, gopher-words").names == ("c4-sentences", "gopher-words")
    assert Quality("gopher,-gopher").names == ()
    assert len(Quality("gopher,c4").names) == len(RULES)
    assert judge("x", "").dropped == ""


def count_top(tokens: list[str], size: int) -> float:
    """The same as `top_share`, one n-gram after another."""
    counts = Counter(tuple(tokens[start : start + size]) for start in range(len(tokens) - size + 1))
    most = max(counts.values(), default=0)
    if most < 2:
        return 0.0
    longest = max(sum(map(len, gram)) for gram, count in counts.items() if count == most)
    return most * longest / sum(map(len, tokens))


def count_repeated(tokens: list[str], size: int) -> float:
    seen: set[tuple[str, ...]] = set()
    covered: set[int] = set()
    for start in range(len(tokens) - size + 1):
        gram = tuple(tokens[start : start + size])
        if gram in seen:
            covered.update(range(start, start + size))
        seen.add(gram)
    return sum(len(tokens[place]) for place in covered) / max(1, sum(map(len, tokens)))


KERNELS: list[Kernel] = [module.measure_grams for module in import_both("ngrams")]
ANY_TEXT = st.text(
    alphabet=st.one_of(st.characters(), st.sampled_from(" \n.,ab1éé½漢かไท\ud800😀𠀀\u0301")),
    max_size=60,
)


@pytest.mark.slow
@pytest.mark.parametrize("kernel", KERNELS)
@settings(max_examples=some_of(300), deadline=None)
@given(tokens=st.lists(st.sampled_from(["a", "bb", "ccc", "d", "eé"]), max_size=40))
def test_n_grams_agree_with_a_plain_count(kernel: Kernel, tokens: list[str]) -> None:
    counts, shares = kernel(" ".join(tokens).encode("utf-32-le"), _classes(), 7)
    assert counts == (len(tokens), len(tokens), len(tokens), 0, sum(map(len, tokens)))
    for size, share in enumerate(shares, 2):
        wanted = count_top(tokens, size) if size <= 4 else count_repeated(tokens, size)
        assert share == pytest.approx(wanted)
        if size > 2:
            assert TextTokens(" ".join(tokens)).share_of_grams(size) == pytest.approx(wanted)


@compiled
@settings(max_examples=some_of(400), deadline=None)
@given(ANY_TEXT.map(lambda text: text * 3), st.integers(0, 2**64 - 1))
def test_both_kernels_agree_on_text(text: str, seed: int) -> None:
    codes = text.encode("utf-32-le", "surrogatepass")
    native = import_native("ngrams").measure_grams(codes, _classes(), seed)
    twin = import_twin("ngrams").measure_grams(codes, _classes(), seed)
    assert native[0] == twin[0]
    assert native[1] == pytest.approx(twin[1])


def test_a_wrong_table_is_refused() -> None:
    for kernel in KERNELS:
        with pytest.raises(ValueError, match="a class is needed"):
            kernel(b"", b"", 0)


HOSTILE = {
    "one word": "x" * 3_000_000,
    "one letter words": "x " * 1_000_000,
    "lines": "\n" * 2_000_000 + "x",
    "short lines": "a.\n" * 100_000,
    "brackets and stops": ".…!?" * 500_000,
    "quotes after stops": '."' + '"' * 2_000_000,
    "Han": "漢" * 1_000_000,
    "marks": "e\u0301" * 700_000,
}


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
def test_time_is_linear_in_the_text(text: str) -> None:
    def spend(part: str) -> float:
        started = time.process_time()
        judge(part, "gopher,c4")
        return time.process_time() - started

    small, large = spend(text[: len(text) // 8]), spend(text)
    assert large < 30 * small + 0.5
