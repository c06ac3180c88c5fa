"""Gather the kernel's constants, and write them as C for the native modules.

The constants are written once, in the modules of `SOURCES`. None of these imports numpy, so that a
build needs none. setup.py writes `constants.h` and `constants.pxi` from them. Every native module
includes both, and so it carries a checksum of the constants that it was built with.
"""

import marshal
import re
import zlib
from collections.abc import Iterator
from enum import EnumType, IntEnum, IntFlag
from functools import cache
from types import ModuleType
from typing import Any

from bodytext.kernel import (
    class_names,
    feature_columns,
    hashing,
    html,
    letters,
    network_shape,
    table_columns,
    unit_rules,
    words,
)

SOURCES: tuple[ModuleType, ...] = (
    html,
    words,
    letters,
    class_names,
    table_columns,
    feature_columns,
    hashing,
    network_shape,
    unit_rules,
)
# The members of an enumeration are named PREFIX_MEMBER in C.
_ENUMERATIONS: dict[str, type[IntEnum] | type[IntFlag]] = {
    "FLAG": html.Flag,
    "NODE_FLAG": html.NodeFlag,
    "RULE": html.TagRule,
    "KIND": html.Kind,
    "LETTER": words.Letter,
    "CLASS": letters.CharacterClass,
    "SHAPE": letters.Shape,
    "NODE": table_columns.NodeColumn,
    "RUN": table_columns.RunColumn,
    "BLOCK": table_columns.BlockColumn,
    "PIECE": hashing.PieceKind,
    "ROLE": unit_rules.UnitRole,
    "TRAIT": unit_rules.PageTrait,
}
# Numbers and tuples of numbers.
_VALUES: dict[ModuleType, str] = {
    html: """
        LINES_SHIFT MOST_LINES INHERITED_FLAGS INSET_FLAGS KIND_SHIFT KIND_MASK LONGEST_NAME UNKNOWN_REACH
        UNSEEN RUNNING_TEXT MOST_EMPTY FLOOD_ROWS FLOOD_BYTES FLOOD_TEXT
    """,
    words: "LETTERS_PER_IDEOGRAPHIC_WORD LETTERS_PER_UNSPACED_WORD TABLE_SIZE MOST_COUNTED",
    letters: """
        VOCABULARY STRETCHES TITLE_WORD DESCRIPTION_WORD KNOWN_PAIR SHORTEST_WORD LONGEST_CLASS LONGEST_REFERENCE
    """,
    class_names: "MOST_TOPICS",
    feature_columns: """
        LEVELS SPAN_LEVEL MOST_HEADINGS MOST_SPREAD MOST_A_WORD OWN_WIDTH PLACE_WIDTH ELEMENT_WIDTH LEVEL_WIDTH
        GROUP_WIDTH COPY_WIDTH SECTION_WIDTH HOLDER_WIDTH TOTAL_WIDTH BLOCK_WIDTH PAGE_WIDTH FIRST_SHAPE_SUM
        FIRST_COUNTED_SUM FIRST_CHARACTER_SHARE FIRST_COUNTED_LEVEL HAS_DATA MOST_HEAD_TAGS MOST_TOLD
        MOST_PATH
    """,
    hashing: """
        FNV_OFFSET FNV_PRIME HASH_BASE MIX_FIRST MIX_SECOND SHINGLE_SIZE BIN_BITS EMPTY_BIN SHINGLE_CLASSES
        HAS_WORD HAS_LETTER IDEOGRAPHIC_LIMIT UNSPACED_LIMIT NGRAM_CLASSES TOP_SIZES LARGEST_SIZE
    """,
    network_shape: """
        COLUMNS PAGE_COLUMNS FIRST_ADDRESS WIDTH PAGE_STATE HIDDEN TYPES LOOK_WIDTH STEPS POOL_BEFORE LOOK_AFTER
        MOST_GROUPS GROUP_WEIGHT
        LIMIT PAGE_LIMIT AT_A_TIME SURE CERTAIN MOST_BETWEEN TOP LEAST_WORDS COPY_WORDS
        TELLING_WORDS
    """,
    unit_rules: """
        LINKED MOST_LINKED PROSE_WORDS MOST_IN_A_PIECE LEAST_COLUMNS FEW TEXT_WORDS ANNOUNCING_WORDS LOWEST_RANK
        LABEL_WORDS REACH UNLIKELY LEAST_WEIGHT TAIL WHOLE PASSED_OVER NEVER_SHOWN ENOUGH_WORDS
        OUTSIDE_SHARE AROUND TORN_WORDS TORN_SCORE TORN_SHARE MAIN_SHARE MANY UNEVEN
        SURE_ANSWER
    """,
}
# Things of which C needs the number: it is named THING_COUNT.
_COUNTED: dict[ModuleType, str] = {
    html: "TAGS CONCEALED_CLASSES CONCEALING GAPS Kind",
    letters: "Shape",
    class_names: "TOPIC_NAMES",
    table_columns: "NodeColumn RunColumn BlockColumn",
    feature_columns: """
        FLAGS TAG_GROUPS COUNTED COUNTED_AROUND SUMS SHAPE_COLUMNS CHARACTER_COLUMNS LOGGED BLOCK_TOPICS SHARES
        GROUPINGS
    """,
    network_shape: "STEPS",
    unit_rules: "ASIDES",
}
# Positions by name: that of a column is named TABLE_COLUMN.
_POSITIONS: dict[ModuleType, str] = {
    html: "TAG",
    feature_columns: "SUM OWN PLACE LEVEL GROUP COPY SECTION HOLDER TOTAL",
}
_PREFIXES = {network_shape: "NETWORK_", unit_rules: "UNIT_"}  # their names are too general
_LARGEST_ENUM = 2**31 - 1  # C's enumerations hold ints
_PLAIN = frozenset({int, str, float})  # types of values that need no other form
_MARSHAL_VERSION = 2  # which writes the same in every Python
_NOTE = "written by bodytext/kernel/constants.py"


