-- What the planner expects: rows that pass, beside what passes.
CREATE FUNCTION expected(query text) RETURNS float8 LANGUAGE plpgsql AS $$
DECLARE plan json;
BEGIN
    EXECUTE 'EXPLAIN (FORMAT JSON) ' || query INTO plan;
    RETURN plan->0->'Plan'->>'Plan Rows';
END $$;
CREATE FUNCTION counted(query text) RETURNS float8 LANGUAGE plpgsql AS $$
DECLARE rows float8;
BEGIN
    EXECUTE 'SELECT count(*) FROM (' || query || ') q' INTO rows;
    RETURN rows;
END $$;
-- Within a factor, which is what a planner needs; a column has 100 values in its histogram, so that is about one per cent.
CREATE FUNCTION sane(query text, factor float8) RETURNS bool LANGUAGE sql AS
    $$ SELECT greatest(expected(query), 1) / greatest(counted(query), 1) BETWEEN 1 / factor AND factor $$;
CREATE TABLE many AS SELECT i::int8 AS number, 'n' || i AS word, i % 5 AS few FROM generate_series(1, 20000) i;
CREATE TABLE never_analyzed AS SELECT i::int8 AS number FROM generate_series(1, 2000) i;
ANALYZE many;
SELECT uf_build(number, 'blocked:fpr=0.01,seed=0x1')::text AS half FROM many WHERE number > 10000 \gset
SELECT uf_build(number, 'blocked:fpr=0.01,seed=0x1')::text AS none FROM generate_series(100001, 200000) number \gset
SELECT uf_build(few::int8, 'blocked:fpr=0.001,seed=0x1')::text AS common FROM (VALUES (1), (2)) v (few) \gset
-- A constant is asked about what ANALYZE kept: most common values, histograms.
SELECT sane(format('SELECT FROM many WHERE number <@ %L::ultrafilter', :'half'), 1.5) AS half,
    sane(format('SELECT FROM many WHERE %L::ultrafilter @> number', :'half'), 1.5) AS commuted,
    sane(format('SELECT FROM many WHERE number <@ %L::ultrafilter', :'none'), 5) AS none,
    sane(format('SELECT FROM many WHERE few::int8 <@ %L::ultrafilter', :'common'), 1.5) AS expression;
-- An expression has no statistics until there are some; then its common values are asked.
CREATE STATISTICS of_few ON (few::int8) FROM many;
ANALYZE many;
SELECT sane(format('SELECT FROM many WHERE few::int8 <@ %L::ultrafilter', :'common'), 1.5) AS expression;
-- A function, and a column that nobody looked at: from what the filter claims.
SELECT sane(format('SELECT FROM many WHERE uf_contains(%L, number)', :'half'), 1.5) AS function,
    expected(format('SELECT FROM never_analyzed WHERE number <@ %L::ultrafilter', :'half')) < 100 AS unknown;
-- A filter that is built by the query itself: as an equality join would be.
SELECT sane('SELECT FROM many WHERE number <@ (SELECT uf_build(number, ''blocked:fpr=0.01'') FROM many WHERE number <= 1000)', 1.5) AS built,
    sane('SELECT FROM many WHERE word <@ (SELECT uf_build(word, ''ribbon:fpr=0.1'') FROM many WHERE number <= 1000)', 1.5) AS rate,
    sane('SELECT FROM many WHERE number <@ (SELECT uf_build(a.number, ''blocked:fpr=0.01'') FROM many a JOIN many b ON a.number = b.number WHERE a.number <= 1000)', 1.5) AS joined,
    sane('SELECT FROM many m WHERE EXISTS (SELECT FROM many o WHERE o.number = m.number AND o.number <@ (SELECT uf_build(number, ''blocked:fpr=0.01'') FROM many WHERE number <= 1000))', 1.5) AS deeper;
-- A filter in a column, of which nothing is known: one in a hundred.
CREATE TABLE kept AS SELECT 1 AS id, :'half'::ultrafilter AS filter;
ANALYZE kept;
SELECT expected('SELECT FROM many, kept WHERE number <@ filter') AS of_column;
CREATE TABLE keyed AS SELECT :'keyed'::text AS value;
-- A keyed filter without its key is planned with, and refused when it is asked.
SELECT expected(format('SELECT FROM many WHERE number <@ %L::ultrafilter', :'keyed')) BETWEEN 100 AND 400 AS planned;
DO $$ BEGIN
    PERFORM counted(format('SELECT FROM many WHERE number <@ %L::ultrafilter', (SELECT value FROM keyed)));
EXCEPTION WHEN object_not_in_prerequisite_state THEN
    RAISE NOTICE 'refused';
END $$;
-- Of a private filter the planner has what it claims and what it answers; its n is declared. ANALYZE keeps nothing of a column of them.
CREATE TABLE released AS SELECT uf_build(number, 'dpset:n=5000,epsilon=2,seed=0x1') AS filter FROM many WHERE number <= 300;
INSERT INTO released SELECT uf_build(number, 'dpset:n=5000,epsilon=2,seed=0x1') AS filter FROM many WHERE number <= 301;
ANALYZE released;
SELECT attname, null_frac, n_distinct, most_common_vals, histogram_bounds, correlation FROM pg_stats WHERE tablename = 'released';
SELECT count(DISTINCT octet_length(uf_file(filter))) AS sizes, count(DISTINCT uf_info(filter) - 'plan' - 'bytes') AS infos FROM released;
SELECT uf_info(filter) ?| ARRAY['count', 'keys'] AS counted, uf_info(filter)->'count_estimate' AS count_estimate, uf_info(filter)->'fill' AS fill FROM released LIMIT 1;
