"""The audit of structure: what counts as torn, bare, dangling, a gap or an island; and its report."""

from pathlib import Path

import numpy as np
import pytest

from bodytext.cli import main
from bodytext.page.parser import parse
from bodytext.studio.evaluation.structure_audit import audit_structure, to_markdown
from bodytext.studio.evaluation.structure_faults import inspect_answer

PROSE = "<p>The ferry left at dawn with nine passengers and the post."
TABLE = "<table><tr><th>Port<th>Leaves<tr><td>Lomvi<td>16:55<tr><td>Skarv<td>17:20</table>"
LIST = "<ul><li>Two men of Lomvi<li>A cook with a boy</ul>"


def inspect(html: str, kept: str) -> list[str]:
    """Return the names of what is found; `kept` has a k for each kept block, a dot for others."""
    page = parse(html)
    assert len(page) == len(kept)
    found = inspect_answer(page, np.array([letter == "k" for letter in kept]))
    return [finding.name for finding in found]


def test_tables_and_lists_are_torn_or_whole() -> None:
    assert inspect(PROSE + TABLE, "kkk..kk") == ["torn tables"]
    assert inspect(PROSE + TABLE, "kkkkkkk") == ["whole tables"]
    assert inspect(PROSE + LIST, "kk.") == ["torn lists"]
    assert inspect(PROSE + LIST, "kkk") == ["whole lists"]
    assert inspect(PROSE + TABLE, "k......") == inspect(PROSE + LIST, "k..") == []


def test_a_layout_table_is_not_torn() -> None:
    layout = (
        f"<table><tr><td><p>Menu<p>Home<p>About<td>{PROSE}<tr><td><p>Terms<p>Imprint<td>End</table>"
    )
    assert inspect(layout, "...k...") == []


def test_what_nobody_sees_is_not_missing() -> None:
    hidden = "<ul><li>Two men<li>A cook<li hidden>A stowaway<li><button>Hire</button></ul>"
    assert inspect(PROSE + hidden, "kkk..") == ["whole lists"]


def test_a_heading_needs_kept_text_in_its_section() -> None:
    page = f"<h1>Ferry</h1>{PROSE}<h2>Eels</h2>{PROSE}<h3>Big</h3>{PROSE}"
    assert inspect(page, "kkk.k.") == ["headings without text"] * 2
    assert inspect(page, "kkk.kk") == inspect(page, "kk....") == []
    assert inspect(f"<h2>Crew</h2>{LIST}{PROSE}", "k..k") == []
    assert inspect(f"<h2>Crew</h2>{LIST}<h2>Post</h2>{PROSE}", "k..kk") == ["headings without text"]


def test_a_heading_over_a_mere_link_is_not_bare() -> None:
    link = "<p><a href=/eels>Read more about the eels of the bay</a>"
    assert inspect(f"<h2>Eels</h2>{link}<h2>Ferry</h2>{PROSE}", "k.kk") == []


def test_a_lead_in_needs_one_of_the_next_blocks() -> None:
    assert inspect(f"{PROSE}<p>They sent:<p>Eels<p>Crates<p>Post{PROSE}", "kk...k") == [
        "lead-ins without sequel"
    ]
    assert inspect(f"{PROSE}<p>They sent:<p>Eels<p>Crates<p>Post{PROSE}", "kk..kk") == []
    assert inspect(f"{PROSE}<p>They sent\uff1a<p>Eels", "kk.") == ["lead-ins without sequel"]
    assert inspect(f"{PROSE}<p>And then:", "kk") == []


def test_a_gap_is_one_block_among_its_like() -> None:
    assert inspect(PROSE * 7, "kkk.kkk") == ["gaps"]
    assert inspect(PROSE * 7, "kk..kkk") == []
    link = "<p><a href=/eels>Read more about the eels of the bay</a>"
    assert inspect(PROSE * 3 + link + PROSE * 3, "kkk.kkk") == []
    assert inspect(PROSE * 3 + "<div>Advertisement</div>" + PROSE * 3, "kkk.kkk") == []


def test_an_island_is_small_and_far() -> None:
    assert inspect(PROSE * 40, "k" * 12 + "." * 27 + "k") == ["islands"]
    assert inspect(PROSE * 40, "k" * 20 + "." * 19 + "k") == []


def test_an_empty_answer_has_no_faults() -> None:
    assert inspect(PROSE + TABLE, ".......") == []


@pytest.mark.slow
def test_pages_without_labels_are_audited(tmp_path: Path) -> None:
    folder = tmp_path / "pages"
    folder.mkdir()
    for number in range(2):
        page = f"<title>Ferry</title><h1>Ferry</h1>{PROSE * 9}{TABLE}<p>{number}"
        (folder / f"{number}.html").write_text(page, "utf-8")
    audit = audit_structure(folder, tmp_path / "predictions", ["learned"])
    assert audit.pages == 2
    assert list(audit.counts) == ["learned", "learned, by its text"]
    assert audit.counts["learned"]["torn tables"] == 0
    assert audit.counts["learned"]["answers"] == 2
    assert "| learned " in to_markdown(audit, "bodytext evaluate structure pages")


@pytest.mark.slow
def test_the_command_writes_a_report(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / "pages"
    folder.mkdir()
    (folder / "a.html").write_text(f"<h1>Ferry</h1>{PROSE * 3}", "utf-8")
    options = ["--systems", "learned", "--predictions", str(tmp_path / "p")]
    report = tmp_path / "out"
    command = ["evaluate", "structure", str(folder), *options, "--report", str(report)]
    assert main(command) == 0
    assert (report / "pages.md").read_text("utf-8") == capsys.readouterr().out.removesuffix("\n")


def test_a_folder_without_pages_is_named(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="is not a labelled set"):
        audit_structure(tmp_path, tmp_path)
