"""Find the address of the lead image of a page."""

from collections.abc import Iterable, Iterator

from bodytext.page.late_pattern import late_pattern
from bodytext.views.metadata.candidates import NO_CANDIDATE, Candidate, Proposal, first_candidate
from bodytext.views.metadata.statements import Statements

_SHARED_METAS = ("og:image", "og:image:secure_url", "og:image:url")
_CARD_METAS = ("twitter:image", "twitter:image:src")
_OTHER_METAS = ("item:image", "thumbnail", "sailthru:image:full", "parsely-image-url")
_METAS = frozenset({*_SHARED_METAS, *_CARD_METAS, *_OTHER_METAS})
# The file of a picture that stands for the site, or for one that is missing.
_STAND_IN = late_pattern(
    r"(?:(?<![A-Za-z])(?i:logo|default|placeholder|fallback|favicon|(?:touch|apple)-icon)|Logo|Default)(?![a-z])"
    r"|^(?i:blank|spacer|no-?image)\b"
)
_HINT = late_pattern("logo|default|placeholder|fallback|favicon|icon|blank|spacer|image")  # fast
_LONGEST_STAND_IN = 48  # characters of its name; longer ones describe a picture


def find_image(statements: Statements) -> Candidate:
    """The image for sharing, or in data; `bodytext.views.media` finds the images in the text.

    The site's logo and its default image do not count.
    """
    if statements.tells(_METAS) or "image_src" in statements.links:
        proposals = _propose(statements)
        image = first_candidate(proposals)
        while image and _is_stand_in(image.value):
            image = first_candidate(proposals)
        return image
    return NO_CANDIDATE


def _propose(statements: Statements) -> Iterator[Proposal]:
    main = statements.main
    yield from _each(statements, statements.all(*_SHARED_METAS), "open graph", 0.95)
    in_data = statements.texts(main.get("image"), "url", "contentUrl", "@id")
    yield from _each(statements, in_data, "json-ld", 0.9)
    yield from _each(statements, statements.all(*_CARD_METAS), "twitter", 0.9)
    yield statements.linked("image_src"), "link", 0.8
    yield from _each(statements, statements.all(*_OTHER_METAS), "meta", 0.7)
    yield from _each(statements, statements.texts(main.get("thumbnailUrl")), "json-ld", 0.7)


def _each(
    statements: Statements, values: Iterable[str], source: str, confidence: float
) -> Iterator[Proposal]:
    return ((statements.address(value), source, confidence) for value in values)


def _is_stand_in(address: str) -> bool:
    """Whether the name of an image says that it is a logo or a default image.

    >>> _is_stand_in("https://a.example/site_logo.png?v=2"), _is_stand_in("/logo/harbour.jpg")
    (True, False)
    """
    name = address.partition("?")[0].rpartition("/")[2]
    if len(name) > _LONGEST_STAND_IN or not _HINT.search(name.lower()):
        return False  # most
    return _STAND_IN.search(name) is not None
