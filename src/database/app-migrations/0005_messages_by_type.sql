-- Pictures, files and the like among many texts: a page of them is a range of this index at any depth. Texts (-1) are
-- found without one, and so cost none.
CREATE INDEX messages_by_type ON "$messages" (thread, type, ts, id) WHERE type <> -1;
