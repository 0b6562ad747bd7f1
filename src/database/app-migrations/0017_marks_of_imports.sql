-- What whoever reads the source has to know to go on behind the place that is reached, where the number of a record does not
-- say it: the id of the last object that came from a live app, for example. The server only keeps it.
ALTER TABLE "$imports" ADD COLUMN mark text;
