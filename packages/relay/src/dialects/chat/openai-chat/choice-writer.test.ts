import { describe, expect, it } from 'vitest';
import { HELD_BYTES_MAX } from '../../../errors/response-limits.ts';
import type { ResponseEvent } from '../../../model/conversation.ts';
import { sampleRequest } from '../../../testing/sample-requests.ts';
import { HeldCalls } from './choice-writer.ts';
import { decodeRequest } from './decode-request.ts';
import { createStreamEncoder, encodeResponse } from './encode-response.ts';

const tools = [
  { type: 'custom', custom: { name: 'patch', description: 'd' } },
  { type: 'function', function: { name: 'f' } },
];
const request = sampleRequest('openai-chat', { tools });

function called(name: string, ...texts: string[]): ResponseEvent[] {
  return [
    { type: 'tool-call', index: 0, callId: 'c', name },
    ...texts.map((text): ResponseEvent => ({ type: 'tool-arguments', index: 0, text })),
    { type: 'finish', reason: 'tool-calls' },
  ];
}

function callOf(events: ResponseEvent[]): unknown {
  const answer = JSON.parse(JSON.stringify(encodeResponse(events, request, new Set())));
  return answer.choices[0].message.tool_calls;
}

describe('a custom tool', () => {
  it('translates a custom tool to a function with one text parameter', () => {
    const call = { id: 'c', type: 'custom', custom: { name: 'patch', input: 'a "b"' } };
    const body = {
      tools,
      tool_choice: { type: 'custom', custom: { name: 'patch' } },
      messages: [{ role: 'assistant', tool_calls: [call] }],
    };
    expect(decodeRequest(body)).toMatchObject({
      tools: [{ name: 'patch', description: 'd', parameters: { required: ['input'] } }, { name: 'f' }],
      toolChoice: { type: 'tool', name: 'patch' },
      turns: [{ parts: [{ type: 'tool-call', name: 'patch', arguments: '{"input":"a \\"b\\""}' }] }],
      unsupported: [],
    });
  });

  it('loses the grammar of its texts', () => {
    const format = { type: 'grammar', grammar: { syntax: 'lark', definition: 'x' } };
    const { unsupported } = decodeRequest({ tools: [{ type: 'custom', custom: { name: 'p', format } }] });
    expect(unsupported).toEqual(['tools.custom.format']);
  });
});

describe('a custom tool call', () => {
  it('returns a custom tool call in the declared form, whole or streamed', () => {
    const events = called('patch', '{"inp', 'ut":"x\\ny"}');
    const custom = { id: 'c', type: 'custom', custom: { name: 'patch', input: 'x\ny' } };
    expect(callOf(events)).toEqual([custom]);
    const encoder = createStreamEncoder(request, new Set());
    const written = events.map((event) => encoder.push(event)).join('');
    const begun = { ...custom, custom: { name: 'patch', input: '' } };
    expect(written).toContain(JSON.stringify({ tool_calls: [{ index: 0, ...begun }] }));
    expect(written).toContain(JSON.stringify({ tool_calls: [{ index: 0, custom: { input: 'x\ny' } }] }));
    expect(written).not.toContain('"function"');
  });

  it('returns the model’s raw text when it is not the requested object', () => {
    expect(callOf(called('patch', '{"input":'))).toMatchObject([{ custom: { input: '{"input":' } }]);
    expect(callOf(called('patch', '{"input":1}'))).toMatchObject([{ custom: { input: '{"input":1}' } }]);
  });

  it('leaves function calls unchanged', () => {
    expect(callOf(called('f', '{}'))).toMatchObject([{ type: 'function', function: { name: 'f', arguments: '{}' } }]);
  });

  it('limits the held arguments of a call', () => {
    const held = new HeldCalls();
    held.start(0);
    const text = 'x'.repeat(HELD_BYTES_MAX / 4);
    for (let count = 0; count < 4; count++) held.add(0, text);
    expect(() => held.add(0, 'x')).toThrow(expect.objectContaining({ kind: 'garbled' }));
  });
});
