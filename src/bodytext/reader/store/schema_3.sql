-- The body of an article as a tree: [name, attributes, child, ...], where a child is a text or such a list.
-- Articles of earlier versions have none: their body is in the columns html and markdown, which new articles leave empty.
ALTER TABLE articles ADD COLUMN body TEXT NOT NULL DEFAULT '';
