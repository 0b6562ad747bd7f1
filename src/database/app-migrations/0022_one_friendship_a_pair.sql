-- Until now clients could write these classes as any other, so that a user may follow another twice. What was written last
-- stays; the indexes that the classes get from now on allow no more.
DO $$
DECLARE
  kind text[];
BEGIN
  FOREACH kind SLICE 1 IN ARRAY ARRAY[['_Followee', 'followee'], ['_Follower', 'follower'], ['_FriendshipRequest', 'friend']]
  LOOP
    IF to_regclass(quote_ident(kind[1])) IS NOT NULL THEN
      EXECUTE format(
        'DELETE FROM %1$I AS old
         USING %1$I AS new
         WHERE old.data->''user''->>''objectId'' = new.data->''user''->>''objectId''
           AND old.data->%2$L->>''objectId'' = new.data->%2$L->>''objectId''
           AND (old.updated_at, old.id) < (new.updated_at, new.id)',
        kind[1], kind[2]);
    END IF;
  END LOOP;
END
$$;
