import { type Kysely, sql } from 'kysely';

/** Adds the artifacts of tasks that the operator stores, so that not only the provider has them. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`create table stored_work (
    id text primary key,
    task_id text,
    user_id integer,
    nth integer not null,
    lane text not null,
    store text not null,
    state text not null check (state in ('waiting', 'kept', 'failed', 'expired')),
    bytes integer not null,
    media_type text not null,
    tries integer not null,
    next_try_at integer not null,
    created_at integer not null,
    expires_at integer,
    unique (task_id, nth),
    check ((task_id is null) <> (user_id is null))
  ) without rowid`.execute(db);
  await sql`create index stored_work_due on stored_work (next_try_at) where state = 'waiting'`.execute(db);
  await sql`create index stored_work_expiry on stored_work (expires_at) where state = 'kept'`.execute(db);
  await sql`create index stored_work_age on stored_work (store, created_at) where state = 'kept'`.execute(db);
}
