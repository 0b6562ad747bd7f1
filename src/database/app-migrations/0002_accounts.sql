-- The password in one of the forms that accounts/passwords.ts reads; NULL for users who log in otherwise.
ALTER TABLE "$credentials" ADD COLUMN password text;

-- Third-party accounts. The primary key is what makes each belong to at most one user.
CREATE TABLE "$identities" (
  platform text COLLATE "C" NOT NULL,
  uid text COLLATE "C" NOT NULL,
  user_id text COLLATE "C" NOT NULL,
  PRIMARY KEY (platform, uid)
);
CREATE INDEX identities_of_user ON "$identities" (user_id);

-- Failed logins and other guesses at a secret, by what is guessed at (accounts/lockout.ts).
CREATE TABLE "$attempts" (
  key text COLLATE "C" PRIMARY KEY,
  state jsonb NOT NULL,
  touched_at timestamptz(3) NOT NULL
);
CREATE INDEX attempts_touched ON "$attempts" (touched_at);

-- Codes sent by text message, at most one of a purpose for a number.
CREATE TABLE "$sms_codes" (
  phone text COLLATE "C" NOT NULL,
  purpose text NOT NULL,
  code text NOT NULL,
  -- Whose number it is to become, for codes that change a number.
  user_id text COLLATE "C",
  -- The number is one for tests, whose code is always the same; several numbers may have it.
  fixed boolean NOT NULL DEFAULT false,
  tries integer NOT NULL DEFAULT 0,
  expires_at timestamptz(3) NOT NULL,
  PRIMARY KEY (phone, purpose)
);
-- Codes of a purpose are all different, so that a code alone tells whose it is.
CREATE UNIQUE INDEX sms_codes_by_code ON "$sms_codes" (purpose, code, (CASE WHEN fixed THEN phone ELSE '' END));
CREATE INDEX sms_codes_expired ON "$sms_codes" (expires_at);

-- What was sent to a number lately, for the limits of how often.
CREATE TABLE "$sms_sent" (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  phone text COLLATE "C" NOT NULL,
  kind text NOT NULL CHECK (kind IN ('code', 'notice')),
  channel text NOT NULL CHECK (channel IN ('sms', 'voice')),
  sent_at timestamptz(3) NOT NULL
);
CREATE INDEX sms_sent_to ON "$sms_sent" (phone, sent_at);
CREATE INDEX sms_sent_old ON "$sms_sent" (sent_at);

CREATE TABLE "$captchas" (
  token text COLLATE "C" PRIMARY KEY,
  text text NOT NULL,
  -- The picture as Base64, drawn once: several pictures of one text would be easier to read for programs.
  image text NOT NULL,
  tries integer NOT NULL DEFAULT 0,
  -- Given out for the right text, and taken back when it is used.
  validate_token text COLLATE "C" UNIQUE,
  expires_at timestamptz(3) NOT NULL
);
CREATE INDEX captchas_expired ON "$captchas" (expires_at);
