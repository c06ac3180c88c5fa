"""Check that a text is TEI as we write it, by `tei.dtd`, with the line of each fault."""

from importlib.resources import files

NAMESPACE = "http://www.tei-c.org/ns/1.0"
MOST_PROBLEMS = 20


def check_tei(text: str) -> list[str]:
    """Return what is wrong with a TEI document, in words; nothing if all is well. This needs lxml."""
    try:
        from lxml import etree
    except ImportError:
        raise ValueError("TEI is checked with lxml: pip install 'bodytext[tei]'") from None
    if "<!DOCTYPE" in text:
        return ["there is a DOCTYPE, which we never write"]
    parser = etree.XMLParser(huge_tree=True, no_network=True)  # nothing grows without a DOCTYPE
    try:
        root = etree.fromstring(text.encode("utf-8", "replace"), parser)
    except etree.XMLSyntaxError as error:
        return [f"line {error.lineno}: not well-formed: {error.msg}"]
    if root.tag != f"{{{NAMESPACE}}}TEI":
        return [f'the first element is not <TEI xmlns="{NAMESPACE}">']
    with files(__package__).joinpath("tei.dtd").open("rb") as file:
        dtd = etree.DTD(file)
    dtd.validate(root)
    return [f"line {fault.line}: {fault.message}" for fault in dtd.error_log][:MOST_PROBLEMS]
