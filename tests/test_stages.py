"""Stages: every row passes once and in order, drops have reasons, and dropped rows stay as they are."""

import copy
import json
import os
import pickle
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bodytext.corpus import stages
from bodytext.corpus.row import Row
from bodytext.corpus.stages import STAGES, build_stages, collect_options, collect_reasons
from bodytext.corpus.stages.confidence import Confidence
from bodytext.corpus.stages.language import Language
from bodytext.corpus.stages.length import Length
from bodytext.corpus.stages.normalisation import Normalisation
from bodytext.corpus.stages.quality import Quality
from bodytext.corpus.stages.stage import Stage, option
from bodytext.corpus.stages.tokens import TextTokens
from bodytext.kernel.words import measure
from corpora import make_page

VALUES = {
    "tones": "new",
    "words": 5,
    "confidence": 0.5,
    "languages": ("vi",),
    "quality": "gopher,c4",
}
DEFAULTS = {name: choice.default for name, choice in collect_options(STAGES.values()).items()}
EVERY_STAGE = build_stages(STAGES.values(), DEFAULTS | VALUES)
ENGLISH = "The council met on Monday and said that the bridge, which is closed, will be open to traffic with some delay. "

texts = st.one_of(
    st.text(max_size=300),
    st.lists(st.sampled_from(["và", "the", "的", "#", "...", "\n"])).map(" ".join),
)
DOCS = Path(__file__).parent.parent / "docs" / "stages.md"
rows = st.builds(
    Row,
    text=texts,
    title=st.text(max_size=20),
    confidence=st.one_of(st.none(), st.floats(0, 1)),
    dropped=st.sampled_from(["", "", "empty: no text"]),
    error=st.sampled_from(["", "", "took too long: 30 s"]),
)


@pytest.mark.slow
@pytest.mark.parametrize("stage", EVERY_STAGE, ids=lambda stage: stage.name)
@settings(max_examples=60, deadline=None)
@given(given_rows=st.lists(rows, max_size=8))
def test_every_row_passes_once_and_in_order(stage: Stage, given_rows: list[Row]) -> None:
    before = copy.deepcopy(given_rows)
    after = list(stage(iter(given_rows)))
    assert [id(row) for row in after] == [id(row) for row in given_rows]
    for old, new in zip(before, after, strict=True):
        if not old.kept:
            assert new == old
        assert (new.url, new.source, new.offset, new.error) == (
            old.url,
            old.source,
            old.offset,
            old.error,
        )
        if new.dropped != old.dropped:
            name, colon, _ = new.dropped.partition(": ")
            reason = next(reason for reason in stage.reasons if name.startswith(reason.name))
            assert colon
            assert name == reason.name or reason.has_rules


@pytest.mark.parametrize("stage", EVERY_STAGE, ids=lambda stage: stage.name)
def test_stages_are_lazy_and_can_be_pickled(stage: Stage) -> None:
    taken = []

    def source() -> Iterator[Row]:
        for number in range(3):
            taken.append(number)
            yield Row(text=ENGLISH * 5, confidence=0.9)

    moved: Stage = pickle.loads(pickle.dumps(stage))  # noqa: S301 - our own
    first = next(moved(source()))
    assert taken == [0]
    assert first == next(iter(stage(iter([Row(text=ENGLISH * 5, confidence=0.9)]))))


def drop(stage: Stage, row: Row) -> str:
    (after,) = stage(iter([row]))
    return after.dropped


def test_too_short() -> None:
    assert drop(Length(5), Row(text="one two three - four")) == "too short: 4 words"
    assert drop(Length(5), Row(text="one two three four five")) == ""
    assert drop(Length(1), Row(text="— …")) == "too short: 0 words"
    assert drop(Length(2), Row(text="word")) == "too short: 1 word"
    assert drop(Length(4), Row(text="你好世界再見朋友")) == ""
    assert drop(Length(0), Row(text="")) == ""
    assert drop(Length(50), Row(text="w" * 10_000)) == "too short: 1 word"
    assert drop(Length(50), Row(text="a" * 40 + " b" * 49)) == ""


def test_low_confidence() -> None:
    assert drop(Confidence(0.5), Row(text="x", confidence=0.314)) == "low confidence: 0.31"
    assert drop(Confidence(0.5), Row(text="x", confidence=0.5)) == ""
    assert drop(Confidence(0.5), Row(text="x", confidence=None)) == ""


