-- Two workers and the leader give the bytes of one process.
CREATE TABLE many AS SELECT i::int8 AS number, 'n' || i AS word FROM generate_series(1, 20000) i;
ANALYZE many;
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET min_parallel_table_scan_size = 0;
SET max_parallel_workers_per_gather = 0;
SELECT uf_build(number, 'blocked:n=20000,fpr=0.01,seed=0x1')::text AS one, uf_build(word, 'ribbon:fpr=0.01,seed=0x1')::text AS two FROM many \gset
SET max_parallel_workers_per_gather = 2;
EXPLAIN (COSTS OFF) SELECT uf_build(number, 'blocked:n=20000,fpr=0.01') FROM many;
SELECT uf_build(number, 'blocked:n=20000,fpr=0.01,seed=0x1')::text = :'one' AS blocked, uf_build(word, 'ribbon:fpr=0.01,seed=0x1')::text = :'two' AS ribbon FROM many;
-- A seed that is drawn is the same for all of them.
SELECT uf_info(uf_build(word, 'blocked:fpr=0.01'))->>'capacity' AS capacity FROM many;
SELECT count(*) FROM many WHERE word <@ (SELECT uf_build(word, 'bloom:fpr=0.001') FROM many);
SET parallel_leader_participation = off;
SELECT uf_info(uf_build(word, 'ribbon:fpr=0.01'))->>'capacity' AS capacity FROM many;
-- Growing ones cannot be merged.
SELECT uf_build(word, 'bloom:n=100,full=scale') FROM many;
-- A filter in front of a join.
EXPLAIN (COSTS OFF) SELECT count(*) FROM many m WHERE number <@ (SELECT uf_build(number, 'blocked:n=100,fpr=0.01') FROM many WHERE number <= 100)
    AND EXISTS (SELECT FROM many o WHERE o.number = m.number AND o.number <= 100);
SELECT count(*) FROM many m WHERE number <@ (SELECT uf_build(number, 'blocked:n=100,fpr=0.01') FROM many WHERE number <= 100)
    AND EXISTS (SELECT FROM many o WHERE o.number = m.number AND o.number <= 100);
