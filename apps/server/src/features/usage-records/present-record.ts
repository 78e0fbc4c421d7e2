import type { ApiKeyId, ChannelId, UsageRecordId, UserId } from '@switchyard/contract/ids';
import { toPoints } from '@switchyard/contract/money';
import type { Attempt, UsageRecord, UsageRecordDetail } from '@switchyard/contract/usage-records';
import type { Context } from '../../context.ts';
import type { UsageDetail } from '../../ledger/ledger.ts';
import type { RecordRow } from './record-queries.ts';
import type { Viewer } from './viewer.ts';

const MICROS = 1_000_000;

/** Channels are the administrators' business. */
export function presentRecord(row: RecordRow, viewer: Viewer): UsageRecord {
  const isChannelShown = viewer === 'administrator' && row.channel_id !== null;
  return {
    id: row.id as UsageRecordId,
    request_id: row.request_id,
    created_at: row.created_at,
    type: row.type,
    content: row.content,
    user_id: row.user_id as UserId,
    username: row.username,
    token_id: row.api_key_id as ApiKeyId | null,
    token_name: row.token_name,
    model_name: row.model,
    group: row.group_symbol,
    quota: toPoints(row.quota),
    prompt_tokens: row.prompt_tokens,
    completion_tokens: row.completion_tokens,
    cached_tokens: row.cached_tokens,
    request_time: row.duration_ms,
    first_byte_time: row.first_byte_ms,
    is_stream: row.is_stream === 1,
    source_ip: row.address,
    usage_source: row.usage_source,
    channel: isChannelShown ? { id: row.channel_id as ChannelId, name: row.channel_name } : null,
  };
}

export async function presentDetail(
  ctx: Context,
  row: RecordRow,
  viewer: Viewer,
): Promise<UsageRecordDetail> {
  const detail = JSON.parse(row.detail) as UsageDetail;
  return {
    ...presentRecord(row, viewer),
    receipt: presentReceipt(detail.receipt, row.quota),
    ending: detail.ending ?? null,
    attempts: viewer === 'administrator' ? await nameChannels(ctx, detail.attempts ?? []) : [],
    overrun: toPoints(detail.overrun ?? 0),
    dropped: [...(detail.dropped ?? [])],
  };
}

function presentReceipt(receipt: UsageDetail['receipt'], total: number): UsageRecordDetail['receipt'] {
  if (receipt === undefined) return null;
  return {
    price_type: receipt.price_type,
    price_model: receipt.price_model,
    lines: receipt.lines.map(({ counter, quantity, rate }) => ({
      counter,
      quantity,
      rate,
      amount: String(BigInt(quantity) * BigInt(rate)),
    })),
    group_ratio: receipt.ratio_micros / MICROS,
    total: toPoints(total),
  };
}

async function nameChannels(
  ctx: Context,
  attempts: readonly Omit<Attempt, 'channel_name'>[],
): Promise<Attempt[]> {
  const ids = [...new Set(attempts.map((attempt) => attempt.channel_id))];
  const rows = await ctx.db.writer
    .selectFrom('channel')
    .select(['id', 'name'])
    .where('id', 'in', ids)
    .execute();
  const names = new Map<number, string>(rows.map((row) => [row.id, row.name]));
  return attempts.map((attempt) => ({ ...attempt, channel_name: names.get(attempt.channel_id) ?? '' }));
}
