"""Find the formats by name, and write documents in them.

To add a format, write a module with a `FORMAT` of its own, and name it here.
Other packages name theirs in the entry-point group `bodytext.formats`.
"""

from bodytext.methods.registry import Registry
from bodytext.output.format import Format, RenderOptions
from bodytext.output.readable import Readable
from bodytext.output.references import check_choices

__all__ = ["FORMATS", "Format", "RenderOptions", "render"]

FORMATS: Registry[Format] = Registry(
    "bodytext.formats",
    {
        "text": "bodytext.output.text:FORMAT",
        "markdown": "bodytext.output.markdown:FORMAT",
        "html": "bodytext.output.html:FORMAT",
        "json": "bodytext.output.json:FORMAT",
        "xml": "bodytext.output.xml:FORMAT",
        "tei": "bodytext.output.tei:FORMAT",
        "csv": "bodytext.output.csv:FORMAT",
    },
)


def render(document: Readable, name: str, options: RenderOptions | None = None) -> str:
    """Write a document in a format; which text is in it never depends on the format."""
    chosen = FORMATS.find(name)
    options = options or RenderOptions()
    check_choices(options.links, options.images)
    return chosen.write(document, **{option: getattr(options, option) for option in chosen.options})
