"""The scan and the survey: UTF-8 bytes -> integer arrays -> features. Native where compiled, else in plain Python."""

try:
    from bodytext._kernel.scan import NAME, is_utf8, nearest_marked, scan, write_texts
except ImportError:
    from bodytext._kernel.reference import NAME, is_utf8, nearest_marked, scan, write_texts
try:
    from bodytext._kernel.clues import find_tags, read_names, read_shapes, read_topics
    from bodytext._kernel.survey import Survey
except ImportError:
    from bodytext._kernel.clues_reference import find_tags, read_names, read_shapes, read_topics
    from bodytext._kernel.survey_reference import Survey

__all__ = [
    "NAME",
    "Survey",
    "find_tags",
    "is_utf8",
    "nearest_marked",
    "read_names",
    "read_shapes",
    "read_topics",
    "scan",
    "write_texts",
]
