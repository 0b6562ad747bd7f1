-- What pulls have seen at their sources: only what was there once can have been deleted there.

-- A part of a source, by a number that is short to repeat: the objects of a class, or the members of a relation.
CREATE TABLE "$pull_parts" (
  number integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  -- The app that is pulled.
  source text COLLATE "C" NOT NULL,
  class_name text COLLATE "C" NOT NULL,
  -- Empty for the objects themselves.
  field text COLLATE "C" NOT NULL DEFAULT '',
  UNIQUE (source, class_name, field)
);

CREATE TABLE "$pulled_objects" (
  part integer NOT NULL,
  id text COLLATE "C" NOT NULL,
  -- When the object was changed last over there: one that was changed here later stays, whatever becomes of it there.
  updated_at timestamptz(3) NOT NULL,
  PRIMARY KEY (part, id)
);

-- The part that has brought a member; NULL: it was added here.
ALTER TABLE "$relations" ADD COLUMN pulled_by integer;

-- What a comparison did not find at the source, until that was asked once more.
CREATE TABLE "$missing_at_source" (
  part integer NOT NULL,
  -- The object that has the relation; empty for objects themselves.
  owner_id text COLLATE "C" NOT NULL,
  id text COLLATE "C" NOT NULL,
  PRIMARY KEY (part, owner_id, id)
);
