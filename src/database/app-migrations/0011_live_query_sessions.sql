-- When the session of the user was last shown for a query, as a number of homeport.live_logins; 0 for queries of nobody,
-- and for those of users that are older than this column: they wait until they are subscribed to again.
ALTER TABLE "$live_queries" ADD COLUMN proof bigint NOT NULL DEFAULT 0;

-- A session that ends takes the queries of its user along.
CREATE INDEX live_queries_of_user ON "$live_queries" (user_id) WHERE user_id IS NOT NULL;

DROP SEQUENCE "$live_logins";
