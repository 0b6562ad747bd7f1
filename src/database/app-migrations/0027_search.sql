-- Which classes have an index of their words, in a table "$search_<number>" of its own each.
CREATE TABLE "$search_indexes" (
  number integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  -- The table of the class. Its class is deleted when it is gone.
  table_name text NOT NULL UNIQUE,
  -- The numbers of fields, by which words are told apart; none is given twice.
  fields jsonb NOT NULL,
  -- The fields whose words are indexed.
  covered jsonb NOT NULL,
  -- How texts were cut into words.
  cutting integer NOT NULL,
  -- The id up to which all objects are indexed that were there when the index was made; NULL: all are.
  built_to text COLLATE "C"
);

-- Objects that were written and whose words are not indexed yet.
CREATE TABLE "$search_changes" (
  seq bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  index_number integer NOT NULL,
  object_id text COLLATE "C" NOT NULL
);

-- Attached to the tables of such classes, with the number of the index: whatever writes to them is noted in its transaction.
CREATE FUNCTION search_noted() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
  INSERT INTO "$search_changes" (index_number, object_id)
  SELECT TG_ARGV[0]::integer, id FROM touched;
  RETURN NULL;
END
$$;
CREATE FUNCTION search_changed() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
  INSERT INTO "$search_changes" (index_number, object_id) VALUES (TG_ARGV[0]::integer, NEW.id);
  RETURN NULL;
END
$$;
