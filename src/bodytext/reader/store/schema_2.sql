-- Names of articles that were let go, as numbers: a feed that still has one does not bring it back.
CREATE TABLE forgotten (
    mark INTEGER PRIMARY KEY
);

CREATE INDEX feeds_previous ON feeds (previous) WHERE previous <> '';
