"""Work in a process of its own, with limits on time and memory: one worker for all who need it.

Corpus builds, the service and the reader have such workers.
"""
