"""Measure methods and peers on labelled sets, and write reports."""
