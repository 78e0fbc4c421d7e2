/** Simulated vendors that support only functions, one per dialect, for tests. */
import { type JsonObject, listOf, objectOf } from '../json/json.ts';
import type { Target } from '../model/provider.ts';
import { sampleTarget } from './sample-requests.ts';

export interface Vendor {
  target: Target;
  /** Returns the names of the tools in the vendor's request. */
  declared(body: JsonObject): unknown[];
  /** Returns the names of the calls in the history. */
  called(body: JsonObject): unknown[];
  /** Returns the name of the tool that the model must call. */
  forced(body: JsonObject): unknown;
  /** Returns a response that calls a function, as a whole and as stream events. */
  whole(name: string, args: string): object;
  streamed(name: string, args: string): object[];
}

export const member = (value: unknown, ...path: string[]): unknown =>
  path.reduce((inner, key) => objectOf(inner)[key], value);
const members = (list: unknown, ...path: string[]): unknown[] =>
  listOf(list)
    .map((entry) => member(entry, ...path))
    .filter((entry) => entry !== undefined);
export const parts = (messages: unknown, field: string): unknown[] =>
  listOf(messages).flatMap((message) => listOf(objectOf(message)[field]));
const halves = (text: string): string[] => [text.slice(0, 7), text.slice(7)];

const chat: Vendor = {
  target: sampleTarget('custom', { options: { api: 'chat' } }),
  declared: ({ tools }) => members(tools, 'function', 'name'),
  called: ({ messages }) => members(parts(messages, 'tool_calls'), 'function', 'name'),
  forced: (body) => member(body, 'tool_choice', 'function', 'name'),
  whole: (name, args) => {
    const call = { id: 'call_1', type: 'function', function: { name, arguments: args } };
    return { id: 'c', model: 'm', choices: [{ message: { tool_calls: [call] }, finish_reason: 'tool_calls' }] };
  },
  streamed: (name, args) => {
    const chunk = (delta: object, finish_reason: string | null = null): object => ({
      id: 'c',
      choices: [{ index: 0, delta, finish_reason }],
    });
    const call = { index: 0, id: 'call_1', type: 'function', function: { name, arguments: '' } };
    return [
      chunk({ tool_calls: [call] }),
      ...halves(args).map((text) => chunk({ tool_calls: [{ index: 0, function: { arguments: text } }] })),
      chunk({}, 'tool_calls'),
    ];
  },
};

const messages: Vendor = {
  target: sampleTarget('anthropic', { model: 'claude-sonnet-4-5' }),
  declared: ({ tools }) => members(tools, 'name'),
  called: (body) => members(parts(body['messages'], 'content'), 'name'),
  forced: (body) => member(body, 'tool_choice', 'name'),
  whole: (name, args) => ({
    id: 'm',
    model: 'm',
    content: [{ type: 'tool_use', id: 'call_1', name, input: JSON.parse(args) }],
    stop_reason: 'tool_use',
  }),
  streamed: (name, args) => [
    { type: 'message_start', message: { id: 'm', model: 'm' } },
    { type: 'content_block_start', index: 0, content_block: { type: 'tool_use', id: 'call_1', name, input: {} } },
    ...halves(args).map((text) => ({
      type: 'content_block_delta',
      index: 0,
      delta: { type: 'input_json_delta', partial_json: text },
    })),
    { type: 'content_block_stop', index: 0 },
    { type: 'message_delta', delta: { stop_reason: 'tool_use' } },
    { type: 'message_stop' },
  ],
};

const geminiAnswer = (name: string, args: string): object => ({
  candidates: [{ content: { parts: [{ functionCall: { name, args: JSON.parse(args) } }] }, finishReason: 'STOP' }],
});

const gemini: Vendor = {
  target: sampleTarget('gemini', { model: 'gemini-2.5-flash' }),
  declared: ({ tools }) => members(parts(tools, 'functionDeclarations'), 'name'),
  called: ({ contents }) => members(parts(contents, 'parts'), 'functionCall', 'name'),
  forced: (body) => listOf(member(body, 'toolConfig', 'functionCallingConfig', 'allowedFunctionNames'))[0],
  whole: geminiAnswer,
  streamed: (name, args) => [geminiAnswer(name, args)],
};

const converse: Vendor = {
  target: sampleTarget('bedrock', { model: 'amazon.nova-lite-v1:0' }),
  declared: (body) => members(member(body, 'toolConfig', 'tools'), 'toolSpec', 'name'),
  called: (body) => members(parts(body['messages'], 'content'), 'toolUse', 'name'),
  forced: (body) => member(body, 'toolConfig', 'toolChoice', 'tool', 'name'),
  whole: (name, args) => {
    const toolUse = { toolUseId: 'call_1', name, input: JSON.parse(args) };
    return { output: { message: { role: 'assistant', content: [{ toolUse }] } }, stopReason: 'tool_use' };
  },
  streamed: (name, args) => [
    { messageStart: { role: 'assistant' } },
    { contentBlockStart: { contentBlockIndex: 0, start: { toolUse: { toolUseId: 'call_1', name } } } },
    ...halves(args).map((input) => ({ contentBlockDelta: { contentBlockIndex: 0, delta: { toolUse: { input } } } })),
    { contentBlockStop: { contentBlockIndex: 0 } },
    { messageStop: { stopReason: 'tool_use' } },
  ],
};

const functionCall = (name: string, args: string): object => ({
  type: 'function_call',
  id: 'fc_1',
  call_id: 'call_1',
  name,
  arguments: args,
});

/** Server that supports Responses with functions only. */
const responses: Vendor = {
  target: sampleTarget('custom', { options: { api: 'responses' } }),
  declared: ({ tools }) => members(tools, 'name'),
  called: ({ input }) => members(input, 'name'),
  forced: (body) => member(body, 'tool_choice', 'name'),
  whole: (name, args) => ({ id: 'r', status: 'completed', output: [functionCall(name, args)] }),
  streamed: (name, args) => [
    { type: 'response.output_item.added', output_index: 0, item: functionCall(name, '') },
    ...halves(args).map((delta) => ({
      type: 'response.function_call_arguments.delta',
      item_id: 'fc_1',
      output_index: 0,
      delta,
    })),
    { type: 'response.output_item.done', output_index: 0, item: functionCall(name, args) },
    { type: 'response.completed', response: { id: 'r', status: 'completed', output: [functionCall(name, args)] } },
  ],
};

export const vendors = { chat, messages, gemini, converse, responses };
