-- How often a class of this name was deleted. One that is made anew gets another table, so that a node that has not heard of
-- it meets no table and finds out, instead of writing what the old class allowed.
CREATE TABLE "$dropped_classes" (
  name text COLLATE "C" PRIMARY KEY,
  times integer NOT NULL
);
