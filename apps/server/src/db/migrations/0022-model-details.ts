import { type Kysely, sql } from 'kysely';

/** Adds the descriptions of models by administrators, and the owners of models that they add. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`create table model_detail (model text primary key, facts text not null)`.execute(db);
  await sql`create table model_owner (
    id integer primary key,
    name text not null,
    icon text not null
  )`.execute(db);
}
