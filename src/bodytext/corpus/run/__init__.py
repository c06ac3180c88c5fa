"""The run of a corpus build: inputs, shards, workers, engines, files."""
