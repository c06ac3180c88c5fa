-- When an article had been open for ten seconds. Only then does it say anything about its reader.
ALTER TABLE states ADD COLUMN read INTEGER NOT NULL DEFAULT 0;
UPDATE states SET read = opened;
CREATE INDEX states_liked ON states (profile) WHERE liked <> 0;

-- The likeliest category of an article whose category is open: the reader asks whether it is right.
ALTER TABLE articles ADD COLUMN suggestion TEXT NOT NULL DEFAULT '';

-- 'feed'; 'page': a page without a feed, whose links are the entries; 'saved': pages that were saved by their address;
-- 'letters': newsletters that were imported. The last two are never fetched.
ALTER TABLE feeds ADD COLUMN kind TEXT NOT NULL DEFAULT 'feed' CHECK (kind IN ('feed', 'page', 'saved', 'letters'));
ALTER TABLE feeds ADD COLUMN method TEXT NOT NULL DEFAULT '';       -- that finds the text of its pages; '': the usual one
ALTER TABLE feeds ADD COLUMN titled INTEGER NOT NULL DEFAULT 0;     -- 1: the method is given the feed's titles

-- What happens to new articles with certain words, for a profile.
CREATE TABLE filters (
    id INTEGER PRIMARY KEY,
    profile INTEGER NOT NULL REFERENCES profiles ON DELETE CASCADE,
    words TEXT NOT NULL,                    -- all must be in the title, as in a search
    action TEXT NOT NULL CHECK (action IN ('hide', 'save')),
    UNIQUE (profile, words)
);

-- Passages that a profile marked in articles, with a note or without.
CREATE TABLE highlights (
    id INTEGER PRIMARY KEY,
    profile INTEGER NOT NULL REFERENCES profiles ON DELETE CASCADE,
    article INTEGER NOT NULL REFERENCES articles ON DELETE CASCADE,
    quote TEXT NOT NULL DEFAULT '',         -- as in the article; '' for a note on the whole article
    note TEXT NOT NULL DEFAULT '',
    moment INTEGER NOT NULL
);
CREATE INDEX highlights_article ON highlights (article, profile);
CREATE INDEX highlights_profile ON highlights (profile, moment DESC);

CREATE TABLE settings (
    name TEXT PRIMARY KEY,
    value TEXT NOT NULL
) WITHOUT ROWID;
