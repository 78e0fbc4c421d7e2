import { describe, expect, it } from 'vitest';
import { planExchange } from '../../../exchange/plan-exchange.ts';
import type { ResponseEvent } from '../../../model/conversation.ts';
import { startCpuTimer } from '../../../testing/cpu-timer.ts';
import { sampleRequest, sampleTarget } from '../../../testing/sample-requests.ts';
import { createStreamDecoder } from './decode-response.ts';

const source = (start: number, end: number): object => ({
  type: 'url_citation',
  url_citation: { url: 'https://a.test', title: 'A', start_index: start, end_index: end },
});

function decoded(...deltas: object[]): ResponseEvent[] {
  const decoder = createStreamDecoder(new Set());
  const chunks = [...deltas.map((delta) => ({ delta })), { delta: {}, finish_reason: 'stop' }];
  const events = chunks.flatMap((choice) => decoder.push({ id: 'c', choices: [{ index: 0, ...choice }] }));
  return [...events, ...decoder.end(true)].filter(({ type }) => type === 'text' || type === 'citation');
}

function told(events: ResponseEvent[]): string[] {
  return events.map((event) =>
    event.type === 'citation' ? `${event.citation.start}-${event.citation.end}` : event.type,
  );
}

describe('sources before their text', () => {
  it.each([
    ['a place that comes later', source(0, 5), ['text', '0-5', 'text']],
    ['a place in the last piece', source(2, 8), ['text', 'text', '2-8']],
    ['a place behind the text', source(0, 99), ['text', 'text', '0-9']],
    ['no place', source(0, 0), ['text', 'text', '0-9']],
  ])('are emitted after the text: %s', (_name, annotation, expected) => {
    expect(told(decoded({ annotations: [annotation] }, { content: 'Hello' }, { content: 'you!' }))).toEqual(expected);
  });

  it('take milliseconds, however many they are', () => {
    const annotations = Array.from({ length: 30_000 }, () => source(0, 1_000_000));
    const pieces = Array.from({ length: 5_000 }, () => ({ content: 'a' }));
    const readCpuMs = startCpuTimer();
    const events = decoded({ annotations }, ...pieces);
    const cpuMs = readCpuMs();
    expect(events).toHaveLength(6_000);
    expect(cpuMs).toBeLessThan(1_000);
  });

  it('reach a client of Messages', () => {
    const deltas = [{ annotations: [source(0, 6)] }, { content: 'Hello!' }];
    const chunks = [...deltas.map((delta) => ({ delta })), { delta: {}, finish_reason: 'stop' }];
    const body = chunks
      .map((choice) => `data: ${JSON.stringify({ id: 'c', model: 'm', choices: [{ index: 0, ...choice }] })}\n\n`)
      .join('');
    const request = sampleRequest('anthropic-messages', { stream: true, max_tokens: 9 });
    const chat = planExchange(request, sampleTarget('custom')).readResponse();
    const answer = Buffer.concat([chat.push(Buffer.from(`${body}data: [DONE]\n\n`)), chat.end()]).toString();
    expect(answer).toContain(
      '"citations_delta","citation":{"type":"web_search_result_location","url":"https://a.test"',
    );
  });
});
