"""The weights and the JSON card of each trained method."""
