/** Channels as the relay needs them: parsed, with their secrets open. Never sent to anybody. */
import { findProvider, type Provider, type Target } from '@switchyard/relay';
import { z } from 'zod';
import type { Context } from '../../context.ts';
import { AppError } from '../../platform/app-error.ts';
import { type ChannelSecrets, openSecrets } from './channel-secrets.ts';
import { type ChannelRow, findChannel, selectChannels } from './queries.ts';

export interface LoadedChannel extends ChannelSecrets {
  id: number;
  name: string;
  provider: Provider;
  /** Without trailing slash; the provider's own when the channel sets none. */
  baseUrl: string;
  options: Readonly<Record<string, string>>;
  /** `*` may stand at a name's end. */
  models: readonly string[];
  /** Symbols. */
  groups: readonly string[];
  /** Requested model → model at the vendor; a leading `+` bills by the requested name. */
  modelMapping: Readonly<Record<string, string>>;
  testModel: string;
  priority: number;
  weight: number;
  onlyChat: boolean;
  status: ChannelRow['status'];
}

const texts = z.array(z.string());
const pairs = z.record(z.string(), z.string());

/** Every channel that is not deleted, whatever its status. One that cannot be read is reported and left out. */
export async function loadChannels(ctx: Context): Promise<LoadedChannel[]> {
  const rows = await selectChannels(ctx.db.writer).orderBy('channel.id').execute();
  return rows.flatMap((row) => {
    try {
      return [loadRow(ctx, row)];
    } catch (error) {
      ctx.log.error({ err: error, channel_id: row.id }, 'a stored channel cannot be used');
      return [];
    }
  });
}

/** @throws AppError `not-found` */
export async function loadChannel(ctx: Context, id: number): Promise<LoadedChannel> {
  return loadRow(ctx, await findChannel(ctx, id));
}

/** The vendor's account with the model that is asked of it. */
export function targetOf(channel: LoadedChannel, upstreamModel: string): Target {
  const { provider, baseUrl, options, headers } = channel;
  return {
    provider,
    baseUrl,
    options,
    headers,
    credentials: { key: channel.key },
    model: upstreamModel,
  };
}

/** What the vendor calls a requested model, and the name by which it is billed. */
export function mapModel(
  channel: Pick<LoadedChannel, 'modelMapping'>,
  requested: string,
): { upstream: string; billed: string } {
  const mapped = channel.modelMapping[requested];
  if (mapped === undefined) return { upstream: requested, billed: requested };
  return mapped.startsWith('+')
    ? { upstream: mapped.slice(1), billed: requested }
    : { upstream: mapped, billed: mapped };
}

/** Parsed columns that hold no secret. */
export function parseColumns(row: ChannelRow) {
  return {
    options: pairs.parse(JSON.parse(row.options)),
    models: texts.parse(JSON.parse(row.models)),
    groups: texts.parse(JSON.parse(row.groups)),
    modelMapping: pairs.parse(JSON.parse(row.model_mapping)),
  };
}

export function trimBaseUrl(provider: Provider, baseUrl: string): string {
  return (baseUrl === '' ? (provider.baseUrl ?? '') : baseUrl).replace(/\/+$/, '');
}

function loadRow(ctx: Context, row: ChannelRow): LoadedChannel {
  const provider = findProvider(row.provider);
  if (provider === undefined) throw new AppError('not-supported', `There is no provider ${row.provider}`);
  return {
    id: row.id,
    name: row.name,
    provider,
    baseUrl: trimBaseUrl(provider, row.base_url),
    testModel: row.test_model,
    priority: row.priority,
    weight: row.weight,
    onlyChat: row.only_chat === 1,
    status: row.status,
    ...parseColumns(row),
    ...openSecrets(ctx.vault, row),
  };
}
