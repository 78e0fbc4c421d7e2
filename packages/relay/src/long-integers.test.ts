/** Integers beyond 2^53 from each chat dialect to each, in requests and responses, whole and streamed. */
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { planExchange } from './exchange/plan-exchange.ts';
import { readRequest } from './exchange/read-request.ts';
import type { ClientRequest } from './model/client-request.ts';
import type { DialectId } from './model/dialect-id.ts';
import { rawRequest, responsesOnly, sampleTarget } from './testing/sample-requests.ts';

type Chat = 'openai-chat' | 'openai-responses' | 'anthropic-messages' | 'gemini';

const chats: Chat[] = ['openai-chat', 'openai-responses', 'anthropic-messages', 'gemini'];
const pairs = chats.flatMap((client) => chats.map((upstream) => ({ client, upstream })));
const runs = { numRuns: 12 };

const target = (upstream: Chat) =>
  upstream === 'openai-responses'
    ? responsesOnly()
    : sampleTarget({ 'openai-chat': 'custom', 'anthropic-messages': 'anthropic', gemini: 'gemini' }[upstream]);

const long = fc
  .tuple(fc.constantFrom('', '-'), fc.bigInt({ min: 2n ** 53n + 1n, max: 10n ** 30n }))
  .map(([sign, integer]) => sign + String(integer));

/** Arguments with the integer at several depths. */
const argumentsWith = (digits: string): string => `{"id":${digits},"all":[{"id":${digits}},[${digits}]]}`;
const schemaWith = (digits: string): string =>
  `{"type":"object","properties":{"id":{"type":"integer","enum":[${digits}],"maximum":${digits}}},"required":["id"]}`;

const requests: Record<Chat, (args: string, schema: string, result: string) => string> = {
  'openai-chat': (args, schema, result) =>
    `{"model":"m","tools":[{"type":"function","function":{"name":"find","parameters":${schema}}}],"messages":[{"role":"user","content":"x"},{"role":"assistant","tool_calls":[{"id":"call_1","type":"function","function":{"name":"find","arguments":${JSON.stringify(args)}}}]},{"role":"tool","tool_call_id":"call_1","content":${JSON.stringify(result)}}]}`,
  'openai-responses': (args, schema, result) =>
    `{"model":"m","tools":[{"type":"function","name":"find","strict":false,"parameters":${schema}}],"input":[{"role":"user","content":"x"},{"type":"function_call","call_id":"call_1","name":"find","arguments":${JSON.stringify(args)}},{"type":"function_call_output","call_id":"call_1","output":${JSON.stringify(result)}}]}`,
  'anthropic-messages': (args, schema, result) =>
    `{"model":"m","max_tokens":9,"tools":[{"name":"find","input_schema":${schema}}],"messages":[{"role":"user","content":"x"},{"role":"assistant","content":[{"type":"tool_use","id":"call_1","name":"find","input":${args}}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"call_1","content":${JSON.stringify(result)}}]}]}`,
  gemini: (args, schema, result) =>
    `{"tools":[{"functionDeclarations":[{"name":"find","parameters":${schema}}]}],"contents":[{"role":"user","parts":[{"text":"x"}]},{"role":"model","parts":[{"functionCall":{"name":"find","args":${args}}}]},{"role":"user","parts":[{"functionResponse":{"name":"find","response":${result}}}]}]}`,
};

function request(client: Chat, body: string, stream: boolean): ClientRequest {
  if (client !== 'gemini') return rawRequest(client, body.replace('{', `{"stream":${stream},`));
  const route = { operation: 'chat', format: 'gemini', model: 'm', stream } as const;
  return readRequest(route, Buffer.from(body), {});
}

const simple: Record<Chat, string> = {
  'openai-chat': '{"model":"m","messages":[{"role":"user","content":"x"}]}',
  'openai-responses': '{"model":"m","input":"x"}',
  'anthropic-messages': '{"model":"m","max_tokens":9,"messages":[{"role":"user","content":"x"}]}',
  gemini: '{"contents":[{"parts":[{"text":"x"}]}]}',
};

const call = (args: string): string =>
  `{"id":"fc_1","type":"function_call","status":"completed","call_id":"call_1","name":"find","arguments":${JSON.stringify(args)}}`;

const wholes: Record<Chat, (args: string) => string> = {
  'openai-chat': (args) =>
    `{"id":"c","model":"m","choices":[{"index":0,"message":{"role":"assistant","tool_calls":[{"id":"call_1","type":"function","function":{"name":"find","arguments":${JSON.stringify(args)}}}]},"finish_reason":"tool_calls"}]}`,
  'openai-responses': (args) =>
    `{"id":"r","object":"response","model":"m","status":"completed","output":[${call(args)}]}`,
  'anthropic-messages': (args) =>
    `{"id":"m","type":"message","role":"assistant","model":"m","content":[{"type":"tool_use","id":"call_1","name":"find","input":${args}}],"stop_reason":"tool_use"}`,
  gemini: (args) =>
    `{"candidates":[{"content":{"role":"model","parts":[{"functionCall":{"name":"find","args":${args}}}]},"finishReason":"STOP"}]}`,
};

