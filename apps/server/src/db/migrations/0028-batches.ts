import { type Kysely, sql } from 'kysely';

/** Adds batches, and the files of their requests and responses. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`create table batch_file (
    id text primary key,
    user_id integer not null,
    api_key_id integer,
    purpose text not null,
    filename text not null,
    bytes integer not null,
    created_at integer not null,
    expires_at integer not null
  ) without rowid`.execute(db);
  await sql`create index batch_file_user on batch_file (user_id, created_at desc)`.execute(db);
  await sql`create index batch_file_expires on batch_file (expires_at)`.execute(db);
  await sql`create table batch (
    id text primary key,
    user_id integer not null,
    api_key_id integer not null,
    address text not null,
    endpoint text not null,
    input_file_id text not null,
    output_file_id text,
    error_file_id text,
    output_seconds integer,
    metadata text,
    errors text,
    model text not null,
    status text not null,
    total integer not null,
    completed integer not null,
    failed integer not null,
    created_at integer not null,
    expires_at integer not null,
    in_progress_at integer,
    finalizing_at integer,
    cancelling_at integer,
    ended_at integer,
    check ((status in ('validating', 'in_progress', 'finalizing', 'cancelling')) = (ended_at is null))
  ) without rowid`.execute(db);
  await sql`create index batch_user on batch (user_id, created_at desc)`.execute(db);
  await sql`create index batch_open on batch (created_at) where ended_at is null`.execute(db);
  await sql`create index batch_ended on batch (ended_at) where ended_at is not null`.execute(db);
  await sql`create table batch_line (
    batch_id text not null,
    line integer not null,
    request_id text not null,
    is_error integer not null,
    output text,
    primary key (batch_id, line)
  )`.execute(db);
}
