-- What has been imported from where. A row and what it tells of are written in one transaction, so that an import which was
-- cut off goes on behind the last line that is stored.
CREATE TABLE "$imports" (
  -- A digest of the source's name, size and beginning, and of how it is imported.
  id text COLLATE "C" PRIMARY KEY,
  source text NOT NULL,
  -- The place reached: of the files in the source, and of the records in that file.
  entry integer NOT NULL DEFAULT 0,
  record bigint NOT NULL DEFAULT 0,
  is_done boolean NOT NULL DEFAULT false,
  -- By class: what became of how many records; by text: what was changed, how often, and where for example.
  counts jsonb NOT NULL DEFAULT '{}',
  notes jsonb NOT NULL DEFAULT '{}',
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  updated_at timestamptz(3) NOT NULL DEFAULT now()
);

-- What could not be taken, and why.
CREATE TABLE "$import_rejected" (
  import_id text COLLATE "C" NOT NULL REFERENCES "$imports" ON DELETE CASCADE,
  number bigint GENERATED ALWAYS AS IDENTITY,
  class_name text NOT NULL,
  field text,
  place text NOT NULL,
  reason text NOT NULL,
  content text NOT NULL,
  PRIMARY KEY (import_id, number)
);
