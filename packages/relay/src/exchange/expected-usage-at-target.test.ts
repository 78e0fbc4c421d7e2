import { describe, expect, it } from 'vitest';
import { isObject, objectOf, parseJson } from '../json/json.ts';
import type { DialectId } from '../model/dialect-id.ts';
import type { BodyChange } from '../model/operator-body-changes.ts';
import { providers } from '../providers.ts';
import { sampleRequest, sampleTarget } from '../testing/sample-requests.ts';
import { adjustToTarget } from './expected-usage-at-target.ts';
import { canServe, planExchange } from './plan-exchange.ts';

const clients = ['openai-chat', 'openai-responses', 'anthropic-messages', 'gemini'] as const;
type Client = (typeof clients)[number];

/** Returns the fields of a request with a cap, or with reasoning, in a client's dialect. */
function createFields(client: Client, cap: number, effort: string | undefined): Record<string, unknown> {
  switch (client) {
    case 'openai-chat':
      return { max_tokens: cap, reasoning_effort: effort };
    case 'openai-responses':
      return { max_output_tokens: cap, reasoning: effort && { effort } };
    case 'anthropic-messages':
      return { max_tokens: cap, output_config: effort && { effort }, thinking: effort && { type: 'adaptive' } };
    case 'gemini': {
      const thinkingConfig = effort && { thinkingLevel: effort.toUpperCase() };
      return { generationConfig: { maxOutputTokens: cap, thinkingConfig } };
    }
  }
}

/** Returns the highest number under any name of a cap, at any depth. */
function findCap(value: unknown): number | undefined {
  if (!isObject(value)) return undefined;
  const caps = Object.entries(value).flatMap(([name, inner]) => {
    const cap = /^max.*tokens$/i.test(name) && typeof inner === 'number' ? inner : findCap(inner);
    return cap ?? [];
  });
  return caps.length === 0 ? undefined : Math.max(...caps);
}

const models: Readonly<Record<string, string>> = {
  anthropic: 'claude-sonnet-4-5',
  bedrock: 'anthropic.claude-opus-4-1-v1:0',
  vertex: 'gemini-3-pro',
  openrouter: 'anthropic/claude-sonnet-4.5',
};
const routes = providers
  .filter(({ endpoints }) => endpoints.chat !== undefined)
  .flatMap(({ id }) => {
    const target = sampleTarget(id, { model: models[id] ?? 'vendor-model' });
    const served = clients.filter((format) => canServe(target, target.model, { operation: 'chat', format }));
    return served.map((client) => ({ id, client, target }));
  });

it.each(routes)('a request has the output cap that $id gets from a client of $client', ({ client, target }) => {
  for (const cap of [1, 16, 5_000, 90_000]) {
    for (const effort of [undefined, 'low', 'high']) {
      const request = sampleRequest(client, createFields(client, cap, effort));
      const sent = findCap(objectOf(parseJson(planExchange(request, target).body.toString())));
      expect([cap, effort, adjustToTarget(request, target).facts.maxOutputTokens]).toEqual([cap, effort, sent]);
    }
  }
});

const claude = sampleTarget('anthropic', { model: 'claude-opus-4-1' });
const capOf = (format: DialectId, fields: object, target = claude): number | undefined =>
  adjustToTarget(sampleRequest(format, { ...fields }), target).facts.maxOutputTokens;