@cache
def find_checksum() -> int:
    """Return a checksum of all constants; it is the same in every version of Python."""
    known: dict[str, Any] = {}
    values = {module.__name__: dict(_public_values(module, known)) for module in SOURCES}
    # A process waits for this when it imports the package: written as a text, it would wait twice as long.
    return zlib.crc32(marshal.dumps(_simplify(values), _MARSHAL_VERSION))


def _public_values(module: ModuleType, known: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    """Yield the constants of a module and their names, but those that it has from one before it."""
    for name, value in vars(module).items():
        if name in known and known[name] == value:
            continue
        known[name] = value
        if isinstance(value, EnumType):
            members: dict[str, Any] = dict(value.__members__)
            yield name, {key: int(member) for key, member in members.items()}
        elif name.isupper() and not name.startswith("_"):
            yield name, value


def _simplify(value: Any) -> Any:
    """Return a value as lists, numbers and texts, which every Python writes in the same way."""
    if isinstance(value, dict):
        keys, values = _simplify(tuple(value)), _simplify(tuple(value.values()))
        return list(zip(keys, values, strict=True))
    if isinstance(value, tuple):
        is_plain = _PLAIN.issuperset(map(type, value))  # most are
        return list(value) if is_plain else list(map(_simplify, value))
    if isinstance(value, frozenset):
        return sorted(map(_simplify, value))
    if isinstance(value, bytes):
        return zlib.crc32(value)
    return int(value) if isinstance(value, int) else value


def write_header() -> str:
    """Return the constants as a C header."""
    lines = [f"/* {_NOTE} */", "#ifndef BODYTEXT_CONSTANTS_H", "#define BODYTEXT_CONSTANTS_H"]
    lines += [f"enum {{ {name} = {value} }};" for name, value in _integers().items()]
    lines += [f"#define {name} {literal}" for name, (_, literal) in _literals().items()]
    return "\n".join([*lines, "#endif", ""])


def write_declarations() -> str:
    """Return the header's declarations, and a line that makes a module carry the checksum."""
    lines = [f"# {_NOTE}", 'cdef extern from "constants.h":', "    enum:"]
    lines += [f"        {name}" for name in _integers()]
    lines += [f"    const {kind} {name}" for name, (kind, _) in _literals().items() if kind]
    return "\n".join([*lines, "", "CONSTANTS = CONSTANTS_CHECKSUM", ""])


def _integers() -> dict[str, int]:
    """Constants that fit an int, so that C can size arrays by them."""
    numbers: dict[str, int] = {}
    for prefix, enumeration in _ENUMERATIONS.items():
        numbers |= {
            f"{prefix}_{name}": int(member) for name, member in enumeration.__members__.items()
        }
    for table, positions in _listed(_POSITIONS):
        numbers |= {
            f"{table}_{_as_name(name)}": number for name, number in positions.items() if name
        }
    numbers |= {f"{_as_name(name)}_COUNT": len(value) for name, value in _listed(_COUNTED)}
    numbers |= {"LONGEST_TAG": _longest(html.TAGS), "LONGEST_GAP": _longest(html.GAPS)}
    numbers["LONGEST_PHRASE"] = _longest((*html.CONCEALING, *html.CONCEALED_CLASSES, *html.GAPS))
    names = " ".join(class_names.TOPIC_WORDS.values()).split()
    numbers |= {"LONGEST_TOPIC_WORD": _longest(tuple(names)), "TOPIC_WORDS_COUNT": len(names)}
    numbers["SHORTEST_CONCEALED_CLASS"] = min(map(len, html.CONCEALED_CLASSES))
    small = {
        name: value
        for name, value in _listed(_VALUES)
        if isinstance(value, int) and value <= _LARGEST_ENUM
    }
    return numbers | small


def _literals() -> dict[str, tuple[str, str]]:
    """The type and the text of all other constants; a list of numbers has no type of its own."""
    literals = {"CONSTANTS_CHECKSUM": ("unsigned int", f"{find_checksum()}u")}
    for name, value in _listed(_VALUES):
        if isinstance(value, tuple):
            literals[name] = "", "{" + ", ".join(map(str, value)) + "}"
        elif isinstance(value, float):
            literals[name] = "float", f"{value!r}f"
        elif value > 2**32 - 1:
            literals[name] = "unsigned long long", f"{value}ULL"
        elif value > _LARGEST_ENUM:
            literals[name] = "unsigned int", f"{value}u"
    return literals


def _listed(names: dict[ModuleType, str]) -> Iterator[tuple[str, Any]]:
    for module, listed in names.items():
        prefix = _PREFIXES.get(module, "")
        yield from ((prefix + name, getattr(module, name)) for name in listed.split())


def _longest(texts: tuple[str, ...]) -> int:
    return max(map(len, texts))


def _as_name(name: str) -> str:
    """Return a name in C's style: `NodeColumn` and `node column` become NODE_COLUMN."""
    return re.sub(r"(?<=[a-z])(?=[A-Z])|[- ]", "_", name).upper()
