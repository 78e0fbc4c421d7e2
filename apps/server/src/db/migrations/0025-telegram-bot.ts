import { type Kysely, sql } from 'kysely';

/** Commands that the operator adds to the Telegram bot, and by what its webhook knows that Telegram calls. */
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
