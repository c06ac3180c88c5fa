"""The pages of the reader, which work without a script."""
