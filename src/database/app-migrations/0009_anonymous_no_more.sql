-- Until now a user who linked a platform kept the anonymous account of the device it began on.
DO $$
BEGIN
  IF to_regclass('"_User"') IS NOT NULL THEN
    WITH freed AS (
      DELETE FROM "$identities" AS anonymous
      USING "$identities" AS other
      WHERE anonymous.platform = 'anonymous'
        AND other.user_id = anonymous.user_id
        AND other.platform <> 'anonymous'
      RETURNING anonymous.user_id
    )
    UPDATE "_User" SET data = data #- '{authData,anonymous}' WHERE id IN (SELECT user_id FROM freed);
  END IF;
END
$$;
