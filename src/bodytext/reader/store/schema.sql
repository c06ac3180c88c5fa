-- The reader's database. Times are whole seconds since 1970, in UTC; 0 is never. Addresses are absolute.
-- JSON stands in TEXT columns. What is long stands last in its row, so that lists of articles need not read over it.

CREATE TABLE feeds (
    id INTEGER PRIMARY KEY,
    url TEXT NOT NULL UNIQUE,
    title TEXT NOT NULL DEFAULT '',
    site TEXT NOT NULL DEFAULT '',          -- the address of the site, where it is known
    location TEXT NOT NULL DEFAULT '',      -- the address that answered last, behind redirects
    etag TEXT NOT NULL DEFAULT '',          -- what the host gave to be asked with again
    modified TEXT NOT NULL DEFAULT '',
    checked INTEGER NOT NULL DEFAULT 0,
    succeeded INTEGER NOT NULL DEFAULT 0,   -- when it was last read without a problem
    due INTEGER NOT NULL DEFAULT 0,
    interval INTEGER NOT NULL DEFAULT 3600, -- seconds
    failures INTEGER NOT NULL DEFAULT 0,    -- in a row
    problem TEXT NOT NULL DEFAULT '',       -- of the last check, in words
    state TEXT NOT NULL DEFAULT 'live' CHECK (state IN ('live', 'moved', 'dead', 'left')),
    previous TEXT NOT NULL DEFAULT '',      -- where a moved feed was before
    added INTEGER NOT NULL DEFAULT 0,
    folder TEXT NOT NULL DEFAULT ''         -- as the OPML that it came from has it; parts apart by '/'
);
CREATE INDEX feeds_due ON feeds (state, due);

CREATE TABLE articles (
    id INTEGER PRIMARY KEY,
    feed INTEGER NOT NULL REFERENCES feeds ON DELETE CASCADE,
    guid TEXT NOT NULL DEFAULT '',          -- what the feed calls it
    url TEXT NOT NULL UNIQUE,               -- canonical
    title TEXT NOT NULL DEFAULT '',
    author TEXT NOT NULL DEFAULT '',
    published INTEGER NOT NULL DEFAULT 0,   -- never later than fetched
    fetched INTEGER NOT NULL DEFAULT 0,
    language TEXT NOT NULL DEFAULT '',      -- a code such as 'vi'; 'und' where it is not known
    lead_image TEXT NOT NULL DEFAULT '',
    confidence REAL,                        -- the F1 that the extraction expects of itself; NULL where it tells none
    words INTEGER NOT NULL DEFAULT 0,
    origin TEXT NOT NULL DEFAULT 'page' CHECK (origin IN ('page', 'feed')),  -- where the text is from
    problem TEXT NOT NULL DEFAULT '',       -- why there is no page behind it, in words
    tries INTEGER NOT NULL DEFAULT 1,       -- how often the page was asked for
    story INTEGER NOT NULL DEFAULT 0,       -- the id of the first article of its story; 0 where it has not been looked for
    category TEXT NOT NULL DEFAULT '',
    category_chance REAL NOT NULL DEFAULT 0,
    keywords TEXT NOT NULL DEFAULT '[]',    -- [[term, weight], ...], best first
    summary TEXT NOT NULL DEFAULT '[]',     -- [[number, sentence], ...]: the five best sentences, best first
    categories TEXT NOT NULL DEFAULT '[]',  -- [name, ...]: what the feed and the page call it
    ranking TEXT NOT NULL DEFAULT '[]',     -- [number, ...]: sentences, best first
    noise TEXT NOT NULL DEFAULT '[]',       -- [number, ...]: sentences that have nothing to do with the article
    signature BLOB NOT NULL DEFAULT x'',
    sentences TEXT NOT NULL DEFAULT '[]',   -- [[start, end], ...]: offsets in text
    media TEXT NOT NULL DEFAULT '[]',       -- [{kind, source, text, caption, width, height, paragraph, before}, ...]
    metadata TEXT NOT NULL DEFAULT '{}',
    text TEXT NOT NULL DEFAULT '',
    markdown TEXT NOT NULL DEFAULT '',
    html TEXT NOT NULL DEFAULT ''           -- for reading: a fragment of semantic tags alone
);
CREATE UNIQUE INDEX articles_guid ON articles (feed, guid) WHERE guid <> '';
CREATE INDEX articles_newest ON articles (published DESC, id DESC);
CREATE INDEX articles_category ON articles (category, published DESC, id DESC);
CREATE INDEX articles_feed ON articles (feed, published DESC, id DESC);
CREATE INDEX articles_story ON articles (story) WHERE story <> 0;
CREATE INDEX articles_again ON articles (feed) WHERE problem <> '';

