-- Bytes that all tries of an upload have sent, or made the server copy: an upload can be tried again, and not for ever.
ALTER TABLE "$uploads" ADD COLUMN received bigint NOT NULL DEFAULT 0;
