"""The scan: UTF-8 bytes -> integer arrays. Native where it was compiled, else the same in plain Python."""

try:
    from bodytext._kernel.scan import NAME, is_utf8, scan
except ImportError:
    from bodytext._kernel.reference import NAME, is_utf8, scan

__all__ = ["NAME", "is_utf8", "scan"]
