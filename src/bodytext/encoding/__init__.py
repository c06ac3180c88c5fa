"""The bytes of a page in, UTF-8 out."""

from bodytext.encoding.decoding import Decoded, decode, require_page
from bodytext.encoding.labels import encoding_for_label

__all__ = ["Decoded", "decode", "encoding_for_label", "require_page"]
