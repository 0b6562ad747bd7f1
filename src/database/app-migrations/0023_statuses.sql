-- The inboxes of users: each numbers what it gets, in the order in which that becomes visible in it.
CREATE TABLE "$inboxes" (
  owner_id text COLLATE "C" NOT NULL,
  inbox_type text COLLATE "C" NOT NULL,
  last_id integer NOT NULL,
  -- Everything up to this number had been seen when the count was reset.
  read_id integer NOT NULL DEFAULT 0,
  PRIMARY KEY (owner_id, inbox_type)
) WITH (fillfactor = 80);

-- What stands in them. What its owner has taken out stays, so that the same status does not come in again.
CREATE TABLE "$inbox_entries" (
  owner_id text COLLATE "C" NOT NULL,
  inbox_type text COLLATE "C" NOT NULL,
  message_id integer NOT NULL,
  status_id text COLLATE "C" NOT NULL,
  removed boolean NOT NULL DEFAULT false,
  PRIMARY KEY (owner_id, inbox_type, message_id)
);
CREATE UNIQUE INDEX inbox_entries_of_status ON "$inbox_entries" (status_id, owner_id);

-- Statuses that are on their way to more users than the request itself has served.
CREATE TABLE "$fan_outs" (
  status_id text COLLATE "C" PRIMARY KEY,
  -- Who has sent it; null: the master key
  sender_id text COLLATE "C",
  inbox_type text COLLATE "C" NOT NULL,
  -- The class, the condition and the field that tell who gets it.
  audience jsonb NOT NULL,
  -- Objects of that class up to this id are done.
  after_id text COLLATE "C" NOT NULL,
  created_at timestamptz(3) NOT NULL DEFAULT now()
);
CREATE INDEX fan_outs_of_sender ON "$fan_outs" (sender_id);

-- The kinds of inboxes that there are: each user may have one of each.
CREATE TABLE "$inbox_types" (
  inbox_type text COLLATE "C" PRIMARY KEY
);

-- Statuses and users that were deleted, until their entries are removed.
CREATE TABLE "$gone_statuses" (
  status_id text COLLATE "C" PRIMARY KEY
);
CREATE TABLE "$gone_owners" (
  owner_id text COLLATE "C" PRIMARY KEY
);

-- However they are deleted. Attached to the tables of `_Status` and `_User` when the app is opened.
CREATE FUNCTION note_gone_status() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
  INSERT INTO "$gone_statuses" (status_id) VALUES (OLD.id) ON CONFLICT DO NOTHING;
  RETURN NULL;
END
$$;
CREATE FUNCTION note_gone_owner() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
  INSERT INTO "$gone_owners" (owner_id) VALUES (OLD.id) ON CONFLICT DO NOTHING;
  RETURN NULL;
END
$$;
