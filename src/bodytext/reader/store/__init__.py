"""The reader's database: feeds, articles, states."""
