import { describe, expect, it } from 'vitest';
import { planExchange } from '../exchange/plan-exchange.ts';
import { type JsonObject, listOf, objectOf } from '../json/json.ts';
import { startCpuTimer } from '../testing/cpu-timer.ts';
import { sampleRequest, sampleTarget } from '../testing/sample-requests.ts';

type ClientFormat = 'openai-chat' | 'anthropic-messages' | 'openai-responses' | 'gemini';

const schema = { type: 'object', properties: {} };

/** Returns two questions, the first answered after a call: with the thoughts of each answer, or without any. */
const histories: Readonly<Record<ClientFormat, (thoughts: readonly string[]) => Record<string, unknown>>> = {
  'openai-chat': (thoughts) => {
    const thought = (index: number): JsonObject =>
      thoughts[index] === undefined ? {} : { reasoning_content: thoughts[index] };
    const call = { id: 'c1', type: 'function', function: { name: 'f', arguments: '{}' } };
    return {
      tools: [{ type: 'function', function: { name: 'f', parameters: schema } }],
      messages: [
        { role: 'user', content: 'a' },
        { role: 'assistant', content: null, ...thought(0), tool_calls: [call] },
        { role: 'tool', tool_call_id: 'c1', content: 'ok' },
        { role: 'assistant', content: 'b', ...thought(1) },
        { role: 'user', content: 'c' },
      ],
    };
  },
  'anthropic-messages': (thoughts) => {
    const thought = (index: number): JsonObject[] =>
      thoughts[index] === undefined ? [] : [{ type: 'thinking', thinking: thoughts[index], signature: 's' }];
    const call = { type: 'tool_use', id: 'c1', name: 'f', input: {} };
    return {
      max_tokens: 9,
      tools: [{ name: 'f', input_schema: schema }],
      messages: [
        { role: 'user', content: 'a' },
        { role: 'assistant', content: [...thought(0), call] },
        { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'c1', content: 'ok' }] },
        { role: 'assistant', content: [...thought(1), { type: 'text', text: 'b' }] },
        { role: 'user', content: 'c' },
      ],
    };
  },
  'openai-responses': (thoughts) => {
    const thought = (index: number): JsonObject[] =>
      thoughts[index] === undefined
        ? []
        : [{ type: 'reasoning', id: `rs_${index}`, summary: [{ type: 'summary_text', text: thoughts[index] }] }];
    return {
      tools: [{ type: 'function', name: 'f', parameters: schema }],
      input: [
        { role: 'user', content: 'a' },
        ...thought(0),
        { type: 'function_call', call_id: 'c1', name: 'f', arguments: '{}' },
        { type: 'function_call_output', call_id: 'c1', output: 'ok' },
        ...thought(1),
        { role: 'assistant', content: [{ type: 'output_text', text: 'b' }] },
        { role: 'user', content: 'c' },
      ],
    };
  },
  gemini: (thoughts) => {
    const thought = (index: number): JsonObject[] =>
      thoughts[index] === undefined ? [] : [{ text: thoughts[index], thought: true }];
    return {
      tools: [{ functionDeclarations: [{ name: 'f', parameters: { type: 'OBJECT', properties: {} } }] }],
      contents: [
        { role: 'user', parts: [{ text: 'a' }] },
        { role: 'model', parts: [...thought(0), { functionCall: { name: 'f', args: {} } }] },
        { role: 'user', parts: [{ functionResponse: { name: 'f', response: { output: 'ok' } } }] },
        { role: 'model', parts: [...thought(1), { text: 'b' }] },
        { role: 'user', parts: [{ text: 'c' }] },
      ],
    };
  },
};

const formats = Object.keys(histories).filter((format): format is ClientFormat => format in histories);

/** Returns the values of `reasoning_content` in the assistant's messages. */
function thoughtsSent(
  [provider, model]: readonly [string, string],
  format: ClientFormat,
  fields: Record<string, unknown>,
): unknown[] {
  const { provider: found, ...target } = sampleTarget(provider, { model });
  const chat = found.endpoints.chat?.filter((endpoint) => endpoint.format === 'openai-chat') ?? [];
  const spoken = { ...target, provider: { ...found, endpoints: { chat } } };
  const body = objectOf(JSON.parse(planExchange(sampleRequest(format, fields), spoken).body.toString()));
  return listOf(body['messages'])
    .map(objectOf)
    .filter(({ role }) => role === 'assistant')
    .map((message) => message['reasoning_content']);
}

