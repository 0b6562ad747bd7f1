-- Older clients name the messages for one subscriber of a system conversation by `md5(<conversation>:<client>)`.
CREATE INDEX messages_by_digest ON "$messages" (md5(thread)) WHERE thread <> conv_id;
