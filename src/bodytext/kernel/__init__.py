"""The native modules and their Python twins: UTF-8 bytes -> tables -> features -> scores. Native where compiled, else Python."""

try:
    from bodytext.kernel.scanner_native import NAME, count_sequences, find_originals, nearest_marked, scan, write_texts
except ImportError:
    from bodytext.kernel.scanner import NAME, count_sequences, find_originals, nearest_marked, scan, write_texts
try:
    from bodytext.kernel.clues_native import find_tags, read_names, read_shapes, read_topics
    from bodytext.kernel.survey_native import Survey
except ImportError:
    from bodytext.kernel.clues import find_tags, read_names, read_shapes, read_topics
    from bodytext.kernel.survey import Survey
try:
    from bodytext.kernel.layers_native import Network as BlockNetwork  # type: ignore[attr-defined]
    from bodytext.kernel.layers_native import Rule as CutRule  # type: ignore[attr-defined]
    from bodytext.kernel.layers_native import add_up_answer, decide
except ImportError:
    from bodytext.kernel.layers import BlockNetwork, CutRule, add_up_answer, decide
try:
    from bodytext.kernel.attributes_native import read_values
except ImportError:
    from bodytext.kernel.attributes import read_values
try:
    from bodytext.kernel.shingles_native import find_lowest
except ImportError:
    from bodytext.kernel.shingles import find_lowest
try:
    from bodytext.kernel.ngrams_native import measure_grams
except ImportError:
    from bodytext.kernel.ngrams import measure_grams

__all__ = [
    "NAME",
    "BlockNetwork",
    "CutRule",
    "Survey",
    "add_up_answer",
    "count_sequences",
    "decide",
    "find_lowest",
    "find_originals",
    "find_tags",
    "measure_grams",
    "nearest_marked",
    "read_names",
    "read_shapes",
    "read_topics",
    "read_values",
    "scan",
    "write_texts",
]
