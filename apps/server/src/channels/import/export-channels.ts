import { setImmediate } from 'node:timers/promises';
import {
  type ChannelSelection,
  type ExportedChannel,
  type ExportFile,
  FILE_FORMAT,
} from '@switchyard/contract/channels/channel-edits';
import type { Context } from '../../context.ts';
import { openSecrets } from '../registry/channel-secrets.ts';
import { splitKeys } from '../registry/key-lines.ts';
import { presentChannel } from '../registry/present-channel.ts';
import { type ChannelRow, findSelectedChannels, selectChannels } from '../registry/queries.ts';
import { CHANNELS_PER_CHUNK } from '../registry/write-updates.ts';

/** @param withSecrets true to export keys, headers and proxies in plain text instead of masks */
export async function exportChannels(ctx: Context, where: ChannelSelection, withSecrets: boolean): Promise<ExportFile> {
  const rows = await findSelectedChannels(selectChannels(ctx.db.reader), where);
  const channels: ExportedChannel[] = [];
  for (const [index, row] of rows.entries()) {
    if (index % CHANNELS_PER_CHUNK === 0) await setImmediate();
    channels.push(toExportedChannel(ctx, row, withSecrets));
  }
  return { format: FILE_FORMAT, version: 1, with_secrets: withSecrets, channels };
}

function toExportedChannel(ctx: Context, row: ChannelRow, withSecrets: boolean): ExportedChannel {
  const channel = presentChannel(ctx, row);
  const masked = {
    name: channel.name,
    type: channel.type,
    base_url: channel.base_url,
    options: channel.options,
    models: channel.models,
    group: channel.group,
    tag: channel.tag,
    model_mapping: channel.model_mapping,
    model_headers: channel.model_headers,
    proxy: channel.proxy,
    test_model: channel.test_model,
    priority: channel.priority,
    weight: channel.weight,
    only_chat: channel.only_chat,
    lacks: channel.lacks,
    held_prompt: channel.held_prompt,
    cost: channel.cost,
    caps: channel.caps,
    deadlines: channel.deadlines,
    request_changes: channel.request_changes,
    status: channel.status,
  };
  if (!withSecrets) return masked;
  const { key, headers, proxy } = openSecrets(ctx.vault, row);
  const together = splitKeys(key).length > 1 && { keys_as: 'one-channel' as const };
  return { ...masked, key, ...together, model_headers: { ...headers }, proxy };
}
