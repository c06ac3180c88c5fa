"""What a network does to its tables between two products, in numpy: the specification of `layers.pyx`, its fallback."""

import numpy as np
import numpy.typing as npt

Matrix = npt.NDArray[np.float32]
Column = npt.NDArray[np.int32]
Group = tuple[Matrix, Column]


def standardise(rows: Matrix, mean: Matrix, scale: Matrix, limit: float) -> None:
    """(rows - mean) * scale in place, cut at the limit on both sides."""
    rows -= mean
    rows *= scale
    np.clip(rows, np.float32(-limit), np.float32(limit), out=rows)


def dense(values: Matrix, weights: Matrix, bias: Matrix) -> Matrix:
    """The product of one row with a matrix, and a bias: a row."""
    found: Matrix = values.reshape(1, -1) @ weights + bias
    return found


def rectify(values: Matrix, bias: Matrix) -> None:
    """max(values + bias, 0) in place."""
    values += bias
    np.maximum(values, 0, out=values)


def add_rectified(values: Matrix, product: Matrix, bias: Matrix) -> None:
    """Add to values: max(product + bias, 0), in place."""
    values += np.maximum(product + bias, 0)


def mix(values: Matrix, before: Matrix, own: Matrix, behind: Matrix, step: int) -> Matrix:
    """Each row times `own`, the one `step` rows before times `before`, and the one behind times `behind`."""
    mixed = values * own
    mixed[step:] += values[:-step] * before
    mixed[:-step] += values[step:] * behind
    return mixed


def group_means(values: Matrix, group: Column, weights: Matrix) -> tuple[Matrix, Matrix]:
    """The weighted mean of the rows of each group, and the groups' weights."""
    sums = np.bincount(group, weights).astype(np.float32)
    means = np.zeros((len(sums), values.shape[1]), dtype=np.float32)
    np.add.at(means, group, values * weights[:, None])
    means /= np.where(sums > 0, sums, np.float32(np.inf))[:, None]
    return means, sums


def means_between(values: Matrix, first: Column, stop: Column) -> tuple[Matrix, Column]:
    """The mean of the rows first to stop for each pair of them, equal neighbours once; and which mean is whose."""
    total = np.zeros((len(values) + 1, values.shape[1]), dtype=np.float32)
    np.cumsum(values, axis=0, out=total[1:])
    new = np.ones(len(first), dtype=np.bool_)
    new[1:] = (np.diff(first) != 0) | (np.diff(stop) != 0)
    low, high = first[new], stop[new]
    means: Matrix = (total[high] - total[low]) / np.maximum(high - low, 1).astype(np.float32)[:, None]
    return means, np.cumsum(new, dtype=np.int32) - np.int32(1)


def add_pooled(values: Matrix, bias: Matrix, first: Group, second: Group, third: Group) -> None:
    """Add to values: max(bias + the rows of three tables, 0), in place; each a table, and which row of it is whose."""
    values += np.maximum(first[0][first[1]] + second[0][second[1]] + third[0][third[1]] + bias, 0)


def soften(values: Matrix, scale: float, lift: Matrix) -> None:
    """exp(values * scale + lift) in place, by row over their sum: shares that sum to 1."""
    values *= np.float32(scale)
    values += lift
    values -= values.max(1, keepdims=True)
    np.exp(values, out=values)
    values /= values.sum(1, keepdims=True)


def sum_rectified(values: Matrix, bias: Matrix, weights: Matrix, lift: float) -> Matrix:
    """The sum of max(values + bias, 0) * weights over each row, and the lift."""
    found: Matrix = np.maximum(values + bias, 0) @ weights.reshape(-1) + np.float32(lift)
    return found


def find_chances(logits: Matrix, limit: float) -> Matrix:
    """1 / (1 + exp(-logits)), of logits cut at the limit on both sides."""
    found: Matrix = np.reciprocal(1 + np.exp(-np.clip(logits, np.float32(-limit), np.float32(limit))))
    return found


def find_cut(chances: Matrix, words: Matrix, order: npt.NDArray[np.intp], weight: float) -> tuple[int, float]:
    """Of the blocks in this order, the last to keep so that the expected F1 is highest, and that F1.

    `weight` is that of the words that may be content beside those that are kept.
    """
    likely = np.cumsum((chances * words.astype(np.float64))[order])
    expected = 2 * likely / (np.cumsum(words[order], dtype=np.float64) + 1e-6 + weight * likely[-1])
    best = int(expected.argmax())
    return best, float(expected[best])
