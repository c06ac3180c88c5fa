"""Inspection: a stage that looks at each kept row by itself (type)."""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator

from bodytext.corpus.run.row import Row


class Inspection(ABC):
    """A stage made of one look at each row; rows that are dropped or in error pass by."""

    def __call__(self, rows: Iterable[Row]) -> Iterator[Row]:
        """Yield every row, those that are kept after a look at them."""
        for row in rows:
            if row.kept:
                self.inspect(row)
            yield row

    @abstractmethod
    def inspect(self, row: Row) -> None:
        """Change the row's text or language, or say in `dropped` why it goes."""
