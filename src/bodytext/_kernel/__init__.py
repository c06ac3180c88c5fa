"""The scan, the survey, the layers: UTF-8 bytes -> tables -> features -> scores. Native where compiled, else Python."""

try:
    from bodytext._kernel.scan import NAME, count_sequences, find_originals, nearest_marked, scan, write_texts
except ImportError:
    from bodytext._kernel.reference import NAME, count_sequences, find_originals, nearest_marked, scan, write_texts
try:
    from bodytext._kernel.clues import find_tags, read_names, read_shapes, read_topics
    from bodytext._kernel.survey import Survey
except ImportError:
    from bodytext._kernel.clues_reference import find_tags, read_names, read_shapes, read_topics
    from bodytext._kernel.survey_reference import Survey
try:
    from bodytext._kernel import layers
except ImportError:
    from bodytext._kernel import layers_reference as layers  # type: ignore[no-redef]
try:
    from bodytext._kernel.values import read_values
except ImportError:
    from bodytext._kernel.values_reference import read_values
try:
    from bodytext._kernel.shingles import find_lowest
except ImportError:
    from bodytext._kernel.shingles_reference import find_lowest
try:
    from bodytext._kernel.grams import measure_grams
except ImportError:
    from bodytext._kernel.grams_reference import measure_grams

__all__ = [
    "NAME",
    "Survey",
    "count_sequences",
    "find_lowest",
    "find_originals",
    "find_tags",
    "layers",
    "measure_grams",
    "nearest_marked",
    "read_names",
    "read_shapes",
    "read_topics",
    "read_values",
    "scan",
    "write_texts",
]
