/** Names of the values of a dimension, even of deleted ones. */

import type { Dimension, NamedValue } from '@switchyard/contract/usage/analytics';
import { type RawBuilder, sql } from 'kysely';
import { loadOwnerNameLookup } from '../../catalog/model-owners/model-owners.ts';
import { loadModelMetadata } from '../../catalog/models/models.ts';
import { loadPriceLookup } from '../../catalog/prices/prices.ts';
import type { Context } from '../../context.ts';
import { nowSeconds } from '../../platform/clock.ts';
import { findHourRollups } from './hour-rollups.ts';

const FOUND_MAX = 20;
/** Seconds within which a model must have been called to be found. */
const MODELS_SECONDS = 90 * 86_400;

/** Names of keys with their owner's, because many keys have the same name. */
const keyNames = sql`(select k.id, k.name || ' (' || u.username || ')' as name
  from api_key k join "user" u on u.id = k.user_id) as named`;

/** Tables that contain the names of a dimension's ids. The other dimensions' values are names already. */
const tables: Partial<Record<Dimension, { table: RawBuilder<unknown>; key: string; name: string }>> = {
  user: { table: sql`"user"`, key: 'id', name: 'username' },
  token: { table: keyNames, key: 'id', name: 'name' },
  channel: { table: sql`channel`, key: 'id', name: 'name' },
  group: { table: sql`user_group`, key: 'symbol', name: 'name' },
};

/** Returns the names in the order of the keys. A key without a name is its own name. */
export async function nameValues(
  { db }: Pick<Context, 'db'>,
  dimension: Dimension,
  keys: readonly string[],
): Promise<NamedValue[]> {
  const source = tables[dimension];
  if (source === undefined) return keys.map((key) => ({ key, name: key }));
  const { rows } = await sql<NamedValue>`select cast(${sql.ref(source.key)} as text) as key,
      ${sql.ref(source.name)} as name from ${source.table}
    where ${sql.ref(source.key)} in (${source.key === 'id' ? parseIds(keys) : selectTexts(keys)})`.execute(db.reports);
  const names = new Map(rows.map(({ key, name }) => [key, name]));
  return keys.map((key) => ({ key, name: names.get(key) ?? key }));
}

const selectTexts = (keys: readonly string[]) => sql`select value from json_each(${JSON.stringify(keys)})`;

function parseIds(keys: readonly string[]) {
  const ids = keys.map(Number).filter((id) => Number.isSafeInteger(id));
  return sql`select cast(value as bigint) from json_each(${JSON.stringify(ids)})`;
}

/** Returns values whose names contain a text, or whose id equals it. */
export async function findValues(ctx: Context, dimension: Dimension, keyword: string): Promise<NamedValue[]> {
  const source = tables[dimension];
  if (source === undefined) return findNames(ctx, dimension, keyword.toLowerCase());
  const [key, name] = [sql`cast(${sql.ref(source.key)} as text)`, sql.ref(source.name)];
  const position = sql`instr(lower(${name}), lower(${keyword}))`;
  const { rows } = await sql<NamedValue>`select ${key} as key, ${name} as name from ${source.table}
    where ${position} > 0 or ${key} = ${keyword} order by ${position}, ${name} limit ${FOUND_MAX}`.execute(
    ctx.db.reports,
  );
  return rows;
}

async function findNames(ctx: Context, dimension: Dimension, keyword: string): Promise<NamedValue[]> {
  const words = await listNames(ctx, dimension);
  return words
    .filter((word) => word.toLowerCase().includes(keyword))
    .toSorted((a, b) => a.toLowerCase().indexOf(keyword) - b.toLowerCase().indexOf(keyword))
    .slice(0, FOUND_MAX)
    .map((word) => ({ key: word, name: word }));
}

async function listNames(ctx: Context, dimension: Dimension): Promise<string[]> {
  if (dimension === 'status') return ['answered', 'error'];
  if (dimension === 'stream') return ['true', 'false'];
  const to = nowSeconds(ctx.clock);
  const { source } = await findHourRollups(ctx, { from: to - MODELS_SECONDS, to }, 'model');
  const models = (await ctx.db.sumRollups({ kind: 'models', source })).toSorted();
  return dimension === 'owner' ? [...new Set(Object.values(await loadModelOwners(ctx, models)))] : models;
}

/**
 * Returns the owners of models: the vendor that a model's price names, or else the company documented as its maker.
 */
export async function loadModelOwners(ctx: Context, models: readonly string[]): Promise<Record<string, string>> {
  const priceOf = await loadPriceLookup(ctx);
  const factsOf = await loadModelMetadata(ctx);
  const ownerOf = await loadOwnerNameLookup(ctx);
  const owners = models.map((model) => {
    const maker = factsOf(model)?.owner;
    return [model, ownerOf(priceOf(model)?.channel_type, maker) ?? maker ?? ''];
  });
  return Object.fromEntries(owners);
}
