-- People who administrate this installation, how they come in, and what they have done.

CREATE TABLE homeport.administrators (
  id text COLLATE "C" PRIMARY KEY,
  name text NOT NULL,
  role text NOT NULL CHECK (role IN ('owner', 'administrator', 'reader')),
  -- Apps whose administrators or readers they are; NULL: all, those to come too. Owners have NULL.
  apps text[] CHECK (role <> 'owner' OR apps IS NULL),
  -- An argon2id hash; NULL: they come in by a link.
  password text,
  -- The secret of their one-time codes in base32; `pending_totp` is not confirmed yet.
  totp text,
  pending_totp text,
  -- The step of the last code that was used: none is taken twice.
  totp_step bigint NOT NULL DEFAULT 0,
  created_at timestamptz(3) NOT NULL DEFAULT now()
);
CREATE UNIQUE INDEX administrators_by_name ON homeport.administrators (lower(name));

-- Cookies are known by their hashes alone: who reads the database cannot use them.
CREATE TABLE homeport.administrator_sessions (
  secret_hash text COLLATE "C" PRIMARY KEY,
  id text COLLATE "C" NOT NULL UNIQUE,
  administrator text COLLATE "C" NOT NULL REFERENCES homeport.administrators ON DELETE CASCADE,
  address text NOT NULL,
  user_agent text NOT NULL,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  used_at timestamptz(3) NOT NULL DEFAULT now()
);
CREATE INDEX administrator_sessions_by_administrator ON homeport.administrator_sessions (administrator);

-- Links that let in once.
CREATE TABLE homeport.administrator_links (
  secret_hash text COLLATE "C" PRIMARY KEY,
  administrator text COLLATE "C" NOT NULL UNIQUE REFERENCES homeport.administrators ON DELETE CASCADE,
  expires_at timestamptz(3) NOT NULL
);

-- What was changed through the management API. A line is written before the change is made, without its status.
CREATE TABLE homeport.audit_log (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  at timestamptz(3) NOT NULL DEFAULT now(),
  -- NULL: the administrator's token.
  administrator text COLLATE "C",
  -- The name that the administrator had then.
  name text,
  address text NOT NULL,
  app text COLLATE "C",
  method text NOT NULL,
  path text NOT NULL,
  -- Names of the members of the body; never their values, which may be secret.
  members text[] NOT NULL,
  status smallint
);
CREATE INDEX audit_log_by_app ON homeport.audit_log (app, id);
