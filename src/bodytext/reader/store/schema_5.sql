-- spread normalises its text now: what was indexed before is indexed anew.
INSERT INTO articles_fts (articles_fts) VALUES ('rebuild');
