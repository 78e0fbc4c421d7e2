/** Made-up requests and channels, for tests only. */
import type { ClientRequest, RequestRoute } from './exchange.ts';
import { InvalidRequest } from './format.ts';
import type { FormatId, Operation, Target } from './provider.ts';
import { findProvider } from './providers/providers.ts';
import { readRequest } from './read-request.ts';

const operations: Record<FormatId, Operation> = {
  'openai-chat': 'chat',
  'anthropic-messages': 'chat',
  gemini: 'chat',
  'openai-completions': 'completions',
  'openai-embeddings': 'embeddings',
  'gemini-embeddings': 'embeddings',
};

export function sampleTarget(provider: string, changes: Partial<Target> = {}): Target {
  const found = findProvider(provider);
  if (found === undefined) throw new InvalidRequest(`There is no provider ${provider}.`);
  return {
    provider: found,
    baseUrl: found.baseUrl ?? 'https://upstream.test',
    credentials: { key: 'sample-secret-key' },
    options: {},
    headers: {},
    model: 'vendor-model',
    ...changes,
  };
}

export function sampleRequest(format: FormatId, fields: Record<string, unknown> = {}): ClientRequest {
  const prompt: Record<Operation, Record<string, unknown>> = {
    chat: { messages: [{ role: 'user', content: 'hi' }] },
    completions: { prompt: 'hi' },
    embeddings: { input: 'hi' },
  };
  if (format === 'gemini') {
    const { stream, ...body } = fields;
    return geminiRequest({ contents: [{ parts: [{ text: 'hi' }] }], ...body }, { stream: stream === true });
  }
  if (format === 'gemini-embeddings')
    return geminiRequest(
      { content: { parts: [{ text: 'hi' }] }, ...fields },
      { operation: 'embeddings', format },
    );
  const operation = operations[format];
  return rawRequest(format, JSON.stringify({ model: 'vendor-model', ...prompt[operation], ...fields }));
}

/** The path says what the body of other dialects does. */
export function geminiRequest(body: unknown, route: Partial<RequestRoute> = {}): ClientRequest {
  const said = {
    operation: 'chat',
    format: 'gemini',
    model: 'vendor-model',
    stream: false,
    ...route,
  } as const;
  return readRequest(said, Buffer.from(JSON.stringify(body)), {});
}

export function rawRequest(
  format: FormatId,
  body: string,
  headers: Record<string, string> = {},
): ClientRequest {
  return readRequest({ operation: operations[format], format }, Buffer.from(body), headers);
}
