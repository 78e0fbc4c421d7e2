/** Removes models from all channels, or replaces them by others at the vendor. */
import { resolveModelNames } from '@switchyard/contract/channels/model-mapping';
import type { Transaction } from 'kysely';
import type { Context } from '../../context.ts';
import type { Schema } from '../../schema.ts';
import { recordEvent } from '../health/disable-and-enable-channels.ts';
import { parseColumns } from '../registry/loaded-channel.ts';
import { type ChannelRow, selectChannels } from '../registry/queries.ts';

/**
 * Removes models from channels; a channel without any other model is disabled instead.
 * @param as `offered`: names as clients use them; `upstream`: names at the vendor
 * @returns ids of the changed channels
 */
export async function removeModelsFromChannels(
  ctx: Context,
  models: readonly string[],
  as: 'offered' | 'upstream',
  userId: number,
): Promise<number[]> {
  const unwanted = new Set(models);
  const emptied: number[] = [];
  const changed = await changeChannels(ctx, async (trx, row) => {
    const { models: offered, model_mapping: modelMapping } = parseColumns(row);
    const stays = (model: string): boolean =>
      !unwanted.has(as === 'offered' ? model : resolveModelNames(modelMapping, model).upstreamModel);
    const left = offered.filter(stays);
    if (left.length === offered.length || (left.length === 0 && row.status === 'disabled')) return false;
    if (left.length === 0) emptied.push(row.id);
    await trx
      .updateTable('channel')
      .set(
        left.length === 0
          ? { status: 'disabled', disabled_reason: '' }
          : {
              models: JSON.stringify(left),
              ...(row.test_model !== '' && !stays(row.test_model) && { test_model: '' }),
            },
      )
      .where('id', '=', row.id)
      .execute();
    return true;
  });
  for (const id of emptied) await recordEvent(ctx, ctx.db.writer, id, 'disabled', { userId });
  return changed;
}

/**
 * Replaces a model at the vendor. Clients keep their name of the model, and billing keeps its name: the vendor's, or
 * the client's.
 */
export async function replaceUpstreamModel(ctx: Context, model: string, by: string): Promise<number[]> {
  return changeChannels(ctx, async (trx, row) => {
    const { models: offered, model_mapping: modelMapping } = parseColumns(row);
    const names = offered.filter((name) => resolveModelNames(modelMapping, name).upstreamModel === model);
    if (names.length === 0) return false;
    const mapped = names.map((name) => {
      const isBilledAsAsked = name !== model && resolveModelNames(modelMapping, name).billedModel === name;
      return [name, isBilledAsAsked ? `+${by}` : by];
    });
    await trx
      .updateTable('channel')
      .set({ model_mapping: JSON.stringify({ ...modelMapping, ...Object.fromEntries(mapped) }) })
      .where('id', '=', row.id)
      .execute();
    return true;
  });
}

async function changeChannels(
  ctx: Context,
  change: (trx: Transaction<Schema>, row: ChannelRow) => Promise<boolean>,
): Promise<number[]> {
  const ids = await ctx.db.writer.transaction().execute(async (trx) => {
    const changed: number[] = [];
    for (const row of await selectChannels(trx).orderBy('channel.id').execute())
      if (await change(trx, row)) changed.push(row.id);
    return changed;
  });
  if (ids.length > 0) await ctx.changes.publish({ topic: 'channels' });
  return ids;
}
