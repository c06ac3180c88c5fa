"""Check that a text is TEI as we write it, by `tei.dtd`, with the line of each fault."""

from functools import cache
from importlib.resources import files

from bodytext.output.dtd import ElementRule, XmlCheck, read_dtd

NAMESPACE = "http://www.tei-c.org/ns/1.0"


def check_tei(text: str) -> list[str]:
    """Return what is wrong with a TEI document, in words; nothing if all is well."""
    problems = XmlCheck(_read_rules(), "TEI").run(text)
    if not problems and f'xmlns="{NAMESPACE}"' not in text[:400]:
        return [f'the first element has no xmlns="{NAMESPACE}"']
    return problems


@cache
def _read_rules() -> dict[str, ElementRule]:
    return read_dtd(files(__package__).joinpath("tei.dtd").read_text("utf-8"))
