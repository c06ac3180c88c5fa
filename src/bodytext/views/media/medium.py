"""A medium of an article."""

from dataclasses import dataclass
from enum import StrEnum


class MediumKind(StrEnum):
    """What a medium is to a reader."""

    IMAGE = "image"
    VIDEO = "video"
    AUDIO = "audio"
    EMBED = "embed"


@dataclass(frozen=True, slots=True)
class Medium:
    """An image, a video, a sound or an embed of an article."""

    kind: MediumKind
    source: str  # absolute where the page's address is known
    text: str  # to show in its place
    caption: str
    start: int  # offset of its tag in the page's UTF-8 source
    width: int | None = None  # in pixels, as the page states it
    height: int | None = None
    paragraph: int | None = (
        None  # the number of the kept paragraph that it precedes; in a document's media alone
    )
