import { describe, expect, it } from 'vitest';
import { planExchange } from '../exchange/plan-exchange.ts';
import type { JsonObject } from '../json/json.ts';
import { sampleRequest, sampleTarget } from '../testing/sample-requests.ts';
import { sanitizeMeter } from './plausible-usage.ts';
import { promptTokens } from './usage.ts';

const clients = ['openai-chat', 'anthropic-messages'] as const;
const text = 'word '.repeat(500);

function chat(usage: JsonObject): JsonObject {
  return {
    id: 'c',
    choices: [{ index: 0, message: { role: 'assistant', content: 'Hi' }, finish_reason: 'stop' }],
    usage: { prompt_tokens: 510, completion_tokens: 2, ...usage },
  };
}

function message(usage: JsonObject): JsonObject {
  return {
    id: 'm',
    type: 'message',
    role: 'assistant',
    content: [{ type: 'text', text: 'Hi' }],
    stop_reason: 'end_turn',
    usage: { input_tokens: 10, output_tokens: 2, ...usage },
  };
}

function converse(usage: JsonObject): JsonObject {
  return {
    output: { message: { role: 'assistant', content: [{ text: 'Hi' }] } },
    stopReason: 'end_turn',
    usage: { inputTokens: 10, outputTokens: 2, totalTokens: 512, ...usage },
  };
}

const lifetimes = (short: number, long: number): object => ({
  ephemeral_5m_input_tokens: short,
  ephemeral_1h_input_tokens: long,
});
const run = (creation: object): object => ({ input_tokens: 5, cache_creation_input_tokens: 250, ...creation });
const bedrock = (ttl: string, inputTokens: number): object => ({ ttl, inputTokens });

/** Reports of 500 written tokens. `untimed` of them have no lifetime, `long` are reported as one-hour writes. */
const reports: readonly [what: string, provider: string, body: JsonObject, untimed: number, long: number][] = [
  ['Chat', 'custom', chat({ prompt_tokens_details: { cache_write_tokens: 500 } }), 500, 0],
  [
    'Chat with empty details',
    'custom',
    chat({ prompt_tokens_details: { cache_write_tokens: 500, cache_creation_token_details: {} } }),
    500,
    0,
  ],
  [
    'Chat with details',
    'custom',
    chat({ prompt_tokens_details: { cache_write_tokens: 500, cache_creation_token_details: lifetimes(400, 100) } }),
    0,
    100,
  ],
  [
    'Chat with details of some writes',
    'custom',
    chat({ prompt_tokens_details: { cache_write_tokens: 500, cache_creation_token_details: lifetimes(300, 100) } }),
    100,
    100,
  ],
  ['Messages', 'anthropic', message({ cache_creation_input_tokens: 500 }), 500, 0],
  [
    'Messages with details',
    'anthropic',
    message({ cache_creation_input_tokens: 500, cache_creation: lifetimes(500, 0) }),
    0,
    0,
  ],
  [
    'Messages with details of some writes',
    'anthropic',
    message({ cache_creation_input_tokens: 500, cache_creation: lifetimes(200, 100) }),
    200,
    100,
  ],
  [
    'runs, one of which has details',
    'anthropic',
    message({ iterations: [run({ cache_creation: lifetimes(250, 0) }), run({})] }),
    250,
    0,
  ],
  ['Converse, which is asked for five minutes', 'bedrock', converse({ cacheWriteInputTokens: 500 }), 0, 0],
  [
    'Converse with details',
    'bedrock',
    converse({ cacheWriteInputTokens: 500, cacheDetails: [bedrock('5m', 400), bedrock('1h', 100)] }),
    0,
    100,
  ],
];

describe.each(clients)('cache writes for a client of %s', (client) => {
  it.each(reports)(
    'have the requested lifetime where the report has none: %s',
    (_what, provider, body, untimed, long) => {
      for (const ttl of [undefined, '5m', '1h']) {
        const cache_control = { type: 'ephemeral', ...(ttl !== undefined && { ttl }) };
        const request = sampleRequest(client, {
          max_tokens: 100,
          messages: [{ role: 'user', content: [{ type: 'text', text, cache_control }] }],
        });
        const reader = planExchange(request, sampleTarget(provider)).readResponse();
        reader.push(Buffer.from(JSON.stringify(body)));
        reader.end();
        const { usage } = sanitizeMeter(request, reader.meter);
        const all = usage === undefined ? [] : [usage, ...(usage.others ?? []).map((other) => other.usage)];
        const hourly = long + (ttl === '1h' ? untimed : 0);
        expect(all.reduce((sum, share) => sum + share.cacheWrite1h, 0)).toBe(hourly);
        expect(all.reduce((sum, share) => sum + share.cacheWrite5m, 0)).toBe(500 - hourly);
        expect(all.reduce((sum, share) => sum + promptTokens(share), 0)).toBe(510);
      }
    },
  );
});
