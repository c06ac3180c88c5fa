"""Find the encoding of a page, and turn its bytes into UTF-8."""

from bodytext.page.encoding.decoding import Decoded, decode, require_page
from bodytext.page.encoding.names import encoding_for_label

__all__ = ["Decoded", "decode", "encoding_for_label", "require_page"]
