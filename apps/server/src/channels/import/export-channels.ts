import { setImmediate } from 'node:timers/promises';
import {
  type ChannelSelection,
  type ExportedChannel,
  type ExportFile,
  exportedFields,
  FILE_FORMAT,
} from '@switchyard/contract/channels/bulk-edits-and-import';
import type { Context } from '../../context.ts';
import { pickFields } from '../../platform/object-fields.ts';
import { openSecrets } from '../registry/channel-secrets.ts';
import { splitKeys } from '../registry/parse-key-lines.ts';
import { presentChannel } from '../registry/present-channel.ts';
import { type ChannelRow, findSelectedChannels, selectChannels } from '../registry/queries.ts';
import { CHANNELS_PER_CHUNK } from '../registry/write-channel-updates.ts';

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
  const masked = pickFields(presentChannel(ctx, row), exportedFields);
  if (!withSecrets) return masked;
  const { key, headers, proxy } = openSecrets(ctx.vault, row);
  const together = splitKeys(key).length > 1 && { keys_as: 'one-channel' as const };
  return { ...masked, key, ...together, model_headers: { ...headers }, proxy };
}
