"""The native modules and their Python twins: from bytes to tables, features and scores.

`X_native` is compiled; its twin `X` is the same in Python, specifies it, and replaces it where it
was not built. What is imported from here is native wherever it can be.
"""

from typing import TYPE_CHECKING, Any

from bodytext.kernel.loader import EXPORTS, load_module

if TYPE_CHECKING:
    from bodytext.kernel.attributes import read_contents as read_contents
    from bodytext.kernel.attributes import read_raw_values as read_raw_values
    from bodytext.kernel.attributes import read_value as read_value
    from bodytext.kernel.attributes import read_values as read_values
    from bodytext.kernel.clues import find_tags as find_tags
    from bodytext.kernel.clues import read_names as read_names
    from bodytext.kernel.clues import read_shapes as read_shapes
    from bodytext.kernel.clues import read_topics as read_topics
    from bodytext.kernel.discussion import add_up as add_up
    from bodytext.kernel.discussion import choose_nodes as choose_nodes
    from bodytext.kernel.discussion import choose_texts as choose_texts
    from bodytext.kernel.discussion import measure_groups as measure_groups
    from bodytext.kernel.discussion import measure_parts as measure_parts
    from bodytext.kernel.discussion import own_parts as own_parts
    from bodytext.kernel.discussion import weigh_names as weigh_names
    from bodytext.kernel.discussion import widen_groups as widen_groups
    from bodytext.kernel.element_names import name_elements as name_elements
    from bodytext.kernel.elements import Containers as Containers
    from bodytext.kernel.elements import Tagged as Tagged
    from bodytext.kernel.head import find_content as find_content
    from bodytext.kernel.head import read_address as read_address
    from bodytext.kernel.head import read_head as read_head
    from bodytext.kernel.head import read_title as read_title
    from bodytext.kernel.images import make_leaves as make_leaves
    from bodytext.kernel.images import read_images as read_images
    from bodytext.kernel.layers import BlockNetwork as BlockNetwork
    from bodytext.kernel.layers import CutRule as CutRule
    from bodytext.kernel.layers import add_up_answer as add_up_answer
    from bodytext.kernel.layers import decide as decide
    from bodytext.kernel.lines import add_lines as add_lines
    from bodytext.kernel.markdown_lines import MarkdownLines as MarkdownLines
    from bodytext.kernel.ngrams import measure_grams as measure_grams
    from bodytext.kernel.placement import place_leaves as place_leaves
    from bodytext.kernel.placement import place_media as place_media
    from bodytext.kernel.scanner import choose_copies as choose_copies
    from bodytext.kernel.scanner import count_controls as count_controls
    from bodytext.kernel.scanner import count_sequences as count_sequences
    from bodytext.kernel.scanner import find_originals as find_originals
    from bodytext.kernel.scanner import nearest_marked as nearest_marked
    from bodytext.kernel.scanner import scan as scan
    from bodytext.kernel.scanner import write_kept as write_kept
    from bodytext.kernel.scanner import write_texts as write_texts
    from bodytext.kernel.shingles import find_lowest as find_lowest
    from bodytext.kernel.small_elements import find_small as find_small
    from bodytext.kernel.small_elements import read_element as read_element
    from bodytext.kernel.small_elements import read_first_runs as read_first_runs
    from bodytext.kernel.small_elements import read_runs as read_runs
    from bodytext.kernel.spans import add_words as add_words
    from bodytext.kernel.spans import count_shown as count_shown
    from bodytext.kernel.spans import count_unseen as count_unseen
    from bodytext.kernel.spans import count_without as count_without
    from bodytext.kernel.spans import find_assigned as find_assigned
    from bodytext.kernel.spans import find_data as find_data
    from bodytext.kernel.spans import find_hinted as find_hinted
    from bodytext.kernel.spans import find_marked as find_marked
    from bodytext.kernel.spans import find_places as find_places
    from bodytext.kernel.spans import find_rows as find_rows
    from bodytext.kernel.spans import find_short_blocks as find_short_blocks
    from bodytext.kernel.spans import find_spans as find_spans
    from bodytext.kernel.spans import holds_any as holds_any
    from bodytext.kernel.spans import may_have_blank_lines as may_have_blank_lines
    from bodytext.kernel.survey import Survey as Survey
    from bodytext.kernel.units import answer_page as answer_page
    from bodytext.kernel.units import decide_page as decide_page
    from bodytext.kernel.units import estimate_f1 as estimate_f1
    from bodytext.kernel.units import settle_scores as settle_scores

_MODULE_OF = {export: name for name, exports in EXPORTS.items() for export in exports}


def __getattr__(export: str) -> Any:
    if export not in _MODULE_OF:
        raise AttributeError(f"module 'bodytext.kernel' has no attribute {export!r}")
    value = globals()[export] = getattr(load_module(_MODULE_OF[export]), export)
    return value


def is_native(name: str) -> bool:
    """Whether a module, such as "scanner", is the native one."""
    return load_module(name).__name__.endswith("_native")


def describe() -> str:
    """Name each module and say whether it is native or Python.

    For example "scanner native, clues native, survey Python".
    """
    return ", ".join(f"{name} {'native' if is_native(name) else 'Python'}" for name in EXPORTS)
