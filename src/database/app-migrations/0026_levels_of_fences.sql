-- Fences of two levels: those of level 0 have members behind them, those of level 1 fences of level 0. Adding up one level
-- of many millions took longer than all else.
ALTER TABLE "$rank_fences" DROP CONSTRAINT "$rank_fences_pkey";
ALTER TABLE "$rank_fences" ADD COLUMN level smallint NOT NULL DEFAULT 0;
ALTER TABLE "$rank_fences" ALTER COLUMN level DROP DEFAULT;
ALTER TABLE "$rank_fences" ADD PRIMARY KEY (board, version, level, score, reached);
INSERT INTO "$rank_fences" (board, version, level, score, reached, members)
SELECT board, version, 1, '-infinity', 0, sum(members) FROM "$rank_fences" GROUP BY board, version;
