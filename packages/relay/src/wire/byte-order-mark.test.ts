import { describe, expect, it } from 'vitest';
import { planExchange } from '../exchange/plan-exchange.ts';
import { parseJson } from '../json/json.ts';
import type { DialectId } from '../model/dialect-id.ts';
import { rawRequest, responsesOnly, sampleRequest, sampleTarget } from '../testing/sample-requests.ts';
import { ByteOrderMarkFilter, withoutByteOrderMark } from './byte-order-mark.ts';

const MARK = '\uFEFF';
const chunk = (delta: object, reason: string | null): string =>
  `data: ${JSON.stringify({ id: 'c1', model: 'm', choices: [{ index: 0, delta, finish_reason: reason }] })}\n\n`;
const stream = `${chunk({ content: 'first' }, null)}${chunk({ content: ' second' }, 'stop')}data: [DONE]\n\n`;
const whole = JSON.stringify({
  id: 'c1',
  model: 'm',
  choices: [{ index: 0, message: { role: 'assistant', content: 'first' }, finish_reason: 'stop' }],
});
const clients: DialectId[] = ['openai-chat', 'openai-responses', 'anthropic-messages', 'gemini'];
const ways = clients.flatMap((client) => [1, 2, 3, 4, 10_000].map((size) => ({ client, size })));

function answerOf(client: DialectId, body: string, size: number, isStreamed: boolean): string {
  const plan = planExchange(sampleRequest(client, { stream: isStreamed }), sampleTarget('custom'));
  const reader = plan.readResponse();
  const bytes = Buffer.from(body);
  const pieces: Buffer[] = [];
  for (let at = 0; at < bytes.length; at += size) pieces.push(reader.push(bytes.subarray(at, at + size)));
  return Buffer.concat([...pieces, reader.end()]).toString();
}

describe('a byte order mark', () => {
  it.each(ways)(
    'does not hide the first event of a stream from a client of $client when it comes in chunks of $size bytes',
    ({ client, size }) => {
      const answer = answerOf(client, MARK + stream, size, true);
      expect(answer).toContain('first');
      expect(answer).toContain(' second');
      expect(answer).not.toContain(MARK);
    },
  );

  it.each(ways)(
    'does not spoil a whole response for a client of $client when it comes in chunks of $size bytes',
    ({ client, size }) => {
      const answer = answerOf(client, MARK + whole, size, false);
      expect(parseJson(answer)).toBeDefined();
      expect(answer).toContain('first');
      expect(answer.startsWith(MARK)).toBe(false);
    },
  );

  it('does not hide an error that is sent in the place of a stream', () => {
    const error = JSON.stringify({ error: { message: 'The quota is used up.' } });
    expect(() => answerOf('anthropic-messages', MARK + error, 1, true)).toThrow('The quota is used up.');
  });

  it.each(clients.filter((client) => client !== 'gemini'))(
    'does not reach the upstream from the request of a client of %s',
    (client) => {
      const { json, format } = sampleRequest(client, { max_tokens: 10, max_output_tokens: 10 });
      const request = rawRequest(format, MARK + JSON.stringify(json));
      for (const target of [sampleTarget('custom'), sampleTarget('anthropic'), responsesOnly()])
        expect(planExchange(request, target).body.toString().startsWith('{')).toBe(true);
    },
  );

  it('keeps a byte order mark inside a text', () => {
    const { choices } = { choices: [{ index: 0, delta: { content: `a${MARK}b` }, finish_reason: 'stop' }] };
    const body = `data: ${JSON.stringify({ id: 'c', model: 'm', choices })}\n\ndata: [DONE]\n\n`;
    expect(answerOf('anthropic-messages', body, 10_000, true)).toContain(`a${MARK}b`);
  });

  it('removes one byte order mark, at the beginning only', () => {
    expect(withoutByteOrderMark(Buffer.from(`${MARK}${MARK}a`)).toString()).toBe(`${MARK}a`);
    expect(withoutByteOrderMark(Buffer.from(`a${MARK}`)).toString()).toBe(`a${MARK}`);
  });

  it('keeps the bytes of an incomplete byte order mark at the end of a stream', () => {
    const filter = new ByteOrderMarkFilter();
    expect(filter.push(Buffer.from([0xef])).length).toBe(0);
    expect([...filter.end()]).toEqual([0xef]);
  });
});
