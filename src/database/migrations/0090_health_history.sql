-- A week of what each node has measured of itself: a row a minute, about 250 bytes, and the sizes of apps four times a day.
CREATE TABLE homeport.health_history (
  at timestamptz(3) NOT NULL,
  node text COLLATE "C" NOT NULL,
  -- What was counted in so many seconds before `at`.
  seconds real NOT NULL,
  requests integer NOT NULL,
  refused integer NOT NULL,
  failed integer NOT NULL,
  -- Requests by how long they took: at most the bounds of health-history/latency.ts, the last: longer.
  latency integer[] NOT NULL,
  cache_hits bigint NOT NULL,
  cache_misses bigint NOT NULL,
  -- Share of the time in which the event loop had work, 0 to 1.
  busy real NOT NULL,
  -- How it was at `at`.
  http_connections integer NOT NULL,
  websockets integer NOT NULL,
  waiting integer NOT NULL,
  due_jobs integer NOT NULL,
  failed_jobs integer NOT NULL,
  memory bigint NOT NULL,
  database_size bigint NOT NULL,
  disk_free bigint NOT NULL,
  disk_total bigint NOT NULL,
  PRIMARY KEY (at, node)
);

CREATE TABLE homeport.app_sizes (
  at timestamptz(3) NOT NULL,
  app text COLLATE "C" NOT NULL,
  bytes bigint NOT NULL,
  PRIMARY KEY (app, at)
);

CREATE INDEX app_sizes_by_time ON homeport.app_sizes (at);
