/** Functions of SQLite that queries use, under the same names. */
import type pg from 'pg';
import { VERSIONS_TABLE } from '../migrate.ts';

const functions = `
create or replace function instr(text, text) returns bigint immutable strict parallel safe language sql
  as 'select strpos($1, $2)::bigint';
create or replace function unixepoch() returns bigint stable parallel safe language sql
  as 'select floor(extract(epoch from now()))::bigint';
create or replace function iif(boolean, anycompatible, anycompatible) returns anycompatible immutable parallel safe language sql
  as 'select case when $1 then $2 else $3 end';
create or replace function max(bigint, bigint) returns bigint immutable strict parallel safe language sql
  as 'select greatest($1, $2)';
create or replace function min(bigint, bigint) returns bigint immutable strict parallel safe language sql
  as 'select least($1, $2)';
create or replace function json_of(document text) returns jsonb immutable strict parallel safe language sql
  as $$ select regexp_replace(document, '\\\\u(0000|d[89a-f][0-9a-f]{2})', '\\\\ufffd', 'gi')::jsonb $$;
create or replace function json_extract(document text, path text) returns text immutable strict parallel safe language sql
  as $$ select jsonb_path_query_first(json_of(document), path::jsonpath) #>> '{}' $$;
create or replace function json_each(document text) returns table (key bigint, value text) immutable strict parallel safe language sql rows 10
  as $$ select nth - 1, item #>> '{}' from jsonb_array_elements(json_of(document)) with ordinality as one (item, nth) $$;
create or replace function array_with(array_so_far jsonb, item anyelement) returns jsonb immutable parallel safe language sql
  as 'select $1 || jsonb_build_array($2)';
create or replace function text_of(document jsonb) returns text immutable strict parallel safe language sql
  as 'select $1::text';
create or replace aggregate json_group_array(anyelement) (sfunc = array_with, stype = jsonb, initcond = '[]', finalfunc = text_of);
create or replace function one_more(so_far bigint, more boolean) returns bigint immutable strict parallel safe language sql
  as 'select $1 + $2::int';
create or replace aggregate sum(boolean) (sfunc = one_more, stype = bigint, initcond = '0');
create or replace function date(seconds bigint, unit text) returns text immutable strict parallel safe language sql
  as $$ select to_char(to_timestamp(seconds) at time zone 'utc', 'YYYY-MM-DD') $$;
`;

/** Any number: nodes that start together make them one after the other. */
const LOCK = 7_301_915;

/** And the table that `migrate` wants before it takes turns: of two that make one at once, PostgreSQL fails the second. */
export async function createFunctions(pool: pg.Pool): Promise<void> {
  const client = await pool.connect();
  try {
    await client.query(`begin; select pg_advisory_xact_lock(${LOCK}); ${functions}; ${VERSIONS_TABLE}; commit`);
  } catch (error) {
    await client.query('rollback');
    throw error;
  } finally {
    client.release();
  }
}
