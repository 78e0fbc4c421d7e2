import { describe, expect, it } from 'vitest';
import { InvalidRequestError } from '../../../model/invalid-request-error.ts';
import { decodeRequest } from './decode-request.ts';

const png = 'data:image/png;base64,iVBORw0KGgo=';

function tool(name: string): unknown {
  return { type: 'function', function: { name } };
}

describe('decoding a chat request', () => {
  it('joins the leading system messages and keeps later instructions in place', () => {
    const { system, turns } = decodeRequest({
      messages: [
        { role: 'system', content: 'a' },
        { role: 'developer', content: [{ type: 'text', text: 'b' }] },
        { role: 'user', content: 'c' },
        { role: 'system', content: 'd' },
      ],
    });
    expect(system.map((part) => part.text)).toEqual(['a', 'b']);
    expect(turns).toMatchObject([
      { role: 'user', parts: [{ text: 'c' }] },
      { role: 'system', parts: [{ text: 'd' }] },
    ]);
  });

  it('reads tool calls, their results, images and files', () => {
    const call = { id: 'c1', type: 'function', function: { name: 'f', arguments: '{"a":1}' } };
    const { turns } = decodeRequest({
      messages: [
        { role: 'assistant', content: null, tool_calls: [call] },
        { role: 'tool', tool_call_id: 'c1', content: 'done' },
        {
          role: 'user',
          content: [
            { type: 'image_url', image_url: { url: png, detail: 'low' } },
            { type: 'file', file: { filename: 'a.pdf', file_data: 'data:application/pdf;base64,QQ==' } },
          ],
        },
      ],
    });
    expect(turns).toMatchObject([
      { role: 'assistant', parts: [{ type: 'tool-call', callId: 'c1', name: 'f', arguments: '{"a":1}' }] },
      {
        role: 'user',
        parts: [
          { type: 'tool-result', callId: 'c1', content: [{ text: 'done' }] },
          { type: 'image', source: { mediaType: 'image/png', base64: 'iVBORw0KGgo=' }, detail: 'low' },
          { type: 'file', name: 'a.pdf', source: { mediaType: 'application/pdf', base64: 'QQ==' } },
        ],
      },
    ]);
  });

  it('reads back the reasoning of earlier responses', () => {
    const { turns } = decodeRequest({
      messages: [
        {
          role: 'assistant',
          content: 'x',
          reasoning_content: 'thought',
          reasoning_details: [
            { type: 'reasoning.text', signature: 'sig' },
            { type: 'reasoning.encrypted', data: 'opaque' },
          ],
        },
      ],
    });
    expect(turns[0]?.parts.slice(0, 2)).toEqual([
      { type: 'reasoning', text: 'thought', signature: { origin: 'openai-chat', kind: 'signature', value: 'sig' } },
      { type: 'reasoning', text: '', signature: { origin: 'openai-chat', kind: 'redacted', value: 'opaque' } },
    ]);
  });

  it('reads the deprecated functions as tools', () => {
    const decoded = decodeRequest({
      messages: [
        { role: 'assistant', content: null, function_call: { name: 'f', arguments: '{}' } },
        { role: 'function', name: 'f', content: 'ok' },
      ],
      functions: [{ name: 'f', parameters: { type: 'object' } }],
      function_call: { name: 'f' },
    });
    expect(decoded).toMatchObject({ tools: [{ name: 'f' }], toolChoice: { type: 'tool', name: 'f' } });
    expect(decoded.turns[1]?.parts[0]).toMatchObject({ type: 'tool-result', callId: 'f' });
  });

  it('keeps only the tools that a choice allows', () => {
    const decoded = decodeRequest({
      messages: [],
      tools: [tool('a'), tool('b')],
      tool_choice: { type: 'allowed_tools', allowed_tools: { mode: 'required', tools: [tool('b')] } },
    });
    expect(decoded).toMatchObject({ tools: [{ name: 'b' }], toolChoice: { type: 'required' } });
  });

  it('reports fields without a neutral form, but not default values', () => {
    const decoded = decodeRequest({
      messages: [
        {
          role: 'user',
          content: [{ type: 'file', file: { file_id: 'file-1' } }, { type: 'hologram' }, { type: 'text', text: '' }],
        },
      ],
      tools: [{ type: 'hosted' }],
      logit_bias: { 1: 2 },
      prediction: {},
      service_tier: 'flex',
      store: false,
      audio: null,
    });
    expect(decoded.unsupported.toSorted()).toEqual([
      'logit_bias',
      'messages.content.file.file_id',
      'messages.content.hologram',
      'prediction',
      'service_tier',
      'tools.hosted',
    ]);
  });

  it('reads audio, video and files in several forms', () => {
    const { turns } = decodeRequest({
      messages: [
        {
          role: 'user',
          content: [
            { type: 'input_audio', input_audio: { data: 'AAAA', format: 'mp3' } },
            { type: 'video_url', video_url: { url: 'https://a.test/b.mp4' } },
            { type: 'file', file: { file_data: 'QQ==' } },
            { type: 'file', file: { file_data: 'https://a.test/b.pdf' } },
          ],
        },
      ],
    });
    expect(turns[0]?.parts).toMatchObject([
      { type: 'audio', source: { mediaType: 'audio/mpeg', base64: 'AAAA' } },
      { type: 'video', source: { url: 'https://a.test/b.mp4' } },
      { type: 'file', source: { mediaType: 'application/pdf', base64: 'QQ==' } },
      { type: 'file', source: { url: 'https://a.test/b.pdf' } },
    ]);
  });

  it('reads vendor-specific message fields, and reports vendor-only content', () => {
    const { turns, unsupported } = decodeRequest({
      messages: [
        { role: 'user', name: 'bob', content: 'draw' },
        {
          role: 'assistant',
          content: [{ type: 'thinking', thinking: [{ type: 'text', text: 'hm' }] }],
          images: [{ type: 'image_url', image_url: { url: png } }],
          audio: { id: 'audio_1' },
        },
        {
          role: 'tool',
          tool_call_id: 'c',
          content: [
            { type: 'image_url', image_url: { url: png } },
            { type: 'text', text: 'ok', cache_control: { type: 'ephemeral' } },
            { type: 'input_audio', input_audio: { data: 'AAAA' } },
          ],
        },
      ],
    });
    expect(turns.slice(1)).toMatchObject([
      { parts: [{ type: 'reasoning', text: 'hm' }, { type: 'image' }] },
      { parts: [{ type: 'tool-result', content: [{ type: 'image' }, { text: 'ok' }], cache: '5m' }] },
    ]);
    expect(unsupported).toEqual(['messages.name', 'messages.audio', 'messages.tool.content']);
  });

  it('omits empty content', () => {
    const said = { n: 1, logprobs: false, presence_penalty: 0, frequency_penalty: 0, store: false };
    const decoded = decodeRequest({ ...said, messages: [] });
    const { choices, logprobs, presencePenalty, frequencyPenalty, unsupported } = decoded;
    expect([choices, logprobs, presencePenalty, frequencyPenalty]).toEqual(Array(4).fill(undefined));
    expect(unsupported).toEqual([]);
  });

  it.each([
    [[1], 'object'],
    [[{ role: 'wizard', content: 'x' }], 'role'],
    [[{ role: 'user', content: [{ type: 'image_url' }] }], 'url'],
  ])('refuses %o', (messages, reason) => {
    expect(() => decodeRequest({ messages })).toThrow(InvalidRequestError);
    expect(() => decodeRequest({ messages })).toThrow(reason);
  });
});
