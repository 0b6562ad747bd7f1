-- The indexes that there are on the search server, of all apps.
CREATE TABLE homeport.search_server_indexes (
  name text PRIMARY KEY,
  app_schema text NOT NULL,
  -- Not any more once its class or app is gone; it stays here until it is removed there.
  is_wanted boolean NOT NULL DEFAULT true
);
