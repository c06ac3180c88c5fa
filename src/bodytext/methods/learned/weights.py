"""Read the weights of the learned method: the package's own, or a file from `bodytext train`."""

from collections.abc import Iterator
from functools import cache

from bodytext.kernel import BlockNetwork
from bodytext.kernel.layers import Arrays
from bodytext.kernel.network_shape import (
    COLUMNS,
    HIDDEN,
    LOOK_WIDTH,
    PAGE_COLUMNS,
    PAGE_STATE,
    STEPS,
    TYPES,
    WIDTH,
)
from bodytext.methods.learned.decision import MEASURES, Curve, read_curve
from bodytext.methods.weights import own_file, read_arrays

Shape = tuple[int, ...]

_MIXED = {
    "before": (WIDTH,),
    "own": (WIDTH,),
    "behind": (WIDTH,),
    "weights": (WIDTH, WIDTH),
    "bias": (WIDTH,),
}
_HEAD = 2 * WIDTH + PAGE_STATE  # what a head reads: two means over the blocks, and the page
# The arrays that the network needs, and their shapes. They follow from the features.
SHAPES: dict[str, Shape] = {
    "mean": (COLUMNS,),
    "scale": (COLUMNS,),
    "page.mean": (PAGE_COLUMNS,),
    "page.scale": (PAGE_COLUMNS,),
    "page.weights": (PAGE_COLUMNS, PAGE_STATE),
    "page.bias": (PAGE_STATE,),
    "input.weights": (COLUMNS, WIDTH),
    "input.page": (PAGE_STATE, WIDTH),
    "input.bias": (WIDTH,),
    **{
        f"mix{layer}.{part}": shape for layer in range(len(STEPS)) for part, shape in _MIXED.items()
    },
    "pool.alike": (WIDTH, WIDTH),
    "pool.path": (WIDTH, WIDTH),
    "pool.around": (WIDTH, WIDTH),
    "pool.whole": (WIDTH, WIDTH),
    "pool.page": (PAGE_STATE, WIDTH),
    "pool.bias": (WIDTH,),
    "look.query": (WIDTH, LOOK_WIDTH),
    "look.query.bias": (LOOK_WIDTH,),
    "look.key": (WIDTH, LOOK_WIDTH),
    "look.key.bias": (LOOK_WIDTH,),
    "look.own": (WIDTH, HIDDEN),
    "look.seen": (WIDTH, HIDDEN),
    "look.seen.bias": (HIDDEN,),
    "look.told": (HIDDEN, WIDTH),
    "look.told.bias": (WIDTH,),
    "type.weights": (_HEAD, TYPES),
    "type.bias": (TYPES,),
    "type.early": (TYPES, WIDTH),
    "type.early.bias": (WIDTH,),
    "type.late": (TYPES, WIDTH),
    "whole.weights": (_HEAD, HIDDEN),
    "whole.bias": (HIDDEN,),
    "whole.told": (HIDDEN, WIDTH),
    "last.weights": (WIDTH, WIDTH),
    "last.bias": (WIDTH,),
    "output.weights": (WIDTH, 1),
    "output.bias": (1,),
    "lift.weights": (_HEAD, 1),
    "lift.bias": (1,),
}
# Arrays that a file may leave out: without them the confidence is the expected F1.
OPTIONAL_SHAPES: dict[str, Shape] = {
    "confidence.weights": (2 * (len(MEASURES) + TYPES), 1),
    "confidence.bias": (1,),
}


@cache
def read_weights(model: str = "") -> Arrays:
    """Return the arrays of a file of weights, or the package's own.

    Raise a ValueError if they do not fit the features.
    """
    arrays = read_arrays(model or shipped_weights())
    faults = list(_find_faults(arrays))
    if faults and model:
        raise ValueError(
            f"{model}: holds no weights of this version's learned method ({faults[0]}); "
            "train again: `bodytext train` writes them"
        )
    if faults:
        raise ValueError(
            f"the package's weights do not fit its features ({faults[0]}): "
            "train new ones, see CONTRIBUTING.md"
        )
    return arrays


def _find_faults(arrays: Arrays) -> Iterator[str]:
    """Say which arrays are missing, or have another shape; reading them has checked the numbers."""
    for name, shape in (SHAPES | OPTIONAL_SHAPES).items():
        if name not in arrays:
            if name in SHAPES:
                yield f"it has no array {name}"
        elif arrays[name].shape != shape:
            yield f"{name} is {_format(arrays[name].shape)}, must be {_format(shape)}"


def _format(shape: Shape) -> str:
    """Return a shape as people write it: 359 x 48."""
    return " x ".join(map(str, shape)) or "a single number"


@cache
def read_network(model: str = "") -> BlockNetwork:
    """Return the network with these weights, ready to run."""
    return BlockNetwork(read_weights(model))


@cache
def read_confidence(model: str = "") -> Curve:
    """Return the curve that estimates the F1 of this network's answers."""
    return read_curve(read_weights(model))


def shipped_weights() -> str:
    """Return the path of the package's own weights."""
    return own_file("learned")
