-- The index of a search server that has the words of a class; NULL: the table "$search_<number>" has them.
ALTER TABLE "$search_indexes" ADD COLUMN server_index text UNIQUE;
-- Whether all objects are, or have been, in it: until then it does not serve.
ALTER TABLE "$search_indexes" ADD COLUMN is_whole boolean NOT NULL DEFAULT true;
