"""A web of generated sites on loopback addresses, many of which misbehave, that measures how it is visited."""
