-- What all apps share: the apps themselves, background jobs, and the functions that statements over objects call.

CREATE TABLE homeport.apps (
  id text COLLATE "C" PRIMARY KEY,
  name text NOT NULL,
  app_key text NOT NULL,
  master_key text NOT NULL,
  hook_key text NOT NULL,
  owner_email text,
  settings jsonb NOT NULL DEFAULT '{}',
  schema_version integer NOT NULL DEFAULT 0,
  created_at timestamptz(3) NOT NULL DEFAULT now()
);

-- Work that must happen even if the process ends. Whoever takes a job puts its `run_at` off and goes on doing so while it
-- works: a lease. After a crash the job falls due again when the lease runs out, and another worker takes it.
CREATE TABLE homeport.jobs (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  kind text NOT NULL,
  payload jsonb NOT NULL,
  run_at timestamptz NOT NULL DEFAULT now(),
  -- Who works on it, NULL when nobody does.
  worker text,
  -- Runs that failed, and runs whose worker died.
  attempts integer NOT NULL DEFAULT 0,
  interruptions integer NOT NULL DEFAULT 0,
  last_error text,
  created_at timestamptz(3) NOT NULL DEFAULT now()
);
CREATE INDEX jobs_due ON homeport.jobs (kind, run_at);
