/** Results of a client's own tool search, sent to targets that do not support references to tools. */
import { describe, expect, it } from 'vitest';
import { planExchange } from '../exchange/plan-exchange.ts';
import { type JsonObject, objectOf } from '../json/json.ts';
import { sampleRequest, sampleTarget } from '../testing/sample-requests.ts';
import { vendors } from '../testing/simulated-vendors.ts';

const { messages: _claude, ...others } = vendors;
const long = `mcp__${'calendar_'.repeat(9)}create`;
const deferred = ['mcp__mail__send', 'fs.read', long].map((name) => ({
  name,
  input_schema: { type: 'object', properties: { to: { type: 'string' } } },
  defer_loading: true,
}));
const search = { name: 'FindTools', input_schema: { type: 'object', properties: {} }, defer_loading: false };

function conversation(content: unknown): JsonObject {
  return {
    max_tokens: 50,
    tools: [search, ...deferred],
    messages: [
      { role: 'user', content: 'Write to her.' },
      { role: 'assistant', content: [{ type: 'tool_use', id: 'toolu_9', name: 'FindTools', input: {} }] },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'toolu_9', content }] },
    ],
  };
}

const reference = (tool_name: string): object => ({ type: 'tool_reference', tool_name });

describe('tools that a client’s search has found', () => {
  it.each(Object.entries(others))('are described to %s by the target’s names', (_name, vendor) => {
    const found = ['mcp__mail__send', 'fs.read', long];
    const plan = planExchange(sampleRequest('anthropic-messages', conversation(found.map(reference))), vendor.target);
    const body = objectOf(JSON.parse(plan.body.toString()));
    const [, ...declared] = vendor.declared(body);
    expect(declared).toHaveLength(3);
    expect(JSON.stringify(body)).toContain(`Tools found: ${declared.join(', ')}`);
    expect(JSON.stringify(body)).not.toContain('defer_loading');
    expect(plan.dropped).toEqual(['tools.custom.defer_loading']);
  });

  it.each([
    [
      [{ type: 'text', text: 'One:' }, reference('fs.read')],
      ['One:', 'Tools found: fs_read'],
    ],
    [[reference('never_declared')], ['Tools found: never_declared']],
    [[{ type: 'text', text: 'None.' }], ['None.']],
    ['None.', ['None.']],
  ])('are described beside the other content of the result: %j', (content, expected) => {
    const { target } = vendors.chat;
    const plan = planExchange(sampleRequest('anthropic-messages', conversation(content)), target);
    for (const text of expected) expect(plan.body.toString()).toContain(text);
  });

  it('reach Anthropic unchanged', () => {
    const request = sampleRequest('anthropic-messages', conversation([reference('fs.read')]));
    const plan = planExchange(request, sampleTarget('anthropic'));
    expect(plan.body).toEqual(request.body);
    expect(plan.dropped).toEqual([]);
  });
});
