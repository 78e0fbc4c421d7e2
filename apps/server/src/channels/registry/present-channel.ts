import type { Channel } from '@switchyard/contract/channels/channels';
import type { ChannelId } from '@switchyard/contract/ids';
import { toPoints } from '@switchyard/contract/money';
import type { Context } from '../../context.ts';
import { pickFields } from '../../platform/object-fields.ts';
import { getChannelCooldownEnd } from '../health/health-status-and-resume.ts';
import { type ChannelSecrets, maskSecrets, noSecrets, openSecrets } from './channel-secrets.ts';
import { getChannelType } from './check-channel-form.ts';
import { parseColumns, parseNameList, plainSettings } from './loaded-channel.ts';
import { splitKeys } from './parse-key-lines.ts';
import type { ChannelRow } from './queries.ts';
import { getCapEnd, listReachedCaps } from './spending-caps.ts';

const MICRO_USD = 1_000_000;

/** Formats a channel for administrators. */
export function presentChannel(ctx: Context, row: ChannelRow): Channel {
  const { groups, ...settings } = parseColumns(row);
  const secrets = openChannelSecrets(ctx, row);
  return {
    ...pickFields(row, plainSettings),
    ...pickFields(row, ['provider', 'status', 'disabled_reason', 'key_hint']),
    ...pickFields(row, ['created_time', 'test_time', 'response_time', 'balance_updated_time']),
    ...settings,
    ...maskSecrets(secrets),
    id: row.id as ChannelId,
    type: getChannelType(row.provider),
    group: groups,
    only_chat: row.only_chat === 1,
    key_count: secrets.key === '' ? 0 : splitKeys(secrets.key).length,
    keys_out: parseNameList(row.keys_out).length,
    balance: row.balance_micro_usd === null ? null : row.balance_micro_usd / MICRO_USD,
    used_quota: toPoints(row.used),
    cooldown_until: getChannelCooldownEnd(ctx, row.id),
    spent: {
      day: toPoints(ctx.ledger.getChannelSpend(row.id, 'day')),
      month: toPoints(ctx.ledger.getChannelSpend(row.id, 'month')),
    },
    capped_until: getCapEnd(ctx.clock, listReachedCaps(ctx.ledger, { id: row.id, caps: settings.caps })),
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