-- Every address under which an article is known: as the feed has it, behind redirects, canonical.
CREATE TABLE addresses (
    url TEXT PRIMARY KEY,
    article INTEGER NOT NULL REFERENCES articles ON DELETE CASCADE
) WITHOUT ROWID;
CREATE INDEX addresses_article ON addresses (article);

-- spread is a function of ours: it parts the characters of scripts that put no spaces between words.
CREATE VIEW searchable AS SELECT id, spread(title) AS title, spread(text) AS text FROM articles;
CREATE VIRTUAL TABLE articles_fts USING fts5 (
    title, text, content = 'searchable', content_rowid = 'id',
    tokenize = "unicode61 remove_diacritics 2 categories 'L* M* N* Co'"
);
CREATE TRIGGER articles_added AFTER INSERT ON articles BEGIN
    INSERT INTO articles_fts (rowid, title, text) VALUES (new.id, spread(new.title), spread(new.text));
END;
CREATE TRIGGER articles_removed AFTER DELETE ON articles BEGIN
    INSERT INTO articles_fts (articles_fts, rowid, title, text)
    VALUES ('delete', old.id, spread(old.title), spread(old.text));
END;
CREATE TRIGGER articles_changed AFTER UPDATE OF title, text ON articles BEGIN
    INSERT INTO articles_fts (articles_fts, rowid, title, text)
    VALUES ('delete', old.id, spread(old.title), spread(old.text));
    INSERT INTO articles_fts (rowid, title, text) VALUES (new.id, spread(new.title), spread(new.text));
END;

CREATE TABLE profiles (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE
);
INSERT INTO profiles (name) VALUES ('me');

-- What a profile did with an article: the moments, 0 where it did not; liked is 1, -1 or 0.
CREATE TABLE states (
    profile INTEGER NOT NULL REFERENCES profiles ON DELETE CASCADE,
    article INTEGER NOT NULL REFERENCES articles ON DELETE CASCADE,
    opened INTEGER NOT NULL DEFAULT 0,
    finished INTEGER NOT NULL DEFAULT 0,
    saved INTEGER NOT NULL DEFAULT 0,
    hidden INTEGER NOT NULL DEFAULT 0,
    liked INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (profile, article)
) WITHOUT ROWID;
CREATE INDEX states_article ON states (article);
CREATE INDEX states_saved ON states (profile, saved DESC) WHERE saved <> 0;

CREATE TABLE interests (
    profile INTEGER NOT NULL REFERENCES profiles ON DELETE CASCADE,
    kind TEXT NOT NULL CHECK (kind IN ('term', 'source', 'category')),
    name TEXT NOT NULL,
    weight REAL NOT NULL,                   -- as it was at that moment: it fades from then on
    moment INTEGER NOT NULL DEFAULT 0,
    fixed INTEGER NOT NULL DEFAULT 0,       -- 1: set by hand, and neither learnt nor faded
    PRIMARY KEY (profile, kind, name)
) WITHOUT ROWID;

CREATE TABLE frequencies (
    language TEXT NOT NULL,
    term TEXT NOT NULL,                     -- '' counts the documents of the language
    documents INTEGER NOT NULL,
    PRIMARY KEY (language, term)
) WITHOUT ROWID;

-- Under which terms an article is looked for when a new one may tell the same story; terms stand as their numbers.
CREATE TABLE mentions (
    term INTEGER NOT NULL,
    published INTEGER NOT NULL,             -- as the article's
    article INTEGER NOT NULL REFERENCES articles ON DELETE CASCADE,
    PRIMARY KEY (term, published, article)
) WITHOUT ROWID;
CREATE INDEX mentions_article ON mentions (article);

CREATE TABLE corrections (
    article INTEGER PRIMARY KEY REFERENCES articles ON DELETE CASCADE,
    category TEXT NOT NULL,
    time INTEGER NOT NULL
);

CREATE TABLE weights (
    name TEXT PRIMARY KEY,
    data BLOB NOT NULL
) WITHOUT ROWID;
