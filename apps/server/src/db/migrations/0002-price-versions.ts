import { type Kysely, sql } from 'kysely';

/**
 * Adds versions of prices with units, image sizes and tiers, a ratio for each API key, and the costs of channels and
 * calls.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`create table price_version (
    id integer primary key autoincrement,
    created_at integer not null,
    model text not null,
    type text not null,
    rates text not null,
    image_rates text not null,
    tiers text not null
  )`.execute(db);
  await db.schema.createIndex('price_version_model').on('price_version').columns(['model', 'id']).execute();
  for (const change of ['update', 'delete']) {
    await sql`create trigger ${sql.raw(`price_version_no_${change}`)} before ${sql.raw(change)} on price_version
      begin select raise(abort, 'price versions are append-only'); end`.execute(db);
  }

  const add = (table: string, column: string, definition: string) =>
    sql`alter table ${sql.table(table)} add column ${sql.ref(column)} ${sql.raw(definition)}`.execute(db);
  await add('price', 'image_rates', "text not null default '{}'");
  await add('price', 'tiers', "text not null default '[]'");
  await add('price', 'version', 'integer not null default 0');
  await sql`insert into price_version (created_at, model, type, rates, image_rates, tiers)
    select unixepoch(), model, type, rates, image_rates, tiers from price order by model`.execute(db);
  await sql`update price set version = (select max(v.id) from price_version v where v.model = price.model)`.execute(db);

  await add('api_key', 'ratio_micros', 'integer not null default 1000000');
  await add('channel', 'cost', "text not null default '{}'");
  await add('usage_record', 'cost', 'integer');
  await add('usage_hour', 'cost', 'integer not null default 0');
  await add('usage_hour', 'costed_quota', 'integer not null default 0');
}
