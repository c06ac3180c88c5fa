"""Vietnamese as it is spelt: its syllables, where their tone marks stand, and the encodings from before Unicode."""
