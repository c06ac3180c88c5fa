"""The categories of articles: examples, features, model."""
