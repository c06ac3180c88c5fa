"""Recognise the type and size of an image by its first bytes, and trackers by their addresses."""

import re
import struct
from dataclasses import dataclass

LEAST_SIDE = 8  # pixels; smaller images show nothing: trackers have 1, spacers a few
_MOST_SEGMENTS = 500  # of a JPEG before its size

# Addresses of images that nobody is meant to see. Words must be delimited, so that "pixels" in a
# title does not match.
_TRACKER = re.compile(
    r"""
    ^https?://(?:[^/]+\.)?(?:
        doubleclick\.net | google-analytics\.com | googletagmanager\.com | scorecardresearch\.com | feedsportal\.com
        | quantserve\.com | statcounter\.com | chartbeat\.(?:com|net) | 2o7\.net | omtrdc\.net | demdex\.net
        | addthis\.com | feedblitz\.com | mc\.yandex\.ru | counter\.yadro\.ru | ioam\.de | vgwort\.de | xiti\.com
        | histats\.com | hotjar\.com | matomo\.cloud | parsely\.com | mailchimp\.com/track | list-manage\.com/track
        | pixel\.wp\.com | stats\.wordpress\.com | stats\.wp\.com | feeds\.feedburner\.com/~r
        | facebook\.com/tr | linkedin\.com/px | bat\.bing\.com | t\.co/i/adsct | amazon-adsystem\.com
    )(?:[/:?]|$)
    | ^https?://(?:pixel|track(?:er|ing)?|count(?:er)?|stats?|metrics|analytics|beacon|telemetry|piwik|matomo)\d*\.
    | [/_.-](?:pixel|tracker|tracking|beacon|web-?bug|spacer|blank|clear|1x1|count(?:er)?|hit|imp(?:ression)?|open)
      \d*\.(?:gif|png|php|aspx?|cgi)(?:\?|$)
    | /(?:matomo|piwik)\.php | /utm\.gif | /b\.gif\? | /pixel/?\? | /beacon/?\? | /track/open
    """,
    re.IGNORECASE | re.VERBOSE,
)


@dataclass(frozen=True, slots=True)
class ImageKind:
    """The type and size of an image."""

    type: str  # as in Content-Type
    width: int  # pixels; 0 if the first bytes do not say
    height: int


def is_tracker(url: str, width: int | None = None, height: int | None = None) -> bool:
    """Whether an image only counts its viewers, by its address and stated size.

    >>> is_tracker("https://stats.example/1x1.gif"), is_tracker("https://news.example/photos/pixel-art.jpg")
    (True, False)
    """
    sides = [side for side in (width, height) if side is not None]
    return any(side < LEAST_SIDE for side in sides) or _TRACKER.search(url) is not None


def read_kind(data: bytes) -> ImageKind | None:
    """Return the kind of an image by its bytes; None for unsafe kinds such as SVG."""
    if data.startswith(b"\x89PNG\r\n\x1a\n") and len(data) >= 24:
        return ImageKind("image/png", *struct.unpack(">II", data[16:24]))
    if data.startswith((b"GIF87a", b"GIF89a")) and len(data) >= 10:
        return ImageKind("image/gif", *struct.unpack("<HH", data[6:10]))
    if data.startswith(b"\xff\xd8\xff"):
        return ImageKind("image/jpeg", *_read_jpeg(data))
    if data[:4] == b"RIFF" and data[8:12] == b"WEBP":
        return ImageKind("image/webp", *_read_webp(data))
    if data[4:12] in {b"ftypavif", b"ftypavis"}:
        return ImageKind("image/avif", 0, 0)
    return None


def is_too_small(kind: ImageKind) -> bool:
    """Whether an image is too small to show anything."""
    return any(0 < side < LEAST_SIDE for side in (kind.width, kind.height))


def _read_jpeg(data: bytes) -> tuple[int, int]:
    """Return the width and height of a JPEG from the segment that begins a frame."""
    position = 2
    for _ in range(_MOST_SEGMENTS):
        if position + 9 > len(data) or data[position] != 0xFF:
            break
        mark = data[position + 1]
        if mark == 0xFF:  # padding
            position += 1
            continue
        if 0xC0 <= mark <= 0xCF and mark not in {0xC4, 0xC8, 0xCC}:
            height, width = struct.unpack(">HH", data[position + 5 : position + 9])
            return width, height
        position += 2 + int.from_bytes(data[position + 2 : position + 4], "big")
    return 0, 0


def _read_webp(data: bytes) -> tuple[int, int]:
    if len(data) < 30:
        return 0, 0
    if data[12:16] == b"VP8X":
        return 1 + int.from_bytes(data[24:27], "little"), 1 + int.from_bytes(data[27:30], "little")
    if data[12:16] == b"VP8L":
        bits = int.from_bytes(data[21:25], "little")
        return 1 + (bits & 0x3FFF), 1 + (bits >> 14 & 0x3FFF)
    if data[12:16] == b"VP8 ":
        width, height = struct.unpack("<HH", data[26:30])
        return width & 0x3FFF, height & 0x3FFF
    return 0, 0
