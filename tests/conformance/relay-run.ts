import {
  findProvider,
  planExchange,
  type RequestRoute,
  type ResponseReader,
  readRequest,
  type Target,
} from '@switchyard/relay';
import type { Dialect, Recording } from './recorded-files.ts';

const upstreams: Record<Dialect, string> = {
  'openai-chat': 'custom',
  'anthropic-messages': 'anthropic',
  'openai-responses': 'openai',
  gemini: 'gemini',
};

export interface RelayedResponse {
  bytes: Buffer;
  reader: ResponseReader;
}

/** Plays a recorded body through the relay as the response to a client of the given dialect. */
export function playRecording(
  recording: Recording,
  client: Dialect,
  chunks: readonly Buffer[],
  includeUsage = true,
): RelayedResponse {
  const request = readRequest(
    routeFor(recording, client),
    Buffer.from(JSON.stringify(clientBody(recording, client, includeUsage))),
    {},
  );
  const reader = planExchange(request, createTarget(recording.dialect)).readResponse();
  const pieces = chunks.map((chunk) => reader.push(chunk));
  return { bytes: Buffer.concat([...pieces, reader.end()]), reader };
}

function routeFor({ isStream }: Recording, client: Dialect): RequestRoute {
  const route = { operation: 'chat', format: client } as const;
  return client === 'gemini' ? { ...route, model: 'model-of-the-client', stream: isStream } : route;
}

function clientBody({ isStream }: Recording, client: Dialect, includeUsage: boolean): Record<string, unknown> {
  if (client === 'gemini') return { contents: [{ role: 'user', parts: [{ text: 'hi' }] }] };
  const shared = { model: 'model-of-the-client', stream: isStream };
  if (client === 'openai-responses') return { ...shared, max_output_tokens: 1_000, input: 'hi' };
  return {
    ...shared,
    max_tokens: 1_000,
    messages: [{ role: 'user', content: 'hi' }],
    ...(includeUsage && isStream && { stream_options: { include_usage: true } }),
  };
}

/** Supports only this dialect, so that clients of other dialects get translations. */
export function createTarget(dialect: Dialect): Target {
  const provider = findProvider(upstreams[dialect]);
  if (provider === undefined) throw new Error(`no provider ${upstreams[dialect]}`);
  const spoken = provider.endpoints.chat?.filter((endpoint) => endpoint.format === dialect) ?? [];
  return {
    provider: { ...provider, endpoints: { chat: spoken } },
    baseUrl: 'https://upstream.test',
    credentials: { key: 'secret-key' },
    options: {},
    headers: {},
    model: 'model-of-the-vendor',
  };
}

/** Splits a body at the given positions, each a share of its length. */
export function cutAtShares(body: Buffer, shares: readonly number[]): Buffer[] {
  const places = [...new Set(shares.map((share) => Math.floor(share * body.length)))].toSorted((a, b) => a - b);
  return [0, ...places].map((start, index) => body.subarray(start, places[index] ?? body.length));
}
