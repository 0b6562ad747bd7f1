-- The tables of one app that are ours. A `$` keeps their names apart from those of classes.
-- Each migration of an app runs with the app's schema first in the search path.

CREATE TABLE "$classes" (
  name text COLLATE "C" PRIMARY KEY,
  table_name text NOT NULL UNIQUE,
  permissions jsonb NOT NULL DEFAULT '{}',
  default_acl jsonb,
  created_at timestamptz(3) NOT NULL DEFAULT now()
);

CREATE TABLE "$fields" (
  class_name text COLLATE "C" NOT NULL REFERENCES "$classes" (name) ON DELETE CASCADE,
  name text COLLATE "C" NOT NULL,
  type text NOT NULL,
  target_class text,
  options jsonb NOT NULL DEFAULT '{}',
  created_at timestamptz(3) NOT NULL DEFAULT clock_timestamp(),
  PRIMARY KEY (class_name, name)
);

-- Grows with every change of the registry, so that a node can tell with one read whether what it knows is current.
CREATE TABLE "$registry" (version bigint NOT NULL);
INSERT INTO "$registry" VALUES (1);

-- Members of relation fields.
CREATE TABLE "$relations" (
  owner_class text COLLATE "C" NOT NULL,
  field text COLLATE "C" NOT NULL,
  owner_id text COLLATE "C" NOT NULL,
  related_id text COLLATE "C" NOT NULL,
  PRIMARY KEY (owner_class, field, owner_id, related_id)
);
CREATE INDEX relations_reverse ON "$relations" (owner_class, field, related_id);

-- What proves who a user is. Apart from the class table, so that no query over objects can ever read it.
CREATE TABLE "$credentials" (
  user_id text COLLATE "C" PRIMARY KEY,
  session_token text COLLATE "C" UNIQUE
);

CREATE TABLE "$scans" (
  cursor text COLLATE "C" PRIMARY KEY,
  class_name text NOT NULL,
  position jsonb NOT NULL,
  expires_at timestamptz(3) NOT NULL
);
CREATE INDEX scans_expired ON "$scans" (expires_at);

CREATE TABLE "$exports" (
  id text COLLATE "C" PRIMARY KEY,
  status text NOT NULL,
  request jsonb NOT NULL,
  download_secret text,
  error text,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  finished_at timestamptz(3)
);
