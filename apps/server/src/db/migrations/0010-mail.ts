import { type Kysely, sql } from 'kysely';

/** Adds mails that are queued or failed. Sent mails are deleted. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`create table mail (
    id text primary key,
    created_time integer not null,
    recipient text not null,
    template text not null,
    values_sealed text not null,
    language text not null,
    tries integer not null,
    next_try_time integer not null,
    expires_time integer not null,
    last_error text not null,
    state text not null check (state in ('waiting', 'failed'))
  )`.execute(db);
  await db.schema.createIndex('mail_due').on('mail').columns(['state', 'next_try_time']).execute();
}
