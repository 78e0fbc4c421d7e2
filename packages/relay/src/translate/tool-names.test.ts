import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { planExchange } from '../exchange/plan-exchange.ts';
import { isObject, type JsonObject, listOf, objectOf } from '../json/json.ts';
import type { DialectId } from '../model/dialect-id.ts';
import { startCpuTimer } from '../testing/cpu-timer.ts';
import { sampleRequest, sampleTarget } from '../testing/sample-requests.ts';

const long = 'mcp__server__'.repeat(6);

function chatTool(name: string): JsonObject {
  return { type: 'function', function: { name, parameters: { type: 'object' } } };
}

/** Returns the target's request for a chat client's tools with these names. */
function namesAt(provider: string, names: readonly string[], fields: JsonObject = {}): string[] {
  const request = sampleRequest('openai-chat', { tools: names.map(chatTool), ...fields });
  const body = objectOf(JSON.parse(planExchange(request, sampleTarget(provider)).body.toString()));
  const [first] = listOf(body['tools']).map(objectOf);
  const declared = provider === 'gemini' ? listOf(first?.['functionDeclarations']) : listOf(body['tools']);
  return declared.map((tool) => String(objectOf(tool)['name']));
}

/** Returns every text under a key `name` in the target's request. */
function namesIn(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(namesIn);
  if (!isObject(value)) return [];
  const { name } = value;
  return [...(typeof name === 'string' ? [name] : []), ...Object.values(value).flatMap(namesIn)];
}

describe('tool names that the target refuses', () => {
  it.each([
    ['anthropic', 'fs.read', 'fs_read'],
    ['anthropic', 'fs/read file', 'fs_read_file'],
    ['anthropic', '查询', '__'],
    ['anthropic', long, long],
    ['gemini', 'fs.read:now', 'fs.read:now'],
    ['gemini', '2fa', '_2fa'],
    ['gemini', '-x', '_-x'],
  ])('are replaced at %s: %s becomes %s', (provider, name, expected) => {
    expect(namesAt(provider, [name])).toEqual([expected]);
  });

  it('stay distinct and within the length, even with the same start', () => {
    const names = [`${long}a`, `${long}b`, 'fs.read', 'fs_read', 'fs/read'];
    const sent = namesAt('gemini', names);
    expect(new Set(sent).size).toBe(names.length);
    for (const name of sent) expect(name).toMatch(/^[a-zA-Z_][a-zA-Z0-9_.:-]{0,63}$/);
    expect(sent.slice(2)).toEqual(['fs.read', 'fs_read', expect.stringMatching(/^fs_read_[0-9a-f]{8}$/)]);
  });

  it('keeps the replacement names the same, whatever the client declares after them', () => {
    const names = ['fs.read', `${long}${long}`, 'fs/read'];
    const sent = namesAt('anthropic', names);
    expect(namesAt('anthropic', names)).toEqual(sent);
    expect(namesAt('anthropic', [...names, 'fs:read', 'other']).slice(0, 3)).toEqual(sent);
  });

  it('read a long name once, however many of its replacements the client has taken', () => {
    const name = `!${'a'.repeat(500_000)}`;
    const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');
    const digest = sha256(name);
    const taken = Array.from({ length: 2_000 }, (_, attempt) => {
      const mark = sha256(`${attempt} ${digest}`).slice(0, 8);
      return `_${'a'.repeat(118)}_${mark}`;
    });
    const request = sampleRequest('openai-chat', { tools: [name, ...taken].map(chatTool) });
    const readCpuMs = startCpuTimer();
    const { body } = planExchange(request, sampleTarget('anthropic'));
    expect(readCpuMs()).toBeLessThan(500);
    expect(new Set(namesIn(JSON.parse(body.toString()))).size).toBe(taken.length + 1);
  });

  it('never become the name of another tool, wherever that is declared', () => {
    expect(namesAt('anthropic', ['fs.read', 'fs_read'])).toEqual([
      expect.stringMatching(/^fs_read_[0-9a-f]{8}$/),
      'fs_read',
    ]);
  });

  it.each(['anthropic', 'gemini'])('are the same everywhere in a request to %s', (provider) => {
    const request = sampleRequest('openai-chat', {
      messages: [
        { role: 'user', content: 'hi' },
        {
          role: 'assistant',
          tool_calls: ['fs read', 'old tool'].map((name) => ({
            id: name,
            type: 'function',
            function: { name, arguments: '{}' },
          })),
        },
        { role: 'tool', tool_call_id: 'fs read', content: 'x' },
        { role: 'tool', tool_call_id: 'old tool', content: 'y' },
      ],
      tools: [chatTool('fs read')],
      tool_choice: { type: 'function', function: { name: 'fs read' } },
    });
    const body = planExchange(request, sampleTarget(provider)).body.toString();
    const names = namesIn(JSON.parse(body));
    expect(names.filter((name) => name === 'fs_read').length).toBeGreaterThan(1);
    expect(new Set(names)).toEqual(new Set(['fs_read', 'old_tool']));
    if (provider === 'gemini') expect(body).toContain('"allowedFunctionNames":["fs_read"]');
  });

  it('still match a call’s result if a client sends the name instead of the id', () => {
    const messages = [
      { role: 'user', content: 'hi' },
      { role: 'assistant', function_call: { name: 'fs.read', arguments: '{}' } },
      { role: 'function', name: 'fs.read', content: 'done' },
    ];
    const { body } = planExchange(sampleRequest('openai-chat', { messages }), sampleTarget('anthropic'));
    const [, , answered] = listOf(objectOf(JSON.parse(body.toString()))['messages']);
    expect(objectOf(answered)['content']).toEqual([
      { type: 'tool_result', tool_use_id: 'call_0', content: [{ type: 'text', text: 'done' }] },
    ]);
  });

  it('leaves tool names unchanged if the client uses the upstream’s dialect', () => {
    const request = sampleRequest('openai-chat', { tools: [chatTool('fs.read')] });
    expect(planExchange(request, sampleTarget('custom')).body).toBe(request.body);
  });
});

