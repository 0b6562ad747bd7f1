-- The bytes of files. A blob is written once under a name of its own; a row says which blob a key has, so that bytes
-- come into being, are replaced and go with the transaction that does the same to the record.
CREATE TABLE "$files" (
  key text COLLATE "C" PRIMARY KEY,
  blob text NOT NULL UNIQUE,
  size bigint NOT NULL,
  md5 text NOT NULL,
  mime_type text NOT NULL,
  name text NOT NULL,
  stored_at timestamptz(3) NOT NULL DEFAULT now()
);

-- Blobs that nothing refers to, or not yet: each is here before its first byte is written.
CREATE TABLE "$loose_blobs" (
  blob text COLLATE "C" PRIMARY KEY,
  -- Removed a day after; -infinity: at once.
  since timestamptz(3) NOT NULL DEFAULT now()
);
CREATE INDEX loose_blobs_since ON "$loose_blobs" (since);

-- Uploads that clients have asked for.
CREATE TABLE "$uploads" (
  token_hash text COLLATE "C" PRIMARY KEY,
  file_id text COLLATE "C" NOT NULL,
  key text COLLATE "C" NOT NULL,
  -- What the record is going to hold, and for whom.
  record jsonb NOT NULL,
  acl jsonb,
  owner text,
  -- Bytes; null: not told
  size bigint,
  stored boolean NOT NULL DEFAULT false,
  -- The blob that the client puts into the store itself.
  blob text,
  created_at timestamptz(3) NOT NULL
);
CREATE INDEX uploads_created ON "$uploads" (created_at);

-- What has come of uploads in parts: `part` is the number of a part or the name of a block, `start` where in it the bytes begin.
CREATE TABLE "$upload_parts" (
  token_hash text COLLATE "C" NOT NULL REFERENCES "$uploads" ON DELETE CASCADE,
  part text COLLATE "C" NOT NULL,
  start bigint NOT NULL,
  blob text NOT NULL,
  size bigint NOT NULL,
  md5 text NOT NULL,
  PRIMARY KEY (token_hash, part, start)
);

-- A blob that a row no longer names is removed, however that has come about.
CREATE FUNCTION blob_is_loose() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
  INSERT INTO "$loose_blobs" (blob, since) VALUES (OLD.blob, '-infinity')
  ON CONFLICT (blob) DO UPDATE SET since = '-infinity';
  RETURN NULL;
END
$$;
CREATE TRIGGER part_deleted AFTER DELETE ON "$upload_parts" FOR EACH ROW EXECUTE FUNCTION blob_is_loose();
CREATE TRIGGER part_replaced AFTER UPDATE OF blob ON "$upload_parts" FOR EACH ROW
WHEN (OLD.blob <> NEW.blob) EXECUTE FUNCTION blob_is_loose();
CREATE TRIGGER bytes_deleted AFTER DELETE ON "$files" FOR EACH ROW EXECUTE FUNCTION blob_is_loose();
CREATE TRIGGER bytes_replaced AFTER UPDATE OF blob ON "$files" FOR EACH ROW
WHEN (OLD.blob <> NEW.blob) EXECUTE FUNCTION blob_is_loose();

-- The bytes go with the last record of their key, however it is deleted. The lock lets the second of two that are deleted
-- at once see that it is the last. Attached to the table of `_File` when the app is opened.
CREATE FUNCTION forget_bytes_of_file() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
DECLARE
  others boolean;
BEGIN
  PERFORM 1 FROM "$files" WHERE key = OLD.data->>'key' FOR UPDATE;
  IF NOT FOUND THEN
    RETURN NULL;
  END IF;
  EXECUTE format('SELECT EXISTS (SELECT FROM %s WHERE left(data->>''key'', 200) = left($1, 200) AND data->>''key'' = $1)', TG_RELID::regclass)
  INTO others
  USING OLD.data->>'key';
  IF NOT others THEN
    DELETE FROM "$files" WHERE key = OLD.data->>'key';
  END IF;
  RETURN NULL;
END
$$;
