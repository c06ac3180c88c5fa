"""The reader's database: feeds, articles, and what each profile did with them."""
