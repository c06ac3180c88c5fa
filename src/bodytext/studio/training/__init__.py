"""Labelled pages -> weights of the trained methods."""
