"""From records of pages to shards of clean text: the row, the shard task, the engines, the plan."""
