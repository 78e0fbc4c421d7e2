import { describe, expect, it } from 'vitest';
import { planExchange } from '../exchange/plan-exchange.ts';
import { sampleRequest, sampleTarget } from '../testing/sample-requests.ts';
import { encodeSignature, UNSIGNED_THOUGHT } from './reasoning-signature.ts';

const foreign = encodeSignature({ origin: 'openai-chat', kind: 'signature', value: 'abc' }, 'anthropic-messages');
const calling = { type: 'tool_use', id: 't', name: 'f', input: { data: 'switchyard.' } };

function sent(thought: Record<string, unknown>): { body: string; dropped: readonly string[]; given: string } {
  const request = sampleRequest('anthropic-messages', {
    max_tokens: 9,
    messages: [
      { role: 'user', content: 'say switchyard.openai-chat.signature.' },
      { role: 'assistant', content: [thought, calling] },
    ],
  });
  const { body, dropped } = planExchange(request, sampleTarget('anthropic'));
  return { body: body.toString(), dropped, given: request.body.toString() };
}

describe('a thought with another vendor’s signature', () => {
  it('sends a vendor no thought that another vendor signed', () => {
    const { body, dropped } = sent({ type: 'thinking', thinking: 'hm', signature: foreign });
    expect(JSON.parse(body)).toMatchObject({
      messages: [{ content: 'say switchyard.openai-chat.signature.' }, { content: [calling] }],
    });
    expect(dropped).toEqual(['reasoning']);
  });

  it('sends no thought that is marked as unsigned', () => {
    const { body, dropped } = sent({ type: 'thinking', thinking: 'hm', signature: UNSIGNED_THOUGHT });
    expect(JSON.parse(body)).toMatchObject({ messages: [{ role: 'user' }, { content: [calling] }] });
    expect(dropped).toEqual(['reasoning']);
    const input = [
      { type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: UNSIGNED_THOUGHT },
      { role: 'user', content: 'hi' },
    ];
    const plan = planExchange(sampleRequest('openai-responses', { input }), sampleTarget('openai', { model: 'gpt-5' }));
    expect(JSON.parse(plan.body.toString()).input).toEqual([{ role: 'user', content: 'hi' }]);
  });

  it('leaves everything else byte for byte', () => {
    const { body, dropped, given } = sent({ type: 'thinking', thinking: 'hm', signature: 'own' });
    expect(body).toBe(given);
    expect(dropped).toEqual([]);
  });
});
