"""Open folders of Jinja2 templates, with one policy for all pages and books that are written by them."""

from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined


def open_templates(folder: Path, **options: Any) -> Environment:
    """Open the templates of a folder; all values are escaped, and a missing one is an error."""
    return Environment(
        loader=FileSystemLoader(folder), autoescape=True, undefined=StrictUndefined, **options
    )
