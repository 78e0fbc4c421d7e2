/** What queries ask of SQLite, as functions of the same names. */
import type pg from 'pg';

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
create or replace function json_extract(document text, path text) returns text immutable strict parallel safe language sql
  as $$ select jsonb_path_query_first(document::jsonb, path::jsonpath) #>> '{}' $$;
`;

/** Any number: nodes that start together make them one after the other. */
const LOCK = 7_301_915;

export async function createFunctions(pool: pg.Pool): Promise<void> {
  const client = await pool.connect();
  try {
    await client.query(`begin; select pg_advisory_xact_lock(${LOCK}); ${functions}; commit`);
  } catch (error) {
    await client.query('rollback');
    throw error;
  } finally {
    client.release();
  }
}
