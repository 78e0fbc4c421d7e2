/** Clients of all dialects, whose requests differ in everything that affects the reading of a response. */
import { type Exchange, planExchange, type RequestRoute, readRequest } from '@switchyard/relay';
import { type Dialect, dialects } from './recorded-files.ts';
import { createTarget } from './relay-run.ts';

export interface RelayClient {
  dialect: Dialect;
  isArray: boolean;
  /** By the upstream's dialect, because readers differ. */
  exchanges: ReadonlyMap<Dialect, Exchange>;
}

const messages = [{ role: 'user', content: 'hi' }];
const custom = { type: 'custom', name: 'get_weather' };
const contents = [{ role: 'user', parts: [{ text: 'hi' }] }];

const requests: readonly (readonly [Dialect, Record<string, unknown>, Partial<RequestRoute>])[] = [
  ['openai-chat', { messages }, {}],
  ['openai-chat', { messages, stream_options: { include_usage: true } }, {}],
  ['openai-chat', { messages, tools: [{ type: 'custom', custom: { name: 'get_weather' } }] }, {}],
  ['openai-chat', { messages, n: 2 }, {}],
  ['anthropic-messages', { messages, max_tokens: 1_000 }, {}],
  ['anthropic-messages', { messages, max_tokens: 1_000, thinking: { type: 'adaptive' } }, {}],
  ['openai-responses', { input: 'hi' }, {}],
  [
    'openai-responses',
    { input: 'hi', tools: [custom], include: ['message.output_text.logprobs', 'reasoning.encrypted_content'] },
    {},
  ],
  ['gemini', { contents }, {}],
  ['gemini', { contents, generationConfig: { thinkingConfig: { includeThoughts: true } } }, {}],
  ['gemini', { contents }, { framing: 'json-array' }],
];

export const streamClients = createClients(true);
export const nonStreamingClients = createClients(false).filter(({ isArray }) => !isArray);

function createClients(stream: boolean): RelayClient[] {
  return requests.map(([dialect, fields, more]) => {
    const model = 'model-of-the-client';
    const inPath = dialect === 'gemini';
    const body = inPath ? fields : { model, stream, ...fields };
    const route = inPath ? { model, stream, ...more } : more;
    const request = readRequest(
      { operation: 'chat', format: dialect, ...route },
      Buffer.from(JSON.stringify(body)),
      {},
    );
    return {
      dialect,
      isArray: more.framing === 'json-array',
      exchanges: new Map(dialects.map((upstream) => [upstream, planExchange(request, createTarget(upstream))])),
    };
  });
}
