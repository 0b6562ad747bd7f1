-- Numbers the logins and subscriptions of live query clients in their order, on all nodes and for all apps: some log in
-- before it is known whose app they belong to. Of the logins of a subscriber the latest counts, and what a user has
-- subscribed to is told to those who were logged in by then.
CREATE SEQUENCE homeport.live_logins;
