"""How many examples the property tests have, and how large the texts of the slowest checks are."""

import os

# Else they are the same in every run: a third of them then finds what a change has broken.
IS_RANDOM = os.environ.get("BODYTEXT_EXAMPLES") == "random"


def some_of(examples: int) -> int:
    """All examples where they are drawn anew, as `make test-all` does; else a third."""
    return examples if IS_RANDOM else examples // 3
