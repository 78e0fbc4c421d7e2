import { describe, expect, it } from 'vitest';
import { HELD_BYTES_MAX } from '../../../../errors/response-limits.ts';
import type { ResponseEvent } from '../../../../model/conversation.ts';
import { createStreamDecoder, decodeResponse } from './decode-response.ts';

function decode(...events: object[]): { events: ResponseEvent[]; lost: string[] } {
  const lost = new Set<string>();
  const decoder = createStreamDecoder(lost);
  return { events: events.flatMap((event) => decoder.push({ ...event })), lost: [...lost] };
}

function start(index: number, content_block: object): object {
  return { type: 'content_block_start', index, content_block };
}
function delta(index: number, delta: object): object {
  return { type: 'content_block_delta', index, delta };
}
function stop(index: number): object {
  return { type: 'content_block_stop', index };
}
const citation = (url: string): object => ({
  type: 'web_search_result_location',
  url,
  title: 'T',
  cited_text: 'words',
  encrypted_index: 'x',
});

describe('a citation', () => {
  it('applies a citation to its whole block and emits it after the text, even when it comes first', () => {
    const { events } = decode(
      start(0, { type: 'text', text: 'ab' }),
      stop(0),
      start(1, { type: 'text', text: '', citations: [] }),
      delta(1, { type: 'citations_delta', citation: citation('https://a.test') }),
      delta(1, { type: 'text_delta', text: '🐻' }),
      delta(1, { type: 'text_delta', text: 'c' }),
      stop(1),
    );
    expect(events.slice(-2)).toEqual([
      { type: 'text', text: 'c' },
      { type: 'citation', citation: { url: 'https://a.test', title: 'T', quote: 'words', start: 2, end: 5 } },
    ]);
  });

  it('reads a document citation’s title and a search result’s source', () => {
    const citations = [
      { type: 'page_location', document_title: 'D', cited_text: 'q' },
      { type: 'search_result_location', source: 'https://a.test', title: 'S', cited_text: 'q' },
    ];
    const { events } = decode(start(0, { type: 'text', text: 'x', citations }), stop(0));
    expect(events.slice(1)).toMatchObject([
      { citation: { url: undefined, title: 'D', quote: 'q' } },
      { citation: { url: 'https://a.test', title: 'S' } },
    ]);
  });

  it('limits the number of citations', () => {
    const citations = Array.from({ length: 2_000 }, () => citation('https://a.test'));
    const { events, lost } = decode(start(0, { type: 'text', text: 'x', citations }), stop(0));
    expect(events).toHaveLength(1_001);
    expect(lost).toEqual(['citation']);
  });
});

describe('a vendor tool call', () => {
  const use = (id: string, name = 'web_search'): object => ({ type: 'server_tool_use', id, name, input: {} });
  const result = (id: string): object => ({ type: 'web_search_tool_result', tool_use_id: id, content: [] });

  it('emits a vendor tool call once, with its result', () => {
    const { events } = decode(
      start(0, use('s')),
      delta(0, { type: 'input_json_delta', partial_json: '{"que' }),
      delta(0, { type: 'input_json_delta', partial_json: 'ry":"q"}' }),
      stop(0),
      start(1, result('s')),
      stop(1),
    );
    expect(events).toEqual([
      { type: 'vendor-call', call: { tool: 'web-search', callId: 's', input: 'q', sources: [] } },
    ]);
  });

  it('emits a vendor tool call at the end without a result if the vendor pauses', () => {
    const { events } = decode(
      start(0, use('s')),
      stop(0),
      { type: 'message_delta', delta: { stop_reason: 'pause_turn' } },
      { type: 'message_stop' },
    );
    expect(events).toMatchObject([
      { type: 'vendor-call', call: { callId: 's', input: '{}' } },
      { type: 'finish', reason: 'pause' },
    ]);
  });

  it('reports vendor tools without a counterpart, and results without a call, as unsupported', () => {
    const { events, lost } = decode(start(0, use('s', 'advisor')), stop(0), start(1, result('s')), stop(1));
    expect(events).toEqual([]);
    expect(lost).toEqual(['content.server_tool_use.advisor', 'content.web_search_tool_result']);
  });

  it('limits the size and the number of held vendor tool calls', () => {
    const text = 'x'.repeat(HELD_BYTES_MAX / 2);
    const piece = delta(0, { type: 'input_json_delta', partial_json: text });
    const more = delta(0, { type: 'input_json_delta', partial_json: 'x' });
    expect(() => decode(start(0, use('s')), piece, piece, more)).toThrow(expect.objectContaining({ kind: 'garbled' }));
    const many = Array.from({ length: 150 }, (_, index) => [start(index, use(`s${index}`)), stop(index)]);
    expect(decode(...many.flat()).events).toHaveLength(50);
  });
});

describe('the end of a response', () => {
  it.each([
    ['end_turn', 'stop'],
    ['stop_sequence', 'stop'],
    ['max_tokens', 'length'],
    ['model_context_window_exceeded', 'length'],
    ['tool_use', 'tool-calls'],
    ['pause_turn', 'pause'],
    ['refusal', 'refusal'],
    ['compaction', 'other'],
  ])('reads %s as %s', (stop_reason, reason) => {
    const events = decodeResponse({ content: [], stop_reason }, new Set());
    expect(events.at(-1)).toMatchObject({ type: 'finish', reason });
  });

  it('emits the refusal’s explanation and reports its category as unsupported', () => {
    const lost = new Set<string>();
    const stop_details = { type: 'refusal', category: 'cyber', explanation: 'no' };
    const events = decodeResponse({ content: [], stop_reason: 'refusal', stop_details }, lost);
    expect(events.slice(-2)).toMatchObject([{ type: 'refusal', text: 'no' }, { reason: 'refusal' }]);
    expect([...lost]).toEqual(['stop_details.category']);
  });
});
