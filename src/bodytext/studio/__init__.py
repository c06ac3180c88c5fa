"""The workshop: labels, training, evaluation, and the tools in the browser."""
