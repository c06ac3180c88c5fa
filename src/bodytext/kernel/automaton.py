"""Build the automaton that finds the topics of names in one pass."""

from functools import cache

import numpy as np
import numpy.typing as npt

from bodytext.kernel.class_names import ALPHABET, EDGE, TOPIC_WORDS

Automaton = tuple[npt.NDArray[np.uint16], npt.NDArray[np.uint64]]


@cache
def build_automaton() -> Automaton:
    """Return the next state for each state and letter, and the topics of each state, as bits.

    The states are the prefixes of the words. A letter that continues no word leads to the longest
    suffix that is such a prefix (Aho and Corasick 1975), so that a name is read once however many
    words there are.
    """
    children: list[dict[int, int]] = [{}]
    topics_of = [0]
    for topic, words in enumerate(TOPIC_WORDS.values()):
        for word in words.split():
            state = 0
            for letter in map(_letter, word):
                if letter not in children[state]:
                    children[state][letter] = len(children)
                    children.append({})
                    topics_of.append(0)
                state = children[state][letter]
            topics_of[state] |= 1 << topic
    return _link(children, topics_of)


def _letter(character: str) -> int:
    return EDGE if character == "|" else ord(character) - ord("a")


def _link(children: list[dict[int, int]], topics_of: list[int]) -> Automaton:
    """Fill in, breadth first, the next states of each state, and the topics of its suffixes."""
    following = np.zeros((len(children), ALPHABET), dtype=np.uint16)
    suffix = [0] * len(children)
    waiting = [0]
    for state in waiting:
        following[state] = following[suffix[state]]
        for letter, child in children[state].items():
            suffix[child] = int(following[suffix[state], letter]) if state else 0
            topics_of[child] |= topics_of[suffix[child]]
            following[state, letter] = child
            waiting.append(child)
    return following, np.array(topics_of, dtype=np.uint64)
