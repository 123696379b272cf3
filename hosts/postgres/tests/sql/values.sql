-- Values: in and out, and bad ones.
CREATE TABLE words AS SELECT 'word-' || i AS word, i::int8 AS number, md5(i::text)::uuid AS id FROM generate_series(1, 1000) i;
CREATE TABLE filters AS
    SELECT 'text' AS name, uf_build(word, 'blocked:n=1000,fpr=0.01,seed=0x1') AS filter FROM words
    UNION ALL SELECT 'int8', uf_build(number, 'bloom:fpr=0.01,seed=0x2') FROM words
    UNION ALL SELECT 'uuid', uf_build(id, 'ribbon:fpr=0.01,seed=0x3') FROM words
    UNION ALL SELECT 'bytea', uf_build(convert_to(word, 'UTF8'), 'blocked:n=1000,fpr=0.01,seed=0x1') FROM words;
SELECT name, length(filter::text), octet_length(filter::bytea) - octet_length(uf_send(filter)) AS saved, uf_fingerprint(filter) FROM filters ORDER BY 1;
SELECT typstorage FROM pg_type WHERE typname = 'ultrafilter';
-- Text, bytea, and bytes of a .uf file lead back to the same value.
SELECT bool_and(filter::text::ultrafilter::text = filter::text AND filter::bytea::ultrafilter::text = filter::text
    AND uf_send(filter)::ultrafilter::text = filter::text) FROM filters;
-- Text and bytea are the same bytes.
SELECT count(DISTINCT filter::text) FROM filters WHERE name IN ('text', 'bytea');
-- All members, and few others.
SELECT count(*) FROM words WHERE word <@ (SELECT filter FROM filters WHERE name = 'text');
SELECT count(*) FROM words WHERE uf_contains((SELECT filter FROM filters WHERE name = 'int8'), number);
SELECT count(*) FROM words WHERE (SELECT filter FROM filters WHERE name = 'uuid') @> id;
SELECT count(*) < 300 FROM generate_series(1001, 11000) i WHERE i <@ (SELECT filter FROM filters WHERE name = 'int8');
-- A filter from each row: the cache notices that it is another one.
SELECT name, 'word-7' <@ filter AS word, 'word-none' <@ filter AS other, 7 <@ filter AS seven FROM filters ORDER BY 1;
-- NULLs.
SELECT uf_build(word, 'bloom:n=10') IS NULL AS no_rows FROM words WHERE false;
SELECT uf_info(uf_build(CASE WHEN number > 3 THEN word END, 'bloom:fpr=0.01,seed=0x1'))->>'capacity' AS not_null FROM words;
SELECT NULL::text <@ filter AS nothing FROM filters WHERE name = 'text';
SELECT uf_build(word, NULL) FROM words;
-- Bad values.
SELECT 'x'::ultrafilter;
SELECT ''::ultrafilter;
SELECT 'aGVsbG8='::ultrafilter;
SELECT '\x00'::bytea::ultrafilter;
SELECT set_byte(uf_send(filter), 100, 255 - get_byte(uf_send(filter), 100))::ultrafilter FROM filters WHERE name = 'text';
SELECT substr(uf_send(filter), 1, 900)::ultrafilter FROM filters WHERE name = 'text';
-- Every bit and every length of a small one is refused.
CREATE FUNCTION refused(bytes bytea) RETURNS bool LANGUAGE plpgsql AS $$
BEGIN
    PERFORM bytes::ultrafilter;
    RETURN false;
EXCEPTION WHEN invalid_binary_representation THEN
    RETURN true;
END $$;
WITH small AS (SELECT uf_send(uf_build(word, 'blocked:n=10,fpr=0.01,seed=0x1')) AS bytes FROM words WHERE number <= 10)
SELECT octet_length(bytes), (SELECT bool_and(refused(set_bit(bytes, i, 1 - get_bit(bytes, i)))) FROM generate_series(0, 8 * octet_length(bytes) - 1) i) AS bits,
    (SELECT bool_and(refused(substr(bytes, 1, i))) FROM generate_series(0, octet_length(bytes) - 1) i) AS lengths FROM small;