describe('the adjustment of an output cap', () => {
  it('includes the budget of reasoning that the gateway adds', () => {
    expect(capOf('openai-chat', { max_tokens: 16, reasoning_effort: 'high' })).toBe(24_592);
  });

  it('leaves a request without a cap as it is', () => {
    expect(capOf('openai-chat', {})).toBeUndefined();
    expect(capOf('openai-chat', {}, sampleTarget('openai'))).toBeUndefined();
  });

  it('takes the cap of an operator’s change', () => {
    const change: BodyChange = { models: [], rename: {}, remove: [], defaults: {}, set: { max_tokens: 30_000 } };
    const changes = { systemAsUser: false, streaming: 'as-asked', bodies: [change] } as const;
    expect(capOf('openai-chat', { max_tokens: 16 }, sampleTarget('custom', { changes }))).toBe(30_000);
    expect(capOf('anthropic-messages', { max_tokens: 16 }, { ...claude, changes })).toBe(30_000);
  });

  it('ignores a cap that an operator’s change renames, and the vendor may not know', () => {
    const rename = { max_tokens: 'max_new_tokens' };
    const change: BodyChange = { models: [], rename, remove: [], defaults: {}, set: {} };
    const changes = { systemAsUser: false, streaming: 'as-asked', bodies: [change] } as const;
    expect(capOf('openai-chat', { max_tokens: 9_000 }, sampleTarget('custom', { changes }))).toBeUndefined();
  });

  it('ignores 0, which some servers take for none', () => {
    expect(capOf('openai-chat', { max_tokens: 0 }, sampleTarget('custom'))).toBeUndefined();
    expect(capOf('openai-chat', { max_tokens: 0 }, sampleTarget('ollama'))).toBeUndefined();
  });

  it('takes the higher of two caps, of which a vendor may read either', () => {
    const fields = { max_completion_tokens: 1, max_tokens: 90_000 };
    expect(capOf('openai-chat', fields, sampleTarget('groq'))).toBe(90_000);
  });

  it('finds the cap without reading the conversation, which may be long', () => {
    const request = sampleRequest('openai-chat', { max_tokens: 16, reasoning_effort: 'high' });
    const unread = new Proxy([], {
      get() {
        throw new Error('the conversation was read');
      },
    });
    const long = { ...request, json: { ...request.json, messages: unread } };
    expect(adjustToTarget(long, claude).facts.maxOutputTokens).toBe(24_592);
  });
});

it.each<[provider: string, model: string, client: Client, body: object, reasoning: number | undefined]>([
  ['ali', 'qwen-plus', 'openai-chat', { enable_thinking: true, thinking_budget: 30_000 }, 30_000],
  ['ali', 'qwen-plus', 'openai-chat', { enable_thinking: true }, 8_192],
  ['ali', 'qwen-plus', 'openai-chat', { enable_thinking: true, max_tokens: 16 }, 8_192],
  ['ali', 'qwen-plus', 'openai-chat', { thinking_budget: 100 }, 100],
  ['ali', 'qwen-plus', 'openai-chat', { enable_thinking: false, thinking_budget: 100 }, undefined],
  ['ali', 'qwen-plus', 'openai-chat', { max_tokens: 16 }, undefined],
  ['ali', 'qwen-plus', 'openai-chat', { max_tokens: 16, reasoning_effort: 'high' }, 8_192],
  ['ali', 'qwen-plus', 'openai-responses', { reasoning: { effort: 'low' } }, 8_192],
  ['ali', 'qwen-plus', 'openai-responses', { reasoning: { effort: 'none' } }, undefined],
  ['ali', 'qwq-plus', 'openai-chat', { max_tokens: 16 }, 8_192],
  ['ali', 'qwen3-30b-a3b-thinking-2507', 'openai-chat', {}, 8_192],
  ['volcengine', 'doubao-seed-1-6', 'openai-chat', { max_tokens: 16, thinking: { type: 'enabled' } }, 8_192],
  ['volcengine', 'doubao-seed-1-6', 'openai-chat', { thinking: { type: 'disabled' } }, undefined],
  ['byteplus', 'seed-1-6', 'openai-chat', { max_tokens: 16, reasoning_effort: 'high' }, 24_576],
  ['byteplus', 'seed-1-6', 'openai-chat', { reasoning_effort: 'none' }, undefined],
  // These caps include reasoning.
  ['deepseek', 'deepseek-reasoner', 'openai-chat', { max_tokens: 16 }, undefined],
  ['openai', 'gpt-5.4', 'openai-chat', { max_completion_tokens: 16, reasoning_effort: 'high' }, undefined],
])('a request to %s for %s from a client of %s with %j has %s tokens of reasoning beyond its cap', (...row) => {
  const [provider, model, client, body, reasoning] = row;
  const { facts } = adjustToTarget(sampleRequest(client, { ...body }), sampleTarget(provider, { model }));
  expect(facts.extraReasoningTokens).toBe(reasoning);
});
