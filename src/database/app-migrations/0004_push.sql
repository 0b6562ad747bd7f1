-- What became of pushes, one record for all that share a notification id. Kept for 7 days.
CREATE TABLE "$push_records" (
  notification_id text COLLATE "C" PRIMARY KEY,
  -- The id of the first push.
  id text COLLATE "C" NOT NULL UNIQUE,
  created_at timestamptz(3) NOT NULL,
  updated_at timestamptz(3) NOT NULL,
  -- `data` and `where` as they were asked for.
  msg jsonb NOT NULL,
  target jsonb NOT NULL,
  -- scheduled, in-queue, done or error
  status text NOT NULL,
  prod text NOT NULL,
  -- push or rtm
  service text NOT NULL,
  push_at timestamptz(3),
  devices bigint NOT NULL DEFAULT 0,
  invalid_tokens bigint NOT NULL DEFAULT 0,
  -- Devices by the channel that took the message, or acknowledged it.
  successes jsonb NOT NULL DEFAULT '{}',
  -- How many devices each reason concerns.
  errors jsonb NOT NULL DEFAULT '{}'
);
CREATE INDEX push_records_by_time ON "$push_records" (created_at, notification_id);

CREATE TABLE "$pushes" (
  id text COLLATE "C" PRIMARY KEY,
  -- By which a scheduled push is cancelled.
  number bigint GENERATED ALWAYS AS IDENTITY UNIQUE,
  notification_id text COLLATE "C" NOT NULL REFERENCES "$push_records" ON DELETE CASCADE,
  created_at timestamptz(3) NOT NULL,
  request jsonb NOT NULL,
  -- NULL: at once
  push_at timestamptz(3),
  expires_at timestamptz(3),
  -- NULL as long as it waits for its time.
  started_at timestamptz(3),
  ended_at timestamptz(3)
);
CREATE INDEX pushes_of_record ON "$pushes" (notification_id);
CREATE INDEX pushes_scheduled ON "$pushes" (push_at) WHERE started_at IS NULL AND push_at IS NOT NULL;

-- Parts of the devices of a push that is being sent: each is worked on by one node at a time.
CREATE TABLE "$push_pages" (
  push_id text COLLATE "C" NOT NULL REFERENCES "$pushes" ON DELETE CASCADE,
  name text COLLATE "C" NOT NULL,
  -- Ids of installations: those behind `after_id` up to `until_id`, or to the end when that is NULL.
  after_id text COLLATE "C",
  until_id text COLLATE "C",
  -- Or these alone: what is left of another page, for later.
  listed text[],
  attempt int NOT NULL DEFAULT 0,
  -- Devices that need nothing more, whatever the outcome, and the outcomes of all of them.
  handled text[] NOT NULL DEFAULT '{}',
  tally jsonb NOT NULL DEFAULT '{}',
  done boolean NOT NULL DEFAULT false,
  PRIMARY KEY (push_id, name)
);

-- `req_id`s of the last minutes, and what was answered.
CREATE TABLE "$push_requests" (
  req_id text COLLATE "C" PRIMARY KEY,
  push_id text COLLATE "C" NOT NULL,
  created_at timestamptz(3) NOT NULL
);

-- Messages of the own channel that devices have not acknowledged. What they say stands once in `$push_contents`.
CREATE TABLE "$push_contents" (
  id text COLLATE "C" PRIMARY KEY,
  push_id text COLLATE "C" NOT NULL,
  content text NOT NULL,
  expires_at timestamptz(3) NOT NULL
);
CREATE INDEX push_contents_by_expiry ON "$push_contents" (expires_at);
CREATE TABLE "$push_messages" (
  installation_id text COLLATE "C" NOT NULL,
  content_id text COLLATE "C" NOT NULL REFERENCES "$push_contents" ON DELETE CASCADE,
  PRIMARY KEY (installation_id, content_id)
);
CREATE INDEX push_messages_of_content ON "$push_messages" (content_id);

-- Devices that have opened their push connection once.
CREATE TABLE "$push_logins" (
  installation_id text COLLATE "C" PRIMARY KEY,
  last_at timestamptz(3) NOT NULL
);

-- Tokens that a provider has declared dead.
CREATE TABLE "$dead_tokens" (
  token text COLLATE "C" PRIMARY KEY,
  noted_at timestamptz(3) NOT NULL
);
