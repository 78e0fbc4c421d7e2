import type { ApiKeyId, ChannelId, UsageRecordId, UserId } from '@switchyard/contract/ids';
import { toPoints } from '@switchyard/contract/money';
import type {
  Attempt,
  Verdict as ShownVerdict,
  UsageRecord,
  UsageRecordDetail,
} from '@switchyard/contract/usage/usage-records';
import type { Context } from '../../context.ts';
import { RATIO_ONE, type StoredAttempt, type UsageDetail, type Verdict } from '../../ledger/ledger.ts';
import type { Viewer } from './record-filter.ts';
import type { RecordRow } from './record-queries.ts';

/** Presents a record. Channels and their costs are visible to administrators only. */
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
    cost: viewer === 'administrator' && row.cost !== null ? toPoints(row.cost) : null,
    channel: isChannelShown ? { id: row.channel_id as ChannelId, name: row.channel_name } : null,
  };
}

export async function presentDetail(ctx: Context, row: RecordRow, viewer: Viewer): Promise<UsageRecordDetail> {
  const detail = JSON.parse(row.detail) as UsageDetail;
  return {
    ...presentRecord(row, viewer),
    receipt: presentReceipt(detail.receipt, row.quota),
    attempts:
      viewer === 'administrator'
        ? await addChannelNames(ctx, detail.attempts ?? [])
        : (detail.attempts ?? []).map(omitChannel),
    requested_model: detail.requested_model ?? '',
    ending: detail.ending ?? null,
    batch: detail.batch ?? '',
    overrun: toPoints(detail.overrun ?? 0),
    dropped: [...(detail.dropped ?? [])],
    safety: viewer === 'administrator' ? (detail.safety ?? []) : [],
  };
}

function presentReceipt(receipt: UsageDetail['receipt'], total: number): UsageRecordDetail['receipt'] {
  if (receipt === undefined) return null;
  return {
    price_type: receipt.price_type,
    price_model: receipt.price_model,
    price_version: receipt.price_version ?? null,
    tier_above: receipt.tier_above ?? null,
    lines: receipt.lines.map(({ counter, model = '', variant = '', quantity, rate, undiscounted = false }) => ({
      counter,
      model,
      variant,
      quantity,
      rate,
      amount: String(BigInt(quantity) * BigInt(rate)),
      undiscounted,
    })),
    group_ratio: receipt.ratio_micros / RATIO_ONE,
    token_ratio: (receipt.key_ratio_micros ?? RATIO_ONE) / RATIO_ONE,
    batch_ratio: receipt.batch_ratio_micros === undefined ? null : receipt.batch_ratio_micros / RATIO_ONE,
    rounding: receipt.rounding ?? 'up',
    capped: receipt.capped ?? false,
    total: toPoints(total),
  };
}

async function addChannelNames(ctx: Context, attempts: readonly StoredAttempt[]): Promise<Attempt[]> {
  const ids = attempts.flatMap(({ channel_id, why = [] }) => [channel_id, ...why.map(([id]) => id)]);
  const rows = await ctx.db.writer
    .selectFrom('channel')
    .select(['id', 'name'])
    .where('id', 'in', [...new Set(ids)])
    .execute();
  const names = new Map<number, string>(rows.map((row) => [row.id, row.name]));
  const nameOf = (id: number): string => names.get(id) ?? '';
  return attempts.map(({ why = [], served_model = '', key_hint = '', ...attempt }) => ({
    ...attempt,
    key_hint,
    served_model,
    channel_name: nameOf(attempt.channel_id),
    verdicts: presentDecisions(why, nameOf),
  }));
}

export function presentDecisions(verdicts: readonly Verdict[], nameOf: (id: number) => string): ShownVerdict[] {
  return verdicts.map(([id, reason, detail = '']) => ({
    channel_id: id,
    channel_name: nameOf(id),
    reason,
    until: typeof detail === 'number' ? detail : 0,
    lacks: typeof detail === 'string' ? detail : '',
  }));
}

/** Returns an attempt without what identifies the channel. Customers see only the time and the outcome. */
function omitChannel({ status, started_after, duration, outcome }: StoredAttempt): Attempt {
  return {
    channel_id: null,
    channel_name: '',
    key_hint: '',
    upstream_model: '',
    served_model: '',
    status,
    started_after,
    duration,
    outcome,
    message: '',
    verdicts: [],
  };
}
