-- What has become of the functions that are called by the clock. What they are is in the app's settings.
CREATE TABLE "$schedules" (
  name text COLLATE "C" PRIMARY KEY,
  -- As the settings say it: when they say something else, the schedule begins anew.
  definition jsonb NOT NULL,
  -- Whoever puts this on is the one who calls the function. NULL: never.
  next_at timestamptz(3),
  started_at timestamptz(3),
  -- NULL while it runs, or for good when its server died.
  ended_at timestamptz(3),
  -- The HTTP status of the last run, and what was wrong.
  status integer,
  error text,
  -- When its runs of the last day failed.
  failures timestamptz(3)[] NOT NULL DEFAULT '{}',
  -- Since when it is not called any more, because it failed too often.
  disabled_at timestamptz(3)
);

-- Functions that wait for their turn, and what became of them.
CREATE TABLE "$tasks" (
  id text COLLATE "C" PRIMARY KEY,
  -- Settles the order of tasks with the same priority.
  number bigint GENERATED ALWAYS AS IDENTITY,
  priority double precision NOT NULL,
  -- What to do and how, for src/hooks/task-queue.ts.
  request text NOT NULL,
  -- Of it, in milliseconds, how long it may take and is remembered; and whether it runs again when nobody knows if it has.
  timeout integer NOT NULL,
  keep_result bigint NOT NULL,
  at_least_once boolean NOT NULL,
  -- queued, success or failed, as callers see it: a task that failed may run again.
  status text NOT NULL DEFAULT 'queued',
  -- When it is to run; NULL when it is over.
  run_at timestamptz(3),
  -- While it runs: until when it may take.
  leased_until timestamptz(3),
  -- Runs that failed, and runs whose server died.
  failures integer NOT NULL DEFAULT 0,
  losses integer NOT NULL DEFAULT 0,
  finished_at timestamptz(3),
  http_status integer,
  -- JSON
  result text,
  error text,
  -- When a task that is over is forgotten.
  expires_at timestamptz(3)
);
CREATE INDEX tasks_due ON "$tasks" (priority, number) WHERE run_at IS NOT NULL;
CREATE INDEX tasks_old ON "$tasks" (expires_at) WHERE expires_at IS NOT NULL;
-- One task runs at a time.
CREATE UNIQUE INDEX tasks_one_at_a_time ON "$tasks" ((true)) WHERE leased_until IS NOT NULL;