const halves = (text: string): string[] => [text.slice(0, text.length / 2), text.slice(text.length / 2)];

const streams: Record<Chat, (args: string) => string[]> = {
  'openai-chat': (args) => [
    ...['', ...halves(args)].map((piece, at) => {
      const named = at === 0 ? '"id":"call_1","type":"function",' : '';
      const name = at === 0 ? '"name":"find",' : '';
      return `{"id":"c","model":"m","choices":[{"index":0,"delta":{"tool_calls":[{"index":0,${named}"function":{${name}"arguments":${JSON.stringify(piece)}}}]},"finish_reason":null}]}`;
    }),
    '{"id":"c","model":"m","choices":[{"index":0,"delta":{},"finish_reason":"tool_calls"}]}',
    '[DONE]',
  ],
  'openai-responses': (args) => [
    `{"type":"response.output_item.added","output_index":0,"item":${call('')}}`,
    ...halves(args).map(
      (delta) =>
        `{"type":"response.function_call_arguments.delta","item_id":"fc_1","output_index":0,"delta":${JSON.stringify(delta)}}`,
    ),
    `{"type":"response.output_item.done","output_index":0,"item":${call(args)}}`,
    `{"type":"response.completed","response":{"id":"r","status":"completed","output":[${call(args)}]}}`,
  ],
  'anthropic-messages': (args) => [
    '{"type":"message_start","message":{"id":"m","model":"m"}}',
    '{"type":"content_block_start","index":0,"content_block":{"type":"tool_use","id":"call_1","name":"find","input":{}}}',
    ...halves(args).map(
      (piece) =>
        `{"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_json":${JSON.stringify(piece)}}}`,
    ),
    '{"type":"content_block_stop","index":0}',
    '{"type":"message_delta","delta":{"stop_reason":"tool_use"},"usage":{"output_tokens":1}}',
    '{"type":"message_stop"}',
  ],
  gemini: (args) => [wholes.gemini(args)],
};

function answered(client: Chat, upstream: Chat, body: string, stream: boolean): string {
  const plan = planExchange(request(client, simple[client], stream), target(upstream));
  const reader = plan.readResponse();
  return Buffer.concat([reader.push(Buffer.from(body)), reader.end()]).toString();
}

/** Strings within strings contain quotes with backslashes, and pieces of a stream are separate. */
function argumentsIn(answer: string, client: DialectId, stream: boolean): string {
  if (!stream || client === 'gemini') return answer.replaceAll('\\', '');
  const pieces = [...answer.matchAll(/"(?:arguments|partial_json|delta)":("(?:[^"\\]|\\.)*")/g)];
  return pieces.map(([, text = '""']) => JSON.parse(text) as string).join('');
}

const count = (text: string, part: string): number => text.split(new RegExp(`(?<![\\d-])${part}(?!\\d)`)).length - 1;

describe('a long integer', () => {
  it.each(pairs)(
    'reaches the upstream ($upstream) from the request of a client ($client) with all digits',
    ({ client, upstream }) => {
      fc.assert(
        fc.property(long, long, long, fc.boolean(), (called, declared, found, stream) => {
          fc.pre(new Set([called, declared, found]).size === 3);
          const body = requests[client](argumentsWith(called), schemaWith(declared), `{"id":${found},"n":[${found}]}`);
          const sent = planExchange(request(client, body, stream), target(upstream)).body.toString();
          expect(count(sent, called)).toBe(3);
          expect(count(sent, declared)).toBe(2);
          expect(count(sent, found)).toBe(2);
        }),
        runs,
      );
    },
  );

  it.each(pairs)(
    'reaches the client ($client) from the whole response of an upstream ($upstream) with all digits',
    ({ client, upstream }) => {
      fc.assert(
        fc.property(long, (digits) => {
          const answer = answered(client, upstream, wholes[upstream](argumentsWith(digits)), false);
          expect(argumentsIn(answer, client, false)).toContain(argumentsWith(digits));
        }),
        runs,
      );
    },
  );

  it.each(pairs)(
    'reaches the client ($client) from the stream of an upstream ($upstream) with all digits',
    ({ client, upstream }) => {
      fc.assert(
        fc.property(long, (digits) => {
          const body = streams[upstream](argumentsWith(digits))
            .map((event) => `data: ${event}\n\n`)
            .join('');
          const answer = answered(client, upstream, body, true);
          expect(argumentsIn(answer, client, true)).toContain(argumentsWith(digits));
        }),
        runs,
      );
    },
  );
});
