-- Current alerts: conditions of the server that an administrator has to know of. A row ends some minutes after its condition.
CREATE TABLE homeport.alerts (
  -- The alert, with the node if it concerns a single one.
  key text COLLATE "C" PRIMARY KEY,
  alert text NOT NULL,
  node text,
  -- The problem, as a stored notice.
  problem text NOT NULL,
  since timestamptz(3) NOT NULL,
  notified_at timestamptz(3) NOT NULL,
  -- When the last node ceased to report it; NULL while one does.
  clear_since timestamptz(3),
  -- By node, when it reported the problem last, in milliseconds since 1970.
  reports jsonb NOT NULL
);
