-- SPDX-License-Identifier: MIT
-- The type, and what is asked of it and built from keys.
\echo Use "CREATE EXTENSION ultrafilter" to load this file. \quit

CREATE TYPE ultrafilter;

CREATE FUNCTION uf_in(cstring) RETURNS ultrafilter AS 'MODULE_PATHNAME', 'ufpg_in' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
CREATE FUNCTION uf_out(ultrafilter) RETURNS cstring AS 'MODULE_PATHNAME', 'ufpg_out' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
CREATE FUNCTION uf_recv(internal) RETURNS ultrafilter AS 'MODULE_PATHNAME', 'ufpg_recv' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
CREATE FUNCTION uf_send(ultrafilter) RETURNS bytea AS 'MODULE_PATHNAME', 'ufpg_send' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;

-- Filters are random bits: compression is tried in vain.
CREATE TYPE ultrafilter (INPUT = uf_in, OUTPUT = uf_out, RECEIVE = uf_recv, SEND = uf_send,
                         INTERNALLENGTH = VARIABLE, ALIGNMENT = int4, STORAGE = external);
COMMENT ON TYPE ultrafilter IS 'a set of keys that answers "maybe" or "no"';

CREATE FUNCTION uf_from_bytea(bytea) RETURNS ultrafilter AS 'MODULE_PATHNAME', 'ufpg_from_bytea' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
CREATE FUNCTION uf_file(ultrafilter) RETURNS bytea AS 'MODULE_PATHNAME', 'ufpg_file' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION uf_file(ultrafilter) IS 'the bytes of its .uf file';
CREATE CAST (bytea AS ultrafilter) WITH FUNCTION uf_from_bytea(bytea);
CREATE CAST (ultrafilter AS bytea) WITH FUNCTION uf_file(ultrafilter);

CREATE FUNCTION uf_info(ultrafilter) RETURNS jsonb AS 'MODULE_PATHNAME', 'ufpg_info' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
CREATE FUNCTION uf_claim(ultrafilter) RETURNS jsonb AS 'MODULE_PATHNAME', 'ufpg_claim' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
CREATE FUNCTION uf_fingerprint(ultrafilter) RETURNS text AS 'MODULE_PATHNAME', 'ufpg_fingerprint' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;

-- Asking. Stable and not immutable: a keyed filter needs the key of a setting.
CREATE FUNCTION uf_support(internal) RETURNS internal AS 'MODULE_PATHNAME', 'ufpg_support' LANGUAGE C STRICT;

CREATE FUNCTION uf_contains(filter ultrafilter, key text) RETURNS bool AS 'MODULE_PATHNAME', 'ufpg_contains_bytes' LANGUAGE C STABLE STRICT PARALLEL SAFE SUPPORT uf_support;
CREATE FUNCTION uf_key_in(key text, filter ultrafilter) RETURNS bool AS 'MODULE_PATHNAME', 'ufpg_in_bytes' LANGUAGE C STABLE STRICT PARALLEL SAFE SUPPORT uf_support;
CREATE OPERATOR <@ (LEFTARG = text, RIGHTARG = ultrafilter, FUNCTION = uf_key_in, COMMUTATOR = @>, RESTRICT = contsel, JOIN = contjoinsel);
CREATE OPERATOR @> (LEFTARG = ultrafilter, RIGHTARG = text, FUNCTION = uf_contains, COMMUTATOR = <@, RESTRICT = contsel, JOIN = contjoinsel);

CREATE FUNCTION uf_contains(filter ultrafilter, key bytea) RETURNS bool AS 'MODULE_PATHNAME', 'ufpg_contains_bytes' LANGUAGE C STABLE STRICT PARALLEL SAFE SUPPORT uf_support;
CREATE FUNCTION uf_key_in(key bytea, filter ultrafilter) RETURNS bool AS 'MODULE_PATHNAME', 'ufpg_in_bytes' LANGUAGE C STABLE STRICT PARALLEL SAFE SUPPORT uf_support;
CREATE OPERATOR <@ (LEFTARG = bytea, RIGHTARG = ultrafilter, FUNCTION = uf_key_in, COMMUTATOR = @>, RESTRICT = contsel, JOIN = contjoinsel);
CREATE OPERATOR @> (LEFTARG = ultrafilter, RIGHTARG = bytea, FUNCTION = uf_contains, COMMUTATOR = <@, RESTRICT = contsel, JOIN = contjoinsel);

CREATE FUNCTION uf_contains(filter ultrafilter, key int8) RETURNS bool AS 'MODULE_PATHNAME', 'ufpg_contains_int8' LANGUAGE C STABLE STRICT PARALLEL SAFE SUPPORT uf_support;
CREATE FUNCTION uf_key_in(key int8, filter ultrafilter) RETURNS bool AS 'MODULE_PATHNAME', 'ufpg_in_int8' LANGUAGE C STABLE STRICT PARALLEL SAFE SUPPORT uf_support;
CREATE OPERATOR <@ (LEFTARG = int8, RIGHTARG = ultrafilter, FUNCTION = uf_key_in, COMMUTATOR = @>, RESTRICT = contsel, JOIN = contjoinsel);
CREATE OPERATOR @> (LEFTARG = ultrafilter, RIGHTARG = int8, FUNCTION = uf_contains, COMMUTATOR = <@, RESTRICT = contsel, JOIN = contjoinsel);

