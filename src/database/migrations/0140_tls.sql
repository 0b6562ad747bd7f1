-- What the nodes of an installation share for TLS: accounts at certificate authorities, certificates with their private keys,
-- the state of orders, responses to challenges, and which node places orders.
CREATE TABLE homeport.tls (
  key text COLLATE "C" PRIMARY KEY,
  value text NOT NULL,
  -- NULL: never.
  expires_at timestamptz(3)
);
