"""C4's rules for pages: Raffel et al. (2020), section 2.2, as docs/stages.md lists them.

The figures are the paper's: five sentences a page and three words a line (the program that its authors
published has three sentences and five words). From that program come the rule about policies, and the
rule that a line with an ellipsis at its end goes. A line is a paragraph, a heading or an item.
"""

import re
from collections.abc import Callable

from bodytext.corpus.stages.quality_rule import NO_BOUND, QualityRule, QualitySample
from bodytext.corpus.stages.tokens import TextTokens

# The ends of sentences: Latin and Greek, Chinese and Japanese, Devanagari, Arabic, Urdu, Armenian,
# Ethiopic, Khmer, Burmese, Tibetan, Sinhala.
_STOPS = ".!?…。！？．।॥؟۔։።។။།෴"
_QUOTES = "\"'”’»«“‘」』）)›"
_TERMINALS = tuple(_STOPS + '"”»」』')
_WITHOUT_STOPS = {"th", "lo"}
_STOP = f"[{re.escape(_STOPS)}]"
_SENTENCE = re.compile(f"(?<!{_STOP}){_STOP}++(?=[{re.escape(_QUOTES)}]*+(?:\\s|$))|[。！？]")
_LEAST_WORDS = 3
_LEAST_SENTENCES = 5
_POLICIES = re.compile(
    "terms of use|privacy policy|cookie policy|uses cookies|use of cookies|use cookies"
)

Line = str
Language = str


def _is_open(line: Line, language: Language) -> bool:
    return language not in _WITHOUT_STOPS and (
        not line.endswith(_TERMINALS) or line.endswith(("...", "…"))
    )


def _is_short(line: Line, _: Language) -> bool:
    return TextTokens(line).words < _LEAST_WORDS


def _needs_script(line: Line, _: Language) -> bool:
    return "javascript" in line.lower()


def _is_policy(line: Line, _: Language) -> bool:
    return _POLICIES.search(line.lower()) is not None


# The rules that remove lines, fast ones first.
LINE_RULES: dict[str, Callable[[Line, Language], bool]] = {
    "c4-terminal-punctuation": _is_open,
    "c4-javascript": _needs_script,
    "c4-policies": _is_policy,
    "c4-line-words": _is_short,
}


def _count_sentences(sample: QualitySample) -> float | None:
    return None if sample.language in _WITHOUT_STOPS else len(_SENTENCE.findall(sample.text))


RULES = (
    QualityRule("c4-lorem-ipsum", lambda sample: sample.lowered.count("lorem ipsum"), (0, 0)),
    QualityRule("c4-curly-brackets", lambda sample: sample.text.count("{"), (0, 0)),
    QualityRule("c4-sentences", _count_sentences, (_LEAST_SENTENCES, NO_BOUND)),
)
