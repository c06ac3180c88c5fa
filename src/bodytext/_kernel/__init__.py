"""The scan: UTF-8 bytes -> integer arrays. Native where it was compiled, else the same in plain Python."""

try:
    from bodytext._kernel.scan import NAME, is_utf8, nearest_marked, scan, write_texts
except ImportError:
    from bodytext._kernel.reference import NAME, is_utf8, nearest_marked, scan, write_texts

__all__ = ["NAME", "is_utf8", "nearest_marked", "scan", "write_texts"]
