"""Put the inline pieces of a block together: text, links, emphasis, line breaks."""

from bodytext.kernel.lines import Mark, close_marks, count_shared
from bodytext.views.structure.element import Element, Pieces


class LineBuilder:
    """Puts the inline pieces of one block together, from left to right.

    It is for lines with breaks, formulas or images, and for very long ones. The kernel makes all
    others.
    """

    __slots__ = ("_lists", "_marks", "_texts")

    def __init__(self) -> None:
        self._marks: tuple[Mark, ...] = ()  # open now
        self._lists: list[Pieces] = [[]]  # the pieces of the line, and of each open mark
        self._texts: list[str] = []  # not yet in the last list

    def finish(self) -> Pieces:
        """All pieces."""
        self._flush()
        close_marks(self._lists, self._marks, 0, Element)
        return self._lists[0]

    @property
    def is_empty(self) -> bool:
        """Whether nothing was put in."""
        return not (self._lists[0] or self._texts or self._marks)

    @property
    def ends_with_image(self) -> bool:
        """Whether the last thing put in is an image."""
        last = self._lists[-1][-1] if self._lists[-1] and not self._texts else ""
        return isinstance(last, Element) and last.name == "img"

    def add_text(self, marks: tuple[Mark, ...], gap: str, text: str) -> None:
        """Append a text inside marks, with a gap (nothing, a space, a line break) before it."""
        if "\n" in text:
            for line in text.split("\n"):
                self._open(marks, gap)
                self._texts.append(line)
                gap = "\n"
            return
        if marks != self._marks or gap == "\n":
            self._open(marks, gap)
            self._texts.append(text)
        else:
            self._texts.append(gap + text)

    def add(self, marks: tuple[Mark, ...], gap: str, element: Element) -> None:
        """Append an element inside marks, with a gap before it."""
        self._open(marks, gap)
        self._flush()
        self._lists[-1].append(element)

    def _flush(self) -> None:
        texts = self._texts
        if texts:
            self._lists[-1].append(texts[0] if len(texts) == 1 else "".join(texts))
            texts.clear()

    def _open(self, marks: tuple[Mark, ...], gap: str) -> None:
        """Close the marks that end here, write the gap, open the others."""
        shared = count_shared(self._marks, marks, is_break=gap == "\n")
        if len(self._marks) > shared or gap == "\n":
            self._flush()
            close_marks(self._lists, self._marks, shared, Element)
        if gap == "\n":
            self._lists[-1].append(Element("br"))
        elif gap:
            self._texts.append(gap)
        if len(marks) > shared:
            self._flush()
            self._lists += [[] for _ in marks[shared:]]
        self._marks = marks
