import { type Kysely, sql } from 'kysely';

/**
 * Adds a hash chain to the audit log. Earlier entries have no hash. Adding a column changes no row, so the triggers
 * that forbid changes can stay.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table audit_entry add column hash text not null default ''`.execute(db);
  for (const column of ['created_at', 'user_id', 'action'])
    await db.schema.createIndex(`audit_entry_${column}`).on('audit_entry').column(column).execute();
  await sql`create table audit_head (
    id integer primary key check (id = 1),
    head_sealed text not null
  )`.execute(db);
}