describe('a response that calls a renamed tool', () => {
  const declared: Partial<Record<DialectId, JsonObject>> = {
    'openai-chat': { tools: [chatTool('fs.read'), chatTool('plain')] },
    'openai-responses': {
      tools: [
        { type: 'custom', name: 'fs.read' },
        { type: 'function', name: 'plain', parameters: null },
      ],
    },
    gemini: { tools: [{ functionDeclarations: [{ name: 'fs.read' }, { name: 'plain' }] }] },
  };
  const block = (name: string) => ({ type: 'tool_use', id: `toolu_${name}`, name, input: { input: 'a' } });
  const content = ['fs_read', 'plain', 'unheard_of'].map(block);
  const usage = { input_tokens: 1, output_tokens: 1 };
  const whole = JSON.stringify({ id: 'm', type: 'message', model: 'x', content, stop_reason: 'tool_use', usage });
  const event = (type: string, fields: JsonObject): string =>
    `event: ${type}\ndata: ${JSON.stringify({ type, ...fields })}\n\n`;
  const streamed = [
    event('message_start', { message: { id: 'm', model: 'x', usage } }),
    ...content.flatMap((content_block, index) => [
      event('content_block_start', { index, content_block }),
      event('content_block_stop', { index }),
    ]),
    event('message_delta', { delta: { stop_reason: 'tool_use' }, usage }),
    event('message_stop', {}),
  ].join('');

  it.each(
    Object.entries(declared).flatMap(([format, fields]) =>
      [false, true].map((stream) => ({ format: format as DialectId, fields, stream })),
    ),
  )('has the client’s name: $format, streamed: $stream', ({ format, fields, stream }) => {
    const request = sampleRequest(format, { ...fields, stream });
    const reader = planExchange(request, sampleTarget('anthropic')).readResponse();
    const answer = Buffer.concat([reader.push(Buffer.from(stream ? streamed : whole)), reader.end()]).toString();
    expect(answer).toContain('"name":"fs.read"');
    expect(answer).toContain('"name":"plain"');
    expect(answer).toContain('"name":"unheard_of"');
    expect(answer).not.toContain('"name":"fs_read"');
    if (format === 'openai-responses') expect(answer).toContain('"type":"custom_tool_call"');
  });
});
