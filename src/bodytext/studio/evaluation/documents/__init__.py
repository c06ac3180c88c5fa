"""Remake the tables and figures of the documents that the methods come from, a module for each."""
