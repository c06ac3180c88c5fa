"""What a person is interested in, and the order of articles that follows from it."""
