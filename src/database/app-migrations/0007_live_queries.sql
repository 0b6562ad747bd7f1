-- Who has subscribed to live queries. `seen_at` is renewed while the subscriber is connected; one that is gone for too
-- long is removed with its queries.
CREATE TABLE "$live_subscribers" (
  id text COLLATE "C" PRIMARY KEY,
  seen_at timestamptz(3) NOT NULL
);
CREATE INDEX live_subscribers_by_time ON "$live_subscribers" (seen_at);

-- Never changed: another condition is another query.
CREATE TABLE "$live_queries" (
  subscriber_id text COLLATE "C" NOT NULL REFERENCES "$live_subscribers" ON DELETE CASCADE,
  id text COLLATE "C" NOT NULL,
  class_name text COLLATE "C" NOT NULL,
  -- The `where` as JSON text, its keys in order.
  condition text NOT NULL,
  user_id text COLLATE "C",
  with_acl boolean NOT NULL,
  PRIMARY KEY (subscriber_id, id)
);

-- Numbers logins on all nodes: of those of a subscriber the latest counts.
CREATE SEQUENCE "$live_logins";
