-- Leaderboards (docs/leaderboards.md). `direction` makes one order of both: a score is the value times it, and who has the
-- smaller score stands in front.
CREATE TABLE "$leaderboards" (
  board integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  id text COLLATE "C" NOT NULL UNIQUE,
  name text COLLATE "C" NOT NULL UNIQUE,
  member_type text COLLATE "C" NOT NULL,
  -- 1: ascending, -1: descending
  direction smallint NOT NULL,
  update_strategy text NOT NULL,
  change_interval text NOT NULL,
  version integer NOT NULL DEFAULT 0,
  activated_at timestamptz(3) NOT NULL,
  -- When the version changes by the clock.
  expired_at timestamptz(3),
  created_at timestamptz(3) NOT NULL,
  updated_at timestamptz(3) NOT NULL
);

-- One row for each member of a version. `reached` is a number that grows: of equal scores the one that was reached first
-- stands in front.
CREATE TABLE "$statistics" (
  board integer NOT NULL,
  version integer NOT NULL,
  member text COLLATE "C" NOT NULL,
  score double precision NOT NULL,
  reached bigint NOT NULL,
  PRIMARY KEY (board, version, member)
) WITH (fillfactor = 90);
CREATE INDEX statistics_ranking ON "$statistics" (board, version, score, reached);
CREATE SEQUENCE "$statistics_reached" CACHE 1;

-- How many members stand between two places of a ranking: a fence has those from its own place up to the next fence.
CREATE TABLE "$rank_fences" (
  board integer NOT NULL,
  version integer NOT NULL,
  score double precision NOT NULL,
  reached bigint NOT NULL,
  members bigint NOT NULL,
  PRIMARY KEY (board, version, score, reached)
) WITH (fillfactor = 50);

-- What has changed since and is not counted there yet. Writers only append here, so none waits for another; now and then
-- one node counts it in.
CREATE TABLE "$rank_changes" (
  board integer NOT NULL,
  version integer NOT NULL,
  score double precision NOT NULL,
  reached bigint NOT NULL,
  -- 1: somebody stands there now, -1: no more
  delta smallint NOT NULL
) WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000, autovacuum_vacuum_insert_threshold = -1);
CREATE INDEX rank_changes_place ON "$rank_changes" (board, version, score, reached) INCLUDE (delta);

-- However a statistic is written, it is counted. `homeport.uncounted` leaves that out for who removes a ranking as a whole,
-- or counts it anew.
CREATE FUNCTION count_statistics() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
  IF current_setting('homeport.uncounted', true) = 'on' THEN
    RETURN NULL;
  END IF;
  IF TG_OP <> 'INSERT' THEN
    INSERT INTO "$rank_changes" (board, version, score, reached, delta)
    SELECT board, version, score, reached, -1 FROM before;
  END IF;
  IF TG_OP <> 'DELETE' THEN
    INSERT INTO "$rank_changes" (board, version, score, reached, delta)
    SELECT board, version, score, reached, 1 FROM after;
  END IF;
  RETURN NULL;
END
$$;
CREATE TRIGGER statistics_inserted AFTER INSERT ON "$statistics"
REFERENCING NEW TABLE AS after FOR EACH STATEMENT EXECUTE FUNCTION count_statistics();
CREATE TRIGGER statistics_updated AFTER UPDATE ON "$statistics"
REFERENCING OLD TABLE AS before NEW TABLE AS after FOR EACH STATEMENT EXECUTE FUNCTION count_statistics();
CREATE TRIGGER statistics_deleted AFTER DELETE ON "$statistics"
REFERENCING OLD TABLE AS before FOR EACH STATEMENT EXECUTE FUNCTION count_statistics();

-- Rankings of versions that have ended.
CREATE TABLE "$leaderboard_archives" (
  id text COLLATE "C" PRIMARY KEY,
  board integer NOT NULL,
  version integer NOT NULL,
  status text NOT NULL,
  -- Where the file lies, and its record in `_File`.
  file_key text NOT NULL,
  file_id text COLLATE "C" NOT NULL,
  activated_at timestamptz(3) NOT NULL,
  deactivated_at timestamptz(3) NOT NULL,
  created_at timestamptz(3) NOT NULL,
  updated_at timestamptz(3) NOT NULL,
  -- The transaction that ended the version: what had begun before it may have counted in it.
  ended_by xid8 NOT NULL DEFAULT pg_current_xact_id(),
  UNIQUE (board, version)
);
