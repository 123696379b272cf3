-- Releases: a budget for each data set.
CREATE TABLE patients AS SELECT 'p' || i AS id FROM generate_series(1, 100) i;
SELECT uf_publish(uf_build(id, 'bloom:n=100'), 'patients', 3) FROM patients;
SELECT uf_publish(uf_build(id, 'dpset:n=100,epsilon=1'), 'patients') FROM patients;
SELECT uf_publish(uf_build(id, 'dpset:n=100,epsilon=1'), 'patients', 2.5) FROM patients;
SELECT uf_publish(uf_build(id, 'dpset:n=100,epsilon=1'), 'patients', 4) FROM patients;
SELECT uf_publish(uf_build(id, 'ultra:n=100,epsilon=1'), 'patients', label => 'spring') FROM patients;
-- The same release again costs nothing; the label for another one is refused.
SELECT uf_publish(filter, 'patients', label => 'spring') FROM uf_ledger WHERE label = 'spring';
SELECT uf_publish(uf_build(id, 'ultra:n=100,epsilon=0.1'), 'patients', label => 'spring') FROM patients;
SELECT uf_publish(uf_build(id, 'dpset:n=100,epsilon=1'), 'patients') FROM patients;
SELECT uf_publish(uf_build(id, 'dpset:n=100,epsilon=1'), NULL) FROM patients;
SELECT data_set, mechanism, round(epsilon, 3) AS epsilon, label, released_by FROM uf_ledger ORDER BY id;
SELECT round(sum(epsilon), 3) <= 2.5 AS within FROM uf_ledger;
-- Ordinary users neither publish nor read the ledger, nor see where the key is.
CREATE ROLE someone LOGIN;
SET ROLE someone;
SELECT uf_publish(NULL, 'patients');
SELECT * FROM uf_ledger;
SET ultrafilter.key_file = '/nowhere';
SHOW ultrafilter.key_file;
RESET ROLE;
-- Functions of others in the schema are not what uf_publish calls with its owner's rights.
CREATE FUNCTION public.trim_scale(numeric) RETURNS numeric LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'called as %', current_user; END $$;
CREATE FUNCTION public.steal(jsonb, jsonb) RETURNS text LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'called as %', current_user; END $$;
CREATE OPERATOR public.->> (LEFTARG = jsonb, RIGHTARG = jsonb, FUNCTION = public.steal);
SELECT uf_publish(uf_build(id, 'dpset:n=100,epsilon=1'), 'patients') FROM patients;
SELECT uf_publish(uf_build(id, 'bloom:n=100'), 'patients') FROM patients;
-- Keyed filters without a key, with a file that is none, and a name that is not a setting.
SELECT uf_build(id, 'keyed(blocked:n=100)') FROM patients;
SET ultrafilter.key_file = '/nowhere';
SELECT uf_build(id, 'keyed(blocked:n=100)') FROM patients;
SET ultrafilter.other = 1;
