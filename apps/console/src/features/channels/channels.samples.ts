import type { ModelHealth, ModelHistory } from '@switchyard/contract/channels/channel-health';
import { deadlines, requestChanges } from '@switchyard/contract/channels/channel-nested-settings';
/** Wire responses of the channel routes, for tests. */
import type { StoredTest } from '@switchyard/contract/channels/channel-tests';
import type { channel, Provider } from '@switchyard/contract/channels/channels';
import { HttpResponse } from 'msw';
import type { z } from 'zod';
import { script } from '../../testing/mock-api-server.ts';

type WireChannel = z.input<typeof channel>;

export function wireChannel(id: number, more: Partial<WireChannel> = {}): WireChannel {
  return {
    id,
    name: `channel ${id}`,
    type: 1,
    provider: 'openai',
    base_url: '',
    options: {},
    models: ['gpt-5', 'gpt-5-mini'],
    group: ['default'],
    tag: '',
    model_mapping: {},
    model_headers: {},
    proxy: '',
    test_model: '',
    priority: 0,
    weight: 1,
    only_chat: false,
    held_prompt: 'all',
    cost: { ratio: null, models: {} },
    lacks: [],
    deadlines: deadlines.parse({}),
    request_changes: requestChanges.parse({}),
    status: 1,
    key_hint: 'abcd',
    key_count: 1,
    keys_out: 0,
    created_time: 1_700_000_000,
    test_time: 0,
    response_time: 0,
    balance: null,
    balance_updated_time: 0,
    used_quota: 0,
    disabled_reason: '',
    cooldown_until: 0,
    caps: { day: null, month: null },
    spent: { day: 0, month: 0 },
    capped_until: 0,
    ...more,
  };
}

export function wireTag(tag: string, channels = 2) {
  return { tag, channels, enabled: channels, disabled: 0, auto_disabled: 0 };
}

export function wireHealth(model: string, more: Partial<ModelHealth> = {}): ModelHealth {
  return {
    model,
    breaker: 'closed',
    open_until: 0,
    failures_in_row: 0,
    rests_until: 0,
    first_content_time: null,
    served_model: '',
    ...more,
  };
}

type WireTest = Omit<StoredTest, 'channel_id'> & { channel_id: number };

export function wireTest(channelId: number, model: string, more: Partial<WireTest> = {}): WireTest {
  return {
    channel_id: channelId,
    model,
    kind: 'short',
    outcome: 'passed',
    problem: null,
    message: '',
    finding: null,
    tested_at: 1_700_000_000,
    duration: 250,
    first_content_time: null,
    input_tokens: 8,
    output_tokens: 4,
    cost_micro_usd: 20,
    ...more,
  };
}

/**
 * Scripts the event stream of channel tests.
 * @param ends false for a stream that is cut off
 */
export function scriptTests(results: () => readonly WireTest[], ends = true) {
  const data = (event: unknown) => `data: ${JSON.stringify(event)}\n\n`;
  return script('post', '/api/channel/tests', () => {
    const events = results().map((result) => data({ event: 'result', result }));
    const text = [...events, ...(ends ? [data({ event: 'end' })] : [])].join('');
    return new HttpResponse(text, { headers: { 'content-type': 'text/event-stream' } });
  });
}

export function wireHistory(model: string): ModelHistory {
  const spans = (count: number) =>
    Array.from({ length: count }, (_, at) => ({
      from: at * 3600,
      answered: at === 0 ? 3 : 0,
      failed: at === 0 ? 1 : 0,
    }));
  return {
    model,
    hours: spans(24),
    days: spans(30),
    p50: 300,
    p95: 900,
    failures: [{ kind: 'rate-limited', count: 1 }],
  };
}

const openai: Provider = {
  type: 1,
  id: 'openai',
  label: 'OpenAI',
  website: 'https://platform.openai.com',
  base_url: 'https://api.openai.com',
  test_model: 'gpt-5-mini',
  credentials: [{ name: 'key', required: true, placeholder: 'sk-…' }],
  options: [{ name: 'organization', required: false, placeholder: 'org-…', default: '', choices: [], is_path: false }],
  can_list_models: true,
  can_read_balance: false,
};

export const wireProviders: Provider[] = [
  openai,
  {
    ...openai,
    type: 3,
    id: 'azure',
    label: 'Azure OpenAI',
    base_url: '',
    options: [
      { name: 'apiVersion', required: false, placeholder: '', default: '2024-10-21', choices: [], is_path: false },
    ],
    can_list_models: false,
  },
  {
    ...openai,
    type: 8,
    id: 'custom',
    label: 'Custom',
    options: [
      { name: 'rerankPath', required: false, placeholder: '/v1/rerank', default: '', choices: [], is_path: true },
    ],
  },
];
