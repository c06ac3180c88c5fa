"""Build the site of the documentation: which files belong to it, and where links to others lead.

mkdocs.yml names this file as its hook. The site has the shape of the repository: a page refers to
another by the same relative link in both. Files that are not on the site, such as source code, are
linked in the repository.
"""

import posixpath
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
PLACES = (
    "*.md",
    "docs/**/*.md",
    "docs/**/*.css",
    "docs/**/*.png",
    "results/**/*.md",
    "results/**/*.png",
    "results/**/*.csv",
    "labelled/README.md",
)
LINK = re.compile(r"(?<=\]\()[^)\s]+|(?<=\bsrc=\")[^\"]+")
CODE = re.compile(r"^```.*?^```|^(?: {4}|\t).*?$|`[^`\n]*`", re.MULTILINE | re.DOTALL)
_ELSEWHERE = re.compile(r"[a-z][a-z0-9+.-]*:|#|//", re.IGNORECASE)


def list_files() -> list[str]:
    """Return the files of the site, as paths in the repository."""
    found = {path for place in PLACES for path in ROOT.glob(place)}
    return sorted(path.relative_to(ROOT).as_posix() for path in found)


def replace_links(markdown: str, page: str, files: set[str], repository: str) -> str:
    """Let links to files that are not on the site lead to the repository."""

    def replace(match: re.Match[str]) -> str:
        return _resolve(match[0], page, files, repository)

    parts = []
    for text, is_code in _split_code(markdown):
        parts.append(text if is_code else LINK.sub(replace, text))
    return "".join(parts)


def _split_code(markdown: str) -> Iterator[tuple[str, bool]]:
    end = 0
    for match in CODE.finditer(markdown):
        yield markdown[end : match.start()], False
        yield match[0], True
        end = match.end()
    yield markdown[end:], False


def _resolve(link: str, page: str, files: set[str], repository: str) -> str:
    target, _, fragment = link.partition("#")
    if _ELSEWHERE.match(link):
        return link
    path = posixpath.normpath(posixpath.join(posixpath.dirname(page), target))
    if path in files:
        return link
    index = posixpath.join(path, "README.md")
    if index in files:
        target = posixpath.relpath(index, posixpath.dirname(page) or ".")
    else:
        kind = "tree" if (ROOT / path).is_dir() else "blob"
        target = f"{repository}/{kind}/main/{path}"
    return f"{target}#{fragment}" if fragment else target


def on_files(files: Any, *, config: Any) -> Any:
    """Put the files of the site in the place of those in docs; those of the theme stay."""
    from mkdocs.structure.files import File, Files

    kept = [file for file in files if file.src_dir != config.docs_dir]
    ours = [
        File(path, str(ROOT), config.site_dir, config.use_directory_urls) for path in list_files()
    ]
    return Files(kept + ours)


def on_page_markdown(markdown: str, *, page: Any, config: Any, files: Any) -> str:
    """Mend the links of a page; results and changes come last in a search."""
    if page.file.src_uri.startswith(("results/", "CHANGELOG")):
        page.meta["search"] = {"boost": 1e-4}
    on_site = {file.src_uri for file in files}
    return replace_links(markdown, page.file.src_uri, on_site, config.extra["repository"])
