-- Until now a device could have several records. It keeps the one that was saved last; the indexes that the class gets
-- from now on allow no more.
DO $$
BEGIN
  IF to_regclass('"_Installation"') IS NOT NULL THEN
    UPDATE "_Installation" SET data = data - 'installationId' WHERE data->>'installationId' = '';
    UPDATE "_Installation" SET data = data - 'deviceToken' WHERE data->>'deviceToken' = '';
    DELETE FROM "_Installation" AS old
    USING "_Installation" AS new
    WHERE left(old.data->>'installationId', 200) = left(new.data->>'installationId', 200)
      AND (old.updated_at, old.id) < (new.updated_at, new.id);
    DELETE FROM "_Installation" AS old
    USING "_Installation" AS new
    WHERE left(old.data->>'deviceToken', 200) = left(new.data->>'deviceToken', 200)
      AND (old.updated_at, old.id) < (new.updated_at, new.id);
  END IF;
END
$$;
