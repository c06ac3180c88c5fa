"""find_image: Statements -> the address of the lead image."""

from collections.abc import Iterable, Iterator

from bodytext.views.metadata.candidates import Candidate, first_candidate
from bodytext.views.metadata.statements import Statements


def find_image(statements: Statements) -> Candidate:
    """The image for sharing, then that in data; the images in the text are those of `bodytext.views.media`."""
    return first_candidate(_candidates(statements))


def _candidates(statements: Statements) -> Iterator[Candidate]:
    main, said = statements.main, statements.all
    yield from _each(statements, said("og:image", "og:image:secure_url", "og:image:url"), "open graph", 0.95)
    yield from _each(statements, statements.texts(main.get("image"), "url", "contentUrl", "@id"), "json-ld", 0.9)
    yield from _each(statements, said("twitter:image", "twitter:image:src"), "twitter", 0.9)
    yield Candidate(statements.linked("image_src"), "link", 0.8)
    yield from _each(
        statements, said("item:image", "thumbnail", "sailthru:image:full", "parsely-image-url"), "meta", 0.7
    )
    yield from _each(statements, statements.texts(main.get("thumbnailUrl")), "json-ld", 0.7)


def _each(statements: Statements, values: Iterable[str], name: str, confidence: float) -> Iterator[Candidate]:
    return (Candidate(statements.address(value), name, confidence) for value in values)
