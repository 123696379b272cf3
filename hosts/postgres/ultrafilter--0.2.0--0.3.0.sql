-- SPDX-License-Identifier: MIT
-- Estimates for the planner, and releases that keep to their budget in every isolation level.
\echo Use "ALTER EXTENSION ultrafilter UPDATE TO '0.3.0'" to load this file. \quit

CREATE FUNCTION uf_restrict(internal, oid, internal, int4) RETURNS float8 AS 'MODULE_PATHNAME', 'ufpg_restrict' LANGUAGE C STABLE STRICT PARALLEL SAFE;
ALTER OPERATOR <@ (text, ultrafilter) SET (RESTRICT = uf_restrict, JOIN = matchingjoinsel);
ALTER OPERATOR @> (ultrafilter, text) SET (RESTRICT = uf_restrict, JOIN = matchingjoinsel);
ALTER OPERATOR <@ (bytea, ultrafilter) SET (RESTRICT = uf_restrict, JOIN = matchingjoinsel);
ALTER OPERATOR @> (ultrafilter, bytea) SET (RESTRICT = uf_restrict, JOIN = matchingjoinsel);
ALTER OPERATOR <@ (int8, ultrafilter) SET (RESTRICT = uf_restrict, JOIN = matchingjoinsel);
ALTER OPERATOR @> (ultrafilter, int8) SET (RESTRICT = uf_restrict, JOIN = matchingjoinsel);
ALTER OPERATOR <@ (uuid, ultrafilter) SET (RESTRICT = uf_restrict, JOIN = matchingjoinsel);
ALTER OPERATOR @> (ultrafilter, uuid) SET (RESTRICT = uf_restrict, JOIN = matchingjoinsel);

-- As before, but that the row of the budget is written and not only locked, so that a transaction whose snapshot is older
-- than the last release fails (could not serialize access) and does not miss it; and that names are looked up in
-- pg_catalog first, where nobody else makes functions.
CREATE OR REPLACE FUNCTION uf_publish(filter ultrafilter, data_set text, budget numeric DEFAULT NULL, label text DEFAULT NULL)
RETURNS bigint LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, @extschema@, pg_temp AS $$
#variable_conflict use_column
DECLARE
    known record;
    before record;
    spent numeric;
    costs numeric := uf_epsilon(uf_publish.filter);
    done bigint;
BEGIN
    IF uf_publish.filter IS NULL OR uf_publish.data_set IS NULL THEN
        RAISE EXCEPTION 'ultrafilter: a release needs a filter and the name of its data set' USING ERRCODE = 'null_value_not_allowed';
    END IF;
    IF costs IS NULL THEN
        RAISE EXCEPTION 'ultrafilter: a % filter is not private and cannot be published', uf_info(uf_publish.filter)->>'kind'::text
            USING ERRCODE = 'invalid_parameter_value', HINT = 'Build one with epsilon: dpset:n=1e6,epsilon=3';
    END IF;
    IF uf_publish.budget IS NOT NULL THEN
        INSERT INTO uf_budget VALUES (uf_publish.data_set, uf_publish.budget) ON CONFLICT DO NOTHING;
    END IF;
    UPDATE uf_budget b SET budget = b.budget WHERE b.data_set = uf_publish.data_set RETURNING b.* INTO known;
    IF NOT FOUND THEN
        RAISE EXCEPTION 'ultrafilter: the data set "%" has no budget yet: give one with its first release', uf_publish.data_set
            USING ERRCODE = 'invalid_parameter_value';
    END IF;
    IF known.budget <> uf_publish.budget THEN
        RAISE EXCEPTION 'ultrafilter: the budget of the data set "%" is %, and % was given', known.data_set, known.budget, uf_publish.budget
            USING ERRCODE = 'invalid_parameter_value';
    END IF;
    SELECT * INTO before FROM uf_ledger l WHERE l.label = uf_publish.label;
    IF FOUND AND before.data_set = uf_publish.data_set AND before.fingerprint = uf_fingerprint(uf_publish.filter) THEN
        RETURN before.id;
    ELSIF FOUND THEN
        RAISE EXCEPTION 'ultrafilter: the label "%" is that of another release', uf_publish.label
            USING ERRCODE = 'unique_violation', HINT = 'Take a new label for each release.';
    END IF;
    SELECT coalesce(sum(l.epsilon), 0) INTO spent FROM uf_ledger l WHERE l.data_set = uf_publish.data_set;
    IF spent + costs > known.budget THEN
        RAISE EXCEPTION 'ultrafilter: the data set "%" has % of its budget of % left, and this release costs %', known.data_set,
            trim_scale(round(known.budget - spent, 6)), known.budget, trim_scale(round(costs, 6)) USING ERRCODE = 'check_violation';
    END IF;
    INSERT INTO uf_ledger (data_set, epsilon, delta, mechanism, fingerprint, label, filter)
        VALUES (uf_publish.data_set, costs, uf_delta(uf_publish.filter), uf_info(uf_publish.filter)->>'kind'::text,
                uf_fingerprint(uf_publish.filter), uf_publish.label, uf_publish.filter)
        RETURNING id INTO done;
    RETURN done;
END $$;
