"""Remake the tables and figures of the five documents that the methods come from.

Each document has a module that is named after its method.
"""
