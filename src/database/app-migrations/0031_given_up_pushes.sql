-- Devices that a provider would not take in all attempts, a row for a page and a reason: an administrator may have them
-- tried again.
CREATE TABLE "$push_given_up" (
  push_id text COLLATE "C" NOT NULL REFERENCES "$pushes" ON DELETE CASCADE,
  reason text NOT NULL,
  devices text[] NOT NULL
);
CREATE INDEX push_given_up_by_push ON "$push_given_up" (push_id);

-- Why a push broke off before all its devices were seen to; NULL: it did not.
ALTER TABLE "$pushes" ADD COLUMN failure text;
