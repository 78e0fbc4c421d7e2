import { findProvider, type Target } from '@switchyard/relay';
import type { Context } from '../../context.ts';

export interface LoadedChannel {
  id: number;
  name: string;
  target: Omit<Target, 'model'>;
  groups: readonly string[];
  models: readonly string[];
  modelMapping: Readonly<Record<string, string>>;
  proxy: string;
  priority: number;
  weight: number;
  onlyChat: boolean;
}

/** Every enabled channel with its secrets opened. */
export async function loadChannels(ctx: Context): Promise<LoadedChannel[]> {
  const rows = await ctx.db.writer
    .selectFrom('channel')
    .selectAll()
    .where('status', '=', 'enabled')
    .where('deleted_time', 'is', null)
    .execute();
  return rows.flatMap((row) => {
    const provider = findProvider(row.provider);
    if (provider === undefined) return [];
    return [
      {
        id: row.id,
        name: row.name,
        target: {
          provider,
          baseUrl: row.base_url === '' ? (provider.baseUrl ?? '') : row.base_url,
          credentials: { key: ctx.vault.open('channel-key', `channel:${row.id}`, row.key_sealed) },
          options: JSON.parse(row.options) as Record<string, string>,
          headers: {},
        },
        groups: JSON.parse(row.groups) as string[],
        models: JSON.parse(row.models) as string[],
        modelMapping: JSON.parse(row.model_mapping) as Record<string, string>,
        proxy: '',
        priority: row.priority,
        weight: row.weight,
        onlyChat: row.only_chat === 1,
      },
    ];
  });
}

export async function disableChannel(ctx: Context, channelId: number, reason: string): Promise<void> {
  await ctx.db.writer
    .updateTable('channel')
    .set({ status: 'auto-disabled', disabled_reason: reason })
    .where('id', '=', channelId)
    .where('status', '=', 'enabled')
    .execute();
  await ctx.changes.publish({ topic: 'channels' });
}
