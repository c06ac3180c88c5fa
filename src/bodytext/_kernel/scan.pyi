from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from bodytext._kernel.reference import Table

NAME: str

def is_utf8(data: bytes) -> bool: ...
def nearest_marked(marked: npt.NDArray[np.bool_], parent: Table) -> Table: ...
def scan(source: bytes) -> tuple[Table, Table, Table, int]: ...
def write_texts(
    source: bytes, runs: Sequence[Table], blocks: Sequence[Table], gaps: bytes, folded: bytes
) -> tuple[bytes, Table]: ...
