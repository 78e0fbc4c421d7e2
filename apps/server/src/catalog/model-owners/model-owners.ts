/** Owners of models: the built-in vendors, and those that the operator added. Prices refer to them by id. */
import {
  type ModelOwner,
  type modelOwners,
  type NewOwner,
  OWNERS_MAX,
} from '@switchyard/contract/catalog/model-owners';
import type { RouteInput } from '@switchyard/contract/route';
import { providers } from '@switchyard/relay';
import type { Kysely } from 'kysely';
import type { Context } from '../../context.ts';
import { cacheUntilChanged } from '../../platform/caches.ts';
import { AppError, alreadyExists, notFound } from '../../platform/http/app-error.ts';
import { omitUndefinedFields } from '../../platform/object-fields.ts';
import type { Schema } from '../../schema.ts';
import type { ModelOwnerTable } from './table.ts';

type OwnerFields = RouteInput<(typeof modelOwners)['update']>['body'];
type GetOwnerName = (id: number | undefined, provider: string | undefined) => string | undefined;

const builtInOwners = providers.map(({ channelType, id, label }) => ({ id: channelType, name: label, icon: id }));

/** Returns the owners, sorted by id. */
export const listOwners = cacheUntilChanged(['models', 'prices'], async (ctx: Context): Promise<ModelOwner[]> => {
  const counts = await ctx.db.writer
    .selectFrom('price')
    .select(['channel_type', ({ fn }) => fn.countAll<number>().as('prices')])
    .groupBy('channel_type')
    .execute();
  const pricesOf = new Map(counts.map(({ channel_type, prices }) => [channel_type, prices]));
  const known = new Set(builtInOwners.map(({ id }) => id));
  // A new version may have a built-in vendor with an id that a custom owner already used.
  const added = (await readCustomOwners(ctx)).filter(({ id }) => !known.has(id));
  return [
    ...builtInOwners.map((owner) => ({ ...owner, built_in: true })),
    ...added.map((owner) => ({ ...owner, built_in: false })),
  ]
    .map((owner) => ({ ...owner, prices: pricesOf.get(owner.id) ?? 0 }))
    .toSorted((a, b) => a.id - b.id);
});

/** Loads a function that names an owner by the id of a price, or by a provider if the id is 0. */
export const loadOwnerNameLookup = cacheUntilChanged('models', async (ctx: Context): Promise<GetOwnerName> => {
  const byId = new Map([...(await readCustomOwners(ctx)), ...builtInOwners].map(({ id, name }) => [id, name]));
  const byProvider = new Map(providers.map(({ id, label }) => [id, label]));
  return (id = 0, provider = '') => (id === 0 ? byProvider.get(provider) : byId.get(id));
});

/** @throws AppError `already-exists` at the field, `conflict` if there are too many */
export async function createOwner(ctx: Context, { id, ...fields }: NewOwner): Promise<ModelOwner> {
  await ctx.db.writer.transaction().execute(async (trx) => {
    const others = await listOwnerNames(trx);
    if (others.length >= builtInOwners.length + OWNERS_MAX)
      throw new AppError('conflict', `You have reached the limit of ${OWNERS_MAX} owners. Delete one first.`);
    if (others.some((other) => other.id === id)) throw alreadyExists('id', `The id ${id} is taken`);
    checkName(others, fields.name);
    await trx
      .insertInto('model_owner')
      .values({ id, ...fields })
      .execute();
  });
  await ctx.changes.publish({ topic: 'models' });
  return findOwner(ctx, id);
}

/** Updates the sent fields. @throws AppError `not-found`, also for built-in owners; `already-exists` at the field */
export async function updateOwner(ctx: Context, id: number, fields: OwnerFields): Promise<ModelOwner> {
  await ctx.db.writer.transaction().execute(async (trx) => {
    const others = (await listOwnerNames(trx)).filter((other) => other.id !== id);
    checkName(others, fields.name);
    const { numUpdatedRows } = await trx
      .updateTable('model_owner')
      .set(omitUndefinedFields(fields))
      .where('id', '=', id)
      .executeTakeFirstOrThrow();
    if (numUpdatedRows === 0n) throw notFound('owner', id);
  });
  await ctx.changes.publish({ topic: 'models' });
  return findOwner(ctx, id);
}

/** @throws AppError `not-found`, also for built-in owners */
export async function removeOwner(ctx: Context, id: number): Promise<void> {
  const { numDeletedRows } = await ctx.db.writer
    .deleteFrom('model_owner')
    .where('id', '=', id)
    .executeTakeFirstOrThrow();
  if (numDeletedRows === 0n) throw notFound('owner', id);
  await ctx.changes.publish({ topic: 'models' });
}

/** @throws AppError `not-found` */
export async function findOwner(ctx: Context, id: number): Promise<ModelOwner> {
  const owner = (await listOwners(ctx)).find((known) => known.id === id);
  if (owner === undefined) throw notFound('owner', id);
  return owner;
}

function readCustomOwners(ctx: Context): Promise<ModelOwnerTable[]> {
  return ctx.db.writer.selectFrom('model_owner').selectAll().execute();
}

async function listOwnerNames(db: Kysely<Schema>): Promise<{ id: number; name: string }[]> {
  return [...builtInOwners, ...(await db.selectFrom('model_owner').select(['id', 'name']).execute())];
}

/** Requires a unique name, because models are found by the names of their owners. */
function checkName(others: readonly { name: string }[], name: string): void {
  if (others.some((other) => other.name.toLowerCase() === name.toLowerCase()))
    throw alreadyExists('name', `An owner named ${name} already exists`);
}
