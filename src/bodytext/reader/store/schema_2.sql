-- The names of deleted articles, as numbers: a feed that still has such an article does not bring it back.
CREATE TABLE forgotten (
    mark INTEGER PRIMARY KEY
);

CREATE INDEX feeds_previous ON feeds (previous) WHERE previous <> '';
