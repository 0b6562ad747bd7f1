-- The app of each subscriber of live queries, for clients that log in without naming it. A row begins with the first query
-- of its subscriber and ends with the subscriber; the ids are random texts that clients make up. Where two apps have the
-- same one, the app counts where it has subscribed last.
CREATE TABLE homeport.live_subscribers (
  id text COLLATE "C" PRIMARY KEY,
  app_id text COLLATE "C" NOT NULL REFERENCES homeport.apps (id) ON DELETE CASCADE
);
CREATE INDEX live_subscribers_of_app ON homeport.live_subscribers (app_id);