CREATE FUNCTION uf_contains(filter ultrafilter, key uuid) RETURNS bool AS 'MODULE_PATHNAME', 'ufpg_contains_uuid' LANGUAGE C STABLE STRICT PARALLEL SAFE SUPPORT uf_support;
CREATE FUNCTION uf_key_in(key uuid, filter ultrafilter) RETURNS bool AS 'MODULE_PATHNAME', 'ufpg_in_uuid' LANGUAGE C STABLE STRICT PARALLEL SAFE SUPPORT uf_support;
CREATE OPERATOR <@ (LEFTARG = uuid, RIGHTARG = ultrafilter, FUNCTION = uf_key_in, COMMUTATOR = @>, RESTRICT = contsel, JOIN = contjoinsel);
CREATE OPERATOR @> (LEFTARG = ultrafilter, RIGHTARG = uuid, FUNCTION = uf_contains, COMMUTATOR = <@, RESTRICT = contsel, JOIN = contjoinsel);

-- Building, in as many processes as there are.
CREATE FUNCTION uf_build_combine(internal, internal) RETURNS internal AS 'MODULE_PATHNAME', 'ufpg_build_combine' LANGUAGE C PARALLEL SAFE;
CREATE FUNCTION uf_build_serial(internal) RETURNS bytea AS 'MODULE_PATHNAME', 'ufpg_build_serial' LANGUAGE C STRICT PARALLEL SAFE;
CREATE FUNCTION uf_build_deserial(bytea, internal) RETURNS internal AS 'MODULE_PATHNAME', 'ufpg_build_deserial' LANGUAGE C STRICT PARALLEL SAFE;
CREATE FUNCTION uf_build_final(internal) RETURNS ultrafilter AS 'MODULE_PATHNAME', 'ufpg_build_final' LANGUAGE C PARALLEL SAFE;

CREATE FUNCTION uf_build_step(internal, text, text) RETURNS internal AS 'MODULE_PATHNAME', 'ufpg_build_bytes' LANGUAGE C PARALLEL SAFE;
CREATE AGGREGATE uf_build(key text, spec text) (SFUNC = uf_build_step, STYPE = internal, SSPACE = 65536,
    FINALFUNC = uf_build_final, FINALFUNC_MODIFY = READ_WRITE, COMBINEFUNC = uf_build_combine,
    SERIALFUNC = uf_build_serial, DESERIALFUNC = uf_build_deserial, PARALLEL = SAFE);

CREATE FUNCTION uf_build_step(internal, bytea, text) RETURNS internal AS 'MODULE_PATHNAME', 'ufpg_build_bytes' LANGUAGE C PARALLEL SAFE;
CREATE AGGREGATE uf_build(key bytea, spec text) (SFUNC = uf_build_step, STYPE = internal, SSPACE = 65536,
    FINALFUNC = uf_build_final, FINALFUNC_MODIFY = READ_WRITE, COMBINEFUNC = uf_build_combine,
    SERIALFUNC = uf_build_serial, DESERIALFUNC = uf_build_deserial, PARALLEL = SAFE);

CREATE FUNCTION uf_build_step(internal, int8, text) RETURNS internal AS 'MODULE_PATHNAME', 'ufpg_build_int8' LANGUAGE C PARALLEL SAFE;
CREATE AGGREGATE uf_build(key int8, spec text) (SFUNC = uf_build_step, STYPE = internal, SSPACE = 65536,
    FINALFUNC = uf_build_final, FINALFUNC_MODIFY = READ_WRITE, COMBINEFUNC = uf_build_combine,
    SERIALFUNC = uf_build_serial, DESERIALFUNC = uf_build_deserial, PARALLEL = SAFE);

CREATE FUNCTION uf_build_step(internal, uuid, text) RETURNS internal AS 'MODULE_PATHNAME', 'ufpg_build_uuid' LANGUAGE C PARALLEL SAFE;
CREATE AGGREGATE uf_build(key uuid, spec text) (SFUNC = uf_build_step, STYPE = internal, SSPACE = 65536,
    FINALFUNC = uf_build_final, FINALFUNC_MODIFY = READ_WRITE, COMBINEFUNC = uf_build_combine,
    SERIALFUNC = uf_build_serial, DESERIALFUNC = uf_build_deserial, PARALLEL = SAFE);

-- Unions of twins.
CREATE FUNCTION uf_union_step(internal, ultrafilter) RETURNS internal AS 'MODULE_PATHNAME', 'ufpg_union' LANGUAGE C PARALLEL SAFE;
CREATE FUNCTION uf_union_combine(internal, internal) RETURNS internal AS 'MODULE_PATHNAME', 'ufpg_union_combine' LANGUAGE C PARALLEL SAFE;
CREATE FUNCTION uf_union_serial(internal) RETURNS bytea AS 'MODULE_PATHNAME', 'ufpg_union_serial' LANGUAGE C STRICT PARALLEL SAFE;
CREATE FUNCTION uf_union_deserial(bytea, internal) RETURNS internal AS 'MODULE_PATHNAME', 'ufpg_union_deserial' LANGUAGE C STRICT PARALLEL SAFE;
CREATE FUNCTION uf_union_final(internal) RETURNS ultrafilter AS 'MODULE_PATHNAME', 'ufpg_union_final' LANGUAGE C PARALLEL SAFE;
CREATE AGGREGATE uf_union(filter ultrafilter) (SFUNC = uf_union_step, STYPE = internal, SSPACE = 65536,
    FINALFUNC = uf_union_final, COMBINEFUNC = uf_union_combine,
    SERIALFUNC = uf_union_serial, DESERIALFUNC = uf_union_deserial, PARALLEL = SAFE);
