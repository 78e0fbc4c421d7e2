/** A coding agent's two turns with tools, as Codex sends them, in front of vendors that speak something else. */
import { describe, expect, it } from 'vitest';
import { planExchange } from '../../../exchange/plan-exchange.ts';
import { type JsonObject, listOf, objectOf } from '../../../json/json.ts';
import type { ClientRequest } from '../../../model/client-request.ts';
import { rawRequest, sampleTarget } from '../../../testing/sample-requests.ts';
import { parseSseEvents } from '../../../wire/sse.ts';

const shell = {
  type: 'function',
  name: 'shell',
  description: 'Runs a command',
  strict: false,
  parameters: { type: 'object', properties: { command: { type: 'array', items: { type: 'string' } } } },
};
const patch = {
  type: 'custom',
  name: 'apply_patch',
  description: 'Edits files',
  format: { type: 'grammar', syntax: 'lark', definition: 'start: begin hunk+ end' },
};
const opening = [
  { type: 'message', role: 'developer', content: [{ type: 'input_text', text: '<permissions>' }] },
  { type: 'message', role: 'user', content: [{ type: 'input_text', text: '<environment_context>' }] },
  { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Fix the typo.' }] },
];

function codexRequest(input: readonly unknown[]): ClientRequest {
  const body = {
    model: 'vendor-model',
    instructions: 'You are a coding agent.',
    input,
    tools: [shell, patch],
    tool_choice: 'auto',
    parallel_tool_calls: false,
    reasoning: { effort: 'medium', summary: 'auto' },
    store: false,
    stream: true,
    include: ['reasoning.encrypted_content'],
    prompt_cache_key: '0199-session',
  };
  return rawRequest('openai-responses', JSON.stringify(body));
}

function sentTo(provider: string, input: readonly unknown[]): JsonObject {
  return objectOf(JSON.parse(planExchange(codexRequest(input), sampleTarget(provider)).body.toString()));
}

/** The items of the answer, as an agent keeps them: each when it is done. */
function itemsFrom(provider: string, stream: string): JsonObject[] {
  const reader = planExchange(codexRequest(opening), sampleTarget(provider)).readResponse();
  const bytes = Buffer.concat([reader.push(Buffer.from(stream)), reader.end()]);
  const events = parseSseEvents(bytes).map(({ data }) => objectOf(JSON.parse(data)));
  const items = events
    .filter((event) => event['type'] === 'response.output_item.done')
    .toSorted((a, b) => Number(a['output_index']) - Number(b['output_index']));
  expect(events.at(-1)).toMatchObject({ type: 'response.completed', response: { status: 'completed' } });
  return items.map((event) => objectOf(event['item']));
}

const command = '{"command":["ls"]}';
const diff = '*** Begin Patch\n*** End Patch';

function outputsOf(items: readonly JsonObject[]): JsonObject[] {
  return items.flatMap((item): JsonObject[] => {
    if (item['type'] === 'function_call')
      return [{ type: 'function_call_output', call_id: item['call_id'], output: 'README.md' }];
    return item['type'] === 'custom_tool_call'
      ? [{ type: 'custom_tool_call_output', call_id: item['call_id'], output: 'Done.' }]
      : [];
  });
}

describe('an agent in front of a chat vendor', () => {
  const chunk = (delta: object, finish: string | null = null): string =>
    `data: ${JSON.stringify({ id: 'chatcmpl-1', model: 'm', choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`;
  const call = (index: number, id: string, name: string, text: string): object => ({
    tool_calls: [{ index, id, type: 'function', function: { name, arguments: text } }],
  });
  const stream = [
    chunk({ role: 'assistant', reasoning_content: 'I look ' }),
    chunk({ reasoning_content: 'first.' }),
    chunk({ content: 'Looking.' }),
    chunk(call(0, 'call_a', 'shell', command.slice(0, 5))),
    chunk({ tool_calls: [{ index: 0, function: { arguments: command.slice(5) } }] }),
    chunk(call(1, 'call_b', 'apply_patch', JSON.stringify({ input: diff }))),
    chunk({}, 'tool_calls'),
    'data: {"choices":[],"usage":{"prompt_tokens":9,"completion_tokens":4,"total_tokens":13}}\n\n',
    'data: [DONE]\n\n',
  ].join('');

  it('sends its instructions to a chat vendor', () => {
    expect(sentTo('custom', opening)).toMatchObject({
      model: 'vendor-model',
      stream: true,
      messages: [
        { role: 'system', content: 'You are a coding agent.\n\n<permissions>' },
        { role: 'user', content: [{ text: '<environment_context>' }, { text: 'Fix the typo.' }] },
      ],
      tools: [
        { type: 'function', function: { name: 'shell', strict: false, parameters: shell.parameters } },
        { type: 'function', function: { name: 'apply_patch', parameters: { required: ['input'] } } },
      ],
      parallel_tool_calls: false,
      reasoning_effort: 'medium',
    });
  });

  it('gets a thought, text and calls of the declared kinds', () => {
    expect(itemsFrom('custom', stream)).toMatchObject([
      { type: 'reasoning', summary: [{ type: 'summary_text', text: 'I look first.' }] },
      { type: 'message', content: [{ type: 'output_text', text: 'Looking.' }] },
      { type: 'function_call', call_id: 'call_a', name: 'shell', arguments: command },
      { type: 'custom_tool_call', call_id: 'call_b', name: 'apply_patch', input: diff },
    ]);
  });

  it('sends its calls and thoughts back with their outputs', () => {
    const items = itemsFrom('custom', stream);
    const { messages } = sentTo('custom', [...opening, ...items, ...outputsOf(items)]);
    expect(listOf(messages).slice(2)).toEqual([
      {
        role: 'assistant',
        content: 'Looking.',
        reasoning_content: 'I look first.',
        tool_calls: [
          { id: 'call_a', type: 'function', function: { name: 'shell', arguments: command } },
          {
            id: 'call_b',
            type: 'function',
            function: { name: 'apply_patch', arguments: JSON.stringify({ input: diff }) },
          },
        ],
      },
      { role: 'tool', tool_call_id: 'call_a', content: 'README.md' },
      { role: 'tool', tool_call_id: 'call_b', content: 'Done.' },
    ]);
  });
});

describe('an agent in front of Anthropic', () => {
  const event = (type: string, fields: object): string =>
    `event: ${type}\ndata: ${JSON.stringify({ type, ...fields })}\n\n`;
  const block = (index: number, content_block: object, ...deltas: object[]): string =>
    [
      event('content_block_start', { index, content_block }),
      ...deltas.map((delta) => event('content_block_delta', { index, delta })),
      event('content_block_stop', { index }),
    ].join('');
  const stream = [
    event('message_start', { message: { id: 'msg_1', model: 'm', usage: { input_tokens: 9 } } }),
    block(
      0,
      { type: 'thinking', thinking: '', signature: '' },
      { type: 'thinking_delta', thinking: 'I look first.' },
      { type: 'signature_delta', signature: 'SIG' },
    ),
    block(1, { type: 'redacted_thinking', data: 'DATA' }),
    block(
      2,
      { type: 'tool_use', id: 'toolu_1', name: 'shell', input: {} },
      { type: 'input_json_delta', partial_json: command },
    ),
    event('message_delta', { delta: { stop_reason: 'tool_use' }, usage: { output_tokens: 4 } }),
    event('message_stop', {}),
  ].join('');

  it('returns the vendor’s signatures unchanged', () => {
    const items = itemsFrom('anthropic', stream);
    expect(items).toMatchObject([
      { type: 'reasoning', summary: [{ text: 'I look first.' }], encrypted_content: expect.stringMatching(/SIG$/) },
      { type: 'reasoning', summary: [], encrypted_content: expect.stringMatching(/DATA$/) },
      { type: 'function_call', call_id: 'toolu_1', name: 'shell', arguments: command },
    ]);
    const { messages, thinking } = sentTo('anthropic', [...opening, ...items, ...outputsOf(items)]);
    expect(thinking).toBeDefined();
    expect(listOf(messages).slice(1)).toMatchObject([
      {
        role: 'assistant',
        content: [
          { type: 'thinking', thinking: 'I look first.', signature: 'SIG' },
          { type: 'redacted_thinking', data: 'DATA' },
          { type: 'tool_use', id: 'toolu_1', name: 'shell', input: { command: ['ls'] } },
        ],
      },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'toolu_1' }] },
    ]);
  });
});
