"""Systems + labelled sets -> predictions, scores, reports."""