@pytest.mark.parametrize(
    ("build", "message"),
    [
        (lambda: Length(-1), "0 keeps texts of every length"),
        (lambda: Confidence(1.5), "between 0 and 1"),
        (lambda: Normalisation("both"), "there are old and new"),
        (
            lambda: Quality("gopher,good"),
            "'good' is not a quality rule; choose from: gopher, c4, gopher-words",
        ),
        (lambda: Language(("klingon",)), "'klingon' is not a language that can be recognised"),
        (lambda: Language(("vn",)), "vn is a country; its language is vi"),
    ],
)
def test_wrong_options_are_refused_when_the_stage_is_made(build: object, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        build()  # type: ignore[operator]


@given(st.text(alphabet=st.sampled_from("ab1 \n\t—,.!é한½\u3000\xa0"), max_size=80))
def test_words_are_counted_as_in_the_kernel(text: str) -> None:
    assert TextTokens(text).words == measure(text)[0]
    assert TextTokens(text).pieces == len(text.split())
    assert TextTokens(text).characters == sum(map(len, text.split()))


def test_tokens() -> None:
    """Xin chào 你好 世界 ， 再見 - 12 สวัส ดีคร ับ x: words are all but the comma and the dash."""
    tokens = TextTokens("Xin chào 你好世界，再見 - 12\n\nสวัสดีครับ\n x ")
    assert (tokens.pieces, tokens.words, tokens.lettered, tokens.is_spaced) == (12, 10, 9, False)
    assert tokens.lines == ["Xin chào 你好世界，再見 - 12", "สวัสดีครับ", "x"]
    assert tokens.paragraphs == ["Xin chào 你好世界，再見 - 12", "สวัสดีครับ\n x"]
    assert TextTokens("Tôi thích đi 東京 lắm").is_spaced is True


# The table of stages


def test_every_stage_is_registered() -> None:
    """Every module with a stage has a line in the table."""
    modules = [f"{stages.__name__}.{module.name}" for module in iter_modules(stages.__path__)]
    classes = [
        value
        for module in modules
        for value in vars(import_module(module)).values()
        if isinstance(value, type)
    ]
    own = {
        f"{kind.__module__}:{kind.__name__}"
        for kind in classes
        if issubclass(kind, Stage) and kind is not Stage
    }
    assert own == set(STAGES.own.values())
    assert all(STAGES[name].name == name for name in STAGES.own)


def test_rows_go_through_the_stages_by_position() -> None:
    names = [stage.name for stage in EVERY_STAGE]
    published = ["normalisation", "length", "confidence", "language", "quality"]
    assert [name for name in names if name in published] == published
    assert len({stage.position for stage in EVERY_STAGE}) == len(EVERY_STAGE)


def test_each_stage_describes_itself() -> None:
    for stage in STAGES.values():
        assert stage.description
        assert "\n" not in stage.description
        assert all(json.loads(json.dumps(choice.default)) is not None for choice in stage.options())
    reasons = [reason.name for reason in collect_reasons()]
    assert len(set(reasons)) == len(reasons)
    assert {"too short", "low confidence", "wrong language", "quality"} <= set(reasons)


def test_the_documentation_lists_the_stages() -> None:
    lines = DOCS.read_text("utf-8").splitlines()
    cells = [
        [cell.strip() for cell in line.strip("|").split("|")]
        for line in lines
        if line.startswith("| ")
    ]
    names = [row[0] for row in cells]
    documented = [name for name in names if name in STAGES]
    assert documented == [stage.name for stage in EVERY_STAGE], (
        "docs/stages.md needs a line for each stage, in order"
    )
    for stage in EVERY_STAGE:
        _, options, reasons, *_ = cells[names.index(stage.name)]
        assert all(f"`--{choice.flag} " in options for choice in stage.options())
        assert all(f"`{reason.name}" in reasons for reason in stage.reasons)
        assert stage.reasons or reasons == "never"


def test_two_stages_cannot_share_an_option() -> None:
    @dataclass(frozen=True)
    class Other(Stage):
        name = "other"
        words: int = option(3, "words of another kind")

    with pytest.raises(
        ValueError, match="the stage other has an option 'words', as another stage has; rename it"
    ):
        collect_options([Length, Other])


PLUGIN = '''
"""A package that adds a stage."""

from dataclasses import dataclass

from bodytext.corpus.stages.stage import DropReason, Stage, option


@dataclass(frozen=True)
class Forbidden(Stage):
    """Drop texts with a forbidden word."""

    name = "forbidden"
    description = "drops texts with a forbidden word"
    position = 25
    reasons = (DropReason("forbidden word", details="forbidden_words"),)

    forbidden: str = option("river", "the forbidden word", metavar="WORD")
    any_case: bool = option(False, "also in capitals", flag="any-case")

    def inspect(self, row):
        text = row.text.lower() if self.any_case else row.text
        if self.forbidden in text:
            row.dropped = f"forbidden word: {self.forbidden}"
'''


@pytest.fixture
def plugin(tmp_path: Path) -> Path:
    """A folder with an installed package that adds a stage."""
    folder = tmp_path / "plugins"
    information = folder / "forbidden-1.0.dist-info"
    information.mkdir(parents=True)
    (folder / "forbidden_words.py").write_text(PLUGIN, "utf-8")
    (information / "METADATA").write_text(
        "Metadata-Version: 2.1\nName: forbidden\nVersion: 1.0\n", "utf-8"
    )
    (information / "entry_points.txt").write_text(
        "[bodytext.stages]\nforbidden = forbidden_words:Forbidden\n", "utf-8"
    )
    return folder


@pytest.mark.slow
def test_a_stage_of_another_package(plugin: Path, tmp_path: Path) -> None:
    """It has an option on the command line, a place in run.json, and its reason in the report."""
    for number in range(4):
        (tmp_path / f"{number}.html").write_bytes(make_page(number))
    environment = os.environ | {"PYTHONPATH": str(plugin)}

    def run(*words: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "bodytext", "corpus", *words]
        return subprocess.run(command, env=environment, capture_output=True, text=True, check=False)

    pages = [str(tmp_path / f"{number}.html") for number in range(4)]
    build = [
        "build",
        *pages,
        "--quality",
        "none",
        "--words",
        "1",
        "--workers",
        "1",
        "-o",
        str(tmp_path / "out"),
    ]
    done = run(*build, "--forbidden", "this is page 3", "--any-case")
    assert done.returncode == 0, done.stderr
    assert "dropped: forbidden word" in done.stdout
    report = json.loads((tmp_path / "out" / "report.json").read_text("utf-8"))
    assert report["forbidden_words"] == {"this is page 3": 1}
    spec = report["run"]["order"]
    assert (spec["forbidden"], spec["words"]) == ("this is page 3", 1)
    assert spec["any_case"] is True
    assert spec["stages"][-1] == "forbidden"
    assert "forbidden drops texts with a forbidden word" in " ".join(
        run("build", "--help").stdout.split()
    )
    refused = run(*build)
    assert refused.returncode == 2
    assert "forbidden was 'this is page 3', is now 'river'" in refused.stderr
