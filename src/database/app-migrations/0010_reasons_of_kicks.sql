-- What a kicked client is told, whichever way its node hears of the kick; NULL for the name of the code.
ALTER TABLE "$kicks" ADD COLUMN reason text;
