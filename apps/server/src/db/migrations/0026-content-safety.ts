import { type Kysely, sql } from 'kysely';

/** Adds the content rules for requests and responses, and the counts of their findings. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`create table safety_rule (
    id integer primary key autoincrement,
    name text not null,
    enabled integer not null,
    kind text not null,
    action text not null,
    groups text not null,
    input integer not null,
    output integer not null,
    words text not null,
    model text not null,
    url text not null,
    secret_sealed text not null,
    thresholds text not null,
    timeout_ms integer not null,
    on_failure text not null
  )`.execute(db);
  await sql`create table safety_day (
    day integer not null,
    rule_id integer not null,
    found integer not null,
    primary key (day, rule_id)
  ) without rowid`.execute(db);
}
