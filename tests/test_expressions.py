"""Every regular expression means the same in every version of Python that is allowed."""

import importlib
import pkgutil
import re
import sys
from collections.abc import Iterator
from re import _constants, _parser  # type: ignore[attr-defined]
from typing import Any

import pytest

import bodytext

SINGLE = {_constants.LITERAL, _constants.NOT_LITERAL, _constants.ANY, _constants.IN}
# Modules that start a program or need a package that is not installed with the tests.
LEFT_OUT = ("bodytext.__main__", "bodytext.integrations", "bodytext.studio.evaluation.peers")


def list_patterns(monkeypatch: pytest.MonkeyPatch) -> set[tuple[str | bytes, int]]:
    """Import every module again and record what it compiles."""
    patterns: set[tuple[str | bytes, int]] = set()
    compile_pattern = re.compile

    def record(pattern: Any, flags: Any = 0) -> Any:
        if isinstance(pattern, str | bytes) and sys._getframe(1).f_globals["__name__"].startswith(
            "bodytext"
        ):
            patterns.add((pattern, int(flags)))
        return compile_pattern(pattern, flags)

    monkeypatch.setattr(re, "compile", record)
    names = [module.name for module in pkgutil.walk_packages(bodytext.__path__, "bodytext.")]
    for name in names:
        if not name.startswith(LEFT_OUT) and not name.endswith("_native"):
            source = importlib.util.find_spec(name)
            assert source is not None
            assert source.loader is not None
            module = importlib.util.module_from_spec(source)
            try:
                source.loader.exec_module(module)
            except ModuleNotFoundError as error:
                if str(error.name).startswith("bodytext"):
                    raise  # other packages, such as torch, need not be installed
    return patterns


def repeated_groups(tree: Any) -> Iterator[Any]:
    """Yield what a possessive quantifier repeats, if that is more than a single character."""
    for operator, value in tree:
        if operator is _constants.POSSESSIVE_REPEAT and (
            len(value[2]) != 1 or value[2][0][0] not in SINGLE
        ):
            yield value[2]
        for part in value if isinstance(value, tuple | list) else (value,):
            for inner in part if isinstance(part, list) else (part,):
                if isinstance(inner, _parser.SubPattern):
                    yield from repeated_groups(inner)


@pytest.mark.slow
def test_possessive_quantifiers_repeat_single_characters_alone(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Python 3.11.2, which Debian 12 has, mistakes what is captured in a possessive group.

    An atomic group around the repetition says the same, and every version understands it.
    """
    patterns = list_patterns(monkeypatch)
    assert len(patterns) > 100
    wrong = [
        pattern
        for pattern, flags in patterns
        if any(repeated_groups(_parser.parse(pattern, flags)))
    ]
    assert wrong == []


def test_the_check_finds_possessive_groups() -> None:
    assert list(repeated_groups(_parser.parse(r"x((?:a(b)?)*+)", 0)))
    assert not list(repeated_groups(_parser.parse(r"x(?>(?:a(b)?)*)[cd]*+e?+", 0)))
