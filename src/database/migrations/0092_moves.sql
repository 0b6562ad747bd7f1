-- Moves into apps that administrators have begun in the console: where the data comes from, and what came of it.
CREATE TABLE homeport.moves (
  id text COLLATE "C" PRIMARY KEY,
  app text COLLATE "C" NOT NULL,
  -- The data directory that its files lie in: the node of it does the work.
  node text COLLATE "C" NOT NULL,
  source jsonb NOT NULL,
  -- The master key of the app that is the source. It goes with the files.
  secret text,
  -- What is under way, NULL: nothing.
  action text,
  options jsonb NOT NULL DEFAULT '{}',
  -- How often the action was begun: after a crash it is begun again.
  begun integer NOT NULL DEFAULT 0,
  progress jsonb,
  -- By action, what came of it last.
  outcomes jsonb NOT NULL DEFAULT '{}',
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  changed_at timestamptz(3) NOT NULL DEFAULT now()
);

CREATE INDEX moves_by_app ON homeport.moves (app, id);
