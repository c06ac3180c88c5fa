-- The reader's database. Times are whole seconds since 1970, in UTC; 0 is never. Addresses are absolute.
-- JSON is in TEXT columns. Long columns are last, so that lists of articles need not read past them.

CREATE TABLE feeds (
    id INTEGER PRIMARY KEY,
    url TEXT NOT NULL UNIQUE,
    title TEXT NOT NULL DEFAULT '',
    site TEXT NOT NULL DEFAULT '',          -- the address of the site, if it is known
    location TEXT NOT NULL DEFAULT '',      -- the address that answered last, after redirects
    etag TEXT NOT NULL DEFAULT '',          -- sent with the next request, as the host wants it
    modified TEXT NOT NULL DEFAULT '',
    checked INTEGER NOT NULL DEFAULT 0,
    succeeded INTEGER NOT NULL DEFAULT 0,   -- when it was last read without a problem
    due INTEGER NOT NULL DEFAULT 0,
    interval INTEGER NOT NULL DEFAULT 3600, -- seconds
    failures INTEGER NOT NULL DEFAULT 0,    -- in a row
    problem TEXT NOT NULL DEFAULT '',       -- of the last check
    state TEXT NOT NULL DEFAULT 'live' CHECK (state IN ('live', 'moved', 'dead', 'left')),
    previous TEXT NOT NULL DEFAULT '',      -- the address of a moved feed before it moved
    added INTEGER NOT NULL DEFAULT 0,
    folder TEXT NOT NULL DEFAULT ''         -- as in the OPML file that it came from; '/' separates the parts
);
CREATE INDEX feeds_due ON feeds (state, due);

CREATE TABLE articles (
    id INTEGER PRIMARY KEY,
    feed INTEGER NOT NULL REFERENCES feeds ON DELETE CASCADE,
    guid TEXT NOT NULL DEFAULT '',          -- its identity in the feed
    url TEXT NOT NULL UNIQUE,               -- canonical
    title TEXT NOT NULL DEFAULT '',
    author TEXT NOT NULL DEFAULT '',
    published INTEGER NOT NULL DEFAULT 0,   -- never later than fetched
    fetched INTEGER NOT NULL DEFAULT 0,
    language TEXT NOT NULL DEFAULT '',      -- a code such as 'vi'; 'und' if it is not known
    lead_image TEXT NOT NULL DEFAULT '',
    confidence REAL,                        -- the F1 that the extraction expects; NULL if it has none
    words INTEGER NOT NULL DEFAULT 0,
    origin TEXT NOT NULL DEFAULT 'page' CHECK (origin IN ('page', 'feed')),  -- where the text is from
    problem TEXT NOT NULL DEFAULT '',       -- why it has no page
    tries INTEGER NOT NULL DEFAULT 1,       -- how often the page was requested
    story INTEGER NOT NULL DEFAULT 0,       -- the id of the first article of its story; 0 before it is looked for
    category TEXT NOT NULL DEFAULT '',
    category_chance REAL NOT NULL DEFAULT 0,
    keywords TEXT NOT NULL DEFAULT '[]',    -- [[term, weight], ...], best first
    summary TEXT NOT NULL DEFAULT '[]',     -- [[number, sentence], ...]: the five best sentences, best first
    categories TEXT NOT NULL DEFAULT '[]',  -- [name, ...]: those that the feed and the page name
    ranking TEXT NOT NULL DEFAULT '[]',     -- [number, ...]: sentences, best first
    noise TEXT NOT NULL DEFAULT '[]',       -- [number, ...]: sentences that do not belong to the article
    signature BLOB NOT NULL DEFAULT x'',
    sentences TEXT NOT NULL DEFAULT '[]',   -- [[start, end], ...]: offsets in text
    media TEXT NOT NULL DEFAULT '[]',       -- [{kind, source, text, caption, width, height, paragraph}, ...]
    metadata TEXT NOT NULL DEFAULT '{}',
    text TEXT NOT NULL DEFAULT '',
    markdown TEXT NOT NULL DEFAULT '',
    html TEXT NOT NULL DEFAULT ''           -- the body, until version 3
);
CREATE UNIQUE INDEX articles_guid ON articles (feed, guid) WHERE guid <> '';
CREATE INDEX articles_newest ON articles (published DESC, id DESC);
CREATE INDEX articles_category ON articles (category, published DESC, id DESC);
CREATE INDEX articles_feed ON articles (feed, published DESC, id DESC);
CREATE INDEX articles_story ON articles (story) WHERE story <> 0;
CREATE INDEX articles_again ON articles (feed) WHERE problem <> '';

-- Every address of an article: in the feed, after redirects, canonical.
CREATE TABLE addresses (
    url TEXT PRIMARY KEY,
    article INTEGER NOT NULL REFERENCES articles ON DELETE CASCADE
) WITHOUT ROWID;
CREATE INDEX addresses_article ON addresses (article);

-- spread is a function of the reader: it separates the characters of scripts without spaces between words.
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

-- When a profile did something with an article; 0 is never. liked is 1, -1 or 0.
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
    weight REAL NOT NULL,                   -- at that moment; it fades from then on
    moment INTEGER NOT NULL DEFAULT 0,
    fixed INTEGER NOT NULL DEFAULT 0,       -- 1: set by hand; it neither changes nor fades
    PRIMARY KEY (profile, kind, name)
) WITHOUT ROWID;

CREATE TABLE frequencies (
    language TEXT NOT NULL,
    term TEXT NOT NULL,                     -- '' counts the documents of the language
    documents INTEGER NOT NULL,
    PRIMARY KEY (language, term)
) WITHOUT ROWID;

-- The terms by which the articles of the same story are found; terms are numbers.
CREATE TABLE mentions (
    term INTEGER NOT NULL,
    published INTEGER NOT NULL,             -- as in articles
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
