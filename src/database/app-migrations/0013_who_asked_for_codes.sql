-- From where a code was asked for, and by which user: who enters it there without its number is not taken for a guesser.
ALTER TABLE "$sms_codes" ADD COLUMN asked_from text, ADD COLUMN asked_by text;
