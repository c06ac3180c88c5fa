"""Vietnamese spelling: syllables, tone marks, and encodings older than Unicode."""
