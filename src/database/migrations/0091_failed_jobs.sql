-- Jobs that were given up, until somebody has them run again or discards them. The ids are those that they had as jobs.
CREATE TABLE homeport.failed_jobs (
  id bigint PRIMARY KEY,
  kind text COLLATE "C" NOT NULL,
  payload jsonb NOT NULL,
  attempts integer NOT NULL,
  error text NOT NULL,
  failed_at timestamptz(3) NOT NULL DEFAULT now()
);

CREATE INDEX failed_jobs_by_time ON homeport.failed_jobs (failed_at);
