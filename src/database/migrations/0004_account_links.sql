-- Phone numbers without a country code are Chinese ones (protocol/accounts, Sign-up): two spellings of one number are equal.
CREATE FUNCTION homeport.phone_number(value text) RETURNS text
  LANGUAGE sql IMMUTABLE PARALLEL SAFE
  RETURN CASE WHEN value LIKE '+%' THEN value ELSE '+86' || value END;

-- Links that were sent by mail. The token itself is only in the mail; it also says which app the link belongs to, because
-- whoever opens it brings no key.
CREATE TABLE homeport.links (
  token_hash text COLLATE "C" PRIMARY KEY,
  app_id text COLLATE "C" NOT NULL REFERENCES homeport.apps (id) ON DELETE CASCADE,
  kind text NOT NULL CHECK (kind IN ('verification', 'reset')),
  user_id text COLLATE "C" NOT NULL,
  email text COLLATE "C" NOT NULL,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  expires_at timestamptz(3) NOT NULL,
  used_at timestamptz(3)
);
CREATE INDEX links_of_user ON homeport.links (app_id, user_id, kind);
CREATE INDEX links_to_address ON homeport.links (app_id, email, kind);
CREATE INDEX links_expired ON homeport.links (expires_at);
