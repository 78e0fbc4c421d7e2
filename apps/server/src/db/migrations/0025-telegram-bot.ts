import { type Kysely, sql } from 'kysely';

/** Adds the operator's commands of the Telegram bot, and the secret that authenticates its webhook. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`create table telegram_menu (
    id integer primary key autoincrement,
    command text not null unique,
    description text not null,
    parse_mode text not null,
    reply_message text not null,
    enabled integer not null,
    position integer not null
  )`.execute(db);
  await sql`create table telegram_webhook (bot text primary key, secret_sealed text not null)`.execute(db);
}
