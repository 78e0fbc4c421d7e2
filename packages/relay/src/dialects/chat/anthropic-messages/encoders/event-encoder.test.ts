import { describe, expect, it } from 'vitest';
import type { Citation, ResponseEvent } from '../../../../model/conversation.ts';
import { sampleRequest } from '../../../../testing/sample-requests.ts';
import { parseSseEvents } from '../../../../wire/sse.ts';
import { createStreamEncoder } from './event-encoder.ts';

/** A block with its deltas added. */
interface Block {
  text?: string;
  json?: string;
  cited?: unknown[];
}

function encode(...events: ResponseEvent[]): { blocks: Block[]; lost: string[] } {
  const lost = new Set<string>();
  const encoder = createStreamEncoder(sampleRequest('anthropic-messages'), lost);
  const written = Buffer.from(events.map((event) => encoder.push(event)).join(''));
  const blocks: Block[] = [];
  for (const { data } of parseSseEvents(written)) {
    const event = JSON.parse(data);
    if (event.type === 'content_block_start') blocks.push({ ...event.content_block });
    if (event.type !== 'content_block_delta') continue;
    expect(event.index).toBe(blocks.length - 1);
    const block = blocks.at(-1) ?? {};
    const { type, text, partial_json, citation } = event.delta;
    if (type === 'text_delta') block.text = `${block.text ?? ''}${text}`;
    if (type === 'input_json_delta') block.json = `${block.json ?? ''}${partial_json}`;
    if (type === 'citations_delta') block.cited = [...(block.cited ?? []), citation.url];
  }
  return { blocks, lost: [...lost] };
}

const text = (text: string): ResponseEvent => ({ type: 'text', text });
const cite = (start: number, end: number, url?: string): ResponseEvent => {
  const citation: Citation = { url, start, end };
  return { type: 'citation', citation };
};
const call = (index: number): ResponseEvent => ({ type: 'tool-call', index, callId: `c${index}`, name: 'f' });
const args = (index: number, text: string): ResponseEvent => ({ type: 'tool-arguments', index, text });

describe('a citation', () => {
  it('ends its block, so that it applies to no later text', () => {
    const { blocks } = encode(text('a'), text('b'), cite(0, 2, 'u'), cite(1, 2, 'v'), text('c'));
    expect(blocks).toEqual([
      { type: 'text', text: 'ab', cited: ['u', 'v'] },
      { type: 'text', text: 'c' },
    ]);
  });

  it('reports a citation as unsupported when its block is closed or it has no URL', () => {
    expect(encode(text('a'), call(0), cite(0, 1, 'u')).lost).toEqual(['citation']);
    expect(encode(text('a'), cite(0, 1)).lost).toEqual(['citation']);
    const late = encode(text('a'), call(0), args(0, '{}'), text('b'), cite(0, 1, 'u'), cite(1, 2, 'v'));
    expect(late).toMatchObject({ lost: ['citation'], blocks: [{}, {}, { text: 'b', cited: ['v'] }] });
  });
});

describe('tool calls', () => {
  it('keeps interleaved fragments of several tool calls apart', () => {
    const { blocks } = encode(call(0), call(1), args(1, '{"b"'), args(0, '{}'), args(1, ':1}'), text('x'));
    expect(blocks).toMatchObject([{ id: 'c0', json: '{}' }, { id: 'c1', json: '{"b":1}' }, { text: 'x' }]);
  });

  it('writes a vendor tool call and its result as two blocks', () => {
    const sources = [{ url: 'https://a.test', title: 'A' }];
    const { blocks } = encode(
      text('a'),
      { type: 'vendor-call', call: { tool: 'web-search', callId: 'ws_1', input: 'q', sources } },
      {
        type: 'vendor-call',
        call: { tool: 'code-execution', callId: 'x', input: '1/0', output: 'oops', isError: true },
      },
      { type: 'vendor-call', call: { tool: 'url-fetch', callId: 'y', input: 'https://a.test', isError: true } },
    );
    expect(blocks.slice(1)).toMatchObject([
      { type: 'server_tool_use', id: 'srvtoolu_ws_1', name: 'web_search', json: '{"query":"q"}' },
      { type: 'web_search_tool_result', tool_use_id: 'srvtoolu_ws_1', content: sources },
      { name: 'code_execution', json: '{"code":"1/0"}' },
      { type: 'code_execution_tool_result', content: { stdout: 'oops', return_code: 1 } },
      { name: 'web_fetch' },
      { type: 'web_fetch_tool_result', content: { type: 'web_fetch_tool_result_error' } },
    ]);
  });

  it('reports tool arguments as truncated when they continue after another block', () => {
    expect(encode(call(0), args(0, '{'), text('x'), args(0, '}')).lost).toEqual(['tool-arguments']);
  });
});

it('reports what this dialect does not support', () => {
  const { lost } = encode(
    { type: 'image', mediaType: 'image/png', data: 'AAAA' },
    { type: 'audio', mediaType: 'audio/wav', data: 'AAAA' },
    { type: 'logprobs', tokens: [] },
    { type: 'finish', reason: 'other' },
  );
  expect(lost).toEqual(['image', 'audio', 'logprobs', 'finish.other']);
});
