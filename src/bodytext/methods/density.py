"""Line density: the text bytes of a line per HTML byte, classified by a rule or a small neural network.

Alex J. Champandard, "The Easy Way to Extract Useful Text from Arbitrary HTML", AI Depot 2007. A line is the text
between block boundaries; its HTML bytes are all bytes read since the line before it ended; density is text bytes over
HTML bytes. Three rules and four networks decide:

- `threshold`: density above 0.5, the article's fixed guess;
- `average`: density above the page's mean;
- `two-normal`: from the first comment on the article. Text lines and markup lines each follow a normal distribution,
  weighted by their shares; at the threshold a line is equally likely to be either. Which lines are which is unknown, so
  the threshold itself separates them, starting from the mean, until it no longer moves. The formula printed in the
  comment leaves the weights out of its standard deviations, so the crossing of the two curves is solved here;
- `1A`, `3A`, `3L`: a single-layer perceptron on the density of the line; on its density, HTML bytes and text bytes; on
  those of the lines before and after it too;
- `mlp`: a multi-layer perceptron on the nine numbers of `3L`. The article finds it best, and so it is the default.

Deviations: bytes enter the networks as logarithms, since perceptrons hardly learn from raw byte counts; a line of zeros
is added before the first and after the last line; the output is logistic instead of FANN's.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from bodytext.methods.perceptron import read_perceptrons
from bodytext.methods.scores import Scores, Values
from bodytext.methods.weights import Matrix
from bodytext.page.tables import Page

RULES = ("threshold", "average", "two-normal")
NETWORKS = ("1A", "3A", "3L", "mlp")
FIXED_THRESHOLD = 0.5  # the article's
FEATURES = ("density", "log HTML bytes", "log text bytes")

_BYTE_SCALE = np.float32(8)  # brings logarithms of usual line lengths near to 1
_STRETCH = 1 << 11  # lines; few enough that no linear algebra library starts threads
# a line exactly at a rule's threshold is not kept
_BELOW = np.nextafter(np.float32(0.5), np.float32(0))
_ROUNDS = 20  # the two-normal threshold settles in a few

_Floats = npt.NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Density:
    """Text bytes per HTML byte of each line, by a rule or a small network (AI Depot 2007)."""

    rule: str = "mlp"
    model: str = (
        ""  # a file of networks from `bodytext train --method density`; empty for the package's own
    )

    def __post_init__(self) -> None:
        if self.rule not in RULES + NETWORKS:
            raise ValueError(
                f"rule must be one of {', '.join(RULES + NETWORKS)}, not {self.rule!r}"
            )
        if self.model:
            read_perceptrons("density", self.model)  # refuse a wrong file here, not page by page

    def score(self, page: Page) -> Scores:
        """Return the network's output, or the density scaled so that the rule's threshold is at 0.5."""
        if not len(page):
            return Scores(np.zeros(0, dtype=np.float32))
        lines = measure_lines(page)
        if self.rule in NETWORKS:
            scores = _predict(lines, self.rule, self.model)
        else:
            density = lines[:, 0]
            threshold = max(_threshold(density, self.rule), 1e-6)
            scaled = np.minimum(density * (0.5 / threshold), 1)
            scores = np.where(
                density > threshold, np.maximum(scaled, 0.5), np.minimum(scaled, _BELOW)
            )
        return Scores(np.where(page.seen, scores, 0).astype(np.float32))


def _predict(lines: Matrix, name: str, model: str) -> Values:
    """Return a network's output for each line, part by part, so that huge pages need little memory."""
    network = read_perceptrons("density", model).get(name)
    if network is None or len(network.layers[0][0]) != len(inputs(lines[:1], name)[0]):
        raise ValueError(
            f"{model}: holds no network {name}; `bodytext train --method density` writes them"
        )
    if len(lines) <= _STRETCH:
        return network.predict(inputs(lines, name))
    parts = []
    for start in range(0, len(lines), _STRETCH):
        before = min(start, 1)
        part = network.predict(inputs(lines[start - before : start + _STRETCH + 1], name))
        parts.append(part[before : before + _STRETCH])
    return np.concatenate(parts)


def line_bytes(page: Page) -> tuple[_Floats, _Floats]:
    """Return the HTML bytes and the text bytes of each line."""
    end = page.runs.end[page.blocks.stop_run - 1]
    # negative after what comes from further down in the source
    html = np.maximum(np.diff(end, prepend=np.int32(0)), 0).astype(np.float32)
    return html, page.per_block(page.runs.bytes).astype(np.float32)


def measure_lines(page: Page) -> Matrix:
    """Return the density, HTML bytes and text bytes of each line, the bytes as scaled logarithms."""
    html, text = line_bytes(page)
    density = np.minimum(text / np.maximum(html, 1), 1)
    return np.stack((density, np.log1p(html) / _BYTE_SCALE, np.log1p(text) / _BYTE_SCALE), axis=1)


def inputs(lines: Matrix, network: str) -> Matrix:
    """Return a network's inputs for each line: 1 or 3 of its attributes, or 3 of it and of both neighbours."""
    if network == "1A":
        return lines[:, :1]
    if network == "3A":
        return lines
    nothing = np.zeros((1, lines.shape[1]), dtype=lines.dtype)
    around = np.concatenate((nothing, lines, nothing))
    return np.concatenate((around[:-2], lines, around[2:]), axis=1)


def _threshold(density: _Floats, rule: str) -> float:
    """Return the density above which a rule keeps a line."""
    if rule == "average":
        return float(density.mean())
    if rule == "two-normal":
        return two_normal_threshold(density)
    return FIXED_THRESHOLD


def two_normal_threshold(density: _Floats) -> float:
    """Return the density at which a line is equally likely to be text and markup."""
    threshold = float(density.mean())
    for _ in range(_ROUNDS):
        text, markup = density[density > threshold], density[density <= threshold]
        if len(text) < 2 or len(markup) < 2:
            break
        moved = _crossing(text, markup)
        if abs(moved - threshold) < 1e-4:
            break
        threshold = moved
    return threshold


def _crossing(text: _Floats, markup: _Floats) -> float:
    """Return where two weighted normal curves cross between their means; halfway if they do not."""
    share = len(text) / (len(text) + len(markup))
    mean, other_mean = float(text.mean()), float(markup.mean())
    deviation, other_deviation = max(float(text.std()), 1e-3), max(float(markup.std()), 1e-3)
    # the difference of the logarithms of the two weighted densities, as a quadratic in x
    square = 1 / other_deviation**2 - 1 / deviation**2
    linear = 2 * (mean / deviation**2 - other_mean / other_deviation**2)
    constant = (
        (other_mean / other_deviation) ** 2
        - (mean / deviation) ** 2
        + 2 * np.log(share * other_deviation / ((1 - share) * deviation))
    )
    roots = (
        np.roots((square, linear, constant))
        if abs(square) > 1e-9
        else np.array([-constant / linear])
    )
    between = [
        float(root.real)
        for root in roots
        if abs(root.imag) < 1e-9 and other_mean <= root.real <= mean
    ]
    return between[0] if between else (mean + other_mean) / 2
