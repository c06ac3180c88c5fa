-- The body of an article as a tree: [name, attributes, child, ...], where a child is a text or such a list.
-- Articles of earlier versions have none; their columns html and markdown have the body, and new articles leave these empty.
ALTER TABLE articles ADD COLUMN body TEXT NOT NULL DEFAULT '';
