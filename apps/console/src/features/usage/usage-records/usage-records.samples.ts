/** Wire responses of the usage record routes, for tests. */
import type { usageRecord, usageRecordDetail } from '@switchyard/contract/usage/usage-records';
import type { z } from 'zod';

type WireRecord = z.input<typeof usageRecord>;
type WireDetail = z.input<typeof usageRecordDetail>;

export function wireRecord(id: number, more: Partial<WireRecord> = {}): WireRecord {
  return {
    id,
    request_id: '1m7xxfbwe0000ttn0p',
    created_at: 1_700_000_000,
    type: 2,
    content: '',
    user_id: 7,
    username: 'ada',
    token_id: 3,
    token_name: 'ci',
    model_name: 'gpt-5',
    group: 'default',
    quota: 3565,
    prompt_tokens: 1234,
    completion_tokens: 321,
    cached_tokens: 0,
    request_time: 2000,
    first_byte_time: 900,
    is_stream: true,
    source_ip: '10.0.0.9',
    usage_source: 'reported',
    cost: null,
    channel: { id: 5, name: 'openai-eu' },
    ...more,
  };
}

type WireLine = NonNullable<WireDetail['receipt']>['lines'][number];

/** Returns a line of a receipt, an input of nothing unless the fields say otherwise. */
export function wireLine(fields: Partial<WireLine>): WireLine {
  return {
    counter: 'input',
    model: '',
    variant: '',
    quantity: 0,
    rate: 0,
    amount: '0',
    undiscounted: false,
    ...fields,
  };
}

export function wireDetail(id: number, more: Partial<WireDetail> = {}): WireDetail {
  return {
    ...wireRecord(id),
    receipt: {
      price_type: 'tokens',
      price_model: 'gpt-5*',
      price_version: 12,
      tier_above: null,
      lines: [
        wireLine({ counter: 'input', quantity: 1234, rate: 625_000_000, amount: '771250000000' }),
        wireLine({ counter: 'output', quantity: 321, rate: 5_000_000_000, amount: '1605000000000' }),
      ],
      group_ratio: 1.5,
      token_ratio: 1,
      batch_ratio: null,
      rounding: 'up',
      capped: false,
      total: 3565,
    },
    ending: 'complete',
    attempts: [],
    requested_model: '',
    batch: '',
    overrun: 0,
    dropped: [],
    safety: [],
    ...more,
  };
}

export const wireTotals = { quota: 500_000, requests: 1, prompt_tokens: 1234, completion_tokens: 321 };
