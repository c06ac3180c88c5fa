"""Labelled sets -> the tables and figures of the five documents that the methods come from, made again; a file each."""
