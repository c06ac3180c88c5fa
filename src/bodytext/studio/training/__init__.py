"""Train the methods that have weights on labelled pages."""
