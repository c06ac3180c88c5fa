from collections.abc import Sequence

from bodytext._kernel.reference import Table

NAME: str

def is_utf8(data: bytes) -> bool: ...
def scan(source: bytes) -> tuple[Table, Table, Table, int]: ...
def write_texts(
    source: bytes, runs: Sequence[Table], blocks: Sequence[Table], gaps: bytes, folded: bytes
) -> tuple[bytes, Table]: ...