-- Bad specs, and a long key.
SELECT uf_build(word, 'blob:n=10') FROM words;
SELECT uf_build(word, 'bloom:n=10,fpr=2') FROM words;
SELECT uf_build(word, 'bloom:n=' || number) FROM words;
SELECT uf_build(word, 'bloom:n=10,full=refuse') FROM words;
SELECT repeat('k', 1000000) <@ uf_build(k, 'bloom:n=10,seed=0x1') AS long FROM (VALUES (repeat('k', 1000000))) v (k);
SELECT uf_build(word, 'bloom:n=10') OVER () FROM words LIMIT 1;
SELECT uf_build_final(NULL);
-- What is known.
SELECT uf_info(filter) - 'count_estimate' - 'fill' - 'fpr_now' FROM filters WHERE name = 'text';
SELECT uf_claim(filter)->>'fpr' AS fpr, uf_claim(filter)->>'epsilon' AS epsilon FROM filters WHERE name = 'text';
-- Unions.
SELECT count(*) FROM words WHERE word <@ (SELECT uf_union(f) FROM (SELECT uf_build(word, 'blocked:n=1000,fpr=0.01,seed=0x1') f FROM words GROUP BY number % 10) g);
SELECT (SELECT uf_union(f) FROM (SELECT uf_build(word, 'blocked:n=1000,fpr=0.01,seed=0x1') f FROM words GROUP BY number % 10) g)::text = filter::text AS same
    FROM filters WHERE name = 'text';
SELECT uf_union(filter) FROM filters WHERE name IN ('text', 'int8');
-- Seeds are drawn, and filters of one statement share theirs.
SELECT count(DISTINCT f::text) FROM (SELECT uf_build(word, 'blocked:n=1000') f FROM words UNION ALL SELECT uf_build(word, 'blocked:n=1000') FROM words) b;
SELECT uf_build(word, 'blocked:n=1000')::text AS one FROM words \gset
SELECT uf_build(word, 'blocked:n=1000')::text = :'one' AS same FROM words;
-- PL/pgSQL keeps an expression over all values of a variable.
DO $$
DECLARE
    filter ultrafilter;
    own bool;
    other bool;
BEGIN
    FOR i IN 1..3 LOOP
        SELECT uf_build(n, 'blocked:n=10,fpr=0.0001,seed=0x1') INTO filter FROM generate_series(10 * i, 10 * i + 9) n;
        own := 10 * i <@ filter;
        other := 10 * i + 10 <@ filter;
        RAISE NOTICE '%: %, %', i, own, other;
    END LOOP;
END $$;
-- Values that were damaged where they are stored: no function answers for one, and each says what is wrong.
CREATE FUNCTION forge(bytea, bytea) RETURNS ultrafilter LANGUAGE internal IMMUTABLE STRICT AS 'byteacat';
CREATE FUNCTION said(query text) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
    EXECUTE query;
    RETURN 'no error';
EXCEPTION WHEN OTHERS THEN
    RETURN SQLSTATE;
END $$;
CREATE TABLE forged AS SELECT forge(set_byte(uf_send(filter), 700, 255 - get_byte(uf_send(filter), 700)), '') AS filter FROM filters WHERE name = 'text';
INSERT INTO forged SELECT forge(set_byte(bytes, 5000, 255 - get_byte(bytes, 5000)), '')
    FROM (SELECT uf_send(uf_build(n, 'blocked:n=5000,fpr=0.001')) AS bytes FROM generate_series(1, 5000) n) b;
SELECT call, array_agg(said(format('SELECT %s FROM forged OFFSET %s LIMIT 1', call, row)) ORDER BY row) AS said FROM unnest(ARRAY['7 <@ filter', 'uf_contains(filter, ''a'')', 'filter::text',
    'uf_send(filter)', 'uf_file(filter)', 'uf_info(filter)', 'uf_claim(filter)', 'uf_fingerprint(filter)', 'uf_epsilon(filter)', 'uf_publish(filter, ''d'', 1)']) call, generate_series(0, 1) row GROUP BY call ORDER BY call COLLATE "C";
SELECT said('SELECT uf_union(filter) FROM forged') AS union, said('COPY forged TO ''/dev/null'' (FORMAT binary)') AS copy;
SELECT bool_and(said(format('SELECT 1 <@ forge(%L, '''')', set_bit(bytes, i, 1 - get_bit(bytes, i)))) = '22P03') AS bits
    FROM (SELECT uf_send(uf_build(n, 'blocked:n=2,fpr=0.1,seed=0x1')) AS bytes FROM generate_series(1, 2) n) b, generate_series(0, 8 * octet_length(bytes) - 1, 3) i;
