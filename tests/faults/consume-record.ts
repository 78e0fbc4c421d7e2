import type { NewUsageRecord } from '../../apps/server/src/ledger/ledger.ts';

/** Returns the smallest record of a call that the ledger accepts. */
export function createConsumeRecord(
  requestId: string,
  userId: number,
  apiKeyId: number | null,
  quota: number,
): NewUsageRecord {
  return {
    request_id: requestId,
    created_at: Math.floor(Date.now() / 1000),
    type: 'consume',
    user_id: userId,
    api_key_id: apiKeyId,
    channel_id: null,
    model: 'model',
    group_symbol: 'default',
    quota,
    cost: null,
    prompt_tokens: 0,
    completion_tokens: quota,
    cached_tokens: 0,
    duration_ms: 1,
    first_byte_ms: 1,
    is_stream: 0,
    address: '127.0.0.1',
    usage_source: 'reported',
    content: '',
    detail: '{}',
  };
}
