-- SPDX-License-Identifier: MIT
-- Releases with a budget.
\echo Use "ALTER EXTENSION ultrafilter UPDATE TO '0.2.0'" to load this file. \quit

CREATE FUNCTION uf_epsilon(ultrafilter) RETURNS numeric AS 'MODULE_PATHNAME', 'ufpg_epsilon' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
CREATE FUNCTION uf_delta(ultrafilter) RETURNS numeric AS 'MODULE_PATHNAME', 'ufpg_delta' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION uf_epsilon(ultrafilter) IS 'what a private filter promises, to the last digit; NULL: it is not private';

-- What each data set may spend, and what was released of it. Nobody but their owner reads or writes them unless it is
-- granted; uf_publish writes with the rights of its owner.
CREATE TABLE uf_budget (
    data_set text PRIMARY KEY CHECK (data_set <> ''),
    budget numeric NOT NULL CHECK (budget > 0 AND budget < 'Infinity')
);

CREATE TABLE uf_ledger (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    data_set text NOT NULL REFERENCES uf_budget,
    epsilon numeric NOT NULL CHECK (epsilon > 0),
    delta numeric NOT NULL,
    mechanism text NOT NULL,
    fingerprint text NOT NULL,
    label text UNIQUE,
    released timestamptz NOT NULL DEFAULT clock_timestamp(),
    released_by name NOT NULL DEFAULT session_user,
    filter ultrafilter NOT NULL
);
CREATE INDEX ON uf_ledger (data_set);

SELECT pg_catalog.pg_extension_config_dump('uf_budget', '');
SELECT pg_catalog.pg_extension_config_dump('uf_ledger', '');
SELECT pg_catalog.pg_extension_config_dump(pg_catalog.pg_get_serial_sequence('uf_ledger', 'id')::regclass, '');

-- Charges a private filter to its data set and keeps it in uf_ledger, where others read it; returns its id there. The
-- row of the budget is locked until the transaction ends, so that releases of one data set wait for each other.
CREATE FUNCTION uf_publish(filter ultrafilter, data_set text, budget numeric DEFAULT NULL, label text DEFAULT NULL)
RETURNS bigint LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = @extschema@, pg_catalog, pg_temp AS $$
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
        RAISE EXCEPTION 'ultrafilter: a % filter is not private and cannot be published', uf_info(uf_publish.filter)->>'kind'
            USING ERRCODE = 'invalid_parameter_value', HINT = 'Build one with epsilon: dpset:n=1e6,epsilon=3';
    END IF;
    IF uf_publish.budget IS NOT NULL THEN
        INSERT INTO uf_budget VALUES (uf_publish.data_set, uf_publish.budget) ON CONFLICT DO NOTHING;
    END IF;
    SELECT * INTO known FROM uf_budget b WHERE b.data_set = uf_publish.data_set FOR UPDATE;
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
        VALUES (uf_publish.data_set, costs, uf_delta(uf_publish.filter), uf_info(uf_publish.filter)->>'kind',
                uf_fingerprint(uf_publish.filter), uf_publish.label, uf_publish.filter)
        RETURNING id INTO done;
    RETURN done;
END $$;
REVOKE ALL ON FUNCTION uf_publish(ultrafilter, text, numeric, text) FROM PUBLIC;
