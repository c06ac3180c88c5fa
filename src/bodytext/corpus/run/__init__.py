"""Run the build of a corpus: inputs, shards, workers, engines, files."""
