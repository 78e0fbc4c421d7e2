import type { Channel } from '@switchyard/contract/channels/channels';
import type { ChannelId } from '@switchyard/contract/ids';
import { toPoints } from '@switchyard/contract/money';
import type { Context } from '../../context.ts';
import { getChannelCooldownEnd } from '../health/channel-lifecycle.ts';
import { getCapEnd, listReachedCaps } from './channel-caps.ts';
import { type ChannelSecrets, maskSecrets, noSecrets, openSecrets } from './channel-secrets.ts';
import { getChannelType } from './form-checks.ts';
import { splitKeys } from './key-lines.ts';
import { parseColumns, parseNameList } from './loaded-channel.ts';
import type { ChannelRow } from './queries.ts';

const MICRO_USD = 1_000_000;

/** Formats a channel for administrators. */
export function presentChannel(ctx: Context, row: ChannelRow): Channel {
  const { options, models, groups, modelMapping, lacks, cost, deadlines, requestChanges, caps } = parseColumns(row);
  const secrets = openChannelSecrets(ctx, row);
  return {
    id: row.id as ChannelId,
    name: row.name,
    type: getChannelType(row.provider),
    provider: row.provider,
    base_url: row.base_url,
    options,
    models,
    group: groups,
    tag: row.tag,
    model_mapping: modelMapping,
    ...maskSecrets(secrets),
    test_model: row.test_model,
    priority: row.priority,
    weight: row.weight,
    only_chat: row.only_chat === 1,
    lacks,
    held_prompt: row.held_prompt,
    cost,
    deadlines,
    request_changes: requestChanges,
    status: row.status,
    key_hint: row.key_hint,
    key_count: secrets.key === '' ? 0 : splitKeys(secrets.key).length,
    keys_out: parseNameList(row.keys_out).length,
    created_time: row.created_time,
    test_time: row.test_time,
    response_time: row.response_time,
    balance: row.balance_micro_usd === null ? null : row.balance_micro_usd / MICRO_USD,
    balance_updated_time: row.balance_updated_time,
    used_quota: toPoints(row.used),
    disabled_reason: row.disabled_reason,
    cooldown_until: getChannelCooldownEnd(ctx, row.id),
    caps,
    spent: {
      day: toPoints(ctx.ledger.getChannelSpend(row.id, 'day')),
      month: toPoints(ctx.ledger.getChannelSpend(row.id, 'month')),
    },
    capped_until: getCapEnd(ctx.clock, listReachedCaps(ctx.ledger, { id: row.id, caps })),
  };
}

/**
 * Returns no secrets for a channel that was sealed with another master key, so that it can still be listed, edited
 * and deleted.
 */
function openChannelSecrets(ctx: Context, row: ChannelRow): ChannelSecrets {
  try {
    return openSecrets(ctx.vault, row);
  } catch (error) {
    ctx.log.error({ err: error, channel_id: row.id }, "a channel's secrets cannot be decrypted");
    return noSecrets;
  }
}
