"""From feeds to articles in the store: fetching, extraction, pictures, stories."""
