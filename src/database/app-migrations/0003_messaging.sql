-- Messages by thread: that of a conversation, or within a system conversation that of one subscriber
-- (`<conversation>:<client>`). A page of history is one range of the primary key at any depth.
CREATE TABLE "$messages" (
  thread text COLLATE "C" NOT NULL,
  -- Milliseconds. Grows strictly within a conversation, so that history can be paged by it.
  ts bigint NOT NULL,
  id text COLLATE "C" NOT NULL,
  conv_id text COLLATE "C" NOT NULL,
  sender text COLLATE "C" NOT NULL,
  content text NOT NULL,
  -- The content is base64 of bytes.
  bin boolean NOT NULL,
  -- Of the client's making, the same when it sends the message again.
  token text COLLATE "C",
  mention_all boolean NOT NULL,
  mentions text[],
  -- A receipt was asked for.
  receipt boolean NOT NULL,
  -- `_lctype` of typed messages.
  type integer,
  ip text,
  -- Milliseconds of the last edit or recall.
  patched_at bigint,
  recalled boolean NOT NULL DEFAULT false,
  PRIMARY KEY (thread, ts, id)
);
CREATE UNIQUE INDEX messages_sent_again ON "$messages" (thread, sender, token) WHERE token IS NOT NULL;
CREATE INDEX messages_of_sender ON "$messages" (sender, ts, id);
CREATE INDEX messages_by_time ON "$messages" (ts, id);
CREATE INDEX messages_patched ON "$messages" (thread, patched_at) WHERE patched_at IS NOT NULL;

-- The time of the last message of each conversation. Its row is what orders messages that are sent at once.
CREATE TABLE "$threads" (
  conv_id text COLLATE "C" PRIMARY KEY,
  last_ts bigint NOT NULL,
  -- That of the message before those that were stored last, 0 when there was none: by it a node notices that one is missing.
  before_ts bigint NOT NULL
);

-- How far each member has received and read, in milliseconds. What is unread is counted from here when it is asked for.
CREATE TABLE "$reads" (
  client_id text COLLATE "C" NOT NULL,
  conv_id text COLLATE "C" NOT NULL,
  read_ts bigint NOT NULL,
  received_ts bigint NOT NULL,
  -- When the mark was moved, for clients that ask only for what has changed.
  changed_at bigint NOT NULL,
  -- Whether the member has moved the marks itself. Until then they only say from where on messages concern it.
  has_read boolean NOT NULL DEFAULT false,
  has_received boolean NOT NULL DEFAULT false,
  PRIMARY KEY (client_id, conv_id)
);
CREATE INDEX reads_of_conversation ON "$reads" (conv_id);

-- Conversations that are no objects: they end by themselves.
CREATE TABLE "$temporary" (
  id text COLLATE "C" PRIMARY KEY,
  unique_id text COLLATE "C",
  members text[] NOT NULL,
  creator text NOT NULL,
  created_ts bigint NOT NULL,
  expires_ts bigint NOT NULL
);
-- There is one conversation of its members that is the unique one; when it has ended, it gives up its claim.
CREATE UNIQUE INDEX temporary_by_members ON "$temporary" (unique_id) WHERE unique_id IS NOT NULL;
CREATE INDEX temporary_of_member ON "$temporary" USING gin (members);
CREATE INDEX temporary_expired ON "$temporary" (expires_ts);

-- Who may not speak: NULL in `until_ts` means until it is lifted.
CREATE TABLE "$silences" (
  conv_id text COLLATE "C" NOT NULL,
  client_id text COLLATE "C" NOT NULL,
  until_ts bigint,
  PRIMARY KEY (conv_id, client_id)
);

-- Clients that a conversation keeps out, and conversations that a client keeps away.
CREATE TABLE "$blocks" (
  conv_id text COLLATE "C" NOT NULL,
  client_id text COLLATE "C" NOT NULL,
  PRIMARY KEY (conv_id, client_id)
);
CREATE TABLE "$client_blocks" (
  client_id text COLLATE "C" NOT NULL,
  conv_id text COLLATE "C" NOT NULL,
  PRIMARY KEY (client_id, conv_id)
);
CREATE INDEX client_blocks_of_conversation ON "$client_blocks" (conv_id);

-- Subscribers of system conversations.
CREATE TABLE "$subscriptions" (
  conv_id text COLLATE "C" NOT NULL,
  client_id text COLLATE "C" NOT NULL,
  since_ts bigint NOT NULL,
  PRIMARY KEY (conv_id, client_id)
);
CREATE INDEX subscriptions_of_client ON "$subscriptions" (client_id, since_ts, conv_id);

-- Broadcasts, by their ids. They are messages of the thread of their conversation.
CREATE TABLE "$broadcasts" (
  id text COLLATE "C" PRIMARY KEY,
  ts bigint NOT NULL,
  conv_id text COLLATE "C" NOT NULL,
  -- Sent to all clients of the app, not only to subscribers: new ones are given the last of these.
  to_everyone boolean NOT NULL,
  -- Until when it is given to new clients; NULL is for ever.
  expires_ts bigint
);
CREATE INDEX broadcasts_to_everyone ON "$broadcasts" (ts) WHERE to_everyone;

-- What a client has to be told of its memberships when it was not there.
CREATE TABLE "$notifications" (
  client_id text COLLATE "C" NOT NULL,
  ts bigint NOT NULL,
  id text COLLATE "C" NOT NULL,
  permanent boolean NOT NULL,
  body jsonb NOT NULL,
  PRIMARY KEY (client_id, ts, id)
);
CREATE INDEX notifications_by_time ON "$notifications" (ts);

-- The room that a client was in when its connection was lost: it comes back to it within a time.
CREATE TABLE "$seats" (
  client_id text COLLATE "C" NOT NULL,
  device text COLLATE "C" NOT NULL,
  conv_id text COLLATE "C" NOT NULL,
  until_ts bigint NOT NULL,
  PRIMARY KEY (client_id, device)
);
CREATE INDEX seats_expired ON "$seats" (until_ts);

-- Session tokens and signatures of a client from before this moment are worthless.
CREATE TABLE "$kicks" (
  client_id text COLLATE "C" PRIMARY KEY,
  ts bigint NOT NULL
);

-- Clients that logged in on a day, for the statistics.
CREATE TABLE "$daily_clients" (
  day date NOT NULL,
  client_id text COLLATE "C" NOT NULL,
  PRIMARY KEY (day, client_id)
);
-- Whether a client was ever here.
CREATE INDEX daily_clients_of_client ON "$daily_clients" (client_id);
