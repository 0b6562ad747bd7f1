-- Jobs of a kind are taken in turns of the apps they are for; '' is none in particular. It is what the payload says, so that
-- it is right whoever adds a job, also a server of an older version.
ALTER TABLE homeport.jobs
  ADD COLUMN app text COLLATE "C" GENERATED ALWAYS AS (coalesce(payload->>'appId', '')) STORED;
CREATE INDEX jobs_of_apps ON homeport.jobs (kind, app, run_at, id);