const requiring = [
  ['deepseek', 'deepseek-flash'],
  ['deepseek', 'deepseek-v4-pro'],
  ['moonshot', 'kimi-k2.6'],
  ['moonshot', 'kimi-k2-thinking'],
  ['mimo', 'mimo-v2.5-pro'],
  ['siliconflow', 'deepseek-ai/DeepSeek-V3.2'],
  ['custom', 'DeepSeek-V4-Flash'],
  ['openai', 'deepseek-v4-pro'],
] as const;

describe.each(requiring)('a model that requires its thoughts (%s, %s)', (...target) => {
  it.each(formats)('gets the thoughts of earlier turns from a client of %s', (format) => {
    expect(thoughtsSent(target, format, histories[format](['x', 'y']))).toEqual(['x', 'y']);
  });

  it.each(formats)('gets a blank thought if a client of %s has none', (format) => {
    expect(thoughtsSent(target, format, histories[format]([]))).toEqual([' ', ' ']);
    expect(thoughtsSent(target, format, histories[format](['x']))).toEqual(['x', ' ']);
  });

  it('adds no thought to a history without tool calls', () => {
    const messages = [
      { role: 'user', content: 'a' },
      { role: 'assistant', content: 'b' },
      { role: 'user', content: 'c' },
    ];
    expect(thoughtsSent(target, 'anthropic-messages', { max_tokens: 9, messages })).toEqual([undefined]);
  });
});

describe.each(['deepseek', 'mimo', 'anthropic-compatible'])('a message with a call at %s', (provider) => {
  const format = 'anthropic-messages';
  const sent = (fields: Record<string, unknown>): unknown => {
    const target = sampleTarget(provider, { model: provider === 'mimo' ? 'mimo-v2.5' : 'deepseek-v4-pro' });
    const { body } = planExchange(sampleRequest(format, fields), target);
    return objectOf(listOf(objectOf(JSON.parse(body.toString()))['messages'])[1])['content'];
  };
  const call = { type: 'tool_use', id: 'c1', name: 'f', input: {} };

  it('gets a blank thought if the client has none', () => {
    const blank = { type: 'thinking', thinking: ' ', signature: '' };
    expect(sent(histories[format]([]))).toEqual([blank, call]);
    const foreign = 'switchyard.none.signature.';
    const history = JSON.stringify(histories[format](['x'])).replaceAll('"s"', JSON.stringify(foreign));
    expect(sent(objectOf(JSON.parse(history)))).toEqual([blank, call]);
  });

  it('keeps its thought, and gets none if thinking is off', () => {
    const thought = { type: 'thinking', thinking: 'x', signature: 's' };
    expect(sent(histories[format](['x']))).toEqual([thought, call]);
    expect(sent({ ...histories[format]([]), thinking: { type: 'disabled' } })).toEqual([call]);
  });
});

it.each([
  ['openai', 'gpt-5'],
  ['groq', 'moonshotai/kimi-k2-instruct'],
  ['ali', 'qwen3-max'],
  ['siliconflow', 'deepseek-ai/DeepSeek-R1'],
  ['together', 'deepseek-ai/DeepSeek-V3'],
  ['together', 'deepseek-ai/DeepSeek-R1-Distill-Qwen-14B'],
  ['moonshot', 'moonshot-v1-8k'],
] as const)('%s, %s gets no thoughts of earlier turns', (...target) => {
  for (const format of formats.filter((format) => format !== 'openai-chat'))
    expect(thoughtsSent(target, format, histories[format](['x', 'y']))).toEqual([undefined, undefined]);
  expect(thoughtsSent(target, 'openai-chat', histories['openai-chat']([]))).toEqual([undefined, undefined]);
});

it('joins 60,000 instructions with the question before them in milliseconds', () => {
  const instructions = Array.from({ length: 60_000 }, () => ({ role: 'system', content: 'b' }));
  const messages = [{ role: 'user', content: [{ type: 'text', text: 'a' }] }, ...instructions];
  const request = sampleRequest('openai-chat', { messages });
  const readCpuMs = startCpuTimer();
  const { body } = planExchange(request, sampleTarget('custom'));
  const cpuMs = readCpuMs();
  const sent = listOf(objectOf(JSON.parse(body.toString()))['messages']);
  expect(sent.map((message) => listOf(objectOf(message)['content']).length)).toEqual([60_001]);
  expect(cpuMs).toBeLessThan(1_500);
});
