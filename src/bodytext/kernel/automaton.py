"""Build the automaton that finds the topics of names in one pass."""

from array import array
from functools import cache

import numpy as np
import numpy.typing as npt

from bodytext.kernel.class_names import ALPHABET, EDGE, TOPIC_WORDS

Automaton = tuple[npt.NDArray[np.uint16], npt.NDArray[np.uint64]]

# The numbers of the letters in the words; "|" is an edge.
_LETTERS = {
    ord("|"): EDGE,
    **{ord("a") + number: number for number in range(26)},
}
_NOWHERE = array("H", [0] * ALPHABET)


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
            for letter in map(ord, word.translate(_LETTERS)):
                child = children[state].get(letter)
                if child is None:
                    child = children[state][letter] = len(children)
                    children.append({})
                    topics_of.append(0)
                state = child
            topics_of[state] |= 1 << topic
    return _link(children, topics_of)


def _link(children: list[dict[int, int]], topics_of: list[int]) -> Automaton:
    """Fill in, breadth first, the next states of each state, and the topics of its suffixes."""
    following = [_NOWHERE] * len(children)
    suffix = [0] * len(children)
    waiting = [0]
    for state in waiting:
        row = following[suffix[state]][:]
        for letter, child in children[state].items():
            suffix[child] = row[letter] if state else 0
            topics_of[child] |= topics_of[suffix[child]]
            row[letter] = child
            waiting.append(child)
        following[state] = row
    table = np.frombuffer(b"".join(following), np.uint16).reshape(-1, ALPHABET)
    return table, np.array(topics_of, dtype=np.uint64)
