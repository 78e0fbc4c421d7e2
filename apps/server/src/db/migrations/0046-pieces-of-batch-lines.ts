import { type Kysely, sql } from 'kysely';

/** Adds the pieces of long lines of batches, so that no statement writes or reads megabytes at once. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`create table batch_line_piece (
    batch_id text not null,
    request_id text not null,
    piece integer not null,
    content text not null,
    primary key (batch_id, request_id, piece)
  )`.execute(db);
}
